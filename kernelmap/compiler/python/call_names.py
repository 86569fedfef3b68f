"""A call expression of the wrapper → what it runs, or None where it launches no work.

A call is: `NAME.run(…)` of a kernel, a C++ kernel by its name, `extern_kernels.…`, any operator of
`torch.ops` (also through aliases such as `aten`), and glue on tensors: `.copy_()`, `.item()`,
`.zero_()`, `.clone()`. Left out: allocations, views of memory, asserts, stream look-ups and guards;
`copy_if_misaligned`, which copies only inputs that violate what the code was compiled for.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from msgspec import Struct

from kernelmap.compiler.python.source import dotted_name, keyword_value
from kernelmap.model import Backend, KernelDef
from kernelmap.model.names import backend_of, category_of

_EXTERN = "extern_kernels."
_OPS = "torch.ops."
_GLUE = {"copy_", "item", "zero_", "clone"}
# Plain functions of torch that old wrappers call: seeds for random numbers, results of loops.
_TORCH = {"torch.randint", "torch.stack"}
_NO_WORK = {
    "inductor._alloc_from_pool",
    "inductor._reinterpret_tensor",
    "inductor.resize_storage_bytes_",
}
# What Inductor calls by a name of its own.
_RENAMED = {"bias_addmm": "addmm"}


class Callee(Struct, frozen=True, kw_only=True):
    """What a call runs: the fields of WrapperCall that follow from its name.

    `looked_up` says that the call names its operator only while it runs: what comments call it is
    another name.
    """

    wrapper: str
    backend: Backend
    category: str | None = None
    kernel: str | None = None
    target: str | None = None
    function: str | None = None
    looked_up: bool = False


def find_callee(
    call: ast.Call,
    kernels: Mapping[str, KernelDef],
    aliases: Mapping[str, str],
    passed_on: Mapping[str, str],
) -> Callee | None:
    """What `call` runs, None where it launches nothing.

    `aliases` are the names that the module gives to dotted names, `passed_on` the functions that
    hand their arguments on (statements.py).
    """
    # The code's own kernels come first: no library name can be meant then.
    kernel = _kernel_run(call.func, kernels)
    if kernel is not None:
        return of_kernel(kernel, kernels)
    written = dotted_name(call.func)
    written = passed_on.get(written or "", written)
    library = _library_routine(written, aliases) if written is not None else None
    # Some operators only look at memory: these launch nothing.
    if library is not None:
        return None if library.target in _NO_WORK else library
    return _undefined_kernel(call) or _find_glue(call.func)


def _kernel_run(function: ast.expr, kernels: Mapping[str, KernelDef]) -> KernelDef | None:
    """The definition behind `kernel.run`, `kernel`, and `kernel[grid]` of Triton itself."""
    # `kernel[grid](…)` of a user's kernel.
    if isinstance(function, ast.Subscript):
        function = function.value
    written = dotted_name(function) or ""
    owner, _, method = written.rpartition(".")
    return kernels.get(owner if method in ("run", owner) else written)


def _library_routine(written: str, aliases: Mapping[str, str]) -> Callee | None:
    """A routine that is not generated: an extern kernel or an operator."""
    # `extern_kernels.addmm` is always the operator of ATen of that name.
    if written.startswith(_EXTERN):
        name = written[len(_EXTERN) :]
        return Callee(wrapper=written, backend=Backend.EXTERN, target=f"aten.{_fold_name(name)}")
    operator = _operator_of_name(written, aliases)
    if written in _TORCH:
        operator = f"aten.{written.rpartition('.')[2]}"
    if operator is None:
        return None
    return Callee(wrapper=written, backend=Backend.EXTERN, target=operator)


def _operator_of_name(written: str, aliases: Mapping[str, str]) -> str | None:
    """`aten.mm` of `torch.ops.aten.mm.default`, of `aten.mm.out`, and so on."""
    root, dot, rest = written.partition(".")
    # The first part may be an alias: `aten` for `torch.ops.aten`.
    full = aliases.get(root, root) + dot + rest
    if not full.startswith(_OPS):
        return None
    space, _, name = full[len(_OPS) :].partition(".")
    return f"{space}.{_fold_name(name)}" if name else None


def _fold_name(name: str) -> str:
    """An operator's name without overload and without `_out`; private modules keep their dots."""
    bare = name.partition(".")[0].removesuffix("_out")
    return _RENAMED.get(bare, bare)


def of_kernel(kernel: KernelDef, kernels: Mapping[str, KernelDef]) -> Callee:
    """What a call of `kernel` runs; `kernels` has its members."""
    members = [kernels[name] for name in kernel.members if name in kernels]
    # A multi-kernel has a category where all its members have the same one.
    categories = {member.category for member in members} if members else {kernel.category}
    multi = kernel.backend is Backend.MULTI
    return Callee(
        wrapper=kernel.name,
        backend=kernel.backend,
        category=categories.pop() if len(categories) == 1 else None,
        kernel=kernel.name,
        # A user's kernel stands for no operator: what it is called is all one can say of it.
        target=kernel.function if kernel.backend is Backend.USER else None,
        function=None if multi else kernel.function,
    )


def _undefined_kernel(call: ast.Call) -> Callee | None:
    """A kernel that is run but not defined in what was given."""
    owner, _, method = (dotted_name(call.func) or "").rpartition(".")
    # C++ kernels are called by their bare name.
    if not owner and method.startswith(("cpp_fused", "kernel_cpp_")):
        return Callee(wrapper=method, backend=Backend.CPP)
    # `x.run(…)` may be anything. A kernel is given a stream or a grid, or is called like one.
    launched = keyword_value(call, "stream", "grid") is not None
    if method != "run" or not owner.isidentifier() or not (launched or owner.startswith("triton_")):
        return None
    return undefined_triton(owner)


def undefined_triton(name: str) -> Callee:
    """What a call of the Triton kernel `name` runs that the code does not define."""
    return Callee(wrapper=name, backend=backend_of(name), category=category_of(name))


def _find_glue(function: ast.expr) -> Callee | None:
    if isinstance(function, ast.Attribute) and function.attr in _GLUE:
        method = function.attr
        return Callee(wrapper=f".{method}", backend=Backend.GLUE, target=f"aten.{method}")
    return None
