"""Work, rates and headroom beside the time of calls, kernels, ops, modules and lines.

Takes a Roofline, whose rows have the keys of these tables; gives the cells of schema.SPEED. A row
that the roofline does not have, and what is not known, is null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from kernelmap.attribution.records import Origin
from kernelmap.model import CompiledProgram
from kernelmap.model.roofline import DEVICE_NAME, Roofline, Speed
from kernelmap.tables.rows import Cell, Row, escape_unsound
from kernelmap.tables.schema import CALLS, KERNELS, LINES, MODULES, OPS, SPEED

NO_SPEED: Row = dict.fromkeys(column.name for column in SPEED)
"""The cells of a row of which nothing is known, or nothing was asked for."""

_Key = tuple[Cell, ...]


def _owner_of_row(row: Row) -> _Key:
    # An op outside of compiled code may have the name of a compiled one, but its work is not known.
    return (row["name"] if row["origin"] == Origin.COMPILED.value else None,)


WITH_SPEED: Mapping[str, tuple[str, Callable[[Row], _Key]]] = {
    CALLS.name: ("call", lambda row: (row["call"],)),
    KERNELS.name: (DEVICE_NAME, lambda row: (row["wrapper"], row["graph"], row["device_name"])),
    OPS.name: ("op", _owner_of_row),
    MODULES.name: ("module", _owner_of_row),
    LINES.name: ("line", lambda row: (row["file"], row["line"])),
}
"""The tables that have these columns: the word of a roofline's rows, and what a row's key is."""


def add_speeds(
    made: Mapping[str, Sequence[Row]], program: CompiledProgram, roofline: Roofline
) -> None:
    """Fill the cells in the rows of tables; `made` has them by the tables' names."""
    for name, (word, key) in WITH_SPEED.items():
        cells = {_spell_key(program, name, row): dict(speed_of(row)) for row in roofline.rows[word]}
        for row in made[name]:
            row.update(cells.get(key(row), NO_SPEED))


def step_headrooms(
    program: CompiledProgram, roofline: Roofline, name: str
) -> Callable[[Row], Cell]:
    """What gives the part of a row's headroom that could shorten steps, for the table `name`."""
    word, key = WITH_SPEED[name]
    parts = {_spell_key(program, name, row): row.step_headroom_ns for row in roofline.rows[word]}
    return lambda row: parts.get(key(row))


def _spell_key(program: CompiledProgram, table: str, row: Speed) -> _Key:
    """The key as the table spells it."""
    position = row.key[0]
    if table == CALLS.name and isinstance(position, int):
        graph, call = program.calls[position]
        return (escape_unsound(graph.call_id(call)),)
    return tuple(escape_unsound(part) if isinstance(part, str) else part for part in row.key)


def speed_of(row: Speed) -> Iterator[tuple[str, Cell]]:
    """The cells of a row of a roofline, by the names of their columns."""
    moved, known_ns = row.bytes, row.known_ns
    yield "bytes", moved.most if moved else None
    yield "flops", row.flops
    # Bytes per ns are GB/s; operations per ns are GFLOP/s.
    yield "gbps", moved.most / known_ns if moved and known_ns else None
    yield "tflops", row.flops / known_ns / 1000 if row.flops and known_ns else None
    is_limited = row.limit_ns is not None and row.limited_ns
    yield "share_of_limit", (row.limit_ns or 0) / row.limited_ns if is_limited else None
    yield "bound", row.bound.value if row.bound else None
    yield "headroom_ns", row.headroom_ns
    yield "computed_bytes", row.computed_bytes
    yield "bytes_from", row.bytes_from
    yield "bound_from", row.bound_from
