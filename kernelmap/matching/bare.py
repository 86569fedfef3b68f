"""Kernels that ran inside compiled code without a range of their own.

The profiler lost the range, but the device name still says that a generated kernel ran: evidence on
which graph it was, and never mere glue.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from kernelmap.matching.climb import climb
from kernelmap.matching.host import Host
from kernelmap.matching.legacy import device_names
from kernelmap.matching.symbols import is_kernel_symbol, symbol_of
from kernelmap.model import Activity, CompiledGraph, Launches
from kernelmap.model.trace import Bool


def kernel_names(graph: CompiledGraph) -> Iterator[str]:
    """Every name that the kernels of `graph` may show on the device."""
    for kernel in graph.kernels:
        yield from device_names(kernel)


def runs_kernel(launches: Launches, known: Collection[str]) -> Bool:
    """Mask of launches whose name is `known` as a kernel's, or is one that only Triton runs."""
    names = (name in known or _generated(name) for name in launches.names)
    flags = np.fromiter(names, dtype=bool, count=len(launches.names))
    mask = np.equal(launches.activity, Activity.KERNEL)
    return mask & flags[launches.name_id] if len(flags) else mask


def bare_kernels(host: Host, known: Collection[str]) -> Mapping[int, frozenset[str]]:
    """Device names of kernels without a range of their own, by the container of their group."""
    launches, ranges = host.trace.launches, host.ranges
    rows = np.flatnonzero(runs_kernel(launches, known) & (host.host_range >= 0))
    holds = np.zeros(len(ranges), dtype=bool)
    holds[[group.container for group in host.groups if group.container >= 0]] = True
    stop = host.has_symbol | host.benchmarks | holds
    found = climb(ranges.parent, stop, host.host_range[rows])
    direct = (found >= 0) & holds[found] & ~host.has_symbol[found]
    names: dict[int, set[str]] = defaultdict(set)
    pairs = zip(found[direct].tolist(), launches.name_id[rows[direct]].tolist(), strict=True)
    for container, name in set(pairs):
        names[container].add(launches.names[name])
    return {container: frozenset(seen) for container, seen in names.items()}


def _generated(name: str) -> bool:
    """Whether only generated kernels are called like that."""
    symbol = symbol_of(name)
    return symbol is not None and is_kernel_symbol(symbol)
