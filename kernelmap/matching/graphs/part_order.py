"""Ranges → the statements of a graph's end or beginning, by the cheapest way to lay them in order.

Takes symbols in host order, and the steps that the code runs. A range stands for a step of its
symbol, or for none; a step was recorded, or lost. At the end of an invocation any steps may be
missing before the first one seen, and anything may follow the last; at its beginning vice versa.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelmap.matching.names.symbols import Step, is_kernel_symbol
from kernelmap.model import Occurrence

_KERNEL, _OPERATOR = 3.0, 1.0
"""What a step is worth that was seen: only generated code runs its kernels."""
_LOST = 1.5
_STRAY_KERNEL, _STRAY = 3.0, 0.5
_CLEAR = 0.75
"""A margin from which one statement is clearly ahead of the next, and of none."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What it costs to see a stretch so, and the calls that each range may stand for."""

    cost: float
    calls: tuple[tuple[int, ...], ...]


def fit(seen: Sequence[str], steps: Sequence[Step], *, is_end: bool) -> Fit | None:
    """The cheapest way to see `seen` as the end (or the beginning) of `steps`.

    None where branches or loops decide what runs, or no kernel finds its place.
    """
    if any(step.occurrence is not Occurrence.ONCE for step in steps):
        return None
    if not is_end:
        back = _fit(seen[::-1], steps[::-1])
        return back and Fit(back.cost, back.calls[::-1])
    return _fit(seen, steps)


def _fit(seen: Sequence[str], steps: Sequence[Step]) -> Fit | None:
    """The same for the end of an invocation."""
    ahead, behind = _ahead(seen, steps), _behind(seen, steps)
    cost = min(before + after for before, after in zip(ahead[0], behind[0], strict=True))
    calls = []
    for at, symbol in enumerate(seen):
        none = min(
            ahead[at][place] + _skip(symbol, over=place == len(steps)) + behind[at + 1][place]
            for place in range(len(steps) + 1)
        )
        ways = {
            step.call: ahead[at][place] - _worth(symbol) + behind[at + 1][place + 1]
            for place, step in enumerate(steps)
            if step.symbol == symbol
        }
        close = {call for call, way in ways.items() if way < cost + _CLEAR}
        calls.append(tuple(sorted(close)) if none >= cost + _CLEAR else ())
    placed = any(own and is_kernel_symbol(symbol) for symbol, own in zip(seen, calls, strict=True))
    return Fit(cost, tuple(calls)) if placed else None


def _ahead(seen: Sequence[str], steps: Sequence[Step]) -> list[list[float]]:
    """What ranges and steps cost up to each pair of places; steps before the first are free."""
    rows = [[0.0] * (len(steps) + 1)]
    for symbol in seen:
        before = rows[-1]
        row: list[float] = []
        for place in range(len(steps) + 1):
            best = before[place] + _skip(symbol, over=place == len(steps))
            if place:
                best = min(best, row[-1] + _LOST)
                if steps[place - 1].symbol == symbol:
                    best = min(best, before[place - 1] - _worth(symbol))
            row.append(best)
        rows.append(row)
    return rows


def _behind(seen: Sequence[str], steps: Sequence[Step]) -> list[list[float]]:
    """What is left to pay from each pair of places on."""
    rows = [[_LOST * (len(steps) - place) for place in range(len(steps) + 1)]]
    for symbol in reversed(seen):
        after = rows[-1]
        row = [0.0] * (len(steps) + 1)
        for place in range(len(steps), -1, -1):
            best = after[place] + _skip(symbol, over=place == len(steps))
            if place < len(steps):
                best = min(best, row[place + 1] + _LOST)
                if steps[place].symbol == symbol:
                    best = min(best, after[place + 1] - _worth(symbol))
            row[place] = best
        rows.append(row)
    return rows[::-1]


def _worth(symbol: str) -> float:
    return _KERNEL if is_kernel_symbol(symbol) else _OPERATOR


def _skip(symbol: str, *, over: bool) -> float:
    """What it costs that a range is no step; nothing once the invocation is over."""
    if over:
        return 0.0
    return _STRAY_KERNEL if is_kernel_symbol(symbol) else _STRAY
