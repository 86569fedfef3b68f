"""The command of --on-change: who is told, safely, and never at the price of the verdict."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from histories.play import Weather, play
from histories.story import first_state, longer, slower

from kernelmap.cli import main
from kernelmap.pages.write import write_tables

KEEP = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"


@pytest.fixture(scope="module")
def recordings(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline, the same again, and one with a call that is a tenth slower; simulated times."""
    folder = tmp_path_factory.mktemp("alerts")
    base = longer(first_state(samples / "sim_mlp_train"), 20)
    slow, _ = slower(base, "extern_kernels.addmm", 1.1)
    for seed, (name, state) in enumerate({"base": base, "same": base, "slow": slow}.items()):
        write_tables(play(state.program, state.cost_list(), Weather(), seed), folder / name)
    return folder


def gate(recordings: Path, new: str, *options: str) -> Result:
    words = ["gate", "--baseline", str(recordings / "base"), str(recordings / new)]
    return CliRunner().invoke(main, [*words, *options])


def keeping(place: Path) -> str:
    return shlex.join([sys.executable, "-c", KEEP, str(place)])


def test_a_command_gets_the_environment_of_the_user(recordings: Path, tmp_path: Path) -> None:
    """What the program sets for its own process alone, behind os.environ, is not in it."""
    place = tmp_path / "heard"
    code = "import os, sys; open(sys.argv[1], 'w').write(str(os.environ.get('KERNELMAP_BEHIND')))"
    os.putenv("KERNELMAP_BEHIND", "1")
    try:
        command = shlex.join([sys.executable, "-c", code, str(place)])
        gate(recordings, "slow", "--on-change", command)
    finally:
        os.unsetenv("KERNELMAP_BEHIND")

    assert place.read_text(encoding="utf-8") == "None"


@pytest.mark.parametrize(("new", "code"), [("same", 0), ("slow", 1)])
def test_a_command_hears_of_a_failure_alone(
    recordings: Path, new: str, code: int, tmp_path: Path
) -> None:
    """It reads the reasons as JSON; where the gate passes it is not run."""
    done = gate(recordings, new, "--on-change", keeping(tmp_path / "heard"))
    heard = tmp_path / "heard"

    assert done.exit_code == code, done.output
    assert heard.exists() == bool(code)
    if code:
        alert = json.loads(heard.read_bytes())
        assert (alert["format"], alert["version"], alert["what"]) == ("kernelmap.alert", 1, "time")
        assert alert["verdict"] == "failed for 1 reason"
        assert any("addmm" in reason for reason in alert["reasons"])
        assert alert["after_ns"] > alert["before_ns"]
        assert alert["inputs"] == [str(recordings / "slow")]


def test_a_changed_lock_is_reported_as_well(samples: Path, tmp_path: Path) -> None:
    """Unreviewed code is a failure of its own, with the changes that the gate prints."""
    lock = tmp_path / "kernels.lock"
    sample = str(samples / "sim_mlp_train")
    assert CliRunner().invoke(main, ["inspect", sample, "--lock", str(lock)]).exit_code == 0
    lines = lock.read_text("utf-8").splitlines(keepends=True)
    kernels = [line for line in lines if "triton_poi_fused_gelu" in line]
    lock.write_text("".join(line for line in lines if line not in kernels), encoding="utf-8")
    words = ["gate", "--lock", str(lock), sample, "--on-change", keeping(tmp_path / "heard")]
    done = CliRunner().invoke(main, words)
    alert = json.loads((tmp_path / "heard").read_bytes())

    assert done.exit_code == 1
    assert alert["what"] == "code"
    assert alert["changes"] in done.stdout


def test_no_shell_reads_a_name(recordings: Path, tmp_path: Path) -> None:
    """What a shell would run, in the command or in the name of an input, is text."""
    named = recordings / "$(touch oops); `touch oops` && touch oops"
    if not named.exists():
        named.symlink_to(recordings / "slow")
    heard = tmp_path / "heard; touch oops"
    done = gate(recordings, named.name, "--on-change", keeping(heard))

    assert done.exit_code == 1
    assert json.loads(heard.read_bytes())["inputs"] == [str(named)]
    assert not [*Path.cwd().glob("oops*"), *tmp_path.glob("oops*")]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("/no/such/program", "cannot be run"),
        (f"{shlex.quote(sys.executable)} -c 'raise SystemExit(3)'", "exits with 3"),
        (f"{shlex.quote(sys.executable)} -c 'import time; time.sleep(60)'", "was ended after"),
    ],
    ids=["missing", "failing", "hanging"],
)
def test_a_failing_alert_is_said_and_changes_nothing(
    command: str, said: str, recordings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing, failing or hanging: a note, and the exit code of the verdict."""
    # a private: it is no option, and a test does not wait as long as the command does
    monkeypatch.setattr("kernelmap.cli.on_change._LONGEST_S", 1)
    done = gate(recordings, "slow", "--on-change", command)

    assert done.exit_code == 1
    assert said in done.stderr


@pytest.mark.parametrize("value", ["", "'open"], ids=["empty", "unclosed"])
def test_what_is_no_command_is_wrong_usage(value: str, recordings: Path) -> None:
    """It is found out before anything is compared."""
    assert gate(recordings, "slow", "--on-change", value).exit_code == 2
