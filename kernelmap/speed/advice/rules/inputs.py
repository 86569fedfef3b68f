"""Reasons in the input: no profile, no host side in it, damaged parts, what nsys leaves out.

The rules about `nsys profile` are silent about torch's own profiles, and about runs of which some
are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.facts.engine_options import options_of_engine
from kernelmap.model import Activity
from kernelmap.model.advice import Claim, Lack, Weight
from kernelmap.model.notices import format_count
from kernelmap.speed.advice.case import Case

_RECORD = (
    "Record one: `kernelmap capture -- python train.py`, or torch.profiler.profile("
    "record_shapes=True, schedule=schedule(wait=2, warmup=1, active=4)) and export_chrome_trace."
)

_CAPTURE = "`kernelmap capture --profiler nsys -- python train.py`"
_WITH_CPU = (
    "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], and record_shapes=True."
)
_EMIT_ROCTX = (
    "Let torch write its ranges: torch.autograd.profiler.emit_nvtx() around some steps, and "
    "rocprofv3 with --marker-trace and --hip-trace."
)
_BY_HAND = (
    "nsys profile --trace=cuda,nvtx --cuda-graph-trace=node python -m kernelmap.capture.nvtx "
    "train.py."
)


def profile_missing(case: Case) -> Iterator[Claim]:
    """Only code was given."""
    if case.run is None:
        yield Claim(
            slug="profile-missing",
            what="no profile was given: nothing tells what ran, or how long",
            do=_RECORD,
            then="time for every call",
            weight=Weight.LOST,
        )


def sums_only(case: Case) -> Iterator[Claim]:
    """What was given instead of a profile sums up kernels by name."""
    run = case.run
    hints = [notice.hint for notice in case.notices if notice.slug == "sums-only"]
    if run is not None and hints:
        yield Claim(
            slug="sums-only",
            what="the table sums up launches by name: when each ran, and for which call, is lost",
            do=hints[0] or "Give the profile itself.",
            then="each launch at its time, with the call that its ranges name",
            rows={Lack.CALL: run.unsure},
        )


def host_side_missing(case: Case) -> Iterator[Claim]:
    """The profile has GPU rows and no operator: what launched them is not known."""
    run = case.run
    if run is None or run.has_operators or run.by_nsys or _has_sums_only(case):
        return
    # Launches of the GPU whose call is not certain; (launches,).
    rows = run.unsure & ~run.trace.launches.on_cpu
    if rows.any():
        yield Claim(
            slug="host-side-missing",
            what="the profile has no operator: only the GPU was recorded, so order has to decide",
            do=_EMIT_ROCTX if run.by_rocprof else _WITH_CPU,
            then="exact: each launch lies in the range of its call",
            rows={Lack.CALL: rows},
        )


def _has_sums_only(case: Case) -> bool:
    return any(notice.slug == "sums-only" for notice in case.notices)


_LOST = ("events-unreadable", "ranges-without-launch", "trace-damaged", "trace-truncated")
_HINTED = (  # whose hints say what to do
    "bundle-file-changed",
    "bundle-file-missing",
    "bundle-partial",
    "cache-unused",
    "code-does-not-parse",
    "code-not-here",
    "code-without-call",
    "events-unreadable",
    "folder-read-in-part",
    "graph-text-unreadable",
    "log-without-code",
    "memory-sums-missing",
    "package-without-code",
    "ranges-without-launch",
    "trace-damaged",
    "trace-truncated",
)
_AGAIN = "Give the file as it was written, or record again."
_TOLD = (  # by a rule of their own
    "activity-missing",
    "bundle-compiled-inside",
    "calls-without-ranges",
    "captured-only",
    "code-missing",
    "cpp-kernels-unseen",
    "graph-not-run",
    "graphs-without-kernels",
    "steps-missing",
    "sums-only",
    "trace-alone",
    "unpaired-time",
)
_REMARKS = ("compilation-failed", "bundle-program-failed", "repeated-trace")


def damaged_input(case: Case) -> Iterator[Claim]:
    """Whatever a reader calls a gap: cut, edited, unreadable or missing input."""
    for notice in case.notices:
        if notice.gap and notice.slug not in _TOLD:
            weight = Weight.LOST if notice.slug in _LOST else Weight.CHANGE
            do = notice.hint if notice.slug in _HINTED and notice.hint else _AGAIN
            yield Claim.of_notice(notice, do, "what that input says", weight)


def claim_remarks(case: Case) -> Iterator[Claim]:
    """Facts about the run that no flag changes."""
    for notice in case.notices:
        if notice.slug in _REMARKS:
            yield Claim.of_notice(notice, notice.hint or "Nothing.", "nothing else", Weight.NOTE)


def cpp_kernels_unseen(case: Case) -> Iterator[Claim]:
    """C++ kernels ran and left no range."""
    for notice in case.notices:
        if notice.slug == "cpp-kernels-unseen":
            do = "Compile and record with TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1."
            yield Claim.of_notice(notice, do, "the time of these calls", Weight.LOST)


def nothing_compiled(case: Case) -> Iterator[Claim]:
    """No sign of compiled code is in the profile."""
    run = case.run
    if run is None or run.is_compiled or run.replayed.any() or not case.counted.any():
        return
    yield Claim(
        slug="nothing-compiled",
        what="nothing in the profile shows that compiled code ran"
        + ("" if run.unsure.any() else ": it is all eager"),
        do="If torch.compile should have run: profile a step after it, and read what "
        "TORCH_LOGS=graph_breaks,recompiles prints."
        if (options := options_of_engine(run.trace)) is None
        else f"{options.compiles}.",
        then="calls with their ops, nodes and source lines",
        weight=Weight.CHANGE if case.given else Weight.NOTE,
    )


def graphs_recorded_whole(case: Case) -> Iterator[Claim]:
    """CUDA graphs are one activity each: nsys' default on newer drivers."""
    run = case.run
    if run is None:
        return
    # Activities that are whole graphs; each is one launch.
    rows = run.counted & np.equal(run.trace.launches.activity, Activity.GRAPH)
    if rows.any():
        yield Claim(
            slug="graphs-without-kernels",
            what="replays of CUDA graphs were recorded as a whole, without the kernels in them: "
            f"{format_count(int(rows.sum()), 'launch')}",
            do=f"nsys profile --cuda-graph-trace=node; {_CAPTURE} does so.",
            then="exact: each kernel of a replay has the call that was captured",
            rows={Lack.CALL: rows & run.unsure},
        )


