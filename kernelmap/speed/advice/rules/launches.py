"""Reasons why single launches cannot be followed to the call that they belong to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.commands import name_option, say_captures_teach
from kernelmap.facts.api_calls import records_graph, waits_at_the_end
from kernelmap.facts.engine_options import EngineOptions, options_of_engine
from kernelmap.matching.context.match_context import Invocation
from kernelmap.matching.context.notices import REASONS
from kernelmap.matching.explaining.explain import find_typical_launch
from kernelmap.model import NONE, Activity, Confidence, Reason
from kernelmap.model.advice import Claim, Lack, Weight
from kernelmap.model.notices import format_count
from kernelmap.speed.advice.case import Case, ProfiledRun

_WHOLE_STEPS = (
    "Record whole steps: prof.step() with schedule(wait=2, warmup=1, active=4), and "
    "torch.cuda.synchronize() right before the profiler starts and stops."
)
_WHOLE_STEPS_NSYS = (
    "Record whole steps: nsys profile --capture-range=cudaProfilerApi, and "
    "torch.cuda.synchronize() right before torch.cuda.profiler.start() and stop()."
)
_LIKE = (
    " Or keep the graphs and record the same code once: kernelmap capture -o bundle -- python"
    " train.py, then {like} tells the calls of this and later profiles, inferred."
)
_WITHOUT = "mode='max-autotune-no-cudagraphs'"
_LET_FINISH = "Let the GPU finish before the profiler stops: torch.cuda.synchronize()."
_STOP_IDLE = "Stop the profile when no request runs any more."
_FEWER = "Record fewer steps if the profiler warns that its buffers are full."
_FEW = 100
"""A hundredth of the launches: profilers lose some events, and below that a new recording gains
nothing. Chosen."""


def graph_replay(case: Case) -> Iterator[Claim]:
    """CUDA or HIP graphs were replayed: a replay has one api call for all its kernels."""
    run = case.run
    if run is None:
        return
    launches = run.trace.launches
    led_back = launches.origin >= 0  # to where the node was captured: then that is the host side
    whole = np.equal(launches.activity, Activity.GRAPH)  # has a reason of its own
    rows = run.unsure & run.replayed & ~led_back & ~whole
    if not rows.any():
        return
    # Whether some of them have no single call.
    open_ = (run.match.matching.confidence[rows] >= Confidence.AMBIGUOUS).any()
    like = bool(run.match.references.sources)
    options = options_of_engine(run.trace)
    seen = ", though a capture lies in the profile" if _has_capture(run) else ""
    yield Claim(
        slug="graph-replay",
        what="replays of CUDA or HIP graphs have a host side that names no call: "
        f"{format_count(int(rows.sum()), 'launch')}{seen}",
        do=_record_without_graphs(options)
        + ("" if case.given or like else " Or give the code: then order can tell calls, inferred.")
        + (_give_captures(options) if open_ and not like else ""),
        then="exact without graphs",
        rows={Lack.CALL: rows},
    )


def _record_without_graphs(options: EngineOptions | None) -> str:
    """How to record steps without graphs; an engine captures its graphs itself."""
    if options is not None:
        return f"Record some steps without graphs: {options.without_graphs}."
    off = "torch._inductor.config.triton.cudagraphs = False"
    return f"Record some steps without graphs: {_WITHOUT}, or {off}."


def _record_whole_steps(run: ProfiledRun) -> str:
    """How to record steps from beginning to end; an engine starts its profiler itself."""
    if run.by_nsys:
        return _WHOLE_STEPS_NSYS
    options = options_of_engine(run.trace)
    return _WHOLE_STEPS if options is None else f"Record whole steps: {options.whole_steps}."


def _give_captures(options: EngineOptions | None) -> str:
    """How to keep the graphs and have their calls told."""
    if options is None:
        return _LIKE.format(like=name_option("like", "bundle"))
    if options.own_capture is None:
        return ""
    return (
        " Or keep the graphs and have the engine profile their captures"
        f" ({options.own_capture}): {name_option('like')} with that file tells operators, modules"
        " and calls of this and later profiles, inferred."
    )


def captured_only(case: Case) -> Iterator[Claim]:
    """Kernels were captured into a graph, and no replay of one was recorded."""
    if case.run is not None and case.run.unrecorded.captured:
        options = options_of_engine(case.run.trace)
        yield Claim(
            slug="captured-only",
            what=case.run.unrecorded.captured_words,
            do="Record steps that replay the graph as well, or some without graphs "
            f"({options.without_graphs if options else _WITHOUT})."
            f" {say_captures_teach(case.run.trace.sources)}.",
            then="the time of these calls",
            weight=Weight.LOST,
        )


def activity_missing(case: Case) -> Iterator[Claim]:
    """The host launched work of which no GPU activity was recorded, and no graph has it."""
    if case.run is not None and (missing := case.run.unrecorded.missing):
        yield Claim(
            slug="activity-missing",
            what=case.run.unrecorded.missing_words,
            do=_let_finish(case.run),
            then="the time of these launches",
            weight=Weight.LOST if missing * _FEW >= case.run.unrecorded.launching else Weight.NOTE,
        )


def _let_finish(run: ProfiledRun) -> str:
    """How to lose no activity; an engine stops its profiler itself."""
    if waits_at_the_end(run.trace.apis):
        return _FEWER
    return f"{_LET_FINISH if options_of_engine(run.trace) is None else _STOP_IDLE} {_FEWER}"


def window_cut(case: Case) -> Iterator[Claim]:
    """The window began or ended within an invocation, or after its kernels were launched."""
    run = case.run
    if run is None or not run.has_operators:
        return
    # Launches of the first and last invocations, and those that the end of the recording left open.
    edges = run.of_invocations(_cut_invocations(run)) | run.mask_reasons(Reason.RECORDING_END)
    rows = run.unsure & (run.launched_before | edges)
    if rows.any():
        yield Claim(
            slug="window-cut",
            what="the api call, or a part of the invocation, lies or may lie outside of the "
            f"recorded window: {format_count(int(rows.sum()), 'launch')}",
            do=_record_whole_steps(run),
            then="exact: each launch has its api call, each invocation all its calls",
            rows={Lack.CALL: rows},
        )


def ranges_lost(case: Case) -> Iterator[Claim]:
    """Events within the window were lost: ranges of invocations, or api calls of launches."""
    run = case.run
    if run is None:
        return
    # Invocations that lack calls; where a graph was replayed, calls leave no ranges anyway.
    broken = [
        number
        for number, invocation in enumerate(run.invocations)
        if not (invocation.complete or invocation.span.replays)
    ]
    reasons = run.mask_reasons(Reason.COUNT_DIFFERS, Reason.ORDER_DIFFERS)
    # Launches without their api call, in processes of which other api calls were recorded.
    api_lost = (
        run.without_api
        & ~run.replayed
        & np.isin(run.trace.launches.process, np.unique(run.trace.apis.process))
    )
    rows = run.unsure & (run.of_invocations(broken) | reasons | api_lost) & run.has_operators
    # These have better reasons: no code was given, or a branch may not have run.
    rows &= ~run.mask_reasons(Reason.NO_CODE, Reason.CONDITIONAL)
    if rows.any():
        yield Claim(
            slug="ranges-lost",
            what=_what_is_lost(int((rows & api_lost).sum()), ranges=bool((rows & ~api_lost).any())),
            do=f"Record with less volume: {_less_volume(run)}; and give the code of this very run.",
            then="exact: as many ranges as calls",
            rows={Lack.CALL: rows},
            left_over=True,
        )


def _less_volume(run: ProfiledRun) -> str:
    options = options_of_engine(run.trace)
    if options is None:
        return "with_stack=False, profile_memory=False, fewer active steps"
    without = f"without stacks ({options.stacks}), " if options.stacks else ""
    return f"{without}fewer steps ({options.whole_steps})"


def _what_is_lost(calls: int, *, ranges: bool) -> str:
    """Which events are missing, and what may have taken them."""
    lost = f"the profiler lost events: {format_count(calls, 'launch')} without the api call"
    other = (
        "invocations have other ranges than their code has calls: the profiler lost events, or "
        "this is not the code that ran"
    )
    return "; ".join([*([lost] if calls else []), *([other] if ranges else [])])


def not_exact(case: Case) -> Iterator[Claim]:
    """Whatever has no better reason: what matching says of it."""
    run = case.run
    if run is None:
        return
    # What is not certain goes by its reason and its invocation; (2, unsure) and its distinct
    # columns, so that the words are made once for each kind.
    unsure = np.flatnonzero(run.unsure)
    looks = np.stack([run.match.matching.reason[unsure], run.invocation[unsure]])
    kinds, kind_of = np.unique(looks, axis=1, return_inverse=True)
    whys = [_say_why(run, reason, position) for reason, position in kinds.T.tolist()]
    # Kinds with the same words are one claim, with one typical launch as its example.
    for why in dict.fromkeys(whys):
        same = np.array([other == why for other in whys], dtype=bool)[kind_of.reshape(-1)]
        rows = unsure[same]
        example = find_typical_launch(run.match, rows)
        mask = np.zeros_like(run.unsure)
        mask[rows] = True
        yield Claim(
            slug="not-exact",
            what=f"{format_count(len(rows), 'launch')} without a certain call, such as launch "
            f"{example}: {why}",
            do=f"`{case.again('explain', str(example))}` shows the evidence of one such launch.",
            then="depends on the launch",
            rows={Lack.CALL: mask},
            left_over=True,
        )


def _say_why(run: ProfiledRun, reason: int, position: int) -> str:
    """What matching says of launches with this reason in this invocation."""
    if Reason(reason) in REASONS:
        return REASONS[Reason(reason)]
    if position != NONE:
        return f"the graph is not certain: {run.invocations[position].assignment.why}"
    return "the place among other launches is the best that is known"


def _has_capture(run: ProfiledRun) -> bool:
    """Whether a stream capture lies in the trace."""
    return any(map(records_graph, run.trace.apis.names))


def _cut_invocations(run: ProfiledRun) -> Iterator[int]:
    """The first and the last invocation of each thread, where the recording may have cut them.

    A graph range that was recorded whole is proof of a whole invocation.
    """
    # By process and thread, the positions of its invocations, in order.
    ends: dict[tuple[int, int], list[int]] = {}
    for position, invocation in enumerate(run.invocations):
        ends.setdefault((invocation.span.process, invocation.span.thread), []).append(position)
    for positions in ends.values():
        for position in {positions[0], positions[-1]}:
            invocation = run.invocations[position]
            if (
                invocation.assignment.graphs
                and not invocation.complete
                and _is_open(run, invocation)
            ):
                yield position


def _is_open(run: ProfiledRun, invocation: Invocation) -> bool:
    """Whether no range is known to have begun before, and ended after, all of an invocation."""
    around = invocation.span.container
    if around < 0:
        return True
    ranges, apis = run.trace.ranges, run.trace.apis
    end_ns = ranges.start_ns + ranges.dur_ns
    # The last that the host is known to have done in this process.
    same_process = np.equal(ranges.process, invocation.span.process)
    calls = apis.start_ns[np.equal(apis.process, invocation.span.process)]
    last_ns = max(int(end_ns[same_process].max()), int(calls.max(initial=0)))
    return int(end_ns[around]) >= last_ns  # it may have been closed because the recording ended
