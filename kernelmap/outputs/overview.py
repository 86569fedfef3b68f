"""The first screen of `inspect`: all graphs in one table, what is missing, and each compilation.

Takes a CompiledProgram, gives rich Text lines. Compilations that say nothing of their own (compiled
once, without a break) are counted, not listed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from rich.text import Text

from kernelmap.advice.artifacts import missing, present
from kernelmap.model import Compilation, CompiledGraph, CompiledProgram, SourceLine
from kernelmap.model.notices import count
from kernelmap.outputs.layout import Part, draw
from kernelmap.outputs.text import duration, visible
from kernelmap.outputs.told import Told, place, told_lines


def render(program: CompiledProgram, width: int) -> list[Text]:
    """The table of graphs, then what is missing, then the compilations worth a line."""
    title = Text(count(len(program.graphs), "graph"), "bold")
    if program.compilations:
        title.append(f" · {count(len(program.compilations), 'compilation')}", "not bold dim")
    lines = [title]
    if program.graphs:
        lines += [Text(), *_table(program.graphs, width)]
    for told in (_missing(program.graphs), _compilations(program)):
        if told.lines:
            lines += told_lines(told, width)
    return lines


def _table(graphs: tuple[CompiledGraph, ...], width: int) -> list[Text]:
    cells = [[visible(cell) for cell in _cells(graph)] for graph in graphs]
    columns = list(zip(*cells, strict=True))
    parts = [
        Part(header="graph", cells=columns[0], least=14, style="bold"),
        Part(header="compile id", cells=columns[1], right=True, rank=1),
        Part(header="cache", cells=columns[2], right=True, rank=2),
        Part(header="kernels", cells=columns[3], right=True, rank=4),
        Part(header="calls", cells=columns[4], right=True, rank=3),
        Part(header="found", cells=columns[5], right=True, rank=5),
        Part(header="missing", cells=columns[6], rank=1, least=14),
    ]
    return draw([part for part in parts if any(part.cells)], width, [False] * len(graphs))


def _cells(graph: CompiledGraph) -> tuple[str, ...]:
    shared = dict.fromkeys(each.compilation.compile_id for each in graph.emitted)
    found, absent = present(graph), missing(graph)
    caches = dict.fromkeys(str(each.cache) for each in graph.emitted if each.cache)
    return (
        graph.id,
        graph.compile_id or ", ".join(shared),
        ", ".join(caches),
        str(len(graph.kernels)),
        str(len(graph.calls)),
        f"{len(found)} of {len(found) + len(absent)}",
        ", ".join(each.what for each in absent),
    )


def _missing(graphs: tuple[CompiledGraph, ...]) -> Told:
    """What is missing, once for all graphs that lack it for the same reason."""
    lacking: dict[tuple[str, str], list[str]] = defaultdict(list)
    for graph in graphs:
        for each in missing(graph):
            lacking[each.what, each.brings].append(graph.id)
    lines = []
    for (what, brings), ids in lacking.items():
        where = "all graphs" if len(ids) == len(graphs) else ", ".join(ids)
        lines.append((1, f"{what} of {where}: {brings}"))
    return Told("Missing", tuple(lines))


def _compilations(program: CompiledProgram) -> Told:
    lines = [line for each in program.compilations for line in _compilation(each)]
    return Told("Compilations to know of", tuple(lines))


def _compilation(each: Compilation) -> Iterator[tuple[int, str]]:
    told = [
        *(f"because this did not hold: {guard.guard}" for guard in each.failed_guards[:1]),
        *(f"graph break{_at(found.line)}: {found.reason}" for found in each.graph_breaks),
        *(f"started over: {reason}" for reason in _restarts(each)),
        *([f"failed: {each.failure}"] if each.failure else []),
    ]
    if not told:
        return
    took = f" · {duration(each.compile_ns)}" if each.compile_ns is not None else ""
    rank = f" · rank {each.rank}" if each.rank is not None else ""
    attempts = f" · {count(each.attempts, 'attempt')}" if each.attempts > 1 else ""
    yield 1, f"{each.compile_id} {each.title or 'a frame'}{_at(each.line)}{rank}{attempts}{took}"
    yield from ((2, text) for text in told)


def _restarts(each: Compilation) -> list[str]:
    """Why it started over, other than for the graph breaks, which are told already."""
    breaks = {found.reason for found in each.graph_breaks}
    return [reason for reason in each.restarts if reason not in breaks]


def _at(line: SourceLine | None) -> str:
    return f" at {place(f'{line.file}:{line.line}')}" if line else ""
