"""Kineto files of every layout and age give the same columns."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.model.trace import Activity, RangeDetail, Trace
from kernelmap.traces import load_trace
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.kineto.reader import KinetoReader
from traces.kineto_text import (
    INDENTED,
    KINETO,
    LAYOUTS,
    SPACED,
    Event,
    api,
    frame,
    kernel,
    note,
    op,
    pair,
    text,
    write,
)

EVENTS = [event for at in range(1, 9) for event in pair(at, f"k{at}")]
FLOW: Event = {"ph": "s", "id": 1, "pid": 10, "tid": 1, "ts": 1, "cat": "ac2g", "name": "ac2g"}
LABEL: Event = {"name": "process_name", "ph": "M", "pid": 10, "tid": 0, "args": {"name": "p"}}


def load(tmp_path: Path, content: str | bytes, name: str = "t.json") -> Trace:
    return load_trace(write(tmp_path / name, content))


def columns(raw: RawTrace | Trace) -> list[tuple[str, object]]:
    """All that a trace holds, comparable."""
    columns_by_name: list[tuple[str, object]] = []
    for part in (raw.launches, raw.apis, raw.ranges):
        for name in part.__struct_fields__:
            value = getattr(part, name)
            columns_by_name.append(
                (name, value.tolist() if isinstance(value, np.ndarray) else value)
            )
    return [*columns_by_name, ("notices", raw.notices)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("late", [False, True], ids=["facts first", "events first"])
@pytest.mark.parametrize("block", [64, 1 << 20])
def test_layout_and_block_size_change_nothing(
    tmp_path: Path, layout: str, block: int, *, late: bool
) -> None:
    """Whitespace, the order of the parts and the size of the blocks change no column."""
    events = [LABEL, *EVENTS, FLOW, *[frame(f"f{at}", at, 1) for at in range(20)], *pair(9)]
    facts: Event = {
        "baseTimeNanoseconds": 1000,
        "distributedInfo": {"rank": 3},
        "traceName": "a}],{]",
    }
    plain = write(tmp_path / "plain.json", text(events, around=facts))
    path = write(tmp_path / "t.json", text(events, layout, late=late, around=facts))

    raw = KinetoReader(block=block).read(path)

    assert columns(raw) == columns(KinetoReader().read(plain))
    assert raw.rank == 3
    assert raw.launches.start_ns[0] == 121_000
    assert raw.launches.event.tolist() == [3 * at for at in range(1, 9)] + [48]


@given(
    st.lists(st.sampled_from(["pair", "frame", "flow", "label"]), min_size=1, max_size=30),
    st.sampled_from(LAYOUTS),
    st.integers(16, 3000),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(60))
def test_any_mix_reads_alike_in_any_blocks(
    tmp_path: Path, kinds: list[str], layout: str, block: int
) -> None:
    """Whatever stands beside what, and wherever a block ends, the columns are the same."""
    events: list[Event] = list(pair(99))
    for at, kind in enumerate(kinds):
        extra: dict[str, list[Event]] = {"flow": [FLOW], "label": [LABEL]}
        events += {"pair": pair(at + 1), "frame": [frame(f"<[{at}", 1, 1)], **extra}[kind]
    path = write(
        tmp_path / "t.json",
        text(events, layout, late=True, around={"deviceProperties": [{"id": 0}]}),
    )

    raw = KinetoReader(block=block).read(path)

    expected = [at for at, event in enumerate(events) if event.get("cat") == "kernel"]
    assert raw.launches.event.tolist() == expected
    assert columns(raw) == columns(KinetoReader().read(path))


def test_facts_in_a_list_of_the_events_own_layout(tmp_path: Path) -> None:
    """DeviceProperties behind the events, indented like them, are no events."""
    gpus = [{"id": at, "name": "H100", "memory": 5} for at in range(4)]
    events = [*EVENTS, *[frame("f", 1, 1)] * 5]

    path = write(
        tmp_path / "t.json", text(events, INDENTED, late=True, around={"deviceProperties": gpus})
    )

    raw = KinetoReader(block=128).read(path)

    assert raw.gpus == tuple((at, "H100") for at in range(4))
    assert len(raw.launches) == 8


@pytest.mark.parametrize(
    "wrap", [gzip.compress, lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:])]
)
def test_gzip_is_recognized_by_content(tmp_path: Path, wrap: type[bytes]) -> None:
    """A gzip file reads like the plain one whatever its name, in one member or several."""
    content = text(EVENTS, around={"baseTimeNanoseconds": 5}).encode()

    assert (
        columns(load(tmp_path, wrap(content), "named.txt"))[:-1]
        == columns(load(tmp_path, content))[:-1]
    )


def test_a_bare_list(tmp_path: Path) -> None:
    """A list at top level is a trace, with a byte order mark too."""
    content = json.dumps(EVENTS)

    assert len(load(tmp_path, content).launches) == 8
    assert len(load(tmp_path, b"\xef\xbb\xbf" + content.encode()).launches) == 8


def test_links_and_columns(tmp_path: Path) -> None:
    """A kernel knows its call, the call its operator, the operator its annotation."""
    events = [
        note("ProfilerStep#3", 0, 900),
        op("aten::mm", 10, 80, **{"External id": 4, "Sequence number": 7}),
        api("cudaLaunchKernel", 20, 5, 11, **{"External id": 4}),
        kernel("sgemm", 50, 7, 11, **{"graph id": 0, "graph node id": 0, "block": [32, 2, 1]}),
        {**kernel("Memcpy HtoD", 60, 1, 12, grid=None), "cat": "gpu_memcpy"},
        {**kernel("Memset", 61, 1, 13), "cat": "gpu_memset"},
        {**op("gpu copy of a range", 0, 900), "cat": "gpu_user_annotation"},
    ]

    trace = load(tmp_path, text(events))
    launches = trace.launches

    assert launches.activity.tolist() == [Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET]
    assert launches.api.tolist() == [0, -1, -1]
    assert launches.grid.tolist() == [[4, 1, 1], [-1, -1, -1], [4, 1, 1]]
    assert launches.block[0].tolist() == [32, 2, 1]
    assert (launches.graph[0], launches.graph_node[0]) == (-1, -1)
    assert (launches.device[0], launches.stream[0]) == (0, 7)
    assert trace.ranges.name_of(int(trace.apis.range[0])) == "aten::mm"
    assert trace.ranges.parent.tolist() == [-1, 0]
    assert trace.ranges.sequence.tolist() == [-1, 7]
    assert [step.number for step in trace.steps] == [3]


def test_ids_of_every_spelling(tmp_path: Path) -> None:
    """Strings, ids above 2**53 and node ids are read; 0 is none; beyond int64 is counted."""
    node = (3 << 32) | 5
    events = [
        kernel("a", 1, 1, 2**53 + 1, **{"graph id": 3, "graph node id": node}),
        kernel("b", 2, 1, "77"),
        kernel("c", 3, 1, 0),
        kernel("d", 4, 1, 2**64 - 1),
        kernel("e", 5, 1, 2**63 + 5),
    ]

    trace = load(tmp_path, text(events))

    assert trace.launches.correlation.tolist() == [2**53 + 1, 77, -1, -1, -1]
    assert trace.launches.graph_node.tolist() == [node, -1, -1, -1, -1]
    assert [notice.slug for notice in trace.notices] == ["ids-too-large"]


@pytest.mark.parametrize("number", [2**63, 2**70, str(2**70), "9" * 5000])
def test_numbers_that_are_too_long_hinder_nothing(tmp_path: Path, number: object) -> None:
    """Where a number of 64 bits should stand, a longer one is a name of a thread, or absent."""
    facts: Event = {
        "External id": number,
        "Sequence number": number,
        "device": number,
        "stream": number,
        "grid": [number, 1, 1],
        "num_warps": number,
    }
    events = [
        {**op("a", 0, 9, **facts), "tid": number},
        {**op("b", 1, 2), "tid": number},
        {**kernel("k", 5, 1, 1, **facts), "tid": number},
        op(f"ProfilerStep#{number}", 20, 1),
    ]

    trace = load(tmp_path, text(events))

    assert trace.ranges.thread.tolist()[:2] == [-2, -2]
    assert trace.ranges.parent.tolist() == [-1, 0, -1]
    assert trace.launches.grid.tolist() == [[-1, -1, -1]]
    assert trace.launches.stream.tolist() == [-1]
    assert trace.ranges.sequence.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("grid", "size"),
    [("grid(100,)", [100, 1, 1]), ([8, 4], [8, 4, 1]), (None, [-1, -1, -1]), ({}, [-1, -1, -1])],
)
def test_grids_of_every_spelling(tmp_path: Path, grid: object, size: list[int]) -> None:
    """A grid is a list, a string, or absent."""
    assert load(tmp_path, text([kernel("a", 1, 1, 1, grid=grid)])).launches.grid.tolist() == [size]


def test_old_category_names(tmp_path: Path) -> None:
    """The capitalized categories of torch 1.8 mean what today's mean."""
    names = {"cpu_op": "Operator", "cuda_runtime": "Runtime", "kernel": "Kernel"}
    events = [{**event, "cat": names[str(event["cat"])]} for event in pair()]

    trace = load(tmp_path, text(events))

    assert trace.launches.api.tolist() == [0]
    assert trace.apis.range.tolist() == [0]


