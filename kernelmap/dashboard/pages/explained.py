"""The marks of some series as a table, newest first, each with what explains it.

Takes series and a function that says of a comparison what a page wants to know; the runs around a
mark are compared in the background, and what is not there yet has a row all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from kernelmap.compare.comparison import Comparison
from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.page import Column, Link, Row, Table, Waiting
from kernelmap.dashboard.series import Marked, Series, recorded
from kernelmap.errors import KernelmapError
from kernelmap.outputs.text import visible

_TOLD = 12  # marks; each is a comparison of two runs


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
                visible(self.series.branch),
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
            "run": self.mark.run,
            "commit": self.run["commit"],
            "created": self.run["created"],
            "before": self.mark.before,
            "after": self.mark.after,
            "causes": self.causes,
        }


def explained(
    found: Sequence[Series], archive: Archive, say: Callable[[Comparison], str]
) -> list[Explained]:
    """The newest marks, with what `say` says of the comparison that explains each."""
    marked = [(each, mark) for each in found for mark in each.marks]
    marked.sort(key=lambda pair: pair[1].run, reverse=True)
    return [_explained(each, mark, archive, say) for each, mark in marked[:_TOLD]]


def table(rows: Sequence[Explained], found: Sequence[Series], *, heading: str, empty: str) -> Table:
    """The table of what `explained` gave of the series `found`."""
    more = sum(len(each.marks) for each in found) - len(rows)
    return Table(
        id="changes",
        title="What changed, newest first",
        columns=(
            Column(name="change", whole=True),
            Column(name="time", number=True),
            Column(name="branch", whole=True),
            Column(name="run", whole=True),
            Column(name="recorded (UTC)", whole=True),
            Column(name=heading),
        ),
        rows=tuple(each.row for each in rows),
        data=pd.DataFrame([each.datum for each in rows]),
        about=(f"{more} older ones are on the chart.",) if more > 0 else (),
        empty=empty,
    )


def waiting(rows: Sequence[Explained]) -> list[Waiting]:
    """What is said while some of them are not explained yet."""
    done = sum(not each.waits for each in rows)
    if done == len(rows):
        return []
    return [Waiting(what="explaining changes", done=done, of=len(rows))]


def _explained(
    each: Series, mark: Marked, archive: Archive, say: Callable[[Comparison], str]
) -> Explained:
    compared, causes, waits = None, "…", False
    try:
        compared = archive.comparison(mark.before, mark.after)
        causes = say(compared)
    except NotYetError:
        waits = True
    except KernelmapError as error:
        causes = visible(error.message)
    return Explained(series=each, mark=mark, compared=compared, causes=causes, waits=waits)
