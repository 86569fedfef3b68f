"""Begins and ends of slices → which end belongs to which begin.

Perfetto's rule: in order of time, an end closes what was begun last on its track and is still open.
torch writes a block of begins and then their ends, row by row in the same order; there the rows are
the truth, because slices of two clocks (operators, runtime calls) may overlap by some nanoseconds,
and the rule would exchange their ends.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.traces.columns import absent


class Edges(Struct, frozen=True):
    """Begins or ends in the order of the file: tracks by number, and times."""

    track: Int
    time: Int

    def __len__(self) -> int:
        return len(self.track)


def durations(begins: Edges, ends: Edges, before: Int, *, in_blocks: bool) -> Int:
    """How long what was begun took, -1 where it has no end; arguments are those of pair_slices."""
    pairs = pair_slices(begins, ends, before, in_blocks=in_blocks)
    if not len(ends):
        return pairs
    dur_ns = ends.time[pairs] - begins.time
    dur_ns[pairs < 0] = NONE
    return dur_ns


def pair_slices(begins: Edges, ends: Edges, before: Int, *, in_blocks: bool) -> Int:
    """By begin its end, -1 where it has none; (begins,).

    `before` are the begins that stand before each end, (ends,). `in_blocks` says that whoever wrote
    the file writes blocks; it is checked.
    """
    if in_blocks and _are_blocks(begins, ends, before):
        # The ends stand in the order of the begins over the whole file.
        found = absent(len(begins))
        found[: len(ends)] = np.arange(len(ends))
        return found
    return _pair_by_time(begins, ends, before)


def _are_blocks(begins: Edges, ends: Edges, before: Int) -> bool:
    """Whether the rows are written as blocks are. Only the last one may be cut off."""
    count = len(ends)
    if not count or not before[0] or count > len(begins):
        return False
    # A block is as many begins as ends: where more is begun, all that was begun before is ended.
    last = np.flatnonzero(np.append(before[1:] != before[:-1], before[-1] < len(begins)))
    if (before[last] != last + 1).any():
        return False
    if (begins.track[:count] != ends.track).any() or (begins.time[:count] > ends.time).any():
        return False
    # Whoever writes what happens as it happens never goes back in time: two slices, one in the
    # other, would look like a block there.
    return not (
        _ascends(begins.time)
        and _ascends(ends.time)
        and _ascends(_in_order(begins.time, ends.time, before))
    )


def _ascends(time: Int) -> bool:
    return bool((time[1:] >= time[:-1]).all())


def _are_begins(begins: int, before: Int) -> Bool:
    """Which of all rows, in the order of the file, are begins; (begins + ends,)."""
    is_begin = np.ones(begins + len(before), dtype=np.bool_)
    is_begin[before + np.arange(len(before))] = False
    return is_begin


def _in_order(of_begins: Int, of_ends: Int, before: Int) -> Int:
    """A column of begins and ends in the order of the file."""
    is_begin = _are_begins(len(of_begins), before)
    column = np.empty(len(is_begin), dtype=np.int64)
    column[is_begin], column[~is_begin] = of_begins, of_ends
    return column


def _pair_by_time(begins: Edges, ends: Edges, before: Int) -> Int:
    """By begin the end that closes it, with a stack per track; (begins,)."""
    is_begin = _are_begins(len(begins), before)
    track = _in_order(begins.track, ends.track, before)
    order = np.lexsort((_in_order(begins.time, ends.time, before), track))
    step = np.where(is_begin[order], 1, -1)
    begins_track = _are_first(track[order])
    # Ends that close nothing are left out: before each, everything on its track was closed.
    open_ = _within_tracks(step, begins_track)
    lowest = _lowest_before(open_, begins_track)
    kept = (step > 0) | (open_ >= lowest)
    order, step, begins_track = order[kept], step[kept], _are_first(track[order[kept]])
    # A slice and its end stand next to each other among the rows of their depth and track.
    open_ = _within_tracks(step, begins_track)
    depth = np.where(step > 0, open_, open_ + 1)
    by_depth = np.lexsort((depth, np.cumsum(begins_track)))
    rows, is_opened = order[by_depth], step[by_depth] > 0
    pairs = np.flatnonzero(is_opened[:-1] & ~is_opened[1:])
    # Rows of begins and of ends are numbered apart.
    number = np.where(is_begin, np.cumsum(is_begin), np.cumsum(~is_begin)) - 1
    found = absent(len(begins))
    found[number[rows[pairs]]] = number[rows[pairs + 1]]
    return found


def _within_tracks(step: Int, begins_track: Bool) -> Int:
    """How many slices are open after each row, counted from the first row of its track."""
    total = np.cumsum(step)
    if not len(step):
        return total
    first = np.flatnonzero(begins_track)
    before = total[first] - step[first]
    counted: Int = total - before[np.cumsum(begins_track) - 1]
    return counted


def _lowest_before(open_: Int, begins_track: Bool) -> Int:
    """The lowest count before each row of its track, at most 0."""
    if not len(open_):
        return open_
    # Tracks are shifted far below one another, so that one running minimum serves all of them.
    far = np.int64(len(open_) + 1) * 2
    shift = np.cumsum(begins_track) * far
    before = np.append(0, open_[:-1])
    before[begins_track] = 0
    lowest: Int = np.minimum.accumulate(np.minimum(before, 0) - shift) + shift
    return lowest


def _are_first(track: Int) -> Bool:
    """Which rows are the first of their track, where the rows of a track stand together."""
    first = np.ones(len(track), dtype=np.bool_)
    first[1:] = track[1:] != track[:-1]
    return first
