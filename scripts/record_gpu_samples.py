"""Record every case of scripts/gpu_cases as a small sample, with the truth beside it.

    python scripts/record_gpu_samples.py                     # all cases; needs a GPU, torch, triton
    python scripts/record_gpu_samples.py --device cpu        # those that a CPU can run
    python scripts/record_gpu_samples.py --case mlp_train    # some of them; --list names them

Each case runs in a process of its own and becomes sample_traces/<device>_<case>. What this machine
cannot record is named, with the reason, and the others go on. With an nsys on PATH the case also
runs under it, with NVTX marks. At the end docs/gpu-findings.md is written from the GPU's samples.
Exit code 1 where a case that this machine should manage failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

import accuracy  # noqa: E402 -- after the line above
from gpu_cases import beside, findings, nsys, record, sample, turns  # noqa: E402 -- after the line above
from gpu_cases.case import Case  # noqa: E402 -- as above
from gpu_cases.cases import CASES  # noqa: E402 -- as above

SAMPLES = PROJECT / "sample_traces"
LONGEST_S = 900


def main() -> None:
    """Run the command line."""
    chosen = _arguments()
    if chosen.list:
        print("\n".join(f"{case.name:24}{case.title}" for case in CASES))
        return
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        os.environ[turns.VARIABLE] = str(Path(folder) / "lock")

        def is_recorded(case: Case) -> bool:
            work = (chosen.work or Path(folder)) / case.name
            return _recorded(
                case, chosen.device, work.resolve(), chosen.out, measure_only=chosen.measure_only
            )

        wanted = [case for case in CASES if not chosen.case or case.name in chosen.case]
        failed = sum(not done for done in pool.map(is_recorded, wanted))
        del os.environ[turns.VARIABLE]
    if chosen.device == "cuda":
        path = PROJECT / "docs" / "gpu-findings.md"
        page = findings.page(chosen.out, path.read_text(encoding="utf-8"))
        path.write_text(page, encoding="utf-8")
        print(f"wrote {path.relative_to(PROJECT)}")
    if chosen.out == SAMPLES:
        failed += _wrong()
    for line in unlisted(chosen.out):
        print(line)
    sys.exit(1 if failed else 0)


def _wrong() -> int:
    """Write docs/accuracy.md; the number of samples of which something exact is wrong."""
    judged = [accuracy.judge(path) for path in accuracy.samples(SAMPLES)]
    worlds = accuracy.in_worlds(accuracy.PAGE.read_text(encoding="utf-8"))
    page = accuracy.page(judged, accuracy.judge_bare(SAMPLES), worlds)
    accuracy.PAGE.write_text(page, encoding="utf-8")
    wrong = [verdict.name for verdict in judged if not verdict.is_exact_right]
    for name in wrong:
        print(f"{name}: something exact is wrong")
    return len(wrong)


def unlisted(samples: Path) -> list[str]:
    """Lines for the table of docs/samples.md."""
    listed = (PROJECT / "docs" / "samples.md").read_text(encoding="utf-8")
    titles = {case.name: case.title for case in CASES}
    return [
        f"| `sample_traces/{path.name}` | recorded | {titles[case]} |"
        for path in sorted(samples.iterdir() if samples.is_dir() else ())
        for _, _, case in [path.name.partition("_")]
        if case in titles and f"`sample_traces/{path.name}`" not in listed
    ]


def _arguments() -> argparse.Namespace:
    parser = usage.parser(__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    names = [case.name for case in CASES]
    parser.add_argument("--case", choices=names, nargs="+", help="these alone")
    parser.add_argument("--out", type=Path, default=SAMPLES)
    parser.add_argument("--work", type=Path, help="keep what is recorded in a folder per case")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once; each is measured alone")
    parser.add_argument(
        "--measure-only", action="store_true", help="add measured.json to samples that are there"
    )
    parser.add_argument("--list", action="store_true", help="name the cases")
    return parser.parse_args()


def _recorded(
    case: Case, device: str, work: Path, out: Path, *, measure_only: bool = False
) -> bool:
    """Record one case; False where it failed, True also where this machine cannot run it."""
    name = f"{device}_{case.name}"
    if measure_only:
        print(f"{name}: {beside.measured_beside(case, device, work / 'measured', out / name)}")
        return True
    script = str(Path(record.__file__))
    command = [sys.executable, script, case.name, device, str(work)]
    try:
        done = subprocess.run(  # noqa: S603 -- our own script
            command, check=False, timeout=LONGEST_S, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        print(f"{name}: failed: took more than {LONGEST_S} s")
        return False
    if done.returncode == record.CANNOT:
        print(f"{name}: not recorded: {done.stderr.strip().splitlines()[-1]}")
        return True
    if done.returncode:
        print(f"{name}: failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
        return False
    made_by = f"python scripts/record_gpu_samples.py --device {device} --case {case.name}"
    try:
        size = sample.make_sample(case, work, out / name, made_by)
    except (sample.UnusableError, OSError, ValueError, LookupError) as error:
        print(f"{name}: failed: {error or type(error).__name__}")
        return False
    print(f"{name}: {size / 1000:.0f} kB")
    if device == "cuda":
        if shutil.which("nsys"):
            print(f"{name}: {nsys.recorded(case, device, work, out / name)}")
        for line in beside.recorded(case, device, work, out / name):
            print(f"{name}: {line}")
        print(f"{name}: {beside.measured_beside(case, device, work / 'measured', out / name)}")
    return True


if __name__ == "__main__":
    main()
