"""Runs that are kept: each an immutable folder of Parquet tables, in a folder or an object store.

    store = kernelmap.Store(".kernelmap")
    store.record(kernelmap.correlate("bundle"), branch="main")
    store.open("main~3").ops

The only layer that writes what outlives a command and is read by other commands. docs/store.md
describes the layout and what is promised of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernelmap.history.store.facts import RunFacts
    from kernelmap.history.store.run import Run
    from kernelmap.history.store.store import Store

__all__ = ["Run", "RunFacts", "Store"]

_HOMES = {
    "Run": "kernelmap.history.store.run",
    "RunFacts": "kernelmap.history.store.facts",
    "Store": "kernelmap.history.store.store",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: pandas and pyarrow wait until then."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kernelmap.history.store' has no attribute {name!r}")

    return getattr(import_module(_HOMES[name]), name)
