"""One op, call, line or any other row of a table, over all runs of a store.

Takes the runs and what the row is called, gives a frame with a row per run that has it, oldest
first: `run`, `created`, `name`, `branch`, `commit`, then the table's own columns but its lists.
`structures` gives a number per run, equal for runs that ran the same code. DuckDB reads the
segments of the index; runs that these do not cover are read themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.store.facts import RunFacts
from kernelmap.store.index import RUN, WORTH_IT, Reader, Segment, reader
from kernelmap.store.place import Place, connect_duckdb
from kernelmap.suggestions import one_of
from kernelmap.views.table import Table

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

Arrow: TypeAlias = Any  # pyarrow has no type stubs
Value: TypeAlias = str | int | None


def history(
    place: Place,
    runs: Sequence[RunFacts],
    table: str,
    where: Mapping[str, Value],
    *,
    any_of: bool = False,
    only: AbstractSet[str] | None = None,
) -> pd.DataFrame:
    """The rows of `table` whose columns equal `where`; None stands for null.

    With `any_of` one equal column is enough. `runs` are all of the store, for the index is of all;
    rows are given of those in `only`. Columns of the run that the table has as well begin with
    `run_`. Damaged runs are left out; their ids stand in `frame.attrs["left_out"]`. Raises
    UsageError for unknown tables and columns, and without DuckDB; OSError where the place fails.
    """
    asked = reader(place, runs, table)
    for name in where:
        if name not in asked.columns:
            raise UsageError(
                "unknown-column",
                f"{table} has no column {name!r} to look for",
                one_of(name, asked.columns, "Use one of"),
            )
    only = asked.runs.keys() if only is None else only
    terms = [f'"{name}" IS NOT DISTINCT FROM ?' for name in where]
    condition = (" OR " if any_of else " AND ").join(terms) or "true"
    answers = _answers(
        place, asked, only, _Query(f"WHERE {condition}", values=list(where.values()))
    )
    rows = [asked.schema.empty_table(), *(answer.cast(asked.schema) for answer in answers)]
    frame = _frame(asked, pa.concat_tables(rows), only)
    frame.attrs["left_out"] = tuple(sorted(asked.left_out & only))
    return frame


def structures(place: Place, runs: Sequence[RunFacts]) -> Mapping[str, int]:
    """A number per run for what ran: equal where all calls compute the same, built alike.

    Made of the calls' fingerprints, bodies and configs in any order; it means nothing outside this
    process. Damaged runs are left out. Raises UsageError without DuckDB, OSError where the place
    fails.
    """
    asked = reader(place, runs, "calls")
    digest = "sum(hash(fingerprint, body, config)::HUGEINT)::VARCHAR"
    query = _Query(f'GROUP BY "{RUN}"', columns=f'"{RUN}", {digest}')
    return {
        run: int(number)
        for table in _answers(place, asked, asked.runs.keys(), query)
        for run, number in zip(*(column.to_pylist() for column in table.columns), strict=True)
    }


class _Query(Struct, frozen=True):
    """What is asked of every part of the rows, in our own words; the values are parameters.

    A run lies in one part as a whole, so what is gathered per run is right. `columns` has the run.
    """

    which: str
    columns: str = "*"
    values: Sequence[Value] = ()


def _answers(place: Place, asked: Reader, only: AbstractSet[str], query: _Query) -> list[Arrow]:
    """The answers of the index's segments, and of the runs in `only` that it does not cover."""
    connection = connect_duckdb()
    place.register(connection)
    cover = asked.cover()
    answers = [_of_segment(connection, place.address(s.path), s, query) for s in cover.segments]
    rest = [run_id for run_id in cover.rest if run_id in only]
    for start in range(0, len(rest), WORTH_IT):
        read = map(asked.rows, rest[start : start + WORTH_IT])
        parts = [rows for rows in read if rows is not None]
        if parts:
            connection.register("rest", pa.concat_tables(parts))
            answers.append(_selected(connection, "rest", query))
    connection.close()
    return answers


def _of_segment(
    connection: duckdb.DuckDBPyConnection, address: str, segment: Segment, query: _Query
) -> Arrow:
    connection.read_parquet(address).create_view("segment", replace=True)
    answer = _selected(connection, "segment", query)
    if segment.speaks_for == segment.covers:
        return answer
    return answer.filter(pc.is_in(answer.column(RUN), pa.array(sorted(segment.speaks_for))))


def _selected(connection: duckdb.DuckDBPyConnection, relation: str, query: _Query) -> Arrow:
    """The answer of one view."""
    text = f"SELECT {query.columns} FROM {relation} {query.which}"  # noqa: S608 -- see _Query
    return connection.sql(text, params=list(query.values)).to_arrow_table()


def _frame(asked: Reader, answer: Arrow, only: AbstractSet[str]) -> pd.DataFrame:
    """The frame of the runs in `only`, with what the runs say of themselves in front."""
    import pandas as pd

    from kernelmap.views.frames import frame_of

    names, columns = list(asked.columns), tuple(asked.columns.values())
    ids = answer.column(RUN).to_pylist()
    order = sorted((at for at, run_id in enumerate(ids) if run_id in only), key=ids.__getitem__)
    answer = answer.take(pa.array(order, pa.int64()))
    runs = [asked.runs[ids[at]] for at in order]
    about = {
        "run": [run.id for run in runs],
        "created": [run.created for run in runs],
        **{key: [getattr(run, key) for run in runs] for key in ("name", "branch", "commit")},
    }
    front = {
        (key if key not in names else f"run_{key}"): pd.array(values, pd.StringDtype("pyarrow"))
        for key, values in about.items()
    }
    table = Table(name="history", row="", order="", columns=columns)
    rows = frame_of(table, {name: answer.column(name) for name in names})
    return pd.concat([pd.DataFrame(front), rows], axis=1)
