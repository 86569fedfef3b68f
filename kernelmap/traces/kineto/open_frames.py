"""Python frames → the user's functions that were open at given times.

What a frame states (`m.py(12): forward`) is the line at which the function was entered, and never
the statement that launched. A frame that was open when recording began states the line where it
stood then, which says nothing of what it did later. No frame is marked as such;
`may_have_been_open` has the rule.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import distinct_values, group_starts
from kernelmap.model.trace import NONE, Bool, Functions, Int, RangeKind, Ranges
from kernelmap.traces.columns import LATEST_NS, ColumnParts
from kernelmap.traces.kineto.frame_names import (
    are_users,
    frame_of,
    is_library,
    is_recording,
    tells_places,
)

Thread = tuple[str, int]
"""The process, as the file names it, and the thread."""


class OpenFrames(Struct, frozen=True):
    """The user's frames at some times, as ranges, with their rows; and whether libraries' were.

    Where the reader kept only modules of libraries, their functions, which count as a script's
    then, are missing.
    """

    frames: Ranges
    row: Int
    of_library: bool


def open_at(
    kept: Functions, times: Mapping[Thread, Int], numbers: Mapping[Thread, int]
) -> OpenFrames:
    """The user's functions of `kept` that were open at one of the times."""
    parts = ColumnParts()
    process = {pid: number for number, pid in enumerate(kept.pids)}
    for (pid, tid), number in numbers.items():
        # Frames name processes by their own list of pids, which may lack
        # this one: then nothing is open.
        of_thread = (kept.process == process.get(pid, NONE)) & (kept.thread == tid)
        start, dur = kept.start_ns[of_thread], kept.dur_ns[of_thread]
        # `start` and `dur` are those of this thread's frames; `opened`
        # marks the frames around some time.
        opened = _are_open(times[pid, tid], start, start + dur)
        parts.add(
            name_id=kept.name_id[of_thread][opened],
            row=np.flatnonzero(of_thread)[opened],
            start_ns=start[opened],
            dur_ns=dur[opened],
            thread=np.full(int(opened.sum()), number, dtype=np.int64),
        )
    name = parts.take("name_id")
    # Only names of frames that were open are looked at: a file has very many others.
    used = distinct_values(name)
    names = [kept.names[number] for number in used.tolist()]
    # The profiler's own frames are of a library as well, but are always
    # kept, so they do not count here.
    of_library = any(
        is_library(frame.file) and not is_recording(frame.file)
        for frame in map(frame_of, names)
        if frame is not None
    )
    # By name id whether it is the user's; the frames of libraries are dropped.
    users = np.zeros(len(kept.names) + 1, dtype=bool)
    users[used] = are_users(names)
    chosen = users[name]
    rows = parts.take("row")[chosen]
    return OpenFrames(_ranges(parts, name, chosen, kept.names), rows, of_library)


def _are_open(times: Int, start: Int, end: Int) -> Bool:
    """Whether one of the times, in order, lies in each span; (spans,)."""
    # More times up to the end than before the start: at least one lies in between.
    opened: Bool = np.searchsorted(times, end, "right") > np.searchsorted(times, start, "left")
    return opened


def _ranges(parts: ColumnParts, name: Int, chosen: Bool, names: tuple[str, ...]) -> Ranges:
    """The chosen rows of columns of frames, as ranges of one process."""
    none = np.full(int(chosen.sum()), NONE, dtype=np.int64)
    zero = np.zeros(len(none), dtype=np.int64)
    return Ranges(
        name_id=name[chosen],
        kind=np.full(len(none), RangeKind.ANNOTATION, dtype=np.int8),
        start_ns=parts.take("start_ns")[chosen],
        dur_ns=parts.take("dur_ns")[chosen],
        process=zero,
        thread=parts.take("thread")[chosen],
        external=none,
        sequence=none,
        event=zero,
        parent=none,
        detail_id=none,
        names=names,
    )


def may_have_been_open(kept: Functions, begins: Mapping[Thread, int]) -> Bool:
    """Which frames may have been open when recording began; (frames,).

    Those stand at the start of a thread's frames, one in the other. So one that begins after
    another frame of its thread ended was entered later, and so was one that begins after the first
    operator: operators are recorded only when all open frames are noted. On the thread that began
    to record, the profiler's own frames end before the program goes on. Where the same name is met
    of a frame that was entered later, its line is where the function begins.
    """
    frames = [frame_of(name) for name in kept.names]
    # What is kept without functions of libraries, too, so that a second look says the same.
    counts = np.array(
        [frame is not None and tells_places(frame) for frame in frames],
        dtype=np.bool_,
    )
    end = kept.start_ns + kept.dur_ns
    # `later` marks the frames that were entered after recording began, (frames,).
    later = np.zeros(len(end), dtype=np.bool_)
    # One group of rows per thread.
    order = np.lexsort((kept.thread, kept.process))
    starts = group_starts([kept.process[order], kept.thread[order]]) if len(order) else order
    for rows in np.split(order, starts[1:]) if len(order) else ():
        # Whatever began after the first end of a frame, or after the
        # first operator, was entered later.
        ends = end[rows[counts[kept.name_id[rows]]]]
        thread = kept.pids[int(kept.process[rows[0]])], int(kept.thread[rows[0]])
        since = min(int(ends.min(initial=LATEST_NS)), begins.get(thread, LATEST_NS))
        later[rows] = kept.start_ns[rows] > since
    # By name: a function that was entered later at least once has its true first line in the name.
    entered = np.zeros(len(kept.names), dtype=np.bool_)
    entered[kept.name_id[later]] = True
    known: Bool = ~later & ~entered[kept.name_id]
    return known
