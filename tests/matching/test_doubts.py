"""Look-alikes: a graph whose code was not given may have the statements of one that was."""

from __future__ import annotations

import pytest

from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, Confidence, Trace
from tiny import Timeline, graph, program

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
HASHES = {A: "chash1", B: "chash2"}
NAMED, HASHED = graph("0_inference", A, B), graph("0_inference", A, B, hashes=HASHES)
LOGGED = graph("0_inference", A, B, cache_key="f1")
REGION = "Torch-Compiled Region"


def confidences(given: CompiledGraph, trace: Trace) -> list[str]:
    """The confidence of the launches that have a call of `given`."""
    result = match_launches(program(given), trace)
    owned = [
        result.program.calls[call][0] is given if call >= 0 else False
        for call in result.matching.call.tolist()
    ]
    return [
        Confidence(value).name.lower()
        for value, is_owned in zip(result.matching.confidence.tolist(), owned, strict=True)
        if is_owned
    ]


def in_region(
    line: Timeline, run: CompiledGraph, region: str | None, *, key: str | None = None
) -> Timeline:
    """`line` with one run of a graph inside a compiled region, None for no region."""
    begin = line.now
    line.invoke(run, key=key)
    return line.enclose(region, begin) if region else line


@pytest.mark.parametrize(
    ("given", "expected"), [(NAMED, "inferred"), (HASHED, "exact"), (LOGGED, "exact")]
)
def test_names_are_not_exact_where_code_is_missing(given: CompiledGraph, expected: str) -> None:
    """Missing code may look like the given code; a hash or a logged key distinguishes them."""
    line = Timeline()
    for _ in range(3):
        line.invoke(given, key="f1").invoke([A, C], key="f2")

    assert confidences(given, line.trace()) == [expected] * 6


def test_kernels_on_the_bare_thread_are_no_missing_code() -> None:
    """An eager Triton kernel beside graph ranges belongs to no compiled graph."""
    line = Timeline().run(C)
    begin = line.now
    line.invoke(NAMED, marked=False).enclose("CompiledFunction", begin)

    assert confidences(NAMED, line.trace()) == ["exact"] * 2


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f"{REGION}: 0/0", f"{REGION}: 0/0", "exact"),
        (f"{REGION}: 0/0", f"{REGION}: 0/0_1", "exact"),
        (f"{REGION}: 0/0", f"{REGION}: 1/0", "inferred"),
        (REGION, REGION, "exact"),
        (None, None, "exact"),
    ],
)
def test_one_graph_runs_in_one_region(first: str | None, second: str | None, expected: str) -> None:
    """Two compile ids are two graphs; nameless regions prove nothing."""
    line = in_region(in_region(Timeline(), HASHED, first), HASHED, second)

    assert confidences(HASHED, line.trace()) == [expected] * 4


@pytest.mark.parametrize(
    ("given", "expected"), [(NAMED, "inferred"), (HASHED, "exact"), (LOGGED, "exact")]
)
def test_one_key_in_two_regions_needs_more_than_names(given: CompiledGraph, expected: str) -> None:
    """Equal keys with equal hashes are one code; a key alone does not prove the given one."""
    line = Timeline()
    for region in ("0/0", "1/0"):
        in_region(line, given, f"{REGION}: {region}", key="f1")

    assert confidences(given, line.trace()) == [expected] * 4


def test_a_region_that_the_log_does_not_name_is_another_graphs() -> None:
    """Code with a compile id ran in the region of that id."""
    given = graph("0_inference", A, B, compile_id="0/0_1")

    assert confidences(given, in_region(Timeline(), given, f"{REGION}: 0/0").trace()) == [
        "exact",
        "exact",
    ]
    assert confidences(given, in_region(Timeline(), given, f"{REGION}: 1/0").trace()) == [
        "inferred",
        "inferred",
    ]


@pytest.mark.parametrize(("key", "expected"), [(None, "inferred"), ("f1", "exact")])
def test_a_run_in_no_region_is_in_doubt_where_others_have_one(
    key: str | None, expected: str
) -> None:
    """Its region was lost, or began before the profile: without a key it may be another graph's."""
    other = graph("1_inference", C)
    line = in_region(Timeline(), other, f"{REGION}: 0/0", key="f2")
    result = match_launches(program(NAMED, other), in_region(line, NAMED, None, key=key).trace())

    assert [Confidence(value).name.lower() for value in result.matching.confidence.tolist()] == [
        "exact",
        *[expected] * 2,
    ]


@pytest.mark.parametrize(
    ("regions", "expected"), [(("0/0", "0/0"), "exact"), (("0/0", "1/0"), "inferred")]
)
def test_a_backward_belongs_to_the_region_of_its_forward(
    regions: tuple[str, ...], expected: str
) -> None:
    """Autograd gives forward and backward one sequence number."""
    forward, backward = Timeline(thread=1), Timeline(thread=2)
    backward.correlation = 100
    for sequence, region in enumerate(regions):
        forward.now += 10
        begin = forward.now
        forward.eager("aten::add").enclose("CompiledFunction", begin, sequence=sequence)
        forward.enclose(f"{REGION}: {region}", begin - 1)
        begin = backward.now
        backward.invoke(NAMED, key=None)
        backward.enclose("CompiledFunctionBackward", begin, sequence=sequence)

    assert confidences(NAMED, forward.trace(backward)) == [expected] * 4


def test_graphs_without_code_are_kept_apart_by_their_regions() -> None:
    """Where no key joins runs, the same kernels in two regions are two graphs."""
    line = Timeline()
    for region in ("0/0", "1/0", "0/0", "1/0"):
        in_region(line, NAMED, f"{REGION}: {region}")
    result = match_launches(program(), line.trace())

    assert len(result.program.graphs) == 2
    assert len(set(result.matching.call.tolist())) == 4
