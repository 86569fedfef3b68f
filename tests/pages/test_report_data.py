"""What the report carries, read without a browser: one text, nothing lost, nothing to execute."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from kernelmap.pages.charts.template import LEDGER_COLORS
from kernelmap.pages.report import Content, render_report
from kernelmap.pages.report.packed import PackedTexts, pack_numbers, pack_signed
from kernelmap.pages.report.page import VIEWS
from kernelmap.pages.report.timeline import LaneBars, thin_bars
from pages import packed_page
from pages.hand_tables import make_tables
from pages.report_world import HOSTILE, content, hostile, small

SAVED = Content(tables=make_tables())


def test_the_same_content_gives_the_same_page() -> None:
    """The report has no random id and no time of day."""
    assert render_report(content(small())) == render_report(content(small()))


def test_many_inputs_are_named_in_part() -> None:
    """A run of a hundred graphs needs no hundred names in its title."""
    names = tuple(f"code_{number}.py" for number in range(100))
    tables = replace(SAVED.tables, summary=replace(SAVED.tables.summary, sources=names))
    title = re.search("<title>(.*?)</title>", render_report(Content(tables=tables)))

    assert title is not None
    assert title[1] == "code_0.py · code_1.py · code_2.py · code_3.py · 96 more · kernelmap"


def test_the_policy_allows_two_scripts_by_hash_and_nothing_else() -> None:
    """Nothing may be loaded; what runs is ours or Plotly's, and Plotly only waits there as text."""
    page = render_report(content(hostile()))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    ours = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    waiting = re.findall(r'<script id="plotly" type="text/plain">(.*?)</script>', page, re.DOTALL)

    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy[1]).split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": f"{_hash(ours[0])} {_hash(waiting[0])}",
        "style-src": "'unsafe-inline'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    rest = page.replace(ours[0], "").replace(waiting[0], "")
    assert (len(ours), rest.count("<script"), rest.count("<style")) == (1, 3, 1)
    assert not re.search(r"\son\w+=|\sstyle=|=.javascript:|\ssrc=", rest)


def test_the_data_stays_inside_its_element() -> None:
    """No name can end the element that carries the data; reading it gives the names back."""
    page = render_report(content(hostile()))
    data = re.search(r'<script id="data"[^>]*>(.*?)</script>', page, re.DOTALL)

    assert data is not None
    assert not re.search("[<>&]", data[1])
    assert set(HOSTILE.values()) <= set(packed_page.data_of(page)["calls"]["wrapper"])


def test_an_engines_steps_stand_in_the_overview_and_others_do_not() -> None:
    """Kinds of steps with their steady state where an engine marked some; else nothing."""
    told = packed_page.data_of(render_report(SAVED))["views"]["overview"]["step_kinds"]
    shown = [(row["kind"], row["busy"], row["mfu"], row["is_steady"]) for row in told["rows"]]

    assert shown == [
        ("decode", "75.0 %", "at least 4.2 %", True),
        ("prefill", "", "", False),
        ("(in no step)", "", "", False),
    ]
    assert told["steady"].startswith("steps 3 to 5: 3 steps of decode, batch 32.")
    plain = packed_page.data_of(render_report(content(small())))["views"]["overview"]
    assert plain["step_kinds"] is None


def test_confidences_have_one_color_everywhere() -> None:
    """The page's styles and the figures of the Python API name the same colors."""
    style = re.search("<style>(.*?)</style>", render_report(SAVED), re.DOTALL)

    assert style is not None
    assert {name: _color(style[1], name) for name in LEDGER_COLORS} == LEDGER_COLORS


def test_a_saved_result_leaves_out_what_it_cannot_show() -> None:
    """Without records there is no timeline and there are no panes; the page says why."""
    data = packed_page.data_of(render_report(SAVED))

    assert set(data["views"]) == {view.name for view in VIEWS if view.without is None}
    assert set(data["without"]) == {"timeline", "provenance", "roofline", "memory"}
    assert all("saved result" in sentence for sentence in data["without"].values())
    assert data["views"]["ops"]["tree"] is None


