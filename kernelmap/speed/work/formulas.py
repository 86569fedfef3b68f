"""What library operators compute: one formula per operator, and the table of them.

A formula takes the operands of a call and gives its floating-point operations; a multiply-add is
two. Bytes need no formula of their own: every operand is read once and every result written once,
unless the operator says otherwise (`Formula.reads`).

Left out on purpose: what an implementation does beyond the definition. A causal attention counts
the pairs below the diagonal only, a grouped convolution its own groups; bias additions and the
softmax inside of attention count nothing, next to the products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model.work import Amount, Operand
from kernelmap.speed.work.tensors import Tensor

Shape = Sequence[int]


class UnknownOperandError(Exception):
    """A formula needs an operand whose shape or type the code does not state."""


class GivenOperands(Struct, frozen=True, kw_only=True):
    """What a call is given and what it makes.

    `arguments` are tensors, lists of them or literals by position, `keywords` by name; None stands
    for a literal None and for what is not known. `results` are the tensors that it writes to.
    """

    arguments: Sequence[object]
    keywords: Mapping[str, object]
    results: Sequence[Tensor]

    def tensor_at(self, at: int) -> Tensor:
        """The tensor at a position. Raises UnknownOperandError where there is none."""
        value = self.arguments[at] if at < len(self.arguments) else None
        if not isinstance(value, Tensor):
            raise UnknownOperandError(f"the shape of operand {at} is not known")
        return value

    def value_at(self, at: int, name: str) -> object:
        """The literal at a position, or of that name."""
        return self.arguments[at] if at < len(self.arguments) else self.keywords.get(name)

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All tensors that the call is given, without those that it is handed for its results.

        Raises UnknownOperandError where a tensor in a list is not known.
        """
        given = (*self.arguments, *(v for name, v in self.keywords.items() if name != "out"))
        listed = [one for value in given for one in tensors_in(value)]
        tensors = tuple(one for one in listed if one is not None)
        if len(tensors) < len(listed):
            raise UnknownOperandError("the shape of a tensor in a list is not known")
        return tensors

    def first_result(self) -> Tensor:
        """The first result. Raises UnknownOperandError where its shape is not known."""
        if not self.results:
            raise UnknownOperandError("the shape of its result is not known")
        return self.results[0]

    def bytes_written(self) -> tuple[Operand, ...]:
        """The bytes of all results. Raises UnknownOperandError where they are not known."""
        self.first_result()
        return tuple(_whole_tensor(tensor, written=True) for tensor in self.results)


def tensors_in(value: object) -> Sequence[Tensor | None]:
    """The tensors of an argument: itself, or those of a list, None for one that is not known."""
    if isinstance(value, Tensor):
        return (value,)
    items = value if isinstance(value, list) else ()
    tensors = [item if isinstance(item, Tensor) else None for item in items]
    return tensors if any(tensors) else ()


Flops = Callable[[GivenOperands], int]
Reads = Callable[[GivenOperands], tuple[Operand, ...]]


def flops_of_product(rows: Shape, columns: Shape) -> int:
    """A (batched) matrix product of `[..., m, k]` and `[..., k, n]`.

    >>> flops_of_product((4, 8), (8, 16)), flops_of_product((2, 4, 8), (2, 8, 16))
    (1024, 2048)
    """
    return 2 * prod(rows) * columns[-1]


def flops_of_convolution(image: Shape, weight: Shape, result: Shape, *, transposed: bool) -> int:
    """A convolution: every output (transposed: every input) meets every weight of its group.

    >>> flops_of_convolution((1, 3, 8, 8), (4, 3, 3, 3), (1, 4, 6, 6), transposed=False)
    7776
    """
    # Behind batch and channels. The weight has only the channels of one group in its shape.
    positions = (image if transposed else result)[2:]
    return 2 * image[0] * prod(positions) * prod(weight)


def count_attended_pairs(queries: int, keys: int, *, causal: bool) -> int:
    """How many queries meet how many keys; a causal query meets the keys up to its own place.

    >>> sizes = ((4, 4, False), (4, 4, True), (4, 2, True))
    >>> tuple(count_attended_pairs(rows, keys, causal=causal) for rows, keys, causal in sizes)
    (16, 10, 7)
    """
    if not causal:
        return queries * keys
    # The first queries meet 1, 2, 3 … keys, up to all of them; every later query meets all.
    short = min(queries, keys)
    return short * (short + 1) // 2 + (queries - short) * keys


def flops_of_attention(query: Shape, key: Shape, value: Shape, *, causal: bool) -> int:
    """Scores, and their product with the values; heads of keys may be shared among queries.

    Shapes: (batch, heads, length, width).
    """
    heads = prod(query[:-2])
    met = count_attended_pairs(query[-2], key[-2], causal=causal)
    return 2 * heads * met * (query[-1] + value[-1])


