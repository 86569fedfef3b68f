"""The columns that say how fast collectives are, of one rank and of a fleet, and their cells."""

from __future__ import annotations

from kernelmap.model.collectives import CollectiveSpeed
from kernelmap.tables.rows import Cell
from kernelmap.tables.table import Column, Type, Unit


def bandwidth_columns(time: str) -> tuple[Column, ...]:
    """The columns, where `time` says what the time of a collective includes."""
    return (
        _float_or_null(
            "algorithm_factor", "by which bytes over time are multiplied, such as 2 (n-1)/n"
        ),
        _float_or_null(
            "bus_gbps",
            f"bytes times algorithm_factor over the mean time: 10^9 bytes per second; {time}",
        ),
        _float_or_null("best_bus_gbps", "the same of the shortest one"),
        Column(
            name="link",
            type=Type.TEXT,
            help="what joins the ranks, where that is known",
            nullable=True,
        ),
        _float_or_null("link_gbps", "its bandwidth in one direction: 10^9 bytes per second"),
        _float_or_null("share_of_link", "bus_gbps over link_gbps", Unit.ONE),
    )


def cells_of_bandwidth(kind: CollectiveSpeed) -> dict[str, Cell]:
    """The cells of these columns."""
    return {
        "algorithm_factor": None if kind.factor is None else float(kind.factor),
        "bus_gbps": kind.bus_gbps,
        "best_bus_gbps": kind.best_bus_gbps,
        "link": kind.link,
        "link_gbps": None if kind.link_bandwidth is None else kind.link_bandwidth / 10**9,
        "share_of_link": kind.share_of_link,
    }


def _float_or_null(name: str, text: str, unit: Unit | None = None) -> Column:
    return Column(name=name, type=Type.FLOAT, help=text, unit=unit, nullable=True)
