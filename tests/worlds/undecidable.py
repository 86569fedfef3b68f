"""What nobody can decide in a simulated profile: launches that belong to one of several calls.

Three things make a launch so. Graphs that launch the same, in an order that changes from step to
step: any of them may have run. Losses: of three equal launches in a row two are left, and nothing
says which. And library calls that always follow one another, under names that say nothing: where
the kernels of one end and those of the next begin is nowhere to be seen. All of that follows from
the program and from what was lost, not from any matcher. Launches with more than MOST candidates
are not marked: they count as everything else does.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby

from kernelmap.model import CompiledGraph
from worlds.configs import legacy_name
from worlds.libraries import VENDOR
from worlds.rows import Row
from worlds.world import World

MOST = 6

Call = tuple[str, int]
Token = tuple[str, str, str, str]


def alike(graphs: Iterable[CompiledGraph], world: World) -> Mapping[str, tuple[str, ...]]:
    """The graphs that launch the same as each graph, itself included, where their order changes."""
    if not (world.shuffle or world.drawn):
        return {}
    groups: defaultdict[object, list[str]] = defaultdict(list)
    for graph in graphs:
        if graph.kind != "backward":  # their order never changes
            groups[_looks(graph, world)].append(graph.id)
    return {name: tuple(group) for group in groups.values() if len(group) > 1 for name in group}


def _looks(graph: CompiledGraph, world: World) -> tuple[object, ...]:
    looks: list[object] = []
    for call in graph.calls:
        kernel = graph.kernel_of(call)
        if kernel is None:
            looks.append(call.target or call.wrapper)
        else:
            name = legacy_name(kernel) if world.names == "legacy" else kernel.function
            looks.append((name, call.numels))
    return tuple(looks)


def undecidable(
    rows: Iterable[Row],
    kept: Iterable[Row],
    alike: Mapping[str, tuple[str, ...]],
    unnamed: Mapping[int, AbstractSet[Call]],
) -> dict[int, tuple[Call, ...]]:
    """Candidates of what is left of `rows`, by the row's identity (`id`), where several stand."""
    left = {id(row) for row in kept}
    runs: defaultdict[tuple[str, int | None], list[Row]] = defaultdict(list)
    for row in rows:
        if row.owner is not None and row.owner.graph is not None:
            runs[row.owner.graph, row.owner.invocation].append(row)
    marks: dict[int, tuple[Call, ...]] = {}
    for (graph, _), launched in runs.items():
        graphs = alike.get(graph, (graph,))
        seen = [row for row in launched if id(row) in left]
        for row, calls in zip(seen, _calls(launched, seen), strict=True):
            candidates = {(name, call) for name in graphs for call in calls}
            candidates |= unnamed.get(id(row), set())
            if 1 < len(candidates) <= MOST:
                marks[id(row)] = tuple(sorted(candidates))
    return marks


def unnamed(rows: Iterable[Row], world: World) -> dict[int, set[Call]]:
    """The calls that library launches may belong to where names say nothing, by `id` of the row.

    Each call of a run of library calls has one launch at least. A run ends with its graph where the
    order of graphs changes, and where anything else is launched.
    """
    if not world.vendor:
        return {}
    changing = world.shuffle or world.drawn
    candidates: dict[int, set[Call]] = {}
    launched = [row for row in rows if row.owner is not None]
    for _, group in groupby(launched, key=lambda row: _place(row, changing=changing)):
        run = [row for row in group if _is_library(row)]
        calls = list(dict.fromkeys(_owner(row) for row in run))
        for at, row in enumerate(run):
            first = max(0, len(calls) - (len(run) - at))
            candidates[id(row)] = {(graph, call) for graph, _, call in calls[first : at + 1]}
    return candidates


def _place(row: Row, *, changing: bool) -> tuple[object, ...]:
    """What stays the same along a run of library launches."""
    if not _is_library(row):
        return (None,)
    graph, invocation, _ = _owner(row)
    return (graph, invocation) if changing else ("library",)


def _is_library(row: Row) -> bool:
    """Whether a library that a call runs launched it, as far as a vendor's names tell."""
    in_call = row.owner is not None and row.owner.call is not None
    return in_call and row.name.startswith((VENDOR, "Memset", "Memcpy"))


def _owner(row: Row) -> tuple[str, int | None, int]:
    owner = row.owner
    return (owner.graph or "", owner.invocation, _call(row)) if owner else ("", None, -1)


def _calls(launched: Sequence[Row], seen: Sequence[Row]) -> list[set[int]]:
    """The calls that each launch may belong to, so that the other launches still fit around it."""
    if len(launched) == len(seen):
        return [{_call(row)} for row in seen]
    tokens = [_token(row) for row in launched]
    places: defaultdict[Token, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        places[token].append(place)
    earliest = _earliest(tokens, [_token(row) for row in seen])
    backwards = _earliest(tokens[::-1], [_token(row) for row in reversed(seen)])
    latest = [len(tokens) - 1 - place for place in reversed(backwards)]
    candidates: list[set[int]] = []
    for at, row in enumerate(seen):
        after = earliest[at - 1] if at else -1
        before = latest[at + 1] if at + 1 < len(seen) else len(tokens)
        stand = places[_token(row)]
        fitting = stand[bisect_right(stand, after) : bisect_left(stand, before)]
        candidates.append({_call(launched[place]) for place in fitting})
    return candidates


def _earliest(tokens: Sequence[Token], seen: Sequence[Token]) -> list[int]:
    """The first place of each token seen, each after the one before."""
    places: list[int] = []
    at = 0
    for token in seen:
        while tokens[at] != token:
            at += 1
        places.append(at)
        at += 1
    return places


def _token(row: Row) -> Token:
    return row.category, row.name, str(row.args.get("grid")), str(row.args.get("block"))


def _call(row: Row) -> int:
    call = row.owner.call if row.owner else None
    return -1 if call is None else call
