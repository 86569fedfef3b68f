"""The view Graphs: what each graph cost, how that varies, and why it was compiled again."""

from __future__ import annotations

import numpy as np

from kernelmap.model.columns import group_starts
from kernelmap.pages.columns import compilations
from kernelmap.pages.report.packed import PackedTexts, pack_numbers
from kernelmap.pages.report.shared import Content, Records


def data_of_graphs(content: Content, texts: PackedTexts) -> object:  # noqa: ARG001 -- the views' signature
    """The table of graphs, the time of each invocation, and what the log says of compilations."""
    graphs = list(content.tables.rows("graphs"))
    return {
        "rows": graphs,
        "runs": {} if content.records is None else _columns_of_runs(content.records),
        "told": [{"title": note.title, "lines": note.lines} for note in compilations(graphs)],
    }


def _columns_of_runs(records: Records) -> dict[str, object]:
    """Each invocation in columns, by graph and then by its begin; `of` says where a graph's stand.

    The time sums the launches of the window that belong to a call of the graph, process by process.
    """
    program, matching = records.program, records.matching
    counted = records.attribution.counted & (matching.call >= 0) & (matching.invocation >= 0)
    rows_ = np.flatnonzero(counted)
    if not len(rows_):
        return {}
    launches = records.trace.launches
    # The graph of each launch, by the position of its call; (rows,).
    graph = np.searchsorted(program.first_call, matching.call[rows_], side="right") - 1
    keys = (graph, launches.process[rows_], matching.invocation[rows_])
    # Launches of one graph, process and invocation stand together, and each such group is one run.
    order = np.lexsort(keys[::-1])
    begins = group_starts([key[order] for key in keys])
    time_ns = np.add.reduceat(launches.dur_ns[rows_][order], begins)
    start = np.minimum.reduceat(launches.start_ns[rows_][order], begins)
    graph, invocation = graph[order][begins], keys[2][order][begins]
    # Now one row is one run, (runs,): by graph, and in each graph by time.
    by_start = np.lexsort((start, graph))
    # The page gets one column for all graphs, and of each graph from where to where its runs stand.
    numbers_seen, first = np.unique(graph[by_start], return_index=True)
    ends_at = [*first[1:].tolist(), len(by_start)]
    places = zip(numbers_seen.tolist(), first.tolist(), ends_at, strict=True)
    return {
        "of": {program.graphs[number].id: (begin, end) for number, begin, end in places},
        "invocation": pack_numbers(invocation[by_start]),
        "start": pack_numbers(start[by_start] - records.trace.origin_ns),
        "time_ns": pack_numbers(time_ns[by_start]),
    }
