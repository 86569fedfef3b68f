"""Runs of a store in place of files: what diff and gate compare."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kernelmap
from capture.bundle_world import recorded
from kernelmap.cli import main
from kernelmap.errors import UsageError
from kernelmap.history.compare.gate.baselines import Newest, newest_runs
from kernelmap.history.compare.sides.opening import SideOrigin, open_side
from kernelmap.history.store.store import Store

SAMPLE = Path(__file__).resolve().parents[3] / "sample_traces" / "sim_mlp_train"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a store with three runs of branch main."""
    monkeypatch.chdir(tmp_path)
    result = kernelmap.correlate(SAMPLE)
    for _ in range(3):
        Store("kept").record(result, branch="main")
    return "kept"


def run(*args: str) -> Result:
    return CliRunner().invoke(main, args)


def test_a_run_is_compared_as_what_it_was_recorded_from(kept: str) -> None:
    """A run and its own inputs differ in nothing, invocations included."""
    result = run("diff", "main~1", str(SAMPLE), "--store", kept, "--format", "json")
    document = json.loads(result.stdout)

    assert result.exit_code == 0, result.output
    assert document == json.loads(
        run("diff", str(SAMPLE), str(SAMPLE), "--format", "json").stdout.replace(
            json.dumps(str(SAMPLE))[1:-1], "main~1", 1
        )
    )


def test_a_gate_takes_the_newest_runs_of_a_branch(kept: str) -> None:
    """As many as are asked for, or as many as there are."""
    ids = [stored.id for stored in reversed(Store(kept).runs())]

    assert list(newest_runs("main", 2, store=kept).ids) == ids[:2]
    assert list(newest_runs("main", 9, store=kept).ids) == ids
    result = run("gate", "--baseline", "main", "--last", "2", "latest", "--store", kept)
    assert result.exit_code == 0, result.output
    assert "gate: passed" in result.stdout


def test_an_acknowledged_run_begins_a_new_level(kept: str) -> None:
    """The baseline of a gate has that run and newer ones, and says what was passed over.

    The run that is judged is none of its own baseline. With the note taken back, or where enough
    runs are newer, nothing is.
    """
    Store(kept).record(kernelmap.correlate(SAMPLE), branch="main")
    ids = [stored.id for stored in reversed(Store(kept).runs())]
    line = ("gate", "--baseline", "main", "--last", "3", "latest", "--store", kept)
    run("runs", "tag", ids[1], "acknowledged=a new mask", "--store", kept)

    assert list(newest_runs("main", 3, store=kept).ids) == ids[:2]
    assert (
        f"2 runs of main from before {ids[1]}, whose change is acknowledged, passed over"
        in run(*line).stderr
    )
    assert newest_runs("main", 2, store=kept).passed == ()
    run("runs", "tag", ids[1], "--delete", "acknowledged", "--store", kept)
    assert list(newest_runs("main", 3, store=kept).ids) == ids[:3]
    assert "passed over" not in run(*line).stderr


def test_a_path_comes_before_a_run(kept: str) -> None:
    """What lies there is meant, even if a run bears the same name."""
    Store(kept).record(kernelmap.correlate(SAMPLE), name="here")
    Path("here").symlink_to(SAMPLE)
    side = open_side("here", store=kept).side

    assert side.versions == {}
    assert side.total_ns == Store(kept).open("here").summary.total_ns


def test_an_input_may_have_a_plus_in_its_name(kept: str, tmp_path: Path) -> None:
    """Only --baseline and the sides of diff join paths with it; inputs are several arguments."""
    code, profile = tmp_path / "a+b", tmp_path / "c+d.json.gz"
    code.symlink_to(SAMPLE / "model__0_forward_1.0")
    profile.symlink_to(SAMPLE / "profile.json.gz")
    result = run("gate", "--baseline", "main", str(code), str(profile), "--store", kept)

    assert result.exit_code in (0, 1), result.output
    assert "gate: " in result.stdout


