"""Raw columns become a linked trace."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.trace import Trace
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, CounterRow, LaunchRow, RangeRow, TraceRow, raw_trace


def host_side(trace: Trace) -> dict[str, str | None]:
    """The api call of every launch, by names."""
    apis = trace.apis
    return {
        trace.launches.names[name]: apis.names[apis.name_id[api]] if api >= 0 else None
        for name, api in zip(
            trace.launches.name_id.tolist(), trace.launches.api.tolist(), strict=True
        )
    }


def test_one_api_call_owns_a_whole_replay() -> None:
    """All launches of one correlation id belong to the one call that replayed them."""
    trace = assemble_trace(
        raw_trace(
            [ApiRow("cudaGraphLaunch", 0, 9, correlation=5)]
            + [LaunchRow(f"k{at}", 10 + at, 11 + at, correlation=5) for at in range(4)]
        )
    )

    assert trace.launches.api.tolist() == [0, 0, 0, 0]


def test_of_two_calls_with_one_id_the_launching_one_owns() -> None:
    """Where two api rows share an id the row that launches is taken, whatever stands first."""
    trace = assemble_trace(
        raw_trace(
            [
                ApiRow("cuCtxGetCurrent", 0, 1, correlation=5),
                ApiRow("cudaLaunchKernel", 2, 9, correlation=5),
                ApiRow("cuLaunchKernel", 3, 8, correlation=5),
                LaunchRow("k", 10, 11, correlation=5),
            ]
        )
    )

    assert host_side(trace) == {"k": "cudaLaunchKernel"}


def test_absent_ids_join_nothing() -> None:
    """A launch and an api call without correlation ids don't meet."""
    trace = assemble_trace(raw_trace([ApiRow("cudaLaunchKernel", 0, 9), LaunchRow("k", 10, 11)]))

    assert host_side(trace) == {"k": None}


def test_ids_of_two_processes_do_not_mix() -> None:
    """The same id in two processes of one file is two ids; without a process it is no id."""
    apis = [
        ApiRow("cudaLaunchKernel", 0, 1, correlation=5, pid="a"),
        ApiRow("cudaMemcpyAsync", 0, 1, correlation=5, pid="b"),
        ApiRow("cudaMemsetAsync", 0, 1, correlation=6, pid="b"),
    ]
    launches = [
        LaunchRow("ka", 10, 11, correlation=5, pid="a"),
        LaunchRow("kb", 10, 11, correlation=5, pid="b"),
        LaunchRow("either", 20, 21, correlation=5),
        LaunchRow("only b", 30, 31, correlation=6),
    ]

    trace = assemble_trace(raw_trace([*apis, *launches]))

    assert host_side(trace) == {
        "ka": "cudaLaunchKernel",
        "kb": "cudaMemcpyAsync",
        "either": None,
        "only b": "cudaMemsetAsync",
    }
    pids = [trace.processes[process].pid for process in trace.launches.process]
    assert pids == ["a", "b", None, "b"]


def test_external_id_helps_where_correlation_fails() -> None:
    """A launch without api call keeps the one operator that its external id names."""
    trace = assemble_trace(
        raw_trace(
            [
                RangeRow("aten::mm", 0, 9, external=3),
                RangeRow("twice", 10, 11, external=4),
                RangeRow("twice", 12, 13, external=4),
                LaunchRow("k", 20, 21, correlation=7, external=3),
                LaunchRow("ambiguous", 30, 31, correlation=8, external=4),
            ]
        )
    )

    assert trace.launches.api.tolist() == [-1, -1]
    assert trace.launches.range.tolist() == [0, -1]


def test_external_ids_that_repeat_the_correlation_name_nothing() -> None:
    """Old files write the correlation id twice: it is not taken for an operator's id."""
    trace = assemble_trace(
        raw_trace(
            [
                RangeRow("aten::mm", 0, 9, external=7),
                LaunchRow("k", 20, 21, correlation=7, external=7),
                LaunchRow("k", 30, 31, correlation=8, external=8),
            ]
        )
    )

    assert trace.launches.range.tolist() == [-1, -1]


def test_external_id_bridges_different_thread_ids() -> None:
    """A call with another thread number finds its operator by id, if that lies around it."""
    trace = assemble_trace(
        raw_trace(
            [
                RangeRow("aten::mm", 0, 100, thread=1, external=3),
                ApiRow("cudaLaunchKernel", 10, 20, correlation=7, thread=99, external=3),
                ApiRow("cudaLaunchKernel", 500, 600, correlation=8, thread=99, external=3),
            ]
        )
    )

    assert trace.apis.range.tolist() == [0, -1]


