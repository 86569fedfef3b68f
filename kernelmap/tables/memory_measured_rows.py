"""Records of measured memory → the rows of its tables: spans, who held the bytes, snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import asdict

from kernelmap.attribution.divide import divide_calls
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.bundle import CountedStep, ModelTensors, RecordedProcess
from kernelmap.model.measured_memory import (
    HeldBytes,
    MeasuredMemory,
    MeasuredSpan,
    MemoryOwner,
    Since,
    SnapshotPeak,
)
from kernelmap.model.memory_snapshot import StackFrame
from kernelmap.model.names import graph_mark
from kernelmap.tables.memory_measured import (
    COUNTED,
    HELD,
    MEASURED,
    MEASURED_TABLES,
    MODEL_TENSORS,
    SNAPSHOT_LINES,
    SNAPSHOTS,
    MeasuredTables,
)
from kernelmap.tables.rows import Cell, Row, rows_of


def build_measured_tables(
    program: CompiledProgram,
    measured: tuple[Trace, MeasuredMemory] | None,
    counted: Sequence[tuple[RecordedProcess, CountedStep]] = (),
    peaks: Sequence[tuple[str, SnapshotPeak]] = (),
    model_tensors: Sequence[tuple[RecordedProcess, ModelTensors]] = (),
) -> MeasuredTables:
    """All tables: of what a trace shows, what a capture counted, and snapshots with their files."""
    spans, held = ([], []) if measured is None else rows_of_measured(program, *measured)
    snapshots, lines = rows_of_snapshots(program, peaks)
    tensors = _rows_of_tensors(model_tensors)
    rows = (spans, held, _rows_of_counted(counted), snapshots, lines, tensors)
    return MeasuredTables(rows=dict(zip(MEASURED_TABLES, rows, strict=True)))


def _rows_of_counted(counted: Sequence[tuple[RecordedProcess, CountedStep]]) -> list[Row]:
    ordered = sorted(counted, key=lambda one: (one[0].name, one[1].step, one[1].device))
    rows = [
        {"process": process.name, "rank": process.rank, **asdict(row)} for process, row in ordered
    ]
    return rows_of(COUNTED, rows)


def _rows_of_tensors(held: Sequence[tuple[RecordedProcess, ModelTensors]]) -> list[Row]:
    # A capture writes them by device, and those of one device in the order of their kinds.
    ordered = sorted(held, key=lambda one: one[0].name)
    rows = [
        {"process": process.name, "rank": process.rank, **asdict(row)} for process, row in ordered
    ]
    return rows_of(MODEL_TENSORS, rows)


def rows_of_measured(
    program: CompiledProgram, trace: Trace, memory: MeasuredMemory
) -> tuple[list[Row], list[Row]]:
    """The rows of MEASURED, and those of HELD."""
    named = _Names(program)
    measured, held = [], []
    for span in memory.spans:
        of_span = _cells_of_span(program, trace, span)
        measured.append(of_span | _cells_of_level(named, trace, span))
        held += [of_span | _cells_of_held(named, row, span.peak_bytes) for row in span.held]
    return rows_of(MEASURED, measured), rows_of(HELD, held)


def rows_of_snapshots(
    program: CompiledProgram, peaks: Sequence[tuple[str, SnapshotPeak]]
) -> tuple[list[Row], list[Row]]:
    """The rows of SNAPSHOTS, and those of SNAPSHOT_LINES; peaks come with their file."""
    named = _Names(program)
    snapshots: list[Row] = []
    lines: list[Row] = []
    for source, peak in peaks:
        of_device: Row = {"snapshot": source, "device": peak.device}
        snapshots.append(
            of_device
            | {
                "start_bytes": peak.begin_bytes,
                "peak_bytes": peak.peak_bytes,
                "end_bytes": peak.end_bytes,
                "reserved_bytes": peak.reserved_bytes,
                "peak_us": peak.peak_us,
                "events": peak.events,
                "failed": len(peak.failed),
                "failed_bytes": peak.failed[-1].asked_bytes if peak.failed else None,
            }
        )
        for row in peak.places:
            place = row.place
            lines.append(
                of_device
                | named.cells_of_call(place.owner if place else None)
                | {
                    "since": row.since.value,
                    "line": _say_frame(place.frame if place else None),
                    "function": place.frame.function if place and place.frame else None,
                    "code": _say_frame(place.code if place else None),
                    "bytes": row.bytes,
                    "share": row.bytes / peak.peak_bytes if peak.peak_bytes else None,
                    "blocks": row.blocks,
                }
            )
    return rows_of(SNAPSHOTS, snapshots), rows_of(SNAPSHOT_LINES, lines)


class _Names:
    """How tables name calls, and the lines that each is for."""

    def __init__(self, program: CompiledProgram) -> None:
        self._program = program
        self._divisions = divide_calls(program)

    def call_id(self, owner: MemoryOwner | None) -> str | None:
        """`0_forward/3`, None without a call."""
        if owner is None or owner.call is None:
            return None
        return self._program.call_id(owner.call)

    def graph_id(self, owner: MemoryOwner | None) -> str | None:
        """The graph in whose run it was."""
        if owner is None or owner.graph is None:
            return None
        return self._program.graphs[owner.graph].id

    def source(self, owner: MemoryOwner | None) -> list[str] | None:
        """The lines of the call."""
        if owner is None or owner.call is None:
            return None
        lines = self._divisions[owner.call].involved_lines
        return list(dict.fromkeys(line.name for line in lines)) or None

    def cells_of_call(self, owner: MemoryOwner | None) -> Row:
        """The cells that say of a call which one it is, and how sure that is."""
        is_known = owner is not None and owner.call is not None
        confidence = owner.confidence if owner is not None else None
        return {
            "call": self.call_id(owner),
            "during": _say_yes(owner.is_during if owner is not None and is_known else None),
            "source": self.source(owner),
            "confidence": None if confidence is None else confidence.name.lower(),
        }


def _cells_of_span(program: CompiledProgram, trace: Trace, span: MeasuredSpan) -> Row:
    """What a row is of."""
    process = None if span.process is None else trace.processes[span.process]
    # A recording is of a source, whose processes have one rank.
    ranks = {one.rank for one in trace.processes if one.trace == span.allocator.source}
    alone = ranks.pop() if len(ranks) == 1 else None
    return {
        "kind": span.kind.value,
        "rank": alone if process is None else process.rank,
        "pid": None if process is None else process.pid,
        "device": None if span.allocator.is_host else span.allocator.device,
        "step": span.step,
        "graph": None if span.graph is None else program.graphs[span.graph].id,
        "invocation": span.invocation,
    }


def _cells_of_level(named: _Names, trace: Trace, span: MeasuredSpan) -> Row:
    """How much was in use, and of which kinds the bytes at the peak are."""
    return {
        "start_ns": span.start_ns - trace.origin_ns,
        "dur_ns": span.end_ns - span.start_ns,
        "start_bytes": span.before_bytes,
        "peak_bytes": span.peak_bytes,
        "end_bytes": span.after_bytes,
        "reserved_bytes": span.reserved_bytes,
        "peak_ns": span.peak_ns - trace.origin_ns,
        **dict(_sum_kinds(span.held)),
        "code_growth_bytes": span.code_growth_bytes,
        "allocations": span.allocations,
        "frees": span.frees,
        "handed_out_bytes": span.handed_out_bytes,
        "peak_call": named.call_id(span.at_peak),
        "peak_op": span.at_peak.op if span.at_peak is not None else None,
        "peak_function": span.at_peak.place if span.at_peak is not None else None,
        "source": named.source(span.at_peak),
    }


_KINDS = ("kept_bytes", "code_bytes", "beside_bytes", "eager_bytes", "unread_bytes")


def _sum_kinds(held: Sequence[HeldBytes]) -> Iterator[tuple[str, int]]:
    """The bytes of each kind; each row is of one."""
    for kind in _KINDS:
        yield kind, sum(row.bytes for row in held if _kind_of(row) == kind)


def _kind_of(held: HeldBytes) -> str:
    if held.since is not Since.WITHIN or held.owner is None:
        return "kept_bytes"
    if held.owner.graph is None:
        # A run whose launches are not recorded has its range, and no graph.
        in_run = held.owner.op is not None and graph_mark(held.owner.op) is not None
        return "unread_bytes" if in_run else "eager_bytes"
    stated = {True: "code_bytes", False: "beside_bytes", None: "unread_bytes"}
    return stated[held.owner.is_stated]


def _cells_of_held(named: _Names, row: HeldBytes, peak: int) -> Row:
    owner = row.owner
    return named.cells_of_call(owner) | {
        "since": row.since.value,
        "in_graph": named.graph_id(owner),
        "buffer": owner.buffer if owner is not None else None,
        "stated": _say_yes(owner.is_stated if owner is not None else None),
        "op": owner.op if owner is not None else None,
        "function": owner.place if owner is not None else None,
        "bytes": row.bytes,
        "share": row.bytes / peak if peak else None,
        "blocks": row.blocks,
    }


def _say_yes(flag: bool | None) -> Cell:  # noqa: FBT001 -- what is said
    return None if flag is None else "yes" if flag else "no"


def _say_frame(frame: StackFrame | None) -> str | None:
    return None if frame is None else f"{frame.file}:{frame.line}"
