"""Tables that `prof.key_averages().table()` prints, as sums by kernel.

Taken: the text of one or several tables, with whatever stands around them. Given: per row of the
device how often it ran and for how long. The columns differ by device (`Self CUDA`, `Self XPU`, …)
and by what was recorded (memory, shapes, stacks, FLOPs), so they are found by their titles.

A kernel stands in a row of its own, where the CPU took no time, and its time stands once more in
the row of the operator that launched it. The footer `Self CUDA time total` counts the rows of
kernels alone, without ranges that were copied to the device's track; the old profiler has rows of
operators only. So the rows are taken that add up to the footer. Without a footer the shares of the
rows tell what the whole is.
Left out: times of the CPU, and memory; a table of the CPU alone is none that is read.
Seen in tables of torch 1.13 to 2.14.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.facts.generated import is_generated_kernel
from kernelmap.model.notices import Notice, format_duration
from kernelmap.model.paths import read_bytes
from kernelmap.model.trace import Activity
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.sums import TOO_LARGE, KernelSum, is_usable, raw_of_sums

HEADER = re.compile(r"\bName\b.*\bSelf CPU(?: total)? %.*(?:# of Calls|Number of Calls)")
"""The line of titles, in every version."""
_RULE = re.compile(r"^\W*-{4,}(?: +-{4,})+\s*$")
_FOOTER = re.compile(r"\bSelf (\w+) time total: *(-?[\d.]+)(us|ms|s)\b")
_TIME = re.compile(r"(-?\d{1,18}\.?\d*)(us|ms|s)")
_UNITS = {"us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_CALLS = ("# of Calls", "Number of Calls")
_OVERLOAD = "Overload Name"
_TOP_LEVEL = "This report only display top-level ops statistics"
# Ranges of the host that the profiler copies to the device's track, where their row of the host's
# may be missing from the table.
_RANGES = re.compile(
    r"ProfilerStep.*|## Call CompiledFxGraph.*|Torch-Compiled Region.*|Optimizer\..*"
    r"|.*_wrapper_call"
)
_COPIES = ("Memcpy ", "Memset ")
_CPU = "CPU"
_SHARES = ("%", "NaN")
_NUMBER = re.compile(r"\d{1,4}\.\d+")
_DIGITS = 18  # of a number of 64 bits
_DECIMALS = 1_000  # times have three decimals
_HUNDREDTH = Decimal("0.01")
_FOOTER_LINES = 6


class Averages(Struct, frozen=True, kw_only=True):
    """One printed table: the chosen rows, and what it says of the whole.

    `device` is how it calls the device whose times they are. `whole_ns` is what it states or
    implies of all rows, None without either, `loose_ns` how far rounding may take `sums` from it.
    """

    device: str
    sums: tuple[KernelSum, ...]
    whole_ns: int | None
    loose_ns: int
    top_level: bool

    @property
    def missing_ns(self) -> int:
        """Time of rows that the table does not show."""
        missing = (self.whole_ns or 0) - sum(row.time_ns for row in self.sums)
        return missing if missing > self.loose_ns else 0


class _Whole(Struct, frozen=True):
    """What all rows take together, and the worth of the last digit that is known of it."""

    time_ns: int
    digit_ns: int


class _Row(Struct, frozen=True, kw_only=True):
    """A line of the table: its times in ns, that of the device with its last digit's worth."""

    name: str
    calls: int
    cpu_ns: int
    own_ns: int
    digit_ns: int
    share: Decimal | None

    @property
    def of_device(self) -> bool:
        """Whether it is a row of the device's own: the host spent no time on it."""
        return self.cpu_ns == 0


def find_averages(text: str) -> Averages | None:
    """The table in `text`, of several that of a device with the most time; None without any."""
    tables = [table for table in _tables(text) if table.sums]
    # A table of the CPU's times counts where there is none of a device's.
    on_device = [table for table in tables if table.device != _CPU] or tables
    return max(on_device, key=lambda table: sum(row.time_ns for row in table.sums), default=None)


