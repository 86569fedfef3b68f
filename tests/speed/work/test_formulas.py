"""Formulas of library operators against torch's own flop counter, and worked out by hand."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.compiler import load_compiled
from kernelmap.model import Backend
from kernelmap.model.work import Amount
from kernelmap.speed.work import works_of_calls
from kernelmap.speed.work.formulas import FORMULAS, GivenOperands, UnknownOperandError
from kernelmap.speed.work.tensors import Tensor, dense_strides

SIZE = st.integers(1, 40)
Shape = tuple[int, ...]


def tensor(*shape: int, dtype: str | None = "float32") -> Tensor:
    return Tensor(shape, dense_strides(shape), dtype)


def given_to(
    *arguments: object, results: Sequence[Tensor] = (), **keywords: object
) -> GivenOperands:
    return GivenOperands(arguments=arguments, keywords=keywords, results=results)


def ours(name: str, *arguments: object, results: Sequence[Tensor] = ()) -> int:
    flops = FORMULAS[name].flops
    assert flops is not None
    return flops(given_to(*arguments, results=results))


def torchs(call: Callable[[Any], object]) -> int:
    """What torch counts while `call` runs on tensors without memory."""
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        call(torch)
    total: int = counter.get_total_flops()
    return total


@pytest.mark.torch
@settings(max_examples=examples(50))
@given(SIZE, SIZE, SIZE, SIZE)
def test_products_are_counted_as_torch_does(batch: int, m: int, k: int, n: int) -> None:
    """mm, addmm, bmm and baddbmm."""
    torch = pytest.importorskip("torch")

    def run(name: str, *shapes: Shape) -> int:
        tensors = [torch.empty(shape, device="meta") for shape in shapes]
        return torchs(lambda _: getattr(torch, name)(*tensors))

    plain, batched = ((m, k), (k, n)), ((batch, m, k), (batch, k, n))
    products: dict[str, tuple[Shape, ...]] = {
        "mm": plain,
        "addmm": ((m, n), *plain),
        "bmm": batched,
        "baddbmm": ((batch, m, n), *batched),
    }
    for name, shapes in products.items():
        assert ours(f"aten.{name}", *(tensor(*shape) for shape in shapes)) == run(name, *shapes)


@pytest.mark.torch
@settings(max_examples=examples(50))
@given(st.integers(1, 4), SIZE, SIZE, st.integers(1, 3), st.integers(8, 20), st.booleans())
def test_convolutions_are_counted_as_torch_does(
    batch: int, inputs: int, outputs: int, width: int, size: int, transposed: bool
) -> None:
    """A convolution, and its gradients: each costs what the forward did."""
    torch = pytest.importorskip("torch")
    image = torch.empty(batch, inputs, size, size, device="meta")
    around = (inputs, outputs) if transposed else (outputs, inputs)
    weight = torch.empty(*around, width, width, device="meta")
    settings = ([1, 1], [0, 0], [1, 1], transposed, [0, 0], 1)
    result = torch.ops.aten.convolution(image, weight, None, *settings)
    shapes = [tensor(*operand.shape) for operand in (result, image, weight)]
    mask = [True, True, False]

    assert ours("aten.convolution", *shapes[1:], None, *settings, results=shapes[:1]) == torchs(
        lambda _: torch.ops.aten.convolution(image, weight, None, *settings)
    )
    assert ours("aten.convolution_backward", *shapes, None, *settings, mask) == torchs(
        lambda _: torch.ops.aten.convolution_backward(result, image, weight, None, *settings, mask)
    )


@pytest.mark.torch
@settings(max_examples=examples(50))
@given(st.integers(1, 4), st.integers(1, 4), SIZE, SIZE, SIZE)
def test_attention_is_counted_as_torch_does(
    batch: int, heads: int, queries: int, keys: int, width: int
) -> None:
    """Without a causal mask, forward and backward, for every implementation of it."""
    torch = pytest.importorskip("torch")
    from torch.utils import flop_counter

    q, k = (batch, heads, queries, width), (batch, heads, keys, width)
    operands = (tensor(*q), tensor(*k), tensor(*k))
    forward = flop_counter.sdpa_flop_count(q, k, k)
    backward = flop_counter.sdpa_backward_flop_count(q, q, k, k)
    names = [name for name in FORMULAS if "scaled_dot_product" in name]
    assert torch is not None
    for name in names:
        if name.endswith("backward"):
            assert ours(name, tensor(*q), *operands) == backward
        else:
            assert ours(name, *operands) == forward


@pytest.mark.torch
@pytest.mark.parametrize("name", [name for name in FORMULAS if "scaled_dot_product" in name])
def test_the_causal_flag_is_where_torch_has_it(name: str) -> None:
    """Operators have it at different places; the schema of each says where."""
    torch = pytest.importorskip("torch")
    schema = getattr(torch.ops.aten, name.removeprefix("aten.")).default._schema  # noqa: SLF001 -- the only way to ask
    names = [argument.name for argument in schema.arguments]
    shape = tensor(1, 2, 16, 8)
    at = next(names.index(first) for first in ("query", "grad_out", "grad_out_") if first in names)
    arguments: list[object] = [None] * len(names)
    arguments[at : names.index("value") + 1] = [shape] * (names.index("value") + 1 - at)
    whole = ours(name, *arguments)
    arguments[names.index("is_causal")] = True

    assert ours(name, *arguments) * 16 * 16 == whole * (16 * 17 // 2)


@pytest.mark.torch
@settings(max_examples=examples(50))
@given(st.data())
@pytest.mark.parametrize(
    "name", [name for name in FORMULAS if "onvolution" in name or "conv2d" in name]
)
def test_convolutions_of_all_dimensions_are_counted_as_torch_does(
    name: str, data: st.DataObject
) -> None:
    """One to three dimensions, any padding: by torch's own formula, from the shapes alone."""
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import flop_registry

    dimensions = data.draw(st.integers(1, 3))
    sizes = st.lists(st.integers(1, 20), min_size=dimensions, max_size=dimensions)
    batch, inputs, outputs = (data.draw(st.integers(1, 8)) for _ in range(3))
    can_turn = name not in ("aten.cudnn_convolution", "aten._slow_conv2d_forward")
    transposed = can_turn and data.draw(st.booleans())
    channels = (inputs, outputs) if transposed else (outputs, inputs)
    image, weight, result = (
        (batch, inputs, *data.draw(sizes)),
        (*channels, *data.draw(sizes)),
        (batch, outputs, *data.draw(sizes)),
    )
    shapes = [torch.empty(shape, device="meta") for shape in (result, image, weight)]
    count = flop_registry[getattr(torch.ops.aten, name.removeprefix("aten."))]
    settings = (None, [1], [0], [1], transposed, [0], 1)
    if name.endswith("backward"):
        mask = data.draw(st.sampled_from([[True, True], [True, False], [False, True]]))
        outs = [shapes[1] if mask[0] else None, shapes[2] if mask[1] else None, None]
        theirs = count(*shapes, *settings, [*mask, False], out_val=outs)
        given = [tensor(*on_meta.shape) for on_meta in shapes]
        assert ours(name, *given, *settings, [*mask, False]) == theirs
        return
    theirs = count(*shapes[1:], *settings[:5], out_val=shapes[0])
    given = [tensor(*on_meta.shape) for on_meta in shapes[1:]]
    assert ours(name, *given, *settings, results=[tensor(*result)]) == theirs


