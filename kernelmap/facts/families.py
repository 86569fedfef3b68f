"""Families of library work: what an operator does, and what a device name shows.

Library kernels bear names of their makers (cuBLAS, CUTLASS, cuDNN, Tensile, ATen), not of the
operator. Both sides are sorted into a few families by the words that such names are made of; what
an operator of a family launches stands in matching/names/expectations.py.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache

from kernelmap.facts.communication import is_communication_kernel, is_communication_operator
from kernelmap.facts.generated import is_generated_kernel
from kernelmap.model import Activity


class Family(Enum):
    """What a kernel or an operator does, as far as names tell.

    SCATTER is of operators alone: their kernels sort, and write to indices.
    """

    GEMM = auto()
    CONVOLUTION = auto()
    CONVOLUTION_BACKWARD = auto()
    ATTENTION = auto()
    ATTENTION_BACKWARD = auto()
    SOFTMAX = auto()
    RANDOM = auto()
    SORT = auto()
    TOPK = auto()
    SCAN = auto()
    INDEX = auto()
    SCATTER = auto()
    REDUCTION = auto()
    COLLECTIVE = auto()
    COPY = auto()
    FILL = auto()
    MEMSET = auto()
    PRELUDE = auto()
    GEMM_PRELUDE = auto()
    GROUPED_PRELUDE = auto()
    HELPER = auto()
    GENERATED = auto()
    OTHER = auto()


RESTORED = frozenset({Family.FILL, Family.MEMSET, Family.COPY})
"""What benchmarks launch between their measurements."""

# A PRELUDE is launched by a library before its kernel, a HELPER after it; nobody else runs either.
# A GEMM_PRELUDE is that of a single product, a GROUPED_PRELUDE that of a grouped one, alone.
# In this order: the first word that fits decides. A convolution by implicit GEMM is a convolution.
# Two words in any order are looked for from the start: from each letter, long names take seconds.
_KERNEL_WORDS: tuple[tuple[Family, str], ...] = (
    # What cuDNN 8 and 9 launch before a convolution: layouts, padded channels, addresses, tiles.
    (
        Family.PRELUDE,
        (
            r"nchwtonhwc|nhwctofoldednhwc|(?:nchw|nhwc)addpadding|scalepackedtensor_kernel"
            r"|(?:cask|cudnn)\w*::(?:\w+::)*compute\w*offsets|generatewinogradtiles|dot_do_o"
        ),
    ),
    (Family.GROUPED_PRELUDE, r"prepare_grouped_gemm"),
    (Family.GEMM_PRELUDE, r"\bscal_kernel"),
    (
        Family.HELPER,
        (
            r"splitk_?reduce|reduce_?split_?k|split_k_kernel|epilogue::impl|nhwctonchw"
            r"|foldednhwctonhwc"
            r"|convert_dq|fmha_reduce_head"
        ),
    ),
    (
        Family.ATTENTION_BACKWARD,
        r"(?m:^)(?=.*(?:bwd|backward|dgrad)).*(?:flash|fmha|attention|attn|sdpa)",
    ),
    (Family.ATTENTION, r"flash|fmha|attention|attn|sdpa"),
    (
        Family.CONVOLUTION_BACKWARD,
        r"wgrad|dgrad|(?m:^)(?=.*(?:bprop|bwd|backward)).*(?:conv(?!ert)|cudnn|miopen)",
    ),
    (Family.CONVOLUTION, r"conv(?!ert)|fprop|cudnn|winograd|miopen|im2col"),
    (Family.GEMM, r"gemm|gemv|nvjet|cutlass|cublas|cijk_|matmul|wgmma|dot_kernel|ck_tile"),
    (Family.SOFTMAX, r"softmax"),
    (Family.RANDOM, r"distribution|philox|random|bernoulli|curand|dropout"),
    (Family.TOPK, r"topk"),
    (Family.SORT, r"sort"),
    (Family.SCAN, r"device_?scan|scan_(?:inner|outer)most"),
    (Family.FILL, r"arange|kernel_with_index|fill_index|fill_reverse_indices"),
    (Family.REDUCTION, r"reduce_kernel|devicereduce"),
    (Family.INDEX, r"gather|scatter|index|embedding|unique"),
    (Family.COPY, r"direct_copy|copy_kernel|memcpy|catarray"),
    (Family.FILL, r"fillfunctor|fill_kernel"),
)

_OPERATOR_WORDS: tuple[tuple[Family, str], ...] = (
    (Family.ATTENTION_BACKWARD, r"(?:attention|flash|sdpa).*backward"),
    (Family.ATTENTION, r"attention|flash|sdpa"),
    (Family.CONVOLUTION_BACKWARD, r"conv.*backward"),
    (Family.CONVOLUTION, r"conv|cudnn_|miopen_|mkldnn_conv"),
    (
        Family.GEMM,
        r"(?:^|[._])(?:add|ba?d?d?b?)?(?:mm|bmm|mv|baddbmm)(?:$|_)|mm_plus_mm|linear|dot|matmul",
    ),
    (Family.SOFTMAX, r"softmax"),
    (Family.RANDOM, r"rand|bernoulli|dropout|normal_|uniform_|multinomial"),
    (Family.TOPK, r"topk"),
    (Family.SORT, r"sort|kthvalue|median"),
    (Family.SCAN, r"cumsum|cumprod|cummax|cummin|cumsumexp"),
    (Family.SCATTER, r"put|scatter|index_add|embedding.*backward|unique|nonzero|bincount|histc"),
    (Family.REDUCTION, r"(?:^|[._])(?:sum|mean|amax|amin|prod|var|std|norm|max|min)(?:$|[._])"),
    (Family.INDEX, r"index|gather|embedding|masked"),
    (Family.COPY, r"copy|clone|cat$|_to_copy|(?:^|[._])item$|_local_scalar_dense"),
    (Family.FILL, r"zero|fill|full|ones"),
)


@cache
def kernel_family(name: str, activity: Activity) -> Family:
    """The family of a launch under a device name.

    >>> kernel_family("ampere_sgemm_128x64_nn", Activity.KERNEL).name
    'GEMM'
    """
    # What is certain comes first; words of a library's name decide only what is left.
    if activity is Activity.MEMCPY:
        return Family.COPY
    if activity is Activity.MEMSET:
        return Family.MEMSET
    if is_generated_kernel(name):
        return Family.GENERATED
    if is_communication_kernel(name):
        return Family.COLLECTIVE
    return _first(_KERNEL_WORDS, name.lower())


@cache
def operator_family(target: str) -> Family:
    """The family of an operator, written `aten.addmm`.

    >>> operator_family("aten.addmm").name, operator_family("aten.gelu").name
    ('GEMM', 'OTHER')
    """
    if is_communication_operator(target):
        return Family.COLLECTIVE
    return _first(_OPERATOR_WORDS, target.partition(".")[2] or target)


def _first(words: tuple[tuple[Family, str], ...], text: str) -> Family:
    return next((family for family, word in words if re.search(word, text)), Family.OTHER)
