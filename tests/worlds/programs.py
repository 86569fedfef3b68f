"""Programs that nobody compiled, of the kinds that are hard to tell apart without a host side.

Each function draws a program from a seed: its kernels from a few sorts of fused work, as one model
has them, so that names repeat across graphs. No two graphs of a program are alike unless that is
what the program is about: alike are graphs that launch the same kernels and operators in one order.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from kernelmap.model import CompiledProgram
from worlds.written import Kernel, Library, Statement, Written, program_of

_OPS = (
    "add",
    "mul",
    "relu",
    "gelu",
    "silu",
    "clone",
    "cat",
    "where",
    "embedding",
    "_to_copy",
    "sigmoid",
    "rsqrt",
    "mean",
    "sum",
    "_softmax",
    "native_layer_norm",
)
_REDUCING = ("mean", "sum", "_softmax", "native_layer_norm")
_SIZES = (4096, 16384, 65536, 131072, 9216, 1001)
_ROWS = (64, 257, 1024, 4096)
PRODUCTS = ("aten.mm", "aten.addmm", "aten.bmm")
SORTS = ("aten.sort", "aten.topk", "aten.index_put_")
_OTHERS = ("aten.convolution", "aten._scaled_dot_product_flash_attention", "aten.cumsum")
_SORTS_OF_WORK = 12
_LIBRARY_SHARE = 0.3


def small_graphs(seed: int, count: int, *, calls: tuple[int, int] = (2, 8)) -> CompiledProgram:
    """`count` inference graphs of few calls, as graph breaks leave them."""
    rng = _rng(seed, "small", count)
    draw = _Draw(rng)
    return _program(lambda: draw.graph(rng.randint(*calls)), count)


def edges(seed: int, operators: tuple[str, ...], *, repeat: int = 1) -> CompiledProgram:
    """Graphs that begin, end, or both, with calls of some of `operators`, `repeat` in a row."""
    rng = _rng(seed, *operators)
    draw = _Draw(rng)

    def row() -> tuple[Statement, ...]:
        return tuple(Library(rng.choice(operators)) for _ in range(repeat))

    def graph() -> tuple[Statement, ...]:
        first, last = rng.choice(((1, 0), (0, 1), (1, 1)))
        middle = [*draw.kernels(1), *draw.graph(rng.randint(2, 8)), *draw.kernels(1)]
        if rng.random() < 1 / 2:
            middle.insert(rng.randint(1, len(middle) - 1), Library(rng.choice(operators)))
        return (*row() * first, *middle, *row() * last)

    return _program(graph, rng.randint(3, 6))


def trained(seed: int, last: str) -> CompiledProgram:
    """Two or three pairs of forward and backward; each backward ends with `last`."""
    rng = _rng(seed, "trained", last)
    draw = _Draw(rng)
    forward = "aten.convolution" if "convolution" in last else last.removesuffix("_backward")
    bodies: list[tuple[Statement, ...]] = []
    names: list[str] = []
    for pair in range(rng.randint(2, 3)):
        bodies.append((Library(forward), *draw.kernels(1), *draw.graph(rng.randint(3, 8))))
        bodies.append((*draw.graph(rng.randint(4, 10)), *draw.kernels(1), Library(last)))
        names += [f"{pair}_forward", f"{pair}_backward"]
    return program_of(tuple(map(Written, names, bodies)))


def piecewise(seed: int, layers: int) -> CompiledProgram:
    """A graph per layer with equal kernels, one before and one after them: cut at attention."""
    rng = _rng(seed, "piecewise", layers)
    draw = _Draw(rng)
    before: tuple[Statement, ...] = (
        Library("aten.embedding"),
        *draw.kernels(1),
        Library("aten.mm"),
        *draw.kernels(1),
    )
    layer: tuple[Statement, ...] = (
        Library("aten.mm"),
        *draw.kernels(1),
        Library("aten.mm"),
        *draw.kernels(1),
        Library("aten.mm"),
        *draw.kernels(rng.randint(1, 2)),
        Library("aten.mm"),
        *draw.kernels(1),
    )
    after: tuple[Statement, ...] = (*layer[:-2], *draw.kernels(1), Library("aten.mm"))
    bodies: list[tuple[Statement, ...]] = [before, *[layer] * layers, after]
    return program_of(
        tuple(Written(f"{number}_inference", body) for number, body in enumerate(bodies))
    )


class _Draw:
    """Graphs of one model: all from the same few sorts of fused work."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._work = [self._kernel() for _ in range(_SORTS_OF_WORK)]

    def _kernel(self) -> Kernel:
        rng = self._rng
        ops = tuple(rng.sample(_OPS, rng.choice((1, 1, 2, 2, 3))))
        rows = rng.choice(_ROWS)
        if not set(ops) & set(_REDUCING):
            return Kernel("poi", ops, (rng.choice(_SIZES),), rng.randint(2, 5))
        return Kernel(
            rng.choice(("red", "per")), ops, (rows, rng.choice((128, 512, 768))), rng.randint(2, 5)
        )

    def kernels(self, count: int) -> tuple[Kernel, ...]:
        """Generated calls only."""
        return tuple(self._rng.choice(self._work) for _ in range(count))

    def graph(self, calls: int) -> tuple[Statement, ...]:
        """About a third are library calls, but not all."""
        rng = self._rng
        drawn: list[Statement] = [
            Library(rng.choice(PRODUCTS if rng.random() < 2 / 3 else (*SORTS, *_OTHERS)))
            if rng.random() < _LIBRARY_SHARE
            else self.kernels(1)[0]
            for _ in range(calls)
        ]
        if not any(isinstance(statement, Kernel) for statement in drawn):
            drawn[rng.randrange(calls)] = self.kernels(1)[0]
        return tuple(drawn)


def _program(body: Callable[[], tuple[Statement, ...]], count: int) -> CompiledProgram:
    """`count` inference graphs; a body that is like an earlier one is drawn again."""
    graphs: dict[tuple[str, ...], Written] = {}
    while len(graphs) < count:
        graph = Written(f"{len(graphs)}_inference", body())
        graphs.setdefault(_looks(graph), graph)
    return program_of(tuple(graphs.values()))


def _looks(graph: Written) -> tuple[str, ...]:
    """The kernel names that a profile may show of a graph, all products under one name."""
    return tuple("product" if wrapper in PRODUCTS else wrapper for wrapper in graph.wrappers())


def _rng(*seed: object) -> Random:
    return Random(" ".join(map(str, seed)))  # noqa: S311 -- a simulation, not a secret
