"""Reference runs (--like): their launch sequences, with the calls of the program at hand.

And what became of them (matching/references/): explanations and notices read it.

Two graphs are the same where their code has one digest, or where they run the same statements, by
the same kernels: content hashes are compared wherever both sides have them. A sequence whose calls
have no counterpart in the program is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.learnt import EagerOrigin, Learnt, LearntLaunch, LearntSequence
from kernelmap.model.trace import Int


class Recognized(Struct, frozen=True, kw_only=True):
    """Launches that are a reference sequence: `rows` (times, launches), -1 where a time lacks it.

    `references` are numbers of all sequences that fit, the first is the one that evidence names.
    `first` and `last` (launches,) are the earliest and the latest place of each in that sequence,
    `calls` all calls that it may belong to, `eager` where it came from if it certainly is of none.
    """

    rows: Int
    references: tuple[int, ...]
    first: Int
    last: Int
    calls: tuple[tuple[int, ...], ...]
    eager: tuple[EagerOrigin | None, ...] = ()


class NearMiss(Struct, frozen=True, kw_only=True):
    """Launches that resemble the reference sequence number `reference` and are not it.

    `where` names them; `agree` of their `launches` stand as in the sequence. `place` is the first
    that differs, counted from 0, where `shown` ran and not `expected` (None: nothing, on either
    side).
    """

    reference: int
    where: str
    launches: int
    agree: int
    place: int
    shown: str | None
    expected: str | None


class ReferenceRuns(Struct, frozen=True, kw_only=True):
    """Reference sequences, whose calls are positions in the program, and where they were seen.

    `sources` are all runs that were given, `lacks` the commands that say what each one lacks;
    `missing` are graphs of theirs, by run, whose code the program does not have. `needed` says
    whether there were launches that no host side decides.
    """

    sequences: tuple[LearntSequence, ...] = ()
    sources: tuple[str, ...] = ()
    lacks: tuple[str | None, ...] = ()
    missing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    recognized: tuple[Recognized, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    needed: bool = False

    @classmethod
    def translate_runs(cls, learnt: Sequence[Learnt], program: CompiledProgram) -> ReferenceRuns:
        """What `learnt` says about `program`; the order of the runs does not matter."""
        runs = sorted(learnt, key=lambda run: run.source)
        same = [_find_counterparts(run, program) for run in runs]
        sequences = [_translate_sequences(*pair, program) for pair in zip(runs, same, strict=True)]
        # Code that was borrowed is the run's own, as far as any of it was seen to run.
        given = not all(graph.borrowed for graph in program.graphs)
        # Graphs of a run that have no counterpart here: its sequences of them teach nothing.
        missing = [
            (run.source, tuple(run.program.graphs[graph].id for graph in lacking))
            for run, graphs in zip(runs, same, strict=True)
            if given and (lacking := [graph for graph, alike in graphs.items() if not alike])
        ]
        return cls(
            sequences=tuple(chain.from_iterable(sequences)),
            sources=tuple(run.source for run in runs),
            lacks=tuple(run.lacks for run in runs),
            missing=tuple(missing),
        )

    def of_launch(self, row: int) -> tuple[Recognized, int] | None:
        """What launch `row` was recognized as a part of, and its position there."""
        for recognized in self.recognized:
            at = np.flatnonzero((recognized.rows == row).any(axis=0))
            if len(at):
                return recognized, int(at[0])
        return None

    def used_sequences(self) -> set[int]:
        """Numbers of the sequences that were recognized."""
        return {number for one in self.recognized for number in one.references}


def _find_counterparts(run: Learnt, program: CompiledProgram) -> dict[int, list[int]]:
    """The graphs that a run shows → the graphs of `program` that are the same."""
    calls = {call for one in run.sequences for launch in one.launches for call in launch.calls}
    graphs = sorted(set(run.program.graph_of_call[list(calls)].tolist()))
    return {graph: _find_same_graphs(run.program.graphs[graph], program) for graph in graphs}


def _translate_sequences(
    run: Learnt, graphs: Mapping[int, Sequence[int]], program: CompiledProgram
) -> Iterator[LearntSequence]:
    """The sequences of a run with the calls of `program`.

    None for those that keep no call, unless they show where eager work came from.
    """
    calls: dict[int, tuple[int, ...]] = {}
    # Position of a call in the run's program → its positions in the program at hand: the same
    # index in every graph that is the same.
    for graph, positions in graphs.items():
        first = run.program.first_call[graph]
        for index in range(len(run.program.graphs[graph].calls)):
            calls[first + index] = tuple(program.first_call[p] + index for p in positions)
    for sequence in run.sequences:
        launches = tuple(_with_calls(launch, calls) for launch in sequence.launches)
        if any(launch.calls or launch.eager is not None for launch in launches):
            yield replace(sequence, launches=launches, source=run.source)


def _with_calls(launch: LearntLaunch, of: Mapping[int, tuple[int, ...]]) -> LearntLaunch:
    calls = tuple(position for call in launch.calls for position in of.get(call, ()))
    return replace(launch, calls=calls, run=launch.run if calls else -1)


def borrowed_program(learnt: Sequence[Learnt]) -> CompiledProgram:
    """The graphs that the runs know, for a trace without code of its own: borrowed, each once."""
    graphs: list[CompiledGraph] = []
    for run in sorted(learnt, key=lambda run: run.source):
        program = CompiledProgram(graphs=tuple(graphs))
        names = {graph.id for graph in graphs}
        for graph in run.program.graphs:
            # Several runs of one code bring the same graph: it is taken once.
            if graph.calls and not _find_same_graphs(graph, program):
                name = free_name(graph.id, names)
                names.add(name)
                graphs.append(replace(graph, borrowed=True, id=name))
    files = dict.fromkeys(file for run in learnt for file in run.program.files)
    return CompiledProgram(graphs=tuple(graphs), files=tuple(files))


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, or the first of `name~2`, `name~3`, … that is free."""
    numbered = (f"{name}~{number}" for number in count(2))
    return next(free for free in chain((name,), numbered) if free not in taken)


def _find_same_graphs(graph: CompiledGraph, program: CompiledProgram) -> list[int]:
    """Positions of the graphs of `program` that are `graph`."""
    digests = [
        position
        for position, other in enumerate(program.graphs)
        if graph.digest is not None and other.digest == graph.digest
    ]
    # A digest decides where both sides have one; then statements and content hashes are compared.
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
        # A hash that one side lacks contradicts nothing.
        hashes = {kernel.hash for kernel in kernels if kernel and kernel.hash}
        if len(hashes) > 1:
            return False
    return bool(one.calls)
