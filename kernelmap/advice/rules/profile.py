"""Reasons in how the profile was recorded: none at all, or none of the host side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.advice.case import Case
from kernelmap.advice.records import Claim, Lack, Weight
from kernelmap.model import Activity

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
    on_gpu = np.not_equal(run.trace.launches.activity, Activity.CPU)
    rows = run.unsure & on_gpu
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
