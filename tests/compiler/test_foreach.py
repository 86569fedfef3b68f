"""Foreach kernels of a compiled optimizer, whose comment, mapping and stack traces name nothing."""

from __future__ import annotations

from pathlib import Path

from compiler.generated import triton, wrapper
from compiler.logs import Log
from compiler.test_commented import comment, lines_of
from kernelmap.compiler import load_compiled
from kernelmap.model import Backend, CompiledProgram

ADAM = "/opt/venv/lib/python3/site-packages/torch/optim/adam.py"
NODES = (
    ("_foreach_add", 686, "torch.ops.aten._foreach_add.Scalar([s0, s1], 1)"),
    ("getitem", 686, "_foreach_add[0]"),
    ("_foreach_mul", 708, "torch.ops.aten._foreach_mul.Scalar([v0, v1], 0.9)"),
    ("getitem_2", 708, "_foreach_mul[0]"),
    ("full_default", 708, "torch.ops.aten.full.default([], 0.1)"),
    ("_foreach_add_1", 765, "torch.ops.aten._foreach_add.List([getitem_2], [getitem_2])"),
    ("getitem_4", 765, "_foreach_add_1[0]"),
    ("copy_", 765, "torch.ops.aten.copy_.default(v0, getitem_4)"),
)
NOTHING = "# Unsorted Source Nodes: [], Original ATen: []\n"


def step(*, state_on: str = "cuda:0") -> str:
    """The text of an optimizer's step; the count of its steps may be on the CPU."""
    lines = ["class <lambda>(torch.nn.Module):", "    def forward(self, s0, s1, v0, v1):"]
    for name, line, made in NODES:
        lines.append(f"        # File: {ADAM}:{line} in _multi_tensor_adam, code: f(x)")
        device = state_on if name == "getitem" else "cuda:0"
        shape = f': "f32[][]{device}"' if name.startswith("getitem") else ""
        lines.append(f"        {name}{shape} = {made}")
    return "\n".join([*lines, "        return ()", ""])


def foreach(number: int) -> str:
    return triton(f"triton_for_fused_{number}", heuristic="triton_heuristics.foreach(")


def run(name: str, above: str = NOTHING) -> str:
    return f"{above}{name}.run(a, stream=s)\n"


def optimizer(tmp_path: Path, *kernels: str, body: str, text: str | None = None) -> CompiledProgram:
    log = Log().artifact("inductor_post_grad_graph", text or step())
    return load_compiled(
        log.code(wrapper(*kernels, body=body, aot="0_inference")).put(tmp_path / "l")
    )


NAMED = run("triton_for_fused_0", comment("_foreach_add", "aten._foreach_add"))


def with_fragment(number: int, node: str) -> str:
    """A foreach kernel whose definition says which node it runs."""
    fragment = (
        f"#   %{node} : [num_users=1] = call_function[target=torch.ops.aten.{node}](args = ())"
    )
    head = f"{comment(node, f'aten.{node}')}# Graph fragment:\n{fragment}"
    return triton(
        f"triton_for_fused_{number}", comment=head, heuristic="triton_heuristics.foreach("
    )


def test_a_kernel_of_which_nothing_is_said_runs_what_no_other_call_runs(tmp_path: Path) -> None:
    """Its time is on the lines of the optimizer; items, constants and writes are no operators."""
    body = NAMED + run("triton_for_fused_1")
    program = optimizer(tmp_path, with_fragment(0, "_foreach_add"), foreach(1), body=body)

    assert [call.backend for call in program.graphs[0].calls] == [Backend.COMBO] * 2
    assert program.graphs[0].calls[1].nodes == ("_foreach_mul", "_foreach_add_1")
    assert lines_of(program) == [[686], [708, 765]]


def test_several_such_kernels_have_the_lines_and_no_nodes(tmp_path: Path) -> None:
    """A step over many tensors is cut into kernels; which runs what is not known."""
    body = NAMED + run("triton_for_fused_1") + run("triton_for_fused_2")
    kernels = (with_fragment(0, "_foreach_add"), foreach(1), foreach(2))
    program = optimizer(tmp_path, *kernels, body=body)

    assert [call.nodes for call in program.graphs[0].calls] == [("_foreach_add",), None, None]
    assert lines_of(program) == [[686], [708, 765], [708, 765]]


def test_nothing_is_left_over_where_another_kernel_may_run_it(tmp_path: Path) -> None:
    """A second kernel without nodes runs some of what no call names."""
    kernels = (foreach(1), triton("triton_poi_fused_2"))
    body = run("triton_for_fused_1") + run("triton_poi_fused_2", above="")
    program = optimizer(tmp_path, *kernels, body=body)

    assert lines_of(program) == [[None], [None]]


def test_what_a_cpp_kernel_is_named_for_is_not_left(tmp_path: Path) -> None:
    """The count of steps is added to on the CPU, by a C++ kernel that has no comment."""
    body = "cpp_fused__foreach_add_0(a)\n" + run("triton_for_fused_1")
    program = optimizer(tmp_path, foreach(1), body=body, text=step(state_on="cpu"))

    assert lines_of(program)[1] == [708, 765]
