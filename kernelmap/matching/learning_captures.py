"""Launches that the host made while a CUDA or HIP graph was captured → what its replays will run.

During a capture nothing runs, so the profile has no GPU activity for these api calls; they lie in
host ranges that name calls, and on HIP they state the kernel's name. Nodes are made in this order.
Captures without a beginning and an end in the profile teach nothing: what has no activity may have
lost it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.matching.climb import climb
from kernelmap.matching.situation import Situation
from kernelmap.model import NONE, Activity, Confidence
from kernelmap.model.learnt import LearntLaunch, LearntSequence
from kernelmap.model.trace import ApiCalls, Bool, Int

_BEGIN, _END = "StreamBeginCapture", "StreamEndCapture"
_LAUNCHES = (
    ("LaunchKernel", Activity.KERNEL),
    ("LaunchCooperativeKernel", Activity.KERNEL),
    ("Memcpy", Activity.MEMCPY),
    ("Memset", Activity.MEMSET),
)


def of_captures(situation: Situation) -> Iterator[LearntSequence]:
    """One sequence for each capture in the trace that made calls."""
    apis = situation.trace.apis
    activity = np.array([_activity(name) for name in apis.names], dtype=np.int64)
    begins, ends = _named(apis, _BEGIN), _named(apis, _END)
    if not begins.any() or not ends.any():
        return
    silent = activity[apis.name_id] >= 0
    silent[situation.trace.launches.api[situation.trace.launches.api >= 0]] = False
    for process, begin, end in _captures(apis, begins, ends):
        inside = silent & np.equal(apis.process, process)
        inside &= (apis.start_ns > begin) & (apis.start_ns < end)
        rows = np.flatnonzero(inside)
        rows = rows[np.argsort(apis.start_ns[rows], kind="stable")]
        launches = tuple(_launches(situation, rows, activity[apis.name_id[rows]]))
        if any(each.calls for each in launches):
            yield LearntSequence(launches=launches, whole=True, times=1, label="a capture")


def _captures(apis: ApiCalls, begins: Bool, ends: Bool) -> Iterator[tuple[int, int, int]]:
    """Process, beginning and end of each capture; one that lies in another is left out."""
    for process in np.unique(apis.process[begins]).tolist():
        own = np.equal(apis.process, process)
        starts = np.sort(apis.start_ns[begins & own])
        stops = np.sort(apis.start_ns[ends & own])
        for at, start in enumerate(starts.tolist()):
            after = stops[np.searchsorted(stops, start) :]
            if not len(after):
                return
            if at + 1 == len(starts) or starts[at + 1] >= after[0]:
                yield process, start, int(after[0])


def _launches(situation: Situation, rows: Int, activity: Int) -> Iterator[LearntLaunch]:
    apis, decisions = situation.trace.apis, situation.decisions
    top = climb(situation.trace.ranges.parent, decisions.made, apis.range[rows])
    runs: dict[tuple[int, int], int] = {}
    owner = np.searchsorted(situation.program.first_call, decisions.call, side="right") - 1
    for row, kind, at in zip(rows.tolist(), activity.tolist(), top.tolist(), strict=True):
        named = int(apis.device_name_id[row])
        call = int(decisions.call[at]) if at >= 0 else NONE
        sure = call >= 0 and decisions.confidence[at] <= Confidence.INFERRED
        key = (int(owner[at]), int(decisions.invocation[at]))
        yield LearntLaunch(
            name=apis.names[named] if named >= 0 else None,
            activity=Activity(kind),
            shape=None,
            calls=(call,) if sure else (),
            run=runs.setdefault(key, len(runs)) if sure else NONE,
        )


def _activity(name: str) -> int:
    """What an api call of this name launches, -1 for nothing."""
    return next((int(kind) for word, kind in _LAUNCHES if word in name), NONE)


def _named(apis: ApiCalls, word: str) -> Bool:
    flags = np.array([word in name for name in apis.names] or [False], dtype=bool)
    return np.asarray(flags[apis.name_id], dtype=bool)
