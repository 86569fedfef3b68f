"""Killed writers, full disks, two writers of one process id; scripts/break_writers.py is longer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from broken_results import Reference, fill, kill, meet, reference
from broken_writers import OUTPUTS

TIMES = 4
KINDS = [
    pytest.param(kind, marks=pytest.mark.torch if kind == "capture" else ()) for kind in OUTPUTS
]


@pytest.fixture(scope="module")
def whole() -> dict[str, Reference]:
    """What undisturbed writers write, made when it is asked for."""
    return {}


@pytest.fixture(params=KINDS)
def kind(
    request: pytest.FixtureRequest,
    whole: dict[str, Reference],
    tmp_path_factory: pytest.TempPathFactory,
) -> str:
    """What writes."""
    name = str(request.param)
    if name not in whole:
        whole[name] = reference(name, tmp_path_factory.mktemp(name) / "reference")
    return name


@pytest.mark.sampled
def test_what_is_killed_leaves_the_old_or_the_new(
    kind: str, whole: dict[str, Reference], tmp_path: Path
) -> None:
    """Whole, and no finished run is lost; a writer that is asked to end leaves nothing else."""
    tried = kill(kind, tmp_path, TIMES, whole[kind], random.Random(1))  # noqa: S311 -- moments

    assert tried.findings == []


@pytest.mark.sampled
def test_a_full_disk_leaves_the_old_or_the_new(
    kind: str, whole: dict[str, Reference], tmp_path: Path
) -> None:
    """Whole, nothing else, and no traceback."""
    tried = fill(kind, tmp_path, TIMES, whole[kind], random.Random(2))  # noqa: S311 -- bytes

    assert tried.findings == []


@pytest.mark.sampled
def test_two_of_one_process_id_write_whole_files(
    kind: str, whole: dict[str, Reference], tmp_path: Path
) -> None:
    """Nothing lost, nothing half, nothing swapped."""
    tried = meet(kind, tmp_path, 2, whole[kind])

    assert tried.findings == []
