"""The numbers of invocations that have no host side: they follow those that have one."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from kernelmap.matching.draft import Draft
from kernelmap.matching.learnt_code import graphs_of_calls
from kernelmap.matching.situation import Situation


def following(situation: Situation, draft: Draft) -> dict[tuple[int, int], int]:
    """The next number per process and graph, after all that are given so far."""
    counted: dict[tuple[int, int], int] = defaultdict(int)
    for each in situation.invocations:
        if each.number >= 0:
            slot = (each.group.process, each.identity.graphs[0])
            counted[slot] = max(counted[slot], each.number + 1)
    rows = np.flatnonzero((draft.call >= 0) & (draft.invocation >= 0))
    graph = graphs_of_calls(situation.program)[draft.call[rows]]
    process = situation.trace.launches.process[rows]
    key = process * (len(situation.program.graphs) + 1) + graph
    _, of = np.unique(key, return_inverse=True)
    most = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, of, draft.invocation[rows] + 1)
    for one in np.unique(of, return_index=True)[1].tolist():
        slot = int(process[one]), int(graph[one])
        counted[slot] = max(counted[slot], int(most[of[one]]))
    return counted
