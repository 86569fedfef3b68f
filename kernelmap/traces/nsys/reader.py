"""Exports of Nsight Systems as SQLite → RawTrace: launches, api calls and ranges.

Read: kernels, copies, fills and whole graphs; runtime and driver calls; NVTX ranges; where the
nodes of CUDA graphs were captured; GPUs and processes. Columns are found by name, tables by what
they hold; the schema's version decides nothing.
Left out, and not even asked for: the environment, command lines, samples, OS calls, callchains.
Times: nanoseconds since the session began, moved to the wall clock where the export knows it, so
that the exports of several ranks lie beside each other. Ids are integers from end to end.
Rows have no order in an export: `event` counts the rows of one kind by their start.
Seen with: schemas 2.9.1 to 3.25.0 (nsys 2022.2 to 2026.2), and what the documentation says of 2020
and of 3.28.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from kernelmap.errors import KernelmapError
from kernelmap.model.notices import Notice, format_count, format_duration
from kernelmap.model.trace import Activity, Launches
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.columns import LATEST_NS, Columns, are_times, joined, places
from kernelmap.traces.nsys.apis import api_rows, calls_of_rows, creations, node_rows
from kernelmap.traces.nsys.launches import launch_rows, launches_of_rows, spellings
from kernelmap.traces.nsys.nvtx import nvtx_rows, ranges, stopped_ns
from kernelmap.traces.nsys.sqlite import EXPORT_AGAIN, opened
from kernelmap.traces.nsys.tables import (
    SESSION,
    STRINGS,
    Processes,
    Strings,
    bandwidths,
    gpus,
    process_of,
)
from kernelmap.traces.sqlite_tables import SqliteTables

_SHOWN = 8  # tables of a database that is something else


def no_export(path: Path) -> KernelmapError:
    """What to say of a SQLite database that has no table of an export."""
    with opened(path) as tables:
        names = sorted(tables.names)
    shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return KernelmapError(
        "no-nsys-export",
        f"{path} is a SQLite database, but no Nsight Systems export:"
        f" its tables are {shown or '(none)'}",
        EXPORT_AGAIN,
    )


def raw_of(tables: SqliteTables) -> RawTrace:
    """What the tables of one export hold."""
    strings = Strings(tables)
    nvtx, runtime, nodes = nvtx_rows(tables), api_rows(tables), node_rows(tables)
    by_table = launch_rows(tables)
    processes = Processes(
        [
            # Any table may be the only one that names a process.
            nvtx.process,
            *(process_of(rows["globalTid"]) for rows in (runtime, nodes)),
            *(rows["globalPid"] for rows in by_table.values()),
        ]
    )
    host = ranges(nvtx, tables, strings, processes)
    calls = calls_of_rows(runtime, strings, processes)
    gpu = launches_of_rows(by_table, strings, processes)
    # Rows without a usable time are left out before anything is linked to them.
    rows = len(host) + len(calls) + len(gpu)
    host, calls, gpu = _usable(host), _usable(calls), _usable(gpu)
    lost = rows - len(host) - len(calls) - len(gpu)
    device, large = places(gpu.device)
    gpu = replace(gpu, device=device)
    created, origin = creations(nodes, gpu, strings, processes)
    # The calls that created graph nodes stand behind the others in one
    # table, so links to them are shifted.
    gpu = replace(gpu, origin=np.where(origin >= 0, origin + len(calls), origin))
    calls = joined([calls, created]) if len(created) else calls
    devices = gpus(gpu, processes, tables)
    zero = _zero_ns(tables)
    stopped = stopped_ns(nvtx, tables)
    return RawTrace(
        source=tables.source,
        launches=_numbered(gpu, zero),
        apis=_numbered(calls, zero),
        ranges=_numbered(host, zero),
        pids=processes.pids,
        gpus=devices.shared,
        own_gpus=devices.per_process,
        bandwidths=bandwidths(tables),
        zero_ns=zero,
        stopped_ns=None if stopped is None else stopped + zero,
        # nsys writes whole nanoseconds: nothing sticks out of what encloses it.
        overhang_ns=0,
        spellings=spellings(by_table, strings),
        notices=tuple(_notices(tables, strings, gpu, lost, large)),
        by_nsys=True,
    )


def _zero_ns(tables: SqliteTables) -> int:
    """Time 0 of the session on the wall clock, 0 where the export doesn't tell."""
    if "utcEpochNs" not in tables.columns(SESSION):
        return 0
    zero = int(tables.integers(SESSION, ["utcEpochNs"])["utcEpochNs"].max(initial=0))
    return zero if zero <= LATEST_NS else 0


def _usable(columns: Columns) -> Columns:
    """The rows that have a time and a duration."""
    good = are_times(columns.start_ns, columns.dur_ns)
    return columns if good.all() else columns.take_rows(good)


def _numbered(columns: Columns, zero_ns: int) -> Columns:
    """With times on the clock on which time 0 is `zero_ns`, and rows counted by their start."""
    # Rows of an export have no order of their own, so their order by start takes its place.
    event = np.arange(len(columns), dtype=np.int64)
    return replace(columns, start_ns=columns.start_ns + zero_ns, event=event)


def _notices(
    tables: SqliteTables, strings: Strings, gpu: Launches, lost: int, large: int
) -> Iterator[Notice]:
    """What could not be used, and what the recording lacks."""
    source = tables.source
    if lost:
        yield Notice(
            slug="events-without-duration",
            message=f"{source}: {format_count(lost, 'event')} without a usable duration left out",
            gap=True,
        )
    if tables.unreadable:
        yield Notice(
            slug="values-unreadable",
            message=f"{source}: {len(tables.unreadable):,} rows left out in which a value is of"
            f" another type than its column's, in {', '.join(tables.unreadable.tables)}",
            hint=EXPORT_AGAIN,
            gap=True,
        )
    if large:
        yield Notice(
            slug="ids-too-large",
            message=f"{source}: {large} ids that are too large are treated as absent",
            gap=True,
        )
    if len(gpu) and not strings.known:
        yield Notice(
            slug="nsys-without-names",
            message=f"{source}: the export has no {STRINGS}, so nothing in it has a name",
            hint=EXPORT_AGAIN,
            gap=True,
        )
    whole = np.equal(gpu.activity, Activity.GRAPH)
    if whole.any():
        time_ns = int(gpu.dur_ns[whole].sum())
        yield Notice(
            slug="graphs-without-kernels",
            message=f"{source}: {int(whole.sum())} launches of CUDA graphs, "
            f"{format_duration(time_ns)},"
            " were recorded as a whole; the kernels in them are not in the profile",
            hint="Record with nsys profile --cuda-graph-trace=node",
            gap=True,
        )
