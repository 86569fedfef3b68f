"""The table of a serving engine's steps by kind: prefill, decode, mixed, and their batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kernelmap.attribution.records import Attribution
from kernelmap.model import Trace
from kernelmap.model.roofline import StepUse
from kernelmap.model.steps import KindAndBatch, has_engine_steps, kind_and_batch, step_positions
from kernelmap.model.trace import Step
from kernelmap.tables.rows import Cell, Row, rows_of
from kernelmap.tables.schema import STEP_KINDS

NO_STEP = "(in no step)"

_NO_USE = dict.fromkeys(("step_ns", "busy_ns", "model_flops", "model_known_ns", "mfu"))


def rows_of_step_kinds(trace: Trace, attribution: Attribution) -> list[Row]:
    """A row per kind and batch, longest first; none where no engine marked a step.

    How its steps passed on the device is null (`with_uses` tells it).
    """
    if not has_engine_steps(trace.steps):
        return []
    launches = trace.launches
    rows = np.flatnonzero(attribution.counted)
    position = step_positions(trace.steps, launches.process, trace.launch_time_ns)[rows]
    # What counts as no step has no number in the window, as pieces of steps have none.
    position[attribution.step[rows] < 0] = -1
    # Time and launches per step, the last is that of no step; (steps + 1,).
    time_ns = np.zeros(len(trace.steps) + 1, dtype=np.int64)
    np.add.at(time_ns, position, launches.dur_ns[rows])
    number = np.zeros(len(trace.steps) + 1, dtype=np.int64)
    weight = np.ones(len(rows), dtype=np.int64)
    if launches.stands_for is not None:
        weight = launches.stands_for[rows]
    np.add.at(number, position, weight)

    # By key the positions of its steps. One without a launch ran elsewhere, or not in the window.
    kinds: dict[KindAndBatch, list[int]] = defaultdict(list)
    for at, step in enumerate(trace.steps):
        if number[at]:
            kinds[kind_and_batch(step)].append(at)
    runs = _longest_runs(trace.steps[at] for members in kinds.values() for at in members)
    records: list[dict[str, Cell]] = [
        _cells_of_kind(key, [trace.steps[at] for at in members])
        | {"launches": int(number[members].sum()), "time_ns": int(time_ns[members].sum())}
        | dict(zip(("run_first", "run_last"), runs[key], strict=True))
        | _NO_USE
        for key, members in kinds.items()
    ]
    if number[-1]:
        none = dict.fromkeys(STEP_KINDS.by_name) | {"kind": NO_STEP, "steps": 0}
        records.append(none | {"launches": int(number[-1]), "time_ns": int(time_ns[-1])})
    for record in records:
        _add_shares(record, attribution.total_ns)
    records.sort(key=lambda row: (-_whole(row, "time_ns"), str(row["kind"]), _whole(row, "batch")))
    return rows_of(STEP_KINDS, records)


def with_uses(rows: Sequence[Row], uses: Mapping[KindAndBatch, StepUse]) -> list[Row]:
    """The rows with how their steps passed on the device, null where `uses` has no word of it."""
    by_key: dict[tuple[Cell, ...], StepUse] = {tuple(key): use for key, use in uses.items()}
    told = []
    for row in rows:
        use = by_key.get((row["kind"], row["engine"], row["batch"]))
        told.append(row if use is None else {**row, **_cells_of_use(use)})
    return told


def _cells_of_use(use: StepUse) -> dict[str, Cell]:
    cells: dict[str, Cell] = {"step_ns": use.step_ns, "busy_ns": use.busy_ns}
    if use.model is None:
        return cells
    known = {"model_flops": use.model.flops, "model_known_ns": use.model.known_ns}
    return cells | known | {"mfu": use.model.mfu}


def _cells_of_kind(key: KindAndBatch, steps: Sequence[Step]) -> dict[str, Cell]:
    kind, engine, batch = key
    tokens = [step.tokens for step in steps]
    said = [it for it in tokens if it is not None]
    return {
        "kind": kind,
        "engine": engine,
        "batch": batch,
        "steps": len(steps),
        # A sum of those that say it alone would seem to be that of all.
        "tokens": sum(said) if len(said) == len(tokens) else None,
    }


def _add_shares(record: dict[str, Cell], total_ns: int) -> None:
    time_ns, steps = _whole(record, "time_ns"), _whole(record, "steps")
    record["share"] = time_ns / total_ns if total_ns else None
    record["mean_ns"] = round(time_ns / steps) if steps else None


def _whole(record: dict[str, Cell], name: str) -> int:
    value = record[name]
    return value if isinstance(value, int) else 0


def _longest_runs(steps: Iterable[Step]) -> dict[KindAndBatch, tuple[int, int]]:
    """By key the first and the last number of the longest run of its steps in one process."""
    longest: dict[KindAndBatch, tuple[int, int]] = {}
    before: Step | None = None
    first = 0
    for step in sorted(steps, key=lambda it: (it.process, it.number)):
        key = kind_and_batch(step)
        goes_on = (
            before is not None
            and (before.process, before.number + 1) == (step.process, step.number)
            and kind_and_batch(before) == key
        )
        first = first if goes_on else step.number
        run = longest.get(key)
        if run is None or step.number - first > run[1] - run[0]:
            longest[key] = (first, step.number)
        before = step
    return longest
