"""Launches without a range of their own: what their names say."""

from __future__ import annotations

import pytest

from answers import calls, confidences, paired
from kernelmap.matching import match_launches
from tiny import Timeline, graph, program

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"


def test_a_lost_graph_range_makes_nothing_wrong() -> None:
    """Where other graph ranges exist, an unmarked run is at best inferred."""
    one = graph("0_inference", A, B)
    line = Timeline().invoke(one).invoke(one, marked=False).invoke(one).invoke(one)
    result = paired(program(one), line.trace())

    assert result[2:4] == [("0_inference/0", "inferred"), ("0_inference/1", "inferred")]
    assert {c for _, c in result[:2] + result[4:]} == {"exact"}


def test_a_lost_wrapper_range_leaves_its_launch_to_the_name() -> None:
    """A launch below the graph range whose own range was lost is inferred by its device name."""
    one = graph("0_inference", A, B)
    line = Timeline().invoke(one).invoke(one, skip=[1]).invoke(one).invoke(one)

    assert paired(program(one), line.trace())[2:4] == [
        ("0_inference/0", "exact"),
        ("0_inference/1", "inferred"),
    ]


def test_a_launch_without_host_side_is_never_exact() -> None:
    """Alone, a name that one call has is inferred, one that two calls have names both."""
    one = graph("0_inference", A, B, A)
    alone = match_launches(
        program(one), Timeline().launch(A, api=None).launch("sgemm", api=None).trace()
    )
    line = Timeline().launch(B, api=None).launch(A, api=None)

    assert confidences(alone) == ["ambiguous", "unknown"]
    assert alone.matching.candidates_of(0) == (0, 2)
    assert confidences(match_launches(program(one), line.trace())) == ["inferred", "inferred"]


def test_nothing_under_a_graph_launch_is_exact() -> None:
    """A replay's host side tells of the replay only; the order of its launches infers the calls."""
    one = graph("0_inference", A, B, A)
    line = Timeline()
    line.invoke([], key="f1")
    for name in (A, B, A):
        line.launch(name, api="hipGraphLaunch")
    result = match_launches(program(one), line.trace())

    assert set(confidences(result)) == {"inferred"}
    assert calls(result) == ["0_inference/0", "0_inference/1", "0_inference/2"]


def test_a_kernel_without_a_range_tells_its_graph() -> None:
    """Where the range of a larger graph's kernel was lost, its device name still speaks for it."""
    small, large = graph("small", A), graph("large", A, B)
    result = paired(program(small, large), Timeline().invoke(large, key=None, skip=[1]).trace())

    assert result == [("large/0", "inferred"), ("large/1", "inferred")]


@pytest.mark.parametrize("foreign", [C, "my_scale"])
def test_a_foreign_kernel_without_a_range_leaves_the_graph_in_doubt(foreign: str) -> None:
    """No given graph runs all that was seen, so not even the graph that fits is certain."""
    given, other = graph("known", A, B), graph("other", foreign)
    trace = Timeline().invoke([A, B, foreign], key=None, skip=[2]).trace()

    assert paired(program(given, other), trace) == [
        ("known/0", "inferred"),
        ("known/1", "inferred"),
        (None, "unknown"),
    ]


@pytest.mark.parametrize(
    ("device_name", "range_name", "expected"),
    [
        ("my_scale", "my_scale_0", ("inferred", "unknown")),
        ("my_scale_0", "my_scale_0", ("inferred", "unknown")),
        ("my_scale_0d1c", "my_scale_0", ("inferred", "unknown")),
        ("my_scale", "my_scale_now", ("exact", "outside")),
    ],
)
def test_a_users_kernel_that_no_code_names_speaks_as_well(
    device_name: str, range_name: str, expected: tuple[str, str]
) -> None:
    """The range of its launcher has its name: a graph that was not given runs it."""
    given = graph("0_inference", A)
    line = Timeline()
    begin = line.now
    line.invoke(given, marked=False)
    inner = line.now
    line.launch(device_name).enclose(range_name, inner)
    line.enclose("## Call CompiledFxGraph None ##", begin - 2)

    assert tuple(c for _, c in paired(program(given), line.trace())) == expected
