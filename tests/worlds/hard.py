"""Worlds in which little tells calls apart: rows of docs/accuracy.md over programs nobody compiled.

Each row draws a program and a world from a seed (programs.py). What cannot be decided at all is
marked in the truth (undecidable.py). Durations say nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from msgspec import structs

from kernelmap.model import CompiledProgram
from worlds.programs import PRODUCTS, SORTS, edges, piecewise, small_graphs, trained
from worlds.recordings import Recording
from worlds.situations import Case, both, legacy
from worlds.world import World

BARE = World(drop=0.01, cut=True, host=False, long=True, invocations=16)
CHANGING = replace(BARE, drawn=True, between=0.3)
LEGACY = replace(BARE, names="legacy")
UNSEEN = replace(BARE, host=True, cuda_graphs=True, capture=False)
API_ROWS = replace(BARE, apis=True)
NSYS = replace(BARE, host=True)
CONVOLUTION = "aten.convolution_backward"
ATTENTION = "aten._scaled_dot_product_flash_attention_backward"

Draw = Callable[[int], Case]


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of world: `case` draws what runs and what is given.

    `invocations` are drawn from a range where there is one.
    """

    name: str
    world: World
    case: Draw
    recording: Recording = "kineto"
    invocations: range | None = None

    def played(self, seed: int) -> World:
        """The world of one seed."""
        world = replace(self.world, seed=seed)
        if self.invocations is None:
            return world
        return replace(world, invocations=self.invocations[seed % len(self.invocations)])


def _given(program: Callable[[int], CompiledProgram]) -> Draw:
    def case(seed: int) -> Case:
        drawn = program(seed)
        return Case(drawn, drawn)

    return case


def _legacy(draw: Draw) -> Draw:
    def case(seed: int) -> Case:
        drawn = draw(seed)
        return Case(legacy(drawn.runs), legacy(drawn.given))

    return case


def _withheld(draw: Draw, *, one_in: int) -> Draw:
    """One graph in `one_in` is not given."""

    def case(seed: int) -> Case:
        runs = draw(seed).runs
        kept = [graph for at, graph in enumerate(runs.graphs) if (at + seed) % one_in]
        return Case(runs, structs.replace(runs, graphs=tuple(kept)))

    return case


def _idle(draw: Draw) -> Draw:
    """Given are graphs of the same model that never ran."""

    def case(seed: int) -> Case:
        runs = draw(seed).runs
        ran = [graph for at, graph in enumerate(runs.graphs) if (at + seed) % 4]
        return Case(structs.replace(runs, graphs=tuple(ran)), runs)

    return case


def _small(count: int, calls: tuple[int, int] = (2, 8)) -> Draw:
    return _given(lambda seed: small_graphs(seed, count, calls=calls))


def _edges(operators: tuple[str, ...], repeat: int = 1) -> Draw:
    return _given(lambda seed: edges(seed, operators, repeat=repeat))


def _trained(last: str) -> Draw:
    return _given(lambda seed: trained(seed, last))


def _piecewise(layers: int) -> Draw:
    return _given(lambda seed: piecewise(seed, layers))


def _together(first: Draw, second: Draw) -> Draw:
    def case(seed: int) -> Case:
        program = both(first(seed).runs, second(seed).runs)
        return Case(program, program)

    return case


def _elsewhere(draw: Draw) -> Draw:
    """No code of what ran is given, only graphs of the same model that did not run."""

    def case(seed: int) -> Case:
        graphs = draw(seed).runs.graphs
        half = len(graphs) // 2
        program = draw(seed).runs
        return Case(
            structs.replace(program, graphs=graphs[:half]),
            structs.replace(program, graphs=graphs[half:]),
        )

    return case


def _doubled(draw: Draw) -> Draw:
    """Each graph was compiled twice, to the same kernels."""

    def case(seed: int) -> Case:
        program = draw(seed).runs
        return _given(lambda _: both(program, program))(seed)

    return case


_LARGER = (6, 20)
_THREADS = _together(_small(6, (3, 12)), _edges(SORTS))
_CHANGING_LEGACY = replace(CHANGING, names="legacy")
_CHANGING_UNSEEN = replace(UNSEEN, drawn=True, between=0.3)
_FEW = range(2, 5)

