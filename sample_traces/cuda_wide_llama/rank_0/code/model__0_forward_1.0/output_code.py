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


# kernel path: /tmp/torchinductor_user/b5/cb5hgzccpy2s6e3qpcilonnqln3ljgq3i7usyvzh6zp4icccrnb4.py
# Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
# Source node to ATen node mapping:
#   rms_norm => add, convert_element_type, convert_element_type_1, mean, mul, mul_1, pow_1, rsqrt
# Graph fragment:
#   %primals_1 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %buf0 : Tensor "f32[8, 1024, 1][1024, 1, 8192]cuda:0" = PlaceHolder[target=buf0]
#   %rsqrt : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %primals_2 : Tensor "bf16[1024][1]cuda:0" = PlaceHolder[target=primals_2]
#   %convert_element_type : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_1, torch.float32), kwargs = {})
#   %pow_1 : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type, 2), kwargs = {})
#   %mean : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_1, [2], True), kwargs = {})
#   %add : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add,), kwargs = {})
#   %mul : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type, %rsqrt), kwargs = {})
#   %mul_1 : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul, %primals_2), kwargs = {})
#   %convert_element_type_1 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_1, torch.bfloat16), kwargs = {})
#   return %buf0,%rsqrt,%convert_element_type_1
triton_per_fused__fused_rms_norm_0 = async_compile.triton('triton_per_fused__fused_rms_norm_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 8192, 'r0_': 1024},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_0', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 65536, 'r0_': 50333696}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_0(in_out_ptr0, in_ptr0, in_ptr1, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 8192
    r0_numel = 1024
    R0_BLOCK: tl.constexpr = 1024
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 1024*x0), None).to(tl.float32)
    tmp12 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = tmp1 * tmp1
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp6 = tl.full([1, 1], 1024.0, tl.float32)
    tmp7 = (tmp5 / tmp6)
    tmp8 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp9 = tmp7 + tmp8
    tmp10 = libdevice.rsqrt(tmp9)
    tmp11 = tmp1 * tmp10
    tmp13 = tmp12.to(tl.float32)
    tmp14 = tmp11 * tmp13
    tmp15 = tmp14.to(tl.float32)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp10, None)
    tl.store(out_ptr0 + (r0_1 + 1024*x0), tmp15, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/po/cpoy5nk2hfmg7ctvwz555ajnibloyysu5xruljgbbfwg7phb76nf.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, q, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
# Source node to ATen node mapping:
#   add => add_1
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   cos => cos
#   cos_1 => convert_element_type_4
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
#   sin_1 => convert_element_type_5
#   stack => cat, unsqueeze_1, unsqueeze_2
#   sub => sub
#   truediv => div
# Graph fragment:
#   %mm : Tensor "bf16[8192, 3072][3072, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "bf16[8, 1024, 3072][3145728, 3072, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [8, 1024, 3072]), kwargs = {})
#   %view_2 : Tensor "bf16[8, 1024, 3, 16, 64][3145728, 3072, 1024, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [8, 1024, 3, 16, 64]), kwargs = {})
#   %permute_1 : Tensor "bf16[3, 8, 16, 1024, 64][1024, 3145728, 64, 3072, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select : Tensor "bf16[8, 16, 1024, 64][3145728, 64, 3072, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 0), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[1024][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (1024,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[1024, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[1024, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[1024, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_4 : Tensor "bf16[1024, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos, torch.bfloat16), kwargs = {})
#   %sin : Tensor "f32[1024, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_5 : Tensor "bf16[1024, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin, torch.bfloat16), kwargs = {})
#   %slice_1 : Tensor "bf16[8, 16, 1024, 32][3145728, 64, 3072, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_2 : Tensor "bf16[8, 16, 1024, 32][3145728, 64, 3072, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_3 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_4), kwargs = {})
#   %mul_4 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_5), kwargs = {})
#   %sub : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_3, %mul_4), kwargs = {})
#   %mul_5 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_5), kwargs = {})
#   %mul_6 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_4), kwargs = {})
#   %add_1 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_5, %mul_6), kwargs = {})
#   %unsqueeze_1 : Tensor "bf16[8, 16, 1024, 32, 1][524288, 32, 512, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub, 4), kwargs = {})
#   %unsqueeze_2 : Tensor "bf16[8, 16, 1024, 32, 1][524288, 32, 512, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_1, 4), kwargs = {})
#   %cat : Tensor "bf16[8, 16, 1024, 32, 2][1048576, 65536, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_1, %unsqueeze_2], -1), kwargs = {})
#   return %cat
triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1 = async_compile.triton('triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8388608}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 33554432}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8388608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 2)
    x5 = ((xindex // 2) % 512)
    x6 = xindex // 1024
    x1 = ((xindex // 2) % 32)
    x3 = ((xindex // 1024) % 1024)
    x2 = ((xindex // 64) % 16)
    x4 = xindex // 1048576
    x8 = (xindex % 64)
    tmp0 = x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 1, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (2*x5 + 3072*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
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
    tmp16 = tmp15.to(tl.float32)
    tmp17 = tmp5 * tmp16
    tmp18 = tl.load(in_ptr0 + (1 + 2*x5 + 3072*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp19 = tl_math.sin(tmp14)
    tmp20 = tmp19.to(tl.float32)
    tmp21 = tmp18 * tmp20
    tmp22 = tmp17 - tmp21
    tmp23 = tl.full(tmp22.shape, 0.0, tmp22.dtype)
    tmp24 = tl.where(tmp4, tmp22, tmp23)
    tmp25 = tmp0 >= tmp3
    tmp26 = tl.full([1], 2, tl.int64)
    tmp27 = tmp0 < tmp26
    tmp28 = tl.load(in_ptr0 + (2*x5 + 3072*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp29 = (-2)*x1
    tmp30 = tmp29.to(tl.float32)
    tmp31 = tl.full([1], 0.015625, tl.float32)
    tmp32 = tmp30 * tmp31
    tmp33 = tl.full([1], 10000.0, tl.float32)
    tmp34 = libdevice.pow(tmp33, tmp32)
    tmp35 = x3
    tmp36 = tmp35.to(tl.float32)
    tmp37 = tmp36 * tmp34
    tmp38 = tl_math.sin(tmp37)
    tmp39 = tmp38.to(tl.float32)
    tmp40 = tmp28 * tmp39
    tmp41 = tl.load(in_ptr0 + (1 + 2*x5 + 3072*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp42 = tl_math.cos(tmp37)
    tmp43 = tmp42.to(tl.float32)
    tmp44 = tmp41 * tmp43
    tmp45 = tmp40 + tmp44
    tmp46 = tl.full(tmp45.shape, 0.0, tmp45.dtype)
    tmp47 = tl.where(tmp25, tmp45, tmp46)
    tmp48 = tl.where(tmp4, tmp24, tmp47)
    tl.store(out_ptr0 + (x8 + 64*x3 + 65536*x2 + 1048576*x4), tmp48, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/3k/c3kq3ysibcqtdkerruepa3fqdqyrri3zxzl2dkslcw5yetz36ey3.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, k, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
# Source node to ATen node mapping:
#   add_1 => add_2
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   cos => cos
#   cos_1 => convert_element_type_4
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
#   sin_1 => convert_element_type_5
#   stack_1 => cat_1, unsqueeze_4, unsqueeze_5
#   sub_1 => sub_1
#   truediv => div
# Graph fragment:
#   %mm : Tensor "bf16[8192, 3072][3072, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "bf16[8, 1024, 3072][3145728, 3072, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [8, 1024, 3072]), kwargs = {})
#   %view_2 : Tensor "bf16[8, 1024, 3, 16, 64][3145728, 3072, 1024, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [8, 1024, 3, 16, 64]), kwargs = {})
#   %permute_1 : Tensor "bf16[3, 8, 16, 1024, 64][1024, 3145728, 64, 3072, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select_1 : Tensor "bf16[8, 16, 1024, 64][3145728, 64, 3072, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 1), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[1024][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (1024,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[1024, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[1024, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[1024, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_4 : Tensor "bf16[1024, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos, torch.bfloat16), kwargs = {})
#   %sin : Tensor "f32[1024, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_5 : Tensor "bf16[1024, 32][32, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin, torch.bfloat16), kwargs = {})
#   %slice_3 : Tensor "bf16[8, 16, 1024, 32][3145728, 64, 3072, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_4 : Tensor "bf16[8, 16, 1024, 32][3145728, 64, 3072, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_8 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_4), kwargs = {})
#   %mul_9 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_5), kwargs = {})
#   %sub_1 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_8, %mul_9), kwargs = {})
#   %mul_10 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_5), kwargs = {})
#   %mul_11 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_4), kwargs = {})
#   %add_2 : Tensor "bf16[8, 16, 1024, 32][524288, 32, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_10, %mul_11), kwargs = {})
#   %unsqueeze_4 : Tensor "bf16[8, 16, 1024, 32, 1][524288, 32, 512, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_1, 4), kwargs = {})
#   %unsqueeze_5 : Tensor "bf16[8, 16, 1024, 32, 1][524288, 32, 512, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_2, 4), kwargs = {})
#   %cat_1 : Tensor "bf16[8, 16, 1024, 32, 2][1048576, 65536, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_4, %unsqueeze_5], -1), kwargs = {})
#   return %cat_1
triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2 = async_compile.triton('triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8388608}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 33554432}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8388608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 2)
    x5 = ((xindex // 2) % 512)
    x6 = xindex // 1024
    x1 = ((xindex // 2) % 32)
    x3 = ((xindex // 1024) % 1024)
    x2 = ((xindex // 64) % 16)
    x4 = xindex // 1048576
    x8 = (xindex % 64)
    tmp0 = x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 1, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (1024 + 2*x5 + 3072*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
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
    tmp16 = tmp15.to(tl.float32)
    tmp17 = tmp5 * tmp16
    tmp18 = tl.load(in_ptr0 + (1025 + 2*x5 + 3072*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp19 = tl_math.sin(tmp14)
    tmp20 = tmp19.to(tl.float32)
    tmp21 = tmp18 * tmp20
    tmp22 = tmp17 - tmp21
    tmp23 = tl.full(tmp22.shape, 0.0, tmp22.dtype)
    tmp24 = tl.where(tmp4, tmp22, tmp23)
    tmp25 = tmp0 >= tmp3
    tmp26 = tl.full([1], 2, tl.int64)
    tmp27 = tmp0 < tmp26
    tmp28 = tl.load(in_ptr0 + (1024 + 2*x5 + 3072*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp29 = (-2)*x1
    tmp30 = tmp29.to(tl.float32)
    tmp31 = tl.full([1], 0.015625, tl.float32)
    tmp32 = tmp30 * tmp31
    tmp33 = tl.full([1], 10000.0, tl.float32)
    tmp34 = libdevice.pow(tmp33, tmp32)
    tmp35 = x3
    tmp36 = tmp35.to(tl.float32)
    tmp37 = tmp36 * tmp34
    tmp38 = tl_math.sin(tmp37)
    tmp39 = tmp38.to(tl.float32)
    tmp40 = tmp28 * tmp39
    tmp41 = tl.load(in_ptr0 + (1025 + 2*x5 + 3072*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp42 = tl_math.cos(tmp37)
    tmp43 = tmp42.to(tl.float32)
    tmp44 = tmp41 * tmp43
    tmp45 = tmp40 + tmp44
    tmp46 = tl.full(tmp45.shape, 0.0, tmp45.dtype)
    tmp47 = tl.where(tmp25, tmp45, tmp46)
    tmp48 = tl.where(tmp4, tmp24, tmp47)
    tl.store(out_ptr0 + (x8 + 64*x3 + 65536*x2 + 1048576*x4), tmp48, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/do/cdohh7klp573twsk3zm427o3qktmxqra7ebv6zhpweldigidf5fl.py
# Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
# Source node to ATen node mapping:
#   reshape => clone
#   transpose => permute_2
# Graph fragment:
#   %getitem : Tensor "bf16[8, 16, 1024, 64][1048576, 65536, 64, 1]cuda:0" = PlaceHolder[target=getitem]
#   %permute_2 : Tensor "bf16[8, 1024, 16, 64][1048576, 64, 65536, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%getitem, [0, 2, 1, 3]), kwargs = {})
#   %clone : Tensor "bf16[8, 1024, 16, 64][1048576, 1024, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_2,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone
triton_poi_fused_clone_transpose_3 = async_compile.triton('triton_poi_fused_clone_transpose_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8388608}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_clone_transpose_3', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 50331648}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_clone_transpose_3(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8388608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x1 = ((xindex // 64) % 16)
    x2 = ((xindex // 1024) % 1024)
    x3 = xindex // 1048576
    x4 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 64*x2 + 65536*x1 + 1048576*x3), None).to(tl.float32)
    tl.store(out_ptr0 + (x4), tmp0, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/5b/c5bqksh2rwamt3rqiuqmtw7qinximaqbr374n54ytzbxjbzoclaf.py
# Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden => add_4, convert_element_type_10, convert_element_type_11, mean_1, mul_12, mul_13, pow_4, rsqrt_1
#   linear_1 => view_7
#   x => add_3
# Graph fragment:
#   %primals_1 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "bf16[8192, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %buf13 : Tensor "f32[8, 1024, 1][1024, 1, 8192]cuda:0" = PlaceHolder[target=buf13]
#   %rsqrt_1 : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_1]
#   %primals_5 : Tensor "bf16[1024][1]cuda:0" = PlaceHolder[target=primals_5]
#   %view_7 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [8, 1024, 1024]), kwargs = {})
#   %add_3 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %convert_element_type_10 : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_3, torch.float32), kwargs = {})
#   %pow_4 : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_10, 2), kwargs = {})
#   %mean_1 : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_4, [2], True), kwargs = {})
#   %add_4 : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_1, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_1 : Tensor "f32[8, 1024, 1][1024, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_4,), kwargs = {})
#   %mul_12 : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_10, %rsqrt_1), kwargs = {})
#   %mul_13 : Tensor "f32[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_12, %primals_5), kwargs = {})
#   %convert_element_type_11 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_13, torch.bfloat16), kwargs = {})
#   return %buf13,%rsqrt_1,%convert_element_type_11
triton_per_fused__fused_rms_norm__unsafe_view_add_4 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 8192, 'r0_': 1024},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_4', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 65536, 'r0_': 67110912}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_4(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 8192
    r0_numel = 1024
    R0_BLOCK: tl.constexpr = 1024
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = tl.full([R0_BLOCK], True, tl.int1)[None, :]
    roffset = r0_offset
    rindex = r0_index
    r0_1 = r0_index
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (r0_1 + 1024*x0), None).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 1024*x0), None).to(tl.float32)
    tmp14 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2.to(tl.float32)
    tmp4 = tmp3 * tmp3
    tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
    tmp7 = tl.sum(tmp5, 1)[:, None].to(tl.float32)
    tmp8 = tl.full([1, 1], 1024.0, tl.float32)
    tmp9 = (tmp7 / tmp8)
    tmp10 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp11 = tmp9 + tmp10
    tmp12 = libdevice.rsqrt(tmp11)
    tmp13 = tmp3 * tmp12
    tmp15 = tmp14.to(tl.float32)
    tmp16 = tmp13 * tmp15
    tmp17 = tmp16.to(tl.float32)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp12, None)
    tl.store(out_ptr0 + (r0_1 + 1024*x0), tmp17, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/ur/curyu5mnqtdmidszl6axcebi7glftt7alpybgnakdnkndwdmn55n.py
# Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
# Source node to ATen node mapping:
#   linear_2 => view_9
#   linear_3 => view_11
#   mul_10 => mul_14
#   silu => add_5, convert_element_type_14, convert_element_type_15, div_2, exp, neg_2
# Graph fragment:
#   %mm_2 : Tensor "bf16[8192, 2048][2048, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %mm_3 : Tensor "bf16[8192, 2048][2048, 1]cuda:0" = PlaceHolder[target=mm_3]
#   %view_9 : Tensor "bf16[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [8, 1024, 2048]), kwargs = {})
#   %convert_element_type_14 : Tensor "f32[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_9, torch.float32), kwargs = {})
#   %neg_2 : Tensor "f32[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%convert_element_type_14,), kwargs = {})
#   %exp : Tensor "f32[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_2,), kwargs = {})
#   %add_5 : Tensor "f32[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp, 1), kwargs = {})
#   %div_2 : Tensor "f32[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%convert_element_type_14, %add_5), kwargs = {})
#   %convert_element_type_15 : Tensor "bf16[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%div_2, torch.bfloat16), kwargs = {})
#   %view_11 : Tensor "bf16[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_3, [8, 1024, 2048]), kwargs = {})
#   %mul_14 : Tensor "bf16[8, 1024, 2048][2097152, 2048, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_15, %view_11), kwargs = {})
#   return %mul_14
triton_poi_fused__unsafe_view_mul_silu_5 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 16777216}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_5', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 134217728}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_5(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 16777216
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp8 = tl.load(in_ptr1 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = -tmp1
    tmp3 = libdevice.exp(tmp2)
    tmp4 = tl.full([1], 1.0, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = (tmp1 / tmp5)
    tmp7 = tmp6.to(tl.float32)
    tmp9 = tmp7 * tmp8
    tl.store(out_ptr0 + (x0), tmp9, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/ir/cir2rhcbh2z7m3vtbopvoopaw6eqn7vpjczjlumakxnjt756eijk.py
# Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3], Original ATen: [aten._unsafe_view, aten.add]
# Source node to ATen node mapping:
#   add_3 => add_6
#   linear_1 => view_7
#   linear_4 => view_13
#   x => add_3
# Graph fragment:
#   %primals_1 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "bf16[8192, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "bf16[8192, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %view_7 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [8, 1024, 1024]), kwargs = {})
#   %add_3 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %view_13 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [8, 1024, 1024]), kwargs = {})
#   %add_6 : Tensor "bf16[8, 1024, 1024][1048576, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   return %add_6
triton_poi_fused__unsafe_view_add_6 = async_compile.triton('triton_poi_fused__unsafe_view_add_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8388608}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_add_6', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 83886080}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_add_6(in_out_ptr0, in_ptr0, in_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8388608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (x0), None).to(tl.float32)
    tmp3 = tl.load(in_out_ptr0 + (x0), None).to(tl.float32)
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
        assert_size_stride(primals_1, (8, 1024, 1024), (1048576, 1024, 1))
        assert_size_stride(primals_2, (1024, ), (1, ))
        assert_size_stride(primals_3, (3072, 1024), (1024, 1))
        assert_size_stride(primals_4, (1024, 1024), (1024, 1))
        assert_size_stride(primals_5, (1024, ), (1, ))
        assert_size_stride(primals_6, (2048, 1024), (1024, 1))
        assert_size_stride(primals_7, (2048, 1024), (1024, 1))
        assert_size_stride(primals_8, (1024, 2048), (2048, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((8, 1024, 1), (1024, 1, 8192), torch.float32)
            buf1 = reinterpret_tensor(buf0, (8, 1024, 1), (1024, 1, 1), 0); del buf0  # reuse
            buf2 = empty_strided_cuda((8, 1024, 1024), (1048576, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_0:1
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_0.run(buf1, primals_1, primals_2, buf2, 8192, 1024, stream=stream0)
            del primals_2
            buf3 = empty_strided_cuda((8192, 3072), (3072, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:2
            extern_kernels.mm(reinterpret_tensor(buf2, (8192, 1024), (1024, 1), 0), reinterpret_tensor(primals_3, (1024, 3072), (1, 1024), 0), out=buf3)
            buf4 = empty_strided_cuda((8, 16, 1024, 32, 2), (1048576, 65536, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1:3
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1.run(buf3, buf4, 8388608, stream=stream0)
            buf5 = empty_strided_cuda((8, 16, 1024, 32, 2), (1048576, 65536, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, k, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:4
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf3, buf5, 8388608, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, v, flatten, flatten_1, attended], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:5
            buf6 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf4, (8, 16, 1024, 64), (1048576, 65536, 64, 1), 0), reinterpret_tensor(buf5, (8, 16, 1024, 64), (1048576, 65536, 64, 1), 0), reinterpret_tensor(buf3, (8, 16, 1024, 64), (3145728, 64, 3072, 1), 2048), None, True, 0.0, True)
            buf7 = buf6[0]
            assert_size_stride(buf7, (8, 16, 1024, 64), (1048576, 65536, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf7, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf8 = buf6[1]
            assert_size_stride(buf8, (8, 16, 1024, 1), (16384, 1024, 1, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf8, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf9 = buf6[6]
            assert_size_stride(buf9, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf9, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf10 = buf6[7]
            assert_size_stride(buf10, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf10, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            del buf6
            buf11 = empty_strided_cuda((8, 1024, 16, 64), (1048576, 1024, 64, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_3:6
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_3.run(buf7, buf11, 8388608, stream=stream0)
            buf12 = empty_strided_cuda((8192, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:7
            extern_kernels.mm(reinterpret_tensor(buf11, (8192, 1024), (1024, 1), 0), reinterpret_tensor(primals_4, (1024, 1024), (1, 1024), 0), out=buf12)
            buf13 = empty_strided_cuda((8, 1024, 1), (1024, 1, 8192), torch.float32)
            buf14 = reinterpret_tensor(buf13, (8, 1024, 1), (1024, 1, 1), 0); del buf13  # reuse
            buf15 = empty_strided_cuda((8, 1024, 1024), (1048576, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_4:8
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_4.run(buf14, primals_1, buf12, primals_5, buf15, 8192, 1024, stream=stream0)
            buf16 = empty_strided_cuda((8192, 2048), (2048, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:9
            extern_kernels.mm(reinterpret_tensor(buf15, (8192, 1024), (1024, 1), 0), reinterpret_tensor(primals_6, (1024, 2048), (1, 1024), 0), out=buf16)
            buf17 = empty_strided_cuda((8192, 2048), (2048, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:10
            extern_kernels.mm(reinterpret_tensor(buf15, (8192, 1024), (1024, 1), 0), reinterpret_tensor(primals_7, (1024, 2048), (1, 1024), 0), out=buf17)
            buf18 = empty_strided_cuda((8, 1024, 2048), (2097152, 2048, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_5:11
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_5.run(buf16, buf17, buf18, 16777216, stream=stream0)
            buf19 = empty_strided_cuda((8192, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:12
            extern_kernels.mm(reinterpret_tensor(buf18, (8192, 2048), (2048, 1), 0), reinterpret_tensor(primals_8, (2048, 1024), (1, 2048), 0), out=buf19)
            buf20 = reinterpret_tensor(buf19, (8, 1024, 1024), (1048576, 1024, 1), 0); del buf19  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3], Original ATen: [aten._unsafe_view, aten.add]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_6:13
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_6.run(buf20, primals_1, buf12, 8388608, stream=stream0)
        return (buf20, primals_1, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, buf1, reinterpret_tensor(buf2, (8192, 1024), (1024, 1), 0), reinterpret_tensor(buf3, (8, 16, 1024, 64), (3145728, 64, 3072, 1), 2048), reinterpret_tensor(buf4, (8, 16, 1024, 64), (1048576, 65536, 64, 1), 0), reinterpret_tensor(buf5, (8, 16, 1024, 64), (1048576, 65536, 64, 1), 0), buf7, buf8, buf9, buf10, reinterpret_tensor(buf11, (8192, 1024), (1024, 1), 0), buf12, buf14, reinterpret_tensor(buf15, (8192, 1024), (1024, 1), 0), buf16, buf17, reinterpret_tensor(buf18, (8192, 2048), (2048, 1), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((8, 1024, 1024), (1048576, 1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_2 = rand_strided((1024, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_3 = rand_strided((3072, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_4 = rand_strided((1024, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_5 = rand_strided((1024, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_6 = rand_strided((2048, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_7 = rand_strided((2048, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_8 = rand_strided((1024, 2048), (2048, 1), device='cuda:0', dtype=torch.bfloat16)
    return [primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

