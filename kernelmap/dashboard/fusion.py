"""What a comparison of two runs says about one call, op, line or graph.

Takes a Comparison and an item's kind and key, gives its changes that concern the item, whether its
code is among them, and which calls of the other run a call became or was.
"""

from __future__ import annotations

from collections.abc import Callable

from kernelmap.compare.causes import Cause
from kernelmap.compare.comparison import Change, Comparison
from kernelmap.compare.side import CallSide, Side
from kernelmap.compare.words import signed
from kernelmap.dashboard.causes import bearing
from kernelmap.dashboard.items import rows_of
from kernelmap.outputs.text import visible
from kernelmap.views.frames import rows
from kernelmap.views.schema import LINES

OF_CODE = frozenset(
    {
        Cause.REFUSED,
        Cause.CONFIG,
        Cause.COMPILED,
        Cause.SHAPES,
        Cause.NEW,
        Cause.GONE,
        Cause.NEW_GRAPH,
        Cause.GONE_GRAPH,
    }
)
"""The causes by which other kernels run, or the same otherwise configured."""


def concerning(found: Comparison, kind: str, key: str) -> tuple[Change, ...]:
    """The changes of the calls that the item contains or is part of, largest first."""
    before, after = (_holds(kind, key, side) for side in found.sides)
    return tuple(
        change
        for change in found.changes
        if any(map(before, change.before))
        or any(map(after, change.after))
        or (kind == "op" and change.cause is Cause.OUTSIDE and change.what == key)
    )


def touches(found: Comparison, kind: str, key: str) -> bool:
    """Whether the code of a call changed that the item contains or is part of."""
    return any(change.cause in OF_CODE for change in concerning(found, kind, key))


def became(found: Comparison, fingerprint: str) -> tuple[CallSide, ...]:
    """The calls of the later run that do what this call did in the earlier one."""
    of_call = concerning(found, "call", fingerprint)
    return _unique([call for change in of_call if change.before for call in change.after])


def was(found: Comparison, fingerprint: str) -> tuple[CallSide, ...]:
    """The calls of the earlier run that did what this call does in the later one."""
    of_call = concerning(found, "call", fingerprint)
    return _unique([call for change in of_call if change.after for call in change.before])


def told(found: Comparison, kind: str, key: str) -> str:
    """The changes of the item that bear most of it, in one line; ns are those of whole calls."""
    known = [
        change
        for change in concerning(found, kind, key)
        if change.cause is not Cause.CLOCK
        and (change.cause is not Cause.SAME_CODE or change.significant is not False)
    ]
    clock_ns = sum(
        change.change_ns for change in concerning(found, kind, key) if change.cause is Cause.CLOCK
    )
    texts = [(change.change_ns, _line(change)) for change in known]
    if clock_ns:
        texts.append((clock_ns, f"{Cause.CLOCK.value} {signed(clock_ns)}"))
    return bearing(texts)


def _line(change: Change) -> str:
    detail = f" ({change.detail})" if change.detail else ""
    return visible(f"{change.cause.value} {signed(change.change_ns)}: {change.what}{detail}")


def _holds(kind: str, key: str, side: Side) -> Callable[[CallSide], bool]:
    """Whether a call of this side is the item, is in it, or has it in it."""
    if kind == "call":
        return lambda call: call.piece.fingerprint == key
    if kind == "op":
        return lambda call: key in call.ops
    if kind == "graph":
        return lambda call: call.id.rpartition("/")[0] == key
    places = _places(key, side)
    return lambda call: not places.isdisjoint(call.source)


def _places(key: str, side: Side) -> frozenset[str]:
    """Where a line stands in the source of this side, as `file:line`."""
    named = rows_of("line", key)
    where = named[1] if named else {}
    return frozenset(
        f"{row['file']}:{row['line']}"
        for row in rows(LINES, side.tables.frame("lines"))
        if row["line"] is not None and all(row[name] == value for name, value in where.items())
    )


def _unique(calls: list[CallSide]) -> tuple[CallSide, ...]:
    return tuple({call.id: call for call in calls}.values())
