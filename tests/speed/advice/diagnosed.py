"""A diagnosis of a tiny world, as the pipeline makes it, and what tests ask of it."""

from __future__ import annotations

from kernelmap.attribution import attribute_time
from kernelmap.attribution.window import apis_inside, find_unrecorded, missing_steps
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Notice, Trace
from kernelmap.model.advice import Advice, Finding, Lack
from kernelmap.options import Options
from kernelmap.speed.advice import Case, ProfiledRun, advise_on_case


def diagnose(
    given: CompiledProgram,
    trace: Trace | None = None,
    *notices: Notice,
    steps: tuple[int, int] | None = None,
) -> Advice:
    """The advice for a program, with its trace or without."""
    if trace is None:
        return advise_on_case(Case(program=given, notices=notices))
    options = Options(steps=steps)
    result = match_launches(given, trace)
    split = attribute_time(result.program, trace, result.matching, options)
    run = ProfiledRun(
        trace=trace,
        match=result,
        side=split.side,
        counted=split.counted,
        step=split.step,
        unrecorded=find_unrecorded(trace, apis_inside(trace, options), split.counted),
        slow=split.slow(result.program),
    )
    said = (*notices, *result.notices, *missing_steps(trace, options))
    return advise_on_case(Case(program=result.program, notices=said, run=run))


def slugs(advice: Advice) -> list[str]:
    """The findings, worst first."""
    return [finding.slug for finding in advice.findings]


def finding_of(advice: Advice, slug: str) -> Finding:
    """The one finding with this slug."""
    (finding,) = [finding for finding in advice.findings if finding.slug == slug]
    return finding


def time_of(advice: Advice, slug: str, lack: Lack = Lack.CALL) -> int | None:
    """The time of a finding's own, 0 where it concerns nothing of this lack."""
    gaps = [gap for gap in finding_of(advice, slug).gaps if gap.lack is lack]
    return gaps[0].time_ns if gaps else 0
