"""CUPTI_ACTIVITY_KIND_RUNTIME → ApiCalls.

Driver calls stand in that table, too. With backtraces on, a row of another class repeats a call
under the same correlation id: one row per call is kept, the one of CUDA itself. Names lose the
version that CUDA's runtime puts behind them (`cudaLaunchKernel_v7000`).
"""

from __future__ import annotations

import re

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Bool, Int
from kernelmap.traces.nsys_ids import Processes, process_of, thread_of
from kernelmap.traces.nsys_tables import RUNTIME, Strings, Tables, absent, codes, require

_OF_CUDA = (0, 1)  # event classes of the runtime and of the driver
_VERSION = re.compile(r"^(cuda\w+?)_v\d+$")
_COLUMNS = ("start", "end", "eventClass", "globalTid", "correlationId", "nameId")

Rows = dict[str, Int]


def api_rows(tables: Tables) -> Rows:
    """The table as it is, empty columns where there is none."""
    if not tables.columns(RUNTIME):
        return {column: absent(0) for column in _COLUMNS}
    require(tables, RUNTIME, ("start", "end", "nameId"))
    return tables.integers(RUNTIME, _COLUMNS)


def apis(rows: Rows, strings: Strings, processes: Processes) -> ApiCalls:
    """The calls in the order of their start, links not filled in; times as in the export."""
    process = processes.at(process_of(rows["globalTid"]))
    chosen = np.flatnonzero(~_repeats(rows, process))
    start = rows["start"][chosen]
    if (start[1:] < start[:-1]).any():
        chosen = chosen[np.lexsort((-rows["end"][chosen], start))]
    return calls({name: column[chosen] for name, column in rows.items()}, process[chosen], strings)


def calls(rows: Rows, process: Int, strings: Strings) -> ApiCalls:
    """Rows that name what the host did as api calls, in the order given."""
    distinct, name_id = codes(rows["nameId"])
    names = tuple(api_name(strings[number]) for number in distinct.tolist())
    nothing = absent(len(name_id))
    return ApiCalls(
        name_id=name_id,
        start_ns=rows["start"],
        dur_ns=rows["end"] - rows["start"],
        process=process,
        thread=thread_of(rows["globalTid"]),
        correlation=rows["correlationId"],
        external=nothing,
        device_name_id=nothing,
        event=np.arange(len(name_id), dtype=np.int64),
        range=nothing,
        names=names,
    )


def api_name(text: str | None) -> str:
    """The name of a call as CUDA's headers write it.

    >>> api_name("cudaLaunchKernel_v7000"), api_name("cuMemcpyHtoD_v2")
    ('cudaLaunchKernel', 'cuMemcpyHtoD_v2')
    """
    return "(no name)" if text is None else _VERSION.sub(r"\1", text)


def _repeats(rows: Rows, process: Int) -> Bool:
    """Mask of the rows that repeat a call of CUDA's under another class."""
    event_class, correlation = rows["eventClass"], rows["correlationId"]
    other: Bool = ~np.isin(event_class, (NONE, *_OF_CUDA)) & (correlation >= 0)
    if not other.any():
        return other
    code = codes(correlation)[1]
    key = process * (int(code.max()) + 1) + code
    again: Bool = np.isin(key, key[~other])
    return other & again
