"""What the commands share: how they read arguments, the store they mean, and the ways to print."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

import click

from kernelmap.commands import command, with_spelled_inputs
from kernelmap.errors import unwritable
from kernelmap.history.store.choosing import chosen_store
from kernelmap.manual import where
from kernelmap.suggestions import did_you_mean

if TYPE_CHECKING:
    from rich.text import Text

    from kernelmap.history.store.store import Store
    from kernelmap.model import Notice
    from kernelmap.pages.page import Page

Function = TypeVar("Function", bound=Callable[..., object])

_PIPE_WIDTH = 120
_OF_RUNS = re.compile("`kernelmap ((?:runs|dashboard)(?: (?!--store)[^` ]+)*)`")
"""Commands in a text that ask a store."""
GIVEN, TYPED = "kernelmap.given", "kernelmap.typed"
"""Under these the context of the program has the shared options: their values, and by name how
those were written that stand on the command line."""
_MEGABYTE = 1_000_000
_EVERYWHERE = ("debug", "quiet")
"""The options of the program that every command takes."""


@contextmanager
def _shown_usage() -> Iterator[None]:
    """Make click's own messages, which quote arguments, harmless to a terminal."""
    try:
        yield
    except click.UsageError as error:
        from kernelmap.pages.text import make_visible

        text = error.format_message()
        # Lines of the message stay; what an argument brings into them is escaped.
        shown = "\n".join(map(make_visible, text.split("\n")))
        if shown == text:
            raise
        raise click.UsageError(shown, error.ctx) from error


class Shared(click.Option):
    """An option of the program that a command may take as well; it has one meaning everywhere."""

    def __init__(self, names: Sequence[str], **attributes: Any) -> None:  # noqa: ANN401 -- click's attributes
        super().__init__(names, expose_value=False, **attributes)


class Command(click.Command):
    """A command whose examples keep their lines in the help.

    `shared` are the options that it takes beside its own, and beside --debug and --quiet, which
    every command takes.
    """

    def __init__(self, *args: Any, shared: Sequence[click.Option] = (), **attributes: Any) -> None:  # noqa: ANN401 -- click's attributes
        super().__init__(*args, **attributes)
        self.shared = tuple(shared)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own parameters, and the options that it shares with others."""
        own = super().get_params(ctx)
        # An option of its own hides a shared one of the same name.
        known = {parameter.name for parameter in own}
        root = ctx.find_root().command
        everywhere = [each for each in root.params if each.name in _EVERYWHERE]
        return [*own, *(each for each in (*self.shared, *everywhere) if each.name not in known)]

    def own_options(self, ctx: click.Context) -> list[click.Option]:
        """The options that its help lists first; those of every command stand in the program's."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        is_program = ctx.parent is None
        return [
            each
            for each in options
            if each not in self.shared and (is_program or each.name not in _EVERYWHERE)
        ]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write its own options, then those that it shares."""
        for heading, listed in (
            ("Options", self.own_options(ctx)),
            ("Shared options", self.shared),
        ):
            records = [each.get_help_record(ctx) for each in listed]
            if shown := [record for record in records if record is not None]:
                with formatter.section(heading):
                    formatter.write_dl(shown)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the docstring; click fills every paragraph that has no mark before it."""
        plain = self.help
        # `\b` before a paragraph keeps click from filling its lines.
        self.help = cleandoc(plain or "").replace("\n\nExample:", "\n\n\b\nExample:")
        super().format_help_text(ctx, formatter)
        self.help = plain

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:  # noqa: ANN401 -- click's arguments, passed on
        """Read the arguments; help and version are printed here."""
        with writing("standard output"), _shown_usage():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- click's signature
        """Run the command; wrong usage where it was given an option that it does not take."""
        with _shown_usage():
            # The group `runs` is a command as well and checks this when it runs without a
            # subcommand.
            if ctx.parent is not None and not isinstance(self, click.Group):
                self.require_taken(ctx)
            return super().invoke(ctx)

    def require_taken(self, ctx: click.Context) -> None:
        """Raise UsageError for a shared option before the command that means nothing to it."""
        taken = {*_EVERYWHERE, *(option.name for option in self.shared)}
        for name, written in ctx.meta.get(TYPED, {}).items():
            if name not in taken:
                raise click.UsageError(f"`{ctx.command_path}` does not take {written}.", ctx)


