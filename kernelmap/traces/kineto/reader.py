"""Kineto (Chrome-trace JSON of torch.profiler, plain or gzip) → RawTrace.

Read: operators, annotations, runtime and driver calls, kernels, memory copies and sets; source
frames as far as they say whose work lies below them, or where the user's code was; of what stands
around the events the base time, the rank and the names of the GPUs. A field there with an
unexpected value counts as missing. Beside these, what was sampled of GPUs (counters.py).
Left out: other source frames, flow arrows, other counters, GPU annotations; and unseen, because
some exporters put the process environment there, every other block around the events.
Times: the file's microseconds on top of `baseTimeNanoseconds`, as whole nanoseconds.
Seen with: torch 1.12 to 2.14, CUDA and ROCm, both backends of its profiler, and the layouts of
several tools that write them anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from kernelmap.errors import KernelmapError
from kernelmap.model.notices import Notice, format_count
from kernelmap.model.trace import Functions
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.blocks import BLOCK, FileBlocks
from kernelmap.traces.chrome.json_stream import MALFORMED, Codec, EventStream
from kernelmap.traces.columns import LATEST_NS
from kernelmap.traces.kineto.columns import Columns
from kernelmap.traces.kineto.events import Scalar, one
from kernelmap.traces.kineto.native_scan import Ahead, Scan, Scanned
from kernelmap.traces.kineto.other_vendors import count_uncategorized
from kernelmap.traces.kineto.plain_scan import PlainScan
from kernelmap.traces.kineto.values import text, whole
from kernelmap.traces.linking import OVERHANG_NS

_Record = TypeVar("_Record")
_MISSING = Raw(b"null")
_SNIFFED = 256
_SHOWN = 3


class _Around(Struct, frozen=True):
    base: Raw = msgspec.field(default=_MISSING, name="baseTimeNanoseconds")
    distributed: Raw = msgspec.field(default=_MISSING, name="distributedInfo")
    gpus: Raw = msgspec.field(default=_MISSING, name="deviceProperties")
    overhang: Raw = msgspec.field(default=_MISSING, name="overhangNanoseconds")


class _Distributed(Struct, frozen=True):
    rank: Scalar = None


class _Gpu(Struct, frozen=True):
    id: Scalar = None
    name: Scalar = None


class Surroundings(Struct, frozen=True, kw_only=True):
    """`base_ns` is what event times count from; `gpus` are ids and names as the file lists them.

    `overhang_ns` is how far an event may outlast the one around it; only our own files tell.
    """

    base_ns: int = 0
    overhang_ns: int = OVERHANG_NS
    rank: int | None = None
    gpus: tuple[tuple[int, str | None], ...] = ()

    def with_text(self, around: bytes) -> Surroundings:
        """These facts and those that `around` adds; msgspec.DecodeError where it is no object."""
        fields = msgspec.json.decode(around, type=_Around)
        base = _typed(fields.base, int)
        distributed = _typed(fields.distributed, _Distributed)
        gpus = _typed(fields.gpus, list[_Gpu])
        overhang = _typed(fields.overhang, int)
        return replace(
            self,
            # A base time that no event could have is damage, and counts as missing.
            base_ns=base if base is not None and 0 <= base < LATEST_NS else self.base_ns,
            # A file may ask for a smaller overhang than that of Kineto, never for a larger one.
            overhang_ns=overhang
            if overhang is not None and 0 <= overhang <= OVERHANG_NS
            else self.overhang_ns,
            rank=self.rank if distributed is None else whole(distributed.rank),
            gpus=self.gpus if not gpus else tuple(_named(gpus)),
        )


def _named(gpus: list[_Gpu]) -> list[tuple[int, str | None]]:
    listed = [(whole(gpu.id), text(gpu.name)) for gpu in gpus]
    return [(id_, name) for id_, name in listed if id_ is not None]


def _typed(raw: Raw, record: type[_Record]) -> _Record | None:
    try:
        return msgspec.json.decode(raw, type=record)
    except MALFORMED:
        return None


class _Sign(Struct, frozen=True):
    """What tells a trace that begins in one way, and within how many bytes it has to come."""

    begin: re.Pattern[bytes]
    pattern: re.Pattern[bytes]
    within: int


# An object may hold much before its events; a list begins with them.
_SIGNS = (
    _Sign(re.compile(rb"(?:\xef\xbb\xbf)?\s*\{"), re.compile(rb'"traceEvents"'), 64 << 20),
    _Sign(re.compile(rb"(?:\xef\xbb\xbf)?\s*\["), re.compile(rb'"ph"\s*:\s*"X"'), 1 << 20),
)
_CUT_OFF = (
    "Copy it again from where it was recorded, or export it again: a profile that is still being"
    " written ends like this, too."
)
_DAMAGED = "Copy it again from where it was recorded, or export it again."


class KinetoReader(Struct, frozen=True):
    """Reads in blocks of `block` bytes; what it gives doesn't depend on that."""

    label: str = "Kineto trace (JSON or JSON.gz)"
    block: int = BLOCK

    def sniff(self, path: Path) -> bool:
        """Whether `path` holds an object with `"traceEvents"` or a list of complete events."""
        if path.is_dir():
            return False
        # The first bytes say which sign is looked for. The end of each block is kept,
        # for a sign that is cut in two.
        carry, seen, sign = b"", 0, None
        for block in FileBlocks(path, 1 << 18):
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
        columns, codec = Columns(), _KinetoCodec()
        with codec.scanned:
            stream = EventStream(FileBlocks(path, self.block), codec)
            for batch in stream:
                columns.add(batch)
        base_ns = codec.surroundings.base_ns
        # Columns are given away when they are asked for, so each is asked for once.
        launches = columns.launches(base_ns)
        apis, ranges = columns.apis(base_ns), columns.ranges(base_ns)
        if not (len(launches) or len(apis) or len(ranges)) and stream.lost:
            raise KernelmapError(
                "broken-trace",
                f"{path}: no event can be read; the one at byte {stream.first_lost} is no JSON",
                "Correct it, or export the trace again.",
            )
        # Other vendors' rows state no category; nobody else's are looked for where something ran.
        others = None if len(launches) else count_uncategorized(path)
        vendors = () if others is None else tuple(_of_vendors(path, others.of_vendors))
        if not (len(launches) or len(apis) or len(ranges)):
            old = others is not None and others.by_old_exporter > 0
            raise KernelmapError(
                "no-trace-events",
                f"{path} holds {columns.events} events, but no operator, call or kernel"
                + (_OLD_EXPORTER if old else "")
                + "".join(f"; {notice.message}" for notice in vendors),
                "Export a profile with torch.profiler's export_chrome_trace.",
            )
        return RawTrace(
            source=str(path),
            launches=launches,
            apis=apis,
            ranges=ranges,
            frames=columns.frames(base_ns),
            counters=columns.counters(base_ns),
            pids=columns.pids,
            rank=codec.surroundings.rank,
            gpus=codec.surroundings.gpus,
            overhang_ns=codec.surroundings.overhang_ns,
            frames_ns=base_ns if columns.has_frames else None,
            functions=columns.functions(),
            notices=(
                *_notices(path, stream, columns),
                *left_out_notices(path, columns),
                *vendors,
            ),
        )


