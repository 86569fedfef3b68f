"""Answers in launch order → invocations: walks through one graph, from its start to its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelmap.matching.alignment.answers import Answers
from kernelmap.matching.alignment.spots import Spots
from kernelmap.model.trace import Bool, Int


@dataclass(frozen=True, slots=True)
class Runs:
    """The invocations of one sequence.

    `of` has the run of each launch under a known name, -1 at strays. The others are columns over
    runs: the graph, the first and the last such launch, and whether to believe the run (believe.py
    decides that).
    """

    of: Int
    graph: Int
    first: Int
    last: Int
    believable: Bool

    def __len__(self) -> int:
        return len(self.graph)


def runs_of(answers: Answers, spots: Spots) -> Runs:
    """Cut one sequence into invocations.

    Two graphs may take turns (two threads): a run goes on as long as its graph's spots follow.
    """
    placed = np.flatnonzero(answers.spot >= 0)
    spot = answers.spot[placed]
    graph = np.array(spots.graph, dtype=np.int64)[spot]
    loop = np.array(spots.loop, dtype=np.int64)[spot]
    by_graph = np.argsort(graph, kind="stable")
    follows = np.zeros(len(placed), dtype=bool)
    one, other = by_graph[:-1], by_graph[1:]
    looped = (loop[one] >= 0) & (loop[one] == loop[other])
    follows[other] = (graph[one] == graph[other]) & ((spot[other] > spot[one]) | looped)
    run = np.empty(len(placed), dtype=np.int64)
    run[by_graph] = np.cumsum(~follows[by_graph]) - 1
    # Numbered by their first launch.
    _, first, run = np.unique(run, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    run = rank[run]
    last = np.zeros(len(order), dtype=np.int64)
    last[run] = np.arange(len(placed))
    of = np.full(len(answers), -1, dtype=np.int64)
    of[placed] = run
    return Runs(
        of=of,
        graph=graph[first[order]],
        first=placed[first[order]],
        last=placed[last],
        believable=np.ones(len(order), dtype=bool),
    )
