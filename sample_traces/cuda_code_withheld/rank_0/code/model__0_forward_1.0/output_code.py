# AOT ID: ['0_forward']
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


# kernel path: /tmp/torchinductor_user/yp/cypcmkc2f2h4bq7ugbuipakztxrbbpgmie3ulyddrzgryrlzg7rq.py
# Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
# Source node to ATen node mapping:
#   rms_norm => add, mean, mul, mul_1, pow_1, rsqrt
# Graph fragment:
#   %primals_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %buf0 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf0]
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %primals_2 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_2]
#   %pow_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%primals_1, 2), kwargs = {})
#   %mean : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_1, [2], True), kwargs = {})
#   %add : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add,), kwargs = {})
#   %mul : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%primals_1, %rsqrt), kwargs = {})
#   %mul_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul, %primals_2), kwargs = {})
#   return %buf0,%rsqrt,%mul_1
triton_per_fused__fused_rms_norm_0 = async_compile.triton('triton_per_fused__fused_rms_norm_0', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_0', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 1573888}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_0(in_out_ptr0, in_ptr0, in_ptr1, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp12 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last')
    tmp1 = tmp0 * tmp0
    tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
    tmp4 = tl.where(xmask, tmp2, 0)
    tmp5 = tl.sum(tmp4, 1)[:, None].to(tl.float32)
    tmp6 = tl.full([1, 1], 256.0, tl.float32)
    tmp7 = (tmp5 / tmp6)
    tmp8 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp9 = tmp7 + tmp8
    tmp10 = libdevice.rsqrt(tmp9)
    tmp11 = tmp0 * tmp10
    tmp13 = tmp11 * tmp12
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp10, xmask)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp13, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/yp/cypvpkqace3x76gmi56tllhgnn5mdrcrbbclntns3r6ytzkdpuup.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, q, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, sin, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
# Source node to ATen node mapping:
#   add => add_1
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   cos => cos
#   even => slice_1
#   frequencies => pow_2
#   getitem_3 => unsqueeze
#   linear => view_1
#   mixed => view_2
#   mul_1 => mul_3
#   mul_2 => mul_4
#   mul_3 => mul_5
#   mul_4 => mul_6
#   neg => neg
#   odd => slice_2
#   permute => permute_1
#   q => select
#   sin => sin
#   stack => cat, unsqueeze_1, unsqueeze_2
#   sub => sub
#   truediv => div
# Graph fragment:
#   %mm : Tensor "f32[512, 768][768, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "f32[4, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [4, 128, 768]), kwargs = {})
#   %view_2 : Tensor "f32[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [4, 128, 3, 4, 64]), kwargs = {})
#   %permute_1 : Tensor "f32[3, 4, 4, 128, 64][256, 98304, 64, 768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select : Tensor "f32[4, 4, 128, 64][98304, 64, 768, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 0), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %sin : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %slice_1 : Tensor "f32[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_2 : Tensor "f32[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_3 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %cos), kwargs = {})
#   %mul_4 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %sin), kwargs = {})
#   %sub : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_3, %mul_4), kwargs = {})
#   %mul_5 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %sin), kwargs = {})
#   %mul_6 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %cos), kwargs = {})
#   %add_1 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_5, %mul_6), kwargs = {})
#   %unsqueeze_1 : Tensor "f32[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub, 4), kwargs = {})
#   %unsqueeze_2 : Tensor "f32[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_1, 4), kwargs = {})
#   %cat : Tensor "f32[4, 4, 128, 32, 2][32768, 8192, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_1, %unsqueeze_2], -1), kwargs = {})
#   return %cat
triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1 = async_compile.triton('triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1048576}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 2)
    x5 = ((xindex // 2) % 128)
    x6 = xindex // 256
    x1 = ((xindex // 2) % 32)
    x3 = ((xindex // 256) % 128)
    x2 = ((xindex // 64) % 4)
    x4 = xindex // 32768
    x8 = (xindex % 64)
    tmp0 = x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 1, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0)
    tmp6 = (-2)*x1
    tmp7 = tmp6.to(tl.float32)
    tmp8 = tl.full([1], 0.015625, tl.float32)
    tmp9 = tmp7 * tmp8
    tmp10 = tl.full([1], 10000.0, tl.float32)
    tmp11 = libdevice.pow(tmp10, tmp9)
    tmp12 = x3
    tmp13 = tmp12.to(tl.float32)
    tmp14 = tmp13 * tmp11
    tmp15 = tl_math.cos(tmp14)
    tmp16 = tmp5 * tmp15
    tmp17 = tl.load(in_ptr0 + (1 + 2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0)
    tmp18 = tl_math.sin(tmp14)
    tmp19 = tmp17 * tmp18
    tmp20 = tmp16 - tmp19
    tmp21 = tl.full(tmp20.shape, 0.0, tmp20.dtype)
    tmp22 = tl.where(tmp4, tmp20, tmp21)
    tmp23 = tmp0 >= tmp3
    tmp24 = tl.full([1], 2, tl.int64)
    tmp25 = tmp0 < tmp24
    tmp26 = tl.load(in_ptr0 + (2*x5 + 768*x6), tmp23, eviction_policy='evict_last', other=0.0)
    tmp27 = (-2)*x1
    tmp28 = tmp27.to(tl.float32)
    tmp29 = tl.full([1], 0.015625, tl.float32)
    tmp30 = tmp28 * tmp29
    tmp31 = tl.full([1], 10000.0, tl.float32)
    tmp32 = libdevice.pow(tmp31, tmp30)
    tmp33 = x3
    tmp34 = tmp33.to(tl.float32)
    tmp35 = tmp34 * tmp32
    tmp36 = tl_math.sin(tmp35)
    tmp37 = tmp26 * tmp36
    tmp38 = tl.load(in_ptr0 + (1 + 2*x5 + 768*x6), tmp23, eviction_policy='evict_last', other=0.0)
    tmp39 = tl_math.cos(tmp35)
    tmp40 = tmp38 * tmp39
    tmp41 = tmp37 + tmp40
    tmp42 = tl.full(tmp41.shape, 0.0, tmp41.dtype)
    tmp43 = tl.where(tmp23, tmp41, tmp42)
    tmp44 = tl.where(tmp4, tmp22, tmp43)
    tl.store(out_ptr0 + (x8 + 64*x3 + 8192*x2 + 32768*x4), tmp44, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/4q/c4qqmv42q2qs2yxdggpg35qznlgbqh4o2xsx3fadam26kzabubqm.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, k, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, sin, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
# Source node to ATen node mapping:
#   add_1 => add_2
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   cos => cos
#   even_1 => slice_3
#   frequencies => pow_2
#   getitem_3 => unsqueeze
#   k => select_1
#   linear => view_1
#   mixed => view_2
#   mul_6 => mul_8
#   mul_7 => mul_9
#   mul_8 => mul_10
#   mul_9 => mul_11
#   neg => neg
#   odd_1 => slice_4
#   permute => permute_1
#   sin => sin
#   stack_1 => cat_1, unsqueeze_4, unsqueeze_5
#   sub_1 => sub_1
#   truediv => div
# Graph fragment:
#   %mm : Tensor "f32[512, 768][768, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "f32[4, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [4, 128, 768]), kwargs = {})
#   %view_2 : Tensor "f32[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [4, 128, 3, 4, 64]), kwargs = {})
#   %permute_1 : Tensor "f32[3, 4, 4, 128, 64][256, 98304, 64, 768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select_1 : Tensor "f32[4, 4, 128, 64][98304, 64, 768, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 1), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %sin : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %slice_3 : Tensor "f32[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_4 : Tensor "f32[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_8 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %cos), kwargs = {})
#   %mul_9 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %sin), kwargs = {})
#   %sub_1 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_8, %mul_9), kwargs = {})
#   %mul_10 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %sin), kwargs = {})
#   %mul_11 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %cos), kwargs = {})
#   %add_2 : Tensor "f32[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_10, %mul_11), kwargs = {})
#   %unsqueeze_4 : Tensor "f32[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_1, 4), kwargs = {})
#   %unsqueeze_5 : Tensor "f32[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_2, 4), kwargs = {})
#   %cat_1 : Tensor "f32[4, 4, 128, 32, 2][32768, 8192, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_4, %unsqueeze_5], -1), kwargs = {})
#   return %cat_1
triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2 = async_compile.triton('triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1048576}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 2)
    x5 = ((xindex // 2) % 128)
    x6 = xindex // 256
    x1 = ((xindex // 2) % 32)
    x3 = ((xindex // 256) % 128)
    x2 = ((xindex // 64) % 4)
    x4 = xindex // 32768
    x8 = (xindex % 64)
    tmp0 = x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 1, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (256 + 2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0)
    tmp6 = (-2)*x1
    tmp7 = tmp6.to(tl.float32)
    tmp8 = tl.full([1], 0.015625, tl.float32)
    tmp9 = tmp7 * tmp8
    tmp10 = tl.full([1], 10000.0, tl.float32)
    tmp11 = libdevice.pow(tmp10, tmp9)
    tmp12 = x3
    tmp13 = tmp12.to(tl.float32)
    tmp14 = tmp13 * tmp11
    tmp15 = tl_math.cos(tmp14)
    tmp16 = tmp5 * tmp15
    tmp17 = tl.load(in_ptr0 + (257 + 2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0)
    tmp18 = tl_math.sin(tmp14)
    tmp19 = tmp17 * tmp18
    tmp20 = tmp16 - tmp19
    tmp21 = tl.full(tmp20.shape, 0.0, tmp20.dtype)
    tmp22 = tl.where(tmp4, tmp20, tmp21)
    tmp23 = tmp0 >= tmp3
    tmp24 = tl.full([1], 2, tl.int64)
    tmp25 = tmp0 < tmp24
    tmp26 = tl.load(in_ptr0 + (256 + 2*x5 + 768*x6), tmp23, eviction_policy='evict_last', other=0.0)
    tmp27 = (-2)*x1
    tmp28 = tmp27.to(tl.float32)
    tmp29 = tl.full([1], 0.015625, tl.float32)
    tmp30 = tmp28 * tmp29
    tmp31 = tl.full([1], 10000.0, tl.float32)
    tmp32 = libdevice.pow(tmp31, tmp30)
    tmp33 = x3
    tmp34 = tmp33.to(tl.float32)
    tmp35 = tmp34 * tmp32
    tmp36 = tl_math.sin(tmp35)
    tmp37 = tmp26 * tmp36
    tmp38 = tl.load(in_ptr0 + (257 + 2*x5 + 768*x6), tmp23, eviction_policy='evict_last', other=0.0)
    tmp39 = tl_math.cos(tmp35)
    tmp40 = tmp38 * tmp39
    tmp41 = tmp37 + tmp40
    tmp42 = tl.full(tmp41.shape, 0.0, tmp41.dtype)
    tmp43 = tl.where(tmp23, tmp41, tmp42)
    tmp44 = tl.where(tmp4, tmp22, tmp43)
    tl.store(out_ptr0 + (x8 + 64*x3 + 8192*x2 + 32768*x4), tmp44, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/xy/cxy7hm2ljr3qn3yk7cbdui3oo2fw43idfctnw2oj5bsmc3fhpzxo.py
# Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden => add_4, mean_1, mul_12, mul_13, pow_4, rsqrt_1
#   linear_1 => view_7
#   x => add_3
# Graph fragment:
#   %primals_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %buf12 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf12]
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_1]
#   %primals_5 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_5]
#   %view_7 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %pow_4 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%add_3, 2), kwargs = {})
#   %mean_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_4, [2], True), kwargs = {})
#   %add_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_1, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_4,), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_3, %rsqrt_1), kwargs = {})
#   %mul_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_12, %primals_5), kwargs = {})
#   return %buf12,%rsqrt_1,%mul_13
triton_per_fused__fused_rms_norm__unsafe_view_add_3 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_3', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_3', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 2098176}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_3(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp14 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2 * tmp2
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp6 = tl.where(xmask, tmp4, 0)
    tmp7 = tl.sum(tmp6, 1)[:, None].to(tl.float32)
    tmp8 = tl.full([1, 1], 256.0, tl.float32)
    tmp9 = (tmp7 / tmp8)
    tmp10 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp11 = tmp9 + tmp10
    tmp12 = libdevice.rsqrt(tmp11)
    tmp13 = tmp2 * tmp12
    tmp15 = tmp13 * tmp14
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp12, xmask)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp15, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/6x/c6xw45yarg5vlvlrrraqjdgyecsdlvxs47wwatyc7vihledkzwhj.py
# Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
# Source node to ATen node mapping:
#   linear_2 => view_9
#   linear_3 => view_11
#   mul_10 => mul_14
#   silu => add_5, div_2, exp, neg_2
# Graph fragment:
#   %mm_2 : Tensor "f32[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %mm_3 : Tensor "f32[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_3]
#   %view_9 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [4, 128, 512]), kwargs = {})
#   %neg_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%view_9,), kwargs = {})
#   %exp : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_2,), kwargs = {})
#   %add_5 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp, 1), kwargs = {})
#   %div_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%view_9, %add_5), kwargs = {})
#   %view_11 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_3, [4, 128, 512]), kwargs = {})
#   %mul_14 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_2, %view_11), kwargs = {})
#   return %mul_14
triton_poi_fused__unsafe_view_mul_silu_4 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_4', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4194304}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_4(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp6 = tl.load(in_ptr1 + (x0), None)
    tmp1 = -tmp0
    tmp2 = libdevice.exp(tmp1)
    tmp3 = tl.full([1], 1.0, tl.float32)
    tmp4 = tmp2 + tmp3
    tmp5 = (tmp0 / tmp4)
    tmp7 = tmp5 * tmp6
    tl.store(out_ptr0 + (x0), tmp7, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/gh/cghvogyufn4hzsb5xujyrk5jmftlu4qixwvc2sk3b66h7lnrraio.py
# Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3], Original ATen: [aten._unsafe_view, aten.add]
# Source node to ATen node mapping:
#   add_3 => add_6
#   linear_1 => view_7
#   linear_4 => view_13
#   x => add_3
# Graph fragment:
#   %primals_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %view_7 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %view_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [4, 128, 256]), kwargs = {})
#   %add_6 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   return %add_6
triton_poi_fused__unsafe_view_add_5 = async_compile.triton('triton_poi_fused__unsafe_view_add_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 131072}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_add_5', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2621440}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_add_5(in_out_ptr0, in_ptr0, in_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tl.load(in_ptr1 + (x0), None)
    tmp3 = tl.load(in_out_ptr0 + (x0), None)
    tmp2 = tmp0 + tmp1
    tmp4 = tmp2 + tmp3
    tl.store(in_out_ptr0 + (x0), tmp4, None)
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
        primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8 = args
        args.clear()
        assert_size_stride(primals_1, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(primals_2, (256, ), (1, ))
        assert_size_stride(primals_3, (768, 256), (256, 1))
        assert_size_stride(primals_4, (256, 256), (256, 1))
        assert_size_stride(primals_5, (256, ), (1, ))
        assert_size_stride(primals_6, (512, 256), (256, 1))
        assert_size_stride(primals_7, (512, 256), (256, 1))
        assert_size_stride(primals_8, (256, 512), (512, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf1 = reinterpret_tensor(buf0, (4, 128, 1), (128, 1, 1), 0); del buf0  # reuse
            buf2 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_0:1
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_0.run(buf1, primals_1, primals_2, buf2, 512, 256, stream=stream0)
            del primals_2
            buf3 = empty_strided_cuda((512, 768), (768, 1), torch.float32)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:2
            extern_kernels.mm(reinterpret_tensor(buf2, (512, 256), (256, 1), 0), reinterpret_tensor(primals_3, (256, 768), (1, 256), 0), out=buf3)
            buf4 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, sin, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1:3
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1.run(buf3, buf4, 131072, stream=stream0)
            buf5 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, k, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, sin, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:4
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf3, buf5, 131072, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, v, flatten, flatten_1, attended], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_efficient_attention]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_efficient_attention.default:5
            buf6 = torch.ops.aten._scaled_dot_product_efficient_attention.default(reinterpret_tensor(buf4, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf5, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf3, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, True, 0.0, True)
            buf7 = buf6[0]
            assert_size_stride(buf7, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            assert_alignment(buf7, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            buf8 = buf6[1]
            assert_size_stride(buf8, (4, 4, 128), (512, 128, 1), 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            assert_alignment(buf8, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            buf9 = buf6[2]
            assert_size_stride(buf9, (), (), 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            assert_alignment(buf9, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            buf10 = buf6[3]
            assert_size_stride(buf10, (), (), 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            assert_alignment(buf10, 16, 'torch.ops.aten._scaled_dot_product_efficient_attention.default')
            del buf6
            buf11 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:6
            extern_kernels.mm(reinterpret_tensor(buf7, (512, 256), (256, 1), 0), reinterpret_tensor(primals_4, (256, 256), (1, 256), 0), out=buf11)
            buf12 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf13 = reinterpret_tensor(buf12, (4, 128, 1), (128, 1, 1), 0); del buf12  # reuse
            buf14 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_3:7
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_3.run(buf13, primals_1, buf11, primals_5, buf14, 512, 256, stream=stream0)
            buf15 = empty_strided_cuda((512, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:8
            extern_kernels.mm(reinterpret_tensor(buf14, (512, 256), (256, 1), 0), reinterpret_tensor(primals_6, (256, 512), (1, 256), 0), out=buf15)
            buf16 = empty_strided_cuda((512, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:9
            extern_kernels.mm(reinterpret_tensor(buf14, (512, 256), (256, 1), 0), reinterpret_tensor(primals_7, (256, 512), (1, 256), 0), out=buf16)
            buf17 = empty_strided_cuda((4, 128, 512), (65536, 512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_4:10
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_4.run(buf15, buf16, buf17, 262144, stream=stream0)
            buf18 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:11
            extern_kernels.mm(reinterpret_tensor(buf17, (512, 512), (512, 1), 0), reinterpret_tensor(primals_8, (512, 256), (1, 512), 0), out=buf18)
            buf19 = reinterpret_tensor(buf18, (4, 128, 256), (32768, 256, 1), 0); del buf18  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3], Original ATen: [aten._unsafe_view, aten.add]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_5:12
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_5.run(buf19, primals_1, buf11, 131072, stream=stream0)
        return (buf19, primals_1, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, buf1, reinterpret_tensor(buf2, (512, 256), (256, 1), 0), reinterpret_tensor(buf3, (4, 4, 128, 64), (98304, 64, 768, 1), 512), reinterpret_tensor(buf4, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf5, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), buf7, buf8, buf9, buf10, buf11, buf13, reinterpret_tensor(buf14, (512, 256), (256, 1), 0), buf15, buf16, reinterpret_tensor(buf17, (512, 512), (512, 1), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    primals_2 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_3 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_4 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_5 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_6 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_7 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_8 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    return [primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

