"""Changes → sums: one row per cause and kernel or operator, tested as a whole.

A sum is no family of gate/families.py: it answers what the change is made of, so every change is in
one sum and the sums add up. A family answers whether an op became slower: it holds what did not
change as well, and a call is in several.

A sum holds all changes of one cause that are of one kernel: the 63 calls of `extern_kernels.mm`
that became slower are one row. All that was fused otherwise is one row as well, and so are new and
gone calls that replace each other, and what all of the same code did alike. Every change is in
exactly one sum, so the sums add up to the change of the whole, to the nanosecond.

Chance is asked of the sum and not of each call: a shift of 3 % that no single call shows beyond its
noise is plain in the sum of sixty of them. Its samples are those of its calls, the k-th of each
together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from msgspec import Struct

from kernelmap.history.compare.numbers.causes import BY_CLOCK, COUNTED, Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.drift import Drift, Drifting, evidence_beyond_drift
from kernelmap.history.compare.numbers.replaced import replacing_each_other
from kernelmap.history.compare.numbers.statistics import (
    ALPHA,
    LEAST,
    TestEvidence,
    Times,
    sum_in_order,
)
from kernelmap.history.compare.sides.side import CallSide, share_of_limit
from kernelmap.model.notices import format_count

_ONE_ROW = (Cause.REFUSED, *BY_CLOCK, Cause.SPREAD)
"""Causes that are one row, whatever kernels they are of.

A fusion changes which kernels there are, and the clock is no kernel's doing.
"""

_MOSTLY = 0.5
"""Of what the calls of a sum moved: a call with more of it is what the sum is about. At half no
second call can be it. Arithmetic."""


class ChangeSum(Struct, frozen=True, kw_only=True):
    """Changes of one cause and one kernel or operator, the largest first.

    `evidence` is that of the sum of their samples; None where there are too few, or none.
    `interval_ns` is that of the change, ns per unit; None where the calls run another number of
    times a unit each.
    """

    cause: Cause
    what: str
    changes: tuple[Change, ...]
    evidence: TestEvidence | None = None
    interval_ns: tuple[int, int] | None = None

    @property
    def change_ns(self) -> int:
        """Ns per unit, the sum of the changes."""
        return sum(change.change_ns for change in self.changes)

    @property
    def before_ns(self) -> int:
        """What its calls took before, ns per unit."""
        return sum(change.before_ns for change in self.changes)

    @property
    def after_ns(self) -> int:
        """What its calls take after, ns per unit."""
        return sum(change.after_ns for change in self.changes)

    @property
    def before(self) -> tuple[CallSide, ...]:
        """Its calls before."""
        return tuple(call for change in self.changes for call in change.before)

    @property
    def after(self) -> tuple[CallSide, ...]:
        """Its calls after."""
        return tuple(call for change in self.changes for call in change.after)

    @property
    def calls(self) -> int:
        """How many calls it concerns: those after, or of what is gone those before."""
        return len(self.after) or len(self.before)

    @property
    def ratio(self) -> float | None:
        """The time after over what it would be without this change; None where that is nothing.

        What another cause did to the same calls (the clock, more launches) is in both.
        """
        without = self.after_ns - self.change_ns
        # Launch counts, the clock and single runs have no ratio.
        if self.cause in COUNTED or without <= 0 or not (self.before_ns and self.after_ns):
            return None
        return self.after_ns / without

    @property
    def significant(self) -> bool | None:
        """Whether it is more than noise; None where there is too little to test.

        Where one of its calls is beyond noise, the sum is: others may hide it in the sum. It has to
        be beyond the noise of as many calls as the sum has (Bonferroni): the rate of false claims
        that holds for single calls lets one of a hundred pass wherever a hundred others are true.
        """
        if len(self.changes) == 1:
            return self.changes[0].significant
        if self.cause is Cause.SPREAD:
            return False
        if self.cause is Cause.REPLACED:
            return None  # its calls run in other graphs, so that no two runs are of the same work
        singles = [change.significant for change in self.changes]
        # One call beyond the noise of all of them is enough, however much the others vary.
        if any(self._stands_out(change) for change in self.changes):
            return True
        if self.evidence is not None:
            return self.evidence.significant
        # Not tested as a sum: it is noise if every call is, else nobody knows.
        return False if all(single is False for single in singles) else None

    def _stands_out(self, change: Change) -> bool:
        """Whether one of its changes is beyond the noise of all of them."""
        stats = change.evidence
        # Bonferroni: p times the number of calls that it could have been.
        is_chance = stats is not None and stats.p * len(self.changes) > ALPHA
        return bool(change.significant) and not is_chance

    @property
    def shares_of_limit(self) -> tuple[float | None, float | None]:
        """The share of the device's limit that its calls reach on both sides, None if unknown."""
        return share_of_limit(self.before), share_of_limit(self.after)

    @property
    def main(self) -> Change | None:
        """The one change that bears most of the sum, None where none does."""
        # Absolute times: a call that gained and one that lost must not cancel each other out.
        moved = sum(abs(change.change_ns) for change in self.changes)
        largest = self.changes[0]
        return largest if abs(largest.change_ns) > _MOSTLY * moved else None

    @property
    def ops(self) -> tuple[str, ...]:
        """The operators that its calls work for."""
        calls = (*self.after, *self.before)
        return tuple(dict.fromkeys(op for call in calls for op in call.ops))

    @property
    def source(self) -> tuple[str, ...]:
        """The source lines of its calls as `file:line`, those that bear most of it first.

        The change of a call is shared by its lines alike.
        """
        weights: Counter[str] = Counter()
        for change in self.changes:
            # What is gone has lines on the older side only.
            calls = change.after or change.before
            lines = dict.fromkeys(line for call in calls for line in call.source)
            for line in lines:
                weights[line] += abs(change.change_ns) / len(lines)  # type: ignore[assignment] # parts of a ns
        return tuple(sorted(weights, key=lambda line: -weights[line]))


