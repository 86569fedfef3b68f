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


# kernel path: /tmp/torchinductor_user/si/csimi5tybfnskl3s7c6ujfdimcl5bocjlzlcykshe6igrvy6jpdi.py
# Topologically Sorted Source Nodes: [div_13, getitem_37, flatten_9, unsqueeze_25, ne_3, cross_entropy, where_2, , where_3, mul_62, sum_4], Original ATen: [aten.nll_loss_backward, aten.slice, aten.clone, aten._unsafe_view, aten.nll_loss_forward, aten.arange, aten.view, aten.expand, aten.eq, aten.scalar_tensor, aten.where, aten._log_softmax_backward_data]
# Source node to ATen node mapping:
#    => eq_tensor, expand_default, iota_default, scalar_tensor_default, scalar_tensor_default_1, view_default, where_self
#   cross_entropy => full_default, full_default_1
#   div_13 => div_13
#   flatten_9 => clone_5, view_59
#   getitem_37 => slice_18
#   mul_62 => mul_62
#   ne_3 => ne_3
#   sum_4 => sum_4
#   unsqueeze_25 => unsqueeze_25
#   where_2 => where_2
#   where_3 => where_3
# Graph fragment:
#   %primals_2 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=primals_2]
#   %tangents_1 : Tensor "f32[][]cuda:0" = PlaceHolder[target=tangents_1]
#   %convert_element_type_101 : Tensor "f32[][]cuda:0" = PlaceHolder[target=convert_element_type_101]
#   %div_13 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%tangents_1, %convert_element_type_101), kwargs = {})
#   %slice_18 : Tensor "i64[4, 127][128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%primals_2, 1, 1, 9223372036854775807), kwargs = {})
#   %clone_5 : Tensor "i64[4, 127][127, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_18,), kwargs = {memory_format: torch.contiguous_format})
#   %view_59 : Tensor "i64[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_5, [508]), kwargs = {})
#   %unsqueeze_25 : Tensor "i64[508, 1][1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%view_59, 1), kwargs = {})
#   %ne_3 : Tensor "b8[508, 1][1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.ne.Scalar](args = (%unsqueeze_25, -100), kwargs = {})
#   %full_default : Tensor "i64[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([], 0), kwargs = {dtype: torch.int64, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where_2 : Tensor "i64[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne_3, %unsqueeze_25, %full_default), kwargs = {})
#   %iota_default : Tensor "i64[1024][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (1024,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %view_default : Tensor "i64[1, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%iota_default, [1, 1024]), kwargs = {})
#   %expand_default : Tensor "i64[508, 1024][1, 0]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.expand.default](args = (%where_2, [508, 1024]), kwargs = {})
#   %eq_tensor : Tensor "b8[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Tensor](args = (%expand_default, %view_default), kwargs = {})
#   %scalar_tensor_default : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.scalar_tensor.default](args = (0,), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0})
#   %scalar_tensor_default_1 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.scalar_tensor.default](args = (-1.0,), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0})
#   %where_self : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%eq_tensor, %scalar_tensor_default_1, %scalar_tensor_default), kwargs = {})
#   %full_default_1 : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where_3 : Tensor "f32[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne_3, %div_13, %full_default_1), kwargs = {})
#   %mul_62 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%where_self, %where_3), kwargs = {})
#   %sum_4 : Tensor "f32[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_62, [1], True), kwargs = {})
#   return %sum_4
triton_red_fused__log_softmax_backward_data__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_view_where_0 = async_compile.triton('triton_red_fused__log_softmax_backward_data__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_view_where_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 512, 'r0_': 1024},
    reduction_hint=ReductionHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused__log_softmax_backward_data__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_view_where_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 8128, 'r0_': 0}}
)
@triton.jit
def triton_red_fused__log_softmax_backward_data__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_view_where_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 508
    r0_numel = 1024
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (1 + 128*(x0 // 127) + ((x0 % 127))), xmask, eviction_policy='evict_last')
    tmp10 = tl.load(in_ptr1 + (0))
    tmp11 = tl.broadcast_to(tmp10, [1, 1])
    tmp12 = tl.load(in_ptr2 + (0))
    tmp13 = tl.broadcast_to(tmp12, [1, 1])
    _tmp18 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_1 = r0_index
        tmp1 = tl.full([1, 1], -100, tl.int64)
        tmp2 = tmp0 != tmp1
        tmp3 = tl.full([1, 1], 0, tl.int64)
        tmp4 = tl.where(tmp2, tmp0, tmp3)
        tmp5 = r0_1
        tmp6 = tmp4 == tmp5
        tmp7 = tl.full([1, 1], -1.0, tl.float32)
        tmp8 = tl.full([1, 1], 0.0, tl.float32)
        tmp9 = tl.where(tmp6, tmp7, tmp8)
        tmp14 = (tmp11 / tmp13)
        tmp15 = tl.where(tmp2, tmp14, tmp8)
        tmp16 = tmp9 * tmp15
        tmp17 = tl.broadcast_to(tmp16, [XBLOCK, R0_BLOCK])
        tmp19 = _tmp18 + tmp17
        _tmp18 = tl.where(r0_mask & xmask, tmp19, _tmp18)
    tmp18 = tl.sum(_tmp18, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp18, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/7q/c7qtckciqoeet6v5sglkyoqci6gknljwochelmlsio4dqemb5a5l.py
# Topologically Sorted Source Nodes: [div_13, getitem_37, flatten_9, unsqueeze_25, ne_3, cross_entropy, where_2, , where_3, mul_62, logits, getitem_36, flatten_8, float_1, exp_5, mul_63, sub_10, convert_element_type_102, view_60, full_1, _generalized_scatter], Original ATen: [aten.nll_loss_backward, aten.slice, aten.clone, aten._unsafe_view, aten.nll_loss_forward, aten.arange, aten.view, aten.expand, aten.eq, aten.scalar_tensor, aten.where, aten._to_copy, aten._log_softmax, aten._log_softmax_backward_data, aten.slice_backward]
# Source node to ATen node mapping:
#    => eq_tensor, expand_default, iota_default, scalar_tensor_default, scalar_tensor_default_1, view_default, where_self
#   _generalized_scatter => slice_scatter_default
#   convert_element_type_102 => convert_element_type_102
#   cross_entropy => full_default, full_default_1, sub_8, sub_9
#   div_13 => div_13
#   exp_5 => exp_5
#   flatten_8 => clone_4, view_58
#   flatten_9 => clone_5, view_59
#   float_1 => convert_element_type_100
#   full_1 => full_default_5
#   getitem_36 => slice_17
#   getitem_37 => slice_18
#   logits => view_57
#   mul_62 => mul_62
#   mul_63 => mul_63
#   ne_3 => ne_3
#   sub_10 => sub_10
#   unsqueeze_25 => unsqueeze_25
#   view_60 => view_60
#   where_2 => where_2
#   where_3 => where_3
# Graph fragment:
#   %primals_2 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=primals_2]
#   %tangents_1 : Tensor "f32[][]cuda:0" = PlaceHolder[target=tangents_1]
#   %convert_element_type_101 : Tensor "f32[][]cuda:0" = PlaceHolder[target=convert_element_type_101]
#   %mm_20 : Tensor "bf16[512, 1024][1024, 1]cuda:0" = PlaceHolder[target=mm_20]
#   %amax : Tensor "f32[508, 1][1, 1]cuda:0" = PlaceHolder[target=amax]
#   %log : Tensor "f32[508, 1][1, 1]cuda:0" = PlaceHolder[target=log]
#   %sum_4 : Tensor "f32[508, 1][1, 508]cuda:0" = PlaceHolder[target=sum_4]
#   %div_13 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%tangents_1, %convert_element_type_101), kwargs = {})
#   %slice_18 : Tensor "i64[4, 127][128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%primals_2, 1, 1, 9223372036854775807), kwargs = {})
#   %clone_5 : Tensor "i64[4, 127][127, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_18,), kwargs = {memory_format: torch.contiguous_format})
#   %view_59 : Tensor "i64[508][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_5, [508]), kwargs = {})
#   %unsqueeze_25 : Tensor "i64[508, 1][1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%view_59, 1), kwargs = {})
#   %ne_3 : Tensor "b8[508, 1][1, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.ne.Scalar](args = (%unsqueeze_25, -100), kwargs = {})
#   %full_default : Tensor "i64[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([], 0), kwargs = {dtype: torch.int64, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where_2 : Tensor "i64[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne_3, %unsqueeze_25, %full_default), kwargs = {})
#   %iota_default : Tensor "i64[1024][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (1024,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %view_default : Tensor "i64[1, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%iota_default, [1, 1024]), kwargs = {})
#   %expand_default : Tensor "i64[508, 1024][1, 0]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.expand.default](args = (%where_2, [508, 1024]), kwargs = {})
#   %eq_tensor : Tensor "b8[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Tensor](args = (%expand_default, %view_default), kwargs = {})
#   %scalar_tensor_default : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.scalar_tensor.default](args = (0,), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0})
#   %scalar_tensor_default_1 : Tensor "f32[][]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.scalar_tensor.default](args = (-1.0,), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0})
#   %where_self : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%eq_tensor, %scalar_tensor_default_1, %scalar_tensor_default), kwargs = {})
#   %full_default_1 : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %where_3 : Tensor "f32[508, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%ne_3, %div_13, %full_default_1), kwargs = {})
#   %mul_62 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%where_self, %where_3), kwargs = {})
#   %view_57 : Tensor "bf16[4, 128, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_20, [4, 128, 1024]), kwargs = {})
#   %slice_17 : Tensor "bf16[4, 127, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%view_57, 1, 0, -1), kwargs = {})
#   %clone_4 : Tensor "bf16[4, 127, 1024][130048, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%slice_17,), kwargs = {memory_format: torch.contiguous_format})
#   %view_58 : Tensor "bf16[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_4, [508, 1024]), kwargs = {})
#   %convert_element_type_100 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_58, torch.float32), kwargs = {})
#   %sub_8 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convert_element_type_100, %amax), kwargs = {})
#   %sub_9 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%sub_8, %log), kwargs = {})
#   %exp_5 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%sub_9,), kwargs = {})
#   %mul_63 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%exp_5, %sum_4), kwargs = {})
#   %sub_10 : Tensor "f32[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_62, %mul_63), kwargs = {})
#   %convert_element_type_102 : Tensor "bf16[508, 1024][1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sub_10, torch.bfloat16), kwargs = {})
#   %view_60 : Tensor "bf16[4, 127, 1024][130048, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%convert_element_type_102, [4, 127, 1024]), kwargs = {})
#   %full_default_5 : Tensor "bf16[4, 128, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([4, 128, 1024], 0), kwargs = {dtype: torch.bfloat16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %slice_scatter_default : Tensor "bf16[4, 128, 1024][131072, 1024, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default_5, %view_60, 1, 0, -1), kwargs = {})
#   return %slice_scatter_default
triton_poi_fused__log_softmax__log_softmax_backward_data__to_copy__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_slice_backward_view_where_1 = async_compile.triton('triton_poi_fused__log_softmax__log_softmax_backward_data__to_copy__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_slice_backward_view_where_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 524288}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*bf16', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'in_ptr6': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__log_softmax__log_softmax_backward_data__to_copy__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_slice_backward_view_where_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 7, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 3145728}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__log_softmax__log_softmax_backward_data__to_copy__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_slice_backward_view_where_1(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 524288
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x1 = ((xindex // 1024) % 128)
    x2 = xindex // 131072
    x0 = (xindex % 1024)
    x3 = xindex
    tmp0 = x1
    tmp1 = tl.full([1], 127, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = tl.load(in_ptr0 + (1 + 128*((((x1 + 127*x2) // 127) % 4)) + ((x1 % 127))), tmp2, eviction_policy='evict_last', other=0.0)
    tmp4 = tl.full([1], -100, tl.int64)
    tmp5 = tmp3 != tmp4
    tmp6 = tl.full([1], 0, tl.int64)
    tmp7 = tl.where(tmp5, tmp3, tmp6)
    tmp8 = x0
    tmp9 = tmp7 == tmp8
    tmp10 = tl.full([1], -1.0, tl.float32)
    tmp11 = tl.full([1], 0.0, tl.float32)
    tmp12 = tl.where(tmp9, tmp10, tmp11)
    tmp13 = tl.load(in_ptr1 + (0))
    tmp14 = tl.broadcast_to(tmp13, [XBLOCK])
    tmp15 = tl.where(tmp2, tmp14, 0.0)
    tmp16 = tl.load(in_ptr2 + (0))
    tmp17 = tl.broadcast_to(tmp16, [XBLOCK])
    tmp18 = tl.where(tmp2, tmp17, 0.0)
    tmp19 = (tmp15 / tmp18)
    tmp20 = tl.where(tmp5, tmp19, tmp11)
    tmp21 = tmp12 * tmp20
    tmp22 = tl.load(in_ptr3 + (x0 + 1024*((x1 % 127)) + 131072*((((x1 + 127*x2) // 127) % 4))), tmp2, other=0.0).to(tl.float32)
    tmp23 = tmp22.to(tl.float32)
    tmp24 = tl.load(in_ptr4 + (x1 + 127*x2), tmp2, eviction_policy='evict_last', other=0.0)
    tmp25 = tmp23 - tmp24
    tmp26 = tl.load(in_ptr5 + (x1 + 127*x2), tmp2, eviction_policy='evict_last', other=0.0)
    tmp27 = tmp25 - tmp26
    tmp28 = libdevice.exp(tmp27)
    tmp29 = tl.load(in_ptr6 + (x1 + 127*x2), tmp2, eviction_policy='evict_last', other=0.0)
    tmp30 = tmp28 * tmp29
    tmp31 = tmp21 - tmp30
    tmp32 = tmp31.to(tl.float32)
    tmp33 = tl.full(tmp32.shape, 0.0, tmp32.dtype)
    tmp34 = tl.where(tmp2, tmp32, tmp33)
    tmp35 = tl.full([1], 0.0, tl.float32)
    tmp36 = tl.where(tmp2, tmp34, tmp35)
    tl.store(out_ptr0 + (x3), tmp36, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/l2/cl2vz3qbslqqtvnviiia6um5pxv44ylma7zgtizznpufodb35dbr.py
# Topologically Sorted Source Nodes: [convert_element_type_108], Original ATen: [aten._to_copy]
# Source node to ATen node mapping:
#   convert_element_type_108 => convert_element_type_108
# Graph fragment:
#   %mm_21 : Tensor "bf16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=mm_21]
#   %convert_element_type_108 : Tensor "f32[1024, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mm_21, torch.float32), kwargs = {})
#   return %convert_element_type_108
triton_poi_fused__to_copy_2 = async_compile.triton('triton_poi_fused__to_copy_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_2', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2621440}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/yl/cyl4kvlmm3ugc35g2phzxgie5hh5reiczlsvyopjn6sh7nscgjgq.py
# Topologically Sorted Source Nodes: [view_62, convert_element_type_107, mul_64, mul_66, sum_5, div_14, mul_67, sub_11, mul_68, convert_element_type_109, view_63], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   convert_element_type_107 => convert_element_type_107
#   convert_element_type_109 => convert_element_type_109
#   div_14 => div_14
#   mul_64 => mul_64
#   mul_66 => mul_66
#   mul_67 => mul_67
#   mul_68 => mul_68
#   sub_11 => sub_11
#   sum_5 => sum_5
#   view_62 => view_62
#   view_63 => view_63
# Graph fragment:
#   %mul_60 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_60]
#   %mm_22 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_22]
#   %primals_31 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_31]
#   %sum_5 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=sum_5]
#   %rsqrt_8 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_8]
#   %mul_68 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_68]
#   %view_62 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_22, [4, 128, 256]), kwargs = {})
#   %convert_element_type_107 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_62, torch.float32), kwargs = {})
#   %mul_64 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_107, %primals_31), kwargs = {})
#   %mul_66 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_60, %mul_64), kwargs = {})
#   %sum_5 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_66, [2], True), kwargs = {})
#   %div_14 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_60, 256), kwargs = {})
#   %mul_67 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_14, %sum_5), kwargs = {})
#   %sub_11 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_64, %mul_67), kwargs = {})
#   %mul_68 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_11, %rsqrt_8), kwargs = {})
#   %convert_element_type_109 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_68, torch.bfloat16), kwargs = {})
#   %view_63 : Tensor "bf16[512, 256][256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%convert_element_type_109, [512, 256]), kwargs = {})
#   return %sum_5,%mul_68,%view_63
triton_per_fused__fused_rms_norm_backward__to_copy_view_3 = async_compile.triton('triton_per_fused__fused_rms_norm_backward__to_copy_view_3', '''
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
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_backward__to_copy_view_3', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 4, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2048, 'r0_': 2884608}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_backward__to_copy_view_3(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr1, out_ptr2, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp3 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last')
    tmp14 = tl.load(in_ptr3 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp4 = tmp2 * tmp3
    tmp5 = tmp0 * tmp4
    tmp6 = tl.broadcast_to(tmp5, [XBLOCK, R0_BLOCK])
    tmp8 = tl.where(xmask, tmp6, 0)
    tmp9 = tl.sum(tmp8, 1)[:, None].to(tl.float32)
    tmp10 = tl.full([1, 1], 0.00390625, tl.float32)
    tmp11 = tmp0 * tmp10
    tmp12 = tmp11 * tmp9
    tmp13 = tmp4 - tmp12
    tmp15 = tmp13 * tmp14
    tmp16 = tmp15.to(tl.float32)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp15, xmask)
    tl.store(out_ptr2 + (r0_1 + 256*x0), tmp16, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/uh/cuhmozx3shlmtpui4e27lsypdhxzxxih2pxn64h2nq35ry3aukl4.py
# Topologically Sorted Source Nodes: [view_62, convert_element_type_107, mul_69, sum_6], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   convert_element_type_107 => convert_element_type_107
#   mul_69 => mul_69
#   sum_6 => sum_6
#   view_62 => view_62
# Graph fragment:
#   %mm_22 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_22]
#   %mul_60 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_60]
#   %view_62 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_22, [4, 128, 256]), kwargs = {})
#   %convert_element_type_107 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_62, torch.float32), kwargs = {})
#   %mul_69 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_107, %mul_60), kwargs = {})
#   %sum_6 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_69, [0, 1]), kwargs = {})
#   return %buf7
triton_red_fused__fused_rms_norm_backward__to_copy_view_4 = async_compile.triton('triton_red_fused__fused_rms_norm_backward__to_copy_view_4', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused__fused_rms_norm_backward__to_copy_view_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 794624, 'r0_': 0}}
)
@triton.jit
def triton_red_fused__fused_rms_norm_backward__to_copy_view_4(in_ptr0, in_ptr1, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
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
    _tmp5 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp2 = tl.load(in_ptr1 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tmp0.to(tl.float32)
        tmp3 = tmp1 * tmp2
        tmp4 = tl.broadcast_to(tmp3, [XBLOCK, R0_BLOCK])
        tmp6 = _tmp5 + tmp4
        _tmp5 = tl.where(r0_mask & xmask, tmp6, _tmp5)
    tmp5 = tl.sum(_tmp5, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp5, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/wt/cwted5srj3h64p3piuqw4dmuo45jpe3widjclyfkblhupkw77odn.py
# Topologically Sorted Source Nodes: [view_62, convert_element_type_107, mul_69, sum_6], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   convert_element_type_107 => convert_element_type_107
#   mul_69 => mul_69
#   sum_6 => sum_6
#   view_62 => view_62
# Graph fragment:
#   %buf7 : Tensor "f32[256, 4][1, 256]cuda:0" = PlaceHolder[target=buf7]
#   %view_62 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_22, [4, 128, 256]), kwargs = {})
#   %convert_element_type_107 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_62, torch.float32), kwargs = {})
#   %mul_69 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_107, %mul_60), kwargs = {})
#   %sum_6 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_69, [0, 1]), kwargs = {})
#   return %sum_6
triton_per_fused__fused_rms_norm_backward__to_copy_view_5 = async_compile.triton('triton_per_fused__fused_rms_norm_backward__to_copy_view_5', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_backward__to_copy_view_5', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 6144, 'r0_': 0}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_backward__to_copy_view_5(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
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


# kernel path: /tmp/torchinductor_user/ty/ctymde2dbnciecuhhcailwumhdjpgr6kaotiqczmo4rj35nfaidg.py
# Topologically Sorted Source Nodes: [convert_element_type_114], Original ATen: [aten._to_copy]
# Source node to ATen node mapping:
#   convert_element_type_114 => convert_element_type_114
# Graph fragment:
#   %mm_23 : Tensor "bf16[256, 512][512, 1]cuda:0" = PlaceHolder[target=mm_23]
#   %convert_element_type_114 : Tensor "f32[256, 512][512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mm_23, torch.float32), kwargs = {})
#   return %convert_element_type_114
triton_poi_fused__to_copy_6 = async_compile.triton('triton_poi_fused__to_copy_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 131072}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_6', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1310720}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_6(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/gi/cginlz5dnghk4ftlpc3ktqdhxmqa2i4qb2w3xtwsqz53xchlniir.py
# Topologically Sorted Source Nodes: [view_64, linear_17, silu_3, mul_70, linear_18, mul_71, convert_element_type_121, reciprocal, mul_72, mul_73, sub_12, mul_74, add_30, mul_75, convert_element_type_123], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward]
# Source node to ATen node mapping:
#   add_30 => add_30
#   convert_element_type_121 => convert_element_type_121
#   convert_element_type_123 => convert_element_type_123
#   linear_17 => view_51
#   linear_18 => view_53
#   mul_70 => mul_70
#   mul_71 => mul_71
#   mul_72 => mul_72
#   mul_73 => mul_73
#   mul_74 => mul_74
#   mul_75 => mul_75
#   reciprocal => reciprocal
#   silu_3 => add_26, convert_element_type_87, convert_element_type_88, div_11, exp_3, neg_11
#   sub_12 => sub_12
#   view_64 => view_64
# Graph fragment:
#   %mm_24 : Tensor "bf16[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_24]
#   %mm_17 : Tensor "bf16[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_17]
#   %mm_18 : Tensor "bf16[512, 512][512, 1]cuda:0" = PlaceHolder[target=mm_18]
#   %view_64 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_24, [4, 128, 512]), kwargs = {})
#   %view_51 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_17, [4, 128, 512]), kwargs = {})
#   %convert_element_type_87 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_51, torch.float32), kwargs = {})
#   %neg_11 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%convert_element_type_87,), kwargs = {})
#   %exp_3 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.exp.default](args = (%neg_11,), kwargs = {})
#   %add_26 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%exp_3, 1), kwargs = {})
#   %div_11 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%convert_element_type_87, %add_26), kwargs = {})
#   %convert_element_type_88 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%div_11, torch.bfloat16), kwargs = {})
#   %mul_70 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_64, %convert_element_type_88), kwargs = {})
#   %view_53 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_18, [4, 128, 512]), kwargs = {})
#   %mul_71 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_64, %view_53), kwargs = {})
#   %convert_element_type_121 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_71, torch.float32), kwargs = {})
#   %reciprocal : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reciprocal.default](args = (%add_26,), kwargs = {})
#   %mul_72 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%reciprocal, 1), kwargs = {})
#   %mul_73 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_121, %mul_72), kwargs = {})
#   %sub_12 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (1, %mul_72), kwargs = {})
#   %mul_74 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_87, %sub_12), kwargs = {})
#   %add_30 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_74, 1), kwargs = {})
#   %mul_75 : Tensor "f32[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_73, %add_30), kwargs = {})
#   %convert_element_type_123 : Tensor "bf16[4, 128, 512][65536, 512, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_75, torch.bfloat16), kwargs = {})
#   return %mul_70,%convert_element_type_123
triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7 = async_compile.triton('triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*bf16', 'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 2, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 3670016}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7(in_out_ptr0, in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tl.load(in_ptr1 + (x0), None).to(tl.float32)
    tmp10 = tl.load(in_out_ptr0 + (x0), None).to(tl.float32)
    tmp2 = tmp1.to(tl.float32)
    tmp3 = -tmp2
    tmp4 = libdevice.exp(tmp3)
    tmp5 = tl.full([1], 1.0, tl.float32)
    tmp6 = tmp4 + tmp5
    tmp7 = (tmp2 / tmp6)
    tmp8 = tmp7.to(tl.float32)
    tmp9 = tmp0 * tmp8
    tmp11 = tmp0 * tmp10
    tmp12 = tmp11.to(tl.float32)
    tmp13 = tl.full([1], 1, tl.int32)
    tmp14 = (tmp13 / tmp6)
    tmp15 = tmp14 * tmp5
    tmp16 = tmp12 * tmp15
    tmp17 = tmp5 - tmp15
    tmp18 = tmp2 * tmp17
    tmp19 = tmp18 + tmp5
    tmp20 = tmp16 * tmp19
    tmp21 = tmp20.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp9, None)
    tl.store(in_out_ptr0 + (x0), tmp21, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/4u/c4us2orvcqg7beaonatjsnw2bdujeubbsuoyrbzqf6ozamvqbjox.py
# Topologically Sorted Source Nodes: [view_66, convert_element_type_119, view_68, convert_element_type_128, add_31, mul_76, mul_78, sum_7, div_15, mul_79, sub_13, mul_80, add_32, convert_element_type_130, view_69], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_31 => add_31
#   add_32 => add_32
#   convert_element_type_119 => convert_element_type_119
#   convert_element_type_128 => convert_element_type_128
#   convert_element_type_130 => convert_element_type_130
#   div_15 => div_15
#   mul_76 => mul_76
#   mul_78 => mul_78
#   mul_79 => mul_79
#   mul_80 => mul_80
#   sub_13 => sub_13
#   sum_7 => sum_7
#   view_66 => view_66
#   view_68 => view_68
#   view_69 => view_69
# Graph fragment:
#   %mul_57 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_57]
#   %mm_26 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_26]
#   %mm_28 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_28]
#   %primals_27 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_27]
#   %mul_68 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_68]
#   %sum_7 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=sum_7]
#   %rsqrt_7 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_7]
#   %add_32 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_32]
#   %view_66 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_26, [4, 128, 256]), kwargs = {})
#   %convert_element_type_119 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_66, torch.float32), kwargs = {})
#   %view_68 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_28, [4, 128, 256]), kwargs = {})
#   %convert_element_type_128 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_68, torch.float32), kwargs = {})
#   %add_31 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%convert_element_type_119, %convert_element_type_128), kwargs = {})
#   %mul_76 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_31, %primals_27), kwargs = {})
#   %mul_78 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_57, %mul_76), kwargs = {})
#   %sum_7 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_78, [2], True), kwargs = {})
#   %div_15 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_57, 256), kwargs = {})
#   %mul_79 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_15, %sum_7), kwargs = {})
#   %sub_13 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_76, %mul_79), kwargs = {})
#   %mul_80 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_13, %rsqrt_7), kwargs = {})
#   %add_32 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_68, %mul_80), kwargs = {})
#   %convert_element_type_130 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_32, torch.bfloat16), kwargs = {})
#   %view_69 : Tensor "bf16[512, 256][256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%convert_element_type_130, [512, 256]), kwargs = {})
#   return %sum_7,%add_32,%view_69
triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8 = async_compile.triton('triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 6, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2048, 'r0_': 3671040}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp3 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp6 = tl.load(in_ptr3 + (r0_1), None, eviction_policy='evict_last')
    tmp13 = tl.load(in_out_ptr0 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp18 = tl.load(in_ptr4 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp4 = tmp3.to(tl.float32)
    tmp5 = tmp2 + tmp4
    tmp7 = tmp5 * tmp6
    tmp8 = tmp0 * tmp7
    tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
    tmp11 = tl.where(xmask, tmp9, 0)
    tmp12 = tl.sum(tmp11, 1)[:, None].to(tl.float32)
    tmp14 = tl.full([1, 1], 0.00390625, tl.float32)
    tmp15 = tmp0 * tmp14
    tmp16 = tmp15 * tmp12
    tmp17 = tmp7 - tmp16
    tmp19 = tmp17 * tmp18
    tmp20 = tmp13 + tmp19
    tmp21 = tmp20.to(tl.float32)
    tl.store(in_out_ptr0 + (r0_1 + 256*x0), tmp20, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp21, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/ux/cuxcz4wm4gnwdvbxwrbuwl7lgbjqcikiqaps3farm2zi3j3n3qz5.py
# Topologically Sorted Source Nodes: [view_66, convert_element_type_119, view_68, convert_element_type_128, add_31, mul_81, sum_8], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_31 => add_31
#   convert_element_type_119 => convert_element_type_119
#   convert_element_type_128 => convert_element_type_128
#   mul_81 => mul_81
#   sum_8 => sum_8
#   view_66 => view_66
#   view_68 => view_68
# Graph fragment:
#   %mm_26 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_26]
#   %mm_28 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_28]
#   %mul_57 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_57]
#   %view_66 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_26, [4, 128, 256]), kwargs = {})
#   %convert_element_type_119 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_66, torch.float32), kwargs = {})
#   %view_68 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_28, [4, 128, 256]), kwargs = {})
#   %convert_element_type_128 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_68, torch.float32), kwargs = {})
#   %add_31 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%convert_element_type_119, %convert_element_type_128), kwargs = {})
#   %mul_81 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_31, %mul_57), kwargs = {})
#   %sum_8 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_81, [0, 1]), kwargs = {})
#   return %buf22
triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9 = async_compile.triton('triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1056768, 'r0_': 0}}
)
@triton.jit
def triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
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
    _tmp8 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp2 = tl.load(in_ptr1 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp5 = tl.load(in_ptr2 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp1 = tmp0.to(tl.float32)
        tmp3 = tmp2.to(tl.float32)
        tmp4 = tmp1 + tmp3
        tmp6 = tmp4 * tmp5
        tmp7 = tl.broadcast_to(tmp6, [XBLOCK, R0_BLOCK])
        tmp9 = _tmp8 + tmp7
        _tmp8 = tl.where(r0_mask & xmask, tmp9, _tmp8)
    tmp8 = tl.sum(_tmp8, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp8, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/np/cnpdid4lsaivlbw5u6mabmnngerxm3puqxv5e326knhioju2firm.py
# Topologically Sorted Source Nodes: [convert_element_type_135], Original ATen: [aten._to_copy]
# Source node to ATen node mapping:
#   convert_element_type_135 => convert_element_type_135
# Graph fragment:
#   %mm_29 : Tensor "bf16[256, 256][256, 1]cuda:0" = PlaceHolder[target=mm_29]
#   %convert_element_type_135 : Tensor "f32[256, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mm_29, torch.float32), kwargs = {})
#   return %convert_element_type_135
triton_poi_fused__to_copy_10 = async_compile.triton('triton_poi_fused__to_copy_10', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 65536}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_10', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 655360}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_10(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 65536
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/ug/cugk2q6b2esmwdvtrt3fln7nlld6js5yefncja7kgoqybegtnkbm.py
# Topologically Sorted Source Nodes: [view_72, select_12, select_13, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, mul_82, sin, sin_1, mul_83, neg_14, mul_84, add_33, mul_85, add_34, full_2, _generalized_scatter_1, _generalized_scatter_2, add_35], Original ATen: [aten.view, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.add, aten.slice_backward]
# Source node to ATen node mapping:
#   _generalized_scatter_1 => slice_scatter_default_1
#   _generalized_scatter_2 => slice_scatter_default_2
#   add_33 => add_33
#   add_34 => add_34
#   add_35 => add_35
#   angles => mul_2
#   arange => iota
#   arange_1 => iota_1
#   cos => cos
#   cos_1 => convert_element_type_4
#   frequencies => pow_2
#   full_2 => full_default_6
#   getitem_3 => unsqueeze
#   mul_82 => mul_82
#   mul_83 => mul_83
#   mul_84 => mul_84
#   mul_85 => mul_85
#   neg => neg
#   neg_14 => neg_14
#   select_12 => select_12
#   select_13 => select_13
#   sin => sin
#   sin_1 => convert_element_type_5
#   truediv => div
#   view_72 => view_72
# Graph fragment:
#   %getitem_37 : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = PlaceHolder[target=getitem_37]
#   %view_72 : Tensor "bf16[4, 4, 128, 32, 2][32768, 8192, 64, 2, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%getitem_37, [4, 4, 128, 32, 2]), kwargs = {})
#   %select_12 : Tensor "bf16[4, 4, 128, 32][32768, 8192, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_72, -1, 0), kwargs = {})
#   %select_13 : Tensor "bf16[4, 4, 128, 32][32768, 8192, 64, 2]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.select.int](args = (%view_72, -1, 1), kwargs = {})
#   %iota : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (32,), kwargs = {start: 0, step: 2, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %neg : Tensor "i64[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%iota,), kwargs = {})
#   %div : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%neg, 64), kwargs = {})
#   %pow_2 : Tensor "f32[32][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.pow.Scalar](args = (10000.0, %div), kwargs = {})
#   %iota_1 : Tensor "i64[128][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.iota.default](args = (128,), kwargs = {start: 0, step: 1, dtype: torch.int64, device: cuda:0, requires_grad: False})
#   %unsqueeze : Tensor "i64[128, 1][1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%iota_1, 1), kwargs = {})
#   %mul_2 : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%unsqueeze, %pow_2), kwargs = {})
#   %cos : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_4 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%cos, torch.bfloat16), kwargs = {})
#   %mul_82 : Tensor "bf16[4, 4, 128, 32][16384, 4096, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_13, %convert_element_type_4), kwargs = {})
#   %sin : Tensor "f32[128, 32][32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%mul_2,), kwargs = {})
#   %convert_element_type_5 : Tensor "bf16[128, 32][32, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sin, torch.bfloat16), kwargs = {})
#   %mul_83 : Tensor "bf16[4, 4, 128, 32][16384, 4096, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_13, %convert_element_type_5), kwargs = {})
#   %neg_14 : Tensor "bf16[4, 4, 128, 32][16384, 4096, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%select_12,), kwargs = {})
#   %mul_84 : Tensor "bf16[4, 4, 128, 32][16384, 4096, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%neg_14, %convert_element_type_5), kwargs = {})
#   %add_33 : Tensor "bf16[4, 4, 128, 32][16384, 4096, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_82, %mul_84), kwargs = {})
#   %mul_85 : Tensor "bf16[4, 4, 128, 32][16384, 4096, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%select_12, %convert_element_type_4), kwargs = {})
#   %add_34 : Tensor "bf16[4, 4, 128, 32][16384, 4096, 32, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%mul_83, %mul_85), kwargs = {})
#   %full_default_6 : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=16] = call_function[target=torch.ops.aten.full.default](args = ([4, 4, 128, 64], 0), kwargs = {dtype: torch.bfloat16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %slice_scatter_default_1 : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default_6, %add_33, 3, 1, 9223372036854775807, 2), kwargs = {})
#   %slice_scatter_default_2 : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.slice_scatter.default](args = (%full_default_6, %add_34, 3, 0, 9223372036854775807, 2), kwargs = {})
#   %add_35 : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%slice_scatter_default_1, %slice_scatter_default_2), kwargs = {})
#   return %add_35
triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11 = async_compile.triton('triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11', '''
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
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1048576}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 131072
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x3 = xindex // 64
    x1 = ((xindex // 64) % 128)
    x4 = xindex
    tmp0 = x0
    tmp1 = tl.full([1], 1, tl.int64)
    tmp2 = tmp0 >= tmp1
    tmp3 = (((-1) + x0) % 2)
    tmp4 = tl.full([1], 0, tl.int64)
    tmp5 = tmp3 == tmp4
    tmp6 = tmp2 & tmp5
    tmp7 = tl.load(in_ptr0 + (1 + 2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x3), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp8 = (-2)*(triton_helpers.div_floor_integer((-1) + x0,  2))
    tmp9 = tmp8.to(tl.float32)
    tmp10 = tl.full([1], 0.015625, tl.float32)
    tmp11 = tmp9 * tmp10
    tmp12 = tl.full([1], 10000.0, tl.float32)
    tmp13 = libdevice.pow(tmp12, tmp11)
    tmp14 = x1
    tmp15 = tmp14.to(tl.float32)
    tmp16 = tmp15 * tmp13
    tmp17 = tl_math.cos(tmp16)
    tmp18 = tmp17.to(tl.float32)
    tmp19 = tmp7 * tmp18
    tmp20 = tl.load(in_ptr0 + (2*(triton_helpers.div_floor_integer((-1) + x0,  2)) + 64*x3), tmp6, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp21 = -tmp20
    tmp22 = tl_math.sin(tmp16)
    tmp23 = tmp22.to(tl.float32)
    tmp24 = tmp21 * tmp23
    tmp25 = tmp19 + tmp24
    tmp26 = tl.full(tmp25.shape, 0.0, tmp25.dtype)
    tmp27 = tl.where(tmp6, tmp25, tmp26)
    tmp28 = tl.full([1], 0.0, tl.float32)
    tmp29 = tl.where(tmp6, tmp27, tmp28)
    tmp30 = (x4 % 2)
    tmp31 = tmp30 == tmp4
    tmp32 = tl.load(in_ptr0 + (1 + 2*(x0 // 2) + 64*x3), tmp31, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp33 = (-2)*(x0 // 2)
    tmp34 = tmp33.to(tl.float32)
    tmp35 = tl.full([1], 0.015625, tl.float32)
    tmp36 = tmp34 * tmp35
    tmp37 = tl.full([1], 10000.0, tl.float32)
    tmp38 = libdevice.pow(tmp37, tmp36)
    tmp39 = x1
    tmp40 = tmp39.to(tl.float32)
    tmp41 = tmp40 * tmp38
    tmp42 = tl_math.sin(tmp41)
    tmp43 = tmp42.to(tl.float32)
    tmp44 = tmp32 * tmp43
    tmp45 = tl.load(in_ptr0 + (2*(x0 // 2) + 64*x3), tmp31, eviction_policy='evict_last', other=0.0).to(tl.float32)
    tmp46 = tl_math.cos(tmp41)
    tmp47 = tmp46.to(tl.float32)
    tmp48 = tmp45 * tmp47
    tmp49 = tmp44 + tmp48
    tmp50 = tl.full(tmp49.shape, 0.0, tmp49.dtype)
    tmp51 = tl.where(tmp31, tmp49, tmp50)
    tmp52 = tl.where(tmp31, tmp51, tmp28)
    tmp53 = tmp29 + tmp52
    tl.store(out_ptr0 + (x4), tmp53, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/q4/cq4qgqwdw26v6vs5abgoj6zhmqnaqvctr7qfjbqf4csuc2tsk7p4.py
# Topologically Sorted Source Nodes: [full_6, _generalized_scatter_5, _generalized_scatter_6, add_39, _generalized_scatter_7, add_40, permute_50, clone_6], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone]
# Source node to ATen node mapping:
#   _generalized_scatter_5 => select_scatter_default
#   _generalized_scatter_6 => select_scatter_default_1
#   _generalized_scatter_7 => select_scatter_default_2
#   add_39 => add_39
#   add_40 => add_40
#   clone_6 => clone_6
#   full_6 => full_default_10
#   permute_50 => permute_50
# Graph fragment:
#   %getitem_38 : Tensor "bf16[4, 4, 128, 64][32768, 64, 256, 1]cuda:0" = PlaceHolder[target=getitem_38]
#   %add_35 : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = PlaceHolder[target=add_35]
#   %add_38 : Tensor "bf16[4, 4, 128, 64][32768, 8192, 64, 1]cuda:0" = PlaceHolder[target=add_38]
#   %full_default_10 : Tensor "bf16[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=12] = call_function[target=torch.ops.aten.full.default](args = ([3, 4, 4, 128, 64], 0), kwargs = {dtype: torch.bfloat16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %select_scatter_default : Tensor "bf16[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_10, %getitem_38, 0, 2), kwargs = {})
#   %select_scatter_default_1 : Tensor "bf16[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_10, %add_35, 0, 1), kwargs = {})
#   %add_39 : Tensor "bf16[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%select_scatter_default, %select_scatter_default_1), kwargs = {})
#   %select_scatter_default_2 : Tensor "bf16[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_10, %add_38, 0, 0), kwargs = {})
#   %add_40 : Tensor "bf16[3, 4, 4, 128, 64][131072, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_39, %select_scatter_default_2), kwargs = {})
#   %permute_50 : Tensor "bf16[4, 128, 3, 4, 64][32768, 64, 131072, 8192, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%add_40, [1, 3, 0, 2, 4]), kwargs = {})
#   %clone_6 : Tensor "bf16[4, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_50,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone_6
triton_poi_fused_add_clone_permute_select_backward_12 = async_compile.triton('triton_poi_fused_add_clone_permute_select_backward_12', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 524288}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*bf16', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_add_clone_permute_select_backward_12', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2359296}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_add_clone_permute_select_backward_12(in_ptr0, in_ptr1, in_ptr2, out_ptr0, xnumel, XBLOCK : tl.constexpr):
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
    tmp3 = tl.load(in_ptr0 + (x5 + 256*x6), None, eviction_policy='evict_last').to(tl.float32)
    tmp8 = tl.load(in_ptr1 + (x0 + 64*x3 + 8192*x1 + 32768*x4), None, eviction_policy='evict_last').to(tl.float32)
    tmp13 = tl.load(in_ptr2 + (x0 + 64*x3 + 8192*x1 + 32768*x4), None, eviction_policy='evict_last').to(tl.float32)
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


# kernel path: /tmp/torchinductor_user/rs/crsuo7r57qy5cuud4oshbf3wyyodwllfhct4qwooxvcro7iqhzig.py
# Topologically Sorted Source Nodes: [convert_element_type_141], Original ATen: [aten._to_copy]
# Source node to ATen node mapping:
#   convert_element_type_141 => convert_element_type_141
# Graph fragment:
#   %mm_31 : Tensor "bf16[768, 256][256, 1]cuda:0" = PlaceHolder[target=mm_31]
#   %convert_element_type_141 : Tensor "f32[768, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mm_31, torch.float32), kwargs = {})
#   return %convert_element_type_141
triton_poi_fused__to_copy_13 = async_compile.triton('triton_poi_fused__to_copy_13', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*bf16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused__to_copy_13', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1966080}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_13(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 196608
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.load(in_ptr0 + (x0), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/u2/cu2xy2avpclcyvabet22sabtf32vfwainonumbtnv4vnf54a6quf.py
# Topologically Sorted Source Nodes: [view_76, convert_element_type_140, mul_90, mul_92, sum_9, div_16, mul_93, sub_14, mul_94, add_41, convert_element_type_142, view_77], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward, aten.add]
# Source node to ATen node mapping:
#   add_41 => add_41
#   convert_element_type_140 => convert_element_type_140
#   convert_element_type_142 => convert_element_type_142
#   div_16 => div_16
#   mul_90 => mul_90
#   mul_92 => mul_92
#   mul_93 => mul_93
#   mul_94 => mul_94
#   sub_14 => sub_14
#   sum_9 => sum_9
#   view_76 => view_76
#   view_77 => view_77
# Graph fragment:
#   %mul_45 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=mul_45]
#   %mm_32 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_32]
#   %primals_24 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_24]
#   %add_32 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_32]
#   %sum_9 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=sum_9]
#   %rsqrt_6 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_6]
#   %add_41 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_41]
#   %view_76 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_32, [4, 128, 256]), kwargs = {})
#   %convert_element_type_140 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_76, torch.float32), kwargs = {})
#   %mul_90 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_140, %primals_24), kwargs = {})
#   %mul_92 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_45, %mul_90), kwargs = {})
#   %sum_9 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_92, [2], True), kwargs = {})
#   %div_16 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_45, 256), kwargs = {})
#   %mul_93 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_16, %sum_9), kwargs = {})
#   %sub_14 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_90, %mul_93), kwargs = {})
#   %mul_94 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_14, %rsqrt_6), kwargs = {})
#   %add_41 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_32, %mul_94), kwargs = {})
#   %convert_element_type_142 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_41, torch.bfloat16), kwargs = {})
#   %view_77 : Tensor "bf16[512, 256][256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%convert_element_type_142, [512, 256]), kwargs = {})
#   return %sum_9,%add_41,%view_77
triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14 = async_compile.triton('triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 5, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2048, 'r0_': 3408896}}
)
@triton.jit
def triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp3 = tl.load(in_ptr2 + (r0_1), None, eviction_policy='evict_last')
    tmp10 = tl.load(in_out_ptr0 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp15 = tl.load(in_ptr3 + (x0), xmask, eviction_policy='evict_last')
    tmp2 = tmp1.to(tl.float32)
    tmp4 = tmp2 * tmp3
    tmp5 = tmp0 * tmp4
    tmp6 = tl.broadcast_to(tmp5, [XBLOCK, R0_BLOCK])
    tmp8 = tl.where(xmask, tmp6, 0)
    tmp9 = tl.sum(tmp8, 1)[:, None].to(tl.float32)
    tmp11 = tl.full([1, 1], 0.00390625, tl.float32)
    tmp12 = tmp0 * tmp11
    tmp13 = tmp12 * tmp9
    tmp14 = tmp4 - tmp13
    tmp16 = tmp14 * tmp15
    tmp17 = tmp10 + tmp16
    tmp18 = tmp17.to(tl.float32)
    tl.store(in_out_ptr0 + (r0_1 + 256*x0), tmp17, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp18, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/q2/cq2lkvrddbhanxu5ye7vzeav53zyyb3ywrd7ivysntftusyjsyxg.py
# Topologically Sorted Source Nodes: [view_108, convert_element_type_218, view_110, convert_element_type_227, add_70, mul_154, linear_1, x_1, hidden, mul_156, sum_19, div_21, mul_157, sub_22, mul_158, add_71, convert_element_type_229, view_111], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward, aten._unsafe_view, aten._fused_rms_norm]
# Source node to ATen node mapping:
#   add_70 => add_70
#   add_71 => add_71
#   convert_element_type_218 => convert_element_type_218
#   convert_element_type_227 => convert_element_type_227
#   convert_element_type_229 => convert_element_type_229
#   div_21 => div_21
#   hidden => mul_12
#   linear_1 => view_7
#   mul_154 => mul_154
#   mul_156 => mul_156
#   mul_157 => mul_157
#   mul_158 => mul_158
#   sub_22 => sub_22
#   sum_19 => sum_19
#   view_108 => view_108
#   view_110 => view_110
#   view_111 => view_111
#   x_1 => add_3
# Graph fragment:
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_1]
#   %mm_56 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_56]
#   %mm_58 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_58]
#   %primals_6 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_6]
#   %add_67 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_67]
#   %sum_19 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=sum_19]
#   %add_71 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_71]
#   %view_108 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_56, [4, 128, 256]), kwargs = {})
#   %convert_element_type_218 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_108, torch.float32), kwargs = {})
#   %view_110 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_58, [4, 128, 256]), kwargs = {})
#   %convert_element_type_227 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_110, torch.float32), kwargs = {})
#   %add_70 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%convert_element_type_218, %convert_element_type_227), kwargs = {})
#   %mul_154 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_70, %primals_6), kwargs = {})
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_3, %rsqrt_1), kwargs = {})
#   %mul_156 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_12, %mul_154), kwargs = {})
#   %sum_19 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_156, [2], True), kwargs = {})
#   %div_21 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul_12, 256), kwargs = {})
#   %mul_157 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_21, %sum_19), kwargs = {})
#   %sub_22 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_154, %mul_157), kwargs = {})
#   %mul_158 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_22, %rsqrt_1), kwargs = {})
#   %add_71 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_67, %mul_158), kwargs = {})
#   %convert_element_type_229 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%add_71, torch.bfloat16), kwargs = {})
#   %view_111 : Tensor "bf16[512, 256][256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.reshape.default](args = (%convert_element_type_229, [512, 256]), kwargs = {})
#   return %sum_19,%add_71,%view_111
triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_15 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_15', '''
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
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*bf16', 'in_ptr4': '*bf16', 'in_ptr5': '*fp32', 'out_ptr1': '*bf16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_15', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 7, 'num_store': 2, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2048, 'r0_': 3933184}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_15(in_out_ptr0, in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp4 = tl.load(in_ptr2 + (x0), xmask, eviction_policy='evict_last')
    tmp6 = tl.load(in_ptr3 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp8 = tl.load(in_ptr4 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp11 = tl.load(in_ptr5 + (r0_1), None, eviction_policy='evict_last')
    tmp18 = tl.load(in_out_ptr0 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp2 = tmp1.to(tl.float32)
    tmp3 = tmp0 + tmp2
    tmp5 = tmp3 * tmp4
    tmp7 = tmp6.to(tl.float32)
    tmp9 = tmp8.to(tl.float32)
    tmp10 = tmp7 + tmp9
    tmp12 = tmp10 * tmp11
    tmp13 = tmp5 * tmp12
    tmp14 = tl.broadcast_to(tmp13, [XBLOCK, R0_BLOCK])
    tmp16 = tl.where(xmask, tmp14, 0)
    tmp17 = tl.sum(tmp16, 1)[:, None].to(tl.float32)
    tmp19 = tl.full([1, 1], 0.00390625, tl.float32)
    tmp20 = tmp5 * tmp19
    tmp21 = tmp20 * tmp17
    tmp22 = tmp12 - tmp21
    tmp23 = tmp22 * tmp4
    tmp24 = tmp18 + tmp23
    tmp25 = tmp24.to(tl.float32)
    tl.store(in_out_ptr0 + (r0_1 + 256*x0), tmp24, xmask)
    tl.store(out_ptr1 + (r0_1 + 256*x0), tmp25, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/6n/c6n7dfzf7g4adqdamrbes3ejcz7ugnqpmf2kbhvojcea3bg444cl.py
# Topologically Sorted Source Nodes: [view_108, convert_element_type_218, view_110, convert_element_type_227, add_70, linear_1, x_1, hidden, mul_159, sum_20, view_118, convert_element_type_239, rms_norm, mul_173, sum_22], Original ATen: [aten.view, aten._to_copy, aten.add, aten._unsafe_view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
# Source node to ATen node mapping:
#   add_70 => add_70
#   convert_element_type_218 => convert_element_type_218
#   convert_element_type_227 => convert_element_type_227
#   convert_element_type_239 => convert_element_type_239
#   hidden => mul_12
#   linear_1 => view_7
#   mul_159 => mul_159
#   mul_173 => mul_173
#   rms_norm => mul
#   sum_20 => sum_20
#   sum_22 => sum_22
#   view_108 => view_108
#   view_110 => view_110
#   view_118 => view_118
#   x_1 => add_3
# Graph fragment:
#   %mm_56 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_56]
#   %mm_58 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_58]
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %mm_1 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_1]
#   %rsqrt_1 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt_1]
#   %mm_62 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_62]
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %view_108 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_56, [4, 128, 256]), kwargs = {})
#   %convert_element_type_218 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_108, torch.float32), kwargs = {})
#   %view_110 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_58, [4, 128, 256]), kwargs = {})
#   %convert_element_type_227 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_110, torch.float32), kwargs = {})
#   %add_70 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%convert_element_type_218, %convert_element_type_227), kwargs = {})
#   %view_7 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_1, [4, 128, 256]), kwargs = {})
#   %add_3 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%embedding, %view_7), kwargs = {})
#   %mul_12 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_3, %rsqrt_1), kwargs = {})
#   %mul_159 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add_70, %mul_12), kwargs = {})
#   %sum_20 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_159, [0, 1]), kwargs = {})
#   %view_118 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_62, [4, 128, 256]), kwargs = {})
#   %convert_element_type_239 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_118, torch.float32), kwargs = {})
#   %mul : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%embedding, %rsqrt), kwargs = {})
#   %mul_173 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_239, %mul), kwargs = {})
#   %sum_22 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_173, [0, 1]), kwargs = {})
#   return %buf124,%buf142
triton_red_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_16 = async_compile.triton('triton_red_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_16', '''
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
    triton_meta={'signature': {'in_ptr0': '*bf16', 'in_ptr1': '*bf16', 'in_ptr2': '*fp32', 'in_ptr3': '*bf16', 'in_ptr4': '*fp32', 'in_ptr5': '*bf16', 'in_ptr6': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_red_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_16', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 7, 'num_store': 2, 'num_reduction': 2, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 1589248, 'r0_': 4096}}
)
@triton.jit
def triton_red_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_16(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
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
    _tmp13 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    _tmp21 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp2 = tl.load(in_ptr1 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp5 = tl.load(in_ptr2 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp6 = tl.load(in_ptr3 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp9 = tl.load(in_ptr4 + (r0_2 + 128*x1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp15 = tl.load(in_ptr5 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp17 = tl.load(in_ptr6 + (r0_2 + 128*x1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp1 = tmp0.to(tl.float32)
        tmp3 = tmp2.to(tl.float32)
        tmp4 = tmp1 + tmp3
        tmp7 = tmp6.to(tl.float32)
        tmp8 = tmp5 + tmp7
        tmp10 = tmp8 * tmp9
        tmp11 = tmp4 * tmp10
        tmp12 = tl.broadcast_to(tmp11, [XBLOCK, R0_BLOCK])
        tmp14 = _tmp13 + tmp12
        _tmp13 = tl.where(r0_mask & xmask, tmp14, _tmp13)
        tmp16 = tmp15.to(tl.float32)
        tmp18 = tmp5 * tmp17
        tmp19 = tmp16 * tmp18
        tmp20 = tl.broadcast_to(tmp19, [XBLOCK, R0_BLOCK])
        tmp22 = _tmp21 + tmp20
        _tmp21 = tl.where(r0_mask & xmask, tmp22, _tmp21)
    tmp13 = tl.sum(_tmp13, 1)[:, None]
    tmp21 = tl.sum(_tmp21, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp13, xmask)
    tl.store(out_ptr1 + (x3), tmp21, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/he/cheaktyauloynmpufowzmajr27ey2zxwb3m4qztpscv63lk7hmpv.py
# Topologically Sorted Source Nodes: [full_30], Original ATen: [aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   full_30 => full_default_35
# Graph fragment:
#   %full_default_35 : Tensor "f32[1024, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([1024, 256], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   return %index_put
triton_poi_fused_embedding_dense_backward_17 = async_compile.triton('triton_poi_fused_embedding_dense_backward_17', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_poi_fused_embedding_dense_backward_17', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 0, 'num_store': 1, 'num_reduction': 0, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 2097152}},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused_embedding_dense_backward_17(out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = xindex
    tmp0 = tl.full([1], 0.0, tl.float32)
    tl.store(out_ptr0 + (x0), tmp0, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/ew/cew73zo2makfqlgrvlxnuwquhhhop7eoaptpn5zwuh43y3pa73lq.py
# Topologically Sorted Source Nodes: [cross_entropy, view_118, convert_element_type_239, mul_168, rms_norm, mul_170, sum_21, div_22, mul_171, sub_23, mul_172, add_80, eq, unsqueeze_26, where_4, full_30, index_put], Original ATen: [aten.nll_loss_forward, aten.view, aten._to_copy, aten._fused_rms_norm_backward, aten._fused_rms_norm, aten.add, aten.embedding_dense_backward]
# Source node to ATen node mapping:
#   add_80 => add_80
#   convert_element_type_239 => convert_element_type_239
#   cross_entropy => full_default_1
#   div_22 => div_22
#   eq => eq
#   full_30 => full_default_35
#   index_put => index_put
#   mul_168 => mul_168
#   mul_170 => mul_170
#   mul_171 => mul_171
#   mul_172 => mul_172
#   rms_norm => mul
#   sub_23 => sub_23
#   sum_21 => sum_21
#   unsqueeze_26 => unsqueeze_26
#   view_118 => view_118
#   where_4 => where_4
# Graph fragment:
#   %embedding : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=embedding]
#   %rsqrt : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %mm_62 : Tensor "bf16[512, 256][256, 1]cuda:0" = PlaceHolder[target=mm_62]
#   %primals_3 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=primals_3]
#   %primals_2 : Tensor "i64[4, 128][128, 1]cuda:0" = PlaceHolder[target=primals_2]
#   %add_71 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=add_71]
#   %sum_21 : Tensor "f32[4, 128, 1][128, 1, 512]cuda:0" = PlaceHolder[target=sum_21]
#   %index_put : Tensor "f32[1024, 256][256, 1]cuda:0" = PlaceHolder[target=index_put]
#   %full_default_1 : Tensor "f32[][]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.full.default](args = ([], 0.0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %view_118 : Tensor "bf16[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_62, [4, 128, 256]), kwargs = {})
#   %convert_element_type_239 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_118, torch.float32), kwargs = {})
#   %mul_168 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_239, %primals_3), kwargs = {})
#   %mul : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%embedding, %rsqrt), kwargs = {})
#   %mul_170 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul, %mul_168), kwargs = {})
#   %sum_21 : Tensor "f32[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_170, [2], True), kwargs = {})
#   %div_22 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%mul, 256), kwargs = {})
#   %mul_171 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_22, %sum_21), kwargs = {})
#   %sub_23 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_168, %mul_171), kwargs = {})
#   %mul_172 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub_23, %rsqrt), kwargs = {})
#   %add_80 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_71, %mul_172), kwargs = {})
#   %eq : Tensor "b8[4, 128][128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.eq.Scalar](args = (%primals_2, -1), kwargs = {})
#   %unsqueeze_26 : Tensor "b8[4, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.unsqueeze.default](args = (%eq, -1), kwargs = {})
#   %where_4 : Tensor "f32[4, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.where.self](args = (%unsqueeze_26, %full_default_1, %add_80), kwargs = {})
#   %full_default_35 : Tensor "f32[1024, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([1024, 256], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %index_put : Tensor "f32[1024, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.index_put_.default](args = (%full_default_35, [%primals_2], %where_4, True), kwargs = {})
#   return %sum_21,%buf145
triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy_add_embedding_dense_backward_nll_loss_forward_view_18 = async_compile.triton('triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy_add_embedding_dense_backward_nll_loss_forward_view_18', '''
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
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*bf16', 'in_ptr3': '*fp32', 'in_ptr4': '*i64', 'in_ptr5': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'autotune_hints': set(), 'kernel_name': 'triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy_add_embedding_dense_backward_nll_loss_forward_view_18', 'mutated_arg_names': ['out_ptr1'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': True, 'num_load': 6, 'num_store': 1, 'num_reduction': 1, 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False, 'tiling_scores': {'x': 6144, 'r0_': 1311744}}
)
@triton.jit
def triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy_add_embedding_dense_backward_nll_loss_forward_view_18(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
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
    tmp1 = tl.load(in_ptr1 + (x0), xmask, eviction_policy='evict_last')
    tmp3 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, other=0.0).to(tl.float32)
    tmp5 = tl.load(in_ptr3 + (r0_1), None, eviction_policy='evict_last')
    tmp12 = tl.load(in_ptr4 + (x0), xmask, eviction_policy='evict_last')
    tmp20 = tl.load(in_ptr5 + (r0_1 + 256*x0), xmask, other=0.0)
    tmp2 = tmp0 * tmp1
    tmp4 = tmp3.to(tl.float32)
    tmp6 = tmp4 * tmp5
    tmp7 = tmp2 * tmp6
    tmp8 = tl.broadcast_to(tmp7, [XBLOCK, R0_BLOCK])
    tmp10 = tl.where(xmask, tmp8, 0)
    tmp11 = tl.sum(tmp10, 1)[:, None].to(tl.float32)
    tmp13 = tl.full([1, 1], 1024, tl.int32)
    tmp14 = tmp12 + tmp13
    tmp15 = tmp12 < 0
    tmp16 = tl.where(tmp15, tmp14, tmp12)
    tl.device_assert(((0 <= tmp16) & (tmp16 < 1024)) | ~(xmask), "index out of bounds: 0 <= tmp16 < 1024")
    tmp18 = tl.full([1, 1], -1, tl.int64)
    tmp19 = tmp12 == tmp18
    tmp21 = tl.full([1, 1], 0.00390625, tl.float32)
    tmp22 = tmp2 * tmp21
    tmp23 = tmp22 * tmp11
    tmp24 = tmp6 - tmp23
    tmp25 = tmp24 * tmp1
    tmp26 = tmp20 + tmp25
    tmp27 = tl.full([1, 1], 0.0, tl.float32)
    tmp28 = tl.where(tmp19, tmp27, tmp26)
    tl.atomic_add(out_ptr1 + (tl.broadcast_to(r0_1 + 256*tmp16, [XBLOCK, R0_BLOCK])), tmp28, xmask, sem='relaxed')
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
        primals_2, primals_3, primals_6, primals_10, primals_13, primals_17, primals_20, primals_24, primals_27, primals_31, embedding, rsqrt, view, select_2, view_3, view_4, getitem, getitem_1, getitem_6, getitem_7, view_6, mm_1, rsqrt_1, view_8, mm_2, mm_3, view_12, rsqrt_2, mul_15, view_14, select_5, view_17, view_18, getitem_9, getitem_10, getitem_15, getitem_16, view_20, rsqrt_3, mul_27, view_22, mm_7, mm_8, view_26, rsqrt_4, mul_30, view_28, select_8, view_31, view_32, getitem_18, getitem_19, getitem_24, getitem_25, view_34, rsqrt_5, mul_42, view_36, mm_12, mm_13, view_40, rsqrt_6, mul_45, view_42, select_11, view_45, view_46, getitem_27, getitem_28, getitem_33, getitem_34, view_48, rsqrt_7, mul_57, view_50, mm_17, mm_18, view_54, rsqrt_8, mul_60, view_56, mm_20, amax, log, convert_element_type_101, permute_31, permute_35, permute_39, permute_43, permute_47, permute_53, permute_57, permute_61, permute_65, permute_69, permute_75, permute_79, permute_83, permute_87, permute_91, permute_97, permute_101, permute_105, permute_109, permute_113, permute_119, tangents_1 = args
        args.clear()
        assert_size_stride(primals_2, (4, 128), (128, 1))
        assert_size_stride(primals_3, (256, ), (1, ))
        assert_size_stride(primals_6, (256, ), (1, ))
        assert_size_stride(primals_10, (256, ), (1, ))
        assert_size_stride(primals_13, (256, ), (1, ))
        assert_size_stride(primals_17, (256, ), (1, ))
        assert_size_stride(primals_20, (256, ), (1, ))
        assert_size_stride(primals_24, (256, ), (1, ))
        assert_size_stride(primals_27, (256, ), (1, ))
        assert_size_stride(primals_31, (256, ), (1, ))
        assert_size_stride(embedding, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(rsqrt, (4, 128, 1), (128, 1, 1))
        assert_size_stride(view, (512, 256), (256, 1))
        assert_size_stride(select_2, (4, 4, 128, 64), (98304, 64, 768, 1))
        assert_size_stride(view_3, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(view_4, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem_1, (4, 4, 128, 1), (512, 128, 1, 1))
        assert_size_stride(getitem_6, (), ())
        assert_size_stride(getitem_7, (), ())
        assert_size_stride(view_6, (512, 256), (256, 1))
        assert_size_stride(mm_1, (512, 256), (256, 1))
        assert_size_stride(rsqrt_1, (4, 128, 1), (128, 1, 1))
        assert_size_stride(view_8, (512, 256), (256, 1))
        assert_size_stride(mm_2, (512, 512), (512, 1))
        assert_size_stride(mm_3, (512, 512), (512, 1))
        assert_size_stride(view_12, (512, 512), (512, 1))
        assert_size_stride(rsqrt_2, (4, 128, 1), (128, 1, 1))
        assert_size_stride(mul_15, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(view_14, (512, 256), (256, 1))
        assert_size_stride(select_5, (4, 4, 128, 64), (98304, 64, 768, 1))
        assert_size_stride(view_17, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(view_18, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem_9, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem_10, (4, 4, 128, 1), (512, 128, 1, 1))
        assert_size_stride(getitem_15, (), ())
        assert_size_stride(getitem_16, (), ())
        assert_size_stride(view_20, (512, 256), (256, 1))
        assert_size_stride(rsqrt_3, (4, 128, 1), (128, 1, 1))
        assert_size_stride(mul_27, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(view_22, (512, 256), (256, 1))
        assert_size_stride(mm_7, (512, 512), (512, 1))
        assert_size_stride(mm_8, (512, 512), (512, 1))
        assert_size_stride(view_26, (512, 512), (512, 1))
        assert_size_stride(rsqrt_4, (4, 128, 1), (128, 1, 1))
        assert_size_stride(mul_30, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(view_28, (512, 256), (256, 1))
        assert_size_stride(select_8, (4, 4, 128, 64), (98304, 64, 768, 1))
        assert_size_stride(view_31, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(view_32, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem_18, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem_19, (4, 4, 128, 1), (512, 128, 1, 1))
        assert_size_stride(getitem_24, (), ())
        assert_size_stride(getitem_25, (), ())
        assert_size_stride(view_34, (512, 256), (256, 1))
        assert_size_stride(rsqrt_5, (4, 128, 1), (128, 1, 1))
        assert_size_stride(mul_42, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(view_36, (512, 256), (256, 1))
        assert_size_stride(mm_12, (512, 512), (512, 1))
        assert_size_stride(mm_13, (512, 512), (512, 1))
        assert_size_stride(view_40, (512, 512), (512, 1))
        assert_size_stride(rsqrt_6, (4, 128, 1), (128, 1, 1))
        assert_size_stride(mul_45, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(view_42, (512, 256), (256, 1))
        assert_size_stride(select_11, (4, 4, 128, 64), (98304, 64, 768, 1))
        assert_size_stride(view_45, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(view_46, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem_27, (4, 4, 128, 64), (32768, 8192, 64, 1))
        assert_size_stride(getitem_28, (4, 4, 128, 1), (512, 128, 1, 1))
        assert_size_stride(getitem_33, (), ())
        assert_size_stride(getitem_34, (), ())
        assert_size_stride(view_48, (512, 256), (256, 1))
        assert_size_stride(rsqrt_7, (4, 128, 1), (128, 1, 1))
        assert_size_stride(mul_57, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(view_50, (512, 256), (256, 1))
        assert_size_stride(mm_17, (512, 512), (512, 1))
        assert_size_stride(mm_18, (512, 512), (512, 1))
        assert_size_stride(view_54, (512, 512), (512, 1))
        assert_size_stride(rsqrt_8, (4, 128, 1), (128, 1, 1))
        assert_size_stride(mul_60, (4, 128, 256), (32768, 256, 1))
        assert_size_stride(view_56, (512, 256), (256, 1))
        assert_size_stride(mm_20, (512, 1024), (1024, 1))
        assert_size_stride(amax, (508, 1), (1, 1))
        assert_size_stride(log, (508, 1), (1, 1))
        assert_size_stride(convert_element_type_101, (), ())
        assert_size_stride(permute_31, (1024, 256), (256, 1))
        assert_size_stride(permute_35, (256, 512), (512, 1))
        assert_size_stride(permute_39, (512, 256), (256, 1))
        assert_size_stride(permute_43, (512, 256), (256, 1))
        assert_size_stride(permute_47, (256, 256), (256, 1))
        assert_size_stride(permute_53, (768, 256), (256, 1))
        assert_size_stride(permute_57, (256, 512), (512, 1))
        assert_size_stride(permute_61, (512, 256), (256, 1))
        assert_size_stride(permute_65, (512, 256), (256, 1))
        assert_size_stride(permute_69, (256, 256), (256, 1))
        assert_size_stride(permute_75, (768, 256), (256, 1))
        assert_size_stride(permute_79, (256, 512), (512, 1))
        assert_size_stride(permute_83, (512, 256), (256, 1))
        assert_size_stride(permute_87, (512, 256), (256, 1))
        assert_size_stride(permute_91, (256, 256), (256, 1))
        assert_size_stride(permute_97, (768, 256), (256, 1))
        assert_size_stride(permute_101, (256, 512), (512, 1))
        assert_size_stride(permute_105, (512, 256), (256, 1))
        assert_size_stride(permute_109, (512, 256), (256, 1))
        assert_size_stride(permute_113, (256, 256), (256, 1))
        assert_size_stride(permute_119, (768, 256), (256, 1))
        assert_size_stride(tangents_1, (), ())
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            buf0 = empty_strided_cuda((508, 1), (1, 508), torch.float32)
            # Topologically Sorted Source Nodes: [div_13, getitem_37, flatten_9, unsqueeze_25, ne_3, cross_entropy, where_2, , where_3, mul_62, sum_4], Original ATen: [aten.nll_loss_backward, aten.slice, aten.clone, aten._unsafe_view, aten.nll_loss_forward, aten.arange, aten.view, aten.expand, aten.eq, aten.scalar_tensor, aten.where, aten._log_softmax_backward_data]
            # [Provenance debug handles] triton_red_fused__log_softmax_backward_data__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_view_where_0:1
            stream0 = get_raw_stream(0)
            triton_red_fused__log_softmax_backward_data__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_view_where_0.run(primals_2, tangents_1, convert_element_type_101, buf0, 508, 1024, stream=stream0)
            buf1 = empty_strided_cuda((4, 128, 1024), (131072, 1024, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [div_13, getitem_37, flatten_9, unsqueeze_25, ne_3, cross_entropy, where_2, , where_3, mul_62, logits, getitem_36, flatten_8, float_1, exp_5, mul_63, sub_10, convert_element_type_102, view_60, full_1, _generalized_scatter], Original ATen: [aten.nll_loss_backward, aten.slice, aten.clone, aten._unsafe_view, aten.nll_loss_forward, aten.arange, aten.view, aten.expand, aten.eq, aten.scalar_tensor, aten.where, aten._to_copy, aten._log_softmax, aten._log_softmax_backward_data, aten.slice_backward]
            # [Provenance debug handles] triton_poi_fused__log_softmax__log_softmax_backward_data__to_copy__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_slice_backward_view_where_1:2
            stream0 = get_raw_stream(0)
            triton_poi_fused__log_softmax__log_softmax_backward_data__to_copy__unsafe_view_arange_clone_eq_expand_nll_loss_backward_nll_loss_forward_scalar_tensor_slice_slice_backward_view_where_1.run(primals_2, tangents_1, convert_element_type_101, mm_20, amax, log, buf0, buf1, 524288, stream=stream0)
            del amax
            del buf0
            del convert_element_type_101
            del log
            del mm_20
            del tangents_1
            buf2 = empty_strided_cuda((1024, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_61, permute_29, permute_32], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:3
            extern_kernels.mm(reinterpret_tensor(buf1, (1024, 512), (1, 1024), 0), view_56, out=buf2)
            del view_56
            buf3 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_61, mm_22], Original ATen: [aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:4
            extern_kernels.mm(reinterpret_tensor(buf1, (512, 1024), (1024, 1), 0), permute_31, out=buf3)
            del buf1
            del permute_31
            buf4 = empty_strided_cuda((1024, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_108], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_2:5
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_2.run(buf2, buf4, 262144, stream=stream0)
            buf6 = empty_strided_cuda((4, 128, 256), (32768, 256, 1), torch.float32)
            buf9 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_62, convert_element_type_107, mul_64, mul_66, sum_5, div_14, mul_67, sub_11, mul_68, convert_element_type_109, view_63], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_3:6
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_3.run(mul_60, buf3, primals_31, rsqrt_8, buf6, buf9, 512, 256, stream=stream0)
            del primals_31
            del rsqrt_8
            buf7 = empty_strided_cuda((256, 4), (1, 256), torch.float32)
            # Topologically Sorted Source Nodes: [view_62, convert_element_type_107, mul_69, sum_6], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm_backward__to_copy_view_4:7
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm_backward__to_copy_view_4.run(buf3, mul_60, buf7, 1024, 128, stream=stream0)
            del mul_60
            buf8 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_62, convert_element_type_107, mul_69, sum_6], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:8
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf7, buf8, 256, 4, stream=stream0)
            buf10 = reinterpret_tensor(buf3, (256, 512), (512, 1), 0); del buf3  # reuse
            # Topologically Sorted Source Nodes: [permute_33, permute_36], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:9
            extern_kernels.mm(reinterpret_tensor(buf9, (256, 512), (1, 256), 0), view_54, out=buf10)
            del view_54
            buf11 = reinterpret_tensor(buf2, (512, 512), (512, 1), 0); del buf2  # reuse
            # Topologically Sorted Source Nodes: [mm_24], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:10
            extern_kernels.mm(buf9, permute_35, out=buf11)
            del permute_35
            buf12 = empty_strided_cuda((256, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_114], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:11
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf10, buf12, 131072, stream=stream0)
            buf13 = empty_strided_cuda((4, 128, 512), (65536, 512, 1), torch.bfloat16)
            buf17 = reinterpret_tensor(mm_18, (4, 128, 512), (65536, 512, 1), 0); del mm_18  # reuse
            # Topologically Sorted Source Nodes: [view_64, linear_17, silu_3, mul_70, linear_18, mul_71, convert_element_type_121, reciprocal, mul_72, mul_73, sub_12, mul_74, add_30, mul_75, convert_element_type_123], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7:12
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7.run(buf17, buf11, mm_17, buf13, 262144, stream=stream0)
            del buf11
            del mm_17
            buf14 = reinterpret_tensor(buf10, (512, 256), (256, 1), 0); del buf10  # reuse
            # Topologically Sorted Source Nodes: [view_64, linear_17, silu_3, mul_70, view_65, permute_37, permute_40], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:13
            extern_kernels.mm(reinterpret_tensor(buf13, (512, 512), (1, 512), 0), view_50, out=buf14)
            buf15 = buf9; del buf9  # reuse
            # Topologically Sorted Source Nodes: [view_64, linear_17, silu_3, mul_70, view_65, mm_26], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:14
            extern_kernels.mm(reinterpret_tensor(buf13, (512, 512), (512, 1), 0), permute_39, out=buf15)
            del permute_39
            buf16 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_120], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:15
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf14, buf16, 131072, stream=stream0)
            buf18 = buf14; del buf14  # reuse
            # Topologically Sorted Source Nodes: [view_64, linear_17, silu_3, linear_18, mul_71, convert_element_type_121, reciprocal, mul_72, mul_73, sub_12, mul_74, add_30, mul_75, convert_element_type_123, view_67, permute_41, permute_44], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:16
            extern_kernels.mm(reinterpret_tensor(buf17, (512, 512), (1, 512), 0), view_50, out=buf18)
            del view_50
            buf19 = empty_strided_cuda((512, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [view_64, linear_17, silu_3, linear_18, mul_71, convert_element_type_121, reciprocal, mul_72, mul_73, sub_12, mul_74, add_30, mul_75, convert_element_type_123, view_67, mm_28], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:17
            extern_kernels.mm(reinterpret_tensor(buf17, (512, 512), (512, 1), 0), permute_43, out=buf19)
            del permute_43
            buf20 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_129], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:18
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf18, buf20, 131072, stream=stream0)
            buf24 = buf6; del buf6  # reuse
            buf25 = buf18; del buf18  # reuse
            # Topologically Sorted Source Nodes: [view_66, convert_element_type_119, view_68, convert_element_type_128, add_31, mul_76, mul_78, sum_7, div_15, mul_79, sub_13, mul_80, add_32, convert_element_type_130, view_69], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8:19
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8.run(buf24, mul_57, buf15, buf19, primals_27, rsqrt_7, buf25, 512, 256, stream=stream0)
            del primals_27
            del rsqrt_7
            buf22 = buf7; del buf7  # reuse
            # Topologically Sorted Source Nodes: [view_66, convert_element_type_119, view_68, convert_element_type_128, add_31, mul_81, sum_8], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9:20
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9.run(buf15, buf19, mul_57, buf22, 1024, 128, stream=stream0)
            del buf15
            del mul_57
            buf23 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_66, convert_element_type_119, view_68, convert_element_type_128, add_31, mul_81, sum_8], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:21
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf22, buf23, 256, 4, stream=stream0)
            buf26 = empty_strided_cuda((256, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [permute_45, permute_48], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:22
            extern_kernels.mm(reinterpret_tensor(buf25, (256, 512), (1, 256), 0), view_48, out=buf26)
            del view_48
            buf27 = buf19; del buf19  # reuse
            # Topologically Sorted Source Nodes: [mm_30], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:23
            extern_kernels.mm(buf25, permute_47, out=buf27)
            del buf25
            del permute_47
            buf28 = empty_strided_cuda((256, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_135], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_10:24
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_10.run(buf26, buf28, 65536, stream=stream0)
            # Topologically Sorted Source Nodes: [view_70, view_71, permute_49, _scaled_dot_product_cudnn_attention_backward], Original ATen: [aten.view, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:25
            buf29 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf27, (4, 4, 128, 64), (32768, 64, 256, 1), 0), view_45, view_46, select_11, getitem_27, getitem_28, getitem_33, getitem_34, None, None, None, 128, 128, 0.0, True)
            del getitem_27
            del getitem_28
            del getitem_33
            del getitem_34
            del select_11
            del view_45
            del view_46
            buf30 = buf29[0]
            assert_size_stride(buf30, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf30, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf31 = buf29[1]
            assert_size_stride(buf31, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf31, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf32 = buf29[2]
            assert_size_stride(buf32, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf32, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf29
            buf33 = reinterpret_tensor(buf27, (4, 4, 128, 64), (32768, 8192, 64, 1), 0); del buf27  # reuse
            # Topologically Sorted Source Nodes: [view_72, select_12, select_13, arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, mul_82, sin, sin_1, mul_83, neg_14, mul_84, add_33, mul_85, add_34, full_2, _generalized_scatter_1, _generalized_scatter_2, add_35], Original ATen: [aten.view, aten.select, aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.add, aten.slice_backward]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:26
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf31, buf33, 131072, stream=stream0)
            buf34 = buf31; del buf31  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, full_2, view_73, select_14, select_15, mul_86, mul_87, neg_15, mul_88, add_36, mul_89, add_37, _generalized_scatter_3, _generalized_scatter_4, add_38], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:27
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf30, buf34, 131072, stream=stream0)
            del buf30
            buf35 = empty_strided_cuda((4, 128, 3, 4, 64), (98304, 768, 256, 64, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_5, _generalized_scatter_6, add_39, _generalized_scatter_7, add_40, permute_50, clone_6], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_permute_select_backward_12:28
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_permute_select_backward_12.run(buf32, buf33, buf34, buf35, 393216, stream=stream0)
            buf36 = empty_strided_cuda((768, 256), (256, 1), torch.bfloat16)
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_5, _generalized_scatter_6, add_39, _generalized_scatter_7, add_40, permute_50, clone_6, view_74, view_75, permute_51, permute_54], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:29
            extern_kernels.mm(reinterpret_tensor(buf35, (768, 512), (1, 768), 0), view_42, out=buf36)
            del view_42
            buf37 = reinterpret_tensor(buf34, (512, 256), (256, 1), 0); del buf34  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_5, _generalized_scatter_6, add_39, _generalized_scatter_7, add_40, permute_50, clone_6, view_74, view_75, mm_32], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:30
            extern_kernels.mm(reinterpret_tensor(buf35, (512, 768), (768, 1), 0), permute_53, out=buf37)
            del permute_53
            buf38 = empty_strided_cuda((768, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_141], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_13:31
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_13.run(buf36, buf38, 196608, stream=stream0)
            buf42 = buf24; del buf24  # reuse
            buf43 = reinterpret_tensor(buf33, (512, 256), (256, 1), 0); del buf33  # reuse
            # Topologically Sorted Source Nodes: [view_76, convert_element_type_140, mul_90, mul_92, sum_9, div_16, mul_93, sub_14, mul_94, add_41, convert_element_type_142, view_77], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward, aten.add]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14:32
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14.run(buf42, mul_45, buf37, primals_24, rsqrt_6, buf43, 512, 256, stream=stream0)
            del primals_24
            del rsqrt_6
            buf40 = buf22; del buf22  # reuse
            # Topologically Sorted Source Nodes: [view_76, convert_element_type_140, mul_95, sum_10], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm_backward__to_copy_view_4:33
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm_backward__to_copy_view_4.run(buf37, mul_45, buf40, 1024, 128, stream=stream0)
            del mul_45
            buf41 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_76, convert_element_type_140, mul_95, sum_10], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:34
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf40, buf41, 256, 4, stream=stream0)
            buf44 = reinterpret_tensor(buf37, (256, 512), (512, 1), 0); del buf37  # reuse
            # Topologically Sorted Source Nodes: [permute_55, permute_58], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:35
            extern_kernels.mm(reinterpret_tensor(buf43, (256, 512), (1, 256), 0), view_40, out=buf44)
            del view_40
            buf45 = reinterpret_tensor(buf17, (512, 512), (512, 1), 0); del buf17  # reuse
            # Topologically Sorted Source Nodes: [mm_34], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:36
            extern_kernels.mm(buf43, permute_57, out=buf45)
            del permute_57
            buf46 = empty_strided_cuda((256, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_147], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:37
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf44, buf46, 131072, stream=stream0)
            buf47 = buf13; del buf13  # reuse
            buf51 = reinterpret_tensor(mm_13, (4, 128, 512), (65536, 512, 1), 0); del mm_13  # reuse
            # Topologically Sorted Source Nodes: [view_78, linear_12, silu_2, mul_96, linear_13, mul_97, convert_element_type_154, reciprocal_1, mul_98, mul_99, sub_15, mul_100, add_43, mul_101, convert_element_type_156], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7:38
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7.run(buf51, buf45, mm_12, buf47, 262144, stream=stream0)
            del buf45
            del mm_12
            buf48 = reinterpret_tensor(buf44, (512, 256), (256, 1), 0); del buf44  # reuse
            # Topologically Sorted Source Nodes: [view_78, linear_12, silu_2, mul_96, view_79, permute_59, permute_62], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:39
            extern_kernels.mm(reinterpret_tensor(buf47, (512, 512), (1, 512), 0), view_36, out=buf48)
            buf49 = buf43; del buf43  # reuse
            # Topologically Sorted Source Nodes: [view_78, linear_12, silu_2, mul_96, view_79, mm_36], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:40
            extern_kernels.mm(reinterpret_tensor(buf47, (512, 512), (512, 1), 0), permute_61, out=buf49)
            del permute_61
            buf50 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_153], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:41
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf48, buf50, 131072, stream=stream0)
            buf52 = buf48; del buf48  # reuse
            # Topologically Sorted Source Nodes: [view_78, linear_12, silu_2, linear_13, mul_97, convert_element_type_154, reciprocal_1, mul_98, mul_99, sub_15, mul_100, add_43, mul_101, convert_element_type_156, view_81, permute_63, permute_66], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:42
            extern_kernels.mm(reinterpret_tensor(buf51, (512, 512), (1, 512), 0), view_36, out=buf52)
            del view_36
            buf53 = reinterpret_tensor(buf32, (512, 256), (256, 1), 0); del buf32  # reuse
            # Topologically Sorted Source Nodes: [view_78, linear_12, silu_2, linear_13, mul_97, convert_element_type_154, reciprocal_1, mul_98, mul_99, sub_15, mul_100, add_43, mul_101, convert_element_type_156, view_81, mm_38], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:43
            extern_kernels.mm(reinterpret_tensor(buf51, (512, 512), (512, 1), 0), permute_65, out=buf53)
            del permute_65
            buf54 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_162], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:44
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf52, buf54, 131072, stream=stream0)
            buf58 = buf42; del buf42  # reuse
            buf59 = buf52; del buf52  # reuse
            # Topologically Sorted Source Nodes: [view_80, convert_element_type_152, view_82, convert_element_type_161, add_44, mul_102, mul_104, sum_11, div_17, mul_105, sub_16, mul_106, add_45, convert_element_type_163, view_83], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8:45
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8.run(buf58, mul_42, buf49, buf53, primals_20, rsqrt_5, buf59, 512, 256, stream=stream0)
            del primals_20
            del rsqrt_5
            buf56 = buf40; del buf40  # reuse
            # Topologically Sorted Source Nodes: [view_80, convert_element_type_152, view_82, convert_element_type_161, add_44, mul_107, sum_12], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9:46
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9.run(buf49, buf53, mul_42, buf56, 1024, 128, stream=stream0)
            del buf49
            del mul_42
            buf57 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_80, convert_element_type_152, view_82, convert_element_type_161, add_44, mul_107, sum_12], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:47
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf56, buf57, 256, 4, stream=stream0)
            buf60 = buf26; del buf26  # reuse
            # Topologically Sorted Source Nodes: [permute_67, permute_70], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:48
            extern_kernels.mm(reinterpret_tensor(buf59, (256, 512), (1, 256), 0), view_34, out=buf60)
            del view_34
            buf61 = buf53; del buf53  # reuse
            # Topologically Sorted Source Nodes: [mm_40], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:49
            extern_kernels.mm(buf59, permute_69, out=buf61)
            del buf59
            del permute_69
            buf62 = empty_strided_cuda((256, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_168], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_10:50
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_10.run(buf60, buf62, 65536, stream=stream0)
            # Topologically Sorted Source Nodes: [view_84, view_85, permute_71, _scaled_dot_product_cudnn_attention_backward_1], Original ATen: [aten.view, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:51
            buf63 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf61, (4, 4, 128, 64), (32768, 64, 256, 1), 0), view_31, view_32, select_8, getitem_18, getitem_19, getitem_24, getitem_25, None, None, None, 128, 128, 0.0, True)
            del getitem_18
            del getitem_19
            del getitem_24
            del getitem_25
            del select_8
            del view_31
            del view_32
            buf64 = buf63[0]
            assert_size_stride(buf64, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf64, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf65 = buf63[1]
            assert_size_stride(buf65, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf65, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf66 = buf63[2]
            assert_size_stride(buf66, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf66, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf63
            buf67 = reinterpret_tensor(buf61, (4, 4, 128, 64), (32768, 8192, 64, 1), 0); del buf61  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, full_2, view_86, select_16, select_17, mul_108, mul_109, neg_17, mul_110, add_46, mul_111, add_47, _generalized_scatter_8, _generalized_scatter_9, add_48], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:52
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf65, buf67, 131072, stream=stream0)
            buf68 = buf65; del buf65  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, full_2, view_87, select_18, select_19, mul_112, mul_113, neg_18, mul_114, add_49, mul_115, add_50, _generalized_scatter_10, _generalized_scatter_11, add_51], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:53
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf64, buf68, 131072, stream=stream0)
            del buf64
            buf69 = buf35; del buf35  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_12, _generalized_scatter_13, add_52, _generalized_scatter_14, add_53, permute_72, clone_7], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_permute_select_backward_12:54
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_permute_select_backward_12.run(buf66, buf67, buf68, buf69, 393216, stream=stream0)
            buf70 = buf36; del buf36  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_12, _generalized_scatter_13, add_52, _generalized_scatter_14, add_53, permute_72, clone_7, view_88, view_89, permute_73, permute_76], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:55
            extern_kernels.mm(reinterpret_tensor(buf69, (768, 512), (1, 768), 0), view_28, out=buf70)
            del view_28
            buf71 = reinterpret_tensor(buf68, (512, 256), (256, 1), 0); del buf68  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_12, _generalized_scatter_13, add_52, _generalized_scatter_14, add_53, permute_72, clone_7, view_88, view_89, mm_42], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:56
            extern_kernels.mm(reinterpret_tensor(buf69, (512, 768), (768, 1), 0), permute_75, out=buf71)
            del permute_75
            buf72 = empty_strided_cuda((768, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_174], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_13:57
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_13.run(buf70, buf72, 196608, stream=stream0)
            buf76 = buf58; del buf58  # reuse
            buf77 = reinterpret_tensor(buf67, (512, 256), (256, 1), 0); del buf67  # reuse
            # Topologically Sorted Source Nodes: [view_90, convert_element_type_173, mul_116, mul_118, sum_13, div_18, mul_119, sub_17, mul_120, add_54, convert_element_type_175, view_91], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward, aten.add]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14:58
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14.run(buf76, mul_30, buf71, primals_17, rsqrt_4, buf77, 512, 256, stream=stream0)
            del primals_17
            del rsqrt_4
            buf74 = buf56; del buf56  # reuse
            # Topologically Sorted Source Nodes: [view_90, convert_element_type_173, mul_121, sum_14], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm_backward__to_copy_view_4:59
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm_backward__to_copy_view_4.run(buf71, mul_30, buf74, 1024, 128, stream=stream0)
            del mul_30
            buf75 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_90, convert_element_type_173, mul_121, sum_14], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:60
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf74, buf75, 256, 4, stream=stream0)
            buf78 = reinterpret_tensor(buf71, (256, 512), (512, 1), 0); del buf71  # reuse
            # Topologically Sorted Source Nodes: [permute_77, permute_80], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:61
            extern_kernels.mm(reinterpret_tensor(buf77, (256, 512), (1, 256), 0), view_26, out=buf78)
            del view_26
            buf79 = reinterpret_tensor(buf51, (512, 512), (512, 1), 0); del buf51  # reuse
            # Topologically Sorted Source Nodes: [mm_44], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:62
            extern_kernels.mm(buf77, permute_79, out=buf79)
            del permute_79
            buf80 = empty_strided_cuda((256, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_180], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:63
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf78, buf80, 131072, stream=stream0)
            buf81 = buf47; del buf47  # reuse
            buf85 = reinterpret_tensor(mm_8, (4, 128, 512), (65536, 512, 1), 0); del mm_8  # reuse
            # Topologically Sorted Source Nodes: [view_92, linear_7, silu_1, mul_122, linear_8, mul_123, convert_element_type_187, reciprocal_2, mul_124, mul_125, sub_18, mul_126, add_56, mul_127, convert_element_type_189], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7:64
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7.run(buf85, buf79, mm_7, buf81, 262144, stream=stream0)
            del buf79
            del mm_7
            buf82 = reinterpret_tensor(buf78, (512, 256), (256, 1), 0); del buf78  # reuse
            # Topologically Sorted Source Nodes: [view_92, linear_7, silu_1, mul_122, view_93, permute_81, permute_84], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:65
            extern_kernels.mm(reinterpret_tensor(buf81, (512, 512), (1, 512), 0), view_22, out=buf82)
            buf83 = buf77; del buf77  # reuse
            # Topologically Sorted Source Nodes: [view_92, linear_7, silu_1, mul_122, view_93, mm_46], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:66
            extern_kernels.mm(reinterpret_tensor(buf81, (512, 512), (512, 1), 0), permute_83, out=buf83)
            del permute_83
            buf84 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_186], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:67
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf82, buf84, 131072, stream=stream0)
            buf86 = buf82; del buf82  # reuse
            # Topologically Sorted Source Nodes: [view_92, linear_7, silu_1, linear_8, mul_123, convert_element_type_187, reciprocal_2, mul_124, mul_125, sub_18, mul_126, add_56, mul_127, convert_element_type_189, view_95, permute_85, permute_88], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:68
            extern_kernels.mm(reinterpret_tensor(buf85, (512, 512), (1, 512), 0), view_22, out=buf86)
            del view_22
            buf87 = reinterpret_tensor(buf66, (512, 256), (256, 1), 0); del buf66  # reuse
            # Topologically Sorted Source Nodes: [view_92, linear_7, silu_1, linear_8, mul_123, convert_element_type_187, reciprocal_2, mul_124, mul_125, sub_18, mul_126, add_56, mul_127, convert_element_type_189, view_95, mm_48], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:69
            extern_kernels.mm(reinterpret_tensor(buf85, (512, 512), (512, 1), 0), permute_87, out=buf87)
            del permute_87
            buf88 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_195], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:70
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf86, buf88, 131072, stream=stream0)
            buf92 = buf76; del buf76  # reuse
            buf93 = buf86; del buf86  # reuse
            # Topologically Sorted Source Nodes: [view_94, convert_element_type_185, view_96, convert_element_type_194, add_57, mul_128, mul_130, sum_15, div_19, mul_131, sub_19, mul_132, add_58, convert_element_type_196, view_97], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8:71
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_add_view_8.run(buf92, mul_27, buf83, buf87, primals_13, rsqrt_3, buf93, 512, 256, stream=stream0)
            del primals_13
            del rsqrt_3
            buf90 = buf74; del buf74  # reuse
            # Topologically Sorted Source Nodes: [view_94, convert_element_type_185, view_96, convert_element_type_194, add_57, mul_133, sum_16], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9:72
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm_backward__to_copy_add_view_9.run(buf83, buf87, mul_27, buf90, 1024, 128, stream=stream0)
            del buf83
            del mul_27
            buf91 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_94, convert_element_type_185, view_96, convert_element_type_194, add_57, mul_133, sum_16], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:73
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf90, buf91, 256, 4, stream=stream0)
            buf94 = buf60; del buf60  # reuse
            # Topologically Sorted Source Nodes: [permute_89, permute_92], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:74
            extern_kernels.mm(reinterpret_tensor(buf93, (256, 512), (1, 256), 0), view_20, out=buf94)
            del view_20
            buf95 = buf87; del buf87  # reuse
            # Topologically Sorted Source Nodes: [mm_50], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:75
            extern_kernels.mm(buf93, permute_91, out=buf95)
            del buf93
            del permute_91
            buf96 = empty_strided_cuda((256, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_201], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_10:76
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_10.run(buf94, buf96, 65536, stream=stream0)
            # Topologically Sorted Source Nodes: [view_98, view_99, permute_93, _scaled_dot_product_cudnn_attention_backward_2], Original ATen: [aten.view, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:77
            buf97 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf95, (4, 4, 128, 64), (32768, 64, 256, 1), 0), view_17, view_18, select_5, getitem_9, getitem_10, getitem_15, getitem_16, None, None, None, 128, 128, 0.0, True)
            del getitem_10
            del getitem_15
            del getitem_16
            del getitem_9
            del select_5
            del view_17
            del view_18
            buf98 = buf97[0]
            assert_size_stride(buf98, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf98, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf99 = buf97[1]
            assert_size_stride(buf99, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf99, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf100 = buf97[2]
            assert_size_stride(buf100, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf100, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf97
            buf101 = reinterpret_tensor(buf95, (4, 4, 128, 64), (32768, 8192, 64, 1), 0); del buf95  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, full_2, view_100, select_20, select_21, mul_134, mul_135, neg_20, mul_136, add_59, mul_137, add_60, _generalized_scatter_15, _generalized_scatter_16, add_61], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:78
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf99, buf101, 131072, stream=stream0)
            buf102 = buf99; del buf99  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, full_2, view_101, select_22, select_23, mul_138, mul_139, neg_21, mul_140, add_62, mul_141, add_63, _generalized_scatter_17, _generalized_scatter_18, add_64], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:79
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf98, buf102, 131072, stream=stream0)
            buf103 = buf69; del buf69  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_19, _generalized_scatter_20, add_65, _generalized_scatter_21, add_66, permute_94, clone_8], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_permute_select_backward_12:80
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_permute_select_backward_12.run(buf100, buf101, buf102, buf103, 393216, stream=stream0)
            buf104 = buf70; del buf70  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_19, _generalized_scatter_20, add_65, _generalized_scatter_21, add_66, permute_94, clone_8, view_102, view_103, permute_95, permute_98], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:81
            extern_kernels.mm(reinterpret_tensor(buf103, (768, 512), (1, 768), 0), view_14, out=buf104)
            del view_14
            buf105 = reinterpret_tensor(buf102, (512, 256), (256, 1), 0); del buf102  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_19, _generalized_scatter_20, add_65, _generalized_scatter_21, add_66, permute_94, clone_8, view_102, view_103, mm_52], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:82
            extern_kernels.mm(reinterpret_tensor(buf103, (512, 768), (768, 1), 0), permute_97, out=buf105)
            del permute_97
            buf106 = empty_strided_cuda((768, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_207], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_13:83
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_13.run(buf104, buf106, 196608, stream=stream0)
            buf110 = buf92; del buf92  # reuse
            buf111 = reinterpret_tensor(buf101, (512, 256), (256, 1), 0); del buf101  # reuse
            # Topologically Sorted Source Nodes: [view_104, convert_element_type_206, mul_142, mul_144, sum_17, div_20, mul_145, sub_20, mul_146, add_67, convert_element_type_208, view_105], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward, aten.add]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14:84
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_add_view_14.run(buf110, mul_15, buf105, primals_10, rsqrt_2, buf111, 512, 256, stream=stream0)
            del primals_10
            del rsqrt_2
            buf108 = buf90; del buf90  # reuse
            # Topologically Sorted Source Nodes: [view_104, convert_element_type_206, mul_147, sum_18], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm_backward__to_copy_view_4:85
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm_backward__to_copy_view_4.run(buf105, mul_15, buf108, 1024, 128, stream=stream0)
            del mul_15
            buf109 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_104, convert_element_type_206, mul_147, sum_18], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:86
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf108, buf109, 256, 4, stream=stream0)
            buf112 = reinterpret_tensor(buf105, (256, 512), (512, 1), 0); del buf105  # reuse
            # Topologically Sorted Source Nodes: [permute_99, permute_102], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:87
            extern_kernels.mm(reinterpret_tensor(buf111, (256, 512), (1, 256), 0), view_12, out=buf112)
            del view_12
            buf113 = reinterpret_tensor(buf85, (512, 512), (512, 1), 0); del buf85  # reuse
            # Topologically Sorted Source Nodes: [mm_54], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:88
            extern_kernels.mm(buf111, permute_101, out=buf113)
            del permute_101
            buf114 = empty_strided_cuda((256, 512), (512, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_213], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:89
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf112, buf114, 131072, stream=stream0)
            buf115 = buf81; del buf81  # reuse
            buf119 = reinterpret_tensor(mm_3, (4, 128, 512), (65536, 512, 1), 0); del mm_3  # reuse
            # Topologically Sorted Source Nodes: [view_106, linear_2, silu, mul_148, linear_3, mul_149, convert_element_type_220, reciprocal_3, mul_150, mul_151, sub_21, mul_152, add_69, mul_153, convert_element_type_222], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward]
            # [Provenance debug handles] triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7:90
            stream0 = get_raw_stream(0)
            triton_poi_fused__unsafe_view_mul_silu_silu_backward_view_7.run(buf119, buf113, mm_2, buf115, 262144, stream=stream0)
            del buf113
            del mm_2
            buf116 = reinterpret_tensor(buf112, (512, 256), (256, 1), 0); del buf112  # reuse
            # Topologically Sorted Source Nodes: [view_106, linear_2, silu, mul_148, view_107, permute_103, permute_106], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:91
            extern_kernels.mm(reinterpret_tensor(buf115, (512, 512), (1, 512), 0), view_8, out=buf116)
            buf117 = buf111; del buf111  # reuse
            # Topologically Sorted Source Nodes: [view_106, linear_2, silu, mul_148, view_107, mm_56], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:92
            extern_kernels.mm(reinterpret_tensor(buf115, (512, 512), (512, 1), 0), permute_105, out=buf117)
            del buf115
            del permute_105
            buf118 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_219], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:93
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf116, buf118, 131072, stream=stream0)
            buf120 = buf116; del buf116  # reuse
            # Topologically Sorted Source Nodes: [view_106, linear_2, silu, linear_3, mul_149, convert_element_type_220, reciprocal_3, mul_150, mul_151, sub_21, mul_152, add_69, mul_153, convert_element_type_222, view_109, permute_107, permute_110], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:94
            extern_kernels.mm(reinterpret_tensor(buf119, (512, 512), (1, 512), 0), view_8, out=buf120)
            del view_8
            buf121 = reinterpret_tensor(buf100, (512, 256), (256, 1), 0); del buf100  # reuse
            # Topologically Sorted Source Nodes: [view_106, linear_2, silu, linear_3, mul_149, convert_element_type_220, reciprocal_3, mul_150, mul_151, sub_21, mul_152, add_69, mul_153, convert_element_type_222, view_109, mm_58], Original ATen: [aten.view, aten._unsafe_view, aten.silu, aten.mul, aten.silu_backward, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:95
            extern_kernels.mm(reinterpret_tensor(buf119, (512, 512), (512, 1), 0), permute_109, out=buf121)
            del buf119
            del permute_109
            buf122 = empty_strided_cuda((512, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_228], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_6:96
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_6.run(buf120, buf122, 131072, stream=stream0)
            buf126 = buf110; del buf110  # reuse
            buf127 = buf120; del buf120  # reuse
            # Topologically Sorted Source Nodes: [view_108, convert_element_type_218, view_110, convert_element_type_227, add_70, mul_154, linear_1, x_1, hidden, mul_156, sum_19, div_21, mul_157, sub_22, mul_158, add_71, convert_element_type_229, view_111], Original ATen: [aten.view, aten._to_copy, aten.add, aten._fused_rms_norm_backward, aten._unsafe_view, aten._fused_rms_norm]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_15:97
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_15.run(buf126, embedding, mm_1, rsqrt_1, buf117, buf121, primals_6, buf127, 512, 256, stream=stream0)
            del primals_6
            buf129 = reinterpret_tensor(buf98, (512, 256), (256, 1), 0); del buf98  # reuse
            # Topologically Sorted Source Nodes: [mm_60], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:98
            extern_kernels.mm(buf127, permute_113, out=buf129)
            del permute_113
            # Topologically Sorted Source Nodes: [view_112, view_113, permute_115, _scaled_dot_product_cudnn_attention_backward_3], Original ATen: [aten.view, aten.transpose, aten._scaled_dot_product_cudnn_attention_backward]
            # [Provenance debug handles] torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default:99
            buf131 = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default(reinterpret_tensor(buf129, (4, 4, 128, 64), (32768, 64, 256, 1), 0), view_3, view_4, select_2, getitem, getitem_1, getitem_6, getitem_7, None, None, None, 128, 128, 0.0, True)
            del getitem
            del getitem_1
            del getitem_6
            del getitem_7
            del select_2
            del view_3
            del view_4
            buf134 = buf131[2]
            assert_size_stride(buf134, (4, 4, 128, 64), (32768, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf134, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf133 = buf131[1]
            assert_size_stride(buf133, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf133, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            buf135 = reinterpret_tensor(buf129, (4, 4, 128, 64), (32768, 8192, 64, 1), 0); del buf129  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, full_2, view_114, select_24, select_25, mul_160, mul_161, neg_23, mul_162, add_72, mul_163, add_73, _generalized_scatter_22, _generalized_scatter_23, add_74], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:100
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf133, buf135, 131072, stream=stream0)
            buf132 = buf131[0]
            assert_size_stride(buf132, (4, 4, 128, 64), (32768, 8192, 64, 1), 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            assert_alignment(buf132, 16, 'torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default')
            del buf131
            buf136 = buf133; del buf133  # reuse
            # Topologically Sorted Source Nodes: [arange, neg, truediv, frequencies, arange_1, getitem_3, angles, cos, cos_1, sin, sin_1, full_2, view_115, select_26, select_27, mul_164, mul_165, neg_24, mul_166, add_75, mul_167, add_76, _generalized_scatter_24, _generalized_scatter_25, add_77], Original ATen: [aten.arange, aten.neg, aten.div, aten.pow, aten.unsqueeze, aten.mul, aten.cos, aten._to_copy, aten.sin, aten.slice_backward, aten.view, aten.select, aten.add]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11:101
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_arange_cos_div_mul_neg_pow_select_sin_slice_backward_unsqueeze_view_11.run(buf132, buf136, 131072, stream=stream0)
            del buf132
            buf137 = buf103; del buf103  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_26, _generalized_scatter_27, add_78, _generalized_scatter_28, add_79, permute_116, clone_9], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused_add_clone_permute_select_backward_12:102
            stream0 = get_raw_stream(0)
            triton_poi_fused_add_clone_permute_select_backward_12.run(buf134, buf135, buf136, buf137, 393216, stream=stream0)
            del buf134
            del buf135
            buf139 = reinterpret_tensor(buf136, (512, 256), (256, 1), 0); del buf136  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_26, _generalized_scatter_27, add_78, _generalized_scatter_28, add_79, permute_116, clone_9, view_116, view_117, mm_62], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:103
            extern_kernels.mm(reinterpret_tensor(buf137, (512, 768), (768, 1), 0), permute_119, out=buf139)
            del permute_119
            buf124 = buf108; del buf108  # reuse
            buf142 = empty_strided_cuda((256, 4), (1, 256), torch.float32)
            # Topologically Sorted Source Nodes: [view_108, convert_element_type_218, view_110, convert_element_type_227, add_70, linear_1, x_1, hidden, mul_159, sum_20, view_118, convert_element_type_239, rms_norm, mul_173, sum_22], Original ATen: [aten.view, aten._to_copy, aten.add, aten._unsafe_view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_red_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_16:104
            stream0 = get_raw_stream(0)
            triton_red_fused__fused_rms_norm__fused_rms_norm_backward__to_copy__unsafe_view_add_view_16.run(buf117, buf121, embedding, mm_1, rsqrt_1, buf139, rsqrt, buf124, buf142, 1024, 128, stream=stream0)
            del buf117
            del buf121
            del mm_1
            del rsqrt_1
            buf125 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_108, convert_element_type_218, view_110, convert_element_type_227, add_70, linear_1, x_1, hidden, mul_159, sum_20], Original ATen: [aten.view, aten._to_copy, aten.add, aten._unsafe_view, aten._fused_rms_norm, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:105
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf124, buf125, 256, 4, stream=stream0)
            del buf124
            buf128 = buf94; del buf94  # reuse
            # Topologically Sorted Source Nodes: [permute_111, permute_114], Original ATen: [aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:106
            extern_kernels.mm(reinterpret_tensor(buf127, (256, 512), (1, 256), 0), view_6, out=buf128)
            del buf127
            del view_6
            buf130 = empty_strided_cuda((256, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_234], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_10:107
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_10.run(buf128, buf130, 65536, stream=stream0)
            del buf128
            buf138 = buf104; del buf104  # reuse
            # Topologically Sorted Source Nodes: [full_6, _generalized_scatter_26, _generalized_scatter_27, add_78, _generalized_scatter_28, add_79, permute_116, clone_9, view_116, view_117, permute_117, permute_120], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:108
            extern_kernels.mm(reinterpret_tensor(buf137, (768, 512), (1, 768), 0), view, out=buf138)
            del buf137
            del view
            buf140 = empty_strided_cuda((768, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [convert_element_type_240], Original ATen: [aten._to_copy]
            # [Provenance debug handles] triton_poi_fused__to_copy_13:109
            stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_13.run(buf138, buf140, 196608, stream=stream0)
            del buf138
            buf144 = empty_strided_cuda((1024, 256), (256, 1), torch.float32)
            # Topologically Sorted Source Nodes: [full_30], Original ATen: [aten.embedding_dense_backward]
            # [Provenance debug handles] triton_poi_fused_embedding_dense_backward_17:110
            stream0 = get_raw_stream(0)
            triton_poi_fused_embedding_dense_backward_17.run(buf144, 262144, stream=stream0)
            # Topologically Sorted Source Nodes: [cross_entropy, view_118, convert_element_type_239, mul_168, rms_norm, mul_170, sum_21, div_22, mul_171, sub_23, mul_172, add_80, eq, unsqueeze_26, where_4, full_30, index_put], Original ATen: [aten.nll_loss_forward, aten.view, aten._to_copy, aten._fused_rms_norm_backward, aten._fused_rms_norm, aten.add, aten.embedding_dense_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy_add_embedding_dense_backward_nll_loss_forward_view_18:111
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm__fused_rms_norm_backward__to_copy_add_embedding_dense_backward_nll_loss_forward_view_18.run(embedding, rsqrt, buf139, primals_3, primals_2, buf126, buf144, 512, 256, stream=stream0)
            del buf126
            del buf139
            del embedding
            del primals_2
            del primals_3
            del rsqrt
            buf143 = empty_strided_cuda((256, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [view_118, convert_element_type_239, rms_norm, mul_173, sum_22], Original ATen: [aten.view, aten._to_copy, aten._fused_rms_norm, aten._fused_rms_norm_backward]
            # [Provenance debug handles] triton_per_fused__fused_rms_norm_backward__to_copy_view_5:112
            stream0 = get_raw_stream(0)
            triton_per_fused__fused_rms_norm_backward__to_copy_view_5.run(buf142, buf143, 256, 4, stream=stream0)
            del buf142
        return (buf144, None, buf143, buf140, buf130, buf125, buf122, buf118, buf114, buf109, buf106, buf96, buf91, buf88, buf84, buf80, buf75, buf72, buf62, buf57, buf54, buf50, buf46, buf41, buf38, buf28, buf23, buf20, buf16, buf12, buf8, buf4, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_2 = rand_strided((4, 128), (128, 1), device='cuda:0', dtype=torch.int64)
    primals_3 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_6 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_10 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_13 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_17 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_20 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_24 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_27 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    primals_31 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float32)
    embedding = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    rsqrt = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    view = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    select_2 = rand_strided((4, 4, 128, 64), (98304, 64, 768, 1), device='cuda:0', dtype=torch.bfloat16)
    view_3 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    view_4 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem_1 = rand_strided((4, 4, 128, 1), (512, 128, 1, 1), device='cuda:0', dtype=torch.float32)
    getitem_6 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    getitem_7 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    view_6 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_1 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_1 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    view_8 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_2 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_3 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    view_12 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_2 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    mul_15 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    view_14 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    select_5 = rand_strided((4, 4, 128, 64), (98304, 64, 768, 1), device='cuda:0', dtype=torch.bfloat16)
    view_17 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    view_18 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem_9 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem_10 = rand_strided((4, 4, 128, 1), (512, 128, 1, 1), device='cuda:0', dtype=torch.float32)
    getitem_15 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    getitem_16 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    view_20 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_3 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    mul_27 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    view_22 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_7 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_8 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    view_26 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_4 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    mul_30 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    view_28 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    select_8 = rand_strided((4, 4, 128, 64), (98304, 64, 768, 1), device='cuda:0', dtype=torch.bfloat16)
    view_31 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    view_32 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem_18 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem_19 = rand_strided((4, 4, 128, 1), (512, 128, 1, 1), device='cuda:0', dtype=torch.float32)
    getitem_24 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    getitem_25 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    view_34 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_5 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    mul_42 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    view_36 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_12 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_13 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    view_40 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_6 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    mul_45 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    view_42 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    select_11 = rand_strided((4, 4, 128, 64), (98304, 64, 768, 1), device='cuda:0', dtype=torch.bfloat16)
    view_45 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    view_46 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem_27 = rand_strided((4, 4, 128, 64), (32768, 8192, 64, 1), device='cuda:0', dtype=torch.bfloat16)
    getitem_28 = rand_strided((4, 4, 128, 1), (512, 128, 1, 1), device='cuda:0', dtype=torch.float32)
    getitem_33 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    getitem_34 = rand_strided((), (), device='cuda:0', dtype=torch.int64)
    view_48 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_7 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    mul_57 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    view_50 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_17 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_18 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    view_54 = rand_strided((512, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    rsqrt_8 = rand_strided((4, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    mul_60 = rand_strided((4, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float32)
    view_56 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    mm_20 = rand_strided((512, 1024), (1024, 1), device='cuda:0', dtype=torch.bfloat16)
    amax = rand_strided((508, 1), (1, 1), device='cuda:0', dtype=torch.float32)
    log = rand_strided((508, 1), (1, 1), device='cuda:0', dtype=torch.float32)
    convert_element_type_101 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    permute_31 = rand_strided((1024, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_35 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_39 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_43 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_47 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_53 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_57 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_61 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_65 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_69 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_75 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_79 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_83 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_87 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_91 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_97 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_101 = rand_strided((256, 512), (512, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_105 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_109 = rand_strided((512, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_113 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    permute_119 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.bfloat16)
    tangents_1 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    return [primals_2, primals_3, primals_6, primals_10, primals_13, primals_17, primals_20, primals_24, primals_27, primals_31, embedding, rsqrt, view, select_2, view_3, view_4, getitem, getitem_1, getitem_6, getitem_7, view_6, mm_1, rsqrt_1, view_8, mm_2, mm_3, view_12, rsqrt_2, mul_15, view_14, select_5, view_17, view_18, getitem_9, getitem_10, getitem_15, getitem_16, view_20, rsqrt_3, mul_27, view_22, mm_7, mm_8, view_26, rsqrt_4, mul_30, view_28, select_8, view_31, view_32, getitem_18, getitem_19, getitem_24, getitem_25, view_34, rsqrt_5, mul_42, view_36, mm_12, mm_13, view_40, rsqrt_6, mul_45, view_42, select_11, view_45, view_46, getitem_27, getitem_28, getitem_33, getitem_34, view_48, rsqrt_7, mul_57, view_50, mm_17, mm_18, view_54, rsqrt_8, mul_60, view_56, mm_20, amax, log, convert_element_type_101, permute_31, permute_35, permute_39, permute_43, permute_47, permute_53, permute_57, permute_61, permute_65, permute_69, permute_75, permute_79, permute_83, permute_87, permute_91, permute_97, permute_101, permute_105, permute_109, permute_113, permute_119, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

