"""The marks of some series as a table, newest first, each with the causes that explain it.

Takes series and a function that gives a comparison's causes. The runs around a mark are compared in
the background, and a mark whose comparison is not ready has a row all the same. For a call there
are links that follow it through changes of its fusion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.side import CallSide
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.causes import became, causes_of_item, was
from kernelmap.dashboard.items import item
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.series import Mark, Marked, Series, recorded
from kernelmap.errors import KernelmapError
from kernelmap.present.address import Address
from kernelmap.present.page import Cell, Column, Kind, Link, Note, Row, Section, Table, Waiting
from kernelmap.present.text import duration, visible

_NEWEST = 12  # marks; each is a comparison of two runs
_NAMED = 6  # calls that a call became


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One mark; `compared` is None where the comparison is not there, `waits` where not yet."""

    series: Series
    mark: Marked
    compared: Comparison | None
    causes: str
    waits: bool

    @property
    def run(self) -> pd.Series:
        """The row of the run that bears the mark."""
        return self.series.frame.iloc[self.mark.at]

    @property
    def row(self) -> Row:
        """What a reader sees."""
        why = Address(page="compare", before=self.mark.before, after=self.mark.after)
        ratio = self.mark.ratio
        return Row(
            cells=(
                Link(self.mark.mark.value, why, title="what changed"),
                "" if ratio is None else f"{ratio - 1:+.1%}",
                visible(self.series.name),
                row_link(self.run.to_dict()),
                recorded(self.run["created"]),
                self.causes,
            )
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
        }


def explained(
    series: Sequence[Series], archive: Archive, say: Callable[[Comparison], str]
) -> list[Explained]:
    """The newest marks, with what `say` says of the comparison that explains each."""
    marked = [(each, mark) for each in series for mark in each.marks]
    marked.sort(key=lambda pair: pair[1].run, reverse=True)
    return [_explained(each, mark, archive, say) for each, mark in marked[:_NEWEST]]


def table(
    rows: Sequence[Explained], series: Sequence[Series], *, heading: str, empty: str
) -> Table:
    """The table of what `explained` gave of `series`."""
    more = sum(len(each.marks) for each in series) - len(rows)
    return Table(
        id="changes",
        title="What changed, newest first",
        columns=(
            Column(name="change", whole=True),
            Column(name="time", kind=Kind.NUMBER),
            Column(name="branch", whole=True),
            Column(name="run", whole=True),
            Column(name="recorded (UTC)", whole=True),
            Column(name=heading),
        ),
        rows=tuple(each.row for each in rows),
        frame=pd.DataFrame([each.datum for each in rows]),
        about=(f"{more} older ones are on the chart.",) if more > 0 else (),
        empty=empty,
    )


def waiting(rows: Sequence[Explained]) -> list[Waiting]:
    """A notice of how many are explained, while some of them are not."""
    done = sum(not each.waits for each in rows)
    if done == len(rows):
        return []
    return [Waiting(what="explaining changes", done=done, of=len(rows))]


def _explained(
    series: Series, mark: Marked, archive: Archive, say: Callable[[Comparison], str]
) -> Explained:
    compared, causes, waits = None, "…", False
    try:
        compared = archive.comparison(mark.before, mark.after)
        causes = say(compared)
    except NotYetError:
        waits = True
    except KernelmapError as error:
        causes = visible(error.message)
    return Explained(series=series, mark=mark, compared=compared, causes=causes, waits=waits)


def changes(series: Sequence[Series], address: Address, archive: Archive) -> list[Section]:
    """The table of the marks, and where to follow a call whose fusion changed."""
    kind, key = address.kind or "", address.key or ""
    rows = explained(series, archive, lambda compared: causes_of_item(compared, kind, key))
    sections: list[Section] = []
    if kind == "call":
        follow = [line for each in rows for line in _followed(each, address)]
        if follow:
            sections.append(Note(title="Through changes of fusion", lines=tuple(follow)))
    heading = "what the comparison says of its calls"
    empty = "Neither its time nor its code changed."
    return [*sections, table(rows, series, heading=heading, empty=empty), *waiting(rows)]


def _followed(change: Explained, address: Address) -> list[tuple[Cell, ...]]:
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
    begin = (when, row_link(change.run.to_dict()), f" of {visible(change.series.name)}: ")
    if not calls:
        return [(*begin, none)]
    return [(*begin, say, *_linked(calls, address))]


def _linked(calls: Sequence[CallSide], address: Address) -> list[Cell]:
    """Links to calls, the way they are written."""
    cells: list[Cell] = []
    for call in calls[:_NAMED]:
        to = item("call", {"fingerprint": call.piece.fingerprint})
        text = visible(f"{call.name} ({duration(_mean(call))} each)")
        kept = None if to is None else to.among(address)
        cells += [", "] if cells else []
        cells.append(text if kept is None else Link(text, kept, title=call.id))
    more = len(calls) - _NAMED
    return [*cells, f", {more} more"] if more > 0 else cells


def _mean(call: CallSide) -> float:
    return call.time_ns / call.launches if call.launches else 0.0
