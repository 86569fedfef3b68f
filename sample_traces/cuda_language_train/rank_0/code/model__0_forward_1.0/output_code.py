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


# kernel path: /tmp/torchinductor_user/ma/cmajxkjffo772tlikhy2tht4jtf5pq57xkecwsqmuzb5wlok2ozx.py
# Topologically Sorted Source Nodes: [x, rms_norm, linear], Original ATen: [aten.embedding, aten._fused_rms_norm, aten._to_copy]
# Source node to ATen node mapping:
#   linear => convert_element_type_1
#   rms_norm => add, mean, mul, mul_1, pow_1, rsqrt
#   x => embedding
# Graph fragment:
#   %primals_2 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=primals_2]
#   %primals_1 : Tensor "f32[1024, 256][256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %buf1 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf1]
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %primals_3 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_3]
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.embedding.default](args = (%primals_1, %primals_2), kwargs = {})
#   %pow_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%embedding, 2), kwargs = {})
#   %mean : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_1, [2], True), kwargs = {})
#   %add : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add,), kwargs = {})
#   %mul : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%embedding, %rsqrt), kwargs = {})
#   %mul_1 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul, %primals_3), kwargs = {})
#   %convert_element_type_1 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_1, torch.bfloat16), kwargs = {})
#   return %embedding,%buf1,%rsqrt,%convert_element_type_1
triton_per_fused__fused_rms_norm__to_copy_embedding_0 = async_compile.triton('triton_per_fused__fused_rms_norm__to_copy_embedding_0', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__to_copy_embedding_0', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 3, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8192, 'r0_': 1573888}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__to_copy_embedding_0(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp18 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last')
    tmp1 = tl.full([1, 1], 1024, tl.int32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp0 < 0
    tmp4 = tl.where(tmp3, tmp2, tmp0)
    tl.device_assert(((0 <= tmp4) & (tmp4 < 1024)) | ~(xmask), "index out of bounds: 0 <= tmp4 < 1024")
    tmp6 = tl.load(in_ptr1 + (r0_1 + 256*tmp4), xmask, other=0.0)
    tmp7 = tmp6 * tmp6
    tmp8 = tl.broadcast_to(tmp7, [XBLOCK, R0_BLOCK])
    tmp10 = tl.where(xmask, tmp8, 0)
    tmp11 = tl.sum(tmp10, 1)[:, None].to(tl.float32)
    tmp12 = tl.full([1, 1], 256.0, tl.float32)
    tmp13 = (tmp11 / tmp12)
    tmp14 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp15 = tmp13 + tmp14
    tmp16 = libdevice.rsqrt(tmp15)
    tmp17 = tmp6 * tmp16
    tmp19 = tmp17 * tmp18
    tmp20 = tmp19.to(tl.float32)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp6, xmask)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp16, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp20, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/nb/cnbuccquwqw54srcp5trn4zsc3qyv5i2n7clv56tb52pwfjudq7v.py
# Topologically Sorted Source Nodes: [linear], Original ATen: [aten._to_copy, aten.t]
# Source node to ATen node mapping:
#   linear => convert_element_type, permute
# Graph fragment:
#   %primals_4 : Tensor "f32[768, 256][256, 1]cuda:0" = PlaceHolder[target=primals_4]
#   %convert_element_type : Tensor "bf16[768, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_4, torch.bfloat16), kwargs = {})
#   %permute : Tensor "bf16[256, 768][1, 256]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.permute.default](args = (%convert_element_type, [1, 0]), kwargs = {})
#   return %permute
triton_poi_fused__to_copy_t_1 = async_compile.triton('triton_poi_fused__to_copy_t_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_t_1', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1572864}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_t_1(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 196608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/xw/cxwu7ipbcx2sar4634ncqdb5w7bl2bseboh3dwrgf4adix33l6n2.py
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
#   %mm : Tensor "bf16[512, 768][768, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "bf16[4, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [4, 128, 768]), kwargs = {})
#   %view_2 : Tensor "bf16[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [4, 128, 3, 4, 64]), kwargs = {})
#   %permute_1 : Tensor "bf16[3, 4, 4, 128, 64][256, 98304, 64, 768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select : Tensor "bf16[4, 4, 128, 64][98304, 64, 768, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 0), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_4 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos, torch.bfloat16), kwargs = {})
#   %sin : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_5 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin, torch.bfloat16), kwargs = {})
#   %slice_1 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_2 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_3 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_4), kwargs = {})
#   %mul_4 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_5), kwargs = {})
#   %sub : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_3, %mul_4), kwargs = {})
#   %mul_5 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_5), kwargs = {})
#   %mul_6 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_4), kwargs = {})
#   %add_1 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_5, %mul_6), kwargs = {})
#   %unsqueeze_1 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub, 4), kwargs = {})
#   %unsqueeze_2 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_1, 4), kwargs = {})
#   %cat : Tensor "bf16[4, 4, 128, 32, 2][32768, 8192, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_1, %unsqueeze_2], -1), kwargs = {})
#   return %cat
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 524288}},
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


# kernel path: /tmp/torchinductor_user/kr/ckrqbuksgxvc2tehq5npakjhmqr3ick42lupb7mzdtm3d4ysvq3w.py
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
#   %mm : Tensor "bf16[512, 768][768, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_1 : Tensor "bf16[4, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [4, 128, 768]), kwargs = {})
#   %view_2 : Tensor "bf16[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [4, 128, 3, 4, 64]), kwargs = {})
#   %permute_1 : Tensor "bf16[3, 4, 4, 128, 64][256, 98304, 64, 768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select_1 : Tensor "bf16[4, 4, 128, 64][98304, 64, 768, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 1), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_4 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos, torch.bfloat16), kwargs = {})
#   %sin : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_5 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin, torch.bfloat16), kwargs = {})
#   %slice_3 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_4 : Tensor "bf16[4, 4, 128, 32][98304, 64, 768, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_8 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_4), kwargs = {})
#   %mul_9 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_5), kwargs = {})
#   %sub_1 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_8, %mul_9), kwargs = {})
#   %mul_10 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_5), kwargs = {})
#   %mul_11 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_4), kwargs = {})
#   %add_2 : Tensor "bf16[4, 4, 128, 32][16384, 32, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_10, %mul_11), kwargs = {})
#   %unsqueeze_4 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_1, 4), kwargs = {})
#   %unsqueeze_5 : Tensor "bf16[4, 4, 128, 32, 1][16384, 32, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_2, 4), kwargs = {})
#   %cat_1 : Tensor "bf16[4, 4, 128, 32, 2][32768, 8192, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_4, %unsqueeze_5], -1), kwargs = {})
#   return %cat_1
triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3 = async_compile.triton('triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 524288}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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


# kernel path: /tmp/torchinductor_user/r7/cr7msvj3byghwzzgoeuarp7ez27impl6mzcuh7udyzdw6dok7yoq.py
# Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten._to_copy, aten.t]
# Source node to ATen node mapping:
#   linear_1 => convert_element_type_8, permute_3
# Graph fragment:
#   %primals_5 : Tensor "f32[256, 256][256, 1]cuda:0" = PlaceHolder[target=primals_5]
#   %convert_element_type_8 : Tensor "bf16[256, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_5, torch.bfloat16), kwargs = {})
#   %permute_3 : Tensor "bf16[256, 256][1, 256]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.permute.default](args = (%convert_element_type_8, [1, 0]), kwargs = {})
#   return %permute_3
triton_poi_fused__to_copy_t_4 = async_compile.triton('triton_poi_fused__to_copy_t_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 65536}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_t_4', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 524288}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_t_4(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 65536
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/q3/cq3wktdnbx6omkudtfgxrha3fatz7lckqwtqxjcbpikig6w5hm3c.py
# Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
# Source node to ATen node mapping:
#   reshape => clone
#   transpose => permute_2
# Graph fragment:
#   %getitem : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = PlaceHolder[target=getitem]
#   %permute_2 : Tensor "bf16[4, 128, 4, 64][32768, 64, 8192, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%getitem, [0, 2, 1, 3]), kwargs = {})
#   %clone : Tensor "bf16[4, 128, 4, 64][32768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_2,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone
triton_poi_fused_clone_transpose_5 = async_compile.triton('triton_poi_fused_clone_transpose_5', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_clone_transpose_5', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 786432}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_clone_transpose_5(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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


# kernel path: /tmp/torchinductor_user/hw/chwzjdy27jics47ojkezazagy4tz5aisaldu3aha3njzb6xwwatb.py
# Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
# Source node to ATen node mapping:
#   hidden => add_4, mean_1, mul_12, mul_13, pow_4, rsqrt_1
#   linear_1 => view_7
#   linear_2 => convert_element_type_12
#   x_1 => add_3
# Graph fragment:
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %buf16 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf16]
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_1]
#   %primals_6 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_6]
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %pow_4 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%add_3, 2), kwargs = {})
#   %mean_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_4, [2], True), kwargs = {})
#   %add_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_1, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_4,), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_3, %rsqrt_1), kwargs = {})
#   %mul_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_12, %primals_6), kwargs = {})
#   %convert_element_type_12 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_13, torch.bfloat16), kwargs = {})
#   return %buf16,%rsqrt_1,%convert_element_type_12
triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_6 = async_compile.triton('triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_6', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_6', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 1311744}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_6(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp15 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
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
    tmp16 = tmp14 * tmp15
    tmp17 = tmp16.to(tl.float32)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp13, xmask)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp17, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/7g/c7gquxpo5tqnoz3z5a7ukvgio4g2onblmmkimyefzizq7zokru66.py
