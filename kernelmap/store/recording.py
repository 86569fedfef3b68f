"""A result → a new run in a place: its tables as Parquet files, then run.toml.

`new_run` reads what the result was made from, `write` writes; only the second needs the place.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from kernelmap.outputs import parquet
from kernelmap.outputs.result import Result
from kernelmap.store import ids
from kernelmap.store.facts import RUN_TOML, RunFacts, TableFile, write_facts
from kernelmap.store.facts import VERSION as LAYOUT
from kernelmap.store.origin import origin, without_paths
from kernelmap.store.place import Place
from kernelmap.version import VERSION
from kernelmap.views.frames import sound
from kernelmap.views.schema import LAUNCHES
from kernelmap.views.tables import Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What only the caller knows of a run; the fields are those of RunFacts."""

    name: str | None = None
    branch: str | None = None
    commit: str | None = None
    changed: bool | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


def new_run(result: Result, about: About) -> tuple[RunFacts, Tables]:
    """The facts of a run that has no files yet, and the tables that are to be its files.

    Raises KernelmapError where an input has gone.
    """
    came_from = origin(result)
    notices = without_paths(result.tables.notices, result)
    tables = replace(result.tables, notices=notices)
    now = datetime.now(UTC)
    facts = RunFacts(
        id=ids.new_id(now),
        version=LAYOUT,
        created=now.isoformat(timespec="microseconds"),
        kernelmap=VERSION,
        window=tables.summary,
        tables=(),
        name=_sound(about.name),
        branch=_sound(about.branch),
        commit=_sound(about.commit),
        changed=about.changed,
        torch=came_from.versions.get("torch"),
        triton=came_from.versions.get("triton"),
        cuda=came_from.versions.get("cuda"),
        rocm=came_from.versions.get("rocm"),
        gpus=came_from.gpus or tables.summary.devices,
        tags=about.tags,
        inputs=came_from.inputs,
        notices=notices,
    )
    return facts, tables


def write(place: Place, facts: RunFacts, tables: Tables, *, launches: bool) -> RunFacts:
    """Write the run, which then is there, whole and lasting; gives the facts with its files.

    Nothing is left where that fails. Raises OSError.
    """
    draft = place.begin(facts.id)
    try:
        files = []
        for file, content in _contents(tables, launches=launches):
            draft.add(f"{file.name}.parquet", content)
            files.append(file)
        facts = replace(facts, tables=tuple(files))
        draft.finish(RUN_TOML, write_facts(facts))
    except BaseException:
        draft.abandon()
        raise
    return facts


def _contents(tables: Tables, *, launches: bool) -> Iterator[tuple[TableFile, bytes]]:
    """Each table that is kept, with its file."""
    for name in tables.held:
        if name == LAUNCHES.name and not launches:
            continue
        buffer = io.BytesIO()
        parquet.write(tables, buffer, table=name)
        content = buffer.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        rows = len(tables.frame(name))
        yield TableFile(name=name, rows=rows, bytes=len(content), sha256=digest), content


def _sound(text: str | None) -> str | None:
    return None if text is None else sound(text)
