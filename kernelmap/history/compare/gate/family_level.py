"""The level of a gate that judges families: calls of one op or of one kernel, summed.

Families share calls, so one slower kernel makes several of them slower. The one that tells most is
a reason; others are only for what they are slower by without its calls. A call that fails alone is
part of the family's reason where it is slower as the family is. One that is far slower explains the
family, unless that is slower without it, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.history.compare.gate.families import CallFamily, Member, find_families
from kernelmap.history.compare.gate.findings import Findings, GateLimits
from kernelmap.history.compare.gate.judging import is_new_operator, share_on_top, why_in_doubt
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.texts.words import say_speed
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_signed

_MOST_OF_IT = 0.8
"""Of the change: a smaller family that has so much of it names it better. With half, a reason
names a part; with all, `aten.mul` and all that is fused with it stands where one kernel is
meant. Chosen."""


def judge_families(comparison: Comparison, limits: GateLimits, findings: Findings) -> None:
    """Families that became slower, and operators outside compiled code that came on top."""
    # The members whose slowness a reason has named; families are asked again without them.
    told: set[int] = set()
    left = findings.families
    # One reason a round, until nothing is slower beside what was named.
    while failing := [family for family in left if _is_slower(family, limits)]:
        family = _most_telling(failing)
        single = _find_explaining(family, limits, findings)
        # Calls that fail alone explain the family; their own reasons stand already.
        if single and not _is_slower_without(family, told | single, comparison, limits):
            told |= single
        else:
            # The family is the reason: it takes the place of the reasons of calls that are as slow.
            told |= family.keys
            findings.reasons.append(_say_reason(family, comparison))
            _fold_reasons(family, limits, findings)
        left = find_families(comparison, limits.time_ns, told)
    # Larger than the limit, and maybe noise: of families that share calls only the largest is told.
    findings.doubts += [
        _say_reason(family, comparison)
        + why_in_doubt(family.samples, family.stats, comparison, 1.0)
        for family in _families_apart([family for family in left if _is_above(family, limits)])
    ]
    _judge_new_operators(comparison, limits, findings)


def _judge_new_operators(comparison: Comparison, limits: GateLimits, findings: Findings) -> None:
    """Operators that took no time before; those inside of calls are judged with these."""
    # Operators inside of calls are judged with their calls, where calls are judged.
    if "call" in limits.levels:
        added = [(c.what, c.change_ns) for c in comparison.changes if is_new_operator(c)]
    else:
        # Names in parentheses are time without an op.
        rows = [row for row in comparison.tables["ops"] if not row.name.startswith("(")]
        added = [(row.name, row.change_ns) for row in rows if not row.before_ns]
    for name, change_ns in added:
        by = share_on_top(change_ns, comparison, limits) if change_ns > 0 else None
        if by is not None:
            change = f"{format_signed(change_ns)} a {comparison.unit.word}"
            findings.reasons.append(f"op {name}: {by}, {change}")


def _is_above(family: CallFamily, limits: GateLimits) -> bool:
    return family.stats.ratio - 1 > limits.regression


def _is_slower(family: CallFamily, limits: GateLimits) -> bool:
    return _is_above(family, limits) and family.stats.significant


def _is_slower_without(
    family: CallFamily, without: set[int], comparison: Comparison, limits: GateLimits
) -> bool:
    """Whether the family is slower without some of its members, too."""
    others = find_families(comparison, limits.time_ns, without)
    return any(
        _is_slower(other, limits)
        for other in others
        if (other.what, other.name) == (family.what, family.name)
    )


def _most_telling(failing: Sequence[CallFamily]) -> CallFamily:
    """The family with the largest change, or a smaller one in it that has nearly all of that."""
    largest = max(failing, key=lambda family: family.change_ns)
    # Families whose members all belong to the largest one.
    inside = [
        family
        for family in failing
        if family.keys <= largest.keys and family.change_ns >= _MOST_OF_IT * largest.change_ns
    ]
    return max(inside, key=lambda family: family.stats.ratio)


def _find_explaining(family: CallFamily, limits: GateLimits, findings: Findings) -> set[int]:
    """The members that fail alone and are far slower than the family; a lone member is it."""
    is_lone = len(family.members) == 1
    return {
        member.key
        for member in family.members
        if _ids_of_calls(member) in findings.alone
        and (is_lone or _is_far_slower(member, family, limits))
    }


def _is_far_slower(member: Member, family: CallFamily, limits: GateLimits) -> bool:
    return member.ratio > family.stats.ratio * (1 + limits.regression)


def _fold_reasons(family: CallFamily, limits: GateLimits, findings: Findings) -> None:
    """Take the reasons of calls away that are slower as their family is, and no more."""
    for member in family.members:
        text = findings.alone.get(_ids_of_calls(member))
        if text is None:
            continue
        if not _is_far_slower(member, family, limits):
            findings.reasons.remove(text)
            del findings.alone[_ids_of_calls(member)]


def _families_apart(large: Sequence[CallFamily]) -> list[CallFamily]:
    """The families that share no member, largest change first."""
    chosen: list[CallFamily] = []
    for family in sorted(large, key=lambda family: -family.change_ns):
        if not any(family.keys & other.keys for other in chosen):
            chosen.append(family)
    return chosen


def _say_reason(family: CallFamily, comparison: Comparison) -> str:
    change = f"{format_signed(family.change_ns)} a {comparison.unit.word}"
    where = f" in {format_count(len(family.calls), 'call')}" if family.calls else ""
    return f"{family.what} {family.name}: {say_speed(family.stats.ratio)}{where}, {change}"


def _ids_of_calls(member: Member) -> tuple[str, ...]:
    return tuple(call.id for call in member.calls)
