"""Does capture slow the steps that it records? Measured against torch.profiler alone, in one run.

The block of scripts/examples/train_block.py is compiled once. Then windows take turns: steps with
no profiler, steps under torch.profiler as anybody would use it, and steps under a capture with all
its hooks. Each number is a median over all its steps, in processor time on one thread, so that what
else the machine does counts little. The first step of a window gets the profiler ready and the last
one writes the trace, in both ways, so neither counts.

    python scripts/bench_capture.py          # needs torch and a C++ compiler; a minute
    python scripts/bench_capture.py --check  # exit 1 where capture costs more than 5 %
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "scripts" / "examples")]

ROUNDS, STEPS = 12, 30
BUDGET = 0.05
_MILLI = 1e3

Step = Callable[[], None]


def main() -> None:
    """Measure, print, and check the budget if asked."""
    parser = usage.parser(__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 where it costs too much")
    options = parser.parse_args()
    os.environ |= {
        "INDUCTOR_PROVENANCE": "1",
        "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
        "KINETO_LOG_LEVEL": "99",
    }
    import torch
    from train_block import Training

    torch.set_num_threads(1)
    training = Training(seed=7)
    for _ in range(5):
        training.step()
    times: dict[str, list[float]] = {"no profiler": [], "torch.profiler": [], "capture": []}
    with tempfile.TemporaryDirectory() as name:
        for turn in range(ROUNDS):
            folder = Path(name) / str(turn)
            times["no profiler"] += timed(training.step)
            times["torch.profiler"] += with_profiler(training.step, folder)
            times["capture"] += with_capture(training.step, folder)
    plain = median(times["torch.profiler"])
    for kind, seconds in times.items():
        print(f"{kind:<15} {median(seconds) * _MILLI:7.3f} ms of a step, median of {len(seconds)}")
    cost = median(times["capture"]) / plain - 1
    print(f"capture against torch.profiler: {cost:+.1%}")
    if options.check and cost > BUDGET:
        sys.exit(f"more than {BUDGET:.0%}")


def timed(step: Step) -> list[float]:
    """Processor seconds of each of STEPS steps between a first and a last one."""
    step()
    seconds = []
    for _ in range(STEPS):
        begun = process_time()
        step()
        seconds.append(process_time() - begun)
    step()
    return seconds


def with_profiler(step: Step, folder: Path) -> list[float]:
    """The same under torch.profiler, recorded the way its documentation shows."""
    from torch.profiler import ProfilerActivity, profile, schedule

    folder.mkdir()
    with profile(
        activities=[ProfilerActivity.CPU],
        record_shapes=True,
        schedule=schedule(wait=0, warmup=1, active=STEPS + 1, repeat=1),
        on_trace_ready=lambda done: done.export_chrome_trace(str(folder / "plain.json")),
    ) as profiler:

        def marked() -> None:
            step()
            profiler.step()

        return timed(marked)


def with_capture(step: Step, folder: Path) -> list[float]:
    """The same under a capture that counts steps by the optimizer."""
    from kernelmap.capture.plan import Plan
    from kernelmap.capture.recording import Recording
    from kernelmap.model.bundle import TRACE

    plan = Plan(warmup=1, steps=STEPS + 1)
    recording = Recording(plan.into(folder), folder / "rank_0")
    recording.begin(steps_by_hooks=True)
    seconds = timed(step)
    recording.finish()
    if not (folder / "rank_0" / TRACE).is_file():
        raise SystemExit((folder / "rank_0" / "process.json").read_text())
    return seconds


if __name__ == "__main__":
    main()
