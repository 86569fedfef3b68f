"""A matching in the making: later strategies see only the launches that are still open."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kernelmap.model import NONE, Confidence, Matching, Method, Reason, RunnerUp
from kernelmap.model.trace import Bool, Int

Float = NDArray[np.float64]


class Draft:
    """Columns of a `Matching` for `count` launches; a row is decided once and stays so.

    `learnt` marks what another run decided (by_transfer.py): the order of the others still needs
    these as neighbors. `bounded` marks those of invocations whose first and last launch it told.
    `posterior` is how probable the call of each launch is that the model placed, NaN elsewhere;
    None where it placed none.
    """

    def __init__(self, count: int) -> None:
        self.call = np.full(count, NONE, dtype=np.int64)
        self.invocation = np.full(count, NONE, dtype=np.int64)
        self.method = np.full(count, Method.NONE, dtype=np.int8)
        self.confidence = np.full(count, Confidence.UNKNOWN, dtype=np.int8)
        self.reason = np.full(count, Reason.NO_HOST_SIDE, dtype=np.int8)
        self.call_range = np.full(count, NONE, dtype=np.int64)
        self.open = np.ones(count, dtype=bool)
        self.learnt = np.zeros(count, dtype=bool)
        self.bounded = np.zeros(count, dtype=bool)
        self.posterior: Float | None = None
        self._candidates: dict[int, tuple[int, ...]] = {}
        self._runner_up: RunnerUp | None = None

    def settle(
        self,
        rows: Int | Bool,
        confidence: Confidence,
        *,
        method: Method = Method.NONE,
        reason: Reason = Reason.NONE,
    ) -> None:
        """Decide rows that belong to no call, or whose call is set already."""
        self.confidence[rows] = confidence
        self.method[rows] = method
        self.reason[rows] = reason
        self.open[rows] = False

    def leave(self, rows: Int, calls: Iterable[int], reason: Reason) -> None:
        """Decide that `rows` are of one of several calls, nothing tells which."""
        named = tuple(calls)
        for row in rows.tolist():
            self.name(row, named)
        self.settle(rows, Confidence.AMBIGUOUS, method=Method.CANDIDATES, reason=reason)

    def name(self, row: int, calls: Iterable[int]) -> None:
        """Note the calls that stand for an ambiguous launch."""
        self._candidates[row] = tuple(calls)

    def note_posterior(self, rows: Int, values: Float) -> None:
        """Note how probable the calls of `rows` are, by their order."""
        if self.posterior is None:
            self.posterior = np.full(len(self.call), np.nan)
        self.posterior[rows] = values

    def note_second(self, rows: Int, calls: Int, margins: Int) -> None:
        """Note which calls were second best for rows placed by their order, and by how much."""
        if self._runner_up is None:
            self._runner_up = RunnerUp.none(len(self.call))
        self._runner_up.call[rows] = calls
        self._runner_up.margin[rows] = margins

    def finish(self) -> Matching:
        """The finished columns."""
        count = len(self.call)
        lengths = np.zeros(count, dtype=np.int64)
        for row, calls in self._candidates.items():
            lengths[row] = len(calls)
        start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        flat = [call for row in sorted(self._candidates) for call in self._candidates[row]]
        return Matching(
            call=self.call,
            invocation=self.invocation,
            method=self.method,
            confidence=self.confidence,
            reason=self.reason,
            call_range=self.call_range,
            candidate_start=start,
            candidates=np.array(flat, dtype=np.int64),
            runner_up=self._runner_up,
        )
