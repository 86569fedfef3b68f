"""Kernels, copies, fills and whole CUDA graphs of an export → Launches.

Names: a kernel's demangled name, as NVIDIA spells it; copies and fills as Kineto writes them
(`Memcpy HtoD (Pinned -> Device)`). A graph that was recorded as one activity is a launch, too: its
time is the graph's, gaps between its kernels included. Left out, where a graph's kernels were
recorded as well: the graph, so that no time counts twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kernelmap.facts.copies import COPY_KINDS, MEMORY_KINDS, UNKNOWN, name_copy, name_fill
from kernelmap.model.columns import code_values
from kernelmap.model.trace import NONE, Activity, Int, Launches
from kernelmap.traces.columns import absent, joined
from kernelmap.traces.nsys.tables import (
    GRAPH_TRACE,
    KERNEL,
    MEMCPY,
    MEMSET,
    Processes,
    Strings,
    require,
)
from kernelmap.traces.sqlite_tables import SqliteTables, readable_rows

_PLACE = ("start", "end", "deviceId", "streamId", "correlationId", "globalPid")
_GRID, _BLOCK = ("gridX", "gridY", "gridZ"), ("blockX", "blockY", "blockZ")
_NAMES = ("demangledName", "shortName", "mangledName")
_COLUMNS = {
    KERNEL: (*_PLACE, "graphNodeId", *_NAMES, *_GRID, *_BLOCK),
    MEMCPY: (*_PLACE, "graphNodeId", "copyKind", "srcKind", "dstKind"),
    MEMSET: (*_PLACE, "graphNodeId", "memKind"),
    GRAPH_TRACE: (*_PLACE, "graphId"),
}
_ACTIVITY = {
    KERNEL: Activity.KERNEL,
    MEMCPY: Activity.MEMCPY,
    MEMSET: Activity.MEMSET,
    GRAPH_TRACE: Activity.GRAPH,
}
_GRAPH_BITS = 32  # the upper half of a node's id is its graph's

Rows = dict[str, Int]


def launch_rows(tables: SqliteTables) -> dict[str, Rows]:
    """Columns by table, for those tables that the export has."""
    rows_by_table = {}
    for table, columns in _COLUMNS.items():
        if tables.columns(table):
            require(tables, table, ("start", "end", "deviceId", "streamId"))
            rows_by_table[table] = readable_rows(tables, table, columns)
    return rows_by_table


def launches_of_rows(by_table: dict[str, Rows], strings: Strings, processes: Processes) -> Launches:
    """All of them in the order of their start; times as in the export, `origin` not filled in."""
    parts = [_launches(table, rows, strings, processes) for table, rows in by_table.items()]
    # An export without any GPU table gives no launches, but columns all the same.
    whole = joined(parts or [_launches(KERNEL, _nothing(), strings, processes)])
    if (twice := _counted_by_kernels(whole)).any():
        whole = whole.take_rows(~twice)
    # Ties of start are broken by ids, so that the order does not depend on
    # the order of the export's rows.
    if (whole.start_ns[1:] < whole.start_ns[:-1]).any():
        keys = (whole.graph_node, whole.correlation, whole.stream, whole.device, whole.process)
        whole = whole.take_rows(np.lexsort((*keys, whole.start_ns)))
    return whole


def spellings(by_table: dict[str, Rows], strings: Strings) -> dict[str, tuple[str, ...]]:
    """The mangled and short names of kernels, by the names that `launches` gives them."""
    if KERNEL not in by_table:
        return {}
    rows = by_table[KERNEL]
    name_id, names = _kernel_names(rows, strings)
    # One row of each kernel tells its other names.
    example = np.zeros(len(names), dtype=np.int64)
    example[name_id] = np.arange(len(name_id))
    others = (tuple(strings[int(rows[kind][row])] for kind in _NAMES) for row in example.tolist())
    return {
        name: kept
        for name, spelled in zip(names, others, strict=True)
        if (
            kept := tuple(
                dict.fromkeys(spelling for spelling in spelled if spelling not in (None, name))
            )
        )
    }


def _nothing() -> Rows:
    return {column: absent(0) for column in _COLUMNS[KERNEL]}


def _launches(table: str, rows: Rows, strings: Strings, processes: Processes) -> Launches:
    name_id, names = _NAMED[table](rows, strings)
    count = len(name_id)
    nothing = absent(count)
    node = rows.get("graphNodeId", nothing)
    # 0 is no node: the kernel was launched outside of graphs.
    node = np.where(node > 0, node, NONE)
    return Launches(
        name_id=name_id,
        activity=np.full(count, _ACTIVITY[table], dtype=np.int8),
        start_ns=rows["start"],
        dur_ns=rows["end"] - rows["start"],
        process=processes.at(rows["globalPid"]),
        device=rows["deviceId"],
        stream=rows["streamId"],
        correlation=rows["correlationId"],
        external=nothing,
        graph=rows["graphId"]
        if table == GRAPH_TRACE
        else np.where(node > 0, node >> _GRAPH_BITS, NONE),
        graph_node=node,
        grid=np.stack([rows.get(axis, nothing) for axis in _GRID]).T,
        block=np.stack([rows.get(axis, nothing) for axis in _BLOCK]).T,
        event=nothing,
        api=nothing,
        range=nothing,
        origin=nothing,
        names=names,
    )


def _kernel_names(rows: Rows, strings: Strings) -> tuple[Int, tuple[str, ...]]:
    """The demangled name, else what there is."""
    # Ids of names, (rows,), -1 where the column is missing or empty;
    # older exports lack some of them.
    number = rows[_NAMES[0]]
    for other in _NAMES[1:]:
        number = np.where(number >= 0, number, rows[other])
    return strings.interned(number, lambda text: text or "(no name)")


def _copy_names(rows: Rows, _: Strings) -> tuple[Int, tuple[str, ...]]:
    def spelled(kind: int, source: int, target: int) -> str:
        places = _word(MEMORY_KINDS, source), _word(MEMORY_KINDS, target)
        return name_copy(_word(COPY_KINDS, kind), *places)

    return _spelled([rows["copyKind"], rows["srcKind"], rows["dstKind"]], spelled)


def _fill_names(rows: Rows, _: Strings) -> tuple[Int, tuple[str, ...]]:
    return _spelled([rows["memKind"]], lambda kind: name_fill(_word(MEMORY_KINDS, kind)))


def _graph_names(rows: Rows, _: Strings) -> tuple[Int, tuple[str, ...]]:
    return _spelled([rows["graphId"]], lambda graph: f"CUDA graph {graph}")


_NAMED = {
    KERNEL: _kernel_names,
    MEMCPY: _copy_names,
    MEMSET: _fill_names,
    GRAPH_TRACE: _graph_names,
}


def _spelled(columns: Sequence[Int], spell: Callable[..., str]) -> tuple[Int, tuple[str, ...]]:
    """Name ids and names of rows whose name follows from `columns`."""
    if not len(columns[0]):
        return columns[0], ()
    kinds, name_id = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return name_id.reshape(-1), tuple(spell(*kind) for kind in kinds.tolist())


def _word(words: Sequence[str], number: int) -> str:
    return words[number] if 0 <= number < len(words) else UNKNOWN


def _counted_by_kernels(whole: Launches) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Mask of whole graphs whose launch has activities of its own."""
    graph = np.equal(whole.activity, Activity.GRAPH)
    if not graph.any():
        return graph
    # A replay's kernels have the correlation id of their graph
    # launch, which is counted per process.
    correlation = code_values(whole.correlation)[1]
    key = whole.process * (int(correlation.max()) + 1) + correlation
    return graph & (whole.correlation >= 0) & np.isin(key, key[~graph])
