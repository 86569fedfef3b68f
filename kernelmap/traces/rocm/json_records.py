"""What the JSON of rocprofv3 holds: its records, and a decoder that skips what it cannot read.

Every field has a value that says that it is missing. Members are decoded one after another, so that
one record with a value of another type costs that record alone.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Raw, Struct, field

from kernelmap.model.trace import NONE

NOTHING = Raw(b"null")
"""A member that is not there."""
MALFORMED = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What decoding raises for text that is no JSON, or of other types than the record's."""

_Record = TypeVar("_Record", bound=Struct)


class SdkHandle(Struct, frozen=True):
    """A number of the SDK for an agent, a queue or a stream."""

    handle: int = NONE


class CorrelationIds(Struct, frozen=True):
    """Which call a record belongs to, and which range lies around that."""

    internal: int = NONE
    ancestor: int = NONE


class Axes(Struct, frozen=True):
    """Three extents."""

    x: int = NONE
    y: int = NONE
    z: int = NONE


_ANY, _NO_IDS, NO_AXES = SdkHandle(), CorrelationIds(), Axes()


class DispatchInfo(Struct, frozen=True):
    """Where a kernel ran, and with which grid."""

    agent_id: SdkHandle = _ANY
    queue_id: SdkHandle = _ANY
    kernel_id: int = NONE
    workgroup_size: Axes = NO_AXES
    grid_size: Axes = NO_AXES


_NO_DISPATCH = DispatchInfo()


class WorkRecord(Struct):
    """A dispatch or a copy."""

    start_timestamp: int
    end_timestamp: int
    kind: int = NONE
    operation: int = NONE
    correlation_id: CorrelationIds = _NO_IDS
    stream_id: SdkHandle = _ANY
    dispatch_info: DispatchInfo = _NO_DISPATCH
    dst_agent_id: SdkHandle = _ANY
    src_agent_id: SdkHandle = _ANY


class CallRecord(Struct):
    """A call of a host function, or a marker."""

    start_timestamp: int
    end_timestamp: int
    kind: int = NONE
    operation: int = NONE
    correlation_id: CorrelationIds = _NO_IDS
    thread_id: int = NONE


class KernelSymbol(Struct):
    """A kernel, in the spellings of its name."""

    kernel_id: int
    kernel_name: str | None = None
    formatted_kernel_name: str | None = None
    demangled_kernel_name: str | None = None


class ListedAgent(Struct):
    """A CPU or a GPU."""

    id: SdkHandle
    type: int = NONE
    logical_node_type_id: int = NONE
    name: str | None = None
    product_name: str | None = None


class KindOperations(Struct):
    """The names of the operations of one kind, by number."""

    operations: list[str | None] = field(default_factory=list)


class KeyedText(Struct):
    """A text of ROCTX by its correlation id."""

    key: int
    value: str | None = None


class ProcessMetadata(Struct):
    """What is read of a process itself; its command line and settings are not."""

    pid: int = NONE


class StringTables(Struct):
    """Names of kinds and operations, and texts of ROCTX."""

    buffer_records: Raw = NOTHING
    marker_api: Raw = NOTHING


class ProcessObject(Struct):
    """One process; each member is decoded when it is asked for."""

    metadata: Raw = NOTHING
    agents: Raw = NOTHING
    strings: Raw = NOTHING
    kernel_symbols: Raw = NOTHING
    buffer_records: Raw = NOTHING


class RocprofDocument(Struct):
    """The file: a list of processes, or one."""

    processes: list[ProcessObject] | ProcessObject = field(name="rocprofiler-sdk-tool")


class LenientDecoder:
    """Decodes members; counts records that hold a value of another type than their field's."""

    def __init__(self) -> None:
        self.records = 0
        self.kinds: set[str] = set()

    def decode(self, raw: Raw, record: type[_Record], kind: str) -> list[_Record]:
        """The records of a list that can be used."""
        if raw == NOTHING:
            return []
        try:
            return msgspec.json.decode(raw, type=list[record])  # type: ignore[valid-type]  # a type that is known when it runs
        except MALFORMED:
            pass
        try:
            pieces = msgspec.json.decode(raw, type=list[Raw])
        except MALFORMED:
            pieces = []
            self._count(kind)
        records = []
        for piece in pieces:
            try:
                records.append(msgspec.json.decode(piece, type=record))
            except MALFORMED:
                self._count(kind)
        return records

    def decode_one(self, raw: Raw, record: type[_Record], kind: str) -> _Record | None:
        """An object, None where it is none."""
        if raw == NOTHING:
            return None
        try:
            return msgspec.json.decode(raw, type=record)
        except MALFORMED:
            self._count(kind)
            return None

    def _count(self, kind: str) -> None:
        self.records += 1
        self.kinds.add(kind)
