"""What generated code holds, as a page: graphs, their calls, and facts about them.

Takes a CompiledProgram. The page begins with all graphs in one table, what is missing, and the
compilations; those without a recompilation, break or failure are counted, not listed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kernelmap.facts.provenance import facts_missing, facts_present
from kernelmap.model import (
    Compilation,
    CompiledGraph,
    CompiledProgram,
    Origins,
    SourceLine,
    WrapperCall,
)
from kernelmap.model.notices import format_count
from kernelmap.pages.page import (
    CellKind,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
    Tone,
)
from kernelmap.pages.text import format_duration, format_place
from kernelmap.tables.rows import Row, rows_of
from kernelmap.tables.table import (
    Table,
    int_column,
    int_or_null,
    text_column,
    text_or_null,
    texts_column,
)

_GRAPHS = (
    PageColumn(name="graph", kind=CellKind.NAME, least=14),
    PageColumn(name="compile id", kind=CellKind.NUMBER, rank=1),
    PageColumn(name="cache", kind=CellKind.NUMBER, rank=2),
    PageColumn(name="kernels", kind=CellKind.NUMBER, rank=4),
    PageColumn(name="calls", kind=CellKind.NUMBER, rank=3),
    PageColumn(name="found", kind=CellKind.NUMBER, rank=5),
    PageColumn(name="missing", kind=CellKind.LIST, rank=1, least=14),
)
_CALLS = (
    PageColumn(name="#", kind=CellKind.NUMBER),
    PageColumn(name="line", kind=CellKind.NUMBER, rank=3),
    PageColumn(name="wrapper", kind=CellKind.NAME, least=26),
    PageColumn(name="backend", rank=4),
    PageColumn(name="handle", kind=CellKind.NUMBER, rank=5),
    PageColumn(name="original ops", kind=CellKind.LIST, least=18, rank=1),
    PageColumn(name="nodes", kind=CellKind.LIST, least=14, rank=2),
)


def page_of_program(program: CompiledProgram) -> Page:
    """An overview of several graphs, then every graph with its calls."""
    if len(program.graphs) > 1 or program.compilations:
        first = page_of_overview(program)
    else:
        first = Page(title="" if program.graphs else "No graph.", sections=())
    graphs = [
        part
        for graph in program.graphs
        for part in (_heading_of_graph(graph), _table_of_calls(graph))
    ]
    return Page(title=first.title, sections=(*first.sections, *graphs))


def page_of_overview(program: CompiledProgram) -> Page:
    """How many graphs there are, their table, what is missing, and what was compiled again."""
    title = format_count(len(program.graphs), "graph")
    if program.compilations:
        title += f" · {format_count(len(program.compilations), 'compilation')}"
    rows = tuple(PageRow(cells=_cells_of_graph(graph)) for graph in program.graphs)
    table = PageTable(title="", columns=_GRAPHS, rows=rows).filled
    notes = [_points_missing(program.graphs), _points_of_compilations(program)]
    sections: list[Section] = [*([table] if rows else []), *(it for it in notes if it.lines)]
    return Page(title=title, sections=tuple(sections))


def count_provenance(graph: CompiledGraph) -> Mapping[str, int]:
    """How many calls or nodes of a graph each kind of provenance was found for."""
    return {
        "origin comments": sum(origins_of_call(graph, call) is not None for call in graph.calls),
        "debug handles": sum(call.handle is not None for call in graph.calls),
        "calls with nodes": sum(call.nodes is not None for call in graph.calls),
        "graph nodes": len(graph.nodes),
        "source lines": sum(bool(node.lines) for node in graph.nodes),
        "stack traces": sum(bool(call.lines) for call in graph.calls),
        "modules": len({node.module for node in graph.nodes} - {None}),
    }


def origins_of_call(graph: CompiledGraph, call: WrapperCall) -> Origins | None:
    """The comment at the call, else the one at its kernel."""
    kernel = graph.kernel_of(call)
    return call.origins or (kernel.origins if kernel else None)


def _heading_of_graph(graph: CompiledGraph) -> Note:
    """What a graph is, where its code stands, and what there is beside it."""
    sizes = [format_count(len(graph.calls), "call"), format_count(len(graph.kernels), "kernel")]
    named = {"compile id": graph.compile_id, "AOT id": graph.aot_id, "cache key": graph.cache_key}
    facts = [f"{name} {value}" for name, value in named.items() if value is not None]
    facts += [f"{name} {number}" for name, number in count_provenance(graph).items() if number]
    lines = [] if graph.code is None else [graph.code]
    lines.append(f"Found: {', '.join(facts) or 'nothing beside the calls'}")
    absent = [gap.what for gap in facts_missing(graph)]
    if absent:
        lines.append(f"Missing: {', '.join(absent)}")
    return Note(
        title=" · ".join(filter(None, [graph.id, graph.kind, *sizes])),
        lines=tuple((text,) for text in lines),
        tone=Tone.DIM,
    )


CODE_CALLS = Table(
    name="code_calls",
    row="one statement of generated code that launches work",
    order="graph by graph, in program order",
    columns=(
        text_column("call", "graph/index"),
        text_column("graph", "the graph it stands in"),
        int_column("index", "position in the graph, from 0 in program order"),
        text_or_null("code", "file of the generated code"),
        int_or_null("line", "line of the statement, from 1"),
        text_column("wrapper", "the name the call is written with"),
        int_or_null("handle", "provenance debug handle"),
        text_column("backend", "triton, cpp, extern, user, template, combo, multi or glue"),
        text_or_null("category", "Triton's kind of kernel: poi, red, per, tem, for or spl"),
        texts_column("nodes", "post-grad nodes of the FX graph"),
        texts_column("ops", "original ATen ops, as the code's comments name them"),
        texts_column("source", "lines of the user's source, file:line"),
    ),
)
"""What `inspect` prints of calls with --top, --columns or --where."""


def rows_of_code(program: CompiledProgram) -> list[Row]:
    """All calls of the code as rows of CODE_CALLS."""
    return rows_of(
        CODE_CALLS,
        [
            {
                "call": graph.call_id(call),
                "graph": graph.id,
                "index": call.index,
                "code": graph.code,
                "line": call.line,
                "wrapper": call.wrapper,
                "handle": call.handle,
                "backend": str(call.backend),
                "category": call.category,
                "nodes": [*_nodes_and_ops(graph, call)[0]],
                "ops": [*_nodes_and_ops(graph, call)[1]],
                "source": [*dict.fromkeys(f"{line.file}:{line.line}" for line in call.lines)],
            }
            for graph, call in program.calls
        ],
    )


def _nodes_and_ops(graph: CompiledGraph, call: WrapperCall) -> tuple[Sequence[str], Sequence[str]]:
    """The nodes of a call and its operators, as far as the code says them."""
    comment = origins_of_call(graph, call)
    # What a mapping says of a call comes before what its comment says.
    nodes = call.nodes if call.nodes is not None else (comment.nodes if comment else ())
    return nodes, comment.aten if comment else ((call.target,) if call.target else ())


def _table_of_calls(graph: CompiledGraph) -> PageTable:
    rows = []
    for call in graph.calls:
        nodes, ops = _nodes_and_ops(graph, call)
        backend = f"{call.backend} {call.category}" if call.category else str(call.backend)
        where = (str(call.index), _number_or_nothing(call.line))
        texts = (
            call.wrapper,
            backend,
            _number_or_nothing(call.handle),
            ", ".join(ops),
            ", ".join(nodes),
        )
        rows.append(PageRow(cells=(*where, *texts)))
    return PageTable(title="", columns=_CALLS, rows=tuple(rows), empty="No call.").filled


def _number_or_nothing(value: int | None) -> str:
    return "" if value is None else str(value)


def _cells_of_graph(graph: CompiledGraph) -> tuple[str, ...]:
    # Code that several compilations wrote, of ranks or compile ids, is listed with all their ids.
    shared = dict.fromkeys(emission.compilation.compile_id for emission in graph.emitted)
    there, absent = facts_present(graph), facts_missing(graph)
    caches = dict.fromkeys(str(emission.cache) for emission in graph.emitted if emission.cache)
    return (
        graph.id,
        graph.compile_id or ", ".join(shared),
        ", ".join(caches),
        str(len(graph.kernels)),
        str(len(graph.calls)),
        f"{len(there)} of {len(there) + len(absent)}",
        ", ".join(emission.what for emission in absent),
    )


def _points_missing(graphs: tuple[CompiledGraph, ...]) -> Points:
    """What is missing, once for all graphs that lack it for the same reason."""
    lacking: dict[tuple[str, str], list[str]] = defaultdict(list)
    for graph in graphs:
        for gap in facts_missing(graph):
            lacking[gap.what, gap.brings].append(graph.id)
    # What is missing, and what would bring it, with the graphs that lack it.
    lines = []
    for (what, brings), ids in lacking.items():
        where = "all graphs" if len(ids) == len(graphs) else ", ".join(ids)
        lines.append((1, f"{what} of {where}: {brings}"))
    return Points("Missing", tuple(lines))


def _points_of_compilations(program: CompiledProgram) -> Points:
    lines = [
        line for compilation in program.compilations for line in _lines_of_compilation(compilation)
    ]
    return Points("Compilations to know of", tuple(lines))


def _lines_of_compilation(compilation: Compilation) -> Iterator[tuple[int, str]]:
    reasons = [
        *(f"because this did not hold: {guard.guard}" for guard in compilation.failed_guards[:1]),
        *(
            f"graph break{_say_at_line(graph_break.line)}: {graph_break.reason}"
            for graph_break in compilation.graph_breaks
        ),
        *(f"started over: {reason}" for reason in _say_restarts(compilation)),
        *([f"failed: {compilation.failure}"] if compilation.failure else []),
    ]
    if not reasons:
        return
    took = (
        f" · {format_duration(compilation.compile_ns)}"
        if compilation.compile_ns is not None
        else ""
    )
    rank = f" · rank {compilation.rank}" if compilation.rank is not None else ""
    attempts = (
        f" · {format_count(compilation.attempts, 'attempt')}" if compilation.attempts > 1 else ""
    )
    title = f"{compilation.title or 'a frame'}{_say_at_line(compilation.line)}"
    yield 1, f"{compilation.compile_id} {title}{rank}{attempts}{took}"
    yield from ((2, text) for text in reasons)


def _say_restarts(compilation: Compilation) -> list[str]:
    """Why it started over, other than for the graph breaks, which have their own lines."""
    breaks = {graph_break.reason for graph_break in compilation.graph_breaks}
    return [reason for reason in compilation.restarts if reason not in breaks]


def _say_at_line(line: SourceLine | None) -> str:
    return f" at {format_place(f'{line.file}:{line.line}')}" if line else ""
