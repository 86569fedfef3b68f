"""What a step takes on the clock, waiting included, beside what the device works in it.

A change may leave the work of the GPU alone and still make steps shorter, as CUDA graphs do: the
GPU waits less for its host. Where both sides know how long their steps took, a comparison says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from msgspec import Struct

_LEAST_STEPS = 3
"""Steps a side: with three each, all of one side lie beyond all of the other by chance in one case
of twenty, with two in one of six. Arithmetic."""
_LEAST_SHIFT = 0.05
"""What processes of the same code may differ by on the clock where no step of them overlaps. With
less, a busy host is a finding. Chosen."""
_SEVERAL = 3
"""Times the change of the work, as logarithms: then waiting is what changed. At 1 every change of
the work would be one of waiting. Chosen."""


class ClockChange(Struct, frozen=True, kw_only=True):
    """Mean ns of a step on the clock on both sides, and whether they differ beyond noise."""

    before_ns: int
    after_ns: int
    beyond_noise: bool

    @property
    def ratio(self) -> float:
        """After over before."""
        return self.after_ns / self.before_ns

    def contradicts(self, ratio: float) -> bool:
        """Whether steps changed otherwise than the work in them, which changed by `ratio`.

        The other way, or several times as much.
        """
        if not self.beyond_noise or ratio <= 0:
            return False
        # Logarithms, so that twice as fast and twice as slow are equally far from no change.
        clock, work = log(self.ratio), log(ratio)
        return clock * work < 0 or abs(clock) >= _SEVERAL * abs(work)


def clock_change(before: Sequence[int], after: Sequence[int]) -> ClockChange | None:
    """The change of the steps' times in ns; None where a side does not know them."""
    if not (before and after and sum(before) and sum(after)):
        return None
    means = sum(before) / len(before), sum(after) / len(after)
    # All steps of one side take longer than all of the other.
    is_apart = max(before) < min(after) or max(after) < min(before)
    has_enough = min(len(before), len(after)) >= _LEAST_STEPS
    is_large = max(means) > (1 + _LEAST_SHIFT) * min(means)
    return ClockChange(
        before_ns=round(means[0]),
        after_ns=round(means[1]),
        beyond_noise=is_apart and has_enough and is_large,
    )
