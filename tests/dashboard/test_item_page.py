"""The page of one call, op, line or graph, as records."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from make_history import Simulated, history
from msgspec.structs import replace

from dashboard.changed_tables import CODE, FILE, with_line
from kernelmap import correlate
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.items import (
    item_frame,
    item_series,
    line_key,
    structures_of_changes,
)
from kernelmap.dashboard.pages import page_at
from kernelmap.dashboard.series import Mark
from kernelmap.history.store import Store
from kernelmap.options import Options
from kernelmap.pages.address import Address, parse_address
from kernelmap.pages.page import Figure, Link, Note, Page, PageTable
from pages.hand_tables import HOSTILE

_FUSED, _TUNED = "c0007", "c0010"  # commits of a history of 32 runs


def shown(archive: Archive, kind: str, key: str, **more: str) -> Page:
    return page_at(Address(page="item", kind=kind, key=key, **more), archive)  # type: ignore[arg-type] # texts only


def chart(page: Page, name: str = "times") -> Figure:
    return next(
        section for section in page.sections if isinstance(section, Figure) and section.id == name
    )


def changes(page: Page) -> PageTable:
    return next(e for e in page.sections if isinstance(e, PageTable) and e.id == "changes")


def links(page: Page, title: str) -> list[Link]:
    """The links of the section of that title."""
    return [
        cell
        for section in page.sections
        if isinstance(section, Note) and section.title is not None and title in section.title
        for line in section.lines
        for cell in line
        if isinstance(cell, Link)
    ]


def calls_with(archive: Archive, text: str, run: str) -> list[str]:
    frame = archive.history("calls", {})
    of_run = frame[(frame["run"] == run) & frame["wrapper"].str.contains(text)]
    return of_run["fingerprint"].tolist()


def test_a_call_is_followed_through_a_change_of_its_fusion(archive: Archive) -> None:
    """The call that was broken up leads to those that it became, and each of them back to it."""
    first = archive.store.runs()[0].id
    (old,) = calls_with(archive, "safe_softmax", first)
    page = shown(archive, "call", old)
    follow = [link.to for link in links(page, "Through changes") if link.to.page == "item"]

    assert len(follow) == 2
    for to in follow:
        later = page_at(to, archive)
        marks = changes(later).data["mark"].tolist()
        changed = [mark for mark in marks if mark != Mark.ODD.value]
        assert changed[-1] == Mark.APPEARS.value
        assert marks[: len(changed)] == changed  # odd runs stand below what changed
        assert changes(later).data["commit"].tolist()[len(changed) - 1] == _FUSED
        back = [link.to.key for link in links(later, "Through changes")]
        assert old in back


def test_where_a_call_is_gone_there_is_a_gap(archive: Archive) -> None:
    """Its series has a row for every run of the branch, without a time where it is not."""
    runs = archive.store.runs()
    (old,) = calls_with(archive, "safe_softmax", runs[0].id)
    page = shown(archive, "call", old, branch="main")
    data = chart(page).data

    assert data["run"].tolist() == [run.id for run in runs if run.facts.branch == "main"]
    assert data["time_ns"].notna().tolist() == [commit < _FUSED for commit in data["commit"]]
    gone = data[data["mark"] == Mark.GONE.value]
    assert gone["commit"].tolist() == ["c0006"]
    assert "17 newer runs" in str(page.sections)


def test_an_op_is_marked_where_its_own_code_changed(archive: Archive) -> None:
    """A change of fusion that contains the op is marked, another call's configuration is not."""
    data = changes(shown(archive, "op", "aten.tril", branch="main")).data
    code = data[data["mark"] != Mark.ODD.value]

    assert code["commit"].tolist() == [_FUSED]
    assert "fused otherwise" in code["causes"].iloc[0]
    other = changes(shown(archive, "op", "aten.clone", branch="main")).data
    assert _TUNED in other["commit"].tolist()
    assert _FUSED not in other["commit"].tolist()


def test_a_graph_is_marked_where_one_of_its_calls_changed(archive: Archive) -> None:
    """The forward graph bears what was planted in it, not what was planted in the backward."""
    data = changes(shown(archive, "graph", "0_forward", branch="main")).data
    marked = data[data["mark"] != Mark.ODD.value]["commit"].tolist()

    assert _FUSED in marked
    assert "c0021" not in marked  # one more call, of the backward
    backward = changes(shown(archive, "graph", "0_backward", branch="main")).data
    assert "c0021" in backward["commit"].tolist()


def test_a_configuration_is_a_change_of_the_call(archive: Archive) -> None:
    """The mark stands at the very run, and says from what to what."""
    newest = archive.store.id_of("main~0")
    (key,) = calls_with(archive, "to_copy_clone_transpose_view_35", newest)
    data = changes(shown(archive, "call", key, branch="main")).data
    row = data[data["commit"] == _TUNED].iloc[0]

    assert row["mark"] in (Mark.SLOWER.value, Mark.CODE.value)
    assert "configuration changed" in row["causes"]
    assert "XBLOCK=256 num_warps=4 → XBLOCK=1024 num_warps=8" in row["causes"]


