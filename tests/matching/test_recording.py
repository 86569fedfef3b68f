"""What a recording covers, thread by thread: threads of one number in two processes are two."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.matching.host_side.recording import (
    activity_launched_by,
    extents_by_thread,
    extents_of_threads,
    outermost_launches,
)
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, RangeRow, raw_trace

PLACES = st.tuples(st.sampled_from(["1", "2"]), st.integers(1, 3))
SPANS = st.tuples(st.integers(0, 50), st.integers(1, 9), PLACES, st.booleans())


@given(st.lists(SPANS, min_size=1, max_size=12), st.lists(PLACES, max_size=6))
def test_the_extent_of_a_thread_holds_its_marked_ranges_and_no_more(
    spans: list[tuple[int, int, tuple[str, int], bool]], calls: list[tuple[str, int]]
) -> None:
    """It goes from the first start to the last end; api calls on other threads have none."""
    trace = assemble_trace(
        raw_trace(
            [
                *(
                    RangeRow("marked" if marked else "other", start, start + dur, thread, pid=pid)
                    for start, dur, (pid, thread), marked in spans
                ),
                *(
                    ApiRow("cudaLaunchKernel", 5, 6, thread=thread, pid=pid)
                    for pid, thread in calls
                ),
            ]
        )
    )
    ranges, apis = trace.ranges, trace.apis
    pids = [process.pid for process in trace.processes]
    marked_id = ranges.names.index("marked") if "marked" in ranges.names else -1
    extent_of_thread = extents_by_thread(ranges, ranges.name_id == marked_id)

    expected: dict[tuple[str, int], tuple[int, int]] = {}
    for start, dur, place, marked in spans:
        if marked:
            first, last = expected.get(place, (start, start + dur))
            expected[place] = min(first, start), max(last, start + dur)
    assert {
        (pids[process], thread): extent for (process, thread), extent in extent_of_thread.items()
    } == (expected)

    begins, ends, there = extents_of_threads(apis, extent_of_thread)
    for row, (process, thread) in enumerate(
        zip(apis.process.tolist(), apis.thread.tolist(), strict=True)
    ):
        place = pids[process], thread
        assert bool(there[row]) == (place in expected)
        if there[row]:
            assert (int(begins[row]), int(ends[row])) == expected[place]


_HEIGHTS = ("hipExtLaunchMultiKernelMultiDevice", "hipLaunchKernel", "urEnqueueKernelLaunch")
_CALL = st.tuples(st.sampled_from(_HEIGHTS), st.integers(0, 3), st.integers(1, 2))


@given(st.lists(_CALL, max_size=8))
def test_calls_within_a_launch_are_that_launch(calls: list[tuple[str, int, int]]) -> None:
    """Of calls within one another the outer one launches; neighbours and copies are their own."""
    rows: list[ApiRow] = []
    outer: list[int] = []
    at = 10
    for name, inside, thread in calls:
        first = len(rows)
        rows.append(ApiRow(name, at, at + 10 * inside + 8, thread=thread))
        rows.append(ApiRow("cudaMemcpyAsync", at + 1, at + 2, thread=thread))
        outer += [first, first + 1]
        for number in range(inside):
            begin = at + 10 * number + 4
            rows.append(ApiRow("cuLaunchKernel", begin, begin + 2, thread=thread))
            outer.append(first)
        at += 10 * inside + 8
    apis = assemble_trace(raw_trace(rows)).apis
    order = {int(event): row for row, event in enumerate(apis.event.tolist())}

    found = outermost_launches(apis)
    assert [int(found[order[event]]) for event in range(len(rows))] == [order[at] for at in outer]
    launched = activity_launched_by(apis)
    assert int((launched >= 0).sum()) == 2 * len(calls)
