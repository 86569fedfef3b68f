"""What Nsight Compute counted, beside the time of calls and kernels: the cells of schema.COUNTERS.

A row of which no launch was counted is null, and so is a metric that the report does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kernelmap.attribution.kernel_counters import CountedLaunches, counters_by_owner
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.model.columns import distinct_values
from kernelmap.model.kernel_counters import CountedCall
from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.tables.rows import Cell, Row, escape_unsound
from kernelmap.tables.schema import CALLS, COUNTERS, KERNELS

NO_COUNTERS: Row = dict.fromkeys(column.name for column in COUNTERS)
"""The cells of a row of which nothing was counted."""


def add_counters(
    made: Mapping[str, Sequence[Row]],
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    counted: CountedLaunches,
    in_window: Bool,
) -> None:
    """Fill the cells in the rows of calls and kernels; `made` has them by the tables' names."""
    of_calls = counters_by_owner(counted, matching.call, trace.launches, in_window)
    ids = {
        escape_unsound(graph.call_id(call)): position
        for position, (graph, call) in enumerate(program.calls)
    }
    for row in made[CALLS.name]:
        row.update(cells_of_counters(of_calls.get(ids.get(str(row["call"]), NONE))))
    kernels, keys = _kernels_of_launches(program, trace, matching)
    of_kernels = counters_by_owner(counted, kernels, trace.launches, in_window)
    found = {keys[number]: one for number, one in of_kernels.items()}
    for row in made[KERNELS.name]:
        key = (row["wrapper"], row["graph"], row["device_name"])
        row.update(cells_of_counters(found.get(key)))


def cells_of_counters(counted: CountedCall | None) -> Row:
    """The cells of a row, null where nothing was counted."""
    if counted is None:
        return NO_COUNTERS
    counters = counted.counters
    return {
        "ncu_launches": counted.launches,
        "ncu_confidence": counted.confidence.name.lower(),
        "ncu_dram_percent": counters.dram_percent,
        "ncu_l2_percent": counters.l2_percent,
        "ncu_l2_hit_percent": counters.l2_hit_percent,
        "ncu_sm_percent": counters.sm_percent,
        "ncu_tensor_percent": counters.tensor_percent,
        "ncu_occupancy_percent": counters.occupancy_percent,
        "ncu_registers": None if counters.registers is None else round(counters.registers),
        "ncu_local_bytes": counted.local_bytes,
        "ncu_stalls": [f"{cause} {100 * share:.0f} %" for cause, share in counters.main_stalls]
        or None,
    }


def _kernels_of_launches(
    program: CompiledProgram, trace: Trace, matching: Matching
) -> tuple[Int, dict[int, tuple[Cell, ...]]]:
    """By launch a number for the wrapper, graph and device name of its row, and what they are."""
    launches, names = trace.launches, len(trace.launches.names) or 1
    codes: dict[tuple[str, str], int] = {}
    # Calls of one wrapper of a graph are one kernel: a number for each, (calls,).
    code_of_call = np.array(
        [codes.setdefault((call.wrapper, graph.id), len(codes)) for graph, call in program.calls]
        or [NONE],
        dtype=np.int64,
    )
    code = np.where(matching.call >= 0, code_of_call[matching.call], NONE)
    number: Int = (code + 1) * names + launches.name_id
    owners = [(None, None), *codes]
    keys = {
        key: tuple(
            escape_unsound(part) if isinstance(part, str) else part
            for part in (*owners[key // names], launches.names[key % names])
        )
        for key in distinct_values(number).tolist()
    }
    return number, keys
