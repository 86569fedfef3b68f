"""Ranks in an object store: the same answer as from files, and kept there, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from fleet_runs import answer, program
from worlds.fleet import FleetWorld, Planted, write_fleet


@pytest.mark.thorough
@pytest.mark.s3
def test_ranks_in_s3_give_the_answer_of_files(s3: str, tmp_path: Path) -> None:
    """Only the inputs' place differs; a second run finds in the store what the first one kept."""
    import s3fs

    planted = {1: Planted(copy_ns=2_100_000)}
    paths = write_fleet(tmp_path, program(), FleetWorld(ranks=4, steps=2, planted=planted))
    system = s3fs.S3FileSystem()
    for path in paths:
        system.put(str(path), f"{s3}/traces/{path.name}")

    there = answer(f"{s3}/traces", keep=f"{s3}/kept")
    here = answer(tmp_path, keep=tmp_path / "kept")

    assert there.rows == here.rows
    assert answer(f"{s3}/traces/rank_*.json.gz", keep=f"{s3}/kept").new == 0
