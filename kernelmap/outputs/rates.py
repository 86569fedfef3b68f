"""How fast calls and launches were, as the members of a JSON object that `annotate` writes.

Taken: the speeds of calls, and for launches their durations. Given: `,"gbps":1.2` and the like, as
text or in columns; nothing of what is not known. The columns give the text that Python's own
division and rounding give: where the floats of numpy may say otherwise, Python is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelmap.model.annotations import NO_NUMBER, Decimals, TextColumns, Texts, TextTable
from kernelmap.model.trace import NONE, Int
from kernelmap.roofline.records import CallSpeed

_RATES = (("gbps", 1, 1), ("tflops", 2, 1000), ("share_of_limit", 3, 1))
"""Names, decimals, and what amounts per nanosecond are divided by."""
_WORDS = [TextTable([b',"%s":' % name.encode()]) for name, _, _ in _RATES]
_EXACT = 2.0**53
_CLOSE = 2.0**-50  # more than numbers are off that were multiplied and divided

_Amounts = tuple[int | None, int | None, int | None]


def rates(speed: CallSpeed | None) -> bytes:
    """Those of a call."""
    if speed is None or not speed.time_ns:
        return b""
    return b"".join(
        word.texts[0] + b"%.*f" % (places, amount / speed.time_ns / unit)
        for word, amount, (_, places, unit) in zip(_WORDS, _amounts(speed), _RATES, strict=True)
        if amount is not None
    )


class LaunchRates:
    """Of launches that are whole executions of a call; `speeds` are those of the calls."""

    def __init__(self, speeds: Sequence[CallSpeed | None]) -> None:
        self._executions = [speed.executions or 0 if speed else 0 for speed in speeds]
        amounts: list[_Amounts] = [_amounts(speed) for speed in speeds]
        self._amounts = [[row[rate] for row in amounts] for rate in range(len(_RATES))]
        self._known = [
            np.array([amount is not None for amount in column], dtype=np.bool_)
            for column in self._amounts
        ]

    def of(self, number: Int, dur_ns: Int) -> TextColumns:
        """Those of launches: the positions of their speeds, and their durations; both (n,)."""
        parts: list[Texts | Decimals] = []
        for rate, (_, places, _) in enumerate(_RATES):
            has_rate = self._known[rate][number] & (dur_ns > 0)
            rows = np.flatnonzero(has_rate)
            if len(rows):
                numbers = np.full(len(number), NO_NUMBER, dtype=np.int64)
                numbers[rows] = self._decimals(rate, number[rows], dur_ns[rows])
                parts += (
                    Texts(np.where(has_rate, 0, NONE), _WORDS[rate]),
                    Decimals(numbers, places),
                )
        return tuple(parts)

    def _decimals(self, rate: int, number: Int, dur_ns: Int) -> Int:
        """One rate as a number with its decimals; (n,)."""
        _, places, unit = _RATES[rate]
        amounts = np.array([float(total or 0) for total in self._amounts[rate]])
        amount = amounts[number]
        time_ns = dur_ns * np.array(self._executions, dtype=np.float64)[number]
        scaled = amount / time_ns / unit * 10**places
        near = np.abs(scaled - np.floor(scaled) - 0.5) <= scaled * _CLOSE
        unsure = near | (amount >= _EXACT) | (time_ns >= _EXACT)
        numbers: Int = np.rint(np.where(unsure, 0, scaled)).astype(np.int64)
        for row in np.flatnonzero(unsure).tolist():
            exact = (self._amounts[rate][number[row]] or 0) / (
                int(dur_ns[row]) * self._executions[number[row]]
            )
            numbers[row] = int((b"%.*f" % (places, exact / unit)).replace(b".", b""))
        return numbers


def _amounts(speed: CallSpeed | None) -> _Amounts:
    """Bytes, operations and least time of all executions; None for what is not known."""
    if speed is None or speed.bytes is None or not speed.executions:
        return None, None, None
    return speed.bytes.most, speed.flops or None, speed.limit_ns
