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
from kernelmap.compare.opening import newest, open_side
from kernelmap.errors import UsageError
from kernelmap.store.store import Store

SAMPLE = Path(__file__).resolve().parents[2] / "sample_traces" / "sim_mlp_train"


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

    assert list(newest("main", 2, store=kept).ids) == ids[:2]
    assert list(newest("main", 9, store=kept).ids) == ids
    result = run("gate", "--baseline", "main", "--last", "2", "latest", "--store", kept)
    assert result.exit_code == 0, result.output
    assert "gate: passed" in result.stdout


def test_an_acknowledged_run_begins_a_new_level(kept: str) -> None:
    """The baseline of a gate has that run and newer ones, and says what was passed over.

    With the note taken back, or where enough runs are newer, nothing is.
    """
    Store(kept).record(kernelmap.correlate(SAMPLE), branch="main")
    ids = [stored.id for stored in reversed(Store(kept).runs())]
    line = ("gate", "--baseline", "main", "--last", "3", "latest", "--store", kept)
    run("runs", "ack", ids[1], "a new mask", "--store", kept)

    assert list(newest("main", 3, store=kept).ids) == ids[:2]
    assert (
        f"1 run of main from before {ids[1]}, whose change is acknowledged, passed over"
        in run(*line).stderr
    )
    assert newest("main", 2, store=kept).passed == ()
    run("runs", "ack", ids[1], "--undo", "--store", kept)
    assert list(newest("main", 3, store=kept).ids) == ids[:3]
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
        ["gate", "--baseline", given, given, "--bmf", str(profile)],
        ["lock", given, "-o", str(code)],
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
