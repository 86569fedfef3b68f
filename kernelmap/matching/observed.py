"""Graphs that ran but whose code was not given: read off the trace itself.

A call is then (graph key, wrapper, k): the k-th range of that wrapper inside an invocation.
Operators count as calls where they launched something. Without graph ranges there is no invocation
to count in, so every wrapper is one call, inferred because benchmarks look the same. Such graphs
have no `code`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from kernelmap.matching.candidates import ENOUGH
from kernelmap.matching.host import Group, Host
from kernelmap.matching.identify import Identity
from kernelmap.matching.symbols import is_kernel_symbol
from kernelmap.model import (
    Backend,
    CompiledGraph,
    Confidence,
    KernelDef,
    Occurrence,
    RangeDetail,
    WrapperCall,
)
from kernelmap.model.names import cpp_kernel

_CATEGORIES = ("poi", "red", "per", "tem", "for", "spl")
_SHORT = 8  # characters of a cache key that a person still reads

UNMARKED = "unmarked"
"""Id of the graph that holds the wrappers seen outside of any graph range."""


def observe(
    host: Host, groups: Sequence[Group], identities: Sequence[Identity], first: int
) -> tuple[tuple[CompiledGraph, ...], tuple[Identity, ...]]:
    """Graphs for the groups that no given graph fits, and all identities with those filled in.

    `first` is the position that the first new graph will have in the program.
    """
    buckets: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, (group, identity) in enumerate(zip(groups, identities, strict=True)):
        foreign = group.mark >= 0 or host.known.isdisjoint(group.symbols)
        if not identity.graphs and group.rows and foreign:
            buckets[_bucket(group)].append(number)
    names = _ids([bucket for bucket in buckets if bucket[0] == "key"])
    graphs: list[CompiledGraph] = []
    filled = list(identities)
    for bucket, numbers in buckets.items():
        members = [groups[number] for number in numbers if not groups[number].replays]
        if not members:
            continue
        calls, kernels = _calls(host, members)
        if not calls:
            continue
        name = names.get(bucket) or (UNMARKED if bucket == (UNMARKED,) else f"graph-{len(graphs)}")
        key = bucket[1] if bucket[0] == "key" else None
        identity = Identity(
            graphs=(first + len(graphs),),
            confidence=Confidence.EXACT if _settled(members) else Confidence.INFERRED,
            why="its code was not given: calls are counted in the trace itself",
        )
        graphs.append(CompiledGraph(id=name, calls=calls, kernels=kernels, cache_key=key))
        for number in numbers:
            filled[number] = identity
    return tuple(graphs), tuple(filled)


def _settled(groups: Sequence[Group]) -> bool:
    """Whether benchmarks can be told from calls: by other invocations, or because there are none.

    A benchmark leaves the kernel's range at least twice in a row.
    """
    if groups[0].mark < 0:
        return False
    if len(groups) >= ENOUGH:
        alike = Counter(group.symbols for group in groups).most_common(1)[0][1]
        return 2 * alike > len(groups)
    runs = [list(filter(is_kernel_symbol, group.symbols)) for group in groups]
    return all(first != second for run in runs for first, second in pairwise(run))


def _bucket(group: Group) -> tuple[str, ...]:
    """What makes groups one graph: their cache key, else the kernels that they ran."""
    if group.key is not None:
        return ("key", group.key)
    if group.mark < 0:
        return (UNMARKED,)
    return ("kernels", *dict.fromkeys(filter(is_kernel_symbol, group.symbols)))


def _ids(buckets: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """The shortest prefixes that tell the cache keys apart."""
    keys = [bucket[1] for bucket in buckets]
    length = _SHORT
    while len({key[:length] for key in keys}) < len(set(keys)):
        length += 1
    return {bucket: bucket[1][:length] for bucket in buckets}


def _calls(
    host: Host, groups: Sequence[Group]
) -> tuple[tuple[WrapperCall, ...], tuple[KernelDef, ...]]:
    """The calls of one graph in the order of its most typical group, and their kernels."""
    working = {
        symbol
        for group in groups
        for row, symbol in zip(group.rows, group.symbols, strict=True)
        if is_kernel_symbol(symbol) or host.launched[row]
    }
    counts = [Counter(s for s in group.symbols if s in working) for group in groups]
    if groups[0].mark < 0:
        everything = Counter(symbol for count in counts for symbol in count)
        order = [symbol for symbol in everything if is_kernel_symbol(symbol)]
        occurrence = Occurrence.LOOP
    else:
        shapes = [frozenset(count.items()) for count in counts]
        typical = Counter(shapes).most_common(1)[0][0]
        model = groups[len(shapes) - 1 - shapes[::-1].index(typical)]
        order = [symbol for symbol in model.symbols if symbol in working]
        occurrence = Occurrence.ONCE
    example = _examples(host, groups)
    calls = tuple(
        _call(index, symbol, host.ranges.name(example[symbol]), occurrence)
        for index, symbol in enumerate(order)
    )
    kernels = tuple(
        _kernel(symbol, host.ranges.name(example[symbol]), host.ranges.detail(example[symbol]))
        for symbol in dict.fromkeys(order)
        if is_kernel_symbol(symbol)
    )
    return calls, kernels


def _examples(host: Host, groups: Sequence[Group]) -> Mapping[str, int]:
    """A range of each symbol, one with what Inductor exports about it where there is one."""
    found: dict[str, int] = {}
    for group in groups:
        for row, symbol in zip(group.rows, group.symbols, strict=True):
            if symbol not in found or (
                host.ranges.detail(found[symbol]) is None and host.ranges.detail(row)
            ):
                found[symbol] = row
    return found


def _call(index: int, symbol: str, name: str, occurrence: Occurrence) -> WrapperCall:
    if is_kernel_symbol(symbol):
        return WrapperCall(
            index=index,
            wrapper=symbol,
            backend=_backend(symbol, name),
            line=None,
            category=_category(symbol),
            kernel=symbol,
            occurrence=occurrence,
        )
    return WrapperCall(
        index=index,
        wrapper=name,
        backend=Backend.EXTERN,
        line=None,
        target=symbol,
        occurrence=occurrence,
    )


def _backend(symbol: str, name: str) -> Backend:
    """What runs a kernel whose range is called `name`."""
    if cpp_kernel(name):
        return Backend.CPP
    if not symbol.startswith("triton_"):
        return Backend.USER
    return {"tem": Backend.TEMPLATE, "for": Backend.COMBO}.get(
        _category(symbol) or "", Backend.TRITON
    )


def _category(symbol: str) -> str | None:
    parts = symbol.split("_")
    generated = len(parts) > 1 and parts[0] == "triton" and parts[1] in _CATEGORIES
    return parts[1] if generated else None


def _kernel(symbol: str, name: str, detail: RangeDetail | None) -> KernelDef:
    """A definition as far as the trace tells it: no source, so no lines."""
    return KernelDef(
        name=symbol,
        function=symbol,
        backend=_backend(symbol, name),
        first_line=None,
        last_line=None,
        category=_category(symbol),
        path=detail.kernel_file if detail else None,
    )
