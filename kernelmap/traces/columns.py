"""Helpers of the readers: hold columns to bounds, join them, drop rows that are given twice.

Bounds say what can be a time or an id. Then whatever is made of the rows fits into an int64: an
end, a difference of two times, a sum over durations. What lies beyond is not shortened: a row is
used as it is or left out, and the reader says how many it left out.

Columns are joined row after row into one set with one table of names; `moved` shifts the links
between kinds. Rows that an exporter wrote twice count once: two GPU activities of one name, time,
stream and correlation can't both have run, and a range's external id is its own. Api calls are left
as they are, because the join takes one row of a key anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import replace

from kernelmap.model.columns import distinct_values
from kernelmap.model.source import LaunchNote
from kernelmap.model.trace import NONE, ApiCalls, Bool, CounterSamples, Int, Launches, Ranges

# So many pieces of a growing column are joined at a time, and narrowed.
_PACKED_AT_ONCE = 32
Columns = TypeVar("Columns", Launches, ApiCalls, Ranges)
_Key = TypeVar("_Key", bound=Hashable)


def absent(rows: int) -> Int:
    """A column of nothing."""
    return np.full(rows, NONE, dtype=np.int64)


def no_api_calls() -> ApiCalls:
    """Of a file that records none."""
    none = absent(0)
    return ApiCalls(none, none, none, none, none, none, none, none, none, none)


def no_ranges() -> Ranges:
    """Of a file that records none."""
    none = absent(0)
    kind = none.astype(np.int8)
    return Ranges(none, kind, none, none, none, none, none, none, none, none, none)


def joined(parts: Sequence[Columns]) -> Columns:
    """All rows of `parts` (at least one), in order."""
    if len(parts) == 1:
        return parts[0]
    # One table of names for all parts: a name that several parts have gets a single id. So with the
    # notes of launches.
    names: dict[str, int] = {}
    notes: dict[LaunchNote, int] = {}
    named = [_with_notes(_with_names(part, names), notes) for part in _with_counts(parts)]
    arrays: dict[str, Any] = {  # fields of several types, for replace()
        name: np.concatenate([getattr(part, name) for part in named])
        for name in named[0].__struct_fields__
        if isinstance(getattr(named[0], name), np.ndarray)
    }
    if notes:
        arrays["notes"] = tuple(notes)
    return replace(named[0], names=tuple(names), **arrays)


def _with_counts(parts: Sequence[Columns]) -> Sequence[Columns]:
    """`parts`, which all say how many launches their rows are where one of them does."""
    if all(getattr(part, "stands_for", None) is None for part in parts):
        return parts
    counts: list[dict[str, Any]] = [  # as below
        {}
        if getattr(part, "stands_for", None) is not None
        else {"stands_for": np.ones(len(part), dtype=np.int64)}
        for part in parts
    ]
    return [replace(part, **count) for part, count in zip(parts, counts, strict=True)]


def joined_ranges(parts: Sequence[Ranges]) -> Ranges:
    """As `joined`; the details of the parts stand behind one another."""
    # `detail_id` points into the details of its own part, so it moves by
    # the details of the parts before.
    before, shifted = 0, []
    for part in parts:
        shifted.append(replace(part, detail_id=moved(part.detail_id, before)))
        before += len(part.details)
    details = tuple(detail for part in parts for detail in part.details)
    return replace(joined(shifted), details=details)


def joined_counters(parts: Sequence[CounterSamples]) -> CounterSamples:
    """All samples of `parts` (at least one), in order; counters are told by name and unit."""
    counters: dict[tuple[str, str], int] = {}
    ids = []
    for part in parts:
        # Ids of the part's own table of counters become ids of the common one.
        own = zip(part.names, part.units, strict=True)
        numbers = [counters.setdefault(counter, len(counters)) for counter in own]
        ids.append(np.array(numbers, dtype=np.int64)[part.name_id])
    return CounterSamples(
        source=np.concatenate([part.source for part in parts]),
        device=np.concatenate([part.device for part in parts]),
        name_id=np.concatenate(ids),
        time_ns=np.concatenate([part.time_ns for part in parts]),
        value=np.concatenate([part.value for part in parts]),
        names=tuple(name for name, _ in counters),
        units=tuple(unit for _, unit in counters),
    )


def moved(links: Int, by: int) -> Int:
    """Links into rows that now stand `by` places later; -1 stays."""
    return np.where(links >= 0, links + by, NONE) if by else links


def _with_names(part: Columns, names: dict[str, int]) -> Columns:
    """`part` with ids that point into the table `names`, which grows."""
    # Ids of the part's own table, (names of the part,), become ids of the common table.
    ids = np.array([names.setdefault(name, len(names)) for name in part.names], dtype=np.int64)
    again: dict[str, Any] = {"name_id": _mapped(part.name_id, ids)}  # as above
    if isinstance(part, ApiCalls):
        # Api calls name a kernel (HIP only) through the same table of names.
        again["device_name_id"] = _mapped(part.device_name_id, ids)
    return replace(part, **again)


def _with_notes(part: Columns, notes: dict[LaunchNote, int]) -> Columns:
    """`part` with notes, if it is of launches, that point into the table `notes`, which grows."""
    if not isinstance(part, Launches) or not part.notes:
        return part
    ids = np.array([notes.setdefault(note, len(notes)) for note in part.notes], dtype=np.int64)
    again: dict[str, Any] = {"note": _mapped(part.note, ids)}  # as above
    return replace(part, **again)


def _mapped(column: Int, ids: Int) -> Int:
    if not len(ids):
        return column
    return np.where(column >= 0, ids[column], NONE)


def launches_once(launches: Launches) -> Launches:
    """The launches that no earlier one equals, in order."""
    kept = _first(
        # An activity that an exporter wrote twice agrees in all of this.
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
    return launches if kept is None else launches.take_rows(kept)


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
        # A number of its own for each range without external id, so that no two of these are equal.
        np.where(ranges.external >= 0, 0, np.arange(len(ranges))),
    )
    return ranges if kept is None else ranges.take_rows(kept)


def _first(*columns: Int) -> Bool | None:
    """Mask of the first of equal rows, None where none are equal.

    The first column should tell most rows apart.
    """
    # Equal rows have equal starts, and few rows share a start, so only
    # rows that do are compared in full.
    order = np.argsort(columns[0], kind="stable")
    lead = columns[0][order]
    same = np.flatnonzero(lead[1:] == lead[:-1])
    if not len(same):
        return None
    # Every row that agrees with a neighbor in the first column, in the order of the file.
    rows = np.sort(order[distinct_values(np.concatenate([same, same + 1]))])
    _, first = np.unique(
        np.stack([column[rows] for column in columns], axis=1), axis=0, return_index=True
    )
    # Rows with a start of their own stay; of the others the first of each set of equal rows.
    keep = np.ones(len(lead), dtype=np.bool_)
    keep[rows] = False
    keep[rows[first]] = True
    return keep


class Numbers(dict[_Key, int]):
    """Numbers things in the order in which they are first met."""

    def __missing__(self, key: _Key) -> int:
        number = self[key] = len(self)
        return number


class ColumnParts:
    """Columns of integers that grow by a piece per batch.

    Until they are taken they are as narrow as their values allow: most ids are small or absent.
    """

    def __init__(self, packed_at_once: int = _PACKED_AT_ONCE) -> None:
        """So many pieces of a column are joined at a time, and narrowed."""
        self._packed_at_once = packed_at_once
        self._pieces: defaultdict[str, list[Int]] = defaultdict(list)
        self._packed: defaultdict[str, list[Int]] = defaultdict(list)

    def add(self, **columns: Int) -> None:
        """Put each column behind what its name holds so far."""
        for name, column in columns.items():
            pieces = self._pieces[name]
            pieces.append(column if column.base is None else column.copy())  # no view of far more
            if len(pieces) == self._packed_at_once:
                whole = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
                self._packed[name].append(_narrow(whole))
                pieces.clear()

    def take(self, name: str) -> Int:
        """The whole column, int64; given away, so that there are never two copies of all."""
        pieces = [*self._packed.pop(name, ()), *self._pieces.pop(name, ())]
        if not pieces:
            return np.zeros(0, dtype=np.int64)
        is_whole = len(pieces) == 1 and pieces[0].dtype == np.int64
        column: Int = pieces[0] if is_whole else np.concatenate(pieces, dtype=np.int64)
        return column


def _narrow(column: Int) -> Int:
    """`column` in the narrowest type that holds its values."""
    least, most = column.min(initial=0), column.max(initial=0)
    for narrow in (np.int8, np.int16, np.int32):
        if np.iinfo(narrow).min <= least and most <= np.iinfo(narrow).max:
            return column.astype(narrow)
    return column


LATEST_NS = 2**61
"""No time lies further from 0, in either direction; this is the year 2043."""
LONGEST_NS = 2**53
"""No activity and no range lasts longer: 104 days."""
ALL_NS = 2**61
"""The durations of all rows of one kind add up to no more: 73 years."""
LARGEST_PLACE = 2**31 - 1
"""The largest number that a GPU can have."""


def are_times(start_ns: Int, dur_ns: Int) -> Bool:
    """Mask of the rows that have a time and a duration, shape (n,).

    A duration that is the difference of two times may have wrapped around: with a start within the
    bounds it is then either negative or too long.

    >>> are_times(np.array([5, 5, 2**62]), np.array([7, -1, 7])).tolist()
    [True, False, False]
    """
    # A start within bounds is needed first: only then does a wrapped
    # difference show as negative or too long.
    near: Bool = (start_ns >= -LATEST_NS) & (start_ns <= LATEST_NS)
    return near & (dur_ns >= 0) & (dur_ns <= LONGEST_NS)


def addable(dur_ns: Int, most_ns: int = ALL_NS) -> Bool:
    """Mask of the durations, the shortest first, that add up to at most `most_ns`; shape (n,).

    >>> addable(np.array([4, 9, 4]), 8).tolist()
    [True, False, True]
    """
    # The sum is made in floats, because a sum of int64 might wrap
    # around; nearly always all rows fit.
    if float(dur_ns.sum(dtype=np.float64)) <= most_ns:
        return np.ones(len(dur_ns), dtype=np.bool_)
    # The longest rows are left out, so that as few as possible are lost.
    order = np.argsort(dur_ns, kind="stable")
    fits = np.zeros(len(dur_ns), dtype=np.bool_)
    fits[order] = np.cumsum(dur_ns[order], dtype=np.float64) <= most_ns
    return fits


def with_sum(columns: Columns, most_ns: int) -> Columns:
    """The rows of `columns` whose durations add up to at most `most_ns`."""
    fits = addable(columns.dur_ns, most_ns)
    return columns if fits.all() else columns.take_rows(fits)


def places(ids: Int) -> tuple[Int, int]:
    """Numbers of GPUs, -1 for what can be none, and how many of them were too large; shape (n,)."""
    # Such a number is damage; it is treated as absent, and counted for a notice.
    large = ids > LARGEST_PLACE
    return np.where(large | (ids < 0), NONE, ids), int(large.sum())
