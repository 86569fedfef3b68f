"""Two simulated runs of one program: one that knows its calls, and one that says little.

`learnt(program, world, folder)` is what the first teaches; `judged(…)` is what is made of the
second, held against its truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelmap.matching import Match, match_launches, match_like
from kernelmap.matching.references.learning import learned_sequences
from kernelmap.model import CompiledProgram, Confidence, Trace
from kernelmap.model.learnt import Learnt
from kernelmap.traces import load_trace
from worlds import SimulatedTrace, Truth, World, simulate
from worlds.nsys import Export, write_nsys

NO_CODE = CompiledProgram(graphs=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Shares of the compiled GPU time; `outside` is what was claimed of other time."""

    right: float
    wrong: float
    outside: float
    exact: bool
    result: Match


def learnt(program: CompiledProgram, world: World, folder: Path, name: str = "bundle") -> Learnt:
    """The lesson of one simulated run."""
    path = folder / f"{name}.json"
    simulate(program, world).write_kineto(path)
    result = match_launches(program, load_trace(path))
    sequences = learned_sequences(result.context, result.matching)
    return Learnt(program=result.program, sequences=sequences, source=name)


def judged(
    program: CompiledProgram,
    simulated: SimulatedTrace,
    folder: Path,
    like: Sequence[Learnt] = (),
    *,
    nsys: bool = False,
    cut_ns: int = 0,
) -> Judged:
    """Match a simulated run by its file, a Kineto trace or a bare export of Nsight Systems.

    Of an export, what lies before `cut_ns` was not recorded.
    """
    path = folder / ("production.sqlite" if nsys else "production.json")
    path.unlink(missing_ok=True)
    if nsys:
        write_nsys(path, [simulated], Export(ranges=False, crossing=False, cut_ns=cut_ns))
    else:
        simulated.write_kineto(path)
    trace = load_trace(path)
    result = match_like(program, trace, like) if like else match_launches(program, trace)
    return _judge(result, trace, _truth(simulated, trace, nsys=nsys))


def _truth(simulated: SimulatedTrace, trace: Trace, *, nsys: bool) -> list[Truth]:
    """The truth of each launch of `trace`."""
    launches = trace.launches
    if not nsys:
        by_event = {true.event: true for true in simulated.truth}
        return [by_event[event] for event in launches.event.tolist()]
    by_id = {(true.correlation, true.node or -1): true for true in simulated.truth}
    ids = zip(launches.correlation.tolist(), launches.graph_node.tolist(), strict=True)
    return [by_id[true] for true in ids]


def _judge(result: Match, trace: Trace, truth: Sequence[Truth]) -> Judged:
    compiled = right = wrong = outside = 0
    for true, call, dur in zip(
        truth, result.matching.call.tolist(), trace.launches.dur_ns.tolist(), strict=True
    ):
        compiled += dur if true.call is not None else 0
        if call >= 0:
            graph, wrapper_call = result.program.calls[call]
            if (graph.id, wrapper_call.index) == (true.graph, true.call):
                right += dur
            elif true.call is None:
                outside += dur
            else:
                wrong += dur
    return Judged(
        right=right / compiled,
        wrong=wrong / compiled,
        outside=outside / compiled,
        exact=bool(result.matching.with_confidence(Confidence.EXACT).any()),
        result=result,
    )
