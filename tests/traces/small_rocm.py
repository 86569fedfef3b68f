"""One run in the three forms in which a GPU of AMD's is recorded.

    write_kineto(path, trace), write_json(path, trace), write_rocpd(path, trace, by_track=True)

Written after the sources of rocprofiler-sdk and of Kineto for ROCm: no file was seen.
The run is any trace; its calls of CUDA become those of HIP, fills of memory are left out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from kernelmap.model.trace import Activity, Trace
from kernelmap.traces.assemble import assemble_trace
from kernelmap.traces.range_texts import kind_of_range
from trace_rows import ApiRow, LaunchRow, RangeRow, raw_trace

PID, AGENT, CPU, NODE = 4242, 4, 0, 77
GPU_NAME = "AMD Instinct MI300X"
UUID = "0198_aaaa"
Cell = int | str | None
Record = Mapping[str, Cell]
Facts = Mapping[str, Any]
_KINDS = ("NONE", "HIP_RUNTIME_API", "HSA_CORE_API", "MARKER_CORE_RANGE_API", "KERNEL", "COPY")
_COPIED = {
    "HtoD": ("MEMORY_COPY_HOST_TO_DEVICE", "Host", "Device"),
    "DtoH": ("MEMORY_COPY_DEVICE_TO_HOST", "Device", "Host"),
    "DtoD": ("MEMORY_COPY_DEVICE_TO_DEVICE", "Device", "Device"),
}


def tiny_run() -> Trace:
    """A range with two kernels and a copy."""
    return assemble_trace(
        raw_trace(
            [
                RangeRow("aten::mm", 1_000, 9_000),
                ApiRow("hipLaunchKernel", 1_500, 2_000, correlation=11),
                ApiRow("hipMemcpyAsync", 2_500, 3_000, correlation=12),
                ApiRow("hipModuleLaunchKernel", 3_500, 4_000, correlation=13),
                LaunchRow("Cijk_a", 5_000, 6_000, 11, stream=3, grid=(4, 1, 1), block=(64, 2, 1)),
                LaunchRow("Memcpy HtoD (Host -> Device)", 6_000, 6_500, 12, 0, 3, Activity.MEMCPY),
                LaunchRow(
                    "triton_a", 7_000, 8_000, 13, stream=3, grid=(5, 1, 1), block=(256, 1, 1)
                ),
            ]
        )
    )


class Recorded:
    """The rows of a trace as plain records: `ranges`, `calls`, `kernels` and `copies`."""

    def __init__(self, trace: Trace) -> None:
        launches, apis, ranges = trace.launches, trace.apis, trace.ranges
        launches = launches.take_rows(np.not_equal(launches.activity, Activity.MEMSET))
        zero = trace.origin_ns - 1000
        self.ranges: list[Facts] = [
            {
                "name": ranges.name_of(row),
                "sequence": int(ranges.sequence[row]),
                "start": int(ranges.start_ns[row]) - zero,
                "end": int(ranges.start_ns[row] + ranges.dur_ns[row]) - zero,
                "thread": int(ranges.thread[row]),
            }
            for row in range(len(ranges))
        ]
        self.calls: list[Facts] = [
            {
                "name": _of_hip(apis.names[int(apis.name_id[row])]),
                "start": int(apis.start_ns[row]) - zero,
                "end": int(apis.start_ns[row] + apis.dur_ns[row]) - zero,
                "thread": int(apis.thread[row]),
                "id": int(apis.correlation[row]),
            }
            for row in range(len(apis))
            if "Memset" not in apis.names[int(apis.name_id[row])]
        ]
        work: list[Facts] = [
            {
                "name": launches.names[int(launches.name_id[row])],
                "activity": Activity(int(launches.activity[row])),
                "start": int(launches.start_ns[row]) - zero,
                "end": int(launches.start_ns[row] + launches.dur_ns[row]) - zero,
                "stream": int(launches.stream[row]),
                "id": int(launches.correlation[row]),
                "grid": launches.grid[row].tolist(),
                "block": launches.block[row].tolist(),
            }
            for row in range(len(launches))
        ]
        self.kernels = [row for row in work if row["activity"] is Activity.KERNEL]
        self.copies = [row for row in work if row["activity"] is Activity.MEMCPY]
        # Ids of ranges come behind those of calls: rocprofiler-sdk counts both in one row.
        self.first_id = max((row["id"] for row in self.calls), default=0) + 1


def _of_hip(name: str) -> str:
    """The call of HIP that torch makes on ROCm where it makes this one of CUDA."""
    if name.startswith("cuLaunchKernel"):
        return "hipModuleLaunchKernel"
    return name.replace("cuda", "hip", 1)


def text_of(row: Facts) -> str:
    """What `emit_nvtx` writes for a range."""
    return row["name"] if row["sequence"] < 0 else f"{row['name']}, seq = {row['sequence']}"


def copied(row: Facts) -> tuple[str, str, str]:
    """The operation of a copy, and the places between which it copies."""
    return _COPIED[row["name"].split()[1]]


def write_kineto(path: Path, trace: Trace) -> Path:
    """The run as torch's profiler writes it on ROCm."""
    run = Recorded(trace)
    events = [
        _event(
            row["name"],
            ("cpu_op", "user_annotation")[int(kind_of_range(row["name"]))],
            row,
            {} if row["sequence"] < 0 else {"Sequence number": row["sequence"]},
        )
        for row in run.ranges
    ]
    events += [
        _event(row["name"], "cuda_runtime", row, {"correlation": row["id"]}) for row in run.calls
    ]
    for row in (*run.kernels, *run.copies):
        args = {"device": 0, "stream": row["stream"], "correlation": row["id"]}
        name, category = row["name"], "kernel"
        if row["activity"] is Activity.MEMCPY:
            _, source, target = copied(row)
            name = f"Memcpy {source[0]}to{target[0]} ({source} -> {target})"
            category = "gpu_memcpy"
        else:
            args |= {"kind": "Dispatch Kernel", "grid": row["grid"], "block": row["block"]}
        events.append(_event(name, category, {**row, "thread": 0}, args, pid=0))
    around = {"deviceProperties": [{"id": 0, "name": GPU_NAME}]}
    path.write_text(json.dumps({**around, "traceEvents": events}), encoding="utf-8")
    return path


