"""Where the time or the code of an item changed, and the calls that a call became.

Takes its series, gives a table of their marks, newest first, with what the comparison of the runs
around each says of the item's calls, and links that follow a call through changes of its fusion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from kernelmap.compare.comparison import Comparison
from kernelmap.compare.side import CallSide
from kernelmap.dashboard import fusion
from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive, NotYetError
from kernelmap.dashboard.items import item
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.page import Cell, Column, Link, Row, Section, Table, Waiting, Words
from kernelmap.dashboard.series import Mark, Marked, Series
from kernelmap.errors import KernelmapError
from kernelmap.outputs.text import duration, visible

_TOLD = 12  # marks with what the comparison of the runs around them says
_NAMED = 6  # calls that a call became


def changes(found: Sequence[Series], address: Address, archive: Archive) -> list[Section]:
    """The table of the marks, and where to follow a call whose fusion changed."""
    kind, key = address.kind or "", address.key or ""
    marked = [(each, mark) for each in found for mark in each.marks]
    marked.sort(key=lambda pair: pair[1].run, reverse=True)
    rows, data, waits, follow = [], [], 0, []
    for each, mark in marked[:_TOLD]:
        compared: Comparison | None = None
        try:
            compared = archive.comparison(mark.before, mark.after)
            causes = fusion.told(compared, kind, key)
        except NotYetError:
            waits, causes = waits + 1, "…"
        except KernelmapError as error:
            causes = error.message
        run = each.frame[each.frame["run"] == mark.run].iloc[0]
        rows.append(_row(each, mark, run, causes))
        data.append(_datum(each, mark, run, causes))
        if compared is not None and kind == "call":
            follow += _followed(compared, each, mark, address)
    more = len(marked) - len(rows)
    table = Table(
        id="changes",
        title="What changed, newest first",
        columns=(
            Column(name="change", whole=True),
            Column(name="time", number=True),
            Column(name="branch", whole=True),
            Column(name="run", whole=True),
            Column(name="recorded (UTC)", whole=True),
            Column(name="what the comparison says of its calls"),
        ),
        rows=tuple(rows),
        data=pd.DataFrame(data),
        about=(f"{more} older ones are on the chart.",) if more > 0 else (),
        empty="Neither its time nor its code changed.",
    )
    sections: list[Section] = [table]
    if follow:
        sections.insert(0, Words(title="Through changes of fusion", lines=tuple(follow)))
    if waits:
        sections.append(Waiting(what="comparing", done=len(rows) - waits, of=len(rows)))
    return sections


def _row(each: Series, mark: Marked, run: pd.Series, causes: str) -> Row:
    why = Address(page="compare", before=mark.before, after=mark.after)
    return Row(
        cells=(
            Link(mark.mark.value, why, title="what changed"),
            "" if mark.ratio is None else f"{mark.ratio - 1:+.1%}",
            visible(each.branch),
            row_link(run.to_dict()),
            str(run["created"])[:16].replace("T", " "),
            causes,
        )
    )


def _datum(each: Series, mark: Marked, run: pd.Series, causes: str) -> Mapping[str, object]:
    return {
        "mark": mark.mark.value,
        "ratio": mark.ratio,
        "branch": each.branch,
        "run": mark.run,
        "commit": run["commit"],
        "created": run["created"],
        "before": mark.before,
        "after": mark.after,
        "causes": causes,
    }


def _followed(
    compared: Comparison, each: Series, mark: Marked, address: Address
) -> list[tuple[Cell, ...]]:
    """What a call became where it is gone, and what it was before it appeared."""
    key = address.key or ""
    run = each.frame[each.frame["run"] == mark.run].iloc[0]
    if mark.mark is Mark.GONE:
        calls, say, none = fusion.became(compared, key), "became ", "nothing took its place"
        begin: tuple[Cell, ...] = (
            "Gone after ",
            row_link(run.to_dict()),
            f" of {visible(each.branch)}: ",
        )
    elif mark.mark is Mark.APPEARS:
        calls, say, none = fusion.was(compared, key), "was ", "nothing did its work before"
        begin = ("Appeared with ", row_link(run.to_dict()), f" of {visible(each.branch)}: ")
    else:
        return []
    if not calls:
        return [(*begin, none)]
    return [(*begin, say, *_linked(calls, address))]


def _linked(calls: Sequence[CallSide], address: Address) -> list[Cell]:
    """Links to calls, the way they are written."""
    cells: list[Cell] = []
    for call in calls[:_NAMED]:
        to = item("call", {"fingerprint": call.piece.fingerprint})
        text = visible(f"{call.name} ({duration(_mean(call))} each)")
        kept = None if to is None else replace(to, branch=address.branch, gpu=address.gpu)
        cells += [", "] if cells else []
        cells.append(text if kept is None else Link(text, kept, title=call.id))
    more = len(calls) - _NAMED
    return [*cells, f", {more} more"] if more > 0 else cells


def _mean(call: CallSide) -> float:
    return call.time_ns / call.launches if call.launches else 0.0
