"""The tables of a roofline: every column named once, and the frames made of its records.

They stand beside the tables of schema.py, which correlate makes: they are made when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import Struct

from kernelmap.attribution.records import Attribution
from kernelmap.model import CompiledProgram
from kernelmap.model.collectives import CollectiveSpeed
from kernelmap.model.roofline import NO_CALL, CallSpeed, Roofline, Speed
from kernelmap.model.savings import Savings
from kernelmap.model.work import Precision
from kernelmap.tables.bandwidth import bandwidth_columns, cells_of_bandwidth
from kernelmap.tables.frames import frame_of_rows
from kernelmap.tables.module_speeds import total_modules, with_holders
from kernelmap.tables.rows import Cell
from kernelmap.tables.schema import SPEED
from kernelmap.tables.speeds import speed_of
from kernelmap.tables.table import Column, Table, Type, Unit, text_or_null

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd

_ORDER = "headroom_ns, most first; rows without a limit last"


def _number_column(name: str, text: str, unit: Unit | None = None) -> Column:
    return Column(name=name, type=Type.INT, help=text, unit=unit, nullable=True)


def _float_column(name: str, text: str, unit: Unit | None = None) -> Column:
    return Column(name=name, type=Type.FLOAT, help=text, unit=unit, nullable=True)


_TIME = Column(name="time_ns", type=Type.INT, help="its time in the window", unit=Unit.NS)
_BYTES, _FLOPS, _GBPS, _TFLOPS, _OF_LIMIT, *_BOUND_AND_HEADROOM = SPEED
_SPEED = (
    _TIME,
    replace(_TIME, name="known_ns", help="the part of time_ns of calls whose work is known"),
    _BYTES,
    _number_column(
        "bytes_least", "bytes that its calls move at least; equal to bytes where that is exact"
    ),
    _FLOPS,
    replace(_GBPS, help="bytes over known_ns: 10^9 bytes per second"),
    replace(_TFLOPS, help="flops over known_ns: 10^12 operations per second"),
    _number_column("limit_ns", "the time that the same work needs at the device's limits", Unit.NS),
    replace(
        _OF_LIMIT,
        help="limit_ns over the time of the calls whose limit is known; above 1 something is odd",
    ),
    *_BOUND_AND_HEADROOM,
    _number_column(
        "step_headroom_ns",
        "the part of headroom_ns that could shorten the steps: of time in which nothing else runs"
        " on the device, and behind which it does not wait for the host anyway",
        Unit.NS,
    ),
    _number_column(
        "model_flops",
        "floating-point operations of products, convolutions and attention; 0 where it makes none",
    ),
    replace(
        _TIME,
        name="model_known_ns",
        help="the part of time_ns of calls whose model_flops are known",
    ),
    _number_column(
        "at_peak_ns", "the time that model_flops need at the dense peak of their dtype", Unit.NS
    ),
    Column(
        name="mfu",
        type=Type.FLOAT,
        help="model FLOPs utilization of its own time: at_peak_ns over time_ns; at least, where"
        " the work of some of its calls is not known",
        unit=Unit.ONE,
        nullable=True,
    ),
    text_or_null("reason", "why work or limit is null"),
)


def _table_with_speed(name: str, row: str, *columns: Column) -> Table:
    return Table(name=name, row=row, order=_ORDER, columns=(*columns, *_SPEED))


_WRAPPER = text_or_null(
    "wrapper", "the name the call is written with; a rest row's name in parentheses"
)
_GRAPH = text_or_null("graph", "the graph it stands in")

ROOFLINE: Mapping[str, Table] = {
    "call": _table_with_speed(
        "roofline_calls",
        "one call that took time; the rest row has no call",
        text_or_null("call", "graph/index"),
        _WRAPPER,
        Column(name="ops", type=Type.TEXTS, help="its original ATen ops", nullable=True),
        Column(name="source", type=Type.TEXTS, help="lines of the source", nullable=True),
        _number_column("executions", "how often it ran, as far as the profile says"),
        Column(
            name="operands",
            type=Type.TEXTS,
            help="the bytes that one execution reads from each tensor, and writes to it",
            nullable=True,
        ),
    ),
    "op": _table_with_speed(
        "roofline_ops",
        "one original op; a name in parentheses holds the time of no call",
        text_or_null("name", "the original op"),
    ),
    "line": _table_with_speed(
        "roofline_lines",
        "one source line; a name in parentheses holds the time that has none",
        text_or_null("file", "the file; a rest row's name in parentheses"),
        _number_column("line", "the line, from 1"),
        text_or_null("code", "its text"),
    ),
    "module": _table_with_speed(
        "roofline_modules",
        "one module; a name in parentheses holds the time that has none",
        text_or_null("name", "the module"),
        replace(_TIME, name="total_ns", help="time_ns of it and of all modules in it"),
        _number_column("total_model_flops", "model_flops of it and of all modules in it"),
        _float_column(
            "total_mfu",
            "model FLOPs utilization of total_ns; at least, where some work is not known",
            Unit.ONE,
        ),
    ),
    "kernel": _table_with_speed(
        "roofline_kernels",
        "one wrapper of a graph; the rest row has none",
        _WRAPPER,
        _GRAPH,
    ),
}
"""The tables by their words of `--by`."""

REASONS = Table(
    name="roofline_reasons",
    row="one reason why calls take longer than they need to",
    order="saves_ns and overlap_ns together, most first",
    columns=(
        Column(name="slug", type=Type.TEXT, help="the reason, one of the list in roofline.md"),
        Column(name="calls", type=Type.TEXTS, help="the calls that it concerns: graph/index"),
        _number_column("bytes", "bytes that would not have to be moved in the window"),
        _number_column(
            "saves_ns", "at most what could be won, beside what the rows above save", Unit.NS
        ),
        _number_column("overlap_ns", "what rows above save of the same calls already", Unit.NS),
        Column(
            name="idle_ns",
            type=Type.INT,
            help="the part of saves_ns in which the device waited",
            unit=Unit.NS,
        ),
        Column(
            name="outside_ns",
            type=Type.INT,
            help="the part of saves_ns of launches outside of compiled code",
            unit=Unit.NS,
        ),
        Column(name="evidence", type=Type.TEXT, help="what shows it"),
        text_or_null("bound", "what keeps its calls from being faster; null where a limit says it"),
    ),
)
"""Why calls have headroom."""


COLLECTIVE_SPEEDS = Table(
    name="roofline_collectives",
    row="the collectives of one kind, group, dtype and size",
    order="time_ns, most first",
    columns=(
        Column(name="name", type=Type.TEXT, help="the collective, as the profile calls it"),
        Column(name="group", type=Type.TEXT, help="process group with its ranks; empty without"),
        _number_column("ranks", "how many ranks take part"),
        text_or_null("dtype", "type of the elements"),
        _number_column("bytes", "bytes of the whole array of one of them, not of one part"),
        Column(name="collectives", type=Type.INT, help="how many there are in the window"),
        replace(_TIME, help="their time in the window, waiting for other ranks included"),
        Column(
            name="exposed_ns",
            type=Type.INT,
            help="the part of time_ns in which their device computed nothing",
            unit=Unit.NS,
        ),
        Column(name="shortest_ns", type=Type.INT, help="that of the shortest one", unit=Unit.NS),
        *bandwidth_columns("at least, since waiting counts"),
        Column(
            name="covered_by",
            type=Type.TEXTS,
            help="calls, or kernels outside of them, that computed meanwhile, with the ns of each",
            nullable=True,
        ),
        text_or_null("reason", "why a number is null"),
    ),
)
"""How fast collectives are, and what hides them."""


class RooflineTables(Struct, frozen=True, kw_only=True):
    """The frames of one roofline by the words of `--by`, and that of its reasons.

    `idle_ns` is how long the devices were idle in the steps, None where none is a GPU. `savings` is
    what the steps could save, of which the calls are a part.
    """

    roofline: Roofline
    frames: Mapping[str, pd.DataFrame]
    reasons: pd.DataFrame
    collectives: pd.DataFrame
    idle_ns: int | None = None
    savings: Savings | None = None


def build_frames(
    program: CompiledProgram,
    attribution: Attribution,
    roofline: Roofline,
    *,
    idle_ns: int | None = None,
    savings: Savings | None = None,
) -> RooflineTables:
    """All frames, checked against their tables."""
    code = {(line.file, line.line): line.code for line in attribution.lines}
    speeds = {speed.call: speed for speed in roofline.calls}

    def named(word: str, row: Speed) -> dict[str, Cell]:
        return dict(zip(ROOFLINE[word].by_name, row.key, strict=False))

    def of_call(row: Speed) -> Iterator[tuple[str, Cell]]:
        position = row.key[0]
        # The rest row has a name instead of a position.
        if not isinstance(position, int):
            yield "wrapper", NO_CALL
            return
        graph, call = program.calls[position]
        lines = attribution.call_lines[position]
        yield "call", graph.call_id(call)
        yield "wrapper", call.wrapper
        yield "ops", list(attribution.call_ops[position])
        yield "source", list(dict.fromkeys(f"{line.file}:{line.line}" for line in lines)) or None
        yield "executions", speeds[position].executions
        yield "operands", _say_operands(speeds[position])

    frames = {}
    totals = total_modules(roofline.rows["module"])
    for word, table in ROOFLINE.items():
        rows: list[dict[str, Cell]] = []
        records = roofline.rows[word]
        for row in with_holders(records, totals) if word == "module" else records:
            cells = dict(of_call(row)) if word == "call" else named(word, row)
            # The text of a line is known from the table of lines; a rest row has no line.
            if word == "module":
                total = totals.get(str(row.key[0]), row)
                cells |= {
                    "total_ns": total.time_ns,
                    "total_model_flops": total.model_flops,
                    "total_mfu": total.mfu,
                }
            if word == "line":
                cells["code"] = code.get((str(cells["file"]), _line_or_none(cells.get("line"))))
            cells |= dict(speed_of(row)) | _cells_of_quantities(row)
            rows.append(dict.fromkeys(table.by_name) | cells)
        frames[word] = frame_of_rows(table, rows)
    reasons: list[dict[str, Cell]] = [
        {
            "slug": reason.slug.value,
            "calls": [
                graph.call_id(call) for graph, call in map(program.calls.__getitem__, reason.calls)
            ],
            "bytes": reason.bytes,
            "saves_ns": reason.saves_ns,
            "overlap_ns": reason.overlap_ns,
            "idle_ns": reason.idle_ns,
            "outside_ns": reason.outside_ns,
            "evidence": reason.evidence,
            "bound": reason.bound.value if reason.bound else None,
        }
        for reason in roofline.reasons
    ]
    return RooflineTables(
        roofline=roofline,
        frames=frames,
        reasons=frame_of_rows(REASONS, reasons),
        collectives=frame_of_rows(
            COLLECTIVE_SPEEDS, [_row_of_collective(kind) for kind in roofline.collectives]
        ),
        idle_ns=idle_ns,
        savings=savings,
    )


def _row_of_collective(kind: CollectiveSpeed) -> dict[str, Cell]:
    return {
        "name": kind.name,
        "group": kind.group,
        "ranks": kind.ranks,
        "dtype": kind.dtype,
        "bytes": kind.bytes,
        "collectives": kind.collectives,
        "time_ns": kind.time_ns,
        "exposed_ns": kind.exposed_ns,
        "shortest_ns": kind.shortest_ns,
        **cells_of_bandwidth(kind),
        "covered_by": [f"{one.name} {one.time_ns}" for one in kind.covered_by] or None,
        "reason": kind.reason,
    }


def _say_operands(speed: CallSpeed) -> list[str] | None:
    """`buf0 read 4096`, `buf1 written at most 512`: what a person can check against the code."""
    if speed.operands is None:
        return None
    return [
        f"{operand.name} {'written' if operand.written else 'read'} "
        f"{'' if operand.bytes.precision is Precision.EXACT else 'at most '}{operand.bytes.most}"
        for operand in speed.operands
    ]


def _line_or_none(value: Cell) -> int | None:
    return value if isinstance(value, int) else None


def _cells_of_quantities(row: Speed) -> dict[str, Cell]:
    """What stands in these tables only."""
    return {
        "time_ns": row.time_ns,
        "known_ns": row.known_ns,
        "bytes_least": row.bytes.least if row.bytes else None,
        "limit_ns": row.limit_ns,
        "step_headroom_ns": row.step_headroom_ns,
        "model_flops": row.model_flops,
        "model_known_ns": row.model_known_ns,
        "at_peak_ns": row.at_peak_ns,
        "mfu": row.mfu,
        "reason": row.reason,
    }
