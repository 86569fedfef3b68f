"""What writers leave that are killed, whose disk is full, or that write at the same time.

Every attempt has a folder of its own, in which an older result may lie. What is there afterwards is
compared with what an attempt writes that nobody disturbs. scripts/break_writers.py does that
hundreds of times.
"""

from __future__ import annotations

import random
import shutil
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from broken_writers import OUTPUTS, Attempt, End, prepare
from kernelmap.capture.contents import digest
from kernelmap.history.store.store import Store
from kernelmap.model.bundle import State, is_bundle, read_manifest


@dataclass(slots=True)
class Reference:
    """What a kind writes when nobody disturbs it, and how long it takes from its first file on."""

    files: dict[str, bytes]
    seconds: float

    @property
    def largest(self) -> int:
        """Bytes of its largest file."""
        return max(map(len, self.files.values()))


@dataclass(slots=True)
class Tried:
    """Counts of what was there after the attempts; `findings` is what should never be."""

    old: int = 0
    new: int = 0
    none: int = 0
    aside: int = 0
    left: int = 0
    findings: list[str] = field(default_factory=list)


def reference(kind: str, folder: Path) -> Reference:
    """Run a kind in peace."""
    prepare(folder, kind, old=False)
    attempt = Attempt(kind, folder)
    begun = attempt.wait_until_it_writes()
    end = attempt.end()
    seconds = time.monotonic() - begun
    assert end.code == 0, end.err
    return Reference(held(folder / OUTPUTS[kind]), seconds)


def held(place: Path) -> dict[str, bytes]:
    """The files of a result by their path in it; a single file by the empty path."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def judge(
    kind: str, folder: Path, whole: Sequence[Reference], end: End, tried: Tried, *, killed: bool
) -> None:
    """Count what an attempt left in its folder, and what should never be there."""
    place = folder / OUTPUTS[kind]
    if "Traceback" in end.err:
        tried.findings.append(f"{kind}: {end.err}")
    if (folder / "thesis").read_text() != "years of work":
        tried.findings.append(f"{kind}: somebody's file was changed")
    hidden = [path.name for path in folder.rglob(".*")]
    if kind == "record":
        _judge_store(place, end, tried, killed=killed)
    elif not place.exists() and any(name.endswith(".old") for name in hidden) and killed:
        tried.aside += 1
    else:
        before = folder.with_name(f"{folder.name}-old") / OUTPUTS[kind]
        _judge_files(kind, place, before, whole, end, tried)
    tried.left += bool(hidden)
    if hidden and not killed:
        tried.findings.append(f"{kind}: left {hidden}")


def _judge_files(
    kind: str, place: Path, before: Path, whole: Sequence[Reference], end: End, tried: Tried
) -> None:
    contents, old = held(place), held(before)
    if not contents and not old:
        tried.none += 1
    elif contents == old:
        tried.old += 1
    elif _is_new(kind, place, contents, whole):
        tried.new += 1
        return
    else:
        tried.findings.append(f"{kind}: {sorted(contents)} is neither old nor new; {end}")
    if end.code == 0:
        tried.findings.append(f"{kind}: a success without a result")


def _is_new(kind: str, place: Path, contents: dict[str, bytes], whole: Sequence[Reference]) -> bool:
    if kind != "capture":
        kept = {name: content for name, content in contents.items() if name != "mine"}
        return any(kept == complete.files for complete in whole)
    if not is_bundle(place):
        return False
    manifest = read_manifest(place)
    files = {file.path: file.sha256 for file in manifest.files}
    return manifest.state is State.RECORDING or all(
        digest(place / path) == sha256 for path, sha256 in files.items()
    )


def _judge_store(place: Path, end: End, tried: Tried, *, killed: bool) -> None:
    if not place.exists():
        tried.none += 1
        return
    store = Store(place)
    runs, notices = store.check() if store.place.exists() else (0, ())
    tried.new += bool(runs)
    tried.none += not runs
    if notices or (end.code == 0) > runs:
        tried.findings.append(f"record: {runs} runs, {notices}, {end}")
    if not killed and list(store.place.leftovers()):
        tried.findings.append("record: left a part of a run")


def kill(kind: str, folder: Path, times: int, whole: Reference, chance: random.Random) -> Tried:
    """Kill a command so many times while it writes: SIGKILL and SIGTERM by turns."""
    tried = Tried()
    for number in range(times):
        sure = number % 2 == 0
        # Nothing gives several files of a folder that is there their names at once.
        old = number % 4 > 1 and kind != "tables"
        place = _prepared(folder, kind, number, old=old)
        attempt = Attempt(kind, place)
        attempt.wait_until_it_writes()
        time.sleep(chance.uniform(0, 1.2 * whole.seconds))
        attempt.stop(signal.SIGKILL if sure else signal.SIGTERM)
        judge(kind, place, [whole], attempt.end(), tried, killed=sure)
        _clear(place)
    return tried


def fill(kind: str, folder: Path, times: int, whole: Reference, chance: random.Random) -> Tried:
    """Let every file end at a random number of bytes, so many times."""
    tried = Tried()
    for number in range(times):
        place = _prepared(folder, kind, number, old=number % 2 == 0)
        limit = int(whole.largest ** chance.random())  # small files meet small limits
        attempt = Attempt(kind, place, limit=limit)
        judge(kind, place, [whole], attempt.end(), tried, killed=False)
        _clear(place)
    return tried


def meet(kind: str, folder: Path, times: int, whole: Reference) -> Tried:
    """Let two processes of one id write to one place at the same time, so many times."""
    tried = Tried()
    for number in range(times):
        place = _prepared(folder, kind, number, old=number % 2 == 0)
        attempts = [Attempt(kind, place, pid=7) for _ in range(2)]
        ends = [attempt.end() for attempt in attempts]
        for end in ends:
            judge(kind, place, [whole], end, tried, killed=False)
        codes = sorted(end.code if end.code is not None else -1 for end in ends)
        if codes[0] != 0 or (codes[1] != 0 and kind != "capture"):
            tried.findings.append(f"{kind}: two writers ended with {codes}: {ends}")
        if kind == "record" and Store(place / "store").check() != (2, ()):
            tried.findings.append("record: two recorders did not make two runs")
        _clear(place)
    return tried


def _prepared(folder: Path, kind: str, number: int, *, old: bool) -> Path:
    """The folder of an attempt, and beside it what lies there before."""
    place = folder / f"{kind}{number}"
    prepare(place, kind, old=old)
    shutil.copytree(place, place.with_name(f"{place.name}-old"))
    return place


def _clear(place: Path) -> None:
    for folder in (place, place.with_name(f"{place.name}-old")):
        shutil.rmtree(folder, ignore_errors=True)
