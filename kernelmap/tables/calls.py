"""The table of calls: where a statement stands, what it works for, how it ran, what it cost.

Percentiles are over the invocations that launched the call, in whole nanoseconds. How a call ran is
what the trace says: its device names, and the configuration that the profiler exports where shapes
are recorded (block sizes, num_warps, num_stages). An autotuner's benchmarks belong to no call, so
they have no say.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from kernelmap.attribution.records import Attribution, CallTime
from kernelmap.model import CompiledProgram, Matching, RangeDetail, Trace
from kernelmap.model.columns import pair_columns
from kernelmap.model.trace import Int
from kernelmap.tables.counters import NO_COUNTERS
from kernelmap.tables.fingerprints import CallPrint, Fingerprints
from kernelmap.tables.gauges import cells_of_gauges
from kernelmap.tables.rows import Cell, Row, rows_of
from kernelmap.tables.schema import CALLS
from kernelmap.tables.speeds import NO_SPEED


class CallRan(Struct, frozen=True, kw_only=True):
    """`device_names` from most to least time; `config` of most of its launches, None if unknown."""

    device_names: tuple[str, ...] = ()
    config: str | None = None


def how_calls_ran(trace: Trace, matching: Matching, attribution: Attribution) -> dict[int, CallRan]:
    """How the calls that were launched ran, by their position in the program."""
    # Launches of the window that belong to a call. Names are weighed by time.
    rows = np.flatnonzero(attribution.counted & (matching.call >= 0))
    call, launches = matching.call[rows], trace.launches
    names = _heaviest_keys(call, launches.name_id[rows], launches.dur_ns[rows])
    # The configuration stands at the range that a launch was matched by, so launches without a
    # range, or with one that states nothing, have no say. Here every launch counts alike.
    ranges = matching.call_range[rows]
    with_range = np.flatnonzero(ranges >= 0)
    details = trace.ranges.detail_id[ranges[with_range]]
    detailed = with_range[details >= 0]
    configs = _heaviest_keys(
        call[detailed], details[details >= 0], np.ones(len(detailed), np.int64)
    )
    return {
        position: CallRan(
            device_names=tuple(launches.names[name] for name in name_ids if launches.names[name]),
            config=_config_of_call(
                [trace.ranges.details[detail] for detail in configs.get(position, ())]
            ),
        )
        for position, name_ids in names.items()
    }


def _heaviest_keys(call: Int, key: Int, weight: Int) -> dict[int, list[int]]:
    """The keys of each call, heaviest first; of equal weight the one that was seen first."""
    if not len(call):
        return {}
    # A number for each combination of call and key, (n,), and the sum of its weights,
    # (combinations,).
    which = pair_columns(call, key)
    weights = np.zeros(int(which.max()) + 1, np.int64)
    np.add.at(weights, which, weight)
    # The row in which each combination is seen first. Combinations are then ordered by call, weight
    # and that row.
    first = np.zeros(len(weights), np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]  # of equal places the last one counts
    keys_of: dict[int, list[int]] = {}
    for at in first[np.lexsort((first, -weights, call[first]))].tolist():
        keys_of.setdefault(int(call[at]), []).append(int(key[at]))
    return keys_of


def _config_of_call(details: list[RangeDetail]) -> str | None:
    """`XBLOCK=256 num_warps=4 num_stages=1`, of the first that states any."""
    for detail in details:
        parts = [part.strip() for part in (detail.kernel_kwargs or "").split(",")]
        for name, value in (("num_warps", detail.num_warps), ("num_stages", detail.num_stages)):
            parts.append(f"{name}={value}" if value is not None else "")
        if any(parts):
            return " ".join(part for part in parts if part)
    return None


def rows_of_calls(
    program: CompiledProgram,
    attribution: Attribution,
    prints: Fingerprints,
    how: Mapping[int, CallRan],
) -> list[Row]:
    """All calls with their time, and a row for each kind of time that belongs to no call."""
    rows = []
    for call in sorted(attribution.calls, key=_order_of_row):
        row = _make_row(program, attribution, call)
        row |= NO_SPEED | NO_COUNTERS
        if call.call is not None:
            row |= _cells_of_identity(prints.calls[call.call]) | _cells_of_running(
                how.get(call.call, CallRan())
            )
        rows.append(row)
    return rows_of(CALLS, rows)


def _order_of_row(row: CallTime) -> tuple[int, bool, int, str]:
    # Of equal times calls stand before rows that belong to no call, in program order.
    return -row.time_ns, row.call is None, row.call or 0, row.rest or ""


def _make_row(program: CompiledProgram, attribution: Attribution, row: CallTime) -> dict[str, Cell]:
    cost: dict[str, Cell] = {
        "launches": row.launches,
        "time_ns": row.time_ns,
        "busy_ns": row.busy_ns,
        "share": row.time_ns / attribution.total_ns if attribution.total_ns else None,
        **_cells_of_spread(row.per_invocation_ns),
        "slow_launches": row.slow.launches if row.slow else None,
        "slow_ns": row.slow.time_ns if row.slow else None,
        **cells_of_gauges(row.gauges),
    }
    if row.call is None:
        return dict.fromkeys(CALLS.by_name) | {"wrapper": row.rest or "(no call)"} | cost
    graph, call = program.calls[row.call]
    # A call that works for several places of one line names the line once.
    lines = attribution.call_lines[row.call]
    return cost | {
        "call": graph.call_id(call),
        "graph": graph.id,
        "index": call.index,
        "code": graph.code,
        "line": call.line,
        "wrapper": call.wrapper,
        "handle": call.handle,
        "backend": call.backend.value,
        "category": call.category,
        "nodes": list(attribution.call_nodes[row.call]),
        "ops": list(attribution.call_ops[row.call]),
        "source": list(dict.fromkeys(f"{line.file}:{line.line}" for line in lines)) or None,
        "semantic_key": call.library.semantic_key if call.library is not None else None,
    }


def _cells_of_identity(prints: CallPrint | None) -> dict[str, Cell]:
    if prints is None:
        return {"fingerprint": None, "parts": None, "body": None}
    parts = list(prints.parts) if prints.parts else None
    return {"fingerprint": prints.fingerprint, "parts": parts, "body": prints.body}


def _cells_of_running(how: CallRan) -> dict[str, Cell]:
    return {"device_names": list(how.device_names) or None, "config": how.config}


def _cells_of_spread(per_invocation_ns: Int) -> dict[str, Cell]:
    if not len(per_invocation_ns):
        return {"mean_ns": None, "p50_ns": None, "p95_ns": None}
    if len(per_invocation_ns) == 1:  # numpy takes its time even for one number
        only = int(per_invocation_ns[0])
        return {"mean_ns": only, "p50_ns": only, "p95_ns": only}
    ordered = np.sort(per_invocation_ns)
    return {
        "mean_ns": round(float(per_invocation_ns.mean())),
        "p50_ns": round(percentile_of(ordered, 0.5)),
        "p95_ns": round(percentile_of(ordered, 0.95)),
    }


def percentile_of(ordered: Int, part: float) -> float:
    """What np.percentile gives for a part of 1 of ascending times.

    It takes 2 µs where numpy takes 60, for each of a program's calls.
    """
    at = (len(ordered) - 1) * part
    low, high = int(ordered[int(at)]), int(ordered[min(int(at) + 1, len(ordered) - 1)])
    beyond = at - int(at)
    if beyond < 0.5:  # noqa: PLR2004 -- numpy counts from the nearer one, too
        return low + (high - low) * beyond
    return high - (high - low) * (1 - beyond)
