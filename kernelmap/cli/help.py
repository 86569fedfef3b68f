"""`kernelmap help`: what a message, a command or a word of a table means."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence

import click

from kernelmap.cli.common import Command, emit, width
from kernelmap.cli.exit_codes import exit_codes_text
from kernelmap.cli.old_forms import OLD_COMMANDS
from kernelmap.errors import UsageError
from kernelmap.manual import entries, words
from kernelmap.suggestions import did_you_mean
from kernelmap.tables.schema import TABLES

_WIDEST = 100
_EXIT_CODES, _SCHEMAS = "exit-codes", "schemas"
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@click.command("help", cls=Command, short_help="Say what a message, a command or a word means.")
@click.argument("names", nargs=-1, metavar="[SLUG|COMMAND|WORD]...")
@click.pass_context
def help(ctx: click.Context, names: tuple[str, ...]) -> None:  # noqa: A001 -- the command's name
    """Say what an error, a notice or a finding means and what to do, or how a command is used.

    Messages end with the names that are asked for here. Of the headings of tables, and of the words
    in and below them, it says what they mean, in which unit, and where that comes from. Without a
    name: all commands. `exit-codes` is the table of those, and `schemas` are the JSON Schemas of
    all documents: their list, or those that are named.

    Example: kernelmap help record-shapes-off
             kernelmap help no-kernels cache-key-none
             kernelmap help correlate
             kernelmap help at most
             kernelmap help exit-codes
             kernelmap help schemas kernelmap.rows
    """
    group = ctx.parent
    if group is None or not isinstance(group.command, click.Group):
        raise AssertionError("`help` is a command of a group")
    if not names:
        emit(f"{group.get_help()}\n")
        return
    if names[0] == _SCHEMAS:
        from kernelmap.cli.schemas import KINDS, schema_of
        from kernelmap.tables.json import indent_json

        listed = [f"{name}: printed by {kind.printed_by}" for name, kind in KINDS.items()]
        texts = [indent_json(schema_of(name)) for name in names[1:]]
        emit("\n".join(texts or [*listed, "", "`kernelmap help schemas NAME` prints one.", ""]))
        return
    known = {*entries(), *group.command.list_commands(ctx.parent or ctx), *OLD_COMMANDS}
    asked = _with_spaces(names, known)
    emit("\n".join([_text_of(name, group, group.command) for name in asked]))


def _with_spaces(names: Sequence[str], known: Collection[str]) -> Iterator[str]:
    """The names that are meant: a heading such as `at most` comes as two arguments.

    What is no name in any way is one name to the end, for which the nearest ones are looked up.
    """
    left = list(names)
    while left:
        sizes = range(len(left), 0, -1)
        spelled = {size: " ".join(left[:size]) for size in sizes}
        # The longest name that is one wins: `at most` before `at`.
        size = next((n for n in sizes if spelled[n] in OLD_COMMANDS or _word(spelled[n])), 1)
        if size == 1 and left[0] not in known and not _word(left[0]):
            size = len(left)
        yield " ".join(left[:size])
        left = left[size:]


def _word(name: str) -> str | None:
    """The word of a table that `name` spells: in any case, with the parentheses of a rest row."""
    is_rest_row = name.startswith("(") and name.endswith(")")
    spelled = (name[1:-1] if is_rest_row else name).casefold()
    known = {word.casefold(): word for word in words()}
    # Causes of idleness are headings with `idle:` before them.
    return next((known[it] for it in (spelled, f"idle: {spelled}") if it in known), None)


def _text_of(name: str, above: click.Context, group: click.Group) -> str:
    texts = entries()
    if name == _EXIT_CODES:
        return exit_codes_text()
    if name in texts:
        return f"{name}\n\n{_plain(texts[name])}\n"
    if name in OLD_COMMANDS:
        return f"{name}\n\nIt is `kernelmap {OLD_COMMANDS[name].new}` now.\n"
    command = group.get_command(above, name)
    if command is None:
        word = _word(name)
        if word is not None:
            return _explained(word)
        names = [_EXIT_CODES, _SCHEMAS, *texts, *group.list_commands(above), *words()]
        raise UsageError(
            "unknown-help",
            f"there is no message, no command and no word {name!r}",
            did_you_mean(name, names, "`kernelmap help` lists commands."),
        )
    # Read without arguments, and without a complaint about those that are missing.
    with command.make_context(name, [], parent=above, resilient_parsing=True) as ctx:
        return f"{ctx.get_help()}\n"


def _explained(word: str) -> str:
    """What a word means, and which columns of files hold it."""
    entry = words()[word]
    paragraphs = [_plain(entry.text)]
    for place in entry.columns:
        table, _, column = place.partition(".")
        stated = TABLES[table].by_name[column]
        unit = f" [{stated.unit}]" if stated.unit else ""
        paragraphs.append(_plain(f"In files {column} of {table}{unit}: {stated.help}."))
    return f"{word}\n\n" + "\n".join([paragraphs[0], "", *paragraphs[1:]]).rstrip() + "\n"


def _plain(text: str) -> str:
    """Markdown for a terminal: links are their words, and paragraphs fit its width."""
    filler = textwrap.TextWrapper(
        min(width(), _WIDEST), break_long_words=False, break_on_hyphens=False
    )
    return "\n\n".join(map(filler.fill, _LINK.sub(r"\1", text).split("\n\n")))