def attention_backward(query: Shape, key: Shape, value: Shape, *, causal: bool) -> int:
    """The scores once more, and the gradients of scores, queries, keys and values."""
    heads = prod(query[:-2])
    met = count_attended_pairs(query[-2], key[-2], causal=causal)
    # Three products over the width of queries (the scores, the gradients of queries and of keys)
    # and two over that of values (the gradients of scores and of values).
    return 2 * heads * met * (3 * query[-1] + 2 * value[-1])


def _product_at(first: int) -> Flops:
    """The product of the operands at `first` and behind it."""
    return lambda given: flops_of_product(
        given.tensor_at(first).shape, given.tensor_at(first + 1).shape
    )


def _two_products(given: GivenOperands) -> int:
    return _product_at(0)(given) + _product_at(2)(given)


def _vector_product(first: int) -> Flops:
    return lambda given: 2 * prod(given.tensor_at(first).shape)


def _convolution_of(given: GivenOperands) -> int:
    transposed = given.value_at(6, "transposed") is True
    image, weight = given.tensor_at(0).shape, given.tensor_at(1).shape
    return flops_of_convolution(image, weight, given.first_result().shape, transposed=transposed)


def _plain_convolution(given: GivenOperands) -> int:
    """One that is never transposed."""
    image, weight = given.tensor_at(0).shape, given.tensor_at(1).shape
    return flops_of_convolution(image, weight, given.first_result().shape, transposed=False)


def _convolution_backward(given: GivenOperands) -> int:
    """Each gradient that is wanted costs what the forward did."""
    transposed = given.value_at(7, "transposed") is True
    result, image, weight = (given.tensor_at(at).shape for at in range(3))
    # Which gradients are wanted: of the image, of the weight, of the bias. That of the bias is only
    # a sum.
    mask = given.value_at(10, "output_mask")
    if not isinstance(mask, list | tuple):
        raise UnknownOperandError("which gradients it makes is not known")
    wanted = sum(map(bool, mask[:2]))
    return wanted * flops_of_convolution(image, weight, result, transposed=transposed)


def _attention_with(causal_at: int) -> Flops:
    def flops(given: GivenOperands) -> int:
        query, key, value = (given.tensor_at(at).shape for at in range(3))
        causal = given.value_at(causal_at, "is_causal") is True
        return flops_of_attention(query, key, value, causal=causal)

    return flops


def _attention_backward(causal_at: int) -> Flops:
    def flops(given: GivenOperands) -> int:
        query, key, value = (given.tensor_at(at).shape for at in range(1, 4))
        causal = given.value_at(causal_at, "is_causal") is True
        return attention_backward(query, key, value, causal=causal)

    return flops


def _by_length(first: int, lengths_at: int, causal_at: int) -> Flops:
    """Attention whose operands, from `first` on, are (batch, length, heads, width).

    Sequences of different lengths in one batch have their lengths in data: those are not known.
    """

    def flops(given: GivenOperands) -> int:
        shapes = [given.tensor_at(at).shape for at in range(first, first + 3)]
        if given.value_at(lengths_at, "") is not None or any(len(s) != len("bshd") for s in shapes):
            raise UnknownOperandError("the lengths of its sequences come from data")
        # Length and heads are exchanged, to be in the order that the formula expects.
        query, key, value = ((s[0], s[2], s[1], s[3]) for s in shapes)
        # The operands of a backward begin behind the gradient.
        counted = attention_backward if first else flops_of_attention
        return counted(query, key, value, causal=bool(given.value_at(causal_at, "is_causal")))

    return flops


def _no_flops(_: GivenOperands) -> int:
    return 0


def every_operand(given: GivenOperands) -> tuple[Operand, ...]:
    """All tensors, each read once and whole."""
    return tuple(map(_whole_tensor, given.tensors))


def _whole_tensor(tensor: Tensor, *, written: bool = False) -> Operand:
    """All of a tensor. Raises UnknownOperandError for one without a dtype."""
    size = tensor.nbytes
    if size is None:
        raise UnknownOperandError("the dtype of an operand is not known")
    return Operand(name=tensor.name, written=written, bytes=Amount.exactly(size))


def _rows_of_table(given: GivenOperands) -> tuple[Operand, ...]:
    """The indices, and of the table at most a row for each of them."""
    table, index = given.tensor_at(0), given.tensor_at(1)
    whole, row = (
        _whole_tensor(table),
        _whole_tensor(replace(table, shape=table.shape[-1:], stride=(1,))),
    )
    # Each index may name another row or all the same one, and never more rows than there are.
    most = min(row.bytes.most * index.elements, whole.bytes.most)
    least = min(row.bytes.most, most)
    return (replace(whole, bytes=Amount(least, most)), _whole_tensor(index))


def _second_operand(given: GivenOperands) -> tuple[Operand, ...]:
    """The second operand: the first is written to."""
    return (_whole_tensor(given.tensor_at(1)),)


def _tensors_of_lists(given: GivenOperands) -> tuple[Operand, ...]:
    """All tensors of all lists; the code has to state a result for every one of the first list."""
    # A list that the code states in part only would have too few bytes.
    if not given.arguments or len(given.results) != len(tensors_in(given.arguments[0])):
        raise UnknownOperandError("the shape of a result is not known")
    return every_operand(given)


