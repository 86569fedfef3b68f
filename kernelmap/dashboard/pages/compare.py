"""Two runs held against each other: the change, its causes, and its part in ops, lines and calls.

`/compare?before=main~5&after=latest&by=line`; runs are named as the command line knows them. Of
one run alone, its neighbor is the other one, and of a branch's first run that of main where it left
that. Of none, the newest run of every branch is offered against main's there, and every series'
against the one before it. Names lead to the pages of their items, but for those in parentheses,
which hold the time of nothing that has a page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from msgspec.structs import replace

from kernelmap.dashboard.archive import Archive, attempt, sorry
from kernelmap.dashboard.items import item
from kernelmap.dashboard.listed import (
    branch,
    commit,
    commit_link,
    exact,
    fork,
    named,
    neighbors,
    run_link,
)
from kernelmap.dashboard.pairs import against_main, offers
from kernelmap.dashboard.series import recorded
from kernelmap.errors import UsageError
from kernelmap.history.compare.memory.page import sections_of_memory
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.rolled import GONE, JOINT, line_name
from kernelmap.history.compare.numbers.sums import ChangeSum
from kernelmap.history.compare.sides.side import CallSide, ComparedSide
from kernelmap.history.compare.texts.first_line import find_first_line
from kernelmap.history.compare.texts.show import (
    BY,
    has_sums,
    single_changes,
    table_of_causes,
    table_of_changes,
    table_of_rolled,
)
from kernelmap.history.compare.texts.why import say_why
from kernelmap.history.compare.texts.words import Line, say_verdict, say_whole_change
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import device
from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    CellKind,
    Cells,
    Field,
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
    drop_empty_columns,
)
from kernelmap.pages.text import make_visible
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import TABLES

_SHOWN = 60  # rows; what more there is stands in one line, and in the data


def compare_page(address: Address, archive: Archive) -> Page:
    """The page of an address such as `/compare?before=…&after=…&by=op`."""
    title = "Compare"
    if address.before is None and address.after is None:
        sections = attempt(lambda: [*against_main(archive), *offers(archive)])
        return Page(title=title, sections=(*sections, _form(address)))
    try:
        before, after = _pair(address, archive)
    except UsageError as error:
        return Page(title=title, sections=(_form(address), sorry(error)))
    # Links of this page mean these two runs, also when a name means another run later.
    now = address.with_changes(before=before.id, after=after.id)
    compared = attempt(lambda: _compared(now, (before, after), archive))
    return Page(
        title=title,
        sections=(*compared, two(now, before, after, archive), _form(address)),
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
    options = tuple(Link(word, address.with_changes(by=word)) for word in BY)
    return Menu(label="by", chosen=_by(address), options=options)


def _by(address: Address) -> str:
    return address.by if address.by is not None and address.by in BY else next(iter(BY))


def _pair(address: Address, archive: Archive) -> tuple[Listed, Listed]:
    """The two runs that are meant. Raises UsageError where there are no such two."""
    before = None if address.before is None else named(address.before, archive)
    after = None if address.after is None else named(address.after, archive)
    if before is None and after is not None:
        before = neighbors(after, archive).older or fork(after, archive)
    elif after is None and before is not None:
        after = neighbors(before, archive).newer
    if before is None or after is None:
        raise UsageError(
            "no-such-run",
            "there is no other run of its series on that side",
            "Name both runs: ids, names, branches and tags, as `kernelmap runs` lists them.",
        )
    return before, after


def _compared(now: Address, pair: tuple[Listed, Listed], archive: Archive) -> Sequence[Section]:
    comparison = archive.comparison(now.before or "", now.after or "")
    by = _by(now)
    doubts = [(text,) for text in (*say_verdict(comparison), *say_why(comparison))]
    # Where the two runs differ in how they ran, what makes the result doubtful is a warning.
    beside = () if comparison.differences else tuple(doubts)
    lines = ((say_whole_change(comparison),), _between(*pair), *beside)
    said = Note(title=find_first_line(comparison), lines=lines)
    differs = Note(lines=tuple(doubts), tone=Tone.WARNING)
    every = table_of_rolled(comparison, by, _SHOWN, name=naming(comparison, by))
    alike = sum(not row.change_ns for row in comparison.tables[BY[by]])
    about = (f"{alike:,} more did not change; the data has all.",) if alike else ()
    single = single_changes(comparison, _SHOWN, what=subject, where=concerned)
    return [
        said,
        *([differs] if comparison.differences else []),
        table_of_causes(comparison),
        table_of_changes(comparison, _SHOWN, what=subject, where=concerned),
        *([single] if has_sums(comparison) else []),
        *sections_of_memory(comparison.memory, _SHOWN),
        replace(every, about=about),
    ]


def _between(before: Listed, after: Listed) -> tuple[PageCell, ...]:
    """Which runs are held against each other, in a line below the headline."""
    sides = [
        (run_link(run, commit(run.facts) or run.id), f" of {branch(run.facts)}")
        for run in (before, after)
    ]
    return ("From ", *sides[0], " to ", *sides[1], ".")


_NAMED = 4  # calls of one change


def subject(line: Line) -> PageCell:
    """What a change is about, with the way to its history."""
    change = line.change
    # Words in parentheses stand for time that no item has.
    if line.what.startswith("("):
        return line.what
    if change is None:
        ops = line.shown.ops if isinstance(line.shown, ChangeSum) else ()
        # A sum of several changes leads to an op if all of it is of this one.
        return _linked(line.what, item("op", {"name": ops[0]})) if len(ops) == 1 else line.what
    # A call that is gone has its history under the run before.
    calls = change.after or change.before
    if change.cause is Cause.OUTSIDE:
        return _linked(line.what, item("op", {"name": change.what}))
    if change.cause in (Cause.NEW_GRAPH, Cause.GONE_GRAPH):
        return _linked(line.what, item("graph", {"graph": change.what}))
    return _linked(line.what, _of_call(calls[0]) if calls else None)


def concerned(line: Line) -> Cells:
    """The calls that a change concerns, each with the way to its history."""
    if line.change is None:
        return line.where
    calls = line.change.after or line.change.before
    cells: list[PageCell] = []
    for call in calls[:_NAMED]:
        cells += [_linked(call.id, _of_call(call)), ", "]
    more = len(calls) - _NAMED
    return (*cells[:-1], f" and {more} more") if more > 0 else tuple(cells[:-1])


def naming(comparison: Comparison, by: str) -> Callable[[str], Cells]:
    """How the rows of `found.tables` are shown, for one choice of `by`."""
    if by == "op":
        return _aside(lambda text: _linked(text, item("op", {"name": text})))
    if by == "line":
        places = _lines(comparison)
        return _aside(lambda text: _linked(text, places.get(text)))
    if by == "graph":
        return _aside(
            lambda text: _of_side(
                text, lambda bare, _: (_linked(bare, item("graph", {"graph": bare})),)
            )
        )
    before, after = (_calls(side) for side in comparison.sides)
    return _aside(
        lambda text: _of_side(text, lambda bare, gone: _joined(bare, before if gone else after))
    )


def _aside(name: Callable[[str], Cells]) -> Callable[[str], Cells]:
    """The same, but for what has no page."""
    return lambda text: make_visible(text) if text.startswith("(") else name(text)


def _of_side(text: str, cells: Callable[[str, bool], tuple[PageCell, ...]]) -> Cells:
    """The cells of a name that may be of the run before alone."""
    bare = text.removesuffix(GONE)
    gone = bare != text
    return (*cells(bare, gone), GONE) if gone else cells(bare, gone)


def _joined(text: str, calls: Mapping[str, CallSide]) -> tuple[PageCell, ...]:
    """The calls of a row, each with its link: several where they were fused otherwise."""
    # A call's own text may hold the sign that joins several calls, so the whole is looked up first.
    parts = [text] if text in calls else text.split(JOINT)
    cells: list[PageCell] = []
    for part in parts[:_NAMED]:
        cells += [_linked(part, _of_call(calls[part]) if part in calls else None), JOINT]
    more = len(parts) - _NAMED
    return (*cells[:-1], f" and {more:,} more") if more > 0 else tuple(cells[:-1])


def _lines(comparison: Comparison) -> Mapping[str, Address | None]:
    return {
        line_name(row): item("line", row)
        for side in comparison.sides
        for row in rows_of_frame(TABLES["lines"], side.tables.frame("lines"))
    }


def _calls(side: ComparedSide) -> Mapping[str, CallSide]:
    return {f"{call.id} {call.name}": call for graph in side.graphs for call in graph.calls}


def _of_call(call: CallSide) -> Address | None:
    return item("call", {"fingerprint": call.piece.fingerprint})


def _linked(text: str, address: Address | None) -> PageCell:
    return make_visible(text) if address is None else Link(make_visible(text), address)


def two(now: Address, before: Listed, after: Listed, archive: Archive) -> PageTable:
    """What the two runs are, and the way to their neighbors."""
    rows, data = [], []
    for side, run in (("before", before), ("after", after)):
        facts = run.facts
        row = (
            side,
            run_link(run),
            recorded(facts.created),
            branch(facts),
            commit_link(facts, archive),
            make_visible(facts.name or ""),
            make_visible(device(facts)),
            exact(facts),
        )
        rows.append(PageRow(cells=(*row, _steps(now, side, run, archive))))
        data.append(
            {
                "side": side,
                "run": run.id,
                "created": facts.created,
                "branch": facts.branch,
                "commit": facts.commit,
                "name": facts.name,
                "gpu": device(facts),
                "exact": facts.window.coverage.get("exact"),
            }
        )
    columns, shown = drop_empty_columns(_RUN_COLUMNS, rows)
    return PageTable(
        id="runs",
        title="The two runs",
        columns=columns,
        rows=shown,
        frame=pd.DataFrame(data),
        about=(Link("swap the two", now.with_changes(before=now.after, after=now.before)),),
        ordered=True,
    )


_RUN_COLUMNS = (
    PageColumn(name=""),
    PageColumn(name="run", whole=True),
    PageColumn(name="recorded (UTC)", whole=True),
    PageColumn(name="branch"),
    PageColumn(name="commit"),
    PageColumn(name="name"),
    PageColumn(name="device"),
    PageColumn(name="exact", kind=CellKind.NUMBER),
    PageColumn(name="instead of it", whole=True),
)


def _steps(now: Address, side: str, run: Listed, archive: Archive) -> Cells:
    around = neighbors(run, archive)
    links = [
        Link(text, now.with_changes(**{side: other.id}), title=other.id)
        for text, other in (("the run before", around.older), ("the run after", around.newer))
        if other is not None
    ]
    return (links[0], " · ", links[1]) if len(links) > 1 else tuple(links)
