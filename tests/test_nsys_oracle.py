"""Nsight Systems itself as the oracle: what it makes of an export, and what we make of it.

These tests run where nsys is installed. It reads a copy, because it may write into what it reads.
"""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import pytest

from kernelmap.model import NONE, Activity, Trace
from kernelmap.traces import load_trace
from kernelmap.traces.range_texts import split_range_text
from read_once import compiled
from worlds import World, simulate
from worlds.nsys import Export, write_nsys
from worlds.nsys_schema import Schema

pytestmark = pytest.mark.nsys

CORPUS = ("h100_2gpu_1s_2026.2", "saxpy_mpi_2022.2")

Range = tuple[str | None, int, int, int, str]
"""(pid, thread, start, duration, name)"""
Projected = tuple[int, int, int]
"""(start, duration, launching calls)"""


@pytest.fixture(params=[*get_args(Schema), *CORPUS])
def export(request: pytest.FixtureRequest, samples: Path, tmp_path: Path) -> Path:
    """A generated export of two processes with CUDA graphs, or one of the corpus."""
    path = tmp_path / "x.sqlite"
    if request.param in CORPUS:
        corpus: Path = request.getfixturevalue("corpus")
        path.write_bytes((corpus / "nsys" / f"{request.param}.sqlite").read_bytes())
        return path
    program = compiled(samples / "sim_mlp_train")
    worlds = [simulate(program, World(seed=s, cuda_graphs=True, invocations=4)) for s in (1, 2)]
    write_nsys(path, worlds, Export(schema=request.param))
    return path


def stats(path: Path, report: str) -> list[dict[str, str]]:
    """The rows of one report of `nsys stats`."""
    nsys = shutil.which("nsys")
    assert nsys is not None
    copy = shutil.copy(path, path.with_name(f"{report}.sqlite"))
    command = [nsys, "stats", "--report", report, "--format", "csv", "--output", "-", copy]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 -- nsys
    lines = done.stdout.replace("\r", "\n").splitlines()
    header = next(at for at, line in enumerate(lines) if "Name" in line and "," in line)
    return list(csv.DictReader(io.StringIO("\n".join(lines[header:]))))


def projected(trace: Trace) -> dict[Range, Projected]:
    """Each range with the GPU activity that was launched in it, by our links alone."""
    launches, ranges = trace.launches, trace.ranges
    inside: defaultdict[int, list[int]] = defaultdict(list)
    for row, api in enumerate(launches.api.tolist()):
        at = int(trace.apis.range[api]) if api >= 0 else NONE
        while at >= 0:
            inside[at].append(row)
            at = int(ranges.parent[at])
    zero = trace.zeros_ns[0]
    by_range = {}
    for at, rows in inside.items():
        start = min(int(launches.start_ns[row]) for row in rows)
        end = max(int(launches.start_ns[row] + launches.dur_ns[row]) for row in rows)
        key = (
            trace.processes[int(ranges.process[at])].pid,
            int(ranges.thread[at]),
            int(ranges.start_ns[at]) - zero,
            int(ranges.dur_ns[at]),
            ranges.name_of(at),
        )
        calls = len({int(launches.correlation[row]) for row in rows})
        by_range[key] = (start - zero, end - start, calls)
    return by_range


def of_default_domain(rows: Sequence[dict[str, str]]) -> Iterator[tuple[Range, Projected]]:
    """The push/pop ranges of a projection; other domains stand before the name."""
    for row in rows:
        if row["Style"] == "PushPop" and not row["Name"].startswith(("NCCL:", "MPI:")):
            key = (
                row["PID"],
                int(row["TID"]),
                int(row["Orig Start (ns)"]),
                int(row["Orig Duration (ns)"]),
                split_range_text(row["Name"])[0],
            )
            start, duration = int(row["Projected Start (ns)"]), int(row["Projected Duration (ns)"])
            yield key, (start, duration, int(row["NumGPUOps"]))


def test_projections_of_ranges_are_those_of_nsys(export: Path) -> None:
    """Launches, calls and ranges linked and nested give nsys' own nvtx_gpu_proj_trace."""
    expected = dict(of_default_domain(stats(export, "nvtx_gpu_proj_trace")))

    assert expected
    assert projected(load_trace(export)) == expected


def test_sums_of_kernels_are_those_of_nsys(export: Path) -> None:
    """Every kernel is read once, under the name that nsys shows, with its time."""
    expected = {
        row["Name"]: (int(row["Instances"]), int(row["Total Time (ns)"]))
        for row in stats(export, "cuda_gpu_kern_sum")
    }
    launches = load_trace(export).launches
    number: Counter[str] = Counter()
    time_ns: Counter[str] = Counter()
    for name, activity, dur in zip(
        launches.name_id.tolist(), launches.activity.tolist(), launches.dur_ns.tolist(), strict=True
    ):
        if activity == Activity.KERNEL:
            number[launches.names[name]] += 1
            time_ns[launches.names[name]] += dur

    assert {name: (number[name], time_ns[name]) for name in number} == expected
