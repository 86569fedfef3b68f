"""Several recordings of one state → one side to compare with, and what repeats of it differ by.

The one whose whole time is the median stands for all; its calls, and its time without a call, get
the samples of the same in the others, so that one odd run decides nothing. In which order the
recordings are named does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelmap.compare.causes import paired
from kernelmap.compare.side import CallSide, Key, RestSide, Side
from kernelmap.compare.statistics import floor_of_repeats


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """`floor` is None where there are no repeats to learn it from."""

    side: Side
    floor: float | None
    runs: int


def baseline(sides: Sequence[Side]) -> Baseline:
    """The baseline of one recording or more."""
    ordered = sorted(sides, key=lambda each: each.total_ns / (each.steps or 1))
    middle = ordered[len(ordered) // 2]
    if len(sides) == 1:
        return Baseline(side=middle, floor=None, runs=1)
    alike: dict[str, list[tuple[int, CallSide]]] = defaultdict(list)
    for run, side in enumerate(ordered):
        for pair in paired(side, middle).pairs:
            if pair.same:
                alike[pair.after[0].id].append((run, pair.before[0]))
    medians = [
        np.array([np.median(list(call.samples.values())) for _, call in calls if call.samples])
        for calls in alike.values()
        if len(calls) == len(sides)
    ]
    return Baseline(
        side=_pooled(middle, ordered, alike), floor=floor_of_repeats(medians), runs=len(sides)
    )


def _pooled(
    middle: Side, sides: Sequence[Side], alike: Mapping[str, Sequence[tuple[int, CallSide]]]
) -> Side:
    """`middle` with the samples and the steps of all; numbers are told apart by their run."""
    graphs = []
    for graph in middle.graphs:
        calls = []
        for call in graph.calls:
            pooled: dict[Key, int] = {}
            sampled = sum(each.sampled for _, each in alike[call.id])
            for run, each in alike[call.id]:
                pooled |= {
                    (f"{run}/{pid or ''}", rank, number): time_ns
                    for (pid, rank, number), time_ns in each.samples.items()
                }
            calls.append(replace(call, samples=pooled, sampled=sampled))
        graphs.append(replace(graph, calls=tuple(calls)))
    return replace(
        middle,
        graphs=tuple(graphs),
        rests=_pooled_rests(middle, sides),
        by_step=_pooled_steps([side.by_step for side in sides], sides),
    )


def _pooled_rests(middle: Side, sides: Sequence[Side]) -> tuple[RestSide, ...]:
    """Those of `middle`, and with no time those that only others have: their steps count too."""
    named = [{(rest.outside, rest.name): rest for rest in side.rests} for side in sides]
    own = {(rest.outside, rest.name): rest for rest in middle.rests}
    found = []
    for key in dict.fromkeys([*own, *(key for rests in named for key in rests)]):
        outside, name = key
        known = [rests[key].by_step if key in rests else {} for rests in named]
        rest = own.get(key, RestSide(name=name, outside=outside, launches=0, time_ns=0))
        told = [each for each in known if each is not None]
        by_step = _pooled_steps(told, sides) if len(told) == len(known) else None
        found.append(replace(rest, by_step=by_step))
    return tuple(found)


def _pooled_steps(steps: Sequence[Mapping[int, int]], sides: Sequence[Side]) -> dict[int, int]:
    """Ns by step of each run, under numbers that no two runs share."""
    most = 1 + max((step for side in sides for step in side.by_step), default=0)
    return {
        run * most + step: time_ns
        for run, each in enumerate(steps)
        for step, time_ns in each.items()
    }
