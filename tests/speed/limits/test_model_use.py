"""Model FLOPs utilization, worked out by hand.

The device makes 20,000 float32 and 300,000 bfloat16 operations in a nanosecond.
"""

from __future__ import annotations

import pytest

from kernelmap.model.roofline import CallSpeed, DeviceLimits, Roofline
from kernelmap.model.work import Amount
from kernelmap.pages.limits import say_model_use

LIMITS = DeviceLimits(bandwidth=10**12, peaks={"float32": 20 * 10**12, "bfloat16": 300 * 10**12})
PER_NS = {"float32": 20_000, "bfloat16": 300_000}


def product(call: int, at_peak_ns: int, dtype: str, *, time_ns: int = 1000) -> CallSpeed:
    """A call that computes so much that its dtype's peak needs `at_peak_ns`."""
    flops = at_peak_ns * PER_NS.get(dtype, 1)
    return CallSpeed(
        call=call,
        executions=1,
        time_ns=time_ns,
        bytes=Amount.exactly(8),
        flops=flops,
        model_flops=flops,
        dtype=dtype,
        memory_ns=1,
        compute_ns=at_peak_ns if dtype in PER_NS else None,
    )


def fused(call: int, *, known: bool = True, time_ns: int = 1000) -> CallSpeed:
    """A call without products, or one of which nobody knows."""
    speed = CallSpeed(call=call, executions=1, time_ns=time_ns, flops=10**9, compute_ns=500)
    return CallSpeed(
        **{name: getattr(speed, name) for name in ("call", "executions", "time_ns")},
        flops=speed.flops,
        compute_ns=speed.compute_ns,
        model_flops=0 if known else None,
    )


def window(*calls: CallSpeed, steps: int = 2, wall_ns: int = 4000) -> Roofline:
    total_ns = sum(call.time_ns for call in calls)
    return Roofline(
        devices={"a GPU": LIMITS}, calls=calls, total_ns=total_ns, steps=steps, wall_ns=wall_ns
    )


def test_each_dtype_is_set_against_its_own_peak() -> None:
    """300 ns at the peak of bfloat16 and 500 at that of float32, in 4,000 ns: a fifth."""
    use = window(product(0, 300, "bfloat16"), product(1, 500, "float32"), fused(2)).model_use

    assert use.mfu == pytest.approx(0.2)
    assert use.by_dtype == {"bfloat16": 90_000_000, "float32": 10_000_000}
    assert (use.flops, use.known_ns, use.total_ns) == (100_000_000, 3000, 3000)


def test_arithmetic_of_fused_kernels_is_no_work_of_the_model() -> None:
    """A window of nothing else has no utilization, and no line that speaks of it."""
    roof = window(fused(0))

    assert roof.model_use.mfu is None
    assert list(say_model_use(roof)) == []


def test_a_product_without_a_peak_leaves_no_utilization() -> None:
    """A part of the numerator would be missing, so only the rate is said."""
    roof = window(product(0, 300, "bfloat16"), product(1, 500, "float64"))

    assert roof.model_use.mfu is None
    assert "no peak is known" in next(say_model_use(roof))


def test_numerator_time_and_peak_are_said() -> None:
    """What is not known may multiply as well, so the share is then a lower bound."""
    exact = window(product(0, 800, "bfloat16"))
    least = window(product(0, 800, "bfloat16"), fused(1, known=False))

    assert list(say_model_use(exact)) == [
        "MFU 20.0 % = 120 MFLOP a step / 2.00 µs a step / 300 TFLOP/s dense bfloat16",
        "Model FLOPs are known for 100.0 % of the GPU time; what runs again counts again",
    ]
    assert next(say_model_use(least)).startswith("MFU at least 20.0 % = ")
    assert "known for 50.0 % of" in list(say_model_use(least))[1]


def test_a_small_share_is_said_in_digits() -> None:
    """At least less than a tenth of a percent would be no statement."""
    roof = window(product(0, 2, "bfloat16"), fused(1, known=False))

    assert next(say_model_use(roof)).startswith("MFU at least 0.05 % = ")


def test_without_steps_nothing_is_said() -> None:
    """The time of kernels alone is no time of a step."""
    assert list(say_model_use(window(product(0, 300, "bfloat16"), steps=0, wall_ns=0))) == []
