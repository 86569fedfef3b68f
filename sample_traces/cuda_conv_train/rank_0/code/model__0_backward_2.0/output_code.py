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


# kernel path: /tmp/torchinductor_user/k3/ck33zkg5ryjprtfvhwadowlrhoz4cxer7llo3ylmtynh5qgnqzms.py
# Topologically Sorted Source Nodes: [sum_2, exp_1, mul_7, sub_3], Original ATen: [aten._log_softmax_backward_data]
# Source node to ATen node mapping:
#   exp_1 => exp_1
#   mul_7 => mul_7
#   sub_3 => sub_3
#   sum_2 => sum_2
# Graph fragment:
#   %tangents_1 : Tensor "f32[8, 10][10, 1]cuda:0" = PlaceHolder[target=tangents_1]
#   %sub_2 : Tensor "f32[8, 10][10, 1]cuda:0" = PlaceHolder[target=sub_2]
#   %sum_2 : Tensor "f32[8, 1][1, 8]cuda:0" = PlaceHolder[target=sum_2]
#   %sum_2 : Tensor "f32[8, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%tangents_1, [-1], True), kwargs = {})
#   %exp_1 : Tensor "f32[8, 10][10, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sub_2,), kwargs = {})
#   %mul_7 : Tensor "f32[8, 10][10, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%exp_1, %sum_2), kwargs = {})
#   %sub_3 : Tensor "f32[8, 10][10, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.sub.Tensor](args = (%tangents_1, %mul_7), kwargs = {})
#   return %sum_2,%sub_3
triton_per_fused__log_softmax_backward_data_0 = async_compile.triton('triton_per_fused__log_softmax_backward_data_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 8, 'r0_': 16},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__log_softmax_backward_data_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 1280}}
)
@triton.jit
def triton_per_fused__log_softmax_backward_data_0(in_ptr0, in_ptr1, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 8
    r0_numel = 10
    R0_BLOCK: tl.constexpr = 16
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = r0_index < r0_numel
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 10*x0), r0_mask & xmask, other=0.0)
    tmp5 = tl.load(in_ptr1 + (r0_1 + 10*x0), r0_mask & xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(r0_mask & xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp6 = libdevice.exp(tmp5)
    tmp7 = tmp6 * tmp4
    tmp8 = tmp0 - tmp7
    tl.store(out_ptr1 + (r0_1 + 10*x0), tmp8, r0_mask & xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/4a/c4ampcslbvz3znyf5higl5fj6ouf7ai27mdjhgzavg3hws7i5nls.py
# Topologically Sorted Source Nodes: [exp_1, mul_7, sub_3, ], Original ATen: [aten._log_softmax_backward_data, aten.mm]
# Source node to ATen node mapping:
#    => constant_pad_nd_default
#   exp_1 => exp_1
#   mul_7 => mul_7
#   sub_3 => sub_3
# Graph fragment:
#   %sub_3 : Tensor "f32[8, 10][10, 1]cuda:0" = PlaceHolder[target=sub_3]
#   %exp_1 : Tensor "f32[8, 10][10, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sub_2,), kwargs = {})
#   %mul_7 : Tensor "f32[8, 10][10, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%exp_1, %sum_2), kwargs = {})
#   %sub_3 : Tensor "f32[8, 10][10, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.sub.Tensor](args = (%tangents_1, %mul_7), kwargs = {})
#   %constant_pad_nd_default : Tensor "f32[8, 12][12, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.constant_pad_nd.default](args = (%sub_3, [0, 2, 0, 0]), kwargs = {})
#   return %constant_pad_nd_default
triton_poi_fused__log_softmax_backward_data_mm_1 = async_compile.triton('triton_poi_fused__log_softmax_backward_data_mm_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 128}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__log_softmax_backward_data_mm_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1088}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__log_softmax_backward_data_mm_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 96
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = (xindex % 12)
    x1 = xindex // 12
    x2 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 10, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (x0 + 10*x1), tmp2 & xmask, other=0.0)
    tl.store(out_ptr0 + (x2), tmp3, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/jn/cjnnru7oiryya5qqbe5waw2smf6sod5uoyi2wzjl3mjv6gbhtbqs.py
# Topologically Sorted Source Nodes: [linear, permute_1, ], Original ATen: [aten.t, aten.mm]
# Source node to ATen node mapping:
#    => constant_pad_nd_default_1
#   linear => permute
#   permute_1 => permute_1
# Graph fragment:
#   %primals_11 : Tensor "f32[10, 64][64, 1]cuda:0" = PlaceHolder[target=primals_11]
#   %permute : Tensor "f32[64, 10][1, 64]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%primals_11, [1, 0]), kwargs = {})
#   %permute_1 : Tensor "f32[10, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%permute, [1, 0]), kwargs = {})
#   %constant_pad_nd_default_1 : Tensor "f32[12, 64][64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.constant_pad_nd.default](args = (%permute_1, [0, 0, 0, 2]), kwargs = {})
#   return %constant_pad_nd_default_1
triton_poi_fused_mm_t_2 = async_compile.triton('triton_poi_fused_mm_t_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1024}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_mm_t_2', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8704}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_mm_t_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 768
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x1 = xindex // 64
    x2 = xindex
    tmp0 = x1
    tmp1 = tl.full([1], 10, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (x2), tmp2 & xmask, other=0.0)
    tl.store(out_ptr0 + (x2), tmp3, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/hc/chcfgfqyn7e5itvnruuk3vppe3dqwgj3hybpsy5k2nszmxhuvhcx.py
# Topologically Sorted Source Nodes: [unsqueeze_4, unsqueeze_5, expand, div, x_1, max_pool2d_with_indices_backward, le, scalar_tensor, where, sum_4], Original ATen: [aten.unsqueeze, aten.expand, aten.div, aten.max_pool2d_with_indices, aten.max_pool2d_with_indices_backward, aten.threshold_backward, aten.convolution_backward]
# Source node to ATen node mapping:
#   div => div
#   expand => expand
#   le => le
#   max_pool2d_with_indices_backward => max_pool2d_with_indices_backward
#   scalar_tensor => full_default
#   sum_4 => sum_4
#   unsqueeze_4 => unsqueeze_4
#   unsqueeze_5 => unsqueeze_5
#   where => where
#   x_1 => _low_memory_max_pool_offsets_to_indices
# Graph fragment:
#   %relu_1 : Tensor "f32[8, 64, 31, 31][61504, 961, 31, 1]cuda:0" = PlaceHolder[target=relu_1]
#   %getitem_3 : Tensor "i8[8, 64, 15, 15][14464, 225, 15, 1]cuda:0" = PlaceHolder[target=getitem_3]
#   %mm_default : Tensor "f32[8, 64][64, 1]cuda:0" = PlaceHolder[target=mm_default]
#   %where : Tensor "f32[8, 64, 31, 31][61504, 961, 31, 1]cuda:0" = PlaceHolder[target=where]
#   %unsqueeze_4 : Tensor "f32[8, 64, 1][64, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%mm_default, 2), kwargs = {})
#   %unsqueeze_5 : Tensor "f32[8, 64, 1, 1][64, 1, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze_4, 3), kwargs = {})
#   %expand : Tensor "f32[8, 64, 15, 15][64, 1, 0, 0]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.expand.default](args = (%unsqueeze_5, [8, 64, 15, 15]), kwargs = {})
#   %div : Tensor "f32[8, 64, 15, 15][14400, 225, 15, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Scalar](args = (%expand, 225), kwargs = {})
#   %_low_memory_max_pool_offsets_to_indices : Tensor "i64[8, 64, 15, 15][14400, 225, 15, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims._low_memory_max_pool_offsets_to_indices.default](args = (%getitem_3, [2, 2], [31, 31], [2, 2], [0, 0], [1, 1]), kwargs = {})
#   %max_pool2d_with_indices_backward : Tensor "f32[8, 64, 31, 31][61504, 961, 31, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.max_pool2d_with_indices_backward.default](args = (%div, %relu_1, [2, 2], [], [0, 0], [1, 1], False, %_low_memory_max_pool_offsets_to_indices), kwargs = {})
#   %le : Tensor "b8[8, 64, 31, 31][61504, 961, 31, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu_1, 0), kwargs = {})
#   %full_default : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where : Tensor "f32[8, 64, 31, 31][61504, 961, 31, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.where.self](args = (%le, %full_default, %max_pool2d_with_indices_backward), kwargs = {})
#   %sum_4 : Tensor "f32[64][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%where, [0, 2, 3]), kwargs = {})
#   return %where,%sum_4
triton_red_fused_convolution_backward_div_expand_max_pool2d_with_indices_max_pool2d_with_indices_backward_threshold_backward_unsqueeze_3 = async_compile.triton('triton_red_fused_convolution_backward_div_expand_max_pool2d_with_indices_max_pool2d_with_indices_backward_threshold_backward_unsqueeze_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 64, 'r0_': 8192},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*i8', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_convolution_backward_div_expand_max_pool2d_with_indices_max_pool2d_with_indices_backward_threshold_backward_unsqueeze_3', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2560, 'r0_': 5904384}}
)
@triton.jit
def triton_red_fused_convolution_backward_div_expand_max_pool2d_with_indices_max_pool2d_with_indices_backward_threshold_backward_unsqueeze_3(in_out_ptr0, in_ptr0, in_ptr1, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 64
    r0_numel = 7688
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    _tmp18 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_3 = r0_index // 961
        r0_4 = (r0_index % 961)
        r0_1 = (r0_index % 31)
        r0_2 = ((r0_index // 31) % 31)
        tmp0 = tl.load(in_out_ptr0 + (r0_4 + 961*x0 + 61504*r0_3), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp3 = tl.load(in_ptr0 + (15*((r0_2 // 2) * ((r0_2 // 2) <= ((-1) + ((15) * ((15) <= (1 + (r0_2 // 2))) + (1 + (r0_2 // 2)) * ((1 + (r0_2 // 2)) < (15))))) + ((-1) + ((15) * ((15) <= (1 + (r0_2 // 2))) + (1 + (r0_2 // 2)) * ((1 + (r0_2 // 2)) < (15)))) * (((-1) + ((15) * ((15) <= (1 + (r0_2 // 2))) + (1 + (r0_2 // 2)) * ((1 + (r0_2 // 2)) < (15)))) < (r0_2 // 2))) + 225*x0 + 14464*r0_3 + ((r0_1 // 2) * ((r0_1 // 2) <= ((-1) + ((15) * ((15) <= (1 + (r0_1 // 2))) + (1 + (r0_1 // 2)) * ((1 + (r0_1 // 2)) < (15))))) + ((-1) + ((15) * ((15) <= (1 + (r0_1 // 2))) + (1 + (r0_1 // 2)) * ((1 + (r0_1 // 2)) < (15)))) * (((-1) + ((15) * ((15) <= (1 + (r0_1 // 2))) + (1 + (r0_1 // 2)) * ((1 + (r0_1 // 2)) < (15)))) < (r0_1 // 2)))), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp9 = tl.load(in_ptr1 + (x0 + 64*r0_3), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp1 = tl.full([1, 1], 0.0, tl.float32)
        tmp2 = tmp0 <= tmp1
        tmp4 = tl.full([1, 1], 4, tl.int32)
        tmp5 = tmp3 + tmp4
        tmp6 = tmp3 < 0
        tmp7 = tl.where(tmp6, tmp5, tmp3)
        tl.device_assert(((0 <= tmp7) & (tmp7 < 4)) | ~(r0_mask & xmask), "index out of bounds: 0 <= tmp7 < 4")
        tmp10 = tl.full([1, 1], 0.0044444444444444444, tl.float32)
        tmp11 = tmp9 * tmp10
        tmp12 = tmp7 + 2*((r0_1 // 2) * ((r0_1 // 2) <= ((-1) + ((15) * ((15) <= (1 + (r0_1 // 2))) + (1 + (r0_1 // 2)) * ((1 + (r0_1 // 2)) < (15))))) + ((-1) + ((15) * ((15) <= (1 + (r0_1 // 2))) + (1 + (r0_1 // 2)) * ((1 + (r0_1 // 2)) < (15)))) * (((-1) + ((15) * ((15) <= (1 + (r0_1 // 2))) + (1 + (r0_1 // 2)) * ((1 + (r0_1 // 2)) < (15)))) < (r0_1 // 2))) + 29*(tmp7 // 2) + 62*((r0_2 // 2) * ((r0_2 // 2) <= ((-1) + ((15) * ((15) <= (1 + (r0_2 // 2))) + (1 + (r0_2 // 2)) * ((1 + (r0_2 // 2)) < (15))))) + ((-1) + ((15) * ((15) <= (1 + (r0_2 // 2))) + (1 + (r0_2 // 2)) * ((1 + (r0_2 // 2)) < (15)))) * (((-1) + ((15) * ((15) <= (1 + (r0_2 // 2))) + (1 + (r0_2 // 2)) * ((1 + (r0_2 // 2)) < (15)))) < (r0_2 // 2)))
        tmp13 = r0_4
        tmp14 = tmp12 == tmp13
        tmp15 = tl.where(tmp14, tmp11, tmp1)
        tmp16 = tl.where(tmp2, tmp1, tmp15)
        tmp17 = tl.broadcast_to(tmp16, [XBLOCK, R0_BLOCK])
        tmp19 = _tmp18 + tmp17
        _tmp18 = tl.where(r0_mask & xmask, tmp19, _tmp18)
        tl.store(in_out_ptr0 + (r0_4 + 961*x0 + 61504*r0_3), tmp16, r0_mask & xmask)
    tmp18 = tl.sum(_tmp18, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp18, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/us/cushia2iez7cjmcghgocozeqxhvwm4ruk6lsynhkyaaflw2azkc7.py
# Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sum_5, sub_4, mul_8, sum_6], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
# Source node to ATen node mapping:
#   le_1 => le_1
#   mul_8 => mul_8
#   scalar_tensor => full_default
#   sub_4 => sub_4
#   sum_5 => sum_5
#   sum_6 => sum_6
#   where_1 => where_1
# Graph fragment:
#   %relu : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0" = PlaceHolder[target=relu]
#   %getitem_4 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0" = PlaceHolder[target=getitem_4]
#   %convolution : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0" = PlaceHolder[target=convolution]
#   %unsqueeze_8 : Tensor "f32[1, 32, 1, 1][32, 1, 1, 1]cuda:0" = PlaceHolder[target=unsqueeze_8]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %le_1 : Tensor "b8[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu, 0), kwargs = {})
#   %where_1 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le_1, %full_default, %getitem_4), kwargs = {})
#   %sum_5 : Tensor "f32[32][1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%where_1, [0, 2, 3]), kwargs = {})
#   %sub_4 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convolution, %unsqueeze_8), kwargs = {})
#   %mul_8 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%where_1, %sub_4), kwargs = {})
#   %sum_6 : Tensor "f32[32][1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_8, [0, 2, 3]), kwargs = {})
#   return %buf12,%buf14
triton_red_fused_native_batch_norm_backward_threshold_backward_4 = async_compile.triton('triton_red_fused_native_batch_norm_backward_threshold_backward_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 128, 'r0_': 8192},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_native_batch_norm_backward_threshold_backward_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 2, 'num_reduction': 2, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2176, 'r0_': 12582912}}
)
@triton.jit
def triton_red_fused_native_batch_norm_backward_threshold_backward_4(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 128
    r0_numel = 8192
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = (xindex % 32)
    x1 = xindex // 32
    _tmp6 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    tmp9 = tl.load(in_ptr3 + (x0), xmask, eviction_policy='evict_last')
    _tmp13 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (4096*x0 + 131072*(r0_2 // 4096) + 262144*x1 + ((r0_2 % 4096))), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp3 = tl.load(in_ptr1 + (4096*x0 + 131072*(r0_2 // 4096) + 262144*x1 + ((r0_2 % 4096))), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp8 = tl.load(in_ptr2 + (4096*x0 + 131072*(r0_2 // 4096) + 262144*x1 + ((r0_2 % 4096))), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.full([1, 1], 0.0, tl.float32)
        tmp2 = tmp0 <= tmp1
        tmp4 = tl.where(tmp2, tmp1, tmp3)
        tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
        tmp7 = _tmp6 + tmp5
        _tmp6 = tl.where(r0_mask & xmask, tmp7, _tmp6)
        tmp10 = tmp8 - tmp9
        tmp11 = tmp4 * tmp10
        tmp12 = tl.broadcast_to(tmp11, [XBLOCK, R0_BLOCK])
        tmp14 = _tmp13 + tmp12
        _tmp13 = tl.where(r0_mask & xmask, tmp14, _tmp13)
    tmp6 = tl.sum(_tmp6, 1)[:, None]
    tmp13 = tl.sum(_tmp13, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp6, xmask)
    tl.store(out_ptr1 + (x3), tmp13, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/q6/cq65obbwmrvyyveqeo7i5o7yfk2nmgrnvq7ld27ddevxykh23bc7.py
# Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sum_5], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
# Source node to ATen node mapping:
#   le_1 => le_1
#   scalar_tensor => full_default
#   sum_5 => sum_5
#   where_1 => where_1
# Graph fragment:
#   %buf12 : Tensor "f32[32, 4][1, 32]cuda:0" = PlaceHolder[target=buf12]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %le_1 : Tensor "b8[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu, 0), kwargs = {})
#   %where_1 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le_1, %full_default, %getitem_4), kwargs = {})
#   %sum_5 : Tensor "f32[32][1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%where_1, [0, 2, 3]), kwargs = {})
#   return %sum_5
triton_per_fused_native_batch_norm_backward_threshold_backward_5 = async_compile.triton('triton_per_fused_native_batch_norm_backward_threshold_backward_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 32, 'r0_': 4},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused_native_batch_norm_backward_threshold_backward_5', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 768, 'r0_': 0}}
)
@triton.jit
def triton_per_fused_native_batch_norm_backward_threshold_backward_5(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 32
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
    tmp0 = tl.load(in_ptr0 + (x0 + 32*r0_1), xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/6l/c6lboa5xuvzmzlbkxzre7hvcbsca7htvkuwvtilrreavd7zmmn2i.py
# Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sub_4, mul_8, sum_6, mul_16], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
# Source node to ATen node mapping:
#   le_1 => le_1
#   mul_16 => mul_16
#   mul_8 => mul_8
#   scalar_tensor => full_default
#   sub_4 => sub_4
#   sum_6 => sum_6
#   where_1 => where_1
# Graph fragment:
#   %buf14 : Tensor "f32[32, 4][1, 32]cuda:0" = PlaceHolder[target=buf14]
#   %sum_6 : Tensor "f32[32][1]cuda:0" = PlaceHolder[target=sum_6]
#   %squeeze_1 : Tensor "f32[32][1]cuda:0" = PlaceHolder[target=squeeze_1]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %le_1 : Tensor "b8[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu, 0), kwargs = {})
#   %where_1 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le_1, %full_default, %getitem_4), kwargs = {})
#   %sub_4 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convolution, %unsqueeze_8), kwargs = {})
#   %mul_8 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%where_1, %sub_4), kwargs = {})
#   %sum_6 : Tensor "f32[32][1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_8, [0, 2, 3]), kwargs = {})
#   %mul_16 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sum_6, %squeeze_1), kwargs = {})
#   return %sum_6,%mul_16
triton_per_fused_native_batch_norm_backward_threshold_backward_6 = async_compile.triton('triton_per_fused_native_batch_norm_backward_threshold_backward_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 32, 'r0_': 4},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused_native_batch_norm_backward_threshold_backward_6', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1152, 'r0_': 0}}
)
@triton.jit
def triton_per_fused_native_batch_norm_backward_threshold_backward_6(in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 32
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
    tmp0 = tl.load(in_ptr0 + (x0 + 32*r0_1), xmask, other=0.0)
    tmp5 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp6 = tmp4 * tmp5
    tl.store(out_ptr1 + (x0), tmp6, xmask)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/on/conax4frm3cwoases7psyzdp4e6j35jx66rt7mswvxudgs7alsbz.py
# Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sub_4, mul_9, unsqueeze_9, unsqueeze_10, unsqueeze_11, mul_10, mul_11, mul_12, unsqueeze_12, unsqueeze_13, unsqueeze_14, mul_13, unsqueeze_15, unsqueeze_16, unsqueeze_17, mul_14, sub_6, sub_7, mul_15], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
# Source node to ATen node mapping:
#   le_1 => le_1
#   mul_10 => mul_10
#   mul_11 => mul_11
#   mul_12 => mul_12
#   mul_13 => mul_13
#   mul_14 => mul_14
#   mul_15 => mul_15
#   mul_9 => mul_9
#   scalar_tensor => full_default
#   sub_4 => sub_4
#   sub_6 => sub_6
#   sub_7 => sub_7
#   unsqueeze_10 => unsqueeze_10
#   unsqueeze_11 => unsqueeze_11
#   unsqueeze_12 => unsqueeze_12
#   unsqueeze_13 => unsqueeze_13
#   unsqueeze_14 => unsqueeze_14
#   unsqueeze_15 => unsqueeze_15
#   unsqueeze_16 => unsqueeze_16
#   unsqueeze_17 => unsqueeze_17
#   unsqueeze_9 => unsqueeze_9
#   where_1 => where_1
# Graph fragment:
#   %relu : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0" = PlaceHolder[target=relu]
#   %getitem_4 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0" = PlaceHolder[target=getitem_4]
#   %convolution : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0" = PlaceHolder[target=convolution]
#   %unsqueeze_8 : Tensor "f32[1, 32, 1, 1][32, 1, 1, 1]cuda:0" = PlaceHolder[target=unsqueeze_8]
#   %sum_6 : Tensor "f32[32][1]cuda:0" = PlaceHolder[target=sum_6]
#   %squeeze_1 : Tensor "f32[32][1]cuda:0" = PlaceHolder[target=squeeze_1]
#   %sum_5 : Tensor "f32[32][1]cuda:0" = PlaceHolder[target=sum_5]
#   %primals_7 : Tensor "f32[32][1]cuda:0" = PlaceHolder[target=primals_7]
#   %full_default : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %le_1 : Tensor "b8[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.le.Scalar](args = (%relu, 0), kwargs = {})
#   %where_1 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.where.self](args = (%le_1, %full_default, %getitem_4), kwargs = {})
#   %sub_4 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convolution, %unsqueeze_8), kwargs = {})
#   %mul_9 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sum_5, 3.0517578125e-05), kwargs = {})
#   %unsqueeze_9 : Tensor "f32[1, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%mul_9, 0), kwargs = {})
#   %unsqueeze_10 : Tensor "f32[1, 32, 1][32, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze_9, 2), kwargs = {})
#   %unsqueeze_11 : Tensor "f32[1, 32, 1, 1][32, 1, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze_10, 3), kwargs = {})
#   %mul_10 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sum_6, 3.0517578125e-05), kwargs = {})
#   %mul_11 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%squeeze_1, %squeeze_1), kwargs = {})
#   %mul_12 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_10, %mul_11), kwargs = {})
#   %unsqueeze_12 : Tensor "f32[1, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%mul_12, 0), kwargs = {})
#   %unsqueeze_13 : Tensor "f32[1, 32, 1][32, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze_12, 2), kwargs = {})
#   %unsqueeze_14 : Tensor "f32[1, 32, 1, 1][32, 1, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze_13, 3), kwargs = {})
#   %mul_13 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%squeeze_1, %primals_7), kwargs = {})
#   %unsqueeze_15 : Tensor "f32[1, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%mul_13, 0), kwargs = {})
#   %unsqueeze_16 : Tensor "f32[1, 32, 1][32, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze_15, 2), kwargs = {})
#   %unsqueeze_17 : Tensor "f32[1, 32, 1, 1][32, 1, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%unsqueeze_16, 3), kwargs = {})
#   %mul_14 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_4, %unsqueeze_14), kwargs = {})
#   %sub_6 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%where_1, %mul_14), kwargs = {})
#   %sub_7 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%sub_6, %unsqueeze_11), kwargs = {})
#   %mul_15 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_7, %unsqueeze_17), kwargs = {})
#   return %mul_15
triton_poi_fused_native_batch_norm_backward_threshold_backward_7 = async_compile.triton('triton_poi_fused_native_batch_norm_backward_threshold_backward_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1048576}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'in_ptr6': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_native_batch_norm_backward_threshold_backward_7', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 8, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 20971520}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_native_batch_norm_backward_threshold_backward_7(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x3 = xindex
    x1 = ((xindex // 4096) % 32)
    tmp0 = tl.load(in_out_ptr0 + (x3), None)
    tmp3 = tl.load(in_ptr0 + (x3), None)
    tmp5 = tl.load(in_ptr1 + (x3), None)
    tmp6 = tl.load(in_ptr2 + (x1), None, eviction_policy='evict_last')
    tmp8 = tl.load(in_ptr3 + (x1), None, eviction_policy='evict_last')
    tmp11 = tl.load(in_ptr4 + (x1), None, eviction_policy='evict_last')
    tmp16 = tl.load(in_ptr5 + (x1), None, eviction_policy='evict_last')
    tmp19 = tl.load(in_ptr6 + (x1), None, eviction_policy='evict_last')
    tmp1 = tl.full([1], 0.0, tl.float32)
    tmp2 = tmp0 <= tmp1
    tmp4 = tl.where(tmp2, tmp1, tmp3)
    tmp7 = tmp5 - tmp6
    tmp9 = tl.full([1], 3.0517578125e-05, tl.float32)
    tmp10 = tmp8 * tmp9
    tmp12 = tmp11 * tmp11
    tmp13 = tmp10 * tmp12
    tmp14 = tmp7 * tmp13
    tmp15 = tmp4 - tmp14
    tmp17 = tmp16 * tmp9
    tmp18 = tmp15 - tmp17
    tmp20 = tmp11 * tmp19
    tmp21 = tmp18 * tmp20
    tl.store(in_out_ptr0 + (x3), tmp21, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/j7/cj7v5d3cteup4kgr6menlqro463dalodwnplsjjz33vr3xrcopxx.py
# Topologically Sorted Source Nodes: [sum_3], Original ATen: [aten.sum]
# Source node to ATen node mapping:
#   sum_3 => sum_3
# Graph fragment:
#   %sub_3 : Tensor "f32[8, 10][10, 1]cuda:0" = PlaceHolder[target=sub_3]
#   %sum_3 : Tensor "f32[1, 10][10, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%sub_3, [0], True), kwargs = {})
#   return %sum_3
triton_per_fused_sum_8 = async_compile.triton('triton_per_fused_sum_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 16, 'r0_': 8},
    reduction_hint=ReductionHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused_sum_8', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 400, 'r0_': 0}}
)
@triton.jit
def triton_per_fused_sum_8(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 10
    r0_numel = 8
    R0_BLOCK: tl.constexpr = 8
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
    tmp0 = tl.load(in_ptr0 + (x0 + 10*r0_1), xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/oc/coc62xzj6kazgwfhqxe4yyvsjp4mmqhcshrnbonlqyqclwtmxei3.py
# Topologically Sorted Source Nodes: [sum_7], Original ATen: [aten.convolution_backward]
# Source node to ATen node mapping:
#   sum_7 => sum_7
# Graph fragment:
#   %mul_15 : Tensor "f32[8, 32, 64, 64][131072, 4096, 64, 1]cuda:0" = PlaceHolder[target=mul_15]
#   %sum_7 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_15, [0, 2, 3]), kwargs = {})
#   return %buf18
triton_red_fused_convolution_backward_9 = async_compile.triton('triton_red_fused_convolution_backward_9', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 128, 'r0_': 8192},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused_convolution_backward_9', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1024, 'r0_': 4194304}}
)
@triton.jit
def triton_red_fused_convolution_backward_9(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 128
    r0_numel = 8192
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = (xindex % 32)
    x1 = xindex // 32
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (4096*x0 + 131072*(r0_2 // 4096) + 262144*x1 + ((r0_2 % 4096))), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp2, xmask)
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
        primals_1, primals_3, primals_7, primals_9, primals_11, convolution, squeeze_1, relu, relu_1, getitem_3, mean, sub_2, unsqueeze_8, tangents_1 = args
        args.clear()
        assert_size_stride(primals_1, (32, 3, 3, 3), (27, 9, 3, 1))
        assert_size_stride(primals_3, (8, 3, 64, 64), (12288, 4096, 64, 1))
        assert_size_stride(primals_7, (32, ), (1, ))
        assert_size_stride(primals_9, (64, 32, 3, 3), (288, 9, 3, 1))
        assert_size_stride(primals_11, (10, 64), (64, 1))
        assert_size_stride(convolution, (8, 32, 64, 64), (131072, 4096, 64, 1))
        assert_size_stride(squeeze_1, (32, ), (1, ))
        assert_size_stride(relu, (8, 32, 64, 64), (131072, 4096, 64, 1))
        assert_size_stride(relu_1, (8, 64, 31, 31), (61504, 961, 31, 1))
        assert_size_stride(getitem_3, (8, 64, 15, 15), (14464, 225, 15, 1))
        assert_size_stride(mean, (8, 64), (64, 1))
        assert_size_stride(sub_2, (8, 10), (10, 1))
        assert_size_stride(unsqueeze_8, (1, 32, 1, 1), (32, 1, 1, 1))
        assert_size_stride(tangents_1, (8, 10), (10, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf1 = empty_strided_cuda((8, 10), (10, 1), torch.float32)
            # Topologically Sorted Source Nodes: [sum_2, exp_1, mul_7, sub_3], Original ATen: [aten._log_softmax_backward_data]
            # [Provenance debug handles] triton_per_fused__log_softmax_backward_data_0:1
            stream0 = get_raw_stream(0)
            triton_per_fused__log_softmax_backward_data_0.run(tangents_1, sub_2, buf1, 8, 10, stream=stream0)
            del sub_2
            del tangents_1
            buf2 = empty_strided_cuda((8, 12), (12, 1), torch.float32)
            # Topologically Sorted Source Nodes: [exp_1, mul_7, sub_3, ], Original ATen: [aten._log_softmax_backward_data, aten.mm]
            # [Provenance debug handles] triton_poi_fused__log_softmax_backward_data_mm_1:2
            stream0 = get_raw_stream(0)
            triton_poi_fused__log_softmax_backward_data_mm_1.run(buf1, buf2, 96, stream=stream0)
            buf3 = empty_strided_cuda((12, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear, permute_1, ], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] triton_poi_fused_mm_t_2:3
            stream0 = get_raw_stream(0)
            triton_poi_fused_mm_t_2.run(primals_11, buf3, 768, stream=stream0)
            del primals_11
            buf4 = empty_strided_cuda((8, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [exp_1, mul_7, sub_3, linear, permute_1, ], Original ATen: [aten._log_softmax_backward_data, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:4
            extern_kernels.mm(buf2, buf3, out=buf4)
            del buf2
            del buf3
            buf7 = relu_1; del relu_1  # reuse
            buf8 = empty_strided_cuda((64, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [unsqueeze_4, unsqueeze_5, expand, div, x_1, max_pool2d_with_indices_backward, le, scalar_tensor, where, sum_4], Original ATen: [aten.unsqueeze, aten.expand, aten.div, aten.max_pool2d_with_indices, aten.max_pool2d_with_indices_backward, aten.threshold_backward, aten.convolution_backward]
            # [Provenance debug handles] triton_red_fused_convolution_backward_div_expand_max_pool2d_with_indices_max_pool2d_with_indices_backward_threshold_backward_unsqueeze_3:5
            stream0 = get_raw_stream(0)
            triton_red_fused_convolution_backward_div_expand_max_pool2d_with_indices_max_pool2d_with_indices_backward_threshold_backward_unsqueeze_3.run(buf7, getitem_3, buf4, buf8, 64, 7688, stream=stream0)
            del buf4
            del getitem_3
            # Topologically Sorted Source Nodes: [convolution_backward], Original ATen: [aten.convolution_backward]
            # [Provenance debug handles] torch.ops.aten.convolution_backward.default:6
            buf9 = torch.ops.aten.convolution_backward.default(buf7, relu, primals_9, [64], [2, 2], [0, 0], [1, 1], False, [0, 0], 1, [True, True, False])
            del buf7
            del primals_9
            buf10 = buf9[0]
            assert_size_stride(buf10, (8, 32, 64, 64), (131072, 4096, 64, 1), 'torch.ops.aten.convolution_backward.default')
            assert_alignment(buf10, 16, 'torch.ops.aten.convolution_backward.default')
            buf11 = buf9[1]
            assert_size_stride(buf11, (64, 32, 3, 3), (288, 9, 3, 1), 'torch.ops.aten.convolution_backward.default')
            assert_alignment(buf11, 16, 'torch.ops.aten.convolution_backward.default')
            del buf9
            buf12 = empty_strided_cuda((32, 4), (1, 32), torch.float32)
            buf14 = empty_strided_cuda((32, 4), (1, 32), torch.float32)
            # Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sum_5, sub_4, mul_8, sum_6], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
            # [Provenance debug handles] triton_red_fused_native_batch_norm_backward_threshold_backward_4:7
            stream0 = get_raw_stream(0)
            triton_red_fused_native_batch_norm_backward_threshold_backward_4.run(relu, buf10, convolution, unsqueeze_8, buf12, buf14, 128, 8192, stream=stream0)
            buf13 = empty_strided_cuda((32, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sum_5], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
            # [Provenance debug handles] triton_per_fused_native_batch_norm_backward_threshold_backward_5:8
            stream0 = get_raw_stream(0)
            triton_per_fused_native_batch_norm_backward_threshold_backward_5.run(buf12, buf13, 32, 4, stream=stream0)
            del buf12
            buf15 = empty_strided_cuda((32, ), (1, ), torch.float32)
            buf17 = empty_strided_cuda((32, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sub_4, mul_8, sum_6, mul_16], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
            # [Provenance debug handles] triton_per_fused_native_batch_norm_backward_threshold_backward_6:9
            stream0 = get_raw_stream(0)
            triton_per_fused_native_batch_norm_backward_threshold_backward_6.run(buf14, squeeze_1, buf15, buf17, 32, 4, stream=stream0)
            del buf14
            buf16 = relu; del relu  # reuse
            # Topologically Sorted Source Nodes: [scalar_tensor, le_1, where_1, sub_4, mul_9, unsqueeze_9, unsqueeze_10, unsqueeze_11, mul_10, mul_11, mul_12, unsqueeze_12, unsqueeze_13, unsqueeze_14, mul_13, unsqueeze_15, unsqueeze_16, unsqueeze_17, mul_14, sub_6, sub_7, mul_15], Original ATen: [aten.threshold_backward, aten.native_batch_norm_backward]
            # [Provenance debug handles] triton_poi_fused_native_batch_norm_backward_threshold_backward_7:10
            stream0 = get_raw_stream(0)
            triton_poi_fused_native_batch_norm_backward_threshold_backward_7.run(buf16, buf10, convolution, unsqueeze_8, buf15, squeeze_1, buf13, primals_7, 1048576, stream=stream0)
            del buf10
            del convolution
            del primals_7
            del squeeze_1
            del unsqueeze_8
            # Topologically Sorted Source Nodes: [convolution_backward_1], Original ATen: [aten.convolution_backward]
            # [Provenance debug handles] torch.ops.aten.convolution_backward.default:11
            buf20 = torch.ops.aten.convolution_backward.default(buf16, primals_3, primals_1, [32], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [False, True, False])
            del primals_1
            del primals_3
            buf21 = buf20[1]
            assert_size_stride(buf21, (32, 3, 3, 3), (27, 9, 3, 1), 'torch.ops.aten.convolution_backward.default')
            assert_alignment(buf21, 16, 'torch.ops.aten.convolution_backward.default')
            del buf20
            buf6 = empty_strided_cuda((1, 10), (10, 1), torch.float32)
            # Topologically Sorted Source Nodes: [sum_3], Original ATen: [aten.sum]
            # [Provenance debug handles] triton_per_fused_sum_8:12
            stream0 = get_raw_stream(0)
            triton_per_fused_sum_8.run(buf1, buf6, 10, 8, stream=stream0)
            buf18 = empty_strided_cuda((32, 4), (1, 32), torch.float32)
            # Topologically Sorted Source Nodes: [sum_7], Original ATen: [aten.convolution_backward]
            # [Provenance debug handles] triton_red_fused_convolution_backward_9:13
            stream0 = get_raw_stream(0)
            triton_red_fused_convolution_backward_9.run(buf16, buf18, 128, 8192, stream=stream0)
            del buf16
            buf19 = buf15; del buf15  # reuse
            # Topologically Sorted Source Nodes: [sum_7], Original ATen: [aten.convolution_backward]
            # [Provenance debug handles] triton_per_fused_native_batch_norm_backward_threshold_backward_5:14
            stream0 = get_raw_stream(0)
            triton_per_fused_native_batch_norm_backward_threshold_backward_5.run(buf18, buf19, 32, 4, stream=stream0)
            del buf18
            buf5 = empty_strided_cuda((10, 64), (64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [permute_2, permute_4], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:15
            extern_kernels.mm(reinterpret_tensor(buf1, (10, 8), (1, 10), 0), mean, out=buf5)
            del buf1
            del mean
        return (buf21, buf19, None, None, None, None, buf17, buf13, buf11, buf8, buf5, reinterpret_tensor(buf6, (10, ), (1, ), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((32, 3, 3, 3), (27, 9, 3, 1), device='cuda:0', dtype=torch.float32)
    primals_3 = rand_strided((8, 3, 64, 64), (12288, 4096, 64, 1), device='cuda:0', dtype=torch.float32)
    primals_7 = rand_strided((32, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_9 = rand_strided((64, 32, 3, 3), (288, 9, 3, 1), device='cuda:0', dtype=torch.float32)
    primals_11 = rand_strided((10, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    convolution = rand_strided((8, 32, 64, 64), (131072, 4096, 64, 1), device='cuda:0', dtype=torch.float32)
    squeeze_1 = rand_strided((32, ), (1, ), device='cuda:0', dtype=torch.float32)
    relu = rand_strided((8, 32, 64, 64), (131072, 4096, 64, 1), device='cuda:0', dtype=torch.float32)
    relu_1 = rand_strided((8, 64, 31, 31), (61504, 961, 31, 1), device='cuda:0', dtype=torch.float32)
    getitem_3 = rand_strided((8, 64, 15, 15), (14464, 225, 15, 1), device='cuda:0', dtype=torch.int8)
    mean = rand_strided((8, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    sub_2 = rand_strided((8, 10), (10, 1), device='cuda:0', dtype=torch.float32)
    unsqueeze_8 = rand_strided((1, 32, 1, 1), (32, 1, 1, 1), device='cuda:0', dtype=torch.float32)
    tangents_1 = rand_strided((8, 10), (10, 1), device='cuda:0', dtype=torch.float32)
    return [primals_1, primals_3, primals_7, primals_9, primals_11, convolution, squeeze_1, relu, relu_1, getitem_3, mean, sub_2, unsqueeze_8, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

