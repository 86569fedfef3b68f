"""Run the steps of a case and nothing else: what nsys or ncu is put around.

    python scripts/gpu_cases/steps.py CASE DEVICE [emit|range]

With `emit` the last steps run under torch's own NVTX ranges (torch.autograd.profiler.emit_nvtx).
With `range` there is one last step, and cudaProfilerStart and Stop stand around it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]

from gpu_cases.case import Case  # noqa: E402 -- after the line above

EMIT, RANGE = "emit", "range"


def main() -> None:
    """Run the command line."""
    import torch
    from torch.autograd.profiler import emit_nvtx

    from gpu_cases.cases import CASES
    from gpu_cases.turns import turn

    name, device, *around = sys.argv[1:]
    (case,) = (case for case in CASES if case.name == name)
    if device == "cpu":
        torch.set_num_threads(1)  # as record.py does: the code of C++ kernels depends on it
    observed: AbstractContextManager[object] = nullcontext()
    if around == [EMIT]:
        observed = emit_nvtx(record_shapes=True)
    elif around == [RANGE]:
        observed = torch.cuda.profiler.profile()
    with as_recorded(case) if around == [RANGE] else _configured(case), turn() as mine:
        step = case.build(device)
        for _ in range(case.warmup):
            step()
        if device == "cuda":
            torch.cuda.synchronize()
        mine.alone()
        with observed:
            for _ in range(1 if around == [RANGE] else case.steps):
                step()
            if device == "cuda":
                torch.cuda.synchronize()


@contextmanager
def as_recorded(case: Case) -> Iterator[None]:
    """The compiler's settings under which record.py runs `case`: the code is the same."""
    from torch._functorch import config as aot_config

    from kernelmap.capture.plan import EAGER_BACKWARD

    with _configured(case, provenance=True):
        if hasattr(aot_config, EAGER_BACKWARD):
            with aot_config.patch({EAGER_BACKWARD: True}):
                yield
        else:
            yield


@contextmanager
def _configured(case: Case, *, provenance: bool = False) -> Iterator[None]:
    from torch._inductor import config

    told = {"trace.provenance_tracking_level": 1} if provenance else {}
    with config.patch({**told, **case.config}):
        yield


if __name__ == "__main__":
    main()
