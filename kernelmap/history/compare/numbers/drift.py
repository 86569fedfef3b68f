"""What a launch of the same code differs by from process to process, which no steps show.

All steps of a process share where its buffers lie and what the caches meet. So a call may be 5 %
slower in every step of a recording than in every step of the next one, though its code is the same,
and a test over steps calls that significant. What calls of about the same length do in this very
comparison says how much that is; a least value, measured once, stands for calls without company.
Drift goes both ways, and a change of the code mostly one: what may be slower is held against calls
that became faster, and the other way round, so that many slower calls do not excuse each other.
Drifts of different calls are independent: those of a sum grow with the root of their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.history.compare.numbers.causes import Cause, of_launch
from kernelmap.history.compare.numbers.sm_clock import ClockFactors
from kernelmap.history.compare.numbers.statistics import (
    TestEvidence,
    Times,
    find_evidence,
    is_slower,
)
from kernelmap.history.compare.pairing.sides import Pair
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, RestSide

_LEAST_NS, _LEAST_RATIO = 200, 0.03
"""A launch differs by so many ns from process to process, and by no larger part of its time.

Measured in cuda_mlp_train, cuda_names_not_unique and cuda_provenance_off, one model in three
processes: launches of 3 to 8 µs differ by 0.13 µs (standard deviation) and by up to 0.55 µs, those
below 1.5 µs by 1.8 %, those of 19 µs by 0.06 µs. With half as much, 2 of 95 clean pairs of
recordings raise an alarm, and with this none; of families that are 7 % slower 35 of 42 are caught
instead of 38 (scripts/gate_power.py).
"""
_SPREADS = 3.0
"""So many standard deviations are no chance, as for repeats of a baseline (statistics.py)."""
_AS_LONG = 2.0
"""At most this many times longer or shorter is about the same length: launches of 3 and of 19 µs
differ by other amounts (see above). Chosen."""
_COMPANY = 5
"""Calls of about the same length; the spread of fewer says nothing, and the least value stands in.
Chosen."""
_SHARE, _OF_NORMAL = 0.8, 1.2816
"""Up to a fifth of those calls may have changed; four fifths of a normal distribution lie within
1.28 standard deviations."""

Floats = NDArray[np.float64]


class Drifting(Struct, frozen=True, kw_only=True):
    """A call or operator of a sum: ns of a launch, ns that it adds, its pair (-1: none)."""

    launch_ns: float
    time_ns: float
    pair: int = -1


class Drift(Struct, frozen=True, kw_only=True):
    """Calls of the same code on both sides: ns of a launch, log of the change, their pair."""

    lengths: Floats
    logs: Floats
    pairs: NDArray[np.int64]
    over_processes: bool = False

    @classmethod
    def from_pairs(
        cls, sides: tuple[ComparedSide, ComparedSide], pairs: Sequence[Pair], clocks: ClockFactors
    ) -> Self:
        """What the pairs of one comparison show, the clock's part taken out.

        Times of a fleet are those of many processes: a test over them knows their drift already.
        """
        # Of each call of the same code on both sides: ns of a launch before, the logarithm of what
        # became of it, and the position of its pair.
        rows = [
            (*change, at)
            for at, pair in enumerate(pairs)
            if pair.same and (change := _change_of_launch(pair, clocks)) is not None
        ]
        # Three columns also where there is no such call.
        columns = np.array(rows, dtype=np.float64).reshape(-1, 3)
        return cls(
            lengths=columns[:, 0],
            logs=columns[:, 1],
            pairs=columns[:, 2].astype(np.int64),
            over_processes=any(side.fleet is not None for side in sides),
        )

    def floor_of_sum(self, members: Sequence[Drifting], *, slower: bool) -> float:
        """The ratio by which the sum of `members` may become slower, or faster, by drift alone.

        Members do not testify for themselves: a change of all of them would count as drift.
        """
        total = sum(member.time_ns for member in members)
        if total <= 0 or self.over_processes:
            return 0.0
        # Calls that may say how much drifts: none that is judged itself, and only those that moved
        # the other way, those that became faster where the members may be slower.
        others = ~np.isin(self.pairs, [member.pair for member in members])
        others &= (self.logs <= 0) if slower else (self.logs >= 0)
        lengths, sizes = self.lengths[others], np.abs(self.logs[others])
        # One standard deviation of each member in ns; independent ones add up by their squares.
        parts = [
            member.time_ns * _spread_of_launch(member.launch_ns, lengths, sizes)
            for member in members
            if member.time_ns > 0
        ]
        return _SPREADS * float(np.sqrt(np.sum(np.square(parts)))) / total


def members_of_calls(calls: Iterable[CallSide], pair: int = -1) -> tuple[Drifting, ...]:
    """Calls as members of a sum."""
    return tuple(
        Drifting(launch_ns=call.time_ns / call.launches, time_ns=float(call.time_ns), pair=pair)
        for call in calls
        if call.launches and call.time_ns
    )


def drifting_operator(rest: RestSide) -> tuple[Drifting, ...]:
    """An operator without a call as one member: which of its launches are one place is unknown."""
    launch_ns = rest.time_ns / max(rest.launches, 1)
    return (Drifting(launch_ns=launch_ns, time_ns=float(rest.time_ns)),) if launch_ns else ()


def _spread_of_launch(launch_ns: float, lengths: Floats, sizes: Floats) -> float:
    """The standard deviation of the change of a launch of this length."""
    # Of one side 200 ns or 3 % of the launch, the smaller one; the change is of two sides.
    least = float(np.sqrt(2)) * min(_LEAST_RATIO, _LEAST_NS / launch_ns)  # of both sides
    # Which of the others take about as long; (others,).
    near = (lengths <= launch_ns * _AS_LONG) & (lengths >= launch_ns / _AS_LONG)
    if near.sum() < _COMPANY:
        return least
    # The change that four fifths of them stay below, as a standard deviation; the rest may be real.
    return max(least, float(np.quantile(sizes[near], _SHARE)) / _OF_NORMAL)


def _change_of_launch(pair: Pair, clocks: ClockFactors) -> tuple[float, float] | None:
    """Ns of a launch before, and the logarithm of what became of it; None without samples."""
    one, other = pair.before[0], pair.after[0]
    if not (one.samples and other.samples) or of_launch(pair)[0] is not Cause.SAME_CODE:
        return None
    # Ns of one launch: a sample is an invocation, which may launch several times.
    before, after = (
        float(np.median(list(call.samples.values()))) / float(call.per_invocation)
        for call in (one, other)
    )
    if before <= 0 or after <= 0:
        return None
    factor = float(clocks.of_calls(pair.before, pair.after))
    return before, float(np.log(after / factor / before))


def evidence_beyond_drift(
    samples: Mapping[int, tuple[Times, Times]],
    drifting: Mapping[int, Sequence[Drifting]],
    floor: float,
    drift: Drift,
) -> dict[int, TestEvidence]:
    """The evidence for each group that has enough samples before and after, by its key.

    `drifting` is what the older side of a group is the sum of. `floor` is the ratio that repeats of
    the same code differ by.
    """
    # The drift of what may be slower is learnt from what became faster, and the other way round.
    floors = {
        key: max(floor, drift.floor_of_sum(drifting[key], slower=is_slower(*pair)))
        for key, pair in samples.items()
    }
    return find_evidence(samples, floors)
