"""What is recorded beside a case's profile, in processes of its own, and put into its sample.

measured.json: measured.py · ncu_*.csv.gz: one step under Nsight Compute, with the code of the
sample; few.ncu-rep: the first launches of it · captures/: captured.py. What fails says so, and
takes nothing away from the sample.
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from neutral_paths import CACHE as NEUTRAL_CACHE
from neutral_paths import HOME, neutral

from gpu_cases import captured, measured, steps
from gpu_cases.case import Beside, Case
from gpu_cases.measured import CODE, MEASURED
from gpu_cases.record import CACHE
from kernelmap.model.marks import graph_digest

LONGEST_S = 300
REPORT = "few.ncu-rep"
REPORTED = 5
"""Launches in the report that is kept: it holds the machine code of each kernel."""
_NCU = (
    "ncu",
    "--profile-from-start=off",
    "--target-processes=application-only",
    "--clock-control=none",  # the machine's clocks are not ours to set
    "--graph-profiling=node",  # replays launch by launch
    "--force-overwrite",
)
_FEW = "few"
_SETS: Mapping[str, tuple[str, ...]] = {
    "basic": ("--set=basic",),
    "detailed": ("--set=detailed", "--section=WarpStateStats", "--section=SchedulerStats"),
    _FEW: ("--set=basic", f"--launch-count={REPORTED}"),
}
_PAGES = ("raw", "details")
_PLACE = "/opt/venv/"


def recorded(case: Case, device: str, work: Path, target: Path) -> Iterable[str]:
    """Put all that `case` wants beside its sample `target`; gives what became of each, in words."""
    jobs: dict[Beside, Callable[[], str]] = {
        Beside.COUNTERS: partial(_counted, case, device, work, target),
        Beside.CAPTURES: partial(_captured, case, work / "captured", target / "captures"),
    }
    for beside in case.beside:
        yield jobs[beside]()


def measured_beside(case: Case, device: str, work: Path, target: Path) -> str:
    """Put measured.json into `target`, and what ran where the sample has other code."""
    problem = _run([sys.executable, str(measured.__file__), case.name, device, str(work)])
    if problem is not None:
        return f"not measured: {problem}"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(work / MEASURED, target / MEASURED)
    code: dict[str, str] = json.loads(gzip.decompress((work / CODE).read_bytes()))
    kept = {graph_digest(path.read_text("utf-8")) for path in target.rglob("output_code.py")}
    if not code.keys() <= kept:
        shutil.copy(work / CODE, target / CODE)
    return MEASURED


def _counted(case: Case, device: str, work: Path, target: Path) -> str:
    """One step under ncu, for each set of counters; the first report is kept if it is small."""
    step = [sys.executable, str(steps.__file__), case.name, device, steps.RANGE]
    environment = {"TORCHINDUCTOR_CACHE_DIR": str(work / CACHE)}
    kept: list[str] = []
    for name, wanted in _SETS.items():
        report = work / f"{name}.ncu-rep"
        problem = _run([*_NCU, *wanted, f"--export={report}", *step], environment)
        if problem is not None:
            return f"ncu failed: {problem}"
        if name == _FEW:
            (target / REPORT).write_bytes(with_neutral_places(report.read_bytes(), _places()))
            kept.append(REPORT)
            continue
        for page in _PAGES:
            shown = subprocess.run(  # noqa: S603 -- the ncu on PATH, on our own file
                ["ncu", f"--import={report}", f"--page={page}", "--csv"],  # noqa: S607 -- as above
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST_S,
            )
            _write(target / f"ncu_{name}_{page}.csv.gz", _scrubbed(shown.stdout, work))
            kept.append(f"ncu_{name}_{page}.csv.gz")
    return ", ".join(kept)


def with_neutral_places(report: bytes, places: Iterable[str]) -> bytes:
    """A report of ncu with `places` of a machine replaced by a neutral one of the same length.

    It is binary and states the length of every text.

    >>> with_neutral_places(b"in /usr/bin/python3.12", ["/usr/bin/python3.12"])
    b'in /opt/venv/python3.1'
    """
    for place in sorted(places, key=len, reverse=True):
        rest = Path(place).name.ljust(len(place), "/")
        report = report.replace(place.encode(), f"{_PLACE}{rest}"[: len(place)].encode())
    return report


def _places() -> Iterable[str]:
    """Where this Python, its packages and ncu lie."""
    return (str(Path(sys.executable).resolve()), f"{sys.prefix}/", "/opt/nvidia/nsight-compute/")


def _captured(case: Case, work: Path, target: Path) -> str:
    """The files of captured.py, with neutral paths."""
    problem = _run([sys.executable, str(captured.__file__), case.model, str(work)])
    if problem is not None:
        return f"no captures without marks: {problem}"
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(work.glob("*.json*")):
        if path.suffix == ".gz":
            text = gzip.decompress(path.read_bytes()).decode()
            _write(target / path.name, _scrubbed(text, work))
        else:
            shutil.copy(path, target / path.name)
    return f"captures/: {len(list(target.iterdir()))} files"


def _scrubbed(text: str, work: Path) -> str:
    text = neutral(text, {work / CACHE: NEUTRAL_CACHE, work: f"{HOME}/run"})
    return text.replace(platform.node(), "host") if len(platform.node()) > len("host") else text


def _write(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str | None:
    """Run a command of ours; None, or the last line of what went wrong."""
    try:
        done = subprocess.run(  # noqa: S603 -- our own scripts
            command,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_S,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        return type(error).__name__
    if done.returncode:
        return (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
    return None
