"""Results by hand to keep in a store, and processes that keep them."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path

from msgspec.structs import replace

from children import PROCESSES, start_server
from kernelmap.history.store.store import Store
from kernelmap.pages.result import Result
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Cell
from pages.hand_tables import TOTAL_NS, make_tables, table

_PRELOADED = ("store.made", "kernelmap.history.store.recording", "s3fs")


@dataclass(frozen=True, kw_only=True, repr=False)
class Made(Result):
    """A result without a correlation behind it."""

    content: Tables = field(default_factory=make_tables)
    inputs: tuple[Path, ...] = ()

    @property
    def tables(self) -> Tables:
        return self.content

    @property
    def files(self) -> tuple[Path, ...]:
        return self.inputs


def with_op(name: str, time_ns: int) -> Made:
    """A result with one op, and a row for the rest of the time."""
    tables = make_tables()
    rest: dict[str, Cell] = {"name": "(no op)", "origin": "none", "time_ns": TOTAL_NS - time_ns}
    ops = table("ops", [{"name": name, "origin": "compiled", "time_ns": time_ns}, rest])
    return Made(content=replace(tables, frames={**tables.frames, "ops": ops}))


def taking(time_ns: int) -> Made:
    """A result of so much time in all, whatever its tables say."""
    tables = make_tables()
    return Made(content=replace(tables, summary=replace(tables.summary, total_ns=time_ns)))


@dataclass(frozen=True, slots=True)
class Killed:
    """What recorders said before they were killed: the ids of runs that they had finished."""

    finished: frozenset[str]


def kill_recorders(
    url: str, times: int, *, seed: int, longest: float, environment: Mapping[str, str] | None = None
) -> Killed:
    """Start a recorder `times` times, and kill each at a random moment within `longest` seconds."""
    start_server(*_PRELOADED)
    chance = random.Random(seed)  # noqa: S311 -- moments, no secrets
    finished: set[str] = set()
    for _ in range(times):
        ours, theirs = PROCESSES.Pipe(duplex=False)
        recorder = PROCESSES.Process(target=_record, args=(theirs, url, dict(environment or {})))
        recorder.start()
        theirs.close()
        finished.add(ours.recv())  # from now on it takes no time to begin
        time.sleep(chance.uniform(0, longest))
        assert recorder.pid is not None
        os.kill(recorder.pid, signal.SIGKILL)
        recorder.join()
        finished |= _said(ours)
    return Killed(frozenset(finished))


def record_at_once(
    url: str, recorders: int, *, environment: Mapping[str, str] | None = None
) -> set[str]:
    """The ids of the runs that so many processes record at the same time, one each."""
    return _at_once([(_record, (url, dict(environment or {}), 1)) for _ in range(recorders)])


def tag_at_once(
    url: str, run: str, taggers: int, *, environment: Mapping[str, str] | None = None
) -> None:
    """Let so many processes change the tags of one run at the same moment; see `_tag`."""
    together = PROCESSES.Barrier(taggers)
    given = [(_tag, (url, dict(environment or {}), run, n, together)) for n in range(taggers)]
    assert len(_at_once(given)) == taggers


def _at_once(given: Sequence[tuple[Callable[..., None], tuple[object, ...]]]) -> set[str]:
    """All that processes say that run at the same time; each gets its end of a pipe first."""
    start_server(*_PRELOADED)
    pipes, processes = [], []
    for function, arguments in given:
        ours, theirs = PROCESSES.Pipe(duplex=False)
        process = PROCESSES.Process(target=function, args=(theirs, *arguments))
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    said = {text for pipe in pipes for text in _said(pipe)}
    for process in processes:
        process.join()
    return said


def _record(
    to_parent: Connection, url: str, environment: Mapping[str, str], times: int | None = None
) -> None:
    """Record again and again, and say the id of each run that is finished."""
    os.environ.update(environment)
    store, result = Store(url), Made()
    while times is None or times > 0:
        to_parent.send(store.record(result).id)
        times = None if times is None else times - 1


def _tag(
    to_parent: Connection,
    url: str,
    environment: Mapping[str, str],
    run: str,
    number: int,
    together: Barrier,
) -> None:
    """Set two tags, one of which all set, and take one away."""
    os.environ.update(environment)
    store = Store(url)
    together.wait()
    store.tag(run, {f"new{number}": str(number), "all": str(number), f"old{number}": None})
    to_parent.send(str(number))


def _said(pipe: Connection) -> set[str]:
    """All that was said until the end."""
    said: set[str] = set()
    with pipe:
        while True:
            try:
                said.add(pipe.recv())
            except (EOFError, OSError):
                return said
