"""Tables of a SQLite file come back as they were written, whatever its pages look like."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.errors import KernelmapError
from kernelmap.traces.nsys.sqlite import opened

NUMBERS = st.none() | st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-300, 300)
TEXTS = st.none() | st.text(max_size=80)
ROWS = st.lists(st.tuples(NUMBERS, TEXTS, NUMBERS), min_size=1, max_size=40)


def write(path: Path, rows: Sequence[tuple[object, ...]], columns: str, page: int = 4096) -> int:
    """A table `t` of these rows; gives the number of its root page."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA page_size = {page}")
        connection.execute(f"CREATE TABLE t ({columns})")
        places = ", ".join("?" * (columns.count(",") + 1))
        connection.executemany(f"INSERT INTO t VALUES ({places})", rows)  # noqa: S608 -- ours
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master").fetchone()
    return int(root)


def read(path: Path) -> list[tuple[int, bytes | None, int]]:
    """The rows of columns `a`, `b` and `c`."""
    with opened(path) as tables:
        numbers, texts = tables.integers("t", ["a", "c"]), tables.texts("t", "b")
    first, third = numbers["a"].tolist(), numbers["c"].tolist()
    return list(zip(first, texts, third, strict=True))


@given(ROWS, st.integers(0, 400), st.sampled_from([512, 4096, 65536]))
def test_tables_hold_what_was_written(
    rows: list[tuple[int | None, str | None, int | None]], times: int, page: int
) -> None:
    """Numbers of every size, NULLs and texts come back in the order in which they went in."""
    rows = rows * (1 + times // len(rows))
    with TemporaryDirectory() as folder:
        path = Path(folder, "x.sqlite")
        write(path, rows, "a INTEGER, b TEXT, c", page)
        found = read(path)

    assert found == [
        (
            -1 if first is None else first,
            None if text is None else text.encode(),
            -1 if third is None else third,
        )
        for first, text, third in rows
    ]


def test_a_table_of_many_pages_is_read_in_order(tmp_path: Path) -> None:
    """Rows of a tree three pages high come in the order of their ids, deleted ones are gone."""
    path = tmp_path / "x.sqlite"
    write(path, [(at, f"text {at}", -at) for at in range(30_000)], "a, b, c", 512)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM t WHERE a % 3 = 1")

    assert read(path) == [(at, b"text %d" % at, -at) for at in range(30_000) if at % 3 != 1]


def test_rows_of_every_form_are_read(tmp_path: Path) -> None:
    """A key that is the row's id, a column added later and a text of several pages are read."""
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


def test_a_tree_that_leads_back_to_itself_ends(tmp_path: Path) -> None:
    """A page that names itself as its child is an error of the file, not a loop."""
    path = tmp_path / "x.sqlite"
    root = write(path, [(at, "x" * 90, at) for at in range(200)], "a, b, c", 512)
    content = bytearray(path.read_bytes())
    begin = (root - 1) * 512
    content[begin + 8 : begin + 12] = root.to_bytes(4, "big")
    path.write_bytes(content)

    with pytest.raises(KernelmapError, match="cannot be read as SQLite"), opened(path) as tables:
        tables.integers("t", ["a"])


def test_numbers_are_exact_to_the_last_bit(tmp_path: Path) -> None:
    """Numbers around each power of two come back, those beside the largest of 64 bits too."""
    path = tmp_path / "x.sqlite"
    edges = [
        sign * (1 << bits) + more for bits in range(63) for sign in (1, -1) for more in (-1, 0, 1)
    ] + [(1 << 63) - 1, -(1 << 63)]
    write(path, [(number, None, None) for number in edges], "a, b, c")

    assert [first for first, _, _ in read(path)] == edges
