"""Which source file of one side is which of the other: a checkout may lie elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath


def same_files(before: Iterable[str], after: Iterable[str]) -> Mapping[str, str]:
    """The files of `before` by what they are called in `after`; those without a twin stay out.

    Equal paths first, then those that share the most folders at their end, where that is one pair.

    >>> same_files(["/base/net/a.py", "/base/b.py"], ["/branch/net/a.py", "/branch/c.py"])
    {'/base/net/a.py': '/branch/net/a.py'}
    """
    left, right = set(before), set(after)
    found = {name: name for name in sorted(left & right)}
    for length in range(_longest(left), 0, -1):
        ends = [_by_end(side - done, length) for side, done in _open(left, right, found)]
        for end in sorted(ends[0].keys() & ends[1].keys()):
            if len(ends[0][end]) == len(ends[1][end]) == 1:
                found[ends[0][end][0]] = ends[1][end][0]
    return found


def _open(
    left: set[str], right: set[str], found: Mapping[str, str]
) -> tuple[tuple[set[str], set[str]], ...]:
    return (left, set(found)), (right, set(found.values()))


def _longest(names: Iterable[str]) -> int:
    return max((len(PurePath(name).parts) for name in names), default=0)


def _by_end(names: Iterable[str], length: int) -> dict[tuple[str, ...], list[str]]:
    ends: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        ends.setdefault(PurePath(name).parts[-length:], []).append(name)
    return ends
