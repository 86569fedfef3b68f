"""Bytes that would not be there, or would be there longer → the peaks of a graph and of a step.

What could be done about a buffer changes the bytes alive in its graph, and in a step those of each
graph that is handed it. The peak is sought anew on the changed bytes: it falls by no more than to
the next highest moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.memory.step import add_up_runs, growth_of_graph
from kernelmap.model.memory import GraphMemory, StepMemory
from kernelmap.model.trace import Int


class BytesChange(Struct, frozen=True):
    """So many bytes more (or fewer) after each step from `begin` to before `end` of a graph."""

    graph: str
    begin: int
    end: int
    nbytes: int


class AddedCall(Struct, frozen=True):
    """A call that runs before step `step` of a graph, with so many bytes beside what is there."""

    graph: str
    step: int
    nbytes: int


class SoughtPeaks(Struct, frozen=True, kw_only=True):
    """The graphs by id, and how much each grows in a run; `step` is None where none trains."""

    memories: Mapping[str, GraphMemory]
    growths: Mapping[str, tuple[int, int]]
    step: StepMemory | None

    @classmethod
    def of(cls, memories: Sequence[GraphMemory], step: StepMemory | None) -> SoughtPeaks:
        """Of all graphs of a program."""
        return cls(
            memories={memory.graph: memory for memory in memories},
            growths={memory.graph: growth_of_graph(memory.bytes_after) for memory in memories},
            step=step,
        )

    def peak_of_graph(
        self, graph: str, changes: Sequence[BytesChange], added: Sequence[AddedCall] = ()
    ) -> int:
        """The peak of one graph with what is changed in it."""
        return int(self._bytes_with(graph, changes, added).max())

    def peak_of_step(
        self, changes: Sequence[BytesChange], added: Sequence[AddedCall] = ()
    ) -> int | None:
        """The peak of the step; None where a changed graph does not run in it, or is replayed.

        What a CUDA graph replays allocates nothing in a step.
        """
        runs = self.step.runs if self.step is not None else ()
        replayed = {run.graph for run in runs if run.pool is not None}
        order = [run.graph for run in runs]
        changed = {change.graph for change in changes}
        if not changed <= {*order} - replayed:
            return None
        grown = {
            graph: growth_of_graph(self._bytes_with(graph, changes, added)) for graph in changed
        }
        again = add_up_runs(order, {**self.growths, **grown}, replayed)
        return max(run.peak for run in again)

    def _bytes_with(
        self, graph: str, changes: Sequence[BytesChange], added: Sequence[AddedCall]
    ) -> Int:
        """The bytes alive after each step of a graph, and while each added call runs."""
        alive: Int = self.memories[graph].bytes_after.copy()
        for change in changes:
            if change.graph == graph:
                alive[change.begin : change.end] += change.nbytes
        here = [call for call in added if call.graph == graph]
        if not here:
            return alive
        moments = [int(alive[call.step - 1]) + call.nbytes for call in here]
        return np.insert(alive, [call.step for call in here], moments)
