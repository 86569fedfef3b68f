"""Graphs inside of a graph: branches, loops and regions, whose nodes bear the names of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.generated import triton, wrapper
from compiler.logs import Log
from compiler.test_commented import FILE, comment, kernel, lines_of
from kernelmap.compiler import load_compiled
from kernelmap.compiler.fx.graph_text import parse_graph_text
from kernelmap.model import CompiledGraph, CompiledProgram

MAPPINGS = "inductor_provenance_tracking_node_mappings"
STACKS = "inductor_provenance_tracking_kernel_stack_traces"


def nested(outer: list[str], **inner: list[str]) -> str:
    """A text with graphs inside; a node is `name line made`, or `name = self.graph` alone."""
    text = "class <lambda>(torch.nn.Module):\n    def forward(self, x, w):\n" + body(outer, 8)
    for name, nodes in inner.items():
        head = f"    class {name}(torch.nn.Module):\n        def forward(self, x, w):\n"
        text += f"\n{head}{body(nodes, 12)}"
    return text


def body(nodes: list[str], indent: int) -> str:
    lines = []
    for node in nodes:
        if " = self." in node:
            lines.append(node)
            continue
        name, line, made = node.split(" ", 2)
        lines.append(f"# File: {FILE}:{line} in forward, code: {name} = {made}")
        lines.append(f'{name}: "f32[4]" = {made};  x = None')
    return "".join(f"{' ' * indent}{line}\n" for line in [*lines, "return ()"])


POST_GRAD = nested(
    [
        "true_graph_0 = self.true_graph_0",
        "false_graph_0 = self.false_graph_0",
        "mm 5 torch.ops.aten.mm.default(x, w)",
        "cond 6 torch.ops.higher_order.cond(p, true_graph_0, false_graph_0, (mm, w))",
        "getitem 6 cond[0]",
        "add 9 torch.ops.aten.add.Tensor(getitem, 1)",
    ],
    true_graph_0=[
        "mm 7 torch.ops.aten.mm.default(x, w)",
        "sin 7 torch.ops.aten.sin.default(mm)",
        "add 7 torch.ops.aten.add.Tensor(sin, 1)",
    ],
    false_graph_0=["mul 8 torch.ops.aten.mul.Tensor(x, 2)"],
)
DYNAMO = nested(
    [
        "y 5 x @ w",
        "cond_true_0 = self.cond_true_0",
        "cond_false_0 = self.cond_false_0",
        "cond 6 torch.ops.higher_order.cond(p, cond_true_0, cond_false_0, (y, w))",
        "z 6 cond[0]",
        "out 9 z + 1",
    ],
    cond_true_0=["matmul 7 y_1 @ w", "sin 7 matmul.sin()", "add 7 sin + 1"],
    cond_false_0=["mul 8 x * 2"],
)


def launch(name: str, number: int, listed: str, aten: str) -> str:
    """A kernel's launch, or a product, with its comments."""
    call = f"{name}.run(a, stream=s)" if name.startswith("triton") else f"{name}(a, b, out=c)"
    head = comment(listed, aten).replace("Topologically Sorted", "Unsorted")
    return f"{head}# [Provenance debug handles] {name}:{number}\n{call}\n"


def function(name: str, *launches: str) -> str:
    lines = "".join(f"    {line}\n" for launch in launches for line in launch.splitlines())
    return f"def {name}(args):\n    args.clear()\n{lines}    return ()\n"


KERNELS = ("triton_poi_fused_add_sin_0", "triton_poi_fused_mul_1", "triton_poi_fused_add_2")
CODE = wrapper(
    *(triton(name) for name in KERNELS),
    functions=function(
        "true_graph_0",
        launch("extern_kernels.mm", 2, "cond, matmul", "aten.mm"),
        launch(KERNELS[0], 3, "cond, add, sin", "aten.add, aten.sin"),
    )
    + function("false_graph_0", launch(KERNELS[1], 4, "cond, mul", "aten.mul")),
    body=launch("extern_kernels.mm", 1, "y", "aten.mm")
    + "if p.item():\n    buf1 = true_graph_0(args)\nelse:\n    buf1 = false_graph_0(args)\n"
    + launch(KERNELS[2], 5, "out", "aten.add"),
    aot="0_inference",
)
INNER = ["cond", "true_graph_0", "false_graph_0"]
MAPPING = {
    "cppCodeToPost": {
        "extern_kernels.mm:1": ["mm"],
        "extern_kernels.mm:2": ["mm"],
        f"{KERNELS[0]}:3": [*INNER, "add", "sin"],
        f"{KERNELS[1]}:4": [*INNER, "mul"],
        f"{KERNELS[2]}:5": ["add"],
    },
    "postToPre": {"mm": ["y"], "cond": ["cond"], "getitem": ["cond"], "add": ["out"]},
    "version": 2.0,
}


