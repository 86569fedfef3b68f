"""Ranks on a Dask cluster: the same answer, nothing read twice, faults that end no run."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias

import pytest
from click.testing import CliRunner

from fleet_runs import CODE, answer, program
from kernelmap.cli import main as kernelmap
from kernelmap.errors import UsageError
from kernelmap.fleet import engine, joining
from kernelmap.fleet.engine import Cluster, Failed, OnDask, open_engine
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.run import FleetOptions, run_fleet
from kernelmap.fleet.shares import CollectiveShare, share_of
from kernelmap.fleet.slow import LATE_DATA
from kernelmap.fleet.worker import dask_setup
from kernelmap.tables.fleet import RANK
from kernelmap.version import VERSION
from worlds.fleet import FleetWorld, Planted, write_fleet

LocalCluster: TypeAlias = Any  # of Dask, whose types are not followed

_RANKS = 6


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    planted = {2: Planted(copy_ns=2_100_000)}
    write_fleet(folder, program(), FleetWorld(ranks=_RANKS, steps=3, planted=planted))
    return folder


@pytest.fixture(scope="module")
def first(world: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Fleet]:
    """Where the ranks of the world are kept, which a test may read only, and their answer."""
    keep = tmp_path_factory.mktemp("kept")
    return keep, answer(world, keep=keep)


def on(cluster: LocalCluster) -> Cluster:
    return Cluster(scheduler=cluster.scheduler_address)


@pytest.fixture(params=["one process", pytest.param("cluster", marks=pytest.mark.thorough)])
def where(request: pytest.FixtureRequest) -> Cluster:
    """Where tasks run: laws of all engines are tried on a cluster in the thorough run only."""
    if request.param == "cluster":
        return on(request.getfixturevalue("cluster"))
    return Cluster(workers=0)


def test_a_cluster_gives_the_answer_of_one_process(
    world: Path, cluster: LocalCluster, tmp_path: Path, first: tuple[Path, Fleet]
) -> None:
    """Where tasks run makes no difference to any table."""
    _, alone = first
    shared = answer(world, keep=tmp_path / "shared", cluster=on(cluster))

    assert shared.rows == alone.rows
    assert shared.new == alone.new == _RANKS


def test_how_many_tasks_share_the_collectives_makes_no_difference(
    world: Path, where: Cluster, first: tuple[Path, Fleet], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps are matched apart from each other, so every table stays what it is in one task."""
    keep, whole = first
    monkeypatch.setattr(joining, "ROWS_OF_A_TASK", 1)
    shared = answer(world, keep=keep, cluster=where)

    assert whole.rows["communication"]
    assert whole.rows["what_if"]
    assert shared.rows == whole.rows


