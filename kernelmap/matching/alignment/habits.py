"""What most invocations launch at a place, and so whose a launch there is.

A *gap* lies between two neighboring spots of a walk. Inside an invocation the code says which
library calls run there; between two invocations those at the end of one and at the start of the
next. Where enough invocations launch the same in a gap, that is its pattern: it is divided over the
calls once (library_calls.py), and every other row of launches is held against it (patterns.py).
Where a spot was lost, the patterns on both sides of it are one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kernelmap.matching.alignment.between import Between, Place
from kernelmap.matching.alignment.library_calls import Gap, divide
from kernelmap.matching.alignment.patterns import places_in
from kernelmap.matching.alignment.spots import Spots
from kernelmap.matching.names.families import RESTORED, Family, operator_family
from kernelmap.model import CompiledProgram

_ENOUGH = 3
"""Invocations that have to launch the same."""
_SHARE = 0.2
"""Share of the invocations that have to."""
_USUAL, _UNSURE, _UNUSUAL = 3.0, 1.0, 0.3
"""What it costs to give a launch to no call, by whether most invocations have it."""
_LARGEST = 40_000
"""Launches times launches that are compared."""

Names = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Owner:
    """A call that may own a launch, a position in the program; `ahead` if of the next invocation.

    No call is -1.
    """

    call: int
    ahead: bool = False


NOBODY = Owner(-1)
Owners = tuple[Owner, ...]
_Pattern = tuple[Names, tuple[Owners, ...]]


class Habits:
    """Decides gaps; `seen` counts what was launched in each place, `families` are by name id."""

    def __init__(
        self,
        program: CompiledProgram,
        spots: Spots,
        seen: Mapping[Place, Counter[Names]],
        families: Sequence[Family],
    ) -> None:
        self._program = program
        self._seen, self._families = seen, families
        self._between = Between(program, spots)
        self._patterns: dict[Place, _Pattern | None] = {}
        self._ends: dict[int, Counter[Place]] = defaultdict(Counter)
        for place, counts in seen.items():
            if not place.same and not place.tuned and place.before >= 0 and place.after >= 0:
                self._ends[place.before][place] += counts.total()
                self._ends[~place.after][place] += counts.total()

    def owners(self, place: Place, names: Names) -> list[Owners]:
        """Per launch of a gap, all who may own it."""
        pattern = self._pattern(replace(place, tuned=False))
        if pattern is None and place.tuned:
            return self._before_benchmarks(place, names)
        if pattern is None:
            return self._divided(place, names, self._left_out(place, names))
        usual, owners = pattern
        if names == usual:
            return list(owners)
        if len(names) * len(usual) > _LARGEST:
            return [()] * len(names)
        found: list[Owners] = []
        for places in places_in(names, usual, goes_on=place.tuned):
            ways = (owners[at] if at >= 0 else (NOBODY,) for at in places)
            found.append(tuple(dict.fromkeys(owner for way in ways for owner in way)))
        return _held_together(found, owners)

    def _before_benchmarks(self, place: Place, names: Names) -> list[Owners]:
        """What precedes what the autotuner may have cleared or copied for the first benchmark."""
        end = len(names)
        while end and self._families[names[end - 1]] in RESTORED:
            end -= 1
        plain = replace(place, tuned=False)
        own = self._divided(plain, names[:end], self._left_out(plain, names[:end]))
        return [*own, *([()] * (len(names) - end))]

    def _pattern(self, place: Place) -> _Pattern | None:
        if place not in self._patterns:
            self._patterns[place] = self._own_pattern(place) or self._joined(self._parts(place))
        return self._patterns[place]

    def _own_pattern(self, place: Place) -> _Pattern | None:
        """The pattern that enough invocations show at this very place."""
        counts = self._seen.get(place)
        if not counts:
            return None
        names, times = max(counts.items(), key=lambda item: (item[1], item[0]))
        if times < _ENOUGH or times < _SHARE * counts.total():
            return None
        return names, tuple(self._divided(place, names, [_USUAL] * len(names)))

    def _parts(self, place: Place) -> list[Place]:
        """The gaps that this one is made of if spots were lost; itself or none if not."""
        before, after = place.before, place.after
        if place.same:
            return self._inside(before, after)
        last = self._between.last(before) if before >= 0 else -1
        first = self._between.first(after) if after >= 0 else -1
        middle = Place(last, first, same=False, whole=place.whole)
        if before < 0 or after < 0:
            # The other side was cut off, or is not known: what most often lies there will do.
            known = self._ends[last if after < 0 else ~first]
            if known and not place.whole:
                middle = max(known, key=lambda each: (known[each], each.before, each.after))
        head = self._inside(before, last) if before >= 0 else []
        tail = self._inside(first, after) if after >= 0 else []
        return [*head, middle, *tail]

    def _joined(self, parts: Sequence[Place]) -> _Pattern | None:
        """The patterns of parts, one behind the other; all launches behind the middle are ahead."""
        names: list[int] = []
        owners: list[Owners] = []
        ahead = False
        for part in parts:
            if part not in self._patterns:
                self._patterns[part] = self._own_pattern(part)
            own = self._patterns[part]
            if own is None:
                return None
            names += own[0]
            owners += (
                tuple(Owner(o.call, ahead=o.call >= 0 and (ahead or o.ahead)) for o in each)
                for each in own[1]
            )
            ahead = ahead or not part.same
        return (tuple(names), tuple(owners)) if parts else None

    def _inside(self, first: int, last: int) -> list[Place]:
        return [Place(spot, spot + 1, same=True, whole=False) for spot in range(first, last)]

    def _divided(self, place: Place, names: Names, left_out: Sequence[float]) -> list[Owners]:
        """The launches of one gap over its calls, by family and order alone."""
        calls, tail = self._between.calls(place)
        if not calls:
            return [(NOBODY,)] * len(names)
        targets = (self._program.calls[call][1].target or "" for call in calls)
        gap = Gap(tuple(map(operator_family, targets)), tail)
        whose = [Owner(call, ahead=0 <= tail <= at) for at, call in enumerate(calls)]
        if place.before < 0:
            whose = [Owner(call, ahead=True) for call in calls]
        whose.append(NOBODY)
        kinds = [self._families[name] for name in names]
        return [
            tuple(whose[call] for call in share.alternatives)
            for share in divide(kinds, left_out, gap)
        ]

    def _left_out(self, place: Place, names: Names) -> list[float]:
        """What it costs to give each launch to no call, where there is no pattern."""
        counts = self._seen.get(place, Counter())
        if place.whole or counts.total() < _ENOUGH or not place.same:
            return [_USUAL if place.whole else _UNSURE] * len(names)
        found = []
        for at, name in enumerate(names):
            before = names[:at].count(name)
            more = sum(n for each, n in counts.items() if each.count(name) > before)
            found.append(_USUAL if 2 * more > counts.total() else _UNUSUAL)
        return found


def _held_together(found: list[Owners], usual: Sequence[Owners]) -> list[Owners]:
    """`found`, but for a launch of several that its call makes, if it stands alone by a stranger.

    Another thread may launch a memset, too; that of a call has the call's other launches beside it.
    """
    several = {each for each, times in Counter(usual).items() if times > 1 and NOBODY not in each}
    nobody = (NOBODY,)
    around = [(), *found, ()]
    return [
        () if own in several and own not in beside and nobody in beside else own
        for own, beside in ((o, (around[at], around[at + 2])) for at, o in enumerate(found))
    ]
