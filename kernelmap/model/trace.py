"""Columns of the trace side: launches, api calls and ranges; traces have millions of rows.

Times are whole nanoseconds (int64), ids int64 with -1 for absent, names are interned: `name_id`
points into `names`. `event` is the row's position in its source. A `Trace` comes linked: every
launch knows its api call, every api call and range the range around it. A replay of a CUDA graph
runs no code on the host, so a profile of it says nothing of calls; what went into the graphs of a
run stands in `CapturedGraph`, written down while they were captured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Self

import numpy as np
from msgspec import Struct, field
from msgspec.structs import force_setattr, replace
from numpy.typing import NDArray

from kernelmap.model.notices import Notice
from kernelmap.model.source import LaunchNote

Int = NDArray[np.int64]
Float = NDArray[np.float64]
Small = NDArray[np.int8]
Bool = NDArray[np.bool_]

NONE = -1
"""An absent id, or a link to nothing."""

CAPTURED_FORMAT, CAPTURED_VERSION = "kernelmap.cuda_graphs", 1
"""What the file says of itself in which a capture writes this down."""


class Activity(IntEnum):
    """What a launch did.

    CPU: code that was compiled for the CPU; its host range is the launch. GRAPH: a whole CUDA graph
    that the profiler recorded as one activity, without the kernels in it. OPERATOR: any other
    operator of a CPU profile; it lasts its self time. Tables call both sides of the CPU `cpu`.
    """

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    CPU = 3
    GRAPH = 4
    OPERATOR = 5

    @property
    def word(self) -> str:
        """How tables spell it."""
        return "cpu" if self is Activity.OPERATOR else self.name.lower()


ON_CPU = (Activity.CPU, Activity.OPERATOR)
"""What ran on the CPU."""


class RangeKind(IntEnum):
    """Where a host range comes from; Python frames stand apart from the others."""

    OP = 0
    ANNOTATION = 1
    FRAME = 2


class EqualColumns(Struct, frozen=True):
    """Equally long arrays; anything else that a subclass holds is shared by all rows."""

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self._iter_arrays()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of different lengths: {lengths}")

    def _iter_arrays(self) -> Iterator[tuple[str, NDArray[np.generic]]]:
        for name in self.__struct_fields__:
            column = getattr(self, name)
            if isinstance(column, np.ndarray):
                yield name, column

    def __len__(self) -> int:
        return len(next(self._iter_arrays())[1])

    def take_rows(self, rows: NDArray[np.generic] | slice) -> Self:
        """The chosen rows (mask, positions or slice), in the order given."""
        return replace(self, **{name: column[rows] for name, column in self._iter_arrays()})


class Launches(EqualColumns, frozen=True):
    """GPU activities, and host ranges of a CPU profile (activity CPU or OPERATOR, device -1).

    Shapes: (n,), grid and block (n, 3). `graph` and `graph_node` are CUDA graph ids, -1 outside of
    graphs. `dur_ns` of an operator is its self time: it ran in the stretches of busy_time.py. `api`
    is the row in ApiCalls, `range` the row in Ranges of a CPU launch; of a GPU launch
    without `api` it is the operator that its external id names, if one. `origin` is the row in
    ApiCalls that put a replayed graph node into its graph: `api` says when and by what the graph
    was launched, `origin` which call the node was captured from; -1 where that was not seen.
    `note` points into `notes`, -1: none; a reader that knows of no notes leaves it out.
    `stands_for` is how many launches a row is, where a table of sums counts more than there can be
    rows; None where each row is one.
    """

    name_id: Int
    activity: Small
    start_ns: Int
    dur_ns: Int
    process: Int
    device: Int
    stream: Int
    correlation: Int
    external: Int
    graph: Int
    graph_node: Int
    grid: Int
    block: Int
    event: Int
    api: Int
    range: Int
    origin: Int
    names: tuple[str, ...] = ()
    stands_for: Int | None = None
    note: Int = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    notes: tuple[LaunchNote, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.note):
            force_setattr(self, "note", np.full(len(self.name_id), NONE, dtype=np.int64))
        super().__post_init__()

    def note_of(self, row: int) -> LaunchNote | None:
        """What torch's own tools wrote beside one launch, None where they wrote nothing."""
        row_note = int(self.note[row])
        return self.notes[row_note] if row_note >= 0 else None

    def count_launches(self, rows: Int | Bool) -> int:
        """How many launches `rows`, positions or a mask, are."""
        if self.stands_for is not None:
            return int(self.stands_for[rows].sum())
        return int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)

    @property
    def on_cpu(self) -> Bool:
        """Mask of the rows that ran on the CPU; shape (n,)."""
        return np.isin(self.activity, ON_CPU)


