"""Launches without a host side of their own: found by their order among the other launches.

Takes what stronger evidence left open: bare GPU rows, and the launches that a CUDA or HIP graph
replays. Each process' launches, in launch order, are one sequence, and so are those of each graph
that is replayed (walks.py). decode.py finds the spots of the generated kernels in it, runs.py cuts
it into invocations, believe.py holds these against each other, and gaps.py divides the launches
between two spots over the library calls that the code has there.

Never exact. Inferred where one answer is clearly ahead and most of the invocation was seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernelmap.matching.alignment.answers import CLEAR
from kernelmap.matching.alignment.believe import believe
from kernelmap.matching.alignment.between import Between
from kernelmap.matching.alignment.gaps import Owned, library_launches
from kernelmap.matching.alignment.learnt_runs import bounded_runs, known_numbers, still_open
from kernelmap.matching.alignment.spots import Spots, spots_of
from kernelmap.matching.alignment.walks import Walk, walks_of
from kernelmap.matching.situation.draft import Draft
from kernelmap.matching.situation.numbering import following, number_of_range
from kernelmap.matching.situation.situation import Situation
from kernelmap.model import NONE, Confidence, Method, Reason
from kernelmap.model.trace import Bool, Int


def by_alignment(situation: Situation, draft: Draft) -> None:
    """Decide open launches by their order."""
    spots = spots_of(situation.program)
    walks = walks_of(situation, draft, spots) if len(spots) else []
    if not walks:
        return
    between = Between(situation.program, spots)
    believe(walks, spots, situation.trace.launches.names, between)
    numbers = _numbers(situation, draft, walks)
    for walk, number, owned in zip(
        walks, numbers, library_launches(situation.program, spots, walks), strict=True
    ):
        told = bounded_runs(draft, walk)
        left = replace(walk, copies=still_open(draft, walk.copies))
        _settle_spots(situation, draft, spots, left, number, told)
        _settle_libraries(draft, left, owned, number, told)


def _numbers(situation: Situation, draft: Draft, walks: Sequence[Walk]) -> list[Int]:
    """The number of each believed run of each copy of each walk: shape (copies, runs).

    That of the graph range in which a graph was launched; others are counted per process and graph
    in order of time, after those that have a host side.
    """
    counted = following(situation, draft)
    process, time_ns = situation.trace.launches.process, situation.trace.launches.start_ns
    found: list[tuple[int, int, int, int, int]] = []
    numbers = []
    for at, walk in enumerate(walks):
        runs = walk.runs
        numbers.append(known_numbers(draft, walk))
        graphs, firsts = runs.graph.tolist(), walk.at[runs.first].tolist()
        owner = int(process[walk.rows[0]])
        for copy, rows in enumerate(walk.copies):
            shown = rows[rows >= 0]
            begin = int(time_ns[shown[0]]) if len(shown) else 0
            for run in np.flatnonzero(runs.believable & (numbers[at][copy] < 0)).tolist():
                row = int(rows[firsts[run]])
                if row >= 0 and graphs.count(graphs[run]) == 1:
                    numbers[at][copy, run] = number_of_range(situation, row, graphs[run])
                    if numbers[at][copy, run] >= 0:
                        continue
                when = int(time_ns[row]) if row >= 0 else begin
                found.append((when, owner, graphs[run], at, copy * len(runs) + run))
    for _, owner, graph, at, run in sorted(found):
        numbers[at].flat[run] = counted[owner, graph]
        counted[owner, graph] += 1
    return numbers


def _settle_spots(
    situation: Situation, draft: Draft, spots: Spots, walk: Walk, number: Int, told: Bool
) -> None:
    """Decide the launches under known names, but for those beside a run that is `told` whole."""
    answers, runs = walk.answers, walk.runs
    placed = runs.of >= 0
    believed = placed & np.append(runs.believable, False)[runs.of]  # the last is that of strays
    clear = believed & (answers.margin >= CLEAR)
    call = np.append(spots.call, NONE)
    # The last number is that of strays.
    numbered = np.concatenate([number, np.full((len(number), 1), NONE)], axis=1)
    open_ = {
        place: tuple(dict.fromkeys(spots.call[spot] for spot in several))
        for place, several in answers.several.items()
        if placed[place] and not clear[place] and len(several) > 1
    }
    for rows, own, whole in zip(walk.copies[:, walk.at], numbered, told[:, runs.of], strict=True):
        shown = rows >= 0
        sure = clear & ~whole
        draft.invocation[rows[shown]] = np.where(whole, NONE, own[runs.of])[shown]
        draft.call[rows[shown]] = np.where(sure, call[answers.spot], NONE)[shown]
        draft.settle(rows[shown & sure], Confidence.INFERRED, method=Method.ALIGNMENT)
        # A stray is a benchmark, or belongs to code that was not given.
        rest = rows[shown & ~sure]
        draft.settle(rest, Confidence.UNKNOWN, reason=Reason.NO_PLACE)
        for place, calls in open_.items():
            if rows[place] >= 0 and not whole[place]:
                row = rows[place : place + 1]
                draft.leave(row, calls, situation.why_several(int(row[0]), calls))
        draft.note_second(rows[shown], call[answers.second][shown], answers.margin[shown])


def _settle_libraries(draft: Draft, walk: Walk, owned: Owned, number: Int, told: Bool) -> None:
    """Decide the launches between spots, but for those beside a run that is `told` whole."""
    clear = owned.call >= 0
    numbered = np.concatenate([number, np.full((len(number), 1), NONE)], axis=1)
    for copy, own, whole in zip(walk.copies, numbered, told[:, owned.run], strict=True):
        rows = copy[owned.place]
        shown = (rows >= 0) & ~whole
        beside = set(owned.place[whole].tolist())
        draft.invocation[rows[shown]] = own[owned.run][shown]
        sure = shown & clear
        draft.call[rows[sure]] = owned.call[sure]
        draft.settle(rows[sure], Confidence.INFERRED, method=Method.ALIGNMENT)
        for place, calls in owned.several.items():
            if (row := int(copy[place])) >= 0 and place not in beside:
                draft.name(row, calls)
        draft.settle(
            rows[shown & ~clear],
            Confidence.AMBIGUOUS,
            method=Method.CANDIDATES,
            reason=Reason.NO_PLACE,
        )
