"""The story in one screen: read, match, attribute; and the Correlation that users hold.

c = kernelmap.correlate("output_code.py", "profile.json")
c.ops, c.calls, c.ledger          # DataFrames, columns as in views/schema.py
c.to_html("report.html")
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.advice import Advice, Case, Run, advise
from kernelmap.annotating import Annotated, annotate
from kernelmap.attribution import Attribution, attribute
from kernelmap.attribution.split import splits
from kernelmap.attribution.time_buckets import without_call
from kernelmap.attribution.where import described, located
from kernelmap.attribution.window import apis_inside, missing_steps
from kernelmap.bundles import bundle_notices, recorded_steps
from kernelmap.compiler import Cache, load_compiled
from kernelmap.errors import UsageError
from kernelmap.inputs import captures_in, has_trace_beside, sort, trace_meant
from kernelmap.likeness import learnt_from, runs_in
from kernelmap.matching import Match, match, match_like
from kernelmap.matching.context.notices import of_launches
from kernelmap.matching.explaining.explain import Explanation, explain_call, explain_launch
from kernelmap.matching.explaining.which import Hit, find, nearest
from kernelmap.matching.host_side.recording import correlated, running_at
from kernelmap.matching.host_side.unrecorded import Unrecorded, unrecorded
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.learnt import Learnt
from kernelmap.model.names import wanted
from kernelmap.options import Options, Side
from kernelmap.outputs.result import Result, Source
from kernelmap.traces import launch_lines, load_trace, with_captures

if TYPE_CHECKING:  # heavy: loaded when a table is first asked for
    from kernelmap.views.tables import Tables

_LOG = logging.getLogger(__name__)


def correlate(
    *sources: Source, options: Options | None = None, like: Source | Sequence[Source] = ()
) -> Correlation:
    """Pair the GPU's work in the traces with the code among `sources`, and split its time.

    `sources` are files and folders in any order: generated code, and at least one trace; a bundle
    is both. Where no trace is named, it is the one that lies directly in a folder of code. `like`
    are other runs of the same code (see Options). Raises KernelmapError where an input cannot be
    used.
    """
    options = _with_like(options or Options(), like)
    code, traces = sort(sources)
    learnt = tuple(learnt_from(run, code) for run in runs_in(options.like))
    found = load_trace(*(traces or trace_meant(list(map(Path, sources)))))
    trace = with_captures(found, captures_in(sources))
    options = _of_recorded_steps(options, sources, trace)
    cache = Cache(options.cache_dir, wanted(trace)) if options.cache_dir is not None else None
    _LOG.debug("the traces hold %d launches", len(trace.launches))
    program = load_compiled(*code, cache=cache)
    _LOG.debug("the code holds %d graphs with %d calls", len(program.graphs), len(program.calls))
    matched = match_like(program, trace, learnt) if learnt else match(program, trace)
    _LOG.debug("%d launches have a call", (matched.matching.call >= 0).sum())
    lines = launch_lines(trace, without_call(matched.matching))
    attributed = attribute(matched.program, trace, matched.matching, options, lines)
    steps = missing_steps(trace, options)
    silent = unrecorded(trace, apis_inside(trace, options), attributed.counted)
    unpaired = of_launches(trace, matched.matching, attributed.counted)
    return Correlation(
        inputs=(*map(Path, sources), *options.like),
        trace=trace,
        match=matched,
        attribution=attributed,
        notices=(
            *bundle_notices(map(Path, sources)),
            *program.notices,
            *trace.notices,
            *(notice for each in learnt for notice in each.notices),
            *matched.notices,
            *steps,
            *(silent.notices() if options.side is not Side.CPU else ()),
            *unpaired,
        ),
        unrecorded=silent,
        learnt=learnt,
    )


def _with_like(options: Options, like: Source | Sequence[Source]) -> Options:
    """`options` with the runs of `like` among theirs."""
    more = (like,) if isinstance(like, str | PathLike) else tuple(like)
    return replace(options, like=(*options.like, *map(Path, more)))


def _of_recorded_steps(options: Options, sources: Sequence[Source], trace: Trace) -> Options:
    """`options` with the steps that a bundle was recorded for, where it holds more and none are."""
    steps = recorded_steps(map(Path, sources)) if options.steps is None else None
    if steps is None or not any(steps[0] <= step.number <= steps[1] for step in trace.steps):
        return options
    return replace(options, steps=steps)


@dataclass(frozen=True, kw_only=True)
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
        captured = dict.fromkeys(each.source for each in self.trace.captured)
        taught = (file for each in self.learnt for file in each.files)
        read = (*self.trace.sources, *captured, *self.program.files, *taught)
        return (*self.inputs, *map(Path, read))

    @property
    def records(self) -> Correlation:
        """Itself: program, trace, matching, attribution and advice."""
        return self

    @cached_property
    def tables(self) -> Tables:
        """All tables, checked against views/schema.py."""
        from kernelmap.views.tables import build

        return build(self.program, self.trace, self.matching, self.attribution, self.notices)

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
        found, lines = explain_launch(self.match, row), self.attribution.launch_lines
        at = int(lines.code[row])
        if at < 0:
            return found
        line = lines.lines[at]
        frame = f"launched by Python code {line.code}, which begins at {line.file}:{line.line}"
        return replace(found, evidence=(*found.evidence, frame))

    def annotate(self, target: Source) -> Annotated:
        """Write the traces once more for a viewer, with what was found; see annotating.py."""
        return annotate(self, Path(target), self.files)

    def annotated_code(self) -> str:
        """The generated code with the window's time in its margin."""
        from kernelmap.outputs.code_margin import render

        return render(self.program, self.matching, self.attribution)

    def which(self, name: str) -> tuple[Hit, ...]:
        """The kernels that `name` may stand for, with this run's launches divided over them."""
        found = find(name, self.program, self.match, self.attribution.call_ops)
        return located(found, self.match, self.attribution)

    def at(self, time: str) -> tuple[Explanation, ...]:
        """The evidence for what ran at a time of the profiler's own timeline (`12.5s`, `80us`).

        Raises UsageError for what is no time, and where nothing ran.
        """
        return tuple(self._explained(row) for row in running_at(self.trace, time))

    def correlated(self, number: int) -> tuple[Explanation, ...]:
        """The evidence for the launches of one correlation id; UsageError where there are none."""
        return tuple(self._explained(row) for row in correlated(self.trace, number))


