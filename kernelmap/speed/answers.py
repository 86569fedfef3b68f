"""What is asked about the speed of one correlation: work, limits, wall time, savings, advice.

The door of speed/: `Correlation` opens it when the first such question comes up, and each answer is
made once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import prod
from pathlib import Path

from msgspec.structs import replace

from kernelmap.attribution import Attribution
from kernelmap.attribution.kernel_counters import CountedLaunches
from kernelmap.attribution.window import Unrecorded
from kernelmap.compiler import sharing_trees
from kernelmap.matching import Match
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.advice import Advice
from kernelmap.model.program import source_files
from kernelmap.model.roofline import Roofline, StepUse
from kernelmap.model.savings import Savings
from kernelmap.model.steps import KindAndBatch
from kernelmap.model.trace import Bool, Int, Small
from kernelmap.model.wall_time import DeviceStep, IdleTable, WallTimes
from kernelmap.model.work import CodeEvidence, Work
from kernelmap.options import Options
from kernelmap.speed.advice import Case, ProfiledRun, advise_on_case
from kernelmap.speed.advice.savings import find_gpu_savings, find_savings, measure_steps
from kernelmap.speed.limits.measure import measure_roofline, with_exposed_times, with_wall_times
from kernelmap.speed.limits.step_uses import use_by_kind_and_batch
from kernelmap.speed.wall.critical import exposed_ns
from kernelmap.speed.wall.measure import Wall, wall_time
from kernelmap.speed.wall.rows import wall_rows
from kernelmap.speed.work import (
    sizes_of_runs,
    steps_in_words,
    symbolic_graphs,
    work_and_evidence,
)
from kernelmap.traces import moment_places
from kernelmap.traces.collectives import collectives_by_file
from kernelmap.traces.occupancy import read_occupancies
from kernelmap.traces.recorded_arguments import recorded_runs


@dataclass(frozen=True, kw_only=True)
class SpeedAnswers:
    """The answers for one correlation; the fields are the correlation's.

    `again` gives the command line that asks something of the same inputs. `trees` has the syntax
    trees of the code until the work of its calls is asked for.
    """

    trace: Trace
    match: Match
    attribution: Attribution
    notices: tuple[Notice, ...]
    unrecorded: Unrecorded
    options: Options
    again: Callable[..., str]
    trees: dict[str, ast.Module] = field(compare=False)
    counted: CountedLaunches | None = None

    @property
    def program(self) -> CompiledProgram:
        """The given graphs, then those that only the trace knows."""
        return self.match.program

    @property
    def matching(self) -> Matching:
        """Columns parallel to `trace.launches`."""
        return self.match.matching

    @cached_property
    def speeds(self) -> Roofline | None:
        """The work of calls against the limits of their device, None where it is not asked for."""
        return self.measure(self.options.device_limits) if self.options.work else None

    @cached_property
    def speeds_in_steps(self) -> Roofline | None:
        """The same with the part of the headroom that could shorten steps, None where unknown."""
        if not (self.options.work and self.options.wall) or self.exposed_ns is None:
            return None
        return self.measure_in_steps(self.options.device_limits)

    def measure(self, limits: Path | None) -> Roofline:
        """The work of calls against `limits`, a file of them that goes before the table's."""
        works, evidence = self._work
        return measure_roofline(
            self.program,
            self.trace,
            self.matching,
            self.attribution,
            works,
            limits,
            evidence=evidence,
            idle=lambda: self.idle,
            stated=lambda: collectives_by_file(self.trace),
            find_occupancies=lambda names: read_occupancies(self.trace, names),
            counted=self.counted,
        )

    def measure_in_steps(self, limits: Path | None) -> Roofline:
        """As `measure`, with the part of the headroom that could shorten steps, where known."""
        known = self.speeds if limits == self.options.device_limits else None
        measured = known or self.measure(limits)
        measured = with_wall_times(measured, self._steps)
        if self.exposed_ns is None:
            return measured
        records = (self.program, self.attribution, self.matching)
        return with_exposed_times(measured, *records, self.exposed_ns)

    @cached_property
    def wall_columns(self) -> WallTimes:
        """Where the wall time of each step goes on each GPU, as columns of thousands of rows."""
        places_at = partial(moment_places, self.trace, files=source_files(self.program))
        records = (self.program, self.trace, self.matching, self.attribution)
        # Operators of the CPU are no table's: where they stand in for a device, no GPU has a step.
        wall = wall_time(*self._window) if self._has_cpu_steps else self._wall
        made = wall_rows(wall, *records, places_at)
        self._let_go_of_wall("savings")
        return made

    @cached_property
    def savings(self) -> Savings:
        """What the steps could save at most, the largest first: one list for all answers."""
        measured = self.speeds_in_steps or self.measure_in_steps(self.options.device_limits)
        made = self.savings_at(measured)
        self._let_go_of_wall("wall_columns")
        return made

    @property
    def first_savings(self) -> Savings:
        """The same list as far as its first line: without the calls, where none can be first.

        What calls can save needs the code to be read once more.
        """
        if "savings" in vars(self) or self.exposed_ns is None:
            return self.savings
        known = self.savings_at(None)
        # No call can save more of the steps than what they wait for its launches, so this sum
        # bounds all savings of calls. What is known without them may be larger, and then is first.
        counted = self.attribution.counted & (self.matching.call >= 0)
        most_ns = int(self.exposed_ns[counted].sum())
        return known if known.first and known.first.saves_ns >= most_ns else self.savings

    def savings_at(self, roofline: Roofline | None) -> Savings:
        """What the steps could save, those of calls by their headroom in `roofline`."""
        records = (self.program, self.trace, self.match, self.attribution)
        command = self.again("doctor")
        # Without the host side nothing is known of steps, and GPU time is what can be saved.
        if self._lacks_host_side and roofline is not None:
            return replace(find_gpu_savings(*records, roofline), command=command)
        places_at = partial(moment_places, self.trace, files=source_files(self.program))
        step = measure_steps(*records, self._wall, places_at)
        return replace(find_savings(*records, step, roofline), command=command)

    @cached_property
    def advice(self) -> Advice:
        """What steps could save, and what is missing for a better answer."""
        run = ProfiledRun(
            trace=self.trace,
            match=self.match,
            side=self.attribution.side,
            counted=self.attribution.counted,
            step=self.attribution.step,
            step_time=self.attribution.step_time,
            unrecorded=self.unrecorded,
            slow=self.attribution.slow(self.program),
        )
        case = Case(
            program=self.program,
            notices=self.notices,
            run=run,
            roofline=self.speeds,
            again=self.again,
        )
        return replace(advise_on_case(case), savings=self.savings)

    def steps_of_call(self, position: int) -> tuple[str, ...]:
        """What the kernel of a call does, a sentence per step."""
        return tuple(steps_in_words(self.program, position))

    @property
    def uses_of_steps(self) -> Mapping[KindAndBatch, StepUse]:
        """How a serving engine's steps passed on their devices, by kind and batch."""
        speeds = self.speeds
        find_uses = None if speeds is None else speeds.find_uses
        return use_by_kind_and_batch(self.trace, self._steps, self.idle, find_uses)

    @property
    def idle(self) -> IdleTable:
        """When the devices were idle, and why."""
        return self._idle_exposed_steps[0]

    @property
    def exposed_ns(self) -> Int | None:
        """The time of each launch that its step waits for; None where no GPU has a step."""
        return self._idle_exposed_steps[1]

    @property
    def _steps(self) -> tuple[DeviceStep, ...]:
        """The steps of the window on each device."""
        return self._idle_exposed_steps[2]

    @cached_property
    def _idle_exposed_steps(self) -> tuple[IdleTable, Int | None, tuple[DeviceStep, ...]]:
        wall = self._wall
        has_gpu_steps = any(not step.on_cpu for step in wall.steps)
        exposed = exposed_ns(wall, self.trace) if has_gpu_steps else None
        return wall.idle, exposed, wall.steps

    @property
    def _lacks_host_side(self) -> bool:
        """Whether GPU launches are all that was recorded."""
        return not len(self.trace.apis) and not len(self.trace.ranges)

    @property
    def _window(self) -> tuple[Trace, Bool, Int, Small]:
        """What the time of steps is taken from."""
        attribution = self.attribution
        return self.trace, attribution.counted, attribution.step, self.matching.reason

    @cached_property
    def _wall(self) -> Wall:
        """The steps of the devices, cut up; where no GPU ran anything, those of the CPU.

        It holds columns of the host side, and goes as soon as nothing is left to be made of it.
        """
        return wall_time(*self._window, with_cpu=True)

    @property
    def _has_cpu_steps(self) -> bool:
        return any(step.on_cpu for step in self._wall.steps)

    def _let_go_of_wall(self, other: str) -> None:
        """Drop the pieces of the steps if `other`, too, was made of them."""
        if other in vars(self):
            vars(self).pop("_wall", None)

    @cached_property
    def largest_sizes(self) -> Mapping[str, Mapping[str, int]]:
        """By id of a graph the sizes of its symbols, as the arguments of the profile show them.

        Of runs with different sizes those of the largest count: their product is the largest.
        """
        graphs = symbolic_graphs(self.program)
        if not graphs:
            return {}
        counted = self.attribution.counted
        runs = recorded_runs(self.program, self.trace, self.matching, counted, graphs)
        sizes = {self.program.graphs[at].id: sizes_of_runs(self.program, at, runs) for at in runs}
        return {
            graph: max(of_runs, key=lambda one: prod(one.values()))
            for graph, of_runs in sizes.items()
            if of_runs
        }

    @cached_property
    def _work(self) -> tuple[tuple[Work, ...], Callable[[], CodeEvidence]]:
        """What the code says of calls; it is read a second time for that, and not parsed again.

        What the code says of memory may be asked next, so the syntax trees stay for that.
        """
        runs, graphs = None, symbolic_graphs(self.program)
        if graphs:
            counted = self.attribution.counted
            runs = recorded_runs(self.program, self.trace, self.matching, counted, graphs)
        with sharing_trees(self.trees):
            made = work_and_evidence(self.program, runs)
        if not self.options.memory:
            self.trees.clear()
        return made


def advise_on_code(program: CompiledProgram, notices: Sequence[Notice]) -> Advice:
    """What is missing beside code that comes without a profile."""
    return advise_on_case(Case(program=program, notices=tuple(notices)))
