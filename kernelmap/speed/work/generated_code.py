"""The text of generated code, parsed once: its kernels' functions, its calls, its tensors.

Takes the text of a graph; gives what the rules of work ask for. A C++ wrapper is read as the Python
that says the same (compiler/cpp/translated.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct, field

from kernelmap.compiler.cpp.translated import translate_wrapper
from kernelmap.compiler.python.kernels import CPP, maker_of_kernel
from kernelmap.compiler.python.source import (
    cpp_part,
    dotted_name,
    keyword_value,
    nodes_in,
    parse_python,
    text_arguments,
    tree_of,
)
from kernelmap.compiler.python.statements import (
    body_of,
    functions_that_pass_on,
    split_assignment,
)
from kernelmap.facts.dtypes import TORCH_DTYPES
from kernelmap.facts.result_dtypes import dtype_of_result
from kernelmap.model import CompiledGraph, KernelDef, WrapperCall
from kernelmap.model.work import Operand
from kernelmap.speed.work.formulas import FORMULAS
from kernelmap.speed.work.tensors import Tensors, tensor_of_annotation
from kernelmap.speed.work.triton_source import KernelBody

_TYPED = re.compile(r'^ *# *%(\w+) : Tensor "([^"]+)"', re.MULTILINE)
_FORWARD = re.compile(r"^ *def forward\(.*", re.MULTILINE)
_PARAMETER = re.compile(r'(\w+): "([^"]+)"')
_ATOMIC = re.compile(r"\.\s*atomic_")
_ANY = "any dtype"
_MATRICES = 3  # no operator has more matrices in a row

_Answer = TypeVar("_Answer")


class CallStatement(Struct, frozen=True):
    """A call of the wrapper as it is written: what it calls, and the name of its result."""

    call: ast.Call
    called: str | None
    result: str | None = None


class KernelFunction(Struct, frozen=True, eq=False):
    """The function of a Triton kernel that the device runs, as a syntax tree.

    A graph launches a kernel many times, and each reason for lost time has a question about it;
    `answer_once` walks through the tree for each question once.
    """

    tree: ast.FunctionDef
    answers: dict[Callable[[ast.FunctionDef], Any], Any] = {}

    def answer_once(self, question: Callable[[ast.FunctionDef], _Answer]) -> _Answer:
        """What `question` says of the tree; it is asked for the first launch only."""
        if question not in self.answers:
            self.answers[question] = question(self.tree)
        answer: _Answer = self.answers[question]
        return answer


class GeneratedCode(Struct, frozen=True):
    """One file of generated code.

    `functions` has the function of each Triton kernel by the kernel's name, `cpp` the source of
    each C++ kernel, `statements` the calls by line, `calls_in` the same by the statement that they
    stand in, `body` the statements of the module,
    `passed_on` its functions that only hand their arguments to a routine, and to which.
    `is_symbolic` says whether sizes that only a run has may be missing, `atomic` names the Triton
    kernels that have an atomic operation. `bodies` has what was read of kernels, by their names and
    the sizes that they are given, and `moved` what such launches move, by the sizes of operands
    too.
    """

    functions: Mapping[str, KernelFunction]
    statements: Mapping[int, Sequence[CallStatement]]
    calls_in: Mapping[ast.stmt, Sequence[CallStatement]] = {}
    tensors: Tensors = field(default_factory=Tensors)
    body: Sequence[ast.stmt] = ()
    cpp: Mapping[str, str] = {}
    is_symbolic: bool = True
    atomic: Collection[str] = ()
    bodies: dict[tuple[object, ...], KernelBody] = {}
    moved: dict[tuple[object, ...], tuple[Operand, ...] | None] = {}
    passed_on: Mapping[str, str] = {}

    def statement_of(self, call: WrapperCall) -> CallStatement | None:
        """The statement of a call; None where the code has none at its line."""
        for statement in self.statements.get(call.line or 0, ()):
            if _is_call_of_wrapper(statement, call.wrapper) or (
                self.passed_on.get(statement.called or "") == call.wrapper
            ):
                return statement
        return None


def read_code(
    graph: CompiledGraph, specialize: Callable[[ast.Module], ast.Module] | None = None
) -> GeneratedCode | None:
    """The code of a graph; None where it has none, or Python that cannot be parsed.

    `specialize` puts sizes into code of symbolic shapes (symbols.py).
    """
    text = graph.text
    if text is None:
        return None
    wrapper = cpp_part(text)
    if wrapper is not None:
        tree, sources, cpp = translate_wrapper(graph, wrapper)
    # The tree is shared with other readers, so sizes are put into a tree of its own.
    elif (parsed := (tree_of if specialize is None else parse_python)(text)) is not None:
        tree, (sources, cpp) = parsed, _texts_of_kernels(parsed.body)
    else:
        return None
    tree = tree if specialize is None else specialize(tree)
    functions = {n: made for n, texts in sources.items() if (made := kernel_function(texts))}
    # The source of a kernel is the last of its texts.
    atomic = {name for name, texts in sources.items() if _ATOMIC.search(texts[-1])}
    statements: dict[int, list[CallStatement]] = {}
    calls_in: dict[ast.stmt, tuple[CallStatement, ...]] = {}
    tensors = Tensors()
    # Tensors and calls in one pass: a tensor has to be known before statements that view it.
    for statement in _iter_statements(tree.body):
        tensors.note_statement(statement)
        if calls := tuple(_iter_calls(statement)):
            calls_in[statement] = calls
        for each in calls:
            statements.setdefault(each.call.lineno, []).append(each)
    is_symbolic = specialize is None
    code = GeneratedCode(
        functions,
        statements,
        calls_in,
        tensors,
        tree.body,
        cpp,
        is_symbolic,
        atomic,
        passed_on=functions_that_pass_on(
            body_of(node) for node in tree.body if isinstance(node, ast.FunctionDef)
        ),
    )
    # What comments of the graph say of tensors counts where the code itself says nothing.
    stated = _TYPED.findall(text)
    if wrapper is not None and graph.post_grad_text is not None:  # C++ may not say what it takes
        head = _FORWARD.search(graph.post_grad_text.text)
        stated += _PARAMETER.findall(head[0]) if head is not None else ()
    for name, annotation in stated:
        tensor = tensor_of_annotation(annotation)
        if tensor is not None:
            tensors.add_tensor(name, tensor)
    _types_of_kernels(graph, code)
    _types_of_results(graph, code)
    return code


def _texts_of_kernels(
    body: Sequence[ast.stmt],
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, str]]:
    """The texts that define each Triton kernel, the kernel's source last; and the C++ kernels'."""
    triton: dict[str, list[str]] = {}
    cpp: dict[str, str] = {}
    for node in body:
        pair = split_assignment(node)
        if pair is None or not isinstance(pair[1], ast.Call):
            continue
        texts = text_arguments(pair[1])
        if maker_of_kernel(pair[1]) in CPP:
            cpp[pair[0]] = "".join(texts[-1:])
        elif maker_of_kernel(pair[1]) == "triton" and texts:
            triton[pair[0]] = texts
    return triton, cpp


def kernel_function(texts: Sequence[str]) -> KernelFunction | None:
    """The function that the device runs: the last one that Triton compiles in a kernel's source."""
    tree = tree_of(texts[-1]) if texts else None
    if tree is None:
        return None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    # Helpers have only `@triton.jit`; the kernel also has a heuristic with arguments above it.
    tuned = [f for f in functions if any(isinstance(d, ast.Call) for d in f.decorator_list)]
    candidates = tuned or functions
    return KernelFunction(candidates[-1]) if candidates else None


