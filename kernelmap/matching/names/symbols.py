"""Symbols: one spelling for a wrapper's call and for the host range that it leaves; device names.

A call and the range that it leaves in a profile are written differently: `extern_kernels.addmm`
runs under `aten::addmm`, `cpp_fused_add_0` under `graph_0_cpp_fused_add_0`, a multi-kernel under
the name of the member it chose. A *symbol* is the spelling both agree on: a wrapper's name for
generated kernels, and for library calls of C++ wrappers, which open such a range themselves;
`aten.addmm` for other operators.

Device names of generated kernels are the function's since Triton 3.0. Before, a suffix spells the
signature (Triton 2.0 to 2.3, `kernel_suffix`): for position i of the signature `str(i)`, then `c`
if the argument equals 1, `d` if it is divisible by 16; 2.2 and 2.3 add `e` if divisible by 8.
Positions enumerate the signature, the sets hold argument numbers; replicated as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import count

from msgspec import Struct

from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    KernelDef,
    Occurrence,
    WrapperCall,
)
from kernelmap.model.names import bare_kernel, cpp_kernel, is_member, is_shim, operator_of_range
from kernelmap.model.program import GPU_KERNELS, has_device_name

_GENERATED = GPU_KERNELS | {Backend.CPP}

# Library routines that are no operator themselves: the operators that they run, in order.
_RUNS = {
    "aten.bias_addmm": ("aten.addmm",),
    "aten._mm_plus_mm": ("aten.mm", "aten.addmm"),
    "aten.mm_plus_mm": ("aten.mm", "aten.addmm"),
}


class SymbolStep(Struct, frozen=True):
    """One symbol that a call leaves on the host; `call` is an index within the graph."""

    call: int
    symbol: str
    occurrence: Occurrence


def steps_of(graph: CompiledGraph, *, cpp: bool = True) -> tuple[SymbolStep, ...]:
    """What an invocation of `graph` leaves on the host, in program order.

    C++ kernels leave ranges only when their profile is switched on: `cpp` says whether it was. A
    call for which the code opens no range need not be seen.
    """
    return tuple(
        SymbolStep(call.index, symbol, _occurrence_of_call(call))
        for call in graph.calls
        if cpp or call.backend is not Backend.CPP
        for symbol in _iter_symbols(call)
    )


def _occurrence_of_call(call: WrapperCall) -> Occurrence:
    # A call that opens no range is treated as a branch: it may be seen or not.
    silent = call.recorded is False and call.occurrence is Occurrence.ONCE
    return Occurrence.BRANCH if silent else call.occurrence


def _iter_symbols(call: WrapperCall) -> Iterator[str]:
    # C++ wrappers open ranges under the wrapper's own name, also for library calls.
    if call.backend in _GENERATED or call.recorded is not None:
        yield call.wrapper
    elif call.target is not None:
        yield from _RUNS.get(call.target, (call.target,))


def aliases_of_graph(graph: CompiledGraph) -> dict[str, str]:
    """Range names that stand for another wrapper: a multi-kernel's members."""
    wrappers = {call.wrapper for call in graph.calls}
    return {
        member: kernel.name
        for kernel in graph.kernels
        for member in kernel.members
        # A member that some call runs by itself stands for that call.
        if member not in wrappers
    }


def symbol_of(name: str) -> str | None:
    """The symbol of a range name, None for names that stand for no call.

    >>> symbol_of("aten::addmm"), symbol_of("graph_0_cpp_fused_add_1"), symbol_of("triton_poi_0")
    ('aten.addmm', 'cpp_fused_add_1', 'triton_poi_0')
    >>> symbol_of("kernels_.my_kernel_0"), symbol_of("aoti_torch_cuda_mm_out")
    ('my_kernel_0', 'aoti_torch_cuda_mm_out')
    """
    names_kernel = name.startswith("triton_") or is_member(name) or is_shim(name)
    return (
        operator_of_range(name) or cpp_kernel(name) or (bare_kernel(name) if names_kernel else None)
    )


def is_kernel_symbol(symbol: str) -> bool:
    """Whether a symbol names what only generated code runs: a kernel, or a C++ wrapper's call."""
    return "." not in symbol


