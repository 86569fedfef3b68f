"""How fast calls and launches were, as the facts that `annotate` writes.

Taken: the speeds of calls, and for a launch its duration. Given: GB/s, TFLOP/s and the share of the
device's limit, rounded; nothing of what is not known.
"""

from __future__ import annotations

from kernelmap.model.annotations import Members
from kernelmap.model.roofline import CallSpeed


def rates_of_call(speed: CallSpeed | None) -> Members:
    """Those of all executions of a call."""
    return {} if speed is None else _rates(speed, speed.time_ns)


def rates_of_launch(speed: CallSpeed, dur_ns: int) -> Members:
    """Those of a launch that is a whole execution of the call with this speed."""
    return _rates(speed, dur_ns * (speed.executions or 0))


def _rates(speed: CallSpeed, time_ns: int) -> Members:
    """What all executions move and compute, and their least time, over the time that they took."""
    # Bytes per ns are GB/s, operations per ns are GFLOP/s. Bytes, operations and limit are those of
    # all executions, and so is the time.
    if speed.moved is None or not speed.executions or time_ns <= 0:
        return {}
    rates = {"gbps": round(speed.moved.most / time_ns, 1)}
    if speed.flops:
        rates["tflops"] = round(speed.flops / time_ns / 1000, 2)
    if speed.limit_ns is not None:
        rates["share_of_limit"] = round(speed.limit_ns / time_ns, 3)
    return rates
