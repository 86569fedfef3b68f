"""Checks each call in a single invocation with the unlearned model, as learning repeats mistakes.

Learning makes sure of whatever is the same each time, right or wrong: an eager product before every
backward looks like its first call. So a call is believed only where the unlearned model, which
sees each invocation by itself, finds it probable, too. Losses and strangers blur some of them:
there launches in the same surroundings speak for one another, and so do those under the same name.

Between two clear kernels of one invocation less is open. The thread that runs the code runs nothing
else there, so what is launched is of a call between the two; or it is another thread's, and that is
no habit which learning could mistake for a call. There only the calls of this gap are compared: how
unusual it is what a library launches tells nothing, if there is no other call to launch it.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.learning import Model
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import Float
from kernelmap.model import NONE
from kernelmap.model.columns import pair_columns, row_groups
from kernelmap.model.trace import Bool, Int

TOGETHER = 0.9
"""Candidates have to hold so much together, else the true call may be none of them. Tried on
recordings (scripts/thresholds.py): where launches were lost, one has misleading candidates at 0.5
and 0.8, none from 0.9 on. With more, fewer launches get candidates."""
CLEAR = 0.9
"""From so much on a launch is clear by itself, and launches in the same surroundings agree.
Tried on recordings (scripts/thresholds.py): from 0.7 to 0.97 four launches change, of those
that lost some; simulated worlds whose kernels bear no names of their kind need it
(docs/rules.md, nameless)."""
_MOST = 0.8
"""Where so many of a call's launches under one name are clear, the name is a habit of the call, and
the others are believed as well. Tried on recordings (scripts/thresholds.py): where launches were
lost, 10 more are right at 0.5, and 4 fewer at 0.95; with less, a name that eager work shares
becomes a habit (docs/rules.md, once: like)."""


class Looked(Struct, frozen=True):
    """What the unlearned model said: how probable `site` (-1: none) is for the launch `place`.

    Columns over pairs of a launch of the sample and a call site; no pair is there twice. Places
    count the launches of all sequences. No pairs at all: nothing was looked at.
    """

    place: Int
    site: Int
    share: Float


def looked_at(model: Model, offset: Int) -> Looked:
    """What `model` said before it learned anything; `offset` is where each sequence begins."""
    columns = model.unlearned
    if not columns.site:
        nothing = np.empty(0, dtype=np.int64)
        return Looked(nothing, nothing, np.empty(0))
    sequence, at, site = (
        np.concatenate(column).astype(np.int64)
        for column in (columns.sequence, columns.at, columns.site)
    )
    place, share = offset[sequence] + at, np.concatenate(columns.share).astype(np.float64)
    # Several states are of one call.
    pair = pair_columns(place, site)
    first = np.unique(pair, return_index=True)[1]
    return Looked(place[first], site[first], np.bincount(pair, weights=share).astype(np.float64))


class SeenOnce(Struct, frozen=True):
    """How `probable` the call of each launch is by one invocation; and what it was compared with.

    `probable` is (launches,), 1 where no like was looked at. Of a launch in a gap, `compared` has
    the calls of the gap, which are all there is.
    """

    probable: Float
    compared: Looked


def seen_once(
    looked: Looked, site: Int, state: Int, token: Int, run: Int, sites: Sites
) -> SeenOnce:
    """How probable `site` was for each launch before learning.

    `site`, `state`, `token` and `run`, the invocation, are over the launches of all sequences. The
    model learned from a sample; a launch outside of it takes the mean of those in the same
    surroundings: same state, same token, same tokens before and behind.
    """
    if not len(looked.place):
        return SeenOnce(np.ones(len(site)), looked)
    # Two looks at the same launches. In the first all calls, strangers and background are compared;
    # in the second, between clear kernels, only the calls of the gap. The better one counts.
    seen = np.zeros(len(site), dtype=bool)
    seen[looked.place] = True
    probable = _among_like(_shares_of(looked, site), seen, state, token)
    # What an operator launches elsewhere makes its later launches clear, too; so it does once more
    # when the gaps have made more launches clear.
    probable[is_vouched_for(probable >= CLEAR, site, token, run, sites)] = 1.0
    before, behind = around_gaps(probable >= CLEAR, site, run, sites)
    inside = before != NONE
    compared = _in_gaps(looked, site, before, behind)
    alone = _shares_of(compared, site)
    # Kernels a and b with a single call between them: what is launched there is that call's.
    is_only = inside & (site[behind] - site[before] == 2)  # noqa: PLR2004 -- one between the two
    alone[is_only] = 1.0
    within = _among_like(alone, seen | is_only, state, token)
    probable[inside] = np.maximum(probable, within)[inside]
    probable[is_vouched_for(probable >= CLEAR, site, token, run, sites)] = 1.0
    return SeenOnce(probable, compared)


def _shares_of(looked: Looked, site: Int) -> Float:
    """The probability of the `site` of each launch."""
    shares = np.zeros(len(site))
    fits = looked.site == site[looked.place]
    shares[looked.place[fits]] = looked.share[fits]
    return shares


def _in_gaps(looked: Looked, site: Int, before: Int, behind: Int) -> Looked:
    """`looked`, with only the calls of the gap left for a launch between two clear kernels."""
    place, inside = looked.place, before[looked.place] != NONE
    # Pairs whose call stands between the two kernels around the launch; what -1 picks where there
    # is no gap, `kept` overrules. `total`, (launches,), is the sum of their shares.
    of_gap = (looked.site > site[before[place]]) & (looked.site < site[behind[place]])
    total = np.bincount(place, looked.share * of_gap, minlength=len(site))
    # Of a launch in a gap the shares of the gap's calls are scaled to 1.
    whole = np.where((before != NONE) & (total > 0), total, 1.0)
    kept = ~inside | of_gap
    return Looked(place[kept], looked.site[kept], (looked.share / whole[place])[kept])


def candidates_by_one(looked: Looked, rows: Int, least: float) -> dict[int, tuple[int, ...]]:
    """The call sites that together are at least so probable, likeliest first; by launch of `rows`.

    Nothing of a launch for which no call is as probable as what is left.
    """
    wanted = np.isin(looked.place, rows) & (looked.site != NONE)
    place, site, share = looked.place[wanted], looked.site[wanted], looked.share[wanted]
    candidates: dict[int, tuple[int, ...]] = {}
    for at in row_groups(place):
        order = at[np.argsort(-share[at], kind="stable")]
        held = np.cumsum(share[order])
        if held[-1] >= least:
            enough = int(np.searchsorted(held, least)) + 1
            candidates[int(place[at[0]])] = tuple(site[order[:enough]].tolist())
    return candidates


def _among_like(alone: Float, seen: Bool, state: Int, token: Int) -> Float:
    """How probable each call is by its launch and by launches in the same surroundings.

    Launches in the same surroundings agree where they are clear on the average; else each of them
    stands for itself, unless most of those under its name are clear.
    """
    # The tokens before and behind each launch, with a number of its own for none at both ends.
    beyond = int(token.max(initial=0)) + 1
    beside = np.concatenate([[beyond], token, [beyond]])
    # `pooled` is the mean over launches in the same surroundings, `clear` the share of clear ones
    # under the same name and in the same state, wherever they are.
    pooled = _mean_among_seen(alone, seen, state, token, beside[:-2], beside[2:])
    clear = _mean_among_seen((alone >= CLEAR).astype(np.float64), seen, state, token)
    probable = np.where(seen & (pooled < CLEAR), alone, pooled)
    probable[clear >= _MOST] = 1.0
    return probable


def around_gaps(clear: Bool, site: Int, run: Int, sites: Sites) -> tuple[Int, Int]:
    """The clear generated kernels before and behind each library launch of an invocation.

    Positions of launches, -1 where the invocation has none on that side, or where the launch is no
    library call's that stands between the two.
    """
    count = len(site)
    at = np.arange(count)
    # The nearest clear kernel up to each launch, and from it on.
    is_kernel = clear & (site >= 0) & (run >= 0) & sites.generated[site]
    before = np.maximum.accumulate(np.where(is_kernel, at, NONE))
    behind = np.minimum.accumulate(np.where(is_kernel, at, count)[::-1])[::-1]
    inside = (run >= 0) & (site >= 0) & ~sites.generated[site] & (before >= 0) & (behind < count)
    behind = np.minimum(behind, count - 1)
    inside &= (run[before] == run) & (run[behind] == run)
    inside &= (site[before] < site) & (site < site[behind])
    return np.where(inside, before, NONE), np.where(inside, behind, NONE)


_STEPS = 2
"""So many steps have to be clear elsewhere: one may be a coincidence (docs/rules.md, once:
continued). Chosen; no recording depends on it (1 and 4 tried)."""


def is_vouched_for(clear: Bool, site: Int, token: Int, run: Int, sites: Sites) -> Bool:
    """Mask of the launches that a clear one vouches for: the operator does the same elsewhere.

    Wherever an operator is called its library launches the same kernels one after the other. Where
    a call is clear at one launch, and the steps from there on are those of clear calls of the same
    operator, so are the launches that they lead to. Nothing is said of the launches before: eager
    work may prepare something there, too.
    """
    target = {name: number for number, name in enumerate(sorted(set(sites.target)))}
    operator = np.array([target[name] for name in sites.target])
    library = np.flatnonzero((site >= 0) & ~sites.generated[site])
    order = library[np.lexsort((library, site[library]))]
    # Library launches by call, then in launch order. `near` marks steps: two launches of one call
    # in one invocation, with nothing else of that call between them.
    one, other = order[:-1], order[1:]
    near = (site[one] == site[other]) & (run[one] == run[other])
    # The last launch of a clear call is a step to nothing.
    ends = np.flatnonzero(clear[one] & ~near)
    # A step is told by its operator and both tokens, `leaving` by the operator and the first token.
    # `taken` and `left` count them among clear launches, (steps,) and (tokens that are left,).
    step = pair_columns(operator[site[one]], token[one], token[other])
    leaving = pair_columns(operator[site[one]], token[one])
    certain = near & clear[one] & clear[other]
    taken = np.bincount(step[certain], minlength=int(step.max(initial=0)) + 1)
    left = np.bincount(leaving[certain], minlength=int(leaving.max(initial=0)) + 1)
    left += np.bincount(leaving[ends], minlength=len(left))
    # A step is usual where clear calls take it, and hardly ever go elsewhere or end there.
    usual = near & (taken[step] >= _STEPS) & (taken[step] >= _MOST * left[leaving])
    # Launches that usual steps join have one chain number. In each chain all launches from the
    # first clear one on are vouched for.
    chain = np.concatenate([[0], np.cumsum(~usual)])
    first = np.full(len(chain) + 1, len(chain))
    np.minimum.at(first, chain[clear[order]], np.flatnonzero(clear[order]))
    mask = np.zeros(len(site), dtype=bool)
    mask[order] = np.arange(len(chain)) >= first[chain]
    return mask


def _mean_among_seen(share: Float, seen: Bool, *columns: Int) -> Float:
    """The mean over the seen launches that agree in all columns; 1 where there is none."""
    like = pair_columns(*columns)
    times = np.bincount(like, weights=seen)
    mean = np.bincount(like, weights=share * seen) / np.maximum(times, 1)
    return np.where(times[like] > 0, mean[like], 1.0)
