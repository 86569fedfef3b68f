"""Code of symbolic sizes, and the arguments of its calls → the sizes of each run.

Code for dynamic shapes has names for sizes (`s77 = primals_3`), and computes others from them
(`xnumel = 256*s27*s77`). A profile that records arguments states what they were: a number that a
launch is handed, or the size of a tensor that the code gives one by its symbols. With the sizes of
a run its code is code of static shapes.

Left out: sizes that nothing states, and expressions of several symbols of which more than one is
not known yet.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod

from kernelmap.compiler.python.source import last_word, literal_value, nodes_in
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.model import CompiledGraph
from kernelmap.model.work import Arguments
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.tensors import GROUPED_CHECK, checked_together

Sizes = Mapping[str, int]

SYMBOL = re.compile(r"\n +(?:int64_t |auto )?([su]\d+) = \w+(?:\[\d+\];|;)?$", re.MULTILINE)
"""The statement that gives a symbol its value, in Python or in C++."""

_SHAPED = ("assert_size_stride", "reinterpret_tensor", "_reinterpret_tensor")
_EMPTY = "empty_strided"
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ROUNDS = 3  # over all arguments: a product of three symbols needs as many


def names_of_symbols(graph: CompiledGraph) -> frozenset[str]:
    """The names of sizes that the code does not state."""
    return frozenset(SYMBOL.findall(graph.text or ""))


def solve_sizes(
    graph: CompiledGraph, code: GeneratedCode, run: Mapping[int, Arguments]
) -> Sizes | None:
    """The sizes of one run, given the arguments of calls by index.

    None where they contradict each other, or leave a symbol open. Library calls are asked only
    where kernels leave one open: operators may order their operands otherwise.
    """
    kernels = {index: run[index] for index in run if graph.calls[index].kernel is not None}
    return _solve_run(graph, code, kernels) or _solve_run(graph, code, run)


def _solve_run(
    graph: CompiledGraph, code: GeneratedCode, run: Mapping[int, Arguments]
) -> Sizes | None:
    names, shapes = names_of_symbols(graph), _shapes_by_name(code.body)
    stated = [
        pair for index in run for pair in _iter_stated(graph, code, index, run[index], shapes)
    ]
    sizes: dict[str, int] = {}
    # An expression of two symbols says nothing until one of them is known, so the list is read
    # again.
    for _ in range(_ROUNDS):
        for node, value in stated:
            left = fold_sizes(node, sizes)
            # All sizes in it are known already and it comes to another value: arguments contradict
            # one another, or are those of other code.
            if _number_of(left) not in (None, value):
                return None
            symbol = _solve_expression(left, value)
            if symbol is not None:
                sizes[symbol[0]] = symbol[1]
    return sizes if names <= sizes.keys() else None


def _iter_stated(
    graph: CompiledGraph,
    code: GeneratedCode,
    index: int,
    arguments: Arguments,
    shapes: Mapping[str, Sequence[ast.expr]],
) -> Iterator[tuple[ast.expr, int]]:
    """Expressions of the code beside what the profile says they are."""
    statement = code.statement_of(graph.calls[index])
    for at, node in enumerate(statement.call.args if statement is not None else ()):
        # A whole number that the profile recorded at this place, beside the expression in the code.
        number = arguments.numbers[at] if at < len(arguments.numbers) else None
        if number is not None:
            yield shapes.get(getattr(node, "id", ""), [node])[0], number
        # The recorded shape of a tensor, dimension by dimension beside the shape in the code.
        size = arguments.sizes[at] if at < len(arguments.sizes) else None
        shape = _shape_of(node, shapes)
        if size and shape is not None and len(size) == len(shape):
            yield from zip(shape, size, strict=True)


def _shapes_by_name(body: Iterable[ast.stmt]) -> dict[str, Sequence[ast.expr]]:
    """The shape of each tensor as it is written; of a number that has a name, the expression."""
    shapes: dict[str, Sequence[ast.expr]] = {}
    for statement in body:
        for node in nodes_in(statement):
            pair = split_assignment(node)
            if pair is not None:
                shape = _shape_of(pair[1], shapes)
                # `xnumel = 256*s0` has no shape, but its expression says something where a launch
                # is handed it.
                if shape is None and isinstance(pair[1], ast.BinOp):
                    shape = [pair[1]]
                if shape is not None:
                    shapes[pair[0]] = shape
            if isinstance(node, ast.Call):
                shapes.update(_checked_shapes(node))
    return shapes


def _checked_shapes(call: ast.Call) -> Iterator[tuple[str, Sequence[ast.expr]]]:
    """The inputs whose shapes a call checks: `assert_size_stride(arg0_1, (s0, 8), …)`."""
    if last_word(call) == _SHAPED[0]:
        shape = _shape_of(call, {})
        if shape is not None and isinstance(call.args[0], ast.Name):
            yield call.args[0].id, shape
    elif last_word(call) == GROUPED_CHECK:
        for name, sizes, _ in checked_together(call):
            if isinstance(sizes, ast.Tuple):
                yield name.id, sizes.elts


def _shape_of(
    node: ast.expr, shapes: Mapping[str, Sequence[ast.expr]]
) -> Sequence[ast.expr] | None:
    """How the shape of a tensor is written."""
    if isinstance(node, ast.Name):
        return shapes.get(node.id)
    if not isinstance(node, ast.Call):
        return None
    # The shape is the second argument behind a tensor, and the first of a function that allocates.
    at = 1 if last_word(node) in _SHAPED else 0 if last_word(node).startswith(_EMPTY) else None
    shape = None if at is None or at >= len(node.args) else node.args[at]
    return shape.elts if isinstance(shape, ast.Tuple) else None


def _solve_expression(node: ast.expr, value: int) -> tuple[str, int] | None:
    """The one symbol of an expression whose value is given; None where it does not say it.

    >>> _solve_expression(ast.parse("8 * s0 + 1", mode="eval").body, 33)
    ('s0', 4)
    """
    match node:
        case ast.Name(id=name) if re.fullmatch(r"[su]\d+", name):
            return name, value
        case (
            ast.BinOp(left=other, op=ast.Mult(), right=ast.Constant(value=int(factor)))
            | ast.BinOp(left=ast.Constant(value=int(factor)), op=ast.Mult(), right=other)
        ):
            return (
                _solve_expression(other, value // factor)
                if factor and value % factor == 0
                else None
            )
        case (
            ast.BinOp(left=other, op=ast.Add(), right=ast.Constant(value=int(term)))
            | ast.BinOp(left=ast.Constant(value=int(term)), op=ast.Add(), right=other)
        ):
            return _solve_expression(other, value - term)
    return None


def fold_sizes(node: ast.expr, sizes: Sizes) -> ast.expr:
    """An expression with sizes in the place of their names, and computed as far as it can be.

    >>> ast.unparse(fold_sizes(ast.parse("256*s0*s1", mode="eval").body, {"s0": 2}))
    '512 * s1'
    """
    if isinstance(node, ast.Name):
        return ast.Constant(sizes[node.id]) if node.id in sizes else node
    if not isinstance(node, ast.BinOp):
        return node
    # All factors of a product at once, so that `s0*256*2` has one number in front.
    if isinstance(node.op, ast.Mult):
        factors = [fold_sizes(factor, sizes) for factor in _iter_factors(node)]
        numbers = [number for factor in factors if (number := _number_of(factor)) is not None]
        others = [factor for factor in factors if _number_of(factor) is None]
        whole: ast.expr = ast.Constant(prod(numbers))
        for factor in others:
            whole = ast.BinOp(whole, ast.Mult(), factor)
        return whole
    left, right = fold_sizes(node.left, sizes), fold_sizes(node.right, sizes)
    one, other, function = _number_of(left), _number_of(right), _OPERATORS.get(type(node.op))
    # A division by zero stays as it is written.
    divides = isinstance(node.op, ast.FloorDiv | ast.Mod)
    if one is None or other is None or function is None or (divides and not other):
        return ast.BinOp(left, node.op, right)
    return ast.Constant(function(one, other))


def _number_of(node: ast.expr) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _iter_factors(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _iter_factors(node.left)
        yield from _iter_factors(node.right)
    else:
        yield node


class WithSizes(ast.NodeTransformer):
    """Puts sizes into a tree; names of whole numbers that follow from them are sizes, too."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = dict(sizes)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`xnumel = 256*s0`."""
        self.generic_visit(node)
        pair = split_assignment(node)
        if pair is not None and type(value := literal_value(pair[1])) is int:
            self.sizes.setdefault(pair[0], value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A size that is read."""
        if isinstance(node.ctx, ast.Load) and node.id in self.sizes:
            return ast.copy_location(ast.Constant(self.sizes[node.id]), node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Arithmetic of sizes."""
        return ast.copy_location(fold_sizes(node, self.sizes), node)
