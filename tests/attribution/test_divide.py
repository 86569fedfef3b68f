"""One rule divides a call: what two tables say of one op, line, node or module is the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import kernelmap
from attribution.random_worlds import worlds
from attribution.test_leaves import graphs, node, with_nodes
from examples import examples
from kernelmap.attribution import Attribution, attribute_time
from kernelmap.attribution.divide import (
    CallPart,
    DividedBucket,
    divide_bucket,
    divide_call,
    divide_calls,
)
from kernelmap.attribution.places import smallest_parts
from kernelmap.attribution.rollup import NO_LINE, NO_MODULE, NO_NODE
from kernelmap.attribution.time_buckets import window_buckets
from kernelmap.matching import match_launches
from kernelmap.model import (
    CompiledGraph,
    CompiledProgram,
    FxNode,
    Matching,
    Origins,
    SourceLine,
    Stage,
    Trace,
)
from kernelmap.options import Options
from tiny import Timeline, graph, program

A = "triton_poi_fused_a_0"
SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"


def attributed(
    compiled: CompiledProgram, trace: Trace
) -> tuple[CompiledProgram, Matching, Attribution]:
    result = match_launches(compiled, trace)
    shares = attribute_time(result.program, trace, result.matching, Options())
    return result.program, result.matching, shares


def check_tables(
    compiled: CompiledProgram, trace: Trace, matching: Matching, shares: Attribution
) -> None:
    """The tables of ops, lines, modules and nodes are the sums of the same parts."""
    divisions = divide_calls(compiled)
    divided = [divide_bucket(b, divisions) for b in window_buckets(trace, matching, shares)]

    def sums(key_of: Callable[[CallPart, DividedBucket], Hashable]) -> Counter[Hashable]:
        total: Counter[Hashable] = Counter()
        for each in divided:
            for part, time_ns in zip(each.parts, each.times_ns, strict=True):
                total[key_of(part, each)] += time_ns
        return +total

    def rest(each: DividedBucket, name: str) -> str:
        return each.bucket.unattributed or name

    def graph_of(each: DividedBucket) -> str:
        return compiled.calls[each.bucket.calls[0]][0].id

    assert sums(lambda p, each: p.op or rest(each, "")) == tables_of(
        (row.name, row.time_ns) for row in shares.ops
    )
    assert sums(
        lambda p, each: (p.line.file, p.line.line) if p.line else (rest(each, NO_LINE), None)
    ) == tables_of(((row.file, row.line), row.time_ns + row.backward_ns) for row in shares.lines)
    assert sums(lambda p, each: p.module or rest(each, NO_MODULE)) == tables_of(
        (row.name, row.time_ns) for row in shares.modules
    )
    assert sums(
        lambda p, each: (graph_of(each), p.node) if p.node else (None, rest(each, NO_NODE))
    ) == tables_of(((row.graph, row.name), row.time_ns) for row in shares.nodes)


def tables_of(rows: object) -> Counter[Hashable]:
    total: Counter[Hashable] = Counter()
    for name, time_ns in rows:  # type: ignore[attr-defined]
        total[name] += time_ns
    return +total


@settings(max_examples=examples(40))
@given(worlds())
def test_every_table_adds_up_the_same_parts(world: tuple[CompiledProgram, Trace]) -> None:
    """Ops by lines by modules by nodes add up in every direction, ambiguous time included."""
    compiled, matching, shares = attributed(*world)

    check_tables(compiled, world[1], matching, shares)


@given(graphs(), st.integers(1, 3))
def test_an_ops_time_is_that_of_its_nodes(compiled: CompiledGraph, runs: int) -> None:
    """Where each node counts for one op, the table of nodes adds up to that of ops, by op."""
    assume(all(call.nodes for call in compiled.calls))
    line = Timeline()
    for _ in range(runs):
        line.invoke(compiled)
    _, _, shares = attributed(program(compiled), line.trace())
    by_op: Counter[str] = Counter()
    unsure: set[str] = set()
    for row in shares.nodes:
        if row.graph is None or len(row.ops) > 1:
            unsure.update(row.ops)
        elif row.ops:
            by_op[row.ops[0]] += row.time_ns
        else:
            assert row.time_ns == 0

    for op in shares.ops:
        if op.name not in unsure:
            assert by_op[op.name] == op.time_ns


@settings(max_examples=examples(40))
@given(worlds())
def test_bounds_enclose_every_row(world: tuple[CompiledProgram, Trace]) -> None:
    """Of each op, module, node and line: alone in its calls <= its time <= all calls it is in."""
    _, _, shares = attributed(*world)

    for row in (*shares.ops, *shares.modules):
        assert 0 <= row.exclusive_ns <= row.time_ns <= row.involved_ns
    for at in shares.nodes:
        assert 0 <= at.time_ns <= at.involved_ns
    for line in shares.lines:
        assert 0 <= line.time_ns + line.backward_ns <= line.involved_ns


@pytest.mark.sampled
@pytest.mark.parametrize(
    "sample",
    ["cuda_language_train", "cuda_provenance_off", "cuda_decode_graphs", "cpu_block", "aoti_block"],
)
def test_a_recordings_tables_agree_with_its_treemap(sample: str) -> None:
    """One page says one time of an op: in the table of ops, by line, by module and by node."""
    run = kernelmap.correlate(SAMPLES / sample)
    check_tables(run.program, run.trace, run.match.matching, run.attribution)
    by_op: Counter[str] = Counter()
    for leaf in smallest_parts(run.program, run.trace, run.match.matching, run.attribution):
        by_op[leaf.op] += leaf.time_ns

    assert by_op == tables_of((row.name, row.time_ns) for row in run.attribution.ops)


def ops_of(ops: tuple[str, ...], *nodes: FxNode) -> dict[str, set[str | None]]:
    """The ops that each node counts for, in a call whose comment lists `ops`."""
    compiled = with_nodes(graph("0_backward", A), nodes)
    origins = Origins(nodes=("x",), aten=ops, ordered=True)
    call = replace(compiled.calls[0], origins=origins)
    of_nodes: dict[str, set[str | None]] = {}
    for part in divide_call(compiled, call).parts:
        of_nodes.setdefault(str(part.node), set()).add(part.op)
    return of_nodes


def test_a_node_counts_for_the_op_that_it_calls() -> None:
    """Three nodes of one op weigh three times as much as one of another."""
    plain = with_nodes(
        graph("g", A),
        [node(f"a{n}", "aten.add.Tensor") for n in range(3)] + [node("m", "aten.mul.Tensor")],
    )
    _, _, shares = attributed(program(plain), Timeline().invoke(plain).trace())

    assert {row.name: row.time_ns for row in shares.ops if row.time_ns} == {
        "aten.add": 75,
        "aten.mul": 25,
    }


def test_a_piece_counts_for_what_was_decomposed() -> None:
    """No node calls gelu: erf, which the comment does not list, is a piece of it."""
    erf, add = node("erf", "aten.erf.default"), node("add", "aten.add.Tensor")

    assert ops_of(("aten.gelu", "aten.add"), erf, add) == {
        "erf": {"aten.gelu"},
        "add": {"aten.add"},
    }
    assert ops_of(("aten.gelu", "aten.silu", "aten.add"), erf, add)["erf"] == {
        "aten.gelu",
        "aten.silu",
    }
    assert ops_of(("aten.add",), erf, add)["erf"] == {"aten.add"}


def test_what_a_backward_computes_again_is_no_piece_of_a_backward_op() -> None:
    """Nodes that come from the forward's graph are of gelu, the backward's own of its gradient."""
    again = replace(node("erf", "aten.erf.default"), pre_grad=("gelu",))
    own = node("exp", "aten.exp.default")
    listed = ("aten.gelu", "aten.gelu_backward")

    assert ops_of(listed, again, own) == {"erf": {"aten.gelu"}, "exp": {"aten.gelu_backward"}}
    assert ops_of(listed, own) == {"exp": set(listed)}


def test_a_list_of_thousands_does_not_fill_the_memory() -> None:
    """A call that names very much of everything has a part for each op, or each node."""
    plain = graph("g", A)
    call = replace(
        plain.calls[0],
        origins=Origins(nodes=("x",), aten=tuple(f"aten.f{n}" for n in range(3_000)), ordered=True),
        lines=tuple(SourceLine(file="m.py", line=n) for n in range(1, 3_000)),
        modules=tuple(f"m{n}" for n in range(3_000)),
    )
    nodes = [node(f"n{n}", line=n or None) for n in range(1_500)]
    nodes += [node(f"m{n}") for n in range(1_500)]

    assert len(divide_call(plain, call).parts) == 3_000
    assert (
        len(divide_call(with_nodes(plain, nodes), with_nodes(plain, nodes).calls[0]).parts) == 3_000
    )


def test_candidates_that_are_divided_alike_keep_op_and_line() -> None:
    """Ambiguous time stands at the op and the line that all calls agree on, each for itself."""
    two = graph("0_forward", A, A)
    nodes = [
        FxNode(
            name=f"n{number}",
            stage=Stage.POST_GRAD,
            target="aten.add.Tensor",
            lines=(SourceLine(file="m.py", line=number),),
        )
        for number in (3, 5)
    ]
    calls = tuple(
        replace(call, nodes=(fx_node.name,)) for call, fx_node in zip(two.calls, nodes, strict=True)
    )
    compiled = replace(two, calls=calls, nodes=tuple(nodes))
    _, _, shares = attributed(program(compiled), Timeline().launch(A, api=None).trace())

    assert {row.name: row.time_ns for row in shares.ops if row.time_ns} == {"aten.add": 100}
    assert {row.file: row.time_ns for row in shares.lines if row.time_ns} == {"(ambiguous)": 100}


def test_a_module_is_part_of_the_calls_of_all_its_nodes() -> None:
    """A view has no time, but its module is in the call, so the other is not alone there."""
    nodes = [
        node("a", "aten.add.Tensor", module="up"),
        node("v", "aten.view.default", module="down"),
    ]
    plain = with_nodes(graph("g", A), nodes)
    _, _, shares = attributed(program(plain), Timeline().invoke(plain).trace())
    bounds = {row.name: (row.exclusive_ns, row.time_ns, row.involved_ns) for row in shares.modules}

    assert bounds == {"up": (0, 100, 100), "down": (0, 0, 100), "self": (0, 0, 0)}
