"""kernelmap tells which line of the model a GPU microsecond belongs to.

`correlate` pairs a profile with the code that torch.compile generated; everything else hangs on the
Correlation that it gives. `capture` records both. Importing this package loads nothing heavy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelmap.version import VERSION

if TYPE_CHECKING:
    from kernelmap.capture import capture
    from kernelmap.errors import KernelmapError
    from kernelmap.options import Options, Side
    from kernelmap.outputs.saved import Saved, load
    from kernelmap.pipeline import Correlation, correlate, doctor, which

__version__ = VERSION
__all__ = [
    "Correlation",
    "KernelmapError",
    "Options",
    "Saved",
    "Side",
    "__version__",
    "capture",
    "correlate",
    "doctor",
    "load",
    "which",
]

_HOMES = {
    "Correlation": "kernelmap.pipeline",
    "KernelmapError": "kernelmap.errors",
    "Options": "kernelmap.options",
    "Saved": "kernelmap.outputs.saved",
    "Side": "kernelmap.options",
    "capture": "kernelmap.capture",
    "correlate": "kernelmap.pipeline",
    "doctor": "kernelmap.pipeline",
    "load": "kernelmap.outputs.saved",
    "which": "kernelmap.pipeline",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kernelmap' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
