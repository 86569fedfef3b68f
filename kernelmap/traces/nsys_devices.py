"""The GPUs of an export.

A kernel's `deviceId` is the CUDA ordinal in its process: with CUDA_VISIBLE_DEVICES every rank's GPU
is device 0. Where two processes use one ordinal for what is not known to be one GPU, each counts
its own. The table of GPUs has an order of its own: `cuDevice` is the ordinal there, and newer
exports say which GPU an ordinal of a process is.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernelmap.model.trace import NONE, Launches
from kernelmap.traces.nsys_ids import Processes
from kernelmap.traces.nsys_tables import CUDA_DEVICE, GPU, Tables, codes

OwnGpu = tuple[int, int, str | None]
"""(process, ordinal, name)"""


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
    known = _known(tables)
    pids = processes.numbers
    gpu = {pair: known.get((pids[pair[0]], pair[1])) for pair in used}
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
    names = [(each or b"").decode("utf-8", "replace") for each in tables.texts(GPU, "name")]
    by_id, by_ordinal = (
        {
            number: name
            for number, name in zip(numbers[column].tolist(), names, strict=True)
            if number != NONE and name
        }
        for column in ("id", "cuDevice")
    )
    return by_id, by_ordinal


def _known(tables: Tables) -> dict[tuple[int | None, int], int]:
    """GPU by pid and ordinal, where the export tells."""
    if not {"gpuId", "cudaId", "pid"} <= tables.columns(CUDA_DEVICE):
        return {}
    rows = tables.integers(CUDA_DEVICE, ["gpuId", "cudaId", "pid"])
    keys = zip(rows["pid"].tolist(), rows["cudaId"].tolist(), strict=True)
    return dict(zip(keys, rows["gpuId"].tolist(), strict=True))
