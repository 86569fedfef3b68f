"""What a matching says about every launch, in words that a test compares."""

from __future__ import annotations

from kernelmap.matching import Match, match_launches
from kernelmap.model import CompiledProgram, Confidence, Reason, Trace


def calls(result: Match) -> list[str | None]:
    """The call id of every launch, None without one."""
    ids = [graph.call_id(call) for graph, call in result.program.calls]
    return [ids[call] if call >= 0 else None for call in result.matching.call.tolist()]


def confidences(result: Match) -> list[str]:
    """The confidence of every launch."""
    return [Confidence(value).name.lower() for value in result.matching.confidence.tolist()]


def reasons(result: Match) -> list[Reason]:
    """The reason of every launch."""
    return [Reason(value) for value in result.matching.reason.tolist()]


def paired(given: CompiledProgram, trace: Trace) -> list[tuple[str | None, str]]:
    """Call id and confidence of every launch of `trace`."""
    result = match_launches(given, trace)
    return list(zip(calls(result), confidences(result), strict=True))
