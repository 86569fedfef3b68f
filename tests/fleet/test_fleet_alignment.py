"""Ranks whose steps begin at other collectives: matched by ends, and what cannot be is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fleet_runs import answer
from kernelmap.fleet import joining
from kernelmap.fleet.alignment import align_ranks
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.rank import RankFacts
from worlds.turns import TRANSFER_NS, Turns, write_turns


def _slugs(fleet: Fleet) -> list[str]:
    return [notice.slug for notice in fleet.notices]


def _numbers(fleet: Fleet, name: str) -> dict[int, int]:
    return {int(str(row["rank"])): int(str(row[name])) for row in fleet.rows["ranks"]}


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ranks", [2, 4, 7])
def test_collectives_of_ranks_in_turns_are_matched(tmp_path: Path, ranks: int, seed: int) -> None:
    """A rank waits in its steps but for its own turn, whichever collective they begin with."""
    world = Turns(ranks=ranks, steps=8, seed=seed)
    write_turns(tmp_path, world)
    fleet = answer(tmp_path, keep=tmp_path / "kept")

    assert _slugs(fleet) == ["steps-begin-apart", "collectives-unmatched"]  # at the ends
    assert fleet.matched == ranks * world.steps - (ranks - 1)  # those that all profiles hold
    turns = np.array(world.turns_ns)
    for rank, own_ns in _numbers(fleet, "own_ns").items():
        of_rank = turns[rank::ranks][: world.steps].mean()
        assert own_ns == pytest.approx(of_rank + ranks * TRANSFER_NS, rel=0.1)
    assert fleet.rows["divergence"] == []


def test_a_slow_turn_is_of_its_rank(tmp_path: Path) -> None:
    """The rank whose turns are longer is slow, the others wait, and what-if saves its excess."""
    write_turns(tmp_path, Turns(steps=8, slower={2: 1.6}))
    fleet = answer(tmp_path, keep=tmp_path / "kept")

    assert [row["rank"] for row in fleet.rows["ranks"] if row["slow"] == "yes"] == [2]
    excess = _numbers(fleet, "excess_ns")[2]
    (without,) = fleet.rows["what_if"]
    assert int(str(without["saved_ns"])) == pytest.approx(excess, rel=0.25)
    step_ns = np.mean(list(_numbers(fleet, "step_ns").values()))
    assert int(str(without["step_ns"])) == pytest.approx(step_ns - excess, rel=0.1)


def test_how_many_tasks_match_shifted_ranks_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collective has the same step on all ranks before it is shared out."""
    write_turns(tmp_path, Turns(steps=6, slower={1: 1.5}))
    whole = answer(tmp_path, keep=tmp_path / "kept")
    monkeypatch.setattr(joining, "ROWS_OF_A_TASK", 1)
    shared = answer(tmp_path, keep=tmp_path / "kept")

    assert whole.rows["what_if"]
    assert shared.rows == whole.rows


def test_steps_that_begin_together_stay_as_they_are(tmp_path: Path) -> None:
    """Where no rank is shifted nothing is said, and every collective is matched."""
    world = Turns(steps=8, in_turn=False)
    write_turns(tmp_path, world)
    fleet = answer(tmp_path, keep=tmp_path / "kept")

    assert _slugs(fleet) == []
    assert fleet.matched == world.ranks * world.steps


@pytest.mark.parametrize("step", [2, 5])
def test_a_collective_that_a_rank_lacks_is_found(tmp_path: Path, step: int) -> None:
    """A step with another number of collectives is a divergence and is not matched on that rank."""
    world = Turns(steps=8, in_turn=False, lacks={1: step})
    write_turns(tmp_path, world)
    fleet = answer(tmp_path, keep=tmp_path / "kept")

    (row,) = fleet.rows["divergence"]
    assert (row["kind"], row["which"]) == ("collective", "1")
    assert str(row["what"]).startswith(f"how many in step {step}")
    assert (row["usual"], row["value"]) == ("4", "3")
    assert fleet.matched == world.ranks * world.steps
    waits = {
        (step_row["rank"], step_row["step"]): (step_row["waiting_ns"], step_row["exposed_ns"])
        for step_row in fleet.rows["steps"]
    }
    waiting, exposed = waits[1, step]
    assert waiting == exposed


def test_ends_that_agree_with_no_shift_are_said(tmp_path: Path) -> None:
    """A rank whose ends say nothing is matched by order, and a notice names it."""
    write_turns(tmp_path, Turns(steps=8, in_turn=False, late=(2,)))
    fleet = answer(tmp_path, keep=tmp_path / "kept")

    (notice,) = fleet.notices
    assert notice.slug == "collectives-not-aligned"
    assert "1 rank (2)" in notice.message


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
def test_a_shift_is_found_under_noise(seed: int, noise: float) -> None:
    """Shifts are right although ends are late by up to a twentieth of the time between them."""
    rng = np.random.default_rng([seed, int(100 * noise)])
    ends = np.cumsum(rng.lognormal(0, 0.5, 60) * 1e6)
    truth = {rank: int(shift) for rank, shift in enumerate(rng.integers(0, 9, 5))}
    facts = [
        _facts(
            rank, ends[shift : shift + 40] + rng.uniform(0, 1e9) + noise * rng.exponential(1e6, 40)
        )
        for rank, shift in truth.items()
    ]
    aligned = align_ranks(facts)

    assert aligned.unsure == ()
    shifts = {rank: aligned.shifts.get(rank, {}).get("", 0) for rank in truth}
    assert len({truth[rank] - shifts[rank] for rank in truth}) == 1


def test_a_rank_whose_ends_fit_two_shifts_is_unsure() -> None:
    """Turns that are long and short by turns repeat after two: one shift is as good as another."""
    ends = np.cumsum(np.tile([3e6, 1e6], 16))
    noise = np.random.default_rng(0).exponential(2e4, (2, 12))
    aligned = align_ranks(
        [_facts(rank, ends[4 + rank : 16 + rank] + noise[rank]) for rank in (0, 1)]
    )

    assert aligned.unsure == (1,)


def _facts(rank: int, ends: np.ndarray[tuple[int], np.dtype[np.float64]]) -> RankFacts:
    counts = dict.fromkeys(range(len(ends) // 4), 4)
    return RankFacts(
        rank=rank,
        device=None,
        side="gpu",
        steps=len(counts),
        launches=1,
        total_ns=1,
        collectives=len(ends),
        counts={"": counts},
        ends={"": [round(end) for end in ends]},
        processes=1,
        code="",
        sources=(),
    )
