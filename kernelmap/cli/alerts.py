"""Who is told when a gate fails or a level changes: a command that reads JSON, and an address.

The command runs without a shell, so nothing of an input is ever read as one; what it reads stands
on its stdin. Neither may take long, and what becomes of them is said and changes no exit code.
With a state file, only a verdict that differs from the last one is told, in both directions.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kernelmap.cli.common import AnyPath, say
from kernelmap.errors import UsageError

if TYPE_CHECKING:
    from kernelmap.compare.comparison import Comparison
    from kernelmap.compare.gate import Verdict

Function = TypeVar("Function", bound=Callable[..., object])

_COMMAND_S, _POST_S = 60, 10
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """Where an alert goes; `inputs` and `baselines` are what the command line named.

    `state` is the file that remembers the last verdicts of a gate.
    """

    command: tuple[str, ...]
    webhook: str | None
    state: Path | None = None
    inputs: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()

    def of_code(self, changes: str) -> None:
        """Alert of `changes` against the lock, as the gate prints them; none where it passes."""
        word = "failed" if changes else "passed"
        self._of_gate("code", bool(changes), {"verdict": word, "changes": changes})

    def of_time(self, comparison: Comparison, verdict: Verdict, *, failed: bool) -> None:
        """Alert of the verdict over a comparison; `failed` as the exit code says it."""
        from kernelmap.compare.show import title

        self._of_gate(
            "time",
            failed,
            {
                "verdict": verdict.word,
                "headline": title(comparison),
                "reasons": verdict.reasons,
                "notes": verdict.notes,
                "unit": comparison.unit.word,
                "before_ns": comparison.before_ns,
                "after_ns": comparison.after_ns,
                "causes": {cause.value: ns for cause, ns in comparison.by_cause.items()},
            },
        )

    def of_level(self, level: Mapping[str, object]) -> None:
        """Alert of a new level of time in a store."""
        self._send({"what": "level", **level})

    def _of_gate(self, what: str, failed: bool, about: Mapping[str, Any]) -> None:  # noqa: FBT001 -- the verdict
        """Send an alert where the gate fails; with a state file, where its verdict changed."""
        named = {"inputs": self.inputs, "baselines": self.baselines}
        alert = {"what": what, "failed": failed, **about, **named}
        if self.state is None:
            if failed:
                self._send(alert)
            return
        before = _verdicts(self.state)
        if before.get(what, False) != failed and not self._send(alert):
            return  # nobody heard of it: the next gate tells it again
        if before.get(what) != failed:
            _remember(self.state, {**before, what: failed})

    def _send(self, about: Mapping[str, Any]) -> bool:
        """Whether the command and the address, as far as there are any, took the alert."""
        text = json.dumps({"format": "kernelmap.alert", "version": 1, **about}).encode()
        ran = not self.command or _run(self.command, text)
        return (self.webhook is None or _post(self.webhook, text)) and ran


_STATE = "kernelmap.gate-state"


def _verdicts(state: Path) -> dict[str, bool]:
    """Whether the gate failed the last time, by what it judged; nothing before the first time."""
    from kernelmap.model.paths import read_bytes

    try:
        read = json.loads(read_bytes(state))
        if read["format"] != _STATE:
            raise ValueError("it is another kind of file")  # noqa: TRY301 -- said below, as all else
        return {str(what): bool(failed) for what, failed in read["failed"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            "unreadable-state",
            f"{state} is not the state of a gate: {error}",
            "Name another file with --state; it is made where it is not there.",
        ) from error


def _remember(state: Path, failed: Mapping[str, bool]) -> None:
    from kernelmap.whole_files import write_whole_text

    write_whole_text(state, json.dumps({"format": _STATE, "version": 1, "failed": failed}) + "\n")


def _run(command: Sequence[str], text: bytes) -> bool:
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 -- the user's own command, without a shell
            command,
            input=text,
            stdout=subprocess.DEVNULL,
            timeout=_COMMAND_S,
            check=False,
            env=os.environ,  # without what __main__.py sets for this process alone
        )
    except subprocess.TimeoutExpired:
        say(f"note: the alert {command[0]} was ended after {_COMMAND_S} s")
    except (OSError, ValueError) as error:
        say(f"note: the alert {command[0]} cannot be run: {error}")
    else:
        if not done.returncode:
            return True
        say(f"note: the alert {command[0]} exits with {done.returncode}")
    return False


def _post(url: str, text: bytes) -> bool:
    from http.client import HTTPException
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        """An alert goes to the address that was named, and to no other."""

        def redirect_request(self, *_: object) -> None:
            """No further request; the answer becomes an error."""

    request = Request(url, data=text, headers={"Content-Type": "application/json"})  # noqa: S310 -- http and https alone
    try:
        with build_opener(Stay).open(request, timeout=_POST_S):
            return True
    except (OSError, HTTPException, ValueError) as error:
        say(f"note: the alert could not be posted: {error}")
        return False


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


def alert_options(when: str) -> Callable[[Function], Function]:
    """--on-change and --webhook, passed on by these names; `when` says when they are told."""

    def add(function: Function) -> Function:
        command = click.option(
            "--on-change",
            type=click.UNPROCESSED,
            callback=_words,
            metavar="COMMAND",
            help=f"Run this {when}, without a shell; what happened is JSON on its stdin.",
        )
        webhook = click.option(
            "--webhook",
            callback=_address,
            metavar="URL",
            help=f"Post the same JSON to this address {when}.",
        )
        return command(webhook(function))

    return add


state_option = click.option(
    "--state",
    type=AnyPath(),
    metavar="FILE",
    help="Remember the verdict in this file, and alert where it is not the one before: where the"
    " gate begins to fail, and where it passes again.",
)