def test_profiles_without_steps_are_shared_out_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window of a profile without steps is matched and replayed piece by piece.

    It begins with the first launch, whenever the clock of the machine began.
    """
    planted = {1: Planted(late_ns=3_000_000)}
    plan = FleetWorld(ranks=4, steps=4, planted=planted, marks_steps=False)
    write_fleet(tmp_path, program(), plan)
    whole = answer(tmp_path, keep=tmp_path / "kept")
    tasks = []

    def counted(tables: Mapping[str, Any], share: CollectiveShare) -> dict[str, Any]:
        made = share_of(tables, share)
        tasks.append(len(made["rank_collectives"]))
        return made

    monkeypatch.setattr(joining, "ROWS_OF_A_TASK", 8)
    monkeypatch.setattr(joining, "share_of", counted)
    shared = answer(tmp_path, keep=tmp_path / "kept")

    assert [row["step"] for row in whole.rows["steps"]] == [-1] * 4
    assert whole.matched == sum(tasks) / 4 == 8
    assert max(tasks) <= 2
    assert all(int(str(row["wall_ns"])) < 100_000_000 for row in whole.rows["steps"])
    assert {row["rank"]: row["cause"] for row in whole.rows["causes"]} == {1: LATE_DATA}
    assert shared.rows == whole.rows


def test_what_was_read_is_not_read_again(
    world: Path, where: Cluster, tmp_path: Path, first: tuple[Path, Fleet]
) -> None:
    """A second run reads nothing; one with a changed rank reads that rank."""
    shutil.copytree(first[0], tmp_path / "kept")
    copy = tmp_path / "world"
    copy.mkdir()
    for path in world.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())

    assert answer(copy, keep=tmp_path / "kept", cluster=where).new == 0

    write_fleet(copy, program(), FleetWorld(ranks=1, steps=3, seed=9))

    assert answer(copy, keep=tmp_path / "kept", cluster=where).new == 1


_FILES = [*(f"{name}.parquet" for name in RANK), "result.json", "rank.json"]


def test_a_damaged_entry_is_read_anew(
    world: Path, tmp_path: Path, first: tuple[Path, Fleet]
) -> None:
    """Whichever file of an entry is missing, cut off or another one, its rank is read again."""
    keep, before = first
    shutil.copytree(keep, tmp_path, dirs_exist_ok=True)
    entries = sorted(path.parent for path in tmp_path.rglob("rank.json"))
    for at, name in enumerate(_FILES):
        path = entries[at % _RANKS] / name
        if at % 3 == 0:
            path.unlink()
        elif at % 3 == 1:
            path.write_bytes(path.read_bytes()[:-9])
        else:
            path.write_bytes(path.read_bytes().replace(b"rank", b"knar"))
    again = answer(world, keep=tmp_path)

    assert again.new == min(len(_FILES), _RANKS)
    assert again.rows == before.rows


def _die_once(place: str) -> int:
    """End the worker that runs this the first time, as the kernel does without memory."""
    mark = Path(place)
    if not mark.exists():
        mark.write_text("died", encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return 7


def _fail(number: int) -> int:
    if number:
        raise OSError(f"the store stalls at {number}")
    return number


@pytest.mark.thorough
def test_a_killed_worker_is_no_lost_rank(cluster: LocalCluster, tmp_path: Path) -> None:
    """A task whose worker died runs on another."""
    with open_engine(on(cluster), 1) as chosen:
        assert isinstance(chosen, OnDask)
        (done,) = chosen.as_completed(_die_once, [str(tmp_path / "mark")])

    assert done.value == 7


def test_what_fails_for_good_is_an_outcome(where: Cluster) -> None:
    """An error of one task is listed with its words, and the others go on."""
    with open_engine(where, 2) as chosen:
        done = {outcome.position: outcome.value for outcome in chosen.as_completed(_fail, [0, 1])}

    assert done == {0: 0, 1: Failed("the store stalls at 1")}


def test_what_stalls_is_an_outcome() -> None:
    """A task that does not end within the limit is listed with it, and the others go on."""
    never = Event()
    with open_engine(Cluster(workers=0, limit_s=0.05), 2) as chosen:
        done = {
            outcome.position: outcome.value
            for outcome in chosen.as_completed(_wait_for, [None, never])
        }
    never.set()

    assert done == {0: 7, 1: Failed("it took longer than 0.05 s")}


def _wait_for(event: Event | None) -> int:
    if event is not None:
        event.wait()
    return 7


class _OtherVersions:
    """A client of workers with another kernelmap and another numpy."""

    def run(self, _version: Callable[[], str]) -> dict[str, str]:
        return {"tcp://a": VERSION, "tcp://b": "0.0.1"}

    def get_versions(self) -> dict[str, Any]:
        here = {"python": "3.13", "numpy": "2.1"}
        workers = {"tcp://a": here, "tcp://b": here | {"numpy": "1.26"}}
        return {
            "client": {"packages": here},
            "workers": {address: {"packages": packages} for address, packages in workers.items()},
        }


def test_versions_that_differ_are_said() -> None:
    """A package whose version differs on a worker is named with both versions; no other one is."""
    said = list(engine.iter_differing_versions(_OtherVersions()))

    assert said == [
        f"kernelmap: {VERSION} here, 0.0.1 on workers",
        "numpy: 2.1 here, 1.26 on workers",
    ]


def test_workers_without_kernelmap_are_wrong_usage() -> None:
    """Workers that cannot load kernelmap end the command with what to install."""

    class Without(_OtherVersions):
        def run(self, _version: Callable[[], str]) -> dict[str, str]:
            raise ModuleNotFoundError("No module named 'kernelmap'")

    with pytest.raises(UsageError) as error:
        list(engine.iter_differing_versions(Without()))

    assert error.value.slug == "no-kernelmap-on-workers"


def test_what_was_read_before_an_interruption_is_kept(
    world: Path, where: Cluster, tmp_path: Path
) -> None:
    """Ctrl-C while ranks are read ends the run; the next run reads only the rest."""

    def interrupted(count: int, _of: int) -> None:
        if count == 2:
            raise KeyboardInterrupt

    options = FleetOptions(code=CODE, kept=str(tmp_path), cluster=where)
    with pytest.raises(KeyboardInterrupt):
        run_fleet([str(world)], options, interrupted)

    kept = len(list(tmp_path.rglob("rank.json")))
    assert kept >= 2
    assert answer(world, keep=tmp_path).new <= _RANKS - kept


def test_a_worker_leaves_ctrl_c_to_the_command() -> None:
    """A worker of the command's own cluster ignores the signal that a terminal sends to all."""
    before = signal.getsignal(signal.SIGINT)
    try:
        dask_setup(None)

        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_tree_joins_everything_once(where: Cluster) -> None:
    """However many parts there are, each is joined once and the order stays."""
    with open_engine(where, 2) as chosen:
        parts = chosen.tree(_listed, _chained, list(range(40)))

        assert chosen.apply(list, parts) == list(range(40))


