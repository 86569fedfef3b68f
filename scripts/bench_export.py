"""How long `kernelmap dashboard --export` of nine runs takes, and how much it writes.

The runs are windows of real recordings of an H200 (sample_traces/): seven of one program of 186
calls on `main`, then a branch that runs something else, so that its comparison is as large as one
can be. Goal: 10 s. Where others use the machine as well, seconds of a core are steadier.

    python scripts/bench_export.py
    python scripts/bench_export.py --all --keep FOLDER     # and keep the store and the pages
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import usage

PROJECT = Path(__file__).resolve().parents[1]
GOAL_S = 10.0
LANGUAGE, LLAMA = "cuda_language_train", "cuda_llama_train"
RUNS = (
    ("main", LANGUAGE, "4"),
    ("main", LANGUAGE, "5"),
    ("main", LANGUAGE, "6"),
    ("main", LANGUAGE, "4:5"),
    ("main", LANGUAGE, "5:6"),
    ("main", LANGUAGE, "4:6"),
    ("main", LANGUAGE, "4"),
    ("feature", LANGUAGE, "5"),
    ("feature", LLAMA, "4:6"),
)
"""Branch, recording and steps of each run."""


def main() -> None:
    """Record the runs, write the pages, print seconds, megabytes and files."""
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary).resolve()
        store, pages = folder / "store", folder / "pages"
        if not store.exists():
            _record(store)
        begin, begin_cpu = time.perf_counter(), _cpu()
        more = ["--all"] if options.all else []
        _kernelmap("dashboard", "--store", str(store), "--export", str(pages), *more)
        took, cpu = time.perf_counter() - begin, _cpu() - begin_cpu
        files = [path for path in pages.rglob("*") if path.is_file()]
        html = [path for path in files if path.suffix == ".html"]
        megabytes = sum(path.stat().st_size for path in files) / 1e6
        goal = "" if options.all else f", goal {GOAL_S:.0f} s"
        took_text = f"{took:.1f} s, {cpu:.1f} s of a core{goal}"
        print(f"{took_text}: {len(html)} pages, {len(files)} files, {megabytes:.1f} MB")


def _record(store: Path) -> None:
    for number, (branch, recording, steps) in enumerate(RUNS):
        source = str(PROJECT / "sample_traces" / recording)
        where = ["--branch", branch, "--commit", f"c{number:04}", "--store", str(store)]
        _kernelmap("runs", "add", source, "--steps", steps, *where)


def _kernelmap(*words: str) -> None:
    """Run the command as a user does, its output on stderr."""
    command = [sys.executable, "-m", "kernelmap", *words]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    subprocess.run(command, check=True, stdout=sys.stderr, env=environment, cwd=PROJECT)  # noqa: S603 -- ours


def _cpu() -> float:
    """Seconds of all cores that the commands have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = usage.parser(__doc__)
    parser.add_argument("--all", action="store_true", help="write every page that there is")
    parser.add_argument("--keep", help="a folder for the store and the pages, which are kept")
    return parser.parse_args()


if __name__ == "__main__":
    main()
