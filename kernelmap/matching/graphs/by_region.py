"""Graphs that fit alike, told apart by the compile ids of Dynamo's regions.

A function that is compiled again (`0/1` after `0/0`) often runs the same statements. Where no cache
key names the graph, the region around it does: the profile records its compile id, the log that of
each graph. A graph whose compile id nobody stated may be any of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.identify import Identity
from kernelmap.matching.host_side.groups import Group
from kernelmap.model import CompiledGraph, Confidence, Reason


def told_by_region(
    known: Sequence[Candidate],
    groups: Sequence[Group],
    identities: Sequence[Identity],
    regions: Sequence[str | None],
) -> tuple[Identity, ...]:
    """`identities`, with fewer graphs where `regions`, the compile ids around the groups, tell.

    Groups of one cache key ran one graph, so their regions have to agree on it.
    """
    fitting: dict[object, set[int]] = {}
    around: dict[object, set[str]] = defaultdict(set)
    buckets = [
        group.key if group.key is not None else number for number, group in enumerate(groups)
    ]
    for bucket, identity, region in zip(buckets, identities, regions, strict=True):
        if identity.alike and region is not None:
            mine = {at for at in identity.graphs if _may_be(known[at].graph, region)}
            fitting[bucket] = fitting.get(bucket, mine) & mine
            around[bucket].add(region)
    return tuple(
        _narrowed(identity, fitting.get(bucket, set()), around[bucket])
        if identity.alike
        else identity
        for bucket, identity in zip(buckets, identities, strict=True)
    )


def _narrowed(identity: Identity, graphs: set[int], regions: set[str]) -> Identity:
    kept = tuple(at for at in identity.graphs if at in graphs)
    if not kept or kept == identity.graphs:
        return identity
    why = f"{identity.why}; Dynamo's region has compile id {', '.join(sorted(regions))}"
    if len(kept) > 1:
        return replace(identity, graphs=kept, why=why)
    return replace(
        identity,
        graphs=kept,
        confidence=Confidence.EXACT,
        reason=Reason.NONE,
        why=why,
        alike=False,
    )


def _may_be(graph: CompiledGraph, region: str) -> bool:
    """Whether the graph was compiled in this region, for all that is known."""
    stated = {each.compilation.compile_id for each in graph.emitted}
    if graph.compile_id is not None:
        stated.add(graph.compile_id.partition("_")[0])
    return not stated or region in stated
