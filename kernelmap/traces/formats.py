"""The kinds of files that hold a trace: how each begins, and what reads it.

The content of a file decides its format, never its name. A reader is imported only where a file of
its format is there; the exception is that of Kineto, which most traces are. A new format is a
reader and a line in READERS.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.paths import first_bytes, is_regular
from kernelmap.model.trace import Functions
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.kineto import reader as kineto
from kernelmap.traces.kineto.reader import KinetoReader
from kernelmap.traces.ncu.reader import is_ncu_report, read_ncu
from kernelmap.traces.nsys.reader import raw_of
from kernelmap.traces.nsys.sqlite import exported, opened
from kernelmap.traces.nsys.stats import read_stats
from kernelmap.traces.nsys.stats_table import kernel_sums
from kernelmap.traces.nsys.tables import TELLING
from kernelmap.traces.perfetto import reader as perfetto
from kernelmap.traces.perfetto.reader import PerfettoReader
from kernelmap.traces.printed_averages import find_averages, read_averages
from kernelmap.traces.rocm.json_file import is_rocprof_json, read_rocprof_json
from kernelmap.traces.rocm.rocpd import is_rocpd, read_rocpd

SQLITE_MAGIC = b"SQLite format 3\0"
PARQUET = ".parquet"
_REPORT_MAGIC = b"NVIDIA Tegra Profiler Report"
_ROCPD = b"rocpd_"
_ROCPD_BYTES = 1 << 16  # the first pages
_STATS_BYTES = 1 << 18  # a report begins within so many bytes
_STATS_SIGNS = (b"Total Time", b"KAvg")
_CAPTURES_BYTES = 4096
_CAPTURES = re.compile(rb'\s*\{\s*"format"\s*:\s*"kernelmap\.cuda_graphs"')


class TraceReader(Protocol):
    """One file format."""

    @property
    def label(self) -> str:
        """What the format is called in messages."""

    def sniff(self, path: Path) -> bool:
        """Whether the content of `path` is of this format; cheap."""

    def read(self, path: Path) -> RawTrace:
        """The whole file; KernelmapError where it can't be used."""


def is_sqlite(path: Path) -> bool:
    """Whether `path` is a file that begins as SQLite databases do."""
    return first_bytes(path, len(SQLITE_MAGIC)) == SQLITE_MAGIC


def is_report(path: Path) -> bool:
    """Whether `path` is a file that begins as reports of nsys do."""
    return first_bytes(path, len(_REPORT_MAGIC)) == _REPORT_MAGIC


def is_captures(path: Path) -> bool:
    """Whether `path` is a cuda_graphs.json, by its beginning; False where it cannot be read."""
    return is_regular(path) and _CAPTURES.match(first_bytes(path, _CAPTURES_BYTES)) is not None


class RocpdReader(Struct, frozen=True):
    """Databases of rocprofv3."""

    label: str = "rocpd database of rocprofv3 (SQLite)"

    def sniff(self, path: Path) -> bool:
        """Whether `path` is a SQLite database with tables of rocpd, or one that is damaged."""
        if path.is_dir() or not is_sqlite(path):
            return False

        try:
            return is_rocpd(path)
        except KernelmapError:
            # The first page has the statements that made the tables, if anything of it is left.
            return _ROCPD in first_bytes(path, _ROCPD_BYTES)

    def read(self, path: Path) -> RawTrace:
        """All of `path`; KernelmapError where it is damaged, being written or laid out anew."""
        return read_rocpd(path)


class RocprofJsonReader(Struct, frozen=True):
    """JSON of rocprofv3."""

    label: str = "JSON of rocprofv3"

    def sniff(self, path: Path) -> bool:
        """Whether `path` begins with the name of the tool that wrote it."""
        return is_rocprof_json(path)

    def read(self, path: Path) -> RawTrace:
        """All of `path`; KernelmapError where it is cut off."""
        return read_rocprof_json(path)


class NsysReader(Struct, frozen=True):
    """SQLite exports."""

    label: str = "Nsight Systems export (SQLite)"

    def sniff(self, path: Path) -> bool:
        """Whether `path` is a SQLite database with tables of an export, or one that is damaged."""
        if path.is_dir() or not is_sqlite(path):
            return False

        try:
            with opened(path) as tables:
                return not TELLING.isdisjoint(tables.names)
        except KernelmapError:
            return True  # `read` says what is wrong with it

    def read(self, path: Path) -> RawTrace:
        """All of `path`; KernelmapError where it is damaged, being written or laid out anew."""
        with opened(path) as tables:
            return raw_of(tables)


