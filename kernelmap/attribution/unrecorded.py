"""Launching api calls without an activity on the GPU: captured into a CUDA or HIP graph, or lost.

What was captured is missing only where no replay was recorded (host_side/captures.py). Everything
else that the host launched runs once, so no activity means that the profiler lost it or stopped too
early: time that no table can hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from kernelmap.matching.host_side.captures import capture_spans, launching, named_apis
from kernelmap.model import Activity, Notice, Trace
from kernelmap.model.notices import count
from kernelmap.model.trace import Bool, Int

_REPLAY = "GraphLaunch"
_WORDS = {
    Activity.KERNEL: "kernels",
    Activity.MEMCPY: "memcpy",
    Activity.MEMSET: "memset",
    Activity.GRAPH: "graph replays",
}
_Process = tuple[str | None, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrecorded:
    """Launching api calls of the window: all, and those without an activity.

    `captured` went into graphs of which no replay was recorded; `lost` are the others, by what they
    launch.
    """

    launching: int = 0
    captured: int = 0
    lost: Mapping[Activity, int] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """How many launches the profiler lost."""
        return sum(self.lost.values())

    @property
    def captured_words(self) -> str:
        """What was captured only, as a sentence."""
        return (
            f"{count(self.captured, 'launch')} went into a CUDA or HIP graph of which no replay"
            " was recorded: their time is not in the result"
        )

    @property
    def missing_words(self) -> str:
        """What the profiler lost, as a sentence."""
        kinds = ", ".join(f"{_WORDS[kind]} {number:,}" for kind, number in self.lost.items())
        return (
            f"{self.missing:,} of {count(self.launching, 'launch')} on the host left no GPU"
            f" activity ({kinds}): their time is not in the result"
        )

    def notices(self) -> Iterator[Notice]:
        """What a person should know beside the result."""
        if self.captured:
            yield Notice(
                slug="captured-only",
                message=self.captured_words,
                hint="Record steps that replay the graph as well, or some without graphs.",
                gap=True,
            )
        if self.missing:
            yield Notice(
                slug="activity-missing",
                message=self.missing_words,
                hint="Call torch.cuda.synchronize() before the profiler stops.",
                gap=True,
            )


def unrecorded(trace: Trace, apis: Bool, launches: Bool) -> Unrecorded:
    """The launches without an activity among `apis` (apis,); `launches` (launches,) count."""
    kind = launching(trace.apis)
    kind[named_apis(trace.apis, _REPLAY)] = Activity.GRAPH
    rows = np.flatnonzero(apis & (kind >= 0))
    silent = rows[~_has_activity(trace)[rows]]
    captured, lost = 0, np.ones(len(silent), dtype=bool)
    replays = _replays(trace, launches)
    for process, inside in _captured(trace, silent):
        size = int((inside & lost).sum())
        captured += 0 if not size or _take(replays, process, size) else size
        lost &= ~inside
    kinds = Counter(kind[silent[lost]].tolist())
    return Unrecorded(
        launching=len(rows),
        captured=captured,
        lost={each: kinds[each] for each in _WORDS if kinds[each]},
    )


def _has_activity(trace: Trace) -> Bool:
    """Mask of the api calls that are the host side of an activity, or share its correlation id."""
    apis, launches = trace.apis, trace.launches
    mask = np.zeros(len(apis), dtype=bool)
    for linked in (launches.api, launches.origin):
        mask[linked[linked >= 0]] = True
    known = apis.correlation >= 0
    ids, number = np.unique(apis.correlation, return_inverse=True)
    key = apis.process * max(len(ids), 1) + number
    return np.asarray(mask | (known & np.isin(key, key[mask & known])), dtype=bool)


def _captured(trace: Trace, silent: Int) -> Iterator[tuple[_Process, Bool]]:
    """The process of each capture, and which of the `silent` api calls went into it."""
    process, start = trace.apis.process[silent], trace.apis.start_ns[silent]
    for of, begin, end in capture_spans(trace.apis):
        yield _process(trace, of), np.equal(process, of) & (start > begin) & (start < end)


def _replays(trace: Trace, counted: Bool) -> dict[_Process, list[int | None]]:
    """Per process how many activities each recorded graph has, None where it is one activity.

    Replays of the same names are one graph.
    """
    launches = trace.launches
    by_graph = np.append(named_apis(trace.apis, _REPLAY), False)[launches.api]
    rows = np.flatnonzero(counted & by_graph)
    rows = rows[np.lexsort((launches.name_id[rows], launches.api[rows]))]
    graphs_of: dict[_Process, dict[bytes, int | None]] = {}
    for part in np.split(rows, np.flatnonzero(np.diff(launches.api[rows])) + 1):
        if len(part):
            whole = bool((launches.activity[part] == Activity.GRAPH).any())
            names = launches.graph[part] if whole else launches.name_id[part]
            own = graphs_of.setdefault(_process(trace, int(launches.process[part[0]])), {})
            own[names.tobytes()] = None if whole else len(part)
    return {process: list(graphs.values()) for process, graphs in graphs_of.items()}


def _take(replays: dict[_Process, list[int | None]], process: _Process, size: int) -> bool:
    """Whether a graph of about `size` activities was replayed; it stands for one capture only.

    A capture may hold a few launches more than a replay: what it empties or copies aside.
    """
    graphs = replays.get(process, [])
    near = [n for n in graphs if n is None or abs(n - size) <= max(1, max(n, size) // 10)]
    if near:
        graphs.remove(min(near, key=lambda n: 0 if n is None else abs(n - size)))
    return bool(near)


def _process(trace: Trace, row: int) -> _Process:
    """A process by what names it, also over several files."""
    return trace.processes[row].pid, trace.processes[row].rank
