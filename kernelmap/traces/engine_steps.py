"""The steps of a serving engine, from its ranges: kind, requests and tokens.

Where the engine's profiler opens a `ProfilerStep` around each, that stays the step, with its
number, and is told what the engine's range in it says. In a process without such ranges the
engine's own ranges are the steps, numbered from 0 in the order of time. Of ranges in one another
the outermost is the step.

Without those, the parts of vLLM's model runner show steps: one goes from the beginning of
`gpu_model_runner: preprocess` to the end of the last part before the next one. Their kind is not
known.

A step that captures CUDA graphs is no step of service: it is left out like a piece of a step, and
`--steps` counts it nevertheless. What an engine runs to warm up has no such range.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace

from kernelmap.facts.api_calls import begins_capture
from kernelmap.facts.engines import EngineStep, engine_step, runner_part
from kernelmap.model.columns import by_name
from kernelmap.model.steps import step_positions
from kernelmap.model.trace import Incomplete, Ranges, Step, Trace

_FIRST_PART = "preprocess"


def with_engine_steps(steps: Sequence[Step], trace: Trace) -> list[Step]:
    """All steps of a linked trace in the order of time; `steps` are its `ProfilerStep` ranges."""
    own = _steps_of_ranges(trace.ranges) or _steps_of_parts(trace.ranges)
    if not own:
        return list(steps)
    profiled = {step.process for step in steps}
    # By process with ProfilerStep ranges what they are told, else steps of their own.
    told = _tell_kinds(steps, own)
    alone = _number(step for step in own if step.process not in profiled)
    together = _leave_out_captures([*told, *alone], trace)
    return sorted(together, key=lambda step: (step.start_ns, step.process, step.number))


def _steps_of_ranges(ranges: Ranges) -> list[Step]:
    """The engine's ranges as steps, the outermost ones, each once, without numbers."""
    said = {at: it for at, name in enumerate(ranges.names) if (it := engine_step(name))}
    rows = np.flatnonzero(np.isin(ranges.name_id, list(said)))
    steps = {_step_of_range(ranges, int(row), said[int(ranges.name_id[row])]) for row in rows}
    outermost: list[Step] = []
    ends: dict[int, int] = {}
    # Of those that begin together the longest stands first, and holds the others.
    for step in sorted(steps, key=lambda it: (it.process, it.start_ns, -it.end_ns)):
        if step.end_ns > ends.get(step.process, step.start_ns):
            outermost.append(step)
            ends[step.process] = step.end_ns
    return outermost


def _step_of_range(ranges: Ranges, row: int, said: EngineStep) -> Step:
    return Step(
        number=0,
        start_ns=int(ranges.start_ns[row]),
        end_ns=int(ranges.start_ns[row] + ranges.dur_ns[row]),
        process=int(ranges.process[row]),
        engine=said.engine,
        kind=said.kind,
        batch=said.batch,
        tokens=said.tokens,
    )


def _steps_of_parts(ranges: Ranges) -> list[Step]:
    """Steps by the parts that vLLM's model runner has ranges for; one cut at its start has none."""
    parts = {at: part for at, name in enumerate(ranges.names) if (part := runner_part(name))}
    rows = np.flatnonzero(np.isin(ranges.name_id, list(parts)))
    rows = rows[np.lexsort((ranges.start_ns[rows], ranges.process[rows]))]
    steps: list[Step] = []
    for row in rows.tolist():
        said = EngineStep(engine="vLLM")
        piece = _step_of_range(ranges, row, said)
        if parts[int(ranges.name_id[row])] == _FIRST_PART:
            steps.append(piece)
        elif steps and steps[-1].process == piece.process:
            end_ns = max(steps[-1].end_ns, piece.end_ns)
            steps[-1] = replace(steps[-1], end_ns=end_ns)
    return steps


def _number(steps: Iterable[Step]) -> list[Step]:
    """The same with numbers from 0 per process; they are in the order of time."""
    numbers: dict[int, int] = {}
    numbered = []
    for step in steps:
        number = numbers.get(step.process, 0)
        numbers[step.process] = number + 1
        numbered.append(replace(step, number=number))
    return numbered


def _tell_kinds(steps: Sequence[Step], own: Sequence[Step]) -> list[Step]:
    """`ProfilerStep` steps with what the engine says of the one step that begins in each."""
    process = np.array([step.process for step in own], dtype=np.int64)
    begins = np.array([step.start_ns for step in own], dtype=np.int64)
    positions = step_positions(steps, process, begins).tolist()
    inside: dict[int, list[Step]] = {}
    for at, step in zip(positions, own, strict=True):
        inside.setdefault(at, []).append(step)
    told = []
    for at, step in enumerate(steps):
        found = inside.get(at, ())
        if len(found) == 1:
            (it,) = found
            told.append(
                replace(step, engine=it.engine, kind=it.kind, batch=it.batch, tokens=it.tokens)
            )
        else:
            # Several engine steps in one: of which kind all of it is, nobody says.
            told.append(replace(step, engine=found[0].engine) if found else step)
    return told


def _leave_out_captures(steps: Sequence[Step], trace: Trace) -> list[Step]:
    """The same; those of an engine in which a capture begins are no complete steps.

    A training loop that captures in a step of its own also trains in it.
    """
    apis = trace.apis
    rows = np.flatnonzero(by_name(apis.name_id, [begins_capture(name) for name in apis.names]))
    captures = set(step_positions(steps, apis.process[rows], apis.start_ns[rows]).tolist())
    return [
        replace(step, incomplete=Incomplete.CAPTURES) if at in captures and step.engine else step
        for at, step in enumerate(steps)
    ]
