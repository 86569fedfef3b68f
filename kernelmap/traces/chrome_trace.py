"""One source of a Trace, written as a Chrome trace with facts in its events.

For profiles that are no Chrome traces themselves. Taken: a trace, the number of a source, what to
add, a handle. Given: JSON as Kineto writes it, so that viewers, tools and our own reader read it
like any other; times are whole nanoseconds on the clock of the trace. What Kineto has no word for
gets one: the category `cuda_graph` is a graph that was recorded as a whole; `process id` says whose
a GPU activity is, because correlation ids are counted per process; `thread id` says where a host
row belongs that stands in a row of its own; by `capture id` a replayed kernel names the call that
its node was captured in; `overhangNanoseconds` says that what sticks out lies in nothing.
Written some lines at a time: beside the trace only columns of integers are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

import msgspec

from kernelmap.model.annotations import Track
from kernelmap.model.trace import Trace
from kernelmap.traces.annotate import Sink
from kernelmap.traces.chrome_ids import Threads
from kernelmap.traces.chrome_lines import Lines
from kernelmap.traces.chrome_rows import (
    Events,
    GpuEvents,
    gpu_events,
    host_events,
    pid_of,
)
from kernelmap.traces.event_text import event_text
from kernelmap.traces.track_text import Fields, about, track_fields

_LINES = 1 << 12  # written at a time
_GPUS_FROM = 5_000_000  # where Kineto sorts GPUs among the processes
_encode = msgspec.json.encode


def write_chrome_trace(
    trace: Trace,
    file: int,
    handle: Sink,
    facts: Callable[[int], bytes],
    tracks: Sequence[Track],
) -> None:
    """Write `trace.sources[file]` to `handle`.

    `facts(row)` is the JSON object for a row of launches; `tracks` stand behind the events.
    """
    threads = Threads()
    host, gpu = host_events(trace, file, threads), gpu_events(trace, file, threads)
    base_ns = _base_ns(trace, file, (host, gpu))
    handle.write(
        b'{"schemaVersion": 1, "displayTimeUnit": "ns", "baseTimeNanoseconds": %d,\n'
        b'"overhangNanoseconds": 0, "deviceProperties": %s,\n"traceEvents": [\n'
        % (base_ns, _encode([{"id": each.number, "name": each.name} for each in gpu.gpus]))
    )
    rows = Lines(trace, (host, gpu), facts, base_ns)
    lines = chain(
        (event_text(fields, None) for fields in _events(trace, gpu, threads, file)),
        rows.host(),
        rows.gpu(),
        (event_text(fields, None) for fields in track_fields(tracks, base_ns)),
    )
    before = b""
    while some := list(islice(lines, _LINES)):
        handle.write(before + b",\n".join(some))
        before = b",\n"
    handle.write(b"\n]}\n")


def _events(trace: Trace, gpu: GpuEvents, threads: Threads, file: int) -> Iterator[Fields]:
    """What names and sorts the rows of a viewer, as Kineto does it."""
    for process in trace.processes:
        if process.trace == file:
            pid = pid_of(process)
            yield about("process_name", pid, 0, {"name": f"process {pid}"})
            yield about("process_labels", pid, 0, {"labels": "CPU"})
            yield about("process_sort_index", pid, 0, {"sort_index": pid})
    for each in gpu.gpus:
        yield about("process_name", each.pid, 0, {"name": each.label})
        yield about("process_labels", each.pid, 0, {"labels": "GPU"})
        place = {"sort_index": _GPUS_FROM + each.number}
        yield about("process_sort_index", each.pid, 0, place)
    for pid, tid, name in threads.named:
        yield about("thread_name", pid, tid, {"name": name})


def _base_ns(trace: Trace, file: int, events: Sequence[Events]) -> int:
    """What times count from: time 0 of the source; Perfetto leaves out what is before that."""
    starts = [int(each.start_ns.min()) for each in events if len(each.at)]
    return max(0, min(trace.zeros_ns[file], *starts))
