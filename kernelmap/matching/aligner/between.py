"""Launches that surely belong to a call, none of which is sure: the calls between their neighbors.

Of library calls that always follow one another, under names that say nothing, nobody sees where one
ends and the next begins. Their launches stand between two that are placed, so they belong to the
calls between these.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.aligner.sites import Sites
from kernelmap.model.trace import Bool, Int

MOST = 6
"""More candidates say nothing."""


def between(
    run: Int, site: Int, sure: Bool, belongs: Bool, nameless: Bool, sites: Sites
) -> dict[int, tuple[int, ...]]:
    """The library call sites between the placed neighbors of each launch that is open.

    All columns are over the launches of one sequence: `run` is the invocation, `site` the call site
    where `sure`, `belongs` marks what surely is of some call, `nameless` those whose names say
    nothing of their call. Neighbors are those with names; nameless ones where these leave too many
    calls. A launch beside one that no call made has none.
    """
    open_ = np.flatnonzero(belongs & ~sure)
    found: dict[int, tuple[int, ...]] = {}
    for placed in (sure & ~nameless, sure):
        ends = np.flatnonzero(placed | ~belongs)
        after = np.searchsorted(ends, open_)
        for at, number in zip(open_.tolist(), after.tolist(), strict=True):
            if at in found or not 0 < number < len(ends):
                continue
            one, other = int(ends[number - 1]), int(ends[number])
            if sure[one] and sure[other]:
                within = bool(run[one] == run[other])
                calls = _library_calls(int(site[one]), int(site[other]), sites, within=within)
                # Between two invocations eager work may run, too: one call there is no answer.
                if (0 if within else 1) < len(calls) <= MOST:
                    found[at] = calls
    return found


def _library_calls(one: int, other: int, sites: Sites, *, within: bool) -> tuple[int, ...]:
    """The library calls from one call site to another, these included, in program order."""
    bounds = sites.bounds
    if within:
        calls = np.arange(one, other + 1)
    else:
        rest = np.arange(one, bounds[sites.of[one] + 1])
        calls = np.append(rest, np.arange(bounds[sites.of[other]], other + 1))
    return tuple(calls[~sites.generated[calls]].tolist())
