"""The table in the terminal: what it says, and that it fits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len

from kernelmap.pages.one_table import sums_of_ledger
from kernelmap.pages.render import terminal
from kernelmap.pages.render.short_names import cut_text
from kernelmap.pages.text import make_visible
from kernelmap.tables.rows import Cell
from kernelmap.tables.schema import BY
from pages.hand_tables import OPS, TOTAL_NS, make_tables, table
from showing import in_terminal


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("by", BY)
def test_a_table_reads_as_on_file(by: str, width: int, golden: Callable[[str, str], None]) -> None:
    """Each table at both usual widths is the text that a person approved."""
    golden(
        f"terminal_{by}_{width}.txt", in_terminal(make_tables(), by=by, width=width, top=6).plain
    )


@pytest.mark.sampled
@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(by: str, width: int) -> None:
    """Columns give way and names are cut, so that nothing wraps."""
    lines = in_terminal(make_tables(), by=by, width=width).plain.splitlines()

    assert max(map(cell_len, lines)) <= width


def test_what_is_not_shown_is_added_up() -> None:
    """The line after the last row says how many rows are missing and how much time they hold."""
    times = sorted([*OPS.values(), 450_000, 200_000], reverse=True)
    text = in_terminal(make_tables(), by="op", top=9, width=100).plain
    last = next(line for line in text.splitlines() if line.startswith("…"))
    hidden = TOTAL_NS - sum(OPS.values()) - 450_000 - 200_000

    assert hidden == 0
    assert last.split()[:4] == ["…", "2", "more", f"{sum(times[9:]) / 1e3:.1f}"]


def test_a_window_with_nothing_says_so() -> None:
    """Where no row is, the table is one sentence, and the ledger still stands."""
    tables = make_tables()
    empty = replace(tables, frames={**tables.frames, "nodes": table("nodes", [])})

    assert "No nodes in this window." in in_terminal(empty, by="node").plain


def test_one_candidate_is_one() -> None:
    """An ambiguous launch that is one call's or a benchmark's has a single candidate."""
    tables = make_tables()
    only: dict[str, Cell] = {
        "candidates": ["0_forward/0"],
        "confidence": "ambiguous",
        "name": "k",
        "launch": 0,
    }
    one = replace(tables, make_launches=lambda: table("launches", [only]))

    assert "1 candidate\n" in in_terminal(one, by="launch", width=120).plain


def test_a_name_cannot_steer_the_terminal() -> None:
    """Escape sequences and line breaks of a kernel's name are shown, not sent."""
    row: dict[str, Cell] = {"name": "a\x1b[31m\nb\u202e", "time_ns": 1, "share": 1.0}
    tables = make_tables()
    bad = replace(tables, frames={**tables.frames, "ops": table("ops", [row])})
    text = in_terminal(bad, by="op").plain

    assert "a\\x1b[31m\\nb\\u202e" in text
    assert "\x1b" not in text


def test_the_ledger_leaves_out_what_is_nothing() -> None:
    """Parts without time are not named; the rest is one sum in one line."""
    (line,) = terminal.render_section(sums_of_ledger(make_tables().summary)[0], 100)

    assert line.plain == (
        "GPU time 12.34 ms = 97.1 % exact + 1.2 % inferred + 0.9 % ambiguous + 0.8 % outside"
    )


@given(st.text(), st.integers(0, 40))
def test_a_cut_text_fits(text: str, width: int) -> None:
    """A cut text is never wider than asked for, and whole where it fits."""
    shown = cut_text(make_visible(text), width)

    assert cell_len(shown) <= width
    assert shown == make_visible(text) or cell_len(make_visible(text)) > width
