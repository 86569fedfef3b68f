"""The tables of launches and of invocations: they grow with the trace, and no loop makes a row.

Names are taken from small arrays by position (Arrow `take`), so a trace of a million launches costs
memory, not time. Invocations are the table of calls before it is added up: the rows of one call, or
of one rest row, add up to its launches and its time. Changes of speed are tested on them, so a run
that is kept has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kernelmap.attribution.attribute import REST
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
from kernelmap.model.columns import group_starts, positions_between
from kernelmap.model.trace import Bool, Float, Int, Small
from kernelmap.tables.frames import Array, frame_of, nullable_ints, texts_as_arrow
from kernelmap.tables.schema import INVOCATIONS, LAUNCHES

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd


def frame_of_launches(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> pd.DataFrame:
    """The launches that `attribution` counts, in the order of the trace."""
    rows = np.flatnonzero(attribution.counted)
    return frame_of_rows(program, trace, matching, attribution, rows)


def frame_of_rows(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution, rows: Int
) -> pd.DataFrame:
    """Some launches of the table, by their rows in the trace; in the order of these."""
    makers = _columns_of_launches(program, trace, matching, attribution, rows)
    return frame_of(LAUNCHES, {name: make() for name, make in makers.items()})


def numbers_of_launches(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution, name: str
) -> Float:
    """One column of numbers of the table alone, -1 where it is null."""
    rows = np.flatnonzero(attribution.counted)
    column = _columns_of_launches(program, trace, matching, attribution, rows)[name]()
    if isinstance(column, np.ndarray):
        return column.astype(np.float64)
    return np.asarray(column.fill_null(-1).to_numpy(), dtype=np.float64)


def _columns_of_launches(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution, rows: Int
) -> Mapping[str, Callable[[], Array | Int]]:
    """What makes each column of the launches `rows`; whoever wants one alone makes no other."""
    # All columns below are (rows,).
    launches = trace.launches
    call = matching.call[rows]
    process = launches.process[rows]
    ranks = np.array([NONE if p.rank is None else p.rank for p in trace.processes], np.int64)

    @cache
    def candidates() -> tuple[Int, Int]:
        # Only ambiguous launches have candidates. Those of the rows are put one behind the other: a
        # flat column of calls, and how many each row has.
        start, end = matching.candidate_start[rows], matching.candidate_start[rows + 1]
        return matching.candidates[positions_between(start, end)], end - start

    ids = texts_as_arrow([graph.call_id(call) for graph, call in program.calls])
    return {
        "launch": lambda: rows,
        "name": lambda: _take_names(launches.names, launches.name_id[rows]),
        "activity": lambda: _spell_values(
            {int(word): word.word for word in Activity}, launches.activity[rows]
        ),
        "start_ns": lambda: launches.start_ns[rows] - trace.origin_ns,
        "dur_ns": lambda: launches.dur_ns[rows],
        "device": lambda: _ids_with_null(launches.device[rows]),
        "stream": lambda: _ids_with_null(launches.stream[rows]),
        "pid": lambda: _take_names([p.pid for p in trace.processes], process),
        "rank": lambda: _ids_with_null(ranks[process]) if len(ranks) else _ids_with_null(process),
        "correlation": lambda: _ids_with_null(launches.correlation[rows]),
        "graph_node": lambda: _ids_with_null(launches.graph_node[rows]),
        "event": lambda: launches.event[rows],
        "call": lambda: ids.take(_ids_with_null(call)),
        "invocation": lambda: _ids_with_null(matching.invocation[rows]),
        "step": lambda: _ids_with_null(attribution.step[rows]),
        "wrapper": lambda: _wrappers_of_launches(program, call, *candidates()),
        "kernel_file": lambda: _kernel_files(trace, matching.call_range[rows]),
        "op": lambda: _take_names(attribution.outside_op.names, attribution.outside_op.code[rows]),
        "method": lambda: _words_of_members(Method, matching.method[rows], missing=Method.NONE),
        "confidence": lambda: _words_of_members(Confidence, matching.confidence[rows]),
        "candidates": lambda: _cut_into_lists(ids.take(pa.array(candidates()[0])), candidates()[1]),
        "reason": lambda: _words_of_members(Reason, matching.reason[rows], missing=Reason.NONE),
        "source": lambda: _take_names(
            [place.name for place in attribution.launch_places.places],
            attribution.launch_places.code[rows],
        ),
        "torch_lines": lambda: _texts_by_number(
            [[line.name for line in note.lines] for note in trace.launches.notes],
            launches.note[rows],
        ),
        "label": lambda: _take_names(
            [note.module for note in trace.launches.notes], launches.note[rows]
        ),
    }


def _ids_with_null(values: Int) -> Array:
    """Ids with null for -1; also positions for Arrow's `take`, which keeps the nulls."""
    return nullable_ints(values, values < 0)


def _take_names(names: Sequence[str | None], ids: Int) -> Array:
    return texts_as_arrow(names).take(_ids_with_null(ids))


def _texts_by_number(lists: Sequence[Sequence[str]], numbers: Int) -> Array:
    """Lists of texts; null instead of an empty list, and where there is no number."""
    known = pa.array([each or None for each in lists], pa.list_(pa.string()))
    return known.take(_ids_with_null(numbers))


