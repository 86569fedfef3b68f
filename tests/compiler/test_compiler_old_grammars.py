"""Code as older versions of torch wrote it: told apart by what it says, not by a version."""

from __future__ import annotations

from pathlib import Path

from compiler.generated import graph, wrappers
from kernelmap.model import Backend, Specialization

TORCH_2_0 = """
from ctypes import c_void_p, c_long
from torch import empty_strided, as_strided, device
from torch._inductor.codecache import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels

aten = torch.ops.aten
async_compile = AsyncCompile()

import triton
from torch._C import _cuda_getCurrentRawStream as get_cuda_stream


kernel_cpp_0 = async_compile.cpp('''
#include "/cache/x.h"
extern "C" void kernel(const float* __restrict__ in_ptr0, float* __restrict__ out_ptr0)
{
}
''')


# kernel path: /cache/cq/cqx.py
# Original ATen: aten.relu, aten.add

# aten.relu => relu
# aten.add => add
triton_fused_add_relu_1 = async_compile.triton('''
import triton
from torch._inductor.triton_ops.autotune import pointwise
from torch._inductor.utils import instance_descriptor

@pointwise(size_hints=[64], filename=__file__, meta={'signature': {0: '*fp32', 1: '*fp32', 2: 'i32'}, 'device': 0, 'constants': {}, 'mutated_arg_names': [], 'configs': [instance_descriptor(divisible_by_16=(0, 1, 2), equal_to_1=())]})
@triton.jit
def triton_(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass
''')

async_compile.wait(globals())
del async_compile

def call(args):
    primals_1, primals_2 = args
    args.clear()
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0) # no-op to ensure context
        buf0 = aten.convolution(primals_1, primals_2, None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1)
        stream0 = get_cuda_stream(0)
        triton_fused_add_relu_1.run(buf0, primals_1, 64, grid=grid(64), stream=stream0)
        triton_fused_add_relu_1.run(buf0, primals_2, 64, grid=grid(64), stream=stream0)
        torch.randint(2**31, size=(), dtype=torch.int64, out=seed_cuda_0)
        extern_kernels.mm(as_strided(buf0, (8, 8), (8, 1)), primals_2, out=primals_1)
    kernel_cpp_0(c_void_p(buf0.data_ptr()), c_void_p(primals_1.data_ptr()))
    return (buf0, )
"""  # noqa: E501 -- lines as long as Inductor writes them

TORCH_2_2 = """
from torch._inductor.codecache import AsyncCompile
aten = torch.ops.aten
reinterpret_tensor = torch.ops.inductor._reinterpret_tensor
async_compile = AsyncCompile()


# kernel path: /cache/ab/cab.py
# Source Nodes: [add, mul], Original ATen: [aten.add, aten.mul]
# add => add_1
# mul => mul_2, mul_3
triton_poi_fused_add_mul_0 = async_compile.triton('triton_', '''
@pointwise(
    size_hints=[64],
    filename=__file__,
    triton_meta={'signature': {0: '*fp32', 1: 'i32'}, 'device': 0, 'device_type': 'cuda', 'constants': {1: 1}, 'configs': [instance_descriptor(divisible_by_16=(0,), equal_to_1=(1,), ids_of_folded_args=(1,), divisible_by_8=())]},
    inductor_meta={'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_mul_0', 'mutated_arg_names': []},
    min_elem_per_thread=0
)
@triton.jit
def triton_(in_out_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass
''')

# kernel path: /cache/cd/ccd.py
# Source Nodes: [], Original ATen: [aten.div]

triton_poi_fused_div_1 = async_compile.triton('triton_', '''
@pointwise(size_hints=[8], filename=__file__, triton_meta={'signature': {0: '*fp32'}, 'configs': []}, inductor_meta={})
@triton.jit
def triton_(in_out_ptr0, XBLOCK : tl.constexpr):
    pass
''')

async_compile.wait(globals())
del async_compile

def call(args):
    arg0_1, = args
    with torch.cuda._DeviceGuard(0):
        buf0 = reinterpret_tensor(arg0_1, (64, ), (1, ), 0); del arg0_1  # reuse
        # Source Nodes: [add, mul], Original ATen: [aten.add, aten.mul]
        stream0 = get_cuda_stream(0)
        triton_poi_fused_add_mul_0.run(buf0, 1, grid=grid(1), stream=stream0)
        # Source Nodes: [matmul], Original ATen: [aten.mm]
        extern_kernels.mm(buf0, buf0, out=buf1)
        return (buf0, )
"""  # noqa: E501 -- lines as long as Inductor writes them

