"""What the commands share: their inputs, --debug, and the ways to print."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from rich.text import Text

    from kernelmap.model import Notice

Function = TypeVar("Function", bound=Callable[..., object])

_PIPE_WIDTH = 120


class Command(click.Command):
    """A command whose examples keep their lines in the help."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the docstring; click fills every paragraph that has no mark before it."""
        plain = self.help
        self.help = cleandoc(plain or "").replace("\n\nExample:", "\n\n\b\nExample:")
        super().format_help_text(ctx, formatter)
        self.help = plain


def inputs(command: Function) -> Function:
    """Any mix of files and folders; what each one is shows in its content."""
    argument = click.argument(
        "inputs", nargs=-1, required=True, type=click.Path(path_type=Path, exists=False)
    )
    return argument(command)


def answer_form(*choices: str) -> Callable[[Function], Function]:
    """--format of the commands that answer one question; passed on as `form`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(choices),
        default="table",
        show_default=True,
        help="How to print the answer.",
    )


def cache_dir(command: Function) -> Function:
    """--cache-dir: where to look for code that was not given."""
    option = click.option(
        "--cache-dir",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Inductor's cache folder, asked for the code of what ran and was not given.",
    )
    return option(command)


def debug(command: Function) -> Function:
    """--debug: errors keep their traceback."""

    def remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 -- click's signature
        ctx.meta["kernelmap.debug"] = value

    option = click.option(
        "--debug",
        is_flag=True,
        expose_value=False,
        callback=remember,
        help="Show the traceback of an error.",
    )
    return option(command)


def width() -> int:
    """The terminal's width; wide enough for whole names where there is no terminal."""
    return shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns


def show(text: Text) -> None:
    """Print a text, with its colors where stdout is a terminal."""
    if not sys.stdout.isatty():
        emit(text.plain)
        return
    from rich.console import Console

    Console(width=width(), soft_wrap=True).print(text, end="")


def emit(text: str) -> None:
    """Print a text as it is; what the terminal's encoding lacks becomes a question mark."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    click.echo(text.encode(encoding, "replace").decode(encoding), nl=False)


def note(notices: Sequence[Notice]) -> None:
    """Say on stderr what could not be used."""
    for notice in notices:
        click.echo(f"note: {notice.message}", err=True)
        if notice.hint is not None:
            click.echo(f"hint: {notice.hint}", err=True)


@contextmanager
def progress(text: str) -> Iterator[None]:
    """A moving sign on stderr while something takes time; only on a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield
