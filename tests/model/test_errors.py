"""Errors travel between processes: a copy says what the error said."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import kernelmap
from kernelmap.errors import KernelmapError, UsageError, unreadable

_WITH_EXTRAS = "kernelmap.dashboard"


def classes() -> Iterator[type[Exception]]:
    """Every exception class that a module of kernelmap defines."""
    for module in pkgutil.walk_packages(kernelmap.__path__, "kernelmap."):
        if module.name.endswith("__main__") or module.name.startswith(_WITH_EXTRAS):
            continue
        for _, member in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(member, Exception) and member.__module__ == module.name:
                yield member


@pytest.mark.parametrize("kind", list(classes()), ids=lambda kind: kind.__name__)
def test_an_error_survives_a_pickle(kind: type[Exception]) -> None:
    """A copy of an error holds what the error holds, and reads the same."""
    takes_parameters = inspect.isfunction(
        kind.__init__
    )  # else that of a class of Python, which takes a text
    named = inspect.signature(kind).parameters.values() if takes_parameters else ()
    words = [
        parameter.name
        for parameter in named
        if parameter.default is parameter.empty and parameter.kind <= 1
    ]
    error = kind(*(words or ["a message"]))

    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 -- made here

    assert type(copy) is kind
    assert (str(copy), copy.args) == (str(error), error.args)
    assert getattr(copy, "__dict__", {}) == getattr(error, "__dict__", {})


def test_a_copied_error_ends_the_command_alike() -> None:
    """Slug, hint and exit code are those of the error, and its text is the message alone."""
    errors = (
        UsageError("a-slug", "a message", "a hint"),
        KernelmapError("a-slug", "a message", "a hint", exit_code=7),
        unreadable(Path("x"), "gone"),
    )
    for error in errors:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301 -- made here

        assert vars(copy) == vars(error)
        assert str(copy) == error.message
