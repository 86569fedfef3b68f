"""The table of calls: where a statement stands, what it works for, what it cost.

Takes (CompiledProgram, Attribution, fingerprints, how the calls ran), gives the frame. Percentiles
are over the invocations that launched the call, in whole nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from kernelmap.attribution.records import Attribution, CallTime
from kernelmap.fingerprints import CallPrint, Fingerprints
from kernelmap.model import CompiledProgram
from kernelmap.model.trace import Int
from kernelmap.views.frames import Cell, frame_of_rows
from kernelmap.views.ran import Ran
from kernelmap.views.schema import CALLS


def calls(
    program: CompiledProgram,
    attribution: Attribution,
    prints: Fingerprints,
    how: Mapping[int, Ran],
) -> pd.DataFrame:
    """All calls with their time, and a row for each kind of time that belongs to no call."""
    rows = []
    for each in sorted(attribution.calls, key=_order):
        row = _row(program, attribution, each)
        if each.call is not None:
            row |= _identity(prints.calls[each.call]) | _ran(how.get(each.call, Ran()))
        rows.append(row)
    return frame_of_rows(CALLS, rows)


def _order(row: CallTime) -> tuple[int, bool, int, str]:
    return -row.time_ns, row.call is None, row.call or 0, row.rest or ""


def _row(program: CompiledProgram, attribution: Attribution, row: CallTime) -> dict[str, Cell]:
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
        "source": list(dict.fromkeys(f"{each.file}:{each.line}" for each in lines)) or None,
    }


def _identity(found: CallPrint | None) -> dict[str, Cell]:
    if found is None:
        return {"fingerprint": None, "parts": None, "body": None}
    parts = list(found.parts) if found.parts else None
    return {"fingerprint": found.fingerprint, "parts": parts, "body": found.body}


def _ran(found: Ran) -> dict[str, Cell]:
    return {"device_names": list(found.device_names) or None, "config": found.config}


def _spread(per_invocation_ns: Int) -> dict[str, Cell]:
    if not len(per_invocation_ns):
        return {"mean_ns": None, "p50_ns": None, "p95_ns": None}
    if len(per_invocation_ns) == 1:  # numpy takes its time even for one number
        only = int(per_invocation_ns[0])
        return {"mean_ns": only, "p50_ns": only, "p95_ns": only}
    p50, p95 = np.percentile(per_invocation_ns, (50, 95))
    return {
        "mean_ns": round(float(per_invocation_ns.mean())),
        "p50_ns": round(float(p50)),
        "p95_ns": round(float(p95)),
    }
