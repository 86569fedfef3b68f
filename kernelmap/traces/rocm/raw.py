"""The rows of each process that rocprofv3 recorded → RawTrace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model.notices import Notice, format_count
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.columns import Columns, are_times, joined, joined_ranges, places
from kernelmap.traces.rocm.agents import Agents
from kernelmap.traces.rocm.rows import (
    GpuRows,
    HostRows,
    make_api_calls,
    make_launches,
    make_ranges,
)

MOST_PROCESSES = 1000
"""Of one file: each costs some time, however few rows it has. Merged files hold those of a node."""


class ProcessRows(Struct, frozen=True, kw_only=True):
    """What a file holds of one process; `node` tells its machine from others of the file."""

    pid: int
    node: tuple[int, ...]
    gpu: tuple[GpuRows, ...]
    host: HostRows
    agents: Agents
    spellings: Mapping[str, tuple[str, ...]]


def make_raw_trace(
    source: str, processes: Sequence[ProcessRows], notices: Sequence[Notice]
) -> RawTrace:
    """One source of all its processes; rows without a usable time are left out and counted."""
    launches = [
        make_launches(gpu, process.host, at)
        for at, process in enumerate(processes)
        for gpu in process.gpu
    ] or [make_launches(GpuRows.none(), HostRows.none(), 0)]
    hosts = [(process.host, at) for at, process in enumerate(processes)] or [(HostRows.none(), 0)]
    gpu = joined(launches)
    calls = joined([make_api_calls(host, at) for host, at in hosts])
    ranges = joined_ranges([make_ranges(host, at) for host, at in hosts])
    rows = len(gpu) + len(calls) + len(ranges)
    gpu, calls, ranges = _usable(gpu), _usable(calls), _usable(ranges)
    lost = rows - len(gpu) - len(calls) - len(ranges)
    # Rows of several kinds and processes are put in the order of time; ids break ties.
    gpu = gpu.take_rows(np.lexsort((gpu.correlation, gpu.stream, gpu.process, gpu.start_ns)))
    calls = calls.take_rows(np.lexsort((-calls.dur_ns, calls.process, calls.start_ns)))
    ranges = ranges.take_rows(np.lexsort((-ranges.dur_ns, ranges.process, ranges.start_ns)))
    device, large = places(gpu.device)
    # GPUs of one machine mean the same in each of its processes, those of several do not.
    is_one_machine = len({process.node for process in processes}) <= 1
    listed = [(at, process.agents.gpus) for at, process in enumerate(processes)]
    shared = {id_: name for _, gpus in listed for id_, name in gpus.items()}
    used = (
        set(zip(gpu.process.tolist(), device.tolist(), strict=True)) if not is_one_machine else ()
    )
    own = [
        (at, id_, name) for at, gpus in listed for id_, name in gpus.items() if (at, id_) in used
    ]
    spellings: dict[str, tuple[str, ...]] = {}
    for process in processes:
        for name, others in process.spellings.items():
            spellings[name] = tuple(dict.fromkeys((*spellings.get(name, ()), *others)))
    return RawTrace(
        source=source,
        launches=_numbered(replace(gpu, device=device)),
        apis=_numbered(calls),
        ranges=_numbered(ranges),
        pids=tuple(str(process.pid) for process in processes),
        gpus=tuple(sorted(shared.items())) if is_one_machine else (),
        own_gpus=() if is_one_machine else tuple(own),
        # rocprofiler-sdk writes whole nanoseconds: nothing sticks out of what encloses it.
        overhang_ns=0,
        spellings=spellings,
        by_rocprof=True,
        notices=(*notices, *_say_left_out(source, lost, large)),
    )


def say_unreadable(source: str, rows: int, where: Sequence[str], hint: str) -> tuple[Notice, ...]:
    """A notice of rows with values of another type than their column's, if there are any."""
    if not rows:
        return ()
    what = f"{source}: {rows:,} rows left out in which a value is of another type than its column's"
    return (
        Notice(
            slug="values-unreadable",
            message=f"{what}, in {', '.join(where)}",
            hint=hint,
            gap=True,
        ),
    )


def _say_left_out(source: str, lost: int, large: int) -> Iterator[Notice]:
    if lost:
        yield Notice(
            slug="events-without-duration",
            message=f"{source}: {format_count(lost, 'event')} without a usable duration left out",
            gap=True,
        )
    if large:
        yield Notice(
            slug="ids-too-large",
            message=f"{source}: {large} ids that are too large are treated as absent",
            gap=True,
        )


def _usable(columns: Columns) -> Columns:
    good = are_times(columns.start_ns, columns.dur_ns)
    return columns if good.all() else columns.take_rows(good)


def _numbered(columns: Columns) -> Columns:
    """With rows counted by their start: rows of a file have no order of their own."""
    return replace(columns, event=np.arange(len(columns), dtype=np.int64))
