"""A recording with simulated samples of a GPU: the same work as if the SM clock were another.

    simulated_clock(Path("sample_traces/cuda_mlp_train"), folder / "low", clock=1841, slower=1.0755)

No recording of a GPU has counters yet. So a real profile gets samples in the form in which torch
2.14.1 writes them, and its matrix products are made as much slower as they are compute bound.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

Event = dict[str, object]


def simulated_clock(
    recorded: Path,
    folder: Path,
    *,
    clock: float,
    slower: float = 1.0,
    product: str = "gemm",
    every_us: float = 1.0,
) -> Path:
    """A copy of a bundle whose `product` kernels take `slower` times as long at this SM clock."""
    shutil.copytree(recorded, folder)
    (folder / "nsys.sqlite").unlink(missing_ok=True)
    profile = folder / "rank_0" / "trace.json.gz"
    trace = json.loads(gzip.decompress(profile.read_bytes()))
    kernels = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
    kernels.sort(key=lambda event: event["ts"])
    late = 0.0
    for event in kernels:
        # Work on a stream begins when what is before it has ended.
        event["ts"] += late
        if product in event["name"]:
            longer = event["dur"] * (slower - 1)
            event["dur"] += longer
            late += longer
    begin = kernels[0]["ts"]
    end = kernels[-1]["ts"] + kernels[-1]["dur"]
    samples = range(int((end - begin) / every_us) + 1)
    trace["traceEvents"] += [
        _sample(name, begin + at * every_us, value)
        for at in samples
        for name, value in (("SM Clock (MHz)", clock), ("Power (W)", 300.0 + at % 3))
    ]
    profile.write_bytes(gzip.compress(json.dumps(trace).encode()))
    return folder


def _sample(name: str, ts: float, value: float) -> Event:
    return {"ph": "C", "name": name, "pid": "GPU 0 Counters", "ts": ts, "args": {"": value}}
