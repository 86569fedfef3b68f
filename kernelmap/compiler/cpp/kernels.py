"""A C++ wrapper → the kernels that it defines or declares, and which functions launch them.

A Triton kernel has a function of its own that loads and launches it (`call_NAME`); its source is
there as a comment, or in a raw string where it is compiled at run time. Older code loads and
launches where it calls. `loadKernel("….cubin", "name", …)` states the name that the device shows.
C++ kernels are declared `extern "C"` and defined in the same text or in `*.kernel.cpp`. A kernel or
routine leaves a range in a profile only where the code opens one (`RAIIAtenRecordFunctionHandle`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.cpp.functions import CppFunctions, Function, split_arguments
from kernelmap.compiler.cpp.tokens import Token, TokenKind
from kernelmap.compiler.python.comments import definition_comment
from kernelmap.compiler.python.kernels import triton_kernel, unread_sources
from kernelmap.compiler.python.source import parse_python
from kernelmap.model import Backend, KernelDef, Notice
from kernelmap.model.names import category_of

LAUNCH = "launchKernel"
RECORD = "RAIIAtenRecordFunctionHandle"
_LOAD = "loadKernel"
# Sources stand as Python in a comment or raw string: `async_compile.triton(…)`.
_DEFINES = "async_compile.triton("
_CALLER = ("call_", "launch_")
_MULTI = "multi_kernel_"


class Launcher(Struct, frozen=True):
    """A function that launches one kernel; `sizes` are the places of its size arguments."""

    kernel: str
    recorded: bool
    sizes: tuple[int, ...]


class CppKernels(Struct, frozen=True):
    """Definitions by wrapper name, launching functions by name.

    `recorded` says of C++ kernels whether they open a range; those without a body are not in it.
    """

    kernels: Mapping[str, KernelDef]
    launchers: Mapping[str, Launcher]
    recorded: Mapping[str, bool]
    notices: tuple[Notice, ...]


class _Load(Struct, frozen=True):
    """A `K = loadKernel(…)`: what the device is asked for, and where it lies."""

    kernel: str
    device_name: str | None
    path: str | None


def kernels_of(
    tokens: Sequence[Token], code: CppFunctions, beside: CppFunctions, path: str | None
) -> CppKernels:
    """The kernels of the wrapper `tokens`, whose functions are `code`.

    `beside` are the functions of its kernel file, which lies at `path`.
    """
    kernels: dict[str, KernelDef] = {}
    launchers: dict[str, Launcher] = {}
    unread: list[str] = []
    # Wrapper name → source text, for kernels that are compiled when they are first run.
    sources = _sources_by_name(tokens)
    # Kernel → file and device name, from every `loadKernel` in the code.
    loads = {
        load.kernel: load
        for function in code.defined.values()
        for load in _iter_loads(function.body)
    }
    for function in code.defined.values():
        # A function that launches one kernel is that kernel's
        # launcher: a call of it is the kernel's call.
        launched = launched_in(function.body)
        if len(launched) == 1 and _is_launcher(function.name, launched[0]):
            defined = _triton_kernels(function, launched[0], loads, sources, unread)
            kernels |= {kernel.name: kernel for kernel in defined}
            # Of a multi-kernel the first definition is the one that calls name.
            launchers[function.name] = Launcher(
                defined[0].name, names_of_ranges(function.body) != (), _places_of_sizes(function)
            )
    # Older code loads and launches where it calls: there is no launcher and no source.
    for load in loads.values():
        if load.kernel not in kernels:
            kernels[load.kernel] = _with_load(_undefined_kernel(load.kernel), load)
    recorded: dict[str, bool] = {}
    # C++ kernels are declared in the wrapper; the body is there or in the kernel file.
    for name in code.exported:
        in_wrapper, in_kernel_file = code.defined.get(name), beside.defined.get(name)
        body = in_wrapper or in_kernel_file
        read_from = path if in_wrapper is None and in_kernel_file else None
        kernels.setdefault(name, _cpp_kernel(name, body, read_from))
        # Without a body nobody knows whether the kernel opens a range, so it is left out.
        if body is not None:
            recorded[name] = names_of_ranges(body.body) != ()
    return CppKernels(kernels, launchers, recorded, unread_sources(unread))


def _is_launcher(function: str, kernel: str) -> bool:
    """Whether a function is there to launch `kernel`, and not a part of the wrapper."""
    return function.startswith(_CALLER) or function.endswith(f"_{kernel}")


def find_calls_of(tokens: Sequence[Token], *names: str) -> Iterator[int]:
    """The places of the names in `tokens` that are one of `names` and open a bracket."""
    for at, token in enumerate(tokens[:-1]):
        if token.kind is TokenKind.NAME and token.value in names and is_mark(tokens[at + 1], "("):
            yield at


def is_mark(token: Token, mark: str) -> bool:
    """Whether `token` is this mark and not a text that looks like it."""
    return token.kind is TokenKind.MARK and token.value == mark


def launched_in(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The kernels that `tokens` launch: `K` of `launchKernel(kernels.K, …)`."""
    names = [launched_at(tokens, at) for at in find_calls_of(tokens, LAUNCH)]
    return tuple(name for name in names if name is not None)


def launched_at(tokens: Sequence[Token], at: int) -> str | None:
    """The kernel of the `launchKernel` at this place, None where its name is not stated."""
    given = split_arguments(tokens, at + 1)
    named = given[0][-1] if given and given[0] else None
    return named.value if named is not None and named.kind is TokenKind.NAME else None


