"""--on-change: the command of the user's that is told when a gate fails.

It runs without a shell, so nothing of an input is ever read as one; what it reads stands on its
stdin, as JSON. It may not take long, and what becomes of it is said and changes no exit code.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence

import click

from kernelmap.cli.common import remark

_LONGEST_S = 60  # a message is sent in seconds; a command that hangs must not hold up a CI job


def tell_command(words: Sequence[str], alert: Mapping[str, object]) -> None:
    """Run a command with the alert on its stdin; a note says where that did not work."""
    try:
        done = subprocess.run(  # noqa: S603 -- the user's own command, without a shell
            words,
            input=json.dumps(alert).encode(),
            stdout=subprocess.DEVNULL,
            timeout=_LONGEST_S,
            check=False,
            env=os.environ,  # without what __main__.py sets for this process alone
        )
    except subprocess.TimeoutExpired:
        remark(f"note: the alert {words[0]} was ended after {_LONGEST_S} s")
    except (OSError, ValueError) as error:
        remark(f"note: the alert {words[0]} cannot be run: {error}")
    else:
        if done.returncode:
            remark(f"note: the alert {words[0]} exits with {done.returncode}")


def _words(ctx: click.Context, param: click.Parameter, value: object) -> tuple[str, ...]:
    """A command line as its words; a list in pyproject.toml is one already."""
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        words = [str(word) for word in value]
    else:
        try:
            words = shlex.split(str(value))
        except ValueError as error:
            raise click.BadParameter(f"{value!r} is no command: {error}", ctx, param) from error
    if not words:
        raise click.BadParameter("the command is empty", ctx, param)
    return tuple(words)


on_change_option = click.option(
    "--on-change",
    type=click.UNPROCESSED,
    callback=_words,
    metavar="COMMAND",
    help="Run this where the gate fails, without a shell; what happened is JSON on its stdin.",
)
