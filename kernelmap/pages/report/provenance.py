"""The view Provenance: source, graphs and code side by side, with the time of every line.

Takes the records, gives for each graph what its panes show: texts, which thing stands in which row,
the time of each thing and all links. What a graph needs is packed with the long texts of the page;
only what the list of graphs shows stands open. Left out: which rows a link lights, which is
provenance_chain.js' part.

Four kinds of things are linked: calls, nodes after and before autograd, and source lines. Each kind
has an order, and a link is a pair of positions in it.

* call to post-grad node: the node mapping, as far as the code bears its handle;
* post-grad to pre-grad node: the mapping too. Where it says nothing of a call, a pre-grad node is
  the call's own by `kernel_information.json`, or else by the names in the comment above the call;
* to a source line: what nodes and stack traces say, as the table of lines has it,
  and where a user kernel was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.attribution.places import (
    GraphPlaces,
    Line,
    made_of,
    nodes_in_comment,
    times_in_graphs,
)
from kernelmap.model import CompiledGraph, Confidence, FxNode, SourceLine, Stage, WrapperCall
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.provenance_panes import (
    KnownLines,
    Pane,
    code_pane,
    graph_pane,
    iter_definitions,
    known_lines,
    source_pane,
)
from kernelmap.pages.report.shared import Content, Records

_OTHER = {"forward": "backward", "backward": "forward"}


def data_of_provenance(content: Content, texts: PackedTexts) -> object:
    """What the panes show; None without records."""
    return None if content.records is None else provenance_data(content.records, texts)


def provenance_data(records: Records, texts: PackedTexts) -> Mapping[str, object]:
    """The graphs of the program in its order, and the lines that have time.

    `whole` of a graph is the number of the text that is its JSON, `graph` of a line the graph where
    it has most of its time.
    """
    program, attribution = records.program, records.attribution
    of_graphs = times_in_graphs(program, records.trace, records.matching, attribution)
    sure = _count_confidences(records)
    lines_of_file = known_lines(program)
    pairs = [_partner_of_graph(program.graphs, at) for at in range(len(program.graphs))]
    graphs = []
    for at, graph in enumerate(program.graphs):
        first = program.first_call[at]
        calls = slice(first, first + len(graph.calls))
        links = chain(graph, attribution.call_lines[calls])
        other = pairs[at]
        panes = _panes_with_time(
            lines_of_file, graph, links, of_graphs[at], None if other is None else of_graphs[other]
        )
        whole = {
            "panes": {name: _pack_pane(pane, texts) | more for name, (pane, more) in panes.items()},
            "links": _data_of_links(links),
            "definitions": list(iter_definitions(graph)),
            "sure": sure[calls],
        }
        graphs.append(
            {
                "id": graph.id,
                "kind": graph.kind,
                "compile_id": graph.compile_id,
                "function": _compiled_function(graph),
                "code": graph.code,
                "time_ns": of_graphs[at].time_ns,
                "invocations": attribution.graphs[at].invocations,
                "calls": len(graph.calls),
                "partner": other,
                "whole": texts.put_text(msgspec.json.encode(whole).decode()),
            }
        )
    return {"graphs": graphs, "lines": _times_of_lines(records, of_graphs)}


def _times_of_lines(
    records: Records, of_graphs: Sequence[GraphPlaces]
) -> list[Mapping[str, object]]:
    # Per line the most time that it has in a graph, and that graph; of equal ones the first, hence
    # the minus.
    most: dict[Line, tuple[int, int]] = {}
    for at, graph_places in enumerate(of_graphs):
        for line, ns in graph_places.lines.items():
            most[line] = max(most.get(line, (0, 0)), (ns, -at))
    return [
        {
            "place": f"{row.file}:{row.line}",
            "code": row.code,
            "time_ns": row.time_ns + row.backward_ns,
            "graph": -most[row.file, row.line][1],
        }
        for row in records.attribution.lines
        if row.line is not None and (row.file, row.line) in most
    ]


def _panes_with_time(
    lines_of_file: KnownLines,
    graph: CompiledGraph,
    links: Chain,
    here: GraphPlaces,
    other: GraphPlaces | None,
) -> Mapping[str, tuple[Pane, dict[str, object]]]:
    """Each pane with the time of its things; that of lines in forward and backward alike."""
    theirs = other.lines if other else {}
    # The time of a line in forward and backward together: by it the files of a pane are ordered.
    heat = {line: here.lines.get(line, 0) + theirs.get(line, 0) for line in links.lines}
    return {
        "line": (
            source_pane(lines_of_file, links.lines, heat),
            {
                "ns": [here.lines.get(line, 0) for line in links.lines],
                "other_ns": [theirs.get(line, 0) for line in links.lines] if other else None,
            },
        ),
        "pre": (
            graph_pane(graph, links.pre, Stage.PRE_GRAD),
            {"ns": [here.pre_grad.get(name, 0) for name in links.pre], "names": links.pre},
        ),
        "post": (
            graph_pane(graph, links.post, Stage.POST_GRAD),
            {"ns": [here.nodes.get(name, 0) for name in links.post], "names": links.post},
        ),
        "call": (
            code_pane(graph),
            {"ns": [here.calls.get(call.index, 0) for call in graph.calls]},
        ),
    }


def _pack_pane(pane: Pane, texts: PackedTexts) -> dict[str, object]:
    return {
        "text": texts.put_text(pane.text),
        "rows": pane.rows,
        "syntax": pane.syntax,
        "more": pane.more,
        "numbers": pane.numbers,
        "note": pane.note,
    }


def _data_of_links(links: Chain) -> Mapping[str, Sequence[Sequence[int]]]:
    return {
        "call-post": links.call_post,
        "call-pre": links.call_pre,
        "call-line": links.call_line,
        "post-pre": links.post_pre,
        "post-line": links.post_line,
        "pre-line": links.pre_line,
    }


def _compiled_function(graph: CompiledGraph) -> str | None:
    """The user's function that was compiled."""
    return next((title for emitted in graph.emitted if (title := emitted.compilation.title)), None)


