"""What a rank of a fleet costs beside a warm `correlate`, and what client and scheduler hold.

Makes profiles of simulated ranks: 16 ranks and one slow one are simulated together, and every rank
is a copy of one of them with its own number in it, so times of ranks repeat; nothing was measured
on a GPU. For every number of ranks `kernelmap fleet` reads them, on a cluster of its own or, with
--by-hand, on a scheduler and workers that are processes of their own; --kill ends one of these
workers when a quarter of the ranks is read. Before and after that a warm process correlates ranks
one by one and writes each result as JSON; a rank of a fleet writes that as well, and its own
tables. Ratios are of CPU seconds, which other work on the machine moves least. Goals: a rank costs
at most 15 % more than there, and client and scheduler hold less than 500 MB each.

    python scripts/bench_fleet.py                               # 64 and 1,024 ranks of 5 MB; 5 GB
    python scripts/bench_fleet.py --ranks 64,256 --by-hand --kill
    python scripts/bench_fleet.py --ranks 8,16 --mb 1 --folder FOLDER
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from fleet_runs import CODE, program  # noqa: E402 -- after the line above
from kernelmap.pipeline import correlate  # noqa: E402 -- after the line above
from worlds.fleet import FleetWorld, Planted, write_fleet  # noqa: E402 -- after the line above

BODIES, SLOW = 16, 37
STEP_MB = 0.0592  # of JSON, of one simulated step
WARM, TIMED = 4, 24
MOST_MB, MOST_RATIO = 500, 1.15
_STATED = re.compile(rb'"rank": \d+, "world_size": \d+')


@dataclass(slots=True)
class Watched:
    """A process: its most memory in MB, and its CPU seconds with those of children that ended."""

    name: str
    process: subprocess.Popen[bytes]
    peak_mb: float = 0.0
    cpu_s: float = 0.0

    def look(self) -> None:
        """Read what the system says of it, while it is there."""
        with suppress(OSError, StopIteration):
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
            line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            self.peak_mb = max(self.peak_mb, int(line.split()[1]) * 1024 / 1e6)

    def end(self) -> int:
        """Wait for it, and read what it took."""
        _, status, used = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s = used.ru_utime + used.ru_stime
        return self.process.returncode


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What one run took; `cpu_s` is that of the processes that read ranks."""

    ranks: int
    read: int
    seconds: float
    cpu_s: float
    client_mb: float
    scheduler_mb: float | None
    slow: Sequence[int]
    killed: bool


