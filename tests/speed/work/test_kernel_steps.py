"""What kernels do step by step, and what follows: repeated work, split sums, lost pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

import kernelmap
from kernelmap.model import CompiledProgram
from kernelmap.model.work import CodeEvidence, OpKind, PhysicalOp
from kernelmap.speed.work import evidence_of_code, steps_of_call, works_of_calls
from speed.work.wrapper_code import BYTES, allocated, kernel, loaded, module, product, run

LOAD = "tmp0 = tl.load(in_ptr0 + (x0), xmask)"
STORE = "tl.store(out_ptr0 + (x0), tmp2, xmask)"
PIECE, ITEM, ELEMENTS = 64, 4, 128


def of(program: CompiledProgram) -> CodeEvidence:
    return evidence_of_code(program, works_of_calls(program))


def computing(name: str, *lines: str, load: str = LOAD) -> str:
    """A kernel that loads `tmp0`, makes `tmp2` by some lines, and stores it."""
    return kernel(name, "\n".join((load, *lines, STORE)), in_ptr0="fp32", out_ptr0="fp32")


def two(folder: Path, one: str, other: str, *between: str) -> CompiledProgram:
    """A program that runs the kernels `one` and `other` on its input, and statements between."""
    lines = (allocated("buf0"), run("one", "arg0_1", "buf0"), *between, allocated("buf1"))
    lines = (*lines, run("other", "arg0_1", "buf1"), "return (buf0, buf1, )")
    return loaded(folder, module(one + other, *lines))


EXP = ("tmp1 = tl_math.exp(tmp0)", "tmp2 = tmp1 * 2.0")
ALSO = ("tmp5 = libdevice.exp(tmp0)", "tmp6 = tmp5 * 2.0", "tmp2 = tmp6 + 1.0")


def test_steps_come_in_order_with_the_wrappers_names(tmp_path: Path) -> None:
    """Loads and stores name the tensors of the wrapper, operations the values that they take."""
    program = two(tmp_path, computing("one", *EXP), computing("other", *ALSO))

    assert steps_of_call(program, 0)[0] == (
        PhysicalOp(kind=OpKind.LOAD, operation="load", result="tmp0", buffer="arg0_1"),
        PhysicalOp(kind=OpKind.COMPUTE, operation="exp", result="tmp1", operands=("tmp0",)),
        PhysicalOp(kind=OpKind.COMPUTE, operation="mul", result="tmp2", operands=("tmp1", "2.0")),
        PhysicalOp(kind=OpKind.STORE, operation="store", operands=("tmp2",), buffer="buf0"),
    )


def test_what_an_earlier_call_computes_is_marked(tmp_path: Path) -> None:
    """The exponential and the product are computed again, the sum is not."""
    program = two(tmp_path, computing("one", *EXP), computing("other", *ALSO))
    marked = [op.operation for op in steps_of_call(program, 1)[0] if op.computed_before == 0]
    (again,) = of(program).repeated

    assert marked == ["exp", "mul"]
    assert (again.call, again.before, again.operations) == (1, 0, ("exp", "mul"))
    assert again.loads == (("arg0_1", BYTES),)


@pytest.mark.parametrize(
    ("other", "between"),
    [
        pytest.param(computing("other", "tmp2 = tmp0 * 3.0"), (), id="another operation"),
        pytest.param(
            computing("other", *ALSO, load=LOAD.replace("(x0)", "(127 + (-1)*x0)")),
            (),
            id="other elements",
        ),
        pytest.param(
            computing("other", *ALSO, load=LOAD.replace("xmask", "x0 < 64, other=0.0")),
            (),
            id="masked elements",
        ),
        pytest.param(
            computing("other", *ALSO), (product("buf0", "arg0_1"),), id="memory written since"
        ),
        pytest.param(computing("other", "tmp2 = tmp0.to(tl.float32)"), (), id="a cast"),
    ],
)
def test_what_differs_is_not_computed_again(
    other: str, between: tuple[str, ...], tmp_path: Path
) -> None:
    """Equal are values of the same operations on the same elements of unchanged memory."""
    first = computing("one", *EXP, "tmp3 = tmp0.to(tl.float32)")

    assert not of(two(tmp_path, first, other, *between)).repeated


def test_a_tensor_that_is_needed_anyway_costs_nothing(tmp_path: Path) -> None:
    """What else the kernel does with what it loads would have to load it just the same."""
    other = computing("other", *ALSO[:-1], "tmp2 = tmp6 + tmp0")
    (again,) = of(two(tmp_path, computing("one", *EXP), other)).repeated

    assert again.loads == ()


@pytest.mark.parametrize("distance", [1, 2, 3, 4, 5, 7, 8, 9, 16, 40])
def test_pieces_are_counted_as_memory_moves_them(distance: int, tmp_path: Path) -> None:
    """Every element of a load at a distance lies in a piece, found here one by one."""
    load = LOAD.replace("(x0)", f"({distance}*x0)")
    program = two(tmp_path, computing("one", *EXP), computing("other", *EXP, load=load))
    pieces = {at * distance * ITEM // PIECE for at in range(ELEMENTS)}
    strided = [one for one in of(program).strided if one.call == 1]

    is_wasteful = len(pieces) * PIECE + BYTES >= 2 * (BYTES + BYTES)
    assert bool(strided) == is_wasteful
    for one in strided:
        (operand,) = one.operands
        assert (operand.used, operand.moved) == (BYTES, len(pieces) * PIECE)
        assert operand.distance == distance * ITEM


REDUCING = """
{name} = async_compile.triton('{name}', '''
@triton_heuristics.reduction(triton_meta={{'signature': {{'in_ptr0': '*fp32', 'out_ptr0': '*fp32',
    'xnumel': 'i32', 'r0_numel': 'i32'}}}}, inductor_meta={{}})
@triton.jit
def {name}(in_ptr0, out_ptr0, xnumel, r0_numel, XBLOCK: tl.constexpr, R0_BLOCK: tl.constexpr):
    xnumel = {rows}
    r0_numel = {columns}
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    r0_base = tl.arange(0, R0_BLOCK)[None, :]
    x0 = xindex
    _tmp3 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
    for r0_offset in tl.range(0, r0_numel, R0_BLOCK):
        r0_index = r0_offset + r0_base
        r0_mask = r0_index < r0_numel
        r0_1 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_1 + {columns}*x0), r0_mask & xmask, other=0.0)
        tmp1 = {value}
        tmp2 = tl.broadcast_to(tmp1, [XBLOCK, R0_BLOCK])
        tmp4 = _tmp3 + tmp2
        _tmp3 = tl.where(r0_mask & xmask, tmp4, _tmp3)
    tmp3 = tl.sum(_tmp3, 1)[:, None]
    tl.store(out_ptr0 + (x0), tmp3, xmask)
''')
"""


def reducing(name: str, rows: int, columns: int, value: str = "tmp0") -> str:
    """A kernel that sums rows."""
    return REDUCING.format(name=name, rows=rows, columns=columns, value=value)


def reduced_twice(folder: Path, value: str) -> CompiledProgram:
    lines = (
        "buf0 = empty_strided_cuda((8, ), (1, ), torch.float32)",
        "first.run(arg0_1, buf0, 8, 16, stream=stream0)",
        "buf1 = empty_strided_cuda((1, ), (1, ), torch.float32)",
        "second.run(buf0, buf1, 1, 8, stream=stream0)",
        "return (buf1, )",
    )
    kernels = reducing("first", 8, 16) + reducing("second", 1, 8, value)
    return loaded(folder, module(kernels, *lines))


def test_a_loop_that_sums_is_one_reduction(tmp_path: Path) -> None:
    """What the loop carries, and the mask that it pads with, are no steps."""
    kinds = [op.kind for op in steps_of_call(reduced_twice(tmp_path, "tmp0"), 0)[0]]

    assert kinds == [OpKind.LOAD, OpKind.REDUCE, OpKind.STORE]


@pytest.mark.parametrize(("value", "finishers"), [("tmp0", (1,)), ("tmp0 * tmp0", ())])
def test_a_second_kernel_that_only_sums_finishes_a_reduction(
    value: str, finishers: tuple[int, ...], tmp_path: Path
) -> None:
    """Squares of sums are another value: then the reduction was no split one."""
    (partial,) = of(reduced_twice(tmp_path, value)).intermediates

    assert (partial.writer, partial.finishers) == (0, finishers)


def test_explain_lists_the_steps_of_a_call(samples: Path) -> None:
    """With the tensors' names, and with what an earlier call computed and what that costs."""
    correlation = kernelmap.correlate(samples / "sim_mlp_train")
    steps = correlation.explain("0_backward/9").steps

    assert steps[0] == "tmp0 = load(buf16)"
    assert "tmp9 = sub(tmp7, tmp8), as 0_backward/8 did" in steps
    assert "store tmp26 to buf16" in steps
    assert any("1,048,576 bytes of primals_3 for what 0_backward/8 computed" in s for s in steps)
    assert correlation.explain("0_backward/3").steps == ()  # a library call