def runtime_parameters(function: KernelFunction) -> tuple[str, ...]:
    """The arguments that a launch hands over, in order: all but the compile-time ones."""
    arguments = (*function.tree.args.posonlyargs, *function.tree.args.args)
    return tuple(argument.arg for argument in arguments if argument.annotation is None)


def pointer_types(kernel: KernelDef) -> Mapping[str, str]:
    """The pointer arguments of a kernel and Triton's names of what they point to."""
    return {
        name: kind.removeprefix("*").removeprefix("k")
        for name, kind in kernel.signature or ()
        if kind.startswith("*")
    }


def _types_of_kernels(graph: CompiledGraph, code: GeneratedCode) -> None:
    """Tensors without a dtype have that of the signature of a kernel that takes them."""
    for call in graph.calls:
        kernel, statement = graph.kernel_of(call), code.statement_of(call)
        if kernel is None or statement is None or kernel.name not in code.functions:
            continue
        types = pointer_types(kernel)
        names = runtime_parameters(code.functions[kernel.name])
        # A view has its dtype from the memory below it, so that is completed as well.
        for name, argument in zip(names, statement.call.args, strict=False):
            dtype = TORCH_DTYPES.get(types.get(name, ""))
            if dtype is not None and isinstance(argument, ast.Name):
                code.tensors.complete_dtype(argument.id, dtype)
                code.tensors.complete_dtype(code.tensors.root_of(argument.id), dtype)


