"""One run's report: what it is, how sure its times are, and its time by op, line, call, kernel.

`/run?run=main~1&by=call&at=2`. The facts and notices need no table of the run. The whole report,
with its views and their charts, is a file of its own that dashboard/reports.py makes on request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.items import TABLES as ITEMS
from kernelmap.dashboard.items import item
from kernelmap.dashboard.listed import (
    against,
    branch,
    named,
    neighbors,
    paged,
    run_link,
    tags,
    time,
)
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
    Tone,
    Words,
    attempt,
    sorry,
)
from kernelmap.dashboard.reports import PAGE as REPORT
from kernelmap.dashboard.series import recorded
from kernelmap.errors import UsageError
from kernelmap.model.notices import count
from kernelmap.outputs.columns import VIEWS
from kernelmap.outputs.figures import figure
from kernelmap.outputs.terminal import facts as window_facts
from kernelmap.outputs.terminal import ledger_line, step_lines
from kernelmap.outputs.text import duration, percent, visible
from kernelmap.store.listing import Listed
from kernelmap.store.refs import device
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
    sums = [ledger_line(run.summary, _ONE_LINE), *step_lines(run.summary, _ONE_LINE)]
    ledger = Chart(
        id="ledger",
        title="How sure the times are",
        figure=figure(run.tables, "ledger"),
        data=run.tables.frame("ledger"),
        about=tuple(each.plain for each in sums),
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


_NAMED = 12  # inputs, and notices


def facts_table(run: Listed) -> Table:
    """Code, machine, window, time and inputs, a row each; the data has every known fact."""
    facts = [(name, cells) for name, cells in _facts(run) if cells]
    return Table(
        id="facts",
        title="What ran",
        columns=(Column(name="fact"), Column(name="")),
        rows=tuple(Row(cells=each) for each in facts),
        data=pd.DataFrame(_data(run), columns=["fact", "value"]),
    )


def notices(run: Listed) -> tuple[Section, ...]:
    """What could not be used when the run was made; empty where all was."""
    kept = run.facts.notices
    if not kept:
        return ()
    lines = [(visible(f"{each.message} {each.hint or ''}".strip()),) for each in kept[:_NAMED]]
    if len(kept) > _NAMED:
        lines.append((f"{len(kept) - _NAMED} more: `kernelmap runs show {run.id}`.",))
    tone = Tone.WARNING if any(each.gap for each in kept) else Tone.DIM
    return (Words(title="What could not be used", lines=tuple(lines), tone=tone),)


def _facts(run: Listed) -> Iterator[tuple[str, Cells]]:
    facts, window = run.facts, run.facts.window
    changed = " with changes that it lacks" if facts.changed else ""
    at = "" if facts.commit is None else f" · commit {visible(facts.commit)}{changed}"
    history = Link(branch(facts), Address(branch=facts.branch, gpu=device(facts)))
    yield "run", f"{run.id} · recorded {recorded(facts.created)} UTC by kernelmap {facts.kernelmap}"
    yield "branch", (history, at)
    yield "tags", visible(tags(run))
    versions = [
        f"{name} {visible(value)}"
        for name in ("torch", "triton", "cuda", "rocm")
        if (value := getattr(facts, name)) is not None
    ]
    yield "machine", " · ".join([visible(device(facts)), *versions])
    devices = len(window.devices)
    yield "window", visible(" · ".join(window_facts(window)[devices:]))
    whole = f"{duration(window.total_ns)} in all, {duration(window.busy_ns)} of it busy"
    yield "time", f"{time(facts)} · {whole}" if window.steps else whole
    names = [visible(each.name) for each in facts.inputs[:_NAMED]]
    more = len(facts.inputs) - len(names)
    yield "made from", ", ".join([*names, *([f"{count(more, 'more file')}"] if more else [])])


def _data(run: Listed) -> Iterator[tuple[str, object]]:
    facts, window = run.facts, run.facts.window
    for name in ("id", "created", "name", "branch", "commit", "changed"):
        yield name, getattr(facts, name)
    yield from ((f"tag {key}", value) for key, value in sorted(run.tags.items()))
    yield from (("gpu", each) for each in facts.gpus)
    for name in ("torch", "triton", "cuda", "rocm", "kernelmap"):
        yield name, getattr(facts, name)
    for name in ("side", "total_ns", "busy_ns", "launches", "invocations", "calls", "calls_seen"):
        yield name, getattr(window, name)
    first, last = window.steps or (None, None)
    yield from (("first step", first), ("last step", last))
    yield from ((f"share {bucket}", share) for bucket, share in window.coverage.items())
    yield from ((f"input {each.name}", each.sha256) for each in facts.inputs)
    yield from (("notice", each.message) for each in facts.notices)
