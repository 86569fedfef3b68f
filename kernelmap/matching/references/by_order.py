"""Launches without a host side, placed by their order: the model, taught by reference runs.

The model (aligner/) learns from the trace and from what reference runs launched for the calls of
the program. An invocation that it finds and that is a reference, launch by launch, gets its calls
from there: method transfer. What differs is placed by the model alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kernelmap.matching.aligner.by_model import Agreed, Placed, outcomes, placed
from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.matching.context.decided import Matched, Outcome
from kernelmap.matching.context.learnt_code import Lesson
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import Order
from kernelmap.matching.context.transfers import Found
from kernelmap.matching.references.comparison import Left, unlike_lessons
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    LaunchTokens,
    Reference,
    TokenTable,
    by_tokens,
    calls_at,
    embedded,
    tells,
)
from kernelmap.model import NONE
from kernelmap.model.learnt import LearntLaunch, LearntSequence
from kernelmap.model.trace import Int


def by_order(
    context: MatchContext, matched: Matched, sequences: Sequence[Order]
) -> Iterator[Outcome]:
    """Decide the open launches of `sequences`, and say which of them are references."""
    transfers = matched.transfers
    tokens = TokenTable(transfers.lessons, context.trace.launches, context.program)
    references = [reference for reference in tokens.references if tells(reference)]
    texts = [LaunchTokens(tokens.of(order.rows), tokens.shapes(order.rows)) for order in sequences]
    taught = [reference for reference in references if _is_of_trace(reference, texts)]
    found = placed(context, sequences, [transfers.lessons[w.number].sequence for w in taught])
    free = {id(order): np.ones(len(order.rows), dtype=bool) for order in sequences}
    if found is not None:
        parts = [
            reference
            for reference in taught
            if not transfers.lessons[reference.number].sequence.whole
        ]
        invocations = _Invocations(context, transfers.lessons, parts, tokens, found)
        agreed = []
        decisions = []
        for sequence, decided in zip(found.tokens.sequences, found.decisions, strict=True):
            one, other = invocations.agreed(sequence, decided)
            decisions.append(one)
            agreed.append(other)
            free[id(sequence.order)] &= ~other.launches
        found = replace(found, decisions=tuple(decisions))
        yield from outcomes(context, matched, found, agreed)
        transfers = replace(transfers, found=(*transfers.found, *invocations.found))
    left = [
        Left(order, text, free[id(order)]) for order, text in zip(sequences, texts, strict=True)
    ]
    unlike = unlike_lessons(context, transfers.lessons, references, left, transfers.used())
    yield replace(transfers, unlike=tuple(unlike))


def _is_of_trace(reference: Reference, texts: Sequence[LaunchTokens]) -> bool:
    """Whether a reference may teach: with names, and the trace has all of its library kernels.

    Where it lacks one, another GPU ran, or another version of a library.
    """
    if np.equal(reference.tokens, UNNAMED).any():
        return False
    shown = np.unique(np.concatenate([text.tokens for text in texts]))
    return not (~np.isin(reference.tokens, shown) & ~reference.generated).any()


class _Part(NamedTuple):
    """A reference from its first call to its last; the first is launch number `head`."""

    reference: Reference
    head: int
    launches: tuple[LearntLaunch, ...]

    @classmethod
    def of(cls, reference: Reference, sequence: LearntSequence) -> _Part:
        called = [bool(launch.calls) for launch in sequence.launches]
        head, tail = called.index(True), len(called) - called[::-1].index(True)
        return cls(reference.part(head, tail), head, sequence.launches[head:tail])


class _Fit(NamedTuple):
    """A reference that an invocation is; the places (launches,) that each launch may have."""

    part: _Part
    first: Int
    last: Int


class _Invocations:
    """Holds the invocations that the model found against references; `found` collects the equal."""

    def __init__(
        self,
        context: MatchContext,
        lessons: Sequence[Lesson],
        references: Sequence[Reference],
        tokens: TokenTable,
        placed: Placed,
    ) -> None:
        self._tokens = tokens
        self._parts = [
            _Part.of(reference, lessons[reference.number].sequence) for reference in references
        ]
        self._sites = placed.sites
        self._graph_of_call = context.program.graph_of_call
        self._fits: dict[tuple[bytes, bytes], list[_Fit]] = {}
        self.found: list[Found] = []

    def agreed(self, sequence: LaunchSequence, decided: Decisions) -> tuple[Decisions, Agreed]:
        """The decisions about a sequence with those of references, and which these are."""
        agreed = Agreed(
            launches=np.zeros(len(sequence), dtype=bool),
            member=np.full((1, len(decided.of_run)), NONE, dtype=np.int64),
        )
        if not self._parts:
            return decided, agreed
        several = dict(decided.several)
        decided = replace(
            decided,
            site=decided.site.copy(),
            sure=decided.sure.copy(),
            run=decided.run.copy(),
            several=several,
            of_run=decided.of_run.copy(),
        )
        rows = sequence.order.rows
        text = LaunchTokens(self._tokens.of(rows), self._tokens.shapes(rows))
        placed = np.flatnonzero(decided.run >= 0)
        edges = np.searchsorted(decided.run[placed], np.arange(len(decided.of_run) + 1))
        for run in np.flatnonzero(np.diff(edges)).tolist():
            here = slice(int(placed[edges[run]]), int(placed[edges[run + 1] - 1]) + 1)
            fits = self._fitting(text, here.start, here.stop)
            calls = self._calls(text, here, fits)
            if not fits and not self._sites.has_code[decided.of_run[run]]:
                # Libraries alone are launched by eager code as well.
                decided.run[here], decided.site[here], decided.sure[here] = NONE, NONE, False
            sites = self._sites_of(calls)
            if not fits or sites is None:
                continue
            for at, own in enumerate(sites, here.start):
                several.pop(at, None)
                if len(own) > 1:
                    several[at] = own
            self._take(decided, agreed, here, run, sites)
            graphs = {int(self._graph_of_call[call]) for own in calls for call in own}
            if len(graphs) == 1:
                members = self._sites.members[decided.of_run[run]]
                agreed.member[0, run] = members.index(graphs.pop())
            best = fits[0]
            self.found.append(
                Found(
                    rows=sequence.order.copies[:, here],
                    lessons=tuple(fit.part.reference.number for fit in fits),
                    first=best.first + best.part.head,
                    last=best.last + best.part.head,
                    calls=calls,
                    runs=np.where([bool(own) for own in calls], 0, NONE),
                )
            )
        return decided, agreed

    def _sites_of(self, calls: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]] | None:
        """The call sites of each launch; None where they are not those of one graph."""
        site_of = self._sites.site_of_call
        sites = [tuple(dict.fromkeys(site_of.get(call, NONE) for call in own)) for own in calls]
        every = {site for own in sites for site in own}
        one = len({int(self._sites.of[site]) for site in every}) == 1
        return sites if one and NONE not in every else None

    def _take(
        self,
        decided: Decisions,
        agreed: Agreed,
        here: slice,
        run: int,
        sites: Sequence[tuple[int, ...]],
    ) -> None:
        """Write the `sites` of the launches of one run."""
        decided.of_run[run] = next(self._sites.of[own[0]] for own in sites if own)
        agreed.launches[here] = True
        decided.site[here] = [own[0] if own else NONE for own in sites]
        decided.sure[here] = [len(own) == 1 for own in sites]
        decided.run[here] = [run if own else NONE for own in sites]

    def _fitting(self, text: LaunchTokens, begin: int, stop: int) -> list[_Fit]:
        """The references that the launches from `begin` are, with the fewest missing."""
        key = text.tokens[begin:stop].tobytes(), text.shapes[begin:stop].tobytes()
        if key not in self._fits:
            fits = []
            for part in self._parts:
                places = embedded(
                    stop - begin, part.reference, by_tokens(text, begin, part.reference)
                )
                if places is not None:
                    fits.append(_Fit(part, *places))
            least = min((len(fit.part.reference) for fit in fits), default=0)
            self._fits[key] = [fit for fit in fits if len(fit.part.reference) == least]
        return self._fits[key]

    def _calls(
        self, text: LaunchTokens, here: slice, fits: Sequence[_Fit]
    ) -> tuple[tuple[int, ...], ...]:
        """All calls that each launch may belong to."""
        return tuple(
            calls_at(
                [
                    (
                        part.launches,
                        range(int(first[at]), int(last[at]) + 1),
                        by_tokens(text, here.start, part.reference),
                    )
                    for part, first, last in fits
                ],
                at,
            )
            for at in range(here.stop - here.start)
        )
