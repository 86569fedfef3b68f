"""One run's report: what it is, how sure its times are, and its time by op, line, call, kernel.

`/run?run=main~1&by=call&at=2`. The facts and notices need no table of the run. The whole report,
with its views and charts, is a file of its own that dashboard/app.py makes on request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
from msgspec.structs import replace

from kernelmap.dashboard.archive import Archive, attempt, sorry
from kernelmap.dashboard.items import TABLES as ITEMS
from kernelmap.dashboard.items import item
from kernelmap.dashboard.listed import (
    against,
    branch,
    change_of_time,
    named,
    neighbors,
    paged,
    run_link,
    tag_cells,
    time,
)
from kernelmap.dashboard.series import recorded
from kernelmap.errors import UsageError
from kernelmap.history.store.facts import VERSION_NAMES
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import device
from kernelmap.history.store.run import Run
from kernelmap.model.notices import format_count
from kernelmap.pages.address import REPORT, Address
from kernelmap.pages.charts.figures import draw_figure
from kernelmap.pages.columns import VIEWS, say_steady_state
from kernelmap.pages.one_table import facts_of_window as window_facts
from kernelmap.pages.one_table import sums_of_ledger, table_of_result
from kernelmap.pages.page import (
    Cells,
    Field,
    Figure,
    Form,
    Link,
    Menu,
    Note,
    Page,
    PageCell,
    PageColumn,
    PageRow,
    PageTable,
    Section,
    Tone,
)
from kernelmap.pages.text import format_duration, make_visible
from kernelmap.tables.rows import Row
from kernelmap.tables.schema import BY, STEP_KINDS

TABLES_SHOWN = ("op", "line", "call", "kernel", "graph", "module", "node")


def run_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/run?run=latest&by=line`; without a run, of the newest."""
    try:
        listed = named(address.run or "latest", archive)
    except UsageError as error:
        return Page(title="Run", sections=(sorry(error),))
    now = address.with_changes(run=listed.id)
    options = tuple(Link(word, now.with_changes(by=word, at=None)) for word in TABLES_SHOWN)
    return Page(
        title="Run",
        sections=(
            _around(listed, archive),
            facts_table(listed, archive),
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
    ways: list[PageCell] = [
        Link("The whole report", Address(page=f"{REPORT}/{listed.id}"), leaves=True),
    ]
    if around.older is not None:
        ways.append(against(around.older, listed, "what changed since the run before"))
        ways.append(run_link(around.older, "the run before"))
    if around.newer is not None:
        ways.append(run_link(around.newer, "the run after"))
    line = [part for way in ways for part in (way, " · ")][:-1]
    taken = time(listed.facts)
    if around.older is not None:
        taken += f", {change_of_time(around.older, listed)} against the run before"
    return Note(title=make_visible(listed.facts.name or listed.id), lines=((taken,), tuple(line)))


def _content(now: Address, archive: Archive) -> Sequence[Section]:
    run = archive.run(now.run or "")
    ledger = Figure(
        id="ledger",
        title="How sure the times are",
        plot=draw_figure(run.tables, "ledger"),
        data=run.tables.frame("ledger"),
        about=tuple(total.text for total in sums_of_ledger(run.summary)),
    )
    return [ledger, *_engine_steps(run), _table(now, run), _compare_form(now)]


def _engine_steps(run: Run) -> list[Section]:
    """A serving engine's steps by kind and batch, and the steady state; none without any."""
    rows = list(run.tables.rows(STEP_KINDS.name))
    if not rows:
        return []
    shown = table_of_result(run.tables, "step-kind", slice(0, _NAMED), rest=True)
    steady = say_steady_state(rows)
    about = () if steady is None else (f"Steady state: {steady}",)
    return [replace(shown, title="Engine steps", about=about)]


def _compare_form(now: Address) -> Form:
    return Form(
        to=Address(page="compare", after=now.run),
        fields=(Field(name="before", label="Compare this run with"),),
        button="Compare",
    )


def _table(now: Address, run: Run) -> PageTable:
    by = _by(now)
    place, about = paged(now, len(run.tables.frame(BY[by])))
    shown = table_of_result(run.tables, by, place, link=lambda row, title: _title(by, row, title))
    side = run.summary.side.upper()
    return replace(shown, title=f"{side} time by {VIEWS[BY[by]].noun}", about=about)


def _title(by: str, row: Row, title: str) -> Cells:
    """The title of a row, with the way to its item where it has one."""
    # Rows in parentheses hold the time of nothing that has a page.
    address = None if by not in ITEMS or title.startswith("(") else item(by, row)
    return title if address is None else Link(title, address)


_NAMED = 12  # inputs, notices, and kinds of engine steps


def facts_table(run: Listed, archive: Archive) -> PageTable:
    """Code, machine, window, time and inputs, a row each; the data has every known fact."""
    facts = [(name, cells) for name, cells in _facts(run, archive) if cells]
    return PageTable(
        id="facts",
        title="What ran",
        columns=(PageColumn(name="fact"), PageColumn(name="")),
        rows=tuple(PageRow(cells=fact) for fact in facts),
        frame=pd.DataFrame(_data(run), columns=["fact", "value"]),
        ordered=True,
    )


def notices(run: Listed) -> tuple[Section, ...]:
    """What could not be used when the run was made; empty where all was."""
    kept = run.facts.notices
    if not kept:
        return ()
    lines = [(make_visible(notice.text),) for notice in kept[:_NAMED]]
    if len(kept) > _NAMED:
        lines.append((f"{len(kept) - _NAMED} more: `kernelmap runs show {run.id}`.",))
    tone = Tone.WARNING if any(notice.gap for notice in kept) else Tone.DIM
    return (Note(title="What could not be used", lines=tuple(lines), tone=tone),)


def _facts(run: Listed, archive: Archive) -> Iterator[tuple[str, Cells]]:
    facts, window = run.facts, run.facts.window
    changed = " with changes that it lacks" if facts.changed else ""
    commit = facts.commit or ""
    shown = archive.project.commit(make_visible(commit), commit)
    at = (" · commit ", shown, changed) if commit else ()
    # The branch leads to its history on this device.
    history = Link(branch(facts), Address(branch=facts.branch, gpu=device(facts)))
    yield "run", f"{run.id} · recorded {recorded(facts.created)} UTC by kernelmap {facts.kernelmap}"
    yield "branch", (history, *at)
    yield "tags", tag_cells(run, archive)
    versions = [f"{name} {make_visible(value)}" for name, value in facts.versions.items()]
    yield "machine", " · ".join([make_visible(device(facts)), *versions])
    if facts.fleet is not None:
        of_all = Link(
            f"{facts.fleet.read:,} of {facts.fleet.expected:,}, {facts.fleet.slow:,} slow",
            Address(page="fleet", run=facts.id),
        )
        yield "ranks", (of_all, f"; all else is of rank {facts.fleet.reference}, the median one")
    yield "window", " · ".join(window_facts(window))
    whole = (
        f"{format_duration(window.total_ns)} in all, {format_duration(window.busy_ns)} of it busy"
    )
    yield "time", f"{time(facts)} · {whole}" if window.steps else whole
    names = [make_visible(source.name) for source in facts.inputs[:_NAMED]]
    more = len(facts.inputs) - len(names)
    yield (
        "made from",
        ", ".join([*names, *([f"{format_count(more, 'more file')}"] if more else [])]),
    )


def _data(run: Listed) -> Iterator[tuple[str, object]]:
    facts, window = run.facts, run.facts.window
    for name in ("id", "created", "name", "branch", "commit", "changed"):
        yield name, getattr(facts, name)
    yield from ((f"tag {key}", value) for key, value in sorted(run.tags.items()))
    yield from (("gpu", gpu) for gpu in facts.gpus)
    for name in (*VERSION_NAMES, "kernelmap"):
        yield name, getattr(facts, name)
    for name in ("side", "total_ns", "busy_ns", "launches", "invocations", "calls", "calls_seen"):
        yield name, getattr(window, name)
    first, last = window.steps or (None, None)
    yield from (("first step", first), ("last step", last))
    yield from ((f"share {bucket}", share) for bucket, share in window.coverage.items())
    yield from ((f"input {source.name}", source.sha256) for source in facts.inputs)
    yield from (("notice", notice.message) for notice in facts.notices)
