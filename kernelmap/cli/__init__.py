"""The command line; the only place that prints or exits.

Each command is a file. `--help` loads them all, so what brings numpy or pandas is imported where a
command runs, and all else at the top, as everywhere.
Results go to stdout, notices and errors to stderr. Exit codes stand in exit_codes.py.
"""

from __future__ import annotations

import errno
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import click

from kernelmap import __version__
from kernelmap.cli.asked_nothing import QUESTION, bundles_here, is_input, say_what_to_ask
from kernelmap.cli.common import Command, emit, let_go, say, with_store
from kernelmap.cli.defaults import defaults, where_stated
from kernelmap.cli.old_forms import plain_words, rewrite_old_forms
from kernelmap.cli.shared_options import PROGRAM
from kernelmap.errors import KernelmapError, unforeseen
from kernelmap.manual import where
from kernelmap.suggestions import did_you_mean

COMMANDS = (
    "correlate",
    "inspect",
    "which",
    "explain",
    "doctor",
    "memory",
    "repro",
    "annotate",
    "fleet",
    "capture",
    "runs",
    "diff",
    "gate",
    "dashboard",
    "lsp",
    "mcp",
    "skill",
    "help",
)
_INTERRUPTED, _PIPE_CLOSED = 130, 141  # what shells report for these two
_BY_SIGNAL = 128  # what they add to the number of any signal


class _Commands(Command, click.Group):
    """Loads a command's file when it is named, and turns errors into messages and exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """All commands, in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- click's signature
        """The command in kernelmap/cli/<name>.py."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"kernelmap.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words before the command; old names become new ones, and that is said."""
        if not args and not ctx.resilient_parsing:
            folder = Path.cwd()
            if bundles := bundles_here(folder):
                emit(say_what_to_ask(bundles, folder))
                ctx.exit()
        rewritten = rewrite_old_forms(args)
        words = rewritten.words
        # A path in the place of a command asks the most likely question.
        start = next(plain_words(words), None)
        if start is not None and words[start] not in COMMANDS and is_input(words[start]):
            words[start:start] = QUESTION
        if not ctx.resilient_parsing and not {"-q", "--quiet"} & {*args}:
            for line in rewritten.said:
                say(line)
        return super().parse_args(ctx, words)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; wrong usage, with the nearest, where there is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            # A path alone is a question too, so that it may be the file that is not there.
            if len(Path(args[0]).parts) > 1:
                raise click.UsageError(f"There is no file or folder {args[0]!r}.", ctx)
            text = f"No such command {args[0]!r}. {did_you_mean(args[0], COMMANDS)}".rstrip()
            raise click.UsageError(text, ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 -- click's signature
        """Run the command; the boundary that no error of ours crosses."""
        try:
            ctx.default_map = defaults()
            return super().invoke(ctx)
        except KernelmapError as error:
            ctx.exit(_report(error, debug=_is_debugged(ctx)))
        except click.BadParameter as error:
            raise where_stated(error) from error
        except KeyboardInterrupt:
            ctx.exit(_INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:  # noqa: BLE001 -- nothing that an input does may end in a traceback
            # The reader of our output has gone.
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                let_go()
                ctx.exit(_PIPE_CLOSED)
            ctx.exit(_report(unforeseen(error), debug=_is_debugged(ctx)))

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 -- click's arguments, passed on
        """Run as a program; errors from outside of any command end here."""
        with _ended_by_signals():
            try:
                return super().main(*args, **kwargs)
            except KernelmapError as error:
                sys.exit(_report(error))


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end us as an error does, so that what was begun is taken away."""

    def end(number: int, _frame: FrameType | None) -> None:
        sys.exit(_BY_SIGNAL + number)

    with ExitStack() as handlers:
        if threading.current_thread() is threading.main_thread():
            for number in signal.Signals:
                # A handler that somebody else has set, or a signal that is to be ignored, stays.
                if (
                    number.name in ("SIGTERM", "SIGHUP")
                    and signal.getsignal(number) is signal.SIG_DFL
                ):
                    signal.signal(number, end)
                    handlers.callback(signal.signal, number, signal.SIG_DFL)
        yield


def _is_debugged(ctx: click.Context) -> bool:
    return bool(ctx.meta.get("kernelmap.debug"))


def _report(error: KernelmapError, *, debug: bool = False) -> int:
    """Say what is wrong, if anything can be said, and give the exit code."""
    with suppress(OSError):
        if debug:
            click.echo(traceback.format_exc(), err=True, nl=False)
        say(f"error: {error.message}")
        say(with_store(f"hint: {error.hint}"))
        say(f"see: {where([error.slug])}")
    let_go()
    return error.exit_code


def _print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:  # noqa: FBT001 -- click hands it over by position
    """Print the version, and what reads traces."""
    if not asked or context.resilient_parsing:
        return
    from kernelmap.traces.kineto.native_scan import reader_name

    click.echo(f"kernelmap {__version__} ({reader_name()})")
    context.exit()


@click.group(
    cls=_Commands,
    params=[*PROGRAM],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Tell which line of the model a GPU microsecond belongs to.

    kernelmap pairs the kernels in a profile with the calls in the code that torch.compile
    generated, and splits their time over the operators they came from. The options below stand
    before the command or after it, of those commands that take them.

    Example: kernelmap correlate output_code.py profile.json
    """
