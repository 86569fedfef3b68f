"""A result → a new run in a place: its tables as Parquet files, then run.toml.

`new_run` reads what the result was made from, `write` writes; only the second needs the place.
Input files are named as seen from what was given; no path of the machine, no environment, nothing
of the user.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.correlation import Correlation
from kernelmap.errors import unreadable
from kernelmap.history.store.configuration import CONFIGURATION, pack_configuration
from kernelmap.history.store.facts import (
    RUN_TOML,
    InputFile,
    RunFacts,
    TableFile,
    new_id,
    write_facts,
)
from kernelmap.history.store.facts import VERSION as LAYOUT
from kernelmap.history.store.place import Place
from kernelmap.model import Notice
from kernelmap.model.paths import open_file
from kernelmap.origins import distinct_files, gpus_stated
from kernelmap.pages.result import Result
from kernelmap.tables import parquet
from kernelmap.tables.build import Tables
from kernelmap.tables.configuration import Configuration
from kernelmap.tables.rows import escape_unsound, whole_number
from kernelmap.tables.schema import CALLS, LAUNCHES, LIFETIMES, ON_REQUEST
from kernelmap.version import VERSION

if TYPE_CHECKING:
    from kernelmap.history.store.ranks import Ranks

# The folders of an absolute path of POSIX or Windows, but not what follows a word, as in a URL.
_PATH = re.compile(r"""(?<![\w.:/~\\-])(?:[A-Za-z]:)?[/\\](?:[^\s/\\'",;:()]+[/\\])+""")


class About(Struct, frozen=True, kw_only=True):
    """What only the caller knows of a run; the fields are those of RunFacts."""

    name: str | None = None
    branch: str | None = None
    commit: str | None = None
    changed: bool | None = None
    forked: str | None = None
    tags: Mapping[str, str] = {}


def new_run(result: Result, about: About) -> tuple[RunFacts, Tables]:
    """The facts of a run that has no files yet, and the tables that are to be its files.

    Raises KernelmapError where an input has gone.
    """
    given = _inputs_given(result)
    # Asked for once: logs are read for it.
    configuration = result.tables.configuration
    versions = configuration.versions
    notices = without_paths(result.tables.notices, result)
    tables = replace(result.tables, notices=notices, find_configuration=lambda: configuration)
    now = datetime.now(UTC)
    facts = RunFacts(
        id=new_id(now),
        version=LAYOUT,
        created=now.isoformat(timespec="microseconds"),
        kernelmap=VERSION,
        window=tables.summary,
        tables=(),
        name=_sound(about.name),
        branch=_sound(about.branch),
        commit=_sound(about.commit),
        changed=about.changed,
        forked=_sound(about.forked),
        torch=versions.get("torch"),
        triton=versions.get("triton"),
        cuda=versions.get("cuda"),
        rocm=versions.get("rocm"),
        driver=versions.get("driver"),
        gpus=gpus_stated(given) or tables.summary.devices,
        of_limit=_of_limit(tables),
        peak_bytes=_highest_peak(tables),
        tags=about.tags,
        inputs=tuple(_input(path, _name(path, given)) for path in distinct_files(result.files)),
        notices=notices,
    )
    return facts, tables


def _of_limit(tables: Tables) -> float | None:
    """The share of the device's limit that calls reach, over all whose limit is known."""
    pairs = [(row["share_of_limit"], row["time_ns"]) for row in tables.rows(CALLS.name)]
    # Calls with a known limit, weighted by their time.
    limited = [(of, ns) for of, ns in pairs if isinstance(of, float) and isinstance(ns, int)]
    time_ns = sum(ns for _, ns in limited)
    return sum(of * ns for of, ns in limited) / time_ns if time_ns else None


def _highest_peak(tables: Tables) -> int | None:
    """The highest peak of memory of any graph, None where no code says it."""
    peaks: dict[str, int] = {}
    for row in tables.rows(LIFETIMES.name):
        graph = str(row["graph"])
        peaks[graph] = peaks.get(graph, 0) + whole_number(row, "peak_bytes")
    return max(peaks.values(), default=None)


def write(
    place: Place,
    facts: RunFacts,
    tables: Tables,
    *,
    launches: bool,
    ranks: Ranks | None = None,
) -> RunFacts:
    """Write the run, whole and lasting, and give its facts with the files.

    `ranks` are what a fleet has besides. Nothing is left where that fails. Raises OSError.
    """
    draft = place.begin(facts.id)
    try:
        # All tables first; run.toml, which makes it a run, comes last.
        files = []
        for file, content in chain(
            # Settings have a table of their own here, versions stand in run.toml.
            _contents(replace(tables, find_configuration=None), launches=launches),
            _of_ranks(ranks),
            _of_configuration(tables.configuration),
        ):
            draft.add(f"{file.name}.parquet", content)
            files.append(file)
        facts = replace(facts, tables=tuple(files))
        draft.finish(RUN_TOML, write_facts(facts))
    # Whatever stops the recorder, also Ctrl-C, no half of a run stays.
    except BaseException:
        draft.abandon()
        raise
    return facts


def _contents(tables: Tables, *, launches: bool) -> Iterator[tuple[TableFile, bytes]]:
    """Each table that is kept, with its file."""
    for name in tables.held:
        if name == LAUNCHES.name and not launches:
            continue
        if name in ON_REQUEST and name in tables.without:
            continue
        buffer = io.BytesIO()
        parquet.write_parquet(tables, buffer, table=name)
        yield _file(name, tables.size(name), buffer.getvalue())


def _of_ranks(ranks: Ranks | None) -> Iterator[tuple[TableFile, bytes]]:
    """The tables of all ranks, each with its file."""
    for name, table in ranks.files() if ranks is not None else ():
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        yield _file(name, len(table), buffer.getvalue())


def _of_configuration(configuration: Configuration) -> Iterator[tuple[TableFile, bytes]]:
    """The table of what it was compiled with, where a log states that."""
    if configuration.states_settings:
        table = pack_configuration(configuration)
        buffer = io.BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        yield _file(CONFIGURATION, len(table), buffer.getvalue())


def _file(name: str, rows: int, content: bytes) -> tuple[TableFile, bytes]:
    digest = hashlib.sha256(content).hexdigest()
    return TableFile(name=name, rows=rows, bytes=len(content), sha256=digest), content


def _sound(text: str | None) -> str | None:
    return None if text is None else escape_unsound(text)


def _inputs_given(result: Result) -> Sequence[Path]:
    return result.inputs if isinstance(result, Correlation) else result.files


def without_paths(notices: Iterable[Notice], result: Result) -> tuple[Notice, ...]:
    """The notices with the names of files in place of their absolute paths."""
    given = _inputs_given(result)
    # The longest path first, so that a folder does not cut the names of the files in it.
    names = {
        str(path): _name(path, given)
        for path in sorted(result.files, key=lambda path: -len(str(path)))
        if path.is_absolute()
    }
    return tuple(
        replace(
            notice,
            message=_shortened(notice.message, names),
            hint=None if notice.hint is None else _shortened(notice.hint, names),
        )
        for notice in notices
    )


def _shortened(text: str, names: Mapping[str, str]) -> str:
    for path, name in names.items():
        text = text.replace(path, name)
    return _PATH.sub("", text)


def _input(path: Path, name: str) -> InputFile:
    try:
        with open_file(path) as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
            size = content.tell()
    except OSError as error:
        raise unreadable(path, error) from error
    return InputFile(name=escape_unsound(name), bytes=size, sha256=digest)


def _name(path: Path, given: Sequence[Path]) -> str:
    """The name below the given folder that holds it, that folder's included; else its own."""
    whole = path.resolve()
    # The first given folder that holds the file; its own name is kept in front.
    for folder in given:
        top = folder.resolve()
        if top.is_dir() and whole.is_relative_to(top):
            return (Path(top.name) / whole.relative_to(top)).as_posix()
    return whole.name or "."
