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
_JITS = frozenset({"jit", "kernel"})


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
    """Generated code: `entry` is the body of `call()`, of the module or of its Runner.

    `passed_on` has the functions that only hand their arguments on, and to what: a call of one is a
    call of that, and they are not among `functions`.
    """

    statements: tuple[ast.stmt, ...]
    passed_on: Mapping[str, str] = {}
    functions: Mapping[str, FunctionBody]
    entry: FunctionBody | None
    comments: Mapping[int, str]
    lines: tuple[str, ...]


def code_of(tree: ast.Module, comments: Mapping[int, str], lines: tuple[str, ...]) -> ParsedCode:
    """The parts of a module that Python could parse."""
    functions: dict[str, FunctionBody] = {}
    methods: dict[str, FunctionBody] = {}
    for node in tree.body:
        # A kernel runs on the device: what it calls is no call of the wrapper.
        if isinstance(node, ast.FunctionDef) and not is_jitted(node):
            functions[node.name] = body_of(node)
        elif isinstance(node, ast.ClassDef):
            methods |= {
                method.name: body_of(method)
                for method in node.body
                if isinstance(method, ast.FunctionDef)
            }
    passed_on = functions_that_pass_on(functions.values())
    # Newer code has the work in a method of a class `Runner`, and sets `call = runner.call`.
    entry = methods.get(ENTRY) or functions.get(ENTRY)
    return ParsedCode(
        statements=tuple(tree.body),
        passed_on=passed_on,
        functions={name: body for name, body in functions.items() if name not in passed_on},
        entry=entry,
        comments=comments,
        lines=lines,
    )


def is_jitted(function: ast.FunctionDef) -> bool:
    """Whether a function is a kernel: `@triton.jit`, `@cute.kernel` or the like stands above it."""
    decorators = (
        node.func if isinstance(node, ast.Call) else node for node in function.decorator_list
    )
    names = ((dotted_name(node) or "").rpartition(".")[2] for node in decorators)
    return not _JITS.isdisjoint(names)


def body_of(function: ast.FunctionDef) -> FunctionBody:
    """The steps of one function."""
    last = function.end_lineno or function.lineno
    return FunctionBody(function.name, function.lineno, last, tuple(_iter_steps(function.body)))


def stronger_occurrence(one: Occurrence, other: Occurrence) -> Occurrence:
    """The less certain of two: once, then branch, then loop."""
    return one if _STRENGTH[one] >= _STRENGTH[other] else other


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of a statement or expression, in the order in which Python makes them."""
    # Without recursion, as code may be nested deeply. Each node comes before its operands and the
    # last of these first, which is the order of evaluation backwards: `f(g(x))` gives `f`, `g`.
    found: list[ast.Call] = []
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, ast.Call):
            found.append(current)
        pending += _operands_of(current)
    return reversed(found)


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


def functions_that_pass_on(functions: Iterable[FunctionBody]) -> dict[str, str]:
    """Functions that do nothing but hand all arguments to a routine: their names → its dotted name.

    Inductor wraps library calls in them where torch's own trace handler is to find the calls by
    name (TORCH_COMPILE_DEBUG_EXTEND=1, torch 2.14):

        def extern_kernels_extern_kernels_mm_4(*args, **kwargs):
            return extern_kernels.mm(*args, **kwargs)
    """
    routines = ((body.name, _routine_passed_to(body)) for body in functions)
    return {name: routine for name, routine in routines if routine is not None}


def _routine_passed_to(body: FunctionBody) -> str | None:
    """What a body of one statement, `return ROUTINE(*args, **kwargs)`, calls; None for others."""
    node = body.steps[0].node if len(body.steps) == 1 else None
    call = node.value if isinstance(node, ast.Return) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or len(call.keywords) != 1:
        return None
    if not isinstance(call.args[0], ast.Starred) or call.keywords[0].arg is not None:
        return None
    routine = dotted_name(call.func)
    return routine if routine is not None and "." in routine else None


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
