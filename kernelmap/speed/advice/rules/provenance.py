"""Why a call has no nodes, no source lines or no modules: what is missing beside the code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernelmap.facts.engine_options import options_of_engine
from kernelmap.facts.provenance import HANDLES, LAZY_BACKWARD, facts_missing
from kernelmap.model import Artifact, CacheOutcome, CompiledGraph
from kernelmap.model.advice import Claim, Lack, Weight
from kernelmap.model.notices import format_count, join_all, join_some
from kernelmap.model.trace import Bool
from kernelmap.speed.advice.case import Case

_LOG = "TORCH_TRACE=torch_trace INDUCTOR_PROVENANCE=1 python train.py"
_LOG_OF_ENGINE = "start the engine with TORCH_TRACE=torch_trace INDUCTOR_PROVENANCE=1"
_DETAILS = {Lack.NODE: "nodes", Lack.LINE: "source lines", Lack.MODULE: "modules"}


def provenance_off(case: Case) -> Iterator[Claim]:
    """Code states neither handles nor a node mapping nor stack traces."""
    # Graphs of which no kind of provenance was found.
    off = [graph for graph in case.given if not _has_provenance(graph)]
    rows = _units_by_lack(case, off)
    if rows:
        yield Claim(
            slug="provenance-off",
            what=f"{_say_graphs(off)} without provenance: no handles, node mapping or stack traces",
            do=f"{_log_of(case)}, and give the log; handles need a torch that writes them.",
            then=_say_what_it_brings(rows),
            # Ops, lines and modules may follow from comments and Dynamo's graph alone.
            weight=Weight.NOTE if rows.keys() == {Lack.NODE} else Weight.CHANGE,
            rows=rows,
        )


def _log_of(case: Case) -> str:
    """What is started so that it writes a log."""
    trace = None if case.run is None else case.run.trace
    return _LOG if options_of_engine(trace) is None else _LOG_OF_ENGINE


def lazy_backward(case: Case) -> Iterator[Claim]:
    """A backward that is compiled when it first runs gets no node mapping."""
    lazy = [
        graph
        for graph in case.given
        if any(LAZY_BACKWARD in fact.brings for fact in facts_missing(graph))
    ]
    rows = _units_by_lack(case, lazy)
    if rows:
        yield Claim(
            slug="lazy-backward",
            what=f"{_say_graphs(lazy)} compiled lazily: Inductor writes no node mapping for it",
            do=f"{LAZY_BACKWARD}, before the model is compiled{_despite_cache(lazy)}.",
            then="nodes of the backward's fused kernels, and the modules that they show",
            rows=rows,
        )


def _despite_cache(lazy: Sequence[CompiledGraph]) -> str:
    """What else it takes where Inductor's cache gave a backward that an earlier run compiled."""
    hits = any(emitted.cache is CacheOutcome.HIT for graph in lazy for emitted in graph.emitted)
    if not hits:
        return ""
    return ", and with another TORCHINDUCTOR_CACHE_DIR: the cache holds it without a mapping"


def log_missing(case: Case) -> Iterator[Claim]:
    """Provenance is on, but the log with stack traces and graph texts was not given.

    C++ wrappers are left out: what a log says of their modules is not known.
    """
    texts = {Artifact.STACKS, Artifact.POST_GRAD, Artifact.PRE_GRAD}
    # Provenance is on, and neither a log nor the texts from one were given.
    bare = [
        graph
        for graph in case.given
        if _has_provenance(graph)
        and not graph.emitted
        and not texts & set(graph.artifacts)
        and not any(call.operands or call.recorded for call in graph.calls)
    ]
    rows = _units_by_lack(case, bare)
    if rows:
        yield Claim(
            slug="log-missing",
            what=f"{_say_graphs(bare)} with handles or a node mapping, but without graph text and "
            "stack traces",
            do=f"Give the log as well: {_log_of(case)}.",
            then="source lines and modules",
            rows=rows,
        )


def handles_missing(case: Case) -> Iterator[Claim]:
    """A node mapping without handles: it says nothing of library calls, nor of equal kernels."""
    # As older torch writes it: a node mapping, and neither handles nor stack traces.
    old = [
        graph
        for graph in case.given
        if Artifact.MAPPING in graph.artifacts
        and {HANDLES, str(Artifact.STACKS)} <= {fact.what for fact in facts_missing(graph)}
    ]
    rows = _units_by_lack(case, old)
    if rows:
        yield Claim(
            slug="handles-missing",
            what=f"{_say_graphs(old)} with a node mapping, but without debug handles and stack "
            "traces",
            do="INDUCTOR_PROVENANCE=1 with a newer torch, one that writes `[Provenance debug "
            "handles]` into the code.",
            then=_say_what_it_brings(rows),
            rows=rows,
        )


def lines_of_torch(case: Case) -> Iterator[Claim]:
    """All facts were found, and no stack holds a line: the compiled module is one of torch itself.

    Dynamo records frames from the compiled function inward; an nn.Sequential has none of the user.
    """
    # Compile ids of which some graph has a line.
    # A backward may lack lines that its forward has: then the compiled module is the user's.
    lined = {
        graph.compile_id
        for graph in case.given
        if any(call.lines for call in graph.calls) or any(node.lines for node in graph.nodes)
    }
    bare = [
        graph
        for graph in case.given
        if graph.calls
        and graph.compile_id is not None
        and graph.compile_id not in lined
        and str(Artifact.STACKS) not in {fact.what for fact in facts_missing(graph)}
    ]
    inside = case.of_graphs(bare) & case.mask_lacking(Lack.LINE)
    if inside.any():
        yield Claim(
            slug="lines-of-torch",
            what=f"{_say_graphs(bare)} without a line of yours: what was compiled is a module of "
            "torch itself, such as nn.Sequential, and stacks begin in it",
            do="Compile a function or a module of your own that calls it; where its forward calls "
            "the layers one by one, each has a line of its own.",
            then="source lines",
            rows={Lack.LINE: inside},
        )


def _units_by_lack(case: Case, graphs: Sequence[CompiledGraph]) -> dict[Lack, Bool]:
    """Units of the graphs, by what any of them lack of nodes, lines and modules."""
    # What the graphs' units lack, a mask each; only where there is something.
    inside = case.of_graphs(graphs)
    lacking = {lack: inside & case.mask_lacking(lack) for lack in _DETAILS}
    return {lack: rows for lack, rows in lacking.items() if rows.any()}


def _say_what_it_brings(rows: Mapping[Lack, Bool]) -> str:
    """What would be there: all that is missing of some call."""
    return join_all([what for lack, what in _DETAILS.items() if lack in rows])


def _has_provenance(graph: CompiledGraph) -> bool:
    absent = {fact.what for fact in facts_missing(graph)}
    return not {HANDLES, str(Artifact.MAPPING), str(Artifact.STACKS)} <= absent


def _say_graphs(graphs: Sequence[CompiledGraph]) -> str:
    return f"{format_count(len(graphs), 'graph')} ({join_some([graph.id for graph in graphs])})"
