"""One slow launch does not decide a ranking without being said."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelmap
from kernelmap.attribution.records import Slow
from kernelmap.attribution.time_buckets import find_slow
from kernelmap.traces.assemble import assemble_trace
from showing import as_markdown, in_terminal
from speed.advice.diagnosed import diagnose, finding_of, slugs
from tiny import program
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace


def of_times(times: Sequence[int], kinds: Sequence[int] | None = None) -> Slow | None:
    """What decides a row of launches that took so long."""
    rows = np.arange(len(times)) + 10
    return find_slow(rows, np.array(times), np.array(kinds or [0] * len(times)))


def eager(*times: int, operator: str = "aten::mm") -> list[TraceRow]:
    """Runs of an operator whose kernels took so long."""
    rows: list[TraceRow] = []
    for at, time_ns in enumerate(times):
        begin = at * 10_000_000
        rows += [
            RangeRow(operator, begin, begin + 50),
            ApiRow("cudaLaunchKernel", begin + 10, begin + 20, correlation=at + 1),
            LaunchRow("gemm", begin + 100, begin + 100 + time_ns, correlation=at + 1),
        ]
    return rows


def test_one_of_four() -> None:
    """A launch that took more than half of the row's time is named with the row's median."""
    few = of_times([10, 2_660, 12, 11])

    assert few is not None
    assert (few.launches, few.of, few.time_ns, few.median_ns) == (1, 4, 2_660, 12)
    assert few.rows.tolist() == [11]


@pytest.mark.parametrize(
    "times",
    [[], [5], [1, 900], [10, 11, 12, 13], [100] * 10 + [10] * 30, [0, 0, 0]],
    ids=["none", "one", "two", "even", "a quarter is long", "no time"],
)
def test_a_row_that_no_few_launches_decide_says_nothing(times: list[int]) -> None:
    """Two launches have no usual one; many long ones are no exceptions."""
    assert of_times(times) is None


def test_half_of_the_time_is_not_more_than_half() -> None:
    """Where one launch holds exactly half, it takes the next one as well."""
    few = of_times([138, 100] + [1] * 38)

    assert few is not None
    assert (few.launches, few.time_ns) == (2, 238)


def test_kernels_of_another_kind_are_no_slow_launches() -> None:
    """A large kernel that always takes so long is not slow beside small ones of the same row."""
    small, large = [10] * 57, [1_000, 1_010, 990]
    kinds = [0] * 57 + [1] * 3

    assert of_times(small + large, kinds) is None
    assert of_times([*small, 10, 10, 1_500], kinds) is not None


@given(st.lists(st.integers(0, 10**6), max_size=60))
def test_what_is_said_holds(times: list[int]) -> None:
    """The few hold more than half of the time, and the mean is more than twice the median."""
    few = of_times(times)

    if few is not None:
        longest = sorted(times)[-few.launches :]
        assert sum(longest) == few.time_ns
        assert 2 * few.time_ns > sum(times)
        assert mean(times) > 2 * median(times)
        assert few.launches <= max(1, min(5, len(times) // 20))


def test_a_slow_launch_is_said_by_the_doctor() -> None:
    """The finding names row, number, time and median; a steady program has no such finding."""
    advice = diagnose(
        program(), assemble_trace(raw_trace(eager(10_000, 2_660_000, 12_000, 11_000)))
    )
    steady = diagnose(program(), assemble_trace(raw_trace(eager(10_000, 11_000, 12_000, 11_000))))

    said = finding_of(advice, "slow-launches").what
    assert "1 of 4 launches of aten.mm took 2.66 ms, where the median is 11.50 µs" in said
    assert finding_of(advice, "slow-launches").gaps[0].time_ns == 2_660_000
    assert "slow-launches" not in slugs(steady)


def test_what_hardly_counts_is_not_said_by_the_doctor() -> None:
    """A slow launch of less than a hundredth of the window decides no rank that matters."""
    rows = [
        *eager(10, 2_660, 12, 11, operator="aten::add"),
        RangeRow("aten::mm", 60_000_000, 60_000_050),
        ApiRow("cudaLaunchKernel", 60_000_010, 60_000_020, correlation=99),
        LaunchRow("gemm", 60_000_100, 61_000_100, correlation=99),
    ]

    assert "slow-launches" not in slugs(diagnose(program(), assemble_trace(raw_trace(rows))))


def test_a_real_profile_says_it_in_every_table(samples: Path) -> None:
    """One of three runs of a call was slow: op, call and line all show the time of the file."""
    folder = samples / "cpu_graph_breaks"
    result = kernelmap.correlate(folder)
    launches = result.tables.frame("launches")
    of_call = launches[launches["call"] == "2_inference/0"]
    with gzip.open(next(folder.rglob("trace.json.gz"))) as file:
        events = json.load(file)["traceEvents"]
    times = sorted(round(events[event]["dur"] * 1000) for event in of_call["event"])

    assert len(times) == 3
    assert mean(times) > 2 * median(times)
    for table, row in (("ops", "aten.mm"), ("calls", "2_inference/0")):
        frame = result.tables.frame(table)
        named = frame[frame["name" if table == "ops" else "call"] == row]
        assert named["slow_launches"].tolist() == [1]
        assert named["slow_ns"].tolist() == [times[-1]]
    assert result.lines["slow_ns"].max() == times[-1]
    for by in ("op", "call", "line"):
        for text in (
            in_terminal(result.tables, by=by, width=160).plain,
            as_markdown(result.tables, by=by),
        ):
            assert "4.51 ms" in text
            assert "slow launches" in text
    assert "slow-launches" in slugs(result.advice)


def test_a_result_without_the_columns_still_reads(samples: Path, tmp_path: Path) -> None:
    """A file of an earlier version has no slow launches: nothing is said of them."""
    path = tmp_path / "result.json"
    kernelmap.correlate(samples / "cpu_graph_breaks").to_json(path)
    document = json.loads(path.read_text())
    for table in ("ops", "modules", "calls", "lines"):
        for row in document[table]:
            del row["slow_launches"], row["slow_ns"]
    path.write_text(json.dumps(document))
    tables = kernelmap.load(path).tables

    assert tables.frame("ops")["slow_launches"].isna().all()
    assert "slow launches" not in in_terminal(tables, width=160).plain
