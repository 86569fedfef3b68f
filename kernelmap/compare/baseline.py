"""Several recordings of one state → one side to compare with, and what repeats of it differ by.

The one whose whole time is the median stands for all; its calls get the samples of the same calls
in the others, so that one odd run decides nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelmap.compare.samples import Key
from kernelmap.compare.side import CallSide, Side
from kernelmap.compare.statistics import Times, floor_of_repeats

_Identity = tuple[str, str]


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
    samples: dict[_Identity, list[CallSide]] = defaultdict(list)
    for side in sides:
        for identity, call in _calls(side):
            samples[identity].append(call)
    medians = [
        np.array([np.median(list(call.samples.values())) for call in calls if call.samples])
        for calls in samples.values()
        if len(calls) == len(sides)
    ]
    return Baseline(
        side=_pooled(middle, sides, samples), floor=floor_of_repeats(medians), runs=len(sides)
    )


def totals(side: Side) -> Times:
    """The whole time of each step, in order; empty without steps."""
    return np.array([side.by_step[step] for step in sorted(side.by_step)], dtype=np.float64)


def _calls(side: Side) -> list[tuple[_Identity, CallSide]]:
    """The calls that can be told without the number of their graph."""
    return [
        ((graph.id, call.piece.fingerprint or call.name), call)
        for graph in side.graphs
        for call in graph.calls
    ]


def _pooled(middle: Side, sides: Sequence[Side], samples: dict[_Identity, list[CallSide]]) -> Side:
    """`middle` with the samples and the steps of all; numbers are told apart by their run."""
    graphs = []
    for graph in middle.graphs:
        calls = []
        for call in graph.calls:
            alike = samples[graph.id, call.piece.fingerprint or call.name]
            pooled: dict[Key, int] = {}
            for run, each in enumerate(alike):
                pooled |= {
                    (f"{run}/{pid or ''}", rank, number): time_ns
                    for (pid, rank, number), time_ns in each.samples.items()
                }
            calls.append(replace(call, samples=pooled))
        graphs.append(replace(graph, calls=tuple(calls)))
    most = 1 + max((step for side in sides for step in side.by_step), default=0)
    by_step = {
        run * most + step: time_ns
        for run, side in enumerate(sides)
        for step, time_ns in side.by_step.items()
    }
    return replace(middle, graphs=tuple(graphs), by_step=by_step)