@pytest.mark.torch
@settings(max_examples=examples(50))
@given(SIZE, SIZE, SIZE)
def test_scaled_products_are_counted_as_torch_does(m: int, k: int, n: int) -> None:
    """Scales and a bias count nothing beside the product."""
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import flop_registry

    left, right = (torch.empty(shape, device="meta") for shape in ((m, k), (k, n)))
    count = flop_registry[torch.ops.aten._scaled_mm]  # noqa: SLF001 -- its name

    theirs = count(left, right, None, None, out_val=torch.empty(m, n, device="meta"))
    assert ours("aten._scaled_mm", tensor(m, k), tensor(k, n), None, None) == theirs


@pytest.mark.torch
@settings(max_examples=examples(50))
@given(st.integers(1, 4), st.integers(1, 4), SIZE, SIZE, SIZE)
def test_attention_by_length_is_counted_as_torch_does(
    batch: int, heads: int, queries: int, keys: int, width: int
) -> None:
    """Operators with heads behind the length have the same number of pairs."""
    pytest.importorskip("torch")
    from torch.utils import flop_counter

    q, k = (batch, heads, queries, width), (batch, heads, keys, width)
    query, key = tensor(batch, queries, heads, width), tensor(batch, keys, heads, width)
    for name in ("aten._flash_attention", "aten._efficient_attention"):
        forward, backward = ours(f"{name}_forward", query, key, key), f"{name}_backward"
        assert forward == flop_counter.sdpa_flop_count(q, k, k)
        theirs = flop_counter.sdpa_backward_flop_count(q, q, k, k)
        assert ours(backward, query, query, key, key) == theirs


@pytest.mark.torch
def test_what_torch_counts_has_a_formula() -> None:
    """Every operator of torch's registry but one that is a template, whose mask decides."""
    pytest.importorskip("torch")
    from torch.utils.flop_counter import flop_registry

    apart = {"flex_attention", "flex_attention_backward"}
    assert {str(operator) for operator in flop_registry} - set(FORMULAS) == apart


