"""(what the code says, the speeds of calls) → all reasons by themselves, whatever they share.

Each kind is a function that states what shows it, and what it saves at most: of memory traffic in
traffic_reasons.py, of arithmetic in arithmetic_reasons.py, of launches in launch_reasons.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelmap.model import CompiledProgram
from kernelmap.model.roofline import CallSpeed, DeviceLimits
from kernelmap.model.work import CodeEvidence
from kernelmap.speed.limits.arithmetic_reasons import iter_arithmetic_reasons
from kernelmap.speed.limits.candidates import (
    FindOccupancies,
    KnownSpeeds,
    ReasonCandidate,
    no_occupancies,
)
from kernelmap.speed.limits.launch_reasons import iter_launch_reasons
from kernelmap.speed.limits.traffic_reasons import iter_traffic_reasons


def iter_candidates(
    program: CompiledProgram,
    speeds: Mapping[int, CallSpeed],
    limits: DeviceLimits | None,
    evidence: CodeEvidence,
    find_occupancies: FindOccupancies = no_occupancies,
) -> Iterator[ReasonCandidate]:
    """All reasons of the calls that ran; `speeds` has them by position."""
    known = KnownSpeeds(program, speeds, limits, find_occupancies)
    yield from iter_traffic_reasons(known, evidence)
    yield from iter_launch_reasons(known, evidence)
    yield from iter_arithmetic_reasons(known, evidence)
