"""Run the user's program as if it had been started without us: its terminal, signals, exit code."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType

from kernelmap.errors import UsageError

_BY_SIGNAL = 128  # what shells add to the number of the signal that ended a program
_PASSED_ON = tuple(
    number
    for number in signal.Signals
    if number.name in ("SIGTERM", "SIGHUP")  # Windows has one
)


def run_program(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run `command` on our stdin, stdout and stderr; its exit code, 128 + n after signal n.

    The terminal sends Ctrl-C to the program too, so it ends the program and not us; what asks us
    to end is passed on. Raises UsageError where the program cannot be started.
    """
    with ExitStack() as handlers:
        # Handlers, not SIG_IGN: a program that is started inherits what is ignored.
        handlers.enter_context(_handled(signal.SIGINT, lambda _number, _frame: None))
        try:
            process = subprocess.Popen(command, env=dict(environment))  # noqa: S603 -- the user's own command
        except OSError as error:
            raise UsageError(
                "command-not-started",
                f"{command[0]} cannot be started: {error.strerror or error}",
                "Check its spelling; a script that is not executable needs `python` before it.",
            ) from error

        def pass_on(number: int, _frame: FrameType | None) -> None:
            process.send_signal(number)

        for number in _PASSED_ON:
            handlers.enter_context(_handled(number, pass_on))
        code = process.wait()
    return code if code >= 0 else _BY_SIGNAL - code


@contextmanager
def _handled(
    number: signal.Signals, handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """Have `number` handled; one that we were started to ignore stays ignored, by both of us."""
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)
