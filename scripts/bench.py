"""Measure time and memory of `kernelmap correlate` and `annotate` beside json.load and json.dumps.

Tiles a sample's profile to Kineto JSON of several sizes, ids and times shifted so that the tiles
follow one another. On each runs, by turns: ours with the scanner in C, the same on the packed file,
ours with the reader in Python, HolisticTraceAnalysis where an interpreter has it (reading and its
table of kernels; once), and Python's json. Every run is a process of its own, with its modules
compiled, as pip leaves them, and nothing is measured in this one; what `--by wall` and
`--sort headroom` add to a plain run is measured in a process that has loaded everything. Prints
Markdown: medians of the runs, MB = 10^6 bytes of JSON; CPU seconds are those of all threads.
Beside that the readers alone, by turns in one process: the JSON and the same events as a .pftrace,
which our own writer makes of them (at the first size; it takes longer than all reading). There a
packed file is held to the other packed one, by the bytes that they hold unpacked.

    python scripts/bench.py                      # 50, 100, 200, 400 MB; some minutes
    python scripts/bench.py --sizes 5 --runs 1
    python scripts/bench.py --trace profile.json.gz --sizes 1000     # tiles a trace of yours
    python scripts/bench.py --samples sim_mlp_train --sizes 1000 --hta other/venv/bin/python
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from kernelmap.traces.blocks import packed  # noqa: E402 -- after the line above
from worlds.pftrace import of_json  # noqa: E402 -- as above
from worlds.trace import GPU, KINETO_END, Event, kineto_event, kineto_opening  # noqa: E402 -- after the line above

SAMPLES = ("cpu_block", "sim_mlp_train")
"""A recording, as sparse as real profiles are; and a simulated GPU trace, dense with launches."""
SIMULATED = "tiled by kernelmap scripts/bench.py"
COMMANDS = ("correlate", "annotate")
MEGABYTE = 1_000_000
_UNCOMPILED = "PYTHONDONTWRITEBYTECODE"

_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != _UNCOMPILED}
"""That of all processes but those of other interpreters."""

Command = tuple[str | Path, ...]
"""Python code for a child, and its arguments; or a Path, an interpreter, before both."""
Commands = dict[str, Command]
"""Commands by the name that the table gives them; the last one is what the others are held to."""

_MEASURED = """
import atexit, sys
sys.path.insert(0, {project!r})
def peak(path=sys.argv.pop(1)):
    with open("/proc/self/status") as status, open(path, "w") as out:
        out.write(next(line for line in status if line.startswith("VmHWM")))
atexit.register(peak)
{body}
"""
_ASKED = """
import contextlib, io, json, resource, sys, time
sys.path.insert(0, {project!r})
from kernelmap.cli import main
def cpu_s():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
def once(asked):
    start, used = time.perf_counter(), cpu_s()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(["correlate", *sys.argv[1:], *asked], standalone_mode=False)
    return time.perf_counter() - start, cpu_s() - used
rounds = [[once(asked) for asked in {asked!r}] for _ in range({runs} + 1)]
print(json.dumps([[min(column) for column in zip(*runs)] for runs in zip(*rounds[1:])]))
"""
ASKED = (("--by", "wall"), ("--sort", "headroom"), ("--by", "op"))
"""What is asked for of `correlate`, and last the plain run that it is held to."""
_READ = """
import gc, json, resource, sys, time
from pathlib import Path
sys.path.insert(0, {project!r})
from kernelmap.traces.kineto.reader import KinetoReader
from kernelmap.traces.perfetto.reader import PerfettoReader
def cpu_s():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
def once(reader, path):
    start, used = time.perf_counter(), cpu_s()
    raw = reader.read(Path(path))
    took = time.perf_counter() - start, cpu_s() - used
    return *took, len(raw.launches) + len(raw.apis) + len(raw.ranges)
