"""Work and headroom beside time: the same sums in every table, null where nothing is known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from examples import examples
from kernelmap.errors import UsageError
from kernelmap.tables.build import Tables, build_tables
from kernelmap.tables.frames import check_frame
from kernelmap.tables.rows import Cell, Row, whole_number
from kernelmap.tables.schema import SPEED, TABLES
from kernelmap.tables.speeds import WITH_SPEED
from speed.limits.measured_worlds import Measured, measured

few = settings(max_examples=examples(30))
NAMES = tuple(column.name for column in SPEED)


def tables(world: Measured, *, asked: bool = True) -> Tables:
    return build_tables(
        world.match.program,
        world.trace,
        world.match.matching,
        world.attribution,
        roofline=world.roofline if asked else None,
    )


def total(rows: list[Row], name: str) -> int:
    return sum(whole_number(row, name) for row in rows)


def number(value: Cell) -> float:
    assert isinstance(value, int | float)
    return value


@few
@given(measured())
def test_every_table_has_the_work_and_headroom_of_all_calls(world: Measured) -> None:
    """Calls, kernels, ops, modules and lines add up to the same, to the byte and nanosecond."""
    made = tables(world)
    calls = world.roofline.calls
    of_calls = {
        "bytes": sum(speed.bytes.most for speed in calls if speed.bytes),
        "flops": sum(speed.flops or 0 for speed in calls),
        "headroom_ns": sum(speed.headroom_ns or 0 for speed in calls),
    }
    for table in WITH_SPEED:
        rows = list(made.rows(table))

        assert {name: total(rows, name) for name in of_calls} == of_calls, table


@few
@given(measured())
def test_what_is_not_known_is_null(world: Measured) -> None:
    """Rows without a call of known work have nothing; nothing stands in for it."""
    by_call = {speed.call: speed for speed in world.roofline.calls}
    ids = [graph.call_id(call) for graph, call in world.match.program.calls]
    for row in tables(world).rows("calls"):
        speed = by_call.get(ids.index(str(row["call"]))) if row["call"] else None
        if speed is None or speed.bytes is None:
            assert [row[name] for name in NAMES] == [None] * len(NAMES)
        else:
            assert row["bytes"] == speed.bytes.most
            assert row["flops"] == speed.flops
            assert row["headroom_ns"] == speed.headroom_ns
            assert (row["bound"] is None) == (speed.bound is None)


@few
@given(measured())
def test_headroom_is_never_below_zero_nor_above_the_time(world: Measured) -> None:
    """In every row of every table; a share above 1 stays as it is."""
    made = tables(world)
    for table in WITH_SPEED:
        for row in made.rows(table):
            if row["headroom_ns"] is not None:
                time_ns = whole_number(row, "time_ns")
                time_ns += whole_number(row, "backward_ns") if table == "lines" else 0

                assert 0 <= whole_number(row, "headroom_ns") <= time_ns
                assert (row["share_of_limit"] is None) == (row["bound"] is None)
    shares = {
        speed.call: speed.limit_ns / speed.time_ns
        for speed in world.roofline.calls
        if speed.limit_ns is not None and speed.time_ns
    }
    stated = [number(row["share_of_limit"]) for row in made.rows("calls") if row["share_of_limit"]]
    assert math.isclose(sum(stated), sum(shares.values()), rel_tol=1e-9)


@few
@given(measured())
def test_work_that_is_not_asked_for_changes_nothing_else(world: Measured) -> None:
    """Its columns are null, all others are as they are with it."""
    asked, plain = tables(world), tables(world, asked=False)
    for table in WITH_SPEED:
        for row, bare in zip(asked.rows(table), plain.rows(table), strict=True):
            assert bare == row | dict.fromkeys(NAMES)


@few
@given(measured())
def test_sorting_moves_rows_and_loses_none(world: Measured) -> None:
    """Most headroom first, null last, where the table has it; the others stay as they are."""
    made = tables(world)
    for table in made.frames:
        if table not in WITH_SPEED:
            with pytest.raises(UsageError):
                made.sorted_by("headroom", table)
            continue
        ordered = made.sorted_by("headroom", table)
        first = sorted(
            made.rows(table), key=lambda row: (row["headroom_ns"] is None, -headroom(row))
        )
        check_frame(TABLES[table], ordered.frame(table))
        assert list(ordered.rows(table)) == first
        for other in set(made.frames) - {table}:
            assert list(ordered.rows(other)) == list(made.rows(other))
    assert made.sorted_by("time", "nodes") is made
    with pytest.raises(UsageError):
        made.sorted_by("bytes", "calls")


def headroom(row: Row) -> int:
    return whole_number(row, "headroom_ns")
