"""Profiles of many ranks of one run, with what is wrong on which rank.

All ranks run the same simulated steps. Each has a clock and jitter of its own, as GPUs and hosts
have, and waits in collectives for the others: what one rank does late all others wait for. Every
rank counts time from a moment of its own, as clocks of machines do. What is planted on a rank is
the truth that a test asks for.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from msgspec.structs import replace

from kernelmap.model import CompiledProgram
from worlds.recorder import MAIN, PID, STREAM
from worlds.rows import Json, Row
from worlds.simulate import simulate
from worlds.trace import KINETO_END, Event, kineto_event
from worlds.world import World

SLOWER = 10
"""How much longer kernels run than in other worlds, so that the GPU and not the host is busy."""

_COMM_STREAM = 20
_TRANSFER_NS = {"_allgather_base": 180_000, "allreduce": 350_000}
_ELEMENTS = {"_allgather_base": 65_536, "allreduce": 1_048_576}
"""What a rank gives."""
_KERNELS = {
    "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "allreduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
}
_LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
_COMPILER = "_compile.compile_inner (dynamo_timed)"
_COPY = "Memcpy HtoD (Pageable -> Device)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """What is wrong on one rank.

    `clock` multiplies all kernels; `config` is the wrapper that was tuned otherwise, and runs three
    times as long; `copy_ns` is an eager copy in every step; `late_ns` is how long the data of every
    step took; `compile_ns` is a compilation in `compile_step`; `swapped` calls the first two
    collectives of the last step in the other order.
    """

    clock: float = 1.0
    config: str | None = None
    copy_ns: int = 0
    late_ns: int = 0
    compile_ns: int = 0
    compile_step: int = 3
    swapped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetWorld:
    """`clocks` and `jitter` are standard deviations: of a rank's speed, and of a launch.

    Worlds of one `seed` run the same steps; those that differ in `take`, at another time. Each
    profile lists `gpus` of `device`.
    """

    ranks: int = 16
    steps: int = 6
    seed: int = 0
    take: int = 0
    clocks: float = 0.003
    jitter: float = 0.02
    planted: Mapping[int, Planted] = field(default_factory=dict)
    states_rank: bool = True
    marks_steps: bool = True
    device: str = "Simulated GPU"
    gpus: int = 1


def write_fleet(folder: Path, program: CompiledProgram, world: FleetWorld) -> list[Path]:
    """Write `rank_<number>.json.gz` for every rank; gives the paths by rank."""
    paths = []
    for rank, rows in enumerate(_ranks(program, world)):
        path = folder / f"rank_{rank}.json.gz"
        path.write_bytes(gzip.compress(_document(rows, rank, world).encode(), 1, mtime=0))
        paths.append(path)
    return paths


@dataclass
class _Rank:
    """One rank while it is played: `free_ns` is when its GPU is free, `late_ns` its host's lag."""

    number: int
    planted: Planted
    rng: Random
    speed: float
    free_ns: int = 0
    late_ns: int = 0
    correlation: int = 10_000_000
    rows: list[Row] = field(default_factory=list)

    def gpu(self, row: Row, api_end_ns: int, dur_ns: int) -> None:
        """A row of the GPU, as early as its launch and the stream allow."""
        start = max(api_end_ns + 1_500, self.free_ns + 800)
        self.free_ns = start + dur_ns
        self.rows.append(replace(row, start_ns=start, dur_ns=dur_ns))

    def host(self, name: str, start_ns: int, dur_ns: int, category: str = "cpu_op") -> None:
        """A range on the main thread."""
        self.correlation += 1
        self.rows.append(
            Row(
                category=category,
                name=name,
                pid=PID,
                tid=MAIN,
                start_ns=start_ns,
                dur_ns=dur_ns,
                args={"External id": self.correlation, "Ev Idx": self.correlation},
            )
        )

    def launch(
        self, category: str, name: str, at_ns: int, stream: int, args: dict[str, Json]
    ) -> tuple[Row, int]:
        """An api row at a time of the host; the row of its activity, and when the api row ends."""
        self.correlation += 1
        number = self.correlation
        api: dict[str, Json] = {"cbid": 211, "correlation": number}
        self.rows.append(
            Row(
                category="cuda_runtime",
                name="cudaMemcpyAsync" if category == "gpu_memcpy" else "cudaLaunchKernelExC",
                pid=PID,
                tid=MAIN,
                start_ns=at_ns,
                dur_ns=2_000,
                args=api,
                correlation=number,
            )
        )
        ids: dict[str, Json] = {"device": 0, "context": 1, "stream": stream, "correlation": number}
        row = Row(
            category=category,
            name=name,
            pid=0,
            tid=stream,
            start_ns=0,
            dur_ns=0,
            args={**ids, **args},
            correlation=number,
        )
        return row, at_ns + 2_000


