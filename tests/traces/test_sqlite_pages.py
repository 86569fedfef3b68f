"""Columns from the pages of a SQLite file are those that SQLite reads."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.errors import KernelmapError
from kernelmap.traces.nsys_sqlite import opened
from kernelmap.traces.sqlite_pages import NotPlain, Pages

NUMBERS = st.none() | st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-300, 300)
TEXTS = st.none() | st.text(max_size=80)
ROWS = st.lists(st.tuples(NUMBERS, TEXTS, NUMBERS), max_size=40)


def write(path: Path, rows: Sequence[tuple[object, ...]], columns: str, page: int = 4096) -> int:
    """A table `t` of these rows; gives the number of its root page."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA page_size = {page}")
        connection.execute(f"CREATE TABLE t ({columns})")
        places = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"INSERT INTO t VALUES ({places})", rows)  # noqa: S608 -- ours
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master").fetchone()
    return int(root)


def read(path: Path, root: int) -> tuple[int, list[list[int]], list[bytes | None]]:
    """Columns 0 and 2, and the texts of column 1, by the pages alone."""
    with path.open("rb") as file:
        pages = Pages(file)
        count, columns = pages.integers(root, [2, 0])
        return count, [column.tolist() for column in columns], pages.texts(root, 1)


@given(ROWS, st.integers(0, 400), st.sampled_from([512, 4096, 65536]))
def test_pages_hold_what_was_written(
    rows: list[tuple[int | None, str | None, int | None]], times: int, page: int
) -> None:
    """Numbers of every size, NULLs and texts come back in the order in which they went in."""
    rows = rows * (1 + times // max(len(rows), 1))
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.sqlite")
        root = write(path, rows, "a INTEGER, b TEXT, c", page)
        count, (third, first), texts = read(path, root)

    assert count == len(rows)
    assert first == [-1 if row[0] is None else row[0] for row in rows]
    assert third == [-1 if row[2] is None else row[2] for row in rows]
    assert texts == [None if row[1] is None else row[1].encode() for row in rows]


def test_a_table_of_many_pages_is_read_through_all_levels(tmp_path: Path) -> None:
    """Rows of a tree three pages high come in the order of their ids, deleted ones are gone."""
    path = tmp_path / "x.sqlite"
    root = write(path, [(at, f"text {at}", -at) for at in range(30_000)], "a, b, c", 512)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM t WHERE a % 3 = 1")

    count, (third, first), texts = read(path, root)

    assert first == [at for at in range(30_000) if at % 3 != 1]
    assert count == len(first)
    assert third == [-at for at in first]
    assert texts == [b"text %d" % at for at in first]


@pytest.mark.parametrize(
    "row",
    [(1, "x" * 5000, 2), (1.5, "x", 2), (b"1", "x", 2), (1, 7, 2)],
    ids=["long", "real", "blob", "number as text"],
)
def test_what_is_not_plain_is_left_to_sqlite(tmp_path: Path, row: tuple[object, ...]) -> None:
    """Rows that go on elsewhere and values of other kinds are not read from pages."""
    path = tmp_path / "x.sqlite"
    root = write(path, [(1, "x", 2), row], "a, b, c")

    with pytest.raises(NotPlain):
        read(path, root)


def test_a_table_that_is_an_index_is_left_to_sqlite(tmp_path: Path) -> None:
    """Tables without row ids lie in pages of another kind."""
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (a PRIMARY KEY, b, c) WITHOUT ROWID")
        connection.execute("INSERT INTO t VALUES (1, 'x', 2)")

    with pytest.raises(NotPlain):
        read(path, 2)


def test_rows_that_are_not_plain_are_read_all_the_same(tmp_path: Path) -> None:
    """A key that is the row's id, a column added later and a long text cost time, no value."""
    path = tmp_path / "x.sqlite"
    write(path, [(5, "x" * 9000), (7, None)], "id INTEGER PRIMARY KEY, value TEXT")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE t ADD COLUMN later INTEGER DEFAULT 9")
        connection.execute("INSERT INTO t VALUES (11, 'y', 3)")

    with opened(path) as tables:
        columns = tables.integers("t", ["id", "later", "never"])
        texts = tables.texts("t", "value")

    assert columns["id"].tolist() == [5, 7, 11]
    assert columns["later"].tolist() == [9, 9, 3]
    assert columns["never"].tolist() == [-1, -1, -1]
    assert texts == [b"x" * 9000, None, b"y"]


@given(st.data())
def test_a_damaged_page_raises_nothing_else(data: st.DataObject) -> None:
    """Whatever bytes stand in a file, reading its pages ends with columns or with NotPlain."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.sqlite")
        root = write(path, [(at, "x" * (at % 90), at << 40) for at in range(200)], "a, b, c", 512)
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 8))):
            place = data.draw(st.integers(100, len(content) - 1))
            content[place] = data.draw(st.sampled_from([0, 1, 5, 13, 127, 128, 255]))
        path.write_bytes(content)
        try:
            count, columns, texts = read(path, root)
        except NotPlain:
            return

    assert {*map(len, columns), len(texts)} == {count}


def test_a_tree_that_leads_back_to_itself_ends(tmp_path: Path) -> None:
    """A page that names itself as its child is an error of the file, not a loop."""
    path = tmp_path / "x.sqlite"
    root = write(path, [(at, "x" * 90, at) for at in range(200)], "a, b, c", 512)
    content = bytearray(path.read_bytes())
    begin = (root - 1) * 512
    content[begin + 8 : begin + 12] = root.to_bytes(4, "big")
    path.write_bytes(content)

    with pytest.raises(NotPlain):
        read(path, root)
    with pytest.raises(KernelmapError, match="cannot be read as SQLite"), opened(path) as tables:
        tables.integers("t", ["a"])


def test_pages_and_sqlite_agree_on_numbers(tmp_path: Path) -> None:
    """Both ways to read give the same whole numbers, to the last bit."""
    path = tmp_path / "x.sqlite"
    edges = [
        sign * (1 << bits) + more for bits in range(63) for sign in (1, -1) for more in (-1, 0, 1)
    ]
    write(path, [(number, None, None) for number in edges], "a, b, c")

    with opened(path) as tables:
        plain = tables.integers("t", ["a"])["a"]
        _, (selected,) = tables._selected("t", ["a"])  # noqa: SLF001 -- the other way

    assert plain.tolist() == edges
    assert np.array_equal(plain, selected)
