"""Launches of one graph → slices of calls, and slices → lanes in which none overlaps another.

A viewer drops or moves a slice that sticks out of another one of its track, and shows one that lies
in another as a part of it, so calls that ran at the same time stand in lanes of their own.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from kernelmap.model import Matching
from kernelmap.model.groups import group_starts
from kernelmap.model.trace import Int, Launches, Small


@dataclass(frozen=True, slots=True, kw_only=True)
class Slices:
    """Runs of calls, ordered by start, all (n,).

    `first` is a launch of each, `count` the number of its launches, `confidence` the weakest.
    """

    start_ns: Int
    end_ns: Int
    first: Int
    count: Int
    confidence: Small


def stretches(launches: Launches, matching: Matching, rows: Int) -> Slices:
    """Launches (`rows`, at least one) of a call that follow one another on a stream, as one slice.

    So a call in a loop has a slice per turn, if other calls run in between.
    """
    keys = (
        launches.process[rows],
        launches.stream[rows],
        matching.call[rows],
        matching.invocation[rows],
    )
    start = launches.start_ns[rows]
    order = np.lexsort((rows, start, keys[1], keys[0]))
    begins = group_starts([key[order] for key in keys])
    end = (start + launches.dur_ns[rows])[order]
    found = Slices(
        start_ns=start[order][begins],
        end_ns=np.maximum.reduceat(end, begins),
        first=rows[order][begins],
        count=np.diff(np.append(begins, len(rows))),
        confidence=np.maximum.reduceat(matching.confidence[rows][order], begins),
    )
    by_time = np.lexsort((found.first, found.start_ns))
    return Slices(
        start_ns=found.start_ns[by_time],
        end_ns=found.end_ns[by_time],
        first=found.first[by_time],
        count=found.count[by_time],
        confidence=found.confidence[by_time],
    )


def lanes_of(start_ns: Int, end_ns: Int) -> list[Int]:
    """Positions of the slices in each lane; `start_ns` ascends, a slice takes the first free lane.

    >>> [lane.tolist() for lane in lanes_of(np.array([0, 2, 5]), np.array([5, 4, 6]))]
    [[0, 2], [1]]
    """
    lanes: list[list[int]] = []
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    for at, (start, end) in enumerate(zip(start_ns.tolist(), end_ns.tolist(), strict=True)):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(lanes)
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append(at)
        heapq.heappush(busy, (end, lane))
    return [np.array(lane, dtype=np.int64) for lane in lanes]