def conditional(tmp_path: Path, *, provenance: bool, code: str = CODE) -> CompiledProgram:
    log = Log().event({"dynamo_output_graph": {}}, DYNAMO)
    log.artifact("inductor_post_grad_graph", POST_GRAD).code(code)
    if provenance:
        log.artifact(MAPPINGS, MAPPING)
    return load_compiled(log.put(tmp_path / "log"))


def nodes_of(graph: CompiledGraph) -> list[tuple[str, ...]]:
    """The nodes of each call, named or listed."""
    return [call.nodes or tuple(node.name for node in call.listed) for call in graph.calls]


def test_a_text_names_the_nodes_of_inner_graphs_by_their_graph() -> None:
    """`mm` around a branch and `mm` inside are two nodes, each with its own line."""
    nodes = parse_graph_text(POST_GRAD)

    lines = {name: node.line.line if node.line else None for name, node in nodes.items()}
    assert (lines["mm"], lines["true_graph_0.mm"], lines["false_graph_0.mul"]) == (5, 7, 8)
    assert [path for _, path in nodes["cond"].runs] == ["true_graph_0", "false_graph_0"]
    assert nodes["mm"].runs == ()


@pytest.mark.parametrize("provenance", [True, False])
def test_a_call_has_the_lines_of_the_graph_that_it_stands_in(
    tmp_path: Path, *, provenance: bool
) -> None:
    """Neither the condition's line is a branch's, nor a branch's that of the product before it.

    The `.item()` of the condition is in no graph's text.
    """
    program = conditional(tmp_path, provenance=provenance)

    lines = [sorted(set(lines), key=str) for lines in lines_of(program)]
    assert lines == [[5], [None], [7], [7], [8], [9]]
    product, _, inner, fused, other, last = nodes_of(program.graphs[0])
    assert (product, inner) == (("mm",), ("true_graph_0.mm",))
    if provenance:
        assert fused == ("true_graph_0.add", "true_graph_0.sin")
        assert (other, last) == (("false_graph_0.mul",), ("add",))


def test_what_runs_a_graph_is_no_work_of_the_calls_in_it(tmp_path: Path) -> None:
    """The mapping names the condition and both branches with each kernel of a branch."""
    graph = conditional(tmp_path, provenance=True).graphs[0]

    assert not {name for names in nodes_of(graph) for name in names} & set(INNER)
    assert graph.post_grad["mm"].pre_grad == ("y",)
    assert graph.post_grad["true_graph_0.mm"].pre_grad == ()


def test_a_call_of_an_inner_graph_that_nothing_is_said_of_has_its_runners_line(
    tmp_path: Path,
) -> None:
    """A C++ kernel has no comment; a loop's body is at least the loop's."""
    code = wrapper(
        functions=function("true_graph_0", "cpp_fused_lt_0(a)\n")
        + function("false_graph_0", "cpp_fused_lt_0(a)\n"),
        body="if p.item():\n    true_graph_0(args)\nelse:\n    false_graph_0(args)\n",
        aot="0_inference",
    )
    program = conditional(tmp_path, provenance=False, code=code)

    assert lines_of(program) == [[None], [6], [6]]


LOOP = nested(
    [
        "body_0 = self.body_0",
        "scanned 20 torch.ops.higher_order.while_loop(c, body_0, (x, w))",
        "add 21 torch.ops.aten.add.Tensor(scanned, 1)",
    ],
    body_0=[
        "inner_0 = self.inner_0",
        "add 11 torch.ops.aten.add.Tensor(x, 1)",
        "branch 12 torch.ops.higher_order.cond(p, inner_0, inner_0, (add,))",
    ],
).replace(
    "            return ()",
    """            # No stacktrace found for following nodes
            mm = torch.ops.aten.mm.default(x, w)
            return ()

        class inner_0(torch.nn.Module):
            def forward(self, x):
                # File: /home/me/m.py:13 in forward, code: y = f(x)
                mm = torch.ops.aten.mm.default(x, w)
                return ()
""",
)