class OneOf(click.Choice[str]):
    """A word out of a known set; for any other the nearest is named."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__(tuple(words))

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ANN401 -- click's signature
        """What is wrong, what was meant, and what there is."""
        text = super().get_invalid_choice_message(value, ctx)
        return f"{text} {did_you_mean(str(value), self.choices)}".rstrip()


class AnyPath(click.Path):
    """A path that may or may not be there: what is wrong with it is said where it is used.

    An empty one is what a shell makes of a variable that was never set; it does not mean `.`.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path, readable=False)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:  # noqa: ANN401 -- click's signature
        """The path; wrong usage where it is empty or holds what no path can hold."""
        if not os.fspath(value):
            self.fail("the path is empty; is a variable not set?", param, ctx)
        if os.fspath(value) == "-":
            self.fail(
                "`-` is no file here: only an input may be a pipe, and without -o the result goes"
                " to standard output; a file of this name is ./-",
                param,
                ctx,
            )
        if "\0" in os.fspath(value):
            self.fail("the path holds a null character", param, ctx)
        return super().convert(value, param, ctx)


class Name(click.types.StringParamType):
    """A name that comes before the inputs; a path in its place was put there by mistake."""

    name = "name"

    def convert(
        self,
        value: Any,  # noqa: ANN401 -- click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """The name; wrong usage where it is a file or a folder."""
        from kernelmap.model.paths import is_folder, is_regular

        if not str(value).strip():
            self.fail("the name is empty; is a variable not set?", param, ctx)
        if is_regular(Path(value)):
            self.fail(f"{value} is a file; the name comes first, then the files", param, ctx)
        # The number of a launch may happen to be the name of a folder.
        if is_folder(Path(value)) and not value.isdecimal():
            self.fail(f"{value} is a folder; the name comes first, then the files", param, ctx)
        return str(value)


top = click.option(
    "--top",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Rows to show; CSV and lines of JSON have all unless this is given.",
)


FORMS = ("table", "json", "markdown")
ROW_FORMS = ("table", "json", "jsonl", "csv", "markdown")
"""How a result can be printed; the second where it is rows of one kind."""


def result_form(
    kinds: str, *, place: str = "FILE", forms: Sequence[str] = FORMS
) -> Callable[[Function], Function]:
    """--format and -o of the commands that may write their result: `form` and `output`.

    What is written is printed only where --format is given. `kinds` are the files, in the help.
    """
    help_text = "How to print the result.  [default: table]"
    form = click.option("--format", "form", type=OneOf(forms), help=help_text)
    output = click.option("-o", "--output", type=AnyPath(), metavar=place, help=f"Write {kinds}.")
    return lambda function: form(output(function))


def answer_form(
    forms: Sequence[str] = FORMS, what: str = "answer"
) -> Callable[[Function], Function]:
    """--format of the commands that answer one question; passed on as `form`."""
    return click.option(
        "--format",
        "form",
        type=OneOf(forms),
        default="table",
        show_default=True,
        help=f"How to print the {what}.",
    )


tag_option = click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="K=V",
    help="Only runs that bear this tag; may be repeated.",
)


def open_store() -> Store:
    """The store that is meant."""
    from kernelmap.history.store.store import Store

    return Store(chosen_store(named_store()))


def named_store() -> str | None:
    """What --store names; None where it is not given."""
    ctx = click.get_current_context(silent=True)
    named = None if ctx is None else ctx.meta.get(GIVEN, {}).get("store")
    return named if isinstance(named, str) else None


def with_store(text: str) -> str:
    """The text; its commands about runs get the --store of this run, else they ask another one."""
    named = named_store()
    if named is None:
        return text

    program = command("--store", named)
    return _OF_RUNS.sub(lambda found: f"`{program} {found[1]}`", text)


def tags_of(words: tuple[str, ...]) -> Mapping[str, str]:
    """`key=value` words as tags; wrong usage where one has no key or no `=`."""
    tags: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not key or not sign:
            raise click.BadParameter(f"{word!r} is not of the form key=value")
        tags[key] = value
    return tags


def width() -> int:
    """The terminal's width; wide enough for whole names where there is no terminal."""
    return shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns


