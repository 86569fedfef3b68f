"""Gives each event of one source of a Trace its process and thread in a Chrome trace.

Taken: a trace and the number of a source. Given: its host rows (ranges and api calls) and its GPU
activities in the order in which they are written, each with the process and the thread that it gets
there.

A Chrome trace numbers GPUs per file, an export of nsys sometimes per process: where each process
counts its own, they are numbered anew. A row of a viewer is a thread there, so a stream is one, and
what does not fit beside the others of its thread or stream gets a thread of its own.

A viewer keeps a stack per row. What starts inside an open slice must end inside it: a slice that
sticks out has no place there. Perfetto dropped it (`slice_drop_overlapping_complete_event`), newer
releases move it to a row of their own choice (`slice_spill_overlapping_complete_event`). Slices
that touch are fine. Source: Perfetto, src/trace_processor/importers/common/slice_tracker.cc,
`MaybeCloseStack`. Functions that choose rows take intervals ordered by start, the longer first, and
return for each the number of its row, 0 where the first one holds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import pair_columns
from kernelmap.model.trace import NONE, Bool, Int, Process, Trace

_OWN_GPU = 1_000_000_000  # above the pids of a system
_OWN_THREAD = 1_500_000_000  # above threads and streams, and within 32 bits


def nested(owner: Int, start: Int, end: Int, parent: Int) -> Int:
    """Rows of intervals that may lie in one another; `owner` is whose they are, all shapes (n,).

    An interval goes to the row of its `parent`, the position of an earlier one or -1, if it fits.

    >>> nested(*map(np.array, ([0, 0, 0], [1, 2, 3], [9, 4, 10], [-1, 0, -1]))).tolist()
    [0, 0, 1]
    """
    # By owner (a thread) its rows, and on each row the ends of the intervals
    # that are open, the innermost last.
    stacks: defaultdict[int, list[list[int]]] = defaultdict(list)
    rows: list[int] = []
    columns = (column.tolist() for column in (owner, start, end, parent))
    for number, begin, stop, above in zip(*columns, strict=True):
        stack_of_row = stacks[number]
        # What lies in a slice should stand in its row; only what sticks out there
        # goes to the first row with room.
        row = rows[above] if above != NONE else 0
        if not _fits(stack_of_row, row, begin, stop):
            row = next(
                at for at in range(len(stack_of_row) + 1) if _fits(stack_of_row, at, begin, stop)
            )
        stack_of_row[row].append(stop)
        rows.append(row)
    return np.array(rows, dtype=np.int64)


def side_by_side(owner: Int, start: Int, end: Int) -> Int:
    """Rows of intervals of which no two may run at the same time on one row; as above.

    >>> side_by_side(*map(np.array, ([0, 0, 0], [1, 2, 9], [9, 4, 10]))).tolist()
    [0, 1, 0]
    """
    # By owner (a stream) the end of the last interval on each of its rows.
    ends: defaultdict[int, list[int]] = defaultdict(list)
    rows: list[int] = []
    columns = (column.tolist() for column in (owner, start, end))
    for number, begin, stop in zip(*columns, strict=True):
        end_of_row = ends[number]
        row = next((at for at, last in enumerate(end_of_row) if last <= begin), len(end_of_row))
        # The row may be a new one behind the last.
        end_of_row[row:] = [stop, *end_of_row[row + 1 :]]
        rows.append(row)
    return np.array(rows, dtype=np.int64)


def _fits(rows: list[list[int]], row: int, begin: int, stop: int) -> bool:
    """Whether the interval lies in what is open on that row; the one behind the last is empty."""
    if row == len(rows):
        rows.append([])
    open_ = rows[row]
    # Slices that ended before are closed. What is left encloses it or ends within it.
    while open_ and open_[-1] <= begin:
        open_.pop()
    return not open_ or stop <= open_[-1]


class Gpu(Struct, frozen=True, kw_only=True):
    """A GPU of the file: its number and name there, and the pid under which its rows stand."""

    number: int
    name: str | None
    pid: int
    label: str


def gpus(trace: Trace, file: int) -> dict[tuple[int, int], Gpu]:
    """The GPUs of a source by (process, device); process is -1 where all processes share them.

    Under device -1 there is one more, for what no GPU is known of.
    """
    listed_gpus: dict[tuple[int, int], Gpu] = {}
    hosts = {process.pid for process in trace.processes if process.trace == file}
    listed = [device for device in trace.devices if device.trace == file]
    for at, device in enumerate(listed):
        of_one = device.process is not None
        process = NONE if device.process is None else device.process
        of = f" of process {trace.processes[process].pid}" if of_one else ""
        label = f"GPU {device.id}{of}" + (f", {device.name}" if device.name else "")
        listed_gpus[process, device.id] = _gpu(
            at if of_one else device.id, device.name, label, hosts
        )
    # The unknown GPU gets a number that no GPU of the file has.
    number = 1 + max((gpu.number for gpu in listed_gpus.values()), default=NONE)
    listed_gpus[NONE, NONE] = _gpu(number, None, "GPU that is not known", hosts)
    return listed_gpus


def _gpu(number: int, name: str | None, label: str, hosts: set[str | None]) -> Gpu:
    # Viewers tell processes apart by pid, so that a GPU must not have the number of a host process.
    pid = number if str(number) not in hosts else _OWN_GPU + number
    return Gpu(number=number, name=name, pid=pid, label=label)


class ThreadNumbers(Struct):
    """Gives out the numbers under which rows stand in the file; `named` collects their names."""

    named: list[tuple[int, int, str]] = []
    _taken: dict[tuple[int, int], tuple[int, ...]] = {}
    _known: dict[tuple[int, ...], int] = {}

    def number(self, pid: int, wanted: int, row: int, owner: int, word: str) -> int:
        """`wanted` for the first row of the first who asks for it, else a number of its own."""
        key = (pid, wanted, row, owner)
        if key not in self._known:
            # Two owners may want one number: stream 7 of two processes on one GPU, for example.
            free = row == 0 and self._taken.setdefault((pid, wanted), key) == key
            number = wanted if free else _OWN_THREAD + len(self._known)
            self._known[key] = number
            self.named.append((pid, number, f"{word} {wanted}" + (f" ({row + 1})" if row else "")))
        return self._known[key]


def distinct(*columns: Int) -> tuple[list[tuple[int, ...]], Int]:
    """The different rows that columns of one length make, and for each row its number there."""
    key = pair_columns(*columns)
    # Any row of each combination, from which its values are taken.
    example = np.zeros(int(key.max(initial=NONE)) + 1, dtype=np.int64)
    example[key] = np.arange(len(key))
    lists = [column[example].tolist() for column in columns]
    return list(zip(*lists, strict=True)), key


class Events(Struct, frozen=True, kw_only=True):
    """Columns (n,) of events: `at` are rows of the trace; `pid` and `tid` stand in the file."""

    at: Int
    start_ns: Int
    dur_ns: Int
    pid: Int
    tid: Int


class ChromeHostEvents(Events, frozen=True, kw_only=True):
    """`at` is a row of ranges or of api calls; `moved` is the thread where `tid` is another."""

    is_range: Bool
    moved: Int


class GpuEvents(Events, frozen=True, kw_only=True):
    """`at` is a row of launches; `device` is the number of the GPU in the file."""

    device: Int
    gpus: tuple[Gpu, ...]


def host_events(trace: Trace, file: int, threads: ThreadNumbers) -> ChromeHostEvents:
    """Ranges and api calls, those that lie around others first."""
    ranges, apis = trace.ranges, trace.apis
    mine = _of_file(trace, file)
    # Rows of the file's ranges and api calls; all columns below hold
    # the ranges first, then the calls.
    ranged, called = np.flatnonzero(mine[ranges.process]), np.flatnonzero(mine[apis.process])
    at = np.concatenate([ranged, called])
    is_range = np.arange(len(at)) < len(ranged)
    start = np.concatenate([ranges.start_ns[ranged], apis.start_ns[called]])
    end = start + np.concatenate([ranges.dur_ns[ranged], apis.dur_ns[called]])
    around = np.concatenate([ranges.parent[ranged], apis.range[called]])
    process = np.concatenate([ranges.process[ranged], apis.process[called]])
    thread = np.concatenate([ranges.thread[ranged], apis.thread[called]])
    # What encloses something comes before it, as choosing rows needs it.
    order = np.lexsort((~is_range, -end, start))
    # The place of each range of the trace in this order, so that links become links between events.
    place = np.full(len(ranges) + 1, NONE, dtype=np.int64)  # the last is that of "no range"
    place[at[order][is_range[order]]] = np.flatnonzero(is_range[order])
    parent = place[around[order]]

    owners, owner = distinct(process[order], thread[order])
    row = nested(owner, start[order], end[order], parent)
    pids = np.array([pid_of(trace.processes[number]) for number, _ in owners], dtype=np.int64)
    numbers = [thread for _, thread in owners]
    tid = _tids(threads, owner, row, pids, numbers, "thread")
    return ChromeHostEvents(
        at=at[order],
        start_ns=start[order],
        dur_ns=(end - start)[order],
        pid=pids[owner],
        tid=tid,
        is_range=is_range[order],
        # Slices that were moved to another row say their real thread, for our own reader.
        moved=np.where(row > 0, thread[order], NONE),
    )


def gpu_events(trace: Trace, file: int, threads: ThreadNumbers) -> GpuEvents:
    """What ran on GPUs in the order of its start; streams of several processes stand apart."""
    launches = trace.launches
    # CPU launches are host ranges, and are written as such.
    at = np.flatnonzero(_of_file(trace, file)[launches.process] & ~launches.on_cpu)
    at = at[np.argsort(launches.start_ns[at], kind="stable")]
    start, dur = launches.start_ns[at], launches.dur_ns[at]
    all_gpus = gpus(trace, file)
    columns = (launches.process[at], launches.device[at], launches.stream[at])
    owners, owner = distinct(*columns)
    # GPUs are numbered by the process, else for all processes; -1 leads to the unknown one.
    owner_gpus = [all_gpus.get((process, id_)) or all_gpus[NONE, id_] for process, id_, _ in owners]
    pids = np.array([gpu.pid for gpu in owner_gpus], dtype=np.int64)
    numbers = np.array([gpu.number for gpu in owner_gpus], dtype=np.int64)
    row = side_by_side(owner, start, start + dur)
    streams = [stream for _, _, stream in owners]
    return GpuEvents(
        at=at,
        start_ns=start,
        dur_ns=dur,
        pid=pids[owner],
        tid=_tids(threads, owner, row, pids, streams, "stream"),
        device=numbers[owner],
        gpus=tuple(gpu for gpu in all_gpus.values() if gpu in owner_gpus),
    )


def _tids(
    threads: ThreadNumbers, owner: Int, row: Int, pids: Int, wanted: Sequence[int], word: str
) -> Int:
    """The number of the thread under which each event stands."""
    pairs, number = distinct(owner, row)
    tids = [
        threads.number(
            int(pids[number_of_owner]), wanted[number_of_owner], at, number_of_owner, word
        )
        for number_of_owner, at in pairs
    ]
    return np.array(tids, dtype=np.int64)[number]


def _of_file(trace: Trace, file: int) -> Bool:
    """Mask of the processes of a source."""
    return np.array([process.trace == file for process in trace.processes], dtype=np.bool_)


def pid_of(process: Process) -> int:
    """The pid as a number; 0 for a process that has none."""
    return int(process.pid) if process.pid is not None and process.pid.isdecimal() else 0
