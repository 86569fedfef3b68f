"""One recording that lies there in two forms, side by side under one name, is taken once.

Taken: paths of traces. Given: those to read, and notices of the others. nsys leaves the report
`run.nsys-rep` beside the export `run.sqlite` that it made of it, and people pack a trace and keep
both. Two files are one recording where the export is not older than its report, and where the
packed text is the other's, byte by byte. Left out: copies under other names; `copies` finds those
once they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from kernelmap.model.notices import Notice
from kernelmap.traces.blocks import Blocks
from kernelmap.traces.nsys_report import is_report
from kernelmap.traces.nsys_sqlite import is_sqlite

_REPORT, _EXPORT, _PACKED = ".nsys-rep", ".sqlite", ".gz"


def recordings(paths: Sequence[Path]) -> tuple[list[Path], list[Notice]]:
    """The paths of which each is a recording of its own, in order, and what is said of the rest."""
    notices = {path: notice for path in paths for notice in _told_by(path, paths)}
    return [path for path in paths if path not in notices], list(notices.values())


def _told_by(path: Path, others: Sequence[Path]) -> Iterator[Notice]:
    """Why `path` need not be read: another one of them is the same recording."""
    export = path.with_suffix(_EXPORT)
    if path.suffix == _REPORT and export in others and _is_export_of(export, path):
        yield Notice(
            slug="report-beside-export",
            message=f"{path} is the report beside its export {export.name}, which is read instead",
        )
    plain = path.with_suffix("")
    if path.suffix == _PACKED and plain in others and _same_text(path, plain):
        yield Notice(
            slug="repeated-trace",
            message=f"{path} holds the same profile as {plain}; it counts once",
        )


def _is_export_of(export: Path, report: Path) -> bool:
    return (
        is_report(report)
        and is_sqlite(export)
        and export.stat().st_mtime_ns >= report.stat().st_mtime_ns
    )


def _same_text(one: Path, other: Path) -> bool:
    """Whether both hold the same once unpacked, neither of them cut."""
    first = _digest(one)
    return first is not None and first == _digest(other)


def _digest(path: Path) -> bytes | None:
    blocks, found = Blocks(path), sha256()
    for block in blocks:
        found.update(block)
    return None if blocks.cut else found.digest()