class SampledChange(Struct, frozen=True, kw_only=True):
    """A change with the samples before and after that it was tested with, None where it was not.

    `per` makes the ns of a sample those of a unit; None where nothing does. `drifting` is what its
    older side is the sum of.
    """

    change: Change
    samples: tuple[Times, Times] | None = None
    per: Fraction | None = None
    drifting: tuple[Drifting, ...] = ()


def sum_changes(
    tested: Iterable[SampledChange], floor: float = 0.0, drift: Drift | None = None
) -> tuple[ChangeSum, ...]:
    """The sums of all changes, largest first.

    `floor` is what repeats differ by, and `drift` what a launch differs by from process to process;
    without that no sum is tested.
    """
    every = list(tested)
    # Changes that replace each other share a key, whatever causes and kernels they have. `id` tells
    # changes apart: they hold dicts of samples and have no hash.
    replaced = {
        id(change): (Cause.REPLACED, str(number))
        for number, group in enumerate(replacing_each_other(each.change for each in every))
        for change in group
    }
    by_key: dict[tuple[str, ...], list[SampledChange]] = defaultdict(list)
    for each in every:
        by_key[replaced.get(id(each.change)) or _key_of_sum(each.change)].append(each)
    # The largest change first in each sum: the sum is called after it.
    groups = [
        sorted(group, key=lambda each: -abs(each.change.change_ns)) for group in by_key.values()
    ]
    # Sums of one change have its evidence. The others are one family of tests.
    several = {at: _samples_of_group(group) for at, group in enumerate(groups) if len(group) > 1}
    members = {at: _members_of_group(groups[at]) for at in several}
    evidences = {} if drift is None else evidence_beyond_drift(several, members, floor, drift)
    sums = [_sum_of_group(group, evidences.get(at)) for at, group in enumerate(groups)]
    return tuple(sorted(sums, key=lambda each: (-abs(each.change_ns), each.cause, each.what)))


