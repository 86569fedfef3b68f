"""`--where`: which rows a condition means, and what is said of a text that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.errors import UsageError
from kernelmap.tables.rows import Row
from kernelmap.tables.selection import Selection, select_rows
from kernelmap.tables.table import (
    Column,
    Table,
    Type,
    Unit,
    int_or_null,
    ns_column,
    text_or_null,
    texts_column,
)
from kernelmap.tables.where import parse_where, quote_value

TABLE = Table(
    name="things",
    row="a thing",
    order="as given",
    columns=(
        text_or_null("name", "its name"),
        texts_column("ops", "its ops"),
        ns_column("time_ns", "its time"),
        int_or_null("line", "its line"),
        Column(name="share", type=Type.FLOAT, help="its share", unit=Unit.ONE, nullable=True),
    ),
)


def thing(name: str | None, time_ns: int, line: int | None = None, *ops: str) -> Row:
    return {
        "name": name,
        "ops": [*ops] if ops else None,
        "time_ns": time_ns,
        "line": line,
        "share": time_ns / 10_000_000,
    }


THINGS = [
    thing("a", 2_000_000, 3, "aten.mm", "aten.add"),
    thing("B x", 900, None, "aten.mul"),
    thing(None, 1_000_000, 7),
]


def names(condition: str) -> list[object]:
    selected = select_rows(TABLE, THINGS, Selection(where=parse_where(condition)))
    return [row["name"] for row in selected.rows()]


@pytest.mark.parametrize(
    ("condition", "meant"),
    [
        ("time_ns>1ms", ["a"]),
        ("time_ns >= 1_000_000", ["a", None]),
        ("time_ns=900", ["B x"]),
        ("time_ns==900ns", ["B x"]),
        ("time_ns!=900", ["a", None]),
        ("share<10%", ["B x"]),
        ("share >= 0.1", ["a", None]),
        ("name=a", ["a"]),
        ("name='B x'", ["B x"]),
        ('name = "B x"', ["B x"]),
        ("name~b", ["B x"]),
        ("name!=a", ["B x", None]),
        ("name=null", [None]),
        ("name!=null", ["a", "B x"]),
        ('name="null"', []),
        ("line<5", ["a"]),
        ("line=null", ["B x"]),
        ("ops=aten.add", ["a"]),
        ("ops~aten.m", ["a", "B x"]),
        ("ops!=aten.mm", ["B x", None]),
        ("ops=null", [None]),
        ("name=a or name=null", ["a", None]),
        ("time_ns>1us AND line=null OR name=null", [None]),
        ("name=null or time_ns>1us and line=3", ["a", None]),
    ],
)
def test_a_condition_means_rows(condition: str, meant: list[object]) -> None:
    """Numbers by size, texts alike or holding, one of a list is enough; `and` before `or`."""
    assert names(condition) == meant


@pytest.mark.parametrize(
    "condition",
    [
        *("", "name", "name=", "name a", "=a", "name=a name=a", "name=a and", "name=a or or"),
        *("a=b=c", "name<a", "time_ns~1", "time_ns>soon", "share>3%%", "name='a", "(name=a)"),
    ],
)
def test_what_is_no_condition_is_said(condition: str) -> None:
    """The error says which part, and how a condition is written."""
    with pytest.raises(UsageError) as raised:
        names(condition)
    assert raised.value.slug in ("unclear-condition", "unknown-column")
    assert raised.value.exit_code == 2


def test_a_column_that_is_not_there_names_those_that_are() -> None:
    """The nearest first, then all of the table."""
    for selection in (Selection(columns=("tme_ns",)), Selection(where=parse_where("tme_ns=1"))):
        with pytest.raises(UsageError) as raised:
            select_rows(TABLE, THINGS, selection)
        assert raised.value.slug == "unknown-column"
        assert raised.value.hint == (
            "Did you mean `time_ns`? Columns: name, ops, time_ns, line, share."
        )


@given(st.lists(st.integers(0, 10**12), max_size=8), st.integers(0, 10**12), st.integers(1, 9))
def test_what_is_shown_and_what_is_left_out_add_up(times: list[int], most: int, top: int) -> None:
    """Rows and time of the table are those shown and those left out, whatever is asked."""
    rows = [thing(str(place), time_ns) for place, time_ns in enumerate(times)]
    where = parse_where(f"time_ns<={most}")
    selected = select_rows(TABLE, rows, Selection(top=top, where=where))
    shown = list(selected.rows())

    assert shown == [row for row in rows if row["time_ns"] <= most][:top]  # type: ignore[operator]
    assert len(shown) + (selected.total - selected.shown) == len(rows)
    assert selected.left_out_ns is not None
    assert sum(int(str(row["time_ns"])) for row in shown) + selected.left_out_ns == sum(times)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_name_is_found_by_what_it_is_quoted_as(name: str) -> None:
    """What commands write as a value means the row of that name, and no other."""
    quoted = quote_value(name)
    if quoted is None:
        assert "'" in name
        assert '"' in name
        return
    rows = [thing(name, 1), thing(name + "x", 2)]
    selected = select_rows(TABLE, rows, Selection(where=parse_where(f"name={quoted}")))
    assert [row["time_ns"] for row in selected.rows()] == [1]
