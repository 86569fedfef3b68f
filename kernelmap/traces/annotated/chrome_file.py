"""Writes one source of a Trace as a Chrome trace with facts in its events.

For profiles that are no Chrome traces themselves. Taken: a trace, the number of a source, what to
add, a handle. Given: JSON as Kineto writes it, so that viewers, tools and our own reader read it
like any other, an event a line; times are whole nanoseconds on the clock of the trace. An argument
that a row has no value for is left out. What Kineto has no word for gets one: the category
`cuda_graph` is a graph that was recorded as a whole; `process id` says whose a GPU activity is,
because correlation ids are counted per process; `thread id` says where a host row belongs that
stands in a row of its own; by `capture id` a replayed kernel names the call that its node was
captured in; `overhangNanoseconds` says that what sticks out lies in nothing.
Written an event at a time: beside the trace only columns of integers are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.model.annotations import KEY, Members
from kernelmap.model.columns import distinct_values
from kernelmap.model.trace import NONE, Activity, Int, RangeKind, Trace
from kernelmap.traces.annotated.chrome_rows import (
    ChromeHostEvents,
    Events,
    GpuEvents,
    ThreadNumbers,
    gpu_events,
    host_events,
    pid_of,
)
from kernelmap.traces.annotated.event_text import (
    AnyTrack,
    EventLines,
    Fields,
    Sink,
    about,
    exact_text,
    json_number,
    track_events,
    write_event,
)

_STRETCH = 1 << 14  # rows that are Python objects at a time
_OP, _ANNOTATION, _RUNTIME, _DRIVER = range(4)
_HOST = ("cpu_op", "user_annotation", "cuda_runtime", "cuda_driver")
_GPU = {
    Activity.KERNEL: "kernel",
    Activity.MEMCPY: "gpu_memcpy",
    Activity.MEMSET: "gpu_memset",
    Activity.GRAPH: "cuda_graph",
}
_HOST_IDS = ("thread id", "Sequence number", "correlation", "capture id")
_GPU_IDS = (
    *("device", "stream", "correlation", "process id"),
    *("graph id", "graph node id", "capture id"),
)
_GPUS_FROM = 5_000_000  # where Kineto sorts GPUs among the processes

Numbers = tuple[int, ...]
WriteFacts = Callable[[Int], Iterator[Members]]
"""Rows of launches → the facts of each."""


class ExportEvents(Struct, frozen=True, dict=True):
    """Events of `trace`; `facts` gives those for rows of launches."""

    trace: Trace
    events: tuple[ChromeHostEvents, GpuEvents]
    facts: WriteFacts
    base_ns: int

    def host(self) -> Iterator[Fields]:
        """Ranges and api calls; a range that is a launch on the CPU has its facts."""
        ranges, apis, launches = self.trace.ranges, self.trace.apis, self.trace.launches
        events, _ = self.events
        # One table of names: ids of api calls are shifted behind those of ranges.
        names = (*ranges.names, *apis.names)
        kinds = [_DRIVER if not name.startswith("cuda") else _RUNTIME for name in apis.names]
        on_cpu = np.flatnonzero(launches.on_cpu)
        # By range the CPU launch that it is, -1 for all others.
        launch = np.full(len(ranges), NONE, dtype=np.int64)
        launch[launches.range[on_cpu]] = on_cpu
        kind = np.where(np.equal(ranges.kind, RangeKind.OP), _OP, _ANNOTATION)
        launch_of_event = self._host(launch, None)
        # One column of host events per value, (events,): name, category, launch, and the ids that
        # are written; -1 leaves an id out.
        columns = (
            self._host(ranges.name_id, apis.name_id + len(ranges.names)),
            self._host(kind, np.array(kinds, dtype=np.int64)[apis.name_id]),
            launch_of_event,
            events.moved,
            self._host(ranges.sequence, None),
            self._host(None, apis.correlation),
            self._host(None, self._captured),
        )
        # Facts come in the order of these rows, so each event with a launch takes the next ones.
        facts = self.facts(launch_of_event[launch_of_event >= 0])
        for place, (name, category, row, *ids) in _rows(events, columns):
            args = _numbers(_HOST_IDS, ids)
            if row != NONE:
                args[KEY] = next(facts)
            yield self._event(_HOST[category], names[name], place, args)

    def gpu(self) -> Iterator[Fields]:
        """Kernels, copies, fills and whole graphs."""
        launches = self.trace.launches
        _, events = self.events
        at = events.at
        origin = launches.origin[at]
        pids = np.array(
            [NONE if process.pid is None else pid_of(process) for process in self.trace.processes],
            dtype=np.int64,
        )
        columns = (
            launches.name_id[at],
            launches.activity[at],
            *launches.grid[at].T,
            *launches.block[at].T,
            events.device,
            launches.stream[at],
            launches.correlation[at],
            pids[launches.process[at]],
            launches.graph[at],
            launches.graph_node[at],
            np.where(origin >= 0, origin + 1, NONE),
        )
        facts = self.facts(at)
        # Each event has facts here, because each one is a launch.
        for place, (name, activity, x, y, z, width, height, depth, *ids) in _rows(events, columns):
            args = _numbers(_GPU_IDS, ids)
            if x != NONE:
                args["grid"] = (x, y, z)
            if width != NONE:
                args["block"] = (width, height, depth)
            args[KEY] = next(facts)
            yield self._event(_GPU[Activity(activity)], launches.names[name], place, args)

    @cached_property
    def _captured(self) -> Int:
        """A number for each api call that a graph's node was captured in."""
        numbers = np.full(len(self.trace.apis), NONE, dtype=np.int64)
        origin = distinct_values(self.trace.launches.origin)
        origin = origin[origin >= 0]
        # Numbers begin at 1: a reader takes 0 for no id.
        numbers[origin] = origin + 1
        return numbers

    def _host(self, of_ranges: Int | None, of_apis: Int | None) -> Int:
        """One column of host events from those of ranges and api calls; None is absent."""
        events, _ = self.events
        values = np.full(len(events.at), NONE, dtype=np.int64)
        for column, mask in ((of_ranges, events.is_range), (of_apis, ~events.is_range)):
            if column is not None:
                values[mask] = column[events.at[mask]]
        return values

    def _event(
        self, category: str, name: str, place: Sequence[int], args: Mapping[str, object]
    ) -> Fields:
        pid, tid, start_ns, dur_ns = place
        return {
            "ph": "X",
            "cat": category,
            "name": name,
            "pid": pid,
            "tid": tid,
            "ts": json_number(exact_text(start_ns - self.base_ns)),
            "dur": json_number(exact_text(dur_ns)),
            "args": args,
        }


