"""Record one case, in a process of its own: torch reads its settings when it is imported.

    python scripts/gpu_cases/record.py CASE DEVICE FOLDER

FOLDER gets what record_gpu_samples.py makes a sample of: trace.json (with marks), torch_trace/,
capture.json (a profile of the steps that captured CUDA graphs), cuda_graphs.json and facts.json.
Exit code 3 with one line on stderr: this machine cannot run the case.

`_profiled` and `environment` are what kernelmap.capture(...) does with more care; the marks and
the profile of the capture are ours alone.
"""

from __future__ import annotations

import json
import os
import platform
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

CANNOT = 3
TRACE, CAPTURE, LOG, FACTS = "trace.json", "capture.json", "torch_trace", "facts.json"
SEED = 7


def main() -> None:
    """Run the command line."""
    name, device, folder = sys.argv[1:4]
    work = Path(folder).resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.environ |= environment(work)
    from gpu_cases.cases import CASES

    (case,) = (each for each in CASES if each.name == name)
    lacking = missing(case, device)
    if lacking:
        sys.stderr.write(f"{name} needs {' and '.join(lacking)}\n")
        sys.exit(CANNOT)
    os.chdir(work)
    (work / FACTS).write_text(json.dumps(record(case, device, work)), encoding="utf-8")


def missing(case: Case, device: str) -> list[Need]:
    """What this machine lacks for `case`."""
    from gpu_cases.case import Need

    has = {
        Need.GPU: lambda: device == "cuda" and _has_gpu(),
        Need.TRITON: lambda: find_spec("triton") is not None,
        Need.NODE_IDS: _has_node_ids,
    }
    return [need for need in case.needs if not has[need]()]


def record(case: Case, device: str, work: Path) -> dict[str, object]:
    """Run and profile `case`; gives the versions and the GPU's name."""
    import torch
    from torch._inductor import config

    from gpu_cases.kineto_marks import KinetoMarks, marked_benchmarks
    from kernelmap.capture.cuda_graphs import recording
    from kernelmap.capture.hooks import Listener
    from kernelmap.capture.instrument import instrumented

    torch.manual_seed(SEED)
    if device == "cpu":
        torch.set_num_threads(1)
    with ExitStack() as stack:
        stack.enter_context(config.patch(dict(case.config)))
        listeners: list[Listener] = [KinetoMarks()]
        if case.cuda_graphs:
            graphs = recording(work, node_ids=case.annotations, by_itself=False)
            listeners.append(stack.enter_context(graphs))
        stack.enter_context(instrumented(*listeners))
        if device == "cuda" and find_spec("triton"):
            stack.enter_context(marked_benchmarks())
        step = case.build(device)
        with _profiled(work / CAPTURE, device) if case.cuda_graphs else ExitStack():
            for _ in range(case.warmup):
                step()
        with _profiled(work / TRACE, device) as next_step:
            for _ in range(case.steps):
                step()
                next_step()
    return _facts(case, device)


def environment(work: Path) -> dict[str, str]:
    """What torch is told before it starts; the code it then writes depends on it."""
    return {
        "TORCHINDUCTOR_CACHE_DIR": str(work / "cache"),
        "TORCH_TRACE": str(work / LOG),
        "INDUCTOR_PROVENANCE": "1",
        "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
    }


@contextmanager
def _profiled(path: Path, device: str) -> Iterator[Callable[[], None]]:
    """Profile what runs inside, into `path`; gives what ends a step."""
    import torch
    from torch.profiler import ProfilerAction, ProfilerActivity, profile

    activities = [ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(ProfilerActivity.CUDA)
        torch.cuda.synchronize()
    with profile(
        activities=activities,
        record_shapes=True,
        schedule=lambda _: ProfilerAction.RECORD,  # a schedule is what makes torch mark steps
    ) as profiler:
        yield profiler.step
        if device == "cuda":
            torch.cuda.synchronize()
    profiler.export_chrome_trace(str(path))


def _facts(case: Case, device: str) -> dict[str, object]:
    import torch

    triton = sys.modules.get("triton")
    gpu = torch.cuda.get_device_name() if device == "cuda" else None
    versions = {
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "triton": getattr(triton, "__version__", None),
        "cuda": torch.version.cuda if device == "cuda" else None,
        "rocm": torch.version.hip if device == "cuda" else None,
    }
    return {"versions": versions, "gpu": gpu, "steps": case.steps, "seed": SEED}


def _has_gpu() -> bool:
    import torch

    return bool(torch.cuda.is_available())


def _has_node_ids() -> bool:
    try:
        from torch.cuda._graph_annotations import _is_tools_id_unavailable
    except ImportError:
        return False
    return not _is_tools_id_unavailable()


if __name__ == "__main__":
    main()
