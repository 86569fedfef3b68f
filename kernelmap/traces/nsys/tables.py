"""The tables of an Nsight Systems export: their names, and what their numbers mean.

A row in which a value is of another type than its column's is noted where it is read
(sqlite_tables.py), and left out by `readable`: nothing of it is guessed.

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

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.columns import code_values, distinct_values
from kernelmap.model.trace import NONE, Int, Launches
from kernelmap.traces.sqlite_tables import SqliteTables

KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
MEMCPY = "CUPTI_ACTIVITY_KIND_MEMCPY"
MEMSET = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPH_TRACE = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
NVTX = "NVTX_EVENTS"
GRAPH_NODES = ("CUDA_GRAPH_NODE_EVENTS", "CUDA_GRAPH_EVENTS")
STRINGS = "StringIds"
GPU = "TARGET_INFO_GPU"
CUDA_DEVICE = "TARGET_INFO_CUDA_DEVICE"
SESSION = "TARGET_INFO_SESSION_START_TIME"
DETAILS = "ANALYSIS_DETAILS"
VERSIONS = ("META_DATA_EXPORT", "EXPORT_META_DATA")

TELLING = frozenset({KERNEL, MEMCPY, MEMSET, GRAPH_TRACE, RUNTIME, NVTX, SESSION, *VERSIONS})
"""Tables that only an export has; an export has at least one of them."""


class Strings:
    """The names that ids in other tables stand for."""

    def __init__(self, tables: SqliteTables) -> None:
        self._tables = tables

    @cached_property
    def _values(self) -> dict[int, str]:
        if not self._tables.columns(STRINGS):
            return {}
        require(self._tables, STRINGS, ("id", "value"))
        ids = self._tables.integers(STRINGS, ["id"])["id"].tolist()
        texts = self._tables.texts(STRINGS, "value")
        # Once per different text: many ids may have the same one.
        decoded = {text: text.decode("utf-8", "replace") for text in set(texts) if text is not None}
        return {
            number: decoded[text]
            for number, text in zip(ids, texts, strict=True)
            if text is not None and number != NONE
        }

    def __getitem__(self, number: int) -> str | None:
        """The text of an id, None for an id without one."""
        return self._values.get(number)

    def interned(
        self, numbers: Int, name: Callable[[str | None], str]
    ) -> tuple[Int, tuple[str, ...]]:
        """Name ids (rows,) of ids (rows,), and the names that `name` makes of their texts.

        An export may list one text under many ids; a name is there once.
        """
        distinct, row = code_values(numbers)
        ids: dict[str, int] = {}
        by_number = [ids.setdefault(name(self[number]), len(ids)) for number in distinct.tolist()]
        return np.array(by_number, dtype=np.int64)[row], tuple(ids)

    @property
    def known(self) -> bool:
        """Whether the export has any names."""
        return bool(self._values)


def require(tables: SqliteTables, table: str, columns: Sequence[str]) -> None:
    """KernelmapError where `table`, which the export has, lacks one of `columns`."""
    missing = [column for column in columns if column not in tables.columns(table)]
    if missing:
        version = schema_version(tables)
        raise KernelmapError(
            "nsys-schema",
            f"{tables.source}: table {table} has no column {', '.join(missing)}"
            f" (schema {version or 'without a version'})",
            "This export is laid out in a way that is not known yet; export the report with the"
            " nsys of another release.",
        )


def schema_version(tables: SqliteTables) -> str | None:
    """What the export says of its schema: for messages only, nothing depends on it."""
    for table in VERSIONS:
        if {"name", "value"} <= tables.columns(table):
            names, values = tables.texts(table, "name"), tables.texts(table, "value")
            version = dict(zip(names, values, strict=True)).get(b"EXPORT_SCHEMA_VERSION")
            if version is not None:
                return version.decode("utf-8", "replace")
    return None


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
        ids = [code_values(column)[0] for column in columns]
        self._ids = distinct_values(np.concatenate(ids)) if ids else np.zeros(0, dtype=np.int64)

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


class Gpus(Struct, frozen=True):
    """`shared`: ordinals that mean the same in every process; `per_process`: all others."""

    shared: tuple[tuple[int, str | None], ...]
    per_process: tuple[OwnGpu, ...]


def gpus(launches: Launches, processes: Processes, tables: SqliteTables) -> Gpus:
    """The GPUs that `launches` ran on."""
    # `used` are the pairs (process, ordinal) on which anything ran.
    ordinals = int(launches.device.max(initial=0)) + 1
    placed = launches.device >= 0
    pairs = code_values(launches.process[placed] * ordinals + launches.device[placed])[0]
    used = [divmod(pair, ordinals) for pair in pairs.tolist()]
    names, by_ordinal = _names(tables)
    gpu_of, slices = _gpu_by_ordinal(tables), _slices(tables)
    pids = processes.numbers
    # The id of the GPU behind each pair, None where the export does not tell.
    gpu = {pair: gpu_of.get((pids[pair[0]], pair[1])) for pair in used}
    # An ordinal is ambiguous where processes use it for different GPUs, or where several use it
    # and it is not known for which.
    ambiguous = {
        ordinal
        for _, ordinal in used
        if len(alike := {gpu[pair] for pair in used if pair[1] == ordinal}) > 1
        or (None in alike and sum(pair[1] == ordinal for pair in used) > 1)
    }
    named = {
        pair: names.get(number) if (number := gpu[pair]) is not None else by_ordinal.get(pair[1])
        for pair in used
    }
    for pair in used:
        # A slice of a GPU is not the whole one, so its name says so.
        name, of_gpu = named[pair], slices.get((pids[pair[0]], pair[1]))
        if name is not None and of_gpu is not None:
            named[pair] = f"{name} ({of_gpu})"
    # One ambiguous ordinal is enough: then each process counts GPUs by itself.
    if ambiguous:
        return Gpus((), tuple((process, id_, named[process, id_]) for process, id_ in used))
    return Gpus(tuple((id_, named[process, id_]) for process, id_ in used), ())


def _names(tables: SqliteTables) -> tuple[dict[int, str], dict[int, str]]:
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


def _gpu_by_ordinal(tables: SqliteTables) -> dict[tuple[int | None, int], int]:
    """GPU by pid and ordinal, where the export tells."""
    if not {"gpuId", "cudaId", "pid"} <= tables.columns(CUDA_DEVICE):
        return {}
    rows = tables.integers(CUDA_DEVICE, ["gpuId", "cudaId", "pid"])
    keys = zip(rows["pid"].tolist(), rows["cudaId"].tolist(), strict=True)
    return dict(zip(keys, rows["gpuId"].tolist(), strict=True))


def _slices(tables: SqliteTables) -> dict[tuple[int | None, int], str]:
    """`42 of 108 multiprocessors` by pid and ordinal, where a process has a slice of a GPU (MIG).

    The table of GPUs names the whole one, and a slice has other limits.
    """
    if not _gpu_by_ordinal(tables):
        return {}
    whole = tables.integers(GPU, ["id", "smCount"])
    of_gpu = dict(zip(whole["id"].tolist(), whole["smCount"].tolist(), strict=True))
    rows = tables.integers(CUDA_DEVICE, ["gpuId", "cudaId", "pid", "numMultiprocessors"])
    return {
        (pid, ordinal): f"{part} of {of_gpu[gpu]} multiprocessors"
        for gpu, ordinal, pid, part in zip(
            *(column.tolist() for column in rows.values()), strict=True
        )
        if 0 < part < of_gpu.get(gpu, NONE)
    }


def bandwidths(tables: SqliteTables) -> dict[str, int]:
    """Bytes per second of each GPU's memory by its name, as far as the export states them."""
    if not {"name", "memoryBandwidth"} <= tables.columns(GPU):
        return {}
    stated = tables.integers(GPU, ["memoryBandwidth"])["memoryBandwidth"].tolist()
    names = [(text or b"").decode("utf-8", "replace") for text in tables.texts(GPU, "name")]
    return {name: number for name, number in zip(names, stated, strict=True) if name and number > 0}
