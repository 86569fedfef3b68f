"""Examples in docstrings of the package give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "kernelmap"
WITH_EXAMPLES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
"""By their text: pytest's own collector would load every module of the tests a second time."""


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_give_what_they_show(module: str) -> None:
    """What a reader of a docstring copies gives the lines below it."""
    tried = doctest.testmod(import_module(module))

    assert tried.attempted > 0
    assert tried.failed == 0  # what differs is printed
