"""Lines and nodes of calls from their comments, where a log has no provenance."""

from __future__ import annotations

from pathlib import Path

from compiler.generated import triton, wrapper
from compiler.logs import Log
from kernelmap.attribution.divide import divide_calls
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph, CompiledProgram

FILE = "/home/me/m.py"


def text(*nodes: str, inputs: str = "x, w") -> str:
    """A graph's text; a node is `name line made`: `q 12 torch.mm(x, w)`, line 0 for none."""
    lines = ["class GraphModule(torch.nn.Module):", f"    def forward(self, {inputs}):"]
    for node in nodes:
        name, line, made = node.split(" ", 2)
        comment = f"File: {FILE}:{line} in forward, code: {name} = {made}"
        lines.append(f"        # {comment if line != '0' else 'No stacktrace found for following'}")
        lines.append(f'        {name}: "f32[4]" = {made}')
    return "\n".join([*lines, "        return ()", ""])


def comment(names: str, aten: str) -> str:
    return f"# Topologically Sorted Source Nodes: [{names}], Original ATen: [{aten}]\n"


def product(names: str, aten: str = "aten.mm") -> str:
    return f"{comment(names, aten)}extern_kernels.mm(a, b, out=c)\n"


def kernel(name: str, listed: str, aten: str, node_map: str, *fragment: str) -> str:
    nodes = "".join(
        f"#   %{node} : [num_users=1] = call_function[target=torch.ops.{target}](args = ())\n"
        for node, target in (pair.split(" ") for pair in fragment)
    )
    made = "".join(f"#   {row}\n" for row in node_map.split("; "))
    head = f"{comment(listed, aten)}# Source node to ATen node mapping:\n{made}# Graph fragment:\n"
    return triton(name, comment=(head + nodes).rstrip())


def logged(tmp_path: Path, *graphs: tuple[str, str, str], dynamo: str) -> CompiledProgram:
    """Graphs as (kind of the AOT graph, its text, code) of one compilation without provenance."""
    log = Log().event({"dynamo_output_graph": {}}, dynamo)
    for kind, after, _ in graphs:
        log.event({f"aot_{kind}_graph": {}}, after)
    for kind, after, code in graphs:
        log.artifact("inductor_post_grad_graph", after).code(code, f"/cache/{kind}.py")
    return load_compiled(log.put(tmp_path / "log"))


def lines_of(program: CompiledProgram) -> list[list[int | None]]:
    """The lines that share the time of each call, each as often as its weight says."""
    return [
        [
            line.line if line else None
            for line, weight in division.by_line.items()
            for _ in range(weight)
        ]
        for division in divide_calls(program)
    ]


def one(tmp_path: Path, dynamo: str, after: str, code: str) -> CompiledProgram:
    return logged(tmp_path, ("inference", after, code), dynamo=dynamo)


def test_a_library_call_is_of_the_last_node_that_its_comment_lists(tmp_path: Path) -> None:
    """The last listed node in Dynamo's order is the call's; the others made its inputs."""
    dynamo = text("q 5 torch.sin(x)", "k 6 torch.cos(x)", "s 7 torch.mm(q, k)")
    after = text(
        "sin 5 torch.ops.aten.sin.default(x)",
        "cos 6 torch.ops.aten.cos.default(x)",
        "mm 7 torch.ops.aten.mm.default(sin, cos)",
    )
    program = one(tmp_path, dynamo, after, wrapper(body=product("s, q, k"), aot="0_inference"))

    assert lines_of(program) == [[7]]
    assert program.graphs[0].calls[0].nodes == ("mm",)
    assert program.graphs[0].post_grad["mm"].pre_grad == ("s",)


def test_the_kth_product_of_a_line_is_its_kth_node(tmp_path: Path) -> None:
    """Layers run one line again and again: order tells their nodes apart."""
    dynamo = text(*(f"h{n} 9 torch._C._nn.linear(x, w)" for n in range(3)))
    after = text(*(f"mm_{n} 9 torch.ops.aten.mm.default(x, w)" for n in (4, 5, 6)))
    code = wrapper(body=product("h2") + product("h0") + product("h1"), aot="0_inference")
    program = one(tmp_path, dynamo, after, code)

    assert lines_of(program) == [[9], [9], [9]]
    assert [call.nodes for call in program.graphs[0].calls] == [("mm_6",), ("mm_4",), ("mm_5",)]


def test_a_line_that_does_not_run_the_operator_is_not_taken(tmp_path: Path) -> None:
    """A pattern's own product is in no comment; then the listed nodes made its inputs only."""
    dynamo = text("d 5 torch.sin(x)", "y 6 torch.addmm(x, d, w)", "z 7 torch.addmm(y, y, w)")
    after = text(
        "sin 5 torch.ops.aten.sin.default(x)",
        "mm_default 0 torch.ops.aten.mm.default(sin, w)",
        "mm_default_1 0 torch.ops.aten.mm.default(mm_default, w)",
    )
    code = wrapper(body=product("d") + product("d"), aot="0_inference")

    assert lines_of(one(tmp_path, dynamo, after, code)) == [[None], [None]]


