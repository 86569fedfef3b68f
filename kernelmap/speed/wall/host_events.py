"""What the host's events are: launches, waits, compilation, guards, loading of data.

An event is a row of Ranges; behind all of those a row of ApiCalls; behind these one of REMARKS.
What it is follows from its name, from the events around it and from what it launched.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from kernelmap.facts.api_calls import loads_code, reads_device_value, waits_for_device
from kernelmap.facts.compiling import compiler_work, is_cache_lookup
from kernelmap.facts.loading import is_loading_data
from kernelmap.matching.host_side.recording import activity_launched_by
from kernelmap.model import NONE, Activity, RangeKind, Trace
from kernelmap.model.columns import by_name, nearest_ancestor
from kernelmap.model.names import graph_mark, is_body, is_region, is_step
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import REMARKS, Remark

_TO_HOST = "DtoH"


class HostEvents:
    """The events of the host side of `trace`; masks are of its ranges or of its api calls."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        ranges, apis = trace.ranges, trace.apis
        self.start_ns = np.concatenate([ranges.start_ns, apis.start_ns])
        self.end_ns = self.start_ns + np.concatenate([ranges.dur_ns, apis.dur_ns])
        self._of_no_step = [(at, it) for at, it in enumerate(ranges.names) if not is_step(it)]

    def name_of(self, event: int) -> str:
        """What the profiler calls an event."""
        if event >= len(self.start_ns):
            return REMARKS[event - len(self.start_ns)]
        ranges, apis = self._trace.ranges, self._trace.apis
        if event < len(ranges):
            return ranges.name_of(event)
        return apis.names[int(apis.name_id[event - len(ranges)])]

    def event_of_remark(self, remark: Remark) -> int:
        """The event that stands for a remark."""
        return len(self.start_ns) + REMARKS.index(remark)

    def is_compiling(self, event: int) -> bool:
        """Whether a range is a compilation, or a look for code that was compiled."""
        name = self._trace.ranges.name_of(event)
        return is_cache_lookup(name) or _is_compiling(name)

    # Ranges, masks of shape (ranges,)

    @cached_property
    def loading(self) -> Bool:
        """Ranges that load data."""
        return self._mask_names(is_loading_data)

    @cached_property
    def compiling(self) -> Bool:
        """Ranges of compilations and benchmarks."""
        return self._mask_names(_is_compiling)

    @cached_property
    def reading(self) -> Bool:
        """Operators that read a value of the device, as `.item()` does."""
        return self._mask_names(reads_device_value)

    @cached_property
    def operators(self) -> Bool:
        """Operators; compiled regions and lookups only stand around those."""
        is_operator = np.equal(self._trace.ranges.kind, RangeKind.OP)
        return is_operator & ~self.regions & ~self._lookups

    @cached_property
    def graphs(self) -> Bool:
        """Runs of graphs that were compiled."""
        return self._mask_names(lambda name: graph_mark(name) is not None or is_body(name))

    @cached_property
    def in_graph(self) -> Bool:
        """Runs of graphs and all below them."""
        return nearest_ancestor(self._trace.ranges.parent, self.graphs) >= 0

    @cached_property
    def regions(self) -> Bool:
        """Compiled regions."""
        return self._mask_names(is_region)

    @cached_property
    def region_of(self) -> Int:
        """The innermost compiled region around each range, itself included, -1 without one."""
        return nearest_ancestor(self._trace.ranges.parent, self.regions)

    @cached_property
    def broken(self) -> Bool:
        """Regions in which another one runs: a graph break divides them."""
        return self._mask_around(self.regions)

    @cached_property
    def guards(self) -> Bool:
        """Guards, and regions of one graph, whose wrappers run beside that graph."""
        return self._lookups | (self.regions & self._mask_around(self.graphs) & ~self.broken)

    @cached_property
    def _lookups(self) -> Bool:
        return self._mask_names(is_cache_lookup)

    def _mask_around(self, chosen: Bool) -> Bool:
        """Regions directly around one of the chosen ranges, others looked through."""
        # A chosen range does not hold itself: the search begins at its parent. The appended -1 is
        # the region of a range without a parent.
        parent = self._trace.ranges.parent[np.flatnonzero(chosen)]
        held = np.append(self.region_of, NONE)[parent]
        mask = np.zeros(len(self._trace.ranges), dtype=bool)
        mask[held[held >= 0]] = True
        return mask

    def _mask_names(self, fits: Callable[[str], object]) -> Bool:
        """Ranges whose name fits; a profile has a name for each of its steps, and none fits."""
        ranges = self._trace.ranges
        mask = [False] * len(ranges.names)
        for at, name in self._of_no_step:
            mask[at] = bool(fits(name))
        return by_name(ranges.name_id, mask)

    # Api calls, all of shape (apis,)

    @cached_property
    def activity(self) -> Int:
        """The Activity that the name of each api call says it launches, -1 for none."""
        return activity_launched_by(self._trace.apis)

    @cached_property
    def compiling_api(self) -> Bool:
        """Mask of the api calls that load or link code, or make a graph ready to run."""
        return self._named_api(loads_code)

    @cached_property
    def launching_api(self) -> Bool:
        """Mask of the api calls that launch, whether an activity of theirs was recorded or not."""
        # The name says that it launches, or a launch is linked to it.
        launches = self.activity >= 0
        linked = self._trace.launches.api
        launches[linked[linked >= 0]] = True
        return np.asarray(launches)

    @cached_property
    def waiting_api(self) -> Bool:
        """Mask of the api calls that wait for the device, by their name or by their copy's end."""
        launches, apis = self._trace.launches, self._trace.apis
        waiting = self._named_api(waits_for_device)
        # Copies from the device to the host, with an api call. The appended False belongs to name
        # -1.
        to_host = np.array([_TO_HOST in name for name in launches.names] + [False], dtype=bool)
        copies = np.flatnonzero(
            to_host[launches.name_id]
            & np.equal(launches.activity, Activity.MEMCPY)
            & (launches.api >= 0)
        )
        # A copy that ended before its api call returned was waited for. Of an asynchronous copy to
        # pinned memory the call returns first.
        api = launches.api[copies]
        ends = launches.start_ns[copies] + launches.dur_ns[copies]
        waiting[api[ends <= apis.start_ns[api] + apis.dur_ns[api]]] = True
        return waiting

    def _named_api(self, fits: Callable[[str], object]) -> Bool:
        apis = self._trace.apis
        return by_name(apis.name_id, [bool(fits(name)) for name in apis.names])


def _is_compiling(name: str) -> bool:
    return compiler_work(name) is not None
