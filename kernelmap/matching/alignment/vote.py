"""What one invocation hints at, many decide.

A launch may be a little likelier at one spot than at another: a library launch of the right family
lies before it. Once that is weak evidence; where the same two spots are weighed again and again and
the same one is ahead every time, it is enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernelmap.matching.alignment.answers import CLEAR, Answers
from kernelmap.model.trace import Bool

_VOTES = 4
_SHARE = 0.5
"""Share of the launches at a spot that have to hint: what is rare is somebody else's doing."""
_LEAST = 7
"""A margin that is a hint: one launch of a telling family."""


def voted(answers: Sequence[Answers], times: Sequence[int]) -> list[Answers]:
    """`answers` of sequences that ran so many `times`, hints made clear where enough agree."""
    votes: Counter[tuple[int, int]] = Counter()
    stand: Counter[int] = Counter()
    for each, weight in zip(answers, times, strict=True):
        hints = _hints(each)
        pairs = zip(each.spot[hints].tolist(), each.second[hints].tolist(), strict=True)
        votes.update({pair: n * weight for pair, n in Counter(pairs).items()})
        stand.update({spot: n * weight for spot, n in Counter(each.spot.tolist()).items()})
    enough = {
        (spot, second)
        for (spot, second), count in votes.items()
        if count >= max(_VOTES, _SHARE * stand[spot])
    }
    return [_decided(each, enough) for each in answers] if enough else list(answers)


def _hints(answers: Answers) -> Bool:
    weak = (answers.margin >= _LEAST) & (answers.margin < CLEAR)
    return weak & (answers.spot >= 0) & (answers.second >= 0)


def _decided(answers: Answers, enough: set[tuple[int, int]]) -> Answers:
    places = np.flatnonzero(_hints(answers)).tolist()
    pairs = zip(answers.spot[places].tolist(), answers.second[places].tolist(), strict=True)
    clear = [place for place, pair in zip(places, pairs, strict=True) if pair in enough]
    margin = answers.margin.copy()
    margin[clear] = CLEAR
    decided = set(clear)
    several = {at: spots for at, spots in answers.several.items() if at not in decided}
    return replace(answers, margin=margin, several=several)
