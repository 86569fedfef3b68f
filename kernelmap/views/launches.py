"""The table of launches: one row per activity of the window, made without a loop over rows.

Takes (CompiledProgram, Trace, Matching, Attribution), gives the frame. Names are taken from small
arrays by position (Arrow `take`), so a trace of a million launches costs memory, not time.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
import pandas as pd
import pyarrow as pa

from kernelmap.attribution.records import Attribution
from kernelmap.model import (
    NONE,
    Activity,
    CompiledProgram,
    Confidence,
    Matching,
    Method,
    Reason,
    Trace,
)
from kernelmap.model.trace import Int, Small
from kernelmap.views.frames import Array, frame_of, nullable, texts
from kernelmap.views.schema import LAUNCHES


def launches(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> pd.DataFrame:
    """The launches that `attribution` counts, in the order of the trace."""
    rows = np.flatnonzero(attribution.counted)
    each = trace.launches.take(rows)
    process = each.process
    ranks = np.array([NONE if p.rank is None else p.rank for p in trace.processes], np.int64)
    call = matching.call[rows]
    start, lengths = matching.candidate_start[rows], np.diff(matching.candidate_start)[rows]
    candidates = matching.candidates[_positions(start, lengths)]
    ids = texts([graph.call_id(call) for graph, call in program.calls])
    return frame_of(
        LAUNCHES,
        {
            "launch": rows,
            "name": _take(each.names, each.name_id),
            "activity": _words(Activity, each.activity),
            "start_ns": each.start_ns - trace.origin_ns,
            "dur_ns": each.dur_ns,
            "device": _id(each.device),
            "stream": _id(each.stream),
            "pid": _take([p.pid for p in trace.processes], process),
            "rank": _id(ranks[process]) if len(ranks) else _id(process),
            "correlation": _id(each.correlation),
            "graph_node": _id(each.graph_node),
            "event": each.event,
            "call": ids.take(_id(call)),
            "invocation": _id(matching.invocation[rows]),
            "step": _id(attribution.step[rows]),
            "wrapper": _wrappers(program, call, candidates, lengths),
            "kernel_file": _kernel_files(trace, matching.call_range[rows]),
            "op": _take(attribution.outside_op.names, attribution.outside_op.code[rows]),
            "method": _words(Method, matching.method[rows], missing=Method.NONE),
            "confidence": _words(Confidence, matching.confidence[rows]),
            "candidates": _lists(ids.take(pa.array(candidates)), lengths),
            "reason": _words(Reason, matching.reason[rows], missing=Reason.NONE),
        },
    )


def _id(values: Int) -> Array:
    """Ids with null for -1; also positions for Arrow's `take`, which keeps the nulls."""
    return nullable(values, values < 0)


def _take(names: Sequence[str | None], ids: Int) -> Array:
    return texts(names).take(_id(ids))


def _words(words: type[IntEnum], values: Small, missing: IntEnum | None = None) -> Array:
    """The members' names in lower case; `missing` is written as null."""
    names = {int(word): None if word is missing else word.name.lower() for word in words}
    table = texts([names.get(value) for value in range(max(names) + 1)])
    return table.take(pa.array(values))


def _positions(start: Int, lengths: Int) -> Int:
    """The positions start[0], start[0] + 1, … of every row's slice, one after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(start - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64)


def _lists(values: Array, lengths: Int) -> Array:
    """Cut `values` into lists; null instead of an empty list."""
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values, mask=pa.array(lengths == 0))


def _wrappers(program: CompiledProgram, call: Int, candidates: Int, lengths: Int) -> Array:
    """The call's wrapper; of an ambiguous launch, the one that all candidates share."""
    names, of_call = np.unique([c.wrapper for _, c in program.calls] or [""], return_inverse=True)
    wrapper = np.where(call >= 0, of_call[call] if len(program.calls) else NONE, NONE)
    several = np.flatnonzero(lengths > 0)
    if len(several):
        starts = (np.cumsum(lengths) - lengths)[several]
        first = np.minimum.reduceat(of_call[candidates], starts)
        last = np.maximum.reduceat(of_call[candidates], starts)
        wrapper[several] = np.where(first == last, first, NONE)
    return _take([str(name) for name in names], wrapper.astype(np.int64))


def _kernel_files(trace: Trace, ranges: Int) -> Array:
    """What the range that stands for the call says; null without range or detail."""
    if not len(trace.ranges):
        return pa.nulls(len(ranges), pa.string())
    detail = np.where(ranges >= 0, trace.ranges.detail_id[ranges], NONE)
    return _take([each.kernel_file for each in trace.ranges.details], detail)
