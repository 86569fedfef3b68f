"""Match a trace with what other runs taught, and with their code where it has none of its own.

Borrowed code of which nothing was recognized is of another program, or did not run: it is left out
again, so that names which happen to be alike decide nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernelmap.matching.context.reference_runs import borrowed_program
from kernelmap.matching.match import Match, match
from kernelmap.matching.references.learning import BY_HOST_SIDE
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.learnt import Learnt


def match_like(program: CompiledProgram, trace: Trace, learnt: Sequence[Learnt]) -> Match:
    """Pair the launches of `trace` with the calls of `program`, or else of the code of `learnt`."""
    if program.graphs:
        return match(program, trace, learnt=learnt)
    taught = borrowed_program(learnt)
    found = match(replace(program, graphs=taught.graphs), trace, learnt=learnt)
    seen = _recognized(found)
    kept = tuple(graph for number, graph in enumerate(taught.graphs) if number in seen)
    if len(kept) < len(taught.graphs):
        again = match(replace(program, graphs=kept), trace, learnt=learnt)
        told = [each for each in found.notices if each.slug.startswith("like-")]
        own = [each for each in again.notices if not each.slug.startswith("like-")]
        found = replace(again, notices=(*own, *told))
    files = taught.files if kept else ()
    return replace(found, program=replace(found.program, files=files))


def _recognized(found: Match) -> set[int]:
    """The graphs that ran, by host ranges or by a reference sequence that was recognized."""
    matching, context = found.matching, found.context
    graphs = {graph for each in context.invocations for graph in each.assignment.graphs}
    rows = np.isin(matching.method, BY_HOST_SIDE) & (matching.call >= 0)
    calls = matching.call[rows].tolist()
    calls += [call for each in found.references.recognized for own in each.calls for call in own]
    owner = found.program.graph_of_call
    return graphs | set(owner[np.unique(np.array(calls, dtype=np.int64))].tolist())
