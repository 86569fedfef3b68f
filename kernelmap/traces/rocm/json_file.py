"""The JSON of rocprofv3 → RawTrace.

The file is an object with one member, a list of one object per process (or that object itself).
Kinds and operations are numbers into a list of names that stands beside the records. Read:
dispatches and copies, calls of HIP, ranges of ROCTX, agents and kernel symbols. Left out:
allocations, counters, arguments of calls; and never kept: the command line and the settings.
A record with a value of another type than its field's is left out and counted. Written after
rocprofiler-sdk's generateJSON.cpp (029ff02a) and save.hpp (0f00a64b); no file of it was seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Raw, Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.trace import NONE, Activity, Int
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.rocm.agents import Agent, Agents
from kernelmap.traces.rocm.json_records import (
    MALFORMED,
    NO_AXES,
    NOTHING,
    Axes,
    CallRecord,
    KernelSymbol,
    KeyedText,
    KindOperations,
    LenientDecoder,
    ListedAgent,
    ProcessMetadata,
    ProcessObject,
    RocprofDocument,
    StringTables,
    WorkRecord,
)
from kernelmap.traces.rocm.names import NO_NAME, name_copied, name_kernel
from kernelmap.traces.rocm.raw import MOST_PROCESSES, ProcessRows, make_raw_trace, say_unreadable
from kernelmap.traces.rocm.rows import GpuRows, HostRows

RECORD_AGAIN = "Record it again: rocprofv3 … --output-format json -- python train.py"
_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"rocprofiler-sdk-tool"\s*:')
_SNIFFED = 4096
_BOM = b"\xef\xbb\xbf"
_MOST = (1 << 63) - 1
_GPU = 2  # rocprofiler_agent_type_t
_HOST = ("hip_api", "hsa_api", "marker_api")
# Older releases call some kinds otherwise.
_DISPATCHES = ("kernel_dispatch", "kernel_dispatches")
_COPIES = ("memory_copy", "memory_copies")

_Record = TypeVar("_Record", bound=Struct)


def is_rocprof_json(path: Path) -> bool:
    """Whether `path` begins as the JSON of rocprofv3 does."""
    if path.is_dir():
        return False

    return _BEGIN.match(next(iter(FileBlocks(path, _SNIFFED)), b"")) is not None


def read_rocprof_json(path: Path) -> RawTrace:
    """All of `path`; KernelmapError where it is cut off or no such file."""
    blocks = FileBlocks(path)
    content = _as_utf8(b"".join(blocks).removeprefix(_BOM))
    try:
        listed = msgspec.json.decode(content, type=RocprofDocument).processes
    except MALFORMED as error:
        raise _damaged(
            f"{path} cannot be read as JSON of rocprofv3: {blocks.cut or error}"
        ) from error
    listed = listed if isinstance(listed, list) else [listed]
    if len(listed) > MOST_PROCESSES:
        raise _damaged(f"{path} lists {len(listed):,} processes")
    decoder = LenientDecoder()
    processes = [_OneProcess(process, at, decoder).rows() for at, process in enumerate(listed)]
    source = str(path)
    notices = say_unreadable(source, decoder.records, sorted(decoder.kinds), RECORD_AGAIN)
    return make_raw_trace(source, processes, notices)


def _damaged(message: str) -> KernelmapError:
    return KernelmapError("rocprof-json-damaged", message, RECORD_AGAIN)


def _as_utf8(content: bytes) -> bytes:
    """`content`, with a mark for bytes that are no UTF-8: rocprofv3 writes names as they are."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("utf-8", "replace").encode()
    return content


