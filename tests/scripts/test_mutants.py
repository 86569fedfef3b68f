"""The script that changes code: which changes it makes, and which of them it says survive."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mutants import Tried, summary
from mutations import mutants_of

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
CODE = '''
"""Times."""

@decorated(1)
def longest(times: list[int] | None = None) -> int:
    """No text is changed."""
    if not times:
        raise ValueError("nothing" + "at all")
    return max(times[1:], default=0)
'''
PROJECT = {
    "kernelmap/__init__.py": "",
    "kernelmap/times.py": """
from functools import cache

def is_late(time, end):
    return time > end

class Clock:
    @property
    @cache
    def hours(self):
        return 12

def nobody_asks():
    return 1
""",
    "pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["."]\n',
    "tests/conftest.py": """
from hypothesis import settings
settings.register_profile("quick", max_examples=1)
""",
    "tests/test_times.py": """
from kernelmap.times import Clock, is_late

def test_late():
    assert is_late(2, 1)
    assert not is_late(1, 2)

def test_hours():
    assert Clock().hours == 12
""",
}


def changes(path: Path) -> list[str]:
    return [mutant.change for mutant in mutants_of(path)]


def test_what_runs_in_a_function_is_changed(tmp_path: Path) -> None:
    """Not its decorators, annotations and defaults, and nothing that only words an error."""
    path = tmp_path / "times.py"
    path.write_text(CODE)

    assert changes(path) == [
        "if not times: -> if not not times:",
        "not times -> times",
        "return max(times[1:], default=0) -> return None",
        "max -> min",
        "1 -> 2",
        "0 -> 1",
    ]
    for mutant in mutants_of(path):
        compile(mutant.mutated(), path, "exec")


def test_a_change_stays_the_same_one_where_modules_move_and_other_code_is_edited(
    tmp_path: Path,
) -> None:
    """The sample before a change of code and after it is the same."""
    path, moved = tmp_path / "times.py", tmp_path / "elsewhere.py"
    path.write_text(CODE)
    moved.write_text(f"def other(a, b):\n    return a - b\n{CODE}")
    keys = [mutant.key for mutant in mutants_of(path)]

    assert len(keys) == len(set(keys))
    assert [mutant.key for mutant in mutants_of(moved)][-len(keys) :] == keys


def test_equal_changes_of_one_statement_are_told_apart(tmp_path: Path) -> None:
    """Each has a key of its own."""
    path = tmp_path / "times.py"
    path.write_text("def both():\n    return f(1, 1)\n")
    keys = [mutant.key for mutant in mutants_of(path) if mutant.change == "1 -> 2"]

    assert len(set(keys)) == len(keys) == 2


def test_survivors_are_those_that_no_test_notices(tmp_path: Path) -> None:
    """In a small project: `>` and `>=` differ where no test looks; a property is changed, too."""
    pytest.importorskip("coverage")
    for name, text in PROJECT.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    shutil.copytree(SCRIPTS, tmp_path / "scripts", ignore=lambda _, names: _not_needed(names))
    command = [sys.executable, "-B", "scripts/mutants.py", "--code", "kernelmap", "--tests"]
    done = subprocess.run(  # noqa: S603 -- our own script
        [*command, "tests", "--json", "list.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    rows = json.loads((tmp_path / "list.json").read_text())
    alive = {(row["change"], row["reached"]) for row in rows if not row["noticed"]}

    assert done.returncode == 0, done.stderr
    assert len(rows) == 6
    assert alive == {
        ("time > end -> time >= end", 1),
        ("return 1 -> return None", 0),
        ("1 -> 2", 0),
    }
    assert "3 of 6 survive" in done.stdout


def _not_needed(names: list[str]) -> set[str]:
    return set(names) - {"mutants.py", "mutations.py", "usage.py"}


def test_two_lists_are_compared_by_change() -> None:
    """What survives only now, what was noticed since, and what can no longer be made."""

    def tried(key: str, noticed: str) -> Tried:
        return Tried(key, "times.py:1", "longest", f"{key} -> x", 1, 1, noticed)

    before = [tried("a", "test"), tried("b", ""), tried("c", "")]
    lines = list(summary([tried("a", ""), tried("b", "test")], before))

    assert lines == [
        "1 of 2 survive",
        "before: 2 of 3; 1 can no longer be made",
        "only now: times.py:1 longest: a -> x (1 tests): SURVIVES",
        "no longer: times.py:1 longest: b -> x (1 tests): dies of test",
    ]
