"""The compilations that the events of a log tell of, and Dynamo's reasons for them.

A compilation begins with the first event of its id that says something of it, and again where the
same id starts anew without a higher attempt: `torch._dynamo.reset()` counts from 0. Attempts of one
compilation are one record. Frames of stacks name files by the log's string table.

Reasons are failed guards, graph breaks and restarts. `recompile_reasons` is a JSON list, or one
reason as bare text; a reason is `0/1: GUARD   # code  # file:line in function (HINT: …)`, sometimes
with a stack below it. A graph break is `Graph break in user code at FILE:LINE`,
`Graph Break Reason: …` or, older, `Reason: …`.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from kernelmap.compiler.logs.events import Frame, LoggedEvent, Metrics, Start
from kernelmap.compiler.python.source import decode_text
from kernelmap.facts.stack_traces import innermost_user_line, is_torch
from kernelmap.model import Compilation, FailedGuard, GraphBreak, SourceLine

_RECOMPILES = "recompile_reasons"
_BREAKS = "dynamo_graph_break_reason"
_NS_PER_US = 1_000
_NS_PER_S = 1_000_000_000
# The compilation whose guard failed: `0/1: …`.
_EARLIER = re.compile(r"(?P<earlier>!?\d+(?:/\d+)+(?:_\d+)?): ")
# Where a guard ends: at a comment, a stack, or a hint.
_COMMENT = re.compile(r"(?<!\s)\s{2,}+#|\s# |\nUser stack trace|\s\(HINT: ")
_BREAK_AT = re.compile(
    r"Graph break in user code at (?P<file>.+):(?P<line>\d{1,18})\s*$", re.MULTILINE
)
_BREAK_WHY = re.compile(r"^(?:Graph Break )?Reason: *(?P<why>.*)$", re.MULTILINE)
_EXPLANATION = re.compile(r"^ *Explanation: *(?P<text>.+)$", re.MULTILINE)
# The stack below a graph break; a traceback behind it is another one.
_STACK = re.compile(
    r"^(?:User code traceback|from user code):?\n(?P<stack>.*?)"
    r"(?=^Traceback \(most recent call last\)|\Z)",
    re.MULTILINE | re.DOTALL,
)


class OpenCompilation(Struct):
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
    graph_breaks: list[GraphBreak] = []
    failure: str | None = None
    guards: bool = False
    compile_ns: int | None = None
    backward_ns: int | None = None

    def finish_record(self) -> Compilation:
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


class Compilations(Struct):
    """The compilations of the log at the path `log`, in order."""

    log: str
    every: list[OpenCompilation] = []
    open: dict[str, OpenCompilation] = {}
    strings: dict[int, str] = {}

    def take_event(self, logged: LoggedEvent) -> None:
        """Use one event; most say nothing of a compilation. MsgspecError for another shape."""
        event = logged.event
        # Later events name files by number; this one gives a number its text.
        if event.string:
            text, number = msgspec.json.decode(event.string, type=tuple[str, int])
            self.strings[number] = text
        elif event.artifact is not None:
            self._take_artifact(event.artifact.name, logged)
        elif event.dynamo_start:
            if (of := self._begin_compilation(logged, starts=True)) is not None:
                self._take_start(of, msgspec.json.decode(event.dynamo_start, type=Start))
        # Metrics come when a compilation ends; they have what the start did not say.
        elif event.compilation_metrics or event.bwd_compilation_metrics:
            if (of := self.compilation_of(logged)) is not None:
                _take_metrics(of, logged)
        elif (
            event.dynamo_cpp_guards_str is not None
            and (of := self.compilation_of(logged)) is not None
        ):
            of.guards = True

    def _take_artifact(self, name: str | None, logged: LoggedEvent) -> None:
        # These reasons are logged before the start of the compilation that they led to.
        if name == _RECOMPILES and (of := self._begin_compilation(logged, starts=True)) is not None:
            of.started = False  # `dynamo_start` follows and belongs to the same compilation
            of.failed_guards = failed_guards(decode_text(logged.payload))
        elif name == _BREAKS and (of := self.compilation_of(logged)) is not None:
            of.graph_breaks.append(graph_break(decode_text(logged.payload)))

    def compilation_of(self, logged: LoggedEvent) -> OpenCompilation | None:
        """The compilation that an event belongs to; None outside of all."""
        return self._begin_compilation(logged)

    def _begin_compilation(
        self, logged: LoggedEvent, *, starts: bool = False
    ) -> OpenCompilation | None:
        event = logged.event
        if event.frame_compile is None:
            return None
        attempt = event.attempt or 0
        of = self.open.get(event.frame_compile)
        # The id starts anew without a higher attempt: it is another compilation, after a reset.
        if of is None or (starts and of.started and attempt <= of.attempt):
            of = OpenCompilation(event.frame_compile, self.log, len(self.every))
            self.open[event.frame_compile] = of
            self.every.append(of)
        of.started = True
        of.rank = event.rank if event.rank is not None else of.rank
        # Attempts share the record; the highest number says how many there were.
        of.attempt = max(of.attempt, attempt)
        return of

    def _take_start(self, of: OpenCompilation, start: Start) -> None:
        stack = start.stack or ()
        # The last frame is the function that is compiled, those before it led there.
        lines = [
            (frame, line) for frame in stack if (line := self._line_of_frame(frame)) is not None
        ]
        if not lines:
            return
        (frame, of.line), callers = lines[-1], lines[:-1]
        of.function = frame.name
        user_lines = [line for _, line in callers if not is_torch(line.file)]
        of.caller = user_lines[-1] if user_lines else None

    def _line_of_frame(self, frame: Frame) -> SourceLine | None:
        named = frame.filename
        file = self.strings.get(named) if isinstance(named, int) else named
        if file is None or frame.line is None:
            return None
        return SourceLine(file=file, line=frame.line, code=(frame.loc or "").strip() or None)


def _take_metrics(of: OpenCompilation, logged: LoggedEvent) -> None:
    later = logged.event.bwd_compilation_metrics
    # Of the backward's own metrics only the time is used.
    if later:
        of.backward_ns = _time_ns(msgspec.json.decode(later, type=Metrics))
        return
    metrics = msgspec.json.decode(logged.event.compilation_metrics, type=Metrics)
    if metrics.co_name is not None:
        of.function = metrics.co_name
    if metrics.co_filename is not None and metrics.co_firstlineno is not None:
        of.line = SourceLine(file=metrics.co_filename, line=metrics.co_firstlineno)
    # This reason is used only if the log has no artifact with all of them.
    if metrics.recompile_reason and not of.failed_guards:
        of.failed_guards = (failed_guard(metrics.recompile_reason),)
    of.restarts = tuple(dict.fromkeys(map(in_short, metrics.restart_reasons or ())))
    if metrics.fail_reason or metrics.fail_type:
        reason = in_short(metrics.fail_reason) if metrics.fail_reason else None
        of.failure = ": ".join(filter(None, (metrics.fail_type, reason)))
    of.compile_ns = _time_ns(metrics)


def _time_ns(metrics: Metrics) -> int | None:
    # The time stands in whole microseconds, or, where these are missing, in seconds.
    if metrics.duration_us is not None:
        return metrics.duration_us * _NS_PER_US
    seconds = metrics.entire_frame_compile_time_s
    return None if seconds is None else round(seconds * _NS_PER_S)


def failed_guards(payload: str) -> tuple[FailedGuard, ...]:
    """The reasons that a `recompile_reasons` artifact gives, newest compilation first."""
    try:
        texts = msgspec.json.decode(payload, type=list[str])
    except msgspec.MsgspecError:
        texts = [payload]
    return tuple(failed_guard(text) for text in texts if text.strip())


def failed_guard(text: str) -> FailedGuard:
    """One reason.

    >>> failed_guard("0/1: L['n'] == 2     # y = x * n  # m.py:7 in f").guard
    "L['n'] == 2"
    """
    text = text.strip()
    earlier = _EARLIER.match(text)
    rest = text[earlier.end() :] if earlier else text
    guard = _COMMENT.split(rest, maxsplit=1)[0].strip()
    return FailedGuard(
        earlier=earlier["earlier"] if earlier else None,
        guard=_join_lines(guard) or _join_lines(rest),
        detail=text,
    )


def graph_break(payload: str) -> GraphBreak:
    r"""What a `dynamo_graph_break_reason` artifact says.

    >>> graph_break("Graph break in user code at m.py:7\nReason: Unsupported: print\n")
    GraphBreak(reason='Unsupported: print', line=SourceLine(file='m.py', line=7, code=None))
    """
    place = _BREAK_AT.search(payload)
    line = SourceLine(file=place["file"], line=int(place["line"])) if place else None
    stack = _STACK.search(payload)
    inner = innermost_user_line(stack["stack"]) if stack else None
    # The innermost frame also has the line's code; it counts if it is the place that the first line
    # states, or if that line is missing.
    if inner is not None and (line is None or (inner.file, inner.line) == (line.file, line.line)):
        line = inner
    why = _BREAK_WHY.search(payload)
    return GraphBreak(reason=in_short(payload[why.start("why") :] if why else payload), line=line)


def in_short(text: str) -> str:
    r"""The first sentence of a reason, and its explanation where the sentence is a mere title.

    >>> in_short("Failed to trace\n  Explanation: It cannot.\n  Hint: Do not.")
    'Failed to trace: It cannot.'
    """
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    # `Encountered graph break when attempting to trace CALL: …:` only announces the reason.
    if len(lines) > 1 and lines[0].endswith(":"):
        lines = lines[1:]
    if not lines:
        return "no reason given"
    explained = _EXPLANATION.search(text)
    if explained is not None and not lines[0].startswith("Explanation:"):
        return f"{lines[0].rstrip('.')}: {explained['text'].strip()}"
    return lines[0]


def _join_lines(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())
