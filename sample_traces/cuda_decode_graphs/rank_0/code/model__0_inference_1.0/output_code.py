# AOT ID: ['0_inference']
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
from torch._C import _cuda_getCurrentRawStream as get_raw_stream



# kernel path: /tmp/torchinductor_user/mx/cmxdmxlo4yfuzpe6gvfr5x3lfjtohfldsra2pbdmqpaqt5ilpone.py
# Topologically Sorted Source Nodes: [x, rms_norm], Original ATen: [aten.embedding, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   rms_norm => add, convert_element_type, convert_element_type_1, mean, mul, mul_1, pow_1, rsqrt
#   x => embedding
# Graph fragment:
#   %arg1_1 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %arg0_1 : Tensor "bf16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %buf0 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf0]
#   %arg2_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg2_1]
#   %embedding : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.embedding.default](args = (%arg0_1, %arg1_1), kwargs = {})
#   %convert_element_type : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%embedding, torch.float32), kwargs = {})
#   %pow_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type, 2), kwargs = {})
#   %mean : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_1, [2], True), kwargs = {})
#   %add : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add,), kwargs = {})
#   %mul : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type, %rsqrt), kwargs = {})
#   %mul_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul, %arg2_1), kwargs = {})
#   %convert_element_type_1 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_1, torch.bfloat16), kwargs = {})
#   return %buf0,%convert_element_type_1
triton_red_fused__fused_rms_norm_embedding_0 = async_compile.triton('triton_red_fused__fused_rms_norm_embedding_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 512, 'r0_': 256},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused__fused_rms_norm_embedding_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 524800}}
)
@triton.jit
def triton_red_fused__fused_rms_norm_embedding_0(in_ptr0, in_ptr1, in_ptr2, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 512
    r0_numel = 256
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    _tmp10 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp1 = tl.full([1, 1], 1024, tl.int32)
        tmp2 = tmp0 + tmp1
        tmp3 = tmp0 < 0
        tmp4 = tl.where(tmp3, tmp2, tmp0)
        tl.device_assert(((0 <= tmp4) & (tmp4 < 1024)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 1024")
        tmp6 = tl.load(in_ptr1 + (r0_1 + 256*tmp4), r0_mask & xmask, eviction_policy='evict_last', other=0.0).to(tl.float32)
        tmp7 = tmp6.to(tl.float32)
        tmp8 = tmp7 * tmp7
        tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
        tmp11 = _tmp10 + tmp9
        _tmp10 = tl.where(r0_mask & xmask, tmp11, _tmp10)
    tmp10 = tl.sum(_tmp10, 1)[:, None]
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp25 = tl.load(in_ptr2 + (r0_1), r0_mask, eviction_policy='evict_last', other=0.0).to(tl.float32)
        tmp12 = tl.full([1, 1], 1024, tl.int32)
        tmp13 = tmp0 + tmp12
        tmp14 = tmp0 < 0
        tmp15 = tl.where(tmp14, tmp13, tmp0)
        tl.device_assert(((0 <= tmp15) & (tmp15 < 1024)) | ~(xmask), "index out of bounds: 0 <= tmp15 < 1024")
        tmp17 = tl.load(in_ptr1 + (r0_1 + 256*tmp15), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp18 = tmp17.to(tl.float32)
        tmp19 = tl.full([1, 1], 256.0, tl.float32)
        tmp20 = (tmp10 / tmp19)
        tmp21 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
        tmp22 = tmp20 + tmp21
        tmp23 = libdevice.rsqrt(tmp22)
        tmp24 = tmp18 * tmp23
        tmp26 = tmp25.to(tl.float32)
        tmp27 = tmp24 * tmp26
        tmp28 = tmp27.to(tl.float32)
        tl.store(out_ptr1 + (r0_1 + 256*x0), tmp28, r0_mask & xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/vc/cvc53wtjxsw47f25z7mx3kksfveji6m6awk5oslpxl6nku32nkmv.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, q, even, arange_1, getitem_3, arange, neg, truediv, frequencies, angles, cos, cos_1, mul_1, odd, sin, sin_1, mul_2, sub, stack, mul_3, mul_4, add], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
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
#   %mm : Tensor "bf16[512, 768][768, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "bf16[4, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [4, 128, 768]), kwargs = {})
#   %view_2 : Tensor "bf16[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [4, 128, 3, 4, 64]), kwargs = {})
#   %permute_1 : Tensor "bf16[3, 4, 4, 128, 64][256, 98304, 64, 768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select : Tensor "bf16[4, 4, 128, 64][98304, 64, 768, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 0), kwargs = {})
#   %slice_1 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %iota_1 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %mul_2 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_4 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos, torch.bfloat16), kwargs = {})
#   %mul_3 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_4), kwargs = {})
#   %slice_2 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %sin : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_5 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin, torch.bfloat16), kwargs = {})
#   %mul_4 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_5), kwargs = {})
#   %sub : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_3, %mul_4), kwargs = {})
#   %unsqueeze_1 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub, 4), kwargs = {})
#   %mul_5 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_5), kwargs = {})
#   %mul_6 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_4), kwargs = {})
#   %add_1 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_5, %mul_6), kwargs = {})
#   %unsqueeze_2 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_1, 4), kwargs = {})
#   %cat : Tensor "bf16[4, 4, 128, 32, 2][32768, 8192, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_1, %unsqueeze_2], -1), kwargs = {})
#   return %cat
triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1 = async_compile.triton('triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 131072}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 524288}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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
    tmp5 = tl.load(in_ptr0 + (2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
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
    tmp18 = tl.load(in_ptr0 + (1 + 2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp19 = tl_math.sin(tmp14)
    tmp20 = tmp19.to(tl.float32)
    tmp21 = tmp18 * tmp20
    tmp22 = tmp17 - tmp21
    tmp23 = tl.full(tmp22.shape, 0.0, tmp22.dtype)
    tmp24 = tl.where(tmp4, tmp22, tmp23)
    tmp25 = tmp0 >= tmp3
    tmp26 = tl.full([1], 2, tl.int64)
    tmp27 = tmp0 < tmp26
    tmp28 = tl.load(in_ptr0 + (2*x5 + 768*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
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
    tmp41 = tl.load(in_ptr0 + (1 + 2*x5 + 768*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp42 = tl_math.cos(tmp37)
    tmp43 = tmp42.to(tl.float32)
    tmp44 = tmp41 * tmp43
    tmp45 = tmp40 + tmp44
    tmp46 = tl.full(tmp45.shape, 0.0, tmp45.dtype)
    tmp47 = tl.where(tmp25, tmp45, tmp46)
    tmp48 = tl.where(tmp4, tmp24, tmp47)
    tl.store(out_ptr0 + (x8 + 64*x3 + 8192*x2 + 32768*x4), tmp48, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/vo/cvoix3f46abu72bztrsrz7gxbaapo3quks4dfxbalx46xbf6zqcr.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, k, even_1, arange_3, getitem_6, arange_2, neg_1, truediv_1, frequencies_1, angles_1, cos_2, cos_3, mul_6, odd_1, sin_2, sin_3, mul_7, sub_1, stack_1, mul_8, mul_9, add_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
# Source node to ATen node mapping:
#   add_1 => add_2
#   angles_1 => mul_7
#   arange_2 => iota_2
#   arange_3 => iota_3
#   cos_2 => cos_1
#   cos_3 => convert_element_type_6
#   even_1 => slice_3
#   frequencies_1 => pow_3
#   getitem_6 => unsqueeze_3
#   k => select_1
#   linear => view_1
#   mixed => view_2
#   mul_6 => mul_8
#   mul_7 => mul_9
#   mul_8 => mul_10
#   mul_9 => mul_11
#   neg_1 => neg_1
#   odd_1 => slice_4
#   permute => permute_1
#   sin_2 => sin_1
#   sin_3 => convert_element_type_7
#   stack_1 => cat_1, unsqueeze_4, unsqueeze_5
#   sub_1 => sub_1
#   truediv_1 => div_1
# Graph fragment:
#   %mm : Tensor "bf16[512, 768][768, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "bf16[4, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [4, 128, 768]), kwargs = {})
#   %view_2 : Tensor "bf16[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [4, 128, 3, 4, 64]), kwargs = {})
#   %permute_1 : Tensor "bf16[3, 4, 4, 128, 64][256, 98304, 64, 768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select_1 : Tensor "bf16[4, 4, 128, 64][98304, 64, 768, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 1), kwargs = {})
#   %slice_3 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %iota_3 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze_3 : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_3, 1), kwargs = {})
#   %iota_2 : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg_1 : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota_2,), kwargs = {})
#   %div_1 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg_1, 64), kwargs = {})
#   %pow_3 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div_1), kwargs = {})
#   %mul_7 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze_3, %pow_3), kwargs = {})
#   %cos_1 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_7,), kwargs = {})
#   %convert_element_type_6 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos_1, torch.bfloat16), kwargs = {})
#   %mul_8 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_6), kwargs = {})
#   %slice_4 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %sin_1 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_7,), kwargs = {})
#   %convert_element_type_7 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin_1, torch.bfloat16), kwargs = {})
#   %mul_9 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_7), kwargs = {})
#   %sub_1 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_8, %mul_9), kwargs = {})
#   %unsqueeze_4 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_1, 4), kwargs = {})
#   %mul_10 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_7), kwargs = {})
#   %mul_11 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_6), kwargs = {})
#   %add_2 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_10, %mul_11), kwargs = {})
#   %unsqueeze_5 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_2, 4), kwargs = {})
#   %cat_1 : Tensor "bf16[4, 4, 128, 32, 2][32768, 8192, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_4, %unsqueeze_5], -1), kwargs = {})
#   return %cat_1
triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2 = async_compile.triton('triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 131072}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 524288}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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
    tmp5 = tl.load(in_ptr0 + (256 + 2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
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
    tmp18 = tl.load(in_ptr0 + (257 + 2*x5 + 768*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp19 = tl_math.sin(tmp14)
    tmp20 = tmp19.to(tl.float32)
    tmp21 = tmp18 * tmp20
    tmp22 = tmp17 - tmp21
    tmp23 = tl.full(tmp22.shape, 0.0, tmp22.dtype)
    tmp24 = tl.where(tmp4, tmp22, tmp23)
    tmp25 = tmp0 >= tmp3
    tmp26 = tl.full([1], 2, tl.int64)
    tmp27 = tmp0 < tmp26
    tmp28 = tl.load(in_ptr0 + (256 + 2*x5 + 768*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
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
    tmp41 = tl.load(in_ptr0 + (257 + 2*x5 + 768*x6), tmp25, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp42 = tl_math.cos(tmp37)
    tmp43 = tmp42.to(tl.float32)
    tmp44 = tmp41 * tmp43
    tmp45 = tmp40 + tmp44
    tmp46 = tl.full(tmp45.shape, 0.0, tmp45.dtype)
    tmp47 = tl.where(tmp25, tmp45, tmp46)
    tmp48 = tl.where(tmp4, tmp24, tmp47)
    tl.store(out_ptr0 + (x8 + 64*x3 + 8192*x2 + 32768*x4), tmp48, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/km/ckme2ixawkpfw4w2prtgebmypggik6ffr4a3euzdmnovno5fgmht.py
# Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
# Source node to ATen node mapping:
#   reshape => clone
#   transpose => permute_2
# Graph fragment:
#   %getitem : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = PlaceHolder[target=getitem]
#   %permute_2 : Tensor "bf16[4, 128, 4, 64][32768, 64, 8192, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%getitem, [0, 2, 1, 3]), kwargs = {})
#   %clone : Tensor "bf16[4, 128, 4, 64][32768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_2,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone
triton_poi_fused_clone_transpose_3 = async_compile.triton('triton_poi_fused_clone_transpose_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 131072}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_clone_transpose_3', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 786432}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_clone_transpose_3(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x1 = ((xindex // 64) % 4)
    x2 = ((xindex // 256) % 128)
    x3 = xindex // 32768
    x4 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 64*x2 + 8192*x1 + 32768*x3), None).to(tl.float32)
    tl.store(out_ptr0 + (x4), tmp0, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/rm/crmk5x3bwvecbu53mfis6gaiughfa4ul32bayz4scuixg2smsv5v.py
# Topologically Sorted Source Nodes: [x, linear_1, x_1, hidden], Original ATen: [aten.embedding, aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden => add_4, convert_element_type_10, convert_element_type_11, mean_1, mul_12, mul_13, pow_4, rsqrt_1
#   linear_1 => view_7
#   x => embedding
#   x_1 => add_3
# Graph fragment:
#   %arg1_1 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %arg0_1 : Tensor "bf16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %buf12 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf12]
#   %arg5_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg5_1]
#   %embedding : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.embedding.default](args = (%arg0_1, %arg1_1), kwargs = {})
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %convert_element_type_10 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_3, torch.float32), kwargs = {})
#   %pow_4 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_10, 2), kwargs = {})
#   %mean_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_4, [2], True), kwargs = {})
#   %add_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_1, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_4,), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_10, %rsqrt_1), kwargs = {})
#   %mul_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_12, %arg5_1), kwargs = {})
#   %convert_element_type_11 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_13, torch.bfloat16), kwargs = {})
#   return %buf12,%convert_element_type_11
triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_4 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_4', '''
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
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 786944}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_4(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    x0 = xindex
    r0_1 = r0_index
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp7 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp21 = tl.load(in_ptr3 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp1 = tl.full([1, 1], 1024, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 1024)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 1024")
    tmp6 = tl.load(in_ptr1 + (r0_1 + 256*tmp4), xmask, other=0.0).to(tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = tmp8.to(tl.float32)
    tmp10 = tmp9 * tmp9
    tmp11 = tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK])
    tmp13 = tl.where(xmask, tmp11, 0)
    tmp14 = tl.sum(tmp13, 1)[:, None].to(tl.float32)
    tmp15 = tl.full([1, 1], 256.0, tl.float32)
    tmp16 = (tmp14 / tmp15)
    tmp17 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp18 = tmp16 + tmp17
    tmp19 = libdevice.rsqrt(tmp18)
    tmp20 = tmp9 * tmp19
    tmp22 = tmp21.to(tl.float32)
    tmp23 = tmp20 * tmp22
    tmp24 = tmp23.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp24, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/y5/cy5arslhsbbik6zflyyojkuqv4mhxgfquw47y43i27jjo54y6mqk.py
# Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
# Source node to ATen node mapping:
#   linear_2 => view_9
#   linear_3 => view_11
#   mul_10 => mul_14
#   silu => add_5, convert_element_type_14, convert_element_type_15, div_2, exp, neg_2
# Graph fragment:
#   %mm_2 : Tensor "bf16[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %mm_3 : Tensor "bf16[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_3]
#   %view_9 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [4, 128, 512]), kwargs = {})
#   %convert_element_type_14 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_9, torch.float32), kwargs = {})
#   %neg_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%convert_element_type_14,), kwargs = {})
#   %exp : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_2,), kwargs = {})
#   %add_5 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp, 1), kwargs = {})
#   %div_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%convert_element_type_14, %add_5), kwargs = {})
#   %convert_element_type_15 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%div_2, torch.bfloat16), kwargs = {})
#   %view_11 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_3, [4, 128, 512]), kwargs = {})
#   %mul_14 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_15, %view_11), kwargs = {})
#   return %mul_14
triton_poi_fused__unsafe_view_mul_silu_5 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_5', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2097152}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_5(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_out_ptr0 + (x0), None).to(tl.float32)
    tmp8 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = -tmp1
    tmp3 = libdevice.exp(tmp2)
    tmp4 = tl.full([1], 1.0, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = (tmp1 / tmp5)
    tmp7 = tmp6.to(tl.float32)
    tmp9 = tmp7 * tmp8
    tl.store(in_out_ptr0 + (x0), tmp9, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/mc/cmcqdvqmic5xu4yra2u2n5id73bncc5xrn6ka3xwzozzd45zrs2k.py
# Topologically Sorted Source Nodes: [x, linear_1, x_1, linear_4, x_2, rms_norm_2], Original ATen: [aten.embedding, aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   linear_1 => view_7
#   linear_4 => view_13
#   rms_norm_2 => add_7, convert_element_type_20, convert_element_type_21, mean_2, mul_15, mul_16, pow_5, rsqrt_2
#   x => embedding
#   x_1 => add_3
#   x_2 => add_6
# Graph fragment:
#   %arg1_1 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %arg0_1 : Tensor "bf16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %buf18 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf18]
#   %arg9_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg9_1]
#   %embedding : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.embedding.default](args = (%arg0_1, %arg1_1), kwargs = {})
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %view_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [4, 128, 256]), kwargs = {})
#   %add_6 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   %convert_element_type_20 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_6, torch.float32), kwargs = {})
#   %pow_5 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_20, 2), kwargs = {})
#   %mean_2 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_5, [2], True), kwargs = {})
#   %add_7 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_2, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_2 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_7,), kwargs = {})
#   %mul_15 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_20, %rsqrt_2), kwargs = {})
#   %mul_16 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_15, %arg9_1), kwargs = {})
#   %convert_element_type_21 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_16, torch.bfloat16), kwargs = {})
#   return %buf18,%convert_element_type_21
triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_6 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_6', '''
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
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_6', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 1049088}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_6(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    x0 = xindex
    r0_1 = r0_index
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp7 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp9 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp23 = tl.load(in_ptr4 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp1 = tl.full([1, 1], 1024, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 1024)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 1024")
    tmp6 = tl.load(in_ptr1 + (r0_1 + 256*tmp4), xmask, other=0.0).to(tl.float32)
    tmp8 = tmp6 + tmp7
    tmp10 = tmp8 + tmp9
    tmp11 = tmp10.to(tl.float32)
    tmp12 = tmp11 * tmp11
    tmp13 = tl.broadcast_to(tmp12, [XBLOCK, R0_BLOCK])
    tmp15 = tl.where(xmask, tmp13, 0)
    tmp16 = tl.sum(tmp15, 1)[:, None].to(tl.float32)
    tmp17 = tl.full([1, 1], 256.0, tl.float32)
    tmp18 = (tmp16 / tmp17)
    tmp19 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp20 = tmp18 + tmp19
    tmp21 = libdevice.rsqrt(tmp20)
    tmp22 = tmp11 * tmp21
    tmp24 = tmp23.to(tl.float32)
    tmp25 = tmp22 * tmp24
    tmp26 = tmp25.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp26, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/7j/c7jcgu6h63udzywdsiwzrd52cnfip5zacntcd4tjkfrbt3sbs337.py
# Topologically Sorted Source Nodes: [x, linear_1, x_1, linear_4, x_2, linear_6, x_3, hidden_1], Original ATen: [aten.embedding, aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden_1 => add_11, convert_element_type_30, convert_element_type_31, mean_3, mul_27, mul_28, pow_8, rsqrt_3
#   linear_1 => view_7
#   linear_4 => view_13
#   linear_6 => view_21
#   x => embedding
#   x_1 => add_3
#   x_2 => add_6
#   x_3 => add_10
# Graph fragment:
#   %arg1_1 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %arg0_1 : Tensor "bf16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=arg0_1]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %mm_6 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_6]
#   %add_10 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_10]
#   %buf31 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf31]
#   %arg12_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg12_1]
#   %embedding : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.embedding.default](args = (%arg0_1, %arg1_1), kwargs = {})
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %view_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [4, 128, 256]), kwargs = {})
#   %add_6 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   %view_21 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_6, [4, 128, 256]), kwargs = {})
#   %add_10 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_6, %view_21), kwargs = {})
#   %convert_element_type_30 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_10, torch.float32), kwargs = {})
#   %pow_8 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_30, 2), kwargs = {})
#   %mean_3 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_8, [2], True), kwargs = {})
#   %add_11 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_3, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_3 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_11,), kwargs = {})
#   %mul_27 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_30, %rsqrt_3), kwargs = {})
#   %mul_28 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_27, %arg12_1), kwargs = {})
#   %convert_element_type_31 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_28, torch.bfloat16), kwargs = {})
#   return %add_10,%buf31,%convert_element_type_31
triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_7 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_7', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*i64', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_7', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 5, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 1835520}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_7(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    x0 = xindex
    r0_1 = r0_index
    tmp0 = tl.load(in_ptr0 + (x0), xmask, eviction_policy='evict_last')
    tmp7 = tl.load(in_out_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp9 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp11 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp25 = tl.load(in_ptr4 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp1 = tl.full([1, 1], 1024, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 1024)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 1024")
    tmp6 = tl.load(in_ptr1 + (r0_1 + 256*tmp4), xmask, other=0.0).to(tl.float32)
    tmp8 = tmp6 + tmp7
    tmp10 = tmp8 + tmp9
    tmp12 = tmp10 + tmp11
    tmp13 = tmp12.to(tl.float32)
    tmp14 = tmp13 * tmp13
    tmp15 = tl.broadcast_to(tmp14, [XBLOCK, R0_BLOCK])
    tmp17 = tl.where(xmask, tmp15, 0)
    tmp18 = tl.sum(tmp17, 1)[:, None].to(tl.float32)
    tmp19 = tl.full([1, 1], 256.0, tl.float32)
    tmp20 = (tmp18 / tmp19)
    tmp21 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp22 = tmp20 + tmp21
    tmp23 = libdevice.rsqrt(tmp22)
    tmp24 = tmp13 * tmp23
    tmp26 = tmp25.to(tl.float32)
    tmp27 = tmp24 * tmp26
    tmp28 = tmp27.to(tl.float32)
    tl.store(in_out_ptr0 + (r0_1 + 256*x0), tmp12, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp28, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/vn/cvnnop2amtosb3dqhko6rwead32z7mvsdtone37ddh7hcswxi2pf.py
# Topologically Sorted Source Nodes: [linear_9, x_4, rms_norm_4], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   linear_9 => view_27
#   rms_norm_4 => add_14, convert_element_type_40, convert_element_type_41, mean_4, mul_30, mul_31, pow_9, rsqrt_4
#   x_4 => add_13
# Graph fragment:
#   %add_10 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_10]
#   %mm_9 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_9]
#   %buf37 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf37]
#   %arg16_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg16_1]
#   %view_27 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_9, [4, 128, 256]), kwargs = {})
#   %add_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_10, %view_27), kwargs = {})
#   %convert_element_type_40 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_13, torch.float32), kwargs = {})
#   %pow_9 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_40, 2), kwargs = {})
#   %mean_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_9, [2], True), kwargs = {})
#   %add_14 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_4, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_14,), kwargs = {})
#   %mul_30 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_40, %rsqrt_4), kwargs = {})
#   %mul_31 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_30, %arg16_1), kwargs = {})
#   %convert_element_type_41 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_31, torch.bfloat16), kwargs = {})
#   return %buf37,%convert_element_type_41
triton_per_fused__fused_rms_norm__unsafe_view_add_8 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_8', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_8', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 1049088}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_8(in_ptr0, in_ptr1, in_ptr2, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp15 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2.to(tl.float32)
    tmp4 = tmp3 * tmp3
    tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
    tmp7 = tl.where(xmask, tmp5, 0)
    tmp8 = tl.sum(tmp7, 1)[:, None].to(tl.float32)
    tmp9 = tl.full([1, 1], 256.0, tl.float32)
    tmp10 = (tmp8 / tmp9)
    tmp11 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp12 = tmp10 + tmp11
    tmp13 = libdevice.rsqrt(tmp12)
    tmp14 = tmp3 * tmp13
    tmp16 = tmp15.to(tl.float32)
    tmp17 = tmp14 * tmp16
    tmp18 = tmp17.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp18, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/5b/c5bfrjg42civdmy6wx56p46a4yby4i37uvob5ho7effrhr44domu.py
# Topologically Sorted Source Nodes: [linear_9, x_4, linear_11, x_5, hidden_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden_2 => add_18, convert_element_type_50, convert_element_type_51, mean_5, mul_42, mul_43, pow_12, rsqrt_5
#   linear_11 => view_35
#   linear_9 => view_27
#   x_4 => add_13
#   x_5 => add_17
# Graph fragment:
#   %add_10 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_10]
#   %mm_9 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_9]
#   %mm_11 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_11]
#   %buf49 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf49]
#   %arg19_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg19_1]
#   %view_27 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_9, [4, 128, 256]), kwargs = {})
#   %add_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_10, %view_27), kwargs = {})
#   %view_35 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_11, [4, 128, 256]), kwargs = {})
#   %add_17 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_13, %view_35), kwargs = {})
#   %convert_element_type_50 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_17, torch.float32), kwargs = {})
#   %pow_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_50, 2), kwargs = {})
#   %mean_5 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_12, [2], True), kwargs = {})
#   %add_18 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_5, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_5 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_18,), kwargs = {})
#   %mul_42 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_50, %rsqrt_5), kwargs = {})
#   %mul_43 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_42, %arg19_1), kwargs = {})
#   %convert_element_type_51 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_43, torch.bfloat16), kwargs = {})
#   return %buf49,%convert_element_type_51
triton_per_fused__fused_rms_norm__unsafe_view_add_9 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_9', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_9', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 1311232}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_9(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp3 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp17 = tl.load(in_ptr3 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp4 = tmp2 + tmp3
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp5 * tmp5
    tmp7 = tl.broadcast_to(tmp6, [XBLOCK, R0_BLOCK])
    tmp9 = tl.where(xmask, tmp7, 0)
    tmp10 = tl.sum(tmp9, 1)[:, None].to(tl.float32)
    tmp11 = tl.full([1, 1], 256.0, tl.float32)
    tmp12 = (tmp10 / tmp11)
    tmp13 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp14 = tmp12 + tmp13
    tmp15 = libdevice.rsqrt(tmp14)
    tmp16 = tmp5 * tmp15
    tmp18 = tmp17.to(tl.float32)
    tmp19 = tmp16 * tmp18
    tmp20 = tmp19.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp20, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/bx/cbx5ykji4cszgn7b427s6av3th56dvucguf76zd45dn7kjh357te.py
# Topologically Sorted Source Nodes: [linear_9, x_4, linear_11, x_5, linear_14, x_6, rms_norm_6], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   linear_11 => view_35
#   linear_14 => view_41
#   linear_9 => view_27
#   rms_norm_6 => add_21, convert_element_type_60, convert_element_type_61, mean_6, mul_45, mul_46, pow_13, rsqrt_6
#   x_4 => add_13
#   x_5 => add_17
#   x_6 => add_20
# Graph fragment:
#   %add_10 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_10]
#   %mm_9 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_9]
#   %mm_11 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_11]
#   %mm_14 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_14]
#   %buf55 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf55]
#   %arg23_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg23_1]
#   %view_27 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_9, [4, 128, 256]), kwargs = {})
#   %add_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_10, %view_27), kwargs = {})
#   %view_35 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_11, [4, 128, 256]), kwargs = {})
#   %add_17 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_13, %view_35), kwargs = {})
#   %view_41 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_14, [4, 128, 256]), kwargs = {})
#   %add_20 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_17, %view_41), kwargs = {})
#   %convert_element_type_60 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_20, torch.float32), kwargs = {})
#   %pow_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_60, 2), kwargs = {})
#   %mean_6 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_13, [2], True), kwargs = {})
#   %add_21 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_6, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_6 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_21,), kwargs = {})
#   %mul_45 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_60, %rsqrt_6), kwargs = {})
#   %mul_46 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_45, %arg23_1), kwargs = {})
#   %convert_element_type_61 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_46, torch.bfloat16), kwargs = {})
#   return %buf55,%convert_element_type_61
triton_per_fused__fused_rms_norm__unsafe_view_add_10 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_10', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_10', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 5, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 1573376}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_10(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp3 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp5 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp19 = tl.load(in_ptr4 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp4 = tmp2 + tmp3
    tmp6 = tmp4 + tmp5
    tmp7 = tmp6.to(tl.float32)
    tmp8 = tmp7 * tmp7
    tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
    tmp11 = tl.where(xmask, tmp9, 0)
    tmp12 = tl.sum(tmp11, 1)[:, None].to(tl.float32)
    tmp13 = tl.full([1, 1], 256.0, tl.float32)
    tmp14 = (tmp12 / tmp13)
    tmp15 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp16 = tmp14 + tmp15
    tmp17 = libdevice.rsqrt(tmp16)
    tmp18 = tmp7 * tmp17
    tmp20 = tmp19.to(tl.float32)
    tmp21 = tmp18 * tmp20
    tmp22 = tmp21.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp22, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/se/csemboybbgpdycya4e4eslta7wm7todfbuy4c2lgtsn2hdpsk6qu.py
# Topologically Sorted Source Nodes: [linear_9, x_4, linear_11, x_5, linear_14, x_6, linear_16, x_7, hidden_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden_3 => add_25, convert_element_type_70, convert_element_type_71, mean_7, mul_57, mul_58, pow_16, rsqrt_7
#   linear_11 => view_35
#   linear_14 => view_41
#   linear_16 => view_49
#   linear_9 => view_27
#   x_4 => add_13
#   x_5 => add_17
#   x_6 => add_20
#   x_7 => add_24
# Graph fragment:
#   %add_10 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_10]
#   %mm_9 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_9]
#   %mm_11 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_11]
#   %mm_14 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_14]
#   %mm_16 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_16]
#   %add_24 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_24]
#   %buf68 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf68]
#   %arg26_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg26_1]
#   %view_27 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_9, [4, 128, 256]), kwargs = {})
#   %add_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_10, %view_27), kwargs = {})
#   %view_35 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_11, [4, 128, 256]), kwargs = {})
#   %add_17 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_13, %view_35), kwargs = {})
#   %view_41 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_14, [4, 128, 256]), kwargs = {})
#   %add_20 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_17, %view_41), kwargs = {})
#   %view_49 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_16, [4, 128, 256]), kwargs = {})
#   %add_24 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_20, %view_49), kwargs = {})
#   %convert_element_type_70 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_24, torch.float32), kwargs = {})
#   %pow_16 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_70, 2), kwargs = {})
#   %mean_7 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_16, [2], True), kwargs = {})
#   %add_25 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_7, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_7 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_25,), kwargs = {})
#   %mul_57 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_70, %rsqrt_7), kwargs = {})
#   %mul_58 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_57, %arg26_1), kwargs = {})
#   %convert_element_type_71 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_58, torch.bfloat16), kwargs = {})
#   return %add_24,%buf68,%convert_element_type_71
triton_per_fused__fused_rms_norm__unsafe_view_add_11 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_11', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_11', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 6, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 2359808}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_11(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_out_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp3 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp5 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp7 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp21 = tl.load(in_ptr4 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp4 = tmp2 + tmp3
    tmp6 = tmp4 + tmp5
    tmp8 = tmp6 + tmp7
    tmp9 = tmp8.to(tl.float32)
    tmp10 = tmp9 * tmp9
    tmp11 = tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK])
    tmp13 = tl.where(xmask, tmp11, 0)
    tmp14 = tl.sum(tmp13, 1)[:, None].to(tl.float32)
    tmp15 = tl.full([1, 1], 256.0, tl.float32)
    tmp16 = (tmp14 / tmp15)
    tmp17 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp18 = tmp16 + tmp17
    tmp19 = libdevice.rsqrt(tmp18)
    tmp20 = tmp9 * tmp19
    tmp22 = tmp21.to(tl.float32)
    tmp23 = tmp20 * tmp22
    tmp24 = tmp23.to(tl.float32)
    tl.store(in_out_ptr0 + (r0_1 + 256*x0), tmp8, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp24, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/p5/cp5eorczodshhl7sres4jkml5gwb4s5tg5tpysv2avc7mlbyqore.py
# Topologically Sorted Source Nodes: [linear_19, x_8, rms_norm_8], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   linear_19 => view_55
#   rms_norm_8 => add_28, convert_element_type_80, convert_element_type_81, mean_8, mul_60, mul_61, pow_17, rsqrt_8
#   x_8 => add_27
# Graph fragment:
#   %add_24 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_24]
#   %mm_19 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_19]
#   %buf74 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf74]
#   %arg30_1 : Tensor "bf16[256][1]cuda:0" = PlaceHolder[target=arg30_1]
#   %view_55 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_19, [4, 128, 256]), kwargs = {})
#   %add_27 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_24, %view_55), kwargs = {})
#   %convert_element_type_80 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_27, torch.float32), kwargs = {})
#   %pow_17 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_80, 2), kwargs = {})
#   %mean_8 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_17, [2], True), kwargs = {})
#   %add_28 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_8, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_8 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_28,), kwargs = {})
#   %mul_60 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_80, %rsqrt_8), kwargs = {})
#   %mul_61 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_60, %arg30_1), kwargs = {})
#   %convert_element_type_81 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_61, torch.bfloat16), kwargs = {})
#   return %buf74,%convert_element_type_81
triton_per_fused__fused_rms_norm__unsafe_view_add_12 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_12', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_12', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 1049088}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_12(in_out_ptr0, in_ptr0, in_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_out_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp15 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2.to(tl.float32)
    tmp4 = tmp3 * tmp3
    tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
    tmp7 = tl.where(xmask, tmp5, 0)
    tmp8 = tl.sum(tmp7, 1)[:, None].to(tl.float32)
    tmp9 = tl.full([1, 1], 256.0, tl.float32)
    tmp10 = (tmp8 / tmp9)
    tmp11 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp12 = tmp10 + tmp11
    tmp13 = libdevice.rsqrt(tmp12)
    tmp14 = tmp3 * tmp13
    tmp16 = tmp15.to(tl.float32)
    tmp17 = tmp14 * tmp16
    tmp18 = tmp17.to(tl.float32)
    tl.store(in_out_ptr0 + (r0_1 + 256*x0), tmp18, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/7s/c7sv266l7qjsd5jio7lqykcpnrhu6sphinnbjq2i7yyjw4f7h3mp.py
# Topologically Sorted Source Nodes: [logits, getitem_36, flatten_8, float_1, ], Original ATen: [aten._unsafe_view, aten.slice, aten.clone, aten._to_copy, prims.prepare_softmax_online]
# Source node to ATen node mapping:
#    => prepare_softmax_online_default
#   flatten_8 => clone_4, view_58
#   float_1 => convert_element_type_84
#   getitem_36 => slice_17
#   logits => view_57
# Graph fragment:
#   %mm_20 : Tensor "bf16[512, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_20]
#   %view_57 : Tensor "bf16[4, 128, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_20, [4, 128, 1024]), kwargs = {})
#   %slice_17 : Tensor "bf16[4, 127, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%view_57, 1, 0, -1), kwargs = {})
#   %clone_4 : Tensor "bf16[4, 127, 1024][130048, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_17,), kwargs = {memory_format: torch.contiguous_format})
#   %view_58 : Tensor "bf16[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_4, [508, 1024]), kwargs = {})
#   %convert_element_type_84 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_58, torch.float32), kwargs = {})
#   %prepare_softmax_online_default : [num_users=2] = call_function[target=torch.ops.prims.prepare_softmax_online.default](args = (%convert_element_type_84, 1), kwargs = {})
#   return %getitem_36,%getitem_37
triton_per_fused__to_copy__unsafe_view_clone_prepare_softmax_online_slice_13 = async_compile.triton('triton_per_fused__to_copy__unsafe_view_clone_prepare_softmax_online_slice_13', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 512, 'r0_': 1024},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__to_copy__unsafe_view_clone_prepare_softmax_online_slice_13', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 2, 'num_reduction': 4, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8128, 'r0_': 1040384}}
)
@triton.jit
def triton_per_fused__to_copy__unsafe_view_clone_prepare_softmax_online_slice_13(in_ptr0, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 508
    r0_numel = 1024
    R0_BLOCK: tl.constexpr = 1024
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 1024*((x0 % 127)) + 131072*(x0 // 127)), xmask, other=0.0).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
    tmp4 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp6 = tl.where(xmask, tmp4, float("-inf"))
    tmp7 = triton_helpers.max2(tmp6, 1)[:, None].to(tl.float32)
    tmp8 = tmp2 - tmp7
    tmp9 = libdevice.exp(tmp8)
    tmp10 = tl.broadcast_to(tmp9, [XBLOCK, R0_BLOCK])
    tmp12 = tl.where(xmask, tmp10, 0)
    tmp13 = tl.sum(tmp12, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp7, xmask)
    tl.store(out_ptr1 + (x0), tmp13, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/5r/c5r2gezsswctbio2djt7jyvnltuuca5pvch3qw3jkr3tcwjmehqm.py
# Topologically Sorted Source Nodes: [getitem_37, flatten_9, cross_entropy, logits, getitem_36, flatten_8, float_1, ], Original ATen: [aten.slice, aten.clone, aten._unsafe_view, aten.nll_loss_forward, aten._to_copy, aten.sub, aten._log_softmax]
# Source node to ATen node mapping:
#    => sub_tensor
#   cross_entropy => convert_element_type_85, div_12, full_default, full_default_1, gather, log, ne, ne_1, ne_2, neg_12, squeeze, sub_9, sum_2, sum_3, unsqueeze_24, where, where_1
#   flatten_8 => clone_4, view_58
#   flatten_9 => clone_5, view_59
#   float_1 => convert_element_type_84
#   getitem_36 => slice_17
#   getitem_37 => slice_18
#   logits => view_57
# Graph fragment:
#   %arg1_1 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=arg1_1]
#   %mm_20 : Tensor "bf16[512, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_20]
#   %getitem_36 : Tensor "f32[508, 1][1, 508]cuda:0" = PlaceHolder[target=getitem_36]
#   %getitem_37 : Tensor "f32[508, 1][1, 508]cuda:0" = PlaceHolder[target=getitem_37]
#   %sum_3 : Tensor "f32[][]cuda:0" = PlaceHolder[target=sum_3]
#   %sum_2 : Tensor "i64[][]cuda:0" = PlaceHolder[target=sum_2]
#   %slice_18 : Tensor "i64[4, 127][128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%arg1_1, 1, 1, 9223372036854775807), kwargs = {})
#   %clone_5 : Tensor "i64[4, 127][127, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_18,), kwargs = {memory_format: torch.contiguous_format})
#   %view_59 : Tensor "i64[508][1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_5, [508]), kwargs = {})
#   %ne_1 : Tensor "b8[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.ne.Scalar](args = (%view_59, -100), kwargs = {})
#   %view_57 : Tensor "bf16[4, 128, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_20, [4, 128, 1024]), kwargs = {})
#   %slice_17 : Tensor "bf16[4, 127, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%view_57, 1, 0, -1), kwargs = {})
#   %clone_4 : Tensor "bf16[4, 127, 1024][130048, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_17,), kwargs = {memory_format: torch.contiguous_format})
#   %view_58 : Tensor "bf16[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_4, [508, 1024]), kwargs = {})
#   %convert_element_type_84 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_58, torch.float32), kwargs = {})
#   %sub_tensor : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convert_element_type_84, %getitem_36), kwargs = {})
#   %log : Tensor "f32[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.log.default](args = (%getitem_37,), kwargs = {})
#   %sub_9 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%sub_tensor, %log), kwargs = {})
#   %ne : Tensor "b8[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.ne.Scalar](args = (%view_59, -100), kwargs = {})
#   %full_default : Tensor "i64[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([], 0), kwargs = {dtype: torch.int64, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where : Tensor "i64[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne, %view_59, %full_default), kwargs = {})
#   %unsqueeze_24 : Tensor "i64[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%where, 1), kwargs = {})
#   %gather : Tensor "f32[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.gather.default](args = (%sub_9, 1, %unsqueeze_24), kwargs = {})
#   %squeeze : Tensor "f32[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%gather, 1), kwargs = {})
#   %neg_12 : Tensor "f32[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%squeeze,), kwargs = {})
#   %full_default_1 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where_1 : Tensor "f32[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne_1, %neg_12, %full_default_1), kwargs = {})
#   %sum_3 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%where_1,), kwargs = {})
#   %ne_2 : Tensor "b8[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.ne.Scalar](args = (%view_59, -100), kwargs = {})
#   %sum_2 : Tensor "i64[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%ne_2,), kwargs = {})
#   %convert_element_type_85 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sum_2, torch.float32), kwargs = {})
#   %div_12 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%sum_3, %convert_element_type_85), kwargs = {})
#   return %sum_3,%sum_2,%div_12
triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_14 = async_compile.triton('triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_14', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 1, 'r0_': 512},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*i64', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'xnumel': 'constexpr', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {'xnumel': 1}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_14', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 2, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'r0_': 8128}}
)
@triton.jit
def triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_14(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 1
    r0_numel = 508
    R0_BLOCK: tl.constexpr = 512
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_index = tl.arange(0, R0_BLOCK)[None, :]
    r0_offset = 0
    r0_mask = r0_index < r0_numel
    roffset = r0_offset
    rindex = r0_index
    r0_0 = r0_index
    tmp0 = tl.load(in_ptr0 + (1 + 128*(r0_0 // 127) + ((r0_0 % 127))), r0_mask, other=0.0)
    tmp12 = tl.load(in_ptr2 + (r0_0), r0_mask, other=0.0)
    tmp14 = tl.load(in_ptr3 + (r0_0), r0_mask, other=0.0)
    tmp1 = tl.full([1, 1], -100, tl.int64)
    tmp2 = tmp0 != tmp1
    tmp3 = tl.full([1, 1], 0, tl.int64)
    tmp4 = tl.where(tmp2, tmp0, tmp3)
    tmp5 = tl.full([1, 1], 1024, tl.int32)
    tmp6 = tmp4 + tmp5
    tmp7 = tmp4 < 0
    tmp8 = tl.where(tmp7, tmp6, tmp4)
    tl.device_assert(((0 <= tmp8) & (tmp8 < 1024)) | ~(r0_mask), "index out of bounds: 0 <= tmp8 < 1024")
    tmp10 = tl.load(in_ptr1 + (tmp8 + 1024*((r0_0 % 127)) + 131072*(r0_0 // 127)), r0_mask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp11 = tmp10.to(tl.float32)
    tmp13 = tmp11 - tmp12
    tmp15 = tl_math.log(tmp14)
    tmp16 = tmp13 - tmp15
    tmp17 = -tmp16
    tmp18 = tl.full([1, 1], 0.0, tl.float32)
    tmp19 = tl.where(tmp2, tmp17, tmp18)
    tmp20 = tl.broadcast_to(tmp19, [XBLOCK, R0_BLOCK])
    tmp22 = tl.where(r0_mask, tmp20, 0)
    tmp23 = tl.sum(tmp22, 1)[:, None].to(tl.float32)
    tmp24 = tmp2.to(tl.int64)
    tmp25 = tl.broadcast_to(tmp24, [XBLOCK, R0_BLOCK])
    tmp27 = tl.where(r0_mask, tmp25, 0)
    tmp28 = tl.sum(tmp27, 1)[:, None].to(tl.int64)
    tmp29 = tmp28.to(tl.float32)
    tmp30 = (tmp23 / tmp29)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp30, None)
''', device_str='cuda')

def partition_0(args):
    arg1_1, arg0_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1, arg30_1, arg31_1 = args
    args.clear()
    assert_size_stride(arg1_1, (4, 128), (128, 1))
    assert_size_stride(arg0_1, (1024, 256), (256, 1))
    assert_size_stride(arg2_1, (256, ), (1, ))
    assert_size_stride(arg3_1, (768, 256), (256, 1))
    assert_size_stride(arg4_1, (256, 256), (256, 1))
    assert_size_stride(arg5_1, (256, ), (1, ))
    assert_size_stride(arg6_1, (512, 256), (256, 1))
    assert_size_stride(arg7_1, (512, 256), (256, 1))
    assert_size_stride(arg8_1, (256, 512), (512, 1))
    assert_size_stride(arg9_1, (256, ), (1, ))
    assert_size_stride(arg10_1, (768, 256), (256, 1))
    assert_size_stride(arg11_1, (256, 256), (256, 1))
    assert_size_stride(arg12_1, (256, ), (1, ))
    assert_size_stride(arg13_1, (512, 256), (256, 1))
    assert_size_stride(arg14_1, (512, 256), (256, 1))
    assert_size_stride(arg15_1, (256, 512), (512, 1))
    assert_size_stride(arg16_1, (256, ), (1, ))
    assert_size_stride(arg17_1, (768, 256), (256, 1))
    assert_size_stride(arg18_1, (256, 256), (256, 1))
    assert_size_stride(arg19_1, (256, ), (1, ))
    assert_size_stride(arg20_1, (512, 256), (256, 1))
    assert_size_stride(arg21_1, (512, 256), (256, 1))
    assert_size_stride(arg22_1, (256, 512), (512, 1))
    assert_size_stride(arg23_1, (256, ), (1, ))
    assert_size_stride(arg24_1, (768, 256), (256, 1))
    assert_size_stride(arg25_1, (256, 256), (256, 1))
    assert_size_stride(arg26_1, (256, ), (1, ))
    assert_size_stride(arg27_1, (512, 256), (256, 1))
    assert_size_stride(arg28_1, (512, 256), (256, 1))
    assert_size_stride(arg29_1, (256, 512), (512, 1))
    assert_size_stride(arg30_1, (256, ), (1, ))
    assert_size_stride(arg31_1, (1024, 256), (256, 1))
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        buf1 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [x, rms_norm], Original ATen: [aten.embedding, aten._fused_rms_norm]
        # [Provenance debug handles] triton_red_fused__fused_rms_norm_embedding_0:1
        stream0 = get_raw_stream(0)
        triton_red_fused__fused_rms_norm_embedding_0.run(arg1_1, arg0_1, arg2_1, buf1, 512, 256, stream=stream0)
        del arg2_1
        buf2 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [x, rms_norm, linear], Original ATen: [aten.embedding, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:2
        extern_kernels.mm(reinterpret_tensor(buf1, (512, 256), (256, 1), 0), reinterpret_tensor(arg3_1, (256, 768), (1, 256), 0), out=buf2)
        del arg3_1
        buf3 = reinterpret_tensor(buf1, (4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), 0); del buf1  # reuse
        # Topologically Sorted Source Nodes: [linear, mixed, permute, q, even, arange_1, getitem_3, arange, neg, truediv, frequencies, angles, cos, cos_1, mul_1, odd, sin, sin_1, mul_2, sub, stack, mul_3, mul_4, add], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1:3
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1.run(buf2, buf3, 131072, stream=stream0)
        buf4 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear, mixed, permute, k, even_1, arange_3, getitem_6, arange_2, neg_1, truediv_1, frequencies_1, angles_1, cos_2, cos_3, mul_6, odd_1, sin_2, sin_3, mul_7, sub_1, stack_1, mul_8, mul_9, add_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:4
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf2, buf4, 131072, stream=stream0)
        # Topologically Sorted Source Nodes: [linear, mixed, permute, flatten, flatten_1, v, attended], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
        # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:5
        buf5 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf3, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf4, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf2, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, False, 0.0, True)
        del buf2
        buf6 = buf5[0]
        assert_size_stride(buf6, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        assert_alignment(buf6, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        del buf5
        buf10 = reinterpret_tensor(buf4, (4, 128, 4, 64), (32768, 256, 64, 1), 0); del buf4  # reuse
        # Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
        # [Provenance debug handles] triton_poi_fused_clone_transpose_3:6
        stream0 = get_raw_stream(0)
        triton_poi_fused_clone_transpose_3.run(buf6, buf10, 131072, stream=stream0)
        buf11 = reinterpret_tensor(buf6, (512, 256), (256, 1), 0); del buf6  # reuse
        # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:7
        extern_kernels.mm(reinterpret_tensor(buf10, (512, 256), (256, 1), 0), reinterpret_tensor(arg4_1, (256, 256), (1, 256), 0), out=buf11)
        del arg4_1
        buf13 = reinterpret_tensor(buf10, (4, 128, 256), (32768, 256, 1), 0); del buf10  # reuse
        # Topologically Sorted Source Nodes: [x, linear_1, x_1, hidden], Original ATen: [aten.embedding, aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_4:8
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_4.run(arg1_1, arg0_1, buf11, arg5_1, buf13, 512, 256, stream=stream0)
        del arg5_1
        buf14 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_2], Original ATen: [aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:9
        extern_kernels.mm(reinterpret_tensor(buf13, (512, 256), (256, 1), 0), reinterpret_tensor(arg6_1, (256, 512), (1, 256), 0), out=buf14)
        del arg6_1
        buf15 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_3], Original ATen: [aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:10
        extern_kernels.mm(reinterpret_tensor(buf13, (512, 256), (256, 1), 0), reinterpret_tensor(arg7_1, (256, 512), (1, 256), 0), out=buf15)
        del arg7_1
        buf16 = reinterpret_tensor(buf14, (4, 128, 512), (65536, 512, 1), 0); del buf14  # reuse
        # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
        # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_5:11
        stream0 = get_raw_stream(0)
        triton_poi_fused__unsafe_view_mul_silu_5.run(buf16, buf15, 262144, stream=stream0)
        del buf15
        buf17 = reinterpret_tensor(buf13, (512, 256), (256, 1), 0); del buf13  # reuse
        # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:12
        extern_kernels.mm(reinterpret_tensor(buf16, (512, 512), (512, 1), 0), reinterpret_tensor(arg8_1, (512, 256), (1, 512), 0), out=buf17)
        del arg8_1
        buf19 = reinterpret_tensor(buf3, (4, 128, 256), (32768, 256, 1), 0); del buf3  # reuse
        # Topologically Sorted Source Nodes: [x, linear_1, x_1, linear_4, x_2, rms_norm_2], Original ATen: [aten.embedding, aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_6:13
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_6.run(arg1_1, arg0_1, buf11, buf17, arg9_1, buf19, 512, 256, stream=stream0)
        del arg9_1
        buf20 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [x, linear_1, x_1, linear_4, x_2, rms_norm_2, linear_5], Original ATen: [aten.embedding, aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:14
        extern_kernels.mm(reinterpret_tensor(buf19, (512, 256), (256, 1), 0), reinterpret_tensor(arg10_1, (256, 768), (1, 256), 0), out=buf20)
        del arg10_1
        buf21 = reinterpret_tensor(buf19, (4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), 0); del buf19  # reuse
        # Topologically Sorted Source Nodes: [linear_5, mixed_1, permute_1, q_1, even_2, arange_5, getitem_12, arange_4, neg_2, truediv_2, frequencies_2, angles_2, cos_4, cos_5, mul_12, odd_2, sin_4, sin_5, mul_13, sub_2, stack_2, mul_14, mul_15, add_4], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1:15
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1.run(buf20, buf21, 131072, stream=stream0)
        buf22 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_5, mixed_1, permute_1, k_1, even_3, arange_7, getitem_15, arange_6, neg_3, truediv_3, frequencies_3, angles_3, cos_6, cos_7, mul_17, odd_3, sin_6, sin_7, mul_18, sub_3, stack_3, mul_19, mul_20, add_5], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:16
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf20, buf22, 131072, stream=stream0)
        # Topologically Sorted Source Nodes: [linear_5, mixed_1, permute_1, flatten_2, flatten_3, v_1, attended_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
        # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:17
        buf23 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf21, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf22, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf20, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, False, 0.0, True)
        del buf20
        del buf21
        buf24 = buf23[0]
        assert_size_stride(buf24, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        assert_alignment(buf24, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        del buf23
        buf28 = reinterpret_tensor(buf22, (4, 128, 4, 64), (32768, 256, 64, 1), 0); del buf22  # reuse
        # Topologically Sorted Source Nodes: [transpose_1, reshape_1], Original ATen: [aten.transpose, aten.clone]
        # [Provenance debug handles] triton_poi_fused_clone_transpose_3:18
        stream0 = get_raw_stream(0)
        triton_poi_fused_clone_transpose_3.run(buf24, buf28, 131072, stream=stream0)
        buf29 = reinterpret_tensor(buf24, (512, 256), (256, 1), 0); del buf24  # reuse
        # Topologically Sorted Source Nodes: [transpose_1, reshape_1, linear_6], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:19
        extern_kernels.mm(reinterpret_tensor(buf28, (512, 256), (256, 1), 0), reinterpret_tensor(arg11_1, (256, 256), (1, 256), 0), out=buf29)
        del arg11_1
        buf30 = reinterpret_tensor(buf11, (4, 128, 256), (32768, 256, 1), 0); del buf11  # reuse
        buf32 = reinterpret_tensor(buf28, (4, 128, 256), (32768, 256, 1), 0); del buf28  # reuse
        # Topologically Sorted Source Nodes: [x, linear_1, x_1, linear_4, x_2, linear_6, x_3, hidden_1], Original ATen: [aten.embedding, aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_7:20
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_embedding_7.run(buf30, arg1_1, arg0_1, buf17, buf29, arg12_1, buf32, 512, 256, stream=stream0)
        del arg0_1
        del arg12_1
        buf33 = reinterpret_tensor(buf16, (512, 512), (512, 1), 0); del buf16  # reuse
        # Topologically Sorted Source Nodes: [hidden_1, linear_7], Original ATen: [aten._fused_rms_norm, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:21
        extern_kernels.mm(reinterpret_tensor(buf32, (512, 256), (256, 1), 0), reinterpret_tensor(arg13_1, (256, 512), (1, 256), 0), out=buf33)
        del arg13_1
        buf34 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_8], Original ATen: [aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:22
        extern_kernels.mm(reinterpret_tensor(buf32, (512, 256), (256, 1), 0), reinterpret_tensor(arg14_1, (256, 512), (1, 256), 0), out=buf34)
        del arg14_1
        buf35 = reinterpret_tensor(buf33, (4, 128, 512), (65536, 512, 1), 0); del buf33  # reuse
        # Topologically Sorted Source Nodes: [linear_7, silu_1, linear_8, mul_21], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
        # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_5:23
        stream0 = get_raw_stream(0)
        triton_poi_fused__unsafe_view_mul_silu_5.run(buf35, buf34, 262144, stream=stream0)
        del buf34
        buf36 = reinterpret_tensor(buf32, (512, 256), (256, 1), 0); del buf32  # reuse
        # Topologically Sorted Source Nodes: [linear_7, silu_1, linear_8, mul_21, linear_9], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:24
        extern_kernels.mm(reinterpret_tensor(buf35, (512, 512), (512, 1), 0), reinterpret_tensor(arg15_1, (512, 256), (1, 512), 0), out=buf36)
        del arg15_1
        buf38 = reinterpret_tensor(buf29, (4, 128, 256), (32768, 256, 1), 0); del buf29  # reuse
        # Topologically Sorted Source Nodes: [linear_9, x_4, rms_norm_4], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_8:25
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_8.run(buf30, buf36, arg16_1, buf38, 512, 256, stream=stream0)
        del arg16_1
        buf39 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_9, x_4, rms_norm_4, linear_10], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:26
        extern_kernels.mm(reinterpret_tensor(buf38, (512, 256), (256, 1), 0), reinterpret_tensor(arg17_1, (256, 768), (1, 256), 0), out=buf39)
        del arg17_1
        buf40 = reinterpret_tensor(buf38, (4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), 0); del buf38  # reuse
        # Topologically Sorted Source Nodes: [linear_10, mixed_2, permute_2, q_2, even_4, arange_9, getitem_21, arange_8, neg_4, truediv_4, frequencies_4, angles_4, cos_8, cos_9, mul_23, odd_4, sin_8, sin_9, mul_24, sub_4, stack_4, mul_25, mul_26, add_8], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1:27
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1.run(buf39, buf40, 131072, stream=stream0)
        buf41 = reinterpret_tensor(buf17, (4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), 0); del buf17  # reuse
        # Topologically Sorted Source Nodes: [linear_10, mixed_2, permute_2, k_2, even_5, arange_11, getitem_24, arange_10, neg_5, truediv_5, frequencies_5, angles_5, cos_10, cos_11, mul_28, odd_5, sin_10, sin_11, mul_29, sub_5, stack_5, mul_30, mul_31, add_9], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:28
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf39, buf41, 131072, stream=stream0)
        # Topologically Sorted Source Nodes: [linear_10, mixed_2, permute_2, flatten_4, flatten_5, v_2, attended_2], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
        # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:29
        buf42 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf40, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf41, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf39, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, False, 0.0, True)
        del buf39
        del buf40
        buf43 = buf42[0]
        assert_size_stride(buf43, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        assert_alignment(buf43, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        del buf42
        buf47 = reinterpret_tensor(buf41, (4, 128, 4, 64), (32768, 256, 64, 1), 0); del buf41  # reuse
        # Topologically Sorted Source Nodes: [transpose_2, reshape_2], Original ATen: [aten.transpose, aten.clone]
        # [Provenance debug handles] triton_poi_fused_clone_transpose_3:30
        stream0 = get_raw_stream(0)
        triton_poi_fused_clone_transpose_3.run(buf43, buf47, 131072, stream=stream0)
        buf48 = reinterpret_tensor(buf43, (512, 256), (256, 1), 0); del buf43  # reuse
        # Topologically Sorted Source Nodes: [transpose_2, reshape_2, linear_11], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:31
        extern_kernels.mm(reinterpret_tensor(buf47, (512, 256), (256, 1), 0), reinterpret_tensor(arg18_1, (256, 256), (1, 256), 0), out=buf48)
        del arg18_1
        buf50 = reinterpret_tensor(buf47, (4, 128, 256), (32768, 256, 1), 0); del buf47  # reuse
        # Topologically Sorted Source Nodes: [linear_9, x_4, linear_11, x_5, hidden_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_9:32
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_9.run(buf30, buf36, buf48, arg19_1, buf50, 512, 256, stream=stream0)
        del arg19_1
        buf51 = reinterpret_tensor(buf35, (512, 512), (512, 1), 0); del buf35  # reuse
        # Topologically Sorted Source Nodes: [linear_12], Original ATen: [aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:33
        extern_kernels.mm(reinterpret_tensor(buf50, (512, 256), (256, 1), 0), reinterpret_tensor(arg20_1, (256, 512), (1, 256), 0), out=buf51)
        del arg20_1
        buf52 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_13], Original ATen: [aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:34
        extern_kernels.mm(reinterpret_tensor(buf50, (512, 256), (256, 1), 0), reinterpret_tensor(arg21_1, (256, 512), (1, 256), 0), out=buf52)
        del arg21_1
        buf53 = reinterpret_tensor(buf51, (4, 128, 512), (65536, 512, 1), 0); del buf51  # reuse
        # Topologically Sorted Source Nodes: [linear_12, silu_2, linear_13, mul_32], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
        # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_5:35
        stream0 = get_raw_stream(0)
        triton_poi_fused__unsafe_view_mul_silu_5.run(buf53, buf52, 262144, stream=stream0)
        del buf52
        buf54 = reinterpret_tensor(buf50, (512, 256), (256, 1), 0); del buf50  # reuse
        # Topologically Sorted Source Nodes: [linear_12, silu_2, linear_13, mul_32, linear_14], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:36
        extern_kernels.mm(reinterpret_tensor(buf53, (512, 512), (512, 1), 0), reinterpret_tensor(arg22_1, (512, 256), (1, 512), 0), out=buf54)
        del arg22_1
        del buf53
        buf56 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_9, x_4, linear_11, x_5, linear_14, x_6, rms_norm_6], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_10:37
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_10.run(buf30, buf36, buf48, buf54, arg23_1, buf56, 512, 256, stream=stream0)
        del arg23_1
        buf57 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_9, x_4, linear_11, x_5, linear_14, x_6, rms_norm_6, linear_15], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:38
        extern_kernels.mm(reinterpret_tensor(buf56, (512, 256), (256, 1), 0), reinterpret_tensor(arg24_1, (256, 768), (1, 256), 0), out=buf57)
        del arg24_1
        buf58 = reinterpret_tensor(buf56, (4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), 0); del buf56  # reuse
        # Topologically Sorted Source Nodes: [linear_15, mixed_3, permute_3, q_3, even_6, arange_13, getitem_30, arange_12, neg_6, truediv_6, frequencies_6, angles_6, cos_12, cos_13, mul_34, odd_6, sin_12, sin_13, mul_35, sub_6, stack_6, mul_36, mul_37, add_12], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1:39
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_1.run(buf57, buf58, 131072, stream=stream0)
        buf59 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_15, mixed_3, permute_3, k_3, even_7, arange_15, getitem_33, arange_14, neg_7, truediv_7, frequencies_7, angles_7, cos_14, cos_15, mul_39, odd_7, sin_14, sin_15, mul_40, sub_7, stack_7, mul_41, mul_42, add_13], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.arange, aten.unsqueeze, aten.neg, aten.div, aten.pow, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.sub, aten.stack, aten.add]
        # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:40
        stream0 = get_raw_stream(0)
        triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf57, buf59, 131072, stream=stream0)
        # Topologically Sorted Source Nodes: [linear_15, mixed_3, permute_3, flatten_6, flatten_7, v_3, attended_3], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
        # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:41
        buf60 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf58, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf59, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf57, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, False, 0.0, True)
        del buf57
        del buf58
        buf61 = buf60[0]
        assert_size_stride(buf61, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        assert_alignment(buf61, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
        del buf60
        buf65 = reinterpret_tensor(buf59, (4, 128, 4, 64), (32768, 256, 64, 1), 0); del buf59  # reuse
        # Topologically Sorted Source Nodes: [transpose_3, reshape_3], Original ATen: [aten.transpose, aten.clone]
        # [Provenance debug handles] triton_poi_fused_clone_transpose_3:42
        stream0 = get_raw_stream(0)
        triton_poi_fused_clone_transpose_3.run(buf61, buf65, 131072, stream=stream0)
        buf66 = reinterpret_tensor(buf61, (512, 256), (256, 1), 0); del buf61  # reuse
        # Topologically Sorted Source Nodes: [transpose_3, reshape_3, linear_16], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:43
        extern_kernels.mm(reinterpret_tensor(buf65, (512, 256), (256, 1), 0), reinterpret_tensor(arg25_1, (256, 256), (1, 256), 0), out=buf66)
        del arg25_1
        buf67 = buf30; del buf30  # reuse
        buf69 = reinterpret_tensor(buf65, (4, 128, 256), (32768, 256, 1), 0); del buf65  # reuse
        # Topologically Sorted Source Nodes: [linear_9, x_4, linear_11, x_5, linear_14, x_6, linear_16, x_7, hidden_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_11:44
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_11.run(buf67, buf36, buf48, buf54, buf66, arg26_1, buf69, 512, 256, stream=stream0)
        del arg26_1
        del buf36
        del buf48
        del buf54
        del buf66
        buf70 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [hidden_3, linear_17], Original ATen: [aten._fused_rms_norm, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:45
        extern_kernels.mm(reinterpret_tensor(buf69, (512, 256), (256, 1), 0), reinterpret_tensor(arg27_1, (256, 512), (1, 256), 0), out=buf70)
        del arg27_1
        buf71 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_18], Original ATen: [aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:46
        extern_kernels.mm(reinterpret_tensor(buf69, (512, 256), (256, 1), 0), reinterpret_tensor(arg28_1, (256, 512), (1, 256), 0), out=buf71)
        del arg28_1
        buf72 = reinterpret_tensor(buf70, (4, 128, 512), (65536, 512, 1), 0); del buf70  # reuse
        # Topologically Sorted Source Nodes: [linear_17, silu_3, linear_18, mul_43], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
        # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_5:47
        stream0 = get_raw_stream(0)
        triton_poi_fused__unsafe_view_mul_silu_5.run(buf72, buf71, 262144, stream=stream0)
        del buf71
        buf73 = reinterpret_tensor(buf69, (512, 256), (256, 1), 0); del buf69  # reuse
        # Topologically Sorted Source Nodes: [linear_17, silu_3, linear_18, mul_43, linear_19], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:48
        extern_kernels.mm(reinterpret_tensor(buf72, (512, 512), (512, 1), 0), reinterpret_tensor(arg29_1, (512, 256), (1, 512), 0), out=buf73)
        del arg29_1
        del buf72
        buf75 = buf67; del buf67  # reuse
        # Topologically Sorted Source Nodes: [linear_19, x_8, rms_norm_8], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
        # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_12:49
        stream0 = get_raw_stream(0)
        triton_per_fused__fused_rms_norm__unsafe_view_add_12.run(buf75, buf73, arg30_1, 512, 256, stream=stream0)
        del arg30_1
        del buf73
        buf76 = empty_strided_cuda((512, 1024), (1024, 1), torch.bfloat16)
        # Topologically Sorted Source Nodes: [linear_19, x_8, rms_norm_8, logits], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:50
        extern_kernels.mm(reinterpret_tensor(buf75, (512, 256), (256, 1), 0), reinterpret_tensor(arg31_1, (256, 1024), (1, 256), 0), out=buf76)
        del arg31_1
        del buf75
        buf77 = empty_strided_cuda((508, 1), (1, 508), torch.float32)
        buf78 = empty_strided_cuda((508, 1), (1, 508), torch.float32)
        # Topologically Sorted Source Nodes: [logits, getitem_36, flatten_8, float_1, ], Original ATen: [aten._unsafe_view, aten.slice, aten.clone, aten._to_copy, prims.prepare_softmax_online]
        # [Provenance debug handles] triton_per_fused__to_copy__unsafe_view_clone_prepare_softmax_online_slice_13:51
        stream0 = get_raw_stream(0)
        triton_per_fused__to_copy__unsafe_view_clone_prepare_softmax_online_slice_13.run(buf76, buf77, buf78, 508, 1024, stream=stream0)
        buf79 = empty_strided_cuda((), (), torch.float32)
        buf81 = buf79; del buf79  # reuse
        # Topologically Sorted Source Nodes: [getitem_37, flatten_9, cross_entropy, logits, getitem_36, flatten_8, float_1, ], Original ATen: [aten.slice, aten.clone, aten._unsafe_view, aten.nll_loss_forward, aten._to_copy, aten.sub, aten._log_softmax]
        # [Provenance debug handles] triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_14:52
        stream0 = get_raw_stream(0)
        triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_14.run(buf81, arg1_1, buf76, buf77, buf78, 1, 508, stream=stream0)
        del arg1_1
        del buf76
        del buf77
        del buf78
    return (buf81, )


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
        arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1, arg30_1, arg31_1 = args
        args.clear()
        partition0_args = [arg1_1, arg0_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1, arg30_1, arg31_1]
        del arg1_1, arg0_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1, arg30_1, arg31_1
        (buf81,) = self.partitions[0](partition0_args)
        del partition0_args
        return (buf81, )

runner = Runner(partitions=[partition_0,])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((1024, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg1_1 = rand_strided((4, 128), (128, 1), device='cuda:0', dtype=torch.int64)
    arg2_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg3_1 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg4_1 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg5_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg6_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg7_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg8_1 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    arg9_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg10_1 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg11_1 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg12_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg13_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg14_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg15_1 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    arg16_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg17_1 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg18_1 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg19_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg20_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg21_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg22_1 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    arg23_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg24_1 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg25_1 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg26_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg27_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg28_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    arg29_1 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    arg30_1 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    arg31_1 = rand_strided((1024, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    return [arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1, arg30_1, arg31_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

