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
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
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


# kernel path: /tmp/torchinductor_user/tf/ctfi3aqz3fgjou4hbgx63h5nnzgq6rnwh7igkahqjpacbxs73cff.py
# Unsorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
triton_for_fused_0 = async_compile.triton('triton_for_fused_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

@triton_heuristics.foreach(
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'out_ptr5': '*fp32'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'enable_fp_fusion': True, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'SequentialComboKernelGrid', 'combo_grid_meta': {'num_kernels': 6, 'min_blocks': 0, 'default_config': {'XBLOCK': 1024}, 'no_x_dim_0': False, 'xnumel_0': 1, 'no_x_dim_1': False, 'xnumel_1': 1, 'no_x_dim_2': False, 'xnumel_2': 1, 'no_x_dim_3': False, 'xnumel_3': 1, 'no_x_dim_4': False, 'xnumel_4': 1, 'no_x_dim_5': False, 'xnumel_5': 1}, 'kernel_name': 'triton_for_fused_0', 'mutated_arg_names': ['in_ptr0', 'in_ptr1', 'in_ptr2', 'in_ptr3', 'in_ptr4', 'in_ptr5', 'out_ptr0', 'out_ptr1', 'out_ptr2', 'out_ptr3', 'out_ptr4', 'out_ptr5'], 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False},
)
@triton.jit
def triton_for_fused_0(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, out_ptr0, out_ptr1, out_ptr2, out_ptr3, out_ptr4, out_ptr5):
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 1024
    num_xblocks_0 = tl.cdiv(1, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(1, XBLOCK)
    num_xblocks_2 = num_xblocks_1 + tl.cdiv(1, XBLOCK)
    num_xblocks_3 = num_xblocks_2 + tl.cdiv(1, XBLOCK)
    num_xblocks_4 = num_xblocks_3 + tl.cdiv(1, XBLOCK)
    num_xblocks_5 = num_xblocks_4 + tl.cdiv(1, XBLOCK)
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp0 = tl.load(in_ptr0 + (0))
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK])
        tmp2 = tl.where(xmask, tmp1, 0.0)
        tmp3 = tl.full([1], 1.0, tl.float32)
        tmp4 = tmp2 + tmp3
        tl.store(out_ptr0 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp4, xmask)
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp5 = tl.load(in_ptr1 + (0))
        tmp6 = tl.broadcast_to(tmp5, [XBLOCK])
        tmp7 = tl.where(xmask, tmp6, 0.0)
        tmp8 = tl.full([1], 1.0, tl.float32)
        tmp9 = tmp7 + tmp8
        tl.store(out_ptr1 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp9, xmask)
    elif pid < num_xblocks_2:
        pid_offset = pid - num_xblocks_1
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp10 = tl.load(in_ptr2 + (0))
        tmp11 = tl.broadcast_to(tmp10, [XBLOCK])
        tmp12 = tl.where(xmask, tmp11, 0.0)
        tmp13 = tl.full([1], 1.0, tl.float32)
        tmp14 = tmp12 + tmp13
        tl.store(out_ptr2 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp14, xmask)
    elif pid < num_xblocks_3:
        pid_offset = pid - num_xblocks_2
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp15 = tl.load(in_ptr3 + (0))
        tmp16 = tl.broadcast_to(tmp15, [XBLOCK])
        tmp17 = tl.where(xmask, tmp16, 0.0)
        tmp18 = tl.full([1], 1.0, tl.float32)
        tmp19 = tmp17 + tmp18
        tl.store(out_ptr3 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp19, xmask)
    elif pid < num_xblocks_4:
        pid_offset = pid - num_xblocks_3
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp20 = tl.load(in_ptr4 + (0))
        tmp21 = tl.broadcast_to(tmp20, [XBLOCK])
        tmp22 = tl.where(xmask, tmp21, 0.0)
        tmp23 = tl.full([1], 1.0, tl.float32)
        tmp24 = tmp22 + tmp23
        tl.store(out_ptr4 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp24, xmask)
    elif pid < num_xblocks_5:
        pid_offset = pid - num_xblocks_4
        xnumel = 1
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = xindex < xnumel
        tmp25 = tl.load(in_ptr5 + (0))
        tmp26 = tl.broadcast_to(tmp25, [XBLOCK])
        tmp27 = tl.where(xmask, tmp26, 0.0)
        tmp28 = tl.full([1], 1.0, tl.float32)
        tmp29 = tmp27 + tmp28
        tl.store(out_ptr5 + (tl.full([XBLOCK], 0, tl.int32).broadcast_to([XBLOCK])), tmp29, xmask)
    else:
        pass