def _words_of_members(words: type[IntEnum], values: Small, missing: IntEnum | None = None) -> Array:
    """The members' names in lower case; `missing` is written as null."""
    return _spell_values(
        {int(word): None if word is missing else word.name.lower() for word in words}, values
    )


def _spell_values(names: Mapping[int, str | None], values: Small) -> Array:
    table = texts_as_arrow([names.get(value) for value in range(max(names) + 1)])
    return table.take(pa.array(values))


def _cut_into_lists(values: Array, lengths: Int) -> Array:
    """Cut `values` into lists; null instead of an empty list."""
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values, mask=pa.array(lengths == 0))


def _wrappers_of_launches(
    program: CompiledProgram, call: Int, candidates: Int, lengths: Int
) -> Array:
    """The call's wrapper; of an ambiguous launch, the one that all candidates share."""
    # A number for each wrapper, and by call which one it has. The wrapper of a row is -1 where it
    # is not known.
    names, of_call = np.unique([c.wrapper for _, c in program.calls] or [""], return_inverse=True)
    wrapper = np.where(call >= 0, of_call[call] if len(program.calls) else NONE, NONE)
    several = np.flatnonzero(lengths > 0)
    if len(several):
        # All candidates of a row have one wrapper if the least and the greatest number are the
        # same.
        starts = (np.cumsum(lengths) - lengths)[several]
        first = np.minimum.reduceat(of_call[candidates], starts)
        last = np.maximum.reduceat(of_call[candidates], starts)
        wrapper[several] = np.where(first == last, first, NONE)
    return _take_names([str(name) for name in names], wrapper.astype(np.int64))


def _kernel_files(trace: Trace, ranges: Int) -> Array:
    """What the range that stands for the call says; null without range or detail."""
    if not len(trace.ranges):
        return pa.nulls(len(ranges), pa.string())
    detail = np.where(ranges >= 0, trace.ranges.detail_id[ranges], NONE)
    return _take_names([described.kernel_file for described in trace.ranges.details], detail)


def frame_of_invocations(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> pd.DataFrame:
    """One row per call, process, invocation and step; calls in program order, rest rows last.

    Time outside compiled code has a row per op.
    """
    rows = np.flatnonzero(attribution.counted)
    # What time belongs to: a call by its position, or, behind all calls, a rest row by its
    # confidence.
    call, process = matching.call[rows], trace.launches.process[rows]
    owned, count = call >= 0, len(program.calls)
    owner = np.where(owned, call, count + matching.confidence[rows].astype(np.int64))
    invocation = np.where(owned, matching.invocation[rows], NONE)
    # Ops are told of launches outside of compiled code only, so those of rest rows for other
    # reasons stay together.
    outside = matching.with_confidence(Confidence.OUTSIDE)[rows]
    ops, op = _outside_ops(attribution, rows, outside)
    # Rows that agree in all five are one row of the table; after sorting they stand together, and
    # the starts are their first rows.
    keys = np.stack([owner, op, process, invocation, attribution.step[rows]])
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    starts = group_starts([*keys])
    owner, op, process, invocation, step = keys[:, starts]
    dur_ns = trace.launches.dur_ns[rows][order]
    graphs = [graph.id for graph, _ in program.calls]
    ids = [graph.call_id(call) for graph, call in program.calls]
    names = [call.wrapper for _, call in program.calls]
    rests = {int(confidence): name for confidence, name in REST.items()}
    # Behind the wrappers of the calls come the names of rest rows, in the order of confidences.
    names += [rests.get(confidence, "(no call)") for confidence in range(max(rests) + 1)]
    of_call = nullable_ints(owner, owner >= count)
    ranks = np.array([NONE if p.rank is None else p.rank for p in trace.processes], np.int64)
    rank = ranks[process] if len(ranks) else process
    return frame_of(
        INVOCATIONS,
        {
            "graph": texts_as_arrow(graphs).take(of_call),
            "call": texts_as_arrow(ids).take(of_call),
            "wrapper": texts_as_arrow(names).take(nullable_ints(owner, owner < 0)),
            "pid": texts_as_arrow([p.pid for p in trace.processes]).take(
                nullable_ints(process, process < 0)
            ),
            "rank": nullable_ints(rank, rank < 0),
            "invocation": nullable_ints(invocation, invocation < 0),
            "step": nullable_ints(step, step < 0),
            "launches": np.diff(np.append(starts, len(rows))),
            "time_ns": np.add.reduceat(dur_ns, starts) if len(starts) else dur_ns,
            "op": texts_as_arrow(ops).take(nullable_ints(op, op < 0)),
        },
    )


def _outside_ops(attribution: Attribution, rows: Int, outside: Bool) -> tuple[list[str], Int]:
    """The ops of outside launches, each once, and which of them each of `rows` has, or -1."""
    # Only the ops that occur get a number, by alphabet; a name that has several codes gets one.
    code = np.where(outside, attribution.outside_op.code[rows], NONE)
    codes = np.unique(code[code >= 0])
    ops = [attribution.outside_op.names[op] for op in codes.tolist()]
    names = {name: at for at, name in enumerate(sorted(set(ops)))}
    place = np.full(len(attribution.outside_op.names) + 1, NONE, np.int64)  # the last is for -1
    place[codes] = [names[name] for name in ops]
    return list(names), place[code]
