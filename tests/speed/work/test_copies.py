"""Kernels that only copy, and kernels that do a little more."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.model.work import Copy
from kernelmap.speed.work import evidence_of_code, works_of_calls
from speed.work.wrapper_code import allocated, kernel, loaded, module, run

LOAD = "tmp0 = tl.load(in_ptr0 + (x0), xmask)"
STORE = "tl.store(out_ptr0 + (x0), tmp0, xmask)"
TURNED = "(xindex // 8) + 16*(xindex % 8)"


def copies(folder: Path, *lines: str, source: str = "fp32", target: str = "fp32") -> list[Copy]:
    """The copies of a program with one kernel of these lines."""
    definition = kernel("only", "\n".join(lines), in_ptr0=source, out_ptr0=target)
    calls = (allocated("buf0"), run("only", "arg0_1", "buf0"), "return (buf0, )")
    program = loaded(folder, module(definition, *calls))
    return list(evidence_of_code(program, works_of_calls(program)).copies)


@pytest.mark.parametrize(
    ("lines", "reorders"),
    [
        pytest.param((LOAD, STORE), False, id="as it is"),
        pytest.param((f"tmp0 = tl.load(in_ptr0 + ({TURNED}), xmask)", STORE), True, id="turned"),
        pytest.param(
            (LOAD, f"tl.store(out_ptr0 + ({TURNED}), tmp0, xmask)"), True, id="stored turned"
        ),
        pytest.param(("tmp0 = tl.load(in_ptr0 + (3*x0), xmask)", STORE), True, id="every third"),
        pytest.param(("tmp0 = tl.load(in_ptr0 + (64 + x0), xmask)", STORE), True, id="a slice"),
        pytest.param(
            (f"{LOAD}.to(tl.float32)", "tmp1 = tmp0", STORE.replace("tmp0", "tmp1")),
            False,
            id="under two names",
        ),
        pytest.param(
            (LOAD, "tmp1 = tl.broadcast_to(tmp0, [XBLOCK])", STORE.replace("tmp0", "tmp1")),
            False,
            id="of another block shape",
        ),
    ],
)
def test_a_kernel_that_only_copies_is_a_copy(
    lines: tuple[str, ...], reorders: bool, tmp_path: Path
) -> None:
    """One load, one store, the same value: in whatever order, under whatever name."""
    (made,) = copies(tmp_path, *lines)

    assert made == Copy(
        call=0,
        source="arg0_1",
        target="buf0",
        elements=128,
        dtypes=("float32", "float32"),
        reorders=reorders,
    )


@pytest.mark.parametrize("source", ["fp32", "bf16", "i64"])
@pytest.mark.parametrize("target", ["fp16", "fp32"])
def test_a_cast_is_a_copy_with_two_dtypes(source: str, target: str, tmp_path: Path) -> None:
    """Elements are counted, not bytes."""
    names = {"fp32": "float32", "bf16": "bfloat16", "i64": "int64", "fp16": "float16"}
    (made,) = copies(
        tmp_path,
        LOAD,
        "tmp1 = tmp0.to(tl.float32)",
        "tl.store(out_ptr0 + (x0), tmp1, xmask)",
        source=source,
        target=target,
    )

    assert (made.elements, made.dtypes) == (128, (names[source], names[target]))


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((LOAD, "tmp1 = tmp0 + 1.0", STORE.replace("tmp0", "tmp1")), id="arithmetic"),
        pytest.param((LOAD, "tmp0 = -tmp0", STORE), id="arithmetic under the same name"),
        pytest.param(
            (LOAD, "tmp1 = tl.where(x0 < 5, tmp0, 0.0)", STORE.replace("tmp0", "tmp1")),
            id="selection",
        ),
        pytest.param(
            (LOAD, "tmp1 = tl_math.exp(tmp0)", STORE.replace("tmp0", "tmp1")), id="function"
        ),
        pytest.param((LOAD, STORE, STORE.replace("x0", "128 + x0")), id="two stores"),
        pytest.param((LOAD, LOAD.replace("tmp0", "tmp1"), STORE), id="two loads"),
        pytest.param(("tmp0 = tl.load(in_ptr0 + (x0 // 2), xmask)", STORE), id="repeated"),
        pytest.param((LOAD, "for i in range(3):", f"    {STORE}"), id="loop"),
        pytest.param((LOAD, "tl.atomic_add(out_ptr0 + (x0), tmp0, xmask)"), id="atomic"),
        pytest.param((LOAD, "tl.store(out_ptr0 + (tmp0), tmp0, xmask)"), id="scatter"),
        pytest.param((LOAD, "tl.store(out_ptr0 + (x0), 1.0, xmask)"), id="constant"),
        pytest.param(("tmp0 = tmp1", "tmp1 = tmp0", LOAD.replace("tmp0", "a"), STORE), id="circle"),
    ],
)
def test_a_kernel_that_does_more_is_no_copy(lines: tuple[str, ...], tmp_path: Path) -> None:
    """Anything that computes, selects, repeats or scatters."""
    assert not copies(tmp_path, *lines)


def test_a_copy_into_a_larger_tensor_pads(tmp_path: Path) -> None:
    """Loads stop at the mask, and what is stored around them is counted."""
    (made,) = copies(tmp_path, "tmp0 = tl.load(in_ptr0 + (x0), x0 < 100, other=0.0)", STORE)

    assert (made.elements, made.padding) == (100, 28)


CLONE = "buf0 = torch.ops.aten.clone.default(arg0_1)"
CHECK = "assert_size_stride(buf0, (8, 16), {stride})"


def library(folder: Path, *lines: str) -> list[Copy]:
    """The copies of a program of library calls; its input has 128 float32 in rows."""
    types = "# Topologically Sorted Source Nodes: [x]\n#   %arg0_1 : Tensor "
    text = module(f'{types}"f32[8, 16][16, 1]cuda:0"\n', *lines, "return (buf0, )")
    program = loaded(folder, text)
    return list(evidence_of_code(program, works_of_calls(program)).copies)


@pytest.mark.parametrize("operator", ["clone", "contiguous"])
@pytest.mark.parametrize("stride", [(16, 1), (1, 8)])
def test_a_library_call_that_only_copies_is_a_copy(
    operator: str, stride: tuple[int, int], tmp_path: Path
) -> None:
    """In the order that the code states of its result."""
    lines = (CLONE.replace("clone", operator), CHECK.format(stride=stride))
    (made,) = library(tmp_path, *lines)

    assert made == Copy(
        call=0,
        source="arg0_1",
        target="buf0",
        elements=128,
        dtypes=("float32", "float32"),
        reorders=stride != (16, 1),
    )


@pytest.mark.parametrize("copied", ["buf0.copy_(arg0_1, False)", "aten.copy_(buf0, arg0_1)"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_what_is_copied_into_a_buffer_takes_its_dtype(
    copied: str, dtype: str, tmp_path: Path
) -> None:
    """The method and the operator are one call; source and target each have a dtype."""
    buffer = allocated("buf0").replace("float32", dtype)
    (made,) = library(tmp_path, buffer, copied)

    assert (made.source, made.target) == ("arg0_1", "buf0")
    assert (made.dtypes, made.reorders) == (("float32", dtype), False)


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((CLONE,), id="shape not stated"),
        pytest.param((allocated("buf0"), "buf0.copy_(other)"), id="source not stated"),
        pytest.param(
            (allocated("buf0"), "buf0.copy_(reinterpret_tensor(arg0_1, (8, 16), (1, 0), 0))"),
            id="repeated",
        ),
        pytest.param(
            ("buf0 = torch.ops.aten.cumsum.default(arg0_1, 0)", CHECK.format(stride=(16, 1))),
            id="arithmetic",
        ),
    ],
)
def test_a_library_call_that_does_more_is_no_copy(lines: tuple[str, ...], tmp_path: Path) -> None:
    """Or of which the code does not say what it copies."""
    assert not library(tmp_path, *lines)
