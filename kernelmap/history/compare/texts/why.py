"""The same program compiled by two versions → one sentence per cause, with its time.

Another version changes many calls in a few ways: it splits fusions, takes another template, meets
an operator that it cannot see into, chooses another configuration. Each way is one sentence that
counts what it did and names the largest. Said only where versions differ: else the table of changes
says as much. Sentences need not add up to the change: what may be noise is in none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.sides.side import CallSide
from kernelmap.history.compare.texts.words import MAY_BE_NOISE, say_speed
from kernelmap.history.store.facts import VERSION_NAMES
from kernelmap.model.notices import format_count, join_some
from kernelmap.pages.text import format_duration, format_signed, make_visible

_OPAQUE = ("extern", "user")
"""What the compiler calls and does not generate: nothing is fused into it."""
_NAMED = 2  # kernels of one side: what became many is counted
_SLOWER_REPLAY = 1.5
"""By how much longer launching graphs has to take on the host. Launches of one graph differ by 1.2
within a recording (cuda_decode_graphs: 124 to 148 µs): with less, chance is told as a cause; thread
174575 of pytorch tells of 7. Chosen above the recordings."""


class WaySaid(Struct, frozen=True, kw_only=True):
    """What one way of change did, in words without its time, and ns per unit."""

    words: str
    change_ns: int


def say_why(comparison: Comparison) -> list[str]:
    """The sentences, the largest change first; none where no version differs."""
    versions = [each for each in comparison.differences if each.what in VERSION_NAMES]
    if not versions:
        return []
    ways = sorted(_find_ways(comparison), key=lambda way: -abs(way.change_ns))
    unit = comparison.unit.word
    return [
        make_visible(f"{way.words}: {format_signed(way.change_ns)} a {unit}")
        for way in ways
        if way.change_ns
    ]


def _find_ways(comparison: Comparison) -> list[WaySaid]:
    changes = [change for change in comparison.changes if _is_told(change)]
    refused = [change for change in changes if change.cause is Cause.REFUSED]
    opaque = _changes_around_opaque(refused, changes)
    # What stands around an opaque operator is told there.
    told = {id(change) for change, _ in opaque}
    split = [
        each for each in refused if id(each) not in told and len(each.after) > len(each.before)
    ]
    merged = [each for each in refused if len(each.after) < len(each.before)]
    found = [
        _say_opaque(opaque, _new_calls(changes)),
        _say_together(split, _say_split),
        _say_together(merged, _say_merged),
        *(
            _say_together([each for each in changes if each.cause is cause], say)
            for cause, say in _SAID.items()
        ),
        _say_eager(changes),
        _say_replays(comparison),
    ]
    return [way for way in found if way is not None]


def _is_told(change: Change) -> bool:
    """Whether it is no noise: what is beyond it, and other code that could not be tested."""
    return change.significant is True or (
        change.significant is None and change.cause not in MAY_BE_NOISE
    )


def _say_together(
    changes: Sequence[Change], say: Callable[[Sequence[Change]], str]
) -> WaySaid | None:
    if not changes:
        return None
    return WaySaid(words=say(changes), change_ns=sum(change.change_ns for change in changes))


def _say_split(changes: Sequence[Change]) -> str:
    """`1 fusion was split: 1 kernel became 2, triton_per_a → triton_red_b and triton_poi_c`."""
    was = "was" if len(changes) == 1 else "were"
    return f"{format_count(len(changes), 'fusion')} {was} split: {_say_became(changes)}"


def _say_merged(changes: Sequence[Change]) -> str:
    were = "group of calls is" if len(changes) == 1 else "groups of calls are"
    return f"{len(changes):,} {were} fused into fewer: {_say_became(changes)}"


def _say_became(changes: Sequence[Change]) -> str:
    before = sum(len(change.before) for change in changes)
    after = sum(len(change.after) for change in changes)
    became = f"{format_count(before, 'kernel')} became {after:,}"
    largest = changes[0]
    mostly = "mostly " if len(changes) > 1 else ""
    return f"{became}, {mostly}{_join_names(largest.before)} → {_join_names(largest.after)}"


def _join_names(calls: Iterable[CallSide]) -> str:
    names = list(dict.fromkeys(call.name for call in calls))
    return " and ".join(names) if len(names) <= _NAMED else join_some(names, shown=_NAMED)


def _say_template(changes: Sequence[Change]) -> str:
    calls = f"{format_count(len(changes), 'call')}: " if len(changes) > 1 else ""
    return f"another template, {calls}{changes[0].detail}"


def _say_configuration(changes: Sequence[Change]) -> str:
    calls = sum(len(change.after) for change in changes)
    return (
        f"another configuration in {format_count(calls, 'call')}: {changes[0].what}, "
        f"{changes[0].detail}"
    )


def _say_library(changes: Sequence[Change]) -> str:
    calls = sum(len(change.after) for change in changes)
    return f"another kernel of the library in {format_count(calls, 'call')}: {changes[0].detail}"


def _say_compiled(changes: Sequence[Change]) -> str:
    return _say_kernels("generated otherwise", changes)


def _say_same(changes: Sequence[Change]) -> str:
    return _say_kernels("the same code at another speed", changes)


def _say_kernels(what: str, changes: Sequence[Change]) -> str:
    calls = sum(len(change.after) for change in changes)
    largest = changes[0]
    speed = say_speed(largest.after_ns / largest.before_ns) if largest.before_ns else ""
    return f"{what} in {format_count(calls, 'call')}: {largest.what}{f', {speed}' if speed else ''}"


_SAID: dict[Cause, Callable[[Sequence[Change]], str]] = {
    Cause.TEMPLATE: _say_template,
    Cause.CONFIG: _say_configuration,
    Cause.LIBRARY: _say_library,
    Cause.COMPILED: _say_compiled,
    Cause.SAME_CODE: _say_same,
}


def _say_eager(changes: Sequence[Change]) -> WaySaid | None:
    """Operators outside compiled code: no code of the compiler changed."""
    eager = [change for change in changes if change.cause is Cause.OUTSIDE]
    if not eager:
        return None
    operators = format_count(len(eager), "operator")
    return WaySaid(
        words=f"{operators} outside compiled code at another speed: "
        f"{join_some([change.what for change in eager], shown=2)}",
        change_ns=sum(change.change_ns for change in eager),
    )


def _changes_around_opaque(
    refused: Sequence[Change], changes: Sequence[Change]
) -> list[tuple[Change, tuple[CallSide, ...]]]:
    """Fusions that were split, with the calls between their parts that nothing is fused into."""
    new = [call for change in _new_calls(changes) for call in change.after]
    found = []
    for change in refused:
        places = [_place_of_call(call) for call in change.after]
        parts = [call for call in change.after if call.backend not in _OPAQUE]
        had = {call.name for call in change.before}
        # Between the first and the last part, in the same graph, and no part of what was fused.
        between = tuple(
            call
            for call in (*change.after, *new)
            if call.backend in _OPAQUE
            and call.name not in had
            and _place_of_call(call)[0] == places[0][0]
            and min(places) <= _place_of_call(call) <= max(places)
        )
        if between and len(parts) > len(change.before):
            found.append((change, between))
    return found


def _place_of_call(call: CallSide) -> tuple[str, int]:
    """The graph of a call and its place there: `0_forward/3`."""
    graph, _, index = call.id.rpartition("/")
    return graph, int(index) if index.isdecimal() else 0


def _new_calls(changes: Iterable[Change]) -> list[Change]:
    return [change for change in changes if change.cause is Cause.NEW]


def _say_opaque(
    found: Sequence[tuple[Change, tuple[CallSide, ...]]], new: Sequence[Change]
) -> WaySaid | None:
    """What operators in the way cost: the kernels around them, and they themselves."""
    if not found:
        return None
    change, between = found[0]
    # Where the operator is a new call, its time is a change of its own.
    ids = {call.id for _, calls in found for call in calls}
    themselves = [each for each in new if ids & {call.id for call in each.after}]
    name = between[0].name
    more = f", and so in {len(found) - 1:,} more places" if len(found) > 1 else ""
    parts = [call for call in change.after if call.backend not in _OPAQUE]
    return WaySaid(
        words=f"{name} is opaque and stands in the way: "
        f"{format_count(len(change.before), 'kernel')} became {len(parts):,} around it, "
        f"{_join_names(change.before)} → {_join_names(parts)}{more}",
        change_ns=sum(each.change_ns for each in (*(one for one, _ in found), *themselves)),
    )


def _say_replays(comparison: Comparison) -> WaySaid | None:
    """What launching CUDA graphs takes on the host, where that changed."""
    units = (comparison.unit.before, comparison.unit.after)
    per = [
        (side.replaying_ns or 0) // unit for side, unit in zip(comparison.sides, units, strict=True)
    ]
    if not all(per) or max(per) < _SLOWER_REPLAY * min(per):
        return None
    speed = say_speed(per[1] / per[0])
    times = " → ".join(map(format_duration, per))
    return WaySaid(
        words=f"launching CUDA graphs is {speed} on the host ({times})", change_ns=per[1] - per[0]
    )
