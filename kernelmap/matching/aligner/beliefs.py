"""Which invocations to believe: each held against the other invocations of its graph.

Code that is not given may launch kernels under the same names. A single invocation cannot tell;
all of them together can: losses are rare and differ, other code lacks the same kernels every time,
or runs others in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import LaunchSequence, Tokens
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

_USUAL = 3.0
"""So many times the losses that are to be expected are no losses."""
_MOST_LOSS = 0.05
_STRANGE = 0.03
"""Share of the launches under names of the code that are in no invocation: foreign code runs."""
_CUT = 0.6
"""Or so much, at an end of the window, where no whole invocation was."""

_Pattern = tuple[int, ...]


def believed(
    sequences: Sequence[LaunchSequence],
    decisions: Sequence[Decisions],
    tokens: Tokens,
    sites: Sites,
    loss: float,
) -> list[Decisions]:
    """`decisions` without the invocations that are not what they seem."""
    patterns = [
        _patterns(sequence, decided, tokens, sites)
        for sequence, decided in zip(sequences, decisions, strict=True)
    ]
    total: Counter[int] = Counter()
    lacked: Counter[tuple[int, int]] = Counter()
    clean: Counter[int] = Counter()
    for sequence, decided, own in zip(sequences, decisions, patterns, strict=True):
        for of, (pattern, cut, _) in zip(decided.of_run.tolist(), own, strict=True):
            if not cut or pattern:
                total[of] += sequence.times
                clean[of] += 0 if pattern else sequence.times
                lacked.update({(of, site): sequence.times for site in pattern})
    strange = sum(
        int(_stray(sequence, decided, tokens).sum()) * sequence.times
        for sequence, decided in zip(sequences, decisions, strict=True)
    )
    other = strange > _STRANGE * tokens.count[tokens.word >= 0].sum()
    need = np.bincount(
        sites.of[sites.generated & sites.certain], minlength=len(sites.members)
    ).tolist()
    found = []
    for decided, own in zip(decisions, patterns, strict=True):
        bad = np.array(
            [
                not _is_usual(
                    each,
                    need[of],
                    clean[of],
                    max((lacked[of, site] for site in each[0]), default=0),
                    min(loss, _MOST_LOSS) * np.array([total[of], need[of]]),
                    other=other,
                )
                for of, each in zip(decided.of_run.tolist(), own, strict=True)
            ],
            dtype=bool,
        )
        found.append(_without(decided, bad) if bad.any() else decided)
    return found


def _is_usual(
    run: tuple[_Pattern, bool, int],
    need: int,
    clean: int,
    lacked: int,
    expected: NDArray[np.float64],
    *,
    other: bool,
) -> bool:
    """Whether an invocation lacks no more than losses explain; `other`: foreign code runs.

    `need` kernels have to run, `clean` invocations of the graph show all of them. `lacked` counts
    the invocations that lack what this one lacks. `expected` are losses of one kernel in all
    invocations, and of all kernels in one.
    """
    pattern, _, shown = run
    if not need or (clean and not pattern):
        return True
    alike = shown >= _CUT * need
    if not clean:
        return not other and (not pattern or (alike and NONE not in pattern))
    once = 1 + (not other)
    rare = lacked <= once + _USUAL * float(expected[0])
    return rare and len(pattern) <= once + _USUAL * float(expected[1])


def _patterns(
    sequence: LaunchSequence, decided: Decisions, tokens: Tokens, sites: Sites
) -> list[tuple[_Pattern, bool, int]]:
    """Per run: the sites that it lacks, -1 for strange code; if it was cut; how many it shows."""
    sure = np.flatnonzero(sites.generated & sites.certain)
    foreign = tokens.foreign[sequence.token] | _stray(sequence, decided, tokens)
    strange = np.concatenate([[0], np.cumsum(foreign)])
    placed = np.flatnonzero(decided.run >= 0)
    named = np.flatnonzero(tokens.word[sequence.token] >= 0)
    first, last = (int(named[0]), int(named[-1])) if len(named) else (0, 0)
    edges = np.searchsorted(decided.run[placed], np.arange(len(decided.of_run) + 1))
    bounds = sites.bounds
    found = []
    known: dict[tuple[bytes, int, bool, bool], tuple[_Pattern, int]] = {}
    for run, of in enumerate(decided.of_run.tolist()):
        own = placed[edges[run] : edges[run + 1]]
        here = decided.site[own]
        opens = not sequence.order.whole and own[0] <= first
        closes = not sequence.order.whole and own[-1] >= last
        key = (here.tobytes(), of, opens, closes)
        if key not in known:
            low = int(here[0]) if opens else int(bounds[of])
            high = int(here[-1]) + 1 if closes else int(bounds[of + 1])
            wanted = sure[np.searchsorted(sure, low) : np.searchsorted(sure, high)]
            lacking = np.setdiff1d(wanted, here)
            shown = len(np.intersect1d(wanted, here))
            known[key] = tuple(lacking.tolist()), shown
        pattern, shown = known[key]
        if strange[own[-1]] > strange[own[0]]:
            pattern = (*pattern, NONE)
        found.append((pattern, opens or closes, shown))
    return found


def _stray(sequence: LaunchSequence, decided: Decisions, tokens: Tokens) -> Bool:
    """Launches under names of the code that no call of it launched."""
    return np.asarray((tokens.word[sequence.token] >= 0) & (decided.run < 0) & ~decided.measured)


def _without(decided: Decisions, bad: Bool) -> Decisions:
    """`decided` without the runs that are `bad`."""
    gone = np.append(bad, False)[decided.run]
    several = {place: sites for place, sites in decided.several.items() if not gone[place]}
    site: Int = np.where(gone, NONE, decided.site)
    return replace(
        decided,
        site=site,
        second=np.where(gone, decided.site, decided.second),
        sure=decided.sure & ~gone,
        several=several,
        run=np.where(gone, NONE, decided.run),
    )
