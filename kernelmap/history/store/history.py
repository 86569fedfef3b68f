"""One op, call, line or any other row of a table, over all runs of a store.

Takes the runs and what the row is called, gives a frame with a row per run that has it, oldest
first: `run`, `created`, `name`, `branch`, `commit`, then the table's own columns but its lists.
`structures` gives a number per run, equal for runs that ran the same code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from kernelmap.errors import UsageError
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.index import RUN, TableOfRuns, table_of_runs
from kernelmap.history.store.place import Place
from kernelmap.suggestions import one_of
from kernelmap.tables.frames import frame_of
from kernelmap.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd

Arrow: TypeAlias = Any  # pyarrow has no type stubs
Value: TypeAlias = str | int | None

_STRUCTURE = ("fingerprint", "body", "config")


def read_history(
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
    UsageError for unknown tables and columns; OSError where the place fails.
    """
    asked = table_of_runs(place, runs, table)
    for name in where:
        if name not in asked.columns:
            raise UsageError(
                "unknown-column",
                f"{table} has no column {name!r} to look for",
                one_of(name, asked.columns, "Use one of"),
            )
    only = asked.runs.keys() if only is None else only
    # The rows that are asked for; the empty table has the columns where there are none.
    rows = [_select(part, where, any_of=any_of) for part in asked.parts(only)]
    frame = _frame(asked, pa.concat_tables([asked.schema.empty_table(), *rows]))
    frame.attrs["left_out"] = tuple(sorted(asked.left_out & only))
    return frame


def structures(place: Place, runs: Sequence[RunFacts]) -> Mapping[str, int]:
    """A number per run for what ran: equal where all calls compute the same, built alike.

    Made of the calls' fingerprints, bodies and configs in any order; it means nothing outside this
    process. Damaged runs are left out. Raises OSError where the place fails.
    """
    import pandas as pd

    asked = table_of_runs(place, runs, "calls")
    numbers: dict[str, int] = {}
    # Hashes of the calls' rows (rows,) are added up by run, modulo 2^64: a sum does not depend on
    # the order of calls, and rows of one run may come in several parts.
    for part in asked.parts(asked.runs.keys(), (RUN, *_STRUCTURE)):
        rows = part.to_pandas()
        digests = pd.util.hash_pandas_object(rows[[*_STRUCTURE]], index=False)
        for run, digest in digests.groupby(rows[RUN]).sum().items():
            numbers[str(run)] = (numbers.get(str(run), 0) + int(digest)) % 2**64
    return numbers


def _select(rows: Arrow, where: Mapping[str, Value], *, any_of: bool) -> Arrow:
    """The rows of which all columns, or any one, equal `where`."""
    # Several conditions become one mask; without any all rows count.
    masks = [_equals(rows.column(name), value) for name, value in where.items()]
    return rows.filter(reduce(pc.or_ if any_of else pc.and_, masks)) if masks else rows


def _equals(column: Arrow, value: Value) -> Arrow:
    """Which cells are `value`, as a text or number; none where it cannot be a cell's."""
    if value is None:
        return pc.is_null(column)
    try:
        cell = pa.scalar(value).cast(column.type)
    except (pa.ArrowException, ValueError, OverflowError):  # half a character, a huge number
        cell = pa.scalar(None, column.type)
    # Comparing with null gives null, which is no match.
    return pc.fill_null(pc.equal(column, cell), fill_value=False)


def _frame(asked: TableOfRuns, answer: Arrow) -> pd.DataFrame:
    """The frame of the rows, by run, with what the runs say of themselves in front."""
    import pandas as pd

    # The rows by their run's id, which is the order of recording.
    names, columns = list(asked.columns), tuple(asked.columns.values())
    ids = answer.column(RUN).to_pylist()
    order = sorted(range(len(ids)), key=ids.__getitem__)
    answer = answer.take(pa.array(order, pa.int64()))
    runs = [asked.runs[ids[at]] for at in order]
    about = {
        "run": [run.id for run in runs],
        "created": [run.created for run in runs],
        **{key: [getattr(run, key) for run in runs] for key in ("name", "branch", "commit")},
    }
    # Where the table has such a column itself, that of the run gets another name.
    front = {
        (key if key not in names else f"run_{key}"): pd.array(values, pd.StringDtype("pyarrow"))
        for key, values in about.items()
    }
    table = Table(name="history", row="", order="", columns=columns)
    rows = frame_of(table, {name: answer.column(name) for name in names})
    return pd.concat([pd.DataFrame(front), rows], axis=1)
