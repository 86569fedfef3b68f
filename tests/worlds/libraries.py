"""What library operators look like in a profile: the operators inside and the kernels they launch.

Each operator has some ways to run; a call site keeps the way it got. A way is a tree: the path of
inner operators and the kernels at its end. Device names are of the families that cuBLAS, CUTLASS,
cuDNN, flash attention and ATen write.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from zlib import crc32

_GEMMS = (
    "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_kernel_cublas",
    "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32_warpgroupsize1x1x1_kernel_cublas",
    "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT",
    "ampere_sgemm_128x64_nn",
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_nt_align4>(Params)",
    "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true>(cublasGemmvParams)",
)
_SPLIT_K = (
    "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, false>(int)"
)
_COPY = "void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>(int)"
_FILL = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>>(int)"
_ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)"
_RANDOM = "void at::native::distribution_elementwise_grid_stride_kernel<unsigned long, 2>(long)"
_SORT = (
    "void at_cuda_detail::cub::DeviceRadixSortHistogramKernel<float>(int)",
    "void at_cuda_detail::cub::DeviceRadixSortExclusiveSumKernel<float>(int)",
    "void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<float>(int)",
)
_CUDNN = (
    "void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float>(int)",
    "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_cudnn",
    "void cudnn::engines_precompiled::nhwcToNchwKernel<float, float, float>(int)",
)
_FLASH = "void pytorch_flash::flash_fwd_kernel<pytorch_flash::fwd_traits<64>>(int)"
_FLASH_BACKWARD = (
    "void pytorch_flash::flash_bwd_dot_do_o_kernel<pytorch_flash::bwd_traits<64>>(int)",
    "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<bwd_traits<64>>(int)",
    "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::bwd_traits<64>>(int)",
)

VENDOR = "vnd_k"
"""What all names of library kernels begin with where a vendor names them."""


@dataclass(frozen=True, slots=True)
class Kernels:
    """Kernels launched one after the other inside `path`, operators below the outermost."""

    names: tuple[str, ...]
    path: tuple[str, ...] = ()
    memset: bool = False


Way = tuple[Kernels, ...]


def vendored(way: Way) -> Way:
    """The same kernels under names that say nothing of what they do."""
    return tuple(
        replace(
            kernels, names=tuple(f"{VENDOR}{crc32(name.encode()):08x}" for name in kernels.names)
        )
        for kernels in way
    )


def way_of(operator: str, rng: Random) -> Way:
    """One way to run `operator` (written `aten::addmm`), chosen by `rng`."""
    gemm = rng.choice(_GEMMS)
    product: tuple[Way, ...] = (
        (Kernels((gemm,)),),
        (Kernels((gemm, _SPLIT_K), memset=True),),
    )
    ways: dict[str, tuple[Way, ...]] = {
        "aten::mm": product,
        "aten::bmm": product,
        "aten::baddbmm": product,
        "aten::addmm": (
            *product,
            (Kernels((_COPY,), ("aten::copy_",)), Kernels((gemm,))),
            (Kernels((_COPY,), ("aten::copy_",)), Kernels((gemm, _SPLIT_K), memset=True)),
        ),
        "aten::linear": ((Kernels((gemm,), ("aten::addmm",)),),),
        "aten::convolution": (
            (Kernels(_CUDNN, ("aten::_convolution", "aten::cudnn_convolution")),),
            (Kernels(_CUDNN[1:2], ("aten::_convolution", "aten::cudnn_convolution")),),
        ),
        "aten::convolution_backward": ((Kernels(_CUDNN, ("aten::cudnn_convolution_backward",)),),),
        "aten::_scaled_dot_product_flash_attention": (
            (Kernels((_FLASH,), ("aten::_flash_attention_forward",)),),
        ),
        "aten::_scaled_dot_product_flash_attention_backward": (
            (Kernels(_FLASH_BACKWARD, ("aten::_flash_attention_backward",)),),
        ),
        "aten::randint": ((Kernels((_RANDOM,), ("aten::random_",)),),),
        "aten::sort": ((Kernels(_SORT),), (Kernels(_SORT, ("aten::sort",), memset=True),)),
        "aten::zero_": ((Kernels((_FILL,), ("aten::fill_",)),),),
        "aten::sum": ((Kernels((_ADD,)),),),
        "aten::copy_": ((Kernels((_COPY,)),),),
    }
    return rng.choice(ways.get(operator, ((Kernels((_ADD,)),),)))
