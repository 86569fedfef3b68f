"""NVTX_EVENTS → Ranges.

Taken: push/pop ranges of the default domain, which torch writes to, and of the domain `kernelmap`,
in which a capture marks graphs and calls. The two never cross each other on a thread.
Left out: ranges of other domains (NCCL, MPI, libraries), which may cross those; start/end ranges,
which overlap as they like and may end on another thread; marks and names.
A range that was still open when recording stopped ends with the recording.
"""

from __future__ import annotations

import re
from itertools import compress

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Bool, Int, Ranges
from kernelmap.traces.columns import LATEST_NS, absent
from kernelmap.traces.nsys.tables import (
    DETAILS,
    NVTX,
    Processes,
    Strings,
    process_of,
    require,
    thread_of,
)
from kernelmap.traces.range_texts import kind_of_range, split_range_text
from kernelmap.traces.sqlite_tables import SqliteTables, readable

# Event types of push/pop ranges; 70 is the twin of 59 among events of NVTXT. Start/end
# ranges, 60 and 71, are not read.
_PUSH_POP = (59, 70)
_DOMAIN_CREATED = 75
_NUMBERED = re.compile(rb"([^,]*), (?:stashed )?seq = (\d{1,18})(?=,|$)")
_OUR_DOMAIN = b"kernelmap"

_COLUMNS = ("start", "end", "eventType", "globalTid", "textId", "domainId")


class NvtxRows(Struct, frozen=True):
    """All rows of the table; `text` is None where an id stands for it."""

    columns: dict[str, Int]
    text: list[bytes | None]

    @property
    def process(self) -> Int:
        """Global process ids."""
        return process_of(self.columns["globalTid"])


def nvtx_rows(tables: SqliteTables) -> NvtxRows:
    """The table as it is, empty columns where there is none."""
    if not tables.columns(NVTX):
        return NvtxRows({column: absent(0) for column in _COLUMNS}, [])
    require(tables, NVTX, ("start", "end", "eventType"))
    columns = tables.integers(NVTX, _COLUMNS)
    text: list[bytes | None] = [None] * len(columns["start"])
    if "text" in tables.columns(NVTX):
        text = tables.texts(NVTX, "text")
    # Texts are left out together with their rows.
    kept = readable(tables, NVTX, len(text))
    if kept is not None:
        columns = {name: column[kept] for name, column in columns.items()}
        text = list(compress(text, kept.tolist()))
    return NvtxRows(columns, text)


def ranges(rows: NvtxRows, tables: SqliteTables, strings: Strings, processes: Processes) -> Ranges:
    """The ranges in the order of their start, links not filled in; times as in the export."""
    columns = rows.columns
    chosen = np.flatnonzero(np.isin(columns["eventType"], _PUSH_POP) & _in_domains(rows, strings))
    # Of ranges that start together the longer one is around the other.
    chosen = chosen[np.lexsort((-columns["end"][chosen], columns["start"][chosen]))]
    start, end = columns["start"][chosen], columns["end"][chosen]
    if (open_ := end == NONE).any():
        end = np.where(open_, _last_ns(tables, rows), end)
    texts = list(map(rows.text.__getitem__, chosen.tolist()))
    names = _NvtxNames(strings)
    name_id, sequence = names.read(texts, columns["textId"][chosen])
    kinds = np.array([kind_of_range(name) for name in names.all], dtype=np.int8)
    tid = columns["globalTid"][chosen]
    return Ranges(
        name_id=name_id,
        kind=kinds[name_id] if len(kinds) else kinds,
        start_ns=start,
        dur_ns=end - start,
        process=processes.at(process_of(tid)),
        thread=thread_of(tid),
        external=absent(len(chosen)),
        sequence=sequence,
        event=np.arange(len(chosen), dtype=np.int64),
        parent=absent(len(chosen)),
        detail_id=absent(len(chosen)),
        names=names.all,
    )


