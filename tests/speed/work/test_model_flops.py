"""The model's operations: those of products, and 0 only where surely nothing multiplies."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.speed.work import works_of_calls
from speed.work.wrapper_code import allocated, kernel, loaded, module, run

ADD = "tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntl.store(out_ptr0 + (x0), tmp0 + 1.0, xmask)"
DOT = "tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntl.store(out_ptr0 + (x0), tl.dot(tmp0, tmp0), xmask)"


def model_flops(tmp_path: Path, line: str, definition: str = "") -> int | None:
    """Those of the only call of a wrapper."""
    text = module(definition, allocated("buf0"), allocated("buf1"), line)
    (work,) = works_of_calls(loaded(tmp_path, text))
    return work.model_flops


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # 8 x 16 by 16 x 8: a multiply-add is two.
        (
            "extern_kernels.mm(buf0, reinterpret_tensor(buf1, (16, 8), (1, 16), 0), out=buf1)",
            2 * 8 * 16 * 8,
        ),
        ("buf2 = torch.ops.aten.sort.stable(buf0, stable=True)", 0),
        ("buf1.copy_(buf0)", 0),
        ("torch.ops._c10d_functional.all_reduce_.default(buf0, 'sum', '0')", 0),
        ("buf2 = torch.ops.symm_mem.fused_all_gather_matmul.default(buf0, [buf1], 0, '0')", None),
        ("buf2 = torch.ops.mine.anything.default(buf0)", None),
        ("extern_kernels.mm(unknown, buf1, out=buf1)", None),
    ],
)
def test_library_calls_have_what_their_formula_says(
    tmp_path: Path, line: str, expected: int | None
) -> None:
    """A product counts; sorts, copies and collectives multiply nothing; others are not known."""
    assert model_flops(tmp_path, line) == expected


@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("triton_poi_fused_add_0", ADD, 0),
        ("triton_red_fused_mm_0", DOT, None),
        ("my_product", ADD, None),
    ],
)
def test_only_inductors_kernels_without_a_dot_surely_multiply_nothing(
    tmp_path: Path, name: str, body: str, expected: int | None
) -> None:
    """A user's kernel may multiply in any way; Inductor's own does so with a dot."""
    definition = kernel(name, body, in_ptr0="fp32", out_ptr0="fp32")

    assert model_flops(tmp_path, run(name, "buf0", "buf1"), definition) == expected
