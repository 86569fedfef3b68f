"""Spans of time on threads → which of them is open at a moment, and which begins next."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import row_groups
from kernelmap.model.matching import HostMoments
from kernelmap.model.trace import NONE, Int


class ThreadSpans(Struct, frozen=True, kw_only=True):
    """Spans of threads, all (n,), each until before `end_ns`. They may nest in one another."""

    process: Int
    thread: Int
    start_ns: Int
    end_ns: Int


def find_open_spans(spans: ThreadSpans, moments: HostMoments) -> tuple[Int, Int]:
    """For each moment the innermost span that is open, and the next to begin on its thread; (m,).

    Both are positions in `spans`, -1 for none.
    """
    inner = np.full(len(moments.time_ns), NONE, dtype=np.int64)
    following = inner.copy()
    of_thread = {
        (int(spans.process[rows[0]]), int(spans.thread[rows[0]])): rows
        for rows in row_groups(spans.process, spans.thread)
    }
    for rows in row_groups(moments.process, moments.thread):
        own = of_thread.get((int(moments.process[rows[0]]), int(moments.thread[rows[0]])))
        if own is not None:
            asked = rows[np.argsort(moments.time_ns[rows], kind="stable")]
            inner[asked], following[asked] = _sweep_thread(spans, own, moments.time_ns[asked])
    return inner, following


def _sweep_thread(spans: ThreadSpans, rows: Int, times_ns: Int) -> tuple[list[int], list[int]]:
    """The same for ascending times of one thread, whose spans are `rows`."""
    # By begin; of those that begin together the longer one is around the other.
    rows = rows[np.lexsort((-spans.end_ns[rows], spans.start_ns[rows]))]
    starts, ends = spans.start_ns[rows].tolist(), spans.end_ns[rows].tolist()
    numbers = rows.tolist()
    inner, following = [], []
    opened: list[int] = []
    begun = 0
    for time_ns in times_ns.tolist():
        while begun < len(starts) and starts[begun] <= time_ns:
            # A span that has ended is around none that begins later.
            while opened and ends[opened[-1]] <= starts[begun]:
                opened.pop()
            opened.append(begun)
            begun += 1
        while opened and ends[opened[-1]] <= time_ns:
            opened.pop()
        inner.append(numbers[opened[-1]] if opened else NONE)
        following.append(numbers[begun] if begun < len(numbers) else NONE)
    return inner, following
