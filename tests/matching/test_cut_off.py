"""Invocations of which the recording has the end or the beginning only."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from answers import paired, reasons
from kernelmap.matching import match_launches
from kernelmap.matching.graphs.autotuning import find_benchmarks
from kernelmap.matching.graphs.cut_off import fit_to_steps
from kernelmap.matching.names.symbols import steps_of
from kernelmap.model import NONE, Confidence, Occurrence, Reason
from tiny import Timeline, graph, program

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
MM = "aten.mm"
ONE = graph("0_inference", A, MM, B, MM, C, MM)


def test_the_end_of_an_invocation_is_placed_by_its_order() -> None:
    """What was launched before the first graph range is the end of the invocation before it."""
    line = Timeline().run(MM).run(B).run(MM).run(C).run(MM).eager("aten::add")
    line = line.invoke(ONE).invoke(ONE)
    result = paired(program(ONE), line.trace())

    assert result[:5] == [(f"0_inference/{index}", "inferred") for index in range(1, 6)]
    assert result[5][0] is None
    assert {word for _, word in result[6:]} == {"exact"}


def test_the_beginning_of_an_invocation_is_placed_by_its_order() -> None:
    """What was launched behind the last graph range is the beginning of the next invocation."""
    line = Timeline().invoke(ONE).invoke(ONE).eager("aten::add").run(A).run(MM).run(B).run(MM)
    result = paired(program(ONE), line.trace())

    assert result[12][0] is None
    assert result[13:] == [(f"0_inference/{index}", "inferred") for index in range(4)]


def test_invocations_are_counted_with_the_one_cut_off() -> None:
    """The one of which only the end was recorded is the first."""
    line = Timeline().run(B).run(MM).run(C).run(MM).invoke(ONE).invoke(ONE)
    result = match_launches(program(ONE), line.trace())

    assert result.matching.invocation.tolist() == [0] * 4 + [1] * 6 + [2] * 6


def test_benchmarks_of_the_cut_off_invocation_are_outside() -> None:
    """A kernel that came several times was tuned there; the last launch is the call."""
    line = Timeline().run(MM)
    for _ in range(3):
        line.eager("aten::zero_").run(B)
    line.run(MM).run(C).run(MM).invoke(ONE).invoke(ONE)
    result = match_launches(program(ONE), line.trace())

    assert reasons(result)[1:6] == [Reason.AUTOTUNE] * 5
    assert result.matching.call[:10].tolist() == [1, -1, -1, -1, -1, -1, 2, 3, 4, 5]


def test_benchmarks_alone_are_no_part_of_an_invocation() -> None:
    """They may have run while the graph was compiled: nothing says that it was called."""
    line = Timeline().run(B).run(B).run(C).run(C).invoke(ONE).invoke(ONE)
    result = match_launches(program(ONE), line.trace())

    assert result.matching.call[:4].tolist() == [-1] * 4


@pytest.mark.parametrize(("lost", "outside"), [(False, True), (True, False)])
def test_where_events_were_lost_the_last_of_a_series_may_be_a_call(
    lost: bool, outside: bool
) -> None:
    """A recording that lost api calls may have lost the range of a graph as well."""
    line = Timeline().run(B).run(B).run(C).run(C).invoke(ONE).invoke(ONE).eager("aten::add")
    trace = line.trace()
    if lost:
        api = trace.launches.api.copy()
        api[-1] = NONE
        trace = replace(trace, launches=replace(trace.launches, api=api))
    result = match_launches(program(ONE), trace)

    assert (result.matching.confidence[[1, 3]] == Confidence.OUTSIDE).all() == outside


def test_several_graphs_that_end_alike_leave_the_part_open() -> None:
    """One of two answers that fit alike is never chosen."""
    other = graph("1_inference", B, MM, B, MM, C, MM)
    line = Timeline().run(MM).run(C).run(MM).invoke(ONE, key="f1").invoke(other, key="f2")
    result = paired(program(ONE, other), line.trace())

    assert "exact" not in {word for _, word in result[:3]}
    assert {call for call, _ in result[:3]} == {None}


def test_nothing_behind_the_last_range_is_certain_where_kernels_ran() -> None:
    """What cannot be placed behind it is not said to be outside."""
    line = Timeline().invoke(ONE).invoke(ONE).eager("aten::mm").run(C)
    result = match_launches(program(ONE), line.trace())

    assert result.matching.confidence[12] != Confidence.OUTSIDE


@pytest.mark.parametrize("is_end", [True, False])
def test_two_statements_that_fit_alike_both_stand(is_end: bool) -> None:
    """Where one of two products was lost, either may be it."""
    steps = steps_of(graph("0_inference", A, MM, MM, B))
    fitted = fit_to_steps([A, MM, B], steps, is_end=is_end)

    assert fitted is not None
    assert fitted.calls == ((0,), (1, 2), (3,))


@pytest.mark.parametrize("occurrence", [Occurrence.BRANCH, Occurrence.LOOP])
def test_where_branches_decide_no_end_is_placed(occurrence: Occurrence) -> None:
    """Which statements were missing depends on what ran: no end is the end of such a graph."""
    one = graph("0_inference", A, B, C, occurrence={B: occurrence})

    assert fit_to_steps([B, C], steps_of(one), is_end=True) is None


@pytest.mark.parametrize("called", [False, True])
def test_where_the_recording_ended_among_benchmarks_the_last_is_no_call(called: bool) -> None:
    """If a recording ends during benchmarks of a kernel, no launch is certain to be the call.

    It is where another statement ran since.
    """
    one = graph("0_inference", A, MM, B, MM, C, B)
    line = Timeline().invoke(one).invoke(one).run(A).run(MM).run(B).run(B).run(B)
    if called:
        line.run(MM)
    calls = match_launches(program(one), line.trace()).matching.call[12:].tolist()

    assert calls == [0, 1, -1, -1, *([2, 3] if called else [-1])]


def test_a_stretch_without_kernels_fits_nothing() -> None:
    """Library calls alone may be of any graph."""
    assert fit_to_steps([MM, MM], steps_of(ONE), is_end=True) is None


def test_kernels_called_in_a_row_are_not_all_benchmarks() -> None:
    """Of a kernel that is called twice in a row the last two launches are left."""
    steps = steps_of(graph("0_inference", A, B, B))
    benchmarks = find_benchmarks([A, "aten.zero_", B, "aten.zero_", B, B, B], steps)

    assert benchmarks.places == {1, 2, 3, 4}
    assert benchmarks.last == {5, 6}


D = "triton_poi_fused_d_3"
SIX = [f"triton_poi_fused_x_{number}" for number in range(4, 10)]


@pytest.mark.parametrize(("lost", "holds"), [(0, True), (3, True), (4, False), (6, False)])
def test_two_kernels_hold_together_over_three_lost_steps(lost: int, holds: bool) -> None:
    """Over a longer gap, neither kernel may be of this graph, so nothing is placed."""
    fitted = fit_to_steps([A, D], steps_of(graph("0_inference", A, *SIX[:lost], D)), is_end=True)

    assert (fitted is not None) == holds
    assert fitted is None or fitted.calls == ((0,), (lost + 1,))


@pytest.mark.parametrize(
    ("operators", "lost", "holds"), [(1, 0, True), (1, 1, False), (2, 1, False), (3, 1, True)]
)
def test_operators_hold_their_places_where_hardly_anything_is_lost(
    operators: int, lost: int, holds: bool
) -> None:
    """Eager code runs such operators, too: two do not outweigh a lost step, three do."""
    runs = ["aten.mm", "aten.bmm", "aten.addmm"][:operators]
    fitted = fit_to_steps(
        [*runs, D], steps_of(graph("0_inference", *runs, *SIX[:lost], D)), is_end=True
    )

    assert fitted is not None
    assert [bool(calls) for calls in fitted.calls] == [*[holds] * operators, True]


def test_operators_that_are_no_step_cost_nothing() -> None:
    """However many eager operators lie between them, the kernels hold their places."""
    fitted = fit_to_steps([A, *[MM] * 20, D], steps_of(graph("0_inference", A, D)), is_end=True)

    assert fitted is not None
    assert [fitted.calls[0], fitted.calls[-1]] == [(0,), (1,)]


@pytest.mark.parametrize(("more", "decided"), [(1, False), (2, True)])
def test_two_operators_tell_one_graph_from_another(more: int, decided: bool) -> None:
    """Two graphs end alike, but for products of which one alone may be eager."""
    one = graph("0_inference", A, B, *[MM] * more, C)
    other = graph("1_inference", D, B, C)
    line = Timeline().run(B)
    for _ in range(more):
        line.run(MM)
    line.run(C).invoke(one, key="f1").invoke(other, key="f2")
    calls = [call for call, _ in paired(program(one, other), line.trace())][: more + 2]

    assert (calls == [f"0_inference/{number}" for number in range(1, more + 3)]) == decided
    assert decided or calls == [None] * (more + 2)


@pytest.mark.parametrize("count", [600, 640])
def test_a_stretch_that_takes_too_long_to_fit_is_left_alone(count: int) -> None:
    """Ranges times statements are bounded: 360 thousand are compared, 409 thousand are not."""
    kernels = [f"triton_poi_fused_{number}" for number in range(count)]
    long = graph("0_inference", A, *kernels)
    line = Timeline()
    for kernel in kernels:
        line.run(kernel)
    result = match_launches(program(long), line.invoke(long).trace())

    assert (result.matching.invocation[:count] == 0).all() == (count == 600)
