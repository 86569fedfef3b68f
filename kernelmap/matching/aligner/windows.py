"""Cuts long launch sequences into windows that are decoded one by one.

Windows overlap, so that what a launch is follows from what ran before and after it; only the core
of each window counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.model.trace import Bool, Int

# Long profiles have about so many windows, short ones windows with so many launches that count.
_MOST = 512
"""Long profiles are cut into about so many windows: more of them decode more launches twice, fewer
take more memory each. Chosen for time."""
_LEAST_CORE = 128
"""Launches of a window that count, at least: below that the launches around it, which are decoded
twice, are most of the work."""


class SequenceWindow(Struct, frozen=True):
    """Launches `start` to `stop` of a sequence, of which `first` to `last` count."""

    sequence: int
    start: int
    stop: int
    first: int
    last: int


class LaunchWindows(Struct, frozen=True):
    """The launches of windows, one window behind another: `start[w]:start[w + 1]` are those of w.

    Over launches: `token`; `settled`, what was decided before; `weight`, 0 outside of cores. Over
    windows: `sequence` and `origin`, where a window begins; `opens` and `closes`, whether graphs
    begin and end with it; `whole`, whether nothing else runs.
    """

    start: Int
    token: Int
    settled: Int
    weight: Int
    sequence: Int
    origin: Int
    opens: Bool
    closes: Bool
    whole: Bool

    def __len__(self) -> int:
        return len(self.origin)


def windows_of(sequences: Sequence[LaunchSequence], overlap: int) -> list[SequenceWindow]:
    """Windows over all sequences."""
    total = sum(map(len, sequences))
    # A core is about as long as the overlap on each side of it, or longer: otherwise most launches
    # would be read only for what lies beside them.
    core = max(_LEAST_CORE, overlap, total // _MOST)
    windows = []
    for number, sequence in enumerate(sequences):
        count = len(sequence)
        parts = max(1, -(-count // core))
        # One window would read as much as this anyway.
        if count <= core + 2 * overlap:
            parts = 1
        edges = np.linspace(0, count, parts + 1).astype(int).tolist()
        for first, last in pairwise(edges):
            start, stop = max(0, first - overlap), min(count, last + overlap)
            windows.append(SequenceWindow(number, start, stop, first, last))
    return windows


def launches_of(
    sequences: Sequence[LaunchSequence], windows: Sequence[SequenceWindow]
) -> LaunchWindows:
    """The launches of the windows."""
    of = [sequences[window.sequence] for window in windows]
    empty = [np.zeros(0, dtype=np.int64)]

    def column(name: str) -> Int:
        """A column of the sequences, window by window."""
        pairs = zip(of, windows, strict=True)
        parts = [getattr(each, name)[window.start : window.stop] for each, window in pairs]
        return np.concatenate(empty + parts)

    # All windows in one column: each launch in a core counts as often as its sequence ran, 0 times
    # where the sequence is to teach nothing.
    length = np.array([window.stop - window.start for window in windows], dtype=np.int64)
    start = np.append(0, np.cumsum(length))
    weight = np.zeros(int(start[-1]), dtype=np.int64)
    for begin, each, window in zip(start.tolist(), of, windows, strict=False):
        core = slice(begin + window.first - window.start, begin + window.last - window.start)
        weight[core] = 0 if each.doubted else each.times
    whole = np.array([each.order.whole for each in of], dtype=np.bool_)
    origin = np.array([window.start for window in windows], dtype=np.int64)
    # Graphs begin and end with a replay; any other sequence begins and ends anywhere.
    ends = [window.stop == len(each) for each, window in zip(of, windows, strict=True)]
    return LaunchWindows(
        start=start,
        token=column("token"),
        settled=column("settled"),
        weight=weight,
        sequence=np.array([window.sequence for window in windows], dtype=np.int64),
        origin=origin,
        opens=whole & (origin == 0),
        closes=whole & np.array(ends, dtype=np.bool_),
        whole=whole,
    )
