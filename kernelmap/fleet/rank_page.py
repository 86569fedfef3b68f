"""One rank of a fleet as sections: what it is, why it is slow, its calls beside the median rank's.

Takes a fleet and rows of that rank, as its task wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from kernelmap.fleet.show import Ways, cause_cells, more_rows, standard
from kernelmap.present.page import Column, Kind, Note, Row, Section, Table, Tone
from kernelmap.present.text import duration, signed, signed_percent, visible
from kernelmap.views.rows import Row as Record
from kernelmap.views.rows import whole

if TYPE_CHECKING:
    from kernelmap.fleet.run import Fleet

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


def sections(
    fleet: Fleet, rank: int, rows: Mapping[str, Sequence[Record]], ways: Ways, top: int = _ROWS
) -> Iterator[Section]:
    """What is known of `rank`; `rows` are its rows by kind, of each of which `top` are shown."""
    record = next((row for row in fleet.rows["ranks"] if row["rank"] == rank), None)
    if record is None:
        yield Note(lines=((f"There is no rank {rank} in this fleet.",),), tone=Tone.WARNING)
        return
    if record["state"] != "read":
        reason = visible(str(record["reason"]))
        yield Note(lines=((f"Rank {rank} is missing: {reason}.",),), tone=Tone.WARNING)
        return
    yield _facts(record, ways)
    yield _causes(fleet, rank)
    for by, of_kind in rows.items():
        yield _rows(fleet, record, of_kind, by, ways, top)


def _facts(record: Record, ways: Ways) -> Table:
    said = [
        (word, duration(whole(record, name)) if name.endswith("_ns") else visible(str(value)))
        for name, word in _FACTS.items()
        if (value := record.get(name)) is not None
    ]
    return Table(
        id="rank",
        title=f"Rank {record['rank']}{', slow' if record['slow'] == 'yes' else ''}",
        columns=(Column(name="fact"), Column(name="")),
        rows=tuple(Row(cells=pair) for pair in said),
        frame=pd.DataFrame([record]),
        about=("Times are those of a mean step.", *ways.more(whole(record, "rank"))),
    )


def _causes(fleet: Fleet, rank: int) -> Table:
    causes = [row for row in fleet.rows["causes"] if row["rank"] == rank]
    return Table(
        id="causes",
        title=f"Why, against the {standard(fleet)} rank {fleet.reference}",
        columns=(
            Column(name="of it", kind=Kind.NUMBER),
            Column(name="cause", kind=Kind.WORD),
            Column(name="what", kind=Kind.NAME),
            Column(name=""),
        ),
        rows=tuple(Row(cells=cause_cells(row)) for row in causes),
        frame=fleet.causes[fleet.causes["rank"] == rank],
        empty="It is not slower than ranks differ from each other.",
    ).filled


def _rows(
    fleet: Fleet, record: Record, rows: Sequence[Record], by: str, ways: Ways, top: int
) -> Table:
    """The rows of a rank, those that take the most beyond the median over ranks first."""
    usual: Mapping[str, Record] = {
        str(row["key"]): row for row in fleet.rows["spread"] if row["by"] == by
    }
    steps = whole(record, "steps") or 1
    # Ns of the whole window by key; several rows of a rank may have one key. Those that take the
    # most beyond the median come first.
    times: dict[str, int] = {}
    for row in rows:
        times[str(row["key"])] = times.get(str(row["key"]), 0) + whole(row, "time_ns")
    compared = [
        (usual[key], round(time_ns / steps)) for key, time_ns in times.items() if key in usual
    ]
    compared.sort(key=lambda pair: whole(pair[0], "median_ns") - pair[1])
    drawn = [
        Row(
            cells=(
                ways.row(row),
                duration(time_ns),
                duration(whole(row, "median_ns")),
                signed(time_ns - whole(row, "median_ns")),
                signed_percent(time_ns / whole(row, "median_ns") - 1) if row["median_ns"] else "",
            )
        )
        for row, time_ns in compared[:top]
    ]
    return Table(
        id=f"rank-{by}",
        title=f"Rank {record['rank']} by {by}, a step, most beyond the median over ranks first",
        columns=(
            Column(name=by, kind=Kind.NAME),
            Column(name="here", kind=Kind.NUMBER),
            Column(name="median", kind=Kind.NUMBER),
            Column(name="more", kind=Kind.NUMBER),
            Column(name="of the median", kind=Kind.NUMBER),
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
