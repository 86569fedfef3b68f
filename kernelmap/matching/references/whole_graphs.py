"""Replayed graphs held against the references that are whole graphs: captures, and noted nodes.

A bundle, or the capture of a CUDA graph, shows what the graph launches, for which calls, and from
which eager work (learning.py). A graph with the very same names in the very same order is that
graph: an argument that the model cannot make, since graphs that launch the same are one to it, and
a capture may not even have names.

Graphs of several batch sizes launch the same names in the same order: a serving engine captures
one for each. They come from the same eager work, so its operators and functions are taken from any
of them. Their compiled code may be one for all sizes or one for each, so calls are taken only where
the sizes agree, or cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from kernelmap.facts.families import kernel_family
from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.reference_runs import Recognized
from kernelmap.matching.host_side.recorded_graphs import Calls, LaunchedNode, may_make
from kernelmap.matching.names.expectations import may_launch_family
from kernelmap.matching.references.comparison import Compared
from kernelmap.matching.references.in_capture_order import FittedOrder, split_in_capture_order
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    LaunchTokens,
    Reference,
    ReferenceFit,
    TokenTable,
    by_tokens,
    calls_by,
    find_fitting_references,
    origins_by,
)
from kernelmap.matching.references.several_streams import find_places
from kernelmap.model import Activity, Backend, Confidence, Method, Reason
from kernelmap.model.columns import row_groups
from kernelmap.model.names import operator_of_range
from kernelmap.model.trace import Int, Launches

_MOST_AGREE = 0.5
"""Share of the generated kernels with known grids that have to agree. The autotuner may choose
other blocks for a few of them in another run; of another batch size all differ but those that do
not work on the batch (cuda_captured_eager: 36 of 36 agree, or none)."""


def compare_whole_graphs(
    context: MatchContext,
    references: Sequence[Reference],
    sequences: Sequence[LaunchOrder],
    tokens: TokenTable,
) -> list[Compared]:
    """The `sequences`, each with the references that it is as a whole.

    Replays of equal graphs that can be told apart become sequences of their own.
    """
    whole_graphs = _WholeGraphs(context, references)
    found = [
        FittedOrder(order, whole_graphs.find_fits(order, tokens.tokens_of(order.rows)))
        for order in sequences
    ]
    # Which sequences each reference fits, to see whether these are of several sizes.
    fitted: dict[int, list[LaunchOrder]] = {}
    for order, fits in found:
        for fit in fits:
            fitted.setdefault(fit.reference.number, []).append(order)
    # Where the sizes agree with some references, the others are out.
    sized = [
        FittedOrder(order, whole_graphs.keep_same_sizes(order, fits, fitted) or fits)
        for order, fits in found
    ]
    compared = []
    for order, shown in split_in_capture_order(context.trace.launches, sized):
        fits = whole_graphs.keep_same_sizes(order, shown, fitted)
        free = np.ones(len(order.rows), dtype=bool)
        compared.append(Compared(order, tokens.tokens_of(order.rows), fits, shown, free=free))
    return compared


def decide_beside_calls(
    context: MatchContext, matched: Matched, compared: Compared
) -> Iterator[Decided]:
    """Decisions about a replayed graph that need no model: its eager work, and calls in doubt.

    Where only references of other sizes fit, and the code of their calls is not given, these calls
    stand as the only candidates.
    """
    shown, count = compared.shown, len(compared.order.rows)
    if not shown:
        return
    eager = np.array([origin is not None for origin in origins_by(shown, count)], dtype=bool)
    rows = _open_rows(matched, compared.order, np.flatnonzero(eager))
    yield Decided(rows, Confidence.OUTSIDE, method=Method.TRANSFER, reason=Reason.EAGER)
    if compared.fits:
        return
    graphs, calls = context.program.graphs, context.program.graph_of_call
    for place, candidates in enumerate(calls_by(shown, count)):
        if candidates and all(graphs[calls[call]].code is None for call in candidates):
            rows = _open_rows(matched, compared.order, np.array([place]))
            yield Decided(
                rows,
                Confidence.AMBIGUOUS,
                method=Method.CANDIDATES,
                reason=Reason.GRAPH_REPLAY,
                candidates=dict.fromkeys(rows.tolist(), candidates),
            )


def _open_rows(matched: Matched, order: LaunchOrder, places: Int) -> Int:
    """The launches at some places of an order, of all its times, that nothing decided."""
    rows = order.copies[:, places].reshape(-1)
    rows = rows[rows >= 0]
    return rows[matched.open[rows]]


def recognize(copies: Int, fits: Sequence[ReferenceFit]) -> Recognized:
    """What launches were recognized as; `copies` (times, launches)."""
    best, count = fits[0], copies.shape[1]
    return Recognized(
        rows=copies,
        references=tuple(fit.reference.number for fit in fits),
        first=best.first + best.reference.start,
        last=best.last + best.reference.start,
        calls=calls_by(fits, count),
        eager=origins_by(fits, count),
    )


class _WholeGraphs:
    """Holds replayed graphs against those of `references` that are whole graphs."""

    def __init__(self, context: MatchContext, references: Sequence[Reference]) -> None:
        self._launches = context.trace.launches
        self._program = context.program
        self._calls = Calls.look_up(context.program)
        self._whole = [reference for reference in references if reference.sequence.whole]
        # What replays of one graph share is worked out once.
        self._grids: dict[int, set[tuple[int, ...]]] = {}
        self._places: dict[tuple[int, bytes], list[set[int]] | None] = {}

    def find_fits(self, order: LaunchOrder, text: LaunchTokens) -> list[ReferenceFit]:
        """The references of a replayed graph's names in its order; none for other sequences."""
        if not order.whole:
            return []
        candidates = (
            (reference, self._stands_by_name_or_shape(order, text, reference))
            for reference in self._whole
        )
        streams = self._launches_by_stream(order)
        if len(streams) < 2:  # noqa: PLR2004 -- one stream has an order
            return find_fitting_references(len(order.rows), candidates)
        return [
            fit
            for reference, stands in candidates
            if len(reference) == len(order.rows)
            if (fit := self._fit_streams(order, reference, streams, stands)) is not None
        ]

    def _fit_streams(
        self,
        order: LaunchOrder,
        reference: Reference,
        streams: Sequence[Sequence[int]],
        stands: Callable[[int, int], bool],
    ) -> ReferenceFit | None:
        """How a replay on several streams fits a reference, if it does."""
        launches = self._launches
        by_stream = [launch for stream in streams for launch in stream]
        rows = order.rows[by_stream]
        what = (launches.stream[rows], launches.name_id[rows], launches.activity[rows])
        shapes = (*launches.grid[rows].T, *launches.block[rows].T)
        key = reference.number, np.column_stack((*what, *shapes)).tobytes()
        if key not in self._places:
            found = find_places(streams, stands)
            self._places[key] = found and [found[launch] for launch in by_stream]
        of_stream = self._places[key]
        if of_stream is None:
            return None
        places = dict(zip(by_stream, of_stream, strict=True))
        count = range(len(by_stream))
        return ReferenceFit(
            reference,
            np.array([min(places[launch]) for launch in count], dtype=np.int64),
            np.array([max(places[launch]) for launch in count], dtype=np.int64),
            lambda launch, place: place in places[launch],
        )

    def _launches_by_stream(self, order: LaunchOrder) -> list[list[int]]:
        """The places in an order of each stream's launches.

        One list where the order is that of nodes: these are numbered in the order of the capture,
        whatever the streams did.
        """
        if (self._launches.graph_node[order.rows] > 0).all():
            return [list(range(len(order.rows)))]
        return [at.tolist() for at in row_groups(self._launches.stream[order.rows])]

    def keep_same_sizes(
        self,
        order: LaunchOrder,
        fits: Sequence[ReferenceFit],
        fitted: dict[int, list[LaunchOrder]],
    ) -> list[ReferenceFit]:
        """Those of `fits` whose sizes are the replay's, as far as that can be told.

        `fitted` are all sequences that each reference fits, by its number.
        """
        agreeing = [(fit, *self._count_equal_grids(order, fit)) for fit in fits]
        best = max((equal for _, equal, known in agreeing if known), default=0)
        return [
            fit
            for fit, equal, known in agreeing
            if (known and equal == best and equal >= _MOST_AGREE * known)
            or self._is_of_any_size(fit.reference)
            or (
                not best
                and (not known or not np.equal(fit.reference.tokens, UNNAMED).any())
                and not self._has_other_sizes(order, fitted[fit.reference.number])
            )
        ]

    def _count_equal_grids(self, order: LaunchOrder, fit: ReferenceFit) -> tuple[int, int]:
        """How many generated kernels have the reference's grid, and of how many both are known."""
        reference = fit.reference
        equal = known = 0
        for row, place in zip(order.rows.tolist(), fit.first.tolist(), strict=True):
            shape = reference.launch_at(place).shape
            grid = tuple(self._launches.grid[row].tolist())
            if reference.generated[place] and shape is not None and grid[0] >= 0:
                known += 1
                equal += grid == shape[:3]
        return equal, known

    def _is_of_any_size(self, reference: Reference) -> bool:
        """Whether the code of a reference runs for several sizes: none are written in it."""
        calls = [self._program.calls[call] for call in sorted(reference.calls)]
        return any(
            graph.code is not None and call.backend is Backend.TRITON and call.numels is None
            for graph, call in calls
        )

    def _has_other_sizes(self, order: LaunchOrder, others: Sequence[LaunchOrder]) -> bool:
        """Whether one of `others` launches generated kernels over other grids."""
        own = self._grids_of_generated(order)
        return any(
            not (theirs <= own or own <= theirs)
            for other in others
            if other is not order
            for theirs in [self._grids_of_generated(other)]
        )

    def _grids_of_generated(self, order: LaunchOrder) -> set[tuple[int, ...]]:
        if id(order) not in self._grids:
            launches = self._launches
            self._grids[id(order)] = {
                (int(launches.name_id[row]), *launches.grid[row].tolist())
                for row in order.rows.tolist()
                if self._calls.is_generated(_launched(launches, row))
            }
        return self._grids[id(order)]

    def _stands_by_name_or_shape(
        self, order: LaunchOrder, text: LaunchTokens, reference: Reference
    ) -> Callable[[int, int], bool]:
        """Whether a launch may stand at a place, also where the reference has no name there."""
        by_name = by_tokens(text, 0, reference)

        def stands(launch: int, place: int) -> bool:
            # A capture on CUDA shows no names of library kernels. There it is enough that the call
            # may launch this: by the names of its kernel, or by the families of its operator.
            if int(reference.tokens[place]) != UNNAMED:
                return by_name(launch, place)
            seen = _launched(self._launches, int(order.rows[launch]))
            learnt = reference.launch_at(place)
            if seen.activity is not learnt.activity:
                return False
            if self._calls.is_generated(seen):
                return bool(learnt.calls) and self._calls.may_run(learnt.calls, seen)
            # Eager work launches what its operator may, by their families.
            if learnt.eager is not None:
                family = kernel_family(seen.name, seen.activity)
                operator = operator_of_range(learnt.eager.inner_op or "")
                return may_launch_family(operator or "", family)
            # The place of a generated kernel is no library's.
            library_calls = [call for call in learnt.calls if call not in self._calls.generated]
            return not learnt.calls or any(
                may_make(call, seen, self._calls) for call in library_calls
            )

        return stands


def _launched(launches: Launches, row: int) -> LaunchedNode:
    name = launches.names[int(launches.name_id[row])]
    return LaunchedNode(0, name, Activity(int(launches.activity[row])))
