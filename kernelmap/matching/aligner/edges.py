"""Drops library work at the edges of invocations that no generated kernel of the graph is near.

Eager code calls the same libraries as compiled code does. What stands apart from the generated
kernels of an invocation, or prepares a kernel that is not there, is not held to be a part of it.
"""

from __future__ import annotations

import numpy as np

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.sites import Sites
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

LEADS = frozenset({Family.MEMSET, Family.PRELUDE, Family.GEMM_PRELUDE, Family.GROUPED_PRELUDE})
"""What a library launches before a kernel, never last."""


def hangs_together(run: Int, site: Int, sure: Bool, belongs: Bool, sites: Sites) -> Bool:
    """Mask of launches that stay `sure`: no others lie between them and the graph's kernels.

    All columns are over the launches of one sequence: `run` is the invocation (-1: none), `site`
    the call site; `belongs` marks what surely is of an invocation, as a call's launch or measured
    for it. Library work alone is no invocation, if its graph has generated kernels.
    """
    held = sure.copy()
    inside = np.flatnonzero(sure & (run >= 0))
    if not len(inside):
        return held
    # The generated kernels of each invocation, from its first to its last: what lies between them
    # is held, what lies outside has to follow on without a gap.
    core = np.flatnonzero((sure | belongs) & (run >= 0) & sites.generated[site])
    count = int(run.max()) + 1
    first, last = ends_of(run, core, count)
    # `others[i]` is the number of launches before launch i that surely are of no invocation, or of
    # one but not sure.
    others = np.concatenate([[0], np.cumsum(~sure & ~belongs)])
    begin, end = first[run[inside]], last[run[inside]]
    # Invocations without any generated kernel.
    bare = end < 0
    before = ~bare & (inside < begin) & (others[begin] > others[inside])
    after = ~bare & (inside > end) & (others[inside] > others[end])
    held[inside[(bare & sites.has_code[sites.of[site[inside]]]) | before | after]] = False
    return held


def ends_of(run: Int, at: Int, count: int) -> tuple[Int, Int]:
    """The first and the last of the launches `at` in each of `count` runs.

    Where a run has none, the first is behind all launches, and the last is -1.
    """
    first, last = np.full(count, len(run)), np.full(count, NONE)
    np.minimum.at(first, run[at], at)
    np.maximum.at(last, run[at], at)
    return first, last


def leads_nowhere(run: Int, site: Int, sure: Bool, leads: Bool, sites: Sites) -> Bool:
    """Mask of the library launches that prepare a kernel which their invocation does not hold.

    `leads` marks launches of the families LEADS; the other columns are those of `hangs_together`.
    """
    # The next launch that is held behind each of those at `at`; there is none behind the last.
    held = np.flatnonzero(sure & (run >= 0))
    at = np.flatnonzero(sure & (run >= 0) & leads & ~sites.generated[site])
    after = np.searchsorted(held, at, side="right")
    follower = np.append(held, 0)[after]
    mask = np.zeros(len(run), dtype=bool)
    mask[at[(after >= len(held)) | (run[follower] != run[at])]] = True
    return mask
