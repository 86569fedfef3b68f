# AOT ID: ['1_backward']
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


cpp_fused__scaled_dot_product_flash_attention_for_cpu_backward_transpose_view_0 = async_compile.cpp_pybinding(['const float*', 'float*', 'const int64_t'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       const int64_t ks0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_1_cpp_fused__scaled_dot_product_flash_attention_for_cpu_backward_transpose_view_0_("graph_1_cpp_fused__scaled_dot_product_flash_attention_for_cpu_backward_transpose_view_0", nullptr);
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(2L); x0+=static_cast<int64_t>(1L))
        {
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(4L); x1+=static_cast<int64_t>(16L))
            {
                for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(ks0); x2+=static_cast<int64_t>(16L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0L) && x1 < static_cast<int64_t>(4L) && x2 >= static_cast<int64_t>(0) && x2 < static_cast<int64_t>(16L*(c10::div_floor_integer(static_cast<int64_t>(ks0), static_cast<int64_t>(16L))))))
                        {
                            alignas(std::max(std::size_t(16), alignof(float))) float tmp0[16*16];
                            transpose_mxn<float,static_cast<int64_t>(16),static_cast<int64_t>(4L),false>(in_ptr0 + static_cast<int64_t>(x1 + 4L*x2 + 4L*ks0*x0), static_cast<int64_t>(4L), tmp0, static_cast<int64_t>(16));
                            for (long x1_inner = 0; x1_inner < static_cast<int64_t>(4L); x1_inner++)
                            {
                                auto tmp1 = at::vec::Vectorized<float>::loadu(tmp0 + static_cast<int64_t>(16L*x1_inner), static_cast<int64_t>(16));
                                tmp1.store(out_ptr0 + static_cast<int64_t>(x2 + ks0*x1 + ks0*x1_inner + 4L*ks0*x0));
                            }
                        }
                        if(C10_UNLIKELY(x1 >= static_cast<int64_t>(0L) && x1 < static_cast<int64_t>(4L) && x2 >= static_cast<int64_t>(16L*(c10::div_floor_integer(static_cast<int64_t>(ks0), static_cast<int64_t>(16L)))) && x2 < static_cast<int64_t>(ks0)))
                        {
                            alignas(std::max(std::size_t(16), alignof(float))) float tmp0[16*16];
                            transpose_mxn<float,false>(in_ptr0 + static_cast<int64_t>(x1 + 4L*x2 + 4L*ks0*x0), static_cast<int64_t>(4L), tmp0, static_cast<int64_t>(ks0 + (-16L)*(c10::div_floor_integer(static_cast<int64_t>(ks0), static_cast<int64_t>(16L)))), static_cast<int64_t>(ks0 + (-16L)*(c10::div_floor_integer(static_cast<int64_t>(ks0), static_cast<int64_t>(16L)))), static_cast<int64_t>(4L));
                            for (long x1_inner = 0; x1_inner < static_cast<int64_t>(4L); x1_inner++)
                            {
                                auto tmp1 = at::vec::Vectorized<float>::loadu(tmp0 + static_cast<int64_t>(ks0*x1_inner + (-16L)*x1_inner*(c10::div_floor_integer(static_cast<int64_t>(ks0), static_cast<int64_t>(16L)))), static_cast<int64_t>(ks0 + (-16L)*(c10::div_floor_integer(static_cast<int64_t>(ks0), static_cast<int64_t>(16L)))));
                                tmp1.store(out_ptr0 + static_cast<int64_t>(x2 + ks0*x1 + ks0*x1_inner + 4L*ks0*x0), static_cast<int64_t>(ks0 + (-16L)*(c10::div_floor_integer(static_cast<int64_t>(ks0), static_cast<int64_t>(16L)))));
                            }
                        }
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


