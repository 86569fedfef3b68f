"""Launches without a host side, placed by their order: the model, taught by reference runs.

The model (aligner/) learns from the trace and from what reference runs launched for the calls of
the program: bundles, other profiles, and this one where it shows its calls elsewhere. A replayed
graph, or an invocation that the model finds, that is a reference launch by launch gets its calls
from there: method transfer. What differs is placed by the model alone. Never exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelmap.matching.aligner.by_model import Agreed, outcomes, placed
from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.matching.context.decided import Matched, Outcome
from kernelmap.matching.context.learnt_code import Lesson
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import Order
from kernelmap.matching.context.transfers import OWN, Found
from kernelmap.matching.references.comparison import Left, unlike_lessons
from kernelmap.matching.references.learning import lessons as learned_from
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    Fit,
    LaunchTokens,
    Reference,
    TokenTable,
    by_tokens,
    calls_by,
    fitting,
    tells,
)
from kernelmap.matching.references.whole_graphs import WholeGraphs
from kernelmap.model import NONE
from kernelmap.model.learnt import LearntLaunch, LearntSequence
from kernelmap.model.trace import Int

_Calls = tuple[tuple[int, ...], ...]
"""Per launch the calls that it may belong to."""


def by_order(
    context: MatchContext, matched: Matched, sequences: Sequence[Order]
) -> Iterator[Outcome]:
    """Decide the open launches of `sequences`, and say which of them are references."""
    own = tuple(Lesson(sequence=each, source=OWN) for each in learned_from(context, matched))
    lessons = (*matched.transfers.lessons, *own)
    tokens = TokenTable(lessons, context.trace.launches, context.program)
    references = [reference for reference in tokens.references if tells(reference)]
    left = [
        Left(order, tokens.tokens_of(order.rows), np.ones(len(order.rows), dtype=bool))
        for order in sequences
    ]
    graphs = WholeGraphs(context, lessons, references)
    whole = {id(each.order): graphs.fitting(each.order, each.text) for each in left}
    known = np.full(len(context.trace.launches), NONE, dtype=np.int64)
    for order in sequences:
        if whole[id(order)]:
            calls = calls_by(whole[id(order)], len(order.rows))
            known[order.rows] = [own[0] if len(own) == 1 else NONE for own in calls]
    taught = [reference for reference in references if _is_of_trace(reference, left)]
    model = placed(context, sequences, [lessons[each.number].sequence for each in taught], known)
    found: list[Found] = []
    if model is not None:
        parts = [
            _part(each, lessons[each.number].sequence)
            for each in taught
            if not lessons[each.number].sequence.whole
        ]
        comparer = _Comparer(model.sites, context.program.graph_of_call, parts)
        left_of = {id(each.order): each for each in left}
        agreed = []
        decisions = []
        for sequence, decided in zip(model.tokens.sequences, model.decisions, strict=True):
            each = left_of[id(sequence.order)]
            fits = whole[id(sequence.order)]
            taken = (
                comparer.whole(sequence, decided, fits)
                if fits
                else comparer.invocations(sequence, decided, each.text)
            )
            decisions.append(taken.decided)
            agreed.append(taken.agreed)
            each.free[taken.agreed.launches] = False
        found = comparer.found
        yield from outcomes(context, matched, replace(model, decisions=tuple(decisions)), agreed)
    transfers = replace(matched.transfers, needed=True, lessons=lessons, found=tuple(found))
    unlike = unlike_lessons(context, lessons, references, left, transfers.used())
    yield replace(transfers, unlike=tuple(unlike))


def _is_of_trace(reference: Reference, sequences: Sequence[Left]) -> bool:
    """Whether a reference may teach: with names, and the trace has all of its library kernels.

    Where it lacks one, another GPU ran, or another version of a library.
    """
    if np.equal(reference.tokens, UNNAMED).any():
        return False
    shown = np.unique(np.concatenate([each.text.tokens for each in sequences]))
    return not (~np.isin(reference.tokens, shown) & ~reference.generated).any()


def _part(
    reference: Reference, sequence: LearntSequence
) -> tuple[Reference, int, Sequence[LearntLaunch]]:
    """A reference from its first call to its last, and the number of its first launch."""
    called = [bool(launch.calls) for launch in sequence.launches]
    head, tail = called.index(True), len(called) - called[::-1].index(True)
    return reference.part(head, tail), head, sequence.launches[head:tail]


@dataclass(frozen=True, slots=True)
class _Taken:
    """Decisions about one sequence while those of references are written into them."""

    decided: Decisions
    several: dict[int, tuple[int, ...]]
    agreed: Agreed

    @classmethod
    def of(cls, decided: Decisions) -> _Taken:
        """A copy of the model's decisions, in which no reference agrees yet."""
        several = dict(decided.several)
        copied = replace(
            decided,
            site=decided.site.copy(),
            sure=decided.sure.copy(),
            run=decided.run.copy(),
            of_run=decided.of_run.copy(),
            several=several,
        )
        nothing = Agreed(
            launches=np.zeros(len(decided.site), dtype=bool),
            member=np.full((1, len(decided.of_run)), NONE, dtype=np.int64),
        )
        return cls(copied, several, nothing)

    def write(self, here: slice, sites: Sequence[tuple[int, ...]], runs: Int) -> None:
        """Decide that the launches `here` are of one of their `sites`; of no call without any."""
        self.decided.site[here] = [own[0] if own else NONE for own in sites]
        self.decided.sure[here] = [len(own) == 1 for own in sites]
        self.decided.run[here] = np.where([bool(own) for own in sites], runs, NONE)
        for at, own in enumerate(sites, here.start):
            self.several.pop(at, None)
            if len(own) > 1:
                self.several[at] = own


