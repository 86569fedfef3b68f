"""Why calls have headroom: savings worked out by hand, and laws of what several reasons add up to.

The device moves 1,000 bytes in a nanosecond; every launch of a tiny world takes 100 ns.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.roofline import (
    EXPLAINS_HEADROOM,
    CallSpeed,
    HeadroomReason,
    Roofline,
    Slug,
)
from kernelmap.model.work import (
    Amount,
    CodeEvidence,
    Copy,
    Intermediate,
    Operand,
    Product,
    Repeated,
    Strided,
    StridedOperand,
    Work,
)
from kernelmap.options import Options
from kernelmap.speed.limits.code_reasons import iter_candidates
from kernelmap.speed.limits.measure import measure_roofline
from tiny import Timeline, graph, program

ANY_DEVICE = Path(__file__).parent / "any_device.toml"
ADD, MUL = "triton_poi_fused_add_0", "triton_poi_fused_mul_1"
BYTES_PER_NS = 1000


def measured(
    compiled: CompiledProgram,
    trace: Trace,
    evidence: CodeEvidence,
    *,
    limits: bool = True,
    flops: int | None = None,
    needs_ns: int = 60,
) -> Roofline:
    result = match_launches(compiled, trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    operand = Operand(name="buf0", written=False, bytes=Amount.exactly(needs_ns * BYTES_PER_NS))
    works = [Work(operands=(operand,), flops=flops, dtype="float32")] * len(result.program.calls)
    path = ANY_DEVICE if limits else None
    return measure_roofline(
        result.program, trace, result.matching, attribution, works, path, evidence=lambda: evidence
    )


def reasons(
    *values: Intermediate, copies: tuple[Copy, ...] = (), limits: bool = True
) -> tuple[HeadroomReason, ...]:
    """The reasons of a graph of two kernels that ran three times."""
    both = graph("0_forward", ADD, MUL)
    line = Timeline()
    for _ in range(3):
        line.invoke(both)
    evidence = CodeEvidence(intermediates=values, copies=copies)
    return of_code(measured(program(both), line.trace(), evidence, limits=limits))


def of_code(result: Roofline) -> tuple[HeadroomReason, ...]:
    """The reasons without that of short launches, which those of a tiny world have beside all."""
    return tuple(reason for reason in result.reasons if reason.slug is not Slug.START_AND_END)


def value(stored: int, loaded: int, kept: str | None = None, name: str = "buf0") -> Intermediate:
    """What the first call writes and the second one reads, in ns at the limit."""
    return Intermediate(
        name=name,
        writer=0,
        stored=stored * BYTES_PER_NS,
        loads=((1, loaded * BYTES_PER_NS),),
        kept=kept,
    )


def test_a_fusion_saves_the_store_and_the_load() -> None:
    """Three executions, 30 ns to store and 20 ns to load."""
    (reason,) = reasons(value(30, 20))

    assert (reason.slug, reason.calls) == (Slug.WRITTEN_AND_READ, (0, 1))
    assert (reason.savings, reason.saves_ns, reason.overlap_ns) == ((90, 60), 150, 0)
    assert reason.bytes == 3 * 50 * BYTES_PER_NS
    assert "buf0" in reason.evidence


def test_a_store_that_stays_is_not_saved() -> None:
    """Only the load is, and the evidence says what keeps the store."""
    (reason,) = reasons(value(30, 20, "it is returned"))

    assert (reason.savings, reason.bytes) == ((0, 60), 60 * BYTES_PER_NS)
    assert reason.evidence.endswith("The write stays: it is returned")


def test_the_scheduler_says_why_it_did_not_fuse() -> None:
    """Where a log has its decision, the evidence quotes it with the reader that it is about."""
    (reason,) = reasons(replace(value(30, 20), refused=((1, "no shared data"),)))

    assert "The scheduler did not fuse it with 0_forward/1: no shared data" in reason.evidence


def test_no_reason_saves_more_than_the_time() -> None:
    """A call of 100 ns saves 100 ns, whatever its bytes need; what a second one adds overlaps."""
    (alone,) = reasons(value(500, 20))
    first, second = reasons(value(80, 20), value(70, 20, name="buf1"))

    assert alone.savings == (300, 60)
    assert (first.savings, first.overlap_ns) == ((240, 60), 0)
    assert (second.savings, second.overlap_ns) == ((60, 60), 150)


def test_without_limits_bytes_are_stated_and_no_time() -> None:
    """What a fusion would not move needs no limit, what that would save does."""
    (reason,) = reasons(value(30, 20), limits=False)

    assert (reason.bytes, reason.saves_ns, reason.overlap_ns) == (150 * BYTES_PER_NS, None, None)


def copy(call: int, *dtypes: str, reorders: bool = False) -> Copy:
    """A call that copies `first` to `second`."""
    source, target = dtypes
    return Copy(
        call=call,
        source="first",
        target="second",
        elements=15_000,
        dtypes=(source, target),
        reorders=reorders,
    )


@pytest.mark.parametrize("limits", [True, False])
def test_a_copy_could_be_saved_whole(limits: bool) -> None:
    """Its time needs no limit; the evidence says what it changes."""
    (reason,) = reasons(copies=(copy(0, "float32", "bfloat16", reorders=True),), limits=limits)

    assert (reason.slug, reason.calls) == (Slug.LAYOUT_COPY, (0,))
    assert (reason.saves_ns, reason.overlap_ns) == (300, 0)
    assert reason.bytes == 3 * 60 * BYTES_PER_NS
    for text in ("15,000 elements of first to second", "float32 to bfloat16", "another layout"):
        assert text in reason.evidence


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("Memcpy DtoD (Device -> Device)", True),
        ("direct_copy_kernel", True),
        ("Memcpy HtoD (Pinned -> Device)", False),
        ("Memcpy DtoH (Device -> Pageable)", False),
        ("Memcpy PtoP (Device -> Device)", False),
    ],
)
def test_a_copy_to_another_device_is_needed(name: str, listed: bool) -> None:
    """The code does not say where tensors lie, what ran does."""
    speed = CallSpeed(call=0, executions=1, time_ns=100, ran=((name, 100),))
    evidence = CodeEvidence(copies=(copy(0, "float32", "float32"),))
    listed_reasons = iter_candidates(program(graph("0_forward", ADD)), {0: speed}, None, evidence)

    assert [reason.slug for reason in listed_reasons] == [Slug.LAYOUT_COPY] * listed


def test_a_copy_and_a_fusion_of_one_call_overlap() -> None:
    """The copy saves all of its call; what the fusion saves of that call counts with it."""
    whole, fusion = reasons(value(30, 20), copies=(copy(1, "float32", "float32"),))

    assert (whole.slug, whole.savings) == (Slug.LAYOUT_COPY, (300,))
    assert (fusion.savings, fusion.overlap_ns) == ((90, 0), 60)


def of_grid(
    *grids: tuple[int, int, int],
    launch_ns: int = 20_000,
    processors: int | None = 132,
    flops: int | None = None,
    needs_ns: int = 60,
) -> Roofline:
    """A kernel that needs `needs_ns` for its bytes at the limit and ran once with each grid."""
    alone = graph("0_forward", ADD)
    line = Timeline()
    for _ in grids:
        line.invoke(alone)
    trace = line.trace()
    launches = replace(
        trace.launches,
        grid=np.array(grids, dtype=np.int64),
        start_ns=trace.launches.start_ns * 1000,
        dur_ns=np.full(len(grids), launch_ns),
    )
    evidence = CodeEvidence(processors=processors)
    return measured(
        program(alone),
        replace(trace, launches=launches),
        evidence,
        flops=flops,
        needs_ns=needs_ns,
    )


@pytest.mark.parametrize(("processors", "stated"), [(132, "132"), (None, "32")])
def test_fewer_blocks_than_multiprocessors_are_a_small_grid(
    processors: int | None, stated: str
) -> None:
    """The largest grid decides; what is won is the part of the device that has no block."""
    result = of_grid((4, 2, 1), (3, 1, 1), processors=processors)
    (reason,), (speed,) = of_code(result), result.calls

    assert (reason.slug, reason.calls, reason.bytes) == (Slug.SMALL_GRID, (0,), None)
    idle = 1 - 8 / int(stated)
    assert reason.saves_ns == int(speed.time_ns * idle)
    assert "8 blocks" in reason.evidence
    assert f" {stated} multiprocessors" in reason.evidence
    (near,) = of_code(of_grid((8, 1, 1), needs_ns=9_999, processors=processors))
    assert near.saves_ns == 20_000 - 9_999  # no more than the headroom


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(of_grid((132, 1, 1)), id="a block for each"),
        pytest.param(of_grid((8, 1, 1), (12, 11, 1)), id="one launch is large"),
        pytest.param(of_grid((8, 1, 1), (-1, -1, -1)), id="a launch without a grid"),
        pytest.param(of_grid((2**40, 2**40, 2**40)), id="beyond all measure"),
        pytest.param(of_grid((32, 1, 1), processors=None), id="perhaps enough"),
        pytest.param(of_grid((8, 1, 1), launch_ns=5_000), id="short"),
        pytest.param(of_grid((8, 1, 1), needs_ns=10_000), id="half of the limit"),
        pytest.param(of_grid((8, 1, 1), flops=10**8), id="bound by arithmetic"),
    ],
)
def test_nothing_is_said_of_grids_that_are_no_reason(result: Roofline) -> None:
    """Enough blocks, a grid that is not stated, or a call that no block count explains."""
    assert not of_code(result)


numbers = st.integers(0, 300 * BYTES_PER_NS) | st.integers(0, 10**12)


@st.composite
def explained(draw: st.DrawFn) -> Roofline:
    """A world in which any calls read what any others wrote."""
    compiled, trace = draw(worlds())
    last = len(match_launches(compiled, trace).program.calls) - 1
    if last < 0:
        return measured(compiled, trace, CodeEvidence())
    calls = st.integers(0, last)
    values = st.builds(
        Intermediate,
        name=st.just("buf0"),
        writer=calls,
        stored=numbers,
        loads=st.dictionaries(calls, numbers, min_size=1, max_size=3).map(
            lambda loads: tuple(loads.items())
        ),
        kept=st.sampled_from([None, "it is returned"]),
    ).flatmap(
        lambda value: st.builds(
            replace,
            st.just(value),
            finishers=st.sets(st.sampled_from([call for call, _ in value.loads])).map(tuple),
        )
    )
    operands = st.builds(
        StridedOperand,
        name=st.just("buf0"),
        written=st.booleans(),
        used=st.just(1),
        moved=numbers,
        distance=st.just(64),
    )
    repeated = st.builds(
        Repeated,
        call=calls,
        before=calls,
        operations=st.just(("exp",)),
        loads=numbers.map(lambda size: (("buf0", size),)),
    )
    sizes = st.integers(1, 300)
    products = st.builds(
        Product,
        call=calls,
        batch=st.integers(1, 3),
        rows=sizes,
        inner=sizes,
        columns=sizes,
        dtype=st.sampled_from(["float32", "bfloat16", None]),
        uneven=st.sampled_from([(), (("buf0", 65),)]),
    )
    strided = st.sets(calls, max_size=3).flatmap(
        lambda chosen: st.tuples(
            *(st.builds(Strided, call=st.just(at), operands=st.tuples(operands)) for at in chosen)
        )
    )
    evidence = CodeEvidence(
        intermediates=tuple(draw(st.lists(values, max_size=6))),
        copies=tuple(copy(call, "float32", "int8") for call in draw(st.sets(calls, max_size=3))),
        strided=draw(strided),
        repeated=tuple(draw(st.lists(repeated, max_size=3))),
        products=tuple(draw(st.lists(products, max_size=3))),
        processors=draw(st.none() | st.integers(1, 200)),
    )
    launches = trace.launches
    blocks = draw(st.lists(st.integers(0, 200), min_size=len(launches), max_size=len(launches)))
    grid = np.array([(number, 1, 1) for number in blocks], dtype=np.int64).reshape(-1, 3)
    slower = replace(launches, grid=grid, dur_ns=launches.dur_ns * draw(st.sampled_from([1, 100])))
    trace = replace(trace, launches=slower)
    return measured(
        compiled,
        trace,
        evidence,
        limits=draw(st.integers(0, 3)) > 0,
        flops=draw(st.none() | st.integers(1, 10**8)),
    )


@settings(max_examples=examples(40))
@given(explained())
def test_all_savings_of_a_call_are_within_its_time(result: Roofline) -> None:
    """No call saves more than it took, or by reasons of its headroom more than that.

    Reasons come with the largest saving first.
    """
    times = {speed.call: speed.time_ns for speed in result.calls}
    saved, explained = Counter[int](), Counter[int]()
    alone = []
    for reason in result.reasons:
        saved.update(
            dict(zip(reason.calls, reason.savings or (), strict=reason.savings is not None))
        )
        alone.append((reason.saves_ns or 0) + (reason.overlap_ns or 0))
        assert reason.saves_ns is None or min(reason.savings or (0,)) >= 0
        assert reason.overlap_ns is None or reason.overlap_ns >= 0
        if reason.slug in EXPLAINS_HEADROOM:
            explained[reason.calls[0]] += reason.saves_ns or 0

    assert all(saving <= times[call] for call, saving in saved.items())
    headroom = {speed.call: speed.headroom_ns or 0 for speed in result.calls}
    assert all(part <= headroom[call] for call, part in explained.items())
    assert alone == sorted(alone, reverse=True)