def functions_of(path: Path) -> Functions:
    """All functions in files that a trace names, those of libraries too."""
    columns, codec = Columns(libraries=True), _KinetoCodec()
    with codec.scanned:
        for stretch in EventStream(FileBlocks(path), codec):
            columns.add(stretch)
    return columns.functions()


def _sign(begin: bytes) -> _Sign | None:
    return next((sign for sign in _SIGNS if sign.begin.match(begin)), None)


class _KinetoCodec(Codec[Scanned]):
    """Decodes events, and remembers what stood around them; with the scanner, where it runs."""

    def __init__(self) -> None:
        self.surroundings = Surroundings()
        self.scanned = Ahead(Scan.__call__)
        self._plain_scan = PlainScan()

    @property
    def ahead(self) -> int:
        return self.scanned.ahead

    def begin(self, text: bytes) -> None:
        self.scanned.begin(text)

    def decode(self, text: bytes) -> Scanned:
        # None: the scanner found something unusual, or there is none.
        scanned = self.scanned(text)
        return self._plain_scan(text) if scanned is None else scanned

    def one(self, text: bytes) -> bytes:
        return one(text)

    def around(self, text: bytes) -> None:
        self.surroundings = self.surroundings.with_text(text)


def _notices(path: Path, stream: EventStream[Scanned], columns: Columns) -> Iterator[Notice]:
    """What was cut off or mended."""
    if stream.cut:
        yield Notice(
            slug="trace-truncated",
            message=f"{path} is cut off: {stream.cut}; {columns.events} whole events are used",
            hint=_CUT_OFF,
            gap=True,
        )
    if stream.damage:
        yield Notice(
            slug="trace-damaged",
            message=f"{path} is damaged: {stream.damage}; what can be read of its events is used",
            hint=_DAMAGED,
            gap=True,
        )
    if stream.lost:
        line = stream.line_of(stream.first_lost)
        yield Notice(
            slug="events-unreadable",
            message=f"{path}: {stream.lost} of {columns.events} events are no JSON and left out,"
            f" first in line {line} (byte {stream.first_lost})",
            hint=_DAMAGED,
            gap=True,
        )
    if stream.unread:
        yield Notice(
            slug="trace-metadata-unreadable",
            message=f"{path}: what stands before the events is no JSON; base time and rank unknown",
        )
    for kind, times in sorted(stream.repairs.items()):
        if times:
            yield Notice(
                slug="trace-repaired",
                message=f"{path}: {kind} in {format_count(times, 'event')} or in the metadata, "
                "repaired",
            )


_OLD_EXPORTER = (
    ": the old exporter of autograd's profiler (EventList.export_chrome_trace) wrote it, which "
    "states neither the kind of an event nor what ran on a GPU"
)


def _of_vendors(path: Path, rows: Mapping[str, int]) -> Iterator[Notice]:
    for device, events in sorted(rows.items()):
        yield _not_read(path, device, events)


def _not_read(path: Path, device: str, events: int) -> Notice:
    return Notice(
        slug="device-not-read",
        message=f"{path}: {format_count(events, 'event')} of {device} devices left out",
        hint="The work of NVIDIA, AMD and Intel GPUs is read, and that of CPUs.",
        gap=True,
    )


def left_out_notices(path: Path, columns: Columns) -> Iterator[Notice]:
    """Events and ids that could be read and not be used."""
    left_out = columns.met.left_out
    if left_out.without_time:
        yield Notice(
            slug="events-without-duration",
            message=f"{path}: {format_count(left_out.without_time, 'event')}"
            " without a usable duration left out",
            gap=True,
        )
    if left_out.unclear:
        most = left_out.unclear.most_common(_SHOWN)
        shown = ", ".join(f"{what} ({count:,})" for what, count in most)
        yield Notice(
            slug="events-unclear",
            message=f"{path}: {left_out.unclear.total():,} events left out for what they say of"
            f" their kind, which no profiler writes: {shown}",
            hint=_DAMAGED,
            gap=True,
        )
    for device, events in sorted(left_out.other_devices.items()):
        yield _not_read(path, device, events)
    if large := left_out.too_large:
        yield Notice(
            slug="ids-too-large",
            message=f"{path}: {large} ids that are too large are treated as absent",
            gap=True,
        )
