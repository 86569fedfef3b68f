"""Where the time or the code of an item changed, and the calls that a call became.

Takes its series, gives a table of their marks, newest first, with what the comparison of the runs
around each says of the item's calls, and links that follow a call through changes of its fusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernelmap.compare.side import CallSide
from kernelmap.dashboard import fusion
from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import Archive
from kernelmap.dashboard.items import item
from kernelmap.dashboard.listed import row_link
from kernelmap.dashboard.page import Cell, Link, Section, Words
from kernelmap.dashboard.pages.explained import Explained, explained, table, waiting
from kernelmap.dashboard.series import Mark, Series
from kernelmap.outputs.text import duration, visible

_NAMED = 6  # calls that a call became


def changes(found: Sequence[Series], address: Address, archive: Archive) -> list[Section]:
    """The table of the marks, and where to follow a call whose fusion changed."""
    kind, key = address.kind or "", address.key or ""
    rows = explained(found, archive, lambda compared: fusion.told(compared, kind, key))
    sections: list[Section] = []
    if kind == "call":
        follow = [line for each in rows for line in _followed(each, address)]
        if follow:
            sections.append(Words(title="Through changes of fusion", lines=tuple(follow)))
    heading = "what the comparison says of its calls"
    empty = "Neither its time nor its code changed."
    return [*sections, table(rows, found, heading=heading, empty=empty), *waiting(rows)]


def _followed(found: Explained, address: Address) -> list[tuple[Cell, ...]]:
    """What a call became where it is gone, and what it was before it appeared."""
    compared, key = found.compared, address.key or ""
    if compared is None:
        return []
    if found.mark.mark is Mark.GONE:
        when, say, none = "Gone after ", "became ", "nothing took its place"
        calls = fusion.became(compared, key)
    elif found.mark.mark is Mark.APPEARS:
        when, say, none = "Appeared with ", "was ", "nothing did its work before"
        calls = fusion.was(compared, key)
    else:
        return []
    begin = (when, row_link(found.run.to_dict()), f" of {visible(found.series.branch)}: ")
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
