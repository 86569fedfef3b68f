"""Forward and backward over launch sequences: how probable each state is at each launch.

Only states that are still probable are followed (a beam); windows run side by side. Everything is
exact but for what falls out of the beam.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.aligner.counting import Counts, Posterior
from kernelmap.matching.aligner.emissions import Emissions, Launched
from kernelmap.matching.aligner.entries import Front, Ways, entries_of, spans, stretches
from kernelmap.matching.aligner.network import Network
from kernelmap.matching.aligner.states import Float, Kind
from kernelmap.matching.aligner.tokens import OUTSIDE, TUNED
from kernelmap.matching.aligner.windows import Batch
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

BEAM = 1e-7
"""States less probable than this, relative to the likeliest of their window, are dropped."""
WITHIN = 0.02
"""In what is launched as a whole, other work hardly runs."""


class Decoder:
    """Runs one model over batches of windows."""

    def __init__(self, network: Network, emissions: Emissions, calls: Int, doubt: float) -> None:
        """`calls` is the site of each state that stands for a call, -1 for the others.

        `doubt` is how probable it is that what decided a launch before is wrong.
        """
        self._doubt = doubt
        self._tuned = np.isin(network.kind, (Kind.MEASURED, Kind.CLEARING))
        self._net, self._emit, self._calls = network, emissions, calls
        self._states = len(network)
        self._entries = entries_of(network, emissions)
        kind = network.kind
        self._loose = np.where(kind == Kind.BACKGROUND, 1, np.where(kind == Kind.STRANGER, 2, 0))
        self._beside = np.isin(kind, (Kind.BACKGROUND, Kind.BEFORE, Kind.AFTER, Kind.STRANGER))
        self._within = np.where(self._beside, WITHIN, 1.0)
        self._entry_rate = np.bincount(
            network.entry, weights=network.entry_rate, minlength=self._states
        ).astype(np.float64)
        # Steps are many and fronts small: what can be looked up is, numpy's calls are what costs.
        # Arcs are sorted by the state that they leave, then by the word of that to which they lead.
        words = emissions.word_of_state, emissions.word_of_token
        self._words = 2 + max(int(column.max(initial=NONE)) for column in words)
        left = np.arange(self._states).repeat(np.diff(network.start))
        self._arc_key = left * self._words + emissions.word_of_state[network.target] + 1
        self._arc_row = emissions.row[network.target]
        self._rests = np.arange(self._states) == 0
        self._ends = np.where(self._rests, 0.0, network.ends)

    @property
    def emissions(self) -> Emissions:
        """What each state launches."""
        return self._emit

    def counts(self) -> Counts:
        """Nothing counted yet."""
        states = self._states
        tokens = len(self._emit.background)
        return Counts(
            emitted=np.zeros(len(self._emit.rate)),
            background=np.zeros(tokens),
            stranger=np.zeros(tokens),
            arc=np.zeros(len(self._net.target)),
            entered=np.zeros(states),
            ended=np.zeros(states),
            strayed=np.zeros(states),
        )

    def run(self, batch: Batch, counts: Counts | None, posterior: Posterior | None) -> None:
        """Add what a batch shows to `counts` and `posterior`."""
        fronts = self._forward(batch)
        self._backward(batch, fronts, counts, posterior)

    def _forward(self, batch: Batch) -> list[Front]:
        token = batch.token
        longest = token.shape[1]
        active = np.searchsorted(-batch.length, -np.arange(longest), side="left").tolist()
        scratch = np.zeros(len(token) * self._states, dtype=np.int64)
        fronts: list[Front] = []
        front = None
        for step in range(longest):
            count = active[step]
            now = token[:count, step]
            if front is None:
                parts = self._opening(now, batch.opens[:count])
            else:
                if count < active[step - 1]:
                    here = front.window < count
                    front = Front(front.window[here], front.state[here], front.share[here])
                parts = self._moved(front, now)
            window, state, share = parts
            fits = self._fits(batch, step, window, state)
            front = self._merged(
                window, state, share if fits is None else share * fits, count, scratch
            )
            lost = np.bincount(front.window, minlength=count) == 0
            if lost.any():
                # Nothing that was followed launches this: begin anew.
                fresh = self._opening(now, np.zeros(count, dtype=bool))
                here = lost[fresh[0]]
                again = tuple(column[here] for column in fresh)
                front = self._merged(
                    np.concatenate([front.window, again[0]]),
                    np.concatenate([front.state, again[1]]),
                    np.concatenate([front.share, again[2]]),
                    count,
                    scratch,
                )
            fronts.append(front)
        return fronts

    def _opening(self, token: Int, whole: Bool) -> tuple[Int, Int, Float]:
        """Where a window may begin: anywhere, or where an invocation does."""
        entries, emit = self._entries, self._emit
        windows = np.arange(len(token))
        parts = []
        for which, start, state, rate in (
            (~whole, entries.begins_start, entries.begins, entries.begins_rate),
            (whole, entries.start, entries.state, entries.rate),
        ):
            chosen = windows[which]
            source, at = spans(start, token[chosen])
            parts.append((chosen[source], state[at], rate[at]))
        rest = np.where(whole, self._net.background, 0.5)
        parts.append((windows, np.zeros(len(token), dtype=np.int64), rest * emit.background[token]))
        window, state, share = (np.concatenate(column) for column in zip(*parts, strict=True))
        return window, state, share

    def _moved(self, front: Front, token: Int) -> tuple[Int, Int, Float]:
        """All ways from the states of `front` to states that launch `token`."""
        net, emit = self._net, self._emit
        now = token[front.window]
        source, at = self._arcs(front, now)
        share = front.share[source] * net.rate[at]
        share *= emit.rate[self._arc_row[at] + emit.column[now][source]]
        stranger = net.stranger[front.state]
        aside = np.where(stranger == 0, emit.background[now], emit.stranger[now])
        strange = front.share * net.to_stranger[front.state] * aside
        hub, rest = self._hub(front, len(token))
        beginning = (hub > 0).nonzero()[0]
        begun, into = spans(self._entries.start, token[beginning])
        entered = hub[beginning][begun] * self._entries.rate[into]
        windows = np.arange(len(token))
        return (
            np.concatenate([front.window[source], front.window, beginning[begun], windows]),
            np.concatenate(
                [
                    net.target[at],
                    stranger,
                    self._entries.state[into],
                    np.zeros(len(token), dtype=np.int64),
                ]
            ),
            np.concatenate([share, strange, entered, rest * emit.background[token]]),
        )

    def _arcs(self, front: Front, token: Int) -> tuple[Int, Int]:
        """From each state of `front` the arcs to states that launch its `token`: (state, arc)."""
        key = front.state * self._words + self._emit.word_of_token[token] + 1
        return stretches(self._arc_key.searchsorted(key), self._arc_key.searchsorted(key + 1))

    def _hub(self, front: Front, windows: int) -> tuple[Float, Float]:
        """What may begin an invocation next, and what goes to the background, per window."""
        net = self._net
        ended, resting = self._idle(front, front.share, windows)
        hub = ended * (1 - net.background) + resting * (1 - net.background_stays)
        return hub, ended * net.background + resting * net.background_stays

    def _idle(self, front: Front, share: Float, windows: int) -> tuple[Float, Float]:
        """How probable it is that an invocation ends, and that none runs, per window."""
        ends, rests = share * self._ends[front.state], share * self._rests[front.state]
        ended = np.bincount(front.window, weights=ends, minlength=windows)
        resting = np.bincount(front.window, weights=rests, minlength=windows)
        return np.asarray(ended, np.float64), np.asarray(resting, np.float64)

    def _fits(self, batch: Batch, step: int, window: Int, state: Int) -> Float | None:
        """How states agree with what was decided before and what their window is; None: they do."""
        fits = None
        if batch.decided:
            sure = batch.settled[window, step]
            fits = np.ones(len(state))
            calls = self._calls[state]
            fits[(sure >= 0) & (calls != sure)] = self._doubt
            fits[(sure == OUTSIDE) & (calls >= 0)] = self._doubt
            fits[(sure == TUNED) & ~self._tuned[state]] = self._doubt
        if batch.any_whole:
            within = np.where(batch.whole[window], self._within[state], 1.0)
            fits = within if fits is None else fits * within
        return fits

    def _merged(self, window: Int, state: Int, share: Float, count: int, scratch: Int) -> Front:
        """Ways to the same state summed up, what is improbable dropped; windows in order."""
        keep = (share > 0).nonzero()[0]
        window, state, share = window[keep], state[keep], share[keep]
        key = window * self._states + state
        numbers = np.arange(len(key))
        scratch[key] = numbers
        first = (scratch[key] == numbers).nonzero()[0]
        scratch[key[first]] = numbers[: len(first)]
        total = np.bincount(scratch[key], weights=share, minlength=len(first))
        window, state = window[first], state[first]
        best = np.zeros(count)
        np.maximum.at(best, window, total)
        keep = (total > BEAM * best[window]).nonzero()[0]
        window, state, total = window[keep], state[keep], total[keep]
        whole = np.bincount(window, weights=total, minlength=count)
        return Front(window, state, total / whole[window])

    def _backward(
        self,
        batch: Batch,
        fronts: list[Front],
        counts: Counts | None,
        posterior: Posterior | None,
    ) -> None:
        net, token = self._net, batch.token
        ahead = np.zeros(len(token) * self._states)
        behind: Front | None = None  # the states of the step ahead, with what follows them
        sequence = np.array([window.sequence for window in batch.windows])
        origin = np.array([window.start for window in batch.windows])
        for step in range(len(fronts) - 1, -1, -1):
            front = fronts[step]
            count = int(front.window.max()) + 1 if len(front.window) else 0
            ending = batch.length[:count] == step + 1
            later = np.where(ending[front.window], 1.0, 0.0)
            close = ending & batch.closes[:count]
            if close.any():
                whole = close[front.window]
                out = net.ends[front.state]
                out[front.state == 0] = 1.0
                later[whole] = out[whole]
            weights = batch.weight[:, step]
            arcs = None
            if behind is not None:
                later, arcs = self._later(front, behind, ahead, later, token[:, step + 1])
            total = np.bincount(front.window, weights=front.share * later, minlength=count)
            torn = total <= 0
            if torn.any():
                # The next launch was no continuation: anything may end here.
                cut = torn[front.window]
                later[cut] = 1.0
                total = np.bincount(front.window, weights=front.share * later, minlength=count)
            scale = 1 / total
            gamma = front.share * later * scale[front.window]
            now = token[front.window, step]
            launched = self._launched(front.state, now)
            if counts is not None:
                self._count(counts, launched, gamma * weights[front.window], now)
                if arcs is not None:
                    self._count_arcs(counts, front, arcs, scale * weights[:count])
            if posterior is not None:
                core = (weights[front.window] > 0) & (gamma > BEAM)
                core_window = front.window[core]
                posterior.sequence.append(sequence[core_window].astype(np.int32))
                posterior.at.append((origin[core_window] + step).astype(np.int32))
                posterior.state.append(front.state[core].astype(np.int32))
                posterior.share.append(gamma[core].astype(np.float32))
            emitted = self._emitted(launched, now)
            fits = self._fits(batch, step, front.window, front.state)
            if fits is not None:
                emitted *= fits
            behind = Front(front.window, front.state, later * scale[front.window] * emitted)

    def _later(
        self, front: Front, behind: Front, ahead: Float, later: Float, token: Int
    ) -> tuple[Float, Ways]:
        """How probable what follows is behind each state of `front`, and by which arcs.

        `token` is what each window launches next.
        """
        net = self._net
        key = behind.window * self._states + behind.state
        ahead[key] = behind.share
        source, at = self._arcs(front, token[front.window])
        offset = front.window[source] * self._states
        onward = net.rate[at] * ahead[offset + net.target[at]]
        used = onward.nonzero()[0]
        source, at, onward = source[used], at[used], onward[used]
        later = later + np.bincount(source, weights=onward, minlength=len(front.state))
        begin = front.window * self._states
        strange = net.to_stranger[front.state] * ahead[begin + net.stranger[front.state]]
        count = max(int(front.window.max(initial=-1)) + 1, int(behind.window.max(initial=-1)) + 1)
        entry = self._entry_rate[behind.state] * behind.share
        start = np.bincount(behind.window, weights=entry, minlength=count)
        rest = np.zeros(count)
        idle = behind.state == 0
        rest[behind.window[idle]] = behind.share[idle]
        hub = (1 - net.background) * start + net.background * rest
        wait = (1 - net.background_stays) * start + net.background_stays * rest
        out = np.where(
            front.state == 0, wait[front.window], net.ends[front.state] * hub[front.window]
        )
        later = later + strange + out
        ahead[key] = 0.0
        return later, Ways(
            source, at, onward, strange, out, behind.state, entry, behind.window, rest
        )

    def _launched(self, state: Int, token: Int) -> Launched:
        loose = self._loose[state]
        rated = (loose == 0).nonzero()[0]
        return Launched(
            loose, rated, self._emit.row[state[rated]] + self._emit.column[token[rated]]
        )

    def _emitted(self, launched: Launched, token: Int) -> Float:
        """The rate of each token in each state that launched it."""
        emit = self._emit
        rate = np.where(launched.loose == 1, emit.background[token], emit.stranger[token])
        rate[launched.rated] = emit.rate[launched.rate]
        return rate

    def _count(self, counts: Counts, launched: Launched, gamma: Float, token: Int) -> None:
        np.add.at(counts.emitted, launched.rate, gamma[launched.rated])
        for kind, total in ((1, counts.background), (2, counts.stranger)):
            here = (launched.loose == kind).nonzero()[0]
            np.add.at(total, token[here], gamma[here])

    def _count_arcs(self, counts: Counts, front: Front, ways: Ways, scale: Float) -> None:
        net = self._net
        share = front.share * scale[front.window]
        np.add.at(counts.arc, ways.at, ways.onward * share[ways.source])
        np.add.at(counts.strayed, front.state, ways.strange * share)
        np.add.at(counts.ended, front.state, ways.out * share)
        windows = len(scale)
        ended, resting = self._idle(front, share, windows)
        hub = ended * (1 - net.background) + resting * (1 - net.background_stays)
        here = ways.window < windows
        np.add.at(counts.entered, ways.state[here], ways.entry[here] * hub[ways.window[here]])
        rest = ways.rest[:windows]
        counts.rested += _sum(ended * rest) * net.background
        counts.stayed += _sum(resting * rest) * net.background_stays


def _sum(numbers: Float) -> float:
    """One added to the other, as native_decoder.py does; `sum` adds them up in pairs."""
    return float(numbers.cumsum()[-1]) if len(numbers) else 0.0
