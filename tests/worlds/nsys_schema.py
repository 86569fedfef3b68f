"""The tables of nsys exports, column by column, in three schemas.

3.0.0 (nsys 2022.4), 3.11.1 (2024.2) and 3.25.0 (2026.2): later ones insert columns in the middle,
give graph nodes a table of their own, and rename the table of metadata. Only tables that a reader
of launches needs, and those without which `nsys stats` does not run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Schema = Literal["3.0.0", "3.11.1", "3.25.0"]
Columns = tuple[str, ...]

KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
MEMCPY = "CUPTI_ACTIVITY_KIND_MEMCPY"
MEMSET = "CUPTI_ACTIVITY_KIND_MEMSET"
RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
GRAPH_TRACE = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
NVTX = "NVTX_EVENTS"

_TEXTS = ("text", "jsonText", "binaryData", "value", "name", "tensorSizeMinusOneElements")

_START = "start end deviceId contextId"
_END = "streamId correlationId globalPid"
_NAMES = "demangledName shortName mangledName launchType cacheConfig registersPerThread"
_GRID = "gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory"
_LOCAL = "localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId"
_KERNEL = f"{_END} {_NAMES} {_GRID} {_LOCAL} sharedMemoryLimitConfig"
_MEMCPY = (
    f"{_END} bytes copyKind deprecatedSrcId srcKind dstKind srcDeviceId srcContextId dstDeviceId"
    " dstContextId migrationCause graphNodeId virtualAddress"
)
_MEMSET = f"{_END} value bytes graphNodeId memKind"
_NODES = "start end eventClass globalTid nameId graphNodeId originalGraphNodeId"
_NVTX = (
    "start end eventType rangeId category color text globalTid endGlobalTid textId domainId"
    " uint64Value int64Value doubleValue uint32Value int32Value floatValue jsonTextId jsonText"
)
_LATE = (
    "qmdBulkReleaseDone qmdPreexitDone qmdLastCtaDone graphId clusterX clusterY clusterZ"
    " clusterSchedulingPolicy maxPotentialClusterSize maxActiveClusters"
    " sharedMemoryRequestedPercentage tensorSizeMinusOneElements"
)

_ALWAYS = {
    RUNTIME: "start end eventClass globalTid correlationId nameId returnValue callchainId",
    "StringIds": "id value",
    "TARGET_INFO_GPU": "vmId id name uuid cuDevice",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs utcTime localTime",
    "ANALYSIS_DETAILS": "globalVid duration startTime stopTime",
    "PROCESSES": "globalPid pid name",
}


def tables(schema: Schema) -> Mapping[str, Columns]:
    """Columns by table."""
    old = schema == "3.0.0"
    middle = _START if old else f"{_START} greenContextId"
    late = f" {_LATE}" if schema == "3.25.0" else ""
    columns_of_table = {
        KERNEL: f"{middle} {_KERNEL}{late}",
        MEMCPY: f"{middle} {_MEMCPY}",
        MEMSET: f"{middle} {_MEMSET}",
        NVTX: _NVTX + (" binaryData" if late else ""),
        **_ALWAYS,
        **(
            {"CUDA_GRAPH_EVENTS": _NODES, "EXPORT_META_DATA": "name value"} if old else _new(middle)
        ),
    }
    return {table: tuple(columns.split()) for table, columns in columns_of_table.items()}


def node_table(schema: Schema) -> str:
    """The table with the graph nodes."""
    return "CUDA_GRAPH_EVENTS" if schema == "3.0.0" else "CUDA_GRAPH_NODE_EVENTS"


def meta_table(schema: Schema) -> str:
    """The table that holds the version."""
    return "EXPORT_META_DATA" if schema == "3.0.0" else "META_DATA_EXPORT"


def create(table: str, columns: Columns) -> str:
    """The statement that makes `table`."""
    typed = ", ".join(f"{name} {'TEXT' if name in _TEXTS else 'INTEGER'}" for name in columns)
    if table == "StringIds":
        typed = typed.replace("id INTEGER", "id INTEGER NOT NULL PRIMARY KEY")
    if table == MEMSET:
        typed = typed.replace("value TEXT", "value INTEGER")
    return f"CREATE TABLE {table} ({typed})"


def _new(middle: str) -> Mapping[str, str]:
    return {
        "CUDA_GRAPH_NODE_EVENTS": _NODES,
        "CUDA_GRAPH_EVENTS": "start end eventClass globalTid nameId graphId originalGraphId"
        " graphExecId",
        GRAPH_TRACE: f"{middle} {_END} graphId graphExecId",
        "META_DATA_EXPORT": "name value",
    }
