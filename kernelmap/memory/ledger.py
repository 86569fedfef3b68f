"""Who holds memory: storages with the references to them, and the holders one after another.

A storage is alive as long as something refers to it: a name, a list, a view of a pool. References
are counted as Python counts them, so `del`, `args.clear()` and the end of a function free what they
free in a run. Each change happens in a step, a statement of the code.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.memory.sizes import Sizes, TensorSizes
from kernelmap.memory.values import (
    CallResult,
    Holder,
    ItemList,
    ResultOf,
    Storage,
    Value,
    numbers_in,
)
from kernelmap.model.memory import MemoryBuffer, MemoryKind, MemoryStep, device_kind

_ROUNDED = 512
"""Bytes: torch's caching allocator gives memory of a GPU in multiples of it (kMinBlockSize)."""


_HANDED_IN = (MemoryKind.INPUT, MemoryKind.SAVED, MemoryKind.GRADIENT)


class Ledger(Struct, eq=False):
    """All storages and steps of one graph; `pending` is a statement in which nothing happened yet.

    `temporary` are values that the statement made, and that nothing may refer to when it ends.
    `alike` are tensors that have one dtype, call by call, `pairs` those that have one shape.
    """

    steps: list[MemoryStep] = []
    storages: list[Storage] = []
    pending: MemoryStep | None = None
    temporary: list[Storage | ItemList | CallResult] = []
    alike: list[list[Storage]] = []
    pairs: list[list[Storage]] = []

    def begin_step(self, step: MemoryStep) -> None:
        """The statement that runs now; it becomes a step when it does something with memory."""
        self.pending = step

    @property
    def now(self) -> int:
        """The current step."""
        self.take_step()
        return len(self.steps) - 1

    def take_step(self, call: int | None = None) -> None:
        """The statement that runs now is a step in any case; `call` is the call that it is."""
        if self.pending is not None:
            self.steps.append(replace(self.pending, call=call))
            self.pending = None

    def end_step(self) -> None:
        """Free what the statement made and nothing refers to."""
        while self.temporary:
            value = self.temporary.pop()
            if not value.references:
                self._dispose(value)

    def allocate(  # noqa: PLR0913 -- what is known of memory
        self,
        name: str,
        kind: MemoryKind,
        *,
        sizes: TensorSizes | None = None,
        device: str | None = None,
        line: int | None = None,
        born: int | None = None,
        pool: Storage | None = None,
    ) -> Storage:
        """New memory, held under `name` from this step on, or from step `born`."""
        storage = Storage(number=len(self.storages), device=device, sizes=sizes, pool=pool)
        start = self.now if born is None else born
        storage.holders.append(
            Holder(name=name, storage=storage, kind=kind, born=start, line=line, sizes=sizes)
        )
        self.storages.append(storage)
        self.temporary.append(storage)
        if pool is not None:
            self.refer(pool)
        return storage

    def hand_on(self, storage: Storage, name: str, sizes: TensorSizes | None, line: int) -> None:
        """The memory of a storage holds something else from now on: `buf3 = buf1  # reuse`."""
        before = storage.holder
        before.freed = before.let_go = self.now
        storage.holders.append(
            Holder(
                name=name,
                storage=storage,
                kind=MemoryKind.BUFFER,
                born=self.now,
                line=line,
                sizes=sizes,
                reuses=before,
            )
        )

    def refer(self, value: Value) -> None:
        """One more name or list refers to the value."""
        if value is not None:
            value.references += 1

    def drop(self, value: Value) -> None:
        """One name or list fewer refers to the value; the last one frees it."""
        if value is not None:
            value.references -= 1
            if value.references <= 0:
                self._dispose(value)

    def release(self, value: Value) -> None:
        """As `drop`, but what nothing refers to now is freed at the end of the statement only."""
        if value is not None:
            value.references -= 1
            self.temporary.append(value)

    def make_list(self, items: Sequence[Value]) -> ItemList:
        """A list that refers to its items."""
        made = ItemList(list(items))
        for item in made.items:
            self.refer(item)
        self.temporary.append(made)
        return made

    def clear_list(self, listed: ItemList) -> None:
        """`args.clear()`."""
        items, listed.items = listed.items, []
        for item in items:
            self.drop(item)

    def item_of_result(self, result: CallResult, place: int | None, name: str) -> Storage:
        """The memory of one tensor that a call gave back, there since the call."""
        storage = result.made.get(place)
        if storage is None:
            storage = self.allocate(
                name or result.name,
                MemoryKind.BUFFER,
                device=result.operand.device if result.operand is not None else None,
                line=result.line,
                born=result.step,
            )
            storage.result = ResultOf(result.operator, place or 0, result.operand)
            storage.holder.made_by = storage.holder.last_use = result.call
            result.made[place] = storage
            result.alike.append(storage)
            result.results.append(storage)
            self.refer(storage)
        return storage

    def _dispose(self, value: Storage | ItemList | CallResult) -> None:
        if isinstance(value, ItemList):
            self.clear_list(value)
        elif isinstance(value, CallResult):
            made, value.made = value.made, {}
            for storage in made.values():
                self.drop(storage)
        elif value.holder.let_go is None:
            value.holder.let_go = self.now
            if not value.held:
                value.holder.freed = self.now
                if value.pool is not None:
                    self.drop(value.pool)

    def make_buffers(self, sizes: Sizes, *, as_allocated: bool) -> tuple[MemoryBuffer, ...]:
        """All holders as records, in the order of their birth."""
        self._complete_dtypes()
        self._complete_shapes()
        holders = sorted(
            (holder for storage in self.storages for holder in storage.holders),
            key=lambda holder: holder.born,
        )
        places = {id(holder): at for at, holder in enumerate(holders)}
        return tuple(
            self._make_buffer(holder, places, sizes, as_allocated=as_allocated)
            for holder in holders
        )

    def _complete_dtypes(self) -> None:
        """Tensors of a product have one dtype: where one of them states it, the others have it."""
        # From the last call to the first and back, since a result is an operand of later ones.
        for group in (*reversed(self.alike), *self.alike):
            known = {storage.dtype for storage in group} - {None}
            if len(known) == 1:
                for storage in group:
                    storage.complete_dtype(str(*known))

    def _complete_shapes(self) -> None:
        """Values and indices of a sort and the like have one shape."""
        for results in self.pairs:
            for known in [one.sizes for one in results if one.sizes is not None]:
                for storage in results:
                    storage.complete_sizes(TensorSizes(shape=known.shape, stride=known.stride))

    def _make_buffer(
        self, holder: Holder, places: dict[int, int], sizes: Sizes, *, as_allocated: bool
    ) -> MemoryBuffer:
        storage, pool = holder.storage, holder.storage.pool
        nbytes, formula = storage.size_with(sizes)
        if nbytes is not None and as_allocated and pool is None and _is_rounded(storage.device):
            nbytes = -(-nbytes // _ROUNDED) * _ROUNDED
        own = holder.sizes or storage.sizes
        shape, stride = numbers_in(own, sizes)
        return MemoryBuffer(
            name=holder.name,
            storage=storage.number,
            kind=holder.kind,
            nbytes=nbytes,
            formula=formula,
            born=holder.born,
            freed=holder.freed,
            held=storage.held,
            let_go=holder.let_go if holder.kind in _HANDED_IN else None,
            shape=shape,
            stride=stride,
            dtype=storage.dtype,
            device=storage.device,
            line=holder.line,
            made_by=holder.made_by,
            origin=storage.origin if holder.reuses is None else None,
            last_use=holder.last_use,
            reuses=places[id(holder.reuses)] if holder.reuses is not None else None,
            pool=places[id(pool.holders[0])] if pool is not None else None,
        )


def _is_rounded(device: str | None) -> bool:
    """Whether the memory is a GPU's: a CPU has no caching allocator."""
    return device is None or device_kind(device) not in ("cpu", "meta")
