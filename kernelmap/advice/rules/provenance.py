"""Reasons why a call has no nodes, no source lines or no modules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernelmap.advice.artifacts import HANDLES, LAZY_BACKWARD, missing
from kernelmap.advice.case import Case
from kernelmap.advice.records import Claim, Lack
from kernelmap.advice.rules.words import some
from kernelmap.model import Artifact, CompiledGraph
from kernelmap.model.notices import count

_LOG = "TORCH_TRACE=torch_trace INDUCTOR_PROVENANCE=1 python train.py"


def provenance_off(case: Case) -> Iterator[Claim]:
    """Code states neither handles nor a node mapping nor stack traces."""
    off = [graph for graph in case.given if not _has_provenance(graph)]
    yield from _claim(
        case,
        off,
        slug="provenance-off",
        what="without provenance: no handles, node mapping or stack traces",
        do=f"{_LOG}, and give the log; handles need a torch that writes them.",
        then="nodes, source lines and modules",
    )


def lazy_backward(case: Case) -> Iterator[Claim]:
    """A backward that is compiled when it first runs gets no node mapping."""
    lazy = [
        graph
        for graph in case.given
        if any(LAZY_BACKWARD in each.brings for each in missing(graph))
    ]
    yield from _claim(
        case,
        lazy,
        slug="lazy-backward",
        what="compiled lazily: Inductor writes no node mapping for it",
        do=f"{LAZY_BACKWARD}, before the model is compiled.",
        then="nodes of the backward's fused kernels, and the modules that they show",
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
    yield from _claim(
        case,
        bare,
        slug="log-missing",
        what="with handles or a node mapping, but without graph text and stack traces",
        do=f"Give the log as well: {_LOG}.",
        then="source lines and modules",
    )


def handles_missing(case: Case) -> Iterator[Claim]:
    """A node mapping without handles: it says nothing of library calls, nor of equal kernels."""
    old = [
        graph
        for graph in case.given
        if Artifact.MAPPING in graph.artifacts
        and {HANDLES, str(Artifact.STACKS)} <= {each.what for each in missing(graph)}
    ]
    yield from _claim(
        case,
        old,
        slug="handles-missing",
        what="with a node mapping, but without debug handles and stack traces",
        do="INDUCTOR_PROVENANCE=1 with a newer torch, one that writes `[Provenance debug "
        "handles]` into the code.",
        then="nodes of library calls, and source lines",
    )


def _claim(
    case: Case, graphs: Sequence[CompiledGraph], *, slug: str, what: str, do: str, then: str
) -> Iterator[Claim]:
    """The claim of these graphs, by what units of theirs lack; none where they lack nothing."""
    own = case.of_graphs(graphs)
    found = {lack: own & case.lacks(lack) for lack in (Lack.NODE, Lack.LINE, Lack.MODULE)}
    rows = {lack: units for lack, units in found.items() if units.any()}
    if rows:
        named = f"{count(len(graphs), 'graph')} ({some([graph.id for graph in graphs])})"
        yield Claim(slug=slug, what=f"{named} {what}", do=do, then=then, rows=rows)


def _has_provenance(graph: CompiledGraph) -> bool:
    absent = {each.what for each in missing(graph)}
    return not {HANDLES, str(Artifact.MAPPING), str(Artifact.STACKS)} <= absent