def which(name: str, *sources: Source, like: Source | Sequence[Source] = ()) -> tuple[Hit, ...]:
    """The kernels that `name` may stand for; a trace among `sources` adds how often they ran.

    Raises KernelmapError `unknown-name`, with the nearest names, where nothing fits.
    """
    code, traces = sort(sources)
    names: tuple[str, ...] = ()
    if traces:
        correlation = correlate(*sources, like=like)
        program, hits = correlation.program, correlation.which(name)
        names = correlation.trace.launches.names
    else:
        program = load_compiled(*code)
        ops = [split.involved for split in splits(program)]
        hits = described(find(name, program, ops=ops))
    if not hits:
        close = nearest(name, program, names)
        hint = f"Nearest names: {', '.join(close)}." if close else "No known name is near it."
        given = any(graph.code is not None for graph in program.graphs)
        what = "wrapper, function, legacy suffix, hash or operator of the code"
        raise UsageError(
            "unknown-name",
            f"{name!r} is no {what if given else 'wrapper or operator that ran'}"
            + (", and no launch bears it" if traces else ""),
            hint if given else f"{hint} Give the code as well: only code tells fused kernels' ops.",
        )
    return hits


def doctor(
    *sources: Source, options: Options | None = None, like: Source | Sequence[Source] = ()
) -> Advice:
    """What is missing for a better answer, and how much time it concerns.

    `sources` are code, traces and bundles in any mix; code alone will do. Raises KernelmapError
    where an input cannot be used.
    """
    code, traces = sort(sources)
    if traces or has_trace_beside(sources):
        return correlate(*sources, options=options, like=like).advice
    program = load_compiled(*code)
    notices = (*bundle_notices(map(Path, sources)), *program.notices)
    return advise(Case(program=program, notices=notices))
