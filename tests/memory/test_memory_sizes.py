"""Sizes of memory: numbers where all is known, and formulas that come to the same numbers."""

from __future__ import annotations

import ast
import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.facts.dtypes import ITEMSIZE, SHORT_NAMES
from kernelmap.memory.sizes import bytes_of_storage, in_numbers, whole_number_of
from kernelmap.memory.stated import sizes_of_annotation

NUMBERS = {"s0": 5, "s1": 12, "u0": 1}
_SIZE = st.sampled_from(["s0", "s1", "u0", "2*s0", "s0 + 3", "s1 // 5", "1", "4", "7"])
_PADDING = st.sampled_from(["1", "1", "1", "max(1, s0)", "8"])


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@settings(max_examples=examples(200))
@given(
    shape=st.lists(_SIZE, max_size=4),
    padding=_PADDING,
    order=st.randoms(use_true_random=False),
    dtype=st.sampled_from(["float32", "bfloat16", "bool", "int64"]),
)
def test_a_formula_comes_to_the_bytes_of_the_numbers(
    shape: list[str], padding: str, order: Random, dtype: str
) -> None:
    """In whatever order the dimensions lie, and however rows are padded."""
    places = [*range(len(shape))]
    order.shuffle(places)
    # Strides in some order of the dimensions, the innermost perhaps padded.
    strides, reached = ["1"] * len(shape), padding
    for place in places:
        strides[place] = reached
        reached = f"({reached})*({shape[place]})"
    listed = [[*map(_parsed, texts)] for texts in (shape, strides)]
    open_shape, open_strides = (in_numbers(each, {}) for each in listed)
    full_shape, full_strides = (in_numbers(each, NUMBERS) for each in listed)

    known, formula = bytes_of_storage(full_shape, full_strides, dtype)
    early, text = bytes_of_storage(open_shape, open_strides, dtype)

    assert formula is None
    assert known is not None
    assert known == (early if text is None else whole_number_of(_parsed(text), NUMBERS))


def test_bytes_are_those_up_to_the_last_element() -> None:
    """The same sum that the place of the last element is, and one more."""
    shape, stride = (3, 4, 5), (100, 7, 1)
    last = sum((size - 1) * step for size, step in zip(shape, stride, strict=True))

    assert bytes_of_storage(shape, stride, "float64") == (8 * (last + 1), None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8*math.ceil(s0 / 8)", 8 * math.ceil(5 / 8)),
        ("max(1, s0) * min(3, s1)", 15),
        ("s1 if s0 > 4 else 1", 12),
        ("(s1 // s0) % 2 - 7", -7),
        ("int(2.5 * 4)", 10),
        ("s0 / 2", None),
        ("s9 + 1", None),
        ("1 // (s0 - 5)", None),
        ("10**10**10", None),
        ("s0.bit_length()", None),
        ("'text'", None),
    ],
)
def test_expressions_of_sizes_have_a_whole_value_or_none(text: str, value: int | None) -> None:
    """What Inductor prints is computed; what is no whole number, or nobody knows, is none."""
    assert whole_number_of(_parsed(text), NUMBERS) == value


def test_annotations_have_sizes_strides_and_device() -> None:
    """With symbols, too; what is no tensor is none."""
    read = sizes_of_annotation("bf16[s0, 8][8, 1]cuda:0")
    assert read is not None
    sizes, device = read

    assert [ast.unparse(size) for size in sizes.shape] == ["s0", "8"]
    assert (sizes.dtype, device) == ("bfloat16", "cuda")
    assert sizes_of_annotation("Sym(s0)") is None
    assert sizes_of_annotation("f32[(, 8]") is None


@pytest.mark.torch
def test_sizes_of_dtypes_are_torchs() -> None:
    """Bytes of an element, and the short names of annotations."""
    torch = pytest.importorskip("torch")
    abbreviations = pytest.importorskip("torch.utils._dtype_abbrs").dtype_abbrs

    for name, size in ITEMSIZE.items():
        dtype = getattr(torch, name, None)
        assert dtype is None or dtype.itemsize == size, name
    for short, name in SHORT_NAMES.items():
        dtype = getattr(torch, name, None)
        assert dtype is None or abbreviations.get(dtype, short) == short, name
