"""Work and headroom are conserved: what calls have is what every table has, to the nanosecond."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.random_worlds import worlds
from kernelmap.attribution import Attribution, attribute
from kernelmap.matching import match
from kernelmap.model.work import Amount, Operand, Work
from kernelmap.options import Options
from kernelmap.roofline.measure import roofline
from kernelmap.roofline.records import Roofline

few = settings(max_examples=30)
WORDS = ("call", "op", "line", "module", "kernel")

numbers = st.integers(0, 300) | st.integers(0, 10**12)  # a launch of 100 ns, or of up to a second
amounts = st.tuples(numbers, numbers).map(lambda pair: Amount(min(pair), max(pair)))
operands = st.builds(Operand, name=st.just("buf0"), written=st.booleans(), bytes=amounts)
works = st.builds(
    Work,
    operands=st.none() | st.lists(operands, max_size=3).map(tuple),
    flops=st.none() | st.integers(0, 10**13),
    dtype=st.sampled_from(["float32", "bfloat16", "int16", None]),
    reason=st.just("why"),
)
ANY_DEVICE = Path(__file__).parent / "any_device.toml"
World = tuple[Roofline, Attribution, tuple[Work, ...]]


@st.composite
def measured(draw: st.DrawFn) -> World:
    """A world whose calls have any work, on a device with limits or without."""
    known, trace = draw(worlds())
    result = match(known, trace)
    attribution = attribute(result.program, trace, result.matching, Options())
    count = len(result.program.calls)
    of_calls = tuple(draw(st.lists(works, min_size=count, max_size=count)))
    path = ANY_DEVICE if draw(st.integers(0, 3)) else None
    found = roofline(result.program, trace, result.matching, attribution, of_calls, path)
    return found, attribution, of_calls


@few
@given(measured())
def test_every_table_has_all_work_and_all_headroom(world: World) -> None:
    """Time, bytes, operations, limits and headroom add up to those of the calls."""
    found, attribution, _ = world
    calls = found.calls
    for word in WORDS:
        rows = found.rows[word]

        assert sum(row.time_ns for row in rows) == attribution.total_ns, word
        assert _sum(row.bytes.most for row in rows if row.bytes) == _sum(
            call.bytes.most for call in calls if call.bytes
        )
        for name in ("flops", "limit_ns", "headroom_ns"):
            assert _sum(getattr(row, name) for row in rows) == _sum(
                getattr(call, name) for call in calls
            ), (word, name)


@few
@given(measured())
def test_headroom_lies_between_nothing_and_the_time(world: World) -> None:
    """It is the time beyond the limit; where the limit is longer, there is none, and a notice."""
    found, *_ = world
    above = False
    for call in found.calls:
        if call.limit_ns is None or call.headroom_ns is None:
            assert (call.headroom_ns, call.limit_ns, call.bound) == (None, None, None)
            continue
        above = above or call.limit_ns > 1.05 * call.time_ns

        assert 0 <= call.headroom_ns <= call.time_ns
        assert call.headroom_ns == max(0, call.time_ns - call.limit_ns)
    for rows in found.rows.values():
        assert all(row.headroom_ns is None or row.headroom_ns <= row.time_ns for row in rows)
    assert above == any(notice.slug == "above-the-limit" for notice in found.notices)


@few
@given(measured())
def test_unknown_work_stays_unknown(world: World) -> None:
    """A call without bytes has no number but a reason; nothing stands in for it."""
    found, _, of_calls = world
    for call in found.calls:
        work = of_calls[call.call]
        if work.bytes is None:
            assert (call.bytes, call.flops, call.limit_ns) == (None, None, None)
            assert call.reason == "why"
        if call.bytes is not None and work.bytes is not None and call.executions:
            assert call.bytes == work.bytes * call.executions


@few
@given(measured())
def test_without_limits_there_are_rates_but_no_shares(world: World) -> None:
    """A device that is not known has no headroom, and a note says so."""
    found, *_ = world
    if not any(found.devices.values()):
        assert all(call.limit_ns is None for call in found.calls)
        assert not found.calls or found.notices


def _sum(values: Iterable[int | None]) -> int:
    return sum(value for value in values if value is not None)
