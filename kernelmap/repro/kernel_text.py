"""The source of a Triton kernel as generated code holds it → its functions for a script.

The decorator of Inductor's, which chooses a configuration when the kernel first runs, gives way to
Triton's own: the script states the configuration itself. The functions are left as they are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from kernelmap.compiler.python.source import (
    last_word,
    literal_items,
    literal_value,
    names_in,
    text_arguments,
    tree_of,
)
from kernelmap.compiler.python.statements import is_jitted, split_assignment
from kernelmap.model import CompiledGraph, KernelDef
from kernelmap.repro.literals import safe_name
from kernelmap.repro.refusal import NotInInputsError

_MODULES = ("triton", "torch", "math", "__future__")
_NO_SOURCE = "runs a kernel whose source is not in the inputs"
_GIVE_SOURCE = (
    "Give the generated code that holds it: output_code.py of a cache folder or of"
    " torch_compile_debug, or a TORCH_TRACE log."
)


class TritonKernel(Struct, frozen=True, kw_only=True):
    """A kernel for a script.

    `text` are its functions, `imports` the lines that they need. `parameters` are those that a
    launch hands over, in order, `blocks` the compile-time ones that a configuration gives.
    `constants` are compile-time parameters that the code gives itself. `signature` has the type of
    each parameter. `meta` are the literals of Inductor's decorator by name of the argument.
    """

    name: str
    text: str
    imports: tuple[str, ...]
    parameters: tuple[str, ...]
    blocks: tuple[str, ...]
    constants: Mapping[str, object]
    signature: Mapping[str, str]
    meta: Mapping[str, Mapping[object, object]]
    body: str


def read_triton_kernel(graph: CompiledGraph, kernel: KernelDef) -> TritonKernel:
    """The kernel of a call. Raises NotInInputsError where its source is not there."""
    source = _source_of(graph, kernel)
    tree = tree_of(source) if source is not None else None
    if source is None or tree is None:
        raise NotInInputsError(_NO_SOURCE, _GIVE_SOURCE)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    tuned = [one for one in functions if any(isinstance(d, ast.Call) for d in one.decorator_list)]
    if not functions:
        raise NotInInputsError(_NO_SOURCE, _GIVE_SOURCE)
    main = (tuned or functions)[-1]
    decorator = next((one for one in main.decorator_list if isinstance(one, ast.Call)), None)
    meta = _meta_of(decorator)
    signature = dict(kernel.signature or ())
    arguments = (*main.args.posonlyargs, *main.args.args)
    stated = meta.get("triton_meta", {}).get("constants")
    constants = (
        {str(name): value for name, value in stated.items()} if isinstance(stated, dict) else {}
    )
    compile_time = [one.arg for one in arguments if one.annotation is not None]
    given = tuple(one.arg for one in arguments if one.annotation is None)
    needed = {name for function in functions for name in _names_used(function)}
    return TritonKernel(
        name=safe_name(main.name),
        text="\n\n\n".join(
            [
                *_constants_in(source, tree, needed),
                *(_text_of(source, one, "@triton.jit") for one in functions if one is not main),
                _text_of(source, main, _decorator_for(given, signature, kernel)),
            ]
        ),
        imports=_imports_of(tree, needed),
        parameters=given,
        blocks=tuple(name for name in compile_time if name not in constants),
        constants={name: constants[name] for name in compile_time if name in constants},
        signature=signature,
        meta=meta,
        body=ast.get_source_segment(source, main) or "",
    )


def _names_used(function: ast.FunctionDef) -> Iterator[str]:
    """The names that a function mentions, its decorators left out."""
    for part in (*function.body, function.args):
        yield from names_in(part)


def _source_of(graph: CompiledGraph, kernel: KernelDef) -> str | None:
    """The text inside of `async_compile.triton('name', '''…''')`."""
    tree = tree_of(graph.text or "")
    for statement in tree.body if tree is not None else ():
        pair = split_assignment(statement)
        if pair is not None and pair[0] == kernel.name and isinstance(pair[1], ast.Call):
            texts = text_arguments(pair[1])
            return texts[-1] if texts else None
        # Helion's kernels are functions of the module.
        if isinstance(statement, ast.FunctionDef) and statement.name == kernel.name:
            return ast.get_source_segment(graph.text or "", statement)
    return None


def _meta_of(decorator: ast.Call | None) -> dict[str, dict[object, object]]:
    """The dictionaries of literals that Inductor's decorator is given, and its other literals."""
    found: dict[str, dict[object, object]] = {"": {}}
    for keyword in decorator.keywords if decorator is not None else ():
        if keyword.arg is None:
            continue
        if isinstance(keyword.value, ast.Dict):
            items = literal_items(keyword.value)
            found[keyword.arg] = {name: literal_value(node) for name, node in items.items()}
        else:
            found[""][keyword.arg] = literal_value(keyword.value)
    return found


def _text_of(source: str, function: ast.FunctionDef, decorator: str) -> str:
    """The function's own lines with another decorator."""
    lines = source.split("\n")[function.lineno - 1 : function.end_lineno]
    if not is_jitted(function):
        return "\n".join(lines)
    return "\n".join([decorator, *lines])


