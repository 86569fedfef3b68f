"""The module of a line, for kernels of which only lines are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.logs import Log
from kernelmap.compiler import load_compiled
from kernelmap.compiler.facts import CodeFacts
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.line_modules import LineModules
from kernelmap.compiler.node_index import NodeIndex
from kernelmap.model import Backend, SourceLine, WrapperCall

HERE, THERE = SourceLine(file="m.py", line=1), SourceLine(file="m.py", line=2)


def node(
    module: str | None, line: SourceLine | None = HERE, target: str = "aten.mm.default"
) -> TextNode:
    return TextNode(target=target, shape=None, line=line, module=module)


def index_of(nodes: dict[str, TextNode]) -> NodeIndex:
    return NodeIndex.of_facts(CodeFacts(post_grad=nodes))


def line_modules(*nodes: TextNode) -> LineModules:
    return LineModules.learn_lines(
        {f"n{number}": text_node for number, text_node in enumerate(nodes)}
    )


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        (["mlp.fc1"], "mlp.fc1"),
        (["mlp.fc1", "mlp"], "mlp"),
        (["head", "self"], "self"),
        (["mlp.fc1", "mlp.fc2"], None),
        (["layers.0.fc", "layers.0", "layers.1.fc", "layers.1"], None),
        (["mlp.fc1", "mlp", None], None),
        (["mlp", "mlp2.fc"], None),
    ],
)
def test_a_line_is_of_the_module_that_all_its_nodes_lie_in(
    modules: list[str | None], expected: str | None
) -> None:
    """One node must be of that very module; a node of an unknown module rules it out."""
    by_line = line_modules(*map(node, modules))

    assert by_line.of_line(HERE) == expected
    assert by_line.of_line(THERE) is None


def test_a_node_without_a_line_may_stand_on_any() -> None:
    """Where Dynamo's graph has such a node, no line is known to be one module's."""
    assert line_modules(node("fc"), node("other", None)).of_line(HERE) is None


CALL = WrapperCall(
    index=0,
    wrapper="extern_kernels.mm",
    backend=Backend.EXTERN,
    target="aten.mm",
    line=1,
    lines=(HERE, THERE),
)


def test_a_library_call_is_of_the_module_that_its_operator_has_on_its_lines() -> None:
    """It need not be known which of two products a call is, if both are of one module."""
    lines = line_modules(node("self"), node("head", THERE))
    both = {"mm": node("up"), "mm_1": node("up"), "add": node("down", HERE, "aten.add.Tensor")}

    assert lines.of_call(CALL, index_of(both)) == ("up",)
    assert lines.of_call(CALL, index_of({**both, "mm_2": node("down")})) == ("self", "head")
    assert lines.of_call(CALL, index_of({**both, "mm_2": node("up", None)})) == ("self", "head")
    assert lines.of_call(CALL, index_of({})) == ("self", "head")


PLACE = "# File: /home/me/m.py:12 in forward, code: x = torch.relu(self.fc(x))"
DYNAMO = f"""class GraphModule(torch.nn.Module):
    def forward(self, L_self_modules_fc_parameters_w_: "f32[4]", L_x_: "f32[4]"):
        {PLACE}
        linear = torch._C._nn.linear(L_x_, L_self_modules_fc_parameters_w_)
        relu = torch.relu(linear)
        return (relu,)
"""
BACKWARD = """# AOT ID: ['0_backward']
cpp_fused_relu_0 = async_compile.cpp_pybinding(['float*'], '''void kernel() {}''')
def call(args):
    # [Provenance debug handles] cpp_fused_relu_0:1
    cpp_fused_relu_0(buf0)
"""


def test_a_lazy_backward_has_modules_by_its_stack_traces(tmp_path: Path) -> None:
    """A C++ kernel without nodes belongs to the module that ran its lines."""
    stack = '  File "/home/me/m.py", line {}, in forward\\n    x = relu(x)\\n'
    log = Log().event({"dynamo_output_graph": {}}, DYNAMO).code(BACKWARD)
    stacks = {"cpp_fused_relu_0:1": [stack.format(12), stack.format(99)]}
    log.artifact("inductor_provenance_tracking_kernel_stack_traces", stacks)
    (graph,) = load_compiled(log.put(tmp_path / "t.log")).graphs

    assert graph.calls[0].nodes is None
    assert graph.calls[0].modules == ("self", None)