gc.disable()
readers = (KinetoReader(), PerfettoReader()) * 2
rounds = [[once(*each) for each in zip(readers, sys.argv[1:])] for _ in range({runs} + 1)]
print(json.dumps([[min(column) for column in zip(*runs)] for runs in zip(*rounds[1:])]))
"""
KERNELMAP = "from kernelmap.__main__ import program\nprogram()"
IN_PYTHON = "import os\nos.environ['KERNELMAP_NO_NATIVE'] = '1'\n" + KERNELMAP
JSON_LOAD = "import json\nwith open(sys.argv[1]) as file:\n    trace = json.load(file)"
JSON_REWRITE = (
    JSON_LOAD + "\nwith open(sys.argv[2], 'w') as file:\n    file.write(json.dumps(trace))"
)


HTA = (
    "from hta.trace_analysis import TraceAnalysis\n"
    "TraceAnalysis({0: sys.argv[1]}, '').get_gpu_kernel_breakdown(visualize=False)"
)


@dataclass(frozen=True, slots=True)
class Run:
    """One child process: wall and CPU seconds, and the most memory it held in MB."""

    seconds: float
    cpu_s: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Tile:
    """A trace as one text with places for numbers: tile k is `template % (base + k * step)`."""

    template: str
    base: np.ndarray[tuple[int], np.dtype[np.float64]]
    step: np.ndarray[tuple[int], np.dtype[np.float64]]

    def text(self, number: int) -> str:
        """The events of one tile."""
        return self.template % tuple((self.base + number * self.step).tolist())


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 100, 200, 400], help="MB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trace", type=Path, help="a profile to tile, in place of the samples")
    parser.add_argument("--samples", nargs="+", default=SAMPLES, choices=SAMPLES)
    parser.add_argument("--commands", nargs="+", default=COMMANDS, choices=COMMANDS)
    parser.add_argument("--hta", type=Path, help="a Python that has HolisticTraceAnalysis")
    chosen = parser.parse_args()
    samples = {
        name: PROJECT / "sample_traces" / name / "profile.json.gz" for name in chosen.samples
    }
    profiles = samples if chosen.trace is None else {chosen.trace.name: chosen.trace}
    with tempfile.TemporaryDirectory() as name:
        asked = (chosen.commands, chosen.hta)
        for line in report(Path(name), profiles, chosen.sizes, chosen.runs, *asked):
            print(line, flush=True)


def report(
    folder: Path,
    profiles: dict[str, Path],
    sizes: Sequence[int],
    runs: int,
    commands: Sequence[str] = COMMANDS,
    hta: Path | None = None,
) -> Iterator[str]:
    """The tables' lines, as they are measured; `folder` holds one tiled trace at a time."""
    path, packed_path, out = folder / "tiled.json", folder / "tiled.json.gz", folder / "out.json"
    _compile_modules(folder / "modules", next(iter(profiles.values())), out)
    for name, profile in profiles.items():
        tile = tile_of(profile)
        code = (profile.parent,) if name in SAMPLES else ()
        asked = (*code, path, "--format", "json")
        correlate: Commands = {
            "in C": (KERNELMAP, "correlate", *asked),
            "in C, .gz": (KERNELMAP, "correlate", *code, packed_path, "--format", "json"),
            "in Python": (IN_PYTHON, "correlate", *asked),
            "json.load": (JSON_LOAD, path),
        }
        annotate: Commands = {
            "in C": (KERNELMAP, "annotate", *code, path, "-o", out),
            "in Python": (IN_PYTHON, "annotate", *code, path, "-o", out),
            "load + dumps": (JSON_REWRITE, path, out),
        }
        annotated: list[str] = []
        asked_for: list[str] = []
        read_alone: list[str] = []
        yield from ("", f"**{name}**, tiled, correlate", "", *_head("json.load"))
        for size in sizes:
            megabytes = write_tiled(tile, path, size) / MEGABYTE
            _pack(path, packed_path)
            peers: Commands = {} if hta is None else {"HTA": (hta, HTA, path)}
            if "correlate" in commands and size == sizes[0]:
                read_alone.extend(reading_rows(path, folder, runs))
            if "correlate" in commands:
                yield from _rows(megabytes, {**by_turns(1, peers), **by_turns(runs, correlate)})
                asked_for.extend(asked_rows(megabytes, runs, *code, path))
            if "annotate" in commands:
                annotated.extend(_rows(megabytes, by_turns(runs, annotate)))
        if asked_for:
            yield from ("", f"**{name}**, tiled, least of {runs} in one process", "")
            yield from ("| JSON MB | correlate | s | CPU s | times plain | in CPU |",)
            yield from ("|---:|---|---:|---:|---:|---:|", *asked_for)
        if read_alone:
            yield from (
                "",
                f"**{name}**, tiled, the reader alone, least of {runs} in one process",
                "",
            )
            yield from (
                "| file | MB | s | CPU s | MB/s of CPU | M rows/s of CPU | bytes, rows: times |",
            )
            yield from ("|---|---:|---:|---:|---:|---:|---:|", *read_alone)
        if annotated:
            yield from ("", f"**{name}**, tiled, annotate", "", *_head("load + dumps"), *annotated)
    small = profiles[next(iter(profiles))]
    start: Commands = {
        "--help": (KERNELMAP, "--help"),
        "a small trace": (KERNELMAP, "correlate", small, "--format", "json"),
        "nothing": ("pass",),
    }
    medians = by_turns(2 * runs + 1, start)
    for name in ("--help", "a small trace"):
        slower = 1000 * (medians[name].seconds - medians["nothing"].seconds)
        yield from ("", f"`{name}`: {slower:.0f} ms more than `python -c pass`")


