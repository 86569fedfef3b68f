"""What libraries are expected to launch, as a page: the text of docs/libraries.md.

make_docs.py writes the page, so a number that changes in expectations.py changes it there as well.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from kernelmap.facts.families import Family  # noqa: E402 -- after the line above
from kernelmap.matching.names.expectations import EXPECTED  # noqa: E402 -- as above

_HEAD = """<!-- Made by scripts/make_docs.py; do not edit. -->
# What libraries launch

What kernelmap expects of a library call before it reads a profile; the profile teaches the rest
([how it works](how-it-works.md#without-ranges-the-order-of-launches)). A row is a family of
operators. Its kernels are of families, too, sorted by the words in their names: 1 is launched as a
rule at that place, 0 never, and a family that is absent hardly ever. *Before* and *behind* say what
stands around the main kernel, how probable it is that anything does, and how many at most. A
`prelude` changes a layout for its kernel, a `gemm prelude` scales what a product adds to, a
`helper` finishes what its kernel left, and `other` is every name that says nothing. A grouped
product has a prelude of its own, which computes the addresses of its matrices; the memory-efficient
backward of attention multiplies and adds up before its kernel, where it runs in float32.

| operator | before | main kernel | behind |
|---|---|---|---|
"""


def libraries() -> str:
    """The whole page."""
    return _HEAD + "".join(_rows())


def _rows() -> Iterator[str]:
    for family, expected in EXPECTED.items():
        most_before, most_behind = expected.most
        before = _place(expected.before, expected.begins, most_before)
        behind = _place(expected.behind, expected.another, most_behind)
        yield f"| {_name(family)} | {before} | {_weights(expected.main)} | {behind} |\n"


def _place(weights: Mapping[Family, float], probable: float, most: int) -> str:
    named = _weights(weights)
    return f"{probable:g}, at most {most}{': ' if named else ''}{named}"


def _weights(weights: Mapping[Family, float]) -> str:
    """The families, those that are launched most readily first."""
    ordered = sorted(weights.items(), key=lambda item: (-item[1], item[0].value))
    return ", ".join(f"{_name(family)} {weight:g}" for family, weight in ordered)


def _name(family: Family) -> str:
    return family.name.lower().replace("_", " ")
