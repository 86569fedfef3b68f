"""CSV, Markdown, answers and the listing of a program, as texts."""

from __future__ import annotations

import csv as stdlib_csv
import json as stdlib_json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from kernelmap.matching.explaining.explain import Explanation
from kernelmap.matching.explaining.hits import Hit
from kernelmap.model import (
    Artifact,
    Backend,
    CacheOutcome,
    Compilation,
    CompiledGraph,
    CompiledProgram,
    Emitted,
    FailedGuard,
    GraphBreak,
    KernelDef,
    Origins,
    SourceLine,
    WrapperCall,
)
from kernelmap.pages import answers, csv, documents, program
from kernelmap.pages.render import markdown, terminal
from kernelmap.tables.rows import Cell
from kernelmap.tables.schema import TABLES
from kernelmap.tables.selection import Selection, select_of_tables
from pages.hand_tables import HOSTILE, make_tables, table
from showing import as_markdown

Golden = Callable[[str, str], None]

HITS = (
    Hit(
        rule="legacy suffix",
        wrapper="triton_poi_fused_lift_fresh_0",
        graph="0_forward",
        calls=("0_forward/0", "0_forward/3"),
        launches=200,
        evidence=("its signature gives the suffix '0d1c'",),
    ),
    Hit(
        rule="legacy suffix",
        wrapper="triton_poi_fused_lift_fresh_2",
        graph="0_forward",
        calls=("0_forward/1",),
        launches=100,
        evidence=("its signature gives the suffix '0d1c'",),
    ),
)
WHY = Explanation(
    title="launch 2: triton__0d1c",
    verdict="ambiguous: several calls run under this device name",
    evidence=("no host range lies around its api call", f"its name is {HOSTILE}"),
    candidates=("0_forward/0", "0_forward/1"),
)
PROGRAM = CompiledProgram(
    graphs=(
        CompiledGraph(
            id="0_forward",
            kind="forward",
            code="model/output_code.py",
            calls=(
                WrapperCall(
                    index=0,
                    wrapper="triton_poi_fused_add_0",
                    backend=Backend.TRITON,
                    category="poi",
                    line=41,
                    handle=1,
                    kernel="triton_poi_fused_add_0",
                ),
                WrapperCall(
                    index=1,
                    wrapper="extern_kernels.mm",
                    backend=Backend.EXTERN,
                    line=43,
                    target="aten.mm",
                ),
            ),
            kernels=(
                KernelDef(
                    name="triton_poi_fused_add_0",
                    function="triton_poi_fused_add_0",
                    backend=Backend.TRITON,
                    first_line=10,
                    last_line=30,
                    path="/cache/ab/cabc.py",
                    origins=Origins(nodes=("add",), aten=("aten.add",), ordered=True),
                ),
            ),
        ),
    )
)

_FIRST = Compilation(
    compile_id="0/0",
    log="log",
    serial=0,
    function="step",
    line=SourceLine(file="/home/me/model.py", line=7),
    attempts=2,
    restarts=("unspec float",),
    graph_breaks=(GraphBreak(reason="print", line=SourceLine(file="/home/me/model.py", line=9)),),
    compile_ns=2_000_000_000,
)
_AGAIN = replace(
    _FIRST,
    compile_id="0/1",
    serial=1,
    attempts=1,
    restarts=(),
    graph_breaks=(),
    failed_guards=(FailedGuard(earlier="0/0", guard="L['n'] == 2", detail="0/0: L['n'] == 2"),),
)
_FAILED = Compilation(compile_id="1/0", log="log", serial=2, failure="Unsupported: no", rank=1)
COMPILED = CompiledProgram(
    graphs=tuple(
        replace(
            PROGRAM.graphs[0],
            id=f"0_{kind}",
            kind=kind,
            compile_id="0/1",
            cache_key="fkey" if kind == "forward" else None,
            emitted=(Emitted(compilation=_AGAIN, cache=cache),),
            artifacts=tuple(a for a in Artifact if a != Artifact.MAPPING or kind == "forward"),
        )
        for kind, cache in (("forward", CacheOutcome.MISS), ("backward", None))
    ),
    compilations=(_FIRST, _AGAIN, _FAILED),
)


def test_csv_holds_exact_numbers_under_the_schemas_names() -> None:
    """The header is the schema's, null is nothing, a list is one cell."""
    rows = list(
        stdlib_csv.DictReader(
            csv.dump_selected(select_of_tables(make_tables(), "calls", Selection())).splitlines()
        )
    )

    assert tuple(rows[0]) == tuple(TABLES["calls"].by_name)
    assert rows[0]["time_ns"] == "5210000"
    assert rows[0]["ops"] == "aten.addmm"
    assert (rows[-1]["call"], rows[-1]["wrapper"]) == ("", "(ambiguous)")


def test_markdown_reads_as_on_file(golden: Golden) -> None:
    """The table for a pull request is the text that a person approved."""
    golden("ops.md", as_markdown(make_tables(), by="op", top=6))


