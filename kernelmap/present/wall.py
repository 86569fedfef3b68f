"""The wall time of steps as a page: what the devices do, why they are idle, what would help.

Takes columns of the table of wall time. Steps and devices are added up, because one cause in ten
steps is one thing to change; the exact rows of each step are in the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from kernelmap.model.notices import count
from kernelmap.present.page import Bar, Column, Facts, Kind, Page, Points, Row, Section, Sum, Table
from kernelmap.present.text import ELLIPSIS, duration, percent, place, visible
from kernelmap.views.rows import Cell, Columns, ints
from kernelmap.views.tables import Tables

LARGE = 0.1
"""A part of the wall time from which on a cause of idleness is worth a change."""

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

ADVICE: Mapping[str, str] = {
    "synchronization": "keep the value on the device (no .item(), .cpu() or synchronize() in the"
    " step), or read it every few steps",
    "guards": "compile larger functions, whose guards run once for all that they hold",
    "graph-break": "take the graph break away: torch.compile(fullgraph=True) names it",
    "launching": 'let CUDA graphs launch: torch.compile(mode="reduce-overhead"); or give each'
    " launch more work",
    "compiling": "record after the warm-up; `--by graph` says why functions were compiled again",
    "loading-data": "load ahead: more workers, prefetch_factor, pin_memory and non_blocking copies",
    "waiting": "the host was ahead: look in the timeline for what the stream waits for",
    "unknown": "profile with with_stack=True, which shows the function; data that code of your own"
    " loads is seen with record_function",
}


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
    """The largest items, what all add up to, and what would shorten the steps."""
    columns = tables.columns("wall")
    wall_items = items(columns)
    used = tuple((1, notice.message) for notice in tables.notices) if notices else ()
    notes: tuple[Section, ...] = (Points("Notes", used),) if used else ()
    help_ = tuple(
        (1, f"{it.size}{it.where and f' (most of it {it.where})'}: {it.do}")
        for it in advice(wall_items)
    )
    return Page(
        title="Wall time by part and cause",
        sections=(
            Facts(names=tables.summary.devices, facts=_facts(columns)),
            _table(tables, wall_items, top),
            *([_sum(wall_items)] if wall_items else []),
            *([Points("What would shorten the steps", help_)] if help_ else []),
            *notes,
        ),
    )


class Help(Struct, frozen=True, kw_only=True):
    """A cause with a large part of the wall time: how much, mostly where, and what to do."""

    size: str
    where: str
    do: str


def advice(wall_items: Sequence[Item]) -> list[Help]:
    """The causes of idleness that are worth a change, the largest first.

    `wall_items` are those that `items` gives.
    """
    times = totals(wall_items)
    wall_ns = sum(times.values())
    helps = []
    for name, time_ns in sorted(times.items(), key=lambda pair: -pair[1]):
        if name in ADVICE and time_ns >= LARGE * wall_ns:
            most = next(item for item in wall_items if item.kind == name)
            source = place(most.source)
            # A function is `in forward (model.py:12)` already, a line is at its place.
            joint = " " if source.startswith("in ") else " at "
            about = joint.join(filter(None, (most.what, source)))
            share = percent(time_ns / wall_ns)
            size = f"{NAMES[name]} {duration(time_ns)}, {share} of the wall time"
            is_most = 2 * most.time_ns > time_ns
            where = visible(about) if is_most else ""
            helps.append(Help(size=size, where=where, do=ADVICE[name]))
    return helps


def _facts(columns: Columns) -> tuple[str, ...]:
    distinct = set(steps(columns))
    devices = len({step[:-1] for step in distinct})
    wall_ns = sum(ints(columns["time_ns"]))
    if not distinct:
        return ()
    if any(step[-1] is not None for step in distinct):
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
            dim=item.kind not in ADVICE,
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
