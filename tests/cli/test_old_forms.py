"""Names of commands and options as they were: each works for a release, and says its new form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from history.store.made import Made
from kernelmap.cli import main
from kernelmap.cli.old_forms import OLD_COMMANDS, OLD_OPTIONS, rewrite_old_forms
from kernelmap.history.store.store import Store

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
