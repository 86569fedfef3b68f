"""The page of a fleet: slow ranks with links, one call over ranks, one rank, no fleet."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.looking import all_links, column, links, of_kind, table, text, warnings
from fleet_runs import answer, program
from kernelmap.dashboard import export as exporting
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.export import LIMITS, export_pages
from kernelmap.dashboard.pages import page_at
from kernelmap.history.store import Store
from kernelmap.pages.address import parse_address
from kernelmap.pages.page import Facts, Figure, Note, Page
from worlds.fleet import FleetWorld, Planted, write_fleet

_CALL = "0_forward/2"
_SLOW, _MISSING, _RANKS = 2, 3, 5


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """An archive of one fleet with a slow rank and a missing one."""
    folder = tmp_path_factory.mktemp("fleet")
    planted = {_SLOW: Planted(late_ns=3_000_000)}
    paths = write_fleet(folder, program(), FleetWorld(ranks=_RANKS, steps=2, planted=planted))
    paths[_MISSING].unlink()
    store = Store(folder / "store")
    answer(folder, keep=folder / "kept", gather=True).record(store, name="<b>many</b>")
    archive = Archive(store, patience=None)
    archive.look()
    return archive


def shown(archive: Archive, url: str) -> Page:
    path, _, query = url.partition("?")
    return page_at(parse_address(path, query), archive)


def test_slow_ranks_have_causes_and_a_way_to_their_page(fleet: Archive) -> None:
    """The newest fleet is shown without a name; missing ranks stand with their reason."""
    page = shown(fleet, "/fleet")

    slow = table(page, "slow")
    assert [text(cells) for cells in column(slow, "rank")] == [str(_SLOW)]
    assert [text(cells) for cells in column(slow, "cause")] == ["late data"]
    (link,) = links(slow.rows[0].cells[0])
    assert (link.to.page, link.to.kind, link.to.key) == ("fleet", "rank", str(_SLOW))
    (facts,) = of_kind(page, Facts)
    assert facts.facts[0] == "4 of 5 ranks: 1 is slow"
    assert any(f"rank {_MISSING}" in line for line in warnings(page))
    assert {figure.id for figure in of_kind(page, Figure)} == {"steps", "by_op"}


def test_cells_of_heat_maps_lead_to_the_pages_of_their_ranks(fleet: Archive) -> None:
    """The hover text of a cell and the page that it leads to are of the same rank."""
    for chart in of_kind(shown(fleet, "/fleet?by=op"), Figure):
        (heat,) = chart.plot.data
        cells = [
            (href, text_)
            for hrefs, texts in zip(heat.customdata, heat.hovertext, strict=True)
            for href, text_ in zip(hrefs, texts, strict=True)
        ]
        assert cells
        for href, text_ in cells:
            to = parse_address(*href.split("?", 1))
            assert (to.page, to.kind, to.by) == ("fleet", "rank", "op")
            assert text_.startswith(f"rank {to.key}")


@pytest.mark.parametrize("by", ["call", "op", "line", "graph"])
def test_each_row_leads_to_its_distribution(fleet: Archive, by: str) -> None:
    """A dot per rank that ran it, each leads to the rank; least and most are those of the dots."""
    spread = table(shown(fleet, f"/fleet?by={by}"), f"spread-{by}")
    (link,) = links(spread.rows[0].cells[0])

    page = shown(fleet, link.to.href)

    (chart,) = of_kind(page, Figure)
    read = sorted({*range(_RANKS)} - {_MISSING})
    assert chart.data["rank"].to_list() == read
    row = table(page, "spread").data.iloc[0]
    times = chart.data["time_ns"]
    assert (times.min(), times.max()) == pytest.approx((row["least_ns"], row["most_ns"]), abs=1)
    hrefs = [href for trace in chart.plot.data for href in trace.customdata]
    assert sorted(parse_address(*href.split("?", 1)).key or "" for href in hrefs) == list(
        map(str, read)
    )


def test_a_rank_has_its_facts_causes_and_calls(fleet: Archive) -> None:
    """The page of a rank holds it against the median; a quiet rank has no cause."""
    slow, quiet = (shown(fleet, f"/fleet?kind=rank&key={rank}") for rank in (_SLOW, 0))

    assert table(slow, "rank").title == f"Rank {_SLOW}, slow"
    assert [text(cells) for cells in column(table(slow, "causes"), "cause")] == ["late data"]
    assert table(quiet, "causes").rows == ()
    assert len(table(quiet, "rank-call").rows) == 18
    assert any(link.text == "the whole fleet" for link in all_links(slow))
    missing = shown(fleet, f"/fleet?kind=rank&key={_MISSING}")
    assert any("is missing" in line for line in warnings(missing))
    assert warnings(shown(fleet, "/fleet?kind=rank&key=99"))


def test_what_no_rank_ran_is_said(fleet: Archive) -> None:
    """A key that nothing bears gives words, not an error."""
    (_, note) = of_kind(shown(fleet, "/fleet?kind=call&key=nothing"), Note)

    assert text(note.lines[0]) == "No rank ran this call."


def test_a_run_of_many_ranks_leads_to_its_fleet(fleet: Archive) -> None:
    """The page of the run says of how many ranks it is, with the way there."""
    page = shown(fleet, "/run")

    assert any(link.to.page == "fleet" and "4 of 5" in link.text for link in all_links(page))


def test_a_store_without_fleets_says_how_to_record_one(archive: Archive) -> None:
    """The page is there for every store; a run of one recording is no fleet."""
    (note,) = of_kind(shown(archive, "/fleet"), Note)
    assert "the command `fleet` with --record" in text(note.lines[0])

    assert any(
        "not of many ranks" in line for line in warnings(shown(archive, "/fleet?run=latest"))
    )


def test_a_fleet_is_exported_with_its_slow_ranks(
    fleet: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages on disk have the fleet and its slow rank; the name of a run is no markup."""
    monkeypatch.setattr(exporting, "LIMITS", {**LIMITS, "item": 2, "run": 2})
    export_pages(fleet.store, tmp_path / "pages")

    pages = {
        path.name: path.read_text("utf-8") for path in (tmp_path / "pages").glob("fleet*.html")
    }
    assert any(f"Rank {_SLOW}, slow" in text_ for text_ in pages.values())
    assert not any("<b>many</b>" in text_ for text_ in pages.values())
