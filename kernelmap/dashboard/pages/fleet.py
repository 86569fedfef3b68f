"""A fleet: slow ranks with causes, ranks by step and op, one call over ranks, one rank.

`/fleet?run=ID&by=op` is the whole, `&kind=call&key=…` one row over all ranks, `&kind=rank&key=37`
one rank. Without a run the newest fleet is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
from msgspec import Struct

from kernelmap.dashboard.archive import Archive, attempt, sorry
from kernelmap.dashboard.listed import against, named, neighbors, run_link, runs
from kernelmap.errors import UsageError
from kernelmap.fleet import rank_page, show
from kernelmap.fleet.distribution import over_ranks
from kernelmap.fleet.heat import heat_maps
from kernelmap.fleet.recorded import reopen_fleet
from kernelmap.fleet.tables import FleetTables
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.ranks import ArrowTable, rank_parts, rows_where
from kernelmap.pages.address import REPORT, Address
from kernelmap.pages.page import Facts, Figure, Link, Menu, Note, Page, PageCell, Section
from kernelmap.pages.text import make_visible
from kernelmap.tables.rows import Row, whole_number

_ROWS = 50
_RANK = "rank"
_NONE = Note(
    title="No fleet",
    lines=(
        ("A fleet is the profiles of many ranks, recorded by the command `fleet` with --record.",),
        ("It appears here by itself.",),
    ),
    ours=True,
)


def fleet_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/fleet?run=latest&by=op`."""
    try:
        listed = _meant(address, archive)
    except UsageError as error:
        return Page(title="Fleet", sections=(sorry(error),))
    if listed is None:
        return Page(title="Fleet", sections=(_NONE,))
    now = address.with_changes(run=listed.id, by=_by(address), at=None)
    options = tuple(Link(word, now.with_changes(by=word)) for word in show.BY)
    menus = (Menu(label="by", chosen=_by(address), options=options),)
    over_one = now.kind in show.BY and now.key is not None
    return Page(
        title=f"{now.kind} {make_visible(now.key or '')}"
        if now.kind in (_RANK, *show.BY)
        else "Fleet",
        sections=(_around(now, listed, archive), *attempt(lambda: _content(now, listed, archive))),
        menus=() if over_one else menus,
    )


def _by(address: Address) -> str:
    return address.by if address.by in show.BY else show.BY[0]


def _meant(address: Address, archive: Archive) -> Listed | None:
    """The run that is named, else the newest fleet."""
    if address.run is not None:
        return named(address.run, archive)
    fleets = [run for run in runs(archive) if run.facts.fleet is not None]
    return fleets[-1] if fleets else None


def _around(now: Address, listed: Listed, archive: Archive) -> Note:
    """The way to the whole fleet, to its run and to the fleet before."""
    ways: list[PageCell] = [run_link(listed, "its run")]
    if now.kind is not None:
        ways.insert(0, Link("the whole fleet", now.with_changes(kind=None, key=None)))
    older = neighbors(listed, archive).older
    if older is not None:
        ways.append(against(older, listed, "what changed since the run before"))
    fleet = listed.facts.fleet
    if fleet is not None:
        to = Address(page=f"{REPORT}/{listed.id}")
        ways.append(Link(f"the report of rank {fleet.reference}", to, leaves=True))
    line = [part for way in ways for part in (way, " · ")][:-1]
    return Note(title=make_visible(listed.facts.name or listed.id), lines=(tuple(line),))


class _FleetRows(Struct, frozen=True):
    """A fleet with the rows of all its ranks, some hundred ranks a part."""

    fleet: FleetTables
    parts: Sequence[ArrowTable]


def _fleet_rows(listed: Listed, archive: Archive) -> _FleetRows:
    def work(_: object) -> _FleetRows:
        run = archive.store.open(listed.id)
        return _FleetRows(reopen_fleet(run), tuple(rank_parts(run)))

    return archive.ask(("fleet", listed.id), f"reading the ranks of {listed.id}", work)


def _content(now: Address, listed: Listed, archive: Archive) -> Sequence[Section]:
    fleet_rows = _fleet_rows(listed, archive)
    ways = show.PageWays(rank=partial(_rank_link, now), row=partial(_row_link, now))
    if now.kind == _RANK and (now.key or "").isdecimal():
        rank, by = int(now.key or ""), _by(now)
        rows = rows_where(fleet_rows.parts, rank=rank, by=by)
        return list(rank_page.sections_of_rank(fleet_rows.fleet, rank, {by: rows}, ways))
    if now.kind in show.BY and now.key is not None:
        return _over_ranks(now, fleet_rows, ways)
    return _whole(now, fleet_rows.fleet, ways)


def _whole(now: Address, fleet: FleetTables, ways: show.PageWays) -> list[Section]:
    return [
        Facts(facts=(show.headline_of_fleet(fleet), *show.iter_facts(fleet))),
        show.slow_table(fleet, _ROWS, ways),
        *show.sections_of_missing(fleet),
        *heat_maps(fleet, lambda rank: _to_rank(now, rank).href),
        show.table_of_spread(fleet, _by(now), _ROWS, ways),
        *show.tables_of_divergence(fleet, _ROWS),
        *show.tables_of_communication(fleet, _ROWS),
    ]


def _over_ranks(now: Address, fleet_rows: _FleetRows, ways: show.PageWays) -> list[Section]:
    """One call, op, line or graph on all ranks."""
    fleet = fleet_rows.fleet
    # Steps per rank. Times are given per step, as ranks may have recorded different numbers of
    # them.
    steps = {
        row["rank"]: whole_number(row, "steps") or 1 for row in fleet.rows["ranks"] if row["steps"]
    }
    # In ns of the whole window; a rank may have several rows of one call or op.
    sums: dict[int, int] = {}
    for row in rows_where(fleet_rows.parts, by=str(now.kind), key=str(now.key)):
        rank = whole_number(row, "rank")
        sums[rank] = sums.get(rank, 0) + whole_number(row, "time_ns")
    spread = [r for r in fleet.rows["spread"] if r["by"] == now.kind and r["key"] == now.key]
    if not sums or not spread:
        return [Note(lines=((f"No rank ran this {now.kind}.",),))]
    times = {rank: round(ns / steps.get(rank, 1)) for rank, ns in sorted(sums.items())}
    slow = {whole_number(row, "rank") for row in fleet.rows["ranks"] if row["slow"] == "yes"}
    chart = Figure(
        id="over_ranks",
        title=f"{make_visible(str(spread[0]['name']))} over ranks, a step",
        plot=over_ranks(times, slow, lambda rank: _to_rank(now, rank).href),
        data=pd.DataFrame({"rank": list(times), "time_ns": list(times.values())}),
        about=("A dot is a rank, red where it is slow; the line is the median.",),
    )
    # What else ranks differ in, told by the same name.
    others = [r for r in fleet.rows["divergence"] if r["what"] == spread[0]["name"]]
    words = [
        (f"{r['kind']} on ranks {r['which']}: {make_visible(str(r['value'] or 'none'))}",)
        for r in others
    ]
    return [
        chart,
        show.one_of_spread(spread[0], ways),
        *([Note(title="Otherwise", lines=tuple(words))] if words else []),
    ]


def _to_rank(now: Address, rank: int) -> Address:
    return now.with_changes(kind=_RANK, key=str(rank))


def _rank_link(now: Address, rank: int) -> Link:
    return Link(str(rank), _to_rank(now, rank))


def _row_link(now: Address, row: Row) -> Link:
    to = now.with_changes(kind=str(row["by"]), key=str(row["key"]))
    return Link(make_visible(str(row["name"])), to)
