"""Measure time and memory of reading TORCH_TRACE logs beside tlparse.

Tiles a log to several sizes and runs `kernelmap inspect … --format json` and `tlparse` on each, by
turns, every run a process of its own. No two tiles are alike: frames are numbered on and every text
ends in another comment, so nothing is saved by reading it once. Prints Markdown: medians of the
runs, MB = 10^6 bytes. Without tlparse on the PATH or beside Python its columns stay empty. tlparse
writes its pages to disk, which kernelmap does not: read the CPU seconds beside the wall seconds.

With --llama: `inspect` and a report of eight simulated graphs of some 6,150 nodes each, beside the
same of a quarter of the layers. Work that grows with the layers makes the last column about 4, less
where the start of the program counts.

    python scripts/bench_logs.py                       # the sample's log, 50 and 500 MB
    python scripts/bench_logs.py --log run.log --sizes 50 --runs 1
    python scripts/bench_logs.py --llama
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import usage
from bench import MEGABYTE, PROJECT, Run, median_run
from llama_log import LAYERS, write_llama

SAMPLE = PROJECT / "sample_traces" / "cpu_block" / "torch_trace.log"
_EVENT = re.compile(rb"^([^\t\n][^\n]*\n)((?:\t[^\n]*\n)*)", re.MULTILINE)
_FRAME = re.compile(rb'"frame_id": (\d+)')
_DIGEST = re.compile(rb'"has_payload": "[0-9a-f]+"')
_INSPECT = "from kernelmap.__main__ import program\nprogram()"
_HEAD = (
    "| log MB | kernelmap s | CPU s | peak MB | tlparse s | CPU s | peak MB | faster | in CPU |",
    "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
)


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("--log", type=Path, default=SAMPLE)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 500], help="MB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--llama", action="store_true", help="large graphs instead")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        lines = (
            report_llama(Path(name), chosen.runs)
            if chosen.llama
            else report(chosen.log, Path(name), chosen.sizes, chosen.runs)
        )
        for line in lines:
            print(line, flush=True)


def report(log: Path, folder: Path, sizes: Sequence[int], runs: int) -> Iterator[str]:
    """The table's lines, as they are measured; `folder` holds one tiled log at a time."""
    yield from _HEAD
    tiled, pages = folder / "tiled.log", folder / "pages"
    tlparse = _tlparse()
    for size in sizes:
        megabytes = write_tiled(log, tiled, size) / MEGABYTE
        ours, theirs = [], []
        for _ in range(runs):
            ours.append(
                measured([sys.executable, "-c", _INSPECT, "inspect", tiled, "--format", "json"])
            )
            if tlparse is not None:
                theirs.append(
                    measured([tlparse, tiled, "-o", pages, "--overwrite", "--no-browser"])
                )
                shutil.rmtree(pages, ignore_errors=True)
        yield _row(megabytes, median_run(ours), median_run(theirs) if theirs else None)


def report_llama(folder: Path, runs: int) -> Iterator[str]:
    """What graphs of a large language model cost, beside those of a quarter of its layers."""
    yield "| asked of eight graphs | layers | CPU s | of a quarter of them | times |"
    yield "|---|---:|---:|---:|---:|"
    logs = [
        write_llama(folder / str(layers), graphs=8, layers=layers)
        for layers in (LAYERS, LAYERS // 4)
    ]
    page = folder / "report.html"
    for asked in ("inspect", "report"):
        seconds = []
        for log, profile in logs:
            words: list[str | Path] = ["inspect", log, "--format", "json"]
            if asked == "report":
                words = ["correlate", log, profile, "-o", page]
            command = [sys.executable, "-c", _INSPECT, *words]
            seconds.append(median_run([measured(command) for _ in range(runs)]).cpu_s)
        many, few = seconds
        yield f"| {asked} | {LAYERS} | {many:.1f} | {few:.1f} | {many / few:.1f} |"


def write_tiled(log: Path, path: Path, megabytes: int) -> int:
    """Write tiles of the log until `path` has that size; gives its size in bytes."""
    events = _EVENT.findall(log.read_bytes())
    frames = 1 + max(
        (int(number) for head, _ in events for number in _FRAME.findall(head)), default=0
    )
    with path.open("wb") as file:
        tile = 0
        while file.tell() < megabytes * MEGABYTE:
            for head, payload in events:
                file.write(_tile(head, payload, tile, tile * frames))
            tile += 1
    return path.stat().st_size


def _tile(head: bytes, payload: bytes, tile: int, shift: int) -> bytes:
    """One event of a tile, with another frame id; a payload of code gets a last line of its own."""
    head = _FRAME.sub(lambda match: b'"frame_id": %d' % (int(match[1]) + shift), head)
    if payload.startswith((b"\tclass ", b"\t# AOT ID")):
        payload += b"\t# tile %d\n" % tile
        text = payload[1:-1].replace(b"\n\t", b"\n")
        digest = hashlib.md5(text, usedforsecurity=False).hexdigest().encode()
        head = _DIGEST.sub(b'"has_payload": "%b"' % digest, head)
    return head + payload


def measured(command: Sequence[str | Path]) -> Run:
    """Run a command; leaves with its messages when it fails."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(  # noqa: S603 -- our own commands
            list(map(str, command)), cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            errors.seek(0)
            raise SystemExit(f"{command[0]}:\n{errors.read()[-2000:].decode(errors='replace')}")
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / MEGABYTE)


def _tlparse() -> str | None:
    """Where tlparse is: on the PATH, or beside the Python that runs this."""
    return shutil.which("tlparse") or shutil.which("tlparse", path=Path(sys.executable).parent)


def _row(megabytes: float, ours: Run, theirs: Run | None) -> str:
    cells = [f"{megabytes:.0f}"]
    for run in (ours, theirs):
        cells += (
            [f"{run.seconds:.2f}", f"{run.cpu_s:.2f}", f"{run.peak_mb:.0f}"] if run else [""] * 3
        )
    if theirs is not None:
        cells += [f"{theirs.seconds / ours.seconds:.1f}", f"{theirs.cpu_s / ours.cpu_s:.1f}"]
    return f"| {' | '.join(cells + [''] * (9 - len(cells)))} |"


if __name__ == "__main__":
    main()