def test_graphs_stand_in_graphs(tmp_path: Path) -> None:
    """A branch in a loop's body has the body's name before its own, in the code and here.

    Each run of the body runs its product once, so the only product is its node. That has no stack:
    it is at the line of the loop. What decides on the branch is no part of it, nor of the sum.
    """
    names = ["branch", "scanned", "body_0", "inner_0", "add"]
    fused = "triton_poi_fused_add_0"
    functions = function("body_0_inner_0", launch("extern_kernels.mm", 3, "branch", "aten.mm"))
    functions += function(
        "body_0",
        launch(fused, 1, "scanned, add", "aten.add"),
        launch("extern_kernels.mm", 2, "scanned, h", "aten.mm"),
        "if p:\n    body_0_inner_0(args)",
    )
    loop = "while go:\n    body_0(args)\n"
    code = wrapper(triton(fused), functions=functions, body=loop, aot="0_inference")
    log = Log().artifact("inductor_post_grad_graph", LOOP).code(code)
    log.artifact(MAPPINGS, {"cppCodeToPost": {f"{fused}:1": names}, "postToPre": {}})
    program = load_compiled(log.put(tmp_path / "log"))

    assert nodes_of(program.graphs[0]) == [("body_0.add",), ("body_0.mm",), ("body_0.inner_0.mm",)]
    assert lines_of(program) == [[11], [20], [13]]


def test_a_name_of_several_graphs_says_nothing_where_branches_are_written_inline(
    tmp_path: Path,
) -> None:
    """C++ wrappers have no function for a branch: only the stack traces tell its `mm` apart."""
    code = wrapper(
        triton(KERNELS[0]),
        body=launch("extern_kernels.mm", 1, "y", "aten.mm")
        + launch("extern_kernels.mm", 2, "cond, matmul", "aten.mm")
        + launch(KERNELS[0], 3, "cond, sin", "aten.sin"),
        aot="0_inference",
    )
    stack = '  File "{}", line {}, in forward\n    y = f(x)\n'
    log = Log().event({"dynamo_output_graph": {}}, DYNAMO)
    log.artifact("inductor_post_grad_graph", POST_GRAD).code(code)
    log.artifact(
        MAPPINGS,
        {
            "cppCodeToPost": {
                "extern_kernels.mm:1": ["mm"],
                "extern_kernels.mm:2": ["mm"],
                f"{KERNELS[0]}:3": [*INNER, "sin"],
            },
            "postToPre": {"mm": ["y"], "cond": ["cond"]},
        },
    )
    of_products = {
        f"extern_kernels.mm:{n}": [stack.format(FILE, line)] for n, line in ((1, 5), (2, 7))
    }
    log.artifact(STACKS, of_products)
    program = load_compiled(log.put(tmp_path / "log"))

    assert lines_of(program) == [[5], [7], [7]]
    assert program.graphs[0].calls[2].nodes == ("sin",)


REGION = nested(
    [
        "sub_0 = self.sub_0",
        "run 20 torch.ops.higher_order.invoke_subgraph(sub_0, 'sub_0', x, w)",
        "getitem 20 run[0]",
        "sub_1 = self.sub_0",
        "run_1 20 torch.ops.higher_order.invoke_subgraph(sub_1, 'sub_0', getitem, w)",
    ],
    sub_0=[
        "add 11 torch.ops.aten.add.Tensor(x, 1)",
        "mm_default 12 torch.ops.aten.mm.default(x, w)",
    ],
)
REGION_OF_DYNAMO = nested(
    [
        "subgraph_0 = self.subgraph_0",
        "run 20 torch.ops.higher_order.invoke_subgraph(subgraph_0, x)",
    ],
    subgraph_0=[
        "norm 11 torch.norm(x)",
        "linear 12 torch._C._nn.linear(norm, w)",
        "add 12 x + linear",
    ],
)


def test_a_region_that_is_entered_twice_is_one_graph(tmp_path: Path) -> None:
    """`torch.compiler.nested_compile_region` traces anew: all names are the inner graph's own.

    `add` is the sum of line 11, not Dynamo's of line 12; the product that the compiler made is the
    only one of the region, however often the region runs.
    """
    fused = "triton_poi_fused_add_0"
    region = function(
        "sub_0",
        launch(fused, 1, "run, add", "aten.add"),
        launch("extern_kernels.mm", 2, "run, addmm_1, add", "aten.mm"),
    )
    code = wrapper(
        triton(fused), functions=region, body="sub_0(args)\nsub_0(args)\n", aot="0_inference"
    )
    log = Log().event({"dynamo_output_graph": {}}, REGION_OF_DYNAMO)
    log.artifact("inductor_post_grad_graph", REGION).code(code)
    program = load_compiled(log.put(tmp_path / "log"))

    assert lines_of(program) == [[11], [12]] * 2
    assert nodes_of(program.graphs[0]) == [("sub_0.add",), ("sub_0.mm_default",)] * 2


