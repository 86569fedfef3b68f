"""Kernels whose traffic is worked out by hand: what is read, written, both, or only in part."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.work import Amount, Work
from kernelmap.speed.work.triton_bytes import bytes_moved
from kernelmap.speed.work.triton_source import KernelBody, body_of

POINTERS = ("in_ptr0", "in_ptr1", "in_out_ptr0", "out_ptr0")


def body(source: str, **sizes: int) -> KernelBody:
    lines = "\n".join(f"    {line}" for line in dedent(source).strip().split("\n"))
    head = f"def kernel({', '.join(POINTERS)}, xnumel, XBLOCK: tl.constexpr):\n"
    (function,) = ast.parse(head + lines).body
    assert isinstance(function, ast.FunctionDef)
    return body_of(function, POINTERS, sizes)


def bytes_of(source: str, elements: int | None = None, **sizes: int) -> Amount | None:
    elements_of = dict.fromkeys(POINTERS, elements)
    operands = bytes_moved(body(source, **sizes).accesses, elements_of, dict.fromkeys(POINTERS, 4))
    return Work(operands=operands).bytes


X = """
xnumel = 1000
xoffset = tl.program_id(0) * XBLOCK
xindex = xoffset + tl.arange(0, XBLOCK)[:]
xmask = xindex < xnumel
x0 = xindex % 10
x1 = xindex // 10
x2 = xindex
"""

CASES = {
    "copy": ("tl.store(out_ptr0 + (x2), tl.load(in_ptr0 + (x2), xmask), xmask)", 8000, 8000),
    "broadcast": ("tl.store(out_ptr0 + (x2), tl.load(in_ptr0 + (x0), xmask), xmask)", 4040, 4040),
    "slice": ("tl.store(out_ptr0 + (x2), tl.load(in_ptr0 + (7 + 3*x2), xmask), xmask)", 8000, 8000),
    "loaded twice": ("a = tl.load(in_ptr0 + (x2), xmask)\nb = tl.load(in_ptr0 + (x2))", 4000, 4000),
    "both halves": (
        "a = tl.load(in_ptr0 + (x0 + 20*x1))\nb = tl.load(in_ptr0 + (10 + x0 + 20*x1))",
        8000,
        8000,
    ),
    "in place": (
        "tmp0 = tl.load(in_out_ptr0 + (x2))\ntl.store(in_out_ptr0 + (x2), tmp0 + 1)",
        8000,
        8000,
    ),
    "written, then read": (
        "tl.store(out_ptr0 + (x2), 1)\na = tl.load(out_ptr0 + (x2))",
        4000,
        4000,
    ),
    "masked": (
        "tmp0 = x0 < tl.full([1], 4, tl.int64)\na = tl.load(in_ptr0 + (x0 + 4*x1), tmp0 & xmask)",
        1600,
        1600,
    ),
    "masked by data": (
        "tmp0 = tl.load(in_ptr1 + (x2))\na = tl.load(in_ptr0 + (x2), tmp0 > 0)",
        4000,
        8000,
    ),
    "gather": (
        "tmp0 = tl.load(in_ptr1 + (x1))\na = tl.load(in_ptr0 + (x0 + 10*tmp0))",
        404,
        4400,
    ),
    "atomic": ("tl.atomic_add(out_ptr0 + (x2), 1, xmask, sem='relaxed')", 8000, 8000),
    "one element": ("a = tl.load(in_ptr0 + (0))\ntl.store(out_ptr0 + (x2), a)", 4004, 4004),
}


@pytest.mark.parametrize("case", CASES)
def test_traffic_of(case: str) -> None:
    """Every operand counts once: what any load of it reaches, and what any store does."""
    source, least, most = CASES[case]

    assert bytes_of(X + source) == Amount(least, most)


def test_a_tensor_bounds_what_its_indices_do_not() -> None:
    """A gather reads no more than the table has; a hand-written kernel at most all of a tensor."""
    gather = X + "tmp0 = tl.load(in_ptr1 + (x1))\na = tl.load(in_ptr0 + (x0 + 10*tmp0))"
    by_hand = "off = tl.program_id(0) * 64 + tl.arange(0, 64)\na = tl.load(in_ptr0 + off)"

    assert bytes_of(gather, 50) == Amount(4 + 200, 200 + 200)
    assert bytes_of(by_hand, 50) == Amount(0, 200)
    assert bytes_of(by_hand) is None


def test_sizes_come_from_the_launch_where_the_body_has_none() -> None:
    """A kernel for several sizes takes them from the launch; without them its bytes are unknown."""
    source = X.replace("xnumel = 1000\n", "") + CASES["copy"][0]

    assert bytes_of(source, xnumel=500) == Amount.exactly(4000)
    assert bytes_of(source) is None


def test_arithmetic_counts_once_for_every_element() -> None:
    """Operations and functions count by the axes of their operands, casts and selections do not."""
    source = """
    xnumel = 100
    r0_numel = 8
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    x0 = xindex
    _tmp3 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + tl.arange(0, R0_BLOCK)[None, :]
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + 8*x0), None).to(tl.float32)
        tmp1 = libdevice.exp(tmp0)
        tmp2 = _tmp3 + tmp1
        _tmp3 = tl.where(r0_mask, tmp2, _tmp3)
    tmp3 = tl.sum(_tmp3, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp3 * 2.0, None)
    """

    assert body(source).operations == 800 + 800 + 800 + 100


@given(st.integers(1, 400), st.integers(1, 40), st.integers(1, 40), st.integers(0, 50))
def test_rows_and_columns_are_counted_as_they_run(
    numel: int, width: int, stride: int, start: int
) -> None:
    """A load's bounds hold what a run over the axis reaches, whatever the sizes are."""
    source = f"""
    xnumel = {numel}
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    x0 = (xindex % {width})
    x1 = xindex // {width}
    a = tl.load(in_ptr0 + ({start} + x0 + {stride}*x1), xindex < xnumel)
    """
    true = {start + x % width + stride * (x // width) for x in range(numel)}
    counted = bytes_of(source)

    assert counted is not None
    assert counted.least <= 4 * len(true) <= counted.most
