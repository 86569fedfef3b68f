"""Graphs with their memory in a few lines, for what compares and shows memory.

    world = (
        MemoryWorld()
        .take("x", 100)
        .call("aten.mm", "x", makes={"a": 400}, frees=("x",))
        .call("triton_poi_fused_relu_0", "a", makes={"b": 400}, reuses={"b": "a"})
        .give("b")
    )

Sizes are bytes of float32 unless a dtype is given. Each call has one statement that allocates per
result, its own, and one that frees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kernelmap.model import CompiledGraph, CompiledProgram, SourceLine
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, MemoryStep
from tiny import graph

ITEMSIZE = {"float32": 4, "bfloat16": 2, "float64": 8}


class MemoryWorld:
    """One graph; its source lines are those of `model.py`, one for each call from 1."""

    def __init__(self, name: str = "0_inference") -> None:
        self.name = name
        self.steps = [MemoryStep(line=1, code="def call(args):")]
        self.buffers: list[MemoryBuffer] = []
        self.symbols: list[str] = []
        self.lines: list[int] = []
        self.taken: list[int] = []
        self.given: list[int] = []

    def take(self, name: str, nbytes: int, *, origin: str | None = None) -> MemoryWorld:
        """A tensor that is handed in; with `origin` a forward saved it, whose call made it."""
        kind = MemoryKind.INPUT if origin is None else MemoryKind.SAVED
        self.taken.append(self._hold(name, nbytes, kind, "float32", born=0))
        return self.change(name, origin=origin)

    def call(  # noqa: PLR0913 -- what a call does with memory
        self,
        symbol: str,
        *uses: str,
        makes: Mapping[str, int] | None = None,
        frees: Sequence[str] = (),
        reuses: Mapping[str, str] | None = None,
        dtype: str = "float32",
        stride: tuple[int, ...] | None = None,
        line: int | None = None,
    ) -> MemoryWorld:
        """A call that is handed `uses`, and writes `makes`: new memory, or that which it reuses."""
        index = len(self.symbols)
        self.symbols.append(symbol)
        self.lines.append(line or index + 1)
        for name, nbytes in (makes or {}).items():
            self._step(f"{name} = empty_strided(...)")
            born = len(self.steps) - 1
            old = (reuses or {}).get(name)
            if old is not None:
                self._free(old, born)
            at = self._hold(
                name, nbytes, MemoryKind.BUFFER, dtype, born=born, call=index, stride=stride
            )
            if old is not None:
                self.buffers[at] = replace(self.buffers[at], reuses=self._find(old))
        names = (*uses, *(makes or {}))
        self.steps.append(
            MemoryStep(line=10 + index, code=f"{symbol}.run({', '.join(names)})", call=index)
        )
        for name in names:
            at = self._find(name)
            self.buffers[at] = replace(self.buffers[at], last_use=index)
        for name in frees:
            self._step(f"del {name}")
            self._free(name, len(self.steps) - 1)
        return self

    def give(self, *names: str) -> MemoryWorld:
        """What the graph returns; everything else of its own is freed."""
        self._step("return")
        self.given = [self._find(name) for name in names]
        for at, buffer in enumerate(self.buffers):
            if at in self.given and buffer.kind is MemoryKind.BUFFER:
                self.buffers[at] = replace(buffer, kind=MemoryKind.OUTPUT)
            elif buffer.kind is MemoryKind.BUFFER and buffer.freed is None and at not in self.given:
                self._free(buffer.name, len(self.steps) - 1)
        return self

    def change(self, name: str, **changes: object) -> MemoryWorld:
        """State something else of a buffer: `freed=None`."""
        at = self._find(name)
        self.buffers[at] = replace(self.buffers[at], **changes)
        return self

    @property
    def memory(self) -> GraphMemory:
        """The memory, as the engine gives it."""
        return GraphMemory(
            graph=self.name,
            steps=tuple(self.steps),
            buffers=tuple(self.buffers),
            arguments=tuple(self.buffers[at].name for at in self.taken),
            device="cuda",
            returned=tuple(self.given),
        )

    @property
    def compiled(self) -> CompiledGraph:
        """The graph, each call with its line."""
        made = graph(self.name, *self.symbols)
        calls = tuple(
            replace(call, lines=(SourceLine(file="model.py", line=line, code=f"line {line}"),))
            for call, line in zip(made.calls, self.lines, strict=True)
        )
        return replace(made, calls=calls)

    def _step(self, code: str) -> None:
        self.steps.append(MemoryStep(line=None, code=code))

    def _find(self, name: str) -> int:
        return max(at for at, buffer in enumerate(self.buffers) if buffer.name == name)

    def _free(self, name: str, step: int) -> None:
        at = self._find(name)
        self.buffers[at] = replace(self.buffers[at], freed=step)

    def _hold(  # noqa: PLR0913 -- what a buffer is
        self,
        name: str,
        nbytes: int,
        kind: MemoryKind,
        dtype: str,
        *,
        born: int,
        call: int | None = None,
        stride: tuple[int, ...] | None = None,
    ) -> int:
        at = len(self.buffers)
        self.buffers.append(
            MemoryBuffer(
                name=name,
                storage=at,
                kind=kind,
                nbytes=nbytes,
                born=born,
                shape=(nbytes // ITEMSIZE[dtype],),
                stride=stride or (1,),
                dtype=dtype,
                device="cuda",
                made_by=call,
                held=kind in (MemoryKind.INPUT, MemoryKind.CONSTANT),
            )
        )
        return at


def program_of(*worlds: MemoryWorld) -> tuple[CompiledProgram, list[GraphMemory]]:
    """All worlds as one program, with their memory."""
    graphs = tuple(world.compiled for world in worlds)
    return CompiledProgram(graphs=graphs), [world.memory for world in worlds]