def _compile_modules(folder: Path, profile: Path, out: Path) -> None:
    """Have the processes to come share compiled modules in `folder`, and fill it."""
    _ENVIRONMENT["PYTHONPYCACHEPREFIX"] = str(folder)
    measured("import json")
    measured(KERNELMAP, "correlate", profile, "--format", "json")
    measured(KERNELMAP, "annotate", profile, "-o", out)


def _pack(path: Path, to: Path) -> None:
    with path.open("rb") as file, to.open("wb") as out, packed(out) as pack:
        shutil.copyfileobj(file, pack, 1 << 20)


def tile_of(profile: Path) -> Tile:
    """Read a gzipped profile; times, ids and step numbers become places in a template.

    The first step is left out: what it does once, autotuning, would otherwise come back in every
    tile.
    """
    events = _without_first_step(json.loads(gzip.decompress(profile.read_bytes()))["traceEvents"])
    places = _Places(events)
    text = "\n  },\n".join(places.event(event) for event in events)
    return Tile(text, np.array(places.base), np.array(places.step))


def write_tiled(tile: Tile, path: Path, megabytes: int) -> int:
    """Write tiles until the file has at least `megabytes`; gives its size in bytes."""
    with path.open("w", encoding="utf-8") as file:
        file.write(kineto_opening(SIMULATED, shapes=True))
        number = 0
        while number == 0 or file.tell() < megabytes * MEGABYTE:
            file.write(("\n  },\n" if number else "") + tile.text(number))
            number += 1
        file.write(KINETO_END)
    return path.stat().st_size


def _without_first_step(events: list[Event]) -> list[Event]:
    """The events from the second step on: GPU rows by what launched them, others by their time."""
    steps = [_float(it["ts"]) for it in events if it["name"] == "ProfilerStep#1"]
    start = min(steps, default=float("-inf"))
    later = [it for it in events if it["ph"] != "M" and _float(it["ts"]) >= start]
    launched = {_correlation(it) for it in later if it.get("cat") not in ("ac2g", *GPU)}
    return [it for it in later if _correlation(it) in launched | {None}]


def _correlation(event: Event) -> object:
    """What ties api row, arrow and GPU row together; None for events that have nothing to tie."""
    args = event.get("args")
    return args.get("correlation") if isinstance(args, dict) else event.get("id")


_FLOAT, _INT = "@float@", "@int@"


class _Places:
    """Turns events into text with places, and collects what stands in them."""

    def __init__(self, events: list[Event]) -> None:
        self.base: list[float] = []
        self.step: list[float] = []
        timed = [(_float(it["ts"]), _float(it.get("dur", 0.0))) for it in events if it["ph"] == "X"]
        arguments = [args for it in events if isinstance(args := it.get("args"), dict)]
        self._steps: dict[str, float] = {
            "ts": max(ts + dur for ts, dur in timed) - min(ts for ts, _ in timed) + 1000.0,
            "id": max(_float(args.get("correlation", 0)) for args in arguments),
            "External id": 1 + max(_float(args.get("External id", 0)) for args in arguments),
            "step": float(
                len({name for it in events if _step_number(name := str(it["name"])) >= 0})
            ),
        }
        self._steps["correlation"] = self._steps["id"]

    def event(self, event: Event) -> str:
        """One event's text, a template for the `%` operator."""
        text = kineto_event({key: self._value(key, value) for key, value in event.items()})
        text = text.replace("%", "%%").replace(f'"{_FLOAT}"', "%.3f").replace(f'"{_INT}"', "%d")
        return text.replace(_INT, "%d")  # inside a name

    def _value(self, key: str, value: object) -> object:
        if key == "args" and isinstance(value, dict):
            return {name: self._value(name, inner) for name, inner in value.items()}
        if key == "name" and _step_number(str(value)) >= 0:
            return "ProfilerStep#" + self._place("step", _step_number(str(value)), _INT)
        if key in self._steps:
            return self._place(key, _float(value), _FLOAT if key == "ts" else _INT)
        return value

    def _place(self, key: str, value: float, form: str) -> str:
        self.base.append(value)
        self.step.append(self._steps[key])
        return form


