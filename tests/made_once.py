"""What several workers need and none changes is made by the first of them that gets there."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that `make` filled, the same for all workers of a run; to be read only.

    Whoever comes while another one makes it waits. Where `make` fails, the next one tries again.
    """
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    common = factory.getbasetemp().parent if is_worker else factory.getbasetemp()
    target = common / f"made-{name}"
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            half = factory.mktemp(f"half-{name}")
            make(half)
            half.rename(target)
    return target
