"""Why a series changed: the causes that comparisons give, and the table of its marks with them.

Takes comparisons, and an item's kind and key: the sums of changes that bear most of the whole, or
of an item, which calls of the other run a call became or was. The runs around a mark are
compared in the background, and a mark whose comparison is not ready has a row all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd
from msgspec import Struct

from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.items import item, rows_of
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.series import Mark, Marked, Series, recorded
from kernelmap.errors import KernelmapError
from kernelmap.history.compare.numbers.causes import BY_CLOCK, OF_CODE, Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.sums import ChangeSum, sums_within
from kernelmap.history.compare.sides.side import CallSide, ComparedSide
from kernelmap.history.compare.texts.words import detail_of, stands_alone
from kernelmap.history.store.refs import ACKNOWLEDGED
from kernelmap.model.notices import format_count
from kernelmap.pages.address import Address
from kernelmap.pages.page import (
    CellKind,
    Link,
    Note,
    PageCell,
    PageColumn,
    PageRow,
    PageTable,
    Section,
    WaitingNote,
)
from kernelmap.pages.text import format_duration, format_signed, make_visible, signed_percent
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import LINES

_NAMED = 3
_BEARS = 0.05
"""Of the largest change; what is less is on the page of the comparison. It decides what is shown
alone."""


def causes_of_run(comparison: Comparison) -> str:
    """The causes of the whole change, in one line: one text per cause and kernel or operator."""
    return _causes(comparison.sums)


def bearing(texts: Iterable[tuple[int, str]]) -> str:
    """The texts of the largest changes, each given with its ns; how many more bear on it.

    >>> bearing([(5, "b"), (-90, "a"), (1, "c")]), bearing([])
    ('a; b', 'no change')
    """
    ordered = sorted(texts, key=lambda text: -abs(text[0]))
    # Changes that are small beside the largest one are left to the page of the comparison.
    main = [text for ns, text in ordered if abs(ns) >= _BEARS * abs(ordered[0][0])]
    more = [f"{len(main) - _NAMED} more"] if len(main) > _NAMED else []
    return "; ".join([*main[:_NAMED], *more]) or "no change"


def concerning(comparison: Comparison, kind: str, key: str) -> tuple[Change, ...]:
    """The changes of the calls that the item contains or is part of, largest first."""
    # A change concerns the item if one of its calls does, in the earlier run or in the later one.
    before, after = (_holds(kind, key, side) for side in comparison.sides)
    return tuple(
        change
        for change in comparison.changes
        if any(map(before, change.before))
        or any(map(after, change.after))
        # An operator outside of compiled code has no call; its change goes by its name.
        or (kind == "op" and change.cause is Cause.OUTSIDE and change.what == key)
    )


def touches(comparison: Comparison, kind: str, key: str) -> bool:
    """Whether a call changed its code that the item contains, or that contains the item."""
    return any(change.cause in OF_CODE for change in concerning(comparison, kind, key))


def became(comparison: Comparison, fingerprint: str) -> tuple[CallSide, ...]:
    """The calls of the later run that do what this call did in the earlier one."""
    of_call = concerning(comparison, "call", fingerprint)
    return _unique([call for change in of_call if change.before for call in change.after])


def was(comparison: Comparison, fingerprint: str) -> tuple[CallSide, ...]:
    """The calls of the earlier run that did what this call does in the later one."""
    of_call = concerning(comparison, "call", fingerprint)
    return _unique([call for change in of_call if change.after for call in change.before])


def causes_of_item(comparison: Comparison, kind: str, key: str) -> str:
    """The changes of the item that bear most of it, in one line; ns are those of whole calls."""
    return _causes(sums_within(comparison.sums, concerning(comparison, kind, key)))


def _causes(sums: Iterable[ChangeSum]) -> str:
    """Those that are more than noise, and all changes of code, the largest first, in one line."""
    told = (each for each in sums if stands_alone(each) or each.cause in BY_CLOCK)
    return bearing((each.change_ns, _cause(each)) for each in told)


def _cause(each: ChangeSum) -> str:
    begin = f"{each.cause.value} {format_signed(each.change_ns)}"
    if each.cause in BY_CLOCK:
        return begin
    several = each.calls > 1 and each.cause not in (Cause.REFUSED, Cause.REPLACED)
    calls = f", {format_count(each.calls, 'call')}" if several else ""
    detail = f" ({shared})" if (shared := detail_of(each)) else ""
    return make_visible(f"{begin}: {each.what}{calls}{detail}")


def _holds(kind: str, key: str, side: ComparedSide) -> Callable[[CallSide], bool]:
    """Whether a call of this side is the item, is in it, or has it in it."""
    if kind == "call":
        return lambda call: call.piece.fingerprint == key
    if kind == "op":
        return lambda call: key in call.ops
    if kind == "graph":
        # Ids of calls differ from run to run, so the calls of a graph are looked up on each side.
        members = {call.id for graph in side.graphs if graph.id == key for call in graph.calls}
        return lambda call: call.id in members
    places = _places(key, side)
    return lambda call: not places.isdisjoint(call.source)


def _places(key: str, side: ComparedSide) -> frozenset[str]:
    """Where a line stands in the source of this side, as `file:line`."""
    named = rows_of("line", key)
    where = named[1] if named else {}
    return frozenset(
        f"{row['file']}:{row['line']}"
        # The text of a line is found again where the line has moved to another number.
        for row in rows_of_frame(LINES, side.tables.frame("lines"))
        if row["line"] is not None and all(row[name] == value for name, value in where.items())
    )


def _unique(calls: list[CallSide]) -> tuple[CallSide, ...]:
    return tuple({call.id: call for call in calls}.values())


_NEWEST = 12  # marks; each is a comparison of two runs
_LINKED = 6  # calls that a call became


class Explained(Struct, frozen=True, kw_only=True):
    """One mark; `compared` is None where the comparison is not there, `waits` where not yet.

    `note` is what somebody said who has looked at it.
    """

    series: Series
    mark: Marked
    compared: Comparison | None
    causes: str
    waits: bool
    note: str | None = None

    @property
    def run(self) -> pd.Series:
        """The row of the run that bears the mark."""
        return self.series.frame.iloc[self.mark.at]

    @property
    def row(self) -> PageRow:
        """What a reader sees."""
        why = Address(page="compare", before=self.mark.before, after=self.mark.after)
        ratio = self.mark.ratio
        return PageRow(
            cells=(
                Link(self.mark.mark.value, why, title="what changed"),
                "" if ratio is None else signed_percent(ratio - 1),
                make_visible(self.series.name),
                row_link(self.run.to_dict()),
                recorded(self.run["created"]),
                self.causes if self.note is None else f"acknowledged: {self.note} · {self.causes}",
            ),
            dim=self.note is not None,
        )

    @property
    def datum(self) -> dict[str, object]:
        """What is downloaded."""
        return {
            "mark": self.mark.mark.value,
            "ratio": self.mark.ratio,
            "branch": self.series.branch,
            "series": self.series.tags,
            "run": self.mark.run,
            "commit": self.run["commit"],
            "created": self.run["created"],
            "before": self.mark.before,
            "after": self.mark.after,
            "causes": self.causes,
            "acknowledged": self.note,
        }


def explained(
    series: Sequence[Series], archive: Archive, say: Callable[[Comparison], str]
) -> list[Explained]:
    """The newest marks, with what `say` says of the comparison that explains each.

    Odd runs stand below: after them all was as before.
    """
    marked = [(one_series, mark) for one_series in series for mark in one_series.marks]
    # Runs are ordered by id, so by time: newest first, and odd runs behind all others.
    marked.sort(key=lambda pair: (pair[1].mark is not Mark.ODD, pair[1].run), reverse=True)
    return [_explained(one_series, mark, archive, say) for one_series, mark in marked[:_NEWEST]]


def table(
    rows: Sequence[Explained], series: Sequence[Series], *, heading: str, empty: str
) -> PageTable:
    """The table of what `explained` gave of `series`."""
    more = sum(len(one_series.marks) for one_series in series) - len(rows)
    return PageTable(
        id="changes",
        title="What changed, newest first; odd runs below",
        columns=(
            PageColumn(name="change", whole=True),
            PageColumn(name="time", kind=CellKind.NUMBER),
            PageColumn(name="branch", whole=True),
            PageColumn(name="run", whole=True),
            PageColumn(name="recorded (UTC)", whole=True),
            PageColumn(name=heading),
        ),
        rows=tuple(row.row for row in rows),
        frame=pd.DataFrame([row.datum for row in rows]),
        about=(f"{more} older ones are on the chart.",) if more > 0 else (),
        empty=empty,
    )


def waiting(rows: Sequence[Explained]) -> list[WaitingNote]:
    """A notice of how many are explained, while some of them are not."""
    done = sum(not row.waits for row in rows)
    if done == len(rows):
        return []
    return [WaitingNote(what="explaining changes", done=done, of=len(rows))]


def _explained(
    series: Series, mark: Marked, archive: Archive, say: Callable[[Comparison], str]
) -> Explained:
    # A mark has its row before its comparison is ready, and also where that fails.
    compared, causes, waits = None, "…", False
    try:
        compared = archive.comparison(mark.before, mark.after)
        causes = say(compared)
    except NotYetError:
        waits = True
    except KernelmapError as error:
        causes = make_visible(error.message)
    return Explained(
        series=series,
        mark=mark,
        compared=compared,
        causes=causes,
        waits=waits,
        note=_note(series, mark, archive),
    )


_AROUND = 5
"""Runs: where a level is seen to begin moves a little with the runs that follow, and a note stays
with it. As _NEAR in series.py."""


def _note(series: Series, mark: Marked, archive: Archive) -> str | None:
    """What the nearest acknowledged run around a mark says of it."""
    listing = archive.snapshot.listing
    notes = {
        run.id: run.tags[ACKNOWLEDGED]
        for run in (listing.runs if listing else ())
        if ACKNOWLEDGED in run.tags
    }
    runs = series.frame["run"].tolist()
    # The nearest of the runs around the mark that somebody acknowledged.
    near = [at for at, run in enumerate(runs) if run in notes and abs(at - mark.at) <= _AROUND]
    return make_visible(notes[runs[min(near, key=lambda at: abs(at - mark.at))]]) if near else None


def changes(series: Sequence[Series], address: Address, archive: Archive) -> list[Section]:
    """The table of the marks, and where to follow a call whose fusion changed."""
    kind, key = address.kind or "", address.key or ""
    rows = explained(series, archive, lambda compared: causes_of_item(compared, kind, key))
    sections: list[Section] = []
    if kind == "call":
        follow = [line for row in rows for line in _followed(row, address)]
        if follow:
            sections.append(Note(title="Through changes of fusion", lines=tuple(follow)))
    heading = "causes, of its calls"
    empty = "Neither its time nor its code changed."
    return [*sections, table(rows, series, heading=heading, empty=empty), *waiting(rows)]


def _followed(change: Explained, address: Address) -> list[tuple[PageCell, ...]]:
    """What a call became where it is gone, and what it was before it appeared."""
    compared, key = change.compared, address.key or ""
    if compared is None:
        return []
    if change.mark.mark is Mark.GONE:
        when, say, none = "Gone after ", "became ", "nothing took its place"
        calls = became(compared, key)
    elif change.mark.mark is Mark.APPEARS:
        when, say, none = "Appeared with ", "was ", "nothing did its work before"
        calls = was(compared, key)
    else:
        return []
    begin = (when, row_link(change.run.to_dict()), f" of {make_visible(change.series.name)}: ")
    if not calls:
        return [(*begin, none)]
    return [(*begin, say, *_linked(calls, address))]


def _linked(calls: Sequence[CallSide], address: Address) -> list[PageCell]:
    """Links to calls, the way they are written."""
    cells: list[PageCell] = []
    for call in calls[:_LINKED]:
        to = item("call", {"fingerprint": call.piece.fingerprint})
        text = make_visible(f"{call.name} ({format_duration(_mean(call))} each)")
        kept = None if to is None else to.among_runs(address)
        cells += [", "] if cells else []
        cells.append(text if kept is None else Link(text, kept, title=call.id))
    more = len(calls) - _LINKED
    return [*cells, f", {more} more"] if more > 0 else cells


def _mean(call: CallSide) -> float:
    return call.time_ns / call.launches if call.launches else 0.0
