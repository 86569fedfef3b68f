"""Rows that state no category: whose they are, in a second look at a file.

Profilers of other vendors, such as Ascend's, put their rows beside torch's: each device is a
process of the trace, and only the name of that process says whose it is. The old exporter of
autograd's profiler wrote rows of operators alone, in a process by the name of `CPU functions`. A
file is looked at again only where nothing in it ran on a device that is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome.json_stream import EventStream
from kernelmap.traces.kineto.events import one

_DEVICE = re.compile(
    r"(?P<vendor>Ascend) Hardware.*|/device:(?P<kind>TPU|NPU|MLU|HPU|CUSTOM):\d+.*"
)
"""Processes that are devices: of torch_npu 2.x, and of traces that XLA's profiler writes."""


_OLD_EXPORTER = frozenset({"CPU functions", "CUDA functions"})


class UncategorizedRows(Struct, frozen=True):
    """How many rows each device of another vendor has, by what the device is called.

    `by_old_exporter` are those that the old exporter wrote.
    """

    of_vendors: Mapping[str, int]
    by_old_exporter: int


class _Row(Struct, gc=False):
    ph: object = None
    pid: object = None
    name: object = None
    args: object = None


_ROWS = msgspec.json.Decoder(list[_Row])


def count_uncategorized(path: Path) -> UncategorizedRows:
    """The rows of a file that only the names of their processes tell."""
    names: dict[object, str] = {}
    rows: Counter[object] = Counter()
    for batch in EventStream(FileBlocks(path), _RowCodec()):
        for event in batch:
            # A process is a number or a name; anything else can be no key.
            pid: object = event.pid if isinstance(event.pid, int | str) else None
            if event.ph == "X":
                rows[pid] += 1
            elif event.ph == "M" and event.name == "process_name" and isinstance(event.args, dict):
                names[pid] = str(event.args.get("name"))
    found: Counter[str] = Counter()
    for pid, name in names.items():
        device = _DEVICE.fullmatch(name)
        if device is not None and rows[pid]:
            found[device["vendor"] or device["kind"]] += rows[pid]
    return UncategorizedRows(found, sum(rows[pid] for pid in _OLD_EXPORTER))


class _RowCodec:
    """Decodes the fields that tell whose a row is."""

    ahead = 0

    def begin(self, text: bytes) -> None:
        """Nothing is done ahead."""

    def decode(self, text: bytes) -> list[_Row]:
        return _ROWS.decode(b"[%s]" % text)

    def one(self, text: bytes) -> bytes:
        return one(text)

    def around(self, text: bytes) -> None:
        """What stands around the events says nothing of rows."""