def may_be_benchmarked(symbol: str) -> bool:
    """Whether the autotuner may leave the same range: kernels, but no library calls."""
    return is_kernel_symbol(symbol) and not is_shim(symbol)


_NAMELESS = "triton_"
"""What Inductor calls every function without unique kernel names."""


def device_names(kernel: KernelDef) -> tuple[str, ...]:
    """Names that a GPU may show for `kernel`: its function, then the legacy spellings.

    Kernels of other compilers than Triton have names that the code does not tell.
    """
    return (kernel.function, *legacy_names(kernel)) if has_device_name(kernel) else ()


def legacy_names(kernel: KernelDef) -> tuple[str, ...]:
    """The suffixed spellings, without and with `e`; empty where the code states no signature.

    `triton_` with one pointer divisible by 16 and one argument equal to 1 runs as `triton__0d1c`.
    """
    special = kernel.specialization
    if kernel.signature is None or special is None:
        return ()
    ones = special.equal_to_1 or ()
    sixteen = special.divisible_by_16 or ()
    eight = special.divisible_by_8 or ()
    # Triton 2.2 and 2.3 write an `e` as well, and nothing says which version ran, so both
    # spellings are possible.
    plain, with_e = "", ""
    for position in range(len(kernel.signature)):
        flags = ("c" if position in ones else "") + ("d" if position in sixteen else "")
        plain += f"{position}{flags}"
        with_e += f"{position}{flags}{'e' if position in eight else ''}"
    suffixes = dict.fromkeys((plain, with_e))
    return tuple(f"{kernel.function}_{suffix}" for suffix in suffixes)


def split_suffix(name: str) -> tuple[str, str] | None:
    """`name` as function and legacy suffix, None where it carries none.

    Arguments count up from 0 and unflagged ones run together, so the suffix is consumed number by
    number. A bare `_0` is a modern kernel's number: a suffix has at least one letter.

    >>> split_suffix("triton__0d1c"), split_suffix("triton_poi_fused_add_0")
    (('triton_', '0d1c'), None)
    >>> split_suffix("triton__0d12d")
    ('triton_', '0d12d')
    """
    function, separator, suffix = name.rpartition("_")
    if not separator or not function or not is_suffix(suffix):
        return None
    return function, suffix


def is_common(name: str) -> bool:
    """Whether any kernel may run under `name`: unique names were off, and no function tells.

    >>> is_common("triton_"), is_common("triton__0d1c"), is_common("triton_poi_fused_add_0")
    (True, True, False)
    """
    split = split_suffix(name)
    return name == _NAMELESS or (split is not None and split[0] == _NAMELESS)


def is_suffix(suffix: str) -> bool:
    """Whether `suffix` spells a signature: positions from 0 on, at least one with a letter."""
    rest = suffix
    for position in count():
        if not rest:
            break
        if not rest.startswith(str(position)):
            return False
        rest = rest[len(str(position)) :]
        # Positions are read in their order, so `0d12d` is 0 with d, 1 without a flag, 2 with d.
        for flag in "cde":
            rest = rest.removeprefix(flag)
    return any(flag in suffix for flag in "cde")


def names_of_call(graph: CompiledGraph, call: WrapperCall) -> frozenset[str]:
    """Every name of the generated kernel that a call runs, or of its members; none without one."""
    kernel = graph.kernel_of(call)
    if kernel is None:
        return frozenset()
    # A multi-kernel runs one of its members, under the member's own name.
    members = [graph.kernel_by_name[m] for m in kernel.members if m in graph.kernel_by_name]
    return frozenset(name for definition in (kernel, *members) for name in device_names(definition))


def names_of_graph(graph: CompiledGraph) -> Iterator[str]:
    """Every name that the kernels of `graph` may show on the device."""
    for kernel in graph.kernels:
        yield from device_names(kernel)


def calls_by_device_name(program: CompiledProgram) -> Mapping[str, tuple[int, ...]]:
    """Positions in `program.calls` by every name that their kernels may show on the device."""
    # One kernel may be called several times, and several graphs may have kernels of one name.
    positions: dict[str, list[int]] = defaultdict(list)
    for position, (graph, call) in enumerate(program.calls):
        for name in names_of_call(graph, call):
            positions[name].append(position)
    return {name: tuple(calls) for name, calls in positions.items()}
