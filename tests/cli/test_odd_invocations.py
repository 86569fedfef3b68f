"""What is asked for oddly is answered with the next step, and nothing is lost in silence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import main
from kernelmap.cli.gone_options import GONE_OPTIONS


def ran(*words: str | Path) -> Result:
    """The command line with these words."""
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def here(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a profile, in which one stands."""
    trace = (samples / "cuda_routed" / "rank_0" / "trace.json.gz").read_bytes()
    (tmp_path / "t.json.gz").write_bytes(trace)
    (tmp_path / "cut.json.gz").write_bytes(trace[:2000])  # before the first row of the GPU
    (tmp_path / "results").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_outputs_are_never_one_file(here: Path) -> None:
    """The second would have replaced the first, and nobody would have said so."""
    words = ["gate", "--baseline", "t.json.gz", "t.json.gz", "-o", "one.md"]
    done = ran(*words, "--summary", "./one.md")
    assert done.exit_code == 2
    assert "named for two outputs" in done.stderr
    assert not (here / "one.md").exists()


def test_a_lock_alone_has_no_comparison(here: Path) -> None:
    """Nothing that is asked for is left out in silence."""
    done = ran("gate", "--lock", "kernels.lock", "t.json.gz", "-o", "one.json")
    assert done.exit_code == 2
    assert "--baseline" in done.stderr
    assert not (here / "one.json").exists()


GONE = [
    (command, option, instead)
    for command, options in GONE_OPTIONS.items()
    for option, instead in options.items()
]


@pytest.mark.parametrize(("command", "option", "instead"), GONE)
def test_an_option_that_is_gone_says_what_does_the_same(
    command: str, option: str, instead: str, here: Path
) -> None:
    """Wrong usage with the other way, before any work; it stands in no help."""
    assert here.is_dir()
    done = ran(command, option, "x")
    assert done.exit_code == 2
    assert f"error: {option} is gone" in done.stderr
    assert instead[1:] in done.stderr
    assert not re.search(rf"{option}\b", ran(command, "--help").stdout)


def test_a_place_that_is_not_there_is_said_before_the_work(here: Path) -> None:
    """With the folder that was meant."""
    assert here.is_dir()
    summary = ran("gate", "--baseline", "t.json.gz", "t.json.gz", "--summary", "gone/x.md")
    assert (summary.exit_code, summary.stdout) == (2, "")
    done = ran("correlate", "t.json.gz", "-o", "result/x.json")
    assert done.exit_code == 2
    assert "Did you mean `results`?" in done.stderr
    assert "Did you mean `.json`?" in ran("correlate", "t.json.gz", "-o", "x.jsn").stderr


def test_a_dash_is_no_output(here: Path) -> None:
    """Who means standard output learns that results go there without -o, and no `-` is made."""
    done = ran("correlate", "t.json.gz", "-o", "-")
    assert done.exit_code == 2
    assert "./-" in done.stderr
    assert not (here / "-").exists()


def test_a_name_may_not_be_empty(here: Path) -> None:
    """An empty name is a variable that was never set, not the folder where one stands."""
    assert here.is_dir()
    for words in (["which", "", "t.json.gz"], ["explain", " ", "t.json.gz"]):
        assert "is a variable not set?" in ran(*words).stderr
    assert "Is a variable not set?" in ran("capture", "--", "").stderr


def test_of_a_trace_that_was_cut_off_the_hint_is_about_that(here: Path) -> None:
    """Other options of the profiler do not bring back what a copy lost."""
    assert here.is_dir()
    done = ran("correlate", "cut.json.gz")
    assert done.exit_code == 3
    assert "cut off" in done.stderr
    assert "ProfilerActivity" not in done.stderr


def test_runs_that_nobody_has_are_said(here: Path) -> None:
    """A branch, a tag or a run that is not there is no empty answer without a word."""
    store = ("--store", here / "store")
    assert (
        ran("runs", "add", "t.json.gz", "--branch", "main", "--tag", "model=a", *store).exit_code
        == 0
    )
    assert "Did you mean `main`?" in ran("runs", "--branch", "man", *store).stderr
    assert "Did you mean `model=a`?" in ran("runs", "--tag", "modle=a", *store).stderr
    assert "had no tag batch" in ran("runs", "tag", "latest", "--delete", "batch", *store).stderr
    back = ran("runs", "show", "latest~5", *store)
    assert "'latest' does not go back so far: it has 1 run" in back.stderr
    assert "latest~0" in back.stderr
    assert "no run is named 'gone~0'" in ran("runs", "show", "gone~0", *store).stderr


def test_a_file_is_no_store(here: Path) -> None:
    """It is not promised that recording makes one there."""
    assert here.is_dir()
    done = ran("runs", "--store", "t.json.gz")
    assert done.exit_code == 2
    assert "is a file" in done.stderr
