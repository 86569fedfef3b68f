"""The table of calls: where a statement stands, what it works for, what it cost.

Takes (CompiledProgram, Attribution), gives the frame. Percentiles are over the invocations that
launched the call, in whole nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from kernelmap.attribution.records import Attribution, CallTime
from kernelmap.model import CompiledGraph, CompiledProgram, SourceLine, Stage, WrapperCall
from kernelmap.model.trace import Int
from kernelmap.views.frames import Cell, frame_of_rows
from kernelmap.views.schema import CALLS


def calls(program: CompiledProgram, attribution: Attribution) -> pd.DataFrame:
    """All calls with their time, and a row for each kind of time that belongs to no call."""
    ordered = sorted(attribution.calls, key=_order)
    lines = {graph.id: _innermost_lines(graph) for graph in program.graphs}
    rows = [_row(program, attribution, row, lines) for row in ordered]
    return frame_of_rows(CALLS, rows)


def _order(row: CallTime) -> tuple[int, bool, int, str]:
    return -row.time_ns, row.call is None, row.call or 0, row.rest or ""


def _row(
    program: CompiledProgram,
    attribution: Attribution,
    row: CallTime,
    lines: Mapping[str, Mapping[str, SourceLine]],
) -> dict[str, Cell]:
    cost: dict[str, Cell] = {
        "launches": row.launches,
        "time_ns": row.time_ns,
        "busy_ns": row.busy_ns,
        "share": row.time_ns / attribution.total_ns if attribution.total_ns else None,
        **_spread(row.per_invocation_ns),
    }
    if row.call is None:
        return dict.fromkeys(CALLS.by_name) | {"wrapper": row.rest or "(no call)"} | cost
    graph, call = program.calls[row.call]
    nodes = attribution.call_nodes[row.call]
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
        "nodes": list(nodes),
        "ops": list(attribution.call_ops[row.call]),
        "source": _source(graph, call, nodes, lines[graph.id]),
    }


def _spread(per_invocation_ns: Int) -> dict[str, Cell]:
    if not len(per_invocation_ns):
        return {"mean_ns": None, "p50_ns": None, "p95_ns": None}
    p50, p95 = np.percentile(per_invocation_ns, (50, 95))
    return {
        "mean_ns": round(float(per_invocation_ns.mean())),
        "p50_ns": round(float(p50)),
        "p95_ns": round(float(p95)),
    }


def _innermost_lines(graph: CompiledGraph) -> Mapping[str, SourceLine]:
    """The line of each node's innermost frame; a post-grad node wins over a pre-grad namesake."""
    ordered = sorted(graph.nodes, key=lambda node: node.stage is Stage.POST_GRAD)
    return {node.name: node.lines[-1] for node in ordered if node.lines}


def _source(
    graph: CompiledGraph,
    call: WrapperCall,
    nodes: Iterable[str],
    lines: Mapping[str, SourceLine],
) -> list[str] | None:
    """The lines of the call's nodes, else those of its comment's nodes, else its kernel's own."""
    kernel = graph.kernel_of(call)
    origins = call.origins or (kernel.origins if kernel else None)
    found = [lines[node] for node in nodes if node in lines]
    found = found or [lines[node] for node in (origins.nodes if origins else ()) if node in lines]
    if not found and kernel and kernel.source:
        found = [kernel.source]
    return list(dict.fromkeys(f"{each.file}:{each.line}" for each in found)) or None
