"""Host events, thread by thread → what the host does at every moment, as a cause of idleness.

Taken: the ranges and api calls of threads that launch on a GPU. Of what a thread has open at a time
the strongest cause counts: a launch inside of a compilation belongs to the compilation. While the
thread that launches next has nothing open, it waits for another one (as autograd's thread waits for
the one that calls backward), and what that one does counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from kernelmap.matching.host_side.recording import capture_spans
from kernelmap.model import NONE, Activity, Trace
from kernelmap.model.columns import pair_columns
from kernelmap.model.intervals import Spans, unite_intervals, unite_spans
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import IdleCause, Remark
from kernelmap.speed.wall.changes import Changes, Layer, lay_over, put_over, take_strongest
from kernelmap.speed.wall.host_events import HostEvents

LONG_NS = 100_000
"""What launches nothing and takes longer is work of the host, not of launching. In the samples of
an H200 an api call that launches takes 7 to 10 µs, one in a hundred up to 50 µs. With less, slow
launching is called work; with more, a sort on the CPU is called launching."""

_WEAKEST_FIRST = (
    IdleCause.HOST_WORK,
    IdleCause.SYNCHRONIZATION,
    IdleCause.LAUNCHING,
    IdleCause.GRAPH_BREAK,
    IdleCause.GUARDS,
    IdleCause.LOADING_DATA,
    IdleCause.COMPILING,
)
"""Of what several threads do: one that waits says less than one that works."""


class HostTime:
    """The threads of `trace` that launch on a GPU; a thread is a number, see `thread_of_event`.

    With `on_cpu` those that run the operators of the CPU, whose events launch nothing else.
    """

    def __init__(self, trace: Trace, *, on_cpu: bool = False) -> None:
        self.trace = trace
        self.events = HostEvents(trace)
        ranges, apis = trace.ranges, trace.apis
        # One number per thread, for ranges and api calls alike. Ids of threads are unique in a
        # process only, so a thread is a pair.
        number = pair_columns(
            np.concatenate([ranges.process, apis.process]),
            np.concatenate([ranges.thread, apis.thread]),
        )
        self.thread_of_event = number
        self._of_range, self.thread_of_api = number[: len(ranges)], number[len(ranges) :]
        # An event is a row of the ranges, or behind all of these a row of the api calls: -1 stays
        # -1.
        launches = trace.launches
        event = (
            launches.range if on_cpu else launches.api + np.where(launches.api >= 0, len(ranges), 0)
        )
        self.event_of_launch = np.where(np.equal(launches.on_cpu, on_cpu), event, NONE)
        """The event that launched each launch of the chosen side, -1 without one; (launches,)."""
        # The threads that launch anything, each with its process.
        event = self.event_of_launch[self.event_of_launch >= 0]
        self.threads, first = np.unique(number[event], return_index=True)
        process: list[int] = np.concatenate([ranges.process, apis.process])[event[first]].tolist()
        self._process: dict[int, int] = dict(zip(self.threads.tolist(), process, strict=True))

    def of_process(self, process: int) -> list[int]:
        """The launching threads of a process."""
        return [it for it in self.threads.tolist() if self._process[it] == process]

    def process_of(self, thread: int) -> int:
        """The process of a launching thread."""
        return self._process[thread]

    def an_event_of(self, thread: int) -> int:
        """Some event of a launching thread."""
        return int(np.equal(self.thread_of_event, thread).argmax())

    def has_events(self, process: int) -> bool:
        """Whether anything of a process' host side is recorded."""
        return any(
            bool(np.equal(columns.process, process).any())
            for columns in (self.trace.apis, self.trace.ranges)
        )

    def what_thread_does(self, thread: int) -> Changes:
        """What a thread does, or while it has nothing open, what others of its process do.

        A launch has no event of its own: all operators and api calls on the way count alike.
        """
        process = self._process[thread]
        # With one launching thread there is no other to wait for.
        if len(self.of_process(process)) == 1:
            return self._does[thread]
        return put_over(self._together[process], self._does[thread])

    @cached_property
    def waits(self) -> dict[int, Spans]:
        """By launching thread when it waited for the device."""
        return {it: self._find_waits(it) for it in self.threads.tolist()}

    def waits_alone(self, thread: int) -> Spans:
        """Those of `waits` that are no part of a compilation or of loading data."""
        waits, does = self.waits[thread], self._does[thread]
        # The cause that counts when the wait begins. Within a compilation it is compiling, and such
        # a wait is not the reason why the device ran dry.
        at = np.searchsorted(does.times, waits.start_ns, side="right") - 1
        return waits.take_rows(np.equal(does.cause[at], IdleCause.SYNCHRONIZATION))

    @cached_property
    def _does(self) -> dict[int, Changes]:
        return {
            thread: lay_over(list(self._iter_layers(thread))) for thread in self.threads.tolist()
        }

    @cached_property
    def _together(self) -> dict[int, Changes]:
        """By process the strongest cause among its launching threads; see _WEAKEST_FIRST."""
        return {
            process: take_strongest(
                [self._does[it] for it in self.of_process(process)], _WEAKEST_FIRST
            )
            for process in set(self._process.values())
        }

    def _iter_layers(self, thread: int) -> Iterator[Layer]:
        """The causes of one thread, the weakest first."""
        events, apis = self.events, self.trace.apis
        rows = np.flatnonzero(np.equal(self._of_range, thread))
        # Api calls that launch nothing and take long, such as cudaHostRegister, are work of the
        # host.
        long = ~events.launching_api & (apis.dur_ns > LONG_NS)
        operators = self._unite_events(rows[events.operators[rows]])
        works = self._is_host_work(thread, operators)
        # An operator outside of compiled code is on the way to a launch, unless it launches nothing
        # and is long (`aten::sort` on the CPU).
        yield IdleCause.HOST_WORK, operators.take_rows(works)
        yield (
            IdleCause.LAUNCHING,
            unite_spans((operators.take_rows(~works), self._unite_api_calls(thread, ~long))),
        )
        # Of a region with another region in it, only the time outside of the inner one is the
        # break's.
        yield IdleCause.GRAPH_BREAK, self._innermost_ranges(rows[events.broken[rows]])
        yield IdleCause.GUARDS, self._unite_events(rows[events.guards[rows]])
        # Inside of a graph neither counts, and Python of its wrapper is as good as any other.
        yield IdleCause.NOTHING, self._unite_events(rows[events.graphs[rows]])
        # What launches inside of a graph is painted once more, above the blank of the graph.
        operators = self._unite_events(rows[events.operators[rows] & events.in_graph[rows]])
        in_graph = np.append(events.in_graph, False)[apis.range]
        yield IdleCause.LAUNCHING, unite_spans((operators, self._unite_api_calls(thread, in_graph)))
        # From here on causes that count more than the launching inside of them, the strongest
        # last: a wait or a launch in a compilation belongs to the compilation.
        yield IdleCause.HOST_WORK, self._unite_api_calls(thread, long)
        yield IdleCause.SYNCHRONIZATION, self.waits[thread]
        yield IdleCause.LOADING_DATA, self._unite_events(rows[events.loading[rows]])
        yield IdleCause.COMPILING, self._unite_api_calls(thread, events.compiling_api)
        yield IdleCause.COMPILING, self._find_captures(thread)
        yield IdleCause.COMPILING, self._unite_events(rows[events.compiling[rows]])

    def _is_host_work(self, thread: int, operators: Spans) -> Bool:
        """Mask of the operators that are work of the host: they launch nothing, and are long."""
        long = operators.end_ns - operators.start_ns > LONG_NS
        if not long.any():
            return long
        # When the thread called a launch. An operator in which none of these times lies launched
        # nothing.
        launches = np.equal(self.thread_of_api, thread) & self.events.launching_api
        times = np.sort(self.trace.apis.start_ns[launches])
        first = np.searchsorted(times, operators.start_ns)
        return long & np.equal(first, np.searchsorted(times, operators.end_ns))

    def _find_waits(self, thread: int) -> Spans:
        """Calls that wait for the device; of `.item()` all of it, where it copies or waits."""
        events = self.events
        of_thread = np.equal(self.thread_of_api, thread)
        reads = np.flatnonzero(np.equal(self._of_range, thread) & events.reading)
        apis = np.flatnonzero(of_thread & events.waiting_api)
        moving = np.flatnonzero(of_thread & np.equal(events.activity, Activity.MEMCPY))
        # A range that reads a value waited only where it holds a copy or a wait: `.item()` of a
        # tensor on the CPU holds neither.
        starts = np.sort(self.trace.apis.start_ns[np.concatenate([apis, moving])])
        begin, end = events.start_ns[reads], events.end_ns[reads]
        reads = reads[np.searchsorted(starts, end) > np.searchsorted(starts, begin)]
        return self._unite_events(np.concatenate([reads, apis + len(self.trace.ranges)]))

    def _find_captures(self, thread: int) -> Spans:
        """When the process of a thread captured a CUDA graph: what it launched then did not run."""
        spans = [
            (begin, end)
            for process, begin, end in capture_spans(self.trace.apis)
            if process == self._process[thread]
        ]
        begin, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
        return unite_intervals(
            begin, end, np.full(len(begin), self.events.event_of_remark(Remark.CAPTURE))
        )

    def _unite_events(self, events: Int) -> Spans:
        return unite_intervals(self.events.start_ns[events], self.events.end_ns[events], events)

    def _unite_api_calls(self, thread: int, chosen: Bool) -> Spans:
        rows = np.flatnonzero(np.equal(self.thread_of_api, thread) & chosen)
        return self._unite_events(rows + len(self.trace.ranges))

    def _innermost_ranges(self, rows: Int) -> Spans:
        """Ranges of one thread without the parts that lie in others of them."""
        starts, ends, inner = [], [], []
        open_rows: list[int] = []
        since = 0
        # By start, of ranges that start together the longest first: the outer one opens before the
        # inner.
        order = rows[np.lexsort((-self.events.end_ns[rows], self.events.start_ns[rows]))]
        bounds = [(int(self.events.start_ns[row]), row) for row in order.tolist()]

        # `open_rows` are the ranges open at the moment, the innermost last. `since` is the time up
        # to which pieces were given out.
        def close(until: int) -> None:
            nonlocal since
            while open_rows and (end := int(self.events.end_ns[open_rows[-1]])) <= until:
                row = open_rows.pop()
                starts.append(since)
                ends.append(end)
                inner.append(row)
                since = max(since, end)

        for start, row in bounds:
            close(start)
            # The new range interrupts the one that is open, whose piece ends here.
            if open_rows:
                starts.append(since)
                ends.append(start)
                inner.append(open_rows[-1])
            since = start
            open_rows.append(row)
        close(np.iinfo(np.int64).max)
        # Pieces without length come from ranges that begin or end together.
        columns = [np.array(column, dtype=np.int64) for column in (starts, ends, inner)]
        return Spans(*columns).take_rows(columns[1] > columns[0])
