"""Graphs of several files → ids that are unique in the program.

Graphs that bear the same id (two programs, two ranks) get a prefix: the shortest part of their
paths that tells all of them apart, `rank0/0_forward`. The result follows from the full paths alone,
never from the order in which they were given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kernelmap.model import CompiledGraph

_KIND_ORDER = {"forward": 0, "inference": 1, "backward": 2}


def with_unique_ids(graphs: Sequence[CompiledGraph]) -> tuple[CompiledGraph, ...]:
    """The graphs under unique ids: programs by prefix, in each by number, forward first."""
    groups: dict[str, list[CompiledGraph]] = defaultdict(list)
    for graph in graphs:
        groups[graph.id].append(graph)
    prefixes: dict[str, str] = {}
    for group in groups.values():
        if len(group) > 1:
            prefixes |= distinguishing({graph.code or "": _parts(graph) for graph in group})
    named = [(prefixes.get(graph.code or "", ""), _number(graph), graph) for graph in graphs]
    ordered = sorted(named, key=lambda each: (_natural(each[0]), each[1], _parts(each[2])))
    return tuple(
        replace(graph, id=f"{prefix}/{graph.id}" if prefix else graph.id)
        for prefix, _, graph in ordered
    )


def distinguishing(paths: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Key → the shortest part of its path that no other path has at the same place.

    >>> distinguishing({"a": ("run", "rank0", "x"), "b": ("run", "rank1", "x")})
    {'a': 'rank0', 'b': 'rank1'}
    """
    every = _without_common_ends(list(paths.values()))
    shortest = min(len(parts) for parts in every)
    best: list[str] | None = None
    for place in (*range(shortest), *range(-1, -shortest - 1, -1)):
        labels = [parts[place] for parts in every]
        if len(set(labels)) == len(labels) and (best is None or _longest(labels) < _longest(best)):
            best = labels
    if best is None:
        best = ["/".join(parts) for parts in every]
    return dict(zip(paths, best, strict=True))


def _without_common_ends(every: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    start = 0
    while all(len(parts) > start for parts in every) and len({p[start] for p in every}) == 1:
        start += 1
    rest = [parts[start:] for parts in every]
    while all(len(parts) > 1 for parts in rest) and len({parts[-1] for parts in rest}) == 1:
        rest = [parts[:-1] for parts in rest]
    return rest


def _longest(labels: Sequence[str]) -> int:
    return max(map(len, labels))


def _parts(graph: CompiledGraph) -> tuple[str, ...]:
    return Path(graph.code or "").resolve().parts


def _number(graph: CompiledGraph) -> tuple[int, int, str]:
    number = (graph.aot_id or "").partition("_")[0]
    known = int(number) if number.isascii() and number.isdecimal() else 0
    return known, _KIND_ORDER.get(graph.kind or "", len(_KIND_ORDER)), graph.id


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts rank2 before rank10."""
    digits = "".join(char if char.isascii() and char.isdecimal() else " " for char in text).split()
    words = "".join(" " if char.isascii() and char.isdecimal() else char for char in text).split()
    return tuple((0, word) for word in words) + tuple((int(each), "") for each in digits)
