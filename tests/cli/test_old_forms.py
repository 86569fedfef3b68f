"""Names of commands and options as they were: each works for a release, and says its new form."""

from __future__ import annotations

import shutil
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import COMMANDS, main
from kernelmap.cli.old_forms import OLD_COMMANDS, OLD_OPTIONS, rewrite_old_forms
from kernelmap.store.store import Store
from store.made import Made

CODE = Path(__file__).parents[2] / "sample_traces" / "sim_mlp_train"
LEAVING = {
    "--bmf": ("gate",),
    "--pytest-benchmark": ("gate",),
    "--prometheus": ("gate",),
    "--otlp": ("gate",),
    "--wandb": ("gate",),
    "--webhook": ("gate", "dashboard"),
    "--state": ("gate",),
    "--on-change": ("dashboard",),
}
"""Options that are on their way out of their commands, and not counted."""
COMMAND_LINES: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "report": (["report", "code"], ["correlate", "code", "-o", "report.html"]),
    "roofline": (
        ["roofline", "code", "--by", "line", "--top", "3"],
        ["correlate", "--roofline", "code", "--by", "line", "--top", "3"],
    ),
    "record": (
        ["record", "code", "--name", "n", "--branch", "b"],
        ["runs", "add", "code", "--name", "n", "--branch", "b"],
    ),
    "lock": (["lock", "code", "-o", "k.lock"], ["inspect", "code", "--lock", "k.lock"]),
    "debug-printer": (
        ["debug-printer", "aoti", "--kernel", "gelu", "--level", "2"],
        ["inspect", "aoti", "--kernel", "gelu", "--debug-printer", "2"],
    ),
    "runs ack": (
        ["runs", "--store", "kept", "ack", "latest", "a new mask"],
        ["runs", "--store", "kept", "tag", "latest", "acknowledged=a new mask"],
    ),
    "runs check": (
        ["runs", "check", "--store", "kept"],
        ["runs", "--check", "--store", "kept"],
    ),
    "runs prune": (
        ["runs", "prune", "--store", "kept", "--older-than", "2"],
        ["runs", "remove", "--store", "kept", "--leftovers", "2"],
    ),
}
"""By old command a line of it, and the same in the new form; both run in the folder below."""
OPTION_LINES: Mapping[tuple[str, str], Sequence[str]] = {
    ("correlate", "--path-map"): ["correlate", "code", "-o", "p.html", "--path-map", "/root=/here"],
    ("annotate", "--code"): ["annotate", "code", "--code"],
    ("fleet", "--scheduler"): ["fleet", "code", "--scheduler=nowhere.json"],
    ("fleet", "--time-limit"): ["fleet", "code", "--workers", "0", "--time-limit", "60"],
    ("fleet", "--forked"): ["fleet", "code", "--workers", "0", "--forked", "a" * 40],
    ("runs add", "--forked"): ["runs", "add", "code", "--branch", "b", "--forked", "a" * 40],
    ("gate", "--forked"): ["gate", "--baseline", "code", "code", "--forked", "a" * 40],
}


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words, env={"COLUMNS": "120"})