def test_a_template_has_its_own_line_beside_those_of_its_inputs(tmp_path: Path) -> None:
    """FlexAttention's node stands in torch's code: the stack that no other node explains is its.

    The graphs that the kernel computes itself (its score, its mask) are no nodes of its time.
    """
    template = "triton_tem_fused_flex_attention_view_0"
    torch = "/opt/venv/lib/python3/site-packages/torch/nn/attention/flex_attention.py"
    after = nested(
        [
            "view 5 torch.ops.aten.reshape.default(x, [4])",
            "sdpa_score0 = self.sdpa_score0",
            "flex_attention 99 torch.ops.higher_order.flex_attention(view, sdpa_score0)",
            "add 7 torch.ops.aten.add.Tensor(flex_attention, 1)",
        ],
        sdpa_score0=["add 6 torch.ops.aten.add.Tensor(x, 1)"],
    ).replace(f"{FILE}:99", f"{torch}:99")
    names = ["view", "flex_attention", "sdpa_score0"]
    stacks = [f'  File "{FILE}", line {line}, in forward\n    y = f(x)\n' for line in (5, 6)]
    code = wrapper(
        kernel(template, "view, flex", "aten.view, flex_attention", "flex => flex_attention"),
        body=launch(template, 1, "view, flex", "aten.view, flex_attention"),
        aot="0_inference",
    )
    log = Log().artifact("inductor_post_grad_graph", after).code(code)
    without = load_compiled(log.put(tmp_path / "off")).graphs[0]
    log.artifact(MAPPINGS, {"cppCodeToPost": {f"{template}:1": names}, "postToPre": {}})
    log.artifact(STACKS, {f"{template}:1": stacks})
    program = load_compiled(log.put(tmp_path / "on"))

    assert program.graphs[0].calls[0].nodes == ("flex_attention", "view")
    assert lines_of(program) == [[6]]
    assert without.post_grad["flex_attention"].lines[-1].line == 99
    assert without.post_grad["add"].lines[-1].line == 7


@pytest.mark.parametrize("provenance", [True, False])
def test_only_its_own_call_runs_a_custom_operator_or_a_users_kernel(
    tmp_path: Path, *, provenance: bool
) -> None:
    """Both are named with the kernel that makes their input, and that is named with them."""
    fused, user = "triton_poi_fused_sin_0", "my_kernel_0"
    head = "torch.ops.higher_order.triton_kernel_wrapper_mutation"
    after = nested(
        [
            "sin 5 torch.ops.aten.sin.default(x)",
            f"triton_kernel_wrapper_mutation 6 {head}(kernel_idx = 0, kwargs = {{'x': sin}})",
            "twice 7 torch.ops.mylib.twice.default(sin)",
        ]
    )
    dynamo = nested(
        ["sin 5 x.sin()", f"wrapped 6 {head}(x = sin)", "b 7 torch.ops.mylib.twice(sin)"]
    )
    code = wrapper(
        triton(fused),
        f"# Original path: {FILE}:40\n" + triton(user, heuristic="user_autotune"),
        body=launch(fused, 1, "sin, wrapped, b", "aten.sin, mylib.twice")
        + f"{comment('sin, wrapped', '')}# [Provenance debug handles] {user}:2\n"
        + f"{user}.run(a, 4, 1, 1, stream=s)\n"
        + f"{comment('sin, b', 'aten.sin, mylib.twice')}# [Provenance debug handles] "
        + "torch.ops.mylib.twice.default:3\nbuf = torch.ops.mylib.twice.default(a)\n",
        aot="0_inference",
    )
    log = Log().event({"dynamo_output_graph": {}}, dynamo)
    log.artifact("inductor_post_grad_graph", after).code(code)
    if provenance:
        wrapped = ["sin", "triton_kernel_wrapper_mutation"]
        names = {f"{fused}:1": [*wrapped, "twice"], f"{user}:2": wrapped}
        names["torch.ops.mylib.twice.default:3"] = ["twice"]
        log.artifact(MAPPINGS, {"cppCodeToPost": names, "postToPre": {}})
    program = load_compiled(log.put(tmp_path / "log"))

    assert [call.backend.value for call in program.graphs[0].calls] == ["triton", "user", "extern"]
    assert lines_of(program) == [[5], [6], [7]]
