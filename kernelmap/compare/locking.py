"""Inputs → their lock: code alone, or code with a profile that says how its kernels were tuned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kernelmap.compare import locked_text
from kernelmap.compare.lock import LockedGraph, lock
from kernelmap.compiler import load_compiled
from kernelmap.errors import KernelmapError, unreadable
from kernelmap.inputs import sort
from kernelmap.model import CompiledProgram, Notice
from kernelmap.pipeline import correlate
from kernelmap.views.frames import rows
from kernelmap.views.schema import CALLS


def lock_of(
    sources: Sequence[Path],
) -> tuple[tuple[LockedGraph, ...], tuple[Notice, ...], tuple[Path, ...]]:
    """The lock of the code among `sources`, what could not be used, and the files that were read.

    Raises KernelmapError where an input cannot be read, or `nothing-to-lock` where none is code.
    """
    code, traces = sort(sources)
    recorded: Mapping[str, str] = {}
    program: CompiledProgram
    if code and traces:
        found = correlate(*sources)
        program, notices, files = found.program, found.notices, found.files
        recorded = {
            str(row["call"]): str(row["config"])
            for row in rows(CALLS, found.tables.frame("calls"))
            if row["call"] is not None and row["config"] is not None
        }
    else:
        program = load_compiled(*code)
        notices = program.notices
        files = (*sources, *map(Path, program.files))
    graphs = lock(program, recorded)
    if not graphs:
        raise KernelmapError(
            "nothing-to-lock",
            "there is no generated code with a graph among the inputs",
            "Give output_code.py, a torch_compile_debug folder, or a TORCH_TRACE log.",
        )
    return graphs, notices, files


def read_lock(path: Path) -> tuple[LockedGraph, ...]:
    """The lock in a file; raises KernelmapError where there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error if isinstance(error, OSError) else "it is no text") from error
    return locked_text.loads(text, name=str(path))
