"""The view Timeline: every launch of the window, by stream, as compressed columns.

Up to a million launches go into the page as they are, beyond that in part (thinned.py). What is
said of a launch (call, name, confidence, …) is written once for all that are alike. Times count
from the first event of the earliest trace, as `start_ns` of the table does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import numpy as np

from kernelmap.model import Confidence, Method, Reason, Trace
from kernelmap.model.trace import Int
from kernelmap.outputs.report.content import Content, Records
from kernelmap.outputs.report.packed import Texts, numbers
from kernelmap.outputs.report.thinned import MOST, Bars, thinned
from kernelmap.views.tables import Tables


def data(content: Content, texts: Texts) -> object:  # noqa: ARG001 -- the views' signature
    """Lanes with their bars, and what the bars stand for; None without records."""
    records = content.records
    if records is None:
        return None
    rows = np.flatnonzero(records.attribution.counted)
    lane, titles = _lanes(records.trace, rows)
    key, keys = _keys(records, rows, content.tables)
    launches = records.trace.launches
    everything = Bars(
        lane=lane,
        start_ns=launches.start_ns[rows] - records.trace.origin_ns,
        dur_ns=launches.dur_ns[rows],
        busy_ns=launches.dur_ns[rows],
        count=np.ones(len(rows), dtype=np.int64),
        key=key,
        launch=rows,
        invocation=records.matching.invocation[rows],
    )
    bars = thinned(everything, MOST)
    sides = np.searchsorted(bars.lane, np.arange(len(titles) + 1))
    return {
        "lanes": [
            {"title": title} | _columns(bars.take(slice(start, stop)))
            for title, start, stop in zip(titles, sides[:-1], sides[1:], strict=True)
        ],
        "keys": keys,
        "steps": _steps(records, rows),
        "launches": len(rows),
        "bars": len(bars.lane),
    }


def _columns(bars: Bars) -> dict[str, object]:
    """One lane; starts and launches as steps from one to the next, which are small numbers."""
    several = bool((bars.count > 1).any())
    return {
        "start": numbers(np.diff(bars.start_ns, prepend=0)),
        "dur": numbers(bars.dur_ns),
        "key": numbers(bars.key),
        "launch": numbers(_zigzag(np.diff(bars.launch, prepend=0))),
        "invocation": numbers(_zigzag(np.diff(bars.invocation, prepend=0))),
        "count": numbers(bars.count) if several else None,
        "busy": numbers(bars.busy_ns) if several else None,
    }


def _zigzag(column: Int) -> Int:
    """Numbers of either sign as numbers >= 0: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return np.where(column < 0, -2 * column - 1, 2 * column)


def _lanes(trace: Trace, rows: Int) -> tuple[Int, list[str]]:
    """The lane of each row, and the lanes' titles; on the CPU a lane is a thread."""
    launches = trace.launches.take(rows)
    stream = launches.stream.copy()
    hosted = launches.range >= 0
    on_cpu = hosted & (launches.device < 0)
    stream[on_cpu] = trace.ranges.thread[launches.range[on_cpu]]
    _, number = np.unique(stream, return_inverse=True)
    first, lane = _alike([launches.process, launches.device + 1, number])
    process = launches.process[first].tolist()
    places = zip(launches.device[first].tolist(), stream[first].tolist(), strict=True)
    titles = [_title(*place) for place in places]
    if len(set(process)) > 1:
        owners = [trace.processes[each] for each in process]
        named = [f"pid {o.pid}" if o.rank is None else f"rank {o.rank}" for o in owners]
        titles = [f"{name} · {title}" for name, title in zip(named, titles, strict=True)]
    return lane, titles


def _title(device: int, stream: int) -> str:
    return f"GPU {device} · stream {stream}" if device >= 0 else f"thread {stream}"


def _alike(columns: Sequence[Int]) -> tuple[Int, Int]:
    """First row and number of each combination of values >= 0, in the columns' order."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        code = code * (int(column.max(initial=0)) + 1) + column
    _, first, number = np.unique(code, return_index=True, return_inverse=True)
    return first, number


def _keys(records: Records, rows: Int, tables: Tables) -> tuple[Int, Mapping[str, object]]:
    """What each row stands for, as a number, and per number what is known of such launches.

    `call` is 0 for none, else the row in the shared table of calls + 1; `names` are device names.
    """
    matching, launches = records.matching, records.trace.launches
    outside = records.attribution.outside_op
    columns = [
        matching.call[rows] + 1,
        launches.name_id[rows],
        matching.confidence[rows].astype(np.int64),
        matching.method[rows].astype(np.int64),
        matching.reason[rows].astype(np.int64),
        outside.code[rows] + 1,
    ]
    first, key = _alike(columns)
    row_of = {name: row for row, name in enumerate(tables.frame("calls")["call"].tolist())}
    places = [0, *(row_of[graph.call_id(call)] + 1 for graph, call in records.program.calls)]
    call, name, confidence, method, reason, op = (column[first].tolist() for column in columns)
    names = sorted(set(name))
    number = {name_id: at for at, name_id in enumerate(names)}
    return key, {
        "call": [places[each] for each in call],
        "name": [number[each] for each in name],
        "names": [launches.names[name_id] for name_id in names],
        "confidence": _words(Confidence, confidence),
        "method": _words(Method, method),
        "reason": _words(Reason, reason),
        "op": [outside.names[each - 1] if each else None for each in op],
    }


def _words(words: type[IntEnum], values: Sequence[int]) -> list[str]:
    return [words(value).name.lower().replace("_", " ") for value in values]


def _steps(records: Records, rows: Int) -> list[tuple[int, int, int]]:
    """Number, first start and last end of the launches of each step, over all lanes."""
    step, launches = records.attribution.step[rows], records.trace.launches
    start = launches.start_ns[rows] - records.trace.origin_ns
    known = np.flatnonzero(step >= 0)
    order = known[np.argsort(step[known], kind="stable")]
    found, begins = np.unique(step[order], return_index=True)
    if not len(found):
        return []
    first = np.minimum.reduceat(start[order], begins)
    last = np.maximum.reduceat((start + launches.dur_ns[rows])[order], begins)
    return list(zip(found.tolist(), first.tolist(), last.tolist(), strict=True))
