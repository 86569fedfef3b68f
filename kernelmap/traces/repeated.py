"""Rows that an exporter wrote twice: each counts once.

Two GPU activities of one name, time, stream and correlation can't both have run, and a range's
external id is its own: equal rows are one row. Left out: api calls, where the join takes one row
of a key anyway.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import Bool, Int, Launches, Ranges


def launches_once(launches: Launches) -> Launches:
    """The launches that no earlier one equals, in order."""
    kept = _first(
        launches.start_ns,
        launches.dur_ns,
        launches.name_id,
        launches.correlation,
        launches.device,
        launches.stream,
        launches.process,
        launches.graph_node,
        *launches.grid.T,
        *launches.block.T,
    )
    return launches if kept is None else launches.take(kept)


def ranges_once(ranges: Ranges) -> Ranges:
    """The same for ranges; a range without external id is always kept."""
    if (ranges.external < 0).all():
        return ranges
    kept = _first(
        ranges.start_ns,
        ranges.dur_ns,
        ranges.external,
        ranges.name_id,
        ranges.process,
        ranges.thread,
        np.where(ranges.external >= 0, 0, np.arange(len(ranges))),
    )
    return ranges if kept is None else ranges.take(kept)


def _first(*columns: Int) -> Bool | None:
    """Mask of the first of equal rows, None where none are equal.

    The first column should tell most rows apart.
    """
    order = np.argsort(columns[0], kind="stable")
    lead = columns[0][order]
    same = np.flatnonzero(lead[1:] == lead[:-1])
    if not len(same):
        return None
    rows = np.sort(order[np.unique(np.concatenate([same, same + 1]))])
    _, first = np.unique(
        np.stack([column[rows] for column in columns], axis=1), axis=0, return_index=True
    )
    keep = np.ones(len(lead), dtype=np.bool_)
    keep[rows] = False
    keep[rows[first]] = True
    return keep