def test_only_calls_have_a_known_spread(archive: Archive) -> None:
    """The band of a call is its median and 95th percentile; an op has none, and none is drawn."""
    row = archive.history("calls", {}).iloc[0]
    data = chart(shown(archive, "call", row["fingerprint"])).data
    of_run = data[data["run"] == row["run"]].iloc[0]

    assert (of_run["low_ns"], of_run["high_ns"]) == (row["p50_ns"], row["p95_ns"])
    op = chart(shown(archive, "op", "aten.mm"))
    assert op.data["low_ns"].isna().all()
    assert not any(trace.fill for trace in op.plot.data)


def test_items_lead_to_what_they_are_part_of_and_consist_of(archive: Archive) -> None:
    """From the graph to a call, to its op, and back to the call, by links alone."""
    graph = shown(archive, "graph", "0_forward", branch="main")
    table = next(
        section
        for section in graph.sections
        if isinstance(section, PageTable) and section.id == "calls"
    )
    to_call = table.rows[0].cells[1]
    assert isinstance(to_call, Link)
    call = page_at(to_call.to, archive)
    to_op = next(e.to for e in links(call, "newest run") if e.to.kind == "op")
    op = page_at(to_op, archive)
    back = next(
        section
        for section in op.sections
        if isinstance(section, PageTable) and section.id == "calls"
    )

    assert "0_forward" in [e.to.key for e in links(call, "newest run") if e.to.kind == "graph"]
    assert to_call.to in [row.cells[1].to for row in back.rows if isinstance(row.cells[1], Link)]
    assert to_op.branch == "main"


def test_a_line_that_moved_is_the_same_line(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Its text is its key; its calls are found wherever it stands now, and its time is whole."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    store = Store(tmp_path_factory.mktemp("lines") / "store")
    for at, recording in enumerate(history(6)):
        store.record(Simulated(content=with_line(recording.tables, 10 + at)), branch="main")
    archive = Archive(store, patience=None)
    archive.look()
    page = shown(archive, "line", line_key(FILE, 10, CODE))
    data = chart(page).data
    lines = archive.history("lines", {"file": FILE})

    assert len(data) == len(lines) == 6
    whole = (lines["time_ns"] + lines["backward_ns"]).to_numpy(dtype=float)
    np.testing.assert_allclose(data["time_ns"] * 20, whole)
    assert f"Stands in {FILE}:15." in str(page.sections)
    calls = next(
        section
        for section in page.sections
        if isinstance(section, PageTable) and section.id == "calls"
    )
    assert {str(row.cells[1].text) for row in calls.rows if isinstance(row.cells[1], Link)} == {
        "extern_kernels.addmm",
        "extern_kernels.bmm",
        "extern_kernels.mm",
    }


@pytest.mark.parametrize(
    "url",
    [
        "/item",
        "/item?kind=op",
        "/item?kind=nothing&key=x",
        "/item?kind=op&key=aten.no_such",
        "/item?kind=call&key=1&branch=nobody",
        "/item?kind=line&key=%09%23",
    ],
)
def test_what_is_not_there_is_said_with_a_way_on(url: str, archive: Archive) -> None:
    """A kind or key that nobody has is no error, and all items are one link away."""
    path, _, query = url.partition("?")
    (words,) = page_at(parse_address(path, query), archive).sections
    assert isinstance(words, Note)
    ways = [cell for cell in words.lines[0] if isinstance(cell, Link)]

    assert [way.to.page for way in ways] == ["items"]
    page_at(ways[0].to, archive)


def test_a_hostile_key_is_only_a_text(archive: Archive) -> None:
    """What stands in an address is looked for, and neither run nor drawn."""
    page = shown(archive, "op", HOSTILE)

    assert page.title == f"op {HOSTILE}"
    assert [type(section) for section in page.sections] == [Note]


_RUNS = pd.DataFrame(
    {
        "run": [f"r{at:02}" for at in range(12)],
        "created": "2026-01-01T00:00:00",
        "name": None,
        "branch": ["main"] * 8 + ["topic"] * 4,
        "commit": None,
        "gpu": "one",
        "series": "",
        "unit": "step",
        "time_ns": 1e6,
        "steps": 4,
    }
)


shares = st.none() | st.floats(0.001, 1.2)


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(1, 10**12), shares), max_size=30))
def test_the_share_of_the_limit_is_that_of_the_known_time(
    rows: list[tuple[int, int, float | None]],
) -> None:
    """A run's share is the mean of its known rows, weighted by time; without any it is missing."""
    frame = op_rows([(run, time) for run, time, _ in rows])
    frame["share_of_limit"] = pd.array([share for *_, share in rows], "Float64")
    of_limit = item_frame(_RUNS, frame, "op").set_index("run")["of_limit"]

    for run in range(12):
        measured = [(time, share) for at, time, share in rows if at == run and share is not None]
        if not measured:
            assert np.isnan(of_limit[f"r{run:02}"])
            continue
        mean = sum(time * share for time, share in measured) / sum(time for time, _ in measured)
        assert of_limit[f"r{run:02}"] == pytest.approx(mean)


