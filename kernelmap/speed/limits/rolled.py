"""Rolls work and headroom up to ops, modules, lines and kernels, exactly as time is.

Bytes, operations, limits and headroom of a call are whole numbers like its nanoseconds. They are
divided by the same rule, so what the rows of a table say adds up to what the calls say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from msgspec.structs import replace

from kernelmap.attribution.divide import CallPart, divide_calls, share_out
from kernelmap.attribution.records import Attribution
from kernelmap.attribution.rollup import NO_LINE, NO_MODULE
from kernelmap.model import CompiledProgram
from kernelmap.model.roofline import (
    BOTH,
    COMPUTED,
    DEVICE_NAME,
    MEASURED,
    NO_CALL,
    Bound,
    CallSpeed,
    Speed,
)
from kernelmap.model.work import Amount

_Key: TypeAlias = "tuple[str | int | None, ...]"
_Weights: TypeAlias = "Callable[[CallSpeed], tuple[Sequence[_Key], Sequence[int]]]"
"""The keys that share a call, and the weight of each."""


def roll_up(
    program: CompiledProgram, attribution: Attribution, calls: Sequence[CallSpeed]
) -> Mapping[str, tuple[Speed, ...]]:
    """The rows of each table by its word of `--by`, most headroom first; made when asked for."""
    weights = _weights_by_word(program)
    quantities = cache(lambda: [dict(_iter_quantities(speed)) for speed in calls])
    # Time of the window that belongs to no call, so that each table has all time.
    rest_ns = attribution.total_ns - sum(speed.time_ns for speed in calls)
    return _RowsByWord(lambda word: _roll_table(calls, quantities(), weights[word], rest_ns))


def rows_in_steps(
    rows: Mapping[str, tuple[Speed, ...]], program: CompiledProgram, calls: Sequence[CallSpeed]
) -> Mapping[str, tuple[Speed, ...]]:
    """The same rows with the part of the headroom of `calls` that could shorten steps."""
    weights = _weights_by_word(program)

    def with_parts(word: str) -> tuple[Speed, ...]:
        sums: dict[_Key, int] = {}
        for speed in calls:
            if speed.step_headroom_ns is not None:
                keys, parts = weights[word](speed)
                shares = share_out(speed.step_headroom_ns, parts)
                for key, part_ns in zip(keys, shares, strict=True):
                    sums[key] = sums.get(key, 0) + part_ns
        return tuple(replace(row, step_headroom_ns=sums.get(row.key)) for row in rows[word])

    return _RowsByWord(with_parts)


def _weights_by_word(program: CompiledProgram) -> Mapping[str, _Weights]:
    divisions = divide_calls(program)

    def by_part(key_of: Callable[[CallPart], _Key]) -> _Weights:
        def of_call(speed: CallSpeed) -> tuple[Sequence[_Key], Sequence[int]]:
            parts = divisions[speed.call].parts
            return [key_of(part) for part in parts], [part.weight for part in parts]

        return of_call

    def wrapper(speed: CallSpeed) -> _Key:
        graph, stated = program.calls[speed.call]
        return stated.wrapper, graph.id

    return {
        "call": lambda speed: ([(speed.call,)], [1]),
        "op": by_part(lambda part: (part.op,)),
        "line": by_part(
            lambda part: (part.line.file, part.line.line) if part.line else (NO_LINE, None)
        ),
        "module": by_part(lambda part: (part.module or NO_MODULE,)),
        "kernel": lambda speed: ([wrapper(speed)], [1]),
        DEVICE_NAME: lambda speed: (
            [(*wrapper(speed), name) for name, _ in speed.ran],
            [ns for _, ns in speed.ran],
        ),
    }


class _RowsByWord(dict[str, tuple[Speed, ...]]):
    """The rows of tables; a report asks for few of them, and each is made once."""

    def __init__(self, make_rows: Callable[[str], tuple[Speed, ...]]) -> None:
        self._make_rows = make_rows

    def __missing__(self, word: str) -> tuple[Speed, ...]:
        self[word] = self._make_rows(word)
        return self[word]


def _roll_table(
    calls: Sequence[CallSpeed],
    quantities: Sequence[Mapping[str, int]],
    weights: _Weights,
    rest_ns: int,
) -> tuple[Speed, ...]:
    """The rows of one table; `quantities` has what there is of each call to split, by name."""
    sums: dict[_Key, Counter[str]] = defaultdict(Counter)
    reasons: dict[_Key, set[str | None]] = defaultdict(set)
    for speed, amounts in zip(calls, quantities, strict=True):
        keys, parts = weights(speed)
        different = dict.fromkeys(keys)
        if len(different) == 1:  # nothing is to be divided
            sums[keys[0]].update(amounts)
        else:
            # Each quantity is divided on its own, in whole numbers, so that its parts add up
            # exactly; equal ones, such as the time under several names, are divided once.
            shares = {quantity: share_out(quantity, parts) for quantity in {*amounts.values()}}
            for at, key in enumerate(keys):
                of_key = sums[key]
                for name, quantity in amounts.items():
                    of_key[name] = of_key.get(name, 0) + shares[quantity][at]
        # A call may have several parts of one key, and counts once for it.
        for key in different:
            sums[key]["calls"] += 1
            reasons[key].add(speed.reason)
    if rest_ns:
        sums[(NO_CALL,)]["time"] = rest_ns
    rows = [_make_row(key, counted, reasons[key]) for key, counted in sums.items()]
    return tuple(sorted(rows, key=_order_of_row))


def _iter_quantities(speed: CallSpeed) -> Iterator[tuple[str, int]]:
    """What there is of a call to split, by name."""
    yield "time", speed.time_ns
    # The time of calls whose bytes, and below whose limits, are known: what rates are made of.
    if speed.moved is not None:
        yield "known", speed.time_ns
        yield "least", speed.moved.least
        yield "most", speed.moved.most
    if speed.bytes is not None:
        yield "computed bytes", speed.bytes.most
    if speed.flops is not None:
        yield "flops", speed.flops
    # The model's operations, the time of the calls that make them, and what they need at the peak.
    if speed.model_flops is not None:
        yield "model", speed.model_flops
        yield "modelled", speed.time_ns
        if speed.at_peak_ns is None:
            yield "without peak", speed.time_ns
        else:
            yield "at peak", speed.at_peak_ns
    if speed.measured_bytes is not None:
        yield "measured time", speed.time_ns
    if speed.limit_ns is not None and speed.headroom_ns is not None:
        yield "limited", speed.time_ns
        yield "limit", speed.limit_ns
        yield "headroom", speed.headroom_ns
    if speed.bound is not None:
        yield speed.bound, speed.time_ns
        yield COMPUTED if speed.measured_bound is None else MEASURED, speed.time_ns


def _make_row(key: _Key, sums: Counter[str], reasons: set[str | None]) -> Speed:
    limited = "limited" in sums
    # A row is bound by what bounds most of its time.
    bounds = [bound for bound in Bound if bound in sums]
    origins = [origin for origin in (MEASURED, COMPUTED) if origin in sums]
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
        model_flops=sums.get("model"),
        at_peak_ns=None if "without peak" in sums else sums.get("at peak"),
        model_known_ns=sums["modelled"],
        bound=max(bounds, key=lambda bound: sums[bound], default=None),
        computed_bytes=sums.get("computed bytes"),
        measured_ns=sums["measured time"],
        bound_from=BOTH if len(origins) > 1 else next(iter(origins), None),
        reason=next(iter(reasons)) if len(reasons) == 1 else None,
    )


def _order_of_row(row: Speed) -> tuple[bool, int, int, str]:
    return row.headroom_ns is None, -(row.headroom_ns or 0), -row.time_ns, str(row.key)
