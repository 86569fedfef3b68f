"""One row of launches against the usual one: which of them are the usual ones, and which strangers.

Takes two sequences of names. A *pattern* is what most invocations launch at a place; a row may lack
some of it (lost) and have more (another thread's work). The most launches in common win, then those
that stand side by side in both. The ends of a pattern stand beside the ends of the row, unless the
row goes on with something else.
"""

from __future__ import annotations

from collections.abc import Sequence

_NEVER = -(10**9)
_COMMON, _BESIDE = 10, 1
_CLOSE = 2
"""Answers that lose less by it are as good: a stranger may stand on either side of its like."""
_STRANGER = -1

Table = list[list[int]]


def places_in(
    row: Sequence[int], pattern: Sequence[int], *, goes_on: bool = False
) -> list[tuple[int, ...]]:
    """Per launch of `row`, the places in `pattern` that it may be, -1 for a stranger.

    More than one where several answers are about equally good. `goes_on` says that the row does
    not end here.

    >>> places_in([7, 9, 8], [7, 8])
    [(0,), (-1,), (1,)]
    >>> places_in([7], [7, 7])
    [(0, 1)]
    """
    if list(row) == list(pattern):
        return [(place,) for place in range(len(row))]
    ends, any_end = _ways(row, pattern, open_start=False)
    starts, any_start = (
        [line[::-1] for line in table[::-1]]
        for table in _ways(row[::-1], pattern[::-1], open_start=goes_on)
    )
    best = max(any_end[-1][-1], ends[-1][-1] + _BESIDE) - (0 if goes_on else _CLOSE)
    found: list[tuple[int, ...]] = []
    for i in range(len(row)):
        may: list[int] = []
        if any(any_end[i][j] + any_start[i + 1][j] >= best for j in range(len(pattern) + 1)):
            may.append(_STRANGER)
        for j in range(len(pattern)):
            ahead = max(any_start[i + 1][j + 1], starts[i + 1][j + 1] + _BESIDE)
            if ends[i + 1][j + 1] + ahead >= best:
                may.append(j)
        found.append(tuple(may))
    return found


def _ways(row: Sequence[int], pattern: Sequence[int], *, open_start: bool) -> tuple[Table, Table]:
    """The best for the first i launches and j places: ending in a common one, and anyhow."""
    width = len(pattern) + 1
    common = [[_NEVER] * width for _ in range(len(row) + 1)]
    anyhow = [[0] * width for _ in range(len(row) + 1)]
    common[0][0] = -_BESIDE if open_start else 0
    for i, name in enumerate(row, start=1):
        for j, usual in enumerate(pattern, start=1):
            if name == usual:
                beside = common[i - 1][j - 1] + _BESIDE
                common[i][j] = max(anyhow[i - 1][j - 1], beside) + _COMMON
            anyhow[i][j] = max(common[i][j], anyhow[i - 1][j], anyhow[i][j - 1])
    return common, anyhow
