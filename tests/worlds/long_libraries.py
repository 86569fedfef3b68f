"""Library operators of many kernels: sorts, scatters, backwards of convolution and attention.

`long_way(operator, rng)` is one way to run an operator, as `libraries.way_of` gives it, with the
copies, fills and memsets that ATen, CUB and cuDNN launch before and after the kernel that does the
work. The counts are invented; their variety is what real profiles show.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worlds.libraries import Kernels, Way, way_of

_COPY = "void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>(int)"
_FILL = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<long>>(int)"
_ARANGE = "void (anonymous namespace)::elementwise_kernel_with_index<int, arange_cuda_out>(int)"
_SUM = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, func_wrapper_t>>(int)"
_MUL = "void at::native::vectorized_elementwise_kernel<4, at::native::MulFunctor<long>>(int)"
_ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<long>>(int)"
_RADIX = "void at_cuda_detail::cub::DeviceRadixSort"
_HISTOGRAM = f"{_RADIX}HistogramKernel<Policy900, false, unsigned int>(int)"
_EXCLUSIVE = f"{_RADIX}ExclusiveSumKernel<Policy900, unsigned int>(int)"
_ONESWEEP = f"{_RADIX}OnesweepKernel<Policy900, false, float, long, int>(int)"
_ONE_TILE = f"{_RADIX}SingleTileKernel<Policy900, false, float, long, int>(int)"
_BITONIC = "void at::native::bitonicSortKVInPlace<2, -1, 16, 16, float, long, GTOp, int>(int)"
_AFTER_SORT = "void at::native::(anonymous namespace)::sort_postprocess_kernel<float>(int)"
_TOPK = "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(int)"
_TOPK_BLOCKS = (
    "void at::native::mbtopk::fill<unsigned int, unsigned int>(int)",
    "void at::native::mbtopk::radixFindKthValues<float, unsigned int, unsigned int, 2>(int)",
    "void at::native::mbtopk::computeBlockwiseWithinKCounts<unsigned int>(int)",
    "void at_cuda_detail::cub::DeviceScanByKeyInitKernel<unsigned int>(int)",
    "void at_cuda_detail::cub::DeviceScanByKeyKernel<unsigned int>(int)",
    "void at::native::mbtopk::gatherTopK<float, unsigned int, 2>(int)",
)
_SCATTER = "void at::native::(anonymous namespace)::indexing_backward_kernel<float, 4>(long)"
_INDEX_PUT = "void at::native::index_elementwise_kernel<128, 4, index_put_kernel_impl>(long)"
_SCAN = (
    "void at_cuda_detail::cub::DeviceScanInitKernel<ScanTileState<float>>(int)",
    "void at_cuda_detail::cub::DeviceScanKernel<Policy900, float, plus>(int)",
)
_GATHER = "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long>(int)"
_TO_NHWC = "void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float>(int)"
_TO_NCHW = "void cudnn::engines_precompiled::nhwcToNchwKernel<float, float, float>(int)"
_DGRAD = "sm80_xmma_dgrad_implicit_gemm_indexed_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_cudnn"
_WGRAD = "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x32_cudnn"
_SPLIT_K = (
    "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, false>(int)"
)
_FLASH_SPLIT = (
    "void pytorch_flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<64>>(int)",
    "void pytorch_flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<64>>(int)",
)
_FLASH_BACKWARD = (
    "void pytorch_flash::flash_bwd_dot_do_o_kernel<pytorch_flash::bwd_traits<64>>(int)",
    "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<bwd_traits<64>>(int)",
    "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::bwd_traits<64>>(int)",
)


def long_way(operator: str, rng: Random) -> Way:
    """One way to run `operator` (written `aten::sort`), chosen by `rng`."""
    long = _LONG.get(operator)
    return long(rng) if long else way_of(operator, rng)


def _sort(rng: Random) -> Way:
    """A row that fits one block is sorted in place; longer ones take passes of eight bits."""
    passes = rng.choice((2, 4, 8))
    return rng.choice(
        (
            (Kernels((_COPY, _ARANGE, _BITONIC)),),
            (Kernels((_ARANGE, _COPY, _ONE_TILE)),),
            (
                Kernels((_ARANGE, _COPY)),
                Kernels((_HISTOGRAM, _EXCLUSIVE), memset=True),
                *(Kernels((_ONESWEEP,), memset=bool(at % 2)) for at in range(passes)),
                Kernels((_AFTER_SORT,)),
            ),
        )
    )


def _topk(rng: Random) -> Way:
    last = rng.choice(((), (Kernels((_BITONIC,)),)))
    return rng.choice(((Kernels((_TOPK,)),), (Kernels(_TOPK_BLOCKS, memset=True),))) + last


def _index_put(rng: Random) -> Way:
    """A plain write is one kernel; adding up sorts the indices first."""
    linear = (_COPY, _MUL, _ADD, _ARANGE)[: rng.randint(2, 4)]
    return rng.choice(
        (
            (Kernels((_INDEX_PUT,)),),
            (Kernels((_COPY, _INDEX_PUT)),),
            (Kernels((*linear, _ONE_TILE, _SCATTER)),),
            (
                Kernels((*linear, _HISTOGRAM, _EXCLUSIVE, *[_ONESWEEP] * rng.choice((2, 4)))),
                Kernels((_SCATTER,)),
            ),
        )
    )


def _convolution_backward(rng: Random) -> Way:
    """The gradient of the input, that of the weights, and now and then that of the bias."""
    path = ("aten::cudnn_convolution_backward",)
    around = rng.choice(((), (_TO_NHWC,)))
    back = (_TO_NCHW,) if around else ()
    weights = (_SPLIT_K,) if rng.random() < 1 / 2 else ()
    bias = (Kernels((_SUM,), ("aten::sum",)),) if rng.random() < 1 / 2 else ()
    return (
        Kernels((*around * 2, _DGRAD, *back), path),
        Kernels((*around, _WGRAD, *weights, *back), path, memset=rng.random() < 1 / 2),
        *bias,
    )


def _attention_backward(rng: Random) -> Way:
    path = ("aten::_flash_attention_backward",)
    sums = (Kernels((_SUM, _SUM), ("aten::sum_out",)),) if rng.random() < 1 / 3 else ()
    fill = (Kernels((_FILL,), ("aten::zeros",)),) if rng.random() < 1 / 2 else ()
    return (*fill, Kernels(_FLASH_BACKWARD, path, memset=rng.random() < 1 / 3), *sums)


def _attention(rng: Random) -> Way:
    path = ("aten::_flash_attention_forward",)
    once = way_of("aten::_scaled_dot_product_flash_attention", rng)
    return rng.choice((once, (Kernels(_FLASH_SPLIT, path),)))


_LONG: dict[str, Callable[[Random], Way]] = {
    "aten::sort": _sort,
    "aten::topk": _topk,
    "aten::index_put_": _index_put,
    "aten::convolution_backward": _convolution_backward,
    "aten::_scaled_dot_product_flash_attention": _attention,
    "aten::_scaled_dot_product_flash_attention_backward": _attention_backward,
    "aten::cumsum": lambda _: (Kernels(_SCAN),),
    "aten::embedding": lambda _: (Kernels((_GATHER,)),),
}
