"""Finds benchmarks of the autotuner: series of one kernel, with memory cleared in between."""

from __future__ import annotations

import numpy as np

from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import TUNED, LaunchSequence, Tokens
from kernelmap.matching.graphs.autotuning import calls_in_row, series_of
from kernelmap.model.trace import Bool

_MORE = 2
"""So many launches in a row more than the code has calls in a row look like a series of benchmarks.
With one, a launch that another thread made is one; with more, short benchmarks stay calls
(docs/rules.md, measured). Chosen; 1 and 4 change no recording but, maybe, cuda_autotune_inside,
which was left out."""


def measured_words(tokens: Tokens, sites: Sites) -> Bool:
    """Mask of the names of the code that run in series as only the autotuner makes them."""
    mask = np.zeros(len(tokens.words), dtype=bool)
    # How often the code itself calls each kernel in a row, at most.
    longest: dict[str, int] = {}
    for graph in np.unique(sites.of).tolist():
        names = (sites.names[site] for site in np.flatnonzero(sites.of == graph).tolist())
        for name, calls in calls_in_row(names).items():
            longest[name] = max(longest.get(name, 0), calls)
    most = np.array([longest.get(name, 1) for name in tokens.words], dtype=np.int64)
    # What clears or copies memory does not end a series, any other launch does.
    others = ((tokens.word < 0) & ~tokens.restored).astype(np.int64)
    for sequence in tokens.sequences:
        word = tokens.word[sequence.token]
        at = np.flatnonzero(word >= 0)
        start, length = series_of(word[at], np.cumsum(others[sequence.token])[at])
        first = word[at[start]]
        # A series is the autotuner's if memory was cleared or copied amid it, or if it is too long.
        cleared = at[start + length - 1] - at[start] >= length
        mask[first[cleared | (length >= most[first] + _MORE)]] = True
    return mask


def amid_tuned(sequence: LaunchSequence, place: int, tokens: Tokens) -> bool:
    """Whether a launch lies before another one of a kernel that the autotuner measures there.

    What clears and copies memory lies before any kernel; a kernel's last launch is a call's.
    """
    restored, name = tokens.restored[sequence.token], tokens.name[sequence.token]
    # The next kernel behind `place`, and the last one before it that is not the launch itself.
    kernels = np.flatnonzero(~restored)
    at = int(np.searchsorted(kernels, place, side="right"))
    if at == len(kernels):
        return False
    kernel = name[kernels[at]]
    before = at - 1 - (not restored[place])
    beside = kernels[[at, before] if before >= 0 else [at]]
    tuned = sequence.settled[beside] == TUNED
    return bool((tuned & (name[beside] == kernel)).any()) and (
        bool(restored[place]) or bool(name[place] == kernel)
    )
