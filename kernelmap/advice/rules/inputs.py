"""Reasons in the input: no profile, no host side in it, damaged or missing parts."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.advice.case import Case
from kernelmap.advice.records import Claim, Lack, Weight

_RECORD = (
    "Record one: `kernelmap capture -- python train.py`, or torch.profiler.profile("
    "record_shapes=True, schedule=schedule(wait=2, warmup=1, active=4)) and export_chrome_trace."
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
    if run is not None and _sums(case):
        yield Claim(
            slug="sums-only",
            what="the table sums up launches by name: when each ran, and for which call, is lost",
            do="Give the export itself: nsys export --type sqlite REPORT.nsys-rep",
            then="each launch at its time, with the call that its ranges name",
            rows={Lack.CALL: run.unsure},
        )


def host_side_missing(case: Case) -> Iterator[Claim]:
    """The profile has GPU rows and no operator: what launched them is not known."""
    run = case.run
    if run is None or run.has_operators or run.by_nsys or _sums(case):
        return
    rows = run.unsure & ~run.trace.launches.on_cpu
    if rows.any():
        yield Claim(
            slug="host-side-missing",
            what="the profile has no operator: only the GPU was recorded, so order has to decide",
            do="Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], and "
            "record_shapes=True.",
            then="exact: each launch lies in the range of its call",
            rows={Lack.CALL: rows},
        )


def _sums(case: Case) -> bool:
    return any(notice.slug == "sums-only" for notice in case.notices)


_LOST = ("events-unreadable", "trace-damaged", "trace-truncated")
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
            yield Claim.of(notice, do, "what that input says", weight)


def remarks(case: Case) -> Iterator[Claim]:
    """Facts about the run that no flag changes."""
    for notice in case.notices:
        if notice.slug in _REMARKS:
            yield Claim.of(notice, notice.hint or "Nothing.", "nothing else", Weight.NOTE)


def cpp_kernels_unseen(case: Case) -> Iterator[Claim]:
    """C++ kernels ran and left no range."""
    for notice in case.notices:
        if notice.slug == "cpp-kernels-unseen":
            do = "Compile and record with TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1."
            yield Claim.of(notice, do, "the time of these calls", Weight.LOST)


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
        "TORCH_LOGS=graph_breaks,recompiles prints.",
        then="calls with their ops, nodes and source lines",
        weight=Weight.CHANGE if case.given else Weight.NOTE,
    )
