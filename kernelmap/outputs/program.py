"""What generated code holds, as `inspect` shows it: graphs, their calls, and facts about them.

Takes a CompiledProgram, gives a rich Text or JSON. The text begins with all graphs in one table,
what is missing, and the compilations; those without a recompilation, break or failure are counted,
not listed. Of Inductor's metadata the JSON leaves out what is no plain value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from rich.text import Text

from kernelmap.advice.rules.provenance import missing, present
from kernelmap.model import (
    Compilation,
    CompiledGraph,
    CompiledProgram,
    Emitted,
    KernelDef,
    Origins,
    SourceLine,
    WrapperCall,
)
from kernelmap.model.notices import count
from kernelmap.outputs.json import indented
from kernelmap.outputs.layout import Part, draw
from kernelmap.outputs.terminal import points
from kernelmap.present.notes import place
from kernelmap.present.page import Points
from kernelmap.present.text import duration, visible


def render(program: CompiledProgram, width: int) -> Text:
    """An overview of several graphs, then every graph with its calls, in `width` characters."""
    lines: list[Text] = []
    if len(program.graphs) > 1 or program.compilations:
        lines += [*overview(program, width), Text()]
    for graph in program.graphs:
        lines += [*_heading(graph), Text(), *_calls(graph, width), Text()]
    return Text("\n").join(lines or [Text("No graph.", "dim"), Text()])


def dumps(program: CompiledProgram) -> str:
    """The same as one JSON object."""
    value = {
        "format": "kernelmap.program",
        "version": 1,
        "graphs": [_graph(graph) for graph in program.graphs],
        "compilations": program.compilations,
        "notices": program.notices,
    }
    return indented(value)


def found(graph: CompiledGraph) -> Mapping[str, int]:
    """How many calls or nodes of a graph each kind of provenance was found for."""
    return {
        "origin comments": sum(origins(graph, call) is not None for call in graph.calls),
        "debug handles": sum(call.handle is not None for call in graph.calls),
        "calls with nodes": sum(call.nodes is not None for call in graph.calls),
        "graph nodes": len(graph.nodes),
        "source lines": sum(bool(node.lines) for node in graph.nodes),
        "stack traces": sum(bool(call.lines) for call in graph.calls),
        "modules": len({node.module for node in graph.nodes} - {None}),
    }


def origins(graph: CompiledGraph, call: WrapperCall) -> Origins | None:
    """The comment at the call, else the one at its kernel."""
    kernel = graph.kernel_of(call)
    return call.origins or (kernel.origins if kernel else None)


def _heading(graph: CompiledGraph) -> list[Text]:
    title = Text(visible(graph.id), "bold")
    sizes = [count(len(graph.calls), "call"), count(len(graph.kernels), "kernel")]
    for fact in (graph.kind, *sizes):
        if fact is not None:
            title.append(f" · {visible(fact)}", "not bold dim")
    lines = [title]
    if graph.code is not None:
        lines.append(Text(visible(graph.code), "dim"))
    named = {
        "compile id": graph.compile_id,
        "AOT id": graph.aot_id,
        "cache key": graph.cache_key,
    }
    facts = [f"{name} {visible(value)}" for name, value in named.items() if value is not None]
    facts += [f"{name} {number}" for name, number in found(graph).items() if number]
    lines.append(Text(f"Found: {', '.join(facts) or 'nothing beside the calls'}", "dim"))
    absent = [gap.what for gap in missing(graph)]
    if absent:
        lines.append(Text(f"Missing: {', '.join(absent)}", "dim"))
    return lines


def _calls(graph: CompiledGraph, width: int) -> list[Text]:
    if not graph.calls:
        return [Text("No call.", "dim")]
    calls = graph.calls
    comments = [origins(graph, call) for call in calls]
    nodes = [
        call.nodes if call.nodes is not None else (comment.nodes if comment else ())
        for call, comment in zip(calls, comments, strict=True)
    ]
    ops = [
        comment.aten if comment else ((call.target,) if call.target else ())
        for call, comment in zip(calls, comments, strict=True)
    ]
    parts = [
        Part(header="#", cells=[str(call.index) for call in calls], right=True),
        Part(header="line", cells=[_number(call.line) for call in calls], right=True, rank=3),
        Part(
            header="wrapper",
            cells=[visible(call.wrapper) for call in calls],
            least=26,
            style="bold",
        ),
        Part(header="backend", cells=[_backend(call) for call in calls], rank=4),
        Part(header="handle", cells=[_number(call.handle) for call in calls], right=True, rank=5),
        Part(header="original ops", cells=[visible(", ".join(op)) for op in ops], least=18, rank=1),
        Part(header="nodes", cells=[visible(", ".join(n)) for n in nodes], least=14, rank=2),
    ]
    return draw([part for part in parts if any(part.cells)], width, [False] * len(calls))


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _backend(call: WrapperCall) -> str:
    return f"{call.backend} {call.category}" if call.category else str(call.backend)


def _emitted(emission: Emitted) -> dict[str, object]:
    """The compilation by log and serial number, which its own record has, too."""
    compilation = emission.compilation
    names = {
        "compile_id": compilation.compile_id,
        "log": compilation.log,
        "serial": compilation.serial,
    }
    return {**names, "cache": emission.cache, "bypass": emission.bypass}


def _graph(graph: CompiledGraph) -> dict[str, object]:
    plain = ("id", "kind", "code", "compile_id", "aot_id", "cache_key")
    return {
        **{name: getattr(graph, name) for name in plain},
        "emitted": [_emitted(call) for call in graph.emitted],
        "found": found(graph),
        "missing": missing(graph),
        "kernels": [of_kernel(call) for call in graph.kernels],
        "calls": [
            {
                "call": graph.call_id(call),
                **of_call(call),
                "nodes": call.nodes,
                "lines": call.lines,
                "listed": call.listed,
                "modules": call.modules,
                "origins": origins(graph, call),
            }
            for call in graph.calls
        ],
        "nodes": graph.nodes,
    }


_KERNEL = (
    "name",
    "function",
    "backend",
    "category",
    "heuristic",
    "path",
    "first_line",
    "last_line",
    "hash",
    "signature",
    "specialization",
    "size_hints",
    "members",
    "source",
    "node_map",
)
_CALL = (
    "wrapper",
    "kernel",
    "function",
    "backend",
    "category",
    "target",
    "line",
    "handle",
    "occurrence",
    "numels",
)


def of_kernel(kernel: KernelDef) -> Mapping[str, object]:
    """All that a definition states; `signature` and `node_map` are lists of pairs, in order."""
    return {name: getattr(kernel, name) for name in _KERNEL} | {"meta": _plain(kernel.meta)}


def of_call(call: WrapperCall) -> Mapping[str, object]:
    """What a statement says of its launch; `device` is the one whose stream it takes."""
    return {name: getattr(call, name) for name in _CALL} | {"device": call.stream}


def _plain(value: object) -> object:
    """The value in JSON's types: sets as sorted lists, keys as texts, anything odd as its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def overview(program: CompiledProgram, width: int) -> list[Text]:
    """The table of graphs, then what is missing, then the compilations worth a line."""
    title = Text(count(len(program.graphs), "graph"), "bold")
    if program.compilations:
        title.append(f" · {count(len(program.compilations), 'compilation')}", "not bold dim")
    lines = [title]
    if program.graphs:
        lines += [Text(), *_table(program.graphs, width)]
    for note in (_missing(program.graphs), _compilations(program)):
        if note.lines:
            lines += [Text(), *points(note, width)]
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
    shared = dict.fromkeys(emission.compilation.compile_id for emission in graph.emitted)
    found, absent = present(graph), missing(graph)
    caches = dict.fromkeys(str(emission.cache) for emission in graph.emitted if emission.cache)
    return (
        graph.id,
        graph.compile_id or ", ".join(shared),
        ", ".join(caches),
        str(len(graph.kernels)),
        str(len(graph.calls)),
        f"{len(found)} of {len(found) + len(absent)}",
        ", ".join(emission.what for emission in absent),
    )


