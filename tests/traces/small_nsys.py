"""Exports in a few lines: tables as lists of rows, a column for each name that a row uses.

write_export(path, {"CUPTI_ACTIVITY_KIND_KERNEL": [kernel(10, 20, name=1)], ...})
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

Cell = int | float | str | bytes | None
Record = Mapping[str, Cell]
Tables = Mapping[str, Sequence[Record]]

KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
NODES = "CUDA_GRAPH_NODE_EVENTS"
NVTX = "NVTX_EVENTS"


def gid(pid: int, tid: int = 0) -> int:
    """A global id as nsys makes it."""
    return 1 << 48 | pid << 24 | tid


def kernel(start: int, end: int, **cells: Cell) -> Record:
    """A kernel of process 7 under the name with id 1."""
    defaults: Record = {"deviceId": 0, "streamId": 7, "correlationId": 1, "globalPid": gid(7)}
    return {"start": start, "end": end, **defaults, "demangledName": 1, **cells}


def api(start: int, end: int, **cells: Cell) -> Record:
    """A runtime call of thread 1 of process 7 under the name with id 2."""
    defaults: Record = {"eventClass": 0, "globalTid": gid(7, 1), "correlationId": 1, "nameId": 2}
    return {"start": start, "end": end, **defaults, **cells}


def push_pop(start: int, end: int | None, text: str | None, **cells: Cell) -> Record:
    """A push/pop range of thread 1 of process 7 in the default domain."""
    defaults: Record = {"eventType": 59, "globalTid": gid(7, 1), "domainId": 0, "textId": None}
    return {"start": start, "end": end, "text": text, **defaults, **cells}


def node(start: int, number: int, original: int | None = None, **cells: Cell) -> Record:
    """The creation of a graph node on thread 1 of process 7."""
    defaults: Record = {"end": start + 2, "globalTid": gid(7, 1), "nameId": 2}
    return {
        "start": start,
        "graphNodeId": number,
        "originalGraphNodeId": original,
        **defaults,
        **cells,
    }


def strings(*texts: str) -> list[Record]:
    """StringIds that count from 1."""
    return [{"id": number, "value": text} for number, text in enumerate(texts, 1)]


def launched(*kernels: Record, **more: Sequence[Record]) -> Tables:
    """An export of `kernels`, launched by one call; `more` are other tables."""
    return {
        KERNEL: kernels,
        RUNTIME: [api(1, 3)],
        "StringIds": strings("sgemm", "cudaLaunchKernel_v7000"),
        **more,
    }


def write_export(path: Path, tables: Tables) -> Path:
    """Write `tables`, those without rows left out; types of columns are left to SQLite."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, rows in tables.items():
            if not rows:
                continue
            columns = list(dict.fromkeys(name for row in rows for name in row))
            quoted = ", ".join(f'"{name}"' for name in columns)
            connection.execute(f'CREATE TABLE "{table}" ({quoted})')
            connection.executemany(
                f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})',  # noqa: S608 -- our own
                [tuple(row.get(name) for name in columns) for row in rows],
            )
    return path
