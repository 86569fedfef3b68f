"""Perfetto's own package reads our files as we do, and torch's encoder writes what ours writes.

Both are optional: `pip install perfetto`, and a torch that has the encoder (2.14 or newer).
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kernelmap.traces.kineto.reader import KinetoReader
from kernelmap.traces.perfetto import plain_packets
from kernelmap.traces.perfetto.notes import KEYS
from kernelmap.traces.perfetto.reader import PerfettoReader
from traces.kineto_text import Event, api, frame, kernel, note, op, pair, sample, write
from traces.test_perfetto import as_monitor, rows
from worlds.pftrace import pftrace

PROJECT = Path(__file__).resolve().parents[2]
BASE = 1_700_000_000_000_000_000
EVENTS: list[Event] = [
    *pair(1),
    op("x", 1, 2, **{"External id": 3, "b": True, "f": 0.5, "d": {"a": [1, -1]}, "n": None}),
    note("y", 1, 2, kernel_file="f", num_warps=4),
    frame("a.py(1): f", 1, 2),
    api("cudaGraphLaunch", 5, 1, 9),
    kernel("k", 8, 1, 9, block=[32, 1, 1], **{"graph id": 3, "graph node id": 5}),
    sample("Power (W)", 7, 1.5),
    sample("SM Clock (MHz)", 9, 3),
]


def test_perfettos_package_finds_the_same_packets() -> None:
    """Every cell of slices, stages and counters is what Google's protobuf messages hold."""
    protos: Any = pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed"
    )
    content = pftrace(EVENTS, BASE)
    trace = protos.Trace()
    trace.ParseFromString(content)
    scanned = plain_packets.scan(content, KEYS.names, KEYS.first_detail, 1 << 20)
    tables = dict(zip((name for name, _ in plain_packets.TABLES), scanned[2], strict=True))
    sizes = {name: count for name, (count, _) in tables.items()}
    events = [each for each in trace.packet if each.HasField("track_event")]

    assert sizes["packets"] == len(trace.packet)
    assert sizes["slices"] == sum(each.track_event.type == 1 for each in events)
    assert sizes["ends"] == sum(each.track_event.type == 2 for each in events)
    assert sizes["stages"] == sum(each.HasField("gpu_render_stage_event") for each in trace.packet)
    assert sizes["counters"] == sum(
        len(each.gpu_counter_event.counters)
        for each in trace.packet
        if each.HasField("gpu_counter_event")
    )
    assert column(tables, "packets", "time") == [
        each.timestamp if each.HasField("timestamp") else plain_packets.NO_TIME
        for each in trace.packet
    ]
    stages = [
        each.gpu_render_stage_event
        for each in trace.packet
        if each.HasField("gpu_render_stage_event")
    ]
    for name, field in (("duration", "duration"), ("gpu", "gpu_id"), ("stage", "stage_iid")):
        assert column(tables, "stages", name) == [getattr(each, field) for each in stages]
    begins = [each.track_event for each in events if each.track_event.type == 1]
    uuids = column(tables, "tracks", "uuid")
    tracks = [uuids[row] for row in column(tables, "slices", "track")]
    assert tracks == [each.track_uuid for each in begins]
    assert column(tables, "slices", "name") == [each.name_iid for each in begins]


def column(tables: dict[str, plain_packets.Table], table: str, name: str) -> list[int]:
    """One column of a table that was scanned."""
    count, columns = tables[table]
    cells = columns[dict(plain_packets.TABLES)[table].index(name)]
    return [plain_packets.ABSENT] * count if cells is None else list(memoryview(cells).cast("q"))


@pytest.mark.thorough
def test_torchs_encoder_and_ours_give_the_same_rows(tmp_path: Path) -> None:
    """One window of columns, written by torch in both forms: the same tables as of our file."""
    torch = importlib.util.find_spec("torch")
    folder = None if torch is None else torch.submodule_search_locations
    profiler = Path(next(iter(folder))) / "profiler" if folder else Path()
    if not any((profiler / name).is_dir() for name in ("_cupti", "_cuspy")):
        pytest.skip("this torch writes no .pftrace: that begins with 2.14")
    recorded = PROJECT / "sample_traces" / "cuda_mlp_train" / "rank_0" / "trace.json.gz"
    script = PROJECT / "scripts" / "make_pftrace.py"
    subprocess.run([sys.executable, script, recorded, "-o", tmp_path], check=True)  # noqa: S603 -- ours
    plain = (tmp_path / "run.json").read_bytes()
    profile = json.loads(plain)
    events = as_monitor([each for each in profile["traceEvents"] if each.get("args") is not None])
    ours = pftrace(events, int(profile["baseTimeNanoseconds"]))
    of_torch = PerfettoReader().read(tmp_path / "run.pftrace")

    assert rows(of_torch) == rows(PerfettoReader().read(write(tmp_path / "ours.pftrace", ours)))
    # Between which kinds of memory a copy went is in the JSON alone.
    for event in events:
        for key in ("copy kind", "src kind", "dst kind", "memory kind"):
            event["args"].pop(key, None)  # type: ignore[attr-defined]
    profile["traceEvents"] = events
    assert rows(of_torch) == rows(
        KinetoReader().read(write(tmp_path / "plain.json", json.dumps(profile)))
    )


def test_a_packed_file_may_have_any_level(tmp_path: Path) -> None:
    """Torch packs with a level from 0 to 9: all of them are gzip."""
    content = pftrace(EVENTS, BASE)
    read = [
        PerfettoReader().read(write(tmp_path / f"{level}.pftrace", gzip.compress(content, level)))
        for level in (0, 1, 9)
    ]

    assert rows(read[0]) == rows(read[1]) == rows(read[2])
