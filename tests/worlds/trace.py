"""What a simulation gives: events in Kineto's order, the truth beside them, and the file.

Layouts: "kineto" as the profiler itself writes (two blanks, arguments on one line), "indent" as
json.dump(indent=2) and "compact" on one line, as re-dumped files are.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Literal

import msgspec

from worlds.capture import NODE, Capture
from worlds.recorder import (
    AUTOGRAD,
    MAIN,
    PID,
    SECOND_STREAM,
    START_NS,
    STREAM,
    WORKER,
    Recorder,
)
from worlds.rows import MARK, Json, Row
from worlds.undecidable import undecidable, unnamed
from worlds.world import AUTOTUNE, Truth, World

Layout = Literal["kineto", "indent", "compact"]
Event = dict[str, Json]

GPU = ("kernel", "gpu_memcpy", "gpu_memset")
APIS = ("cuda_runtime", "cuda_driver")
KINETO_END = '\n  }\n  ],"traceName": "trace.json" }\n'
_NO_EVENTS = (NODE, MARK)
_SIMULATED = "by kernelmap tests/worlds"


@dataclass(frozen=True, kw_only=True)
class SimulatedTrace:
    """A profile nobody recorded.

    `rows` are what events are made of, and what only other formats say; `truth` has one entry per
    kernel, memcpy and memset event, in the same order; `keys` is the key that each graph's range
    carries; `captures` are the CUDA graphs by the compiled graph that was captured; `simulated`
    says who made it and goes into the file.
    """

    world: World
    truth: tuple[Truth, ...]
    keys: Mapping[str, str]
    rows: tuple[Row, ...]
    captures: Mapping[str, Capture]
    simulated: str = _SIMULATED

    def document(self) -> dict[str, Json]:
        """The whole JSON object."""
        return {
            **_head(self.simulated, shapes=self.world.record_shapes),
            "traceEvents": self.events,
            "traceName": "trace.json",
        }

    @cached_property
    def events(self) -> list[Event]:
        """Chrome trace events in written order; made only where they are looked at."""
        events = _metadata(self.world)
        for row in self.rows:
            if row.category in _NO_EVENTS:
                continue
            events.append(_event(row))
            if _is_linked(row, self.world):
                events.append(_flow(row))
        return events

    def write_kineto(self, path: Path, layout: Layout = "kineto") -> None:
        """Write the file; a name that ends in .gz is compressed, with no time stamp in it."""
        text = _kineto(self) if layout == "kineto" else _dumped(self.document(), layout)
        data = text.encode()
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def finished(
    recorder: Recorder, keys: Mapping[str, str], alike: Mapping[str, tuple[str, ...]]
) -> SimulatedTrace:
    """Order the rows as Kineto does, lose what the world loses, and write down the truth.

    `alike` are the graphs that nothing tells apart (undecidable.py).
    """
    world = recorder.world
    host = [row for row in recorder.rows if row.category in ("cpu_op", "user_annotation")]
    device = [row for row in recorder.rows if row.category not in ("cpu_op", "user_annotation")]
    rows = [*sorted(host, key=lambda row: row.start_ns), *device]
    marks = recorder.marks
    if world.cut:
        window = _window(recorder)
        rows, marks = _within(window, rows), _within(window, marks)
    kept = [row for row in rows if recorder.rng.random() >= world.drop]
    if not world.host:
        wanted = (*GPU, *APIS) if world.apis else GPU
        kept = [row for row in kept if row.category in wanted]
    marked = undecidable(rows, kept, alike, unnamed(device, world))
    truth: list[Truth] = []
    event = len(_metadata(world))
    for row in kept:
        if row.category in _NO_EVENTS:
            continue
        if row.owner is not None and row.correlation is not None:
            truth.append(
                Truth(
                    event=event,
                    correlation=row.correlation,
                    dur_ns=row.dur_ns,
                    graph=row.owner.graph,
                    call=row.owner.call,
                    invocation=row.owner.invocation,
                    reason=row.owner.reason,
                    node=row.node,
                    candidates=marked.get(id(row), ()),
                )
            )
        event += 2 if _is_linked(row, world) else 1
    return SimulatedTrace(
        world=world,
        truth=tuple(truth),
        keys=dict(keys),
        rows=(*kept, *marks),
        captures=dict(recorder.captures),
    )


def _event(row: Row) -> Event:
    return {
        "ph": "X",
        "cat": row.category,
        "name": row.name,
        "pid": row.pid,
        "tid": row.tid,
        "ts": row.start_ns / 1000,
        "dur": row.dur_ns / 1000,
        "args": row.args,
    }


def _is_linked(row: Row, world: World) -> bool:
    """Whether an arrow leads from or to the row."""
    return row.correlation is not None and (world.host or world.apis)


def _flow(row: Row) -> Event:
    """Half of the arrow from an api row to its kernel."""
    event: Event = {
        "ph": "f" if row.owner is not None else "s",
        "id": row.correlation,
        "pid": row.pid,
        "tid": row.tid,
        "ts": row.start_ns / 1000,
        "cat": "ac2g",
        "name": "ac2g",
    }
    return event | ({"bp": "e"} if row.owner is not None else {})


def _window(recorder: Recorder) -> range:
    """From some compiled launch of the first step to one of the last.

    With benchmarks before the first step it opens with one of these.
    """
    steps: dict[int | None, list[Row]] = {}
    for row in recorder.rows:
        if row.owner is not None and row.owner.call is not None:
            steps.setdefault(row.owner.invocation, []).append(row)
    first, *_, last = steps.values()
    if recorder.world.tuned_before:
        tuned = [row for row in recorder.rows if row.owner is AUTOTUNE]
        first = tuned[: len(tuned) // 2] or first
    opens, closes = recorder.rng.choice(first), recorder.rng.choice(last)
    return range(opens.start_ns, closes.end_ns)


def _within(window: range, rows: list[Row]) -> list[Row]:
    start_ns, end_ns = window.start, window.stop
    return [row for row in rows if row.start_ns >= start_ns and row.start_ns + row.dur_ns <= end_ns]


def _metadata(world: World) -> list[Event]:
    """Names of processes and threads."""
    names: list[tuple[str, int, int, dict[str, Json]]] = [
        ("process_name", 0, 0, {"name": "python"}),
        ("process_labels", 0, 0, {"labels": "GPU 0"}),
        ("thread_name", 0, STREAM, {"name": f"stream {STREAM} "}),
    ]
    if world.streams > 1:
        names.append(("thread_name", 0, SECOND_STREAM, {"name": f"stream {SECOND_STREAM} "}))
    if world.host and world.other_thread:
        names.append(("thread_name", PID, WORKER, {"name": f"thread {WORKER} (python)"}))
    if world.host:
        names += [
            ("process_name", PID, 0, {"name": "python"}),
            ("process_labels", PID, 0, {"labels": "CPU"}),
            ("thread_name", PID, MAIN, {"name": f"thread {MAIN} (python)"}),
            ("thread_name", PID, AUTOGRAD, {"name": f"thread {AUTOGRAD} (pt_autograd_0)"}),
        ]
    return [
        {"ph": "M", "name": name, "ts": START_NS / 1000, "pid": pid, "tid": tid, "args": args}
        for name, pid, tid, args in names
    ]


def _head(simulated: str, *, shapes: bool) -> dict[str, Json]:
    return {
        "schemaVersion": 1,
        "simulated": simulated,
        "deviceProperties": [
            {"id": 0, "name": "Simulated GPU", "warpSize": 32, "numSms": 132},
        ],
        **({"record_shapes": 1} if shapes else {}),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": 1_700_000_000_000_000_000,
    }


def _dumped(document: dict[str, Json], layout: Layout) -> str:
    return json.dumps(document, indent=2 if layout == "indent" else None)


def _kineto(trace: SimulatedTrace) -> str:
    body = "\n  },\n".join(kineto_event(event) for event in trace.events)
    opening = kineto_opening(trace.simulated, shapes=trace.world.record_shapes)
    return f"{opening}{body}{KINETO_END}"


def kineto_opening(simulated: str, *, shapes: bool) -> str:
    """A file of the profiler's own layout up to its first event."""
    fields = "".join(
        f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in _head(simulated, shapes=shapes).items()
    )
    return f'\n{{\n{fields}  "traceEvents": [\n'


def kineto_event(event: Event) -> str:
    """One event in Kineto's layout, without its closing brace."""
    plain: list[str] = []
    for key, value in event.items():
        if key == "args":
            continue
        # Texts and numbers are most of a file and do not take the way through an encoder.
        if isinstance(value, str):
            plain.append(f'"{key}": {encode_basestring_ascii(value)}')
        elif isinstance(value, float) and key in ("ts", "dur"):
            plain.append(f'"{key}": {value:.3f}')  # as Kineto writes microseconds
        else:
            plain.append(f'"{key}": {value if type(value) is int else json.dumps(value)}')
    args = event.get("args")
    if isinstance(args, dict):
        return f'  {{\n    {", ".join(plain)},\n    "args": {{\n      {_dumped_args(args)}\n    }}'
    return f"  {{\n    {', '.join(plain)}"


def _dumped_args(args: Mapping[str, Json]) -> str:
    """What json.dumps writes between the braces, in a fifth of its time."""
    return msgspec.json.format(msgspec.json.encode(args), indent=0)[1:-1].decode()