def show(text: Text) -> None:
    """Print a text, with its colors where stdout is a terminal or FORCE_COLOR is set."""
    forced = bool(os.environ.get("FORCE_COLOR")) and not os.environ.get("NO_COLOR")
    if not is_terminal(sys.stdout) and not forced:
        emit(text.plain)
        return
    from rich.console import Console

    # a CI job's log has colors and is no terminal, so nothing can be asked of it
    colors: Literal["auto", "standard"] = "auto" if is_terminal(sys.stdout) else "standard"
    console = Console(
        width=width(), soft_wrap=True, color_system=colors, force_terminal=forced or None
    )
    # The text goes out with its colors by the same way as all others, which minds the encoding.
    if forced:
        with console.capture() as captured:
            console.print(text, end="")
        emit(captured.get(), colors=True)
        return
    with writing("standard output"):
        console.print(text, end="")


def show_page(page: Page, form: str = "table") -> None:
    """Print a page for a terminal, or as Markdown."""
    from kernelmap.pages.render import markdown, terminal

    if form == "markdown":
        emit(markdown.render_markdown(page))
    else:
        show(terminal.render_text(page, width()))


def emit(text: str, *, colors: bool | None = None) -> None:
    """Print a text as it is; what the terminal's encoding lacks becomes a question mark.

    With `colors` its escapes are printed where stdout is no terminal, too.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with writing("standard output"):
        # Becomes the same error as of a stream that is closed later.
        if sys.stdout is None:  # what Python makes of a console that was closed before the start
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        click.echo(text.encode(encoding, "replace").decode(encoding), nl=False, color=colors)


def note(notices: Sequence[Notice]) -> None:
    """Say on stderr what could not be used."""
    note_of_runs([("", notices)])


def note_of_runs(of_runs: Sequence[tuple[str, Sequence[Notice]]]) -> None:
    """Say on stderr what could not be used of several runs: what all of them say, once."""
    slugs = [notice.slug for _, notices in of_runs for notice in notices]
    if not slugs or is_quiet():
        return
    from kernelmap.pages.notes import note_lines

    ctx = click.get_current_context(silent=True)
    is_debugged = ctx is not None and bool(ctx.meta.get("kernelmap.debug"))
    with writing("standard error"):
        for line in note_lines(of_runs, whole=is_debugged):
            say(with_store(line))
        say(f"see: {where(slugs)}")


def say(text: str) -> None:
    """One line on stderr; what a path or a name holds can neither break it nor move a cursor."""
    from kernelmap.pages.text import make_visible

    click.echo(make_visible(with_spelled_inputs(text)), err=True)


def remark(text: str) -> None:
    """The same of what is said beside an answer: nothing with --quiet."""
    if not is_quiet():
        say(text)


def is_quiet() -> bool:
    """Whether --quiet is given: stderr is for errors then."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(GIVEN, {}).get("quiet"))


@contextmanager
def progress(text: str) -> Iterator[None]:
    """A moving sign on stderr while something takes time, and how far; only on a terminal."""
    if not is_terminal(sys.stderr) or is_quiet():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    from kernelmap.pages.text import make_visible
    from kernelmap.traces.blocks import watched

    with Console(stderr=True).status(Text(text)) as status:

        def show(path: Path, read: int, size: int) -> None:
            share = f"{read / _MEGABYTE:,.1f} of {size / _MEGABYTE:,.1f} MB"
            status.update(Text(f"{text}: {make_visible(path.name)}, {share}"))

        with watched(show):
            yield


_EVERY = 25  # things between two lines on a stderr that is no terminal


@contextmanager
def counting(text: str) -> Iterator[Callable[[int, int], None]]:
    """How far something is, on stderr: a moving sign on a terminal, else a line now and then.

    What it gives is told how many are done, and how many are known to follow.
    """
    if not is_terminal(sys.stderr) or is_quiet():

        def line(done: int, follow: int) -> None:
            if done % _EVERY == 0:
                remark(f"{text}: {done:,} done, at least {follow:,} to go")

        yield line
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield lambda done, follow: status.update(f"{text}: {done:,}, at least {follow:,} to go")


@contextmanager
def writing(place: str) -> Iterator[None]:
    """Make a full disk or a closed console an error of ours; a reader that has gone is none."""
    try:
        yield
    except OSError as error:
        # A reader that has gone, such as `head`, is no error; the program ends for it quietly.
        if error.errno == errno.EPIPE:
            raise
        raise unwritable(place, error) from error


def let_go() -> None:
    """Drop what a closed or full stream still buffers, so that nothing is raised again at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            # What is still buffered goes nowhere, and the flush at exit finds nothing to fail on.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person may be looking at what is printed there."""
    return stream is not None and stream.isatty()
