"""The window's time in its smallest parts: module, line, op and call of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution.attribute import attribute_time
from kernelmap.attribution.places import Leaf, smallest_parts
from kernelmap.attribution.records import Attribution
from kernelmap.attribution.rollup import NO_LINE, NO_MODULE
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, CompiledProgram, FxNode, SourceLine, Stage, Trace
from kernelmap.options import Options
from tiny import Timeline, graph, program

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_1"
TARGETS = ("aten.add.Tensor", "aten.mul.Tensor", "aten.view.default", "aten.exp.default", None)


def node(
    name: str, target: str | None = None, line: int | None = None, module: str | None = None
) -> FxNode:
    lines = () if line is None else (SourceLine(file="m.py", line=line),)
    return FxNode(name=name, stage=Stage.POST_GRAD, target=target, lines=lines, module=module)


def with_nodes(plain: CompiledGraph, *of_calls: Sequence[FxNode]) -> CompiledGraph:
    """`plain`, its calls with these nodes; an empty list is a call without a mapping."""
    calls = tuple(
        replace(call, nodes=tuple(fx_node.name for fx_node in nodes) or None)
        for call, nodes in zip(plain.calls, of_calls, strict=True)
    )
    return replace(plain, calls=calls, nodes=tuple(n for nodes in of_calls for n in nodes))


def of(line: Timeline, *graphs: CompiledGraph) -> tuple[tuple[Leaf, ...], Attribution]:
    compiled, trace = program(*graphs), line.trace()
    result = match_launches(compiled, trace)
    split = attribute_time(result.program, trace, result.matching, Options())
    return smallest_parts(result.program, trace, result.matching, split), split


def sums(parts: Sequence[Leaf], what: str) -> Mapping[str, int]:
    total = Counter[str]()
    for leaf in parts:
        total[str(getattr(leaf, what))] += leaf.time_ns
    return total


def test_a_node_decides_line_module_and_op() -> None:
    """A fused call's time goes to its nodes, each with its own line, module and operator."""
    compiled = with_nodes(
        graph("g", A),
        [node("x", "aten.add.Tensor", 3, "up"), node("y", "aten.mul.Tensor", 5, "down")],
    )
    parts, _ = of(Timeline().invoke(compiled), compiled)

    assert parts == (
        Leaf(module="up", line="m.py:3", op="aten.add", call=0, time_ns=50),
        Leaf(module="down", line="m.py:5", op="aten.mul", call=0, time_ns=50),
    )


def test_a_node_that_calls_what_is_not_charged_shares_the_ops() -> None:
    """The comment names add and mul; a node that calls something else works for both."""
    compiled = with_nodes(graph("g", A), [node("x", "prims.convert.default", 3)])
    parts, _ = of(Timeline().invoke(compiled), compiled)

    assert sums(parts, "op") == {"aten.add": 50, "aten.mul": 50}
    assert sums(parts, "line") == {"m.py:3": 100}


def test_without_nodes_modules_lines_and_ops_share_in_turn() -> None:
    """A lazy backward has stacks and modules, but no nodes."""
    plain = graph("g", A)
    stacks = (SourceLine(file="m.py", line=3), SourceLine(file="m.py", line=5))
    call = replace(plain.calls[0], lines=stacks, modules=("up", None))
    compiled = replace(plain, calls=(call,))
    parts, _ = of(Timeline().invoke(compiled), compiled)

    assert sums(parts, "module") == {"up": 50, NO_MODULE: 50}
    assert sums(parts, "line") == {"m.py:3": 50, "m.py:5": 50}
    assert sorted(leaf.time_ns for leaf in parts) == [12, 12, 12, 12, 13, 13, 13, 13]


def test_what_no_call_has_stands_with_its_name() -> None:
    """Eager work keeps its operator; its module and line say why there is none."""
    compiled = graph("g", A)
    parts, _ = of(Timeline().invoke(compiled).eager("aten::relu", launches=2), compiled)

    assert [leaf for leaf in parts if leaf.call is None] == [
        Leaf(
            module="(outside compiled code)",
            line="(outside compiled code)",
            op="aten.relu",
            call=None,
            time_ns=200,
            rest="(outside compiled code)",
        )
    ]
    assert sums(parts, "line")[NO_LINE] == 100


@st.composite
def graphs(draw: st.DrawFn) -> CompiledGraph:
    """A graph of up to four calls with up to four nodes each, of which anything may be unknown."""
    symbols = draw(st.lists(st.sampled_from([A, B, "aten.mm"]), min_size=1, max_size=4))
    maybe = st.none() | st.integers(1, 3)
    of_calls = [
        [
            node(f"n{at}_{number}", target, line, module)
            for number, (target, line, module) in enumerate(
                draw(
                    st.lists(
                        st.tuples(
                            st.sampled_from(TARGETS), maybe, st.sampled_from(["up", "down", None])
                        ),
                        max_size=4,
                    )
                )
            )
        ]
        for at in range(len(symbols))
    ]
    return with_nodes(graph("g", *symbols), *of_calls)


@given(graphs(), st.integers(1, 3))
def test_leaves_are_the_tables(compiled: CompiledGraph, runs: int) -> None:
    """Leaves add up to the window, those of a call, an op, a module and a line to its row."""
    line = Timeline()
    for _ in range(runs):
        line.invoke(compiled).eager("aten::relu")
    parts, split = of(line, compiled)

    assert sum(leaf.time_ns for leaf in parts) == split.total_ns
    assert all(leaf.time_ns > 0 for leaf in parts)
    for call in split.calls:
        if call.call is not None:
            times_of_call = [leaf.time_ns for leaf in parts if leaf.call == call.call]
            assert sum(times_of_call) == call.time_ns
    assert sums(parts, "op") == {row.name: row.time_ns for row in split.ops if row.time_ns}
    assert sums(parts, "module") == {row.name: row.time_ns for row in split.modules if row.time_ns}
    lines = {
        f"{row.file}:{row.line}" if row.line else row.file: row.time_ns + row.backward_ns
        for row in split.lines
    }
    assert sums(parts, "line") == {name: time_ns for name, time_ns in lines.items() if time_ns}


@settings(max_examples=examples(40))
@given(worlds())
def test_ambiguous_time_stands_where_the_tables_have_it(
    world: tuple[CompiledProgram, Trace],
) -> None:
    """A line that all candidates share gets the time; no module and no call does."""
    compiled, trace = world
    result = match_launches(compiled, trace)
    split = attribute_time(result.program, trace, result.matching, Options())
    parts = smallest_parts(result.program, trace, result.matching, split)
    lines, modules = sums(parts, "line"), sums(parts, "module")

    assert sum(leaf.time_ns for leaf in parts) == split.total_ns
    for line in split.lines:
        name = f"{line.file}:{line.line}" if line.line else line.file
        assert lines.get(name, 0) == line.time_ns + line.backward_ns
    for module in split.modules:
        assert modules.get(module.name, 0) == module.time_ns
    for call in split.calls:
        if call.call is not None:
            assert call.time_ns == sum(leaf.time_ns for leaf in parts if leaf.call == call.call)
