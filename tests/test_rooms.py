"""Rooms that hang on the core as leaves: the core imports and answers where they are not there."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import kernelmap
from kernelmap import Options
from kernelmap.tables.json import dump_json

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample_traces" / "sim_mlp_train"
LEAVES = (
    *("speed", "memory", "history", "fleet"),
    *("dashboard", "editors", "agents", "capture", "debug_printer", "repro"),
)
CORE = ("facts", "model", "compiler", "traces", "matching", "attribution", "tables", "pages")
DOORS = ("kernelmap.capture", "kernelmap.capture.plan", "kernelmap.fleet")
"""Where the public functions `capture` and `fleet` stand; called, they load the rest."""
FILES = ("inputs", "bundles", "likeness", "bearing", "annotating", "correlation", "pipeline")

WITHOUT_LEAVES = f"""
import importlib, pkgutil, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        leaves = tuple(f"kernelmap.{{leaf}}" for leaf in {LEAVES})
        if name.startswith(leaves) and name not in {DOORS}:
            raise ModuleNotFoundError(f"hidden: {{name}}")

sys.meta_path.insert(0, Hidden())
import kernelmap
for name in {CORE}:
    package = importlib.import_module(f"kernelmap.{{name}}")
    for found in pkgutil.walk_packages(package.__path__, f"{{package.__name__}}."):
        importlib.import_module(found.name)
for name in {FILES}:
    importlib.import_module(f"kernelmap.{{name}}")

from kernelmap.tables.json import dump_json
options = kernelmap.Options(work=False, wall=False, memory=False)
result = kernelmap.correlate({str(SAMPLE)!r}, options=options)
print(dump_json(result.tables))
"""


def test_the_core_answers_without_its_leaves() -> None:
    """Every module of the core loads without the leaves, and its tables are what they are with."""
    alone = subprocess.run(  # noqa: S603 -- our own code, in an interpreter of its own
        [sys.executable, "-c", WITHOUT_LEAVES], capture_output=True, text=True, check=False
    )

    assert alone.returncode == 0, alone.stderr
    beside = kernelmap.correlate(SAMPLE, options=Options(work=False, wall=False, memory=False))
    assert json.loads(alone.stdout) == json.loads(dump_json(beside.tables))


def test_every_room_is_core_or_leaf_or_the_command_line() -> None:
    """A new folder is put on one side: who adds it says whether the core needs it."""
    rooms = {path.parent.name for path in (ROOT / "kernelmap").glob("*/__init__.py")}

    assert rooms == {*CORE, *LEAVES, "cli"}


def test_no_module_bears_the_name_of_what_it_defines() -> None:
    """Loaded later, a module would stand in the place of a function that its package has.

    Commands are called as their files are; they are looked up by file. `capture` and `fleet` are
    set by the package before anything else can be loaded.
    """
    package = ROOT / "kernelmap"
    paths = [path for path in package.rglob("*.py") if "cli" not in path.parts]
    same = [
        path.relative_to(package).as_posix()
        for path in paths
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        if node.name == (path.parent.name if path.stem == "__init__" else path.stem)
    ]

    assert sorted(same) == ["capture/__init__.py", "fleet/__init__.py"]


@pytest.mark.parametrize("name", ["capture", "fleet"])
@pytest.mark.parametrize(
    "first", ["import kernelmap", "import kernelmap.{}.{}", "from kernelmap.{} import {}"]
)
def test_a_door_is_found_whoever_comes_first(name: str, first: str) -> None:
    """The two functions stay, whichever module of their packages is loaded, and when."""
    module = {"capture": "plan", "fleet": "files"}[name]
    code = f"{first.format(name, module)}\nimport kernelmap\nprint(callable(kernelmap.{name}))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 -- our own code

    assert done.stdout == "True\n"
