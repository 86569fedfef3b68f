"""The reasons of a library call → other forms of its operands and settings of torch to try.

A library chooses its kernels itself, by type, layout and sizes: these are what a script can change.
What the operator computes stays the same but for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model.roofline import Slug
from kernelmap.repro.operands import CallTensor
from kernelmap.repro.recorded import RecordedCall
from kernelmap.repro.tries import NOT_TRIED, CallTries, CallTry, evidence_of

_PRODUCTS = ("aten.mm", "aten.addmm", "aten.bmm", "aten.baddbmm")
_CONVOLUTIONS = ("aten.convolution", "aten.convolution_backward")
_LOADED_AT_ONCE = 16  # bytes, at multiples of which rows have to begin
_IMAGES = 4  # dimensions that have a layout with channels last
_ITS_OWN = "the operator's library chooses its kernels, and torch has no setting for it"
_EVEN = "its rows begin at multiples of 16 bytes: the library chooses its tiles"


class LibraryOperand(Struct, frozen=True, kw_only=True):
    """A tensor that a library call is handed, or its `out`: the script's variable of it."""

    variable: str
    tensor: CallTensor
    dtype: str


def plan_library_tries(
    target: str, operands: Sequence[LibraryOperand], recorded: RecordedCall
) -> CallTries:
    """What the reasons of a library call propose, in the form of `change` of the script."""
    tried, untried = [], []
    known: set[str] = set()
    for reason in recorded.reasons:
        changes = [
            text
            for change in _iter_changes(target, reason.slug, operands)
            if (text := repr(change)) not in known
        ]
        known.update(changes)
        tried += [CallTry(reason=reason.text, text=text) for text in changes]
        if not changes:
            is_uneven = reason.slug is Slug.UNEVEN_PRODUCT and target in _PRODUCTS
            why = _EVEN if is_uneven else _ITS_OWN
            if reason.slug is Slug.START_AND_END:
                why = NOT_TRIED[reason.slug]
            untried.append((reason.text, why))
    if not recorded.reasons:
        untried.append(("no reason is known", _ITS_OWN))
    return CallTries(
        tried=tuple(tried),
        untried=tuple(dict.fromkeys(untried)),
        evidence=evidence_of(recorded.reasons),
    )


def _iter_changes(
    target: str, slug: Slug, operands: Sequence[LibraryOperand]
) -> Iterator[Mapping[str, object]]:
    """The changes that answer a reason, each by the words of `change` in the script."""
    if target in _PRODUCTS and slug is Slug.FLOAT32_PRODUCT:
        yield {"precision": "high"}
        yield {"bfloat16": [one.variable for one in operands if one.dtype == "float32"]}
    elif target in _PRODUCTS and slug is Slug.UNEVEN_PRODUCT:
        padded = _pad_operands(operands)
        if padded:
            yield {"padded": padded}
    elif target in _PRODUCTS and slug in (Slug.HELPER_KERNELS, Slug.SMALL_GRID):
        yield {"library": "cublaslt"}  # which chooses by other rules whether it splits a product
    elif target in _CONVOLUTIONS and slug in (Slug.HELPER_KERNELS, Slug.EXCESS_TRAFFIC):
        images = [one.variable for one in operands if _is_channels_first(one.tensor)]
        if images:
            yield {"channels_last": images}
            yield {"channels_last": images, "benchmark": True}
        else:
            yield {"benchmark": True}
    elif target in _CONVOLUTIONS and slug in (Slug.LOW_OCCUPANCY, Slug.SMALL_GRID):
        yield {"benchmark": True}  # cuDNN measures its kernels before it chooses


def _is_channels_first(tensor: CallTensor) -> bool:
    return len(tensor.shape) == _IMAGES and tensor.stride[1] != 1


def _pad_operands(operands: Sequence[LibraryOperand]) -> dict[str, tuple[int, ...]]:
    """The shapes in which rows begin evenly: each size is one of the next 16 bytes.

    Zeros behind the summed dimension add nothing; those behind the others make more of the result,
    which nobody reads.
    """
    padded = {}
    for one in operands:
        step = max(_LOADED_AT_ONCE // ITEMSIZE.get(one.dtype, _LOADED_AT_ONCE), 1)
        shape = one.tensor.shape
        # Pairs of a batch stay as many; a bias has a single dimension.
        batch, sizes = shape[:-2], shape[-2:]
        whole = (*batch, *(size if size == 1 else -(-size // step) * step for size in sizes))
        if whole != shape:
            padded[one.variable] = whole
    return padded