def names_of_ranges(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The names of the ranges that `tokens` open."""
    ranges = []
    for at, token in enumerate(tokens[:-2]):
        # `RAIIAtenRecordFunctionHandle x("NAME", …)`: a variable stands between type and bracket.
        if token.value == RECORD and token.kind is TokenKind.NAME and is_mark(tokens[at + 2], "("):
            given = split_arguments(tokens, at + 2)
            if given and given[0] and given[0][0].kind is TokenKind.TEXT:
                ranges.append(given[0][0].value)
    return tuple(ranges)


def _name_assigned(tokens: Sequence[Token], at: int) -> str | None:
    """The name before the `=` before `at`."""
    before = tokens[max(0, at - len("K=")) : at]
    if (
        len(before) < len("K=")
        or before[0].kind is not TokenKind.NAME
        or not is_mark(before[1], "=")
    ):
        return None
    return before[0].value


def _iter_loads(tokens: Sequence[Token]) -> Iterator[_Load]:
    for at in find_calls_of(tokens, _LOAD):
        kernel = _name_assigned(tokens, at)
        if kernel is None:
            continue
        texts = [
            argument[0].value
            for argument in split_arguments(tokens, at + 1)
            if argument and argument[0].kind is TokenKind.TEXT
        ]
        # The last text is the name on the device; a path, where there is one, comes first.
        yield _Load(
            kernel=kernel,
            device_name=texts[-1] if texts else None,
            path=texts[0] if len(texts) > 1 else None,
        )


def _sources_by_name(tokens: Sequence[Token]) -> Mapping[str, str]:
    """The texts of `NAME_source = R"…"`, which are compiled when they are first run."""
    source_of: dict[str, str] = {}
    for at, token in enumerate(tokens):
        if token.kind is TokenKind.TEXT and _DEFINES in token.value:
            name = _name_assigned(tokens, at)
            if name is not None:
                source_of[name.removesuffix("_source")] = token.value
    return source_of


def _triton_kernels(
    function: Function,
    launched: str,
    loads: Mapping[str, _Load],
    sources: Mapping[str, str],
    unread: list[str],
) -> tuple[KernelDef, ...]:
    """The kernel that a function launches; of a multi-kernel also the member that was chosen."""
    # `call_NAME` launches NAME. Of a multi-kernel the function bears its name and launches the
    # member that was chosen when the code was compiled.
    kernel_name = function.name.partition("_")[2]
    lines = (function.line, function.last)
    inside = next(
        (t.value for t in function.body if t.kind is TokenKind.COMMENT and _DEFINES in t.value),
        None,
    )
    source = inside or sources.get(launched)
    kernel = _of_source(launched, source, lines, unread) if source else None
    kernel = kernel or replace(_undefined_kernel(launched), first_line=lines[0], last_line=lines[1])
    kernel = _with_load(kernel, loads.get(launched))
    if kernel_name == launched or not kernel_name.startswith(_MULTI):
        return (kernel,)
    multi = replace(
        _undefined_kernel(kernel_name), first_line=lines[0], last_line=lines[1], members=(launched,)
    )
    return multi, kernel


def _of_source(name: str, text: str, lines: tuple[int, int], unread: list[str]) -> KernelDef | None:
    """The kernel whose `async_compile.triton(…)` is in `text`, None where it cannot be parsed."""
    call = definition_in(text)
    if call is None:
        unread.append(name)
        return None
    # What stands above the definition in the same text is its comment block.
    head, _, _ = dedent(text.strip("\n")).partition(_DEFINES)
    comment = definition_comment(line.strip().lstrip("# ") for line in head.splitlines())
    return triton_kernel(name, call, lines, comment, unread)


def definition_in(text: str) -> ast.Call | None:
    """The `async_compile.triton(…)` in a text; None where it has none that can be parsed."""
    plain = dedent(text.strip("\n"))
    head, defines, _ = plain.partition(_DEFINES)
    tree = parse_python(plain[len(head) :].strip()) if defines else None
    call = tree.body[0] if tree and tree.body else None
    return call.value if isinstance(call, ast.Expr) and isinstance(call.value, ast.Call) else None


def _undefined_kernel(name: str) -> KernelDef:
    """A Triton kernel of which nothing but the name is known."""
    category = category_of(name)
    backend = {"tem": Backend.TEMPLATE, "for": Backend.COMBO}.get(category or "", Backend.TRITON)
    if name.startswith(_MULTI):
        backend = Backend.MULTI
    elif not name.startswith("triton_"):
        backend = Backend.USER
    return KernelDef(
        name=name,
        function=name,
        backend=backend,
        first_line=None,
        last_line=None,
        category=category,
    )


def _with_load(kernel: KernelDef, load: _Load | None) -> KernelDef:
    if load is None:
        return kernel
    return replace(kernel, function=load.device_name or kernel.function, path=load.path)


def _cpp_kernel(name: str, body: Function | None, path: str | None) -> KernelDef:
    """A C++ kernel; its lines are those of the wrapper's own file only."""
    here = body if path is None else None
    return KernelDef(
        name=name,
        function=name,
        backend=Backend.CPP,
        first_line=here.line if here else None,
        last_line=here.last if here else None,
        path=path,
    )


def _places_of_sizes(function: Function) -> tuple[int, ...]:
    return tuple(at for at, name in enumerate(function.parameters) if name.endswith("numel"))
