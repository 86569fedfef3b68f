"""Kernels that ran inside compiled code without a range of their own.

The profiler lost the range, but the device name still says that a generated kernel ran: evidence on
which graph it was, and never mere glue.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

import numpy as np

from kernelmap.matching.host_side.climb import climb
from kernelmap.matching.host_side.host import Host
from kernelmap.matching.names.legacy import split_suffix
from kernelmap.matching.names.symbols import is_kernel_symbol, symbol_of
from kernelmap.model import NONE, Activity
from kernelmap.model.trace import Bool


def runs_kernel(host: Host, known: Collection[str]) -> Bool:
    """Mask of launches of generated kernels: known ones, Triton's, and a user's; (launches,).

    A user's kernel that no code names lies in a range named like it, mostly with a number behind.
    """
    launches, ranges = host.trace.launches, host.ranges
    mask = np.equal(launches.activity, Activity.KERNEL)
    if not launches.names:
        return mask
    names = (name in known or _generated(name) for name in launches.names)
    flags = np.fromiter(names, dtype=bool, count=len(launches.names))
    numbers = {_function(name): number for number, name in enumerate(launches.names)}
    function = np.array([numbers[_function(name)] for name in launches.names], dtype=np.int64)
    users = np.zeros(len(launches), dtype=bool)
    for spelling in (str, _unnumbered):
        within = [numbers.get(spelling(name), NONE) for name in ranges.names]
        of_range = np.append(np.array(within, dtype=np.int64)[ranges.name_id], NONE)
        users |= np.equal(function[launches.name_id], of_range[host.host_range])
    return np.asarray(mask & (flags[launches.name_id] | users), dtype=bool)


def bare_kernels(host: Host, known: Collection[str]) -> Mapping[int, frozenset[str]]:
    """Device names of kernels without a range of their own, by the container of their group."""
    launches, ranges = host.trace.launches, host.ranges
    rows = np.flatnonzero(runs_kernel(host, known) & (host.host_range >= 0))
    holds = np.zeros(len(ranges), dtype=bool)
    holds[[group.container for group in host.groups if group.container >= 0]] = True
    stop = host.has_symbol | host.benchmarks | holds
    found = climb(ranges.parent, stop, host.host_range[rows])
    direct = (found >= 0) & holds[found]
    names: dict[int, set[str]] = defaultdict(set)
    pairs = zip(found[direct].tolist(), launches.name_id[rows[direct]].tolist(), strict=True)
    for container, name in set(pairs):
        names[container].add(launches.names[name])
    return {container: frozenset(seen) for container, seen in names.items()}


def _function(name: str) -> str:
    """A device name without the suffix of Triton before 3.0."""
    return (split_suffix(name) or (name,))[0]


def _unnumbered(name: str) -> str:
    """A wrapper's name without the number that makes it unique: `my_scale_0` runs `my_scale`."""
    function, _, number = name.rpartition("_")
    return function if number.isdecimal() else name


def _generated(name: str) -> bool:
    """Whether only generated kernels are called like that."""
    symbol = symbol_of(name)
    return symbol is not None and is_kernel_symbol(symbol)
