"""Worlds, and what is known of the code that runs in them: what accuracy is told for.

The first ones are what profiles are like, the others are hard: code is missing or given in vain,
names repeat, another thread is at work, much is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from msgspec import structs

from kernelmap.model import CompiledGraph, CompiledProgram
from worlds.recordings import Recording
from worlds.world import World

NOISY = World(drop=0.01, cut=True)
BARE = replace(NOISY, host=False)
LEGACY = replace(BARE, names="legacy")
REPLAY = replace(NOISY, cuda_graphs=True)
UNSEEN = replace(REPLAY, capture=False)


@dataclass(frozen=True, slots=True)
class Case:
    """A program as it runs, and the code of it that is given."""

    runs: CompiledProgram
    given: CompiledProgram


@dataclass(frozen=True, slots=True)
class Situation:
    """A world, and what is known of its code; `cases` gives none for a program that cannot be so.

    `cases` takes the program and another one that may run beside it.
    """

    name: str
    world: World
    cases: Callable[[CompiledProgram, CompiledProgram], Case | None]
    recording: Recording = "kineto"


def _whole(program: CompiledProgram, _: CompiledProgram) -> Case:
    return Case(program, program)


def _one_name(program: CompiledProgram, _: CompiledProgram) -> Case:
    """New Triton with unique kernel names off: every kernel runs as `triton_`."""
    return _whole(legacy(program), program)


def _legacy(program: CompiledProgram, _: CompiledProgram) -> Case:
    named = legacy(program)
    return Case(named, named)


def _missing(program: CompiledProgram, other: CompiledProgram) -> Case:
    """The code of another program that ran is not given."""
    return Case(both(program, other), program)


def _missing_legacy(program: CompiledProgram, other: CompiledProgram) -> Case:
    return _missing(legacy(program), legacy(other))


def _half(program: CompiledProgram, _: CompiledProgram) -> Case | None:
    """Only the first graph's code is given."""
    if len(program.graphs) == 1:
        return None
    return Case(program, structs.replace(program, graphs=program.graphs[:1]))


def _idle(program: CompiledProgram, other: CompiledProgram) -> Case:
    """Code is given that never ran."""
    return Case(program, both(program, other))


def _idle_legacy(program: CompiledProgram, other: CompiledProgram) -> Case:
    return _idle(legacy(program), legacy(other))


def _shared(program: CompiledProgram, _: CompiledProgram) -> Case | None:
    """Two graphs name their kernels alike."""
    if len(program.graphs) == 1:
        return None
    named = sharing_names(program)
    return Case(named, named)


def _together(program: CompiledProgram, other: CompiledProgram) -> Case:
    """Two programs in one process."""
    return Case(both(program, other), both(program, other))


def _half_of_two(program: CompiledProgram, other: CompiledProgram) -> Case:
    """Two programs in one process, whose graphs name their kernels alike; every other is given."""
    runs = both(program, other)
    if len(runs.graphs) > 1:
        runs = sharing_names(runs, every=2)
    return Case(runs, structs.replace(runs, graphs=runs.graphs[::2]))


