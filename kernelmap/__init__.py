"""kernelmap tells which line of the model a GPU microsecond belongs to.

`correlate` pairs a profile with the code that torch.compile generated; everything else hangs on the
Correlation that it gives. `capture` records both.

Importing this package loads nothing heavy: each public name is loaded when it is first asked for.
`capture` and `fleet` stand in packages of their names, which the first import of a module in them
would put in their place: they are doors that load nothing, and set here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from kernelmap.capture import capture
from kernelmap.fleet import fleet
from kernelmap.version import VERSION

if TYPE_CHECKING:
    from kernelmap.correlation import Correlation
    from kernelmap.errors import KernelmapError
    from kernelmap.history.compare.numbers.comparison import Comparison
    from kernelmap.history.compare.texts.shown import diff
    from kernelmap.history.store.store import Store
    from kernelmap.options import Options, Side
    from kernelmap.pages.result import Saved, load
    from kernelmap.pipeline import correlate, doctor, memory_of, which
    from kernelmap.profiling import trace_handler

__version__ = VERSION
__all__ = [
    "Comparison",
    "Correlation",
    "KernelmapError",
    "Options",
    "Saved",
    "Side",
    "Store",
    "__version__",
    "capture",
    "correlate",
    "diff",
    "doctor",
    "fleet",
    "load",
    "memory_of",
    "trace_handler",
    "which",
]

_HOMES = {
    "Comparison": "kernelmap.history.compare.numbers.comparison",
    "Correlation": "kernelmap.correlation",
    "KernelmapError": "kernelmap.errors",
    "Options": "kernelmap.options",
    "Saved": "kernelmap.pages.result",
    "Side": "kernelmap.options",
    "Store": "kernelmap.history.store.store",
    "correlate": "kernelmap.pipeline",
    "diff": "kernelmap.history.compare.texts.shown",
    "doctor": "kernelmap.pipeline",
    "load": "kernelmap.pages.result",
    "memory_of": "kernelmap.pipeline",
    "trace_handler": "kernelmap.profiling",
    "which": "kernelmap.pipeline",
}


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kernelmap' has no attribute {name!r}")
    public: object = getattr(import_module(_HOMES[name]), name)
    return globals().setdefault(name, public)
