"""Perfetto traces (.pftrace, plain or gzip) → RawTrace; what torch's cupti_monitor backend writes.

Read: operators, annotations, source frames, runtime and driver calls (slices of threads); kernels,
copies and memsets (GPU render stages); counters. They become the rows that Kineto's JSON gives, by
the same path (kineto/), so both forms of one run say the same, but for what the file does not hold:
it names no rank, no GPU and no direction of a copy; and torch cuts kernels that overlap on one
stream, and rounds times of operators by a nanosecond.
Left out: everything else that Perfetto records. Traces without anything of a profiler say what they
are.
Times: nanoseconds of the clock of the trace; in torch's files since 1970.
Seen with: the encoders of torch 2.14.1 and 2.15.0 (there the backend is called cuspy); other
writers of the same packets by their description.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.notices import Notice, format_count
from kernelmap.model.trace import Functions
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.kineto.columns import Columns
from kernelmap.traces.kineto.reader import left_out_notices
from kernelmap.traces.perfetto.notes import KEYS
from kernelmap.traces.perfetto.packets import PacketStream, begins_packets
from kernelmap.traces.perfetto.plain_packets import GPU_COUNTERS, TRACK_EVENT, ZSTD
from kernelmap.traces.perfetto.rows import EventRows
from kernelmap.traces.perfetto.state import State

_HEAD = 64 << 10
_BLOCK = 4 << 20
_SHOWN = 3
_PAYLOADS = {
    1: "of the Linux kernel's events (ftrace)",
    2: "of processes",
    5: "of Chrome's events",
    7: "of system statistics",
    9: "of process statistics",
    TRACK_EVENT: "of track events",
    37: "of memory samples",
    38: "of the battery",
    39: "of Android's log",
    40: "of power rails",
    GPU_COUNTERS: "of GPU counters",
    53: "of GPU render stages",
    66: "of CPU samples",
    95: "of the Windows kernel's events",
}
"""What packets are about, in words; others are counted together."""
_COPY_AGAIN = "Copy it again from where it was recorded, or export it again."
_PROFILE = (
    "Give the profile of torch.profiler itself: a .json of export_chrome_trace, or a .pftrace of"
    " its backend cupti_monitor. Perfetto's own recordings of a system hold no CUDA kernels."
)


class PerfettoReader(Struct, frozen=True):
    """Reads in blocks of `block` bytes; what it gives doesn't depend on that."""

    label: str = "Perfetto trace of torch.profiler (.pftrace or .pftrace.gz)"
    block: int = _BLOCK

    def sniff(self, path: Path) -> bool:
        """Whether `path` begins with packets of a Perfetto trace."""
        if path.is_dir():
            return False
        return begins_packets(next(iter(FileBlocks(path, _HEAD)), b""))

    def read(self, path: Path) -> RawTrace:
        """All of `path`; KernelmapError where it holds nothing of a profiler."""
        reading = _Reading(path, self.block)
        columns = reading.columns
        # Columns are given away when they are asked for, so each is asked for once.
        launches, apis, ranges = columns.launches(0), columns.apis(0), columns.ranges(0)
        if not (len(launches) or len(apis) or len(ranges)):
            raise reading.refusal()
        return RawTrace(
            source=str(path),
            launches=launches,
            apis=apis,
            ranges=ranges,
            frames=columns.frames(0),
            counters=columns.counters(0),
            pids=columns.pids,
            gpus=tuple((at, name or None) for at, name in enumerate(reading.state.gpus)),
            frames_ns=0 if columns.has_frames else None,
            functions=columns.functions(),
            notices=(*reading.notices(), *left_out_notices(path, columns)),
        )


def functions_of(path: Path) -> Functions:
    """All functions in files that a trace names, those of libraries too."""
    return _Reading(path, _BLOCK, libraries=True).columns.functions()


class _Reading:
    """One file, read to its end, and what it held beside the columns."""

    def __init__(self, path: Path, block: int, *, libraries: bool = False) -> None:
        self.columns, self.state = Columns(libraries=libraries), State()
        self._path = path
        self._payloads: Counter[int] = Counter()
        self._rows = EventRows(self.columns, self.state, libraries=libraries)
        self._stream = PacketStream(FileBlocks(path, block), KEYS)
        for piece in self._stream.ahead():
            stretches = piece.tables["stretches"]
            counts = np.bincount(
                stretches["payload"].clip(-1, _OTHER) + 1,
                np.diff(stretches["packet"], append=len(piece.tables["packets"])),
            )
            self._payloads.update(
                {at - 1: int(counts[at]) for at in np.flatnonzero(counts).tolist()}
            )
            scope = self.state.read(piece)
            self._rows.add(piece, scope, self.state.clocks.times(piece))
        self._rows.finish()

    def notices(self) -> Iterator[Notice]:
        """What was cut off, damaged or is packed in a way that is not read."""
        stream, path = self._stream, self._path
        if stream.cut:
            yield Notice(
                slug="trace-truncated",
                message=f"{path} is cut off: {stream.cut};"
                f" {self.columns.events} whole events are used",
                hint=_COPY_AGAIN,
                gap=True,
            )
        if stream.damage:
            yield Notice(
                slug="trace-damaged",
                message=f"{path} is damaged: {stream.damage}; what stands before it is used",
                hint=_COPY_AGAIN,
                gap=True,
            )
        if stream.broken:
            yield Notice(
                slug="events-unreadable",
                message=f"{path}: {format_count(stream.broken, 'packet')} left out that cannot be"
                " read",
                hint=_COPY_AGAIN,
                gap=True,
            )
        if packed := self._payloads[ZSTD]:
            yield Notice(
                slug="events-unreadable",
                message=f"{path}: {format_count(packed, 'packet')} packed with zstd left out",
                hint="Record without that compression, or unpack it with Perfetto's own tools.",
                gap=True,
            )
        if stages := self._rows.stages_left_out:
            shown = ", ".join(f"{name} ({count:,})" for name, count in stages.most_common(_SHOWN))
            yield Notice(
                slug="device-not-read",
                message=f"{path}: {stages.total():,} GPU stages that are no kernel, copy or memset"
                f" left out: {shown}",
                gap=True,
            )

    def refusal(self) -> KernelmapError:
        """The error for a file without operators, calls and kernels."""
        gaps = "".join(f"; {notice.message}" for notice in self.notices() if notice.gap)
        if self._stream.damage or self._stream.cut or self._stream.broken:
            return KernelmapError(
                "broken-trace",
                f"{self._path} holds no operator, call or kernel that can be read{gaps}",
                _COPY_AGAIN,
            )
        known = [
            f"{count:,} {_PAYLOADS[of]}"
            for of, count in self._payloads.most_common()
            if of in _PAYLOADS
        ]
        categories = [name for name, _ in self._rows.categories.most_common(_SHOWN)]
        about = f" (categories: {', '.join(categories)})" if categories else ""
        return KernelmapError(
            "no-trace-events",
            f"{self._path} is a Perfetto trace without operators, calls or kernels of a profiler;"
            f" its packets: {', '.join(known[:_SHOWN]) or 'none that is known'}{about}{gaps}",
            _PROFILE,
        )


_OTHER = 1 << 12  # packets about what nobody counts here
