"""The matching so far, which a strategy is given, and the decisions that it returns.

A strategy sees the launches as the strategies before it left them, and returns decisions about
open ones. A decision stands: match.py drops what a later one says about the same launch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.matching.context.reference_runs import ReferenceRuns
from kernelmap.model import NONE, Confidence, Method, Reason
from kernelmap.model.trace import Bool, Int, Small

Float = NDArray[np.float64]

BY_HOST_SIDE = (
    Method.RANGE,
    Method.KERNEL_HASH,
    Method.MARK,
    Method.CAPTURE,
    Method.RECORDED_NODE,
    Method.RECORDED_ORDER,
)
"""What decides by a host side, or by a record of a capture: not by what launches look like."""


class Matched(Struct, frozen=True, kw_only=True):
    """The matching so far: read-only columns (launches,), as in `Matching`.

    `open` masks the launches that no strategy decided; `references` are sequences of other
    runs, and where they were recognized.
    """

    call: Int
    invocation: Int
    method: Small
    confidence: Small
    reason: Small
    call_range: Int
    open: Bool
    references: ReferenceRuns


class Decided(Struct, frozen=True):
    """Decisions about the launches `rows`: positions (n,), or a mask over all launches.

    The other columns are parallel to `rows`, or one value for all of them: the `call` with its
    `invocation`, and the host range that decided it (`call_range`); -1 where there is none.
    `candidates` has the calls of ambiguous launches by row. For calls that the model chose,
    `posterior` is how probable each is, `second` the next best call (-1: none) and `margin` by how
    much that is behind (as in `RunnerUp`); None for all others.
    """

    rows: Int | Bool
    confidence: Confidence | Small
    call: Int | int = NONE
    invocation: Int | int = NONE
    method: Method | Small = Method.NONE
    reason: Reason | Small = Reason.NONE
    call_range: Int | int = NONE
    candidates: Mapping[int, tuple[int, ...]] = {}
    posterior: Float | None = None
    second: Int | None = None
    margin: Int | None = None


class Noted(Struct, frozen=True):
    """The `invocation` in which the open launches `rows` ran, both (n,); their calls stay open."""

    rows: Int
    invocation: Int


Outcome = Decided | Noted | ReferenceRuns
"""A strategy decides launches, notes their invocations, or says what became of reference runs."""


def decide_candidates(
    rows: Int, calls: Iterable[int], reason: Reason, invocation: Int | int = NONE
) -> Decided:
    """The decision that each of `rows` is of one of `calls`, and nothing tells which."""
    several = tuple(calls)
    return Decided(
        rows,
        Confidence.AMBIGUOUS,
        invocation=invocation,
        method=Method.CANDIDATES,
        reason=reason,
        candidates=dict.fromkeys(rows.tolist(), several),
    )
