"""Layers causes over one another in time, and cuts intervals where the cause changes.

Times are int64 ns; an interval has its start and not its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import distinct_values, positions_between
from kernelmap.model.intervals import Spans
from kernelmap.model.trace import NONE, Int
from kernelmap.model.wall_time import IdleCause


class Cut(Struct, frozen=True):
    """Pieces of intervals, all (n,): `of` is the position of the interval that each comes from."""

    of: Int
    start_ns: Int
    end_ns: Int
    cause: Int
    event: Int

    def take_pieces(self, rows: Int) -> Cut:
        """The chosen pieces."""
        columns = (self.of, self.start_ns, self.end_ns, self.cause, self.event)
        return Cut(*(column[rows] for column in columns))


def join_cuts(cuts: Sequence[Cut]) -> Cut:
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

    def cause_at(self, times: Int) -> tuple[Int, Int]:
        """The cause and the event at each of `times`, ascending; both (times,)."""
        # Of the asked times, how many lie before the first change and from each change to the next;
        # (changes + 1,).
        lasts = np.diff(np.searchsorted(times, self.times), prepend=0, append=len(times))
        # The change in force at each asked time, -1 before the first one.
        place = np.repeat(np.arange(len(self.times) + 1), lasts) - 1
        # The appended value is read at place -1: before the first change there is no cause.
        return np.append(self.cause, IdleCause.NOTHING)[place], np.append(self.event, NONE)[place]

    def cut_intervals(self, start_ns: Int, end_ns: Int) -> Cut:
        """Intervals cut where something changes; empty ones have no pieces."""
        real = np.flatnonzero(end_ns > start_ns)
        # The changes in force at the beginning of each interval and just before its end, -1 before
        # the first change. An interval has one piece for each change from `first` to `last`.
        first = np.searchsorted(self.times, start_ns[real], side="right") - 1
        last = np.searchsorted(self.times, end_ns[real], side="left") - 1
        pieces = last - first + 1
        # The interval of each piece, and the change in force in it; both (pieces,).
        of = np.repeat(np.arange(len(real)), pieces)
        at = positions_between(first, last + 1)
        # A piece lasts from its change to the next one. Before the first change and behind the last
        # one only the interval itself bounds it.
        owner = real[of]
        bounds = np.append(self.times, np.iinfo(np.int64).max)
        begin = np.where(at >= 0, bounds[at], np.iinfo(np.int64).min)
        return Cut(
            owner,
            np.maximum(begin, start_ns[owner]),
            np.minimum(bounds[at + 1], end_ns[owner]),
            np.where(at >= 0, np.append(self.cause, 0)[at], IdleCause.NOTHING),
            np.where(at >= 0, np.append(self.event, NONE)[at], NONE),
        )


Layer = tuple[IdleCause, Spans]
"""A cause, and the events that show it."""


def lay_over(layers: Sequence[Layer]) -> Changes:
    """Layers laid over one another in their order: the last one with an event at a time counts."""
    layers = [(kind, spans) for kind, spans in layers if len(spans.start_ns)]
    # All bounds of all events as one ascending list of times, and for each layer the places of its
    # starts and of its ends in that list. `at` has the starts of all layers, then their ends.
    starts = [spans.start_ns for _, spans in layers]
    times, at = rank_times([*starts, *(spans.end_ns for _, spans in layers)])
    cause = np.full(len(times), IdleCause.NOTHING, dtype=np.int64)
    event = np.full(len(times), NONE, dtype=np.int64)
    for (kind, spans), first, last in zip(layers, at, at[len(layers) :], strict=False):
        # An event covers the times from its start up to its end, `lasts` of them. `inside` are the
        # places of all times that the layer covers: its events do not overlap, so each occurs once.
        lasts = last - first
        inside = positions_between(first, last)
        # A later layer writes over an earlier one. NOTHING wipes out what lies below it.
        cause[inside] = kind
        event[inside] = NONE if kind is IdleCause.NOTHING else np.repeat(spans.row, lasts)
    return _drop_unchanged(times, cause, event)


def rank_times(columns: Sequence[Int]) -> tuple[Int, list[Int]]:
    """The distinct times of ascending columns, and for each column the places of its times."""
    joined = np.concatenate([*columns, np.zeros(0, dtype=np.int64)])
    order = np.argsort(joined, kind="stable")  # it merges columns that are sorted
    ordered = joined[order]
    # A time that several columns share has one place. The first time is always a new one.
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    # Back in the order of the columns, so that each column can be cut out again.
    place = np.empty(len(joined), dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    ends = [0, *np.cumsum([len(column) for column in columns]).tolist()]
    return ordered[new], [place[int(at) : int(end)] for at, end in pairwise(ends)]


def take_strongest(several: Sequence[Changes], order: Sequence[IdleCause]) -> Changes:
    """At each time, the cause of `several` that comes last in `order`; of equal causes the last.

    NOTHING comes before all; `order` has all others. Times at which nothing changes are kept.
    """
    # The strength of each cause, -1 for NOTHING.
    rank = np.full(len(IdleCause), NONE, dtype=np.int64)
    rank[list(order)] = np.arange(len(order))
    times = distinct_values(np.concatenate([changes.times for changes in several]))
    cause, event = several[0].cause_at(times)
    # At every time the stronger of what was found so far and of the next thread.
    for changes in several[1:]:
        of, what = changes.cause_at(times)
        wins = rank[of] >= rank[cause]
        np.copyto(cause, of, where=wins)
        np.copyto(event, what, where=wins)
    return Changes(times, cause, event)


def put_over(changes: Changes, top: Changes) -> Changes:
    """`top` where it has a cause, `changes` elsewhere; it has all times of both."""
    cause, event = top.cause_at(changes.times)
    silent = np.equal(cause, IdleCause.NOTHING)
    np.copyto(cause, changes.cause, where=silent)
    np.copyto(event, changes.event, where=silent)
    return _drop_unchanged(changes.times, cause, event)


def _drop_unchanged(times: Int, cause: Int, event: Int) -> Changes:
    """Without the times at which nothing changes."""
    # The first time stays in any case: it says what holds from there on.
    changed = np.ones(len(times), dtype=bool)
    changed[1:] = (cause[1:] != cause[:-1]) | (event[1:] != event[:-1])
    return Changes(times[changed], cause[changed], event[changed])
