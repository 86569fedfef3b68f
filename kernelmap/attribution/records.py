"""What attribution gives: one record per table row, times in whole nanoseconds.

A row whose name stands in parentheses holds the time that has no such owner; with those rows every
tuple adds up to `total_ns`. The tables of tables/schema.py are made from these records.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kernelmap.attribution.gauges import RowGauges
from kernelmap.model.matching import LaunchPlaces
from kernelmap.model.program import CompiledProgram
from kernelmap.model.source import SourceLine, row_name
from kernelmap.model.trace import Bool, Int


class Origin(StrEnum):
    """Whether a row's time ran inside compiled code; NONE where it cannot be said."""

    COMPILED = "compiled"
    OUTSIDE = "outside"
    NONE = "none"


class Slow(Struct, frozen=True, kw_only=True):
    """The `launches` of `of` that hold most of a row: their `time_ns` in it, the row's median.

    `rows` are their positions in the trace.
    """

    launches: int
    of: int
    time_ns: int
    median_ns: int
    rows: Int


class CallTime(Struct, frozen=True, kw_only=True):
    """A call's launches.

    `call` is a position in `CompiledProgram.calls`, None for a rest row named by `rest`;
    `per_invocation_ns` is int64 (invocations that launched it,); `slow` are the few launches that
    decide its time, if they do; `gauges` is what was sampled meanwhile, if anything was.
    """

    call: int | None
    rest: str | None = None
    launches: int
    time_ns: int
    busy_ns: int
    per_invocation_ns: Int
    slow: Slow | None = None
    gauges: RowGauges | None = None


class KernelTime(Struct, frozen=True, kw_only=True):
    """A kernel: its definition's wrapper name (None outside compiled code) and its device name."""

    wrapper: str | None
    device_name: str | None
    graph: str | None
    path: str | None
    ops: tuple[str, ...]
    calls: int
    launches: int
    time_ns: int


class OpTime(Struct, frozen=True, kw_only=True):
    """An op's or a module's time: its part; the calls that are it alone; all calls it is in.

    `noted_ns` is the part of a module's time that is its own by the word of torch's tools alone.
    """

    name: str
    origin: Origin
    time_ns: int
    exclusive_ns: int
    involved_ns: int
    backward_ns: int
    launches: int
    calls: int
    slow: Slow | None = None
    noted_ns: int | None = None
    gauges: RowGauges | None = None


class ModuleTime(OpTime, frozen=True, kw_only=True):
    """A module's time: what is its own, and as `total_…` that of all modules in it as well.

    In a rest row, which no module is in, both are the same.
    """

    total_ns: int
    total_exclusive_ns: int
    total_involved_ns: int
    total_backward_ns: int
    total_launches: int
    total_calls: int


class NodeTime(Struct, frozen=True, kw_only=True):
    """A graph node's time; `ops` are the original ops that it counts for."""

    graph: str | None
    name: str
    target: str | None
    stage: str | None
    ops: tuple[str, ...] = ()
    time_ns: int
    involved_ns: int
    calls: int


class LineTime(Struct, frozen=True, kw_only=True):
    """A source line's time; `file` is a rest row's name.

    `time_ns` is the time in no backward graph, `forward_ns` the part of it in forward graphs: what
    ran in inference graphs (a compiled optimizer is one) or outside compiled code has no direction.
    It is None in rest rows, whose `time_ns` is all of their time.

    Of eager code only the function is known, never the statement: then `line` is None, `code` says
    `in forward`, and `function_line` is where that function was entered, if that is known.
    `noted_ns` is the part of its time that is at this line by the word of torch's tools alone.
    """

    file: str
    line: int | None
    code: str | None
    function_line: int | None = None
    time_ns: int
    backward_ns: int
    involved_ns: int
    calls: int
    launches: int | None = None
    forward_ns: int | None = None
    slow: Slow | None = None
    noted_ns: int | None = None
    gauges: RowGauges | None = None

    @property
    def name(self) -> str:
        """What the row is called where one text has to say it."""
        return row_name(self.file, self.line, self.code, self.function_line)


class GraphTime(Struct, frozen=True, kw_only=True):
    """A graph's time; `graph` is a position in `CompiledProgram.graphs`, None for a rest row."""

    graph: int | None
    rest: str | None = None
    invocations: int
    time_ns: int
    busy_ns: int


class LedgerRow(Struct, frozen=True, kw_only=True):
    """Launches of one confidence and activity; `side` is "gpu" or "cpu", never added together."""

    bucket: str
    activity: str
    side: str
    launches: int
    time_ns: int


class StepTime(Struct, frozen=True, kw_only=True):
    """The time of the window's steps on the host's clock; the parts lie within it.

    `operators_ns` is when some counted launch ran, None where the trace counts calls alone;
    `compiled_ns` is when one of compiled code ran. What is left ran in no operator.
    """

    total_ns: int
    operators_ns: int | None
    compiled_ns: int


class OutsideOps(Struct, frozen=True):
    """The ATen op of each outside or unknown launch.

    `code` (launches,) points into `names`; it is -1 elsewhere, and where an unknown one has none.
    """

    code: Int
    names: tuple[str, ...]


class TorchsWord(Struct, frozen=True):
    """Launches beside which torch's own handler wrote lines: torch_notes.py.

    How many agree with the lines that we know, differ, or have no other. `calls` are those of which
    no other line is known, by their positions in the program.
    """

    agreeing: int = 0
    differing: int = 0
    alone: int = 0
    calls: frozenset[int] = frozenset()


class Attribution(Struct, frozen=True, kw_only=True):
    """The window's time, split.

    `counted` marks the launches in the window and on the side; `step` is the ProfilerStep number
    of each launch, -1 without one; both (launches,). `outside_op` is the ATen op of each outside
    or unknown launch, `launch_places` the function of the user's code that it came from.
    `step_time` is that of the CPU's side, None on the GPU's, whose work lags behind the steps, and
    without steps. Per call of the program: `call_ops`, the original ops that it is charged to or
    involves, `call_nodes`, its
    post-grad nodes, and `call_lines`, the source lines it works for.
    """

    side: str
    counted: Bool
    step: Int
    step_time: StepTime | None = None
    total_ns: int
    busy_ns: int
    calls: tuple[CallTime, ...]
    kernels: tuple[KernelTime, ...]
    ops: tuple[OpTime, ...]
    modules: tuple[ModuleTime, ...]
    nodes: tuple[NodeTime, ...]
    lines: tuple[LineTime, ...]
    graphs: tuple[GraphTime, ...]
    ledger: tuple[LedgerRow, ...]
    call_ops: tuple[tuple[str, ...], ...]
    call_nodes: tuple[tuple[str, ...], ...]
    call_lines: tuple[tuple[SourceLine, ...], ...]
    outside_op: OutsideOps
    launch_places: LaunchPlaces
    torchs_word: TorchsWord = TorchsWord()

    def slow(self, program: CompiledProgram) -> tuple[tuple[str, Slow], ...]:
        """The ops, calls and lines that a few slow launches decide, by name; longest first.

        Of equal times those of ops come first, those of lines last.
        """
        named = [(row.name, row.slow) for row in self.ops]
        for time in self.calls:
            if time.call is not None:
                graph, call = program.calls[time.call]
                named.append((graph.call_id(call), time.slow))
        named += [(row.name, row.slow) for row in self.lines]
        named_slow = [(name, slow) for name, slow in named if slow is not None]
        return tuple(sorted(named_slow, key=lambda pair: -pair[1].time_ns))
