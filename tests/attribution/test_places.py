"""Where a graph's time stands: the tables again, graph by graph."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import Attribution, attribute
from kernelmap.attribution.places import GraphPlaces, places
from kernelmap.attribution.rollup import call_lines
from kernelmap.attribution.split import splits
from kernelmap.attribution.time_buckets import window_buckets
from kernelmap.matching import Match, match
from kernelmap.model import CompiledGraph, CompiledProgram, FxNode, Origins, Stage, Trace
from kernelmap.options import Options
from tiny import Timeline, graph, program

A = "triton_poi_fused_a_0"


def found(
    known: CompiledProgram, trace: Trace
) -> tuple[Match, Attribution, tuple[GraphPlaces, ...]]:
    result = match(known, trace)
    shares = attribute(result.program, trace, result.matching, Options())
    return result, shares, places(result.program, trace, result.matching, shares)


@settings(max_examples=examples(40))
@given(worlds())
def test_places_are_the_tables_graph_by_graph(world: tuple[CompiledProgram, Trace]) -> None:
    """Graphs, calls and nodes have the time that their tables say, and nothing else has any."""
    result, shares, of_graphs = found(*world)
    graphs = result.program.graphs
    calls = {
        (graph.id, index): ns
        for graph, each in zip(graphs, of_graphs, strict=True)
        for index, ns in each.calls.items()
    }
    nodes = {
        (graph.id, name): ns
        for graph, each in zip(graphs, of_graphs, strict=True)
        for name, ns in each.nodes.items()
    }
    by_position = [(graph.id, call.index) for graph, call in result.program.calls]

    assert [each.time_ns for each in of_graphs] == [
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
    """What is placed and what is not are the graph's time; neither is ever negative."""
    for each in found(*world)[2]:
        for placed in (each.calls, each.nodes, each.pre_grad, each.lines):
            assert 0 <= sum(placed.values()) <= each.time_ns
            assert all(ns >= 0 for ns in placed.values())


@settings(max_examples=examples(40))
@given(worlds())
def test_lines_add_up_to_their_table(world: tuple[CompiledProgram, Trace]) -> None:
    """A line's time in all graphs is that of the table, less what lies between graphs."""
    result, shares, of_graphs = found(*world)
    known, trace = result.program, world[1]
    sums: Counter[tuple[str, int]] = Counter()
    for each in of_graphs:
        sums.update(each.lines)
    own = call_lines(known, splits(known))
    owner = [graph.id for graph, _ in known.calls]
    for bucket in window_buckets(trace, result.matching, shares):
        agreed = {own[call] for call in bucket.calls}
        if len(agreed) == 1 and len({owner[call] for call in bucket.calls}) > 1:
            charged = agreed.pop().charged
            share, rest = divmod(bucket.time_ns, len(charged))
            for number, line in enumerate(charged):
                if line is not None:
                    sums[line.file, line.line] += share + (number < rest)

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


def placed(known: CompiledGraph, dur_ns: int = 100) -> dict[str, int]:
    trace = Timeline().invoke(known).trace()
    trace.launches.dur_ns[:] = dur_ns
    ((each),) = found(program(known), trace)[2]
    assert each.time_ns == dur_ns
    return dict(each.pre_grad)


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
    known = with_made_of(*(tuple(sorted(names)) or ("e",) for names in made_of))

    assert sum(placed(known, dur_ns).values()) == dur_ns


def commenting(names: tuple[str, ...], symbol: str, known: tuple[str, ...] = ()) -> CompiledGraph:
    """One call without nodes, its comment with `names`; `known` is the graph before autograd."""
    plain = graph("0_inference", symbol)
    origins = Origins(nodes=names, aten=("aten.mm",), ordered=True)
    nodes = tuple(FxNode(name=name, stage=Stage.PRE_GRAD) for name in known)
    return replace(plain, calls=(replace(plain.calls[0], origins=origins),), nodes=nodes)


def test_comments_place_what_has_no_nodes() -> None:
    """A generated kernel works for all names of its comment, a library call for an only one."""
    assert placed(commenting(("x", "y"), A)) == {"x": 50, "y": 50}
    assert placed(commenting(("x", "y"), "aten.mm")) == {}
    assert placed(commenting(("x",), "aten.mm")) == {"x": 100}


def test_a_comment_with_a_foreign_name_places_nothing() -> None:
    """Comments of backwards mix names of two graphs: what share each has cannot be said."""
    assert placed(commenting(("x", "mul_7"), A, known=("x",))) == {}
    assert placed(commenting(("x",), A, known=("x", "z"))) == {"x": 100}
