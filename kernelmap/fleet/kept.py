"""What was read of ranks, kept by content: a folder for each, with small Parquet files.

    <place>/<first two letters>/<key>/
      rank_steps.parquet, rank_gaps.parquet, rank_collectives.parquet, rank_rows.parquet
      result.json            the ordinary tables, which `kernelmap diff` reads as well
      rank.json              facts about the rank and digests of the other files; written last

The key is a digest of the inputs' content, of the options and of kernelmap's version. A run that
was interrupted, or that gets more ranks, reads only what has no entry. An entry of which a file is
missing or damaged is none. The folder may be deleted at any time.

It lies in the store where one is named, else in the user's cache folder: nobody who asks a question
wants a folder made where he stands.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from kernelmap.fleet.files import fetch_file, read_bytes, write_bytes
from kernelmap.fleet.rank import RankFacts, RankResult
from kernelmap.history.compare.sides.side import ComparedSide, side_of_result
from kernelmap.history.store.choosing import named_store
from kernelmap.pages.result import load
from kernelmap.tables import json
from kernelmap.tables.fleet import RANK
from kernelmap.tables.frames import Array

_FACTS, _RESULT = "rank.json", "result.json"


def place_to_keep(store: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    """The folder or URL of the tables of ranks, where no other one is given.

    `store` is what --store names.
    """
    named = named_store(store, environment=environment)
    if named is not None:
        return f"{named.rstrip('/')}/fleet"
    return str(cache_folder(os.environ if environment is None else environment) / "fleet")


def cache_folder(environment: Mapping[str, str], platform: str = sys.platform) -> Path:
    """The folder of kernelmap among the user's caches, by the rules of the platform."""
    stated = environment.get("XDG_CACHE_HOME", "")
    if Path(stated).is_absolute():  # a relative one is to be ignored, says the rule
        return Path(stated) / "kernelmap"
    home = Path(environment.get("HOME") or Path.home())
    if platform == "darwin":
        return home / "Library" / "Caches" / "kernelmap"
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "kernelmap"
    return home / ".cache" / "kernelmap"


class _KeptEntry(Struct, frozen=True, kw_only=True):
    """rank.json: `digests` are those of the other files, by name."""

    facts: RankFacts
    digests: dict[str, str]


class Kept(Struct, frozen=True):
    """The folder or URL of all entries."""

    place: str

    def facts_of(self, key: str) -> RankFacts | None:
        """The facts of an entry; None where there is none, or a file of it is not as written."""
        try:
            entry = msgspec.json.decode(read_bytes(self._path_of(key, _FACTS)), type=_KeptEntry)
            # All files are read to be sure: one that is missing or damaged makes the whole entry
            # none.
            whole = all(
                _digest_of(read_bytes(self._path_of(key, name))) == digest
                for name, digest in entry.digests.items()
            )
        except (OSError, msgspec.DecodeError):
            return None
        return entry.facts if whole else None

    def put_entry(self, key: str, result: RankResult) -> None:
        """Write an entry. Raises OSError."""
        files = {f"{name}.parquet": pack_table(table) for name, table in result.tables.items()}
        handle = io.BytesIO()
        json.write_json(result.correlation.tables, handle)
        files[_RESULT] = handle.getvalue()
        # The facts, which name the digests of all others, are written last: without them there is
        # no entry.
        for name, content in files.items():
            write_bytes(self._path_of(key, name), content)
        digests = {name: _digest_of(content) for name, content in files.items()}
        entry = _KeptEntry(facts=result.facts, digests=digests)
        write_bytes(self._path_of(key, _FACTS), msgspec.json.encode(entry))

    def tables_of(
        self, key: str, names: Iterable[str] = RANK, rank: int | None = None
    ) -> dict[str, Array]:
        """The small tables of an entry, or those of `names`. Raises OSError.

        `rank` is put in place of the one that they were written with.
        """
        made = {}
        for name in names:
            table = unpack_table(read_bytes(self._path_of(key, f"{name}.parquet")))
            if rank is not None:
                column = pa.array(np.full(len(table), rank), pa.int64())
                table = table.set_column(table.column_names.index("rank"), "rank", column)
            made[name] = table
        return made

    @contextmanager
    def open_side(self, key: str, title: str) -> Iterator[ComparedSide]:
        """An entry as a side of a comparison. Raises KernelmapError."""
        with fetch_file(self._path_of(key, _RESULT)) as path:
            yield side_of_result(load(path).tables, title)

    def _path_of(self, key: str, name: str) -> str:
        return f"{self.place.rstrip('/')}/{key[:2]}/{key}/{name}"


def join_tables(parts: Sequence[dict[str, Array]]) -> dict[str, Array]:
    """The tables of several ranks as one of each kind; texts that repeat are held once."""
    return {
        name: pa.concat_tables([part[name] for part in parts]).unify_dictionaries()
        for name in parts[0]
    }


def compact_texts(tables: dict[str, Array]) -> dict[str, Array]:
    """The tables with their texts as dictionaries: what travels between workers."""
    made = {}
    for name, table in tables.items():
        columns = [
            column.dictionary_encode() if pa.types.is_string(column.type) else column
            for column in table.columns
        ]
        made[name] = pa.table(columns, names=table.column_names)
    return made


def pack_table(table: Array) -> bytes:
    """A table as a file of Parquet."""
    handle = io.BytesIO()
    pq.write_table(table, handle, compression="zstd")
    return handle.getvalue()


def unpack_table(content: bytes) -> Array:
    """The table of a file of Parquet.

    Not `read_table`, which looks for a data set first and starts threads: four times as long.
    """
    return pq.ParquetFile(pa.BufferReader(content), pre_buffer=False).read(use_threads=False)


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
