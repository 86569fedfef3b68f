"""Statements that run something other than Triton, C++ or a known operator: each is a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.generated import graph, program, triton, wrapper, wrappers
from kernelmap.model import Backend, Occurrence
from kernelmap.model.names import backend_of
from kernelmap.model.program import AlignmentCopy

COMMENT = "# Topologically Sorted Source Nodes: [{0}], Original ATen: [aten.{0}]"
SHADER = "'''\n    #include <c10/metal/utils.h>\n    kernel void {}(device float* p) {{}}\n'''"


@pytest.mark.parametrize(
    ("definition", "statement", "backend", "function"),
    [
        (
            f"mps_lib_3 = compile_mps_shader({SHADER.format('generated_kernel')})",
            "mps_lib_3.generated_kernel(buf0, arg0_1, threads=[64])",
            Backend.METAL,
            "generated_kernel",
        ),
        (
            f"_mps_flex_lib_3 = compile_mps_shader({SHADER.format('flex_attn_fwd')})",
            "_mps_flex_lib_3.flex_attn_fwd(buf0, arg0_1, threads=[s0 * 8, 1, 1], group_size=[8])",
            Backend.METAL,
            "flex_attn_fwd",
        ),
        (
            f"generated_kernel_3 = async_compile.metal('a', {SHADER.format('generated_kernel_3')})",
            "generated_kernel_3(buf0, arg0_1, threads=[64], group_size=[1])",
            Backend.METAL,
            "generated_kernel_3",
        ),
        (
            "cuda_fused_mm_3 = async_compile.cuda(r'''int f;''', 'so')",
            "cuda_fused_mm_3.cuda_fused_mm_3(arg0_1, buf0, None, c_void_p(raw_stream0))",
            Backend.TEMPLATE,
            "cuda_fused_mm_3",
        ),
        (
            "xpu_fused_mm_3 = async_compile.xpu(r'''int f;''', 'so')",
            "xpu_fused_mm_3.xpu_fused_mm_3(arg0_1, buf0, None, c_void_p(raw_stream0))",
            Backend.TEMPLATE,
            "xpu_fused_mm_3",
        ),
        (
            "rocm_fused_mm_3 = async_compile.rocm(r'''int f;''', 'so')",
            "rocm_fused_mm_3.rocm_fused_mm_3(arg0_1, buf0, None, c_void_p(raw_stream0))",
            Backend.TEMPLATE,
            "rocm_fused_mm_3",
        ),
        (
            "cutedsl_fused_mm_3 = async_compile.cutedsl('cutedsl_fused_mm_3', r'''x = 1''')",
            "cutedsl_fused_mm_3.run(arg0_1, buf0, stream=raw_stream0)",
            Backend.TEMPLATE,
            "cutedsl_fused_mm_3",
        ),
        (
            "nv_universal_gemm_fused_mm_3 = async_compile.nv_universal_gemm('a', r'''x = 1''')",
            "nv_universal_gemm_fused_mm_3.run(arg0_1, buf0, stream=raw_stream0)",
            Backend.TEMPLATE,
            "nv_universal_gemm_fused_mm_3",
        ),
        (
            "pallas_fused_add_3 = async_compile.pallas('pallas_fused_add_3', r'''x = 1''')",
            "pallas_fused_add_3.run(buf0, arg0_1)",
            Backend.PALLAS,
            "pallas_fused_add_3",
        ),
        (
            "halide_kernel_3 = async_compile.halide(HalideMeta(argtypes=[]), '''x = 1''')",
            "halide_kernel_3(arg0_1, buf0, raw_stream0)",
            Backend.HALIDE,
            "halide_kernel_3",
        ),
    ],
    ids=lambda value: str(value).partition(" ")[0].partition("(")[0],
)
def test_a_kernel_of_another_compiler_is_a_call(
    tmp_path: Path, definition: str, statement: str, backend: Backend, function: str
) -> None:
    """It bears the name of its definition, and its comment; no range on the host is expected.

    The call is the same where the definition is missing.
    """
    name = definition.partition(" =")[0]
    body = f"{COMMENT.format('relu')}\n{statement}"
    (call,) = graph(tmp_path / "whole", wrapper(definition, body=body)).calls
    (bare,) = program(tmp_path / "bare", wrapper(body=body)).graphs[0].calls

    assert (call.wrapper, call.kernel, call.backend) == (name, name, backend)
    assert (call.function, call.recorded) == (function, False)
    assert call.origins is not None
    assert call.origins.aten == ("aten.relu",)
    assert (bare.wrapper, bare.backend, bare.recorded) == (name, backend, False)
    assert backend_of(name) is backend


HELION = """
@triton.jit
def _helion_scale(x, out, _BLOCK_SIZE_0: tl.constexpr):
    tl.store(out, tl.load(x))

