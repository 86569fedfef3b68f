"""A correlation → its traces once more, for a trace viewer, with what was found in them.

`outputs` says what is added, `traces` writes it into each file; an export of nsys is written as a
Chrome trace first. One trace goes to a file, several (ranks) to a folder, each under a name of its
own; `.gz` at the end of a name packs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.model import Notice
from kernelmap.model.paths import is_folder
from kernelmap.model.roofline import Roofline
from kernelmap.pages.annotations import Annotations
from kernelmap.pages.memory_by_code import iter_code_memory_tracks
from kernelmap.pages.memory_track import iter_memory_tracks
from kernelmap.pages.report.shared import Records
from kernelmap.pages.write import require_folder_of, write_files, write_folder
from kernelmap.traces.annotated.chrome_file import write_chrome_trace
from kernelmap.traces.annotated.event_text import AnyTrack
from kernelmap.traces.annotated.kineto_file import annotate as write_annotated
from kernelmap.traces.annotated.kineto_file import is_chrome_trace
from kernelmap.traces.blocks import is_packed, packed
from kernelmap.traces.memory_events import read_memory_events

SUFFIXES = (".json", ".json.gz")
_PACKED = ".gz"
_ENDINGS = (".gz", ".json", ".pftrace", ".sqlite", ".nsys-rep")


class Annotated(Struct, frozen=True):
    """The files that were written, and notices about what they lack or show differently."""

    paths: tuple[Path, ...]
    notices: tuple[Notice, ...]


def annotate(
    records: Records, target: Path, read: Sequence[Path], *, speeds: Roofline | None
) -> Annotated:
    """Write every trace of `records` to `target`: a .json or .json.gz file, or a folder.

    `speeds` are those of its calls, `read` are the files that may not be overwritten. Raises
    KernelmapError where a trace has no events, where it cannot be written anew, or where nothing
    can be written to `target`.
    """
    check_target(target)
    sources = [Path(source) for source in records.trace.sources]
    # Traces of events are copied with additions; others are written as a Chrome trace.
    chrome = [is_chrome_trace(source) for source in sources]
    places = _places(sources, chrome, target)
    annotations = Annotations(
        records.program,
        records.trace,
        records.matching,
        records.attribution,
        speeds,
    )
    # Curves of memory, where the profile has events of it that viewers show without a height.
    memory = read_memory_events(records.trace).events
    notices: list[Notice] = []

    def draw(number: int, place: Path, handle: BinaryIO) -> None:
        tracks: list[AnyTrack] = [*iter_memory_tracks(memory, number)]
        tracks += iter_code_memory_tracks(
            records.program, records.trace, records.matching, records.memory_of_graphs, number
        )
        tracks += annotations.iter_tracks(number)
        pack = place.suffix.lower() == _PACKED
        with packed(handle) if pack else nullcontext(handle) as sink:
            if chrome[number]:
                added = annotations.of_events(number)
                notices.extend(write_annotated(sources[number], sink, added, tracks))
            else:
                write_chrome_trace(records.trace, number, sink, annotations.of_launches, tracks)

    draws = {place: partial(draw, number, place) for number, place in enumerate(places)}
    if _is_folder(target):
        write_folder(target, {place.name: draws[place] for place in places}, read)
    else:
        write_files(draws, read)
    return Annotated(tuple(places), tuple(notices))


def check_target(target: Path) -> None:
    """Raise UsageError where no trace can be written to `target`, as far as its name shows."""
    require_folder_of(target)
    if not _is_folder(target) and not target.name.lower().endswith(SUFFIXES):
        raise UsageError(
            "unknown-output-format",
            f"{target}: a trace is written to {' or '.join(SUFFIXES)}",
            "Give such a name, or for several traces a name without a suffix: a folder.",
        )


def _is_folder(target: Path) -> bool:
    return is_folder(target) or not target.suffix


def _places(sources: Sequence[Path], chrome: Sequence[bool], target: Path) -> list[Path]:
    """Where each trace goes."""
    if _is_folder(target):
        names = _names(sources, chrome)
        return [target / name for name in names]
    if len(sources) > 1:
        raise UsageError(
            "annotate-several",
            f"{len(sources)} traces do not fit into one file: {', '.join(map(str, sources))}",
            "Give a folder: -o with a name without a suffix. Each trace gets a file in it.",
        )
    return [target]


def _names(sources: Sequence[Path], chrome: Sequence[bool]) -> list[str]:
    """File names that tell the sources apart: their own, with the folders where these differ."""
    names: list[str] = []
    resolved = [source.resolve() for source in sources]
    # What all paths begin with tells nothing apart.
    shared = os.path.commonpath([source.parent for source in resolved])
    for source, has_events in zip(resolved, chrome, strict=True):
        stem = "_".join(source.relative_to(shared).parts)
        for ending in _ENDINGS:
            stem = stem.removesuffix(ending)
        # Packed as the source is; exports of Nsight Systems and Perfetto traces have no such text,
        # and their own is packed.
        suffix = ".json" if has_events and not is_packed(source) else ".json.gz"
        name, again = stem + suffix, 2
        # `a.json` and `a.json.gz` in one folder would have the same name.
        while name in names:
            name, again = f"{stem}_{again}{suffix}", again + 1
        names.append(name)
    return names
