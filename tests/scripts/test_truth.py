"""Marks are taken out of a profile, and what they said is kept by the event's new place."""

from __future__ import annotations

from typing import Any

from gpu_cases import replays
from gpu_cases.findings import external_ids, node_order
from gpu_cases.kineto_marks import BENCHMARK
from gpu_cases.truth import without_marks

from kernelmap.model.marks import MarkedCall, MarkedGraph, encode_mark

DIGEST = "00112233445566ff"
Event = dict[str, Any]


def on_host(name: str, at: float, dur: float, cat: str = "cpu_op", **args: object) -> Event:
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 2, "ts": at, "dur": dur} | (
        {"args": args} if args else {}
    )


def call(index: int, at: float, dur: float) -> Event:
    text = encode_mark(MarkedCall(digest=DIGEST, index=index, wrapper="triton_a", handle=None))
    return on_host(text, at, dur, "user_annotation")


def graph(at: float, dur: float) -> Event:
    text = encode_mark(MarkedGraph(digest=DIGEST, name="0_forward"))
    return on_host(text, at, dur, "user_annotation")


def launch(correlation: int, at: float, name: str = "cuLaunchKernel") -> Event:
    return on_host(name, at, 1, "cuda_runtime", correlation=correlation)


def kernel(correlation: int, node: int = 0) -> Event:
    args = {"correlation": correlation, "graph node id": node, "External id": 4}
    return {
        "ph": "X",
        "cat": "kernel",
        "name": "triton_a",
        "pid": 0,
        "tid": 7,
        "ts": 900 + node % 10,
        "dur": 3,
        "args": args,
    }


def said(document: dict[str, Any], nodes: dict[int, Any] | None = None) -> dict[str, object]:
    """Name and correlation of each event that has a truth → its call."""
    kept, truth = without_marks(document, nodes)
    events = kept["traceEvents"]
    made = dict(zip(truth.events, truth.call, strict=True))
    made |= dict.fromkeys(truth.unknown, -9)
    return {
        f"{events[place]['name']} {events[place].get('args', {}).get('correlation', '')}".strip(): (
            truth.calls[number][1] if number >= 0 else number
        )
        for place, number in made.items()
    }


def test_launches_belong_to_the_mark_around_their_api_call() -> None:
    """Inside a call's mark it is that call, beside it none, in a benchmark a benchmark."""
    events = [
        graph(0, 100),
        call(0, 10, 20),
        launch(1, 12),
        call(1, 40, 50),
        on_host(BENCHMARK, 50, 20, "user_annotation"),
        launch(2, 55),
        launch(3, 75),
        launch(4, 95),
        launch(5, 200),
        *[kernel(number) for number in (1, 2, 3, 4, 5, 6)],
    ]

    assert said({"traceEvents": events}) == {
        "triton_a 1": 0,
        "triton_a 2": -2,
        "triton_a 3": 1,
        "triton_a 4": -1,
        "triton_a 5": -1,
        "triton_a 6": -9,
    }


def test_operators_are_listed_inside_calls_only() -> None:
    """On a CPU the operator is the launch; those outside of marks lie in none."""
    events = [call(3, 10, 20), on_host("aten::mm", 12, 5), on_host("aten::add", 40, 5)]

    assert said({"traceEvents": events}) == {"aten::mm": 3}


def test_no_mark_is_left_and_nothing_else_is_lost() -> None:
    """Ranges, and their copies on the GPU's tracks, go; every other event and field stays."""
    copy = call(0, 900, 5) | {"cat": "gpu_user_annotation"}
    others = [on_host("aten::mm", 12, 5), launch(1, 13), kernel(1), {"ph": "M", "name": "labels"}]
    kept, truth = without_marks(
        {"schemaVersion": 1, "traceEvents": [graph(0, 99), *others[:2], copy, *others[2:]]}
    )

    assert kept == {"schemaVersion": 1, "traceEvents": others}
    assert truth.order == [{"digest": DIGEST, "name": "0_forward", "calls": []}]


def test_executions_are_reported_in_their_order() -> None:
    """What each execution of a graph called, one after the other."""
    events = [graph(100, 50), call(0, 110, 5), graph(0, 50), call(0, 10, 5), call(2, 20, 5)]
    _, truth = without_marks({"traceEvents": events})

    assert [run["calls"] for run in truth.order] == [[0, 2], [0]]


