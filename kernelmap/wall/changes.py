"""What changes when, as columns: causes laid over one another, and intervals cut where they change.

Times are int64 ns; an interval has its start and not its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import distinct
from kernelmap.model.intervals import Spans
from kernelmap.model.trace import NONE, Int
from kernelmap.wall.records import Cause


class Cut(Struct, frozen=True):
    """Pieces of intervals, all (n,): `of` is the position of the interval that each comes from."""

    of: Int
    start_ns: Int
    end_ns: Int
    cause: Int
    event: Int

    def take(self, rows: Int) -> Cut:
        """The chosen pieces."""
        columns = (self.of, self.start_ns, self.end_ns, self.cause, self.event)
        return Cut(*(column[rows] for column in columns))


def joined(cuts: Sequence[Cut]) -> Cut:
    """All pieces, one after another."""
    return Cut(
        np.concatenate([cut.of for cut in cuts]),
        np.concatenate([cut.start_ns for cut in cuts]),
        np.concatenate([cut.end_ns for cut in cuts]),
        np.concatenate([cut.cause for cut in cuts]),
        np.concatenate([cut.event for cut in cuts]),
    )


class Changes(Struct, frozen=True):
    """What changes at `times`, ascending: the cause and the event from then on; all (n,)."""

    times: Int
    cause: Int
    event: Int

    def at(self, times: Int) -> tuple[Int, Int]:
        """The cause and the event at each of `times`, ascending; both (times,)."""
        lasts = np.diff(np.searchsorted(times, self.times), prepend=0, append=len(times))
        place = np.repeat(np.arange(len(self.times) + 1), lasts) - 1
        return np.append(self.cause, Cause.NOTHING)[place], np.append(self.event, NONE)[place]

    def cut(self, start_ns: Int, end_ns: Int) -> Cut:
        """Intervals cut where something changes; empty ones have no pieces."""
        real = np.flatnonzero(end_ns > start_ns)
        first = np.searchsorted(self.times, start_ns[real], side="right") - 1
        last = np.searchsorted(self.times, end_ns[real], side="left") - 1
        pieces = last - first + 1
        of = np.repeat(np.arange(len(real)), pieces)
        at = np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + first[of]
        owner = real[of]
        bounds = np.append(self.times, np.iinfo(np.int64).max)
        begin = np.where(at >= 0, bounds[at], np.iinfo(np.int64).min)
        return Cut(
            owner,
            np.maximum(begin, start_ns[owner]),
            np.minimum(bounds[at + 1], end_ns[owner]),
            np.where(at >= 0, np.append(self.cause, 0)[at], Cause.NOTHING),
            np.where(at >= 0, np.append(self.event, NONE)[at], NONE),
        )


Layer = tuple[Cause, Spans]
"""A cause, and the events that show it."""


def layered(layers: Sequence[Layer]) -> Changes:
    """Layers laid over one another in their order: the last one with an event at a time counts."""
    layers = [(kind, spans) for kind, spans in layers if len(spans.start_ns)]
    starts = [spans.start_ns for _, spans in layers]
    times, at = ranked([*starts, *(spans.end_ns for _, spans in layers)])
    cause = np.full(len(times), Cause.NOTHING, dtype=np.int64)
    event = np.full(len(times), NONE, dtype=np.int64)
    for (kind, spans), first, last in zip(layers, at, at[len(layers) :], strict=False):
        lasts = last - first
        before = np.cumsum(lasts) - lasts
        inside = np.repeat(first - before, lasts) + np.arange(int(lasts.sum()))
        cause[inside] = kind
        event[inside] = NONE if kind is Cause.NOTHING else np.repeat(spans.row, lasts)
    return _changes(times, cause, event)


def ranked(columns: Sequence[Int]) -> tuple[Int, list[Int]]:
    """The distinct times of ascending columns, and for each column the places of its times."""
    joined = np.concatenate([*columns, np.zeros(0, dtype=np.int64)])
    order = np.argsort(joined, kind="stable")  # it merges columns that are sorted
    ordered = joined[order]
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    place = np.empty(len(joined), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    ends = [0, *np.cumsum([len(column) for column in columns]).tolist()]
    return ordered[new], [place[int(at) : int(end)] for at, end in pairwise(ends)]


def strongest(several: Sequence[Changes], order: Sequence[Cause]) -> Changes:
    """At each time, the cause of `several` that comes last in `order`; of equal causes the last.

    NOTHING comes before all; `order` has all others. Times at which nothing changes are kept.
    """
    rank = np.full(len(Cause), NONE, dtype=np.int64)
    rank[list(order)] = np.arange(len(order))
    times = distinct(np.concatenate([changes.times for changes in several]))
    cause, event = several[0].at(times)
    for changes in several[1:]:
        of, what = changes.at(times)
        wins = rank[of] >= rank[cause]
        np.copyto(cause, of, where=wins)
        np.copyto(event, what, where=wins)
    return Changes(times, cause, event)


def over(changes: Changes, top: Changes) -> Changes:
    """`top` where it has a cause, `changes` elsewhere; it has all times of both."""
    cause, event = top.at(changes.times)
    silent = np.equal(cause, Cause.NOTHING)
    np.copyto(cause, changes.cause, where=silent)
    np.copyto(event, changes.event, where=silent)
    return _changes(changes.times, cause, event)


def _changes(times: Int, cause: Int, event: Int) -> Changes:
    """Without the times at which nothing changes."""
    changed = np.ones(len(times), dtype=bool)
    changed[1:] = (cause[1:] != cause[:-1]) | (event[1:] != event[:-1])
    return Changes(times[changed], cause[changed], event[changed])
