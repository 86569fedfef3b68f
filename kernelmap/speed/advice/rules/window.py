"""Reasons in the window: work that is no part of a usual step, and how to leave it out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution.records import Slow
from kernelmap.commands import name_option
from kernelmap.facts.compiling import CompilerWork, compiler_work
from kernelmap.facts.engine_options import options_of_engine
from kernelmap.model import NONE, Reason, Step
from kernelmap.model.advice import Claim, Lack
from kernelmap.model.columns import by_name
from kernelmap.model.notices import format_count, format_duration, join_some
from kernelmap.model.trace import Bool, Trace
from kernelmap.speed.advice.case import Case, ProfiledRun

_WARM_UP = (
    "Record later: schedule(wait=2, warmup=1, active=4), or `kernelmap capture`, which waits until "
    "nothing compiles."
)
_SLOW = 1.5
"""Times a usual step: less is what steps of one run vary by, and a step that compiled takes many
times as long. Chosen."""
_ENOUGH = 3
"""Steps, to know what is usual: of two, either may be the odd one. Arithmetic."""
_NOTABLE = 100
"""One part in so many of the window's time: work outside of steps that takes less changes no
answer. Chosen."""
_SAID = 3  # rows in one sentence


def autotuning_inside(case: Case) -> Iterator[Claim]:
    """The autotuner benchmarked kernels within the window, in first invocations above all."""
    run = case.run
    if run is None:
        return
    tuned = case.counted & run.mask_reasons(Reason.AUTOTUNE)
    if not tuned.any():
        return
    # All launches of the invocations in which something was benchmarked.
    first = run.of_invocations(run.invocation[tuned & (run.invocation != NONE)].tolist())
    yield Claim(
        slug="autotuning-inside",
        what="benchmarks of the autotuner look like the calls that come after them: "
        f"{format_count(int(tuned.sum()), 'launch')}",
        do=_record_later(run) + _later_steps(run, tuned),
        then="exact, and only the model's work in the window",
        rows={Lack.CALL: run.unsure & first, Lack.STEADY: tuned},
    )


def compiled_inside(case: Case) -> Iterator[Claim]:
    """Something was compiled within the window, as the profile or the bundle says."""
    run = case.run
    if run is None:
        return
    notices = [notice for notice in case.notices if notice.slug == "bundle-compiled-inside"]
    ranges = run.trace.ranges
    # By range name, whether it is a compilation; then by range, (ranges,).
    compiles = [compiler_work(name) is CompilerWork.COMPILING for name in ranges.names]
    seen = by_name(ranges.name_id, compiles)
    if not seen.any() and not notices:
        return
    # All launches of the steps in which something was compiled.
    steps = _steps_holding(run, seen)
    rows = case.counted & np.isin(run.step, steps) if steps else np.zeros_like(case.counted)
    claim = Claim(
        slug="compiled-inside",
        what="code was compiled within the recorded window",
        do=_record_later(run) + _later_steps(run, rows),
        then="steps as they usually are",
        rows={Lack.STEADY: rows} if rows.any() else {},
    )
    # A bundle says it in its own words, also where no range shows it.
    yield replace(claim, slug=notices[0].slug, what=notices[0].message) if notices else claim


def first_step_slow(case: Case) -> Iterator[Claim]:
    """Step 0 was recorded and took longer than the others: the profiler's own start lies in it."""
    run = case.run
    if run is None:
        return
    # Launches of a slow step 0; (launches,).
    slow = [step for step in _first_steps(run) if _is_slow(run, step)]
    rows = case.counted & np.isin(run.step, [step.number for step in slow])
    tuned = run.mask_reasons(Reason.AUTOTUNE)
    if not rows.any() or (rows & tuned).any():  # then that is why
        return
    yield Claim(
        slug="first-step-slow",
        what="step 0 was recorded, and took longer than the others: it holds the start of the "
        "profiler and of the model",
        do=_record_later(run) + _later_steps(run, rows),
        then="steps as they usually are",
        rows={Lack.STEADY: rows},
    )


def slow_launches(case: Case) -> Iterator[Claim]:
    """A few launches took so long that they decide where ops, calls or lines stand."""
    run = case.run
    if run is None:
        return
    total = int(run.trace.launches.dur_ns[run.counted].sum())
    # The same launches may decide an op, a call and a line: they are said once, with all names.
    slow: dict[bytes, tuple[list[str], Slow]] = {}
    for name, few in run.slow:
        if few.time_ns * _NOTABLE >= total:
            slow.setdefault(few.rows.tobytes(), ([], few))[0].append(name)
    if not slow:
        return
    # Their mask, and the longest of them as the example.
    rows = np.zeros_like(case.counted)
    rows[np.concatenate([few.rows for _, few in slow.values()])] = True
    longest = int(np.flatnonzero(rows)[run.trace.launches.dur_ns[rows].argmax()])
    says = [_slow_words(names, few) for names, few in slow.values()]
    yield Claim(
        slug="slow-launches",
        what=f"a few slow launches decide the rank of a row: {'; '.join(says[:_SAID])}"
        + (f"; and {len(says) - _SAID} more" if len(says) > _SAID else ""),
        do="Compare medians, or record more steps;"
        f" `{case.again('explain', str(longest))}` shows the longest of them.",
        then="rows that stand where a usual step puts them",
        rows={Lack.STEADY: rows},
    )


