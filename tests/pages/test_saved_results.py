"""JSON and Parquet: what was saved comes back, to the last bit."""

from __future__ import annotations

import json as stdlib_json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples import examples
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.pages.write import write_tables
from kernelmap.tables import json, parquet
from kernelmap.tables.build import Tables
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.rows import Cell
from kernelmap.tables.schema import LONG, TABLES
from kernelmap.tables.summary import Summary
from kernelmap.tables.table import Column, Type
from pages.hand_tables import HOSTILE, make_tables, table

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES: Mapping[Type, st.SearchStrategy[Cell]] = {
    Type.INT: st.integers(-(2**63), 2**63 - 1),
    Type.FLOAT: st.floats(allow_nan=False, allow_infinity=False),
    Type.TEXT: TEXT,
    Type.TEXTS: st.lists(TEXT, max_size=3),
}


def cell(column: Column) -> st.SearchStrategy[Cell]:
    values = VALUES[column.type]
    return values | st.none() if column.nullable else values


def any_rows(name: str) -> st.SearchStrategy[list[dict[str, Cell]]]:
    columns = TABLES[name].by_name
    return st.lists(
        st.fixed_dictionaries({key: cell(column) for key, column in columns.items()}), max_size=4
    )


@st.composite
def any_tables(draw: st.DrawFn) -> Tables:
    """A result in which one table holds any values that the schema allows, sense or not."""
    name = draw(st.sampled_from(list(TABLES)))
    tables = make_tables()
    given = draw(any_rows(name))
    if name not in LONG:
        _fill_the_window(given, tables.summary)
    frame = table(name, given)
    if name == "launches":
        return replace(tables, make_launches=lambda: frame)
    if name == "invocations":
        return replace(tables, make_invocations=lambda: frame)
    return replace(tables, frames={**tables.frames, name: frame})


def _fill_the_window(given: list[dict[str, Cell]], summary: Summary) -> None:
    """Let the first row have all the time, and the others none: every table adds up."""
    for at, row in enumerate(given):
        if "side" in row:
            row["side"] = summary.side
        if "backward_ns" in row:
            row["backward_ns"] = 0
        row["time_ns"] = 0 if at or "step_ns" in row else summary.total_ns
        if "step_ns" in row:
            row["step_ns"] = 0


def same(one: Tables, other: Tables) -> bool:
    """Whether all facts of two results are equal, launches included."""
    frames = all(
        list(rows_of_frame(TABLES[name], one.frame(name)))
        == list(rows_of_frame(TABLES[name], other.frame(name)))
        for name in TABLES
    )
    return frames and (one.summary, one.notices) == (other.summary, other.notices)


@settings(max_examples=examples(25))
@given(
    st.sampled_from(sorted(set(TABLES) - {*LONG, "lifetimes"})),
    st.integers(-(2**63), 2**63 - 1),
    st.data(),
)
def test_a_damaged_time_is_refused(name: str, time_ns: int, data: st.DataObject) -> None:
    """With any time of any table changed, the table no longer adds up, and the error says so."""
    document = stdlib_json.loads(json.dump_json(make_tables()))
    row = data.draw(st.sampled_from(document[name]))
    if row["time_ns"] == time_ns:
        return
    row["time_ns"] = time_ns

    with pytest.raises(KernelmapError, match=rf"{name}: "):
        json.load_json(stdlib_json.dumps(document).encode())


@settings(max_examples=examples(25))
@given(
    st.sampled_from(["first", "last", "bytes", "peak_bytes"]),
    st.integers(-(2**63), -2) | st.integers(2**49, 2**63 - 1),
)
def test_damaged_lifetimes_are_refused(column: str, number: int) -> None:
    """No buffer lives before the start or through more calls than there can be."""
    document = stdlib_json.loads(json.dump_json(make_tables()))
    document["lifetimes"][0][column] = number

    with pytest.raises(KernelmapError, match="lifetimes: "):
        json.load_json(stdlib_json.dumps(document).encode())


