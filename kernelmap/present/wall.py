"""The wall time of steps as a page: what the devices do, why they are idle, what would help.

Takes columns of the table of wall time. Steps and devices are added up, because one cause in ten
steps is one thing to change; the exact rows of each step are in the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from kernelmap.model.notices import count
from kernelmap.present import savings
from kernelmap.present.page import Bar, Column, Facts, Kind, Page, Points, Row, Section, Sum, Table
from kernelmap.present.text import ELLIPSIS, duration, percent, visible
from kernelmap.views.rows import Cell, Columns, ints
from kernelmap.views.tables import Tables

_IDLE = "idle: "
_NOT_KEPT = "This result was saved without its wall time: `correlate --by wall` keeps it."

NAMES: Mapping[str, str] = {
    "computing": "computing",
    "communication": "exposed communication",
    "copy": "exposed copy",
    "synchronization": "idle: synchronization",
    "guards": "idle: guards",
    "graph-break": "idle: graph break",
    "launching": "idle: launching",
    "compiling": "idle: compiling",
    "loading-data": "idle: loading data",
    "waiting": "idle: waiting",
    "unknown": "idle: unknown",
}
"""What the parts of a step and the causes of idleness are called, in the order of a bar."""


class Item(Struct, frozen=True, kw_only=True):
    """Rows that have one part, cause, host event and line, added up over steps and devices."""

    kind: str
    what: str
    source: str
    time_ns: int
    stretches: int
    longest_ns: int
    steps: int


def kind(cause: object, part: object) -> str:
    """The key of NAMES for the row: its cause, or the part of the step."""
    return str(cause or part)


def steps(columns: Columns) -> list[tuple[Cell, ...]]:
    """The step and its device of each row: rank, pid, device and step."""
    return list(zip(*(columns[name] for name in ("rank", "pid", "device", "step")), strict=True))


def items(columns: Columns) -> list[Item]:
    """The rows of the table added up, the longest first."""
    # Row numbers of the table by what they have in common: cause, part, event and line.
    about = (columns[name] for name in ("cause", "part", "what", "source"))
    groups: dict[tuple[Cell, ...], list[int]] = {}
    for at, key in enumerate(zip(*about, strict=True)):
        groups.setdefault(key, []).append(at)
    of_step = steps(columns)
    counted = (ints(columns[name]) for name in ("time_ns", "stretches", "longest_ns"))
    time_ns, stretches, longest_ns = (column.__getitem__ for column in counted)
    made = [
        Item(
            kind=kind(cause, part),
            what=str(what or ""),
            source=str(source or ""),
            time_ns=sum(map(time_ns, rows)),
            stretches=sum(map(stretches, rows)),
            longest_ns=max(map(longest_ns, rows)),
            # The distinct steps and devices in which it happens.
            steps=len(set(map(of_step.__getitem__, rows))),
        )
        for (cause, part, what, source), rows in groups.items()
    ]
    return sorted(made, key=lambda item: (-item.time_ns, item.kind, item.what, item.source))


def totals(wall_items: Iterable[Item]) -> dict[str, int]:
    """Time by NAMES, in their order."""
    times = dict.fromkeys(NAMES, 0)
    for item in wall_items:
        times[item.kind] += item.time_ns
    return {name: time_ns for name, time_ns in times.items() if time_ns}


def page(tables: Tables, *, top: int = 20, notices: bool = False) -> Page:
    """The largest items, what all add up to, and the head of what would shorten the steps."""
    columns = tables.columns("wall")
    wall_items = items(columns)
    used = tuple((1, notice.message) for notice in tables.notices) if notices else ()
    notes: tuple[Section, ...] = (Points("Notes", used),) if used else ()
    saving = savings.sections(tables.savings, top=savings.HEAD) if tables.savings else ()
    return Page(
        title="Wall time by part and cause",
        sections=(
            Facts(names=tables.summary.devices, facts=_facts(columns)),
            _table(tables, wall_items, top),
            *([_sum(wall_items)] if wall_items else []),
            *saving,
            *notes,
        ),
    )


def _facts(columns: Columns) -> tuple[str, ...]:
    # Every step of every device once; devices are told apart by rank, process and number.
    distinct = set(steps(columns))
    devices = len({step[:-1] for step in distinct})
    wall_ns = sum(ints(columns["time_ns"]))
    if not distinct:
        return ()
    # Without marked steps each device has a single row of steps, the window.
    if any(step[-1] is not None for step in distinct):
        # Devices share the steps, so their number is that of one device.
        number, mean_ns = len(distinct) // devices, wall_ns / len(distinct)
        of = f"{count(number, 'step')} of {duration(mean_ns)} (mean)"
    else:
        of = f"the whole window, {duration(wall_ns / devices)}: no steps are marked"
    return (*([count(devices, "device")] if devices > 1 else []), of)


def _sum(wall_items: Sequence[Item]) -> Sum:
    times = totals(wall_items)
    wall_ns = sum(times.values())
    parts = tuple(
        (f"{percent(time_ns / wall_ns)} {NAMES[it]}", "") for it, time_ns in times.items()
    )
    return Sum(f"Wall time {duration(wall_ns)}", parts)


def _table(tables: Tables, largest: Sequence[Item], top: int) -> Table:
    wall_ns = sum(item.time_ns for item in largest)
    longest = max((item.time_ns for item in largest), default=0)
    rows = [
        Row(
            cells=(
                NAMES[item.kind],
                duration(item.time_ns),
                percent(item.time_ns / wall_ns),
                Bar(0, item.time_ns / longest),
                visible(item.what),
                visible(item.source),
                f"{item.stretches:,}",
                duration(item.longest_ns),
            ),
            dim=not NAMES[item.kind].startswith(_IDLE),
        )
        for item in largest[:top]
    ]
    after = largest[top:]
    if after:
        time_ns = sum(item.time_ns for item in after)
        cells = (f"{ELLIPSIS} {len(after):,} more", duration(time_ns), percent(time_ns / wall_ns))
        rows.append(Row(cells=(*cells, "", "", "", "", ""), dim=True, ours=True))
    return Table(
        id="wall",
        title="",
        columns=(
            Column(name="part", kind=Kind.WORD),
            Column(name="time", kind=Kind.NUMBER),
            Column(name="share", kind=Kind.NUMBER),
            Column(name="", kind=Kind.BAR, rank=4),
            Column(name="event or call", kind=Kind.NAME, least=16, rank=1),
            Column(name="source", kind=Kind.PATH, least=20, rank=1),
            Column(name="pieces", kind=Kind.NUMBER, rank=3),
            Column(name="longest", kind=Kind.NUMBER, rank=2),
        ),
        rows=tuple(rows),
        frame=partial(tables.frame, "wall"),
        empty=_NOT_KEPT if "wall" in tables.without else "No wall time: no GPU ran in this window.",
    ).filled