class _OneProcess:
    """What one object of the list holds."""

    def __init__(self, process: ProcessObject, at: int, decoder: LenientDecoder) -> None:
        self._decoder = decoder
        metadata = decoder.decode_one(process.metadata, ProcessMetadata, "metadata")
        self._pid = NONE if metadata is None else metadata.pid
        self._at = at
        strings = decoder.decode_one(process.strings, StringTables, "strings") or StringTables()
        kinds = decoder.decode(strings.buffer_records, KindOperations, "strings")
        self._operations = [kind.operations for kind in kinds]
        self._texts = self._messages(strings.marker_api)
        symbols = decoder.decode(process.kernel_symbols, KernelSymbol, "kernel_symbols")
        self._symbols = {symbol.kernel_id: symbol for symbol in symbols}
        self._agents = self._listed_agents(process.agents)
        self._records: dict[str, Raw] = {}
        if process.buffer_records != NOTHING:
            try:
                self._records = msgspec.json.decode(process.buffer_records, type=dict[str, Raw])
            except MALFORMED:
                decoder.decode_one(process.buffer_records, ProcessMetadata, "buffer_records")

    def rows(self) -> ProcessRows:
        """The rows of the process; one whose pid is not stated has its place in the file."""
        gpu = (self._dispatches(), self._copies())
        return ProcessRows(
            pid=self._pid if self._pid >= 0 else self._at,
            node=(),
            gpu=gpu,
            host=self._host(),
            agents=self._agents,
            spellings=self._spellings(),
        )

    def _messages(self, raw: Raw) -> Mapping[int, str | None]:
        """Texts of ROCTX by correlation id: a list of pairs, or an object with ids as keys."""
        try:
            by_key = msgspec.json.decode(raw, type=dict[str, str | None])
        except MALFORMED:
            pairs = self._decoder.decode(raw, KeyedText, "marker_api")
            return {message.key: message.value for message in pairs}
        return {int(key): text for key, text in by_key.items() if _is_number(key)}

    def _listed_agents(self, raw: Raw) -> Agents:
        listed = self._decoder.decode(raw, ListedAgent, "agents")
        return Agents(
            [
                Agent(
                    id=(0, agent.id.handle),
                    is_gpu=agent.type == _GPU,
                    ordinal=agent.logical_node_type_id,
                    name=agent.product_name or agent.name or None,
                )
                for agent in listed
            ]
        )

    def _records_of(self, kinds: Sequence[str], record: type[_Record]) -> list[_Record]:
        return [
            one
            for kind in kinds
            for one in self._decoder.decode(self._records.get(kind, NOTHING), record, kind)
        ]

    def _dispatches(self) -> GpuRows:
        rows = self._records_of(_DISPATCHES, WorkRecord)
        infos = [row.dispatch_info for row in rows]
        names = [self._kernel(info.kernel_id) for info in infos]
        sizes = [(info.grid_size, info.workgroup_size) for info in infos]
        device = self._devices([info.agent_id.handle for info in infos])
        return _gpu_rows(rows, Activity.KERNEL, device, names, sizes)

    def _copies(self) -> GpuRows:
        rows = self._records_of(_COPIES, WorkRecord)
        names = [name_copied(self._operation(row.kind, row.operation)) for row in rows]
        # A copy to a GPU is of that GPU, one to the host of the GPU that it comes from.
        to = self._devices([row.dst_agent_id.handle for row in rows], only_gpus=True)
        source = self._devices([row.src_agent_id.handle for row in rows], only_gpus=True)
        sizes = [(NO_AXES, NO_AXES)] * len(rows)
        return _gpu_rows(rows, Activity.MEMCPY, np.where(to >= 0, to, source), names, sizes)

    def _host(self) -> HostRows:
        rows = self._records_of(_HOST, CallRecord)
        name_id, names = _interned(
            [self._operation(row.kind, row.operation) or NO_NAME for row in rows]
        )
        texts = {
            at: text
            for at, row in enumerate(rows)
            if (text := self._texts.get(row.correlation_id.internal)) is not None
        }
        return HostRows(
            start=_column([row.start_timestamp for row in rows]),
            end=_column([row.end_timestamp for row in rows]),
            thread=_column([row.thread_id for row in rows]),
            correlation=_ids([row.correlation_id.internal for row in rows]),
            around=_ids([row.correlation_id.ancestor for row in rows]),
            name_id=name_id,
            names=names,
            texts=texts,
        )

    def _operation(self, kind: int, operation: int) -> str | None:
        """The name of an operation, None where the file has none."""
        if not 0 <= kind < len(self._operations):
            return None
        listed = self._operations[kind]
        return listed[operation] if 0 <= operation < len(listed) else None

    def _kernel(self, number: int) -> str:
        symbol = self._symbols.get(number)
        return NO_NAME if symbol is None else name_kernel(*_spelled(symbol))

    def _spellings(self) -> dict[str, tuple[str, ...]]:
        spellings: dict[str, tuple[str, ...]] = {}
        for symbol in self._symbols.values():
            name = name_kernel(*_spelled(symbol))
            others = [name_kernel(other) for other in reversed(_spelled(symbol)) if other]
            if kept := tuple(dict.fromkeys(other for other in others if other != name)):
                spellings[name] = kept
        return spellings

    def _devices(self, handles: Sequence[int], *, only_gpus: bool = False) -> Int:
        ids = _column(handles)
        return self._agents.devices_at(np.zeros(len(ids), np.int64), ids, only_gpus=only_gpus)


def _spelled(symbol: KernelSymbol) -> tuple[str | None, ...]:
    return symbol.demangled_kernel_name, symbol.formatted_kernel_name, symbol.kernel_name


def _gpu_rows(
    rows: Sequence[WorkRecord],
    activity: Activity,
    device: Int,
    spelled: Sequence[str],
    sizes: Sequence[tuple[Axes, Axes]],
) -> GpuRows:
    name_id, names = _interned(spelled)
    streams = [
        row.stream_id.handle if row.stream_id.handle >= 0 else row.dispatch_info.queue_id.handle
        for row in rows
    ]
    return GpuRows(
        start=_column([row.start_timestamp for row in rows]),
        end=_column([row.end_timestamp for row in rows]),
        device=device,
        stream=_column(streams),
        correlation=_ids([row.correlation_id.internal for row in rows]),
        name_id=name_id,
        names=names,
        activity=np.full(len(rows), activity, dtype=np.int8),
        grid=_extents([grid for grid, _ in sizes]),
        block=_extents([block for _, block in sizes]),
    )


def _interned(spelled: Sequence[str]) -> tuple[Int, tuple[str, ...]]:
    """Name ids, (rows,), and the names, each once."""
    numbers: dict[str, int] = {}
    ids = [numbers.setdefault(name, len(numbers)) for name in spelled]
    return np.array(ids, dtype=np.int64), tuple(numbers)


def _column(values: Sequence[int]) -> Int:
    """Whole numbers, -1 for what does not fit into 64 bits with a sign."""
    kept = (value if -_MOST <= value <= _MOST else NONE for value in values)
    return np.fromiter(kept, dtype=np.int64, count=len(values))


def _ids(values: Sequence[int]) -> Int:
    """Correlation ids; 0 is none."""
    column = _column(values)
    return np.where(column > 0, column, NONE)


def _extents(axes: Sequence[Axes]) -> Int:
    """The three extents of each row, (rows, 3)."""
    return np.stack([_column([getattr(one, axis) for one in axes]) for axis in "xyz"]).T


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20  # noqa: PLR2004 -- digits of 64 bits
