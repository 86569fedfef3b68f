"""Change every constant of a package, one at a time, and name those that no test notices.

A constant is a number in a module's or a class's assignments, written as such; members of
enumerations and negative numbers are labels. It is halved and doubled, or moved halfway to one if
it is a probability above one half. Tests run in a copy of the project until one fails; a run that
takes too long counts as a failure. Exits with 1 if a change survives.

    python scripts/mutants.py                           # all of the aligner: a quarter hour
    python scripts/mutants.py --only between --only once._MOST --list      # only name them
    python scripts/mutants.py --package kernelmap/matching/graphs tests/matching
"""

from __future__ import annotations

import ast
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import usage

LOADED = np, pd
"""What all tests import takes longer than most of them: it is loaded once."""

PROJECT = Path(__file__).resolve().parents[1]
PACKAGE = Path("kernelmap/matching/aligner")
TESTS = tuple(
    f"tests/matching/test_{name}.py"
    for name in (
        "constants",
        "beliefs",
        "edges",
        "grids",
        "measured",
        "mixed",
        "segments",
        "twins",
        "native_decoder",
        "model_figures",
    )
)
_LINKED = ("tests", "scripts", "sample_traces", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A number in a file: its name, and the characters of its line that stand for `value`."""

    path: Path
    name: str
    line: int
    begin: int
    end: int
    value: str

    def __str__(self) -> str:
        return f"{self.path.stem}.{self.name} (line {self.line}) = {self.value}"

    def applied(self, text: str) -> str:
        """The source with the number changed."""
        lines = text.splitlines(keepends=True)
        source = lines[self.line - 1].encode()
        lines[self.line - 1] = (
            source[: self.begin] + self.value.encode() + source[self.end :]
        ).decode()
        return "".join(lines)


def main() -> int:
    """Try all mutants that are asked for."""
    parser = usage.parser(__doc__)
    parser.add_argument("tests", nargs="*", default=TESTS, help="what pytest is given")
    parser.add_argument("--package", type=Path, default=PACKAGE, help="whose constants")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="in its name")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="for one run")
    parser.add_argument("--list", action="store_true", help="only name the changes")
    options = parser.parse_args()
    mutants = [
        mutant
        for path in sorted((PROJECT / options.package).rglob("*.py"))
        for mutant in mutants_of(path)
        if not options.only or any(word in str(mutant) for word in options.only)
    ]
    if options.list:
        print(*mutants, sep="\n")
        return 0
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(PROJECT / "kernelmap", copy / "kernelmap")
        for name in _LINKED:
            (copy / name).symlink_to(PROJECT / name)
        if not _pass(copy, options.tests, options.limit):
            parser.error("with nothing changed the tests fail, or take too long")
        for mutant in mutants:
            path = copy / mutant.path.relative_to(PROJECT)
            source = path.read_text(encoding="utf-8")
            path.write_text(mutant.applied(source), encoding="utf-8")
            alive = _pass(copy, options.tests, options.limit)
            path.write_text(source, encoding="utf-8")
            survivors += alive
            print("SURVIVES" if alive else "dies", mutant, flush=True)
    print(f"{survivors} of {len(mutants)} survive")
    return int(survivors > 0)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """The changed constants of one file."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    classes = (definition for definition in module.body if isinstance(definition, ast.ClassDef))
    numbered = (
        definition
        for definition in classes
        if "Enum" not in "".join(map(ast.unparse, definition.bases))
    )
    for statement in chain(module.body, *(definition.body for definition in numbered)):
        if isinstance(statement, ast.Assign):
            name = ast.unparse(statement.targets[0]).strip("()")
        elif isinstance(statement, ast.AnnAssign):
            name = ast.unparse(statement.target)
        else:
            continue
        for node, number in _numbers(statement.value):
            end = node.end_col_offset or node.col_offset
            for value in _changed(number):
                yield Mutant(path, name, node.lineno, node.col_offset, end, value)


def _numbers(node: ast.AST | None) -> Iterator[tuple[ast.Constant, float]]:
    if isinstance(node, ast.UnaryOp):
        return
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        yield node, ast.literal_eval(node)
    elif node and not (isinstance(node, ast.BinOp) and not isinstance(node.op, ast.BitOr)):
        for child in ast.iter_child_nodes(node):
            yield from _numbers(child)


def _changed(value: float) -> list[str]:
    """The values to try in place of a number, as source text."""
    if isinstance(value, int):
        return [
            str(changed) for changed in dict.fromkeys((value // 2, 2 * value)) if changed != value
        ]
    other = (1 + value) / 2 if 1 / 2 <= value < 1 else 2 * value
    return [repr(changed) for changed in (value / 2, other) if changed != value]


def _pass(copy: Path, tests: Sequence[str], limit: float) -> bool:
    """Whether all tests pass in the copy, within a limit of seconds."""
    process = get_context("fork").Process(target=_run, args=(copy, tests))
    process.start()
    process.join(limit)
    process.kill()
    process.join()
    return process.exitcode == 0


def _run(copy: Path, tests: Sequence[str]) -> None:
    """Run the tests in a process of their own; what they import is loaded already."""
    os.chdir(copy)
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(copy)]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        sys.exit(pytest.main(["-qx", "-p", "no:randomly", *tests]))


if __name__ == "__main__":
    sys.exit(main())
