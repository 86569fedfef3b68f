"""What was named on a command line → compile side, trace side, and what was captured.

Takes paths in any order and any mix, sorts them by content. Inputs that no reader took get an error
as exact as can be; where no trace was named, the one that must be meant is looked for. Left out:
reading them, and errors of one format, which its reader raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernelmap.bundles import cuda_graphs_in, traces_in, without_trace
from kernelmap.compiler import is_compiled
from kernelmap.compiler.files.packages import damage
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model.bundle import is_bundle
from kernelmap.model.paths import is_folder, require_readable
from kernelmap.outputs.result import Source
from kernelmap.traces import is_captures, is_trace, load_trace
from kernelmap.traces.copies import recordings
from kernelmap.traces.load import are_ranks, is_named_after_rank, looks_like

_NAMED = 5
_A_TRACE = "a Kineto trace (.json or .json.gz) or an Nsight Systems export (.sqlite)"


def sort(sources: Sequence[Source]) -> tuple[list[Path], list[Path]]:
    """`sources` as compile side and trace side, by content; a KernelmapError names what is neither.

    A bundle gives its traces here, and so does a folder without code: one trace, or those of all
    ranks of a run. A record of captured CUDA graphs is neither: it
    says something of the traces.
    """
    code: list[Path] = []
    traces: list[Path] = []
    for path in map(Path, sources):
        require_readable(path)
        taken = is_bundle(path) or is_captures(path)
        traces.extend(traces_in(path) if is_bundle(path) else ())
        for side, belongs in ((code, is_compiled), (traces, is_trace)):
            if belongs(path):
                side.append(path)
                taken = True
        if not taken and not traces_in_folder(path):
            raise unknown(path)
        if not taken:
            traces.extend(trace_beside([path]))
    return code, traces


def captures_in(sources: Sequence[Source]) -> list[Path]:
    """The records of captured CUDA graphs among `sources` and in bundles."""
    found: list[Path] = []
    for path in map(Path, sources):
        found.extend(cuda_graphs_in(path) if is_bundle(path) else ())
        found.extend((path,) if is_captures(path) else ())
    return found


def has_trace_beside(sources: Sequence[Source]) -> bool:
    """Whether a trace, or those of all ranks of a run, lies in the folders of code."""
    try:
        return bool(trace_beside(list(map(Path, sources))))
    except UsageError:
        return False


def trace_meant(sources: Sequence[Path]) -> list[Path]:
    """The trace that must be meant where none was named."""
    error = without_trace(sources)
    if error is not None:
        raise error
    return trace_beside(sources)


def unknown(path: Path) -> KernelmapError:
    """The error for a path, known to be readable, that is neither code nor trace."""
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
    """The one trace in the given folders, in all its forms, or the traces of all ranks of a run.

    Raises UsageError `no-trace` where there is none, or several of which nothing shows that they
    are ranks: they may be of several runs.
    """
    found = [path for folder in sources if folder.is_dir() for path in traces_in_folder(folder)]
    chosen = recordings(found)[0]
    if len(chosen) == 1 or (chosen and are_ranks(chosen)):
        return found
    if not found:
        raise UsageError("no-trace", "no profile was given", f"Add {_A_TRACE}.")
    named = ", ".join(map(str, found[:_NAMED])) + ", …" * (len(found) > _NAMED)
    raise UsageError(
        "no-trace",
        f"no profile was given, and the folders hold {len(found)}: {named}",
        "Nothing shows that they are ranks of one run: name the one of this run, or all its ranks.",
    )


def traces_in_folder(folder: Path) -> list[Path]:
    """The traces directly in `folder`, and in folders in it that are named after ranks.

    Of a folder that may not be looked into there are none.
    """
    try:
        inside = sorted(folder.iterdir())
        ranks = [path for path in inside if is_folder(path) and is_named_after_rank(path)]
        deeper = [path for rank in ranks for path in sorted(rank.iterdir())]
    except OSError:
        return []
    return [path for path in (*inside, *deeper) if is_trace(path)]
