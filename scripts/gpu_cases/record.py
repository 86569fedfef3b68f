"""Record one case, in a process of its own: torch reads its settings when it is imported.

    python scripts/gpu_cases/record.py CASE DEVICE FOLDER

FOLDER gets what record_gpu_samples.py makes a sample of: bundle/, as kernelmap.capture() makes it
but with marks in its trace, and capture.json, a profile of the steps that captured CUDA graphs.
Exit code 3 with one line on stderr: this machine cannot run the case.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

if TYPE_CHECKING:
    from gpu_cases.case import Case, Need
    from gpu_cases.turns import Turn

CANNOT = 3
BUNDLE, CAPTURE, CACHE = "bundle", "capture.json", "cache"
SNAPSHOT = "memory_snapshot.pickle"
SEED = 7
MOST_STEPS = 40
MOST_ALLOCATIONS = 2000
"""Allocations and frees that the snapshot keeps: more than the recorded steps of any case make."""


def main() -> None:
    """Run the command line."""
    name, device, folder = sys.argv[1:4]
    work = Path(folder).resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(work / CACHE)
    from gpu_cases.cases import CASES

    (case,) = (case for case in CASES if case.name == name)
    lacking = missing(case, device)
    if lacking:
        sys.stderr.write(f"{name} needs {' and '.join(lacking)}\n")
        sys.exit(CANNOT)
    os.chdir(work)
    record(case, device, work)


def missing(case: Case, device: str) -> list[Need]:
    """What this machine lacks for `case`."""
    from gpu_cases.case import Need

    has = {
        Need.GPU: lambda: device == "cuda" and _has_gpu(),
        Need.TRITON: lambda: find_spec("triton") is not None,
        Need.NODE_IDS: _has_node_ids,
    }
    return [need for need in case.needs if not has[need]()]


def record(case: Case, device: str, work: Path) -> None:
    """Run `case` and capture it."""
    import torch
    from torch._inductor import config

    from gpu_cases.kineto_marks import KinetoMarks, marked_benchmarks
    from gpu_cases.turns import turn
    from kernelmap.capture.plan import Plan
    from kernelmap.capture.session import record_session

    torch.manual_seed(SEED)
    if device == "cpu":
        torch.set_num_threads(1)
    plan = Plan(warmup=case.warmup, steps=case.steps)
    with ExitStack() as stack:
        mine = stack.enter_context(turn())
        # What kernelmap.capture() opens, with the marks of this script beside it.
        run = stack.enter_context(
            record_session(work / BUNDLE, plan, force=False, listeners=[KinetoMarks()])
        )
        stack.enter_context(config.patch(dict(case.config)))
        if device == "cuda" and find_spec("triton"):
            stack.enter_context(marked_benchmarks())
        if case.memory:
            stack.enter_context(_allocations_recorded(work / SNAPSHOT))
        step = case.build(device)
        if case.cuda_graphs:
            with _profiled(work / CAPTURE):
                for _ in range(case.warmup):
                    step()
                    run.step()
        for number in range(MOST_STEPS):
            if run.done:
                break
            if number == (0 if case.cuda_graphs else case.warmup):
                _measure_alone(case, device, mine, stack)
            step()
            run.step()


def _measure_alone(case: Case, device: str, mine: Turn, stack: ExitStack) -> None:
    """What is recorded comes next: nobody else uses the GPU from here on."""
    import torch

    if device == "cuda":
        torch.cuda.synchronize()
    mine.alone()
    if case.stops_early:
        stack.enter_context(_never_waiting())


@contextmanager
def _profiled(path: Path) -> Iterator[None]:
    """Profile what runs inside, into `path`; the capture waits meanwhile."""
    from torch.profiler import profile

    with profile() as profiler:
        yield
    profiler.export_chrome_trace(str(path))


@contextmanager
def _allocations_recorded(path: Path) -> Iterator[None]:
    """Have profiles record memory, and write torch's snapshot of the last allocations to `path`."""
    import torch
    from torch import profiler

    original: Callable[..., object] = profiler.profile

    def with_memory(**options: object) -> object:
        # With `profile_all_threads`, which the capture asks for, torch records no memory.
        return original(**{**options, "experimental_config": None, "profile_memory": True})

    profiler.profile = with_memory
    history = torch.cuda.memory._record_memory_history  # noqa: SLF001 -- torch documents it
    history(stacks="python", max_entries=MOST_ALLOCATIONS)
    try:
        yield
        torch.cuda.memory._dump_snapshot(str(path))  # noqa: SLF001 -- as above
    finally:
        history(enabled=None)
        profiler.profile = original


@contextmanager
def _never_waiting() -> Iterator[None]:
    """Take the wait for the GPU out of torch's profiler, as where somebody else stops Kineto."""
    import torch

    original = torch.cuda.synchronize
    torch.cuda.synchronize = lambda *_: None
    try:
        yield
    finally:
        torch.cuda.synchronize = original


def _has_gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _has_node_ids() -> bool:
    from kernelmap.capture.cuda_graph_nodes import torch_annotations

    annotations = torch_annotations()
    return annotations is not None and annotations.is_available()


if __name__ == "__main__":
    main()
