"""Operators below a graph range that are no statements of its code: copies of inputs, benchmarks.

Torch runs them around the generated code: it clones inputs that are not aligned, copies inputs to
where a CUDA graph reads them, keeps the state of random numbers while a graph is captured. Where
the profile has Python frames these decide: a statement lies right below generated code.

Without frames the place and the code decide. Inductor writes a kernel of its own for a clone, a
fill or a copy of a list of tensors: an operator of that name is no statement unless the code at
hand says so. A plain copy may be a statement (of an input that lives elsewhere), so it counts only
before a capture, or before all other operators where code is given that does not run it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from kernelmap.matching.host_side.columns import by_name
from kernelmap.model import NONE, Reason
from kernelmap.model.names import FrameRole, frame_role
from kernelmap.model.trace import ApiCalls, Bool, Frames, Int, Ranges, Small

COPYING = frozenset({"aten.clone", "aten.copy_", "aten.fill_", "aten._foreach_copy_"})
"""Operators that copy inputs, or that the beginning of a capture runs."""

_ROUNDED_NS = 1000  # by which the times of frames and ranges may differ
_CAPTURE = "StreamBeginCapture"

_NEVER_CALLED = frozenset({"aten.clone", "aten._foreach_copy_"})
_BEFORE_THE_CODE = _NEVER_CALLED | {"aten.fill_"}


def below_code(ranges: Ranges, frames: Frames | None, graph_range_of: Int) -> Bool:
    """Mask of the ranges whose innermost frame inside their graph range is generated code's."""
    return np.equal(_roles(ranges, frames, graph_range_of), FrameRole.CODE)


def reasons_by_frames(
    ranges: Ranges, frames: Frames | None, graph_range_of: Int, *, operators: Bool, copying: Bool
) -> Small:
    """Why frames say of a range that it is no statement, NONE where it may be one; (ranges,).

    `graph_range_of` is the graph range around each range, `operators` a mask of those that may be a
    library call right below a graph range, `copying` of those that copy.
    """
    reasons = np.full(len(ranges), Reason.NONE, dtype=np.int8)
    if frames is None:
        return reasons
    roles = _roles(ranges, frames, graph_range_of)
    reasons[operators & np.equal(roles, FrameRole.COPY)] = Reason.INPUTS
    reasons[np.equal(roles, FrameRole.BENCHMARK)] = Reason.AUTOTUNE
    code = np.flatnonzero(np.equal(roles, FrameRole.CODE) & (graph_range_of >= 0))
    last = np.full(len(ranges) + 1, np.iinfo(np.int64).min)
    np.maximum.at(last, graph_range_of[code], ranges.start_ns[code])
    last = last[graph_range_of]
    beside = operators & np.isin(roles, (FrameRole.NONE, FrameRole.AROUND))
    beside &= (graph_range_of >= 0) & (last > np.iinfo(np.int64).min)
    early = copying | (ranges.start_ns < last)
    reasons[beside & early] = Reason.INPUTS
    reasons[beside & ~early] = Reason.GLUE
    return reasons


def before_capture(ranges: Ranges, apis: ApiCalls, graph_range_of: Int) -> Bool:
    """Mask of the ranges in graph ranges before a stream capture began there; (ranges,)."""
    begins = by_name(apis.name_id, [_CAPTURE in name for name in apis.names])
    rows = np.flatnonzero(begins & (apis.range >= 0))
    graph_range = graph_range_of[apis.range[rows]]
    never = np.iinfo(np.int64).max
    first = np.full(len(ranges) + 1, never)
    np.minimum.at(first, graph_range, apis.start_ns[rows])
    first[NONE] = never
    return (first[graph_range_of] < never) & (ranges.start_ns < first[graph_range_of])


def _roles(ranges: Ranges, frames: Frames | None, graph_range_of: Int) -> Small:
    """The role of the innermost frame around each, NONE where it began before the graph range."""
    found = np.full(len(ranges), FrameRole.NONE, dtype=np.int8)
    if frames is None:
        return found
    roles = np.array([frame_role(name) for name in frames.rows.names], dtype=np.int8)
    rows = np.flatnonzero(frames.around >= 0)
    around, graph_range = frames.around[rows], graph_range_of[rows]
    begun = np.append(ranges.start_ns, np.iinfo(np.int64).min)[graph_range]
    inside = frames.rows.start_ns[around] >= begun - _ROUNDED_NS
    found[rows[inside]] = roles[frames.rows.name_id[around[inside]]]
    return found


def input_copies(symbols: Sequence[str], own: Collection[str] | None) -> frozenset[int]:
    """Places in `symbols`, in host order, of what copies inputs.

    `own` are the symbols of the graph's code, None where the code is not given.
    """
    run = own or ()
    first = COPYING if own is not None else _BEFORE_THE_CODE
    places = set()
    leading = True
    for place, symbol in enumerate(symbols):
        copies = symbol not in run and symbol in (first if leading else _NEVER_CALLED)
        leading &= copies
        if copies:
            places.add(place)
    return frozenset(places)


def may_copy_inputs(symbols: Sequence[str]) -> bool:
    """Whether one of `symbols`, calls of a graph without code, may be a copy of an input."""
    return not COPYING.isdisjoint(symbols)