def _listed(numbers: Sequence[int]) -> list[int]:
    return list(numbers)


def _chained(parts: Sequence[list[int]]) -> list[int]:
    return [number for part in parts for number in part]


def test_the_command_reads_on_a_cluster(world: Path, cluster: LocalCluster, tmp_path: Path) -> None:
    """`kernelmap fleet` names the slow rank, and writes a page."""
    page = tmp_path / "fleet.html"
    code = [word for path in CODE for word in ("--code", path)]
    arguments = ["fleet", str(world), *code, "--keep", str(tmp_path / "kept"), "-o", str(page)]
    scheduler = ["--workers", cluster.scheduler_address]

    shown = CliRunner().invoke(kernelmap, [*arguments, *scheduler, "--format", "table"])

    assert shown.exit_code == 0, shown.output
    assert "6 of 6 ranks: 1 is slow" in shown.output
    assert "aten.copy_" in shown.output
    assert page.exists()


def test_without_dask_the_next_step_is_said(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Dask the error names the extra, and one process needs none."""
    monkeypatch.setattr(engine, "find_spec", lambda _name: None)

    with pytest.raises(UsageError) as error:
        answer(world, keep=tmp_path, cluster=Cluster())

    assert error.value.slug == "no-dask"
    assert "--workers 0" in error.value.hint
    assert answer(world, keep=tmp_path).read == _RANKS


def test_no_scheduler_is_wrong_usage(world: Path, tmp_path: Path) -> None:
    """A scheduler that cannot be reached is an error that says how to start one."""
    with pytest.raises(UsageError) as error:
        answer(world, keep=tmp_path, cluster=Cluster(scheduler="no-such-protocol://x"))

    assert error.value.slug == "no-scheduler"


def test_strict_fails_on_missing_ranks(world: Path, tmp_path: Path) -> None:
    """With --strict a missing rank is exit code 1."""
    for rank in (0, 1, 3):
        path = world / f"rank_{rank}.json.gz"
        (tmp_path / path.name).write_bytes(path.read_bytes())
    arguments = ["fleet", str(tmp_path), "--workers", "0", "--keep", str(tmp_path / "kept")]

    shown = CliRunner().invoke(kernelmap, [*arguments, "--strict"])

    assert shown.exit_code == 1
    assert "3 of 6 ranks are missing" in shown.output