@pytest.fixture
def here(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with code and its profile, a package's code and a store, in which one stands."""
    (tmp_path / "code").symlink_to(samples / "sim_mlp_train")
    (tmp_path / "aoti").symlink_to(samples / "aoti_block")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KERNELMAP_STORE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Store("kept").record(Made())
    return tmp_path


def test_every_old_name_is_tried() -> None:
    """A line of the tables without a trial here would be a promise that nobody keeps."""
    assert COMMAND_LINES.keys() == OLD_COMMANDS.keys()
    assert OPTION_LINES.keys() == OLD_OPTIONS.keys()


@pytest.mark.parametrize("name", OLD_COMMANDS)
def test_an_old_command_answers_as_the_new_one(name: str, here: Path) -> None:
    """The same on stdout and in files, the same exit code; stderr has one line more, the first."""
    before, after = COMMAND_LINES[name]
    old: list[Any] = []
    new: list[Any] = []
    for words, place in ((before, old), (after, new)):
        done = run(*words)
        files = {path.name: path.read_bytes() for path in here.iterdir() if path.is_file()}
        for path in here.iterdir():
            if path.is_file():
                path.unlink()
        shown = "" if name == "record" else done.stdout  # the id of a run is never the same
        place += [done.exit_code, shown, files, done.stderr]

    assert old[0] == 0, old[3]
    assert old[:3] == new[:3]
    first, rest = old[3].split("\n", 1)
    assert first == f"note: `kernelmap {name}` is `kernelmap {OLD_COMMANDS[name].new}` now"
    assert rest == new[3]


@pytest.mark.parametrize("key", OLD_OPTIONS, ids=" ".join)
def test_an_old_option_says_its_new_form(key: tuple[str, str], here: Path) -> None:
    """It is taken as before: what it says is not wrong usage, and one line names the new form."""
    assert here.is_dir()
    done = run(*OPTION_LINES[key])
    said = f"note: {key[1]} of `kernelmap {key[0]}` is {OLD_OPTIONS[key].new} now"

    assert done.stderr.splitlines()[0] == said
    assert "No such option" not in done.stderr
    assert done.stdout.count("note: --") == 0
    if key == ("correlate", "--path-map"):
        assert '["/root","/here"]' in Path("p.html").read_text("utf-8")
    if key == ("runs add", "--forked"):
        assert Store(".kernelmap").open("latest").facts.forked == "a" * 40


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lock a", "inspect a --format lock"),
        ("lock -oF a", "inspect --lock F a"),
        ("lock a --output=F", "inspect a --lock=F"),
        ("debug-printer a", "inspect a --debug-printer 2"),
        ("debug-printer a --saved d --log=f", "inspect a --printed d --printed=f"),
        ("--store ack runs ack R --undo", "--store ack runs tag R --delete=acknowledged"),
        ("runs prune", "runs remove --leftovers 24"),
        ("runs --branch check check", "runs --branch check --check"),
        ("--cache-dir report report a -o b.html", "--cache-dir report correlate a -o b.html"),
        ("capture report --forked x", "capture report --forked x"),
        ("capture -- runs check", "capture -- runs check"),
        ("fleet a -- --scheduler", "fleet a -- --scheduler"),
        ("which report a", "which report a"),
        ("runs show check", "runs show check"),
    ],
)
def test_words_become_those_of_the_new_form(old: str, new: str) -> None:
    """Only names of commands and options do; values and the words of programs stay."""
    assert rewrite_old_forms(old.split()).words == new.split()
    assert bool(rewrite_old_forms(old.split()).said) == (old != new)


def test_an_old_report_is_never_written_over_another_page(here: Path) -> None:
    """Without a name it is report.html, and one of somebody else stays."""
    (here / "report.html").write_text("mine")
    assert run("report", "code").exit_code == 2
    assert (here / "report.html").read_text() == "mine"


@pytest.mark.parametrize("name", OLD_COMMANDS)
def test_help_knows_old_names(name: str) -> None:
    """`kernelmap help` says the new form; the list of commands has the new ones alone."""
    shown = run("help", *name.split())
    assert shown.exit_code == 0
    assert f"`kernelmap {OLD_COMMANDS[name].new}`" in " ".join(shown.stdout.split())
    assert f"  {name.rsplit(maxsplit=1)[-1]} " not in run(*name.split()[:-1], "--help").stdout


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
    context = click.Context(main)
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
    """12 commands and `help`, 5 of `runs`, and at most 100 options over all of them."""
    runs = main.get_command(click.Context(main), "runs")
    assert isinstance(runs, click.Group)
    assert len(COMMANDS) == 12 + len(["help"])
    assert sorted(runs.commands) == ["add", "history", "remove", "show", "tag"]
    counted = [
        (name, option.opts[-1])
        for name, option in declared()
        if name not in LEAVING.get(option.opts[-1], ())
    ]
    assert len(counted) <= 100, counted


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
    shutil.copytree(CODE, "other")
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
