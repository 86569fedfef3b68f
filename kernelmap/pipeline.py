"""The story in one screen: read, match, attribute; and the Correlation that users hold.

c = kernelmap.correlate("output_code.py", "profile.json")
c.ops, c.calls, c.ledger          # DataFrames, columns as in views/schema.py
c.to_html("report.html")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kernelmap.attribution import Attribution, attribute
from kernelmap.attribution.window import missing_steps
from kernelmap.bundles import (
    bundle_notices,
    cuda_graphs_in,
    recorded_steps,
    traces_in,
    without_trace,
)
from kernelmap.compiler import Cache, is_compiled, load_compiled
from kernelmap.errors import UsageError
from kernelmap.input_errors import no_trace, unknown
from kernelmap.matching import Match, match
from kernelmap.matching.explain import Explanation, explain_call, explain_launch
from kernelmap.matching.notices import of_launches
from kernelmap.matching.which import Hit, nearest
from kernelmap.matching.which import which as find
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.bundle import is_bundle
from kernelmap.model.paths import require_readable
from kernelmap.model.wanted import wanted
from kernelmap.options import Options
from kernelmap.outputs.result import Result, Source
from kernelmap.traces import is_captures, is_trace, load_trace, with_captures

if TYPE_CHECKING:  # heavy: loaded when a table is first asked for
    from kernelmap.views.tables import Tables


def correlate(*sources: Source, options: Options | None = None) -> Correlation:
    """Pair the GPU's work in the traces with the code among `sources`, and split its time.

    `sources` are files and folders in any order: generated code, and at least one trace; a bundle
    is both. Raises KernelmapError where an input cannot be used.
    """
    options = options or Options()
    code, traces = sort(sources)
    if not traces:
        raise without_trace(list(map(Path, sources))) or no_trace(code)
    trace = with_captures(load_trace(*traces), _captures(sources))
    options = _of_recorded_steps(options, sources, trace)
    cache = Cache(options.cache_dir, wanted(trace)) if options.cache_dir is not None else None
    program = load_compiled(*code, cache=cache)
    matched = match(program, trace)
    attributed = attribute(matched.program, trace, matched.matching, options)
    steps = missing_steps(trace, options)
    unpaired = of_launches(trace, matched.matching, attributed.counted)
    return Correlation(
        inputs=tuple(map(Path, sources)),
        trace=trace,
        match=matched,
        attribution=attributed,
        notices=(
            *bundle_notices(map(Path, sources)),
            *program.notices,
            *trace.notices,
            *matched.notices,
            *steps,
            *unpaired,
        ),
    )


def _captures(sources: Sequence[Source]) -> list[Path]:
    """The records of captured CUDA graphs among `sources` and in bundles."""
    found: list[Path] = []
    for path in map(Path, sources):
        found.extend(cuda_graphs_in(path) if is_bundle(path) else ())
        found.extend((path,) if is_captures(path) else ())
    return found


def _of_recorded_steps(options: Options, sources: Sequence[Source], trace: Trace) -> Options:
    """`options` with the steps that a bundle was recorded for, where it holds more and none are."""
    steps = recorded_steps(map(Path, sources)) if options.steps is None else None
    if steps is None or not any(steps[0] <= step.number <= steps[1] for step in trace.steps):
        return options
    return replace(options, steps=steps)


def sort(sources: Sequence[Source]) -> tuple[list[Path], list[Path]]:
    """`sources` as compile side and trace side, by content; a KernelmapError names what is neither.

    A folder of code holds no trace that counts, a bundle holds its own. A record of captured CUDA
    graphs is neither: it says something of the traces.
    """
    code: list[Path] = []
    traces: list[Path] = []
    for path in map(Path, sources):
        require_readable(path)
        taken = is_bundle(path) or is_captures(path)
        traces.extend(traces_in(path) if is_bundle(path) else ())
        for side, belongs in ((code, is_compiled), (traces, is_trace)):
            if belongs(path):
                side.append(path)
                taken = True
        if not taken:
            raise unknown(path)
    return code, traces


@dataclass(frozen=True, kw_only=True)
class Correlation(Result):
    """Launches paired with calls, and the window's time split; tables are made when asked for.

    `inputs` are the files and folders that were given.
    """

    inputs: tuple[Path, ...]
    trace: Trace
    match: Match
    attribution: Attribution
    notices: tuple[Notice, ...]

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
        read = (*self.trace.sources, *captured, *self.program.files)
        return (*self.inputs, *map(Path, read))

    @cached_property
    def tables(self) -> Tables:
        """All tables, checked against views/schema.py."""
        from kernelmap.views.tables import build

        return build(self.program, self.trace, self.matching, self.attribution, self.notices)

    def explain(self, target: str) -> Explanation:
        """The evidence for a launch (`17`) or a call (`0_forward/3`); UsageError for any other."""
        if target.isdecimal():
            count = len(self.trace.launches)
            if len(target) <= len(str(count)) and int(target) < count:
                return explain_launch(self.match, int(target))
            hint = f"The trace has launches 0 to {count - 1}; --by launch lists them."
            raise UsageError("no-such-launch", f"there is no launch {target}", hint)
        for position, (graph, call) in enumerate(self.program.calls):
            if graph.call_id(call) == target:
                return explain_call(self.match, position)
        hint = "Name a call as `<graph>/<index>`; --by call lists them."
        raise UsageError("no-such-call", f"there is no call {target!r}", hint)

    def which(self, name: str) -> tuple[Hit, ...]:
        """The kernels that `name` may stand for, with this run's launches divided over them."""
        return find(name, self.program, self.match)


def which(name: str, *sources: Source) -> tuple[Hit, ...]:
    """The kernels that `name` may stand for; a trace among `sources` adds how often they ran.

    Raises KernelmapError `unknown-name`, with the nearest names, where nothing fits.
    """
    code, traces = sort(sources)
    if traces:
        correlation = correlate(*sources)
        program, hits = correlation.program, correlation.which(name)
    else:
        program = load_compiled(*code)
        hits = find(name, program)
    if not hits:
        close = nearest(name, program)
        hint = f"Nearest names: {', '.join(close)}." if close else "No name in the code is near it."
        raise UsageError("unknown-name", f"no kernel or call is known as {name!r}", hint)
    return hits