def replay() -> dict[str, Any]:
    """Three nodes of graph 9, replayed by a launch that lies in no call."""
    nodes = [9 << 32 | number for number in (1, 2, 3)]
    return {
        "traceEvents": [
            launch(8, 300, "cudaGraphLaunch"),
            *[kernel(8, node) for node in reversed(nodes)],
        ]
    }


def test_a_replayed_kernel_belongs_to_the_call_that_made_its_node() -> None:
    """By the ids that the driver told."""
    recorded = {
        "captures": [
            {
                "runs": [
                    {
                        "digest": DIGEST,
                        "calls": [
                            {"index": 0, "nodes": [9 << 32 | 1]},
                            {"index": 1, "nodes": [9 << 32 | 2, 9 << 32 | 3]},
                        ],
                    }
                ]
            }
        ]
    }
    nodes = replays.nodes_of(recorded)
    _, truth = without_marks(replay(), nodes)

    assert [truth.calls[number][1] for number in truth.call] == [1, 1, 0]
    assert truth.unknown == []


def captured(*indexes: int) -> list[Event]:
    """One capture in which the calls `indexes` launched a kernel each."""
    events = [on_host("cudaStreamBeginCapture", 0, 1, "cuda_runtime", correlation=99)]
    for place, index in enumerate(indexes):
        events += [call(index, 10 * place + 10, 5), launch(place, 10 * place + 12)]
    events.append(on_host("cudaStreamEndCapture", 500, 1, "cuda_runtime", correlation=98))
    return [*events, launch(97, 600)]


def test_without_ids_the_order_of_capture_decides() -> None:
    """As many nodes as one capture had launches: the k-th node is the k-th launch."""
    captures = replays.captured_order({"traceEvents": captured(0, 1, 1)})
    nodes = replays.nodes_by_order(replay(), captures)
    _, truth = without_marks(replay(), nodes)

    assert [truth.calls[number][1] for number in truth.call] == [1, 1, 0]


def test_without_node_ids_time_decides_on_one_stream() -> None:
    """A replay on one stream runs in the order of its capture; on two nothing is claimed."""
    captures = replays.captured_order({"traceEvents": captured(0, 1, 1)})
    one, two = replay(), replay()
    for document in (one, two):
        for event in document["traceEvents"][1:]:
            event["args"] = {"correlation": 8, "stream": 7}
    two["traceEvents"][1]["args"]["stream"] = 9
    _, truth = without_marks(one, None, replays.calls_by_time(one, captures))

    assert [truth.calls[number][1] for number in truth.call] == [1, 1, 0]
    assert replays.calls_by_time(two, captures) == {}
    assert replays.calls_by_time(one, [captures[0][:2]]) == {}


def test_captures_that_look_alike_are_told_apart_by_the_order_of_the_program() -> None:
    """Two graphs of as many kernels: which one a step replays is known, and decides."""
    first, second = (
        replays.captured_order({"traceEvents": captured(*indexes)})[0]
        for indexes in ((0, 1, 2), (0, 2, 1))
    )
    document = replay()
    for event in document["traceEvents"][1:]:
        event["args"] = {"correlation": 8, "stream": 7}

    assert replays.calls_by_time(document, [first, second]) == {}
    for capture in (first, second):
        calls = replays.calls_in_order(document, [capture])
        assert list(calls.values()) == [call for _, call in capture]
    assert replays.calls_in_order(document, [first[:2]]) == {}


def test_where_no_capture_fits_nothing_is_claimed() -> None:
    """Another count, or two captures that differ: the launches are unknown, not guessed."""
    few = replays.captured_order({"traceEvents": captured(0, 1)})
    first, second = (
        replays.captured_order({"traceEvents": captured(*indexes)})[0]
        for indexes in ((0, 1, 2), (0, 2, 1))
    )

    assert replays.nodes_by_order(replay(), few) == {}
    assert replays.nodes_by_order(replay(), [first, second]) == {}
    _, truth = without_marks(replay())
    assert len(truth.unknown) == 3


def test_without_gpu_samples_every_finding_says_so() -> None:
    """A question that nothing answers is answered with why."""
    assert node_order([]).startswith("Not seen")
    assert external_ids([]).startswith("Not seen")
