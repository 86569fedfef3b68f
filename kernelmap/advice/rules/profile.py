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


def host_side_missing(case: Case) -> Iterator[Claim]:
    """The profile has GPU rows and no operator: what launched them is not known."""
    run = case.run
    if run is None or run.has_operators:
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
