"""Families of library work: what an operator may launch, and what a device name shows.

Library kernels bear names of their makers (cuBLAS, CUTLASS, cuDNN, Tensile, ATen), not of the
operator. Both sides are sorted into a few families by the words that such names are made of. A call
may launch kernels of its own family and the helpers that its library runs beside them.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache

from kernelmap.model import Activity


class Family(Enum):
    """What a kernel or an operator does, as far as names tell.

    Where `finely` is asked for, TOPK, SCAN and SCATTER are told apart from SORT and INDEX,
    CONVOLUTION_BACKWARD from CONVOLUTION, and REDUCTION from OTHER. SCATTER is of operators alone:
    their kernels sort, and write to indices.
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
    HELPER = auto()
    GENERATED = auto()
    OTHER = auto()


RESTORED = frozenset({Family.FILL, Family.MEMSET, Family.COPY})
"""What benchmarks launch between their measurements."""

_GENERATED = re.compile(r"triton_(?:poi|red|per|tem|for|spl)_|triton_(?:_\d+[\dcde]*)?$")

# A PRELUDE is launched by a library before its kernel, a HELPER after it; nobody else runs either.
# In this order: the first word found decides. A convolution by implicit GEMM is a convolution.
_KERNEL_WORDS: tuple[tuple[Family, str], ...] = (
    (Family.COLLECTIVE, r"nccl|rccl|all_?reduce|all_?gather|reduce_?scatter"),
    (Family.PRELUDE, r"nchwtonhwc|dot_do_o"),
    (Family.HELPER, r"splitk_?reduce|reduce_?split_?k|convert_dq|nhwctonchw"),
    (
        Family.ATTENTION_BACKWARD,
        r"(?=.*(?:bwd|backward|dgrad)).*(?:flash|fmha|attention|attn|sdpa)",
    ),
    (Family.ATTENTION, r"flash|fmha|attention|attn|sdpa"),
    (
        Family.CONVOLUTION,
        r"conv(?!ert)|wgrad|dgrad|fprop|cudnn|winograd|miopen|im2col",
    ),
    (Family.GEMM, r"gemm|gemv|nvjet|cutlass|cublas|cijk_|matmul|wgmma|dot_kernel|ck_tile"),
    (Family.SOFTMAX, r"softmax"),
    (Family.RANDOM, r"distribution|philox|random|bernoulli|curand|dropout"),
    (Family.SORT, r"radixsort|sort|topk|devicescan"),
    (Family.INDEX, r"gather|scatter|index|embedding|unique"),
    (Family.COPY, r"direct_copy|copy_kernel|memcpy|catarray"),
    (Family.FILL, r"fillfunctor|fill_kernel"),
)

_OPERATOR_WORDS: tuple[tuple[Family, str], ...] = (
    (Family.COLLECTIVE, r"_c10d|all_reduce|all_gather|reduce_scatter|all_to_all"),
    (Family.ATTENTION_BACKWARD, r"(?:attention|flash|sdpa).*backward"),
    (Family.ATTENTION, r"attention|flash|sdpa"),
    (Family.CONVOLUTION, r"conv|cudnn_|miopen_|mkldnn_conv"),
    (
        Family.GEMM,
        r"(?:^|[._])(?:add|ba?d?d?b?)?(?:mm|bmm|mv|baddbmm)(?:$|_)|mm_plus_mm|linear|dot|matmul",
    ),
    (Family.SOFTMAX, r"softmax"),
    (Family.RANDOM, r"rand|bernoulli|dropout|normal_|uniform_|multinomial"),
    (Family.SORT, r"sort|topk|kthvalue|median"),
    (Family.INDEX, r"index|gather|scatter|embedding|nonzero|unique|masked"),
    (Family.COPY, r"copy|clone|cat$|_to_copy|(?:^|[._])item$|_local_scalar_dense"),
    (Family.FILL, r"zero|fill|full|ones"),
)

