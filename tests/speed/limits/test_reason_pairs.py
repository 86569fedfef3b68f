"""Reasons held against counters of an H100: pairs of kernels with and without each, and bounds.

sample_traces/cuda_reason_pairs has pairs of functions (scripts/gpu_cases/reasons.py), the slow one
first, and what Nsight Compute counted of one run of each.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from kernelmap import Correlation, correlate
from kernelmap.model.roofline import CallSpeed, Roofline, Slug
from kernelmap.model.work import CodeEvidence
from kernelmap.speed.limits.code_reasons import iter_candidates
from kernelmap.speed.work import evidence_of_code, works_of_calls
from kernelmap.traces.occupancy import read_occupancies
from ncu_pages import MeasuredLaunch, measured_launches, rows_of_launches

SAMPLES = Path(__file__).parents[3] / "sample_traces"
PAIRS = SAMPLES / "cuda_reason_pairs"
COUNTED = ("cuda_reason_pairs", "cuda_wide_llama", "cuda_wide_conv", "cuda_memory_graphs")

# Per pair: the measured launches of the slow half and of the fast one, and the reason between them.
HALVES = [
    ((0,), (1,), Slug.STRIDED_ACCESS),
    ((2,), (3,), Slug.UNEVEN_ROWS),
    ((4,), (5,), Slug.SCATTERED_ACCESS),
    ((6, 7), (8, 9), Slug.CONTENDED_ATOMICS),
    ((10,), (11,), Slug.COSTLY_FUNCTIONS),
    ((12, 13), (14,), Slug.SPLIT_REDUCTION),
    ((12,), (14,), Slug.UNEVEN_ROWS),
    ((12,), (14,), Slug.LAST_WAVE),
    ((15,), (16,), Slug.START_AND_END),
    ((17, 18, 19), (20,), Slug.PADDING_COPY),
    ((21,), (22,), Slug.FLOAT32_PRODUCT),
]


@cache
def found(sample: str) -> Correlation:
    return correlate(SAMPLES / sample)


@cache
def speeds_of(sample: str) -> Roofline:
    return found(sample).roofline().tables.roofline


@cache
def evidence_of(sample: str) -> CodeEvidence:
    program = found(sample).program
    return evidence_of_code(program, works_of_calls(program))


@cache
def measured(sample: str) -> list[MeasuredLaunch]:
    return measured_launches(SAMPLES / sample)


def reasons_of_launches(*positions: int) -> set[Slug]:
    """The reasons that calls get of which these launches are the only ones that ran."""
    result = found("cuda_reason_pairs")
    speeds = speeds_of("cuda_reason_pairs")
    (limits,) = speeds.devices.values()
    all_speeds = {speed.call: speed for speed in speeds.calls}
    rows = rows_of_launches(result, measured("cuda_reason_pairs"))
    alone: dict[int, CallSpeed] = {}
    for position in positions:
        row = rows[position]
        call = int(result.matching.call[row])
        launches = result.trace.launches
        blocks = int(launches.grid[row].prod())
        alone[call] = once(all_speeds[call], int(launches.dur_ns[row]), blocks)
    evidence = evidence_of("cuda_reason_pairs")
    found_ones = iter_candidates(
        result.program,
        alone,
        limits,
        evidence,
        lambda names: read_occupancies(result.trace, names),
    )
    return {one.slug for one in found_ones if one.total_ns}


def once(speed: CallSpeed, time_ns: int, blocks: int) -> CallSpeed:
    """What a call would be of which one launch ran, in so many ns."""
    many = speed.executions or 1
    name = max(speed.ran, key=lambda pair: pair[1])[0]
    return replace(
        speed,
        executions=1,
        time_ns=time_ns,
        ran=((name, time_ns),),
        launches=(1,),
        bytes=None,
        blocks=blocks,
        flops=None if speed.flops is None else speed.flops // many,
        memory_ns=None if speed.memory_ns is None else speed.memory_ns // many,
        compute_ns=None if speed.compute_ns is None else speed.compute_ns // many,
    )


@pytest.mark.parametrize(("slow", "fast", "slug"), HALVES)
def test_the_slow_half_of_a_pair_has_the_reason(
    slow: tuple[int, ...], fast: tuple[int, ...], slug: Slug
) -> None:
    """And the fast half has not, though both do the same."""
    assert slug in reasons_of_launches(*slow)
    assert slug not in reasons_of_launches(*fast)


def pair_of(slug: Slug) -> tuple[MeasuredLaunch, MeasuredLaunch]:
    """The measured launches of the first pair with this reason, the one that it is about."""
    slow, fast = next((slow[-1], fast[-1]) for slow, fast, of in HALVES if of is slug)
    return measured("cuda_reason_pairs")[slow], measured("cuda_reason_pairs")[fast]


def test_strided_reads_move_pieces_of_64_bytes() -> None:
    """2.1 million elements of 4 bytes make memory hand over 134 MB, and their neighbors' 8.4."""
    slow, fast = pair_of(Slug.STRIDED_ACCESS)

    assert slow.units["dram__bytes_read.sum"] == fast.units["dram__bytes_read.sum"] == "Mbyte"
    assert slow.number("dram__bytes_read.sum") == pytest.approx(64 * 2**21 / 1e6, rel=0.01)
    assert fast.number("dram__bytes_read.sum") == pytest.approx(4 * 2**21 / 1e6, rel=0.01)


