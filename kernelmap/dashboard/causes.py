"""What a comparison of two runs says about the whole run, or about one call, op, line or graph.

Takes a Comparison, and an item's kind and key. Gives the causes that bear most of a change, the
changes that concern an item, whether its code is among them, and which calls of the other run a
call became or was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kernelmap.compare.causes import Cause
from kernelmap.compare.comparison import Change, Comparison
from kernelmap.compare.side import CallSide, Side
from kernelmap.compare.words import lines, signed
from kernelmap.dashboard.items import rows_of
from kernelmap.present.text import visible
from kernelmap.views.frames import rows
from kernelmap.views.schema import LINES

_NAMED = 3
_BEARS = 0.05  # of the largest; what is less is on the page of the comparison


def causes_of_run(comparison: Comparison) -> str:
    """The causes of the whole change, in one line."""
    clock = Cause.CLOCK.value
    return bearing(
        (line.change_ns, f"{line.cause} {signed(line.change_ns)}: {line.what}")
        for line in lines(comparison)
        if line.cause == clock or not line.dim
    )


def bearing(texts: Iterable[tuple[int, str]]) -> str:
    """The texts of the largest changes, each given with its ns; how many more bear on it.

    >>> bearing([(5, "b"), (-90, "a"), (1, "c")]), bearing([])
    ('a; b', 'no change')
    """
    ordered = sorted(texts, key=lambda each: -abs(each[0]))
    main = [text for ns, text in ordered if abs(ns) >= _BEARS * abs(ordered[0][0])]
    more = [f"{len(main) - _NAMED} more"] if len(main) > _NAMED else []
    return "; ".join([*main[:_NAMED], *more]) or "no change"


OF_CODE = frozenset(
    {
        Cause.REFUSED,
        Cause.CONFIG,
        Cause.COMPILED,
        Cause.OPS,
        Cause.SHAPES,
        Cause.NEW,
        Cause.GONE,
        Cause.NEW_GRAPH,
        Cause.GONE_GRAPH,
    }
)
"""The causes by which other kernels run, or the same otherwise configured."""
_NOISY = (Cause.SAME_CODE, Cause.SPREAD)


def concerning(comparison: Comparison, kind: str, key: str) -> tuple[Change, ...]:
    """The changes of the calls that the item contains or is part of, largest first."""
    before, after = (_holds(kind, key, side) for side in comparison.sides)
    return tuple(
        change
        for change in comparison.changes
        if any(map(before, change.before))
        or any(map(after, change.after))
        or (kind == "op" and change.cause is Cause.OUTSIDE and change.what == key)
    )


def touches(comparison: Comparison, kind: str, key: str) -> bool:
    """Whether the code of a call changed that the item contains or is part of."""
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
    changes = concerning(comparison, kind, key)
    shown = [
        change
        for change in changes
        if change.cause is not Cause.CLOCK
        and (change.cause not in _NOISY or change.significant is not False)
    ]
    clock_ns = sum(change.change_ns for change in changes if change.cause is Cause.CLOCK)
    texts = [(change.change_ns, _line(change)) for change in shown]
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
        members = {call.id for graph in side.graphs if graph.id == key for call in graph.calls}
        return lambda call: call.id in members
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
