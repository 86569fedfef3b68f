"""The workflow in docs/ci.md: a whole file, whose steps run as far as they can without a GPU."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from histories.play import Weather, play
from histories.story import State, first_state, longer, slower

from capture.bundle_world import recorded
from kernelmap.cli import main
from kernelmap.pages.write import write_tables

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
WORKFLOW = [block for block in BLOCKS if "kernelmap capture" in block]
COMMANDS = re.findall(r"^ *(?:run: |)(kernelmap .*)$", WORKFLOW[0], re.MULTILINE)
RECORDING = [line for line in COMMANDS if line.startswith("kernelmap capture")]
CHECKING = [line for line in COMMANDS if line not in RECORDING]
OUTPUTS = ("main1", "new", "main2")


@pytest.fixture(scope="module")
def base(samples: Path) -> State:
    return longer(first_state(samples / "sim_mlp_train"), 20)


def run(line: str, summary: Path) -> tuple[int, str]:
    env = {"GITHUB_STEP_SUMMARY": str(summary)}
    command, _, target = line.partition(" > ")
    result = CliRunner().invoke(main, shlex.split(command)[1:], env=env)
    if target:
        Path(target).write_text(result.stdout, encoding="utf-8")
    return result.exit_code, result.stdout


def test_the_workflow_is_one_file_with_all_steps() -> None:
    """Every run line is known: three recordings and two gates, one of which writes the page."""
    assert len(WORKFLOW) == 1
    assert [shlex.split(line)[1] for line in COMMANDS] == ["capture"] * 3 + ["gate"] * 2
    assert [shlex.split(line)[5] for line in RECORDING] == list(OUTPUTS)
    assert not re.findall(r"\t", WORKFLOW[0])


@pytest.mark.parametrize("line", RECORDING)
def test_a_recording_is_asked_for_in_words_that_capture_knows(line: str) -> None:
    """Everything up to the program itself is understood."""
    options, _, program = line.partition(" -- ")
    result = CliRunner().invoke(main, [*shlex.split(options)[1:], "--help"])

    assert result.exit_code == 0
    assert program.startswith("python ")


@pytest.mark.parametrize(
    ("slow", "codes"),
    [pytest.param(False, [0, 0], marks=pytest.mark.thorough), (True, [0, 1])],
)
def test_the_steps_run(
    slow: bool, codes: list[int], base: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On simulated recordings, only the slow branch fails, and only in the one step."""
    for seed, name in enumerate(OUTPUTS):
        later = slower(base, "extern_kernels.addmm", 1.1)[0] if slow and name == "new" else base
        write_tables(play(later.program, later.cost_list(), Weather(), seed), tmp_path / name)
    recorded(tmp_path / "code")
    (tmp_path / "branch").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run("kernelmap inspect code --lock branch/kernels.lock", tmp_path / "none.md")[0] == 0
    summary = tmp_path / "summary.md"
    lines = [
        line.replace("branch/kernels.lock new", "branch/kernels.lock code") for line in CHECKING
    ]
    outcomes = [run(line, summary) for line in lines]
    gate = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))

    assert [code for code, _ in outcomes] == codes
    assert ("failed" in summary.read_text(encoding="utf-8")) == slow
    assert gate["gate"]["failed"] == slow
    assert gate["times"][0]["mean_ns"] == gate["after_ns"]
    assert "What the change is made of" in (tmp_path / "diff.html").read_text(encoding="utf-8")


def test_a_bundle_is_locked_and_gated(tmp_path: Path) -> None:
    """What capture writes is an input of both commands, and its own lock passes."""
    recorded(tmp_path / "new")
    assert (
        run(f"kernelmap inspect {tmp_path}/new --lock {tmp_path}/k.lock", tmp_path / "none.md")[0]
        == 0
    )
    shutil.copytree(tmp_path / "new", tmp_path / "again")

    assert run(f"kernelmap gate --lock {tmp_path}/k.lock {tmp_path}/again", tmp_path / "s")[0] == 0
