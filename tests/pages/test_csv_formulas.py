"""Decision 0011: no cell of a CSV is a formula, and no text and no number is lost by that."""

from __future__ import annotations

import csv as stdlib_csv
import io
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hostile import moving
from kernelmap.pages import csv
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Cell
from kernelmap.tables.schema import TABLES
from kernelmap.tables.selection import Selection, select_of_tables
from pages.hand_tables import make_tables, table

STARTS = "=+-@\t\r\n＝＋－＠"  # noqa: RUF001 -- the wide signs are the point
TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.text("=+-@'\t\r\n ax1")
FORMULA = "=HYPERLINK(1)"


def with_ops(names: Sequence[str]) -> Tables:
    tables = make_tables()
    rows: list[dict[str, Cell]] = [
        {"name": name, "origin": "compiled", "time_ns": -1} for name in names
    ]
    return Tables(summary=tables.summary, frames={**tables.frames, "ops": table("ops", rows)})


def written(tables: Tables, name: str) -> list[dict[str, str]]:
    """The rows as any reader of CSV sees them."""
    return list(
        stdlib_csv.DictReader(
            io.StringIO(csv.dump_selected(select_of_tables(tables, name, Selection())), newline="")
        )
    )


@given(st.lists(TEXT, max_size=5))
@example([FORMULA, f"'{FORMULA}", f"''{FORMULA}", "'", "it's", "'quoted'", "-1", ""])
@example(
    ["\x1b[31m", "\\x1b", "\\\x1b", "\\\\x1b", "C:\\x86\\new", "\u202e\\u202e\U000e0001", "\r=1"]
)
def test_texts_come_back_and_none_is_a_formula(names: list[str]) -> None:
    """For any texts: no cell is a formula or moves a cursor, and each has its text behind it."""
    cells = [row["name"] for row in written(with_ops(names), "ops")]

    assert not any(cell.startswith(tuple(STARTS)) for cell in cells)
    assert not any(moving(cell) - {"\t"} for cell in cells)
    assert list(map(csv.original_text, cells)) == names


def test_numbers_are_never_touched() -> None:
    """A negative number is a number, not a text that starts with a minus."""
    (row,) = written(with_ops(["aten.mm"]), "ops")

    assert (row["name"], row["time_ns"]) == ("aten.mm", "-1")


@pytest.mark.parametrize("start", STARTS)
def test_a_list_is_guarded_as_the_text_that_it_becomes(start: str) -> None:
    """Lists are joined first: their first entry decides."""
    tables = make_tables()
    calls = table("calls", [{"wrapper": "w", "ops": [f"{start}a", "=b"]}])
    tables = Tables(summary=tables.summary, frames={**tables.frames, "calls": calls})
    (row,) = written(tables, "calls")

    assert not row["ops"].startswith(tuple(STARTS))
    assert csv.original_text(row["ops"]) == f"{start}a; =b"


def test_what_we_ship_has_nothing_to_guard() -> None:
    """Usual names are written as they are."""
    for name in TABLES:
        for row in written(make_tables(), name):
            assert not any(cell.startswith("'") for cell in row.values()), name