class _Comparer:
    """Holds what the model placed against references; `found` collects what is equal.

    `parts` are references that are one invocation, with their launches.
    """

    def __init__(
        self,
        sites: Sites,
        graph_of_call: Int,
        parts: Sequence[tuple[Reference, int, Sequence[LearntLaunch]]],
    ) -> None:
        self._sites, self._graph_of_call, self._parts = sites, graph_of_call, parts
        self._heads = {reference.number: head for reference, head, _ in parts}
        self._fits: dict[tuple[bytes, bytes], tuple[list[Fit], _Calls]] = {}
        self.found: list[Found] = []

    def whole(self, sequence: LaunchSequence, decided: Decisions, fits: Sequence[Fit]) -> _Taken:
        """The decisions about a replayed graph that is a graph of a reference run."""
        calls = calls_by(fits, len(sequence))
        best = fits[0]
        learnt = [best.launches[place].run for place in best.first.tolist()]
        number = {run: at for at, run in enumerate(dict.fromkeys(learnt))}
        runs = np.array([number[run] for run in learnt], dtype=np.int64)
        taken = _Taken.of(replace(decided, of_run=np.zeros(len(number), dtype=np.int64)))
        here = slice(0, len(sequence))
        if self._take(taken, here, runs, calls):
            self._note(sequence, fits, here, calls)
            return taken
        return _Taken.of(decided)

    def invocations(
        self, sequence: LaunchSequence, decided: Decisions, text: LaunchTokens
    ) -> _Taken:
        """The decisions about a sequence with those of references, where invocations are these."""
        taken = _Taken.of(decided)
        if not self._parts and self._sites.has_code.all():
            return taken
        inside = np.flatnonzero(decided.run >= 0)
        edges = np.searchsorted(decided.run[inside], np.arange(len(decided.of_run) + 1))
        for run in np.flatnonzero(np.diff(edges)).tolist():
            here = slice(int(inside[edges[run]]), int(inside[edges[run + 1] - 1]) + 1)
            fits, calls = self._fitting(text, here)
            runs = np.full(len(calls), run, dtype=np.int64)
            if fits and self._take(taken, here, runs, calls):
                self._note(sequence, fits, here, calls)
            elif not fits and not self._sites.has_code[decided.of_run[run]]:
                # Libraries alone are launched by eager code as well.
                taken.write(here, [()] * (here.stop - here.start), runs)
        return taken

    def _fitting(self, text: LaunchTokens, here: slice) -> tuple[list[Fit], _Calls]:
        """The references that some launches are, and their calls."""
        key = text.tokens[here].tobytes(), text.shapes[here].tobytes()
        if key not in self._fits:
            count = here.stop - here.start
            fits = fitting(
                count,
                (
                    (reference, launches, by_tokens(text, here.start, reference))
                    for reference, _, launches in self._parts
                ),
            )
            self._fits[key] = fits, calls_by(fits, count)
        return self._fits[key]

    def _take(self, taken: _Taken, here: slice, runs: Int, calls: _Calls) -> bool:
        """Take over the `calls` of launches; False where the model has no site for one of them."""
        site_of = self._sites.site_of_call
        sites = [tuple(dict.fromkeys(site_of.get(call, NONE) for call in own)) for own in calls]
        if any(NONE in own for own in sites):
            return False
        graphs: dict[int, set[int]] = {}
        for run, own, of in zip(runs.tolist(), sites, calls, strict=True):
            if own:
                taken.decided.of_run[run] = self._sites.of[own[0]]
                graphs.setdefault(run, set()).update(self._graph_of_call[list(of)].tolist())
        for run, those in graphs.items():
            members = self._sites.members[taken.decided.of_run[run]]
            if len(those) == 1:
                taken.agreed.member[0, run] = members.index(*those)
        taken.write(here, sites, runs)
        taken.agreed.launches[here] = True
        return True

    def _note(
        self, sequence: LaunchSequence, fits: Sequence[Fit], here: slice, calls: _Calls
    ) -> None:
        best = fits[0]
        head = self._heads.get(best.reference.number, 0)
        self.found.append(
            Found(
                rows=sequence.order.copies[:, here],
                lessons=tuple(fit.reference.number for fit in fits),
                first=best.first + head,
                last=best.last + head,
                calls=calls,
            )
        )
