"""What a recording cannot bear: questions about it whose figures would mislead, and why.

Takes the records of one correlation, gives a notice for each reason to refuse; results keep them
among their notices, and every door asks here, with its question (REFUSED_BY_CAUSE). What is odd but
leaves figures right is no reason: that stays a notice of the module that saw it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum

import numpy as np
from msgspec import Struct

from kernelmap.attribution.records import Attribution
from kernelmap.attribution.window import (
    Unrecorded,
    apis_inside,
    find_unrecorded,
    say_how_to_lose_nothing,
)
from kernelmap.commands import name_option
from kernelmap.errors import KernelmapError
from kernelmap.facts.compiling import CompilerWork, compiler_work
from kernelmap.facts.engine_options import options_of_engine
from kernelmap.model import Activity, CompiledProgram, Confidence, Matching, Notice, Reason, Trace
from kernelmap.model.columns import by_name, distinct_values
from kernelmap.model.notices import format_count, format_percent
from kernelmap.model.steps import step_positions
from kernelmap.model.trace import Bool
from kernelmap.options import Options

LOST_SHARE = 0.05
"""Of the host's launches, kernels without an activity from which on no figure is given.

With a twentieth gone, a row of a twentieth of the time may be missing from a table, which nobody
sees. sample_traces/cuda_lost_kernels lost 12 %, a second of two H100 under nsys 39 %, no other
recording any kernel.
"""
AUTOTUNING_SHARE = 0.95
"""Of the time, from which on a profile is one of the autotuner: less than a twentieth is the
program's own, and any share of it is next to nothing. sample_traces/cuda_autotune_inside has 99.9
%. A whole program under Nsight Systems has its warm-up inside: six of the seven `nsys.sqlite` of
the samples have 82 to 94 % or, of programs of some µs, 98 %; a table of calls is still of use where
the program's part is a twentieth.
"""
CAPTURED_SHARE = 0.5
"""Of the launches, from which on a profile without replays is one of captures.
mi300x_vllm_decode_full.capture of the corpus has 97.7 %, all others none."""
STEPS_SHARE = 0.1
"""Of the recorded time that complete steps hold, below which they do not stand for the recording.
Real recordings with steps hold 99 % and more in them; what is refused holds a few percent."""
_MOST_STEPS = 1000  # that are looked at one by one, for steps that could be asked about instead
_EVERY_BY_OF_CODE = ("op", "call", "node", "line", "module", "graph")
"""Words of --by whose times are of code: the others ask nothing of it."""


class Question(Enum):
    """What is asked of a recording; the value says it in words, with the doors that ask it."""

    CODE = (
        "what code took: its ops, calls, lines and graphs, headroom, savings, differences",
        "correlate, diff, gate, pytest, runs add, history, dashboard, annotate --listing, lsp, mcp",
    )
    TIME = (
        "what the profile took: kernels, launches, steps, wall time, ranks",
        "correlate --by kernel, launch or wall, fleet, mcp",
    )
    NAMES = (
        "what belongs to what, and what a recording lacks",
        "which, explain, annotate, doctor, inspect, mcp",
    )
    MEMORY = (
        "who held how many bytes: as the code states it, as the allocator was recorded",
        "memory, mcp",
    )

    @property
    def words(self) -> str:
        """What is asked."""
        return self.value[0]

    @property
    def doors(self) -> str:
        """The commands that ask it."""
        return self.value[1]


_FIGURES = (Question.CODE, Question.TIME)
REFUSED_BY_CAUSE: Mapping[str, tuple[Question, ...]] = {
    "kernels-lost": _FIGURES,
    "only-captures": _FIGURES,
    "only-autotuning": _FIGURES,
    "only-compiling": _FIGURES,
    "steps-too-small": _FIGURES,
    "code-of-another-run": (Question.CODE,),
}
"""The questions that a recording cannot bear, by the cause, which is the slug of its notice.

No cause takes away a pair of launch and call, nor what its launch took: NAMES are answered. The
allocator's events are the host's, whole whatever the GPU lost, and a step that compiles holds what
it holds: MEMORY is answered. Kernels took their time whichever code is given.
"""


class RefusedError(KernelmapError):
    """A question that a recording cannot bear; its slug is that of the notice that says why."""


def refuse(notice: Notice, otherwise: str | None = None) -> RefusedError:
    """The error for the question; `otherwise` says how figures are had where they mislead."""
    if otherwise is None:
        otherwise = f"{name_option('anyway')} shows figures all the same."
    hint = " ".join(filter(None, (notice.hint, otherwise)))
    return RefusedError(notice.slug, f"refused: {notice.message}", hint)


def find_refusals(
    notices: Sequence[Notice], question: Question = Question.CODE
) -> tuple[Notice, ...]:
    """The reasons among a result's notices why a question is refused."""
    return tuple(it for it in notices if question in REFUSED_BY_CAUSE.get(it.slug, ()))


