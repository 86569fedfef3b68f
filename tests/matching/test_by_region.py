"""Graphs that fit alike, told apart by Dynamo's regions."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, Confidence
from tiny import Timeline, graph, program

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_1"
REGION = "Torch-Compiled Region: "


def compiled(compile_id: str | None, name: str = "") -> CompiledGraph:
    return graph(name or f"g{compile_id}", A, B, compile_id=compile_id)


def graphs_of(line: Timeline, *graphs: CompiledGraph) -> list[tuple[str, str | None]]:
    """Confidence and graph of each launch."""
    result = match_launches(program(*graphs), line.trace())
    calls = result.program.calls
    rows = zip(result.matching.confidence.tolist(), result.matching.call.tolist(), strict=True)
    return [
        (Confidence(value).name.lower(), calls[call][0].id if call >= 0 else None)
        for value, call in rows
    ]


def run(line: Timeline, region: str | None, *, key: str | None = None) -> Timeline:
    begin = line.now
    line.invoke(compiled(None), key=key)
    return line.enclose(REGION + region, begin) if region else line


FIRST, AGAIN = compiled("0/0"), compiled("0/1_1")


def test_the_compile_id_of_the_region_decides() -> None:
    """A function that was compiled again runs the code of its compile id; attempts don't count."""
    line = run(run(Timeline(), "0/1"), "0/0")

    assert graphs_of(line, FIRST, AGAIN) == [("exact", AGAIN.id)] * 2 + [("exact", FIRST.id)] * 2


@pytest.mark.parametrize(
    "other",
    [compiled(None, "no_id"), compiled("0/1", "reset"), compiled("0/1_2", "attempt")],
    ids=lambda graph: graph.id,
)
def test_what_may_be_the_same_compilation_stays_a_candidate(other: CompiledGraph) -> None:
    """No id may be any id; resets, ranks and attempts give one id to several graphs."""
    line = run(Timeline(), "0/1")

    assert graphs_of(line, FIRST, AGAIN, other) == [("ambiguous", None)] * 2


@pytest.mark.parametrize("region", [None, "7/0"])
def test_without_such_a_region_all_stand(region: str | None) -> None:
    """Without a region that a given graph has, all graphs stay candidates."""
    assert graphs_of(run(Timeline(), region), FIRST, AGAIN) == [("ambiguous", None)] * 2


def test_spans_of_one_key_have_to_agree() -> None:
    """One cache key is one graph: regions that name different ones contradict it."""
    same = run(run(Timeline(), "0/1", key="k"), None, key="k")
    torn = run(run(Timeline(), "0/1", key="k"), "0/0", key="k")

    assert graphs_of(same, FIRST, AGAIN) == [("exact", AGAIN.id)] * 4
    assert graphs_of(torn, FIRST, AGAIN) == [("ambiguous", None)] * 4


def test_a_graph_that_was_compiled_with_more_is_no_candidate() -> None:
    """The region never overrules the statements: what does not fit is not asked."""
    more = replace(compiled("0/1", "more"), calls=(*AGAIN.calls, *FIRST.calls))

    assert graphs_of(run(Timeline(), "0/1"), FIRST, more)[0] != ("exact", "more")