@pytest.mark.sampled
@pytest.mark.parametrize("sample", ["sim_mlp_train", "cpu_mlp_train", "cpu_dynamic_recompile"])
def test_every_view_adds_up_to_the_window(samples: Path, sample: str) -> None:
    """Ledger, ops, kernels, graphs, leaves and bars: each has all the time, to the nanosecond."""
    run = kernelmap.correlate(samples / sample)
    data = packed_page.data_of(render_report(Content(tables=run.tables, records=run)))
    views, total = data["views"], run.tables.summary.total_ns

    assert sum(row["time_ns"] for row in views["overview"]["ledger"]) == total
    for rows in (views["ops"]["ops"], views["ops"]["modules"], views["kernels"]["rows"]):
        assert sum(row["time_ns"] for row in rows) == total
    assert sum(row["time_ns"] for row in views["graphs"]["rows"]) == total
    assert sum(data["calls"]["time_ns"]) == total
    assert packed_page.numbers(views["ops"]["tree"]["time_ns"]).sum() == total
    usual = np.array(views["timeline"]["keys"]["usual"])
    lanes = views["timeline"]["lanes"]
    durations = [
        packed_page.signed(lane["dur"]) + usual[packed_page.numbers(lane["key"])] for lane in lanes
    ]
    assert sum(int(duration.sum()) for duration in durations) == total
    graphs = {row["graph"]: row["time_ns"] for row in views["graphs"]["rows"]}
    runs = packed_page.numbers(views["graphs"]["runs"]["time_ns"])
    for graph, (start, stop) in views["graphs"]["runs"]["of"].items():
        assert runs[start:stop].sum() == graphs[graph]


def test_a_kernel_is_used_by_the_calls_that_ran_it(samples: Path) -> None:
    """Calls of a wrapper stand at the device kernels that they ran; no address stands twice."""
    run = kernelmap.correlate(samples / "sim_mlp_train")
    data = packed_page.data_of(render_report(Content(tables=run.tables, records=run)))
    rows = data["views"]["kernels"]["rows"]
    of_name = run.launches.dropna(subset=["call"]).groupby(["wrapper", "name"])["call"].unique()

    for row in (row for row in rows if row["wrapper"] is not None):
        ran = set(of_name[row["wrapper"], row["device_name"]])
        used_by = [data["calls"]["call"][at] for at in row["used_by"]]
        assert len(used_by) == row["calls"]
        assert set(used_by) == {call for call in ran if call.startswith(f"{row['graph']}/")}
    addresses = [tuple(sorted(row["address"].items())) for row in rows]
    assert len(set(addresses)) == len(addresses)


def test_leaves_of_a_line_and_of_a_module_add_up_to_their_row(samples: Path) -> None:
    """The treemap says of lines and modules what their tables say."""
    run = kernelmap.correlate(samples / "cpu_mlp_train")
    tree = packed_page.data_of(render_report(Content(tables=run.tables, records=run)))["views"][
        "ops"
    ]["tree"]
    times = packed_page.numbers(tree["time_ns"]).tolist()
    sums_of_kind = {kind: Counter[str]() for kind in ("module", "line")}
    for kind, sums in sums_of_kind.items():
        for number, time_ns in zip(packed_page.numbers(tree[kind]).tolist(), times, strict=True):
            sums[tree["names"][number]] += time_ns

    of_modules = {row.name: row.time_ns for row in run.attribution.modules if row.time_ns}
    assert sums_of_kind["module"] == of_modules
    assert sums_of_kind["line"] == {
        f"{row.file}:{row.line}" if row.line else row.file: row.time_ns + row.backward_ns
        for row in run.attribution.lines
    }


