"""One profile given under two names (a copy, plain and gzip, a hard link) counts once.

Taken: what the readers made of each file. Given: the same without copies; the first of equals tells
of the others. Held against each other is what was read, column by column, not the bytes: so it does
not matter how a copy is packed or spelled, and files of different lengths cost nothing to compare.
Two ranks never ran the same events in the same nanoseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from kernelmap.model.notices import Notice
from kernelmap.model.trace import ApiCalls, Launches, Ranges
from kernelmap.traces.assemble import RawTrace


def without_copies(raws: Sequence[RawTrace]) -> list[RawTrace]:
    """`raws` in the order of their sources, each content once."""
    kept: list[RawTrace] = []
    for raw in sorted(raws, key=lambda raw: raw.source):
        at = next((at for at, other in enumerate(kept) if _same(raw, other)), None)
        if at is None:
            kept.append(raw)
        else:
            notices = (*kept[at].notices, _notice(raw, kept[at]))
            kept[at] = replace(kept[at], notices=notices)
    return kept


def _same(one: RawTrace, other: RawTrace) -> bool:
    about = (one.pids, one.rank, one.gpus) == (other.pids, other.rank, other.gpus)
    return (
        about
        and _equal(one.launches, other.launches)
        and _equal(one.apis, other.apis)
        and _equal(one.ranges, other.ranges)
    )


def _equal(one: Launches | ApiCalls | Ranges, other: Launches | ApiCalls | Ranges) -> bool:
    """Whether two sets of columns say the same, tables of names included; lengths first."""
    if len(one) != len(other):
        return False
    pairs = ((getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return all(
        np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
        for mine, theirs in pairs
    )


def _notice(copy: RawTrace, kept: RawTrace) -> Notice:
    return Notice(
        slug="repeated-trace",
        message=f"{copy.source} holds the same profile as {kept.source}; it counts once",
    )
