"""The view Timeline: every launch of the window, by stream, as compressed columns.

Up to a million launches go into the page as they are, beyond that in part (thinned.py). What is
said of a launch (call, name, confidence, …) is written once for all that are alike. Times count
from the first event of the earliest trace, as `start_ns` of the table does.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from kernelmap.model import Confidence, Method, Reason, Trace
from kernelmap.model.trace import Int, Small
from kernelmap.outputs.report.content import Content, Records
from kernelmap.outputs.report.packed import Texts, numbers, signed
from kernelmap.outputs.report.shared import rows_of_calls
from kernelmap.outputs.report.thinned import MOST, Bars, thinned
from kernelmap.views.tables import Tables


def data(content: Content, texts: Texts) -> object:  # noqa: ARG001 -- the views' signature
    """Lanes with their bars, and what the bars stand for; None without records."""
    records = content.records
    if records is None:
        return None
    rows = np.flatnonzero(records.attribution.counted)
    lane, titles = _lanes(records.trace, rows)
    first, key = _keys(records, rows)
    launches = records.trace.launches
    usual = launches.dur_ns[rows][first]
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
            {"title": title} | _columns(bars.take(slice(start, stop)), usual)
            for title, start, stop in zip(titles, sides[:-1], sides[1:], strict=True)
        ],
        "keys": _known(records, rows[first], content.tables) | {"usual": usual.tolist()},
        "steps": _steps(records, rows),
        "launches": len(rows),
        "bars": len(bars.lane),
    }


def _columns(bars: Bars, usual: Int) -> dict[str, object]:
    """One lane in small numbers: gaps for starts, durations less those usual for their key."""
    several = bool((bars.count > 1).any())
    end = bars.start_ns + bars.dur_ns
    return {
        "gap": signed(bars.start_ns - np.concatenate(([0], end[:-1]))),
        "dur": signed(bars.dur_ns - usual[bars.key]),
        "key": numbers(bars.key),
        "launch": signed(np.diff(bars.launch, prepend=0)),
        "invocation": signed(np.diff(bars.invocation, prepend=0)),
        "count": numbers(bars.count) if several else None,
        "busy": numbers(bars.busy_ns) if several else None,
    }


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


def _keys(records: Records, rows: Int) -> tuple[Int, Int]:
    """Of launches of which the same is known: the first row of each kind, and each row's kind."""
    matching, outside = records.matching, records.attribution.outside_op
    return _alike(
        [
            matching.call[rows] + 1,
            records.trace.launches.name_id[rows],
            matching.confidence[rows].astype(np.int64),
            matching.method[rows].astype(np.int64),
            matching.reason[rows].astype(np.int64),
            outside.code[rows] + 1,
        ]
    )


def _known(records: Records, rows: Int, tables: Tables) -> dict[str, object]:
    """What is known of each of the launches `rows`, as columns.

    `call` is a row of the shared table of calls + 1, 0 for none; `names` are device names.
    """
    matching, launches = records.matching, records.trace.launches
    outside = records.attribution.outside_op
    row_of = rows_of_calls(records, tables)
    names, name = np.unique(launches.name_id[rows], return_inverse=True)
    return {
        "call": [row_of[each + 1] for each in matching.call[rows].tolist()],
        "name": name.tolist(),
        "names": [launches.names[name_id] for name_id in names.tolist()],
        "confidence": _words(Confidence, matching.confidence[rows]),
        "method": _words(Method, matching.method[rows]),
        "reason": _words(Reason, matching.reason[rows]),
        "op": [outside.names[code] if code >= 0 else None for code in outside.code[rows].tolist()],
    }


def _words(words: type[IntEnum], values: Small) -> list[str]:
    spelled = {word.value: word.name.lower().replace("_", " ") for word in words}
    return [spelled[value] for value in values.tolist()]


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