def _types_of_results(graph: CompiledGraph, code: GeneratedCode) -> None:
    """Matrices and result of a product or an attention have one dtype, where nothing states it."""
    for call in graph.calls:
        operator, statement = call.target or "", code.statement_of(call)
        formula = FORMULAS.get(operator)
        if formula is None or formula.matrix is None or statement is None:
            continue
        tensors, result = code.tensors, statement.result
        matrix = statement.call.args[formula.matrix : formula.matrix + 1]
        operands = [tensors.tensor_of(node) for node in matrix]
        # Whether the result has the dtype of the operands: an integer product has not.
        same = dtype_of_result(operator, 0, _ANY) == _ANY
        if same:
            out = keyword_value(statement.call, "out")
            operands += [tensors.by_name(result)] if result else []
            operands += [tensors.tensor_of(out)] if out is not None else []
        # Any of them that is known states the dtype of all.
        dtype = next((tensor.dtype for tensor in operands if tensor and tensor.dtype), None)
        if dtype is None:
            continue
        for node in statement.call.args[: formula.matrix + _MATRICES] if same else ():
            tensor = tensors.tensor_of(node)
            if tensor is not None and tensor.dtype is None:
                tensors.complete_dtype(tensors.root_of(tensor.name), dtype)
        # Further results have dtypes of their own, such as the logsumexp of an attention.
        for place, name in ((0, result), *tensors.items.get(result or "", ())):
            of_result = dtype_of_result(operator, place, dtype)
            if name is not None and of_result is not None:
                tensors.complete_dtype(name, of_result)


def _is_call_of_wrapper(statement: CallStatement, wrapper: str) -> bool:
    """Whether a statement is a call of the wrapper; `.copy_` is a method."""
    if wrapper.startswith("."):
        function = statement.call.func
        return isinstance(function, ast.Attribute) and function.attr == wrapper[1:]
    return statement.called in (wrapper, f"{wrapper}.run")


def _iter_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """All simple statements in line order, those of functions and classes included."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            if inside := getattr(statement, name, None):
                yield from _iter_statements(inside)


def _iter_calls(statement: ast.stmt) -> Iterator[CallStatement]:
    """The calls in a statement that holds no other statement."""
    if hasattr(statement, "body"):
        return
    pair = split_assignment(statement)
    name, value = pair or (None, None)
    # `buf1 = workspace_0.sum(dim=0).view(…)`: the name is that of the sum as well.
    values = [value]
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value if value.func.attr == "view" else None
        values.append(value)
    for node in nodes_in(statement):
        if isinstance(node, ast.Call):
            result = name if any(node is each for each in values) else None
            yield CallStatement(node, dotted_name(node.func), result)
