"""A syntax tree → the parts of generated code that reading it needs, in program order.

Takes a parsed module; gives `ParsedCode`: top-level statements, and per function its steps:
statements and the headers of compound statements, each with how often one run of the function
reaches it. `if` makes BRANCH and `while`/`for` make LOOP of what they hold; a loop in a branch
stays LOOP. Left out: nested functions and lambdas, which run when somebody calls them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kernelmap.compiler.python.source import dotted_name, keyword_value, literal_value, parts_of
from kernelmap.model import Occurrence

ENTRY = "call"
# How little is known of the number of runs, in rising order.
_STRENGTH = {Occurrence.ONCE: 0, Occurrence.BRANCH: 1, Occurrence.LOOP: 2}
_Compound = ast.If | ast.While | ast.For | ast.AsyncFor | ast.With | ast.AsyncWith | ast.Try
_WITHOUT_CALLS = (ast.Name, ast.Constant)
_RUN_LATER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PARTITIONS = "partitions"


class StatementStep(Struct, frozen=True):
    """One statement, or the expression in the header of one that holds others."""

    node: ast.AST
    line: int
    occurrence: Occurrence


class FunctionBody(Struct, frozen=True):
    """The steps of a function; `line` is that of its `def`, `last` the last that can be its own."""

    name: str
    line: int
    last: int
    steps: tuple[StatementStep, ...]


class ParsedCode(Struct, frozen=True, kw_only=True):
    """Generated code: `entry` is the body of `call()`, of the module or of its Runner."""

    statements: tuple[ast.stmt, ...]
    functions: Mapping[str, FunctionBody]
    entry: FunctionBody | None
    comments: Mapping[int, str]
    lines: tuple[str, ...]


def code_of(tree: ast.Module, comments: Mapping[int, str], lines: tuple[str, ...]) -> ParsedCode:
    """The parts of a module that Python could parse."""
    functions: dict[str, FunctionBody] = {}
    methods: dict[str, FunctionBody] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            functions[node.name] = body_of(node)
        elif isinstance(node, ast.ClassDef):
            methods |= {
                method.name: body_of(method)
                for method in node.body
                if isinstance(method, ast.FunctionDef)
            }
    # Newer code has the work in a method of a class `Runner`, and sets `call = runner.call`.
    entry = methods.get(ENTRY) or functions.get(ENTRY)
    return ParsedCode(
        statements=tuple(tree.body),
        functions=functions,
        entry=entry,
        comments=comments,
        lines=lines,
    )


def body_of(function: ast.FunctionDef) -> FunctionBody:
    """The steps of one function."""
    last = function.end_lineno or function.lineno
    return FunctionBody(function.name, function.lineno, last, tuple(_iter_steps(function.body)))


def stronger_occurrence(one: Occurrence, other: Occurrence) -> Occurrence:
    """The less certain of two: once, then branch, then loop."""
    return max(one, other, key=_STRENGTH.__getitem__)


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of a statement or expression, in the order in which Python makes them."""
    # Without recursion, as code may be nested deeply. A call is put back below its arguments, and
    # given when these are done: `f(g(x))` gives `g`, then `f`.
    pending: list[tuple[ast.AST, bool]] = [(node, False)]
    while pending:
        current, children_done = pending.pop()
        if isinstance(current, ast.Call):
            if children_done:
                yield current
                continue
            pending.append((current, True))
        pending.extend((child, False) for child in reversed(_operands_of(current)))


def split_assignment(statement: ast.AST) -> tuple[str, ast.expr] | None:
    """The name and value of `name = value`."""
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    target = statement.targets[0]
    return (target.id, statement.value) if isinstance(target, ast.Name) else None


def module_aliases(statements: Iterable[ast.stmt]) -> dict[str, str]:
    """Names that the module gives to dotted names: `aten` → `torch.ops.aten`.

    That one is known without being stated, for pieces of code that lack the head of the file.
    """
    paths = {"aten": "torch.ops.aten"}
    for statement in statements:
        pair = split_assignment(statement)
        if pair is None:
            continue
        name, value = pair
        path = dotted_name(value)
        if path is not None and "." in path:
            paths[name] = path
    return paths