@settings(max_examples=examples(25))
@given(st.integers())
def test_a_damaged_window_is_refused(total_ns: int) -> None:
    """A window that has another time than its tables is no result, however large the number."""
    document = stdlib_json.loads(json.dump_json(make_tables()))
    if document["summary"]["total_ns"] == total_ns:
        return
    document["summary"]["total_ns"] = total_ns

    with pytest.raises(KernelmapError, match="but the window has"):
        json.load_json(stdlib_json.dumps(document).encode())


@settings(max_examples=examples(12))  # an example writes and reads nine tables
@given(any_tables())
def test_json_comes_back_as_it_was(tables: Tables) -> None:
    """Big integers, unicode, nulls and lists survive JSON."""
    again = json.load_json(json.dump_json(tables, launches=True).encode())

    assert same(again, tables)


@settings(max_examples=examples(12))  # an example writes and reads nine tables
@given(any_tables())
def test_parquet_comes_back_as_it_was(tables: Tables) -> None:
    """Big integers, unicode, nulls and lists survive Parquet, with summary and notices."""
    with tempfile.TemporaryDirectory() as name:
        write_tables(tables, Path(name))
        again = parquet.read_parquet(Path(name))

        assert same(again, tables)


def test_the_json_names_its_format_first_and_leaves_launches_out() -> None:
    """The document opens with what it is; only the tables that grow with the trace wait."""
    document = stdlib_json.loads(json.dump_json(make_tables()))

    assert list(document)[:3] == ["format", "version", "summary"]
    assert (document["format"], document["version"]) == ("kernelmap.correlation", 1)
    assert set(TABLES) - set(document) == {"launches", "invocations"}
    assert document["notices"][0]["slug"] == "truncated-trace"


def test_a_result_saved_without_launches_has_none(tmp_path: Path) -> None:
    """Asking a JSON for launches that it does not hold is an error, not an empty table."""
    write_tables(make_tables(), tmp_path / "result.json")
    again = json.read_json(tmp_path / "result.json")

    with pytest.raises(UsageError, match="without its launches"):
        again.frame("launches")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "other", "version": 1}',
        '{"format": "kernelmap.correlation", "version": 2}',
        '{"format": "kernelmap.correlation", "version": 1}',
        '{"format": "kernelmap.correlation", "version": 1, "ledger": [{}]}',
    ],
)
def test_another_document_is_no_correlation(text: str, tmp_path: Path) -> None:
    """Whatever else a JSON file holds gives one clear error that names the file."""
    path = tmp_path / "other.json"
    path.write_text(text)

    with pytest.raises(KernelmapError, match=r"other\.json") as caught:
        json.read_json(path)
    assert caught.value.slug == "not-a-correlation"


def test_a_cell_of_another_type_is_refused() -> None:
    """A number that is a text, or too big for int64, does not slip in."""
    text = json.dump_json(make_tables())
    for wrong in ('"12"', str(2**63), "null"):
        changed = text.replace('"launches":650', f'"launches":{wrong}')

        assert changed != text
        with pytest.raises(KernelmapError):
            json.load_json(changed.encode())


def test_a_folder_of_something_else_is_no_correlation(tmp_path: Path) -> None:
    """A folder without our tables gives the same clear error."""
    with pytest.raises(KernelmapError) as caught:
        parquet.read_parquet(tmp_path)
    assert caught.value.slug == "not-a-correlation"


def test_pandas_alone_reads_the_parquet(tmp_path: Path) -> None:
    """A user without kernelmap gets nullable integers back, and every table is one file."""
    write_tables(make_tables(), tmp_path)
    calls = pd.read_parquet(tmp_path / "calls.parquet")

    assert sorted(path.stem for path in tmp_path.iterdir()) == sorted(TABLES)
    assert str(calls["line"].dtype) == "Int64"
    assert list(calls["ops"][0]) == ["aten.addmm"]


def test_a_parquet_file_explains_itself(tmp_path: Path) -> None:
    """Units, meanings, summary and notices stand in the file's own metadata."""
    write_tables(make_tables(), tmp_path / "one.parquet", by="call")
    schema = pq.read_schema(tmp_path / "one.parquet")

    assert schema.field("time_ns").metadata[b"unit"] == b"ns"
    assert stdlib_json.loads(schema.metadata[b"kernelmap.summary"])["side"] == "gpu"
    assert HOSTILE in stdlib_json.loads(schema.metadata[b"kernelmap.notices"])[0]["message"]