def _rows(events: Events, columns: Sequence[Int]) -> Iterator[tuple[Numbers, Numbers]]:
    """Of each event (pid, tid, start_ns, dur_ns), and what the columns say of it."""
    places = (events.pid, events.tid, events.start_ns, events.dur_ns)
    for at in range(0, len(events.at), _STRETCH):
        where, others = (
            zip(*(column[at : at + _STRETCH].tolist() for column in group), strict=True)
            for group in (places, columns)
        )
        yield from zip(where, others, strict=True)


def _numbers(names: Sequence[str], values: Sequence[int]) -> dict[str, object]:
    """The arguments that have a value."""
    return {name: value for name, value in zip(names, values, strict=True) if value != NONE}


def write_chrome_trace(
    trace: Trace, file: int, handle: Sink, facts: WriteFacts, tracks: Sequence[AnyTrack]
) -> None:
    """Write `trace.sources[file]` to `handle`; `tracks` stand behind the events."""
    threads = ThreadNumbers()
    host, gpu = host_events(trace, file, threads), gpu_events(trace, file, threads)
    base_ns = _base_ns(trace, file, (host, gpu))
    opening = {
        "schemaVersion": 1,
        "displayTimeUnit": "ns",
        "baseTimeNanoseconds": base_ns,
        "overhangNanoseconds": 0,
        "deviceProperties": [{"id": device.number, "name": device.name} for device in gpu.gpus],
    }
    handle.write(msgspec.json.encode(opening)[:-1] + b',\n"traceEvents":[')
    rows = ExportEvents(trace, (host, gpu), facts, base_ns)
    events = chain(
        _events(trace, gpu, threads, file),
        rows.host(),
        rows.gpu(),
        track_events(tracks, base_ns),
    )
    EventLines(handle).write(map(write_event, events))
    handle.write(b"\n]}\n")


def _events(trace: Trace, gpu: GpuEvents, threads: ThreadNumbers, file: int) -> Iterator[Fields]:
    """What names and sorts the rows of a viewer, as Kineto does it."""
    for process in trace.processes:
        if process.trace == file:
            pid = pid_of(process)
            yield about("process_name", pid, 0, {"name": f"process {pid}"})
            yield about("process_labels", pid, 0, {"labels": "CPU"})
            yield about("process_sort_index", pid, 0, {"sort_index": pid})
    for device in gpu.gpus:
        yield about("process_name", device.pid, 0, {"name": device.label})
        yield about("process_labels", device.pid, 0, {"labels": "GPU"})
        place = {"sort_index": _GPUS_FROM + device.number}
        yield about("process_sort_index", device.pid, 0, place)
    for pid, tid, name in threads.named:
        yield about("thread_name", pid, tid, {"name": name})


def _base_ns(trace: Trace, file: int, events: Sequence[Events]) -> int:
    """What times count from: time 0 of the source; Perfetto leaves out what is before that."""
    starts = [int(rows.start_ns.min()) for rows in events if len(rows.at)]
    return max(0, min(trace.zeros_ns[file], *starts))
