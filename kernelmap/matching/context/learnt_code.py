"""The calls of a like-run → the same calls of the program at hand.

Two graphs are the same where their code has one digest, or where they run the same statements, by
the same kernels: content hashes are compared wherever both sides know them. What has no counterpart
teaches nothing here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.learnt import Learnt, LearntLaunch, LearntSequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A sequence whose calls are positions in the program at hand, and the run it is from."""

    sequence: LearntSequence
    source: str


def lessons_for(
    learnt: Learnt, program: CompiledProgram
) -> tuple[tuple[Lesson, ...], tuple[str, ...]]:
    """The lessons of a run for `program`, and the graphs of it that `program` does not have."""
    used = sorted(
        {
            int(graph)
            for sequence in learnt.sequences
            for launch in sequence.launches
            for graph in learnt.program.graph_of_call[list(launch.calls)]
        }
    )
    same = {graph: _same(learnt.program.graphs[graph], program) for graph in used}
    moved: dict[int, tuple[int, ...]] = {}
    for graph, positions in same.items():
        first = learnt.program.first_call[graph]
        for index in range(len(learnt.program.graphs[graph].calls)):
            moved[first + index] = tuple(program.first_call[p] + index for p in positions)
    lessons = []
    for sequence in learnt.sequences:
        launches = tuple(_moved(launch, moved) for launch in sequence.launches)
        if any(launch.calls for launch in launches):
            lessons.append(
                Lesson(sequence=replace(sequence, launches=launches), source=learnt.source)
            )
    missing = tuple(learnt.program.graphs[graph].id for graph in used if not same[graph])
    if all(graph.borrowed for graph in program.graphs):
        missing = ()  # It is the run's own code, as far as any of it was seen to run.
    return tuple(lessons), missing


def program_of(learnt: Sequence[Learnt]) -> CompiledProgram:
    """The graphs that the runs know, for a trace without code of its own: borrowed, each once."""
    graphs: list[CompiledGraph] = []
    for run in sorted(learnt, key=lambda each: each.source):
        program = CompiledProgram(graphs=tuple(graphs))
        names = {graph.id for graph in graphs}
        for graph in run.program.graphs:
            if graph.calls and not _same(graph, program):
                name = free_name(graph.id, names)
                names.add(name)
                graphs.append(replace(graph, borrowed=True, id=name))
    files = dict.fromkeys(file for run in learnt for file in run.program.files)
    return CompiledProgram(graphs=tuple(graphs), files=tuple(files))


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of `name~2`, `name~3`, … that is free."""
    numbered = (f"{name}~{number}" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in taken)


def _moved(launch: LearntLaunch, moved: dict[int, tuple[int, ...]]) -> LearntLaunch:
    calls = tuple(position for call in launch.calls for position in moved.get(call, ()))
    return replace(launch, calls=calls, run=launch.run if calls else -1)


def _same(graph: CompiledGraph, program: CompiledProgram) -> list[int]:
    """Positions of the graphs of `program` that are `graph`."""
    digests = [
        position
        for position, other in enumerate(program.graphs)
        if graph.digest is not None and other.digest == graph.digest
    ]
    if digests:
        return digests
    return [p for p, other in enumerate(program.graphs) if _same_calls(graph, other)]


def _same_calls(one: CompiledGraph, other: CompiledGraph) -> bool:
    if len(one.calls) != len(other.calls):
        return False
    for mine, theirs in zip(one.calls, other.calls, strict=True):
        if (mine.target or mine.wrapper) != (theirs.target or theirs.wrapper):
            return False
        kernels = one.kernel_of(mine), other.kernel_of(theirs)
        hashes = {kernel.hash for kernel in kernels if kernel and kernel.hash}
        if len(hashes) > 1:
            return False
    return bool(one.calls)
