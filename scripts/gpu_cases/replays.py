"""Which call made a node of a CUDA graph: stated by the driver, or by the order of capture.

The first is exact (cuda_graphs.json with ids). The second supposes that nodes are numbered in the
order in which they are made; findings.py checks that against the first. Where a profile has no ids
of nodes either (torch 2.11), time decides: what was captured on one stream runs in that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpu_cases.truth import API, GPU, GRAPH_LAUNCH, NODE, Call, Event, Timeline, time_ns

_MAKES_NODE = {"LaunchKernel": "kernel", "MemcpyAsync": "gpu_memcpy", "MemsetAsync": "gpu_memset"}
"""What an API call's name contains → the category of the activity that its node becomes."""

Made = tuple[str, Call | int]
"""The category of a node, and the call that made it."""


def nodes_of(recorded: Mapping[str, Any]) -> dict[int, Call | int]:
    """Graph node → call, of a cuda_graphs.json; empty where the driver told no ids."""
    return {
        node: (run["digest"], call["index"])
        for capture in recorded["captures"]
        for run in capture["runs"]
        for call in run["calls"]
        for node in call["nodes"] or ()
    }


def captured_order(document: Mapping[str, Any]) -> list[list[Made]]:
    """Per capture, its nodes in the order in which they were made.

    `document` is a profile, with marks, of the steps that captured.
    """
    events: list[Event] = document["traceEvents"]
    timeline = Timeline(events)
    captures: list[list[Made]] = []
    is_open = False
    for event in sorted((e for e in events if e.get("cat") in API), key=time_ns):
        name = str(event["name"])
        if "StreamBeginCapture" in name:
            captures.append([])
            is_open = True
        elif "StreamEndCapture" in name:
            is_open = False
        elif is_open:
            categories = [cat for word, cat in _MAKES_NODE.items() if word in name]
            captures[-1].extend((category, timeline.at(event)) for category in categories)
    return captures


def nodes_by_order(
    document: Mapping[str, Any], captures: Sequence[Sequence[Made]]
) -> dict[int, Call | int]:
    """Node → call, for replayed graphs with as many nodes as one capture has launches.

    Graphs that fit no capture, or several different ones, are left out.
    """
    call_of_node: dict[int, Call | int] = {}
    for nodes in replayed(document["traceEvents"]).values():
        calls = _one([capture for capture in captures if len(capture) == len(nodes)])
        if calls is not None:
            call_of_node |= dict(zip(nodes, calls, strict=True))
    return call_of_node


def calls_by_time(
    document: Mapping[str, Any], captures: Sequence[Sequence[Made]]
) -> dict[int, Call | int]:
    """`id` of a replayed event → call, for replays on one stream that are one capture, in order.

    Replays that fit no capture by their categories, or several different ones, are left out.
    """
    calls: dict[int, Call | int] = {}
    for replay in _replays(document):
        categories = [event["cat"] for event in replay]
        made = _one([it for it in captures if [category for category, _ in it] == categories])
        if made is not None and len({event["args"].get("stream") for event in replay}) == 1:
            calls |= zip(map(id, replay), made, strict=True)
    return calls


def calls_in_order(
    document: Mapping[str, Any], captures: Sequence[Sequence[Made]]
) -> dict[int, Call | int]:
    """`id` of a replayed event → call, where each replay is known to be of the capture given.

    Replays whose categories are not those of their capture are left out.
    """
    calls: dict[int, Call | int] = {}
    for replay, made in zip(_replays(document), captures, strict=True):
        if [event["cat"] for event in replay] == [category for category, _ in made]:
            calls |= zip(map(id, replay), [call for _, call in made], strict=True)
    return calls


def _replays(document: Mapping[str, Any]) -> list[list[Event]]:
    """What ran of each launch of a graph, by time; launches in the order of their first event."""
    events: list[Event] = document["traceEvents"]
    launches = graph_launches(events)
    replays: dict[object, list[Event]] = {}
    for event in sorted((e for e in events if e.get("cat") in GPU), key=time_ns):
        if event["args"].get("correlation") in launches:
            replays.setdefault(event["args"]["correlation"], []).append(event)
    return list(replays.values())


def _one(captures: Sequence[Sequence[Made]]) -> tuple[Call | int, ...] | None:
    """The calls of captures that all have the same ones; None without a capture, or with others."""
    calls = {tuple(call for _, call in capture) for capture in captures}
    return calls.pop() if len(calls) == 1 else None


def graph_launches(events: Iterable[Event]) -> set[object]:
    """The correlation ids of the api calls that launch graphs."""
    return {
        event.get("args", {}).get("correlation")
        for event in events
        if event.get("cat") in API and str(event["name"]).startswith(GRAPH_LAUNCH)
    }


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
