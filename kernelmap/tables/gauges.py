"""What was sampled of the GPU during a row: the cells of schema.GAUGES, null where nothing was."""

from __future__ import annotations

from msgspec.structs import asdict

from kernelmap.attribution.gauges import RowGauges
from kernelmap.tables.rows import Row
from kernelmap.tables.schema import GAUGES

NO_GAUGES: Row = dict.fromkeys(column.name for column in GAUGES)
"""The cells of a row of which nothing was sampled."""


def cells_of_gauges(gauges: RowGauges | None) -> Row:
    """The cells of a row; the fields of the record are the columns."""
    return NO_GAUGES if gauges is None else asdict(gauges)
