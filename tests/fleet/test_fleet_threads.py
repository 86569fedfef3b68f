"""Threads of torch on each rank, as manifests of bundles state them: which ranks have others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from fleet_runs import answer, causes, program
from kernelmap.capture.folder import first_manifest, write_manifest
from kernelmap.capture.plan import Plan
from kernelmap.fleet.slow import FEWER_THREADS, LATE_DATA, MORE_THREADS
from kernelmap.fleet.threads import find_unusual
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.model.bundle import MANIFEST, RecordedProcess, State
from kernelmap.tables.rows import Row
from worlds.fleet import FleetWorld, Planted, write_fleet

_RANKS, _SLOW, _LATE, _OTHER = 8, 3, 5, 6


def _state(folder: Path, threads: Mapping[int, int | None]) -> None:
    """A manifest that states so many threads for each rank."""
    processes = tuple(
        RecordedProcess(
            name=f"rank_{rank}", state=State.COMPLETE, rank=rank, threads=count, interop_threads=1
        )
        for rank, count in threads.items()
    )
    write_manifest(folder, replace(first_manifest(Plan(), None, {}), processes=processes))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    planted = {_SLOW: Planted(clock=1.2), _LATE: Planted(late_ns=3_000_000)}
    write_fleet(folder, program(), FleetWorld(ranks=_RANKS, steps=2, planted=planted))
    return folder


@pytest.mark.parametrize(
    ("here", "usual", "cause", "what"),
    [
        (1, 2, FEWER_THREADS, "1 thread instead of 2"),
        (8, 2, MORE_THREADS, "8 threads instead of 2"),
    ],
)
def test_a_slow_rank_with_other_threads_is_slow_for_them(
    world: Path, here: int, usual: int, cause: str, what: str
) -> None:
    """What all of the same code takes longer is due to the threads, on no rank that is not slow.

    A rank that is slow for another reason keeps that one, and every other number is divergence.
    """
    others = dict.fromkeys((_SLOW, _LATE, _OTHER), here)
    _state(world, dict.fromkeys(range(_RANKS), usual) | others)
    fleet = answer(world, keep=world.parent / "kept")

    assert causes(fleet) == {_LATE: [LATE_DATA], _SLOW: [cause]}
    (row,) = (row for row in fleet.rows["causes"] if row["rank"] == _SLOW)
    assert row["what"] == what
    (slow,) = (row for row in fleet.rows["ranks"] if row["rank"] == _SLOW)
    assert int(str(row["change_ns"])) == pytest.approx(int(str(slow["excess_ns"])), rel=0.15)
    assert [row["threads"] for row in fleet.rows["ranks"]][_SLOW] == here
    (differs,) = (row for row in fleet.rows["divergence"] if row["kind"] == "threads")
    assert differs["which"] == f"{_SLOW}, {_LATE}, {_OTHER}"
    assert str(differs["value"]).partition(" ")[0] == str(here)


def test_where_nothing_or_the_same_is_stated_no_rank_differs(world: Path) -> None:
    """Equal numbers, no numbers, a damaged manifest or none leave the cause as it is."""
    same: dict[int, int | None] = dict.fromkeys(range(_RANKS), 2)
    for stated in (same, dict.fromkeys(range(_RANKS)), {}):
        _state(world, stated)
        _says_nothing(world)
    (world / MANIFEST).write_text("format = [", encoding="utf-8")
    _says_nothing(world)
    (world / MANIFEST).unlink()
    _says_nothing(world)


def _says_nothing(world: Path) -> None:
    fleet = answer(world, keep=world.parent / "kept")
    assert causes(fleet)[_SLOW] == [Cause.CLOCK.value]
    assert [row for row in fleet.rows["divergence"] if row["kind"] == "threads"] == []


def test_of_two_ranks_the_median_one_has_the_usual_number() -> None:
    """Where as many ranks have one number as another, the one of the median rank is usual."""
    stated: dict[int, Row] = {
        rank: {"threads": rank + 1, "interop_threads": None} for rank in range(2)
    }

    assert {
        rank: str(difference) for rank, difference in find_unusual(stated, "threads", 1).items()
    } == {0: "1 thread instead of 2"}
    assert find_unusual(stated, "interop_threads", 1) == {}
