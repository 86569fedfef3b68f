"""Record sample_traces/aoti_block: a package of AOTInductor on this CPU, and a profile of its runs.

Compiles scripts/examples/classifier.py ahead of time with provenance and the C++ kernel profile on,
runs the package and keeps the C++ and what belongs to it, with this machine's paths and names taken
out. What AOTInductor copies into every wrapper from PyTorch's sources becomes empty lines. Given a
folder, the package and the profile go there as they are, and the sample stays.

    python scripts/record_aoti_sample.py [FOLDER]          # needs torch 2.13 and a C++ compiler
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
import zipfile
from pathlib import Path

import usage
from neutral_paths import CACHE, HOME, neutral
from record_cpu_sample import PROFILE, PROJECT, SEED, anonymous

TARGET = PROJECT / "sample_traces" / "aoti_block"
PACKAGE, TRACE = "classifier.pt2", "trace.json"
WARM_UP, RUNS = 2, 4
KEPT = (".wrapper.cpp", ".kernel.cpp", "kernel_information.json")
_COPIED = re.compile(
    r'// Definition of AOTI runtime interface functions\n.*?\n} // extern "C"\n', re.DOTALL
)
_COMMANDS = "\n// Compile cmd\n"


def main() -> None:
    """Record into a temporary folder, then replace the sample; or into the folder that is given."""
    parser = usage.parser(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", nargs="?")
    folder = parser.parse_args().folder
    if folder is not None:
        record(folder.resolve())
        return
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        version = record(work)
        if TARGET.exists():
            shutil.rmtree(TARGET)
        TARGET.mkdir(parents=True)
        _keep(work)
    (TARGET / "RUN.toml").write_text(_run_toml(version), encoding="utf-8")
    print(f"{TARGET.relative_to(PROJECT)}: {RUNS} runs, recorded")


def record(folder: Path) -> str:
    """Compile into `folder`, run, and profile RUNS runs; gives torch's version.

    Once per process: torch reads its settings when it is imported.
    """
    os.environ |= {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
        "INDUCTOR_PROVENANCE": "1",
        "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE": "1",
    }
    import torch
    from torch._inductor import aoti_compile_and_package, aoti_load_package, config
    from torch.profiler import ProfilerActivity, profile

    sys.path.insert(0, str(PROJECT / "scripts" / "examples"))
    from classifier import BATCH, WIDTH, Classifier

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    x = torch.randn(BATCH, WIDTH)
    with torch.no_grad(), config.patch({"profiler_mark_wrapper_call": True}):
        program = torch.export.export(Classifier().eval(), (x,))
        run = aoti_load_package(
            aoti_compile_and_package(program, package_path=str(folder / PACKAGE))
        )
        for _ in range(WARM_UP):
            run(x)
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
            for _ in range(RUNS):
                run(x)
    profiler.export_chrome_trace(str(folder / TRACE))
    return str(torch.__version__)


def _keep(work: Path) -> None:
    """Copy what belongs to the sample, neutral."""
    folders = {work / "cache": CACHE, work: f"{HOME}/run"}
    with zipfile.ZipFile(work / PACKAGE) as package:
        for name in package.namelist():
            if name.endswith(KEPT):
                text = neutral(package.read(name).decode("utf-8"), folders)
                copy = TARGET / name  # a package of our own, written a moment ago
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(_own(text), encoding="utf-8")
    text = anonymous(neutral((work / TRACE).read_text(encoding="utf-8"), folders))
    json.loads(text)  # whatever was replaced, it still is JSON
    (TARGET / PROFILE).write_bytes(gzip.compress(text.encode(), mtime=0))


def _own(text: str) -> str:
    """C++ without what was copied into it, line by line as before."""
    blank = _COPIED.sub(lambda match: "\n" * match[0].count("\n"), text)
    return blank.partition(_COMMANDS)[0].rstrip() + "\n"


def _run_toml(version: str) -> str:
    return f'''title = "A classifier, compiled ahead of time for the CPU"
kind = "recorded"
made_by = "python scripts/record_aoti_sample.py"
command = "kernelmap correlate . profile.json.gz"
seed = {SEED}
notes = """
A real run on one thread: {WARM_UP} runs before the profiler, {RUNS} recorded, of a package that was
compiled with the C++ kernel profile and a range around each run. It lies here unpacked, without
binary, weights and what AOTInductor copies into every wrapper; line numbers are as they were.
Paths and the host's name were replaced; names of files stay.
"""

[versions]
torch = "{version}"
python = "{platform.python_version()}"

[truth]
runs = {RUNS}
'''


if __name__ == "__main__":
    main()
