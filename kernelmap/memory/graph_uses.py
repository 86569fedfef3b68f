"""A graph with its memory → which calls use which buffers, and where between them one has room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.model import Backend, CompiledGraph
from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind
from kernelmap.tables.buffer_uses import copied_buffers, users_of_buffers

_POINTWISE = "poi"
_ACCUMULATES = "tmp_acc"
"""How Inductor's C++ names what a reduction adds up in (torch 2.6 to 2.13)."""


class GraphUses(Struct, frozen=True, kw_only=True):
    """A graph with its memory, and which calls use which buffers.

    `users` are steps, by position of the buffer and in order; `copied` has the name of the original
    by position of the copy, `copies` the positions of its copies by name of an original; `saved`
    the backward by position of what a forward saves for it. `pointwise` are the calls whose kernel
    computes each element for itself.
    """

    graph: CompiledGraph
    memory: GraphMemory
    users: Mapping[int, tuple[int, ...]]
    copied: Mapping[int, str]
    copies: Mapping[str, Sequence[int]]
    pointwise: frozenset[int]
    saved: Mapping[int, str]

    @classmethod
    def of(
        cls, graph: CompiledGraph, memory: GraphMemory, saved: Mapping[str, Mapping[int, str]]
    ) -> GraphUses:
        """Of one graph; `saved` is that of all forwards."""
        steps = {step.call: at for at, step in enumerate(memory.steps) if step.call is not None}
        users = users_of_buffers(memory)
        copied = copied_buffers(graph, memory)
        copies: dict[str, list[int]] = defaultdict(list)
        for at, name in copied.items():
            copies[name].append(at)
        return cls(
            graph=graph,
            memory=memory,
            users={at: tuple(sorted(steps[call] for call in calls)) for at, calls in users.items()},
            copied=copied,
            copies=copies,
            pointwise=frozenset(_iter_pointwise(graph)),
            saved=saved.get(memory.graph, {}),
        )

    def end_of(self, buffer: MemoryBuffer) -> int:
        """The step in which a buffer is gone."""
        return len(self.memory.steps) if buffer.freed is None else buffer.freed

    def handed_to(self, step: int) -> list[int]:
        """The positions of the buffers that the call of a step is handed."""
        return [at for at, steps in self.users.items() if step in steps]

    def place_before(self, step: int) -> int:
        """The step before which a call would run, so that the call of `step` finds its result.

        That is before the allocations for that call, which stand between it and the one before.
        """
        after, before = self.memory.bytes_after, self.memory.bytes_before
        place = at = step
        # Step 0 is the start of the graph: what is handed in.
        while at > 1 and self.memory.steps[at - 1].call is None:
            at -= 1
            if after[at] > before[at]:
                place = at
        return place

    def find_saved(self, forward: str, buffer: MemoryBuffer) -> int | None:
        """The position of what a backward is handed of a buffer of its forward."""
        if buffer.made_by is None:
            return None
        for at, taken in enumerate(self.memory.buffers):
            is_origin = taken.origin == f"{forward}/{buffer.made_by}"
            if is_origin and taken.kind is MemoryKind.SAVED and taken.nbytes == buffer.nbytes:
                return at
        return None

    def find_reader(self, saved: Sequence[tuple[str, MemoryBuffer]]) -> str | None:
        """The first kernel of a backward that reads all of what forwards saved, if there is one."""
        readers = [self._readers_of(self.find_saved(forward, one)) for forward, one in saved]
        for call in sorted(set.intersection(*readers)) if readers else ():
            if self.graph.calls[call].backend is not Backend.EXTERN:
                return self.graph.calls[call].wrapper
        return None

    def _readers_of(self, at: int | None) -> set[int]:
        """The calls that read a buffer, and the one that writes its result in the same memory."""
        calls = (
            {self.memory.steps[step].call for step in self.users.get(at, ())}
            if at is not None
            else set()
        )
        calls |= {one.made_by for one in self.memory.buffers if at is not None and one.reuses == at}
        return {call for call in calls if call is not None}


def _iter_pointwise(graph: CompiledGraph) -> Iterator[int]:
    """The calls of pointwise kernels: their names say so, of C++ their text."""
    lines = (graph.text or "").splitlines()
    in_cpp = {
        kernel.name
        for kernel in graph.kernels
        if kernel.first_line is not None
        and (text := lines[kernel.first_line - 1 : kernel.last_line])
        and not any(_ACCUMULATES in line for line in text)
    }
    for at, call in enumerate(graph.calls):
        is_cpp = call.backend is Backend.CPP
        if call.kernel in in_cpp if is_cpp else call.category == _POINTWISE:
            yield at
