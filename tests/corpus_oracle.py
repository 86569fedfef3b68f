"""A second reading of a Kineto file, with json and a stack: what the answers are held against.

It shares nothing with the program's readers and rules.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

Event = dict[str, Any]

_API = {"cuda_runtime", "cuda_driver"}
_RANGES = {"cpu_op", "user_annotation"}
_GENERATED = re.compile(r".*/c[a-z2-7]{51}\.py\(\d+\): (?:call|partition_\d+)$")
_RUNTIME = re.compile(r"torch/_inductor/(?:cudagraph_trees|compile_fx|utils)\.py\(")
_FRAMES = re.compile(f"{_GENERATED.pattern}|{_RUNTIME.pattern}")
_LAUNCHES = re.compile(r"LaunchKernel|Memcpy|Memset")


@dataclass(slots=True)
class Host:
    """An operator or api call, the graph range around it, and the operators between, outer first.

    `under_code` says whether generated code is nearer than what torch runs around it, `works`
    whether something was launched below it.
    """

    position: int
    event: Event
    graph: Event | None
    operators: list[Host]
    under_code: bool
    works: bool = False

    @property
    def name(self) -> str:
        return str(self.event["name"])


@dataclass(slots=True)
class Reading:
    """Operators below graph ranges, and the host side of each activity, by position in the file."""

    below: dict[int, Host] = field(default_factory=dict)
    side: dict[int, Host] = field(default_factory=dict)

    def calls(self, graph: Event) -> list[Host]:
        """What lies right below a graph range and launched something, in order."""
        return [
            host
            for host in self.below.values()
            if host.works and host.graph is graph and not host.operators
        ]


@cache
def read(path: Path) -> Reading:
    """The whole file."""
    with gzip.open(path, "rb") as file:
        events: list[Event] = json.load(file)["traceEvents"]
    threads: dict[tuple[object, object], list[tuple[int, Event]]] = defaultdict(list)
    for position, event in enumerate(events):
        if event.get("ph") == "X" and event.get("cat") in _API | _RANGES | {"python_function"}:
            threads[event["pid"], event["tid"]].append((position, event))
    reading = Reading()
    launched: dict[object, Host] = {}
    for host in (host for rows in threads.values() for host in _nested(rows)):
        if host.event["cat"] == "cpu_op":
            reading.below[host.position] = host
        elif _LAUNCHES.search(host.name):
            launched[host.event["args"]["correlation"]] = host
            for around in host.operators:
                around.works = True
    for position, event in enumerate(events):
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            side = launched.get(event["args"].get("correlation"))
            if side is not None:
                reading.side[position] = side
    return reading


def _nested(rows: list[tuple[int, Event]]) -> Iterator[Host]:
    """Operators below graph ranges and all api calls of a thread, with what was open then."""
    stack: list[tuple[float, Event, Host | None]] = []
    for position, event in sorted(rows, key=lambda row: (row[1]["ts"], -row[1]["dur"], row[0])):
        start, end = event["ts"], event["ts"] + event["dur"]
        while stack and stack[-1][0] <= start:
            stack.pop()
        category, one = event["cat"], None
        if category in _API or category == "cpu_op":
            open_ = [row for row in stack if row[0] > start and row[0] + 1 >= end]
            one = _host(position, event, open_)
            if category in _API or one.graph is not None:
                yield one
        elif category == "python_function" and not _FRAMES.match(event["name"]):
            continue
        if category not in _API:
            stack.append((end, event, one))


def _host(position: int, event: Event, around: list[tuple[float, Event, Host | None]]) -> Host:
    at = len(around)
    while at and not around[at - 1][1]["name"].startswith("## Call CompiledFxGraph "):
        at -= 1
    frames = [row[1]["name"] for row in around[at:] if row[1]["cat"] == "python_function"]
    return Host(
        position=position,
        event=event,
        graph=around[at - 1][1] if at else None,
        operators=[row[2] for row in around[at:] if row[2] is not None],
        under_code=bool(frames) and _GENERATED.match(frames[-1]) is not None,
    )
