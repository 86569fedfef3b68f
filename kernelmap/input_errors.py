"""What to say of inputs that cannot be used, as exactly as can be.

Takes paths that no reader took; gives errors and hints. Left out: errors of one format, which its
reader raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.load import looks_like

_A_TRACE = "a Kineto trace (.json or .json.gz) or an Nsight Systems export (.sqlite)"


def unknown(path: Path) -> KernelmapError:
    """The error for a path, known to be readable, that is neither code nor trace."""
    if path.is_dir():
        return KernelmapError(
            "nothing-found",
            f"{path} holds neither generated code nor a trace",
            "Name a TORCH_TRACE or torch_compile_debug folder, an output_code.py, or a profile.",
        )
    try:
        load_trace(path)
    except KernelmapError as error:
        # Of an empty file nobody can say that it was meant to be a trace.
        if error.slug != "unknown-trace" and path.stat().st_size:
            return error
    return KernelmapError(
        "unknown-format",
        f"{path} is neither generated code, nor a log of it, nor a trace: it is {looks_like(path)}",
        f"Give an output_code.py or a TORCH_TRACE log, and {_A_TRACE}.",
    )


def no_trace(code: Sequence[Path]) -> UsageError:
    """The error where no input is a trace.

    One that lies in a given folder is named, not taken: it may be another run's.
    """
    inside = [path for folder in code if folder.is_dir() for path in folder.iterdir()]
    found = next((path for path in sorted(inside) if is_trace(path)), None)
    hint = f"Add {found}." if found else f"Add {_A_TRACE}."
    return UsageError("no-trace", "no profile was given", hint)
