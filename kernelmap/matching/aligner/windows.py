"""Sequences cut into windows that are decoded side by side: one pass of numpy for all of them.

Windows overlap, so that what a launch is follows from what ran before and after it; only the core
of each window counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

_CELLS = 6_000_000
"""Windows times states that are held at once."""
_MOST = 512
_LEAST_CORE = 128


class Window(Struct, frozen=True):
    """Launches `start` to `stop` of a sequence, of which `first` to `last` count."""

    sequence: int
    start: int
    stop: int
    first: int
    last: int


class Batch(Struct, frozen=True):
    """Windows side by side, the longest first; shape (windows, longest).

    `token` and `settled` are -1 behind a window's end; `weight` is 0 outside of cores. `opens` and
    `closes` say whether graphs begin and end with the window, `whole` whether nothing else runs;
    `decided` and `any_whole` say whether there are launches and windows of that kind.
    """

    windows: tuple[Window, ...]
    token: Int
    settled: Int
    weight: Int
    length: Int
    opens: Bool
    closes: Bool
    whole: Bool
    decided: bool
    any_whole: bool


def windows_of(sequences: Sequence[LaunchSequence], overlap: int) -> list[Window]:
    """Windows over all sequences."""
    total = sum(map(len, sequences))
    core = max(_LEAST_CORE, overlap, total // _MOST)
    windows = []
    for number, sequence in enumerate(sequences):
        count = len(sequence)
        parts = max(1, -(-count // core))
        if count <= core + 2 * overlap:
            parts = 1
        edges = np.linspace(0, count, parts + 1).astype(int).tolist()
        for first, last in pairwise(edges):
            start, stop = max(0, first - overlap), min(count, last + overlap)
            windows.append(Window(number, start, stop, first, last))
    return windows


def batches_of(
    sequences: Sequence[LaunchSequence], windows: Sequence[Window], states: int
) -> Iterator[Batch]:
    """The windows in batches of about equal length."""
    ordered = sorted(windows, key=lambda window: window.start - window.stop)
    size = max(1, min(_MOST, _CELLS // max(states, 1)))
    for begin in range(0, len(ordered), size):
        yield _batch(sequences, ordered[begin : begin + size])


def _batch(sequences: Sequence[LaunchSequence], windows: Sequence[Window]) -> Batch:
    longest = windows[0].stop - windows[0].start
    token = np.full((len(windows), longest), NONE, dtype=np.int64)
    settled, weight = token.copy(), np.zeros(token.shape, dtype=np.int64)
    opens, closes, whole = np.zeros((3, len(windows)), dtype=bool)
    for row, window in enumerate(windows):
        sequence = sequences[window.sequence]
        width = window.stop - window.start
        token[row, :width] = sequence.token[window.start : window.stop]
        settled[row, :width] = sequence.settled[window.start : window.stop]
        times = 0 if sequence.doubted else sequence.times
        weight[row, window.first - window.start : window.last - window.start] = times
        whole[row] = sequence.order.whole
        opens[row] = sequence.order.whole and window.start == 0
        closes[row] = sequence.order.whole and window.stop == len(sequence)
    length = np.array([window.stop - window.start for window in windows], dtype=np.int64)
    decided, any_whole = bool((settled != NONE).any()), bool(whole.any())
    return Batch(
        windows=tuple(windows),
        token=token,
        settled=settled,
        weight=weight,
        length=length,
        opens=opens,
        closes=closes,
        whole=whole,
        decided=decided,
        any_whole=any_whole,
    )
