"""The scripts' own parts: neutral paths, the alias table, the benchmark's tiles."""

from __future__ import annotations

import json
from pathlib import Path

import bench
import bench_logs
import bench_nsys
import torch_ops
from neutral_paths import CACHE, PACKAGES, PROJECT, neutral

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.compiler import load_compiled
from kernelmap.traces import load_trace


def test_names_of_files_survive() -> None:
    """Folders become neutral; the file's name, which hashes are made from, stays."""
    cache = Path("/somewhere/cache")

    inductors = f"{cache}/tmpab12cd34/fu/cfulwh.py"  # noqa: S108 -- a name, no file
    text = neutral(f"# kernel path: {inductors}", {cache: CACHE})
    assert text == f"# kernel path: {CACHE}/fu/cfulwh.py"


def test_the_longer_folder_goes_first() -> None:
    """A folder inside another one gets its own name."""
    folders = {Path("/somewhere"): "/home/user/run", Path("/somewhere/cache"): CACHE}

    assert neutral("/somewhere/cache/a /somewhere/b", folders) == f"{CACHE}/a /home/user/run/b"


def test_a_clipped_path_is_found() -> None:
    """A path of the project that lost its front is replaced too."""
    clipped = str(PROJECT / "scripts" / "examples")[2:]

    assert neutral(f"x  # {clipped}/block.py:3 in f", {}) == "x  # /home/user/block.py:3 in f"


def test_a_folder_with_a_longer_name_is_another_folder() -> None:
    """Only whole folder names are replaced."""
    assert neutral("/some/where2/a", {Path("/some/where"): PACKAGES}) == "/some/where2/a"


def test_the_alias_table_follows_both_lists() -> None:
    """What the lists add is in the table, what they take out is not."""
    assert torch_ops.ALSO.keys() <= ALIAS_OPS
    assert not torch_ops.NOT.keys() & ALIAS_OPS


def test_operators_that_copy_are_no_aliases() -> None:
    """Views and reshapes are in the table; clone, contiguous and conversions are not."""
    assert {"aten.view", "aten.reshape", "aten.permute", "aten.slice", "aten.split"} <= ALIAS_OPS
    assert not {"aten.clone", "aten.contiguous", "aten._to_copy", "aten.to"} & ALIAS_OPS


def test_tiles_follow_one_another(tmp_path: Path) -> None:
    """A tiled trace decodes; its kernels have unique correlations and do not overlap."""
    tile = bench.tile_of(bench.PROJECT / "sample_traces" / bench.SAMPLES[1] / "profile.json.gz")
    size = bench.write_tiled(tile, tmp_path / "tiled.json", 1)
    events = json.loads((tmp_path / "tiled.json").read_text())["traceEvents"]

    kernels = [event for event in events if event.get("cat") == "kernel"]
    correlations = [event["args"]["correlation"] for event in kernels]
    steps = [event["name"] for event in events if event["cat"] == "user_annotation"]
    assert size >= bench.MEGABYTE
    assert len(set(correlations)) == len(correlations)
    assert kernels == sorted(kernels, key=lambda event: event["ts"])
    assert len([name for name in steps if name.startswith("ProfilerStep#")]) == len(
        {name for name in steps if name.startswith("ProfilerStep#")}
    )


def test_tiles_of_a_log_are_whole_and_differ(tmp_path: Path) -> None:
    """Every checksum of a tiled log fits, and no graph comes twice."""
    tiled = tmp_path / "tiled.log"
    size = bench_logs.write_tiled(bench_logs.SAMPLE, tiled, 1)
    once, many = load_compiled(bench_logs.SAMPLE), load_compiled(tiled)
    ids = [graph.compile_id for graph in many.graphs]

    assert size >= bench.MEGABYTE
    assert many.notices == ()
    assert len(ids) % len(once.graphs) == 0
    assert len(set(ids)) == len(ids) // len(once.graphs) > 1


def test_a_child_is_measured(tmp_path: Path) -> None:
    """A child's time and memory are its own."""
    (tmp_path / "small.json").write_text("[1, 2]")
    run = bench.measured(bench.JSON_LOAD, tmp_path / "small.json")

    assert run.seconds > 0
    assert run.peak_mb > 1


def test_questions_are_held_to_a_plain_run() -> None:
    """Each question has a row with its time beside a plain run, which is once itself."""
    sample = bench.PROJECT / "sample_traces" / bench.SAMPLES[1]
    rows = list(bench.asked_rows(1, 1, sample, sample / "profile.json.gz"))

    assert [row.split("`")[1] for row in rows] == ["--by wall", "--sort headroom", "--by op"]
    assert rows[-1].endswith("| 1.00 | 1.00 |")


def test_a_generated_export_is_whole(tmp_path: Path) -> None:
    """Every kernel has its call, and calls and ranges lie in ranges: there is work to measure."""
    bench_nsys.write_export(tmp_path / "x.sqlite", 5_000)
    trace = load_trace(tmp_path / "x.sqlite")

    assert len(trace.launches) == 5_000
    assert (trace.launches.api >= 0).all()
    assert (trace.launches.graph_node > 0).sum() == 1_000
    assert len(trace.ranges) == 1_200
    assert (trace.ranges.parent >= 0).sum() == 900
    assert (trace.apis.range >= 0).mean() > 0.4