# Topologically Sorted Source Nodes: [linear_2], Original ATen: [aten._to_copy, aten.t]
# Source node to ATen node mapping:
#   linear_2 => convert_element_type_11, permute_4
# Graph fragment:
#   %primals_7 : Tensor "f32[512, 256][256, 1]cuda:0" = PlaceHolder[target=primals_7]
#   %convert_element_type_11 : Tensor "bf16[512, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_7, torch.bfloat16), kwargs = {})
#   %permute_4 : Tensor "bf16[256, 512][1, 256]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.permute.default](args = (%convert_element_type_11, [1, 0]), kwargs = {})
#   return %permute_4
triton_poi_fused__to_copy_t_7 = async_compile.triton('triton_poi_fused__to_copy_t_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 131072}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_t_7', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1048576}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_t_7(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/e4/ce4zizo7h7cnzzgjoebogdnt6ppyof3irszwa37q66kxj3zx7jyj.py
# Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
# Source node to ATen node mapping:
#   linear_2 => view_9
#   linear_3 => view_11
#   mul_10 => mul_14
#   silu => add_5, convert_element_type_15, convert_element_type_16, div_2, exp, neg_2
# Graph fragment:
#   %mm_2 : Tensor "bf16[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %mm_3 : Tensor "bf16[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_3]
#   %view_9 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [4, 128, 512]), kwargs = {})
#   %convert_element_type_15 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_9, torch.float32), kwargs = {})
#   %neg_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%convert_element_type_15,), kwargs = {})
#   %exp : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_2,), kwargs = {})
#   %add_5 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp, 1), kwargs = {})
#   %div_2 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%convert_element_type_15, %add_5), kwargs = {})
#   %convert_element_type_16 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%div_2, torch.bfloat16), kwargs = {})
#   %view_11 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_3, [4, 128, 512]), kwargs = {})
#   %mul_14 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_16, %view_11), kwargs = {})
#   return %mul_14
triton_poi_fused__unsafe_view_mul_silu_8 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_8', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2097152}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_8(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
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


# kernel path: /tmp/torchinductor_user/34/c34czngx5g3fgeqkmjsyzz4kntarcwaugz2min6afuirhgaumjgx.py
# Topologically Sorted Source Nodes: [linear_1, x_1, linear_4, x_2, rms_norm_2, linear_5], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
# Source node to ATen node mapping:
#   linear_1 => view_7
#   linear_4 => view_13
#   linear_5 => convert_element_type_25
#   rms_norm_2 => add_7, mean_2, mul_15, mul_16, pow_5, rsqrt_2
#   x_1 => add_3
#   x_2 => add_6
# Graph fragment:
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %buf26 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf26]
#   %rsqrt_2 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_2]
#   %mul_15 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_15]
#   %primals_10 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_10]
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %view_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [4, 128, 256]), kwargs = {})
#   %add_6 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   %pow_5 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%add_6, 2), kwargs = {})
#   %mean_2 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_5, [2], True), kwargs = {})
#   %add_7 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_2, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_2 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_7,), kwargs = {})
#   %mul_15 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_6, %rsqrt_2), kwargs = {})
#   %mul_16 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_15, %primals_10), kwargs = {})
#   %convert_element_type_25 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_16, torch.bfloat16), kwargs = {})
#   return %buf26,%rsqrt_2,%mul_15,%convert_element_type_25
triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9 = async_compile.triton('triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 4, 'num_store': 3, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 2622464}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp4 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp18 = tl.load(in_ptr3 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp3 + tmp5
    tmp7 = tmp6 * tmp6
    tmp8 = tl.broadcast_to(tmp7, [XBLOCK, R0_BLOCK])
    tmp10 = tl.where(xmask, tmp8, 0)
    tmp11 = tl.sum(tmp10, 1)[:, None].to(tl.float32)
    tmp12 = tl.full([1, 1], 256.0, tl.float32)
    tmp13 = (tmp11 / tmp12)
    tmp14 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp15 = tmp13 + tmp14
    tmp16 = libdevice.rsqrt(tmp15)
    tmp17 = tmp6 * tmp16
    tmp19 = tmp17 * tmp18
    tmp20 = tmp19.to(tl.float32)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp16, xmask)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp17, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp20, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/jm/cjmc2vp6wageql5xvoxds2sjfid3d2ivd776jjtwpwmmlq3siwbm.py
