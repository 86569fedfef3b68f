"""The tables of measured memory: every column named once, and the rows made of the records.

They stand beside the tables of schema.py, which correlate makes: they are made when asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import asdict

from kernelmap.attribution.divide import divide_calls
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.bundle import RecordedProcess, StepMemory
from kernelmap.model.measured_memory import (
    HeldBytes,
    MeasuredMemory,
    MeasuredSpan,
    MemoryOwner,
    Since,
    SnapshotPeak,
)
from kernelmap.model.memory_snapshot import StackFrame
from kernelmap.tables.rows import Cell, Row, rows_of
from kernelmap.tables.table import Column, Table, Type, Unit


def _int_column(name: str, text: str, unit: Unit | None = None) -> Column:
    return Column(name=name, type=Type.INT, help=text, unit=unit)


def _int_or_null(name: str, text: str, unit: Unit | None = None) -> Column:
    return Column(name=name, type=Type.INT, help=text, unit=unit, nullable=True)


def _text_column(name: str, text: str) -> Column:
    return Column(name=name, type=Type.TEXT, help=text)


def _text_or_null(name: str, text: str) -> Column:
    return Column(name=name, type=Type.TEXT, help=text, nullable=True)


def _texts_column(name: str, text: str) -> Column:
    return Column(name=name, type=Type.TEXTS, help=text, nullable=True)


_SPAN = (
    _text_column("kind", "what the row is of: recording, step, or graph (one run of it)"),
    _int_or_null("rank", "rank of a distributed run"),
    _text_or_null("pid", "process, as the trace names it; null of a recording"),
    _int_or_null("device", "the GPU, as the profiler numbers it; null for the host's memory"),
    _int_or_null("step", "ProfilerStep number"),
    _text_or_null("graph", "the graph, where the row is of a run of one"),
    _int_or_null("invocation", "execution of the graph, per process, from 0"),
)
_SHARE = Column(
    name="share",
    type=Type.FLOAT,
    help="bytes over those of the peak",
    unit=Unit.ONE,
    nullable=True,
)
_CONFIDENCE = _text_or_null("confidence", "how sure the call is: exact or inferred")
_SOURCE = _texts_column("source", "lines of the source that the call is for, file:line")

MEASURED = Table(
    name="memory_measured",
    row="the memory of one device in the recording, in a step, or in one run of a graph",
    order="recordings, then steps, then runs of graphs, each in the order of time; then device",
    columns=(
        *_SPAN,
        _int_column("start_ns", "begin, from the first event of the trace", Unit.NS),
        _int_column("dur_ns", "how long it lasts", Unit.NS),
        _int_column("start_bytes", "handed out by the allocator when it begins"),
        _int_column("peak_bytes", "the most that was handed out in it"),
        _int_column("end_bytes", "handed out when it ends"),
        _int_or_null("reserved_bytes", "the most that the allocator had taken from the driver"),
        _int_column("peak_ns", "when the peak was, from the first event of the trace", Unit.NS),
        _int_column("kept_bytes", "at the peak: handed out before it began, and still there"),
        _int_column("code_bytes", "at the peak: what the code of its graphs asks for"),
        _int_column(
            "beside_bytes",
            "at the peak: handed out in runs of graphs and not asked for by their code, such as"
            " workspaces of libraries",
        ),
        _int_column("eager_bytes", "at the peak: handed out outside of runs of graphs"),
        _int_column(
            "unread_bytes",
            "at the peak: handed out in runs of graphs whose code is not given, or leaves open how"
            " much it asks for",
        ),
        _int_or_null(
            "code_growth_bytes",
            "how far the code itself says that its graph is above its start at its peak; null but"
            " for runs of graphs with code of static shapes",
        ),
        _int_column("allocations", "blocks handed out in it"),
        _int_column("frees", "blocks taken back in it"),
        _int_column("handed_out_bytes", "the sum of its allocations"),
        _text_or_null("peak_call", "the call that the allocation was for that made the peak"),
        _text_or_null("peak_op", "the operator or annotation around it, outside of graphs"),
        _text_or_null("peak_function", "the user's function around it, outside of graphs"),
        _SOURCE,
    ),
)
"""How much was in use; the five kinds of bytes at the peak add up to it."""

HELD = Table(
    name="memory_held",
    row="what one owner holds at the peak of a row of memory_measured; rows of one add up to it",
    order="as memory_measured, then bytes, most first",
    columns=(
        *_SPAN,
        _text_column(
            "since",
            "when it was handed out: within, before (in the recording), or earlier than it",
        ),
        _text_or_null("in_graph", "the graph in whose run it was handed out"),
        _text_or_null("call", "the call that it was handed out for, graph/index"),
        _text_or_null("during", "while the call ran: yes; just before it: no"),
        _text_or_null("buffer", "the name that the code has for it"),
        _text_or_null(
            "stated", "whether the code asks for it: yes or no; null where no code says that"
        ),
        _text_or_null("op", "the operator or annotation around it, outside of graphs"),
        _text_or_null("function", "the user's function around it, outside of graphs"),
        _SOURCE,
        _int_column("bytes", "what it holds"),
        _SHARE,
        _int_or_null("blocks", "in how many blocks; null for what is earlier"),
        _CONFIDENCE,
    ),
)
"""Who holds the bytes."""

COUNTED = Table(
    name="memory_counted",
    row="one recorded step of a capture on one GPU, as torch's allocator counted it itself",
    order="process, then step, then device",
    columns=(
        _text_column("process", "its folder in the bundle"),
        _int_or_null("rank", "rank of a distributed run"),
        _int_column("device", "torch's number of the GPU"),
        _int_column("step", "number of the step, from 0"),
        _int_column("start_bytes", "handed out to tensors when it began"),
        _int_column("peak_bytes", "the most in it, torch.cuda.max_memory_allocated"),
        _int_column("end_bytes", "handed out when it ended"),
        _int_column("reserved_bytes", "the most in it, torch.cuda.max_memory_reserved"),
    ),
)
SNAPSHOTS = Table(
    name="memory_snapshots",
    row="one device of a memory snapshot; bytes are those that the program asked for",
    order="snapshot, then device",
    columns=(
        _text_column("snapshot", "its file"),
        _int_column("device", "number of the GPU"),
        _int_column("start_bytes", "handed out when its history begins"),
        _int_column("peak_bytes", "the most in its history"),
        _int_column("end_bytes", "handed out when it was made"),
        _int_column("reserved_bytes", "taken from the driver when it was made, rounded up"),
        _int_or_null("peak_us", "when the peak was, in microseconds since 1970; null at its begin"),
        _int_column("events", "events of its history"),
        _int_column("failed", "allocations in it that failed: out of memory"),
        _int_or_null("failed_bytes", "what the last of these asked for"),
    ),
)
SNAPSHOT_LINES = Table(
    name="memory_snapshot_lines",
    row="what was asked for at one place and is alive at the peak of a snapshot's device; the rows"
    " of a device add up to its peak",
    order="snapshot, device, then bytes, most first",
    columns=(
        _text_column("snapshot", "its file"),
        _int_column("device", "number of the GPU"),
        _text_column("since", "within its history, or earlier"),
        _text_or_null("line", "the innermost line of the user's code on the stack, file:line"),
        _text_or_null("function", "the function of that line"),
        _text_or_null("code", "the innermost line of generated code on the stack, file:line"),
        _text_or_null("call", "the call that this line is of, or makes room for"),
        _text_or_null("during", "while the call ran: yes; just before it: no"),
        _SOURCE,
        _int_column("bytes", "what is alive of it"),
        _SHARE,
        _int_or_null("blocks", "in how many blocks"),
        _CONFIDENCE,
    ),
)
MEASURED_TABLES = {
    "measured": MEASURED,
    "held": HELD,
    "counted": COUNTED,
    "snapshots": SNAPSHOTS,
    "snapshot_lines": SNAPSHOT_LINES,
}
"""By the word that results and JSON have for each."""


class MeasuredTables(Struct, frozen=True, kw_only=True):
    """The rows of all tables, by the words of MEASURED_TABLES; empty where nothing was measured."""

    rows: Mapping[str, list[Row]]

    def __bool__(self) -> bool:
        """Whether anything was measured."""
        return any(self.rows.values())

    def of_graphs(self, graphs: Collection[str]) -> MeasuredTables:
        """Without the runs of other graphs."""
        kept = {
            word: [row for row in rows if row.get("graph") is None or row["graph"] in graphs]
            for word, rows in self.rows.items()
        }
        return MeasuredTables(rows=kept)


NOTHING_MEASURED = MeasuredTables(rows={word: [] for word in MEASURED_TABLES})


def build_measured_tables(
    program: CompiledProgram,
    measured: tuple[Trace, MeasuredMemory] | None,
    counted: Sequence[tuple[RecordedProcess, StepMemory]] = (),
    peaks: Sequence[tuple[str, SnapshotPeak]] = (),
) -> MeasuredTables:
    """All tables: of what a trace shows, what a capture counted, and snapshots with their files."""
    spans, held = ([], []) if measured is None else rows_of_measured(program, *measured)
    snapshots, lines = rows_of_snapshots(program, peaks)
    rows = (spans, held, _rows_of_counted(counted), snapshots, lines)
    return MeasuredTables(rows=dict(zip(MEASURED_TABLES, rows, strict=True)))


def _rows_of_counted(counted: Sequence[tuple[RecordedProcess, StepMemory]]) -> list[Row]:
    ordered = sorted(counted, key=lambda one: (one[0].name, one[1].step, one[1].device))
    rows = [
        {"process": process.name, "rank": process.rank, **asdict(row)} for process, row in ordered
    ]
    return rows_of(COUNTED, rows)


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
        return "eager_bytes"
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
