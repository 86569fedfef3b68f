"""One run as both backends of torch's profiler write it: Kineto, and `cupti_monitor`.

The second is written after the writer of torch 2.14.1 (torch/profiler/_cupti/monitor_trace.py):
host events first, then GPU activities by kind, then api calls by kind, none of them with an
external id; a graph node's lower half beside the graph's id; streams of a lane resolver.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from traces.kineto_text import Event, api, note, op

GRAPH = 7
LANE = 60
"""The stream on which a resolver of lanes shows what a graph replays."""
_PHASES = {"kernel": 0, "gpu_memcpy": 1, "gpu_memset": 2}


@dataclass(frozen=True, kw_only=True)
class Activity:
    """A GPU activity; of a graph's node, `stream` is the one that CUPTI names."""

    name: str
    ts: float
    dur: float
    correlation: int
    external: int = 0
    stream: int = 7
    category: str = "kernel"
    node: int | None = None
    label: object = None
    kinds: Mapping[str, object] | None = None


HOST = [
    note("ProfilerStep#1", 0.5, 900, **{"External id": 1}),
    note("## Call CompiledFxGraph fabc ##", 5, 200, **{"External id": 2}),
    op("aten::mm", 10.123, 40, **{"External id": 3}),
    op("triton_poi_fused_add_0", 60, 30, **{"External id": 4}),
    op("aten::copy_", 300, 30, **{"External id": 5}),
    op("aten::zero_", 340, 30, **{"External id": 6}),
]
CALLS = [
    api("cudaLaunchKernel", 12, 2, 11),
    {**api("cuLaunchKernel", 63, 1, 12), "cat": "cuda_driver"},
    api("cudaMemcpyAsync", 305, 2, 13),
    api("cudaMemsetAsync", 345, 2, 14),
    api("cudaGraphLaunch", 400, 5, 20),
    api("cudaGraphLaunch", 500, 5, 21),
    api("cudaDeviceSynchronize", 600, 50, 30),
]
ACTIVITIES = [
    Activity(name="nvjet_mm", ts=15.5, dur=5.25, correlation=11, external=3),
    Activity(name="triton_poi_fused_add_0", ts=66.001, dur=4.001, correlation=12, external=4),
    Activity(
        name="Memcpy HtoD (Pageable -> Device)",
        ts=310.5,
        dur=1.75,
        correlation=13,
        external=5,
        category="gpu_memcpy",
        kinds={"copy kind": "HtoD", "src kind": "pageable", "dst kind": "device"},
    ),
    Activity(
        name="Memset (Device)",
        ts=350.5,
        dur=0.75,
        correlation=14,
        external=6,
        category="gpu_memset",
        kinds={"memory kind": 3},
    ),
    *(
        Activity(
            name=name,
            ts=at + offset,
            dur=dur,
            correlation=correlation,
            stream=stream,
            category="gpu_memcpy" if kinds else "kernel",
            node=node,
            label=label,
            kinds=kinds,
        )
        for correlation, at in ((20, 410), (21, 510))
        for node, (name, offset, dur, stream, label, kinds) in enumerate(
            [
                ("triton_poi_fused_add_0", 0, 2.5, 31, [{"name": "layers.0"}], None),
                ("nvjet_mm", 2.6, 5.5, 32, [{"name": "mlp", "module_fqn": "layers.1.mlp"}], None),
                (
                    "Memcpy DtoD (Device -> Device)",
                    10,
                    1,
                    31,
                    None,
                    {"copy kind": "DtoD", "src kind": "device", "dst kind": "device"},
                ),
            ]
        )
    ),
]


def by_kineto() -> list[Event]:
    """The run as Kineto writes it, labels merged into it by torch's own script."""
    return [*HOST, *_as_launched([*CALLS, *map(_kineto_activity, ACTIVITIES)])]


def by_monitor(*, lanes: bool = True) -> list[Event]:
    """The run as `cupti_monitor` writes it, with a resolver of lanes or without."""
    ordered = sorted(ACTIVITIES, key=lambda activity: _PHASES[activity.category])
    beside: list[Event] = [
        {
            **_place("graph_event_node", "EventRecord", 422, 0, LANE if lanes else 31),
            "args": {"stream": 31, "correlation": 20, "graph id": GRAPH, "graph node id": 3},
        },
        {
            **_place("graph_host_node", "HostNode: callback", 423, 10, 31),
            "args": {"stream": 31, "correlation": 0, "graph id": GRAPH, "graph node id": 4},
        },
        {**_place("ac2g", "ac2g", 412.5, 0, LANE), "ph": "s", "id": 1 << 40},
        {**_place("ac2g", "ac2g", 412.6, 0, LANE), "ph": "f", "id": 1 << 40, "bp": "e"},
    ]
    runtime = sorted(CALLS, key=lambda call: call["cat"] != "cuda_runtime")
    around: list[Event] = [
        {
            **_place("cuda_sync", "Context Sync", 601, 48, 1),
            "args": {"cuda_sync_kind": "Context Sync", "stream": -1, "correlation": 30},
        },
        {**_place("gpu_user_annotation", "## Call CompiledFxGraph fabc ##", 15.499, 54, 7)},
    ]
    activities = [_monitor_activity(activity, lanes=lanes) for activity in ordered]
    return [*HOST, *activities, *beside, *runtime, *around]


def _as_launched(events: list[Event]) -> list[Event]:
    return sorted(events, key=_correlation_of)


def _correlation_of(event: Event) -> int:
    args = event["args"]
    assert isinstance(args, dict)
    return int(args["correlation"])


def _place(category: str, name: str, ts: float, dur: float, stream: int) -> Event:
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "pid": 0,
        "tid": stream,
        "ts": ts,
        "dur": dur,
        "args": {},
    }


def _kineto_activity(activity: Activity) -> Event:
    args: Event = {
        "External id": activity.external,
        "device": 0,
        "stream": activity.stream,
        "correlation": activity.correlation,
        "graph id": 0 if activity.node is None else GRAPH,
        "graph node id": 0 if activity.node is None else GRAPH << 32 | activity.node,
    }
    if activity.category == "kernel":
        args |= {"grid": [4, 1, 1], "block": [128, 1, 1]}
    for label in activity.label if isinstance(activity.label, list) else []:
        args |= {key: str(value) for key, value in label.items()}
    place = _place(activity.category, activity.name, activity.ts, activity.dur, activity.stream)
    return {**place, "args": args}


def _monitor_activity(activity: Activity, *, lanes: bool) -> Event:
    args: Event = {"device": 0, "context": 1, "stream": activity.stream}
    args |= {"correlation": activity.correlation, **(activity.kinds or {})}
    if activity.category == "kernel":
        args |= {"grid": [4, 1, 1], "block": [128, 1, 1], "queued": 0, "channel_type": 0}
    stream = activity.stream
    if activity.node is not None:
        args |= {"graph id": GRAPH, "graph node id": activity.node}
        if activity.label is not None:
            args["annotation"] = json.dumps(activity.label)
        if lanes:
            stream = LANE
            args |= {"stream": LANE, "original_stream": activity.stream}
    name = activity.name if activity.category == "kernel" else activity.name.partition(" ")[0]
    return {**_place(activity.category, name, activity.ts, activity.dur, stream), "args": args}
