"""Which facts about a graph were found beside its code, which were not, and what brings those.

`facts_missing` takes a CompiledGraph, gives short records; the words are those of
docs/how-it-works.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from kernelmap.model import Artifact, CacheOutcome, CompiledGraph

HANDLES, COMPILE_ID, CACHE_KEY = "debug handles", "compile id", "cache key"
_PROVENANCE = "INDUCTOR_PROVENANCE=1 brings it"
_HAS_LOG = "a TORCH_TRACE log has it"
LAZY_BACKWARD = "torch._functorch.config.force_non_lazy_backward_lowering = True"
_LAZY = f"a backward that is compiled lazily has none; {LAZY_BACKWARD} brings it"


class Missing(Struct, frozen=True):
    """A kind of fact that was not found, and what to do about it."""

    what: str
    brings: str


def facts_present(graph: CompiledGraph) -> tuple[str, ...]:
    """The kinds of facts that were found for a graph."""
    absent = {fact.what for fact in facts_missing(graph)}
    kinds = (*map(str, Artifact), HANDLES, COMPILE_ID, CACHE_KEY)
    return tuple(kind for kind in kinds if kind not in absent)


def facts_missing(graph: CompiledGraph) -> tuple[Missing, ...]:
    """The kinds of facts that were not found; empty for a graph without calls to know more of."""
    return tuple(_iter_missing(graph))


def why_keyless(graphs: Iterable[CompiledGraph]) -> str:
    """Why graphs have no cache key, as far as their log says: both leave the same range."""
    bypassed = [
        emitted
        for graph in graphs
        for emitted in graph.emitted
        if emitted.cache is CacheOutcome.BYPASS
    ]
    if not bypassed:
        return "caches were off or bypassed"
    reasons = dict.fromkeys(emitted.bypass for emitted in bypassed if emitted.bypass)
    return "the cache was bypassed" + (f" ({'; '.join(reasons)})" if reasons else "")


def _iter_missing(graph: CompiledGraph) -> Iterator[Missing]:
    handles = any(call.handle is not None for call in graph.calls)
    has = frozenset(graph.artifacts)
    # Handles or stack traces show that provenance was on; then a backward without a node mapping
    # was compiled lazily.
    provenance = handles or Artifact.STACKS in has
    if Artifact.MAPPING not in has:
        lazy = provenance and graph.kind == "backward"
        plain = _HAS_LOG if provenance else _PROVENANCE
        yield Missing(str(Artifact.MAPPING), _LAZY if lazy else plain)
    if Artifact.STACKS not in has and not any(call.lines for call in graph.calls):
        hint = _HAS_LOG if handles else "INDUCTOR_PROVENANCE=1 brings them into a TORCH_TRACE log"
        yield Missing(str(Artifact.STACKS), hint)
    if Artifact.POST_GRAD not in has:
        yield Missing(
            str(Artifact.POST_GRAD), "a TORCH_TRACE log or a torch_compile_debug folder has it"
        )
    if Artifact.PRE_GRAD not in has:
        yield Missing(str(Artifact.PRE_GRAD), _HAS_LOG)
    if not handles:
        yield Missing(HANDLES, "INDUCTOR_PROVENANCE=1 brings them with new versions of torch")
    if graph.compile_id is None and not graph.emitted:
        yield Missing(COMPILE_ID, _HAS_LOG)
    if graph.cache_key is None:
        # Either the log was given and states no key, or no log was given.
        off = f"the log has none: {why_keyless([graph])}"
        yield Missing(CACHE_KEY, off if graph.emitted else _HAS_LOG)
