"""Findings of lessons → decisions, with the numbers of their invocations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched, Noted, candidates
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.numbering import following, number_of_range
from kernelmap.matching.context.transfers import Found
from kernelmap.model import NONE, Confidence, Method
from kernelmap.model.trace import Int


def decided_by_lessons(
    context: MatchContext, matched: Matched, findings: Sequence[Found]
) -> Iterator[Decided | Noted]:
    """Decide what the findings say; a launch for which the lesson has no call stays open."""
    numbers = _numbers(context, matched, findings)
    for found, number in zip(findings, numbers, strict=True):
        call = np.array([own[0] if len(own) == 1 else NONE for own in found.calls], dtype=np.int64)
        several = np.array([len(own) > 1 for own in found.calls], dtype=bool)
        for rows, own in zip(found.rows, number, strict=True):
            shown = rows >= 0
            sure = shown & (call >= 0)
            yield Decided(
                rows[sure],
                Confidence.INFERRED,
                call=call[sure],
                invocation=own[sure],
                method=Method.TRANSFER,
            )
            for place in np.flatnonzero(shown & several).tolist():
                row, calls = rows[place : place + 1], found.calls[place]
                why = context.why_several(int(row[0]), calls)
                yield candidates(row, calls, why, invocation=int(own[place]))
            yield Noted(rows[shown], own[shown])


def _numbers(context: MatchContext, matched: Matched, findings: Sequence[Found]) -> list[Int]:
    """The invocation of each launch of each finding: shape (times, launches), -1 without.

    That of the graph range in which a graph was launched; others are counted per process and graph
    in order of time, after those that have a host side.
    """
    counted = following(context, matched)
    graph_of = context.program.graph_of_call
    launches, time_ns = context.trace.launches, context.trace.launch_time_ns
    numbers: list[Int] = []
    begun: list[tuple[int, int, int, int, int, int, int]] = []
    for at, found in enumerate(findings):
        numbers.append(np.full(found.rows.shape, NONE, dtype=np.int64))
        graphs: dict[int, set[int]] = defaultdict(set)
        for run, own in zip(found.runs.tolist(), found.calls, strict=True):
            graphs[run].update(graph_of[list(own)].tolist())
        for copy, rows in enumerate(found.rows):
            shown = rows[rows >= 0]
            if not len(shown):
                continue
            process, start = int(launches.process[shown[0]]), int(time_ns[shown].min())
            for run, own_graphs in graphs.items():
                own = rows[(found.runs == run) & (rows >= 0)]
                # Of which graph it is the n-th invocation has to be known.
                if run >= 0 and len(own) and len(own_graphs) == 1:
                    began, (graph,) = int(launches.start_ns[own].min()), own_graphs
                    once = sum(graph in others for others in graphs.values()) == 1
                    number = number_of_range(context, int(own[0]), graph) if once else NONE
                    if number >= 0:
                        numbers[at][copy][(found.runs == run) & (rows >= 0)] = number
                        continue
                    begun.append((start, began, process, graph, at, copy, run))
    for _, _, process, graph, at, copy, run in sorted(begun):
        own = np.equal(findings[at].runs, run) & (findings[at].rows[copy] >= 0)
        numbers[at][copy][own] = counted[process, graph]
        counted[process, graph] += 1
    return numbers
