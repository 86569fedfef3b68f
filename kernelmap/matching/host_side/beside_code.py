"""Operators below a graph range that are no statements of its code: copies of inputs, benchmarks.

Torch runs them around the generated code: it clones inputs that are not aligned, copies inputs to
where a CUDA graph reads them, keeps the state of random numbers while a graph is captured. Where
the profile has Python frames these decide: a statement lies right below generated code. Without
frames only the place before a capture tells; what the code does not run is told by its text
(graphs/input_copies.py).
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.host_side.columns import by_name
from kernelmap.model import NONE, Reason
from kernelmap.model.names import FrameRole, frame_role
from kernelmap.model.trace import ApiCalls, Bool, Frames, Int, Ranges, Small

COPYING = frozenset({"aten.clone", "aten.copy_", "aten.fill_", "aten._foreach_copy_"})
"""Operators that copy inputs, or that the beginning of a capture runs."""

_ROUNDED_NS = 1000  # by which the times of frames and ranges may differ
_CAPTURE = "StreamBeginCapture"


def below_code(ranges: Ranges, frames: Frames | None, mark_of: Int) -> Bool:
    """Mask of the ranges whose innermost frame inside their graph range is generated code's."""
    return np.equal(_roles(ranges, frames, mark_of), FrameRole.CODE)


def told_by_frames(
    ranges: Ranges, frames: Frames | None, mark_of: Int, *, operators: Bool, copying: Bool
) -> Small:
    """Why frames say of a range that it is no statement, NONE where it may be one; (ranges,).

    `mark_of` is the graph range around each range, `operators` a mask of those that may be a
    library call right below a graph range, `copying` of those that copy.
    """
    reasons = np.full(len(ranges), Reason.NONE, dtype=np.int8)
    if frames is None:
        return reasons
    roles = _roles(ranges, frames, mark_of)
    reasons[operators & np.equal(roles, FrameRole.COPY)] = Reason.INPUTS
    reasons[np.equal(roles, FrameRole.BENCHMARK)] = Reason.AUTOTUNE
    code = np.flatnonzero(np.equal(roles, FrameRole.CODE) & (mark_of >= 0))
    last = np.full(len(ranges) + 1, np.iinfo(np.int64).min)
    np.maximum.at(last, mark_of[code], ranges.start_ns[code])
    last = last[mark_of]
    beside = operators & np.isin(roles, (FrameRole.NONE, FrameRole.AROUND))
    beside &= (mark_of >= 0) & (last > np.iinfo(np.int64).min)
    early = copying | (ranges.start_ns < last)
    reasons[beside & early] = Reason.INPUTS
    reasons[beside & ~early] = Reason.GLUE
    return reasons


def before_capture(ranges: Ranges, apis: ApiCalls, mark_of: Int) -> Bool:
    """Mask of the ranges in graph ranges before a stream capture began there; (ranges,)."""
    begins = by_name(apis.name_id, [_CAPTURE in name for name in apis.names])
    rows = np.flatnonzero(begins & (apis.range >= 0))
    marks = mark_of[apis.range[rows]]
    never = np.iinfo(np.int64).max
    first = np.full(len(ranges) + 1, never)
    np.minimum.at(first, marks, apis.start_ns[rows])
    first[NONE] = never
    return (first[mark_of] < never) & (ranges.start_ns < first[mark_of])


def _roles(ranges: Ranges, frames: Frames | None, mark_of: Int) -> Small:
    """The role of the innermost frame around each range, NONE where it began before the mark."""
    found = np.full(len(ranges), FrameRole.NONE, dtype=np.int8)
    if frames is None:
        return found
    roles = np.array([frame_role(name) for name in frames.rows.names], dtype=np.int8)
    rows = np.flatnonzero(frames.around >= 0)
    around, mark = frames.around[rows], mark_of[rows]
    begun = np.append(ranges.start_ns, np.iinfo(np.int64).min)[mark]
    inside = frames.rows.start_ns[around] >= begun - _ROUNDED_NS
    found[rows[inside]] = roles[frames.rows.name_id[around[inside]]]
    return found