def _decorator_for(given: tuple[str, ...], signature: Mapping[str, str], kernel: KernelDef) -> str:
    """Triton specializes on values that Inductor's code may not: it says on which."""
    divisible = kernel.specialization.divisible_by_16 if kernel.specialization else None
    if divisible is None:
        return "@triton.jit"
    names = list(signature)
    free = [name for name in given if name in names and names.index(name) not in divisible]
    numbers = tuple(name for name in free if signature[name].startswith(("i", "u")))
    pointers = tuple(name for name in free if signature[name].startswith("*"))
    options = [
        f"{option}={listed!r}"
        for option, listed in (
            ("do_not_specialize", numbers),
            ("do_not_specialize_on_alignment", pointers),
        )
        if listed
    ]
    return f"@triton.jit({', '.join(options)})" if options else "@triton.jit"


def _constants_in(source: str, tree: ast.Module, needed: set[str]) -> list[str]:
    """Compile-time constants beside a user's kernel: `SIZE = tl.constexpr(32)`."""
    return [
        ast.get_source_segment(source, statement) or ""
        for statement in tree.body
        if (pair := split_assignment(statement)) is not None
        and pair[0] in needed
        and (
            literal_value(pair[1]) is not None
            or (isinstance(pair[1], ast.Call) and _is_constexpr(pair[1]))
        )
    ]


def _is_constexpr(call: ast.Call) -> bool:
    word = last_word(call)
    return word == "constexpr" and all(literal_value(one) is not None for one in call.args)


def _imports_of(tree: ast.Module, needed: set[str]) -> tuple[str, ...]:
    """The import statements that the functions need. Raises NotInInputsError for foreign ones."""
    lines: dict[str, None] = {}
    for statement in tree.body:
        match statement:
            case ast.Import(names=aliases):
                module = aliases[0].name
            case ast.ImportFrom(module=str() as module, names=aliases):
                pass
            case _:
                continue
        used = [one for one in aliases if (one.asname or one.name.partition(".")[0]) in needed]
        if not used or module == "__future__":
            continue
        if module.partition(".")[0] not in _MODULES:
            raise NotInInputsError(f"runs a kernel that imports {module}, which a script cannot")
        listed = ", ".join(ast.unparse(one) for one in used)
        is_plain = isinstance(statement, ast.Import)
        lines[f"import {listed}" if is_plain else f"from {module} import {listed}"] = None
    always = ("import triton", "import triton.language as tl")
    return tuple(dict.fromkeys((*always, *lines)))


_BOUND = re.compile(r"index out of bounds: 0 <= (\w+) < (\d+)")
_LOAD = re.compile(r"(?:tl\.load\(\s*(\w+)\b|\b(\w*ptr\d+)\[)")
_INDEX = re.compile(r"tl\.(?:load|store|atomic_\w+)\(\w+ \+ \(([^,\n]*)|\w*ptr\d+\[([^\]\n]*)\]")
_ASSIGNED = re.compile(r"^\s*(?:auto |const auto )?(\w+) = (.*)$", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


def index_limits(source: str) -> dict[str, int]:
    """By pointer the number that its values have to stay below, as checks of the kernel state it.

    Read are the kernel's own messages (`index out of bounds: 0 <= tmp4 < 512`), in Triton and in
    C++, and from which loads the checked value comes.

    >>> index_limits('''tmp0 = tl.load(in_ptr0 + (x0), xmask)
    ... tmp1 = tmp0 + 512
    ... tl.device_assert((0 <= tmp1) & (tmp1 < 512), "index out of bounds: 0 <= tmp1 < 512")
    ... tmp2 = tl.load(in_ptr1 + (tmp1), xmask)''')
    {'in_ptr0': 512}
    """
    loads = _loads_of_names(source)
    limits: dict[str, int] = {}
    for name, limit in _BOUND.findall(source):
        for pointer in loads.get(name, ()):
            limits[pointer] = min(int(limit), limits.get(pointer, int(limit)))
    return limits


def _loads_of_names(source: str) -> dict[str, set[str]]:
    """By name of a value the pointers that it was loaded from, at any remove."""
    loads: dict[str, set[str]] = {}
    for name, expression in _ASSIGNED.findall(source):
        # What is loaded at an index is data of its own, and not the index.
        loaded = {one or other for one, other in _LOAD.findall(expression)}
        mentioned = _WORD.findall(expression)
        loads[name] = loaded or {one for word in mentioned for one in loads.get(word, ())}
    return loads


def is_loaded(pointer: str, source: str) -> bool:
    r"""Whether a kernel loads what was there before it ran: its first access of that is a load.

    >>> is_loaded("p", "def k(p):\n    tl.store(p + x0, y)\n    z = tl.load(p + x0)")
    False
    """
    # C++ has a second name for what it writes and reads: `auto out_ptr1 = in_out_ptr0;`.
    if re.search(rf"atomic_\w+\([^;\n]*\b{pointer}\b", source):
        return True  # it adds to what is there
    same = re.findall(rf"auto (\w+) = {pointer};", source)
    name = rf"\b(?:{'|'.join([pointer, *same])})\b"
    for line in source.split("\n"):
        if (
            re.search(name, line)
            and not _is_head(line)
            and not line.rstrip().endswith(f"= {pointer};")
        ):
            return re.search(rf"(?:load\w*\(|= )[^;=]*{name}", line) is not None
    return False


def _is_head(line: str) -> bool:
    """Whether a line is of the signature: it only names parameters."""
    if line.startswith("def "):
        return True
    return line.rstrip().endswith((",", ")")) and "(" not in line[1:-1]


def is_address(pointer: str, source: str) -> bool:
    """Whether values that are loaded from a pointer decide where the kernel reads or writes."""
    loads = _loads_of_names(source)
    indices = [one or other for one, other in _INDEX.findall(source)]
    words = {word for index in indices for word in _WORD.findall(index)}
    return any(pointer in loads.get(word, ()) for word in words)
