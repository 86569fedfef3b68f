"""Which call made a node of a CUDA graph: told by the driver, or by the order of capture.

The first is exact (cuda_graphs.json with ids). The second supposes that nodes are numbered in the
order in which they are made; findings.py checks that against the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpu_cases.truth import API, GPU, NODE, Call, Event, Timeline, time_ns

_MAKES_NODE = ("LaunchKernel", "MemcpyAsync", "MemsetAsync")


def nodes_of(recorded: Mapping[str, Any]) -> dict[int, Call | int]:
    """Graph node → call, of a cuda_graphs.json; empty where the driver told no ids."""
    return {
        node: (run["digest"], call["index"])
        for capture in recorded["captures"]
        for run in capture["runs"]
        for call in run["calls"]
        for node in call["nodes"] or ()
    }


def captured_order(document: Mapping[str, Any]) -> list[list[Call | int]]:
    """Per capture, the calls of its launches in the order in which their nodes were made.

    `document` is a profile, with marks, of the steps that captured.
    """
    events: list[Event] = document["traceEvents"]
    timeline = Timeline(events)
    captures: list[list[Call | int]] = []
    is_open = False
    for event in sorted((e for e in events if e.get("cat") in API), key=time_ns):
        name = str(event["name"])
        if "StreamBeginCapture" in name:
            captures.append([])
            is_open = True
        elif "StreamEndCapture" in name:
            is_open = False
        elif is_open and any(word in name for word in _MAKES_NODE):
            captures[-1].append(timeline.at(event))
    return captures


def nodes_by_order(
    document: Mapping[str, Any], captures: Sequence[Sequence[Call | int]]
) -> dict[int, Call | int]:
    """Node → call, for replayed graphs with as many nodes as one capture has launches.

    Graphs that fit no capture, or several different ones, are left out.
    """
    call_of_node: dict[int, Call | int] = {}
    for nodes in replayed(document["traceEvents"]).values():
        fitting = {tuple(capture) for capture in captures if len(capture) == len(nodes)}
        if len(fitting) == 1:
            call_of_node |= dict(zip(nodes, fitting.pop(), strict=True))
    return call_of_node


def replayed(events: Iterable[Event]) -> dict[int, list[int]]:
    """Graph id → its nodes that ran, ascending; 0 is what ran outside of graphs."""
    nodes = {
        int(event["args"][NODE])
        for event in events
        if event.get("cat") in GPU and event.get("args", {}).get(NODE)
    }
    graphs: dict[int, list[int]] = {}
    for node in sorted(nodes):
        graphs.setdefault(node >> 32, []).append(node)
    return graphs
