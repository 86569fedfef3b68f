"""Worlds of many ranks: what was planted is named at its rank, and nothing else is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from examples import seeds
from fleet_runs import ROOT, answer, causes, program
from kernelmap.fleet.answer import slow_ranks, steadily_slow
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.show import iter_facts
from kernelmap.fleet.slow import LATE_DATA, RECOMPILED
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.rows import Row
from worlds.fleet import FleetWorld, Planted, write_fleet
from worlds.nsys import write_nsys
from worlds.simulate import simulate
from worlds.world import World

_TUNED = "triton_poi_fused_gelu_view_1"
PLANTED = {
    3: Planted(clock=1.04),
    5: Planted(config=_TUNED),
    7: Planted(copy_ns=2_100_000),
    9: Planted(late_ns=3_000_000),
    11: Planted(compile_ns=40_000_000),
    13: Planted(swapped=True),
}
EXPECTED = {
    3: Cause.CLOCK.value,
    5: Cause.CONFIG.value,
    7: Cause.OUTSIDE.value,
    9: LATE_DATA,
    11: RECOMPILED,
}
_RANKS, _MISSING, _DAMAGED = 32, 20, 30
_LATE_NS = 1_400_000  # of rank 5 of the sample, see scripts/make_samples.py


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    folder = tmp_path_factory.mktemp("planted")
    paths = write_fleet(folder, program(), FleetWorld(ranks=_RANKS, planted=PLANTED))
    paths[_MISSING].unlink()
    paths[_DAMAGED].write_bytes(paths[_DAMAGED].read_bytes()[:3000])
    return answer(folder, keep=tmp_path_factory.mktemp("kept"))


def test_a_rank_alone_does_not_say_that_it_waited(samples: Path, tmp_path: Path) -> None:
    """What no other rank was seen to take part in may be waiting or transfer."""
    files = [samples / "sim_fleet" / f"rank_{rank}.json.gz" for rank in range(2)]
    alone, two = (
        " ".join(iter_facts(answer(*paths, keep=tmp_path / str(len(paths)))))
        for paths in (files[:1], files)
    )

    assert "without exposed communication" in alone
    assert "without waiting for other ranks" in two


def test_every_cause_is_named_at_its_rank(planted: Fleet) -> None:
    """The first cause of a slow rank is the one that was planted there."""
    named = causes(planted)

    assert {rank: named_causes[0] for rank, named_causes in named.items()} == EXPECTED


def test_causes_say_what_and_where(planted: Fleet) -> None:
    """A configuration names its call and what changed, a compilation its step, a copy its op."""
    first: dict[object, Row] = {}
    for row in planted.rows["causes"]:
        first.setdefault(row["rank"], row)

    assert first[5]["where"] == "0_forward/2"
    assert "XBLOCK=2" in str(first[5]["detail"])
    assert first[11]["step"] == "3"
    assert first[7]["what"] == "aten.copy_"
    assert abs(int(str(first[7]["change_ns"])) - 2_100_000) < 100_000
    assert "+4" in str(first[3]["detail"]) or "+3" in str(first[3]["detail"])


def test_missing_and_damaged_ranks_are_listed(planted: Fleet) -> None:
    """The answer says how many ranks were read, and why the others are missing."""
    missing = {row["rank"]: row["reason"] for row in planted.rows["ranks"] if row["reason"]}

    assert set(missing) == {_MISSING, _DAMAGED}
    assert missing[_MISSING] == "no input is of this rank"
    assert "cannot be compared" in str(missing[_DAMAGED])
    assert (planted.read, planted.expected) == (_RANKS - 2, _RANKS)


def test_other_configurations_and_orders_are_divergence(planted: Fleet) -> None:
    """What a rank does differently from most is listed with the rank, and nothing else is."""
    rows = {str(row["kind"]): row for row in planted.rows["divergence"]}

    assert {kind: row["which"] for kind, row in rows.items()} == {
        "configuration": "5",
        "collective": "13",
    }
    assert "allgather" in str(rows["collective"]["usual"])
    assert "allreduce" in str(rows["collective"]["value"])
    assert len(planted.rows["divergence"]) == 2


def test_waiting_and_transfer_add_up(planted: Fleet) -> None:
    """The rank that came last does not wait; what a collective took there is its transfer."""
    transfers = {row["name"]: row["transfer_ns"] for row in planted.rows["communication"]}

    assert transfers == {"allgather_base": 180_000, "allreduce": 350_000}


def test_a_straggler_that_costs_a_step_is_worth_its_excess(planted: Fleet) -> None:
    """Without the rank that all wait for in one step, that step is as long as the next allows."""
    saved = {row["rank"]: int(str(row["saved_ns"])) for row in planted.rows["what_if"]}

    assert max(saved, key=lambda rank: saved[rank]) == 11
    assert 5_500_000 < saved[11] < 6_700_000
    assert all(ns >= 0 for ns in saved.values())


def test_steps_split_without_a_remainder(planted: Fleet) -> None:
    """A step is compute, exposed communication and idle time; its own time leaves out waiting."""
    for row in planted.rows["steps"]:
        numbers = {name: int(str(row[name])) for name in row}
        parts = numbers["compute_ns"] + numbers["exposed_ns"] + numbers["idle_ns"]

        assert parts == numbers["wall_ns"]
        assert numbers["own_ns"] == numbers["wall_ns"] - numbers["waiting_ns"]
        assert 0 <= numbers["waiting_ns"] <= numbers["exposed_ns"]


def test_collectives_are_ops_of_their_own(planted: Fleet) -> None:
    """A collective that no operator launched bears its own name, and is no cause of a slow rank."""
    ops = {str(row["name"]) for row in planted.rows["spread"] if row["by"] == "op"}

    assert {"nccl:all_gather · outside", "nccl:all_reduce · outside"} <= ops
    assert not any("no operator" in name for name in ops)
    assert not any("nccl" in str(row["what"]) for row in planted.rows["causes"])


@pytest.mark.parametrize("seed", seeds(2))
def test_a_quiet_fleet_has_no_slow_rank(tmp_path: Path, seed: int) -> None:
    """Ranks that differ as GPUs and hosts do are not slow, and run the same code."""
    write_fleet(tmp_path, program(), FleetWorld(ranks=16, seed=seed, steps=3))

    fleet = answer(tmp_path, keep=tmp_path / "kept")

    assert causes(fleet) == {}
    assert fleet.rows["divergence"] == []


def test_two_ranks_are_compared_with_each_other(tmp_path: Path) -> None:
    """Of two ranks the much slower one is slow, with its cause; a single rank never is."""
    paths = write_fleet(
        tmp_path, program(), FleetWorld(ranks=2, steps=3, planted={0: Planted(late_ns=3_000_000)})
    )

    fleet = answer(tmp_path, keep=tmp_path / "kept")
    alone = answer(paths[0], keep=tmp_path / "kept")

    assert {rank: named_causes[0] for rank, named_causes in causes(fleet).items()} == {0: LATE_DATA}
    assert "faster rank 1" in fleet.render("markdown")
    assert causes(alone) == {}


def test_what_is_wrong_on_three_of_eight_ranks_is_named(tmp_path: Path) -> None:
    """Slow ranks do not hide each other, though they are few and far apart."""
    sample = ROOT / "sample_traces" / "sim_fleet"
    truth = tomllib.loads((sample / "RUN.toml").read_text(encoding="utf-8"))["truth"]["planted"]

    fleet = answer(sample, keep=tmp_path)

    named = causes(fleet)
    assert set(named) == {int(rank) for rank in truth}
    assert (named[2][0], named[5][0]) == (Cause.CLOCK.value, LATE_DATA)
    assert named[6][0] == Cause.CONFIG.value
    (late,) = (row for row in fleet.rows["causes"] if row["cause"] == LATE_DATA)
    assert abs(int(str(late["change_ns"])) - _LATE_NS) < 0.01 * _LATE_NS


@pytest.mark.parametrize("ranks", [3, 4, 8, 64])
@pytest.mark.parametrize("seed", range(5))
def test_slow_ranks_do_not_hide_each_other(ranks: int, seed: int) -> None:
    """Exactly the ranks that are slower by 5 % to half are named, up to a third of all."""
    chance = np.random.default_rng([ranks, seed])
    own_ns = pd.Series(5e6 * (1 + 0.002 * chance.standard_normal(ranks)))
    planted = sorted(chance.choice(ranks, ranks // 3, replace=False).tolist())
    quiet = slow_ranks(own_ns - own_ns.median(), float(own_ns.median()))
    own_ns[planted] *= 1 + chance.uniform(0.05, 0.5, len(planted))

    slow = slow_ranks(own_ns - own_ns.median(), float(own_ns.median()))

    assert quiet == []
    assert sorted(slow) == planted
    assert own_ns[slow].is_monotonic_decreasing


@pytest.mark.parametrize("ranks", [3, 4, 7])
@pytest.mark.parametrize("seed", range(5))
def test_of_few_ranks_the_one_that_is_always_slower_is_slow(ranks: int, seed: int) -> None:
    """Although steps vary by a fifth, exactly the rank that takes 1.8 times as long is slow."""
    chance = np.random.default_rng([ranks, seed])
    shape = (12, ranks)
    own_ns = 1e8 * chance.lognormal(0, 0.2, shape)
    grid = np.indices(shape)

    def slow() -> list[int]:
        columns = {"step": grid[0].ravel(), "rank": grid[1].ravel(), "own_ns": own_ns.ravel()}
        return steadily_slow(pd.DataFrame(columns))

    assert slow() == []
    own_ns[:, 1] *= 1.8
    assert slow() == [1]


def test_few_steps_or_a_steady_clock_make_no_rank_slow() -> None:
    """Fewer than eight steps, and a rank that is always 2 % slower as GPUs are, say nothing."""
    for steps, factor, slow in ((7, 2.0, []), (8, 2.0, [0]), (20, 1.02, [])):
        rows = [
            {"step": step, "rank": rank, "own_ns": 1e6 * (1 if rank else factor)}
            for step in range(steps)
            for rank in range(4)
        ]
        assert steadily_slow(pd.DataFrame(rows)) == slow


def test_processes_of_one_report_are_ranks(tmp_path: Path) -> None:
    """A report of several processes equals one report per process, and a notice says so."""
    traces = [simulate(program(), World(seed=seed)) for seed in (1, 2, 3)]
    (tmp_path / "together").mkdir()
    (tmp_path / "apart").mkdir()
    write_nsys(tmp_path / "together" / "rank_0.sqlite", traces[:2])
    write_nsys(tmp_path / "together" / "rank_1.sqlite", traces[2:])
    for rank, trace in enumerate(traces):
        write_nsys(tmp_path / "apart" / f"rank_{rank}.sqlite", [trace])

    together, apart = (
        answer(tmp_path / name, keep=tmp_path / "kept", gather=True)
        for name in ("together", "apart")
    )

    for name in ("spread", "by_op", "causes", "divergence"):
        assert together.rows[name] == apart.rows[name]
    own_times = [
        [(row["rank"], row["own_ns"]) for row in fleet.rows["ranks"]] for fleet in (together, apart)
    ]
    assert own_times[0] == own_times[1]
    assert (together.read, together.new) == (3, 3)
    assert answer(tmp_path / "together", keep=tmp_path / "kept").new == 0
    (notice,) = (notice for notice in together.notices if notice.slug == "ranks-share-a-report")
    assert notice.message.startswith("1 report of Nsight Systems recorded 2 ranks together")
    assert not any(other.slug == notice.slug for other in apart.notices)
    assert together.gathered is not None
    assert apart.gathered is not None


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("names", "ranks"), [((0, 1), [0, 1, 2, 3]), ((0, 2), [0, 1, 2, 3]), ((4, 5), [8, 9, 10, 11])]
)
def test_reports_of_two_ranks_are_numbered(
    tmp_path: Path, names: tuple[int, int], ranks: list[int]
) -> None:
    """Names that count reports number nodes; names that leave room give the first rank."""
    for seed, name in enumerate(names):
        traces = [simulate(program(), World(seed=2 * seed + number)) for number in (1, 2)]
        write_nsys(tmp_path / f"rank_{name}.sqlite", traces)

    fleet = answer(tmp_path, keep=tmp_path / "kept")

    assert [row["rank"] for row in fleet.rows["ranks"] if row["state"] == "read"] == ranks


def test_json_has_every_table(planted: Fleet) -> None:
    """The document names its format and holds the tables of the schema with their columns."""
    document = json.loads(planted.render("json"))

    assert (document["format"], document["version"]) == ("kernelmap.fleet", 1)
    for name, table in FLEET.items():
        for row in document[name]:
            assert set(row) == set(table.by_name)


def test_a_folder_holds_parquet_with_ranks(planted: Fleet, tmp_path: Path) -> None:
    """Tables go to Parquet, which DuckDB reads."""
    duckdb = pytest.importorskip("duckdb")

    planted.write(tmp_path / "fleet")
    ranks = duckdb.read_parquet(str(tmp_path / "fleet" / "ranks.parquet"))

    slow = ranks.filter("slow = 'yes'").order("rank").project("rank").fetchall()
    assert [rank for (rank,) in slow] == sorted(EXPECTED)


def test_every_frame_holds_to_its_schema(planted: Fleet) -> None:
    """Each table is a DataFrame with the columns of the schema."""
    for name, table in FLEET.items():
        assert tuple(getattr(planted, name).columns) == tuple(table.by_name)


def test_the_page_is_whole_without_a_network(planted: Fleet) -> None:
    """The file has both heat maps, the causes, and asks for nothing."""
    page = planted.render("html")

    assert "Ranks by step" in page
    assert "Ops by rank" in page
    assert RECOMPILED in page
    assert 'src="http' not in page
