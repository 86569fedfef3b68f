"""What a case takes where nobody profiles it: memory, and the time of its steps.

    python scripts/gpu_cases/measured.py CASE DEVICE FOLDER

FOLDER gets measured.json, and measured_code.json.gz with the code that ran, by digest. Bytes are
those of torch's caching allocator: `bytes` in its blocks, `asked` without the padding of blocks,
`reserved` of the GPU. Each step and each execution of a graph says what was there before it, the
most during it, and what was there after it:

    {"format": "kernelmap.measured", "version": 1, "gpu": …, "torch": …,
     "steps": [{"before": {"bytes": …, "asked": …}, "peak": …, "after": …}, …],
     "graphs": [{"step": 0, "digest": …, "backward": false, "before": …, "peak": …, "after": …}, …],
     "step_us": {"gpu": […], "host": […]}}

Digests are those of the code with neutral paths, as samples have it. `gpu` are times between CUDA
events around each step, `host` those until Python went on; all steps are launched without a wait.
"""

from __future__ import annotations

import gc
import gzip
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import perf_counter_ns

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

from gpu_cases.case import Case, Step  # noqa: E402 -- after the line above
from gpu_cases.record import CACHE, CANNOT, SEED, missing  # noqa: E402 -- as above

MEASURED, CODE = "measured.json", "measured_code.json.gz"
FORMAT, VERSION = "kernelmap.measured", 1
WARM_STEPS, WATCHED_STEPS, TIMED_STEPS = 6, 3, 60

Bytes = dict[str, int]


def main() -> None:
    """Run the command line."""
    name, device, folder = sys.argv[1:4]
    work = Path(folder).resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(work / CACHE)
    from gpu_cases.cases import CASES

    (case,) = (case for case in CASES if case.name == name)
    if device != "cuda" or missing(case, device):
        sys.stderr.write(f"{name} cannot be measured here\n")
        sys.exit(CANNOT)
    os.chdir(work)
    code: dict[str, str] = {}
    values = measure(case, device, work, code)
    (work / CODE).write_bytes(gzip.compress(json.dumps(code).encode(), mtime=0))
    (work / MEASURED).write_text(json.dumps(values) + "\n", encoding="utf-8")


def measure(case: Case, device: str, work: Path, code: dict[str, str]) -> Mapping[str, object]:
    """The values of measured.json; puts what ran into `code`."""
    import torch

    from gpu_cases.steps import as_recorded
    from gpu_cases.turns import turn

    torch.manual_seed(SEED)
    with as_recorded(case), turn() as mine:
        step = case.build(device)
        for _ in range(max(case.warmup, WARM_STEPS)):
            step()
        steps = [_watched(step) for _ in range(WATCHED_STEPS)]
        graphs: list[dict[str, object]] = []
        with _each_graph(graphs, work, code):
            for number in range(WATCHED_STEPS):
                before = len(graphs)
                step()
                for graph in graphs[before:]:
                    graph["step"] = number
        torch.cuda.synchronize()
        mine.alone()
        times = _timed(step)
    return {
        "format": FORMAT,
        "version": VERSION,
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "steps": steps,
        "graphs": graphs,
        "step_us": times,
    }


def _watched(step: Step) -> dict[str, Bytes]:
    """Memory around one step; what Python has not freed yet is no part of it."""
    import torch

    gc.collect()
    torch.cuda.synchronize()
    before = _now()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    return {"before": before, "peak": _peak(), "after": _now()}


@contextmanager
def _each_graph(
    graphs: list[dict[str, object]], work: Path, code: dict[str, str]
) -> Iterator[None]:
    """Note memory around every execution of a compiled graph, and its code, until the end."""
    import torch
    from neutral_paths import CACHE as NEUTRAL_CACHE
    from neutral_paths import HOME, neutral
    from torch._inductor.output_code import CompiledFxGraph

    from kernelmap.model.marks import graph_digest

    folders = {work / CACHE: NEUTRAL_CACHE, work: f"{HOME}/run"}
    original = CompiledFxGraph.__call__

    def called(graph: CompiledFxGraph, inputs: list[object]) -> object:
        before = _now()
        torch.cuda.reset_peak_memory_stats()
        try:
            return original(graph, inputs)
        finally:
            peak, after = _peak(), _now()
            text = neutral(graph.source_code, folders)
            digest = graph_digest(text)
            code[digest] = text
            graphs.append(
                {
                    "digest": digest,
                    "backward": bool(graph.fx_kwargs.get("is_backward")),
                    "before": before,
                    "peak": peak,
                    "after": after,
                }
            )

    CompiledFxGraph.__call__ = called
    try:
        yield
    finally:
        CompiledFxGraph.__call__ = original


def _now() -> Bytes:
    return _of("current")


def _peak() -> Bytes:
    return _of("peak")


def _of(which: str) -> Bytes:
    import torch

    stats = torch.cuda.memory_stats()
    # A process that has allocated nothing has no statistics.
    return {
        "bytes": stats.get(f"allocated_bytes.all.{which}", 0),
        "asked": stats.get(f"requested_bytes.all.{which}", 0),
        "reserved": stats.get(f"reserved_bytes.all.{which}", 0),
    }


def _timed(step: Step) -> dict[str, list[float]]:
    """The microseconds of each step: between events on the GPU, and of the host."""
    import torch

    events = [torch.cuda.Event(enable_timing=True) for _ in range(TIMED_STEPS + 1)]
    host = [perf_counter_ns()]
    events[0].record()
    for event in events[1:]:
        step()
        event.record()
        host.append(perf_counter_ns())
    torch.cuda.synchronize()
    gpu = [one.elapsed_time(other) * 1000 for one, other in pairwise(events)]
    between = [(other - one) / 1000 for one, other in pairwise(host)]
    return {
        "gpu": [round(time, 1) for time in gpu],
        "host": [round(time, 1) for time in between],
    }


if __name__ == "__main__":
    main()