class NsysFolderReader(Struct, frozen=True):
    """Folders of Parquet files: recognized, so that an error says which form is read."""

    label: str = "Nsight Systems export (parquetdir)"

    def sniff(self, path: Path) -> bool:
        """Whether `path` is a folder that nsys exported to: it has a table of exports."""
        if not path.is_dir() or next(path.glob(f"*{PARQUET}"), None) is None:
            return False

        return any((path / f"{table}{PARQUET}").is_file() for table in TELLING)

    def read(self, path: Path) -> RawTrace:
        """Always a KernelmapError: the same report as SQLite is read."""
        raise KernelmapError(
            "nsys-parquetdir",
            f"{path} is an export of Nsight Systems as a folder of Parquet files",
            "Export the report as SQLite: nsys export --type sqlite REPORT.nsys-rep",
        )


class NsysReportReader(Struct, frozen=True):
    """Reports as nsys records them."""

    label: str = "Nsight Systems report (.nsys-rep)"

    def sniff(self, path: Path) -> bool:
        """Whether `path` is a report."""
        return not path.is_dir() and is_report(path)

    def read(self, path: Path) -> RawTrace:
        """All of `path`; KernelmapError where nsys is missing or fails."""
        with exported(path) as tables:
            return raw_of(tables)


class NcuReader(Struct, frozen=True):
    """Reports of Nsight Compute, and the CSV that `ncu --csv` prints of them."""

    label: str = "Nsight Compute report (.ncu-rep, or CSV of its pages raw and details)"

    def sniff(self, path: Path) -> bool:
        """Whether `path` is a report, or begins with the header of a page."""
        return is_ncu_report(path)

    def read(self, path: Path) -> RawTrace:
        """All launches; KernelmapError where there are none, or it is another page."""
        return read_ncu(path)


class NsysStatsReader(Struct, frozen=True):
    """Text or CSV of `nsys stats`."""

    label: str = "kernel summary of nsys stats (table or CSV)"

    def sniff(self, path: Path) -> bool:
        """Whether a report about kernels stands at the beginning of `path`."""
        if path.is_dir():
            return False
        begin = first_bytes(path, _STATS_BYTES)
        if b"\0" in begin or not any(sign in begin for sign in _STATS_SIGNS):
            return False

        return bool(kernel_sums(begin.decode("utf-8", "replace")))

    def read(self, path: Path) -> RawTrace:
        """All kernels, copies and memsets that are summed up; KernelmapError where too many."""
        return read_stats(path)


class PrintedAveragesReader(Struct, frozen=True):
    """Text that `prof.key_averages().table()` prints."""

    label: str = "table of torch.profiler's key_averages()"

    def sniff(self, path: Path) -> bool:
        """Whether such a table begins near the beginning of `path`, and has rows."""
        if path.is_dir():
            return False
        begin = first_bytes(path, _STATS_BYTES)
        if b"\0" in begin or b"Self CPU" not in begin:
            return False

        return find_averages(begin.decode("utf-8", "replace")) is not None

    def read(self, path: Path) -> RawTrace:
        """All rows that count; KernelmapError where they stand for too many launches."""
        return read_averages(path)


EXPORTS: tuple[TraceReader, ...] = (
    RocpdReader(),
    RocprofJsonReader(),
    NsysReader(),
    NsysReportReader(),
    NsysFolderReader(),
    PerfettoReader(),
)
"""What reads rows with times from files whose text is not that of events."""

READERS: tuple[TraceReader, ...] = (
    KinetoReader(),
    *EXPORTS,
    NcuReader(),
    NsysStatsReader(),
    PrintedAveragesReader(),
)
"""In the order in which they are tried; the first one that takes a file reads it."""


def functions_of(path: Path) -> Functions:
    """All functions in files that a profile of torch.profiler names, those of libraries too."""
    return perfetto.functions_of(path) if is_packets(path) else kineto.functions_of(path)


def is_packets(path: Path) -> bool:
    """Whether a profile of torch.profiler is a Perfetto trace, and no JSON."""
    return PerfettoReader().sniff(path)