def test_no_name_breaks_out_of_its_markdown_cell() -> None:
    """Bars, backticks and line breaks of a name leave the table as it is."""
    row: dict[str, Cell] = {"name": "a|b`c``d\n| e", "time_ns": 1, "share": 1.0}
    tables = make_tables()
    bad = replace(tables, frames={**tables.frames, "ops": table("ops", [row])})
    lines = [line for line in as_markdown(bad, by="op").splitlines() if line.startswith("|")]

    assert len(lines) == 3
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1


def test_which_reads_as_on_file(golden: Golden) -> None:
    """The candidates of a legacy name, with their launches."""
    golden("which.txt", terminal.render_text(answers.page_of_hits("triton__0d1c", HITS), 100).plain)
    golden("which.md", markdown.render_markdown(answers.page_of_hits("triton__0d1c", HITS)))


def test_explain_reads_as_on_file(golden: Golden) -> None:
    """Verdict, evidence and candidates of one launch."""
    golden("explain.txt", terminal.render_text(answers.page_of_explanation(WHY), 100).plain)
    golden("explain.md", markdown.render_markdown(answers.page_of_explanation(WHY)))


def test_answers_are_whole_in_json() -> None:
    """Nothing that the text shows is missing in the JSON."""
    hits = stdlib_json.loads(documents.of_which("triton__0d1c", HITS))
    why = stdlib_json.loads(documents.of_explanation(WHY))

    assert [hit["launches"] for hit in hits["hits"]] == [200, 100]
    assert why["evidence"] == list(WHY.evidence)
    assert why["candidates"] == ["0_forward/0", "0_forward/1"]


def test_a_program_reads_as_on_file(golden: Golden) -> None:
    """Graphs with their calls, and what was found beside them."""
    golden("inspect.txt", terminal.render_text(program.page_of_program(PROGRAM), 100).plain)


def test_nodes_stay_where_a_terminal_is_narrow() -> None:
    """The nodes of a call, which its JSON has, are left out after its backend and its line."""
    text = terminal.render_text(program.page_of_program(PROGRAM), 60).plain
    (header,) = [line for line in text.splitlines() if line.startswith("#")]

    assert header.split()[-1] == "nodes"


def test_several_graphs_begin_with_an_overview(golden: Golden) -> None:
    """Compile ids, cache, what is missing and what brings it, why frames were compiled again."""
    golden("overview.txt", terminal.render_text(program.page_of_program(COMPILED), 100).plain)


def test_a_program_in_markdown_has_every_call() -> None:
    """The Markdown of `inspect` has the graphs and the calls of the terminal, in code spans."""
    text = markdown.render_markdown(program.page_of_program(COMPILED))

    for graph in COMPILED.graphs:
        assert f"`{graph.id}" in text
        for call in graph.calls:
            assert f"| {call.index} | " in text
            assert f"| `{call.wrapper}` |" in text


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_line_of_an_overview_is_wider_than_the_terminal(width: int) -> None:
    """Columns give way and sentences are broken."""
    lines = terminal.render_text(program.page_of_overview(COMPILED), width).plain.splitlines()

    assert max(len(line) for line in lines) <= width


def test_a_program_in_json_has_its_compilations() -> None:
    """Each graph lists what is missing and how to get it; each compilation is listed once."""
    document = stdlib_json.loads(documents.of_program(COMPILED))
    forward, backward = document["graphs"]

    assert [compilation["compile_id"] for compilation in document["compilations"]] == [
        "0/0",
        "0/1",
        "1/0",
    ]
    assert document["compilations"][1]["failed_guards"][0]["guard"] == "L['n'] == 2"
    assert forward["emitted"] == [
        {"compile_id": "0/1", "log": "log", "serial": 1, "cache": "miss", "bypass": None}
    ]
    assert [missing["what"] for missing in backward["missing"]] == ["node mapping", "cache key"]
    assert "force_non_lazy_backward_lowering" in backward["missing"][0]["brings"]


def test_markdown_tells_of_recompilations() -> None:
    """What the terminal says below the graphs stands in the Markdown, in code spans."""
    text = as_markdown(make_tables(), by="graph")

    assert "Compiled more than once:\n\n- `forward (model.py:23): 2 compilations`" in text
    assert "- `because this did not hold: L['x'].size()[0] == 8`" in text
    assert "``forward (0/0, 0/1) at model.py:29: Failed to trace `print`" in text


def test_a_program_in_json_names_kernels_calls_and_what_was_found() -> None:
    """Each call carries its id and its origins, each graph what is known of it."""
    (graph,) = stdlib_json.loads(documents.of_program(PROGRAM))["graphs"]

    assert [call["call"] for call in graph["calls"]] == ["0_forward/0", "0_forward/1"]
    assert graph["calls"][0]["origins"]["aten"] == ["aten.add"]
    assert graph["kernels"][0]["hash"] == "cabc"
    assert graph["found"]["debug handles"] == 1
