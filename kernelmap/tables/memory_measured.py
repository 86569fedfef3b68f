"""The tables of measured memory: every column named once, and the rows that results hold.

They stand beside the tables of schema.py, which correlate makes: they are made when asked for, by
memory_measured_rows.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from kernelmap.tables.rows import Row
from kernelmap.tables.table import (
    Column,
    Table,
    Type,
    Unit,
    int_column,
    int_or_null,
    text_column,
    text_or_null,
    texts_column,
)

_SPAN = (
    text_column("kind", "what the row is of: recording, step, or graph (one run of it)"),
    int_or_null("rank", "rank of a distributed run"),
    text_or_null("pid", "process, as the trace names it; null of a recording"),
    int_or_null("device", "the GPU, as the profiler numbers it; null for the host's memory"),
    int_or_null("step", "ProfilerStep number"),
    text_or_null("graph", "the graph, where the row is of a run of one"),
    int_or_null("invocation", "execution of the graph, per process, from 0"),
)
_SHARE = Column(
    name="share",
    type=Type.FLOAT,
    help="bytes over those of the peak",
    unit=Unit.ONE,
    nullable=True,
)
_CONFIDENCE = text_or_null("confidence", "how sure the call is: exact or inferred")
_SOURCE = texts_column("source", "lines of the source that the call is for, file:line")

MEASURED = Table(
    name="memory_measured",
    row="the memory of one device in the recording, in a step, or in one run of a graph",
    order="recordings, then steps, then runs of graphs, each in the order of time; then device",
    columns=(
        *_SPAN,
        int_column("start_ns", "begin, from the first event of the trace", Unit.NS),
        int_column("dur_ns", "how long it lasts", Unit.NS),
        int_column("start_bytes", "handed out by the allocator when it begins"),
        int_column("peak_bytes", "the most that was handed out in it"),
        int_column("end_bytes", "handed out when it ends"),
        int_or_null("reserved_bytes", "the most that the allocator had taken from the driver"),
        int_column("peak_ns", "when the peak was, from the first event of the trace", Unit.NS),
        int_column("kept_bytes", "at the peak: handed out before it began, and still there"),
        int_column("code_bytes", "at the peak: what the code of its graphs asks for"),
        int_column(
            "beside_bytes",
            "at the peak: handed out in runs of graphs and not asked for by their code, such as"
            " workspaces of libraries",
        ),
        int_column("eager_bytes", "at the peak: handed out outside of runs of graphs"),
        int_column(
            "unread_bytes",
            "at the peak: handed out in runs of graphs whose code is not given, or leaves open how"
            " much it asks for",
        ),
        int_or_null(
            "code_growth_bytes",
            "how far the code itself says that its graph is above its start at its peak; null but"
            " for runs of graphs with code of static shapes",
        ),
        int_column("allocations", "blocks handed out in it"),
        int_column("frees", "blocks taken back in it"),
        int_column("handed_out_bytes", "the sum of its allocations"),
        text_or_null("peak_call", "the call that the allocation was for that made the peak"),
        text_or_null("peak_op", "the operator or annotation around it, outside of graphs"),
        text_or_null("peak_function", "the user's function around it, outside of graphs"),
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
        text_column(
            "since",
            "when it was handed out: within, before (in the recording), or earlier than it",
        ),
        text_or_null("in_graph", "the graph in whose run it was handed out"),
        text_or_null("call", "the call that it was handed out for, graph/index"),
        text_or_null("during", "while the call ran: yes; just before it: no"),
        text_or_null("buffer", "the name that the code has for it"),
        text_or_null(
            "stated", "whether the code asks for it: yes or no; null where no code says that"
        ),
        text_or_null("op", "the operator or annotation around it, outside of graphs"),
        text_or_null("function", "the user's function around it, outside of graphs"),
        _SOURCE,
        int_column("bytes", "what it holds"),
        _SHARE,
        int_or_null("blocks", "in how many blocks; null for what is earlier"),
        _CONFIDENCE,
    ),
)
"""Who holds the bytes."""

COUNTED = Table(
    name="memory_counted",
    row="one recorded step of a capture on one GPU, as torch's allocator counted it itself",
    order="process, then step, then device",
    columns=(
        text_column("process", "its folder in the bundle"),
        int_or_null("rank", "rank of a distributed run"),
        int_column("device", "torch's number of the GPU"),
        int_column("step", "number of the step, from 0"),
        int_column("start_bytes", "handed out to tensors when it began"),
        int_column("peak_bytes", "the most in it, torch.cuda.max_memory_allocated"),
        int_column("end_bytes", "handed out when it ended"),
        int_column("reserved_bytes", "the most in it, torch.cuda.max_memory_reserved"),
    ),
)
SNAPSHOTS = Table(
    name="memory_snapshots",
    row="one device of a memory snapshot; bytes are those that the program asked for",
    order="snapshot, then device",
    columns=(
        text_column("snapshot", "its file"),
        int_column("device", "number of the GPU"),
        int_column("start_bytes", "handed out when its history begins"),
        int_column("peak_bytes", "the most in its history"),
        int_column("end_bytes", "handed out when it was made"),
        int_column("reserved_bytes", "taken from the driver when it was made, rounded up"),
        int_or_null("peak_us", "when the peak was, in microseconds since 1970; null at its begin"),
        int_column("events", "events of its history"),
        int_column("failed", "allocations in it that failed: out of memory"),
        int_or_null("failed_bytes", "what the last of these asked for"),
    ),
)
SNAPSHOT_LINES = Table(
    name="memory_snapshot_lines",
    row="what was asked for at one place and is alive at the peak of a snapshot's device; the rows"
    " of a device add up to its peak",
    order="snapshot, device, then bytes, most first",
    columns=(
        text_column("snapshot", "its file"),
        int_column("device", "number of the GPU"),
        text_column("since", "within its history, or earlier"),
        text_or_null("line", "the innermost line of the user's code on the stack, file:line"),
        text_or_null("function", "the function of that line"),
        text_or_null("code", "the innermost line of generated code on the stack, file:line"),
        text_or_null("call", "the call that this line is of, or makes room for"),
        text_or_null("during", "while the call ran: yes; just before it: no"),
        _SOURCE,
        int_column("bytes", "what is alive of it"),
        _SHARE,
        int_or_null("blocks", "in how many blocks"),
        _CONFIDENCE,
    ),
)
MODEL_TENSORS = Table(
    name="memory_model_tensors",
    row="the tensors of one kind that a process held on one device when its capture ended",
    order="process, then device, then kind",
    columns=(
        text_column("process", "its folder in the bundle"),
        int_or_null("rank", "rank of a distributed run"),
        text_column("device", "torch's name of the device: cpu, cuda:0"),
        text_column("kind", "parameters, module buffers, gradients, or optimizer state"),
        int_column("bytes", "what they hold; memory that several share counts once"),
        int_column("tensors", "how many blocks of memory that is"),
    ),
)
MEASURED_TABLES = {
    "measured": MEASURED,
    "held": HELD,
    "counted": COUNTED,
    "snapshots": SNAPSHOTS,
    "snapshot_lines": SNAPSHOT_LINES,
    "model_tensors": MODEL_TENSORS,
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
