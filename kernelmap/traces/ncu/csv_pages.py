"""What `ncu --csv` prints → launches with their metrics: its pages `raw` and `details`.

Taken: the CSV with whatever stands before it, such as ncu's own lines (`==PROF== …`) and what the
program printed. The raw page has a row per launch, a column per metric and the units in a row of
their own; the details page a row per launch and metric, and rows of rules, which are left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kernelmap.errors import KernelmapError
from kernelmap.traces.ncu.launch import (
    DEVICE_NAME,
    LARGEST,
    NO_EXTENT,
    Extent,
    Metric,
    ReportedLaunch,
)

_ID, _NAME, _SECTION, _METRIC, _UNIT, _VALUE = (
    "ID",
    "Kernel Name",
    "Section Name",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
)
_HEADER = re.compile(r'^\ufeff?"?ID"?,"?Process ID"?,', re.MULTILINE)
_OTHER_PAGES = (
    (re.compile(r'^\ufeff?"?Process ID"?,.*"?Invocations"?,', re.MULTILINE), "a summary"),
    (re.compile(r'^\ufeff?"#","(?:Address|Source)"', re.MULTILINE), "the page source"),
)
_AGAIN = "Print the launches: ncu --import REPORT.ncu-rep --csv --page raw"
_NUMBER = re.compile(r"[-+]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?")
_OTHER_NUMBER = re.compile(r"[-+]?\d{1,3}(?:[. \u00a0\u202f]\d{3})*,\d+")
"""A number whose decimals stand behind a comma."""
_EXTENT = re.compile(r"\(?\s*(\d[\d,]*?)\s*,\s*(\d[\d,]*?)\s*,\s*(\d[\d,]*?)\s*\)?")
_DIGITS = 10  # of a size or an id; what is longer is none
_RATE = "Memory Throughput"
"""Two metrics of the details page have this name: a share and a rate."""


def is_page(text: str) -> bool:
    """Whether a page of `ncu --csv` begins in `text`, one that holds no launches too."""
    return _HEADER.search(text) is not None or _other_page(text) is not None


def read_pages(text: str, path: Path) -> list[ReportedLaunch]:
    """The launches of a page, in its order; KernelmapError where it has none that can be used."""
    begin = _HEADER.search(text)
    if begin is None:
        raise KernelmapError(
            "ncu-page",
            f"{path} is {_other_page(text) or 'another page'} of ncu, which lists no launches",
            _AGAIN,
        )
    rows = csv.reader(io.StringIO(text[begin.start() :].lstrip("\ufeff"), newline=""))
    try:
        header = next(rows)
        # What stands behind a page, or between two processes', is no row of it.
        whole = [row for row in rows if len(row) > 1 and _is_row(row)]
    except csv.Error as error:
        raise KernelmapError("ncu-page", f"{path} cannot be read: {error}", _AGAIN) from error
    columns = {name: at for at, name in reversed([*enumerate(header)])}
    if _NAME not in columns:
        raise KernelmapError("ncu-page", f"{path} has no column {_NAME!r}", _AGAIN)
    if _METRIC in columns:
        launches = [*_iter_details(whole, columns, path)]
    else:
        launches = [*_iter_raw(whole, header, columns, path)]
    if not launches:
        raise KernelmapError(
            "ncu-no-launches",
            f"{path} is a page of ncu without a launch: no kernel was profiled",
            "Look at what ncu was told to skip: --kernel-name, --launch-skip, --profile-from-start,"
            " --target-processes all for a program that starts others.",
        )
    return launches


def _is_row(row: Sequence[str]) -> bool:
    """Whether a row is of a launch, which has a number, or of units, which has none."""
    number = row[0].strip().replace(",", "")
    return not number or number.isdecimal()


def _other_page(text: str) -> str | None:
    return next((what for pattern, what in _OTHER_PAGES if pattern.search(text)), None)


def _iter_raw(
    rows: Sequence[Sequence[str]], header: Sequence[str], columns: Mapping[str, int], path: Path
) -> Iterator[ReportedLaunch]:
    """A row per launch; the row of units has no id, and base units may do without it."""
    units: Sequence[str] = ()
    for row in rows:
        if not row[columns[_ID]].strip():
            units = row
            continue
        metrics = {}
        for at, (name, text) in enumerate(zip(header, row, strict=False)):
            # Metrics have two underscores between the part of the device and what is counted, or
            # are sums over the code that ncu makes.
            if "_" in name and (value := _number(text, path)) is not None:
                metrics[name] = Metric(value, units[at].strip() if at < len(units) else "")
        yield _launch(row, columns, metrics)


def _iter_details(
    rows: Sequence[Sequence[str]], columns: Mapping[str, int], path: Path
) -> Iterator[ReportedLaunch]:
    """The rows of a launch stand together; one of a rule has no metric."""
    current: tuple[str, ...] | None = None
    first: Sequence[str] = ()
    metrics: dict[str, Metric] = {}
    for row in rows:
        # Each process counts its launches anew.
        key = tuple(row[columns[name]] for name in (_ID, "Process ID") if name in columns)
        if key != current:
            if current is not None:
                yield _launch(first, columns, metrics)
            current, first, metrics = key, row, {}
        name = _cell(row, columns, _METRIC)
        value = _number(_cell(row, columns, _VALUE), path)
        if not name or value is None:
            continue
        unit = _cell(row, columns, _UNIT)
        if name == _RATE and "/" in unit:
            name = f"{_RATE} (rate)"
        metrics.setdefault(name, Metric(value, unit))
    if current is not None:
        yield _launch(first, columns, metrics)


def _launch(
    row: Sequence[str], columns: Mapping[str, int], metrics: Mapping[str, Metric]
) -> ReportedLaunch:
    """What was launched, by the columns that all pages have in common."""
    return ReportedLaunch(
        name=_cell(row, columns, _NAME),
        grid=_extent(_cell(row, columns, "Grid Size")) or _stated_extent(metrics, "grid"),
        block=_extent(_cell(row, columns, "Block Size")) or _stated_extent(metrics, "block"),
        pid=_cell(row, columns, "Process ID") or None,
        device=_whole(_cell(row, columns, "Device"), 0),
        device_name=_cell(row, columns, DEVICE_NAME) or None,
        stream=_whole(_cell(row, columns, "Stream"), -1),
        metrics=metrics,
    )


def _cell(row: Sequence[str], columns: Mapping[str, int], name: str) -> str:
    at = columns.get(name)
    return row[at].strip() if at is not None and at < len(row) else ""


def _extent(text: str) -> Extent | None:
    """The three sizes of a grid or a block.

    >>> _extent("(4096, 1, 1)")
    (4096, 1, 1)
    """
    match = _EXTENT.fullmatch(text)
    if match is None:
        return None
    x, y, z = (int(part.replace(",", "")[:_DIGITS]) for part in match.groups())
    return x, y, z


def _stated_extent(metrics: Mapping[str, Metric], what: str) -> Extent:
    """The sizes as metrics state them, where an older page has no column for them."""
    sizes = [metrics.get(f"launch__{what}_dim_{axis}") for axis in "xyz"]
    x, y, z = (-1 if size is None else int(size.value) for size in sizes)
    return (x, y, z) if -1 not in (x, y, z) else NO_EXTENT


def _whole(text: str, without: int) -> int:
    digits = text.replace(",", "")
    return int(digits) if digits.isdecimal() and len(digits) <= _DIGITS else without


def _number(text: str, path: Path) -> float | None:
    """A number as ncu prints it, None for any other text; KernelmapError with decimal commas.

    >>> _number("1,980,000", Path()), _number("2.617", Path()), _number("no data", Path())
    (1980000.0, 2.617, None)
    """
    text = text.strip()
    if _NUMBER.fullmatch(text):
        value = float(text.replace(",", ""))
        return value if abs(value) <= LARGEST else None
    if _OTHER_NUMBER.fullmatch(text):
        raise KernelmapError(
            "ncu-page",
            f"{path} has numbers with a decimal comma, {text!r}: thousands and decimals cannot be"
            " told apart",
            "Print it in the form of programs: LC_ALL=C ncu --import REPORT.ncu-rep --csv"
            " --page raw",
        )
    return None
