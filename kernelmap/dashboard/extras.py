"""The packages of the extra `dashboard`, with one error where they are missing.

Pages on disk need neither werkzeug nor waitress.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from kernelmap.errors import UsageError
from kernelmap.installing import install_command

FOR_PAGES = ("ruptures",)
"""What every page needs, live or on disk."""

FOR_SERVING = ("waitress", "werkzeug", *FOR_PAGES)


def load(name: str) -> ModuleType:
    """A package of the extra. Raises UsageError where it is missing."""
    require(name)
    return import_module(name)


def require(*names: str) -> None:
    """Raise UsageError where one of these packages is missing; none of them is loaded."""
    for name in names:
        if find_spec(name) is None:
            raise UsageError(
                "no-dashboard",
                f"{name} is not installed; the dashboard needs it",
                f"Install it: {install_command('dashboard')}",
            )
