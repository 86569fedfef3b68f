"""Rows that rocprofiler-sdk wrote of a process → Launches, ApiCalls and Ranges; any of its files.

Each reader gives three sets of rows: what ran on a GPU, host functions, and texts of ROCTX. A host
function of HIP is an api call. Calls of other libraries (HSA, RCCL) are no rows of ours, but stand
between: where HSA is traced, too, a copy bears the id of the HSA call, and that call names the one
around it. Such an id is replaced by that of the HIP call.
ROCTX knows no domains: ranges that were pushed are taken, as `torch.cuda.nvtx` pushes them on ROCm.
Left out: ranges that were started and stopped by a handle, which overlap as they like, and marks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import by_name, code_values
from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, Launches, Ranges, Small
from kernelmap.traces.columns import absent
from kernelmap.traces.range_texts import kind_of_range, split_range_text
from kernelmap.traces.rocm.names import NO_NAME, is_hip_call, is_pushed_range

_CALLS_DEEP = 8  # calls around a call: HIP, HSA, and RCCL's own; a circle of ids ends here


class GpuRows(Struct, frozen=True, kw_only=True):
    """What ran on GPUs for one process; columns int64 (n,).

    `grid` is in work items, `block` in work items, too; both (n, 3).
    """

    start: Int
    end: Int
    device: Int
    stream: Int
    correlation: Int
    name_id: Int
    activity: Small
    grid: Int
    block: Int
    names: tuple[str, ...]

    @classmethod
    def none(cls) -> Self:
        """No rows."""
        nothing, sizes = absent(0), np.zeros((0, 3), dtype=np.int64)
        return cls(
            **dict.fromkeys(("start", "end", "device", "stream", "correlation"), nothing),
            name_id=nothing,
            activity=np.zeros(0, dtype=np.int8),
            grid=sizes,
            block=sizes,
            names=(),
        )


class HostRows(Struct, frozen=True, kw_only=True):
    """Host functions of one process; columns int64 (n,).

    `around` is the correlation id of the call around each.

    `texts` are the messages of ROCTX by row, None without one.
    """

    start: Int
    end: Int
    thread: Int
    correlation: Int
    around: Int
    name_id: Int
    names: tuple[str, ...]
    texts: dict[int, str]

    @classmethod
    def none(cls) -> Self:
        """No rows."""
        nothing = absent(0)
        return cls(
            **dict.fromkeys(("start", "end", "thread", "correlation", "around"), nothing),
            name_id=nothing,
            names=(),
            texts={},
        )


def make_launches(gpu: GpuRows, host: HostRows, process: int) -> Launches:
    """The launches of a process, links not filled in."""
    count = len(gpu.start)
    nothing = absent(count)
    # Kineto counts groups of work items, and so do we; a last group may be a part of one.
    block = np.maximum(gpu.block, 1)
    groups = np.where((gpu.grid > 0) & (gpu.block > 0), (gpu.grid - 1) // block + 1, NONE)
    return Launches(
        name_id=gpu.name_id,
        activity=gpu.activity,
        start_ns=gpu.start,
        dur_ns=gpu.end - gpu.start,
        process=np.full(count, process, dtype=np.int64),
        device=gpu.device,
        stream=gpu.stream,
        correlation=_find_hip_calls(gpu, host),
        external=nothing,
        graph=nothing,
        graph_node=nothing,
        grid=groups,
        block=np.where(gpu.block > 0, gpu.block, NONE),
        event=nothing,
        api=nothing,
        range=nothing,
        origin=nothing,
        names=gpu.names,
    )


def make_api_calls(host: HostRows, process: int) -> ApiCalls:
    """The calls of HIP, links not filled in."""
    chosen = np.flatnonzero(_mask_named(host, is_hip_call))
    nothing = absent(len(chosen))
    # Only names that some call bears: others would say that more was called.
    named, name_id = code_values(host.name_id[chosen])
    return ApiCalls(
        name_id=name_id,
        start_ns=host.start[chosen],
        dur_ns=host.end[chosen] - host.start[chosen],
        process=np.full(len(chosen), process, dtype=np.int64),
        thread=host.thread[chosen],
        correlation=host.correlation[chosen],
        external=nothing,
        device_name_id=nothing,
        event=nothing,
        range=nothing,
        names=tuple(host.names[at] for at in named.tolist()),
    )


def make_ranges(host: HostRows, process: int) -> Ranges:
    """The ranges that were pushed, links not filled in."""
    chosen = np.flatnonzero(_mask_named(host, is_pushed_range))
    # Equal names share an id; the tail of a text that torch wrote is no part of the name.
    ids: dict[str, int] = {}
    name_ids, sequences = [], []
    for row in chosen.tolist():
        name, sequence = split_range_text(host.texts.get(row) or NO_NAME)
        name_ids.append(ids.setdefault(name, len(ids)))
        sequences.append(sequence)
    name_id = np.array(name_ids, dtype=np.int64)
    kinds = np.array([kind_of_range(name) for name in ids], dtype=np.int8)
    nothing = absent(len(chosen))
    return Ranges(
        name_id=name_id,
        kind=kinds[name_id],
        start_ns=host.start[chosen],
        dur_ns=host.end[chosen] - host.start[chosen],
        process=np.full(len(chosen), process, dtype=np.int64),
        thread=host.thread[chosen],
        external=nothing,
        sequence=np.array(sequences, dtype=np.int64),
        event=nothing,
        parent=nothing,
        detail_id=nothing,
        names=tuple(ids),
    )


def _mask_named(host: HostRows, is_wanted: Callable[[str], bool]) -> Bool:
    return by_name(host.name_id, [is_wanted(name) for name in host.names])


def _find_hip_calls(gpu: GpuRows, host: HostRows) -> Int:
    """The correlation id of the HIP call behind each row, else the row's own; (n,)."""
    is_hip = _mask_named(host, is_hip_call)
    if is_hip.all():
        return gpu.correlation
    # Ids as small common numbers: `asked` of GPU rows, `offered` of host rows, `around` of the
    # calls around these.
    _, number = code_values(np.concatenate([gpu.correlation, host.correlation, host.around]))
    asked, offered, around = np.split(number, [len(gpu.start), len(gpu.start) + len(host.start)])
    # By number the number of the call around, itself where that is HIP's or not known.
    above = np.arange(int(number.max(initial=-1)) + 1)
    passed = ~is_hip & (host.correlation >= 0) & (host.around >= 0)
    above[offered[passed]] = around[passed]
    above[offered[is_hip]] = offered[is_hip]
    for _ in range(_CALLS_DEEP):
        above = above[above]
    # From numbers back to ids; only an id that a HIP call has takes the place of the row's own.
    id_of = np.full(len(above), NONE, dtype=np.int64)
    id_of[offered[is_hip]] = host.correlation[is_hip]
    found = id_of[above[asked]] if len(above) else asked
    return np.where((gpu.correlation >= 0) & (found >= 0), found, gpu.correlation)