def test_a_gather_in_no_order_moves_more_bytes() -> None:
    """Beside the indices, 40 to 64 bytes for each element; in order no more than the tensor has."""
    slow, fast = pair_of(Slug.SCATTERED_ACCESS)
    indices = 8 * 2**24 / 1e6
    per_element = (slow.number("dram__bytes_read.sum") - indices) * 1e6 / 2**24

    assert 40 <= per_element <= 64
    assert fast.number("dram__bytes_read.sum") - indices == pytest.approx(4 * 2**24 / 1e6, rel=0.01)


def test_additions_to_few_places_keep_nothing_busy_but_the_cache() -> None:
    """Threefold as many additions reach the L2 cache, which memory and multiprocessors wait for."""
    slow, fast = pair_of(Slug.CONTENDED_ATOMICS)
    additions = "lts__t_sectors_srcunit_tex_op_red.sum"

    assert slow.number(additions) > 3 * fast.number(additions)
    assert max(slow.share("gpu__dram_throughput"), slow.share("sm__throughput")) < 2
    assert fast.share("gpu__dram_throughput") > 80


def test_functions_keep_the_multiprocessors_busy() -> None:
    """As many instructions as are claimed, within a tenth; without functions memory is busy."""
    slow, fast = pair_of(Slug.COSTLY_FUNCTIONS)
    (claimed,) = (
        one.instructions
        for one in evidence_of("cuda_reason_pairs").functions
        if dict(one.functions).get("sin")
    )

    assert 32 * slow.number("smsp__inst_executed.sum") == pytest.approx(claimed, rel=0.1)
    assert slow.share("sm__issue_active") > 90
    assert slow.share("gpu__dram_throughput") < 20
    assert fast.share("sm__issue_active") < 5
    assert fast.share("gpu__dram_throughput") > 80


@pytest.mark.parametrize(("slow", "fast", "more"), [(2, 3, 1.2), (12, 14, 2.0)])
def test_uneven_rows_take_more_instructions(slow: int, fast: int, more: float) -> None:
    """The same elements, moved one by one: memory is less busy, and more is issued."""
    one, other = measured("cuda_reason_pairs")[slow], measured("cuda_reason_pairs")[fast]
    issued = "smsp__inst_executed.sum"

    assert one.number(issued) > more * other.number(issued)
    assert one.share("gpu__dram_throughput") < other.share("gpu__dram_throughput") - 10


def test_a_last_wave_leaves_multiprocessors_idle() -> None:
    """Three in ten of the time, of which 41 % is claimed at most; with eight waves one in ten."""
    slow, fast = pair_of(Slug.LAST_WAVE)

    def busy(one: MeasuredLaunch) -> float:
        return one.number("sm__cycles_active.avg") / one.number("sm__cycles_elapsed.max")

    assert slow.number("launch__waves_per_multiprocessor") == pytest.approx(1.05, abs=0.01)
    assert busy(slow) < 0.72
    assert busy(fast) > 0.88


def test_a_short_launch_keeps_nothing_busy() -> None:
    """2.6 µs for 100 elements: neither memory nor the multiprocessors do a hundredth of it."""
    slow, fast = pair_of(Slug.START_AND_END)

    assert max(slow.share("gpu__dram_throughput"), slow.share("sm__throughput")) < 1
    assert slow.time_ns < 3_000
    assert fast.share("gpu__dram_throughput") > 80


def test_a_padded_product_is_as_fast_and_its_copies_come_on_top() -> None:
    """The products take the same; two kernels that only copy take a quarter of that more."""
    launches = measured("cuda_reason_pairs")
    product, alone = launches[19].time_ns, launches[20].time_ns

    assert product == pytest.approx(alone, rel=0.02)
    assert launches[17].time_ns + launches[18].time_ns > 0.2 * product


def test_float32_products_leave_the_tensor_cores_alone() -> None:
    """And take thirteen times as long."""
    slow, fast = pair_of(Slug.FLOAT32_PRODUCT)

    assert slow.share("sm__pipe_tensor_cycles_active") == 0
    assert fast.share("sm__pipe_tensor_cycles_active") > 60
    assert slow.time_ns > 10 * fast.time_ns


