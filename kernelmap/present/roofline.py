"""A roofline as a page: the device's limits, and rows with what could be won, most first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernelmap.model.notices import some
from kernelmap.present import savings
from kernelmap.present.columns import name_of_module
from kernelmap.present.limits import limits_in_words, of_steps, total
from kernelmap.present.page import (
    Bar,
    Cells,
    Column,
    Facts,
    Kind,
    Note,
    Page,
    Points,
    Row,
    Section,
    Table,
)
from kernelmap.present.text import ELLIPSIS, duration, percent, rate, rate_unit, visible
from kernelmap.roofline.records import BESIDE_CALLS, Roofline
from kernelmap.views.frames import rows
from kernelmap.views.roofline import REASONS, ROOFLINE, RooflineTables
from kernelmap.views.rows import Cell, whole
from kernelmap.views.rows import Row as Record

_NOUNS = {
    "call": "call",
    "op": "original op",
    "line": "source line",
    "module": "module",
    "kernel": "kernel",
}
_UNITS = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_TITLE, _WRAPPER, _GRAPH = 26, 20, 8  # characters to which a terminal may cut
_REASONS = 5  # paragraphs to read; JSON has all
_IDS = 8  # calls that one names
_WHY = (
    Column(name="reason", kind=Kind.WORD),
    Column(name="saves", kind=Kind.NUMBER),
    Column(name="evidence"),
    Column(name="calls", kind=Kind.NAME),
    Column(name="bytes", kind=Kind.NUMBER),
)


def page(tables: RooflineTables, *, by: str = "call", top: int = 20, notices: bool = False) -> Page:
    """The table of `by`, the head of what steps could save, and why calls have headroom.

    At most `top` rows of each.
    `notices` adds what could not be used.
    """
    roofline = tables.roofline
    used = tuple((1, notice.message) for notice in roofline.notices) if notices else ()
    notes: tuple[Section, ...] = (Points("Notes", used),) if used else ()
    return Page(
        title=f"Headroom by {_NOUNS[by]}",
        sections=(
            Facts(
                names=tuple(name or "a device without a name" for name in roofline.devices),
                facts=tuple(_limits(roofline)),
            ),
            table(tables, by=by, top=top),
            Note(lines=tuple((line,) for line in _totals(tables)), ours=True),
            *(savings.sections(tables.savings, top=savings.HEAD) if tables.savings else ()),
            *([of_calls] if (of_calls := why(tables, top=top)).rows else []),
            *notes,
        ),
    )


def table(tables: RooflineTables, *, by: str, top: int) -> Table:
    """The first `top` rows, and one that says what the others add up to."""
    frame = tables.frames[by]
    shown = list(rows(ROOFLINE[by], frame.iloc[:top]))
    longest = max((whole(row, "headroom_ns") for row in shown), default=0)
    units = _units(shown)
    drawn = [
        Row(cells=_cells(by, row, longest, units), dim=_title(by, row).startswith("("))
        for row in shown
    ]
    columns = _columns(by, units)
    # What is not shown adds up in one row, so that the table has all time of the window.
    after = frame.iloc[top:]
    if len(after):
        cells: tuple[Cells, ...] = (
            f"{ELLIPSIS} {len(after):,} more",
            duration(int(after["time_ns"].sum())),
            duration(int(after["headroom_ns"].sum())) if after["headroom_ns"].notna().any() else "",
        )
        drawn.append(Row(cells=(*cells, *[""] * (len(columns) - len(cells))), dim=True, ours=True))
    return Table(
        id=ROOFLINE[by].name,
        title="",
        columns=columns,
        rows=tuple(drawn),
        frame=frame,
        empty="No call ran in this window.",
    ).filled


def why(tables: RooflineTables, *, top: int) -> Table:
    """Why calls have headroom, the most first, and one row that says what the others save.

    Whether a step would be shorter is another question: the list of savings says that.
    """
    frame, shown = tables.reasons, min(top, _REASONS)
    # Reasons beside calls, such as an idle device, stand in the list of savings.
    frame = frame[~frame["slug"].isin([slug.value for slug in BESIDE_CALLS])]
    drawn = [
        Row(
            cells=(
                str(row["slug"]),
                _saving(row),
                visible(str(row["evidence"])),
                visible(_calls(row["calls"])),
                f"{amount(whole(row, 'bytes'))}B" if row["bytes"] is not None else "",
            )
        )
        for row in rows(REASONS, frame.iloc[:shown])
    ]
    after = frame.iloc[shown:]
    if len(after):
        saved = duration(int(after["saves_ns"].sum())) if after["saves_ns"].notna().any() else ""
        title = f"{ELLIPSIS} {len(after):,} more"
        drawn.append(Row(cells=(title, saved, "", "", ""), dim=True, ours=True))
    return Table(
        id=REASONS.name,
        title="Why calls have headroom",
        columns=_WHY,
        rows=tuple(drawn),
        frame=frame,
        stacked=True,
    )


def _calls(ids: Cell) -> str:
    """The first calls, and how many more there are."""
    return some([str(call) for call in ids], _IDS) if isinstance(ids, list) else ""


def _saving(row: Record) -> str:
    """`at most 75.08 µs`, with what stands in rows above already."""
    if row["saves_ns"] is None:
        return "limits are not known"
    text = "at most " + duration(whole(row, "saves_ns"))
    overlap_ns = whole(row, "overlap_ns")
    return f"{text}, {duration(overlap_ns)} more counted above" if overlap_ns else text


def _columns(by: str, units: Mapping[str, tuple[float, str]]) -> tuple[Column, ...]:
    kind = Kind.PATH if by == "line" else Kind.NAME
    more = [Column(name="wrapper", least=_WRAPPER, rank=3)] if by == "call" else []
    if by == "kernel":
        more = [Column(name="graph", kind=Kind.ID, least=_GRAPH, rank=7, tells=True)]
    return (
        Column(name=_NOUNS[by], kind=kind, least=_TITLE, whole=by == "call"),
        Column(name="own" if by == "module" else "time", kind=Kind.NUMBER),
        Column(name="headroom", kind=Kind.NUMBER),
        Column(name="", kind=Kind.BAR, rank=4),
        Column(name="of steps", kind=Kind.NUMBER, rank=3),
        Column(name="of limit", kind=Kind.NUMBER),
        Column(name="bound", kind=Kind.WORD),
        Column(name=units["gbps"][1], kind=Kind.NUMBER, rank=1),
        Column(name=units["tflops"][1], kind=Kind.NUMBER, rank=2),
        Column(name="moved", kind=Kind.NUMBER, rank=5),
        *more,
        Column(name="not known", kind=Kind.SENTENCE, rank=6, least=_WRAPPER),
    )


def _cells(
    by: str, row: Record, longest: int, units: Mapping[str, tuple[float, str]]
) -> tuple[Cells, ...]:
    headroom = row["headroom_ns"]
    bar: Cells = Bar(0, headroom / longest) if isinstance(headroom, int) and longest else ""
    beside = {"call": "wrapper", "kernel": "graph"}.get(by)
    # The title of what is no call is its wrapper already.
    is_told = by == "call" and not row["call"]
    # A call's wrapper, or a kernel's graph, stands beside the title.
    more = [] if beside is None else ["" if is_told else visible(str(row[beside] or ""))]
    return (
        visible(_title(by, row)),
        duration(whole(row, "time_ns")),
        _optional(headroom),
        bar,
        _optional(row["step_headroom_ns"]),
        percent(_float(row["share_of_limit"])),
        str(row["bound"] or ""),
        *(_rate(row[column], *unit) for column, unit in units.items()),
        _moved(row),
        *more,
        visible(str(row["reason"] or "")),
    )


def _units(rows: Sequence[Record]) -> dict[str, tuple[float, str]]:
    """The unit of each column of rates in which one of the rows is 1 or more."""
    units = {}
    for column, unit in (("gbps", "GB/s"), ("tflops", "TFLOP/s")):
        largest = max((_float(row[column]) or 0 for row in rows), default=0)
        units[column] = rate_unit(largest, unit)
    return units


def _rate(value: Cell, factor: float, _: str) -> str:
    known = _float(value)
    return "" if known is None else rate(known * factor)


def _title(by: str, row: Record) -> str:
    if by == "line":
        return str(row["file"]) if row["line"] is None else f"{row['file']}:{row['line']}"
    if by == "call":
        return str(row["call"] or row["wrapper"])
    if by == "module":
        return name_of_module(str(row["name"]))
    return str(row["wrapper"] if by == "kernel" else row["name"])


def _optional(value: Cell) -> str:
    return duration(value) if isinstance(value, int) else ""


def _float(value: Cell) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _moved(row: Record) -> str:
    """The bytes, with a mark where they are an upper bound."""
    most, least = row["bytes"], row["bytes_least"]
    if not isinstance(most, int):
        return ""
    return f"{'≤ ' if most != least else ''}{amount(most)}B"


def amount(number: float) -> str:
    """A number with its unit prefix.

    >>> amount(1_234_567), amount(12)
    ('1.23 M', '12 ')
    """
    for scale, prefix in _UNITS:
        if number >= scale:
            return f"{number / scale:.3g} {prefix}"
    return f"{number:.0f} "


def _limits(roofline: Roofline) -> Iterator[str]:
    limits = [limits for limits in roofline.devices.values() if limits is not None]
    # Limits of several devices differ, so none stands at the head.
    if len(limits) == len(roofline.devices) == 1:
        yield from limits_in_words(limits[0])


def _totals(tables: RooflineTables) -> Iterator[str]:
    roofline = tables.roofline
    yield total(roofline)
    if part := of_steps(roofline):
        yield part
    if tables.idle_ns:
        yield f"Devices were idle for {duration(tables.idle_ns)}"
