"""Launches of an invocation that began before the recording did, or ended after it.

A range that was open when recording began or ended is missing, and what lies in it looks as if it
lay on the bare thread. So on a thread that runs compiled code, nothing before its first compiled
range is certain to be outside, once there are signs that the recording cut something off: GPU
activities that were launched before it, or a generated kernel among those very launches. Behind the
last compiled range such a kernel is a sign, and so is Dynamo's look for compiled code, behind which
a compiled range follows.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import by_name
from kernelmap.matching.host_side.recording import Window, launched_before
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

_LOOKS = "TorchDynamo Cache Lookup"


def cut_off(context: MatchContext) -> Bool:
    """Mask of the launches that such invocations may have made; shape (launches,)."""
    launches, apis = context.trace.launches, context.trace.apis
    side = context.host.side
    known = side >= 0
    begins, ends = _compiled(context)
    early, late = np.zeros((2, len(launches)), dtype=bool)
    early[known] = apis.start_ns[side[known]] < begins[side[known]]
    late[known] = apis.start_ns[side[known]] >= ends[side[known]]

    names = context.calls_by_name
    runs = by_name(
        launches.name_id, [n in names or n.startswith("triton_") for n in launches.names]
    )
    signs = launched_before(context.trace) | (early & runs)
    early &= np.isin(launches.process, np.unique(launches.process[signs]))
    thread = np.full(len(launches), NONE, dtype=np.int64)
    thread[known] = apis.thread[side[known]]
    late_since = _looked(context, ends)
    early[known] |= apis.start_ns[side[known]] >= late_since[side[known]]
    places = np.stack([launches.process, thread], axis=1)
    for process, number in np.unique(places[late & runs], axis=0).tolist():
        early |= late & np.equal(launches.process, process) & np.equal(thread, number)
    return early


def _compiled(context: MatchContext) -> tuple[Int, Int]:
    """When the thread of each api call first ran compiled code, and when last; shapes (apis,)."""
    apis, span = context.trace.apis, Window.of(context.host).compiled
    limits = np.iinfo(np.int64)
    never = (int(limits.min), int(limits.max))
    places = zip(apis.process.tolist(), apis.thread.tolist(), strict=True)
    found = np.array([span.get(place, never) for place in places], dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _looked(context: MatchContext, ends: Int) -> Int:
    """When the thread of each api call looked for compiled code behind its last; shape (apis,)."""
    apis, ranges = context.trace.apis, context.trace.ranges
    never = np.iinfo(np.int64).max
    found = np.full(len(apis), never, dtype=np.int64)
    numbers = [at for at, name in enumerate(ranges.names) if name.startswith(_LOOKS)]
    rows = np.flatnonzero(np.isin(ranges.name_id, numbers))
    places = np.stack([ranges.process[rows], ranges.thread[rows]], axis=1)
    for process, thread in np.unique(places, axis=0).tolist():
        own = np.equal(apis.process, process) & np.equal(apis.thread, thread)
        looks = np.sort(ranges.start_ns[rows[(places == (process, thread)).all(axis=1)]])
        if own.any():
            first = np.searchsorted(looks, ends[own])
            found[own] = np.append(looks, never)[first]
    return found
