"""Launches that are left: outside of compiled code where the host side says so, else unknown."""

from __future__ import annotations

import numpy as np

from kernelmap.matching.draft import Draft
from kernelmap.matching.host import climb
from kernelmap.matching.marks import Marks
from kernelmap.matching.situation import Invocation, Situation
from kernelmap.matching.symbols import is_kernel_symbol
from kernelmap.matching.window_start import cut_at_start
from kernelmap.model import Confidence, RangeKind, Reason
from kernelmap.model.marks import MarkedGraph
from kernelmap.model.trace import Bool


def by_elimination(situation: Situation, draft: Draft) -> None:
    """Settle every open launch.

    Outside needs a host side that was seen: an api call on a thread whose ranges were recorded.
    Below a graph range it needs, besides, that no statement of the invocation is missing, because
    the launch may belong to a statement whose range the profiler lost.
    """
    replayed = draft.open & situation.replayed & (situation.trace.launches.origin < 0)
    draft.settle(replayed, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    below = draft.open & (situation.top >= 0)
    for mark in np.unique(situation.top[below]).tolist():
        rows = below & np.equal(situation.top, mark)
        invocation = situation.by_mark.get(mark)
        whole = invocation is not None and invocation.complete
        draft.settle(
            rows,
            Confidence.OUTSIDE if whole else Confidence.UNKNOWN,
            reason=Reason.GLUE if whole else _why_unsolved(situation, invocation),
        )
    lost = draft.open & _in_unsolved_region(situation)
    draft.settle(lost, Confidence.UNKNOWN, reason=_why_unsolved(situation))
    cut = draft.open & cut_at_start(situation)
    draft.settle(cut, Confidence.UNKNOWN, reason=Reason.NO_HOST_SIDE)
    seen = draft.open & _host_seen(situation)
    draft.call_range[seen] = situation.outer_op[seen]
    draft.settle(seen, Confidence.OUTSIDE, reason=Reason.EAGER)
    draft.settle(draft.open, Confidence.UNKNOWN, reason=Reason.NO_HOST_SIDE)


def benchmarks(situation: Situation, draft: Draft) -> None:
    """Settle launches below an annotation that says that kernels are benchmarked there."""
    host, ranges = situation.host, situation.trace.ranges
    around = climb(ranges.parent, host.benchmarks, situation.host_range)
    draft.settle(draft.open & (around >= 0), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)


def _why_unsolved(situation: Situation, invocation: Invocation | None = None) -> Reason:
    """NO_CODE where no code was given, or none that has the kernels of the invocation."""
    given = any(graph.code is not None for graph in situation.program.graphs)
    foreign = (
        invocation is not None
        and not invocation.identity.graphs
        and any(map(is_kernel_symbol, invocation.group.symbols))
    )
    return Reason.NO_CODE if foreign or not given else Reason.COUNT_DIFFERS


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
    """Mask of launches whose api call lies on a thread whose operators were recorded.

    Ranges that users push say nothing of what lies beside them: only torch's own do, or marks,
    where no generated kernel ran outside of them.
    """
    trace = situation.trace
    apis, ranges, launches = trace.apis, trace.ranges, trace.launches
    telling = np.equal(ranges.kind, RangeKind.OP)
    marks = Marks.of(trace).mask(trace, MarkedGraph)
    if marks.any() and not _runs_beside(situation, marks):
        telling |= marks
    places = ranges.process[telling].tolist(), ranges.thread[telling].tolist()
    recorded = set(zip(*places, strict=True))
    on_recorded = np.array(
        [key in recorded for key in zip(apis.process.tolist(), apis.thread.tolist(), strict=True)],
        dtype=bool,
    )
    seen = situation.outer_op >= 0
    linked = launches.api >= 0
    if len(on_recorded):
        seen[linked] |= on_recorded[launches.api[linked]]
    return seen


def _runs_beside(situation: Situation, marks: Bool) -> bool:
    """Whether a kernel that looks generated ran outside of all marks: not all code was marked."""
    trace = situation.trace
    named = [name.startswith("triton_") for name in trace.launches.names]
    generated = np.array(named, dtype=bool)[trace.launches.name_id]
    around = climb(trace.ranges.parent, marks, situation.host_range)
    return bool((generated & (around < 0)).any())
