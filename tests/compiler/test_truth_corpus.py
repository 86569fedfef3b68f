"""Line, node and call of real runs against the JSON and the texts that torch wrote of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.test_log_corpus import LOGS
from kernelmap.attribution.divide import divide_calls
from kernelmap.compiler import load_compiled
from kernelmap.compiler.logs.events import Damage, iter_events
from kernelmap.facts.stack_traces import is_torch
from kernelmap.model import Backend, CompiledGraph, FxNode, Stage

pytestmark = pytest.mark.corpus
DEBUG = (
    "cpu_base",
    "cpu_nonlazy",
    "triton_attnflash",
    "triton_foreach",
    "triton_mlp",
    "triton_names_nounique",
    "triton_partition",
    "triton_usertriton",
)
TRITON = tuple(name for name in DEBUG if name.startswith("triton_"))
MAPPING = "inductor_provenance_tracking_node_mappings"
STACKS = "inductor_provenance_tracking_kernel_stack_traces"
TEXTS = ("inductor_post_grad_graph", "after_post_grad_graph")


def artifacts(path: Path, *names: str) -> Iterator[tuple[str | None, dict[str, str]]]:
    """Per code its AOT id and the named artifacts: texts before it, JSON behind it."""
    code, before, behind = None, dict[str, str](), dict[str, str]()
    for log in sorted(path.iterdir()) if path.is_dir() else [path]:
        for logged in iter_events(log, Damage()):
            kind, payload = logged.event.kind, logged.payload.decode()
            if kind == "inductor_output_code":
                if code is not None:
                    yield code, behind
                aot_id = re.search(r"AOT ID: \['(\w+)'\]", payload)
                code, behind, before = aot_id[1] if aot_id else None, dict(before), {}
            elif kind in names:
                (before if kind in TEXTS else behind)[str(kind)] = payload
    yield code, behind


def graphs_of(path: Path) -> dict[str, CompiledGraph]:
    return {graph.id: graph for graph in load_compiled(path).graphs}


def post_grad(graph: CompiledGraph) -> dict[str, FxNode]:
    return {node.name: node for node in graph.nodes if node.stage is Stage.POST_GRAD}


@pytest.mark.parametrize("name", LOGS)
def test_pre_grad_nodes_are_the_mappings_own(name: str, corpus: Path) -> None:
    """Every post-grad node names the pre-grad nodes that the JSON names, and no other."""
    graphs = graphs_of(corpus / name)
    for code, payload_of in artifacts(corpus / name, MAPPING):
        stated = json.loads(payload_of.get(MAPPING, "{}")).get("postToPre")
        if code in graphs and stated is not None:
            for node in post_grad(graphs[code]).values():
                assert set(node.pre_grad) == set(stated.get(node.name, ()))


@pytest.mark.parametrize("name", LOGS)
def test_lines_of_nodes_are_the_texts_own(name: str, corpus: Path) -> None:
    """The comment above a node in the graph's text is its line, where it is the user's."""
    graphs = graphs_of(corpus / name)
    for code, payload_of in artifacts(corpus / name, *TEXTS):
        text = next((payload_of[kind] for kind in TEXTS if kind in payload_of), "")
        place = None
        for line in text.split("\n") if code in graphs else ():
            comment = re.match(r"\s*# .*?File: (.*?):(\d+) in ", line)
            made = re.match(r"\s+(\w+)(?:: \"[^\"]*\")? = (?:torch\.ops|\w+\[)", line)
            if comment:
                place = (comment[1], int(comment[2]))
            elif "No stacktrace" in line:
                place = None
            elif made and place and not is_torch(place[0]):
                node = post_grad(graphs[str(code)])[made[1]]
                assert (node.lines[-1].file, node.lines[-1].line) == place


@pytest.mark.parametrize("name", LOGS)
def test_lines_of_calls_are_in_their_stack_traces(name: str, corpus: Path) -> None:
    """A call's lines are the innermost ones of its kernel's stacks, one for each stack at most."""
    graphs = graphs_of(corpus / name)
    for code, payload_of in artifacts(corpus / name, STACKS):
        stacks = json.loads(payload_of.get(STACKS, "{}"))
        for call in graphs[code].calls if code in graphs else ():
            stacks_of_call = stacks.get(f"{call.wrapper}:{call.handle}", [])
            frames = [re.findall(r'File "(.+?)", line (\d+)', stack) for stack in stacks_of_call]
            inner = {
                next((f for f in reversed(stack) if not is_torch(f[0])), stack[-1])
                for stack in frames
                if stack
            }
            assert {(line.file, str(line.line)) for line in call.lines} == inner


@pytest.mark.parametrize("case", DEBUG)
def test_the_debug_folder_says_the_same(case: str, corpus: Path) -> None:
    """In torch_compile_debug, too, a call has the nodes of its own key and handle."""
    seen = 0
    for graph in load_compiled(corpus / "inductor" / case / "torch_compile_debug").graphs:
        beside = Path(graph.code or "").with_name(f"{MAPPING}.json")
        stated = json.loads(beside.read_text("utf-8"))["cppCodeToPost"] if beside.exists() else {}
        for call in graph.calls:
            key = f"{call.wrapper}:{call.handle}"
            if key in stated:
                seen += 1
                assert set(call.nodes or ()) == set(stated[key])

    assert seen


def test_handles_of_a_cumulative_backward_go_on(corpus: Path) -> None:
    """Its JSON has the forward's kernels too; only its own handles reach its calls."""
    folder = corpus / "inductor" / "cpu_nonlazy" / "torch_trace"
    graphs = graphs_of(folder)
    forward, backward = graphs["0_forward"], graphs["0_backward"]
    stated = {
        code: json.loads(payload_of[MAPPING])["cppCodeToPost"]
        for code, payload_of in artifacts(folder, MAPPING)
    }
    handles = [[call.handle or 0 for call in graph.calls] for graph in (forward, backward)]

    assert (max(handles[0]), min(handles[1])) == (10, 11)
    assert stated["0_forward"].keys() < stated["0_backward"].keys()
    for call in backward.calls:
        key = f"{call.wrapper}:{call.handle}"
        assert key not in stated["0_forward"]
        assert set(call.nodes or ()) == set(stated["0_backward"][key])


