"""Finds the parts written in C, and decides whether they may run."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

SWITCH = "KERNELMAP_NO_NATIVE"
_OFF = ("", "0")


def part(name: str, version: int) -> ModuleType | None:
    """The module in C of this name; None where there was no compiler when it was installed.

    None as well where it was built in place from another version of its source.
    """
    try:
        module = import_module(name)
    except ImportError:
        return None
    return module if getattr(module, "VERSION", None) == version else None


def is_wanted() -> bool:
    """Whether parts in C may run: `KERNELMAP_NO_NATIVE=1` leaves all to Python."""
    return os.environ.get(SWITCH, "") in _OFF
