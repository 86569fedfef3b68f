"""A roofline as a page: the device's limits, and rows with what could be won, most first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernelmap.model.notices import join_some
from kernelmap.model.roofline import BESIDE_CALLS, BOTH, MEASURED, Roofline
from kernelmap.pages import savings
from kernelmap.pages.collectives import table_of_collectives
from kernelmap.pages.columns import name_of_module
from kernelmap.pages.limits import limits_in_words, of_steps, say_model_use, say_total
from kernelmap.pages.page import (
    Bar,
    CellKind,
    Cells,
    Facts,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
)
from kernelmap.pages.text import (
    ELLIPSIS,
    format_bytes,
    format_duration,
    format_percent,
    format_rate,
    make_visible,
    rate_unit,
)
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.roofline import REASONS, ROOFLINE, RooflineTables
from kernelmap.tables.rows import Cell, Row, whole_number

_NOUNS = {
    "call": "call",
    "op": "original op",
    "line": "source line",
    "module": "module",
    "kernel": "kernel",
}
_TITLE, _WRAPPER, _GRAPH = 26, 20, 8  # characters to which a terminal may cut
_REASONS = 5  # paragraphs to read; JSON has all
_IDS = 8  # calls that one names
_WHY = (
    PageColumn(name="reason", kind=CellKind.WORD),
    PageColumn(name="saves", kind=CellKind.NUMBER),
    PageColumn(name="evidence"),
    PageColumn(name="calls", kind=CellKind.NAME),
    PageColumn(name="bytes", kind=CellKind.NUMBER),
)


def page_of_roofline(
    tables: RooflineTables, *, by: str = "call", top: int = 20, notices: bool = False
) -> Page:
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
                facts=tuple(_say_limits(roofline)),
            ),
            table_of_roofline(tables, by=by, top=top),
            Note(lines=tuple((line,) for line in _say_totals(tables)), ours=True),
            *([collectives] if (collectives := table_of_collectives(tables, top=top)).rows else []),
            *(
                savings.sections_of_savings(tables.savings, top=savings.HEAD)
                if tables.savings
                else ()
            ),
            *([of_calls] if (of_calls := table_of_reasons(tables, top=top)).rows else []),
            *notes,
        ),
    )


def table_of_roofline(tables: RooflineTables, *, by: str, top: int) -> PageTable:
    """The first `top` rows, and one that says what the others add up to."""
    frame = tables.frames[by]
    shown = list(rows_of_frame(ROOFLINE[by], frame.iloc[:top]))
    longest = max((whole_number(row, "headroom_ns") for row in shown), default=0)
    units = _units_of_columns(shown)
    # Where nothing was counted, all bytes are computed, and nothing needs to say so.
    is_measured = any(row["bytes_from"] in (MEASURED, BOTH) for row in shown)
    drawn = [
        PageRow(
            cells=_cells_of_row(by, row, longest, units, is_measured=is_measured),
            dim=_title_of_row(by, row).startswith("("),
        )
        for row in shown
    ]
    columns = _columns_of(by, units, is_measured=is_measured)
    # What is not shown adds up in one row, so that the table has all time of the window.
    after = frame.iloc[top:]
    if len(after):
        cells: tuple[Cells, ...] = (
            f"{ELLIPSIS} {len(after):,} more",
            format_duration(int(after["time_ns"].sum())),
            format_duration(int(after["headroom_ns"].sum()))
            if after["headroom_ns"].notna().any()
            else "",
        )
        drawn.append(
            PageRow(cells=(*cells, *[""] * (len(columns) - len(cells))), dim=True, ours=True)
        )
    return PageTable(
        id=ROOFLINE[by].name,
        title="",
        columns=columns,
        rows=tuple(drawn),
        frame=frame,
        empty="No call ran in this window.",
    ).filled


def table_of_reasons(tables: RooflineTables, *, top: int) -> PageTable:
    """Why calls have headroom, the most first, and one row that says what the others save.

    Whether a step would be shorter is another question: the list of savings says that.
    """
    frame, shown = tables.reasons, min(top, _REASONS)
    # Reasons beside calls, such as an idle device, stand in the list of savings.
    frame = frame[~frame["slug"].isin([slug.value for slug in BESIDE_CALLS])]
    drawn = [
        PageRow(
            cells=(
                str(row["slug"]),
                _say_saving(row),
                make_visible(str(row["evidence"])),
                make_visible(_say_calls(row["calls"])),
                format_bytes(whole_number(row, "bytes")) if row["bytes"] is not None else "",
            )
        )
        for row in rows_of_frame(REASONS, frame.iloc[:shown])
    ]
    after = frame.iloc[shown:]
    if len(after):
        saved = (
            format_duration(int(after["saves_ns"].sum())) if after["saves_ns"].notna().any() else ""
        )
        title = f"{ELLIPSIS} {len(after):,} more"
        drawn.append(PageRow(cells=(title, saved, "", "", ""), dim=True, ours=True))
    return PageTable(
        id=REASONS.name,
        title="Why calls have headroom",
        columns=_WHY,
        rows=tuple(drawn),
        frame=frame,
        stacked=True,
    )


def _say_calls(ids: Cell) -> str:
    """The first calls, and how many more there are."""
    return join_some([str(call) for call in ids], _IDS) if isinstance(ids, list) else ""


def _say_saving(row: Row) -> str:
    """`at most 75.08 µs`, with what stands in rows above already."""
    if row["saves_ns"] is None:
        return "limits are not known"
    text = "at most " + format_duration(whole_number(row, "saves_ns"))
    overlap_ns = whole_number(row, "overlap_ns")
    return f"{text}, {format_duration(overlap_ns)} more counted above" if overlap_ns else text


def _columns_of(
    by: str, units: Mapping[str, tuple[float, str]], *, is_measured: bool
) -> tuple[PageColumn, ...]:
    kind = CellKind.PATH if by == "line" else CellKind.NAME
    more = [PageColumn(name="wrapper", least=_WRAPPER, rank=3)] if by == "call" else []
    if by == "kernel":
        more = [PageColumn(name="graph", kind=CellKind.ID, least=_GRAPH, rank=7, tells=True)]
    if by == "module":
        more = [
            PageColumn(name="MFU", kind=CellKind.NUMBER, rank=3),
            PageColumn(name="total", kind=CellKind.NUMBER, rank=3),
            PageColumn(name="total MFU", kind=CellKind.NUMBER, rank=2),
        ]
    return (
        PageColumn(name=_NOUNS[by], kind=kind, least=_TITLE, whole=by == "call"),
        PageColumn(name="own" if by == "module" else "time", kind=CellKind.NUMBER),
        PageColumn(name="headroom", kind=CellKind.NUMBER),
        PageColumn(name="", kind=CellKind.BAR, rank=4),
        PageColumn(name="of steps", kind=CellKind.NUMBER, rank=3),
        PageColumn(name="of limit", kind=CellKind.NUMBER),
        PageColumn(name="bound", kind=CellKind.WORD),
        PageColumn(name=units["gbps"][1], kind=CellKind.NUMBER, rank=1),
        PageColumn(name=units["tflops"][1], kind=CellKind.NUMBER, rank=2),
        PageColumn(name="moved", kind=CellKind.NUMBER, rank=5),
        *([PageColumn(name="bytes from", kind=CellKind.WORD, rank=2)] if is_measured else []),
        *more,
        PageColumn(name="not known", kind=CellKind.SENTENCE, rank=6, least=_WRAPPER),
    )


def _cells_of_row(
    by: str,
    row: Row,
    longest: int,
    units: Mapping[str, tuple[float, str]],
    *,
    is_measured: bool,
) -> tuple[Cells, ...]:
    headroom = row["headroom_ns"]
    bar: Cells = Bar(0, headroom / longest) if isinstance(headroom, int) and longest else ""
    beside = {"call": "wrapper", "kernel": "graph"}.get(by)
    # The title of what is no call is its wrapper already.
    is_told = by == "call" and not row["call"]
    # A call's wrapper, or a kernel's graph, stands beside the title.
    more = [] if beside is None else ["" if is_told else make_visible(str(row[beside] or ""))]
    # A module without products has no utilization to improve.
    if by == "module":
        more = [
            format_percent(_float_or_none(row["mfu"])) if row["model_flops"] else "",
            format_duration(whole_number(row, "total_ns")),
            format_percent(_float_or_none(row["total_mfu"])) if row["total_model_flops"] else "",
        ]
    return (
        make_visible(_title_of_row(by, row)),
        format_duration(whole_number(row, "time_ns")),
        _time_or_nothing(headroom),
        bar,
        _time_or_nothing(row["step_headroom_ns"]),
        format_percent(_float_or_none(row["share_of_limit"])),
        str(row["bound"] or ""),
        *(_say_rate(row[column], *unit) for column, unit in units.items()),
        _say_bytes(row),
        *([str(row["bytes_from"] or "")] if is_measured else []),
        *more,
        make_visible(str(row["reason"] or "")),
    )


def _units_of_columns(rows: Sequence[Row]) -> dict[str, tuple[float, str]]:
    """The unit of each column of rates in which one of the rows is 1 or more."""
    units = {}
    for column, unit in (("gbps", "GB/s"), ("tflops", "TFLOP/s")):
        largest = max((_float_or_none(row[column]) or 0 for row in rows), default=0)
        units[column] = rate_unit(largest, unit)
    return units


def _say_rate(value: Cell, factor: float, _: str) -> str:
    known = _float_or_none(value)
    return "" if known is None else format_rate(known * factor)


def _title_of_row(by: str, row: Row) -> str:
    if by == "line":
        return str(row["file"]) if row["line"] is None else f"{row['file']}:{row['line']}"
    if by == "call":
        return str(row["call"] or row["wrapper"])
    if by == "module":
        return name_of_module(str(row["name"]))
    return str(row["wrapper"] if by == "kernel" else row["name"])


def _time_or_nothing(value: Cell) -> str:
    return format_duration(value) if isinstance(value, int) else ""


def _float_or_none(value: Cell) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _say_bytes(row: Row) -> str:
    """The bytes, with a mark where they are an upper bound."""
    most, least = row["bytes"], row["bytes_least"]
    if not isinstance(most, int):
        return ""
    return f"{'≤ ' if most != least else ''}{format_bytes(most)}"


def _say_limits(roofline: Roofline) -> Iterator[str]:
    limits = [limits for limits in roofline.devices.values() if limits is not None]
    # Limits of several devices differ, so none stands at the head.
    if len(limits) == len(roofline.devices) == 1:
        yield from limits_in_words(limits[0])


def _say_totals(tables: RooflineTables) -> Iterator[str]:
    roofline = tables.roofline
    yield say_total(roofline)
    if part := of_steps(roofline):
        yield part
    yield from say_model_use(roofline)
    if tables.idle_ns:
        yield f"Devices were idle for {format_duration(tables.idle_ns)}"
