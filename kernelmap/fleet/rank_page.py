"""One rank of a fleet as sections: what it is, why it is slow, its calls beside the median rank's.

Takes a fleet and rows of that rank, as its task wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from kernelmap.fleet.show import PageWays, cause_cells, more_rows, say_standard
from kernelmap.fleet.tables import FleetTables
from kernelmap.pages.page import CellKind, Note, PageColumn, PageRow, PageTable, Section, Tone
from kernelmap.pages.text import format_duration, format_signed, make_visible, signed_percent
from kernelmap.tables.rows import Row, whole_number

_ROWS = 50
_FACTS = {
    "device": "device",
    "steps": "steps",
    "step_ns": "a step",
    "own_ns": "without waiting",
    "excess_ns": "over the median",
    "compute_ns": "computing",
    "exposed_ns": "only communicating",
    "waiting_ns": "of that waiting",
    "idle_ns": "idle",
    "last_in": "came last in",
    "threads": "threads",
    "interop_threads": "interop threads",
    "sources": "made from",
}


def sections_of_rank(
    fleet: FleetTables,
    rank: int,
    rows: Mapping[str, Sequence[Row]],
    ways: PageWays,
    top: int = _ROWS,
) -> Iterator[Section]:
    """What is known of `rank`; `rows` are its rows by kind, of each of which `top` are shown."""
    record = next((row for row in fleet.rows["ranks"] if row["rank"] == rank), None)
    if record is None:
        yield Note(lines=((f"There is no rank {rank} in this fleet.",),), tone=Tone.WARNING)
        return
    if record["state"] != "read":
        reason = make_visible(str(record["reason"]))
        yield Note(lines=((f"Rank {rank} is missing: {reason}.",),), tone=Tone.WARNING)
        return
    yield _table_of_facts(record, ways)
    yield _table_of_causes(fleet, rank)
    for by, of_kind in rows.items():
        yield _table_of_rows(fleet, record, of_kind, by, ways, top)


def _table_of_facts(record: Row, ways: PageWays) -> PageTable:
    said = [
        (
            word,
            format_duration(whole_number(record, name))
            if name.endswith("_ns")
            else make_visible(str(value)),
        )
        for name, word in _FACTS.items()
        if (value := record.get(name)) is not None
    ]
    return PageTable(
        id="rank",
        title=f"Rank {record['rank']}{', slow' if record['slow'] == 'yes' else ''}",
        columns=(PageColumn(name="fact"), PageColumn(name="")),
        rows=tuple(PageRow(cells=pair) for pair in said),
        frame=pd.DataFrame([record]),
        about=("Times are those of a mean step.", *ways.more(whole_number(record, "rank"))),
    )


def _table_of_causes(fleet: FleetTables, rank: int) -> PageTable:
    causes = [row for row in fleet.rows["causes"] if row["rank"] == rank]
    return PageTable(
        id="causes",
        title=f"Why, against the {say_standard(fleet)} rank {fleet.reference}",
        columns=(
            PageColumn(name="of it", kind=CellKind.NUMBER),
            PageColumn(name="cause", kind=CellKind.WORD),
            PageColumn(name="what", kind=CellKind.NAME),
            PageColumn(name=""),
        ),
        rows=tuple(PageRow(cells=cause_cells(row)) for row in causes),
        frame=fleet.causes[fleet.causes["rank"] == rank],
        empty="It is not slower than ranks differ from each other.",
    ).filled


def _table_of_rows(
    fleet: FleetTables, record: Row, rows: Sequence[Row], by: str, ways: PageWays, top: int
) -> PageTable:
    """The rows of a rank, those that take the most beyond the median over ranks first."""
    usual: Mapping[str, Row] = {
        str(row["key"]): row for row in fleet.rows["spread"] if row["by"] == by
    }
    steps = whole_number(record, "steps") or 1
    # Ns of the whole window by key; several rows of a rank may have one key. Those that take the
    # most beyond the median come first.
    times: dict[str, int] = {}
    for row in rows:
        times[str(row["key"])] = times.get(str(row["key"]), 0) + whole_number(row, "time_ns")
    compared = [
        (usual[key], round(time_ns / steps)) for key, time_ns in times.items() if key in usual
    ]
    compared.sort(key=lambda pair: whole_number(pair[0], "median_ns") - pair[1])
    drawn = [
        PageRow(
            cells=(
                ways.row(row),
                format_duration(time_ns),
                format_duration(whole_number(row, "median_ns")),
                format_signed(time_ns - whole_number(row, "median_ns")),
                signed_percent(time_ns / whole_number(row, "median_ns") - 1)
                if row["median_ns"]
                else "",
            )
        )
        for row, time_ns in compared[:top]
    ]
    return PageTable(
        id=f"rank-{by}",
        title=f"Rank {record['rank']} by {by}, a step, most beyond the median over ranks first",
        columns=(
            PageColumn(name=by, kind=CellKind.NAME),
            PageColumn(name="here", kind=CellKind.NUMBER),
            PageColumn(name="median", kind=CellKind.NUMBER),
            PageColumn(name="more", kind=CellKind.NUMBER),
            PageColumn(name="of the median", kind=CellKind.NUMBER),
        ),
        rows=(*drawn, *more_rows(len(compared) - top, 5)),
        frame=pd.DataFrame(
            [
                {"name": row["name"], "time_ns": time_ns, "median_ns": row["median_ns"]}
                for row, time_ns in compared
            ]
        ),
        empty=f"It ran no {by} that others ran.",
    )
