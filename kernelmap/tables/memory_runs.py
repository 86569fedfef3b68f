"""The bytes over a step: a row for each run of a graph, in the order in which they ran."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.model.memory import StepMemory
from kernelmap.tables.rows import Cell
from kernelmap.tables.table import Column, Table, Type

_ABOVE = "above what the caller holds all the time"
RUNS = Table(
    name="memory_runs",
    row="one run of a graph in a step; empty where no backward is among them",
    order="as they ran",
    columns=(
        Column(name="run", type=Type.INT, help="position in the step, from 0"),
        Column(name="graph", type=Type.TEXT, help="the graph"),
        Column(name="before_bytes", type=Type.INT, help=f"bytes alive before it, {_ABOVE}"),
        Column(name="peak_bytes", type=Type.INT, help=f"the most bytes alive in it, {_ABOVE}"),
        Column(name="after_bytes", type=Type.INT, help=f"bytes alive after it, {_ABOVE}"),
        Column(
            name="pool_bytes",
            type=Type.INT,
            help="what a graph that a CUDA graph replays needs above its start: it lies in the pool"
            " of the CUDA graph all the time; null for all others",
            nullable=True,
        ),
        Column(
            name="order",
            type=Type.TEXT,
            help="recorded where a profile shows the order of the runs, else assumed",
        ),
    ),
)


def rows_of_runs(step: StepMemory) -> Iterator[dict[str, Cell]]:
    """A row per run."""
    for at, run in enumerate(step.runs):
        yield {
            "run": at,
            "graph": run.graph,
            "before_bytes": run.before,
            "peak_bytes": run.peak,
            "after_bytes": run.after,
            "pool_bytes": run.pool,
            "order": "recorded" if step.is_recorded else "assumed",
        }
