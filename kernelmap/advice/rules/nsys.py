"""Reasons in how Nsight Systems recorded: what `nsys profile` leaves out unless it is asked.

Silent about torch's own profiles, and about runs of which some are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.advice.case import Case
from kernelmap.advice.records import Claim, Lack
from kernelmap.model import Activity
from kernelmap.model.notices import count

_CAPTURE = "`kernelmap capture --profiler nsys -- python train.py`"
_BY_HAND = (
    "nsys profile --trace=cuda,nvtx --cuda-graph-trace=node python -m kernelmap.capture.nvtx "
    "train.py."
)


def graphs_recorded_whole(case: Case) -> Iterator[Claim]:
    """CUDA graphs are one activity each: nsys' default on newer drivers."""
    run = case.run
    if run is None:
        return
    rows = run.counted & np.equal(run.trace.launches.activity, Activity.GRAPH)
    if rows.any():
        yield Claim(
            slug="graphs-without-kernels",
            what="replays of CUDA graphs were recorded as a whole, without the kernels in them: "
            f"{count(int(rows.sum()), 'launch')}",
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
    rows = run.unsure & (launches.graph_node >= 0) & (launches.origin < 0)
    if rows.any():
        yield Claim(
            slug="captured-before",
            what="CUDA graphs were captured before the recording began, so nothing tells which "
            f"call their kernels are: {count(int(rows.sum()), 'launch')}",
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
    rows = run.unsure & (run.doubtful | (run.trace.launches.origin >= 0))
    if rows.any():
        yield Claim(
            slug="marks-missing",
            what="NVTX ranges of torch name the kernel, and nothing proves the graph: "
            f"{count(int(rows.sum()), 'launch')}",
            do=f"{_CAPTURE}, or {_BY_HAND}",
            then="exact: a mark names graph and call",
            rows={Lack.CALL: rows},
        )
