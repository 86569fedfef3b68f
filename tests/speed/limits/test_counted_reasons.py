"""What counters say of the recordings of an H100: reasons in pairs, bounds and bytes."""

from __future__ import annotations

import csv
import gzip
import io
from functools import cache
from pathlib import Path

import pytest

import kernelmap
from kernelmap.correlation import Correlation
from kernelmap.model.kernel_counters import KernelCounters
from kernelmap.model.roofline import Bound, CallSpeed, Slug, bound_of_counters
from kernelmap.speed.limits.counted_reasons import iter_counted_candidates
from kernelmap.traces.ncu.reader import read_kernel_counters

SAMPLES = Path(__file__).parents[3] / "sample_traces"
COUNTED = ("cuda_reason_pairs", "cuda_wide_llama", "cuda_wide_conv", "cuda_memory_graphs")
BALANCED = "well-balanced"
RULES = {
    "Memory is more heavily utilized": (Bound.MEMORY,),
    "Compute is more heavily utilized": (Bound.COMPUTE,),
    "utilizing greater than 80.0%": (Bound.MEMORY, Bound.COMPUTE),
    "low compute throughput": (Bound.LATENCY,),
    "grid is too small": (Bound.LATENCY,),
    BALANCED: tuple(Bound),
}
"""What ncu's rule SOLBottleneck says, and the bounds that it fits."""


@cache
def counted(sample: str, page: str = "detailed_raw") -> Correlation:
    return kernelmap.correlate(SAMPLES / sample, SAMPLES / sample / f"ncu_{page}.csv.gz")


def reasons_of(sample: str) -> dict[str, set[Slug]]:
    """All reasons that counters show, by the id of the call."""
    c = counted(sample)
    assert c.speeds is not None
    speeds = {speed.call: speed for speed in c.speeds.calls}
    (limits,) = c.speeds.devices.values()
    found: dict[str, set[Slug]] = {}
    for reason in iter_counted_candidates(c.program, speeds, limits):
        for position in reason.savings:
            graph, call = c.program.calls[position]
            found.setdefault(graph.call_id(call), set()).add(reason.slug)
    return found


def test_each_reason_has_the_half_of_a_pair_that_it_is_of() -> None:
    """Of the planted pairs the half with the cause has the reason, the other one has none."""
    found = reasons_of("cuda_reason_pairs")
    assert found["0_inference/0"] == {Slug.EXCESS_TRAFFIC}  # strided
    assert "1_inference/0" not in found
    assert found["5_inference/1"] == {Slug.L2_ATOMICS}  # all to one address
    assert "5_inference/0" not in found
    assert found["6_inference/0"] == {Slug.BUSY_SMS}  # erf, exp, sin and tanh
    assert "7_inference/0" not in found
    assert found["4_inference/0"] == {Slug.EXCESS_TRAFFIC}  # a gather of scattered rows
    assert set(found) == {"0_inference/0", "4_inference/0", "5_inference/1", "6_inference/0"}


def test_rotary_kernels_are_bound_by_instructions() -> None:
    """Sines and powers for each element keep the SMs busy, while little moves."""
    found = reasons_of("cuda_wide_llama")
    assert {call for call, slugs in found.items() if Slug.BUSY_SMS in slugs} == {
        "0_forward/2",
        "0_forward/3",
        "0_backward/10",
        "0_backward/11",
    }


@pytest.mark.sampled
@pytest.mark.parametrize("sample", COUNTED)
def test_reasons_save_no_more_than_the_time_of_their_calls(sample: str) -> None:
    """Those of counters are put beside those of the code, and nothing counts twice."""
    speeds = counted(sample).speeds
    assert speeds is not None
    saved: dict[int, int] = {}
    for reason in speeds.reasons:
        for call, ns in zip(reason.calls, reason.savings or (), strict=False):
            saved[call] = saved.get(call, 0) + ns
    for speed in speeds.calls:
        assert saved.get(speed.call, 0) <= speed.time_ns


def test_bounds_are_those_of_ncus_own_rule() -> None:
    """For 97 % of the time in ncu and more the rule of its details page says the same."""
    agreed = total = 0.0
    for sample in COUNTED:
        folder = SAMPLES / sample
        text = gzip.decompress((folder / "ncu_detailed_details.csv.gz").read_bytes()).decode()
        rules = {
            int(row["ID"]): row["Rule Description"]
            for row in csv.DictReader(io.StringIO(text))
            if row["Rule Name"] == "SOLBottleneck"
        }
        for at, counters in enumerate(read_kernel_counters(folder / "ncu_detailed_raw.csv.gz")):
            fitting = next(bounds for words, bounds in RULES.items() if words in rules[at])
            total += counters.time_ns or 0
            agreed += (counters.time_ns or 0) * (bound_of_counters(counters) in fitting)
    assert agreed / total > 0.97


def test_a_part_says_no_bound() -> None:
    """Without the SMs' share, or that of DRAM, nothing says which of them is the busier one."""
    assert bound_of_counters(KernelCounters(dram_percent=90)) is None
    assert bound_of_counters(KernelCounters(sm_percent=90)) is None
    assert bound_of_counters(KernelCounters(sm_percent=90, dram_percent=1)) is Bound.COMPUTE
    assert (
        bound_of_counters(KernelCounters(sm_percent=70, dram_percent=1, l2_percent=80))
        is Bound.MEMORY
    )
    assert bound_of_counters(KernelCounters(sm_percent=59, dram_percent=1)) is Bound.LATENCY


def _reads(speed: CallSpeed) -> tuple[int, int, bool]:
    """The bytes that all executions read and write by the code, and whether both are exact."""
    read = sum(it.bytes.most for it in speed.operands or () if not it.written)
    written = sum(it.bytes.most for it in speed.operands or () if it.written)
    exact = all(it.bytes.least == it.bytes.most for it in speed.operands or ())
    executions = speed.executions or 0
    return read * executions, written * executions, exact


def test_computed_reads_of_fused_kernels_hold_within_two_percent() -> None:
    """Of those that read 20 MB and more without holes; of writes up to 22 MB stay in L2."""
    checked = 0
    for sample in COUNTED:
        c = counted(sample)
        assert c.speeds is not None
        for speed in c.speeds.calls:
            backend = c.program.calls[speed.call][1].backend.value
            one, executions = speed.counted, speed.executions
            if backend != "triton" or one is None or not executions or one.dram_bytes is None:
                continue
            read, written, exact = _reads(speed)
            assert one.dram_written_bytes is not None
            if read < 20e6 * executions or not exact:
                continue
            checked += 1
            assert (one.dram_bytes - one.dram_written_bytes) / read == pytest.approx(1, abs=0.025)
            assert -3e6 < (written - one.dram_written_bytes) / executions < 22e6
    assert checked >= 20


@pytest.mark.sampled
@pytest.mark.parametrize("sample", COUNTED)
def test_a_limit_is_never_above_that_of_the_code(sample: str) -> None:
    """Counted bytes lower a limit where they are fewer; traffic beside the operands raises none."""
    plain, speeds = kernelmap.correlate(SAMPLES / sample).speeds, counted(sample).speeds
    assert plain is not None
    assert speeds is not None
    limits = {speed.call: speed for speed in plain.calls}
    for speed in speeds.calls:
        before = limits[speed.call]
        assert (speed.limit_ns is None) == (before.limit_ns is None)
        assert (speed.limit_ns or 0) <= (before.limit_ns or 0)
        assert speed.time_ns == before.time_ns
