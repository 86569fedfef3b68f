"""What differs → the same, what explains the change first.

Each kind of difference can be why some causes are there: a setting about fusion is why calls are
fused otherwise, and none why a copy outside compiled code takes longer. What explains the largest
change that is no noise comes first; among those a version before what follows from it. This orders
words and proves nothing: two settings that changed together cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.differences import (
    CUDA_GRAPHS,
    DEVICE,
    GPU,
    MODE,
    SETTING,
    SHAPES,
    VARIABLE,
    Difference,
)
from kernelmap.history.compare.numbers.sums import ChangeSum
from kernelmap.history.store.facts import VERSION_NAMES

_OTHER_KERNELS = frozenset(
    {
        Cause.REFUSED,
        Cause.COMPILED,
        Cause.OPS,
        Cause.NEW,
        Cause.GONE,
        Cause.NEW_GRAPH,
        Cause.GONE_GRAPH,
        Cause.REPLACED,
        Cause.LAUNCHES,
    }
)
_OTHER_CHOICE = frozenset(
    {
        Cause.CONFIG,
        Cause.LIBRARY,
        Cause.TEMPLATE,
        Cause.COMPILED,
        Cause.REFUSED,
        Cause.REPLACED,
    }
)
_OTHER_ARITHMETIC = frozenset(
    {Cause.LIBRARY, Cause.SHAPES, Cause.OPS, Cause.COMPILED, Cause.SAME_CODE}
)
_OTHER_SPEED = frozenset({Cause.SAME_CODE, Cause.CLOCK, Cause.SM_CLOCK, Cause.OUTSIDE})
_REPLAYED = frozenset({Cause.SAME_CODE, Cause.OUTSIDE, Cause.LAUNCHES})

_BY_WORD = (
    ("cudagraph", _REPLAYED),
    ("tf32 precision matmul_settings fast_math upcast dtype determin", _OTHER_ARITHMETIC),
    (
        "fus combo pattern reorder split loop tiling realize reduction softmax partition layout",
        _OTHER_KERNELS,
    ),
    (
        "autotun tuning descent backends search_space template benchmark block stages cutlass _tma",
        _OTHER_CHOICE,
    ),
)
"""Words in the names of settings and variables, and what such a setting can be the cause of."""

_BY_WHAT = {
    "torch": _OTHER_KERNELS | _OTHER_CHOICE | _OTHER_SPEED,
    "triton": frozenset({Cause.CONFIG, Cause.COMPILED, Cause.SAME_CODE}),
    "cuda": frozenset({Cause.LIBRARY, Cause.SAME_CODE, Cause.OUTSIDE}),
    "rocm": frozenset({Cause.LIBRARY, Cause.SAME_CODE, Cause.OUTSIDE}),
    "driver": _OTHER_SPEED,
    GPU: _OTHER_SPEED | _OTHER_CHOICE,
    DEVICE: _OTHER_SPEED | _OTHER_CHOICE,
    MODE: _OTHER_CHOICE | _OTHER_KERNELS | _REPLAYED,
    SHAPES: frozenset({Cause.SHAPES}),
    CUDA_GRAPHS: _REPLAYED,
}
_ORDER = (*VERSION_NAMES[:-1], MODE, GPU, DEVICE, SETTING, VARIABLE, SHAPES, CUDA_GRAPHS, "driver")
"""Of those that explain the same, the one from which others follow first."""


_ELSEWHERE = {
    "gpu": ("cpp.", "xpu.", "halide."),
    "cpu": ("triton.", "cuda.", "cutlass.", "nvgemm_", "rocm.", "xpu."),
}
"""By whose time it is: settings of compilers that no kernel there comes from."""


def causes_explained(difference: Difference) -> frozenset[Cause]:
    """What such a difference can be the cause of; nothing where that is not known."""
    if difference.what in _BY_WHAT:
        return _BY_WHAT[difference.what]
    group = _group_of_words(difference)
    return _BY_WORD[group][1] if group < len(_BY_WORD) else frozenset()


def _group_of_words(difference: Difference) -> int:
    """Which of the groups of words a setting or variable belongs to; behind all where to none."""
    name = difference.name.lower()
    groups = range(len(_BY_WORD))
    if not difference.what.startswith((SETTING, VARIABLE)):
        return len(_BY_WORD)
    return next(
        (at for at in groups if any(word in name for word in _BY_WORD[at][0].split())),
        len(_BY_WORD),
    )


def order_by_explanation(
    differences: Iterable[Difference], sums: Sequence[ChangeSum], side: str
) -> tuple[Difference, ...]:
    """Other code first, then what explains the largest change, then all else that may explain.

    `side` is whose time it is, "gpu" or "cpu".
    """
    main = next((each.cause for each in sums if each.significant is not False), None)

    def key(difference: Difference) -> tuple[bool, bool, bool, bool, int, int]:
        place = next(
            (at for at, what in enumerate(_ORDER) if difference.what.startswith(what)), len(_ORDER)
        )
        return (
            not difference.is_other_code,
            not difference.may_explain,
            difference.is_setting and difference.name.startswith(_ELSEWHERE.get(side, ())),
            main not in causes_explained(difference),
            place,
            _group_of_words(difference),
        )

    # Sorting keeps the order of those that are equal.
    return tuple(sorted(differences, key=key))
