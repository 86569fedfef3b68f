"""A stretch of host time that one graph ran in: the ranges in it that may stand for its calls."""

from __future__ import annotations

from dataclasses import dataclass

from kernelmap.model import NONE


@dataclass(frozen=True, slots=True)
class Part:
    """What the recording has of an invocation that it cut off.

    `graph` is a position in the program; `calls` are, per range, the indices within it that the
    range may stand for, none for a benchmark. `is_end` where the beginning is missing.
    """

    graph: int
    calls: tuple[tuple[int, ...], ...]
    is_end: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Call-like ranges of one stretch, in host order.

    `mark` is the graph range, -1 without one; `container` the range around all of them, -1 on the
    bare thread. `sure` is False where the stretch was cut out by what it looks like. `replays` says
    that a CUDA graph ran here in place of the statements: what is missing was not lost; `captures`
    that one was captured here, and then nothing is benchmarked. `part` is
    what is known of a stretch of which the recording cut off the rest.
    """

    mark: int
    key: str | None
    process: int
    thread: int
    start_ns: int
    rows: tuple[int, ...]
    symbols: tuple[str, ...]
    container: int = NONE
    sure: bool = True
    replays: bool = False
    captures: bool = False
    part: Part | None = None
