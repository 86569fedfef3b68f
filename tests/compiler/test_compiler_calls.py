"""The calls of generated code: which statements are calls, in which order, under which names."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.generated import graph, program, triton, wrapper, wrappers
from kernelmap.model import Backend, Occurrence

ADD = triton("triton_poi_fused_add_0")


@pytest.mark.parametrize(
    ("statement", "name", "target"),
    [
        ("extern_kernels.mm(a, b, out=c)", "extern_kernels.mm", "aten.mm"),
        ("extern_kernels.bias_addmm(a, b, c)", "extern_kernels.bias_addmm", "aten.addmm"),
        (
            "d = torch.ops.mylib.scale.default(a, 2.0)",
            "torch.ops.mylib.scale.default",
            "mylib.scale",
        ),
        ("aten.randint.low_out(0, 9, [1], out=a)", "aten.randint.low_out", "aten.randint"),
        ("torch.ops.aten.mm.out(a, b, out=c)", "torch.ops.aten.mm.out", "aten.mm"),
        ("aten.index_put_(a, [b], c, True)", "aten.index_put_", "aten.index_put_"),
        ("a.copy_(b, False)", ".copy_", "aten.copy_"),
        ("u0 = a.item()", ".item", "aten.item"),
        ("workspace_0.zero_()", ".zero_", "aten.zero_"),
    ],
)
def test_library_calls_and_glue_name_their_operator(
    tmp_path: Path, statement: str, name: str, target: str
) -> None:
    """A wrapper is named as written; its target drops overload, `out` and Inductor's own names."""
    (call,) = graph(tmp_path, wrapper(body=statement)).calls

    assert (call.wrapper, call.target, call.kernel) == (name, target, None)
    assert call.backend is (Backend.GLUE if name.startswith(".") else Backend.EXTERN)


@pytest.mark.parametrize(
    "statement",
    [
        "buf0 = empty_strided_cuda((8, ), (1, ), torch.float32)",
        "buf1 = reinterpret_tensor(buf0, (8, ), (1, ), 0); del buf0  # reuse",
        "buf1 = alloc_from_pool(pool0, 0, torch.float32, (8, ), (1, ))",
        "buf1 = torch.ops.inductor._reinterpret_tensor(buf0, (8, ), (1, ), 0)",
        "assert_size_stride(buf0, (8, ), (1, ))",
        "arg0_1 = copy_if_misaligned(arg0_1)",
        "arg0_1 = copy_misaligned(arg0_1)",
        "raw_stream0 = get_raw_stream(0)",
        "torch.cuda.set_device(0)",
        "x = record_function('graph_0_inductor_wrapper_call')",
        "later = lambda: extern_kernels.mm(a, b)",
    ],
)
def test_what_launches_nothing_is_no_call(tmp_path: Path, statement: str) -> None:
    """Allocations, views, asserts, guards and what runs later are no calls."""
    assert graph(tmp_path, wrapper(body=statement)).calls == ()


def test_nested_calls_come_in_the_order_python_makes_them(tmp_path: Path) -> None:
    """An argument runs before the call that takes it, an assignment's value before its target."""
    body = "buf = (extern_kernels.mm(a.item(), b), aten.relu(c))\nd[e.item()] = aten.neg(f)"
    compiled = graph(tmp_path, wrapper(body=body))

    assert wrappers(compiled) == [".item", "extern_kernels.mm", "aten.relu", "aten.neg", ".item"]
    assert [call.index for call in compiled.calls] == [0, 1, 2, 3, 4]


def test_the_runner_calls_its_partitions_in_place(tmp_path: Path) -> None:
    """A partition's calls stand where `self.partitions[i]` is called, wherever it is defined."""
    functions = """
def second(args):
    aten.neg(a)

def partition_0(args):
    aten.abs(a)

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def call(self, args):
        (buf0,) = self.partitions[0](partition0_args)
        buf1.copy_(buf0, False)
        (buf2,) = self.partitions[1](partition1_args)
        return (buf2, )

runner = Runner(partitions=[partition_0, second])
call = runner.call
"""
    compiled = graph(tmp_path, wrapper(body="pass", functions=functions))

    assert wrappers(compiled) == ["aten.abs", ".copy_", "aten.neg"]


def test_branches_and_loops_say_how_often_they_run(tmp_path: Path) -> None:
    """The body of an `if` may run, that of a loop may run often; the condition runs once."""
    functions = """
def true_graph_0(args):
    aten.sin(a)

def false_graph_0(args):
    aten.cos(a)

def body_graph_0(args):
    aten.neg(a)
"""
    body = """
if arg0_1.item():
    # subgraph: true_graph_0
    buf0 = true_graph_0(true_graph_0_args)
else:
    buf0 = false_graph_0(false_graph_0_args)
while should_loop:
    with torch.cuda._DeviceGuard(0):
        if last:
            buf0 = body_graph_0(body_graph_0_args)
aten.relu(a)
"""
    compiled = graph(tmp_path, wrapper(body=body, functions=functions))

    assert [(call.wrapper, call.occurrence) for call in compiled.calls] == [
        (".item", Occurrence.ONCE),
        ("aten.sin", Occurrence.BRANCH),
        ("aten.cos", Occurrence.BRANCH),
        ("aten.neg", Occurrence.LOOP),
        ("aten.relu", Occurrence.ONCE),
    ]


