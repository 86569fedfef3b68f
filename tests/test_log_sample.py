"""The recorded sample's log: it names graphs, nodes and lines; alone or with the code's files."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from click.testing import CliRunner

from kernelmap import correlate
from kernelmap.cli import main
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


def test_a_log_is_one_input(samples: Path) -> None:
    """The summary names the log, not each of the files whose code it holds."""
    folder = samples / "cpu_block"
    correlation = correlate(folder / "profile.json.gz", folder / "torch_trace.log")

    assert correlation.tables.summary.sources == ("profile.json.gz", "torch_trace.log")


def test_a_lazy_backward_reaches_the_lines_of_its_forward(samples: Path) -> None:
    """Without a node mapping, stack traces of calls give the lines; rows add up to the window."""
    folder = samples / "cpu_block"
    correlation = correlate(folder / "torch_trace.log", folder / "profile.json.gz")
    lines, kinds = (
        correlation.lines,
        dict(zip(correlation.graphs["kind"], correlation.graphs["time_ns"], strict=True)),
    )
    with_line = lines[lines["line"].notna()]

    assert set(correlation.launches["confidence"]) == {"exact", "outside"}
    assert "node mapping" not in correlation.program.graphs[1].artifacts
    assert any(call.nodes is None for call in correlation.program.graphs[1].calls)
    assert (
        int(lines["time_ns"].sum() + lines["backward_ns"].sum()) == correlation.attribution.total_ns
    )
    assert int(with_line["backward_ns"].sum()) == kinds["backward"]
    assert {Path(file).name for file in with_line["file"]} == {"train_block.py"}


def test_modules_have_the_time_of_both_directions(samples: Path) -> None:
    """Attribute paths as train_block.py has them; what has none says so; it adds up."""
    folder = samples / "cpu_block"
    correlation = correlate(folder / "torch_trace.log", folder / "profile.json.gz")
    rows = {row["name"]: row for row in correlation.modules.to_dict("records")}
    both = ("attention.qkv", "up", "down")

    assert sum(row["time_ns"] for row in rows.values()) == correlation.attribution.total_ns
    assert {"norm1", "attention", "attention.project", *both} <= rows.keys()
    assert all(0 < rows[name]["backward_ns"] < rows[name]["time_ns"] for name in both)
    assert rows["(no module known)"]["time_ns"] < 0.2 * correlation.attribution.total_ns


def test_without_cache_keys_the_order_of_calls_names_the_graphs(
    samples: Path, tmp_path: Path
) -> None:
    """With caches off there is no key in log or profile, so the order of calls decides."""
    folder = samples / "cpu_block"
    text = (folder / "torch_trace.log").read_text("utf-8")
    log = tmp_path / "torch_trace.log"
    log.write_text(text.replace("fx_graph_cache_miss", "nothing_known"), encoding="utf-8")
    profile = gzip.decompress((folder / "profile.json.gz").read_bytes()).decode()
    keyless = re.sub(r"(Call CompiledFxGraph )\w+( ##)", r"\1None\2", profile)
    (tmp_path / "profile.json").write_text(keyless, encoding="utf-8")
    keyed = correlate(folder / "torch_trace.log", folder / "profile.json.gz")
    correlation = correlate(log, tmp_path / "profile.json")

    assert keyless != profile
    assert {graph.cache_key for graph in correlation.program.graphs} == {None}
    assert correlation.launches["call"].tolist() == keyed.launches["call"].tolist()
    assert set(correlation.launches["confidence"]) <= {"exact", "inferred", "outside"}


def test_a_payload_that_was_edited_is_an_error_when_strict(samples: Path, tmp_path: Path) -> None:
    """A checksum that does not fit is a gap: a note, and exit code 1 with --strict."""
    text = (samples / "cpu_block" / "torch_trace.log").read_text("utf-8")
    log = tmp_path / "torch_trace.log"
    log.write_text(
        text.replace("aten.relu", "aten.gelu").replace("\tclass ", "\tClass ", 1), "utf-8"
    )
    command = ["correlate", str(log), str(samples / "cpu_block" / "profile.json.gz")]
    plain, strict = (CliRunner().invoke(main, [*command, *more]) for more in ([], ["--strict"]))

    assert (plain.exit_code, strict.exit_code) == (0, 1)
    assert "not as the checksum says" in plain.output


def test_every_part_of_a_call_has_its_line(samples: Path) -> None:
    """The line of each node is what train_block.py says there."""
    source = (samples.parent / "scripts" / "examples" / "train_block.py").read_text("utf-8")
    text = source.splitlines()
    graphs = load_compiled(samples / "cpu_block" / "torch_trace.log").graphs
    nodes: list[SourceLine] = [line for g in graphs for node in g.nodes for line in node.lines]
    stated = [*nodes, *(line for g in graphs for call in g.calls for line in call.lines)]

    assert len(stated) > 100
    for line in stated:
        assert line.code == text[line.line - 1].strip()
