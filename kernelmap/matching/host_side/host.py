"""The host side of a trace: where launches come from, and the spans of ranges that graphs ran in.

A graph span is one stretch of host time whose call-like ranges follow each other: below one
`## Call CompiledFxGraph …` range, or, where there is none, below one common parent (a compiled
region, an autograd function) or on the thread itself. Ranges that only decorate are looked through
(roles.py), those in which kernels are benchmarked are not.

Kernels may have run inside compiled code without a range: the profiler lost it, but the device name
still says that a generated kernel ran. That is evidence of the graph that ran, and never mere glue.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.facts.api_calls import is_graph_launch
from kernelmap.matching.host_side.recording import captured_calls, named_apis
from kernelmap.matching.host_side.roles import Roles
from kernelmap.matching.names.symbols import is_kernel_symbol, split_suffix, symbol_of
from kernelmap.model import NONE, Activity, Trace
from kernelmap.model.columns import nearest_ancestor
from kernelmap.model.trace import Bool, Int


class SpanPart(Struct, frozen=True):
    """What the recording has of an invocation that it cut off.

    `graph` is a position in the program; `calls` are, per range, the indices within it that the
    range may stand for, none for a benchmark. `is_end` where the beginning is missing.
    """

    graph: int
    calls: tuple[tuple[int, ...], ...]
    is_end: bool


class GraphSpan(Struct, frozen=True):
    """Call-like ranges of one stretch, in host order.

    `graph_range` is that range, -1 without one; `container` the range around all of them, -1 on the
    bare thread. `sure` is False where the stretch was cut out by what it looks like. `replays` says
    that a CUDA graph ran here in place of the statements: what is missing was not lost; `captures`
    that one was captured here, and then nothing is benchmarked. `part` is
    what is known of a stretch of which the recording cut off the rest.
    """

    graph_range: int
    key: str | None
    process: int
    thread: int
    start_ns: int
    rows: tuple[int, ...]
    symbols: tuple[str, ...]
    container: int = NONE
    sure: bool = True
    replays: bool = False
    captures: bool = False
    part: SpanPart | None = None


class Host(Roles):
    """The ranges of `trace` with their roles, and its launches with their host sides."""

    def __init__(self, trace: Trace, kernels: Iterable[str]) -> None:
        super().__init__(trace.ranges, kernels, trace.apis, trace.frames)
        self.trace = trace

    @cached_property
    def replayed(self) -> Bool:
        """Mask of launches that a graph launch replayed: their host side is the launcher's."""
        launches = self.trace.launches
        # By the launching call, or by the node's id where the call was lost; (launches,).
        by_replay = np.append(self._launches_graph, False)[launches.api]  # the last is that of none
        return np.asarray(by_replay | (launches.graph_node > 0))

    @cached_property
    def _launches_graph(self) -> Bool:
        """Mask of the api calls that launch a CUDA or HIP graph; (apis,)."""
        return named_apis(self.trace.apis, is_graph_launch)

    @cached_property
    def issuing_call(self) -> Int:
        """The api call that launched or captured each launch, -1 without one; shape (launches,)."""
        launches = self.trace.launches
        return np.where(launches.origin >= 0, launches.origin, launches.api)

    @cached_property
    def host_range(self) -> Int:
        """The innermost range around each launch's host side, -1 without one; shape (launches,).

        The host side of what was replayed is where it was captured.
        """
        launches, apis = self.trace.launches, self.trace.apis
        # From weak to strong: the range that the launch itself states (CPU profiles), then that
        # around its api call. A replay has that of its capture, or none.
        innermost = launches.range.copy()
        linked = launches.api >= 0
        innermost[linked] = apis.range[launches.api[linked]]
        innermost[self.replayed] = NONE
        captured = launches.origin >= 0
        innermost[captured] = apis.range[launches.origin[captured]]
        return innermost

    @cached_property
    def launched(self) -> Bool:
        """Mask of the ranges in spans that launched something, themselves or what they hold.

        What was captured into a graph counts: it is launched whenever the graph is. An operator
        that no call launches does not count.
        """
        # Api calls during a capture have no launch of their own, so their ranges come from
        # another list.
        captured = [self.trace.apis.range[rows] for rows in captured_calls(self.trace)]
        called = np.not_equal(self.trace.launches.activity, Activity.OPERATOR)
        return self._call_like_around(np.concatenate([self.host_range[called], *captured]))

    @cached_property
    def captured(self) -> Bool:
        """Mask of the ranges in spans below which the nodes of a CUDA graph were made."""
        origin = self.trace.launches.origin
        return self._call_like_around(self.trace.apis.range[origin[origin >= 0]])

    def replays_unseen_capture(self, span: GraphSpan) -> bool:
        """Whether something was replayed in `span` whose capture was not seen."""
        return span.graph_range in self._replaying_unseen

    @cached_property
    def _replaying_unseen(self) -> frozenset[int]:
        launches = self.trace.launches
        rows = self.replayed & (launches.origin < 0) & (launches.api >= 0)
        return self._graph_ranges_around(self.trace.apis.range[launches.api[rows]])

    def _call_like_around(self, ranges: Int) -> Bool:
        mask = np.zeros(len(self.ranges), dtype=bool)
        around = nearest_ancestor(self.ranges.parent, self.call_like, self._distinct_ranges(ranges))
        mask[around[around >= 0]] = True
        return mask

    def _distinct_ranges(self, ranges: Int) -> Int:
        """The ranges that occur in a column, each once; -1 is none."""
        there = np.zeros(len(self.ranges), dtype=bool)
        there[ranges[ranges >= 0]] = True
        return np.flatnonzero(there)

    @cached_property
    def spans(self) -> tuple[GraphSpan, ...]:
        """All spans in host order."""
        rows = np.flatnonzero(self.call_like)
        container = self.container[rows]
        process, thread = self.ranges.process[rows], self.ranges.thread[rows]
        start = self.ranges.start_ns[rows]
        # Call-like ranges by process, thread and container, then in order of time. `fresh` marks
        # where a stretch begins, `starts` has these places; (ranges in spans,) and (stretches,).
        order = np.lexsort((self.ranges.event[rows], start, container, thread, process))
        rows, container = rows[order], container[order]
        process, thread = process[order], thread[order]
        fresh = np.ones(len(rows), dtype=bool)
        fresh[1:] = (
            (container[1:] != container[:-1])
            | (process[1:] != process[:-1])
            | (thread[1:] != thread[:-1])
        )
        starts = np.flatnonzero(fresh)
        containers, leads = container[starts], rows[starts]
        # Graph ranges in which nothing is like a call are spans without rows.
        # `empty` masks the graph ranges that have no stretch of their own; (ranges,).
        of_graph_range = (containers >= 0) & self.is_graph_range[containers]
        empty = self.is_graph_range.copy()
        empty[containers[of_graph_range]] = False
        empty_rows = np.flatnonzero(empty)
        # Such spans are appended as stretches whose bounds are both the end of the rows.
        spans = self._graph_spans(
            rows,
            np.append(np.append(starts, len(rows)), np.full(len(empty_rows), len(rows))),
            np.append(containers, empty_rows),
            np.append(leads, empty_rows),
        )
        return tuple(sorted(spans, key=lambda g: (g.start_ns, g.process, g.thread, g.graph_range)))

    def _graph_spans(
        self, rows: Int, bounds: Int, container: Int, first: Int
    ) -> Iterator[GraphSpan]:
        """The spans of the stretches of `rows` between `bounds` (n + 1,).

        `container` is the range around each stretch, `first` its first row; both (n,).
        """
        ranges, of_rows = self.ranges, rows.tolist()
        of_graph_range = (container >= 0) & self.is_graph_range[container]
        # The range from which a span takes process, thread and start: its graph range, else its
        # first row.
        lead = np.where(of_graph_range, container, first)
        # How many ranges with captured nodes come before each place: a stretch has some where
        # this grows between its bounds.
        captured = np.concatenate([[0], np.cumsum(self.captured[rows])])
        columns = (
            bounds[:-1].tolist(),
            bounds[1:].tolist(),
            container.tolist(),
            of_graph_range.tolist(),
            ranges.process[lead].tolist(),
            ranges.thread[lead].tolist(),
            ranges.start_ns[lead].tolist(),
            (captured[bounds[1:]] > captured[bounds[:-1]]).tolist(),
        )
        name_id = ranges.name_id[rows]
        spelled: dict[bytes, tuple[str, ...]] = {}  # most invocations of a graph are alike
        for begin, end, around, is_graph_range, process, thread, start_ns, captures in zip(
            *columns, strict=True
        ):
            names = name_id[begin:end]
            symbols = spelled.get(looks := names.tobytes())
            if symbols is None:
                symbols = spelled[looks] = tuple(map(self.spelled.__getitem__, names.tolist()))
            yield GraphSpan(
                graph_range=around if is_graph_range else NONE,
                key=self.keys[int(ranges.name_id[around])] if is_graph_range else None,
                process=process,
                thread=thread,
                start_ns=start_ns,
                rows=tuple(of_rows[begin:end]),
                symbols=symbols,
                container=around,
                replays=is_graph_range and self._is_replay(around, symbols),
                captures=captures,
            )

    def _is_replay(self, graph_range: int, symbols: tuple[str, ...]) -> bool:
        """Whether a graph was launched below a graph range, and neither captured nor run there."""
        return (
            graph_range in self._replaying
            and graph_range not in self._capturing
            and not any(map(is_kernel_symbol, symbols))
        )

    @cached_property
    def _replaying(self) -> frozenset[int]:
        """Graph ranges below which a CUDA graph was launched."""
        return self._graph_ranges_around(self.trace.apis.range[self._launches_graph])

    @cached_property
    def _capturing(self) -> frozenset[int]:
        """Graph ranges below which the nodes of a CUDA graph were made."""
        origin = self.trace.launches.origin
        return self._graph_ranges_around(self.trace.apis.range[origin[origin >= 0]])

    def _graph_ranges_around(self, rows: Int) -> frozenset[int]:
        around = nearest_ancestor(
            self.ranges.parent, self.is_graph_range, self._distinct_ranges(rows)
        )
        return frozenset(around[around >= 0].tolist())


