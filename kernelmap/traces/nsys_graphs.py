"""Where the nodes of CUDA graphs come from.

A replayed kernel carries a node of the graph that was launched. That graph was instantiated from
another one, perhaps in several steps, and each clone names the node it was made of. The first of
them was added inside the call that stream capture caught, so its time and thread say which host
ranges were open then. Takes the rows of node events, gives the creations as api calls, one per
node, and for each launch the creation that its node goes back to. Left out: nodes whose chain ends
before the recording begins, goes round in a circle, or is told in two ways.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Int, Launches
from kernelmap.traces.nsys_apis import Rows, calls
from kernelmap.traces.nsys_ids import Processes, process_of
from kernelmap.traces.nsys_tables import GRAPH_NODES, Strings, Tables, absent, require

_NODE, _ORIGINAL = "graphNodeId", "originalGraphNodeId"
_COLUMNS = ("start", "end", "globalTid", "nameId", _NODE, _ORIGINAL)


def node_rows(tables: Tables) -> Rows:
    """The node events: a table of their own, or in old exports the table of graph events.

    Which one it is shows in its columns: the newer table of graph events names no node. Rows of
    whole graphs, which name none, are left out.
    """
    for table in GRAPH_NODES:
        if _NODE in tables.columns(table):
            require(tables, table, ("start", "end", _ORIGINAL))
            rows = tables.integers(table, _COLUMNS)
            named = rows[_NODE] > 0
            return {name: column[named] for name, column in rows.items()}
    return {column: absent(0) for column in _COLUMNS}


def creations(
    rows: Rows, launches: Launches, strings: Strings, processes: Processes
) -> tuple[ApiCalls, Int]:
    """The creations that launches go back to, in order of time; per launch one of them or -1."""
    process = processes.at(process_of(rows["globalTid"]))
    nodes = _Nodes(process, rows[_NODE], len(processes.pids))
    row_of_node = _first_rows(nodes, process, rows)
    node = nodes.at(launches.process, launches.graph_node)
    row = np.where(node >= 0, row_of_node[node], NONE) if len(row_of_node) else node
    used = np.unique(row[row >= 0])
    used = used[np.argsort(rows["start"][used], kind="stable")]
    rank = absent(len(process))
    rank[used] = np.arange(len(used))
    chosen = {name: column[used] for name, column in rows.items()}
    chosen["correlationId"] = absent(len(used))
    found = np.where(row >= 0, rank[row], NONE) if len(rank) else row
    return calls(chosen, process[used], strings), found


class _Nodes:
    """Numbers the distinct nodes; their ids are unique within a process only."""

    def __init__(self, process: Int, node: Int, processes: int) -> None:
        self._processes = max(processes, 1)
        self._ids = np.unique(node)
        self._number = absent(len(self._ids) * self._processes)
        keys = np.unique(np.searchsorted(self._ids, node) * self._processes + process)
        self._number[keys] = np.arange(len(keys))
        self.count = len(keys)

    def at(self, process: Int, node: Int) -> Int:
        """The number of each node, -1 for those that are not among them."""
        if not self.count:
            return absent(len(node))
        code = np.minimum(np.searchsorted(self._ids, node), len(self._ids) - 1)
        known = (self._ids[code] == node) & (node >= 0) & (process >= 0)
        return np.where(known, self._number[code * self._processes + process], NONE)


def _first_rows(nodes: _Nodes, process: Int, rows: Rows) -> Int:
    """For each node the row that created its first ancestor, -1 where none is certain."""
    own = nodes.at(process, rows[_NODE])
    original = rows[_ORIGINAL]
    clone = original >= 0
    named = nodes.at(process[clone], original[clone])
    least, most = np.full(nodes.count, nodes.count), absent(nodes.count)
    np.minimum.at(least, own[clone], named)
    np.maximum.at(most, own[clone], named)
    cloned = least < nodes.count
    ancestor = np.where(cloned & (least == most) & (least >= 0), most, np.arange(nodes.count))
    for _ in range(nodes.count.bit_length()):  # each round doubles the reach
        ancestor = ancestor[ancestor]

    made = np.flatnonzero(~clone)
    made = made[np.argsort(rows["start"][made], kind="stable")][::-1]
    row = absent(nodes.count)
    row[own[made]] = made  # the earliest is written last
    return np.where(cloned[ancestor], NONE, row[ancestor])
