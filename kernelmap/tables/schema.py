"""Every column of every table, named once: type, unit, meaning.

Takes nothing, gives records; standard library only, so that the command line can name the tables
without loading pandas. Left out: how a type is kept in memory (frames.py) and in a file
(tables/parquet.py). docs/columns.md is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kernelmap.tables.table import (
    Column,
    Table,
    Type,
    Unit,
    int_column,
    int_or_null,
    ns_column,
    ns_or_null,
    text_column,
    text_or_null,
    texts_column,
)

_SHARE = Column(
    name="share",
    type=Type.FLOAT,
    help="time_ns over all time of the window; null where the window has none",
    unit=Unit.ONE,
    nullable=True,
)
_SLOW = (
    int_or_null(
        "slow_launches", "how many slow launches hold most of the row, where a few do; else null"
    ),
    ns_or_null("slow_ns", "their part of the row's time"),
)
_NOTED = ns_or_null(
    "noted_ns",
    "the part of its time that is its own by the word of torch's own tools alone: stacks that its"
    " trace handler wrote, labels of CUDA graphs",
)
_BY_TIME = "time_ns, longest first"


def _work_column(name: str, type_: Type, text: str, unit: Unit | None = None) -> Column:
    return Column(name=name, type=type_, help=text, unit=unit, nullable=True)


SPEED = (
    _work_column(
        "bytes",
        Type.INT,
        "bytes that its calls move, measured ones before computed ones; these count every operand"
        " once, at most",
    ),
    _work_column(
        "flops",
        Type.INT,
        "floating-point operations: products, and the arithmetic of generated kernels",
    ),
    _work_column(
        "gbps", Type.FLOAT, "bytes over the time of the calls they are of: 10^9 bytes per second"
    ),
    _work_column("tflops", Type.FLOAT, "flops over the same time: 10^12 operations per second"),
    _work_column(
        "share_of_limit",
        Type.FLOAT,
        "the time that the same work needs at the device's limits, over the time of the calls whose"
        " limit is known; above 1 something is odd",
        Unit.ONE,
    ),
    _work_column(
        "bound", Type.TEXT, "memory, compute or latency: what most of its time is bound by"
    ),
    _work_column(
        "headroom_ns", Type.INT, "time beyond the limit, at most what can be won", Unit.NS
    ),
    _work_column(
        "computed_bytes",
        Type.INT,
        "bytes that its calls move by the code, every operand counted once; at most",
    ),
    _work_column(
        "bytes_from",
        Type.TEXT,
        "where bytes are known from: measured (Nsight Compute counted those of the device's"
        " memory), computed (by the code), or both of some calls each",
    ),
    _work_column(
        "bound_from",
        Type.TEXT,
        "where bound is known from: measured (DRAM and L2 or the SMs at 60 % and more of what they"
        " can, else latency), computed (by the limits), or both",
    ),
)
"""What calls do, against what their device can do: null where it is not known or not asked for."""

COUNTERS = (
    _work_column(
        "ncu_launches", Type.INT, "its kernels of which Nsight Compute counted one that is alike"
    ),
    _work_column(
        "ncu_confidence",
        Type.TEXT,
        "how sure it is that what was counted is of it: inferred at best, as a report is of"
        " another run",
    ),
    _work_column("ncu_dram_percent", Type.FLOAT, "throughput of DRAM in % of its peak"),
    _work_column("ncu_l2_percent", Type.FLOAT, "throughput of the L2 cache in % of its peak"),
    _work_column("ncu_l2_hit_percent", Type.FLOAT, "part of the accesses that L2 serves, in %"),
    _work_column("ncu_sm_percent", Type.FLOAT, "throughput of the SMs in % of their peak"),
    _work_column(
        "ncu_tensor_percent", Type.FLOAT, "cycles in which the tensor cores are busy, in %"
    ),
    _work_column("ncu_occupancy_percent", Type.FLOAT, "achieved occupancy in %"),
    _work_column(
        "ncu_registers", Type.INT, "registers of each thread, of the kernel with the most time"
    ),
    _work_column("ncu_local_bytes", Type.INT, "bytes through local memory, where spills lie"),
    _work_column(
        "ncu_stalls",
        Type.TEXTS,
        "the first three causes for which warps wait, with the part of their time",
    ),
)
"""What Nsight Compute counted: null where no report has its launches, or not this metric. Percents
are means over the time of its launches."""

GAUGES = (
    _work_column(
        "sm_mhz",
        Type.FLOAT,
        "mean clock of the SMs over the samples that fell into its launches, in MHz",
    ),
    _work_column("clock_samples", Type.INT, "how many these are, counted for each launch"),
    _work_column(
        "watts", Type.FLOAT, "mean power of the device over the samples that fell into its launches"
    ),
    _work_column(
        "joules",
        Type.FLOAT,
        "its part of the energy of the device; null where samples are too few or far apart",
    ),
    _work_column("power_samples", Type.INT, "how many samples of the power fell into its launches"),
    _work_column(
        "temperature_c", Type.FLOAT, "mean temperature over the samples in its launches, in °C"
    ),
    _work_column("temperature_samples", Type.INT, "how many these are"),
    _work_column(
        "dram_percent",
        Type.FLOAT,
        "mean throughput of the device's memory in % of its peak, over the sampled intervals that"
        " lie within one of its launches",
    ),
    _work_column("sm_percent", Type.FLOAT, "mean part of the cycles in which SMs are active, in %"),
    _work_column("pm_samples", Type.INT, "how many intervals both are of"),
)
"""What was sampled of the GPU while its launches ran: null where nothing was. Numbers of samples
are 0 where a counter was recorded and none of its samples fell into a launch."""

LAUNCHES = Table(
    name="launches",
    row="one GPU activity; in a CPU profile, the host range of one call, or another operator",
    order="launch",
    columns=(
        int_column("launch", "position in the trace, from 0"),
        text_column("name", "device name, as the trace shows it"),
        text_column("activity", "kernel, memcpy, memset, graph or cpu"),
        ns_column("start_ns", "start, from the first event of the earliest trace"),
        ns_column(
            "dur_ns", "duration; of an operator that no call of a CPU profile has, its self time"
        ),
        int_or_null("device", "device number; null on the CPU"),
        int_or_null("stream", "stream number"),
        text_or_null("pid", "process, as the trace names it"),
        int_or_null("rank", "rank of a distributed run"),
        int_or_null("correlation", "number that ties the launch to its api call"),
        int_or_null("graph_node", "node of a captured CUDA graph"),
        int_column("event", "position in the source"),
        text_or_null("call", "the call it belongs to; null where none or several stand"),
        int_or_null("invocation", "execution of the graph, per process, from 0"),
        int_or_null("step", "ProfilerStep number"),
        text_or_null("wrapper", "the call's name in the code, also where all candidates share it"),
        text_or_null("kernel_file", "file of the kernel, as the trace exports it"),
        text_or_null("op", "ATen op of a launch outside compiled code, or of an unknown one"),
        text_or_null("method", "what decided the row"),
        text_column("confidence", "exact, inferred, ambiguous, outside or unknown"),
        texts_column("candidates", "the calls that an ambiguous launch may belong to"),
        text_or_null("reason", "why the launch belongs to no call, or why several stand"),
        text_or_null(
            "source",
            "of an outside or unknown one with Python frames: the function that launched it, or"
            " whose backward it is, `in f (file:line)`",
        ),
        texts_column(
            "torch_lines", "lines (`file:line`) that torch's own trace handler wrote beside it"
        ),
        text_or_null("label", "how the program labelled its node of a CUDA graph"),
    ),
)

CALLS = Table(
    name="calls",
    row="one statement of generated code that launches work; rest rows have no call",
    order=_BY_TIME,
    columns=(
        text_or_null("call", "graph/index"),
        text_or_null("graph", "the graph it stands in"),
        int_or_null("index", "position in the graph, from 0 in program order"),
        text_or_null("code", "file of the generated code"),
        int_or_null("line", "line of the statement, from 1"),
        text_column(
            "wrapper", "the name the call is written with; a rest row's name in parentheses"
        ),
        int_or_null("handle", "provenance debug handle"),
        text_or_null("backend", "triton, cpp, extern, user, template, combo, multi or glue"),
        text_or_null("category", "Triton's kind of kernel: poi, red, per, tem, for or spl"),
        texts_column("nodes", "post-grad nodes of the FX graph"),
        texts_column("ops", "original ATen ops it is charged to or involves, such as views"),
        texts_column("source", "lines of the user's source, file:line"),
        int_column("launches", "launches that belong to it"),
        ns_column("time_ns", "sum of their durations"),
        ns_column("busy_ns", "union of their intervals over the streams of a device"),
        ns_or_null("mean_ns", "mean per invocation that launched it"),
        ns_or_null("p50_ns", "median per invocation"),
        ns_or_null("p95_ns", "95th percentile per invocation"),
        _SHARE,
        text_or_null("fingerprint", "what it computes, whatever it is called; equal ones count ~1"),
        texts_column("parts", "node by node what it computes: target, dtype and shape"),
        text_or_null("body", "digest of its kernel's code, names taken out"),
        texts_column("device_names", "the names that the device ran it under, most time first"),
        text_or_null("config", "block sizes, num_warps and num_stages of most of its launches"),
        *_SLOW,
        *SPEED,
        text_or_null(
            "semantic_key", "what torch calls the work of a library call, alike for every device"
        ),
        *GAUGES,
        *COUNTERS,
    ),
)

KERNELS = Table(
    name="kernels",
    row="one kernel: a definition in the code and the name the device runs it under",
    order=_BY_TIME,
    columns=(
        text_or_null("wrapper", "the kernel's name in the code; null outside compiled code"),
        text_or_null("device_name", "the name in the trace"),
        text_or_null("graph", "the graph whose code defines it"),
        text_or_null("path", "where Inductor kept the kernel"),
        texts_column(
            "ops",
            "original ATen ops that have time of it; those that a call merely involves, such as"
            " views, stand in calls alone",
        ),
        int_column("calls", "calls that run it"),
        int_column("launches", "its launches"),
        ns_column("time_ns", "sum of their durations"),
        _SHARE,
        *SPEED,
        *COUNTERS,
    ),
)


_TOTAL = (
    ns_or_null(
        "total_ns", "time_ns of it and of all modules in it; null in files of earlier versions"
    ),
    ns_or_null("total_exclusive_ns", "lower bound of total_ns: calls of nothing but these"),
    ns_or_null("total_involved_ns", "upper bound of total_ns: all calls that one is part of"),
    ns_or_null("total_backward_ns", "the part of total_ns that ran in backward graphs"),
    int_or_null("total_launches", "launches of the calls that one of them is in"),
    int_or_null("total_calls", "calls that one of them is in"),
)
"""Of a module with all modules in it: the other columns are its own part, and add up."""


def _table_of_owners(name: str, owner: str, *more: Column) -> Table:
    """The table of original ops or of modules: the same columns, and `more` of its own."""
    return Table(
        name=name,
        row=f"one {owner}; a name in parentheses holds the time that has none",
        order=_BY_TIME,
        columns=(
            text_column("name", f"the {owner}"),
            text_column("origin", "compiled, outside (ran outside compiled code) or none"),
            ns_column("time_ns", "its part of the time of the calls it is in"),
            ns_column("exclusive_ns", "lower bound (`at least`): calls that are it alone"),
            ns_column("involved_ns", "upper bound (`at most`): all calls it is part of"),
            ns_column("backward_ns", "the part of time_ns that ran in backward graphs"),
            int_column("launches", "launches of the calls it is in"),
            int_column("calls", "calls it is in"),
            _SHARE,
            *_SLOW,
            *SPEED,
            *more,
        ),
    )


OPS = _table_of_owners("ops", "original op", *GAUGES)
MODULES = _table_of_owners("modules", "module", *_TOTAL, _NOTED)

NODES = Table(
    name="nodes",
    row="one node of a graph",
    order=_BY_TIME,
    columns=(
        text_or_null("graph", "the graph it belongs to"),
        text_column("name", "the node; a rest row's name in parentheses"),
        text_or_null("target", "what the node calls"),
        text_or_null("stage", "pre_grad or post_grad"),
        ns_column("time_ns", "its part of the time of the calls it is in"),
        ns_column("involved_ns", "upper bound (`at most`): all calls it is part of"),
        int_column("calls", "calls it is in"),
        _SHARE,
        texts_column("ops", "original ATen ops that its time counts for"),
    ),
)

LINES = Table(
    name="lines",
    row="one line of the user's source; of eager code one function, whose statements are not known",
    order="time_ns and backward_ns together, longest first",
    columns=(
        text_column("file", "the file; a rest row's name in parentheses"),
        int_or_null("line", "the line, from 1; null in the row of a function and in rest rows"),
        text_or_null("code", "its text; of eager code the function, `in forward`"),
        ns_column(
            "time_ns", "its part of all time but that in backward graphs and eager backwards"
        ),
        ns_column("backward_ns", "its part of the time in backward graphs and eager backwards"),
        ns_column("involved_ns", "upper bound (`at most`): all calls it is part of"),
        int_column("calls", "calls it is in"),
        replace(_SHARE, help=_SHARE.help.replace("time_ns", "time_ns and backward_ns", 1)),
        int_or_null("launches", "launches of the calls it is in, and those launched from it"),
        *_SLOW,
        *SPEED,
        ns_or_null("forward_ns", "the part of time_ns in forward graphs; null in rest rows"),
        int_or_null(
            "function_line",
            "of a function: the line at which it was entered, where it begins or, of a generator,"
            " goes on; null where that is not known",
        ),
        _NOTED,
        *GAUGES,
    ),
)

GRAPHS = Table(
    name="graphs",
    row="one piece of generated code with a call(); rest rows hold the time of none",
    order=_BY_TIME,
    columns=(
        text_column("graph", "the graph; a rest row's name in parentheses"),
        text_or_null("compile_id", "Dynamo's compile id; several where they share the code"),
        text_or_null("aot_id", "AOTAutograd's id"),
        text_or_null("cache_key", "key in the FX graph cache"),
        text_or_null("code", "file of the generated code"),
        text_or_null("kind", "forward, backward or inference"),
        int_column("invocations", "executions seen in the window"),
        int_column("calls", "calls in its code"),
        ns_column("time_ns", "sum of the durations of its launches"),
        ns_column("busy_ns", "union of their intervals over the streams of a device"),
        ns_or_null("mean_ns", "mean per invocation"),
        text_or_null("function", "the Python function that was compiled"),
        text_or_null("source", "`file:line` where it begins"),
        int_or_null("compilation", "which compilation of that function this was, from 1"),
        int_or_null("compilations", "how many compilations of that function the log has"),
        text_or_null("cache", "hit, miss or bypass of the FX graph cache; null with caches off"),
        text_or_null("failed_guard", "the guard whose failure made it compile again"),
        texts_column("graph_breaks", "`file:line: reason` of what ended the graph early"),
        ns_or_null("compile_ns", "time to compile the function, or a backward compiled later"),
        text_or_null("fingerprint", "what its calls compute, whatever they are called"),
    ),
)

INVOCATIONS = Table(
    name="invocations",
    row="one call in one execution of its graph; those of a call add up to its row in calls",
    order="program order of the calls, rest rows last; then op, process, invocation and step",
    columns=(
        text_or_null("graph", "the graph; null in rest rows"),
        text_or_null("call", "graph/index; null in rest rows"),
        text_column(
            "wrapper", "the name the call is written with; a rest row's name in parentheses"
        ),
        text_or_null("pid", "process, as the trace names it"),
        int_or_null("rank", "rank of a distributed run"),
        int_or_null(
            "invocation", "execution of the graph, per process, from 0; null where not known"
        ),
        int_or_null("step", "ProfilerStep number"),
        int_column("launches", "launches of the call in it"),
        ns_column("time_ns", "sum of their durations"),
        text_or_null("op", "ATen op of time outside compiled code"),
    ),
)

LEDGER = Table(
    name="ledger",
    row="one confidence and activity: every launch of the window is in exactly one row",
    order="confidence, strongest first",
    columns=(
        text_column("bucket", "exact, inferred, ambiguous, outside or unknown"),
        text_column("activity", "kernel, memcpy, memset, graph or cpu"),
        text_column("side", "gpu or cpu; their times are never added together"),
        int_column("launches", "launches in the row"),
        ns_column("time_ns", "sum of their durations"),
        _SHARE,
    ),
)

WALL = Table(
    name="wall",
    row="one part of a step on one device, by cause, host event and source line; without steps, of"
    " the whole window. `correlate` writes null in JSON unless `--by wall` asks for it",
    order="device, then step, then time_ns, longest first",
    columns=(
        int_or_null("rank", "rank of a distributed run"),
        text_or_null("pid", "process whose steps these are, as the trace names it"),
        int_or_null("device", "device number"),
        int_or_null("step", "ProfilerStep number; null for the whole window"),
        text_column("part", "computing, communication (exposed), copy (exposed) or idle"),
        text_or_null(
            "cause",
            "why it is idle: synchronization, guards, graph-break, launching, compiling,"
            " loading-data, waiting or unknown; null where it is not",
        ),
        text_or_null("what", "the host's event, or the call or operator that the device awaits"),
        text_or_null(
            "source",
            "file:line of it, where that is known; from Python frames the function,"
            " `in f (file:line)`",
        ),
        int_column("stretches", "in how many pieces"),
        ns_column("time_ns", "time on the clock; the rows of a step add up to it"),
        ns_column("step_ns", "all time of the step on this device"),
        Column(name="share", type=Type.FLOAT, help="time_ns over step_ns", unit=Unit.ONE),
        ns_column("longest_ns", "the longest of its pieces"),
        ns_column("longest_start_ns", "start of that, from the first event of the earliest trace"),
    ),
)

STEP_KINDS = Table(
    name="step_kinds",
    row="all steps of one kind and batch that a serving engine ran; a kind in parentheses holds the"
    " time of steps that say none, and of no step. Null in JSON where no engine marked steps",
    order=_BY_TIME,
    columns=(
        text_column("kind", "prefill, decode, mixed, verify, draft or idle, as the engine says"),
        text_or_null("engine", "the engine whose ranges mark the steps"),
        int_or_null("batch", "requests in each of these steps"),
        int_column("steps", "how many steps these are"),
        int_or_null("tokens", "tokens that all of them computed; null where one does not say"),
        int_column("launches", "launches that the host issued in them"),
        ns_column("time_ns", "sum of the durations of these launches"),
        _SHARE,
        ns_or_null("mean_ns", "time_ns per step"),
        int_or_null(
            "run_first",
            "number of the step with which the longest run of them, one after the other, begins",
        ),
        int_or_null("run_last", "number of the step with which that ends"),
        ns_or_null("step_ns", "how long these steps lasted on their devices, on the clock"),
        ns_or_null("busy_ns", "the part of step_ns in which the device did anything"),
        int_or_null(
            "model_flops",
            "operations of products, convolutions and attention in them; null where the work of"
            " calls was not asked for",
        ),
        ns_or_null("model_known_ns", "the part of time_ns of which these operations are known"),
        Column(
            name="mfu",
            type=Type.FLOAT,
            help="model FLOPs utilization: the time that model_flops need at the peak of their"
            " dtypes, over step_ns; a lower bound where model_known_ns is less than time_ns",
            unit=Unit.ONE,
            nullable=True,
        ),
    ),
)

OPERATORS = Table(
    name="operators",
    row="one operator outside of compiled code with the shapes of its inputs and the Python that"
    " called it; a row in parentheses holds other time. Null in JSON where nobody asked for it",
    order=_BY_TIME,
    columns=(
        text_column("name", "the operator, as the table of ops names it"),
        text_column("origin", "outside, none where that cannot be said, compiled of a rest row"),
        text_or_null(
            "input_shapes",
            "the tensors that it was handed, as the FX graph writes them: `bf16[32, 2880]`; lists"
            " of tensors and single values are left out. Null where no shapes were recorded",
        ),
        text_or_null(
            "python_call",
            "with Python frames: the function that called it, or whose backward it is,"
            " `in f (file:line)`",
        ),
        int_column("launches", "launches of it"),
        ns_column("time_ns", "sum of their durations"),
        _SHARE,
    ),
)

LIFETIMES = Table(
    name="lifetimes",
    row="one buffer of a graph: what holds memory, as the code states it. Null in JSON where"
    " there is no code",
    order="graph by graph, in the order of birth",
    columns=(
        text_column("graph", "the graph whose code states it"),
        int_column("index", "position among all buffers of the graph, from 0"),
        text_column("name", "the wrapper's name for it"),
        text_column("kind", "input, saved, constant, buffer, output, workspace or pool"),
        int_or_null("bytes", "the bytes it holds; null where the code and the sizes do not say"),
        text_or_null("formula", "how the bytes depend on sizes that only a run has"),
        int_column(
            "peak_bytes",
            "the part of it that is alive when most is: they add up to the peak of the graph",
        ),
        text_or_null("shape", "its shape"),
        text_or_null("stride", "its strides"),
        text_or_null("dtype", "torch's name of its dtype"),
        text_or_null("device", "the device, as the code has it"),
        text_or_null("call", "the call that first writes to it"),
        text_or_null("origin", "of what a forward saved: the call of the forward that made it"),
        text_or_null("op", "the op of that call whose result it holds"),
        text_or_null("source", "`file:line` of that op"),
        text_or_null("last_use", "the last call that is handed it"),
        int_column("first", "index of the first call during which it is alive; -1: before any"),
        int_column("last", "index of the last such call; the number of calls: when all have run"),
        int_or_null("reuses", "index of the buffer whose memory it took over"),
        int_or_null("pool", "index of the pool in which it lies"),
        text_or_null("copies", "the buffer of which it only has the values, cast or laid out"),
        text_or_null("saved_for", "the backward graph for which its forward hands it out"),
    ),
)

_ALL = (
    LEDGER,
    WALL,
    STEP_KINDS,
    OPERATORS,
    OPS,
    CALLS,
    KERNELS,
    NODES,
    LINES,
    MODULES,
    GRAPHS,
    LIFETIMES,
    INVOCATIONS,
    LAUNCHES,
)
TABLES: Mapping[str, Table] = {table.name: table for table in _ALL}
"""All tables, in the order in which files and reports show them."""

LATER = (WALL.name, STEP_KINDS.name, OPERATORS.name, LIFETIMES.name)
"""Tables that are null in JSON where nobody asked for them, or no input tells them;
earlier versions do not have them."""

ON_REQUEST = (OPERATORS.name,)
"""Tables of LATER that no file and no kept run has unless somebody asks for them by name."""

LONG = (INVOCATIONS.name, LAUNCHES.name)
"""The tables that grow with the trace: made when asked for, in JSON on request only."""

SORTS: Mapping[str, str | None] = {"time": None, "headroom": "headroom_ns"}
"""The words of `--sort`, and the column that each one sorts by; None: as the tables come."""

BY: Mapping[str, str] = {
    "op": "ops",
    "call": "calls",
    "kernel": "kernels",
    "node": "nodes",
    "line": "lines",
    "module": "modules",
    "graph": "graphs",
    "launch": "launches",
    "wall": "wall",
    "step-kind": "step_kinds",
    "operator": "operators",
}
"""The words of `--by`, and the table that each one shows."""
