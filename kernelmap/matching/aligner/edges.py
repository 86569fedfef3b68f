"""Where an invocation begins and ends: library work there needs the generated kernels beside it.

Eager code calls the same libraries as compiled code does. What stands apart from the generated
kernels of an invocation, or prepares a kernel that is not there, is not held to be a part of it.
"""

from __future__ import annotations

from collections import Counter
from math import lgamma, log
from typing import NamedTuple

import numpy as np

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.model import NONE
from kernelmap.model.columns import row_groups
from kernelmap.model.trace import Bool, Int

LEADS = frozenset({Family.MEMSET, Family.PRELUDE, Family.GEMM_PRELUDE, Family.GROUPED_PRELUDE})
"""What a library launches before a kernel, never last."""
_APART = 2
"""So many other launches may stand between library work and the generated kernels of its graph.

Not one that may be of the invocation, but is not sure: whatever lies beyond is less so.
"""


def hangs_together(run: Int, site: Int, sure: Bool, belongs: Bool, sites: Sites) -> Bool:
    """Mask of the launches that stay `sure`: hardly anything else is between them and the code.

    All columns are over the launches of one sequence: `run` is the invocation (-1: none), `site`
    the call site; `belongs` marks what surely is of an invocation, as a call's launch or measured
    for it. Library work alone is no invocation, if its graph has generated kernels.
    """
    held = sure.copy()
    inside = np.flatnonzero(sure & (run >= 0))
    if not len(inside):
        return held
    core = np.flatnonzero((sure | belongs) & (run >= 0) & sites.generated[site])
    count = int(run.max()) + 1
    first, last = ends_of(run, core, count)
    unsure = np.where(run >= 0, _APART + 1, 1) * (~sure & ~belongs)
    others = np.concatenate([[0], np.cumsum(unsure)])
    begin, end = first[run[inside]], last[run[inside]]
    bare = end < 0
    before = ~bare & (inside < begin) & (others[begin] - others[inside] > _APART)
    after = ~bare & (inside > end) & (others[inside] - others[end] > _APART)
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
    """Mask of the library launches that prepare another one, which their invocation does not hold.

    `leads` marks launches of the families LEADS; the other columns are those of `hangs_together`.
    """
    held = np.flatnonzero(sure & (run >= 0))
    at = np.flatnonzero(sure & (run >= 0) & leads & ~sites.generated[site])
    after = np.searchsorted(held, at, side="right")
    follower = np.append(held, 0)[after]
    mask = np.zeros(len(run), dtype=bool)
    mask[at[(after >= len(held)) | (run[follower] != run[at])]] = True
    return mask


_ALGORITHMS = ("sbtopk", "mbtopk", "indexingbackward", "indexelementwise", "fprop")
"""Words in the names of kernels that no single call launches together.

torch.topk takes one way; an index_put that adds up sorts first, one that writes does not.
"""
_ALONE = ("indexingbackward", "indexelementwise", "fprop")
"""Those of them that a call launches once."""
_WRITES, _SORTS = _ALGORITHMS.index("indexelementwise"), len(_ALGORITHMS)


def another_algorithm(run: Int, site: Int, token: Int, tokens: Tokens, sites: Sites) -> Bool:
    """Mask of the launches behind a call's algorithm, or before it, that are of another one.

    All columns are over the launches of one sequence. A call that ends its invocation has its own
    algorithm first, one that begins it has its own last.
    """
    way, alone = np.full(len(tokens.squeezed), NONE), np.zeros(len(tokens.squeezed), dtype=bool)
    for number, word in enumerate(_ALGORITHMS):
        here = [word in name for name in tokens.squeezed]
        way[here], alone[here] = number, word in _ALONE
    way[[family is Family.SORT for family in tokens.family]] = _SORTS
    helps = np.array([family is Family.HELPER for family in tokens.family])
    shown = np.flatnonzero((run >= 0) & (site >= 0) & (way[token] >= 0))
    mask = np.zeros(len(run), dtype=bool)
    for at in row_groups(site[shown], run[shown]):
        rows = shown[at]
        ways = way[token[rows]]
        if _WRITES not in ways:
            rows, ways = rows[ways != _SORTS], ways[ways != _SORTS]
        ends = np.flatnonzero((ways[1:] != ways[:-1]) | alone[token[rows[1:]]])
        if not len(ends):
            continue
        beside = run == run[rows[0]]
        call = np.flatnonzero(beside & (site == site[rows[0]]))
        code = np.flatnonzero(beside & sites.generated[site])
        leads = bool(len(code) and call[0] < code[0])
        end = ends[-1] if leads else ends[0]
        # What prepares the later algorithm is its own, what follows on the earlier one that one's.
        last = call[(call < rows[end + 1]) & ((call == rows[end]) | helps[token[call]])][-1]
        mask[call[call <= last] if leads else call[call > last]] = True
    return mask


