"""A fleet as a run of a store: read back as it was, compared and followed by medians over ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fleet_runs import CODE, answer, program
from kernelmap.cli import main as kernelmap
from kernelmap.errors import UsageError
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.recorded import reopen_fleet
from kernelmap.fleet.slow import LATE_DATA
from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.gate.verdict import judge_comparison
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.opening import side_of_run
from kernelmap.history.store import Store
from kernelmap.history.store.ranks import rank_parts, rows_where
from worlds.fleet import FleetWorld, Planted, write_fleet

_TUNED = "triton_poi_fused_gelu_view_1"
_CALL = "0_forward/2"
_RANKS, _STEPS = 8, 2


@dataclass(frozen=True)
class _Kept:
    """Fleets that were recorded, by a name, each with its run's id."""

    store: Store
    fleets: Mapping[str, Fleet]
    ids: Mapping[str, str]

    def compared(self, before: str, after: str) -> Comparison:
        sides = (side_of_run(self.store.open(self.ids[name]), name) for name in (before, after))
        return compare_sides(*sides)


_WORLDS: Mapping[str, FleetWorld] = {
    "quiet": FleetWorld(ranks=_RANKS, steps=_STEPS),
    "again": FleetWorld(ranks=_RANKS, steps=_STEPS, take=1),
    "late": FleetWorld(ranks=_RANKS, steps=_STEPS, take=1, planted={3: Planted(late_ns=3_000_000)}),
    "tuned": FleetWorld(
        ranks=_RANKS,
        steps=_STEPS,
        take=1,
        planted=dict.fromkeys(range(_RANKS), Planted(config=_TUNED)),
    ),
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> _Kept:
    store = Store(tmp_path_factory.mktemp("store"))
    fleets, ids = {}, {}
    for name, world in _WORLDS.items():
        folder = tmp_path_factory.mktemp(name)
        write_fleet(folder, program(), world)
        fleets[name] = answer(folder, keep=folder / "kept", gather=True)
        ids[name] = fleets[name].record(store, name=name, branch="main").id
    return _Kept(store, fleets, ids)


def test_a_fleet_is_read_back_as_it_was(kept: _Kept) -> None:
    """Every table of the answer, its counts, and the rows of all ranks are in the run."""
    for name, fleet in kept.fleets.items():
        run = kept.store.open(kept.ids[name])
        again = reopen_fleet(run)

        assert again.rows == fleet.rows
        assert (again.read, again.expected) == (fleet.read, fleet.expected)
        assert again.reference == fleet.reference
        assert {row["rank"] for part in rank_parts(run) for row in part.to_pylist()} == set(
            range(_RANKS)
        )
    assert kept.store.check() == (len(_WORLDS), ())


def test_the_tables_of_a_run_are_those_of_the_median_rank(kept: _Kept) -> None:
    """The tables of a run are those of the median rank, whose calls have the times of the rows."""
    for run_id in kept.ids.values():
        run = kept.store.open(run_id)
        facts = run.facts.fleet
        assert facts is not None
        rows = rows_where(rank_parts(run), rank=facts.reference, by="call")

        assert sum(int(str(row["time_ns"])) for row in rows) == int(
            run.calls[run.calls["call"].notna()]["time_ns"].sum()
        )


def test_equal_fleets_have_no_significant_change(kept: _Kept) -> None:
    """Ranks that differ as GPUs do are noise; the parts add up to the median rank's change."""
    comparison = kept.compared("quiet", "again")

    assert not any(change.significant for change in comparison.changes if change.evidence)
    assert sum(change.change_ns for change in comparison.changes) == comparison.change_ns
    assert judge_comparison(comparison, GateLimits()).passed


def test_a_change_on_all_ranks_is_one_of_medians_over_ranks(kept: _Kept) -> None:
    """The change has the interval of medians over ranks, is significant, and fails a gate."""
    comparison = kept.compared("again", "tuned")
    (change,) = (change for change in comparison.changes if change.cause is Cause.CONFIG)
    spread = {
        name: {row["name"]: int(str(row["median_ns"])) for row in fleet.rows["spread"]}
        for name, fleet in kept.fleets.items()
    }

    assert change.evidence is not None
    assert change.evidence.invocations == (_RANKS, _RANKS)
    assert change.significant
    expected = spread["tuned"][_CALL] - spread["again"][_CALL]
    assert change.change_ns == pytest.approx(expected, rel=0.01)
    verdict = judge_comparison(comparison, GateLimits())
    assert not verdict.passed
    assert any(_TUNED in reason for reason in verdict.reasons)


def test_a_slow_rank_moves_no_median_and_is_said(kept: _Kept) -> None:
    """Slow ranks change no call; a difference says which ranks became slow, and why."""
    comparison = kept.compared("again", "late")

    texts = [difference.say_difference() for difference in comparison.differences]
    assert f"slow ranks: none, then 3 ({LATE_DATA})" in texts
    significant = [
        change for change in comparison.changes if change.evidence and change.significant
    ]
    assert all(change.what.startswith(("c10d", "nccl", "(")) for change in significant)


def test_a_history_is_one_of_medians_with_least_and_most(kept: _Kept) -> None:
    """A call's time in a fleet is the median over ranks; the fastest and slowest stand beside."""
    frame = kept.store.follow(_CALL, by="call")

    for row, name in zip(frame.to_dict("records"), _WORLDS, strict=True):
        fleet = kept.fleets[name]
        (expected,) = (
            spread_row
            for spread_row in fleet.rows["spread"]
            if spread_row["by"] == "call" and spread_row["name"] == _CALL
        )
        assert row["run"] == kept.ids[name]
        assert (row["step_ns"], row["least_ns"], row["most_ns"], row["ranks"]) == tuple(
            expected[column] for column in ("median_ns", "least_ns", "most_ns", "ranks")
        )
        assert row["time_ns"] == row["step_ns"] * _STEPS


def test_every_kind_is_followed_over_ranks(kept: _Kept) -> None:
    """Ops, lines and graphs of a fleet are medians over ranks as calls are."""
    spread = kept.fleets["quiet"].rows["spread"]
    for by in ("op", "graph"):
        row = next(
            spread_row
            for spread_row in spread
            if spread_row["by"] == by and "outside" not in str(spread_row["name"])
        )
        frame = kept.store.follow(str(row["name"]), by=by)

        assert frame["ranks"].to_list() == [_RANKS] * len(_WORLDS)
        assert (frame["least_ns"] <= frame["step_ns"]).all()
        assert (frame["step_ns"] <= frame["most_ns"]).all()


def test_what_was_not_gathered_is_not_recorded(kept: _Kept, tmp_path: Path) -> None:
    """A fleet that was read without its ranks' tables says how to read it, and so does a run."""
    alone = Fleet(**{**vars(kept.fleets["quiet"]), "gathered": None})

    with pytest.raises(UsageError) as error:
        alone.record(Store(tmp_path))

    assert error.value.slug == "no-ranks-gathered"


def test_the_command_records_a_fleet(tmp_path: Path) -> None:
    """`--record` keeps the answer in the store; `runs show`, `diff` and `history` take it."""
    write_fleet(tmp_path, program(), FleetWorld(ranks=3, steps=2))
    store = ["--store", str(tmp_path / "store")]
    code = [word for path in CODE for word in ("--code", path)]
    runner = CliRunner()

    made = runner.invoke(
        kernelmap,
        ["fleet", str(tmp_path), *code, *store, "--workers", "0", "--record", "--branch", "main"],
    )
    shown = runner.invoke(kernelmap, ["runs", "show", "main", *store])
    followed = runner.invoke(kernelmap, ["runs", "history", _CALL, *store])
    difference = runner.invoke(kernelmap, ["diff", "main", "main", *store])

    assert made.exit_code == 0, made.output
    assert "recorded run" in made.output
    assert "3 of 3, 0 slow" in shown.output
    assert "least" in followed.output
    assert "samples are ranks: 3 and 3" in difference.output, difference.output
    wrong = runner.invoke(kernelmap, ["fleet", str(tmp_path), "--branch", "main"])
    assert wrong.exit_code == 2
    assert "--record" in wrong.output


def test_samples_of_a_call_are_its_ranks(kept: _Kept) -> None:
    """One sample per rank, the mean of an invocation there; outside time has one per rank."""
    run = kept.store.open(kept.ids["quiet"])
    side = side_of_run(run, "quiet")
    rows = rows_where(rank_parts(run), by="call")
    for graph in side.graphs:
        for call in graph.calls:
            times = {
                int(str(row["rank"])): int(str(row["time_ns"])) / _STEPS
                for row in rows
                if row["key"] == call.piece.fingerprint and row["name"] == call.id
            }
            assert {key[1] for key in call.samples} == set(range(_RANKS))
            np.testing.assert_allclose(
                [call.samples[key] for key in sorted(call.samples, key=str)],
                [times[int(str(key[1]))] for key in sorted(call.samples, key=str)],
                atol=1,
            )
    assert set(side.by_step) == set(range(_RANKS))


_PLAIN = "import torch\nclass Repro(torch.nn.Module):\n"
_RUNNABLE = "torch._inductor.config.max_fusion_size = 2\nclass Repro(torch.nn.Module):\n"


def _copy_code(folder: Path, runnable: str) -> None:
    """The code of the ranks as torch_compile_debug has it, with a program that states settings."""
    for code in map(Path, CODE):
        place = folder / code.name
        place.mkdir(parents=True)
        for file in code.iterdir():
            place.joinpath(file.name).write_bytes(file.read_bytes())
        (place / "fx_graph_runnable.py").write_text(runnable)


def test_fleets_that_were_compiled_otherwise_are_told_apart(tmp_path: Path) -> None:
    """A setting that differs is named in a comparison of two fleets, and in none of equal ones.

    A slow rank that was compiled otherwise than the median rank has that at its largest cause.
    """
    store = Store(tmp_path / "store")
    traces = tmp_path / "traces"
    traces.mkdir()
    write_fleet(
        traces, program(), FleetWorld(ranks=4, steps=2, planted={3: Planted(config=_TUNED)})
    )
    sides = {}
    for name, runnable in (("plain", _PLAIN), ("again", _PLAIN), ("otherwise", _RUNNABLE)):
        _copy_code(tmp_path / name, runnable)
        fleet = answer(traces, keep=tmp_path / "kept", gather=True, code=(str(tmp_path / name),))
        sides[name] = side_of_run(fleet.record(store, name=name), name)
    for rank in range(4):
        folder = tmp_path / "ranks" / f"rank_{rank}"
        _copy_code(folder, _RUNNABLE if rank == 3 else _PLAIN)
        (folder / "trace.json.gz").write_bytes((traces / f"rank_{rank}.json.gz").read_bytes())
    alone = answer(tmp_path / "ranks", keep=tmp_path / "kept", code=())

    (difference,) = compare_sides(sides["plain"], sides["otherwise"]).differences
    assert difference.say_briefly() == "max_fusion_size default → 2"
    assert compare_sides(sides["plain"], sides["again"]).differences == ()
    details = [str(row["detail"]) for row in alone.rows["causes"] if row["rank"] == 3]
    assert details[0].endswith("; differs: max_fusion_size default → 2")
    assert not any("differs" in detail for detail in details[1:])