def test_files_inside_of_what_was_read_are_kept(tmp_path: Path) -> None:
    """A folder's files are inputs as well, for every command that writes."""
    shutil.copytree(SAMPLE, tmp_path / "given")
    given, profile = str(tmp_path / "given"), tmp_path / "given" / "profile.json"
    profile.write_bytes(gzip.decompress((SAMPLE / "profile.json.gz").read_bytes()))
    (tmp_path / "given" / "profile.json.gz").unlink()
    code = tmp_path / "given" / "model__0_forward_1.0" / "output_code.py"
    before = profile.read_bytes(), code.read_bytes()
    for words in (
        ["diff", given, given, "-o", str(profile)],
        ["gate", "--baseline", given, given, "-o", str(profile)],
        ["inspect", given, "--lock", str(code)],
    ):
        result = run(*words)

        assert result.exit_code == 2, result.output
        assert "was read and would be overwritten" in result.stderr
    assert (profile.read_bytes(), code.read_bytes()) == before


def test_what_is_neither_path_nor_run_is_said(kept: str) -> None:
    """With a store it is no run, without one it is no file."""
    with pytest.raises(UsageError) as caught:
        open_side("nobody", store=kept)
    assert caught.value.slug == "no-such-run"
    with pytest.raises(kernelmap.KernelmapError) as unreadable:
        open_side("nobody", store="no store")
    assert unreadable.value.slug == "unreadable-path"


def test_versions_of_raw_inputs_are_compared(tmp_path: Path) -> None:
    """Two bundles that another torch wrote are told apart before anything is said of speed."""
    recorded(tmp_path / "one", torch="2.12.0")
    recorded(tmp_path / "other", torch="2.13.0")
    result = CliRunner().invoke(main, ["diff", str(tmp_path / "one"), str(tmp_path / "other")])

    assert result.exit_code == 0, result.output
    assert "differs beside the code: torch: 2.12.0, then 2.13.0" in result.stdout


def _branched(tmp_path: Path) -> dict[str, str]:
    """Runs of four commits of main, and of a branch that left at the second of them."""
    store, ids, result = Store(tmp_path / "branched"), {}, kernelmap.correlate(SAMPLE)
    for commit, branch in zip("abcde", ("main", "main", "main", "topic", "main"), strict=True):
        forked = "b" * 40 if branch == "topic" else None
        run = store.record(result, branch=branch, commit=commit * 40, forked=forked)
        ids[commit] = run.id
    return ids


def test_a_branch_is_gated_by_main_where_it_left(tmp_path: Path) -> None:
    """The baseline ends at the fork, however far main went on, and that is said.

    A commit that was not recorded, and one that nobody knows, are said as well.
    """
    ids = _branched(tmp_path)
    where = str(tmp_path / "branched")

    def of(origin: SideOrigin, count: int = 2) -> Newest:
        return newest_runs("main", count, store=where, of=origin)

    topic = SideOrigin(branch="topic", forked="b" * 40, run=ids["d"])
    assert of(topic).ids == (ids["b"], ids["a"])
    assert of(topic).passed == (f"2 runs from after {ids['b']} of main passed over",)
    unknown = of(SideOrigin(branch="topic", run=ids["d"]))
    assert unknown.ids == (ids["c"], ids["b"])
    assert "the last before the branch: its fork is not known" in unknown.passed[0]
    elsewhere = of(SideOrigin(branch="topic", forked="f" * 40, run=ids["d"]))
    assert elsewhere.ids == unknown.ids
    assert "its fork was not recorded on main" in elsewhere.passed[0]
    fresh = of(SideOrigin(branch="other", forked="a" * 40))
    assert fresh.ids == (ids["a"],)
    assert of(SideOrigin(branch="main")).ids == (ids["e"], ids["c"])
    assert of(SideOrigin(branch="main", run=ids["c"])).ids == (ids["b"], ids["a"])
    assert newest_runs("main", 2, store=where).ids == (ids["e"], ids["c"])
    assert newest_runs("topic", 2, store=where, of=topic).ids == (ids["d"],)


def test_the_gate_asks_a_run_for_its_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded with the run counts; KERNELMAP_FORKED says it where nobody did."""
    ids = _branched(tmp_path)
    where = ("--store", str(tmp_path / "branched"))
    said = run("gate", "--baseline", "main", "--last", "1", "topic", *where)
    monkeypatch.setenv("KERNELMAP_FORKED", "a" * 40)
    told = run("gate", "--baseline", "main", "--last", "1", "topic", *where)

    assert f"note: the baseline is {ids['b']} (of main, commit {'b' * 10}, recorded " in said.stdout
    assert f"note: the baseline is {ids['a']} (of main, commit {'a' * 10}, recorded " in told.stdout