cpp_fused_add_clone_permute_select_backward_sum_view_1 = async_compile.cpp_pybinding(['const float*', 'const float*', 'const float*', 'const float*', 'float*', 'float*', 'const int64_t'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       const float* in_ptr2,
                       const float* in_ptr3,
                       float* out_ptr0,
                       float* out_ptr1,
                       const int64_t ks0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_1_cpp_fused_add_clone_permute_select_backward_sum_view_1_("graph_1_cpp_fused_add_clone_permute_select_backward_sum_view_1", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(256L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(2L*ks0); x1+=static_cast<int64_t>(1L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0 + 256L*x1), static_cast<int64_t>(16));
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                        }
                    }
                }
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                {
                    tmp_acc0_vec.store(out_ptr0 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(2L*ks0); x0+=static_cast<int64_t>(1L))
        {
            #pragma GCC ivdep
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(3L); x1+=static_cast<int64_t>(1L))
            {
                for(int64_t x2=static_cast<int64_t>(0L); x2<static_cast<int64_t>(256L); x2+=static_cast<int64_t>(16L))
                {
                    {
                        if(C10_LIKELY(x2 >= static_cast<int64_t>(0) && x2 < static_cast<int64_t>(256L)))
                        {
                            auto tmp4 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x2 + 256L*x0), static_cast<int64_t>(16));
                            auto tmp11 = at::vec::Vectorized<float>::loadu(in_ptr2 + static_cast<int64_t>(x2 + 256L*x0), static_cast<int64_t>(16));
                            auto tmp17 = at::vec::Vectorized<float>::loadu(in_ptr3 + static_cast<int64_t>(x2 + 256L*x0), static_cast<int64_t>(16));
                            auto tmp0 = x1;
                            auto tmp1 = c10::convert<int32_t>(tmp0);
                            auto tmp2 = static_cast<int32_t>(2);
                            auto tmp3 = tmp1 == tmp2;
                            auto tmp5 = static_cast<float>(0.0);
                            auto tmp6 = at::vec::VecMask<float,1>::from(tmp3);
                            auto tmp7 = at::vec::Vectorized<float>(tmp5);
                            auto tmp8 = decltype(tmp4)::blendv(tmp7, tmp4, tmp6.template cast<float,1>());
                            auto tmp9 = static_cast<int32_t>(1);
                            auto tmp10 = tmp1 == tmp9;
                            auto tmp12 = at::vec::VecMask<float,1>::from(tmp10);
                            auto tmp13 = decltype(tmp11)::blendv(tmp7, tmp11, tmp12.template cast<float,1>());
                            auto tmp14 = tmp8 + tmp13;
                            auto tmp15 = static_cast<int32_t>(0);
                            auto tmp16 = tmp1 == tmp15;
                            auto tmp18 = at::vec::VecMask<float,1>::from(tmp16);
                            auto tmp19 = decltype(tmp17)::blendv(tmp7, tmp17, tmp18.template cast<float,1>());
                            auto tmp20 = tmp14 + tmp19;
                            tmp20.store(out_ptr1 + static_cast<int64_t>(x2 + 256L*x1 + 768L*x0));
                        }
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


cpp_fused_native_layer_norm_native_layer_norm_backward_view_2 = async_compile.cpp_pybinding(['const float*', 'const float*', 'const float*', 'const float*', 'float*', 'float*', 'const int64_t'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       const float* in_ptr2,
                       const float* in_ptr3,
                       float* out_ptr0,
                       float* out_ptr1,
                       const int64_t ks0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_1_cpp_fused_native_layer_norm_native_layer_norm_backward_view_2_("graph_1_cpp_fused_native_layer_norm_native_layer_norm_backward_view_2", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(256L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(2L*ks0); x1+=static_cast<int64_t>(1L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0 + 256L*x1), static_cast<int64_t>(16));
                            auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x0 + 256L*x1), static_cast<int64_t>(16));
                            auto tmp2 = in_ptr2[static_cast<int64_t>(x1)];
                            auto tmp5 = in_ptr3[static_cast<int64_t>(x1)];
                            auto tmp3 = at::vec::Vectorized<float>(tmp2);
                            auto tmp4 = tmp1 - tmp3;
                            auto tmp6 = at::vec::Vectorized<float>(tmp5);
                            auto tmp7 = tmp4 * tmp6;
                            auto tmp8 = tmp0 * tmp7;
                            tmp_acc0_vec = tmp_acc0_vec + tmp8;
                            tmp_acc1_vec = tmp_acc1_vec + tmp0;
                        }
                    }
                }
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                {
                    tmp_acc0_vec.store(out_ptr0 + static_cast<int64_t>(x0));
                    tmp_acc1_vec.store(out_ptr1 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


cpp_fused__unsafe_view_add_clone_permute_select_backward_sum_view_3 = async_compile.cpp_pybinding(['const float*', 'float*', 'const int64_t'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0,
                       const int64_t ks0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_1_cpp_fused__unsafe_view_add_clone_permute_select_backward_sum_view_3_("graph_1_cpp_fused__unsafe_view_add_clone_permute_select_backward_sum_view_3", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(768L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(2L*ks0); x1+=static_cast<int64_t>(1L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(768L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0 + 768L*x1), static_cast<int64_t>(16));
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                        }
                    }
                }
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(768L)))
                {
                    tmp_acc0_vec.store(out_ptr0 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


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
        primals_1, mul_16, primals_2, primals_5, primals_7, getitem_1, rsqrt, view, select, select_1, select_2, getitem_2, getitem_3, tangents_1 = args
        args.clear()
        s27 = primals_1
        assert_size_stride(getitem_3, (2, 4, s27), (4*s27, 1, 4), 'input')
        buf3 = empty_strided_cpu((2, 4, s27), (4*s27, s27, 1), torch.float32)
        assert_size_stride(tangents_1, (2, s27, 256), (256*s27, 256, 1), 'input')
        assert_size_stride(primals_7, (256, 256), (256, 1), 'input')
        # [Provenance debug handles] cpp_fused__scaled_dot_product_flash_attention_for_cpu_backward_transpose_view_0:6
        cpp_fused__scaled_dot_product_flash_attention_for_cpu_backward_transpose_view_0(getitem_3, buf3, s27)
        del getitem_3
        buf0 = empty_strided_cpu((2*s27, 256), (256, 1), torch.float32)
        # Topologically Sorted Source Nodes: [view_6, linear_1, permute_4, mm], Original ATen: [aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:7
        extern_kernels.mm(reinterpret_tensor(tangents_1, (2*s27, 256), (256, 1), 0), primals_7, out=buf0)
        del primals_7
        assert_size_stride(select, (2, 4, s27, 64), (768*s27, 64, 768, 1), 'input')
        assert_size_stride(select_1, (2, 4, s27, 64), (768*s27, 64, 768, 1), 'input')
        assert_size_stride(select_2, (2, 4, s27, 64), (768*s27, 64, 768, 1), 'input')
        assert_size_stride(getitem_2, (2, 4, s27, 64), (256*s27, 64, 256, 1), 'input')
        # Topologically Sorted Source Nodes: [view_8, view_9, permute_8, _scaled_dot_product_flash_attention_for_cpu_backward], Original ATen: [aten.view, aten.transpose, aten._scaled_dot_product_flash_attention_for_cpu_backward]
        # [Provenance debug handles] torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default:8
        buf4 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(reinterpret_tensor(buf0, (2, 4, s27, 64), (256*s27, 64, 256, 1), 0), select, select_1, select_2, getitem_2, buf3, 0.0, True)
        del buf3
        del select
        del select_1
        del select_2
        buf5 = buf4[0]
        assert_size_stride(buf5, (2, 4, s27, 64), (256*s27, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default')
        # buffer buf5 (op: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default) is assumed to be not aligned
        buf6 = buf4[1]
        assert_size_stride(buf6, (2, 4, s27, 64), (256*s27, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default')
        # buffer buf6 (op: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default) is assumed to be not aligned
        buf7 = buf4[2]
        assert_size_stride(buf7, (2, 4, s27, 64), (256*s27, 64, 256, 1), 'torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default')
        # buffer buf7 (op: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default) is assumed to be not aligned
        del buf4
        buf2 = empty_strided_cpu((1, 256), (256, 1), torch.float32)
        buf8 = empty_strided_cpu((2, s27, 3, 4, 64), (768*s27, 768, 256, 64, 1), torch.float32)
        assert_size_stride(primals_5, (768, 256), (256, 1), 'input')
        # [Provenance debug handles] cpp_fused_add_clone_permute_select_backward_sum_view_1:9
        cpp_fused_add_clone_permute_select_backward_sum_view_1(tangents_1, buf7, buf6, buf5, buf2, buf8, s27)
        del buf5
        del buf6
        del buf7
        buf9 = buf0; del buf0  # reuse
        # Topologically Sorted Source Nodes: [full, _generalized_scatter, _generalized_scatter_1, add_88, _generalized_scatter_2, add_89, permute_9, clone, view_10, view_11, linear, permute_10, mm_2], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:10
        extern_kernels.mm(reinterpret_tensor(buf8, (2*s27, 768), (768, 1), 0), primals_5, out=buf9)
        del primals_5
        assert_size_stride(primals_2, (2, s27, 256), (256*s27, 256, 1), 'input')
        assert_size_stride(getitem_1, (2, s27, 1), (s27, 1, 1), 'input')
        assert_size_stride(rsqrt, (2, s27, 1), (s27, 1, 1), 'input')
        buf12 = empty_strided_cpu((256, ), (1, ), torch.float32)
        buf13 = empty_strided_cpu((256, ), (1, ), torch.float32)
        # [Provenance debug handles] cpp_fused_native_layer_norm_native_layer_norm_backward_view_2:11
        cpp_fused_native_layer_norm_native_layer_norm_backward_view_2(buf9, primals_2, getitem_1, rsqrt, buf12, buf13, s27)
        del buf9
        del getitem_1
        del primals_2
        del rsqrt
        buf1 = empty_strided_cpu((256, 256), (256, 1), torch.float32)
        # Topologically Sorted Source Nodes: [view_6, permute_5, transpose, reshape, linear_1, permute_7], Original ATen: [aten.view, aten.t, aten.transpose, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:12
        extern_kernels.mm(reinterpret_tensor(tangents_1, (256, 2*s27), (1, 256), 0), reinterpret_tensor(getitem_2, (2*s27, 256), (256, 1), 0), out=buf1)
        del getitem_2
        del tangents_1
        buf11 = empty_strided_cpu((1, 768), (768, 1), torch.float32)
        assert_size_stride(view, (2*s27, 256), (256, 1), 'input')
        # [Provenance debug handles] cpp_fused__unsafe_view_add_clone_permute_select_backward_sum_view_3:13
        cpp_fused__unsafe_view_add_clone_permute_select_backward_sum_view_3(buf8, buf11, s27)
        buf10 = empty_strided_cpu((768, 256), (256, 1), torch.float32)
        # Topologically Sorted Source Nodes: [full, _generalized_scatter, _generalized_scatter_1, add_88, _generalized_scatter_2, add_89, permute_9, clone, view_10, view_11, permute_11, permute_13], Original ATen: [aten.select_backward, aten.add, aten.permute, aten.clone, aten._unsafe_view, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:14
        extern_kernels.mm(reinterpret_tensor(buf8, (768, 2*s27), (1, 768), 0), view, out=buf10)
        del buf8
        del view
        return (None, None, buf12, buf13, buf10, reinterpret_tensor(buf11, (768, ), (1, ), 0), buf1, reinterpret_tensor(buf2, (256, ), (1, ), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    _shared_storage_6 = rand_strided((1536*s27,), (1,), device='cpu', dtype=torch.float32)
    primals_1 = 96
    mul_16 = 192
    primals_2 = rand_strided((2, 96, 256), (24576, 256, 1), device='cpu', dtype=torch.float32)
    primals_5 = rand_strided((768, 256), (256, 1), device='cpu', dtype=torch.float32)
    primals_7 = rand_strided((256, 256), (256, 1), device='cpu', dtype=torch.float32)
    getitem_1 = rand_strided((2, 96, 1), (96, 1, 1), device='cpu', dtype=torch.float32)
    rsqrt = rand_strided((2, 96, 1), (96, 1, 1), device='cpu', dtype=torch.float32)
    view = rand_strided((192, 256), (256, 1), device='cpu', dtype=torch.float32)
    select = torch.as_strided(_shared_storage_6, (2, 4, s27, 64), (768*s27, 64, 768, 1))
    select_1 = torch.as_strided(_shared_storage_6, (2, 4, s27, 64), (768*s27, 64, 768, 1))
    select_2 = torch.as_strided(_shared_storage_6, (2, 4, s27, 64), (768*s27, 64, 768, 1))
    getitem_2 = rand_strided((2, 4, 96, 64), (24576, 64, 256, 1), device='cpu', dtype=torch.float32)
    getitem_3 = rand_strided((2, 4, 96), (384, 1, 4), device='cpu', dtype=torch.float32)
    tangents_1 = rand_strided((2, 96, 256), (24576, 256, 1), device='cpu', dtype=torch.float32)
    return [primals_1, mul_16, primals_2, primals_5, primals_7, getitem_1, rsqrt, view, select, select_1, select_2, getitem_2, getitem_3, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cpu')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

