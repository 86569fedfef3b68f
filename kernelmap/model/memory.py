"""The memory of graphs as their code states it: who holds how many bytes, from when until when.

Time is counted in *steps*: the statements of a graph that allocate, free, hand on or use memory, in
the order in which they run. A *buffer* is what holds memory from one step to another: where the
code says `buf3 = buf1; del buf1  # reuse`, the memory stays and its holder changes. So each byte
has one holder at a time, and sums over buffers are sums over bytes. Views are no buffers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.model.program import Occurrence
from kernelmap.model.trace import Int


class MemoryKind(StrEnum):
    """What memory is there for.

    INPUT is handed in and belongs to the caller: letting go of it frees nothing. SAVED is handed to
    a backward by its forward, and held by nobody but the wrapper. A GRADIENT is handed to it by
    autograd, which holds it in torch before 2.13. OUTPUT is handed to the caller. A POOL is memory
    that the compiler planned: buffers lie in it, and what they leave is the pool's.
    """

    INPUT = "input"
    SAVED = "saved"
    GRADIENT = "gradient"
    CONSTANT = "constant"
    BUFFER = "buffer"
    OUTPUT = "output"
    WORKSPACE = "workspace"
    POOL = "pool"


class MemoryBuffer(Struct, frozen=True, kw_only=True):
    """What holds memory of one storage, from step `born` until step `freed` frees or takes it.

    `name` is the wrapper's; `storage` numbers allocations of the graph, from 0: holders of one
    storage follow one another. `nbytes` is the size of the storage, None where it is not known;
    `formula` is how it depends on sizes that only a run has. `shape` and `stride` have texts in
    the place of such sizes. `dtype` is torch's name, `device` as the code has it (`cuda`, `cpu`).
    `line` is that of the statement that made the buffer. `made_by` is the index of the call that
    first writes to it, `last_use` that of the last one that is handed it, both None without one.
    `freed` is None for what is still held when the graph is done. `held` says that somebody outside
    of the graph holds the memory as well, so that the graph never frees it. `let_go` is the step in
    which the wrapper gave up its last name for an input, whether that freed it or not. `origin` is
    the call of another graph that made what is handed in, `graph/index`. `reuses` is the buffer
    whose memory it took over, `pool` the pool that it lies in: positions in `GraphMemory.buffers`.
    """

    name: str
    storage: int
    kind: MemoryKind
    nbytes: int | None
    born: int
    freed: int | None = None
    held: bool = False
    let_go: int | None = None
    formula: str | None = None
    shape: tuple[int | str, ...] | None = None
    stride: tuple[int | str, ...] | None = None
    dtype: str | None = None
    device: str | None = None
    line: int | None = None
    made_by: int | None = None
    origin: str | None = None
    last_use: int | None = None
    reuses: int | None = None
    pool: int | None = None

    def is_alive_after(self, step: int) -> bool:
        """Whether it holds its memory when a step is done."""
        return self.born <= step and (self.freed is None or step < self.freed)


class MemoryStep(Struct, frozen=True, kw_only=True):
    """One statement that changes or uses memory: its line in the code, and the call that it is.

    The first step of a graph is that of its start, when it was handed its inputs. `call` is the
    index of the call in the graph, None for allocations, frees and the like. `function` is the
    partition or the branch whose statement it is, None for those of `call()` itself.
    """

    line: int | None
    code: str
    call: int | None = None
    occurrence: Occurrence = Occurrence.ONCE
    function: str | None = None


class GraphMemory(Struct, frozen=True, kw_only=True, dict=True):
    """The memory of one graph: its steps in order, and all buffers in the order of their birth.

    `graph` is the graph's id. `arguments` are the names of what it is handed. `handed_in` has the
    buffer of each of them, and `returned` that of each result, in order: positions in `buffers`,
    None for what is no tensor. `device` is the kind
    of device that most bytes are on (`cuda`): all sums are of memory there. `sizes` are the numbers
    that were put in the place of symbols. `as_allocated` says whether sizes are rounded up as
    torch's caching allocator does. `gaps` are sentences about what could not be followed.
    """

    graph: str
    steps: tuple[MemoryStep, ...]
    buffers: tuple[MemoryBuffer, ...]
    arguments: tuple[str, ...] = ()
    handed_in: tuple[int | None, ...] = ()
    returned: tuple[int | None, ...] = ()
    device: str | None = None
    sizes: Mapping[str, int] = {}
    examples: frozenset[str] = frozenset()
    as_allocated: bool = False
    gaps: tuple[str, ...] = ()

    @cached_property
    def bytes_after(self) -> Int:
        """The bytes alive when each step is done, as far as sizes are known; (steps,)."""
        return self._sum_alive(buffer for buffer in self.counted if buffer.pool is None)

    @cached_property
    def counted(self) -> tuple[MemoryBuffer, ...]:
        """The buffers on the graph's device, and those of which no device is known."""
        return tuple(
            buffer
            for buffer in self.buffers
            if buffer.device is None or device_kind(buffer.device) == self.device
        )

    @cached_property
    def bytes_before(self) -> Int:
        """The bytes alive when each step begins: what its forerunner left, for the first its own.

        The inputs of a graph are there before anything runs.
        """
        after = self.bytes_after
        return np.concatenate([after[:1], after[:-1]])

    def bytes_of_kind(self, kind: MemoryKind) -> Int:
        """The part of `bytes_after` that memory of one kind is; the kinds add up to it."""
        of_kind = self._sum_alive(buffer for buffer in self.counted if buffer.kind is kind)
        if kind is MemoryKind.POOL:
            return of_kind - self._sum_alive(one for one in self.counted if one.pool is not None)
        return of_kind

    @cached_property
    def peak_step(self) -> int:
        """The first of the steps after which most bytes are alive."""
        return int(self.bytes_after.argmax()) if self.steps else 0

    @property
    def peak_bytes(self) -> int:
        """The most bytes that are alive at a time."""
        return int(self.bytes_after[self.peak_step]) if self.steps else 0

    @cached_property
    def unsized(self) -> tuple[MemoryBuffer, ...]:
        """The buffers of which no size is known: all sums are without them."""
        return tuple(buffer for buffer in self.counted if buffer.nbytes is None)

    def alive_after(self, step: int) -> Iterator[tuple[MemoryBuffer, int]]:
        """What is alive when a step is done, with the bytes of each; they add up to `bytes_after`.

        A pool has what the buffers in it leave of it.
        """
        alive = [buffer for buffer in self.counted if buffer.is_alive_after(step)]
        taken: dict[int | None, int] = defaultdict(int)
        for buffer in alive:
            taken[buffer.pool] += buffer.nbytes or 0
        # A pool is known by its place among all buffers.
        pools = {id(self.buffers[at]): taken[at] for at in taken if at is not None}
        for buffer in alive:
            yield buffer, (buffer.nbytes or 0) - pools.get(id(buffer), 0)

    def _sum_alive(self, buffers: Iterable[MemoryBuffer]) -> Int:
        """The bytes of `buffers` that are alive after each step."""
        # What each step adds and takes away; the running sum is what is alive.
        change = np.zeros(len(self.steps) + 1, dtype=np.int64)
        for buffer in buffers:
            change[buffer.born] += buffer.nbytes or 0
            if buffer.freed is not None:
                change[buffer.freed] -= buffer.nbytes or 0
        return np.cumsum(change[:-1])


def device_kind(device: str) -> str:
    """`cuda` of `cuda:0`."""
    return device.partition(":")[0]


class GraphRun(Struct, frozen=True, kw_only=True):
    """One run of a graph in a step: the bytes before it, at its peak and after it.

    They are counted above what the caller holds all the time, and start with 0 in the first run.
    `pool` is what the graph needs above its start where a CUDA graph replays it: that lies in the
    pool of the CUDA graph all the time, and a replay allocates nothing. None for all others.
    """

    graph: str
    before: int
    peak: int
    after: int
    pool: int | None = None


class StepMemory(Struct, frozen=True, kw_only=True):
    """The graphs of a step in the order in which they ran.

    `is_recorded` says whether a profile shows the order; else it is that of one forward after the
    other, then their backwards, last one first. `unknown` are graphs that ran and have no code.
    """

    runs: tuple[GraphRun, ...]
    is_recorded: bool
    unknown: tuple[str, ...] = ()

    @property
    def peak_bytes(self) -> int:
        """The most bytes of any run."""
        return max((run.peak for run in self.runs), default=0)
