"""Tables that nsys prints about kernels stand in for a profile, as far as they go."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from kernelmap.errors import KernelmapError
from kernelmap.model import Activity
from kernelmap.model.paths import ROWS
from kernelmap.traces import is_trace, load_trace
from kernelmap.traces.nsys.stats_table import kernel_sums, memory_sums
from kernelmap.traces.sums import KernelSum

SUMMARY = """\
Processing [run.sqlite] with [cuda_gpu_kern_sum.py]...

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

 Time (%)  Total Time (ns)  Instances  Avg (ns)      Name
 --------  ---------------  ---------  --------  ------------
     85.6        1,519,081        600    2531.8  triton__0d1c
     14.4          255,971        100    2559.7  triton__0d1

"""
BOXED = """\
 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

+----------+-----------------+-----------+--------------+
| Time (%) | Total Time (ns) | Instances |     Name     |
+----------+-----------------+-----------+--------------+
|     85.6 |         1519081 |       600 | triton__0d1c |
|     14.4 |          255971 |       100 | triton__0d1  |
+----------+-----------------+-----------+--------------+

"""
EXECUTIONS = """\
 ** CUDA Kernel Launch & Exec Time Summary (cuda_kern_exec_sum):

 PID  TID  DevId  Count  QCount  TAvg (ns)  KAvg (ns)     API Name     Kernel Name
 ---  ---  -----  -----  ------  ---------  ---------  --------------  ------------
   7    1      0    100     100     7852.1     2559.7  cuLaunchKernel  triton__0d1
   7    1      1    600     600     7527.1     2531.8  cuLaunchKernel  triton__0d1c
"""
CSV = """\
Time (%),Total Time (ns),Instances,Avg (ns),Name
85.6,1519081,600,2531.8,triton__0d1c
14.4,255971,100,2559.7,"void f<int, long>(T1, T2)"
"""
MEMORY = """\
 ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum):

 Time (%)  Total Time (ns)  Count  Avg (ns)           Operation
 --------  ---------------  -----  ---------  ----------------------------
     71.2          848,963      2  424,481.5  [CUDA memcpy Host-to-Device]
     28.8           34,285      1   34,285.0  [CUDA memset]

"""
NO_MEMORY = "SKIPPED: run.sqlite does not contain GPU memory data.\n"
EVERYTHING = """\
Time (%),Total Time (ns),Instances,Avg (ns),Category,Operation
85.6,1519081,600,2531.8,CUDA_KERNEL,triton__0d1c
10.0,848963,2,424481.5,MEMORY_OPER,[CUDA memcpy Host-to-Device]
"""
OTHERS = """\
 ** CUDA API Summary (cuda_api_sum):

 Time (%)  Total Time (ns)  Num Calls  Avg (ns)        Name
 --------  ---------------  ---------  --------  ----------------
    100.0             1000          5     200.0  cudaLaunchKernel

