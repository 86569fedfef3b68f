"""Places graphs that run at the same time on one stream: the kernels of each are in order.

Two threads that launch on one stream mix their launches, and a recording without threads does not
say which launch is whose. No invocation hangs together there, so the model finds none. But if each
kernel is of one graph alone, and those of each graph come in its order without a gap, every one of
them has its call. A library's launch may be of whichever graph has a fitting call open at that
moment: all of these are named (sample_traces/cuda_two_threads).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.decisions import MOST, Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import LaunchSequence, Tokens
from kernelmap.matching.names.expectations import expected_of, may_launch_family
from kernelmap.model import NONE
from kernelmap.model.trace import Int

_FOUND = 0.5
"""Where the model places so many of the code's kernels, invocations do hang together, and graphs
are not mixed: of sample_traces/cuda_two_threads, where they are, it places none (decision 0042). No
recording lies between (0.25 and 0.75 tried)."""


class _Track(Struct, frozen=True):
    """The launches of one graph's kernels, in order: where they are, and which of them each is.

    `at` are places in the sequence, `step` counts the graph's kernels on from the beginning of the
    first invocation, `kernels` are their call sites and `libraries` those of the library calls.
    """

    of: int
    at: Int
    step: Int
    kernels: Int
    libraries: Int

    @property
    def site(self) -> Int:
        """The call site of each launch."""
        return self.kernels[self.step % len(self.kernels)]

    @property
    def invocation(self) -> Int:
        """The invocation of each launch, counted from 0."""
        return self.step // len(self.kernels)

    def open_at(self, place: int) -> list[tuple[int, int]]:
        """The library calls that may have launched what is at `place`, each with its invocation."""
        # The number of this graph's kernels before `place` tells which kernel comes next; the calls
        # between the last one and that are open.
        behind = int(np.searchsorted(self.at, place))
        step = int(self.step[0]) + behind
        invocation, number = divmod(step, len(self.kernels))
        last = int(self.kernels[number])
        if number:
            before = int(self.kernels[number - 1])
            between = self.libraries[(self.libraries > before) & (self.libraries < last)]
            return [(site, invocation) for site in between.tolist()]
        # Between two invocations: library calls behind the last kernel, or before the first.
        ended = self.libraries[self.libraries > self.kernels[-1]].tolist()
        begun = self.libraries[self.libraries < last].tolist()
        return [(site, invocation - 1) for site in ended] + [(site, invocation) for site in begun]


def mixed_decisions(
    sequence: LaunchSequence, decided: Decisions, tokens: Tokens, sites: Sites
) -> Decisions | None:
    """The decisions about a sequence in which graphs run at the same time; None where none do."""
    named = tokens.word[sequence.token] >= 0
    # Threads mix launches, not the nodes of a replayed graph; and nothing may be decided already.
    is_free = not sequence.order.whole and (sequence.settled == NONE).all()
    if not is_free or not named.any() or decided.sure[named].mean() >= _FOUND:
        return None
    tracks = _tracks_of(sequence, tokens, sites)
    if tracks is None or not _are_mixed(tracks):
        return None
    count = len(sequence)
    site, run = np.full(count, NONE), np.full(count, NONE)
    sure = np.zeros(count, dtype=bool)
    of_run: list[int] = []
    first_run: list[int] = []
    for track in tracks:
        site[track.at], sure[track.at] = track.site, True
        run[track.at] = len(of_run) + track.invocation
        first_run.append(len(of_run))
        of_run += [track.of] * (int(track.invocation[-1]) + 1)
    several: dict[int, tuple[int, ...]] = {}
    for place in np.flatnonzero(~named).tolist():
        family = tokens.family[sequence.token[place]]
        open_calls = [
            (call, first + invocation)
            for track, first in zip(tracks, first_run, strict=True)
            for call, invocation in track.open_at(place)
            if may_launch_family(sites.target[call], family)
        ]
        if len(open_calls) == 1 and _is_usual(open_calls[0][0], family, sites):
            (site[place], its_run), sure[place] = open_calls[0], True
            run[place] = its_run if 0 <= its_run < len(of_run) else NONE
        elif 1 < len(open_calls) <= MOST:
            site[place] = open_calls[0][0]
            several[place] = tuple(dict.fromkeys(call for call, _ in open_calls))
    # Invocations of which nothing was seen have no number.
    there, run[run >= 0] = np.unique(run[run >= 0], return_inverse=True)
    return Decisions(
        site=site,
        posterior=np.full(count, np.nan),
        second=np.full(count, NONE),
        behind=np.zeros(count),
        sure=sure & (run >= 0),
        several=several,
        run=run,
        of_run=np.array(of_run, dtype=np.int64)[there],
        measured=np.zeros(count, dtype=bool),
    )


def _tracks_of(sequence: LaunchSequence, tokens: Tokens, sites: Sites) -> list[_Track] | None:
    """The launches of each graph; None where a kernel is of several, or one's order is broken."""
    number = {name: word for word, name in enumerate(tokens.words)}
    bears = np.zeros((len(sites), len(tokens.words)), dtype=bool)
    for site, names in enumerate(sites.names):
        bears[site, [number[name] for name in names if name in number]] = True
    # The owner of a word is the only graph with a kernel of that name, -1 if there are several.
    of_word = [np.unique(sites.of[bears[:, word]]) for word in range(len(tokens.words))]
    owner = np.array([int(of[0]) if len(of) == 1 else NONE for of in of_word], dtype=np.int64)
    word = tokens.word[sequence.token]
    at = np.flatnonzero(word >= 0)
    classes = owner[word[at]]
    if (classes == NONE).any():
        return None
    tracks = []
    for of in np.unique(classes).tolist():
        every = np.arange(sites.bounds[of], sites.bounds[of + 1])
        kernels = every[sites.generated[every]]
        # Equal graphs cannot be told apart; a branch or a loop breaks the order.
        if len(sites.members[of]) > 1 or not sites.certain[kernels].all():
            return None
        places = at[classes == of]
        fits = bears[kernels]
        steps, words = np.arange(len(places)), word[places]
        # The recording may begin amid an invocation: any kernel may come first, and all that follow
        # have to come in turn. Only one such beginning may fit.
        starts = list(range(len(kernels)))
        # A few invocations tell nearly all beginnings apart: of long sequences the rest is for one.
        for seen in (2 * len(kernels), len(places)):
            starts = [
                start
                for start in starts
                if fits[(start + steps[:seen]) % len(kernels), words[:seen]].all()
            ]
        if len(starts) != 1:
            return None
        libraries = every[~sites.generated[every]]
        tracks.append(_Track(of, places, starts[0] + steps, kernels, libraries))
    return tracks


def _are_mixed(tracks: list[_Track]) -> bool:
    """Whether half of the invocations have a kernel of another graph among their own.

    Else the graphs take turns, and the model of their order holds.
    """
    inside: list[bool] = []
    for track in tracks:
        others = np.sort(np.concatenate([[NONE], *(it.at for it in tracks if it is not track)]))
        first = np.flatnonzero(np.diff(track.invocation, prepend=NONE))
        last = np.append(first[1:], len(track.at)) - 1
        begin, end = np.searchsorted(others, [track.at[first], track.at[last]])
        inside += (end > begin).tolist()
    return len(tracks) > 1 and float(np.mean(inside)) >= 1 / 2


_AS_A_RULE = 0.95
"""From this weight on a call's library launches a family as a rule, a helper behind a product also.

Eager work hardly launches the same; memory that is cleared is everybody's.
"""


def _is_usual(site: int, family: Family, sites: Sites) -> bool:
    """Whether a call launches this family, as its main kernel or behind it, as a rule."""
    expected = expected_of(sites.target[site], sites.family[site] or Family.OTHER)
    weights = (expected.main.get(family, 0.0), expected.behind.get(family, 0.0))
    return family is not Family.OTHER and max(weights) >= _AS_A_RULE
