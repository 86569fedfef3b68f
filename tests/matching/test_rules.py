"""The rules that decide rare cases: each is the only one that its world turns on."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kernelmap.attribution.window import choose_window
from kernelmap.matching import Match, match_launches
from kernelmap.model import CompiledGraph, Confidence, RangeKind, Reason
from kernelmap.options import Options
from tiny import Timeline, graph, program
from trace_rows import ApiRow, LaunchRow

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
ONE = graph("0_inference", A, B)


def reasoned(result: Match) -> list[tuple[str, str]]:
    """Confidence and reason of every launch."""
    columns = result.matching
    return [
        (Confidence(confidence).name.lower(), Reason(reason).name.lower())
        for confidence, reason in zip(
            columns.confidence.tolist(), columns.reason.tolist(), strict=True
        )
    ]


def enclosed(line: Timeline, name: str, begin: int, kind: RangeKind) -> Timeline:
    """`line` with a range around everything since `begin`, a time that `now` had."""
    line.range_since(name, begin - 1, kind, at=0)
    return line


@pytest.mark.parametrize("kind", [RangeKind.ANNOTATION, RangeKind.OP])
def test_what_a_range_calls_a_benchmark_is_outside(kind: RangeKind) -> None:
    """Kernels below it belong to no call, even with a name that one call alone has."""
    line = Timeline()
    begin = line.now
    enclosed(line.launch(A), "CachingAutotuner.benchmark_all_configs", begin, kind)

    assert reasoned(match_launches(program(ONE), line.trace())) == [("outside", "autotune")]


@pytest.mark.parametrize(
    "name", ["benchmark_loop", "do_bench", "my_benchmark (3 runs)", "ProfilerStep#3 benchmark"]
)
def test_a_range_of_the_user_that_says_benchmark_is_no_autotuning(name: str) -> None:
    """Only the autotuner's own ranges say that what lies inside is its work."""
    line = Timeline()
    begin = line.now
    line.invoke(ONE).eager("aten::relu").run(A).invoke(ONE)
    enclosed(line, name, begin, RangeKind.ANNOTATION)
    answers = reasoned(match_launches(program(ONE), line.trace()))

    assert answers[:2] + answers[4:] == [("exact", "none")] * 4
    assert answers[2] == ("outside", "eager")
    assert answers[3] != ("outside", "autotune")


@pytest.mark.parametrize(("lost", "expected"), [((), "outside"), ((1,), "unknown")])
def test_glue_beside_a_lost_statement_may_be_that_statement(
    lost: tuple[int, ...], expected: str
) -> None:
    """An operator that the code does not name is outside only if all statements were seen."""
    line = Timeline()
    for _ in range(3):
        line.invoke(ONE)
    line.invoke([A, B, "aten.copy_"], skip=lost)

    assert reasoned(match_launches(program(ONE), line.trace()))[-1][0] == expected


@pytest.mark.parametrize(("lost", "expected"), [((), "glue"), ((1,), "count_differs")])
def test_a_bare_launch_in_a_graph_is_glue_if_nothing_is_missing(
    lost: tuple[int, ...], expected: str
) -> None:
    """A launch directly below the graph range, in no range of its own."""
    line = Timeline()
    for _ in range(3):
        line.invoke(ONE)
    line.invoke([A, B, "bare"], skip=(*lost, 2))

    assert reasoned(match_launches(program(ONE), line.trace()))[-1][1] == expected


def test_a_name_is_asked_only_for_statements_without_a_range() -> None:
    """If one of two statements of a kernel has a range, the bare launch is of the other."""
    twice = graph("0_inference", A, B, A)
    line = Timeline()
    for _ in range(3):
        line.invoke(twice)
    line.invoke([A, B, A], skip=[2])
    result = match_launches(program(twice), line.trace())

    assert result.matching.call[-3:].tolist() == [0, 1, 2]
    assert [c for c, _ in reasoned(result)[-3:]] == ["exact", "exact", "inferred"]


@pytest.mark.parametrize(("runs", "expected"), [(1, "inferred"), (2, "inferred"), (3, "exact")])
def test_a_graph_that_fits_in_part_needs_more_than_one_run(runs: int, expected: str) -> None:
    """Events may be lost: what looks whole may be a larger graph, until it comes again."""
    larger = graph("1_inference", A, B, C)
    line = Timeline()
    for _ in range(runs):
        line.invoke(ONE)

    assert {c for c, _ in reasoned(match_launches(program(ONE, larger), line.trace()))} == {
        expected
    }


def test_a_node_of_a_captured_graph_has_no_host_side() -> None:
    """A graph node marks a replay even where the api call's name does not."""
    trace = Timeline().invoke(ONE).trace()
    nodes = replace(trace.launches, graph_node=trace.launches.graph_node * 0 + 7)
    result = match_launches(program(ONE), replace(trace, launches=nodes))

    assert {c for c, _ in reasoned(result)} == {"inferred"}


def test_a_launch_between_two_steps_is_in_none() -> None:
    """A step ends where its range ends."""
    line = Timeline()
    line.eager("aten::mm")
    enclosed(line, "ProfilerStep#4", line.now - 13, RangeKind.ANNOTATION)
    line.eager("aten::mm")

    assert choose_window(line.trace(), Options()).step.tolist() == [4, -1]


