"""Simulated worlds as Nsight Systems exports: what nsys would have recorded under `emit_nvtx`.

    write_nsys(path, [simulated], Export(schema="3.11.1"))

Several worlds become several processes of one export, whose correlation ids, graph nodes and NVTX
domains collide, as they do in reality. Beside the world's own rows there is what such files hold
besides: ranges of another domain that cross torch's, start/end ranges, marks, repeated api rows.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from kernelmap.model.marks import DOMAIN
from worlds.capture import NODE
from worlds.nsys_schema import (
    GRAPH_TRACE,
    KERNEL,
    MEMCPY,
    MEMSET,
    NVTX,
    RUNTIME,
    Schema,
    create,
    meta_table,
    node_table,
    tables,
)
from worlds.recorder import START_NS
from worlds.rows import MARK, Row
from worlds.trace import SimulatedTrace

EPOCH_NS = 1_700_000_000_000_000_000
_LEAD_NS = 1_000_000_000  # the session began earlier
_VM = 1 << 48
_PUSH_POP, _START_END, _MARK, _DOMAIN = 59, 60, 34, 75
_BACKTRACE, _NODE_CREATION = 67, 77
_OURS = 5  # the number of the domain of marks in the first process
_COPIES = {"HtoD": 1, "DtoH": 2, "DtoD": 8}
_PLACES = {"Pageable": 0, "Pinned": 1, "Device": 2}
_VERSIONS = {"cudaLaunchKernel": "v7000", "cudaGraphLaunch": "v10000"}

Cell = int | str | None
Record = Mapping[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """How a world is exported.

    `cut_ns`: rows that start earlier, in ns since the first one, were not recorded. `graphs`:
    replays kernel by kernel, or as one row each. `shuffled`: rows in no order. `backtrace`: api
    rows are there twice. `crossing`: with the ranges of other domains.
    `ranges`: with what torch writes under `emit_nvtx`; `marks`: with what a capture writes.
    """

    schema: Schema = "3.11.1"
    cut_ns: int = 0
    graphs_whole: bool = False
    shuffled: int | None = None
    backtrace: bool = False
    crossing: bool = True
    ranges: bool = True
    marks: bool = False


def global_tid(process: int, row: Row) -> int:
    """The global id of the thread that a row belongs to."""
    return _VM | (pid_of(process) << 24) | (row.tid & 0xFFFFFF)


def pid_of(process: int) -> int:
    """The pid of the n-th world of an export."""
    return 4242 + process


def write_nsys(path: Path, traces: Sequence[SimulatedTrace], export: Export | None = None) -> None:
    """Write `traces` as the processes of one export to `path`, which must not exist."""
    export = export or Export()
    records = _Records(export)
    for process, trace in enumerate(traces):
        records.add(process, trace)
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, columns in tables(export.schema).items():
            rows = [tuple(map(record.get, columns)) for record in records[table]]
            if not rows:
                continue  # nsys makes no empty tables
            if export.shuffled is not None:
                Random(export.shuffled).shuffle(rows)  # noqa: S311 -- a simulation
            connection.execute(create(table, columns))
            places = ", ".join("?" * len(columns))
            insert = f"INSERT INTO {table} VALUES ({places})"  # noqa: S608 -- our own tables
            connection.executemany(insert, rows)


class _Records:
    """Records by table."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self._strings: dict[str, int] = {}
        self._records: defaultdict[str, list[Record]] = defaultdict(list)

    def __getitem__(self, table: str) -> list[Record]:
        if table == "StringIds":
            return [{"id": number, "value": text} for text, number in self._strings.items()]
        return self._records[table]

    def add(self, process: int, trace: SimulatedTrace) -> None:
        """The rows of one process."""
        first = min(row.start_ns for row in trace.rows) + self._export.cut_ns
        rows = [row for row in trace.rows if row.start_ns >= first]
        whole: defaultdict[int, list[Row]] = defaultdict(list)
        for row in rows:
            if row.node is not None and row.category != NODE and self._export.graphs_whole:
                whole[row.correlation or 0].append(row)
            else:
                self._add(process, row)
        for launched in whole.values():
            self._whole_graph(process, launched)
        if self._export.crossing:
            self._others(process, rows)
        self._about(process, rows)

    def _add(self, process: int, row: Row) -> None:
        if row.category == MARK and self._export.marks:
            number = self._string(row.name)
            self._nvtx(process, row, eventType=_PUSH_POP, textId=number, domainId=_OURS + process)
        elif row.category in ("cpu_op", "user_annotation") and self._export.ranges:
            registered = len(self._records[NVTX]) % 7 == 0
            text = nvtx_text(row)
            self._nvtx(
                process,
                row,
                eventType=_PUSH_POP,
                text=None if registered else text,
                textId=self._string(text) if registered else None,
            )
        elif row.category in ("cuda_runtime", "cuda_driver"):
            self._api(process, row)
        elif row.category == NODE:
            self._records[node_table(self._export.schema)].append(
                {
                    **_times(row),
                    "eventClass": _NODE_CREATION,
                    "globalTid": global_tid(process, row),
                    "nameId": self._string(_api_name(row)),
                    "graphNodeId": row.node,
                    "originalGraphNodeId": _integer(row.args["original"]),
                }
            )
        elif row.owner is not None:
            self._launch(process, row)

    def _nvtx(self, process: int, row: Row, **cells: Cell) -> None:
        record = {**_times(row), "globalTid": global_tid(process, row), "domainId": 0, **cells}
        self._records[NVTX].append(record)

    def _api(self, process: int, row: Row) -> None:
        record: Record = {
            **_times(row),
            "eventClass": int(row.category == "cuda_driver"),
            "globalTid": global_tid(process, row),
            "correlationId": row.correlation,
            "nameId": self._string(_api_name(row)),
            "returnValue": 0,
        }
        self._records[RUNTIME].append(record)
        if self._export.backtrace:
            again = {"eventClass": _BACKTRACE, "nameId": self._string(row.name)}
            wider = {"start": _at(row.start_ns) - 30, "end": _at(row.end_ns) + 30}
            self._records[RUNTIME].append({**record, **again, **wider})

    def _launch(self, process: int, row: Row) -> None:
        record = self._on_gpu(process, row)
        if row.category == "kernel":
            name = self._string(row.name)
            record |= {"demangledName": name, "shortName": name, "mangledName": name, "gridId": 1}
            record |= {"registersPerThread": 32, "tensorSizeMinusOneElements": ""}
            record |= _extent("grid", row.args["grid"]) | _extent("block", row.args["block"])
            self._records[KERNEL].append(record)
        elif row.category == "gpu_memcpy":
            kind, _, places = row.name.removeprefix("Memcpy ").partition(" (")
            source, _, target = places.rstrip(")").partition(" -> ")
            record |= {"copyKind": _COPIES[kind], "bytes": _integer(row.args["bytes"])}
            record |= {"srcKind": _PLACES[source], "dstKind": _PLACES[target]}
            self._records[MEMCPY].append(record)
        else:
            record |= {"memKind": 2, "value": 0, "bytes": _integer(row.args["bytes"])}
            self._records[MEMSET].append(record)

    def _whole_graph(self, process: int, rows: Sequence[Row]) -> None:
        record = self._on_gpu(process, rows[0])
        graph = (rows[0].node or 0) >> 32
        record |= {"end": max(_at(row.end_ns) for row in rows)}
        record |= {"graphId": graph, "graphExecId": graph, "graphNodeId": None}
        self._records[GRAPH_TRACE].append(record)

    def _on_gpu(self, process: int, row: Row) -> dict[str, Cell]:
        return {
            **_times(row),
            "deviceId": _integer(row.args["device"]),
            "contextId": _integer(row.args["context"]),
            "streamId": _integer(row.args["stream"]),
            "correlationId": row.correlation,
            "globalPid": _VM | (pid_of(process) << 24),
            "graphNodeId": row.node,
        }

    def _others(self, process: int, rows: Sequence[Row]) -> None:
        """Another domain, numbered anew in each process, and what need not nest."""
        host = [row for row in rows if row.category == "cpu_op"]
        number = 1 + process
        self._domain(process, "NCCL", number)
        for before, after in zip(host[::9], host[5::9], strict=False):
            crossing = {"end": _at(after.start_ns + after.dur_ns // 2) + 1}
            self._nvtx(
                process, before, eventType=_PUSH_POP, text="ncclSend", domainId=number, **crossing
            )
            self._nvtx(process, before, eventType=_START_END, text="aten::mm", **crossing)
            self._nvtx(process, before, eventType=_MARK, end=None, text="aten::mm")

    def _domain(self, process: int, name: str, number: int) -> None:
        record: Record = {"start": 0, "eventType": _DOMAIN, "text": name, "domainId": number}
        self._records[NVTX].append({**record, "globalTid": _VM | (pid_of(process) << 24) | 1})

    def _about(self, process: int, rows: Sequence[Row]) -> None:
        """What stands once per export or process."""
        pid = pid_of(process)
        self._records["PROCESSES"].append(
            {"globalPid": _VM | (pid << 24), "pid": pid, "name": "python"}
        )
        if self._export.marks:
            self._domain(process, DOMAIN, _OURS + process)
        if process:
            return
        self._records["TARGET_INFO_SESSION_START_TIME"].append({"utcEpochNs": EPOCH_NS})
        duration = max(_at(row.end_ns) for row in rows)
        self._records["ANALYSIS_DETAILS"].append({"globalVid": _VM, "duration": duration})
        self._records["TARGET_INFO_GPU"].append(
            {"vmId": _VM, "id": 3, "name": "Simulated GPU", "uuid": "u", "cuDevice": 0}
        )
        version = {"name": "EXPORT_SCHEMA_VERSION", "value": self._export.schema}
        self._records[meta_table(self._export.schema)].append(version)

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))


def nvtx_text(row: Row) -> str:
    """The text of a range as `emit_nvtx` writes it."""
    sequence, shapes = row.args.get("Sequence number"), row.args.get("Input Dims")
    parts: Iterator[str] = iter(
        [
            row.name,
            *([f"seq = {sequence}"] if sequence is not None else []),
            f"op_id = {row.args['External id']}",
            *([f"sizes = {shapes}"] if shapes else []),
        ]
    )
    return ", ".join(parts)


def _api_name(row: Row) -> str:
    return (
        f"{row.name}_{_VERSIONS.get(row.name, 'v3020')}"
        if row.name.startswith("cuda")
        else row.name
    )


def _times(row: Row) -> dict[str, Cell]:
    return {"start": _at(row.start_ns), "end": _at(row.end_ns)}


def _at(time_ns: int) -> int:
    return time_ns - START_NS + _LEAD_NS


def _extent(name: str, sizes: object) -> dict[str, Cell]:
    sides = sizes if isinstance(sizes, list) else []
    return {f"{name}{axis}": int(side) for axis, side in zip("XYZ", sides, strict=True)}


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) else None
