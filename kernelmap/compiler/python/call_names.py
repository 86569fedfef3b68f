"""A call expression of the wrapper → what it runs, or None where it launches no work.

A call is: `NAME.run(…)` of a kernel, `LIBRARY.function(…)` of a Metal library, a C++ kernel by its
name, a kernel that is handed to a launcher, `extern_kernels.…`, any operator of `torch.ops` (also
through aliases such as `aten`) or function of `torch` that is one, and glue on tensors, such as
`.copy_()`, `.item()`, `.sum()`. What is none of these, and not known to launch nothing
(no_work.py), may be anything: it is a call of which nothing but its name is known. Left out:
`copy_if_misaligned`, which copies only inputs that violate what the code was compiled for
(`alignment_copy`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from msgspec import Struct

from kernelmap.compiler.python.no_work import (
    is_handed_values,
    is_known_idle,
    is_operator_without_work,
    is_working_method,
)
from kernelmap.compiler.python.source import dotted_name, keyword_value, last_word
from kernelmap.model import Backend, KernelDef
from kernelmap.model.names import backend_of, category_of
from kernelmap.model.program import leaves_no_range

_EXTERN = "extern_kernels."
_OPS = "torch.ops."
_TORCH = ("torch.", "torch.nn.functional.")
# What launches the kernel that it is handed first: Helion writes `_launcher(kernel, grid, …)`.
_LAUNCHERS = {"launcher", "_launcher", "default_launcher", "_default_launcher"}
# Its name since torch 2.13, and in 2.12; tables write the newer one.
_ALIGNS = ("copy_if_misaligned", "copy_misaligned")
_LONGEST = 60  # letters of a call that has no name
# What Inductor calls by a name of its own.
_RENAMED = {"bias_addmm": "addmm"}


class Callee(Struct, frozen=True, kw_only=True):
    """What a call runs: the fields of WrapperCall that follow from its name.

    `looked_up` says that the call names its operator only while it runs: what comments call it is
    another name. `recorded` is that of the WrapperCall.
    """

    wrapper: str
    backend: Backend
    category: str | None = None
    kernel: str | None = None
    target: str | None = None
    function: str | None = None
    looked_up: bool = False
    recorded: bool | None = None

    @property
    def is_idle(self) -> bool:
        """Whether it launches nothing: an operator that only looks at memory or orders streams.

        It is no call, but a comment above it speaks of it.
        """
        library = self.backend is Backend.EXTERN and self.target is not None
        return library and is_operator_without_work(self.target or "")


def alignment_copy(call: ast.Call) -> str | None:
    """The input that `copy_if_misaligned(INPUT)` copies if it has to, None for any other call."""
    if last_word(call) not in _ALIGNS or not call.args:
        return None
    # Where several streams read an input, each copies the original: `primals_1_orig`.
    return (dotted_name(call.args[0]) or _ALIGNS[0]).removesuffix("_orig")


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
    called = dotted_name(call.func)
    kernel = _kernel_run(call, called, kernels)
    if kernel is not None:
        return of_kernel(kernel, kernels)
    written = passed_on.get(called or "", called)
    library = _library_routine(written, aliases) if written is not None else None
    if library is not None:
        return library
    undefined = _undefined_kernel(call, called or "")
    if undefined is not None or (written is not None and _is_idle(written, aliases)):
        return undefined
    return _find_glue(call.func) or _unknown_work(call, written)


def _kernel_run(
    call: ast.Call, called: str | None, kernels: Mapping[str, KernelDef]
) -> KernelDef | None:
    """The definition behind `kernel.run`, `kernel`, `launcher(kernel, …)`, and `kernel[grid]`."""
    # `kernel[grid](…)` of a user's kernel.
    if isinstance(call.func, ast.Subscript):
        called = dotted_name(call.func.value)
    written = called or ""
    if written in _LAUNCHERS:
        return kernels.get(_launched_name(call) or "")
    owner, _, method = written.rpartition(".")
    defined = kernels.get(owner if method in ("run", owner) else written)
    # A Metal library has its functions as methods: `mps_lib_0.generated_kernel(…)`.
    library = kernels.get(owner)
    if defined is None and library is not None and library.backend is Backend.METAL:
        return library
    return defined


def _launched_name(call: ast.Call) -> str | None:
    """The kernel that a launcher is handed."""
    return dotted_name(call.args[0]) if call.args else None


def _library_routine(written: str, aliases: Mapping[str, str]) -> Callee | None:
    """A routine that is not generated: an extern kernel or an operator."""
    # `extern_kernels.addmm` is always the operator of ATen of that name.
    if written.startswith(_EXTERN):
        name = written[len(_EXTERN) :]
        return Callee(wrapper=written, backend=Backend.EXTERN, target=f"aten.{_fold_name(name)}")
    operator = _operator_of_name(written, aliases)
    # Plain functions of torch: seeds for random numbers, results of loops, a user's host code.
    owner, dot, name = written.rpartition(".")
    if f"{owner}{dot}" in _TORCH and not is_known_idle(written) and is_working_method(name):
        operator = f"aten.{name}"
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
        recorded=False if leaves_no_range(kernel) else None,
    )


def _undefined_kernel(call: ast.Call, written: str) -> Callee | None:
    """A kernel that is run but not defined in what was given; `written` is what is called."""
    # `kernel[grid](…)` of a kernel that another module defines.
    if isinstance(call.func, ast.Subscript) and (name := dotted_name(call.func.value)) is not None:
        by_list = name.rpartition(".")[2] == "partitions"
        return None if by_list else Callee(wrapper=name, backend=Backend.USER, recorded=False)
    # A launcher may launch what another module defines.
    if written in _LAUNCHERS and (launched := _launched_name(call)) is not None:
        return Callee(wrapper=launched, backend=Backend.USER, recorded=False)
    owner, _, method = written.rpartition(".")
    # C++ kernels are called by their bare name.
    if not owner and method.startswith(("cpp_fused", "kernel_cpp_")):
        return Callee(wrapper=method, backend=Backend.CPP)
    # So are Halide's and Metal's. Libraries have functions: `cuda_fused_0.cuda_fused_0(…)`.
    backend = backend_of(owner or method)
    if backend in (Backend.METAL, Backend.HALIDE) or (owner == method and owner):
        return Callee(wrapper=owner or method, backend=backend, recorded=False)
    # `x.run(…)` may be anything. A kernel is given a stream or a grid, or is called like one.
    launched_by_stream = keyword_value(call, "stream", "grid") is not None
    named = owner.startswith("triton_") or backend is not Backend.USER
    if method != "run" or not owner.isidentifier() or not (launched_by_stream or named):
        return None
    return undefined_triton(owner)


def undefined_triton(name: str) -> Callee:
    """What a call of the generated kernel `name` runs that the code does not define."""
    backend, category = backend_of(name), category_of(name)
    silent = backend is Backend.PALLAS or (backend is Backend.TEMPLATE and category is None)
    return Callee(
        wrapper=name, backend=backend, category=category, recorded=False if silent else None
    )


def _find_glue(function: ast.expr) -> Callee | None:
    if isinstance(function, ast.Attribute) and is_working_method(function.attr):
        method = function.attr
        return Callee(wrapper=f".{method}", backend=Backend.GLUE, target=f"aten.{method}")
    return None


def _is_idle(written: str, aliases: Mapping[str, str]) -> bool:
    """Whether a function is known to launch nothing, by its name as written or as imported."""
    root, dot, rest = written.partition(".")
    return is_known_idle(written) or is_known_idle(aliases.get(root, root) + dot + rest)


def _unknown_work(call: ast.Call, written: str | None) -> Callee | None:
    """What may be any work: nothing is known of it but its name, and that it is handed values."""
    # `kernel[grid](…)` and `find(name)(…)` have no name that is dotted; methods of expressions that
    # are no operators' belong to no tensor.
    if written is None and isinstance(call.func, ast.Subscript | ast.Call):
        written = ast.unparse(call.func)[:_LONGEST]
    if written is None or not is_handed_values(call):
        return None
    return Callee(wrapper=written, backend=Backend.EXTERN, recorded=False)
