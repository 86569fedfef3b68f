"""What the libraries behind an operator are expected to launch, before a profile is seen.

A library call launches some kernels before its main one (memory to clear, layouts to change,
indices to make), the main kernel, and some behind it (partial sums to add up). What is known of
that is written down here by families; what is true of one call the profile teaches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.facts.families import Family, operator_family

_F = Family


class Expected(Struct, frozen=True, kw_only=True):
    """What calls of one family of operators launch.

    `before`, `main` and `behind` weigh the families of kernels at these places: 1 is what is
    launched as a rule, 0 what never is; families that are absent weigh `_HARDLY`. `begins` is how
    probable it is that something runs before the main kernel, `another` that something follows it,
    and that something follows that. `most` limits how many run before and behind.
    """

    main: Mapping[Family, float]
    before: Mapping[Family, float] = {}
    behind: Mapping[Family, float] = {}
    begins: float = 0.1
    another: float = 0.1
    most: tuple[int, int] = (1, 2)


_HARDLY = 0.002
"""How often an operator launches a family that its row does not name: next to never, and not 0, so
that a surprise is a rare launch and no end of an invocation. Tried on recordings
(scripts/thresholds.py): at 0.01, 11 calls are lost where launches were lost; at 0.0005, five more
launches have misleading candidates where half of the code is withheld."""
_UNKNOWN = {_F.OTHER: 0.05}
"""Kernels of any operator may bear a name that says nothing."""
_LAYOUT = {_F.PRELUDE: 1.0, _F.MEMSET: 0.3, _F.FILL: 0.1, _F.COPY: 0.02, _F.OTHER: 0.02}
_SMALL = {_F.MEMSET: 0.3, _F.FILL: 0.5, _F.COPY: 0.5, _F.OTHER: 0.02}

EXPECTED: Mapping[Family, Expected] = {
    _F.GEMM: Expected(
        before={
            _F.GEMM_PRELUDE: 1.0,
            _F.MEMSET: 0.6,
            _F.COPY: 0.3,
            _F.FILL: 0.05,
            _F.OTHER: 0.01,
        },
        main={_F.GEMM: 1.0} | _UNKNOWN,
        behind={_F.HELPER: 0.95, _F.OTHER: 0.01},
        begins=0.3,
        another=0.2,
        most=(2, 2),
    ),
    _F.CONVOLUTION: Expected(
        before=_LAYOUT,
        main={_F.CONVOLUTION: 1.0, _F.GEMM: 0.2} | _UNKNOWN,
        behind={_F.HELPER: 1.0, _F.OTHER: 0.05, _F.GEMM: 0.02},
        begins=0.5,
        another=0.4,
        most=(3, 4),
    ),
    _F.CONVOLUTION_BACKWARD: Expected(
        before=_LAYOUT,
        main={_F.CONVOLUTION_BACKWARD: 1.0, _F.CONVOLUTION: 0.3, _F.GEMM: 0.1} | _UNKNOWN,
        behind={
            _F.CONVOLUTION_BACKWARD: 1.0,
            _F.HELPER: 1.0,
            _F.PRELUDE: 0.6,
            _F.MEMSET: 0.4,
            _F.REDUCTION: 0.3,
            _F.OTHER: 0.02,
        },
        begins=0.5,
        another=0.8,
        most=(4, 12),
    ),
    _F.ATTENTION: Expected(
        before={_F.MEMSET: 0.5, _F.FILL: 0.5, _F.PRELUDE: 0.3, _F.OTHER: 0.02},
        main={_F.ATTENTION: 1.0, _F.GEMM: 0.02} | _UNKNOWN,
        behind={_F.HELPER: 1.0, _F.ATTENTION: 0.7, _F.OTHER: 0.02},
        begins=0.15,
        another=0.2,
        most=(2, 3),
    ),
    _F.ATTENTION_BACKWARD: Expected(
        before={_F.PRELUDE: 1.0, _F.MEMSET: 0.5, _F.FILL: 0.5, _F.OTHER: 0.02},
        main={_F.ATTENTION_BACKWARD: 1.0, _F.ATTENTION: 0.05} | _UNKNOWN,
        behind={
            _F.HELPER: 1.0,
            _F.ATTENTION_BACKWARD: 0.7,
            _F.REDUCTION: 0.4,
            _F.OTHER: 0.02,
        },
        begins=0.8,
        another=0.5,
        most=(3, 6),
    ),
    _F.SOFTMAX: Expected(main={_F.SOFTMAX: 1.0} | _UNKNOWN),
    _F.RANDOM: Expected(main={_F.RANDOM: 1.0} | _UNKNOWN),
    _F.SORT: Expected(
        before=_SMALL | {_F.OTHER: 0.01},
        main={_F.SORT: 1.0, _F.SCAN: 0.1},
        behind={_F.SORT: 1.0, _F.SCAN: 0.1, _F.MEMSET: 0.2, _F.COPY: 0.03, _F.FILL: 0.03},
        begins=0.8,
        another=0.8,
        most=(5, 16),
    ),
    _F.TOPK: Expected(
        before=_SMALL | {_F.OTHER: 0.01},
        main={_F.TOPK: 1.0, _F.SORT: 0.2},
        behind={_F.TOPK: 1.0, _F.SORT: 0.4, _F.SCAN: 0.4, _F.MEMSET: 0.1, _F.COPY: 0.03},
        begins=0.4,
        another=0.75,
        most=(2, 16),
    ),
    _F.SCAN: Expected(
        before={_F.MEMSET: 0.3, _F.COPY: 0.2},
        main={_F.SCAN: 1.0} | _UNKNOWN,
        behind={_F.SCAN: 1.0, _F.OTHER: 0.01},
        begins=0.1,
        another=0.5,
        most=(2, 4),
    ),
    _F.SCATTER: Expected(
        before={_F.MEMSET: 0.1, _F.FILL: 0.3, _F.COPY: 0.2, _F.OTHER: 0.1},
        main={_F.INDEX: 1.0, _F.SORT: 0.5, _F.OTHER: 0.05},
        behind={_F.SORT: 1.0, _F.INDEX: 0.6, _F.SCAN: 0.2, _F.MEMSET: 0.2, _F.COPY: 0.03},
        begins=0.5,
        another=0.6,
        most=(5, 12),
    ),
    _F.INDEX: Expected(
        before={_F.FILL: 0.1, _F.COPY: 0.1},
        main={_F.INDEX: 1.0, _F.OTHER: 0.1},
        behind={_F.OTHER: 0.01},
        begins=0.05,
        another=0.03,
    ),
    _F.COLLECTIVE: Expected(
        before={_F.COPY: 0.3},
        main={_F.COLLECTIVE: 1.0} | _UNKNOWN,
        behind={_F.COPY: 0.3},
    ),
    _F.COPY: Expected(main={_F.COPY: 1.0, _F.MEMSET: 0.1, _F.OTHER: 0.1}, another=0.05),
    _F.FILL: Expected(main={_F.FILL: 1.0, _F.MEMSET: 0.5, _F.OTHER: 0.1}, another=0.05),
    _F.REDUCTION: Expected(
        before={_F.MEMSET: 0.3}, main={_F.REDUCTION: 1.0, _F.OTHER: 0.2}, another=0.05
    ),
    _F.OTHER: Expected(
        before={_F.MEMSET: 0.2, _F.FILL: 0.1},
        main=dict.fromkeys(_F, 0.1) | {_F.OTHER: 0.4, _F.REDUCTION: 0.3},
        behind=dict.fromkeys(_F, 0.03) | {_F.OTHER: 0.2, _F.HELPER: 0.2},
        begins=0.05,
        another=0.2,
        most=(1, 6),
    ),
}
"""By family of operators. Main kernels of sorts are never short work, which weighs nothing."""

SORTING = frozenset({Family.SORT, Family.TOPK, Family.SCATTER, Family.SCAN})
"""Operators of these families launch many kernels, of several families."""
_SHORT = frozenset({Family.MEMSET, Family.FILL, Family.COPY, Family.OTHER})


_BESIDE = frozenset({Family.PRELUDE, Family.GEMM_PRELUDE, Family.GROUPED_PRELUDE, Family.HELPER})
"""What a library launches before or behind its own kernel, and nowhere else."""
_BIASED = re.compile(r"addmm|baddbmm|linear")
_GROUPED = re.compile(r"grouped_mm")
_SUMS_FIRST = re.compile(r"efficient_attention_backward")
"""It multiplies the output with its gradient and adds that up, row by row, before its own kernel.

