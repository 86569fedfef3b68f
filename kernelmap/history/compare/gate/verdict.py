"""Whether a change may pass: the verdict of a gate, with its reasons.

Takes a comparison, gives reasons to fail, what may be noise, and notes. levels.py judges calls and
the whole, family_level.py the calls of an op or kernel together, memory_level.py the peaks of
memory. What all of the same code did alike (a slower clock) is noted and does not count. What was
not judged is noted with its part of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kernelmap.history.compare.gate.families import find_families
from kernelmap.history.compare.gate.findings import Findings, GateLimits
from kernelmap.history.compare.gate.levels import JUDGES
from kernelmap.history.compare.gate.memory_level import judge_memory
from kernelmap.history.compare.gate.reasons import told_together
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.sides.side import ComparedSide
from kernelmap.history.compare.texts.sm_clock_words import say_sm_clock
from kernelmap.history.compare.texts.words import (
    say_differences,
    say_explaining,
    say_speed,
    say_whole_change,
)
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_percent, make_visible

_SURE = ("exact", "inferred", "outside")


class Verdict(Struct, frozen=True, kw_only=True):
    """`reasons` to fail, none where the change may pass; `notes` are what else to know.

    `doubts` are changes larger than the limit that may be noise; `judged` says whether anything
    stood out from noise at all.
    """

    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    judged: bool = True

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons

    @property
    def conclusive(self) -> bool:
        """Whether more steps could not change the answer."""
        return bool(self.reasons) or (self.judged and not self.doubts)

    def fails(self, *, strict: bool) -> bool:
        """Whether the gate fails; with `strict` also where more steps could change the answer."""
        return not self.passed or (strict and not self.conclusive)

    @property
    def word(self) -> str:
        """The verdict in some words."""
        if not self.passed:
            return f"failed for {format_count(len(self.reasons), 'reason')}"
        if self.doubts:
            return f"inconclusive for {format_count(len(self.doubts), 'reason')}"
        return "passed" if self.judged else "inconclusive, too few steps to tell anything"

    @property
    def points(self) -> tuple[str, ...]:
        """What fails, then what may be noise."""
        return (*self.reasons, *(f"inconclusive: {text}" for text in self.doubts))


def speak_verdict(comparison: Comparison, verdict: Verdict) -> str:
    """Reasons, the whole change, notes and the verdict, a line each, without an end of line.

    Another SM clock is said before any of them, and then what else differs and may explain them.
    """
    first = "; ".join(filter(None, [say_sm_clock(comparison), say_explaining(comparison)]))
    return "\n".join(
        [
            *([f"note: {make_visible(first)}"] if first else []),
            *(f"- {make_visible(point)}" for point in verdict.points),
            say_whole_change(comparison),
            *(f"note: {make_visible(text)}" for text in verdict.notes),
            f"gate: {verdict.word}",
        ]
    )


def judge_comparison(
    comparison: Comparison, limits: GateLimits, baseline: Sequence[str] = ()
) -> Verdict:
    """The verdict on the newer side of `comparison`; `baseline` names what it is held against."""
    findings = Findings()
    # Also the level of calls needs the families: it notes what none of them judged.
    if "op" in limits.levels:
        findings.families = find_families(comparison, limits.time_ns)
    if limits.coverage is not None:
        _judge_coverage(comparison.sides[1], limits.coverage, findings)
    for level, judge_level in JUDGES.items():
        if level in limits.levels:
            judge_level(comparison, limits, findings)
    judge_memory(comparison.memory, limits.memory, findings)
    # Without any change there is nothing to judge; else at least one has to have been tested.
    judged = not comparison.changes or any(change.evidence for change in comparison.changes)
    return Verdict(
        reasons=told_together(findings.reasons, findings.changes, comparison.unit),
        doubts=tuple(findings.doubts),
        notes=(
            *baseline,
            *_make_notes(comparison, judged=judged),
            *findings.notes,
            *_left_notes(comparison, findings),
        ),
        judged=judged,
    )


def _judge_coverage(side: ComparedSide, least: float, findings: Findings) -> None:
    # The time that has one call, exact or inferred, and what is known to be outside, as a share.
    covered = sum(side.summary.coverage.get(bucket, 0.0) for bucket in _SURE)
    if side.summary.coverage and covered < least:
        findings.reasons.append(
            f"coverage: {format_percent(covered)} of the time is paired, less than "
            f"{format_percent(least)}"
        )


def _make_notes(comparison: Comparison, *, judged: bool) -> Sequence[str]:
    notes = []
    if comparison.clock != 1:
        notes.append(
            f"all of the same code is {say_speed(float(comparison.clock))}: clock, power or "
            "device; this part does not count"
        )
    if not judged:
        notes.append("there are too few invocations to tell a change from noise: no ratio can fail")
    return [*notes, *say_differences(comparison)]


def _left_notes(comparison: Comparison, findings: Findings) -> list[str]:
    """What was not judged by itself, how much of the time that is, and why."""
    notes = []
    for (noun, why), times in findings.left.items():
        if not sum(times):
            continue
        what = noun if noun == "time" else format_count(len(times), noun)
        share = format_percent(sum(times) / comparison.after_ns) if comparison.after_ns else ""
        notes.append(f"not judged alone: {what} {why}, {share} of the time")
    return notes
