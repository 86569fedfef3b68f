"""Launches of the autotuner that an annotation names: outside of compiled code, reason autotune."""

from __future__ import annotations

from kernelmap.matching.host_side.climb import climb
from kernelmap.matching.situation.draft import Draft
from kernelmap.matching.situation.situation import Situation
from kernelmap.model import Confidence, Reason


def benchmarks(situation: Situation, draft: Draft) -> None:
    """Settle launches below an annotation that says that kernels are benchmarked there."""
    host, ranges = situation.host, situation.trace.ranges
    around = climb(ranges.parent, host.benchmarks, situation.host.host_range)
    draft.settle(draft.open & (around >= 0), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
