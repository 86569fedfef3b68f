"""Run a case of gpu_cases under torch's own handler of provenance; torch_words.py starts this.

    python scripts/gpu_cases/worded.py CASE DEVICE FOLDER

FOLDER gets bundle/, as kernelmap.trace_handler writes it, and torch/, the same window as torch's
handler writes it. Needs torch 2.14 or newer, and TORCH_COMPILE_DEBUG_EXTEND=1.
"""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts")]


def main() -> None:
    """Run the command line."""
    import torch
    from torch._inductor import config
    from torch._inductor.profiler import inductor_trace_handler
    from torch.profiler import profile

    import kernelmap
    from gpu_cases.cases import CASES

    name, device, folder = sys.argv[1:]
    (case,) = (case for case in CASES if case.name == name)
    torch.manual_seed(7)
    with config.patch(dict(case.config)):
        step = case.build(device)
        for _ in range(case.warmup):
            step()
        handler = kernelmap.trace_handler(
            Path(folder) / "bundle", then=inductor_trace_handler(f"{folder}/torch")
        )
        with profile(record_shapes=True, on_trace_ready=handler):
            for _ in range(case.steps):
                step()


if __name__ == "__main__":
    main()
