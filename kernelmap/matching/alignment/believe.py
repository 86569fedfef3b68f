"""Which invocations to believe: what was seen of a graph, held against its other invocations.

A launch may bear a name of the code and come from other code that was not given. One invocation
alone cannot tell; all of them together can: losses are rare and differ, other code lacks the same
kernels every time, and runs kernels of its own in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kernelmap.matching.alignment.between import Between
from kernelmap.matching.alignment.spots import Spots
from kernelmap.matching.alignment.telling import common, telling
from kernelmap.matching.alignment.walks import Walk
from kernelmap.matching.names.families import Family
from kernelmap.model.trace import Bool, Int

_WHOLE = 0.6
"""Share of the spots that have to run from which an invocation is believable by itself."""
_ENOUGH = 3
"""Whole invocations that speak for one of which less was seen."""
_RARE = 0.2
"""The same loss in more than this share of the invocations is no loss."""
_STRAY = 0.05
"""Share of launches under such names, from which on other code seems to run."""


def believe(walks: Sequence[Walk], spots: Spots, names: Sequence[str], between: Between) -> None:
    """Decide `believable` of every run of `walks`."""
    graph_of = np.array(spots.graph, dtype=np.int64)
    certain = np.array(spots.certain, dtype=bool)
    need = np.bincount(graph_of[certain], minlength=int(graph_of.max(initial=0)) + 1)
    seen = [_seen(walk, certain) for walk in walks]
    foreign = [_foreign(walk) for walk in walks]
    good: Counter[int] = Counter()
    strange: Counter[int] = Counter()
    shapes: Counter[tuple[int, ...]] = Counter()
    low = []
    for walk, count, other in zip(walks, seen, foreign, strict=True):
        graph, times = walk.runs.graph, len(walk.copies)
        much = count >= _WHOLE * need[graph]
        good.update({key: n * times for key, n in Counter(graph[much].tolist()).items()})
        strange.update({key: n * times for key, n in Counter(graph[much & other].tolist()).items()})
        shapes.update({key: n * times for key, n in Counter(_shapes(walk, ~much)).items()})
        low.append(~much)
    weak = _other_code(walks, names)
    for walk, count, other, lower in zip(walks, seen, foreign, low, strict=True):
        runs = walk.runs
        tells = telling(walk, count, names, between)
        for run in np.flatnonzero(lower).tolist():
            whole = good[int(runs.graph[run])]
            rare = shapes[_shape(walk, run)] <= max(1, _RARE * whole)
            at_end = not walk.whole and _cut_off(walk, run, spots)
            at_end &= bool(whole) or bool(tells[run])
            runs.believable[run] = (whole >= _ENOUGH and rare) or at_end
        usually = np.array([2 * strange[g] > good[g] for g in runs.graph.tolist()], dtype=bool)
        runs.believable[other & usually] = False
        if weak:
            runs.believable[~tells] = False


def _seen(walk: Walk, certain: Bool) -> Int:
    """How many of the spots that have to run each run has."""
    runs = walk.runs
    counts = (runs.of >= 0) & certain[walk.answers.spot]
    return np.bincount(runs.of[counts], minlength=len(runs))


def _shape(walk: Walk, run: int) -> tuple[int, ...]:
    return tuple(walk.answers.spot[walk.runs.of == run].tolist())


def _shapes(walk: Walk, runs: Bool) -> list[tuple[int, ...]]:
    return [_shape(walk, run) for run in np.flatnonzero(runs).tolist()]


def _cut_off(walk: Walk, run: int, spots: Spots) -> bool:
    """Whether a run looks like the rest of one that the window cut."""
    first, last = walk.answers.spot[[walk.runs.first[run], walk.runs.last[run]]].tolist()
    opens = run == 0 and spots.after[last] == 0
    closes = run == len(walk.runs) - 1 and spots.before[first] == 0
    return opens or closes


def _foreign(walk: Walk) -> Bool:
    """Runs between whose first and last launch compiled code ran that is not known."""
    unknown = np.equal(walk.family, Family.GENERATED.value) & ~walk.known
    before = np.concatenate([[0], np.cumsum(unknown)])
    first, last = walk.at[walk.runs.first], walk.at[walk.runs.last]
    return np.asarray(before[last] > before[first])


def _other_code(walks: Sequence[Walk], names: Sequence[str]) -> bool:
    """Whether kernels ran under common names that are not those of the code."""
    shared = common(names)
    total = strays = 0
    for walk in walks:
        total += int(shared[walk.name].sum())
        strays += int((shared[walk.name] & ~walk.known).sum())
    return strays > _STRAY * total
