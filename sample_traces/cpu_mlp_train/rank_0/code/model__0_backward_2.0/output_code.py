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


cpp_fused_native_dropout_backward_sum_view_0 = async_compile.cpp_pybinding(['const float*', 'const bool*', 'float*', 'float*'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const bool* in_ptr1,
                       float* out_ptr0,
                       float* out_ptr1)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_0_cpp_fused_native_dropout_backward_sum_view_0_("graph_0_cpp_fused_native_dropout_backward_sum_view_0", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(262144L); x0+=static_cast<int64_t>(16L))
        {
            {
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(262144L)))
                {
                    auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                    auto tmp1 = at::vec::VecMask<float,1>::from(in_ptr1 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                    auto tmp2 = tmp1.to<float,1>();
                    auto tmp3 = static_cast<float>(1.1111111111111112);
                    auto tmp4 = at::vec::Vectorized<float>(tmp3);
                    auto tmp5 = tmp2 * tmp4;
                    auto tmp6 = tmp0 * tmp5;
                    tmp6.store(out_ptr0 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(256L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(1024L); x1+=static_cast<int64_t>(1L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(out_ptr0 + static_cast<int64_t>(x0 + 256L*x1), static_cast<int64_t>(16));
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                        }
                    }
                }
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                {
                    tmp_acc0_vec.store(out_ptr1 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


cpp_fused_gelu_gelu_backward_view_1 = async_compile.cpp_pybinding(['float*', 'const float*'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(float* in_out_ptr0,
                       const float* in_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_0_cpp_fused_gelu_gelu_backward_view_1_("graph_0_cpp_fused_gelu_gelu_backward_view_1", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(1048576L); x0+=static_cast<int64_t>(16L))
        {
            {
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(1048576L)))
                {
                    auto tmp0 = at::vec::Vectorized<float>::loadu(in_out_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                    auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0), static_cast<int64_t>(16));
                    auto tmp2 = static_cast<float>(0.7071067811865476);
                    auto tmp3 = at::vec::Vectorized<float>(tmp2);
                    auto tmp4 = tmp1 * tmp3;
                    auto tmp5 = tmp4.erf();
                    auto tmp6 = static_cast<float>(1.0);
                    auto tmp7 = at::vec::Vectorized<float>(tmp6);
                    auto tmp8 = tmp5 + tmp7;
                    auto tmp9 = static_cast<float>(0.5);
                    auto tmp10 = at::vec::Vectorized<float>(tmp9);
                    auto tmp11 = tmp8 * tmp10;
                    auto tmp12 = tmp1 * tmp1;
                    auto tmp13 = static_cast<float>(-0.5);
                    auto tmp14 = at::vec::Vectorized<float>(tmp13);
                    auto tmp15 = tmp12 * tmp14;
                    auto tmp16 = tmp15.exp();
                    auto tmp17 = static_cast<float>(0.3989422804014327);
                    auto tmp18 = at::vec::Vectorized<float>(tmp17);
                    auto tmp19 = tmp16 * tmp18;
                    auto tmp20 = tmp1 * tmp19;
                    auto tmp21 = tmp11 + tmp20;
                    auto tmp22 = tmp0 * tmp21;
                    tmp22.store(in_out_ptr0 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


cpp_fused_gelu_gelu_backward_sum_view_2 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       float* out_ptr0)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_0_cpp_fused_gelu_gelu_backward_sum_view_2_("graph_0_cpp_fused_gelu_gelu_backward_sum_view_2", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(1024L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(1024L); x1+=static_cast<int64_t>(1L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(1024L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0 + 1024L*x1), static_cast<int64_t>(16));
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                        }
                    }
                }
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(1024L)))
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


cpp_fused_add_native_dropout_native_dropout_backward_native_layer_norm_native_layer_norm_backward_view_3 = async_compile.cpp_pybinding(['float*', 'const float*', 'const bool*', 'const float*', 'const float*', 'const float*', 'const float*', 'const float*', 'float*', 'float*', 'float*'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(float* in_out_ptr0,
                       const float* in_ptr0,
                       const bool* in_ptr1,
                       const float* in_ptr2,
                       const float* in_ptr3,
                       const float* in_ptr4,
                       const float* in_ptr5,
                       const float* in_ptr6,
                       float* out_ptr0,
                       float* out_ptr1,
                       float* out_ptr2)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_0_cpp_fused_add_native_dropout_native_dropout_backward_native_layer_norm_native_layer_norm_backward_view_3_("graph_0_cpp_fused_add_native_dropout_native_dropout_backward_native_layer_norm_native_layer_norm_backward_view_3", nullptr);
    {
        #pragma GCC ivdep
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(1024L); x0+=static_cast<int64_t>(1L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(256L); x1+=static_cast<int64_t>(16L))
                {
                    {
                        if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(256L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                            auto tmp1 = at::vec::VecMask<float,1>::from(in_ptr1 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                            auto tmp3 = at::vec::Vectorized<float>::loadu(in_out_ptr0 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                            auto tmp9 = in_ptr2[static_cast<int64_t>(x0)];
                            auto tmp12 = in_ptr3[static_cast<int64_t>(x0)];
                            auto tmp15 = at::vec::Vectorized<float>::loadu(in_ptr4 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                            auto tmp16 = at::vec::Vectorized<float>::loadu(in_ptr5 + static_cast<int64_t>(x1), static_cast<int64_t>(16));
                            auto tmp2 = tmp1.to<float,1>();
                            auto tmp4 = tmp2 * tmp3;
                            auto tmp5 = static_cast<float>(1.1111111111111112);
                            auto tmp6 = at::vec::Vectorized<float>(tmp5);
                            auto tmp7 = tmp4 * tmp6;
                            auto tmp8 = tmp0 + tmp7;
                            auto tmp10 = at::vec::Vectorized<float>(tmp9);
                            auto tmp11 = tmp8 - tmp10;
                            auto tmp13 = at::vec::Vectorized<float>(tmp12);
                            auto tmp14 = tmp11 * tmp13;
                            auto tmp17 = tmp15 * tmp16;
                            auto tmp18 = tmp17 * tmp14;
                            tmp14.store(in_out_ptr0 + static_cast<int64_t>(x1 + 256L*x0));
                            tmp_acc0_vec = tmp_acc0_vec + tmp17;
                            tmp_acc1_vec = tmp_acc1_vec + tmp18;
                        }
                    }
                }
                tmp_acc0 = tmp_acc0 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc0_vec);
                out_ptr0[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc0);
                tmp_acc1 = tmp_acc1 + at::vec::vec_reduce_all<float, 1>([](at::vec::Vectorized<float>& x, at::vec::Vectorized<float>& y) { return x + y; }, tmp_acc1_vec);
                out_ptr1[static_cast<int64_t>(x0)] = static_cast<float>(tmp_acc1);
            }
            for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(256L); x1+=static_cast<int64_t>(16L))
            {
                {
                    if(C10_LIKELY(x1 >= static_cast<int64_t>(0) && x1 < static_cast<int64_t>(256L)))
                    {
                        auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr6 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                        auto tmp1 = in_ptr3[static_cast<int64_t>(x0)];
                        auto tmp4 = at::vec::Vectorized<float>::loadu(in_ptr4 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                        auto tmp5 = at::vec::Vectorized<float>::loadu(in_ptr5 + static_cast<int64_t>(x1), static_cast<int64_t>(16));
                        auto tmp9 = out_ptr0[static_cast<int64_t>(x0)];
                        auto tmp12 = at::vec::Vectorized<float>::loadu(in_out_ptr0 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                        auto tmp13 = out_ptr1[static_cast<int64_t>(x0)];
                        auto tmp20 = at::vec::VecMask<float,1>::from(in_ptr1 + static_cast<int64_t>(x1 + 256L*x0), static_cast<int64_t>(16));
                        auto tmp2 = static_cast<float>(256.0);
                        auto tmp3 = tmp1 / tmp2;
                        auto tmp6 = tmp4 * tmp5;
                        auto tmp7 = at::vec::Vectorized<float>(tmp2);
                        auto tmp8 = tmp6 * tmp7;
                        auto tmp10 = at::vec::Vectorized<float>(tmp9);
                        auto tmp11 = tmp8 - tmp10;
                        auto tmp14 = at::vec::Vectorized<float>(tmp13);
                        auto tmp15 = tmp12 * tmp14;
                        auto tmp16 = tmp11 - tmp15;
                        auto tmp17 = at::vec::Vectorized<float>(tmp3);
                        auto tmp18 = tmp17 * tmp16;
                        auto tmp19 = tmp0 + tmp18;
                        auto tmp21 = tmp20.to<float,1>();
                        auto tmp22 = static_cast<float>(1.1111111111111112);
                        auto tmp23 = at::vec::Vectorized<float>(tmp22);
                        auto tmp24 = tmp21 * tmp23;
                        auto tmp25 = tmp19 * tmp24;
                        tmp25.store(out_ptr2 + static_cast<int64_t>(x1 + 256L*x0));
                    }
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


cpp_fused_add_native_dropout_backward_native_layer_norm_backward_sum_view_4 = async_compile.cpp_pybinding(['const float*', 'const float*', 'const float*', 'float*', 'float*', 'float*'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       const float* in_ptr2,
                       float* out_ptr0,
                       float* out_ptr1,
                       float* out_ptr2)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_0_cpp_fused_add_native_dropout_backward_native_layer_norm_backward_sum_view_4_("graph_0_cpp_fused_add_native_dropout_backward_native_layer_norm_backward_sum_view_4", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(256L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(1024L); x1+=static_cast<int64_t>(1L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr0 + static_cast<int64_t>(x0 + 256L*x1), static_cast<int64_t>(16));
                            auto tmp1 = at::vec::Vectorized<float>::loadu(in_ptr1 + static_cast<int64_t>(x0 + 256L*x1), static_cast<int64_t>(16));
                            auto tmp2 = tmp0 * tmp1;
                            tmp_acc0_vec = tmp_acc0_vec + tmp2;
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
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(256L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(1024L); x1+=static_cast<int64_t>(1L))
                {
                    {
                        if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                        {
                            auto tmp0 = at::vec::Vectorized<float>::loadu(in_ptr2 + static_cast<int64_t>(x0 + 256L*x1), static_cast<int64_t>(16));
                            tmp_acc0_vec = tmp_acc0_vec + tmp0;
                        }
                    }
                }
                if(C10_LIKELY(x0 >= static_cast<int64_t>(0) && x0 < static_cast<int64_t>(256L)))
                {
                    tmp_acc0_vec.store(out_ptr2 + static_cast<int64_t>(x0));
                }
            }
        }
    }
    inductor_cpu_integer_div_error_flag = nullptr;
    inductor_cpu_throw_if_integer_div_error(inductor_cpu_integer_div_error);
}
''')


cpp_fused_native_layer_norm_native_layer_norm_backward_view_5 = async_compile.cpp_pybinding(['const float*', 'const float*', 'const float*', 'const float*', 'float*', 'float*'], r'''
#include <torch/csrc/inductor/aoti_runtime/utils.h>
#include <torch/csrc/inductor/cpp_prefix.h>
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       const float* in_ptr2,
                       const float* in_ptr3,
                       float* out_ptr0,
                       float* out_ptr1)
{
    std::atomic<int> inductor_cpu_integer_div_error{0};
    inductor_cpu_integer_div_error_flag = &inductor_cpu_integer_div_error;
    torch::aot_inductor::RAIIAtenRecordFunctionHandle record_graph_0_cpp_fused_native_layer_norm_native_layer_norm_backward_view_5_("graph_0_cpp_fused_native_layer_norm_native_layer_norm_backward_view_5", nullptr);
    {
        for(int64_t x0=static_cast<int64_t>(0L); x0<static_cast<int64_t>(256L); x0+=static_cast<int64_t>(16L))
        {
            {
                float tmp_acc0 = 0;
                at::vec::Vectorized<float> tmp_acc0_vec = at::vec::Vectorized<float>(0);
                float tmp_acc1 = 0;
                at::vec::Vectorized<float> tmp_acc1_vec = at::vec::Vectorized<float>(0);
                for(int64_t x1=static_cast<int64_t>(0L); x1<static_cast<int64_t>(1024L); x1+=static_cast<int64_t>(1L))
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
        primals_3, primals_4, primals_6, primals_8, primals_10, primals_12, getitem_1, rsqrt, view, addmm, view_2, addmm_1, gt, getitem_3, rsqrt_1, view_4, addmm_2, view_6, gt_1, tangents_1 = args
        args.clear()
        assert_size_stride(tangents_1, (8, 128, 256), (32768, 256, 1), 'input')
        assert_size_stride(gt_1, (8, 128, 256), (32768, 256, 1), 'input')
        buf0 = empty_strided_cpu((8, 128, 256), (32768, 256, 1), torch.float32)
        buf3 = empty_strided_cpu((1, 256), (256, 1), torch.float32)
        assert_size_stride(view_6, (1024, 1024), (1024, 1), 'input')
        # [Provenance debug handles] cpp_fused_native_dropout_backward_sum_view_0:1
        cpp_fused_native_dropout_backward_sum_view_0(tangents_1, gt_1, buf0, buf3)
        del gt_1
        buf2 = empty_strided_cpu((256, 1024), (1024, 1), torch.float32)
        # Topologically Sorted Source Nodes: [convert_element_type, mul_14, clone, view_8, permute_5, permute_7], Original ATen: [aten.native_dropout_backward, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:2
        extern_kernels.mm(reinterpret_tensor(buf0, (256, 1024), (1, 256), 0), view_6, out=buf2)
        del view_6
        assert_size_stride(primals_12, (256, 1024), (1024, 1), 'input')
        buf1 = empty_strided_cpu((1024, 1024), (1024, 1), torch.float32)
        # Topologically Sorted Source Nodes: [convert_element_type, mul_14, clone, view_8, linear_3, permute_4, mm], Original ATen: [aten.native_dropout_backward, aten.view, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:3
        extern_kernels.mm(reinterpret_tensor(buf0, (1024, 256), (256, 1), 0), primals_12, out=buf1)
        del buf0
        del primals_12
        assert_size_stride(addmm_2, (1024, 1024), (1024, 1), 'input')
        buf4 = reinterpret_tensor(buf1, (8, 128, 1024), (131072, 1024, 1), 0); del buf1  # reuse
        assert_size_stride(view_4, (1024, 256), (256, 1), 'input')
        # [Provenance debug handles] cpp_fused_gelu_gelu_backward_view_1:4
        cpp_fused_gelu_gelu_backward_view_1(buf4, addmm_2)
        del addmm_2
        buf6 = empty_strided_cpu((1024, 256), (256, 1), torch.float32)
        # Topologically Sorted Source Nodes: [view_10, linear_2, gelu_1, mul_17, mul_18, mul_19, exp, mul_20, mul_21, add_9, mul_22, view_11, permute_9, permute_11], Original ATen: [aten.view, aten.gelu, aten.gelu_backward, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:5
        extern_kernels.mm(reinterpret_tensor(buf4, (1024, 1024), (1, 1024), 0), view_4, out=buf6)
        del view_4
        buf7 = empty_strided_cpu((1, 1024), (1024, 1), torch.float32)
        assert_size_stride(primals_10, (1024, 256), (256, 1), 'input')
        # [Provenance debug handles] cpp_fused_gelu_gelu_backward_sum_view_2:6
        cpp_fused_gelu_gelu_backward_sum_view_2(buf4, buf7)
        buf5 = empty_strided_cpu((1024, 256), (256, 1), torch.float32)
        # Topologically Sorted Source Nodes: [view_10, linear_2, gelu_1, mul_17, mul_18, mul_19, exp, mul_20, mul_21, add_9, mul_22, view_11, permute_8, mm_2], Original ATen: [aten.view, aten.gelu, aten.gelu_backward, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:7
        extern_kernels.mm(reinterpret_tensor(buf4, (1024, 1024), (1024, 1), 0), primals_10, out=buf5)
        del primals_10
        assert_size_stride(primals_3, (8, 128, 256), (32768, 256, 1), 'input')
        assert_size_stride(gt, (8, 128, 256), (32768, 256, 1), 'input')
        assert_size_stride(addmm_1, (1024, 256), (256, 1), 'input')
        assert_size_stride(getitem_3, (8, 128, 1), (128, 1, 1), 'input')
        assert_size_stride(rsqrt_1, (8, 128, 1), (128, 1, 1), 'input')
        assert_size_stride(primals_8, (256, ), (1, ), 'input')
        buf9 = reinterpret_tensor(addmm_1, (8, 128, 256), (32768, 256, 1), 0); del addmm_1  # reuse
        buf8 = empty_strided_cpu((8, 128, 1), (128, 1, 1024), torch.float32)
        buf10 = empty_strided_cpu((8, 128, 1), (128, 1, 1024), torch.float32)
        buf13 = empty_strided_cpu((8, 128, 256), (32768, 256, 1), torch.float32)
        assert_size_stride(view_2, (1024, 1024), (1024, 1), 'input')
        # [Provenance debug handles] cpp_fused_add_native_dropout_native_dropout_backward_native_layer_norm_native_layer_norm_backward_view_3:8
        cpp_fused_add_native_dropout_native_dropout_backward_native_layer_norm_native_layer_norm_backward_view_3(buf9, primals_3, gt, getitem_3, rsqrt_1, buf5, primals_8, tangents_1, buf8, buf10, buf13)
        del buf10
        del getitem_3
        del gt
        del primals_8
        del rsqrt_1
        del tangents_1
        buf15 = empty_strided_cpu((256, 1024), (1024, 1), torch.float32)
        # Topologically Sorted Source Nodes: [view_13, mul_24, mul_25, mul_27, sub_3, sub_4, div, mul_28, add_10, convert_element_type_1, mul_30, clone_1, view_14, permute_13, permute_15], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.add, aten.native_dropout_backward, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:9
        extern_kernels.mm(reinterpret_tensor(buf13, (256, 1024), (1, 256), 0), view_2, out=buf15)
        del view_2
        buf11 = empty_strided_cpu((256, ), (1, ), torch.float32)
        buf12 = empty_strided_cpu((256, ), (1, ), torch.float32)
        buf16 = empty_strided_cpu((1, 256), (256, 1), torch.float32)
        assert_size_stride(primals_6, (256, 1024), (1024, 1), 'input')
        # [Provenance debug handles] cpp_fused_add_native_dropout_backward_native_layer_norm_backward_sum_view_4:10
        cpp_fused_add_native_dropout_backward_native_layer_norm_backward_sum_view_4(buf5, buf9, buf13, buf11, buf12, buf16)
        del buf9
        buf14 = reinterpret_tensor(buf4, (1024, 1024), (1024, 1), 0); del buf4  # reuse
        # Topologically Sorted Source Nodes: [view_13, mul_24, mul_25, mul_27, sub_3, sub_4, div, mul_28, add_10, convert_element_type_1, mul_30, clone_1, view_14, linear_1, permute_12, mm_4], Original ATen: [aten.view, aten.native_layer_norm_backward, aten.add, aten.native_dropout_backward, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:11
        extern_kernels.mm(reinterpret_tensor(buf13, (1024, 256), (256, 1), 0), primals_6, out=buf14)
        del primals_6
        assert_size_stride(addmm, (1024, 1024), (1024, 1), 'input')
        buf17 = reinterpret_tensor(buf14, (8, 128, 1024), (131072, 1024, 1), 0); del buf14  # reuse
        assert_size_stride(view, (1024, 256), (256, 1), 'input')
        # [Provenance debug handles] cpp_fused_gelu_gelu_backward_view_1:12
        cpp_fused_gelu_gelu_backward_view_1(buf17, addmm)
        del addmm
        buf19 = reinterpret_tensor(buf13, (1024, 256), (256, 1), 0); del buf13  # reuse
        # Topologically Sorted Source Nodes: [view_16, linear, gelu, mul_33, mul_34, mul_35, exp_1, mul_36, mul_37, add_12, mul_38, view_17, permute_17, permute_19], Original ATen: [aten.view, aten.gelu, aten.gelu_backward, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:13
        extern_kernels.mm(reinterpret_tensor(buf17, (1024, 1024), (1, 1024), 0), view, out=buf19)
        del view
        buf20 = reinterpret_tensor(buf8, (1, 1024), (1024, 1), 0); del buf8  # reuse
        assert_size_stride(primals_4, (1024, 256), (256, 1), 'input')
        # [Provenance debug handles] cpp_fused_gelu_gelu_backward_sum_view_2:14
        cpp_fused_gelu_gelu_backward_sum_view_2(buf17, buf20)
        buf18 = buf5; del buf5  # reuse
        # Topologically Sorted Source Nodes: [view_16, linear, gelu, mul_33, mul_34, mul_35, exp_1, mul_36, mul_37, add_12, mul_38, view_17, permute_16, mm_6], Original ATen: [aten.view, aten.gelu, aten.gelu_backward, aten.t, aten.mm]
        # [Provenance debug handles] extern_kernels.mm:15
        extern_kernels.mm(reinterpret_tensor(buf17, (1024, 1024), (1024, 1), 0), primals_4, out=buf18)
        del buf17
        del primals_4
        assert_size_stride(getitem_1, (8, 128, 1), (128, 1, 1), 'input')
        assert_size_stride(rsqrt, (8, 128, 1), (128, 1, 1), 'input')
        buf21 = empty_strided_cpu((256, ), (1, ), torch.float32)
        buf22 = empty_strided_cpu((256, ), (1, ), torch.float32)
        # [Provenance debug handles] cpp_fused_native_layer_norm_native_layer_norm_backward_view_5:16
        cpp_fused_native_layer_norm_native_layer_norm_backward_view_5(buf18, primals_3, getitem_1, rsqrt, buf21, buf22)
        del buf18
        del getitem_1
        del primals_3
        del rsqrt
        return (buf21, buf22, None, buf19, reinterpret_tensor(buf20, (1024, ), (1, ), 0), buf15, reinterpret_tensor(buf16, (256, ), (1, ), 0), buf11, buf12, buf6, reinterpret_tensor(buf7, (1024, ), (1, ), 0), buf2, reinterpret_tensor(buf3, (256, ), (1, ), 0), )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    primals_3 = rand_strided((8, 128, 256), (32768, 256, 1), device='cpu', dtype=torch.float32)
    primals_4 = rand_strided((1024, 256), (256, 1), device='cpu', dtype=torch.float32)
    primals_6 = rand_strided((256, 1024), (1024, 1), device='cpu', dtype=torch.float32)
    primals_8 = rand_strided((256, ), (1, ), device='cpu', dtype=torch.float32)
    primals_10 = rand_strided((1024, 256), (256, 1), device='cpu', dtype=torch.float32)
    primals_12 = rand_strided((256, 1024), (1024, 1), device='cpu', dtype=torch.float32)
    getitem_1 = rand_strided((8, 128, 1), (128, 1, 1), device='cpu', dtype=torch.float32)
    rsqrt = rand_strided((8, 128, 1), (128, 1, 1), device='cpu', dtype=torch.float32)
    view = rand_strided((1024, 256), (256, 1), device='cpu', dtype=torch.float32)
    addmm = rand_strided((1024, 1024), (1024, 1), device='cpu', dtype=torch.float32)
    view_2 = rand_strided((1024, 1024), (1024, 1), device='cpu', dtype=torch.float32)
    addmm_1 = rand_strided((1024, 256), (256, 1), device='cpu', dtype=torch.float32)
    gt = rand_strided((8, 128, 256), (32768, 256, 1), device='cpu', dtype=torch.bool)
    getitem_3 = rand_strided((8, 128, 1), (128, 1, 1), device='cpu', dtype=torch.float32)
    rsqrt_1 = rand_strided((8, 128, 1), (128, 1, 1), device='cpu', dtype=torch.float32)
    view_4 = rand_strided((1024, 256), (256, 1), device='cpu', dtype=torch.float32)
    addmm_2 = rand_strided((1024, 1024), (1024, 1), device='cpu', dtype=torch.float32)
    view_6 = rand_strided((1024, 1024), (1024, 1), device='cpu', dtype=torch.float32)
    gt_1 = rand_strided((8, 128, 256), (32768, 256, 1), device='cpu', dtype=torch.bool)
    tangents_1 = rand_strided((8, 128, 256), (32768, 256, 1), device='cpu', dtype=torch.float32)
    return [primals_3, primals_4, primals_6, primals_8, primals_10, primals_12, getitem_1, rsqrt, view, addmm, view_2, addmm_1, gt, getitem_3, rsqrt_1, view_4, addmm_2, view_6, gt_1, tangents_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cpu')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))

