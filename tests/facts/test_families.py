"""Families of library work: what the words of device names and operators say."""

from __future__ import annotations

import pytest

from kernelmap.facts.families import (
    _KERNEL_WORDS,
    Family,
    kernel_family,
    operator_family,
)
from kernelmap.matching.names.expectations import may_launch_family
from kernelmap.model import Activity


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Cijk_Alik_Bljk_HHS_BH_MT128x128x32_MI16x16x16", Family.GEMM),
        ("sm80_xmma_fprop_implicit_gemm_tf32f32_nhwckrsc_nhwc_cudnn", Family.CONVOLUTION),
        ("void pytorch_flash::flash_fwd_kernel<traits>(Params)", Family.ATTENTION),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", Family.COLLECTIVE),
        ("vectorized_layer_norm_kernel", Family.OTHER),
        ("layer_norm_grad_input_kernel_bwd", Family.OTHER),
        ("sm80_xmma_dgrad_implicit_gemm_indexed_tf32f32_cudnn", Family.CONVOLUTION_BACKWARD),
        ("void at::native::sbtopk::gatherTopK<float>()", Family.TOPK),
        ("void cub::DeviceScanKernel<Policy>()", Family.SCAN),
        ("void cub::DeviceRadixSortOnesweepKernel<Policy>()", Family.SORT),
        ("void at::native::index_kernel_arange<int>()", Family.FILL),
        ("sm80_xmma_gemm_topk_epilogue", Family.GEMM),
        (
            "void at::cuda::detail::prepare_grouped_gemm_data<cutlass::bfloat16_t>()",
            Family.GROUPED_PRELUDE,
        ),
        ("void scal_kernel<float, float, 1, true, 6, 5, 5, 3>()", Family.GEMM_PRELUDE),
        ("void cudnn::ops::nhwcAddPaddingKernel<float, float, float, true>()", Family.PRELUDE),
        ("void cudnn::ops::scalePackedTensor_kernel<float, float>(float*)", Family.PRELUDE),
        ("void cask_cudnn::computeOffsetsKernel<false, false>(Params)", Family.PRELUDE),
        ("void cudnn::winograd::generateWinogradTilesKernel<0, float>()", Family.PRELUDE),
        ("void cudnn::ops::nhwcToFoldedNhwcKernel<float>()", Family.PRELUDE),
        ("void cudnn::ops::foldedNhwcToNhwcKernel<float>()", Family.HELPER),
        ("void mine::computeOffsetsKernel(int*)", Family.OTHER),
        ("void cudnn::fusion::fmha_reduce_head<true>(void const*)", Family.HELPER),
        ("at::native::(anonymous)::fill_index_and_segment_kernel(int2*)", Family.FILL),
        ("at::native::(anonymous)::fill_reverse_indices_kernel(long*)", Family.FILL),
    ],
)
def test_device_names_have_families(name: str, family: Family) -> None:
    """The words of a device name say what library work it is."""
    assert kernel_family(name, Activity.KERNEL) is family


def test_no_word_is_looked_for_from_every_letter_of_a_name() -> None:
    """Two words in any order are looked for once: names of templates have thousands of letters."""
    from_start = "(?m:^)(?=.*"
    for _, word in _KERNEL_WORDS:
        assert word.count(".*") == 2 * word.count(from_start)


@pytest.mark.parametrize(
    ("target", "family"),
    [
        ("aten.addmm", Family.GEMM),
        ("aten.bmm", Family.GEMM),
        ("aten._scaled_dot_product_flash_attention", Family.ATTENTION),
        ("aten._scaled_dot_product_flash_attention_backward", Family.ATTENTION_BACKWARD),
        ("aten.convolution_backward", Family.CONVOLUTION_BACKWARD),
        ("aten.randint", Family.RANDOM),
        ("aten.cumsum", Family.SCAN),
        ("aten.topk", Family.TOPK),
        ("aten.sort", Family.SORT),
        ("aten.index_put_", Family.SCATTER),
    ],
)
def test_operators_have_families(target: str, family: Family) -> None:
    """The name of an operator says what library work it asks for."""
    assert operator_family(target) is family


@pytest.mark.parametrize(
    ("target", "scans"),
    [
        ("aten.index_put_.default", False),
        ("aten.scatter_add.default", False),
        ("aten.embedding_dense_backward.default", True),
        ("aten.topk.default", True),
    ],
)
def test_of_what_scatters_only_embeddings_scan(target: str, scans: bool) -> None:
    """A cumsum that eager code runs right after an index_put is no part of it."""
    assert may_launch_family(target, Family.SCAN) is scans


@pytest.mark.parametrize(
    ("target", "kernel", "launches"),
    [
        ("aten._grouped_mm", Family.GROUPED_PRELUDE, True),
        ("aten.mm", Family.GROUPED_PRELUDE, False),
        ("aten.mm", Family.GEMM_PRELUDE, True),
        ("aten._grouped_mm", Family.GEMM_PRELUDE, False),
        ("aten._scaled_dot_product_efficient_attention_backward", Family.COPY, True),
        ("aten._scaled_dot_product_flash_attention_backward", Family.COPY, False),
    ],
)
def test_what_runs_before_a_kernel_is_of_its_operator(
    target: str, kernel: Family, launches: bool
) -> None:
    """Addresses are computed for grouped products alone, sums for the memory-efficient backward."""
    assert may_launch_family(target, kernel) is launches
