"""Reasons why a call has no nodes, no source lines or no modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernelmap.advice.artifacts import HANDLES, LAZY_BACKWARD, missing
from kernelmap.advice.case import Case
from kernelmap.advice.records import Claim, Lack, Weight
from kernelmap.advice.rules.words import joined, some
from kernelmap.model import Artifact, CompiledGraph
from kernelmap.model.notices import count
from kernelmap.model.trace import Bool

_LOG = "TORCH_TRACE=torch_trace INDUCTOR_PROVENANCE=1 python train.py"
_DETAILS = {Lack.NODE: "nodes", Lack.LINE: "source lines", Lack.MODULE: "modules"}


def provenance_off(case: Case) -> Iterator[Claim]:
    """Code states neither handles nor a node mapping nor stack traces."""
    off = [graph for graph in case.given if not _has_provenance(graph)]
    rows = _lacking(case, off)
    if rows:
        yield Claim(
            slug="provenance-off",
            what=f"{_graphs(off)} without provenance: no handles, node mapping or stack traces",
            do=f"{_LOG}, and give the log; handles need a torch that writes them.",
            then=_brings(rows),
            # Ops, lines and modules may follow from comments and Dynamo's graph alone.
            weight=Weight.NOTE if rows.keys() == {Lack.NODE} else Weight.CHANGE,
            rows=rows,
        )


def lazy_backward(case: Case) -> Iterator[Claim]:
    """A backward that is compiled when it first runs gets no node mapping."""
    lazy = [
        graph
        for graph in case.given
        if any(LAZY_BACKWARD in each.brings for each in missing(graph))
    ]
    rows = _lacking(case, lazy)
    if rows:
        yield Claim(
            slug="lazy-backward",
            what=f"{_graphs(lazy)} compiled lazily: Inductor writes no node mapping for it",
            do=f"{LAZY_BACKWARD}, before the model is compiled.",
            then="nodes of the backward's fused kernels, and the modules that they show",
            rows=rows,
        )


def log_missing(case: Case) -> Iterator[Claim]:
    """Provenance is on, but the log with stack traces and graph texts was not given.

    C++ wrappers are left out: what a log says of their modules is not known.
    """
    texts = {Artifact.STACKS, Artifact.POST_GRAD, Artifact.PRE_GRAD}
    bare = [
        graph
        for graph in case.given
        if _has_provenance(graph)
        and not graph.emitted
        and not texts & set(graph.artifacts)
        and all(call.recorded is None for call in graph.calls)
    ]
    rows = _lacking(case, bare)
    if rows:
        yield Claim(
            slug="log-missing",
            what=f"{_graphs(bare)} with handles or a node mapping, but without graph text and "
            "stack traces",
            do=f"Give the log as well: {_LOG}.",
            then="source lines and modules",
            rows=rows,
        )


def handles_missing(case: Case) -> Iterator[Claim]:
    """A node mapping without handles: it says nothing of library calls, nor of equal kernels."""
    old = [
        graph
        for graph in case.given
        if Artifact.MAPPING in graph.artifacts
        and {HANDLES, str(Artifact.STACKS)} <= {each.what for each in missing(graph)}
    ]
    rows = _lacking(case, old)
    if rows:
        yield Claim(
            slug="handles-missing",
            what=f"{_graphs(old)} with a node mapping, but without debug handles and stack traces",
            do="INDUCTOR_PROVENANCE=1 with a newer torch, one that writes `[Provenance debug "
            "handles]` into the code.",
            then=_brings(rows),
            rows=rows,
        )


def _lacking(case: Case, graphs: Sequence[CompiledGraph]) -> dict[Lack, Bool]:
    """Units of the graphs, by what any of them lack of nodes, lines and modules."""
    own = case.of_graphs(graphs)
    found = {lack: own & case.lacks(lack) for lack in _DETAILS}
    return {lack: rows for lack, rows in found.items() if rows.any()}


def _brings(rows: Mapping[Lack, Bool]) -> str:
    """What would be there: all that is missing of some call."""
    return joined([what for lack, what in _DETAILS.items() if lack in rows])


def _has_provenance(graph: CompiledGraph) -> bool:
    absent = {each.what for each in missing(graph)}
    return not {HANDLES, str(Artifact.MAPPING), str(Artifact.STACKS)} <= absent


def _graphs(graphs: Sequence[CompiledGraph]) -> str:
    return f"{count(len(graphs), 'graph')} ({some([graph.id for graph in graphs])})"
