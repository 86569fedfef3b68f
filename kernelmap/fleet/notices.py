"""What a reader of a fleet has to know before its numbers: missing ranks, files without a rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelmap.fleet.inputs import LATER, PlacedFiles
from kernelmap.model import Notice

_PATTERN = r"Say where the rank stands in the paths: --rank-pattern 'worker(\d+)'."


def notices_of(placed: PlacedFiles, missing: Mapping[int, str], read: int) -> Iterator[Notice]:
    """Notices about `missing` ranks beside those `read`, and about files that were not placed."""
    if missing:
        yield Notice(
            slug="ranks-missing",
            message=f"{len(missing)} of {read + len(missing)} ranks are"
            " missing; the table of ranks says why.",
            gap=True,
        )
    if placed.unplaced:
        first = placed.unplaced[0]
        without_rank = any(LATER not in file.reason for file in placed.unplaced)
        more = f", and {len(placed.unplaced) - 1:,} more" if len(placed.unplaced) > 1 else ""
        yield Notice(
            slug="files-not-placed",
            message=f"{first.name} was not read: {first.reason}{more}.",
            hint=_PATTERN if without_rank else None,
            gap=True,
        )