class ApiCalls(EqualColumns, frozen=True):
    """Runtime and driver calls, and the moments at which graph nodes were captured.

    `range` is the row of the innermost range around the call; `device_name_id` names the kernel
    where the api row states it (HIP), -1 elsewhere.
    """

    name_id: Int
    start_ns: Int
    dur_ns: Int
    process: Int
    thread: Int
    correlation: Int
    external: Int
    device_name_id: Int
    event: Int
    range: Int
    names: tuple[str, ...] = ()


class RangeDetail(Struct, frozen=True, kw_only=True):
    """What Inductor exports about one launch of a wrapper when shapes are recorded."""

    kernel_file: str | None = None
    kernel_hash: str | None = None
    kernel_kwargs: str | None = None
    backend: str | None = None
    num_warps: int | None = None
    num_stages: int | None = None


class Ranges(EqualColumns, frozen=True):
    """Host ranges: CPU operators and annotations.

    `parent` is the row of the range around it, `detail_id` points into `details` (-1: none),
    `sequence` is autograd's sequence number.
    """

    name_id: Int
    kind: Small
    start_ns: Int
    dur_ns: Int
    process: Int
    thread: Int
    external: Int
    sequence: Int
    event: Int
    parent: Int
    detail_id: Int
    names: tuple[str, ...] = ()
    details: tuple[RangeDetail, ...] = ()

    def name_of(self, row: int) -> str:
        """The name of one range."""
        return self.names[int(self.name_id[row])]

    def detail_of(self, row: int) -> RangeDetail | None:
        """What Inductor exported for one range, None without it."""
        row_detail = int(self.detail_id[row])
        return self.details[row_detail] if row_detail >= 0 else None


class CounterSamples(EqualColumns, frozen=True):
    """What profilers sampled of the GPUs beside their work: power, clocks, how busy parts were.

    A row is one sample: `value` is what the counter `name_id` showed at `time_ns`, which is on the
    clock of `Launches.start_ns`. `source` is the position in `Trace.sources`, `device` an id of
    that source, as in `Launches.device`. `names` are counters as the profiler calls them, without
    their units; `units` has the unit of each ("W", "MHz", "C", "%"), "" where it has none or none
    is known. Rows have no order. Which counter is the SM clock or the power: facts/counters.py.
    """

    source: Int
    device: Int
    name_id: Int
    time_ns: Int
    value: Float
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


class Frames(Struct, frozen=True, kw_only=True):
    """Python frames that have a role (model/names.py).

    `rows` are the frames, `around` is the row of the innermost of them around each range, -1
    without; shape (ranges,).
    """

    rows: Ranges
    around: Int


class Functions(Struct, frozen=True, kw_only=True):
    """Python frames of functions in files of one source, in its order; columns are int64 (n,).

    `process` and `name_id` point into `pids` and `names`; `start_ns` counts from what the source's
    frames count from. Of libraries only the modules are here.
    """

    name_id: Int
    start_ns: Int
    dur_ns: Int
    process: Int
    thread: Int
    pids: tuple[str, ...]
    names: tuple[str, ...]


class Process(Struct, frozen=True, kw_only=True):
    """One process of one trace file.

    `pid` None stands for the launches that no process can be named for, `rank` is None outside of
    distributed runs.
    """

    pid: str | None
    trace: int
    rank: int | None = None


class Device(Struct, frozen=True, kw_only=True):
    """A GPU as the profiler names it; the name may be unknown.

    `process` says whose numbering `id` is of, where each process of the trace has its own.
    `bandwidth` is that of its memory in bytes per second, None where the profiler does not say.
    `listed` is how many GPUs its file lists, those without launches too; 0 where it lists none.
    """

    id: int
    name: str | None
    trace: int
    process: int | None = None
    bandwidth: int | None = None
    listed: int = 0


class Incomplete(StrEnum):
    """Why a step is no complete one, to follow "step 7"."""

    AT_END = "is cut by the end of the recording"
    AT_BEGIN = "was under way when the recording began"
    NOT_COMPILED = "runs no compiled code, unlike every other step"
    CAPTURES = "captured CUDA graphs, which other steps replay"


