"""Lines of generated code on Python's stacks → the calls of the program that they are for.

A stack names the file that Inductor wrote and the line at which it stood. That file is a graph of
the program if its name, which is a digest of its content, fits the graph's text. Where the text was
copied with changes (paths were replaced), it is the one graph that has statements which allocate at
all of the lines that stacks name; several such graphs decide nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.files.code_file import content_stem, stem_of
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence
from kernelmap.model.measured_memory import (
    MemoryOwner,
    OutOfMemory,
    PlaceBytes,
    SnapshotPeak,
    SnapshotPlace,
)

_ALLOCATES = ("empty_strided", "alloc_from_pool", "torch.ops.", "aten.")
_RUNS_PARTITION = "partitions["
"""In a statement that runs a part of the graph: what it allocates elsewhere is for no one call."""


class _GraphOfFile(Struct, frozen=True):
    """Which graph a file is, and whether its content proves it."""

    graph: int
    is_exact: bool


def with_calls(program: CompiledProgram, peaks: Sequence[SnapshotPeak]) -> tuple[SnapshotPeak, ...]:
    """The peaks of a snapshot with the calls of `program` at the places of generated code."""
    lines: dict[str, set[int]] = defaultdict(set)
    for peak in peaks:
        for row in peak.places:
            if row.place is not None and row.place.code is not None:
                lines[row.place.code.file].add(row.place.code.line)
    graphs = {
        file: graph
        for file, named in lines.items()
        if (graph := _graph_of_file(program, file, named)) is not None
    }
    return tuple(
        replace(
            peak,
            places=tuple(_row_with_call(program, graphs, row) for row in peak.places),
            failed=tuple(_failed_with_call(program, graphs, row) for row in peak.failed),
        )
        for peak in peaks
    )


def _row_with_call(
    program: CompiledProgram, graphs: Mapping[str, _GraphOfFile], row: PlaceBytes
) -> PlaceBytes:
    return replace(row, place=_place_with_call(program, graphs, row.place))


def _failed_with_call(
    program: CompiledProgram, graphs: Mapping[str, _GraphOfFile], row: OutOfMemory
) -> OutOfMemory:
    return replace(row, place=_place_with_call(program, graphs, row.place))


def _place_with_call(
    program: CompiledProgram, graphs: Mapping[str, _GraphOfFile], place: SnapshotPlace | None
) -> SnapshotPlace | None:
    if place is None or place.code is None or place.code.file not in graphs:
        return place
    of_file = graphs[place.code.file]
    graph = program.graphs[of_file.graph]
    # The calls in the order of their lines; room is made for the first one at or behind a line.
    if _RUNS_PARTITION in _line_of(graph, place.code.line):
        return replace(place, owner=MemoryOwner(graph=of_file.graph))
    calls = sorted((call.line, call.index) for call in graph.calls if call.line is not None)
    at = bisect_left(calls, (place.code.line, -1))
    if at == len(calls):
        return replace(place, owner=MemoryOwner(graph=of_file.graph))
    line, index = calls[at]
    is_during = line == place.code.line
    is_exact = is_during and of_file.is_exact
    return replace(
        place,
        owner=MemoryOwner(
            graph=of_file.graph,
            call=program.first_call[of_file.graph] + index,
            is_during=is_during,
            confidence=Confidence.EXACT if is_exact else Confidence.INFERRED,
        ),
    )


def _graph_of_file(program: CompiledProgram, file: str, lines: set[int]) -> _GraphOfFile | None:
    """The graph whose code a file is; None where none fits, or several do."""
    stem = stem_of(file)
    texts = [(at, graph) for at, graph in enumerate(program.graphs) if graph.text is not None]
    for at, graph in texts:
        if content_stem(graph.text or "") == stem or stem_of(graph.code or "") == stem:
            return _GraphOfFile(at, is_exact=True)
    fitting = [at for at, graph in texts if _has_allocations_at(graph, lines)]
    return _GraphOfFile(fitting[0], is_exact=False) if len(fitting) == 1 else None


def _has_allocations_at(graph: CompiledGraph, lines: set[int]) -> bool:
    """Whether each of the lines of a graph's code is one that allocates, or begins a call."""
    calls = {call.line for call in graph.calls}
    words = (*_ALLOCATES, _RUNS_PARTITION)
    return all(
        line in calls or any(word in _line_of(graph, line) for word in words) for line in lines
    )


def _line_of(graph: CompiledGraph, line: int) -> str:
    """A line of a graph's code; the empty text beyond its end."""
    text = (graph.text or "").split("\n", line)
    return text[line - 1] if 0 < line <= len(text) else ""