def _event(
    name: str, category: str, row: Facts, args: Mapping[str, Any], pid: int = PID
) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": pid,
        "tid": row["thread"],
        "ts": row["start"] / 1000,
        "dur": (row["end"] - row["start"]) / 1000,
        "args": args,
    }


def json_of(trace: Trace) -> dict[str, Any]:
    """The run as rocprofv3 writes it with --output-format json."""
    run = Recorded(trace)
    hip = sorted({row["name"] for row in run.calls})
    symbols = sorted({row["name"] for row in run.kernels})
    copies = [operation for operation, _, _ in _COPIED.values()]
    operations = [[], hip, ["hsa_x"], ["roctxMarkA", "roctxThreadRangeA"], [], copies]

    def called(kind: int, operation: int, number: int, row: Facts) -> dict[str, Any]:
        return {
            "kind": kind,
            "operation": operation,
            "correlation_id": {"internal": number, "external": 0, "ancestor": 0},
            "start_timestamp": row["start"],
            "end_timestamp": row["end"],
            "thread_id": row.get("thread", 1),
        }

    ranges = list(enumerate(run.ranges, run.first_id))
    return {
        "metadata": {"pid": PID, "node": {"hostname": "secret-host"}, "command": ["secret"]},
        "agents": [
            {"id": {"handle": 9000 + CPU}, "type": 1, "node_id": 0, "name": "CPU"},
            {
                "id": {"handle": 9000 + AGENT},
                "type": 2,
                "node_id": AGENT,
                "logical_node_type_id": 0,
                "name": "gfx942",
                "product_name": GPU_NAME,
            },
        ],
        "strings": {
            "buffer_records": [
                {"kind": kind, "operations": each}
                for kind, each in zip(_KINDS, operations, strict=True)
            ],
            "marker_api": [{"key": number, "value": text_of(row)} for number, row in ranges],
        },
        "kernel_symbols": [
            {
                "kernel_id": at,
                "kernel_name": f"{name}.kd",
                "formatted_kernel_name": f"{name}.kd",
                "demangled_kernel_name": f"{name}.kd",
                "truncated_kernel_name": name[:4],
            }
            for at, name in enumerate(symbols, 1)
        ],
        "buffer_records": {
            "hip_api": [called(1, hip.index(row["name"]), row["id"], row) for row in run.calls],
            "marker_api": [called(3, 1, number, row) for number, row in ranges],
            "kernel_dispatch": [
                {
                    **called(4, 0, row["id"], row),
                    "stream_id": {"handle": row["stream"]},
                    "dispatch_info": {
                        "agent_id": {"handle": 9000 + AGENT},
                        "queue_id": {"handle": 1},
                        "kernel_id": symbols.index(row["name"]) + 1,
                        "workgroup_size": dict(zip("xyz", row["block"], strict=True)),
                        "grid_size": dict(zip("xyz", _items(row), strict=True)),
                    },
                }
                for row in run.kernels
            ],
            "memory_copy": [
                {
                    **called(5, copies.index(copied(row)[0]), row["id"], row),
                    "stream_id": {"handle": row["stream"]},
                    "src_agent_id": {"handle": 9000 + _agent(copied(row)[1])},
                    "dst_agent_id": {"handle": 9000 + _agent(copied(row)[2])},
                    "bytes": 64,
                }
                for row in run.copies
            ],
        },
    }


def _agent(place: str) -> int:
    return AGENT if place == "Device" else CPU


def _items(row: Facts) -> list[int]:
    """Work items along each axis: what AMD calls the size of a grid."""
    return [grid * block for grid, block in zip(row["grid"], row["block"], strict=True)]


