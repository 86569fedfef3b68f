"""CUPTI_ACTIVITY_KIND_RUNTIME → ApiCalls, and the calls that created the nodes of CUDA graphs.

Driver calls stand in that table, too. With backtraces on, a row of another class repeats a call
under the same correlation id: one row per call is kept, the one of CUDA itself. Names lose the
version that CUDA's runtime puts behind them (`cudaLaunchKernel_v7000`).

A replayed kernel carries a node of the graph that was launched. That graph was instantiated from
another one, perhaps in several steps, and each clone names the node it was made of. The first of
them was added inside the call that stream capture caught, so its time and thread say which host
ranges were open then. Node events become creations, api calls of which each node has one, and each
launch gets the creation that its node goes back to. Left out: nodes whose chain ends before the
recording begins, goes round in a circle, or is stated in two ways.
"""

from __future__ import annotations

import re

import numpy as np

from kernelmap.model.columns import code_values, distinct_values
from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, Launches
from kernelmap.traces.columns import absent
from kernelmap.traces.nsys.tables import (
    GRAPH_NODES,
    RUNTIME,
    Processes,
    Strings,
    process_of,
    require,
    thread_of,
)
from kernelmap.traces.sqlite_tables import SqliteTables, readable_rows

_OF_CUDA = (0, 1)  # event classes of the runtime and of the driver
_VERSION = re.compile(r"^(cuda\w+?)_v\d+$")
_COLUMNS = ("start", "end", "eventClass", "globalTid", "correlationId", "nameId")

Rows = dict[str, Int]
_NODE, _ORIGINAL = "graphNodeId", "originalGraphNodeId"
_NODE_COLUMNS = ("start", "end", "globalTid", "nameId", _NODE, _ORIGINAL)


def api_rows(tables: SqliteTables) -> Rows:
    """The table as it is, empty columns where there is none."""
    if not tables.columns(RUNTIME):
        return {column: absent(0) for column in _COLUMNS}
    require(tables, RUNTIME, ("start", "end", "nameId"))
    return readable_rows(tables, RUNTIME, _COLUMNS)


def calls_of_rows(rows: Rows, strings: Strings, processes: Processes) -> ApiCalls:
    """The calls in the order of their start, links not filled in; times as in the export."""
    process = processes.at(process_of(rows["globalTid"]))
    chosen = np.flatnonzero(~_repeats(rows, process))
    start = rows["start"][chosen]
    # Older exports are sorted already; newer ones promise no order. Of calls that start
    # together the longer one comes first.
    if (start[1:] < start[:-1]).any():
        chosen = chosen[np.lexsort((-rows["end"][chosen], start))]
    return calls({name: column[chosen] for name, column in rows.items()}, process[chosen], strings)


def calls(rows: Rows, process: Int, strings: Strings) -> ApiCalls:
    """Rows that name what the host did as api calls, in the order given."""
    name_id, names = strings.interned(rows["nameId"], api_name)
    nothing = absent(len(name_id))
    return ApiCalls(
        name_id=name_id,
        start_ns=rows["start"],
        dur_ns=rows["end"] - rows["start"],
        process=process,
        thread=thread_of(rows["globalTid"]),
        correlation=rows["correlationId"],
        external=nothing,
        device_name_id=nothing,
        event=np.arange(len(name_id), dtype=np.int64),
        range=nothing,
        names=names,
    )


def api_name(text: str | None) -> str:
    """The name of a call as CUDA's headers write it.

    >>> api_name("cudaLaunchKernel_v7000"), api_name("cuMemcpyHtoD_v2")
    ('cudaLaunchKernel', 'cuMemcpyHtoD_v2')
    """
    return "(no name)" if text is None else _VERSION.sub(r"\1", text)


def _repeats(rows: Rows, process: Int) -> Bool:
    """Mask of the rows that repeat a call of CUDA's under another class."""
    # With backtraces on, class 67 repeats a call of class 0 under its correlation id. A row of
    # another class stays where no row of CUDA's own has its id.
    event_class, correlation = rows["eventClass"], rows["correlationId"]
    other: Bool = ~np.isin(event_class, (NONE, *_OF_CUDA)) & (correlation >= 0)
    if not other.any():
        return other
    code = code_values(correlation)[1]
    key = process * (int(code.max()) + 1) + code
    again: Bool = np.isin(key, key[~other])
    return other & again


