"""The names under which a GPU may show generated kernels: those of a call, a graph, a program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kernelmap.matching.names.legacy import device_names
from kernelmap.model import CompiledGraph, CompiledProgram, WrapperCall


def names_of_call(graph: CompiledGraph, call: WrapperCall) -> frozenset[str]:
    """Every name of the generated kernel that a call runs, or of its members; none without one."""
    kernel = graph.kernel_of(call)
    if kernel is None:
        return frozenset()
    members = [graph.kernel_by_name[m] for m in kernel.members if m in graph.kernel_by_name]
    return frozenset(name for each in (kernel, *members) for name in device_names(each))


def names_of_graph(graph: CompiledGraph) -> Iterator[str]:
    """Every name that the kernels of `graph` may show on the device."""
    for kernel in graph.kernels:
        yield from device_names(kernel)


def calls_by_device_name(program: CompiledProgram) -> Mapping[str, tuple[int, ...]]:
    """Positions in `program.calls` by every name that their kernels may show on the device."""
    found: dict[str, list[int]] = defaultdict(list)
    for position, (graph, call) in enumerate(program.calls):
        for name in names_of_call(graph, call):
            found[name].append(position)
    return {name: tuple(calls) for name, calls in found.items()}
