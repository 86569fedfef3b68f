"""Inputs that code copies because they are not aligned: the copy is the statement's."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from answers import calls, confidences, paired, reasons
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, Reason
from kernelmap.model.program import AlignmentCopy
from tiny import Timeline, graph, program

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_1"


def copying(*before: int, symbols: tuple[str, ...] = (A, "aten.mm", B)) -> CompiledGraph:
    """A graph that copies inputs before these of its calls where they are not aligned."""
    copies = tuple(AlignmentCopy(f"primals_{n}", 100 + n, at) for n, at in enumerate(before))
    return replace(graph("0_forward", *symbols), alignment_copies=copies)


def test_a_copy_is_its_statements() -> None:
    """It is a call behind all others, inferred: torch may copy inputs there, too.

    The calls of the code keep their numbers, and all of them are exact.
    """
    given = program(copying(0, 1))
    line = Timeline().invoke(["aten.clone", A, "aten.mm", B])
    result = match_launches(given, line.trace())
    (ran,) = result.program.graphs

    assert calls(result) == ["0_forward/3", "0_forward/0", "0_forward/1", "0_forward/2"]
    assert confidences(result) == ["inferred", "exact", "exact", "exact"]
    assert [(call.wrapper, call.line) for call in ran.calls[3:]] == [
        ("copy_if_misaligned(primals_0)", 100)
    ]
    assert [notice.slug for notice in result.notices] == ["input-misaligned"]
    assert "primals_0" in result.notices[0].message


def test_copies_are_told_apart_by_the_calls_around_them() -> None:
    """A copy between two calls is that of the statement between them."""
    given = program(copying(0, 1, 2))
    line = Timeline().invoke([A, "aten.clone", "aten.mm", "aten.clone", B])
    result = match_launches(given, line.trace())

    assert calls(result) == [f"0_forward/{n}" for n in (0, 3, 1, 4, 2)]
    assert [call.line for call in result.program.graphs[0].calls[3:]] == [101, 102]


def test_one_of_two_copies_side_by_side_is_ambiguous() -> None:
    """Nothing says which of two inputs was copied: both statements are named."""
    line = Timeline().invoke(["aten.clone", A, "aten.mm", B])
    result = match_launches(program(copying(0, 0)), line.trace())

    assert confidences(result)[0] == "ambiguous"
    assert reasons(result)[0] is Reason.CONDITIONAL
    assert len(result.program.graphs[0].calls) == 5


@pytest.mark.parametrize("before", [(), (0,), (2,)])
def test_more_copies_than_statements_are_no_statements(before: tuple[int, ...]) -> None:
    """Torch copies inputs that code writes to before the code runs: that is outside."""
    line = Timeline().invoke(["aten.clone", "aten.clone", A, "aten.mm", B])
    result = match_launches(program(copying(*before)), line.trace())

    assert calls(result)[:2] == [None, None]
    assert reasons(result)[:2] == [Reason.INPUTS] * 2
    assert len(result.program.graphs[0].calls) == 3


def test_code_whose_inputs_are_aligned_has_no_call_for_them() -> None:
    """A statement that copied nothing is no call, so that none is missing."""
    line = Timeline().invoke([A, "aten.mm", B])
    result = match_launches(program(copying(0, 1)), line.trace())

    assert confidences(result) == ["exact"] * 3
    assert len(result.program.graphs[0].calls) == 3
    assert result.notices == ()


def test_a_clone_of_the_code_is_not_taken_for_a_copy() -> None:
    """Where the code clones by itself, its statement has the clone, as before."""
    given = program(copying(0, symbols=(A, "aten.clone", B)))
    line = Timeline().invoke([A, "aten.clone", B])

    assert paired(given, line.trace()) == [(f"0_forward/{n}", "exact") for n in range(3)]
