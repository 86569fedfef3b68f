"""Runs of two models on one branch: two series where their tag is chosen, and a menu for it."""

from __future__ import annotations

import pytest
from make_history import Simulated, history
from msgspec.structs import replace

from dashboard.looking import column, links, of_kind, table, text
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.pages import page_at
from kernelmap.history.store import Store
from kernelmap.pages.address import Address, parse_address
from kernelmap.pages.page import Figure, Menu, Page

RUNS = 8


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Runs of two models by turns, and one on a CPU before them."""
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    store = Store(tmp_path_factory.mktemp("tagged") / "kept")
    every = [recording.tables for recording in history(RUNS)]
    cpu = replace(every[0], summary=replace(every[0].summary, side="cpu", devices=()))
    store.record(Simulated(content=cpu), branch="main", tags={"model": "small"})
    for at, tables in enumerate(every):
        model = "large" if at % 2 else "small"
        store.record(Simulated(content=tables), branch="main", tags={"model": model})
    return store


def archive_of(store: Store, *series: str) -> Archive:
    made = Archive(store, patience=None, series=series)
    made.look()
    return made


def chart(shown: Page) -> Figure:
    return of_kind(shown, Figure)[0]


def menu(shown: Page, label: str) -> Menu:
    (menu_,) = [menu_ for menu_ in shown.menus if menu_.label == label]
    return menu_


def test_a_chosen_tag_tells_series_apart(kept: Store) -> None:
    """One line per model, and the page says what a line is; without a choice it is one."""
    apart = chart(page_at(Address(), archive_of(kept, "model")))
    mixed = chart(page_at(Address(), archive_of(kept)))

    lines = [trace.name for trace in apart.plot.data if trace.name.startswith("main")]
    assert lines == ["main, model=small", "main, model=large"]
    assert "A line is one branch, device and tag model." in apart.about
    assert "A line is one branch and device." in mixed.about
    assert mixed.plot.data[0].name == "main"


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["history", "items", "coverage", "runs"])
def test_a_menu_leaves_the_runs_of_a_tag(name: str, kept: Store) -> None:
    """The menu leads to the runs that bear the tag, whether or not the tag separates series."""
    archive = archive_of(kept)
    menu_ = menu(page_at(Address(page=name), archive), "model")
    links_to = {option.text: option.to for option in menu_.options}

    assert list(links_to) == ["any", "large", "small"]
    to = links_to["large"]
    assert parse_address(to.path, to.href.partition("?")[2]) == to
    shown = page_at(to, archive)
    assert menu(shown, "model").chosen == "large"
    if name in ("history", "coverage"):
        data = chart(shown).data
        assert len(data) == RUNS // 2
    if name == "runs":
        assert {text(cell) for cell in column(table(shown, "runs"), "tags")} == {"model=large"}


def test_runs_of_a_series_are_compared(kept: Store) -> None:
    """The run before is that of the same model."""
    archive = archive_of(kept, "model")
    table_ = table(page_at(Address(page="runs"), archive), "runs")
    listed = {run.id: run for run in kept.runs()}
    pairs = [
        (listed[str(link.to.before)], listed[str(link.to.after)])
        for cell in column(table_, "the one before")
        for link in links(cell)
    ]

    assert len(pairs) == RUNS - 2
    assert all(one.tags == other.tags for one, other in pairs)


def test_a_cpu_is_a_device_of_its_own(kept: Store) -> None:
    """The menu says `device`, and the CPU's run stands under CPU."""
    archive = archive_of(kept)
    shown = menu(page_at(Address(), archive), "device")
    table_ = table(page_at(Address(page="runs", gpu="CPU"), archive), "runs")

    assert [option.text for option in shown.options] == ["CPU", "Simulated GPU"]
    assert [text(cell) for cell in column(table_, "device")] == ["CPU"]
