"""The state graph of the model: which state may follow which, and how often.

Places of a library call may be skipped, since launches get lost. Silent are the hub between
invocations and the calls that are skipped: arcs lead over them.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.rates import Rates
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import AROUND, FOLLOWERS, PRELUDES, Float, StateKind, States
from kernelmap.model import NONE
from kernelmap.model.columns import positions_between
from kernelmap.model.trace import Int

_LEAST = 1e-6
"""Arcs of less probability are left out: they cost time and hold nothing. Tried on recordings
(scripts/thresholds.py): at 1e-8 nothing changes, at 1e-4 two candidates do."""
_REACH = 24
"""Calls that an arc may lead over: so many may be lost in a row. With fewer, a gap in the recording
ends the invocation; with more, the state graph grows. Chosen; no recording depends on it (6 and 96
tried)."""


class Network(Struct, frozen=True, kw_only=True):
    """States and arcs; `start[s]:start[s + 1]` are the arcs of state s, by the word they lead to.

    `stranger` is the state of a stranger behind each state, `to_stranger` how probable; `ends` how
    probable it is that the invocation ends behind a state. `entry` are the states in which an
    invocation may begin, with their `entry_rate`.
    """

    kind: Int
    site: Int
    place: Int
    word: Int
    start: Int
    target: Int
    rate: Float
    stranger: Int
    to_stranger: Float
    ends: Float
    entry: Int
    entry_rate: Float
    background: float
    background_stays: float

    def __len__(self) -> int:
        return len(self.kind)


def network_of(sites: Sites, states: States, rates: Rates) -> Network:
    """The arcs of all states."""
    # Three tables of arcs: how a site begins, which sites may follow a site, and what may follow
    # inside of a site. `leave` is how probable each state is to be the last one of its call.
    entries = _arcs_into_sites(sites, states, rates)
    over, ends = _arcs_between_sites(sites, rates.silent)
    inside, leave, more = _arcs_inside_sites(sites, states, rates)
    # From any state of a site to the entries of the sites that may follow.
    leaving = np.flatnonzero(leave > 0)
    arcs = _join_arcs(_join_arcs((leaving, states.site[leaving], leave[leaving]), over), entries)
    # From the last call to the launches behind a graph; and from the innermost launch before a
    # graph to each call with which an invocation of the class may begin.
    around = _arcs_around_graphs(sites, states, rates, ends * _HABITS * rates.background, leave)
    before = np.flatnonzero((states.kind == StateKind.BEFORE) & (states.place == 0))
    first = _arcs_to_first_sites(sites, np.ones(len(sites.members)), rates.silent)
    begun = _join_arcs((before, sites.of[states.site[before]], np.ones(len(before))), first)
    begun = _join_arcs(begun, entries)
    source, target, rate = (
        np.concatenate(columns) for columns in zip(inside, arcs, around, begun, strict=True)
    )
    # A decoder takes the arcs of one state that lead to the word of the next launch, so arcs are
    # sorted by their source, then by the word of their target (-1, library work, comes first).
    # A tenth of _LEAST, which holds of arcs inside a graph: those around one are rare at first.
    keep = rate > _LEAST * 0.1
    source, target, rate = source[keep], target[keep], rate[keep]
    order = np.lexsort((states.word[target], source))
    # What does not go on inside of its call is followed by a stranger, or leaves the call.
    to_stranger = rates.stranger * (1 - more)
    strange = states.kind == StateKind.STRANGER
    to_stranger[strange] = rates.stranger_stays
    # Nothing foreign comes between a prelude and its kernel, amid benchmarks or amid a habit before
    # a graph; in the background whatever runs is the background's.
    silent = (
        StateKind.BACKGROUND,
        StateKind.PRELUDE,
        StateKind.CLEARING,
        StateKind.MEASURED,
        StateKind.BEFORE,
    )
    to_stranger[np.isin(states.kind, silent)] = 0.0
    # Behind the states after a graph "a stranger" is the background.
    after = states.kind == StateKind.AFTER
    to_stranger[after] = rates.background_stays * np.where(
        states.place[after] < AROUND - 1, 1 - _HABITS, 1.0
    )
    # Some of the invocations that end go on with a habit behind the graph, by the arcs above. The
    # rest reaches the hub, and the share of background there is less by these habits.
    habits = _HABITS * rates.background
    ends_of = np.zeros(len(states.kind))
    ends_of[1:] = leave[1:] * ends[states.site[1:]] * (1 - habits) + _ABANDONED
    ends_of[0] = 1 - rates.background_stays
    ends_of[after] = 1 - rates.background_stays
    entry, entry_rate = _arcs_from_hub(sites, states, rates, entries)
    return Network(
        kind=states.kind,
        site=states.site,
        place=states.place,
        word=states.word,
        start=np.searchsorted(source[order], np.arange(len(states.kind) + 1)),
        target=target[order],
        rate=rate[order],
        stranger=states.stranger,
        to_stranger=to_stranger,
        ends=ends_of,
        entry=entry,
        entry_rate=entry_rate,
        background=rates.background * (1 - _HABITS) / (1 - habits),
        background_stays=rates.background_stays,
    )


_HABITS = 0.05
"""How often what runs around a graph is the same each time, before anything is learned. Tried on
recordings (scripts/thresholds.py): at 0.2 eager work beside graphs takes a call of kernels alone
and three where half of the code is withheld; at 0.01 nine more launches have misleading candidates
there."""
_ABANDONED = 1e-7
"""How often an invocation is given up in its midst: launches of it were lost in a row, or an error.
Tried on recordings (scripts/thresholds.py): at 1e-9, 26 calls are lost where half of the code is
withheld, for the decoder drops what is less probable than BEAM; at 1e-5, ten are left out where a
lost launch explains as much."""

_Arcs = tuple[Int, Int, Float]


def _join_arcs(one: _Arcs, other: _Arcs) -> _Arcs:
    """Arcs through a middle: (source, middle, rate) and (middle, target, rate), which is sorted."""
    source, middle, rate = one
    # Each arc of `one` meets the rows of `other` that begin at its middle: `count` of them from
    # `begin` on. `at` lists these rows for all arcs, one arc after the other.
    begin = np.searchsorted(other[0], middle, side="left")
    count = np.searchsorted(other[0], middle, side="right") - begin
    at = positions_between(begin, begin + count)
    return np.repeat(source, count), other[1][at], np.repeat(rate, count) * other[2][at]


def _arcs_into_sites(sites: Sites, states: States, rates: Rates) -> _Arcs:
    """Where a site that launches something begins: (site, state, rate), sorted by site."""
    kind, site, place = states.kind, states.site, states.place
    rate = np.zeros(len(kind))
    generated = kind == StateKind.GENERATED
    # A generated call begins with its kernel, under any of its names that ran; where the autotuner
    # measured it, sometimes with a series of benchmarks: half of these begin with cleared memory.
    variants = np.bincount(site[generated], minlength=len(sites))
    measured = np.bincount(site[kind == StateKind.CLEARING], minlength=len(sites)) > 0
    tuned = np.where(measured, rates.tuned, 0.0)
    at_site = site[generated]
    rate[generated] = (1 - tuned[at_site]) / variants[at_site]
    rate[kind == StateKind.CLEARING] = tuned[site[kind == StateKind.CLEARING]] / 2
    at_site = site[kind == StateKind.MEASURED]
    rate[kind == StateKind.MEASURED] = tuned[at_site] / 2 / variants[at_site]
    # A library call begins k places before its main kernel as often as it has k preludes. Places
    # that were left out have no state, so what is left is scaled to 1.
    begins = np.flatnonzero(np.isin(kind, (StateKind.PRELUDE, StateKind.MAIN)))
    number = rates.preludes[site[begins], PRELUDES - place[begins]]
    whole = np.bincount(site[begins], weights=number, minlength=len(sites))
    rate[begins] = number / whole[site[begins]]
    into = np.flatnonzero(rate > 0)
    return site[into], into, rate[into] * (1 - rates.silent[site[into]])


def _arcs_between_sites(sites: Sites, silent: Float) -> tuple[_Arcs, Float]:
    """From each site to those that may follow: (site, site, rate), and the rate of an end."""
    count = len(sites)
    source, target, rate = [], [], []
    last = sites.bounds[sites.of + 1]
    # `way` is how probable it is that all calls between a site and the one `step` behind it are
    # silent; `ends` that all calls up to the end of the graph are: (sites,) each.
    at, way = np.arange(count), np.ones(count)
    ends = np.zeros(count)
    ends[at + 1 >= last] = 1.0
    shows = sites.shows[sites.of]
    for step in range(1, _REACH + 1):
        # Calls a b c d: step 1 leads from a to b, step 2 from a over a silent b to c, and so on.
        inside = (at + step < last) & (way > _LEAST)
        if not inside.any():
            break
        open_sites = np.flatnonzero(inside)
        seen = open_sites
        source.append(seen)
        target.append(seen + step)
        rate.append(way[seen])
        way[open_sites] *= silent[open_sites + step]
        # Where the graph ends behind the call that was just passed over, the invocation ends.
        done = open_sites[open_sites + step + 1 >= last[open_sites]]
        ends[done] = way[done]
        way[~inside] = 0
    # Library work alone is no invocation: none ends before the first kernel that has to run.
    ends[at < shows] = 0.0
    back = _arcs_of_loops(sites)
    if len(back[0]):
        # A loop goes on with its first statements as often as it ends.
        # Without a graph of two calls there are no arcs onward that could be scaled.
        looped = np.isin(source_ := np.concatenate(source), back[0]) if source else None
        if looped is not None:
            scaled = np.where(looped, 0.5, 1.0) * np.concatenate(rate)
            source, target, rate = [source_], [np.concatenate(target)], [scaled]
        source.append(back[0])
        target.append(back[1])
        rate.append(back[2])
    if not source:
        nothing = np.empty(0, dtype=np.int64)
        return (nothing, nothing, np.empty(0)), ends
    columns = np.concatenate(source), np.concatenate(target), np.concatenate(rate)
    order = np.argsort(columns[0], kind="stable")
    return (columns[0][order], columns[1][order], columns[2][order]), ends


def _arcs_of_loops(sites: Sites) -> _Arcs:
    """From each site of a loop to those before it, and to itself."""
    arcs = [
        (site, to, 0.5 / (site - first + 1))
        for site, first in enumerate(sites.loop.tolist())
        if first >= 0
        for to in range(first, site + 1)
    ]
    source, target, rate = zip(*arcs, strict=True) if arcs else ((), (), ())
    return np.array(source, dtype=np.int64), np.array(target, dtype=np.int64), np.array(rate)


def _arcs_to_first_sites(sites: Sites, share: Float, silent: Float) -> _Arcs:
    """The sites with which an invocation of each class may begin: (class, site, rate), sorted."""
    bounds = sites.bounds
    # One row per class: the call that is looked at next, and how probable it is that an invocation
    # of the class begins there: all calls before it were silent.
    site, way = bounds[:-1].copy(), share.copy()
    reached, rate, of = [], [], []
    for _ in range(_REACH):
        open_ = (site < bounds[1:]) & (way > _LEAST * share)
        if not open_.any():
            break
        open_classes = np.flatnonzero(open_)
        of.append(open_classes)
        reached.append(site[open_classes])
        rate.append(way[open_classes])
        # The minimum keeps the index of classes that are through within bounds; their `way` is 0.
        way = np.where(open_, way * silent[np.minimum(site, len(sites) - 1)], 0)
        site = site + 1
    columns = np.concatenate(of), np.concatenate(reached), np.concatenate(rate)
    # Of an invocation whose first kernels were lost the next kernel shows, not libraries alone.
    shown = sites.generated[columns[1]] | (columns[1] <= sites.shows[columns[0]])
    columns = columns[0][shown], columns[1][shown], columns[2][shown]
    order = np.argsort(columns[0], kind="stable")
    return columns[0][order], columns[1][order], columns[2][order]


def _arcs_from_hub(sites: Sites, states: States, rates: Rates, entries: _Arcs) -> tuple[Int, Float]:
    """The states that the hub leads to: with the calls, or with what runs right before them."""
    of, site, rate = _arcs_to_first_sites(sites, rates.share * (1 - _HABITS), rates.silent)
    _, state, straight = _join_arcs((of, site, rate), entries)
    # A habit before a graph may be shorter than the longest one: each of its states may come first.
    before = np.flatnonzero(states.kind == StateKind.BEFORE)
    share = rates.share[sites.of[states.site[before]]] * _HABITS / AROUND
    return np.concatenate([state, before]), np.concatenate([straight, share])


def _arcs_around_graphs(
    sites: Sites, states: States, rates: Rates, ends: Float, leave: Float
) -> _Arcs:
    """Arcs to what runs right after a graph, and along what runs before and after."""
    kind, place = states.kind, states.place
    # The state right behind each class, then the steps along the states before and after: the next
    # state number is one launch later.
    first = np.flatnonzero((kind == StateKind.AFTER) & (place == 0))
    first_of = np.full(len(sites.members), NONE, dtype=np.int64)
    first_of[sites.of[states.site[first]]] = first
    leaving = np.flatnonzero(leave > 0)
    site = states.site[leaving]
    after = np.flatnonzero((kind == StateKind.AFTER) & (place < AROUND - 1))
    before = np.flatnonzero((kind == StateKind.BEFORE) & (place > 0))
    return (
        np.concatenate([leaving, after, before]),
        np.concatenate([first_of[sites.of[site]], after + 1, before + 1]),
        np.concatenate(
            [
                leave[leaving] * ends[site],
                np.full(len(after), rates.background_stays * _HABITS),
                np.ones(len(before)),
            ]
        ),
    )


def _arcs_inside_sites(sites: Sites, states: States, rates: Rates) -> tuple[_Arcs, Float, Float]:
    """Arcs within sites, with what probability each state leaves its site, or goes on in it."""
    kind, site, place = states.kind, states.site, states.place
    leave = np.zeros(len(kind))
    # Behind a stranger a call launches nothing more: the state does not know its place.
    strange = kind == StateKind.STRANGER
    leave[strange] = 1 - rates.stranger_stays
    leave[kind == StateKind.GENERATED] = 1 - rates.stranger
    # A series of benchmarks without a call at its end: the launch of the call was lost.
    leave[kind == StateKind.MEASURED] = (1 - _CLEARED) / 2 * rates.loss
    arcs: list[_Arcs] = []
    # A state's next place, where that is kept.
    follows = np.zeros(len(kind), dtype=bool)
    follows[:-1] = (site[:-1] == site[1:]) & np.isin(kind[1:], (StateKind.MAIN, StateKind.FOLLOWER))
    heads = np.flatnonzero(np.isin(kind, (StateKind.MAIN, StateKind.FOLLOWER)))
    # Followers are counted from the main kernel, 0. Behind the last kept place none comes.
    number = place[heads] - PRELUDES
    more = np.where(follows[heads], rates.more[site[heads], np.minimum(number, FOLLOWERS - 1)], 0.0)
    arcs.append((heads, np.minimum(heads + 1, len(kind) - 1), more))
    leave[heads] = (1 - more) * (1 - rates.stranger)
    preludes = np.flatnonzero(kind == StateKind.PRELUDE)
    # Preludes are counted from the main kernel: the next state is the next launch. One may be lost.
    arcs.append((preludes, preludes + 1, np.full(len(preludes), 1 - rates.loss)))
    arcs.append(_arcs_over_losses(states, rates))
    arcs.extend(_arcs_of_benchmarks(sites, states))
    source, target, rate = (np.concatenate(column) for column in zip(*arcs, strict=True))
    keep = rate > 0
    goes_on = np.zeros(len(kind))
    goes_on[heads] = more
    return (source[keep], target[keep], rate[keep]), leave, goes_on


def _arcs_over_losses(states: States, rates: Rates) -> _Arcs:
    """Arcs over one place of a library call, whose launch was lost."""
    kind, site = states.kind, states.site
    placed = np.isin(kind, (StateKind.PRELUDE, StateKind.MAIN, StateKind.FOLLOWER))
    # The states of a call are in a row, so the place after the lost one is two states on.
    source = np.flatnonzero(placed[:-2] & placed[2:] & (site[2:] == site[:-2]))
    rate = np.full(len(source), rates.loss)
    # Preludes and the main kernel follow surely, each follower as often as it was learned.
    for step in (1, 2):
        state = source + step
        follower = kind[state] == StateKind.FOLLOWER
        number = np.clip(states.place[state] - PRELUDES - 1, 0, FOLLOWERS - 1)
        rate *= np.where(follower, rates.more[site[source], number], 1.0)
    return source, source + 2, rate


_CLEARED = 0.7
"""How often memory is cleared behind a measured launch; else it may as well have been the last.
Tried on recordings (scripts/thresholds.py): at 0.95, 12 calls of code that is withheld are wrong;
at 0.3 three calls of kernels alone are lost."""


def _arcs_of_benchmarks(sites: Sites, states: States) -> list[_Arcs]:
    """Arcs of a series of benchmarks: clearing and launches in turn, then the call."""
    kind, site = states.kind, states.site
    clearing = np.flatnonzero(kind == StateKind.CLEARING)
    if not len(clearing):
        return []
    # The clearing state of each site, -1 where the autotuner did not measure its kernel.
    clear_of = np.full(len(sites), NONE, dtype=np.int64)
    clear_of[site[clearing]] = clearing
    measured = np.flatnonzero(kind == StateKind.MEASURED)
    generated = np.flatnonzero((kind == StateKind.GENERATED) & (clear_of[site] >= 0))
    variants = np.bincount(site[measured], minlength=len(sites))
    share = 1 / np.maximum(variants, 1)
    # A call may have several device names: arcs between launches lead to all of them alike.
    pairs = [
        _join_arcs((source, site[source], np.full(len(source), rate)), _by_site(site, to, share))
        for source, to, rate in (
            (clearing, measured, _CLEARED),
            (measured, measured, (1 - _CLEARED) / 2),
            (measured, generated, (1 - _CLEARED) / 2),
        )
    ]
    return [
        (clearing, clearing, np.full(len(clearing), 1 - _CLEARED)),
        (measured, clear_of[site[measured]], np.full(len(measured), _CLEARED)),
        *pairs,
    ]


def _by_site(site: Int, to: Int, share: Float) -> _Arcs:
    return site[to], to, share[site[to]]