def question_of_table(by: str) -> Question:
    """What a table of --by is asked, for tables of time."""
    return Question.CODE if by in _EVERY_BY_OF_CODE else Question.TIME


def rows_of_refusals() -> list[str]:
    """REFUSED_BY_CAUSE as rows of Markdown, one per question, as docs/for-agents.md has it."""
    return [
        f"| {question.words} | {question.doors} | {', '.join(causes) or 'never'} |"
        for question in Question
        for causes in [[it for it, asked in REFUSED_BY_CAUSE.items() if question in asked]]
    ]


class Recorded(Struct, frozen=True, kw_only=True):
    """What is looked at: the records of one correlation, and the choices it was made with."""

    program: CompiledProgram
    trace: Trace
    matching: Matching
    attribution: Attribution
    unrecorded: Unrecorded
    options: Options


def iter_refusals(recorded: Recorded, notices: Sequence[Notice]) -> Iterator[Notice]:
    """The reasons to refuse; `notices` are those that the readers gave."""
    # The CPU's time lacks nothing where activities of a GPU are missing.
    if recorded.attribution.side != "cpu":
        yield from _kernels_lost(recorded)
        yield from _only_captures(recorded)
    yield from _only_autotuning(recorded)
    yield from _only_compiling(recorded, notices)
    yield from _steps_too_small(recorded)
    yield from _code_of_another_run(recorded)


def _kernels_lost(recorded: Recorded) -> Iterator[Notice]:
    """The profiler lost kernels, so any row may be too small or missing."""
    unrecorded = recorded.unrecorded
    # Memsets and copies are often not recorded at all, which takes nothing from kernels.
    lost = unrecorded.lost.get(Activity.KERNEL, 0)
    if lost < LOST_SHARE * max(unrecorded.launching, 1):
        return
    yield Notice(
        slug="kernels-lost",
        message=f"{lost:,} of {format_count(unrecorded.launching, 'launch')} on the host left no"
        " kernel on the GPU: any figure may lack what they took",
        hint=_other_steps(recorded, lambda step: _loses_kernels(recorded, step))
        + say_how_to_lose_nothing(recorded.trace),
    )


def _loses_kernels(recorded: Recorded, step: int) -> bool:
    """Whether a kernel that was launched in a step is missing."""
    trace = recorded.trace
    inside = apis_inside(trace, Options(steps=(step, step)))
    found = find_unrecorded(trace, inside, np.equal(recorded.attribution.step, step))
    return bool(found.lost.get(Activity.KERNEL, 0))


def _only_captures(recorded: Recorded) -> Iterator[Notice]:
    """Launches were captured into graphs whose replays were not recorded."""
    captured, launching = recorded.unrecorded.captured, recorded.unrecorded.launching
    if not captured or captured < CAPTURED_SHARE * launching:
        return
    yield Notice(
        slug="only-captures",
        message=f"{captured:,} of {format_count(launching, 'launch')} were captured into a CUDA or"
        " HIP graph and no replay was recorded: hardly any work of the program is in the profile",
        hint="Record steps that replay the graph; this profile tells what they ran:"
        f" {name_option('like')}.",
    )


def _only_autotuning(recorded: Recorded) -> Iterator[Notice]:
    """Most of the time is the autotuner's, which benchmarks kernels."""
    counted, matching = recorded.attribution.counted, recorded.matching
    # Mask of the counted launches that the autotuner made; (launches,).
    tuned = counted & np.equal(matching.reason, Reason.AUTOTUNE)
    times = recorded.trace.launches.dur_ns
    share = _share(int(times[tuned].sum()), int(times[counted].sum()))
    if share < AUTOTUNING_SHARE:
        return
    with_tuning = set(distinct_values(recorded.attribution.step[tuned]).tolist())
    yield Notice(
        slug="only-autotuning",
        message=f"{format_percent(share)} of the time are benchmarks of the autotuner: shares and"
        " sums of this profile say next to nothing of the program's own work",
        hint=_other_steps(recorded, with_tuning.__contains__)
        + "Record after the first steps, when nothing is tuned any more.",
    )


