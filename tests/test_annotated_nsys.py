"""Exports of nsys as Chrome traces: what a viewer and our own reader find in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap import Correlation, KernelmapError, correlate
from kernelmap.compiler import load_compiled
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.schema import LAUNCHES
from kernelmap.traces.annotated.event_text import exact_text, seen_ns
from kernelmap.traces.kineto.events import text_ns
from test_annotated_traces import Json, numbers_as_text, text_of
from traces.small_nsys import api, gid, kernel, launched, push_pop, write_export
from worlds import World, simulate
from worlds.nsys import Export, write_nsys

READINGS: dict[str, Callable[[str], int]] = {
    "cut": seen_ns,
    "rounded": lambda text: round(float(text) * 1000),
}


def assert_same_answer(first: Correlation, second: Correlation) -> None:
    """Same launches at the same time, with the same call for the same reason."""
    assert len(first.trace.launches) == len(second.trace.launches) > 0
    for one, other in zip(
        rows_of_frame(LAUNCHES, first.launches),
        rows_of_frame(LAUNCHES, second.launches),
        strict=True,
    ):
        # GPUs that every process counts for itself are numbered anew, and so are events
        for name in one.keys() - {"event", "device"}:
            assert one[name] == other[name], (name, one, other)
    assert first.attribution.ledger == second.attribution.ledger
    for name in ("start_ns", "dur_ns", "grid", "block", "graph", "graph_node", "correlation"):
        one, other = getattr(first.trace.launches, name), getattr(second.trace.launches, name)
        np.testing.assert_array_equal(one, other)


def assert_every_slice_is_shown(events: Sequence[Json]) -> None:
    """No slice ends after one that it began in, however times are read."""
    for read in READINGS.values():
        tracks: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for event in events:
            if event["ph"] == "X":
                start = read(event["ts"])
                tracks[event["pid"], event["tid"]].append((start, start + read(event["dur"])))
        for slices in tracks.values():
            ends: list[int] = []
            for start, end in sorted(slices, key=lambda span: span[0]):
                while ends and ends[-1] <= start:
                    ends.pop()
                assert not ends or end <= ends[-1]
                ends.append(end)


def annotated(code: Sequence[Path], source: Path, target: Path) -> tuple[Correlation, list[Json]]:
    """The correlation of `source`, held against that of its annotated trace, and the events."""
    first = correlate(*code, source)
    done = first.annotate(target)
    events = numbers_as_text(text_of(target))

    assert done.notices == ()
    assert_same_answer(first, correlate(*code, target))
    assert_every_slice_is_shown(events)
    facts = [it["args"]["kernelmap"] for it in events if "kernelmap" in it.get("args", {})]
    placed = int((first.matching.call >= 0).sum())
    assert sum(facts_["launches"] for facts_ in facts if "launches" in facts_) == placed
    assert sum("launches" not in facts_ for facts_ in facts) == len(first.trace.launches)
    return first, events


@pytest.mark.sampled
@pytest.mark.parametrize(
    "export", [Export(), Export(marks=True, ranges=False), Export(graphs_whole=True)]
)
@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
@pytest.mark.parametrize("processes", [1, 2])
def test_an_annotated_export_is_correlated_as_before(
    processes: int, graphs: bool, export: Export, samples: Path, tmp_path: Path
) -> None:
    """Replays find the call that was captured, and processes with colliding ids stay apart."""
    code = samples / "sim_mlp_train"
    program = load_compiled(code)
    worlds = [simulate(program, World(seed=5 + at, cuda_graphs=graphs)) for at in range(processes)]
    write_nsys(tmp_path / "x.sqlite", worlds, export)
    first, events = annotated([code], tmp_path / "x.sqlite", tmp_path / "out.json.gz")
    whole = {it["cat"] for it in events if it["ph"] == "X"}

    assert ("cuda_graph" in whole) == (graphs and export.graphs_whole)
    assert len({it["pid"] for it in events if it.get("cat") == "cuda_runtime"}) == processes
    assert first.trace.launches.correlation.min() > 0


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["h100_2gpu_1s_2026.2", "saxpy_mpi_2022.2"])
def test_an_annotated_foreign_export_is_correlated_as_before(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    """The same holds for foreign exports."""
    annotated([], corpus / "nsys" / f"{name}.sqlite", tmp_path / "out.json")


def test_a_call_that_sticks_out_of_its_range_is_shown_and_found(tmp_path: Path) -> None:
    """What a viewer would drop stands in a row of its own, and lies in what it lay in before."""
    exported = launched(
        kernel(30, 40),
        kernel(35, 50, correlationId=2),
        kernel(50, 60, correlationId=3),
        CUPTI_ACTIVITY_KIND_RUNTIME=[
            api(5, 25),
            api(15, 32, correlationId=2),
            api(16, 18, correlationId=3),
        ],
        NVTX_EVENTS=[push_pop(0, 20, "aten::outer"), push_pop(2, 19, "aten::mm")],
    )
    path, target = write_export(tmp_path / "x.sqlite", exported), tmp_path / "out.json"
    first = correlate(path)
    first.annotate(target)
    second = correlate(target)
    events = numbers_as_text(text_of(target))
    names = {it["tid"]: it["args"]["name"] for it in events if it["name"] == "thread_name"}

    assert_every_slice_is_shown(events)
    assert_same_answer(first, second)
    assert first.trace.apis.range.tolist() == second.trace.apis.range.tolist() == [-1, -1, 1]
    assert sorted(names.values()) == [
        *("stream 7", "stream 7 (2)"),
        *("thread 1", "thread 1 (2)", "thread 1 (3)"),
    ]


def test_ranges_that_cross_are_all_shown(tmp_path: Path) -> None:
    """Ranges of which none lies in the other get rows of their own, and keep what lies in them."""
    crossing = [
        push_pop(0, 20, "a"),
        push_pop(10, 30, "b"),
        push_pop(12, 18, "c"),
        push_pop(14, 25, "d"),
    ]
    path = write_export(
        tmp_path / "x.sqlite",
        launched(kernel(30, 40), CUPTI_ACTIVITY_KIND_RUNTIME=[api(13, 14)], NVTX_EVENTS=crossing),
    )
    first = correlate(path)
    first.annotate(tmp_path / "out.json")
    second = correlate(tmp_path / "out.json")
    events = numbers_as_text(text_of(tmp_path / "out.json"))

    assert_every_slice_is_shown(events)
    assert sum(it.get("cat") == "user_annotation" for it in events) == 4
    assert first.trace.ranges.parent.tolist() == second.trace.ranges.parent.tolist()
    assert first.trace.apis.range.tolist() == second.trace.apis.range.tolist()
    assert_same_answer(first, second)


def test_gpus_that_processes_count_for_themselves_stay_apart(tmp_path: Path) -> None:
    """Device 0 of two processes is two GPUs, whose kernels may run at the same time."""
    exported = launched(
        kernel(30, 40),
        kernel(30, 45, globalPid=gid(8)),
        CUPTI_ACTIVITY_KIND_RUNTIME=[api(1, 3), api(1, 3, globalTid=gid(8, 1))],
    )
    path, target = write_export(tmp_path / "x.sqlite", exported), tmp_path / "out.json"
    first = correlate(path)
    first.annotate(target)
    second = correlate(target)
    kernels = [it for it in numbers_as_text(text_of(target)) if it.get("cat") == "kernel"]
    named = [it for it in numbers_as_text(text_of(target)) if it["name"] == "process_name"]

    assert_same_answer(first, second)
    assert [(it["pid"], it["tid"], it["args"]["device"]) for it in kernels] == [
        (0, 7, 0),
        (1, 7, 1),
    ]
    assert {(it["pid"], it["args"]["name"]) for it in named} == {
        (7, "process 7"),
        (8, "process 8"),
        (0, "GPU 0 of process 7"),
        (1, "GPU 0 of process 8"),
    }


def test_what_ran_on_no_known_gpu_is_shown_too(tmp_path: Path) -> None:
    """A launch without a device stands on a GPU of its own, and no GPU that is known gets it."""
    exported = launched(kernel(30, 40), kernel(35, 50, correlationId=2, deviceId=None))
    path, target = write_export(tmp_path / "x.sqlite", exported), tmp_path / "out.json"
    first, events = annotated([], path, target)
    named = {it["pid"]: it["args"]["name"] for it in events if it["name"] == "process_name"}
    kernels = [it for it in events if it.get("cat") == "kernel"]

    assert first.trace.launches.device.tolist() == [0, -1]
    assert [named[it["pid"]] for it in kernels] == ["GPU 0", "GPU that is not known"]


def test_sums_have_no_events_to_write(tmp_path: Path) -> None:
    """What nsys stats printed is no timeline, so nothing is annotated."""
    path = tmp_path / "sums.csv"
    path.write_text(
        "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,3000,3,1000.0,triton_poi_fused_0\n"
    )
    with pytest.raises(KernelmapError) as caught:
        correlate(path).annotate(tmp_path / "out.json")

    assert caught.value.slug == "annotate-needs-events"
    assert list(tmp_path.iterdir()) == [path]


@given(st.integers(0, 1 << 50))
def test_a_time_is_read_to_the_nanosecond_by_everybody(ns: int) -> None:
    """Readers that cut, that round and that read the decimal text all get the same time."""
    text = exact_text(ns)

    assert {read(text) for read in READINGS.values()} == {ns}
    assert text_ns(text.encode()) == ns
