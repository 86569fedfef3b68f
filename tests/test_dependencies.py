"""What the package imports is what pyproject.toml declares."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def imported() -> Iterator[tuple[str, str]]:
    """Every package that some file of kernelmap imports, with that file."""
    for path in sorted((ROOT / "kernelmap").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                yield name.partition(".")[0], path.relative_to(ROOT).as_posix()


def declared() -> tuple[set[str], set[str]]:
    """The packages that every installation has, and those of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {
        name
        for extra, listed in project["optional-dependencies"].items()
        if extra != "test"
        for name in map(package, listed)
    }
    return set(map(package, project["dependencies"])), extras


def package(requirement: str) -> str:
    return re.split(r"[^\w-]", requirement, maxsplit=1)[0].replace("-", "_")


def test_every_import_is_declared() -> None:
    """A file imports the standard library, kernelmap itself, or what pyproject.toml declares."""
    always, extras = declared()
    importable = sys.stdlib_module_names | always | extras | {"kernelmap"}

    assert {(name, path) for name, path in imported() if name not in importable} == set()


def test_every_dependency_is_imported() -> None:
    """What every installation has to fetch is used."""
    always, _ = declared()

    assert always <= {name for name, _ in imported()}
