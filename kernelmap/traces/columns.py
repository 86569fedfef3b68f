"""Columns of rows while a trace is read: numbered, joined, freed of repeated rows, grown.

Values are numbered for joins and tables of names: ids that a profiler counts up lie close together
and are numbered by a table of all that they might be; only what is spread out has to be sorted.
Columns are joined row after row into one set with one table of names; `moved` shifts the links
between kinds. Rows that an exporter wrote twice count once: two GPU activities of one name, time,
stream and correlation can't both have run, and a range's external id is its own. Api calls are left
as they are, because the join takes one row of a key anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, Launches, Ranges

_SPREAD = 8  # places of the table for each row
Columns = TypeVar("Columns", Launches, ApiCalls, Ranges)
_Key = TypeVar("_Key", bound=Hashable)


def codes(values: Int) -> tuple[Int, Int]:
    """Distinct values in order, and the position of each row's own, shapes (m,) and (n,).

    >>> codes(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    if not len(values):
        return values, values
    least, most = int(values.min()), int(values.max())
    if least == most:
        return values[:1].copy(), np.zeros(len(values), dtype=np.int64)
    if most - least < _SPREAD * len(values):
        offset = values - least
        used = np.zeros(most - least + 1, dtype=np.bool_)
        used[offset] = True
        return np.flatnonzero(used) + least, (np.cumsum(used) - 1)[offset]
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    distinct, of_run = np.unique(values[starts], return_inverse=True)
    lengths = np.diff(starts, append=len(values))
    return distinct, np.repeat(of_run, lengths)


def joined(parts: Sequence[Columns]) -> Columns:
    """All rows of `parts` (at least one), in order."""
    if len(parts) == 1:
        return parts[0]
    names: dict[str, int] = {}
    named = [_with_names(part, names) for part in parts]
    arrays: dict[str, Any] = {  # fields of several types, for replace()
        column.name: np.concatenate([getattr(part, column.name) for part in named])
        for column in fields(named[0])
        if isinstance(getattr(named[0], column.name), np.ndarray)
    }
    return replace(named[0], names=tuple(names), **arrays)


def joined_ranges(parts: Sequence[Ranges]) -> Ranges:
    """As `joined`; the details of the parts stand behind one another."""
    before, shifted = 0, []
    for part in parts:
        shifted.append(replace(part, detail_id=moved(part.detail_id, before)))
        before += len(part.details)
    details = tuple(detail for part in parts for detail in part.details)
    return replace(joined(shifted), details=details)


def moved(links: Int, by: int) -> Int:
    """Links into rows that now stand `by` places later; -1 stays."""
    return np.where(links >= 0, links + by, NONE) if by else links


def _with_names(part: Columns, names: dict[str, int]) -> Columns:
    """`part` with ids that point into the table `names`, which grows."""
    ids = np.array([names.setdefault(name, len(names)) for name in part.names], dtype=np.int64)
    again: dict[str, Any] = {"name_id": _mapped(part.name_id, ids)}  # as above
    if isinstance(part, ApiCalls):
        again["device_name_id"] = _mapped(part.device_name_id, ids)
    return replace(part, **again)


def _mapped(column: Int, ids: Int) -> Int:
    if not len(ids):
        return column
    return np.where(column >= 0, ids[column], NONE)


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


class Numbers(dict[_Key, int]):
    """Numbers things in the order in which they are first met."""

    def __missing__(self, key: _Key) -> int:
        number = self[key] = len(self)
        return number


class Parts:
    """Columns that grow by a piece per batch."""

    def __init__(self) -> None:
        self._pieces: defaultdict[str, list[Int]] = defaultdict(list)

    def add(self, **columns: Int) -> None:
        """Put each column behind what its name holds so far."""
        for name, column in columns.items():
            self._pieces[name].append(column)

    def take(self, name: str) -> Int:
        """The whole column, int64; given away, so that there are never two copies of all."""
        pieces = self._pieces.pop(name, None)
        return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