TORCH_2_6 = """
# AOT ID: ['3_backward']
async_compile = AsyncCompile()


# kernel path: /cache/ab/cab.py
# Unsorted Source Nodes: [x], Original ATen: [aten.relu]
# Source node to ATen node mapping:
#   x => relu
# Graph fragment:
#   %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%arg0_1,), kwargs = {})
triton_poi_fused_relu_0 = async_compile.triton('triton_poi_fused_relu_0', '''
@triton_heuristics.pointwise(
    size_hints={'x': 64},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'xnumel': 'i32'}, 'device': DeviceProperties(type='cuda', index=0), 'constants': {}, 'configs': [AttrsDescriptor.from_dict({'arg_properties': {'tt.divisibility': (0, 1), 'tt.equal_to': ()}, 'cls': 'AttrsDescriptor'})]},
    inductor_meta={'kernel_name': 'triton_poi_fused_relu_0'},
)
@triton.jit
def triton_poi_fused_relu_0(in_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass
''', device_str='cuda')


async_compile.wait(globals())
del async_compile

def call(args):
    with torch.cuda._DeviceGuard(0):
        # Unsorted Source Nodes: [x], Original ATen: [aten.relu]
        stream0 = get_raw_stream(0)
        triton_poi_fused_relu_0.run(arg0_1, 64, grid=grid(64), stream=stream0)
    return (arg0_1, )
"""  # noqa: E501 -- lines as long as Inductor writes them


def test_sources_without_a_name_and_plain_aten_comments(tmp_path: Path) -> None:
    """2.0 gives the source alone and lists operators without brackets; all calls are found."""
    compiled = graph(tmp_path, TORCH_2_0)
    cpp, fused = compiled.kernels

    assert (cpp.name, cpp.function, cpp.backend) == ("kernel_cpp_0", "kernel", Backend.CPP)
    assert (fused.name, fused.function) == ("triton_fused_add_relu_1", "triton_")
    assert (fused.category, fused.heuristic) == ("poi", "pointwise")
    assert fused.path == "/cache/cq/cqx.py"
    assert fused.origins is not None
    assert fused.origins.aten == ("aten.relu", "aten.add")
    assert fused.node_map == (("aten.relu", ("relu",)), ("aten.add", ("add",)))
    assert fused.specialization == Specialization(divisible_by_16=(0, 1, 2), equal_to_1=())
    assert (compiled.id, compiled.aot_id, compiled.kind) == ("output_code", None, None)
    assert wrappers(compiled) == [
        "aten.convolution",
        "triton_fused_add_relu_1",
        "triton_fused_add_relu_1",
        "torch.randint",
        "extern_kernels.mm",
        "kernel_cpp_0",
    ]
    assert [call.stream for call in compiled.calls[1:3]] == [0, 0]
    assert [call.numels for call in compiled.calls[1:3]] == [(64,), (64,)]


def test_node_maps_without_a_heading(tmp_path: Path) -> None:
    """2.2 writes the map right below the nodes and gives every kernel one function name."""
    compiled = graph(tmp_path, TORCH_2_2)
    first, second = compiled.kernels

    assert first.node_map == (("add", ("add_1",)), ("mul", ("mul_2", "mul_3")))
    assert first.origins is not None
    assert (first.origins.nodes, first.origins.ordered) == (("add", "mul"), False)
    assert (first.function, second.function) == ("triton_", "triton_")
    assert first.meta["kernel_name"] == "triton_poi_fused_add_mul_0"
    assert first.specialization == Specialization(
        divisible_by_16=(0,), equal_to_1=(1,), divisible_by_8=()
    )
    assert second.path == "/cache/cd/ccd.py"
    assert wrappers(compiled) == ["triton_poi_fused_add_mul_0", "extern_kernels.mm"]
    assert [call.origins.aten for call in compiled.calls if call.origins] == [
        ("aten.add", "aten.mul"),
        ("aten.mm",),
    ]


def test_fragments_without_types(tmp_path: Path) -> None:
    """2.6 names the graph, and its fragments carry targets but no types."""
    compiled = graph(tmp_path, TORCH_2_6)

    assert (compiled.id, compiled.kind) == ("3_backward", "backward")
    assert [node.target for node in compiled.nodes] == ["aten.relu.default"]
    assert compiled.calls[0].nodes == ("relu",)
