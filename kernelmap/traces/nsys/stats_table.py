"""What `nsys stats` prints about GPU work, as rows: the CSV, or the table on a terminal.

Taken: the text of one or several reports, with whatever stands around them. Given: per kernel (and
process and device, where the report tells) how often it ran and for how long. Both reports that say
so are read: the summary of kernels on the GPU, and the one of launches and executions, which states
a mean only. The summary goes before, so that nothing counts twice. Copies and memsets stand in a
report of their own, by time; the summary of all GPU work has both.
Left out: all other reports.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model.trace import Activity
from kernelmap.traces.sums import TOO_LARGE, KernelSum

_UNITS = {"ns": 1, "us": 1_000, "μs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_UNIT = re.compile(r"^(.+?) ?\((ns|us|μs|ms|s)\)$")
_RULE = re.compile(r"^[ \t]*-+(?:  ?-+)+[ \t]*$|^\+(?:-+\+)+$")
_HEADER = re.compile(r"^(?=.*(?:Total Time|KAvg)).*\b(?:Instances|Count)\b")
"""In the header of every report that is read."""
_BOX = "+"
_NO_MEMORY = "does not contain GPU memory data"
_KERNELS = "CUDA_KERNEL"  # in the column Category; the other category is of memory operations


class _StatsTable(Struct, frozen=True):
    """A header, units taken out of it, and the rows below."""

    units: Mapping[str, int]
    rows: Sequence[Mapping[str, str]]


def kernel_sums(text: str) -> list[KernelSum]:
    """The rows of the first report about kernels in `text`; none where there is no such report."""
    tables = list(_tables(text))
    # One kind of report after the other: several reports sum up the same
    # kernels, and only one may count.
    for read in (_summary, _of_kernels, _executions):
        for table in tables:
            if rows := read(table):
                return rows
    return []


def memory_sums(text: str) -> list[KernelSum] | None:
    """Copies and memsets of the first report about them; None where `text` says nothing of them.

    The list is empty where nsys says that there are none.
    """
    tables = list(_tables(text))
    for read in (_memory, _of_memory):
        for table in tables:
            if rows := read(table):
                return rows
    says_so = _NO_MEMORY in text or any(map(_everything, tables))
    return [] if says_so else None


def _summary(table: _StatsTable) -> list[KernelSum]:
    """The report cuda_gpu_kern_sum, before 2023 gpukernsum."""
    return _sums(table, "Instances", "Name")


def _memory(table: _StatsTable) -> list[KernelSum]:
    """The report cuda_gpu_mem_time_sum, before 2023 gpumemtimesum."""
    return [_as_memory(row) for row in _sums(table, "Count", "Operation")]


def _of_kernels(table: _StatsTable) -> list[KernelSum]:
    """The kernels of a report of all GPU work."""
    return _sums(table, "Instances", "Operation", lambda row: row["Category"] == _KERNELS)


def _of_memory(table: _StatsTable) -> list[KernelSum]:
    """The copies and memsets of a report of all GPU work."""
    rows = _sums(table, "Instances", "Operation", lambda row: row["Category"] != _KERNELS)
    return [_as_memory(row) for row in rows]


def _everything(table: _StatsTable) -> bool:
    """Whether it is a report of all GPU work: cuda_gpu_sum, before 2023 gpusum."""
    return {"Total Time", "Instances", "Category", "Operation"} <= table.units.keys()


def _sums(
    table: _StatsTable,
    number: str,
    name: str,
    chosen: Callable[[Mapping[str, str]], bool] | None = None,
) -> list[KernelSum]:
    """The (chosen) rows of a report with these columns, none of one that lacks a column."""
    if not {"Total Time", number, name} <= table.units.keys():
        return []
    # Rows are chosen by their category in a report of all GPU work, and in no other.
    if (chosen is not None) != _everything(table):
        return []
    return [
        KernelSum(
            name=row[name], launches=int(launches), time_ns=round(time), exact=time == int(time)
        )
        for row in table.rows
        if (chosen is None or chosen(row))
        and (launches := _number(row[number])) is not None
        and (time := _time(table, row, "Total Time")) is not None
    ]


def _as_memory(row: KernelSum) -> KernelSum:
    """A row of memory operations: `[CUDA memset]`, `[CUDA memcpy Device-to-Host]`."""
    fills = "memset" in row.name
    return replace(row, activity=Activity.MEMSET if fills else Activity.MEMCPY)


def _executions(table: _StatsTable) -> list[KernelSum]:
    """The report cuda_kern_exec_sum, before 2023 kernexecsum."""
    if not {"PID", "DevId", "Count", "KAvg", "Kernel Name"} <= table.units.keys():
        return []
    return [
        KernelSum(
            name=row["Kernel Name"],
            launches=int(launches),
            time_ns=round(mean * launches),
            exact=False,
            pid=row["PID"],
            device=int(device),
        )
        for row in table.rows
        if (launches := _number(row["Count"])) is not None
        and (mean := _time(table, row, "KAvg")) is not None
        and (device := _number(row["DevId"])) is not None
    ]


def _tables(text: str) -> Iterator[_StatsTable]:
    """All tables in `text`, printed ones and CSV."""
    lines = text.lstrip("\ufeff").replace("\r", "\n").split("\n")
    # A report begins below its header, and no other one holds its lines: each is read once.
    headers = [at for at, line in enumerate(lines) if _HEADER.match(line)]
    for at, following in itertools.pairwise((*headers, len(lines))):
        line = lines[at]
        if at + 1 < following and _RULE.match(lines[at + 1]):
            yield _printed(line, lines[at + 1], lines[at + 2 : following])
        # No rule below the header: it may be the header of a CSV, whose
        # rows go to the first empty line.
        elif line.count(",") > 1 and "(" in line and ("Name" in line or "Operation" in line):
            below = lines[at + 1 : following]
            end = next((i for i, row in enumerate(below) if not row.strip()), len(below))
            yield _table(next(csv.reader([line])), csv.reader(below[:end]))


def _printed(header: str, rule: str, below: Sequence[str]) -> _StatsTable:
    """A table whose columns stand below the dashes of `rule`, up to an empty line or its frame."""
    spans = [(dashes.start(), dashes.end()) for dashes in re.finditer("-+", rule)]
    # Without a frame the last column goes on to the end of the line.
    last = None if rule.startswith(_BOX) else len(spans) - 1

    def cells(line: str) -> list[str]:
        return [
            line[begin : None if at == last else end].strip()
            for at, (begin, end) in enumerate(spans)
        ]

    ends = (at for at, line in enumerate(below) if not line.strip() or line.startswith(_BOX))
    end = next(ends, len(below))
    return _table(cells(header), map(cells, below[:end]))


def _table(header: Sequence[str], rows: Iterator[list[str]]) -> _StatsTable:
    """Columns by their names without units; rows of another length are no rows."""
    units = {}
    for title in header:
        unit = _UNIT.match(title.strip())
        units[unit[1] if unit else title.strip()] = _UNITS[unit[2]] if unit else 1
    names = list(units)
    whole = [dict(zip(names, row, strict=True)) for row in rows if len(row) == len(names)]
    return _StatsTable(units, whole)


def _time(table: _StatsTable, row: Mapping[str, str], column: str) -> Decimal | None:
    """A duration in nanoseconds."""
    value = _number(row[column])
    return None if value is None else value * table.units[column]


def _number(text: str) -> Decimal | None:
    """A number, with or without commas between thousands; None where it is none or negative.

    One that is too large to be a time or a count comes as `TOO_LARGE`, which is, too.
    """
    try:
        value = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    return min(value, TOO_LARGE) if value.is_finite() and value >= 0 else None
