"""What a recording covers: where it begins and ends, whose operators it shows, and captures in it.

During a capture of a CUDA or HIP graph nothing runs: its api calls launch, and no GPU activity is
theirs; nodes are made in their order. What was captured runs when the graph is replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Self

import numpy as np
from msgspec import Struct

from kernelmap.facts.api_calls import begins_capture, ends_capture, launched_activities
from kernelmap.facts.compiling import is_cache_lookup
from kernelmap.model import NONE, Activity, RangeKind, Trace
from kernelmap.model.columns import by_name, distinct_values, group_starts, pair_columns, row_groups
from kernelmap.model.trace import ApiCalls, Bool, Int, Launches, Ranges

Extents = Mapping[tuple[int, int], tuple[int, int]]
"""By process and thread: a beginning and an end, in ns."""


_LATEST = 2**62
_TRITON = "triton_"  # how generated kernels are called that no code names


class RecordedExtent(Struct, frozen=True):
    """`compiled`: the start of each thread's first compiled range and the end of its last.

    `broken_off` are the processes some of whose GPU activities lack their api call: the recording
    cut them off, or lost it, as it may have lost a graph's range.
    """

    compiled: Extents
    broken_off: frozenset[int]

    @classmethod
    def read_from(cls, trace: Trace, compiled: Bool) -> Self:
        """Read it off a trace; `compiled` marks its ranges of compiled code, (ranges,)."""
        launches = trace.launches
        bare = ~launches.on_cpu & (launches.api < 0) & (launches.origin < 0)
        return cls(
            extents_by_thread(trace.ranges, compiled),
            frozenset(distinct_values(launches.process[bare]).tolist()),
        )


def extents_by_thread(ranges: Ranges, mask: Bool) -> Extents:
    """When the first range of a mask (ranges,) begins and the last ends, by process and thread."""
    rows = np.flatnonzero(mask)
    start = ranges.start_ns[rows]
    end = start + ranges.dur_ns[rows]
    return {
        thread: (int(start[at].min()), int(end[at].max()))
        for thread, at in by_thread(ranges.process[rows], ranges.thread[rows])
    }


def extents_of_threads(rows: ApiCalls | Ranges, of: Extents) -> tuple[Int, Int, Bool]:
    """The extent on the thread of each row, and whether there is one; three columns (rows,)."""
    first, last = np.zeros((2, len(rows)), dtype=np.int64)
    there = np.zeros(len(rows), dtype=bool)
    for thread, at in by_thread(rows.process, rows.thread):
        if thread in of:
            first[at], last[at] = of[thread]
            there[at] = True
    return first, last, there


def by_thread(process: Int, thread: Int) -> Iterator[tuple[tuple[int, int], Int]]:
    """Process and thread of the rows of each thread, and where they are."""
    for at in row_groups(process, thread):
        yield (int(process[at[0]]), int(thread[at[0]])), at


def launched_before(trace: Trace) -> Bool:
    """Mask of the GPU activities that were launched before the recording began; (launches,).

    Their api call is not there, and no launch before them on their stream has one. Where ids are
    known theirs is smaller than that of every recorded api call of the process. Other activities
    without an api call have lost it; nothing is said of a process without any api call.
    """
    launches, apis = trace.launches, trace.apis
    before = ~launches.on_cpu & (launches.api < 0) & (launches.origin < 0)
    before &= np.isin(launches.process, apis.process)
    before &= ~_behind_linked(launches)
    for process in distinct_values(launches.process[before]).tolist():
        # Ids count upward, so what was launched before the recording has smaller ones.
        ids = apis.correlation[np.equal(apis.process, process) & (apis.correlation >= 0)]
        if len(ids):
            before &= ~np.equal(launches.process, process) | (launches.correlation < ids.min())
    return np.asarray(before, dtype=np.bool_)


def _behind_linked(launches: Launches) -> Bool:
    """Mask of the launches behind one with an api call on the same stream; (launches,)."""
    keys = (launches.start_ns, launches.stream, launches.device, launches.process)
    # Launches by stream and time. `total` counts those with an api call up to each one, and
    # `sizes` are the launches of each stream; the count at a stream's start is taken off.
    order = np.lexsort(keys)
    behind = np.zeros(len(launches), dtype=np.bool_)
    if not len(launches):
        return behind
    starts = group_starts([column[order] for column in keys[1:]])
    linked = (launches.api[order] >= 0).astype(np.int64)
    total = np.cumsum(linked)
    sizes = np.diff(np.append(starts, len(order)))
    behind[order] = total - linked > np.repeat(total[starts] - linked[starts], sizes)
    return behind


def may_be_cut_off(trace: Trace, api: Int, compiled: Bool, names: Collection[str]) -> Bool:
    """Mask of the launches of compiled code whose ranges the recording may have cut off.

    A range that was open when the recording began or ended is missing, and what lies in it looks as
    if it lay on the bare thread. So on a thread that runs compiled code, nothing before its first
    compiled range is certain to be outside, once there are signs that the recording cut something
    off: GPU activities that were launched before it, or a generated kernel among those very
    launches. Behind the last compiled range such a kernel is a sign, and so is Dynamo's look for
    compiled code, behind which a compiled range follows.

    `api` is the api call of each launch, -1 without one, and the shape is (launches,); `compiled`
    masks the ranges of compiled code, `names` are those of generated kernels.
    """
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    # When compiled code ran on the thread of each api call, and of each range.
    of_threads = extents_by_thread(ranges, compiled)
    begins, ends, compiles = extents_of_threads(apis, of_threads)
    _, over, there = extents_of_threads(ranges, of_threads)
    # Dynamo's look-ups of code after the thread's last compiled range: the code that followed one
    # has lost its range.
    looks = by_name(ranges.name_id, [is_cache_lookup(name) for name in ranges.names])
    last_looks = extents_by_thread(ranges, looks & there & (ranges.start_ns >= over))
    looked, _, looks_again = extents_of_threads(apis, last_looks)
    # The last of each of these columns is that of launches without an api call.
    early = np.append(compiles & (apis.start_ns < begins), False)[api]
    late = np.append(compiles & (apis.start_ns >= ends), False)[api]
    behind_look = np.append(looks_again & (apis.start_ns >= looked), False)[api]
    thread = np.append(apis.thread, NONE)[api]

    # A generated kernel on the bare thread shows that compiled code ran there.
    generated = [name in names or name.startswith(_TRITON) for name in launches.names]
    runs = by_name(launches.name_id, generated)
    signs = launched_before(trace) | (early & runs)
    # Early launches are doubted in the whole process once it has a sign, late ones on the very
    # thread that has it.
    early &= np.isin(launches.process, launches.process[signs])
    threads = pair_columns(launches.process, thread)
    late &= np.isin(threads, threads[late & runs])
    return np.asarray(early | late | behind_look, dtype=bool)


def on_recorded_threads(trace: Trace, api: Int, tags: Bool, tag_around: Int) -> Bool:
    """Mask of launches whose api call lies on a thread whose operators were recorded; (launches,).

    `api` is the api call of each launch, `tags` a mask of the ranges that a capture wrote around
    graphs, `tag_around` such a range around each launch, -1 without.
    """
    # Tags show all compiled work of a thread only where nothing generated ran beside them.
    shows = np.equal(trace.ranges.kind, RangeKind.OP)
    if tags.any() and not _runs_beside(trace, tag_around):
        shows |= tags
    on_recorded = np.append(_on_threads_of(trace, np.arange(len(trace.apis)), shows), False)
    return on_recorded[api]  # the last is that of none


def on_threads_with_operators(trace: Trace, api: Int) -> Bool:
    """Mask of the api calls `api`, none of them -1, on whose threads operators were recorded."""
    return _on_threads_of(trace, api, np.equal(trace.ranges.kind, RangeKind.OP))


def _on_threads_of(trace: Trace, api: Int, shows: Bool) -> Bool:
    """Mask of the api calls `api` on threads that have a range of the mask `shows`."""
    apis, ranges = trace.apis, trace.ranges
    threads = pair_columns(
        np.concatenate([apis.process[api], ranges.process[shows]]),
        np.concatenate([apis.thread[api], ranges.thread[shows]]),
    )
    of_api, recorded = np.split(threads, [len(api)])
    return np.isin(of_api, recorded)


def _runs_beside(trace: Trace, tag_around: Int) -> bool:
    """Whether a kernel that looks generated ran outside of all tags: not all code was tagged."""
    launches = trace.launches
    named = by_name(launches.name_id, [name.startswith(_TRITON) for name in launches.names])
    return bool((named & (tag_around < 0)).any())


def captured_calls(trace: Trace) -> Iterator[Int]:
    """The rows of the launching api calls of each capture, in their order."""
    apis = trace.apis
    begins, ends = named_apis(apis, begins_capture), named_apis(apis, ends_capture)
    if not begins.any() or not ends.any():
        return
    activity = activity_launched_by(apis)
    # A graph that is launched in a capture becomes one node, which stands for many activities.
    silent = (activity >= 0) & (activity != Activity.GRAPH)
    silent[trace.launches.api[trace.launches.api >= 0]] = False
    for process, begin, end in _iter_captures(apis, begins, ends):
        inside = silent & np.equal(apis.process, process)
        inside &= (apis.start_ns > begin) & (apis.start_ns < end)
        rows = np.flatnonzero(inside)
        yield rows[np.argsort(apis.start_ns[rows], kind="stable")]


def silent_launches(trace: Trace) -> Iterator[Int]:
    """The rows of launching api calls in a row without an activity, where most calls have none.

    A profile of a capture may lack the calls that begin and end it (a profiler that starts inside
    of it, an exporter that keeps only launches). Where most launching calls of a process have no
    activity, and none says that it begins or ends a capture, what a thread launched between two
    activities was captured. Of a process that lost its last activities most calls have theirs.
    """
    apis, launches = trace.apis, trace.launches
    linked = np.zeros(len(apis), dtype=bool)
    linked[launches.api[launches.api >= 0]] = True
    # Asked of every trace, and hardly any has such a process: names alone are looked at first.
    if not len(_silent_processes(apis, _by_name(apis), linked)):
        return
    activity = activity_launched_by(apis)
    silent = (activity >= 0) & ~linked & (activity != Activity.GRAPH)
    chosen = _silent_processes(apis, activity, linked)
    rows = np.flatnonzero((activity >= 0) & np.isin(apis.process, chosen))
    for _, at in by_thread(apis.process[rows], apis.thread[rows]):
        of_thread = rows[at][np.argsort(apis.start_ns[rows[at]], kind="stable")]
        # Each call with an activity, or that launches a graph, ends a stretch.
        stretch = np.cumsum(~silent[of_thread])
        kept = silent[of_thread]
        for here in row_groups(stretch[kept]):
            yield of_thread[kept][here]


def _silent_processes(apis: ApiCalls, activity: Int, linked: Bool) -> Int:
    """Processes with more launching calls without an activity than with one, and no capture.

    `activity` is what each call launches, -1 for nothing, `linked` masks those with an activity.
    """
    launching = activity >= 0
    told = named_apis(apis, begins_capture) | named_apis(apis, ends_capture)
    count = int(apis.process.max(initial=NONE)) + 1
    # Launching calls, those without an activity, and those that tell of a capture; (processes,).
    total, quiet, captures = (
        np.bincount(apis.process[mask], minlength=count)
        for mask in (launching, launching & ~linked & (activity != Activity.GRAPH), told)
    )
    return np.flatnonzero((2 * quiet > total) & (captures == 0))


def activity_launched_by(apis: ApiCalls) -> Int:
    """The activity that each api call launches, by its name; -1 for none, and for inner calls.

    Of calls within one another only the outer one counts, see `outermost_launches`.
    """
    return np.where(outermost_launches(apis) == np.arange(len(apis)), _by_name(apis), NONE)


def _by_name(apis: ApiCalls) -> Int:
    """The activity that the name of each api call says it launches, -1 for none; (apis,)."""
    kinds = [NONE if kind is None else int(kind) for kind in launched_activities(apis.names)]
    return np.array([*kinds, NONE], dtype=np.int64)[apis.name_id]


def outermost_launches(apis: ApiCalls) -> Int:
    """The row of the outermost launching call around each launching call, or itself; (apis,).

    -1 for calls that launch nothing. A launch may be recorded at several heights: Intel's
    `urEnqueueKernelLaunch` makes `zeCommandListAppendLaunchKernel`, and
    `hipExtLaunchMultiKernelMultiDevice` may make a `hipLaunchKernel` for each device. An inner call
    launches the same kind of activity under another name: two neighbours of one name may seem to
    lie within each other where times are rounded.
    """
    outermost = np.full(len(apis), NONE, dtype=np.int64)
    activity = _by_name(apis)
    rows = np.flatnonzero(activity >= 0)
    for _, at in by_thread(apis.process[rows], apis.thread[rows]):
        calls = rows[at]
        start, end = apis.start_ns[calls], apis.start_ns[calls] + apis.dur_ns[calls]
        # By start, of equal ones the longest first: an outer call comes before its inner ones.
        order = np.lexsort((-end, start))
        calls, start, end = calls[order], start[order], end[order]
        # The one before that ends last: if a call lies in any of those before, it lies in that one.
        before = np.maximum.accumulate(end)[:-1]
        lasts = np.maximum.accumulate(np.where(end[1:] > before, np.arange(1, len(end)), 0))
        around = np.append(0, lasts)[:-1]  # the outer call of each call but the first
        inner = calls[1:]
        inside = (start[1:] < before) & (end[1:] <= before)
        inside &= activity[inner] == activity[calls[around]]
        inside &= apis.name_id[inner] != apis.name_id[calls[around]]
        outermost[calls] = calls
        outermost[inner[inside]] = calls[around[inside]]
    return outermost


def capture_spans(apis: ApiCalls) -> Iterator[tuple[int, int, int]]:
    """Process, beginning and end of each capture, those too that the profile cuts off."""
    begins, ends = named_apis(apis, begins_capture), named_apis(apis, ends_capture)
    yield from _iter_captures(apis, begins, ends)
    for process in distinct_values(apis.process[begins | ends]).tolist():
        in_process = np.equal(apis.process, process)
        # An end before the first beginning is that of a capture that was running when the
        # recording began; a beginning without an end is the reverse.
        starts, stops = apis.start_ns[begins & in_process], apis.start_ns[ends & in_process]
        first, last = int(starts.min(initial=_LATEST)), int(starts.max(initial=-_LATEST))
        if stops.min(initial=_LATEST) < first:
            yield process, -_LATEST, int(stops.min())
        if stops.max(initial=-_LATEST) < last:
            yield process, last, _LATEST


def _iter_captures(apis: ApiCalls, begins: Bool, ends: Bool) -> Iterator[tuple[int, int, int]]:
    """Process, beginning and end of each capture; of nested ones the inner ones."""
    for process in distinct_values(apis.process[begins]).tolist():
        in_process = np.equal(apis.process, process)
        starts = np.sort(apis.start_ns[begins & in_process])
        stops = np.sort(apis.start_ns[ends & in_process])
        # The first end behind each beginning. Where another beginning comes before it, that one
        # is the inner capture, and this one is left out.
        after = np.searchsorted(stops, starts)
        for at, start in enumerate(starts.tolist()):
            if after[at] == len(stops):
                break
            end = int(stops[after[at]])
            if at + 1 == len(starts) or starts[at + 1] >= end:
                yield process, start, end


def named_apis(apis: ApiCalls, fits: Callable[[str], object]) -> Bool:
    """Mask of the api calls whose names fit; (apis,)."""
    return by_name(apis.name_id, [bool(fits(name)) for name in apis.names])
