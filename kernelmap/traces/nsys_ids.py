"""What the numbers of an nsys export mean: its processes, threads and GPUs.

A global id holds hardware, virtual machine, process and thread in 64 bits:
`hw << 56 | vm << 48 | pid << 24 | tid`, stored signed. The global id of a process is that of its
threads with the lowest 24 bits cleared. Correlation ids, domains and graph nodes are unique within
a process only.

A kernel's `deviceId` is the CUDA ordinal in its process: with CUDA_VISIBLE_DEVICES every rank's GPU
is device 0. Where two processes use one ordinal for what is not known to be one GPU, each counts
its own. The table of GPUs has an order of its own: `cuDevice` is the ordinal there, and newer
exports say which GPU an ordinal of a process is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kernelmap.model.trace import NONE, Int, Launches
from kernelmap.traces.columns import codes
from kernelmap.traces.nsys_tables import CUDA_DEVICE, GPU, Tables

_BITS = 24
_LOWEST = (1 << _BITS) - 1
OwnGpu = tuple[int, int, str | None]
"""(process, ordinal, name)"""


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
        ids = [codes(column)[0] for column in columns]
        self._ids = np.unique(np.concatenate(ids)) if ids else np.zeros(0, dtype=np.int64)

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


@dataclass(frozen=True, slots=True)
class Gpus:
    """`shared`: ordinals that mean the same in every process; `own`: all others."""

    shared: tuple[tuple[int, str | None], ...]
    own: tuple[OwnGpu, ...]


def gpus(launches: Launches, processes: Processes, tables: Tables) -> Gpus:
    """The GPUs that `launches` ran on."""
    ordinals = int(launches.device.max(initial=0)) + 1
    placed = launches.device >= 0
    pairs = codes(launches.process[placed] * ordinals + launches.device[placed])[0]
    used = [divmod(pair, ordinals) for pair in pairs.tolist()]
    names, by_ordinal = _names(tables)
    gpu_of = _gpu_by_ordinal(tables)
    pids = processes.numbers
    gpu = {pair: gpu_of.get((pids[pair[0]], pair[1])) for pair in used}
    own = {
        ordinal
        for _, ordinal in used
        if len(alike := {gpu[pair] for pair in used if pair[1] == ordinal}) > 1
        or (None in alike and sum(pair[1] == ordinal for pair in used) > 1)
    }
    named = {
        pair: names.get(number) if (number := gpu[pair]) is not None else by_ordinal.get(pair[1])
        for pair in used
    }
    if own:
        return Gpus((), tuple((process, id_, named[process, id_]) for process, id_ in used))
    return Gpus(tuple((id_, named[process, id_]) for process, id_ in used), ())


def _names(tables: Tables) -> tuple[dict[int, str], dict[int, str]]:
    """Names of GPUs by the table's id and by CUDA ordinal."""
    if "name" not in tables.columns(GPU):
        return {}, {}
    numbers = tables.integers(GPU, ["id", "cuDevice"])
    names = [(text or b"").decode("utf-8", "replace") for text in tables.texts(GPU, "name")]
    by_id, by_ordinal = (
        {
            number: name
            for number, name in zip(numbers[column].tolist(), names, strict=True)
            if number != NONE and name
        }
        for column in ("id", "cuDevice")
    )
    return by_id, by_ordinal


def _gpu_by_ordinal(tables: Tables) -> dict[tuple[int | None, int], int]:
    """GPU by pid and ordinal, where the export tells."""
    if not {"gpuId", "cudaId", "pid"} <= tables.columns(CUDA_DEVICE):
        return {}
    rows = tables.integers(CUDA_DEVICE, ["gpuId", "cudaId", "pid"])
    keys = zip(rows["pid"].tolist(), rows["cudaId"].tolist(), strict=True)
    return dict(zip(keys, rows["gpuId"].tolist(), strict=True))
