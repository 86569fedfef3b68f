"""Equal values of two sequences, held against each other one to one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher


def aligned(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Positions of equal values: those that keep their order, then the others as they come."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    found = [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    left = set(range(len(before))) - {one for one, _ in found}
    right: dict[Hashable, list[int]] = defaultdict(list)
    for other in sorted(set(range(len(after))) - {other for _, other in found}):
        right[after[other]].append(other)
    found += [(one, right[before[one]].pop(0)) for one in sorted(left) if right[before[one]]]
    return sorted(found)
