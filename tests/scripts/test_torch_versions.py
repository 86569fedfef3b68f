"""What scripts/torch_versions.py keeps of a release of torch, and the table it becomes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from torch_releases import trials
from torch_releases.environment import choose_releases
from torch_releases.findings import Finding, Release, Verdict, in_order, keep, read_kept
from torch_releases.table import release_table

WORKFLOW = Path(__file__).resolve().parents[2] / ".github" / "workflows" / "torch.yml"


def release(version: str, **findings: Finding) -> Release:
    return Release(
        torch=version,
        build=f"{version}+cpu",
        python="3.11.9",
        triton=None,
        tried="2026-11-27",
        findings=findings,
    )


def test_the_last_patch_of_every_release_is_tried() -> None:
    """Local builds are the same release; a candidate that is newer than all comes last."""
    said = (
        "torch (2.15.0)\nAvailable versions: 2.16.0rc1, 2.15.0, 2.9.1, 2.9.0, 2.13.0+cpu, 2.1.2\n"
    )

    assert choose_releases(said) == ["2.9.1", "2.13.0", "2.15.0", "2.16.0rc1"]


def test_a_candidate_gives_way_to_its_release() -> None:
    """Of one release the candidate is not tried once the release is there."""
    assert choose_releases("Available versions: 2.16.0, 2.16.0rc1") == ["2.16.0"]


def test_a_release_comes_after_its_candidate_and_before_the_next() -> None:
    """Numbers are compared as numbers."""
    versions = ["2.14.1", "2.9.0", "2.15.0", "2.15.0rc1", "2.15.0.dev20261101"]

    assert sorted(versions, key=in_order) == [
        "2.9.0",
        "2.14.1",
        "2.15.0.dev20261101",
        "2.15.0rc1",
        "2.15.0",
    ]


def test_what_was_found_is_kept_newest_first(tmp_path: Path) -> None:
    """A second trial of a release takes the place of the first."""
    first = release("2.9.0", log=Finding(Verdict.UNREAD, "0 of 9 calls have a line"))
    second = release("2.9.0", log=Finding(Verdict.READ, "9 of 9 calls have a line"))
    newer = release("2.14.1")

    for found in (first, newer, second):
        keep(found, tmp_path)

    assert read_kept(tmp_path) == [newer, second]


def test_the_table_shows_every_verdict_and_no_markup_of_an_error() -> None:
    """What torch said last when it failed stands in a cell as text."""
    table = release_table(
        [
            release("2.14.1", log=Finding(Verdict.UNREAD, "got <b>|</b> `x`")),
            release(
                "2.13.0", log=Finding(Verdict.READ, "9 of 9"), capture=Finding(Verdict.ABSENT, "no")
            ),
        ]
    )

    head, _, *rows = table.splitlines()
    assert head == "| torch | log | capture | tried |"
    assert rows == [
        "| 2.14.1+cpu | 🔴 got &lt;b>\\|&lt;/b> 'x' |  | 2026-11-27, Python 3.11.9 |",
        "| 2.13.0+cpu | 🟢 9 of 9 | ⚪ no | 2026-11-27, Python 3.11.9 |",
    ]


@pytest.mark.thorough
def test_code_that_is_read_is_green_and_other_code_is_not(tmp_path: Path) -> None:
    """A sample's code is green; code without a line and a file that holds none are not."""
    sample = WORKFLOW.parents[2] / "sample_traces" / "cpu_block"

    assert trials.judge_calls(sample).verdict is Verdict.READ
    bare = tmp_path / "output_code.py"
    bare.write_bytes((sample / "model__0_forward_1.0" / "output_code.py").read_bytes())
    (tmp_path / "other.txt").write_text("nothing\n")
    assert trials.judge_calls(bare).verdict is Verdict.UNREAD
    with pytest.raises(subprocess.CalledProcessError):
        trials.judge_calls(tmp_path / "other.txt")


def test_torch_that_fails_is_untried_and_not_unread(tmp_path: Path) -> None:
    """A Python without torch writes nothing that could be read; all trials say so."""
    without = tmp_path / "python"
    without.write_text('#!/bin/sh\necho "no torch here" >&2\nexit 1\n')
    without.chmod(0o755)

    found = trials.run_trials(without, tmp_path / "written")

    assert list(found) == list(trials.ALL)
    assert {finding.verdict for name, finding in found.items() if name != "capture"} == {
        Verdict.UNTRIED
    }
    assert found["capture"] == Finding(Verdict.UNREAD, "no torch here")


def test_the_weekly_job_tries_what_has_no_row_and_the_newest() -> None:
    """The job runs the script, takes no version into a shell line unquoted, and writes nothing."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    job = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))

    assert job[True]["schedule"]  # YAML reads the key `on` as a truth
    assert job["permissions"] == {"contents": "read"}
    runs = [step["run"] for part in job["jobs"].values() for step in part["steps"] if "run" in step]
    assert any("scripts/torch_versions.py list --missing --newest" in run for run in runs)
    assert any('scripts/torch_versions.py try "$VERSION"' in run for run in runs)
    assert not any("${{" in run for run in runs)
