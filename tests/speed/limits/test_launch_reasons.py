"""Reasons in how calls were launched and in what they compute, one call at a time.

The device moves 1,000 bytes and makes 20,000 operations on float32 in a nanosecond.
"""

from __future__ import annotations

from collections.abc import Collection

import pytest
from msgspec.structs import replace

from kernelmap.model.roofline import CallSpeed, DeviceLimits, Roofline, Slug
from kernelmap.model.work import CodeEvidence, CostlyFunctions, Indirect, Occupancy
from kernelmap.speed.limits.candidates import ReasonCandidate
from kernelmap.speed.limits.code_reasons import iter_candidates
from kernelmap.speed.limits.reasons import reasons_of_calls
from tiny import graph, program

LIMITS = DeviceLimits(bandwidth=10**12, peaks={"float32": 20 * 10**12})
PROGRAM = program(graph("0_forward", "triton_poi_fused_add_0"))


def call(
    *ran: tuple[str, int], memory_ns: int = 60, executions: int = 1, model_flops: int = 0
) -> CallSpeed:
    """A call whose launches took so many ns in all executions, each once in each."""
    return CallSpeed(
        call=0,
        executions=executions,
        time_ns=sum(time_ns for _, time_ns in ran),
        ran=ran,
        launches=(executions,) * len(ran),
        memory_ns=memory_ns,
        model_flops=model_flops,
    )


def candidates(speed: CallSpeed, evidence: CodeEvidence | None = None) -> list[ReasonCandidate]:
    found = iter_candidates(PROGRAM, {0: speed}, LIMITS, evidence or CodeEvidence())
    return [one for one in found if one.total_ns]


@pytest.mark.parametrize(
    ("speed", "saved"),
    [
        pytest.param(call(("a", 3_000)), 2_940, id="short, with nothing to do"),
        pytest.param(call(("a", 30_000), executions=10, memory_ns=600), 29_400, id="ten of them"),
        pytest.param(call(("a", 12_000)), 2_000, id="longer: what any launch takes"),
        pytest.param(call(("a", 12_000), memory_ns=11_000), None, id="a part not worth saying"),
        pytest.param(call(("a", 4_000), memory_ns=1_500), 2_000, id="with something to do"),
        pytest.param(call(("a", 8_000), model_flops=1), 3_000, id="a product takes longer"),
        pytest.param(call(("a", 12_000), ("b", 4_000)), 6_000, id="two launches"),
        pytest.param(call(("a", 40_000)), None, id="long"),
    ],
)
def test_short_launches_are_start_and_end(speed: CallSpeed, saved: int | None) -> None:
    """All of it where there is next to no work, else what a launch takes whatever it does."""
    found = [one.total_ns for one in candidates(speed) if one.slug is Slug.START_AND_END]

    assert found == ([] if saved is None else [saved])


def test_helpers_of_a_library_are_time_that_was_measured() -> None:
    """Their launches count; a call that is nothing else is no reason."""
    layout, product = ("nchwToNhwcKernel<float>", 30_000), ("sm90_xmma_fprop", 70_000)
    (helped,) = [one for one in candidates(call(layout, product)) if one.bytes is None]

    assert (helped.slug, helped.total_ns) == (Slug.HELPER_KERNELS, 30_000)
    assert "30.00 µs to change the layout" in helped.evidence
    assert not candidates(call(layout))
    assert not candidates(call(product))


def held(warps: int) -> Occupancy:
    return Occupancy(
        threads=128,
        registers=236,
        shared_memory=132_096,
        blocks=1,
        warps=warps,
        most_warps=64,
        processors=100,
    )


@pytest.mark.parametrize(
    ("speed", "warps", "saved"),
    [
        pytest.param(call(("conv", 90_000), memory_ns=30_000), 4, 60_000, id="few warps"),
        pytest.param(call(("conv", 90_000), memory_ns=30_000), 12, None, id="some warps"),
        pytest.param(call(("conv", 90_000), memory_ns=60_000), 4, None, id="memory is busy"),
        pytest.param(call(("conv", 4_000), memory_ns=1_000), 4, None, id="short"),
        pytest.param(call(("conv", 60_000), ("b", 30_000), memory_ns=30_000), 4, 40_000, id="both"),
    ],
)
def test_few_warps_are_a_reason_of_a_call_that_waits(
    speed: CallSpeed, warps: int, saved: int | None
) -> None:
    """Each launch for its part of the headroom; short ones are not asked for."""
    asked: list[str] = []

    def find(names: Collection[str]) -> dict[str, Occupancy]:
        asked.extend(names)
        return {"conv": held(warps)}

    found = iter_candidates(PROGRAM, {0: speed}, LIMITS, CodeEvidence(), find)
    few = [one for one in found if one.slug is Slug.LOW_OCCUPANCY]
    assert [one.total_ns for one in few] == ([] if saved is None else [saved])
    assert bool(asked) == (speed.time_ns > 5_000)
    assert all("4 of 64 warps of conv" in one.evidence for one in few)