def test_hip_rows_name_their_kernel(tmp_path: Path) -> None:
    """HIP launch rows tell the device name, even where no kernel followed."""
    events = [*pair(), api("hipModuleLaunchKernel", 500, 5, 77, kernel="triton_poi_fused_add_0")]

    apis = load(tmp_path, text(events)).apis

    assert [apis.names[at] if at >= 0 else None for at in apis.device_name_id] == [
        None,
        "triton_poi_fused_add_0",
    ]


def test_tracks_with_names(tmp_path: Path) -> None:
    """Pid and tid may be strings; two names are two threads, and numbers in quotes are numbers."""
    spans = [
        {**op("a", 0, 9), "pid": "Spans", "tid": "x"},
        {**op("b", 1, 2), "pid": "Spans", "tid": "y"},
        {**op("c", 3, 4), "pid": "Spans", "tid": "x"},
        {**op("d", 3, 4), "pid": "10", "tid": "1"},
    ]

    trace = load(tmp_path, text([*spans, *pair()]))

    assert trace.ranges.parent.tolist() == [-1, -1, 0, -1, -1]
    assert [process.pid for process in trace.processes] == ["Spans", "10"]
    assert trace.ranges.thread.tolist()[3:] == [1, 1]


def test_numbers_follow_the_file_alone(tmp_path: Path) -> None:
    """Names, records and processes are numbered in the order of the file, however it is read."""
    events = [
        event
        for at in range(20)
        for event in (
            op(f"op{at}", 10 * at, 1, kernel_hash=f"c{at}"),
            api("hipModuleLaunchKernel", 10 * at + 2, 1, at + 1, kernel=f"named{at}"),
            kernel(f"k{at}", 10 * at + 3, 1, at + 1, **{"process id": f"{100 - at}"}),
        )
    ]
    path = write(tmp_path / "t.json", text(events))
    whole, pieces = (KinetoReader(block=block).read(path) for block in (1 << 20, 256))

    assert columns(whole) == columns(pieces)
    assert whole.pids == pieces.pids
    assert [detail.kernel_hash for detail in whole.ranges.details] == [f"c{at}" for at in range(20)]