def scale(x, *, _launcher=_default_launcher):
    out = torch.empty_like(x)
    _BLOCK_SIZE_0 = helion.next_power_of_2(32)
    _launcher(_helion_scale, (triton.cdiv(x.size(0), 32),), x, out, x.stride(0), num_warps=4)
    return out
"""


def test_a_kernel_that_is_handed_to_a_launcher_is_a_call(tmp_path: Path) -> None:
    """Helion writes kernel and host function into the module; the comment is the kernel's.

    What a kernel calls on the device is no call.
    """
    body = f"{COMMENT.format('mul')}\nbuf0 = scale(arg0_1)\n{COMMENT.format('relu')}\naten.relu(x)"
    compiled = graph(tmp_path, wrapper(body=body, functions=HELION))
    scale, relu = compiled.calls

    assert [(kernel.name, kernel.backend) for kernel in compiled.kernels] == [
        ("_helion_scale", Backend.USER)
    ]
    assert (scale.wrapper, scale.kernel, scale.recorded) == ("_helion_scale",) * 2 + (False,)
    assert [call.origins and call.origins.aten for call in (scale, relu)] == [
        ("aten.mul",),
        ("aten.relu",),
    ]


def test_a_function_around_a_library_call_has_the_comment_and_the_handle(tmp_path: Path) -> None:
    """`provenance_tracking_to_timeline` wraps each library call in a function of its own."""
    functions = """
def extern_kernels_extern_kernels_mm_0(*args, **kwargs):
    # Extra indirection is only enabled for profiler timeline provenance.
    return extern_kernels.mm(*args, **kwargs)
