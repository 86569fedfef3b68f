"""Rows one writes by hand → raw columns; what tests build traces from.

    assemble(raw_trace([
        RangeRow("aten::mm", 0, 100),
        ApiRow("cudaLaunchKernel", 10, 20, correlation=1),
        LaunchRow("sgemm", 50, 90, correlation=1),
    ]))

A row's event number is its position in the list unless it says otherwise. Times in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.model.trace import (
    NONE,
    Activity,
    ApiCalls,
    CounterSamples,
    Int,
    Launches,
    RangeDetail,
    RangeKind,
    Ranges,
    Small,
)
from kernelmap.traces.assemble import RawTrace

Extent = tuple[int, int, int]
_NO_EXTENT: Extent = (NONE, NONE, NONE)


@dataclass(frozen=True, slots=True)
class RangeRow:
    """A host range; `thread` is unique within `pid`."""

    name: str
    start_ns: int
    end_ns: int
    thread: int = 1
    kind: RangeKind = RangeKind.OP
    detail: RangeDetail | None = None
    external: int = NONE
    sequence: int = NONE
    pid: str = "1"
    event: int | None = None


@dataclass(frozen=True, slots=True)
class ApiRow:
    """A runtime or driver call."""

    name: str
    start_ns: int
    end_ns: int
    correlation: int = NONE
    thread: int = 1
    external: int = NONE
    device_name: str | None = None
    pid: str = "1"
    event: int | None = None


@dataclass(frozen=True, slots=True)
class LaunchRow:
    """A GPU activity; `pid` None where the source doesn't tell the process."""

    name: str
    start_ns: int
    end_ns: int
    correlation: int = NONE
    device: int = 0
    stream: int = 7
    activity: Activity = Activity.KERNEL
    external: int = NONE
    graph: int = NONE
    graph_node: int = NONE
    grid: Extent = _NO_EXTENT
    block: Extent = _NO_EXTENT
    pid: str | None = None
    event: int | None = None


@dataclass(frozen=True, slots=True)
class FrameRow:
    """A Python frame that has a role (facts/frames.py)."""

    name: str
    start_ns: int
    end_ns: int
    thread: int = 1
    pid: str = "1"
    event: int | None = None


@dataclass(frozen=True, slots=True)
class CounterRow:
    """One sample of a counter of a GPU."""

    name: str
    time_ns: int
    value: float
    unit: str = ""
    device: int = 0


TraceRow = RangeRow | ApiRow | LaunchRow | FrameRow | CounterRow


def raw_trace(
    rows: Iterable[TraceRow],
    *,
    source: str = "rows",
    rank: int | None = None,
    gpus: Sequence[tuple[int, str | None]] = (),
) -> RawTrace:
    """One source that holds `rows`."""
    numbered = [
        (at if isinstance(row, CounterRow) or row.event is None else row.event, row)
        for at, row in enumerate(rows)
    ]
    tables = _Tables()
    return RawTrace(
        source=source,
        ranges=_ranges([(at, row) for at, row in numbered if isinstance(row, RangeRow)], tables),
        apis=_apis([(at, row) for at, row in numbered if isinstance(row, ApiRow)], tables),
        launches=_launches(
            [(at, row) for at, row in numbered if isinstance(row, LaunchRow)], tables
        ),
        pids=tuple(tables.pids),
        rank=rank,
        gpus=tuple(gpus),
        frames=_frames([(at, row) for at, row in numbered if isinstance(row, FrameRow)], tables),
        counters=_counters([row for _, row in numbered if isinstance(row, CounterRow)]),
    )


def _counters(rows: list[CounterRow]) -> CounterSamples | None:
    counters: dict[tuple[str, str], int] = {}
    return (
        CounterSamples(
            source=np.zeros(len(rows), dtype=np.int64),
            device=_ints(row.device for row in rows),
            name_id=_ints(counters.setdefault((row.name, row.unit), len(counters)) for row in rows),
            time_ns=_ints(row.time_ns for row in rows),
            value=np.array([row.value for row in rows], dtype=np.float64),
            names=tuple(name for name, _ in counters),
            units=tuple(unit for _, unit in counters),
        )
        if rows
        else None
    )


