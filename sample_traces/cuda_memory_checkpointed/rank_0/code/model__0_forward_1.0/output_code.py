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


# kernel path: /tmp/torchinductor_user/52/c523sloggalv23rc6mmweqixoagjtq2sme726rcspzzavsn5th7m.py
# Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
# Source node to ATen node mapping:
#   rms_norm => add, convert_element_type, convert_element_type_1, mean, mul, mul_1, pow_1, rsqrt
# Graph fragment:
#   %primals_1 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %buf0 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf0]
#   %primals_2 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_2]
#   %convert_element_type : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_1, torch.float32), kwargs = {})
#   %pow_1 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type, 2), kwargs = {})
#   %mean : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_1, [2], True), kwargs = {})
#   %add : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add,), kwargs = {})
#   %mul : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type, %rsqrt), kwargs = {})
#   %mul_1 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul, %primals_2), kwargs = {})
#   %convert_element_type_1 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_1, torch.bfloat16), kwargs = {})
#   return %buf0,%convert_element_type_1
triton_per_fused__fused_rms_norm_0 = async_compile.triton('triton_per_fused__fused_rms_norm_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 2048, 'r0_': 512},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_0', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 6292480}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_0(in_ptr0, in_ptr1, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 2048
    r0_numel = 512
    R0_BLOCK: tl.constexpr = 512
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp13 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = tmp1 * tmp1
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.where(xmask, tmp3, 0)
    tmp6 = tl.sum(tmp5, 1)[:, None].to(tl.float32)
    tmp7 = tl.full([1, 1], 512.0, tl.float32)
    tmp8 = (tmp6 / tmp7)
    tmp9 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp10 = tmp8 + tmp9
    tmp11 = libdevice.rsqrt(tmp10)
    tmp12 = tmp1 * tmp11
    tmp14 = tmp13.to(tl.float32)
    tmp15 = tmp12 * tmp14
    tmp16 = tmp15.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 512*x0), tmp16, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/n4/cn4sz3f2edak6dwkfzwren4ycxbotcfyfqoiyimh3z3fsxgn3hjy.py
# Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy]
# Source node to ATen node mapping:
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   cos => cos
#   cos_1 => convert_element_type_4
#   frequencies => pow_2
#   getitem_3 => unsqueeze
#   neg => neg
#   truediv => div
# Graph fragment:
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (256,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[256, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[256, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[256, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_4 : Tensor "bf16[256, 32][32, 1]cuda:0"[num_users=17] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos, torch.bfloat16), kwargs = {})
#   return %convert_element_type_4
triton_poi_fused__to_copy_arange_cos_div_mul_neg_pow_unsqueeze_1 = async_compile.triton('triton_poi_fused__to_copy_arange_cos_div_mul_neg_pow_unsqueeze_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8192}, 
    filename=__file__,
    triton_meta={'signature': {'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_arange_cos_div_mul_neg_pow_unsqueeze_1', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 0, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 32768}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_arange_cos_div_mul_neg_pow_unsqueeze_1(out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8192
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 32)
    x1 = xindex // 32
    x2 = xindex
    tmp0 = (-2)*x0
    tmp1 = tmp0.to(tl.float32)
    tmp2 = tl.full([1], 0.015625, tl.float32)
    tmp3 = tmp1 * tmp2
    tmp4 = tl.full([1], 10000.0, tl.float32)
    tmp5 = libdevice.pow(tmp4, tmp3)
    tmp6 = x1
    tmp7 = tmp6.to(tl.float32)
    tmp8 = tmp7 * tmp5
    tmp9 = tl_math.cos(tmp8)
    tmp10 = tmp9.to(tl.float32)
    tl.store(out_ptr0 + (x2), tmp10, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/bq/cbqo4vutcpswrkzgembdrqjduhim3na5dkklavwqlhjzq45ayhr2.py
# Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, sin, sin_1], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.sin, aten._to_copy]
# Source node to ATen node mapping:
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   frequencies => pow_2
#   getitem_3 => unsqueeze
#   neg => neg
#   sin => sin
#   sin_1 => convert_element_type_5
#   truediv => div
# Graph fragment:
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (256,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[256, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[256, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %sin : Tensor "f32[256, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_5 : Tensor "bf16[256, 32][32, 1]cuda:0"[num_users=17] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin, torch.bfloat16), kwargs = {})
#   return %convert_element_type_5
triton_poi_fused__to_copy_arange_div_mul_neg_pow_sin_unsqueeze_2 = async_compile.triton('triton_poi_fused__to_copy_arange_div_mul_neg_pow_sin_unsqueeze_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 8192}, 
    filename=__file__,
    triton_meta={'signature': {'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_arange_div_mul_neg_pow_sin_unsqueeze_2', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 0, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 32768}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_arange_div_mul_neg_pow_sin_unsqueeze_2(out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 8192
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 32)
    x1 = xindex // 32
    x2 = xindex
    tmp0 = (-2)*x0
    tmp1 = tmp0.to(tl.float32)
    tmp2 = tl.full([1], 0.015625, tl.float32)
    tmp3 = tmp1 * tmp2
    tmp4 = tl.full([1], 10000.0, tl.float32)
    tmp5 = libdevice.pow(tmp4, tmp3)
    tmp6 = x1
    tmp7 = tmp6.to(tl.float32)
    tmp8 = tmp7 * tmp5
    tmp9 = tl_math.sin(tmp8)
    tmp10 = tmp9.to(tl.float32)
    tl.store(out_ptr0 + (x2), tmp10, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/hl/chlwhme4fb5ushbbnkewf6enhcs2fii4y5bbqzlzcivxksahxlb6.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
# Source node to ATen node mapping:
#   add => add_1
#   add_1 => add_2
#   even => slice_1
#   even_1 => slice_3
#   k => select_1
#   linear => view_1
#   mixed => view_2
#   mul_1 => mul_3
#   mul_2 => mul_4
#   mul_3 => mul_5
#   mul_4 => mul_6
#   mul_6 => mul_8
#   mul_7 => mul_9
#   mul_8 => mul_10
#   mul_9 => mul_11
#   odd => slice_2
#   odd_1 => slice_4
#   permute => permute_1
#   q => select
#   stack => cat, unsqueeze_1, unsqueeze_2
#   stack_1 => cat_1, unsqueeze_4, unsqueeze_5
#   sub => sub
#   sub_1 => sub_1
# Graph fragment:
#   %mm : Tensor "bf16[2048, 1536][1536, 1]cuda:0" = PlaceHolder[target=mm]
#   %convert_element_type_4 : Tensor "bf16[256, 32][32, 1]cuda:0" = PlaceHolder[target=convert_element_type_4]
#   %convert_element_type_5 : Tensor "bf16[256, 32][32, 1]cuda:0" = PlaceHolder[target=convert_element_type_5]
#   %view_1 : Tensor "bf16[8, 256, 1536][393216, 1536, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [8, 256, 1536]), kwargs = {})
#   %view_2 : Tensor "bf16[8, 256, 3, 8, 64][393216, 1536, 512, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_1, [8, 256, 3, 8, 64]), kwargs = {})
#   %permute_1 : Tensor "bf16[3, 8, 8, 256, 64][512, 393216, 64, 1536, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_2, [2, 0, 3, 1, 4]), kwargs = {})
#   %select : Tensor "bf16[8, 8, 256, 64][393216, 64, 1536, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 0), kwargs = {})
#   %select_1 : Tensor "bf16[8, 8, 256, 64][393216, 64, 1536, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_1, 0, 1), kwargs = {})
#   %slice_1 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_2 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_3 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_4), kwargs = {})
#   %mul_4 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_5), kwargs = {})
#   %sub : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_3, %mul_4), kwargs = {})
#   %mul_5 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_1, %convert_element_type_5), kwargs = {})
#   %mul_6 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_2, %convert_element_type_4), kwargs = {})
#   %add_1 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_5, %mul_6), kwargs = {})
#   %unsqueeze_1 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub, 4), kwargs = {})
#   %unsqueeze_2 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_1, 4), kwargs = {})
#   %cat : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_1, %unsqueeze_2], -1), kwargs = {})
#   %slice_3 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_4 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_1, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_8 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_4), kwargs = {})
#   %mul_9 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_5), kwargs = {})
#   %sub_1 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_8, %mul_9), kwargs = {})
#   %mul_10 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_3, %convert_element_type_5), kwargs = {})
#   %mul_11 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_4, %convert_element_type_4), kwargs = {})
#   %add_2 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_10, %mul_11), kwargs = {})
#   %unsqueeze_4 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_1, 4), kwargs = {})
#   %unsqueeze_5 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_2, 4), kwargs = {})
#   %cat_1 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_4, %unsqueeze_5], -1), kwargs = {})
#   return %cat,%cat_1
triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3 = async_compile.triton('triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1048576}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 12, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8388608}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 2)
    x5 = ((xindex // 2) % 256)
    x6 = xindex // 512
    x1 = ((xindex // 2) % 32)
    x3 = ((xindex // 512) % 256)
    x2 = ((xindex // 64) % 8)
    x4 = xindex // 131072
    x7 = (xindex % 64)
    tmp0 = x0
    tmp1 = tl.full([1], 0, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = tl.full([1], 1, tl.int64)
    tmp4 = tmp0 < tmp3
    tmp5 = tl.load(in_ptr0 + (2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp6 = tl.load(in_ptr1 + (x1 + 32*x3), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp7 = tmp5 * tmp6
    tmp8 = tl.load(in_ptr0 + (1 + 2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp9 = tl.load(in_ptr2 + (x1 + 32*x3), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp10 = tmp8 * tmp9
    tmp11 = tmp7 - tmp10
    tmp12 = tl.full(tmp11.shape, 0.0, tmp11.dtype)
    tmp13 = tl.where(tmp4, tmp11, tmp12)
    tmp14 = tmp0 >= tmp3
    tmp15 = tl.full([1], 2, tl.int64)
    tmp16 = tmp0 < tmp15
    tmp17 = tl.load(in_ptr0 + (2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp18 = tl.load(in_ptr2 + (x1 + 32*x3), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp19 = tmp17 * tmp18
    tmp20 = tl.load(in_ptr0 + (1 + 2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp21 = tl.load(in_ptr1 + (x1 + 32*x3), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp22 = tmp20 * tmp21
    tmp23 = tmp19 + tmp22
    tmp24 = tl.full(tmp23.shape, 0.0, tmp23.dtype)
    tmp25 = tl.where(tmp14, tmp23, tmp24)
    tmp26 = tl.where(tmp4, tmp13, tmp25)
    tmp27 = tl.load(in_ptr0 + (512 + 2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp28 = tmp27 * tmp6
    tmp29 = tl.load(in_ptr0 + (513 + 2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp30 = tmp29 * tmp9
    tmp31 = tmp28 - tmp30
    tmp32 = tl.full(tmp31.shape, 0.0, tmp31.dtype)
    tmp33 = tl.where(tmp4, tmp31, tmp32)
    tmp34 = tl.load(in_ptr0 + (512 + 2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp35 = tmp34 * tmp18
    tmp36 = tl.load(in_ptr0 + (513 + 2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp37 = tmp36 * tmp21
    tmp38 = tmp35 + tmp37
    tmp39 = tl.full(tmp38.shape, 0.0, tmp38.dtype)
    tmp40 = tl.where(tmp14, tmp38, tmp39)
    tmp41 = tl.where(tmp4, tmp33, tmp40)
    tl.store(out_ptr0 + (x7 + 64*x3 + 16384*x2 + 131072*x4), tmp26, None)
    tl.store(out_ptr1 + (x7 + 64*x3 + 16384*x2 + 131072*x4), tmp41, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/fc/cfcerut7hm22i4csoremrfgkw4d4wdrsw2uehruz5o767udnclev.py
# Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
# Source node to ATen node mapping:
#   reshape => clone
#   transpose => permute_2
# Graph fragment:
#   %getitem : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0" = PlaceHolder[target=getitem]
#   %permute_2 : Tensor "bf16[8, 256, 8, 64][131072, 64, 16384, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%getitem, [0, 2, 1, 3]), kwargs = {})
#   %clone : Tensor "bf16[8, 256, 8, 64][131072, 512, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_2,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone
triton_poi_fused_clone_transpose_4 = async_compile.triton('triton_poi_fused_clone_transpose_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1048576}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_clone_transpose_4', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 6291456}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_clone_transpose_4(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x1 = ((xindex // 64) % 8)
    x2 = ((xindex // 512) % 256)
    x3 = xindex // 131072
    x4 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 64*x2 + 16384*x1 + 131072*x3), None).to(tl.float32)
    tl.store(out_ptr0 + (x4), tmp0, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/7m/c7mh3h2xukrfaggzi2zowq3wkferkml4qnet32ncpgv7ci6lhcpm.py
# Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden => add_4, convert_element_type_10, convert_element_type_11, mean_1, mul_12, mul_13, pow_4, rsqrt_1
#   linear_1 => view_7
#   x => add_3
# Graph fragment:
#   %primals_1 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %buf14 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf14]
#   %primals_5 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_5]
#   %view_7 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [8, 256, 512]), kwargs = {})
#   %add_3 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %convert_element_type_10 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_3, torch.float32), kwargs = {})
#   %pow_4 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_10, 2), kwargs = {})
#   %mean_1 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_4, [2], True), kwargs = {})
#   %add_4 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_1, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_1 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_4,), kwargs = {})
#   %mul_12 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_10, %rsqrt_1), kwargs = {})
#   %mul_13 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_12, %primals_5), kwargs = {})
#   %convert_element_type_11 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_13, torch.bfloat16), kwargs = {})
#   return %buf14,%convert_element_type_11
triton_per_fused__fused_rms_norm__unsafe_view_add_5 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_5', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 2048, 'r0_': 512},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_5', 'mutated_arg_names': [], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 8389632}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_5(in_ptr0, in_ptr1, in_ptr2, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 2048
    r0_numel = 512
    R0_BLOCK: tl.constexpr = 512
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp15 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2.to(tl.float32)
    tmp4 = tmp3 * tmp3
    tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
    tmp7 = tl.where(xmask, tmp5, 0)
    tmp8 = tl.sum(tmp7, 1)[:, None].to(tl.float32)
    tmp9 = tl.full([1, 1], 512.0, tl.float32)
    tmp10 = (tmp8 / tmp9)
    tmp11 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp12 = tmp10 + tmp11
    tmp13 = libdevice.rsqrt(tmp12)
    tmp14 = tmp3 * tmp13
    tmp16 = tmp15.to(tl.float32)
    tmp17 = tmp14 * tmp16
    tmp18 = tmp17.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 512*x0), tmp18, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/f4/cf4lkxnul7un7hdd53bfv7yseuuvi4cdfosqai6qgvasavi36wil.py
# Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
# Source node to ATen node mapping:
#   linear_2 => view_9
#   linear_3 => view_11
#   mul_10 => mul_14
#   silu => add_5, convert_element_type_14, convert_element_type_15, div_2, exp, neg_2
# Graph fragment:
#   %mm_2 : Tensor "bf16[2048, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %mm_3 : Tensor "bf16[2048, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_3]
#   %view_9 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [8, 256, 1024]), kwargs = {})
#   %convert_element_type_14 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_9, torch.float32), kwargs = {})
#   %neg_2 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%convert_element_type_14,), kwargs = {})
#   %exp : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_2,), kwargs = {})
#   %add_5 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp, 1), kwargs = {})
#   %div_2 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%convert_element_type_14, %add_5), kwargs = {})
#   %convert_element_type_15 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%div_2, torch.bfloat16), kwargs = {})
#   %view_11 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_3, [8, 256, 1024]), kwargs = {})
#   %mul_14 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_15, %view_11), kwargs = {})
#   return %mul_14
triton_poi_fused__unsafe_view_mul_silu_6 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2097152}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_6', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16777216}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_6(in_out_ptr0, in_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2097152
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


# kernel path: /tmp/torchinductor_user/67/c67sgjlci6xmgj4vbmab2kk4aq6wd5efltr3sizdwqnnic3ft4if.py
# Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3, rms_norm], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   add_3 => add_6
#   linear_1 => view_7
#   linear_4 => view_13
#   rms_norm => add_7, convert_element_type_20, convert_element_type_21, mean_2, mul_15, mul_16, pow_5, rsqrt_2
#   x => add_3
# Graph fragment:
#   %primals_1 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %mm_1 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %mm_4 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_4]
#   %add_6 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_6]
#   %buf21 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf21]
#   %primals_9 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_9]
#   %view_7 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [8, 256, 512]), kwargs = {})
#   %add_3 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%primals_1, %view_7), kwargs = {})
#   %view_13 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_4, [8, 256, 512]), kwargs = {})
#   %add_6 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_3, %view_13), kwargs = {})
#   %convert_element_type_20 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_6, torch.float32), kwargs = {})
#   %pow_5 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_20, 2), kwargs = {})
#   %mean_2 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_5, [2], True), kwargs = {})
#   %add_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_2, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_2 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_7,), kwargs = {})
#   %mul_15 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_20, %rsqrt_2), kwargs = {})
#   %mul_16 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_15, %primals_9), kwargs = {})
#   %convert_element_type_21 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_16, torch.bfloat16), kwargs = {})
#   return %add_6,%buf21,%convert_element_type_21
triton_per_fused__fused_rms_norm__unsafe_view_add_7 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 2048, 'r0_': 512},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_7', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 4, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 0, 'r0_': 14681088}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_7(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 2048
    r0_numel = 512
    R0_BLOCK: tl.constexpr = 512
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tl.load(in_out_ptr0 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp3 = tl.load(in_ptr1 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp17 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp4 = tmp2 + tmp3
    tmp5 = tmp4.to(tl.float32)
    tmp6 = tmp5 * tmp5
    tmp7 = tl.broadcast_to(tmp6, [XBLOCK, R0_BLOCK])
    tmp9 = tl.where(xmask, tmp7, 0)
    tmp10 = tl.sum(tmp9, 1)[:, None].to(tl.float32)
    tmp11 = tl.full([1, 1], 512.0, tl.float32)
    tmp12 = (tmp10 / tmp11)
    tmp13 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp14 = tmp12 + tmp13
    tmp15 = libdevice.rsqrt(tmp14)
    tmp16 = tmp5 * tmp15
    tmp18 = tmp17.to(tl.float32)
    tmp19 = tmp16 * tmp18
    tmp20 = tmp19.to(tl.float32)
    tl.store(in_out_ptr0 + (r0_1 + 512*x0), tmp4, xmask)
    tl.store(out_ptr1 + (r0_1 + 512*x0), tmp20, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/x4/cx4sd66njz6mudkxg525xqedbujzuxihf5pe5j6etmkwidjhkhux.py
# Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3], Original ATen: [aten._unsafe_view, aten.add]
# Source node to ATen node mapping:
#   add_3 => add_27
#   linear_1 => view_49
#   linear_4 => view_55
#   x => add_24
# Graph fragment:
#   %add_20 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_20]
#   %mm_16 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_16]
#   %mm_19 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_19]
#   %view_49 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_16, [8, 256, 512]), kwargs = {})
#   %add_24 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_20, %view_49), kwargs = {})
#   %view_55 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_19, [8, 256, 512]), kwargs = {})
#   %add_27 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_24, %view_55), kwargs = {})
#   return %add_27
triton_poi_fused__unsafe_view_add_8 = async_compile.triton('triton_poi_fused__unsafe_view_add_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1048576}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_add_8', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': False, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 10485760}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_add_8(in_out_ptr0, in_ptr0, in_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tl.load(in_out_ptr0 + (x0), None).to(tl.float32)
    tmp3 = tl.load(in_ptr1 + (x0), None).to(tl.float32)
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
        primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, fwd_rng_state_0, fwd_rng_state_1, fwd_rng_state_2, fwd_rng_state_3 = args
        args.clear()
        assert_size_stride(primals_1, (8, 256, 512), (131072, 512, 1))
        assert_size_stride(primals_2, (512, ), (1, ))
        assert_size_stride(primals_3, (1536, 512), (512, 1))
        assert_size_stride(primals_4, (512, 512), (512, 1))
        assert_size_stride(primals_5, (512, ), (1, ))
        assert_size_stride(primals_6, (1024, 512), (512, 1))
        assert_size_stride(primals_7, (1024, 512), (512, 1))
        assert_size_stride(primals_8, (512, 1024), (1024, 1))
        assert_size_stride(primals_9, (512, ), (1, ))
        assert_size_stride(primals_10, (1536, 512), (512, 1))
        assert_size_stride(primals_11, (512, 512), (512, 1))
        assert_size_stride(primals_12, (512, ), (1, ))
        assert_size_stride(primals_13, (1024, 512), (512, 1))
        assert_size_stride(primals_14, (1024, 512), (512, 1))
        assert_size_stride(primals_15, (512, 1024), (1024, 1))
        assert_size_stride(primals_16, (512, ), (1, ))
        assert_size_stride(primals_17, (1536, 512), (512, 1))
        assert_size_stride(primals_18, (512, 512), (512, 1))
        assert_size_stride(primals_19, (512, ), (1, ))
        assert_size_stride(primals_20, (1024, 512), (512, 1))
        assert_size_stride(primals_21, (1024, 512), (512, 1))
        assert_size_stride(primals_22, (512, 1024), (1024, 1))
        assert_size_stride(primals_23, (512, ), (1, ))
        assert_size_stride(primals_24, (1536, 512), (512, 1))
        assert_size_stride(primals_25, (512, 512), (512, 1))
        assert_size_stride(primals_26, (512, ), (1, ))
        assert_size_stride(primals_27, (1024, 512), (512, 1))
        assert_size_stride(primals_28, (1024, 512), (512, 1))
        assert_size_stride(primals_29, (512, 1024), (1024, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf1 = empty_strided_cuda((8, 256, 512), (131072, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_0:1
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_0.run(primals_1, primals_2, buf1, 2048, 512, stream=stream0)
            buf2 = empty_strided_cuda((2048, 1536), (1536, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:2
            extern_kernels.mm(reinterpret_tensor(buf1, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_3, (512, 1536), (1, 512), 0), out=buf2)
            buf3 = empty_strided_cuda((256, 32), (32, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_arange_cos_div_mul_neg_pow_unsqueeze_1:3
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_arange_cos_div_mul_neg_pow_unsqueeze_1.run(buf3, 8192, stream=stream0)
            buf4 = empty_strided_cuda((256, 32), (32, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, sin, sin_1], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.sin, aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_arange_div_mul_neg_pow_sin_unsqueeze_2:4
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_arange_div_mul_neg_pow_sin_unsqueeze_2.run(buf4, 8192, stream=stream0)
            buf5 = reinterpret_tensor(buf1, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf1  # reuse
            buf6 = empty_strided_cuda((8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3:5
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3.run(buf2, buf3, buf4, buf5, buf6, 1048576, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:6
            buf7 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf5, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf6, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf2, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=fwd_rng_state_0)
            del buf2
            buf8 = buf7[0]
            assert_size_stride(buf8, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf8, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf7
            buf12 = reinterpret_tensor(buf6, (8, 256, 8, 64), (131072, 512, 64, 1), 0); del buf6  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_4:7
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_4.run(buf8, buf12, 1048576, stream=stream0)
            buf13 = reinterpret_tensor(buf8, (2048, 512), (512, 1), 0); del buf8  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:8
            extern_kernels.mm(reinterpret_tensor(buf12, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_4, (512, 512), (1, 512), 0), out=buf13)
            buf15 = reinterpret_tensor(buf12, (8, 256, 512), (131072, 512, 1), 0); del buf12  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_5:9
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_5.run(primals_1, buf13, primals_5, buf15, 2048, 512, stream=stream0)
            buf16 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:10
            extern_kernels.mm(reinterpret_tensor(buf15, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_6, (512, 1024), (1, 512), 0), out=buf16)
            buf17 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:11
            extern_kernels.mm(reinterpret_tensor(buf15, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_7, (512, 1024), (1, 512), 0), out=buf17)
            buf18 = reinterpret_tensor(buf16, (8, 256, 1024), (262144, 1024, 1), 0); del buf16  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_6:12
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_6.run(buf18, buf17, 2097152, stream=stream0)
            del buf17
            buf19 = reinterpret_tensor(buf15, (2048, 512), (512, 1), 0); del buf15  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:13
            extern_kernels.mm(reinterpret_tensor(buf18, (2048, 1024), (1024, 1), 0), reinterpret_tensor(primals_8, (1024, 512), (1, 1024), 0), out=buf19)
            buf20 = reinterpret_tensor(buf13, (8, 256, 512), (131072, 512, 1), 0); del buf13  # reuse
            buf22 = reinterpret_tensor(buf5, (8, 256, 512), (131072, 512, 1), 0); del buf5  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3, rms_norm], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_7:14
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_7.run(buf20, primals_1, buf19, primals_9, buf22, 2048, 512, stream=stream0)
            buf23 = empty_strided_cuda((2048, 1536), (1536, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:15
            extern_kernels.mm(reinterpret_tensor(buf22, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_10, (512, 1536), (1, 512), 0), out=buf23)
            buf24 = reinterpret_tensor(buf22, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf22  # reuse
            buf25 = reinterpret_tensor(buf19, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf19  # reuse
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3:16
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3.run(buf23, buf3, buf4, buf24, buf25, 1048576, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:17
            buf26 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf24, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf25, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf23, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=fwd_rng_state_1)
            del buf23
            buf27 = buf26[0]
            assert_size_stride(buf27, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf27, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf26
            buf31 = reinterpret_tensor(buf25, (8, 256, 8, 64), (131072, 512, 64, 1), 0); del buf25  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_4:18
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_4.run(buf27, buf31, 1048576, stream=stream0)
            buf32 = reinterpret_tensor(buf27, (2048, 512), (512, 1), 0); del buf27  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:19
            extern_kernels.mm(reinterpret_tensor(buf31, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_11, (512, 512), (1, 512), 0), out=buf32)
            buf34 = reinterpret_tensor(buf31, (8, 256, 512), (131072, 512, 1), 0); del buf31  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_5:20
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_5.run(buf20, buf32, primals_12, buf34, 2048, 512, stream=stream0)
            buf35 = reinterpret_tensor(buf18, (2048, 1024), (1024, 1), 0); del buf18  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:21
            extern_kernels.mm(reinterpret_tensor(buf34, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_13, (512, 1024), (1, 512), 0), out=buf35)
            buf36 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:22
            extern_kernels.mm(reinterpret_tensor(buf34, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_14, (512, 1024), (1, 512), 0), out=buf36)
            buf37 = reinterpret_tensor(buf35, (8, 256, 1024), (262144, 1024, 1), 0); del buf35  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_6:23
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_6.run(buf37, buf36, 2097152, stream=stream0)
            del buf36
            buf38 = reinterpret_tensor(buf34, (2048, 512), (512, 1), 0); del buf34  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:24
            extern_kernels.mm(reinterpret_tensor(buf37, (2048, 1024), (1024, 1), 0), reinterpret_tensor(primals_15, (1024, 512), (1, 1024), 0), out=buf38)
            buf39 = reinterpret_tensor(buf32, (8, 256, 512), (131072, 512, 1), 0); del buf32  # reuse
            buf41 = reinterpret_tensor(buf24, (8, 256, 512), (131072, 512, 1), 0); del buf24  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x_1, linear_4, add_3, rms_norm], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_7:25
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_7.run(buf39, buf20, buf38, primals_16, buf41, 2048, 512, stream=stream0)
            buf42 = empty_strided_cuda((2048, 1536), (1536, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:26
            extern_kernels.mm(reinterpret_tensor(buf41, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_17, (512, 1536), (1, 512), 0), out=buf42)
            buf43 = reinterpret_tensor(buf41, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf41  # reuse
            buf44 = reinterpret_tensor(buf38, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf38  # reuse
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3:27
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3.run(buf42, buf3, buf4, buf43, buf44, 1048576, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:28
            buf45 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf43, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf44, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf42, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=fwd_rng_state_2)
            del buf42
            del buf43
            buf46 = buf45[0]
            assert_size_stride(buf46, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf46, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf45
            buf50 = reinterpret_tensor(buf44, (8, 256, 8, 64), (131072, 512, 64, 1), 0); del buf44  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_4:29
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_4.run(buf46, buf50, 1048576, stream=stream0)
            buf51 = reinterpret_tensor(buf46, (2048, 512), (512, 1), 0); del buf46  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:30
            extern_kernels.mm(reinterpret_tensor(buf50, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_18, (512, 512), (1, 512), 0), out=buf51)
            buf53 = reinterpret_tensor(buf50, (8, 256, 512), (131072, 512, 1), 0); del buf50  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_5:31
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_5.run(buf39, buf51, primals_19, buf53, 2048, 512, stream=stream0)
            buf54 = reinterpret_tensor(buf37, (2048, 1024), (1024, 1), 0); del buf37  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:32
            extern_kernels.mm(reinterpret_tensor(buf53, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_20, (512, 1024), (1, 512), 0), out=buf54)
            buf55 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:33
            extern_kernels.mm(reinterpret_tensor(buf53, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_21, (512, 1024), (1, 512), 0), out=buf55)
            buf56 = reinterpret_tensor(buf54, (8, 256, 1024), (262144, 1024, 1), 0); del buf54  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_6:34
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_6.run(buf56, buf55, 2097152, stream=stream0)
            del buf55
            buf57 = reinterpret_tensor(buf53, (2048, 512), (512, 1), 0); del buf53  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:35
            extern_kernels.mm(reinterpret_tensor(buf56, (2048, 1024), (1024, 1), 0), reinterpret_tensor(primals_22, (1024, 512), (1, 1024), 0), out=buf57)
            del buf56
            buf58 = reinterpret_tensor(buf51, (8, 256, 512), (131072, 512, 1), 0); del buf51  # reuse
            buf60 = empty_strided_cuda((8, 256, 512), (131072, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3, rms_norm], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_7:36
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_7.run(buf58, buf39, buf57, primals_23, buf60, 2048, 512, stream=stream0)
            buf61 = empty_strided_cuda((2048, 1536), (1536, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:37
            extern_kernels.mm(reinterpret_tensor(buf60, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_24, (512, 1536), (1, 512), 0), out=buf61)
            buf62 = reinterpret_tensor(buf60, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf60  # reuse
            buf63 = reinterpret_tensor(buf57, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf57  # reuse
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3:38
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_3.run(buf61, buf3, buf4, buf62, buf63, 1048576, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:39
            buf64 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf62, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf63, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf61, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=fwd_rng_state_3)
            del buf61
            del buf62
            buf65 = buf64[0]
            assert_size_stride(buf65, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf65, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf64
            buf69 = reinterpret_tensor(buf63, (8, 256, 8, 64), (131072, 512, 64, 1), 0); del buf63  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape], Original ATen: [aten.transpose, aten.clone]
            # [Provenance debug handles] triton_poi_fused_clone_transpose_4:40
            stream0 = get_raw_stream(0)
            triton_poi_fused_clone_transpose_4.run(buf65, buf69, 1048576, stream=stream0)
            buf70 = reinterpret_tensor(buf65, (2048, 512), (512, 1), 0); del buf65  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:41
            extern_kernels.mm(reinterpret_tensor(buf69, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_25, (512, 512), (1, 512), 0), out=buf70)
            buf72 = reinterpret_tensor(buf69, (8, 256, 512), (131072, 512, 1), 0); del buf69  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_5:42
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_5.run(buf58, buf70, primals_26, buf72, 2048, 512, stream=stream0)
            buf73 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:43
            extern_kernels.mm(reinterpret_tensor(buf72, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_27, (512, 1024), (1, 512), 0), out=buf73)
            buf74 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:44
            extern_kernels.mm(reinterpret_tensor(buf72, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_28, (512, 1024), (1, 512), 0), out=buf74)
            del buf72
            buf75 = reinterpret_tensor(buf73, (8, 256, 1024), (262144, 1024, 1), 0); del buf73  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10], Original ATen: [aten._unsafe_view, aten.silu, aten.mul]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_6:45
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_6.run(buf75, buf74, 2097152, stream=stream0)
            del buf74
            buf76 = empty_strided_cuda((2048, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, linear_4], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:46
            extern_kernels.mm(reinterpret_tensor(buf75, (2048, 1024), (1024, 1), 0), reinterpret_tensor(primals_29, (1024, 512), (1, 1024), 0), out=buf76)
            del buf75
            buf77 = reinterpret_tensor(buf70, (8, 256, 512), (131072, 512, 1), 0); del buf70  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, linear_4, add_3], Original ATen: [aten._unsafe_view, aten.add]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_8:47
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_8.run(buf77, buf58, buf76, 1048576, stream=stream0)
            del buf76
        return (buf77, primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, buf3, buf4, buf20, buf39, buf58, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((8, 256, 512), (131072, 512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_2 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_3 = rand_strided((1536, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_4 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_5 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_6 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_7 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_8 = rand_strided((512, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_9 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_10 = rand_strided((1536, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_11 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_12 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_13 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_14 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_15 = rand_strided((512, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_16 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_17 = rand_strided((1536, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_18 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_19 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_20 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_21 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_22 = rand_strided((512, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_23 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_24 = rand_strided((1536, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_25 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_26 = rand_strided((512, ), (1, ), device='cuda:0', dtype=torch.bfloat16)
    primals_27 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_28 = rand_strided((1024, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    primals_29 = rand_strided((512, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    fwd_rng_state_0 = torch.cuda.default_generators[0].graphsafe_get_state()
    fwd_rng_state_1 = torch.cuda.default_generators[0].graphsafe_get_state()
    fwd_rng_state_2 = torch.cuda.default_generators[0].graphsafe_get_state()
    fwd_rng_state_3 = torch.cuda.default_generators[0].graphsafe_get_state()
    return [primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, fwd_rng_state_0, fwd_rng_state_1, fwd_rng_state_2, fwd_rng_state_3]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

