"""Places launches that lost their host side among decided ones, by the same model.

A decided launch is pinned: only the states of its call may have made it, or none of any call where
it is outside of compiled code. A pinned launch of a generated kernel is one single state, so what
lies beyond it says nothing more: the model looks at the windows between two of them in which a host
side was lost, and learns from these.

Takes rows in launch order: those of each process, or of each host thread where threads interleave,
and the nodes of each replayed graph. Inferred where the call is probable and the invocation around
has decided launches; where several calls are left they are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.decisions import SURE, Decisions, decisions_of
from kernelmap.matching.aligner.learning import Learner, decode_all
from kernelmap.matching.aligner.measured import amid_tuned, measured_words
from kernelmap.matching.aligner.pinned import pin_references
from kernelmap.matching.aligner.sites import Sites, sites_of
from kernelmap.matching.aligner.tokens import OUTSIDE, TUNED, LaunchSequence, Tokens, tokens_of
from kernelmap.matching.context.decided import Decided, Matched, decide_candidates
from kernelmap.matching.context.launch_order import LaunchOrder, in_launch_order, nodes_of_graphs
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.names.expectations import may_launch_family
from kernelmap.model import NONE, Activity, Confidence, Method, Reason
from kernelmap.model.columns import pair_columns
from kernelmap.model.trace import Bool, Int

_AROUND = 200
"""Launches around a lost one that count, where no generated kernel that is pinned is nearer. With
fewer, the invocation around it may be out of sight; with more, decoding takes longer. Chosen;
recordings that begin or end amid a step are the same at 50 and 800."""
_NEVER = float(np.finfo(np.float64).eps)
"""A host side is hardly ever wrong: what it decides of a launch stands."""
_INTERRUPTED = 0.1
"""Share of invocations amid which other threads launch, from which on threads are read apart. With
less, a single copy of another thread parts them; with more, a data loader breaks invocations up
(docs/rules.md, amid_decided: threads). Chosen; recordings that begin or end amid a step are the
same at 0.03 and 0.3."""


def place_lost_launches(context: MatchContext, matched: Matched, lost: Bool) -> Iterator[Decided]:
    """Decide the launches of the mask `lost` that lie amid decided ones."""
    # Graphs of library calls alone count as well: decided launches around say that they ran.
    sites = sites_of(context.program, shown=range(len(context.program.graphs)))
    if not len(sites):
        return
    pins = _Pins.read_from(context, matched, sites, lost)
    windows = list(_iter_windows_with_losses(context, matched, lost, pins))
    if not windows:
        return
    tokens = tokens_of(pin_references(context.trace.launches, ()).shown, windows, sites, pins.site)
    measured = measured_words(tokens, sites) | np.isin(tokens.words, pins.tuned)
    model = Learner(sites, tokens, measured, doubt=_NEVER).learn_model()
    decisions = decisions_of(decode_all(model, tokens, sites), model, tokens, sites)
    for sequence, decided in zip(tokens.sequences, decisions, strict=True):
        reading = _WindowReading(context, matched, tokens, sites, sequence, decided)
        yield from reading.iter_decisions(lost)


class _Pins(Struct, frozen=True, kw_only=True):
    """What is decided before, as columns (launches,).

    `site` is the call site, OUTSIDE or TUNED for launches of no call, -1 where open. `single` masks
    launches of generated kernels; `tuned` are the names of the autotuner's. `skipped` are decided
    launches that the model cannot place: the code does not give that name to their call.
    """

    site: Int
    single: Bool
    tuned: tuple[str, ...]
    skipped: Bool

    @classmethod
    def read_from(cls, context: MatchContext, matched: Matched, sites: Sites, lost: Bool) -> _Pins:
        """The pins of all launches."""
        launches = context.trace.launches
        # (calls + 1,): the last row answers for call -1.
        site_of = np.full(len(context.program.calls) + 1, NONE, dtype=np.int64)
        for call, number in sites.site_of_call.items():
            site_of[call] = number
        # Launches with one call, exact or inferred; candidates pin nothing.
        called = ~matched.open & (matched.call >= 0) & (matched.invocation >= 0)
        called &= matched.confidence <= Confidence.INFERRED
        site = np.where(called, site_of[matched.call], NONE)
        generated = np.append(sites.generated, False)[site]
        # Whether a launch bears a name of its call's kernel, once per pair of call and name.
        key, of_key = np.unique(site * len(launches.names) + launches.name_id, return_inverse=True)
        bears_name = [
            number >= 0 and launches.names[name] in sites.names[number]
            for number, name in zip(*np.divmod(key, len(launches.names)), strict=True)
        ]
        single = generated & np.array(bears_name, dtype=bool)[of_key]
        single &= np.equal(launches.activity, Activity.KERNEL)
        # Skipped are launches of a call that has no site, generated calls under a foreign name, and
        # library calls under the name of a generated kernel: no state of the call launches that.
        of_code = frozenset(name for names in sites.names for name in names)
        named = np.array([name in of_code for name in launches.names], dtype=bool)
        named = named[launches.name_id] & np.equal(launches.activity, Activity.KERNEL)
        skipped = called & ((site < 0) | (generated & ~single) | (~generated & named))
        outside = ~matched.open & np.equal(matched.confidence, Confidence.OUTSIDE)
        tuned = outside & np.equal(matched.reason, Reason.AUTOTUNE)
        # What ran below no compiled range and is still open is eager.
        outside |= matched.open & context.host_seen & ~(context.in_compiled | lost)
        site = np.where(skipped, NONE, np.where(outside, OUTSIDE, site))
        return cls(
            site=np.where(tuned & named, TUNED, site),
            single=single,
            tuned=tuple(launches.names[name] for name in np.unique(launches.name_id[tuned])),
            skipped=skipped,
        )


def _iter_process_sequences(context: MatchContext, matched: Matched, pins: _Pins) -> Iterator[Int]:
    """All launches but replays in launch order: per process, or thread where they interleave."""
    mask = ~pins.skipped & ~context.host.replayed
    launches = context.trace.launches
    for rows in in_launch_order(context, mask, by="process"):
        sequences: Iterable[Int] = (rows,)
        if _do_threads_interleave(context, matched, rows[pins.site[rows] >= 0], rows):
            in_process = np.zeros(len(mask), dtype=bool)
            in_process[rows] = True
            sequences = in_launch_order(context, in_process, by="thread")
        for sequence in sequences:
            # Where some api calls are lost, only correlation ids tell the order of all.
            yield sequence[
                np.lexsort((launches.start_ns[sequence], launches.correlation[sequence]))
            ]


def _do_threads_interleave(context: MatchContext, matched: Matched, pinned: Int, rows: Int) -> bool:
    """Whether invocations are interrupted by launches of other threads; `rows` in launch order."""
    launches, apis = context.trace.launches, context.trace.apis
    # Only launches with an api call have a known thread: `place` counts them in launch order,
    # (launches,), -1 for the others.
    linked = rows[launches.api[rows] >= 0]
    place = np.full(len(launches), NONE)
    place[linked] = np.arange(len(linked))
    thread = apis.thread[launches.api[linked]]
    pinned = pinned[place[pinned] >= 0]
    graph = context.program.graph_of_call[matched.call[pinned]]
    # One number per graph, invocation and thread, over the pinned launches.
    invocation = pair_columns(graph, matched.invocation[pinned], apis.thread[launches.api[pinned]])
    if not len(pinned) or (thread == thread[0]).all():
        return False
    # Columns over invocations: the places of their first and last pinned launch, and how many
    # launches of other threads lie between these.
    _, one, of = np.unique(invocation, return_index=True, return_inverse=True)
    first, last = np.full((2, len(one)), NONE)
    first[:] = len(linked)
    np.minimum.at(first, of, place[pinned])
    np.maximum.at(last, of, place[pinned])
    invocation_thread = apis.thread[launches.api[pinned[one]]]
    others = np.zeros(len(one), dtype=np.int64)
    for other_thread in np.unique(thread).tolist():
        before = np.concatenate([[0], np.cumsum(thread == other_thread)])
        others += np.where(invocation_thread == other_thread, 0, before[last + 1] - before[first])
    return bool(np.count_nonzero(others) > _INTERRUPTED * len(one))


def _iter_windows_with_losses(
    context: MatchContext, matched: Matched, lost: Bool, pins: _Pins
) -> Iterator[LaunchOrder]:
    """From one pinned generated kernel to the next where launches were lost; replayed graphs."""
    launches = context.trace.launches
    for rows in _iter_process_sequences(context, matched, pins):
        places = np.flatnonzero(lost[rows])
        if not len(places):
            continue
        # A window reaches from the last pinned generated kernel before a lost launch to the first
        # one behind it, or to an end. `after` counts these kernels before each lost launch.
        single = np.flatnonzero(pins.single[rows])
        after = np.searchsorted(single, places)
        begin = np.where(after > 0, np.append(single, 0)[after - 1], 0)
        end = np.append(single, len(rows) - 1)[after]
        # Runs of lost launches between the same two kernels.
        for lost_places in np.split(places, np.flatnonzero(np.diff(after)) + 1):
            at = int(np.searchsorted(places, lost_places[0]))
            low = max(int(begin[at]), int(lost_places[0]) - _AROUND)
            high = min(int(end[at]), int(lost_places[-1]) + _AROUND)
            yield LaunchOrder(rows[low : high + 1], rows[None, low : high + 1], whole=False)
    for _, order in nodes_of_graphs(launches, context.host.replayed & (launches.graph_node > 0)):
        # Nodes of a replayed graph without any decided node belong to no invocation that is known.
        if order and lost[order.rows].any() and (pins.site[order.rows] >= 0).any():
            kept = ~pins.skipped[order.rows]
            yield LaunchOrder(order.rows[kept], order.copies[:, kept], whole=True)


class _WindowReading(Struct, frozen=True):
    """One window as the model reads it: `decided` are its decisions, parallel to `sequence`."""

    context: MatchContext
    matched: Matched
    tokens: Tokens
    sites: Sites
    sequence: LaunchSequence
    decided: Decisions

    def iter_decisions(self, lost: Bool) -> Iterator[Decided]:
        """Decisions about the launches of the mask `lost`."""
        named = self.tokens.word[self.sequence.token] >= 0
        for place in np.flatnonzero(lost[self.sequence.order.rows]).tolist():
            rows = self.sequence.order.copies[:, place]
            # The rows of this launch each time its sequence ran; -1 where that time lost it.
            shown = rows >= 0
            likely = self.decided.posterior[place] >= SURE
            if self.decided.site[place] < 0:
                # The model takes it for no call's launch: a benchmark, if it lies amid benchmarks.
                tuned = likely and self._has_telling_name(place)
                if tuned and amid_tuned(self.sequence, place, self.tokens):
                    yield Decided(rows[shown], Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
                elif named[place] and likely:
                    # Its name alone would make a call of it.
                    yield Decided(rows[shown], Confidence.UNKNOWN, reason=Reason.NO_PLACE)
                continue
            invocation = self._find_invocation(place)
            if invocation is None:
                continue
            graph, numbers = invocation
            # At an edge of its invocation the rules for launches without a host side hold, too.
            sure = bool(likely and (self._is_inside(place) or self.decided.sure[place]))
            # Its place alone makes a copy no product.
            family = self.tokens.family[self.sequence.token[place]]
            sure &= may_launch_family(self.sites.target[self.decided.site[place]], family)
            calls = self._find_possible_calls(place, graph, sure=sure)
            row = int(rows[shown][0])
            if not self._agrees_with_host_range(row, calls):
                continue
            if sure and len(calls) == 1:
                yield Decided(
                    rows[shown],
                    Confidence.INFERRED,
                    call=calls[0],
                    invocation=numbers[shown],
                    method=Method.ALIGNMENT,
                )
            elif len(calls) > 1 and not self._standing_for(row):
                reason = self.context.why_several(row, calls)
                yield decide_candidates(rows[shown], calls, reason)

    def _has_telling_name(self, place: int) -> bool:
        """Whether a single call has the launch's name; of several calls, benchmarks look alike."""
        word = int(self.tokens.word[self.sequence.token[place]])
        return word < 0 or sum(self.tokens.words[word] in names for names in self.sites.names) == 1

    def _find_invocation(self, place: int) -> tuple[int, Int] | None:
        """Graph and number of the invocation around a launch, for each time it ran; None if open.

        It has to have launches that are decided: which invocation it is, they say.
        """
        run = self.decided.run
        # Pinned launches of the same invocation. Where they are of two graphs, the model has taken
        # launches of two invocations for one.
        beside = np.flatnonzero((self.sequence.settled >= 0) & (run == run[place]))
        if not len(beside):
            return None
        owner = self.context.program.graph_of_call
        first = self.sequence.order.rows[beside]
        graphs = owner[self.matched.call[first]]
        if (graphs != graphs[0]).any():
            return None
        # (times, pinned launches): of each time the sequence ran, the first of these that was
        # recorded has the number of the invocation.
        others = self.sequence.order.copies[:, beside]
        others = others[np.arange(len(others)), (others >= 0).argmax(axis=1)]
        return int(graphs[0]), np.where(others >= 0, self.matched.invocation[others], NONE)

    def _is_inside(self, place: int) -> bool:
        """Whether the launch lies inside its invocation; one at its end may be eager work."""
        run, settled = self.decided.run, self.sequence.settled
        pinned = np.flatnonzero((settled >= 0) & (run == run[place]))
        around = int(self.context.top[self.sequence.order.rows[place]])
        in_range = around >= 0 and bool(self.context.host.is_graph_range[around])
        return self.sequence.order.whole or in_range or bool(pinned[0] < place < pinned[-1])

    def _standing_for(self, row: int) -> tuple[int, ...]:
        """The calls that the host range around a launch may stand for, none without one."""
        around = int(self.context.top[row])
        return self.context.decisions.calls_of_range(around) if around >= 0 else ()

    def _agrees_with_host_range(self, row: int, calls: tuple[int, ...]) -> bool:
        """Whether the host range around a launch, if there is one, lets it be of all of `calls`.

        It may stand for some; others of its invocation must not have a range of their own.
        """
        context, around = self.context, int(self.context.top[row])
        if standing_for := self._standing_for(row):
            return set(calls) <= set(standing_for)
        if around < 0:
            return True
        # The range stands for no call. A call that has a range of its own in this invocation
        # launched what lies in that range, and not this.
        beside = context.by_graph_range.get(around)
        number = beside.number if beside else int(context.decisions.invocation[around])
        process = int(context.trace.ranges.process[around])
        return context.calls_with_ranges.isdisjoint((process, number, call) for call in calls)

    def _find_possible_calls(self, place: int, graph: int, *, sure: bool) -> tuple[int, ...]:
        """The calls that a launch in an invocation of `graph` may be of; one where that is sure."""
        one = (int(self.decided.site[place]),) if sure else ()
        candidate_calls: list[int] = []
        for site in one or self.decided.several.get(place, ()):
            graphs = self.sites.members[int(self.sites.of[site])]
            calls = self.sites.calls(site)
            # A site is a call in each of several equal graphs: only that of this graph counts.
            candidate_calls += calls if graph not in graphs else (calls[graphs.index(graph)],)
        return tuple(dict.fromkeys(candidate_calls))
