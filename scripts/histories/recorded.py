"""A recording of a GPU, and its noise → as many more recordings of it as a test asks for.

The samples have three steps each, too few to tell anything; what they have is the noise of a real
GPU. So a recording is played again with more steps: each invocation takes what the recorded one
took, times a deviation that a call of its length had in the same recording. And a process is not
the next one: buffers lie elsewhere, caches meet otherwise. Three samples are one model in three
processes; what a call of some length differs by from process to process is drawn from them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from kernelmap.history.compare.numbers.statistics import in_order
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, side_of_result
from kernelmap.pipeline import correlate

PROCESSES = ("cuda_mlp_train", "cuda_names_not_unique", "cuda_provenance_off")
"""Samples of one model, recorded in three processes."""

_TICK = 32  # ns: the clock of the recordings' device counts so
_OTHER_WORK = 1.3  # a call whose invocations differ by more does not do the same in each
_COMPILING = 2.0  # times the usual step; in longer ones the compiler was at work
_NEAREST = 12  # deviations of calls of about a length

Times = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Deviations:
    """Logarithms of ratios, by how long the calls take that had them."""

    lengths: Times
    logs: Times

    @classmethod
    def of(cls, pairs: Iterable[tuple[float, float]]) -> Deviations:
        """From pairs of a length in ns and a logarithm."""
        ordered = np.array(sorted(pairs), dtype=np.float64).reshape(-1, 2)
        return cls(ordered[:, 0], ordered[:, 1])

    def draw(self, length: float, count: int, rng: np.random.Generator) -> Times:
        """So many factors that calls of about this length had."""
        if not len(self.logs):
            return np.ones(count)
        number = min(_NEAREST, len(self.logs))
        near = int(np.searchsorted(self.lengths, length)) - number // 2
        first = min(max(near, 0), len(self.logs) - number)
        return np.asarray(np.exp(rng.choice(self.logs[first : first + number], size=count)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A recording with its own noise from invocation to invocation."""

    side: ComparedSide
    noise: Deviations

    @classmethod
    def of(cls, folder: Path) -> Recorded:
        """A sample, without the steps in which the compiler was at work."""
        whole = side_of_result(correlate(folder).tables, folder.name)
        usual = np.median(list(whole.by_step.values()))
        steps = {at for at, time_ns in whole.by_step.items() if time_ns < _COMPILING * usual}
        rests = [
            replace(rest, by_step={at: rest.by_step.get(at, 0) for at in sorted(steps)})
            for rest in whole.rests
            if rest.by_step
        ]
        calls = [call for graph in whole.graphs for call in graph.calls]
        series = [in_order(call.samples) for call in calls]
        return cls(
            side=replace(whole, rests=tuple(rests)),
            noise=Deviations.of(pair for times in series for pair in _deviations(times)),
        )

    def again(
        self,
        steps: int,
        processes: Deviations,
        rng: np.random.Generator,
        slower: Mapping[str, float] | None = None,
    ) -> ComparedSide:
        """Another recording of as many steps; `slower` are factors by the ids of calls."""
        by_step: dict[int, int] = defaultdict(int)
        recorded = max(self.side.steps or 1, 1)

        def played(times: Times, often: int, factor: float) -> Times:
            level = float(np.median(times)) if len(times) else 0.0
            count = often * steps
            drawn = self.noise.draw(level, count, rng)
            shift = factor * processes.draw(level, 1, rng)[0]
            longer = np.resize(times, count) * drawn * shift
            return np.asarray(np.rint(longer / _TICK) * _TICK)

        def again_call(call: CallSide) -> CallSide:
            times = in_order(call.samples)
            if not len(times):
                return replace(call, launches=0, time_ns=0)
            often = max(1, len(times) // recorded)
            new = played(times, often, (slower or {}).get(call.id, 1.0))
            for at, time_ns in enumerate(new):
                by_step[at // often] += int(time_ns)
            launches = round(call.launches * len(new) / len(times))
            return replace(
                call,
                launches=launches,
                sampled=launches,
                time_ns=int(new.sum()),
                samples={("1", None, at): int(time_ns) for at, time_ns in enumerate(new)},
            )

        graphs = tuple(
            replace(
                graph,
                invocations=max(1, graph.invocations // recorded) * steps
                if graph.invocations
                else 0,
                calls=tuple(map(again_call, graph.calls)),
            )
            for graph in self.side.graphs
        )
        rests = []
        for rest in self.side.rests:
            new = played(np.array(list((rest.by_step or {}).values()), dtype=np.float64), 1, 1.0)
            for at, time_ns in enumerate(new):
                by_step[at] += int(time_ns)
            launches = round(rest.launches * steps / recorded)
            rests.append(
                replace(
                    rest,
                    launches=launches,
                    time_ns=int(new.sum()),
                    by_step={at: int(time_ns) for at, time_ns in enumerate(new)},
                )
            )
        summary = replace(self.side.summary, total_ns=sum(by_step.values()))
        return replace(
            self.side,
            graphs=graphs,
            rests=tuple(rests),
            steps=steps,
            by_step=dict(by_step),
            summary=summary,
        )


def from_process_to_process(recordings: Sequence[ComparedSide]) -> Deviations:
    """What calls of one model differ by from process to process; equal calls have equal ids."""
    medians: dict[str, list[float]] = defaultdict(list)
    for recording in recordings:
        for graph in recording.graphs:
            for call in graph.calls:
                medians[call.id].append(float(np.median(in_order(call.samples))))
    return Deviations.of(
        pair for levels in medians.values() for pair in _deviations(np.array(levels))
    )


def _deviations(times: Times) -> list[tuple[float, float]]:
    """Each time over their median, as a logarithm; none where invocations did other work."""
    if not len(times) or times.min() <= 0 or times.max() > _OTHER_WORK * times.min():
        return []
    level = float(np.median(times))
    return [(level, float(np.log(time_ns / level))) for time_ns in times]
