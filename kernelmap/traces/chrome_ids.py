"""GPUs and threads of one source of a Trace, under the numbers that they get in a Chrome trace.

A Chrome trace knows GPUs by number, an export of nsys sometimes by process and number: where each
process counts its own, they are numbered anew. Rows of a viewer are threads there, so a stream is
one, and what cannot stand with the others of its thread or stream gets one more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernelmap.model.trace import NONE, Int, Trace
from kernelmap.traces.numbering import codes

_OWN_GPU = 1_000_000_000  # above the pids of a system
_OWN_THREAD = 1_500_000_000  # above threads and streams, and within 32 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU of the file: its number and name there, and the pid under which its rows stand."""

    number: int
    name: str | None
    pid: int
    label: str


def gpus(trace: Trace, file: int) -> dict[tuple[int, int], Gpu]:
    """The GPUs of a source by (process, device); process is -1 where all processes share them.

    Under device -1 there is one more, for what no GPU is known of.
    """
    found: dict[tuple[int, int], Gpu] = {}
    hosts = {own.pid for own in trace.processes if own.trace == file}
    listed = [device for device in trace.devices if device.trace == file]
    for at, device in enumerate(listed):
        own = device.process is not None
        process = NONE if device.process is None else device.process
        of = f" of process {trace.processes[process].pid}" if own else ""
        label = f"GPU {device.id}{of}" + (f", {device.name}" if device.name else "")
        found[process, device.id] = _gpu(at if own else device.id, device.name, label, hosts)
    number = 1 + max((gpu.number for gpu in found.values()), default=NONE)
    found[NONE, NONE] = _gpu(number, None, "GPU that is not known", hosts)
    return found


def _gpu(number: int, name: str | None, label: str, hosts: set[str | None]) -> Gpu:
    pid = number if str(number) not in hosts else _OWN_GPU + number
    return Gpu(number=number, name=name, pid=pid, label=label)


@dataclass(slots=True)
class Threads:
    """Gives out the numbers under which rows stand in the file; `named` collects their names."""

    named: list[tuple[int, int, str]] = field(default_factory=list)
    _taken: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    _known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def number(self, pid: int, wanted: int, row: int, whose: int, word: str) -> int:
        """`wanted` for the first row of the first who asks for it, else a number of its own."""
        key = (pid, wanted, row, whose)
        if key not in self._known:
            free = row == 0 and self._taken.setdefault((pid, wanted), key) == key
            number = wanted if free else _OWN_THREAD + len(self._known)
            self._known[key] = number
            self.named.append((pid, number, f"{word} {wanted}" + (f" ({row + 1})" if row else "")))
        return self._known[key]


def distinct(*columns: Int) -> tuple[list[tuple[int, ...]], Int]:
    """The different rows that columns of one length make, and for each row its number there."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, number = codes(column)
        key = codes(key * max(len(values), 1) + number)[1]
    example = np.zeros(int(key.max(initial=NONE)) + 1, dtype=np.int64)
    example[key] = np.arange(len(key))
    lists = [column[example].tolist() for column in columns]
    return list(zip(*lists, strict=True)), key
