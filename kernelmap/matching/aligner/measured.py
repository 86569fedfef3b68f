"""Kernels that the autotuner measured: series of one name, with memory cleared in between."""

from __future__ import annotations

import numpy as np

from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.model.trace import Bool

_MORE = 2
"""So many launches in a row more than the code has calls in a row look like a series."""


def measured_words(tokens: Tokens, sites: Sites) -> Bool:
    """Mask of the names of the code that run in series as only the autotuner makes them."""
    found = np.zeros(len(tokens.words), dtype=bool)
    longest = _longest_rows(tokens, sites)
    restored = tokens.restored
    for sequence in tokens.sequences:
        word = tokens.word[sequence.token]
        others = np.concatenate([[0], np.cumsum((word < 0) & ~restored[sequence.token])])
        at = np.flatnonzero(word >= 0)
        own = word[at]
        again = np.zeros(len(at), dtype=bool)
        again[1:] = (own[1:] == own[:-1]) & (others[at[1:]] == others[at[:-1] + 1])
        cleared = again & (np.diff(at, prepend=0) > 1)
        found[own[cleared]] = True
        start = np.flatnonzero(~again)
        length = np.diff(np.append(start, len(at)))
        long = length >= np.array(longest)[own[start]] + _MORE
        found[own[start[long]]] = True
    return found


def _longest_rows(tokens: Tokens, sites: Sites) -> list[int]:
    """How many calls in a row run each word, at most."""
    numbers = {name: number for number, name in enumerate(tokens.words)}
    longest = [1] * len(tokens.words)
    row: dict[int, int] = {}
    for site, names in enumerate(sites.names):
        fresh = site > 0 and sites.of[site] != sites.of[site - 1]
        before = {} if fresh else row
        words = (numbers[name] for name in names if name in numbers)
        row = {word: before.get(word, 0) + 1 for word in words}
        for word, length in row.items():
            longest[word] = max(longest[word], length)
    return longest
