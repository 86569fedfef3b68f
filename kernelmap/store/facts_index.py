"""The facts of runs from the index: a listing of ten thousand runs opens a few files."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import msgspec
import pyarrow as pa

from kernelmap.store.facts import RunFacts
from kernelmap.store.index import RUN, Index
from kernelmap.store.listing import facts_of
from kernelmap.store.place import Place

Arrow: TypeAlias = Any  # pyarrow has no type stubs

_FACTS = "facts"
_SCHEMA = pa.schema([(RUN, pa.string()), (_FACTS, pa.binary())])
_DECODER = msgspec.json.Decoder(RunFacts)


def known_facts(place: Place, found: AbstractSet[str]) -> Mapping[str, RunFacts]:
    """The facts of those of the runs that the index covers. Raises OSError."""

    def read(run_id: str) -> Arrow | None:
        facts = facts_of(place, run_id)
        if not isinstance(facts, RunFacts):
            return None
        return pa.table({RUN: [run_id], _FACTS: [msgspec.json.encode(facts)]}, schema=_SCHEMA)

    index = Index(place=place, name="facts", schema=_SCHEMA)
    known: dict[str, RunFacts] = {}
    for segment in index.refreshed(found, read).segments:
        for rows in index.batches(segment):
            for run_id, raw in zip(*(each.to_pylist() for each in rows.columns), strict=True):
                try:
                    known[run_id] = _DECODER.decode(raw)
                except msgspec.DecodeError:  # facts of another version: run.toml has them
                    continue
    return known
