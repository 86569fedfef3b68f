"""Raw columns → linked Trace; knows no file format.

Taken: one `RawTrace` per source (rank), its links (`api`, `range`, `parent`) not filled in.
Given: a `Trace` in which launches know their api call, api calls and ranges the range around them;
processes of different sources never meet, and the order in which sources are given doesn't matter.
Rows keep the order of their source; CPU launches stand where their range does. Where compiled code
ran on the CPU and nothing in any source on a GPU, all operators are launches. Launches that no
process can be named for get one of their own, with pid None: `process` is never -1.
Left out: judging whether there is enough to work with; `load_trace` does that.

    assemble(raw_trace([RangeRow(...), ApiRow(...), LaunchRow(...)]))    # see tests/trace_rows.py
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model.columns import distinct_values
from kernelmap.model.notices import Notice
from kernelmap.model.trace import (
    NONE,
    ApiCalls,
    CounterSamples,
    Device,
    Frames,
    Functions,
    Launches,
    Process,
    Ranges,
    Trace,
)
from kernelmap.traces.columns import (
    ALL_NS,
    joined,
    joined_counters,
    joined_ranges,
    launches_once,
    moved,
    ranges_once,
    with_sum,
)
from kernelmap.traces.host_launches import find_host_launches, other_operators, uses_gpu
from kernelmap.traces.linking import OVERHANG_NS, by_external, link, nest, outside_of_thread
from kernelmap.traces.steps import find_steps

_YEAR_NS = 365 * 24 * 3600 * 10**9


class RawTrace(Struct, frozen=True, kw_only=True):
    """One source as a reader sees it.

    `process` columns are positions in `pids`; in `launches` -1 where the source doesn't tell which
    process a GPU activity belongs to. `gpus` are the profiler's device ids and names, `own_gpus`
    the same where each process counts GPUs anew: (process, id, name), `bandwidths` bytes per second
    of their memory by name. `zero_ns` is time 0 of the
    source's own timeline, `overhang_ns` how far a host row may outlast the range around it,
    `stopped_ns` when the recording stopped, where ranges were still open and so end then,
    `frames_ns` what the times of its Python frames count from (None: it has none), `functions`
    those that may be the user's, `frames` those that have a role, `spellings` other names of
    kernels, `counters` what was sampled of GPUs, with `source` 0. All link columns hold -1, but
    `Launches.origin`, which the reader knows.
    """

    source: str
    launches: Launches
    apis: ApiCalls
    ranges: Ranges
    pids: tuple[str | None, ...]
    rank: int | None = None
    gpus: tuple[tuple[int, str | None], ...] = ()
    own_gpus: tuple[tuple[int, int, str | None], ...] = ()
    bandwidths: Mapping[str, int] = {}
    zero_ns: int = 0
    overhang_ns: int = OVERHANG_NS
    stopped_ns: int | None = None
    frames_ns: int | None = None
    functions: Functions | None = None
    spellings: Mapping[str, tuple[str, ...]] = {}
    notices: tuple[Notice, ...] = ()
    by_nsys: bool = False
    by_rocprof: bool = False
    frames: Ranges | None = None
    counters: CounterSamples | None = None


def assemble_trace(*raws: RawTrace) -> Trace:
    """Link each source (one at least, empty columns are fine) and put them together as one run."""
    # Each source gets its part of the largest sum, so that all of them together still fit an int64.
    most_ns = ALL_NS // max(len(raws), 1)
    parts = [_linked(_summable(raw, most_ns)) for raw in sorted(raws, key=lambda raw: raw.source)]
    # This is decided for all sources together: one rank that used a GPU makes it no CPU profile.
    if _is_cpu_profile(parts):
        parts = [_with_launches(raw, other_operators(raw.ranges, raw.launches)) for raw in parts]
    launches, apis, ranges = _together(parts)
    # The earliest event of any kind is the origin of the run's time.
    starts = [int(part.start_ns.min()) for part in (launches, apis, ranges) if len(part)]
    trace = Trace(
        launches=launches,
        apis=apis,
        ranges=ranges,
        processes=tuple(
            Process(pid=pid, trace=at, rank=raw.rank)
            for at, raw in enumerate(parts)
            # Processes are listed source by source, in the order in which
            # all `process` columns count them.
            for pid in raw.pids
        ),
        devices=_all_devices(parts),
        origin_ns=min(starts, default=0),
        zeros_ns=tuple(raw.zero_ns for raw in parts),
        sources=tuple(raw.source for raw in parts),
        spellings=_spellings(parts),
        notices=tuple(notice for raw in parts for notice in raw.notices),
        by_nsys=tuple(raw.by_nsys for raw in parts),
        by_rocprof=tuple(raw.by_rocprof for raw in parts),
        frames_ns=tuple(raw.frames_ns for raw in parts),
        functions=tuple(raw.functions for raw in parts),
        frames=_frames(parts),
        counters=_counters(parts),
    )
    return replace(trace, steps=find_steps(trace, _stopped_ns(trace, parts)))


def _stopped_ns(trace: Trace, parts: list[RawTrace]) -> dict[int, int]:
    """By process when its recording stopped, where ranges were still open then."""
    stopped = ((at, parts[process.trace].stopped_ns) for at, process in enumerate(trace.processes))
    return {at: time_ns for at, time_ns in stopped if time_ns is not None}


def _frames(parts: list[RawTrace]) -> Frames | None:
    """The Python frames of all sources, and which of them is around each range."""
    if not any(raw.frames is not None and len(raw.frames) for raw in parts):
        return None
    # `rows` are the frames of each source; `around` has for every range of the run the row of the
    # innermost frame around it, -1 without one. Both point into the frames of all sources together.
    rows, around = [], []
    # How many frames and processes the sources before this one have.
    before, processes = 0, 0
    for raw in parts:
        innermost = np.full(len(raw.ranges), NONE, dtype=np.int64)
        if raw.frames is not None:
            # The frames are the ranges here, and the host ranges are what lies in them.
            parent, innermost = nest(raw.frames, raw.ranges, raw.overhang_ns)
            frames = replace(raw.frames, parent=moved(parent, before))
            rows.append(replace(frames, process=moved(frames.process, processes)))
        around.append(moved(innermost, before))
        before += 0 if raw.frames is None else len(raw.frames)
        processes += len(raw.pids)
    return Frames(rows=joined_ranges(rows), around=np.concatenate(around))


def _counters(parts: list[RawTrace]) -> CounterSamples | None:
    """The samples of all sources, each with the place of its source."""
    sampled = [
        replace(raw.counters, source=np.full(len(raw.counters), at, dtype=np.int64))
        for at, raw in enumerate(parts)
        if raw.counters is not None and len(raw.counters)
    ]
    return joined_counters(sampled) if sampled else None


def _summable(raw: RawTrace, most_ns: int) -> RawTrace:
    """`raw` without its longest rows, where the durations of a kind add up to more than that."""
    launches, ranges = with_sum(raw.launches, most_ns), with_sum(raw.ranges, most_ns)
    lost = len(raw.launches) - len(launches) + len(raw.ranges) - len(ranges)
    if not lost:
        return raw
    notice = Notice(
        slug="times-too-large",
        message=f"{raw.source}: the longest {lost} events are left out: with them all events"
        f" together last more than {most_ns / _YEAR_NS:.0f} years",
        gap=True,
    )
    return replace(raw, launches=launches, ranges=ranges, notices=(*raw.notices, notice))


def _linked(raw: RawTrace) -> RawTrace:
    """One source with its links and its CPU launches, without rows that were written twice."""
    # Rows that were written twice go first: links are row numbers and
    # would point elsewhere afterwards.
    ranges, launches = ranges_once(raw.ranges), launches_once(raw.launches)
    dropped = len(raw.ranges) - len(ranges) + len(raw.launches) - len(launches)

    # The order of the steps matters. Ranges nest in each other and calls in ranges;
    # then launches find their call by correlation id, and those that find none the
    # range that their external id names.
    parent, around = nest(ranges, raw.apis, raw.overhang_ns)
    ranges = replace(ranges, parent=parent)
    apis = replace(raw.apis, range=outside_of_thread(raw.apis, ranges, around))
    api, process = link(launches, apis, len(raw.pids))
    # Launches whose process stays unknown share one process more, without a pid.
    pids = (*raw.pids, None) if (process < 0).any() else raw.pids
    launches = replace(launches, api=api, process=np.where(process < 0, len(pids) - 1, process))
    launches = replace(launches, range=by_external(launches, ranges))

    notices = raw.notices + ((_repeated(raw, dropped),) if dropped else ())
    linked = replace(raw, launches=launches, apis=apis, ranges=ranges, pids=pids, notices=notices)
    return _with_launches(linked, find_host_launches(ranges, apis, launches))


def _with_launches(raw: RawTrace, more: Launches) -> RawTrace:
    """`raw` with `more` launches, each where its event stands."""
    if not len(more):
        return raw
    # CPU launches are host ranges; they are sorted in by their place in the file.
    both = joined([raw.launches, more])
    return replace(raw, launches=both.take_rows(np.argsort(both.event, kind="stable")))


def _is_cpu_profile(parts: list[RawTrace]) -> bool:
    """Whether compiled code ran on the CPU, and nothing on a GPU."""
    return any(raw.launches.on_cpu.any() for raw in parts) and not any(
        uses_gpu(raw.ranges, raw.apis, raw.launches) for raw in parts
    )


def _repeated(raw: RawTrace, rows: int) -> Notice:
    return Notice(
        slug="repeated-events",
        message=f"{raw.source}: {rows} events are written twice; each counts once",
    )


def _together(parts: list[RawTrace]) -> tuple[Launches, ApiCalls, Ranges]:
    """The columns of all sources, links and process positions moved to point into the whole."""
    # Links and process numbers count within a source, and are shifted by the rows that stand before
    # it. Correlation ids are not shifted: launches have been linked to their calls before.
    launches, apis, ranges = [], [], []
    # How many api calls, ranges and processes the sources before this one have.
    api, row, process = 0, 0, 0
    for raw in parts:
        launches.append(
            replace(
                raw.launches,
                api=moved(raw.launches.api, api),
                origin=moved(raw.launches.origin, api),
                range=moved(raw.launches.range, row),
                process=moved(raw.launches.process, process),
            )
        )
        apis.append(
            replace(
                raw.apis,
                range=moved(raw.apis.range, row),
                process=moved(raw.apis.process, process),
            )
        )
        ranges.append(
            replace(
                raw.ranges,
                parent=moved(raw.ranges.parent, row),
                process=moved(raw.ranges.process, process),
            )
        )
        api, row, process = api + len(raw.apis), row + len(raw.ranges), process + len(raw.pids)
    return joined(launches), joined(apis), joined_ranges(ranges)


def _spellings(parts: list[RawTrace]) -> dict[str, tuple[str, ...]]:
    spellings: dict[str, tuple[str, ...]] = {}
    for raw in parts:
        for name, others in raw.spellings.items():
            # Several sources may know other names of one kernel: all of them are kept, each once.
            spellings[name] = tuple(dict.fromkeys((*spellings.get(name, ()), *others)))
    return spellings


def _all_devices(parts: list[RawTrace]) -> tuple[Device, ...]:
    """The devices of all sources; those that only one process counts name it."""
    devices: list[Device] = []
    before = 0
    for at, raw in enumerate(parts):
        if raw.own_gpus:
            devices += [
                Device(
                    id=id_,
                    name=name,
                    trace=at,
                    process=before + process,
                    bandwidth=raw.bandwidths.get(name or ""),
                )
                for process, id_, name in raw.own_gpus
            ]
        else:
            devices += _devices(raw, at)
        before += len(raw.pids)
    return tuple(devices)


def _devices(raw: RawTrace, at: int) -> list[Device]:
    """The devices that launches name.

    Profilers may count devices in two ways; where all GPUs listed have one name it is the name of
    the ids that the list doesn't hold, too.
    """
    # Names of GPUs may be empty texts in a file; these count as unknown.
    listed = {id_: name or None for id_, name in raw.gpus}
    kinds = set(listed.values())
    # On ROCm the list may say device 0 where launches say device 2 or 9. If all GPUs are of one
    # kind, the name is known anyway.
    common = kinds.pop() if len(kinds) == 1 else None
    seen = distinct_values(raw.launches.device[raw.launches.device >= 0]).tolist()
    named = [(id_, listed.get(id_, common)) for id_ in seen]
    return [
        Device(
            id=id_,
            name=name,
            trace=at,
            bandwidth=raw.bandwidths.get(name or ""),
            listed=len(listed),
        )
        for id_, name in named
    ]