# Where families are told apart finely these words come before those of _COARSE.
_COARSE = frozenset(
    {Family.CONVOLUTION, Family.SORT, Family.INDEX, Family.COPY, Family.FILL, Family.OTHER}
)
_FINE_KERNEL_WORDS: tuple[tuple[Family, str], ...] = (
    (Family.CONVOLUTION_BACKWARD, r"dgrad|wgrad|bprop|bwd|(?=.*backward).*conv"),
    (Family.TOPK, r"topk"),
    (Family.SORT, r"sort"),
    (Family.SCAN, r"device_?scan|scan_(?:inner|outer)most"),
    (Family.FILL, r"arange|kernel_with_index"),
    (Family.REDUCTION, r"reduce_kernel|devicereduce"),
)
_FINE_OPERATOR_WORDS: tuple[tuple[Family, str], ...] = (
    (Family.CONVOLUTION_BACKWARD, r"conv.*backward"),
    (Family.TOPK, r"topk"),
    (Family.SORT, r"sort|kthvalue|median"),
    (Family.SCAN, r"cumsum|cumprod|cummax|cummin|cumsumexp"),
    (Family.SCATTER, r"put|scatter|index_add|embedding.*backward|unique|nonzero|bincount|histc"),
    (Family.REDUCTION, r"(?:^|[._])(?:sum|mean|amax|amin|prod|var|std|norm|max|min)(?:$|[._])"),
)

_HELPS: dict[Family, frozenset[Family]] = {
    Family.GEMM: frozenset({Family.HELPER, Family.COPY, Family.FILL, Family.MEMSET}),
    Family.CONVOLUTION: frozenset(
        {Family.GEMM, Family.HELPER, Family.COPY, Family.FILL, Family.MEMSET}
    ),
    Family.ATTENTION: frozenset({Family.HELPER, Family.FILL, Family.GEMM, Family.MEMSET}),
    Family.ATTENTION_BACKWARD: frozenset(
        {Family.ATTENTION, Family.PRELUDE, Family.HELPER, Family.FILL, Family.GEMM, Family.MEMSET}
    ),
    Family.SORT: frozenset({Family.FILL, Family.COPY, Family.INDEX, Family.SCAN, Family.MEMSET}),
    Family.TOPK: frozenset({Family.FILL, Family.COPY, Family.SORT, Family.SCAN, Family.MEMSET}),
    Family.INDEX: frozenset({Family.FILL, Family.SORT, Family.SCAN, Family.COPY, Family.MEMSET}),
    Family.RANDOM: frozenset({Family.FILL, Family.MEMSET}),
    Family.FILL: frozenset({Family.MEMSET}),
}


@cache
def kernel_family(name: str, activity: Activity, *, finely: bool = False) -> Family:
    """The family of a launch under a device name.

    >>> kernel_family("ampere_sgemm_128x64_nn", Activity.KERNEL).name
    'GEMM'
    """
    if activity is Activity.MEMCPY:
        return Family.COPY
    if activity is Activity.MEMSET:
        return Family.MEMSET
    if _GENERATED.match(name):
        return Family.GENERATED
    family = _first(_KERNEL_WORDS, name.lower())
    return _finer(family, _FINE_KERNEL_WORDS, name.lower()) if finely else family


@cache
def operator_family(target: str, *, finely: bool = False) -> Family:
    """The family of an operator, written `aten.addmm`.

    >>> operator_family("aten.addmm").name, operator_family("aten.native_layer_norm").name
    ('GEMM', 'OTHER')
    """
    operator = target.partition(".")[2] or target
    family = _first(_OPERATOR_WORDS, operator)
    return _finer(family, _FINE_OPERATOR_WORDS, operator) if finely else family


@cache
def may_launch(call: Family, kernel: Family) -> bool:
    """Whether a library call of one family may launch a kernel of another."""
    if kernel is Family.GENERATED:
        return False
    anything = Family.OTHER in (call, kernel)
    return anything or call is kernel or kernel in _HELPS.get(call, ())


def _finer(family: Family, words: tuple[tuple[Family, str], ...], text: str) -> Family:
    """The family by `words`, where `family` is one that they divide; otherwise `family`."""
    if family not in _COARSE:
        return family
    finer = _first(words, text)
    return family if finer is Family.OTHER else finer


def _first(words: tuple[tuple[Family, str], ...], text: str) -> Family:
    return next((family for family, word in words if re.search(word, text)), Family.OTHER)
