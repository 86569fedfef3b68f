"""The nodes of calls and graphs: from the node mapping, else from what a definition states."""

from __future__ import annotations

from pathlib import Path

from compiler.generated import graph, program, triton, wrapper
from kernelmap.model import Stage

FRAGMENT = """# Graph fragment:
#   %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%a,), kwargs = {})
#   %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul,), kwargs = {})"""  # noqa: E501 -- one line per node
KERNEL = triton("triton_poi_fused_add_0", comment=FRAGMENT)
RUN = "triton_poi_fused_add_0.run(a, b, 64, stream=s0)\n"
BODY = f"""
# [Provenance debug handles] triton_poi_fused_add_0:7
{RUN}
# [Provenance debug handles] extern_kernels.mm:8
extern_kernels.mm(a, b, out=c)
"""


def test_the_mapping_gives_nodes_and_where_they_came_from(tmp_path: Path) -> None:
    """Nodes stand in the order of the code; targets come from fragments, pre-grad from the map."""
    mapping = {
        "cppCodeToPost": {
            "triton_poi_fused_add_0:7": ["add", "mul"],
            "extern_kernels.mm:8": ["mm"],
        },
        "postToPre": {"mm": ["linear"], "add": ["linear", "gelu"]},
    }
    compiled = graph(tmp_path, wrapper(KERNEL, body=BODY), mapping)

    assert [call.nodes for call in compiled.calls] == [("mul", "add"), ("mm",)]
    assert [(node.name, node.stage, node.target, node.pre_grad) for node in compiled.nodes] == [
        ("mul", Stage.POST_GRAD, "aten.mul.Tensor", ()),
        ("add", Stage.POST_GRAD, "aten.add.Tensor", ("linear", "gelu")),
        ("mm", Stage.POST_GRAD, None, ("linear",)),
        ("linear", Stage.PRE_GRAD, None, ()),
        ("gelu", Stage.PRE_GRAD, None, ()),
    ]


def test_keys_of_another_graph_count_for_nothing(tmp_path: Path) -> None:
    """A backward's mapping also holds its forward's handles; only the code's own are used."""
    mapping = {
        "cppCodeToPost": {"triton_poi_fused_add_0:1": ["wrong"], "extern_kernels.mm:8": ["mm"]},
        "postToPre": {"wrong": ["x"]},
    }
    compiled = graph(tmp_path, wrapper(KERNEL, body=BODY), mapping)

    assert compiled.calls[0].nodes == ("mul", "add")
    assert {node.name for node in compiled.nodes} == {"mul", "add", "mm"}


def test_keys_without_handle_need_a_single_call(tmp_path: Path) -> None:
    """A bare wrapper name says what its calls run together: enough for one call, not for two."""
    twice = (
        "extern_kernels.mm(a, b, out=c)\nextern_kernels.mm(c, b, out=d)\nextern_kernels.bmm(a, b)"
    )
    mapping = {"extern_kernels.mm": ["mm", "mm_1"], "extern_kernels.bmm": ["bmm"]}
    compiled = graph(tmp_path, wrapper(body=twice), mapping)

    assert [call.nodes for call in compiled.calls] == [None, None, ("bmm",)]


def test_without_a_mapping_a_definition_speaks_for_its_only_call(tmp_path: Path) -> None:
    """A fragment gives the nodes of the one call that it was made for, of a shared kernel none."""
    once = graph(tmp_path / "once", wrapper(KERNEL, body=RUN))
    twice = graph(tmp_path / "twice", wrapper(KERNEL, body=RUN + RUN))

    assert [call.nodes for call in once.calls] == [("mul", "add")]
    assert [call.nodes for call in twice.calls] == [None, None]
    assert [node.name for node in twice.nodes] == ["mul", "add"]


def test_a_mapping_that_is_none_is_reported(tmp_path: Path) -> None:
    """A broken mapping costs nothing but itself, and is a gap."""
    read = program(tmp_path, wrapper(KERNEL, body=RUN), {"cppCodeToPost": [1]})

    assert [(notice.slug, notice.gap) for notice in read.notices] == [
        ("node-mapping-unreadable", True)
    ]
    assert read.graphs[0].calls[0].nodes == ("mul", "add")