def _float(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _step_number(name: str) -> int:
    """The number in `ProfilerStep#7`, -1 in other names."""
    head_, _, number = name.partition("#")
    return int(number) if head_ == "ProfilerStep" else -1


def measured(body: str | Path, *arguments: str | Path) -> Run:
    """Run Python code in a child with `arguments`; leaves with its messages when it fails."""
    if isinstance(body, Path):
        return _measured_by(body, dict(os.environ), *arguments)
    return _measured_by(Path(sys.executable), _ENVIRONMENT, body, *arguments)


def _measured_by(python: Path, environment: dict[str, str], *program: str | Path) -> Run:
    body, *arguments = program
    with tempfile.NamedTemporaryFile("r") as peak:
        text = _MEASURED.format(project=str(PROJECT), body=body)
        command = [str(python), "-c", text, peak.name, *map(str, arguments)]
        start, used = time.perf_counter(), _cpu_s()
        done = subprocess.run(  # noqa: S603 -- our own code
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=environment,
        )
        seconds, cpu_s = time.perf_counter() - start, _cpu_s() - used
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, arguments))}:\n{done.stderr[-2000:]}")
        return Run(seconds, cpu_s, int(peak.read().split()[1]) * 1024 / MEGABYTE)


def reading_rows(path: Path, folder: Path, runs: int) -> Iterator[str]:
    """The readers of JSON and of .pftrace on the same events, plain and packed.

    The packed JSON stands beside `path` already.
    """
    content = of_json(path.read_bytes())
    files = (
        path,
        folder / "tiled.pftrace",
        folder / f"{path.name}.gz",
        folder / "tiled.pftrace.gz",
    )
    files[1].write_bytes(content)
    _pack(files[1], files[3])
    program = _READ.format(project=str(PROJECT), runs=runs)
    command = [sys.executable, "-c", program, *map(str, files)]
    done = subprocess.run(  # noqa: S603 -- our own code
        command, capture_output=True, text=True, check=True, env=_ENVIRONMENT
    )
    names = ("JSON", ".pftrace", "JSON, packed", ".pftrace, packed")
    sizes = [path.stat().st_size, len(content)] * 2
    rates: list[tuple[float, float]] = []
    for name, size, (seconds, cpu_s, rows) in zip(
        names, sizes, json.loads(done.stdout), strict=True
    ):
        rate, row_rate = size / MEGABYTE / cpu_s, rows / MEGABYTE / cpu_s
        rates.append((rate, row_rate))
        # Each .pftrace is held to the JSON before it.
        of_json_ = rates[(len(rates) - 1) // 2 * 2]
        times = f"{rate / of_json_[0]:.2f} {row_rate / of_json_[1]:.2f}"
        yield (
            f"| {name} | {size / MEGABYTE:.0f} | {seconds:.2f} | {cpu_s:.2f} | {rate:.0f} |"
            f" {row_rate:.2f} | {times} |"
        )


def asked_rows(megabytes: float, runs: int, *inputs: Path) -> Iterator[str]:
    """What a question adds to a plain run, in a process that has loaded everything."""
    program = _ASKED.format(project=str(PROJECT), asked=ASKED, runs=runs)
    command = [sys.executable, "-c", program, *map(str, inputs)]
    done = subprocess.run(  # noqa: S603 -- our own code
        command, capture_output=True, text=True, check=False, env=_ENVIRONMENT
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    *questions, plain = json.loads(done.stdout)
    for asked, took in zip(ASKED, (*questions, plain), strict=True):
        cells = [
            f"{megabytes:.0f}",
            f"`{' '.join(asked)}`",
            *(f"{seconds:.2f}" for seconds in took),
        ]
        cells += [f"{ours / theirs:.2f}" for ours, theirs in zip(took, plain, strict=True)]
        yield f"| {' | '.join(cells)} |"


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def by_turns(runs: int, commands: Commands) -> dict[str, Run]:
    """Medians by name, all run alternately so that a busy machine hits them alike."""
    rounds = [{name: measured(*command) for name, command in commands.items()} for _ in range(runs)]
    return {name: median_run([turn[name] for turn in rounds]) for name in commands}


def median_run(runs: Sequence[Run]) -> Run:
    """A run with the median of each of their figures."""
    return Run(
        median(run.seconds for run in runs),
        median(run.cpu_s for run in runs),
        median(run.peak_mb for run in runs),
    )


def _head(other: str) -> tuple[str, str]:
    return (
        f"| JSON MB | what | s | CPU s | peak MB | times {other} | in CPU |",
        "|---:|---|---:|---:|---:|---:|---:|",
    )


def _rows(megabytes: float, runs: dict[str, Run]) -> Iterator[str]:
    *_, other = runs.values()
    for name, run in runs.items():
        cells = [f"{megabytes:.0f}", name, f"{run.seconds:.2f}", f"{run.cpu_s:.2f}"]
        times = (other.seconds / run.seconds, other.cpu_s / run.cpu_s)
        cells += [f"{run.peak_mb:.0f}", *(f"{faster:.1f}" for faster in times)]
        yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
