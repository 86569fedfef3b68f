"""A fleet as a page of one file: heat maps, the spread of every kind, a part for each slow rank.

A rank's number leads to its part of the page, where it has one, and the part to the rank's report,
where that lies beside the page. Nothing needs a network.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from urllib.parse import quote

from msgspec.structs import replace

from kernelmap.fleet import rank_page, show
from kernelmap.fleet.distribution import calls_over_ranks
from kernelmap.fleet.heat import heat_maps
from kernelmap.fleet.tables import FleetTables
from kernelmap.pages.address import REPORT, Address
from kernelmap.pages.page import Facts, Link, Page, PageCell, PageTable, Section
from kernelmap.pages.render import html
from kernelmap.pages.render.html import Places

_ROWS, _ROWS_OF_PART = 50, 15
_BY_IN_PART = ("call", "op", "line")
_SLOW = "slow"  # the id of the table of slow ranks


def render_document(fleet: FleetTables, reports: str = "", reported: Collection[int] = ()) -> str:
    """The page as HTML; the folder `reports` beside it has the reports of the ranks `reported`."""

    def view(to: Address) -> str | None:
        # Links lead to the list of slow ranks, to the report beside the page, or to the part of a
        # rank, if the page has one.
        if to.key is None:
            return f"#{_SLOW}"
        rank = int(to.key)
        if to.page == REPORT:
            return f"{quote(reports)}/{report_name(rank)}"
        return f"#rank-{rank}" if rank in fleet.parts else None

    page = _page_of_fleet(fleet, frozenset(reported))
    return html.render_document(page, title="Fleet", places=Places(view=view))


def report_name(rank: int) -> str:
    """The file of a rank's report."""
    return f"rank_{rank}.html"


def _page_of_fleet(fleet: FleetTables, reported: frozenset[int]) -> Page:
    ways = show.PageWays(
        rank=lambda rank: Link(str(rank), _address_of_rank(rank)),
        more=partial(_links_beside, reported),
    )
    return Page(
        title=show.headline_of_fleet(fleet),
        sections=(
            Facts(facts=tuple(show.iter_facts(fleet))),
            show.slow_table(fleet, _ROWS, ways),
            *show.sections_of_missing(fleet),
            *heat_maps(fleet, lambda rank: _address_of_rank(rank).href),
            *calls_over_ranks(fleet, lambda rank: _address_of_rank(rank).href),
            *show.tables_of_divergence(fleet, _ROWS),
            *show.tables_of_communication(fleet, _ROWS),
            *(show.table_of_spread(fleet, by, _ROWS, ways) for by in show.BY),
            *(part for rank in fleet.parts for part in _sections_of_rank(fleet, rank, ways)),
            *show.iter_notes(fleet),
        ),
    )


def _address_of_rank(rank: int) -> Address:
    return Address(page="fleet", kind="rank", key=str(rank))


def _links_beside(reported: Collection[int], rank: int) -> tuple[PageCell, ...]:
    """Links beside the facts of a rank."""
    slow = Link("all slow ranks", Address(page="fleet"))
    if rank not in reported:
        return (" ", slow)
    return (" ", Link("the report of this rank", Address(page=REPORT, key=str(rank))), " · ", slow)


def _sections_of_rank(fleet: FleetTables, rank: int, ways: show.PageWays) -> Iterator[Section]:
    """One rank; the first section bears the id that links lead to."""
    rows = {by: [row for row in fleet.parts[rank] if row["by"] == by] for by in _BY_IN_PART}
    for section in rank_page.sections_of_rank(fleet, rank, rows, ways, _ROWS_OF_PART):
        if isinstance(section, PageTable):
            yield replace(section, id=f"{section.id}-{rank}")
        else:
            yield section