def _frames(rows: list[tuple[int, FrameRow]], tables: _Tables) -> Ranges | None:
    return (
        _ranges(
            [
                (
                    at,
                    RangeRow(
                        row.name,
                        row.start_ns,
                        row.end_ns,
                        thread=row.thread,
                        kind=RangeKind.FRAME,
                        pid=row.pid,
                    ),
                )
                for at, row in rows
            ],
            tables,
        )
        if rows
        else None
    )


class _Tables:
    """The processes met so far."""

    def __init__(self) -> None:
        self.pids: dict[str, int] = {}

    def process(self, pid: str | None) -> int:
        return NONE if pid is None else self.pids.setdefault(pid, len(self.pids))


def _ranges(rows: list[tuple[int, RangeRow]], tables: _Tables) -> Ranges:
    names: dict[str, int] = {}
    details: dict[RangeDetail, int] = {}
    return Ranges(
        name_id=_ints(names.setdefault(row.name, len(names)) for _, row in rows),
        kind=_small(row.kind for _, row in rows),
        start_ns=_ints(row.start_ns for _, row in rows),
        dur_ns=_ints(row.end_ns - row.start_ns for _, row in rows),
        process=_ints(tables.process(row.pid) for _, row in rows),
        thread=_ints(row.thread for _, row in rows),
        external=_ints(row.external for _, row in rows),
        sequence=_ints(row.sequence for _, row in rows),
        event=_ints(at for at, _ in rows),
        parent=_none(len(rows)),
        detail_id=_ints(
            NONE if row.detail is None else details.setdefault(row.detail, len(details))
            for _, row in rows
        ),
        names=tuple(names),
        details=tuple(details),
    )


def _apis(rows: list[tuple[int, ApiRow]], tables: _Tables) -> ApiCalls:
    names: dict[str, int] = {}
    return ApiCalls(
        name_id=_ints(names.setdefault(row.name, len(names)) for _, row in rows),
        start_ns=_ints(row.start_ns for _, row in rows),
        dur_ns=_ints(row.end_ns - row.start_ns for _, row in rows),
        process=_ints(tables.process(row.pid) for _, row in rows),
        thread=_ints(row.thread for _, row in rows),
        correlation=_ints(row.correlation for _, row in rows),
        external=_ints(row.external for _, row in rows),
        device_name_id=_ints(
            NONE if row.device_name is None else names.setdefault(row.device_name, len(names))
            for _, row in rows
        ),
        event=_ints(at for at, _ in rows),
        range=_none(len(rows)),
        names=tuple(names),
    )


def _launches(rows: list[tuple[int, LaunchRow]], tables: _Tables) -> Launches:
    names: dict[str, int] = {}
    return Launches(
        name_id=_ints(names.setdefault(row.name, len(names)) for _, row in rows),
        activity=_small(row.activity for _, row in rows),
        start_ns=_ints(row.start_ns for _, row in rows),
        dur_ns=_ints(row.end_ns - row.start_ns for _, row in rows),
        process=_ints(tables.process(row.pid) for _, row in rows),
        device=_ints(row.device for _, row in rows),
        stream=_ints(row.stream for _, row in rows),
        correlation=_ints(row.correlation for _, row in rows),
        external=_ints(row.external for _, row in rows),
        graph=_ints(row.graph for _, row in rows),
        graph_node=_ints(row.graph_node for _, row in rows),
        grid=_extents(row.grid for _, row in rows),
        block=_extents(row.block for _, row in rows),
        event=_ints(at for at, _ in rows),
        api=_none(len(rows)),
        range=_none(len(rows)),
        origin=_none(len(rows)),
        names=tuple(names),
    )


def _ints(values: Iterable[int]) -> Int:
    return np.fromiter(values, dtype=np.int64)


def _small(values: Iterable[int]) -> Small:
    return np.fromiter(values, dtype=np.int8)


def _extents(values: Iterable[Extent]) -> Int:
    return np.array(list(values), dtype=np.int64).reshape(-1, 3)


def _none(length: int) -> Int:
    return np.full(length, NONE, dtype=np.int64)
