"""What a matching says of a world, held against the truth in a few shares.

scripts/accuracy_scores.py tells more, and forgives a call of a graph that nobody gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelmap.matching import Match
from kernelmap.model import Confidence
from worlds.world import Truth


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Shares of GPU time: of compiled time `matched` to the right call, and given to a `wrong` one.

    `exact_right` is the share of what is exact, 1 without any; `exact` counts these launches, and
    `outside_claimed` those outside compiled code that were given to a call.
    """

    matched: float
    wrong: float
    exact_right: float
    exact: int
    outside_claimed: int


def score(result: Match, truth: Sequence[Truth]) -> Score:
    """Compare call by call; `truth` has one row per launch."""
    ids = [(graph.id, call.index) for graph, call in result.program.calls]
    compiled = right = wrong = exact_ns = exact_right = exact = claimed = 0
    for row, true in enumerate(truth):
        call, dur = int(result.matching.call[row]), true.dur_ns
        correct = call >= 0 and ids[call] == (true.graph, true.call)
        is_exact = result.matching.confidence[row] == Confidence.EXACT
        compiled += dur if true.call is not None else 0
        right += dur if correct else 0
        wrong += dur if call >= 0 and not correct else 0
        exact += is_exact
        exact_ns += dur if is_exact else 0
        exact_right += dur if is_exact and correct else 0
        claimed += call >= 0 and true.call is None
    return Score(
        matched=right / compiled,
        wrong=wrong / compiled,
        exact_right=exact_right / exact_ns if exact_ns else 1.0,
        exact=exact,
        outside_claimed=claimed,
    )
