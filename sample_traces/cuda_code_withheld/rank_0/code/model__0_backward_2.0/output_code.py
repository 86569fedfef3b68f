# AOT ID: ['0_backward']
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


# kernel path: /tmp/torchinductor_user/a6/ca6lrhsd2gytvfq3imgfmln3bnpds2mhdpu7reeuyquifybfcj4f.py
# Topologically Sorted Source Nodes: [view_15, linear_2, silu, mul_15, linear_3, mul_16, reciprocal, mul_17, mul_18, sub_2, mul_19, add_8, mul_20], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward]
# Source node to ATen node mapping:
#   add_8 => add_8
#   linear_2 => view_9
#   linear_3 => view_11
#   mul_15 => mul_15
#   mul_16 => mul_16
#   mul_17 => mul_17
#   mul_18 => mul_18
#   mul_19 => mul_19
#   mul_20 => mul_20
#   reciprocal => reciprocal
#   silu => add_5, div_2, exp, neg_2
#   sub_2 => sub_2
#   view_15 => view_15
# Graph fragment:
#   %mm_6 : Tensor "f32[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_6]
#   %mm_2 : Tensor "f32[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %mm_3 : Tensor "f32[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_3]
#   %view_15 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_6, [4, 128, 512]), kwargs = {})
#   %view_9 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [4, 128, 512]), kwargs = {})
#   %neg_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%view_9,), kwargs = {})
#   %exp : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_2,), kwargs = {})
#   %add_5 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp, 1), kwargs = {})
#   %div_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%view_9, %add_5), kwargs = {})
#   %mul_15 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_15, %div_2), kwargs = {})
#   %view_11 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_3, [4, 128, 512]), kwargs = {})
#   %mul_16 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_15, %view_11), kwargs = {})
#   %reciprocal : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reciprocal.default](args = (%add_5,), kwargs = {})
#   %mul_17 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%reciprocal, 1), kwargs = {})
#   %mul_18 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_16, %mul_17), kwargs = {})
#   %sub_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (1, %mul_17), kwargs = {})
#   %mul_19 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_9, %sub_2), kwargs = {})
#   %add_8 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_19, 1), kwargs = {})
#   %mul_20 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_18, %add_8), kwargs = {})
#   return %mul_15,%mul_20
triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_0 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_0', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 7340032}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_0(in_out_ptr0, in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp8 = tl.load(in_out_ptr0 + (x0), None)
    tmp2 = -tmp1
    tmp3 = libdevice.exp(tmp2)
    tmp4 = tl.full([1], 1.0, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = (tmp1 / tmp5)
    tmp7 = tmp0 * tmp6
    tmp9 = tmp0 * tmp8
    tmp10 = tl.full([1], 1, tl.int32)
    tmp11 = (tmp10 / tmp5)
    tmp12 = tmp11 * tmp4
    tmp13 = tmp9 * tmp12
    tmp14 = tmp4 - tmp12
    tmp15 = tmp1 * tmp14
    tmp16 = tmp15 + tmp4
    tmp17 = tmp13 * tmp16
    tl.store(out_ptr0 + (x0), tmp7, None)
    tl.store(in_out_ptr0 + (x0), tmp17, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/bc/cbcfgkocfc4s76yn46rlxogzub7cgtztebsafo6o6jmysqkai5u2.py
# Topologically Sorted Source Nodes: [view_17, view_19, add_9, mul_21, linear_1, x, hidden, mul_23, sum_1, div_3, mul_24, sub_3, mul_25, add_10], Original ATen: [aten.view, aten.add, aten._fused_rms_norm_backward, aten._unsafe_view, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   add_10 => add_10
#   add_9 => add_9
#   div_3 => div_3
#   hidden => mul_12
#   linear_1 => view_7
#   mul_21 => mul_21
#   mul_23 => mul_23
#   mul_24 => mul_24
#   mul_25 => mul_25
#   sub_3 => sub_3
#   sum_1 => sum_1
#   view_17 => view_17
#   view_19 => view_19
#   x => add_3
# Graph fragment:
#   %primals_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_1]
#   %mm_8 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_8]
#   %mm_10 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_10]
#   %primals_5 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_5]
#   %tangents_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=tangents_1]
#   %sum_1 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=sum_1]
#   %view_17 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_8, [4, 128, 256]), kwargs = {})
#   %view_19 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_10, [4, 128, 256]), kwargs = {})
#   %add_9 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%view_17, %view_19), kwargs = {})
#   %mul_21 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_9, %primals_5), kwargs = {})
#   %view_7 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_3, %rsqrt_1), kwargs = {})
#   %mul_23 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_12, %mul_21), kwargs = {})
#   %sum_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_23, [2], True), kwargs = {})
#   %div_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_12, 256), kwargs = {})
#   %mul_24 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_3, %sum_1), kwargs = {})
#   %sub_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_21, %mul_24), kwargs = {})
#   %mul_25 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_3, %rsqrt_1), kwargs = {})
#   %add_10 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%tangents_1, %mul_25), kwargs = {})
#   return %sum_1,%add_10
triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_1 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 512, 'r0_': 256},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'in_ptr6': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 7, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2048, 'r0_': 3671040}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_1(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 512
    r0_numel = 256
    R0_BLOCK: tl.constexpr = 256
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp3 = tl.load(in_ptr2 + (x0), xmask, eviction_policy='evict_last')
    tmp5 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp6 = tl.load(in_ptr4 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp8 = tl.load(in_ptr5 + (r0_1), None, eviction_policy='evict_last')
    tmp15 = tl.load(in_ptr6 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp2 = tmp0 + tmp1
    tmp4 = tmp2 * tmp3
    tmp7 = tmp5 + tmp6
    tmp9 = tmp7 * tmp8
    tmp10 = tmp4 * tmp9
    tmp11 = tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK])
    tmp13 = tl.where(xmask, tmp11, 0)
    tmp14 = tl.sum(tmp13, 1)[:, None].to(tl.float32)
    tmp16 = tl.full([1, 1], 0.00390625, tl.float32)
    tmp17 = tmp4 * tmp16
    tmp18 = tmp17 * tmp14
    tmp19 = tmp9 - tmp18
    tmp20 = tmp19 * tmp3
    tmp21 = tmp15 + tmp20
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp21, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/xf/cxf5h6s7ishxb7fsug6ysopwsdr72svy4lhokvdycygfbn463ijx.py
# Topologically Sorted Source Nodes: [view_23, select_3, select_4, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, mul_27, sin, mul_28, neg_4, mul_29, add_11, mul_30, add_12, full, _generalized_scatter, _generalized_scatter_1, add_13], Original ATen: [aten.view, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten.sin, aten.add, aten.slice_backward]
# Source node to ATen node mapping:
#   _generalized_scatter => slice_scatter_default
#   _generalized_scatter_1 => slice_scatter_default_1
#   add_11 => add_11
#   add_12 => add_12
#   add_13 => add_13
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   cos => cos
#   frequencies => pow_2
#   full => full_default
#   getitem_3 => unsqueeze
#   mul_27 => mul_27
#   mul_28 => mul_28
#   mul_29 => mul_29
#   mul_30 => mul_30
#   neg => neg
#   neg_4 => neg_4
#   select_3 => select_3
#   select_4 => select_4
#   sin => sin
#   truediv => div
#   view_23 => view_23
# Graph fragment:
#   %getitem_5 : Tensor "f32[4, 4, 128, 64][32768, 64, 256, 1]cuda:0" = PlaceHolder[target=getitem_5]
#   %view_23 : Tensor "f32[4, 4, 128, 32, 2][32768, 64, 256, 2, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%getitem_5, [4, 4, 128, 32, 2]), kwargs = {})
#   %select_3 : Tensor "f32[4, 4, 128, 32][32768, 64, 256, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_23, -1, 0), kwargs = {})
#   %select_4 : Tensor "f32[4, 4, 128, 32][32768, 64, 256, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_23, -1, 1), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %mul_27 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_4, %cos), kwargs = {})
#   %sin : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %mul_28 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_4, %sin), kwargs = {})
#   %neg_4 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%select_3,), kwargs = {})
#   %mul_29 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%neg_4, %sin), kwargs = {})
#   %add_11 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_27, %mul_29), kwargs = {})
#   %mul_30 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_3, %cos), kwargs = {})
#   %add_12 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_28, %mul_30), kwargs = {})
#   %full_default : Tensor "f32[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.full.default](args = ([4, 4, 128, 64], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %slice_scatter_default : Tensor "f32[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_11, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %slice_scatter_default_1 : Tensor "f32[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_12, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %add_13 : Tensor "f32[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%slice_scatter_default, %slice_scatter_default_1), kwargs = {})
#   return %add_13
triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2 = async_compile.triton('triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 131072}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2097152}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x4 = xindex // 64
    x2 = ((xindex // 256) % 128)
    x5 = xindex
    x1 = ((xindex // 64) % 4)
    x3 = xindex // 32768
    tmp0 = x0
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (((-1) + x0) % 2)
    tmp4 = tl.full([1], 0, tl.int64)
    tmp5 = tmp3 == tmp4
    tmp6 = tmp2 & tmp5
    tmp7 = tl.load(in_ptr0 + (1 + 2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x4), tmp6, eviction_policy='evict_last', other=0.0)
    tmp8 = (-2)*(triton_helpers.div_floor_integer((-1) + x0,  2))
    tmp9 = tmp8.to(tl.float32)
    tmp10 = tl.full([1], 0.015625, tl.float32)
    tmp11 = tmp9 * tmp10
    tmp12 = tl.full([1], 10000.0, tl.float32)
    tmp13 = libdevice.pow(tmp12, tmp11)
    tmp14 = x2
    tmp15 = tmp14.to(tl.float32)
    tmp16 = tmp15 * tmp13
    tmp17 = tl_math.cos(tmp16)
    tmp18 = tmp7 * tmp17
    tmp19 = tl.load(in_ptr0 + (2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x4), tmp6, eviction_policy='evict_last', other=0.0)
    tmp20 = -tmp19
    tmp21 = tl_math.sin(tmp16)
    tmp22 = tmp20 * tmp21
    tmp23 = tmp18 + tmp22
    tmp24 = tl.full(tmp23.shape, 0.0, tmp23.dtype)
    tmp25 = tl.where(tmp6, tmp23, tmp24)
    tmp26 = tl.full([1], 0.0, tl.float32)
    tmp27 = tl.where(tmp6, tmp25, tmp26)
    tmp28 = (x5 % 2)
    tmp29 = tmp28 == tmp4
    tmp30 = tl.load(in_ptr0 + (1 + 2*(x0 // 2) + 64*x4), tmp29, eviction_policy='evict_last', other=0.0)
    tmp31 = (-2)*(x0 // 2)
    tmp32 = tmp31.to(tl.float32)
    tmp33 = tl.full([1], 0.015625, tl.float32)
    tmp34 = tmp32 * tmp33
    tmp35 = tl.full([1], 10000.0, tl.float32)
    tmp36 = libdevice.pow(tmp35, tmp34)
    tmp37 = x2
    tmp38 = tmp37.to(tl.float32)
    tmp39 = tmp38 * tmp36
    tmp40 = tl_math.sin(tmp39)
    tmp41 = tmp30 * tmp40
    tmp42 = tl.load(in_ptr0 + (2*(x0 // 2) + 64*x4), tmp29, eviction_policy='evict_last', other=0.0)
    tmp43 = tl_math.cos(tmp39)
    tmp44 = tmp42 * tmp43
    tmp45 = tmp41 + tmp44
    tmp46 = tl.full(tmp45.shape, 0.0, tmp45.dtype)
    tmp47 = tl.where(tmp29, tmp45, tmp46)
    tmp48 = tl.where(tmp29, tmp47, tmp26)
    tmp49 = tmp27 + tmp48
    tl.store(out_ptr0 + (x0 + 64*x2 + 8192*x1 + 32768*x3), tmp49, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/4k/c4klieykyextalolbxzhtld4t6elqtfdlfisg7cjs5hqpfh3tm7i.py
# Topologically Sorted Source Nodes: [full_4, _generalized_scatter_4, _generalized_scatter_5, add_17, _generalized_scatter_6, add_18, permute_24, clone], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone]
# Source node to ATen node mapping:
#   _generalized_scatter_4 => select_scatter_default
#   _generalized_scatter_5 => select_scatter_default_1
#   _generalized_scatter_6 => select_scatter_default_2
#   add_17 => add_17
#   add_18 => add_18
#   clone => clone
#   full_4 => full_default_4
#   permute_24 => permute_24
# Graph fragment:
#   %getitem_6 : Tensor "f32[4, 4, 128, 64][32768, 64, 256, 1]cuda:0" = PlaceHolder[target=getitem_6]
#   %add_13 : Tensor "f32[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = PlaceHolder[target=add_13]
#   %add_16 : Tensor "f32[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = PlaceHolder[target=add_16]
#   %full_default_4 : Tensor "f32[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.full.default](args = ([3, 4, 4, 128, 64], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %select_scatter_default : Tensor "f32[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %getitem_6, 0, 2), kwargs = {})
#   %select_scatter_default_1 : Tensor "f32[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %add_13, 0, 1), kwargs = {})
#   %add_17 : Tensor "f32[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%select_scatter_default, %select_scatter_default_1), kwargs = {})
#   %select_scatter_default_2 : Tensor "f32[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %add_16, 0, 0), kwargs = {})
#   %add_18 : Tensor "f32[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_17, %select_scatter_default_2), kwargs = {})
#   %permute_24 : Tensor "f32[4, 128, 3, 4, 64][32768, 64, 131072, 8192, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%add_18, [1, 3, 0, 2, 4]), kwargs = {})
#   %clone : Tensor "f32[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_24,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone
triton_poi_fused_add_clone_permute_select_backward_3 = async_compile.triton('triton_poi_fused_add_clone_permute_select_backward_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 524288}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_clone_permute_select_backward_3', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4718592}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_clone_permute_select_backward_3(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 393216
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x2 = ((xindex // 256) % 3)
    x5 = (xindex % 256)
    x6 = xindex // 768
    x0 = (xindex % 64)
    x1 = ((xindex // 64) % 4)
    x3 = ((xindex // 768) % 128)
    x4 = xindex // 98304
    x7 = xindex
    tmp3 = tl.load(in_ptr0 + (x5 + 256*x6), None, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr1 + (x0 + 64*x3 + 8192*x1 + 32768*x4), None, eviction_policy='evict_last')
    tmp13 = tl.load(in_ptr2 + (x0 + 64*x3 + 8192*x1 + 32768*x4), None, eviction_policy='evict_last')
    tmp0 = x2
    tmp1 = tl.full([1], 2, tl.int32)
    tmp2 = tmp0 == tmp1
    tmp4 = tl.full([1], 0.0, tl.float32)
    tmp5 = tl.where(tmp2, tmp3, tmp4)
    tmp6 = tl.full([1], 1, tl.int32)
    tmp7 = tmp0 == tmp6
    tmp9 = tl.where(tmp7, tmp8, tmp4)
    tmp10 = tmp5 + tmp9
    tmp11 = tl.full([1], 0, tl.int32)
    tmp12 = tmp0 == tmp11
    tmp14 = tl.where(tmp12, tmp13, tmp4)
    tmp15 = tmp10 + tmp14
    tl.store(out_ptr0 + (x7), tmp15, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/s3/cs3naueb632yz7l2zkgggxw3lininaiwn2ouhzlokfs6l5pmcere.py
# Topologically Sorted Source Nodes: [view_17, view_19, add_9, linear_1, x, hidden, mul_26, sum_2, view_27, rms_norm, mul_37, sum_3], Original ATen: [aten.view, aten.add, aten._unsafe_view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_9 => add_9
#   hidden => mul_12
#   linear_1 => view_7
#   mul_26 => mul_26
#   mul_37 => mul_37
#   rms_norm => mul
#   sum_2 => sum_2
#   sum_3 => sum_3
#   view_17 => view_17
#   view_19 => view_19
#   view_27 => view_27
#   x => add_3
# Graph fragment:
#   %mm_8 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_8]
#   %mm_10 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_10]
#   %primals_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_1]
#   %mm_14 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_14]
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %view_17 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_8, [4, 128, 256]), kwargs = {})
#   %view_19 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_10, [4, 128, 256]), kwargs = {})
#   %add_9 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%view_17, %view_19), kwargs = {})
#   %view_7 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_3, %rsqrt_1), kwargs = {})
#   %mul_26 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_9, %mul_12), kwargs = {})
#   %sum_2 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_26, [0, 1]), kwargs = {})
#   %view_27 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_14, [4, 128, 256]), kwargs = {})
#   %mul : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%primals_1, %rsqrt), kwargs = {})
#   %mul_37 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_27, %mul), kwargs = {})
#   %sum_3 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_37, [0, 1]), kwargs = {})
#   return %buf9,%buf23
triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_4 = async_compile.triton('triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 1024, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'in_ptr6': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 7, 'num_store': 2, 'num_reduction': 2, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2637824, 'r0_': 4096}}
)
@triton.jit
def triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_4(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 1024
    r0_numel = 128
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = (xindex % 256)
    x1 = xindex // 256
    _tmp10 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    _tmp17 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.load(in_ptr1 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp3 = tl.load(in_ptr2 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp4 = tl.load(in_ptr3 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp6 = tl.load(in_ptr4 + (r0_2 + 128*x1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp12 = tl.load(in_ptr5 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp13 = tl.load(in_ptr6 + (r0_2 + 128*x1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp2 = tmp0 + tmp1
        tmp5 = tmp3 + tmp4
        tmp7 = tmp5 * tmp6
        tmp8 = tmp2 * tmp7
        tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
        tmp11 = _tmp10 + tmp9
        _tmp10 = tl.where(r0_mask & xmask, tmp11, _tmp10)
        tmp14 = tmp3 * tmp13
        tmp15 = tmp12 * tmp14
        tmp16 = tl.broadcast_to(tmp15, [XBLOCK, R0_BLOCK])
        tmp18 = _tmp17 + tmp16
        _tmp17 = tl.where(r0_mask & xmask, tmp18, _tmp17)
    tmp10 = tl.sum(_tmp10, 1)[:, None]
    tmp17 = tl.sum(_tmp17, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp10, xmask)
    tl.store(out_ptr1 + (x3), tmp17, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/er/cerxptn5ofgaaan56vx2bm3dnd7gs2pxc5yy4yjmau3ybobvnqy6.py
# Topologically Sorted Source Nodes: [view_17, view_19, add_9, linear_1, x, hidden, mul_26, sum_2], Original ATen: [aten.view, aten.add, aten._unsafe_view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_9 => add_9
#   hidden => mul_12
#   linear_1 => view_7
#   mul_26 => mul_26
#   sum_2 => sum_2
#   view_17 => view_17
#   view_19 => view_19
#   x => add_3
# Graph fragment:
#   %buf9 : Tensor "f32[256, 4][1, 256]cuda:0" = PlaceHolder[target=buf9]
#   %view_17 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_8, [4, 128, 256]), kwargs = {})
#   %view_19 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_10, [4, 128, 256]), kwargs = {})
#   %add_9 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%view_17, %view_19), kwargs = {})
#   %view_7 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_3, %rsqrt_1), kwargs = {})
#   %mul_26 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_9, %mul_12), kwargs = {})
#   %sum_2 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_26, [0, 1]), kwargs = {})
#   return %sum_2
triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 256, 'r0_': 4},
    reduction_hint=ReductionHint.OUTER_TINY,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 6144, 'r0_': 0}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 256
    r0_numel = 4
    R0_BLOCK: tl.constexpr = 4
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_1), xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
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
        primals_1, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, rsqrt, view, select_2, view_3, view_4, getitem, getitem_1, getitem_2, getitem_3, mm_1, rsqrt_1, view_8, mm_2, mm_3, view_12, tangents_1 = args
        args.clear()
        assert_size_stride(primals_1, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(primals_3, (768, 256), (256, 1))
        assert_size_stride(primals_4, (256, 256), (256, 1))
        assert_size_stride(primals_5, (256, ), (1, ))
        assert_size_stride(primals_6, (512, 256), (256, 1))
        assert_size_stride(primals_7, (512, 256), (256, 1))
        assert_size_stride(primals_8, (256, 512), (512, 1))
        assert_size_stride(rsqrt, (4, 128, 1), (128, 1, 1))
        assert_size_stride(view, (512, 256), (256, 1))
        assert_size_stride(select_2, (4, 4, 128, 64), (98304, 64, 768, 1))
        assert_size_stride(view_3, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(view_4, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem, (4, 4, 128, 64), (32768, 64, 256, 1))
        assert_size_stride(getitem_1, (4, 4, 128), (512, 128, 1))
        assert_size_stride(getitem_2, (), ())
        assert_size_stride(getitem_3, (), ())
        assert_size_stride(mm_1, (512, 256), (256, 1))
        assert_size_stride(rsqrt_1, (4, 128, 1), (128, 1, 1))
        assert_size_stride(view_8, (512, 256), (256, 1))
        assert_size_stride(mm_2, (512, 512), (512, 1))
        assert_size_stride(mm_3, (512, 512), (512, 1))
        assert_size_stride(view_12, (512, 512), (512, 1))
        assert_size_stride(tangents_1, (4, 128, 256), (32768, 256, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((256, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_14, permute_7, permute_10], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:13
            extern_kernels.mm(reinterpret_tensor(tangents_1, (256, 512), (1, 256), 0), view_12, out=buf0)
            del view_12
            buf1 = empty_strided_cuda((512, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_14, linear_4, permute_9, mm_6], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:14
            extern_kernels.mm(reinterpret_tensor(tangents_1, (512, 256), (256, 1), 0), primals_8, out=buf1)
            del primals_8
            buf2 = empty_strided_cuda((4, 128, 512), (65536, 512, 1), torch.float32)
            buf5 = reinterpret_tensor(mm_3, (4, 128, 512), (65536, 512, 1), 0); del mm_3  # reuse
            # Topologically Sorted Source Nodes: [view_15, linear_2, silu, mul_15, linear_3, mul_16, reciprocal, mul_17, mul_18, sub_2, mul_19, add_8, mul_20], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_0:15
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_0.run(buf5, buf1, mm_2, buf2, 262144, stream=stream0)
            del buf1
            del mm_2
            buf3 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_15, linear_2, silu, mul_15, view_16, permute_11, permute_14], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:16
            extern_kernels.mm(reinterpret_tensor(buf2, (512, 512), (1, 512), 0), view_8, out=buf3)
            buf4 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_15, linear_2, silu, mul_15, view_16, linear_3, permute_13, mm_8], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:17
            extern_kernels.mm(reinterpret_tensor(buf2, (512, 512), (512, 1), 0), primals_7, out=buf4)
            del buf2
            del primals_7
            buf6 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_15, linear_2, silu, linear_3, mul_16, reciprocal, mul_17, mul_18, sub_2, mul_19, add_8, mul_20, view_18, permute_15, permute_18], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:18
            extern_kernels.mm(reinterpret_tensor(buf5, (512, 512), (1, 512), 0), view_8, out=buf6)
            del view_8
            buf7 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_15, linear_2, silu, linear_3, mul_16, reciprocal, mul_17, mul_18, sub_2, mul_19, add_8, mul_20, view_18, permute_17, mm_10], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:19
            extern_kernels.mm(reinterpret_tensor(buf5, (512, 512), (512, 1), 0), primals_6, out=buf7)
            del buf5
            del primals_6
            buf11 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_17, view_19, add_9, mul_21, linear_1, x, hidden, mul_23, sum_1, div_3, mul_24, sub_3, mul_25, add_10], Original ATen: [aten.view, aten.add, aten._fused_rms_norm_backward, aten._unsafe_view, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_1:20
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_1.run(primals_1, mm_1, rsqrt_1, buf4, buf7, primals_5, tangents_1, buf11, 512, 256, stream=stream0)
            del primals_5
            del tangents_1
            buf13 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_17, view_19, add_9, mul_21, linear_1, x, hidden, div_3, mul_24, sub_3, mul_25, add_10, view_20, permute_21, mm_12], Original ATen: [aten.view, aten.add, aten._fused_rms_norm_backward, aten._unsafe_view, aten._fused_rms_norm, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:21
            extern_kernels.mm(reinterpret_tensor(buf11, (512, 256), (256, 1), 0), primals_4, out=buf13)
            del primals_4
            # Topologically Sorted Source Nodes: [view_21, view_22, permute_23, _scaled_dot_product_efficient_attention_backward], Original ATen: [aten.view, aten.transpose, aten._scaled_dot_product_efficient_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_efficient_attention_backward.default:22
            buf14 = torch.ops.aten._scaled_dot_product_efficient_attention_backward.default(reinterpret_tensor(buf13, (4, 4, 128, 64), (32768, 64, 256, 1), 0), view_3, view_4, select_2, None, getitem, getitem_1, getitem_2, getitem_3, 0.0, [True, True, True, False], True)
            del getitem_1
            del getitem_2
            del getitem_3
            del select_2
            del view_3
            del view_4
            buf17 = buf14[2]
            assert_size_stride(buf17, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            assert_alignment(buf17, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            buf16 = buf14[1]
            assert_size_stride(buf16, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            assert_alignment(buf16, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            buf18 = reinterpret_tensor(buf13, (4, 4, 128, 64), (32768, 8192, 64, 1), 0); del buf13  # reuse
            # Topologically Sorted Source Nodes: [view_23, select_3, select_4, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, mul_27, sin, mul_28, neg_4, mul_29, add_11, mul_30, add_12, full, _generalized_scatter, _generalized_scatter_1, add_13], Original ATen: [aten.view, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten.sin, aten.add, aten.slice_backward]
            # [Provenance debug handles] triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2:23
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2.run(buf16, buf18, 131072, stream=stream0)
            buf15 = buf14[0]
            assert_size_stride(buf15, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            assert_alignment(buf15, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention_backward.default')
            del buf14
            buf19 = reinterpret_tensor(buf16, (4, 4, 128, 64), (32768, 8192, 64, 1), 0); del buf16  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, sin, full, view_24, select_5, select_6, mul_31, mul_32, neg_5, mul_33, add_14, mul_34, add_15, _generalized_scatter_2, _generalized_scatter_3, add_16], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2:24
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_2.run(buf15, buf19, 131072, stream=stream0)
            del buf15
            buf20 = empty_strided_cuda((4, 128, 3, 4, 64), (98304, 768, 256, 64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_4, _generalized_scatter_4, _generalized_scatter_5, add_17, _generalized_scatter_6, add_18, permute_24, clone], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_permute_select_backward_3:25
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_permute_select_backward_3.run(buf17, buf18, buf19, buf20, 393216, stream=stream0)
            del buf17
            del buf18
            buf22 = reinterpret_tensor(buf19, (512, 256), (256, 1), 0); del buf19  # reuse
            # Topologically Sorted Source Nodes: [full_4, _generalized_scatter_4, _generalized_scatter_5, add_17, _generalized_scatter_6, add_18, permute_24, clone, view_25, view_26, linear, permute_27, mm_14], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:26
            extern_kernels.mm(reinterpret_tensor(buf20, (512, 768), (768, 1), 0), primals_3, out=buf22)
            del primals_3
            buf9 = empty_strided_cuda((256, 4), (1, 256), torch.float32)
            buf23 = empty_strided_cuda((256, 4), (1, 256), torch.float32)
            # Topologically Sorted Source Nodes: [view_17, view_19, add_9, linear_1, x, hidden, mul_26, sum_2, view_27, rms_norm, mul_37, sum_3], Original ATen: [aten.view, aten.add, aten._unsafe_view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_4:27
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_4.run(buf4, buf7, primals_1, mm_1, rsqrt_1, buf22, rsqrt, buf9, buf23, 1024, 128, stream=stream0)
            del buf22
            del buf4
            del buf7
            del mm_1
            del primals_1
            del rsqrt
            del rsqrt_1
            buf10 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_17, view_19, add_9, linear_1, x, hidden, mul_26, sum_2], Original ATen: [aten.view, aten.add, aten._unsafe_view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5:28
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5.run(buf9, buf10, 256, 4, stream=stream0)
            del buf9
            buf12 = empty_strided_cuda((256, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_17, view_19, add_9, mul_21, linear_1, x, hidden, div_3, mul_24, sub_3, mul_25, add_10, view_20, permute_19, transpose, reshape, permute_22], Original ATen: [aten.view, aten.add, aten._fused_rms_norm_backward, aten._unsafe_view, aten._fused_rms_norm, aten.t, aten.transpose, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:29
            extern_kernels.mm(reinterpret_tensor(buf11, (256, 512), (1, 256), 0), reinterpret_tensor(getitem, (512, 256), (256, 1), 0), out=buf12)
            del buf11
            del getitem
            buf21 = empty_strided_cuda((768, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_4, _generalized_scatter_4, _generalized_scatter_5, add_17, _generalized_scatter_6, add_18, permute_24, clone, view_25, view_26, permute_25, permute_28], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:30
            extern_kernels.mm(reinterpret_tensor(buf20, (768, 512), (1, 768), 0), view, out=buf21)
            del buf20
            del view
            buf24 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_27, rms_norm, mul_37, sum_3], Original ATen: [aten.view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5:31
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5.run(buf23, buf24, 256, 4, stream=stream0)
            del buf23
        return (None, buf24, buf21, buf12, buf10, buf6, buf3, buf0, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    primals_3 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_4 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_5 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_6 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_7 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_8 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    rsqrt = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    view = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    select_2 = rand_strided((4, 4, 128, 64), (98304, 64, 768, 1), device='cuda:0', dtype=torch.float32)
    view_3 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.float32)
    view_4 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.float32)
    getitem = rand_strided((4, 4, 128, 64), (32768, 64, 256, 1), device='cuda:0', dtype=torch.float32)
    getitem_1 = rand_strided((4, 4, 128), (512, 128, 1), device='cuda:0', dtype=torch.float32)
    getitem_2 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    getitem_3 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    mm_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    rsqrt_1 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    view_8 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    mm_2 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    mm_3 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    view_12 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    tangents_1 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    return [primals_1, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, rsqrt, view, select_2, view_3, view_4, getitem, getitem_1, getitem_2, getitem_3, mm_1, rsqrt_1, view_8, mm_2, mm_3, view_12, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

