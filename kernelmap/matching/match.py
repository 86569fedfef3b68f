"""(CompiledProgram, Trace) → Match: read the host side, then let the strategies decide in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernelmap.matching.context.draft import Draft
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.notices import of_graphs
from kernelmap.matching.context.orders import orders
from kernelmap.matching.context.survey import survey
from kernelmap.matching.context.transfers import Transfers
from kernelmap.matching.evidence.benchmarks import benchmarks
from kernelmap.matching.evidence.beside_marks import beside_calls, outside_marks
from kernelmap.matching.evidence.by_elimination import by_elimination
from kernelmap.matching.evidence.by_mark import by_mark
from kernelmap.matching.evidence.by_name import by_name
from kernelmap.matching.evidence.by_neighbors import by_neighbors
from kernelmap.matching.evidence.by_node_neighbors import by_node_neighbors
from kernelmap.matching.evidence.by_place import by_place
from kernelmap.matching.evidence.by_range import by_range
from kernelmap.matching.evidence.by_recorded_node import by_recorded_node, recorded_notices
from kernelmap.matching.evidence.by_tuning import by_tuning
from kernelmap.matching.evidence.replays import by_capture
from kernelmap.matching.lessons.by_transfer import by_transfer
from kernelmap.matching.lessons.transfer_notices import transfer_notices
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.learnt import Learnt

Strategy = Callable[[MatchContext, Draft], None]


def by_model(context: MatchContext, draft: Draft) -> None:
    """Place what follows no host side; the model is loaded only where there are such launches."""
    sequences = list(orders(context, draft))
    if sequences:
        from kernelmap.matching.aligner.by_model import decide

        decide(context, draft, sequences)


STRATEGIES: tuple[Strategy, ...] = (
    by_mark,
    by_recorded_node,
    by_capture,
    by_tuning,
    by_place,
    by_range,
    benchmarks,
    outside_marks,
    by_neighbors,
    by_node_neighbors,
    by_transfer,
    by_model,
    by_name,
    beside_calls,
    by_elimination,
)
"""From strongest to weakest; a later one never sees what an earlier one decided."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """The matching, and what it stands on.

    `program` is the given one plus the graphs that only the trace knows; `matching` counts calls in
    it. `context` answers why (matching/explain.py). `posterior` is parallel to the launches: how
    probable the call is of those that the model placed, NaN for the others; None where it
    placed none.
    """

    program: CompiledProgram
    matching: Matching
    context: MatchContext
    notices: tuple[Notice, ...]
    posterior: NDArray[np.float64] | None = None


def match(
    program: CompiledProgram,
    trace: Trace,
    strategies: Sequence[Strategy] = STRATEGIES,
    *,
    learnt: Sequence[Learnt] = (),
) -> Match:
    """Pair the launches of `trace` with the calls of `program`; `learnt` is what other runs taught.

    Neither the order of `learnt` nor what it tells of other code matters.
    """
    context = replace(survey(program, trace), transfers=Transfers.of(learnt, program))
    draft = Draft(len(trace.launches))
    for strategy in strategies:
        strategy(context, draft)
    matching = draft.finish()
    return Match(
        program=context.program,
        matching=matching,
        context=context,
        posterior=draft.posterior,
        notices=(
            *of_graphs(program, context, matching),
            *recorded_notices(context),
            *transfer_notices(context.transfers),
        ),
    )
