"""The tables of one correlation: what every writer shows and every user holds.

Takes the records of all parts, gives rows that hold to schema.py, and frames of them where they are
asked for. The tables that grow with the trace (invocations, launches) are made only then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import asdict, replace

from kernelmap.attribution.kernel_counters import CountedLaunches
from kernelmap.attribution.records import (
    Attribution,
    KernelTime,
    LedgerRow,
    LineTime,
    NodeTime,
    OpTime,
)
from kernelmap.commands import name_option
from kernelmap.errors import UsageError
from kernelmap.model import CompiledProgram, Confidence, Matching, Notice, Trace
from kernelmap.model.bundle import UnprofiledSteps
from kernelmap.model.matching import LaunchInputs
from kernelmap.model.memory import GraphMemory
from kernelmap.model.roofline import Roofline, StepUse
from kernelmap.model.savings import Savings
from kernelmap.model.steps import KindAndBatch
from kernelmap.model.wall_time import WallTimes
from kernelmap.suggestions import one_of
from kernelmap.tables.calls import how_calls_ran, rows_of_calls
from kernelmap.tables.configuration import Configuration
from kernelmap.tables.counters import NO_COUNTERS, add_counters
from kernelmap.tables.fingerprints import fingerprint_program
from kernelmap.tables.gauges import NO_GAUGES, cells_of_gauges
from kernelmap.tables.graphs import rows_of_graphs
from kernelmap.tables.later_frames import Frames
from kernelmap.tables.lifetimes import rows_of_lifetimes
from kernelmap.tables.operators import rows_of_operators
from kernelmap.tables.rows import Cell, Columns, Row, escape_unsound, rows_of, whole_number
from kernelmap.tables.schema import (
    INVOCATIONS,
    LAUNCHES,
    LEDGER,
    LIFETIMES,
    LINES,
    LONG,
    OPERATORS,
    SORTS,
    STEP_KINDS,
    TABLES,
    WALL,
)
from kernelmap.tables.speeds import NO_SPEED, add_speeds
from kernelmap.tables.step_kinds import rows_of_step_kinds, with_uses
from kernelmap.tables.summary import Summary, summarize
from kernelmap.tables.table import Table
from kernelmap.tables.wall import columns_of_wall
from kernelmap.tables.where import Where

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd

_SAME_NAMES = ("ops", "modules", "nodes", "lines", "kernels")
_ALL = slice(None)
_DERIVED = ("share", "slow_launches", "slow_ns", *NO_SPEED, *NO_GAUGES, *NO_COUNTERS)
_MOST_CALLS, _MOST_BYTES = 1 << 24, 1 << 48
"""Of a graph, and of a buffer: no code has more. What a damaged file says takes no memory."""
_Record = OpTime | NodeTime | LineTime | KernelTime


def order_column(word: str, name: str) -> str | None:
    """The column of the table `name` for a word of schema.SORTS, None for the order as made.

    Raises UsageError for another word, and where the table has no such order.
    """
    if word not in SORTS:
        hint = one_of(word, SORTS, "Use one of")
        raise UsageError("unknown-order", f"no table is sorted by {word!r}", hint)
    column = SORTS[word]
    if column is not None and column not in TABLES[name].by_name:
        hint = f"Calls, kernels, ops, modules and lines have: {name_option('by', 'call')}."
        raise UsageError("unknown-order", f"the table {name!r} has no {word}", hint)
    return column


class _TimedRecord(Protocol):
    """A record of attribution that is a row."""

    @property
    def time_ns(self) -> int:
        """Its time."""


class Tables(Struct, frozen=True, kw_only=True, dict=True):
    """Frames by table name; the long ones (schema.LONG) are made when they are asked for.

    What makes them is None in a file that left them out. `without` are tables of schema.LATER that
    nobody asked for, or that no range of the trace tells: their frames are empty. Raises ValueError
    for a frame that does not hold to its table.
    """

    summary: Summary
    frames: Mapping[str, pd.DataFrame]
    notices: tuple[Notice, ...] = ()
    without: tuple[str, ...] = ()
    make_launches: Callable[[], pd.DataFrame] | None = None
    make_invocations: Callable[[], pd.DataFrame] | None = None
    find_savings: Callable[[], Savings | None] | None = None
    find_configuration: Callable[[], Configuration] | None = None

    def __post_init__(self) -> None:
        expected = set(TABLES) - set(LONG)
        if set(self.frames) != expected:
            raise ValueError(f"missing or unknown tables {sorted(set(self.frames) ^ expected)}")
        if isinstance(self.frames, Frames):
            return  # their rows were checked
        from kernelmap.tables.frames import check_frame

        for name, frame in self.frames.items():
            check_frame(TABLES[name], frame)

    @cached_property
    def launches(self) -> pd.DataFrame | None:
        """The table of launches, None where the file that was read left it out."""
        return None if self.make_launches is None else self.make_launches()

    @cached_property
    def invocations(self) -> pd.DataFrame | None:
        """The table of invocations, None where the file that was read left it out."""
        return None if self.make_invocations is None else self.make_invocations()

    @cached_property
    def savings(self) -> Savings | None:
        """What the steps could save; None where nobody asked for the wall time."""
        return None if self.find_savings is None else self.find_savings()

    @cached_property
    def configuration(self) -> Configuration:
        """What the recording was made with, as far as its inputs or its file state it."""
        return Configuration() if self.find_configuration is None else self.find_configuration()

    @property
    def held(self) -> tuple[str, ...]:
        """The names of the tables that `frame` gives, in the order of schema.TABLES."""
        made = {"launches": self.make_launches, "invocations": self.make_invocations}
        return tuple(name for name in TABLES if name in self.frames or made.get(name) is not None)

    def frame(self, name: str) -> pd.DataFrame:
        """One table by its name; raises UsageError where there is none."""
        if name in self.frames:
            return self.frames[name]
        if name not in LONG:
            hint = one_of(name, TABLES, "Tables")
            raise UsageError("unknown-table", f"there is no table {name!r}", hint)
        frame = self.launches if name == LAUNCHES.name else self.invocations
        if frame is None:
            raise UsageError(
                "no-launches",
                f"this result was saved without its {name}",
                "Save it again with --launches.",
            )
        return frame

    def sorted_by(self, word: str, name: str) -> Tables:
        """The same tables, `name` in the order of a word of schema.SORTS: most first, null last.

        Raises UsageError as `order_column` does.
        """
        column = order_column(word, name)
        if column is None:
            return self
        # The sort is stable, so rows of equal value stay in the order as made.
        rows = sorted(
            self.rows(name), key=lambda row: (row[column] is None, -whole_number(row, column))
        )
        return self._with_rows(name, rows)

    def matching(self, name: str, where: Where | None) -> Tables:
        """The same tables, `name` with the rows that a condition means; None means all of them.

        Raises UsageError for a column that the table does not have.
        """
        if where is None:
            return self
        table = TABLES[name]
        if name not in LONG:
            rows = list(self.rows(name))
            is_meant = where.test_rows(
                table, {asked: [row.get(asked) for row in rows] for asked in where.columns}
            )
            kept = [row for row, is_kept in zip(rows, is_meant, strict=True) if is_kept]
            return self._with_rows(name, kept)
        # Of a table that grows with the trace only the columns in question are looked at.
        from kernelmap.tables.frames import cells_of_frame

        frame = self.frame(name)
        is_meant = where.test_rows(table, cells_of_frame(table, frame, where.columns))
        kept_frame = frame.loc[is_meant]
        if name == LAUNCHES.name:
            return replace(self, make_launches=lambda: kept_frame)
        return replace(self, make_invocations=lambda: kept_frame)

    def _with_rows(self, name: str, rows: Sequence[Row]) -> Tables:
        # Other tables are handed on as they are, and made when somebody asks.
        others = {other: partial(self.columns, other) for other in self.frames if other != name}
        return replace(self, frames=Frames({name: rows}, others))

    def columns(self, name: str) -> Columns:
        """The cells of one table by column; raises UsageError where there is none."""
        if isinstance(self.frames, Frames) and name in self.frames:
            return self.frames.columns(name)
        rows = list(self.rows(name))
        return {column: [row[column] for row in rows] for column in TABLES[name].by_name}

    def rows(self, name: str, place: slice = _ALL) -> Iterator[Row]:
        """The rows of one table, or those at `place`; raises UsageError where there is none."""
        if isinstance(self.frames, Frames) and name in self.frames:
            return iter(self.frames.rows(name)[place])
        from kernelmap.tables.frames import rows_of_frame

        return rows_of_frame(TABLES[name], self.frame(name).iloc[place])

    def size(self, name: str) -> int:
        """How many rows a table has; raises UsageError where there is none."""
        if isinstance(self.frames, Frames) and name in self.frames:
            return len(self.frames.rows(name))
        return len(self.frame(name))


def adding_up(tables: Tables) -> Tables:
    """The tables of a saved result, or ValueError where one does not add up to the window.

    One that an older kernelmap did not write has no rows.
    """
    for name, frame in tables.frames.items():
        if name == WALL.name:
            _check_steps(tables)
        elif name == LIFETIMES.name:
            _check_lifetimes(tables)
        else:
            _check_times(name, frame, tables.summary)
    return tables


def _check_steps(tables: Tables) -> None:
    """The wall time adds up to its steps, on the clock, and not to what ran in the window."""
    parts: dict[tuple[Cell, ...], int] = {}
    for row in tables.rows(WALL.name):
        if whole_number(row, "time_ns") < 0:
            raise ValueError(f"{WALL.name}: a time below zero")
        # The rows of one step on one device have to add up to the length of that step.
        step = tuple(row[name] for name in ("rank", "pid", "device", "step", "step_ns"))
        parts[step] = parts.get(step, 0) + whole_number(row, "time_ns")
    for step, time_ns in parts.items():
        if time_ns != step[-1]:
            raise ValueError(f"{WALL.name}: {time_ns} ns, but the step has {step[-1]} ns")


def _check_lifetimes(tables: Tables) -> None:
    """Buffers hold bytes, and live from one call to the same or a later one."""
    for row in tables.rows(LIFETIMES.name):
        first, last = whole_number(row, "first"), whole_number(row, "last")
        if not -1 <= first <= last <= _MOST_CALLS:
            raise ValueError(f"{LIFETIMES.name}: a buffer that lives from call {first} to {last}")
        for name in ("bytes", "peak_bytes"):
            if not 0 <= whole_number(row, name) <= _MOST_BYTES:
                raise ValueError(f"{LIFETIMES.name}: a buffer of {row[name]} bytes")


def _check_times(name: str, frame: pd.DataFrame, summary: Summary) -> None:
    # The ledger has rows of the other side too, and lines keep forward and backward apart.
    of_side = frame[frame["side"] == summary.side] if name == LEDGER.name else frame
    columns = ("time_ns", "backward_ns") if name == LINES.name else ("time_ns",)
    times = [time_ns for column in columns for time_ns in of_side[column].tolist()]
    if min(times, default=0) < 0:
        raise ValueError(f"{name}: a time below zero")
    total_ns = sum(times)  # of Python's integers: damaged times may not fit into 64 bits
    if len(frame) and total_ns != summary.total_ns:
        raise ValueError(f"{name}: {total_ns} ns, but the window has {summary.total_ns} ns")


def build_tables(  # noqa: PLR0913 -- the records, and what is made of them when it is asked for
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
    notices: Sequence[Notice] = (),
    *,
    roofline: Roofline | None = None,
    times: Callable[[], WallTimes] | None = None,
    memories: Callable[[], Sequence[GraphMemory]] | None = None,
    find_savings: Callable[[], Savings] | None = None,
    unprofiled: UnprofiledSteps | None = None,
    find_step_uses: Callable[[], Mapping[KindAndBatch, StepUse]] | None = None,
    find_inputs: Callable[[], LaunchInputs] | None = None,
    counted: CountedLaunches | None = None,
    find_configuration: Callable[[], Configuration] | None = None,
) -> Tables:
    """All tables of one attribution; rows with equal time are ordered by their names.

    Without `roofline` the columns of work and headroom are null. `times` gives the wall time of the
    steps, when its table is asked for, `memories` what the code states of the memory of graphs,
    `find_savings` what the steps could save, `find_step_uses` how those of a serving engine passed
    on the device, `find_inputs` what operators were handed, `find_configuration` what the recording
    was made with; None where nobody will ask. `unprofiled` is what steps took without a profiler,
    where that is known, `counted` what Nsight Compute counted.
    """
    total = attribution.total_ns
    records = {name: getattr(attribution, name) for name in _SAME_NAMES}
    made = {name: _rows_of_records(TABLES[name], rows, total) for name, rows in records.items()}
    prints = fingerprint_program(program)
    made["calls"] = rows_of_calls(
        program, attribution, prints, how_calls_ran(trace, matching, attribution)
    )
    made["graphs"] = rows_of_graphs(program, attribution.graphs, prints)
    made["ledger"] = _rows_of_ledger(attribution)
    step_kinds = rows_of_step_kinds(trace, attribution)
    if roofline is not None:
        add_speeds(made, program, roofline)
    if counted is not None:
        add_counters(made, program, trace, matching, counted, attribution.counted)
    return Tables(
        summary=summarize(program, trace, attribution, unprofiled),
        frames=Frames(
            made,
            {
                WALL.name: lambda: _columns_of_wall(times, trace),
                STEP_KINDS.name: lambda: _columns_of_step_kinds(step_kinds, find_step_uses),
                OPERATORS.name: lambda: _columns_of_operators(
                    trace, matching, attribution, find_inputs
                ),
                LIFETIMES.name: lambda: _columns_of_lifetimes(memories, program),
            },
        ),
        without=tuple(
            name
            for name, is_told in (
                (WALL.name, times),
                (STEP_KINDS.name, step_kinds),
                (OPERATORS.name, find_inputs),
                (LIFETIMES.name, memories),
            )
            if not is_told
        ),
        notices=tuple(
            replace(notice, message=escape_unsound(notice.message)) for notice in notices
        ),
        make_launches=lambda: _long_table(LAUNCHES, program, trace, matching, attribution),
        make_invocations=lambda: _long_table(INVOCATIONS, program, trace, matching, attribution),
        find_savings=find_savings,
        find_configuration=find_configuration,
    )


def _columns_of_wall(times: Callable[[], WallTimes] | None, trace: Trace) -> Columns:
    """The table of wall time, without rows where nobody asked for it."""
    if times is None:
        return dict.fromkeys(WALL.by_name, ())

    return columns_of_wall(times(), trace)


def _columns_of_operators(
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
    find_inputs: Callable[[], LaunchInputs] | None,
) -> Columns:
    """The table of operators, without rows where nobody asked for it."""
    rows: Sequence[Row] = ()
    if find_inputs is not None:
        rows = rows_of_operators(trace.launches, matching, attribution, find_inputs())
    return {name: [row[name] for row in rows] for name in OPERATORS.by_name}


def _columns_of_step_kinds(
    rows: Sequence[Row], find_uses: Callable[[], Mapping[KindAndBatch, StepUse]] | None
) -> Columns:
    """The table of an engine's steps; how they passed is asked for where there are any."""
    told = rows_of(STEP_KINDS, with_uses(rows, find_uses())) if rows and find_uses else rows
    return {name: [row[name] for row in told] for name in STEP_KINDS.by_name}


