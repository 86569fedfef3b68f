"""(launches of calls, their limits) → reasons in how calls were launched."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.model.notices import format_count
from kernelmap.model.roofline import Bound, CallSpeed, Slug
from kernelmap.model.work import CodeEvidence
from kernelmap.speed.limits.candidates import KnownSpeeds, ReasonCandidate, is_far

_FEWEST = 32
"""Multiprocessors that are assumed where the code states none: every GPU of limits.toml has more,
so a grid that is called small is small there as well."""


def iter_launch_reasons(known: KnownSpeeds, evidence: CodeEvidence) -> Iterator[ReasonCandidate]:
    """Grids that are too small."""
    for speed in known.speeds.values():
        yield from _small_grid(known, speed, evidence.processors)


def _small_grid(
    known: KnownSpeeds, speed: CallSpeed, processors: int | None
) -> Iterator[ReasonCandidate]:
    """Memory traffic far below the limit, by fewer blocks than the device has multiprocessors.

    A block runs on one multiprocessor, so that some of them have nothing to do.
    """
    blocks = speed.blocks
    if blocks is None or blocks >= (processors or _FEWEST) or not is_far(speed):
        return
    # This reason explains memory traffic. Calls bound by arithmetic have other reasons.
    if speed.bound is Bound.COMPUTE:
        return
    against = (
        f"the {processors:,} multiprocessors of the device that the code was compiled for"
        if processors
        else f"a device that is taken to have {_FEWEST} multiprocessors, fewer than any known one"
    )
    yield ReasonCandidate(
        slug=Slug.SMALL_GRID,
        savings={speed.call: speed.headroom_ns},
        bytes=None,
        evidence=f"{known.name_of_call(speed.call)} runs in {format_count(blocks, 'block')} "
        f"at most, on {against}",
    )