# Topologically Sorted Source Nodes: [linear_1, x_1, linear_4, x_2, linear_6, x_3, hidden_1, linear_7], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
# Source node to ATen node mapping:
#   hidden_1 => add_11, mean_3, mul_27, mul_28, pow_8, rsqrt_3
#   linear_1 => view_7
#   linear_4 => view_13
#   linear_6 => view_21
#   linear_7 => convert_element_type_36
#   x_1 => add_3
#   x_2 => add_6
#   x_3 => add_10
# Graph fragment:
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %mm_6 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_6]
#   %buf42 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf42]
#   %rsqrt_3 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_3]
#   %mul_27 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_27]
#   %primals_13 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_13]
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %view_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [4, 128, 256]), kwargs = {})
#   %add_6 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   %view_21 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_6, [4, 128, 256]), kwargs = {})
#   %add_10 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_6, %view_21), kwargs = {})
#   %pow_8 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%add_10, 2), kwargs = {})
#   %mean_3 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_8, [2], True), kwargs = {})
#   %add_11 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_3, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_3 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_11,), kwargs = {})
#   %mul_27 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_10, %rsqrt_3), kwargs = {})
#   %mul_28 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_27, %primals_13), kwargs = {})
#   %convert_element_type_36 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_28, torch.bfloat16), kwargs = {})
#   return %buf42,%rsqrt_3,%mul_27,%convert_element_type_36
triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10 = async_compile.triton('triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 5, 'num_store': 3, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 2884608}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp4 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp7 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp21 = tl.load(in_ptr4 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp3 + tmp5
    tmp8 = tmp7.to(tl.float32)
    tmp9 = tmp6 + tmp8
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
    tmp22 = tmp20 * tmp21
    tmp23 = tmp22.to(tl.float32)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp19, xmask)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp20, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp23, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/pp/cppn5ozuj3j7adhljkfepeba6urlkljl3craernaxfttpwqzbl7w.py
