"""What the profile says of a call: how long it took, its launch, and its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from kernelmap.model.roofline import BESIDE_CALLS, CallSpeed, Slug
from kernelmap.model.trace import Activity

if TYPE_CHECKING:
    from kernelmap.correlation import Correlation


class CallReason(Struct, frozen=True, kw_only=True):
    """Why a call takes longer than it needs to, as roofline has it.

    `saves_ns` is what one execution could win at most beside larger reasons, None without limits.
    """

    slug: Slug
    saves_ns: int | None
    evidence: str

    @property
    def text(self) -> str:
        """The reason with what it could win, as a script prints it."""
        if self.saves_ns is None:
            return f"{self.slug}"
        if not self.saves_ns:
            return f"{self.slug}, whose time larger reasons have already"
        return f"{self.slug}, at most {self.saves_ns / 1000:.2f} us"


class RecordedCall(Struct, frozen=True, kw_only=True):
    """One call in a profile; everything is None where the profile does not say it.

    `time_ns` is the median over its executions, `executions` how many there were, `limit_ns` what
    one of them needs at the limits of its device. `device` is the name of that. `grid` and `block`
    are those of its launches where all have the same. `blocks` are the block sizes that the profile
    states, `warps` and `stages` likewise. `reasons` are those of its headroom, the largest first;
    they are read where they are asked for.
    """

    time_ns: int | None = None
    executions: int = 0
    limit_ns: int | None = None
    bound: str | None = None
    device: str | None = None
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    blocks: Mapping[str, int] = {}
    warps: int | None = None
    stages: int | None = None
    reasons: tuple[CallReason, ...] = ()

    @property
    def is_explained(self) -> bool:
        """Whether reasons explain most of the headroom, so that no other is to be looked for."""
        if self.time_ns is None or self.limit_ns is None:
            return False
        said = [one.saves_ns or 0 for one in self.reasons if one.slug not in _OF_THE_LIMIT]
        return sum(said) > _MOST * max(self.time_ns - self.limit_ns, 0)


_MOST = 0.5
"""Of a call's headroom, as roofline has it: the counters are not asked beside reasons for more."""
_OF_THE_LIMIT = (Slug.WRITTEN_AND_READ, Slug.COMPUTED_AGAIN)
_DIGITS = 9  # of the largest block

NOT_RECORDED = RecordedCall()


def read_recorded_call(
    correlation: Correlation, position: int, *, with_reasons: bool = False
) -> RecordedCall:
    """What is recorded of the call at a position of the program."""
    matching, trace = correlation.matching, correlation.trace
    rows = np.flatnonzero(correlation.attribution.counted & (matching.call == position))
    of_call = [one for one in correlation.attribution.calls if one.call == position]
    if not len(rows) or not of_call:
        return NOT_RECORDED
    launches = trace.launches
    kernels = rows[launches.activity[rows] == Activity.KERNEL]
    details = [trace.ranges.detail_of(int(row)) for row in matching.call_range[rows] if row >= 0]
    stated = next((one for one in details if one is not None and one.kernel_kwargs), None)
    speed = _speed_of(correlation, position)
    times = of_call[0].per_invocation_ns
    limit = speed.limit_ns if speed is not None else None
    executions = (speed.executions if speed is not None else None) or len(times)
    devices = {device.id: device.name for device in trace.devices}
    device = devices.get(int(launches.device[rows[0]]))
    return RecordedCall(
        time_ns=int(np.median(times)) if len(times) else None,
        executions=len(times),
        limit_ns=None if limit is None or not executions else round(limit / executions),
        bound=str(speed.bound) if speed is not None and speed.bound is not None else None,
        device=device,
        grid=_same_rows(launches.grid[kernels]),
        block=_same_rows(launches.block[kernels]),
        blocks=_numbers_in(stated.kernel_kwargs or "") if stated is not None else {},
        warps=stated.num_warps if stated is not None else None,
        stages=stated.num_stages if stated is not None else None,
        reasons=_reasons_of(correlation, position, executions) if with_reasons else (),
    )


def _reasons_of(correlation: Correlation, position: int, executions: int) -> tuple[CallReason, ...]:
    """The reasons of one call, without those of time in which no call runs."""
    stated = correlation.speeds.reasons if correlation.speeds else ()
    reasons = []
    for reason in stated:
        if position not in reason.calls or reason.slug in BESIDE_CALLS:
            continue
        # What all executions together could win, of which the script measures one.
        saves = None
        if reason.savings is not None:
            saves = reason.savings[reason.calls.index(position)] // max(executions, 1)
        reasons.append(CallReason(slug=reason.slug, saves_ns=saves, evidence=reason.evidence))
    return tuple(sorted(reasons, key=lambda one: -(one.saves_ns or 0)))


def _speed_of(correlation: Correlation, position: int) -> CallSpeed | None:
    speeds = correlation.speeds
    return next((one for one in speeds.calls if one.call == position), None) if speeds else None


def _same_rows(rows: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> tuple[int, ...] | None:
    """The one row that all are; None where they differ, or the profile does not state them."""
    if not len(rows) or (rows != rows[0]).any() or (rows[0] < 0).any():
        return None
    return tuple(int(value) for value in rows[0])


def _numbers_in(kwargs: str) -> dict[str, int]:
    """`XBLOCK=2,R0_BLOCK=2048` by name."""
    pairs = (part.strip().partition("=") for part in kwargs.split(","))
    return {
        name: int(value) for name, _, value in pairs if value.isdecimal() and len(value) <= _DIGITS
    }
