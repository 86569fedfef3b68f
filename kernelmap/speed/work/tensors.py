"""The wrapper's statements → the tensors behind its names: shape, strides and dtype.

A name is a buffer that the code allocates (`empty_strided_cuda`), an input that it checks
(`assert_size_stride`, or `assert_size_stride_grouped` of several at once), a view of another
(`reinterpret_tensor`), or a new name for one. Inputs state no dtype where they are checked: it
follows from the example inputs at the end of the file (`rand_strided`), the types above the
kernels' definitions, or the signature of a kernel that takes the tensor. Names of a graph are used
once, so all functions of a file share one table.

Left out: sizes that are no numbers. A tensor of symbolic shape is not known.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.python.source import (
    dtype_among,
    keyword_value,
    last_word,
    literal_value,
)
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.facts.dtypes import ITEMSIZE, SHORT_NAMES

_LARGEST = 10**12  # elements of a dimension: more is no size
_ANNOTATION = re.compile(r"(\w+)\[([\d, ]*)\](?:\[([\d, ]*)\])?")
_STRIDED = ("empty_strided", "rand_strided")
_VIEW = ("reinterpret_tensor", "_reinterpret_tensor", "as_strided")
_METHODS = ("view", "sum")
_POOL = "alloc_from_pool"
_CHECK = "assert_size_stride"
GROUPED_CHECK = "assert_size_stride_grouped"
"""Checks several tensors: lists of them, of their shapes and of their strides (torch 2.14)."""


class Tensor(Struct, frozen=True):
    """A tensor; `dtype` is torch's name, None where nothing states it.

    `name` is what the wrapper calls it, or what it is a view of; it has no say in what is equal.
    """

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: str | None = None
    name: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tensor) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:
        return self.shape, self.stride, self.dtype

    @property
    def elements(self) -> int:
        """How many elements it has in memory: broadcast dimensions (stride 0) count once."""
        sizes = zip(self.shape, self.stride, strict=True)
        return prod(size for size, stride in sizes if stride or not size)

    @property
    def nbytes(self) -> int | None:
        """What reading all of it takes; None without a dtype."""
        size = ITEMSIZE.get(self.dtype or "")
        return None if size is None else self.elements * size


def tensor_of_annotation(annotation: str) -> Tensor | None:
    """The tensor that an annotation of the graph's text describes; None where a size is a symbol.

    >>> tensor_of_annotation("f32[8, 16][16, 1]cuda:0")
    Tensor(shape=(8, 16), stride=(16, 1), dtype='float32', name='')
    """
    match = _ANNOTATION.match(annotation)
    if match is None or match[1] not in SHORT_NAMES:
        return None
    shape = _whole_numbers(match[2])
    stride = dense_strides(shape) if match[3] is None else _whole_numbers(match[3])
    return Tensor(shape, stride, SHORT_NAMES[match[1]]) if len(shape) == len(stride) else None


def dense_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor that lies in memory row by row.

    >>> dense_strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(prod(shape[at + 1 :]) for at in range(len(shape)))


class Tensors(Struct):
    """All tensors of one file by name, and what the results of calls are called.

    `items` has the names of the items of `buf1` with their places (`buf2 = buf1[0]`), `bases` leads
    from a view to the name that it views.
    """

    named: dict[str, Tensor] = {}
    bases: dict[str, str] = {}
    items: dict[str, list[tuple[int, str]]] = {}

    def note_statement(self, statement: ast.stmt) -> None:
        """Learn from one statement; later ones of a name complete it."""
        pair = split_assignment(statement)
        if pair is not None:
            self._note_assignment(*pair)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            self._note_check(statement.value)

    def complete_dtype(self, name: str, dtype: str) -> None:
        """Give a tensor its dtype where nothing did before."""
        tensor = self.named.get(name)
        if tensor is not None and tensor.dtype is None:
            self.named[name] = replace(tensor, dtype=dtype)

    def add_tensor(self, name: str, tensor: Tensor) -> None:
        """Know a tensor from elsewhere: what the code says itself counts more."""
        if name not in self.named:
            self.named[name] = tensor
        elif tensor.dtype is not None:
            self.complete_dtype(name, tensor.dtype)

    def tensor_of(self, node: ast.expr) -> Tensor | None:
        """The tensor that an expression is; None where it is none, or is not known."""
        if isinstance(node, ast.Name):
            return self.by_name(node.id)
        return self._tensor_made_by(node) if isinstance(node, ast.Call) else None

    def by_name(self, name: str) -> Tensor | None:
        """The tensor of a name; a view without a dtype has that of what it views."""
        tensor = self.named.get(name)
        if tensor is not None and tensor.dtype is not None:
            return replace(tensor, name=name)
        # The way from view to view until one has a dtype. `seen` ends a circle of names.
        seen, at = {name}, name
        while tensor is not None and tensor.dtype is None:
            base = self.bases.get(at)
            if base is None or base in seen:
                break
            seen.add(base)
            at, viewed = base, self.named.get(base)
            tensor = replace(tensor, dtype=viewed.dtype if viewed is not None else None)
        return None if tensor is None else replace(tensor, name=name)

    def root_of(self, name: str) -> str:
        """The name that memory was first given, however often it was viewed or reused since."""
        seen = {name}
        while (base := self.bases.get(name)) is not None and base not in seen:
            seen.add(base)
            name = base
        return name

    def _note_assignment(self, name: str, value: ast.expr) -> None:
        # `buf2 = buf1[0]` is a result of a call with several.
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
            place = literal_value(value.slice)
            if type(place) is int:
                self.items.setdefault(value.value.id, []).append((place, name))
            return
        tensor = self.tensor_of(value)
        if tensor is not None:
            self.add_tensor(name, tensor)
        # Through all views to the name below them. The first base of a name stays: names are used
        # once.
        base = value
        while isinstance(base, ast.Call) and _is_view(base):
            base = base.args[0]
        if isinstance(base, ast.Name) and base.id != name:
            self.bases.setdefault(name, base.id)

    def _note_check(self, call: ast.Call) -> None:
        """`assert_size_stride(arg0_1, (8, 16), (16, 1))`."""
        name = last_word(call)
        if name == _CHECK and isinstance(call.args[0], ast.Name):
            tensor = _strided_tensor(call.args[1:])
            if tensor is not None:
                self.add_tensor(call.args[0].id, tensor)
        # `assert_size_stride_grouped((arg0_1, arg1_1), ((8, 16), (4,)), ((16, 1), (1,)), 'input')`
        elif name == GROUPED_CHECK:
            for argument, *sizes in checked_together(call):
                tensor = _strided_tensor(sizes)
                if tensor is not None:
                    self.add_tensor(argument.id, tensor)

    def _tensor_made_by(self, call: ast.Call) -> Tensor | None:
        name = last_word(call)
        # A view has its own shape, and the dtype and the name of what it views.
        if name in _VIEW and call.args:
            tensor, base = _strided_tensor(call.args[1:]), self.tensor_of(call.args[0])
            viewed = base or Tensor((), ())
            return replace(tensor, dtype=viewed.dtype, name=viewed.name) if tensor else None
        if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
            return self._tensor_of_method(call, call.func)
        if name.startswith(_STRIDED):
            return _strided_tensor(call.args, dtype_among(call))
        # Memory from a pool has pool, offset and dtype before the shape.
        if name.endswith(_POOL):
            return _strided_tensor(call.args[3:], dtype_among(call))
        if name == "empty" and call.args:
            shape = _sizes_of(call.args[0])
            return None if shape is None else Tensor(shape, dense_strides(shape), dtype_among(call))
        return None

    def _tensor_of_method(self, call: ast.Call, method: ast.Attribute) -> Tensor | None:
        """What `workspace_0[0:512].view(512, 4096)` and `buf1.sum(dim=0)` are.

        So a reduction over rows ends that a kernel summed in pieces of its workspace.
        """
        if method.attr == "sum":
            summed, dim = self.tensor_of(method.value), literal_value(_dim_of(call))
            if summed is None or type(dim) is not int or not 0 <= dim < len(summed.shape):
                return None
            shape = (*summed.shape[:dim], *summed.shape[dim + 1 :])
            return Tensor(shape, dense_strides(shape), summed.dtype)
        given = call.args[0] if len(call.args) == 1 else ast.Tuple(call.args)
        shape_of_view = _sizes_of(given)
        if shape_of_view is None:
            return None
        # Of a slice neither sizes nor offset are needed: the view states its own shape.
        base = method.value.value if isinstance(method.value, ast.Subscript) else method.value
        viewed = self.tensor_of(base)
        strides = dense_strides(shape_of_view)
        return None if viewed is None else Tensor(shape_of_view, strides, viewed.dtype)


def _dim_of(call: ast.Call) -> ast.expr:
    given = keyword_value(call, "dim")
    return given or (call.args[0] if call.args else ast.Constant(None))


def checked_together(call: ast.Call) -> Iterator[tuple[ast.Name, ast.expr, ast.expr]]:
    """The tensors that one grouped check names, each with its shape and its strides as written."""
    lists = [argument.elts for argument in call.args[:3] if isinstance(argument, ast.Tuple)]
    if len(lists) == len(("tensors", "shapes", "strides")):
        for name, shape, stride in zip(*lists, strict=False):
            if isinstance(name, ast.Name):
                yield name, shape, stride


def _is_view(call: ast.Call) -> bool:
    return last_word(call) in _VIEW and bool(call.args)


def _strided_tensor(arguments: Sequence[ast.expr], dtype: str | None = None) -> Tensor | None:
    """The tensor of arguments that begin with its shape and its strides."""
    sizes = [_sizes_of(argument) for argument in arguments[:2]]
    if len(sizes) < len(("shape", "stride")) or sizes[0] is None or sizes[1] is None:
        return None
    return Tensor(sizes[0], sizes[1], dtype) if len(sizes[0]) == len(sizes[1]) else None


def _sizes_of(node: ast.expr) -> tuple[int, ...] | None:
    if not isinstance(node, ast.Tuple | ast.List):
        return None
    sizes = [size.value if isinstance(size, ast.Constant) else None for size in node.elts]
    known = tuple(size for size in sizes if type(size) is int and 0 <= size <= _LARGEST)
    return known if len(known) == len(sizes) else None


def _whole_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.replace(" ", "").split(",") if number)
