# AOT ID: ['6_inference']
from ctypes import c_void_p, c_long, c_int
import torch
import math
import random
import os
import tempfile
from math import inf, nan
from cmath import nanj
from torch._inductor.hooks import run_intermediate_hooks
from torch._inductor.utils import maybe_profile
from torch._inductor.codegen.memory_planning import _align as align
from torch import device, empty_strided
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels
import triton
import triton.language as tl
from torch._inductor.runtime.triton_heuristics import start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
_quantized = torch.ops._quantized
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
assert_alignment = torch._C._dynamo.guards.assert_alignment
empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu
empty_strided_cpu_pinned = torch._C._dynamo.guards._empty_strided_cpu_pinned
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
empty_strided_xpu = torch._C._dynamo.guards._empty_strided_xpu
empty_strided_mtia = torch._C._dynamo.guards._empty_strided_mtia
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
alloc_from_pool = torch.ops.inductor._alloc_from_pool
async_compile = AsyncCompile()
empty_strided_p2p = torch._C._distributed_c10d._SymmetricMemory.empty_strided_p2p


# kernel path: /tmp/torchinductor_user/av/cavqqrzvwsjfbbp7n5dijsr4ifvymojcn77sb4opatvwezsjrlwa.py
# Topologically Sorted Source Nodes: [sin, exp, tanh, x, sin_1, exp_1, tanh_1, x_1, sin_2, exp_2, tanh_2, x_2, sin_3, exp_3, tanh_3, x_3, sin_4, exp_4, tanh_4, x_4, sin_5, exp_5, tanh_5, x_5], Original ATen: [aten.sin, aten.exp, aten.tanh, aten.erf]
# Source node to ATen node mapping:
#   exp => exp
#   exp_1 => exp_1
#   exp_2 => exp_2
#   exp_3 => exp_3
#   exp_4 => exp_4
#   exp_5 => exp_5
#   sin => sin
#   sin_1 => sin_1
#   sin_2 => sin_2
#   sin_3 => sin_3
#   sin_4 => sin_4
#   sin_5 => sin_5
#   tanh => tanh
#   tanh_1 => tanh_1
#   tanh_2 => tanh_2
#   tanh_3 => tanh_3
#   tanh_4 => tanh_4
#   tanh_5 => tanh_5
#   x => erf
#   x_1 => erf_1
#   x_2 => erf_2
#   x_3 => erf_3
#   x_4 => erf_4
#   x_5 => erf_5
# Graph fragment:
#   %arg0_1 : Tensor "f32[16777216][1]cuda:0" = PlaceHolder[target=arg0_1]
#   %sin : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%arg0_1,), kwargs = {})
#   %exp : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sin,), kwargs = {})
#   %tanh : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.tanh.default](args = (%exp,), kwargs = {})
#   %erf : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%tanh,), kwargs = {})
#   %sin_1 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%erf,), kwargs = {})
#   %exp_1 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sin_1,), kwargs = {})
#   %tanh_1 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.tanh.default](args = (%exp_1,), kwargs = {})
#   %erf_1 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%tanh_1,), kwargs = {})
#   %sin_2 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%erf_1,), kwargs = {})
#   %exp_2 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sin_2,), kwargs = {})
#   %tanh_2 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.tanh.default](args = (%exp_2,), kwargs = {})
#   %erf_2 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%tanh_2,), kwargs = {})
#   %sin_3 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%erf_2,), kwargs = {})
#   %exp_3 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sin_3,), kwargs = {})
#   %tanh_3 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.tanh.default](args = (%exp_3,), kwargs = {})
#   %erf_3 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%tanh_3,), kwargs = {})
#   %sin_4 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%erf_3,), kwargs = {})
#   %exp_4 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sin_4,), kwargs = {})
#   %tanh_4 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.tanh.default](args = (%exp_4,), kwargs = {})
#   %erf_4 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%tanh_4,), kwargs = {})
#   %sin_5 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%erf_4,), kwargs = {})
#   %exp_5 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sin_5,), kwargs = {})
#   %tanh_5 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.tanh.default](args = (%exp_5,), kwargs = {})
#   %erf_5 : Tensor "f32[16777216][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%tanh_5,), kwargs = {})
#   return %erf_5
triton_poi_fused_erf_exp_sin_tanh_0 = async_compile.triton('triton_poi_fused_erf_exp_sin_tanh_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 16777216}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_erf_exp_sin_tanh_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 201326592}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_erf_exp_sin_tanh_0(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 16777216
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl_math.sin(tmp0)
    tmp2 = libdevice.exp(tmp1)
    tmp3 = libdevice.tanh(tmp2)
    tmp4 = libdevice.erf(tmp3)
    tmp5 = tl_math.sin(tmp4)
    tmp6 = libdevice.exp(tmp5)
    tmp7 = libdevice.tanh(tmp6)
    tmp8 = libdevice.erf(tmp7)
    tmp9 = tl_math.sin(tmp8)
    tmp10 = libdevice.exp(tmp9)
    tmp11 = libdevice.tanh(tmp10)
    tmp12 = libdevice.erf(tmp11)
    tmp13 = tl_math.sin(tmp12)
    tmp14 = libdevice.exp(tmp13)
    tmp15 = libdevice.tanh(tmp14)
    tmp16 = libdevice.erf(tmp15)
    tmp17 = tl_math.sin(tmp16)
    tmp18 = libdevice.exp(tmp17)
    tmp19 = libdevice.tanh(tmp18)
    tmp20 = libdevice.erf(tmp19)
    tmp21 = tl_math.sin(tmp20)
    tmp22 = libdevice.exp(tmp21)
    tmp23 = libdevice.tanh(tmp22)
    tmp24 = libdevice.erf(tmp23)
    tl.store(out_ptr0 + (x0), tmp24, None)
''', device_str='cuda')


async_compile.wait(globals())
del async_compile

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def recursively_apply_fns(self, fns):
        new_callables = []
        for fn, c in zip(fns, self.partitions):
            new_callables.append(fn(c))
        self.partitions = new_callables

    def call(self, args):
        arg0_1, = args
        args.clear()
        assert_size_stride(arg0_1, (16777216, ), (1, ))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((16777216, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [sin, exp, tanh, x, sin_1, exp_1, tanh_1, x_1, sin_2, exp_2, tanh_2, x_2, sin_3, exp_3, tanh_3, x_3, sin_4, exp_4, tanh_4, x_4, sin_5, exp_5, tanh_5, x_5], Original ATen: [aten.sin, aten.exp, aten.tanh, aten.erf]
            # [Provenance debug handles] triton_poi_fused_erf_exp_sin_tanh_0:1
            stream0 = get_raw_stream(0)
            triton_poi_fused_erf_exp_sin_tanh_0.run(arg0_1, buf0, 16777216, stream=stream0)
            del arg0_1
        return (buf0, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((16777216, ), (1, ), device='cuda:0', dtype=torch.float32)
    return [arg0_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