def runs_kernel(host: Host, code_names: Collection[str]) -> Bool:
    """Mask of launches of generated kernels: the code's, Triton's, and a user's; (launches,).

    A user's kernel that no code names lies in a range named like it, mostly with a number behind.
    """
    launches, ranges = host.trace.launches, host.ranges
    mask = np.equal(launches.activity, Activity.KERNEL)
    if not launches.names:
        return mask
    # By name id of launches: whether only generated kernels are called so.
    names = (name in code_names or _is_generated_name(name) for name in launches.names)
    flags = np.fromiter(names, dtype=bool, count=len(launches.names))
    # Names that differ by a legacy suffix get one number: `my_scale` and `my_scale_0d1d` are one
    # function; (names,).
    numbers = {_function_of_name(name): number for number, name in enumerate(launches.names)}
    function = np.array(
        [numbers[_function_of_name(name)] for name in launches.names], dtype=np.int64
    )
    users = np.zeros(len(launches), dtype=bool)
    # A user's kernel lies in a range of its function's name, as it is or with a number behind it.
    for spelling in (str, _drop_number):
        within = [numbers.get(spelling(name), NONE) for name in ranges.names]
        # The function that each range is named like, -1 for none; (ranges + 1,), the last is that
        # of launches without a range.
        of_range = np.append(np.array(within, dtype=np.int64)[ranges.name_id], NONE)
        users |= np.equal(function[launches.name_id], of_range[host.host_range])
    return np.asarray(mask & (flags[launches.name_id] | users), dtype=bool)