def _slow_words(names: Sequence[str], slow: Slow) -> str:
    """`1 of 4 launches of aten.mm (0_forward/3) took 2.66 ms, where the median is 12 µs`."""
    also = f" ({join_some(names[1:])})" if len(names) > 1 else ""
    return (
        f"{slow.launches:,} of {format_count(slow.of, 'launch')} of {names[0]}{also} took"
        f" {format_duration(slow.time_ns)}, where the median is {format_duration(slow.median_ns)}"
    )


def steps_unmarked(case: Case) -> Iterator[Claim]:
    """Steps that were asked for are missing, or there are none to leave the first ones out."""
    for notice in case.notices:
        if notice.slug == "steps-missing":
            yield Claim.of_notice(notice, notice.hint or "", "the steps that were asked for")
    run = case.run
    if (
        run is not None
        and not run.trace.steps
        and (case.counted & run.mask_reasons(Reason.AUTOTUNE)).any()
    ):
        yield Claim(
            slug="steps-unmarked",
            what="no ProfilerStep range divides the profile, so its first steps cannot be left out",
            do=mark_steps(run.trace),
            then=f"{name_option('steps', 'A:B')} chooses steps",
        )


def mark_steps(trace: Trace) -> str:
    """How steps get ranges; an engine opens those of its steps itself."""
    options = options_of_engine(trace)
    if options is None:
        return "Call prof.step() after every step."
    if options.marks is None:
        return "Record with a version of the engine whose steps have ranges."
    return f"Start the engine with {options.marks}: its steps have ranges then."


def _record_later(run: ProfiledRun) -> str:
    """How to record when all is warm; an engine starts its profiler itself."""
    if (options := options_of_engine(run.trace)) is None:
        return _WARM_UP
    return (
        "Record later, when requests of every size have been served and nothing compiles:"
        f" {options.whole_steps}."
    )


def _later_steps(run: ProfiledRun, rows: Bool) -> str:
    """How to leave the steps with these launches out of this profile; empty if it cannot be."""
    # The steps with these launches, and all steps of the window. Only where some come after them
    # can this profile do without.
    inside = np.unique(run.step[rows & (run.step != NONE)])
    numbers = sorted({int(step) for step in np.unique(run.step[run.counted]) if step != NONE})
    if not len(inside) or not numbers or int(inside.max()) >= numbers[-1]:
        return ""
    later = f"{int(inside.max()) + 1}:{numbers[-1]}"
    return f" In this profile: {name_option('steps', later)}."


def _steps_holding(run: ProfiledRun, seen: Bool) -> list[int]:
    """Numbers of the steps that hold one of these ranges."""
    starts, process = run.trace.ranges.start_ns[seen], run.trace.ranges.process[seen]
    return [
        step.number
        for step in run.trace.steps
        if ((process == step.process) & (starts >= step.start_ns) & (starts < step.end_ns)).any()
    ]


def _first_steps(run: ProfiledRun) -> Iterator[Step]:
    """Step 0 of each process that has it and enough others."""
    # Of steps that launched something; the last one is opened and may never have run.
    steps: dict[int, list[Step]] = defaultdict(list)
    launched = set(run.step.tolist())
    for step in run.trace.steps:
        if step.number in launched and step.incomplete is None:  # a last one is opened and not run
            steps[step.process].append(step)
    for process_steps in steps.values():
        first = min(process_steps, key=lambda step: step.number)
        alike = sum(_is_alike(step, first) for step in process_steps)
        if first.number == 0 and alike >= _ENOUGH:
            yield first


def _is_alike(step: Step, other: Step) -> bool:
    """Whether two steps do the same: a prefill takes longer than a decode step at any time."""
    return (step.kind, step.batch) == (other.kind, other.batch)


def _is_slow(run: ProfiledRun, first: Step) -> bool:
    launched = set(run.step.tolist())
    others = [
        step.end_ns - step.start_ns
        for step in run.trace.steps
        if step.process == first.process
        and step.number != 0
        and step.number in launched
        and step.incomplete is None
        and _is_alike(step, first)
    ]
    return first.end_ns - first.start_ns > _SLOW * float(np.median(others))
