"""Real generated code: every definition, call and handle is found, by an independent count."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.compiler import load_compiled
from kernelmap.model import Backend, CompiledGraph

pytestmark = pytest.mark.corpus
CASES = (
    "cpu_base",
    "cpu_nonlazy",
    "triton_attnflash",
    "triton_foreach",
    "triton_mlp",
    "triton_names_nounique",
    "triton_partition",
    "triton_usertriton",
)


@pytest.fixture(params=CASES)
def graphs(request: pytest.FixtureRequest, corpus: Path) -> tuple[CompiledGraph, ...]:
    read = load_compiled(corpus / "inductor" / str(request.param))

    assert read.notices == ()
    return read.graphs


def lines_of(graph: CompiledGraph) -> list[str]:
    return Path(graph.code or "").read_text(encoding="utf-8").split("\n")


def test_every_file_is_one_graph(graphs: tuple[CompiledGraph, ...], corpus: Path) -> None:
    """Copies count once; the ids are those that the code states."""
    files = {graph.code for graph in graphs}

    assert len(files) == len(graphs)
    for graph in graphs:
        assert f"['{graph.id}']" in lines_of(graph)[0]
        assert Path(graph.code or "").is_relative_to(corpus)


def test_every_definition_is_found(graphs: tuple[CompiledGraph, ...]) -> None:
    """As many kernels as lines that define one, each spanning its own line."""
    for graph in graphs:
        lines = lines_of(graph)
        defined = [line.split(" = ")[0] for line in lines if " = async_compile." in line]

        assert [kernel.name for kernel in graph.kernels] == defined
        for kernel in graph.kernels:
            assert kernel.first_line is not None
            span = lines[kernel.first_line - 1 : kernel.last_line]
            assert sum(f"{kernel.name} = async_compile." in line for line in span) == 1
            assert span[-1].startswith("''')") or span[-1].startswith("''', ")
            if kernel.backend is not Backend.CPP:
                assert kernel.signature
                assert kernel.specialization is not None


def test_every_handle_is_at_its_call(graphs: tuple[CompiledGraph, ...]) -> None:
    """Handles appear once each, in the order of the file, at the call right below them."""
    for graph in graphs:
        lines = lines_of(graph)
        written = {
            int(line.rsplit(":", 1)[1]): number
            for number, line in enumerate(lines, 1)
            if line.strip().startswith("# [Provenance debug handles]")
        }
        handled = {call.handle: call for call in graph.calls if call.handle is not None}

        assert sorted(handled) == sorted(written)
        for handle, call in handled.items():
            assert call.line is not None
            comment = lines[written[handle] - 1]
            assert comment.endswith(f" {call.wrapper}:{handle}")
            assert f"{call.wrapper}" in lines[call.line - 1]
            assert 0 < call.line - written[handle] <= 3


def test_every_launch_is_a_call(graphs: tuple[CompiledGraph, ...]) -> None:
    """As many calls as lines that launch, counted by plain text; glue is the rest."""
    marks = (".run(", "extern_kernels.", "torch.ops.", "aten.", "cpp_fused_")
    for graph in graphs:
        lines = [
            line.strip().split(" = ")[-1]
            for line in lines_of(graph)
            if line.startswith("    ") and not line.strip().startswith(("#", "assert_"))
        ]
        launches = [
            line
            for line in lines
            if line.split("(")[0].endswith(".run") or line.startswith(marks[1:])
        ]
        calls = [call for call in graph.calls if call.backend is not Backend.GLUE]

        assert len(calls) == len(launches)
        assert sorted(call.wrapper for call in calls) == sorted(
            line.split("(")[0].removesuffix(".run") for line in launches
        )


def test_nodes_come_with_every_mapping(graphs: tuple[CompiledGraph, ...]) -> None:
    """Where a node mapping lies beside the code, every call with a handle knows its nodes."""
    for graph in graphs:
        if not list(Path(graph.code or "").parent.glob("*node_mappings.json")):
            continue
        names = {node.name for node in graph.nodes}
        for call in graph.calls:
            if call.handle is not None:
                assert call.nodes
                assert names.issuperset(call.nodes)


def test_partitions_run_in_the_order_of_call(corpus: Path) -> None:
    """The CPU part stands between the two partitions that the GPU runs."""
    (graph,) = load_compiled(corpus / "inductor" / "triton_partition").graphs

    assert [call.wrapper for call in graph.calls] == [
        "extern_kernels.mm",
        "triton_red_fused_relu_sum_0",
        ".copy_",
        "cpp_fused_add_1",
        ".copy_",
        "triton_poi_fused_gelu_mul_relu_2",
        "extern_kernels.mm",
    ]