SITUATIONS = (
    Situation("host ranges", NOISY, _whole),
    Situation("host ranges, no cache key", replace(NOISY, graph_ranges="none"), _whole),
    Situation("NVTX ranges", NOISY, _whole, "nsys"),
    Situation("nsys graph nodes", REPLAY, _whole, "nsys"),
    Situation("bundle node map", UNSEEN, _whole, "node map"),
    Situation("GPU only, unique names", BARE, _whole),
    Situation("bare nsys, unique names", NOISY, _whole, "nsys bare"),
    Situation("replay, capture seen", REPLAY, _whole),
    Situation("replay, capture seen, two streams", replace(REPLAY, streams=2), _whole),
    Situation("replay, capture not seen", UNSEEN, _whole),
    Situation(
        "replay, capture not seen, two streams",
        replace(UNSEEN, streams=2),
        _whole,
    ),
    Situation("bare nsys, replay, capture not seen", UNSEEN, _whole, "nsys bare"),
    Situation("GPU only, legacy names", LEGACY, _legacy),
    Situation("bare nsys, legacy names", replace(NOISY, names="legacy"), _legacy, "nsys bare"),
    Situation(
        "replay, capture not seen, legacy names",
        replace(UNSEEN, names="legacy"),
        _legacy,
    ),
    Situation("GPU only, one name for all kernels", BARE, _one_name),
    Situation("unique: another program's code missing", BARE, _missing),
    Situation("unique: a graph's code missing", BARE, _half),
    Situation("unique: code given that never ran", BARE, _idle),
    Situation("unique: graphs share names", BARE, _shared),
    Situation("unique: another thread between", replace(BARE, other_thread=0.2), _whole),
    Situation("unique: order changes", replace(BARE, shuffle=True), _together),
    Situation("unique: 5 % lost", replace(BARE, drop=0.05), _whole),
    Situation("unique: long libraries", replace(BARE, long=True), _whole),
    Situation("unique: long libraries, bare nsys", replace(NOISY, long=True), _whole, "nsys bare"),
    Situation("unique: half of two programs missing", replace(BARE, long=True), _half_of_two),
    Situation("unique: two threads", replace(BARE, threads=2, long=True), _together),
    Situation("unique: vendor names", replace(BARE, long=True, vendor=True), _whole),
    Situation("unique: 3 steps", replace(BARE, invocations=3), _whole),
    Situation("unique: autotuned before", replace(BARE, tuned_before=True), _whole),
    Situation("legacy: long libraries", replace(LEGACY, long=True), _legacy),
    Situation("legacy: another program's code missing", LEGACY, _missing_legacy),
    Situation("legacy: code given that never ran", LEGACY, _idle_legacy),
    Situation("legacy: another thread between", replace(LEGACY, other_thread=0.2), _legacy),
    Situation("legacy: 5 % lost", replace(LEGACY, drop=0.05), _legacy),
)


def legacy(program: CompiledProgram) -> CompiledProgram:
    """The program as torch before 2.4 wrote it: every function is called `triton_`."""

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        kernels = (
            structs.replace(k, function="triton_") if k.function.startswith("triton_") else k
            for k in graph.kernels
        )
        return structs.replace(graph, kernels=tuple(kernels))

    return structs.replace(program, graphs=tuple(map(renamed, program.graphs)))


def unique(program: CompiledProgram) -> CompiledProgram:
    """The program as Inductor writes it by default: a function is called as its kernel."""

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        kernels = (
            structs.replace(k, function=k.name) if k.function == "triton_" else k
            for k in graph.kernels
        )
        return structs.replace(graph, kernels=tuple(kernels))

    return structs.replace(program, graphs=tuple(map(renamed, program.graphs)))


def sharing_names(program: CompiledProgram, *, every: int = 1) -> CompiledProgram:
    """The same program, its second graph's kernels named like the first one's, or some of them."""
    first, second, *rest = program.graphs
    pairs = zip([k.name for k in second.kernels], [k.name for k in first.kernels], strict=False)
    names = dict(list(pairs)[::every])

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        return structs.replace(
            graph,
            kernels=tuple(
                structs.replace(
                    k, name=names.get(k.name, k.name), function=names.get(k.name, k.name)
                )
                for k in graph.kernels
            ),
            calls=tuple(
                structs.replace(
                    c,
                    wrapper=names.get(c.wrapper, c.wrapper),
                    kernel=names.get(c.kernel, c.kernel) if c.kernel else None,
                )
                for c in graph.calls
            ),
        )

    return structs.replace(program, graphs=(first, renamed(second), *rest))


def both(program: CompiledProgram, other: CompiledProgram) -> CompiledProgram:
    """Two programs as one; the graphs of the second get names of their own."""
    others = (structs.replace(graph, id=f"other_{graph.id}") for graph in other.graphs)
    return structs.replace(program, graphs=(*program.graphs, *others))