def bare_kernels(host: Host, code_names: Collection[str]) -> Mapping[int, frozenset[str]]:
    """Device names of kernels without a range of their own, by the container of their span."""
    launches, ranges = host.trace.launches, host.ranges
    rows = np.flatnonzero(runs_kernel(host, code_names) & (host.host_range >= 0))
    # Mask of the containers of spans; (ranges,).
    holds = np.zeros(len(ranges), dtype=bool)
    holds[[span.container for span in host.spans if span.container >= 0]] = True
    # Upwards from each kernel: where a span's container comes before any range that may be the
    # kernel's own, that one was lost.
    stop = host.has_symbol | host.benchmarks | holds
    around = nearest_ancestor(ranges.parent, stop, host.host_range[rows])
    direct = (around >= 0) & holds[around]
    names: dict[int, set[str]] = defaultdict(set)
    pairs = zip(around[direct].tolist(), launches.name_id[rows[direct]].tolist(), strict=True)
    for container, name in set(pairs):
        names[container].add(launches.names[name])
    return {container: frozenset(seen) for container, seen in names.items()}


def _function_of_name(name: str) -> str:
    """A device name without the suffix of Triton before 3.0."""
    return (split_suffix(name) or (name,))[0]


def _drop_number(name: str) -> str:
    """A wrapper's name without the number that makes it unique: `my_scale_0` runs `my_scale`."""
    function, _, number = name.rpartition("_")
    return function if number.isdecimal() else name


def _is_generated_name(name: str) -> bool:
    """Whether only generated kernels are called like that."""
    symbol = symbol_of(name)
    return symbol is not None and is_kernel_symbol(symbol)
