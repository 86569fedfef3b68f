"""Several cases compile at once; the one that is measured has the GPU to itself.

Each process shares a lock while it compiles and warms up, and holds it alone for the steps that are
recorded. The variable KERNELMAP_GPU_LOCK names the file to lock; without it nothing is waited for.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

VARIABLE = "KERNELMAP_GPU_LOCK"


class Turn:
    """What a process holds of the lock."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file

    def alone(self) -> None:
        """Wait until no other process uses the GPU, and keep it until the end."""
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)  # two that share it would wait for each other
            fcntl.flock(self._file, fcntl.LOCK_EX)


@contextmanager
def turn() -> Iterator[Turn]:
    """Use the GPU beside other processes; `alone()` from then on without them."""
    path = os.environ.get(VARIABLE)
    if path is None:
        yield Turn(None)
        return
    with Path(path).open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield Turn(file)
