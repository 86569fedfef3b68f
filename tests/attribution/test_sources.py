"""A call with a source never has time without one, and nearly all compiled time has a source."""

from __future__ import annotations

import gzip
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import kernelmap
from attribution.random_worlds import GRAPHS, lined
from attribution.test_lines import A, line, with_nodes
from examples import examples
from kernelmap.attribution import Attribution
from kernelmap.attribution.attribute import attribute_time
from kernelmap.attribution.rollup import NO_LINE
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph
from kernelmap.options import Options
from tiny import Timeline, graph, program

ROOT = Path(__file__).resolve().parents[2]
RECORDED = [
    folder.name
    for folder in sorted((ROOT / "sample_traces").iterdir())
    if (folder / "RUN.toml").is_file()
    and tomllib.loads((folder / "RUN.toml").read_text(encoding="utf-8"))["kind"] == "recorded"
    and folder.name != "cuda_code_withheld"  # code that is not there has no lines
]
ENOUGH = 0.97
"""Of the compiled time of each recording with a log. What is left are calls that no graph's text
knows: the seeds of dropout, 0.5 to 2.3 % in the samples and the corpus."""


def without_line(attribution: Attribution) -> int:
    """The time of calls that the table of lines gives to no line."""
    return sum(row.time_ns for row in attribution.lines if row.file == NO_LINE)


def without_source(attribution: Attribution) -> int:
    """The time of the calls whose column `source` is empty."""
    calls = (row for row in attribution.calls if row.call is not None)
    return sum(row.time_ns for row in calls if not attribution.call_lines[row.call or 0])


def compiled_time(attribution: Attribution) -> int:
    return sum(row.time_ns for row in attribution.calls if row.call is not None)


def attributed(of: CompiledGraph) -> Attribution:
    """The time of one invocation of a graph."""
    timeline = Timeline()
    timeline.invoke(of)
    compiled, trace = program(of), timeline.trace()
    return attribute_time(compiled, trace, match_launches(compiled, trace).matching, Options())


@settings(max_examples=examples(400))
@given(lined(GRAPHS[0]))
def test_a_call_with_a_source_has_no_time_without_a_line(of: CompiledGraph) -> None:
    """Whatever is known of its nodes: what has no line is exactly the calls without a source."""
    attribution = attributed(of)

    assert compiled_time(attribution) > 0
    assert without_line(attribution) == without_source(attribution)


def test_a_call_is_at_the_lines_of_its_inputs_where_its_own_is_not_known() -> None:
    """A view is no work, and its line is all that is known of the kernel that looks through it."""
    of_two = with_nodes(graph("g", A), [3, None])
    view, work = of_two.nodes
    nodes = (
        replace(view, target="aten.view.default"),
        replace(work, target="higher_order.flex_attention"),
    )
    attribution = attributed(replace(of_two, nodes=nodes))

    assert [(row.file, row.line) for row in attribution.lines] == [("m.py", line(3).line)]


@pytest.mark.parametrize("name", RECORDED)
def test_nearly_all_compiled_time_of_a_recording_has_a_source(name: str) -> None:
    """Grouped products, foreach kernels and templates as much as any other kernel."""
    attribution = kernelmap.correlate(ROOT / "sample_traces" / name).attribution

    assert without_line(attribution) == without_source(attribution)
    assert without_line(attribution) <= (1 - ENOUGH) * compiled_time(attribution)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["mixtral_moe", "regional_llama"])
def test_nearly_all_compiled_time_of_a_real_model_has_a_source(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    """Recorded without INDUCTOR_PROVENANCE: a log with the graphs' texts is enough."""
    folder = corpus / "gpu_marked" / name
    (log,) = folder.glob("*.log.gz")
    (tmp_path / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
    sources = (folder / "code", folder / "profile.json.gz", tmp_path / log.stem)
    attribution = kernelmap.correlate(*sources).attribution

    assert without_line(attribution) == without_source(attribution)
    assert without_line(attribution) <= (1 - ENOUGH) * compiled_time(attribution)
