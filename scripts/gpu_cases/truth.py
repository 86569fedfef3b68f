"""A profile with marks → the same profile without them, and what they said of its launches.

Takes a Kineto document as parsed JSON; gives the document that becomes a sample and the facts of
truth.json, which name launches by their place in `traceEvents`:

    {"format": "kernelmap.truth", "version": 1,
     "calls": [["3f2ab4c5d6e7f801", 0], …],       digest of the code, index of the call
     "events": [17, 40, …], "call": [0, -1, …],   which call made the event; -1 none, -2 a benchmark
     "unknown": [80, …],                          launches of which even the run knows nothing
     "order": [{"digest": …, "name": "0_forward", "calls": [0, 1, 2, …]}, …]}

A GPU activity belongs to the innermost mark around its API call, a replayed one to the call that
made its node. Operators are listed where they lie in a call's mark; other ones lie in none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpu_cases.kineto_marks import BENCHMARK
from kernelmap.model.marks import MarkedCall, MarkedGraph, decode_mark, is_mark

FORMAT, VERSION = "kernelmap.truth", 1
OUTSIDE, AUTOTUNE = -1, -2
GPU = {"kernel", "gpu_memcpy", "gpu_memset"}
API = {"cuda_runtime", "cuda_driver"}
GRAPH_LAUNCH = ("cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch")
NODE = "graph node id"
_HOST = {"cpu_op", "user_annotation"}
_COPY = "gpu_user_annotation"

Event = dict[str, Any]  # parsed JSON of somebody else's making
Place = tuple[object, object]
Call = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Truth:
    """What truth.json says; `call` pairs with `events`."""

    calls: list[Call] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    call: list[int] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    order: list[dict[str, object]] = field(default_factory=list)

    def plain(self) -> dict[str, object]:
        """The values of truth.json."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "calls": [list(call) for call in self.calls],
            "events": self.events,
            "call": self.call,
            "unknown": self.unknown,
            "order": self.order,
        }


def without_marks(
    document: Mapping[str, Any],
    nodes: Mapping[int, Call | int] | None = None,
    replayed: Mapping[int, Call | int] | None = None,
) -> tuple[dict[str, Any], Truth]:
    """The document without marks, and what they said.

    `nodes` has the call of graph nodes, `replayed` that of replayed events by their `id()`.
    """
    events: list[Event] = document["traceEvents"]
    marks = [event for event in events if is_mark(str(event.get("name", "")))]
    dropped = {id(event) for event in marks}
    kept = [event for event in events if id(event) not in dropped]
    timeline = Timeline(marks)
    truth = Truth(order=timeline.order())
    numbers: dict[Call, int] = {}
    apis = {_correlation(event): event for event in kept if event.get("cat") in API}
    for position, event in enumerate(kept):
        said = (replayed or {}).get(id(event))
        if said is None:
            said = _said(event, apis, timeline, nodes or {})
        if said is None:
            if event.get("cat") in GPU:
                truth.unknown.append(position)
            continue
        truth.events.append(position)
        if isinstance(said, int):
            truth.call.append(said)
        else:
            truth.call.append(numbers.setdefault(said, len(numbers)))
    truth.calls.extend(numbers)
    return {**document, "traceEvents": kept}, truth


def time_ns(event: Event) -> int:
    """When an event begins; files count microseconds with decimals."""
    return round(float(event["ts"]) * 1000)


def place_of(event: Event) -> Place:
    """The thread of an event."""
    return event.get("pid"), event.get("tid")


class Timeline:
    """The marks of each thread, by when they begin; other events are left out."""

    def __init__(self, events: Iterable[Event]) -> None:
        marks = [e for e in events if is_mark(str(e.get("name", ""))) and e.get("cat") != _COPY]
        self._marks: dict[Place, list[Event]] = {}
        for mark in sorted(marks, key=lambda mark: (time_ns(mark), -float(mark["dur"]))):
            self._marks.setdefault(place_of(mark), []).append(mark)
        self._starts = {
            place: [time_ns(mark) for mark in marks] for place, marks in self._marks.items()
        }

    def at(self, event: Event) -> Call | int:
        """The call in whose mark an event of the host begins, innermost first."""
        place, time = place_of(event), time_ns(event)
        marks = self._marks.get(place, [])
        for mark in reversed(marks[: bisect_right(self._starts.get(place, []), time)]):
            if time_ns(mark) + round(float(mark["dur"]) * 1000) >= time:
                if mark["name"] == BENCHMARK:
                    return AUTOTUNE
                said = decode_mark(mark["name"])
                return (said.digest, said.index) if isinstance(said, MarkedCall) else OUTSIDE
        return OUTSIDE

    def order(self) -> list[dict[str, object]]:
        """The executions of graphs with the calls that each made, by when they began."""
        executions: list[tuple[int, dict[str, object]]] = []
        for marks in self._marks.values():
            calls: list[int] = []
            for mark in marks:
                said = decode_mark(mark["name"])
                if isinstance(said, MarkedGraph):
                    calls = []
                    run: dict[str, object] = {"digest": said.digest, "name": said.name}
                    executions.append((time_ns(mark), {**run, "calls": calls}))
                elif isinstance(said, MarkedCall):
                    calls.append(said.index)
        return [run for _, run in sorted(executions, key=lambda pair: pair[0])]


def _said(
    event: Event, apis: Mapping[object, Event], timeline: Timeline, nodes: Mapping[int, Call | int]
) -> Call | int | None:
    """The call of an event; None where it is no launch, or its call is not known."""
    if event.get("cat") in _HOST and event.get("ph") == "X":
        call = timeline.at(event)
        return None if call == OUTSIDE else call
    if event.get("cat") not in GPU:
        return None
    api = apis.get(_correlation(event))
    if api is None:
        return None
    if str(api.get("name")).startswith(GRAPH_LAUNCH):
        return nodes.get(event.get("args", {}).get(NODE))
    return timeline.at(api)


def _correlation(event: Event) -> object:
    return event.get("args", {}).get("correlation")