def test_a_function_called_twice_gives_its_calls_twice(tmp_path: Path) -> None:
    """A repeated region runs once per place that calls it; one that calls itself ends there."""
    functions = "def repeated_subgraph0(args):\n    aten.sin(a)\n    repeated_subgraph0(args)\n"
    compiled = graph(
        tmp_path,
        wrapper(body="x = repeated_subgraph0(a)\ny = repeated_subgraph0(b)", functions=functions),
    )

    assert wrappers(compiled) == ["aten.sin", "aten.sin"]


@pytest.mark.parametrize("innermost", ["aten.sin(a)", "pass"])
def test_functions_that_multiply_are_cut_off_aloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, innermost: str
) -> None:
    """Functions that double each other's calls end at a limit, and that is a gap."""
    monkeypatch.setattr("kernelmap.compiler.python.calls._MOST_WORK", 500)
    functions = f"def f0(args):\n    {innermost}\n"
    for n in range(1, 30):
        functions += f"def f{n}(args):\n    f{n - 1}(a)\n    f{n - 1}(a)\n"
    read = program(tmp_path, wrapper(body="f29(a)", functions=functions))

    assert [(notice.slug, notice.gap) for notice in read.notices] == [("too-many-calls", True)]


def test_a_handle_waits_for_the_call_it_names(tmp_path: Path) -> None:
    """Between a handle and its launch Inductor may write other calls, which stay without one."""
    body = """
# Topologically Sorted Source Nodes: [x, , add], Original ATen: [aten.view, aten.add]
# [Provenance debug handles] triton_poi_fused_add_0:7
workspace_0.zero_()
raw_stream0 = get_raw_stream(1)
triton_poi_fused_add_0.run(a, b, 64, stream=raw_stream0)
# [Provenance debug handles] cpp_fused_1:8
cpp_fused_1(a)
"""
    read = program(tmp_path, wrapper(ADD, body=body))
    zero, add, cpp = read.graphs[0].calls

    assert (zero.handle, zero.origins) == (None, None)
    assert (add.handle, add.stream, add.numels) == (7, 1, (64,))
    assert add.origins is not None
    assert (add.origins.nodes, add.origins.aten) == (("x", "add"), ("aten.view", "aten.add"))
    assert add.origins.ordered
    assert (cpp.handle, cpp.origins, cpp.backend) == (8, None, Backend.CPP)
    assert [notice.slug for notice in read.notices] == ["kernel-without-definition"]


def test_one_comment_may_hold_several_handles(tmp_path: Path) -> None:
    """A list of handles gives each of the next calls its own; both share the comment."""
    body = """
# Unsorted Source Nodes: [], Original ATen: []
# [Provenance debug handles] extern_kernels.mm:1, aten.relu:2
extern_kernels.mm(a, b, out=c)
aten.relu(c)
"""
    compiled = graph(tmp_path, wrapper(body=body))

    assert [call.handle for call in compiled.calls] == [1, 2]
    assert all(call.origins is not None and call.origins.nodes == () for call in compiled.calls)


def test_a_handle_without_its_call_is_reported(tmp_path: Path) -> None:
    """A handle without a call is a gap, and no other call gets its comment."""
    body = """
# Topologically Sorted Source Nodes: [x], Original ATen: [aten.mm]
# [Provenance debug handles] extern_kernels.mm:1
extern_kernels.bmm(a, b, out=c)
"""
    read = program(tmp_path, wrapper(body=body))

    assert [(notice.slug, notice.gap) for notice in read.notices] == [("handle-without-call", True)]
    assert (read.graphs[0].calls[0].handle, read.graphs[0].calls[0].origins) == (None, None)


def test_dynamic_sizes_are_unknown(tmp_path: Path) -> None:
    """Sizes that a launch computes are None; the signature says which arguments are sizes."""
    body = """
raw_stream0 = get_raw_stream(0)
triton_poi_fused_add_0.run(a, 0, 32, stream=raw_stream0)
triton_poi_fused_add_0.run(a, 0, triton_poi_fused_add_0_xnumel, stream=raw_stream0)
"""
    compiled = graph(tmp_path, wrapper(ADD, body=body))

    assert [call.numels for call in compiled.calls] == [(32,), None]


def test_a_kernel_that_is_not_defined_keeps_its_name(tmp_path: Path) -> None:
    """A launch without its definition is still a call; the kind follows from the name."""
    body = """
triton_tem_fused_mm_0.run(a, 1, 1, 1, stream=stream0)
my_kernel_0.run(a, 4, grid=grid(4), stream=stream3)
multi_kernel_0.run(a, 4, stream=stream0)
process.run(a)
"""
    read = program(tmp_path, wrapper(body=body))

    assert [(call.backend, call.kernel, call.stream) for call in read.graphs[0].calls] == [
        (Backend.TEMPLATE, None, 0),
        (Backend.USER, None, 3),
        (Backend.MULTI, None, 0),
        (Backend.EXTERN, None, None),
    ]
