"""The page of a fleet as one file: a rank leads to what is known of it, and to its report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from fleet_runs import CODE, ROOT
from kernelmap.cli import main as kernelmap

_SLOW, _MEDIAN, _OTHER = (2, 5, 6), 4, 7


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


def _page(kept: Path, target: Path, *more: str) -> str:
    code = [word for each in CODE for word in ("--code", each)]
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
