"""Processes that tests start: signals reach them as those of a shell in front do."""

from __future__ import annotations

import signal


def interruptible() -> None:
    """For `preexec_fn`: what runs the tests below nohup or in the background ignores these."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