"""
    body = f"""
{COMMENT.format("mm")}
# [Provenance debug handles] extern_kernels.mm:4
extern_kernels_extern_kernels_mm_0(arg0_1, arg1_1, out=buf0)
"""
    (call,) = graph(tmp_path, wrapper(body=body, functions=functions)).calls

    assert (call.wrapper, call.handle) == ("extern_kernels.mm", 4)
    assert call.origins is not None
    assert call.origins.aten == ("aten.mm",)


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("_helion_softmax_2_launcher(arg0_1, buf0)", "_helion_softmax_2_launcher"),
        ("buf0 = my_package.fused.attention(arg0_1, arg1_1)", "my_package.fused.attention"),
        ("buf1 = flash_attn_func(reinterpret_tensor(buf0, (8, ), (1, ), 0))", "flash_attn_func"),
        ("work = dist.all_reduce(buf0, async_op=True)", "dist.all_reduce"),
        ("library.entry(buf0, 4)", "library.entry"),
        ("kernels.find('softmax')(buf0)", "kernels.find('softmax')"),
    ],
)
def test_an_unknown_statement_is_a_call_and_a_notice(
    tmp_path: Path, statement: str, name: str
) -> None:
    """Whatever nothing is known of may be work: it is named, never left out."""
    read = program(tmp_path, wrapper(body=f"{COMMENT.format('add')}\n{statement}"))
    (call,) = read.graphs[0].calls

    assert (call.wrapper, call.target, call.recorded) == (name, None, False)
    assert call.origins is not None
    assert [notice.slug for notice in read.notices] == ["unknown-statement"]
    assert name in read.notices[0].message


@pytest.mark.parametrize(
    "statement",
    ["_launcher(their_softmax, (64,), arg0_1, buf0)", "their_softmax[(64,)](arg0_1, buf0)"],
)
def test_a_kernel_of_another_module_keeps_its_name(tmp_path: Path, statement: str) -> None:
    """It is launched, and not defined in what was given."""
    read = program(tmp_path, wrapper(body=statement))

    assert [(call.wrapper, call.backend, call.recorded) for call in read.graphs[0].calls] == [
        ("their_softmax", Backend.USER, False)
    ]
    assert [notice.slug for notice in read.notices] == ["kernel-without-definition"]


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        (
            "buf3 = workspace_0[0 : (64) * (8)].view(64, 8).sum(dim=0).view([8]).to(torch.half)",
            [".sum", ".to"],
        ),
        ("buf3 = workspace_0[0 : 512].view(64, 8).amax(dim=0)", [".amax"]),
        ("assert not buf0.isnan().any().item()", [".isnan", ".any", ".item"]),
        ("buf0[0] = arg0_1.unsqueeze(0).clone()", [".clone"]),
        ("loss = torch.sum(buf0)", ["torch.sum"]),
        ("buf0 = torch.zeros((8, ), device='cuda')", ["torch.zeros"]),
        ("buf0 = torch.nn.functional.gelu(buf1)", ["torch.nn.functional.gelu"]),
    ],
)
def test_methods_and_functions_of_torch_are_operators(
    tmp_path: Path, statement: str, names: list[str]
) -> None:
    """What a wrapper calls on a tensor is work, unless it only looks at the memory."""
    compiled = graph(tmp_path, wrapper(body=statement))

    assert wrappers(compiled) == names
    assert all((call.target or "").startswith("aten.") for call in compiled.calls)


@pytest.mark.parametrize(
    "statement",
    [
        "torch.ops.streams.wait_stream.default(0, 1)",
        "torch.ops.streams.record_event.default(3, 1)",
        "torch.ops.streams.synchronize_event.default(3)",
        "torch.ops._inductor_debug.check_memory_step.default([buf0], [], True)",
        "default_stream = torch.cuda.current_stream()",
        "stream1 = get_external_object_by_index(3)",
        "stream1 = _get_stream_by_index(3)",
        "raw_stream = get_raw_stream(device_idx)",
        "device_idx = torch.accelerator.current_device_index()",
        "event.record(stream1); stream1.wait_event(event)",
        "_d2h_event_buf0 = torch.Event()\n_d2h_event_buf0.record()\n_d2h_event_buf0.synchronize()",
        "buf9 = torch._C._distributed_c10d._SymmetricMemory.get_remote_tensor(buf8)",
        "buf0 = empty_strided_p2p((8, ), (1, ), torch.float32, torch.device('cuda:0'))",
        "buf0 = torch.empty_strided((8,), (1,), dtype=torch.float32, device='mps')",
        "buf1 = aten.view.dtype(buf0, torch.int32)",
        "buf1 = torch.ops.aten.view_as_complex.default(buf0)",
        "torch.ops.aten.set_.source_Tensor(arg0_1, buf0)",
        "assert_size_stride_grouped((a, b), ((8, ), (8, )), ((1, ), (1, )), 'input')",
        "assert_alignment(buf0, 16, 'torch.ops.aten.mm')",
        "check_memory_step(allocated=['buf0'], freed=[], is_final_step=True)",
        "run_intermediate_hooks('relu', buf0)",
        "print('x = {}'.format(buf0))",
        "torch.cuda.nvtx.range_push('graph 0')",
        "training_annotation = nvtx._device_range_start('forward')",
        "start_graph()\nend_graph('')",
        "desc = triton.tools.tensor_descriptor.TensorDescriptor.from_tensor(buf0, [64, 64])",
        "triton_poi_fused_0_xnumel = 4 * math.ceil(s0 / 2) * max(1, s0)",
        "buf0[1].append(buf0[0])\nbuf0.extend([[] for _ in range(2)])",
        "u0 = buf0[0].size(0).__floordiv__(4)",
        "kernel.save_gpu_kernel(stream='stream', launcher=kernel.launchers[0])",
        "arg0_1_orig = arg0_1",
        "c10d._find_or_create_pg_by_ranks_and_tag(tag, ranks, 2)",
        "_print_debugging_tensor_value_info('inductor: before_launch', buf0)",
    ],
)
def test_streams_views_checks_and_hooks_are_no_calls(tmp_path: Path, statement: str) -> None:
    """What is known to launch nothing is neither a call nor a notice."""
    compiled = graph(tmp_path, wrapper(body=statement))

    assert compiled.calls == ()


def test_the_comment_above_an_idle_operator_is_its_own(tmp_path: Path) -> None:
    """Its nodes are no later call's, and its handle is not lost."""
    body = f"""
{COMMENT.format("wait_stream")}
# [Provenance debug handles] torch.ops.streams.wait_stream.default:3
torch.ops.streams.wait_stream.default(0, 1)
triton_poi_fused_add_0.run(a, b, 64, stream=raw_stream0)
"""
    (call,) = graph(tmp_path, wrapper(triton("triton_poi_fused_add_0"), body=body)).calls

    assert (call.wrapper, call.handle, call.origins) == ("triton_poi_fused_add_0", None, None)


