"""A correlation as what a trace viewer shows: facts per launch, and a track of calls per graph.

Takes records, gives `EventFacts` and `Track`s of one trace file, whose writer is fed with them.
Facts bear the names of the tables' columns; what is not known is left out. All launches get facts,
on either side and in every step. Left out of the tracks: launches that belong to no single call.

A viewer drops or moves a slice that sticks out of another one of its track, and shows one that lies
in another as a part of it, so calls that ran at the same time stand in lanes of their own.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property

import numpy as np
from msgspec import Struct

from kernelmap.attribution.records import Attribution
from kernelmap.model import NONE, CompiledProgram, Confidence, Matching, Method, Reason, Trace
from kernelmap.model.annotations import EventFacts, Members, Track
from kernelmap.model.columns import group_starts
from kernelmap.model.roofline import CallSpeed, Roofline
from kernelmap.model.trace import Int, Launches, Small
from kernelmap.pages.rates import rates_of_call, rates_of_launch
from kernelmap.pages.text import make_visible

_ROWS = 1 << 14  # of columns that are Python numbers at a time
_ABOVE_GPUS = 4_999_000
"""Among the processes: behind the host's, which Kineto sorts by pid, before the GPUs."""


class _LaunchKind(Struct, frozen=True):
    """What is known of like launches.

    `speed` is that of their call where a launch is a whole execution of it: then its duration says
    how fast it was.
    """

    facts: Members
    speed: CallSpeed | None


class Annotations(Struct, frozen=True, dict=True):
    """All that can be said in the files of one trace."""

    program: CompiledProgram
    trace: Trace
    matching: Matching
    attribution: Attribution
    roofline: Roofline | None = None

    def of_events(self, file: int) -> EventFacts:
        """Facts for the launches of `trace.sources[file]`."""
        launches = self.trace.launches
        rows = self._rows_of_file(file)
        rows = rows[np.argsort(launches.event[rows], kind="stable")]
        return EventFacts(
            event=launches.event[rows],
            name_id=launches.name_id[rows],
            names=launches.names,
            facts=self.of_launches(rows),
        )

    def of_launches(self, rows: Int) -> Iterator[Members]:
        """What is known of each of these launches."""
        # Most launches agree in all but invocation and duration, so what is known of such a kind is
        # made once.
        kind_of, matching = cache(self._kind_of_row), self.matching
        # All columns are (launches,), of the whole trace; `rows` chooses.
        candidate_counts = np.diff(matching.candidate_start)
        columns = (
            np.arange(len(candidate_counts)),
            candidate_counts,
            matching.call,
            self.attribution.outside_op.code,
            matching.method,
            matching.confidence,
            matching.reason,
            matching.invocation,
            self.trace.launches.dur_ns,
        )
        for row, count, *words, invocation, dur_ns in _in_stretches(rows, columns):
            candidates = matching.candidates_of(row) if count else ()
            kind = kind_of(tuple(words), candidates)
            rates = rates_of_launch(kind.speed, dur_ns) if kind.speed else {}
            yield {**kind.facts, **rates, **_of_invocation(invocation)}

    def _kind_of_row(self, numbers: tuple[int, ...], candidates: tuple[int, ...]) -> _LaunchKind:
        """What is known of all launches with these numbers of call, outer operator and words."""
        call, outside, method, confidence, reason = numbers
        # An ambiguous launch still has a wrapper, if all of its candidates have the same one.
        shared = {self.program.calls[candidate][1].wrapper for candidate in candidates}
        words: dict[str, object] = {
            "confidence": Confidence(confidence).name.lower(),
            "method": Method(method).name.lower() if method else None,
            "reason": Reason(reason).name.lower() if reason else None,
            "op": self.attribution.outside_op.names[outside] if outside >= 0 else None,
            "candidates": [self.program.call_id(candidate) for candidate in candidates],
        }
        of_call = self._of_call(call) or {"wrapper": shared.pop() if len(shared) == 1 else None}
        facts, speed = _known({**of_call, **words}), self._speeds.get(call)
        # A launch that is not just one execution of its call, as where an execution launches twice:
        # its duration says nothing of the speed, so the rates of the whole call are told.
        if speed is None or speed.executions != self._launched.get(call):
            return _LaunchKind({**facts, **rates_of_call(speed)}, None)
        return _LaunchKind(facts, speed)

    def iter_tracks(self, file: int) -> Iterator[Track]:
        """The calls of `trace.sources[file]`, by device and graph; where they overlap, in lanes."""
        launches, matching = self.trace.launches, self.matching
        rows = self._rows_of_file(file)
        rows = rows[matching.call[rows] >= 0]
        # The graph of each launch, by the position of its call.
        graph = np.searchsorted(self.program.first_call, matching.call[rows], side="right") - 1
        for device in np.unique(launches.device[rows]).tolist():
            for number in np.unique(graph[launches.device[rows] == device]).tolist():
                of_graph = rows[(launches.device[rows] == device) & (graph == number)]
                yield from self._graph_tracks(
                    of_graph, device, make_visible(self.program.graphs[number].id)
                )

    def _graph_tracks(self, rows: Int, device: int, graph: str) -> Iterator[Track]:
        slices = join_stretches(self.trace.launches, self.matching, rows)
        for lane, of_lane in enumerate(lanes_of(slices.start_ns, slices.end_ns)):
            # Names and facts of a slice are those of its first launch; the weakest confidence
            # counts for all.
            first, count = slices.first[of_lane], slices.count[of_lane]
            weakest, calls = slices.confidence[of_lane], self.matching.call[first]
            yield Track(
                process="kernelmap: calls on " + (f"GPU {device}" if device >= 0 else "the CPU"),
                thread=graph if lane == 0 else f"{graph} ({lane + 1})",
                sort=_ABOVE_GPUS + max(device, NONE) + 1,
                start_ns=slices.start_ns[of_lane],
                dur_ns=slices.end_ns[of_lane] - slices.start_ns[of_lane],
                names=map(self._wrappers.__getitem__, calls.tolist()),
                facts=self._of_slices(first, count, weakest),
            )

    def _of_slices(self, rows: Int, launches: Int, weakest: Small) -> Iterator[Members]:
        """What is known of slices with so many launches, of which `rows` are the first."""
        of_slice = cache(self._of_slice)
        columns = (self.matching.call[rows], launches, weakest, self.matching.invocation[rows])
        for call, count, confidence, invocation in _in_stretches(np.arange(len(rows)), columns):
            yield {**of_slice(call, count, confidence), **_of_invocation(invocation)}

    def _of_slice(self, call: int, launches: int, confidence: int) -> Members:
        sure = {"confidence": Confidence(confidence).name.lower(), "launches": launches}
        return {**_known({**self._of_call(call), **sure}), **rates_of_call(self._speeds.get(call))}

    @cached_property
    def _wrappers(self) -> list[str]:
        """The wrapper of each call, for a viewer."""
        return [make_visible(call.wrapper) for _, call in self.program.calls]

    @cached_property
    def _speeds(self) -> Mapping[int, CallSpeed]:
        return {speed.call: speed for speed in self.roofline.calls} if self.roofline else {}

    @cached_property
    def _launched(self) -> Mapping[int | None, int]:
        """How many launches each call has in the window."""
        return {row.call: row.launches for row in self.attribution.calls}

    def _rows_of_file(self, file: int) -> Int:
        # The file of each process, and by it the launches that this file holds.
        files = np.array([process.trace for process in self.trace.processes], dtype=np.int64)
        return np.flatnonzero(np.equal(files[self.trace.launches.process], file))

    def _of_call(self, call: int) -> dict[str, object]:
        if call < 0:
            return {}
        attribution = self.attribution
        lines = attribution.call_lines[call]
        return {
            "call": self.program.call_id(call),
            "wrapper": self.program.calls[call][1].wrapper,
            "ops": attribution.call_ops[call],
            "nodes": attribution.call_nodes[call],
            "source": list(dict.fromkeys(f"{line.file}:{line.line}" for line in lines)),
        }


