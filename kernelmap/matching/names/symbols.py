"""Symbols: one spelling for a wrapper's call and for the host range that it leaves.

A call and the range that it leaves in a profile are written differently: `extern_kernels.addmm`
runs under `aten::addmm`, `cpp_fused_add_0` under `graph_0_cpp_fused_add_0`, a multi-kernel under
the name of the member it chose. A *symbol* is the spelling both agree on: a wrapper's name for
generated kernels, and for library calls of C++ wrappers, which open such a range themselves;
`aten.addmm` for other operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernelmap.model import Backend, CompiledGraph, Occurrence, WrapperCall
from kernelmap.model.names import bare_kernel, cpp_kernel, is_member, is_shim, operator

_GENERATED = frozenset(
    {Backend.TRITON, Backend.CPP, Backend.USER, Backend.TEMPLATE, Backend.COMBO, Backend.MULTI}
)

# Library routines that are no operator themselves: the operators that they run, in order.
_RUNS = {
    "aten.bias_addmm": ("aten.addmm",),
    "aten._mm_plus_mm": ("aten.mm", "aten.addmm"),
    "aten.mm_plus_mm": ("aten.mm", "aten.addmm"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One symbol that a call leaves on the host; `call` is an index within the graph."""

    call: int
    symbol: str
    occurrence: Occurrence


def steps_of(graph: CompiledGraph, *, cpp: bool = True) -> tuple[Step, ...]:
    """What an invocation of `graph` leaves on the host, in program order.

    C++ kernels leave ranges only when their profile is switched on: `cpp` says whether it was. A
    call for which the code opens no range need not be seen.
    """
    return tuple(
        Step(call.index, symbol, _occurrence(call))
        for call in graph.calls
        if cpp or call.backend is not Backend.CPP
        for symbol in _symbols(call)
    )


def _occurrence(call: WrapperCall) -> Occurrence:
    silent = call.recorded is False and call.occurrence is Occurrence.ONCE
    return Occurrence.BRANCH if silent else call.occurrence


def _symbols(call: WrapperCall) -> Iterator[str]:
    if call.backend in _GENERATED or call.recorded is not None:
        yield call.wrapper
    elif call.target is not None:
        yield from _RUNS.get(call.target, (call.target,))


def aliases(graph: CompiledGraph) -> dict[str, str]:
    """Range names that stand for another wrapper: a multi-kernel's members."""
    own = {call.wrapper for call in graph.calls}
    return {
        member: kernel.name
        for kernel in graph.kernels
        for member in kernel.members
        if member not in own
    }


def symbol_of(name: str) -> str | None:
    """The symbol of a range name, None for names that stand for no call.

    >>> symbol_of("aten::addmm"), symbol_of("graph_0_cpp_fused_add_1"), symbol_of("triton_poi_0")
    ('aten.addmm', 'cpp_fused_add_1', 'triton_poi_0')
    >>> symbol_of("kernels_.my_kernel_0"), symbol_of("aoti_torch_cuda_mm_out")
    ('my_kernel_0', 'aoti_torch_cuda_mm_out')
    """
    own = name.startswith("triton_") or is_member(name) or is_shim(name)
    return operator(name) or cpp_kernel(name) or (bare_kernel(name) if own else None)


def is_kernel_symbol(symbol: str) -> bool:
    """Whether a symbol names what only generated code runs: a kernel, or a C++ wrapper's call."""
    return "." not in symbol


def may_be_benchmarked(symbol: str) -> bool:
    """Whether the autotuner may leave the same range: kernels, but no library calls."""
    return is_kernel_symbol(symbol) and not is_shim(symbol)
