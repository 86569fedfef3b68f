"""Two sides → every nanosecond of the change under one cause.

A pair of calls that compute the same gives up to three parts: how often it was launched, how the
clock moved, and how long one launch takes, which is the library's, the configuration's or the
code's doing. Calls that were fused otherwise are one group. What stands on one side only is new or
gone. All parts are exact fractions of a nanosecond per unit (a step, or a run of a graph) and add
up to the change; comparable.py rounds them without a remainder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.history.compare.numbers.sm_clock import ClockFactors
from kernelmap.history.compare.pairing.sides import Pair, Paired
from kernelmap.history.compare.sides.pieces import Piece, Witness, has_types, ops_words, type_words
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, GraphSide, RestSide


class Cause(StrEnum):
    """Why time changed, in the order of a report; `REPLACED` is one of sums only: replaced.py.

    `SM_CLOCK` is there only where clocks are held equal: what the measured clock explains.
    """

    REFUSED = "fused otherwise"
    CONFIG = "configuration changed"
    LIBRARY = "library kernel switched"
    TEMPLATE = "other template"
    COMPILED = "compiled otherwise"
    OPS = "other operators"
    SHAPES = "other shapes or types"
    LAUNCHES = "launch count changed"
    NEW = "new call"
    GONE = "call is gone"
    NEW_GRAPH = "new graph"
    GONE_GRAPH = "graph is gone"
    REPLACED = "replaced"
    OUTSIDE = "outside compiled code"
    DOUBT = "time without a call"
    SAME_CODE = "same code"
    CLOCK = "all of the same code alike"
    SM_CLOCK = "SM clock"
    SPREAD = "runs far from the median"


BY_CLOCK = (Cause.CLOCK, Cause.SM_CLOCK)
"""What a clock did, found in the times or sampled: no kernel's doing."""

COUNTED = (Cause.LAUNCHES, *BY_CLOCK, Cause.SPREAD)
"""Causes that are counted, shared by all calls, or of single runs: no call is tested for them."""

OF_CODE = (
    Cause.REFUSED,
    Cause.CONFIG,
    Cause.TEMPLATE,
    Cause.COMPILED,
    Cause.OPS,
    Cause.SHAPES,
    Cause.NEW,
    Cause.GONE,
    Cause.NEW_GRAPH,
    Cause.GONE_GRAPH,
    Cause.REPLACED,
)
"""The causes by which other kernels run, or the same otherwise configured."""

_LIBRARY = "extern"
_TEMPLATES = frozenset({_LIBRARY, "template"})
"""What runs the same product: a library, or one of the compiler's templates."""
UNKNOWN_VALUES = "or other values: the code does not say which"
"""What is said of a call whose code states no types."""


class ChangePart(Struct, frozen=True, kw_only=True):
    """A part of the change; `exact` is ns per unit, `detail` names what differs.

    `pair` is where the calls stand in `Paired`, None where time has no call on both sides; `rests`
    are the two sides of time without a call, None where one has none of it.
    """

    cause: Cause
    what: str
    before: tuple[CallSide, ...] = ()
    after: tuple[CallSide, ...] = ()
    graph: str | None = None
    detail: str | None = None
    times: tuple[Fraction, Fraction]
    exact: Fraction
    pair: int | None = None
    witness: Witness | None = None
    rests: tuple[RestSide | None, RestSide | None] = (None, None)


def parts_of(
    pairing: Paired,
    sides: tuple[ComparedSide, ComparedSide],
    units: tuple[int, int],
    clocks: ClockFactors,
    *,
    per_launch: bool = False,
) -> list[ChangePart]:
    """All parts of the change; parts of no time on both sides are left out.

    `per_launch`: a unit is a launch, so time without a call is split into its share of the
    launches and the time of one.
    """
    parts: list[ChangePart] = []
    # Equal calls are split into launches, clock and time of a launch; a group into clock and code.
    for at, pair in enumerate(pairing.pairs):
        parts += (_of_same if pair.same else _of_group)(pair, at, units, clocks)
    parts += [_of_graph(graph, Cause.GONE_GRAPH, units) for graph in pairing.gone]
    parts += [_of_graph(graph, Cause.NEW_GRAPH, units) for graph in pairing.new]
    for rest in _of_rests(sides, units):
        parts += _by_launches(rest, units) if per_launch else [rest]
    # A part whose mean did not change stays while it has time: its median may have changed.
    return [part for part in parts if part.exact or any(part.times)]


