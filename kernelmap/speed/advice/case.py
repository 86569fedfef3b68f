"""What a diagnosis looks at: the program, and where a profile was given what matching made of it.

Takes model objects, the Match and the window; gives masks that rules combine. The *units* are the
launches of the trace, or the calls of the program where no profile was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.attribution.divide import divide_calls
from kernelmap.attribution.records import Slow, StepTime
from kernelmap.attribution.window import Unrecorded
from kernelmap.commands import command
from kernelmap.matching import Match
from kernelmap.matching.context.match_context import Invocation
from kernelmap.matching.host_side.recording import launched_before
from kernelmap.model import (
    NONE,
    Backend,
    CompiledGraph,
    CompiledProgram,
    Confidence,
    Notice,
    RangeKind,
    Reason,
    Trace,
)
from kernelmap.model.advice import Lack
from kernelmap.model.marks import is_mark
from kernelmap.model.roofline import Roofline
from kernelmap.model.trace import Bool, Int

_SURE = (Confidence.EXACT, Confidence.OUTSIDE)
_NAMED = (Backend.EXTERN, Backend.GLUE, Backend.USER)


class ProfiledRun(Struct, frozen=True, kw_only=True, dict=True):
    """A profile that was matched.

    `counted` marks the launches of the window, `step` is theirs; `unrecorded` counts what the host
    launched in it without an activity, `slow` names the ops, calls and lines whose time a few slow
    launches decide.
    """

    trace: Trace
    match: Match
    side: str
    counted: Bool
    step: Int
    unrecorded: Unrecorded
    slow: tuple[tuple[str, Slow], ...]
    step_time: StepTime | None = None

    @cached_property
    def unsure(self) -> Bool:
        """Counted launches whose call is not certain; (launches,)."""
        return self.counted & ~np.isin(self.match.matching.confidence, _SURE)

    @cached_property
    def replayed(self) -> Bool:
        """Launches that a graph launch replayed; (launches,)."""
        replayed: Bool = self.match.context.host.replayed
        return replayed

    @cached_property
    def without_api(self) -> Bool:
        """GPU launches whose api call is not in the trace; (launches,)."""
        launches = self.trace.launches
        return (launches.api < 0) & ~launches.on_cpu

    @cached_property
    def launched_before(self) -> Bool:
        """GPU launches whose api call lies before the recording; (launches,)."""
        return launched_before(self.trace) & ~self.replayed

    @cached_property
    def has_operators(self) -> bool:
        """Whether the host side was recorded at all."""
        return bool(np.equal(self.trace.ranges.kind, RangeKind.OP).any())

    @cached_property
    def has_marks(self) -> bool:
        """Whether the trace has graph ranges."""
        return bool(self.match.context.host.is_graph_range.any())

    @cached_property
    def is_compiled(self) -> bool:
        """Whether anything in the trace shows that compiled code ran."""
        context = self.match.context
        host = context.host
        seen = host.compiled.any() or host.is_graph_range.any() or context.runs_kernel.any()
        return bool(seen or host.shows_cpp or context.invocations)

    @property
    def by_nsys(self) -> bool:
        """Whether Nsight Systems recorded all of it."""
        return bool(self.trace.by_nsys) and all(self.trace.by_nsys)

    @property
    def by_rocprof(self) -> bool:
        """Whether rocprofv3 recorded all of it."""
        return bool(self.trace.by_rocprof) and all(self.trace.by_rocprof)

    @cached_property
    def has_call_marks(self) -> bool:
        """Whether the trace has marks of a capture."""
        return any(map(is_mark, self.trace.ranges.names))

    @property
    def invocations(self) -> tuple[Invocation, ...]:
        """The invocations that have a host side."""
        return self.match.context.invocations

    @cached_property
    def invocation(self) -> Int:
        """Position in `invocations` of each launch's, -1 without a host side; (launches,)."""
        # By range, the invocation whose graph range or statements it is; (ranges + 1,), the last
        # place for launches without a range (-1).
        of_range = np.full(len(self.trace.ranges) + 1, NONE, dtype=np.int64)
        for number, invocation in enumerate(self.invocations):
            of_range[[*invocation.span.rows, invocation.span.graph_range]] = number
        of_range[-1] = NONE  # where a span without a mark has written
        return np.asarray(of_range[self.match.context.top], dtype=np.int64)

    def of_invocations(self, chosen: Iterable[int]) -> Bool:
        """Launches of the chosen invocations; (launches,)."""
        return np.isin(self.invocation, np.array(sorted(set(chosen)), dtype=np.int64))

    @cached_property
    def doubtful(self) -> Bool:
        """Launches of invocations whose graph is not certain; (launches,)."""
        return self.of_invocations(
            position
            for position, invocation in enumerate(self.invocations)
            if invocation.assignment.confidence is not Confidence.EXACT
        )

    def mask_reasons(self, *reasons: Reason) -> Bool:
        """Launches with one of these reasons; (launches,)."""
        return np.isin(self.match.matching.reason, reasons)

    def mask_names(self, flags: Iterable[bool]) -> Bool:
        """Launches by a flag per name of `trace.launches.names`; (launches,)."""
        # A flag per name id; the last one is for launches without a name (-1).
        return np.array([*flags, False], dtype=bool)[self.trace.launches.name_id]


