"""The Correlation that users hold: launches with calls, tables, evidence, and ways to show them.

c = kernelmap.correlate("output_code.py", "profile.json")
c.ops, c.calls, c.ledger          # DataFrames, columns as in tables/schema.py
c.to_html("report.html")

What is asked about speed (work, wall time, savings, advice) is imported when it is first asked.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kernelmap.annotating import Annotated, annotate
from kernelmap.attribution import Attribution
from kernelmap.attribution.kernel_counters import CountedLaunches
from kernelmap.attribution.moments import rows_of_correlation, running_at
from kernelmap.attribution.torch_notes import describe_note
from kernelmap.attribution.where import Around, find_what_is_around, locate_hits
from kernelmap.attribution.window import Unrecorded
from kernelmap.bundles import counted_memory, held_tensors
from kernelmap.commands import ask_again, name_option
from kernelmap.compiler import sharing_trees
from kernelmap.errors import UsageError
from kernelmap.matching import Match
from kernelmap.matching.explaining.arguments import say_arguments
from kernelmap.matching.explaining.explain import Explanation, explain_call, explain_launch
from kernelmap.matching.explaining.hits import Hit
from kernelmap.matching.explaining.which import find_kernels
from kernelmap.model import (
    CompiledGraph,
    CompiledProgram,
    Matching,
    Notice,
    Trace,
    WrapperCall,
)
from kernelmap.model.advice import Advice
from kernelmap.model.bundle import UnprofiledSteps
from kernelmap.model.learnt import Learnt
from kernelmap.model.matching import LaunchInputs
from kernelmap.model.memory import GraphMemory, StepMemory
from kernelmap.model.notices import join_some
from kernelmap.model.paths import Source
from kernelmap.model.roofline import Roofline
from kernelmap.model.savings import Savings
from kernelmap.model.wall_time import WallTime
from kernelmap.options import Options
from kernelmap.origins import distinct_files, versions_stated
from kernelmap.pages.code_margin import render_margin
from kernelmap.pages.memory_of_call import add_memory_to_hits, say_memory_of_call
from kernelmap.pages.memory_result import MemoryResult
from kernelmap.pages.result import Result
from kernelmap.suggestions import did_you_mean
from kernelmap.tables.build import Tables, build_tables
from kernelmap.tables.configuration import Configuration, configuration_of
from kernelmap.tables.memory import build_memory_tables
from kernelmap.tables.memory_measured_rows import build_measured_tables
from kernelmap.tables.summary import Summary, summarize
from kernelmap.traces.operator_inputs import inputs_of_launches
from kernelmap.traces.recorded_arguments import read_recorded_arguments

if TYPE_CHECKING:  # pandas and plotly come with the one, and the other is a leaf
    from kernelmap.pages.roofline_result import RooflineResult
    from kernelmap.speed.answers import SpeedAnswers

_NAMED = 4  # inputs in the title of a report
_LINE = re.compile(r"\.py:\d+$")


@dataclass(frozen=True, kw_only=True, repr=False)
class Correlation(Result):
    """Launches paired with calls, and the window's time split; tables are made when asked for.

    `inputs` are the files and folders that were given, `options` the choices, `unrecorded` counts
    launches without an activity, `learnt` is what the runs of --like taught. `trees` has the syntax
    trees of the code until its work and its memory were asked for, `snapshots` are the memory
    snapshots among the inputs, `counted` is what reports of Nsight Compute say of the launches.
    `unprofiled` is what steps took without a profiler, where the capture measured that.
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
    unprofiled: UnprofiledSteps | None = None
    snapshots: tuple[Path, ...] = ()
    counted: CountedLaunches | None = None

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
        return summarize(self.program, self.trace, self.attribution, self.unprofiled)

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
        """All tables, checked against tables/schema.py."""
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
            times=(lambda: self._speed.wall_columns) if self.options.wall else None,
            memories=(lambda: self.memory_of_graphs)
            if self.options.memory and self._has_code
            else None,
            find_savings=(lambda: self.savings) if self.options.wall else None,
            unprofiled=self.unprofiled,
            find_step_uses=(lambda: self._speed.uses_of_steps) if self.options.wall else None,
            find_inputs=self._find_inputs if self.options.operators else None,
            counted=self.counted,
            find_configuration=lambda: self.configuration,
        )

    @cached_property
    def configuration(self) -> Configuration:
        """Versions and settings that the inputs state: what the recording was made with."""
        versions = versions_stated(self.inputs, distinct_files(self.files))
        return configuration_of(self.program, versions)

    def _find_inputs(self) -> LaunchInputs:
        return inputs_of_launches(self.trace, self.matching)

    @property
    def _has_code(self) -> bool:
        """Whether the code of any graph is given: only that says what memory is for."""
        return any(graph.text is not None for graph in self.program.graphs)

    @cached_property
    def _speed(self) -> SpeedAnswers:
        """The door of speed/, which is loaded where it is asked for."""
        from kernelmap.speed.answers import SpeedAnswers

        return SpeedAnswers(
            trace=self.trace,
            match=self.match,
            attribution=self.attribution,
            notices=self.notices,
            unrecorded=self.unrecorded,
            options=self.options,
            again=self.again,
            trees=self.trees,
            counted=self.counted,
        )

    @property
    def speeds(self) -> Roofline | None:
        """The work of calls against the limits of their device, None where it is not asked for."""
        return self._speed.speeds if self.options.work else None

    @property
    def speeds_in_steps(self) -> Roofline | None:
        """The same with the part of the headroom that could shorten steps, None where unknown."""
        return self._speed.speeds_in_steps

    @property
    def step_headroom_ns(self) -> Mapping[int, int]:
        """By position of a call the part of its headroom that could shorten steps, where known."""
        calls = self.speeds_in_steps.calls if self.speeds_in_steps else ()
        parts = ((speed.call, speed.step_headroom_ns) for speed in calls)
        return {call: part_ns for call, part_ns in parts if part_ns is not None}

    @property
    def wall_times(self) -> tuple[WallTime, ...]:
        """Where the wall time of each step goes on each GPU, and why it is idle."""
        return tuple(self._speed.wall_columns)

    @property
    def savings(self) -> Savings:
        """What the steps could save at most, the largest first: one list for all answers."""
        return self._speed.savings

    @property
    def first_savings(self) -> Savings:
        """The same list as far as its first line: without the calls, where none can be first."""
        return self._speed.first_savings

    @property
    def advice(self) -> Advice:
        """What steps could save, and what is missing for a better answer."""
        return self._speed.advice

    def roofline(self, limits: Source | None = None) -> RooflineResult:
        """The bytes and operations of the window's calls against their device's limits.

        `limits` is a file with the limits of devices, as `--device-limits` takes it; without one
        that of the options is used. Raises KernelmapError where it cannot be used.
        """
        from kernelmap.pages.roofline_result import RooflineResult
        from kernelmap.tables.roofline import build_frames

        user_file = self.options.device_limits if limits is None else Path(limits)
        speed = self._speed
        measured = speed.measure_in_steps(user_file)
        idle_ns = None if speed.exposed_ns is None else speed.idle.total_ns
        # The list that is kept was made with the limits of the options.
        saved = self.savings if limits is None else speed.savings_at(measured)
        tables = build_frames(
            self.program, self.attribution, measured, idle_ns=idle_ns, savings=saved
        )
        files = self.files if limits is None else (*self.files, Path(limits))
        return RooflineResult(tables=tables, inputs=files)

    def memory(
        self, sizes: Mapping[str, int] | None = None, *, as_allocated: bool = False
    ) -> MemoryResult:
        """The memory of each graph by its code: who holds the bytes at the peak, and since when.

        What the profile shows of it (`profile_memory=True`) stands beside, and what memory
        snapshots among the inputs do. `sizes` are numbers for symbols such as `s0`. Where they say
        none, those count that the arguments of the profile show, and then those of the example in
        the code. `as_allocated` rounds sizes up to 512 bytes, as torch's caching allocator does.
        """
        from kernelmap.memory import find_memory_savings, measure_snapshots, measure_trace

        is_usual = not sizes and not as_allocated
        shown = (
            self.memory_of_graphs
            if is_usual
            else self._follow_memory(sizes, as_allocated=as_allocated)
        )
        # What is shown is in the sizes that were asked for; what torch allocates is what the
        # profile's events show.
        measured = measure_trace(
            self.program,
            self.trace,
            self.matching,
            self.options,
            partial(self._follow_memory, sizes, as_allocated=True),
        )
        peaks = measure_snapshots(self.program, self.snapshots)
        step = self._add_up_step(shown)
        savings = find_memory_savings(self.program, shown, step)
        return MemoryResult(
            tables=build_memory_tables(self.program, shown, step, savings),
            in_use=build_measured_tables(
                self.program,
                (self.trace, measured),
                counted_memory(self.inputs),
                peaks,
                held_tensors(self.inputs),
            ),
            inputs=self.files,
            notices=measured.notices,
        )

    @property
    def sizes_of_graphs(self) -> Mapping[str, Mapping[str, int]]:
        """By id of a graph the sizes of its symbols, as the arguments of the profile show them."""
        return self._speed.largest_sizes

    @cached_property
    def memory_of_graphs(self) -> tuple[GraphMemory, ...]:
        """The records of `memory()`: each graph with what it holds, statement by statement."""
        return self._follow_memory()

    def memory_of_some_graphs(self, graphs: Collection[str]) -> tuple[GraphMemory, ...]:
        """The records of some graphs, by their ids: the others are not followed for that."""
        from kernelmap.memory import memory_of_some_graphs

        sizes = self._speed.largest_sizes
        with self._trees_for_the_last_time():
            return memory_of_some_graphs(self.program, graphs, sizes_of_graphs=sizes)

    @cached_property
    def memory_of_step(self) -> StepMemory:
        """The memory over the graphs of a step, in the order in which they ran."""
        return self._add_up_step(self.memory_of_graphs)

    def _follow_memory(
        self, sizes: Mapping[str, int] | None = None, *, as_allocated: bool = False
    ) -> tuple[GraphMemory, ...]:
        from kernelmap.memory import memory_of_program

        known = self._speed.largest_sizes
        # Code is read twice, for its statements and for its example: it is parsed once.
        with self._trees_for_the_last_time():
            return memory_of_program(
                self.program, sizes, sizes_of_graphs=known, as_allocated=as_allocated
            )

    @contextmanager
    def _trees_for_the_last_time(self) -> Iterator[None]:
        """Share the syntax trees of the code, and let go of them: memory is what is asked last."""
        with sharing_trees(self.trees):
            yield
        self.trees.clear()

    def _add_up_step(self, memories: tuple[GraphMemory, ...]) -> StepMemory:
        from kernelmap.memory import find_replayed, memory_of_step, order_of_step

        order = order_of_step(self.program, self.trace, self.matching, self.attribution)
        replayed = find_replayed(self.program, self.trace, self.matching)
        return memory_of_step(memories, self.program, order, replayed)

    def explain(self, target: str) -> Explanation:
        """The evidence for a launch (`17`) or a call (`0_forward/3`); UsageError for any other."""
        if target.isdecimal():
            count = len(self.trace.launches)
            # The length is looked at first: Python converts no text of thousands of digits.
            if len(target) <= len(str(count)) and int(target) < count:
                return self._explained(int(target))
            lists = name_option("by", "launch")
            hint = f"The trace has launches 0 to {count - 1}; {lists} lists them."
            raise UsageError("no-such-launch", f"there is no launch {target}", hint)

        for position, (graph, call) in enumerate(self.program.calls):
            if graph.call_id(call) == target:
                steps = self._speed.steps_of_call(position)
                memory = self._say_memory(graph, call)
                return replace(explain_call(self.match, position), steps=steps, memory=memory)
        calls = {graph.call_id(call): call.wrapper for graph, call in self.program.calls}
        # Names by which a call may be meant, for the hint.
        of_wrapper = [call for call, wrapper in calls.items() if wrapper == target]
        meant = (
            f"It is the wrapper of {join_some(of_wrapper)}."
            if of_wrapper
            else did_you_mean(target, calls)
        )
        form = f"Name a call as `<graph>/<index>`; {name_option('by', 'call')} lists them."
        if _LINE.search(target):
            form = f"It is a source line: `{self.again('correlate', '--by', 'line')}` has those."
        hint = f"{meant} {form}".strip()
        raise UsageError("no-such-call", f"there is no call {target!r}", hint)

    def _say_memory(self, graph: CompiledGraph, call: WrapperCall) -> str | None:
        """What a call does to memory, in one line; only its graph is followed for that."""
        memory = self._follow_graph(graph)
        return None if memory is None else say_memory_of_call(memory, call.index)

    def _follow_graph(self, graph: CompiledGraph) -> GraphMemory | None:
        if graph.id not in self._followed:
            followed = self.memory_of_some_graphs({graph.id})
            self._followed[graph.id] = followed[0] if followed else None
        return self._followed[graph.id]

    @cached_property
    def _followed(self) -> dict[str, GraphMemory | None]:
        """The graphs whose memory was followed for one call: the next one may be of the same."""
        return {}

    def _explained(self, row: int) -> Explanation:
        """The evidence for one launch, with the function that it came from where frames tell.

        What torch's own tools wrote beside it is held against what we know.
        """
        explanation, known = explain_launch(self.match, row), self.attribution.launch_places
        evidence = list(explanation.evidence)
        at = int(known.code[row])
        if at >= 0:
            what = "autograd's backward of Python code" if known.is_backward[row] else "Python code"
            evidence.append(f"launched by {what} {known.places[at].name}")
        evidence += say_arguments(self.match, row, read_recorded_arguments)
        if (note := self.trace.launches.note_of(row)) is not None:
            evidence += describe_note(note, row, self.matching, self.attribution)
        return replace(explanation, evidence=tuple(evidence))

    def annotate(self, target: Source) -> Annotated:
        """Write the traces once more for a viewer, with what was found; see annotating.py."""
        # Only code says what work is, and a profile without any takes long to ask.
        is_asked = self._has_code or self.options.device_limits is not None
        return annotate(self, Path(target), self.files, speeds=self.speeds if is_asked else None)

    def annotated_code(self) -> str:
        """The generated code with the window's time in its margin."""
        return render_margin(self.program, self.matching, self.attribution)

    def which(self, name: str) -> tuple[Hit, ...]:
        """The kernels that `name` may stand for, with this run's launches divided over them."""
        hits = find_kernels(name, self.program, self.match, self.attribution.call_ops)
        located = locate_hits(hits, self.match, self.attribution, self._around) if hits else ()
        return add_memory_to_hits(located, self.program, self._follow_graph)

    @cached_property
    def _around(self) -> Around:
        """What ran around each launch: of all names that are asked for it is the same."""
        return find_what_is_around(self.match, self.attribution.step)

    def at(self, time: str) -> tuple[Explanation, ...]:
        """The evidence for what ran at a time of the profiler's own timeline (`12.5s`, `80us`).

        Raises UsageError for what is no time, and where nothing ran.
        """
        return tuple(self._explained(row) for row in running_at(self.trace, time))

    def correlated(self, number: int) -> tuple[Explanation, ...]:
        """The evidence for the launches of one correlation id; UsageError where there are none."""
        return tuple(self._explained(row) for row in rows_of_correlation(self.trace, number))
