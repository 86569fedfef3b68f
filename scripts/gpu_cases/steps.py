"""Run the steps of a case and nothing else: what nsys is put around.

    python scripts/gpu_cases/steps.py CASE DEVICE [emit]

With `emit` the last steps run under torch's own NVTX ranges (torch.autograd.profiler.emit_nvtx).
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]


def main() -> None:
    """Run the command line."""
    import torch
    from torch._inductor import config
    from torch.autograd.profiler import emit_nvtx

    from gpu_cases.cases import CASES
    from gpu_cases.turns import turn

    name, device, *emit = sys.argv[1:]
    (case,) = (case for case in CASES if case.name == name)
    if device == "cpu":
        torch.set_num_threads(1)  # as record.py does: the code of C++ kernels depends on it
    with config.patch(dict(case.config)), turn() as mine:
        step = case.build(device)
        for _ in range(case.warmup):
            step()
        if device == "cuda":
            torch.cuda.synchronize()
        mine.alone()
        with emit_nvtx(record_shapes=True) if emit else nullcontext():
            for _ in range(case.steps):
                step()
        if device == "cuda":
            torch.cuda.synchronize()


if __name__ == "__main__":
    main()
