"""Leaves out traces that are given twice: another form of a recording, or a copy of a file.

Forms are left out before anything is read: files side by side under one name. nsys leaves the
report `run.nsys-rep` beside the export `run.sqlite` that it made of it, and people pack a trace and
keep both. Two files are one recording where the export is not older than its report, and where the
packed text is the other's, byte by byte.

Copies under other names (a copy, a hard link) are left out once they are read; the notice stays
with the first of equals. Compared is what was read, column by column, not the bytes: so it does not
matter how a copy is packed or spelled, nor whether it is JSON or a Perfetto trace; and files of
different lengths cost nothing to compare. Two ranks never ran the same events in the same
nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from kernelmap.model.notices import Notice
from kernelmap.model.trace import ApiCalls, Launches, Ranges
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.formats import is_report, is_sqlite

_REPORT, _EXPORT, _PACKED = ".nsys-rep", ".sqlite", ".gz"


def without_other_forms(paths: Sequence[Path]) -> tuple[list[Path], list[Notice]]:
    """The paths without other forms of one recording, and a notice for each that is left out."""
    notices = {path: notice for path in paths for notice in _notices_of(path, paths)}
    return [path for path in paths if path not in notices], list(notices.values())


def _notices_of(path: Path, others: Sequence[Path]) -> Iterator[Notice]:
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
    blocks, digest = FileBlocks(path), sha256()
    for block in blocks:
        digest.update(block)
    return None if blocks.cut else digest.digest()


def without_copies(raws: Sequence[RawTrace]) -> list[RawTrace]:
    """`raws` in the order of their sources, each content once.

    Of equal ones those that name their GPUs go first: a Perfetto trace of torch 2.14 names none.
    """
    kept: list[RawTrace] = []
    for raw in sorted(raws, key=lambda raw: (not raw.gpus, raw.source)):
        at = next((at for at, other in enumerate(kept) if _same(raw, other)), None)
        if at is None:
            kept.append(raw)
        else:
            notices = (*kept[at].notices, _notice(raw, kept[at]))
            kept[at] = replace(kept[at], notices=notices)
    return sorted(kept, key=lambda raw: raw.source)


def _same(one: RawTrace, other: RawTrace) -> bool:
    # Files with equal events that state different ranks, or other GPUs, are two profiles.
    about = (one.pids, one.rank) == (other.pids, other.rank)
    return (
        about
        and (one.gpus == other.gpus or not one.gpus or not other.gpus)
        and _equal(one.launches, other.launches)
        and _equal(one.apis, other.apis)
        and _equal(one.ranges, other.ranges)
    )


def _equal(one: Launches | ApiCalls | Ranges, other: Launches | ApiCalls | Ranges) -> bool:
    """Whether two sets of columns say the same, tables of names included; lengths first."""
    if len(one) != len(other):
        return False
    # The place in its file is no part of an event: a profile may be written in two forms.
    names = (name for name in one.__struct_fields__ if name != "event")
    pairs = ((getattr(one, name), getattr(other, name)) for name in names)
    return all(
        np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
        for mine, theirs in pairs
    )


def _notice(copy: RawTrace, kept: RawTrace) -> Notice:
    return Notice(
        slug="repeated-trace",
        message=f"{copy.source} holds the same profile as {kept.source}; it counts once",
    )
