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
from torch._C._dynamo.guards import copy_if_misaligned
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


# kernel path: /tmp/torchinductor_user/wi/cwikk44fnpbsevwpi3zzlokoqp7lvcptxadsrw475uh3hiogjp46.py
# Topologically Sorted Source Nodes: [view_12, sum_2], Original ATen: [aten.view, aten.sum]
# Source node to ATen node mapping:
#   sum_2 => sum_2
#   view_12 => view_12
# Graph fragment:
#   %tangents_1 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=tangents_1]
#   %view_12 : Tensor "f16[1024, 256][256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.reshape.default](args = (%tangents_1, [1024, 256]), kwargs = {})
#   %sum_2 : Tensor "f16[1, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%view_12, [0], True), kwargs = {})
#   return %buf2
triton_red_fused_sum_view_0 = async_compile.triton('triton_red_fused_sum_view_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 2048, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_red_fused_sum_view_0', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 540672, 'r0_': 0}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_red_fused_sum_view_0(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 2048
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
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp2, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/rz/crztbpt2uooqzjhokehbz4xlnukwxcepuwadmkkf5hho6qhyviln.py
# Topologically Sorted Source Nodes: [view_12, sum_2], Original ATen: [aten.view, aten.sum]
# Source node to ATen node mapping:
#   sum_2 => sum_2
#   view_12 => view_12
# Graph fragment:
#   %buf2 : Tensor "f32[1, 256, 8][2048, 1, 256]cuda:0" = PlaceHolder[target=buf2]
#   %view_12 : Tensor "f16[1024, 256][256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.reshape.default](args = (%tangents_1, [1024, 256]), kwargs = {})
#   %sum_2 : Tensor "f16[1, 256][256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%view_12, [0], True), kwargs = {})
#   return %sum_2
triton_per_fused_sum_view_1 = async_compile.triton('triton_per_fused_sum_view_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 256, 'r0_': 8},
    reduction_hint=ReductionHint.OUTER_TINY,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_per_fused_sum_view_1', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 9216, 'r0_': 0}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_per_fused_sum_view_1(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 256
    r0_numel = 8
    R0_BLOCK: tl.constexpr = 8
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
    tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(r0_mask & xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/ki/cki23dnl5tqpu476jlgzx67aqajrcinsxj2kaohgcgemja52qo3n.py
# Topologically Sorted Source Nodes: [view_14, view_15, permute_9, convert_element_type_17, clone_4], Original ATen: [aten.view, aten.transpose, aten._to_copy, aten.clone]
# Source node to ATen node mapping:
#   clone_4 => clone_4
#   convert_element_type_17 => convert_element_type_17
#   permute_9 => permute_9
#   view_14 => view_14
#   view_15 => view_15
# Graph fragment:
#   %mm : Tensor "f16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=mm]
#   %view_14 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm, [8, 128, 256]), kwargs = {})
#   %view_15 : Tensor "f16[8, 128, 4, 64][32768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%view_14, [8, 128, 4, 64]), kwargs = {})
#   %permute_9 : Tensor "f16[8, 4, 128, 64][32768, 64, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%view_15, [0, 2, 1, 3]), kwargs = {})
#   %convert_element_type_17 : Tensor "f32[8, 4, 128, 64][32768, 64, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%permute_9, torch.float32), kwargs = {})
#   %clone_4 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%convert_element_type_17,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone_4
triton_poi_fused__to_copy_clone_transpose_view_2 = async_compile.triton('triton_poi_fused__to_copy_clone_transpose_view_2', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'x': 262144}, 
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused__to_copy_clone_transpose_view_2', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'x': 2621440}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_clone_transpose_view_2(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = 262144
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = tl.full([XBLOCK], True, tl.int1)[:]
    x0 = (xindex % 64)
    x1 = ((xindex // 64) % 128)
    x2 = ((xindex // 8192) % 4)
    x3 = xindex // 32768
    x4 = xindex
    tmp0 = tl.load(in_ptr0 + (x0 + 64*x2 + 256*x1 + 32768*x3), None).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tl.store(out_ptr0 + (x4), tmp1, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/3v/c3vvhoddi6h3cozxrtm6upia7uf62kvxwxcpcdr6ghyimqqpolyc.py
# Topologically Sorted Source Nodes: [view_18, mul_4, sum_3, neg, fma], Original ATen: [aten.view, aten._softmax_backward_data]
# Source node to ATen node mapping:
#   fma => fma
#   mul_4 => mul_4
#   neg => neg
#   sum_3 => sum_3
#   view_18 => view_18
# Graph fragment:
#   %bmm_3 : Tensor "f32[32, 128, 128][16384, 128, 1]cuda:0" = PlaceHolder[target=bmm_3]
#   %expand_2 : Tensor "f32[8, 4, 128, 128][65536, 16384, 128, 1]cuda:0" = PlaceHolder[target=expand_2]
#   %sum_3 : Tensor "f32[8, 4, 128, 1][512, 128, 1, 4096]cuda:0" = PlaceHolder[target=sum_3]
#   %view_18 : Tensor "f32[8, 4, 128, 128][65536, 16384, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_3, [8, 4, 128, 128]), kwargs = {})
#   %mul_4 : Tensor "f32[8, 4, 128, 128][65536, 16384, 128, 1]cuda:0"[num_users=2] = call_function[target=torch.ops.aten.mul.Tensor](args = (%view_18, %where_1), kwargs = {})
#   %sum_3 : Tensor "f32[8, 4, 128, 1][512, 128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_4, [-1], True), kwargs = {})
#   %neg : Tensor "f32[8, 4, 128, 128][65536, 16384, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%where_1,), kwargs = {})
#   %fma : Tensor "f32[8, 4, 128, 128][65536, 16384, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.fma.default](args = (%neg, %sum_3, %mul_4), kwargs = {})
#   return %sum_3,%fma
triton_per_fused__softmax_backward_data_view_3 = async_compile.triton('triton_per_fused__softmax_backward_data_view_3', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 4096, 'r0_': 128},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_out_ptr0': '*fp32', 'in_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_per_fused__softmax_backward_data_view_3', 'mutated_arg_names': ['in_out_ptr0'], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 2, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 0, 'r0_': 8388608}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_per_fused__softmax_backward_data_view_3(in_out_ptr0, in_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 4096
    r0_numel = 128
    R0_BLOCK: tl.constexpr = 128
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 128*x0), None, eviction_policy='evict_first')
    tmp1 = tl.load(in_out_ptr0 + (r0_1 + 128*x0), None, eviction_policy='evict_first')
    tmp2 = tmp0 * tmp1
    tmp3 = tl.broadcast_to(tmp2, [XBLOCK, R0_BLOCK])
    tmp5 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp6 = -tmp1
    tmp7 = tl.fma(tmp6, tmp5, tmp2)
    tl.store(in_out_ptr0 + (r0_1 + 128*x0), tmp7, None)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/ji/cjiresewk7v5ywxugyt6bdhycan6khycq4lleai6t6nhz7ku76w7.py
# Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone]
# Source node to ATen node mapping:
#   _generalized_scatter => select_scatter_default
#   _generalized_scatter_1 => select_scatter_default_1
#   _generalized_scatter_2 => select_scatter_default_2
#   add_4 => add_4
#   add_5 => add_5
#   clone_5 => clone_5
#   convert_element_type_18 => convert_element_type_18
#   convert_element_type_19 => convert_element_type_19
#   convert_element_type_20 => convert_element_type_20
#   full_2 => full_default_4
#   mul_5 => mul_5
#   mul_6 => mul_6
#   permute_14 => permute_14
#   permute_15 => permute_15
#   view_17 => view_17
#   view_20 => view_20
#   view_21 => view_21
# Graph fragment:
#   %bmm_2 : Tensor "f32[32, 128, 64][8192, 64, 1]cuda:0" = PlaceHolder[target=bmm_2]
#   %bmm_4 : Tensor "f32[32, 64, 128][8192, 128, 1]cuda:0" = PlaceHolder[target=bmm_4]
#   %bmm_5 : Tensor "f32[32, 128, 64][8192, 64, 1]cuda:0" = PlaceHolder[target=bmm_5]
#   %view_17 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_2, [8, 4, 128, 64]), kwargs = {})
#   %view_20 : Tensor "f32[8, 4, 64, 128][32768, 8192, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_4, [8, 4, 64, 128]), kwargs = {})
#   %view_21 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_5, [8, 4, 128, 64]), kwargs = {})
#   %mul_5 : Tensor "f32[8, 4, 64, 128][32768, 8192, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Scalar](args = (%view_20, 0.3535533905932738), kwargs = {})
#   %permute_14 : Tensor "f32[8, 4, 128, 64][32768, 8192, 1, 128]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%mul_5, [0, 1, 3, 2]), kwargs = {})
#   %mul_6 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Scalar](args = (%view_21, 0.3535533905932738), kwargs = {})
#   %convert_element_type_18 : Tensor "f16[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_17, torch.float16), kwargs = {})
#   %convert_element_type_19 : Tensor "f16[8, 4, 128, 64][32768, 8192, 1, 128]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%permute_14, torch.float16), kwargs = {})
#   %convert_element_type_20 : Tensor "f16[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_6, torch.float16), kwargs = {})
#   %full_default_4 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.full.default](args = ([3, 8, 4, 128, 64], 0), kwargs = {dtype: torch.float16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %select_scatter_default : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_18, 0, 2), kwargs = {})
#   %select_scatter_default_1 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_19, 0, 1), kwargs = {})
#   %add_4 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%select_scatter_default, %select_scatter_default_1), kwargs = {})
#   %select_scatter_default_2 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_20, 0, 0), kwargs = {})
#   %add_5 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_4, %select_scatter_default_2), kwargs = {})
#   %permute_15 : Tensor "f16[8, 128, 3, 4, 64][32768, 64, 262144, 8192, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%add_5, [1, 3, 0, 2, 4]), kwargs = {})
#   %clone_5 : Tensor "f16[8, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_15,), kwargs = {memory_format: torch.contiguous_format})
#   return %clone_5
triton_poi_fused__to_copy_add_clone_mul_permute_select_backward_transpose_view_4 = async_compile.triton('triton_poi_fused__to_copy_add_clone_mul_permute_select_backward_transpose_view_4', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.pointwise(
    size_hints={'y': 1024, 'x': 1024}, tile_hint=TileHint.DEFAULT,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp16', 'ynumel': 'i32', 'xnumel': 'i32', 'YBLOCK': 'constexpr', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid2D', 'kernel_name': 'triton_poi_fused__to_copy_add_clone_mul_permute_select_backward_transpose_view_4', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 3, 'num_store': 1, 'num_reduction': 0, 'autotune_hints': set(), 'tiling_scores': {'y': 1048576, 'x': 5242880}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False},
    min_elem_per_thread=0
)
@triton.jit
def triton_poi_fused__to_copy_add_clone_mul_permute_select_backward_transpose_view_4(in_ptr0, in_ptr1, in_ptr2, out_ptr0, ynumel, xnumel, YBLOCK : tl.constexpr, XBLOCK : tl.constexpr):
    ynumel = 1024
    xnumel = 768
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[:, None]
    ymask = tl.full([YBLOCK], True, tl.int1)[:, None]
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[None, :]
    xmask = xindex < xnumel
    x4 = xindex // 256
    x2 = (xindex % 64)
    x3 = ((xindex // 64) % 4)
    y0 = (yindex % 128)
    y1 = yindex // 128
    x5 = (xindex % 256)
    x7 = xindex
    y6 = yindex
    tmp3 = tl.load(in_ptr0 + (x2 + 64*y0 + 8192*x3 + 32768*y1), xmask, eviction_policy='evict_last')
    tmp9 = tl.load(in_ptr1 + (y0 + 128*x5 + 32768*y1), xmask, eviction_policy='evict_last')
    tmp17 = tl.load(in_ptr2 + (x2 + 64*y0 + 8192*x3 + 32768*y1), xmask, eviction_policy='evict_last')
    tmp0 = (x4).to(tl.int32)
    tmp1 = tl.full([1, 1], 2, tl.int32)
    tmp2 = tmp0 == tmp1
    tmp4 = tmp3.to(tl.float32)
    tmp5 = tl.full([1, 1], 0.0, tl.float32)
    tmp6 = tl.where(tmp2, tmp4, tmp5)
    tmp7 = tl.full([1, 1], 1, tl.int32)
    tmp8 = tmp0 == tmp7
    tmp10 = tl.full([1, 1], 0.3535533905932738, tl.float32)
    tmp11 = tmp9 * tmp10
    tmp12 = tmp11.to(tl.float32)
    tmp13 = tl.where(tmp8, tmp12, tmp5)
    tmp14 = tmp6 + tmp13
    tmp15 = tl.full([1, 1], 0, tl.int32)
    tmp16 = tmp0 == tmp15
    tmp18 = tmp17 * tmp10
    tmp19 = tmp18.to(tl.float32)
    tmp20 = tl.where(tmp16, tmp19, tmp5)
    tmp21 = tmp14 + tmp20
    tl.store(out_ptr0 + (x7 + 768*y6), tmp21, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/vw/cvwyclamgosu6kzznhojhb4h5xfo5pzust5kgt6rdtfitewzpcef.py
# Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5, view_22, view_23, sum_4], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.sum]
# Source node to ATen node mapping:
#   _generalized_scatter => select_scatter_default
#   _generalized_scatter_1 => select_scatter_default_1
#   _generalized_scatter_2 => select_scatter_default_2
#   add_4 => add_4
#   add_5 => add_5
#   clone_5 => clone_5
#   convert_element_type_18 => convert_element_type_18
#   convert_element_type_19 => convert_element_type_19
#   convert_element_type_20 => convert_element_type_20
#   full_2 => full_default_4
#   mul_5 => mul_5
#   mul_6 => mul_6
#   permute_14 => permute_14
#   permute_15 => permute_15
#   sum_4 => sum_4
#   view_17 => view_17
#   view_20 => view_20
#   view_21 => view_21
#   view_22 => view_22
#   view_23 => view_23
# Graph fragment:
#   %clone_5 : Tensor "f16[8, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0" = PlaceHolder[target=clone_5]
#   %view_17 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_2, [8, 4, 128, 64]), kwargs = {})
#   %view_20 : Tensor "f32[8, 4, 64, 128][32768, 8192, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_4, [8, 4, 64, 128]), kwargs = {})
#   %view_21 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_5, [8, 4, 128, 64]), kwargs = {})
#   %mul_5 : Tensor "f32[8, 4, 64, 128][32768, 8192, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Scalar](args = (%view_20, 0.3535533905932738), kwargs = {})
#   %permute_14 : Tensor "f32[8, 4, 128, 64][32768, 8192, 1, 128]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%mul_5, [0, 1, 3, 2]), kwargs = {})
#   %mul_6 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Scalar](args = (%view_21, 0.3535533905932738), kwargs = {})
#   %convert_element_type_18 : Tensor "f16[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_17, torch.float16), kwargs = {})
#   %convert_element_type_19 : Tensor "f16[8, 4, 128, 64][32768, 8192, 1, 128]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%permute_14, torch.float16), kwargs = {})
#   %convert_element_type_20 : Tensor "f16[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_6, torch.float16), kwargs = {})
#   %full_default_4 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.full.default](args = ([3, 8, 4, 128, 64], 0), kwargs = {dtype: torch.float16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %select_scatter_default : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_18, 0, 2), kwargs = {})
#   %select_scatter_default_1 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_19, 0, 1), kwargs = {})
#   %add_4 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%select_scatter_default, %select_scatter_default_1), kwargs = {})
#   %select_scatter_default_2 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_20, 0, 0), kwargs = {})
#   %add_5 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_4, %select_scatter_default_2), kwargs = {})
#   %permute_15 : Tensor "f16[8, 128, 3, 4, 64][32768, 64, 262144, 8192, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%add_5, [1, 3, 0, 2, 4]), kwargs = {})
#   %clone_5 : Tensor "f16[8, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_15,), kwargs = {memory_format: torch.contiguous_format})
#   %view_22 : Tensor "f16[8, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_5, [8, 128, 768]), kwargs = {})
#   %view_23 : Tensor "f16[1024, 768][768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.reshape.default](args = (%view_22, [1024, 768]), kwargs = {})
#   %sum_4 : Tensor "f16[1, 768][768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%view_23, [0], True), kwargs = {})
#   return %buf14
triton_red_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_5 = async_compile.triton('triton_red_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_5', '''
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
    triton_meta={'signature': {'in_ptr0': '*fp16', 'out_ptr0': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_red_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_5', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 1622016, 'r0_': 0}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_red_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_5(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 6144
    r0_numel = 128
    rnumel = r0_numel
    RBLOCK: tl.constexpr = R0_BLOCK
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    rbase = r0_base
    x0 = (xindex % 768)
    x1 = xindex // 768
    _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    x3 = xindex
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 768*r0_2 + 98304*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
        tmp3 = _tmp2 + tmp1
        _tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)
    tmp2 = tl.sum(_tmp2, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp2, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/qu/cqu5splfty2hvkapn2pcuuus6a5xcnmdxjhfz544br56iv2sixrp.py
# Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5, view_22, view_23, sum_4], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.sum]
# Source node to ATen node mapping:
#   _generalized_scatter => select_scatter_default
#   _generalized_scatter_1 => select_scatter_default_1
#   _generalized_scatter_2 => select_scatter_default_2
#   add_4 => add_4
#   add_5 => add_5
#   clone_5 => clone_5
#   convert_element_type_18 => convert_element_type_18
#   convert_element_type_19 => convert_element_type_19
#   convert_element_type_20 => convert_element_type_20
#   full_2 => full_default_4
#   mul_5 => mul_5
#   mul_6 => mul_6
#   permute_14 => permute_14
#   permute_15 => permute_15
#   sum_4 => sum_4
#   view_17 => view_17
#   view_20 => view_20
#   view_21 => view_21
#   view_22 => view_22
#   view_23 => view_23
# Graph fragment:
#   %buf14 : Tensor "f32[1, 768, 8][6144, 1, 768]cuda:0" = PlaceHolder[target=buf14]
#   %view_17 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_2, [8, 4, 128, 64]), kwargs = {})
#   %view_20 : Tensor "f32[8, 4, 64, 128][32768, 8192, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_4, [8, 4, 64, 128]), kwargs = {})
#   %view_21 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%bmm_5, [8, 4, 128, 64]), kwargs = {})
#   %mul_5 : Tensor "f32[8, 4, 64, 128][32768, 8192, 128, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Scalar](args = (%view_20, 0.3535533905932738), kwargs = {})
#   %permute_14 : Tensor "f32[8, 4, 128, 64][32768, 8192, 1, 128]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%mul_5, [0, 1, 3, 2]), kwargs = {})
#   %mul_6 : Tensor "f32[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Scalar](args = (%view_21, 0.3535533905932738), kwargs = {})
#   %convert_element_type_18 : Tensor "f16[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_17, torch.float16), kwargs = {})
#   %convert_element_type_19 : Tensor "f16[8, 4, 128, 64][32768, 8192, 1, 128]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%permute_14, torch.float16), kwargs = {})
#   %convert_element_type_20 : Tensor "f16[8, 4, 128, 64][32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_6, torch.float16), kwargs = {})
#   %full_default_4 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.full.default](args = ([3, 8, 4, 128, 64], 0), kwargs = {dtype: torch.float16, layout: torch.strided, device: cuda:0, pin_memory: False})
#   %select_scatter_default : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_18, 0, 2), kwargs = {})
#   %select_scatter_default_1 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_19, 0, 1), kwargs = {})
#   %add_4 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%select_scatter_default, %select_scatter_default_1), kwargs = {})
#   %select_scatter_default_2 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.select_scatter.default](args = (%full_default_4, %convert_element_type_20, 0, 0), kwargs = {})
#   %add_5 : Tensor "f16[3, 8, 4, 128, 64][262144, 32768, 8192, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add_4, %select_scatter_default_2), kwargs = {})
#   %permute_15 : Tensor "f16[8, 128, 3, 4, 64][32768, 64, 262144, 8192, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.permute.default](args = (%add_5, [1, 3, 0, 2, 4]), kwargs = {})
#   %clone_5 : Tensor "f16[8, 128, 3, 4, 64][98304, 768, 256, 64, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.clone.default](args = (%permute_15,), kwargs = {memory_format: torch.contiguous_format})
#   %view_22 : Tensor "f16[8, 128, 768][98304, 768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%clone_5, [8, 128, 768]), kwargs = {})
#   %view_23 : Tensor "f16[1024, 768][768, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.reshape.default](args = (%view_22, [1024, 768]), kwargs = {})
#   %sum_4 : Tensor "f16[1, 768][768, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%view_23, [0], True), kwargs = {})
#   return %sum_4
triton_per_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_6 = async_compile.triton('triton_per_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_6', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 1024, 'r0_': 8},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*fp16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_per_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_6', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 27648, 'r0_': 0}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_per_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_6(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 768
    r0_numel = 8
    R0_BLOCK: tl.constexpr = 8
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
    tmp0 = tl.load(in_ptr0 + (x0 + 768*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(r0_mask & xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tl.store(out_ptr0 + (x0), tmp4, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/4u/c4ublsuyhjks2cf6n5yfj6qj3op7zes5kzwfawq7lm6fzxi2w5a2.py
# Topologically Sorted Source Nodes: [view_25, clone_6, clone_8, mul_8, mul_9, sum_5, layer_norm, mul_10, sum_6, mul_11, sub_4, sub_5, div_1, mul_12, convert_element_type_29, add_6], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.native_layer_norm, aten.add]
# Source node to ATen node mapping:
#   add_6 => add_6
#   clone_6 => convert_element_type_25
#   clone_8 => convert_element_type_27
#   convert_element_type_29 => convert_element_type_29
#   div_1 => div_1
#   layer_norm => convert_element_type, mul, sub
#   mul_10 => mul_10
#   mul_11 => mul_11
#   mul_12 => mul_12
#   mul_8 => mul_8
#   mul_9 => mul_9
#   sub_4 => sub_4
#   sub_5 => sub_5
#   sum_5 => sum_5
#   sum_6 => sum_6
#   view_25 => view_25
# Graph fragment:
#   %mm_2 : Tensor "f16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %primals_2 : Tensor "f16[256][1]cuda:0" = PlaceHolder[target=primals_2]
#   %primals_1 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %getitem_1 : Tensor "f32[8, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=getitem_1]
#   %rsqrt : Tensor "f32[8, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %tangents_1 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=tangents_1]
#   %sum_5 : Tensor "f32[8, 128, 1][128, 1, 1024]cuda:0" = PlaceHolder[target=sum_5]
#   %sum_6 : Tensor "f32[8, 128, 1][128, 1, 1024]cuda:0" = PlaceHolder[target=sum_6]
#   %view_25 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [8, 128, 256]), kwargs = {})
#   %convert_element_type_25 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_25, torch.float32), kwargs = {})
#   %convert_element_type_27 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_2, torch.float32), kwargs = {})
#   %mul_8 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_25, %convert_element_type_27), kwargs = {})
#   %mul_9 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_8, 256), kwargs = {})
#   %sum_5 : Tensor "f32[8, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_8, [2], True), kwargs = {})
#   %convert_element_type : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_1, torch.float32), kwargs = {})
#   %sub : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convert_element_type, %getitem_1), kwargs = {})
#   %mul : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub, %rsqrt), kwargs = {})
#   %mul_10 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul_8, %mul), kwargs = {})
#   %sum_6 : Tensor "f32[8, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_10, [2], True), kwargs = {})
#   %mul_11 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%mul, %sum_6), kwargs = {})
#   %sub_4 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%mul_9, %sum_5), kwargs = {})
#   %sub_5 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%sub_4, %mul_11), kwargs = {})
#   %div_1 : Tensor "f32[8, 128, 1][128, 1, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.div.Tensor](args = (%rsqrt, 256), kwargs = {})
#   %mul_12 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%div_1, %sub_5), kwargs = {})
#   %convert_element_type_29 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%mul_12, torch.float16), kwargs = {})
#   %add_6 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%tangents_1, %convert_element_type_29), kwargs = {})
#   return %sum_5,%sum_6,%add_6
triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_7 = async_compile.triton('triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_7', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 1024, 'r0_': 256},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp16', 'in_ptr1': '*fp16', 'in_ptr2': '*fp16', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp16', 'out_ptr2': '*fp16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_7', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 6, 'num_store': 1, 'num_reduction': 2, 'autotune_hints': set(), 'tiling_scores': {'x': 8192, 'r0_': 2621952}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_7(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, out_ptr2, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 1024
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
    tmp0 = tl.load(in_ptr0 + (r0_1 + 256*x0), xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
    tmp2 = tl.load(in_ptr1 + (r0_1), None, eviction_policy='evict_last').to(tl.float32)
    tmp9 = tl.load(in_ptr2 + (r0_1 + 256*x0), xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
    tmp11 = tl.load(in_ptr3 + (x0), xmask, eviction_policy='evict_last')
    tmp13 = tl.load(in_ptr4 + (x0), xmask, eviction_policy='evict_last')
    tmp20 = tl.load(in_ptr5 + (r0_1 + 256*x0), xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
    tmp1 = tmp0.to(tl.float32)
    tmp3 = tmp2.to(tl.float32)
    tmp4 = tmp1 * tmp3
    tmp5 = tl.broadcast_to(tmp4, [XBLOCK, R0_BLOCK])
    tmp7 = tl.where(xmask, tmp5, 0)
    tmp8 = tl.sum(tmp7, 1)[:, None].to(tl.float32)
    tmp10 = tmp9.to(tl.float32)
    tmp12 = tmp10 - tmp11
    tmp14 = tmp12 * tmp13
    tmp15 = tmp4 * tmp14
    tmp16 = tl.broadcast_to(tmp15, [XBLOCK, R0_BLOCK])
    tmp18 = tl.where(xmask, tmp16, 0)
    tmp19 = tl.sum(tmp18, 1)[:, None].to(tl.float32)
    tmp21 = tl.full([1, 1], 0.00390625, tl.float32)
    tmp22 = tmp13 * tmp21
    tmp23 = tl.full([1, 1], 256.0, tl.float32)
    tmp24 = tmp4 * tmp23
    tmp25 = tmp24 - tmp8
    tmp26 = tmp14 * tmp19
    tmp27 = tmp25 - tmp26
    tmp28 = tmp22 * tmp27
    tmp29 = tmp28.to(tl.float32)
    tmp30 = tmp20 + tmp29
    tl.store(out_ptr2 + (r0_1 + 256*x0), tmp30, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/w5/cw5gvs434p6fd5whovqam4bcctyid2yxlxi6g3dxorc5fknc2esk.py
# Topologically Sorted Source Nodes: [view_25, clone_6, layer_norm, mul_13, sum_7, sum_8], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.native_layer_norm]
# Source node to ATen node mapping:
#   clone_6 => convert_element_type_25
#   layer_norm => convert_element_type, mul, sub
#   mul_13 => mul_13
#   sum_7 => sum_7
#   sum_8 => sum_8
#   view_25 => view_25
# Graph fragment:
#   %mm_2 : Tensor "f16[1024, 256][256, 1]cuda:0" = PlaceHolder[target=mm_2]
#   %primals_1 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %getitem_1 : Tensor "f32[8, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=getitem_1]
#   %rsqrt : Tensor "f32[8, 128, 1][128, 1, 1]cuda:0" = PlaceHolder[target=rsqrt]
#   %view_25 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [8, 128, 256]), kwargs = {})
#   %convert_element_type_25 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_25, torch.float32), kwargs = {})
#   %convert_element_type : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_1, torch.float32), kwargs = {})
#   %sub : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convert_element_type, %getitem_1), kwargs = {})
#   %mul : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub, %rsqrt), kwargs = {})
#   %mul_13 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_25, %mul), kwargs = {})
#   %sum_7 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_13, [0, 1]), kwargs = {})
#   %sum_8 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%convert_element_type_25, [0, 1]), kwargs = {})
#   return %buf18,%buf20
triton_red_fused_native_layer_norm_native_layer_norm_backward_view_8 = async_compile.triton('triton_red_fused_native_layer_norm_native_layer_norm_backward_view_8', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.reduction(
    size_hints={'x': 2048, 'r0_': 128},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp16', 'in_ptr1': '*fp16', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_red_fused_native_layer_norm_native_layer_norm_backward_view_8', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': False, 'atomic_add_found': False, 'num_load': 4, 'num_store': 2, 'num_reduction': 2, 'autotune_hints': set(), 'tiling_scores': {'x': 1081344, 'r0_': 8192}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_red_fused_native_layer_norm_native_layer_norm_backward_view_8(in_ptr0, in_ptr1, in_ptr2, in_ptr3, out_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    xnumel = 2048
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
    _tmp13 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp2 = tl.load(in_ptr1 + (x0 + 256*r0_2 + 32768*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0).to(tl.float32)
        tmp4 = tl.load(in_ptr2 + (r0_2 + 128*x1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp6 = tl.load(in_ptr3 + (r0_2 + 128*x1), r0_mask & xmask, eviction_policy='evict_last', other=0.0)
        tmp1 = tmp0.to(tl.float32)
        tmp3 = tmp2.to(tl.float32)
        tmp5 = tmp3 - tmp4
        tmp7 = tmp5 * tmp6
        tmp8 = tmp1 * tmp7
        tmp9 = tl.broadcast_to(tmp8, [XBLOCK, R0_BLOCK])
        tmp11 = _tmp10 + tmp9
        _tmp10 = tl.where(r0_mask & xmask, tmp11, _tmp10)
        tmp12 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
        tmp14 = _tmp13 + tmp12
        _tmp13 = tl.where(r0_mask & xmask, tmp14, _tmp13)
    tmp10 = tl.sum(_tmp10, 1)[:, None]
    tmp13 = tl.sum(_tmp13, 1)[:, None]
    tl.store(out_ptr0 + (x3), tmp10, xmask)
    tl.store(out_ptr1 + (x3), tmp13, xmask)
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/op/copa6y7wfovsbsgezm4iy6bvmw3boulcdjkwjwsfm3rinuqmmerl.py
# Topologically Sorted Source Nodes: [view_25, clone_6, layer_norm, mul_13, sum_7, convert_element_type_30], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.native_layer_norm]
# Source node to ATen node mapping:
#   clone_6 => convert_element_type_25
#   convert_element_type_30 => convert_element_type_30
#   layer_norm => convert_element_type, mul, sub
#   mul_13 => mul_13
#   sum_7 => sum_7
#   view_25 => view_25
# Graph fragment:
#   %buf18 : Tensor "f32[256, 8][1, 256]cuda:0" = PlaceHolder[target=buf18]
#   %sum_7 : Tensor "f32[256][1]cuda:0" = PlaceHolder[target=sum_7]
#   %view_25 : Tensor "f16[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.reshape.default](args = (%mm_2, [8, 128, 256]), kwargs = {})
#   %convert_element_type_25 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%view_25, torch.float32), kwargs = {})
#   %convert_element_type : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%primals_1, torch.float32), kwargs = {})
#   %sub : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%convert_element_type, %getitem_1), kwargs = {})
#   %mul : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%sub, %rsqrt), kwargs = {})
#   %mul_13 : Tensor "f32[8, 128, 256][32768, 256, 1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%convert_element_type_25, %mul), kwargs = {})
#   %sum_7 : Tensor "f32[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mul_13, [0, 1]), kwargs = {})
#   %convert_element_type_30 : Tensor "f16[256][1]cuda:0"[num_users=1] = call_function[target=torch.ops.prims.convert_element_type.default](args = (%sum_7, torch.float16), kwargs = {})
#   return %sum_7,%convert_element_type_30
triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9 = async_compile.triton('triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties
triton_helpers.set_driver_to_gpu()

@triton_heuristics.persistent_reduction(
    size_hints={'x': 256, 'r0_': 8},
    reduction_hint=ReductionHint.OUTER_TINY,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr1': '*fp16', 'xnumel': 'i32', 'r0_numel': 'i32', 'XBLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'native_matmul': False, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9', 'mutated_arg_names': [], 'optimize_mem': True, 'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 9216, 'r0_': 0}, 'backend_hash': 'A8D4B7AD1D7B76382BCCD53B62B20933A68DF17A6D0B3F8D0003D25864098BD5', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': True, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9(in_ptr0, out_ptr1, xnumel, r0_numel, XBLOCK : tl.constexpr):
    xnumel = 256
    r0_numel = 8
    R0_BLOCK: tl.constexpr = 8
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
    tmp0 = tl.load(in_ptr0 + (x0 + 256*r0_1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
    tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
    tmp3 = tl.where(r0_mask & xmask, tmp1, 0)
    tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
    tmp5 = tmp4.to(tl.float32)
    tl.store(out_ptr1 + (x0), tmp5, xmask)
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
        primals_1, primals_2, primals_4, primals_6, getitem_1, rsqrt, view, where_1, view_10, permute_11, permute_12, permute_13, tangents_1 = args
        args.clear()
        assert_size_stride(tangents_1, (8, 128, 256), (32768, 256, 1), 'input')
        assert_size_stride(primals_6, (256, 256), (256, 1), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            tangents_1 = copy_if_misaligned(tangents_1)
            buf0 = empty_strided_cuda((1024, 256), (256, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_12, linear_1, permute_5, mm], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:12
            extern_kernels.mm(reinterpret_tensor(tangents_1, (1024, 256), (256, 1), 0), primals_6, out=buf0)
            del primals_6
            assert_size_stride(view_10, (1024, 256), (256, 1), 'input')
            buf1 = empty_strided_cuda((256, 256), (256, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_12, permute_6, permute_8], Original ATen: [aten.view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:13
            extern_kernels.mm(reinterpret_tensor(tangents_1, (256, 1024), (1, 256), 0), view_10, out=buf1)
            del view_10
            buf2 = empty_strided_cuda((1, 256, 8), (2048, 1, 256), torch.float32)
            # Topologically Sorted Source Nodes: [view_12, sum_2], Original ATen: [aten.view, aten.sum]
            # [Provenance debug handles] triton_red_fused_sum_view_0:14
            raw_stream0 = get_raw_stream(0)
            triton_red_fused_sum_view_0.run(tangents_1, buf2, 2048, 128, stream=raw_stream0)
            buf3 = empty_strided_cuda((1, 256), (256, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_12, sum_2], Original ATen: [aten.view, aten.sum]
            # [Provenance debug handles] triton_per_fused_sum_view_1:15
            raw_stream0 = get_raw_stream(0)
            triton_per_fused_sum_view_1.run(buf2, buf3, 256, 8, stream=raw_stream0)
            del buf2
            buf4 = empty_strided_cuda((8, 4, 128, 64), (32768, 8192, 64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_14, view_15, permute_9, convert_element_type_17, clone_4], Original ATen: [aten.view, aten.transpose, aten._to_copy, aten.clone]
            # [Provenance debug handles] triton_poi_fused__to_copy_clone_transpose_view_2:16
            raw_stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_clone_transpose_view_2.run(buf0, buf4, 262144, stream=raw_stream0)
            del buf0
            assert_size_stride(where_1, (8, 4, 128, 128), (65536, 16384, 128, 1), 'input')
            buf5 = empty_strided_cuda((32, 128, 64), (8192, 64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_14, view_15, permute_9, convert_element_type_17, clone_4, view_16, attended, permute_10, bmm_2], Original ATen: [aten.view, aten.transpose, aten._to_copy, aten.clone, aten._unsafe_view, aten.bmm]
            # [Provenance debug handles] extern_kernels.bmm:17
            extern_kernels.bmm(reinterpret_tensor(where_1, (32, 128, 128), (16384, 1, 128), 0), reinterpret_tensor(buf4, (32, 128, 64), (8192, 64, 1), 0), out=buf5)
            assert_size_stride(permute_11, (32, 64, 128), (8192, 1, 64), 'input')
            buf6 = empty_strided_cuda((32, 128, 128), (16384, 128, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_14, view_15, permute_9, convert_element_type_17, clone_4, view_16, bmm_3], Original ATen: [aten.view, aten.transpose, aten._to_copy, aten.clone, aten._unsafe_view, aten.bmm]
            # [Provenance debug handles] extern_kernels.bmm:18
            extern_kernels.bmm(reinterpret_tensor(buf4, (32, 128, 64), (8192, 64, 1), 0), permute_11, out=buf6)
            del buf4
            del permute_11
            buf8 = where_1; del where_1  # reuse
            # Topologically Sorted Source Nodes: [view_18, mul_4, sum_3, neg, fma], Original ATen: [aten.view, aten._softmax_backward_data]
            # [Provenance debug handles] triton_per_fused__softmax_backward_data_view_3:19
            raw_stream0 = get_raw_stream(0)
            triton_per_fused__softmax_backward_data_view_3.run(buf8, buf6, 4096, 128, stream=raw_stream0)
            del buf6
            assert_size_stride(permute_12, (32, 64, 128), (8192, 1, 64), 'input')
            buf9 = empty_strided_cuda((32, 64, 128), (8192, 128, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_18, mul_4, neg, fma, view_19, bmm_4], Original ATen: [aten.view, aten._softmax_backward_data, aten.bmm]
            # [Provenance debug handles] extern_kernels.bmm:20
            extern_kernels.bmm(permute_12, reinterpret_tensor(buf8, (32, 128, 128), (16384, 128, 1), 0), out=buf9)
            del permute_12
            assert_size_stride(permute_13, (32, 128, 64), (8192, 1, 128), 'input')
            buf10 = empty_strided_cuda((32, 128, 64), (8192, 64, 1), torch.float32)
            # Topologically Sorted Source Nodes: [view_18, mul_4, neg, fma, view_19, bmm_5], Original ATen: [aten.view, aten._softmax_backward_data, aten.bmm]
            # [Provenance debug handles] extern_kernels.bmm:21
            extern_kernels.bmm(reinterpret_tensor(buf8, (32, 128, 128), (16384, 128, 1), 0), permute_13, out=buf10)
            del buf8
            del permute_13
            buf11 = empty_strided_cuda((8, 128, 3, 4, 64), (98304, 768, 256, 64, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone]
            # [Provenance debug handles] triton_poi_fused__to_copy_add_clone_mul_permute_select_backward_transpose_view_4:22
            raw_stream0 = get_raw_stream(0)
            triton_poi_fused__to_copy_add_clone_mul_permute_select_backward_transpose_view_4.run(buf5, buf9, buf10, buf11, 1024, 768, stream=raw_stream0)
            del buf10
            del buf5
            del buf9
            assert_size_stride(primals_4, (768, 256), (256, 1), 'input')
            buf12 = empty_strided_cuda((1024, 256), (256, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5, view_22, view_23, linear, permute_16, mm_2], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:23
            extern_kernels.mm(reinterpret_tensor(buf11, (1024, 768), (768, 1), 0), primals_4, out=buf12)
            del primals_4
            assert_size_stride(view, (1024, 256), (256, 1), 'input')
            buf13 = empty_strided_cuda((768, 256), (256, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5, view_22, view_23, permute_17, permute_19], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.t, aten.mm]
            # [Provenance debug handles] extern_kernels.mm:24
            extern_kernels.mm(reinterpret_tensor(buf11, (768, 1024), (1, 768), 0), view, out=buf13)
            del view
            buf14 = empty_strided_cuda((1, 768, 8), (6144, 1, 768), torch.float32)
            # Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5, view_22, view_23, sum_4], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.sum]
            # [Provenance debug handles] triton_red_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_5:25
            raw_stream0 = get_raw_stream(0)
            triton_red_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_5.run(buf11, buf14, 6144, 128, stream=raw_stream0)
            del buf11
            buf15 = empty_strided_cuda((1, 768), (768, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_17, view_20, view_21, mul_5, permute_14, mul_6, convert_element_type_18, convert_element_type_19, convert_element_type_20, full_2, _generalized_scatter, _generalized_scatter_1, add_4, _generalized_scatter_2, add_5, permute_15, clone_5, view_22, view_23, sum_4], Original ATen: [aten.view, aten.mul, aten.transpose, aten._to_copy, aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.sum]
            # [Provenance debug handles] triton_per_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_6:26
            raw_stream0 = get_raw_stream(0)
            triton_per_fused__to_copy__unsafe_view_add_clone_mul_permute_select_backward_sum_transpose_view_6.run(buf14, buf15, 768, 8, stream=raw_stream0)
            del buf14
            assert_size_stride(primals_2, (256, ), (1, ), 'input')
            assert_size_stride(primals_1, (8, 128, 256), (32768, 256, 1), 'input')
            assert_size_stride(getitem_1, (8, 128, 1), (128, 1, 1), 'input')
            assert_size_stride(rsqrt, (8, 128, 1), (128, 1, 1), 'input')
            buf24 = empty_strided_cuda((8, 128, 256), (32768, 256, 1), torch.float16)
            # Topologically Sorted Source Nodes: [view_25, clone_6, clone_8, mul_8, mul_9, sum_5, layer_norm, mul_10, sum_6, mul_11, sub_4, sub_5, div_1, mul_12, convert_element_type_29, add_6], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.native_layer_norm, aten.add]
            # [Provenance debug handles] triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_7:27
            raw_stream0 = get_raw_stream(0)
            triton_per_fused_add_native_layer_norm_native_layer_norm_backward_view_7.run(buf12, primals_2, primals_1, getitem_1, rsqrt, tangents_1, buf24, 1024, 256, stream=raw_stream0)
            del primals_2
            del tangents_1
            buf18 = empty_strided_cuda((256, 8), (1, 256), torch.float32)
            buf20 = empty_strided_cuda((256, 8), (1, 256), torch.float32)
            # Topologically Sorted Source Nodes: [view_25, clone_6, layer_norm, mul_13, sum_7, sum_8], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.native_layer_norm]
            # [Provenance debug handles] triton_red_fused_native_layer_norm_native_layer_norm_backward_view_8:28
            raw_stream0 = get_raw_stream(0)
            triton_red_fused_native_layer_norm_native_layer_norm_backward_view_8.run(buf12, primals_1, getitem_1, rsqrt, buf18, buf20, 2048, 128, stream=raw_stream0)
            del buf12
            del getitem_1
            del primals_1
            del rsqrt
            buf22 = empty_strided_cuda((256, ), (1, ), torch.float16)
            # Topologically Sorted Source Nodes: [view_25, clone_6, layer_norm, mul_13, sum_7, convert_element_type_30], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.native_layer_norm]
            # [Provenance debug handles] triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9:29
            raw_stream0 = get_raw_stream(0)
            triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9.run(buf18, buf22, 256, 8, stream=raw_stream0)
            del buf18
            buf23 = empty_strided_cuda((256, ), (1, ), torch.float16)
            # Topologically Sorted Source Nodes: [view_25, clone_6, sum_8, convert_element_type_31], Original ATen: [aten.view, aten.native_layer_norm_backward]
            # [Provenance debug handles] triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9:30
            raw_stream0 = get_raw_stream(0)
            triton_per_fused_native_layer_norm_native_layer_norm_backward_view_9.run(buf20, buf23, 256, 8, stream=raw_stream0)
            del buf20
        return (buf24, buf22, buf23, buf13, reinterpret_tensor(buf15, (768, ), (1, ), 0), buf1, reinterpret_tensor(buf3, (256, ), (1, ), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_1 = rand_strided((8, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float16)
    primals_2 = rand_strided((256, ), (1, ), device='cuda:0', dtype=torch.float16)
    primals_4 = rand_strided((768, 256), (256, 1), device='cuda:0', dtype=torch.float16)
    primals_6 = rand_strided((256, 256), (256, 1), device='cuda:0', dtype=torch.float16)
    getitem_1 = rand_strided((8, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    rsqrt = rand_strided((8, 128, 1), (128, 1, 1), device='cuda:0', dtype=torch.float32)
    view = rand_strided((1024, 256), (256, 1), device='cuda:0', dtype=torch.float16)
    where_1 = rand_strided((8, 4, 128, 128), (65536, 16384, 128, 1), device='cuda:0', dtype=torch.float32)
    view_10 = rand_strided((1024, 256), (256, 1), device='cuda:0', dtype=torch.float16)
    permute_11 = rand_strided((32, 64, 128), (8192, 1, 64), device='cuda:0', dtype=torch.float32)
    permute_12 = rand_strided((32, 64, 128), (8192, 1, 64), device='cuda:0', dtype=torch.float32)
    permute_13 = rand_strided((32, 128, 64), (8192, 1, 128), device='cuda:0', dtype=torch.float32)
    tangents_1 = rand_strided((8, 128, 256), (32768, 256, 1), device='cuda:0', dtype=torch.float16)
    return [primals_1, primals_2, primals_4, primals_6, getitem_1, rsqrt, view, where_1, view_10, permute_11, permute_12, permute_13, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
