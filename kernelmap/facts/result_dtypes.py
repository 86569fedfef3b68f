"""Which dtypes the results of library operators have, given that of their operands."""

from __future__ import annotations

from collections.abc import Mapping

_SAME = "operands"  # the dtype of a result is that of the operands
_ATTENDED = (_SAME, "float32", "int64")  # the values, logsumexp; then seeds and counts
_PRODUCTS = (
    *("mm", "addmm", "_addmm_activation", "bmm", "baddbmm", "mv", "addmv", "dot", "_mm_plus_mm"),
    *("convolution", "_convolution", "convolution_overrideable", "cudnn_convolution"),
    *("_slow_conv2d_forward", "convolution_backward", "_grouped_mm"),
)
_ATTENTION = (
    *("_flash_attention_forward", "_efficient_attention_forward"),
    *("_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu"),
    *("_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention"),
)
_ATTENTION_BACKWARD = (
    *("_flash_attention_backward", "_efficient_attention_backward"),
    *("_scaled_dot_product_flash_attention_backward",),
    *("_scaled_dot_product_flash_attention_for_cpu_backward",),
    *("_scaled_dot_product_efficient_attention_backward",),
    *("_scaled_dot_product_cudnn_attention_backward",),
)
_COLLECTIVES = (
    *("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single"),
    "broadcast",
)
_WITH_INDICES = (
    *("sort", "topk", "cumsum", "cumprod", "logcumsumexp", "_softmax", "_log_softmax"),
    *("max_pool2d_with_indices", "max_pool2d_with_indices_backward"),
    *("avg_pool2d", "avg_pool2d_backward", "avg_pool3d", "avg_pool3d_backward"),
    *("_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward"),
)

RESULTS: Mapping[str, tuple[str | None, ...]] = {
    **{f"aten.{name}": (_SAME,) for name in (*_PRODUCTS, *_ATTENTION_BACKWARD)},
    **{f"aten.{name}": _ATTENDED for name in _ATTENTION},
    **{f"aten.{name}": (_SAME, "int64") for name in _WITH_INDICES},
    **{f"_c10d_functional.{name}": (_SAME,) for name in _COLLECTIVES},
    "mkldnn._linear_pointwise": (_SAME,),
    "mkldnn._convolution_pointwise": (_SAME,),
    "aten._scaled_mm": (None,),
    "aten._int_mm": ("int32",),
}
"""By operator the dtypes of its results in order, None for one that the operands do not tell. The
last entry stands for all further ones."""


def have_one_dtype(operator: str) -> bool:
    """Whether all operands and results of an operator have one dtype: products, convolutions.

    >>> have_one_dtype("aten.addmm"), have_one_dtype("aten.topk")
    (True, False)
    """
    space, _, name = operator.partition(".")
    return space == "aten" and name in _PRODUCTS and name != "_grouped_mm"


def gives_pair(operator: str) -> bool:
    """Whether an operator gives two results of one shape: values, and where they were.

    >>> gives_pair("aten.topk"), gives_pair("aten.cumsum")
    (True, False)
    """
    return operator in ("aten.sort", "aten.topk", "aten.max_pool2d_with_indices")


def gives_logsumexp(operator: str) -> bool:
    """Whether the second result of an operator has a float32 per row of its first operand.

    Attention in fixed blocks computes it for the backward, whether there is one or not.
    """
    is_known = "flash_attention" in operator or "cudnn_attention" in operator
    return is_known and "backward" not in operator


def dtype_of_result(operator: str, place: int, operands: str) -> str | None:
    """The dtype of the result at a place, given that of the operands.

    An operator that is not listed is taken to keep the dtype of its operands.

    >>> dtype_of_result("aten.topk", 0, "float16"), dtype_of_result("aten.topk", 1, "float16")
    ('float16', 'int64')
    """
    results = RESULTS.get(operator, (_SAME,))
    stated = results[max(0, min(place, len(results) - 1))]
    return operands if stated == _SAME else stated
