"""What the host does at every moment, thread by thread, as a cause of an idle device.

Taken: the ranges and api calls of threads that launch on a GPU, by their names. Of what a thread
has open at a time the strongest cause counts: a launch inside of a compilation belongs to the
compilation. While the thread that launches next has nothing open, it waits for another one (as
autograd's thread waits for the one that calls backward), and what that one does counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from kernelmap.matching.host_side.columns import by_name, nearest_ancestor, paired
from kernelmap.matching.host_side.recording import capture_spans, launching
from kernelmap.model import NONE, Activity, RangeKind, Trace
from kernelmap.model.names import graph_mark, is_benchmark, is_body, is_region
from kernelmap.model.trace import Bool, Int
from kernelmap.wall.intervals import Changes, Layer, Spans, chosen, layered, over, strongest, union
from kernelmap.wall.records import REMARKS, Cause, Remark

LONG_NS = 100_000
"""What launches nothing and takes longer is work of the host, not of launching."""

_TIMED = " (dynamo_timed)"
_CACHE_LOOKUP = "TorchDynamo Cache Lookup"
_LOADS = re.compile(
    r"DataLoader|data_?load(?:er|ing)|(?:load|next|get|fetch)_?(?:batch|data)\b", re.IGNORECASE
)
_WAITS = re.compile(r"Synchronize|Memcpy(?!.*(?:Async|Peer))|(?:cuda|hip|cuMem)Free(?:_v\d+)?$")
_COMPILES = re.compile(r"ModuleLoad|LibraryLoad|LinkCreate|LinkComplete|GraphInstantiate|nvrtc")
_READS = frozenset({"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero"})
_TO_HOST = "DtoH"


class HostTime:
    """The threads of `trace` that launch on a GPU; a thread is a number, see `thread_of_api`.

    Events are rows of Ranges; behind all of those rows of ApiCalls; behind these REMARKS.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        ranges, apis = trace.ranges, trace.apis
        number = paired(
            np.concatenate([ranges.process, apis.process]),
            np.concatenate([ranges.thread, apis.thread]),
        )
        self.thread_of_event = number
        self._of_range, self.thread_of_api = number[: len(ranges)], number[len(ranges) :]
        linked = trace.launches.api[(trace.launches.api >= 0) & ~trace.launches.on_cpu]
        self.threads, first = np.unique(self.thread_of_api[linked], return_index=True)
        process: list[int] = apis.process[linked[first]].tolist()
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

    def name(self, event: int) -> str:
        """What the profiler calls an event."""
        if event >= len(self.start_ns):
            return REMARKS[event - len(self.start_ns)]
        ranges, apis = self.trace.ranges, self.trace.apis
        if event < len(ranges):
            return ranges.name(event)
        return apis.names[int(apis.name_id[event - len(ranges)])]

    def remark(self, remark: Remark) -> int:
        """The event that stands for a remark."""
        return len(self.start_ns) + REMARKS.index(remark)

    def has_events(self, process: int) -> bool:
        """Whether anything of a process' host side is recorded."""
        return any(
            bool(np.equal(columns.process, process).any())
            for columns in (self.trace.apis, self.trace.ranges)
        )

    def compiles(self, event: int) -> bool:
        """Whether a range is a compilation, or a look for code that was compiled."""
        name = self.trace.ranges.name(event)
        return name == _CACHE_LOOKUP or _is_compiling(name)

    def breaks(self, event: int) -> bool:
        """Whether a range is a compiled region that a graph break divides."""
        return bool(self._broken[event])

    @cached_property
    def start_ns(self) -> Int:
        """When each event began."""
        return np.concatenate([self.trace.ranges.start_ns, self.trace.apis.start_ns])

    @cached_property
    def end_ns(self) -> Int:
        """When each event ended."""
        dur_ns = np.concatenate([self.trace.ranges.dur_ns, self.trace.apis.dur_ns])
        return np.asarray(self.start_ns + dur_ns, dtype=np.int64)

    @cached_property
    def _does(self) -> dict[int, Changes]:
        return {thread: layered(list(self._layers(thread))) for thread in self.threads.tolist()}

    @cached_property
    def _together(self) -> dict[int, Changes]:
        """By process what its launching threads do, of all the strongest; see _WEAKEST_FIRST."""
        return {
            process: strongest([self._does[it] for it in self.of_process(process)], _WEAKEST_FIRST)
            for process in set(self._process.values())
        }

    def does(self, thread: int) -> Changes:
        """What a thread does, or while it has nothing open, what others of its process do."""
        process = self._process[thread]
        if len(self.of_process(process)) == 1:
            return self._does[thread]
        return over(self._together[process], self._does[thread])

    @cached_property
    def waits(self) -> dict[int, Spans]:
        """By launching thread when it waited for the device."""
        return {it: self._waits(it) for it in self.threads.tolist()}

    def waits_alone(self, thread: int) -> Spans:
        """Those of `waits` that are no part of a compilation or of loading data."""
        waits, does = self.waits[thread], self._does[thread]
        at = np.searchsorted(does.times, waits.start_ns, side="right") - 1
        return chosen(waits, np.equal(does.cause[at], Cause.SYNCHRONIZATION))

    # By thread

    def _layers(self, thread: int) -> Iterator[Layer]:
        """The causes of one thread, the weakest first."""
        rows = np.flatnonzero(np.equal(self._of_range, thread))
        apis = self.trace.apis
        long = ~self._launching_api & (apis.dur_ns > LONG_NS)
        yield from self._launches(thread, rows[self._operators[rows]])
        yield Cause.LAUNCHING, self._apis(thread, ~long)
        yield Cause.GRAPH_BREAK, self._innermost(rows[self._broken[rows]])
        yield Cause.GUARDS, self._union(rows[self._guards[rows]])
        # Inside of a graph neither counts, and Python of its wrapper is as good as any other.
        yield Cause.NOTHING, self._union(rows[self._graph_ranges[rows]])
        yield Cause.LAUNCHING, self._union(rows[self._operators[rows] & self._in_graph[rows]])
        yield Cause.LAUNCHING, self._apis(thread, np.append(self._in_graph, False)[apis.range])
        yield Cause.HOST_WORK, self._apis(thread, long)
        yield Cause.SYNCHRONIZATION, self.waits[thread]
        yield Cause.LOADING_DATA, self._union(rows[self._loading[rows]])
        compiles = self._union(rows[self._compiling[rows]])
        yield Cause.COMPILING, self._apis(thread, self._compiling_api)
        yield Cause.COMPILING, self._captures(thread)
        yield Cause.COMPILING, compiles

    def _launches(self, thread: int, rows: Int) -> Iterator[Layer]:
        """The operators of one thread: what launches nothing and is long is work of the host."""
        launches = self._launching_starts(thread)
        operators = self._union(rows)
        held = np.searchsorted(launches, operators.end_ns) - np.searchsorted(
            launches, operators.start_ns
        )
        long = (held == 0) & (operators.end_ns - operators.start_ns > LONG_NS)
        yield Cause.LAUNCHING, chosen(operators, ~long)
        yield Cause.HOST_WORK, chosen(operators, long)

    def _waits(self, thread: int) -> Spans:
        """Calls that wait for the device; of `.item()` all of it, where it copies or waits."""
        reads = np.flatnonzero(np.equal(self._of_range, thread) & self._named(_READS.__contains__))
        apis = np.flatnonzero(np.equal(self.thread_of_api, thread) & self._waiting_api)
        moving = np.flatnonzero(
            np.equal(self.thread_of_api, thread) & np.equal(self._launches_by_name, Activity.MEMCPY)
        )
        starts = np.sort(self.trace.apis.start_ns[np.concatenate([apis, moving])])
        begin, end = self.start_ns[reads], self.end_ns[reads]
        reads = reads[np.searchsorted(starts, end) > np.searchsorted(starts, begin)]
        return self._union(np.concatenate([reads, apis + len(self.trace.ranges)]))

    def _captures(self, thread: int) -> Spans:
        """When the process of a thread captured a CUDA graph: what it launched then did not run."""
        spans = [
            (begin, end)
            for process, begin, end in capture_spans(self.trace.apis)
            if process == self._process[thread]
        ]
        begin, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
        return union(begin, end, np.full(len(begin), self.remark(Remark.CAPTURE)))

    def _union(self, events: Int) -> Spans:
        return union(self.start_ns[events], self.end_ns[events], events)

    def _apis(self, thread: int, chosen: Bool) -> Spans:
        rows = np.flatnonzero(np.equal(self.thread_of_api, thread) & chosen)
        return self._union(rows + len(self.trace.ranges))

    def _innermost(self, rows: Int) -> Spans:
        """Ranges of one thread without the parts that lie in others of them."""
        starts, ends, inner = [], [], []
        open_rows: list[int] = []
        since = 0
        order = rows[np.lexsort((-self.end_ns[rows], self.start_ns[rows]))]
        bounds = [(int(self.start_ns[row]), row) for row in order.tolist()]

        def close(until: int) -> None:
            nonlocal since
            while open_rows and (end := int(self.end_ns[open_rows[-1]])) <= until:
                row = open_rows.pop()
                starts.append(since)
                ends.append(end)
                inner.append(row)
                since = max(since, end)

        for start, row in bounds:
            close(start)
            if open_rows:
                starts.append(since)
                ends.append(start)
                inner.append(open_rows[-1])
            since = start
            open_rows.append(row)
        close(np.iinfo(np.int64).max)
        columns = [np.array(column, dtype=np.int64) for column in (starts, ends, inner)]
        return chosen(Spans(*columns), columns[1] > columns[0])

    def _launching_starts(self, thread: int) -> Int:
        rows = np.equal(self.thread_of_api, thread) & self._launching_api
        return np.sort(self.trace.apis.start_ns[rows])

    # By name

    def _named(self, fits: Callable[[str], object]) -> Bool:
        """Mask of the ranges whose name fits."""
        ranges = self.trace.ranges
        return by_name(ranges.name_id, [bool(fits(name)) for name in ranges.names])

    def _named_api(self, fits: Callable[[str], object]) -> Bool:
        apis = self.trace.apis
        return by_name(apis.name_id, [bool(fits(name)) for name in apis.names])

    @cached_property
    def _in_graph(self) -> Bool:
        """Mask of the graph ranges and all below them; (ranges,)."""
        return nearest_ancestor(self.trace.ranges.parent, self._graph_ranges) >= 0

    @cached_property
    def _loading(self) -> Bool:
        return self._named(_LOADS.search)

    @cached_property
    def _compiling(self) -> Bool:
        return self._named(_is_compiling)

    @cached_property
    def _launches_by_name(self) -> Int:
        return launching(self.trace.apis)

    @cached_property
    def _compiling_api(self) -> Bool:
        return self._named_api(_COMPILES.search)

    @cached_property
    def _launching_api(self) -> Bool:
        """Mask of the api calls that launch, whether an activity of theirs was recorded or not."""
        launches = (self._launches_by_name >= 0) | self._named_api(
            lambda name: "GraphLaunch" in name
        )
        linked = self.trace.launches.api
        launches[linked[linked >= 0]] = True
        return np.asarray(launches)

    @cached_property
    def _waiting_api(self) -> Bool:
        """Mask of the api calls that wait for the device, by their name or by their copy's end."""
        launches, apis = self.trace.launches, self.trace.apis
        waiting = self._named_api(_WAITS.search)
        to_host = np.array([_TO_HOST in name for name in launches.names] + [False], dtype=bool)
        copies = np.flatnonzero(
            to_host[launches.name_id]
            & np.equal(launches.activity, Activity.MEMCPY)
            & (launches.api >= 0)
        )
        api = launches.api[copies]
        ends = launches.start_ns[copies] + launches.dur_ns[copies]
        waiting[api[ends <= apis.start_ns[api] + apis.dur_ns[api]]] = True
        return waiting

    @cached_property
    def regions(self) -> Bool:
        """Mask of the compiled regions; (ranges,)."""
        return self._named(is_region)

    @cached_property
    def _graph_ranges(self) -> Bool:
        return self._named(lambda name: graph_mark(name) is not None or is_body(name))

    @cached_property
    def region_of(self) -> Int:
        """The innermost compiled region around each range, itself included, -1 without one."""
        return nearest_ancestor(self.trace.ranges.parent, self.regions)

    @cached_property
    def _broken(self) -> Bool:
        """Mask of the regions in which another one runs: a graph ended, and the next one began."""
        return self._holding(self.regions)

    @cached_property
    def _guards(self) -> Bool:
        """Mask of guards, and of regions of one graph, whose wrappers run beside that graph."""
        of_graphs = self.regions & self._holding(self._graph_ranges) & ~self._broken
        return self._named(_CACHE_LOOKUP.__eq__) | of_graphs

    def _holding(self, chosen: Bool) -> Bool:
        """Mask of the regions directly around one of the chosen ranges, others looked through."""
        parent = self.trace.ranges.parent[np.flatnonzero(chosen)]
        held = np.append(self.region_of, NONE)[parent]
        mask = np.zeros(len(self.trace.ranges), dtype=bool)
        mask[held[held >= 0]] = True
        return mask

    @cached_property
    def _operators(self) -> Bool:
        """Mask of the operators; compiled regions and lookups only stand around those."""
        is_operator = np.equal(self.trace.ranges.kind, RangeKind.OP)
        return is_operator & ~self.regions & ~self._named(_CACHE_LOOKUP.__eq__)


_WEAKEST_FIRST = (
    Cause.HOST_WORK,
    Cause.SYNCHRONIZATION,
    Cause.LAUNCHING,
    Cause.GRAPH_BREAK,
    Cause.GUARDS,
    Cause.LOADING_DATA,
    Cause.COMPILING,
)
"""Of what several threads do: one that waits says less than one that works."""


def _is_compiling(name: str) -> bool:
    return name.endswith(_TIMED) or is_benchmark(name)
