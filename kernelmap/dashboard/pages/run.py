"""One run's report: what it is, how sure its times are, and its time by op, line, call, kernel.

`/run?run=main~1&by=call&at=2`. The whole report, with its views and their charts, is a file of its
own that reports.py makes when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.items import TABLES as ITEMS
from kernelmap.dashboard.items import item
from kernelmap.dashboard.listed import against, named, neighbors, run_link
from kernelmap.dashboard.page import (
    Cell,
    Cells,
    Chart,
    Column,
    Field,
    Form,
    Link,
    Menu,
    Page,
    Row,
    Section,
    Table,
    Words,
    attempt,
    sorry,
)
from kernelmap.dashboard.pages.run_facts import facts_table, notices
from kernelmap.dashboard.paging import paged
from kernelmap.dashboard.reports import PAGE as REPORT
from kernelmap.errors import UsageError
from kernelmap.outputs.columns import VIEWS
from kernelmap.outputs.figures import figure
from kernelmap.outputs.terminal import ledger_line
from kernelmap.outputs.text import duration, percent, visible
from kernelmap.store.listing import Listed
from kernelmap.store.run import Run
from kernelmap.views.frames import Row as Record
from kernelmap.views.frames import rows
from kernelmap.views.schema import BY, TABLES

TABLES_SHOWN = ("op", "line", "call", "kernel", "graph", "module", "node")
_SHORT = 24  # characters that are not broken into lines
_ONE_LINE = 10**6  # characters


def page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/run?run=latest&by=line`; without a run, of the newest."""
    try:
        listed = named(address.run or "latest", archive)
    except UsageError as error:
        return Page(title="Run", sections=(sorry(error),))
    now = address.but(run=listed.id)
    options = tuple(Link(word, now.but(by=word, at=None)) for word in TABLES_SHOWN)
    return Page(
        title="Run",
        sections=(
            _around(listed, archive),
            facts_table(listed),
            *notices(listed),
            *attempt(lambda: _content(now, archive)),
        ),
        menus=(Menu(label="by", chosen=_by(address), options=options),),
    )


def _by(address: Address) -> str:
    return address.by if address.by in TABLES_SHOWN else TABLES_SHOWN[0]


def _around(listed: Listed, archive: Archive) -> Section:
    """The way to what else there is of this run, and to its neighbors."""
    around = neighbors(listed, archive)
    ways: list[Cell] = [
        Link("The whole report", Address(page=f"{REPORT}/{listed.id}"), leaves=True),
    ]
    if around.older is not None:
        ways.append(against(around.older, listed, "what changed since the run before"))
        ways.append(run_link(around.older, "the run before"))
    if around.newer is not None:
        ways.append(run_link(around.newer, "the run after"))
    line = [part for way in ways for part in (way, " · ")][:-1]
    return Words(title=visible(listed.facts.name or listed.id), lines=(tuple(line),))


def _content(now: Address, archive: Archive) -> Sequence[Section]:
    run = archive.run(now.run or "")
    said = ledger_line(run.summary, _ONE_LINE).plain
    ledger = Chart(
        id="ledger",
        title="How sure the times are",
        figure=figure(run.tables, "ledger"),
        data=run.tables.frame("ledger"),
        about=(said,),
    )
    return [ledger, _table(now, run), _compare_form(now)]


def _compare_form(now: Address) -> Form:
    return Form(
        to=Address(page="compare", after=now.run),
        fields=(Field(name="before", label="Compare this run with"),),
        button="Compare",
    )


def _table(now: Address, run: Run) -> Table:
    by = _by(now)
    name = BY[by]
    view, frame = VIEWS[name], run.tables.frame(name)
    place, about = paged(now, len(frame))
    shown = list(rows(TABLES[name], frame.iloc[place]))
    extras = [
        (extra, cells)
        for extra in view.extras
        if any(cells := [visible(extra.cell(row)) for row in shown])
    ]
    total = run.summary.total_ns
    found = []
    for at, row in enumerate(shown):
        time_ns = view.time_ns(row)
        told = (duration(time_ns), percent(time_ns / total if total else None))
        more = (texts[at] for _, texts in extras)
        found.append(Row(cells=(_title(by, row), *told, *more), dim=view.rests(row)))
    return Table(
        id=name,
        title=f"{run.summary.side.upper()} time by {view.noun}",
        columns=(
            Column(name=view.noun),
            Column(name="time", number=True),
            Column(name="share", number=True),
            *(
                Column(
                    name=extra.header,
                    number=extra.right,
                    whole=max(map(len, texts)) <= _SHORT,
                )
                for extra, texts in extras
            ),
        ),
        rows=tuple(found),
        data=frame,
        about=about,
        empty=f"No {name} in this window.",
    )


def _title(by: str, row: Record) -> Cells:
    text = visible(VIEWS[BY[by]].title(row))
    if by not in ITEMS or text.startswith("("):
        return text
    address = item(by, row)
    return text if address is None else Link(text, address)
