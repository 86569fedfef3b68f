"""Whatever is asked of a profile has the same answer from its .pftrace."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import kernelmap
from kernelmap.cli import main
from kernelmap.fleet.inputs import place_by_rank
from kernelmap.traces import launch_places, load_trace
from kernelmap.traces.collectives import collective_args
from kernelmap.traces.kineto.reader import KinetoReader
from kernelmap.traces.perfetto.reader import PerfettoReader
from kernelmap.traces.recorded_arguments import read_recorded_arguments
from traces.kineto_text import Event, api, frame, kernel, op, pair, sample, text, write
from worlds.pftrace import of_json

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
BASE = 1_700_000_000_000_000_000


def both(folder: Path, events: list[Event]) -> tuple[Path, Path]:
    """A run as JSON and as .pftrace."""
    around: Event = {"baseTimeNanoseconds": BASE}
    content = text(events, around=around)
    written = write(folder / "run.json", content)
    return written, write(folder / "run.pftrace", gzip.compress(of_json(content)))


def test_frames_of_libraries_are_looked_for_again(tmp_path: Path) -> None:
    """Functions that a first reading leaves out decide what a script is: read in a second look."""
    events = [
        frame("torch/profiler/profiler.py(1227): step", 1, 8),
        frame("torch/thing.py(3): <module>", 10, 100),
        frame("torch/thing.py(9): step", 20, 80),
        api("cudaLaunchKernel", 30, 1, 1),
        kernel("k", 40, 1, 1),
        frame("model.py(12): forward", 200, 60),
        api("cudaLaunchKernel", 210, 1, 2),
        kernel("k", 240, 1, 2),
    ]
    answers = []
    for path in both(tmp_path, events):
        trace = load_trace(path)
        found = launch_places(trace, np.ones(len(trace.launches), dtype=bool))
        answers.append([found.places[at].name if at >= 0 else None for at in found.code.tolist()])

    assert answers[0] == answers[1]
    assert answers[0] == ["in step (torch/thing.py:9)", "in forward (model.py:12)"]


SHAPES: list[Event] = [
    {
        "Input Dims": [[8, 16], [], [[4], [4]], [2**40]],
        "Concrete Inputs": ["", "128", "True", "-1"],
        "Input type": ["c10::BFloat16", "Scalar", "TensorList", "long int"],
    },
    {"Input Dims": [], "Concrete Inputs": []},
    {"Input Dims": [[1, 2]]},
    {"Input Dims": "odd", "Concrete Inputs": ["7", "x"]},
]


def test_arguments_are_those_of_the_json(tmp_path: Path) -> None:
    """Shapes, types and numbers that operators were handed, lists in lists and empty ones too.

    Older versions of torch write shapes without numbers.
    """
    events = [
        op("aten::mm", at, 1, **{"External id": at + 1, **said}) for at, said in enumerate(SHAPES)
    ]
    answers = []
    for path in both(tmp_path, [*events, *pair(9)]):
        trace = load_trace(path)
        answers.append(read_recorded_arguments(trace, np.arange(len(trace.ranges))))

    assert answers[0] == answers[1]
    assert len(answers[0]) == len(SHAPES)
    assert answers[0][0].sizes == ((8, 16), (), None, (2**40,))
    assert answers[0][0].tensors == "bf16[8, 16], i64[1099511627776]"
    assert (answers[0][2].tensors, answers[0][2].numbers) == ("[1, 2]", ())


def test_collectives_are_those_of_the_json(tmp_path: Path) -> None:
    """What NCCL says beside its kernels, and Gloo in its ranges; a group may be called 0."""
    said: dict[str, Any] = {
        "Collective name": "allreduce",
        "Process Group Name": "0",
        "In msg nelems": 1024,
        "Out msg nelems": 1024,
        "Group size": 8,
        "dtype": "BFloat16",
        "Process Group Ranks": "[0, 1, 2, 3]",
    }
    events = [
        kernel("ncclDevKernel_AllReduce", 5, 10, 3, **said),
        kernel("other", 20, 10, 4, dtype="x"),
        op("gloo:all_reduce", 30, 5, **{"External id": 6, "Input Dims": [[4, 2]],
                                        "Input type": ["float"]}),
        op("aten::mm", 40, 5, **{"External id": 7, "Input Dims": [[4, 2]]}),
    ]  # fmt: skip
    of_json_, of_packets = (collective_args(path) for path in both(tmp_path, events))

    assert of_json_ == of_packets
    assert set(of_packets) == {(True, 3), (False, 6)}
    assert of_packets[True, 3].group == "0"


def test_samples_of_gpus_are_those_of_the_json(tmp_path: Path) -> None:
    """Counters by name, unit and GPU; what is derived or no number is left out of both."""
    events = [
        *pair(1),
        sample("Power (W)", 7, 301.5),
        sample("Power (W)", 8, 299, device=1),
        sample("HBM BW (%)", 8.5, 12.25),
        sample("Cycles (Current Kernel)", 9, 3),
    ]
    of_json_, of_packets = both(tmp_path, events)
    read = KinetoReader().read(of_json_).counters, PerfettoReader().read(of_packets).counters
    tables = [
        {
            (each.names[name], each.units[name], device, time, value)
            for name, device, time, value in zip(
                each.name_id.tolist(),
                each.device.tolist(),
                each.time_ns.tolist(),
                each.value.tolist(),
                strict=True,
            )
        }
        for each in read
        if each is not None
    ]

    assert len(tables) == 2
    assert tables[0] == tables[1]
    assert len(tables[0]) == 3


@pytest.mark.sampled
def test_a_recording_has_the_same_answer_in_both_forms(tmp_path: Path) -> None:
    """`correlate` of a sample, written in torch's form: all tables equal but for the GPU's name."""
    recorded = SAMPLES / "cuda_mlp_train" / "rank_0"
    content = gzip.decompress((recorded / "trace.json.gz").read_bytes())
    path = write(tmp_path / "run.pftrace", gzip.compress(of_json(content)))
    profile = json.loads(content)
    # Limits of a GPU are known by its name, which a .pftrace does not hold.
    del profile["deviceProperties"]
    # torch's backend calls copies by no kind.
    for event in profile["traceEvents"]:
        if event.get("cat") in {"gpu_memcpy", "gpu_memset"}:
            event["name"] = {"gpu_memcpy": "Memcpy", "gpu_memset": "Memset"}[event["cat"]]
    plain = write(tmp_path / "run.json", json.dumps(profile))
    results = [
        kernelmap.correlate(recorded / "torch_trace", recorded / "code", given)
        for given in (plain, path)
    ]

    for table in ("calls", "ops", "lines", "kernels", "ledger"):
        one, other = (getattr(result, table) for result in results)
        assert one.equals(other), table


def test_both_forms_of_one_run_count_once(tmp_path: Path) -> None:
    """Named together they are one profile, and the one that names its GPU stays."""
    events = [*pair(1), *pair(2)]
    content = text(events, around={"deviceProperties": [{"id": 0, "name": "NVIDIA H100"}]})
    plain = write(tmp_path / "b.json", content)
    packed = write(tmp_path / "a.pftrace", of_json(content))
    trace = load_trace(packed, plain)

    assert len(trace.launches) == 2
    assert [device.name for device in trace.devices] == ["NVIDIA H100"]
    assert [notice.slug for notice in trace.notices] == ["repeated-trace"]


def test_annotate_writes_its_rows_as_events(tmp_path: Path) -> None:
    """As of an export of Nsight Systems, the result is JSON for a viewer, and reads the same."""
    _, path = both(tmp_path, [*pair(1), *pair(2)])
    target = tmp_path / "out"
    done = CliRunner().invoke(main, ["annotate", str(path), "-o", str(target)])

    assert done.exit_code == 0, done.output
    assert [each.name for each in target.iterdir()] == ["run.json.gz"]
    again = load_trace(target / "run.json.gz")
    first = load_trace(path)
    assert again.launches.start_ns.tolist() == first.launches.start_ns.tolist()
    assert again.launches.dur_ns.tolist() == first.launches.dur_ns.tolist()


@pytest.mark.parametrize("ending", [".pftrace", ".pftrace.gz"])
def test_folders_and_fleets_find_them(tmp_path: Path, ending: str) -> None:
    """A folder with one trace is read; files that are named after ranks are of them."""
    content = gzip.compress(of_json(text(pair(1))))
    write(tmp_path / f"rank_0{ending}", content)
    assert len(kernelmap.correlate(tmp_path).trace.launches) == 1
    write(tmp_path / f"rank_3{ending}", content)
    placed = place_by_rank([str(tmp_path)], None)

    assert [each.rank for each in placed.ranks] == [0, 3]
