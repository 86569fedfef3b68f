"""Tiny Kineto files: events as dicts, and the layouts in which tools write them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

Event = dict[str, object]
Track = tuple[object, object]
HOST: Track = (10, 1)
GPU: Track = (0, 7)

SPACED = "spaced"
COMPACT = "compact"
INDENTED = "indented"
KINETO = "kineto"
LAYOUTS = (SPACED, COMPACT, INDENTED, KINETO)


def op(name: str, ts: object, dur: object, **args: object) -> Event:
    """A CPU operator on thread 1 of process 10."""
    return _complete("cpu_op", name, ts, dur, HOST, args)


def note(name: str, ts: object, dur: object, **args: object) -> Event:
    """A user annotation."""
    return _complete("user_annotation", name, ts, dur, HOST, args)


def api(name: str, ts: object, dur: object, correlation: object, **args: object) -> Event:
    """A runtime call."""
    return _complete("cuda_runtime", name, ts, dur, HOST, {"correlation": correlation, **args})


def kernel(name: str, ts: object, dur: object, correlation: object, **args: object) -> Event:
    """A kernel on device 0, stream 7."""
    args = {"device": 0, "stream": 7, "correlation": correlation, "grid": [4, 1, 1], **args}
    return _complete("kernel", name, ts, dur, GPU, args)


def frame(name: str, ts: object, dur: object) -> Event:
    """A Python source frame, as with_stack writes them."""
    return _complete("python_function", name, ts, dur, HOST, {"Python id": 5})


def sample(name: str, ts: object, value: object, device: int = 0) -> Event:
    """What a counter of a GPU showed, as `_build_chrome_counters` of torch 2.14.1 writes it."""
    process = f"GPU {device} Counters"
    return {"ph": "C", "name": name, "pid": process, "ts": ts, "args": {"": value}}


def pair(correlation: int = 1, name: str = "k") -> list[Event]:
    """An operator, its launch and its kernel."""
    at = correlation * 100
    return [
        op("aten::mm", at, 50, **{"External id": correlation}),
        api("cudaLaunchKernel", at + 10, 5, correlation),
        kernel(name, at + 20, 7, correlation),
    ]


def text(
    events: Sequence[Event],
    layout: str = SPACED,
    *,
    late: bool = False,
    around: Event | None = None,
) -> str:
    """The file's text; `late` puts what stands around the events behind them."""
    listed = _list(events, layout)
    facts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in (around or {}).items()]
    parts = [f'"traceEvents": {listed}', *facts] if late else [*facts, f'"traceEvents": {listed}']
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def write(path: Path, content: str | bytes) -> Path:
    """`content` as a file."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _list(events: Sequence[Event], layout: str) -> str:
    if layout == COMPACT:
        return json.dumps(events, separators=(",", ":"))
    if layout == INDENTED:
        return json.dumps(events, indent=2).replace("\n", "\n  ")
    if layout == KINETO:
        return "[\n  " + ",\n  ".join(_as_kineto(event) for event in events) + "\n  ]"
    return json.dumps(events)


def _as_kineto(event: Event) -> str:
    head = json.dumps({key: value for key, value in event.items() if key != "args"})[1:-1]
    args = json.dumps(event.get("args") or {})[1:-1]
    comma = "," if head else ""
    return f'{{\n    {head}{comma}\n    "args": {{\n      {args}\n    }}\n  }}'


def _complete(cat: str, name: str, ts: object, dur: object, track: Track, args: Event) -> Event:
    pid, tid = track
    where = {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid}
    return {**where, "ts": ts, "dur": dur, "args": args}
