"""Places launches without a host side by what runs before and after them: the model's entry.

Takes what stronger evidence left open. Launch sequences (context/launch_order.py) become tokens; a
hidden semi-Markov model over the call sites of the code is learned from them, and says of each
launch how probable each call is. Never exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.aligner.beliefs import drop_unbelievable_invocations
from kernelmap.matching.aligner.decisions import Decisions, decisions_of
from kernelmap.matching.aligner.learning import Learner, Model, Unlearned, decode_all
from kernelmap.matching.aligner.measured import measured_words
from kernelmap.matching.aligner.mixed import mixed_decisions
from kernelmap.matching.aligner.pinned import Pinned, pin_references
from kernelmap.matching.aligner.segments import members_of
from kernelmap.matching.aligner.sites import Sites, sites_of
from kernelmap.matching.aligner.tokens import LaunchSequence, Tokens, tokens_of
from kernelmap.matching.context.decided import Decided, Matched, Noted, decide_candidates
from kernelmap.matching.context.invocations import next_numbers, number_of_range
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.model import NONE, Activity, Confidence, Method, Reason
from kernelmap.model.learnt import LearntSequence
from kernelmap.model.trace import Bool, Int

_LEAST = 2
"""Launches under names of the code that have an order: one alone has none. Arithmetic."""


class PlacedByOrder(Struct, frozen=True, kw_only=True):
    """Launch sequences in tokens, and the decisions about each, in their order.

    `all_decisions` are those with the invocations that are not believed.
    """

    sites: Sites
    tokens: Tokens
    all_decisions: tuple[Decisions, ...]
    decisions: tuple[Decisions, ...]


class Agreed(Struct, frozen=True):
    """What reference runs say of the decisions about one sequence.

    `launches` masks the launches that they decided, `member` is the graph of each run among those
    that launch the same, -1 where that is open.
    """

    launches: Bool
    member: Int


def place_by_order(
    context: MatchContext,
    sequences: Sequence[LaunchOrder],
    references: Sequence[LearntSequence],
    call: Int,
) -> PlacedByOrder | None:
    """Place the launches of `sequences` by their order; None where no code may have run in them.

    The model learns from `references`, too: what other runs launched for the calls of the program.
    `call` is that of each launch, as far as it is known already, -1 elsewhere; (launches,).
    """
    launches = context.trace.launches
    taught = pin_references(launches, references)
    # Columns over the launches of the trace, then over those of references.
    known_call = np.concatenate([call, taught.call])
    # Graphs that a reference shows have sites even if they launch libraries alone.
    shown = np.unique(context.program.graph_of_call[known_call[known_call >= 0]])
    sites = sites_of(context.program, frozenset(shown.tolist()))
    kept = _with_names(context, sequences, sites, taught, call) if len(sites) else []
    if not kept:
        return None
    # (calls + 1,): the last row answers for call -1.
    site_of = np.full(len(context.program.calls) + 1, NONE, dtype=np.int64)
    for position, site in sites.site_of_call.items():
        site_of[position] = site
    every = tokens_of(taught.shown, (*kept, *taught.orders), sites, site_of[known_call])
    # Tokens are numbered for both, but only the sequences of the trace are placed.
    tokens = replace(every, sequences=every.sequences[: len(kept)])
    others = every.sequences[len(kept) :]
    model, all_decisions, decisions = _learn_and_decide(tokens, tokens, others, sites)
    # A replayed graph in which an invocation is not believed is other code, and has taught the
    # model its launches as habits of calls: the model is learned once more without it.
    doubted = [
        sequence.order.whole and bool((one.run != other.run).any())
        for sequence, one, other in zip(tokens.sequences, all_decisions, decisions, strict=True)
    ]
    if any(doubted):
        training = _drop_doubted_sequences(tokens, doubted)
        _, all_decisions, decisions = _learn_and_decide(
            tokens, training, others, sites, model.unlearned
        )
    # Where graphs run at the same time, the model finds no invocations: a rule of its own.
    for number, (sequence, decided) in enumerate(zip(tokens.sequences, decisions, strict=True)):
        if (mixed := mixed_decisions(sequence, decided, tokens, sites)) is not None:
            all_decisions[number] = decisions[number] = mixed
    return PlacedByOrder(
        sites=sites, tokens=tokens, all_decisions=tuple(all_decisions), decisions=tuple(decisions)
    )


def _learn_and_decide(
    tokens: Tokens,
    training: Tokens,
    taught: Sequence[LaunchSequence],
    sites: Sites,
    unlearned: Unlearned | None = None,
) -> tuple[Model, list[Decisions], list[Decisions]]:
    """A model, what it finds in the sequences, and what of that is believed.

    It learns from `training`, the same sequences, and from those of reference runs; `unlearned` is
    what a model said before it learned anything, if one looked at all of them.
    """
    model = Learner(sites, training, measured_words(tokens, sites), taught).learn_model()
    model = replace(model, unlearned=unlearned or model.unlearned)
    all_decisions = decisions_of(decode_all(model, tokens, sites), model, tokens, sites)
    return (
        model,
        all_decisions,
        drop_unbelievable_invocations(
            tokens.sequences, all_decisions, tokens, sites, model.rates.loss
        ),
    )


def _drop_doubted_sequences(tokens: Tokens, doubted: Sequence[bool]) -> Tokens:
    """The same sequences, of which those that are `doubted` teach nothing."""
    sequences = (
        replace(sequence, doubted=is_doubted)
        for sequence, is_doubted in zip(tokens.sequences, doubted, strict=True)
    )
    return replace(tokens, sequences=tuple(sequences))


def iter_outcomes(
    context: MatchContext, matched: Matched, placed: PlacedByOrder, agreed: Sequence[Agreed]
) -> Iterator[Decided | Noted]:
    """Turns decisions about sequences into decisions about the open launches in them."""
    sites, tokens, decisions = placed.sites, placed.tokens, placed.decisions
    # What references decide has invocations of its own.
    all_decisions = [
        decided if agreement.launches.any() else before
        for before, decided, agreement in zip(placed.all_decisions, decisions, agreed, strict=True)
    ]
    members = members_of(
        context.trace.launches, context.program, tokens.sequences, all_decisions, decisions, sites
    )
    # Which of several equal graphs ran: a reference goes before the place in the step.
    members = [
        np.where(agreement.member >= 0, agreement.member, by_place)
        for agreement, by_place in zip(agreed, members, strict=True)
    ]
    numbers = _number_invocations(context, matched, tokens.sequences, decisions, sites, members)
    for sequence, decided, number, member, agreement in zip(
        tokens.sequences, decisions, numbers, members, agreed, strict=True
    ):
        yield from _iter_decisions_of_sequence(
            context, matched, sequence, decided, number, member, tokens, sites, agreement.launches
        )


def _with_names(
    context: MatchContext,
    candidates: Sequence[LaunchOrder],
    sites: Sites,
    taught: Pinned,
    call: Int,
) -> list[LaunchOrder]:
    """The sequences with enough launches under names of the code to have an order.

    Where a graph launches libraries alone, the names in its references count as well. A launch
    whose `call` is known is enough.
    """
    launches = context.trace.launches
    of_code = frozenset(name for names in sites.names for name in names)
    named = np.array([name in of_code for name in taught.shown.names], dtype=bool)
    if not sites.has_code.all():
        named[taught.shown.name_id[len(launches) :]] = True
    kernel = np.equal(launches.activity, Activity.KERNEL)
    return [
        order
        for order in candidates
        if (named[launches.name_id[order.rows]] & kernel[order.rows]).sum()
        >= _fewest_named_launches(order)
        or (call[order.rows] >= 0).any()
    ]


def _fewest_named_launches(order: LaunchOrder) -> int:
    """How many launches under names of the code a sequence has to have to be read by its order."""
    return 1 if order.whole and len(order.rows) > 1 else _LEAST


def _number_invocations(
    context: MatchContext,
    matched: Matched,
    sequences: Sequence[LaunchSequence],
    decisions: Sequence[Decisions],
    sites: Sites,
    members: Sequence[Int],
) -> list[Int]:
    """The number of each run of each copy of each sequence: shape (copies, runs).

    That of the graph range in which a graph was launched; others are counted per process and graph
    in order of time, after those that have a host side.
    """
    counted = next_numbers(context, matched)
    process, time_ns = context.trace.launches.process, context.trace.launches.start_ns
    begun: list[tuple[int, int, int, int, int]] = []
    numbers = []
    for at, (sequence, decided) in enumerate(zip(sequences, decisions, strict=True)):
        runs = len(decided.of_run)
        number_of_run = np.full((sequence.times, runs), NONE, dtype=np.int64)
        numbers.append(number_of_run)
        placed = np.flatnonzero(decided.run >= 0)
        # An invocation began with its first launch; where that was lost, with the replay's first
        # one.
        there, first = np.unique(decided.run[placed], return_index=True)
        first = placed[first]
        owner = int(process[sequence.order.rows[0]])
        for copy, rows in enumerate(sequence.order.copies):
            shown = rows[rows >= 0]
            begin = int(time_ns[shown[0]]) if len(shown) else 0
            for run, row in zip(there.tolist(), rows[first].tolist(), strict=True):
                when = int(time_ns[row]) if row >= 0 else begin
                member = int(members[at][copy, run])
                if member < 0:
                    continue
                graph = sites.members[int(decided.of_run[run])][member]
                # The range in which a replay was launched numbers one invocation. If the replay
                # holds several of the same graph, they are counted instead.
                once = np.count_nonzero(decided.of_run[there] == decided.of_run[run]) == 1
                if row >= 0 and once:
                    number_of_run[copy, run] = number_of_range(context, row, graph)
                if number_of_run[copy, run] >= 0:
                    continue
                begun.append((when, owner, graph, at, copy * runs + run))
    for _, owner, graph, at, run in sorted(begun):
        numbers[at].flat[run] = counted[owner, graph]
        counted[owner, graph] += 1
    return numbers


def _iter_decisions_of_sequence(  # noqa: PLR0913, PLR0917 -- what is decided of one sequence, from five steps
    context: MatchContext,
    matched: Matched,
    sequence: LaunchSequence,
    decided: Decisions,
    number: Int,
    member: Int,
    tokens: Tokens,
    sites: Sites,
    taught: Bool,
) -> Iterator[Decided | Noted]:
    """The decisions about one sequence as those about its launches; references `taught` some."""
    table = _calls_by_site_and_member(sites)
    named = tokens.word[sequence.token] >= 0
    with np.errstate(divide="ignore"):
        # The odds of the likeliest answer against the second, as ten times their natural logarithm.
        # The least share and the most that is written down, 300, are about the same odds.
        margin = 10 * np.log(decided.posterior / np.maximum(decided.behind, 1e-13))
    # Where no order was compared, there is no second best.
    compared = named & ~taught & ~np.isnan(decided.posterior)
    margin = np.clip(np.nan_to_num(margin), 0, 300).astype(np.int64)
    # Both tables, (copies, runs), get a column of -1 at last, for launches outside of any run.
    nothing = np.full((len(number), 1), NONE)
    numbered = np.concatenate([number, nothing], axis=1)
    of_run = np.concatenate([member, nothing], axis=1)
    method = np.where(taught, Method.TRANSFER, Method.ALIGNMENT).astype(np.int8)
    for rows, numbers_of_copy, members_of_copy in zip(
        sequence.order.copies, numbered, of_run, strict=True
    ):
        # Launches that this time recorded and that nothing has decided before. `at` is which of the
        # graphs that launch the same ran, -1 where that is open.
        shown = (rows >= 0) & matched.open[rows]
        at, invocation = members_of_copy[decided.run], numbers_of_copy[decided.run]
        second = np.where(named & ~taught, table[decided.second, np.maximum(at, 0)], NONE)
        yes = shown & decided.sure & (at >= 0)
        yield Decided(
            rows[yes],
            Confidence.INFERRED,
            call=table[decided.site, at][yes],
            invocation=invocation[yes],
            method=method[yes],
            posterior=np.where(taught, np.nan, decided.posterior)[yes],
            second=second[yes],
            margin=np.where(compared, margin, NONE)[yes],
        )
        # Likely but not sure, or sure with the graph left open: all calls that may be it are named.
        for place in np.flatnonzero(shown & ~yes & (decided.site >= 0)).tolist():
            calls = _find_candidate_calls(sites, decided, place, int(at[place]))
            if calls:
                row, here = rows[place : place + 1], slice(place, place + 1)
                reason = context.why_several(int(row[0]), calls)
                # Of libraries nothing but their place tells which of one graph's calls it is.
                tells = named[place] or reason is Reason.SEVERAL_GRAPHS
                several = decide_candidates(row, calls, reason if tells else Reason.NO_PLACE)
                yield replace(
                    several,
                    invocation=invocation[here],
                    second=second[here] if named[place] and not taught[place] else None,
                    margin=margin[here] if named[place] and not taught[place] else None,
                )
        # A stray is a benchmark, or belongs to code that was not given.
        rest = shown & named & ~yes
        yield Decided(
            rows[rest],
            Confidence.UNKNOWN,
            invocation=invocation[rest],
            reason=Reason.NO_PLACE,
            second=second[rest],
            margin=margin[rest],
        )
        yield Noted(rows[shown], invocation[shown])


def _calls_by_site_and_member(sites: Sites) -> Int:
    """Positions of calls, (sites + 1, members); the last row stands for no site and has none."""
    calls = [sites.calls(site) for site in range(len(sites))]
    table = np.full((len(sites) + 1, max(map(len, calls))), NONE, dtype=np.int64)
    for site, calls_of_site in enumerate(calls):
        table[site, : len(calls_of_site)] = calls_of_site
    return table


def _find_candidate_calls(
    sites: Sites, decided: Decisions, place: int, member: int
) -> tuple[int, ...]:
    """All calls that one launch may belong to, of all graphs that launch the same."""
    several = decided.several.get(place, ())
    if not several and decided.sure[place]:
        several = (int(decided.site[place]),)
    class_of_launch = int(sites.of[decided.site[place]])
    candidate_calls: list[int] = []
    for site in several:
        calls = sites.calls(site)
        # Of the invocation's own class the graph may be known; of another class all graphs count.
        alone = member >= 0 and int(sites.of[site]) == class_of_launch
        candidate_calls += calls[member : member + 1] if alone else calls
    return tuple(dict.fromkeys(candidate_calls))