def write_json(path: Path, *traces: Trace) -> Path:
    """The same as a file; several traces are several processes."""
    content = {"rocprofiler-sdk-tool": [json_of(trace) for trace in traces]}
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def tables_of(
    trace: Trace, *, by_track: bool = False, uuid: str = UUID, pid: int = PID
) -> dict[str, list[Record]]:
    """The run as the tables of a rocpd database, in one of its two layouts."""
    run = Recorded(trace)
    texts: list[str] = []
    tracks: list[Record] = []
    stamps: list[int] = []
    events: list[Record] = []

    def string(text: str) -> int:
        if text not in texts:
            texts.append(text)
        return texts.index(text) + 1

    def event(number: int, message: str | None = None) -> int:
        extra = "{}" if message is None else json.dumps({"message": message})
        events.append(
            {"id": len(events) + 1, "stack_id": number, "parent_stack_id": 0, "extdata": extra}
        )
        return len(events)

    def placed(row: Facts, **place: int) -> Record:
        where = {"nid": NODE, "pid": pid, **place}
        if not by_track:
            return {**where, "start": row["start"], "end": row["end"]}
        if where not in tracks:
            tracks.append(where)
        stamps.extend((row["start"], row["end"]))
        track = tracks.index(where) + 1
        return {"track_id": track, "start_id": len(stamps) - 1, "end_id": len(stamps)}

    symbols = sorted({row["name"] for row in run.kernels})
    threads = sorted({row["thread"] for row in (*run.ranges, *run.calls)})
    regions: list[Record] = [
        {
            **placed(row, tid=threads.index(row["thread"]) + 1),
            "name_id": string(row["name"]),
            "event_id": event(row["id"]),
        }
        for row in run.calls
    ]
    regions += [
        {
            **placed(row, tid=threads.index(row["thread"]) + 1),
            "name_id": string("roctxThreadRangeA"),
            "event_id": event(number, text_of(row)),
        }
        for number, row in enumerate(run.ranges, run.first_id)
    ]
    dispatches: list[Record] = [
        {
            **placed(row, agent_id=AGENT, queue_id=1, stream_id=row["stream"]),
            "kernel_id": symbols.index(row["name"]) + 1,
            "event_id": event(row["id"]),
            **_sizes("grid", _items(row)),
            **_sizes("workgroup", row["block"]),
        }
        for row in run.kernels
    ]
    copies: list[Record] = [
        {
            **placed(row, stream_id=row["stream"]),
            "name_id": string(copied(row)[0]),
            "src_agent_id": _agent(copied(row)[1]),
            "dst_agent_id": _agent(copied(row)[2]),
            "size": 64,
            "event_id": event(row["id"]),
        }
        for row in run.copies
    ]
    tables: dict[str, list[Record]] = {
        "rocpd_metadata": [{"tag": "schema_version", "value": "3"}],
        "rocpd_string": [{"string": text} for text in texts],
        "rocpd_info_process": [
            {"id": pid, "nid": NODE, "pid": pid, "command": "secret", "environment": "secret"}
        ],
        "rocpd_info_thread": [{"tid": thread} for thread in threads],
        "rocpd_info_agent": [
            {"id": CPU, "type": "CPU", "type_index": 0, "name": "CPU", "product_name": ""},
            {"id": AGENT, "type": "GPU", "type_index": 0, "name": "g", "product_name": GPU_NAME},
        ],
        "rocpd_info_kernel_symbol": [
            {
                "kernel_name": f"{name}.kd",
                "display_name": name[:4],
                "extdata": json.dumps({"demangled_kernel_name": f"{name}.kd"}),
            }
            for name in symbols
        ],
        "rocpd_event": events,
        "rocpd_region": regions,
        "rocpd_kernel_dispatch": dispatches,
        "rocpd_memory_copy": copies,
    }
    if by_track:
        empty = dict.fromkeys(("pid", "tid", "agent_id", "queue_id", "stream_id"))
        tables["rocpd_track"] = [{**empty, **track} for track in tracks]
        tables["rocpd_timestamp"] = [{"value": value} for value in stamps]
    guid = uuid.replace("_", "-")
    return {
        f"{table}_{uuid}": [{"id": at, "guid": guid, **row} for at, row in enumerate(rows, 1)]
        for table, rows in tables.items()
    }


def _sizes(what: str, extents: Sequence[int]) -> dict[str, int]:
    return {f"{what}_size_{axis}": extent for axis, extent in zip("xyz", extents, strict=True)}


def write_tables(path: Path, tables: Mapping[str, Sequence[Record]]) -> Path:
    """Write `tables`, those without rows left out; types of columns are left to SQLite."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, rows in tables.items():
            if not rows:
                continue
            columns = list(dict.fromkeys(name for row in rows for name in row))
            quoted = ", ".join(f'"{name}"' for name in columns)
            connection.execute(f'CREATE TABLE "{table}" ({quoted})')
            marks = ", ".join("?" * len(columns))
            connection.executemany(
                f'INSERT INTO "{table}" VALUES ({marks})',  # noqa: S608 -- our own
                [[row.get(name) for name in columns] for row in rows],
            )
    return path


def write_rocpd(path: Path, trace: Trace, *, by_track: bool = False) -> Path:
    """The run as a database of one process."""
    return write_tables(path, tables_of(trace, by_track=by_track))
