"""Launches that the host made while a CUDA or HIP graph was captured → what its replays will run.

The api calls of a capture lie in host ranges that name calls; on HIP they state the kernel's name,
on CUDA they don't.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import nearest_ancestor
from kernelmap.matching.host_side.unrecorded import captured_calls, launching
from kernelmap.model import NONE, Activity, Confidence
from kernelmap.model.learnt import LearntLaunch, LearntSequence
from kernelmap.model.trace import Int


def of_captures(context: MatchContext) -> Iterator[LearntSequence]:
    """One sequence for each capture in the trace that made calls."""
    for rows in captured_calls(context.trace):
        launches = tuple(_launches(context, rows))
        if any(each.calls for each in launches):
            yield LearntSequence(launches=launches, whole=True, times=1, label="a capture")


def _launches(context: MatchContext, rows: Int) -> Iterator[LearntLaunch]:
    apis, decisions = context.trace.apis, context.decisions
    activity = launching(apis)[rows]
    top = nearest_ancestor(context.trace.ranges.parent, decisions.made, apis.range[rows])
    runs: dict[tuple[int, int], int] = {}
    owner = context.program.graph_of_call
    for row, kind, at in zip(rows.tolist(), activity.tolist(), top.tolist(), strict=True):
        named = int(apis.device_name_id[row])
        call = int(decisions.call[at]) if at >= 0 else NONE
        sure = call >= 0 and decisions.confidence[at] <= Confidence.INFERRED
        key = (int(owner[call]), int(decisions.invocation[at])) if sure else None
        yield LearntLaunch(
            name=apis.names[named] if named >= 0 else None,
            activity=Activity(kind),
            shape=None,
            calls=(call,) if sure else (),
            run=NONE if key is None else runs.setdefault(key, len(runs)),
        )
