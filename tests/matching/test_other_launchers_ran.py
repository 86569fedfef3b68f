"""Kernels that no range names, beside Triton's: placed by name, never exact, and never lost."""

from __future__ import annotations

from msgspec.structs import replace

from answers import calls, confidences, reasons
from kernelmap.matching import match_launches
from kernelmap.model import Backend, CompiledGraph, KernelDef, Reason
from tiny import Timeline, graph, program

A, HELION = "triton_poi_fused_a_0", "_helion_scale"


def beside_helion() -> CompiledGraph:
    """A graph that launches a kernel of Triton's, one of Helion's, and a product."""
    made = graph("0_forward", A, HELION, "aten.mm")
    kernel = KernelDef(
        name=HELION, function=HELION, backend=Backend.USER, first_line=1, last_line=2, plain=True
    )
    helion = replace(made.calls[1], backend=Backend.USER, recorded=False)
    return replace(
        made, kernels=(made.kernels[0], kernel), calls=(made.calls[0], helion, made.calls[2])
    )


def with_unknown_statement() -> CompiledGraph:
    """A graph with a statement of which nothing is known."""
    made = graph("0_forward", A, "aten.foo", "aten.mm")
    unknown = replace(made.calls[1], wrapper="their_launcher", target=None, recorded=False)
    return replace(made, calls=(made.calls[0], unknown, made.calls[2]))


def test_a_kernel_without_a_range_has_the_call_of_its_name() -> None:
    """What launchers with ranges launched stays exact beside it."""
    line = Timeline()
    for _ in range(2):
        line.invoke([A, HELION, "aten.mm"], skip=(1,))
    result = match_launches(program(beside_helion()), line.trace())

    assert calls(result) == ["0_forward/0", "0_forward/1", "0_forward/2"] * 2
    assert confidences(result) == ["exact", "inferred", "exact"] * 2
    assert [notice.slug for notice in result.notices] == ["launchers-without-ranges"]


def test_what_an_unknown_statement_may_have_launched_is_not_glue() -> None:
    """A launch below no operator may be its own, so nothing says that it is outside."""
    line = Timeline().invoke([A, "vendors_kernel", "aten.mm"], skip=(1,))
    unknown = match_launches(program(with_unknown_statement()), line.trace())
    known = match_launches(program(graph("0_forward", A, "aten.mm")), line.trace())

    assert calls(unknown)[1] is None
    assert confidences(unknown) == ["exact", "unknown", "exact"]
    assert reasons(known)[1] in {Reason.GLUE, Reason.BESIDE}
