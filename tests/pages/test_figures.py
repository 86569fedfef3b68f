"""Figures: functions of a frame, and honest with names."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from kernelmap.errors import UsageError
from kernelmap.pages.charts.figures import FIGURES, draw_figure, draw_kernels, draw_ledger, draw_ops
from kernelmap.tables.rows import Cell
from pages.hand_tables import HOSTILE, OPS, TOTAL_NS, make_tables, table


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_tables_give_the_same_bytes(name: str) -> None:
    """A figure holds no random id and no time of day."""
    assert draw_figure(make_tables(), name).to_json() == draw_figure(make_tables(), name).to_json()


def test_bars_hold_the_times_of_the_table() -> None:
    """One bar per op in the table's order, in the unit that its axis names."""
    drawn = draw_ops(make_tables().frame("ops"), top=3)

    assert list(drawn.data[0].x) == [ns / 1e6 for ns in list(OPS.values())[:3]]
    assert drawn.layout.xaxis.title.text == "ms"


def test_the_bounds_reach_from_alone_to_involved() -> None:
    """The line of a bar starts at exclusive_ns and ends at involved_ns; gray bars have none."""
    bounds = next(
        trace for trace in draw_ops(make_tables().frame("ops")).data if trace.name == "bounds"
    )
    time = OPS["aten.addmm"]

    assert len(bounds.x) == len(OPS)
    assert bounds.x[0] - bounds.error_x.arrayminus[0] == pytest.approx(time // 2 / 1e6)
    assert bounds.x[0] + bounds.error_x.array[0] == pytest.approx((time + 300_000) / 1e6)


def test_two_kernels_of_one_name_are_two_bars() -> None:
    """Bars stand at places, not at names: equal names don't fall together."""
    row: dict[str, Cell] = {"wrapper": "triton_", "time_ns": 5, "launches": 1, "calls": 1}
    drawn = draw_kernels(table("kernels", [row, row]))

    assert list(drawn.data[0].y) == [0, 1]


def test_no_name_is_markup_for_plotly() -> None:
    """What Plotly would read as a tag, a link or an entity is escaped wherever it is shown."""
    link: dict[str, Cell] = {"wrapper": '<a href="//x">a</a>&lt;b>', "time_ns": 5}
    text = json.dumps(json.loads(draw_kernels(table("kernels", [link])).to_json()))
    text += json.dumps(json.loads(draw_figure(make_tables(), "ops").to_json()))

    assert "<a" not in text
    assert "<img" not in text
    assert "<script" not in text
    assert "&amp;lt;b" in text
    assert HOSTILE.partition(" ")[0].replace("<", "&lt;") in text


def test_the_ledger_is_one_bar_of_all_time() -> None:
    """The parts lie behind each other and add up to the window."""
    drawn = draw_ledger(make_tables().frame("ledger"))

    assert [trace.name for trace in drawn.data] == ["exact", "inferred", "ambiguous", "outside"]
    assert sum(trace.x[0] for trace in drawn.data) == TOTAL_NS
    assert drawn.layout.barmode == "stack"


def test_an_empty_table_is_an_empty_figure() -> None:
    """A window with nothing in it draws nothing and fails nowhere."""
    tables = make_tables()
    empty = replace(
        tables,
        frames={
            **tables.frames,
            **{name: table(name, []) for name in ("ops", "kernels", "ledger")},
        },
    )

    assert len(draw_figure(empty, "ops").data[0].x) == 0
    assert len(draw_figure(empty, "kernels").data[0].x) == 0
    assert len(draw_figure(empty, "ledger").data) == 0


def test_an_unknown_figure_lists_the_known_ones() -> None:
    """The error names what there is."""
    with pytest.raises(UsageError) as caught:
        draw_figure(make_tables(), "pie")

    assert "ops, lines, calls" in caught.value.hint
