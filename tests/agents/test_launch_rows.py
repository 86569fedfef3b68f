"""Launches are answered from the rows that are shown: the table of all of them is not made."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.agents.recordings import Recordings
from kernelmap.agents.table_rows import chosen_rows
from kernelmap.tables.schema import LAUNCHES
from kernelmap.tables.table import Type

NUMBERS = [column.name for column in LAUNCHES.columns if column.type in (Type.INT, Type.FLOAT)]


@pytest.mark.parametrize("sort", [None, *NUMBERS])
def test_rows_of_launches_are_those_of_the_whole_table(samples: Path, sort: str | None) -> None:
    """In the order of any column of numbers; launches without one stand last."""
    recording = Recordings([samples]).open(["cuda_two_streams"])
    found, count = chosen_rows(recording, "launch", 40, sort)

    assert "launches" not in vars(recording.base.tables)
    whole = list(recording.base.tables.rows("launches"))
    assert count == len(whole)
    assert [row for _, row in found] == [whole[at] for at, _ in found]
    places = list(range(len(whole)))
    if sort is not None:
        values = [whole[at][sort] for at in places]
        places.sort(key=lambda at: (values[at] is None, -float(str(values[at] or 0))))
    assert [at for at, _ in found] == places[:40]
