"""Kineto (Chrome-trace JSON of torch.profiler, plain or gzip) → RawTrace.

Read: operators, annotations, runtime and driver calls, kernels, memory copies and sets; of what
stands around the events the base time, the rank and the names of the GPUs.
Left out: source frames, flow arrows, counters, GPU annotations; and unseen, because some exporters
put the process environment there, every other block around the events.
Times: the file's microseconds on top of `baseTimeNanoseconds`, as whole nanoseconds.
Seen with: torch 1.12 to 2.13, CUDA and ROCm, and the layouts of several tools that write them anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kernelmap.errors import KernelmapError
from kernelmap.model.notices import Notice
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.blocks import BLOCK, Blocks
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import EventStream
from kernelmap.traces.kineto_around import Surroundings
from kernelmap.traces.kineto_columns import Columns
from kernelmap.traces.kineto_events import Batch, decode, one

_SNIFFED = 256


@dataclass(frozen=True, slots=True)
class _Sign:
    """What tells a trace that begins in one way, and within how many bytes it has to come."""

    begin: re.Pattern[bytes]
    pattern: re.Pattern[bytes]
    within: int


_SIGNS = (
    _Sign(re.compile(rb"(?:\xef\xbb\xbf)?\s*\{"), re.compile(rb'"traceEvents"'), 64 << 20),
    _Sign(re.compile(rb"(?:\xef\xbb\xbf)?\s*\["), re.compile(rb'"ph"\s*:\s*"X"'), 1 << 20),
)
_ENDS_TOO_EARLY = "Export the trace again; a profile that is still being written ends like this."


@dataclass(frozen=True, slots=True)
class KinetoReader:
    """Reads in blocks of `block` bytes; what it gives doesn't depend on that."""

    label: str = "Kineto trace (JSON or JSON.gz)"
    block: int = BLOCK

    def sniff(self, path: Path) -> bool:
        """Whether `path` holds an object with `"traceEvents"` or a list of complete events."""
        if path.is_dir():
            return False
        carry, seen, sign = b"", 0, None
        for block in Blocks(path, 1 << 18):
            window, seen = carry + block, seen + len(block)
            sign = sign or _sign(window)
            if sign is not None and sign.pattern.search(window):
                return True
            if seen > (_SNIFFED if sign is None else sign.within):
                return False
            carry = window[-_SNIFFED:]
        return False

    def read(self, path: Path) -> RawTrace:
        """All of `path`; KernelmapError where it holds no events or some that can't be read."""
        codec, columns = _Codec(), Columns()
        stream = EventStream(Blocks(path, self.block), codec)
        for batch in stream:
            columns.add(batch)
        base_ns = codec.found.base_ns
        launches = columns.launches(base_ns)
        apis, ranges = columns.apis(base_ns), columns.ranges(base_ns)
        if not (len(launches) or len(apis) or len(ranges)):
            raise KernelmapError(
                "no-trace-events",
                f"{path} holds {columns.events} events, but no operator, call or kernel",
                "Export a profile with torch.profiler's export_chrome_trace.",
            )
        return RawTrace(
            source=str(path),
            launches=launches,
            apis=apis,
            ranges=ranges,
            pids=columns.pids,
            rank=codec.found.rank,
            gpus=codec.found.gpus,
            notices=tuple(_notices(path, stream, columns)),
        )


def _sign(begin: bytes) -> _Sign | None:
    return next((sign for sign in _SIGNS if sign.begin.match(begin)), None)


class _Codec:
    """Decodes events, and remembers what stood around them."""

    def __init__(self) -> None:
        self.found = Surroundings()

    def decode(self, text: bytes, layout: Layout | None) -> Batch:
        return decode(text, layout)

    def one(self, text: bytes) -> bytes:
        return one(text)

    def around(self, text: bytes) -> None:
        self.found = self.found.with_text(text)


def _notices(path: Path, stream: EventStream[Batch], columns: Columns) -> Iterator[Notice]:
    """What was cut off, mended or left out."""
    if stream.cut:
        yield Notice(
            slug="trace-truncated",
            message=f"{path}: {stream.cut}; {columns.events} whole events are used",
            hint=_ENDS_TOO_EARLY,
            gap=True,
        )
    if stream.unread:
        yield Notice(
            slug="trace-metadata-unreadable",
            message=f"{path}: what stands before the events is no JSON; base time and rank unknown",
        )
    for kind, count in sorted(stream.repairs.items()):
        if count:
            yield Notice(
                slug="trace-repaired",
                message=f"{path}: {kind} in {count} events or in the metadata, repaired",
            )
    if columns.without_time:
        yield Notice(
            slug="events-without-duration",
            message=f"{path}: {columns.without_time} events without a usable duration left out",
            gap=True,
        )
    if columns.ids.too_large:
        yield Notice(
            slug="ids-too-large",
            message=f"{path}: {columns.ids.too_large} ids beyond 63 bits are treated as absent",
            gap=True,
        )
