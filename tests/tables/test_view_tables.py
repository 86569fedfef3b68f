"""The tables made from records: schema, sums, order, and what is missing stays missing."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.attribution.records import Attribution
from kernelmap.errors import UsageError
from kernelmap.pages.one_table import page_of_result
from kernelmap.pages.render.terminal import render_text
from kernelmap.tables.build import Tables
from kernelmap.tables.frames import check_frame, frame_of, frame_of_rows, rows_of_frame
from kernelmap.tables.later_frames import Frames
from kernelmap.tables.rows import Cell, rows_of, rows_of_columns
from kernelmap.tables.schema import BY, LEDGER, TABLES
from kernelmap.tables.table import Type
from tables.record_world import World, make_world


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.mark.parametrize("name", TABLES)
def test_every_table_holds_to_its_schema(world: World, name: str) -> None:
    """Each frame has exactly the columns and types that the schema names."""
    check_frame(TABLES[name], world.tables.frame(name))


def test_calls_are_sorted_by_time_with_their_rest_rows(world: World) -> None:
    """The longest call comes first; rest rows stand among the calls, without a call id."""
    calls = world.tables.frame("calls")

    assert calls["time_ns"].tolist() == [100, 40, 30, 20, 0]
    assert calls["wrapper"].tolist()[2:4] == ["(outside compiled code)", "(ambiguous)"]
    assert calls["call"].isna().tolist() == [False, False, True, True, False]


def test_a_call_says_where_it_stands_and_what_it_works_for(world: World) -> None:
    """Code, line, ops and the innermost source line of its nodes come with the time."""
    row = next(
        row
        for row in rows_of_frame(TABLES["calls"], world.tables.frame("calls"))
        if row["index"] == 0
    )

    assert row["call"] == "0_forward/0"
    assert (row["code"], row["line"]) == ("/home/someone/output_code.py", 41)
    assert row["ops"] == ["aten.add"]
    assert row["source"] == ["model.py:7"]
    assert (row["mean_ns"], row["p50_ns"], row["p95_ns"]) == (30, 20, 56)


def test_shares_are_of_the_whole_window(world: World) -> None:
    """The shares of calls and of the ledger each add up to 1."""
    tables = world.tables

    assert tables.frame("calls")["share"].sum() == pytest.approx(1)
    assert tables.frame("ledger")["share"].sum() == pytest.approx(1)


def test_a_window_without_time_has_no_shares(world: World) -> None:
    """Where nothing ran a share is null, not 0 and not an error."""
    empty = replace(world.attribution, total_ns=0)
    tables = replace_attribution(world, empty)

    assert tables.frame("ops")["share"].isna().all()
    assert tables.summary.coverage == {}


def test_launches_keep_their_position_and_leave_out_what_is_not_counted(world: World) -> None:
    """`launch` is the position in the trace; the launch outside the window has no row."""
    launches = world.tables.frame("launches")

    assert launches["launch"].tolist() == [0, 1, 2, 3]
    assert launches["start_ns"].tolist() == [100, 200, 400, 500]
    assert launches["pid"].tolist() == ["4711"] * 4
    assert launches["rank"].tolist() == [3] * 4
    assert launches["confidence"].tolist() == ["exact", "exact", "ambiguous", "outside"]
    assert launches["op"].isna().tolist() == [True, True, True, False]


def test_an_ambiguous_launch_names_its_candidates_and_their_one_wrapper(world: World) -> None:
    """Two calls of one wrapper stand: no call, both ids, the shared wrapper."""
    row = list(rows_of_frame(TABLES["launches"], world.tables.frame("launches")))[2]

    assert row["call"] is None
    assert row["candidates"] == ["0_forward/0", "0_backward/0"]
    assert row["wrapper"] == "triton_poi_fused_add_0"
    assert row["reason"] == "same_name"


def test_candidates_of_different_wrappers_share_none(world: World) -> None:
    """Where the candidates are written with different names the wrapper is null."""
    other = replace(world.matching, candidates=np.array([0, 1], np.int64))
    row = list(
        rows_of_frame(
            TABLES["launches"], dataclasses.replace(world, matching=other).tables.frame("launches")
        )
    )[2]

    assert row["wrapper"] is None
    assert row["candidates"] == ["0_forward/0", "0_forward/1"]


def test_what_the_trace_exports_of_a_kernel_reaches_its_launch(world: World) -> None:
    """The kernel file comes from the range that stands for the call, and only from there."""
    files = list(world.tables.frame("launches")["kernel_file"].array)

    assert files == ["/cache/c1.py", pd.NA, pd.NA, pd.NA]


def test_launches_are_made_once_and_only_when_asked_for(world: World) -> None:
    """A result whose launches nobody looks at never builds them."""
    made = []

    def make() -> pd.DataFrame:
        made.append(1)
        return world.tables.frame("launches")

    tables = replace(world.tables, make_launches=make)
    before = list(made)
    tables.frame("launches")
    tables.frame("launches")

    assert (before, made) == ([], [1])


def test_tables_without_launches_say_so(world: World) -> None:
    """Asking for launches that a file left out is an error with a next step."""
    tables = replace(world.tables, make_launches=None)

    with pytest.raises(UsageError, match="without its launches") as caught:
        tables.frame("launches")
    assert caught.value.slug == "no-launches"


def test_the_summary_counts_what_was_seen(world: World) -> None:
    """Numbers of the window, base names of its files, first and last step."""
    summary = world.tables.summary

    assert (summary.total_ns, summary.launches, summary.invocations) == (190, 4, 1)
    assert (summary.calls, summary.calls_seen, summary.steps) == (3, 2, (5, 6))
    assert summary.sources == ("profile.json.gz", "output_code.py")
    assert summary.coverage["exact"] == pytest.approx(140 / 190)


def test_the_ledger_runs_from_the_surest_to_the_least_sure(world: World) -> None:
    """Rows come in the order of confidence, whatever their time."""
    buckets = world.tables.frame("ledger")["bucket"].tolist()

    assert buckets == ["exact", "ambiguous", "outside"]


def test_a_frame_with_a_stray_null_is_refused() -> None:
    """A column that the schema calls complete may not hold a null."""
    columns: dict[str, list[object]] = {name: ["x"] for name in LEDGER.by_name}
    columns |= {"launches": [1], "time_ns": [1], "share": [None], "bucket": [None]}

    with pytest.raises(ValueError, match=r"ledger\.bucket: null"):
        frame_of(LEDGER, columns)


def test_odd_bytes_of_a_path_become_escapes() -> None:
    """A name that UTF-8 cannot hold is kept readable instead of failing."""
    columns: dict[str, list[object]] = {name: ["gpu\udcff"] for name in LEDGER.by_name}
    columns |= {"launches": [1], "time_ns": [1], "share": [None]}

    assert frame_of(LEDGER, columns)["side"].tolist() == ["gpu\\udcff"]


CELLS = {
    Type.INT: st.integers(-(2**63), 2**63 - 1),
    Type.FLOAT: st.floats(allow_nan=False) | st.integers(0, 9),
    Type.TEXT: st.text() | st.just("gpu\udcff"),
    Type.TEXTS: st.lists(st.text() | st.just("gpu\udcff"), max_size=3),
}


@given(st.sampled_from(sorted(TABLES)), st.data())
def test_rows_are_those_of_their_frame(name: str, data: st.DataObject) -> None:
    """What is written without a frame has the very cells and types that a frame would hold."""
    cells = {
        column.name: st.none() | CELLS[column.type] if column.nullable else CELLS[column.type]
        for column in TABLES[name].columns
    }
    records = data.draw(st.lists(st.fixed_dictionaries(cells), max_size=3))
    frames = Frames({name: rows_of(TABLES[name], records)})
    from_frame = list(rows_of_frame(TABLES[name], frames[name]))

    assert repr(list(frames.rows(name))) == repr(from_frame)
    assert repr(from_frame) == repr(
        list(rows_of_frame(TABLES[name], frame_of_rows(TABLES[name], records)))
    )


def test_a_row_with_a_stray_null_is_refused() -> None:
    """What a frame refuses is refused before there is one."""
    row: dict[str, Cell] = dict.fromkeys(LEDGER.by_name, "x")

    with pytest.raises(ValueError, match=r"ledger\.bucket: null"):
        rows_of(LEDGER, [row | {"launches": 1, "time_ns": 1, "share": None, "bucket": None}])
    with pytest.raises(KeyError):
        rows_of(LEDGER, [{"bucket": "exact"}])


@pytest.mark.parametrize("name", TABLES)
def test_a_table_gives_the_rows_of_its_frame(world: World, name: str) -> None:
    """Whether a frame was made before or not, all of them or those at a place."""
    tables, read_back = world.tables, framed(world.tables)
    before = list(tables.rows(name))

    assert (
        before
        == list(rows_of_frame(TABLES[name], tables.frame(name)))
        == list(read_back.rows(name))
    )
    assert tables.size(name) == read_back.size(name) == len(before)
    for place in (slice(1), slice(1, None), slice(1, 3), slice(9, 2)):
        assert list(tables.rows(name, place)) == list(read_back.rows(name, place)) == before[place]


@pytest.mark.parametrize("top", [0, 1, 2, 50])
@pytest.mark.parametrize("by", BY)
def test_a_page_shows_the_same_of_rows_and_of_frames(world: World, by: str, top: int) -> None:
    """What is left out of a saved result adds up as it did in the result itself."""
    pages = [
        page_of_result(tables, by=by, top=top) for tables in (world.tables, framed(world.tables))
    ]

    assert render_text(pages[0], 200) == render_text(pages[1], 200)


def framed(tables: Tables) -> Tables:
    """The tables as those of a saved result, which are frames."""
    return replace(tables, frames={name: tables.frame(name) for name in tables.frames})


def replace_attribution(world: World, attribution: Attribution) -> Tables:
    return dataclasses.replace(world, attribution=attribution).tables


def test_columns_of_a_table_give_its_rows_and_no_stray_null() -> None:
    """Rows made of columns have the cells of the columns; null in a column that has none raises."""
    columns: dict[str, list[Cell]] = {name: ["some", "other"] for name in LEDGER.by_name}
    first, second = rows_of_columns(LEDGER, columns)

    assert first == dict.fromkeys(LEDGER.by_name, "some")
    assert second == dict.fromkeys(LEDGER.by_name, "other")
    with pytest.raises(ValueError, match="null in a column that has none"):
        rows_of_columns(LEDGER, columns | {"launches": [1, None]})