def reasons_of(sample: str, call: str) -> dict[Slug, int]:
    """The reasons of a call by slug, with what each saves of one of its executions."""
    speeds, program = speeds_of(sample), found(sample).program
    (speed,) = (one for one in speeds.calls if program.call_id(one.call) == call)
    return {
        reason.slug: (reason.savings or ())[reason.calls.index(speed.call)]
        // (speed.executions or 1)
        for reason in speeds.reasons
        if speed.call in reason.calls and reason.savings is not None
    }


def test_layouts_that_a_library_changes_are_time_of_their_own() -> None:
    """Of two convolutions the one that is changed to channels last and back has the reason.

    What it claims is the time of these kernels under Nsight Compute, which move bytes and compute
    nothing.
    """
    launches = measured("cuda_wide_conv")
    helpers = [one for one in launches if "nchwToNhwc" in one.name or "nhwcToNchw" in one.name]
    large = [one for one in helpers if one.time_ns > 20_000]
    assert sum(one.time_ns for one in helpers) > 0.15 * sum(one.time_ns for one in launches)
    assert all(one.bound == "memory" for one in large)
    assert all(one.share("sm__pipe_tensor_cycles_active") < 1 for one in helpers)

    changed, plain = (reasons_of("cuda_wide_conv", f"0_forward/{index}") for index in (5, 0))
    product = next(at for at, one in enumerate(launches) if one.name.startswith("sm90_xmma_fprop"))
    beside = [one for one in launches[product - 2 : product + 2] if one in large]
    measured_ns = sum(one.time_ns for one in beside)
    assert changed[Slug.HELPER_KERNELS] == pytest.approx(measured_ns, rel=0.05)
    assert Slug.HELPER_KERNELS not in plain


def test_parts_of_a_split_product_are_added_up_by_another_kernel() -> None:
    """Two products of the same sizes, of which one is split; either library's kernel adds up.

    It multiplies next to nothing by the counters. The whole product has no such reason. It is not
    the faster one here: what the reason claims is the adding up, and not the split.
    """
    by_lt, by_xmma, whole = (
        reasons_of("cuda_memory_graphs", call)
        for call in ("0_backward/6", "0_backward/7", "0_forward/3")
    )
    assert Slug.HELPER_KERNELS in by_lt
    assert Slug.HELPER_KERNELS in by_xmma
    assert Slug.HELPER_KERNELS not in whole
    adds = [
        one
        for one in measured("cuda_memory_graphs")
        if "splitKreduce" in one.name or "execute_split_k" in one.name
    ]
    assert adds
    assert all(one.share("sm__inst_executed_pipe_fma") < 10 for one in adds)


def test_few_warps_leave_everything_idle() -> None:
    """Two gradients of one convolution: the one whose kernel holds 6 % of the warps has the reason.

    Nothing is busy while it runs. The other one holds 19 %, and memory is busy.
    """
    speeds, result = speeds_of("cuda_wide_conv"), found("cuda_wide_conv")
    (reason,) = (one for one in speeds.reasons if one.slug is Slug.LOW_OCCUPANCY)
    launches = measured("cuda_wide_conv")
    few = [one for one in launches if one.number("sm__maximum_warps_per_active_cycle_pct") <= 12.5]
    long = [one for one in few if one.time_ns > 20_000]
    (other,) = (one for one in launches if one.name.startswith("sm90_xmma_dgrad"))

    assert [one.name.split("_kernel")[0] in reason.evidence for one in long] == [True]
    assert all(one.bound == "latency" and one.share("sm__issue_active") < 30 for one in long)
    assert result.program.calls[reason.calls[0]][1].target == "aten.convolution_backward"
    assert other.number("sm__maximum_warps_per_active_cycle_pct") > 12.5
    assert other.bound == "memory"
    assert "dgrad" not in reason.evidence


def agreeing_ns(sample: str) -> tuple[float, float]:
    """Of the time of measured launches of calls, that with the bound that is stated, and all."""
    result = found(sample)
    speeds = speeds_of(sample)
    agreeing = whole = 0.0
    rows = rows_of_launches(result, measured(sample))
    assert len(rows) == len(measured(sample))
    for position, launch in enumerate(measured(sample)):
        call = int(result.matching.call[rows[position]])
        bound = speeds.bounds.get(call)
        if bound is not None:
            whole += launch.time_ns
            agreeing += launch.time_ns * (bound.value == launch.bound)
    return agreeing, whole


def test_bounds_agree_with_those_of_counters() -> None:
    """For nine tenths of the time of all that was counted: calls, by what bounds their launches."""
    pairs = [agreeing_ns(sample) for sample in COUNTED]

    assert sum(agreeing for agreeing, _ in pairs) >= 0.9 * sum(whole for _, whole in pairs)
    # Convolutions run several kernels of different bounds; products of float32 lie at the edge.
    for (agreeing, whole), least in zip(pairs, (0.95, 0.95, 0.75, 0.6), strict=True):
        assert agreeing >= least * whole
