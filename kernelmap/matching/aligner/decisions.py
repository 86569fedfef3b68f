"""Posteriors → decisions: the call of each launch, how sure that is (SURE), what else it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.aligner.counting import Posterior
from kernelmap.matching.aligner.edges import LEADS, hangs_together, leads_nowhere
from kernelmap.matching.aligner.emissions import is_nameless_call
from kernelmap.matching.aligner.learning import Model
from kernelmap.matching.aligner.once import CLEAR, TOGETHER, candidates_by_one, looked_at, seen_once
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import Float, StateKind
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.matching.aligner.twins import told_by_other_half
from kernelmap.matching.names.expectations import SORTING
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

SURE = 0.95
"""A posterior from which one call is inferred. With less, more claims are wrong; with more, right
ones are left out. Tried on recordings (scripts/thresholds.py) the choice is not sharp, for where
order decides a posterior is next to 0 or to 1: where launches were lost, 3 calls are wrong at 0.5
and 0.8, 2 from 0.9 to 0.99; of kernels alone 3,407 are right up to 0.95, 3,403 at 0.99 and 3,393 at
0.999."""
MOST = 6
"""More candidates say nothing: a person can look at six. Chosen; no recording depends on it (3 and
12 tried)."""
_ONCE = 0.8
"""How probable a call has to be by what one invocation shows, before anything is learned. Tried on
recordings (scripts/thresholds.py): where half of the code is withheld, one call is wrong at 0.5 and
none from 0.65 on; from 0.9 on five right ones are left out, and two of kernels alone. Simulated
worlds need it more (docs/rules.md, once)."""


class Decisions(Struct, frozen=True):
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
    # Most columns below are over the launches of all sequences, one after the other; `parts` are
    # the slices of each sequence.
    lengths = np.array([len(sequence) for sequence in tokens.sequences], dtype=np.int64)
    offset = np.cumsum(lengths) - lengths
    token = np.concatenate([sequence.token for sequence in tokens.sequences])
    answers = _rank_sites_by_posterior(posterior, model, offset, len(token), sites)
    site = answers.site[0]
    nameless_of = is_nameless_call(tokens, sites)
    parts = [slice(begin, begin + length) for begin, length in zip(offset, lengths, strict=True)]
    runs = [_find_runs(answers.state[here], site[here], model, sites) for here in parts]
    # What the model said before it learned anything, as a second opinion on each call.
    looked = looked_at(model, offset)
    run = _number_runs(runs)
    once = seen_once(looked, site, answers.state, token, run, sites)
    probable, compared = once.probable, [(np.arange(len(token)), once.compared)]
    of_run = np.concatenate([of for _, of in runs])
    in_sequence = np.repeat(np.arange(len(runs)), [len(of) for _, of in runs])
    # Where the other half of a compilation tells which of two graphs ran, everything is looked at
    # once more with the calls of that graph.
    told = told_by_other_half(looked, site, run, of_run, in_sequence, sites)
    if told is not None:
        halves = seen_once(told.looked, told.site, answers.state, token, run, sites)
        probable = np.where(told.here, halves.probable, probable)
        compared = [
            (np.flatnonzero(~told.here), once.compared),
            (np.flatnonzero(told.here), halves.compared),
        ]
        answers, site = answers.with_told_sites(told.here, told.site, sites), told.site
        runs = [
            (numbers, _class_of_runs(numbers, site[here], of, sites))
            for (numbers, of), here in zip(runs, parts, strict=True)
        ]
    # One invocation shows little of calls whose kernels bear names that say nothing.
    least = np.where(nameless_of[site], CLEAR, _ONCE)
    clear = (site >= 0) & (probable >= least)
    sure = clear & (answers.share[0] >= SURE)
    # Learning chose among what one invocation leaves open: all of that is named. What it found
    # against that is nothing to name.
    learned_only = ~clear & (site >= 0) & (answers.share[0] >= SURE)
    open_ = {
        launch: calls
        for rows, looked_at_rows in compared
        for launch, calls in candidates_by_one(
            looked_at_rows, rows[learned_only[rows]], SURE
        ).items()
        if 1 < len(calls) <= MOST and site[launch] in calls
    }
    # The autotuner's launches; then which of the sure ones stay so at the edges of invocations.
    measured = np.isin(model.states.kind[answers.state], (StateKind.MEASURED, StateKind.CLEARING))
    held = [
        _is_held_by_invocation(
            answers.take_rows(here), run, sure[here], clear[here], token[here], tokens, sites
        )
        for here, (run, _) in zip(parts, runs, strict=True)
    ]
    return [
        _decide_sequence(answers, here, *runs[number], held[number], measured[here], open_)
        for number, here in enumerate(parts)
    ]


def _decide_sequence(  # noqa: PLR0913, PLR0917 -- a launch's columns
    answers: _Answers,
    here: slice,
    run: Int,
    of_run: Int,
    held: Bool,
    measured: Bool,
    open_: Mapping[int, tuple[int, ...]],
) -> Decisions:
    """The decisions about one sequence.

    `open_` has the calls of launches of all sequences that one invocation leaves open.
    """
    answers_here = answers.take_rows(here)
    # Rows count the launches of all sequences, places those of this one.
    rows = np.flatnonzero(~held) + here.start
    several = answers.sites_of_unsure_launches(rows) | {
        row: open_[row] for row in rows.tolist() if row in open_
    }
    return Decisions(
        site=answers_here.site[0].copy(),
        posterior=answers_here.share[0].copy(),
        second=answers_here.site[1],
        behind=answers_here.share[1],
        sure=held,
        several={row - here.start: calls for row, calls in several.items()},
        run=run,
        of_run=of_run,
        measured=measured,
    )


def _class_of_runs(run: Int, site: Int, of_run: Int, sites: Sites) -> Int:
    """The class of each invocation, corrected where its launches have sites of another class.

    `of_run` is what it was.
    """
    classes = of_run.copy()
    called = (run >= 0) & (site >= 0)
    classes[run[called]] = sites.of[site[called]]
    return classes


def _number_runs(runs: Sequence[tuple[Int, Int]]) -> Int:
    """The invocation of each launch of all sequences, no number twice; -1 outside of them."""
    first = np.cumsum([0, *(len(of_run) for _, of_run in runs)])
    parts = (np.where(run >= 0, run + n, NONE) for (run, _), n in zip(runs, first, strict=False))
    return np.concatenate(list(parts))


def _is_held_by_invocation(  # noqa: PLR0913, PLR0917 -- a launch's columns, and what their numbers stand for
    answers: _Answers, run: Int, sure: Bool, clear: Bool, token: Int, tokens: Tokens, sites: Sites
) -> Bool:
    """The launches of one sequence that stay `sure` when their invocation is looked at."""
    site = answers.site[0]
    leads = np.array([family in LEADS for family in tokens.family])
    # Amid the many launches of a sort a doubtful one is still the sort's.
    many = np.array([family in SORTING for family in sites.family])[site]
    held = hangs_together(run, site, sure, (clear | many) & answers.inside, sites)
    return held & ~leads_nowhere(run, site, held, leads[token], sites)


class _Answers(Struct, frozen=True):
    """What the posterior says of each launch of all sequences.

    `site` and `share` are the likeliest call sites (-1: none) and the second, with their
    probabilities; shapes (2, launches). `state` is the likeliest state, `inside` marks launches
    that surely belong to some invocation. Of launch n, `calls[start[n]:start[n + 1]]` are all call
    sites with their `shares`, the likeliest first.
    """

    site: Int
    share: Float
    state: Int
    inside: Bool
    start: Int
    calls: Int
    shares: Float

    def take_rows(self, here: slice) -> _Answers:
        """Those of some launches in a row."""
        return replace(
            self,
            site=self.site[:, here],
            share=self.share[:, here],
            state=self.state[here],
            inside=self.inside[here],
            start=self.start[here],
        )

    def with_told_sites(self, here: Bool, site: Int, sites: Sites) -> _Answers:
        """With `site` as the likeliest of the launches `here`, where something else told the graph.

        What the model had given to two graphs is that one's; the other stays the second answer.
        """
        first, second = self.site
        # `parted`: the two answers were calls of two graphs, and both shares are now for the one
        # that ran. `moved`: the graph that ran is not the one that the model took.
        parted = here & (first >= 0) & (second >= 0)
        parted &= sites.of[first] != sites.of[second]
        moved = here & (site != first)
        share = np.stack([self.share[0] + np.where(parted, self.share[1], 0.0), self.share[1]])
        share[1, moved] = self.share[0, moved]
        both = np.stack([np.where(here, site, first), np.where(moved, first, second)])
        return replace(self, site=both, share=share)

    def sites_of_unsure_launches(self, rows: Int) -> dict[int, tuple[int, ...]]:
        """The sites that together are sure enough, for launches that no single one is sure for."""
        candidates = {}
        # `before` counts the answers that are calls, up to each launch.
        before = np.concatenate([[0], np.cumsum(self.calls >= 0)])[self.start]
        for row in rows[before[rows + 1] - before[rows] > 1].tolist():  # most have one site or none
            span = slice(self.start[row], self.start[row + 1])
            held = 0.0
            chosen: list[int] = []
            for call, share in zip(
                self.calls[span].tolist(), self.shares[span].tolist(), strict=True
            ):
                if call < 0:
                    continue
                chosen.append(call)
                held += share
                if held >= SURE:
                    break
            if held >= TOGETHER and 1 < len(chosen) <= MOST:
                candidates[row] = tuple(chosen)
        return candidates


def _rank_sites_by_posterior(
    posterior: Posterior, model: Model, offset: Int, total: int, sites: Sites
) -> _Answers:
    sequence, at, state = (
        np.concatenate(column).astype(np.int64)
        for column in (posterior.sequence, posterior.at, posterior.state)
    )
    share = np.concatenate(posterior.share).astype(np.float64)
    # One row per launch and probable state: its launch, counted over all sequences.
    place = offset[sequence] + at
    # Over launches: the likeliest state, and the largest share.
    best = np.zeros(total)
    np.maximum.at(best, place, share)
    likeliest = np.flatnonzero(share == best[place])
    top = np.zeros(total, dtype=np.int64)
    top[place[likeliest]] = state[likeliest]
    # A launch is inside of an invocation if states outside of calls hold next to nothing of it; a
    # benchmark's states count as inside.
    call = model.calls[state]
    idle = np.isin(
        model.states.kind,
        (StateKind.BACKGROUND, StateKind.STRANGER, StateKind.BEFORE, StateKind.AFTER),
    )
    inside = 1 - np.bincount(place, weights=share * idle[state], minlength=total) >= SURE
    # One answer per launch and call.
    pair = place * (len(sites) + 1) + call + 1
    order = np.argsort(pair, kind="stable")  # nearly in order already
    pair, place, call, share = pair[order], place[order], call[order], share[order]
    fresh = np.flatnonzero(np.append(True, np.diff(pair) != 0))
    place, call = place[fresh], call[fresh]
    share = np.add.reduceat(share, fresh) if len(fresh) else share
    start = np.searchsorted(place, np.arange(total + 1))
    # The likeliest first, launch by launch; most launches have one answer.
    several = np.flatnonzero(np.diff(start)[place] > 1)
    order = several[np.lexsort((-share[several], place[several]))]
    call[several], share[several] = call[order], share[order]
    site = np.full((2, total), NONE, dtype=np.int64)
    how = np.zeros((2, total))
    for rank in range(2):
        there = start[:-1] + rank < start[1:]
        entry = start[:-1][there] + rank
        site[rank, there], how[rank, there] = call[entry], share[entry]
    return _Answers(site, how, top, inside, start, call, share)


def _find_runs(top: Int, site: Int, model: Model, sites: Sites) -> tuple[Int, Int]:
    """The invocation of each launch of a call, numbered; and the class of each."""
    kind, place = model.states.kind[top], model.states.place[top]
    # An invocation goes on from one launch of a call to the next if both are of the same graphs, no
    # launch between them is eager work, and one of these holds.
    idle = np.cumsum(np.isin(kind, (StateKind.BACKGROUND, StateKind.BEFORE, StateKind.AFTER)))
    called = np.flatnonzero(site >= 0)
    run = np.full(len(site), NONE, dtype=np.int64)
    if not len(called):
        return run, np.empty(0, dtype=np.int64)
    here, of = site[called], sites.of[site[called]]
    same = (of[1:] == of[:-1]) & (idle[called][1:] == idle[called][:-1])
    # A later call; the same library call at a later place (two kernels of a product); the same
    # loop.
    ahead = here[1:] > here[:-1]
    within = (
        (here[1:] == here[:-1])
        & ~sites.generated[here[1:]]
        & (place[called][1:] > place[called][:-1])
    )
    loop = (sites.loop[here[1:]] >= 0) & (sites.loop[here[1:]] == sites.loop[here[:-1]])
    goes_on = same & (ahead | within | loop)
    number = np.cumsum(np.append(True, ~goes_on)) - 1
    run[called] = number
    return run, of[np.flatnonzero(np.append(True, ~goes_on))]
