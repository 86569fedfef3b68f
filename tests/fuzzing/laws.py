"""What must hold of every answer to every input, and one case: an input, a command, what came.

Not a traceback: an answer or an error of ours, with an exit code of the documented set. The input
is afterwards as it was. Nothing that moves a cursor is printed. Where there is an answer, its
tables add up. Time (of the processor) and memory have bounds.
"""

from __future__ import annotations

import json
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from click.testing import CliRunner, Result

from fuzzing.mutate import Tree, damaged
from fuzzing.seeds import SEEDS
from fuzzing.signing import signed
from fuzzing.targets import TARGETS, arguments
from kernelmap.cli import main
from kernelmap.traces.kineto.native_scan import runs_native

EXIT_CODES = (0, 1, 2, 3)
SECONDS, MEGABYTES = 10, 1500
"""Of one case: of the processor, and above what the process held before."""
_SIGNED = 0.7  # of the cases: manifests have the digests of what was damaged
_INDEX = "store/index"  # of a store: kept by those who read, too
_TABLES = ("calls", "kernels", "ops", "modules", "nodes", "graphs")


class TooSlowError(BaseException):
    """A case took longer than it may; no `except Exception` keeps it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One damaged input of a kind, and what is asked of it."""

    kind: str
    tree: Tree
    command: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case. `wrong` says which law it broke, None where it broke none."""

    exit_code: int
    seconds: float
    megabytes: float
    wrong: str | None


def case(kind: str, seed: int, number: int) -> Case:
    """The case of that number; the same seed gives the same case."""
    chance = Random(f"{kind}/{seed}/{number}")  # noqa: S311 -- damage, no secrets
    tree = chance.choice(SEEDS[kind]())
    target = TARGETS[kind]
    after = damaged(tree, chance, target.main)
    if chance.random() < _SIGNED:
        after = signed(tree, after)
    return Case(kind, after, chance.choice(target.commands))


def _asked(it: Case, given: Path, written: Path, **env: str) -> Result:
    """The command's answer, with nothing of this machine's settings but `env`."""
    runner = CliRunner(env={"GITHUB_STEP_SUMMARY": None, "KERNELMAP_STORE": None, **env})
    return runner.invoke(main, arguments(it.command, str(given), str(written)))


def _differing(one: Result, other: Result) -> str | None:
    if (one.exit_code, one.output) == (other.exit_code, other.output):
        return None
    return f"the two readers differ: {one.output[:500]!r} and {other.output[:500]!r}"


def tried(it: Case) -> Outcome:
    """Write the input, ask, and look at the laws."""
    with tempfile.TemporaryDirectory(prefix="kernelmap-fuzz") as folder:
        given, written = Path(folder) / "in", Path(folder) / "out"
        written.mkdir()
        for name, data in it.tree.items():
            path = given / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        before = _held("VmRSS")
        _forget_peak()
        begin = time.process_time()
        wrong: str | None = None
        answer: Result | None = None
        try:
            with _limited(), warnings.catch_warnings():
                warnings.simplefilter("error")
                answer = _asked(it, given, written)
                if TARGETS[it.kind].two_readers and runs_native():
                    wrong = _differing(answer, _asked(it, given, written, KERNELMAP_NO_NATIVE="1"))
        except TooSlowError:
            wrong = f"took more than {SECONDS} s"
        seconds = time.process_time() - begin
        megabytes = max(0.0, _held("VmHWM") - before)
        if wrong is None and answer is not None:
            wrong = _broken(it, answer, given)
        if wrong is None and megabytes > MEGABYTES:
            wrong = f"took {megabytes:.0f} MB"
        shutil.rmtree(given, ignore_errors=True)
        return Outcome(answer.exit_code if answer else -1, seconds, megabytes, wrong)


def _broken(it: Case, answer: Result, given: Path) -> str | None:
    """The law that an answer breaks."""
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        return "".join(traceback.format_exception(answer.exception))
    unforeseen = "could not cope with the input" in answer.stderr
    if (
        unforeseen
        or answer.exit_code not in EXIT_CODES
        or "Traceback (most recent" in answer.stderr
    ):
        return f"exit code {answer.exit_code}: {answer.output[-2000:]}"
    if changed := _changed(it.tree, given):
        return f"the input is not what it was: {changed}"
    as_json = "--format json" in it.command
    moving = {char for char in answer.output if not char.isprintable()} - set("\n\t\r")
    if moving and not as_json:
        return f"prints {sorted(moving)}"
    if it.command.startswith("correlate") and as_json and answer.exit_code == 0:
        return unbalanced(answer.stdout)
    return None


def unbalanced(text: str) -> str | None:
    """What does not add up in a result; None where all does."""
    result: Mapping[str, Any] = json.loads(text)
    if result.get("format") == "kernelmap.memory":
        return _unbalanced_memory(result)
    if "ledger" not in result or "summary" not in result:
        return None
    side = result["summary"].get("side")
    rows = {
        name: [row for row in result[name] if row.get("side", side) == side]
        for name in ("ledger", *_TABLES)
        if name in result
    }
    for name, listed in rows.items():
        held = sum(row["time_ns"] for row in listed)
        if held != result["summary"]["total_ns"]:
            return f"{name} holds {held}, the window {result['summary']['total_ns']}"
        for row in listed:
            if row["time_ns"] < 0 or not 0 <= (row.get("share") or 0) <= 1 + 1e-9:
                return f"{name} has a time or a share that cannot be: {row}"
    return None


_KINDS = ("kept_bytes", "code_bytes", "beside_bytes", "eager_bytes", "unread_bytes")


def _unbalanced_memory(result: Mapping[str, Any]) -> str | None:
    """The same of measured memory: every byte of a peak is in one row."""
    for row in result["measured"]:
        if sum(row[kind] for kind in _KINDS) != row["peak_bytes"]:
            return f"the kinds of bytes do not add up to the peak: {row}"
    for what, rows in (("measured", "held"), ("snapshots", "snapshot_lines")):
        peaks = sum(row["peak_bytes"] for row in result[what])
        if sum(row["bytes"] for row in result[rows]) != peaks:
            return f"{rows} do not add up to the peaks of {what}"
    return None


def _changed(tree: Tree, given: Path) -> list[str]:
    """Files of the input that are new, away or otherwise."""
    there = {
        path.relative_to(given).as_posix(): path.read_bytes()
        for path in given.rglob("*")
        if path.is_file()
    }
    return sorted(
        name
        for name in there.keys() | tree.keys()
        if there.get(name) != tree.get(name) and not name.startswith(_INDEX)
    )


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TooSlowError once the processor has worked for too long."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _forget_peak() -> None:
    """Let the kernel count the largest memory anew, where it can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _held(what: str) -> float:
    """Memory of this process in MB: VmRSS now, VmHWM at most."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    line = next(line for line in status.splitlines() if line.startswith(what))
    return int(line.split()[1]) / 1000
