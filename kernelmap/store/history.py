"""One op, call, line or any other row of a table, over all runs of a store.

Takes the runs and what the row is called, gives a frame with a row per run that has it, oldest
first: `run`, `created`, `name`, `branch`, `commit`, then the table's own columns but its lists.
`structures` tells for every run whether it ran what the others did. DuckDB reads the segments of
the index; runs that these do not cover are read themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.store.extras import connect
from kernelmap.store.facts import RunFacts
from kernelmap.store.index import RUN, WORTH_IT, Index, Segment
from kernelmap.store.place import Place
from kernelmap.store.run import read_table
from kernelmap.views.frames import ARROW
from kernelmap.views.schema import LONG, TABLES, Column, Table, Type

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

Arrow: TypeAlias = Any  # pyarrow has no type stubs
Value: TypeAlias = str | int | None

OF_RUN = ("run", "created", "name", "branch", "commit")


def history(
    place: Place, runs: Sequence[RunFacts], table: str, where: Mapping[str, Value]
) -> pd.DataFrame:
    """The rows of `table` whose columns equal `where`, in `runs`; None stands for null.

    Columns of the run that the table has as well begin with `run_`. Damaged runs are left out;
    their ids stand in `frame.attrs["left_out"]`. Raises UsageError for unknown tables and columns,
    and without DuckDB; OSError where the place fails.
    """
    known = _table(table)
    columns = _columns(known)
    for name in where:
        if name not in columns:
            raise UsageError(
                "unknown-column",
                f"{table} has no column {name!r} to look for",
                f"Use one of {', '.join(columns)}.",
            )
    terms = tuple(f'"{name}" IS NOT DISTINCT FROM ?' for name in where)
    query = _Query(columns="*", terms=terms, given=tuple(where.values()))
    found, left_out = _asked(place, runs, known, query)
    schema = _schema(known)
    rows = pa.concat_tables([schema.empty_table(), *(each.cast(schema) for each in found)])
    frame = _frame(rows, {facts.id: facts for facts in runs}, tuple(columns.values()))
    frame.attrs["left_out"] = left_out
    return frame


def structures(place: Place, runs: Sequence[RunFacts]) -> Mapping[str, int]:
    """A number per run that tells what ran: equal where all calls compute the same, built alike.

    Made of the calls' fingerprints, bodies and configs in any order; it means nothing outside this
    process. Damaged runs are left out. Raises UsageError without DuckDB, OSError where the place
    fails.
    """
    digest = "sum(hash(fingerprint, body, config)::HUGEINT)::VARCHAR"
    query = _Query(columns=f'"{RUN}", {digest}', rest=f'GROUP BY "{RUN}"')
    found, _ = _asked(place, runs, TABLES["calls"], query)
    return {
        run: int(number)
        for table in found
        for run, number in zip(*(column.to_pylist() for column in table.columns), strict=True)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    """What to ask of every part of the rows: our own words, and what was `given` as parameters."""

    columns: str
    terms: tuple[str, ...] = ()
    given: tuple[object, ...] = ()
    rest: str = ""


def _asked(
    place: Place, runs: Sequence[RunFacts], table: Table, query: _Query
) -> tuple[list[Arrow], tuple[str, ...]]:
    """The answers of the index's segments and of the runs beside them, and the damaged runs."""
    by_id = {facts.id: facts for facts in runs}
    connection = connect()
    place.introduce(connection)
    schema = _schema(table)
    index = Index(place=place, name=table.name, schema=schema)

    left_out: set[str] = set()

    def read(run_id: str) -> Arrow | None:
        rows = _rows(place, by_id[run_id], table, schema)
        if rows is None:
            left_out.add(run_id)
        return rows

    cover = index.refreshed(by_id.keys(), read)
    found = [_of_segment(connection, place.address(s.path), s, query) for s in cover.segments]
    for start in range(0, len(cover.rest), WORTH_IT):
        parts = [
            rows
            for each in cover.rest[start : start + WORTH_IT]
            if (rows := read(each)) is not None
        ]
        if parts:
            connection.register("rest", pa.concat_tables(parts))
            found.append(_selected(connection, "rest", query))
    connection.close()
    return found, tuple(sorted(left_out))


def _columns(table: Table) -> Mapping[str, Column]:
    """The columns that have a history: all but the lists."""
    return {column.name: column for column in table.columns if column.type is not Type.TEXTS}


def _schema(table: Table) -> Arrow:
    columns = [(column.name, ARROW[column.type]) for column in _columns(table).values()]
    return pa.schema([(RUN, pa.string()), *columns])


def _table(name: str) -> Table:
    kept = [each for each in TABLES if each not in LONG]  # those grow with the trace
    if name not in kept:
        raise UsageError(
            "unknown-table", f"there is no history of {name!r}", f"Tables: {', '.join(kept)}."
        )
    return TABLES[name]


def _rows(place: Place, facts: RunFacts, table: Table, schema: Arrow) -> Arrow | None:
    """A run's rows for the index; None where the run is damaged."""
    try:
        found = read_table(place, facts, table)
    except KernelmapError:
        return None
    run = pa.array([facts.id] * len(found), pa.string())
    return found.append_column(RUN, run).select(schema.names).cast(schema)


def _of_segment(
    connection: duckdb.DuckDBPyConnection, address: str, segment: Segment, query: _Query
) -> Arrow:
    connection.read_parquet(address).create_view("segment", replace=True)
    if segment.speaks_for == segment.covers:
        return _selected(connection, "segment", query)
    only = replace(
        query,
        terms=(*query.terms, f'list_contains(?, "{RUN}")'),
        given=(*query.given, list(segment.speaks_for)),
    )
    return _selected(connection, "segment", only)


def _selected(connection: duckdb.DuckDBPyConnection, relation: str, query: _Query) -> Arrow:
    """The answer of one view."""
    condition = " AND ".join(query.terms) or "true"
    text = f"SELECT {query.columns} FROM {relation} WHERE {condition} {query.rest}"  # noqa: S608 -- see _Query
    return connection.sql(text, params=list(query.given)).to_arrow_table()


def _frame(found: Arrow, by_id: Mapping[str, RunFacts], columns: Sequence[Column]) -> pd.DataFrame:
    """The frame, with what the runs say of themselves in front."""
    import pandas as pd

    from kernelmap.views.frames import frame_of

    names = [column.name for column in columns]
    order = sorted(range(len(found)), key=found.column(RUN).to_pylist().__getitem__)
    found = found.take(pa.array(order, pa.int64()))
    runs = [by_id[each] for each in found.column(RUN).to_pylist()]
    about = {
        "run": [each.id for each in runs],
        "created": [each.created for each in runs],
        **{key: [getattr(each, key) for each in runs] for key in ("name", "branch", "commit")},
    }
    front = {
        (key if key not in names else f"run_{key}"): pd.array(values, pd.StringDtype("pyarrow"))
        for key, values in about.items()
    }
    table = Table(name="history", row="", order="", columns=tuple(columns))
    rows = frame_of(table, {name: found.column(name) for name in names})
    return pd.concat([pd.DataFrame(front), rows], axis=1)
