"""Record sample_traces/cpu_block: torch on this CPU, code and profile of one run.

Runs scripts/examples/train_block.py with provenance and the C++ kernel profile on, keeps the
generated code, the node mappings, the log and the Kineto trace, and takes this machine's paths and
names out of them. A recording differs from run to run; the sample is recorded anew only on purpose.

    python scripts/record_cpu_sample.py          # needs torch 2.13 and a C++ compiler
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import re
import shutil
import sys
import tempfile
from pathlib import Path

import usage
from neutral_paths import CACHE, HOME, neutral
from small_log import small_log

PROJECT = Path(__file__).resolve().parents[1]
TARGET = PROJECT / "sample_traces" / "cpu_block"
SEED = 7
WARM_UP, STEPS = 2, 4
KEPT = ("output_code.py", "inductor_provenance_tracking_node_mappings.json")
PROFILE = "profile.json.gz"
LOG = "torch_trace"


def main() -> None:
    """Record into a temporary folder, then replace the sample."""
    usage.parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        os.environ |= {
            "TORCHINDUCTOR_CACHE_DIR": str(work / "cache"),
            "TORCH_COMPILE_DEBUG": "1",
            "TORCH_TRACE": str(work / LOG),
            "INDUCTOR_PROVENANCE": "1",
            "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
        }
        os.chdir(work)
        version = _record(work / "trace.json")
        if TARGET.exists():
            shutil.rmtree(TARGET)
        TARGET.mkdir(parents=True)
        graphs = _keep(work)
        os.chdir(PROJECT)
    (TARGET / "RUN.toml").write_text(_run_toml(version), encoding="utf-8")
    print(f"{TARGET.relative_to(PROJECT)}: {STEPS} steps of {graphs} graphs, recorded")


def _record(path: Path) -> str:
    """Warm up, then profile STEPS steps into `path`; gives torch's version."""
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule

    sys.path.insert(0, str(PROJECT / "scripts" / "examples"))
    from train_block import Training

    torch.set_num_threads(1)
    training = Training(SEED)
    for _ in range(WARM_UP):
        training.step()
    with profile(
        activities=[ProfilerActivity.CPU],
        record_shapes=True,
        schedule=schedule(wait=0, warmup=1, active=STEPS, repeat=1),
        on_trace_ready=lambda done: done.export_chrome_trace(str(path)),
    ) as profiler:
        for _ in range(1 + STEPS):
            training.step()
            profiler.step()
    return str(torch.__version__)


def _keep(work: Path) -> int:
    """Copy what belongs to the sample, neutral; gives the number of graphs."""
    folders = {work / "cache": CACHE, work: f"{HOME}/run"}
    debug = sorted(work.glob("torch_compile_debug/run_*/torchinductor/model__*"))
    for graph in debug:
        for name in KEPT:
            if (graph / name).exists():
                copy = TARGET / graph.name / name
                copy.parent.mkdir(exist_ok=True)
                text = (graph / name).read_text(encoding="utf-8")
                copy.write_text(neutral(text, folders), encoding="utf-8")
    (log,) = (work / LOG).iterdir()
    small = small_log(log.read_text(encoding="utf-8"), lambda text: neutral(text, folders))
    (TARGET / f"{LOG}.log").write_text(small, encoding="utf-8")
    text = anonymous(neutral((work / "trace.json").read_text(encoding="utf-8"), folders))
    json.loads(text)  # whatever was replaced, it still is JSON
    (TARGET / PROFILE).write_bytes(gzip.compress(text.encode(), mtime=0))
    return len(debug)


def anonymous(text: str) -> str:
    """A Kineto trace without the host's name."""
    text = re.sub(r'\n\s*"host_name": "[^"]*",', "", text)
    return text.replace(platform.node(), "host") if len(platform.node()) > len("host") else text


def _run_toml(version: str) -> str:
    return f'''title = "A transformer block, trained on the CPU"
kind = "recorded"
made_by = "python scripts/record_cpu_sample.py"
command = "kernelmap correlate . profile.json.gz"
seed = {SEED}
notes = """
A real run on one thread: {WARM_UP} steps to compile, 1 for the profiler, {STEPS} recorded.
Provenance and the C++ kernel profile are on, shapes are recorded, Python stacks are not.
Paths and the host's name were replaced; names of kernel files stay.
The backward is compiled lazily, as is the default, so it has no node mapping.
The log keeps only events that kernelmap reads, and of cache events only the key.
"""

[versions]
torch = "{version}"
python = "{platform.python_version()}"

[truth]
steps = {STEPS}
'''


if __name__ == "__main__":
    main()