def of_launch(pair: Pair) -> tuple[Cause, str | None]:
    """Why one launch of the same work takes another time, and what names the difference."""
    one, other = pair.before[0], pair.after[0]
    # From the plainest cause to the least: another device kernel, another configuration, other code
    # for the same computation. Each counts only where both sides say it.
    if one.backend == _LIBRARY and _ran_other_kernels(one.device_names, other.device_names):
        return Cause.LIBRARY, f"{_first_name(one.device_names)} → {_first_name(other.device_names)}"
    if one.config is not None and other.config is not None and one.config != other.config:
        return Cause.CONFIG, _changed_words(one.config, other.config)
    if one.body is not None and other.body is not None and one.body != other.body:
        return Cause.COMPILED, None
    return Cause.SAME_CODE, None


def _of_same(pair: Pair, at: int, units: tuple[int, int], clocks: ClockFactors) -> list[ChangePart]:
    one, other = pair.before[0], pair.after[0]
    # Ns a unit and launches a unit, before and after, as exact fractions.
    times = (Fraction(one.time_ns, units[0]), Fraction(other.time_ns, units[1]))
    counts = (Fraction(one.launches, units[0]), Fraction(other.launches, units[1]))
    change = times[1] - times[0]
    # Never launched on one side: no time of a launch to compare, so all of it is the launch count.
    if not (one.launches and other.launches):
        words = _count_words(counts)
        return [_part_of_pair(pair, at, Cause.LAUNCHES, words, (times, change))] if change else []
    # Launches that came or went, each at what a launch took before.
    more = (counts[1] - counts[0]) * times[0] / counts[0]
    cause, detail = of_launch(pair)
    # The launches of now at what they took before, times what the clock's factor adds.
    factor = clocks.of_calls(pair.before, pair.after)
    level = counts[1] * times[0] / counts[0] * (factor - 1)
    # What is left is what one launch takes more or less.
    parts = [_part_of_pair(pair, at, cause, detail, (times, change - more - level))]
    if level:
        parts.append(_part_of_pair(pair, at, _clock_of(pair, clocks), None, (times, level)))
    if more:
        parts.append(_part_of_pair(pair, at, Cause.LAUNCHES, _count_words(counts), (times, more)))
    return parts


def _clock_of(pair: Pair, clocks: ClockFactors) -> Cause:
    """Which clock it is that a pair's time followed."""
    return Cause.SM_CLOCK if clocks.is_measured(pair.before, pair.after) else Cause.CLOCK


def _of_group(
    pair: Pair, at: int, units: tuple[int, int], clocks: ClockFactors
) -> list[ChangePart]:
    times = (_sum_per_unit(pair.before, units[0]), _sum_per_unit(pair.after, units[1]))
    change = times[1] - times[0]
    # Nothing on one side of the group: it is new, or gone.
    if not pair.before:
        return [_part_of_pair(pair, at, Cause.NEW, None, (times, change))]
    if not pair.after:
        return [_part_of_pair(pair, at, Cause.GONE, None, (times, change))]
    # What takes no time now has no part in the clock's change.
    factor = clocks.of_calls(pair.before, pair.after)
    level = times[0] * (factor - 1) if times[1] else Fraction(0)
    cause, detail = _of_code(pair)
    parts = [_part_of_pair(pair, at, cause, detail, (times, change - level))]
    if level:
        parts.append(_part_of_pair(pair, at, _clock_of(pair, clocks), None, (times, level)))
    return parts


def _of_code(pair: Pair) -> tuple[Cause, str]:
    """What the code of a group changed, and the words for it.

    Shapes and types are the cause only where the code says that they differ, or says none of them.
    """
    before, after = (list(map(_what_call_computes, calls)) for calls in (pair.before, pair.after))
    ops, types = ops_words(before, after), type_words(before, after)
    # Anything but one call for one call: the compiler fused otherwise.
    if not len(before) == len(after) == 1:
        counts = f"{_say_count(len(before), 'call')} → {_say_count(len(after), 'call')}"
        return Cause.REFUSED, ", ".join(filter(None, [counts, ops, types]))
    if _is_other_template(pair.before[0], pair.after[0]):
        return Cause.TEMPLATE, f"{pair.before[0].name} → {pair.after[0].name}"
    if ops is not None:
        return Cause.OPS, ", ".join(filter(None, [ops, types]))
    if types is not None:
        return Cause.SHAPES, types
    # Types are known and equal, so a constant, a stride or the like differs.
    if has_types(before) and has_types(after):
        return Cause.OPS, "the same operators on other values or strides"
    return Cause.SHAPES, UNKNOWN_VALUES


