"""Launches of the autotuner that an annotation names: outside of compiled code, reason autotune."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import nearest_ancestor
from kernelmap.model import Confidence, Reason


def benchmarks(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide launches below an annotation that says that kernels are benchmarked there."""
    host, ranges = context.host, context.trace.ranges
    around = nearest_ancestor(ranges.parent, host.benchmarks, host.host_range)
    yield Decided(matched.open & (around >= 0), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
