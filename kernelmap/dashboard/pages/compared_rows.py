"""Rows of a comparison with links to the pages of what they are about: calls, ops, lines, graphs.

Takes the comparison's own lines and names, gives cells. Names in parentheses hold the time of
nothing that has a page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernelmap.compare.causes import Cause
from kernelmap.compare.comparison import Comparison
from kernelmap.compare.rolled import line_name
from kernelmap.compare.side import CallSide, Side
from kernelmap.compare.words import Line
from kernelmap.dashboard.address import Address
from kernelmap.dashboard.items import item
from kernelmap.dashboard.page import Cell, Cells, Link
from kernelmap.outputs.text import visible
from kernelmap.views.frames import rows
from kernelmap.views.schema import TABLES

_NAMED = 4  # calls of one change
_GONE, _JOINT = " (gone)", " + "  # as compare/rolled.py writes them


def subject(line: Line) -> Cell:
    """What a change is about, with the way to its history."""
    change = line.change
    if change is None or line.what.startswith("("):
        return line.what
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
    cells: list[Cell] = []
    for call in calls[:_NAMED]:
        cells += [_linked(call.id, _of_call(call)), ", "]
    more = len(calls) - _NAMED
    return (*cells[:-1], f" and {more} more") if more > 0 else tuple(cells[:-1])


def naming(found: Comparison, by: str) -> Callable[[str], Cells]:
    """How the rows of `found.tables` are shown, for one choice of `by`."""
    if by == "op":
        return _aside(lambda text: _linked(text, item("op", {"name": text})))
    if by == "line":
        known = _lines(found)
        return _aside(lambda text: _linked(text, known.get(text)))
    if by == "graph":
        return _aside(
            lambda text: _of_side(
                text, lambda bare, _: (_linked(bare, item("graph", {"graph": bare})),)
            )
        )
    before, after = (_calls(side) for side in found.sides)
    return _aside(
        lambda text: _of_side(text, lambda bare, gone: _joined(bare, before if gone else after))
    )


def _aside(name: Callable[[str], Cells]) -> Callable[[str], Cells]:
    """The same, but for what has no page."""
    return lambda text: visible(text) if text.startswith("(") else name(text)


def _of_side(text: str, cells: Callable[[str, bool], tuple[Cell, ...]]) -> Cells:
    """The cells of a name that may be of the run before alone."""
    bare = text.removesuffix(_GONE)
    gone = bare != text
    return (*cells(bare, gone), _GONE) if gone else cells(bare, gone)


def _joined(text: str, known: Mapping[str, CallSide]) -> tuple[Cell, ...]:
    """The calls of a row, each with its link: several where they were fused otherwise."""
    cells: list[Cell] = []
    for part in [text] if text in known else text.split(_JOINT):
        cells += [_linked(part, _of_call(known[part]) if part in known else None), _JOINT]
    return tuple(cells[:-1])


def _lines(found: Comparison) -> Mapping[str, Address | None]:
    return {
        line_name(row): item("line", row)
        for side in found.sides
        for row in rows(TABLES["lines"], side.tables.frame("lines"))
    }


def _calls(side: Side) -> Mapping[str, CallSide]:
    return {f"{call.id} {call.name}": call for graph in side.graphs for call in graph.calls}


def _of_call(call: CallSide) -> Address | None:
    return item("call", {"fingerprint": call.piece.fingerprint})


def _linked(text: str, address: Address | None) -> Cell:
    return visible(text) if address is None else Link(visible(text), address)
