"""Which calls of generated code run nothing on a device: allocations, views, checks, streams.

Everything else that a wrapper calls may be work, so what is not listed here is never left out in
silence: `find_callee` takes it for a call, and a notice names it.
Seen in the wrappers of torch 2.0 to 2.15 and in the templates that write them.
"""

from __future__ import annotations

import ast
import builtins
import re

from kernelmap.compiler.python.source import literal_value
from kernelmap.model.names import aten_operators

_BUILTINS = frozenset(dir(builtins))

# Modules and classes of which no function launches work that a wrapper would wait for.
_MODULES = (
    "torch.cuda.",
    "torch.xpu.",
    "torch.mps.",
    "torch.mtia.",
    "torch.accelerator.",
    "torch.profiler.",
    "torch.utils.",
    "torch._C._dynamo.",
    "torch._C._distributed_c10d._SymmetricMemory.",
    "torch._dynamo.",
    "torch._inductor.",
    "triton.",
    "helion.",
    "async_compile.",
    "math.",
    "random.",
    "pickle.",
    "tempfile.",
    "os.",
    "nvtx.",
    "proton.",
    "pl.",
    "c10d.",
)

# Functions by the last part of their name: memory, checks, streams, sizes, and what Inductor's
# debugging options write (hooks, printers, memory tracking, bandwidth).
_FUNCTIONS = re.compile(
    r"_?(?:"
    r"empty(?:_strided\w*|_like)?|new_empty\w*|rand_strided|tracked_empty_strided"
    r"|as_strided|reinterpret_tensor|alloc_from_pool"
    r"|assert_\w+|check_memory_step|track_tensor"
    r"|get_\w*stream\w*|get_external_object_by_index|wait_tensor|register_tensor_work"
    r"|(?:\w+_)?grid(?:_\w+)?|align|cdiv|next_power_of_2|c_\w+|device|Event|Generator|generator"
    r"|record_function|maybe_profile|start_graph|end_graph"
    r"|run_intermediate_hooks|print_debugging_tensor_value_info|generate_example_value"
    r"|(?:create_\dd_tma_descriptor|from_tensor)"
    r")"
)

_TENSOR_CHECKS = frozenset({"torch.is_tensor", "torch.is_floating_point", "torch.is_complex"})

# Methods of tensors that look at memory or at what is known of it; all others of ATen's names work.
_LOOKS = re.compile(
    r"(?:is|has|sym|get)_\w+|size|sizes|stride|strides|numel|dim|ndimension|nelement|element_size"
    r"|data_ptr|storage|untyped_storage|storage_offset|requires_grad_|detach_?|record_stream"
    r"|view|view_as|as_strided_?|reshape|permute|transpose|t|expand|expand_as|squeeze|unsqueeze"
    r"|select|narrow|slice|split|split_with_sizes|chunk|unbind|unfold|diagonal|flatten|unflatten"
    r"|view_as_real|view_as_complex|alias|movedim|swapaxes|adjoint|mT|mH|set_|resize_"
)

# Methods of lists, texts, dicts, streams, events and kernels: ATen has some of their names, too.
_OF_OTHERS = frozenset({*dir(str), *dir(list), *dir(dict)} - {"sort"}) | {
    *("record", "synchronize", "wait", "query", "record_event", "wait_event", "wait_stream"),
    *("elapsed_time", "precompile", "save_gpu_kernel", "save_cpu_kernel"),
    "recursively_apply_fns",
}

# Operators that look at memory, hand it on, or order streams.
_OPERATORS = frozenset(
    {
        "inductor._alloc_from_pool",
        "inductor._reinterpret_tensor",
        "inductor.resize_storage_bytes_",
        "aten.alias",
        "aten.as_strided",
        "aten.detach",
        "aten.set_",
        "aten.shallow_copy_data_",
        "aten.view",
        "aten.view_as_complex",
        "aten.view_as_real",
        "aten._assert_scalar",
        "aten._assert_tensor_metadata",
        "aten.record_stream",
        "aten.sym_constrain_range",
        "aten.sym_constrain_range_for_size",
        "higher_order.print",
    }
)
_SPACES = frozenset({"streams", "profiler", "_inductor_debug"})


def is_operator_without_work(operator: str) -> bool:
    """Whether an operator launches nothing, whatever it is given.

    >>> is_operator_without_work("streams.wait_stream"), is_operator_without_work("aten.mm")
    (True, False)
    """
    return operator in _OPERATORS or operator.partition(".")[0] in _SPACES


def is_working_method(method: str) -> bool:
    """Whether a method of this name, called on a tensor, launches work: `.sum`, `.to`, `.isnan`.

    >>> is_working_method("sum"), is_working_method("view"), is_working_method("append")
    (True, False, False)
    """
    return (
        method in aten_operators()
        and method not in _OF_OTHERS
        and _LOOKS.fullmatch(method) is None
        and not method.startswith("__")
    )


def is_known_idle(written: str) -> bool:
    """Whether a function, by its whole name, is known to launch nothing.

    >>> is_known_idle("torch._C._dynamo.guards._empty_strided_cuda"), is_known_idle("my_launcher")
    (True, False)
    """
    if written in _BUILTINS or written in _TENSOR_CHECKS or written.startswith(_MODULES):
        return True
    last = written.rpartition(".")[2]
    return last in _OF_OTHERS or _FUNCTIONS.fullmatch(last) is not None


def is_handed_values(call: ast.Call) -> bool:
    """Whether a call is handed anything but literals: what gets no tensor works with none."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(literal_value(value) is None for value in given)
