"""Processes that tests start: signals reach them as those of a shell in front do."""

from __future__ import annotations

import signal


def interruptible() -> None:
    """For `preexec_fn`: who runs the tests below nohup or in the background ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
