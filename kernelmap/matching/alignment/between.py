"""The library calls between two spots, inside of an invocation or from one to the next."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from kernelmap.matching.alignment.spots import Spots
from kernelmap.matching.names.families import Family, operator_family
from kernelmap.model import CompiledProgram


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gap lies: the spots at its ends, -1 where none is known.

    `same` says whether one invocation goes on behind it, `whole` whether the sequence begins and
    ends where graphs do, `tuned` whether benchmarks of the spot behind it follow.
    """

    before: int
    after: int
    same: bool
    whole: bool
    tuned: bool = False


class Between:
    """Looks up the library calls of gaps; calls are positions in `CompiledProgram.calls`."""

    def __init__(self, program: CompiledProgram, spots: Spots) -> None:
        self._program, self._spots = program, spots
        self._libraries = [
            position
            for position, (_, call) in enumerate(program.calls)
            if call.kernel is None and call.target is not None
        ]

    def calls(self, place: Place) -> tuple[tuple[int, ...], int]:
        """Positions of the library calls of a gap, and how many of them end an invocation.

        -1 where no stranger's work can stand between those of two invocations.
        """
        spots, before, after = self._spots, place.before, place.after
        if place.same:
            return self._between(spots.call[before], spots.call[after]), -1
        tail: tuple[int, ...] = ()
        head: tuple[int, ...] = ()
        if before >= 0:
            tail = self._between(spots.call[before], self._end(before))
        if after >= 0:
            head = self._between(self._start(after), spots.call[after])
        at_end = before < 0 or after < 0
        return (*tail, *head), -1 if place.whole and at_end else len(tail)

    def families(self, before: int, after: int) -> tuple[Family, ...]:
        """What the library calls between two spots of one invocation launch."""
        return self._families(self._between(self._spots.call[before], self._spots.call[after]))

    def families_before(self, spot: int) -> tuple[Family, ...]:
        """The same for those between the beginning of an invocation, or what has to run, and it."""
        return self._families(self._between(self._start(spot), self._spots.call[spot]))

    def families_after(self, spot: int) -> tuple[Family, ...]:
        """The same for those behind a spot."""
        return self._families(self._between(self._spots.call[spot], self._end(spot)))

    def _families(self, calls: tuple[int, ...]) -> tuple[Family, ...]:
        targets = (self._program.calls[call][1].target for call in calls)
        return tuple(operator_family(target) for target in targets if target)

    def _between(self, first: int, last: int) -> tuple[int, ...]:
        libraries = self._libraries
        return tuple(libraries[bisect_right(libraries, first) : bisect_left(libraries, last)])

    def _end(self, spot: int) -> int:
        """The position after the last call that may follow `spot` before a spot that has to."""
        last = self.last(spot)
        while spot < last and not self._spots.certain[spot + 1]:
            spot += 1
        if spot < last:
            return self._spots.call[spot + 1]
        graph = self._spots.graph[spot]
        return self._program.first_call[graph] + len(self._program.graphs[graph].calls)

    def _start(self, spot: int) -> int:
        """The position before the first call that may precede `spot` after a spot that has to."""
        first = self.first(spot)
        while spot > first and not self._spots.certain[spot - 1]:
            spot -= 1
        if spot > first:
            return self._spots.call[spot - 1]
        return self._program.first_call[self._spots.graph[spot]] - 1

    def last(self, spot: int) -> int:
        """The last spot of the graph of `spot`."""
        return bisect_right(self._spots.graph, self._spots.graph[spot]) - 1

    def first(self, spot: int) -> int:
        """The first spot of the graph of `spot`."""
        return bisect_left(self._spots.graph, self._spots.graph[spot])
