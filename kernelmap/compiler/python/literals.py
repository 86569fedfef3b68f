"""Syntax nodes → plain values and dotted names, without running anything."""

from __future__ import annotations

import ast


def literal(node: ast.expr) -> object:
    """The value of a literal, None where `node` is none (a literal None reads the same)."""
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return value


def literal_items(node: ast.expr | None) -> dict[object, ast.expr]:
    """The entries of a dict display whose keys are hashable literals, values unread."""
    if not isinstance(node, ast.Dict):
        return {}
    found: dict[object, ast.expr] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = literal(key) if key is not None else None
        if isinstance(name, str | int | tuple):
            found[name] = value
    return found


def integers(value: object) -> tuple[int, ...] | None:
    """`value` as whole numbers where it is a list, tuple or set of them, in rising order kept."""
    if not isinstance(value, list | tuple | set | frozenset):
        return None
    numbers = [each for each in value if isinstance(each, int) and not isinstance(each, bool)]
    if len(numbers) != len(value):
        return None
    return tuple(sorted(numbers) if isinstance(value, set | frozenset) else numbers)


def dotted(node: ast.expr) -> str | None:
    """`torch.ops.aten.mm` of a chain of names, None for anything else.

    >>> dotted(ast.parse("a.b.c", mode="eval").body)
    'a.b.c'
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join((node.id, *reversed(parts)))


def keyword(call: ast.Call, *names: str) -> ast.expr | None:
    """The value of the first keyword argument that bears one of `names`."""
    for name in names:
        for each in call.keywords:
            if each.arg == name:
                return each.value
    return None


def text_arguments(call: ast.Call) -> list[str]:
    """The positional arguments that are string literals, in order."""
    return [
        argument.value
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
