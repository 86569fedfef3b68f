"""Where a graph's time stands: the tables again, graph by graph."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import Attribution, attribute_time
from kernelmap.attribution.divide import divide_bucket, divide_calls
from kernelmap.attribution.places import GraphPlaces, times_in_graphs
from kernelmap.attribution.time_buckets import window_buckets
from kernelmap.matching import Match, match_launches
from kernelmap.model import CompiledGraph, CompiledProgram, FxNode, Origins, Stage, Trace
from kernelmap.options import Options
from tiny import Timeline, graph, program

A = "triton_poi_fused_a_0"


def matched_places(
    compiled: CompiledProgram, trace: Trace
) -> tuple[Match, Attribution, tuple[GraphPlaces, ...]]:
    result = match_launches(compiled, trace)
    shares = attribute_time(result.program, trace, result.matching, Options())
    return result, shares, times_in_graphs(result.program, trace, result.matching, shares)


@settings(max_examples=examples(40))
@given(worlds())
def test_places_are_the_tables_graph_by_graph(world: tuple[CompiledProgram, Trace]) -> None:
    """Graphs, calls and nodes have the time that their tables say, and nothing else has any."""
    result, shares, of_graphs = matched_places(*world)
    graphs = result.program.graphs
    calls = {
        (graph.id, index): ns
        for graph, of_graph in zip(graphs, of_graphs, strict=True)
        for index, ns in of_graph.calls.items()
    }
    nodes = {
        (graph.id, name): ns
        for graph, of_graph in zip(graphs, of_graphs, strict=True)
        for name, ns in of_graph.nodes.items()
    }
    by_position = [(graph.id, call.index) for graph, call in result.program.calls]

    assert [of_graph.time_ns for of_graph in of_graphs] == [
        row.time_ns for row in shares.graphs if row.graph is not None
    ]
    assert calls == {
        by_position[row.call]: row.time_ns
        for row in shares.calls
        if row.call is not None and row.launches
    }
    assert {key: ns for key, ns in nodes.items() if ns} == {
        (row.graph, row.name): row.time_ns
        for row in shares.nodes
        if row.graph is not None and row.time_ns
    }


@settings(max_examples=examples(40))
@given(worlds())
def test_no_pane_shows_more_than_the_graphs_time(world: tuple[CompiledProgram, Trace]) -> None:
    """Placed and unplaced time make up the graph's time; neither is ever negative."""
    for of_graph in matched_places(*world)[2]:
        for placed in (of_graph.calls, of_graph.nodes, of_graph.pre_grad, of_graph.lines):
            assert 0 <= sum(placed.values()) <= of_graph.time_ns
            assert all(ns >= 0 for ns in placed.values())


@settings(max_examples=examples(40))
@given(worlds())
def test_lines_add_up_to_their_table(world: tuple[CompiledProgram, Trace]) -> None:
    """A line's time in all graphs is that of the table, less what lies between graphs."""
    result, shares, of_graphs = matched_places(*world)
    compiled, trace = result.program, world[1]
    sums: Counter[tuple[str, int]] = Counter()
    for of_graph in of_graphs:
        sums.update(of_graph.lines)
    divisions = divide_calls(compiled)
    owner = [graph.id for graph, _ in compiled.calls]
    for bucket in window_buckets(trace, result.matching, shares):
        if len({owner[call] for call in bucket.calls}) > 1:
            divided = divide_bucket(bucket, divisions)
            for part, time_ns in zip(divided.parts, divided.times_ns, strict=True):
                if part.line is not None:
                    sums[part.line.file, part.line.line] += time_ns

    assert {key: ns for key, ns in sums.items() if ns} == {
        (row.file, row.line): row.time_ns + row.backward_ns
        for row in shares.lines
        if row.line is not None and row.time_ns + row.backward_ns
    }


def with_made_of(*made_of: tuple[str, ...], whole: tuple[str, ...] = ()) -> CompiledGraph:
    """One call with a node per tuple of pre-grad nodes; `whole` is stated of the call."""
    plain = graph("0_inference", A)
    nodes = tuple(
        FxNode(name=f"n{at}", stage=Stage.POST_GRAD, pre_grad=names)
        for at, names in enumerate(made_of)
    )
    call = replace(plain.calls[0], nodes=tuple(node.name for node in nodes), pre_grad=whole)
    return replace(plain, calls=(call,), nodes=nodes)


def placed(compiled: CompiledGraph, dur_ns: int = 100) -> dict[str, int]:
    trace = Timeline().invoke(compiled).trace()
    trace.launches.dur_ns[:] = dur_ns
    ((of_graph),) = matched_places(program(compiled), trace)[2]
    assert of_graph.time_ns == dur_ns
    return dict(of_graph.pre_grad)


def test_a_nodes_time_goes_to_what_it_was_made_of() -> None:
    """Equal parts for the nodes, then for what each was made of, each once."""
    assert placed(with_made_of(("linear",), ("gelu", "linear", "gelu"))) == {
        "linear": 75,
        "gelu": 25,
    }


def test_what_is_stated_of_the_whole_call_stands_in() -> None:
    """Only for nodes of which nothing is stated; without it they have no place."""
    assert placed(with_made_of(("linear",), (), whole=("gelu",))) == {"linear": 50, "gelu": 50}
    assert placed(with_made_of(("linear",), ())) == {"linear": 50}


@given(st.integers(1, 10**12), st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=5))
def test_no_nanosecond_is_lost_on_the_way(dur_ns: int, made_of: list[set[str]]) -> None:
    """Where every node was made of something, all time reaches the pre-grad graph."""
    compiled = with_made_of(*(tuple(sorted(names)) or ("e",) for names in made_of))

    assert sum(placed(compiled, dur_ns).values()) == dur_ns


def commenting(
    names: tuple[str, ...], symbol: str, pre_grad: tuple[str, ...] = ()
) -> CompiledGraph:
    """One call without nodes, its comment with `names`; `pre_grad` is the graph before autograd."""
    plain = graph("0_inference", symbol)
    origins = Origins(nodes=names, aten=("aten.mm",), ordered=True)
    nodes = tuple(FxNode(name=name, stage=Stage.PRE_GRAD) for name in pre_grad)
    return replace(plain, calls=(replace(plain.calls[0], origins=origins),), nodes=nodes)


def test_comments_place_what_has_no_nodes() -> None:
    """A generated kernel works for all names of its comment, a library call for an only one."""
    assert placed(commenting(("x", "y"), A)) == {"x": 50, "y": 50}
    assert placed(commenting(("x", "y"), "aten.mm")) == {}
    assert placed(commenting(("x",), "aten.mm")) == {"x": 100}


def test_a_comment_with_a_foreign_name_places_nothing() -> None:
    """Comments of backwards mix names of two graphs: what share each has cannot be said."""
    assert placed(commenting(("x", "mul_7"), A, pre_grad=("x",))) == {}
    assert placed(commenting(("x",), A, pre_grad=("x", "z"))) == {"x": 100}


def test_a_backwards_own_nodes_are_not_placed_before_autograd() -> None:
    """Of two listed nodes, the one that the backward made has its half in no pre-grad node."""
    plain = graph("0_backward", A)
    again = FxNode(name="gelu", stage=Stage.PRE_GRAD)
    listed = (again, FxNode(name="mul_33", stage=Stage.POST_GRAD))
    calls = (replace(plain.calls[0], listed=listed),)

    assert placed(replace(plain, calls=calls, nodes=(again,))) == {"gelu": 50}
