"""The generated code with time in its margin: what stands where, and that it adds up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from kernelmap import Options, correlate
from kernelmap.attribution import attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph
from kernelmap.pages.code_margin import render_margin
from tiny import Timeline, graph, program

COST = re.compile(r"^ *(\d*) +(Σ )?([\d.,]+ (?:ns|µs|ms|s)) +\S+ % +([\d,]+)  ?([\w ,]*?) *│ (.*)$")
SAMPLES = ("aoti_block", "cpu_block", "sim_attention_autotune", "sim_mlp_train")


def with_text(plain: CompiledGraph, *, kernel_line: int = 2) -> CompiledGraph:
    """`plain` with a text: a definition per kernel from line 1 on, calls where they say."""
    lines = [f"filler {number}" for number in range(1, 10 + len(plain.calls))]
    for call in plain.calls:
        lines[(call.line or 1) - 1] = f"\t{call.wrapper}.run()"
    lines[kernel_line - 1] = f"{plain.kernels[0].name} = async_compile.triton()"
    return replace(plain, text="\n".join(lines) + "\n")


def listing(timeline: Timeline, *graphs: CompiledGraph) -> list[str]:
    trace = timeline.trace()
    matched = match_launches(program(*graphs), trace)
    attributed = attribute_time(matched.program, trace, matched.matching, Options())
    return render_margin(matched.program, matched.matching, attributed).splitlines()


def test_a_statement_has_its_time_and_a_definition_the_sum() -> None:
    """Two statements of one kernel keep apart; its definition has both, marked as a sum."""
    add = with_text(graph("0_forward", "triton_poi_add_0", "aten.mm", "triton_poi_add_0"))
    timeline = Timeline().invoke(add).invoke(add).eager("aten::add")

    top, head, *code, empty, outside, whole = listing(timeline, add)
    margins = {number: line.partition("│")[0].split() for number, line in enumerate(code, 1)}

    assert top == "== 0_forward · 0_forward.py · 600 ns · 6 launches · 2 invocations"
    assert head.split() == ["line", "time", "share", "launches", "confidence"]
    assert {number: margin for number, margin in margins.items() if len(margin) > 1} == {
        2: ["2", "Σ", "400", "ns", "57.1", "%", "4", "exact"],
        10: ["10", "200", "ns", "28.6", "%", "2", "exact"],
        11: ["11", "200", "ns", "28.6", "%", "2", "exact"],
        12: ["12", "200", "ns", "28.6", "%", "2", "exact"],
    }
    assert code[9].endswith("│     triton_poi_add_0.run()")
    assert {line.index("│") for line in (*code, outside, whole)} == {62}
    assert empty == ""
    assert outside.split() == ["100", "ns", "14.3", "%", "1", "│", "(outside", "compiled", "code)"]
    assert whole.split() == ["Σ", "700", "ns", "100.0", "%", "7", "│", "all", "GPU", "time"]


def test_ambiguous_launches_are_named_at_every_statement_that_may_own_them() -> None:
    """Their time is in no statement, and no statement looks as if it had not run."""
    add = with_text(graph("0_forward", "triton_poi_add_0", "triton_poi_add_0", "aten.mm"))
    timeline = Timeline().invoke(add).invoke(["triton_poi_add_0", "aten.mm"])
    statements = [
        line for line in listing(timeline, add) if line.endswith("triton_poi_add_0.run()")
    ]

    assert [line[38:62].strip() for line in statements] == ["1 exact, 1 ambiguous"] * 2


def test_graphs_without_code_list_their_calls() -> None:
    """Calls that only the trace knows have a margin, too."""
    lines = listing(Timeline().invoke(["triton_poi_add_0"], kwargs="XBLOCK=1"))

    assert "code not given" in lines[0]
    assert lines[2].endswith("│ triton_poi_add_0")


def test_what_code_holds_cannot_move_the_cursor() -> None:
    """Control characters are shown, tabs become spaces."""
    add = with_text(graph("0_forward", "triton_poi_add_0"))
    hostile = replace(add, text=(add.text or "").replace("filler 1", "x\x1b[31m"))

    assert any(line.endswith("│ x\\x1b[31m") for line in listing(Timeline().invoke(add), hostile))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_margin_of_a_sample_adds_up(name: str, samples: Path) -> None:
    """In Python and C++, statements and rest rows have all launches; calls stand at their names."""
    folder = samples / name
    correlation = correlate(folder, folder / "profile.json.gz")
    costs = [
        margin for line in correlation.annotated_code().splitlines() if (margin := COST.match(line))
    ]
    statements = [cost for cost in costs if not cost[2]]
    wrappers = {call.wrapper.rpartition(".")[2] for _, call in correlation.program.calls}

    assert (
        sum(int(cost[4].replace(",", "")) for cost in statements)
        == correlation.tables.summary.launches
    )
    assert len([cost for cost in statements if cost[1]]) == correlation.tables.summary.calls_seen
    for cost in statements:
        if cost[1] and correlation.program.graphs[0].code:
            names = (*wrappers, "aoti_torch_", "torch.ops.")
            assert any(wrapper in cost[6] for wrapper in names), cost[6]
