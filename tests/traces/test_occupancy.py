"""How many warps fit on a multiprocessor, as Kineto states it: by hand, and as ncu counts it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kernelmap import correlate
from kernelmap.traces.load import load_trace
from kernelmap.traces.occupancy import read_occupancies
from ncu_pages import measured_launches, rows_of_launches

SAMPLES = Path(__file__).parents[2] / "sample_traces"
H100 = {
    "id": 0,
    "name": "NVIDIA H100 80GB HBM3",
    "warpSize": 32,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536,
    "sharedMemPerMultiprocessor": 233472,
    "numSms": 132,
}


def profile(folder: Path, *devices: dict[str, object], **args: object) -> Path:
    """A profile with one kernel."""
    given = {"device": 0, "stream": 7, "correlation": 1, "grid": [9, 1, 1], **args}
    kernel = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2}
    document = {"deviceProperties": devices, "traceEvents": [{**kernel, "args": given}]}
    path = folder / "profile.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("registers", "shared", "threads", "blocks", "warps"),
    [
        (16, 0, 128, 16, 64),  # all that fit
        (16, 0, 32, 32, 32),  # no more blocks than that
        (236, 132_096, 128, 1, 4),  # shared memory
        (236, 0, 128, 2, 8),  # registers: two warps in each of four parts
        (202, 0, 256, 1, 8),
        (255, 300_000, 1024, 1, 32),  # it ran, so one fits
    ],
)
def test_what_is_scarce_says_how_many_warps_fit(
    registers: int, shared: int, threads: int, blocks: int, warps: int, tmp_path: Path
) -> None:
    """Threads, blocks, registers or shared memory of a multiprocessor."""
    given = {"registers per thread": registers, "shared memory": shared, "block": [threads, 1, 1]}
    trace = load_trace(profile(tmp_path, H100, **given))
    (found,) = read_occupancies(trace, {"k"}).values()

    assert (found.blocks, found.warps, found.most_warps) == (blocks, warps, 64)


@pytest.mark.parametrize(
    ("devices", "args"),
    [
        ((), {"registers per thread": 16, "shared memory": 0, "block": [32, 1, 1]}),
        ((H100,), {"block": [32, 1, 1]}),
        ((H100,), {"registers per thread": 16, "shared memory": -1024, "block": [32, 1, 1]}),
        ((H100,), {"registers per thread": 2**70, "shared memory": 0, "block": [32, 1, 1]}),
        ((H100,), {"registers per thread": "many", "shared memory": 0, "block": [32, 1, 1]}),
        (
            ({**H100, "warpSize": 64},),
            {"registers per thread": 16, "shared memory": 0, "block": [32, 1, 1]},
        ),
    ],
)
def test_what_a_profile_does_not_state_is_not_known(
    devices: tuple[dict[str, object], ...], args: dict[str, object], tmp_path: Path
) -> None:
    """Neither of a device that is not listed, nor of a kernel without these numbers."""
    assert not read_occupancies(load_trace(profile(tmp_path, *devices, **args)), {"k"})


@pytest.mark.parametrize("sample", ["cuda_wide_llama", "cuda_wide_conv", "cuda_memory_graphs"])
def test_nsight_compute_counts_as_many_warps(sample: str) -> None:
    """Of every launch that was measured."""
    found, measured = correlate(SAMPLES / sample), measured_launches(SAMPLES / sample)
    launches = found.trace.launches
    names = [launches.names[at] for at in np.unique(launches.name_id)]
    occupancies = read_occupancies(found.trace, names)

    for position, row in rows_of_launches(found, measured).items():
        held = occupancies[launches.names[launches.name_id[row]]]
        counted = measured[position].number("sm__maximum_warps_per_active_cycle_pct")
        assert 100 * held.warps / held.most_warps == pytest.approx(counted, abs=0.1)
