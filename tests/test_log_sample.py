"""The recorded sample's log: it names graphs, nodes and lines; alone or with the code's files."""

from __future__ import annotations

from pathlib import Path

from kernelmap import correlate
from kernelmap.compiler import load_compiled
from kernelmap.model import SourceLine


def test_log_and_folder_are_one_program(samples: Path) -> None:
    """Copies of one text count once, in the file that can be opened, with the log's facts."""
    folder = samples / "cpu_block"
    log, both = load_compiled(folder / "torch_trace.log"), load_compiled(folder)

    assert log.notices == both.notices == ()
    assert [graph.id for graph in both.graphs] == ["0_forward", "0_backward"]
    assert [(g.id, g.calls, g.nodes, g.cache_key) for g in both.graphs] == [
        (g.id, g.calls, g.nodes, g.cache_key) for g in log.graphs
    ]
    assert all(Path(graph.code or "").is_relative_to(folder) for graph in both.graphs)
    assert {graph.compile_id for graph in both.graphs} == {"0/0"}


def test_a_lazy_backward_reaches_the_lines_of_its_forward(samples: Path) -> None:
    """It has no node mapping, so its calls' stack traces tell; the rows add up to the window."""
    folder = samples / "cpu_block"
    found = correlate(folder / "torch_trace.log", folder / "profile.json.gz")
    lines, kinds = (
        found.lines,
        dict(zip(found.graphs["kind"], found.graphs["time_ns"], strict=True)),
    )
    own = lines[lines["line"].notna()]

    assert set(found.launches["confidence"]) == {"exact"}
    assert {call.nodes for call in found.program.graphs[1].calls} == {None}
    assert int(lines["time_ns"].sum() + lines["backward_ns"].sum()) == found.attribution.total_ns
    assert int(own["backward_ns"].sum()) == kinds["backward"]
    assert {Path(file).name for file in own["file"]} == {"train_block.py"}


def test_every_part_of_a_call_has_its_line(samples: Path) -> None:
    """The line of each node is what train_block.py says there."""
    source = (samples.parent / "scripts" / "examples" / "train_block.py").read_text("utf-8")
    text = source.splitlines()
    graphs = load_compiled(samples / "cpu_block" / "torch_trace.log").graphs
    nodes: list[SourceLine] = [line for g in graphs for node in g.nodes for line in node.lines]
    known = [*nodes, *(line for g in graphs for call in g.calls for line in call.lines)]

    assert len(known) > 100
    for line in known:
        assert line.code == text[line.line - 1].strip()