def sums_within(sums: Iterable[ChangeSum], changes: Iterable[Change]) -> tuple[ChangeSum, ...]:
    """The sums of some of a comparison's changes, such as those of one operator.

    One that is complete keeps what was tested of it; of one that is not each change has its own.
    """
    # The sums of the whole comparison, by the changes in them.
    known = {frozenset(map(id, each.changes)): each for each in sums}
    return tuple(
        known.get(frozenset(map(id, each.changes)), each)
        for each in sum_changes(SampledChange(change=change) for change in changes)
    )


def _sum_of_group(group: Sequence[SampledChange], stats: TestEvidence | None) -> ChangeSum:
    changes = tuple(each.change for each in group)
    if len(changes) == 1:
        stats, interval = changes[0].evidence, changes[0].interval_ns
    else:
        interval = _interval_of_sum(group, stats)
    # Several causes are in one sum only where calls replace each other.
    cause = changes[0].cause if len({each.cause for each in changes}) == 1 else Cause.REPLACED
    return ChangeSum(
        cause=cause,
        what=_subject_of_sum(changes, cause),
        changes=changes,
        evidence=stats,
        interval_ns=interval,
    )


def _interval_of_sum(
    group: Sequence[SampledChange], stats: TestEvidence | None
) -> tuple[int, int] | None:
    """The interval of the sum in ns per unit, where all its changes have one scale."""
    # The factors from ns of a sample to ns of a unit; with different ones the sum has no interval.
    scales = {each.per for each in group}
    per = scales.pop() if len(scales) == 1 else None
    return (
        None
        if stats is None or per is None
        else (round(stats.low_ns * per), round(stats.high_ns * per))
    )


def _key_of_sum(change: Change) -> tuple[str, ...]:
    """What the changes of one sum share."""
    if change.cause in _ONE_ROW:
        return (change.cause,)
    # Whole graphs, and operators outside compiled code, go by their own name.
    calls = change.after or change.before
    if not calls or change.cause in (Cause.NEW_GRAPH, Cause.GONE_GRAPH):
        return (change.cause, "", change.what)
    return (change.cause, "calls", calls[0].piece.name)


def _samples_of_group(group: Sequence[SampledChange]) -> tuple[Times, Times]:
    """The samples of the whole group, of those changes that have enough of them."""
    pairs = [each.samples for each in group if each.samples is not None]
    # A sum is as long as its shortest series: changes with too few samples would cut it off.
    pairs = [pair for pair in pairs if min(map(len, pair)) >= LEAST]
    before, after = (sum_in_order(pair[at] for pair in pairs) for at in (0, 1))
    return before, after


def _members_of_group(group: Sequence[SampledChange]) -> list[Drifting]:
    """What the older side of the whole group is the sum of."""
    return [member for each in group for member in each.drifting]


def say_what_became(changes: Sequence[Change]) -> str:
    """How many calls became how many, each counted once."""
    before = {call.id for change in changes for call in change.before}
    after = {call.id for change in changes for call in change.after}
    return f"{format_count(len(before), 'call')} became {len(after):,}"


def _subject_of_sum(changes: Sequence[Change], cause: Cause) -> str:
    """What a sum is about: a call as it is called, or what the names of several have in common."""
    if len(changes) == 1:
        return changes[0].what
    if cause is Cause.REPLACED:
        return say_what_became(changes)
    if cause is Cause.REFUSED:
        return f"{len(changes):,} parts: {say_what_became(changes)}"
    if cause in _ONE_ROW:
        return changes[0].what
    # `extern_kernels.mm`, or `triton_poi_fused_add_*` where the compiler numbered the calls.
    names = {(change.after or change.before)[0].name for change in changes}
    return (
        names.pop()
        if len(names) == 1
        else f"{(changes[0].after or changes[0].before)[0].piece.name}_*"
    )
