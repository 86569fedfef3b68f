"""What the doctor says of Nsight Systems recordings: each reason alone, and whole texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from kernelmap.compiler import load_compiled
from kernelmap.model import Activity, CompiledProgram, Trace
from kernelmap.traces import load_trace
from speed.advice.diagnosed import diagnose, finding_of, slugs, time_of
from speed.advice.test_reads import Golden, advised
from worlds import World, simulate
from worlds.nsys import Export, write_nsys

DIRECT, GRAPHS = World(seed=5, invocations=6), World(seed=5, cuda_graphs=True, invocations=6)
PLAIN = Export(ranges=False, crossing=False)
FINDINGS = {
    "graphs-without-kernels",
    "captured-before",
    "api-calls-missing",
    "ranges-missing",
    "marks-missing",
}


@pytest.fixture(scope="module")
def program(samples: Path) -> CompiledProgram:
    return load_compiled(samples / "sim_mlp_train")


def recorded(folder: Path, program: CompiledProgram, world: World, export: Export) -> Trace:
    write_nsys(folder / "run.sqlite", [simulate(program, world)], export)
    return load_trace(folder / "run.sqlite")


def late(program: CompiledProgram) -> Export:
    """A recording that begins right before the first replay of a graph."""
    rows = simulate(program, GRAPHS).rows
    replay = min(row.start_ns for row in rows if "GraphLaunch" in row.name)
    return Export(cut_ns=replay - min(row.start_ns for row in rows) - 1000)


def test_a_recording_with_everything_has_no_reason_of_its_own(
    program: CompiledProgram, tmp_path: Path
) -> None:
    """Node-level graphs, captures in the window and marks: nothing of nsys is to be changed."""
    advice = diagnose(program, recorded(tmp_path, program, GRAPHS, Export(marks=True)))

    assert FINDINGS.isdisjoint(slugs(advice))
    assert not {"host-side-missing", "record-shapes-off"} & set(slugs(advice))


def test_graphs_as_a_whole_are_reported(program: CompiledProgram, tmp_path: Path) -> None:
    """All time of graphs that were recorded as a whole is not exact for one reason."""
    trace = recorded(tmp_path, program, GRAPHS, Export(graphs_whole=True, marks=True))
    advice = diagnose(program, trace, *trace.notices)
    whole = trace.launches.activity == Activity.GRAPH

    assert slugs(advice).count("graphs-without-kernels") == 1
    assert time_of(advice, "graphs-without-kernels") == trace.launches.dur_ns[whole].sum() > 0
    assert "--cuda-graph-trace=node" in finding_of(advice, "graphs-without-kernels").do
    assert "graph-replay" not in slugs(advice)


def test_a_capture_before_the_window_is_named(program: CompiledProgram, tmp_path: Path) -> None:
    """Replayed kernels whose node has no creation in the export, and no others."""
    trace = recorded(tmp_path, program, GRAPHS, late(program))
    advice = diagnose(program, trace)
    launches = trace.launches
    rows = (launches.graph_node >= 0) & (launches.origin < 0)

    assert 0 < rows.sum() < len(launches)
    assert time_of(advice, "captured-before") == launches.dur_ns[rows].sum()
    assert "record-shapes-off" not in slugs(advice)


@pytest.mark.parametrize("world", [DIRECT, GRAPHS], ids=["direct", "cuda graphs"])
def test_without_nvtx_all_is_order(world: World, program: CompiledProgram, tmp_path: Path) -> None:
    """Neither torch's ranges nor marks: every launch that is not certain has that reason."""
    trace = recorded(tmp_path, program, world, PLAIN)
    advice = diagnose(program, trace)

    assert slugs(advice)[0] == "ranges-missing"
    assert time_of(advice, "ranges-missing") == advice.totals[0].time_ns
    assert "host-side-missing" not in slugs(advice)


def test_without_api_calls_the_export_is_partial(program: CompiledProgram, tmp_path: Path) -> None:
    """An export of some tables has kernels that nothing launched."""
    trace = recorded(tmp_path, program, DIRECT, Export(marks=True))
    alone = replace(trace.launches, api=np.full(len(trace.launches), -1))
    cut = replace(trace, launches=alone, apis=trace.apis.take_rows(slice(0)))

    assert "api-calls-missing" in slugs(diagnose(program, cut))
    assert "api-calls-missing" not in slugs(diagnose(program, trace))


def test_torch_profiles_are_not_shown_nsys(program: CompiledProgram, tmp_path: Path) -> None:
    """The same rows from another profiler get the advice for that one."""
    trace = recorded(tmp_path, program, DIRECT, PLAIN)
    advice = diagnose(program, replace(trace, by_nsys=(False,)))

    assert "host-side-missing" in slugs(advice)
    assert FINDINGS.isdisjoint(slugs(advice))


def test_sums_are_reported_to_be_sums(program: CompiledProgram, tmp_path: Path) -> None:
    """A printed table has no host side because it is no profile."""
    path = tmp_path / "sums.csv"
    path.write_text(
        "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100.0,3000,3,1000.0,triton_poi_fused_0\n"
    )
    trace = load_trace(path)
    advice = diagnose(program, trace, *trace.notices)

    assert "sums-only" in slugs(advice)
    assert not {"host-side-missing", "ranges-missing"} & set(slugs(advice))


@pytest.mark.parametrize("case", ["whole", "late", "bare"])
def test_a_recording_reads_as_on_file(
    case: str, program: CompiledProgram, samples: Path, tmp_path: Path, golden: Golden
) -> None:
    """The advice for simulated recordings that lack something."""
    exports = {"whole": Export(graphs_whole=True), "late": late(program), "bare": PLAIN}
    recorded(tmp_path, program, GRAPHS, exports[case])
    (tmp_path / "sim_mlp_train").symlink_to(samples / "sim_mlp_train")

    golden(f"nsys_{case}.txt", advised(tmp_path, "sim_mlp_train", "run.sqlite"))


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["h100_2gpu_1s_2026.2", "saxpy_mpi_2022.2"])
def test_a_foreign_recording_reads_as_on_file(name: str, corpus: Path, golden: Golden) -> None:
    """The advice for exports that nobody here made, without code."""
    golden(f"{name}.txt", advised(corpus / "nsys", f"{name}.sqlite"))
