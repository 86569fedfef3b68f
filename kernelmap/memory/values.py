"""What names of a wrapper stand for: storages with the references to them, lists, results of calls.

A storage is alive as long as something refers to it: a name, a list, a view of a pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from kernelmap.facts.result_dtypes import RESULTS, dtype_of_result
from kernelmap.memory.sizes import Sizes, TensorSizes, bytes_of_storage, in_numbers
from kernelmap.model.memory import MemoryKind


class Holder(Struct, eq=False, kw_only=True):
    """A `MemoryBuffer` that is being followed; `sizes` are those of the tensor that it holds."""

    name: str
    storage: Storage
    kind: MemoryKind
    born: int
    line: int | None
    sizes: TensorSizes | None = None
    made_by: int | None = None
    last_use: int | None = None
    freed: int | None = None
    let_go: int | None = None
    reuses: Holder | None = None


class ResultOf(Struct, frozen=True):
    """Which result of which operator a tensor is, and the operator's first operand."""

    operator: str
    place: int
    operand: Storage | None


class Storage(Struct, eq=False, kw_only=True):
    """The memory of one allocation.

    `held` says that somebody outside of the graph holds it as well: it is never freed. `sizes` are
    those of the tensor that it was allocated for, `whole` are bytes and formula where another graph
    allocated it, `origin` the call that did. Memory in a `pool` is a part of the pool's. `result`
    says what may tell its dtype.
    """

    number: int
    device: str | None = None
    sizes: TensorSizes | None = None
    held: bool = False
    whole: tuple[int | None, str | None] | None = None
    origin: str | None = None
    pool: Storage | None = None
    result: ResultOf | None = None
    holders: list[Holder] = []
    references: int = 0

    @property
    def holder(self) -> Holder:
        """Who holds it now."""
        return self.holders[-1]

    @property
    def dtype(self) -> str | None:
        """Torch's name of its dtype, as stated or as it follows from the operator that made it."""
        if self.sizes is not None and self.sizes.dtype is not None:
            return self.sizes.dtype
        origin = self.result
        if origin is None or origin.operand is None or origin.operator not in RESULTS:
            return None
        of_operand = origin.operand.dtype
        return of_operand and dtype_of_result(origin.operator, origin.place, of_operand)

    def size_with(self, sizes: Sizes) -> tuple[int | None, str | None]:
        """Its bytes, or else their formula."""
        shape, stride = numbers_in(self.sizes, sizes)
        if self.whole is not None:
            return self.whole
        if shape is None or stride is None:
            return None, None
        return bytes_of_storage(shape, stride, self.dtype)

    def complete_dtype(self, dtype: str) -> None:
        """Learn the dtype where nothing stated it."""
        if self.sizes is not None and self.sizes.dtype is None:
            self.sizes = TensorSizes(shape=self.sizes.shape, stride=self.sizes.stride, dtype=dtype)

    def complete_sizes(self, sizes: TensorSizes) -> None:
        """Learn shape and strides where nothing stated them."""
        if self.sizes is None:
            self.sizes = sizes


class ItemList(Struct, eq=False):
    """A list or a tuple of values; all that refer to the list hold its items through it."""

    items: list[Value]
    references: int = 0


class CallResult(Struct, eq=False, kw_only=True):
    """What a call gave back: a tensor, or several, which shows when the code uses it.

    `made` has the storages that are known of it by their place, None for the place of a tensor that
    is the whole result. `step` is that of the call, `operator` what it runs, `operand` the first
    tensor that it was given, `name` the first name of all of it. `alike` are all tensors of the
    call, to which those that it made are added; `results` are these alone.
    """

    step: int
    call: int | None
    line: int | None
    operator: str
    operand: Storage | None
    alike: list[Storage]
    results: list[Storage] = []
    name: str = ""
    made: dict[int | None, Storage] = field(default_factory=dict)
    references: int = 0


Value = Storage | ItemList | CallResult | None
"""What a name stands for, as far as memory goes."""


def numbers_in(
    known: TensorSizes | None, sizes: Sizes
) -> tuple[tuple[int | str, ...] | None, tuple[int | str, ...] | None]:
    """Shape and strides, with numbers as far as they are known."""
    if known is None:
        return None, None
    return in_numbers(known.shape, sizes), in_numbers(known.stride, sizes)


def storages_in(value: Value) -> Iterator[Storage]:
    """The storages that a value refers to, those in lists included."""
    if isinstance(value, Storage):
        yield value
    elif isinstance(value, ItemList):
        for item in value.items:
            yield from storages_in(item)
