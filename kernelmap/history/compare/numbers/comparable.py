"""Whether two recordings may be compared, per which unit of work, and whether the clock moved.

A difference beside the code is one sentence and does not stop a comparison; whoever wants that asks
for --strict. The unit of times is a step, a run of a graph, a launch, or the whole window. Windows
without steps hold as much work as their length happens to let in. Runs of a graph say how much that
is; without any only launches do, and only where both sides have as many of each kind is the whole
of one window the work of the other. Times per unit are exact fractions; they become whole
nanoseconds that add up to their sum, where the largest remainders get the rest.

The clock is one factor by which all of the same code changed: a slower clock, another power limit,
another GPU. It is believed only where most of the time moved by it: both by count and by weight,
and each call on its own. A change that only some calls made is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import floor

from msgspec import Struct

from kernelmap.history.compare.numbers.causes import UNKNOWN_VALUES, Cause, ChangePart, of_launch
from kernelmap.history.compare.numbers.differences import (
    CODE,
    CUDA_GRAPHS,
    DEVICE,
    GPU,
    SHAPES,
    Difference,
    find_configured,
)
from kernelmap.history.compare.pairing.sides import Pair, Paired
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, GraphSide
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_percent

_LEAST_CALLS = 5
"""Calls of the same code that have to agree on a factor of the clock; fewer agree by chance.
Chosen."""
_LEAST_SHIFT = 0.01
"""A smaller factor of the clock is none. Three recordings of one model differ by 0.3 %
(cuda_mlp_train, cuda_names_not_unique and cuda_provenance_off: 318.9, 319.0 and 319.8 µs a step).
With much more, a clock that is 1 % slower is the change of every call."""
_NEAR = 0.02
"""How far a call may lie from the factor and still follow it. With less, rounding of short launches
keeps the calls from agreeing; with more, a library that became 3 % slower passes for the clock.
Chosen."""
_MOST = 0.8
"""So much of the time of the same code has to lie near the factor. With half, one large call is the
clock; with all, one call that changed as well hides it. Chosen."""
_DIGITS = 10**6
"""The factor of the clock is a fraction with six digits: parts of the change are exact
fractions."""

_OTHER_PROGRAMS = "these may be different programs"
# Of the time of calls. A language model and a smaller one of another kind share 26 % of the larger:
# sample_traces/cuda_language_train and cuda_llama_train. A model and itself share nearly all.
_LEAST_SHARED = 0.5

LAUNCH = "launch"


def find_differences(
    sides: tuple[ComparedSide, ComparedSide],
    pairing: Paired,
    parts: Iterable[ChangePart],
    unit: WorkUnit,
) -> tuple[Difference, ...]:
    """What makes the two sides hard to compare; empty where nothing is known to."""
    before, after = sides
    # What could differ: its name, and what each side says of it, None for nothing.
    pairs = [
        (
            _say_device(sides),
            _join_sorted(before.summary.devices),
            _join_sorted(after.summary.devices),
        ),
        ("side", before.summary.side, after.summary.side),
        ("processes", _say_processes(before), _say_processes(after)),
        ("ranks", _say_ranks(before), _say_ranks(after)),
        ("slow ranks", _say_slow(before), _say_slow(after)),
        ("steps", _say_steps(before), _say_steps(after)),
    ]
    listed = [
        Difference(what=what, before=one, after=other)
        for what, one, other in pairs
        if one != other and (what == "steps" or None not in (one, other))
    ]
    listed += find_configured(before, after)
    listed += _other_shapes(parts)
    listed += _compare_windows(sides, unit)
    listed += _launched_by_graphs(sides)
    return (*_other_code(sides, pairing), *listed)


def _launched_by_graphs(sides: tuple[ComparedSide, ComparedSide]) -> list[Difference]:
    """Whether CUDA graphs make launches of one side only."""
    # A saved result does not say how many launches were replayed; then nothing is claimed.
    replayed = [side.replayed for side in sides]
    if None in replayed or bool(replayed[0]) == bool(replayed[1]):
        return []
    one, other = (
        f"{side.replayed:,} of {format_count(side.summary.launches, 'launch')}"
        if side.replayed
        else "not used"
        for side in sides
    )
    return [Difference(what=CUDA_GRAPHS, before=one, after=other)]


def _other_shapes(parts: Iterable[ChangePart]) -> list[Difference]:
    """Whether calls work on other shapes or types, and do another amount of work.

    Where most of the time is of such calls, the one that takes most says what became of them.
    """
    calls = [part for part in parts if part.before and part.after]
    others = [part for part in calls if part.cause is Cause.SHAPES]
    if not others:
        return []
    largest = max(others, key=lambda part: max(part.times))
    is_most = sum(part.times[0] for part in others) >= _LEAST_SHARED * _whole_time(calls)
    words = None
    if is_most and largest.detail is not None and largest.detail != UNKNOWN_VALUES:
        words = f"{SHAPES} of {format_count(len(others), 'call')}: {largest.detail}"
    return [Difference(what=SHAPES, before=f"of {len(others)} calls", after="others", words=words)]


def _whole_time(parts: Iterable[ChangePart]) -> Fraction:
    """The time before of all pairs of calls, each once."""
    return sum({part.pair: part.times[0] for part in parts}.values(), Fraction(0))


def _other_code(sides: tuple[ComparedSide, ComparedSide], pairing: Paired) -> list[Difference]:
    """How little of the time is of code that both sides have, fused alike or otherwise."""
    before, after = sides
    # Neither side was compiled: no code is missing.
    if not (before.graphs or after.graphs):
        return []
    if not (before.graphs and after.graphs):
        one, other = ("compiled" if side.graphs else "not compiled" for side in sides)
        return [Difference(what=CODE, before=one, after=other, words=f"code: {one}, then {other}")]
    if not pairing.pairs:
        words = f"no graph in common: {_OTHER_PROGRAMS}"
        one, other = "no graph in common", "other graphs"
        return [Difference(what=CODE, before=one, after=other, words=words)]
    # The time of calls that have a counterpart, equal or fused otherwise, as a share of each side.
    shared = [pair for pair in pairing.pairs if pair.before and pair.after]
    shares = (
        _share_of_time([call for pair in shared for call in pair.before], before),
        _share_of_time([call for pair in shared for call in pair.after], after),
    )
    if min(shares) >= _LEAST_SHARED:
        return []
    when = "before" if shares[0] < shares[1] else "after"
    one, other = (f"{format_percent(share)} of the time in common" for share in shares)
    words = f"only {format_percent(min(shares))} of the time {when} is of code that both have"
    words = f"{words}: {_OTHER_PROGRAMS}"
    return [Difference(what=CODE, before=one, after=other, words=words)]


def _share_of_time(shared: Sequence[CallSide], side: ComparedSide) -> float:
    """The share of the time of all calls that some of them bear; 1 where none takes time."""
    total_ns = sum(call.time_ns for graph in side.graphs for call in graph.calls)
    return sum(call.time_ns for call in shared) / total_ns if total_ns else 1.0


def _say_device(sides: tuple[ComparedSide, ComparedSide]) -> str:
    return GPU if all(side.summary.side == "gpu" for side in sides) else DEVICE


def _compare_windows(sides: tuple[ComparedSide, ComparedSide], unit: WorkUnit) -> list[Difference]:
    """What windows without steps hold, where one holds other work than the other.

    Of a run that an end of the window cut off some launches may be missing, of two runs at most.
    """
    # Not even runs of a graph count the work in these windows.
    if unit.word == LAUNCH:
        one, other = (f"{side.summary.launches:,} launches" for side in sides)
        return [Difference(what="window", before=one, after=f"{other}, and nothing to count by")]
    if unit.noun != "run":
        return []
    # Launches without a call per run, on both sides.
    beside = [
        Fraction(sum(rest.launches for rest in side.rests), runs)
        for side, runs in zip(sides, (unit.before, unit.after), strict=True)
    ]
    # What two runs, cut off at both ends, may lack in the shorter window; more is other work.
    if abs(beside[0] - beside[1]) * min(unit.before, unit.after) <= 2 * max(beside):
        return []
    one, other = (f"{float(launches):.4g} launches without a call a run" for launches in beside)
    return [Difference(what="window", before=one, after=other)]


def _join_sorted(names: Iterable[str]) -> str | None:
    return ", ".join(sorted(set(names))) or None


def _say_processes(side: ComparedSide) -> str | None:
    return f"{side.processes}" if side.processes else None


def _say_ranks(side: ComparedSide) -> str:
    if side.fleet is None:
        return "one recording"
    return f"{side.fleet.read:,} of {side.fleet.expected:,}"


def _say_slow(side: ComparedSide) -> str | None:
    return None if side.fleet is None else side.fleet.slow or "none"


def _say_steps(side: ComparedSide) -> str | None:
    return "without steps" if side.steps is None else "with steps"


def measure_clock(pairs: Sequence[Pair]) -> Fraction:
    """After over before of the time per launch; 1 where the calls do not agree on another."""
    # Of equal calls that were built alike: time per launch now over then, and ns before as the
    # weight; ascending by ratio.
    ratios = sorted(
        (_ratio_of_launch(pair), pair.before[0].time_ns)
        for pair in pairs
        if pair.same
        # A damaged table may hold times of calls that it says were never launched.
        and all(call.time_ns and call.launches for call in (pair.before[0], pair.after[0]))
        and of_launch(pair)[0] is Cause.SAME_CODE
    )
    if len(ratios) < _LEAST_CALLS:
        return Fraction(1)
    # The median by count and the one by time have to agree, and most of the time has to lie near
    # them: many small calls alone, or one large call, do not move the clock.
    total = sum(weight for _, weight in ratios)
    middle = ratios[len(ratios) // 2][0]
    heavy = _weighted_median(ratios, total)
    near = sum(weight for ratio, weight in ratios if abs(ratio / heavy - 1) <= _NEAR)
    agreed = abs(middle / heavy - 1) <= _NEAR and near >= _MOST * total
    # The calls agree on no factor, or it is hardly another one than 1.
    if not agreed or abs(heavy - 1) < _LEAST_SHIFT:
        return Fraction(1)
    # A fraction, because all parts of the change are exact fractions.
    return Fraction(round(heavy * _DIGITS), _DIGITS)


def _ratio_of_launch(pair: Pair) -> float:
    one, other = pair.before[0], pair.after[0]
    return (other.time_ns / other.launches) / (one.time_ns / one.launches)


def _weighted_median(ratios: Sequence[tuple[float, int]], total: int) -> float:
    running = 0
    for ratio, weight in ratios:
        running += weight
        if 2 * running >= total:
            return ratio
    return ratios[-1][0]


class WorkUnit(Struct, frozen=True, kw_only=True):
    """The unit that times are divided by, and how many of them each side has."""

    word: str
    before: int
    after: int

    @property
    def noun(self) -> str:
        """The word without what it is of: `run` of `run of 0_forward`."""
        return self.word.partition(" ")[0]


def unit_of(before: ComparedSide, after: ComparedSide, pairing: Paired) -> WorkUnit:
    """Steps where both sides have them, else runs of the graph that takes the most time.

    Without both the whole recording where as much was launched on both sides, else a launch.
    """
    # Only where both sides have steps is a step the unit.
    if before.steps and after.steps:
        return WorkUnit(word="step", before=before.steps, after=after.steps)
    # Runs of the largest graph of both sides count the work instead.
    main = main_graph(pairing.graphs)
    if main is None:
        # Nothing counts the work. Windows in which all was launched as often hold the same work.
        if _count_launches(before) == _count_launches(after):
            return WorkUnit(word="recording", before=1, after=1)
        launches = [max(1, side.summary.launches) for side in (before, after)]
        return WorkUnit(word=LAUNCH, before=launches[0], after=launches[1])
    one, other = main
    return WorkUnit(word=f"run of {other.id}", before=one.invocations, after=other.invocations)


def main_graph(
    graphs: Sequence[tuple[GraphSide, GraphSide]],
) -> tuple[GraphSide, GraphSide] | None:
    """The graph that takes the most time of those that ran on both sides; None without any."""
    ran = [pair for pair in graphs if pair[0].invocations and pair[1].invocations]
    return max(ran, key=lambda pair: sum(call.time_ns for call in pair[0].calls), default=None)


def _count_launches(side: ComparedSide) -> Mapping[str, int]:
    """How often each call, and each kind of time without one, was launched."""
    calls = {call.id: call.launches for graph in side.graphs for call in graph.calls}
    # In parentheses, so that no kind of time meets the id of a call.
    return calls | {f"({rest.name})": rest.launches for rest in side.rests}


def per_unit(time_ns: int, units: int) -> int:
    """`time_ns` over `units`, to the nearest nanosecond; halves go up.

    >>> per_unit(10, 4), per_unit(7, 2)
    (3, 4)
    """
    return floor(Fraction(time_ns, units) + Fraction(1, 2))


def whole_parts(parts: Sequence[Fraction], total: int) -> list[int]:
    """One whole number per part, which add up to `total`, the rounded sum of the parts.

    >>> whole_parts([Fraction(1, 3), Fraction(1, 3), Fraction(0), Fraction(4, 3)], 2)
    [1, 0, 0, 1]
    """
    # Every part is rounded down first; `left` is what is still missing.
    numbers = [floor(part) for part in parts]
    left = total - sum(numbers)
    # Positions, the part that lost most by rounding first.
    by_rest = sorted(range(len(parts)), key=lambda at: (numbers[at] - parts[at], at))
    # A part of exactly 0 stays 0, as long as there are others.
    moved = [at for at in by_rest if parts[at] != 0] or by_rest
    # A damaged table may leave more than one ns for each part: whole rounds are given at once.
    rounds, more = divmod(left, len(moved) or 1)
    for place, at in enumerate(moved):
        numbers[at] += rounds + (place < more)
    return numbers
