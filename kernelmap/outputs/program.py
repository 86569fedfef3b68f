"""What generated code holds, as `inspect` shows it: graphs, their calls, what is known of them.

Takes a CompiledProgram, gives a rich Text or JSON.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from kernelmap.advice import artifacts
from kernelmap.model import CompiledGraph, CompiledProgram, Emitted, Origins, WrapperCall
from kernelmap.model.notices import count
from kernelmap.outputs import json_answer, overview
from kernelmap.outputs.kernel_facts import of_call, of_kernel
from kernelmap.outputs.layout import Part, draw
from kernelmap.outputs.text import visible


def render(program: CompiledProgram, width: int) -> Text:
    """An overview of several graphs, then every graph with its calls, in `width` characters."""
    lines: list[Text] = []
    if len(program.graphs) > 1 or program.compilations:
        lines += [*overview.render(program, width), Text()]
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
    return json_answer.dumps(value)


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
    known = [f"{name} {visible(value)}" for name, value in named.items() if value is not None]
    known += [f"{name} {number}" for name, number in found(graph).items() if number]
    lines.append(Text(f"Found: {', '.join(known) or 'nothing beside the calls'}", "dim"))
    absent = [each.what for each in artifacts.missing(graph)]
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
        Part(header="line", cells=[_number(call.line) for call in calls], right=True, rank=2),
        Part(
            header="wrapper",
            cells=[visible(call.wrapper) for call in calls],
            least=26,
            style="bold",
        ),
        Part(header="backend", cells=[_backend(call) for call in calls], rank=3),
        Part(header="handle", cells=[_number(call.handle) for call in calls], right=True, rank=5),
        Part(header="original ops", cells=[visible(", ".join(op)) for op in ops], least=18, rank=1),
        Part(header="nodes", cells=[visible(", ".join(n)) for n in nodes], least=14, rank=4),
    ]
    return draw([part for part in parts if any(part.cells)], width, [False] * len(calls))


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _backend(call: WrapperCall) -> str:
    return f"{call.backend} {call.category}" if call.category else str(call.backend)


def _emitted(each: Emitted) -> dict[str, object]:
    """The compilation by log and serial number, which its own record has, too."""
    of = each.compilation
    names = {"compile_id": of.compile_id, "log": of.log, "serial": of.serial}
    return {**names, "cache": each.cache, "bypass": each.bypass}


def _graph(graph: CompiledGraph) -> dict[str, object]:
    plain = ("id", "kind", "code", "compile_id", "aot_id", "cache_key")
    return {
        **{name: getattr(graph, name) for name in plain},
        "emitted": [_emitted(each) for each in graph.emitted],
        "found": found(graph),
        "missing": artifacts.missing(graph),
        "kernels": [of_kernel(each) for each in graph.kernels],
        "calls": [
            {
                "call": graph.call_id(each),
                **of_call(each),
                "nodes": each.nodes,
                "lines": each.lines,
                "modules": each.modules,
                "origins": origins(graph, each),
            }
            for each in graph.calls
        ],
        "nodes": graph.nodes,
    }
