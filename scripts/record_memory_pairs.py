"""Record tests/history/compare/memory_pairs: programs before and after a change of one line.

Ten of the changes cost memory, ten cost none. The code is what Inductor writes for an H100, without
one (scripts/fake_gpu/README.md says what that needs); of each program its TORCH_TRACE log is kept,
made small, so that tests need no torch.

    python scripts/record_memory_pairs.py               # all of them
    python scripts/record_memory_pairs.py layout_copy   # one pair
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

import usage
from fake_gpu import guard
from neutral_paths import CACHE, HOME, neutral
from planted_memory import PAIRS, program_text
from small_log import small_log

PROJECT = Path(__file__).resolve().parents[1]
TARGET = PROJECT / "tests" / "history" / "compare" / "memory_pairs"
SIDES = ("before", "after")


def main() -> None:
    """Compile the programs, each in a process of its own that has torch already."""
    parser = usage.parser(__doc__)
    parser.add_argument("pairs", nargs="*", choices=[*PAIRS, []])
    names = parser.parse_args().pairs or list(PAIRS)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        _prepare(work)
        for pair in names:
            for side, text in zip(SIDES, map(program_text, PAIRS[pair].sides), strict=True):
                _in_a_child(work / pair / side, text, TARGET / pair / f"{side}.log.gz")
            print(pair)


def _prepare(work: Path) -> None:
    """Import torch, which reads the environment, and let it believe in a GPU."""
    os.environ |= {
        "TORCHINDUCTOR_CACHE_DIR": str(work / "cache"),
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCH_TRACE": str(work / "trace"),
        "INDUCTOR_PROVENANCE": "1",
    }
    guard.load()
    from fake_gpu import compiler, device

    device.pretend()
    compiler.hold()


def _in_a_child(folder: Path, text: str, target: Path) -> None:
    """Compile one program in a forked process, and keep its log."""
    folder.mkdir(parents=True)
    (folder / "model.py").write_text(text, encoding="utf-8")
    child = os.fork()
    if child == 0:
        try:
            _compile(folder)
        finally:
            sys.stdout.flush()
            os._exit(0)  # nothing of the parent is to be cleaned up here
    os.waitpid(child, 0)
    (log,) = (folder / "trace").iterdir()
    folders = {folder.parent.parent / "cache": CACHE, folder: f"{HOME}/run"}
    small = small_log(log.read_text(encoding="utf-8"), lambda part: neutral(part, folders))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(small.encode(), mtime=0))


def _compile(folder: Path) -> None:
    """Write the log of one program into a folder of its own."""
    import torch
    from fake_gpu import compiler
    from torch._logging import _internal
    from torch._subclasses.fake_tensor import FakeTensorMode

    _internal.LOG_TRACE_HANDLER.root_dir = str(folder / "trace")
    spec = importlib.util.spec_from_file_location("model", folder / "model.py")
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 -- it was just written
    model = importlib.util.module_from_spec(spec)
    with FakeTensorMode(allow_non_fake_inputs=True):
        with torch.device("cuda"):
            spec.loader.exec_module(model)
            arguments = model.make_inputs()
        compiler.compiled(model.model, *arguments, options=model.OPTIONS)


if __name__ == "__main__":
    main()
