"""A comparison in words and lines: what every way to show it starts from.

Takes a Comparison, gives short texts. Changes that are no more than noise stand in one line, and so
does what all calls of one cause share (a slower clock); nothing is left out of the sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelmap.compare.causes import Cause
from kernelmap.compare.comparison import Change, Comparison
from kernelmap.compare.side import CallSide
from kernelmap.model.notices import count
from kernelmap.outputs.text import duration, visible

_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: a cause, what it concerns, ns per unit, and what there is to say.

    `change` is what it tells of; None where it tells of several at once.
    """

    cause: str
    what: str
    where: str
    change_ns: int
    words: str
    dim: bool = False
    change: Change | None = None


def headline(found: Comparison) -> str:
    """The whole change: `1.04x slower: 5.00 ms → 5.20 ms, +200 µs a step`."""
    speed_words = speed(found.after_ns / found.before_ns) if found.before_ns else "new time"
    times = f"{duration(found.before_ns)} → {duration(found.after_ns)}"
    return f"{speed_words}: {times}, {signed(found.change_ns)} a {found.unit.word}"


def verdict(found: Comparison) -> list[str]:
    """Whether the two may be compared, a sentence per difference."""
    noun = found.unit.word.partition(" ")[0]
    counts = f"{found.unit.before} and {count(found.unit.after, noun)}"
    if not found.differences:
        return [f"comparable: nothing else is known to differ ({counts})"]
    return [f"differs beside the code: {visible(each.text())}" for each in found.differences]


def lines(found: Comparison, top: int = 20) -> list[Line]:
    """The changes as lines, largest first; they add up to the change."""
    alone = [change for change in found.changes if _tells(change)]
    shown, rest = alone[:top], alone[top:]
    told = [_line(change) for change in shown]
    noise = [change for change in found.changes if not _tells(change)]
    for cause in dict.fromkeys(change.cause for change in noise):
        together = [change for change in noise if change.cause is cause]
        told.append(_together(cause, together, found))
    told.sort(key=lambda line: -abs(line.change_ns))
    if rest:
        more = sum(change.change_ns for change in rest)
        told.append(
            Line(cause="", what=f"{len(rest):,} more", where="", change_ns=more, words="", dim=True)
        )
    return told


def speed(ratio: float) -> str:
    """After over before, in words.

    >>> speed(1.08), speed(0.5), speed(1.0004)
    ('1.08x slower', '2.00x faster', 'as fast')
    """
    if abs(ratio - 1) < 0.0005:  # noqa: PLR2004 -- rounds to 1.000
        return "as fast"
    return f"{ratio:.2f}x slower" if ratio > 1 else f"{1 / ratio:.2f}x faster" if ratio else "gone"


def signed(ns: int) -> str:
    """A change with its sign.

    >>> signed(41_000), signed(-5), signed(0)
    ('+41.00 µs', '-5 ns', '0 ns')
    """
    return f"{'+' if ns > 0 else '-' if ns < 0 else ''}{duration(abs(ns))}"


def of_change(change: Change, unit: str | None = None) -> str:
    """One change in words: `1.08x slower, +41 µs a step, significant`; the time with a `unit`."""
    parts = []
    ratio = _ratio(change)
    if ratio is not None:
        parts.append(speed(ratio))
    if unit is not None:
        parts.append(f"{signed(change.change_ns)} a {unit}")
    if change.cause is not Cause.LAUNCHES and change.before and change.after:
        known = change.significant
        parts.append(
            "too few runs to tell"
            if known is None
            else "significant"
            if known
            else "not significant"
        )
    return ", ".join([*parts, *filter(None, [change.detail])])


def _tells(change: Change) -> bool:
    """Whether a change stands in a line of its own."""
    if change.cause is Cause.CLOCK:
        return False
    return change.cause is not Cause.SAME_CODE or change.significant is not False


def _line(change: Change) -> Line:
    return Line(
        cause=change.cause.value,
        what=visible(change.what),
        where=visible(_where(change.after or change.before)),
        change_ns=change.change_ns,
        words=visible(of_change(change)),
        change=change,
    )


def _together(cause: Cause, changes: Sequence[Change], found: Comparison) -> Line:
    total = sum(change.change_ns for change in changes)
    words = "not significant"
    if cause is Cause.CLOCK:
        words = f"{speed(float(found.clock))}, all alike: clock, power or GPU, not the code"
    return Line(
        cause=cause.value,
        what=count(len(changes), "call"),
        where="",
        change_ns=total,
        words=words,
        dim=True,
    )


def _ratio(change: Change) -> float | None:
    """What one run of the same work takes, after over before."""
    if not (change.before and change.after) or change.cause is Cause.LAUNCHES:
        return None
    if change.evidence is not None and change.evidence.before_ns:
        return change.evidence.ratio
    return change.after_ns / change.before_ns if change.before_ns else None


def _where(calls: Sequence[CallSide]) -> str:
    ids = [call.id for call in calls]
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more
