"""The count of words: what it takes for a one-word name, a name in use twice, and a comment."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from words import count_words, private_uses, report, report_privates

CODE = """
class Row:
    def take(self): ...
    def take_rows(self): ...
    def __len__(self): ...

def _read(): ...

def read_rows():
    # What the column holds.
    return 1  # behind code
"""


def test_names_and_comments_are_counted(tmp_path: Path) -> None:
    """Underscores at the ends are no words; a comment behind code is no line of its own."""
    (tmp_path / "one.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "two.py").write_text("class Row: ...\n", encoding="utf-8")
    counts = count_words(tmp_path)

    assert counts.functions == 4
    assert {word: number for word, number in counts.one_word.items() if number} == {
        "take": 1,
        "read": 1,
    }
    assert counts.twice == {"Row": ["one.py", "two.py"]}
    assert (counts.comments.total(), counts.lines.total()) == (1, 12)


def test_the_report_names_the_worst(tmp_path: Path) -> None:
    """Each count stands beside its aim."""
    (tmp_path / "one.py").write_text(CODE, encoding="utf-8")
    lines = list(report(count_words(tmp_path), 3))

    assert lines[0] == "functions with a one-word name: 2 of 4, 50.0% (aim: at most 30%)"
    assert lines[1] == "  read 1, take 1"
    assert lines[2].startswith("class names in use more than once: 0")


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("from kernelmap.model import _read, read", ["_read"]),
        ("from kernelmap.model import _read as given", ["_read"]),
        ("from kernelmap.traces._scanner import SIZE", ["SIZE"]),
        ("import kernelmap\nkernelmap.model._read()", ["_read"]),
        ("from kernelmap import model\nmodel.__file__, model.read(1)._rows", ["_rows"]),
        ("patch.setattr(model, '_LONGEST', 1)", ["_LONGEST"]),
        ("patch.setattr('kernelmap.model._LONGEST', 1)", ["kernelmap.model._LONGEST"]),
        ("self._seen = shown._repr_html_()", []),
        ("from helpers import _own\nimport torch.cuda\n_own._x, torch._dynamo", []),
    ],
)
def test_a_private_of_the_package_is_counted_each_time(code: str, uses: list[str]) -> None:
    """Where it is imported, asked for and patched; a test's own privates and torch's are not."""
    assert list(private_uses(ast.parse(code))) == uses


def test_privates_are_counted_by_folder(tmp_path: Path) -> None:
    """Most first."""
    for folder, uses in (("cli", 1), ("traces", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_it.py").write_text("from kernelmap import _it\n" * uses)

    assert list(report_privates(tmp_path)) == [
        "privates of the package that tests use: 3",
        "  traces 2, cli 1",
    ]