def test_inductors_facts_are_kept_once(tmp_path: Path) -> None:
    """What Inductor exports about a launch is kept, equal facts once."""
    facts = {"kernel_hash": "cabc", "kernel_kwargs": "XBLOCK=256", "num_warps": 4, "stream": 0}
    events = [
        op("triton_poi_fused_add_0", at, 1, kernel_backend="triton", **facts) for at in (1, 3)
    ]

    ranges = load(tmp_path, text([*events, *pair()])).ranges

    assert ranges.detail_id.tolist() == [0, 0, -1]
    assert ranges.details == (
        RangeDetail(kernel_hash="cabc", kernel_kwargs="XBLOCK=256", backend="triton", num_warps=4),
    )


@pytest.mark.parametrize("layout", [SPACED, KINETO])
def test_events_without_this_or_that(tmp_path: Path, layout: str) -> None:
    """Events without cat, name or args are no obstacle; those without a duration are counted."""
    events: list[Event] = [
        {"ph": "X", "ts": 1, "dur": 1},
        {"ts": 1},
        {},
        {"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "ts": 5, "dur": 2, "args": None},
        {**kernel("never ended", 5, 1, 1), "dur": -3},
        {key: value for key, value in kernel("no end", 5, 1, 1).items() if key != "dur"},
    ]

    trace = load(tmp_path, text([*events, *pair()], layout))

    names = [trace.launches.names[at] for at in trace.launches.name_id]
    assert names == ["(no name)", "k"]
    assert [(notice.slug, notice.gap) for notice in trace.notices] == [
        ("events-without-duration", True)
    ]


def test_unexpected_types_cost_only_their_field(tmp_path: Path) -> None:
    """A field with an odd type counts as missing, its event doesn't."""
    odd = kernel("k", "1700000000000000.123", 5, 1, grid={"x": 1}, kernel_file=["a"])

    launches = load(tmp_path, text([{**odd, "tid": [7]}, *pair(2)])).launches

    assert launches.start_ns[0] == 1700000000000000123
    assert launches.correlation.tolist() == [1, 2]
    assert launches.stream[0] == 7


def test_the_environment_is_never_kept(tmp_path: Path) -> None:
    """Nothing of the blocks around the events, rank and GPU names apart, gets into the trace."""
    secret: Event = {"metadata": {"env": {"TOKEN": "hunter2"}}, "host_name": "hunter2"}

    assert "hunter2" not in repr(load(tmp_path, text(EVENTS, around=secret)))
    assert "hunter2" not in repr(load(tmp_path, text(EVENTS, late=True, around=secret)))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("block", [64, 1000, 1 << 20])
def test_lists_of_objects_in_events_are_no_events(tmp_path: Path, layout: str, block: int) -> None:
    """Arguments may hold more objects than a file has events: its layout is that of events."""
    inside = [{"k": 1}, {"k": 2}, {"k": 3}, {"k": 4}]
    events = [op(f"a{at}", at * 10, 5, x=inside) for at in range(20)]
    raw = KinetoReader(block=block).read(write(tmp_path / "t.json", text(events, layout)))

    assert [raw.ranges.names[at] for at in raw.ranges.name_id] == [f"a{at}" for at in range(20)]
    assert raw.notices == ()


def test_an_id_is_read_whatever_other_events_say(tmp_path: Path) -> None:
    """The older spelling of an external id counts in each event that has no other one."""
    rows = [op("a", 1, 1, **{"External id": 5}), op("b", 3, 1, **{"external id": 7})]

    raw = KinetoReader().read(write(tmp_path / "t.json", text(rows)))

    assert raw.ranges.external.tolist() == [5, 7]


@pytest.mark.parametrize("other", ["1.0", '"1700000000000000.25"'])
def test_a_time_is_read_whatever_other_events_say(tmp_path: Path, other: str) -> None:
    """Its decimal text is rounded, a half to even, beside times that no float holds and others."""
    event = '{{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":{},"dur":1}}'
    path = write(tmp_path / "t.json", f"[{event.format('1048577.0005')},{event.format(other)}]")

    assert KinetoReader().read(path).ranges.start_ns.tolist()[0] == 1048577000
