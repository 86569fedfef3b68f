"""Begins and ends of slices → which end belongs to which begin.

Perfetto's rule: in order of time, an end closes what was begun last on its track and is still open.
torch writes a block of begins and then their ends, row by row in the same order; there the rows are
the truth, because slices of two clocks (operators, runtime calls) may overlap by some nanoseconds,
and the rule would exchange their ends.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import NONE, Bool, Int


def pair_slices(is_begin: Bool, track: Int, time: Int, *, in_blocks: bool) -> Int:
    """By begin, in order, the row of its end, -1 where it has none; (begins,).

    `in_blocks` says that whoever wrote the file writes blocks; it is checked.
    """
    if in_blocks and (ends := _pair_blocks(is_begin, track, time)) is not None:
        return ends
    return _pair_by_time(is_begin, track, time)


def _pair_blocks(is_begin: Bool, track: Int, time: Int) -> Int | None:
    """The pairs of blocks; None where the rows are not written so. Only the last may be cut off."""
    begins, ends = np.flatnonzero(is_begin), np.flatnonzero(~is_begin)
    if not len(begins) or not is_begin[0] or len(ends) > len(begins):
        return None
    # Whoever writes what happens as it happens never goes back in time: two slices, one in the
    # other, would look like a block there.
    if (time[1:] >= time[:-1]).all():
        return None
    # Runs of begins and of ends take turns; a block is a run of each, of one length.
    turns = np.flatnonzero(np.append(True, is_begin[1:] != is_begin[:-1]))
    lengths = np.diff(np.append(turns, len(is_begin)))
    of_begins, of_ends = lengths[0::2], lengths[1::2]
    whole = len(of_begins) - 1
    if (of_begins[:whole] != of_ends[:whole]).any():
        return None
    # So the ends stand in the order of the begins over the whole file.
    first = begins[: len(ends)]
    if (track[first] != track[ends]).any() or (time[first] > time[ends]).any():
        return None
    found = np.full(len(begins), NONE, dtype=np.int64)
    found[: len(ends)] = ends
    return found


def _pair_by_time(is_begin: Bool, track: Int, time: Int) -> Int:
    """By begin the end that closes it, with a stack per track; (begins,)."""
    order = np.lexsort((time, track))
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
    of_row = np.full(len(is_begin), NONE, dtype=np.int64)
    of_row[rows[pairs]] = rows[pairs + 1]
    return of_row[is_begin]


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
