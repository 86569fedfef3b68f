"""Two runs held against each other: the change, its causes, and its part in ops, lines and calls.

`/compare?before=main~5&after=latest&by=line`; runs are named as the command line knows them. Of
one run alone, its neighbor is the other one. Of none, the newest run of every branch is offered
against the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from kernelmap.compare.comparison import Change, Comparison
from kernelmap.compare.words import headline, interval_note, lines, signed, verdict
from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.figures import waterfall
from kernelmap.dashboard.listed import (
    named,
    neighbors,
)
from kernelmap.dashboard.page import (
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
    filled,
    sorry,
)
from kernelmap.dashboard.pages.compared import concerned, naming, offers, subject, two
from kernelmap.errors import UsageError
from kernelmap.outputs.text import duration
from kernelmap.store.listing import Listed

BY = {"op": "ops", "line": "lines", "call": "calls", "graph": "graphs"}
"""The choices of `by`, and the table of the comparison that each one shows."""

_SHOWN = 60  # rows; what more there is stands in one line, and in the data


def page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/compare?before=…&after=…&by=op`."""
    title = "Compare"
    if address.before is None and address.after is None:
        return Page(title=title, sections=(_form(address), *attempt(lambda: offers(archive))))
    try:
        before, after = _pair(address, archive)
    except UsageError as error:
        return Page(title=title, sections=(_form(address), sorry(error)))
    now = address.but(before=before.id, after=after.id)
    compared = attempt(lambda: _compared(now, archive))
    return Page(
        title=title,
        sections=(_form(address), two(now, before, after, archive), *compared),
        menus=(_menu(now),),
    )


def _form(address: Address) -> Form:
    return Form(
        to=Address(page="compare", by=address.by),
        fields=(
            Field(name="before", label="Before", value=address.before or ""),
            Field(name="after", label="After", value=address.after or ""),
        ),
        button="Compare",
    )


def _menu(address: Address) -> Menu:
    options = tuple(Link(word, address.but(by=word)) for word in BY)
    return Menu(label="by", chosen=_by(address), options=options)


def _by(address: Address) -> str:
    return address.by if address.by in BY else next(iter(BY))


def _pair(address: Address, archive: Archive) -> tuple[Listed, Listed]:
    """The two runs that are meant. Raises UsageError where there are no such two."""
    before = None if address.before is None else named(address.before, archive)
    after = None if address.after is None else named(address.after, archive)
    if before is None and after is not None:
        before = neighbors(after, archive).older
    elif after is None and before is not None:
        after = neighbors(before, archive).newer
    if before is None or after is None:
        raise UsageError(
            "no-such-run",
            "there is no other run of its series on that side",
            "Name both runs: ids, names, branches and tags, as `kernelmap runs` lists them.",
        )
    return before, after


def _compared(now: Address, archive: Archive) -> Sequence[Section]:
    found = archive.comparison(now.before or "", now.after or "")
    doubts = [(text,) for text in verdict(found)]
    bars = [("before", found.before_ns), *found.by_cause.items(), ("after", found.after_ns)]
    chart = Chart(
        id="causes",
        title="What the change is made of",
        figure=waterfall(found),
        data=pd.DataFrame([{"bar": str(name), "ns": ns} for name, ns in bars]),
        about=(f"Gray: time a {found.unit.word}. Red: more. Green: less.",),
    )
    said = Words(title=headline(found), lines=() if found.differences else tuple(doubts))
    differs = Words(lines=tuple(doubts), tone=Tone.WARNING)
    return [
        said,
        *([differs] if found.differences else []),
        chart,
        _changes(found),
        _rolled(found, _by(now)),
    ]


def _changes(comparison: Comparison) -> Table:
    rows = [
        Row(
            cells=(
                signed(line.change_ns),
                line.interval,
                line.cause,
                subject(line),
                concerned(line),
                line.speed_and_words,
            ),
            dim=line.dim,
        )
        for line in lines(comparison, _SHOWN)
    ]
    columns = (
        Column(name=f"a {comparison.unit.word}", number=True),
        Column(name="interval", number=True),
        Column(name="cause"),
        Column(name="what"),
        Column(name="where"),
        Column(name=""),
    )
    shown_columns, shown = filled(columns, rows)
    return Table(
        id="changes",
        title="What changed, largest first",
        columns=shown_columns,
        rows=shown,
        data=pd.DataFrame([_change(each) for each in comparison.changes], columns=_COLUMNS),
        about=(note,) if (note := interval_note(comparison)) else (),
        empty="No change.",
    )


_COLUMNS = [
    "cause",
    "what",
    "graph",
    "detail",
    "calls_before",
    "calls_after",
    "before_ns",
    "after_ns",
    "change_ns",
    "significant",
]


def _change(change: Change) -> dict[str, object]:
    """A change as a row of data."""
    return {
        "cause": change.cause.value,
        "what": change.what,
        "graph": change.graph,
        "detail": change.detail,
        "calls_before": " ".join(call.id for call in change.before),
        "calls_after": " ".join(call.id for call in change.after),
        "before_ns": change.before_ns,
        "after_ns": change.after_ns,
        "change_ns": change.change_ns,
        "significant": change.significant,
    }


def _rolled(comparison: Comparison, by: str) -> Table:
    """One of the tables of a comparison; rows without a change are in the data only."""
    every = comparison.tables[BY[by]]
    changed = [row for row in every if row.change_ns]
    shown, rest = changed[:_SHOWN], changed[_SHOWN:]
    named_as = naming(comparison, by)
    rows = [
        Row(
            cells=(
                named_as(row.name),
                duration(row.before_ns),
                duration(row.after_ns),
                signed(row.change_ns),
            )
        )
        for row in shown
    ]
    if rest:
        sums = [
            sum(getattr(row, part) for row in rest)
            for part in ("before_ns", "after_ns", "change_ns")
        ]
        times = (duration(sums[0]), duration(sums[1]), signed(sums[2]))
        rows.append(Row(cells=(f"{len(rest):,} more", *times), dim=True))
    columns = ["name", "before_ns", "after_ns", "change_ns"]
    alike = len(every) - len(changed)
    return Table(
        id=BY[by],
        title=f"By {by}, a {comparison.unit.word}",
        columns=(
            Column(name=by),
            Column(name="before", number=True),
            Column(name="after", number=True),
            Column(name="change", number=True),
        ),
        rows=tuple(rows),
        data=pd.DataFrame(
            [{name: getattr(row, name) for name in columns} for row in every], columns=columns
        ),
        about=(f"{alike:,} more did not change; the data has all.",) if alike else (),
        empty="No change.",
    )
