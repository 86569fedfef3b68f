"""What a trace asks of a compiler's cache: the graphs and kernels that ran.

Takes a Trace, gives names and hashes. A cache holds the code of many runs; only what is named here
has anything to do with this one.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernelmap.model.names import graph_mark
from kernelmap.model.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """FX cache keys of graph ranges, and (wrapper, content hash) of the kernels that ran."""

    keys: frozenset[str] = frozenset()
    kernels: frozenset[tuple[str, str]] = frozenset()


def wanted(trace: Trace) -> Wanted:
    """What `trace` names; kernels have a hash where shapes were recorded."""
    ranges = trace.ranges
    marks = (graph_mark(name) for name in ranges.names)
    detailed = {
        (name, detail)
        for name, detail in zip(ranges.name_id.tolist(), ranges.detail_id.tolist(), strict=True)
        if detail >= 0
    }
    kernels = {
        (ranges.names[name], kernel_hash)
        for name, detail in detailed
        if (kernel_hash := ranges.details[detail].kernel_hash) is not None
    }
    return Wanted(
        keys=frozenset(mark.key for mark in marks if mark is not None and mark.key is not None),
        kernels=frozenset(kernels),
    )
