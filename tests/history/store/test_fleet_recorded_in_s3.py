"""A fleet recorded into a store in S3: read back as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleet_runs import answer, program
from kernelmap.fleet.recorded import reopen_fleet
from kernelmap.history.store import Store
from kernelmap.history.store.ranks import rank_parts
from worlds.fleet import FleetWorld, Planted, write_fleet


@pytest.mark.s3
def test_a_fleet_in_a_store_in_s3_is_read_back_as_it_was(s3: str, tmp_path: Path) -> None:
    """Every table of the answer and the rows of all ranks come back from the object store."""
    planted = {1: Planted(copy_ns=2_100_000)}
    write_fleet(tmp_path, program(), FleetWorld(ranks=4, steps=2, planted=planted))
    fleet = answer(tmp_path, keep=tmp_path / "kept", gather=True)
    recorded = fleet.record(Store(f"{s3}/store"), name="fleet", branch="main")

    run = Store(f"{s3}/store").open(recorded.id)

    assert reopen_fleet(run).rows == fleet.rows
    assert {row["rank"] for part in rank_parts(run) for row in part.to_pylist()} == set(range(4))
