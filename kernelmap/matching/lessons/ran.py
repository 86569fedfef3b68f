"""What ran and for which call, as columns: what a lesson can be learnt from (learning.py).

Made here from a trace and what its own evidence decided; a saved result gives the same columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import graph_of
from kernelmap.model import NONE, Activity, Confidence, Method, Reason
from kernelmap.model.learnt import Shape
from kernelmap.model.trace import Bool, Int, Small

BY_HOST_SIDE = (
    Method.RANGE,
    Method.KERNEL_HASH,
    Method.MARK,
    Method.CAPTURE,
    Method.RECORDED_NODE,
    Method.RECORDED_ORDER,
)
"""What decides by a host side, or by a record of a capture: not by what launches look like."""


class Told(Protocol):
    """The columns of a matching, or of one in the making."""

    @property
    def call(self) -> Int:
        """Positions in the calls of the program, -1 for none."""

    @property
    def invocation(self) -> Int:
        """Numbers per process and graph, -1 for none."""

    @property
    def method(self) -> Small:
        """Members of Method."""

    @property
    def confidence(self) -> Small:
        """Members of Confidence."""

    @property
    def reason(self) -> Small:
        """Members of Reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """Launches as columns (n,); `shape` is (n, 6), -1 where the trace has no grid or block.

    Rows with equal `lane` were launched one after the other, in the order of `when`; -1 where that
    is not known. `replay`, `graph` and `node` are those of a CUDA graph, -1 outside. `call` is a
    position in the program, `sure` says whether the host side told it. `beside` marks what runs in
    an invocation and belongs to no call.
    """

    names: tuple[str, ...]
    name_id: Int
    activity: Small
    shape: Int
    process: Int
    device: Int
    lane: Int
    when: Int
    replay: Int
    graph: Int
    node: Int
    call: Int
    invocation: Int
    sure: Bool
    beside: Bool

    def shape_of(self, row: int) -> Shape | None:
        """Grid and block of one row, where both are known."""
        sizes = tuple(self.shape[row].tolist())
        return sizes if min(sizes) >= 0 else None


def ran_in(context: MatchContext, told: Told) -> Ran:
    """The launches of a trace, as far as `told` knows them."""
    launches, apis = context.trace.launches, context.trace.apis
    linked, replayed = launches.api >= 0, context.host.replayed
    gpu = np.isin(launches.activity, (Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET))
    lane = np.full(len(launches), NONE, dtype=np.int64)
    direct = gpu & linked & ~replayed
    threads = np.stack([apis.process, apis.thread])[:, launches.api[direct]]
    if direct.any():
        lane[direct] = np.unique(threads, axis=1, return_inverse=True)[1].reshape(-1)
    noded = replayed & (launches.graph_node > 0)
    by_host = np.isin(told.method, BY_HOST_SIDE)
    known = np.equal(told.confidence, Confidence.EXACT)
    known |= np.equal(told.confidence, Confidence.INFERRED) & by_host
    return Ran(
        names=launches.names,
        name_id=launches.name_id,
        activity=launches.activity,
        shape=np.concatenate([launches.grid, launches.block], axis=1),
        process=launches.process,
        device=launches.device,
        lane=lane,
        when=context.trace.launch_time_ns,
        replay=np.where(noded, launches.correlation, NONE),
        graph=np.where(noded, graph_of(launches), NONE),
        node=np.where(noded, launches.graph_node, NONE),
        call=told.call,
        invocation=told.invocation,
        sure=known & (told.call >= 0) & (told.invocation >= 0),
        beside=np.equal(told.confidence, Confidence.OUTSIDE)
        & np.isin(told.reason, (Reason.GLUE, Reason.EAGER)),
    )