def test_a_launch_can_be_found_again_in_its_lane() -> None:
    """Gaps, durations and steps of numbers give back start, duration and number of each launch."""
    run = small()
    view = packed_page.data_of(render_report(content(run)))["views"]["timeline"]
    (lane,) = view["lanes"]
    key = packed_page.numbers(lane["key"])
    dur = packed_page.signed(lane["dur"]) + np.array(view["keys"]["usual"])[key]
    start = np.cumsum(packed_page.signed(lane["gap"]) + np.concatenate(([0], dur[:-1])))
    launch = np.cumsum(packed_page.signed(lane["launch"]))
    table = run.tables.frame("launches").set_index("launch").loc[launch]

    assert start.tolist() == table["start_ns"].tolist()
    assert dur.tolist() == table["dur_ns"].tolist()
    names = [view["keys"]["names"][view["keys"]["name"][position]] for position in key]
    assert names == table["name"].tolist()


@given(st.lists(st.integers(0, 2**53 - 1)))
def test_numbers_survive_packing(values: list[int]) -> None:
    """Every whole number that a double holds exactly comes back."""
    assert packed_page.numbers(pack_numbers(np.array(values, np.int64))).tolist() == values


@given(st.lists(st.integers(-(2**52), 2**52 - 1)))
def test_numbers_of_either_sign_survive_packing(values: list[int]) -> None:
    """Folded to one side and back."""
    assert packed_page.signed(pack_signed(np.array(values, np.int64))).tolist() == values


def test_a_long_text_is_kept_once() -> None:
    """The code that several views show stands in the page once."""
    texts = PackedTexts()

    assert [texts.put_text("a"), texts.put_text("b"), texts.put_text("a")] == [0, 1, 0]
    assert packed_page.unpacked(texts.pack_all()) == ["a", "b"]


@st.composite
def bars(draw: st.DrawFn) -> LaneBars:
    """Launches on up to three lanes, in no order."""
    count = draw(st.integers(1, 60))

    def column(most: int, least: int = 0) -> list[int]:
        return draw(st.lists(st.integers(least, most), min_size=count, max_size=count))

    dur = np.array(column(500), np.int64)
    return LaneBars(
        lane=np.array(column(2), np.int64),
        start_ns=np.array(column(10_000), np.int64),
        dur_ns=dur,
        busy_ns=dur,
        count=np.ones(count, np.int64),
        key=np.array(column(4), np.int64),
        launch=np.arange(count, dtype=np.int64),
        invocation=np.array(column(9, -1), np.int64),
    )


@given(bars(), st.integers(1, 70))
def test_thinning_loses_no_time_and_no_launch(given_bars: LaneBars, most: int) -> None:
    """Fewer bars, in order; per lane the same launches and the same time, within its stretch."""
    fewer = thin_bars(given_bars, most)

    assert len(fewer.lane) <= max(most, 1) + 3
    assert (
        fewer.launch.tolist()
        == fewer.take_rows(np.lexsort((fewer.launch, fewer.start_ns, fewer.lane))).launch.tolist()
    )
    for lane in range(3):
        before, after = given_bars.lane == lane, fewer.lane == lane
        assert fewer.count[after].sum() == before.sum()
        assert fewer.busy_ns[after].sum() == given_bars.busy_ns[before].sum()
        if before.any():
            ends = given_bars.start_ns[before] + given_bars.dur_ns[before]
            assert fewer.start_ns[after].min() == given_bars.start_ns[before].min()
            assert (fewer.start_ns + fewer.dur_ns)[after].max() == ends.max()


def test_the_longest_stay_themselves() -> None:
    """Of two hundred launches in twenty bars, the ten longest are still bars of their own."""
    dur = np.arange(1, 201, dtype=np.int64)
    start = np.arange(200, dtype=np.int64) * 1000
    zero = np.zeros(200, np.int64)
    one = LaneBars(
        lane=zero,
        start_ns=start,
        dur_ns=dur,
        busy_ns=dur,
        count=zero + 1,
        key=zero,
        launch=np.arange(200),
        invocation=zero,
    )
    fewer = thin_bars(one, 20)

    assert fewer.launch[fewer.count == 1].tolist() == list(range(190, 200))
    assert len(fewer.lane) == 20


def _color(style: str, name: str) -> str | None:
    match = re.search(rf"--{name}: (#\w+);", style)
    return match[1] if match else None


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
