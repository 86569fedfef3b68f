"""Fleets for tests: worlds of ranks written once, and the answer without a cluster."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kernelmap.compiler import load_compiled
from kernelmap.fleet.engine import Cluster
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.run import FleetOptions, run_fleet
from kernelmap.model import CompiledProgram

ROOT = Path(__file__).resolve().parent.parent
CODE = tuple(
    str(ROOT / "sample_traces" / "sim_mlp_train" / name)
    for name in ("model__0_forward_1.0", "model__0_backward_2.1")
)


@cache
def program() -> CompiledProgram:
    """What the ranks run; its code is that of a sample."""
    return load_compiled(*map(Path, CODE))


def answer(
    *inputs: Path | str,
    keep: Path | str,
    pattern: str | None = None,
    cluster: Cluster | None = None,
    gather: bool = False,
    code: tuple[str, ...] = CODE,
) -> Fleet:
    """The fleet of `inputs`; in this process unless a cluster is named."""
    options = FleetOptions(
        code=code,
        pattern=pattern,
        kept=str(keep),
        cluster=cluster or Cluster(workers=0),
        gather=gather,
    )
    return run_fleet([str(path) for path in inputs], options)


def causes(fleet: Fleet) -> dict[int, list[str]]:
    """The causes of each slow rank, largest first; of one without a cause an empty list."""
    named: dict[int, list[str]] = {
        int(str(row["rank"])): [] for row in fleet.rows["ranks"] if row["slow"] == "yes"
    }
    for row in fleet.rows["causes"]:
        named[int(str(row["rank"]))].append(str(row["cause"]))
    return named