def _tables(text: str) -> Iterator[Averages]:
    lines = text.replace("\r", "").split("\n")
    headers = [at for at, line in enumerate(lines) if HEADER.search(line)]
    for at, end in itertools.pairwise((*headers, len(lines))):
        # The rows stand between two rules; a paste may lack either.
        # What stands before the first title, such as `[rank0]:`, stands before each row.
        before, _, titles = lines[at].partition("Name")
        prefix, start = before.strip(), at + 1
        if start < end and _RULE.match(lines[start]):
            start += 1
        below = (i for i in range(start, end) if _ends_table(lines[i]))
        last = next(below, end)
        yield _read_table(
            _cells(f"Name{titles}"),
            [line.strip().removeprefix(prefix) for line in lines[start:last]],
            "\n".join(lines[last : min(end, last + _FOOTER_LINES)]),
            top_level=any(_TOP_LEVEL in line for line in lines[max(0, at - 3) : at]),
        )


def _ends_table(line: str) -> bool:
    return _RULE.match(line) is not None or _FOOTER.search(line) is not None


def _cells(line: str) -> list[str]:
    """The cells of a line: at least two blanks stand between two of them."""
    return re.split(r" {2,}|\t", line.strip())


def _read_table(
    titles: Sequence[str], lines: Sequence[str], footer: str, *, top_level: bool
) -> Averages:
    device = next(
        (
            title.removeprefix("Self ")
            for title in titles
            if title.startswith("Self ") and f"{title} %" in titles and title != "Self CPU"
        ),
        _CPU,
    )
    rows = [row for line in lines if (row := _read_row(titles, line, device)) is not None]
    whole = _stated_whole(footer, device) or _implied_whole(rows)
    chosen = _choose_rows(rows, whole) if device != _CPU else rows
    # A table of the CPU alone is told by its rows, whatever they took.
    chosen = [row for row in chosen if row.own_ns > 0 or device == _CPU]
    return Averages(
        device=device,
        sums=tuple(_sum_of_row(row) for row in chosen),
        whole_ns=whole.time_ns if whole is not None else None,
        loose_ns=_loose_ns(chosen, whole),
        top_level=top_level,
    )


def _read_row(titles: Sequence[str], line: str, device: str) -> _Row | None:
    """What a line says; None for lines that are no rows, such as the rest of a stack."""
    cells = _cells(line)
    # A name may hold two blanks itself, and an overload may have no name: the first share tells
    # where the numbers begin.
    first = next((at for at, title in enumerate(titles) if title.startswith("Self CPU")), 1)
    begin = next((at for at, cell in enumerate(cells) if cell.endswith(_SHARES)), 0)
    if not begin:
        return None
    value = dict(zip(titles[first:], cells[begin:], strict=False))
    calls = next((value[title] for title in _CALLS if title in value), "")
    cpu, own = (_TIME.fullmatch(value.get(title, "")) for title in ("CPU total", f"Self {device}"))
    if own is None or not calls.isdecimal() or len(calls) > _DIGITS:
        return None
    return _Row(
        name=cells[0] if _OVERLOAD in titles else "  ".join(cells[:begin]),
        calls=int(calls),
        cpu_ns=_nanoseconds(cpu) if cpu is not None else 0,
        own_ns=_nanoseconds(own),
        digit_ns=_UNITS[own[2]] // _DECIMALS,
        share=_share(value.get(f"Self {device} %", "")),
    )


def _nanoseconds(time: re.Match[str]) -> int:
    """The time that a cell states; not more than any number that is read."""
    return int(min(Decimal(time[1]) * _UNITS[time[2]], TOO_LARGE))


def _share(text: str) -> Decimal | None:
    """The share of a cell such as `55.21%`, None where it says nothing of the whole."""
    number = text.removesuffix("%")
    return Decimal(number) if _NUMBER.fullmatch(number) and Decimal(number) > 0 else None


