"""`kernelmap help`: what messages mean, wherever kernelmap is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kernelmap.cli import COMMANDS, main
from kernelmap.manual import address, entries, where
from kernelmap.model.advice import Finding, Weight

DOCS = Path(__file__).resolve().parents[2] / "docs"
BASE = "https://example.invalid/kernelmap"


def ask(*names: str, columns: int = 80) -> Result:
    return CliRunner().invoke(main, ["help", *names], env={"COLUMNS": str(columns)})


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package states where its documentation lies."""
    facts = Message()
    facts["Project-URL"] = f"Documentation, {BASE}/"
    address.cache_clear()
    monkeypatch.setattr("kernelmap.manual.metadata", lambda _: facts)
    yield
    address.cache_clear()


def test_the_package_has_the_texts_of_the_docs() -> None:
    """A message is explained without the folder docs/: each slug's text stands in the package."""
    written = re.findall(r"^## (.+)$", (DOCS / "messages.md").read_text("utf-8"), re.MULTILINE)

    assert [*entries()] == written
    assert all(entries().values())


def test_a_slug_is_explained() -> None:
    """Its text is printed word by word; links are their words, lines fit the terminal."""
    for slug, text in entries().items():
        shown = ask(slug)
        words = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text).split()

        assert shown.exit_code == 0, slug
        assert shown.stdout.split() == [slug, *words]
        longest = max(map(len, [slug, *words]))
        assert max(map(len, shown.stdout.splitlines())) <= max(80, longest), slug


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_explained(command: str) -> None:
    """`kernelmap help COMMAND` is `kernelmap COMMAND --help`."""
    assert ask(command).stdout == CliRunner().invoke(main, [command, "--help"]).stdout


def test_without_a_name_commands_are_listed() -> None:
    """`kernelmap help` is `kernelmap --help`."""
    assert ask().stdout == CliRunner().invoke(main, ["--help"]).stdout


def test_an_unknown_name_has_its_nearest() -> None:
    """A slip is wrong usage, and the answer has the right name; a foreign word has none."""
    slip, foreign = ask("record-shape-off"), ask("\x1bqqqq")

    assert (slip.exit_code, foreign.exit_code) == (2, 2)
    assert "Did you mean `record-shapes-off`?" in slip.stderr
    assert "\x1b" not in foreign.stderr
    assert not slip.stdout


def test_messages_name_the_command_until_there_is_an_address() -> None:
    """Several messages have one command, and each is named once."""
    address.cache_clear()

    assert where(["no-kernels"]) == "kernelmap help no-kernels"
    assert where(["a", "b", "a"]) == "kernelmap help a b"


@pytest.mark.usefixtures("published")
def test_messages_have_the_address_of_the_project() -> None:
    """Where the project's URLs name the documentation, errors and findings link to it."""
    finding = Finding(slug="x", what="", do="", then="", weight=Weight.NOTE, gaps=())

    assert finding.see == f"{BASE}/messages.html#x"
    assert where(["a", "b"]) == f"{BASE}/messages.html#a {BASE}/messages.html#b"
    shown = ask("nothing-like-it").stderr
    assert shown.splitlines()[-1] == f"see: {BASE}/messages.html#unknown-help"


def test_the_address_is_none_without_an_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout that is not installed has no address, and is no error."""

    def lost(name: str) -> Message:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("kernelmap.manual.metadata", lost)
    address.cache_clear()

    assert address() is None
    address.cache_clear()
