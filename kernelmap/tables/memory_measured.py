"""The tables of measured memory: every column named once, and the rows that results hold.

They stand beside the tables of schema.py, which correlate makes: they are made when asked for, by
memory_measured_rows.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from kernelmap.tables.rows import Row
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
