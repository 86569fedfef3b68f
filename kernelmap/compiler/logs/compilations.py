"""The events of a log → its compilations.

A compilation begins with the first event of its id that says something of it, and again where the
same id starts anew without a higher attempt: `torch._dynamo.reset()` counts from 0. Attempts of one
compilation are one record. Frames of stacks name files by the log's string table.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from kernelmap.compiler.frames import is_torch
from kernelmap.compiler.logs.events import LoggedEvent
from kernelmap.compiler.logs.reasons import failed_guard, failed_guards, graph_break, in_short
from kernelmap.compiler.logs.shapes import Frame, Metrics, Start
from kernelmap.compiler.python.source import decoded
from kernelmap.model import Compilation, FailedGuard, GraphBreak, SourceLine

_RECOMPILES = "recompile_reasons"
_BREAKS = "dynamo_graph_break_reason"
_NS_PER_US = 1_000
_NS_PER_S = 1_000_000_000


@dataclass(slots=True)
class OpenCompilation:
    """A compilation while its events come in."""

    compile_id: str
    log: str
    serial: int
    rank: int | None = None
    attempt: int = 0
    started: bool = False
    function: str | None = None
    line: SourceLine | None = None
    caller: SourceLine | None = None
    failed_guards: tuple[FailedGuard, ...] = ()
    restarts: tuple[str, ...] = ()
    graph_breaks: list[GraphBreak] = field(default_factory=list)
    failure: str | None = None
    guards: bool = False
    compile_ns: int | None = None
    backward_ns: int | None = None

    def done(self) -> Compilation:
        """The record of what came in so far."""
        return Compilation(
            compile_id=self.compile_id,
            log=self.log,
            serial=self.serial,
            rank=self.rank,
            attempts=self.attempt + 1,
            function=self.function,
            line=self.line,
            caller=self.caller,
            failed_guards=self.failed_guards,
            restarts=self.restarts,
            graph_breaks=tuple(dict.fromkeys(self.graph_breaks)),
            failure=self.failure,
            guards=self.guards,
            compile_ns=self.compile_ns,
            backward_ns=self.backward_ns,
        )


@dataclass(slots=True)
class Compilations:
    """The compilations of the log at the path `log`, in order."""

    log: str
    every: list[OpenCompilation] = field(default_factory=list)
    open: dict[str, OpenCompilation] = field(default_factory=dict)
    strings: dict[int, str] = field(default_factory=dict)

    def take(self, logged: LoggedEvent) -> None:
        """Use one event; most say nothing of a compilation. MsgspecError for another shape."""
        event = logged.event
        if event.string:
            text, number = msgspec.json.decode(event.string, type=tuple[str, int])
            self.strings[number] = text
        elif event.artifact is not None:
            self._artifact(event.artifact.name, logged)
        elif event.dynamo_start:
            if (of := self._begun(logged, starts=True)) is not None:
                self._start(of, msgspec.json.decode(event.dynamo_start, type=Start))
        elif event.compilation_metrics or event.bwd_compilation_metrics:
            if (of := self.of(logged)) is not None:
                _metrics(of, logged)
        elif event.dynamo_cpp_guards_str is not None and (of := self.of(logged)) is not None:
            of.guards = True

    def _artifact(self, name: str | None, logged: LoggedEvent) -> None:
        if name == _RECOMPILES and (of := self._begun(logged, starts=True)) is not None:
            of.started = False  # `dynamo_start` follows and belongs to the same compilation
            of.failed_guards = failed_guards(decoded(logged.payload))
        elif name == _BREAKS and (of := self.of(logged)) is not None:
            of.graph_breaks.append(graph_break(decoded(logged.payload)))

    def of(self, logged: LoggedEvent) -> OpenCompilation | None:
        """The compilation that an event belongs to; None outside of all."""
        return self._begun(logged)

    def _begun(self, logged: LoggedEvent, *, starts: bool = False) -> OpenCompilation | None:
        event = logged.event
        if event.frame_compile is None:
            return None
        attempt = event.attempt or 0
        of = self.open.get(event.frame_compile)
        if of is None or (starts and of.started and attempt <= of.attempt):
            of = OpenCompilation(event.frame_compile, self.log, len(self.every))
            self.open[event.frame_compile] = of
            self.every.append(of)
        of.started = True
        of.rank = event.rank if event.rank is not None else of.rank
        of.attempt = max(of.attempt, attempt)
        return of

    def _start(self, of: OpenCompilation, start: Start) -> None:
        stack = start.stack or ()
        lines = [(frame, line) for frame in stack if (line := self._line(frame)) is not None]
        if not lines:
            return
        (frame, of.line), callers = lines[-1], lines[:-1]
        of.function = frame.name
        own = [line for _, line in callers if not is_torch(line.file)]
        of.caller = own[-1] if own else None

    def _line(self, frame: Frame) -> SourceLine | None:
        named = frame.filename
        file = self.strings.get(named) if isinstance(named, int) else named
        if file is None or frame.line is None:
            return None
        return SourceLine(file=file, line=frame.line, code=(frame.loc or "").strip() or None)


def _metrics(of: OpenCompilation, logged: LoggedEvent) -> None:
    later = logged.event.bwd_compilation_metrics
    if later:
        of.backward_ns = _time_ns(msgspec.json.decode(later, type=Metrics))
        return
    metrics = msgspec.json.decode(logged.event.compilation_metrics, type=Metrics)
    if metrics.co_name is not None:
        of.function = metrics.co_name
    if metrics.co_filename is not None and metrics.co_firstlineno is not None:
        of.line = SourceLine(file=metrics.co_filename, line=metrics.co_firstlineno)
    if metrics.recompile_reason and not of.failed_guards:
        of.failed_guards = (failed_guard(metrics.recompile_reason),)
    of.restarts = tuple(dict.fromkeys(map(in_short, metrics.restart_reasons or ())))
    if metrics.fail_reason or metrics.fail_type:
        reason = in_short(metrics.fail_reason) if metrics.fail_reason else None
        of.failure = ": ".join(filter(None, (metrics.fail_type, reason)))
    of.compile_ns = _time_ns(metrics)


def _time_ns(metrics: Metrics) -> int | None:
    if metrics.duration_us is not None:
        return metrics.duration_us * _NS_PER_US
    seconds = metrics.entire_frame_compile_time_s
    return None if seconds is None else round(seconds * _NS_PER_S)
