"""The view Memory: the bytes of each graph over its statements by source line, and those of a step.

The page gets the buffers, each with its birth, its end and its bytes by line, and adds them up
itself: that is far less than a sum per statement and line. Graphs with the highest peaks come
first; behind MOST_STATEMENTS the others have their peak and no curve. What a statement says stands
in the page already, in the code of its graph: only where that reads otherwise is it written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from kernelmap.attribution.divide import CallDivision
from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.memory import GraphMemory, MemoryKind, MemoryStep, StepMemory
from kernelmap.model.program import Occurrence
from kernelmap.model.trace import Int
from kernelmap.pages.memory import say_sizes, say_tensor
from kernelmap.pages.report.packed import PackedTexts, pack_numbers, pack_signed
from kernelmap.pages.report.shared import Content, Records
from kernelmap.tables.memory import has_backward
from kernelmap.tables.memory_parts import divisions_by_call, split_bytes_over_lines
from kernelmap.tables.memory_saved import rows_of_saved
from kernelmap.tables.rows import whole_number

MOST_STATEMENTS = 20_000
"""Statements of all curves together, some 30 bytes of the page each with their buffers. A step of
the largest model of the samples has 107; a graph of 1,400 calls in a language model has 4,200."""
MOST_CALLS = 3_000
"""Calls of the graphs that a report follows, at 0.2 to 0.4 ms each: of a language model with eight
graphs of 1,400 calls the whole report is to take 6 s. `kernelmap memory` follows all."""
_NAMED = 8  # names in a sentence
_KINDS = tuple(MemoryKind)
_Thing = TypeVar("_Thing")


def data_of_memory(content: Content, texts: PackedTexts) -> object:
    """The graphs with their curves, the runs of a step, and what forwards save; None without code.

    Graphs stand in the order of the program.
    """
    records = content.records
    return None if records is None else _data_of_records(content, records, texts)


def _data_of_records(content: Content, records: Records, texts: PackedTexts) -> object:
    program, followed = records.program, graphs_to_follow(content, records.program)
    is_whole = len(followed) == len(program.graphs)
    memories = records.memory_of_graphs if is_whole else records.memory_of_some_graphs(followed)
    divisions = divisions_by_call(program)
    drawn = graphs_with_curves(memories)
    graphs = {graph.id: graph for graph in program.graphs}
    without = followed - {memory.graph for memory in memories}
    left = [graph.id for graph in program.graphs if graph.id not in followed]
    return {
        "graphs": [
            _data_of_graph(graphs[memory.graph], memory)
            | (
                _data_of_curve(graphs[memory.graph], memory, divisions, texts)
                if at in drawn
                else {}
            )
            for at, memory in enumerate(memories)
        ],
        "kinds": [kind.value for kind in _KINDS],
        "step": _data_of_step(program, memories, records.memory_of_step) if is_whole else None,
        "unfollowed": [graph.id for graph in program.graphs if graph.id in without][:_NAMED],
        "unfollowed_count": len(without),
        "left": left[:_NAMED],
        "left_count": len(left),
        "command": records.again("memory"),
    }


def graphs_to_follow(content: Content, program: CompiledProgram) -> frozenset[str]:
    """The ids of those with most time, as far as they have MOST_CALLS together; usually all."""
    calls = {graph.id: len(graph.calls) for graph in program.graphs}
    if sum(calls.values()) <= MOST_CALLS:
        return frozenset(calls)
    times = {
        str(row["graph"]): whole_number(row, "time_ns") for row in content.tables.rows("graphs")
    }
    order = sorted(calls, key=lambda graph: -times.get(graph, 0))
    until = np.cumsum([calls[graph] for graph in order])
    count = max(1, int(np.searchsorted(until, MOST_CALLS, side="right")))
    return frozenset(order[:count])


def graphs_with_curves(memories: Sequence[GraphMemory]) -> frozenset[int]:
    """Which graphs have a curve: those with the highest peaks, the first whatever its size."""
    # Of equal peaks the graph that comes first in the program is the first.
    order = sorted(range(len(memories)), key=lambda at: -memories[at].peak_bytes)
    until = np.cumsum([len(memories[at].steps) for at in order])
    count = max(1, int(np.searchsorted(until, MOST_STATEMENTS, side="right")))
    return frozenset(order[:count])


def _data_of_graph(graph: CompiledGraph, memory: GraphMemory) -> dict[str, object]:
    """What is told of a graph, with a curve or without."""
    after = memory.bytes_after
    sizes = [f"{name}={number}" for name, number in sorted(memory.sizes.items())]
    return {
        "id": memory.graph,
        "kind": graph.kind,
        "start": int(after[0]),
        "peak": memory.peak_bytes,
        "end": int(after[-1]),
        "at": memory.peak_step,
        "statements": len(memory.steps),
        "unknown": [buffer.name for buffer in memory.unsized[:_NAMED]],
        "unknown_count": len(memory.unsized),
        "sizes": say_sizes(sizes, memory.examples),
        "gaps": memory.gaps,
    }


def _data_of_curve(
    graph: CompiledGraph,
    memory: GraphMemory,
    divisions: Mapping[str, CallDivision],
    texts: PackedTexts,
) -> dict[str, object]:
    """Statements, buffers and source lines of a graph; what may be missing is written one higher.

    `saved` has what its forward saved for it, by line.
    """
    return {
        "text": None if graph.text is None else texts.put_text(graph.text),
        "steps": _columns_of_steps(graph, memory.steps),
        "buffers": _columns_of_buffers(memory, divisions),
        "saved": list(rows_of_saved(memory, divisions)),
    }


def _columns_of_steps(graph: CompiledGraph, steps: Sequence[MemoryStep]) -> dict[str, object]:
    lines = (graph.text or "").split("\n")
    return {
        "line": _pack_or_none(step.line for step in steps),
        "call": _pack_or_none(step.call for step in steps),
        # C++ is followed as Python that says the same, and stands in the page as C++.
        "code": {at: step.code for at, step in enumerate(steps) if not _is_said_there(step, lines)},
        "function": {at: step.function for at, step in enumerate(steps) if step.function},
        "often": {
            at: step.occurrence.value
            for at, step in enumerate(steps)
            if step.occurrence is not Occurrence.ONCE
        },
    }


def _is_said_there(step: MemoryStep, lines: Sequence[str]) -> bool:
    """Whether the line of the code begins with the statement's text, which may be cut."""
    at = step.line
    return at is not None and at <= len(lines) and lines[at - 1].lstrip().startswith(step.code)


