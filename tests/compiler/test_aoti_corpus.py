"""Real output of AOTInductor: every handle is at one call, nodes and lines are those it states."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from golden_text import Golden
from kernelmap import correlate
from kernelmap.compiler import load_compiled
from kernelmap.compiler.logs.events import Damage, iter_events
from kernelmap.model import Backend, CompiledGraph, FxNode, Stage, WrapperCall

pytestmark = pytest.mark.corpus
LEVELS = ("lv0", "lv1", "lv2", "lv3")
LOG = "torch_trace/inductor_provenance_aot_debug_handle_log.txt"
_HANDLE = re.compile(r"^\s*// \[Provenance debug handles\] (\S+)$", re.MULTILINE)


def keys(graph: CompiledGraph) -> list[str]:
    return [f"{call.wrapper}:{call.handle}" for call in graph.calls if call.handle is not None]


@pytest.fixture(params=LEVELS)
def folder(request: pytest.FixtureRequest, corpus: Path) -> Path:
    return corpus / "inductor" / "aoti_cpu" / str(request.param)


def test_every_handle_is_at_one_call(folder: Path) -> None:
    """Each handle that the C++ states is the handle of exactly one call, and all calls have one."""
    program = load_compiled(folder)
    (graph,) = program.graphs
    written = _HANDLE.findall(Path(graph.code or "").read_text("utf-8"))

    assert program.notices == ()
    assert len(written) == len(graph.calls) == 2
    assert keys(graph) == written


def test_nodes_and_lines_are_those_of_the_json(folder: Path) -> None:
    """kernel_information.json is the truth: call by call, in both directions."""
    (graph,) = load_compiled(folder).graphs
    (path,) = folder.rglob("kernel_information.json")
    truth = json.loads(path.read_text("utf-8"))
    calls = dict(zip(keys(graph), graph.calls, strict=True))

    assert calls.keys() == truth.keys()
    for key, stated in truth.items():
        places = {
            match
            for trace in stated["stack_traces"]
            for match in re.findall(r'File "(/home/user/[^"]+)", line (\d+)', trace)
        }
        assert set(calls[key].nodes or ()) == set(stated["post_grad_nodes"])
        assert {(line.file, str(line.line)) for line in calls[key].lines} == places
        if len(stated["post_grad_nodes"]) == 1:
            (node,) = (n for n in graph.nodes if n.name == stated["post_grad_nodes"][0])
            assert node.pre_grad == tuple(stated["pre_grad_nodes"])


def test_the_code_alone_states_the_same_lines(folder: Path, tmp_path: Path) -> None:
    """Without the JSON the stack traces in the C++ itself give the lines."""
    (graph,) = load_compiled(folder).graphs
    copy = tmp_path / "alone.wrapper.cpp"
    copy.write_text(Path(graph.code or "").read_text("utf-8"), encoding="utf-8")
    (alone,) = load_compiled(copy).graphs

    assert [call.lines for call in alone.calls] == [call.lines for call in graph.calls]
    assert [call.nodes for call in alone.calls] == [None, None]


def test_the_logs_wrapper_has_all_handles_and_nodes(corpus: Path) -> None:
    """Calls for a GPU, in the order of the code; their nodes are those of the log's mapping."""
    path = corpus / LOG
    (graph,) = load_compiled(path).graphs
    logged = list(iter_events(path, Damage()))
    code = next(e for e in logged if e.event.graph_dump is not None).payload.decode()
    stated = next(
        json.loads(e.payload)["cppCodeToPost"]
        for e in logged
        if e.event.kind == "inductor_provenance_tracking_node_mappings"
    )

    assert keys(graph) == _HANDLE.findall(code)
    assert {key: set(nodes) for key, nodes in stated.items()} == {
        key: set(call.nodes or ()) for key, call in zip(keys(graph), graph.calls, strict=True)
    }
    assert [call.backend for call in graph.calls].count(Backend.TRITON) == 3
    assert all(code.split("\n")[(c.line or 0) - 1].count(f"{c.wrapper}(") for c in graph.calls)


@pytest.mark.parametrize("level", ["lv0", "lv1", "lv3"])
def test_a_run_is_matched_exactly(level: str, corpus: Path) -> None:
    """Library calls and C++ kernels under `inductor_wrapper_call` are exactly their calls."""
    folder = corpus / "inductor" / "aoti_cpu" / level
    correlation = correlate(folder / "unz", folder / "trace.json")
    launches = correlation.launches

    assert set(launches["confidence"]) == {"exact"}
    assert list(launches["name"]) == [
        "aoti_torch_cpu_addmm_out",
        "graph_0_cpp_fused_gelu_native_layer_norm_0",
    ]
    assert list(launches["call"]) == ["model/0", "model/1"]
    assert set(correlation.ops["name"]) == {"aten.addmm", "aten.gelu", "aten.native_layer_norm"}
    assert correlation.notices == ()


def test_foreign_operators_in_a_run_are_a_doubt(corpus: Path) -> None:
    """Level 2 of the debug printer runs operators of its own, so nothing there is exact."""
    folder = corpus / "inductor" / "aoti_cpu" / "lv2"
    correlation = correlate(folder / "unz", folder / "trace.json")
    calls = correlation.launches[correlation.launches["call"].notna()]

    assert set(correlation.launches["confidence"]) == {"inferred", "unknown", "outside"}
    assert set(calls["confidence"]) == {"inferred"}
    assert list(calls["call"]) == ["model/0", "model/1"]


def test_chains_from_the_line_to_the_call(corpus: Path, golden: Golden) -> None:
    """Some chains in full: line, pre-grad node, post-grad node, call."""
    text = []
    for name in (LOG, "inductor/aoti_cpu/lv0"):
        (graph,) = load_compiled(corpus / name).graphs
        nodes = {node.name: node for node in graph.nodes if node.stage is Stage.POST_GRAD}
        text.append(name)
        for call in graph.calls:
            text.append(f"  {_call(call)}")
            text += [f"    {_node(nodes[node])}" for node in call.nodes or ()]
    golden("aoti.txt", "\n".join(text) + "\n")


def _call(call: WrapperCall) -> str:
    lines = ", ".join(f"{Path(line.file).name}:{line.line}" for line in call.lines) or "none"
    what = (
        f"{call.index} {call.wrapper}:{call.handle} [{call.backend}] {call.target or ''}".rstrip()
    )
    return f"{what}, stack traces {lines}"


def _node(node: FxNode) -> str:
    place = f"{Path(node.lines[-1].file).name}:{node.lines[-1].line}" if node.lines else "?"
    return f"{place} → {', '.join(node.pre_grad) or '?'} → {node.name} ({node.target or '?'})"