_RARE = 1e-3
"""What losses explain no better than this is not lost."""


def left_out(  # noqa: PLR0913, PLR0917 -- a launch's columns, and what their numbers stand for
    run: Int, site: Int, token: Int, sure: Bool, ends: Int, loss: float, sites: Sites
) -> Bool:
    """Mask of the launches beside an invocation that other invocations leave out as a whole.

    What a call launches is lost launch by launch. What is all there or all missing at the outer end
    of the first or the last call of a graph is eager work, which a program skips now and then; of
    graphs that launch the same, each picks its library kernels, so they are left as they are. All
    columns are over the launches of all sequences, of which `ends` are the first and the last ones:
    an invocation there may be cut off. `sure` masks the launches that the model is sure of, `loss`
    is the share of launches that get lost.
    """
    first, last = sites.bounds[:-1], sites.bounds[1:] - 1
    outermost = np.zeros(len(sites), dtype=bool)
    outermost[np.concatenate([first, last])] = True
    alone = np.array([len(members) == 1 for members in sites.members], dtype=bool)
    outermost &= ~sites.generated & (sites.has_code & alone)[sites.of]
    begins = np.isin(np.arange(len(sites)), first)
    at = np.flatnonzero(sure & (run >= 0) & outermost[site])
    cut = set(run[ends].tolist())
    beyond = np.append(token, NONE)
    mask = np.zeros(len(run), dtype=bool)
    for of_site in row_groups(site[at]):
        outward = -1 if begins[site[at[of_site[0]]]] else 1
        rows = at[of_site][::outward]
        calls = [rows[of_run] for of_run in row_groups(run[rows])]
        shown = Counter(
            _Call(
                tuple(token[call].tolist()),
                int(beyond[call[-1] + outward]),
                int(run[call[0]]) in cut,
            )
            for call in calls
        )
        always = _always(shown, loss)
        for call in calls if always else ():
            mask[call[always:]] = True
    return mask


class _Call(NamedTuple):
    """The tokens that one call launched, from the code outwards, and what stands `beyond` them."""

    tokens: tuple[int, ...]
    beyond: int
    cut: bool


def _always(shown: Counter[_Call], loss: float) -> int | None:
    """How many launches a call always has, where it was seen with more; None where it was not.

    It stopped there where nothing follows that other invocations have. That losses made it stop so
    often has the probability of a binomial distribution.
    """
    total = Counter[tuple[int, ...]]()
    for call, times in shown.items():
        total[call.tokens] += times
    for short in sorted(total, key=len):
        longer = [row for row in total if len(row) > len(short) and row[: len(short)] == short]
        rest = {name for row in longer for name in row[len(short) :]}
        stopped = sum(
            times
            for call, times in shown.items()
            if call.tokens == short and not call.cut and call.beyond not in rest
        )
        if longer and stopped:
            lacking = min(map(len, longer)) - len(short)
            others = total[short] - stopped + sum(total[row] for row in longer)
            ways = lgamma(stopped + others + 1) - lgamma(stopped + 1) - lgamma(others + 1)
            if ways + lacking * stopped * log(loss) < log(_RARE):
                return len(short)
    return None
