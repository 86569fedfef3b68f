"""Self time is a range less what lies directly below it, as torch's own tables have it."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.busy_time import own_stretches, self_time_ns
from kernelmap.traces.assemble import assemble_trace
from trace_rows import RangeRow, raw_trace

TIMES = st.integers(0, 40)


@st.composite
def nested(draw: st.DrawFn) -> list[RangeRow]:
    """Ranges of two threads, each thread's nested in one another."""
    rows: list[RangeRow] = []
    for thread in (1, 2):
        open_ends = [1000]
        at = 0
        for _ in range(draw(st.integers(0, 12))):
            at += draw(TIMES)
            while at >= open_ends[-1]:
                open_ends.pop()
                if not open_ends:
                    break
            if not open_ends:
                break
            end = min(open_ends[-1], at + draw(TIMES))
            rows.append(RangeRow(f"aten::op{len(rows)}", at, end, thread=thread))
            open_ends.append(end)
    return rows


def by_a_stack(rows: list[RangeRow]) -> dict[str, int]:
    """What torch does: sort, keep a stack of parents, take the children's time off."""
    self_ns = {row.name: row.end_ns - row.start_ns for row in rows}
    threads = defaultdict(list)
    for row in rows:
        threads[row.thread].append(row)
    for members in threads.values():
        stack: list[RangeRow] = []
        for row in sorted(members, key=lambda row: (row.start_ns, -row.end_ns)):
            while stack and (row.start_ns >= stack[-1].end_ns or row.end_ns > stack[-1].end_ns):
                stack.pop()
            if stack:
                self_ns[stack[-1].name] -= row.end_ns - row.start_ns
            stack.append(row)
    return self_ns


@given(nested())
def test_self_time_is_that_of_a_stack(rows: list[RangeRow]) -> None:
    """Without a loop over ranges the answer is the same as with one."""
    ranges = assemble_trace(raw_trace(rows)).ranges
    times = self_time_ns(ranges, np.arange(len(ranges)))

    assert {ranges.name_of(at): int(ns) for at, ns in enumerate(times)} == by_a_stack(rows)


@given(nested())
def test_a_thread_is_in_one_stretch_at_a_time(rows: list[RangeRow]) -> None:
    """Stretches of one thread never overlap, and lie within their range."""
    ranges = assemble_trace(raw_trace(rows)).ranges
    pieces = own_stretches(ranges, np.arange(len(ranges)))
    opens, closes = ranges.start_ns[pieces.of], (ranges.start_ns + ranges.dur_ns)[pieces.of]
    order = np.lexsort((pieces.start_ns, ranges.thread[pieces.of]))
    same = np.diff(ranges.thread[pieces.of][order]) == 0

    assert (pieces.start_ns < pieces.end_ns).all()
    assert ((opens <= pieces.start_ns) & (pieces.end_ns <= closes)).all()
    assert (pieces.end_ns[order][:-1][same] <= pieces.start_ns[order][1:][same]).all()


def test_a_child_that_outlasts_its_parent_takes_no_more_than_there_is() -> None:
    """Kineto rounds: a child may end a microsecond late, and self time is never negative."""
    rows = [RangeRow("aten::linear", 0, 1000), RangeRow("aten::addmm", 0, 1500)]
    ranges = assemble_trace(raw_trace([rows[1], rows[0]])).ranges

    assert min(self_time_ns(ranges, np.arange(2))) >= 0


def test_operators_that_torch_does_not_list_are_part_of_their_caller() -> None:
    """key_averages has no row for `aten::_version`: its time is that of what asks for it."""
    rows = [RangeRow("aten::add_", 0, 100), RangeRow("aten::_version", 10, 30)]
    ranges = assemble_trace(raw_trace(rows)).ranges

    assert self_time_ns(ranges, np.array([0])).tolist() == [100]
