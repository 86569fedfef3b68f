"""A Kineto file → the modules of a network that were open when api calls were made.

With `with_stack=True` the profiler writes a frame for every call of an `nn.Module`, by its class
and a number that it gives each module of that class: `nn.Module: Linear_3`. Those around a call,
from the outside inwards, are its path: `Decoder_0.DecodeLayer_1.Linear_3`.

Left out: frames of files that are no Kineto trace; events that have to be mended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.model.columns import row_groups
from kernelmap.model.trace import Int, Trace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome.json_stream import EventStream
from kernelmap.traces.kineto.events import one, text_ns

_MODULE = "nn.Module: "
_NEEDLE = _MODULE.encode()


class _ModuleFrame(Struct):
    name: object = None
    pid: object = None
    tid: object = None
    ts: msgspec.Raw = msgspec.Raw(b"")
    dur: msgspec.Raw = msgspec.Raw(b"")


_EVENTS = msgspec.json.Decoder(list[_ModuleFrame])


class _OpenModule(NamedTuple):
    begin_ns: int
    end_ns: int
    name: str


def modules_of_apis(trace: Trace, api: Int) -> list[str | None]:
    """The path of the module around each of the api calls `api`; None where no frame names one."""
    apis = trace.apis
    of_api: list[str | None] = [None] * len(api)
    sources = np.array([process.trace for process in trace.processes], dtype=np.int64)
    for source, base_ns in enumerate(trace.frames_ns):
        of_source = np.flatnonzero(sources[apis.process[api]] == source)
        if base_ns is None or not len(of_source):
            continue
        frames = _frames_of_file(Path(trace.sources[source]))
        for at in row_groups(apis.process[api[of_source]], apis.thread[api[of_source]]):
            rows = of_source[at]
            first = int(api[rows[0]])
            thread = str(trace.processes[int(apis.process[first])].pid), int(apis.thread[first])
            times = apis.start_ns[api[rows]] - base_ns
            for row, path in zip(
                rows.tolist(), _paths_at(frames.get(thread, []), times.tolist()), strict=True
            ):
                of_api[row] = path
    return of_api


def _paths_at(frames: Sequence[_OpenModule], times_ns: Sequence[int]) -> list[str | None]:
    """The path of the modules that are open at each time, of the frames of one thread."""
    paths: list[str | None] = [None] * len(times_ns)
    # Outer frames come before those in them.
    coming = deque(sorted(frames, key=lambda frame: (frame.begin_ns, -frame.end_ns)))
    opened: list[_OpenModule] = []
    for at in sorted(range(len(times_ns)), key=times_ns.__getitem__):
        while coming and coming[0].begin_ns <= times_ns[at]:
            frame = coming.popleft()
            opened = [outer for outer in opened if outer.end_ns > frame.begin_ns]
            opened.append(frame)
        opened = [frame for frame in opened if frame.end_ns > times_ns[at]]
        paths[at] = ".".join(frame.name for frame in opened) or None
    return paths


def _frames_of_file(path: Path) -> Mapping[tuple[str, int], list[_OpenModule]]:
    """The frames of modules by process and thread, as the file names them."""
    frames: dict[tuple[str, int], list[_OpenModule]] = {}
    for batch in EventStream(FileBlocks(path), _ModuleCodec()):
        for event in batch:
            begin, dur = text_ns(bytes(event.ts)), text_ns(bytes(event.dur))
            if begin is not None and dur is not None and isinstance(event.tid, int):
                name = str(event.name).removeprefix(_MODULE)
                of_thread = frames.setdefault((str(event.pid), event.tid), [])
                of_thread.append(_OpenModule(begin, begin + dur, name))
    return frames


class _ModuleCodec:
    """Decodes frames of modules; all other events are dropped at once."""

    ahead = 0

    def begin(self, text: bytes) -> None:
        """Nothing is done ahead."""

    def decode(self, text: bytes) -> list[_ModuleFrame]:
        # A stretch without a module need not be decoded.
        if _NEEDLE not in text:
            return []
        events = _EVENTS.decode(b"".join((b"[", text, b"]")))
        return [event for event in events if str(event.name).startswith(_MODULE)]

    def one(self, text: bytes) -> bytes:
        return one(text)

    def around(self, text: bytes) -> None:
        """Nothing around the events is needed."""
