"""Figures of lines, calls, modules and graphs, and the treemap."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import kernelmap
from kernelmap.pages.charts.figures import FIGURES, draw_bars, draw_figure
from kernelmap.pages.text import unit_of
from pages.hand_tables import make_tables, table

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
NAMES = ("ops", "lines", "calls", "modules", "kernels", "graphs", "treemap", "ledger")


@pytest.fixture(scope="module", params=["sim_gpt_train", "cpu_graph_breaks"])
def correlation(request: pytest.FixtureRequest) -> kernelmap.Correlation:
    return kernelmap.correlate(SAMPLES / request.param)


def drawn(name: str, of: kernelmap.Correlation) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(of.figure(name).to_json())
    return content


def test_every_table_has_a_figure() -> None:
    """These names are offered, in this order, and the error of an unknown one lists them."""
    assert tuple(FIGURES) == NAMES


@pytest.mark.parametrize("name", ["lines", "calls", "modules", "graphs"])
def test_bars_are_the_rows_with_the_most_time(
    name: str, correlation: kernelmap.Correlation
) -> None:
    """Longest first, at most twenty; where they are all rows, they add up to the window."""
    lengths = draw_bars(name, correlation.tables.frame(name)).data[0].x
    scale, _ = unit_of(correlation.tables.frame(name)["time_ns"].max())

    assert list(lengths) == sorted(lengths, reverse=True)
    assert len(lengths) == min(20, len(correlation.tables.frame(name)))
    if len(correlation.tables.frame(name)) <= len(lengths):
        assert sum(lengths) * scale == pytest.approx(correlation.summary.total_ns)


def test_rectangles_of_the_treemap_add_up(correlation: kernelmap.Correlation) -> None:
    """What lies in a rectangle adds up to it, and the outermost one is the window, to the ns."""
    (tree,) = drawn("treemap", correlation)["data"]
    inside: dict[str, int] = defaultdict(int)
    for parent, value in zip(tree["parents"], tree["values"], strict=True):
        inside[parent] += value
    whole = dict(zip(tree["ids"], tree["values"], strict=True))

    assert inside.pop("") == correlation.summary.total_ns
    assert inside
    assert all(whole[parent] == value for parent, value in inside.items())


def test_a_saved_result_has_all_figures(correlation: kernelmap.Correlation, tmp_path: Path) -> None:
    """Without its records the treemap is by graph and call; its sum is the window all the same."""
    saved = kernelmap.load(correlation.to_json(tmp_path / "saved.json", launches=True))

    for name in NAMES:
        assert saved.figure(name).data
    assert saved.figure("treemap").data[0].values[0] == correlation.summary.total_ns


@pytest.mark.parametrize("name", ["lines", "calls", "modules", "graphs"])
def test_empty_tables_draw_nothing(name: str) -> None:
    """No row, no bar, no error."""
    assert len(draw_bars(name, table(name, [])).data[0].x) == 0


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_holds_markup_of_the_input(name: str) -> None:
    """Names of hand-made hostile tables are text in every figure."""
    text = json.dumps(json.loads(draw_figure(make_tables(), name).to_json()))

    assert "<img" not in text
    assert "<script" not in text
