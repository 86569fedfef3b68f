"""Work and headroom are conserved: what calls have is what every table has, to the nanosecond."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings

from examples import examples
from kernelmap.model.roofline import DEVICE_NAME
from speed.limits.measured_worlds import Measured, measured

few = settings(max_examples=examples(30))
WORDS = ("call", "op", "line", "module", "kernel", DEVICE_NAME)


@few
@given(measured())
def test_every_table_has_all_work_and_all_headroom(world: Measured) -> None:
    """Time, bytes, operations, limits and headroom add up to those of the calls."""
    roof, attribution = world.roofline, world.attribution
    calls = roof.calls
    for word in WORDS:
        rows = roof.rows[word]

        assert sum(row.time_ns for row in rows) == attribution.total_ns, word
        assert _sum(row.bytes.most for row in rows if row.bytes) == _sum(
            call.bytes.most for call in calls if call.bytes
        )
        for name in ("flops", "limit_ns", "headroom_ns", "step_headroom_ns", "model_flops"):
            assert _sum(getattr(row, name) for row in rows) == _sum(
                getattr(call, name) for call in calls
            ), (word, name)


@few
@given(measured())
def test_headroom_lies_between_nothing_and_the_time(world: Measured) -> None:
    """Headroom is the time beyond the limit; if the limit is longer there is none, and a notice."""
    roof = world.roofline
    above = False
    for call in roof.calls:
        if call.limit_ns is None or call.headroom_ns is None:
            assert (call.headroom_ns, call.limit_ns, call.bound) == (None, None, None)
            continue
        above = above or call.limit_ns > 1.05 * call.time_ns

        assert 0 <= call.headroom_ns <= call.time_ns
        assert call.headroom_ns == max(0, call.time_ns - call.limit_ns)
    for rows in roof.rows.values():
        assert all(row.headroom_ns is None or row.headroom_ns <= row.time_ns for row in rows)
    assert above == any(notice.slug == "above-the-limit" for notice in roof.notices)


@few
@given(measured())
def test_unknown_work_stays_unknown(world: Measured) -> None:
    """A call without bytes has no number but a reason; nothing stands in for it."""
    roof, of_calls = world.roofline, world.works
    for call in roof.calls:
        work = of_calls[call.call]
        if work.bytes is None:
            assert (call.bytes, call.flops, call.limit_ns) == (None, None, None)
            assert call.reason == "why"
        if call.bytes is not None and work.bytes is not None and call.executions:
            assert call.bytes == work.bytes * call.executions


@few
@given(measured())
def test_without_limits_there_are_rates_but_no_shares(world: Measured) -> None:
    """A device that is not known has no headroom, and a note says so."""
    roof = world.roofline
    if not any(roof.devices.values()):
        assert all(call.limit_ns is None for call in roof.calls)
        assert not roof.calls or roof.notices


def _sum(values: Iterable[int | None]) -> int:
    return sum(value for value in values if value is not None)
