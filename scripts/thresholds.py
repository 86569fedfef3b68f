"""What a threshold of the matcher is for: set it to other values, and match recordings again.

    python scripts/thresholds.py aligner.decisions.SURE 0.5 0.8 0.99
    python scripts/thresholds.py graphs.cut_off._LOST 0.75 3 --marked FOLDER... --group amid

The name is that of a module of kernelmap.matching and of a constant in it. Recordings are those of
rules_cases.py: the samples, and marked ones where folders of them are named; `--group` takes only
groups with this word. Per group it prints, for the value as it is and for each other one, how much
of the compiled time is covered, how many launches have the right call, how many a wrong one, and
how many candidates without the right one. The sentence beside the constant says what was seen.
"""

from __future__ import annotations

import ast
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import usage
from rules_cases import Case, Worth, recordings, worth_of

import kernelmap.matching

Value = Any  # a number, or a tuple of numbers
Figures = Mapping[tuple[Value, str], Worth]
"""The worth by value of the threshold and by group of cases."""


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("name", help="module and constant, such as aligner.decisions.SURE")
    parser.add_argument("values", nargs="+", type=ast.literal_eval, help="other values to try")
    parser.add_argument("--marked", nargs="*", type=Path, default=[], help="marked recordings")
    parser.add_argument("--group", default="", help="only groups of cases with this word")
    chosen = parser.parse_args()
    cases = (case for case in recordings(chosen.marked) if chosen.group in case.group)
    old = value_of(chosen.name)
    figures = tried(cases, chosen.name, [old, *chosen.values])
    print("\n".join(report(figures, old)))


def value_of(name: str) -> Value:
    """The value of a threshold as it is."""
    module, _, constant = name.rpartition(".")
    return getattr(import_module(f"kernelmap.matching.{module}"), constant)


def tried(cases: Iterable[Case], name: str, values: Sequence[Value]) -> Figures:
    """Each case matched with each value; cases are read once."""
    figures: dict[tuple[Value, str], Worth] = defaultdict(Worth)
    for case in cases:
        for value in values:
            with set_to(name, value):
                figures[value, case.group] += worth_of(case, case.matched(), None)
        print(f"{case.group}: {case.name}", file=sys.stderr, flush=True)
    return figures


@contextmanager
def set_to(name: str, value: Value) -> Iterator[None]:
    """The threshold has this value, also where it was imported; afterwards the old one again."""
    owner, _, constant = name.rpartition(".")
    old = value_of(name)
    # A private constant is imported by nobody, and others may have one of its name.
    holders = [
        module
        for module in _modules()
        if module.__dict__.get(constant) is old
        and (not constant.startswith("_") or module.__name__.endswith(f".{owner}"))
    ]
    for module in holders:
        setattr(module, constant, value)
    try:
        yield
    finally:
        for module in holders:
            setattr(module, constant, old)


def _modules() -> list[ModuleType]:
    """All modules of the matcher."""
    found = pkgutil.walk_packages(kernelmap.matching.__path__, "kernelmap.matching.")
    return [import_module(module.name) for module in found]


def report(figures: Figures, old: Value) -> Iterator[str]:
    """A line per group and value; values that give what the one as it is gives say so."""
    for value, group in figures:
        worth, usual = figures[value, group], figures[old, group]
        if value != old and worth == usual:
            yield f"{group}: {value}: the same"
        else:
            yield (
                f"{group}: {value}: {worth.reached:.2%} covered, {worth.right} right,"
                f" {worth.wrong} wrong, {worth.astray} misleading"
            )


if __name__ == "__main__":
    main()
