"""The simulator of tests/worlds keeps its own promises, on a program made by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from kernelmap.model import Backend, CompiledGraph, CompiledProgram, KernelDef, Reason, WrapperCall
from worlds import SimulatedTrace, World, simulate
from worlds.trace import GPU, Layout

ADD = KernelDef(
    name="triton_poi_fused_add_0",
    function="triton_poi_fused_add_0",
    backend=Backend.TRITON,
    first_line=1,
    last_line=2,
    category="poi",
    path="/tmp/torchinductor_user/ab/cabc.py",  # noqa: S108 -- a name, no file
    signature=(("in_out_ptr0", "*fp32"), ("xnumel", "i32")),
    size_hints=(4096,),
)


def call(index: int, wrapper: str, backend: Backend, kernel: str | None = None) -> WrapperCall:
    return WrapperCall(index=index, wrapper=wrapper, backend=backend, line=None, kernel=kernel)


def graph(name: str, kind: str) -> CompiledGraph:
    calls = (
        call(0, "triton_poi_fused_add_0", Backend.TRITON, "triton_poi_fused_add_0"),
        call(1, "extern_kernels.addmm", Backend.EXTERN),
        call(2, "triton_poi_fused_add_0", Backend.TRITON, "triton_poi_fused_add_0"),
        call(3, "buf0.copy_", Backend.GLUE),
    )
    return CompiledGraph(id=name, kind=kind, aot_id=name, calls=calls, kernels=(ADD,))


PROGRAM = CompiledProgram(graphs=(graph("0_forward", "forward"), graph("0_backward", "backward")))


def called(trace: SimulatedTrace) -> list[tuple[str | None, int | None, int | None]]:
    return [(t.graph, t.call, t.invocation) for t in trace.truth if t.reason is None]


def test_a_world_is_repeatable() -> None:
    """The same seed gives the same events, another seed gives others."""
    first, again = simulate(PROGRAM, World(seed=1)), simulate(PROGRAM, World(seed=1))

    assert first == again
    assert simulate(PROGRAM, World(seed=2)).events != first.events


@pytest.mark.parametrize("world", [World(), World(host=False), World(drop=0.1, seed=5)])
def test_the_truth_names_every_gpu_event(world: World) -> None:
    """There is one truth per kernel, memcpy and memset event, at its place."""
    trace = simulate(PROGRAM, world)

    gpu = [i for i, e in enumerate(trace.events) if e.get("cat") in GPU]
    assert [truth.event for truth in trace.truth] == gpu


def test_every_call_runs_in_every_invocation() -> None:
    """Each call of each graph launches something in each of its invocations."""
    runs = set(called(simulate(PROGRAM, World(invocations=3))))

    assert runs == {
        (name, index, step)
        for name in ("0_forward", "0_backward")
        for index in range(4)
        for step in range(3)
    }


def test_autotuning_stays_in_the_first_step() -> None:
    """Benchmarks lie before the second step, and the last launch of a wrapper is the real one."""
    trace = simulate(PROGRAM, World(invocations=2, eager=0))

    reasons = [truth.reason for truth in trace.truth]
    assert any(reasons[: len(reasons) // 2])
    assert not any(reasons[-8:])


def test_time_survives_as_a_float() -> None:
    """Times in events are the nanoseconds of the simulation, to the last digit."""
    trace = simulate(PROGRAM, World(invocations=2))

    for truth in trace.truth:
        dur = trace.events[truth.event]["dur"]
        assert isinstance(dur, float)
        assert round(dur * 1000) == truth.dur_ns


def test_kernels_of_one_stream_do_not_overlap() -> None:
    """The GPU runs one kernel after the other, and none before its launch."""
    rows = [e for e in simulate(PROGRAM, World(invocations=2)).events if e.get("cat") in GPU]

    times = [(e["ts"], e["dur"]) for e in rows]
    for (start, dur), (following, _) in pairwise(times):
        assert isinstance(start, float)
        assert isinstance(dur, float)
        assert isinstance(following, float)
        assert start + dur <= following


@pytest.mark.parametrize("layout", ["kineto", "indent", "compact"])
@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_layouts_hold_the_same_document(tmp_path: Path, layout: Layout, suffix: str) -> None:
    """Whatever the layout, the file decodes to the document."""
    trace = simulate(PROGRAM, World(invocations=1))
    path = tmp_path / f"trace{suffix}"
    trace.write_kineto(path, layout)

    data = path.read_bytes()
    assert json.loads(gzip.decompress(data) if suffix.endswith(".gz") else data) == trace.document()


def test_without_the_host_side_only_gpu_rows_are_left() -> None:
    """A GPU-only world has the kernels of the full world and no other complete event."""
    full, bare = simulate(PROGRAM, World()), simulate(PROGRAM, World(host=False))

    assert called(bare) == called(full)
    assert {e["cat"] for e in bare.events if e["ph"] == "X"} <= set(GPU)


def gpu_rows(trace: SimulatedTrace) -> list[dict[str, object]]:
    return [event for event in trace.events if event.get("cat") in GPU]


@pytest.mark.parametrize("capture", [True, False])
def test_a_replayed_graph_launches_the_same_every_time(capture: bool) -> None:
    """From its capture on a graph is one launch on the host, with the same nodes each time."""
    world = World(
        cuda_graphs=True, streams=2, capture=capture, autotune=False, invocations=4, eager=0
    )
    trace = simulate(PROGRAM, world)
    args = [event["args"] for event in gpu_rows(trace)]
    replayed = [
        event_args
        for event_args in args
        if isinstance(event_args, dict) and "graph node id" in event_args
    ]
    alone = {
        launch.invocation for launch in trace.truth if launch.reason is None and launch.node is None
    }
    nodes = Counter(event_args["graph node id"] for event_args in replayed)
    launches = {event_args["correlation"] for event_args in replayed}

    assert set(nodes.values()) == {3 if capture else 4}
    assert len(launches) == 2 * (3 if capture else 4)
    assert {event_args["stream"] for event_args in replayed} == {7, 13}
    assert alone == ({0} if capture else set())


def test_a_replay_is_true_to_its_calls() -> None:
    """Replayed or not, an invocation runs the same calls."""
    world = World(invocations=4, eager=0)
    runs, replays = (
        called(simulate(PROGRAM, either))
        for either in (world, World(invocations=4, eager=0, cuda_graphs=True))
    )

    assert set(runs) == set(replays)


def test_a_cut_window_lacks_both_ends() -> None:
    """Something of the first and of the last step is missing, and nothing of the others."""
    whole, cut = (
        Counter(step for _, _, step in called(simulate(PROGRAM, World(invocations=4, cut=is_cut))))
        for is_cut in (False, True)
    )

    assert 0 < cut[0] <= whole[0]
    assert 0 < cut[3] <= whole[3]
    assert cut[0] + cut[3] < whole[0] + whole[3]
    assert (cut[1], cut[2]) == (whole[1], whole[2])


def test_another_thread_is_no_part_of_a_call() -> None:
    """What another thread launches between calls is eager, and hangs below no range of theirs."""
    trace = simulate(PROGRAM, World(invocations=3, eager=0, other_thread=1.0, autotune=False))
    threads = {event["tid"] for event in trace.events if event.get("cat") == "cuda_runtime"}

    assert len(threads) == 3
    assert sum(t.reason is Reason.EAGER for t in trace.truth) >= 3 * 8
