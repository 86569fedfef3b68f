"""Expected counts of one pass over the launches → the rates that the model learns from them."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.aligner.emissions import EmissionLayout, owners_of
from kernelmap.matching.aligner.network import Network
from kernelmap.matching.aligner.rates import Rates, silent_rates
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import FOLLOWERS, PRELUDES, Float, StateKind
from kernelmap.model.trace import Int


class Counts(Struct):
    """What was expected in the cores of all windows: sums over launches.

    `emitted` is like `Emissions.rate`, `background` and `stranger` count tokens, `arc` the arcs,
    `entered` entries, `ended` ends by state.
    """

    emitted: Float
    background: Float
    stranger: Float
    arc: Float
    entered: Float
    ended: Float
    strayed: Float
    rested: float = 0.0
    stayed: float = 0.0


class Posterior(Struct):
    """Columns over (launch, state) pairs that are probable: where, which, how much."""

    sequence: list[Int] = []
    at: list[Int] = []
    state: list[Int] = []
    share: list[Float] = []


def _sum_by_number(number: Int, weights: Float, count: int) -> Float:
    """The sum of `weights` by their number; (count,)."""
    return np.bincount(number, weights=weights, minlength=count).astype(np.float64)


def visits_of(layout: EmissionLayout, counts: Counts) -> Float:
    """The expected number of visits of each state, without background and strangers."""
    return _sum_by_number(owners_of(layout), counts.emitted, len(layout.row))


def rates_after(
    sites: Sites, network: Network, old: Rates, counts: Counts, gamma: Float
) -> tuple[Rates, Float]:
    """Rates as expected, and how often each call launched something."""
    # Columns over arcs: the site that each leads from, and to.
    source = np.repeat(np.arange(len(network)), np.diff(network.start))
    one, other = network.site[source], network.site[network.target]
    skipped = Passed(len(sites))
    # An arc from call a to call d passes b and c, which launched nothing. An arc from what runs
    # before a graph may pass the first call, too, and one to what runs after it the last call.
    begins = network.kind[source] == StateKind.BEFORE
    ends = network.kind[network.target] == StateKind.AFTER
    # Arcs back to the beginning of a loop pass nothing.
    onward = (other >= one) & ~(network.kind[source] == StateKind.AFTER)
    low, high = np.where(begins, one, one + 1), np.where(ends, other + 1, other)
    skipped.add(low[onward], high[onward], counts.arc[onward])
    # An invocation that begins with its third call passed the first two.
    begun = np.flatnonzero((counts.entered > 0) & (network.kind != StateKind.BEFORE))
    bounds, of = sites.bounds, sites.of
    first = bounds[of[network.site[begun]]]
    skipped.add(first, network.site[begun], counts.entered[begun])
    # One that ends early passed all calls behind that; state 0, the background, has no site.
    ended = np.flatnonzero((counts.ended > 0) & (network.kind != StateKind.AFTER))
    ended = ended[ended > 0]
    last = bounds[of[network.site[ended]] + 1]
    skipped.add(network.site[ended] + 1, last, counts.ended[ended])
    # Per site, as expected: how often the call launched nothing (sums of differences may fall a
    # little below 0), how often it launched its main kernel, and both together.
    passed = np.maximum(skipped.times, 0.0)
    main = np.isin(network.kind, (StateKind.MAIN, StateKind.GENERATED))
    runs = _sum_by_number(network.site[main], gamma[main], len(sites))
    visits = passed + runs
    # A generated call that is in no branch or loop always launches: where it shows nothing, an
    # event was lost. The first belief, one loss in a hundred, counts like a hundred visits.
    certain = sites.certain & sites.generated
    loss = (passed[certain].sum() + 1) / (visits[certain].sum() + 100)
    loss = float(np.clip(loss, 0.002, 0.08))
    # How often a stranger comes behind a launch, and behind another stranger.
    total = max(float(gamma.sum()), 1.0)
    strange = network.kind == StateKind.STRANGER
    strayed = counts.strayed[~strange].sum()
    stayed = counts.strayed[strange].sum()
    rates = replace(
        old,
        loss=loss,
        silent=silent_rates(sites, loss, passed, visits),
        preludes=_rate_of_preludes(network, gamma, runs, old.preludes),
        more=_rate_of_followers(network, gamma, sites, runs, old.more),
        share=_share_of_classes(sites, network, counts),
        stranger=float(np.clip((strayed + 1) / (total + 100), 1e-3, 0.3)),
        stranger_stays=float(np.clip((stayed + 0.4 * 5) / (counts.stranger.sum() + 5), 0.05, 0.9)),
    )
    # The first belief, that background goes on in eight of ten cases, counts like five launches.
    behind = counts.background.sum()
    rates.background_stays = float(np.clip((counts.stayed + 0.8 * 5) / (behind + 5), 0.05, 0.999))
    idle = np.isin(network.kind, (StateKind.BACKGROUND, StateKind.BEFORE, StateKind.AFTER))
    # `over` is how many invocations ended. Those behind which background runs, or a habit of the
    # graph, are the share of background.
    over = (
        counts.ended[~idle].sum()
        + counts.arc[ends & ~(network.kind[source] == StateKind.AFTER)].sum()
    )
    rates.background = float(
        np.clip(
            (
                counts.rested
                + counts.arc[ends & ~(network.kind[source] == StateKind.AFTER)].sum()
                + 2.5
            )
            / (over + 5),
            0.02,
            0.98,
        )
    )
    return rates, runs


def _rate_of_preludes(network: Network, gamma: Float, runs: Float, prior: Float) -> Float:
    """How often a visit begins with so many preludes; who passes a place began before it."""
    # `passed[:, k]` is how often a visit came by the k-th prelude, counted back from the main
    # kernel; column 0 has all visits. What column k has more than k + 1 began with exactly k.
    preludes = np.flatnonzero(network.kind == StateKind.PRELUDE)
    passed = np.zeros((len(runs), PRELUDES + 2))
    passed[network.site[preludes], PRELUDES - network.place[preludes]] = gamma[preludes]
    passed[:, 0] = np.maximum(runs, passed[:, 1])
    seen = np.maximum(passed[:, :-1] - passed[:, 1:], 0.0)
    return np.asarray(np.clip((seen + prior) / (passed[:, :1] + 1), 1e-3, 0.999))


def _rate_of_followers(
    network: Network, gamma: Float, sites: Sites, runs: Float, prior: Float
) -> Float:
    # Of the visits that reached a place, how many went on to the next one.
    more = prior.copy()
    before = runs
    for number in range(FOLLOWERS):
        followers = (network.kind == StateKind.FOLLOWER) & (network.place == PRELUDES + 1 + number)
        seen = _sum_by_number(network.site[followers], gamma[followers], len(sites))
        more[:, number] = np.clip((seen + prior[:, number]) / (before + 1), 0.002, 0.99)
        before = seen
    return more


def _share_of_classes(sites: Sites, network: Network, counts: Counts) -> Float:
    """How often invocations are of each class."""
    entered = _sum_by_number(sites.of[network.site[1:]], counts.entered[1:], len(sites.members))
    weight = 0.5
    return np.asarray((entered + weight) / (entered.sum() + weight * len(entered)))


class Passed:
    """How often calls are skipped and launch, summed over arcs: differences along the sites."""

    def __init__(self, sites: int) -> None:
        # A span of sites adds its times where it begins and takes them off behind its end; the
        # running sum is the number of spans over each site.
        self._steps = np.zeros(sites + 1)

    def add(self, first: Int, last: Int, times: Float) -> None:
        """Count `times` for the sites from `first` to before `last`, where there are some."""
        real = last > first
        np.add.at(self._steps, first[real], times[real])
        np.add.at(self._steps, last[real], -times[real])

    @property
    def times(self) -> Float:
        """The sum per site."""
        return np.cumsum(self._steps)[:-1]
