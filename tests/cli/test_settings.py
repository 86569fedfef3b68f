"""[tool.kernelmap]: defaults of options, and a slip that is no silence; colors that are forced."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from histories.play import Weather, play
from histories.story import first_state, longer, slower

from kernelmap.cli import main
from kernelmap.cli.defaults import OPTIONS, defaults
from kernelmap.pages.write import write_tables
from kernelmap.settings import SETTINGS

SETTINGS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder below one with a pyproject.toml, in which one stands."""
    below = tmp_path / "src" / "model"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return tmp_path / "pyproject.toml"


def state(project: Path, text: str) -> None:
    project.write_text(f"[tool.kernelmap]\n{text}\n", encoding="utf-8")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def test_defaults_come_from_the_project(project: Path, samples: Path) -> None:
    """What is stated holds for the command that has the option; the command line goes before it."""
    sample = samples / "sim_gpt_train"
    plain = run("correlate", sample, "--by", "line", "--top", 3, "--steps", "2:4")
    state(project, 'by = "line"\ntop = 3\nsteps = "2:4"')

    assert run("correlate", sample).output == plain.output
    assert run("correlate", sample, "--by", "op").output != plain.output
    assert "steps 2 to 4" in plain.output


def test_a_threshold_of_the_gate(project: Path, samples: Path, tmp_path: Path) -> None:
    """A gate takes its limits from the project: what fails by 10 % passes at 50 %."""
    base = longer(first_state(samples / "sim_mlp_train"), 20)
    slow, _ = slower(base, "extern_kernels.addmm", 1.1)
    for seed, (name, made) in enumerate({"base": base, "slow": slow}.items()):
        write_tables(play(made.program, made.cost_list(), Weather(), seed), tmp_path / name)
    words = ("gate", "--baseline", tmp_path / "base", tmp_path / "slow")

    assert run(*words).exit_code == 1
    state(project, 'max_regression = "50%"')
    assert run(*words).exit_code == 0
    assert run(*words, "--max-regression", "3%").exit_code == 1


@pytest.mark.parametrize(
    ("text", "hint"),
    [("stor = 'x'", "Did you mean `store`?"), ("qqqqq = 1", "Known: store, series")],
    ids=["slip", "foreign"],
)
@pytest.mark.parametrize("command", ["correlate", "gate", "runs"])
def test_an_unknown_setting_is_an_error(
    text: str, hint: str, command: str, project: Path, samples: Path
) -> None:
    """Every command says so, with the nearest name, instead of going on without the setting."""
    state(project, text)
    sample = samples / "sim_mlp_train"
    words = {"correlate": (sample,), "gate": ("--baseline", sample, sample), "runs": ()}
    done = run(command, *words[command])

    assert done.exit_code == 2
    assert hint in done.stderr
    assert "pyproject.toml" in done.stderr
    assert "unknown-setting" in done.stderr


@pytest.mark.parametrize(
    ("text", "command"),
    [('by = "lines"', "correlate"), ("top = 0", "correlate"), ('max_regression = "x"', "gate")],
    ids=["by", "top", "max_regression"],
)
def test_a_wrong_default_says_where_it_stands(
    text: str, command: str, project: Path, samples: Path
) -> None:
    """Whoever typed no such option learns which file did."""
    state(project, text)
    given = samples / "sim_mlp_train"
    done = run(command, *(("--baseline", given, given) if command == "gate" else (given,)))

    assert done.exit_code == 2
    assert f"`{text.partition(' ')[0]}` in [tool.kernelmap]" in " ".join(done.stderr.split())


def test_help_needs_no_settings(project: Path) -> None:
    """What is asked when something is wrong works all the same."""
    state(project, "stor = 'x'")

    assert run("--help").exit_code == 0
    assert run("--version").exit_code == 0


def test_a_broken_file_states_no_default(project: Path, samples: Path) -> None:
    """Commands that need none of its settings go on; other tools say what is wrong with it."""
    project.write_text("[tool", encoding="utf-8")

    assert defaults() == {}
    assert run("correlate", samples / "sim_mlp_train").exit_code == 0


def test_every_setting_is_known_and_explained() -> None:
    """Settings that are options are among the known ones, and the page has a line for each."""
    page = SETTINGS_PAGE.read_text(encoding="utf-8").partition("## Environment")[0]
    cells = re.findall(r"^\| ([a-z_, ]+) \|", page, re.MULTILINE)
    explained = {name.strip() for cell in cells for name in cell.split(",")} - {"setting"}

    assert set(OPTIONS) < set(SETTINGS)
    assert explained == set(SETTINGS)


def test_options_of_settings_exist() -> None:
    """Each command that a setting is said to serve has an option of that name."""
    context = main.make_context("kernelmap", [], resilient_parsing=True)
    for name, commands in OPTIONS.items():
        for command in commands:
            below: click.Command | None = main
            for word in command.split():
                assert isinstance(below, click.Group)
                below = below.get_command(context, word)
            assert below is not None
            known = {each.name for each in below.get_params(click.Context(below, parent=context))}
            assert name in known, (name, command)


@pytest.mark.parametrize(
    ("variables", "colored"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
    ids=["plain", "forced", "refused", "empty", "dumb"],
)
def test_colors_may_be_forced(
    variables: dict[str, str], colored: bool, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CI job's log is no terminal and shows colors; the words are the same."""
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    words = ["correlate", str(samples / "sim_mlp_train")]
    plain = CliRunner().invoke(main, words).stdout
    shown = CliRunner().invoke(main, words, env=variables, color=True).stdout

    assert ("\x1b[" in shown) == colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == plain
