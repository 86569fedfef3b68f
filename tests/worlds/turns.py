"""Ranks that compute in turns, each with an all_reduce behind every turn, and steps by turns.

A step of a rank begins with its own turn, so steps of ranks hold other collectives, though as many.
Every rank counts time from a moment of its own. What is planted is the truth that a test asks for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from worlds.rows import Json

TRANSFER_NS = 350_000
_TURN_NS = 5_000_000
_PART_NS = 10_000  # between a collective and what follows
_NAME = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """What is planted.

    `slower` multiplies the turns of a rank; `lacks` are the steps in which a rank lacks its second
    collective; `late` are ranks whose profile states every end at random. `in_turn` is whether
    steps begin with turns, else with the first turn of all ranks.
    """

    ranks: int = 4
    steps: int = 4
    seed: int = 0
    slower: Mapping[int, float] = field(default_factory=dict)
    lacks: Mapping[int, int] = field(default_factory=dict)
    late: tuple[int, ...] = ()
    in_turn: bool = True

    @property
    def turns_ns(self) -> list[int]:
        """How long every turn takes."""
        rng = Random(f"turns {self.seed}")  # noqa: S311 -- a simulation, not a secret
        return [
            round(_TURN_NS * rng.lognormvariate(0, 0.05) * self.slower.get(turn % self.ranks, 1))
            for turn in range(self.ranks * (self.steps + 1))
        ]


def write_turns(folder: Path, world: Turns) -> None:
    """Write `rank_<number>.json` for every rank."""
    for rank in range(world.ranks):
        document = {
            "schemaVersion": 1,
            "deviceProperties": [{"id": 0, "name": "Simulated GPU", "numSms": 132}],
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": world.ranks},
            "traceEvents": _events(world, rank),
        }
        (folder / f"rank_{rank}.json").write_text(json.dumps(document), encoding="utf-8")


def _events(world: Turns, rank: int) -> list[Mapping[str, Json]]:
    """The profile of a rank: from the begin of its first step to the end of its last one."""
    rng = Random(f"rank {world.seed} {rank}")  # noqa: S311 -- as above
    clock = rng.randint(0, 10**9)
    first = rank if world.in_turn else 0
    begins, now = [], clock
    events: list[Mapping[str, Json]] = []
    for turn, turn_ns in enumerate(world.turns_ns):
        step, at = divmod(turn - first, world.ranks)
        ends = now + turn_ns + TRANSFER_NS
        if 0 <= step < world.steps:
            if at == 0:
                begins.append(now - 2 * _PART_NS)
            starts = now
            if turn % world.ranks == rank:
                starts += turn_ns
                events += _launch(f"mm_{rank}", now, turn_ns - _PART_NS, 2 * turn, {})
            if at != 1 or world.lacks.get(rank) != step:
                late = rng.randint(0, 4 * _TURN_NS) if rank in world.late else 0
                events += _launch(_NAME, starts, ends - starts + late, 2 * turn + 1, _ARGS)
            last = ends
        now = ends + _PART_NS
    for step, (begin, end) in enumerate(zip(begins, [*begins[1:], last], strict=True)):
        events.append(_event("user_annotation", f"ProfilerStep#{step}", begin, end - begin, 1, {}))
    return events


_ARGS: dict[str, Json] = {
    "Collective name": "allreduce",
    "In msg nelems": 1024,
    "Out msg nelems": 1024,
    "dtype": "Float",
    "Process Group Name": "0",
}


def _launch(
    name: str, start_ns: int, dur_ns: int, number: int, args: Mapping[str, Json]
) -> list[Mapping[str, Json]]:
    """A kernel, and the call that launched it just before."""
    ids: dict[str, Json] = {"correlation": 100 + number}
    on_gpu: dict[str, Json] = {"device": 0, "context": 1, "stream": 7, **ids, **args}
    return [
        _event("cuda_runtime", "cudaLaunchKernel", start_ns - _PART_NS, 2_000, 1, ids),
        _event("kernel", name, start_ns, dur_ns, 0, on_gpu),
    ]


def _event(
    category: str, name: str, start_ns: int, dur_ns: int, pid: int, args: Mapping[str, Json]
) -> Mapping[str, Json]:
    times: dict[str, Json] = {"ts": start_ns / 1000, "dur": dur_ns / 1000}
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": 7, **times, "args": args}
