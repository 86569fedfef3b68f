"""The wall time of steps as a page: what the devices do, why they are idle, what would help.

Takes columns of the table of wall time. Steps and devices are added up, because one cause in ten
steps is one thing to change; the exact rows of each step are in the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from kernelmap.model.notices import format_count
from kernelmap.pages import savings
from kernelmap.pages.page import (
    Bar,
    CellKind,
    Facts,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
    Sum,
)
from kernelmap.pages.text import ELLIPSIS, format_duration, format_percent, make_visible
from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Cell, Columns, whole_numbers

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
_OF_THE_HOST = ("launching", "guards", "graph-break", "unknown")
"""Causes of idleness that a profiler makes longer: each event that it records takes the host time.
"""
_AS_LONG = 1.02
"""Steps of one program differ by so much anyway: their own clock's noise."""
_UPPER_BOUND = (
    "A profiler makes the host slower: time in which the device waits for the host is an upper"
    " bound. `kernelmap capture` measures steps without the profiler, too."
)


class Item(Struct, frozen=True, kw_only=True):
    """Rows that have one part, cause, host event and line, added up over steps and devices."""

    kind: str
    what: str
    source: str
    time_ns: int
    stretches: int
    longest_ns: int
    steps: int


def kind_of_row(cause: object, part: object) -> str:
    """The key of NAMES for the row: its cause, or the part of the step."""
    return str(cause or part)


def steps_of_rows(columns: Columns) -> list[tuple[Cell, ...]]:
    """The step and its device of each row: rank, pid, device and step."""
    return list(zip(*(columns[name] for name in ("rank", "pid", "device", "step")), strict=True))