''', device_str='cuda')


# kernel path: /tmp/torchinductor_user/wl/cwlplzhtqp5dpdkakvc3tl3niwdfpipb3jg5q3hh5bc7ylpf65mf.py
# Unsorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
triton_for_fused_1 = async_compile.triton('triton_for_fused_1', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

@triton_heuristics.foreach(
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'in_ptr3': '*fp32', 'in_ptr4': '*fp32', 'in_ptr5': '*fp32', 'in_ptr6': '*fp32', 'in_ptr7': '*fp32', 'in_ptr8': '*fp32', 'in_ptr9': '*fp32', 'in_ptr10': '*fp32', 'in_ptr11': '*fp32', 'in_ptr12': '*fp32', 'in_ptr13': '*fp32', 'in_ptr14': '*fp32', 'in_ptr15': '*fp32', 'in_ptr16': '*fp32', 'in_ptr17': '*fp32', 'in_ptr18': '*fp32', 'in_ptr19': '*fp32', 'in_ptr20': '*fp32', 'in_ptr21': '*fp32', 'in_ptr22': '*fp32', 'in_ptr23': '*fp32', 'in_ptr24': '*fp32', 'in_ptr25': '*fp32', 'in_ptr26': '*fp32', 'in_ptr27': '*fp32', 'in_ptr28': '*fp32', 'in_ptr29': '*fp32', 'out_ptr0': '*fp32', 'out_ptr3': '*fp32', 'out_ptr4': '*fp32', 'out_ptr5': '*fp32', 'out_ptr8': '*fp32', 'out_ptr9': '*fp32', 'out_ptr10': '*fp32', 'out_ptr13': '*fp32', 'out_ptr14': '*fp32', 'out_ptr15': '*fp32', 'out_ptr18': '*fp32', 'out_ptr19': '*fp32', 'out_ptr20': '*fp32', 'out_ptr23': '*fp32', 'out_ptr24': '*fp32', 'out_ptr25': '*fp32', 'out_ptr28': '*fp32', 'out_ptr29': '*fp32'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'enable_fp_fusion': True, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]], (7,): [['tt.divisibility', 16]], (8,): [['tt.divisibility', 16]], (9,): [['tt.divisibility', 16]], (10,): [['tt.divisibility', 16]], (11,): [['tt.divisibility', 16]], (12,): [['tt.divisibility', 16]], (13,): [['tt.divisibility', 16]], (14,): [['tt.divisibility', 16]], (15,): [['tt.divisibility', 16]], (16,): [['tt.divisibility', 16]], (17,): [['tt.divisibility', 16]], (18,): [['tt.divisibility', 16]], (19,): [['tt.divisibility', 16]], (20,): [['tt.divisibility', 16]], (21,): [['tt.divisibility', 16]], (22,): [['tt.divisibility', 16]], (23,): [['tt.divisibility', 16]], (24,): [['tt.divisibility', 16]], (25,): [['tt.divisibility', 16]], (26,): [['tt.divisibility', 16]], (27,): [['tt.divisibility', 16]], (28,): [['tt.divisibility', 16]], (29,): [['tt.divisibility', 16]], (30,): [['tt.divisibility', 16]], (31,): [['tt.divisibility', 16]], (32,): [['tt.divisibility', 16]], (33,): [['tt.divisibility', 16]], (34,): [['tt.divisibility', 16]], (35,): [['tt.divisibility', 16]], (36,): [['tt.divisibility', 16]], (37,): [['tt.divisibility', 16]], (38,): [['tt.divisibility', 16]], (39,): [['tt.divisibility', 16]], (40,): [['tt.divisibility', 16]], (41,): [['tt.divisibility', 16]], (42,): [['tt.divisibility', 16]], (43,): [['tt.divisibility', 16]], (44,): [['tt.divisibility', 16]], (45,): [['tt.divisibility', 16]], (46,): [['tt.divisibility', 16]], (47,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'SequentialComboKernelGrid', 'combo_grid_meta': {'num_kernels': 6, 'min_blocks': 0, 'default_config': {'XBLOCK': 1024}, 'no_x_dim_0': False, 'xnumel_0': 4096, 'no_x_dim_1': False, 'xnumel_1': 4096, 'no_x_dim_2': False, 'xnumel_2': 4096, 'no_x_dim_3': False, 'xnumel_3': 4096, 'no_x_dim_4': False, 'xnumel_4': 4096, 'no_x_dim_5': False, 'xnumel_5': 4096}, 'kernel_name': 'triton_for_fused_1', 'mutated_arg_names': ['in_ptr0', 'in_ptr10', 'in_ptr12', 'in_ptr13', 'in_ptr15', 'in_ptr17', 'in_ptr18', 'in_ptr2', 'in_ptr20', 'in_ptr22', 'in_ptr23', 'in_ptr25', 'in_ptr27', 'in_ptr28', 'in_ptr3', 'in_ptr5', 'in_ptr7', 'in_ptr8', 'out_ptr0', 'out_ptr10', 'out_ptr13', 'out_ptr14', 'out_ptr15', 'out_ptr18', 'out_ptr19', 'out_ptr20', 'out_ptr23', 'out_ptr24', 'out_ptr25', 'out_ptr28', 'out_ptr29', 'out_ptr3', 'out_ptr4', 'out_ptr5', 'out_ptr8', 'out_ptr9'], 'backend_hash': '91D1D1166449D9E2EB66EB9770C9E2C3B0FEB787341F27FEB4D3F0338DA50336', 'assert_indirect_indexing': True, 'autotune_local_cache': True, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': False, 'are_deterministic_algorithms_enabled': False},
)
@triton.jit
def triton_for_fused_1(in_ptr0, in_ptr1, in_ptr2, in_ptr3, in_ptr4, in_ptr5, in_ptr6, in_ptr7, in_ptr8, in_ptr9, in_ptr10, in_ptr11, in_ptr12, in_ptr13, in_ptr14, in_ptr15, in_ptr16, in_ptr17, in_ptr18, in_ptr19, in_ptr20, in_ptr21, in_ptr22, in_ptr23, in_ptr24, in_ptr25, in_ptr26, in_ptr27, in_ptr28, in_ptr29, out_ptr0, out_ptr3, out_ptr4, out_ptr5, out_ptr8, out_ptr9, out_ptr10, out_ptr13, out_ptr14, out_ptr15, out_ptr18, out_ptr19, out_ptr20, out_ptr23, out_ptr24, out_ptr25, out_ptr28, out_ptr29):
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 1024
    num_xblocks_0 = tl.cdiv(4096, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(4096, XBLOCK)
    num_xblocks_2 = num_xblocks_1 + tl.cdiv(4096, XBLOCK)
    num_xblocks_3 = num_xblocks_2 + tl.cdiv(4096, XBLOCK)
    num_xblocks_4 = num_xblocks_3 + tl.cdiv(4096, XBLOCK)
    num_xblocks_5 = num_xblocks_4 + tl.cdiv(4096, XBLOCK)
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x0 = xindex
        tmp0 = tl.load(in_ptr0 + (x0), None)
        tmp1 = tl.load(in_ptr1 + (x0), None)
        tmp6 = tl.load(in_ptr2 + (x0), None)
        tmp13 = tl.load(in_ptr3 + (x0), None)
        tmp17 = tl.load(in_ptr4 + (0))
        tmp18 = tl.broadcast_to(tmp17, [XBLOCK])
        tmp2 = tmp1 - tmp0
        tmp3 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp4 = tmp2 * tmp3
        tmp5 = tmp0 + tmp4
        tmp7 = tl.full([1], 0.999, tl.float32)
        tmp8 = tmp6 * tmp7
        tmp9 = tmp1 * tmp1
        tmp10 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp11 = tmp9 * tmp10
        tmp12 = tmp8 + tmp11
        tmp14 = tl.full([1], 0.9999, tl.float32)
        tmp15 = tmp13 * tmp14
        tmp16 = tl.sqrt_rn(tmp12)
        tmp19 = libdevice.pow(tmp7, tmp18)
        tmp20 = tl.full([1], 1.0, tl.float32)
        tmp21 = tmp19 - tmp20
        tmp22 = -tmp21
        tmp23 = tl.sqrt_rn(tmp22)
        tmp24 = (tmp16 / tmp23)
        tmp25 = tl.full([1], 1e-08, tl.float32)
        tmp26 = tmp24 + tmp25
        tmp27 = tl.full([1], 0.9, tl.float32)
        tmp28 = libdevice.pow(tmp27, tmp18)
        tmp29 = tmp28 - tmp20
        tmp30 = tl.full([1], 100.0, tl.float32)
        tmp31 = tmp29 * tmp30
        tmp32 = tl.full([1], 1, tl.int32)
        tmp33 = (tmp32 / tmp31)
        tmp34 = (tmp26 / tmp33)
        tmp35 = (tmp5 / tmp34)
        tmp36 = tmp15 + tmp35
        tl.store(out_ptr0 + (x0), tmp5, None)
        tl.store(out_ptr3 + (x0), tmp36, None)
        tl.store(out_ptr4 + (x0), tmp12, None)
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x1 = xindex
        tmp37 = tl.load(in_ptr5 + (x1), None)
        tmp38 = tl.load(in_ptr6 + (x1), None)
        tmp43 = tl.load(in_ptr7 + (x1), None)
        tmp50 = tl.load(in_ptr8 + (x1), None)
        tmp54 = tl.load(in_ptr9 + (0))
        tmp55 = tl.broadcast_to(tmp54, [XBLOCK])
        tmp39 = tmp38 - tmp37
        tmp40 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp41 = tmp39 * tmp40
        tmp42 = tmp37 + tmp41
        tmp44 = tl.full([1], 0.999, tl.float32)
        tmp45 = tmp43 * tmp44
        tmp46 = tmp38 * tmp38
        tmp47 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp48 = tmp46 * tmp47
        tmp49 = tmp45 + tmp48
        tmp51 = tl.full([1], 0.9999, tl.float32)
        tmp52 = tmp50 * tmp51
        tmp53 = tl.sqrt_rn(tmp49)
        tmp56 = libdevice.pow(tmp44, tmp55)
        tmp57 = tl.full([1], 1.0, tl.float32)
        tmp58 = tmp56 - tmp57
        tmp59 = -tmp58
        tmp60 = tl.sqrt_rn(tmp59)
        tmp61 = (tmp53 / tmp60)
        tmp62 = tl.full([1], 1e-08, tl.float32)
        tmp63 = tmp61 + tmp62
        tmp64 = tl.full([1], 0.9, tl.float32)
        tmp65 = libdevice.pow(tmp64, tmp55)
        tmp66 = tmp65 - tmp57
        tmp67 = tl.full([1], 100.0, tl.float32)
        tmp68 = tmp66 * tmp67
        tmp69 = tl.full([1], 1, tl.int32)
        tmp70 = (tmp69 / tmp68)
        tmp71 = (tmp63 / tmp70)
        tmp72 = (tmp42 / tmp71)
        tmp73 = tmp52 + tmp72
        tl.store(out_ptr5 + (x1), tmp42, None)
        tl.store(out_ptr8 + (x1), tmp73, None)
        tl.store(out_ptr9 + (x1), tmp49, None)
    elif pid < num_xblocks_2:
        pid_offset = pid - num_xblocks_1
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x2 = xindex
        tmp74 = tl.load(in_ptr10 + (x2), None)
        tmp75 = tl.load(in_ptr11 + (x2), None)
        tmp80 = tl.load(in_ptr12 + (x2), None)
        tmp87 = tl.load(in_ptr13 + (x2), None)
        tmp91 = tl.load(in_ptr14 + (0))
        tmp92 = tl.broadcast_to(tmp91, [XBLOCK])
        tmp76 = tmp75 - tmp74
        tmp77 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp78 = tmp76 * tmp77
        tmp79 = tmp74 + tmp78
        tmp81 = tl.full([1], 0.999, tl.float32)
        tmp82 = tmp80 * tmp81
        tmp83 = tmp75 * tmp75
        tmp84 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp85 = tmp83 * tmp84
        tmp86 = tmp82 + tmp85
        tmp88 = tl.full([1], 0.9999, tl.float32)
        tmp89 = tmp87 * tmp88
        tmp90 = tl.sqrt_rn(tmp86)
        tmp93 = libdevice.pow(tmp81, tmp92)
        tmp94 = tl.full([1], 1.0, tl.float32)
        tmp95 = tmp93 - tmp94
        tmp96 = -tmp95
        tmp97 = tl.sqrt_rn(tmp96)
        tmp98 = (tmp90 / tmp97)
        tmp99 = tl.full([1], 1e-08, tl.float32)
        tmp100 = tmp98 + tmp99
        tmp101 = tl.full([1], 0.9, tl.float32)
        tmp102 = libdevice.pow(tmp101, tmp92)
        tmp103 = tmp102 - tmp94
        tmp104 = tl.full([1], 100.0, tl.float32)
        tmp105 = tmp103 * tmp104
        tmp106 = tl.full([1], 1, tl.int32)
        tmp107 = (tmp106 / tmp105)
        tmp108 = (tmp100 / tmp107)
        tmp109 = (tmp79 / tmp108)
        tmp110 = tmp89 + tmp109
        tl.store(out_ptr10 + (x2), tmp79, None)
        tl.store(out_ptr13 + (x2), tmp110, None)
        tl.store(out_ptr14 + (x2), tmp86, None)
    elif pid < num_xblocks_3:
        pid_offset = pid - num_xblocks_2
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x3 = xindex
        tmp111 = tl.load(in_ptr15 + (x3), None)
        tmp112 = tl.load(in_ptr16 + (x3), None)
        tmp117 = tl.load(in_ptr17 + (x3), None)
        tmp124 = tl.load(in_ptr18 + (x3), None)
        tmp128 = tl.load(in_ptr19 + (0))
        tmp129 = tl.broadcast_to(tmp128, [XBLOCK])
        tmp113 = tmp112 - tmp111
        tmp114 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp115 = tmp113 * tmp114
        tmp116 = tmp111 + tmp115
        tmp118 = tl.full([1], 0.999, tl.float32)
        tmp119 = tmp117 * tmp118
        tmp120 = tmp112 * tmp112
        tmp121 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp122 = tmp120 * tmp121
        tmp123 = tmp119 + tmp122
        tmp125 = tl.full([1], 0.9999, tl.float32)
        tmp126 = tmp124 * tmp125
        tmp127 = tl.sqrt_rn(tmp123)
        tmp130 = libdevice.pow(tmp118, tmp129)
        tmp131 = tl.full([1], 1.0, tl.float32)
        tmp132 = tmp130 - tmp131
        tmp133 = -tmp132
        tmp134 = tl.sqrt_rn(tmp133)
        tmp135 = (tmp127 / tmp134)
        tmp136 = tl.full([1], 1e-08, tl.float32)
        tmp137 = tmp135 + tmp136
        tmp138 = tl.full([1], 0.9, tl.float32)
        tmp139 = libdevice.pow(tmp138, tmp129)
        tmp140 = tmp139 - tmp131
        tmp141 = tl.full([1], 100.0, tl.float32)
        tmp142 = tmp140 * tmp141
        tmp143 = tl.full([1], 1, tl.int32)
        tmp144 = (tmp143 / tmp142)
        tmp145 = (tmp137 / tmp144)
        tmp146 = (tmp116 / tmp145)
        tmp147 = tmp126 + tmp146
        tl.store(out_ptr15 + (x3), tmp116, None)
        tl.store(out_ptr18 + (x3), tmp147, None)
        tl.store(out_ptr19 + (x3), tmp123, None)
    elif pid < num_xblocks_4:
        pid_offset = pid - num_xblocks_3
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x4 = xindex
        tmp148 = tl.load(in_ptr20 + (x4), None)
        tmp149 = tl.load(in_ptr21 + (x4), None)
        tmp154 = tl.load(in_ptr22 + (x4), None)
        tmp161 = tl.load(in_ptr23 + (x4), None)
        tmp165 = tl.load(in_ptr24 + (0))
        tmp166 = tl.broadcast_to(tmp165, [XBLOCK])
        tmp150 = tmp149 - tmp148
        tmp151 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp152 = tmp150 * tmp151
        tmp153 = tmp148 + tmp152
        tmp155 = tl.full([1], 0.999, tl.float32)
        tmp156 = tmp154 * tmp155
        tmp157 = tmp149 * tmp149
        tmp158 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp159 = tmp157 * tmp158
        tmp160 = tmp156 + tmp159
        tmp162 = tl.full([1], 0.9999, tl.float32)
        tmp163 = tmp161 * tmp162
        tmp164 = tl.sqrt_rn(tmp160)
        tmp167 = libdevice.pow(tmp155, tmp166)
        tmp168 = tl.full([1], 1.0, tl.float32)
        tmp169 = tmp167 - tmp168
        tmp170 = -tmp169
        tmp171 = tl.sqrt_rn(tmp170)
        tmp172 = (tmp164 / tmp171)
        tmp173 = tl.full([1], 1e-08, tl.float32)
        tmp174 = tmp172 + tmp173
        tmp175 = tl.full([1], 0.9, tl.float32)
        tmp176 = libdevice.pow(tmp175, tmp166)
        tmp177 = tmp176 - tmp168
        tmp178 = tl.full([1], 100.0, tl.float32)
        tmp179 = tmp177 * tmp178
        tmp180 = tl.full([1], 1, tl.int32)
        tmp181 = (tmp180 / tmp179)
        tmp182 = (tmp174 / tmp181)
        tmp183 = (tmp153 / tmp182)
        tmp184 = tmp163 + tmp183
        tl.store(out_ptr20 + (x4), tmp153, None)
        tl.store(out_ptr23 + (x4), tmp184, None)
        tl.store(out_ptr24 + (x4), tmp160, None)
    elif pid < num_xblocks_5:
        pid_offset = pid - num_xblocks_4
        xnumel = 4096
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x5 = xindex
        tmp185 = tl.load(in_ptr25 + (x5), None)
        tmp186 = tl.load(in_ptr26 + (x5), None)
        tmp191 = tl.load(in_ptr27 + (x5), None)
        tmp198 = tl.load(in_ptr28 + (x5), None)
        tmp202 = tl.load(in_ptr29 + (0))
        tmp203 = tl.broadcast_to(tmp202, [XBLOCK])
        tmp187 = tmp186 - tmp185
        tmp188 = tl.full([1], 0.09999999999999998, tl.float32)
        tmp189 = tmp187 * tmp188
        tmp190 = tmp185 + tmp189
        tmp192 = tl.full([1], 0.999, tl.float32)
        tmp193 = tmp191 * tmp192
        tmp194 = tmp186 * tmp186
        tmp195 = tl.full([1], 0.0010000000000000009, tl.float32)
        tmp196 = tmp194 * tmp195
        tmp197 = tmp193 + tmp196
        tmp199 = tl.full([1], 0.9999, tl.float32)
        tmp200 = tmp198 * tmp199
        tmp201 = tl.sqrt_rn(tmp197)
        tmp204 = libdevice.pow(tmp192, tmp203)
        tmp205 = tl.full([1], 1.0, tl.float32)
        tmp206 = tmp204 - tmp205
        tmp207 = -tmp206
        tmp208 = tl.sqrt_rn(tmp207)
        tmp209 = (tmp201 / tmp208)
        tmp210 = tl.full([1], 1e-08, tl.float32)
        tmp211 = tmp209 + tmp210
        tmp212 = tl.full([1], 0.9, tl.float32)
        tmp213 = libdevice.pow(tmp212, tmp203)
        tmp214 = tmp213 - tmp205
        tmp215 = tl.full([1], 100.0, tl.float32)
        tmp216 = tmp214 * tmp215
        tmp217 = tl.full([1], 1, tl.int32)
        tmp218 = (tmp217 / tmp216)
        tmp219 = (tmp211 / tmp218)
        tmp220 = (tmp190 / tmp219)
        tmp221 = tmp200 + tmp220
        tl.store(out_ptr25 + (x5), tmp190, None)
        tl.store(out_ptr28 + (x5), tmp221, None)
        tl.store(out_ptr29 + (x5), tmp197, None)
    else:
        pass
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
        arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1 = args
        args.clear()
        assert_size_stride(arg0_1, (64, 64), (64, 1))
        assert_size_stride(arg1_1, (64, 64), (64, 1))
        assert_size_stride(arg2_1, (64, 64), (64, 1))
        assert_size_stride(arg3_1, (64, 64), (64, 1))
        assert_size_stride(arg4_1, (64, 64), (64, 1))
        assert_size_stride(arg5_1, (64, 64), (64, 1))
        assert_size_stride(arg6_1, (), ())
        assert_size_stride(arg7_1, (64, 64), (64, 1))
        assert_size_stride(arg8_1, (64, 64), (64, 1))
        assert_size_stride(arg9_1, (), ())
        assert_size_stride(arg10_1, (), ())
        assert_size_stride(arg11_1, (), ())
        assert_size_stride(arg12_1, (), ())
        assert_size_stride(arg13_1, (), ())
        assert_size_stride(arg14_1, (64, 64), (64, 1))
        assert_size_stride(arg15_1, (64, 64), (64, 1))
        assert_size_stride(arg16_1, (64, 64), (64, 1))
        assert_size_stride(arg17_1, (64, 64), (64, 1))
        assert_size_stride(arg18_1, (64, 64), (64, 1))
        assert_size_stride(arg19_1, (64, 64), (64, 1))
        assert_size_stride(arg20_1, (64, 64), (64, 1))
        assert_size_stride(arg21_1, (64, 64), (64, 1))
        assert_size_stride(arg22_1, (64, 64), (64, 1))
        assert_size_stride(arg23_1, (64, 64), (64, 1))
        assert_size_stride(arg24_1, (64, 64), (64, 1))
        assert_size_stride(arg25_1, (64, 64), (64, 1))
        assert_size_stride(arg26_1, (64, 64), (64, 1))
        assert_size_stride(arg27_1, (64, 64), (64, 1))
        assert_size_stride(arg28_1, (64, 64), (64, 1))
        assert_size_stride(arg29_1, (64, 64), (64, 1))
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            # Topologically Sorted Source Nodes: [_foreach_add_], Original ATen: [aten._foreach_add]
            # [Provenance debug handles] triton_for_fused_0:1
            stream0 = get_raw_stream(0)
            triton_for_fused_0.run(arg9_1, arg6_1, arg10_1, arg11_1, arg12_1, arg13_1, arg9_1, arg6_1, arg10_1, arg11_1, arg12_1, arg13_1, stream=stream0)
            # Unsorted Source Nodes: [], Original ATen: []
            # [Provenance debug handles] triton_for_fused_1:2
            stream0 = get_raw_stream(0)
            triton_for_fused_1.run(arg14_1, arg24_1, arg19_1, arg0_1, arg9_1, arg7_1, arg25_1, arg8_1, arg1_1, arg6_1, arg15_1, arg26_1, arg20_1, arg2_1, arg10_1, arg16_1, arg27_1, arg21_1, arg3_1, arg11_1, arg17_1, arg28_1, arg22_1, arg4_1, arg12_1, arg18_1, arg29_1, arg23_1, arg5_1, arg13_1, arg14_1, arg0_1, arg19_1, arg7_1, arg1_1, arg8_1, arg15_1, arg2_1, arg20_1, arg16_1, arg3_1, arg21_1, arg17_1, arg4_1, arg22_1, arg18_1, arg5_1, arg23_1, stream=stream0)
            del arg0_1
            del arg10_1
            del arg11_1
            del arg12_1
            del arg13_1
            del arg14_1
            del arg15_1
            del arg16_1
            del arg17_1
            del arg18_1
            del arg19_1
            del arg1_1
            del arg20_1
            del arg21_1
            del arg22_1
            del arg23_1
            del arg24_1
            del arg25_1
            del arg26_1
            del arg27_1
            del arg28_1
            del arg29_1
            del arg2_1
            del arg3_1
            del arg4_1
            del arg5_1
            del arg6_1
            del arg7_1
            del arg8_1
            del arg9_1
        return ()

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg2_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg3_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg4_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg5_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg6_1 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    arg7_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg8_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg9_1 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    arg10_1 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    arg11_1 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    arg12_1 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    arg13_1 = rand_strided((), (), device='cuda:0', dtype=torch.float32)
    arg14_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg15_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg16_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg17_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg18_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg19_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg20_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg21_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg22_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg23_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg24_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg25_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg26_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg27_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg28_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    arg29_1 = rand_strided((64, 64), (64, 1), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1, arg8_1, arg9_1, arg10_1, arg11_1, arg12_1, arg13_1, arg14_1, arg15_1, arg16_1, arg17_1, arg18_1, arg19_1, arg20_1, arg21_1, arg22_1, arg23_1, arg24_1, arg25_1, arg26_1, arg27_1, arg28_1, arg29_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat)


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

