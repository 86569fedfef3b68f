"""Imports stand at the top of their files, but for those that a start has to do without."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "kernelmap"
HEAVY = {
    *("torch", "triton", "nvtx", "pandas", "pyarrow", "plotly", "scipy", "ruptures", "duckdb"),
    *("fsspec", "dask", "distributed", "werkzeug", "waitress"),
    *("fcntl",),
}
"""What takes long to load, is an extra and may be missing, or is not on every platform."""
STARTS_LIGHT = ("kernelmap.cli", "kernelmap.pytest_plugin", "kernelmap.capturing")
"""What starts without those: help, every pytest of a user, a program that is recorded."""
WAITS_THERE = {"numpy", "rich", "http.client", "urllib.request"}
"""HTTP brings ssl: 60 ms of the 150 that `--help` may take. rich takes 25."""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def below(tree: ast.AST, is_left_out: Callable[[ast.AST], bool]) -> Iterator[ast.stmt]:
    """The imports below a node, without those below what is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not is_left_out(node):
            yield from below(node, is_left_out)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def may_fail(node: ast.AST) -> bool:
    """Whether an import below this node may fail without harm."""
    caught = [*node.handlers] if isinstance(node, ast.Try) else []
    suppressed = node.items if isinstance(node, ast.With) else []
    return any("ImportError" in ast.unparse(it) for it in (*caught, *suppressed))


def is_later(node: ast.AST) -> bool:
    """Whether what is below this node does not run when its module is imported."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types(node)


def loaded(node: ast.stmt) -> Iterator[str]:
    """What an import loads: modules of ours and the packages around them, others by two words."""
    if isinstance(node, ast.ImportFrom):
        full = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        full = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    for words in (name.split(".") for name in full):
        if words[0] == PACKAGE.name:
            names = (".".join(words[:end]) for end in range(1, len(words) + 1))
            yield from (name for name in names if name in PATHS)
        else:
            yield from (words[0], ".".join(words[:2]))


@cache
def at_top(name: str) -> frozenset[str]:
    tree = ast.parse(PATHS[name].read_text("utf-8"))
    own = {name.rpartition(".")[0]} & set(PATHS)
    return frozenset(own.union(*map(loaded, below(tree, is_later))))


@cache
def brought(name: str) -> frozenset[str]:
    """All that is loaded when a module or package is imported, itself included."""
    seen, left = set(), [name]
    while left:
        if (one := left.pop()) not in seen:
            seen.add(one)
            left.extend(at_top(one) if one in PATHS else ())
    return frozenset(seen)


def waiting_without_reason(name: str) -> list[str]:
    """The imports inside functions of a module that could stand at its top."""
    tree = ast.parse(PATHS[name].read_text("utf-8"))
    at_once = set(below(tree, is_later))
    waits = HEAVY | (WAITS_THERE if name in light() else set())
    return [
        f"{PATHS[name].name}:{node.lineno}: {ast.unparse(node)}"
        for node in below(tree, lambda node: is_for_types(node) or may_fail(node))
        if node not in at_once
        and not any(
            name in brought(one) or brought(one) & waits - brought(name) for one in loaded(node)
        )
    ]


@cache
def light() -> frozenset[str]:
    """The modules that start light, and what they bring."""
    return frozenset().union(*(brought(one) for one in PATHS if one.startswith(STARTS_LIGHT)))


def test_an_import_waits_inside_a_function_for_a_reason() -> None:
    """It brings what is heavy or an extra, what a light start does without, or makes a circle."""
    assert [line for name in PATHS for line in waiting_without_reason(name)] == []
