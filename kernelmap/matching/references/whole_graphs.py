"""Replayed CUDA graphs that are a graph of a reference run, launch by launch, as a whole.

A bundle, or the capture of a CUDA graph, shows what the graph launches and for which calls
(learning.py); so does the trace at hand, where it holds the capture. A graph with the very same
names in the very same order is that graph: an argument that the model of launch sequences cannot
make, since graphs that launch the same are one to it, and a capture may not even have names.

Never exact: it is another run's evidence. Inferred where the place in the order leaves one call,
ambiguous where references fit alike that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernelmap.matching.context.learnt_code import Lesson
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import Order
from kernelmap.matching.host_side.recorded_graphs import Calls, Launched, may_make
from kernelmap.matching.references.reference_tokens import (
    UNNAMED,
    Fit,
    LaunchTokens,
    Reference,
    by_tokens,
    fitting,
)
from kernelmap.model import Activity
from kernelmap.model.learnt import LearntLaunch


class WholeGraphs:
    """Holds replayed graphs against the references that are whole graphs."""

    def __init__(
        self, context: MatchContext, lessons: Sequence[Lesson], references: Sequence[Reference]
    ) -> None:
        self._launches = context.trace.launches
        self._calls = Calls.of(context.program)
        self._whole = [
            (reference, lessons[reference.number].sequence.launches)
            for reference in references
            if lessons[reference.number].sequence.whole
        ]

    def fitting(self, order: Order, text: LaunchTokens) -> list[Fit]:
        """The references that a replayed graph is; none for other sequences."""
        if not order.whole:
            return []
        return fitting(
            len(order.rows),
            (
                (reference, launches, self._stands(order, text, reference, launches))
                for reference, launches in self._whole
            ),
        )

    def _stands(
        self,
        order: Order,
        text: LaunchTokens,
        reference: Reference,
        launches: Sequence[LearntLaunch],
    ) -> Callable[[int, int], bool]:
        """Whether a launch may stand at a place, also where the reference has no name there."""
        by_name = by_tokens(text, 0, reference)

        def stands(launch: int, place: int) -> bool:
            if int(reference.tokens[place]) != UNNAMED:
                return by_name(launch, place)
            row = int(order.rows[launch])
            learnt = launches[place]
            name = self._launches.names[int(self._launches.name_id[row])]
            seen = Launched(0, name, Activity(int(self._launches.activity[row])))
            if seen.activity is not learnt.activity:
                return False
            if self._calls.is_generated(seen):
                return bool(learnt.calls) and self._calls.may_run(learnt.calls, seen)
            # The place of a generated kernel is no library's.
            own = [call for call in learnt.calls if call not in self._calls.generated]
            return not learnt.calls or any(may_make(call, seen, self._calls) for call in own)

        return stands
