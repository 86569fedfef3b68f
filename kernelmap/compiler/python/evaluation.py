"""In which order Python evaluates the calls and operators of one line of code.

`return x + self.mlp(self.norm(x))` runs `norm`, `mlp`, `add`. Takes the text of a line, which may
be the head of a block or a part of a longer statement; of what does not parse nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from kernelmap.compiler.python.source import parse

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.USub: "neg",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.BitAnd: "and_",
    ast.BitOr: "or_",
}


@lru_cache(maxsize=4096)
def evaluated(code: str) -> tuple[str, ...]:
    """The names that are called and the operators that are applied, first to last.

    >>> evaluated("return x + self.mlp(self.norm(x))")
    ('norm', 'mlp', 'add')
    >>> evaluated("x = layers[0](x) +")
    ()
    """
    tree = parse(code.strip()) or parse(f"{code.strip()} pass")
    if tree is None or not tree.body:
        return ()
    body = tree.body
    if isinstance(body[0], ast.FunctionDef):  # the whole function stands on this line
        body = body[0].body
    return tuple(word for node in body for word in _words(node))


def position(code: str, word: str) -> int:
    """Where `word` comes in the order of evaluation, from 0; -1 where it comes not exactly once."""
    order = evaluated(code)
    return order.index(word) if order.count(word) == 1 else -1


def comes_after(code: str, word: str, other: str) -> bool | None:
    """Whether `word` runs after `other`; None where the line does not have each once."""
    order = evaluated(code)
    if order.count(word) != 1 or order.count(other) != 1:
        return None
    return order.index(word) > order.index(other)


def _words(node: ast.AST) -> Iterator[str]:
    """The words of a tree in the order of evaluation: parts before the whole."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        # The value runs before what it is assigned to.
        if node.value is not None:
            yield from _words(node.value)
    elif not isinstance(node, ast.Lambda | ast.FunctionDef | ast.ClassDef):
        for child in ast.iter_child_nodes(node):
            yield from _words(child)
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            yield name
        case ast.BinOp(op=sign) | ast.AugAssign(op=sign) | ast.UnaryOp(op=sign):
            yield _OPERATORS.get(type(sign), "")
        case ast.Compare(ops=[sign]):
            yield _OPERATORS.get(type(sign), "")
