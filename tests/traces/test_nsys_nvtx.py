"""NVTX rows become ranges: which ones, under which names, and which lies around which."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.trace import Incomplete, RangeKind, Trace
from kernelmap.traces import load_trace
from kernelmap.traces.range_texts import kind_of_range, split_range_text
from traces.small_nsys import (
    NVTX,
    RUNTIME,
    Record,
    api,
    gid,
    kernel,
    launched,
    push_pop,
    strings,
    write_export,
)


def traced(path: Path, *rows: Record, **more: list[Record]) -> Trace:
    """A trace of `rows` and one kernel that is launched at 1 to 3."""
    return load_trace(
        write_export(path / "x.sqlite", launched(kernel(900, 950), **{NVTX: rows}, **more))
    )


def parents(trace: Trace) -> dict[str, str | None]:
    ranges = trace.ranges
    return {
        ranges.name_of(row): ranges.name_of(parent) if parent >= 0 else None
        for row, parent in enumerate(ranges.parent.tolist())
    }


def test_ranges_nest_by_time_on_their_thread(tmp_path: Path) -> None:
    """A range lies in the tightest one around it, of its own thread and process only."""
    trace = traced(
        tmp_path,
        push_pop(0, 100, "outer"),
        push_pop(10, 90, "inner"),
        push_pop(20, 30, "leaf"),
        push_pop(20, 30, "other thread", globalTid=gid(7, 2)),
        push_pop(20, 30, "other process", globalTid=gid(8, 1)),
    )

    assert parents(trace) == {
        "outer": None,
        "inner": "outer",
        "leaf": "inner",
        "other thread": None,
        "other process": None,
    }


def test_nanoseconds_are_taken_at_their_word(tmp_path: Path) -> None:
    """What ends a nanosecond after a range is not in it: nsys rounds nothing."""
    trace = traced(tmp_path, push_pop(0, 100, "around"), push_pop(50, 101, "astride"))

    assert parents(trace) == {"around": None, "astride": None}


def test_an_api_call_lies_in_the_innermost_range(tmp_path: Path) -> None:
    """The launching call finds its range, not the range that merely began last."""
    trace = traced(tmp_path, push_pop(0, 100, "op"), push_pop(0, 2, "ended too early"))

    assert trace.ranges.name_of(int(trace.apis.range[trace.launches.api[0]])) == "op"


def test_other_domains_marks_and_start_end_ranges_stay_out(tmp_path: Path) -> None:
    """They may cross torch's ranges, so they are no host side of anything."""
    trace = traced(
        tmp_path,
        push_pop(0, 100, "torch"),
        push_pop(0, None, "NCCL", eventType=75, domainId=3),
        push_pop(0, 50, "ncclSend", domainId=3),
        push_pop(0, 50, "start/end", eventType=60),
        push_pop(1, None, "mark", eventType=34),
    )

    assert trace.ranges.names == ("torch",)


def test_the_domain_of_a_capture_is_read(tmp_path: Path) -> None:
    """Ranges of the domain `kernelmap` nest among torch's; domains are numbered per process."""
    created = push_pop(0, None, None, eventType=75, domainId=4, textId=3)
    trace = traced(
        tmp_path,
        created,
        push_pop(0, 100, "graph", domainId=4),
        push_pop(10, 20, "op"),
        push_pop(30, 40, "foreign", domainId=4, globalTid=gid(8, 1)),
        StringIds=strings("sgemm", "cudaLaunchKernel_v7000", "kernelmap"),
    )

    assert parents(trace) == {"graph": None, "op": "graph"}


@pytest.mark.parametrize("duration", [[], [{"duration": 5_000}]], ids=["unknown", "known"])
def test_a_range_that_stayed_open_ends_with_the_recording(
    duration: list[Record], tmp_path: Path
) -> None:
    """Its end is NULL; nsys before 2025 wrote the length of the recording instead."""
    more = {"ANALYSIS_DETAILS": duration} if duration else {}
    trace = traced(tmp_path, push_pop(5, None, "open"), push_pop(6, 40, "closed"), **more)
    ends = (trace.ranges.start_ns + trace.ranges.dur_ns).tolist()

    assert parents(trace) == {"open": None, "closed": "open"}
    assert ends == [5_000 if duration else 40, 40]


@pytest.mark.parametrize("end", [None, 5_000], ids=["absent", "length"])
def test_a_step_that_stayed_open_is_cut(end: int | None, tmp_path: Path) -> None:
    """Its end is not known; of steps that ended before, the last is complete as well."""
    length: list[Record] = [{"duration": 5_000}] if end else []
    rows = [push_pop(0, 40, "ProfilerStep#6"), push_pop(50, end, "ProfilerStep#7")]
    more = {"ANALYSIS_DETAILS": length} if length else {}
    (tmp_path / "ended").mkdir()
    cut, ended = traced(tmp_path, *rows, **more), traced(tmp_path / "ended", rows[0], **more)

    assert [it.incomplete for it in (*cut.steps, *ended.steps)] == [None, Incomplete.AT_END, None]


