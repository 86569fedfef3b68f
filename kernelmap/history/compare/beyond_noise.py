"""Samples of groups of calls → their evidence: beyond chance, repeats and what processes differ by.

The one way in which anything is tested: a change, a sum of changes, a family of calls. All groups
that are handed over together are one family of tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.history.compare.drift import Drift, Drifting
from kernelmap.history.compare.statistics import TestEvidence, Times, find_evidence, is_slower


def evidence_beyond_drift(
    samples: Mapping[int, tuple[Times, Times]],
    drifting: Mapping[int, Sequence[Drifting]],
    floor: float,
    drift: Drift,
) -> dict[int, TestEvidence]:
    """The evidence for each group that has enough samples before and after, by its key.

    `drifting` is what the older side of a group is the sum of. `floor` is the ratio that repeats of
    the same code differ by.
    """
    # The drift of what may be slower is learnt from what became faster, and the other way round.
    floors = {
        key: max(floor, drift.floor_of_sum(drifting[key], slower=is_slower(*pair)))
        for key, pair in samples.items()
    }
    return find_evidence(samples, floors)
