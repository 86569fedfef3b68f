"""Simulated recordings with what the simulation lacks: source lines, and time that is in doubt."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
from make_history import Simulated, history
from msgspec.structs import replace

from kernelmap.dashboard.archive import Archive
from kernelmap.history.store import Store
from kernelmap.model import Notice
from kernelmap.tables.build import Tables
from pages.hand_tables import table

FILE, CODE = "/home/someone/model.py", "x = x @ self.weight"


def with_line(tables: Tables, number: int) -> Tables:
    """Every call of an extern kernel is of one line, which stands at `number`."""
    calls = tables.frame("calls").copy()
    extern = (calls["backend"] == "extern").fillna(value=False).to_numpy(dtype=bool)
    source = [[f"{FILE}:{number}"] if is_extern else None for is_extern in extern]
    calls["source"] = pd.Series(source, dtype=pd.ArrowDtype(pa.list_(pa.string())))
    extern_ns, rest = int(calls["time_ns"][extern].sum()), int(calls["time_ns"][~extern].sum())
    lines = table(
        "lines",
        [
            {
                "file": FILE,
                "line": number,
                "code": CODE,
                "time_ns": extern_ns - extern_ns // 3,
                "backward_ns": extern_ns // 3,
                "involved_ns": extern_ns,
                "calls": int(extern.sum()),
                "share": extern_ns / (extern_ns + rest),
            },
            {"file": "(no source line known)", "time_ns": rest, "share": rest / (extern_ns + rest)},
        ],
    )
    return replace(tables, frames={**tables.frames, "calls": calls, "lines": lines})


def with_doubt(tables: Tables, share: float) -> Tables:
    """`share` of the time is ambiguous, and a notice says why."""
    coverage = {**tables.summary.coverage, "ambiguous": share}
    coverage["exact"] -= share
    notice = Notice(slug="truncated-trace", message="the trace ends early", gap=True)
    summary = replace(tables.summary, coverage=coverage)
    return replace(tables, summary=summary, notices=(notice,))


def record_with_lines(store: Store, runs: int, doubts: dict[int, float]) -> Archive:
    """A store of simulated runs whose line moves; `doubts` gives the share in doubt by run."""
    for at, recording in enumerate(history(runs)):
        tables = with_line(recording.tables, 10 + at // 4)
        if at in doubts:
            tables = with_doubt(tables, doubts[at])
        store.record(Simulated(content=tables), branch=recording.branch, commit=recording.commit)
    archive = Archive(store, patience=None)
    archive.look()
    return archive