SHARED_ATEN = "aten.view, aten.mul, aten.add"
SHARED = kernel(
    "triton_poi_fused_mul_view_0",
    "t, y",
    SHARED_ATEN,
    "t => view; y => add, mul",
    "view aten.view.default",
    "mul aten.mul.Tensor",
    "add aten.add.Tensor",
)
RUN = "triton_poi_fused_mul_view_0.run(a, b, 64, stream=s0)\n"
LAYERS = text(
    "t 5 x.view(4)",
    "y 6 torch.nn.functional.f(t)",
    "t_1 15 y.view(4)",
    "y_1 16 torch.nn.functional.f(t_1)",
)


def test_a_kernel_that_is_called_again_has_the_lines_of_the_comment_there(tmp_path: Path) -> None:
    """The call with the definition's comment has its nodes; the other has nodes of equal kinds."""
    after = text(
        "view 5 torch.ops.aten.view.default(x)", "mul 6 torch.ops.aten.mul.Tensor(view, 2)"
    )
    calls = [f"{comment(names, SHARED_ATEN)}{RUN}" for names in ("t_1, y_1", "t, y")]
    program = one(tmp_path, LAYERS, after, wrapper(SHARED, body="".join(calls), aot="0_inference"))
    again, first = program.graphs[0].calls

    assert lines_of(program) == [[16], [6, 6]]
    assert first.nodes == ("view", "mul", "add")
    assert again.nodes is None
    assert [(node.name, node.target) for node in again.listed] == [
        ("t_1", "aten.view.default"),
        ("y_1", "aten.mul.Tensor"),
        ("y_1", "aten.add.Tensor"),
    ]


def test_views_of_a_shorter_comment_take_no_time_either(tmp_path: Path) -> None:
    """In a comment of another length, what is a view elsewhere takes no time either."""
    after = text("view 5 torch.ops.aten.view.default(x)")
    calls = [f"{comment(names, 'aten.view')}{RUN}" for names in ("t, y", "t_1, y, y_1", "t, y")]
    program = one(tmp_path, LAYERS, after, wrapper(SHARED, body="".join(calls), aot="0_inference"))

    assert [set(lines) for lines in lines_of(program)] == [{6}, {6, 16}, {6}]


def backward(names: str) -> tuple[str, str]:
    """The text of a backward that has `mul` from the forward and `mm` by itself, and its code."""
    after = text(
        "mul 31 torch.ops.aten.mul.Tensor(x, x)",
        "mm 40 torch.ops.aten.mm.default(mul, w)",
        "mm_1 41 torch.ops.aten.mm.default(mm, w)",
    )
    return after, wrapper(body=product(names), aot="0_backward")


DYNAMO = text("mul 30 torch.mul(x, w)", "mm 32 torch.mm(mul, w)", "y 31 torch.mul(mm, mm)")
FORWARD = text("mul 31 torch.ops.aten.mul.Tensor(x, x)", "mul_1 30 torch.ops.aten.mul.Tensor(x, w)")


def test_a_backward_names_its_own_nodes(tmp_path: Path) -> None:
    """`mm` is the graph's own product, neither Dynamo's `mm` nor `mm_1`, which takes it."""
    after, code = backward("mm")
    program = logged(
        tmp_path,
        ("forward", FORWARD, wrapper(body=product("mm"), aot="0_forward")),
        ("backward", after, code),
        dynamo=DYNAMO,
    )

    assert program.graphs[1].calls[0].nodes == ("mm",)
    assert lines_of(program)[1] == [40]


def test_what_a_backward_computes_again_has_the_name_of_dynamos_node(tmp_path: Path) -> None:
    """The forward lists its `mul` by Dynamo's name, so `mul` means Dynamo's node here as well."""
    after, code = backward("mm")
    shared = comment("mul", "aten.mul") + "triton_poi_fused_mul_0.run(a, b, 64, stream=s0)\n"
    code = wrapper(triton("triton_poi_fused_mul_0"), body=shared, aot="0_backward")
    program = logged(
        tmp_path,
        ("forward", FORWARD, wrapper(body=product("mm"), aot="0_forward")),
        ("backward", after, code),
        dynamo=DYNAMO,
    )

    assert lines_of(program)[1] == [30]


def mapped(tmp_path: Path, sources: dict[str, list[str]], *listed: str) -> CompiledGraph:
    """The graph of a log whose mapping has no library calls, only the sources of nodes."""
    dynamo = text("a 5 torch.sin(x)", "a_1 6 torch.addmm(a, a, w)", "a_3 7 torch.addmm(a, a, w)")
    after = text(
        "sin 5 torch.ops.aten.sin.default(x)",
        "mm 0 torch.ops.aten.mm.default(sin, w)",
        "mm_1 0 torch.ops.aten.mm.default(sin, w)",
    )
    log = Log().event({"dynamo_output_graph": {}}, dynamo)
    log.artifact("inductor_post_grad_graph", after)
    log.code(wrapper(body="".join(map(product, listed)), aot="0_inference"))
    mapping = {"cppCodeToPost": {}, "postToPre": sources, "version": 1.0}
    log.artifact("inductor_provenance_tracking_node_mappings", mapping)
    (compiled,) = load_compiled(log.put(tmp_path / "log")).graphs
    return compiled


