"""Finds benchmarks among host ranges: series of one kernel that end in the call they were for.

It launches a kernel several times, clears and copies memory before each, and the call comes last.
So of a series of one kernel that is longer than the code calls it in a row, the last ones are the
calls. Gives the series among host ranges or launches, and how many launches of each may be calls.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np
from msgspec import Struct

from kernelmap.matching.names.symbols import SymbolStep, may_be_benchmarked
from kernelmap.model import Occurrence
from kernelmap.model.columns import group_starts
from kernelmap.model.trace import Int

_Name = TypeVar("_Name", bound=Hashable)


class Tuned(Struct, frozen=True):
    """Places of benchmarks and of their operators, and the kernels' places that come after them."""

    places: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()


def find_benchmarks(seen: Sequence[str], steps: Sequence[SymbolStep]) -> Tuned:
    """The benchmarks among `seen`, ranges in host order, of kernels that `steps` run.

    Where as many series of a kernel were seen as the code has rows of its calls, each series is
    held against its row, else against the longest. A loop runs its kernel any number of times. An
    operator that the code runs may be the code's.
    """
    # The series of each kernel: code a b a, seen a a a b a, gives a two series of 3 and 1, and b
    # one of 1.
    shown = _rows_of_kernels(seen)
    looped = {step.symbol for step in steps if step.occurrence is Occurrence.LOOP}
    symbols = [step.symbol for step in steps]
    # Operators that the code does not run: between benchmarks they clear and copy memory.
    operators = {symbol for symbol in seen if not may_be_benchmarked(symbol)}.difference(symbols)
    places: set[int] = set()
    last: set[int] = set()
    for symbol, rows in _rows_of_kernels(symbols).items():
        calls_of = [len(row) for row in rows]
        all_series = shown.get(symbol, ())
        # Series and rows of calls do not correspond one to one, so the longest row is what may be
        # called at once.
        if len(all_series) != len(rows):
            calls_of = [max(calls_of)] * len(all_series)
        for series, calls in zip(all_series, calls_of, strict=True):
            if symbol in looped or len(series) <= calls:
                continue
            # The last ones are the calls, and what lies before them in the series is benchmarks.
            first, called = series[0], series[-calls]
            restoring = operators.intersection(seen[first:called])
            # The first benchmark had its memory cleared, too, right before it.
            while first > 0 and seen[first - 1] in restoring:
                first -= 1
            restored = (at for at in range(first, called) if seen[at] in restoring)
            places.update(restored, series[:-calls])
            last.update(series[-calls:])
    return Tuned(frozenset(places), frozenset(last))


def _rows_of_kernels(symbols: Sequence[str]) -> dict[str, list[list[int]]]:
    """The places of each kernel, in rows with no other kernel in between."""
    rows: dict[str, list[list[int]]] = {}
    kernels = [at for at, symbol in enumerate(symbols) if may_be_benchmarked(symbol)]
    for symbol, row in groupby(kernels, key=symbols.__getitem__):
        rows.setdefault(symbol, []).append(list(row))
    return rows


def kernels_in_row(steps: Iterable[SymbolStep]) -> dict[str, int]:
    """How often each kernel is called at most with no other kernel in between."""
    return calls_in_row([step.symbol] for step in steps if may_be_benchmarked(step.symbol))


def calls_in_row(kernels: Iterable[Collection[_Name]]) -> dict[_Name, int]:
    """How often each name is called at most in a row; `kernels` are the names of call by call."""
    longest: dict[_Name, int] = {}
    row: dict[_Name, int] = {}
    for names in kernels:
        # A name keeps its row only while every call bears it: a a b gives a 2, then 0.
        row = {name: row.get(name, 0) + 1 for name in names}
        for name, length in row.items():
            longest[name] = max(longest.get(name, 0), length)
    return longest


def series_of(*columns: Int) -> tuple[Int, Int]:
    """Series in launch order that agree in all columns: where each begins, and how long it is."""
    start = group_starts(columns)
    return start, np.diff(np.append(start, len(columns[0])))
