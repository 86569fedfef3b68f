"""Whether two recordings may be compared: what differs beside the code, and a clock that moved.

A difference is one sentence and does not stop a comparison; whoever wants that asks for --strict.
The clock is one factor by which all of the same code changed: a slower clock, another power limit,
another GPU. It is believed only where most of the time moved by it: both by count and by weight,
and each call on its own. A change that only some calls made is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kernelmap.compare.causes import Cause, Pair, Paired, Part, of_launch
from kernelmap.compare.side import Side
from kernelmap.compare.unit import LAUNCH, Unit

_LEAST_CALLS = 5
_LEAST_SHIFT = 0.01
_NEAR = 0.02  # of the factor
_MOST = 0.8  # of the time of the same code
_DIGITS = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`what` differs: `before` and `after`, None where a recording does not say."""

    what: str
    before: str | None
    after: str | None

    def text(self) -> str:
        """The difference in words."""
        return f"{self.what}: {self.before or 'not known'}, then {self.after or 'not known'}"


def differences(
    sides: tuple[Side, Side], found: Paired, parts: Iterable[Part], unit: Unit
) -> tuple[Difference, ...]:
    """What makes the two sides hard to compare; empty where nothing is known to."""
    before, after = sides
    pairs = [
        (_device(sides), _joined(before.summary.devices), _joined(after.summary.devices)),
        ("side", before.summary.side, after.summary.side),
        *(
            (name, before.versions.get(name), after.versions.get(name))
            for name in ("torch", "triton", "cuda", "rocm")
        ),
        ("processes", _processes(before), _processes(after)),
        ("steps", _steps(before), _steps(after)),
    ]
    told = [
        Difference(what=what, before=one, after=other)
        for what, one, other in pairs
        if one != other and (what == "steps" or None not in (one, other))
    ]
    shapes = sum(part.cause is Cause.SHAPES for part in parts)
    if shapes:
        told.append(Difference(what="shapes or types", before=f"of {shapes} calls", after="others"))
    told += _windows(sides, unit)
    if not found.pairs and (before.graphs or after.graphs):
        told.append(Difference(what="code", before="no graph in common", after="other graphs"))
    return tuple(told)


def _device(sides: tuple[Side, Side]) -> str:
    return "GPU" if all(side.summary.side == "gpu" for side in sides) else "device"


def _windows(sides: tuple[Side, Side], unit: Unit) -> list[Difference]:
    """What windows without steps hold, where one holds other work than the other.

    Of a run that an end of the window cut off some launches may be missing, of two runs at most.
    """
    if unit.word == LAUNCH:
        one, other = (f"{side.summary.launches:,} launches" for side in sides)
        return [Difference(what="window", before=one, after=f"{other}, and nothing to count by")]
    if unit.noun != "run":
        return []
    beside = [
        Fraction(sum(rest.launches for rest in side.rests), runs)
        for side, runs in zip(sides, (unit.before, unit.after), strict=True)
    ]
    if abs(beside[0] - beside[1]) * min(unit.before, unit.after) <= 2 * max(beside):
        return []
    one, other = (f"{float(each):.4g} launches without a call a run" for each in beside)
    return [Difference(what="window", before=one, after=other)]


def _joined(names: Iterable[str]) -> str | None:
    return ", ".join(sorted(set(names))) or None


def _processes(side: Side) -> str | None:
    return f"{side.processes}" if side.processes else None


def _steps(side: Side) -> str | None:
    return "without steps" if side.steps is None else "with steps"


def clock(pairs: Sequence[Pair]) -> Fraction:
    """After over before of the time per launch; 1 where the calls do not agree on another."""
    ratios = sorted(
        (_ratio(pair), pair.before[0].time_ns)
        for pair in pairs
        if pair.same
        and pair.before[0].time_ns
        and pair.after[0].time_ns
        and of_launch(pair)[0] is Cause.SAME_CODE
    )
    if len(ratios) < _LEAST_CALLS:
        return Fraction(1)
    total = sum(weight for _, weight in ratios)
    middle = ratios[len(ratios) // 2][0]
    heavy = _weighted_median(ratios, total)
    near = sum(weight for ratio, weight in ratios if abs(ratio / heavy - 1) <= _NEAR)
    agreed = abs(middle / heavy - 1) <= _NEAR and near >= _MOST * total
    if not agreed or abs(heavy - 1) < _LEAST_SHIFT:
        return Fraction(1)
    return Fraction(round(heavy * _DIGITS), _DIGITS)


def _ratio(pair: Pair) -> float:
    one, other = pair.before[0], pair.after[0]
    return (other.time_ns / other.launches) / (one.time_ns / one.launches)


def _weighted_median(ratios: Sequence[tuple[float, int]], total: int) -> float:
    running = 0
    for ratio, weight in ratios:
        running += weight
        if 2 * running >= total:
            return ratio
    return ratios[-1][0]