def test_an_older_mapping_and_the_operator_place_library_calls(tmp_path: Path) -> None:
    """The comment `[a_3]` and `mm_1 -> a_3` place one call; what is left is the other."""
    compiled = mapped(tmp_path, {"mm": ["a_1"], "mm_1": ["a_3"]}, "a_3", "")

    assert [call.nodes for call in compiled.calls] == [("mm_1",), ("mm",)]
    assert [
        node.lines[-1].line for node in map(compiled.post_grad.__getitem__, ("mm", "mm_1"))
    ] == [
        6,
        7,
    ]


def test_two_library_calls_that_are_left_stay_open(tmp_path: Path) -> None:
    """One call and one node are a pair; two and two are not."""
    compiled = mapped(tmp_path, {"mm": ["a_1"], "mm_1": ["a_3"]}, "", "")

    assert [call.nodes for call in compiled.calls] == [None, None]


TORCH = "/opt/venv/lib/python3/site-packages/torch"


def in_torch(graph: str, *lines: int, file: str = "nn/functional.py") -> str:
    """`graph` with these lines in a file of torch's own."""
    for line in lines:
        graph = graph.replace(f"File: {FILE}:{line} ", f"File: {TORCH}/{file}:{line} ")
    return graph


def test_a_node_that_only_torch_calls_has_torchs_line(tmp_path: Path) -> None:
    """`F.grouped_mm`, `flex_attention`, optimizers: the text names the innermost frame, no other.

    The k-th product of that line is its k-th node, as on a line of the user's.
    """
    dynamo = in_torch(
        text(
            "to 5 x.to(w)", "out 41 torch._grouped_mm(to, w)", "out_1 41 torch._grouped_mm(to, w)"
        ),
        41,
    )
    after = in_torch(
        text(
            "_grouped_mm 41 torch.ops.aten._grouped_mm.default(x, w)",
            "_grouped_mm_1 41 torch.ops.aten._grouped_mm.default(x, w)",
        ),
        41,
    )
    calls = "".join(
        f"{comment(f'to, {name}', 'aten._grouped_mm')}c = extern_kernels._grouped_mm(a, b)\n"
        for name in ("out_1", "out")
    )
    program = one(tmp_path, dynamo, after, wrapper(body=calls, aot="0_inference"))

    assert lines_of(program) == [[41], [41]]
    assert [call.nodes for call in program.graphs[0].calls] == [
        ("_grouped_mm_1",),
        ("_grouped_mm",),
    ]


def test_a_kernel_is_shared_by_its_nodes_lines_whosever_they_are(tmp_path: Path) -> None:
    """What torch computes is no work of the user's line beside it."""
    dynamo = in_torch(text("a 5 x + w", "b 41 a * w"), 41)
    after = in_torch(
        text("add 5 torch.ops.aten.add.Tensor(x, w)", "mul 41 torch.ops.aten.mul.Tensor(add, w)"),
        41,
    )
    fused = kernel(
        "triton_poi_fused_add_mul_0",
        "a, b",
        "aten.add, aten.mul",
        "a => add; b => mul",
        "add aten.add.Tensor",
        "mul aten.mul.Tensor",
    )
    body = comment("a, b", "aten.add, aten.mul") + "triton_poi_fused_add_mul_0.run(a, stream=s)\n"
    code = wrapper(fused, body=body, aot="0_inference")

    assert lines_of(one(tmp_path, dynamo, after, code)) == [[5, 41]]


def test_a_line_of_torchs_that_passes_every_call_on_is_none(tmp_path: Path) -> None:
    """A default device stands between the user and any operator: its line tells nothing."""
    dynamo = in_torch(text("q 109 torch.mm(x, w)"), 109, file="utils/_device.py")
    after = in_torch(text("mm 109 torch.ops.aten.mm.default(x, w)"), 109, file="utils/_device.py")
    code = wrapper(body=product("q"), aot="0_inference")

    assert lines_of(one(tmp_path, dynamo, after, code)) == [[None]]


def test_a_stack_trace_knows_the_users_line_above_torchs(tmp_path: Path) -> None:
    """Where provenance is on, torch's line is not needed: the stack names who called it."""
    after = in_torch(text("mm 41 torch.ops.aten.mm.default(x, w)"), 41)
    stack = (
        f'  File "{FILE}", line 7, in forward\n  File "{TORCH}/nn/functional.py", line 41, in f\n'
    )
    body = comment("q", "aten.mm") + "# [Provenance debug handles] extern_kernels.mm:1\n"
    log = (
        Log()
        .event({"dynamo_output_graph": {}}, in_torch(text("q 41 torch.mm(x, w)"), 41))
        .artifact("inductor_post_grad_graph", after)
        .code(wrapper(body=f"{body}extern_kernels.mm(a, b, out=c)\n", aot="0_inference"))
        .artifact(
            "inductor_provenance_tracking_kernel_stack_traces", {"extern_kernels.mm:1": [stack]}
        )
    )

    assert lines_of(load_compiled(log.put(tmp_path / "log"))) == [[7]]
