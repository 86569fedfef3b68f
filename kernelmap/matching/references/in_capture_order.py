"""Replays of equal graphs, told apart by their place among the others: they run as captured.

A serving engine that runs in pieces captures one graph after the other, layer by layer, and replays
them in that order. Equal layers give equal graphs, any of which each replay may be. The pieces at
both ends differ from all others: between a replay of the first and one of the last come as many as
were captured between them, so the k-th is the k-th (sample_traces/cuda_captured_pieces). Where the
numbers differ nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.matching.references.reference_tokens import ReferenceFit
from kernelmap.model.trace import Launches


class FittedOrder(NamedTuple):
    """A replayed graph, and the references that it may be."""

    order: LaunchOrder
    fits: Sequence[ReferenceFit]


class _Replay(NamedTuple):
    """One time that a graph ran: when, which order it is of, which of its copies."""

    start_ns: int
    order: int
    copy: int


def split_in_capture_order(launches: Launches, fitted: Sequence[FittedOrder]) -> list[FittedOrder]:
    """The same replays, those that their place settles with one reference.

    References are numbered in the order of their captures. Those that stand for several captures
    need not be told apart.
    """
    settled = _settle_replays(launches, fitted)
    orders: list[FittedOrder] = []
    for number, (order, fits) in enumerate(fitted):
        # Copies by the reference that they were settled as, -1 for the others.
        of_copy = np.array([settled.get((number, copy), -1) for copy in range(len(order.copies))])
        if (of_copy < 0).all():
            orders.append(FittedOrder(order, fits))
            continue
        for reference in np.unique(of_copy).tolist():
            copies = order.copies[of_copy == reference]
            # Each launch at the first time that recorded it.
            rows = copies[(copies >= 0).argmax(axis=0), np.arange(copies.shape[1])]
            kept = [fit for fit in fits if reference in {-1, fit.reference.number}]
            orders.append(FittedOrder(LaunchOrder(rows, copies, whole=True), kept))
    return orders


def _settle_replays(
    launches: Launches, fitted: Sequence[FittedOrder]
) -> dict[tuple[int, int], int]:
    """The number of the reference of each replay that its place settles, by order and copy."""
    by_process: dict[int, list[_Replay]] = {}
    for number, (order, _) in enumerate(fitted):
        for copy, rows in enumerate(order.copies if order.whole else ()):
            there = rows[rows >= 0]
            if len(there):
                start = int(launches.start_ns[there].min())
                process = int(launches.process[there[0]])
                by_process.setdefault(process, []).append(_Replay(start, number, copy))
    may_be = [{fit.reference.number for fit in fits} for _, fits in fitted]
    # A reference that was captured more than once stands for no single place.
    for numbers, (_, fits) in zip(may_be, fitted, strict=True):
        numbers -= {fit.reference.number for fit in fits if fit.reference.sequence.times > 1}
    settled: dict[tuple[int, int], int] = {}
    for replays in by_process.values():
        replays.sort()
        sure = [at for at, replay in enumerate(replays) if len(may_be[replay.order]) == 1]
        for first, last in pairwise(sure):
            (begin,), (end,) = may_be[replays[first].order], may_be[replays[last].order]
            between = range(first + 1, last)
            # As many ran as were captured, and each may be the one of its place.
            if end - begin == last - first and all(
                begin + at - first in may_be[replays[at].order] for at in between
            ):
                for at in between:
                    settled[replays[at].order, replays[at].copy] = begin + at - first
    return settled