def test_an_event_that_is_written_twice_counts_once() -> None:
    """Equal launches and equal ranges are one, and a notice says so."""
    launch = LaunchRow("k", 10, 20, correlation=1)
    rows: list[TraceRow] = [
        RangeRow("op", 0, 9, external=2),
        RangeRow("op", 0, 9, external=2),
        RangeRow("no id", 0, 9),
        RangeRow("no id", 0, 9),
        launch,
        launch,
        LaunchRow("k", 10, 20, correlation=1, stream=8),
    ]

    trace = assemble_trace(raw_trace(rows))

    assert (len(trace.launches), len(trace.ranges)) == (2, 3)
    assert [notice.slug for notice in trace.notices] == ["repeated-events"]


def test_steps_are_read_in_the_order_of_time() -> None:
    """`ProfilerStep#N` ranges give the steps."""
    rows = [RangeRow("ProfilerStep#8", 50, 90), RangeRow("ProfilerStep#7", 0, 50)]

    steps = assemble_trace(raw_trace(rows)).steps

    assert [(step.number, step.start_ns, step.end_ns) for step in steps] == [
        (7, 0, 50),
        (8, 50, 90),
    ]


def test_a_lone_gpu_name_stands_for_unlisted_ids() -> None:
    """ROCm counts devices in two ways: one name for all GPUs is a name for any of them."""
    rows = [LaunchRow("k", 0, 1, device=2)]

    alike = assemble_trace(raw_trace(rows, gpus=[(0, "MI300X"), (1, "MI300X")]))
    mixed = assemble_trace(raw_trace(rows, gpus=[(0, "A100"), (1, "T4")]))

    assert [(device.id, device.name) for device in alike.devices] == [(2, "MI300X")]
    assert [device.name for device in mixed.devices] == [None]


@given(st.permutations(["a", "b", "c"]))
def test_the_order_of_sources_does_not_matter(order: list[str]) -> None:
    """Sources are sorted, and none of their processes, ids or names meet."""
    sources = {
        name: raw_trace(
            [
                RangeRow(f"op {name}", at, at + 9),
                ApiRow(f"launch {name}", at + 1, at + 2, correlation=1),
                LaunchRow(f"k {name}", at + 3, at + 4, correlation=1),
                RangeRow("cpp_fused_add_0", at + 5, at + 6),
            ],
            source=name,
            rank=at,
        )
        for at, name in enumerate("abc")
    }

    trace = assemble_trace(*(sources[name] for name in order))

    assert trace.sources == ("a", "b", "c")
    assert [process.rank for process in trace.processes] == [0, 1, 2]
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    for row, name in enumerate("abc"):
        gpu, host = 2 * row, 2 * row + 1
        api = launches.api[gpu]
        assert launches.names[launches.name_id[gpu]] == f"k {name}"
        assert apis.names[apis.name_id[api]] == f"launch {name}"
        assert ranges.name_of(apis.range[api]) == f"op {name}"
        assert launches.names[launches.name_id[host]] == "cpp_fused_add_0"
        assert ranges.parent[launches.range[host]] == apis.range[api]
        assert launches.process[gpu] == launches.process[host] == row
    assert trace.origin_ns == 0


def test_empty_columns_are_fine() -> None:
    """A source without rows gives a trace without rows."""
    trace = assemble_trace(raw_trace([]))

    assert (len(trace.launches), len(trace.apis), len(trace.ranges)) == (0, 0, 0)
    assert trace.steps == ()


def test_samples_of_all_sources_are_kept_apart() -> None:
    """Each sample knows its source; counters of one name and unit are one, others are several."""
    one = [CounterRow("Power", 5, 400.0, unit="W"), CounterRow("Power", 6, 0.4, unit="kW")]
    other = [CounterRow("SM Clock", 7, 1980.0, unit="MHz"), CounterRow("Power", 8, 300.0, unit="W")]

    counters = assemble_trace(
        raw_trace(other, source="b"), raw_trace([], source="c"), raw_trace(one, source="a")
    ).counters

    assert counters is not None
    rows = zip(
        counters.source.tolist(),
        counters.time_ns.tolist(),
        (counters.names[at] for at in counters.name_id.tolist()),
        (counters.units[at] for at in counters.name_id.tolist()),
        counters.value.tolist(),
        strict=True,
    )
    assert list(rows) == [
        (0, 5, "Power", "W", 400.0),
        (0, 6, "Power", "kW", 0.4),
        (1, 7, "SM Clock", "MHz", 1980.0),
        (1, 8, "Power", "W", 300.0),
    ]
    assert len(counters.names) == len(set(zip(counters.names, counters.units, strict=True)))


def test_without_samples_there_are_no_counters() -> None:
    """A trace in which nothing was sampled says so: None, not columns without rows."""
    assert assemble_trace(raw_trace([LaunchRow("k", 0, 1)])).counters is None
