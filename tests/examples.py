"""How much of a law's class is tried: a quarter in `make test`, all in CI, more in `test-long`.

These are hypothesis' profiles `quick`, `steady` and `long` (conftest.py). The laws are the same.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

T = TypeVar("T")
U = TypeVar("U")
_STEADY = 100
_FEWER = 4  # times, in `quick`
_DEAR = 8  # times fewer of what damages an input and asks a whole command about it


def examples(steady: int, *, dear: bool = False) -> int:
    """`steady` examples in the profile of that name, as many less or more in another as it says.

    Of those that are dear, `quick` has an eighth.
    """
    if dear and is_quick():
        return max(1, steady // _DEAR)
    return max(1, steady * settings().max_examples // _STEADY)


def seeds(steady: int, long: int | None = None) -> range:
    """Seeds from 0 on: the first alone in `quick`, `steady` ones in that, `long` ones in that."""
    if is_quick():
        return range(1)
    return range(long if is_long() and long is not None else steady)


def some(cases: Iterable[T]) -> list[T]:
    """All cases of many that are alike; in `quick` every fourth."""
    return list(cases)[:: _step()]


def crossed(first: Iterable[T], second: Collection[U], *, dear: bool = False) -> list[tuple[T, U]]:
    """Each of the first with all of the second; in `quick` with every fourth, by turns.

    Of those that are dear, `quick` has every eighth.
    """
    step = _DEAR if dear and is_quick() else _step()
    return [
        (one, other)
        for at, one in enumerate(first)
        for number, other in enumerate(second)
        if (at + number) % step == 0
    ]


def an_eighth(cases: Iterable[object]) -> list[ParameterSet]:
    """All cases for `parametrize`, tuples for several arguments; seven of eight are `thorough`."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[pytest.mark.thorough] if at % _DEAR else [],
        )
        for at, case in enumerate(cases)
    ]


def sample(tests: Iterable[str]) -> set[str]:
    """Of the ids of tests, a quarter of those of every function: drawn, always the same ones."""
    of_function = defaultdict[str, list[str]](list)
    for test in tests:
        of_function[test.partition("[")[0]].append(test)
    return {
        test
        for cases in of_function.values()
        for test in sorted(cases, key=_drawn)[: -(-len(cases) // _FEWER)]
    }


def _drawn(test: str) -> int:
    return zlib.crc32(test.encode())


def _step() -> int:
    return _FEWER if is_quick() else 1


def is_quick() -> bool:
    """Whether this is `make test` as one runs it by hand."""
    return settings().max_examples < _STEADY


def is_long() -> bool:
    """Whether this is `make test-long`."""
    return settings().max_examples > _STEADY
