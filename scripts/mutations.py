"""Small changes of code: each is a mistake that a person could make, and a test should notice.

Only what runs inside functions is changed, and a change is known by its function's name and its
text, never by its place: it stays the same one when modules move and when other code is edited.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

OTHER: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
"""The operator that stands instead of one."""

NAMES = {"min": "max", "any": "all", "minimum": "maximum"}
NAMES |= {other: name for name, other in NAMES.items()}
"""Functions that are mistaken for one another."""

SIDES = {"left": "right", "right": "left"}
"""Where numpy's searchsorted puts what is equal."""

SILENT = ast.Raise, ast.JoinedStr, ast.Assert
"""What only words an error is left alone: no law holds the wording."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a function, and the statement around it; `function` is a dotted name."""

    function: str
    defined: ast.AST
    statement: ast.stmt
    node: ast.AST


@dataclass(frozen=True)
class Mutant:
    """A change of a function: the `number`th in its file, of a node to `instead`."""

    path: Path
    number: int
    place: Place
    instead: ast.AST
    occurrence: int

    @property
    def change(self) -> str:
        """What becomes of what, as text."""
        return " -> ".join(map(_shown, (self.place.node, self.instead)))

    @cached_property
    def key(self) -> str:
        """A digest of function, statement and change, and of how many like it stand before."""
        words = self.place.function, _shown(self.place.statement), self.change, self.occurrence
        return hashlib.sha256(repr(words).encode()).hexdigest()[:16]

    @property
    def lines(self) -> range:
        """Where a test has to come by: from the statement's first line to the node's last."""
        last = getattr(self.place.node, "end_lineno", None) or self.place.statement.lineno
        if isinstance(self.place.node, ast.If):
            last = self.place.node.test.end_lineno or last
        return range(self.place.statement.lineno, last + 1)

    def mutated(self) -> ast.Module:
        """The module with the change made."""
        tree = ast.parse(self.path.read_text("utf-8"))
        for number, (place, instead) in enumerate(_changes(tree)):
            if number == self.number:
                _Replacing(place.node, instead).visit(tree)
                return ast.fix_missing_locations(tree)
        raise LookupError(self.change)


class _Replacing(ast.NodeTransformer):
    def __init__(self, node: ast.AST, instead: ast.AST) -> None:
        self._node, self._instead = node, instead

    def visit(self, node: ast.AST) -> ast.AST:
        """Put the other node where this one stands."""
        if node is self._node:
            return ast.copy_location(self._instead, node)
        return self.generic_visit(node)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All changes of the functions in a file, in its order."""
    seen = Counter[tuple[str, str, str]]()
    for number, (place, instead) in enumerate(_changes(ast.parse(path.read_text("utf-8")))):
        mutant = Mutant(path, number, place, instead, 0)
        words = place.function, _shown(place.statement), mutant.change
        yield Mutant(path, number, place, instead, seen[words])
        seen[words] += 1


def _changes(tree: ast.Module) -> Iterator[tuple[Place, ast.AST]]:
    for function, defined in _functions(tree, ""):
        for statement in defined.body:
            for place in _places(function, defined, statement, statement):
                for instead in _instead(place.node):
                    yield place, instead


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    """The outermost functions; what is defined inside one is a part of it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _places(function: str, defined: ast.AST, at: ast.stmt, node: ast.AST) -> Iterator[Place]:
    yield Place(function, defined, at, node)
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "defaults"}:
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue  # of zip: it guards against mistakes that nobody has made
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, SILENT):
                inner = child if isinstance(child, ast.stmt) else at
                yield from _places(function, defined, inner, child)


def _instead(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand instead of a node."""
    yield from _other_operators(node)
    yield from _other_values(node)
    match node:
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Return(value) if value is not None and ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
            yield ast.Pass()
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()


def _other_operators(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left, operators, comparators):
            for at, operator in enumerate(operators):
                changed = [*operators[:at], OTHER[type(operator)](), *operators[at + 1 :]]
                yield ast.Compare(left, changed, comparators)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(OTHER[type(operator)](), values)
        case ast.UnaryOp(ast.Not() | ast.Invert(), operand):
            yield operand
        case ast.BinOp(left, operator, right) if type(operator) in OTHER:
            yield ast.BinOp(left, OTHER[type(operator)](), right)


def _other_values(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(str() as value) if value in SIDES:
            yield ast.Constant(SIDES[value])
        case ast.Name(name, ast.Load()) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(owner, name, ast.Load()) if name in NAMES:
            yield ast.Attribute(owner, NAMES[name], ast.Load())


def _shown(node: ast.AST) -> str:
    """The first line of a node's text; a statement with a body is its head."""
    return ast.unparse(node).partition("\n")[0]
