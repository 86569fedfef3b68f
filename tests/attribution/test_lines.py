"""Which source lines a call's time belongs to."""

from __future__ import annotations

from hypothesis import given, settings
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution.attribute import attribute_time
from kernelmap.attribution.divide import divide_calls
from kernelmap.attribution.records import LineTime
from kernelmap.attribution.rollup import NO_LINE, NO_MODULE
from kernelmap.matching import match_launches
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    FxNode,
    KernelDef,
    SourceLine,
    Stage,
    Trace,
    WrapperCall,
)
from kernelmap.options import Options
from tiny import Timeline, graph, program

A = "triton_poi_fused_a_0"


def line(number: int) -> SourceLine:
    return SourceLine(file="m.py", line=number, code=f"line {number}")


def with_nodes(
    plain: CompiledGraph, numbers: list[int | None], stack: tuple[int, ...] = ()
) -> CompiledGraph:
    """`plain`, its first call with one node per number of a line and the lines of `stack`."""
    nodes = tuple(
        FxNode(name=f"n{at}", stage=Stage.POST_GRAD, lines=(line(n),) if n is not None else ())
        for at, n in enumerate(numbers)
    )
    call = replace(
        plain.calls[0],
        nodes=tuple(node.name for node in nodes) or None,
        lines=tuple(map(line, stack)),
    )
    return replace(plain, calls=(call, *plain.calls[1:]), nodes=nodes)


def charged(of: CompiledGraph) -> list[int | None]:
    """The lines that share the first call's time, each as often as its weight says."""
    weights = divide_calls(program(of))[0].by_line.items()
    return [source.line if source else None for source, weight in weights for _ in range(weight)]


def test_every_node_has_its_part() -> None:
    """Two nodes of one line weigh twice; a node without a line works for the others' lines."""
    assert charged(with_nodes(graph("g", A), [3, 3, 5, None], (7,))) == [3, 3, 5]


def test_without_lines_of_nodes_the_stacks_count() -> None:
    """Without nodes or lines, as in a lazy backward, the kernel's stacks give the lines."""
    assert charged(with_nodes(graph("g", A), [], (7, 9))) == [7, 9]
    assert charged(with_nodes(graph("g", A), [None, None], (7,))) == [7]
    assert charged(with_nodes(graph("g", A), [None, None])) == [None]


def test_a_user_kernel_is_where_it_runs_else_where_it_was_written() -> None:
    """The line that launches it is nearer to the model than the kernel's own."""
    kernel = KernelDef(
        name="mine_0",
        function="mine",
        backend=Backend.USER,
        first_line=1,
        last_line=2,
        source=line(63),
    )
    call = WrapperCall(index=0, wrapper="mine_0", backend=Backend.USER, line=9, kernel="mine_0")
    written = CompiledGraph(id="g", calls=(call,), kernels=(kernel,))

    assert charged(written) == [63]
    assert charged(with_nodes(written, [], (75,))) == [75]


def rows(*graphs: CompiledGraph, world: Timeline) -> dict[object, LineTime]:
    trace = world.trace()
    result = match_launches(program(*graphs), trace)
    rows = attribute_time(result.program, trace, result.matching, Options()).lines
    return {row.line or row.file: row for row in rows}


def test_backward_time_goes_to_the_forwards_line() -> None:
    """A line's own time is that of the forward; the backward's stands beside it."""
    forward = with_nodes(graph("0_forward", A, "aten.mm"), [3, 5])
    backward = with_nodes(graph("0_backward", "triton_b_0", "aten.add"), [], (5,))
    world = Timeline().invoke(forward, key="f1").invoke(backward, key="f2")
    by_line = rows(forward, backward, world=world)

    assert (by_line[3].time_ns, by_line[3].backward_ns) == (50, 0)
    assert (by_line[5].time_ns, by_line[5].backward_ns) == (50, 100)
    assert by_line[5].involved_ns == 200
    assert by_line[5].calls == 2
    assert by_line[NO_LINE].time_ns == 200


def test_only_time_in_forward_graphs_is_forward() -> None:
    """What an inference graph, a graph of no known kind or eager code ran has no direction."""
    graphs = [
        with_nodes(graph(name, symbol), [number])
        for name, symbol, number in (
            ("0_forward", "triton_a_0", 3),
            ("1_inference", "triton_b_0", 4),
            ("output_code", "triton_c_0", 5),
            ("0_backward", "triton_d_0", 3),
        )
    ]
    world = Timeline()
    for number, each in enumerate(graphs):
        world.invoke(each, key=f"f{number}")
    by_line = rows(*graphs, world=world.eager("aten::add"))
    directions = {name: (row.forward_ns, row.backward_ns) for name, row in by_line.items()}

    assert directions == {3: (100, 100), 4: (0, 0), 5: (0, 0), "(outside compiled code)": (None, 0)}
    assert [by_line[name].time_ns for name in by_line] == [100, 100, 100, 100]


@settings(max_examples=examples(40))
@given(worlds())
def test_forward_time_is_part_of_the_time_of_a_line(
    world: tuple[CompiledProgram, Trace],
) -> None:
    """Rest rows have no direction; no line is longer forward than it is outside of backwards."""
    result = match_launches(*world)
    shares = attribute_time(result.program, world[1], result.matching, Options())

    for row in shares.lines:
        assert (row.forward_ns is None) == (row.line is None)
        assert 0 <= (row.forward_ns or 0) <= row.time_ns


def test_ambiguous_time_has_the_line_that_all_candidates_share() -> None:
    """Which of two calls ran does not matter where both stand for the same line."""
    same = with_nodes(graph("0_forward", A, A), [3])
    same = replace(same, calls=(same.calls[0], replace(same.calls[0], index=1)))
    other = replace(same, calls=(same.calls[0], replace(same.calls[1], nodes=("n9",))))
    world = Timeline().launch(A, api=None)

    assert rows(same, world=world)[3].time_ns == 100
    assert rows(other, world=world)["(ambiguous)"].time_ns == 100


def test_a_call_without_nodes_has_the_modules_of_its_lines() -> None:
    """Modules share in equal parts, unknown ones in their own row; modules of nodes go first."""
    compiled = graph("g", A)
    call = replace(compiled.calls[0], modules=("fc1", None, "fc1"))
    trace = Timeline().invoke(compiled, key="k").trace()
    times = {}
    for nodes in ((), (FxNode(name="n", stage=Stage.POST_GRAD, module="fc2"),)):
        one = replace(call, nodes=tuple(node.name for node in nodes) or None)
        made = program(replace(compiled, calls=(one,), nodes=nodes))
        result = match_launches(made, trace)
        rows = attribute_time(made, trace, result.matching, Options()).modules
        times[len(nodes)] = {row.name: row.time_ns for row in rows}

    assert times == {0: {"fc1": 66, NO_MODULE: 34}, 1: {"fc2": 100}}


def test_the_text_of_a_line_comes_from_any_call_that_states_it() -> None:
    """Not only from the first one; a line of which no call states it has none."""
    bare, unread = SourceLine(file="m.py", line=3), SourceLine(file="m.py", line=4)
    plain = graph("0_forward", A, "aten.mm", "triton_poi_fused_b_1", cache_key="fkey")
    calls = [
        replace(each, lines=(stated,))
        for each, stated in zip(plain.calls, (bare, line(3), unread), strict=True)
    ]
    compiled, trace = program(replace(plain, calls=tuple(calls))), Timeline().invoke(plain).trace()
    result = match_launches(compiled, trace)
    rows = attribute_time(result.program, trace, result.matching, Options()).lines

    assert {row.line: row.code for row in rows} == {3: "line 3", 4: None}
