"""Where the events of one source of a Trace stand in a Chrome trace.

Taken: a trace and the number of a source. Given: its host rows (ranges and api calls) and its GPU
activities in the order in which they are written, each with the process and the thread that it gets
there. What one row of a viewer cannot hold (`tracks`) goes to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.model.trace import NONE, Activity, Bool, Int, Process, Trace
from kernelmap.traces.chrome_ids import Gpu, Threads, distinct, gpus
from kernelmap.traces.tracks import nested, side_by_side


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Columns (n,) of events: `at` are rows of the trace; `pid` and `tid` stand in the file."""

    at: Int
    start_ns: Int
    dur_ns: Int
    pid: Int
    tid: Int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostEvents(Events):
    """`at` is a row of ranges or of api calls; `moved` is the thread where `tid` is another."""

    is_range: Bool
    moved: Int


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuEvents(Events):
    """`at` is a row of launches; `device` is the number of the GPU in the file."""

    device: Int
    gpus: tuple[Gpu, ...]


def host_events(trace: Trace, file: int, threads: Threads) -> HostEvents:
    """Ranges and api calls, those that lie around others first."""
    ranges, apis = trace.ranges, trace.apis
    mine = _of_file(trace, file)
    own, called = np.flatnonzero(mine[ranges.process]), np.flatnonzero(mine[apis.process])
    at = np.concatenate([own, called])
    is_range = np.arange(len(at)) < len(own)
    start = np.concatenate([ranges.start_ns[own], apis.start_ns[called]])
    end = start + np.concatenate([ranges.dur_ns[own], apis.dur_ns[called]])
    around = np.concatenate([ranges.parent[own], apis.range[called]])
    process = np.concatenate([ranges.process[own], apis.process[called]])
    thread = np.concatenate([ranges.thread[own], apis.thread[called]])
    order = np.lexsort((~is_range, -end, start))
    place = np.full(len(ranges) + 1, NONE, dtype=np.int64)  # the last is that of "no range"
    place[at[order][is_range[order]]] = np.flatnonzero(is_range[order])
    parent = place[around[order]]

    owners, owner = distinct(process[order], thread[order])
    row = nested(owner, start[order], end[order], parent)
    pids = np.array([pid_of(trace.processes[each]) for each, _ in owners], dtype=np.int64)
    numbers = [thread for _, thread in owners]
    tid = _tids(threads, owner, row, pids, numbers, "thread")
    return HostEvents(
        at=at[order],
        start_ns=start[order],
        dur_ns=(end - start)[order],
        pid=pids[owner],
        tid=tid,
        is_range=is_range[order],
        moved=np.where(row > 0, thread[order], NONE),
    )


def gpu_events(trace: Trace, file: int, threads: Threads) -> GpuEvents:
    """What ran on GPUs in the order of its start; streams of several processes stand apart."""
    launches = trace.launches
    on_gpu = launches.activity != Activity.CPU
    at = np.flatnonzero(_of_file(trace, file)[launches.process] & on_gpu)
    at = at[np.argsort(launches.start_ns[at], kind="stable")]
    start, dur = launches.start_ns[at], launches.dur_ns[at]
    known = gpus(trace, file)
    columns = (launches.process[at], launches.device[at], launches.stream[at])
    owners, owner = distinct(*columns)
    found = [known.get((whose, id_)) or known[NONE, id_] for whose, id_, _ in owners]
    pids = np.array([gpu.pid for gpu in found], dtype=np.int64)
    numbers = np.array([gpu.number for gpu in found], dtype=np.int64)
    row = side_by_side(owner, start, start + dur)
    streams = [stream for _, _, stream in owners]
    return GpuEvents(
        at=at,
        start_ns=start,
        dur_ns=dur,
        pid=pids[owner],
        tid=_tids(threads, owner, row, pids, streams, "stream"),
        device=numbers[owner],
        gpus=tuple(gpu for gpu in known.values() if gpu in found),
    )


def _tids(
    threads: Threads, owner: Int, row: Int, pids: Int, wanted: Sequence[int], word: str
) -> Int:
    """The number of the thread under which each event stands."""
    pairs, number = distinct(owner, row)
    tids = [threads.number(int(pids[whose]), wanted[whose], at, whose, word) for whose, at in pairs]
    return np.array(tids, dtype=np.int64)[number]


def _of_file(trace: Trace, file: int) -> Bool:
    """Mask of the processes of a source."""
    return np.array([process.trace == file for process in trace.processes], dtype=np.bool_)


def pid_of(process: Process) -> int:
    """The pid as a number; 0 for a process that has none."""
    return int(process.pid) if process.pid is not None and process.pid.isdecimal() else 0
