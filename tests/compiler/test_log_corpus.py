"""Real logs: every graph, kernel, call and handle; chains from the user's line to the call."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from golden_text import Golden
from kernelmap import correlate
from kernelmap.compiler import load_compiled
from kernelmap.compiler.facts import node_mapping
from kernelmap.compiler.logs.events import Damage, iter_events
from kernelmap.model import CompiledGraph, CompiledProgram, FxNode, Stage, WrapperCall

pytestmark = pytest.mark.corpus
LOGS = (
    "torch_trace/inductor_provenance_aot_debug_handle_log.txt",
    "torch_trace/inductor_provenance_jit_cuda_log.txt",
    "torch_trace/inductor_provenance_jit_debug_handle_log.txt",
    "torch_trace/multi_rank_schedule",
    "torch_trace/simple.log",
    "torch_trace/simple_corrupted_json.log",
    "inductor/cpu_base/torch_trace",
    "inductor/cpu_nonlazy/torch_trace",
    "inductor/cpu_warm/tt",
    "inductor/triton_attnflash/torch_trace",
    "inductor/triton_foreach/torch_trace",
    "inductor/triton_mlp/torch_trace",
    "inductor/triton_partition/torch_trace",
    "inductor/triton_usertriton/torch_trace",
)
CHAINS = {
    "inductor/cpu_base/torch_trace": 3,
    "inductor/cpu_nonlazy/torch_trace": 2,
    "inductor/triton_foreach/torch_trace": 1,
    "inductor/triton_mlp/torch_trace": 2,
    "inductor/triton_usertriton/torch_trace": 2,
    "torch_trace/inductor_provenance_jit_cuda_log.txt": 2,
    "torch_trace/inductor_provenance_jit_debug_handle_log.txt": 2,
}
"""The calls from the start of each graph whose chains are written out."""


def counts(program: CompiledProgram, corpus: Path) -> list[str]:
    """One line per graph, one per notice."""
    lines = []
    for graph in program.graphs:
        calls = graph.calls
        facts = {
            "calls": len(calls),
            "kernels": len(graph.kernels),
            "handles": sum(call.handle is not None for call in calls),
            "calls with nodes": sum(call.nodes is not None for call in calls),
            "calls with lines": sum(bool(call.lines) for call in calls),
            "nodes": sum(node.stage is Stage.POST_GRAD for node in graph.nodes),
            "nodes with lines": sum(
                bool(node.lines) for node in graph.nodes if node.stage is Stage.POST_GRAD
            ),
            "nodes with modules": sum(
                node.module is not None for node in graph.nodes if node.stage is Stage.POST_GRAD
            ),
            "pre-grad": sum(node.stage is Stage.PRE_GRAD for node in graph.nodes),
        }
        counted = ", ".join(f"{name} {number}" for name, number in facts.items() if number)
        lines.append(
            f"  {graph.id} [{graph.compile_id}] key {(graph.cache_key or '-')[:9]}: {counted}"
        )
    return lines + [
        f"  {notice.slug}: {notice.message.replace(f'{corpus}/', '')}" for notice in program.notices
    ]


def chains(graph: CompiledGraph, first: int) -> list[str]:
    """`line → pre-grad → post-grad [module] → call` of the first calls of a graph."""
    nodes = {node.name: node for node in graph.nodes if node.stage is Stage.POST_GRAD}
    return [
        line
        for call in graph.calls[:first]
        for line in (*(_chain(graph, call, nodes[name]) for name in call.nodes or ()), _stack(call))
    ]


def _chain(graph: CompiledGraph, call: WrapperCall, node: FxNode) -> str:
    place = f"{Path(node.lines[-1].file).name}:{node.lines[-1].line}" if node.lines else "?"
    pre = ", ".join(node.pre_grad) or "?"
    return (
        f"    {place} → {pre} → {node.name} ({node.target}) [{node.module or '?'}]"
        f" → {graph.call_id(call)} {call.wrapper}"
    )


def _stack(call: WrapperCall) -> str:
    places = ", ".join(f"{Path(line.file).name}:{line.line}" for line in call.lines) or "none"
    return f"    stack traces of {call.wrapper}: {places}"


def test_everything_in_the_logs_is_found(corpus: Path, golden: Golden) -> None:
    """Graphs, kernels, calls, handles, nodes and lines of every log, and some chains in full."""
    text = []
    for name in LOGS:
        program = load_compiled(corpus / name)
        text += [name, *counts(program, corpus)]
        if name in CHAINS:
            text += [line for g in program.graphs for line in chains(g, CHAINS[name])]
    golden("logs.txt", "\n".join(text) + "\n")


@pytest.mark.parametrize("name", LOGS)
def test_nodes_of_calls_are_the_mappings_own(name: str, corpus: Path) -> None:
    """The nodes of each call are those that the JSON of its graph lists, key by key."""
    expected: dict[str, dict[str, set[str]]] = {}
    code = ""
    path = corpus / name
    for log in sorted(path.iterdir()) if path.is_dir() else [path]:
        for logged in iter_events(log, Damage()):
            stated = logged.event.inductor_output_code
            if stated is not None:
                code = re.sub(rb"\s+", b"", logged.payload).decode()
            elif logged.event.kind == "inductor_provenance_tracking_node_mappings":
                mapping = node_mapping(logged.payload).kernel_to_post
                expected.setdefault(code, {}).update({k: set(v) for k, v in mapping.items()})
    by_id = {
        re.search(r"AOTID:\['(\w+)'\]", text): nodes_of_call
        for text, nodes_of_call in expected.items()
    }
    truth = {match[1]: nodes_of_call for match, nodes_of_call in by_id.items() if match}

    for graph in load_compiled(path).graphs:
        table = truth.get(graph.id, {})
        for call in graph.calls:
            key = f"{call.wrapper}:{call.handle}"
            if call.handle is not None and key in table:
                assert set(call.nodes or ()) == table[key]


@pytest.mark.parametrize("case", ["cpu_base", "cpu_nonlazy", "triton_mlp", "triton_attnflash"])
def test_a_backward_keeps_clear_of_its_forward(case: str, corpus: Path) -> None:
    """Every node of a backward's calls stands in the backward's own text."""
    forward, backward = load_compiled(corpus / "inductor" / case / "torch_trace").graphs
    text = {node.name for node in backward.nodes if node.target is not None}

    assert {forward.kind, backward.kind} == {"forward", "backward"}
    for call in backward.calls:
        assert set(call.nodes or ()) <= text


@pytest.mark.parametrize("case", ["cpu_base", "triton_mlp"])
def test_tlparses_folder_gives_the_logs_program(case: str, corpus: Path) -> None:
    """The same graphs, calls and nodes, from the log or from what tlparse made of it."""
    folder = corpus / "inductor" / case
    log = load_compiled(folder / "torch_trace")
    made = load_compiled(folder / "tlparse_out")

    assert [(g.id, g.calls, g.nodes, g.cache_key) for g in made.graphs] == [
        (g.id, g.calls, g.nodes, g.cache_key) for g in log.graphs
    ]
    assert made.notices == log.notices == ()


@pytest.mark.parametrize("case", ["cpu_base", "triton_mlp"])
def test_tlparses_pages_alone_give_the_logs_program(case: str, corpus: Path) -> None:
    """Without raw.log and payloads, the pages and files of a compilation say as much."""
    folder = corpus / "inductor" / case
    log = load_compiled(folder / "torch_trace")
    made = load_compiled(folder / "tlparse_out" / "-_0_0_0")

    assert [
        (g.id, g.compile_id, g.calls, g.kernels, g.nodes, g.cache_key) for g in made.graphs
    ] == [(g.id, g.compile_id, g.calls, g.kernels, g.nodes, g.cache_key) for g in log.graphs]
    assert {Path(graph.code or "").suffix for graph in made.graphs} == {".html"}
    assert made.notices == ()


def test_a_log_names_the_graphs_of_a_recording(corpus: Path) -> None:
    """`## Call CompiledFxGraph KEY ##` is exact by the log's cache key; lines add up."""
    folder = corpus / "inductor" / "cpu_base"
    correlation = correlate(folder / "torch_trace", folder / "trace.json")
    ranges = [name for name in correlation.trace.ranges.names if "Call CompiledFxGraph" in name]
    lines = correlation.lines

    assert {graph.cache_key for graph in correlation.program.graphs} == {
        name.split()[-2] for name in ranges
    }
    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    assert "the graph's FX cache key is" in str(correlation.explain("0_backward/1").evidence)
    assert int((lines["time_ns"] + lines["backward_ns"]).sum()) == correlation.attribution.total_ns
    assert abs(float(lines["share"].sum()) - 1) < 1e-9
    lines_of_calls = lines[lines["calls"].gt(0) & lines["line"].notna()]
    assert set(lines_of_calls["line"]) == {16, 17, 18, 19, 20}
    assert (lines_of_calls["backward_ns"] > 0).all()
    graphs = dict(zip(correlation.graphs["graph"], correlation.graphs["time_ns"], strict=True))
    assert int(lines_of_calls["time_ns"].sum()) > 0.99 * graphs["0_forward"]
