"""What Nsight Compute counted stands in the rows of calls and kernels, and nowhere by guess."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kernelmap
from kernelmap.attribution.kernel_counters import CountedRow, count_launches, sum_up_counters
from kernelmap.correlation import Correlation
from kernelmap.model import Confidence
from kernelmap.model.kernel_counters import KernelCounters, mean_counters
from kernelmap.pages.columns import say_counters
from kernelmap.tables.schema import COUNTERS
from tiny import Timeline

SAMPLES = Path(__file__).parents[2] / "sample_traces"
NAMES = [column.name for column in COUNTERS]


@cache
def counted(sample: str, page: str) -> Correlation:
    return kernelmap.correlate(SAMPLES / sample, SAMPLES / sample / f"ncu_{page}.csv.gz")


def row_of(c: Correlation, wrapper: str, table: str = "calls") -> dict[str, object]:
    return next(dict(row) for row in c.tables.rows(table) if row["wrapper"] == wrapper)


@pytest.mark.parametrize("table", ["calls", "kernels"])
def test_a_call_has_what_was_counted_of_it(table: str) -> None:
    """The columns are those of the page: `triton_poi_fused_erf_exp_sin_tanh_0` keeps SMs busy."""
    row = row_of(
        counted("cuda_reason_pairs", "detailed_raw"), "triton_poi_fused_erf_exp_sin_tanh_0", table
    )
    assert row["ncu_launches"] == row["launches"]
    assert row["ncu_confidence"] == "inferred"
    assert row["ncu_sm_percent"] == pytest.approx(91.79156)
    assert row["ncu_dram_percent"] == pytest.approx(13.35785)
    assert row["ncu_l2_hit_percent"] == pytest.approx(51.40544)
    assert row["ncu_occupancy_percent"] == pytest.approx(95.96398)
    assert row["ncu_registers"] == 19
    assert row["ncu_local_bytes"] == 0
    assert row["ncu_stalls"] == ["math pipe throttle 9 %", "wait 9 %", "long scoreboard 5 %"]


def test_what_a_report_does_not_have_is_null() -> None:
    """`--set basic` has no bytes, hit rates or stalls; the details page no tensor cores."""
    wrapper = "triton_poi_fused_erf_exp_sin_tanh_0"
    basic = row_of(counted("cuda_reason_pairs", "basic_raw"), wrapper)
    assert (basic["ncu_l2_hit_percent"], basic["ncu_stalls"], basic["bytes_from"]) == (
        None,
        None,
        "computed",
    )
    assert basic["bound_from"] == "measured"
    shown = row_of(counted("cuda_reason_pairs", "detailed_details"), wrapper)
    assert shown["ncu_tensor_percent"] is None
    assert shown["bytes_from"] == "measured"
    assert shown["ncu_sm_percent"] == pytest.approx(91.79)


def test_without_a_report_all_of_them_are_null() -> None:
    """No column is made up from what was not counted."""
    for name in ("calls", "kernels"):
        for row in kernelmap.correlate(SAMPLES / "cuda_wide_conv").tables.rows(name):
            assert all(row[column] is None for column in NAMES)
            assert row["bytes_from"] in (None, "computed")


def test_measured_bytes_go_before_computed_ones() -> None:
    """A kernel that reads one element of every cache line moves 8.5 times its operands."""
    row = row_of(counted("cuda_reason_pairs", "detailed_raw"), "triton_poi_fused_add_mul_select_0")
    assert row["computed_bytes"] == 3 * 16_777_216
    assert row["bytes"] == 3 * 142_961_152
    assert (row["bytes_from"], row["bound"]) == ("measured", "memory")
    # The limit is that of the operands: what moves besides could be won.
    assert row["share_of_limit"] == pytest.approx(0.083, abs=0.001)


def test_rates_weigh_by_time_and_bytes_by_launches() -> None:
    """Of a long and a short launch of one kernel the percents are those of the long one, nearly."""
    long = KernelCounters(time_ns=900, dram_percent=10, dram_bytes=100, registers=40)
    short = KernelCounters(time_ns=100, dram_percent=90, dram_bytes=300, registers=20)
    mean = mean_counters([long, short])
    assert mean.dram_percent == pytest.approx(18)
    assert mean.dram_bytes == 200
    assert mean.registers == 40


def test_bytes_are_known_where_every_kernel_was_counted() -> None:
    """Of a call with a kernel that no report has, no sum is given, but shares are."""
    launches = Timeline().launch("a").launch("b").launch("a").trace().launches
    call, tokens = launches.name_id * 0, launches.name_id
    a = int(tokens[0])
    rows = [CountedRow(0, a, Confidence.INFERRED, KernelCounters(dram_bytes=7, sm_percent=50))]
    known = count_launches(call, tokens, rows)
    one = sum_up_counters(known, launches, np.arange(3))
    assert one is not None
    assert (one.launches, one.missing, one.dram_bytes) == (2, 1, None)
    assert one.counters.sm_percent == 50
    both = sum_up_counters(known, launches, np.array([0, 2]))
    assert both is not None
    assert both.dram_bytes == 14
    assert sum_up_counters(known, launches, np.array([1])) is None


def test_the_report_page_says_what_was_counted() -> None:
    """The chosen call of the report has its counters in a line."""
    c = counted("cuda_reason_pairs", "detailed_raw")
    row = next(it for it in c.tables.rows("calls") if it["wrapper"] == "triton_red_fused_sum_0")
    said = say_counters(row)
    assert said is not None
    assert said.startswith("DRAM ")
    assert "registers" in said
    assert "warps stall: long scoreboard" in said


def test_json_has_them(tmp_path: Path) -> None:
    """They go into files as any other column, and come back."""
    c = counted("cuda_reason_pairs", "basic_raw")
    path = tmp_path / "result.json"
    c.to_json(path)
    row = json.loads(path.read_text())["calls"][0]
    assert set(NAMES) <= set(row)
    loaded = kernelmap.load(path)
    assert list(loaded.calls["ncu_registers"]) == list(c.calls["ncu_registers"])
