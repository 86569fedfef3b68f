"""An export gives what is stored in it: a small file that claims or computes more is refused."""

from __future__ import annotations

import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError
from kernelmap.traces import sqlite_tables
from kernelmap.traces.nsys.sqlite import opened

TABLE = "NVTX_EVENTS"
_PAGE = 65536


def export(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {_PAGE}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


@pytest.mark.parametrize(
    ("computed", "asked"),
    [
        ("text TEXT AS (hex(zeroblob(1000000)))", "text"),
        ("rowid INT AS (1)", "start"),
        ('"ROWID" INT AS (1)', "start"),
    ],
)
def test_columns_that_are_not_stored_are_refused(tmp_path: Path, computed: str, asked: str) -> None:
    """What SQLite computes for each row may be of any size and take any time."""
    path = export(
        tmp_path / "t.sqlite",
        f"CREATE TABLE {TABLE} (start INT, {computed})",
        f"INSERT INTO {TABLE} (start) VALUES (1), (2)",  # noqa: S608 -- our own
    )

    with pytest.raises(KernelmapError, match="not stored"), opened(path) as tables:
        tables.texts(TABLE, asked) if asked == "text" else tables.integers(TABLE, [asked])


def test_other_columns_of_computed_ones_are_read(tmp_path: Path) -> None:
    """Stored columns are read, generated or not; a computed number counts as missing."""
    computed = "b INT AS (length(hex(zeroblob(1000000))))"
    path = export(
        tmp_path / "t.sqlite",
        f"CREATE TABLE {TABLE} (a INT, {computed}, c INT AS (a + 1) STORED)",
        f"INSERT INTO {TABLE} (a) VALUES (1), (2)",  # noqa: S608 -- our own
    )

    with opened(path) as tables:
        columns = tables.integers(TABLE, ["a", "b", "c"])

    assert [columns["a"].tolist(), columns["b"].tolist()] == [[1, 2], [-1, -1]]


def test_rows_that_lie_in_one_another_are_refused(tmp_path: Path) -> None:
    """A page whose thousand rows are one row's bytes does not become a thousand texts."""
    rows, size = 2000, 30_000
    path = export(
        tmp_path / "t.sqlite",
        f"CREATE TABLE {TABLE} (text TEXT)",
        f"INSERT INTO {TABLE} VALUES ('{'x' * size}')",  # noqa: S608 -- our own
    )
    content = bytearray(path.read_bytes())
    page = content.rindex(b"x" * size) // _PAGE * _PAGE
    cell = content[page + 8 : page + 10]
    content[page + 3 : page + 5] = rows.to_bytes(2, "big")
    content[page + 8 : page + 8 + 2 * rows] = bytes(cell) * rows
    path.write_bytes(content)

    tracemalloc.start()
    try:
        with pytest.raises(KernelmapError, match="more text than the file"), opened(path) as tables:
            tables.texts(TABLE, "text")
        assert tracemalloc.get_traced_memory()[1] < rows * size // 4
    finally:
        tracemalloc.stop()


def test_work_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite takes no more steps than rows that lie in the file can ask for."""
    rows = 100_000
    path = export(
        tmp_path / "t.sqlite",
        f"CREATE TABLE {TABLE} (a INT, c INT AS (a + 1) STORED)",
        f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {rows})"  # noqa: S608 -- our own
        f" INSERT INTO {TABLE} (a) SELECT x FROM n",
    )
    with opened(path) as tables:
        assert len(tables.integers(TABLE, ["a"])["a"]) == rows
    monkeypatch.setattr(sqlite_tables, "_STEPS_ANYWAY", 10_000)
    monkeypatch.setattr(sqlite_tables, "_STEPS_PER_BYTE", 0)

    with pytest.raises(KernelmapError) as caught, opened(path) as tables:
        tables.integers(TABLE, ["a"])

    assert caught.value.slug == "nsys-damaged"
