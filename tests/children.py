"""Processes that tests start, and how signals reach them: as those of a shell in front do."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from multiprocessing import forkserver
from pathlib import Path

PROCESSES = multiprocessing.get_context("forkserver")
"""Each process starts with everything imported, so that many can be started and killed."""


TESTS = Path(__file__).resolve().parent
UNCOLLECTED = {"PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS / "uncollected")])}
"""The environment of short processes that import torch: this checkout, and no look for garbage."""


def interruptible() -> None:
    """For `preexec_fn`: what runs the tests below nohup or in the background ignores these."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def start_server(*preloaded: str) -> None:
    """Start the process that the others are forked from; older Pythons do not tell it our path."""
    PROCESSES.set_forkserver_preload(list(preloaded))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
