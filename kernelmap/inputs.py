"""What was named on a command line → compile side, trace side, and what was captured.

Takes paths in any order and any mix, sorts them by content. Left out: reading them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kernelmap.bundles import cuda_graphs_in, traces_in, without_trace
from kernelmap.compiler import is_compiled
from kernelmap.input_errors import trace_beside, unknown
from kernelmap.model.bundle import is_bundle
from kernelmap.model.paths import require_readable
from kernelmap.outputs.result import Source
from kernelmap.traces import is_captures, is_trace


def sort(sources: Sequence[Source]) -> tuple[list[Path], list[Path]]:
    """`sources` as compile side and trace side, by content; a KernelmapError names what is neither.

    Of folders only a bundle gives its traces here. A record of captured CUDA graphs is neither: it
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
        if not taken:
            raise unknown(path)
    return code, traces


def captures_in(sources: Sequence[Source]) -> list[Path]:
    """The records of captured CUDA graphs among `sources` and in bundles."""
    found: list[Path] = []
    for path in map(Path, sources):
        found.extend(cuda_graphs_in(path) if is_bundle(path) else ())
        found.extend((path,) if is_captures(path) else ())
    return found


def trace_meant(sources: Sequence[Path]) -> list[Path]:
    """The trace that must be meant where none was named."""
    error = without_trace(sources)
    if error is not None:
        raise error
    return trace_beside(sources)
