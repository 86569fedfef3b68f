"""Global ids of nsys: hardware, virtual machine, process and thread in one number of 64 bits.

`hw << 56 | vm << 48 | pid << 24 | tid`, stored signed. The global id of a process is that of its
threads with the lowest 24 bits cleared. Correlation ids, domains and graph nodes are unique within
a process only.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.nsys_tables import codes

_BITS = 24
_LOWEST = (1 << _BITS) - 1


def process_of(global_tid: Int) -> Int:
    """Global process ids of global thread ids, -1 for -1."""
    return np.where(global_tid == NONE, NONE, global_tid & ~_LOWEST)


def thread_of(global_tid: Int) -> Int:
    """Thread numbers within their process, -1 for -1."""
    return np.where(global_tid == NONE, NONE, global_tid & _LOWEST)


def pid_of(global_pid: int) -> int | None:
    """The pid of the operating system, None for an unknown process."""
    return None if global_pid == NONE else global_pid >> _BITS & _LOWEST


class Processes:
    """The processes of one export, in the order of their global ids."""

    def __init__(self, columns: Iterable[Int]) -> None:
        found = [codes(column)[0] for column in columns]
        self._ids = np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    @property
    def pids(self) -> tuple[str | None, ...]:
        """Their pids, as `process` columns count them."""
        numbers = map(pid_of, self._ids.tolist())
        return tuple(None if number is None else str(number) for number in numbers)

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """The same as numbers."""
        return tuple(map(pid_of, self._ids.tolist()))

    def at(self, global_pids: Int) -> Int:
        """The position of each process, of which all were given."""
        return np.searchsorted(self._ids, global_pids)