def _in_domains(rows: NvtxRows, strings: Strings) -> Bool:
    """Mask of the rows in the default domain or in ours; domains are numbered per process."""
    # 0 is the default domain; -1 is a row that names none.
    domain, process = rows.columns["domainId"], rows.process
    mask: Bool = domain <= 0
    for row in np.flatnonzero(np.equal(rows.columns["eventType"], _DOMAIN_CREATED)).tolist():
        name = _text(rows.text[row], int(rows.columns["textId"][row]), strings)
        # The number that our domain has in this process may be another domain's in the next one.
        if name == _OUR_DOMAIN:
            mask |= np.equal(domain, domain[row]) & np.equal(process, process[row])
    return mask


def _text(text: bytes | None, number: int, strings: Strings) -> bytes | None:
    """A row's text, wherever it stands: what the id stands for goes before."""
    registered = strings[number] if number >= 0 else None
    return text if registered is None else registered.encode()


def stopped_ns(rows: NvtxRows, tables: SqliteTables) -> int | None:
    """When recording stopped, which is where ranges end that were still open.

    None where the export does not tell and all ranges had ended.
    """
    is_open = np.isin(rows.columns["eventType"], _PUSH_POP) & (rows.columns["end"] == NONE)
    length_ns = _length_ns(tables)  # older versions of nsys wrote it as the end of open ranges
    return _last_ns(tables, rows) if is_open.any() else length_ns


def _last_ns(tables: SqliteTables, rows: NvtxRows) -> int:
    """The end of the recording, as far as the export tells."""
    times = (rows.columns["start"], rows.columns["end"])
    # A broken time must not become the end of the recording.
    last = (int(column[column <= LATEST_NS].max(initial=0)) for column in times)
    return max(_length_ns(tables) or 0, *last)


def _length_ns(tables: SqliteTables) -> int | None:
    """How long the recording lasted, None where the export does not tell."""
    if "duration" not in tables.columns(DETAILS):
        return None
    column = tables.integers(DETAILS, ["duration"])["duration"]
    return int(column[column <= LATEST_NS].max(initial=0)) or None


class _NvtxNames:
    """Interns the names of ranges."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._ids: dict[str, int] = {}

    @property
    def all(self) -> tuple[str, ...]:
        """The names in the order of their ids."""
        return tuple(self._ids)

    def read(self, texts: list[bytes | None], numbers: Int) -> tuple[Int, Int]:
        """Name ids and sequence numbers of rows, by text or id; shapes (rows,)."""
        ids_by_key: dict[bytes | int | None, tuple[int, int]] = {}
        ids_of: dict[bytes, int] = {}
        name_ids, sequences = [], []
        for text, number in zip(texts, numbers.tolist(), strict=True):
            # Nearly all texts are another one each, for their numbers, so this has to be short.
            # The usual text of an operator, `aten::addmm, seq = 3, …`, is taken apart here.
            if number < 0 and text is not None and (parts := _NUMBERED.match(text)):
                name, sequence = parts.groups()
                name_id = ids_of.get(name)
                if name_id is None:
                    name_id = ids_of[name] = self._id(name.decode("utf-8", "replace"))
                name_ids.append(name_id)
                sequences.append(int(sequence))
                continue
            # Equal texts and equal ids are read once.
            key = text if number < 0 or self._strings[number] is None else number
            ids = ids_by_key.get(key)
            if ids is None:
                ids = ids_by_key[key] = self._read(text, number)
            name_ids.append(ids[0])
            sequences.append(ids[1])
        return np.array(name_ids, dtype=np.int64), np.array(sequences, dtype=np.int64)

    def _read(self, text: bytes | None, number: int) -> tuple[int, int]:
        whole = _text(text, number, self._strings) or b"(no name)"
        name, sequence = split_range_text(whole.decode("utf-8", "replace"))
        return self._id(name), sequence

    def _id(self, name: str) -> int:
        return self._ids.setdefault(name, len(self._ids))
