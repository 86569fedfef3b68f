"""Two sides → families: calls of one op or of one kernel, summed, and whether the sum is slower.

A model of two hundred launches of 3 µs has hardly a call that is worth a look alone, and all of its
time in families of them. A family is what one op stands for, or one kernel by its name without the
number that the compiler counted; eager operators belong to the op of their name. Only what ran on
both sides is summed, so a family changes by its code and not by its members. Views make no family.

A family is no sum of numbers/sums.py: a call is in several families, and in all of them whether it
changed or not; families add up to nothing. Sums split the change, and hold what changed alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.drift import (
    Drifting,
    drifting_operator,
    evidence_beyond_drift,
    members_of_calls,
)
from kernelmap.history.compare.numbers.statistics import (
    LEAST,
    TestEvidence,
    Times,
    launched_more,
    per_step,
    sum_of_calls,
)
from kernelmap.history.compare.pairing.sides import Pair
from kernelmap.history.compare.sides.side import CallSide

OP, KERNEL = "op", "kernel"
_SELDOM = 0.5
"""Of the usual number of runs: the rarest member says how many samples a family has, so what
ran less often would cost the others theirs. With more, a call of every other step is left out.
Chosen."""

_Name = tuple[str, str]
"""Whether it is an op or a kernel, and how it is called."""


class Member(Struct, frozen=True, kw_only=True):
    """Calls that are a pair, or an operator outside compiled code: ns of each run on both sides.

    `often` is how many runs a unit has. `key` is where the calls stand in `Comparison.pairs`, and
    negative for an operator. Launch counts are those of the newer side, and the clock's part is
    taken out.
    """

    key: int
    before: Times
    after: Times
    often: float
    drifting: tuple[Drifting, ...]
    calls: tuple[CallSide, ...] = ()

    @property
    def ratio(self) -> float:
        """After over before, by medians."""
        return float(np.median(self.after) / np.median(self.before))


class CallFamily(Struct, frozen=True, kw_only=True):
    """`what` is `op` or `kernel`; the medians of `stats` are ns per unit."""

    what: str
    name: str
    members: tuple[Member, ...]
    samples: tuple[Times, Times]
    stats: TestEvidence

    @property
    def keys(self) -> frozenset[int]:
        """Its members by their keys."""
        return frozenset(member.key for member in self.members)

    @property
    def calls(self) -> tuple[CallSide, ...]:
        """The calls of its members, as they are now."""
        return tuple(call for member in self.members for call in member.calls)

    @property
    def change_ns(self) -> int:
        """Ns per unit."""
        return self.stats.after_ns - self.stats.before_ns


def find_families(
    comparison: Comparison, least_ns: int, without: Collection[int] = ()
) -> tuple[CallFamily, ...]:
    """The families that take `least_ns` per unit, tested together; `without` some members.

    Of families with the same members the first stands for all: an op before a kernel.
    """
    # By the members' keys: several names of the same calls are one family, under the first name.
    summed: dict[frozenset[int], tuple[_Name, tuple[Member, ...], tuple[Times, Times]]] = {}
    for name, members in _members_by_name(comparison, frozenset(without)).items():
        held = _of_usual_number(members)
        samples = _sum_per_unit(held)
        if min(map(len, samples)) < LEAST:
            continue
        # The longer side decides, so that what became long is judged as well.
        if max(float(np.median(side)) for side in samples) >= least_ns:
            summed.setdefault(frozenset(member.key for member in held), (name, held, samples))
    # By position in this list, for one test of all families together.
    listed = list(summed.values())
    drifting_of = {
        at: [one for member in held for one in member.drifting]
        for at, (_, held, _) in enumerate(listed)
    }
    samples_of = {at: samples for at, (_, _, samples) in enumerate(listed)}
    tested = evidence_beyond_drift(samples_of, drifting_of, comparison.floor, comparison.drift)
    return tuple(
        CallFamily(what=what, name=name, members=held, samples=samples, stats=tested[at])
        for at, ((what, name), held, samples) in enumerate(listed)
    )


def _members_by_name(
    comparison: Comparison, without: Collection[int]
) -> Mapping[_Name, list[Member]]:
    """What each op and each kernel stands for on both sides, ops first."""
    named: dict[_Name, list[Member]] = defaultdict(list)
    kernels: dict[_Name, list[Member]] = defaultdict(list)
    for at, pair in enumerate(comparison.pairs):
        if at in without or not (member := _member_of_pair(pair, at, comparison)):
            continue
        # Only an op that calls of both sides work for; others came or went.
        ops = [{op for call in calls for op in call.ops} for calls in (pair.before, pair.after)]
        for op in sorted(set.intersection(*ops) - ALIAS_OPS):
            named[OP, op].append(member)
        # The same by the kernel's name, without the compiler's number.
        names = [{call.piece.name for call in calls} for calls in (pair.before, pair.after)]
        for name in sorted(set.intersection(*names)):
            kernels[KERNEL, name].append(member)
    for key, name, member in _iter_operators(comparison):
        if key not in without:
            named[OP, name].append(member)
    return {**named, **kernels}


def _member_of_pair(pair: Pair, at: int, comparison: Comparison) -> Member | None:
    """Calls of both sides that ran and took time; None for others."""
    clock = float(comparison.clocks.of_calls(pair.before, pair.after))
    # Ns of each run, the clock's part taken out of the newer side.
    before, after = sum_of_calls(pair.before), sum_of_calls(pair.after) / clock
    if min(len(before), len(after)) < LEAST or not (np.median(before) and np.median(after)):
        return None
    # How often they run in the whole window: launches over the launches of one invocation.
    launches = max(call.launches / float(call.per_invocation) for call in pair.after)
    return Member(
        key=at,
        # As if it had been launched as often as now: other launch counts are no change of the code.
        before=before * float(launched_more(pair)),
        after=after,
        often=launches / comparison.unit.after,
        drifting=members_of_calls(pair.before, at),
        calls=pair.after,
    )


def _iter_operators(comparison: Comparison) -> Iterator[tuple[int, str, Member]]:
    """Operators outside compiled code that ran in the usual step of both sides."""
    older, newer = (
        {rest.name: rest for rest in side.rests if rest.outside} for side in comparison.sides
    )
    # Both sides in the order of their names; -1 - at is a key that no pair has.
    for at, name in enumerate(sorted(older.keys() & newer.keys())):
        before, after = (
            per_step(rests[name], side)
            for rests, side in zip((older, newer), comparison.sides, strict=True)
        )
        if min(len(before), len(after)) < LEAST or not (np.median(before) and np.median(after)):
            continue
        yield -1 - at, name, Member(
            key=-1 - at,
            before=before,
            after=after,
            often=1.0,
            drifting=drifting_operator(older[name]),
        )  # fmt: skip


def _of_usual_number(members: Sequence[Member]) -> tuple[Member, ...]:
    """Without those that ran less than half as often as most: the rarest limits the sums."""
    # The runs that both sides have of each member, and how many are usual.
    numbers = [min(len(member.before), len(member.after)) for member in members]
    usual = float(np.median(numbers)) if numbers else 0.0
    return tuple(
        member for member, number in zip(members, numbers, strict=True) if number >= _SELDOM * usual
    )


def _sum_per_unit(members: Sequence[Member]) -> tuple[Times, Times]:
    """The members' ns per unit together, in the order of time, on both sides."""
    if not members:
        return np.zeros(0), np.zeros(0)
    sums = []
    for series in ([m.before for m in members], [m.after for m in members]):
        # The rarest member says how many samples there are. Of a member with 40 runs for 20
        # samples, each sample has the mean of two runs in a row, times its runs a unit.
        number = min(map(len, series))
        parts = [
            _in_parts(times, number) * member.often
            for times, member in zip(series, members, strict=True)
        ]
        sums.append(np.sum(parts, axis=0))
    return sums[0], sums[1]


def _in_parts(times: Times, number: int) -> Times:
    """So many means of as many times each, in order, without what is left over at the end."""
    size = len(times) // number
    return np.asarray(times[: size * number].reshape(number, size).mean(axis=1))
