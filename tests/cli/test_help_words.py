"""`kernelmap help WORD`: whatever stands at the head of a table, or names a part of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner, Result

from kernelmap.cli import main
from kernelmap.debug_printer.shown import _FILES, _LAUNCHES, _LOADED, _VALUES
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.store.texts import A_STEP, WHOLE
from kernelmap.manual import words
from kernelmap.model import Confidence
from kernelmap.model.roofline import Bound, Slug
from kernelmap.model.savings import Lever
from kernelmap.pages import wall
from kernelmap.pages.columns import VIEWS
from kernelmap.tables.schema import TABLES

PACKAGE = Path(__file__).resolve().parents[2] / "kernelmap"
SHOWN_IN_A_TERMINAL = ("pages", "history/compare", "history/store", "fleet", "debug_printer")
BROWSERS_ONLY = ("rank_page.py", "one_file.py")
"""Pages of the dashboard and of files, which explain their headings themselves."""


_MADE_BY = ("PageColumn", "Extra", "TableView")
# parts of expressions that make a heading
_NO_HEADINGS = ("a ", "step_ns", "by", "module", "gbps", "tflops")


def headings() -> Iterator[str]:
    """The headings that the source writes out: of pages, not of files (`views.Column`)."""
    for folder in SHOWN_IN_A_TERMINAL:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            if path.name in BROWSERS_ONLY:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in _MADE_BY:
                    yield from _stated(node)


def _stated(call: ast.Call) -> Iterator[str]:
    for keyword in call.keywords:
        if keyword.arg in ("name", "header", "noun", "time_header"):
            yield from (
                part.value
                for part in ast.walk(keyword.value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


ASKED = sorted(
    {
        *(heading.strip() for heading in headings() if heading not in _NO_HEADINGS),
        *(extra.header for view in VIEWS.values() for extra in view.extras),
        *(view.noun for view in VIEWS.values()),
        *(f"a {unit}" for unit in ("step", "run", "launch")),
        *wall.NAMES.values(),
        *(word for printed in (_VALUES, _FILES, _LOADED, _LAUNCHES) for word in printed),
        *(cause.value for cause in Cause),
        *(bound.value for bound in Bound),
        *(lever.value for lever in Lever),
        *(slug.value for slug in Slug),
        *(confidence.name.lower() for confidence in Confidence),
        *(A_STEP, WHOLE, "file"),
        *(f"{prefix}B/s" for prefix in "GMk"),
        *(f"{prefix}FLOP/s" for prefix in "TGMk"),
    }
    - {""}
)


IN_SENTENCES = (
    *("step", "steps", "window", "wall time", "ledger", "settled", "invocation", "noise"),
    *("not tested", "too few runs to tell", "provenance"),
)


def ask(*names: str) -> Result:
    return CliRunner().invoke(main, ["help", *names], env={"COLUMNS": "100"})


def test_a_word_of_a_table_is_explained() -> None:
    """`kernelmap help` knows every heading, confidence, bound, cause and part of a step."""
    for word in ASKED:
        shown = ask(*word.split())

        assert shown.exit_code == 0, shown.stderr
        assert len(shown.stdout.split()) > len(word.split()) + 4, word


def test_no_word_is_explained_that_nothing_shows() -> None:
    """Each explained word stands in a table or its sentences, or is the beginning of several."""
    assert all((PACKAGE / folder).is_dir() for folder in SHOWN_IN_A_TERMINAL)
    assert {*words()} - {*ASKED} <= {"idle", *IN_SENTENCES}


def test_what_files_say_is_said_in_their_words() -> None:
    """A word that files hold names their column, its unit and its meaning, as the schema has it."""
    in_files = {word: entry.columns for word, entry in words().items() if entry.columns}

    assert in_files
    for word, places in in_files.items():
        shown = " ".join(ask(*word.split()).stdout.split())
        for place in places:
            table, column = place.split(".")
            stated = TABLES[table].by_name[column]
            unit = f" [{stated.unit}]" if stated.unit else ""
            assert f"In files {column} of {table}{unit}: {' '.join(stated.help.split())}." in shown


def test_words_come_in_any_spelling() -> None:
    """A rest row's parentheses, another case, or a cause without `idle:` mean the same word."""
    assert ask("(outside", "compiled", "code)").stdout == ask("outside compiled code").stdout
    assert ask("gb/s").stdout == ask("GB/s").stdout
    assert ask("launching").stdout == ask("idle:", "launching").stdout
    assert ask("at", "most", "own").stdout == f"{ask('at most').stdout}\n{ask('own').stdout}"


def test_the_nearest_word_is_offered() -> None:
    """A misspelled heading is an error whose hint has the right one."""
    shown = ask("at", "mots")

    assert shown.exit_code == 2
    assert "at most" in shown.stderr