def captured_before(case: Case) -> Iterator[Claim]:
    """Replayed kernels whose node was captured when nsys did not record yet."""
    run = case.run
    if run is None or not run.by_nsys:
        return
    launches = run.trace.launches
    # Kernels of a replay that lead back to no capture.
    rows = run.unsure & (launches.graph_node >= 0) & (launches.origin < 0)
    if rows.any():
        yield Claim(
            slug="captured-before",
            what="CUDA graphs were captured before the recording began, so nothing tells which "
            f"call their kernels are: {format_count(int(rows.sum()), 'launch')}",
            do="Start earlier: without --delay, and with cudaProfilerStart before the first step "
            f"that captures; {_CAPTURE} records from the first compilation on.",
            then="exact: the node of each kernel leads to the call that was captured",
            rows={Lack.CALL: rows},
        )


def api_calls_missing(case: Case) -> Iterator[Claim]:
    """The export has kernels and no api call at all."""
    run = case.run
    if run is None or not run.by_nsys or len(run.trace.apis):
        return
    if run.unsure.any():
        yield Claim(
            slug="api-calls-missing",
            what="the export has no CUDA API call, so nothing says when and where kernels were "
            "launched",
            do="Record with nsys profile --trace=cuda,nvtx, and export all tables: nsys export "
            "--type sqlite without --tables.",
            then="exact: each launch has its api call, and with it the range around it",
            rows={Lack.CALL: run.unsure},
        )


def ranges_missing(case: Case) -> Iterator[Claim]:
    """No range of torch's and no mark of a capture is in the export."""
    run = case.run
    if run is None or not run.by_nsys or run.has_operators or run.has_call_marks:
        return
    rows = run.unsure & ~run.trace.launches.on_cpu
    if rows.any():
        yield Claim(
            slug="ranges-missing",
            what="no NVTX range names a call or an operator, so order has to decide",
            do=f"{_CAPTURE}, or {_BY_HAND}",
            then="exact: each launch lies in the range of its call",
            rows={Lack.CALL: rows},
        )


def marks_missing(case: Case) -> Iterator[Claim]:
    """Ranges of torch's name wrappers, and nothing says for certain whose wrappers they are."""
    run = case.run
    if run is None or not run.by_nsys or not case.given:
        return
    if run.has_call_marks or not run.has_operators:
        return
    # Launches of graphs that nothing proves, and replays that lead back to a capture.
    rows = run.unsure & (run.doubtful | (run.trace.launches.origin >= 0))
    if rows.any():
        yield Claim(
            slug="marks-missing",
            what="NVTX ranges of torch name the kernel, and nothing proves the graph: "
            f"{format_count(int(rows.sum()), 'launch')}",
            do=f"{_CAPTURE}, or {_BY_HAND}",
            then="exact: a mark names graph and call",
            rows={Lack.CALL: rows},
        )