def items_of_wall(columns: Columns) -> list[Item]:
    """The rows of the table added up, the longest first."""
    # Row numbers of the table by what they have in common: cause, part, event and line.
    about = (columns[name] for name in ("cause", "part", "what", "source"))
    groups: dict[tuple[Cell, ...], list[int]] = {}
    for at, key in enumerate(zip(*about, strict=True)):
        groups.setdefault(key, []).append(at)
    of_step = steps_of_rows(columns)
    counted = (whole_numbers(columns[name]) for name in ("time_ns", "stretches", "longest_ns"))
    time_ns, stretches, longest_ns = (column.__getitem__ for column in counted)
    made = [
        Item(
            kind=kind_of_row(cause, part),
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


def totals_by_name(wall_items: Iterable[Item]) -> dict[str, int]:
    """Time by NAMES, in their order."""
    times = dict.fromkeys(NAMES, 0)
    for item in wall_items:
        times[item.kind] += item.time_ns
    return {name: time_ns for name, time_ns in times.items() if time_ns}


def page_of_wall(tables: Tables, *, top: int = 20, notices: bool = False) -> Page:
    """The largest items, what all add up to, and the head of what would shorten the steps."""
    columns = tables.columns("wall")
    wall_items = items_of_wall(columns)
    used = tuple((1, notice.message) for notice in tables.notices) if notices else ()
    notes: tuple[Section, ...] = (Points("Notes", used),) if used else ()
    profilers = say_profilers_part(tables, wall_items)
    saving = savings.sections_of_savings(tables.savings, top=savings.HEAD) if tables.savings else ()
    return Page(
        title="Wall time by part and cause",
        sections=(
            Facts(names=tables.summary.devices, facts=_facts_of_wall(columns)),
            _table_of_items(tables, wall_items, top),
            *([_sum_of_wall(wall_items)] if wall_items else []),
            *([Note(lines=((profilers,),), ours=True)] if profilers else []),
            *saving,
            *notes,
        ),
    )


def say_profilers_part(tables: Tables, wall_items: Iterable[Item]) -> str | None:
    """How much of the steps is the profiler's; None where the device never waits for the host."""
    times = totals_by_name(wall_items)
    wall_ns, host_ns = sum(times.values()), sum(times.get(cause, 0) for cause in _OF_THE_HOST)
    steps = set(steps_of_rows(tables.columns("wall")))
    # A window without steps has nothing to compare.
    if not host_ns or any(step[-1] is None for step in steps):
        return None
    unprofiled = tables.summary.unprofiled
    if unprofiled is None or unprofiled.mean_ns <= 0:
        return _UPPER_BOUND
    times_as_long = wall_ns / len(steps) / unprofiled.mean_ns
    about = (
        f"Without the profiler a step takes {format_duration(unprofiled.mean_ns)}"
        f" ({unprofiled.before} measured before the recording, {unprofiled.after} after it)"
    )
    if times_as_long < _AS_LONG:
        return f"{about}, as long as a recorded one."
    # What the profiler adds it adds to the host, whose work the device waits for.
    points = min(1 - 1 / times_as_long, host_ns / wall_ns)
    return (
        f"{about}; recorded steps take {times_as_long:.2f} times as long. Of"
        f" {format_percent(host_ns / wall_ns)} in which the device waits for the host about"
        f" {100 * points:.0f} points are the profiler's."
    )


def _facts_of_wall(columns: Columns) -> tuple[str, ...]:
    # Every step of every device once; devices are told apart by rank, process and number.
    distinct = set(steps_of_rows(columns))
    devices = len({step[:-1] for step in distinct})
    wall_ns = sum(whole_numbers(columns["time_ns"]))
    if not distinct:
        return ()
    # Without marked steps each device has a single row of steps, the window.
    if any(step[-1] is not None for step in distinct):
        # Devices share the steps, so their number is that of one device.
        number, mean_ns = len(distinct) // devices, wall_ns / len(distinct)
        of = f"{format_count(number, 'step')} of {format_duration(mean_ns)} (mean)"
    else:
        of = f"the whole window, {format_duration(wall_ns / devices)}: no steps are marked"
    return (*([format_count(devices, "device")] if devices > 1 else []), of)


def _sum_of_wall(wall_items: Sequence[Item]) -> Sum:
    times = totals_by_name(wall_items)
    wall_ns = sum(times.values())
    parts = tuple(
        (f"{format_percent(time_ns / wall_ns)} {NAMES[it]}", "") for it, time_ns in times.items()
    )
    return Sum(f"Wall time {format_duration(wall_ns)}", parts)


def _table_of_items(tables: Tables, largest: Sequence[Item], top: int) -> PageTable:
    wall_ns = sum(item.time_ns for item in largest)
    longest = max((item.time_ns for item in largest), default=0)
    rows = [
        PageRow(
            cells=(
                NAMES[item.kind],
                format_duration(item.time_ns),
                format_percent(item.time_ns / wall_ns),
                Bar(0, item.time_ns / longest),
                make_visible(item.what),
                make_visible(item.source),
                f"{item.stretches:,}",
                format_duration(item.longest_ns),
            ),
            dim=not NAMES[item.kind].startswith(_IDLE),
        )
        for item in largest[:top]
    ]
    after = largest[top:]
    if after:
        time_ns = sum(item.time_ns for item in after)
        cells = (
            f"{ELLIPSIS} {len(after):,} more",
            format_duration(time_ns),
            format_percent(time_ns / wall_ns),
        )
        rows.append(PageRow(cells=(*cells, "", "", "", "", ""), dim=True, ours=True))
    return PageTable(
        id="wall",
        title="",
        columns=(
            PageColumn(name="part", kind=CellKind.WORD),
            PageColumn(name="time", kind=CellKind.NUMBER),
            PageColumn(name="share", kind=CellKind.NUMBER),
            PageColumn(name="", kind=CellKind.BAR, rank=4),
            PageColumn(name="event or call", kind=CellKind.NAME, least=16, rank=1),
            PageColumn(name="source", kind=CellKind.PATH, least=20, rank=1),
            PageColumn(name="pieces", kind=CellKind.NUMBER, rank=3),
            PageColumn(name="longest", kind=CellKind.NUMBER, rank=2),
        ),
        rows=tuple(rows),
        frame=partial(tables.frame, "wall"),
        empty=_NOT_KEPT if "wall" in tables.without else "No wall time: no GPU ran in this window.",
    ).filled
