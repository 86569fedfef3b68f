"""What one invocation tells, before anything is learned: a mistake that repeats is one mistake.

Learning makes sure of whatever is the same each time, right or wrong: an eager product before every
backward looks like its first call. So a call is believed only where the unlearned model, which
sees each invocation by itself, finds it probable, too. Losses and strangers blur some of them:
there launches in the same surroundings speak for one another, and so do those under the same name.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.aligner.learning import Model
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import Float
from kernelmap.model.columns import paired
from kernelmap.model.trace import Bool, Int

CLEAR = 0.9
"""From so much on a launch is clear by itself, and launches in the same surroundings agree."""
_MOST = 0.8
"""Where so many of a call's launches under one name are clear, the name is a habit of the call."""


def seen_once(  # noqa: PLR0913, PLR0917 -- a launch's columns, and what their numbers stand for
    model: Model, offset: Int, site: Int, state: Int, token: Int, run: Int, sites: Sites
) -> Float:
    """How probable `site` was for each launch before learning; 1 where no like was looked at.

    `site`, `state`, `token` and `run`, the invocation, are over the launches of all sequences, of
    which `offset` says where each begins. The model learned from a sample; a launch outside of it
    takes the mean of those in the same surroundings: same state, same token, same tokens before and
    behind.
    """
    looked = model.unlearned
    if not looked.site:
        return np.ones(len(site))
    sequence, at, looked_site = (
        np.concatenate(column).astype(np.int64)
        for column in (looked.sequence, looked.at, looked.site)
    )
    share = np.concatenate(looked.share).astype(np.float64)
    place = offset[sequence] + at
    alone = np.zeros(len(site))
    fits = looked_site == site[place]
    np.add.at(alone, place[fits], share[fits])
    seen = np.zeros(len(site), dtype=bool)
    seen[place] = True
    beyond = int(token.max(initial=0)) + 1
    beside = np.concatenate([[beyond], token, [beyond]])
    pooled = _mean(alone, seen, state, token, beside[:-2], beside[2:])
    clear = _mean((alone >= CLEAR).astype(np.float64), seen, state, token)
    probable = np.where(seen & (pooled < CLEAR), alone, pooled)
    probable[clear >= _MOST] = 1.0
    probable[continued(probable >= CLEAR, site, token, run, sites)] = 1.0
    return probable


_STEPS = 2
"""So many steps have to be clear elsewhere."""


def continued(clear: Bool, site: Int, token: Int, run: Int, sites: Sites) -> Bool:
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
    one, other = order[:-1], order[1:]
    near = (site[one] == site[other]) & (run[one] == run[other])
    # The last launch of a clear call is a step to nothing.
    ends = np.flatnonzero(clear[one] & ~near)
    step = paired(operator[site[one]], token[one], token[other])
    leaving = paired(operator[site[one]], token[one])
    certain = near & clear[one] & clear[other]
    taken = np.bincount(step[certain], minlength=int(step.max(initial=0)) + 1)
    left = np.bincount(leaving[certain], minlength=int(leaving.max(initial=0)) + 1)
    left += np.bincount(leaving[ends], minlength=len(left))
    usual = near & (taken[step] >= _STEPS) & (taken[step] >= _MOST * left[leaving])
    chain = np.concatenate([[0], np.cumsum(~usual)])
    first = np.full(len(chain) + 1, len(chain))
    np.minimum.at(first, chain[clear[order]], np.flatnonzero(clear[order]))
    mask = np.zeros(len(site), dtype=bool)
    mask[order] = np.arange(len(chain)) >= first[chain]
    return mask


def _mean(share: Float, seen: Bool, *columns: Int) -> Float:
    """The mean over the seen launches that agree in all columns; 1 where there is none."""
    like = paired(*columns)
    times = np.bincount(like, weights=seen)
    mean = np.bincount(like, weights=share * seen) / np.maximum(times, 1)
    return np.where(times[like] > 0, mean[like], 1.0)
