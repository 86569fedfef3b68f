"""What times of a comparison are told per: a step, a run of a graph, or the whole recording."""

from __future__ import annotations

from dataclasses import dataclass

from kernelmap.compare.causes import Paired
from kernelmap.compare.side import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a time is told per: a step, a run of a graph, or the whole window; and how many."""

    word: str
    before: int
    after: int


def unit_of(before: Side, after: Side, found: Paired) -> Unit:
    """Steps where both sides have them, else runs of the graph that takes the most time."""
    if before.steps and after.steps:
        return Unit(word="step", before=before.steps, after=after.steps)
    ran = [pair for pair in found.graphs if pair[0].invocations and pair[1].invocations]
    if not ran:
        return Unit(word="recording", before=1, after=1)
    one, other = max(ran, key=lambda pair: sum(call.time_ns for call in pair[0].calls))
    return Unit(word=f"run of {other.id}", before=one.invocations, after=other.invocations)
