"""Names: the legacy suffix, and what `which` makes of any name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.matching import Match, match_launches
from kernelmap.matching.explaining.hits import Hit
from kernelmap.matching.explaining.which import find_kernels, known_names
from kernelmap.matching.names.symbols import legacy_names, split_suffix
from kernelmap.model import Backend, CompiledProgram, KernelDef, Specialization
from kernelmap.model.names import backend_of, category_of
from kernelmap.suggestions import nearest
from tiny import Timeline, graph, program

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_1"


def special(function: str, positions: int, *sets: tuple[int, ...]) -> KernelDef:
    """A kernel of an older torch with the sets of 16, 1 and 8."""
    sixteen, ones, eight = sets
    return replace(
        graph("g", A).kernels[0],
        function=function,
        signature=tuple((str(i), "*fp32") for i in range(positions)),
        specialization=Specialization(
            divisible_by_16=sixteen, equal_to_1=ones, divisible_by_8=eight
        ),
    )


POSITIONS = st.integers(1, 15)
SUBSETS = st.lists(st.integers(0, 14), unique=True, max_size=8).map(tuple)


@given(POSITIONS, SUBSETS, SUBSETS, SUBSETS)
def test_a_suffix_is_split_off_again(
    positions: int, sixteen: tuple[int, ...], ones: tuple[int, ...], eight: tuple[int, ...]
) -> None:
    """Splitting finds the function whatever the signature; bare digits are no suffix."""
    kernel = special("triton_", positions, sixteen, ones, eight)

    for name in legacy_names(kernel):
        suffix = name.removeprefix("triton__")
        flagged = any(letter in suffix for letter in "cde")
        assert split_suffix(name) == (("triton_", suffix) if flagged else None)


def test_suffixes_follow_the_rule() -> None:
    """C for equal to 1, d for divisible by 16, e for divisible by 8, in this order."""
    assert legacy_names(special("triton_", 2, (0,), (1,), ())) == ("triton__0d1c",)
    assert legacy_names(special("f", 3, (0, 2), (), (2,))) == ("f_0d12d", "f_0d12de")


def which(name: str, compiled: CompiledProgram, result: Match | None = None) -> tuple[Hit, ...]:
    """The hits alone, without their launches."""
    return tuple(entry.hit for entry in find_kernels(name, compiled, result))


def legacy_program() -> CompiledProgram:
    """Two kernels that run under one legacy name, the first of them twice."""
    one = graph("0_inference", A, B, A)
    kernels = tuple(
        replace(special("triton_", 2, (0,), (1,), ()), name=kernel.name) for kernel in one.kernels
    )
    return program(replace(one, kernels=kernels))


def test_a_legacy_name_has_all_its_candidates() -> None:
    """Every kernel whose signature gives the suffix is named, with its calls."""
    for name in ("triton__0d1c", "0d1c"):
        hits = which(name, legacy_program())

        assert [(hit.wrapper, hit.weight) for hit in hits] == [(A, 2), (B, 1)]
        assert {hit.rule for hit in hits} == {"legacy suffix"}


def test_counts_divide_what_names_do_not() -> None:
    """Launches of one name are divided by how often the code runs each kernel, if that fits."""
    line = Timeline()
    for _ in range(12):
        line.launch("triton__0d1c", api=None)
    result = match_launches(legacy_program(), line.trace())

    assert [hit.launches for hit in which("triton__0d1c", result.program, result)] == [8, 4]

    line.launch("triton__0d1c", api=None)
    odd = match_launches(legacy_program(), line.trace())
    assert [hit.launches for hit in which("triton__0d1c", odd.program, odd)] == [None, None]


def test_each_kind_of_name_has_its_rule() -> None:
    """Wrapper, function, content hash and operator: the strongest rule that finds any answers."""
    one = graph("0_inference", A, "aten.mm", hashes={A: "cabcdefghijk"})
    user = replace(one.kernels[0], name="my_add_0", function="my_add", path=None)
    compiled = program(replace(one, kernels=(*one.kernels, user)))

    for name, rule in (
        (A, "wrapper"),
        ("my_add", "device name"),
        ("cabcdefghijk", "kernel hash"),
        ("triton_poi_cabcdefghijk_0", "kernel hash"),
        ("aten::mm", "operator"),
        ("mm", "operator"),
        ("extern_kernels.mm", "operator"),
    ):
        assert {hit.rule for hit in which(name, compiled)} == {rule}, name


def test_matched_launches_are_listed_instead_of_divided() -> None:
    """With a host side the matched launches are listed, and nothing has to be divided."""
    one = graph("0_inference", A, B, A)
    line = Timeline().invoke(one).invoke(one)
    result = match_launches(program(one), line.trace())

    (hit,) = which(A, result.program, result)
    assert hit.launches == 4
    assert hit.evidence[1].endswith("4 launches matched: 2 to 0_inference/0, 2 to 0_inference/2")


def test_an_unknown_name_gets_the_nearest() -> None:
    """Nothing is guessed; what is spelled alike is offered."""
    compiled = program(graph("0_inference", A, B))

    assert which("triton_poi_fused_c_1", compiled) == ()
    assert nearest("triton_poi_fused_c_1", known_names(compiled))[0] == B
    assert nearest("Fused_A", known_names(compiled))[0] == A


@pytest.mark.parametrize(
    ("wrapper", "category", "backend"),
    [
        ("triton_poi_fused_add_0", "poi", Backend.TRITON),
        ("triton_tem_fused_mm_1", "tem", Backend.TEMPLATE),
        ("triton_for_fused_2", "for", Backend.COMBO),
        ("triton_", None, Backend.TRITON),
        ("cpp_fused_add_0", None, Backend.CPP),
        ("multi_kernel_0", None, Backend.MULTI),
        ("add_kernel_0", None, Backend.USER),
    ],
)
def test_code_and_trace_read_a_name_alike(
    wrapper: str, category: str | None, backend: Backend
) -> None:
    """A name says one kind and one backend, whichever side it was read from."""
    assert category_of(wrapper) == category
    assert backend_of(wrapper) is backend
