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


# kernel path: /tmp/torchinductor_user/46/c46ejje4hfgotykqikhbkxmdjjeo6gqhogtey7tusyko5y5nxzvs.py
# Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
# Source node to ATen node mapping:
#   rms_norm => add_21, convert_element_type_60, convert_element_type_61, mean_6, mul_45, mul_46, pow_13, rsqrt_6
# Graph fragment:
#   %add_20 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_20]
#   %buf0 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf0]
#   %primals_23 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_23]
#   %convert_element_type_60 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_20, torch.float32), kwargs = {})
#   %pow_13 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_60, 2), kwargs = {})
#   %mean_6 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_13, [2], True), kwargs = {})
#   %add_21 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_6, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_6 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_21,), kwargs = {})
#   %mul_45 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_60, %rsqrt_6), kwargs = {})
#   %mul_46 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_45, %primals_23), kwargs = {})
#   %convert_element_type_61 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_46, torch.bfloat16), kwargs = {})
#   return %buf0,%convert_element_type_61
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'out_ptr0': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384, 'r0_': 6292480}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_0(in_ptr0, in_ptr1, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tl.store(out_ptr0 + (x0), tmp6, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/3c/c3cljnaoaz2zxc3mpnr74hawiv4jkpwnabn7dhb3cq4l4cdlo2d6.py
# Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
# Source node to ATen node mapping:
#   add => add_15, add_22
#   add_1 => add_16, add_23
#   even => slice_13, slice_9
#   even_1 => slice_11, slice_15
#   k => select_10, select_7
#   linear => view_29, view_43
#   mixed => view_30, view_44
#   mul_1 => mul_33, mul_48
#   mul_2 => mul_34, mul_49
#   mul_3 => mul_35, mul_50
#   mul_4 => mul_36, mul_51
#   mul_6 => mul_38, mul_53
#   mul_7 => mul_39, mul_54
#   mul_8 => mul_40, mul_55
#   mul_9 => mul_41, mul_56
#   odd => slice_10, slice_14
#   odd_1 => slice_12, slice_16
#   permute => permute_15, permute_22
#   q => select_6, select_9
#   stack => cat_4, cat_6, unsqueeze_13, unsqueeze_14, unsqueeze_19, unsqueeze_20
#   stack_1 => cat_5, cat_7, unsqueeze_16, unsqueeze_17, unsqueeze_22, unsqueeze_23
#   sub => sub_4, sub_6
#   sub_1 => sub_5, sub_7
# Graph fragment:
#   %mm_15 : Tensor "bf16[2048, 1536][1536, 1]cuda:0" = PlaceHolder[target=mm_15]
#   %convert_element_type_4 : Tensor "bf16[256, 32][32, 1]cuda:0" = PlaceHolder[target=convert_element_type_4]
#   %convert_element_type_5 : Tensor "bf16[256, 32][32, 1]cuda:0" = PlaceHolder[target=convert_element_type_5]
#   %mm_10 : Tensor "bf16[2048, 1536][1536, 1]cuda:0" = PlaceHolder[target=mm_10]
#   %view_43 : Tensor "bf16[8, 256, 1536][393216, 1536, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_15, [8, 256, 1536]), kwargs = {})
#   %view_44 : Tensor "bf16[8, 256, 3, 8, 64][393216, 1536, 512, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_43, [8, 256, 3, 8, 64]), kwargs = {})
#   %permute_22 : Tensor "bf16[3, 8, 8, 256, 64][512, 393216, 64, 1536, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_44, [2, 0, 3, 1, 4]), kwargs = {})
#   %select_9 : Tensor "bf16[8, 8, 256, 64][393216, 64, 1536, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_22, 0, 0), kwargs = {})
#   %select_10 : Tensor "bf16[8, 8, 256, 64][393216, 64, 1536, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_22, 0, 1), kwargs = {})
#   %slice_13 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_9, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_14 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_9, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_48 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_13, %convert_element_type_4), kwargs = {})
#   %mul_49 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_14, %convert_element_type_5), kwargs = {})
#   %sub_6 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_48, %mul_49), kwargs = {})
#   %mul_50 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_13, %convert_element_type_5), kwargs = {})
#   %mul_51 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_14, %convert_element_type_4), kwargs = {})
#   %add_22 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_50, %mul_51), kwargs = {})
#   %unsqueeze_19 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_6, 4), kwargs = {})
#   %unsqueeze_20 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_22, 4), kwargs = {})
#   %cat_6 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_19, %unsqueeze_20], -1), kwargs = {})
#   %slice_15 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_10, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_16 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_10, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_53 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_15, %convert_element_type_4), kwargs = {})
#   %mul_54 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_16, %convert_element_type_5), kwargs = {})
#   %sub_7 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_53, %mul_54), kwargs = {})
#   %mul_55 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_15, %convert_element_type_5), kwargs = {})
#   %mul_56 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_16, %convert_element_type_4), kwargs = {})
#   %add_23 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_55, %mul_56), kwargs = {})
#   %unsqueeze_22 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_7, 4), kwargs = {})
#   %unsqueeze_23 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_23, 4), kwargs = {})
#   %cat_7 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_22, %unsqueeze_23], -1), kwargs = {})
#   %view_29 : Tensor "bf16[8, 256, 1536][393216, 1536, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_10, [8, 256, 1536]), kwargs = {})
#   %view_30 : Tensor "bf16[8, 256, 3, 8, 64][393216, 1536, 512, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_29, [8, 256, 3, 8, 64]), kwargs = {})
#   %permute_15 : Tensor "bf16[3, 8, 8, 256, 64][512, 393216, 64, 1536, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.permute.default](args = (%view_30, [2, 0, 3, 1, 4]), kwargs = {})
#   %select_6 : Tensor "bf16[8, 8, 256, 64][393216, 64, 1536, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_15, 0, 0), kwargs = {})
#   %select_7 : Tensor "bf16[8, 8, 256, 64][393216, 64, 1536, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%permute_15, 0, 1), kwargs = {})
#   %slice_9 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_6, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_10 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_6, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_33 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_9, %convert_element_type_4), kwargs = {})
#   %mul_34 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_10, %convert_element_type_5), kwargs = {})
#   %sub_4 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_33, %mul_34), kwargs = {})
#   %mul_35 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_9, %convert_element_type_5), kwargs = {})
#   %mul_36 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_10, %convert_element_type_4), kwargs = {})
#   %add_15 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_35, %mul_36), kwargs = {})
#   %unsqueeze_13 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_4, 4), kwargs = {})
#   %unsqueeze_14 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_15, 4), kwargs = {})
#   %cat_4 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_13, %unsqueeze_14], -1), kwargs = {})
#   %slice_11 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_7, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %slice_12 : Tensor "bf16[8, 8, 256, 32][393216, 64, 1536, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.slice.Tensor](args = (%select_7, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %mul_38 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_11, %convert_element_type_4), kwargs = {})
#   %mul_39 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_12, %convert_element_type_5), kwargs = {})
#   %sub_5 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_38, %mul_39), kwargs = {})
#   %mul_40 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_11, %convert_element_type_5), kwargs = {})
#   %mul_41 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%slice_12, %convert_element_type_4), kwargs = {})
#   %add_16 : Tensor "bf16[8, 8, 256, 32][65536, 32, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_40, %mul_41), kwargs = {})
#   %unsqueeze_16 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%sub_5, 4), kwargs = {})
#   %unsqueeze_17 : Tensor "bf16[8, 8, 256, 32, 1][65536, 32, 256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%add_16, 4), kwargs = {})
#   %cat_5 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%unsqueeze_16, %unsqueeze_17], -1), kwargs = {})
#   return %cat_6,%cat_7,%cat_4,%cat_5
triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1 = async_compile.triton('triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1048576}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'out_ptr0': '*bf16', 'out_ptr1': '*bf16', 'out_ptr2': '*bf16', 'out_ptr3': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 20, 'num_store': 4, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16777216}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, out_ptr1, out_ptr2, out_ptr3, xnumel, XBLOCK : tl.constexpr):
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
    tmp42 = tl.load(in_ptr3 + (2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp43 = tmp42 * tmp6
    tmp44 = tl.load(in_ptr3 + (1 + 2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp45 = tmp44 * tmp9
    tmp46 = tmp43 - tmp45
    tmp47 = tl.full(tmp46.shape, 0.0, tmp46.dtype)
    tmp48 = tl.where(tmp4, tmp46, tmp47)
    tmp49 = tl.load(in_ptr3 + (2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp50 = tmp49 * tmp18
    tmp51 = tl.load(in_ptr3 + (1 + 2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp52 = tmp51 * tmp21
    tmp53 = tmp50 + tmp52
    tmp54 = tl.full(tmp53.shape, 0.0, tmp53.dtype)
    tmp55 = tl.where(tmp14, tmp53, tmp54)
    tmp56 = tl.where(tmp4, tmp48, tmp55)
    tmp57 = tl.load(in_ptr3 + (512 + 2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp58 = tmp57 * tmp6
    tmp59 = tl.load(in_ptr3 + (513 + 2*x5 + 1536*x6), tmp4, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp60 = tmp59 * tmp9
    tmp61 = tmp58 - tmp60
    tmp62 = tl.full(tmp61.shape, 0.0, tmp61.dtype)
    tmp63 = tl.where(tmp4, tmp61, tmp62)
    tmp64 = tl.load(in_ptr3 + (512 + 2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp65 = tmp64 * tmp18
    tmp66 = tl.load(in_ptr3 + (513 + 2*x5 + 1536*x6), tmp14, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp67 = tmp66 * tmp21
    tmp68 = tmp65 + tmp67
    tmp69 = tl.full(tmp68.shape, 0.0, tmp68.dtype)
    tmp70 = tl.where(tmp14, tmp68, tmp69)
    tmp71 = tl.where(tmp4, tmp63, tmp70)
    tl.store(out_ptr0 + (x7 + 64*x3 + 16384*x2 + 131072*x4), tmp26, None)
    tl.store(out_ptr1 + (x7 + 64*x3 + 16384*x2 + 131072*x4), tmp41, None)
    tl.store(out_ptr2 + (x7 + 64*x3 + 16384*x2 + 131072*x4), tmp56, None)
    tl.store(out_ptr3 + (x7 + 64*x3 + 16384*x2 + 131072*x4), tmp71, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/3z/c3zpjh2ollojvwtf3yreasylunlkfzstppf4xamvsneahfsiqmgp.py
# Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view]
# Source node to ATen node mapping:
#   linear_1 => view_48
#   reshape => clone_3, view_47
#   transpose => permute_23
# Graph fragment:
#   %getitem_27 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0" = PlaceHolder[target=getitem_27]
#   %permute_23 : Tensor "bf16[8, 256, 8, 64][131072, 64, 16384, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%getitem_27, [0, 2, 1, 3]), kwargs = {})
#   %clone_3 : Tensor "bf16[8, 256, 8, 64][131072, 512, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_23,), kwargs = {memory_format: torch.contiguous_format})
#   %view_47 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_3, [8, 256, 512]), kwargs = {})
#   %view_48 : Tensor "bf16[2048, 512][512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%view_47, [2048, 512]), kwargs = {})
#   return %view_48
triton_poi_fused__unsafe_view_clone_transpose_view_2 = async_compile.triton('triton_poi_fused__unsafe_view_clone_transpose_view_2', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_clone_transpose_view_2', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 6291456}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_clone_transpose_view_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 512)
    x1 = xindex // 512
    x2 = xindex
    tmp0 = tl.load(in_ptr0 + (64*((x1 % 256)) + 16384*(x0 // 64) + 131072*(x1 // 256) + ((x0 % 64))), None).to(tl.float32)
    tl.store(out_ptr0 + (x2), tmp0, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/xj/cxjxd2p5botkens232xscvptfy4k5uozjcwakl65noztvgvn5nsk.py
# Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   hidden => add_25, convert_element_type_70, convert_element_type_71, mean_7, mul_57, mul_58, pow_16, rsqrt_7
#   linear_1 => view_49
#   x => add_24
# Graph fragment:
#   %add_20 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_20]
#   %mm_16 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_16]
#   %buf12 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf12]
#   %primals_26 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_26]
#   %view_49 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_16, [8, 256, 512]), kwargs = {})
#   %add_24 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_20, %view_49), kwargs = {})
#   %convert_element_type_70 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_24, torch.float32), kwargs = {})
#   %pow_16 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_70, 2), kwargs = {})
#   %mean_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_16, [2], True), kwargs = {})
#   %add_25 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_7, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_25,), kwargs = {})
#   %mul_57 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_70, %rsqrt_7), kwargs = {})
#   %mul_58 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_57, %primals_26), kwargs = {})
#   %convert_element_type_71 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_58, torch.bfloat16), kwargs = {})
#   return %buf12,%convert_element_type_71
triton_per_fused__fused_rms_norm__unsafe_view_add_3 = async_compile.triton('triton_per_fused__fused_rms_norm__unsafe_view_add_3', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__unsafe_view_add_3', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16384, 'r0_': 8389632}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__unsafe_view_add_3(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tl.store(out_ptr0 + (x0), tmp8, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/3p/c3pyqyyfhnwncnqpqdvakhujxv4fftuhf4osaml4pywyutdzbch6.py
# Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, view_57, mul_60, mul_61, convert_element_type_88, reciprocal, mul_62, mul_63, sub_8, mul_64, add_29, mul_65, convert_element_type_90], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.silu_backward]
# Source node to ATen node mapping:
#   add_29 => add_29
#   convert_element_type_88 => convert_element_type_88
#   convert_element_type_90 => convert_element_type_90
#   linear_2 => view_51
#   linear_3 => view_53
#   mul_10 => mul_59
#   mul_60 => mul_60
#   mul_61 => mul_61
#   mul_62 => mul_62
#   mul_63 => mul_63
#   mul_64 => mul_64
#   mul_65 => mul_65
#   reciprocal => reciprocal
#   silu => add_26, convert_element_type_74, convert_element_type_75, div_11, exp_3, neg_11
#   sub_8 => sub_8
#   view_57 => view_57
# Graph fragment:
#   %mm_17 : Tensor "bf16[2048, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_17]
#   %mm_18 : Tensor "bf16[2048, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_18]
#   %mm_21 : Tensor "bf16[2048, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_21]
#   %view_51 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_17, [8, 256, 1024]), kwargs = {})
#   %convert_element_type_74 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_51, torch.float32), kwargs = {})
#   %neg_11 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%convert_element_type_74,), kwargs = {})
#   %exp_3 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_11,), kwargs = {})
#   %add_26 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp_3, 1), kwargs = {})
#   %div_11 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%convert_element_type_74, %add_26), kwargs = {})
#   %convert_element_type_75 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%div_11, torch.bfloat16), kwargs = {})
#   %view_53 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_18, [8, 256, 1024]), kwargs = {})
#   %mul_59 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_75, %view_53), kwargs = {})
#   %view_57 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_21, [8, 256, 1024]), kwargs = {})
#   %mul_60 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_57, %convert_element_type_75), kwargs = {})
#   %mul_61 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_57, %view_53), kwargs = {})
#   %convert_element_type_88 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_61, torch.float32), kwargs = {})
#   %reciprocal : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reciprocal.default](args = (%add_26,), kwargs = {})
#   %mul_62 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%reciprocal, 1), kwargs = {})
#   %mul_63 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_88, %mul_62), kwargs = {})
#   %sub_8 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (1, %mul_62), kwargs = {})
#   %mul_64 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_74, %sub_8), kwargs = {})
#   %add_29 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_64, 1), kwargs = {})
#   %mul_65 : Tensor "f32[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_63, %add_29), kwargs = {})
#   %convert_element_type_90 : Tensor "bf16[8, 256, 1024][262144, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_65, torch.bfloat16), kwargs = {})
#   return %mul_59,%mul_60,%convert_element_type_90
triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 2097152}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*bf16', 'out_ptr1': '*bf16', 'out_ptr2': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 3, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 37748736}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, out_ptr2, xnumel, XBLOCK : tl.constexpr):
    xnumel = 2097152
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp8 = tl.load(in_ptr1 + (x0), None).to(tl.float32)
    tmp10 = tl.load(in_ptr2 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp2 = -tmp1
    tmp3 = libdevice.exp(tmp2)
    tmp4 = tl.full([1], 1.0, tl.float32)
    tmp5 = tmp3 + tmp4
    tmp6 = (tmp1 / tmp5)
    tmp7 = tmp6.to(tl.float32)
    tmp9 = tmp7 * tmp8
    tmp11 = tmp10 * tmp7
    tmp12 = tmp10 * tmp8
    tmp13 = tmp12.to(tl.float32)
    tmp14 = tl.full([1], 1, tl.int32)
    tmp15 = (tmp14 / tmp5)
    tmp16 = tmp15 * tmp4
    tmp17 = tmp13 * tmp16
    tmp18 = tmp4 - tmp16
    tmp19 = tmp1 * tmp18
    tmp20 = tmp19 + tmp4
    tmp21 = tmp17 * tmp20
    tmp22 = tmp21.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp9, None)
    tl.store(out_ptr1 + (x0), tmp11, None)
    tl.store(out_ptr2 + (x0), tmp22, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/a2/ca2n3k467qd5ghg244j27gqahmftrlnxk3ulzzblihkprlj4c3qk.py
# Topologically Sorted Source Nodes: [linear_1, x, hidden, view_59, view_61, add_30, clone_4, clone_6, mul_66, mul_68, sum_1, div_12, mul_69, sub_9, mul_70, convert_element_type_98, add_31], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_30 => add_30
#   add_31 => add_31
#   clone_4 => convert_element_type_95
#   clone_6 => convert_element_type_97
#   convert_element_type_98 => convert_element_type_98
#   div_12 => div_12
#   hidden => add_25, convert_element_type_70, mean_7, mul_57, pow_16, rsqrt_7
#   linear_1 => view_49
#   mul_66 => mul_66
#   mul_68 => mul_68
#   mul_69 => mul_69
#   mul_70 => mul_70
#   sub_9 => sub_9
#   sum_1 => sum_1
#   view_59 => view_59
#   view_61 => view_61
#   x => add_24
# Graph fragment:
#   %add_20 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_20]
#   %mm_16 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_16]
#   %buf12 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf12]
#   %mm_23 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_23]
#   %mm_25 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_25]
#   %primals_26 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_26]
#   %tangents_1 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=tangents_1]
#   %sum_1 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=sum_1]
#   %view_49 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_16, [8, 256, 512]), kwargs = {})
#   %add_24 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_20, %view_49), kwargs = {})
#   %convert_element_type_70 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_24, torch.float32), kwargs = {})
#   %pow_16 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_70, 2), kwargs = {})
#   %mean_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_16, [2], True), kwargs = {})
#   %add_25 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_7, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_25,), kwargs = {})
#   %mul_57 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_70, %rsqrt_7), kwargs = {})
#   %view_59 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_23, [8, 256, 512]), kwargs = {})
#   %view_61 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_25, [8, 256, 512]), kwargs = {})
#   %add_30 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%view_59, %view_61), kwargs = {})
#   %convert_element_type_95 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_30, torch.float32), kwargs = {})
#   %convert_element_type_97 : Tensor "f32[512][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_26, torch.float32), kwargs = {})
#   %mul_66 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_95, %convert_element_type_97), kwargs = {})
#   %mul_68 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_57, %mul_66), kwargs = {})
#   %sum_1 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_68, [2], True), kwargs = {})
#   %div_12 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_57, 512), kwargs = {})
#   %mul_69 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_12, %sum_1), kwargs = {})
#   %sub_9 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_66, %mul_69), kwargs = {})
#   %mul_70 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_9, %rsqrt_7), kwargs = {})
#   %convert_element_type_98 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_70, torch.bfloat16), kwargs = {})
#   %add_31 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%tangents_1, %convert_element_type_98), kwargs = {})
#   return %sum_1,%add_31
triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'in_ptr5': '*bf16', 'in_ptr6': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 7, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8192, 'r0_': 14681088}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp4 = tl.load(in_ptr2 + (x0), xmask, eviction_policy='evict_last')
    tmp11 = tl.load(in_ptr3 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp12 = tl.load(in_ptr4 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp15 = tl.load(in_ptr5 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp23 = tl.load(in_ptr6 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2.to(tl.float32)
    tmp5 = tl.full([1, 1], 512.0, tl.float32)
    tmp6 = (tmp4 / tmp5)
    tmp7 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = libdevice.rsqrt(tmp8)
    tmp10 = tmp3 * tmp9
    tmp13 = tmp11 + tmp12
    tmp14 = tmp13.to(tl.float32)
    tmp16 = tmp15.to(tl.float32)
    tmp17 = tmp14 * tmp16
    tmp18 = tmp10 * tmp17
    tmp19 = tl.broadcast_to(tmp18, [XBLOCK, R0_BLOCK])
    tmp21 = tl.where(xmask, tmp19, 0)
    tmp22 = tl.sum(tmp21, 1)[:, None].to(tl.float32)
    tmp24 = tl.full([1, 1], 0.001953125, tl.float32)
    tmp25 = tmp10 * tmp24
    tmp26 = tmp25 * tmp22
    tmp27 = tmp17 - tmp26
    tmp28 = tmp27 * tmp9
    tmp29 = tmp28.to(tl.float32)
    tmp30 = tmp23 + tmp29
    tl.store(out_ptr1 + (r0_1 + 512*x0), tmp30, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/hs/chsgr23tismyookwpjuhqkc7sefx255guwji6x6rwktysx75mmaj.py
# Topologically Sorted Source Nodes: [view_65, select_12, select_13, mul_72, mul_73, neg_13, mul_74, add_32, mul_75, add_33, full, _generalized_scatter, _generalized_scatter_1, add_34, view_66, select_14, select_15, mul_76, mul_77, neg_14, mul_78, add_35, mul_79, add_36, _generalized_scatter_2, _generalized_scatter_3, add_37], Original ATen: [aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.slice_backward]
# Source node to ATen node mapping:
#   _generalized_scatter => slice_scatter_default
#   _generalized_scatter_1 => slice_scatter_default_1
#   _generalized_scatter_2 => slice_scatter_default_2
#   _generalized_scatter_3 => slice_scatter_default_3
#   add_32 => add_32
#   add_33 => add_33
#   add_34 => add_34
#   add_35 => add_35
#   add_36 => add_36
#   add_37 => add_37
#   full => full_default
#   mul_72 => mul_72
#   mul_73 => mul_73
#   mul_74 => mul_74
#   mul_75 => mul_75
#   mul_76 => mul_76
#   mul_77 => mul_77
#   mul_78 => mul_78
#   mul_79 => mul_79
#   neg_13 => neg_13
#   neg_14 => neg_14
#   select_12 => select_12
#   select_13 => select_13
#   select_14 => select_14
#   select_15 => select_15
#   view_65 => view_65
#   view_66 => view_66
# Graph fragment:
#   %getitem_37 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0" = PlaceHolder[target=getitem_37]
#   %convert_element_type_4 : Tensor "bf16[256, 32][32, 1]cuda:0" = PlaceHolder[target=convert_element_type_4]
#   %convert_element_type_5 : Tensor "bf16[256, 32][32, 1]cuda:0" = PlaceHolder[target=convert_element_type_5]
#   %getitem_36 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0" = PlaceHolder[target=getitem_36]
#   %view_65 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%getitem_37, [8, 8, 256, 32, 2]), kwargs = {})
#   %select_12 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_65, -1, 0), kwargs = {})
#   %select_13 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_65, -1, 1), kwargs = {})
#   %mul_72 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_13, %convert_element_type_4), kwargs = {})
#   %mul_73 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_13, %convert_element_type_5), kwargs = {})
#   %neg_13 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%select_12,), kwargs = {})
#   %mul_74 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%neg_13, %convert_element_type_5), kwargs = {})
#   %add_32 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_72, %mul_74), kwargs = {})
#   %mul_75 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_12, %convert_element_type_4), kwargs = {})
#   %add_33 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_73, %mul_75), kwargs = {})
#   %full_default : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.aten.full.default](args = ([8, 8, 256, 64], 0), kwargs = {dtype: torch.bfloat16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %slice_scatter_default : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_32, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %slice_scatter_default_1 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_33, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %add_34 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%slice_scatter_default, %slice_scatter_default_1), kwargs = {})
#   %view_66 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%getitem_36, [8, 8, 256, 32, 2]), kwargs = {})
#   %select_14 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_66, -1, 0), kwargs = {})
#   %select_15 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_66, -1, 1), kwargs = {})
#   %mul_76 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_15, %convert_element_type_4), kwargs = {})
#   %mul_77 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_15, %convert_element_type_5), kwargs = {})
#   %neg_14 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%select_14,), kwargs = {})
#   %mul_78 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%neg_14, %convert_element_type_5), kwargs = {})
#   %add_35 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_76, %mul_78), kwargs = {})
#   %mul_79 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_14, %convert_element_type_4), kwargs = {})
#   %add_36 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_77, %mul_79), kwargs = {})
#   %slice_scatter_default_2 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_35, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %slice_scatter_default_3 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_36, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %add_37 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%slice_scatter_default_2, %slice_scatter_default_3), kwargs = {})
#   return %add_34,%add_37
triton_poi_fused_add_mul_neg_select_slice_backward_view_6 = async_compile.triton('triton_poi_fused_add_mul_neg_select_slice_backward_view_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 1048576}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'out_ptr0': '*bf16', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_mul_neg_select_slice_backward_view_6', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 12, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 16809984}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_mul_neg_select_slice_backward_view_6(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, out_ptr1, xnumel, XBLOCK : tl.constexpr):
    xnumel = 1048576
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x3 = xindex // 64
    x1 = ((xindex // 64) % 256)
    x4 = xindex
    x5 = (xindex % 16384)
    tmp0 = x0
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (((-1) + x0) % 2)
    tmp4 = tl.full([1], 0, tl.int64)
    tmp5 = tmp3 == tmp4
    tmp6 = tmp2 & tmp5
    tmp7 = tl.load(in_ptr0 + (1 + 2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x3), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp8 = tl.load(in_ptr1 + (32*x1 + (triton_helpers.div_floor_integer((-1) + x0,  2))), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp9 = tmp7 * tmp8
    tmp10 = tl.load(in_ptr0 + (2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x3), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp11 = -tmp10
    tmp12 = tl.load(in_ptr2 + (32*x1 + (triton_helpers.div_floor_integer((-1) + x0,  2))), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp13 = tmp11 * tmp12
    tmp14 = tmp9 + tmp13
    tmp15 = tl.full(tmp14.shape, 0.0, tmp14.dtype)
    tmp16 = tl.where(tmp6, tmp14, tmp15)
    tmp17 = tl.full([1], 0.0, tl.float32)
    tmp18 = tl.where(tmp6, tmp16, tmp17)
    tmp19 = (x4 % 2)
    tmp20 = tmp19 == tmp4
    tmp21 = tl.load(in_ptr0 + (1 + 2*(x0 // 2) + 64*x3), tmp20, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp22 = tl.load(in_ptr2 + (x5 // 2), tmp20, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp23 = tmp21 * tmp22
    tmp24 = tl.load(in_ptr0 + (2*(x0 // 2) + 64*x3), tmp20, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp25 = tl.load(in_ptr1 + (x5 // 2), tmp20, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp26 = tmp24 * tmp25
    tmp27 = tmp23 + tmp26
    tmp28 = tl.full(tmp27.shape, 0.0, tmp27.dtype)
    tmp29 = tl.where(tmp20, tmp27, tmp28)
    tmp30 = tl.where(tmp20, tmp29, tmp17)
    tmp31 = tmp18 + tmp30
    tmp32 = tl.load(in_ptr3 + (1 + 2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x3), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp33 = tmp32 * tmp8
    tmp34 = tl.load(in_ptr3 + (2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x3), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp35 = -tmp34
    tmp36 = tmp35 * tmp12
    tmp37 = tmp33 + tmp36
    tmp38 = tl.full(tmp37.shape, 0.0, tmp37.dtype)
    tmp39 = tl.where(tmp6, tmp37, tmp38)
    tmp40 = tl.where(tmp6, tmp39, tmp17)
    tmp41 = tl.load(in_ptr3 + (1 + 2*(x0 // 2) + 64*x3), tmp20, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp42 = tmp41 * tmp22
    tmp43 = tl.load(in_ptr3 + (2*(x0 // 2) + 64*x3), tmp20, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp44 = tmp43 * tmp25
    tmp45 = tmp42 + tmp44
    tmp46 = tl.full(tmp45.shape, 0.0, tmp45.dtype)
    tmp47 = tl.where(tmp20, tmp45, tmp46)
    tmp48 = tl.where(tmp20, tmp47, tmp17)
    tmp49 = tmp40 + tmp48
    tl.store(out_ptr0 + (x4), tmp31, None)
    tl.store(out_ptr1 + (x4), tmp49, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/wp/cwpq5kriql3brsl252avull4anbomr2ouvgaaf3sqjxpbhek4egl.py
# Topologically Sorted Source Nodes: [view_65, select_12, select_13, mul_72, mul_73, neg_13, mul_74, add_32, mul_75, add_33, full, _generalized_scatter, _generalized_scatter_1, add_34, view_66, select_14, select_15, mul_76, mul_77, neg_14, mul_78, add_35, mul_79, add_36, _generalized_scatter_2, _generalized_scatter_3, add_37, full_4, _generalized_scatter_4, _generalized_scatter_5, add_38, _generalized_scatter_6, add_39, permute_45, clone_7], Original ATen: [aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.slice_backward, aten.select_backward, aten.permute, aten.clone]
# Source node to ATen node mapping:
#   _generalized_scatter => slice_scatter_default
#   _generalized_scatter_1 => slice_scatter_default_1
#   _generalized_scatter_2 => slice_scatter_default_2
#   _generalized_scatter_3 => slice_scatter_default_3
#   _generalized_scatter_4 => select_scatter_default
#   _generalized_scatter_5 => select_scatter_default_1
#   _generalized_scatter_6 => select_scatter_default_2
#   add_32 => add_32
#   add_33 => add_33
#   add_34 => add_34
#   add_35 => add_35
#   add_36 => add_36
#   add_37 => add_37
#   add_38 => add_38
#   add_39 => add_39
#   clone_7 => clone_7
#   full => full_default
#   full_4 => full_default_4
#   mul_72 => mul_72
#   mul_73 => mul_73
#   mul_74 => mul_74
#   mul_75 => mul_75
#   mul_76 => mul_76
#   mul_77 => mul_77
#   mul_78 => mul_78
#   mul_79 => mul_79
#   neg_13 => neg_13
#   neg_14 => neg_14
#   permute_45 => permute_45
#   select_12 => select_12
#   select_13 => select_13
#   select_14 => select_14
#   select_15 => select_15
#   view_65 => view_65
#   view_66 => view_66
# Graph fragment:
#   %getitem_38 : Tensor "bf16[8, 8, 256, 64][131072, 64, 512, 1]cuda:0" = PlaceHolder[target=getitem_38]
#   %add_34 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0" = PlaceHolder[target=add_34]
#   %add_37 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0" = PlaceHolder[target=add_37]
#   %view_65 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%getitem_37, [8, 8, 256, 32, 2]), kwargs = {})
#   %select_12 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_65, -1, 0), kwargs = {})
#   %select_13 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_65, -1, 1), kwargs = {})
#   %mul_72 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_13, %convert_element_type_4), kwargs = {})
#   %mul_73 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_13, %convert_element_type_5), kwargs = {})
#   %neg_13 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%select_12,), kwargs = {})
#   %mul_74 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%neg_13, %convert_element_type_5), kwargs = {})
#   %add_32 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_72, %mul_74), kwargs = {})
#   %mul_75 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_12, %convert_element_type_4), kwargs = {})
#   %add_33 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_73, %mul_75), kwargs = {})
#   %full_default : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.aten.full.default](args = ([8, 8, 256, 64], 0), kwargs = {dtype: torch.bfloat16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %slice_scatter_default : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_32, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %slice_scatter_default_1 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_33, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %add_34 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%slice_scatter_default, %slice_scatter_default_1), kwargs = {})
#   %view_66 : Tensor "bf16[8, 8, 256, 32, 2][131072, 16384, 64, 2, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%getitem_36, [8, 8, 256, 32, 2]), kwargs = {})
#   %select_14 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_66, -1, 0), kwargs = {})
#   %select_15 : Tensor "bf16[8, 8, 256, 32][131072, 16384, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_66, -1, 1), kwargs = {})
#   %mul_76 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_15, %convert_element_type_4), kwargs = {})
#   %mul_77 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_15, %convert_element_type_5), kwargs = {})
#   %neg_14 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%select_14,), kwargs = {})
#   %mul_78 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%neg_14, %convert_element_type_5), kwargs = {})
#   %add_35 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_76, %mul_78), kwargs = {})
#   %mul_79 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_14, %convert_element_type_4), kwargs = {})
#   %add_36 : Tensor "bf16[8, 8, 256, 32][65536, 8192, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_77, %mul_79), kwargs = {})
#   %slice_scatter_default_2 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_35, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %slice_scatter_default_3 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default, %add_36, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %add_37 : Tensor "bf16[8, 8, 256, 64][131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%slice_scatter_default_2, %slice_scatter_default_3), kwargs = {})
#   %full_default_4 : Tensor "bf16[3, 8, 8, 256, 64][1048576, 131072, 16384, 64, 1]cuda:0"[num_users=12] = call_function[target=torch.ops.aten.full.default](args = ([3, 8, 8, 256, 64], 0), kwargs = {dtype: torch.bfloat16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %select_scatter_default : Tensor "bf16[3, 8, 8, 256, 64][1048576, 131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %getitem_38, 0, 2), kwargs = {})
#   %select_scatter_default_1 : Tensor "bf16[3, 8, 8, 256, 64][1048576, 131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %add_34, 0, 1), kwargs = {})
#   %add_38 : Tensor "bf16[3, 8, 8, 256, 64][1048576, 131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%select_scatter_default, %select_scatter_default_1), kwargs = {})
#   %select_scatter_default_2 : Tensor "bf16[3, 8, 8, 256, 64][1048576, 131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %add_37, 0, 0), kwargs = {})
#   %add_39 : Tensor "bf16[3, 8, 8, 256, 64][1048576, 131072, 16384, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_38, %select_scatter_default_2), kwargs = {})
#   %permute_45 : Tensor "bf16[8, 256, 3, 8, 64][131072, 64, 1048576, 16384, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%add_39, [1, 3, 0, 2, 4]), kwargs = {})
#   %clone_7 : Tensor "bf16[8, 256, 3, 8, 64][393216, 1536, 512, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_45,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone_7
triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7 = async_compile.triton('triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 4194304}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 18874368}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 3145728
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x2 = ((xindex // 512) % 3)
    x5 = (xindex % 512)
    x6 = xindex // 1536
    x0 = (xindex % 64)
    x1 = ((xindex // 64) % 8)
    x3 = ((xindex // 1536) % 256)
    x4 = xindex // 393216
    x7 = xindex
    tmp3 = tl.load(in_ptr0 + (x5 + 512*x6), None, eviction_policy='evict_last').to(tl.float32)
    tmp8 = tl.load(in_ptr1 + (x0 + 64*x3 + 16384*x1 + 131072*x4), None, eviction_policy='evict_last').to(tl.float32)
    tmp13 = tl.load(in_ptr2 + (x0 + 64*x3 + 16384*x1 + 131072*x4), None, eviction_policy='evict_last').to(tl.float32)
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


# kernel path: /tmp/torchinductor_user/gw/cgwgs2vyr3223e4n24m46vuimycngyx2fgaiiizdxonp3vcjckxv.py
# Topologically Sorted Source Nodes: [rms_norm, linear_1, x, hidden, view_59, view_61, add_30, clone_4, mul_71, sum_2, view_69, clone_8, mul_85, sum_4], Original ATen: [aten._fused_rms_norm, aten._unsafe_view, aten.add, aten.view, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_30 => add_30
#   clone_4 => convert_element_type_95
#   clone_8 => convert_element_type_108
#   hidden => add_25, convert_element_type_70, mean_7, mul_57, pow_16, rsqrt_7
#   linear_1 => view_49
#   mul_71 => mul_71
#   mul_85 => mul_85
#   rms_norm => add_21, convert_element_type_60, mean_6, mul_45, pow_13, rsqrt_6
#   sum_2 => sum_2
#   sum_4 => sum_4
#   view_59 => view_59
#   view_61 => view_61
#   view_69 => view_69
#   x => add_24
# Graph fragment:
#   %mm_23 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_23]
#   %mm_25 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_25]
#   %add_20 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_20]
#   %mm_16 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_16]
#   %buf12 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf12]
#   %mm_29 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_29]
#   %buf0 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf0]
#   %convert_element_type_60 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_20, torch.float32), kwargs = {})
#   %pow_13 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_60, 2), kwargs = {})
#   %mean_6 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_13, [2], True), kwargs = {})
#   %add_21 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_6, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_6 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_21,), kwargs = {})
#   %mul_45 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_60, %rsqrt_6), kwargs = {})
#   %view_49 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_16, [8, 256, 512]), kwargs = {})
#   %add_24 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_20, %view_49), kwargs = {})
#   %convert_element_type_70 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_24, torch.float32), kwargs = {})
#   %pow_16 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_70, 2), kwargs = {})
#   %mean_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_16, [2], True), kwargs = {})
#   %add_25 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_7, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_25,), kwargs = {})
#   %mul_57 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_70, %rsqrt_7), kwargs = {})
#   %view_59 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_23, [8, 256, 512]), kwargs = {})
#   %view_61 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_25, [8, 256, 512]), kwargs = {})
#   %add_30 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%view_59, %view_61), kwargs = {})
#   %convert_element_type_95 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_30, torch.float32), kwargs = {})
#   %mul_71 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_95, %mul_57), kwargs = {})
#   %sum_2 : Tensor "f32[512][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_71, [0, 1]), kwargs = {})
#   %view_69 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_29, [8, 256, 512]), kwargs = {})
#   %convert_element_type_108 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_69, torch.float32), kwargs = {})
#   %mul_85 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_108, %mul_45), kwargs = {})
#   %sum_4 : Tensor "f32[512][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_85, [0, 1]), kwargs = {})
#   return %buf26,%buf42
triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8 = async_compile.triton('triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 8192, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'in_ptr4': '*fp32', 'in_ptr5': '*bf16', 'in_ptr6': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 7, 'num_store': 2, 'num_reduction': 2, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 10616832, 'r0_': 16384}}
)
@triton.jit
def triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 8192
    r0_numel = 128
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = tl.full([XBLOCK], True, tl.int1)[:, None]
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = (xindex % 512)
    x1 = xindex // 512
    _tmp17 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    _tmp29 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 512*r0_2 + 65536*x1), r0_mask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp1 = tl.load(in_ptr1 + (x0 + 512*r0_2 + 65536*x1), r0_mask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp4 = tl.load(in_ptr2 + (x0 + 512*r0_2 + 65536*x1), r0_mask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp5 = tl.load(in_ptr3 + (x0 + 512*r0_2 + 65536*x1), r0_mask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp8 = tl.load(in_ptr4 + (r0_2 + 128*x1), r0_mask, eviction_policy='evict_last', other=0.0)
        tmp19 = tl.load(in_ptr5 + (x0 + 512*r0_2 + 65536*x1), r0_mask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp22 = tl.load(in_ptr6 + (r0_2 + 128*x1), r0_mask, eviction_policy='evict_last', other=0.0)
        tmp2 = tmp0 + tmp1
        tmp3 = tmp2.to(tl.float32)
        tmp6 = tmp4 + tmp5
        tmp7 = tmp6.to(tl.float32)
        tmp9 = tl.full([1, 1], 512.0, tl.float32)
        tmp10 = (tmp8 / tmp9)
        tmp11 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
        tmp12 = tmp10 + tmp11
        tmp13 = libdevice.rsqrt(tmp12)
        tmp14 = tmp7 * tmp13
        tmp15 = tmp3 * tmp14
        tmp16 = tl.broadcast_to(tmp15, [XBLOCK, R0_BLOCK])
        tmp18 = _tmp17 + tmp16
        _tmp17 = tl.where(r0_mask, tmp18, _tmp17)
        tmp20 = tmp19.to(tl.float32)
        tmp21 = tmp4.to(tl.float32)
        tmp23 = (tmp22 / tmp9)
        tmp24 = tmp23 + tmp11
        tmp25 = libdevice.rsqrt(tmp24)
        tmp26 = tmp21 * tmp25
        tmp27 = tmp20 * tmp26
        tmp28 = tl.broadcast_to(tmp27, [XBLOCK, R0_BLOCK])
        tmp30 = _tmp29 + tmp28
        _tmp29 = tl.where(r0_mask, tmp30, _tmp29)
    tmp17 = tl.sum(_tmp17, 1)[:, None]
    tmp29 = tl.sum(_tmp29, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp17, None)
    tl.store(out_ptr1 + (x3), tmp29, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/c3/cc3bud5cegzwvqcto5fe3mmadrptfhul3h2bdwkpz5awpzpfesdz.py
# Topologically Sorted Source Nodes: [linear_1, x, hidden, view_59, view_61, add_30, clone_4, mul_71, sum_2, convert_element_type_99], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_30 => add_30
#   clone_4 => convert_element_type_95
#   convert_element_type_99 => convert_element_type_99
#   hidden => add_25, convert_element_type_70, mean_7, mul_57, pow_16, rsqrt_7
#   linear_1 => view_49
#   mul_71 => mul_71
#   sum_2 => sum_2
#   view_59 => view_59
#   view_61 => view_61
#   x => add_24
# Graph fragment:
#   %buf26 : Tensor "f32[512, 16][1, 512]cuda:0" = PlaceHolder[target=buf26]
#   %sum_2 : Tensor "f32[512][1]cuda:0" = PlaceHolder[target=sum_2]
#   %view_49 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_16, [8, 256, 512]), kwargs = {})
#   %add_24 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_20, %view_49), kwargs = {})
#   %convert_element_type_70 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_24, torch.float32), kwargs = {})
#   %pow_16 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_70, 2), kwargs = {})
#   %mean_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_16, [2], True), kwargs = {})
#   %add_25 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_7, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_7 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_25,), kwargs = {})
#   %mul_57 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_70, %rsqrt_7), kwargs = {})
#   %view_59 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_23, [8, 256, 512]), kwargs = {})
#   %view_61 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_25, [8, 256, 512]), kwargs = {})
#   %add_30 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%view_59, %view_61), kwargs = {})
#   %convert_element_type_95 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_30, torch.float32), kwargs = {})
#   %mul_71 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_95, %mul_57), kwargs = {})
#   %sum_2 : Tensor "f32[512][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_71, [0, 1]), kwargs = {})
#   %convert_element_type_99 : Tensor "bf16[512][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sum_2, torch.bfloat16), kwargs = {})
#   return %sum_2,%convert_element_type_99
triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 512, 'r0_': 16},
    reduction_hint=ReductionHint.OUTER_TINY,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 34816, 'r0_': 0}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9(in_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 512
    r0_numel = 16
    R0_BLOCK: tl.constexpr = 16
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
    tmp0 = tl.load(in_ptr0 + (x0 + 512*r0_1), xmask, other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp5 = tmp4.to(tl.float32)
    tl.store(out_ptr1 + (x0), tmp5, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/gu/cgu5riw3ruwamrciyf55tdj2vbiuq5zk267saq6mwmeem3pr6kjf.py
# Topologically Sorted Source Nodes: [rms_norm, view_69, clone_8, clone_10, mul_80, mul_82, sum_3, div_13, mul_83, sub_10, mul_84, convert_element_type_111, add_40], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward, aten.add]
# Source node to ATen node mapping:
#   add_40 => add_40
#   clone_10 => convert_element_type_110
#   clone_8 => convert_element_type_108
#   convert_element_type_111 => convert_element_type_111
#   div_13 => div_13
#   mul_80 => mul_80
#   mul_82 => mul_82
#   mul_83 => mul_83
#   mul_84 => mul_84
#   rms_norm => add_21, convert_element_type_60, mean_6, mul_45, pow_13, rsqrt_6
#   sub_10 => sub_10
#   sum_3 => sum_3
#   view_69 => view_69
# Graph fragment:
#   %add_20 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_20]
#   %buf0 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf0]
#   %mm_29 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_29]
#   %primals_23 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_23]
#   %add_31 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_31]
#   %sum_3 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=sum_3]
#   %convert_element_type_60 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_20, torch.float32), kwargs = {})
#   %pow_13 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_60, 2), kwargs = {})
#   %mean_6 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_13, [2], True), kwargs = {})
#   %add_21 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_6, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_6 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_21,), kwargs = {})
#   %mul_45 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_60, %rsqrt_6), kwargs = {})
#   %view_69 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_29, [8, 256, 512]), kwargs = {})
#   %convert_element_type_108 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_69, torch.float32), kwargs = {})
#   %convert_element_type_110 : Tensor "f32[512][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_23, torch.float32), kwargs = {})
#   %mul_80 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_108, %convert_element_type_110), kwargs = {})
#   %mul_82 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_45, %mul_80), kwargs = {})
#   %sum_3 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_82, [2], True), kwargs = {})
#   %div_13 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_45, 512), kwargs = {})
#   %mul_83 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_13, %sum_3), kwargs = {})
#   %sub_10 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_80, %mul_83), kwargs = {})
#   %mul_84 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_10, %rsqrt_6), kwargs = {})
#   %convert_element_type_111 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_84, torch.bfloat16), kwargs = {})
#   %add_40 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_31, %convert_element_type_111), kwargs = {})
#   return %sum_3,%add_40
triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*fp32', 'in_ptr2': '*bf16', 'in_ptr3': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 5, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8192, 'r0_': 10486784}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp2 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp9 = tl.load(in_ptr2 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp11 = tl.load(in_ptr3 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp19 = tl.load(in_out_ptr0 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp3 = tl.full([1, 1], 512.0, tl.float32)
    tmp4 = (tmp2 / tmp3)
    tmp5 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp6 = tmp4 + tmp5
    tmp7 = libdevice.rsqrt(tmp6)
    tmp8 = tmp1 * tmp7
    tmp10 = tmp9.to(tl.float32)
    tmp12 = tmp11.to(tl.float32)
    tmp13 = tmp10 * tmp12
    tmp14 = tmp8 * tmp13
    tmp15 = tl.broadcast_to(tmp14, [XBLOCK, R0_BLOCK])
    tmp17 = tl.where(xmask, tmp15, 0)
    tmp18 = tl.sum(tmp17, 1)[:, None].to(tl.float32)
    tmp20 = tl.full([1, 1], 0.001953125, tl.float32)
    tmp21 = tmp8 * tmp20
    tmp22 = tmp21 * tmp18
    tmp23 = tmp13 - tmp22
    tmp24 = tmp23 * tmp7
    tmp25 = tmp24.to(tl.float32)
    tmp26 = tmp19 + tmp25
    tl.store(in_out_ptr0 + (r0_1 + 512*x0), tmp26, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/jq/cjqqclhmtd5ypd6pqnbdci4odvumwfjhc76m3babi7kaaag766g6.py
# Topologically Sorted Source Nodes: [linear_1, x, hidden, view_73, view_75, add_43, clone_11, clone_13, mul_92, mul_94, sum_5, div_14, mul_95, sub_12, mul_96, convert_element_type_131, add_44], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_43 => add_43
#   add_44 => add_44
#   clone_11 => convert_element_type_128
#   clone_13 => convert_element_type_130
#   convert_element_type_131 => convert_element_type_131
#   div_14 => div_14
#   hidden => add_18, convert_element_type_50, mean_5, mul_42, pow_12, rsqrt_5
#   linear_1 => view_35
#   mul_92 => mul_92
#   mul_94 => mul_94
#   mul_95 => mul_95
#   mul_96 => mul_96
#   sub_12 => sub_12
#   sum_5 => sum_5
#   view_73 => view_73
#   view_75 => view_75
#   x => add_17
# Graph fragment:
#   %add_13 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_13]
#   %mm_11 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_11]
#   %buf58 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=buf58]
#   %mm_33 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_33]
#   %mm_35 : Tensor "bf16[2048, 512][512, 1]cuda:0" = PlaceHolder[target=mm_35]
#   %primals_19 : Tensor "bf16[512][1]cuda:0" = PlaceHolder[target=primals_19]
#   %add_40 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0" = PlaceHolder[target=add_40]
#   %sum_5 : Tensor "f32[8, 256, 1][256, 1, 2048]cuda:0" = PlaceHolder[target=sum_5]
#   %view_35 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_11, [8, 256, 512]), kwargs = {})
#   %add_17 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_13, %view_35), kwargs = {})
#   %convert_element_type_50 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_17, torch.float32), kwargs = {})
#   %pow_12 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Tensor_Scalar](args = (%convert_element_type_50, 2), kwargs = {})
#   %mean_5 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mean.dim](args = (%pow_12, [2], True), kwargs = {})
#   %add_18 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Scalar](args = (%mean_5, 1.1920928955078125e-07), kwargs = {})
#   %rsqrt_5 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.rsqrt.default](args = (%add_18,), kwargs = {})
#   %mul_42 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=4] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_50, %rsqrt_5), kwargs = {})
#   %view_73 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_33, [8, 256, 512]), kwargs = {})
#   %view_75 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_35, [8, 256, 512]), kwargs = {})
#   %add_43 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%view_73, %view_75), kwargs = {})
#   %convert_element_type_128 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_43, torch.float32), kwargs = {})
#   %convert_element_type_130 : Tensor "f32[512][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_19, torch.float32), kwargs = {})
#   %mul_92 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_128, %convert_element_type_130), kwargs = {})
#   %mul_94 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_42, %mul_92), kwargs = {})
#   %sum_5 : Tensor "f32[8, 256, 1][256, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_94, [2], True), kwargs = {})
#   %div_14 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_42, 512), kwargs = {})
#   %mul_95 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_14, %sum_5), kwargs = {})
#   %sub_12 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_92, %mul_95), kwargs = {})
#   %mul_96 : Tensor "f32[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_12, %rsqrt_5), kwargs = {})
#   %convert_element_type_131 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_96, torch.bfloat16), kwargs = {})
#   %add_44 : Tensor "bf16[8, 256, 512][131072, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_40, %convert_element_type_131), kwargs = {})
#   return %sum_5,%add_44
triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'in_ptr5': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 7, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8192, 'r0_': 14681088}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp4 = tl.load(in_ptr2 + (x0), xmask, eviction_policy='evict_last')
    tmp11 = tl.load(in_ptr3 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp12 = tl.load(in_ptr4 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp15 = tl.load(in_ptr5 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp23 = tl.load(in_out_ptr0 + (r0_1 + 512*x0), xmask, other=0.0).to(tl.float32)
    tmp2 = tmp0 + tmp1
    tmp3 = tmp2.to(tl.float32)
    tmp5 = tl.full([1, 1], 512.0, tl.float32)
    tmp6 = (tmp4 / tmp5)
    tmp7 = tl.full([1, 1], 1.1920928955078125e-07, tl.float32)
    tmp8 = tmp6 + tmp7
    tmp9 = libdevice.rsqrt(tmp8)
    tmp10 = tmp3 * tmp9
    tmp13 = tmp11 + tmp12
    tmp14 = tmp13.to(tl.float32)
    tmp16 = tmp15.to(tl.float32)
    tmp17 = tmp14 * tmp16
    tmp18 = tmp10 * tmp17
    tmp19 = tl.broadcast_to(tmp18, [XBLOCK, R0_BLOCK])
    tmp21 = tl.where(xmask, tmp19, 0)
    tmp22 = tl.sum(tmp21, 1)[:, None].to(tl.float32)
    tmp24 = tl.full([1, 1], 0.001953125, tl.float32)
    tmp25 = tmp10 * tmp24
    tmp26 = tmp25 * tmp22
    tmp27 = tmp17 - tmp26
    tmp28 = tmp27 * tmp9
    tmp29 = tmp28.to(tl.float32)
    tmp30 = tmp23 + tmp29
    tl.store(in_out_ptr0 + (r0_1 + 512*x0), tmp30, xmask)
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
        primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, convert_element_type_4, convert_element_type_5, add_6, add_13, add_20, tangents_1, bwd_rng_state_0, bwd_rng_state_1, bwd_rng_state_2, bwd_rng_state_3 = args
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
        assert_size_stride(convert_element_type_4, (256, 32), (32, 1))
        assert_size_stride(convert_element_type_5, (256, 32), (32, 1))
        assert_size_stride(add_6, (8, 256, 512), (131072, 512, 1))
        assert_size_stride(add_13, (8, 256, 512), (131072, 512, 1))
        assert_size_stride(add_20, (8, 256, 512), (131072, 512, 1))
        assert_size_stride(tangents_1, (8, 256, 512), (131072, 512, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((8, 256, 1), (256, 1, 2048), torch.float32)
            buf1 = empty_strided_cuda((8, 256, 512), (131072, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_0:48
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_0.run(add_20, primals_23, buf0, buf1, 2048, 512, stream=stream0)
            buf2 = empty_strided_cuda((2048, 1536), (1536, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:49
            extern_kernels.mm(reinterpret_tensor(buf1, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_24, (512, 1536), (1, 512), 0), out=buf2)
            buf46 = empty_strided_cuda((8, 256, 1), (256, 1, 2048), torch.float32)
            buf47 = empty_strided_cuda((8, 256, 512), (131072, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_0:50
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_0.run(add_13, primals_16, buf46, buf47, 2048, 512, stream=stream0)
            buf48 = empty_strided_cuda((2048, 1536), (1536, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:51
            extern_kernels.mm(reinterpret_tensor(buf47, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_17, (512, 1536), (1, 512), 0), out=buf48)
            buf3 = empty_strided_cuda((8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), torch.bfloat16)
            buf4 = empty_strided_cuda((8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), torch.bfloat16)
            buf49 = empty_strided_cuda((8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), torch.bfloat16)
            buf50 = empty_strided_cuda((8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1:52
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1.run(buf2, convert_element_type_4, convert_element_type_5, buf48, buf3, buf4, buf49, buf50, 1048576, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:53
            buf5 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf3, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf4, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf2, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=bwd_rng_state_3)
            buf6 = buf5[0]
            assert_size_stride(buf6, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf6, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf7 = buf5[1]
            assert_size_stride(buf7, (8, 8, 256, 1), (2048, 256, 1, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf7, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf8 = buf5[6]
            assert_size_stride(buf8, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf8, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf9 = buf5[7]
            assert_size_stride(buf9, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf9, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf5
            buf10 = empty_strided_cuda((2048, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_clone_transpose_view_2:54
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_clone_transpose_view_2.run(buf6, buf10, 1048576, stream=stream0)
            buf11 = empty_strided_cuda((2048, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:55
            extern_kernels.mm(buf10, reinterpret_tensor(primals_25, (512, 512), (1, 512), 0), out=buf11)
            buf12 = empty_strided_cuda((8, 256, 1), (256, 1, 2048), torch.float32)
            buf13 = empty_strided_cuda((8, 256, 512), (131072, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_3:56
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_3.run(add_20, buf11, primals_26, buf12, buf13, 2048, 512, stream=stream0)
            buf14 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:57
            extern_kernels.mm(reinterpret_tensor(buf13, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_27, (512, 1024), (1, 512), 0), out=buf14)
            buf15 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:58
            extern_kernels.mm(reinterpret_tensor(buf13, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_28, (512, 1024), (1, 512), 0), out=buf15)
            buf18 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_56, linear_4, permute_30, mm_21], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:59
            extern_kernels.mm(reinterpret_tensor(tangents_1, (2048, 512), (512, 1), 0), primals_29, out=buf18)
            del primals_29
            buf16 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            buf19 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            buf22 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, view_57, mul_60, mul_61, convert_element_type_88, reciprocal, mul_62, mul_63, sub_8, mul_64, add_29, mul_65, convert_element_type_90], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4:60
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4.run(buf14, buf15, buf18, buf16, buf19, buf22, 2097152, stream=stream0)
            del buf14
            del buf15
            buf17 = empty_strided_cuda((512, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_56, permute_28, linear_2, silu, linear_3, mul_10, linear_4, permute_31], Original ATen: [aten.view, aten.t, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:61
            extern_kernels.mm(reinterpret_tensor(tangents_1, (512, 2048), (1, 512), 0), reinterpret_tensor(buf16, (2048, 1024), (1024, 1), 0), out=buf17)
            buf20 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, silu, view_57, mul_60, view_58, permute_32, permute_35], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:62
            extern_kernels.mm(reinterpret_tensor(buf19, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf13, (2048, 512), (512, 1), 0), out=buf20)
            buf21 = empty_strided_cuda((2048, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_57, mul_60, view_58, permute_34, mm_23], Original ATen: [aten._unsafe_view, aten.silu, aten.t, aten.view, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:63
            extern_kernels.mm(reinterpret_tensor(buf19, (2048, 1024), (1024, 1), 0), primals_28, out=buf21)
            del primals_28
            buf23 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, silu, linear_3, view_57, mul_61, convert_element_type_88, reciprocal, mul_62, mul_63, sub_8, mul_64, add_29, mul_65, convert_element_type_90, view_60, permute_36, permute_39], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:64
            extern_kernels.mm(reinterpret_tensor(buf22, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf13, (2048, 512), (512, 1), 0), out=buf23)
            buf24 = reinterpret_tensor(buf13, (2048, 512), (512, 1), 0); del buf13  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_57, mul_61, convert_element_type_88, reciprocal, mul_62, mul_63, sub_8, mul_64, add_29, mul_65, convert_element_type_90, view_60, permute_38, mm_25], Original ATen: [aten.t, aten._unsafe_view, aten.silu, aten.view, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:65
            extern_kernels.mm(reinterpret_tensor(buf22, (2048, 1024), (1024, 1), 0), primals_27, out=buf24)
            del primals_27
            buf29 = empty_strided_cuda((8, 256, 512), (131072, 512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_59, view_61, add_30, clone_4, clone_6, mul_66, mul_68, sum_1, div_12, mul_69, sub_9, mul_70, convert_element_type_98, add_31], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5:66
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_5.run(add_20, buf11, buf12, buf21, buf24, primals_26, tangents_1, buf29, 2048, 512, stream=stream0)
            del primals_26
            del tangents_1
            buf31 = empty_strided_cuda((2048, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, view_62, permute_42, mm_27], Original ATen: [aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:67
            extern_kernels.mm(reinterpret_tensor(buf29, (2048, 512), (512, 1), 0), primals_25, out=buf31)
            del primals_25
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1, view_63, view_64, permute_44, _scaled_dot_product_cudnn_attention_backward], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:68
            buf32 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf31, (8, 8, 256, 64), (131072, 64, 512, 1), 0), reinterpret_tensor(buf3, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf4, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf2, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), buf6, buf7, buf8, buf9, None, None, None, 256, 256, 0.0, True)
            del buf3
            del buf31
            del buf7
            del buf8
            del buf9
            buf35 = buf32[2]
            assert_size_stride(buf35, (8, 8, 256, 64), (131072, 64, 512, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf35, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf33 = buf32[0]
            assert_size_stride(buf33, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf33, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf34 = buf32[1]
            assert_size_stride(buf34, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf34, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf32
            buf36 = buf6; del buf6  # reuse
            buf37 = reinterpret_tensor(buf4, (8, 8, 256, 64), (131072, 16384, 64, 1), 0); del buf4  # reuse
            # Topologically Sorted Source Nodes: [view_65, select_12, select_13, mul_72, mul_73, neg_13, mul_74, add_32, mul_75, add_33, full, _generalized_scatter, _generalized_scatter_1, add_34, view_66, select_14, select_15, mul_76, mul_77, neg_14, mul_78, add_35, mul_79, add_36, _generalized_scatter_2, _generalized_scatter_3, add_37], Original ATen: [aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.slice_backward]
            # [Provenance debug handles] triton_poi_fused_add_mul_neg_select_slice_backward_view_6:69
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_mul_neg_select_slice_backward_view_6.run(buf34, convert_element_type_4, convert_element_type_5, buf33, buf36, buf37, 1048576, stream=stream0)
            del buf33
            del buf34
            buf38 = reinterpret_tensor(buf2, (8, 256, 3, 8, 64), (393216, 1536, 512, 64, 1), 0); del buf2  # reuse
            # Topologically Sorted Source Nodes: [view_65, select_12, select_13, mul_72, mul_73, neg_13, mul_74, add_32, mul_75, add_33, full, _generalized_scatter, _generalized_scatter_1, add_34, view_66, select_14, select_15, mul_76, mul_77, neg_14, mul_78, add_35, mul_79, add_36, _generalized_scatter_2, _generalized_scatter_3, add_37, full_4, _generalized_scatter_4, _generalized_scatter_5, add_38, _generalized_scatter_6, add_39, permute_45, clone_7], Original ATen: [aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.slice_backward, aten.select_backward, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7:70
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7.run(buf35, buf36, buf37, buf38, 3145728, stream=stream0)
            del buf35
            del buf36
            buf40 = reinterpret_tensor(buf37, (2048, 512), (512, 1), 0); del buf37  # reuse
            # Topologically Sorted Source Nodes: [linear, view_65, select_12, select_13, mul_72, mul_73, neg_13, mul_74, add_32, mul_75, add_33, full, _generalized_scatter, _generalized_scatter_1, add_34, view_66, select_14, select_15, mul_76, mul_77, neg_14, mul_78, add_35, mul_79, add_36, _generalized_scatter_2, _generalized_scatter_3, add_37, full_4, _generalized_scatter_4, _generalized_scatter_5, add_38, _generalized_scatter_6, add_39, permute_45, clone_7, view_67, view_68, permute_48, mm_29], Original ATen: [aten.t, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.slice_backward, aten.select_backward, aten.permute, aten.clone, aten._unsafe_view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:71
            extern_kernels.mm(reinterpret_tensor(buf38, (2048, 1536), (1536, 1), 0), primals_24, out=buf40)
            del primals_24
            buf26 = empty_strided_cuda((512, 16), (1, 512), torch.float32)
            buf42 = empty_strided_cuda((512, 16), (1, 512), torch.float32)
            # Topologically Sorted Source Nodes: [rms_norm, linear_1, x, hidden, view_59, view_61, add_30, clone_4, mul_71, sum_2, view_69, clone_8, mul_85, sum_4], Original ATen: [aten._fused_rms_norm, aten._unsafe_view, aten.add, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8:72
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8.run(buf21, buf24, add_20, buf11, buf12, buf40, buf0, buf26, buf42, 8192, 128, stream=stream0)
            del buf11
            buf28 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_59, view_61, add_30, clone_4, mul_71, sum_2, convert_element_type_99], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:73
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf26, buf28, 512, 16, stream=stream0)
            buf30 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_62, permute_40, permute_43], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:74
            extern_kernels.mm(reinterpret_tensor(buf29, (512, 2048), (1, 512), 0), buf10, out=buf30)
            buf39 = empty_strided_cuda((1536, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, linear, view_65, select_12, select_13, mul_72, mul_73, neg_13, mul_74, add_32, mul_75, add_33, full, _generalized_scatter, _generalized_scatter_1, add_34, view_66, select_14, select_15, mul_76, mul_77, neg_14, mul_78, add_35, mul_79, add_36, _generalized_scatter_2, _generalized_scatter_3, add_37, full_4, _generalized_scatter_4, _generalized_scatter_5, add_38, _generalized_scatter_6, add_39, permute_45, clone_7, view_67, view_68, permute_46, permute_49], Original ATen: [aten._fused_rms_norm, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.slice_backward, aten.select_backward, aten.permute, aten.clone, aten._unsafe_view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:75
            extern_kernels.mm(reinterpret_tensor(buf38, (1536, 2048), (1, 1536), 0), reinterpret_tensor(buf1, (2048, 512), (512, 1), 0), out=buf39)
            buf45 = buf29; del buf29  # reuse
            # Topologically Sorted Source Nodes: [rms_norm, view_69, clone_8, clone_10, mul_80, mul_82, sum_3, div_13, mul_83, sub_10, mul_84, convert_element_type_111, add_40], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward, aten.add]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10:76
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10.run(buf45, add_20, buf0, buf40, primals_23, 2048, 512, stream=stream0)
            del add_20
            del primals_23
            buf44 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, view_69, clone_8, mul_85, sum_4, convert_element_type_112], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:77
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf42, buf44, 512, 16, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:78
            buf51 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf49, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf50, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf48, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=bwd_rng_state_2)
            buf52 = buf51[0]
            assert_size_stride(buf52, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf52, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf53 = buf51[1]
            assert_size_stride(buf53, (8, 8, 256, 1), (2048, 256, 1, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf53, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf54 = buf51[6]
            assert_size_stride(buf54, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf54, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf55 = buf51[7]
            assert_size_stride(buf55, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf55, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf51
            buf56 = buf40; del buf40  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_clone_transpose_view_2:79
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_clone_transpose_view_2.run(buf52, buf56, 1048576, stream=stream0)
            buf57 = reinterpret_tensor(buf1, (2048, 512), (512, 1), 0); del buf1  # reuse
            # Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:80
            extern_kernels.mm(buf56, reinterpret_tensor(primals_18, (512, 512), (1, 512), 0), out=buf57)
            buf58 = buf0; del buf0  # reuse
            buf59 = reinterpret_tensor(buf10, (8, 256, 512), (131072, 512, 1), 0); del buf10  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_3:81
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_3.run(add_13, buf57, primals_19, buf58, buf59, 2048, 512, stream=stream0)
            buf60 = reinterpret_tensor(buf22, (2048, 1024), (1024, 1), 0); del buf22  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:82
            extern_kernels.mm(reinterpret_tensor(buf59, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_20, (512, 1024), (1, 512), 0), out=buf60)
            buf61 = reinterpret_tensor(buf19, (2048, 1024), (1024, 1), 0); del buf19  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:83
            extern_kernels.mm(reinterpret_tensor(buf59, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_21, (512, 1024), (1, 512), 0), out=buf61)
            buf64 = reinterpret_tensor(buf16, (2048, 1024), (1024, 1), 0); del buf16  # reuse
            # Topologically Sorted Source Nodes: [view_70, linear_4, permute_52, mm_31], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:84
            extern_kernels.mm(reinterpret_tensor(buf45, (2048, 512), (512, 1), 0), primals_22, out=buf64)
            del primals_22
            buf62 = reinterpret_tensor(buf18, (8, 256, 1024), (262144, 1024, 1), 0); del buf18  # reuse
            buf65 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            buf68 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, view_71, mul_86, mul_87, convert_element_type_121, reciprocal_1, mul_88, mul_89, sub_11, mul_90, add_42, mul_91, convert_element_type_123], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4:85
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4.run(buf60, buf61, buf64, buf62, buf65, buf68, 2097152, stream=stream0)
            del buf60
            del buf61
            buf63 = empty_strided_cuda((512, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_70, permute_50, linear_2, silu, linear_3, mul_10, linear_4, permute_53], Original ATen: [aten.view, aten.t, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:86
            extern_kernels.mm(reinterpret_tensor(buf45, (512, 2048), (1, 512), 0), reinterpret_tensor(buf62, (2048, 1024), (1024, 1), 0), out=buf63)
            buf66 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, silu, view_71, mul_86, view_72, permute_54, permute_57], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:87
            extern_kernels.mm(reinterpret_tensor(buf65, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf59, (2048, 512), (512, 1), 0), out=buf66)
            buf67 = buf24; del buf24  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_71, mul_86, view_72, permute_56, mm_33], Original ATen: [aten._unsafe_view, aten.silu, aten.t, aten.view, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:88
            extern_kernels.mm(reinterpret_tensor(buf65, (2048, 1024), (1024, 1), 0), primals_21, out=buf67)
            del primals_21
            buf69 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, silu, linear_3, view_71, mul_87, convert_element_type_121, reciprocal_1, mul_88, mul_89, sub_11, mul_90, add_42, mul_91, convert_element_type_123, view_74, permute_58, permute_61], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:89
            extern_kernels.mm(reinterpret_tensor(buf68, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf59, (2048, 512), (512, 1), 0), out=buf69)
            buf70 = reinterpret_tensor(buf59, (2048, 512), (512, 1), 0); del buf59  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_71, mul_87, convert_element_type_121, reciprocal_1, mul_88, mul_89, sub_11, mul_90, add_42, mul_91, convert_element_type_123, view_74, permute_60, mm_35], Original ATen: [aten.t, aten._unsafe_view, aten.silu, aten.view, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:90
            extern_kernels.mm(reinterpret_tensor(buf68, (2048, 1024), (1024, 1), 0), primals_20, out=buf70)
            del primals_20
            buf75 = buf45; del buf45  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_73, view_75, add_43, clone_11, clone_13, mul_92, mul_94, sum_5, div_14, mul_95, sub_12, mul_96, convert_element_type_131, add_44], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11:91
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11.run(buf75, add_13, buf57, buf58, buf67, buf70, primals_19, 2048, 512, stream=stream0)
            del primals_19
            buf77 = buf21; del buf21  # reuse
            # Topologically Sorted Source Nodes: [linear_1, view_76, permute_64, mm_37], Original ATen: [aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:92
            extern_kernels.mm(reinterpret_tensor(buf75, (2048, 512), (512, 1), 0), primals_18, out=buf77)
            del primals_18
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1, view_77, view_78, permute_66, _scaled_dot_product_cudnn_attention_backward_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:93
            buf78 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf77, (8, 8, 256, 64), (131072, 64, 512, 1), 0), reinterpret_tensor(buf49, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf50, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf48, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), buf52, buf53, buf54, buf55, None, None, None, 256, 256, 0.0, True)
            del buf49
            del buf50
            del buf53
            del buf54
            del buf55
            buf81 = buf78[2]
            assert_size_stride(buf81, (8, 8, 256, 64), (131072, 64, 512, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf81, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf79 = buf78[0]
            assert_size_stride(buf79, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf79, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf80 = buf78[1]
            assert_size_stride(buf80, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf80, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf78
            buf82 = reinterpret_tensor(buf77, (8, 8, 256, 64), (131072, 16384, 64, 1), 0); del buf77  # reuse
            buf83 = buf52; del buf52  # reuse
            # Topologically Sorted Source Nodes: [full, view_79, select_16, select_17, mul_98, mul_99, neg_16, mul_100, add_45, mul_101, add_46, _generalized_scatter_7, _generalized_scatter_8, add_47, view_80, select_18, select_19, mul_102, mul_103, neg_17, mul_104, add_48, mul_105, add_49, _generalized_scatter_9, _generalized_scatter_10, add_50], Original ATen: [aten.slice_backward, aten.view, aten.select, aten.mul, aten.neg, aten.add]
            # [Provenance debug handles] triton_poi_fused_add_mul_neg_select_slice_backward_view_6:94
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_mul_neg_select_slice_backward_view_6.run(buf80, convert_element_type_4, convert_element_type_5, buf79, buf82, buf83, 1048576, stream=stream0)
            del buf79
            buf84 = reinterpret_tensor(buf48, (8, 256, 3, 8, 64), (393216, 1536, 512, 64, 1), 0); del buf48  # reuse
            # Topologically Sorted Source Nodes: [full, full_4, view_79, select_16, select_17, mul_98, mul_99, neg_16, mul_100, add_45, mul_101, add_46, _generalized_scatter_7, _generalized_scatter_8, add_47, view_80, select_18, select_19, mul_102, mul_103, neg_17, mul_104, add_48, mul_105, add_49, _generalized_scatter_9, _generalized_scatter_10, add_50, _generalized_scatter_11, _generalized_scatter_12, add_51, _generalized_scatter_13, add_52, permute_67, clone_14], Original ATen: [aten.slice_backward, aten.select_backward, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7:95
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7.run(buf81, buf82, buf83, buf84, 3145728, stream=stream0)
            buf86 = reinterpret_tensor(buf83, (2048, 512), (512, 1), 0); del buf83  # reuse
            # Topologically Sorted Source Nodes: [full, full_4, linear, view_79, select_16, select_17, mul_98, mul_99, neg_16, mul_100, add_45, mul_101, add_46, _generalized_scatter_7, _generalized_scatter_8, add_47, view_80, select_18, select_19, mul_102, mul_103, neg_17, mul_104, add_48, mul_105, add_49, _generalized_scatter_9, _generalized_scatter_10, add_50, _generalized_scatter_11, _generalized_scatter_12, add_51, _generalized_scatter_13, add_52, permute_67, clone_14, view_81, view_82, permute_70, mm_39], Original ATen: [aten.slice_backward, aten.select_backward, aten.t, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:96
            extern_kernels.mm(reinterpret_tensor(buf84, (2048, 1536), (1536, 1), 0), primals_17, out=buf86)
            del primals_17
            buf72 = buf42; del buf42  # reuse
            buf88 = buf26; del buf26  # reuse
            # Topologically Sorted Source Nodes: [rms_norm, linear_1, x, hidden, view_73, view_75, add_43, clone_11, mul_97, sum_6, view_83, clone_15, mul_111, sum_8], Original ATen: [aten._fused_rms_norm, aten._unsafe_view, aten.add, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8:97
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8.run(buf67, buf70, add_13, buf57, buf58, buf86, buf46, buf72, buf88, 8192, 128, stream=stream0)
            buf74 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_73, view_75, add_43, clone_11, mul_97, sum_6, convert_element_type_132], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:98
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf72, buf74, 512, 16, stream=stream0)
            del buf72
            buf76 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_76, permute_62, permute_65], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:99
            extern_kernels.mm(reinterpret_tensor(buf75, (512, 2048), (1, 512), 0), buf56, out=buf76)
            buf85 = empty_strided_cuda((1536, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [full, full_4, rms_norm, linear, view_79, select_16, select_17, mul_98, mul_99, neg_16, mul_100, add_45, mul_101, add_46, _generalized_scatter_7, _generalized_scatter_8, add_47, view_80, select_18, select_19, mul_102, mul_103, neg_17, mul_104, add_48, mul_105, add_49, _generalized_scatter_9, _generalized_scatter_10, add_50, _generalized_scatter_11, _generalized_scatter_12, add_51, _generalized_scatter_13, add_52, permute_67, clone_14, view_81, view_82, permute_68, permute_71], Original ATen: [aten.slice_backward, aten.select_backward, aten._fused_rms_norm, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:100
            extern_kernels.mm(reinterpret_tensor(buf84, (1536, 2048), (1, 1536), 0), reinterpret_tensor(buf47, (2048, 512), (512, 1), 0), out=buf85)
            buf91 = buf75; del buf75  # reuse
            # Topologically Sorted Source Nodes: [rms_norm, view_83, clone_15, clone_17, mul_106, mul_108, sum_7, div_15, mul_109, sub_13, mul_110, convert_element_type_144, add_53], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward, aten.add]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10:101
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10.run(buf91, add_13, buf46, buf86, primals_16, 2048, 512, stream=stream0)
            del add_13
            del primals_16
            buf90 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, view_83, clone_15, mul_111, sum_8, convert_element_type_145], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:102
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf88, buf90, 512, 16, stream=stream0)
            del buf88
            buf92 = buf46; del buf46  # reuse
            buf93 = reinterpret_tensor(buf86, (8, 256, 512), (131072, 512, 1), 0); del buf86  # reuse
            # Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_0:103
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_0.run(add_6, primals_9, buf92, buf93, 2048, 512, stream=stream0)
            buf94 = reinterpret_tensor(buf84, (2048, 1536), (1536, 1), 0); del buf84  # reuse
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:104
            extern_kernels.mm(reinterpret_tensor(buf93, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_10, (512, 1536), (1, 512), 0), out=buf94)
            buf138 = buf58; del buf58  # reuse
            buf139 = buf47; del buf47  # reuse
            # Topologically Sorted Source Nodes: [rms_norm], Original ATen: [aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_0:105
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_0.run(primals_1, primals_2, buf138, buf139, 2048, 512, stream=stream0)
            del primals_2
            buf140 = reinterpret_tensor(buf38, (2048, 1536), (1536, 1), 0); del buf38  # reuse
            # Topologically Sorted Source Nodes: [rms_norm, linear], Original ATen: [aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:106
            extern_kernels.mm(reinterpret_tensor(buf139, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_3, (512, 1536), (1, 512), 0), out=buf140)
            buf95 = reinterpret_tensor(buf56, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf56  # reuse
            buf96 = reinterpret_tensor(buf70, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf70  # reuse
            buf141 = reinterpret_tensor(buf67, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf67  # reuse
            buf142 = reinterpret_tensor(buf57, (8, 8, 256, 32, 2), (131072, 16384, 64, 2, 1), 0); del buf57  # reuse
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1:107
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_add_mul_permute_select_slice_stack_sub_view_1.run(buf94, convert_element_type_4, convert_element_type_5, buf140, buf95, buf96, buf141, buf142, 1048576, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:108
            buf97 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf95, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf96, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf94, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=bwd_rng_state_1)
            buf98 = buf97[0]
            assert_size_stride(buf98, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf98, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf99 = buf97[1]
            assert_size_stride(buf99, (8, 8, 256, 1), (2048, 256, 1, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf99, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf100 = buf97[6]
            assert_size_stride(buf100, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf100, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf101 = buf97[7]
            assert_size_stride(buf101, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf101, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf97
            buf102 = reinterpret_tensor(buf82, (2048, 512), (512, 1), 0); del buf82  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_clone_transpose_view_2:109
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_clone_transpose_view_2.run(buf98, buf102, 1048576, stream=stream0)
            buf103 = reinterpret_tensor(buf81, (2048, 512), (512, 1), 0); del buf81  # reuse
            # Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:110
            extern_kernels.mm(buf102, reinterpret_tensor(primals_11, (512, 512), (1, 512), 0), out=buf103)
            buf104 = buf12; del buf12  # reuse
            buf105 = reinterpret_tensor(buf80, (8, 256, 512), (131072, 512, 1), 0); del buf80  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_3:111
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_3.run(add_6, buf103, primals_12, buf104, buf105, 2048, 512, stream=stream0)
            buf106 = reinterpret_tensor(buf68, (2048, 1024), (1024, 1), 0); del buf68  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:112
            extern_kernels.mm(reinterpret_tensor(buf105, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_13, (512, 1024), (1, 512), 0), out=buf106)
            buf107 = reinterpret_tensor(buf65, (2048, 1024), (1024, 1), 0); del buf65  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:113
            extern_kernels.mm(reinterpret_tensor(buf105, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_14, (512, 1024), (1, 512), 0), out=buf107)
            buf110 = reinterpret_tensor(buf62, (2048, 1024), (1024, 1), 0); del buf62  # reuse
            # Topologically Sorted Source Nodes: [view_84, linear_4, permute_74, mm_41], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:114
            extern_kernels.mm(reinterpret_tensor(buf91, (2048, 512), (512, 1), 0), primals_15, out=buf110)
            del primals_15
            buf108 = reinterpret_tensor(buf64, (8, 256, 1024), (262144, 1024, 1), 0); del buf64  # reuse
            buf111 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            buf114 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, view_85, mul_112, mul_113, convert_element_type_154, reciprocal_2, mul_114, mul_115, sub_14, mul_116, add_55, mul_117, convert_element_type_156], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4:115
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4.run(buf106, buf107, buf110, buf108, buf111, buf114, 2097152, stream=stream0)
            del buf106
            del buf107
            del buf110
            buf109 = empty_strided_cuda((512, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_84, permute_72, linear_2, silu, linear_3, mul_10, linear_4, permute_75], Original ATen: [aten.view, aten.t, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:116
            extern_kernels.mm(reinterpret_tensor(buf91, (512, 2048), (1, 512), 0), reinterpret_tensor(buf108, (2048, 1024), (1024, 1), 0), out=buf109)
            del buf108
            buf112 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2, silu, view_85, mul_112, view_86, permute_76, permute_79], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:117
            extern_kernels.mm(reinterpret_tensor(buf111, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf105, (2048, 512), (512, 1), 0), out=buf112)
            buf113 = empty_strided_cuda((2048, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_85, mul_112, view_86, permute_78, mm_43], Original ATen: [aten._unsafe_view, aten.silu, aten.t, aten.view, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:118
            extern_kernels.mm(reinterpret_tensor(buf111, (2048, 1024), (1024, 1), 0), primals_14, out=buf113)
            del primals_14
            buf115 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, linear_2, silu, linear_3, view_85, mul_113, convert_element_type_154, reciprocal_2, mul_114, mul_115, sub_14, mul_116, add_55, mul_117, convert_element_type_156, view_88, permute_80, permute_83], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:119
            extern_kernels.mm(reinterpret_tensor(buf114, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf105, (2048, 512), (512, 1), 0), out=buf115)
            buf116 = reinterpret_tensor(buf105, (2048, 512), (512, 1), 0); del buf105  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_85, mul_113, convert_element_type_154, reciprocal_2, mul_114, mul_115, sub_14, mul_116, add_55, mul_117, convert_element_type_156, view_88, permute_82, mm_45], Original ATen: [aten.t, aten._unsafe_view, aten.silu, aten.view, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:120
            extern_kernels.mm(reinterpret_tensor(buf114, (2048, 1024), (1024, 1), 0), primals_13, out=buf116)
            del primals_13
            buf121 = buf91; del buf91  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, view_87, view_89, add_56, clone_18, clone_20, mul_118, mul_120, sum_9, div_16, mul_121, sub_15, mul_122, convert_element_type_164, add_57], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11:121
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11.run(buf121, add_6, buf103, buf104, buf113, buf116, primals_12, 2048, 512, stream=stream0)
            del primals_12
            buf123 = empty_strided_cuda((2048, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, view_90, permute_86, mm_47], Original ATen: [aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:122
            extern_kernels.mm(reinterpret_tensor(buf121, (2048, 512), (512, 1), 0), primals_11, out=buf123)
            del primals_11
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1, view_91, view_92, permute_88, _scaled_dot_product_cudnn_attention_backward_2], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:123
            buf124 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf123, (8, 8, 256, 64), (131072, 64, 512, 1), 0), reinterpret_tensor(buf95, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf96, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf94, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), buf98, buf99, buf100, buf101, None, None, None, 256, 256, 0.0, True)
            del buf100
            del buf101
            del buf123
            del buf95
            del buf99
            buf127 = buf124[2]
            assert_size_stride(buf127, (8, 8, 256, 64), (131072, 64, 512, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf127, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf125 = buf124[0]
            assert_size_stride(buf125, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf125, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf126 = buf124[1]
            assert_size_stride(buf126, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf126, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf124
            buf128 = buf98; del buf98  # reuse
            buf129 = reinterpret_tensor(buf96, (8, 8, 256, 64), (131072, 16384, 64, 1), 0); del buf96  # reuse
            # Topologically Sorted Source Nodes: [full, view_93, select_20, select_21, mul_124, mul_125, neg_19, mul_126, add_58, mul_127, add_59, _generalized_scatter_14, _generalized_scatter_15, add_60, view_94, select_22, select_23, mul_128, mul_129, neg_20, mul_130, add_61, mul_131, add_62, _generalized_scatter_16, _generalized_scatter_17, add_63], Original ATen: [aten.slice_backward, aten.view, aten.select, aten.mul, aten.neg, aten.add]
            # [Provenance debug handles] triton_poi_fused_add_mul_neg_select_slice_backward_view_6:124
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_mul_neg_select_slice_backward_view_6.run(buf126, convert_element_type_4, convert_element_type_5, buf125, buf128, buf129, 1048576, stream=stream0)
            del buf125
            del buf126
            buf130 = reinterpret_tensor(buf94, (8, 256, 3, 8, 64), (393216, 1536, 512, 64, 1), 0); del buf94  # reuse
            # Topologically Sorted Source Nodes: [full, full_4, view_93, select_20, select_21, mul_124, mul_125, neg_19, mul_126, add_58, mul_127, add_59, _generalized_scatter_14, _generalized_scatter_15, add_60, view_94, select_22, select_23, mul_128, mul_129, neg_20, mul_130, add_61, mul_131, add_62, _generalized_scatter_16, _generalized_scatter_17, add_63, _generalized_scatter_18, _generalized_scatter_19, add_64, _generalized_scatter_20, add_65, permute_89, clone_21], Original ATen: [aten.slice_backward, aten.select_backward, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7:125
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7.run(buf127, buf128, buf129, buf130, 3145728, stream=stream0)
            del buf127
            del buf128
            buf132 = reinterpret_tensor(buf129, (2048, 512), (512, 1), 0); del buf129  # reuse
            # Topologically Sorted Source Nodes: [full, full_4, linear, view_93, select_20, select_21, mul_124, mul_125, neg_19, mul_126, add_58, mul_127, add_59, _generalized_scatter_14, _generalized_scatter_15, add_60, view_94, select_22, select_23, mul_128, mul_129, neg_20, mul_130, add_61, mul_131, add_62, _generalized_scatter_16, _generalized_scatter_17, add_63, _generalized_scatter_18, _generalized_scatter_19, add_64, _generalized_scatter_20, add_65, permute_89, clone_21, view_95, view_96, permute_92, mm_49], Original ATen: [aten.slice_backward, aten.select_backward, aten.t, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:126
            extern_kernels.mm(reinterpret_tensor(buf130, (2048, 1536), (1536, 1), 0), primals_10, out=buf132)
            del primals_10
            buf118 = empty_strided_cuda((512, 16), (1, 512), torch.float32)
            buf134 = empty_strided_cuda((512, 16), (1, 512), torch.float32)
            # Topologically Sorted Source Nodes: [rms_norm, linear_1, x_1, hidden, view_87, view_89, add_56, clone_18, mul_123, sum_10, view_97, clone_22, mul_137, sum_12], Original ATen: [aten._fused_rms_norm, aten._unsafe_view, aten.add, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8:127
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8.run(buf113, buf116, add_6, buf103, buf104, buf132, buf92, buf118, buf134, 8192, 128, stream=stream0)
            del buf103
            del buf104
            buf120 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x_1, hidden, view_87, view_89, add_56, clone_18, mul_123, sum_10, convert_element_type_165], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:128
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf118, buf120, 512, 16, stream=stream0)
            buf122 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_90, permute_84, permute_87], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:129
            extern_kernels.mm(reinterpret_tensor(buf121, (512, 2048), (1, 512), 0), buf102, out=buf122)
            buf131 = empty_strided_cuda((1536, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [full, full_4, rms_norm, linear, view_93, select_20, select_21, mul_124, mul_125, neg_19, mul_126, add_58, mul_127, add_59, _generalized_scatter_14, _generalized_scatter_15, add_60, view_94, select_22, select_23, mul_128, mul_129, neg_20, mul_130, add_61, mul_131, add_62, _generalized_scatter_16, _generalized_scatter_17, add_63, _generalized_scatter_18, _generalized_scatter_19, add_64, _generalized_scatter_20, add_65, permute_89, clone_21, view_95, view_96, permute_90, permute_93], Original ATen: [aten.slice_backward, aten.select_backward, aten._fused_rms_norm, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:130
            extern_kernels.mm(reinterpret_tensor(buf130, (1536, 2048), (1, 1536), 0), reinterpret_tensor(buf93, (2048, 512), (512, 1), 0), out=buf131)
            del buf130
            buf137 = buf121; del buf121  # reuse
            # Topologically Sorted Source Nodes: [rms_norm, view_97, clone_22, clone_24, mul_132, mul_134, sum_11, div_17, mul_135, sub_16, mul_136, convert_element_type_177, add_66], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward, aten.add]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10:131
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_10.run(buf137, add_6, buf92, buf132, primals_9, 2048, 512, stream=stream0)
            del add_6
            del primals_9
            buf136 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, view_97, clone_22, mul_137, sum_12, convert_element_type_178], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:132
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf134, buf136, 512, 16, stream=stream0)
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack]
            # [Provenance debug handles] torch.ops.higher_order.graphsafe_run_with_rng_state:133
            buf143 = torch.ops.higher_order.graphsafe_run_with_rng_state(torch.ops.aten._scaled_dot_product_cudnn_attention.default, reinterpret_tensor(buf141, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf142, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf140, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), None, True, 0.0, True, rng_state=bwd_rng_state_0)
            buf144 = buf143[0]
            assert_size_stride(buf144, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf144, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf145 = buf143[1]
            assert_size_stride(buf145, (8, 8, 256, 1), (2048, 256, 1, 1), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf145, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf146 = buf143[6]
            assert_size_stride(buf146, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf146, 16, 'torch.ops.graphsafe_run_with_rng_state')
            buf147 = buf143[7]
            assert_size_stride(buf147, (), (), 'torch.ops.graphsafe_run_with_rng_state')
            assert_alignment(buf147, 16, 'torch.ops.graphsafe_run_with_rng_state')
            del buf143
            buf148 = buf132; del buf132  # reuse
            # Topologically Sorted Source Nodes: [transpose, reshape, linear_1], Original ATen: [aten.transpose, aten.clone, aten._unsafe_view, aten.view]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_clone_transpose_view_2:134
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_clone_transpose_view_2.run(buf144, buf148, 1048576, stream=stream0)
            buf149 = reinterpret_tensor(buf93, (2048, 512), (512, 1), 0); del buf93  # reuse
            # Topologically Sorted Source Nodes: [linear_1], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:135
            extern_kernels.mm(buf148, reinterpret_tensor(primals_4, (512, 512), (1, 512), 0), out=buf149)
            buf150 = buf92; del buf92  # reuse
            buf151 = reinterpret_tensor(buf102, (8, 256, 512), (131072, 512, 1), 0); del buf102  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__unsafe_view_add_3:136
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__unsafe_view_add_3.run(primals_1, buf149, primals_5, buf150, buf151, 2048, 512, stream=stream0)
            buf152 = reinterpret_tensor(buf114, (2048, 1024), (1024, 1), 0); del buf114  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.t, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:137
            extern_kernels.mm(reinterpret_tensor(buf151, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_6, (512, 1024), (1, 512), 0), out=buf152)
            buf153 = reinterpret_tensor(buf111, (2048, 1024), (1024, 1), 0); del buf111  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, linear_3], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:138
            extern_kernels.mm(reinterpret_tensor(buf151, (2048, 512), (512, 1), 0), reinterpret_tensor(primals_7, (512, 1024), (1, 512), 0), out=buf153)
            buf156 = empty_strided_cuda((2048, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_98, linear_4, permute_96, mm_51], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:139
            extern_kernels.mm(reinterpret_tensor(buf137, (2048, 512), (512, 1), 0), primals_8, out=buf156)
            del primals_8
            buf154 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            buf157 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            buf160 = empty_strided_cuda((8, 256, 1024), (262144, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, mul_10, view_99, mul_138, mul_139, convert_element_type_187, reciprocal_3, mul_140, mul_141, sub_17, mul_142, add_68, mul_143, convert_element_type_189], Original ATen: [aten._unsafe_view, aten.silu, aten.mul, aten.view, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4:140
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_4.run(buf152, buf153, buf156, buf154, buf157, buf160, 2097152, stream=stream0)
            del buf152
            del buf153
            del buf156
            buf155 = empty_strided_cuda((512, 1024), (1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_98, permute_94, linear_2, silu, linear_3, mul_10, linear_4, permute_97], Original ATen: [aten.view, aten.t, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:141
            extern_kernels.mm(reinterpret_tensor(buf137, (512, 2048), (1, 512), 0), reinterpret_tensor(buf154, (2048, 1024), (1024, 1), 0), out=buf155)
            del buf154
            buf158 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, silu, view_99, mul_138, view_100, permute_98, permute_101], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:142
            extern_kernels.mm(reinterpret_tensor(buf157, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf151, (2048, 512), (512, 1), 0), out=buf158)
            buf159 = buf116; del buf116  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_99, mul_138, view_100, permute_100, mm_53], Original ATen: [aten._unsafe_view, aten.silu, aten.t, aten.view, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:143
            extern_kernels.mm(reinterpret_tensor(buf157, (2048, 1024), (1024, 1), 0), primals_7, out=buf159)
            del buf157
            del primals_7
            buf161 = empty_strided_cuda((1024, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, linear_2, silu, linear_3, view_99, mul_139, convert_element_type_187, reciprocal_3, mul_140, mul_141, sub_17, mul_142, add_68, mul_143, convert_element_type_189, view_102, permute_102, permute_105], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:144
            extern_kernels.mm(reinterpret_tensor(buf160, (1024, 2048), (1, 1024), 0), reinterpret_tensor(buf151, (2048, 512), (512, 1), 0), out=buf161)
            buf162 = reinterpret_tensor(buf151, (2048, 512), (512, 1), 0); del buf151  # reuse
            # Topologically Sorted Source Nodes: [linear_2, silu, linear_3, view_99, mul_139, convert_element_type_187, reciprocal_3, mul_140, mul_141, sub_17, mul_142, add_68, mul_143, convert_element_type_189, view_102, permute_104, mm_55], Original ATen: [aten.t, aten._unsafe_view, aten.silu, aten.view, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:145
            extern_kernels.mm(reinterpret_tensor(buf160, (2048, 1024), (1024, 1), 0), primals_6, out=buf162)
            del buf160
            del primals_6
            buf167 = buf137; del buf137  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_101, view_103, add_69, clone_25, clone_27, mul_144, mul_146, sum_13, div_18, mul_147, sub_18, mul_148, convert_element_type_197, add_70], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11:146
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_11.run(buf167, primals_1, buf149, buf150, buf159, buf162, primals_5, 2048, 512, stream=stream0)
            del primals_5
            buf169 = buf113; del buf113  # reuse
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_101, view_103, add_69, clone_25, clone_27, mul_144, div_18, mul_147, sub_18, mul_148, convert_element_type_197, add_70, view_104, permute_108, mm_57], Original ATen: [aten.t, aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:147
            extern_kernels.mm(reinterpret_tensor(buf167, (2048, 512), (512, 1), 0), primals_4, out=buf169)
            del primals_4
            # Topologically Sorted Source Nodes: [linear, mixed, permute, q, k, v, even, odd, mul_1, mul_2, sub, mul_3, mul_4, add, stack, flatten, even_1, odd_1, mul_6, mul_7, sub_1, mul_8, mul_9, add_1, stack_1, flatten_1, view_105, view_106, permute_110, _scaled_dot_product_cudnn_attention_backward_3], Original ATen: [aten._unsafe_view, aten.view, aten.permute, aten.select, aten.slice, aten.mul, aten.sub, aten.add, aten.stack, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:148
            buf170 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf169, (8, 8, 256, 64), (131072, 64, 512, 1), 0), reinterpret_tensor(buf141, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf142, (8, 8, 256, 64), (131072, 16384, 64, 1), 0), reinterpret_tensor(buf140, (8, 8, 256, 64), (393216, 64, 1536, 1), 1024), buf144, buf145, buf146, buf147, None, None, None, 256, 256, 0.0, True)
            del buf141
            del buf142
            del buf145
            del buf146
            del buf147
            buf173 = buf170[2]
            assert_size_stride(buf173, (8, 8, 256, 64), (131072, 64, 512, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf173, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf171 = buf170[0]
            assert_size_stride(buf171, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf171, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf172 = buf170[1]
            assert_size_stride(buf172, (8, 8, 256, 64), (131072, 16384, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf172, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf170
            buf174 = reinterpret_tensor(buf169, (8, 8, 256, 64), (131072, 16384, 64, 1), 0); del buf169  # reuse
            buf175 = buf144; del buf144  # reuse
            # Topologically Sorted Source Nodes: [full, view_107, select_24, select_25, mul_150, mul_151, neg_22, mul_152, add_71, mul_153, add_72, _generalized_scatter_21, _generalized_scatter_22, add_73, view_108, select_26, select_27, mul_154, mul_155, neg_23, mul_156, add_74, mul_157, add_75, _generalized_scatter_23, _generalized_scatter_24, add_76], Original ATen: [aten.slice_backward, aten.view, aten.select, aten.mul, aten.neg, aten.add]
            # [Provenance debug handles] triton_poi_fused_add_mul_neg_select_slice_backward_view_6:149
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_mul_neg_select_slice_backward_view_6.run(buf172, convert_element_type_4, convert_element_type_5, buf171, buf174, buf175, 1048576, stream=stream0)
            del buf171
            del buf172
            del convert_element_type_4
            del convert_element_type_5
            buf176 = reinterpret_tensor(buf140, (8, 256, 3, 8, 64), (393216, 1536, 512, 64, 1), 0); del buf140  # reuse
            # Topologically Sorted Source Nodes: [full, full_4, view_107, select_24, select_25, mul_150, mul_151, neg_22, mul_152, add_71, mul_153, add_72, _generalized_scatter_21, _generalized_scatter_22, add_73, view_108, select_26, select_27, mul_154, mul_155, neg_23, mul_156, add_74, mul_157, add_75, _generalized_scatter_23, _generalized_scatter_24, add_76, _generalized_scatter_25, _generalized_scatter_26, add_77, _generalized_scatter_27, add_78, permute_111, clone_28], Original ATen: [aten.slice_backward, aten.select_backward, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7:150
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_mul_neg_permute_select_select_backward_slice_backward_view_7.run(buf173, buf174, buf175, buf176, 3145728, stream=stream0)
            del buf173
            del buf174
            buf178 = reinterpret_tensor(buf175, (2048, 512), (512, 1), 0); del buf175  # reuse
            # Topologically Sorted Source Nodes: [full, full_4, linear, view_107, select_24, select_25, mul_150, mul_151, neg_22, mul_152, add_71, mul_153, add_72, _generalized_scatter_21, _generalized_scatter_22, add_73, view_108, select_26, select_27, mul_154, mul_155, neg_23, mul_156, add_74, mul_157, add_75, _generalized_scatter_23, _generalized_scatter_24, add_76, _generalized_scatter_25, _generalized_scatter_26, add_77, _generalized_scatter_27, add_78, permute_111, clone_28, view_109, view_110, permute_114, mm_59], Original ATen: [aten.slice_backward, aten.select_backward, aten.t, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:151
            extern_kernels.mm(reinterpret_tensor(buf176, (2048, 1536), (1536, 1), 0), primals_3, out=buf178)
            del primals_3
            buf164 = buf134; del buf134  # reuse
            buf179 = buf118; del buf118  # reuse
            # Topologically Sorted Source Nodes: [rms_norm, linear_1, x, hidden, view_101, view_103, add_69, clone_25, mul_149, sum_14, view_111, clone_29, mul_160, sum_15], Original ATen: [aten._fused_rms_norm, aten._unsafe_view, aten.add, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8:152
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_8.run(buf159, buf162, primals_1, buf149, buf150, buf178, buf138, buf164, buf179, 8192, 128, stream=stream0)
            del buf138
            del buf149
            del buf150
            del buf159
            del buf162
            del buf178
            del primals_1
            buf166 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_101, view_103, add_69, clone_25, mul_149, sum_14, convert_element_type_198], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:153
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf164, buf166, 512, 16, stream=stream0)
            del buf164
            buf168 = empty_strided_cuda((512, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [linear_1, x, hidden, view_101, view_103, add_69, clone_25, clone_27, mul_144, div_18, mul_147, sub_18, mul_148, convert_element_type_197, add_70, view_104, permute_106, permute_109], Original ATen: [aten._unsafe_view, aten.add, aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:154
            extern_kernels.mm(reinterpret_tensor(buf167, (512, 2048), (1, 512), 0), buf148, out=buf168)
            del buf148
            del buf167
            buf177 = empty_strided_cuda((1536, 512), (512, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [full, full_4, rms_norm, linear, view_107, select_24, select_25, mul_150, mul_151, neg_22, mul_152, add_71, mul_153, add_72, _generalized_scatter_21, _generalized_scatter_22, add_73, view_108, select_26, select_27, mul_154, mul_155, neg_23, mul_156, add_74, mul_157, add_75, _generalized_scatter_23, _generalized_scatter_24, add_76, _generalized_scatter_25, _generalized_scatter_26, add_77, _generalized_scatter_27, add_78, permute_111, clone_28, view_109, view_110, permute_112, permute_115], Original ATen: [aten.slice_backward, aten.select_backward, aten._fused_rms_norm, aten.view, aten.select, aten.mul, aten.neg, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:155
            extern_kernels.mm(reinterpret_tensor(buf176, (1536, 2048), (1, 1536), 0), reinterpret_tensor(buf139, (2048, 512), (512, 1), 0), out=buf177)
            del buf139
            del buf176
            buf181 = empty_strided_cuda((512, ), (1, ), torch.bfloat16)
            # Topologically Sorted Source Nodes: [rms_norm, view_111, clone_29, mul_160, sum_15, convert_element_type_210], Original ATen: [aten._fused_rms_norm, aten.view, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9:156
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__unsafe_view_add_view_9.run(buf179, buf181, 512, 16, stream=stream0)
            del buf179
        return (None, buf181, buf177, buf168, buf166, buf161, buf158, buf155, buf136, buf131, buf122, buf120, buf115, buf112, buf109, buf90, buf85, buf76, buf74, buf69, buf66, buf63, buf44, buf39, buf30, buf28, buf23, buf20, buf17, )

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
    convert_element_type_4 = rand_strided((256, 32), (32, 1), device='cuda:0', dtype=torch.bfloat16)
    convert_element_type_5 = rand_strided((256, 32), (32, 1), device='cuda:0', dtype=torch.bfloat16)
    add_6 = rand_strided((8, 256, 512), (131072, 512, 1), device='cuda:0', dtype=torch.bfloat16)
    add_13 = rand_strided((8, 256, 512), (131072, 512, 1), device='cuda:0', dtype=torch.bfloat16)
    add_20 = rand_strided((8, 256, 512), (131072, 512, 1), device='cuda:0', dtype=torch.bfloat16)
    tangents_1 = rand_strided((8, 256, 512), (131072, 512, 1), device='cuda:0', dtype=torch.bfloat16)
    bwd_rng_state_0 = torch.cuda.default_generators[0].graphsafe_get_state()
    bwd_rng_state_1 = torch.cuda.default_generators[0].graphsafe_get_state()
    bwd_rng_state_2 = torch.cuda.default_generators[0].graphsafe_get_state()
    bwd_rng_state_3 = torch.cuda.default_generators[0].graphsafe_get_state()
    return [primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, primals_7, primals_8, primals_9, primals_10, primals_11, primals_12, primals_13, primals_14, primals_15, primals_16, primals_17, primals_18, primals_19, primals_20, primals_21, primals_22, primals_23, primals_24, primals_25, primals_26, primals_27, primals_28, primals_29, convert_element_type_4, convert_element_type_5, add_6, add_13, add_20, tangents_1, bwd_rng_state_0, bwd_rng_state_1, bwd_rng_state_2, bwd_rng_state_3]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

