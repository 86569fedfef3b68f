"""Case → Advice: ask every rule, give each launch to its first reason, put the worst first.

The order of RULES is that of causes: what explains a launch first has it, in each kind of lack by
itself, so that no nanosecond counts twice. The order of the findings is that of their time.

Findings say what would make the answer better; headrooms say what would make the program faster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kernelmap.model import Confidence
from kernelmap.model.advice import Advice, Claim, Finding, Gap, Lack, Total, Weight
from kernelmap.model.trace import Bool
from kernelmap.speed.advice.case import Case
from kernelmap.speed.advice.headrooms import largest_headrooms
from kernelmap.speed.advice.rules import RULES, Rule
from kernelmap.speed.advice.wanted_counters import find_wanted_counters


def advise_on_case(case: Case, rules: Sequence[Rule] = RULES) -> Advice:
    """What is missing for a better answer, and how much time each reason concerns."""
    claims = [claim for rule in rules for claim in rule(case)]
    scale = _Scale(case)
    # Parallel to the claims: one gap for each lack of which a claim has rows.
    gaps: list[list[Gap]] = [[] for _ in claims]
    totals = []
    for lack in Lack:
        # The units that lack it, and those of them that no claim so far explains; both (units,).
        open_rows = case.mask_lacking(lack)
        left = open_rows.copy()
        for claim, own_gaps in zip(claims, gaps, strict=True):
            if lack not in claim.rows:
                continue
            # All that the claim concerns; what no earlier claim explained of it is this one's.
            involved = claim.rows[lack] & open_rows
            if involved.any():
                own_gaps.append(scale.measure_gap(lack, involved & left, involved))
            left &= ~involved
        if lack is Lack.STEADY:  # only what rules name lacks it
            open_rows, left = open_rows & ~left, left & ~left
        if open_rows.any():
            totals.append(scale.measure_total(lack, open_rows, left))
    findings = [
        _finding_of_claim(claim, claim_gaps)
        for claim, claim_gaps in zip(claims, gaps, strict=True)
        # What speaks only of the left-over units is silent where others explain all of them.
        if not claim.left_over or _has_own(claim_gaps)
    ]
    took = case.run.step_time if case.run else None
    return Advice(
        side=case.run.side if case.run else None,
        total_ns=scale.total_ns,
        confidence=scale.by_confidence(case.counted),
        calls=len(case.program.calls),
        findings=tuple(sorted(findings, key=_badness_of)),
        totals=tuple(totals),
        step_ns=took.total_ns if took else None,
        step_compiled_ns=took.compiled_ns if took else None,
        headrooms=largest_headrooms(case.program, case.roofline),
        counters=find_wanted_counters(case),
    )


def _has_own(gaps: Sequence[Gap]) -> bool:
    """Whether a claim explains anything that no earlier claim explains."""
    return any(gap.time_ns or (gap.time_ns is None and gap.calls) for gap in gaps)


def _finding_of_claim(claim: Claim, gaps: Sequence[Gap]) -> Finding:
    # Others explain all of its time: it is worth a note, and no change.
    explained = claim.weight is Weight.CHANGE and claim.rows and not _has_own(gaps)
    return Finding(
        slug=claim.slug,
        what=claim.what,
        do=claim.do,
        then=claim.then,
        weight=Weight.NOTE if explained else claim.weight,
        gaps=tuple(gaps),
    )


def _badness_of(finding: Finding) -> tuple[int, float]:
    worst = finding.worst
    return int(finding.weight), -(worst.share or 0) if worst else 0


class _Scale:
    """Weighs units: by their time, or by their number where no profile was given."""

    def __init__(self, case: Case) -> None:
        self._case, self._run = case, case.run
        self.total_ns = self._time_of(case.counted)

    def measure_gap(self, lack: Lack, explained: Bool, involved: Bool) -> Gap:
        return Gap(
            lack=lack,
            time_ns=self._time_of(explained),
            involved_ns=self._time_of(involved),
            launches=int(explained.sum()) if self._run else None,
            calls=self._count_calls(explained),
            share=self._share_of(explained),
            now=self.by_confidence(explained) if lack is Lack.CALL else {},
        )

    def measure_total(self, lack: Lack, open_rows: Bool, left: Bool) -> Total:
        return Total(
            lack=lack,
            time_ns=self._time_of(open_rows),
            calls=self._count_calls(open_rows),
            share=self._share_of(open_rows),
            unexplained_ns=self._time_of(left),
            unexplained_calls=self._count_calls(left),
        )

    def by_confidence(self, rows: Bool) -> Mapping[str, int]:
        """Time of each confidence that occurs, strongest first."""
        if self._run is None:
            return {}
        matching, dur_ns = self._run.match.matching, self._run.trace.launches.dur_ns
        masks = {
            confidence: rows & matching.with_confidence(confidence) for confidence in Confidence
        }
        return {
            confidence.name.lower(): int(dur_ns[mask].sum())
            for confidence, mask in masks.items()
            if mask.any()
        }

    def _time_of(self, rows: Bool) -> int | None:
        return int(self._run.trace.launches.dur_ns[rows].sum()) if self._run else None

    def _count_calls(self, rows: Bool) -> int:
        # How many different calls; -1 stands for none.
        calls = np.unique(self._case.call[rows])
        return int((calls >= 0).sum())

    def _share_of(self, rows: Bool) -> float | None:
        part, whole = self._time_of(rows), self.total_ns
        # Without a profile the number of calls takes the place of time.
        if part is None:
            part, whole = self._count_calls(rows), len(self._case.program.calls)
        return part / whole if whole else None
