"""Launches that are left: outside of compiled code where the host side says so, else unknown."""

from __future__ import annotations

import numpy as np

from kernelmap.matching.draft import Draft
from kernelmap.matching.host import climb
from kernelmap.matching.situation import Situation
from kernelmap.model import Confidence, Reason
from kernelmap.model.trace import Bool


def by_elimination(situation: Situation, draft: Draft) -> None:
    """Settle every open launch.

    Outside needs a host side that was seen: an api call on a thread whose ranges were recorded.
    Below a graph range it needs, besides, that no statement of the invocation is missing, because
    the launch may belong to a statement whose range the profiler lost.
    """
    replayed = draft.open & situation.replayed
    draft.settle(replayed, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    below = draft.open & (situation.top >= 0)
    for mark in np.unique(situation.top[below]).tolist():
        rows = below & np.equal(situation.top, mark)
        invocation = situation.by_mark.get(mark)
        whole = invocation is not None and invocation.complete
        draft.settle(
            rows,
            Confidence.OUTSIDE if whole else Confidence.UNKNOWN,
            reason=Reason.GLUE if whole else Reason.COUNT_DIFFERS,
        )
    lost = draft.open & _in_unsolved_region(situation)
    draft.settle(lost, Confidence.UNKNOWN, reason=Reason.COUNT_DIFFERS)
    seen = draft.open & _host_seen(situation)
    draft.call_range[seen] = situation.outer_op[seen]
    draft.settle(seen, Confidence.OUTSIDE, reason=Reason.EAGER)
    draft.settle(draft.open, Confidence.UNKNOWN, reason=Reason.NO_HOST_SIDE)


def benchmarks(situation: Situation, draft: Draft) -> None:
    """Settle launches of kernels that are benchmarked outside of any invocation.

    Those are launches below an annotation that says so, and ranges of known kernels beside the
    graph ranges that come several times: a lost graph range leaves each kernel once.
    """
    annotated = draft.open & _below_benchmark(situation)
    draft.settle(annotated, Confidence.OUTSIDE, reason=Reason.AUTOTUNE)


def _below_benchmark(situation: Situation) -> Bool:
    ranges = situation.trace.ranges
    flags = situation.host.benchmarks
    at = situation.host_range.copy()
    found = np.zeros(len(at), dtype=bool)
    if not flags.any():
        return found
    while (inside := at >= 0).any():
        found[inside] |= flags[at[inside]]
        at[inside] = ranges.parent[at[inside]]
    return found


def _in_unsolved_region(situation: Situation) -> Bool:
    """Mask of launches inside a compiled region whose calls could not all be found.

    Where the process has graph ranges they tell compiled code from what surrounds it.
    """
    host, ranges = situation.host, situation.trace.ranges
    marked = {i.group.process for i in situation.invocations if i.group.mark >= 0}
    around = climb(ranges.parent, host.compiled, situation.host_range)
    found = around >= 0
    solved = {i.group.container for i in situation.invocations if i.complete}
    found[found] = [
        row not in solved and int(ranges.process[row]) not in marked
        for row in around[found].tolist()
    ]
    return found


def _host_seen(situation: Situation) -> Bool:
    """Mask of launches whose api call lies on a thread whose ranges were recorded."""
    trace = situation.trace
    apis, ranges, launches = trace.apis, trace.ranges, trace.launches
    recorded = set(zip(ranges.process.tolist(), ranges.thread.tolist(), strict=True))
    on_recorded = np.array(
        [key in recorded for key in zip(apis.process.tolist(), apis.thread.tolist(), strict=True)],
        dtype=bool,
    )
    seen = situation.host_range >= 0
    linked = launches.api >= 0
    if len(on_recorded):
        seen[linked] |= on_recorded[launches.api[linked]]
    return seen