class StepKind(StrEnum):
    """What a serving engine does in a step (facts/engines.py)."""

    PREFILL = "prefill"
    DECODE = "decode"
    MIXED = "mixed"
    VERIFY = "verify"
    DRAFT = "draft"
    IDLE = "idle"


class Step(Struct, frozen=True, kw_only=True):
    """A `ProfilerStep#number` range on the host, or the range of a serving engine's step.

    `incomplete` is None for a complete step. Only complete ones are counted as steps
    (traces/steps.py). `engine` is whose step it is; `kind`, `batch` (requests) and `tokens` are
    what the engine's range says of it, None where it does not, and in steps of no engine.
    """

    number: int
    start_ns: int
    end_ns: int
    process: int
    incomplete: Incomplete | None = None
    engine: str | None = None
    kind: StepKind | None = None
    batch: int | None = None
    tokens: int | None = None


class Trace(Struct, frozen=True, kw_only=True, dict=True):
    """Launches, api calls and ranges of one run, linked; ids are unique across its files.

    `origin_ns` is the start of the first event of the earliest file, on the clock of `start_ns`;
    `zeros_ns` is, per source, time 0 of its own timeline on that clock. `spellings` are other names
    of a kernel, mangled or short, by the name that its launches bear. `captured` are CUDA graphs
    whose capture was written down. `by_nsys` says per source whether Nsight Systems recorded it,
    `by_rocprof` whether AMD's rocprofv3 did, `frames_ns` what its Python frames' times count from,
    None for a source without such frames, `functions` which those are, but for functions of
    libraries; `looked_up` remembers those with functions of libraries, where a file was asked for
    them. `frames` is None where no Python frame with a role was recorded, `counters` where no
    counter of a GPU was.
    """

    launches: Launches
    apis: ApiCalls
    ranges: Ranges
    processes: tuple[Process, ...]
    devices: tuple[Device, ...] = ()
    steps: tuple[Step, ...] = ()
    origin_ns: int = 0
    zeros_ns: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[str, ...]] = {}
    notices: tuple[Notice, ...] = ()
    captured: tuple[CapturedGraph, ...] = ()
    by_nsys: tuple[bool, ...] = ()
    by_rocprof: tuple[bool, ...] = ()
    frames_ns: tuple[int | None, ...] = ()
    functions: tuple[Functions | None, ...] = ()
    looked_up: dict[int, Functions] = {}
    frames: Frames | None = None
    counters: CounterSamples | None = None

    @property
    def by_torch(self) -> Bool:
        """Mask of the sources whose events may have torch's arguments; (sources,)."""
        other = np.zeros(len(self.sources), dtype=np.bool_)
        for recorded in (self.by_nsys, self.by_rocprof):
            other[: len(recorded)] |= np.array(recorded, dtype=np.bool_)
        return ~other

    @cached_property
    def launch_time_ns(self) -> Int:
        """When the host launched each row: its api call, else its own start; int64 (n,)."""
        launches, apis = self.launches, self.apis
        times = launches.start_ns.copy()
        linked = launches.api >= 0
        times[linked] = apis.start_ns[launches.api[linked]]
        return times

    @cached_property
    def without_times(self) -> Bool:
        """Launches that a table of sums stands for: their times and places are nowhere; (n,)."""
        launches = self.launches
        if all(notice.slug != "sums-only" for notice in self.notices):
            return np.zeros(len(launches), dtype=np.bool_)
        # other traces may be beside the table: a profiler that saw a launch saw its stream
        return np.less(launches.stream, 0) & ~launches.on_cpu


class CapturedCall(Struct, frozen=True, kw_only=True):
    """A call that ran while the graph was captured.

    `nodes` are the ids that profilers give to the nodes it made (`Launches.graph_node`), None where
    the driver did not report them.
    """

    index: int
    wrapper: str
    handle: int | None = None
    nodes: tuple[int, ...] | None = None


class CapturedRun(Struct, frozen=True, kw_only=True):
    """One execution of a compiled graph, or the part of it that was captured, calls in order.

    `digest` is that of its code (`CompiledGraph.digest`).
    """

    digest: str
    calls: tuple[CapturedCall, ...]
    name: str | None = None


class CapturedGraph(Struct, frozen=True, kw_only=True):
    """A CUDA graph: the runs that were captured into it, in order; `process` as in `Launches`."""

    process: int
    runs: tuple[CapturedRun, ...]
    source: str

    @property
    def has_node_ids(self) -> bool:
        """Whether the driver reported the ids of its nodes."""
        return any(call.nodes for run in self.runs for call in run.calls)