class Case(Struct, frozen=True, kw_only=True, dict=True):
    """All that was read.

    `run` is None where no profile was given, `roofline` where the work of calls was not asked for.
    `again` makes of words the command that asks them of the same inputs.
    """

    program: CompiledProgram
    notices: tuple[Notice, ...] = ()
    run: ProfiledRun | None = None
    roofline: Roofline | None = None
    again: Callable[..., str] = command

    @property
    def given(self) -> tuple[CompiledGraph, ...]:
        """The graphs whose code was given."""
        return tuple(graph for graph in self.program.graphs if graph.code is not None)

    @cached_property
    def call(self) -> Int:
        """The call of each unit, -1 without one; (units,)."""
        if self.run is None:
            # Without a profile every call of the program is a unit.
            return np.arange(len(self.program.calls), dtype=np.int64)
        return self.run.match.matching.call

    @cached_property
    def counted(self) -> Bool:
        """The units that count; (units,)."""
        return self.run.counted if self.run else np.ones(len(self.call), dtype=bool)

    def of_graphs(self, chosen: Iterable[CompiledGraph]) -> Bool:
        """Units with a call of the chosen graphs; (units,)."""
        ids = {graph.id for graph in chosen}
        return self._of_calls([graph.id in ids for graph, _ in self.program.calls])

    def mask_lacking(self, lack: Lack) -> Bool:
        """The units that lack something; (units,).

        For STEADY these are all that count, because only rules know more. A launch without a single
        call lacks a call, and nothing else.
        """
        if lack is Lack.STEADY:
            return self.counted
        if lack is Lack.CALL:
            return self.run.unsure if self.run else np.zeros(len(self.call), dtype=bool)
        return self.counted & self._of_calls(self._lacking[lack])

    @cached_property
    def _lacking(self) -> dict[Lack, list[bool]]:
        """Per lack a flag for each call that lacks it."""
        lacking: dict[Lack, list[bool]] = {lack: [] for lack in Lack}
        divisions = divide_calls(self.program)
        for (_, call), division in zip(self.program.calls, divisions, strict=True):
            # A generated kernel whose only op is its own name: no op is known.
            target = (call.target or call.wrapper,)
            lacking[Lack.OP].append(call.backend not in _NAMED and division.ops == target)
            lacking[Lack.NODE].append(not division.involved_nodes)
            lacking[Lack.LINE].append(not division.involved_lines)
            lacking[Lack.MODULE].append(not division.involved_modules)
        return lacking

    def _of_calls(self, flags: list[bool]) -> Bool:
        """Spread a flag per call over the units; the last flag is that of no call."""
        # One more flag, for units without a call (-1).
        return np.array([*flags, False], dtype=bool)[self.call]