ATen does this for float32 with one kernel per step (torch 2.6 to 2.13, attention_backward.cu;
sample_traces/cuda_dynamic_recompile shows it); its kernels for half precision do it themselves.
"""
_COUNTS = re.compile(r"embedding")
"""The backward of embeddings adds up how many rows each index has; other scatters count nothing."""


def expected_of(target: str, family: Family) -> Expected:
    """What an operator launches, where that differs within its family.

    Only products that add something copy it first, and only a grouped one has the addresses of its
    matrices computed. Of what scatters, only the backward of embeddings scans.
    """
    expected = EXPECTED[family]
    if _GROUPED.search(target):
        before = dict(expected.before) | {Family.GROUPED_PRELUDE: 1.0, Family.COPY: _HARDLY}
        return replace(expected, before=_drop_family(before, Family.GEMM_PRELUDE))
    if family is Family.GEMM and not _BIASED.search(target):
        return replace(expected, before=dict(expected.before) | {Family.COPY: _HARDLY})
    if _SUMS_FIRST.search(target):
        sums = {Family.OTHER: 0.3, Family.REDUCTION: 0.3, Family.COPY: 0.3}
        return replace(expected, before=dict(expected.before) | sums, most=(4, 6))
    if family is Family.SCATTER and not _COUNTS.search(target):
        return replace(expected, behind=dict(expected.behind) | {Family.SCAN: 0.0})
    return expected


def _drop_family(weights: Mapping[Family, float], family: Family) -> Mapping[Family, float]:
    return {of: weight for of, weight in weights.items() if of is not family}


def weigh_family(weights: Mapping[Family, float], kernel: Family, *, main_of: Family) -> float:
    """How readily a place launches a kernel of a family, by the `weights` of the place."""
    # No library launches a generated kernel, and preludes and helpers run only where they are
    # expected.
    if kernel is Family.GENERATED or (kernel in _BESIDE and kernel not in weights):
        return 0.0
    # Short work belongs to a sort or its like only at a place that lists it.
    if main_of in SORTING and kernel in _SHORT and kernel not in weights:
        return 0.0
    return weights.get(kernel, _HARDLY)


def may_launch_family(target: str, kernel: Family) -> bool:
    """Whether a call of `target` may launch a kernel at all, by its family.

    A generated call has no target, and launches what bears its name.
    """
    operator = operator_family(target)
    if not target or Family.OTHER in (operator, kernel):
        return True
    # A family counts if any place weighs it more than an absent one.
    expected = expected_of(target, operator)
    places = (expected.before, expected.main, expected.behind)
    return any(place.get(kernel, 0) > _HARDLY for place in places)
