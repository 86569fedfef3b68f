"""Wherever a name out of a known set is asked for, the nearest one is named."""

from __future__ import annotations

import ast
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kernelmap
from kernelmap.cli import COMMANDS, main
from kernelmap.errors import unreadable
from kernelmap.history.store.refs import resolve
from kernelmap.suggestions import MOST, did_you_mean, nearest, one_of, path_hint
from kernelmap.tables.build import order_column

PACKAGE = Path(kernelmap.__file__).parent
WORDS = st.text("abcdefgh_.", min_size=1, max_size=12)


@given(WORDS, st.lists(WORDS, max_size=9))
def test_only_known_names_are_given_each_once_and_a_known_one_is_among_them(
    name: str, known: list[str]
) -> None:
    """What is suggested can be typed as it stands."""
    found = nearest(name, known)
    assert len(found) <= MOST
    assert len(set(found)) == len(found)
    assert set(found) <= set(known)
    assert name not in known or name in found or len(found) == MOST


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("corelate", ["correlate"]),
        ("annotat", ["annotate"]),
        ("CAPTURE", ["capture"]),
    ],
)
def test_what_is_far_behind_the_best_is_not_named(slip: str, meant: list[str]) -> None:
    """`corelate` is `correlate`, and not `gate`."""
    assert list(nearest(slip, COMMANDS)) == meant


def test_a_slip_in_a_command_names_the_command() -> None:
    """A command that is not there is answered with the one that was meant."""
    run = CliRunner().invoke(main, ["corelate", "x"])
    assert run.exit_code == 2
    assert "Did you mean `correlate`?" in run.stderr


def _choices(command: click.Command, words: list[str]) -> list[tuple[list[str], str, str]]:
    """Every option of a command, and of those below it, that takes a word out of a set."""
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        below = [(name, command.get_command(ctx, name)) for name in command.list_commands(ctx)]
        found = [item for name, one in below if one for item in _choices(one, [*words, name])]
    else:
        found = []
    for param in command.params:
        if isinstance(param.type, click.Choice):
            found += [(words, param.opts[-1], word) for word in param.type.choices]
    return found


def test_a_slip_in_a_word_of_any_option_names_the_word() -> None:
    """No option that takes a word out of a set leaves a person to find the slip."""
    choices = _choices(main, [])

    assert choices
    for words, option, word in choices:
        run = CliRunner().invoke(main, [*words, option, f"{word}s", "x"])
        assert run.exit_code == 2, (words, option, word)
        assert f"`{word}`" in run.stderr.partition("Did you mean")[2], (words, option)


def test_nobody_else_looks_for_near_names() -> None:
    """There is one function for it, so every place answers alike."""
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module == "difflib"
        and any(name.name == "get_close_matches" for name in node.names)
    }
    assert users == {"suggestions.py"}


def test_the_words_of_an_order_and_the_names_of_runs_are_known() -> None:
    """What users of Python write wrong is answered as on the command line."""
    with pytest.raises(kernelmap.KernelmapError) as order:
        order_column("headrom", "ops")
    assert order.value.hint.startswith("Did you mean `headroom`? Use one of")
    with pytest.raises(kernelmap.KernelmapError) as run:
        resolve("lates", [])
    assert run.value.hint.startswith("Did you mean `latest`?")


def test_a_set_without_a_near_name_is_shown_whole() -> None:
    """Then only the set can help."""
    assert one_of("zzz", ["op", "line"]) == "Known: op, line."
    assert did_you_mean("zzz", ["op"], "See --help.") == "See --help."


def test_a_path_that_is_not_there_names_what_is_like_it(tmp_path: Path) -> None:
    """The hint says which file or folder was meant; a missing folder is named first."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "rank0.json").write_text("{}")

    def hint(path: Path) -> str:
        try:
            path.stat()
        except OSError as error:
            return unreadable(path, error).hint
        return ""

    assert f"`{tmp_path}/profiles/rank0.json`" in hint(tmp_path / "profiles" / "rank0.jsn")
    folder = hint(tmp_path / "profile" / "rank0.json")
    assert folder == f"There is no folder {tmp_path}/profile. Did you mean `{tmp_path}/profiles`?"
    assert hint(tmp_path / "profiles" / "qqqqqq") == unreadable("x", "of any reason").hint


def test_the_end_of_a_name_makes_no_two_files_alike(tmp_path: Path) -> None:
    """All profiles of a folder end in `.json`, and are not what `nix.json` means for it."""
    for name in ("nothing.json", "broken.json", "rank10.json.gz"):
        (tmp_path / name).write_text("{}")
    assert path_hint(tmp_path / "nix.json") is None
    assert path_hint(tmp_path / "rank1.json.gz") == f"Did you mean `{tmp_path}/rank10.json.gz`?"
