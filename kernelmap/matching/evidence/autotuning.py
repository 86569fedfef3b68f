"""Decides benchmarks by an annotation around them or by their series: outside, `autotune`.

An annotation may say that kernels are benchmarked below it. Else a benchmark whose own range was
lost is one of a series (graphs/autotuning.py): one kernel several times in a row, with nothing in
between but what clears and copies memory. In a series that holds a benchmark, a launch without a
range that a benchmark follows is one as well. Where the code does not call the kernel twice in a
row, the last of the series is the call, which one before it was taken for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kernelmap.facts.families import RESTORED, kernel_family
from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.graphs.autotuning import series_of
from kernelmap.model import Activity, CompiledProgram, Confidence, Method, Reason
from kernelmap.model.columns import nearest_ancestor
from kernelmap.model.trace import Bool, Int, Launches


def decide_benchmarks(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide launches below an annotation that says that kernels are benchmarked there."""
    host, ranges = context.host, context.trace.ranges
    around = nearest_ancestor(ranges.parent, host.benchmarks, host.host_range)
    yield Decided(matched.open & (around >= 0), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)


def by_tuning(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide open kernels without a range in a series that holds benchmarks."""
    decisions, top = context.decisions, context.top
    if not len(decisions.made):
        return
    # Masks of launches: in a decided range, in a benchmark's range, without a range of their own;
    # (launches,).
    decided = (top >= 0) & decisions.made[top]
    tuned = decided & np.equal(decisions.reason[top], Reason.AUTOTUNE)
    # The range of a kernel by itself stands for nothing where the graph around it was lost.
    bare = (context.outer_op < 0) | (
        context.runs_kernel & (context.outer_op == context.host.host_range)
    )
    lost = matched.open & ~decided & bare
    if not (tuned.any() and lost.any()):
        return
    # Launches whose range was taken for the call that follows benchmarks, which is inferred.
    guessed = decided & np.equal(decisions.confidence[top], Confidence.INFERRED)
    guessed &= decisions.call[top] >= 0
    in_row = _in_row(context.program)
    names = context.trace.launches.names
    for rows in _iter_series(context, tuned):
        # Places of benchmarks and of open launches in this series.
        measured, open_ = np.flatnonzero(tuned[rows]), np.flatnonzero(lost[rows])
        if not len(open_):
            continue
        # The calls of the kernel: those that its ranges were taken for, else those of its name.
        calls = decisions.call[top[rows[guessed[rows]]]].tolist() or context.calls_by_name.get(
            names[int(context.trace.launches.name_id[rows[0]])], ()
        )
        # With one call in a row only the last launch of a series can be the call: b ? b ? has its
        # call at the end.
        single = bool(calls) and in_row.isdisjoint(calls)
        between = (open_ > measured[0]) & (open_ < len(rows) - 1) & single
        benchmark = rows[open_[between | (open_ < measured[-1])]]
        yield Decided(benchmark, Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
        called = rows[guessed[rows]]
        # The last launch lost its range, so the one before it was taken for the call: they change
        # places.
        if single and lost[rows[-1]] and len(called) == 1:
            taken = top[called[0]]
            yield Decided(
                rows[-1:],
                Confidence.INFERRED,
                call=decisions.call[taken],
                invocation=decisions.invocation[taken],
                method=Method.ALIGNMENT,
            )
            yield Decided(
                called,
                Confidence.OUTSIDE,
                method=Method.RANGE,
                reason=Reason.AUTOTUNE,
                call_range=taken,
            )


def _in_row(program: CompiledProgram) -> set[int]:
    """Positions of the calls beside one of the same kernel, with no other kernel in between."""
    calls = [
        (at, *graph_and_call)
        for at, graph_and_call in enumerate(program.calls)
        if graph_and_call[1].kernel is not None
    ]
    return {
        at
        for (first, graph, call), (second, other, again) in pairwise(calls)
        if graph is other and call.kernel == again.kernel
        for at in (first, second)
    }


def _iter_series(context: MatchContext, tuned: Bool) -> Iterator[Int]:
    """Launches of one kernel in a row, of one thread and one compiled range; some are `tuned`."""
    launches, apis, host = context.trace.launches, context.trace.apis, context.host
    # Kernels with an api call, without what clears and copies between measurements, in order of
    # time on each thread.
    rows = np.flatnonzero(launches.api >= 0)
    rows = rows[~np.isin(launches.activity[rows], (Activity.MEMCPY, Activity.MEMSET))]
    rows = rows[~_is_restoring_name(launches)[launches.name_id[rows]]]
    api = launches.api[rows]
    rows = rows[np.lexsort((apis.start_ns[api], apis.thread[api], apis.process[api]))]
    api = launches.api[rows]
    around = nearest_ancestor(
        context.trace.ranges.parent, host.is_graph_range | host.compiled, apis.range[api]
    )
    columns = (launches.name_id[rows], apis.thread[api], apis.process[api], around)
    start, length = series_of(*columns)
    # How many benchmarks come before each place: a series has some where this grows from its
    # start to its end.
    before = np.append(0, np.cumsum(tuned[rows]))
    some = (length > 1) & (before[start + length] > before[start])
    for begin, end in zip(start[some].tolist(), (start + length)[some].tolist(), strict=True):
        yield rows[begin:end]


def _is_restoring_name(launches: Launches) -> Bool:
    """Mask of the names under which caches are cleared and arguments copied; (names,)."""
    families = [kernel_family(name, Activity.KERNEL) for name in launches.names]
    return np.array([family in RESTORED for family in families], dtype=bool)
