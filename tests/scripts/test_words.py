"""The count of words: what it takes for a one-word name, a name in use twice, and a comment."""

from __future__ import annotations

from pathlib import Path

from words import count_words, report

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
