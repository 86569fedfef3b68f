"""Reasons that readers found: input that is damaged, or of which a part is not there."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.advice.case import Case
from kernelmap.advice.records import Claim, Weight

_LOST = ("trace-truncated",)
_HINTED = (  # whose hints say what to do
    "bundle-file-changed",
    "bundle-file-missing",
    "bundle-partial",
    "cache-unused",
    "code-does-not-parse",
    "code-not-here",
    "code-without-call",
    "folder-read-in-part",
    "graph-text-unreadable",
    "log-without-code",
    "package-without-code",
    "trace-truncated",
)
_AGAIN = "Give the file as it was written, or record again."
_TOLD = (  # by a rule of their own
    "bundle-compiled-inside",
    "calls-without-ranges",
    "code-missing",
    "cpp-kernels-unseen",
    "graph-not-run",
    "steps-missing",
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
        what="nothing in the profile shows that compiled code ran: it is all eager",
        do="If torch.compile should have run: profile a step after it, and read what "
        "TORCH_LOGS=graph_breaks,recompiles prints.",
        then="calls with their ops, nodes and source lines",
        weight=Weight.CHANGE if case.given else Weight.NOTE,
    )