@dataclass(frozen=True)
class _Segment:
    """Rows of a step up to a collective; `ends_ns` is when the host comes there."""

    rows: Sequence[Row]
    ends_ns: int
    collective: str | None


def _ranks(program: CompiledProgram, world: FleetWorld) -> Iterator[list[Row]]:
    base = simulate(
        program,
        World(
            seed=world.seed,
            invocations=world.steps,
            machine=7,
            durations="plausible",
            autotune=False,
        ),
    )
    ranks = []
    for number in range(world.ranks):
        take = f" {world.take}" if world.take else ""
        rng = Random(f"{world.seed} {number}{take}")  # noqa: S311 -- a simulation, not a secret
        planted = world.planted.get(number, Planted())
        speed = rng.gauss(1, world.clocks) * planted.clock
        ranks.append(_Rank(number=number, planted=planted, rng=rng, speed=speed))
    host_rows = [row for row in base.rows if row.category != "gpu_user_annotation"]
    for step, segments in enumerate(_steps(host_rows)):
        for rank in ranks:
            _begin(rank, segments, step)
        for segment in segments:
            for rank in ranks:
                _play(rank, segment, world)
            if segment.collective is not None:
                _meet(ranks, segment, segments, last=step == world.steps - 1)
        end = max(segment.ends_ns for segment in segments)
        for rank in ranks:  # the host waits for the GPU, as for a loss that it prints
            rank.late_ns = max(rank.late_ns, rank.free_ns - end)
            opens = next(row for row in rank.rows if row.name == f"ProfilerStep#{step}")
            opens.dur_ns = max(opens.dur_ns, rank.free_ns - opens.start_ns)
    for rank in ranks:
        yield rank.rows


def _steps(rows: Sequence[Row]) -> Iterator[list[_Segment]]:
    """The rows of each step in segments; a collective ends each segment but the last."""
    steps = [row for row in rows if row.name.startswith("ProfilerStep#")]
    pairs = {row.correlation: row for row in rows if row.owner is not None}
    hosts = sorted((row for row in rows if row.owner is None), key=lambda row: row.start_ns)
    for step in steps:
        inside = [row for row in hosts if step.start_ns <= row.start_ns < step.end_ns]
        graphs = [row for row in inside if row.name.startswith("## Call")]
        cuts = [(graph.end_ns, name) for graph, name in zip(graphs, _TRANSFER_NS, strict=False)]
        begin, segments = step.start_ns, []
        for end, name in [*cuts, (step.end_ns, None)]:
            part = [row for row in inside if begin <= row.start_ns < end]
            with_gpu = [
                event
                for row in part
                for event in (row, pairs.get(row.correlation) if row.correlation else None)
                if event is not None
            ]
            segments.append(_Segment(rows=with_gpu, ends_ns=end, collective=name))
            begin = end
        yield segments


def _begin(rank: _Rank, segments: Sequence[_Segment], step: int) -> None:
    """What the host does before the work of a step: it takes data, and compiles if it must."""
    planted = rank.planted
    start = segments[0].rows[0].start_ns + rank.late_ns
    taken = round(20_000 * rank.rng.lognormvariate(0, 0.2)) + planted.late_ns
    rank.late_ns += 1_000 + taken
    rank.host(_LOADER, start + 500, taken, "user_annotation")
    if planted.compile_ns and step == planted.compile_step:
        rank.host(_COMPILER, start + taken + 1_000, planted.compile_ns, "user_annotation")
        rank.late_ns += planted.compile_ns
    if planted.copy_ns:
        at = start + taken + planted.compile_ns * (step == planted.compile_step) + 2_000
        rank.host("aten::copy_", at - 200, 2_600)
        row, end = rank.launch("gpu_memcpy", _COPY, at, STREAM, {"bytes": 1 << 24})
        rank.gpu(row, end, round(planted.copy_ns * rank.speed))


