"""The Correlation that users hold: launches with calls, tables, evidence, and ways to show them.

c = kernelmap.correlate("output_code.py", "profile.json")
c.ops, c.calls, c.ledger          # DataFrames, columns as in views/schema.py
c.to_html("report.html")
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.advice import Advice, Case, Run, advise
from kernelmap.annotating import Annotated, annotate
from kernelmap.attribution import Attribution
from kernelmap.attribution.moments import correlated, running_at
from kernelmap.attribution.unrecorded import Unrecorded
from kernelmap.attribution.where import located
from kernelmap.errors import UsageError
from kernelmap.matching import Match
from kernelmap.matching.explaining.explain import Explanation, explain_call, explain_launch
from kernelmap.matching.explaining.hits import Hit
from kernelmap.matching.explaining.which import find
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.learnt import Learnt
from kernelmap.outputs.result import Result, Source
from kernelmap.traces import moment_lines

if TYPE_CHECKING:  # heavy: loaded when a table is first asked for
    from kernelmap.outputs.roofline import RooflineResult
    from kernelmap.views.summary import Summary
    from kernelmap.views.tables import Tables
    from kernelmap.wall.records import WallTime


@dataclass(frozen=True, kw_only=True, repr=False)
class Correlation(Result):
    """Launches paired with calls, and the window's time split; tables are made when asked for.

    `inputs` are the files and folders that were given, `unrecorded` counts launches without an
    activity, `learnt` is what the runs of --like taught.
    """

    inputs: tuple[Path, ...]
    trace: Trace
    match: Match
    attribution: Attribution
    notices: tuple[Notice, ...]
    unrecorded: Unrecorded = field(default_factory=Unrecorded)
    learnt: tuple[Learnt, ...] = ()

    @property
    def program(self) -> CompiledProgram:
        """The given graphs, then those that only the trace knows."""
        return self.match.program

    @property
    def matching(self) -> Matching:
        """Columns parallel to `trace.launches`."""
        return self.match.matching

    @property
    def files(self) -> tuple[Path, ...]:
        """What was given, and all that was read inside of it and beside the code."""
        captured = dict.fromkeys(graph.source for graph in self.trace.captured)
        taught = (file for run in self.learnt for file in run.files)
        read = (*self.trace.sources, *captured, *self.program.files, *taught)
        return (*self.inputs, *map(Path, read))

    @property
    def summary(self) -> Summary:
        """The window in numbers, without making the tables."""
        from kernelmap.views.summary import summarize

        return summarize(self.program, self.trace, self.attribution)

    @property
    def records(self) -> Correlation:
        """Itself: program, trace, matching, attribution and advice."""
        return self

    @cached_property
    def tables(self) -> Tables:
        """All tables, checked against views/schema.py."""
        from kernelmap.views.tables import build

        def times() -> tuple[WallTime, ...]:
            return self.wall_times

        parts = (self.program, self.trace, self.matching, self.attribution)
        return build(*parts, self.notices, times)

    @cached_property
    def wall_times(self) -> tuple[WallTime, ...]:
        """Where the wall time of each step goes on each GPU, and why it is idle."""
        from kernelmap.wall.measure import wall_time
        from kernelmap.wall.rows import wall_rows

        wall = wall_time(self.trace, self.attribution.counted, self.attribution.step)
        lines_at = partial(moment_lines, self.trace)
        records = (self.program, self.trace, self.matching, self.attribution)
        return wall_rows(wall, *records, lines_at)

    @cached_property
    def advice(self) -> Advice:
        """What is missing for a better answer, worst first."""
        run = Run(
            trace=self.trace,
            match=self.match,
            side=self.attribution.side,
            counted=self.attribution.counted,
            step=self.attribution.step,
            step_time=self.attribution.step_time,
            unrecorded=self.unrecorded,
            slow=self.attribution.slow(self.program),
        )
        return advise(Case(program=self.program, notices=self.notices, run=run))

    def roofline(self, limits: Source | None = None) -> RooflineResult:
        """The bytes and operations of the window's calls against their device's limits.

        `limits` is a file with the limits of devices, as `--device-limits` takes it. Raises
        KernelmapError where it cannot be used.
        """
        from kernelmap.outputs.roofline import RooflineResult
        from kernelmap.roofline.measure import roofline
        from kernelmap.views.roofline import build
        from kernelmap.workload import evidence, works

        user_file = None if limits is None else Path(limits)
        of_calls = works(self.program)
        measured = roofline(
            self.program,
            self.trace,
            self.matching,
            self.attribution,
            of_calls,
            user_file,
            evidence=evidence(self.program, of_calls),
        )
        tables = build(self.program, self.attribution, measured)
        files = self.files if user_file is None else (*self.files, user_file)
        return RooflineResult(tables=tables, inputs=files)

    def explain(self, target: str) -> Explanation:
        """The evidence for a launch (`17`) or a call (`0_forward/3`); UsageError for any other."""
        if target.isdecimal():
            count = len(self.trace.launches)
            if len(target) <= len(str(count)) and int(target) < count:
                return self._explained(int(target))
            hint = f"The trace has launches 0 to {count - 1}; --by launch lists them."
            raise UsageError("no-such-launch", f"there is no launch {target}", hint)
        for position, (graph, call) in enumerate(self.program.calls):
            if graph.call_id(call) == target:
                return explain_call(self.match, position)
        hint = "Name a call as `<graph>/<index>`; --by call lists them."
        raise UsageError("no-such-call", f"there is no call {target!r}", hint)

    def _explained(self, row: int) -> Explanation:
        """The evidence for one launch, with the line that it came from where frames tell."""
        explanation, lines = explain_launch(self.match, row), self.attribution.launch_lines
        at = int(lines.code[row])
        if at < 0:
            return explanation
        line = lines.lines[at]
        frame = f"launched by Python code {line.code}, which begins at {line.file}:{line.line}"
        return replace(explanation, evidence=(*explanation.evidence, frame))

    def annotate(self, target: Source) -> Annotated:
        """Write the traces once more for a viewer, with what was found; see annotating.py."""
        return annotate(self, Path(target), self.files)

    def annotated_code(self) -> str:
        """The generated code with the window's time in its margin."""
        from kernelmap.outputs.code_margin import render

        return render(self.program, self.matching, self.attribution)

    def which(self, name: str) -> tuple[Hit, ...]:
        """The kernels that `name` may stand for, with this run's launches divided over them."""
        hits = find(name, self.program, self.match, self.attribution.call_ops)
        return located(hits, self.match, self.attribution)

    def at(self, time: str) -> tuple[Explanation, ...]:
        """The evidence for what ran at a time of the profiler's own timeline (`12.5s`, `80us`).

        Raises UsageError for what is no time, and where nothing ran.
        """
        return tuple(self._explained(row) for row in running_at(self.trace, time))

    def correlated(self, number: int) -> tuple[Explanation, ...]:
        """The evidence for the launches of one correlation id; UsageError where there are none."""
        return tuple(self._explained(row) for row in correlated(self.trace, number))