def test_contexts_of_streams_and_pools_are_looked_through(tmp_path: Path) -> None:
    """What stands inside of a stream's or a memory pool's context runs once."""
    body = """
with torch.cuda._DeviceGuard(device_idx):
    with stream1:
        with torch.cuda.use_mem_pool(get_external_object_by_index(5), device=0):
            extern_kernels.mm(arg0_1, arg1_1, out=buf1)
"""
    assert wrappers(graph(tmp_path, wrapper(body=body))) == ["extern_kernels.mm"]


def test_the_branches_of_a_switch_may_run(tmp_path: Path) -> None:
    """The selector is read once; of the branches one runs, and each is written as a function."""
    functions = "\n".join(
        f"def branch_graph_{n}(args):\n    aten.{name}(args[0])\n"
        for n, name in enumerate(("relu", "sin", "cos"))
    )
    body = """
buf2_selector = int(arg2_1.item())
buf2 = [None] * 1
if buf2_selector == 0:
    # subgraph: branch_graph_0
    buf2 = branch_graph_0(branch_graph_0_args)
elif buf2_selector == 1:
    buf2 = branch_graph_1(branch_graph_1_args)
else:
    buf2 = branch_graph_2(branch_graph_2_args)
"""
    compiled = graph(tmp_path, wrapper(body=body, functions=functions))

    assert [(call.wrapper, call.occurrence) for call in compiled.calls] == [
        (".item", Occurrence.ONCE),
        ("aten.relu", Occurrence.BRANCH),
        ("aten.sin", Occurrence.BRANCH),
        ("aten.cos", Occurrence.BRANCH),
    ]


def test_a_size_hint_multi_kernel_has_its_members(tmp_path: Path) -> None:
    """It chooses from a kernel per size hint, which stand in a dict."""
    texts = (triton("triton_red_fused_sum_0"), triton("triton_red_fused_sum_1"))
    multi = (
        "multi_kernel_0 = async_compile.size_hint_multi_kernel('multi_kernel_0', {\n"
        "    (8,): triton_red_fused_sum_0,\n    (4096,): triton_red_fused_sum_1,\n"
        "}, arg_index={0: [slice(0, 3)]})"
    )
    compiled = graph(
        tmp_path, wrapper(*texts, multi, body="multi_kernel_0.run(a, b, 8, stream=raw_stream0)")
    )

    assert compiled.kernels[-1].members == ("triton_red_fused_sum_0", "triton_red_fused_sum_1")
    assert [call.backend for call in compiled.calls] == [Backend.MULTI]


def test_copies_of_misaligned_inputs_are_known_and_no_calls(tmp_path: Path) -> None:
    """Such a statement nearly never copies; what stands before it is remembered."""
    body = """
primals_3 = copy_if_misaligned(primals_3)
aten.relu(primals_3)
arg0_1_orig = arg0_1
with stream1:
    arg0_1 = copy_if_misaligned(arg0_1_orig)
"""
    compiled = graph(tmp_path, wrapper(body=body))

    assert wrappers(compiled) == ["aten.relu"]
    assert [(copy.name, copy.before) for copy in compiled.alignment_copies] == [
        ("primals_3", 0),
        ("arg0_1", 1),
    ]
    assert all(isinstance(copy, AlignmentCopy) for copy in compiled.alignment_copies)
