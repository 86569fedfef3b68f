"""What library launches right before a kernel say about the spot that it stands at.

Between two spots the code runs certain library calls. Where launches of their families are seen, or
are not, one spot is likelier than another of the same name. Weak evidence: a call may launch
nothing, and other threads' work may lie between.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from kernelmap.matching.alignment.spots import Spots
from kernelmap.matching.names.families import Family, operator_family
from kernelmap.model import CompiledProgram

TELLING = frozenset(
    {
        Family.GEMM,
        Family.CONVOLUTION,
        Family.ATTENTION,
        Family.ATTENTION_BACKWARD,
        Family.RANDOM,
        Family.SORT,
    }
)
"""Families that eager code between spots seldom launches by chance."""
_MISSING = 10
"""A library call that should launch something did not."""
_SURPLUS = 7
"""A launch of a telling family that no call between the spots accounts for."""
_MOST = 25
"""However much of this speaks against a spot: less than one lost event."""
_FOREIGN = 35
"""A generated kernel whose code is not given ran amid the spots of one graph whose code is."""


_OFTEN, _SHARE = 3, 0.4
"""What comes so many times, and in this share of a spot's cases, comes often."""

_Between = tuple[int, int, bytes]


class Surroundings:
    """The library calls before each spot of `program`, to be held against what was launched.

    Each of `fits` says what speaks against some spots, 0 or less.
    """

    def __init__(self, program: CompiledProgram, spots: Spots) -> None:
        self._expected = [_before(program, spots, spot) for spot in range(len(spots))]
        self._first = [
            spot == 0 or spots.graph[spot - 1] != spots.graph[spot] for spot in range(len(spots))
        ]
        self._known_code = [program.graphs[graph].code is not None for graph in spots.graph]
        self._known: dict[tuple[tuple[Family, ...], tuple[int, ...]], int] = {}
        self.fits: list[list[int]] = []

    def fit(self, seen: tuple[Family, ...], spots: tuple[int, ...]) -> int:
        """The row in `fits` for `spots` where telling families were `seen` before."""
        key = (seen, spots)
        if key not in self._known:
            self._known[key] = len(self.fits)
            self.fits.append([-self._cost(seen, spot) for spot in spots])
        return self._known[key]

    def _cost(self, seen: tuple[Family, ...], spot: int) -> int:
        expected = self._expected[spot]
        missing = sum(max(0, expected.count(f) - seen.count(f)) for f in set(expected))
        if self._first[spot] or not self._known_code[spot]:
            # What ran before the graph is not known, nor all that a graph without code runs.
            return min(_MISSING * missing, _MOST)
        kinds = set(seen) - set(expected)
        surplus = sum(seen.count(family) for family in kinds - {Family.GENERATED})
        foreign = _FOREIGN if Family.GENERATED in seen else 0
        return foreign + min(_MISSING * missing + _SURPLUS * surplus, _MOST)


def usual_families(
    seen: Mapping[_Between, int], spots_by_name: Sequence[tuple[int, ...]]
) -> Mapping[_Between, bytes]:
    """What to believe of the families that were seen between launches of two names.

    `seen` counts them, written (name before, name, families). What comes as often as one of the
    name's spots should run stands for itself; what is rare may be another thread's work, so only
    what comes often is left of it.
    """
    often: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    total: Counter[tuple[int, int]] = Counter()
    for (before, name, _), times in seen.items():
        total[before, name] += times
    for (before, name, families), times in seen.items():
        per_spot = total[before, name] / len(spots_by_name[name])
        if times >= max(_OFTEN, _SHARE * per_spot):
            often[before, name].append(families)
    usual: dict[_Between, bytes] = {}
    for key in seen:
        before, name, families = key
        parts = [each for each in often[before, name] if not Counter(each) - Counter(families)]
        usual[key] = max(parts, key=len, default=families)
    return usual


def _before(program: CompiledProgram, spots: Spots, spot: int) -> tuple[Family, ...]:
    """The telling families of the library calls between the spot before and this one."""
    graph = spots.graph[spot]
    start = program.first_call[graph]
    if spot > 0 and spots.graph[spot - 1] == graph:
        start = spots.call[spot - 1] + 1
    found = (
        operator_family(call.target)
        for _, call in program.calls[start : spots.call[spot]]
        if call.kernel is None and call.target is not None
    )
    return tuple(family for family in found if family in TELLING)
