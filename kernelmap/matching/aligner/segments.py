"""Tells graphs that launch the same apart, such as equal layers, by their place in the step.

A model that is compiled in pieces runs a graph per layer, and all layers launch the same. Where
every step runs as many of them as there are, between two invocations of some other graph, the k-th
is the k-th in the program. Where that is not so their order changes, and nothing tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.model import NONE, CompiledProgram
from kernelmap.model.trace import Int, Launches

_ENOUGH = 2
"""Steps that have to have all of them: from one step alone no place in the step is known to
repeat."""
_SHARE = 0.8
"""And so many of the steps that the window does not cut: where the number of layers changes, the
place in the step tells nothing. With all of them, one lost layer undoes it. Chosen (docs/rules.md,
segments)."""


class _StepRun(Struct, frozen=True):
    """One invocation: its place among all in time, its class, and whether it is believed."""

    sequence: int
    copy: int
    run: int
    of: int
    first: int
    last: int
    believed: bool


_Cycle = list[list[_StepRun]]
"""The invocations of a step, each of which may be in several parts."""


def members_of(
    launches: Launches,
    program: CompiledProgram,
    sequences: Sequence[LaunchSequence],
    decisions: Sequence[Decisions],
    believed: Sequence[Decisions],
    sites: Sites,
) -> list[Int]:
    """Which member of its class each run is of: (copies, runs) per sequence, -1 where open.

    A run that is not `believed`, though it is among the `decisions`, has its place in the step.
    """
    # (copies, runs) per sequence: 0 for the only graph of a class, -1 where several are possible.
    members = [
        np.where(
            np.array([len(sites.members[of]) for of in decided.of_run.tolist()], dtype=np.int64)
            == 1,
            0,
            NONE,
        )
        * np.ones((sequence.times, 1), dtype=np.int64)
        for sequence, decided in zip(sequences, decisions, strict=True)
    ]
    several = [of for of, graphs in enumerate(sites.members) if len(graphs) > 1]
    if not several or not any((numbers == NONE).any() for numbers in members):
        return members
    for runs in _in_order(launches, sequences, decisions, believed):
        for of in several:
            # Backward graphs run in the reverse order of the layers.
            backward = program.graphs[sites.members[of][0]].kind == "backward"
            for run, member in _place_in_step(runs, of, len(sites.members[of])):
                if run.of == of:
                    layer = len(sites.members[of]) - 1 - member if backward else member
                    members[run.sequence][run.copy, run.run] = layer
    return members


def _in_order(
    launches: Launches,
    sequences: Sequence[LaunchSequence],
    decisions: Sequence[Decisions],
    believed: Sequence[Decisions],
) -> list[list[_StepRun]]:
    """All invocations in order of time: those of each sequence, and those of all replays."""
    groups: dict[tuple[int, int], list[tuple[int, _StepRun]]] = {}
    for number, (sequence, decided, kept) in enumerate(
        zip(sequences, decisions, believed, strict=True)
    ):
        # The first and the last launch of each invocation, as positions in the sequence.
        placed = np.flatnonzero(decided.run >= 0)
        if not len(placed):
            continue
        there, first = np.unique(decided.run[placed], return_index=True)
        last = np.append(first[1:], len(placed)) - 1
        first, last = placed[first], placed[last]
        process = int(launches.process[sequence.order.rows[0]])
        # Replays of all graphs of a process are one row of invocations, by their time; any other
        # sequence is a row by itself, by position.
        key = (process, NONE if sequence.order.whole else number)
        group = groups.setdefault(key, [])
        for copy, rows in enumerate(sequence.order.copies):
            for run, begin, end in zip(there.tolist(), first.tolist(), last.tolist(), strict=True):
                shown = rows[begin : end + 1]
                shown = shown[shown >= 0]
                # A replay may have lost all launches of an invocation: it has no time then.
                if len(shown):
                    time = int(launches.start_ns[shown].min()) if sequence.order.whole else begin
                    entry = _StepRun(
                        number,
                        copy,
                        run,
                        int(decided.of_run[run]),
                        int(decided.site[begin]),
                        int(decided.site[end]),
                        bool(kept.run[begin] >= 0),
                    )
                    group.append((time, entry))
    return [
        [run for _, run in sorted(group, key=lambda entry: entry[0])] for group in groups.values()
    ]


def _place_in_step(runs: Sequence[_StepRun], of: int, count: int) -> list[tuple[_StepRun, int]]:
    """The runs of class `of`, each with its place among the `count` of its step, as far as told."""
    # Any other graph may mark where steps begin: the one that gives most invocations a place does.
    others = sorted({run.of for run in runs} - {of})
    best: list[tuple[_StepRun, int]] = []
    for marker in others:
        cycles = _find_cycles(runs, of, marker)
        kept_of_cycle = [_believed_of(cycle) for cycle in cycles]
        # The first and the last cycle are cut by the window: they prove nothing.
        whole = sum(len(cycle) == count for cycle in kept_of_cycle[1:-1])
        if whole < _ENOUGH or whole < _SHARE * len(kept_of_cycle[1:-1]):
            continue
        placed: list[tuple[_StepRun, int]] = []
        for number, (cycle, kept) in enumerate(zip(cycles, kept_of_cycle, strict=True)):
            if len(kept) == count:
                placed += _number_from(0, kept)
                continue
            # A step that does not come out: counted from its beginning up to the first invocation
            # that is doubted, and from its end back to the last one. Of four layers, with one that
            # is doubted, l l ? l are 0 1 ? 3.
            ahead, behind = _cut_at_doubts(cycle)[:count], _cut_at_doubts(cycle[::-1])[:count][::-1]
            # Both ends together are more than a step has: one of them is wrong.
            if len(ahead) + len(behind) > count and 0 < number < len(cycles) - 1:
                continue
            # The first cycle has no beginning to count from, the last one no end. In a whole step
            # that has too few layers, and none that is doubted, nothing has a place.
            if number > 0 and (len(ahead) < len(cycle) or number == len(cycles) - 1):
                placed += _number_from(0, ahead)
            if number < len(cycles) - 1 and (len(behind) < len(cycle) or number == 0):
                placed += _number_from(count - len(behind), behind)
        if len(placed) > len(best):
            best = placed
    return best


def _believed_of(cycle: _Cycle) -> _Cycle:
    """The invocations that are believed."""
    return [parts for parts in cycle if parts[0].believed]


def _number_from(place: int, kept: _Cycle) -> list[tuple[_StepRun, int]]:
    """Invocations in a row, the first of which has a place."""
    return [(run, at) for at, parts in enumerate(kept, place) for run in parts]


def _cut_at_doubts(cycle: _Cycle) -> _Cycle:
    """The invocations of a cycle that the window cuts, up to one that may be none."""
    return list(takewhile(lambda parts: parts[0].believed, cycle))


def _find_cycles(runs: Sequence[_StepRun], of: int, marker: int) -> list[_Cycle]:
    """The invocations of class `of` between those of `marker`, and those that are doubted."""
    cycles: list[_Cycle] = [[]]
    before: _StepRun | None = None
    for run in runs:
        # An invocation in two parts goes on at a later call of its graph: it has one place.
        goes_on = before is not None and before.of == run.of and run.first > before.last
        if run.of == marker and run.believed:
            if not goes_on:
                cycles.append([])
        elif run.of == of or not run.believed:
            if goes_on and cycles[-1] and cycles[-1][-1][-1] is before:
                cycles[-1][-1].append(run)
            else:
                cycles[-1].append([run])
        before = run
    return cycles
