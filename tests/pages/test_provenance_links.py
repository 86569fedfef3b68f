"""The links of the panes against what torch itself wrote of the same graphs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from compiler.test_log_corpus import LOGS
from compiler.test_truth_corpus import DEBUG, MAPPING, artifacts
from kernelmap.attribution.divide import divide_calls
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph, CompiledProgram, FxNode, Origins, SourceLine, Stage
from kernelmap.pages.report.provenance import Chain, Links, chain
from tiny import graph

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_1"
Named = Mapping[str, set[str]]


def chains(program: CompiledProgram) -> Iterator[tuple[CompiledGraph, Chain]]:
    lines = [division.involved_lines for division in divide_calls(program)]
    for graph_, first in zip(program.graphs, program.first_call, strict=True):
        yield graph_, chain(graph_, lines[first : first + len(graph_.calls)])


def named(links: Links, names: Sequence[str], others: Sequence[str]) -> Named:
    return {
        name: {others[at] for at in places}
        for name, places in zip(names, links, strict=True)
        if places
    }


def handles(compiled: CompiledGraph) -> list[str]:
    return [
        call.wrapper if call.handle is None else f"{call.wrapper}:{call.handle}"
        for call in compiled.calls
    ]


def check_against(truth: Mapping[str, Mapping[str, list[str]]], compiled: CompiledGraph) -> int:
    """Compare the chain of `compiled` with a mapping; returns how many of its keys the code has."""
    ((_, links),) = chains(CompiledProgram(graphs=(compiled,)))
    keys = handles(compiled)
    stated = {
        key: {name for name in names if name} for key, names in truth["cppCodeToPost"].items()
    }
    # A key without a handle is one call's only where its kernel is called once.
    of_one_call = {key: names for key, names in stated.items() if keys.count(key) == 1 and names}
    linked = named(links.call_post, keys, links.post)

    assert {key: linked[key] for key in of_one_call} == of_one_call
    assert named(links.post_pre, links.post, links.pre) == {
        post: {name for name in pre if name}
        for post, pre in truth["postToPre"].items()
        if post in links.post and any(pre)
    }
    whole = named(links.call_pre, keys, links.pre)
    for key, names in of_one_call.items():
        through = {pre for post in names for pre in truth["postToPre"].get(post, ()) if pre}
        if through:
            assert whole[key] == through
    return len(of_one_call)


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("name", [*LOGS, *(f"inductor/{folder}" for folder in DEBUG)])
def test_links_are_those_of_the_node_mapping(name: str, corpus: Path) -> None:
    """Every handle that the code bears has the nodes of the JSON; keys of other graphs none."""
    path = corpus / name
    program = load_compiled(path)
    logs = path / "torch_trace" if (path / "torch_trace").is_dir() else path
    mappings = {
        code: json.loads(behind[MAPPING])
        for code, behind in artifacts(logs, MAPPING)
        if MAPPING in behind
    }
    checked = 0
    for compiled in program.graphs:
        truth = mappings.get(compiled.aot_id)
        if truth and "cppCodeToPost" in truth:
            checked += check_against(truth, compiled)
            if compiled.kind == "backward":
                foreign = truth["cppCodeToPost"].keys() - set(handles(compiled))
                forward = next(g for g in program.graphs if g.kind == "forward")
                assert foreign <= set(handles(forward))

    assert checked or not any("cppCodeToPost" in truth for truth in mappings.values())


@pytest.mark.corpus
@pytest.mark.parametrize("level", ["lv0", "lv1", "lv2", "lv3"])
def test_links_are_those_of_kernel_information(level: str, corpus: Path) -> None:
    """With AOTInductor, every call has the pre- and post-grad nodes that its file states."""
    folder = corpus / "inductor" / "aoti_cpu" / level
    (path,) = folder.rglob("kernel_information.json")
    truth = json.loads(path.read_text("utf-8"))
    ((compiled, links),) = chains(load_compiled(folder))

    for stage, linked in (
        ("post_grad_nodes", named(links.call_post, handles(compiled), links.post)),
        ("pre_grad_nodes", named(links.call_pre, handles(compiled), links.pre)),
    ):
        assert linked == {key: set(stated[stage]) for key, stated in truth.items() if stated[stage]}


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["cpu_base", "cpu_nonlazy", "triton_mlp"])
def test_every_linked_node_stands_in_its_text(name: str, corpus: Path) -> None:
    """The texts that are shown are those of the graphs that the mapping speaks of."""
    for compiled, links in chains(load_compiled(corpus / "inductor" / name)):
        assert compiled.post_grad_text is not None
        assert compiled.pre_grad_text is not None
        linked_post = {links.post[at] for places in links.call_post for at in places}
        linked_pre = {links.pre[at] for places in links.post_pre for at in places}
        assert linked_post <= compiled.post_grad_text.lines.keys()
        assert linked_pre <= compiled.pre_grad_text.lines.keys()


def small(**changes: object) -> CompiledGraph:
    """Two calls; the first has nodes a and b, made of x; a stands at m.py:3."""
    line = SourceLine(file="m.py", line=3)
    plain = graph("0_inference", A, B)
    nodes = (
        FxNode(name="a", stage=Stage.POST_GRAD, pre_grad=("x",), lines=(line,)),
        FxNode(name="b", stage=Stage.POST_GRAD, pre_grad=("x", "x")),
        FxNode(name="x", stage=Stage.PRE_GRAD),
    )
    first, second = plain.calls
    calls = (replace(first, nodes=("b", "a")), replace(second, **changes))
    return replace(plain, calls=calls, nodes=nodes)


def test_links_have_an_order_and_no_doubles() -> None:
    """Positions ascend, and what is named twice is linked once."""
    ((_, links),) = chains(CompiledProgram(graphs=(small(),)))

    assert (links.post, links.pre, links.lines) == (("a", "b"), ("x",), (("m.py", 3),))
    assert links.call_post == ((0, 1), ())
    assert links.post_pre == ((0,), (0,))
    assert links.call_line == ((0,), ())
    assert links.post_line == ((0,), ())


def test_a_comment_tells_only_where_nothing_else_does() -> None:
    """A call without nodes has those names of its comment that the pre-grad graph has."""
    comment = Origins(nodes=("x", "mul_7"), aten=("aten.mul",), ordered=True)
    ((_, without),) = chains(CompiledProgram(graphs=(small(origins=comment),)))
    stated = small(origins=comment, pre_grad=("y",))
    ((_, whole),) = chains(CompiledProgram(graphs=(stated,)))

    assert without.call_pre == ((0,), (0,))
    assert [whole.pre[at] for at in whole.call_pre[1]] == ["y"]


def test_without_a_pre_grad_graph_all_names_of_a_comment_count() -> None:
    """Old code has nothing but its comments: `Source Nodes: [tensor]`."""
    plain = graph("output_code", A)
    ((_, links),) = chains(CompiledProgram(graphs=(plain,)))

    assert links.pre == ("y",)
    assert links.call_pre == ((0,),)
