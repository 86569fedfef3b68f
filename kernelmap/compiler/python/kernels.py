"""Top-level statements of generated code → kernel definitions.

`NAME = async_compile.triton('function', '''source''')` and its relatives for C++, multi-kernels,
Metal, Halide, Pallas and vendor templates, `NAME = compile_mps_shader('''source''')`, and functions
under `@triton.jit`, each with the comment block above it. The oldest code gives the source as the
only argument; then the function's name comes from the source. Left out: what a kernel computes.
"""

from __future__ import annotations

import ast
import re

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.python.comments import DefinitionComment, definition_comment, is_headline
from kernelmap.compiler.python.kernel_source import KernelFacts, cpp_function, triton_facts
from kernelmap.compiler.python.source import dotted_name, text_arguments
from kernelmap.compiler.python.statements import ParsedCode, is_jitted, split_assignment
from kernelmap.model import Backend, KernelDef, Notice
from kernelmap.model.names import category_of

_COMPILER = "async_compile"
# The kind of kernel by its decorator, where the name does not say it.
_BY_HEURISTIC = {
    "pointwise": "poi",
    "reduction": "red",
    "cooperative_reduction": "red",
    "persistent_reduction": "per",
    "template": "tem",
    "foreach": "for",
    "split_scan": "spl",
}
# Methods of the compiler object that define no kernel.
_NO_KERNEL = {"wait", "warm_pool", "submit", "use_process_pool", "wakeup"}
CPP = {"cpp", "cpp_pybinding"}
_MULTI = {"multi_kernel", "size_hint_multi_kernel"}
_METAL = "metal"
_OTHERS = {_METAL: Backend.METAL, "halide": Backend.HALIDE, "pallas": Backend.PALLAS}
_SHADERS = ("compile_mps_shader", "compile_shader", "_compile_shader")
# The first kernel of a Metal library: `kernel void generated_kernel(`.
_METAL_KERNEL = re.compile(r"\bkernel\s+void\s+(\w+)\s*\(")


class Definitions(Struct, frozen=True):
    """Kernel definitions in file order, and what could not be read of them."""

    kernels: tuple[KernelDef, ...]
    notices: tuple[Notice, ...]


def find_definitions(code: ParsedCode) -> Definitions:
    """All kernel definitions of `code`."""
    kernels: list[KernelDef] = []
    unread: list[str] = []
    for statement in code.statements:
        kernel = _read_definition(statement, code, unread)
        if kernel is not None:
            kernels.append(kernel)
    return Definitions(tuple(kernels), unread_sources(unread))


def maker_of_kernel(call: ast.Call) -> str | None:
    """`triton` of `async_compile.triton(…)`, None where `call` defines no kernel."""
    owner, _, method = (dotted_name(call.func) or "").rpartition(".")
    # A library of Metal functions is compiled where it stands.
    if method in _SHADERS:
        return _METAL
    return method if owner == _COMPILER and method not in _NO_KERNEL else None


def _read_definition(statement: ast.stmt, code: ParsedCode, unread: list[str]) -> KernelDef | None:
    if isinstance(statement, ast.FunctionDef) and is_jitted(statement):
        return _plain_function(statement, code)
    name, call = split_assignment(statement) or ("", None)
    method = maker_of_kernel(call) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or method is None:
        return None
    # The block above counts as part of the definition: it states path, nodes and fragment.
    first_line, comment = _comment_above(statement.lineno, code)
    lines = (first_line, statement.end_lineno or statement.lineno)
    if method == "triton":
        return triton_kernel(name, call, lines, comment, unread)
    if method in _MULTI:
        return _plain_kernel(name, Backend.MULTI, lines, comment, members=_members_of(call))
    source, function = "".join(text_arguments(call)[-1:]), None
    if method in CPP:
        # The last text is the C++ source; the function that it exports is the symbol.
        function = cpp_function(source)
    elif method == _METAL and (shader := _METAL_KERNEL.search(source)) is not None:
        function = shader[1]
    return _plain_kernel(name, _backend_of_maker(method), lines, comment, function=function)


def _backend_of_maker(method: str) -> Backend:
    if method in CPP:
        return Backend.CPP
    # CUTLASS, ROCm, CuTe and the like: a template somebody wrote, filled in by Inductor.
    return _OTHERS.get(method, Backend.TEMPLATE)


def _plain_function(statement: ast.FunctionDef, code: ParsedCode) -> KernelDef:
    """A kernel of Helion's: a function of the module, under its decorators."""
    first = min((statement.lineno, *(node.lineno for node in statement.decorator_list)))
    first_line, comment = _comment_above(first, code)
    lines = (first_line, statement.end_lineno or statement.lineno)
    return replace(_plain_kernel(statement.name, Backend.USER, lines, comment), plain=True)


