"""The table of invocations: what every call cost in each execution of its graph.

Takes the records of all parts, gives the frame. It is the table of calls before it is added up: the
rows of one call, or of one rest row, add up to its launches and its time. What a change of speed is
tested on, so a run that is kept has it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from kernelmap.attribution.records import Attribution
from kernelmap.attribution.totals import REST
from kernelmap.model import NONE, CompiledProgram, Matching, Trace
from kernelmap.model.groups import group_starts
from kernelmap.views.frames import frame_of, nullable, texts
from kernelmap.views.schema import INVOCATIONS


def invocations(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> pd.DataFrame:
    """One row per call, process, invocation and step; calls in program order, rest rows last."""
    rows = np.flatnonzero(attribution.counted)
    call, process = matching.call[rows], trace.launches.process[rows]
    owned, count = call >= 0, len(program.calls)
    owner = np.where(owned, call, count + matching.confidence[rows].astype(np.int64))
    invocation = np.where(owned, matching.invocation[rows], NONE)
    keys = np.stack([owner, process, invocation, attribution.step[rows]])
    order = np.lexsort(keys[::-1])
    keys = keys[:, order]
    starts = group_starts([*keys])
    owner, process, invocation, step = keys[:, starts]
    dur_ns = trace.launches.dur_ns[rows][order]
    graphs = [graph.id for graph, _ in program.calls]
    ids = [graph.call_id(call) for graph, call in program.calls]
    names = [call.wrapper for _, call in program.calls]
    rests = {int(confidence): name for confidence, name in REST.items()}
    names += [rests.get(confidence, "(no call)") for confidence in range(max(rests) + 1)]
    of_call = nullable(owner, owner >= count)
    ranks = np.array([NONE if p.rank is None else p.rank for p in trace.processes], np.int64)
    rank = ranks[process] if len(ranks) else process
    return frame_of(
        INVOCATIONS,
        {
            "graph": texts(graphs).take(of_call),
            "call": texts(ids).take(of_call),
            "wrapper": texts(names).take(nullable(owner, owner < 0)),
            "pid": texts([p.pid for p in trace.processes]).take(nullable(process, process < 0)),
            "rank": nullable(rank, rank < 0),
            "invocation": nullable(invocation, invocation < 0),
            "step": nullable(step, step < 0),
            "launches": np.diff(np.append(starts, len(rows))),
            "time_ns": np.add.reduceat(dur_ns, starts) if len(starts) else dur_ns,
        },
    )