def _play(rank: _Rank, segment: _Segment, world: FleetWorld) -> None:
    """The rows of a segment, late as the rank is, and as long as its clock makes them."""
    planted = rank.planted
    ends: dict[int | None, int] = {}
    tuned = False
    for row in segment.rows:
        if row.owner is None:
            if row.name.startswith(("triton_", "aten::")):
                tuned = row.name == planted.config
            copy = replace(row, start_ns=row.start_ns + rank.late_ns, args=dict(row.args))
            if tuned and row.name == planted.config:
                copy.args |= {"kernel_kwargs": "XBLOCK=2", "num_warps": 1}
            if row.name.startswith("ProfilerStep#"):
                copy.start_ns -= rank.late_ns - _lag(rank)
            rank.rows.append(copy)
            ends[row.correlation] = copy.end_ns
        else:
            jitter = rank.rng.lognormvariate(0, world.jitter)
            factor = rank.speed * jitter * SLOWER * (3 if tuned else 1)
            rank.gpu(row, ends[row.correlation], round(row.dur_ns * factor))


def _lag(rank: _Rank) -> int:
    """What the rank was late when its step began, before it took data."""
    taken = next(row for row in reversed(rank.rows) if row.name == _LOADER)
    compiled = rank.rows[-1] if rank.rows[-1].name == _COMPILER else None
    return rank.late_ns - taken.dur_ns - 1_000 - (compiled.dur_ns if compiled else 0)


def _meet(
    ranks: Sequence[_Rank], segment: _Segment, segments: Sequence[_Segment], *, last: bool
) -> None:
    """A collective: it ends on all ranks when the last one came and the data went through."""
    name = segment.collective or ""
    others = [other.collective for other in segments if other.collective not in (None, name)]
    waiting = []
    for rank in ranks:
        collective = others[0] if rank.planted.swapped and last and others else name
        args: dict[str, Json] = {
            "Collective name": collective,
            "In msg nelems": _ELEMENTS[collective or name],
            # A rank gets the parts of all ranks.
            "Out msg nelems": _ELEMENTS[collective or name]
            * (len(ranks) if collective == "_allgather_base" else 1),
            "Group size": len(ranks),
            "dtype": "Float",
            "Process Group Name": "0",
            "Process Group Description": "default_pg",
            "Process Group Ranks": "[0, 1, ...]",
        }
        host = segment.ends_ns + rank.late_ns
        row, end = rank.launch("kernel", _KERNELS[collective or name], host, _COMM_STREAM, args)
        waiting.append((rank, row, max(end + 1_500, rank.free_ns + 800)))
    ends = max(start for _, _, start in waiting) + _TRANSFER_NS[name]
    for rank, row, start in waiting:
        rank.rows.append(replace(row, start_ns=start, dur_ns=ends - start))
        rank.free_ns = ends


def _document(rows: Sequence[Row], rank: int, world: FleetWorld) -> str:
    """The file of one rank; its clock is its own."""
    events: list[Event] = []
    away = Random(f"clock {world.seed} {rank}").randint(0, 10**9)  # noqa: S311 -- as above
    for row in rows:
        if not world.marks_steps and row.name.startswith("ProfilerStep#"):
            continue
        event: Event = {
            "ph": "X",
            "cat": row.category,
            "name": row.name,
            "pid": row.pid,
            "tid": row.tid,
            "ts": (row.start_ns + away) / 1000,
            "dur": row.dur_ns / 1000,
            "args": row.args,
        }
        events.append(event)
        if row.correlation is not None:
            flow: Event = {"ph": "f" if row.pid == 0 else "s", "id": row.correlation}
            events.append(
                flow
                | {key: event[key] for key in ("pid", "tid", "ts")}
                | {"cat": "ac2g", "name": "ac2g"}
                | ({"bp": "e"} if row.pid == 0 else {})
            )
    head: dict[str, Json] = {
        "schemaVersion": 1,
        "simulated": "by kernelmap tests/worlds",
        "deviceProperties": [
            {"id": at, "name": world.device, "numSms": 132} for at in range(world.gpus)
        ],
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": 1_700_000_000_000_000_000,
    }
    if world.states_rank:
        stated = {"backend": "nccl", "rank": rank, "world_size": world.ranks}
        head["distributedInfo"] = stated
    fields = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    body = "\n  },\n".join(kineto_event(event) for event in events)
    return f'{{\n{fields}  "traceEvents": [\n{body}{KINETO_END}'