@pytest.mark.parametrize(
    ("blocks", "memory_ns", "saved"),
    [
        pytest.param(100, 30_000, None, id="all at once"),
        pytest.param(120, 30_000, 36_000, id="20 behind: half of the time, 80 of 100 idle"),
        pytest.param(120, 60_000, 30_000, id="no more than the headroom"),
        pytest.param(120, 70_000, None, id="next to nothing to win"),
        pytest.param(290, 30_000, None, id="most of the last round is full"),
        pytest.param(1020, 30_000, None, id="the last of eleven rounds"),
        pytest.param(None, 30_000, None, id="no grid"),
    ],
)
def test_blocks_that_run_behind_the_others_are_a_reason(
    blocks: int | None, memory_ns: int, saved: int | None
) -> None:
    """As long as one of the rounds, on the multiprocessors that have none of them."""
    speed = replace(call(("sum", 90_000), memory_ns=memory_ns), blocks=blocks)
    found = iter_candidates(
        PROGRAM, {0: speed}, LIMITS, CodeEvidence(), lambda names: dict.fromkeys(names, held(64))
    )

    late = [one.total_ns for one in found if one.slug is Slug.LAST_WAVE]
    assert late == ([] if saved is None else [saved])


def test_functions_are_a_reason_where_their_instructions_take_longest() -> None:
    """An instruction is two operations of the peak; what memory needs as well is not saved."""
    evidence = CodeEvidence(
        functions=(CostlyFunctions(call=0, functions=(("sin", 10),), instructions=500_000_000),)
    )
    (found,) = candidates(call(("a", 60_000), memory_ns=10_000), evidence)

    assert (found.slug, found.total_ns) == (Slug.COSTLY_FUNCTIONS, 40_000)
    assert not candidates(call(("a", 60_000), memory_ns=50_000), evidence)


def apart(*, is_atomic: bool) -> Indirect:
    return Indirect(call=0, name="buf0", elements=200_000, itemsize=4, is_atomic=is_atomic)


@pytest.mark.parametrize(
    ("time_ns", "slug", "saved"),
    [
        (100_000, Slug.SCATTERED_ACCESS, 12_000),
        (1_000_000, Slug.SCATTERED_ACCESS, 12_000),
    ],
)
def test_elements_that_lie_apart_move_64_bytes(time_ns: int, slug: Slug, saved: int) -> None:
    """At most: what the data say is not known."""
    (found,) = candidates(call(("a", time_ns)), CodeEvidence(indirect=(apart(is_atomic=False),)))

    assert (found.slug, found.total_ns, found.bytes) == (slug, saved, 60 * 200_000)


@pytest.mark.parametrize(
    ("time_ns", "slug", "saved"),
    [
        (40_000, Slug.SCATTERED_ACCESS, 24_000),
        (60_000, Slug.CONTENDED_ATOMICS, 59_940),
    ],
)
def test_additions_that_take_longer_than_scattered_ones_take_turns(
    time_ns: int, slug: Slug, saved: int
) -> None:
    """Scattered, they would read and write 64 bytes each; that leaves more than half."""
    (found,) = candidates(call(("a", time_ns)), CodeEvidence(indirect=(apart(is_atomic=True),)))

    assert (found.slug, found.total_ns) == (slug, saved)


def test_reasons_of_headroom_share_the_headroom() -> None:
    """Start and end, and a layout that is changed: both together save no more than there is."""
    speed = call(("nchwToNhwcKernel", 9_000), ("sm90_xmma_fprop", 9_000), memory_ns=8_000)
    found = reasons_of_calls(PROGRAM, [speed], LIMITS, CodeEvidence())

    assert [one.slug for one in found] == [Slug.HELPER_KERNELS, Slug.START_AND_END]
    assert [(one.saves_ns, one.overlap_ns) for one in found] == [(9_000, 0), (1_000, 3_000)]


@pytest.mark.parametrize(
    ("speed", "bound"),
    [
        (call(("a", 50_000), memory_ns=40_000), "memory"),
        (call(("a", 50_000), memory_ns=20_000), "latency"),  # nothing is busy
        (call(("a", 9_000), memory_ns=6_000), "memory"),  # busy, whatever the rest is
        (call(("nchwToNhwcKernel", 30_000), ("b", 30_000), memory_ns=9_000), "memory"),
    ],
)
def test_a_reason_says_what_bounds_a_call(speed: CallSpeed, bound: str) -> None:
    """Without one, what keeps the device busy for most of the time; else it waits."""
    found = reasons_of_calls(PROGRAM, [speed], LIMITS, CodeEvidence())
    result = Roofline(
        devices={}, calls=(speed,), total_ns=speed.time_ns, find_reasons=lambda _: found
    )

    assert result.bounds == {0: bound}
