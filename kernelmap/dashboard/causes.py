"""What a comparison says, in one line: the causes that bear most of the change."""

from __future__ import annotations

from collections.abc import Iterable

from kernelmap.compare.causes import Cause
from kernelmap.compare.comparison import Comparison
from kernelmap.compare.words import lines, signed

_TOLD = 3
_BEARS = 0.05  # of the largest; what is less is on the page of the comparison


def told(found: Comparison) -> str:
    """The causes of the whole change."""
    clock = Cause.CLOCK.value
    return bearing(
        (line.change_ns, f"{line.cause} {signed(line.change_ns)}: {line.what}")
        for line in lines(found)
        if line.cause == clock or not line.dim
    )


def bearing(texts: Iterable[tuple[int, str]]) -> str:
    """The texts of the largest changes, each given with its ns; how many more bear on it.

    >>> bearing([(5, "b"), (-90, "a"), (1, "c")]), bearing([])
    ('a; b', 'no change')
    """
    ordered = sorted(texts, key=lambda each: -abs(each[0]))
    main = [text for ns, text in ordered if abs(ns) >= _BEARS * abs(ordered[0][0])]
    more = [f"{len(main) - _TOLD} more"] if len(main) > _TOLD else []
    return "; ".join([*main[:_TOLD], *more]) or "no change"
