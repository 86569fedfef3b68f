"""Graphs of several files → ids that are unique in the program.

Graphs that bear the same id (two programs, two ranks) get a prefix: the shortest part of their
paths that differs in all of them, `rank0/0_forward`. The result follows from the full paths alone,
never from the order in which they were given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from kernelmap.model import CompiledGraph

_Key = TypeVar("_Key")

_KIND_ORDER = {"forward": 0, "inference": 1, "backward": 2}


def kind_of(stated: str | None) -> str | None:
    """`forward` of `0_forward`, None for what is no id.

    >>> kind_of("0_forward")
    'forward'
    """
    number, _, kind = (stated or "").rpartition("_")
    return kind if number.isdecimal() and kind in _KIND_ORDER else None


def with_unique_ids(
    graphs: Sequence[tuple[CompiledGraph, tuple[str, ...]]],
) -> tuple[CompiledGraph, ...]:
    """The graphs, given with their places, under unique ids.

    Programs are sorted by their prefix, in each the graphs by number, forward first.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for number, (graph, _) in enumerate(graphs):
        groups[graph.id].append(number)
    prefixes: dict[int, str] = {}
    for group in groups.values():
        if len(group) > 1:
            prefixes |= distinguishing(_places([graphs[number] for number in group], group))
    named = [
        (prefixes.get(number, ""), _number(graph), place, graph)
        for number, (graph, place) in enumerate(graphs)
    ]
    ordered = sorted(
        named, key=lambda entry: (_natural(entry[0]), *entry[1:3], entry[3].code or "")
    )
    return tuple(
        replace(graph, id=f"{prefix}/{graph.id}" if prefix else graph.id)
        for prefix, _, _, graph in ordered
    )


def _places(
    group: Sequence[tuple[CompiledGraph, tuple[str, ...]]], numbers: Sequence[int]
) -> dict[int, tuple[str, ...]]:
    """Different places; graphs of one log differ in their code's file, at last in their order."""
    places = [place for _, place in group]
    if len(set(places)) < len(places):
        places = [(*place, *Path(graph.code or "").parts) for graph, place in group]
    if len(set(places)) < len(places):
        places = [(*place, str(at)) for at, place in enumerate(places)]
    return dict(zip(numbers, places, strict=True))


def distinguishing(paths: Mapping[_Key, tuple[str, ...]]) -> dict[_Key, str]:
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
    # `1/0_forward` would look like the compile id 1/0.
    named = [f"program{label}" if label.isdecimal() else label for label in best]
    return dict(zip(paths, named, strict=True))


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


def _number(graph: CompiledGraph) -> tuple[int, int, str]:
    number = (graph.aot_id or "").partition("_")[0]
    value = int(number) if number.isascii() and number.isdecimal() else 0
    return value, _KIND_ORDER.get(graph.kind or "", len(_KIND_ORDER)), graph.id


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    """A key that sorts rank2 before rank10."""
    digits = "".join(char if char.isascii() and char.isdecimal() else " " for char in text).split()
    words = "".join(" " if char.isascii() and char.isdecimal() else char for char in text).split()
    return tuple((0, word) for word in words) + tuple((int(run), "") for run in digits)