@pytest.mark.torch
@pytest.mark.parametrize(("graph", "backward"), [("forward", False), ("backward", True)])
def test_flex_attention_has_a_bound_in_its_reason(
    graph: str, backward: bool, tmp_path: Path
) -> None:
    """No operations, since its mask decides; the reason has what torch counts without a mask."""
    pytest.importorskip("torch")
    from torch.utils import flop_counter

    packed = Path(__file__).parent / "generated" / "flex.json.gz"
    code = tmp_path / "output_code.py"
    code.write_text(json.loads(gzip.decompress(packed.read_bytes()))[graph], encoding="utf-8")
    program = load_compiled(code)
    (work,) = (
        work
        for (_, call), work in zip(program.calls, works_of_calls(program), strict=True)
        if call.backend is Backend.TEMPLATE
    )
    q, k = (2, 4, 256, 64), (2, 4, 384, 64)
    theirs = (
        flop_counter.sdpa_backward_flop_count(q, q, k, k)
        if backward
        else flop_counter.sdpa_flop_count(q, k, k)
    )

    assert work.operands is not None
    assert work.flops is None
    assert f"at most {theirs:,} operations" in (work.reason or "")


def test_lengths_from_data_are_not_known() -> None:
    """Sequences of several lengths in one batch: a sum of squares that the code does not have."""
    shape, lengths = tensor(128, 4, 64), tensor(5, dtype="int32")

    with pytest.raises(UnknownOperandError, match="lengths"):
        ours("aten._flash_attention_forward", shape, shape, shape, lengths, lengths, 64, 64)


def test_a_causal_query_meets_only_what_came_before() -> None:
    """The first query meets one of 128 keys, the last one all: 128 * 129 / 2 pairs."""
    shape = tensor(2, 4, 128, 64)
    causal = ours("aten._scaled_dot_product_flash_attention", shape, shape, shape, 0.0, True)

    assert causal == 2 * (2 * 4) * (128 * 129 // 2) * (64 + 64)


def test_heads_of_keys_may_be_shared() -> None:
    """Grouped heads: every head of queries does its work, however few heads of keys there are."""
    query, key = tensor(1, 8, 32, 16), tensor(1, 2, 32, 16)

    assert ours("aten._scaled_dot_product_flash_attention", query, key, key) == 2 * 8 * 32 * 32 * 32


def test_a_group_of_a_convolution_meets_its_own_weights() -> None:
    """Depthwise: every channel meets one filter of 3 x 3."""
    operands = (tensor(1, 16, 10, 10), tensor(16, 1, 3, 3))

    assert ours("aten.convolution", *operands, results=[tensor(1, 16, 8, 8)]) == (
        2 * 16 * 8 * 8 * 3 * 3
    )


def test_every_operand_is_read_once_and_every_result_written_once() -> None:
    """Broadcast operands count what they have in memory: a bias row counts once."""
    bias = Tensor((128, 64), (0, 1), "float32")
    given = given_to(bias, tensor(128, 32), tensor(32, 64), results=[tensor(128, 64)])

    read = [operand.bytes.most for operand in FORMULAS["aten.addmm"].reads(given)]
    written = [operand.bytes.most for operand in given.bytes_written()]

    assert read == [4 * 64, 4 * 128 * 32, 4 * 32 * 64]
    assert written == [4 * 128 * 64]


def test_an_embedding_reads_at_most_a_row_for_every_index() -> None:
    """Equal indices share a row, and no more rows are read than the table has."""
    formula = FORMULAS["aten.embedding"]
    index = tensor(8, 16, dtype="int64")
    large, small = tensor(50_000, 64), tensor(10, 64)

    (of_large, of_index), (of_small, _) = (
        [operand.bytes for operand in formula.reads(given_to(table, index))]
        for table in (large, small)
    )

    assert of_index == Amount.exactly(1024)
    assert of_large == Amount(4 * 64, 4 * 128 * 64)
    assert of_small == Amount(4 * 64, 4 * 10 * 64)


@pytest.mark.parametrize("name", FORMULAS)
def test_what_is_not_known_is_said(name: str) -> None:
    """Without shapes there is no number, but a reason."""
    formula, unknown = FORMULAS[name], given_to(None, None, None, None)

    with pytest.raises(UnknownOperandError):
        _ = (
            formula.flops and formula.flops(unknown),
            formula.reads(unknown),
            unknown.bytes_written(),
        )


@pytest.mark.parametrize("name", FORMULAS)
def test_a_tensor_without_dtype_has_no_bytes(name: str) -> None:
    """No dtype, no bytes, rather than a guess."""
    shape = tensor(2, 2, 4, 4, dtype=None)
    operands = given_to(shape, shape, shape, shape, results=[shape])

    with pytest.raises(UnknownOperandError):
        _ = FORMULAS[name].reads(operands) + operands.bytes_written()
