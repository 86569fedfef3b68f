"""Learning from the profile itself: what is expected of each call, round by round (Baum-Welch)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.counting import Posterior, rates_after, visits_of
from kernelmap.matching.aligner.emissions import (
    _CONSTANT,
    emissions_of,
    layout_of,
    learn_emission_rates,
    loose_of,
    owners_of,
    prior_of,
    share_of_commonest_name,
)
from kernelmap.matching.aligner.forward_backward import Decoder
from kernelmap.matching.aligner.native_decoder import decoder_of
from kernelmap.matching.aligner.network import Network, network_of
from kernelmap.matching.aligner.rates import Rates, first_rates
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import (
    FOLLOWERS,
    PRELUDES,
    Float,
    StateKind,
    States,
    states_of,
)
from kernelmap.matching.aligner.tokens import LaunchSequence, Tokens
from kernelmap.matching.aligner.windows import SequenceWindow, launches_of, windows_of
from kernelmap.matching.names.expectations import SORTING, expected_of
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

ROUNDS = 5
"""Passes over the profile. Tried on recordings (scripts/thresholds.py): after two, 11 calls of
recordings that lost launches are not found yet; after ten nothing is otherwise, and each pass takes
as long as the first."""
_SAMPLE = 40_000
"""Launches that are learned from. Fewer may hold a rare graph only once; more take longer and hold
the same steps again. Chosen."""
_PLACES = 1 + PRELUDES + FOLLOWERS
_DOUBT = 1e-4
"""What another run decided is wrong for one launch in so many. At 0 a single contradiction would
make the whole sequence impossible; much more, and the reference has no weight. Chosen."""
_SEEN = 0.5
"""A place that a smaller share of its call's visits has is none: what only some runs of a call
launch is eager work beside it, or a loss (docs/rules.md, pruned). Tried on recordings
(scripts/thresholds.py): at 0.25, 11 calls are lost where launches were lost, and 12 more launches
have misleading candidates where half of the code is withheld; at 0.75, four calls of kernels alone
and ten of each of the others are lost."""
_RAN = 0.01
"""A call with fewer visits than so many in all shows nothing: its places stay. Shares of a visit
are left by rounding; a call that ran has one at least."""
_CHANCE = 0.5
"""Of few visits of a sort, so many more or less say nothing: it may take one pass more once
(docs/rules.md, few sorts)."""
_FEW = 8
"""So many visits are no longer few: half a visit of eight is a sixteenth. Seven are still few in
the worlds with 2 to 4 invocations a step (docs/rules.md, few sorts)."""


class Unlearned(Struct):
    """Columns over (launch, call site) pairs of the sample: where, which (-1: none), how probable.

    A pair may be there more than once.
    """

    sequence: list[Int] = []
    at: list[Int] = []
    site: list[Int] = []
    share: list[Float] = []


class Model(Struct, frozen=True, kw_only=True):
    """A learned model: what each state is, and the decoder that holds its rates.

    `unlearned` is what the model said of its sample before it learned anything.
    """

    states: States
    network: Network
    rates: Rates
    decoder: Decoder
    calls: Int
    unlearned: Unlearned


class Learner:
    """Learns one model from the sequences of a profile."""

    def __init__(
        self,
        sites: Sites,
        tokens: Tokens,
        tuned: Bool,
        taught: Sequence[LaunchSequence] = (),
        *,
        doubt: float = _DOUBT,
    ) -> None:
        """`tuned` are words that the autotuner measured; `doubt` is that of settled launches.

        `taught` are sequences of reference runs: their calls are known.
        """
        self._doubt = doubt
        self._sites, self._tokens, self._tuned = sites, tokens, tuned
        self._taught = taught, windows_of(taught, overlap_of(sites)) if taught else []
        self._kept = _possible_places(sites)
        # Of graphs that launch the same each has habits of its own.
        self._members = np.array([len(sites.members[of]) for of in sites.of.tolist()])
        self._first = self._rates = first_rates(sites)
        nothing = np.zeros(len(tokens))
        self._loose = loose_of(tokens, nothing, nothing)
        self._emitted: Float | None = None
        self._unlearned = Unlearned()
        self._set_states()

    def learn_model(self) -> Model:
        """The model after all rounds."""
        # Each round reads the sample and the references with the rates of the round before.
        windows = _sample_windows(windows_of(self._tokens.sequences, overlap_of(self._sites)))
        if self._taught[0]:
            self._learn_from_references()
        for number in range(ROUNDS):
            self._learn_round(windows, number)
        return self.model_so_far()

    def model_so_far(self) -> Model:
        """The model as learned so far."""
        network = network_of(self._sites, self._states, self._rates)
        rate = self._prior
        if self._emitted is not None:
            rate = learn_emission_rates(
                self._layout,
                rate,
                self._emitted,
                self._states,
                self._tokens,
                self._members[self._states.site] > 1,
            )
        emissions = emissions_of(self._states, self._tokens, self._layout, rate, self._loose)
        # States that stand for a launch of a call; benchmarks and strangers lie at a site as well,
        # and are no launch of its call.
        stands = np.isin(
            self._states.kind,
            (StateKind.GENERATED, StateKind.PRELUDE, StateKind.MAIN, StateKind.FOLLOWER),
        )
        calls = np.where(stands, self._states.site, NONE)
        return Model(
            states=self._states,
            network=network,
            rates=self._rates,
            decoder=decoder_of(network, emissions, calls, self._doubt),
            calls=calls,
            unlearned=self._unlearned,
        )

    def _set_states(self) -> None:
        self._states = states_of(self._sites, self._tokens, self._tuned, self._kept)
        self._layout = layout_of(self._states, self._tokens, self._sites)
        self._prior = prior_of(self._sites, self._states, self._tokens, self._layout)

    def _learn_from_references(self) -> None:
        """Learn what each call launches from references alone, before the profile is looked at."""
        model = self.model_so_far()
        counts = model.decoder.empty_counts()
        model.decoder.add_batch(launches_of(*self._taught), counts, None)
        self._emitted = counts.emitted
        gamma = visits_of(self._layout, counts)
        rates, _ = rates_after(self._sites, model.network, self._first, counts, gamma)
        # Only the habits of calls are taken over. How often each graph runs, and what runs between
        # them, a reference does not show.
        self._rates = replace(
            self._first, silent=rates.silent, preludes=rates.preludes, more=rates.more
        )

    def _learn_round(self, windows: Sequence[SequenceWindow], number: int) -> None:
        """One pass over the sample: expect, then learn from what was expected."""
        model = self.model_so_far()
        counts, posterior = model.decoder.empty_counts(), Posterior()
        sampled = launches_of(self._tokens.sequences, windows)
        model.decoder.add_batch(sampled, counts, None if number else posterior)
        model.decoder.add_batch(launches_of(*self._taught), counts, None)
        if number == 0:
            # What the first round says is kept: learning has not yet made sure of what repeats.
            self._unlearned = Unlearned(
                posterior.sequence,
                posterior.at,
                [model.calls[state] for state in posterior.state],
                posterior.share,
            )
        self._emitted = counts.emitted
        self._loose = loose_of(self._tokens, counts.background, counts.stranger)
        gamma = visits_of(self._layout, counts)
        self._rates, runs = rates_after(self._sites, model.network, self._first, counts, gamma)
        if number and self._doubt >= _DOUBT:
            # Where a host side shows what calls launch, rare places are none the less true.
            self._prune_places(counts.emitted, gamma, runs)

    def _prune_places(self, emitted: Float, gamma: Float, runs: Float) -> None:
        """Leave out the places that hardly any visit of their call has."""
        states = self._states
        # Columns over states. `several` is the number of graphs that share the call: a place that
        # is the habit of one of them has only that graph's part of the visits.
        places = np.isin(states.kind, (StateKind.PRELUDE, StateKind.FOLLOWER))
        several = self._members[states.site]
        habit = share_of_commonest_name(self._layout, emitted, states, self._tokens) >= _CONSTANT
        habit |= several > 1
        # A sort may take another pass now and then: it needs no single name at each place, and with
        # few visits half a visit more or less does not count.
        sorting = np.array([family in SORTING for family in self._sites.family])[states.site]
        least = _SEEN / several * np.maximum(runs[states.site], 1.0)
        few = sorting & (runs[states.site] < _FEW)
        least = np.where(few, np.maximum(least - _CHANCE, np.minimum(least, _CHANCE)), least)
        # A place stays where its launches have a habit, or are a sort's, and enough visits have it.
        rare = places & (runs[states.site] >= _RAN) & ~((habit | sorting) & (gamma >= least))
        if not rare.any():
            return
        self._kept[states.site[rare], states.place[rare]] = False
        # What follows a place that is gone is gone, too.
        for place in range(PRELUDES + 1, _PLACES):
            if place > PRELUDES + 1:
                self._kept[:, place] &= self._kept[:, place - 1]
        for place in range(PRELUDES - 2, -1, -1):
            self._kept[:, place] &= self._kept[:, place + 1]
        # States are numbered anew without these places, so what was counted moves to the new rows.
        before, old = self._states, self._layout
        self._set_states()
        kept = _same_states(before, self._states)
        owner = owners_of(self._layout)
        at = np.arange(self._layout.size) - self._layout.row[owner]
        self._emitted = emitted[old.row[kept[owner]] + at]


def _possible_places(sites: Sites) -> Bool:
    """The places that library calls may have: (sites, preludes + 1 + followers)."""
    kept = np.zeros((len(sites), _PLACES), dtype=bool)
    for site, (target, family) in enumerate(zip(sites.target, sites.family, strict=True)):
        preludes, followers = expected_of(target, family or Family.OTHER).most
        # The main kernel is the column between preludes and followers. Places lie next to it: where
        # a call has two preludes of four, they are the last two.
        kept[site, PRELUDES - preludes : PRELUDES] = True
        kept[site, PRELUDES : PRELUDES + 1 + followers] = True
    return kept


def _same_states(before: States, after: States) -> Int:
    """The number that each state of `after` had `before`."""

    def key(states: States) -> Int:
        # One number per state, in which site, kind, place and word do not overlap.
        return (
            ((states.site + 1) * 16 + states.kind) * 32 + states.place + (states.word + 1) * 2**40
        )

    old = key(before)
    order = np.argsort(old)
    return order[np.searchsorted(old[order], key(after))]


def overlap_of(sites: Sites) -> int:
    """How many launches around a window tell what it is."""
    longest = int(np.diff(sites.bounds).max(initial=1))
    return int(np.clip(longest, 64, 600))


def _sample_windows(windows: Sequence[SequenceWindow]) -> list[SequenceWindow]:
    """Windows all over the sequences, no more than a sample's launches."""
    total = sum(window.last - window.first for window in windows)
    # Every n-th window, so that the whole profile is sampled, not its beginning.
    step = max(1, total // _SAMPLE)
    return list(windows[::step])


def decode_all(model: Model, tokens: Tokens, sites: Sites) -> Posterior:
    """The posterior of every launch."""
    posterior = Posterior()
    windows = windows_of(tokens.sequences, overlap_of(sites))
    model.decoder.add_batch(launches_of(tokens.sequences, windows), None, posterior)
    return posterior
