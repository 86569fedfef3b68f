"""Which recording an editor shows: the newest bundle or kept run, and what a worker reads of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import kernelmap
from kernelmap import Options, Store
from kernelmap.editors.finding import find_named, find_newest
from kernelmap.editors.reading import read_lines
from kernelmap.editors.worker import WantedLines, read_in_worker
from waiting import run_coroutine


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which nothing was recorded yet, and no store is named from outside."""
    monkeypatch.delenv("KERNELMAP_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def copy_bundle(samples: Path, to: Path, started: str, *, state: str = "complete") -> Path:
    """A small bundle that says that it was recorded then."""
    shutil.copytree(samples / "cpu_mlp_train", to)
    manifest = to / "manifest.toml"
    text = manifest.read_text().replace("2026-11-21T16:57:45+00:00", started)
    manifest.write_text(
        text.replace('state = "complete"\nkernelmap', f'state = "{state}"\nkernelmap')
    )
    return to


def keep(bundle: Path, store: Path) -> str:
    """Keep a bundle as a run; gives its id."""
    result = kernelmap.correlate(bundle, options=Options(wall=False, memory=False))
    return Store(store).record(result).id


def test_the_newest_bundle_is_the_one_that_was_recorded_last(
    workspace: Path, samples: Path
) -> None:
    """By what its manifest says: a copy, or a checkout, gives files other times."""
    newer = copy_bundle(samples, workspace / "runs" / "b", "2026-11-22T09:00:00+00:00")
    older = copy_bundle(samples, workspace / "a", "2026-11-22T08:00:00+00:00")
    os.utime(newer / "manifest.toml", (1, 1))

    found = find_newest([workspace])
    assert found is not None
    assert found.inputs == (str(newer),)
    shutil.rmtree(newer)
    found = find_newest([workspace])
    assert found is not None
    assert found.inputs == (str(older),)


def test_what_is_being_recorded_or_belongs_to_packages_is_passed_over(
    workspace: Path, samples: Path
) -> None:
    """A bundle counts when its recording has ended, and lies where people keep recordings."""
    when = "2026-11-22T09:00:00+00:00"
    copy_bundle(samples, workspace / "recording", when, state="recording")
    copy_bundle(samples, workspace / "node_modules" / "bundle", when)
    copy_bundle(samples, workspace / ".cache" / "bundle", when)
    environment = copy_bundle(samples, workspace / "env" / "bundle", when).parent
    (environment / "pyvenv.cfg").touch()
    copy_bundle(samples, workspace / "a" / "b" / "c" / "d" / "e" / "bundle", when)
    (workspace / "damaged").mkdir()
    (workspace / "damaged" / "manifest.toml").write_text('format = "kernelmap.bundle"\n=')

    assert find_newest([workspace]) is None


def test_a_newer_run_of_the_store_is_shown(workspace: Path, samples: Path) -> None:
    """Of another recording than the bundles; a run that was kept from a bundle is the bundle."""
    bundle = copy_bundle(samples, workspace / "bundle", "2026-11-20T09:00:00+00:00")
    keep(bundle, workspace / ".kernelmap")
    found = find_newest([workspace])
    assert found is not None
    assert found.inputs == (str(bundle),)

    run = keep(samples / "cuda_graph_breaks", workspace / ".kernelmap")
    found = find_newest([workspace])
    assert found is not None
    assert (found.run, found.inputs) == (run, ())
    # Another store that is named stands for all stores.
    found = find_newest([workspace], str(workspace / "other"))
    assert found is not None
    assert found.inputs == (str(bundle),)
    assert find_newest([], "memory://elsewhere") is None


def test_a_stamp_changes_with_the_recording(workspace: Path, samples: Path) -> None:
    """Of a bundle whose manifest is written anew, and of files that were named one by one."""
    bundle = copy_bundle(samples, workspace / "bundle", "2026-11-20T09:00:00+00:00")
    before, named = find_newest([workspace]), find_named([bundle])
    assert before is not None
    assert named is not None
    assert before == find_newest([workspace])
    assert named == find_named([bundle])
    os.utime(bundle / "manifest.toml", (2, 2))
    after, named_after = find_newest([workspace]), find_named([bundle])
    assert after is not None
    assert named_after is not None
    assert before.stamp != after.stamp
    assert named.stamp != named_after.stamp
    assert find_named([workspace / "nothing"]) is None


def test_a_run_says_of_lines_what_its_recording_says(workspace: Path, samples: Path) -> None:
    """All figures are the same; only why it is so sure, a run without launches cannot say."""
    keep(samples / "cuda_graph_breaks", workspace / ".kernelmap")
    found = find_newest([workspace])
    named = find_named([samples / "cuda_graph_breaks"])
    assert found is not None
    assert named is not None
    run, bundle = read_lines(WantedLines(found=found)), read_lines(WantedLines(found=named))
    assert run.lines is not None
    assert bundle.lines is not None

    assert [(each.line, each.total_ns, each.headroom_ns) for each in run.lines.lines] == [
        (each.line, each.total_ns, each.headroom_ns) for each in bundle.lines.lines
    ]
    assert run.lines.coverage == bundle.lines.coverage
    assert {each.evidence for each in run.lines.lines} == {None}
    assert run.lines.again.endswith(f"runs show {found.run} -o report.html")


def test_trouble_is_said_and_not_raised(workspace: Path) -> None:
    """An input that cannot be used ends in a message with what to do."""
    (workspace / "profile.json").write_text("{}")
    found = find_named([workspace / "profile.json"])
    assert found is not None
    read = read_lines(WantedLines(found=found))
    assert read.lines is None
    assert read.trouble is not None
    assert "profile.json" in read.trouble


def test_no_program_is_started_for_a_recording(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report of Nsight Systems is not exported: a workspace may come from anybody."""
    tool = workspace / "nsys"
    tool.write_text(f"#!/bin/sh\ntouch {workspace}/started\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(workspace), prepend=":")
    report = workspace / "run" / "report.nsys-rep"
    report.parent.mkdir()
    report.write_bytes(b"NVIDIA Tegra Profiler Report" + bytes(100))
    found = find_named([report])
    assert found is not None
    trouble = read_lines(WantedLines(found=found)).trouble
    assert trouble is not None
    assert "no program is started here" in trouble
    assert not (workspace / "started").exists()


@pytest.mark.thorough
def test_a_worker_reads_the_same(workspace: Path, samples: Path) -> None:
    """In a process of its own, and whatever lies in the folder of the editor is not run."""
    (workspace / "numpy.py").write_text("raise SystemExit('run')")
    (workspace / "kernelmap.py").write_text("raise SystemExit('run')")
    found = find_named([samples / "cpu_mlp_train"])
    assert found is not None
    wanted = WantedLines(found=found, steps=(4, 5))
    read = run_coroutine(read_in_worker(wanted))
    assert read.lines is not None
    assert read == read_lines(wanted)
    assert read.lines.steps == (4, 5)
