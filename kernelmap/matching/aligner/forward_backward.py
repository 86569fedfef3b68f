"""Launches, states and rates → how probable each state is at each launch (forward-backward).

Only states that are still probable are followed (a beam). Everything is exact but for what falls
out of the beam. This is a plain loop: native_decoder.py takes the same steps in C, where that was
built, many times as fast.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.counting import Counts, Posterior
from kernelmap.matching.aligner.emissions import Emissions
from kernelmap.matching.aligner.entries import entries_of
from kernelmap.matching.aligner.network import Network
from kernelmap.matching.aligner.states import Float, StateKind
from kernelmap.matching.aligner.tokens import OUTSIDE, TUNED
from kernelmap.matching.aligner.windows import LaunchWindows
from kernelmap.model import NONE
from kernelmap.model.trace import Int

BEAM = 1e-7
"""States less probable than this, relative to the likeliest at a launch, are dropped. Tried on
recordings (scripts/thresholds.py): at 1e-5 the true path is lost behind strange launches, 26 calls
where half of the code is withheld; at 1e-9 answers stay the same and decoding takes longer."""
WITHIN = 0.02
"""How often other work runs in what is launched as a whole, as a CUDA graph is: hardly. It weighs
against splitting a replay. Chosen; no recording depends on it (0.004 and 0.1 tried)."""

Front = dict[int, float]
"""The states that are followed at one launch, and the share of each."""
_IDLE = 0
"""The state in which no invocation runs."""


class Decoder:
    """Runs one model over windows of launches."""

    def __init__(self, network: Network, emissions: Emissions, calls: Int, doubt: float) -> None:
        """`calls` is the site of each state that stands for a call, -1 for the others.

        `doubt` is how probable it is that what decided a launch before is wrong.
        """
        self.network, self.emissions, self.calls, self.doubt = network, emissions, calls, doubt
        self.entries = entries_of(network, emissions)
        kind = network.kind
        # Columns over states. `loose` says which table has the rates: 0 that of the state itself, 1
        # that of the background, 2 that of strangers. `beside` marks what is no work of a call.
        self.loose = np.where(
            kind == StateKind.BACKGROUND, 1, np.where(kind == StateKind.STRANGER, 2, 0)
        )
        self.beside = np.isin(
            kind, (StateKind.BACKGROUND, StateKind.BEFORE, StateKind.AFTER, StateKind.STRANGER)
        )
        self.tuned = np.isin(kind, (StateKind.MEASURED, StateKind.CLEARING))
        self.entry_rate: Float = np.bincount(
            network.entry, weights=network.entry_rate, minlength=len(network)
        ).astype(np.float64)

    def empty_counts(self) -> Counts:
        """Nothing counted yet."""
        states, tokens = len(self.network), len(self.emissions.background)
        return Counts(
            emitted=np.zeros(len(self.emissions.rate)),
            background=np.zeros(tokens),
            stranger=np.zeros(tokens),
            arc=np.zeros(len(self.network.target)),
            entered=np.zeros(states),
            ended=np.zeros(states),
            strayed=np.zeros(states),
        )

    def add_batch(
        self, windows: LaunchWindows, counts: Counts | None, posterior: Posterior | None
    ) -> None:
        """Add what the windows show to `counts` and `posterior`."""
        # `found` are rows of (sequence, place in it, state, share), over the cores of all windows.
        loop = _Loop(self, counts)
        found: list[tuple[int, int, int, float]] = []
        for number in range(len(windows)):
            begin, end = windows.start[number : number + 2].tolist()
            window = _Window(
                token=windows.token[begin:end].tolist(),
                settled=windows.settled[begin:end].tolist(),
                weight=windows.weight[begin:end].tolist(),
                opens=bool(windows.opens[number]),
                closes=bool(windows.closes[number]),
                whole=bool(windows.whole[number]),
            )
            sequence, origin = int(windows.sequence[number]), int(windows.origin[number])
            for step, front in loop.probable(window):
                found += [(sequence, origin + step, state, share) for state, share in front.items()]
        if posterior is not None:
            sequence_, at, state, share_ = zip(*found, strict=True) if found else ((), (), (), ())
            posterior.sequence.append(np.array(sequence_, dtype=np.int32))
            posterior.at.append(np.array(at, dtype=np.int32))
            posterior.state.append(np.array(state, dtype=np.int32))
            posterior.share.append(np.array(share_, dtype=np.float32))


class _Window(Struct, frozen=True):
    """The launches of one window; see LaunchWindows."""

    token: list[int]
    settled: list[int]
    weight: list[int]
    opens: bool
    closes: bool
    whole: bool


class _Onward(Struct, frozen=True):
    """The ways from one launch to the next, with how probable everything behind them is.

    `arcs` are (state, arc, share), `strayed` and `ended` by state at this launch: a stranger comes
    next, the invocation ends. `entered` is by state at the next launch, for those in which an
    invocation begins; `rested` is of the background there.
    """

    arcs: list[tuple[int, int, float]]
    strayed: Front
    ended: Front
    entered: Front
    rested: float


class _Loop:
    """The tables of a decoder as lists, and the steps over one window."""

    def __init__(self, of: Decoder, counts: Counts | None) -> None:
        net, emit = of.network, of.emissions
        self.counts, self.doubt = counts, of.doubt
        self.background, self.stays = net.background, net.background_stays
        self.stranger, self.to_stranger = net.stranger.tolist(), net.to_stranger.tolist()
        self.ends, self.entry_rate = net.ends.tolist(), of.entry_rate.tolist()
        self.target, self.arc_rate = net.target.tolist(), net.rate.tolist()
        self.loose, self.beside = of.loose.tolist(), of.beside.tolist()
        self.tuned, self.calls = of.tuned.tolist(), of.calls.tolist()
        self.row: list[int] = emit.row.tolist()
        self.column: list[int] = emit.column.tolist()
        self.word = emit.word_of_token.tolist()
        self.rate: list[float] = emit.rate.tolist()
        self.rate_idle: list[float] = emit.background.tolist()
        self.rate_strange: list[float] = emit.stranger.tolist()
        # Per token: the states in which an invocation, or a window, may begin with it.
        entries = of.entries
        self.entries = _rows(entries.start, entries.state, entries.rate)
        self.begins = _rows(entries.begins_start, entries.begins, entries.begins_rate)
        # Per state and word the arcs that lead to states of that word.
        self.arcs: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        left = np.arange(len(net)).repeat(np.diff(net.start)).tolist()
        words = emit.word_of_state[net.target].tolist()
        for arc, key in enumerate(zip(left, words, strict=True)):
            self.arcs[key].append(arc)

    def probable(self, window: _Window) -> list[tuple[int, Front]]:
        """The probable states of each launch that counts; what they show is counted."""
        # The fronts say how probable each state is by what ran before. This loop goes backward:
        # `behind` is how probable the next launch and what follows it is, by the state at that
        # launch.
        fronts = self._forward(window)
        found = []
        behind: Front = {}
        for step in range(len(fronts) - 1, -1, -1):
            front, token, weight = fronts[step], window.token[step], window.weight[step]
            onward = None
            if step + 1 == len(fronts):
                ends = window.closes
                # A replayed graph ends with its last launch, so an invocation has to end there,
                # too; a window that ends anywhere else says nothing.
                later = {s: self.ends[s] if ends and s != _IDLE else 1.0 for s in front}
            else:
                onward = self._look_ahead(front, behind, window.token[step + 1])
                later = _added(front, onward)
            total = sum(share * later[state] for state, share in front.items())
            if total <= 0:
                # The next launch was no continuation: anything may end here.
                later = dict.fromkeys(front, 1.0)
                total = sum(front.values())
            # Both directions together: the posterior of each state at this launch.
            shares = {state: share * later[state] / total for state, share in front.items()}
            if weight and front:
                found.append((step, {s: share for s, share in shares.items() if share > BEAM}))
                if self.counts is not None:
                    self._count_launches(self.counts, shares, token, weight)
                    if onward is not None:
                        self._count_ways(self.counts, front, onward, weight / total)
            # Divided by `total`, so that the numbers do not vanish over a long window.
            seen = {s: later[s] / total * self._emitted(s, token) for s in front}
            behind = self._agreeing(seen, window, step)
        return found

    def _forward(self, window: _Window) -> list[Front]:
        """The states that what ran before makes probable, launch by launch."""
        fronts: list[Front] = []
        for step, token in enumerate(window.token):
            if fronts:
                ways = self._ways(fronts[-1], token)
            else:
                ways = self._opening(token, opens=window.opens)
            front = _likeliest(self._agreeing(ways, window, step))
            # Where nothing that was followed launches this, begin anew.
            front = front or _likeliest(self._opening(token, opens=False))
            fronts.append(front)
        return fronts

    def _opening(self, token: int, *, opens: bool) -> Front:
        """Where a window may begin: where an invocation does, or anywhere."""
        ways: defaultdict[int, float] = defaultdict(float)
        for state, rate in (self.entries if opens else self.begins)[token]:
            ways[state] += rate
        # Where nothing is known of what ran before, no invocation runs in half of the cases.
        ways[_IDLE] += (self.background if opens else 0.5) * self.rate_idle[token]
        return ways

    def _ways(self, front: Front, token: int) -> Front:
        """What a front may be followed by if the next launch is a `token`."""
        ways: defaultdict[int, float] = defaultdict(float)
        word, column = self.word[token], self.column[token]
        for state, share in front.items():
            # Within an invocation: the arcs to states that launch such a word.
            for arc in self.arcs.get((state, word), ()):
                target = self.target[arc]
                ways[target] += share * self.arc_rate[arc] * self.rate[self.row[target] + column]
            # A stranger's launch; behind what follows a graph, that is plain background.
            stranger = self.stranger[state]
            aside = self.rate_idle if stranger == _IDLE else self.rate_strange
            ways[stranger] += share * self.to_stranger[state] * aside[token]
        # Through the hub: an invocation ended, or none ran, and now one begins, or none does.
        begins, rests = self._free(front)
        for state, rate in self.entries[token]:
            ways[state] += begins * rate
        ways[_IDLE] += rests * self.rate_idle[token]
        return ways

    def _free(self, front: Front) -> tuple[float, float]:
        """How probable it is that an invocation may begin next, and that none does."""
        resting = front.get(_IDLE, 0.0)
        ended = sum(share * self.ends[state] for state, share in front.items() if state != _IDLE)
        return (
            ended * (1 - self.background) + resting * (1 - self.stays),
            ended * self.background + resting * self.stays,
        )

    def _agreeing(self, shares: Front, window: _Window, step: int) -> Front:
        """Shares, lowered where a state contradicts an earlier decision or what its window is."""
        # A state that does not agree keeps a share, that of the doubt: the decision may be wrong.
        sure = window.settled[step]
        if sure == NONE and not window.whole:
            return shares
        agreeing = {}
        for state, share in shares.items():
            call = self.calls[state]
            # Three kinds of decisions: the launch is of one call; of no call; of the autotuner.
            is_other = (
                (sure >= 0 and call != sure)
                or (sure == OUTSIDE and call >= 0)
                or (sure == TUNED and not self.tuned[state])
            )
            fits = self.doubt if is_other else 1.0
            agreeing[state] = share * fits * (WITHIN if self.beside[state] and window.whole else 1)
        return agreeing

    def _emitted(self, state: int, token: int) -> float:
        """The rate of a token in a state that launched it."""
        if not self.loose[state]:
            return self.rate[self.row[state] + self.column[token]]
        rates = self.rate_idle if self.loose[state] == 1 else self.rate_strange
        return rates[token]

    def _look_ahead(self, front: Front, behind: Front, token: int) -> _Onward:
        """The ways from `front` to the next launch, a `token`, with what is `behind` them."""
        word = self.word[token]
        # `hub` is how probable what follows is if an invocation ends here, `wait` if none runs.
        entered = {state: self.entry_rate[state] * share for state, share in behind.items()}
        begun, rested = sum(entered.values()), behind.get(_IDLE, 0.0)
        hub = (1 - self.background) * begun + self.background * rested
        wait = (1 - self.stays) * begun + self.stays * rested
        arcs = [
            (state, arc, self.arc_rate[arc] * behind[self.target[arc]])
            for state in front
            for arc in self.arcs.get((state, word), ())
            if self.target[arc] in behind
        ]
        return _Onward(
            arcs=arcs,
            strayed={s: self.to_stranger[s] * behind.get(self.stranger[s], 0.0) for s in front},
            ended={s: wait if s == _IDLE else self.ends[s] * hub for s in front},
            entered=entered,
            rested=rested,
        )

    def _count_launches(self, counts: Counts, shares: Front, token: int, weight: int) -> None:
        """Count what launched a token."""
        for state, share in shares.items():
            if self.loose[state] == 1:
                counts.background[token] += share * weight
            elif self.loose[state]:
                counts.stranger[token] += share * weight
            else:
                counts.emitted[self.row[state] + self.column[token]] += share * weight

    def _count_ways(self, counts: Counts, front: Front, onward: _Onward, scale: float) -> None:
        """Count by which ways the next launch was reached."""
        # Forward share, times the rate of the way, times what lies behind it: how often the way was
        # taken, as expected. `scale` makes these sum up to the weight of the launch.
        for state, arc, share in onward.arcs:
            counts.arc[arc] += front[state] * scale * share
        for state, share in front.items():
            counts.strayed[state] += share * scale * onward.strayed[state]
            counts.ended[state] += share * scale * onward.ended[state]
        begins, _ = self._free(front)
        for state, share in onward.entered.items():
            counts.entered[state] += begins * scale * share
        # Background behind an invocation that ended, and background behind background.
        resting = front.get(_IDLE, 0.0) * scale
        ended = sum(share * self.ends[state] for state, share in front.items() if state != _IDLE)
        counts.rested += ended * scale * onward.rested * self.background
        counts.stayed += resting * onward.rested * self.stays


def _rows(start: Int, state: Int, rate: Float) -> list[list[tuple[int, float]]]:
    """The rows of a ragged table of states and rates."""
    pairs, bounds = list(zip(state.tolist(), rate.tolist(), strict=True)), start.tolist()
    return [pairs[begin:end] for begin, end in pairwise(bounds)]


def _added(front: Front, onward: _Onward) -> Front:
    """How probable everything that follows is, by state."""
    later = {state: onward.strayed[state] + onward.ended[state] for state in front}
    for state, _, share in onward.arcs:
        later[state] += share
    return later


def _likeliest(ways: Front) -> Front:
    """Ways without the improbable ones, as shares of their sum."""
    # Empty where nothing that was followed can launch the token: the caller begins anew.
    least = BEAM * max(ways.values())
    kept = {state: share for state, share in ways.items() if share > least}
    total = sum(kept.values())
    return {state: share / total for state, share in kept.items()}
