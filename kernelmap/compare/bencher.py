"""A recording in Bencher Metric Format: latencies in ns per unit, for services that track them.

`{"total": {"latency": {"value": …}}, "op aten.mm": …, "call extern_kernels.mm 0f3a…": …}`. A call
is named by what it computes, so its series goes on when the compiler numbers it otherwise.
"""

from __future__ import annotations

import json

import numpy as np

from kernelmap.compare.comparable import per_unit
from kernelmap.compare.comparison import Comparison
from kernelmap.compare.side import Side
from kernelmap.compare.statistics import by_steps
from kernelmap.views.frames import rows
from kernelmap.views.schema import TABLES

_Metric = dict[str, float]


def dumps(comparison: Comparison) -> str:
    """The newer side of a comparison, ending in a newline."""
    return of_side(comparison.sides[1], comparison.unit.after)


def of_side(side: Side, units: int) -> str:
    """One recording; `units` is how many steps or runs it holds."""
    metrics: dict[str, dict[str, _Metric]] = {}
    steps = by_steps(side)
    whole: _Metric = {"value": per_unit(side.total_ns, units)}
    if len(steps):
        whole |= {"lower_value": float(np.min(steps)), "upper_value": float(np.max(steps))}
    metrics["total"] = {"latency": whole}
    for row in rows(TABLES["ops"], side.tables.frame("ops")):
        time_ns = row["time_ns"]
        if isinstance(time_ns, int) and time_ns:
            metrics[f"op {row['name']}"] = _latency(time_ns, units)
    for graph in side.graphs:
        for call in graph.calls:
            if call.time_ns:
                name = f"call {graph.id} {call.piece.name} {call.piece.fingerprint or call.id}"
                metrics[name] = _latency(call.time_ns, units)
    return json.dumps(metrics, indent=2, ensure_ascii=False) + "\n"


def _latency(time_ns: int, units: int) -> dict[str, _Metric]:
    return {"latency": {"value": per_unit(time_ns, units)}}
