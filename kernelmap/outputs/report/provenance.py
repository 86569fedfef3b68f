"""The view Provenance: source, graphs and code side by side, with the time of every line.

Takes the records, gives for each graph what its panes show: texts, which thing stands in which row,
the time of each thing and all links. What a graph needs is packed with the long texts of the page;
only what the list of graphs shows stands open. Left out: which rows a link lights, which is
provenance_chain.js' part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from kernelmap.attribution.places import GraphPlaces, Line, places
from kernelmap.model import CompiledGraph, Confidence, Stage
from kernelmap.outputs.report.content import Content, Records
from kernelmap.outputs.report.packed import Texts
from kernelmap.outputs.report.provenance_links import Chain, chain
from kernelmap.outputs.report.provenance_panes import (
    KnownLines,
    Pane,
    code_pane,
    definitions,
    graph_pane,
    known_lines,
    source_pane,
)

_OTHER = {"forward": "backward", "backward": "forward"}


def data(content: Content, texts: Texts) -> object:
    """What the panes show; None without records."""
    return None if content.records is None else provenance_data(content.records, texts)


def provenance_data(records: Records, texts: Texts) -> Mapping[str, object]:
    """The graphs of the program in its order, and the lines that have time.

    `whole` of a graph is the number of the text that is its JSON, `graph` of a line the graph where
    it has most of its time.
    """
    program, attribution = records.program, records.attribution
    found = places(program, records.trace, records.matching, attribution)
    sure = _confidences(records)
    known = known_lines(program)
    pairs = [_partner(program.graphs, at) for at in range(len(program.graphs))]
    graphs = []
    for at, graph in enumerate(program.graphs):
        first = program.first_call[at]
        calls = slice(first, first + len(graph.calls))
        links = chain(graph, attribution.call_lines[calls])
        other = pairs[at]
        panes = _panes(known, graph, links, found[at], None if other is None else found[other])
        whole = {
            "panes": {name: _packed(pane, texts) | more for name, (pane, more) in panes.items()},
            "links": _links(links),
            "definitions": list(definitions(graph)),
            "sure": sure[calls],
        }
        graphs.append(
            {
                "id": graph.id,
                "kind": graph.kind,
                "compile_id": graph.compile_id,
                "function": _function(graph),
                "code": graph.code,
                "time_ns": found[at].time_ns,
                "invocations": attribution.graphs[at].invocations,
                "calls": len(graph.calls),
                "partner": other,
                "whole": texts.put(msgspec.json.encode(whole).decode()),
            }
        )
    return {"graphs": graphs, "lines": _lines(records, found)}


def _lines(records: Records, found: Sequence[GraphPlaces]) -> list[Mapping[str, object]]:
    most: dict[Line, tuple[int, int]] = {}
    for at, each in enumerate(found):
        for line, ns in each.lines.items():
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


def _panes(
    known: KnownLines,
    graph: CompiledGraph,
    links: Chain,
    own: GraphPlaces,
    other: GraphPlaces | None,
) -> Mapping[str, tuple[Pane, dict[str, object]]]:
    """Each pane with the time of its things; that of lines in forward and backward alike."""
    theirs = other.lines if other else {}
    heat = {line: own.lines.get(line, 0) + theirs.get(line, 0) for line in links.lines}
    return {
        "line": (
            source_pane(known, links.lines, heat),
            {
                "ns": [own.lines.get(line, 0) for line in links.lines],
                "other_ns": [theirs.get(line, 0) for line in links.lines] if other else None,
            },
        ),
        "pre": (
            graph_pane(graph, links.pre, Stage.PRE_GRAD),
            {"ns": [own.pre_grad.get(name, 0) for name in links.pre], "names": links.pre},
        ),
        "post": (
            graph_pane(graph, links.post, Stage.POST_GRAD),
            {"ns": [own.nodes.get(name, 0) for name in links.post], "names": links.post},
        ),
        "call": (
            code_pane(graph),
            {"ns": [own.calls.get(call.index, 0) for call in graph.calls]},
        ),
    }


def _packed(pane: Pane, texts: Texts) -> dict[str, object]:
    return {
        "text": texts.put(pane.text),
        "rows": pane.rows,
        "syntax": pane.syntax,
        "more": pane.more,
        "numbers": pane.numbers,
        "note": pane.note,
    }


def _links(links: Chain) -> Mapping[str, Sequence[Sequence[int]]]:
    return {
        "call-post": links.call_post,
        "call-pre": links.call_pre,
        "call-line": links.call_line,
        "post-pre": links.post_pre,
        "post-line": links.post_line,
        "pre-line": links.pre_line,
    }


def _function(graph: CompiledGraph) -> str | None:
    """The user's function that was compiled."""
    return next((title for each in graph.emitted if (title := each.compilation.title)), None)


def _partner(graphs: Sequence[CompiledGraph], at: int) -> int | None:
    """The backward of a forward and the forward of a backward: the same number, the same place."""
    graph = graphs[at]
    other = _OTHER.get(graph.kind or "")
    if other is None or graph.aot_id is None:
        return None
    number = graph.aot_id.rpartition("_")[0]
    wanted = f"{graph.id.removesuffix(graph.aot_id)}{number}_{other}"
    return next((number for number, each in enumerate(graphs) if each.id == wanted), None)


def _confidences(records: Records) -> list[tuple[int, int, int]]:
    """Launches of each call that are exact, inferred, and ambiguous ones that may be its own."""
    matching, counted = records.matching, records.attribution.counted
    count = len(records.program.calls)
    columns = []
    for confidence in (Confidence.EXACT, Confidence.INFERRED):
        rows = counted & (matching.call >= 0) & matching.with_confidence(confidence)
        columns.append(np.bincount(matching.call[rows], minlength=count))
    named = np.repeat(counted, np.diff(matching.candidate_start))
    columns.append(np.bincount(matching.candidates[named], minlength=count))
    return list(zip(*(column.tolist() for column in columns), strict=True))