def _columns_of_buffers(
    memory: GraphMemory, divisions: Mapping[str, CallDivision]
) -> dict[str, object]:
    """The buffers in columns; `parts` says how many places have bytes of each, one after another.

    A buffer in a pool takes its bytes from the pool's; both are written with all that they have.
    """
    buffers = memory.counted
    # Only what is on the graph's device is drawn, so pools are numbered anew.
    number = {id(buffer): at for at, buffer in enumerate(buffers)}
    pools = [None if one.pool is None else memory.buffers[one.pool] for one in buffers]
    split = [split_bytes_over_lines(memory, one, one.nbytes or 0, divisions) for one in buffers]
    places = _numbered(place for parts in split for place in parts)
    words = [say_tensor(buffer.dtype, buffer.shape) for buffer in buffers]
    tensors, origins = _numbered(words), _numbered(buffer.origin for buffer in buffers)
    return {
        "name": [buffer.name for buffer in buffers],
        "kind": _pack_column(_KINDS.index(buffer.kind) for buffer in buffers),
        "bytes": _pack_or_none(buffer.nbytes for buffer in buffers),
        "born": _pack_column(buffer.born for buffer in buffers),
        "freed": _pack_or_none(buffer.freed for buffer in buffers),
        "let_go": _pack_or_none(buffer.let_go for buffer in buffers),
        "made_by": _pack_or_none(buffer.made_by for buffer in buffers),
        "last_use": _pack_or_none(buffer.last_use for buffer in buffers),
        "pool": _pack_or_none(None if one is None else number.get(id(one)) for one in pools),
        "origin": _pack_column(origins[buffer.origin] for buffer in buffers),
        "tensor": _pack_column(tensors[text] for text in words),
        "formula": {at: one.formula for at, one in enumerate(buffers) if one.formula is not None},
        "parts": _pack_column(map(len, split)),
        "place": _pack_column(places[place] for parts in split for place in parts),
        "part": _pack_column(part for parts in split for part in parts.values()),
        "places": [
            (place, None, None) if isinstance(place, str) else (place.file, place.line, place.code)
            for place in places
        ],
        "tensors": list(tensors),
        "origins": list(origins),
    }


def _data_of_step(
    program: CompiledProgram, memories: Sequence[GraphMemory], step: StepMemory
) -> dict[str, object] | None:
    """The runs of graphs in order, in columns.

    None where no backward is among them, and where CUDA graphs replay all: those allocate nothing.
    """
    if not has_backward(program, step) or all(run.pool is not None for run in step.runs):
        return None
    number = {memory.graph: at for at, memory in enumerate(memories)}
    return {
        "graph": _pack_column(number[run.graph] for run in step.runs),
        "before": pack_signed(_column(run.before for run in step.runs)),
        "peak": pack_signed(_column(run.peak for run in step.runs)),
        "after": pack_signed(_column(run.after for run in step.runs)),
        "recorded": step.is_recorded,
        "unknown": step.unknown[:_NAMED],
        "unknown_count": len(step.unknown),
    }


def _numbered(things: Iterable[_Thing]) -> dict[_Thing, int]:
    return {thing: number for number, thing in enumerate(dict.fromkeys(things))}


def _column(values: Iterable[int]) -> Int:
    return np.fromiter(values, dtype=np.int64)


def _pack_column(values: Iterable[int]) -> dict[str, object]:
    return pack_numbers(_column(values))


def _pack_or_none(values: Iterable[int | None]) -> dict[str, object]:
    """Numbers that may be missing: 0 is none, and all others are one higher."""
    return _pack_column(0 if value is None else value + 1 for value in values)
