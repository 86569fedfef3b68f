"""Write what torch.compile would write for a GPU: `generate.py CASE OUTDIR`.

OUTDIR gets torch_compile_debug/ and torch_trace/, scrubbed of this machine's paths; README.md tells
what is real. Needs torch 2.13 or newer, triton and g++. torch reads guard and
settings while it is imported, so nothing here imports it before both are there.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `fake_gpu` when run as a script

from neutral_paths import CACHE, HOME, neutral

from fake_gpu import guard

KEPT = ("torch_compile_debug", "torch_trace")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_AsWritten)
    parser.add_argument("case", nargs="?")
    parser.add_argument("outdir", nargs="?", type=Path)
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--cpp", action="store_true", help="write wrappers in C++")
    parser.add_argument(
        "--as-written", action="store_true", help="keep paths, so that a log's checksums hold"
    )
    chosen = parser.parse_args()
    if chosen.list:
        guard.load()
        from fake_gpu.cases import CASES

        print("\n".join(CASES))
    elif chosen.case is None or chosen.outdir is None:
        parser.error("CASE and OUTDIR are needed, or --list")
    else:
        generate(chosen.case, chosen.outdir, cpp=chosen.cpp, as_written=chosen.as_written)
        print(f"{chosen.outdir}: generated code of {chosen.case}")


def generate(case: str, outdir: Path, *, cpp: bool = False, as_written: bool = False) -> None:
    """Compile one case in a folder of its own and copy the text of it, scrubbed, into `outdir`.

    `as_written` leaves this machine's paths in the copy.

    Once per process. Leaves with a clear line where
    the case is unknown or `outdir` is not empty.
    """
    if outdir.exists() and any(outdir.iterdir()):
        raise SystemExit(f"{outdir} is not empty")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        _settings(work)
        guard.load()
        before = Path.cwd()
        os.chdir(work)
        try:
            _compile(case, cpp=cpp)
        finally:
            os.chdir(before)
        folders = {} if as_written else {work / "cache": CACHE, work: f"{HOME}/run"}
        for folder in KEPT:
            _copy(work / folder, outdir / folder, folders)


def _settings(work: Path) -> None:
    """What has to stand in the environment before torch is imported."""
    os.environ |= {
        "TORCHINDUCTOR_CACHE_DIR": str(work / "cache"),
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "TORCH_COMPILE_DEBUG": "1",
        "TORCH_TRACE": str(work / "torch_trace"),
        "INDUCTOR_PROVENANCE": "1",
    }


def _compile(name: str, *, cpp: bool) -> None:
    import torch
    from torch._inductor import config
    from torch._subclasses.fake_tensor import FakeTensorMode

    from fake_gpu import compiler, device
    from fake_gpu.cases import CASES

    if name not in CASES:
        raise SystemExit(f"no case {name}; known: {' '.join(CASES)}")
    device.pretend()
    compiler.hold()
    case = CASES[name]
    chosen = {**case.config, "cpp_wrapper": cpp}
    with FakeTensorMode(allow_non_fake_inputs=True), config.patch(chosen):
        with torch.device("cuda"):
            function, arguments = case.build()
        compiler.compiled(function, *arguments, **case.options)


def _copy(source: Path, target: Path, folders: Mapping[Path, str]) -> None:
    """Copy texts that are not empty; with `folders` they are scrubbed."""
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.stat().st_size:
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            copy.write_text(neutral(text, folders) if folders else text, encoding="utf-8")


class _AsWritten(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of the module's docstring."""


if __name__ == "__main__":
    main()
