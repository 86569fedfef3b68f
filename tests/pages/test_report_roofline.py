"""The roofline in the report: a point per call, headroom beside time, a note without limits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import kernelmap
from kernelmap.options import Options
from kernelmap.pages.report import Content, overview
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.roofline import data_of_roofline
from kernelmap.pages.report.shared import call_columns

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ANY_DEVICE = Path(__file__).parents[1] / "speed" / "limits" / "any_device.toml"
CHART = "#roofline-view .js-plotly-plot .point"


@cache
def correlated(sample: Path, limits: Path | None) -> kernelmap.Correlation:
    return kernelmap.correlate(sample, options=Options(device_limits=limits))


def content(samples: Path, limits: Path | None = ANY_DEVICE) -> Content:
    result = correlated(samples / "sim_mlp_train", limits)
    return Content(tables=result.tables, records=result)


@pytest.fixture(scope="module")
def report(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = correlated(samples / "sim_mlp_train", ANY_DEVICE)
    return result.to_html(tmp_path_factory.mktemp("report") / "report.html")


def drawn(of: Content) -> Any:  # noqa: ANN401 -- JSON
    return json.loads(json.dumps(data_of_roofline(of, PackedTexts())))


def test_the_view_has_limits_sums_and_reasons(samples: Path) -> None:
    """Its reasons name calls of the shared table; what is not known has its reason."""
    given = content(samples)
    view, calls = drawn(given), call_columns(given)
    with_bytes = [call for call, size in zip(calls["call"], calls["bytes"], strict=True) if size]

    assert view["roofs"]["bandwidth"] == 10**12
    assert [peak["dtypes"] for peak in view["roofs"]["peaks"]] == ["bfloat16", "float32"]
    assert "headroom" in view["total"]
    assert {call for reason in view["reasons"] for call in reason["calls"]} <= set(with_bytes)
    assert set(view["unknown"]) <= set(calls["call"])
    assert set(view["unknown"]).isdisjoint(
        call
        for call, headroom in zip(calls["call"], calls["headroom_ns"], strict=True)
        if headroom is not None
    )


def test_an_unknown_device_has_no_roofs_but_a_next_step(samples: Path) -> None:
    """Nothing is drawn for it; the note says how limits are stated."""
    view = drawn(content(samples, limits=None))

    assert view["roofs"] is None
    assert any("--device-limits" in notice["hint"] for notice in view["notices"])


def test_a_saved_result_without_work_has_no_view(samples: Path, tmp_path: Path) -> None:
    """Where no table says what calls move there is nothing to show; where one does, its rates."""
    options = Options(work=False)
    bare = kernelmap.correlate(samples / "sim_mlp_train", options=options)
    saved = [
        kernelmap.load(result.to_json(tmp_path / f"{number}.json"))
        for number, result in enumerate((bare, content(samples).records))
        if isinstance(result, kernelmap.Correlation)
    ]

    assert data_of_roofline(Content(tables=saved[0].tables), PackedTexts()) is None
    assert drawn(Content(tables=saved[1].tables))["roofs"] is None


@pytest.fixture(scope="module", params=[1440, 390])
def page(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": request.param, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{report.as_uri()}#roofline")
    yield page
    assert not said
    page.close()


@pytest.mark.browser
def test_a_point_leads_to_its_call(page: Page, samples: Path) -> None:
    """A point for each call with bytes and operations; the page is no wider than the window."""
    calls = correlated(samples / "sim_mlp_train", ANY_DEVICE).calls
    page.goto(page.url.partition("#")[0] + "#roofline")
    page.wait_for_selector(CHART, timeout=60_000)
    assert page.locator(CHART).count() == int(((calls["bytes"] > 0) & (calls["flops"] > 0)).sum())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    plot = "document.querySelector('#roofline-view .js-plotly-plot')"
    page.evaluate(
        f"{plot}.emit('plotly_click', {{points: [{plot}.data.at(-1)].map((trace) => "
        "({customdata: trace.customdata[0]}))})"
    )
    page.wait_for_selector("#provenance-view[data-ready]", timeout=60_000)
    assert "call=" in page.evaluate("location.hash")


@pytest.mark.browser
def test_headroom_stands_beside_time(page: Page) -> None:
    """Bars of lines, ops and calls, and the times in the code, have a part that could be won."""
    page.goto(page.url.partition("#")[0] + "#overview")
    page.wait_for_selector("#overview-view[data-ready]", timeout=60_000)
    assert page.locator("#overview-view .track b").count() > 0
    page.goto(page.url.partition("#")[0] + "#provenance")
    page.wait_for_selector("#provenance-view .ns .won", state="attached", timeout=60_000)


@pytest.mark.browser
def test_an_unknown_device_has_a_note_for_a_chart(
    browser: Browser, report_of: Callable[[str], Path]
) -> None:
    """Rates stand in the table, and the next step above it."""
    page = browser.new_page()
    page.goto(f"{report_of('sim_mlp_train').as_uri()}#roofline")
    page.wait_for_selector("#roofline-view[data-ready]", timeout=60_000)

    assert page.locator(CHART).count() == 0
    assert "--device-limits" in page.inner_text("#roofline-view .note")
    assert "GB/s" in page.inner_text("#roofline-view table")
    page.close()


def test_the_view_says_what_of_headroom_steps_wait_for(samples: Path) -> None:
    """It is a part of the headroom of each call, as `roofline()` has it; none without wall time."""
    given = content(samples)
    assert isinstance(given.records, kernelmap.Correlation)
    columns = call_columns(given)
    headroom = dict(zip(columns["call"], columns["headroom_ns"], strict=True))
    table = given.records.roofline().calls.dropna(subset=["step_headroom_ns"])
    options = Options(device_limits=ANY_DEVICE, wall=False)
    bare = kernelmap.correlate(samples / "sim_mlp_train", options=options)

    shown = drawn(given)["step_headroom_ns"]
    assert shown
    assert shown == dict(zip(table["call"], table["step_headroom_ns"], strict=True))
    assert all(0 <= part_ns <= headroom[call] for call, part_ns in shown.items())
    assert bare.step_headroom_ns == {}


def test_headroom_in_the_shadow_of_the_host_is_no_faint_end(samples: Path) -> None:
    """Bars of the overview have what could shorten the steps: 0 ns of 1.19 ms in the demo."""
    given = Content(
        tables=(result := kernelmap.correlate(samples / "cuda_language_train")).tables,
        records=result,
    )
    shown = overview.data_of_overview(given, PackedTexts())
    assert isinstance(shown, dict)

    assert shown["knows_steps"]
    assert any(row["headroom_ns"] for row in shown["lines"])
    for rows in (shown["lines"], shown["ops"]):
        parts = [row["step_headroom_ns"] for row in rows if row["headroom_ns"] is not None]
        assert parts
        assert set(parts) == {0}
    assert set(shown["calls_step_headroom_ns"]) == {None, 0}
    assert drawn(given)["of_steps"] == "Of the headroom 0 ns could shorten the steps, at most"
