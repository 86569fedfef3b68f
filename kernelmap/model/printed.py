"""What AOTInductor's debug printer says of a call, and under which name it speaks of it.

Takes nothing, gives frozen records, and the names that follow from a call. Source of the names:
torch 2.13, `DebugPrinterManager` and its callers. Left out: reading them, which traces/ does.
"""

from __future__ import annotations

import re
from enum import StrEnum
from math import isfinite, isnan

from msgspec import Struct

from kernelmap.model.names import SHIM, shim_name
from kernelmap.model.program import Backend, CompiledGraph, WrapperCall

_NAME = re.compile(r"(?:aoti_torch)?(?P<when>before|after)_launch_(?P<rest>.+)\.pt", re.DOTALL)
_UNNAMED = ("aoti_torch_call_dispatcher", "aoti_torch_proxy_executor_call_function")
_FALLBACK = "torch.ops."
_SILENT = (Backend.GLUE, Backend.MULTI)


class When(StrEnum):
    """Where a line stands: before or after a launch, or at the model's inputs."""

    BEFORE = "before"
    AFTER = "after"
    INPUT = "input"


class Values(Struct, frozen=True, kw_only=True):
    """What level 2 prints of a tensor; None for what it does not state.

    `low` and `high` are NaN where any element is. `mean` may overflow while they are finite.
    """

    elements: int | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    device: str | None = None
    mean: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def bad(self) -> str | None:
        """`NaN` or `Inf` where an element is one; of complex tensors only the mean is known."""
        # Any element that is NaN makes `low` and `high` NaN. The mean is asked only where both are
        # missing, because it may overflow although all elements are finite.
        stated = [number for number in (self.low, self.high) if number is not None] or (
            [] if self.mean is None else [self.mean]
        )
        if any(isnan(number) for number in stated):
            return "NaN"
        return None if all(isfinite(number) for number in stated) else "Inf"


class TensorFacts(Struct, frozen=True, kw_only=True):
    """What a saved tensor holds; `low`, `high` and `mean` are those of its finite elements.

    They are None where there is none, or none that can be compared (complex, quantized).
    """

    shape: tuple[int, ...]
    dtype: str
    elements: int
    low: float | None
    high: float | None
    mean: float | None
    nans: int | None
    infs: int | None


class Printed(Struct, frozen=True, kw_only=True):
    """One thing that the printer left in a log.

    `level` is 1 (a file was saved: `path`), 2 (values of `argument`) or 3 (a launch: `kernel`).
    `line` counts the log's lines from 1. Inputs have no `kernel`; saved files have only their path.
    """

    level: int
    when: When
    line: int
    kernel: str | None = None
    argument: str | None = None
    values: Values | None = None
    path: str | None = None


def saved_name(name: str) -> tuple[When, str] | None:
    """What the name of a file says; None for the name of another file.

    >>> saved_name("aoti_torchbefore_launch_cpp_fused_add_0_buf1_cpu.pt")
    (<When.BEFORE: 'before'>, 'cpp_fused_add_0_buf1_cpu')
    """
    match = _NAME.fullmatch(name)
    return (When(match["when"]), match["rest"]) if match else None


def names_of(call: WrapperCall) -> tuple[str, ...]:
    """The names that the printer may have for `call`; none where it never speaks of it.

    One, if the code has printer statements for the call. Python wrappers print no C++ kernels and
    no operators that they call themselves. Otherwise a library call that makes its
    results itself has two: which one it is depends on what Inductor made it from.
    """
    operands = call.operands
    # The code states the name itself.
    if operands is not None and operands.printed is not None:
        return (operands.printed,)
    # The printer has no statement for these.
    if call.backend in _SILENT or call.wrapper in _UNNAMED:
        return ()
    if operands is None and (call.backend is Backend.CPP or call.wrapper.startswith(_FALLBACK)):
        return ()
    # A C function of libtorch: the printer calls it by that name, or by that of the ATen operator
    # behind it, which the call can have only if it makes its results itself.
    if call.backend is Backend.EXTERN and call.wrapper.startswith(SHIM):
        operator = shim_name(call.wrapper) or call.wrapper.removeprefix(SHIM)
        other = f"at::_ops::{operator}::call"
        return (
            (call.wrapper, other) if operands is not None and operands.results else (call.wrapper,)
        )
    return (call.wrapper,)


def may_be_printed(graph: CompiledGraph, call: WrapperCall) -> bool:
    """Whether the printer may say something of `call`: by its statements, where the code has any.

    Code that was compiled without the printer has none; then every call that can have a name.
    """
    if printer_inside(graph):
        return call.operands is not None and call.operands.printed is not None
    return bool(names_of(call))


def printer_inside(graph: CompiledGraph) -> bool:
    """Whether the code was compiled with the printer."""
    return any(call.operands is not None and call.operands.printed for call in graph.calls)


def is_cpp(graph: CompiledGraph) -> bool:
    """Whether the graph's wrapper is C++ (AOTInductor, or `cpp_wrapper=True`)."""
    return any(call.operands is not None for call in graph.calls)
