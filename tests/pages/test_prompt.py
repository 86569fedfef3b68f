"""What a result shows by itself: one line at a prompt, a small table in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from history.store.made import Made
from hostile import moving
from kernelmap.history.compare.texts.shown import ShownComparison
from kernelmap.pages.roofline_result import RooflineResult
from kernelmap.tables.schema import TABLES
from pages.hand_tables import HOSTILE, make_tables

LONGEST = 300
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.lists(TEXT, max_size=3))
def test_a_prompt_shows_one_line(names: list[str]) -> None:
    """How much time and how sure, whatever the files are called; no name moves the cursor."""
    tables = make_tables()
    made = Made(content=replace(tables, summary=replace(tables.summary, sources=tuple(names))))
    text = repr(made)

    assert text.startswith("<Made: GPU time 12.34 ms = 97.1 % exact + ")
    assert not moving(text)
    assert "\n" not in text


def test_a_result_with_many_launches_is_one_line() -> None:
    """No record of the trace or the program stands in it."""
    result = kernelmap.correlate("sample_traces/sim_gpt_train")

    assert len(repr(result)) <= LONGEST
    assert len(str(result)) <= LONGEST


def test_a_notebook_escapes_names() -> None:
    """Names of the input are text there, and the largest ops come first."""
    html = Made()._repr_html_()

    assert HOSTILE not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert html.index("aten.addmm") < html.index("aten.gelu")


def test_tables_are_completed() -> None:
    """A shell that completes names offers every table."""
    assert set(TABLES) <= set(dir(Made()))


def test_the_package_lists_public_names_alone() -> None:
    """`dir(kernelmap)` holds what may be used, and each name is there."""
    assert dir(kernelmap) == sorted(kernelmap.__all__)
    assert all(hasattr(kernelmap, name) for name in kernelmap.__all__)


def test_a_notebook_links_to_the_report(tmp_path: Path) -> None:
    """Before one is written it says how; then the link leads there."""
    made = Made()
    before = made._repr_html_()
    folder = tmp_path / "a b&<i>"
    folder.mkdir()
    made.to_html(folder / "report.html")

    assert "to_html(" in before
    assert "a%20b%26%3Ci%3E/report.html" in made._repr_html_()
    assert "<i>" not in made._repr_html_()


@pytest.mark.parametrize("what", ["comparison", "roofline"])
def test_what_follows_from_results_is_one_line_too(what: str) -> None:
    """A comparison and a roofline at a prompt, and a table of each in a notebook."""
    sample = "sample_traces/sim_mlp_train"
    shown: ShownComparison | RooflineResult = (
        kernelmap.diff(sample, sample)
        if what == "comparison"
        else kernelmap.correlate(sample).roofline()
    )

    assert len(repr(shown)) <= LONGEST
    assert "\n" not in repr(shown)
    assert "<section" in shown._repr_html_()
    assert "<script" not in shown._repr_html_()


def test_tables_of_a_roofline_are_completed() -> None:
    """Its DataFrames are members like any other."""
    made = kernelmap.correlate("sample_traces/sim_mlp_train").roofline()

    assert {"calls", "ops", "lines", "modules", "kernels"} <= set(dir(made))
    assert all(len(getattr(made, name).columns) for name in ("calls", "ops", "lines"))
