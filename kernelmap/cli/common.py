"""What the commands share: their inputs, --debug, and the ways to print."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

from kernelmap.errors import unwritable

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

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:  # noqa: ANN401 -- click's arguments, passed on
        """Read the arguments; help and version are printed here."""
        with writing("standard output"):
            return super().make_context(*args, **kwargs)


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
    if not _is_terminal(sys.stdout):
        emit(text.plain)
        return
    from rich.console import Console

    with writing("standard output"):
        Console(width=width(), soft_wrap=True).print(text, end="")


def emit(text: str) -> None:
    """Print a text as it is; what the terminal's encoding lacks becomes a question mark."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with writing("standard output"):
        if sys.stdout is None:  # what Python makes of a console that was closed before the start
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        click.echo(text.encode(encoding, "replace").decode(encoding), nl=False)


def note(notices: Sequence[Notice]) -> None:
    """Say on stderr what could not be used."""
    with writing("standard error"):
        for notice in notices:
            click.echo(f"note: {notice.message}", err=True)
            if notice.hint is not None:
                click.echo(f"hint: {notice.hint}", err=True)


@contextmanager
def progress(text: str) -> Iterator[None]:
    """A moving sign on stderr while something takes time; only on a terminal."""
    if not _is_terminal(sys.stderr):
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


@contextmanager
def writing(place: str) -> Iterator[None]:
    """Make a full disk or a closed console an error of ours; a reader that has gone is none."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        raise unwritable(place, error) from error


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
