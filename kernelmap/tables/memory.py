"""The tables of memory: every column named once, and the rows made of the records of graphs.

They stand beside the tables of schema.py, which correlate makes: they are made when asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.model import CompiledProgram
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, StepMemory
from kernelmap.model.memory_savings import MemorySaving, MemorySavingKind
from kernelmap.tables.memory_parts import (
    division_of_buffer,
    divisions_by_call,
    parts_at_peak,
    place_of_part,
)
from kernelmap.tables.memory_runs import RUNS, rows_of_runs
from kernelmap.tables.memory_saved import SAVED, rows_of_saved
from kernelmap.tables.rows import Cell, Row, rows_of
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

_GRAPH = text_column("graph", "the graph")
_STEP = "position of a statement in memory_statements"
_KINDS = ", ".join(MemoryKind)

MEMORY = Table(
    name="memory",
    row="one buffer of a graph: what holds the memory of an allocation, and from when to when",
    order="graph, then peak_bytes, most first, then born",
    columns=(
        _GRAPH,
        text_column("name", "the wrapper's name for it"),
        text_column("kind", _KINDS),
        int_or_null("bytes", "size of its memory; null where the code does not state it"),
        text_or_null("formula", "the size as it depends on symbols; null where it is known"),
        int_column("peak_bytes", "what of it is alive at the peak of its graph"),
        texts_column("shape", "its shape, dimension by dimension"),
        texts_column("stride", "its strides"),
        text_or_null("dtype", "torch's name of its dtype"),
        text_or_null("device", "the device, as the code has it"),
        int_column("storage", "number of the allocation in the graph; reuse keeps it"),
        text_or_null("reuses", "the buffer whose memory it took over"),
        text_or_null("pool", "the pool that it lies in"),
        text_or_null("call", "the call that first writes to it, graph/index"),
        texts_column("nodes", "post-grad nodes of that call"),
        texts_column("ops", "original ATen ops of that call"),
        texts_column("source", "lines of the source that it is made for, file:line"),
        text_or_null("origin", "of what a forward saved: the call of the forward that made it"),
        int_or_null("line", "line of the code that allocates it or names it"),
        int_column("born", f"{_STEP} that it is there from"),
        int_or_null("freed", f"{_STEP} that frees or reuses it; null where it stays"),
        int_or_null("let_go", f"of an input: {_STEP} with which the wrapper lets go of it"),
        text_or_null("last_use", "the last call that is handed it"),
    ),
)
"""Who holds the bytes."""

LINES = Table(
    name="memory_lines",
    row="one source line and the memory that is alive at the peak of a graph for it; a name in"
    " parentheses holds what has no line",
    order="graph, then bytes, most first",
    columns=(
        _GRAPH,
        text_column("file", "the file; a rest row's name in parentheses"),
        int_or_null("line", "the line, from 1"),
        text_or_null("code", "its text"),
        int_column("bytes", "its part of the bytes at the peak; the rows of a graph add up to it"),
        Column(
            name="share",
            type=Type.FLOAT,
            help="bytes over the peak; null where that is 0",
            unit=Unit.ONE,
            nullable=True,
        ),
        int_column("buffers", "buffers that it has a part of"),
    ),
)
"""For which lines they are held."""

_BY_KIND = tuple(
    int_column(f"{kind}_bytes", f"the part of after_bytes that is of the kind {kind}")
    for kind in MemoryKind
)
STATEMENTS = Table(
    name="memory_statements",
    row="one statement of a graph that allocates, frees, hands on or uses memory; the first is the"
    " start of the graph",
    order="graph, then as they run",
    columns=(
        _GRAPH,
        int_column("step", "position among the statements of the graph, from 0"),
        int_or_null("line", "line of the code"),
        text_column("code", "its text"),
        text_or_null("function", "the partition or branch that it stands in"),
        text_column("occurrence", "once, branch or loop"),
        text_or_null("call", "the call that it is, graph/index"),
        int_column("before_bytes", "bytes alive before it"),
        int_column("after_bytes", "bytes alive after it"),
        *_BY_KIND,
    ),
)
"""The bytes over the statements."""

GRAPHS = Table(
    name="memory_graphs",
    row="one graph",
    order="that of the program",
    columns=(
        _GRAPH,
        text_or_null("kind", "forward, backward or inference"),
        text_or_null("device", "the kind of device whose memory is counted"),
        int_column("start_bytes", "bytes alive before anything runs: inputs and what is saved"),
        int_column("peak_bytes", "the most bytes alive at a time"),
        int_column("end_bytes", "bytes alive when it is done: results, and what is the caller's"),
        int_column("peak_step", f"{_STEP} with which the peak is reached"),
        int_or_null("peak_line", "line of the code of that statement"),
        text_or_null("peak_call", "the call at the peak, or the next one behind it, graph/index"),
        int_column("buffers", "how many buffers it has"),
        int_column("unknown", "how many of them are left out, since their size is not known"),
        texts_column("sizes", "the numbers that stand for symbols"),
        texts_column("examples", "those of them that the code has as its example only"),
        texts_column("gaps", "what could not be followed"),
    ),
)
"""A row per graph."""

SAVINGS = Table(
    name="memory_savings",
    row="one thing that would lower the peak of a graph or of a step, counted by itself",
    order="step_saved_bytes, most first, where they are null saved_bytes",
    columns=(
        _GRAPH,
        text_column("kind", ", ".join(MemorySavingKind)),
        text_column("name", "the buffer, as the wrapper calls it"),
        texts_column("source", "lines of the source that it is made for, file:line"),
        int_or_null("bytes", "size of its memory"),
        int_column("peak_bytes", "the peak of the graph"),
        int_column("without_bytes", "what the peak would be: that of the next highest moment"),
        int_column("saved_bytes", "by how much it would fall"),
        int_or_null(
            "step_peak_bytes",
            "the peak of the step, over its graphs in their order, above what is there all the"
            " time; null where none trains, and for what a CUDA graph replays",
        ),
        int_or_null("step_without_bytes", "what that would be: needed again, it is made there"),
        int_or_null("step_saved_bytes", "by how much it would fall; below 0: it would rise"),
        text_column("sure", "likely: nothing is known that speaks against it; else possible"),
        text_column("words", "what is there now"),
        text_column("doubt", "what it costs, or what has to be so"),
    ),
)
"""What the peaks could do without."""

MEMORY_TABLES: Mapping[str, Table] = {
    "graphs": GRAPHS,
    "buffers": MEMORY,
    "lines": LINES,
    "statements": STATEMENTS,
    "saved": SAVED,
    "runs": RUNS,
    "savings": SAVINGS,
}
"""The tables by the words that Python and JSON have for them."""


class MemoryTables(Struct, frozen=True, kw_only=True):
    """The rows of all tables by the words of MEMORY_TABLES, and the records they are made of."""

    memories: tuple[GraphMemory, ...]
    rows: Mapping[str, Sequence[Row]]

    def of_graphs(self, graphs: Collection[str]) -> MemoryTables:
        """The same of some graphs, by their ids."""
        return MemoryTables(
            memories=tuple(memory for memory in self.memories if memory.graph in graphs),
            rows={
                word: [row for row in rows if row["graph"] in graphs]
                for word, rows in self.rows.items()
            },
        )


def build_memory_tables(
    program: CompiledProgram,
    memories: Sequence[GraphMemory],
    step: StepMemory,
    savings: Sequence[MemorySaving] = (),
) -> MemoryTables:
    """All rows, checked against their tables.

    `step` has the graphs in the order of a step, `savings` are what the peaks could do without.
    """
    makers = _Makers(program)
    records = {
        "graphs": [makers.row_of_graph(memory) for memory in memories],
        "buffers": [row for memory in memories for row in makers.rows_of_buffers(memory)],
        "lines": [row for memory in memories for row in makers.rows_of_lines(memory)],
        "statements": [row for memory in memories for row in makers.rows_of_statements(memory)],
        "saved": [row for memory in memories for row in rows_of_saved(memory, makers.divisions)],
        "runs": list(rows_of_runs(step)) if has_backward(program, step) else [],
        "savings": [makers.row_of_saving(saving) for saving in savings],
    }
    rows = {word: rows_of(MEMORY_TABLES[word], records[word]) for word in MEMORY_TABLES}
    return MemoryTables(memories=tuple(memories), rows=rows)


def buffers_at_peak(
    tables: MemoryTables, program: CompiledProgram, row: Mapping[str, Cell]
) -> list[tuple[Row, int]]:
    """The rows of the buffers behind a row of graphs or lines, each with its bytes for that row.

    They are what is alive at the peak of the graph, most bytes first; the bytes add up to the row.
    """
    memory = next(memory for memory in tables.memories if memory.graph == row["graph"])
    parts: dict[tuple[int, str], int] = defaultdict(int)
    for line, buffer, part in parts_at_peak(memory, divisions_by_call(program)):
        if "file" not in row or place_of_part(line) == (row["file"], row["line"]):
            parts[buffer.storage, buffer.name] += part
    # Among the holders of one storage each has a name of its own.
    held = [
        (one, parts[key])
        for one in tables.rows["buffers"]
        if one["graph"] == row["graph"] and (key := (one["storage"], one["name"])) in parts
    ]
    return sorted(held, key=lambda each: -each[1])


def has_backward(program: CompiledProgram, step: StepMemory) -> bool:
    """Whether a step trains: without a backward it keeps nothing from one graph to another."""
    backwards = {graph.id for graph in program.graphs if graph.kind == "backward"}
    return any(run.graph in backwards for run in step.runs)


class _Makers:
    """Rows of one graph's memory; calls are known by their ids, with how their time is divided."""

    def __init__(self, program: CompiledProgram) -> None:
        self.kinds = {graph.id: graph.kind for graph in program.graphs}
        self.divisions = divisions_by_call(program)

    def row_of_graph(self, memory: GraphMemory) -> dict[str, Cell]:
        peak, after = memory.peak_step, memory.bytes_after
        # Memory is allocated for the call that follows, so that is what the peak is needed for.
        needed = next((step.call for step in memory.steps[peak:] if step.call is not None), None)
        return {
            "graph": memory.graph,
            "kind": self.kinds.get(memory.graph),
            "device": memory.device,
            "start_bytes": int(after[0]),
            "peak_bytes": memory.peak_bytes,
            "end_bytes": int(after[-1]),
            "peak_step": peak,
            "peak_line": memory.steps[peak].line,
            "peak_call": _call_id(memory.graph, needed),
            "buffers": len(memory.buffers),
            "unknown": len(memory.unsized),
            "sizes": [f"{name}={number}" for name, number in sorted(memory.sizes.items())] or None,
            "examples": sorted(memory.examples) or None,
            "gaps": list(memory.gaps) or None,
        }

    def rows_of_buffers(self, memory: GraphMemory) -> list[dict[str, Cell]]:
        at_peak = {id(one): own for one, own in memory.alive_after(memory.peak_step)}
        rows = [self._row_of_buffer(memory, one, at_peak.get(id(one), 0)) for one in memory.buffers]
        return sorted(rows, key=lambda row: -int(str(row["peak_bytes"])))

    def _row_of_buffer(
        self, memory: GraphMemory, buffer: MemoryBuffer, peak_bytes: int
    ) -> dict[str, Cell]:
        division = division_of_buffer(memory.graph, buffer, self.divisions)
        reuses, pool = (
            memory.buffers[at].name if at is not None else None
            for at in (buffer.reuses, buffer.pool)
        )
        lines = division.involved_lines if division is not None else ()
        return {
            "graph": memory.graph,
            "name": buffer.name,
            "kind": buffer.kind.value,
            "bytes": buffer.nbytes,
            "formula": buffer.formula,
            "peak_bytes": peak_bytes,
            "shape": _texts_of(buffer.shape),
            "stride": _texts_of(buffer.stride),
            "dtype": buffer.dtype,
            "device": buffer.device,
            "storage": buffer.storage,
            "reuses": reuses,
            "pool": pool,
            "call": _call_id(memory.graph, buffer.made_by),
            "nodes": list(division.involved_nodes) or None if division is not None else None,
            "ops": list(division.involved_ops) or None if division is not None else None,
            "source": [f"{line.file}:{line.line}" for line in lines] or None,
            "origin": buffer.origin,
            "line": buffer.line,
            "born": buffer.born,
            "freed": buffer.freed,
            "let_go": buffer.let_go,
            "last_use": _call_id(memory.graph, buffer.last_use),
        }

    def rows_of_lines(self, memory: GraphMemory) -> list[dict[str, Cell]]:
        """The bytes at the peak by line; the parts of a buffer are those of the call's time."""
        sums: dict[tuple[str, int | None], int] = defaultdict(int)
        buffers: dict[tuple[str, int | None], int] = defaultdict(int)
        texts: dict[tuple[str, int | None], str | None] = {}
        for line, _, part in parts_at_peak(memory, self.divisions):
            place = place_of_part(line)
            sums[place] += part
            buffers[place] += 1
            texts.setdefault(place, None if isinstance(line, str) else line.code)
        total = memory.peak_bytes
        return [
            {
                "graph": memory.graph,
                "file": file,
                "line": line,
                "code": texts[file, line],
                "bytes": sums[file, line],
                "share": sums[file, line] / total if total else None,
                "buffers": buffers[file, line],
            }
            for file, line in sorted(sums, key=lambda at: (-sums[at], at[0], at[1] or 0))
        ]

    def row_of_saving(self, saving: MemorySaving) -> dict[str, Cell]:
        division = division_of_buffer(saving.graph, saving.buffer, self.divisions)
        lines = division.involved_lines if division is not None else ()
        return {
            "graph": saving.graph,
            "kind": saving.kind.value,
            "name": saving.buffer.name,
            "source": [f"{line.file}:{line.line}" for line in lines] or None,
            "bytes": saving.buffer.nbytes,
            "peak_bytes": saving.peak_bytes,
            "without_bytes": saving.without_bytes,
            "saved_bytes": saving.saved_bytes,
            "step_peak_bytes": saving.step_peak_bytes,
            "step_without_bytes": saving.step_without_bytes,
            "step_saved_bytes": saving.step_saved_bytes,
            "sure": "likely" if saving.likely else "possible",
            "words": saving.words,
            "doubt": saving.doubt,
        }

    def rows_of_statements(self, memory: GraphMemory) -> Iterator[dict[str, Cell]]:
        before, after = memory.bytes_before.tolist(), memory.bytes_after.tolist()
        by_kind = {kind: memory.bytes_of_kind(kind).tolist() for kind in MemoryKind}
        for at, step in enumerate(memory.steps):
            yield {
                "graph": memory.graph,
                "step": at,
                "line": step.line,
                "code": step.code,
                "function": step.function,
                "occurrence": step.occurrence.value,
                "call": _call_id(memory.graph, step.call),
                "before_bytes": before[at],
                "after_bytes": after[at],
                **{f"{kind}_bytes": alive[at] for kind, alive in by_kind.items()},
            }


def _call_id(graph: str, call: int | None) -> str | None:
    return None if call is None else f"{graph}/{call}"


def _texts_of(sizes: Sequence[int | str] | None) -> list[str] | None:
    return None if sizes is None else [str(size) for size in sizes]