@pytest.mark.parametrize(("marked", "expected"), [(True, "eager"), (False, "count_differs")])
def test_a_region_that_lost_its_graph_range_is_not_eager(marked: bool, expected: str) -> None:
    """What lies beside a region's graph range is eager; without one it may be anything."""
    line = Timeline().invoke(ONE)
    line.now += 10
    begin = line.now
    line.invoke(["aten.mm"] if not marked else ONE, marked=marked)
    line.enclose("CompiledFunction", begin).eager("aten::copy_")
    line.enclose("Torch-Compiled Region: 0/0", begin - 1)

    assert reasoned(match_launches(program(ONE), line.trace()))[-1][1] == expected


def test_a_kernel_is_never_glue() -> None:
    """A kernel that is not in the graph's code belongs to a statement of some other code."""
    given = replace(ONE, cache_key="f1")
    line = Timeline().invoke([A, B, C], key="f1")
    line.invoke([A, B, C], key="f1", skip=[2])
    begin, at = line.now, len(line.rows)
    line.invoke([A, B], key="f1", marked=False)
    inner = line.now
    line.launch(C)
    line.range_since("aten::copy_", inner, RangeKind.OP, at=at)
    enclosed(line, "## Call CompiledFxGraph f1 ##", begin, RangeKind.ANNOTATION)
    result = reasoned(match_launches(program(given), line.trace()))

    assert [result[at] for at in (2, 5, 8)] == [("unknown", "beside")] * 3


@pytest.mark.parametrize("compiled", [replace(ONE, code=None), replace(ONE, calls=ONE.calls[:1])])
def test_where_the_code_is_not_certain_nothing_is_glue(compiled: CompiledGraph) -> None:
    """A launch that no statement explains may be one of code that was not given."""
    line = Timeline().invoke([A, "bare"], key="f1", skip=[1])
    if compiled.code is not None:
        line.invoke([C], key="f2")
    given = program(compiled) if compiled.code is not None else program()

    assert reasoned(match_launches(given, line.trace()))[1][0] == "unknown"


def test_one_kernel_beside_graph_ranges_is_no_benchmark() -> None:
    """The autotuner runs a kernel again and again; a single one may have lost its graph range."""
    line = Timeline().invoke(ONE).run(A).run(B).run(A)
    twice = graph("1_inference", C, A, B, A)
    result = reasoned(match_launches(program(ONE, twice), line.trace()))

    assert ("outside", "autotune") not in result


@pytest.mark.parametrize("alone", [True, False], ids=["one kernel", "two kernels"])
def test_beside_graph_ranges_a_graph_of_one_kernel_is_a_benchmark(alone: bool) -> None:
    """The autotuner runs one kernel after itself, but not two in the order of a graph."""
    single, pair = graph("1_inference", A), graph("2_inference", B, C)
    line = Timeline().invoke(pair if alone else single)
    line = line.run(A).run(A) if alone else line.run(B).run(C).run(B).run(C)
    result = match_launches(program(single, pair), line.invoke(pair if alone else single).trace())
    between = result.matching.invocation[2:4] if alone else result.matching.invocation[1:5]

    assert between.tolist() == ([-1, -1] if alone else [0, 0, 1, 1])


def test_a_kernel_benchmarked_inside_a_graph_is_no_doubt() -> None:
    """Below an annotation that says so, another graph's kernel says nothing about this one."""
    line = Timeline()
    begin = line.now
    line.invoke(ONE, marked=False)
    inner = line.now
    enclosed(line.launch(C), "benchmark_all_configs", inner, RangeKind.ANNOTATION)
    enclosed(line, "## Call CompiledFxGraph None ##", begin - 1, RangeKind.ANNOTATION)
    other = graph("1_inference", C)

    assert [c for c, _ in reasoned(match_launches(program(ONE, other), line.trace()))] == [
        "exact",
        "exact",
        "outside",
    ]


def test_an_eager_launch_belongs_to_its_outermost_operator() -> None:
    """However deep the launch lies, it is given to the operator that the user called."""
    line = Timeline()
    begin = line.now
    line.eager("aten::mm").enclose("aten::linear", begin)
    trace = line.trace()
    call_range = int(match_launches(program(ONE), trace).matching.call_range[0])

    assert trace.ranges.name_of(call_range) == "aten::linear"


@pytest.mark.parametrize(("lost", "slugs"), [(1, set()), (2, {"ranges-without-launch"})])
def test_ranges_of_kernels_without_what_they_launch_are_a_gap(lost: int, slugs: set[str]) -> None:
    """More than one in ten of them: the profiler saw the host, and lost what went to the GPU."""
    line = Timeline()
    for _ in range(10):
        line.invoke(graph("0_inference", A))
    apis = [row for row in line.rows if isinstance(row, ApiRow)]
    launches = [row for row in line.rows if isinstance(row, LaunchRow)]
    gone = {id(row) for row in (*apis[:lost], *launches[:lost])}
    line.rows = [row for row in line.rows if id(row) not in gone]
    result = match_launches(program(graph("0_inference", A)), line.trace())

    assert {notice.slug for notice in result.notices} == slugs