def main() -> None:
    """Make ranks, read them, and print the table."""
    parser = usage.parser(__doc__)
    parser.add_argument("--ranks", default="64,1024", metavar="N,…", help="numbers of ranks")
    parser.add_argument("--mb", type=float, default=5.0, help="size of a rank's profile as JSON")
    parser.add_argument("--workers", type=int, default=2, help="worker processes")
    parser.add_argument("--by-hand", action="store_true", help="dask scheduler and dask worker")
    parser.add_argument("--kill", action="store_true", help="with --by-hand: end a worker")
    parser.add_argument("--folder", type=Path, help="where to write  [default: a temporary one]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="bench-fleet-") as temporary:
        folder = Path(temporary)
        bodies = _bodies(folder, options.mb)
        size = len(bodies[0]) / 1e6
        print(f"ranks of {size:.1f} MB, simulated; {options.workers} workers", flush=True)
        fleets: list[Fleet] = []
        warm: list[float] = [_warm(bodies, folder)]
        for ranks in map(int, options.ranks.split(",")):
            world = folder / "world"
            _copies(bodies, world, ranks)
            fleets.append(_read(world, folder / "kept", ranks, options))
            warm.append(_warm(bodies, folder))
            print(_line(fleets[-1]), flush=True)
            shutil.rmtree(world)
            shutil.rmtree(folder / "kept")
    _report(fleets, warm)


def _bodies(folder: Path, megabytes: float) -> list[bytes]:
    steps = max(2, round(megabytes / STEP_MB))
    world = FleetWorld(ranks=BODIES + 1, steps=steps, planted={BODIES: Planted(copy_ns=2_100_000)})
    made = folder / "bodies"
    made.mkdir()
    return [gzip.decompress(path.read_bytes()) for path in write_fleet(made, program(), world)]


def _copies(bodies: Sequence[bytes], world: Path, ranks: int) -> None:
    """A file per rank; that of SLOW, or of the last one, is the slow one."""
    world.mkdir()
    slow = min(SLOW, ranks - 1)
    for rank in range(ranks):
        body = bodies[BODIES if rank == slow else rank % BODIES]
        stated = f'"rank": {rank}, "world_size": {ranks}'.encode()
        (world / f"rank_{rank}.json").write_bytes(_STATED.sub(stated, body, count=1))


def _warm(bodies: Sequence[bytes], folder: Path) -> float:
    """CPU seconds of one more rank in a warm process, writing the result as JSON included."""
    ranks = folder / "warm"
    ranks.mkdir(exist_ok=True)
    for number, body in enumerate(bodies[:BODIES]):
        (ranks / f"rank_{number}.json").write_bytes(body)
    paths = sorted(ranks.iterdir())
    code = "import bench_fleet, sys; bench_fleet.correlate_each(sys.argv[1:])"
    done = subprocess.run(  # noqa: S603 -- this script
        [sys.executable, "-c", code, *map(str, paths)],
        cwd=Path(__file__).parent,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def correlate_each(paths: Sequence[str]) -> None:
    """Print the median CPU seconds of a correlation in this process, when it is warm."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(WARM + TIMED):
            begin = time.process_time()
            result = correlate(Path(paths[number % len(paths)]), *map(Path, CODE))
            result.write(Path(folder) / "result.json")
            times.append(time.process_time() - begin)
    print(median(times[WARM:]))


def _read(world: Path, kept: Path, ranks: int, options: argparse.Namespace) -> Fleet:
    answer = world.parent / "answer.json"
    command = [sys.executable, "-m", "kernelmap", "fleet", str(world), "--keep", str(kept)]
    command += [word for name in CODE for word in ("--code", name)]
    command += ["-o", str(answer)]
    killed = False
    with _cluster(world.parent, options) as cluster:
        where = ["--workers", str(options.workers)]
        if cluster:
            where = ["--workers", str(world.parent / "scheduler.json")]
        begin = time.monotonic()
        client = Watched("client", _started([*command, *where]))
        while not _has_ended(client.process.pid):
            for process in (client, *cluster):
                process.look()
            time.sleep(0.5)
            if options.kill and not killed and len(list(kept.glob("*/*/rank.json"))) > ranks / 4:
                os.kill(cluster[-1].process.pid, signal.SIGKILL)
                killed = True
        if client.end():
            raise SystemExit("kernelmap fleet failed")
        seconds = time.monotonic() - begin
    said = json.loads(answer.read_bytes())
    workers = [process for process in cluster if process.name == "worker"]
    return Fleet(
        ranks=ranks,
        read=said["ranks_read"],
        seconds=seconds,
        cpu_s=sum(worker.cpu_s for worker in workers) if cluster else client.cpu_s,
        client_mb=client.peak_mb,
        scheduler_mb=cluster[0].peak_mb if cluster else None,
        slow=[row["rank"] for row in said["ranks"] if row["slow"] == "yes"],
        killed=killed,
    )


def _has_ended(pid: int) -> bool:
    """Whether a process has ended and waits to be asked what it took."""
    state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    return state == "Z"


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)  # noqa: S603 -- of this script


@contextmanager
def _cluster(folder: Path, options: argparse.Namespace) -> Iterator[list[Watched]]:
    """A scheduler and workers by hand, the scheduler first; none where the command makes them."""
    if not options.by_hand:
        yield []
        return
    place = folder / "scheduler.json"
    place.unlink(missing_ok=True)
    dask = [sys.executable, "-m", "dask"]
    shared = ["--scheduler-file", str(place)]
    scheduler = [*dask, "scheduler", *shared, "--port", "0", "--no-dashboard"]
    worker = [*dask, "worker", *shared, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    processes = [Watched("scheduler", _started(scheduler))]
    while not place.exists():
        time.sleep(0.2)
    processes += [Watched("worker", _started(worker)) for _ in range(options.workers)]
    try:
        yield processes
    finally:
        for process in reversed(processes):
            with suppress(ProcessLookupError):
                os.kill(process.process.pid, signal.SIGTERM)
            process.end()


def _line(fleet: Fleet) -> str:
    scheduler = "with it" if fleet.scheduler_mb is None else f"{fleet.scheduler_mb:.0f} MB"
    return (
        f"| {fleet.ranks:,} | {fleet.read:,} | {fleet.seconds:.0f} s | {fleet.cpu_s:.0f} s"
        f" | {1000 * fleet.cpu_s / fleet.ranks:.0f} ms | {fleet.client_mb:.0f} MB | {scheduler}"
        f" | {fleet.slow} | {'killed' if fleet.killed else ''} |"
    )


def _report(fleets: Sequence[Fleet], warm: Sequence[float]) -> None:
    print("\n| ranks | read | time | CPU | a rank | client | scheduler | slow | a worker |")
    print("|---|---|---|---|---|---|---|---|---|")
    for fleet in fleets:
        print(_line(fleet))
    print(
        f"\nwarm correlate: {', '.join(f'{1000 * seconds:.0f}' for seconds in warm)} ms of CPU time"
    )
    if len(fleets) > 1:
        least, most = fleets[0], fleets[-1]
        one = (most.cpu_s - least.cpu_s) / (most.ranks - least.ranks)
        ratio = one / median(warm)
        print(
            f"one more rank: {1000 * one:.0f} ms, {ratio:.2f} of a warm correlate"
            f" (goal: at most {MOST_RATIO})"
        )
        growth = (most.cpu_s / most.ranks) / (least.cpu_s / least.ranks)
        print(f"a rank of {most.ranks:,} against one of {least.ranks:,}: {growth:.2f}")
    held = max(max(fleet.client_mb, fleet.scheduler_mb or 0) for fleet in fleets)
    print(f"client and scheduler: {held:.0f} MB at most (goal: below {MOST_MB})")


if __name__ == "__main__":
    main()