def _columns_of_lifetimes(
    memories: Callable[[], Sequence[GraphMemory]] | None, program: CompiledProgram
) -> Columns:
    """The table of lifetimes, without rows where there is no code."""
    rows = rows_of_lifetimes(program, memories()) if memories is not None else []
    return {name: [row[name] for row in rows] for name in LIFETIMES.by_name}


def _long_table(
    table: Table,
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
) -> pd.DataFrame:
    """A table that grows with the trace; it brings pandas and pyarrow."""
    from kernelmap.tables.launches import frame_of_invocations, frame_of_launches

    make = frame_of_launches if table is LAUNCHES else frame_of_invocations
    return make(program, trace, matching, attribution)


def _rows_of_records(table: Table, records: Sequence[_Record], total_ns: int) -> list[Row]:
    """Records whose fields are the table's columns; texts decide between equal times."""
    whole = [_time_of_record(record) for record in records]
    stated = [name for name in table.by_name if name not in _DERIVED]
    cells = [
        {name: getattr(record, name) for name in stated}
        | {"share": _share_of_total(time_ns, total_ns)}
        | _cells_of_slow(record)
        | NO_SPEED
        | NO_COUNTERS
        | _cells_of_gauges(record)
        for record, time_ns in zip(records, whole, strict=True)
    ]
    # The longest first; of equal times rows with missing cells stand first, then texts decide.
    ordered = sorted(
        zip(whole, cells, strict=True), key=lambda pair: (-pair[0], *_order_of_row(table, pair[1]))
    )
    return rows_of(table, [row for _, row in ordered])


