"""The table of graphs: what each one cost, and why the compiler made it.

Takes (CompiledProgram, the graphs' times, fingerprints), gives the rows. A graph whose code
several compilations share (ranks, equal layers) names all of their ids; what they say differently
is joined. Of a graph that a run of --like lent, only what its code says is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from kernelmap.attribution.records import GraphTime
from kernelmap.model import Compilation, CompiledGraph, CompiledProgram, GraphBreak, SourceLine
from kernelmap.tables.fingerprints import Fingerprints
from kernelmap.tables.rows import Cell, Row, rows_of
from kernelmap.tables.schema import GRAPHS

_Numbers = Mapping[Compilation, tuple[int, int]]


def rows_of_graphs(
    program: CompiledProgram, records: Sequence[GraphTime], prints: Fingerprints
) -> list[Row]:
    """All graphs with their time, and a row for each kind of time that belongs to no graph."""
    numbers = _number_compilations(program.compilations)
    rows = []
    for record in sorted(records, key=_order_of_row):
        graph = None if record.graph is None else program.graphs[record.graph]
        cost: dict[str, Cell] = {
            "graph": graph.id if graph else record.rest or "(no graph)",
            "invocations": record.invocations,
            "calls": len(graph.calls) if graph else 0,
            "time_ns": record.time_ns,
            "busy_ns": record.busy_ns,
            "mean_ns": round(record.time_ns / record.invocations) if record.invocations else None,
        }
        code = (_cells_of_code(graph) | _cells_of_compilation(graph, numbers)) if graph else {}
        mark = {"fingerprint": None if record.graph is None else prints.graphs[record.graph]}
        rows.append(dict.fromkeys(GRAPHS.by_name) | code | cost | mark)
    return rows_of(GRAPHS, rows)


def _order_of_row(row: GraphTime) -> tuple[int, bool, int, str]:
    return -row.time_ns, row.graph is None, row.graph or 0, row.rest or ""


def _cells_of_code(graph: CompiledGraph) -> dict[str, Cell]:
    """What the code itself and its log say."""
    # The code does not always say its compile id; the log has one for each compilation that gave
    # this code.
    ids = dict.fromkeys(emitted.compilation.compile_id for emitted in graph.emitted)
    return {
        "compile_id": graph.compile_id or ", ".join(ids) or None,
        "aot_id": graph.aot_id,
        "cache_key": graph.cache_key,
        "code": graph.code,
        "kind": graph.kind,
    }


def _cells_of_compilation(graph: CompiledGraph, numbers: _Numbers) -> dict[str, Cell]:
    """Which compilations made it, and why."""
    made = [emitted.compilation for emitted in graph.emitted]
    if not made:
        return {}
    breaks = [
        _say_break(graph_break) for compilation in made for graph_break in compilation.graph_breaks
    ]
    of_the_code: dict[str, Cell] = {
        "function": _join_texts(compilation.title for compilation in made),
        "source": _join_texts(_say_place(compilation.line) for compilation in made),
        "graph_breaks": list(dict.fromkeys(breaks)) or None,
    }
    # how often, why and how long a run of --like compiled it says nothing of this run
    if graph.borrowed:
        return of_the_code
    # Of several compilations with one code the first counts.
    number, count = numbers[made[0]]
    guards = [
        compilation.failed_guards[0].guard for compilation in made if compilation.failed_guards
    ]
    return of_the_code | {
        "compilation": number,
        "compilations": count,
        "cache": _join_texts(
            str(emitted.cache) if emitted.cache else None for emitted in graph.emitted
        ),
        "failed_guard": _join_texts(guards),
        "compile_ns": _compile_ns(graph.kind, made),
    }


def _number_compilations(compilations: Iterable[Compilation]) -> _Numbers:
    """Which compilation of its function each one is, from 1, and of how many."""
    # Compilations of one function in one log belong together. Where it is not known which function
    # that was, a compilation stands alone.
    alike: dict[object, list[Compilation]] = defaultdict(list)
    for compilation in compilations:
        alike[
            compilation.frame if compilation.line else (compilation.log, compilation.serial)
        ].append(compilation)
    return {
        compilation: (number, len(group))
        for group in alike.values()
        for number, compilation in enumerate(group, 1)
    }


def _compile_ns(kind: str | None, made: Iterable[Compilation]) -> int | None:
    """What the logs' compilers took; ranks compile at the same time, so the longest counts."""
    sums: dict[tuple[str, int | None], int] = {}
    for compilation in made:
        # A backward that was compiled later has a time of its own; else it is part of the
        # forward's.
        later = compilation.backward_ns is not None and kind == "backward"
        time_ns = compilation.backward_ns if later else compilation.compile_ns
        if time_ns is not None:
            sums[compilation.log, compilation.rank] = (
                sums.get((compilation.log, compilation.rank), 0) + time_ns
            )
    return max(sums.values(), default=None)


def _say_break(graph_break: GraphBreak) -> str:
    place = _say_place(graph_break.line)
    return f"{place}: {graph_break.reason}" if place else graph_break.reason


def _say_place(line: SourceLine | None) -> str | None:
    return f"{line.file}:{line.line}" if line else None


def _join_texts(texts: Iterable[str | None]) -> str | None:
    return ", ".join(dict.fromkeys(text for text in texts if text)) or None
