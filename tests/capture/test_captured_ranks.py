"""A torchrun program under capture, read as a fleet: the rank that sleeps is named, and why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from children import UNCOLLECTED
from kernelmap.fleet.engine import Cluster
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.run import FleetOptions, run_fleet
from kernelmap.fleet.slow import FEWER_THREADS, IDLE

pytestmark = pytest.mark.torch


_RUN = "from kernelmap.cli import main; main()"
_TORCHRUN = "from torch.distributed.run import main; main()"
_RANKS, _SLOW, _STEPS, _SLEEP_MS = 4, 2, 4, 100
_FEWEST = 3  # two agree on what is usual
_PARAMETERS = 4  # of the net below
_PROGRAM = f"""
import time, torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 64))
model = torch.compile(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
batch = torch.ones(32, 64)
if rank:  # rank 0 compiles for all
    dist.barrier()
model(batch).square().mean().backward()
if not rank:
    dist.barrier()
for step in range({_STEPS + 4}):
    if rank == {_SLOW}:
        time.sleep({_SLEEP_MS / 1000})
    model(batch).square().mean().backward()
    for parameter in net.parameters():
        dist.all_reduce(parameter.grad)
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
"""


_IN_TURNS = f"""
import time, torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, ranks = dist.get_rank(), dist.get_world_size()
torch.set_num_threads(1 if rank == {_SLOW} else 2)
model = torch.compile(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()))
batch, counted = torch.ones(32, 64), torch.zeros(1)
with torch.no_grad():
    for turn in range(ranks * ({_STEPS} + 5)):
        if turn % ranks == rank:
            model(batch)
            time.sleep(0.02 * (1, 4, 2, 6, 3, 1, 5, 2)[turn % 8])  # no shift but one fits
        dist.all_reduce(counted)
dist.destroy_process_group()
"""


def _captured(folder: Path, program: str, ranks: int) -> Fleet:
    """A program on ranks over gloo under capture, read as a fleet."""
    (folder / "train.py").write_text(program, encoding="utf-8")
    given = ("-o", "bundle", "--steps", str(_STEPS))
    launcher = folder / "torchrun"  # of this Python, whatever is on the path
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{_TORCHRUN}" "$@"\n')
    launcher.chmod(0o755)
    command = ("./torchrun", "--standalone", "--nproc_per_node", str(ranks), "train.py")
    subprocess.run(  # noqa: S603 -- our own code
        [sys.executable, "-c", _RUN, "capture", *given, "--", *command],
        cwd=folder,
        env={
            **os.environ,
            **UNCOLLECTED,
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
            "OMP_NUM_THREADS": "1",
        },
        check=True,
        capture_output=True,
    )
    options = FleetOptions(kept=str(folder / "kept"), cluster=Cluster(workers=0))
    return run_fleet([str(folder / "bundle")], options)


@pytest.mark.thorough
def test_ranks_in_turns_are_matched_and_say_their_threads(tmp_path: Path) -> None:
    """Without an optimizer a step of a rank begins with its turn: ends say what belongs together.

    Whether fewer threads make a rank slow is the machine's affair; nothing else may be its cause.
    """
    fleet = _captured(tmp_path, _IN_TURNS, _FEWEST)

    said = {notice.slug for notice in fleet.notices}
    if "collectives-not-aligned" not in said:  # as on a machine too busy to tell
        assert "steps-begin-apart" in said
        assert fleet.matched == _STEPS * _FEWEST - (_FEWEST - 1)  # those that all profiles hold
    (threads,) = (row for row in fleet.rows["divergence"] if row["kind"] == "threads")
    assert (threads["usual"], threads["value"]) == ("2 threads", "1 thread")
    assert threads["which"] == str(_SLOW)
    named = {row["rank"] for row in fleet.rows["causes"] if row["cause"] == FEWER_THREADS}
    assert named <= {_SLOW}


@pytest.mark.thorough
def test_a_rank_that_sleeps_is_slow_and_all_others_wait(tmp_path: Path) -> None:
    """Four processes over gloo: what one sleeps is time in which nothing ran, and others wait.

    Machines that tests run on have other work, so other ranks may be slow by less.
    """
    fleet = _captured(tmp_path, _PROGRAM, _RANKS)

    assert fleet.read == fleet.expected == _RANKS
    assert fleet.matched == _STEPS * _PARAMETERS
    first = fleet.rows["causes"][0]
    assert (first["rank"], first["cause"]) == (_SLOW, IDLE)
    assert int(str(first["change_ns"])) > 0.8 * _SLEEP_MS * 1e6
    ranks = {row["rank"]: row for row in fleet.rows["ranks"]}
    waits = {rank: int(str(row["waiting_ns"])) for rank, row in ranks.items()}
    assert min(waits, key=lambda rank: waits[rank]) == _SLOW
    saved = {row["rank"]: int(str(row["saved_ns"])) for row in fleet.rows["what_if"]}
    assert saved[_SLOW] > 0.5 * _SLEEP_MS * 1e6