def _plain_kernel(
    name: str,
    backend: Backend,
    lines: tuple[int, int],
    comment: DefinitionComment,
    *,
    function: str | None = None,
    members: tuple[str, ...] = (),
) -> KernelDef:
    return KernelDef(
        name=name,
        function=function or name,
        backend=backend,
        first_line=lines[0],
        last_line=lines[1],
        path=comment.path,
        origins=comment.origins,
        node_map=comment.node_map,
        fragment=comment.fragment,
        members=members,
    )


def triton_kernel(
    name: str,
    call: ast.Call,
    lines: tuple[int, int],
    comment: DefinitionComment,
    unread: list[str],
) -> KernelDef:
    """What `async_compile.triton(…)` in these `lines` defines; `unread` gets what has no source."""
    texts = text_arguments(call)
    # The last text is the source; where there are two, the first is the function's name.
    facts = triton_facts(texts[-1]) if texts else KernelFacts(parsed=False)
    if not facts.parsed:
        unread.append(name)
    stated = texts[0].strip() if len(texts) > 1 else None
    # Only a user's kernel has a comment `Original path:`.
    kernel = kernel_of(name, facts, comment.path, by_user=comment.source is not None)
    return replace(
        kernel,
        function=facts.function or stated or name,
        first_line=lines[0],
        last_line=lines[1],
        origins=comment.origins,
        node_map=comment.node_map,
        fragment=comment.fragment,
        source=comment.source,
    )


def kernel_of(
    name: str, facts: KernelFacts, path: str | None, *, by_user: bool = False
) -> KernelDef:
    """A Triton kernel as its source alone states it; `by_user` where it is known to be a user's."""
    # The source tells a user's kernel as well, by its metadata or its decorator.
    by_user = by_user or facts.custom or facts.heuristic == "user_autotune"
    category = None
    if not by_user:
        category = category_of(name) or _BY_HEURISTIC.get(facts.heuristic or "")
    return KernelDef(
        name=name,
        function=facts.function or name,
        backend=Backend.USER if by_user else _backend_of(facts, category),
        first_line=None,
        last_line=None,
        category=category,
        heuristic=facts.heuristic,
        path=path,
        signature=facts.signature,
        specialization=facts.specialization,
        size_hints=facts.size_hints,
        meta=facts.meta,
    )


def _backend_of(facts: KernelFacts, category: str | None) -> Backend:
    grid = facts.meta.get("grid_type")
    # Kernels that do the work of several: horizontally combined ones, and those of foreach.
    grouped = isinstance(grid, str) and "ComboKernelGrid" in grid
    if grouped or category == "for" or "combo_grid_meta" in facts.meta:
        return Backend.COMBO
    return Backend.TEMPLATE if category == "tem" else Backend.TRITON


def _members_of(call: ast.Call) -> tuple[str, ...]:
    for argument in call.args:
        # One kernel per size hint stands in a dict.
        listed = argument.values if isinstance(argument, ast.Dict) else None
        if isinstance(argument, ast.List | ast.Tuple):
            listed = argument.elts
        if listed is not None:
            return tuple(member.id for member in listed if isinstance(member, ast.Name))
    return ()


def _comment_above(line: int, code: ParsedCode) -> tuple[int, DefinitionComment]:
    """The block of comment lines that ends above `line`, with its first line.

    Code of torch 2.0 to 2.3 leaves one blank line between a block and its definition where the
    node map is empty.
    """
    first = line
    # Up from the definition, line by line, while there are comments.
    while first - 1 in code.comments or _is_gap(first - 1, code):
        first -= 1
    block = [code.comments[number] for number in range(first, line) if number in code.comments]
    return first, definition_comment(block)


def _is_gap(line: int, code: ParsedCode) -> bool:
    # A blank line belongs to the block only if a headline of a block stands above it.
    above = code.comments.get(line - 1)
    blank = 0 < line <= len(code.lines) and not code.lines[line - 1].strip()
    return blank and above is not None and is_headline(above)


def unread_sources(unread: list[str]) -> tuple[Notice, ...]:
    """The notice about kernels whose source could not be parsed."""
    if not unread:
        return ()
    more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
    return (
        Notice(
            slug="kernel-source-unreadable",
            message=f"The source of {unread[0]}{more} is no Python that can be parsed.",
            hint="Its name is kept; its signature and specialization are unknown.",
        ),
    )
