"""Models compiled ahead of time, from the package and a profile of its runs to ops and lines."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kernelmap import Correlation, correlate
from kernelmap.compiler import load_compiled

ROOT = Path(__file__).resolve().parent.parent
CALLS = [
    "aoti_torch_cpu_addmm_out",
    "cpp_fused_gelu_native_layer_norm_0",
    "aoti_torch_cpu_addmm_out",
    "cpp_fused__softmax_1",
    "aoti_torch_cpu_topk",
]
OPS = {"aten.addmm", "aten.gelu", "aten.native_layer_norm", "aten._softmax", "aten.topk"}
RUNS = 4


def check(correlation: Correlation) -> None:
    """What holds of every recording of scripts/examples/classifier.py."""
    source = (ROOT / "scripts" / "examples" / "classifier.py").read_text("utf-8").splitlines()
    (graph,) = correlation.program.graphs
    launches, lines = correlation.launches, correlation.lines

    assert correlation.notices == ()
    assert [call.wrapper for call in graph.calls] == CALLS
    assert [call.handle for call in graph.calls] == [1, 2, 3, 4, 5]
    assert all(call.recorded for call in graph.calls)
    assert set(launches["confidence"]) == {"exact"}
    assert list(launches["call"]) == [f"{graph.id}/{n}" for n in range(len(CALLS))] * RUNS
    assert set(correlation.ops["name"]) == OPS
    assert int(correlation.ops["time_ns"].sum()) == correlation.attribution.total_ns
    assert list(graph.calls[2].nodes or ()) == ["addmm_1"]
    assert lines["line"].notna().all()
    assert int(lines["time_ns"].sum()) == correlation.attribution.total_ns
    assert {Path(file).name for file in lines["file"]} == {"classifier.py"}
    for call in graph.calls:
        assert {source[line.line - 1].strip() for line in call.lines} == {
            line.code for line in call.lines
        }


def test_the_recorded_package_is_matched_whole(samples: Path) -> None:
    """Every launch of the sample is exact; ops and lines add up to the window."""
    folder = samples / "aoti_block"

    check(correlate(folder, folder / "profile.json.gz"))


def test_a_zipped_package_gives_the_same_program(samples: Path, tmp_path: Path) -> None:
    """A `.pt2` and its unpacked folder are one program, alone and together."""
    folder = samples / "aoti_block"
    packed = tmp_path / "classifier.pt2"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted((folder / "classifier").rglob("*")):
            archive.write(path, path.relative_to(folder))
    check(correlate(packed, folder / "profile.json.gz"))

    (graph,), (same,) = load_compiled(folder).graphs, load_compiled(packed).graphs
    assert (graph.id, graph.calls, graph.nodes) == (same.id, same.calls, same.nodes)
    assert load_compiled(folder, packed).graphs == (graph,)


@pytest.mark.thorough
@pytest.mark.torch
def test_a_package_that_is_compiled_now_is_matched_whole(tmp_path: Path) -> None:
    """Compiled, loaded and profiled with the installed torch: the same holds."""
    script = ROOT / "scripts" / "record_aoti_sample.py"
    done = subprocess.run(  # noqa: S603 -- our own script
        [sys.executable, script, tmp_path], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    check(correlate(tmp_path / "classifier.pt2", tmp_path / "trace.json"))
    (graph,) = load_compiled(tmp_path / "classifier.pt2", tmp_path / "cache").graphs
    assert len(graph.calls) == len(CALLS)