def test_a_lazy_backward_agrees_with_one_that_is_not(corpus: Path) -> None:
    """What the lazy one finds without a mapping, the mapping of the other one confirms."""
    lazy = graphs_of(corpus / "inductor" / "cpu_base" / "torch_trace")["0_backward"]
    full = graphs_of(corpus / "inductor" / "cpu_nonlazy" / "torch_trace")["0_backward"]
    placed = 0
    for call, full_call in zip(lazy.calls, full.calls, strict=True):
        assert call.wrapper == full_call.wrapper
        assert {line.line for line in call.lines} == {line.line for line in full_call.lines}
        if call.nodes is not None:
            placed += 1
            assert set(call.nodes) <= set(full_call.nodes or ())

    assert placed == 5


def without_provenance(log: Path, to: Path) -> Path:
    """The log as it would be without INDUCTOR_PROVENANCE: no mapping, stack traces or handles."""
    keep, lines = True, []
    for line in log.read_text("utf-8", "surrogateescape").splitlines(keepends=True):
        if not line.startswith("\t"):
            keep = MAPPING not in line and STACKS not in line
        if keep and "[Provenance debug handles]" not in line:
            lines.append(line)
    to.write_text("".join(lines), "utf-8", "surrogateescape")
    return to


@pytest.mark.parametrize("case", ["cpu_base", "cpu_nonlazy", *TRITON])
def test_comments_name_no_other_node_or_line_than_provenance(
    case: str, corpus: Path, tmp_path: Path
) -> None:
    """What a log without provenance says of a call, provenance says, too."""
    (log,) = (corpus / "inductor" / case / "torch_trace").iterdir()
    full = load_compiled(log)
    bare = load_compiled(without_provenance(log, tmp_path / "bare.log"))
    lines = [divide_calls(program) for program in (bare, full)]

    assert {call.handle for _, call in bare.calls} <= {None}
    for (_, bare_call), (_, full_call), at, stated in zip(
        bare.calls, full.calls, *lines, strict=True
    ):
        assert set(bare_call.nodes or ()) <= set(full_call.nodes or bare_call.nodes or ())
        if (
            bare_call.backend is not Backend.USER
        ):  # its place alone is known, with provenance its call
            assert set(at.lines) <= set(stated.involved_lines)
