"""What a person wants to know before any table: whose time, how much, how sure, from what.

Takes the records, gives one small record; every writer shows it, JSON and Parquet keep it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from msgspec import Struct

from kernelmap.attribution.records import Attribution
from kernelmap.model import CompiledProgram, Confidence, Trace
from kernelmap.model.bundle import UnprofiledSteps
from kernelmap.model.columns import distinct_values
from kernelmap.tables.rows import escape_unsound
from kernelmap.version import VERSION


class Summary(Struct, frozen=True, kw_only=True):
    """The window in numbers.

    `side` is "gpu" or "cpu": whose time this is. `total_ns` sums durations, `busy_ns` is their
    union. `calls` counts the statements of the code, `calls_seen` those with a launch in the
    window. `coverage` gives the share of time (0 to 1) of each confidence; empty where the window
    has no time. `steps` are the first and the last ProfilerStep, `counted_steps` how many are
    counted; None without steps, the latter also in results that do not say. `sources` are base
    names of the input files, `version` is kernelmap's own. On the CPU's side `step_ns` is
    the time of the steps, `step_compiled_ns` when compiled code ran in them, `step_operators_ns`
    when any operator did; None without steps, and the last where calls alone are counted.
    `unprofiled` is what steps took without a profiler, where the capture measured that.
    """

    side: str
    total_ns: int
    busy_ns: int
    launches: int
    invocations: int
    calls: int
    calls_seen: int
    coverage: Mapping[str, float]
    steps: tuple[int, int] | None
    devices: tuple[str, ...]
    sources: tuple[str, ...]
    version: str
    step_ns: int | None = None
    step_operators_ns: int | None = None
    step_compiled_ns: int | None = None
    counted_steps: int | None = None
    unprofiled: UnprofiledSteps | None = None

    @property
    def step_count(self) -> int | None:
        """By how many steps times are divided; None without steps.

        Of a result that does not say, all from the first to the last.
        """
        if self.steps is None or self.counted_steps is not None:
            return self.counted_steps
        return self.steps[1] - self.steps[0] + 1


def summarize(
    program: CompiledProgram,
    trace: Trace,
    attribution: Attribution,
    unprofiled: UnprofiledSteps | None = None,
) -> Summary:
    """The summary of one attribution."""
    # Steps in which a counted launch lies; launches outside of any step have -1.
    steps = attribution.step[attribution.counted]
    steps = steps[steps >= 0]
    took = attribution.step_time
    return Summary(
        side=attribution.side,
        total_ns=attribution.total_ns,
        busy_ns=attribution.busy_ns,
        launches=trace.launches.count_launches(attribution.counted),
        invocations=sum(row.invocations for row in attribution.graphs),
        calls=len(program.calls),
        calls_seen=sum(row.call is not None and row.launches > 0 for row in attribution.calls),
        coverage=_coverage_of(attribution),
        steps=(int(steps.min()), int(steps.max())) if len(steps) else None,
        devices=tuple(
            dict.fromkeys(escape_unsound(device.name) for device in trace.devices if device.name)
        ),
        sources=_sources_of(program, trace),
        version=VERSION,
        step_ns=took.total_ns if took else None,
        step_operators_ns=took.operators_ns if took else None,
        step_compiled_ns=took.compiled_ns if took else None,
        counted_steps=len(distinct_values(steps)) or None,
        unprofiled=unprofiled,
    )


def _coverage_of(attribution: Attribution) -> Mapping[str, float]:
    if attribution.total_ns == 0:
        return {}
    # The times of GPU and CPU are never added: the share is that of the side that is counted.
    times = {confidence.name.lower(): 0 for confidence in Confidence}
    for row in attribution.ledger:
        if row.side == attribution.side:
            times[row.bucket] += row.time_ns
    return {bucket: time_ns / attribution.total_ns for bucket, time_ns in times.items()}


def _sources_of(program: CompiledProgram, trace: Trace) -> tuple[str, ...]:
    """Traces, then logs, and the code of the graphs that no log gave."""
    codes = (
        path
        for graph in program.graphs
        for path in (
            [emitted.compilation.log for emitted in graph.emitted]
            if graph.emitted
            else filter(None, [graph.code])
        )
    )
    names = (escape_unsound(PurePath(source).name) for source in (*trace.sources, *codes))
    return tuple(dict.fromkeys(names))
