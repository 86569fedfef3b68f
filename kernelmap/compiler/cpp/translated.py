"""A C++ wrapper → its statements as Inductor's Python wrapper would write them.

Taken: what makes a tensor or gives it another name, what checks one, sizes that have a name, the
graph's calls, and what is returned. So every rule that reads Python wrappers reads these, too.
Constants of AOTInductor's models have their shapes where the model is constructed.

Left out: operands that an operator is handed packed (the proxy executor, the dispatcher, Python):
of those only the tensors are known, not their places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from kernelmap.compiler.cpp.expressions import (
    HANDLE,
    Expressions,
    Tokens,
    assigned_to,
    dtype_of,
    given_in,
    make_call,
    make_constant,
    make_name,
)
from kernelmap.compiler.cpp.functions import ControlBlocks, CppFunctions, Function, find_functions
from kernelmap.compiler.cpp.kernels import definition_in
from kernelmap.compiler.cpp.model_inputs import iter_constants, iter_inputs
from kernelmap.compiler.cpp.tokens import Token, TokenKind, tokenize_cpp
from kernelmap.compiler.python.source import text_arguments
from kernelmap.model import CompiledGraph, Occurrence

_EMPTY = ("aoti_torch_empty_strided", "aoti_torch_empty_strided_pinned")
_FROM_POOL = "aoti_torch__alloc_from_pool"
_ALIASES = ("aoti_torch_assign_tensors_out", "aoti_torch_new_tensor_handle")
_OLD_VIEW = "aoti_torch__reinterpret_tensor"
_FEWEST = {**dict.fromkeys(_EMPTY, 5), _FROM_POOL: 7, _OLD_VIEW: 4}  # arguments
_CHECKED = "AOTI_TORCH_ERROR_CODE_CHECK"
_SIZES = "assert_size_stride"
_LAUNCH = "launchKernel"
_PACKED = ("aoti_torch_proxy_executor_call_function", "aoti_torch_call_dispatcher")
_VALUES = ("int_array_", "var_", "kernel_args_")  # variables that stand for what they are given
_DEVICE = "cached_torch_device_type_"
_OUT = "_out"
_OUTPUT = "output_handles"


class Translated(NamedTuple):
    """The statements of the wrapper, and the sources of its kernels by their names.

    `triton` has the texts of each definition, the source last; `cpp` those of C++ kernels.
    """

    body: ast.Module
    triton: Mapping[str, Sequence[str]]
    cpp: Mapping[str, str]


def translate_wrapper(graph: CompiledGraph, text: str) -> Translated:
    """The C++ `text` of a graph in Python."""
    beside = graph.kernel_text or ""
    read = tokenize_cpp(text)
    code = find_functions(read)
    # Any function may check inputs. Statements are read of those only that hold calls of the graph.
    lines = {call.line for call in graph.calls}
    body: list[ast.stmt] = list(iter_constants(read))
    for function in code.defined.values():
        body += iter_inputs(function)
        if any(function.line <= (line or 0) <= function.last for line in lines):
            statements = list(_Body(graph, function).iter_statements())
            body.append(_make_function(function.name, statements))
    # Kernels in the wrapper's own text go before those of the file beside it.
    cpp = {
        **_sources_of_kernels(beside, find_functions(tokenize_cpp(beside))),
        **_sources_of_kernels(text, code),
    }
    module = ast.fix_missing_locations(ast.Module(body, []))
    return Translated(module, dict(_iter_triton_texts(read, graph)), cpp)


def _make_function(title: str, body: list[ast.stmt]) -> ast.stmt:
    given = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.FunctionDef(title, given, body or [ast.Pass()], [])


def _iter_triton_texts(read: Tokens, graph: CompiledGraph) -> Iterator[tuple[str, Sequence[str]]]:
    """The texts of all `async_compile.triton('NAME', '''…''')` by the kernel's name.

    A definition stands as a comment in the function that launches the kernel, or as the text of a
    variable `NAME_source`.
    """
    for at, token in enumerate(read):
        made = (
            definition_in(token.value)
            if token.kind in (TokenKind.COMMENT, TokenKind.TEXT)
            else None
        )
        if made is None:
            continue
        texts = text_arguments(made)
        # `NAME_source = "…"`: the name stands two tokens before the text.
        if at > 1 and read[at - 1].value == "=":
            yield read[at - 2].value.removesuffix("_source"), texts
            continue
        # A comment in a function: the kernel is the one whose definition has that line.
        for kernel in graph.kernels:
            if (kernel.first_line or 0) <= token.line <= (kernel.last_line or 0):
                yield kernel.name, texts


def _sources_of_kernels(text: str, code: CppFunctions) -> Mapping[str, str]:
    """The lines of the C++ kernels that a text defines."""
    lines = text.split("\n")
    return {
        kernel: "\n".join(lines[defined.line - 1 : defined.last])
        for kernel in code.exported
        if (defined := code.defined.get(kernel)) is not None
    }


class _Body(Struct):
    """One function of the wrapper, statement by statement."""

    graph: CompiledGraph
    function: Function
    values: Expressions = field(default_factory=Expressions)
    at_line: dict[int, str] = {}
    outputs: list[ast.expr] = []

    def __post_init__(self) -> None:
        self.at_line = {call.line: call.wrapper for call in self.graph.calls if call.line}

    def iter_statements(self) -> Iterator[ast.stmt]:
        """The statements that Python would have; those in branches and loops under an `if`."""
        for parts, occurrence in _split_statements(self.function.body):
            is_check = any(token.value == _SIZES for token in parts)
            # What runs once, never or often is put under an `if`, so that readers of Python know
            # it. A check of sizes holds wherever it stands.
            for made in self._translate_statement(parts):
                made.lineno, made.col_offset = parts[0].line, 0
                if occurrence is Occurrence.ONCE or is_check:
                    yield made
                else:
                    branch = ast.If(make_constant(value=True), [made], [])
                    yield ast.copy_location(branch, made)
        # Each output is stored on its own; Python returns all of them at once.
        if self.outputs:
            last = self.function.last
            returned = ast.Tuple(self.outputs, ast.Load(), lineno=last, col_offset=0)
            yield ast.Return(returned, lineno=last, col_offset=0)

    def _translate_statement(self, parts: Tokens) -> Iterator[ast.stmt]:
        # An `=` before the first bracket is an assignment; behind it, it is within a call.
        equals = next((at for at, one in enumerate(parts) if _is_equals(parts, at)), None)
        opens = next((at for at, one in enumerate(parts) if one.value == "("), None)
        if equals is not None and (opens is None or equals < opens):
            yield from self._translate_variable(parts[:equals], parts[equals + 1 :])
        elif opens is not None and opens > 0:
            yield from self._translate_call(parts[opens - 1], parts, opens)

    def _translate_variable(self, target: Tokens, value: Tokens) -> Iterator[ast.stmt]:
        """`auto buf1 = std::move(buf0)`, `int64_t s0 = …`, `output_handles[0] = buf1.release()`."""
        names = [token.value for token in target if token.kind is TokenKind.NAME]
        if not names:
            return
        # `x[0] = …` fills an item and gives no name.
        is_item = any(token.value == "[" and at for at, token in enumerate(target[1:], 1))
        title = next((n for n in names if n == _OUTPUT), names[-1])
        if title == _OUTPUT:
            self.outputs.append(self.values.read_expression(value))
            return
        read = self.values.read_expression(value)
        # Lists of sizes and the like are put in where they are used, as Python writes them.
        if title.startswith(_VALUES):
            self.values.variables[title] = read
        elif not is_item or target[0].value == "[":
            yield from self._translate_renaming(title, value, read)

    def _translate_renaming(self, title: str, value: Tokens, read: ast.expr) -> Iterator[ast.stmt]:
        made = self._call_in(value)
        words = [token.value for token in value]
        if made is not None:
            yield assigned_to(title, made)
        # An item of what the function is handed, or of the model's constants.
        elif (place := _item_place(words)) is not None:
            listed = ast.Subscript(make_name(place[0]), make_constant(place[1]), ast.Load())
            yield assigned_to(title, listed)
        # `auto buf1 = std::move(buf0);` ends the old name.
        elif words[:3] == ["std", "::", "move"] and isinstance(read, ast.Name):
            yield assigned_to(title.removesuffix(HANDLE), read)
            yield ast.Delete([ast.Name(read.id, ast.Del())])
        # An item or another type of value is no new name of the tensor.
        elif not any(token.value in ("[", "at", "static_cast", "get") for token in value):
            yield assigned_to(title.removesuffix(HANDLE), read)

    def _call_in(self, value: Tokens) -> ast.Call | None:
        """A call of the graph whose result is assigned, as older code does."""
        for at, token in enumerate(value[:-1]):
            if self._is_call(token) and value[at + 1].value == "(":
                made, _ = self._make_call_and_results(token, given_in(value, at + 1))
                return made
        return None

    def _is_call(self, token: Token) -> bool:
        """Whether it runs the call that the graph has in this line."""
        wrapper = self.at_line.get(token.line)
        if wrapper is None or token.kind is not TokenKind.NAME:
            return False
        return token.value in (wrapper, _LAUNCH) or token.value.endswith(f"_{wrapper}")

    def _translate_call(self, function: Token, parts: Tokens, opens: int) -> Iterator[ast.stmt]:
        word = function.value
        given = given_in(parts, opens)
        if word in _PACKED:
            yield from self._use_packed_tensors(function, given)
        elif self._is_call(function):
            yield from self._translate_run(function, given)
        # The macro around a call that returns an error code: what stands in it counts.
        elif word == _CHECKED and given:
            yield from self._translate_statement(given[0])
        elif word == _SIZES:
            read = [self.values.read_expression(one) for one in given[:4]]
            yield ast.Expr(make_call(_SIZES, read, function.line))
        # `buf0.reset();` is Python's `del buf0`.
        elif word == "reset" and (owner := parts[max(0, opens - 3)]).kind is TokenKind.NAME:
            yield ast.Delete([ast.Name(owner.value, ast.Del())])
        elif given and (made := self._translate_allocation(function, given)) is not None:
            if any(token.value == _OUTPUT for token in given[-1]):
                self.outputs.append(made)
            else:
                yield assigned_to(_name_of_result(given[-1]), made)

    def _translate_allocation(self, function: Token, given: Sequence[Tokens]) -> ast.expr | None:
        """The tensor that a function of libtorch puts into its last argument."""
        word, line, read = function.value, function.line, self.values.read_expression
        if len(given) < _FEWEST.get(word, 0):
            return None
        if word in _ALIASES:
            return read(given[0])
        if word in _EMPTY:
            _, sizes, strides, dtype, *others = given
            named = f"empty_strided{_device_among(others)}"
            return make_call(named, [read(sizes), read(strides)], line, dtype_of(dtype))
        if word == _FROM_POOL:
            pool, offset, dtype, _, sizes, strides, *_ = given
            taken = [read(one) for one in (pool, offset, dtype, sizes, strides)]
            return make_call("alloc_from_pool", taken, line, dtype_of(dtype))
        if word == _OLD_VIEW:
            base, _, *sizes_and_offset = given[:-1]
            return make_call(
                "reinterpret_tensor", [read(one) for one in (base, *sizes_and_offset)], line
            )
        return None

    def _translate_run(self, function: Token, given: Sequence[Tokens]) -> Iterator[ast.stmt]:
        """A call of the graph, with the names of what it makes."""
        made, results = self._make_call_and_results(function, given)
        if not results:
            yield ast.Expr(made)
            return
        yield assigned_to(results[0], made)
        for place, result in enumerate(results[1:], 1):
            item = ast.Subscript(make_name(results[0]), make_constant(place), ast.Load())
            yield assigned_to(result, item)

    def _make_call_and_results(
        self, function: Token, given: Sequence[Tokens]
    ) -> tuple[ast.Call, list[str]]:
        wrapper = self.at_line[function.line]
        if function.value == _LAUNCH:
            # A kernel is launched with its operands in one list.
            lists = [
                read
                for one in given
                if isinstance(read := self.values.read_expression(one), ast.Tuple)
            ]
            operands = [one for listed in lists[:1] for one in listed.elts]
            return make_call(wrapper, operands, function.line), []
        results = [_name_of_result(one) for one in given if _is_result(one)]
        operands = self.values.read_operands([one for one in given if not _is_result(one)])
        made = make_call(wrapper, operands, function.line)
        # The first operand of an `_out` function is Python's `out=`.
        if wrapper.endswith(_OUT) and operands and not results:
            made.args = operands[1:]
            made.keywords = [ast.keyword("out", operands[0])]
        return made, results

    def _use_packed_tensors(self, function: Token, given: Sequence[Tokens]) -> Iterator[ast.stmt]:
        """Use of all tensors that are handed over packed; what they are for is not known."""
        read = [self.values.read_expression(one) for one in given]
        words = [token.value for one in given for token in one if token.value.endswith(HANDLE)]
        made = make_call(f"{function.value}_packed", read, function.line)
        # All tensors may be results, so each is given a new value.
        for result in words:
            yield assigned_to(result.removesuffix(HANDLE), made)
        if not words:
            yield ast.Expr(made)


def _item_place(words: Sequence[str]) -> tuple[str, int] | None:
    """List and place of `std::move(inputs[0])` and of `constants_->at(3)`."""
    match [word for word in words if word not in ("std", "::", "move", "(", ")")]:
        case ["inputs", "[", place, "]"] if place.isdecimal():
            return "inputs", int(place)
        case ["constants_", *_, "at", place] if place.isdecimal():
            return "constants_", int(place)
    return None


def _device_among(given: Sequence[Tokens]) -> str:
    """`_cuda` where `cached_torch_device_type_cuda` is among the arguments."""
    for token in (token for argument in given for token in argument):
        if token.value.startswith(_DEVICE):
            return f"_{token.value.removeprefix(_DEVICE)}"
    return ""


def _is_result(argument: Tokens) -> bool:
    """`&buf1_handle`."""
    return [token.value for token in argument[:1]] == ["&"] and argument[-1].value.endswith(HANDLE)


def _name_of_result(argument: Tokens) -> str:
    return argument[-1].value.removesuffix(HANDLE) if argument else ""


def _is_equals(parts: Tokens, at: int) -> bool:
    """Whether an assignment stands here, and no comparison."""
    around = parts[max(0, at - 1) : at + 2]
    marks = [one.value for one in around if one.kind is TokenKind.MARK]
    return parts[at].value == "=" and "".join(marks) not in ("==", "!=", "<=", ">=", "+=")


def _split_statements(body: Tokens) -> Iterator[tuple[Tokens, Occurrence]]:
    """The simple statements of a function, each with how often it runs."""
    # `parts` are the tokens of the statement so far, `depth` counts brackets, `inside` the braces
    # of a list of values.
    blocks = ControlBlocks(Occurrence.ONCE)
    parts: list[Token] = []
    depth, inside = 0, 0
    occurrence = Occurrence.ONCE
    for at, token in enumerate(body):
        if token.kind is TokenKind.COMMENT:
            continue
        blocks.step_to(body, at)
        # How often a statement runs is that of its first token.
        if not parts:
            occurrence = blocks.occurrence
        if token.kind is TokenKind.MARK:
            depth += (token.value in "([") - (token.value in ")]")
            if token.value == "{":
                inside += bool(inside or depth or _opens_list(parts))
            ends = token.value in ";{}" and not depth and not inside
            if token.value == "}" and inside:
                inside -= 1
            if ends:
                # The head of a branch or a loop is no statement; anything else that ends here is
                # one.
                if token.value != "{" or not _is_control(parts):
                    yield tuple(parts), occurrence
                parts = []
                continue
        parts.append(token)


def _opens_list(before: Sequence[Token]) -> bool:
    """Whether a brace behind these tokens begins a list of values, not a block."""
    return bool(before) and before[-1].value in ("=", ">", "]", ",")


def _is_control(parts: Sequence[Token]) -> bool:
    return bool(parts) and parts[0].value in ("if", "else", "for", "while", "switch", "do")