def header_expressions(node: ast.AST) -> tuple[ast.expr, ...]:
    """The expressions in the header of a compound statement."""
    if isinstance(node, ast.If | ast.While):
        return (node.test,)
    if isinstance(node, ast.For | ast.AsyncFor):
        return (node.iter,)
    if isinstance(node, ast.With | ast.AsyncWith):
        return tuple(item.context_expr for item in node.items)
    return ()


def occurrence_inside(node: ast.AST) -> Occurrence:
    """How often one run of `node` runs what it holds."""
    if isinstance(node, ast.While | ast.For | ast.AsyncFor):
        return Occurrence.LOOP
    return Occurrence.BRANCH if isinstance(node, ast.If) else Occurrence.ONCE


def _iter_steps(
    statements: Iterable[ast.stmt], occurrence: Occurrence = Occurrence.ONCE
) -> Iterator[StatementStep]:
    for node in statements:
        if not isinstance(node, _Compound):
            yield StatementStep(node, node.lineno, occurrence)
            continue
        # A loop in a branch is a loop: each level can only make the number of runs less certain.
        within = stronger_occurrence(occurrence, occurrence_inside(node))
        # The test of a loop runs again and again, that of a branch whenever the branch is met.
        tested = within if isinstance(node, ast.While) else occurrence
        for expression in header_expressions(node):
            yield StatementStep(expression, expression.lineno, tested)
        yield from _iter_steps(node.body, within)
        # A handler may or may not run; `finally` always does.
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from _iter_steps(
                    handler.body, stronger_occurrence(occurrence, Occurrence.BRANCH)
                )
            yield from _iter_steps(node.finalbody, occurrence)
        # `else` of `if`, of loops and of `try` may or may not run; `with` has none.
        if not isinstance(node, ast.With | ast.AsyncWith):
            yield from _iter_steps(node.orelse, stronger_occurrence(occurrence, Occurrence.BRANCH))


def _operands_of(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, _RUN_LATER):
        return []
    operands = [node.value, *node.targets] if isinstance(node, ast.Assign) else parts_of(node)
    return [operand for operand in operands if not isinstance(operand, _WITHOUT_CALLS)]


class LocalFunctions(Struct, frozen=True):
    """The functions of one text; `partitions` are those that its Runner was given, in order.

    `of` leads from `partition_0(…)`, `true_graph_0(…)` and `self.partitions[1](…)` to their bodies.
    """

    code: ParsedCode
    partitions: tuple[str, ...]

    @classmethod
    def in_code(cls, code: ParsedCode) -> LocalFunctions:
        """The functions of `code`."""
        return cls(code, _partitions_of_runner(code.statements))

    def of(self, function: ast.expr) -> FunctionBody | None:
        """The body that calling `function` runs; None where the code does not define it."""
        name = function.id if isinstance(function, ast.Name) else self._partition_name(function)
        return self.code.functions.get(name) if name else None

    def _partition_name(self, function: ast.expr) -> str | None:
        """`partition_1` of `self.partitions[1]`, by the list that the Runner was given."""
        if not isinstance(function, ast.Subscript):
            return None
        owner, number = dotted_name(function.value), literal_value(function.slice)
        if owner is None or owner.rpartition(".")[2] != _PARTITIONS or not isinstance(number, int):
            return None
        # Without the list the name is that which Inductor gives the k-th partition.
        listed = 0 <= number < len(self.partitions)
        return self.partitions[number] if listed else f"partition_{number}"


def _partitions_of_runner(statements: tuple[ast.stmt, ...]) -> tuple[str, ...]:
    """The functions of `Runner(partitions=[partition_0, …])`."""
    for statement in statements:
        pair = split_assignment(statement)
        if pair is not None and isinstance(pair[1], ast.Call):
            listed = keyword_value(pair[1], _PARTITIONS)
            if isinstance(listed, ast.List):
                return tuple(
                    partition.id for partition in listed.elts if isinstance(partition, ast.Name)
                )
    return ()