def _missing(graphs: tuple[CompiledGraph, ...]) -> Points:
    """What is missing, once for all graphs that lack it for the same reason."""
    lacking: dict[tuple[str, str], list[str]] = defaultdict(list)
    for graph in graphs:
        for gap in missing(graph):
            lacking[gap.what, gap.brings].append(graph.id)
    lines = []
    for (what, brings), ids in lacking.items():
        where = "all graphs" if len(ids) == len(graphs) else ", ".join(ids)
        lines.append((1, f"{what} of {where}: {brings}"))
    return Points("Missing", tuple(lines))


def _compilations(program: CompiledProgram) -> Points:
    lines = [line for each in program.compilations for line in _compilation(each)]
    return Points("Compilations to know of", tuple(lines))


def _compilation(compilation: Compilation) -> Iterator[tuple[int, str]]:
    reasons = [
        *(f"because this did not hold: {guard.guard}" for guard in compilation.failed_guards[:1]),
        *(
            f"graph break{_at(graph_break.line)}: {graph_break.reason}"
            for graph_break in compilation.graph_breaks
        ),
        *(f"started over: {reason}" for reason in _restarts(compilation)),
        *([f"failed: {compilation.failure}"] if compilation.failure else []),
    ]
    if not reasons:
        return
    took = f" · {duration(compilation.compile_ns)}" if compilation.compile_ns is not None else ""
    rank = f" · rank {compilation.rank}" if compilation.rank is not None else ""
    attempts = f" · {count(compilation.attempts, 'attempt')}" if compilation.attempts > 1 else ""
    title = f"{compilation.title or 'a frame'}{_at(compilation.line)}"
    yield 1, f"{compilation.compile_id} {title}{rank}{attempts}{took}"
    yield from ((2, text) for text in reasons)


def _restarts(compilation: Compilation) -> list[str]:
    """Why it started over, other than for the graph breaks, which have their own lines."""
    breaks = {graph_break.reason for graph_break in compilation.graph_breaks}
    return [reason for reason in compilation.restarts if reason not in breaks]


def _at(line: SourceLine | None) -> str:
    return f" at {place(f'{line.file}:{line.line}')}" if line else ""
