"""Stretches of one sequence that were read as lessons → those that stand, alike ones together.

The longer reading wins over one inside it. Readings that overlap otherwise contradict each other,
as does a long one that shorter ones fill without a gap: then none of them stands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from kernelmap.matching.lessons.learnt_order import Span

Group = list[Span]
"""Readings of the same stretch."""


def without_overlaps(spans: Sequence[Span]) -> list[Group]:
    """The readings that stand, in order; those of one stretch in one group."""
    alike: dict[tuple[int, int], Group] = defaultdict(list)
    for span in spans:
        alike[span.start, span.stop].append(span)
    # Longer ones come before those inside them.
    extents = sorted(alike, key=lambda extent: (extent[0], -extent[1]))
    outer: list[tuple[int, int]] = []
    inner: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for extent in extents:
        if outer and extent[1] <= outer[-1][1]:
            inner[outer[-1]].append(extent)
        else:
            outer.append(extent)
    crossing = {
        each for one, other in pairwise(outer) if other[0] < one[1] for each in (one, other)
    }
    return [
        alike[extent]
        for extent in outer
        if extent not in crossing and not _filled(extent, inner[extent])
    ]


def _filled(extent: tuple[int, int], parts: Sequence[tuple[int, int]]) -> bool:
    """Whether some of `parts` lie end to end from the start of `extent` to its stop."""
    reached = {extent[0]}
    for start, stop in sorted(parts):
        if start in reached:
            reached.add(stop)
    return extent[1] in reached
