"""The page of a fleet as one file: a rank leads to what is known of it, and to its report."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

from fleet_runs import CODE, ROOT
from kernelmap.cli import main as kernelmap

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_RANKS, _SLOW, _MEDIAN, _OTHER = 8, (2, 5, 6), 4, 7


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


def _page(kept: Path, target: Path, *more: str) -> str:
    code = [word for path in CODE for word in ("--code", path)]
    given = ["fleet", str(ROOT / "sample_traces" / "sim_fleet"), *code, "--workers", "0"]
    ended = CliRunner().invoke(kernelmap, [*given, "--keep", str(kept), "-o", str(target), *more])
    assert ended.exit_code == 0, ended.output
    return target.read_text(encoding="utf-8").partition("</main>")[0]  # Plotly follows


def _led_to(page: str) -> set[str]:
    return set(re.findall(r'href="([^"]+)"', page))


def test_ranks_lead_to_their_parts_of_the_page(kept: Path, tmp_path: Path) -> None:
    """Each slow rank and the median one has a part with its facts, causes and calls; no other."""
    page = _page(kept, tmp_path / "fleet.html")

    parts = {f"#rank-{rank}" for rank in (*_SLOW, _MEDIAN)}
    assert _led_to(page) == {*parts, "#slow"}
    ids = re.findall(r'<section class="card" id="([^"]+)"', page)
    assert {href.removeprefix("#") for href in _led_to(page)} <= set(ids)
    assert len(ids) == len(set(ids))
    assert "Rank 6 by call" in page
    assert f"Rank {_OTHER}" not in page
    assert not (tmp_path / "fleet_ranks").exists()


def _figure(page: str, name: str) -> dict[str, Any]:
    match = re.search(rf'id="figure-{name}">(.*?)</script>', page)
    assert match is not None
    figure: dict[str, Any] = json.loads(match[1])
    return figure


def test_calls_stand_over_ranks(kept: Path, tmp_path: Path) -> None:
    """Each of the calls that differ most has a dot per rank, and slow ranks are red dots."""
    page = _page(kept, tmp_path / "fleet.html")

    figure = _figure(page, "calls")
    assert figure["layout"]["yaxis"]["ticktext"][0] == "0_forward/2"
    box, slow = figure["data"][:2]
    median = float(np.median(box["x"]))
    assert median == pytest.approx(0, abs=1e-9)
    assert len(box["x"]) == _RANKS
    assert [text.partition(":")[0] for text in slow["hovertext"]] == [f"rank {r}" for r in _SLOW]
    led = {href for trace in figure["data"] for href in trace["customdata"] if href}
    assert led == {f"#rank-{rank}" for rank in (*_SLOW, _MEDIAN)}


@pytest.mark.thorough
@pytest.mark.browser
@pytest.mark.parametrize(("name", "at"), [("steps", (0.5, 0.3)), ("by_op", (0.3, 0.5))])
def test_a_cell_of_a_heat_map_leads_to_its_rank(
    kept: Path, tmp_path: Path, browser: Browser, name: str, at: tuple[float, float]
) -> None:
    """A click on a cell of rank 2 goes to the part of that rank; nothing is asked of a network."""
    target = tmp_path / "fleet.html"
    _page(kept, target)
    shown = browser.new_page()
    said: list[str] = []
    shown.on("console", lambda message: said.append(message.text))
    shown.goto(target.as_uri())
    plot = shown.locator(f"[data-figure=figure-{name}] .nsewdrag").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    place = (box["x"] + at[0] * box["width"], box["y"] + at[1] * box["height"])
    shown.mouse.move(*place)
    shown.wait_for_selector(".hoverlayer .hovertext")
    shown.mouse.click(*place)
    shown.wait_for_url("**#rank-2")
    shown.close()

    assert said == []


def test_reports_of_ranks_lie_beside_the_page(kept: Path, tmp_path: Path) -> None:
    """With --reports each of these ranks leads to a report of its own, which is there."""
    page = _page(kept, tmp_path / "my fleet.html", "--reports")

    reports = {href for href in _led_to(page) if not href.startswith("#")}
    assert reports == {f"my%20fleet_ranks/rank_{rank}.html" for rank in (*_SLOW, _MEDIAN)}
    for rank in (*_SLOW, _MEDIAN):
        report = (tmp_path / "my fleet_ranks" / f"rank_{rank}.html").read_text(encoding="utf-8")
        assert f"rank {rank}" in report


def test_reports_need_a_page(tmp_path: Path) -> None:
    """--reports without -o FILE.html is wrong usage, said before anything is read."""
    given = ["fleet", str(tmp_path), "--reports"]
    for more in ([], ["-o", str(tmp_path / "fleet.json")]):
        ended = CliRunner().invoke(kernelmap, [*given, *more])
        assert ended.exit_code == 2
        assert "-o FILE.html" in ended.output