"""
WRAPPERS = {
    "triton_poi_fused_lift_fresh_0": 200,
    "triton_poi_fused_lift_fresh_2": 100,
    "triton_poi_fused_lift_fresh_3": 100,
    "triton_poi_fused_lift_fresh_4": 100,
    "triton_poi_fused_lift_fresh_5": 100,
}


def written(folder: Path, text: str) -> Path:
    path = folder / "kernels.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("text", [SUMMARY, BOXED, OTHERS + SUMMARY, SUMMARY + EXECUTIONS])
def test_the_summary_of_kernels_is_read_wherever_it_stands(text: str) -> None:
    """Of several reports the one about kernels counts, and it counts once."""
    assert kernel_sums(text) == [
        KernelSum(name="triton__0d1c", launches=600, time_ns=1_519_081, exact=True),
        KernelSum(name="triton__0d1", launches=100, time_ns=255_971, exact=True),
    ]


def test_the_report_of_executions_states_means() -> None:
    """Its times are rounded means, its rows those of a process and a device."""
    assert kernel_sums(EXECUTIONS) == [
        KernelSum(
            name="triton__0d1", launches=100, time_ns=255_970, exact=False, pid="7", device=0
        ),
        KernelSum(
            name="triton__0d1c", launches=600, time_ns=1_519_080, exact=False, pid="7", device=1
        ),
    ]


def test_csv_keeps_commas_in_names() -> None:
    """A quoted name is one cell."""
    assert [kernel_sum.name for kernel_sum in kernel_sums(CSV)] == [
        "triton__0d1c",
        "void f<int, long>(T1, T2)",
    ]


@pytest.mark.parametrize(
    ("unit", "factor"), [("ns", 1), ("us", 1_000), ("ms", 10**6), ("s", 10**9)]
)
def test_times_may_be_in_any_unit(unit: str, factor: int) -> None:
    """`nsys stats --timeunit` changes header and numbers."""
    (row,) = kernel_sums(f"Total Time ({unit}),Instances,Name\n1.5,3,k\n")

    assert row.time_ns == round(1.5 * factor)


@pytest.mark.parametrize("text", ["", OTHERS, "a,b\n1,2\n", SUMMARY.splitlines()[4]])
def test_what_says_nothing_of_kernels_is_no_profile(text: str, tmp_path: Path) -> None:
    """Other reports and headers without rows are left alone."""
    assert not is_trace(written(tmp_path, text))


def test_numbers_and_sums_are_those_of_the_table(tmp_path: Path) -> None:
    """Every launch is a row, their durations add up to the nanosecond, and the notice says more."""
    trace = load_trace(written(tmp_path, SUMMARY))
    launches = trace.launches

    assert len(launches) == 700
    assert int(launches.dur_ns.sum()) == 1_519_081 + 255_971
    assert [notice.slug for notice in trace.notices] == ["sums-only", "memory-sums-missing"]


def csv_of(table: str) -> str:
    """A printed table as `--format csv` writes it, by its columns of spaces."""
    lines = [line for line in table.splitlines() if line[:2] == "  " or "(%)" in line]
    cells = [re.split(r"  +", line.strip()) for line in lines]
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in cells) + "\n\n"


@pytest.mark.parametrize("text", [SUMMARY + MEMORY, MEMORY + SUMMARY, CSV + "\n" + csv_of(MEMORY)])
def test_copies_and_memsets_count_as_well(text: str, tmp_path: Path) -> None:
    """Sums by activity are those that the text prints, added up without the reader."""
    launches = load_trace(written(tmp_path, text)).launches
    printed = re.findall(r"([\d,]+)\W+(\d+)\W+[\d,.]+\W+CUDA (mem\w+)", MEMORY)

    assert len(printed) == 2
    for time, count, what in printed:
        of_activity = launches.take_rows(launches.activity == Activity[what.upper()])
        assert (len(of_activity), int(of_activity.dur_ns.sum())) == (
            int(count),
            int(time.replace(",", "")),
        )
    kernels = launches.take_rows(launches.activity == Activity.KERNEL)
    assert int(kernels.dur_ns.sum()) == 1_519_081 + 255_971


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SUMMARY, True),
        (SUMMARY + MEMORY, False),
        (SUMMARY + NO_MEMORY, False),
        (EVERYTHING, False),
    ],
    ids=["unsaid", "table", "none", "everything"],
)
def test_a_missing_table_of_memory_operations_is_said(
    text: str, said: bool, tmp_path: Path
) -> None:
    """Without the table nothing says whether copies ran: a gap, unless nsys says there are none."""
    notices = load_trace(written(tmp_path, text)).notices

    assert any(notice.slug == "memory-sums-missing" and notice.gap for notice in notices) == said


def test_the_report_of_all_work_has_both() -> None:
    """Its categories distinguish kernels from memory operations."""
    assert [kernel_sum.name for kernel_sum in kernel_sums(EVERYTHING)] == ["triton__0d1c"]
    assert memory_sums(EVERYTHING) == [
        KernelSum(
            name="[CUDA memcpy Host-to-Device]",
            launches=2,
            time_ns=848_963,
            exact=True,
            activity=Activity.MEMCPY,
        )
    ]


@pytest.mark.parametrize("text", [SUMMARY, BOXED, EXECUTIONS, CSV])
def test_which_divides_the_launches_of_a_printed_name(
    text: str, samples: Path, tmp_path: Path
) -> None:
    """600 launches over six calls a run are five kernels, 200 for the one that runs twice."""
    code = samples / "thread_lift_fresh" / "output_code.py"
    hits = kernelmap.which("triton__0d1c", code, written(tmp_path, text))

    assert {hit.wrapper: hit.launches for hit in hits} == WRAPPERS


def test_which_names_no_place_for_launches_of_a_table(samples: Path, tmp_path: Path) -> None:
    """A table tells neither a stream nor an order, and what it counts ran on no CPU."""
    code = samples / "thread_lift_fresh" / "output_code.py"
    for hit in kernelmap.which("triton__0d1", code, written(tmp_path, SUMMARY)):
        said = " ".join(hit.evidence)
        assert "on the CPU" not in said
        assert "after" not in said


@pytest.mark.parametrize("text", [SUMMARY, BOXED, EXECUTIONS, CSV])
def test_explain_claims_no_time_and_no_place_for_a_row_of_sums(
    text: str, samples: Path, tmp_path: Path
) -> None:
    """What the table does not say, such as when a launch ran and on which GPU, is not made up."""
    code = samples / "thread_lift_fresh" / "output_code.py"
    correlation = kernelmap.correlate(code, written(tmp_path, text))
    row = str(correlation.launches.index[-1])
    said = " ".join(correlation.explain(row).evidence)
    assert "is the mean of" in said
    assert " ms on " not in said
    assert "device 0" not in said
    with pytest.raises(kernelmap.KernelmapError) as error:
        correlation.at("1us")
    assert error.value.slug == "nothing-there"
    assert "table of sums" in error.value.message


def test_a_table_can_be_correlated_by_kernel(samples: Path, tmp_path: Path) -> None:
    """Names from the code stand beside the sums of the table."""
    code = samples / "thread_lift_fresh" / "output_code.py"
    correlation = kernelmap.correlate(code, written(tmp_path, SUMMARY))
    kernels = correlation.kernels.set_index("device_name")

    assert kernels.loc["triton__0d1", "wrapper"] == "triton_poi_fused_arange_1"
    assert kernels["time_ns"].sum() == 1_519_081 + 255_971


def test_names_that_the_table_cut_off_are_noted(tmp_path: Path) -> None:
    """They fit no kernel, and CSV has them whole."""
    trace = load_trace(written(tmp_path, SUMMARY.replace("triton__0d1c", "triton__0d…  ")))

    assert [notice.slug for notice in trace.notices] == [
        "sums-only",
        "memory-sums-missing",
        "names-cut-off",
    ]


def test_more_launches_than_rows_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sum needs no row per launch: a row then stands for several, and all sums are right."""
    monkeypatch.setattr("kernelmap.traces.sums.ROWS", replace(ROWS, most=1_000))
    text = CSV.replace("1519081,600,", "250000000000007,99999999999,")
    trace = load_trace(written(tmp_path, text))
    result = kernelmap.correlate(written(tmp_path, text))
    kernels = result.kernels.set_index("device_name")["launches"]

    assert len(trace.launches) <= 1_002
    assert trace.launches.count_launches(np.arange(len(trace.launches))) == 100_000_000_099
    assert int(trace.launches.dur_ns.sum()) == 250_000_000_000_007 + 255_971
    assert kernels.to_dict() == {"triton__0d1c": 99_999_999_999, "void f<int, long>(T1, T2)": 100}
    assert result.tables.summary.launches == 100_000_000_099
    assert result.ledger["launches"].sum() == 100_000_000_099


def test_launches_that_no_profile_holds_are_refused(tmp_path: Path) -> None:
    """A table can claim more than a number of 64 bits can add up."""
    with pytest.raises(KernelmapError) as caught:
        load_trace(written(tmp_path, CSV.replace(",600,", f",{'9' * 18},")))

    assert caught.value.slug == "nsys-stats-too-large"


NAMES = st.text(
    st.characters(categories=("L", "N", "P", "Zs"), exclude_characters="\n\r…"), min_size=1
)


@given(rows=st.lists(st.tuples(NAMES, st.integers(1, 10**6), st.integers(0, 10**15)), min_size=1))
def test_csv_comes_back_as_it_was_written(rows: list[tuple[str, int, int]]) -> None:
    """Whatever stands in a name, name, number and time are read back."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["Time (%)", "Total Time (ns)", "Instances", "Name"])
    writer.writerows([["1.0", time, number, name] for name, number, time in rows])
    sums = kernel_sums(out.getvalue())

    assert [
        (kernel_sum.name, kernel_sum.launches, kernel_sum.time_ns) for kernel_sum in sums
    ] == rows
