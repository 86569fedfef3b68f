"""A value of another type than its column's costs the row that it stands in, and is said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelmap.cli import main
from kernelmap.errors import KernelmapError
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.formats import NsysReader
from traces.small_nsys import (
    KERNEL,
    NODES,
    NVTX,
    RUNTIME,
    Cell,
    Record,
    Tables,
    api,
    kernel,
    node,
    push_pop,
    strings,
    write_export,
)
from traces.test_nsys_forms import content

STRINGS = "StringIds"
ROWS = 40
ODD_NUMBERS: tuple[Cell, ...] = (0.5, 7.0, "zero", "1,2", "", b"\0\1", "9" * 20, 1e300, "x" * 9000)
ODD_TEXTS: tuple[Cell, ...] = (5, 0.5)
NUMBERS = {
    KERNEL: ("start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName"),
    RUNTIME: ("start", "end", "nameId", "globalTid", "correlationId"),
    NVTX: ("start", "end", "eventType", "globalTid", "domainId"),
    NODES: ("start", "end", "graphNodeId", "originalGraphNodeId"),
    STRINGS: ("id",),
}
TEXTS = {NVTX: ("text",), STRINGS: ("value",)}


def export() -> dict[str, list[Record]]:
    return {
        KERNEL: [kernel(at * 10, at * 10 + 5, correlationId=at) for at in range(1, ROWS)],
        RUNTIME: [api(at * 10 - 5, at * 10 - 2, correlationId=at) for at in range(1, ROWS)],
        NVTX: [push_pop(at * 10 - 7, at * 10, f"aten::op{at}") for at in range(1, ROWS)],
        NODES: [node(at, at, None if at % 3 else at - 1) for at in range(1, ROWS)],
        STRINGS: strings("sgemm", "cudaLaunchKernel_v7000", *map(str, range(ROWS))),
    }


def read(folder: Path, tables: Tables) -> RawTrace:
    folder.mkdir()
    return NsysReader().read(write_export(folder / "x.sqlite", tables))


def messages(raw: RawTrace) -> list[str]:
    return [notice.message for notice in raw.notices if notice.slug == "values-unreadable"]


def odd_cells() -> Iterator[tuple[str, str, Cell]]:
    """Two odd numbers for each column, by turns, and all odd texts."""
    turn = cycle(ODD_NUMBERS)
    for table, columns in NUMBERS.items():
        yield from ((table, name, next(turn)) for name in columns for _ in range(2))
    for table, columns in TEXTS.items():
        yield from ((table, name, odd) for name in columns for odd in ODD_TEXTS)


def test_an_odd_value_costs_its_row_and_no_more(tmp_path: Path) -> None:
    """An export with odd values reads as if it lacked their rows, and a notice counts them."""
    for number, (table, column, odd) in enumerate(odd_cells()):
        row = 2 + number % (ROWS - 3)
        tables = export()
        (tmp_path / str(number)).mkdir()
        changed = [*tables[table]]
        changed[row] = {**changed[row], column: odd}
        without = [record for at, record in enumerate(tables[table]) if at != row]
        raw = read(tmp_path / str(number) / "odd", {**tables, table: changed})
        plain = read(tmp_path / str(number) / "without", {**tables, table: without})
        (message,) = messages(raw)

        assert content(raw)[:-1] == content(plain)[:-1], (table, column, odd)
        assert messages(plain) == []
        assert ": 1 rows left out" in message
        assert table in message


def test_rows_in_several_tables_are_counted_together(tmp_path: Path) -> None:
    """A row counts once, however many of its values are odd."""
    tables = export()
    tables[KERNEL][3] = {**kernel(40, 50), "start": "x", "end": "y", "deviceId": "z"}
    tables[KERNEL][5] = {**kernel(50, 60), "end": 60.5}
    tables[RUNTIME][3] = {**api(1, 3), "end": "x"}
    (message,) = messages(read(tmp_path / "x", tables))

    assert ": 3 rows left out" in message
    assert message.endswith(f"in {KERNEL}, {RUNTIME}")


@pytest.mark.parametrize("table", [KERNEL, RUNTIME, NVTX])
def test_a_column_without_any_readable_value_is_refused(table: str, tmp_path: Path) -> None:
    """Then the export is laid out in another way than is known: nothing is left out silently."""
    tables = export()
    tables[table] = [{**row, "start": f"{row['start']!r} ns"} for row in tables[table]]

    with pytest.raises(KernelmapError, match=f"{table}.start") as caught:
        read(tmp_path / "x", tables)
    assert caught.value.slug == "nsys-damaged"


def test_strict_refuses_what_lacks_rows(tmp_path: Path) -> None:
    """The rows that are left out are a gap."""
    tables = export()
    tables[KERNEL][3] = {**kernel(50, 60), "start": "x"}
    path = write_export(tmp_path / "x.sqlite", tables)
    done = {
        strict: CliRunner().invoke(main, ["correlate", str(path), *strict])
        for strict in ((), ("--strict",))
    }

    assert [result.exit_code for result in done.values()] == [0, 1]
    assert all("1 rows left out" in " ".join(result.stderr.split()) for result in done.values())