def _cells_of_slow(record: _Record) -> dict[str, Cell]:
    """The cells of the launches that decide a row, null where none do."""
    slow = record.slow if isinstance(record, OpTime | LineTime) else None
    return {
        "slow_launches": slow.launches if slow else None,
        "slow_ns": slow.time_ns if slow else None,
    }


def _cells_of_gauges(record: _Record) -> dict[str, Cell]:
    """The cells of what was sampled during a row; tables without them leave them out."""
    return cells_of_gauges(record.gauges if isinstance(record, OpTime | LineTime) else None)


def _order_of_row(table: Table, row: Mapping[str, Cell]) -> tuple[tuple[bool, str], ...]:
    # Padded to 20 characters, so that whole numbers sort by their size.
    return tuple((row[name] is not None, f"{row[name]!s:>20}") for name in table.by_name)


def _rows_of_ledger(attribution: Attribution) -> list[Row]:
    strength = [confidence.name.lower() for confidence in Confidence]
    # Shares are of the own side: GPU and CPU time are never added.
    other = sum(row.time_ns for row in attribution.ledger if row.side != attribution.side)

    def total(row: LedgerRow) -> int:
        return attribution.total_ns if row.side == attribution.side else other

    ledger = [
        asdict(row) | {"share": _share_of_total(row.time_ns, total(row))}
        for row in attribution.ledger
    ]
    # The side that is counted stands first; its rows go from exact to unknown.
    ledger.sort(
        key=lambda row: (
            row["side"] != attribution.side,
            strength.index(row["bucket"]),
            row["activity"],
        )
    )
    return rows_of(LEDGER, ledger)


def _time_of_record(record: _TimedRecord) -> int:
    """The record's time; a line keeps its forward and its backward apart."""
    return record.time_ns + (record.backward_ns if isinstance(record, LineTime) else 0)


def _share_of_total(time_ns: int, total_ns: int) -> float | None:
    return time_ns / total_ns if total_ns else None
