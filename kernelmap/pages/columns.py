"""Which columns of each table people see first, and what no column can tell.

Takes rows, gives texts. `rank` says what gives way first where there is little room: the highest.
Time, share and bar are drawn for every table and are not listed here. Below the table of graphs
stands which functions were compiled again, and why, and which graphs ended early, and where.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model.module_paths import ROOT_MODULE
from kernelmap.model.notices import format_count
from kernelmap.model.roofline import ODD_SHARE
from kernelmap.pages.page import CellKind, Points
from kernelmap.pages.text import (
    format_duration,
    format_percent,
    format_place,
    format_rate,
    rate_unit,
)
from kernelmap.tables.rows import Row, name_of_line, whole_number


def compilations(rows: Sequence[Row]) -> list[Points]:
    """What the log says of recompilations and of graph breaks; nothing where it says nothing."""
    again, breaks = tuple(_again(rows)), tuple(_breaks(rows))
    notes = []
    if again:
        notes.append(Points("Compiled more than once", again))
    if breaks:
        notes.append(Points("Graph breaks", breaks))
    return notes


_FEWEST = 3
"""Steps in a row that make a steady state. Two are alike by chance wherever two kinds take turns;
what a server does for three steps it goes on doing (chosen; no recording shows a limit)."""


def steadiest_kind(rows: Sequence[Row]) -> Row | None:
    """The row of step kinds whose longest run is the steady state; None of a few steps."""
    runs = [row for row in rows if row["run_first"] is not None]
    longest = max(runs, key=_steps_in_run, default=None)
    return None if longest is None or _steps_in_run(longest) < _FEWEST else longest


def say_steady_state(rows: Sequence[Row]) -> str | None:
    """The longest run of like steps, and how it is counted alone; None of a few steps."""
    longest = steadiest_kind(rows)
    if longest is None:
        return None
    first, last = longest["run_first"], longest["run_last"]
    like = f"{longest['kind']}, batch {longest['batch']}"
    if longest["batch"] is None:
        like = str(longest["kind"])
    number = format_count(_steps_in_run(longest), "step")
    return f"steps {first} to {last}: {number} of {like}. --steps {first}:{last} counts these alone"


def steady_state(rows: Sequence[Row]) -> list[Points]:
    """The same as a note of its own."""
    told = say_steady_state(rows)
    return [] if told is None else [Points("Steady state", ((1, told),))]


def _steps_in_run(row: Row) -> int:
    """How many steps the longest run of a row has; 0 without one."""
    if row["run_first"] is None:
        return 0
    return whole_number(row, "run_last") - whole_number(row, "run_first") + 1


def say_longest_run(row: Row) -> str:
    """The first and the last step of the longest run; nothing of one step alone."""
    if _steps_in_run(row) < 2:  # noqa: PLR2004 -- one step is no run
        return ""
    return f"{row['run_first']} to {row['run_last']}"


def what_operators_lack(rows: Sequence[Row]) -> list[Points]:
    """What to record for the columns of operators that say nothing in this profile."""
    known = [row for row in rows if not str(row["name"]).startswith("(")]
    lacks = []
    if known and all(row["input_shapes"] is None for row in known):
        lacks.append("No shapes were recorded: torch.profiler.profile(record_shapes=True)")
    if known and all(row["python_call"] is None for row in known):
        lacks.append("No Python frames were recorded: torch.profiler.profile(with_stack=True)")
    return [Points("To record", tuple((1, text) for text in lacks))] if lacks else []


def say_busy_share(row: Row) -> str:
    """The part of the time of these steps in which the device did anything."""
    step_ns, busy_ns = row["step_ns"], row["busy_ns"]
    if not isinstance(step_ns, int) or not isinstance(busy_ns, int) or not step_ns:
        return ""
    return format_percent(busy_ns / step_ns)


def say_utilization(row: Row) -> str:
    """The MFU of a step kind, `at least` where the work of some of its launches is not known."""
    mfu, known_ns = row["mfu"], row["model_known_ns"]
    if not isinstance(mfu, float) or not isinstance(known_ns, int):
        return ""
    least = "at least " if known_ns < whole_number(row, "time_ns") else ""
    return least + format_percent(mfu)


def _again(rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    """Per function its compilations in order, with what each costs and what made it necessary."""
    # Graphs of each function that was compiled more than once, by function and the place it is
    # defined.
    functions: dict[tuple[object, object], list[Row]] = defaultdict(list)
    for row in rows:
        if whole_number(row, "compilations") > 1:
            functions[row["function"], row["source"]].append(row)
    for (function, source), compiled in functions.items():
        number = max(whole_number(row, "compilations") for row in compiled)
        yield 1, f"{function} ({format_place(source)}): {format_count(number, 'compilation')}"
        # A compilation may give several graphs, such as forward and backward.
        by_number: dict[int, list[Row]] = defaultdict(list)
        for row in compiled:
            by_number[whole_number(row, "compilation")].append(row)
        for _, graphs in sorted(by_number.items()):
            yield 2, f"{_id(graphs)}  {_cost(graphs)}"
            guard = next((row["failed_guard"] for row in graphs if row["failed_guard"]), None)
            if guard is not None:
                yield 3, f"because this did not hold: {guard}"


def _cost(graphs: Sequence[Row]) -> str:
    """`forward 12 runs of 8.1 µs, backward 12 runs of 20.3 µs`."""
    parts = []
    # The backward comes behind its forward.
    for row in sorted(graphs, key=lambda row: row["kind"] == "backward"):
        mean = row["mean_ns"]
        runs = format_count(whole_number(row, "invocations"), "run")
        ran = f"{runs} of {format_duration(mean)}" if isinstance(mean, int) else "not seen to run"
        parts.append(f"{row['kind'] or row['graph']} {ran}")
    return ", ".join(parts)


def _breaks(rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    # Graphs of several compilations may end at the same line for the same reason: that is said
    # once.
    compile_ids: dict[tuple[object, str], list[str]] = defaultdict(list)
    for row in rows:
        texts = row["graph_breaks"]
        for text in texts if isinstance(texts, list) else ():
            ids = compile_ids[row["function"], text]
            if str(row["compile_id"]) not in ids:
                ids.append(str(row["compile_id"]))
    for (function, text), ids in compile_ids.items():
        where, colon, reason = text.partition(": ")
        named = f"{function} ({', '.join(sorted(ids))})" if function else ", ".join(sorted(ids))
        yield 1, f"{named} at {format_place(where)}{colon}{reason}"


def _id(graphs: Sequence[Row]) -> str:
    return ", ".join(dict.fromkeys(str(row["compile_id"]) for row in graphs))


CellText: TypeAlias = Callable[[Row], str]


class Extra(Struct, frozen=True, kw_only=True):
    """One more column beside the title.

    `fitted` makes it anew for the rows that are shown, in a unit that fits. A column that `tells`
    is what tells rows of one title apart, and stays beside it. `adds_up`: it shows the part of the
    window that is a row's own.
    """

    header: str
    rank: int
    cell: CellText
    kind: CellKind = CellKind.TEXT
    fitted: Callable[[Sequence[Row]], Extra] | None = None
    tells: bool = False
    adds_up: bool = False

    def for_rows(self, rows: Sequence[Row]) -> Extra:
        """The column as these rows need it."""
        return self if self.fitted is None else self.fitted(rows)


class TableView(Struct, frozen=True, kw_only=True):
    """How one table is read: what a row is called, its title cell, its other columns.

    `time` names the columns that add up to the time of a row; `story` says what no column can.
    `with_inside` is the column of the time that is read first where rows lie in one another: a
    module with all modules in it. Then the times of rows do not add up, and a column says what is a
    row's own; `alone` is the view of that. `empty` says why there may be no row at all.
    """

    noun: str
    title: CellText
    extras: tuple[Extra, ...]
    path: bool = False
    time: tuple[str, ...] = ("time_ns",)
    story: Callable[[Sequence[Row]], list[Points]] | None = None
    with_inside: str | None = None
    alone: TableView | None = None
    time_header: str = "time"
    empty: str | None = None

    def time_ns(self, row: Row) -> int:
        """The time that is drawn for a row: with what lies in it, where the file says that."""
        if self.with_inside is not None and row[self.with_inside] is not None:
            return whole_number(row, self.with_inside)
        return self.own_ns(row)

    def own_ns(self, row: Row) -> int:
        """The time of a row alone: all rows of a table add up to the window."""
        return sum(whole_number(row, column) for column in self.time)

    def sorted_by(self, sort: str) -> TableView:
        """The same table as one reads it in the order `sort`: each row alone has its headroom."""
        return self if sort == "time" or self.alone is None else self.alone

    def ordered_extras(self, sort: str, *, speeds: bool) -> tuple[Extra, ...]:
        """The other columns of a table in the order `sort`: the columns sorted by come first.

        Without `speeds` none of them says how fast something is.
        """
        if sort == "time":
            return tuple(extra for extra in self.extras if speeds or extra not in SPEED)
        # Every other column gives way before the ones that the rows are sorted by.
        last = len(VIEWS)
        others = (
            replace(extra, rank=extra.rank + last) for extra in self.extras if extra not in SPEED
        )
        return (*SPEED, *others)

    def is_rest(self, row: Row) -> bool:
        """Whether the row has no owner or no time: such rows are drawn dim."""
        return self.title(row).startswith("(") or self.time_ns(row) == 0


def _text_column(column: str) -> CellText:
    return lambda row: str(row[column] or "")


def _code_of_line(row: Row) -> str:
    """The text of a line; nothing of a function, whose title says as much."""
    return "" if row["line"] is None else str(row["code"] or "")


def _list_column(column: str) -> CellText:
    def cell(row: Row) -> str:
        value = row[column]
        return ", ".join(value) if isinstance(value, list) else ""

    return cell


def _caller_of_row(row: Row) -> str:
    """The function around an operator, without the folders of its file."""
    return "" if row["python_call"] is None else format_place(row["python_call"])


def _owner_of_row(row: Row) -> str:
    """An op or a module, and whether it ran outside compiled code, or nothing says."""
    name = str(row["name"])
    if name.startswith("(") or row["origin"] == "compiled":
        return name
    return f"{name} · {'outside' if row['origin'] == 'outside' else 'unknown'}"


def name_of_module(path: str) -> str:
    """A module by its path; the one that all paths count from is called so."""
    return f"{path} (the compiled module)" if path == ROOT_MODULE else path


def _kernel_of_row(row: Row) -> str:
    return str(row["wrapper"] or row["device_name"] or "(no name)")


def _device_name(row: Row) -> str:
    """What the device runs it under, where the code has another name for it."""
    # Without a wrapper the device name is the title already.
    named = row["wrapper"] is not None and row["device_name"] != row["wrapper"]
    return str(row["device_name"] or "") if named else ""


def _where_launched(row: Row) -> str:
    """The call of a launch, or how many could be it."""
    candidates = row["candidates"]
    if isinstance(candidates, list):
        return format_count(len(candidates), "candidate")
    return str(row["call"] or "")


def _outside_op(row: Row) -> str:
    """The op of a launch without a call."""
    return "" if row["call"] else str(row["op"] or "")


def _time_column(header: str, rank: int, column: str, *, adds_up: bool = False) -> Extra:
    def cell(row: Row) -> str:
        value = row[column]
        return format_duration(value) if isinstance(value, int) and value else ""

    return Extra(header=header, rank=rank, cell=cell, kind=CellKind.NUMBER, adds_up=adds_up)


def _number_column(header: str, rank: int, column: str | None = None) -> Extra:
    def cell(row: Row) -> str:
        value = row[column or header]
        return f"{value:,}" if value else ""

    return Extra(header=header, rank=rank, cell=cell, kind=CellKind.NUMBER)


def _slow_of_row(row: Row) -> str:
    """The few launches that decide a row: `1 of 4: 2.66 ms`."""
    slow, time_ns = row["slow_launches"], row["slow_ns"]
    if not isinstance(slow, int) or not isinstance(time_ns, int):
        return ""
    return f"{slow:,} of {row['launches']:,}: {format_duration(time_ns)}"


def _share_of_limit(row: Row) -> str:
    """The share of the limit; what no device can do is marked."""
    value = row["share_of_limit"]
    if not isinstance(value, float):
        return ""
    return format_percent(value) if value <= ODD_SHARE else f"{format_percent(value)} !"


def _rate_column(unit: str, rank: int, column: str) -> Extra:
    """A column of rates, in the largest unit in which one of the rows is 1 or more."""

    def fitted(rows: Sequence[Row]) -> Extra:
        # One unit for all rows shown, so that they can be compared at a glance.
        rates = [value for row in rows if isinstance(value := row[column], int | float)]
        factor, fitting = rate_unit(max(rates, default=0), unit)

        def cell(row: Row) -> str:
            value = row[column]
            return format_rate(value * factor) if isinstance(value, int | float) else ""

        return Extra(header=fitting, rank=rank, cell=cell, kind=CellKind.NUMBER)

    return replace(fitted(()), fitted=fitted)


def _headroom_of_row(row: Row) -> str:
    return "" if row["headroom_ns"] is None else format_duration(whole_number(row, "headroom_ns"))


HEADROOM = Extra(header="headroom", rank=1, cell=_headroom_of_row, kind=CellKind.NUMBER)
SPEED = (
    HEADROOM,
    Extra(header="of limit", rank=1, cell=_share_of_limit, kind=CellKind.NUMBER),
    Extra(header="bound", rank=2, cell=_text_column("bound"), kind=CellKind.WORD),
    _rate_column("GB/s", 2, "gbps"),
    _rate_column("TFLOP/s", 3, "tflops"),
)
"""What a device could do with the same work; nothing where that was not asked for."""


def _gauge_column(header: str, rank: int, column: str, samples: str) -> Extra:
    """A column of means, each with the number of samples that it is of: a few tell little."""

    def cell(row: Row) -> str:
        value = row[column]
        return f"{value:,.0f} ({row[samples]:,})" if isinstance(value, int | float) else ""

    return Extra(header=header, rank=rank, cell=cell, kind=CellKind.NUMBER)


def _energy_of_row(row: Row) -> str:
    """Joules, of what is little in thousandths."""
    value = row["joules"]
    if not isinstance(value, int | float):
        return ""
    return f"{format_rate(value)} J" if value >= 1 else f"{format_rate(1000 * value)} mJ"


_GAUGES = (
    _gauge_column("SM MHz (samples)", 6, "sm_mhz", "clock_samples"),
    _gauge_column("watts (samples)", 7, "watts", "power_samples"),
    Extra(header="energy", rank=7, cell=_energy_of_row, kind=CellKind.NUMBER),
    _gauge_column("DRAM % (samples)", 8, "dram_percent", "pm_samples"),
    _gauge_column("SM % (samples)", 8, "sm_percent", "pm_samples"),
)
"""What was sampled of the GPU meanwhile; nothing where nothing was."""


def _percent_column(header: str, column: str) -> Extra:
    """A column of percents that Nsight Compute counted."""

    def cell(row: Row) -> str:
        value = row[column]
        return f"{value:,.0f}" if isinstance(value, int | float) else ""

    return Extra(header=header, rank=6, cell=cell, kind=CellKind.NUMBER)


_COUNTERS = (
    _percent_column("DRAM %", "ncu_dram_percent"),
    _percent_column("L2 hit %", "ncu_l2_hit_percent"),
    _percent_column("SM %", "ncu_sm_percent"),
    _percent_column("tensor %", "ncu_tensor_percent"),
    _percent_column("occupancy %", "ncu_occupancy_percent"),
    _number_column("registers", 7, "ncu_registers"),
    Extra(header="stalls", rank=8, cell=_list_column("ncu_stalls"), kind=CellKind.LIST),
)
"""What Nsight Compute counted; nothing where it counted nothing."""


def say_counters(row: Row) -> str | None:
    """What Nsight Compute counted of a row, in a line; None where it counted nothing."""
    texts = [
        f"{extra.header.removesuffix(' %')} {cell} %"
        for extra in _COUNTERS[:5]
        if (cell := extra.cell(row))
    ]
    if registers := _COUNTERS[5].cell(row):
        texts.append(f"{registers} registers")
    if stalls := _COUNTERS[6].cell(row):
        texts.append(f"warps stall: {stalls}")
    return ", ".join(texts) or None


_SLOW = Extra(header="slow launches", rank=1, cell=_slow_of_row, kind=CellKind.NUMBER)
_BOUNDS = (_time_column("at least", 2, "exclusive_ns"), _time_column("at most", 2, "involved_ns"))
_OWNERS = (
    *_BOUNDS,
    _time_column("backward", 5, "backward_ns"),
    _number_column("calls", 4),
    _number_column("launches", 3),
    _SLOW,
    *SPEED,
)

VIEWS: Mapping[str, TableView] = {
    "ops": TableView(noun="original op", title=_owner_of_row, extras=(*_OWNERS, *_GAUGES)),
    "modules": TableView(
        noun="module",
        title=lambda row: name_of_module(_owner_of_row(row)),
        with_inside="total_ns",
        alone=TableView(
            noun="module",
            title=lambda row: name_of_module(_owner_of_row(row)),
            extras=_OWNERS,
            time_header="own",
        ),
        extras=(
            _time_column("own", 1, "time_ns", adds_up=True),
            _time_column("at least", 3, "total_exclusive_ns"),
            _time_column("at most", 3, "total_involved_ns"),
            _time_column("backward", 4, "total_backward_ns"),
            _time_column("torch's word", 4, "noted_ns"),
            _number_column("calls", 6, "total_calls"),
            _number_column("launches", 5, "total_launches"),
            _SLOW,
        ),
    ),
    "nodes": TableView(
        noun="graph node",
        title=_text_column("name"),
        extras=(
            _BOUNDS[1],
            _number_column("calls", 4),
            Extra(header="graph", rank=3, cell=_text_column("graph"), kind=CellKind.ID, tells=True),
            Extra(header="target", rank=6, cell=_text_column("target")),
            Extra(header="original ops", rank=5, cell=_list_column("ops"), kind=CellKind.LIST),
        ),
    ),
    "lines": TableView(
        noun="source line",
        title=name_of_line,
        path=True,
        time=("time_ns", "backward_ns"),
        extras=(
            Extra(header="code", rank=2, cell=_code_of_line, kind=CellKind.CODE),
            _time_column("forward", 3, "forward_ns"),
            _time_column("backward", 3, "backward_ns"),
            _time_column("torch's word", 3, "noted_ns"),
            _time_column("at most", 4, "involved_ns"),
            _number_column("calls", 5),
            _SLOW,
            *SPEED,
            *_GAUGES,
        ),
    ),
    "graphs": TableView(
        noun="graph",
        title=_text_column("graph"),
        extras=(
            Extra(header="kind", rank=4, cell=_text_column("kind")),
            Extra(
                header="compile id", rank=2, cell=_text_column("compile_id"), kind=CellKind.NUMBER
            ),
            _number_column("invocations", 3),
            _time_column("mean", 3, "mean_ns"),
            Extra(header="cache", rank=5, cell=_text_column("cache"), kind=CellKind.NUMBER),
            _time_column("compile", 6, "compile_ns"),
            _time_column("busy", 7, "busy_ns"),
            _number_column("calls", 8),
            Extra(header="code", rank=9, cell=_text_column("code"), kind=CellKind.PATH),
        ),
        story=compilations,
    ),
    "calls": TableView(
        noun="call",
        title=_text_column("wrapper"),
        extras=(
            Extra(header="where", rank=2, cell=_text_column("call"), kind=CellKind.ID, tells=True),
            _number_column("launches", 3),
            _time_column("median", 4, "p50_ns"),
            _SLOW,
            *SPEED,
            *_GAUGES,
            *_COUNTERS,
            Extra(header="original ops", rank=5, cell=_list_column("ops"), kind=CellKind.LIST),
        ),
    ),
    "kernels": TableView(
        noun="kernel",
        title=_kernel_of_row,
        extras=(
            _number_column("launches", 2),
            _number_column("calls", 3),
            Extra(header="graph", rank=6, cell=_text_column("graph"), kind=CellKind.ID, tells=True),
            Extra(header="device name", rank=5, cell=_device_name, tells=True),
            *SPEED,
            *_COUNTERS,
            Extra(header="original ops", rank=4, cell=_list_column("ops"), kind=CellKind.LIST),
        ),
    ),
    "step_kinds": TableView(
        noun="step kind",
        title=_text_column("kind"),
        extras=(
            _number_column("batch", 1),
            _number_column("steps", 1),
            _time_column("mean", 2, "mean_ns"),
            Extra(header="busy", rank=2, cell=say_busy_share, kind=CellKind.NUMBER),
            Extra(header="MFU", rank=3, cell=say_utilization, kind=CellKind.NUMBER),
            _number_column("tokens", 3),
            _number_column("launches", 5),
            Extra(header="longest run", rank=4, cell=say_longest_run, kind=CellKind.NUMBER),
            Extra(header="engine", rank=6, cell=_text_column("engine")),
        ),
        story=steady_state,
        empty="No step of a serving engine is marked in this window.",
    ),
    "operators": TableView(
        noun="operator",
        title=_owner_of_row,
        extras=(
            Extra(header="inputs", rank=2, cell=_text_column("input_shapes"), kind=CellKind.CODE),
            Extra(header="called in", rank=3, cell=_caller_of_row),
            _number_column("launches", 4),
        ),
        story=what_operators_lack,
        empty="The shapes of operators were not asked for: `correlate --by operator` reads them.",
    ),
    "launches": TableView(
        noun="launch",
        title=_text_column("name"),
        time=("dur_ns",),
        extras=(
            _time_column("start", 2, "start_ns"),
            Extra(header="confidence", rank=1, cell=_text_column("confidence")),
            Extra(header="call", rank=1, cell=_where_launched, kind=CellKind.ID),
            Extra(header="op", rank=4, cell=_outside_op),
            Extra(header="reason", rank=3, cell=_text_column("reason"), kind=CellKind.SENTENCE),
        ),
    ),
}
