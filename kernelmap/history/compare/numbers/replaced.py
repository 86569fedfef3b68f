"""Changes → which new calls do the work of gone ones, also in another graph or outside of any.

A graph break makes of one graph several: its calls are gone, and their work is done by calls of new
graphs, or by operators outside compiled code. That is one thing that happened. Takes the changes,
gives those that belong together: what came and what went, for the same operator at the same source
line. Where one of two says no line, the operator alone has to do. Views replace nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.change import Change

_ONE_SIDED = (Cause.NEW, Cause.GONE, Cause.NEW_GRAPH, Cause.GONE_GRAPH)
_ALSO = (Cause.OUTSIDE, Cause.LAUNCHES)
"""What may be a part of it: work that left compiled code, and calls that now do what others did."""


def replacing_each_other(changes: Iterable[Change]) -> list[list[Change]]:
    """The changes that replace each other, a list for each group of them."""
    # What came or went, or is launched otherwise; only this can be part of a replacement.
    moved = [change for change in changes if _may_replace(change)]
    came = [at for at, change in enumerate(moved) if change.change_ns > 0]
    # By operator, what takes more time now.
    by_op: dict[str, list[int]] = defaultdict(list)
    for at in came:
        for op in _ops_of_change(moved[at]):
            by_op[op].append(at)
    lines = [_lines_of_change(change) for change in moved]
    # Union-find over these changes.
    of = list(range(len(moved)))

    def root(at: int) -> int:
        while of[at] != at:
            of[at] = of[of[at]]
            at = of[at]
        return at

    # Each change that saves time is joined to those that cost time for the same operator.
    for went, change in enumerate(moved):
        if change.change_ns > 0:
            continue
        for other in {other for op in _ops_of_change(change) for other in by_op[op]}:
            # At least one stands on one side only. Lines that are known and differ keep them apart.
            one_sided = change.cause in _ONE_SIDED or moved[other].cause in _ONE_SIDED
            told_apart = lines[went] and lines[other] and lines[went].isdisjoint(lines[other])
            if one_sided and not told_apart:
                of[root(went)] = root(other)
    groups: dict[int, list[Change]] = defaultdict(list)
    for at, change in enumerate(moved):
        groups[root(at)].append(change)
    # What nothing joined replaces nothing.
    return [group for group in groups.values() if len(group) > 1]


def count_of_the_same(changes: Sequence[Change]) -> int:
    """How many of the calls before there are after as well: the same work, in another place."""
    # The calls before, counted by what they compute.
    before: dict[str, int] = defaultdict(int)
    for call in (call for change in changes for call in change.before):
        before[call.piece.key] += 1
    same = 0
    for call in (call for change in changes for call in change.after):
        if before[call.piece.key]:
            before[call.piece.key] -= 1
            same += 1
    return same


def _may_replace(change: Change) -> bool:
    """Whether it came or went as a whole, or is launched another number of times."""
    one_sided = bool(change.before_ns) != bool(change.after_ns)
    return change.cause in _ONE_SIDED or (
        change.cause in _ALSO and (one_sided or change.cause is Cause.LAUNCHES)
    )


def _ops_of_change(change: Change) -> set[str]:
    if change.cause is Cause.OUTSIDE:
        return {change.what}
    calls = (*change.before, *change.after)
    return {op for call in calls for op in call.ops} - ALIAS_OPS


def _lines_of_change(change: Change) -> set[str]:
    """The texts of its source lines, which stay when the lines move; else where they stand."""
    calls = (*change.before, *change.after)
    return {line for call in calls for line in call.piece.lines or call.source}