def _is_other_template(one: CallSide, other: CallSide) -> bool:
    """Whether a library does what a template did, or a template what a library did."""
    backends = {one.backend, other.backend}
    return backends == _TEMPLATES and not (set(one.ops) & set(other.ops) <= ALIAS_OPS)


def _what_call_computes(call: CallSide) -> Piece:
    """What a call computes, without the operators of its inputs, which a library call lists."""
    # The comment of a library call lists the operators of its inputs, too; where its own node is
    # known, that alone tells what it computes.
    listed = call.backend == _LIBRARY and call.piece.parts
    return replace(call.piece, ops=()) if listed else call.piece


def _of_graph(graph: GraphSide, cause: Cause, units: tuple[int, int]) -> ChangePart:
    new = cause is Cause.NEW_GRAPH
    time = _sum_per_unit(graph.calls, units[1] if new else units[0])
    detail = f"{graph.function} was compiled again" if new and graph.again else None
    return ChangePart(
        cause=cause,
        what=graph.id,
        graph=graph.id,
        detail=detail or _say_count(len(graph.calls), "call"),
        before=() if new else graph.calls,
        after=graph.calls if new else (),
        times=(Fraction(0), time) if new else (time, Fraction(0)),
        exact=time if new else -time,
    )


def _of_rests(sides: tuple[ComparedSide, ComparedSide], units: tuple[int, int]) -> list[ChangePart]:
    # By kind and name: a copy outside compiled code is not a copy in doubt.
    named = [{(rest.outside, rest.name): rest for rest in side.rests} for side in sides]
    parts = []
    # A name that only one side has has None on the other.
    for outside, name in sorted({*named[0], *named[1]}):
        rests = (named[0].get((outside, name)), named[1].get((outside, name)))
        before, after = (
            Fraction(rest.time_ns if rest else 0, unit)
            for rest, unit in zip(rests, units, strict=True)
        )
        parts.append(
            ChangePart(
                cause=Cause.OUTSIDE if outside else Cause.DOUBT,
                what=name,
                times=(before, after),
                exact=after - before,
                rests=rests,
            )
        )
    return parts


def _by_launches(part: ChangePart, units: tuple[int, int]) -> list[ChangePart]:
    """How often it is launched, and what one launch takes; one part where a side has none."""
    one, other = part.rests
    if one is None or other is None or not (one.launches and other.launches):
        return [part]
    counts = (Fraction(one.launches, units[0]), Fraction(other.launches, units[1]))
    # Launches that came or went, at what one took before; a launch count has no samples to test.
    more = (counts[1] - counts[0]) * part.times[0] / counts[0]
    often = replace(part, cause=Cause.LAUNCHES, exact=more, rests=(None, None))
    words = f"{one.launches:,} of {units[0]:,} → {other.launches:,} of {units[1]:,} launches"
    return [replace(part, exact=part.exact - more), replace(often, detail=words)]


def _part_of_pair(
    pair: Pair,
    at: int,
    cause: Cause,
    detail: str | None,
    cost: tuple[tuple[Fraction, Fraction], Fraction],
) -> ChangePart:
    names = [call.name for call in (pair.after or pair.before)]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return ChangePart(
        cause=cause,
        what=names[0] + more,
        before=pair.before,
        after=pair.after,
        graph=pair.graph,
        detail=detail,
        times=cost[0],
        exact=cost[1],
        pair=at,
        witness=pair.witness,
    )


def _ran_other_kernels(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether other kernels did the work; fills and reductions beside the main one have no say."""
    return bool(one and other) and one[0] != other[0]


def _first_name(names: Sequence[str]) -> str:
    return names[0] if names else "?"


def _changed_words(one: str, other: str) -> str:
    """The words of a configuration that differ: `num_warps=4 → num_warps=8`."""
    before, after = one.split(), other.split()
    gone = [word for word in before if word not in after]
    new = [word for word in after if word not in before]
    return f"{' '.join(gone) or '-'} → {' '.join(new) or '-'}"


def _sum_per_unit(calls: Iterable[CallSide], units: int) -> Fraction:
    return Fraction(sum(call.time_ns for call in calls), units)


def _say_count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def _count_words(counts: tuple[Fraction, Fraction]) -> str:
    return f"{float(counts[0]):.4g} → {float(counts[1]):.4g} launches"
