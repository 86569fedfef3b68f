"""The kernels of libraries that compute no result themselves: they prepare or finish another's.

One call of a convolution, an attention or a product may launch several kernels. Names are those of
cuDNN 9 and cuBLAS 12 and 13, as the recordings of H100s in sample_traces have them.
"""

from __future__ import annotations

from collections.abc import Mapping

_PURPOSES: Mapping[str, str] = {
    "nchwToNhwcKernel": "change the layout (channels last and back)",
    "nhwcToNchwKernel": "change the layout (channels last and back)",
    "nchwAddPaddingKernel": "pad its input",
    "splitKreduce_kernel": "add up the parts of a split product",
    "execute_split_k_kernel": "add up the parts of a split product",
    "convert_dq_to_16bits": "round the gradient of the queries",
    "compute_dot_do_o": "multiply the output by its gradient",
    "Memset": "clear memory",
}


def purpose_of_helper(name: str) -> str | None:
    """What a kernel prepares or finishes for another one of its library; None for any other.

    >>> purpose_of_helper("void cublasLt::splitKreduce_kernel<32, 16, int, float>")
    'add up the parts of a split product'
    """
    return next((purpose for word, purpose in _PURPOSES.items() if word in name), None)
