"""The memory that is there before a graph runs anything: what it is handed, and constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from kernelmap.memory.ledger import Ledger
from kernelmap.memory.sizes import TensorSizes
from kernelmap.memory.stated import StatedTensors
from kernelmap.memory.values import Storage
from kernelmap.model.memory import MemoryKind

NEVER_FREED = frozenset({MemoryKind.INPUT, MemoryKind.CONSTANT})
"""What others hold as well, whatever the wrapper lets go of."""
THERE_BEFORE = NEVER_FREED | {MemoryKind.SAVED, MemoryKind.GRADIENT}
"""What no call of the graph makes."""


class HandedOver(Struct, frozen=True, kw_only=True):
    """What is known of an argument of a graph from the graph that returned it.

    `storage` is the same for arguments that are views of one memory; `size` has its bytes, or else
    their formula. `origin` is the call that made it, `graph/index`.
    """

    storage: str
    kind: MemoryKind
    origin: str | None
    size: tuple[int | None, str | None]
    device: str | None


class StartMemory(Struct, eq=False, kw_only=True):
    """Makes the storages of arguments and constants as the code names them.

    `numbers` are names of arguments that are no tensors, `kind_of_input` says what the others are
    there for, `handed` has what another graph tells of them. `arguments` has those that were named
    so far, in order, `shared` storages of which several arguments are views.
    """

    ledger: Ledger
    stated: StatedTensors
    numbers: frozenset[str]
    kind_of_input: Callable[[str], MemoryKind]
    handed: Mapping[str, HandedOver] = {}
    arguments: dict[str, Storage | None] = {}
    constants: dict[str, Storage] = {}
    shared: dict[str, Storage] = {}

    def make_argument(self, name: str) -> Storage | None:
        """The memory of an argument of the graph; None for one that is no tensor."""
        sizes, handed = self.stated.sizes.get(name), self.handed.get(name)
        if handed is not None:
            return self._make_handed(name, handed)
        if not self.stated.is_tensor(name, self.numbers):
            self.arguments[name] = None
            return None
        # Several inputs may be views of one memory: the first of them stands for all.
        whole = self.stated.shared.get(name)
        storage = self.shared.get(whole or "")
        if storage is None:
            storage = self._make_at_start(
                name,
                self.kind_of_input(name),
                self.stated.sizes.get(whole or "") or sizes,
                self.stated.devices.get(whole or name),
            )
            if whole is not None:
                self.shared[whole] = storage
        self.arguments[name] = storage
        return storage

    def _make_handed(self, name: str, handed: HandedOver) -> Storage:
        """The memory of an argument that another graph returned."""
        storage = self.shared.get(handed.storage)
        if storage is None:
            sizes = self.stated.sizes.get(name)
            device = self.stated.devices.get(name) or handed.device
            storage = self._make_at_start(name, handed.kind, sizes, device)
            storage.whole = handed.size if handed.size != (None, None) else None
            storage.origin = handed.origin
            self.shared[handed.storage] = storage
        self.arguments[name] = storage
        return storage

    def make_constant(self, name: str) -> Storage:
        """A tensor of the module itself."""
        if name not in self.constants:
            sizes, device = self.stated.sizes.get(name), self.stated.devices.get(name)
            self.constants[name] = self._make_at_start(name, MemoryKind.CONSTANT, sizes, device)
            self.ledger.refer(self.constants[name])
        return self.constants[name]

    def _make_at_start(
        self, name: str, kind: MemoryKind, sizes: TensorSizes | None, device: str | None
    ) -> Storage:
        storage = self.ledger.allocate(name, kind, sizes=sizes, device=device, born=0)
        storage.held = kind in NEVER_FREED or (
            kind is MemoryKind.GRADIENT and not self.stated.frees_gradients
        )
        return storage