ROWS = (
    Row("3 small graphs in changing order", CHANGING, _small(3)),
    Row("8 small graphs in changing order", CHANGING, _small(8)),
    Row("20 small graphs in changing order", CHANGING, _small(20)),
    Row("60 small graphs in changing order", replace(CHANGING, invocations=8), _small(60)),
    Row("20 small graphs, bare nsys", replace(CHANGING, host=True), _small(20), "nsys bare"),
    Row("20 small graphs, replays", _CHANGING_UNSEEN, _small(20)),
    Row("20 small graphs, replays, bare nsys", _CHANGING_UNSEEN, _small(20), "nsys bare"),
    Row("20 small graphs, 5 % lost", replace(CHANGING, drop=0.05), _small(20)),
    Row("8 graphs, legacy names, changing order", _CHANGING_LEGACY, _legacy(_small(8, _LARGER))),
    Row(
        "8 graphs, legacy names, 5 % lost", replace(LEGACY, drop=0.05), _legacy(_small(8, _LARGER))
    ),
    Row("6 graphs compiled twice, changing order", CHANGING, _doubled(_small(6))),
    Row("6 graphs, 2 to 4 invocations", BARE, _small(6, _LARGER), invocations=_FEW),
    Row("sorts at edges, 2 to 4 invocations", BARE, _edges(SORTS), invocations=_FEW),
    Row("sorts at edges", BARE, _edges(SORTS)),
    Row("sorts at edges, changing order", CHANGING, _edges(SORTS)),
    Row("sorts at edges, 5 % lost", replace(BARE, drop=0.05), _edges(SORTS)),
    Row("sorts at edges, bare nsys", NSYS, _edges(SORTS), "nsys bare"),
    Row("sorts at edges, replays", UNSEEN, _edges(SORTS)),
    Row("sorts at edges, replays, bare nsys", UNSEEN, _edges(SORTS), "nsys bare"),
    Row("sorts at edges, legacy names", LEGACY, _legacy(_edges(SORTS))),
    Row("three products in a row", BARE, _edges(PRODUCTS, 3)),
    Row("three products in a row, changing order", CHANGING, _edges(PRODUCTS, 3)),
    Row("three products in a row, bare nsys", NSYS, _edges(PRODUCTS, 3), "nsys bare"),
    Row("three products in a row, legacy names", LEGACY, _legacy(_edges(PRODUCTS, 3))),
    Row("convolution backward last", BARE, _trained(CONVOLUTION)),
    Row("convolution backward last, legacy names", LEGACY, _legacy(_trained(CONVOLUTION))),
    Row("attention backward last", BARE, _trained(ATTENTION)),
    Row("attention backward last, bare nsys", NSYS, _trained(ATTENTION), "nsys bare"),
    Row("attention backward last, replays", UNSEEN, _trained(ATTENTION)),
    Row("two threads, two streams", replace(BARE, threads=2), _THREADS),
    Row("two threads, two streams, legacy names", replace(LEGACY, threads=2), _legacy(_THREADS)),
    Row("two threads, api rows", replace(API_ROWS, threads=2), _THREADS),
    Row("two threads, bare nsys", replace(NSYS, threads=2), _THREADS, "nsys bare"),
    Row("two threads, one stream, api rows", replace(API_ROWS, threads=2, shared=True), _THREADS),
    Row(
        "two threads, one stream, bare nsys",
        replace(NSYS, threads=2, shared=True),
        _THREADS,
        "nsys bare",
    ),
    Row("half of 20 small graphs withheld", CHANGING, _withheld(_small(20), one_in=2)),
    Row(
        "half of 20 small graphs withheld, replays",
        _CHANGING_UNSEEN,
        _withheld(_small(20), one_in=2),
    ),
    Row("half of 8 graphs withheld", BARE, _withheld(_small(8, _LARGER), one_in=2)),
    Row(
        "half of 8 graphs withheld, legacy names",
        _CHANGING_LEGACY,
        _legacy(_withheld(_small(8, _LARGER), one_in=2)),
    ),
    Row(
        "one of 4 graphs withheld, legacy names",
        LEGACY,
        _legacy(_withheld(_small(4, _LARGER), one_in=4)),
    ),
    Row("all that ran withheld", CHANGING, _elsewhere(_small(16))),
    Row("a quarter of 8 given graphs never ran", BARE, _idle(_small(8))),
    Row("vendor names, 20 small graphs", replace(CHANGING, vendor=True), _small(20)),
    Row("vendor names, sorts at edges", replace(BARE, vendor=True), _edges(SORTS)),
    Row(
        "vendor names, sorts at edges, changing order",
        replace(CHANGING, vendor=True),
        _edges(SORTS),
    ),
    Row("autotuning before the first step", replace(BARE, tuned_before=True), _small(6, _LARGER)),
    Row(
        "autotuning before the first step, legacy names",
        replace(LEGACY, tuned_before=True),
        _legacy(_small(6, _LARGER)),
    ),
    Row("24 equal layers in constant order", BARE, _piecewise(24)),
    Row("24 equal layers, eager work between", replace(BARE, between=0.5), _piecewise(24)),
    Row("12 equal layers, 5 % lost", replace(BARE, drop=0.05), _piecewise(12)),
    Row("24 equal layers, bare nsys", NSYS, _piecewise(24), "nsys bare"),
    Row("24 equal layers, replays, bare nsys", UNSEEN, _piecewise(24), "nsys bare"),
    Row("5 equal layers in changing order", replace(BARE, shuffle=True), _piecewise(5)),
    Row(
        "5 equal layers in changing order, legacy names",
        replace(LEGACY, shuffle=True),
        _legacy(_piecewise(5)),
    ),
)
