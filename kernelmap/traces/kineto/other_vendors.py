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
from msgspec import Raw, Struct

from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome.json_stream import MALFORMED, EventStream
from kernelmap.traces.kineto.events import Scalar, one

_DEVICE = re.compile(
    r"(?P<vendor>Ascend) Hardware.*|/device:(?P<kind>TPU|NPU|MLU|HPU|CUSTOM):\d+.*"
)
"""Processes that are devices: of torch_npu 2.x, and of traces that XLA's profiler writes."""


_NOTHING = Raw(b"{}")
_OLD_EXPORTER = frozenset({"CPU functions", "CUDA functions"})


class UncategorizedRows(Struct, frozen=True):
    """How many rows each device of another vendor has, by what the device is called.

    `by_old_exporter` are those that the old exporter wrote.
    """

    of_vendors: Mapping[str, int]
    by_old_exporter: int


class _Row(Struct, gc=False):
    ph: Scalar = None
    pid: Scalar = None
    name: Scalar = None
    args: Raw = _NOTHING

    @property
    def process_name(self) -> str | None:
        """The name that a row of metadata gives its process, None of any other row."""
        if self.ph != "M" or self.name != "process_name":
            return None
        try:
            return str(_ARGS.decode(self.args).name)
        except MALFORMED:
            return None


class _Args(Struct, gc=False):
    name: Scalar = None


_ROWS, _ARGS = msgspec.json.Decoder(list[_Row]), msgspec.json.Decoder(_Args)


def count_uncategorized(path: Path) -> UncategorizedRows:
    """The rows of a file that only the names of their processes tell."""
    names: dict[Scalar, str] = {}
    rows: Counter[Scalar] = Counter()
    for batch in EventStream(FileBlocks(path), _RowCodec()):
        for event in batch:
            rows[event.pid] += event.ph == "X"
            if (name := event.process_name) is not None:
                names[event.pid] = name
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