def _partner_of_graph(graphs: Sequence[CompiledGraph], at: int) -> int | None:
    """The backward of a forward and the forward of a backward: the same number, the same place."""
    graph = graphs[at]
    other = _OTHER.get(graph.kind or "")
    if other is None or graph.aot_id is None:
        return None
    # `0_forward` and `0_backward` behind the same beginning of the name.
    number = graph.aot_id.rpartition("_")[0]
    wanted = f"{graph.id.removesuffix(graph.aot_id)}{number}_{other}"
    return next((number for number, candidate in enumerate(graphs) if candidate.id == wanted), None)


def _count_confidences(records: Records) -> list[tuple[int, int, int]]:
    """Launches of each call that are exact, inferred, and ambiguous ones that may be its own."""
    matching, counted = records.matching, records.attribution.counted
    count = len(records.program.calls)
    columns = []
    for confidence in (Confidence.EXACT, Confidence.INFERRED):
        # Launches of the window by call, (calls,): first the exact ones, then the inferred ones.
        rows = counted & (matching.call >= 0) & matching.with_confidence(confidence)
        columns.append(np.bincount(matching.call[rows], minlength=count))
    # Per candidate whether its launch counts, (candidates,); then by call how many ambiguous
    # launches may be its own.
    named = np.repeat(counted, np.diff(matching.candidate_start))
    columns.append(np.bincount(matching.candidates[named], minlength=count))
    return list(zip(*(column.tolist() for column in columns), strict=True))


_Thing = TypeVar("_Thing")
Links = tuple[tuple[int, ...], ...]
"""Parallel to the things of one kind: for each the positions of the other kind, ascending."""


class Chain(Struct, frozen=True, kw_only=True):
    """The things of one graph and how they hang together; calls are numbered by their index.

    `call_post` has the post-grad nodes of each call, and so on.
    """

    post: tuple[str, ...]
    pre: tuple[str, ...]
    lines: tuple[Line, ...]
    call_post: Links
    call_pre: Links
    call_line: Links
    post_pre: Links
    post_line: Links
    pre_line: Links


def chain(graph: CompiledGraph, call_lines: Sequence[Sequence[SourceLine]]) -> Chain:
    """The links of `graph`; `call_lines` are the source lines of each of its calls."""
    # Nodes of the graph's text come first, in its order; behind them those that only the mapping or
    # a call names.
    post, pre = graph.post_grad, graph.pre_grad
    called = [name for call in graph.calls for name in call.nodes or ()]
    post_at = _numbered((*post, *called))
    of_post = {name: made_of(graph, name) for name in post_at}
    of_calls = [_pre_grad(call, graph) for call in graph.calls]
    made = [name for names in (*of_post.values(), *of_calls) for name in names]
    pre_at = _numbered((*pre, *made))
    # Lines of nodes in both graphs, and of calls: what stack traces say, and where a kernel of the
    # user was written.
    lines_of_post = [_line(post.get(name)) for name in post_at]
    lines_of_pre = [_line(pre.get(name)) for name in pre_at]
    of_nodes = [line for lines in (*lines_of_post, *lines_of_pre) for line in lines]
    of_code = [
        dict.fromkeys((line.file, line.line) for line in (*lines, *_written(graph, call)))
        for call, lines in zip(graph.calls, call_lines, strict=True)
    ]
    line_at = _numbered(sorted({*of_nodes, *(line for lines in of_code for line in lines)}))
    return Chain(
        post=tuple(post_at),
        pre=tuple(pre_at),
        lines=tuple(line_at),
        call_post=tuple(_places(call.nodes or (), post_at) for call in graph.calls),
        call_pre=tuple(_places(names, pre_at) for names in of_calls),
        call_line=tuple(_places(lines, line_at) for lines in of_code),
        post_pre=tuple(_places(of_post[name], pre_at) for name in post_at),
        post_line=tuple(_places(lines, line_at) for lines in lines_of_post),
        pre_line=tuple(_places(lines, line_at) for lines in lines_of_pre),
    )


def _pre_grad(call: WrapperCall, graph: CompiledGraph) -> tuple[str, ...]:
    """The pre-grad nodes of a call: its nodes', its own, or else those of its comment."""
    names = [*(pre for name in call.nodes or () for pre in made_of(graph, name)), *call.pre_grad]
    return tuple(dict.fromkeys(names)) or nodes_in_comment(graph, call)


def _written(graph: CompiledGraph, call: WrapperCall) -> tuple[SourceLine, ...]:
    """Where the user wrote the kernel that `call` runs."""
    kernel = graph.kernel_of(call)
    return (kernel.source,) if kernel is not None and kernel.source is not None else ()


def _line(node: FxNode | None) -> tuple[Line, ...]:
    """The innermost line of a node."""
    return ((node.lines[-1].file, node.lines[-1].line),) if node and node.lines else ()


def _numbered(things: Iterable[_Thing]) -> dict[_Thing, int]:
    return {thing: number for number, thing in enumerate(dict.fromkeys(things))}


def _places(things: Iterable[_Thing], at: dict[_Thing, int]) -> tuple[int, ...]:
    places = {at[thing] for thing in things}
    return tuple(sorted(places)) if len(places) > 1 else tuple(places)
