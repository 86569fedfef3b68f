"""Launches without a host side, placed by their order: the model, taught by reference runs.

The model (aligner/) learns from the trace and from what reference runs launched for the calls of
the program: bundles, other profiles, and this one where it shows its calls elsewhere. A replayed
graph, or an invocation that the model finds, that is a reference launch by launch gets its calls
from there: method transfer. What such a graph launches from eager code is outside, with the
operator that the reference shows. What differs is placed by the model alone. Never exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.aligner.by_model import Agreed, iter_outcomes, place_by_order
from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.matching.context.decided import Matched, Outcome
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.reference_runs import Recognized
from kernelmap.matching.references.comparison import Compared, near_misses
from kernelmap.matching.references.learning import learned_sequences
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    LaunchTokens,
    Reference,
    ReferenceFit,
    TokenTable,
    by_tokens,
    calls_by,
    find_fitting_references,
    is_distinctive,
)
from kernelmap.matching.references.whole_graphs import (
    compare_whole_graphs,
    decide_beside_calls,
    recognize,
)
from kernelmap.model import NONE
from kernelmap.model.trace import Int

_Calls = tuple[tuple[int, ...], ...]
"""Per launch the calls that it may belong to."""


def decide_by_order(
    context: MatchContext, matched: Matched, sequences: Sequence[LaunchOrder]
) -> Iterator[Outcome]:
    """Decide the open launches of `sequences`, and say which of them are references."""
    # What other runs taught, and what this trace teaches where it has a host side.
    learned = (*matched.references.sequences, *learned_sequences(context, matched))
    tokens = TokenTable(learned, context.trace.launches, context.program)
    references = [reference for reference in tokens.references if is_distinctive(reference)]
    # A replayed graph that is a reference launch by launch pins the model's launches to its calls,
    # where they are one each.
    compared = compare_whole_graphs(context, references, sequences, tokens)
    sequences = [one.order for one in compared]
    known_call = np.full(len(context.trace.launches), NONE, dtype=np.int64)
    for one in compared:
        if one.fits:
            calls = calls_by(one.fits, len(one.order.rows))
            known_call[one.order.rows] = [of[0] if len(of) == 1 else NONE for of in calls]
        # What came from eager work is of no call, whatever the model finds in its name.
        yield from decide_beside_calls(context, matched, one)
    taught = [reference for reference in references if _may_teach(reference, compared)]
    model = place_by_order(
        context, sequences, [reference.sequence for reference in taught], known_call
    )
    recognized: list[Recognized] = []
    if model is not None:
        # Only after the model has found invocations can these be held against references of one.
        parts = [one.between_calls() for one in taught if not one.sequence.whole]
        comparer = _Comparer(model.sites, context.program.graph_of_call, parts)
        compared_of = {id(comparison.order): comparison for comparison in compared}
        agreed = []
        decisions = []
        for sequence, decided in zip(model.tokens.sequences, model.decisions, strict=True):
            comparison = compared_of[id(sequence.order)]
            taken = (
                comparer.compare_whole_graph(sequence, decided, comparison.fits)
                if comparison.fits
                else comparer.compare_invocations(sequence, decided, comparison.text)
            )
            decisions.append(taken.decided)
            agreed.append(taken.agreed)
            comparison.free[taken.agreed.launches] = False
        recognized = comparer.recognized
        yield from iter_outcomes(
            context, matched, replace(model, decisions=tuple(decisions)), agreed
        )
    # A graph whose calls the model did not take, or that has none, may show its eager work.
    for one in compared:
        if one.shown and one.free.all():
            of_graph = recognize(one.order.copies, one.shown)
            recognized += [of_graph] if any(of_graph.eager) else []
    # Of references that were recognized nowhere a notice says what came nearest.
    runs = replace(matched.references, needed=True, sequences=learned, recognized=tuple(recognized))
    misses = near_misses(context, tokens.references, references, compared, runs.used_sequences())
    yield replace(runs, near_misses=tuple(misses))


def _may_teach(reference: Reference, sequences: Sequence[Compared]) -> bool:
    """Whether a reference may teach: with names, and the trace has all of its library kernels.

    Where it lacks one, another GPU ran, or another version of a library. Eager work alone teaches
    nothing about calls.
    """
    if not reference.calls or np.equal(reference.tokens, UNNAMED).any():
        return False
    shown = np.unique(np.concatenate([compared.text.tokens for compared in sequences]))
    return not (~np.isin(reference.tokens, shown) & ~reference.generated).any()


class _Taken(Struct, frozen=True):
    """Decisions about one sequence while those of references are written into them."""

    decided: Decisions
    several: dict[int, tuple[int, ...]]
    agreed: Agreed

    @classmethod
    def copy_decisions(cls, decided: Decisions) -> _Taken:
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

    def write_sites(self, here: slice, sites: Sequence[tuple[int, ...]], runs: Int) -> None:
        """Decide that the launches `here` are of one of their `sites`; of no call without any."""
        self.decided.site[here] = [
            sites_of_launch[0] if sites_of_launch else NONE for sites_of_launch in sites
        ]
        self.decided.sure[here] = [len(sites_of_launch) == 1 for sites_of_launch in sites]
        self.decided.run[here] = np.where(
            [bool(sites_of_launch) for sites_of_launch in sites], runs, NONE
        )
        for at, sites_of_launch in enumerate(sites, here.start):
            self.several.pop(at, None)
            if len(sites_of_launch) > 1:
                self.several[at] = sites_of_launch


class _Comparer:
    """Holds what the model placed against references; `recognized` collects what is equal.

    `parts` are references that are one invocation.
    """

    def __init__(self, sites: Sites, graph_of_call: Int, parts: Sequence[Reference]) -> None:
        self._sites, self._graph_of_call, self._parts = sites, graph_of_call, parts
        self._fits: dict[tuple[bytes, bytes], tuple[list[ReferenceFit], _Calls]] = {}
        self.recognized: list[Recognized] = []

    def compare_whole_graph(
        self, sequence: LaunchSequence, decided: Decisions, fits: Sequence[ReferenceFit]
    ) -> _Taken:
        """The decisions about a replayed graph that is a graph of a reference run."""
        calls = calls_by(fits, len(sequence))
        best = fits[0]
        # The executions of graphs in the reference, numbered from 0, are the runs of this replay.
        learnt = [best.reference.launch_at(place).run for place in best.first.tolist()]
        number = {run: at for at, run in enumerate(dict.fromkeys(learnt))}
        runs = np.array([number[run] for run in learnt], dtype=np.int64)
        taken = _Taken.copy_decisions(
            replace(decided, of_run=np.zeros(len(number), dtype=np.int64))
        )
        here = slice(0, len(sequence))
        if self._take_calls(taken, here, runs, calls):
            self.recognized.append(recognize(sequence.order.copies, fits))
            return taken
        return _Taken.copy_decisions(decided)

    def compare_invocations(
        self, sequence: LaunchSequence, decided: Decisions, text: LaunchTokens
    ) -> _Taken:
        """The decisions about a sequence with those of references, where invocations are these."""
        taken = _Taken.copy_decisions(decided)
        # Without references there is nothing to compare, and nothing to take back.
        if not self._parts and self._sites.has_code.all():
            return taken
        # Launches of invocations, and where each invocation's begin among them: it is compared from
        # its first launch to its last, with all that lies between.
        inside = np.flatnonzero(decided.run >= 0)
        edges = np.searchsorted(decided.run[inside], np.arange(len(decided.of_run) + 1))
        for run in np.flatnonzero(np.diff(edges)).tolist():
            here = slice(int(inside[edges[run]]), int(inside[edges[run + 1] - 1]) + 1)
            fits, calls = self._find_fits(text, here)
            runs = np.full(len(calls), run, dtype=np.int64)
            if fits and self._take_calls(taken, here, runs, calls):
                self.recognized.append(recognize(sequence.order.copies[:, here], fits))
            elif not fits and not self._sites.has_code[decided.of_run[run]]:
                # Libraries alone are launched by eager code as well.
                taken.write_sites(here, [()] * (here.stop - here.start), runs)
        return taken

    def _find_fits(self, text: LaunchTokens, here: slice) -> tuple[list[ReferenceFit], _Calls]:
        """The references that some launches are, and their calls."""
        # Most invocations are alike, so each look is compared once.
        key = text.tokens[here].tobytes(), text.shapes[here].tobytes()
        if key not in self._fits:
            count = here.stop - here.start
            fits = find_fitting_references(
                count,
                ((reference, by_tokens(text, here.start, reference)) for reference in self._parts),
            )
            self._fits[key] = fits, calls_by(fits, count)
        return self._fits[key]

    def _take_calls(self, taken: _Taken, here: slice, runs: Int, calls: _Calls) -> bool:
        """Take over the `calls` of launches; False where the model has no site for one of them."""
        site_of = self._sites.site_of_call
        sites = [tuple(dict.fromkeys(site_of.get(call, NONE) for call in of)) for of in calls]
        if any(NONE in of_launch for of_launch in sites):
            return False
        # Where all calls of a run are of one graph, that is the graph of its class that ran.
        graphs: dict[int, set[int]] = {}
        for run, of_launch, of in zip(runs.tolist(), sites, calls, strict=True):
            if of_launch:
                taken.decided.of_run[run] = self._sites.of[of_launch[0]]
                graphs.setdefault(run, set()).update(self._graph_of_call[list(of)].tolist())
        for run, those in graphs.items():
            members = self._sites.members[taken.decided.of_run[run]]
            if len(those) == 1:
                taken.agreed.member[0, run] = members.index(*those)
        taken.write_sites(here, sites, runs)
        taken.agreed.launches[here] = True
        return True