def _known(facts: Members) -> Members:
    """Facts without what is not known."""
    return {name: _make_visible(fact) for name, fact in facts.items() if fact not in (None, (), [])}


def _of_invocation(invocation: int) -> Members:
    return {} if invocation < 0 else {"invocation": invocation}


def _in_stretches(rows: Int, columns: Sequence[Int | Small]) -> Iterator[tuple[int, ...]]:
    """Each of `rows` of the columns, as Python numbers."""
    for at in range(0, len(rows), _ROWS):
        some = rows[at : at + _ROWS]
        yield from zip(*(column[some].tolist() for column in columns), strict=True)


def _make_visible(fact: object) -> object:
    if isinstance(fact, str):
        return make_visible(fact)
    return [make_visible(str(part)) for part in fact] if isinstance(fact, list | tuple) else fact


class Slices(Struct, frozen=True, kw_only=True):
    """Runs of calls, ordered by start, all (n,).

    `first` is a launch of each, `count` the number of its launches, `confidence` the weakest.
    """

    start_ns: Int
    end_ns: Int
    first: Int
    count: Int
    confidence: Small


def join_stretches(launches: Launches, matching: Matching, rows: Int) -> Slices:
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
    # Along each stream by time. A slice begins where process, stream, call or invocation changes.
    order = np.lexsort((rows, start, keys[1], keys[0]))
    begins = group_starts([key[order] for key in keys])
    end = (start + launches.dur_ns[rows])[order]
    slices = Slices(
        start_ns=start[order][begins],
        end_ns=np.maximum.reduceat(end, begins),
        first=rows[order][begins],
        count=np.diff(np.append(begins, len(rows))),
        # The stronger a confidence, the smaller its number.
        confidence=np.maximum.reduceat(matching.confidence[rows][order], begins),
    )
    # Until here slices stand stream by stream; lanes need them by start, over all streams.
    by_time = np.lexsort((slices.first, slices.start_ns))
    return Slices(
        start_ns=slices.start_ns[by_time],
        end_ns=slices.end_ns[by_time],
        first=slices.first[by_time],
        count=slices.count[by_time],
        confidence=slices.confidence[by_time],
    )


def lanes_of(start_ns: Int, end_ns: Int) -> list[Int]:
    """Positions of the slices in each lane; `start_ns` ascends, a slice takes the first free lane.

    >>> [lane.tolist() for lane in lanes_of(np.array([0, 2, 5]), np.array([5, 4, 6]))]
    [[0, 2], [1]]
    """
    # Nothing overlaps, as is usual on one stream: one lane.
    if (start_ns[1:] >= end_ns[:-1]).all():
        return [np.arange(len(start_ns))] if len(start_ns) else []
    lanes: list[list[int]] = []
    # Heaps: the lanes in use by their end, and the lanes that are free, the lowest first.
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    for at, (start, end) in enumerate(zip(start_ns.tolist(), end_ns.tolist(), strict=True)):
        # Lanes whose slice has ended by now are free.
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else len(lanes)
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append(at)
        heapq.heappush(busy, (end, lane))
    return [np.array(lane, dtype=np.int64) for lane in lanes]
