"""Posteriors → decisions: the call of each launch, how sure that is, and what else it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.aligner.edges import LEADS, hangs_together, leads_nowhere
from kernelmap.matching.aligner.emissions import nameless
from kernelmap.matching.aligner.forward_backward import Posterior
from kernelmap.matching.aligner.learning import Model
from kernelmap.matching.aligner.network import Float, Kind
from kernelmap.matching.aligner.once import seen_once
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

SURE = 0.95
"""A posterior from which one call is inferred."""
_TOGETHER = 0.9
"""Candidates have to hold so much together."""
_ONCE = 0.8
"""How probable a call has to be by what one invocation shows, before anything is learned."""
_ONCE_NAMELESS = 0.5
"""The same for calls of kernels whose names say nothing: one invocation shows little of them."""
_UNWONTED = 0.1
"""What a call launches so much more rarely than its usual kernel may be a stranger's."""
_DOUBT = 0.9
"""What is left of the probability of such a launch: too little to be inferred."""
_MOST = 8
"""More candidates say nothing."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """Columns over the launches of one sequence.

    `site` is the likeliest call site (-1: none), with its `posterior`; `second` the next answer
    (-1: none) with its `behind`. `sure` marks what is inferred, `several` has the sites of the
    others, where they are few. `run` numbers the invocations, -1 outside of them; `of_run` has
    their class. `measured` marks the autotuner's launches.
    """

    site: Int
    posterior: Float
    second: Int
    behind: Float
    sure: Bool
    several: Mapping[int, tuple[int, ...]]
    run: Int
    of_run: Int
    measured: Bool


def decisions_of(
    posterior: Posterior, model: Model, tokens: Tokens, sites: Sites
) -> list[Decisions]:
    """What the posteriors say of every sequence."""
    sequence, at, state = (
        np.concatenate(each).astype(np.int64)
        for each in (posterior.sequence, posterior.at, posterior.state)
    )
    share = np.concatenate(posterior.share).astype(np.float64)
    lengths = np.array([len(each) for each in tokens.sequences], dtype=np.int64)
    offset = np.cumsum(lengths) - lengths
    place = offset[sequence] + at
    total = int(lengths.sum())
    call = model.calls[state]
    token = np.concatenate([each.token for each in tokens.sequences])
    share = np.where(_unwonted(state, token[place], model, sites), _DOUBT * share, share)
    pair = place * (len(sites) + 1) + call + 1
    order = np.argsort(pair)
    pair, place, call, share = pair[order], place[order], call[order], share[order]
    fresh = np.flatnonzero(np.append(True, np.diff(pair) != 0))
    place, call = place[fresh], call[fresh]
    share = np.add.reduceat(share, fresh) if len(fresh) else share
    start = np.searchsorted(place, np.arange(total + 1))
    # The likeliest first, launch by launch; most launches have one answer.
    several = np.flatnonzero(np.diff(start)[place] > 1)
    order = several[np.lexsort((-share[several], place[several]))]
    call[several], share[several] = call[order], share[order]
    best = np.full((2, total), NONE, dtype=np.int64)
    how = np.zeros((2, total))
    for rank in range(2):
        there = start[:-1] + rank < start[1:]
        own = start[:-1][there] + rank
        best[rank, there], how[rank, there] = call[own], share[own]
    top = _top_state(posterior, offset, total, sequence, at, state)
    once = seen_once(model, offset, best[0], top, token)
    least = np.where(nameless(tokens, sites)[best[0]], _ONCE_NAMELESS, _ONCE)
    sure = (best[0] >= 0) & (how[0] >= SURE) & (once >= least)
    candidates = _several(start, call, share, np.flatnonzero(~sure))
    leads = np.array([family in LEADS for family in tokens.family])
    found = []
    for begin, length in zip(offset.tolist(), lengths.tolist(), strict=True):
        here = slice(begin, begin + length)
        run, of_run = _runs(top[here], best[0, here], model, sites)
        measured = np.isin(model.states.kind[top[here]], (Kind.MEASURED, Kind.CLEARING))
        site = best[0, here]
        sure[here] &= hangs_together(run, site, sure[here], measured, sites)
        sure[here] &= ~leads_nowhere(run, site, sure[here], leads[token[here]], sites)
        found.append(
            Decisions(
                site=site,
                posterior=how[0, here],
                second=best[1, here],
                behind=how[1, here],
                sure=sure[here],
                several={
                    each - begin: sites_
                    for each, sites_ in candidates.items()
                    if begin <= each < begin + length
                },
                run=run,
                of_run=of_run,
                measured=measured,
            )
        )
    return found


def _unwonted(state: Int, token: Int, model: Model, sites: Sites) -> Bool:
    """Library launches that are not what their call launches as a rule."""
    emissions = model.decoder.emissions
    free = np.isin(model.states.kind, (Kind.PRELUDE, Kind.MAIN, Kind.FOLLOWER))
    alone = np.array([len(sites.members[of]) == 1 for of in sites.of.tolist()], dtype=bool)
    free &= alone[model.states.site]
    others = int((emissions.word_of_token < 0).sum())
    usual = np.zeros(len(free))
    rows = emissions.row[free]
    if others and len(rows):
        usual[free] = emissions.rate[rows[:, None] + np.arange(others)].max(axis=1)
    at = np.where(free[state], emissions.row[state] + emissions.column[token], 0)
    rate = emissions.rate[at] if len(emissions.rate) else np.zeros(len(at))
    return np.asarray(free[state] & (rate < _UNWONTED * usual[state]))


def _several(start: Int, call: Int, share: Float, open_: Int) -> dict[int, tuple[int, ...]]:
    """The sites that together are sure enough, for launches that no single one is sure for."""
    found = {}
    for place in open_.tolist():
        own = slice(start[place], start[place + 1])
        calls, shares = call[own].tolist(), share[own].tolist()
        named = [(c, s) for c, s in zip(calls, shares, strict=True) if c >= 0]
        held = 0.0
        chosen: list[int] = []
        for each, part in named:
            chosen.append(each)
            held += part
            if held >= SURE:
                break
        if held >= _TOGETHER and 1 < len(chosen) <= _MOST:
            found[place] = tuple(chosen)
    return found


def _top_state(
    posterior: Posterior, offset: Int, total: int, sequence: Int, at: Int, state: Int
) -> Int:
    """The likeliest state of each launch."""
    share = np.concatenate(posterior.share) if posterior.share else np.empty(0, dtype=np.float32)
    place = offset[sequence] + at
    best = np.zeros(total, dtype=share.dtype)
    np.maximum.at(best, place, share)
    likeliest = np.flatnonzero(share == best[place])
    top = np.zeros(total, dtype=np.int64)
    top[place[likeliest]] = state[likeliest]
    return top


def _runs(top: Int, site: Int, model: Model, sites: Sites) -> tuple[Int, Int]:
    """The invocation of each launch of a call, numbered; and the class of each."""
    kind, place = model.states.kind[top], model.states.place[top]
    idle = np.cumsum(np.isin(kind, (Kind.BACKGROUND, Kind.BEFORE, Kind.AFTER)))
    own = np.flatnonzero(site >= 0)
    run = np.full(len(site), NONE, dtype=np.int64)
    if not len(own):
        return run, np.empty(0, dtype=np.int64)
    here, of = site[own], sites.of[site[own]]
    same = (of[1:] == of[:-1]) & (idle[own][1:] == idle[own][:-1])
    ahead = here[1:] > here[:-1]
    within = (
        (here[1:] == here[:-1]) & ~sites.generated[here[1:]] & (place[own][1:] > place[own][:-1])
    )
    loop = (sites.loop[here[1:]] >= 0) & (sites.loop[here[1:]] == sites.loop[here[:-1]])
    goes_on = same & (ahead | within | loop)
    number = np.cumsum(np.append(True, ~goes_on)) - 1
    run[own] = number
    return run, of[np.flatnonzero(np.append(True, ~goes_on))]
