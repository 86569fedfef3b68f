"""Rolls work and headroom up to ops, modules, lines and kernels, exactly as time is.

Bytes, operations, limits and headroom of a call are whole numbers like its nanoseconds. They are
split by the same rule, in equal whole parts over what the call is charged to, so what the rows of a
table say adds up to what the calls say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

from kernelmap.attribution.records import Attribution
from kernelmap.attribution.rollup import NO_LINE, call_lines, call_modules
from kernelmap.attribution.split import parts, splits
from kernelmap.model import CompiledProgram
from kernelmap.model.work import Amount
from kernelmap.roofline import DEVICE_NAME
from kernelmap.roofline.records import Bound, CallSpeed, Speed

NO_CALL = "(no call)"
"""The row of the time that belongs to no call, and therefore has no work."""

_Key: TypeAlias = "tuple[str | int | None, ...]"
_Charged: TypeAlias = "Callable[[int], Sequence[_Key]]"


def rolled(
    program: CompiledProgram, attribution: Attribution, calls: Sequence[CallSpeed]
) -> Mapping[str, tuple[Speed, ...]]:
    """The rows of each table by its word of `--by`, most headroom first."""
    shares = splits(program)
    of_calls = call_lines(program, shares)

    def line_keys(call: int) -> list[_Key]:
        charged = of_calls[call].charged
        return [(line.file, line.line) if line else (NO_LINE, None) for line in charged]

    charged: Mapping[str, _Charged] = {
        "call": lambda call: [(call,)],
        "op": lambda call: [(op,) for op in shares[call].charged],
        "line": line_keys,
        "module": lambda call: [(name,) for name in call_modules(program, call, shares)],
        "kernel": lambda call: [(program.calls[call][1].wrapper, program.calls[call][0].id)],
    }
    ran = {speed.call: speed.ran for speed in calls}

    def device_keys(call: int) -> list[_Key]:
        graph, stated = program.calls[call]
        return [(stated.wrapper, graph.id, name) for name, _ in ran[call]]

    rest_ns = attribution.total_ns - sum(speed.time_ns for speed in calls)
    rows = {word: _table(calls, keys, rest_ns) for word, keys in charged.items()}
    rows[DEVICE_NAME] = _table(calls, device_keys, rest_ns, _by_time)
    return rows


def _equally(_: CallSpeed, quantity: int, count: int) -> Sequence[int]:
    return parts(quantity, count)


def _by_time(speed: CallSpeed, quantity: int, _: int) -> Sequence[int]:
    """Whole parts that add up to the quantity, in proportion to the time under each name."""
    ends = list(accumulate(time_ns for _, time_ns in speed.ran))
    if not ends[-1]:
        return parts(quantity, len(ends))
    steps = [quantity * end // ends[-1] for end in ends]
    return [after - before for before, after in pairwise([0, *steps])]


def _table(
    calls: Sequence[CallSpeed],
    charged: _Charged,
    rest_ns: int,
    split: Callable[[CallSpeed, int, int], Sequence[int]] = _equally,
) -> tuple[Speed, ...]:
    sums: dict[_Key, Counter[str]] = defaultdict(Counter)
    reasons: dict[_Key, set[str | None]] = defaultdict(set)
    for speed in calls:
        keys = charged(speed.call)
        for name, quantity in _quantities(speed):
            for key, part in zip(keys, split(speed, quantity, len(keys)), strict=True):
                sums[key][name] += part
        for key in dict.fromkeys(keys):
            sums[key]["calls"] += 1
            reasons[key].add(speed.reason)
    if rest_ns:
        sums[(NO_CALL,)]["time"] = rest_ns
    rows = [_row(key, counted, reasons[key]) for key, counted in sums.items()]
    return tuple(sorted(rows, key=_order))


def _quantities(speed: CallSpeed) -> Iterator[tuple[str, int]]:
    """What there is of a call to split, by name."""
    yield "time", speed.time_ns
    if speed.bytes is not None:
        yield "known", speed.time_ns
        yield "least", speed.bytes.least
        yield "most", speed.bytes.most
    if speed.flops is not None:
        yield "flops", speed.flops
    if speed.limit_ns is not None and speed.headroom_ns is not None:
        yield "limited", speed.time_ns
        yield "limit", speed.limit_ns
        yield "headroom", speed.headroom_ns
        if speed.step_headroom_ns is not None:
            yield "step", speed.step_headroom_ns
        if speed.bound is not None:
            yield speed.bound, speed.time_ns


def _row(key: _Key, sums: Counter[str], reasons: set[str | None]) -> Speed:
    limited = "limited" in sums
    bounds = [bound for bound in Bound if bound in sums]
    return Speed(
        key=key,
        calls=sums["calls"],
        time_ns=sums["time"],
        known_ns=sums["known"],
        limited_ns=sums["limited"],
        bytes=Amount(sums["least"], sums["most"]) if "known" in sums else None,
        flops=sums.get("flops"),
        limit_ns=sums["limit"] if limited else None,
        headroom_ns=sums["headroom"] if limited else None,
        step_headroom_ns=sums.get("step"),
        bound=max(bounds, key=lambda bound: sums[bound], default=None),
        reason=next(iter(reasons)) if len(reasons) == 1 else None,
    )


def _order(row: Speed) -> tuple[bool, int, int, str]:
    return row.headroom_ns is None, -(row.headroom_ns or 0), -row.time_ns, str(row.key)
