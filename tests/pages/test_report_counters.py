"""The curves under the report's timeline: what was sampled of the GPU, with its unit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelmap
from examples import examples
from kernelmap.model.trace import CounterSamples
from kernelmap.options import Options
from kernelmap.pages.report import Content, render_report
from kernelmap.pages.report import counters as curves
from kernelmap.pages.report.counters import curves_of_counters
from kernelmap.pages.write import write_tables
from kernelmap.traces.assemble import assemble_trace
from pages import packed_page
from pages.browsing import visiting, write
from pages.report_world import content, correlation
from simulated_clock import simulated_clock
from trace_rows import CounterRow, LaunchRow, TraceRow, raw_trace

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def points(curve: dict[str, object]) -> list[tuple[int, float]]:
    """Time and value of each sample, as the page reads them."""
    read = json.loads(json.dumps(curve))
    step = (read["high"] - read["low"]) / read["levels"]
    times = np.cumsum(packed_page.signed(read["gap"])).tolist()
    values = (read["low"] + packed_page.numbers(read["level"]) * step).tolist()
    return list(zip(times, values, strict=True))


def test_each_counter_of_each_device_is_a_curve() -> None:
    """With its unit; times count from the first event, like those of the bars."""
    trace = assemble_trace(
        raw_trace(
            [
                LaunchRow("k", 1000, 2000),
                CounterRow("Power", 1500, 400.0, unit="W"),
                CounterRow("Power", 1200, 300.0, unit="W"),
                CounterRow("Power", 1300, 100.0, unit="W", device=1),
                CounterRow("HBM BW", 1100, 50.0, unit="%"),
            ]
        )
    )
    shown = curves_of_counters(trace)

    assert [(it["title"], it["unit"], it["held"]) for it in shown] == [
        ("GPU 0 · Power", "W", False),
        ("GPU 0 · HBM BW", "%", True),
        ("GPU 1 · Power", "W", False),
    ]
    assert points(shown[0]) == [(200, 300.0), (500, 400.0)]
    assert points(shown[1]) == [(100, 50.0)]


def test_curves_of_several_files_say_whose_they_are() -> None:
    """GPU 0 of one rank is another one than that of the next."""
    ranks = [
        raw_trace([LaunchRow("k", 0, 9), CounterRow("Power", 3, 5.0)], source=f"r{n}", rank=n)
        for n in range(2)
    ]

    assert [it["title"] for it in curves_of_counters(assemble_trace(*ranks))] == [
        "rank 0 · GPU 0 · Power",
        "rank 1 · GPU 0 · Power",
    ]


@settings(max_examples=examples(30))
@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(-1e308, 1e308)), min_size=1, max_size=80),
    st.integers(2, 20),
)
def test_many_samples_keep_their_extremes(samples: list[tuple[int, float]], most: int) -> None:
    """However few points a page holds, the highest and the lowest value are among them."""
    rows = [CounterRow("Power", at, value) for at, value in samples]
    trace = assemble_trace(raw_trace([LaunchRow("k", 0, 1), *rows]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curves, "MOST", most)
        (curve,) = curves_of_counters(trace)
    values = [value for _, value in samples]
    count = len(packed_page.numbers(json.loads(json.dumps(curve["level"]))))

    assert (curve["low"], curve["high"]) == (min(values), max(values))
    assert count <= max(most, 1) if len(samples) > most else count == len(samples)


@pytest.fixture(scope="module")
def sampled(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> kernelmap.Correlation:
    folder = tmp_path_factory.mktemp("sampled") / "simulated"
    return kernelmap.correlate(
        simulated_clock(samples / "cuda_mlp_train", folder, clock=1980, every_us=50)
    )


def test_the_report_carries_the_curves(sampled: kernelmap.Correlation) -> None:
    """Clock and power of a simulated recording stand in its timeline."""
    page = render_report(Content(tables=sampled.tables, records=sampled))
    view = packed_page.data_of(page)["views"]["timeline"]

    assert [(it["title"], it["unit"]) for it in view["counters"]] == [
        ("GPU 0 · SM Clock", "MHz"),
        ("GPU 0 · Power", "W"),
    ]
    clock = view["counters"][0]
    assert (clock["low"], clock["high"]) == (1980, 1980)


def test_an_annotated_trace_keeps_its_samples(
    sampled: kernelmap.Correlation, tmp_path: Path
) -> None:
    """Counter events are left as they are, and what is read of them is the same."""
    written = tmp_path / "annotated.json"
    sampled.annotate(written)
    again = kernelmap.correlate(written).trace.counters
    first = sampled.trace.counters

    assert isinstance(first, CounterSamples)
    assert isinstance(again, CounterSamples)
    assert (again.names, again.units) == (first.names, first.units)
    for column in ("device", "name_id", "time_ns", "value"):
        assert np.array_equal(getattr(again, column), getattr(first, column)), column


def test_tables_of_a_saved_result_keep_what_was_sampled(
    sampled: kernelmap.Correlation, tmp_path: Path
) -> None:
    """JSON holds the columns; a result of before, without them, is read with nulls."""
    path = tmp_path / "r.json"
    write_tables(sampled.tables, path)
    document = json.loads(path.read_text())
    fresh = sampled.tables.frame("calls")["sm_mhz"].dropna().tolist()
    kept = kernelmap.load(path).tables.frame("calls")["sm_mhz"].dropna().tolist()
    for table in ("calls", "ops", "lines"):
        for row in document[table]:
            for name in [*row]:
                if name.endswith(("_samples", "_mhz", "_percent", "_c")) or name in (
                    "watts",
                    "joules",
                ):
                    del row[name]
    older = tmp_path / "older.json"
    older.write_text(json.dumps(document))

    assert kept == fresh
    assert set(kept) == {1980.0}
    assert kernelmap.load(older).tables.frame("calls")["sm_mhz"].isna().all()


def test_a_window_counts_its_own_samples(sampled: kernelmap.Correlation) -> None:
    """With --steps only launches of these steps have samples."""
    every = sum(row.gauges.clock_samples or 0 for row in sampled.attribution.calls if row.gauges)
    steps = sampled.tables.summary.steps
    assert steps is not None
    folder = next(path for path in sampled.files if path.name == "trace.json.gz").parents[1]
    one = kernelmap.correlate(folder, options=Options(steps=(steps[0], steps[0])))
    own = sum(row.gauges.clock_samples or 0 for row in one.attribution.calls if row.gauges)

    assert 0 < own < every


def test_the_timeline_draws_the_curves(browser: Browser, tmp_path: Path) -> None:
    """Below the lanes there is a row for each, and nothing goes wrong; a hostile name is text."""
    name = "<img src=x onerror=alert(1)>"
    rows: list[TraceRow] = [
        LaunchRow("k", 0, 1000),
        *(CounterRow("SM Clock", at, 1900.0 + at % 90, unit="MHz") for at in range(0, 1000, 10)),
        CounterRow(name, 500, 1.0, unit="W"),
    ]
    plain, sampled = (correlation(assemble_trace(raw_trace(each))) for each in (rows[:1], rows))
    heights = []
    for at, shown in enumerate((plain, sampled)):
        path = write(content(shown), tmp_path / f"{at}.html")
        with visiting(browser, path, "#timeline") as visit:
            canvas = visit.page.locator("#timeline-view canvas")
            box = canvas.bounding_box()
            assert box is not None
            visit.page.mouse.move(box["x"] + 300, box["y"] + 150)
            visit.settle()
            heights.append(box["height"])
            label = canvas.get_attribute("aria-label")

    assert heights[1] - heights[0] == 2 * 44
    assert label == f"Launches per stream; sampled: GPU 0 · SM Clock, GPU 0 · {name}"


def test_of_very_many_counters_the_first_are_drawn() -> None:
    """A page stays small, and knows how many counters there are."""
    rows = [CounterRow(f"m{at}", at, 1.0) for at in range(curves.MOST_CURVES + 7)]
    trace = assemble_trace(raw_trace([LaunchRow("k", 0, 1), *rows]))

    assert len(curves_of_counters(trace)) == curves.MOST_CURVES
    assert curves.count_of_curves(trace) == curves.MOST_CURVES + 7