def test_runs_that_know_their_limits_show_them(samples: Path, tmp_path: Path) -> None:
    """The page of a call, op or line has its share of the limit over the runs; others have none."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("ruptures", reason="ruptures is not installed")
    limits = Path(__file__).parents[1] / "speed" / "limits" / "any_device.toml"
    result = correlate(samples / "sim_mlp_train", options=Options(device_limits=limits))
    store = Store(tmp_path / "store")
    run = store.record(result, branch="main")
    store.record(result, branch="main")
    archive = Archive(store, patience=None)
    archive.look()
    share = dict(zip(run.ops["name"], run.ops["share_of_limit"], strict=True))["aten.mm"]
    of_limit = chart(shown(archive, "op", "aten.mm"), "of_limit")

    assert of_limit.data["of_limit"].tolist() == pytest.approx([share, share])
    assert not any(
        isinstance(section, Figure) and section.id == "of_limit"
        for section in shown(archive, "op", "aten._fused_adam_").sections
    )


def op_rows(times: list[tuple[int, int]]) -> pd.DataFrame:
    """Rows of ops: (run, time)."""
    return pd.DataFrame(
        {
            "run": [f"r{run:02}" for run, _ in times],
            "time_ns": np.array([time for _, time in times], np.int64),
            "launches": np.ones(len(times), np.int64),
        }
    )


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 10**12)), max_size=30))
def test_no_time_is_lost_between_rows_and_runs(times: list[tuple[int, int]]) -> None:
    """Times per step, taken by steps, add up to the rows; a run without rows has none at all."""
    frame = item_frame(_RUNS, op_rows(times), "op")

    assert frame["run"].tolist() == _RUNS["run"].tolist()
    assert (frame["time_ns"] * 4).sum() == pytest.approx(sum(time for _, time in times))
    assert set(frame["run"][frame["time_ns"].notna()]) == {f"r{run:02}" for run, _ in times}
    assert frame["share"].isna().tolist() == frame["time_ns"].isna().tolist()


@given(st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)))
def test_marks_stand_on_runs_that_have_it(having: set[int], changed: set[int]) -> None:
    """Marks of appearing and going alternate, and every mark stands on a run with a time."""
    runs = [f"r{at:02}" for at in sorted(changed)]
    structures = structures_of_changes(_RUNS, runs)
    rows = op_rows([(at, 1_000) for at in having])
    lines = item_series(_RUNS, rows, "op", structures)

    assert len(lines) == len({at >= 8 for at in having})
    for line in lines:
        has = line.frame["time_ns"].notna().tolist()
        moves = [m for m in line.marks if m.mark in (Mark.APPEARS, Mark.GONE)]
        assert len(moves) == sum(a != b for a, b in itertools.pairwise(has))
        assert all(has[mark.at] for mark in line.marks)
        assert all(mark.before < mark.after for mark in line.marks)
        assert [mark.run for mark in line.marks] == [
            line.frame["run"].iloc[mark.at] for mark in line.marks
        ]


@given(st.sets(st.integers(0, 11)))
def test_a_number_of_structure_changes_with_its_changes_only(changed: set[int]) -> None:
    """Within a branch two neighbors differ exactly where the later one is a change."""
    structure_of = structures_of_changes(_RUNS, [f"r{at:02}" for at in changed])

    for at in (*range(1, 8), *range(9, 12)):
        assert (structure_of[f"r{at:02}"] != structure_of[f"r{at - 1:02}"]) == (at in changed)


def test_several_rows_of_a_run_have_no_spread() -> None:
    """Percentiles of two calls do not add up, so nothing is said."""
    row = {"time_ns": 10, "launches": 1, "mean_ns": 10, "p50_ns": 9, "p95_ns": 12}
    rows = pd.DataFrame([{"run": "r00", **row}, {"run": "r01", **row}, {"run": "r01", **row}])
    frame = item_frame(_RUNS, rows, "call")

    assert frame["time_ns"].tolist()[:2] == [2.5, 5.0]
    assert frame["low_ns"].tolist()[:1] == [2.25]
    assert frame["high_ns"].tolist()[:1] == [3.0]
    assert frame[["low_ns", "high_ns"]].iloc[1:].isna().all().all()


def test_an_address_with_a_graph_is_the_same_page(archive: Archive) -> None:
    """A graph chosen on another page does not change whose time this is."""
    asked = Address(page="item", kind="op", key="aten.mm")
    one, other = (page_at(where, archive) for where in (asked, replace(asked, graph="0_forward")))

    pd.testing.assert_frame_equal(chart(one).data, chart(other).data)
