"""Captures of CUDA and HIP graphs: when they were, and which api calls launched into them.

During a capture nothing runs: its api calls launch, and no GPU activity is theirs; nodes are made
in their order. What was captured runs when the graph is replayed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.matching.host_side.columns import by_name
from kernelmap.model import NONE, Activity, Trace
from kernelmap.model.trace import ApiCalls, Bool, Int, distinct

_LATEST = 2**62
_BEGIN, _END = "StreamBeginCapture", "StreamEndCapture"
_LAUNCHES = (
    ("LaunchKernel", Activity.KERNEL),
    ("LaunchCooperativeKernel", Activity.KERNEL),
    ("Memcpy", Activity.MEMCPY),
    ("Memset", Activity.MEMSET),
)


def captured_calls(trace: Trace) -> Iterator[Int]:
    """The rows of the launching api calls of each capture, in their order."""
    apis = trace.apis
    begins, ends = named_apis(apis, _BEGIN), named_apis(apis, _END)
    if not begins.any() or not ends.any():
        return
    silent = launching(apis) >= 0
    silent[trace.launches.api[trace.launches.api >= 0]] = False
    for process, begin, end in _captures(apis, begins, ends):
        inside = silent & np.equal(apis.process, process)
        inside &= (apis.start_ns > begin) & (apis.start_ns < end)
        rows = np.flatnonzero(inside)
        yield rows[np.argsort(apis.start_ns[rows], kind="stable")]


def launching(apis: ApiCalls) -> Int:
    """The activity that each api call launches, by its name; -1 for none."""
    kinds = [
        next((int(kind) for word, kind in _LAUNCHES if word in name), NONE) for name in apis.names
    ]
    return np.array([*kinds, NONE], dtype=np.int64)[apis.name_id]


def capture_spans(apis: ApiCalls) -> Iterator[tuple[int, int, int]]:
    """Process, beginning and end of each capture, those too that the profile cuts off."""
    begins, ends = named_apis(apis, _BEGIN), named_apis(apis, _END)
    yield from _captures(apis, begins, ends)
    for process in distinct(apis.process[begins | ends]).tolist():
        own = np.equal(apis.process, process)
        starts, stops = apis.start_ns[begins & own], apis.start_ns[ends & own]
        first, last = int(starts.min(initial=_LATEST)), int(starts.max(initial=-_LATEST))
        if stops.min(initial=_LATEST) < first:
            yield process, -_LATEST, int(stops.min())
        if stops.max(initial=-_LATEST) < last:
            yield process, last, _LATEST


def _captures(apis: ApiCalls, begins: Bool, ends: Bool) -> Iterator[tuple[int, int, int]]:
    """Process, beginning and end of each capture; of nested ones the inner ones."""
    for process in distinct(apis.process[begins]).tolist():
        own = np.equal(apis.process, process)
        starts = np.sort(apis.start_ns[begins & own])
        stops = np.sort(apis.start_ns[ends & own])
        after = np.searchsorted(stops, starts)
        for at, start in enumerate(starts.tolist()):
            if after[at] == len(stops):
                break
            end = int(stops[after[at]])
            if at + 1 == len(starts) or starts[at + 1] >= end:
                yield process, start, end


def named_apis(apis: ApiCalls, word: str) -> Bool:
    """Mask of the api calls with `word` in their names; (apis,)."""
    return by_name(apis.name_id, [word in name for name in apis.names])
