"""The tables of a rocpd database: their names, their two layouts, and what their ids stand for.

Each process writes tables of its own, whose names end in `_<uuid>`; a merged file holds those of
several processes. An id is unique among the rows of one process only, its `guid`: where tables bear
no uuid, rows of several guids may lie in one of them. The views of the same names are not asked.
Two layouts call themselves version 3, so the columns that are there decide:
- inline: regions, dispatches and copies have times, process, thread, agent, queue and stream;
- by track: they have the ids of a track, which has all of these but the times, and of timestamps.
Never asked for: the columns `environment`, `command` and the names of hosts.
Written after rocprofiler-sdk's generateRocpd.cpp (02b3987d), which fills the first layout, and its
rocpd_tables.sql (19d33bb3), which is the second; no file of it was seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kernelmap.errors import KernelmapError
from kernelmap.model.columns import code_values, distinct_values
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.columns import absent
from kernelmap.traces.sqlite_tables import SqliteForm, SqliteTables, readable

DISPATCH = "rocpd_kernel_dispatch"
COPY = "rocpd_memory_copy"
REGION = "rocpd_region"
EVENT = "rocpd_event"
STRING = "rocpd_string"
SYMBOL = "rocpd_info_kernel_symbol"
AGENT = "rocpd_info_agent"
PROCESS = "rocpd_info_process"
THREAD = "rocpd_info_thread"
_TRACK = "rocpd_track"
_STAMP = "rocpd_timestamp"

_TELLING = re.compile(rf"(?:{DISPATCH}|{COPY}|{REGION})((?:_[0-9A-Za-z_]+)?)")
_GUID = "guid"
_PLACE = ("pid", "tid", "agent_id", "queue_id", "stream_id")
_TIMES, _STAMPS = ("start", "end"), ("start_id", "end_id")

RECORD_AGAIN = "Record it again: rocprofv3 … --output-format rocpd -- python train.py"

Rows = dict[str, Int]
"""Columns by name, each (rows,), with the number of each row's guid."""


FORM = SqliteForm(
    writer="rocprofv3",
    again=RECORD_AGAIN,
    damaged=lambda message, hint: KernelmapError("rocpd-damaged", message, hint),
    being_written=lambda message, hint: KernelmapError("rocpd-being-written", message, hint),
)


def find_suffixes(tables: SqliteTables) -> list[str]:
    """What the names of the tables of each process end in."""
    found = (_TELLING.fullmatch(name) for name in tables.names)
    return sorted({match[1] for match in found if match})


class PartTables:
    """The tables that bear one suffix."""

    def __init__(self, tables: SqliteTables, suffix: str) -> None:
        self.source = tables.source
        self._tables = tables
        self._suffix = suffix
        self._guids: dict[bytes | None, int] = {}

    def columns(self, table: str) -> frozenset[str]:
        """The columns of `table`; none without it."""
        return self._tables.columns(table + self._suffix)

    def rows(
        self, table: str, columns: Sequence[str], texts: Sequence[str] = ()
    ) -> tuple[Rows, dict[str, list[str | None]]]:
        """Columns of whole numbers, and of texts, of the readable rows; empty without the table."""
        name, there = table + self._suffix, self.columns(table)
        if not there:
            return {column: absent(0) for column in (*columns, _GUID)}, {text: [] for text in texts}
        by_column = dict(self._tables.integers(name, columns))
        count = len(next(iter(by_column.values())))
        raw = {
            text: self._tables.texts(name, text) if text in there else [None] * count
            for text in texts
        }
        by_column[_GUID] = self._guid_numbers(name, count)
        kept = readable(self._tables, name, count)
        at = np.arange(count) if kept is None else np.flatnonzero(kept)
        read = {text: [_decoded(cells[row]) for row in at.tolist()] for text, cells in raw.items()}
        return {column: cells[at] for column, cells in by_column.items()}, read

    def placed_rows(self, table: str, columns: Sequence[str]) -> Rows:
        """Rows of dispatches, copies or regions: `columns`, times and places, in either layout.

        A row without both times has a start behind its end.
        """
        there = self.columns(table)
        inline = set(_TIMES) <= there
        if there and not inline:
            self.require(table, _STAMPS)
        links = _TIMES if inline else (*_STAMPS, "track_id")
        rows, _ = self.rows(table, (*columns, *_PLACE, *links))
        if not inline:
            stamps, _ = self.rows(_STAMP, ("id", "value"))
            tracks, _ = self.rows(_TRACK, ("id", *_PLACE))
            for time, stamp in zip(_TIMES, _STAMPS, strict=True):
                rows[time] = taken(stamps["value"], find_rows(stamps, rows[_GUID], rows[stamp]))
            track = find_rows(tracks, rows[_GUID], rows["track_id"])
            for column in _PLACE:
                if column not in there:
                    rows[column] = taken(tracks[column], track)
        untimed = (rows["start"] < 0) | (rows["end"] < 0)
        rows["start"] = np.where(untimed, 0, rows["start"])
        rows["end"] = np.where(untimed, -1, rows["end"])
        return rows

    def require(self, table: str, columns: Sequence[str]) -> None:
        """KernelmapError where `table`, which the file has, lacks one of `columns`."""
        missing = [column for column in columns if column not in self.columns(table)]
        if missing:
            raise KernelmapError(
                "rocpd-schema",
                f"{self.source}: table {table} has no column {', '.join(missing)}",
                "This database is laid out in a way that is not known yet; record with"
                " --output-format json.",
            )

    def _guid_numbers(self, name: str, count: int) -> Int:
        """The number of each row's guid: tables that bear a uuid hold one."""
        if self._suffix or _GUID not in self._tables.columns(name):
            return np.zeros(count, dtype=np.int64)
        guids = self._tables.texts(name, _GUID)
        numbers = [self._guids.setdefault(guid, len(self._guids)) for guid in guids]
        return np.array(numbers, dtype=np.int64)


def find_rows(known: Rows, guid: Int, ids: Int) -> Int:
    """The row of `known` that has each id under its guid, -1 where none or several have; (n,)."""
    count = len(known["id"])
    if not count or not len(ids):
        return absent(len(ids))
    # Ids may be any number of 64 bits: small common numbers, so that the guid fits beside them.
    values, code = code_values(np.concatenate([known["id"], ids]))
    key = np.concatenate([known[_GUID], guid]) * len(values) + code
    order = np.argsort(key[:count], kind="stable")
    offered, asked = key[:count][order], key[count:]
    first = np.searchsorted(offered, asked, side="left")
    last = np.searchsorted(offered, asked, side="right")
    row = order[np.minimum(first, count - 1)]
    return np.where((last - first == 1) & (ids >= 0), row, NONE)


def taken(column: Int, rows: Int) -> Int:
    """The values of a column at `rows`, -1 where that is -1."""
    return np.where(rows >= 0, column[rows], NONE) if len(column) else absent(len(rows))


def number_pairs(guid: Int, ids: Int) -> tuple[list[tuple[int, int]], Int]:
    """The different (guid, id), and which of them each row has; (n,)."""
    values, code = code_values(ids)
    key = guid * max(len(values), 1) + code
    kept = distinct_values(key)
    pairs = [divmod(pair, max(len(values), 1)) for pair in kept.tolist()]
    return [(of, int(values[at])) for of, at in pairs], np.searchsorted(kept, key)


def _decoded(cell: bytes | None) -> str | None:
    return None if cell is None else cell.decode("utf-8", "replace")
