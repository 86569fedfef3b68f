"""The bus bandwidth of collectives as a table, with the computing that covers each kind."""

from __future__ import annotations

from fractions import Fraction

from kernelmap.model.collectives import CollectiveSpeed
from kernelmap.pages.page import CellKind, PageColumn, PageRow, PageTable
from kernelmap.pages.text import (
    ELLIPSIS,
    format_duration,
    format_percent,
    format_rate,
    make_visible,
)
from kernelmap.tables.bandwidth import cells_of_bandwidth
from kernelmap.tables.roofline import COLLECTIVE_SPEEDS, RooflineTables
from kernelmap.tables.rows import Cell, Row

BANDWIDTH = (
    PageColumn(name="factor", kind=CellKind.NUMBER, rank=2),
    PageColumn(name="bus GB/s", kind=CellKind.NUMBER),
    PageColumn(name="best", kind=CellKind.NUMBER, rank=3),
    PageColumn(name="of link", kind=CellKind.NUMBER),
    PageColumn(name="link", kind=CellKind.WORD, rank=4),
)
"""How fast a kind of collectives was, of one rank and of a fleet."""
_MOST_RANKS = 100_000
"""A factor is written as a fraction; no group has more ranks, so none is rounded."""
_COVERS = 2  # calls that a row names; JSON has all
_COLUMNS = (
    PageColumn(name="collective", kind=CellKind.NAME),
    PageColumn(name="group", kind=CellKind.NAME, least=12, rank=6),
    PageColumn(name="ranks", kind=CellKind.NUMBER),
    PageColumn(name="MB", kind=CellKind.NUMBER),
    PageColumn(name="number", kind=CellKind.NUMBER, rank=5),
    PageColumn(name="time", kind=CellKind.NUMBER),
    PageColumn(name="exposed", kind=CellKind.NUMBER),
    *BANDWIDTH,
    PageColumn(name="covered by", kind=CellKind.SENTENCE, least=20, rank=1),
    PageColumn(name="not known", kind=CellKind.SENTENCE, least=20, rank=7),
)


def table_of_collectives(tables: RooflineTables, *, top: int) -> PageTable:
    """The first `top` kinds of collectives, and one row that says what the others add up to."""
    kinds = tables.roofline.collectives
    rows = [_row_of_kind(kind) for kind in kinds[:top]]
    if after := kinds[top:]:
        sums = (sum(kind.time_ns for kind in after), sum(kind.exposed_ns for kind in after))
        cells = [f"{ELLIPSIS} {len(after):,} more", *[""] * 4, *map(format_duration, sums)]
        cells += [""] * (len(_COLUMNS) - len(cells))
        rows.append(PageRow(cells=tuple(cells), dim=True, ours=True))
    return PageTable(
        id=COLLECTIVE_SPEEDS.name,
        title="Collectives",
        columns=_COLUMNS,
        rows=tuple(rows),
        frame=tables.collectives,
    ).filled


def texts_of_bandwidth(row: Row) -> tuple[str, ...]:
    """The cells of BANDWIDTH for a row with the columns of tables.bandwidth."""
    factor, bus, best, share = (
        _float_or_none(row[name])
        for name in ("algorithm_factor", "bus_gbps", "best_bus_gbps", "share_of_link")
    )
    return (
        "" if factor is None else str(Fraction(factor).limit_denominator(_MOST_RANKS)),
        format_rate(bus),
        format_rate(best),
        format_percent(share),
        make_visible(str(row["link"] or "")),
    )


def format_megabytes(size: int | None) -> str:
    """Bytes in 10^6; nothing where they are not known."""
    return "" if size is None else format_rate(size / 10**6)


def _float_or_none(value: Cell) -> float | None:
    return value if isinstance(value, float) else None


def _row_of_kind(kind: CollectiveSpeed) -> PageRow:
    covers = [
        f"{make_visible(one.name)} {format_duration(one.time_ns)}"
        for one in kind.covered_by[:_COVERS]
    ]
    if len(kind.covered_by) > _COVERS:
        covers.append(f"{len(kind.covered_by) - _COVERS:,} more")
    return PageRow(
        cells=(
            make_visible(kind.name),
            make_visible(kind.group),
            "" if kind.ranks is None else f"{kind.ranks:,}",
            format_megabytes(kind.bytes),
            f"{kind.collectives:,}",
            format_duration(kind.time_ns),
            format_duration(kind.exposed_ns),
            *texts_of_bandwidth(cells_of_bandwidth(kind)),
            ", ".join(covers),
            make_visible(kind.reason or ""),
        )
    )
