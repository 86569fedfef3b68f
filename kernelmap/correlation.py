"""The Correlation that users hold: launches with calls, tables, evidence, and ways to show them.

c = kernelmap.correlate("output_code.py", "profile.json")
c.ops, c.calls, c.ledger          # DataFrames, columns as in views/schema.py
c.to_html("report.html")

What answers a further question (advice, evidence, another form of the trace) is imported with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kernelmap.advice import Advice, Case, ProfiledRun, advise_on_case
from kernelmap.advice.savings import Savings, find_gpu_savings, find_savings, measure_steps
from kernelmap.annotating import Annotated, annotate
from kernelmap.attribution import Attribution
from kernelmap.attribution.moments import rows_of_correlation, running_at
from kernelmap.attribution.where import locate_hits
from kernelmap.attribution.window import Unrecorded
from kernelmap.commands import ask_again
from kernelmap.compiler import sharing_trees
from kernelmap.errors import UsageError
from kernelmap.matching import Match
from kernelmap.matching.explaining.explain import Explanation, explain_call, explain_launch
from kernelmap.matching.explaining.hits import Hit
from kernelmap.matching.explaining.which import find_kernels
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.learnt import Learnt
from kernelmap.model.notices import join_some
from kernelmap.model.program import source_files
from kernelmap.model.trace import Int
from kernelmap.model.work import CodeEvidence, Work
from kernelmap.options import Options
from kernelmap.outputs.code_margin import render_margin
from kernelmap.outputs.result import Result, Source
from kernelmap.roofline.measure import measure_roofline
from kernelmap.roofline.records import Roofline
from kernelmap.suggestions import did_you_mean
from kernelmap.traces import moment_places
from kernelmap.traces.recorded_arguments import recorded_runs
from kernelmap.views.summary import Summary, summarize
from kernelmap.views.tables import Tables, build_tables
from kernelmap.wall.critical import exposed_ns
from kernelmap.wall.measure import Wall, wall_time
from kernelmap.wall.records import IdleTable, WallTime, WallTimes
from kernelmap.wall.rows import wall_rows
from kernelmap.workload import steps_in_words, symbolic_graphs, work_and_evidence

if TYPE_CHECKING:  # brings pandas and plotly
    from kernelmap.outputs.roofline import RooflineResult

_NAMED = 4  # inputs in the title of a report
_LINE = re.compile(r"\.py:\d+$")


@dataclass(frozen=True, kw_only=True, repr=False)
class Correlation(Result):
    """Launches paired with calls, and the window's time split; tables are made when asked for.

    `inputs` are the files and folders that were given, `options` the choices, `unrecorded` counts
    launches without an activity, `learnt` is what the runs of --like taught. `trees` has the syntax
    trees of the code until its work is asked for.
    """

    inputs: tuple[Path, ...]
    trace: Trace
    match: Match
    attribution: Attribution
    notices: tuple[Notice, ...]
    unrecorded: Unrecorded = field(default_factory=Unrecorded)
    learnt: tuple[Learnt, ...] = ()
    trees: dict[str, ast.Module] = field(default_factory=dict, compare=False)
    options: Options = field(default_factory=Options)

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
        limits = (self.options.device_limits,) if self.options.device_limits is not None else ()
        return (*self.inputs, *map(Path, read), *limits)

    @property
    def name(self) -> str | None:
        """The names of the inputs as they were given, where a folder is among them."""
        # The runs of --like are no part of what the result is of.
        given = [path for path in self.inputs if path not in self.options.like]
        names = [path.resolve().name for path in given]
        if not all(names) or not any(path.is_dir() for path in given):
            return None
        more = len(names) - _NAMED
        return " · ".join([*names[:_NAMED], *([f"{more} more"] if more > 0 else [])])

    @property
    def summary(self) -> Summary:
        """The window in numbers, without making the tables."""
        return summarize(self.program, self.trace, self.attribution)

    def again(self, *words: str) -> str:
        """The command line that asks `words` of the same inputs, such as `explain`, `17`."""
        # The runs of --like stand last among the inputs, and are added as an option.
        own = self.inputs[: len(self.inputs) - len(self.options.like)]
        return ask_again(words, own, self.options)

    @property
    def records(self) -> Correlation:
        """Itself: program, trace, matching, attribution and advice."""
        return self

    @cached_property
    def tables(self) -> Tables:
        """All tables, checked against views/schema.py."""
        speeds = self.speeds
        noted = speeds.notices if speeds else ()
        above = (notice for notice in noted if notice.slug == "above-the-limit")
        return build_tables(
            self.program,
            self.trace,
            self.matching,
            self.attribution,
            (*self.notices, *above),
            roofline=speeds,
            times=(lambda: self._wall_columns) if self.options.wall else None,
            find_savings=(lambda: self.savings) if self.options.wall else None,
        )

    @cached_property
    def speeds(self) -> Roofline | None:
        """The work of calls against the limits of their device, None where it is not asked for."""
        return self._measured(self.options.device_limits) if self.options.work else None

    @cached_property
    def speeds_in_steps(self) -> Roofline | None:
        """The same with the part of the headroom that could shorten steps, None where unknown."""
        if not (self.options.work and self.options.wall) or self._exposed_ns is None:
            return None
        return self._measured(self.options.device_limits, exposed_ns=self._exposed_ns)

    @cached_property
    def step_headroom_ns(self) -> Mapping[int, int]:
        """By position of a call the part of its headroom that could shorten steps, where known."""
        calls = self.speeds_in_steps.calls if self.speeds_in_steps else ()
        parts = ((speed.call, speed.step_headroom_ns) for speed in calls)
        return {call: part_ns for call, part_ns in parts if part_ns is not None}

    @cached_property
    def wall_times(self) -> tuple[WallTime, ...]:
        """Where the wall time of each step goes on each GPU, and why it is idle."""
        return tuple(self._wall_columns)

    @cached_property
    def _wall_columns(self) -> WallTimes:
        """The same as columns: a long profile has thousands of them."""
        places_at = partial(moment_places, self.trace, files=source_files(self.program))
        records = (self.program, self.trace, self.matching, self.attribution)
        return wall_rows(self._wall(), *records, places_at)

    @cached_property
    def savings(self) -> Savings:
        """What the steps could save at most, the largest first: one list for all answers."""
        measured = self._measured(self.options.device_limits, exposed_ns=self._exposed_ns)
        return self._savings(measured)

    @property
    def first_savings(self) -> Savings:
        """The same list as far as its first line: without the calls, where none can be first.

        What calls can save needs the code to be read once more.
        """
        if "savings" in vars(self) or self._exposed_ns is None:
            return self.savings
        known = self._savings(None)
        # No call can save more of the steps than what they wait for its launches, so this sum
        # bounds all savings of calls. What is known without them may be larger, and then is first.
        counted = self.attribution.counted & (self.matching.call >= 0)
        most_ns = int(self._exposed_ns[counted].sum())
        return known if known.first and known.first.saves_ns >= most_ns else self.savings

    def _savings(self, roofline: Roofline | None) -> Savings:
        records = (self.program, self.trace, self.match, self.attribution)
        command = self.again("doctor")
        # Without the host side nothing is known of steps, and GPU time is what can be saved.
        if self._lacks_host_side and roofline is not None:
            return replace(find_gpu_savings(*records, roofline), command=command)
        places_at = partial(moment_places, self.trace, files=source_files(self.program))
        step = measure_steps(*records, self._wall(with_cpu=True), places_at)
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

    def roofline(self, limits: Source | None = None) -> RooflineResult:
        """The bytes and operations of the window's calls against their device's limits.

        `limits` is a file with the limits of devices, as `--device-limits` takes it; without one
        that of the options is used. Raises KernelmapError where it cannot be used.
        """
        from kernelmap.outputs.roofline import RooflineResult
        from kernelmap.views.roofline import build_frames

        user_file = self.options.device_limits if limits is None else Path(limits)
        measured = self._measured(user_file, exposed_ns=self._exposed_ns)
        idle_ns = None if self._exposed_ns is None else self._idle_and_exposed[0].total_ns
        # The list that is kept was made with the limits of the options.
        saved = self.savings if limits is None else self._savings(measured)
        tables = build_frames(
            self.program, self.attribution, measured, idle_ns=idle_ns, savings=saved
        )
        files = self.files if limits is None else (*self.files, Path(limits))
        return RooflineResult(tables=tables, inputs=files)

    @property
    def _lacks_host_side(self) -> bool:
        """Whether GPU launches are all that was recorded."""
        return not len(self.trace.apis) and not len(self.trace.ranges)

    def _measured(self, limits: Path | None, *, exposed_ns: Int | None = None) -> Roofline:
        works, evidence = self._work
        return measure_roofline(
            self.program,
            self.trace,
            self.matching,
            self.attribution,
            works,
            limits,
            evidence=evidence,
            idle=lambda: self._idle_and_exposed[0],
            exposed_ns=exposed_ns,
        )

    def _wall(self, *, with_cpu: bool = False) -> Wall:
        """The steps of the devices, cut up; not kept, since it holds the host side's columns."""
        attribution, reason = self.attribution, self.matching.reason
        return wall_time(
            self.trace, attribution.counted, attribution.step, reason, with_cpu=with_cpu
        )

    @cached_property
    def _idle_and_exposed(self) -> tuple[IdleTable, Int | None]:
        """When the devices were idle and why; the time of each launch that its step waits for.

        The time is None where no GPU has a step.
        """
        wall = self._wall(with_cpu=True)
        has_gpu_steps = any(not step.on_cpu for step in wall.steps)
        return wall.idle, exposed_ns(wall, self.trace) if has_gpu_steps else None

    @property
    def _exposed_ns(self) -> Int | None:
        return self._idle_and_exposed[1]

    @cached_property
    def _work(self) -> tuple[tuple[Work, ...], Callable[[], CodeEvidence]]:
        """What the code says of calls; it is read a second time for that, and not parsed again."""
        runs, graphs = None, symbolic_graphs(self.program)
        if graphs:
            counted = self.attribution.counted
            runs = recorded_runs(self.program, self.trace, self.matching, counted, graphs)
        with sharing_trees(self.trees):
            made = work_and_evidence(self.program, runs)
        self.trees.clear()
        return made

    def explain(self, target: str) -> Explanation:
        """The evidence for a launch (`17`) or a call (`0_forward/3`); UsageError for any other."""
        if target.isdecimal():
            count = len(self.trace.launches)
            # The length is looked at first: Python converts no text of thousands of digits.
            if len(target) <= len(str(count)) and int(target) < count:
                return self._explained(int(target))
            hint = f"The trace has launches 0 to {count - 1}; --by launch lists them."
            raise UsageError("no-such-launch", f"there is no launch {target}", hint)

        for position, (graph, call) in enumerate(self.program.calls):
            if graph.call_id(call) == target:
                steps = tuple(steps_in_words(self.program, position))
                return replace(explain_call(self.match, position), steps=steps)
        calls = {graph.call_id(call): call.wrapper for graph, call in self.program.calls}
        # Names by which a call may be meant, for the hint.
        of_wrapper = [call for call, wrapper in calls.items() if wrapper == target]
        meant = (
            f"It is the wrapper of {join_some(of_wrapper)}."
            if of_wrapper
            else did_you_mean(target, calls)
        )
        form = "Name a call as `<graph>/<index>`; --by call lists them."
        if _LINE.search(target):
            form = f"It is a source line: `{self.again('correlate', '--by', 'line')}` has those."
        hint = f"{meant} {form}".strip()
        raise UsageError("no-such-call", f"there is no call {target!r}", hint)

    def _explained(self, row: int) -> Explanation:
        """The evidence for one launch, with the function that it came from where frames tell."""
        explanation, known = explain_launch(self.match, row), self.attribution.launch_places
        at = int(known.code[row])
        # No Python frame around the launch is known.
        if at < 0:
            return explanation
        what = "autograd's backward of Python code" if known.is_backward[row] else "Python code"
        frame = f"launched by {what} {known.places[at].name}"
        return replace(explanation, evidence=(*explanation.evidence, frame))

    def annotate(self, target: Source) -> Annotated:
        """Write the traces once more for a viewer, with what was found; see annotating.py."""
        # Only code says what work is, and a profile without any takes long to ask.
        has_code = any(graph.text is not None for graph in self.program.graphs)
        is_asked = has_code or self.options.device_limits is not None
        return annotate(self, Path(target), self.files, speeds=self.speeds if is_asked else None)

    def annotated_code(self) -> str:
        """The generated code with the window's time in its margin."""
        return render_margin(self.program, self.matching, self.attribution)

    def which(self, name: str) -> tuple[Hit, ...]:
        """The kernels that `name` may stand for, with this run's launches divided over them."""
        hits = find_kernels(name, self.program, self.match, self.attribution.call_ops)
        return locate_hits(hits, self.match, self.attribution)

    def at(self, time: str) -> tuple[Explanation, ...]:
        """The evidence for what ran at a time of the profiler's own timeline (`12.5s`, `80us`).

        Raises UsageError for what is no time, and where nothing ran.
        """
        return tuple(self._explained(row) for row in running_at(self.trace, time))

    def correlated(self, number: int) -> tuple[Explanation, ...]:
        """The evidence for the launches of one correlation id; UsageError where there are none."""
        return tuple(self._explained(row) for row in rows_of_correlation(self.trace, number))