def _only_compiling(recorded: Recorded, notices: Sequence[Notice]) -> Iterator[Notice]:
    """Every step that counts is one in which code was compiled."""
    trace = recorded.trace
    steps = set(_counted_steps(recorded))
    if not steps:
        return
    # Which ranges compile, by their names; then the steps in which one begins.
    works = [compiler_work(name) is CompilerWork.COMPILING for name in trace.ranges.names]
    rows = by_name(trace.ranges.name_id, works)
    positions = step_positions(trace.steps, trace.ranges.process[rows], trace.ranges.start_ns[rows])
    compiling = {trace.steps[at].number for at in positions.tolist() if at >= 0}
    # A bundle says that something was compiled and not in which step, which one step leaves open.
    if len(steps) == 1 and any(notice.slug == "bundle-compiled-inside" for notice in notices):
        compiling |= steps
    if not steps <= compiling:
        return
    engine = options_of_engine(trace) is not None
    what = "the only step" if len(steps) == 1 else f"each of the {len(steps)} steps"
    yield Notice(
        slug="only-compiling",
        message=f"code was compiled in {what} that was recorded: none is a step as the program"
        " usually runs",
        hint="Record later, when nothing is compiled any more"
        + ("." if engine else ": schedule(wait=2, warmup=1, active=4), or `kernelmap capture`."),
    )


def _steps_too_small(recorded: Recorded) -> Iterator[Notice]:
    """Complete steps hold so little of the recorded time that they do not stand for it."""
    attribution, options = recorded.attribution, recorded.options
    # Whoever names steps asks about these.
    if options.steps is not None or not recorded.trace.steps:
        return
    launches = recorded.trace.launches
    of_side: Bool = launches.on_cpu if attribution.side == "cpu" else ~launches.on_cpu
    in_steps = attribution.counted & (attribution.step >= 0)
    share = _share(int(launches.dur_ns[in_steps].sum()), int(launches.dur_ns[of_side].sum()))
    if not in_steps.any() or share >= STEPS_SHARE:
        return
    yield Notice(
        slug="steps-too-small",
        message=f"the complete steps hold {format_percent(share)} of the recorded time: what they"
        " took does not stand for the run",
        hint=f"Record whole steps; {name_option('steps', _span(_counted_steps(recorded)))} asks"
        " about these.",
    )


def _code_of_another_run(recorded: Recorded) -> Iterator[Notice]:
    """Code was given, and nothing that ran in the window is of it."""
    program, matching = recorded.program, recorded.matching
    # By call of the program, whether its graph was given with its code; (calls,).
    given = np.array([graph.text is not None for graph, _ in program.calls], dtype=np.bool_)
    counted = recorded.attribution.counted
    if not given.any() or not counted.any():
        return
    called = counted & (matching.call >= 0)
    if given[matching.call[called]].any():
        return
    ambiguous = counted & matching.with_confidence(Confidence.AMBIGUOUS)
    candidates = {
        call for row in np.flatnonzero(ambiguous).tolist() for call in matching.candidates_of(row)
    }
    if any(given[call] for call in candidates):
        return
    yield Notice(
        slug="code-of-another-run",
        message=f"nothing that ran could be paired with any of the"
        f" {format_count(int(given.sum()), 'call')} of the given code: it may be that of another"
        " run",
        hint="Give the code of this run; without any code the profile alone can be asked.",
    )


def _share(part_ns: int, whole_ns: int) -> float:
    return part_ns / whole_ns if whole_ns else 0.0


def _counted_steps(recorded: Recorded) -> list[int]:
    """The steps in which something that counts was launched, in order."""
    attribution = recorded.attribution
    steps = distinct_values(attribution.step[attribution.counted])
    return sorted(int(step) for step in steps.tolist() if step >= 0)


def _other_steps(recorded: Recorded, is_bad: Callable[[int], bool]) -> str:
    """A sentence with the longest run of steps that can be asked about, empty without one."""
    best: list[int] = []
    run: list[int] = []
    for step in _counted_steps(recorded)[:_MOST_STEPS]:
        if is_bad(step):
            run = []
            continue
        run = [*run, step] if run and run[-1] == step - 1 else [step]
        best = max(best, run, key=len)
    asks = name_option("steps", _span(best)) if best else ""
    return f"{asks} asks about steps without that. " if best else ""


def _span(steps: Sequence[int]) -> str:
    return f"{steps[0]}" if steps[0] == steps[-1] else f"{steps[0]}:{steps[-1]}"