def node_rows(tables: SqliteTables) -> Rows:
    """The node events: a table of their own, or in old exports the table of graph events.

    Which one it is shows in its columns: the newer table of graph events names no node. Rows of
    whole graphs, which name none, are left out.
    """
    for table in GRAPH_NODES:
        if _NODE in tables.columns(table):
            require(tables, table, ("start", "end", _ORIGINAL))
            rows = readable_rows(tables, table, _NODE_COLUMNS)
            # 0 and NULL are rows of whole graphs.
            named = rows[_NODE] > 0
            return {name: column[named] for name, column in rows.items()}
    return {column: absent(0) for column in _NODE_COLUMNS}


def creations(
    rows: Rows, launches: Launches, strings: Strings, processes: Processes
) -> tuple[ApiCalls, Int]:
    """The creations that launches go back to, in order of time; per launch one of them or -1."""
    process = processes.at(process_of(rows["globalTid"]))
    nodes = _Nodes(process, rows[_NODE], len(processes.pids))
    # For each node the row of its first ancestor's creation, then for each launch that of its node;
    # -1 where the chain is not certain. Rows are those of the table of node events.
    row_of_node = _first_rows(nodes, process, rows)
    node = nodes.at(launches.process, launches.graph_node)
    row = np.where(node >= 0, row_of_node[node], NONE) if len(row_of_node) else node
    # Only creations that some launch goes back to become api calls, in the order of time.
    used = distinct_values(row[row >= 0])
    used = used[np.argsort(rows["start"][used], kind="stable")]
    # From the row in the table to the row among the api calls that are made here.
    rank = absent(len(process))
    rank[used] = np.arange(len(used))
    chosen = {name: column[used] for name, column in rows.items()}
    # A creation launched nothing, so no launch may find it by correlation.
    chosen["correlationId"] = absent(len(used))
    origin = np.where(row >= 0, rank[row], NONE) if len(rank) else row
    return calls(chosen, process[used], strings), origin


class _Nodes:
    """Numbers the distinct nodes; their ids are unique within a process only."""

    def __init__(self, process: Int, node: Int, processes: int) -> None:
        self._processes = max(processes, 1)
        # A table with a place for each (id, process) gives numbers to the
        # pairs that exist, and -1 to others.
        self._ids = distinct_values(node)
        self._number = absent(len(self._ids) * self._processes)
        keys = distinct_values(np.searchsorted(self._ids, node) * self._processes + process)
        self._number[keys] = np.arange(len(keys))
        self.count = len(keys)

    def at(self, process: Int, node: Int) -> Int:
        """The number of each node, -1 for those that are not among them."""
        if not self.count:
            return absent(len(node))
        # The nearest id may be another one, and -1 may be among them: both are no node.
        code = np.minimum(np.searchsorted(self._ids, node), len(self._ids) - 1)
        listed = (self._ids[code] == node) & (node >= 0) & (process >= 0)
        return np.where(listed, self._number[code * self._processes + process], NONE)


def _first_rows(nodes: _Nodes, process: Int, rows: Rows) -> Int:
    """For each node the row that created its first ancestor, -1 where none is certain."""
    node_of_row = nodes.at(process, rows[_NODE])
    original = rows[_ORIGINAL]
    # Rows with an original are clones; a row without one is the node's first creation.
    clone = original >= 0
    named = nodes.at(process[clone], original[clone])
    # The smallest and the largest original that rows state for each node. If they differ, the
    # origin is stated in two ways; if it is -1, the original was made before recording began.
    least, most = np.full(nodes.count, nodes.count), absent(nodes.count)
    np.minimum.at(least, node_of_row[clone], named)
    np.maximum.at(most, node_of_row[clone], named)
    cloned = least < nodes.count
    # Each clone points at its original, every other node at itself.
    ancestor = np.where(cloned & (least == most) & (least >= 0), most, np.arange(nodes.count))
    for _ in range(nodes.count.bit_length()):  # each round doubles the reach
        ancestor = ancestor[ancestor]

    # Rows of first creations, the latest first, so that the earliest is what stays for a node.
    made = np.flatnonzero(~clone)
    made = made[np.argsort(rows["start"][made], kind="stable")][::-1]
    row = absent(nodes.count)
    row[node_of_row[made]] = made  # the earliest is written last
    # An end that is itself a clone is a broken chain or a circle: nothing is certain there.
    return np.where(cloned[ancestor], NONE, row[ancestor])