def test_a_registered_string_goes_before_the_text(tmp_path: Path) -> None:
    """Names stand in the row or under an id; a row with neither has none."""
    trace = traced(
        tmp_path,
        push_pop(0, 9, None, textId=1),
        push_pop(1, 8, "inline"),
        push_pop(2, 7, "inline", textId=99),
        push_pop(3, 6, None),
    )

    assert [trace.ranges.name_of(row) for row in range(4)] == [
        "sgemm",
        "inline",
        "inline",
        "(no name)",
    ]


def test_emit_nvtx_writes_operators_with_sequence_numbers(tmp_path: Path) -> None:
    """What torch's `emit_nvtx` adds to a name is read, and the name is the profiler's own."""
    trace = traced(
        tmp_path,
        push_pop(0, 99, "ProfilerStep#3, op_id = 1"),
        push_pop(1, 98, "## Call CompiledFxGraph fkey ##, op_id = 2"),
        push_pop(2, 97, "aten::addmm, seq = 3, op_id = 4, sizes = [[8], [8, 16]]"),
        push_pop(3, 96, "triton_poi_fused_add_0, op_id = 5"),
    )
    ranges = trace.ranges

    assert ranges.names == (
        "ProfilerStep#3",
        "## Call CompiledFxGraph fkey ##",
        "aten::addmm",
        "triton_poi_fused_add_0",
    )
    assert ranges.sequence.tolist() == [-1, -1, 3, -1]
    assert ranges.kind.tolist() == [
        RangeKind.ANNOTATION,
        RangeKind.ANNOTATION,
        RangeKind.OP,
        RangeKind.OP,
    ]
    assert [step.number for step in trace.steps] == [3]


def test_times_are_the_wall_clock_s_where_it_is_known(tmp_path: Path) -> None:
    """Exports of several ranks lie beside each other; time 0 of the session is kept."""
    epoch = 1_779_630_014_975_716_426
    trace = traced(
        tmp_path, push_pop(0, 9, "a"), TARGET_INFO_SESSION_START_TIME=[{"utcEpochNs": epoch}]
    )

    assert trace.launches.start_ns.tolist() == [epoch + 900]
    assert trace.zeros_ns == (epoch,)
    assert trace.origin_ns == epoch


def test_versions_behind_api_names_are_dropped(tmp_path: Path) -> None:
    """`cudaLaunchKernel_v7000` is cudaLaunchKernel; a driver call's own suffix stays."""
    rows = [api(1, 3), api(4, 5, nameId=3, eventClass=1, correlationId=2)]
    names = strings("sgemm", "cudaLaunchKernel_v7000", "cuMemcpyHtoD_v2")
    trace = traced(tmp_path, **{RUNTIME: rows, "StringIds": names})

    assert trace.apis.names == ("cudaLaunchKernel", "cuMemcpyHtoD_v2")


@given(
    name=st.text(alphabet="abc:, =#[]()0123", min_size=1).filter(lambda text: ", " not in text),
    sequence=st.none() | st.integers(0, 2**62),
    stashed=st.booleans(),
    op_id=st.none() | st.integers(0, 2**62),
    sizes=st.none() | st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=3),
)
def test_the_tail_of_a_text_is_never_part_of_its_name(
    name: str, sequence: int | None, op_id: int | None, sizes: object, *, stashed: bool
) -> None:
    """Whatever parts emit_nvtx writes, the name in front of them comes back."""
    tail = f", {'stashed ' * stashed}seq = {sequence}" * (sequence is not None)
    tail += f", op_id = {op_id}" * (op_id is not None) + f", sizes = {sizes}" * (sizes is not None)

    assert split_range_text(name + tail) == (name, -1 if sequence is None else sequence)


@pytest.mark.parametrize(
    "text", ["a, b", "f(x, seq)", "step, op_id", "x, op_id = 3b", "a, seq = -2"]
)
def test_commas_in_names_of_users_are_kept(text: str) -> None:
    """Only what torch writes is cut off."""
    assert split_range_text(text) == (text, -1)


def test_what_users_annotate_is_no_operator() -> None:
    """Names of torch's own are operators; any other range only decorates."""
    operators = ("aten::mm", "triton_poi_0", "Torch-Compiled Region: 0/0", "CompiledFunction")
    others = ("forward", "layer 1", "Optimizer.step#Adam.step", "inductor_do_bench_using_profiling")

    assert {kind_of_range(name) for name in operators} == {RangeKind.OP}
    assert {kind_of_range(name) for name in others} == {RangeKind.ANNOTATION}
