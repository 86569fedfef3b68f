"""Launches of the autotuner amid launches with a host side: outside, reason autotune.

An annotation may say that kernels are benchmarked below it. Else a benchmark whose own range was
lost is told by its neighbors: the autotuner launches one kernel several times in a row, with
nothing in between but what it clears and copies; the call itself comes last. So a launch without a
range before another one of the same kernel is a benchmark, and one behind the last of them is the
call, which that one was taken for. Where a kernel may be called twice in a row, only what a
benchmark follows is one.

Benchmarks that have their ranges are told in host order (graphs/tuning.py), those without any host
side by the model (aligner/measured.py): neither layer knows what this one needs, decided ranges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import nearest_ancestor
from kernelmap.matching.names.families import RESTORED, kernel_family
from kernelmap.model import NONE, Activity, Confidence, Method, Reason
from kernelmap.model.trace import Bool, Int, Launches


def benchmarks(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide launches below an annotation that says that kernels are benchmarked there."""
    host, ranges = context.host, context.trace.ranges
    around = nearest_ancestor(ranges.parent, host.benchmarks, host.host_range)
    yield Decided(matched.open & (around >= 0), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)


def by_tuning(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide open kernels without a range between or behind benchmarks."""
    decisions, top = context.decisions, context.top
    decided = top >= 0
    decided[decided] = decisions.made[top[decided]]
    tuned = np.zeros(len(top), dtype=bool)
    tuned[decided] = np.equal(decisions.reason[top[decided]], Reason.AUTOTUNE)
    lost = matched.open & ~decided & (context.outer_op < 0)
    if not (tuned.any() and lost.any()):
        return
    found = _rows(context)
    rows, again = found.rows, found.again
    before, after = np.append(False, tuned[rows[:-1]] & again), np.append(again, False)
    follows = np.append(tuned[rows[1:]] & again, False)
    own = lost[rows]
    tuning = own & after & (follows | (before & found.sole))
    yield Decided(rows[tuning], Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
    # The one before it was taken for the call; the ones before that are benchmarks.
    guess = np.append(False, _guessed(context, decided)[rows[:-1]] & again)
    guess[2:] &= tuned[rows[:-2]] & again[:-1]
    guess[:2] = False
    behind = np.flatnonzero(own & ~after & guess)
    taken = top[rows[behind - 1]]
    single = np.array(
        [
            bool(found.sole[at]) or not _comes_again(context, call)
            for at, call in zip(behind.tolist(), decisions.call[taken].tolist(), strict=True)
        ],
        dtype=bool,
    )
    behind, taken = behind[single], taken[single]
    yield Decided(
        rows[behind],
        Confidence.INFERRED,
        call=decisions.call[taken],
        invocation=decisions.invocation[taken],
        method=Method.ALIGNMENT,
    )
    yield Decided(
        rows[behind - 1],
        Confidence.OUTSIDE,
        method=Method.RANGE,
        reason=Reason.AUTOTUNE,
        call_range=taken,
    )


def _comes_again(context: MatchContext, position: int) -> bool:
    """Whether the kernel of a call is also that of the next call, or of the one before."""
    program = context.program
    graph, call = program.calls[position]
    kernels = [each for each in graph.calls if each.kernel is not None]
    at = kernels.index(call)
    beside = (*kernels[max(0, at - 1) : at], *kernels[at + 1 : at + 2])
    return any(each.kernel == call.kernel for each in beside)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Launches as their threads made them, without what restores memory.

    Shapes: rows and sole (n,), again (n - 1,): whether the next one is the same kernel in the same
    compiled range.
    """

    rows: Int
    sole: Bool
    again: Bool


def _rows(context: MatchContext) -> _Rows:
    launches, apis, host = context.trace.launches, context.trace.apis, context.host
    rows = np.flatnonzero(launches.api >= 0)
    rows = rows[~np.isin(launches.activity[rows], (Activity.MEMCPY, Activity.MEMSET))]
    rows = rows[~_restores(launches)[launches.name_id[rows]]]
    api = launches.api[rows]
    rows = rows[np.lexsort((apis.start_ns[api], apis.thread[api], apis.process[api]))]
    api, name = launches.api[rows], launches.name_id[rows]
    around = nearest_ancestor(
        context.trace.ranges.parent, host.is_graph_range | host.compiled, apis.range[api]
    )
    again = np.ones(max(0, len(rows) - 1), dtype=bool)
    for column in (name, apis.thread[api], apis.process[api], around):
        again &= np.equal(column[1:], column[:-1])
    known = context.calls_by_name
    sole = np.array([len(known.get(each, ())) == 1 for each in launches.names], dtype=bool)
    return _Rows(rows, sole[name], again)


def _restores(launches: Launches) -> Bool:
    """Mask of the names under which caches are cleared and arguments copied; (names,)."""
    families = [kernel_family(name, Activity.KERNEL) for name in launches.names]
    return np.array([family in RESTORED for family in families], dtype=bool)


def _guessed(context: MatchContext, decided: Bool) -> Bool:
    """Mask of launches below a range that was taken for a call, not certainly."""
    decisions, top = context.decisions, context.top
    mask = decided & (top != NONE)
    inferred = np.equal(decisions.confidence, Confidence.INFERRED) & (decisions.call >= 0)
    mask[mask] = inferred[top[mask]]
    return np.asarray(mask, dtype=bool)