def _stated_whole(footer: str, device: str) -> _Whole | None:
    """What `Self CUDA time total: 1.234ms` says."""
    for name, *time in _FOOTER.findall(footer):
        stated = _TIME.fullmatch("".join(time))
        if name == device and stated is not None:
            return _Whole(_nanoseconds(stated), _UNITS[stated[2]] // _DECIMALS)
    return None


def _implied_whole(rows: Sequence[_Row]) -> _Whole | None:
    """What all rows take, by the row whose share is the largest; None where none has one."""
    largest = max((row for row in rows if row.share), key=lambda row: row.share or 0, default=None)
    if largest is None or not largest.share:
        return None
    whole_ns = round(largest.own_ns * 100 / largest.share)
    # A share has two decimals, so the whole is known as well as these tell.
    return _Whole(whole_ns, round(whole_ns * _HUNDREDTH / largest.share))


def _choose_rows(rows: Sequence[_Row], whole: _Whole | None) -> Sequence[_Row]:
    """The rows that count each kernel once."""
    kernels = [row for row in rows if row.of_device]
    operators = [row for row in rows if not row.of_device]
    # A user's range has a row of either kind, under one name; so has a kernel of Inductor's, which
    # is told by its name.
    on_host = {row.name for row in operators}
    named = [row for row in kernels if not _RANGES.fullmatch(row.name)]
    plain = [row for row in named if row.name not in on_host or is_generated_kernel(row.name)]
    if whole is not None:
        for way in (plain, named, kernels, rows, operators):
            if abs(_sum_ns(way) - whole.time_ns) <= _loose_ns(way, whole):
                return way
    # Rows are missing: kernels, and operators with the kernels that they launched, are two views of
    # one time, so only one of them may count.
    views = [way for way in (plain, operators) if way and not _is_too_much(way, whole)]
    return max(views, key=_sum_ns, default=plain or rows)


def _is_too_much(rows: Sequence[_Row], whole: _Whole | None) -> bool:
    return whole is not None and _sum_ns(rows) > whole.time_ns + _loose_ns(rows, whole)


def _sum_ns(rows: Sequence[_Row]) -> int:
    return sum(row.own_ns for row in rows)


def _loose_ns(rows: Sequence[_Row], whole: _Whole | None) -> int:
    """How far rounded times may lie from their rounded sum: half of the last digit of each."""
    return (sum(row.digit_ns for row in rows) + (whole.digit_ns if whole else 0)) // 2 + 1


def _sum_of_row(row: _Row) -> KernelSum:
    activity = Activity.KERNEL
    if row.name.startswith(_COPIES):
        activity = Activity.MEMSET if row.name.startswith("Memset") else Activity.MEMCPY
    return KernelSum(
        name=row.name,
        launches=max(row.calls, 1),
        time_ns=row.own_ns,
        exact=False,
        activity=activity,
    )


def read_averages(path: Path) -> RawTrace:
    """The table in the file at `path`; KernelmapError where it counts too many launches."""
    table = find_averages(read_bytes(path).decode("utf-8", "replace"))
    if table is None or table.device == _CPU:
        raise KernelmapError(
            "no-gpu-activity",
            f"{path} is a table of times of the CPU: it has no column of a device",
            "Record with ProfilerActivity.CUDA (or XPU) and print the table once more; for code "
            "compiled for the CPU give the profile itself: prof.export_chrome_trace().",
        )
    sums = [row for row in table.sums if is_usable(row)]
    return raw_of_sums(path, sums, tuple(_notices(path, table, lost=len(table.sums) - len(sums))))


def _notices(path: Path, table: Averages, *, lost: int) -> Iterator[Notice]:
    yield Notice(
        slug="sums-only",
        message=f"{path} sums up what ran by its name, of {table.device}: launches have no times, "
        "no order and no host side",
        hint='Give the profile itself: prof.export_chrome_trace("trace.json")',
        gap=True,
    )
    if lost:
        yield Notice(
            slug="events-without-duration",
            message=f"{path}: {lost} rows without a usable duration left out",
            gap=True,
        )
    if table.missing_ns:
        shown = "only rows of the top level" if table.top_level else "not all rows"
        yield Notice(
            slug="rows-left-out",
            message=f"{path} shows {shown}: {format_duration(table.missing_ns)} of "
            f"{format_duration(table.whole_ns or 0)} are not in it",
            hint="Print all: prof.key_averages().table(row_limit=-1)",
            gap=True,
        )
    if cut := [row for row in table.sums if row.cut]:
        yield Notice(
            slug="names-cut-off",
            message=f"{path}: the table cuts off {len(cut)} names; each may be any kernel that "
            "begins so",
            hint="Print it with prof.key_averages().table(max_name_column_width=None)",
            gap=True,
        )