# Topologically Sorted Source Nodes: [linear_1, x_1, linear_4, x_2, linear_6, x_3, linear_9, x_4, rms_norm_4, linear_10], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
# Source node to ATen node mapping:
#   linear_1 => view_7
#   linear_10 => convert_element_type_49
#   linear_4 => view_13
#   linear_6 => view_21
#   linear_9 => view_27
#   rms_norm_4 => add_14, mean_4, mul_30, mul_31, pow_9, rsqrt_4
#   x_1 => add_3
#   x_2 => add_6
#   x_3 => add_10
#   x_4 => add_13
# Graph fragment:
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %mm_6 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_6]
#   %mm_9 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_9]
#   %add_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_13]
#   %buf54 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf54]
#   %rsqrt_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_4]
#   %mul_30 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_30]
#   %primals_17 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_17]
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %view_13 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [4, 128, 256]), kwargs = {})
#   %add_6 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   %view_21 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_6, [4, 128, 256]), kwargs = {})
#   %add_10 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_6, %view_21), kwargs = {})
#   %view_27 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_9, [4, 128, 256]), kwargs = {})
#   %add_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_10, %view_27), kwargs = {})
#   %pow_9 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%add_13, 2), kwargs = {})
#   %mean_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_9, [2], True), kwargs = {})
#   %add_14 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_4, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_4 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_14,), kwargs = {})
#   %mul_30 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_13, %rsqrt_4), kwargs = {})
#   %mul_31 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_30, %primals_17), kwargs = {})
#   %convert_element_type_49 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_31, torch.bfloat16), kwargs = {})
#   return %add_13,%buf54,%rsqrt_4,%mul_30,%convert_element_type_49
triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_11 = async_compile.triton('triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_11', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'in_ptr5': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_11', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 6, 'num_store': 4, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 4195328}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_11(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, out_ptr0, out_ptr1, out_ptr2, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp4 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp7 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp10 = tl.load(in_ptr4 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp24 = tl.load(in_ptr5 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp3 + tmp5
    tmp8 = tmp7.to(tl.float32)
    tmp9 = tmp6 + tmp8
    tmp11 = tmp10.to(tl.float32)
    tmp12 = tmp9 + tmp11
    tmp13 = tmp12 * tmp12
    tmp14 = tl.broadcast_to(tmp13, [XBLOCK, R0_BLOCK])
    tmp16 = tl.where(xmask, tmp14, 0)
    tmp17 = tl.sum(tmp16, 1)[:, None].to(tl.float32)
    tmp18 = tl.full([1, 1], 256.0, tl.float32)
    tmp19 = (tmp17 / tmp18)
    tmp20 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp21 = tmp19 + tmp20
    tmp22 = libdevice.rsqrt(tmp21)
    tmp23 = tmp12 * tmp22
    tmp25 = tmp23 * tmp24
    tmp26 = tmp25.to(tl.float32)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp12, xmask)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp22, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp23, xmask)
    tl.store(out_ptr2 + (r0_1 + 256*x0), tmp26, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/f6/cf6du5fvuzuxjfla5ubpntsxuvm2buxhx4hfr6vutt3qlu3dtutd.py
# Topologically Sorted Source Nodes: [linear_11, x_5, hidden_2, linear_12], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
# Source node to ATen node mapping:
#   hidden_2 => add_18, mean_5, mul_42, mul_43, pow_12, rsqrt_5
#   linear_11 => view_35
#   linear_12 => convert_element_type_60
#   x_5 => add_17
# Graph fragment:
#   %add_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_13]
#   %mm_11 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_11]
#   %buf70 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf70]
#   %rsqrt_5 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_5]
#   %mul_42 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_42]
#   %primals_20 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_20]
#   %view_35 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_11, [4, 128, 256]), kwargs = {})
#   %add_17 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_13, %view_35), kwargs = {})
#   %pow_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%add_17, 2), kwargs = {})
#   %mean_5 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_12, [2], True), kwargs = {})
#   %add_18 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_5, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_5 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_18,), kwargs = {})
#   %mul_42 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_17, %rsqrt_5), kwargs = {})
#   %mul_43 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_42, %primals_20), kwargs = {})
#   %convert_element_type_60 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_43, torch.bfloat16), kwargs = {})
#   return %buf70,%rsqrt_5,%mul_42,%convert_element_type_60
triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_12 = async_compile.triton('triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_12', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_12', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 3, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 2360320}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_12(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp1 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp15 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
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
    tmp16 = tmp14 * tmp15
    tmp17 = tmp16.to(tl.float32)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp13, xmask)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp14, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp17, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/x4/cx4pxamikbohvek2mtczftzxmi5qzku4qu3dazwehnipqgbm33pb.py
# Topologically Sorted Source Nodes: [linear_11, x_5, linear_14, x_6, linear_16, x_7, linear_19, x_8, rms_norm_8, logits], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
# Source node to ATen node mapping:
#   linear_11 => view_35
#   linear_14 => view_41
#   linear_16 => view_49
#   linear_19 => view_55
#   logits => convert_element_type_97
#   rms_norm_8 => add_28, mean_8, mul_60, mul_61, pow_17, rsqrt_8
#   x_5 => add_17
#   x_6 => add_20
#   x_7 => add_24
#   x_8 => add_27
# Graph fragment:
#   %add_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_13]
#   %mm_11 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_11]
#   %mm_14 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_14]
#   %mm_16 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_16]
#   %mm_19 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_19]
#   %add_27 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_27]
#   %buf109 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=buf109]
#   %rsqrt_8 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_8]
#   %mul_60 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_60]
#   %primals_31 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_31]
#   %view_35 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_11, [4, 128, 256]), kwargs = {})
#   %add_17 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_13, %view_35), kwargs = {})
#   %view_41 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_14, [4, 128, 256]), kwargs = {})
#   %add_20 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_17, %view_41), kwargs = {})
#   %view_49 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_16, [4, 128, 256]), kwargs = {})
#   %add_24 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_20, %view_49), kwargs = {})
#   %view_55 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_19, [4, 128, 256]), kwargs = {})
#   %add_27 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_24, %view_55), kwargs = {})
#   %pow_17 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%add_27, 2), kwargs = {})
#   %mean_8 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_17, [2], True), kwargs = {})
#   %add_28 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_8, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_8 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_28,), kwargs = {})
#   %mul_60 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_27, %rsqrt_8), kwargs = {})
#   %mul_61 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_60, %primals_31), kwargs = {})
#   %convert_element_type_97 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_61, torch.bfloat16), kwargs = {})
#   return %add_27,%buf109,%rsqrt_8,%mul_60,%convert_element_type_97
triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_13 = async_compile.triton('triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_13', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_out_ptr1': '*fp32', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_13', 'mutated_arg_names': ['in_out_ptr0', 'in_out_ptr1'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 6, 'num_store': 3, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 4096, 'r0_': 3146752}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_13(in_out_ptr0, in_out_ptr1, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp0 = tl.load(in_out_ptr0 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp1 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp4 = tl.load(in_ptr1 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp7 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp10 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp24 = tl.load(in_ptr4 + (r0_1), None, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp3 + tmp5
    tmp8 = tmp7.to(tl.float32)
    tmp9 = tmp6 + tmp8
    tmp11 = tmp10.to(tl.float32)
    tmp12 = tmp9 + tmp11
    tmp13 = tmp12 * tmp12
    tmp14 = tl.broadcast_to(tmp13, [XBLOCK, R0_BLOCK])
    tmp16 = tl.where(xmask, tmp14, 0)
    tmp17 = tl.sum(tmp16, 1)[:, None].to(tl.float32)
    tmp18 = tl.full([1, 1], 256.0, tl.float32)
    tmp19 = (tmp17 / tmp18)
    tmp20 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp21 = tmp19 + tmp20
    tmp22 = libdevice.rsqrt(tmp21)
    tmp23 = tmp12 * tmp22
    tmp25 = tmp23 * tmp24
    tmp26 = tmp25.to(tl.float32)
    tl.debug_barrier()
    tl.store(in_out_ptr1 + (x0), tmp22, xmask)
    tl.store(in_out_ptr0 + (r0_1 + 256*x0), tmp23, xmask)
    tl.store(out_ptr0 + (r0_1 + 256*x0), tmp26, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/w4/cw42t4axxk2hfb3yed6rmckt3qiemier7ps57s7vkxegafj33vca.py
# Topologically Sorted Source Nodes: [logits], Original ATen: [aten._to_copy, aten.t]
# Source node to ATen node mapping:
#   logits => convert_element_type_96, permute_28
# Graph fragment:
#   %primals_32 : Tensor "f32[1024, 256][256, 1]cuda:0" = PlaceHolder[target=primals_32]
#   %convert_element_type_96 : Tensor "bf16[1024, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_32, torch.bfloat16), kwargs = {})
#   %permute_28 : Tensor "bf16[256, 1024][1, 256]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.permute.default](args = (%convert_element_type_96, [1, 0]), kwargs = {})
#   return %permute_28
triton_poi_fused__to_copy_t_14 = async_compile.triton('triton_poi_fused__to_copy_t_14', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_t_14', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2097152}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_t_14(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/hw/chwfcn77jx6ysvxmauvvkkhw3fldc7clojcicfgybsxyj2ywpu54.py
# Topologically Sorted Source Nodes: [logits, getitem_36, flatten_8, float_1, , cross_entropy], Original ATen: [aten._unsafe_view, aten.slice, aten.clone, aten._to_copy, prims.prepare_softmax_online, aten._log_softmax]
# Source node to ATen node mapping:
#    => prepare_softmax_online_default
#   cross_entropy => log
#   flatten_8 => clone_4, view_58
#   float_1 => convert_element_type_100
#   getitem_36 => slice_17
#   logits => view_57
# Graph fragment:
#   %mm_20 : Tensor "bf16[512, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_20]
#   %getitem_36 : Tensor "f32[508, 1][1, 508]cuda:0" = PlaceHolder[target=getitem_36]
#   %view_57 : Tensor "bf16[4, 128, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_20, [4, 128, 1024]), kwargs = {})
#   %slice_17 : Tensor "bf16[4, 127, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%view_57, 1, 0, -1), kwargs = {})
#   %clone_4 : Tensor "bf16[4, 127, 1024][130048, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_17,), kwargs = {memory_format: torch.contiguous_format})
#   %view_58 : Tensor "bf16[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_4, [508, 1024]), kwargs = {})
#   %convert_element_type_100 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_58, torch.float32), kwargs = {})
#   %prepare_softmax_online_default : [num_users=2] = call_function[target=torch.ops.prims.prepare_softmax_online.default](args = (%convert_element_type_100, 1), kwargs = {})
#   %log : Tensor "f32[508, 1][1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.log.default](args = (%getitem_36,), kwargs = {})
#   return %getitem_35,%getitem_36,%log
triton_per_fused__log_softmax__to_copy__unsafe_view_clone_prepare_softmax_online_slice_15 = async_compile.triton('triton_per_fused__log_softmax__to_copy__unsafe_view_clone_prepare_softmax_online_slice_15', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__log_softmax__to_copy__unsafe_view_clone_prepare_softmax_online_slice_15', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 2, 'num_reduction': 4, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8128, 'r0_': 1040384}}
)
@triton.jit
def triton_per_fused__log_softmax__to_copy__unsafe_view_clone_prepare_softmax_online_slice_15(in_out_ptr0, in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp14 = tl_math.log(tmp13)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (x0), tmp14, xmask)
    tl.store(out_ptr0 + (x0), tmp7, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/gk/cgkemca5ihgedpuslkezd2nau2v2jdstmng6a6atmib6uaihwog4.py
# Topologically Sorted Source Nodes: [logits, getitem_36, flatten_8, float_1, getitem_37, flatten_9, , cross_entropy], Original ATen: [aten._unsafe_view, aten.slice, aten.clone, aten._to_copy, aten.sub, aten._log_softmax, aten.nll_loss_forward]
# Source node to ATen node mapping:
#    => sub_tensor
#   cross_entropy => convert_element_type_101, div_12, full_default, full_default_1, gather, ne, neg_12, squeeze, sub_9, sum_2, sum_3, unsqueeze_24, where, where_1
#   flatten_8 => clone_4, view_58
#   flatten_9 => clone_5, view_59
#   float_1 => convert_element_type_100
#   getitem_36 => slice_17
#   getitem_37 => slice_18
#   logits => view_57
# Graph fragment:
#   %primals_2 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=primals_2]
#   %mm_20 : Tensor "bf16[512, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_20]
#   %getitem_35 : Tensor "f32[508, 1][1, 1]cuda:0" = PlaceHolder[target=getitem_35]
#   %log : Tensor "f32[508, 1][1, 1]cuda:0" = PlaceHolder[target=log]
#   %sum_2 : Tensor "i64[][]cuda:0" = PlaceHolder[target=sum_2]
#   %sum_3 : Tensor "f32[][]cuda:0" = PlaceHolder[target=sum_3]
#   %convert_element_type_101 : Tensor "f32[][]cuda:0" = PlaceHolder[target=convert_element_type_101]
#   %view_57 : Tensor "bf16[4, 128, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_20, [4, 128, 1024]), kwargs = {})
#   %slice_17 : Tensor "bf16[4, 127, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%view_57, 1, 0, -1), kwargs = {})
#   %clone_4 : Tensor "bf16[4, 127, 1024][130048, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_17,), kwargs = {memory_format: torch.contiguous_format})
#   %view_58 : Tensor "bf16[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_4, [508, 1024]), kwargs = {})
#   %convert_element_type_100 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_58, torch.float32), kwargs = {})
#   %slice_18 : Tensor "i64[4, 127][128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%primals_2, 1, 1, 9223372036854775807), kwargs = {})
#   %clone_5 : Tensor "i64[4, 127][127, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_18,), kwargs = {memory_format: torch.contiguous_format})
#   %view_59 : Tensor "i64[508][1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_5, [508]), kwargs = {})
#   %sub_tensor : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convert_element_type_100, %getitem_35), kwargs = {})
#   %sub_9 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%sub_tensor, %log), kwargs = {})
#   %ne : Tensor "b8[508][1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.ne.Scalar](args = (%view_59, -100), kwargs = {})
#   %full_default : Tensor "i64[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([], 0), kwargs = {dtype: torch.int64, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where : Tensor "i64[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne, %view_59, %full_default), kwargs = {})
#   %unsqueeze_24 : Tensor "i64[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%where, 1), kwargs = {})
#   %gather : Tensor "f32[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.gather.default](args = (%sub_9, 1, %unsqueeze_24), kwargs = {})
#   %squeeze : Tensor "f32[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.squeeze.dim](args = (%gather, 1), kwargs = {})
#   %neg_12 : Tensor "f32[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%squeeze,), kwargs = {})
#   %full_default_1 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where_1 : Tensor "f32[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne, %neg_12, %full_default_1), kwargs = {})
#   %sum_2 : Tensor "i64[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%ne,), kwargs = {})
#   %convert_element_type_101 : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sum_2, torch.float32), kwargs = {})
#   %sum_3 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%where_1,), kwargs = {})
#   %div_12 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%sum_3, %convert_element_type_101), kwargs = {})
#   return %sum_2,%sum_3,%convert_element_type_101,%div_12
triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_16 = async_compile.triton('triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_16', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*i64', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'constexpr', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {'xnumel': 1}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_16', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 2, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'r0_': 8128}}
)
@triton.jit
def triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_16(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp17 = tl.load(in_ptr2 + (r0_0), r0_mask, other=0.0)
    tmp19 = tl.load(in_ptr3 + (r0_0), r0_mask, other=0.0)
    tmp1 = tl.full([1, 1], -100, tl.int64)
    tmp2 = tmp0 != tmp1
    tmp3 = tmp2.to(tl.int64)
    tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
    tmp6 = tl.where(r0_mask, tmp4, 0)
    tmp7 = tl.sum(tmp6, 1)[:, None].to(tl.int64)
    tmp8 = tl.full([1, 1], 0, tl.int64)
    tmp9 = tl.where(tmp2, tmp0, tmp8)
    tmp10 = tl.full([1, 1], 1024, tl.int32)
    tmp11 = tmp9 + tmp10
    tmp12 = tmp9 < 0
    tmp13 = tl.where(tmp12, tmp11, tmp9)
    tl.device_assert(((0 <= tmp13) & (tmp13 < 1024)) | ~(r0_mask), "index out of bounds: 0 <= tmp13 < 1024")
    tmp15 = tl.load(in_ptr1 + (tmp13 + 1024*((r0_0 % 127)) + 131072*(r0_0 // 127)), r0_mask, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp16 = tmp15.to(tl.float32)
    tmp18 = tmp16 - tmp17
    tmp20 = tmp18 - tmp19
    tmp21 = -tmp20
    tmp22 = tl.full([1, 1], 0.0, tl.float32)
    tmp23 = tl.where(tmp2, tmp21, tmp22)
    tmp24 = tl.broadcast_to(tmp23, [XBLOCK, R0_BLOCK])
    tmp26 = tl.where(r0_mask, tmp24, 0)
    tmp27 = tl.sum(tmp26, 1)[:, None].to(tl.float32)
    tmp28 = tmp7.to(tl.float32)
    tmp29 = (tmp27 / tmp28)
    tl.store(out_ptr1 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp28, None)
    tl.debug_barrier()
    tl.store(in_out_ptr0 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp29, None)
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
        primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, primals_30, primals_31, primals_32 = args
        args.clear()
        assert_size_stride(primals_1, (1024, 256), (256, 1))
        assert_size_stride(primals_2, (4, 128), (128, 1))
        assert_size_stride(primals_3, (256, ), (1, ))
        assert_size_stride(primals_4, (768, 256), (256, 1))
        assert_size_stride(primals_5, (256, 256), (256, 1))
        assert_size_stride(primals_6, (256, ), (1, ))
        assert_size_stride(primals_7, (512, 256), (256, 1))
        assert_size_stride(primals_8, (512, 256), (256, 1))
        assert_size_stride(primals_9, (256, 512), (512, 1))
        assert_size_stride(primals_10, (256, ), (1, ))
        assert_size_stride(primals_11, (768, 256), (256, 1))
        assert_size_stride(primals_12, (256, 256), (256, 1))
        assert_size_stride(primals_13, (256, ), (1, ))
        assert_size_stride(primals_14, (512, 256), (256, 1))
        assert_size_stride(primals_15, (512, 256), (256, 1))
        assert_size_stride(primals_16, (256, 512), (512, 1))
        assert_size_stride(primals_17, (256, ), (1, ))
        assert_size_stride(primals_18, (768, 256), (256, 1))
        assert_size_stride(primals_19, (256, 256), (256, 1))
        assert_size_stride(primals_20, (256, ), (1, ))
        assert_size_stride(primals_21, (512, 256), (256, 1))
        assert_size_stride(primals_22, (512, 256), (256, 1))
        assert_size_stride(primals_23, (256, 512), (512, 1))
        assert_size_stride(primals_24, (256, ), (1, ))
        assert_size_stride(primals_25, (768, 256), (256, 1))
        assert_size_stride(primals_26, (256, 256), (256, 1))
        assert_size_stride(primals_27, (256, ), (1, ))
        assert_size_stride(primals_28, (512, 256), (256, 1))
        assert_size_stride(primals_29, (512, 256), (256, 1))
        assert_size_stride(primals_30, (256, 512), (512, 1))
        assert_size_stride(primals_31, (256, ), (1, ))
        assert_size_stride(primals_32, (1024, 256), (256, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf1 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf2 = reinterpret_tensor(buf1, (4, 128, 1), (128, 1, 1), 0); del buf1  # reuse
            buf4 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [x, rms_norm, linear], Original ATen: [aten.embedding, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy_embedding_0:1
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy_embedding_0.run(buf2, primals_2, primals_1, primals_3, buf0, buf4, 512, 256, stream=stream0)
            del primals_1
            buf3 = empty_strided_cuda((256, 768), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_1:2
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_1.run(primals_4, buf3, 196608, stream=stream0)
            del primals_4
            buf5 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:3
            extern_kernels.mm(reinterpret_tensor(buf4, (512, 256), (256, 1), 0), buf3, out=buf5)
            buf6 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:4
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf5, buf6, 131072, stream=stream0)
            buf7 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, k, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3:5
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3.run(buf5, buf7, 131072, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, v, flatten, flatten_1, attended], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:6
            buf8 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf6, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf7, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf5, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, True, 0.0, True)
            buf9 = buf8[0]
            assert_size_stride(buf9, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf9, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf10 = buf8[1]
            assert_size_stride(buf10, (4, 4, 128, 1), (512, 128, 1, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf10, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf11 = buf8[6]
            assert_size_stride(buf11, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf11, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf12 = buf8[7]
            assert_size_stride(buf12, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf12, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            del buf8
            buf13 = empty_strided_cuda((256, 256), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_4:7
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_4.run(primals_5, buf13, 65536, stream=stream0)
            del primals_5
            buf14 = empty_strided_cuda((4, 128, 4, 64), (32768, 256, 64, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_5:8
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_5.run(buf9, buf14, 131072, stream=stream0)
            buf15 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:9
            extern_kernels.mm(reinterpret_tensor(buf14, (512, 256), (256, 1), 0), buf13, out=buf15)
            buf16 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf17 = reinterpret_tensor(buf16, (4, 128, 1), (128, 1, 1), 0); del buf16  # reuse
            buf19 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_6:10
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_6.run(buf17, buf0, buf15, primals_6, buf19, 512, 256, stream=stream0)
            buf18 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:11
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_7, buf18, 131072, stream=stream0)
            del primals_7
            buf20 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:12
            extern_kernels.mm(reinterpret_tensor(buf19, (512, 256), (256, 1), 0), buf18, out=buf20)
            buf21 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_3], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:13
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_8, buf21, 131072, stream=stream0)
            del primals_8
            buf22 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:14
            extern_kernels.mm(reinterpret_tensor(buf19, (512, 256), (256, 1), 0), buf21, out=buf22)
            buf23 = empty_strided_cuda((512, 256), (1, 512), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_4], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:15
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_9, buf23, 131072, stream=stream0)
            del primals_9
            buf24 = empty_strided_cuda((4, 128, 512), (65536, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_8:16
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_8.run(buf20, buf22, buf24, 262144, stream=stream0)
            buf25 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:17
            extern_kernels.mm(reinterpret_tensor(buf24, (512, 512), (512, 1), 0), buf23, out=buf25)
            buf26 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf27 = reinterpret_tensor(buf26, (4, 128, 1), (128, 1, 1), 0); del buf26  # reuse
            buf28 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf30 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, linear_4, x_2, rms_norm_2, linear_5], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9:18
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9.run(buf27, buf0, buf15, buf25, primals_10, buf28, buf30, 512, 256, stream=stream0)
            buf29 = empty_strided_cuda((256, 768), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_5], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_1:19
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_1.run(primals_11, buf29, 196608, stream=stream0)
            del primals_11
            buf31 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm_2, linear_5], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:20
            extern_kernels.mm(reinterpret_tensor(buf30, (512, 256), (256, 1), 0), buf29, out=buf31)
            buf32 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, linear_5, mixed_1, permute_1, q_1, even_2, odd_2, mul_12, mul_13, sub_2, mul_14, mul_15, add_4, stack_2], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:21
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf31, buf32, 131072, stream=stream0)
            buf33 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, linear_5, mixed_1, permute_1, k_1, even_3, odd_3, mul_17, mul_18, sub_3, mul_19, mul_20, add_5, stack_3], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3:22
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3.run(buf31, buf33, 131072, stream=stream0)
            # Topologically Sorted Source Nodes: [linear_5, mixed_1, permute_1, v_1, flatten_2, flatten_3, attended_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:23
            buf34 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf32, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf33, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf31, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, True, 0.0, True)
            buf35 = buf34[0]
            assert_size_stride(buf35, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf35, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf36 = buf34[1]
            assert_size_stride(buf36, (4, 4, 128, 1), (512, 128, 1, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf36, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf37 = buf34[6]
            assert_size_stride(buf37, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf37, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf38 = buf34[7]
            assert_size_stride(buf38, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf38, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            del buf34
            buf39 = empty_strided_cuda((256, 256), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_6], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_4:24
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_4.run(primals_12, buf39, 65536, stream=stream0)
            del primals_12
            buf40 = empty_strided_cuda((4, 128, 4, 64), (32768, 256, 64, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose_1, reshape_1], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_5:25
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_5.run(buf35, buf40, 131072, stream=stream0)
            buf41 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose_1, reshape_1, linear_6], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:26
            extern_kernels.mm(reinterpret_tensor(buf40, (512, 256), (256, 1), 0), buf39, out=buf41)
            buf42 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf43 = reinterpret_tensor(buf42, (4, 128, 1), (128, 1, 1), 0); del buf42  # reuse
            buf44 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf46 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, linear_4, x_2, linear_6, x_3, hidden_1, linear_7], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10:27
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10.run(buf43, buf0, buf15, buf25, buf41, primals_13, buf44, buf46, 512, 256, stream=stream0)
            buf45 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_7], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:28
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_14, buf45, 131072, stream=stream0)
            del primals_14
            buf47 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [hidden_1, linear_7], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:29
            extern_kernels.mm(reinterpret_tensor(buf46, (512, 256), (256, 1), 0), buf45, out=buf47)
            buf48 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_8], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:30
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_15, buf48, 131072, stream=stream0)
            del primals_15
            buf49 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [hidden_1, linear_7, linear_8], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:31
            extern_kernels.mm(reinterpret_tensor(buf46, (512, 256), (256, 1), 0), buf48, out=buf49)
            buf50 = empty_strided_cuda((512, 256), (1, 512), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_9], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:32
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_16, buf50, 131072, stream=stream0)
            del primals_16
            buf51 = empty_strided_cuda((4, 128, 512), (65536, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_7, silu_1, linear_8, mul_21], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_8:33
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_8.run(buf47, buf49, buf51, 262144, stream=stream0)
            buf52 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_7, silu_1, linear_8, mul_21, linear_9], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:34
            extern_kernels.mm(reinterpret_tensor(buf51, (512, 512), (512, 1), 0), buf50, out=buf52)
            buf53 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf54 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf55 = reinterpret_tensor(buf54, (4, 128, 1), (128, 1, 1), 0); del buf54  # reuse
            buf56 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf58 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, linear_4, x_2, linear_6, x_3, linear_9, x_4, rms_norm_4, linear_10], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_11:35
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_11.run(buf55, buf0, buf15, buf25, buf41, buf52, primals_17, buf53, buf56, buf58, 512, 256, stream=stream0)
            buf57 = empty_strided_cuda((256, 768), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_10], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_1:36
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_1.run(primals_18, buf57, 196608, stream=stream0)
            del primals_18
            buf59 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm_4, linear_10], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:37
            extern_kernels.mm(reinterpret_tensor(buf58, (512, 256), (256, 1), 0), buf57, out=buf59)
            buf60 = reinterpret_tensor(buf52, (4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), 0); del buf52  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, linear_10, mixed_2, permute_2, q_2, even_4, odd_4, mul_23, mul_24, sub_4, mul_25, mul_26, add_8, stack_4], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:38
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf59, buf60, 131072, stream=stream0)
            buf61 = reinterpret_tensor(buf41, (4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), 0); del buf41  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, linear_10, mixed_2, permute_2, k_2, even_5, odd_5, mul_28, mul_29, sub_5, mul_30, mul_31, add_9, stack_5], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3:39
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3.run(buf59, buf61, 131072, stream=stream0)
            # Topologically Sorted Source Nodes: [linear_10, mixed_2, permute_2, v_2, flatten_4, flatten_5, attended_2], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:40
            buf62 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf60, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf61, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf59, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, True, 0.0, True)
            buf63 = buf62[0]
            assert_size_stride(buf63, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf63, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf64 = buf62[1]
            assert_size_stride(buf64, (4, 4, 128, 1), (512, 128, 1, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf64, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf65 = buf62[6]
            assert_size_stride(buf65, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf65, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf66 = buf62[7]
            assert_size_stride(buf66, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf66, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            del buf62
            buf67 = empty_strided_cuda((256, 256), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_11], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_4:41
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_4.run(primals_19, buf67, 65536, stream=stream0)
            del primals_19
            buf68 = reinterpret_tensor(buf25, (4, 128, 4, 64), (32768, 256, 64, 1), 0); del buf25  # reuse
            # Topologically Sorted Source Nodes: [transpose_2, reshape_2], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_5:42
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_5.run(buf63, buf68, 131072, stream=stream0)
            buf69 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose_2, reshape_2, linear_11], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:43
            extern_kernels.mm(reinterpret_tensor(buf68, (512, 256), (256, 1), 0), buf67, out=buf69)
            buf70 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf71 = reinterpret_tensor(buf70, (4, 128, 1), (128, 1, 1), 0); del buf70  # reuse
            buf72 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf74 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_11, x_5, hidden_2, linear_12], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_12:44
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_12.run(buf71, buf53, buf69, primals_20, buf72, buf74, 512, 256, stream=stream0)
            buf73 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_12], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:45
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_21, buf73, 131072, stream=stream0)
            del primals_21
            buf75 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [hidden_2, linear_12], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:46
            extern_kernels.mm(reinterpret_tensor(buf74, (512, 256), (256, 1), 0), buf73, out=buf75)
            buf76 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_13], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:47
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_22, buf76, 131072, stream=stream0)
            del primals_22
            buf77 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [hidden_2, linear_12, linear_13], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:48
            extern_kernels.mm(reinterpret_tensor(buf74, (512, 256), (256, 1), 0), buf76, out=buf77)
            buf78 = empty_strided_cuda((512, 256), (1, 512), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_14], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:49
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_23, buf78, 131072, stream=stream0)
            del primals_23
            buf79 = empty_strided_cuda((4, 128, 512), (65536, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_12, silu_2, linear_13, mul_32], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_8:50
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_8.run(buf75, buf77, buf79, 262144, stream=stream0)
            buf80 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_12, silu_2, linear_13, mul_32, linear_14], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:51
            extern_kernels.mm(reinterpret_tensor(buf79, (512, 512), (512, 1), 0), buf78, out=buf80)
            buf81 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf82 = reinterpret_tensor(buf81, (4, 128, 1), (128, 1, 1), 0); del buf81  # reuse
            buf83 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf85 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_11, x_5, linear_14, x_6, rms_norm_6, linear_15], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9:52
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_9.run(buf82, buf53, buf69, buf80, primals_24, buf83, buf85, 512, 256, stream=stream0)
            buf84 = empty_strided_cuda((256, 768), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_15], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_1:53
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_1.run(primals_25, buf84, 196608, stream=stream0)
            del primals_25
            buf86 = empty_strided_cuda((512, 768), (768, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm_6, linear_15], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:54
            extern_kernels.mm(reinterpret_tensor(buf85, (512, 256), (256, 1), 0), buf84, out=buf86)
            buf87 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, linear_15, mixed_3, permute_3, q_3, even_6, odd_6, mul_34, mul_35, sub_6, mul_36, mul_37, add_12, stack_6], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2:55
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_2.run(buf86, buf87, 131072, stream=stream0)
            buf88 = empty_strided_cuda((4, 4, 128, 32, 2), (32768, 8192, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, linear_15, mixed_3, permute_3, k_3, even_7, odd_7, mul_39, mul_40, sub_7, mul_41, mul_42, add_13, stack_7], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3:56
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy__unsafe_view_add_arange_cos_div_mul_neg_permute_pow_select_sin_slice_stack_sub_unsqueeze_view_3.run(buf86, buf88, 131072, stream=stream0)
            # Topologically Sorted Source Nodes: [linear_15, mixed_3, permute_3, v_3, flatten_6, flatten_7, attended_3], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten._scaled_dot_product_cudnn_attention]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention.default:57
            buf89 = torch.ops.aten._scaled_dot_product_cudnn_attention.default(reinterpret_tensor(buf87, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf88, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf86, (4, 4, 128, 64), (98304, 64, 768, 1), 512), None, True, 0.0, True)
            buf90 = buf89[0]
            assert_size_stride(buf90, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf90, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf91 = buf89[1]
            assert_size_stride(buf91, (4, 4, 128, 1), (512, 128, 1, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf91, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf92 = buf89[6]
            assert_size_stride(buf92, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf92, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            buf93 = buf89[7]
            assert_size_stride(buf93, (), (), 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            assert_alignment(buf93, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention.default')
            del buf89
            buf94 = empty_strided_cuda((256, 256), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_16], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_4:58
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_4.run(primals_26, buf94, 65536, stream=stream0)
            del primals_26
            buf95 = empty_strided_cuda((4, 128, 4, 64), (32768, 256, 64, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose_3, reshape_3], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_5:59
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_5.run(buf90, buf95, 131072, stream=stream0)
            buf96 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose_3, reshape_3, linear_16], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:60
            extern_kernels.mm(reinterpret_tensor(buf95, (512, 256), (256, 1), 0), buf94, out=buf96)
            buf97 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf98 = reinterpret_tensor(buf97, (4, 128, 1), (128, 1, 1), 0); del buf97  # reuse
            buf99 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf101 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_11, x_5, linear_14, x_6, linear_16, x_7, hidden_3, linear_17], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10:61
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_10.run(buf98, buf53, buf69, buf80, buf96, primals_27, buf99, buf101, 512, 256, stream=stream0)
            buf100 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_17], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:62
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_28, buf100, 131072, stream=stream0)
            del primals_28
            buf102 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [hidden_3, linear_17], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:63
            extern_kernels.mm(reinterpret_tensor(buf101, (512, 256), (256, 1), 0), buf100, out=buf102)
            buf103 = empty_strided_cuda((256, 512), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_18], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:64
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_29, buf103, 131072, stream=stream0)
            del primals_29
            buf104 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [hidden_3, linear_17, linear_18], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:65
            extern_kernels.mm(reinterpret_tensor(buf101, (512, 256), (256, 1), 0), buf103, out=buf104)
            buf105 = empty_strided_cuda((512, 256), (1, 512), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_19], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_7:66
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_7.run(primals_30, buf105, 131072, stream=stream0)
            del primals_30
            buf106 = empty_strided_cuda((4, 128, 512), (65536, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_17, silu_3, linear_18, mul_43], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_8:67
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_8.run(buf102, buf104, buf106, 262144, stream=stream0)
            buf107 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_17, silu_3, linear_18, mul_43, linear_19], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:68
            extern_kernels.mm(reinterpret_tensor(buf106, (512, 512), (512, 1), 0), buf105, out=buf107)
            buf108 = buf53; del buf53  # reuse
            buf109 = empty_strided_cuda((4, 128, 1), (128, 1, 512), torch.float32)
            buf110 = reinterpret_tensor(buf109, (4, 128, 1), (128, 1, 1), 0); del buf109  # reuse
            buf111 = buf108; del buf108  # reuse
            buf113 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_11, x_5, linear_14, x_6, linear_16, x_7, linear_19, x_8, rms_norm_8, logits], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten._to_copy]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_13:69
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__to_copy__unsafe_view_add_13.run(buf111, buf110, buf69, buf80, buf96, buf107, primals_31, buf113, 512, 256, stream=stream0)
            del buf107
            del buf69
            del buf80
            del buf96
            buf112 = empty_strided_cuda((256, 1024), (1, 256), torch.bfloat16)
            # Topologically Sorted Source Nodes: [logits], Original ATen: [aten._to_copy, aten.t]
            # [Provenance debug handles] triton_poi_fused__to_copy_t_14:70
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_t_14.run(primals_32, buf112, 262144, stream=stream0)
            del primals_32
            buf114 = empty_strided_cuda((512, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm_8, logits], Original ATen: [aten._fused_rms_norm, aten._to_copy, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:71
            extern_kernels.mm(reinterpret_tensor(buf113, (512, 256), (256, 1), 0), buf112, out=buf114)
            buf115 = empty_strided_cuda((508, 1), (1, 1), torch.float32)
            buf116 = empty_strided_cuda((508, 1), (1, 508), torch.float32)
            buf117 = reinterpret_tensor(buf116, (508, 1), (1, 1), 0); del buf116  # reuse
            # Topologically Sorted Source Nodes: [logits, getitem_36, flatten_8, float_1, , cross_entropy], Original ATen: [aten._unsafe_view, aten.slice, aten.clone, aten._to_copy, prims.prepare_softmax_online, aten._log_softmax]
            # [Provenance debug handles] triton_per_fused__log_softmax__to_copy__unsafe_view_clone_prepare_softmax_online_slice_15:72
            stream0 = get_raw_stream(0)
            triton_per_fused__log_softmax__to_copy__unsafe_view_clone_prepare_softmax_online_slice_15.run(buf117, buf114, buf115, 508, 1024, stream=stream0)
            buf120 = empty_strided_cuda((), (), torch.float32)
            buf119 = empty_strided_cuda((), (), torch.float32)
            buf121 = buf120; del buf120  # reuse
            # Topologically Sorted Source Nodes: [logits, getitem_36, flatten_8, float_1, getitem_37, flatten_9, , cross_entropy], Original ATen: [aten._unsafe_view, aten.slice, aten.clone, aten._to_copy, aten.sub, aten._log_softmax, aten.nll_loss_forward]
            # [Provenance debug handles] triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_16:73
            stream0 = get_raw_stream(0)
            triton_per_fused__log_softmax__to_copy__unsafe_view_clone_nll_loss_forward_slice_sub_16.run(buf121, primals_2, buf114, buf115, buf117, buf119, 1, 508, stream=stream0)
        return (buf121, primals_2, primals_3, primals_6, primals_10, primals_13, primals_17, primals_20, primals_24, primals_27, primals_31, buf0, buf2, reinterpret_tensor(buf4, (512, 256), (256, 1), 0), reinterpret_tensor(buf5, (4, 4, 128, 64), (98304, 64, 768, 1), 512), reinterpret_tensor(buf6, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf7, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), buf9, buf10, buf11, buf12, reinterpret_tensor(buf14, (512, 256), (256, 1), 0), buf15, buf17, reinterpret_tensor(buf19, (512, 256), (256, 1), 0), buf20, buf22, reinterpret_tensor(buf24, (512, 512), (512, 1), 0), buf27, buf28, reinterpret_tensor(buf30, (512, 256), (256, 1), 0), reinterpret_tensor(buf31, (4, 4, 128, 64), (98304, 64, 768, 1), 512), reinterpret_tensor(buf32, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf33, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), buf35, buf36, buf37, buf38, reinterpret_tensor(buf40, (512, 256), (256, 1), 0), buf43, buf44, reinterpret_tensor(buf46, (512, 256), (256, 1), 0), buf47, buf49, reinterpret_tensor(buf51, (512, 512), (512, 1), 0), buf55, buf56, reinterpret_tensor(buf58, (512, 256), (256, 1), 0), reinterpret_tensor(buf59, (4, 4, 128, 64), (98304, 64, 768, 1), 512), reinterpret_tensor(buf60, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf61, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), buf63, buf64, buf65, buf66, reinterpret_tensor(buf68, (512, 256), (256, 1), 0), buf71, buf72, reinterpret_tensor(buf74, (512, 256), (256, 1), 0), buf75, buf77, reinterpret_tensor(buf79, (512, 512), (512, 1), 0), buf82, buf83, reinterpret_tensor(buf85, (512, 256), (256, 1), 0), reinterpret_tensor(buf86, (4, 4, 128, 64), (98304, 64, 768, 1), 512), reinterpret_tensor(buf87, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), reinterpret_tensor(buf88, (4, 4, 128, 64), (32768, 8192, 64, 1), 0), buf90, buf91, buf92, buf93, reinterpret_tensor(buf95, (512, 256), (256, 1), 0), buf98, buf99, reinterpret_tensor(buf101, (512, 256), (256, 1), 0), buf102, buf104, reinterpret_tensor(buf106, (512, 512), (512, 1), 0), buf110, buf111, reinterpret_tensor(buf113, (512, 256), (256, 1), 0), buf114, buf115, buf117, buf119, reinterpret_tensor(buf112, (1024, 256), (256, 1), 0), reinterpret_tensor(buf105, (256, 512), (512, 1), 0), reinterpret_tensor(buf103, (512, 256), (256, 1), 0), reinterpret_tensor(buf100, (512, 256), (256, 1), 0), reinterpret_tensor(buf94, (256, 256), (256, 1), 0), reinterpret_tensor(buf84, (768, 256), (256, 1), 0), reinterpret_tensor(buf78, (256, 512), (512, 1), 0), reinterpret_tensor(buf76, (512, 256), (256, 1), 0), reinterpret_tensor(buf73, (512, 256), (256, 1), 0), reinterpret_tensor(buf67, (256, 256), (256, 1), 0), reinterpret_tensor(buf57, (768, 256), (256, 1), 0), reinterpret_tensor(buf50, (256, 512), (512, 1), 0), reinterpret_tensor(buf48, (512, 256), (256, 1), 0), reinterpret_tensor(buf45, (512, 256), (256, 1), 0), reinterpret_tensor(buf39, (256, 256), (256, 1), 0), reinterpret_tensor(buf29, (768, 256), (256, 1), 0), reinterpret_tensor(buf23, (256, 512), (512, 1), 0), reinterpret_tensor(buf21, (512, 256), (256, 1), 0), reinterpret_tensor(buf18, (512, 256), (256, 1), 0), reinterpret_tensor(buf13, (256, 256), (256, 1), 0), reinterpret_tensor(buf3, (768, 256), (256, 1), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((1024, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_2 = rand_strided((4, 128), (128, 1), device='cuda:0', dtype=torch.int64)
    primals_3 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_4 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_5 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_6 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_7 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_8 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_9 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_10 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_11 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_12 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_13 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_14 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_15 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_16 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_17 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_18 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_19 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_20 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_21 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_22 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_23 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_24 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_25 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_26 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_27 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_28 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_29 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    primals_30 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.float32)
    primals_31 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_32 = rand_strided((1024, 256), (256, 1), device='cuda:0', dtype=torch.float32)
    return [primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, primals_30, primals_31, primals_32]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

