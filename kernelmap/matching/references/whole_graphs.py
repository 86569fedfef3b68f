"""Replayed CUDA graphs that are a graph of a reference run, launch by launch, as a whole.

A bundle, or the capture of a CUDA graph, shows what the graph launches and for which calls
(learning.py); so does the trace at hand, where it holds the capture. A graph with the very same
names in the very same order is that graph: an argument that the model of launch sequences cannot
make, since graphs that launch the same are one to it, and a capture may not even have names.

Never exact: it is another run's evidence. Inferred where the place in the order leaves one call,
ambiguous where references fit alike that differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched, Noted, Outcome, candidates
from kernelmap.matching.context.learnt_code import Lesson
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.numbering import following, number_of_range
from kernelmap.matching.context.orders import Order, orders
from kernelmap.matching.context.transfers import OWN, Found
from kernelmap.matching.host_side.recorded_graphs import Calls, Launched, may_make
from kernelmap.matching.references.learning import lessons as learned_from
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    LaunchTokens,
    Reference,
    TokenTable,
    by_tokens,
    calls_at,
    embedded,
    tells,
)
from kernelmap.model import NONE, Activity, Confidence, Method
from kernelmap.model.trace import Int


class _Fit(NamedTuple):
    """A reference that a replayed graph is; the places (launches,) that each launch may have."""

    reference: Reference
    first: Int
    last: Int


def by_whole_graph(context: MatchContext, matched: Matched) -> Iterator[Outcome]:
    """Decide the launches of replayed graphs that references show as a whole."""
    sequences = list(orders(context, matched))
    if not sequences:
        return
    own = tuple(Lesson(sequence=each, source=OWN) for each in learned_from(context, matched))
    transfers = replace(matched.transfers, needed=True, lessons=(*matched.transfers.lessons, *own))
    comparer = _Comparer(context, transfers.lessons)
    found = [comparer.found(order) for order in sequences if order.whole]
    transfers = replace(transfers, found=tuple(each for each in found if each is not None))
    yield from _decided(context, matched, transfers.found)
    yield transfers


class _Comparer:
    """Holds replayed graphs against the references that are whole graphs."""

    def __init__(self, context: MatchContext, lessons: Sequence[Lesson]) -> None:
        self._lessons = lessons
        self._launches = context.trace.launches
        self._tokens = TokenTable(lessons, self._launches, context.program)
        self._calls = Calls.of(context.program)
        self._whole = [
            reference
            for reference in self._tokens.references
            if tells(reference) and lessons[reference.number].sequence.whole
        ]

    def found(self, order: Order) -> Found | None:
        """What a replayed graph is: the references with the fewest launches missing."""
        if not self._whole:
            return None
        text = LaunchTokens(self._tokens.of(order.rows), self._tokens.shapes(order.rows))
        fitting = []
        for reference in self._whole:
            places = embedded(len(order.rows), reference, self._stands(order, text, reference))
            if places is not None:
                fitting.append(_Fit(reference, *places))
        if not fitting:
            return None
        least = min(len(fit.reference) for fit in fitting)
        fitting = [fit for fit in fitting if len(fit.reference) == least]
        best = fitting[0]
        launches = self._lessons[best.reference.number].sequence.launches
        return Found(
            rows=order.copies,
            lessons=tuple(fit.reference.number for fit in fitting),
            first=best.first,
            last=best.last,
            calls=tuple(
                calls_at(
                    [
                        (
                            self._lessons[reference.number].sequence.launches,
                            range(int(first[at]), int(last[at]) + 1),
                            self._stands(order, text, reference),
                        )
                        for reference, first, last in fitting
                    ],
                    at,
                )
                for at in range(len(order.rows))
            ),
            runs=np.array([launches[place].run for place in best.first.tolist()], dtype=np.int64),
        )

    def _stands(
        self, order: Order, text: LaunchTokens, reference: Reference
    ) -> Callable[[int, int], bool]:
        """Whether a launch may stand at a place, also where the reference has no name there."""
        by_name = by_tokens(text, 0, reference)
        launches = self._lessons[reference.number].sequence.launches

        def stands(launch: int, place: int) -> bool:
            if int(reference.tokens[place]) != UNNAMED:
                return by_name(launch, place)
            row = int(order.rows[launch])
            learnt = launches[place]
            name = self._launches.names[int(self._launches.name_id[row])]
            seen = Launched(0, name, Activity(int(self._launches.activity[row])))
            if seen.activity is not learnt.activity:
                return False
            if self._calls.is_generated(seen):
                return bool(learnt.calls) and self._calls.may_run(learnt.calls, seen)
            # The place of a generated kernel is no library's.
            own = [call for call in learnt.calls if call not in self._calls.generated]
            return not learnt.calls or any(may_make(call, seen, self._calls) for call in own)

        return stands


def _decided(
    context: MatchContext, matched: Matched, findings: Sequence[Found]
) -> Iterator[Decided | Noted]:
    """Decide what was found; a launch for which the reference has no call stays open."""
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
