"""Runs a function that reads files, and raises TimeoutError once it takes too long.

A read that a store does not answer cannot be ended from outside. Its thread stays behind, as a
daemon that does not keep the process alive.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import TypeVar

Value = TypeVar("Value")

LIMIT_S = 900.0
"""Seconds that a try may take: some 20 GB of a trace, so what takes longer does not answer."""


def run_within(limit_s: float, work: Callable[..., Value], *arguments: object) -> Value:
    """What `work` gives, or raises; TimeoutError where that takes longer than `limit_s`."""
    outcome: Future[Value] = Future()

    def run() -> None:
        try:
            outcome.set_result(work(*arguments))
        except BaseException as error:  # noqa: BLE001 -- raised again where the outcome is read
            outcome.set_exception(error)

    Thread(target=run, daemon=True).start()
    if not wait([outcome], timeout=limit_s).done:
        raise TimeoutError(f"it took longer than {limit_s:g} s")
    return outcome.result()
