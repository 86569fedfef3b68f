"""Which of several graphs that launch the same an invocation is of: its place in the step tells.

A model that is compiled in pieces runs a graph per layer, and all layers launch the same. Where
every step runs as many of them as there are, between two invocations of some other graph, the k-th
is the k-th in the program. Where that is not so their order changes, and nothing tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.model import NONE, CompiledProgram
from kernelmap.model.trace import Int, Launches

_ENOUGH = 2
"""Steps that have to have all of them."""
_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class _Run:
    """One invocation: where it stands among all, in order of time."""

    sequence: int
    copy: int
    run: int
    of: int
    first: int
    last: int


def members_of(
    launches: Launches,
    program: CompiledProgram,
    sequences: Sequence[LaunchSequence],
    decisions: Sequence[Decisions],
    sites: Sites,
) -> list[Int]:
    """Which member of its class each run is of: (copies, runs) per sequence, -1 where open."""
    found = [
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
    if not several or not any((each == NONE).any() for each in found):
        return found
    for runs in _in_order(launches, sequences, decisions):
        for of in several:
            backward = program.graphs[sites.members[of][0]].kind == "backward"
            for run, member in _placed(runs, of, len(sites.members[of])):
                own = len(sites.members[of]) - 1 - member if backward else member
                found[run.sequence][run.copy, run.run] = own
    return found


def _in_order(
    launches: Launches, sequences: Sequence[LaunchSequence], decisions: Sequence[Decisions]
) -> list[list[_Run]]:
    """All invocations in order of time: those of each sequence, and those of all replays."""
    groups: dict[tuple[int, int], list[tuple[int, _Run]]] = {}
    for number, (sequence, decided) in enumerate(zip(sequences, decisions, strict=True)):
        placed = np.flatnonzero(decided.run >= 0)
        if not len(placed):
            continue
        there, first = np.unique(decided.run[placed], return_index=True)
        last = np.append(first[1:], len(placed)) - 1
        first, last = placed[first], placed[last]
        process = int(launches.process[sequence.order.rows[0]])
        key = (process, NONE if sequence.order.whole else number)
        own = groups.setdefault(key, [])
        for copy, rows in enumerate(sequence.order.copies):
            for run, begin, end in zip(there.tolist(), first.tolist(), last.tolist(), strict=True):
                shown = rows[begin : end + 1]
                shown = shown[shown >= 0]
                if len(shown):
                    time = int(launches.start_ns[shown].min()) if sequence.order.whole else begin
                    each = _Run(
                        number,
                        copy,
                        run,
                        int(decided.of_run[run]),
                        int(decided.site[begin]),
                        int(decided.site[end]),
                    )
                    own.append((time, each))
    return [[run for _, run in sorted(own, key=lambda each: each[0])] for own in groups.values()]


def _placed(runs: Sequence[_Run], of: int, count: int) -> list[tuple[_Run, int]]:
    """The runs of class `of`, each with its place among the `count` of its step, as far as told."""
    others = sorted({run.of for run in runs} - {of})
    best: list[tuple[_Run, int]] = []
    for marker in others:
        cycles = _cycles(runs, of, marker)
        inner = cycles[1:-1]
        whole = sum(len(cycle) == count for cycle in inner)
        if whole < _ENOUGH or whole < _SHARE * len(inner):
            continue
        placed: list[tuple[_Run, int]] = []
        for number, cycle in enumerate(cycles):
            begin, kept = 0, cycle
            if number == 0 and len(cycle) < count:
                kept = _unbroken(cycle[::-1])[::-1]
                begin = count - len(kept)
            elif number == len(cycles) - 1 and len(cycle) < count:
                kept = _unbroken(cycle)
            elif len(cycle) != count:
                continue
            placed += [(run, begin + at) for at, parts in enumerate(kept) for run in parts]
        if len(placed) > len(best):
            best = placed
    return best


def _unbroken(cycle: list[list[_Run]]) -> list[list[_Run]]:
    """The invocations of a cycle that the window cuts, up to where one may be missing."""
    for at, (one, other) in enumerate(pairwise(cycle)):
        apart = [
            abs(here.run - there.run)
            for here in one
            for there in other
            if (here.sequence, here.copy) == (there.sequence, there.copy)
        ]
        if min(apart, default=1) > 1:
            return cycle[: at + 1]
    return cycle


def _cycles(runs: Sequence[_Run], of: int, marker: int) -> list[list[list[_Run]]]:
    """The invocations of class `of` between those of `marker`; one may be in several parts."""
    cycles: list[list[list[_Run]]] = [[]]
    before: _Run | None = None
    for run in runs:
        if run.of == marker and not (before and before.of == marker and run.first > before.last):
            cycles.append([])
        elif run.of == of:
            goes_on = before is not None and before.of == of and run.first > before.last
            if goes_on and cycles[-1]:
                cycles[-1][-1].append(run)
            else:
                cycles[-1].append([run])
        before = run
    return cycles
