"""`kernelmap help`: what a message means, by its name."""

from __future__ import annotations

import re
import textwrap

import click

from kernelmap.cli.common import Command, emit, width
from kernelmap.errors import UsageError
from kernelmap.manual import entries
from kernelmap.suggestions import did_you_mean

_WIDEST = 100
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@click.command("help", cls=Command, short_help="Say what a message or a command is about.")
@click.argument("names", nargs=-1, metavar="[SLUG|COMMAND]...")
@click.pass_context
def help(ctx: click.Context, names: tuple[str, ...]) -> None:  # noqa: A001 -- the command's name
    """Say what an error, a notice or a finding means and what to do, or how a command is used.

    Messages end with the names that are asked for here. Without a name: all commands.

    Example: kernelmap help record-shapes-off
             kernelmap help no-kernels cache-key-none
             kernelmap help correlate
    """
    group = ctx.parent
    if group is None or not isinstance(group.command, click.Group):
        raise AssertionError("`help` is a command of a group")
    if not names:
        emit(f"{group.get_help()}\n")
        return
    texts = [_text_of(name, group, group.command) for name in names]
    emit("\n".join(texts))


def _text_of(name: str, above: click.Context, group: click.Group) -> str:
    texts = entries()
    if name in texts:
        return f"{name}\n\n{_plain(texts[name])}\n"
    command = group.get_command(above, name)
    if command is None:
        names = [*texts, *group.list_commands(above)]
        raise UsageError(
            "unknown-help",
            f"there is no message and no command {name!r}",
            did_you_mean(name, names, "`kernelmap help` lists commands."),
        )
    with command.make_context(name, [], parent=above, resilient_parsing=True) as ctx:
        return f"{ctx.get_help()}\n"


def _plain(text: str) -> str:
    """Markdown for a terminal: links are their words, and paragraphs fit its width."""
    filler = textwrap.TextWrapper(
        min(width(), _WIDEST), break_long_words=False, break_on_hyphens=False
    )
    return "\n\n".join(map(filler.fill, _LINK.sub(r"\1", text).split("\n\n")))
