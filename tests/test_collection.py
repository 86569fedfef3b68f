"""Collecting the tests loads nothing that takes long: every worker collects all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
LONG = {
    *("torch", "triton", "ruptures", "scipy", "duckdb", "dask", "distributed", "aiohttp", "moto"),
    *("IPython", "nbclient", "sphinx", "playwright"),
}
"""Each takes from a quarter of a second to two seconds of processor time; pandas is all over."""


def loaded_at_top(source: str) -> list[str]:
    """What of those a module loads as it is imported, by an import or by looking for it."""
    if not any(name in source for name in LONG):
        return []  # to parse all modules takes a second
    runs = [node for node in ast.parse(source).body if not waits(node)]
    return sorted({name for node in runs for part in ast.walk(node) for name in loads(part)} & LONG)


def waits(node: ast.stmt) -> bool:
    """Whether a statement is for types, or for the tests when they run."""
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def loads(node: ast.AST) -> Iterator[str]:
    """The packages that an import or a call of `importorskip` loads."""
    if isinstance(node, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module.partition(".")[0]
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("importorskip"):
        yield from (
            str(given.value).partition(".")[0]
            for given in node.args
            if isinstance(given, ast.Constant)
        )


def test_a_module_of_tests_loads_nothing_that_takes_long() -> None:
    """A test loads torch when it runs: else each worker has it, whichever tests it gets."""
    dear = {
        path.relative_to(TESTS).as_posix(): names
        for path in [*TESTS.rglob("test_*.py"), *TESTS.rglob("conftest.py")]
        if (names := loaded_at_top(path.read_text(encoding="utf-8")))
    }

    assert dear == {}


def test_loading_counts_wherever_it_runs_at_import() -> None:
    """An import, one of a part, and looking for a package; not one for types or in a test."""
    assert loaded_at_top("import torch.nn") == ["torch"]
    assert loaded_at_top("from scipy.stats import norm") == ["scipy"]
    assert loaded_at_top('pytest.importorskip("ruptures", reason="missing")') == ["ruptures"]
    assert loaded_at_top('torch = pytest.importorskip("torch")') == ["torch"]
    assert loaded_at_top("def test_x() -> None:\n    import torch") == []
    assert loaded_at_top("if TYPE_CHECKING:\n    import torch") == []
    assert loaded_at_top('pytest.importorskip("werkzeug")\nPROGRAM = """\nimport torch\n"""') == []