def _no_operands(_: GivenOperands) -> tuple[Operand, ...]:
    return ()


class Formula(Struct, frozen=True):
    """An operator's floating-point operations, the bytes that it reads, and its first matrix.

    `flops` is None where what is computed depends on the implementation (a sort). `matrix` is the
    position of the operand whose dtype the arithmetic runs in; None where there is no arithmetic to
    speak of. `writes_first`: the first operand is the result. Which dtypes the results have says
    facts/result_dtypes.py.
    """

    flops: Flops | None
    reads: Reads = every_operand
    matrix: int | None = None
    writes_first: bool = False


_COPY = Formula(_no_flops)
_FILL = Formula(_no_flops, _no_operands, writes_first=True)
_MADE = Formula(_no_flops, _no_operands)
_WHOLE = (
    *("sort", "topk", "cumsum", "cumprod", "logcumsumexp", "_softmax", "_log_softmax"),
    *("max_pool2d_with_indices", "max_pool2d_with_indices_backward"),
    *("avg_pool2d", "avg_pool2d_backward", "avg_pool3d", "avg_pool3d_backward"),
    *("_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward"),
)
"""Operators that read and write all of their operands; a second result holds indices."""


def _attention_formula(causal_at: int) -> Formula:
    """Attention whose causal flag stands at a position."""
    return Formula(_attention_with(causal_at), matrix=0)


def formula_of(target: str) -> Formula | None:
    """The formula of an operator; of `_foreach` operators only bytes are counted."""
    # `_foreach_add_` writes to its first list, `_foreach_add` makes new tensors.
    if target.startswith("aten._foreach_") and target not in FORMULAS:
        return Formula(None, _tensors_of_lists, writes_first=target.endswith("_"))
    return FORMULAS.get(target)


FORMULAS: Mapping[str, Formula] = {
    "aten.mm": Formula(_product_at(0), matrix=0),
    "aten.addmm": Formula(_product_at(1), matrix=1),
    "aten._addmm_activation": Formula(_product_at(1), matrix=1),
    "aten.bmm": Formula(_product_at(0), matrix=0),
    "aten.baddbmm": Formula(_product_at(1), matrix=1),
    "aten.mv": Formula(_vector_product(0), matrix=0),
    "aten.addmv": Formula(_vector_product(1), matrix=1),
    "aten.dot": Formula(_vector_product(0), matrix=0),
    "aten._mm_plus_mm": Formula(_two_products, matrix=0),
    "aten._scaled_mm": Formula(_product_at(0), matrix=0),
    "aten._int_mm": Formula(_product_at(0), matrix=0),
    "aten.convolution": Formula(_convolution_of, matrix=0),
    "aten._convolution": Formula(_convolution_of, matrix=0),
    "aten.convolution_overrideable": Formula(_convolution_of, matrix=0),
    "aten.cudnn_convolution": Formula(_plain_convolution, matrix=0),
    "aten._slow_conv2d_forward": Formula(_plain_convolution, matrix=0),
    "aten._flash_attention_forward": Formula(_by_length(0, 3, 8), matrix=0),
    "aten._flash_attention_backward": Formula(_by_length(1, 6, 11), matrix=1),
    "aten._efficient_attention_forward": Formula(_by_length(0, 4, 9), matrix=0),
    "aten._efficient_attention_backward": Formula(_by_length(1, 6, 14), matrix=1),
    "aten.convolution_backward": Formula(_convolution_backward, matrix=1),
    "aten._scaled_dot_product_flash_attention": _attention_formula(4),
    "aten._scaled_dot_product_flash_attention_for_cpu": _attention_formula(4),
    "aten._scaled_dot_product_efficient_attention": _attention_formula(6),
    "aten._scaled_dot_product_cudnn_attention": _attention_formula(6),
    "aten._scaled_dot_product_flash_attention_backward": Formula(_attention_backward(11), matrix=1),
    "aten._scaled_dot_product_flash_attention_for_cpu_backward": Formula(
        _attention_backward(7), matrix=1
    ),
    "aten._scaled_dot_product_efficient_attention_backward": Formula(
        _attention_backward(11), matrix=1
    ),
    "aten._scaled_dot_product_cudnn_attention_backward": Formula(_attention_backward(14), matrix=1),
    "aten.sum": Formula(lambda given: prod(given.tensor_at(0).shape)),
    "aten.embedding": Formula(_no_flops, _rows_of_table),
    "aten.copy_": Formula(_no_flops, _second_operand, writes_first=True),
    "aten.copy": Formula(_no_flops, _second_operand),
    "aten.clone": _COPY,
    "aten.contiguous": _COPY,
    "aten._foreach_zero_": _FILL,
    "aten.zero_": _FILL,
    "aten.fill_": _FILL,
    "aten.rand": _MADE,
    "aten.randn": _MADE,
    "aten.randint": _MADE,
    "aten.full": _MADE,
    "prims.inductor_seeds": _MADE,
    **{f"aten.{name}": Formula(None) for name in _WHOLE},
}
"""The formulas by the operator that a call runs."""
