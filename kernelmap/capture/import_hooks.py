"""Code that waits until the program imports a module, and runs as soon as that is loaded.

A program may set variables before it imports torch, so torch must be loaded when the program says
so and not earlier. Nothing is imported here but the standard library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

CODE_CACHE = "torch._inductor.codecache"
"""Inductor's cache of generated code: loaded before anything is compiled."""

Then = Callable[[ModuleType], None]


def when_imported(name: str, then: Then) -> None:
    """Call `then` with the module `name` once: now if it is loaded, else when it has been."""
    module = sys.modules.get(name)
    # A module is in `sys.modules` as soon as its import begins, and not usable yet.
    if module is not None and not _is_loading(module):
        then(module)
    else:
        sys.meta_path.insert(0, _Watch(name, then))


def _is_loading(module: ModuleType) -> bool:
    return bool(getattr(module.__spec__, "_initializing", False))


class _Watch:
    """Finds nothing itself: it asks the finders behind it, and has the loader call back."""

    def __init__(self, name: str, then: Then) -> None:
        self.name, self.then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the others find for our module, None for every other one."""
        if fullname != self.name:
            return None
        # Others may wait for the same module: none is asked by one that it asks.
        place = sys.meta_path.index(self) if self in sys.meta_path else None
        if place is None:
            return None
        sys.meta_path.remove(self)
        for finder in tuple(sys.meta_path):
            if not hasattr(finder, "find_spec"):  # of before Python 3.4; import passes it over
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                _call_back(spec, self.then)
                return spec
        sys.meta_path.insert(place, self)
        return None


def _call_back(spec: ModuleSpec, then: Then) -> None:
    """Have the loader of `spec` call `then` once, after which it is as before."""
    loader = spec.loader
    # A loader without attributes of its own cannot be asked to call back; the program runs
    # unrecorded.
    if loader is None or not hasattr(loader, "__dict__"):
        return
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        vars(loader).pop("exec_module", None)  # gone already where several waited
        execute(module)
        then(module)

    vars(loader)["exec_module"] = exec_module
