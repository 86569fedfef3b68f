"""Who is told when a gate fails: a command that reads JSON, and an address that is posted to.

The command runs without a shell, so nothing of an input is ever read as one; what it reads stands
on its stdin. Neither may take long, and what becomes of them is said and changes no exit code.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kernelmap.cli.common import say

if TYPE_CHECKING:
    from kernelmap.compare.comparison import Comparison
    from kernelmap.compare.gate import Verdict

Function = TypeVar("Function", bound=Callable[..., object])

_COMMAND_S, _POST_S = 60, 10
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """Where a failure goes; `inputs` and `baselines` are what the command line named."""

    command: tuple[str, ...]
    webhook: str | None
    inputs: tuple[str, ...]
    baselines: tuple[str, ...]

    def of_code(self, changes: str) -> None:
        """The code is not what the lock says; `changes` as the gate prints them."""
        self._tell({"what": "code", "verdict": "failed", "changes": changes})

    def of_time(self, comparison: Comparison, verdict: Verdict) -> None:
        """The verdict over a comparison."""
        from kernelmap.compare.show import title

        self._tell(
            {
                "what": "time",
                "verdict": verdict.word,
                "headline": title(comparison),
                "reasons": verdict.reasons,
                "notes": verdict.notes,
                "unit": comparison.unit.word,
                "before_ns": comparison.before_ns,
                "after_ns": comparison.after_ns,
                "causes": {cause.value: ns for cause, ns in comparison.by_cause.items()},
            }
        )

    def _tell(self, about: dict[str, Any]) -> None:
        head = {"format": "kernelmap.alert", "version": 1}
        named = {"inputs": self.inputs, "baselines": self.baselines}
        text = json.dumps({**head, **about, **named}).encode()
        if self.command:
            _run(self.command, text)
        if self.webhook is not None:
            _post(self.webhook, text)


def _run(command: Sequence[str], text: bytes) -> None:
    try:
        done = subprocess.run(  # noqa: S603 -- the user's own command, without a shell
            command, input=text, stdout=subprocess.DEVNULL, timeout=_COMMAND_S, check=False
        )
    except subprocess.TimeoutExpired:
        say(f"note: the alert {command[0]} was ended after {_COMMAND_S} s")
    except (OSError, ValueError) as error:
        say(f"note: the alert {command[0]} cannot be run: {error}")
    else:
        if done.returncode:
            say(f"note: the alert {command[0]} exits with {done.returncode}")


def _post(url: str, text: bytes) -> None:
    from http.client import HTTPException
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        """An alert goes to the address that was named, and to no other."""

        def redirect_request(self, *_: object) -> None:
            """No further request; the answer becomes an error."""

    request = Request(url, data=text, headers={"Content-Type": "application/json"})  # noqa: S310 -- http and https alone
    try:
        with build_opener(Stay).open(request, timeout=_POST_S):
            pass
    except (OSError, HTTPException, ValueError) as error:
        say(f"note: the alert could not be posted: {error}")


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


def _address(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not value.startswith(_SCHEMES):
        raise click.BadParameter(f"{value!r} is no address with http or https", ctx, param)
    return value


def alert_options(function: Function) -> Function:
    """--on-change and --webhook, passed on by these names."""
    command = click.option(
        "--on-change",
        type=click.UNPROCESSED,
        callback=_words,
        metavar="COMMAND",
        help="Run this where the gate fails, without a shell; what failed is JSON on its stdin.",
    )
    webhook = click.option(
        "--webhook",
        callback=_address,
        metavar="URL",
        help="Post the same JSON to this address where the gate fails.",
    )
    return command(webhook(function))
