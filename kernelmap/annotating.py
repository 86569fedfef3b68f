"""A correlation → its traces once more, for a trace viewer, with what was found in them.

`outputs` says what is added, `traces` writes it into each file. One trace goes to a file, several
(ranks) to a folder, each under a name of its own; `.gz` at the end of a name packs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, Protocol

from kernelmap.attribution.records import Attribution
from kernelmap.errors import UsageError, unwritable
from kernelmap.model import CompiledProgram, Matching, Notice, Trace
from kernelmap.model.paths import is_folder
from kernelmap.traces.annotate import annotate as write_annotated
from kernelmap.traces.annotate import require_annotatable
from kernelmap.traces.blocks import is_packed, packed

SUFFIXES = (".json", ".json.gz")
_PACKED = ".gz"


class Found(Protocol):
    """What of a correlation is told."""

    @property
    def program(self) -> CompiledProgram:
        """The graphs."""

    @property
    def trace(self) -> Trace:
        """The traces."""

    @property
    def matching(self) -> Matching:
        """Which launch is whose."""

    @property
    def attribution(self) -> Attribution:
        """Ops, nodes and lines of the calls."""

    @property
    def files(self) -> Sequence[Path]:
        """What may not be overwritten."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """The files that were written, and what is not in them as it was."""

    paths: tuple[Path, ...]
    notices: tuple[Notice, ...]


def annotate(found: Found, target: Path) -> Annotated:
    """Write every trace of `found` to `target`: a .json or .json.gz file, or a folder.

    Raises KernelmapError where a trace is no Chrome trace, where it cannot be written anew, or
    where nothing can be written to `target`.
    """
    from kernelmap.outputs.annotations import Annotations
    from kernelmap.outputs.write import write_files

    check_target(target)
    sources = [Path(source) for source in found.trace.sources]
    for source in sources:
        require_annotatable(source)
    places = _places(sources, target)
    told = Annotations(found.program, found.trace, found.matching, found.attribution)
    notices: list[Notice] = []

    def draw(number: int, place: Path, handle: BinaryIO) -> None:
        added, tracks = told.of_events(number), list(told.tracks(number))
        pack = place.suffix.lower() == _PACKED
        with packed(handle) if pack else nullcontext(handle) as sink:
            notices.extend(write_annotated(sources[number], sink, added, tracks))

    draws = {place: partial(draw, number, place) for number, place in enumerate(places)}
    if _is_folder(target):
        try:
            target.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable(target, error) from error
    write_files(draws, found.files)
    return Annotated(tuple(places), tuple(notices))


def check_target(target: Path) -> None:
    """Raise UsageError where no trace can be written to `target`, as far as its name tells."""
    from kernelmap.outputs.write import require_folder_of

    require_folder_of(target)
    if not _is_folder(target) and not target.name.lower().endswith(SUFFIXES):
        raise UsageError(
            "unknown-output-format",
            f"{target}: a trace is written to {' or '.join(SUFFIXES)}",
            "Give such a name, or for several traces a name without a suffix: a folder.",
        )


def _is_folder(target: Path) -> bool:
    return is_folder(target) or not target.suffix


def _places(sources: Sequence[Path], target: Path) -> list[Path]:
    """Where each trace goes."""
    if _is_folder(target):
        names = _names(sources)
        return [target / name for name in names]
    if len(sources) > 1:
        raise UsageError(
            "annotate-several",
            f"{len(sources)} traces do not fit into one file: {', '.join(map(str, sources))}",
            "Give a folder: -o with a name without a suffix. Each trace gets a file in it.",
        )
    return [target]


def _names(sources: Sequence[Path]) -> list[str]:
    """File names that tell the sources apart: their own, with the folders where these differ."""
    names: list[str] = []
    parts = [source.resolve().parts for source in sources]
    shared = 0
    while len(parts) > 1 and len({each[shared] for each in parts}) == 1:
        shared += 1
    for source, own in zip(sources, parts, strict=True):
        whole = "_".join(own[shared:] if len(parts) > 1 else own[-1:])
        stem = whole.removesuffix(".gz").removesuffix(".json")
        suffix = ".json.gz" if is_packed(source) else ".json"
        name, again = stem + suffix, 2
        while name in names:
            name, again = f"{stem}_{again}{suffix}", again + 1
        names.append(name)
    return names
