"""Imports stand at the top of their files, but for those that a start has to do without.

They make no circle, wherever they stand: who reads a file has read what it is made of before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "kernelmap"
HEAVY = {
    *("torch", "triton", "nvtx", "pandas", "pyarrow", "plotly", "scipy", "ruptures", "duckdb"),
    *("fsspec", "dask", "distributed", "werkzeug", "waitress", "pygls"),
    *("mcp.server", "mcp.types", "uvicorn"),
    *("fcntl",),
}
"""What takes long to load, is an extra and may be missing, or is not on every platform."""
STARTS_LIGHT = ("kernelmap.cli", "kernelmap.pytest_plugin", "kernelmap.capture")
"""What starts without those: help, every pytest of a user, a program that is recorded."""
BEHIND_A_DOOR = {"kernelmap.speed", "kernelmap.memory"}
"""The leaves that the core opens where it is asked how fast code could be, and what memory it
needs."""
WAITS_THERE = {"numpy", "msgspec", "rich", "http.client", "urllib.request"}
"""HTTP brings ssl: 60 ms of the 150 that `--help` may take. rich takes 25.

A user's pytest loads no package for a plugin that it does not use, msgspec included.
"""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(PATHS[name].read_text("utf-8"))


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
    tree = tree_of(name)
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
    tree = tree_of(name)
    at_once = set(below(tree, is_later))
    waits = HEAVY | BEHIND_A_DOOR | (WAITS_THERE if name in light() else set())
    return [
        f"{PATHS[name].name}:{node.lineno}: {ast.unparse(node)}"
        for node in below(tree, lambda node: is_for_types(node) or may_fail(node))
        if node not in at_once
        and not any(brought(one) & waits - brought(name) for one in loaded(node))
    ]


def files_named(tree: ast.AST) -> set[str]:
    """The files of ours that the imports of a tree name, wherever these stand."""
    return {file for node in below(tree, lambda _: False) for file in named(node)}


def named(node: ast.stmt) -> Iterator[str]:
    """A module of ours, or the package whose names are imported; not the packages around it."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in PATHS)
    elif isinstance(node, ast.ImportFrom) and node.module in PATHS:
        full = (f"{node.module}.{alias.name}" for alias in node.names)
        yield from (name if name in PATHS else node.module for name in full)


def find_circle(named_by_reader: Mapping[str, Collection[str]]) -> list[str]:
    """A circle of files, each of which imports the next; empty where there is none."""
    try:
        TopologicalSorter(named_by_reader).prepare()
    except CycleError as error:
        # Each of the error's files is imported by the next.
        return list(reversed(error.args[1]))
    return []


@cache
def light() -> frozenset[str]:
    """The modules that start light, and what they bring."""
    return frozenset().union(*(brought(one) for one in PATHS if one.startswith(STARTS_LIGHT)))


def test_an_import_waits_inside_a_function_for_a_reason() -> None:
    """It brings what is heavy or an extra, a leaf, or what a light start does without."""
    assert [line for name in PATHS for line in waiting_without_reason(name)] == []


def test_no_circle_of_imports_between_files() -> None:
    """Those that are only for types, or wait inside a function, count as well."""
    named_by_reader = {name: files_named(tree_of(name)) - {name} for name in PATHS}

    assert find_circle(named_by_reader) == []


@pytest.mark.parametrize(
    "source",
    [
        "from kernelmap.errors import UsageError",
        "from kernelmap import errors",
        "import kernelmap.errors as said",
        "if TYPE_CHECKING:\n    from kernelmap.errors import UsageError",
        "def read():\n    from kernelmap.errors import UsageError",
        "try:\n    import kernelmap.errors\nexcept ImportError:\n    pass",
    ],
)
def test_an_import_counts_wherever_it_stands(source: str) -> None:
    """At the top, for types, in a function and where it may fail; it counts for one file."""
    assert files_named(ast.parse(source)) == {"kernelmap.errors"}


def test_a_circle_is_told_in_the_order_of_its_imports() -> None:
    """Each file imports the next; what only leads to the circle is not told."""
    named_by_reader = {
        "page": {"shown"},
        "shown": {"record"},
        "record": {"sums"},
        "sums": {"shown"},
    }
    circle = find_circle(named_by_reader)

    assert set(circle) == {"shown", "record", "sums"}
    assert all(then in named_by_reader[now] for now, then in pairwise(circle))
    assert circle[0] == circle[-1]
