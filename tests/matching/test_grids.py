"""Grids that a call can launch: its sizes over powers of two, and nothing else."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import tiny
from kernelmap.matching.names.grids import may_launch, sizes_of
from kernelmap.model import CompiledGraph, KernelDef
from matching.bare import matched, named

SIZE = st.integers(1, 1 << 24)
BLOCK = st.integers(0, 12).map(lambda power: 1 << power)


@given(width=SIZE, height=SIZE, x=BLOCK, y=BLOCK)
def test_every_grid_that_inductor_computes_is_possible(
    width: int, height: int, x: int, y: int
) -> None:
    """Whatever powers of two the autotuner chose for blocks."""
    grid = [-(-width // x), -(-height // y), 1]

    assert may_launch((width, height), grid)


@given(size=st.integers(1, 2000), blocks=st.integers(1, 2000))
def test_no_other_grid_is(size: int, blocks: int) -> None:
    """Held against all powers of two, one by one."""
    computed = {-(-size // (1 << power)) for power in range(12)}

    assert may_launch((size, 1), [blocks, 1, 1]) is (blocks in computed)


def test_a_third_dimension_is_of_something_else() -> None:
    """Grids of one or two dimensions are one block deep; what is not known hinders nothing."""
    assert not may_launch((64, 64), [64, 64, 2])
    assert may_launch(None, [64, 64, 2])
    assert may_launch((64, 64), [-1, -1, -1])


def sized(*numels: int, **meta: object) -> tuple[int, int] | None:
    """The sizes of a call of a kernel with these numels, named by `names`."""
    names = meta.pop("names", ("xnumel",))
    heuristic = meta.pop("heuristic", "pointwise")
    graph = with_sizes(tiny.graph("0_forward", "k_a"), numels, names, heuristic, meta)
    return sizes_of(graph, graph.calls[0])


def with_sizes(
    graph: CompiledGraph,
    numels: tuple[int, ...],
    names: object = ("xnumel",),
    heuristic: object = "pointwise",
    meta: object = None,
) -> CompiledGraph:
    """The graph, whose calls have `numels` under `names`."""
    assert isinstance(names, tuple)

    def kernel(one: KernelDef) -> KernelDef:
        signature = (("in_ptr0", "*fp32"), *((name, "i32") for name in names))
        return replace(one, signature=signature, heuristic=heuristic, meta=meta or {})

    return replace(
        graph,
        calls=tuple(replace(call, numels=numels) for call in graph.calls),
        kernels=tuple(map(kernel, graph.kernels)),
    )


def test_names_of_the_signature_say_which_size_is_which() -> None:
    """The height stands before the width; sizes of reductions decide no grid."""
    assert sized(1000) == (1000, 1)
    assert sized(16, 2048, names=("ynumel", "xnumel")) == (2048, 16)
    assert sized(64, 768, names=("xnumel", "r0_numel"), heuristic="reduction") == (64, 1)
    assert sized(64, 768, names=("xnumel", "rnumel"), heuristic="persistent_reduction") == (64, 1)


@pytest.mark.parametrize(
    "kinds",
    [
        {"grid_type": "CooperativeReductionGrid"},
        {"heuristic": "split_scan"},
        {"heuristic": "template"},
        {"names": ("znumel", "ynumel", "xnumel")},
        {"names": ("xnumel_0", "xnumel_1")},
    ],
    ids=str,
)
def test_of_other_kernels_no_size_is_known(kinds: dict[str, object]) -> None:
    """Their grids follow other rules."""
    assert sized(*range(1, 1 + len(kinds.get("names", "x"))), **kinds) is None  # type: ignore[arg-type] # a tuple


def test_a_kernel_with_an_impossible_grid_runs_other_code() -> None:
    """Its name alone does not give it to the call, neither among others nor by itself."""
    graph = with_sizes(tiny.graph("0_forward", "k_a", "k_b"), (70, 256), ("xnumel", "r0_numel"))
    words = " ".join(["a b"] * 6)
    # 70 over powers of two: 70, 35, 18, 9, 5, 3, 2, 1; letters are their codes
    right, wrong = "FF" * 5, "GG"

    assert named(matched(words, graph, shapes=f"{right}FF")) == ["0/0", "0/1"] * 6
    assert named(matched(words, graph, shapes=right + wrong)) == ["0/0", "0/1"] * 5 + ["-", "-"]
    assert named(matched("a", graph, shapes="F")) == ["0/0"]
    assert named(matched("a", graph, shapes="G")) == ["-"]


def test_code_for_one_size_does_not_win_over_code_for_any() -> None:
    """Where both can launch the grid, both are named; where one cannot, the other is meant."""
    plain = tiny.graph("0_forward", "k_a", "k_b", "k_c")
    static = with_sizes(plain, (70, 256), ("xnumel", "r0_numel"))
    dynamic = tiny.graph("1_forward", "k_a", "k_b", "k_c")
    words = " ".join(["a b c"] * 8)
    answers = named(matched(words, static, dynamic, shapes="FFFGGG" * 4))

    for at, call in product(range(8), range(3)):
        said = answers[3 * at + call]
        assert said == f"1/{call}" if at % 2 else said.startswith("?") or said == "-"
