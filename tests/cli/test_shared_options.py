"""How many commands and options there are, and options that mean the same in all of them."""

from __future__ import annotations

import shutil
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import COMMANDS, main


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, env={"COLUMNS": "120"})


@pytest.fixture
def here(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with code and its profile, in which one stands."""
    (tmp_path / "code").symlink_to(samples / "sim_mlp_train")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KERNELMAP_STORE", raising=False)
    return tmp_path


def test_a_report_is_the_same_whichever_option_asks(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--open` and -o write one page, byte for byte."""
    monkeypatch.setattr(webbrowser, "open", lambda _: True)
    assert run("correlate", "code", "--open").exit_code == 0
    assert run("correlate", "code", "-o", "named.html", "--by", "call").exit_code == 0
    assert (here / "named.html").read_bytes() == (here / "report.html").read_bytes()


def declared() -> Iterator[tuple[str, click.Option]]:
    """Every command with each option that it declares, and that stands in a help."""
    commands: list[tuple[str, click.Command]] = [("", main)]
    context = click.Context(main, **main.context_settings)
    while commands:
        name, command = commands.pop()
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                yield name, option
        if isinstance(command, click.Group):
            below = (
                (each, command.get_command(context, each))
                for each in command.list_commands(context)
            )
            commands += [(f"{name} {each}".strip(), made) for each, made in below if made]


def test_there_is_little_to_learn() -> None:
    """17 commands and `help`, 5 of `runs`, and at most 120 options over all of them.

    `mcp`, `skill` and `lsp` are doors of their own: servers that stay, and a text for agents.
    `repro` answers with a program. `capture --why` costs a compilation, and `--anyway` shows what
    is refused. --columns, --where and --quiet are declared once, for all commands.
    """
    runs = main.get_command(click.Context(main, **main.context_settings), "runs")
    assert isinstance(runs, click.Group)
    assert len(COMMANDS) == 17 + len(["help"])
    assert sorted(runs.commands) == ["add", "history", "remove", "show", "tag"]
    counted = [(name, option.opts[-1]) for name, option in declared()]
    assert len(counted) <= 120, counted


def test_one_option_has_one_meaning() -> None:
    """Where two commands declare an option of one name, both take a value, or neither does.

    `capture --steps N` is how many are recorded: there is no profile yet whose steps have numbers.
    """
    kinds: dict[str, set[tuple[bool, bool]]] = {}
    for name, option in declared():
        if (name, option.opts[-1]) != ("capture", "--steps"):
            kinds.setdefault(option.opts[-1], set()).add((option.is_flag, option.multiple))
    differing = {name for name, kind in kinds.items() if len(kind) > 1}
    assert differing <= {"--by"}  # the levels of `gate`: several may be judged


@pytest.mark.parametrize("command", ["correlate", "doctor", "annotate", "diff", "gate"])
def test_whatever_counts_time_takes_the_same_choices(command: str, here: Path) -> None:
    """--steps, --side and --like may stand before the command or behind it, and count alike."""
    assert here.is_dir()
    words = {
        "annotate": ["annotate", "code", "--listing"],
        "diff": ["diff", "code", "other"],
        "gate": ["gate", "--baseline", "other", "code"],
    }.get(command, [command, "code"])
    shutil.copytree("code", "other")
    choices = ["--steps", "2:4", "--side", "gpu", "--like", "other"]
    before, behind = run(*choices, *words), run(*words, *choices)

    assert before.exit_code == behind.exit_code == 0, before.stderr
    assert before.stdout == behind.stdout
    assert before.stdout != run(*words).stdout


def test_what_was_counted_before_is_said(here: Path) -> None:
    """A saved result keeps its steps; whoever chooses others for it learns that."""
    assert here.is_dir()
    run("correlate", "code", "-o", "saved.json")
    done = run("diff", "saved.json", "code", "--steps", "2:4")

    assert done.exit_code == 0
    assert "saved.json was counted when it was saved" in done.stderr
    assert "counted-when-saved" in done.stderr
    assert "counted" not in run("diff", "saved.json", "code").stderr


@pytest.mark.parametrize("words", [["which", "addmm", "code"], ["explain", "0_forward/3", "code"]])
def test_who_asks_for_a_pairing_may_name_a_run_that_knows(words: list[str], here: Path) -> None:
    """--like is taken; the answer is about all launches, so there are no steps to choose."""
    assert here.is_dir()
    assert run(*words, "--like", "code").exit_code == 0
    assert run(*words, "--steps", "3").exit_code == 2


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--steps", "3", "runs"], "--steps"),
        (["--store", "kept", "correlate", "code"], "--store"),
        (["--like", "code", "inspect", "code"], "--like"),
        (["--cache-dir", "x", "fleet", "code"], "--cache-dir"),
    ],
)
def test_a_choice_that_means_nothing_is_wrong_usage(
    words: list[str], option: str, here: Path
) -> None:
    """It is not lost in silence: the command says that it does not take it."""
    assert here.is_dir()
    done = run(*words)
    assert done.exit_code == 2
    assert f"does not take {option}" in done.stderr


def test_a_machine_says_once_where_things_are(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of devices by option, variable and setting, in this order."""
    text = (
        '[[device]]\nnames = ["Simulated GPU"]\nbandwidth_gbps = {}\ntflops = {{ float32 = 67 }}\n'
    )
    (here / "below").mkdir()
    for name, rate in (("a.toml", 1111), ("b.toml", 2222), ("below/c.toml", 3333)):
        (here / name).write_text(text.format(rate))
    (here / "pyproject.toml").write_text('[tool.kernelmap]\ndevice_limits = "below/c.toml"\n')
    words = ["correlate", "code", "--roofline"]

    assert "3,333 GB/s" in run(*words).stdout
    monkeypatch.setenv("KERNELMAP_DEVICE_LIMITS", "b.toml")
    assert "2,222 GB/s" in run(*words).stdout
    assert "1,111 GB/s" in run(*words, "--device-limits", "a.toml").stdout
    assert run("inspect", "code").exit_code == 0  # a variable is no option that is refused


def test_a_variable_begins_debugging(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KERNELMAP_DEBUG does what --debug does, wherever that stands."""
    assert here.is_dir()
    assert "debug: " not in run("inspect", "code").stderr
    assert "debug: " in run("--debug", "inspect", "code").stderr
    assert "debug: " in run("inspect", "code", "--debug").stderr
    monkeypatch.setenv("KERNELMAP_DEBUG", "1")
    assert "debug: " in run("inspect", "code").stderr
