"""What to say of inputs that cannot be used, as exactly as can be.

Takes paths that no reader took; gives errors and hints, and the one trace that must be meant where
none was named. Left out: errors of one format, which its reader raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernelmap.compiler.files.packages import damage
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.load import looks_like

_NAMED = 5
_A_TRACE = "a Kineto trace (.json or .json.gz) or an Nsight Systems export (.sqlite)"


def unknown(path: Path) -> KernelmapError:
    """The error for a path, known to be readable, that is neither code nor trace."""
    if path.is_dir() and (inside := _directly_in(path)):
        return KernelmapError(
            "nothing-found",
            f"{path} holds no generated code",
            f"Name the profile in it by itself: {inside[0]}.",
        )
    if path.is_dir():
        return KernelmapError(
            "nothing-found",
            f"{path} holds neither generated code nor a trace",
            "Name a TORCH_TRACE or torch_compile_debug folder, an output_code.py, or a profile.",
        )
    if (damaged := damage(path)) is not None:
        return damaged
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


def trace_beside(sources: Sequence[Path]) -> list[Path]:
    """The one trace that lies directly in the given folders of code, where none was named.

    Raises UsageError `no-trace` where there is none, or several: they may be of several runs.
    """
    found = [path for folder in sources if folder.is_dir() for path in _directly_in(folder)]
    if len(found) == 1:
        return found
    if not found:
        raise UsageError("no-trace", "no profile was given", f"Add {_A_TRACE}.")
    named = ", ".join(map(str, found[:_NAMED])) + ", …" * (len(found) > _NAMED)
    raise UsageError(
        "no-trace",
        f"no profile was given, and the folders hold {len(found)}: {named}",
        "Name the one of this run, or all ranks of it.",
    )


def _directly_in(folder: Path) -> list[Path]:
    """The traces directly in `folder`; none where it may not be looked into."""
    try:
        return sorted(path for path in folder.iterdir() if is_trace(path))
    except OSError:
        return []
