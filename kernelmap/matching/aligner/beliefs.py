"""Drops invocations that are probably other code: each is compared with the others of its graph.

Code that is not given may launch kernels under the same names. A single invocation cannot tell;
all of them together can: losses are rare and differ, other code lacks the same kernels every time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import LaunchSequence, Tokens
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

_USUAL = 3.0
"""An invocation may lack so many times what losses explain on the average. Tried on recordings
(scripts/thresholds.py): at 6, three calls of other code are wrong where half of the code is
withheld; 1 changes nothing. Simulated rows that lose 5 % need more than 1 (docs/rules.md,
beliefs)."""
_MOST_LOSS = 0.05
"""No more than this share of its launches is expected to be lost. Where a profile seems to lack
more, other code runs the same kernels, which would otherwise excuse itself. Tried on recordings
(scripts/thresholds.py): at 0.1, three calls of other code are wrong where half of the code is
withheld; 0.02 changes nothing. The worlds of docs/accuracy.md lose 1 and 5 %."""
_STRANGE = 0.03
"""Share of the launches under names of the code that are in no invocation, from which on code
that was not given is taken to run. With less, what was lost is taken for such code; with more,
a small program beside a large one is not noticed. Chosen; no recording depends on it (0.01 and
0.1 tried)."""
_CUT = 0.6
"""Where no invocation is whole, one has to show so much of its kernels. With half, the beginning of
another graph that starts alike is believed; with nearly all, an invocation that the window cuts is
not. Chosen; no recording depends on it (0.4 and 0.8 tried)."""

_Pattern = tuple[int, ...]


def drop_unbelievable_invocations(
    sequences: Sequence[LaunchSequence],
    decisions: Sequence[Decisions],
    tokens: Tokens,
    sites: Sites,
    loss: float,
) -> list[Decisions]:
    """`decisions` without the invocations that lack more than losses explain."""
    patterns = [
        _find_lacking_sites(sequence, decided, tokens, sites)
        for sequence, decided in zip(sequences, decisions, strict=True)
    ]
    # Where many launches bear names of the code and are in no invocation, code that was not given
    # runs the same kernels, and each invocation that lacks something is more likely that code.
    strange = sum(
        int(_is_stray_launch(sequence, decided, tokens).sum()) * sequence.times
        for sequence, decided in zip(sequences, decisions, strict=True)
    )
    other = strange > _STRANGE * tokens.count[tokens.word >= 0].sum()
    need = np.bincount(
        sites.of[sites.generated & sites.certain], minlength=len(sites.members)
    ).tolist()
    usual = _Usual(need=need, loss=min(loss, _MOST_LOSS), other=bool(other))
    # All invocations are counted before any is judged.
    for sequence, decided, runs in zip(sequences, decisions, patterns, strict=True):
        for of, (pattern, cut, shown) in zip(decided.of_run.tolist(), runs, strict=True):
            usual.count_invocation(of, pattern, shown, cut=cut, times=sequence.times)
    doubted = [
        np.array(
            [
                not usual.is_explained_by_losses(of, pattern, shown)
                for of, (pattern, _, shown) in zip(decided.of_run.tolist(), runs, strict=True)
            ],
            dtype=bool,
        )
        for decided, runs in zip(decisions, patterns, strict=True)
    ]
    return [
        _drop_runs(decided, bad) if bad.any() else decided
        for decided, bad in zip(decisions, doubted, strict=True)
    ]


class _Usual(Struct, kw_only=True):
    """What the invocations of each class of graphs lack, counted; `other`: foreign code runs.

    `need` kernels have to run. Of the invocations in `total`, `clean` ones show all of them;
    `lacked` counts by class and kernel how many lack it.
    """

    need: list[int]
    loss: float
    other: bool
    total: Counter[int] = msgspec.field(default_factory=Counter)
    clean: Counter[int] = msgspec.field(default_factory=Counter)
    lacked: Counter[tuple[int, int]] = msgspec.field(default_factory=Counter)

    def count_invocation(
        self, of: int, pattern: _Pattern, shown: int, *, cut: bool, times: int
    ) -> None:
        """Take note of an invocation; of one that is cut off, only if it lacks something."""
        # Library work alone says nothing of what invocations lack.
        if (cut and not pattern) or (pattern and not shown):
            return
        self.total[of] += times
        self.clean[of] += 0 if pattern else times
        self.lacked.update({(of, site): times for site in pattern})

    def is_explained_by_losses(self, of: int, pattern: _Pattern, shown: int) -> bool:
        """Whether lost events explain what an invocation lacks that shows `shown` kernels."""
        need = self.need[of]
        # No kernel has to run at all; or nothing is lacking, and whole invocations were seen.
        if not need or (self.clean[of] and not pattern):
            return True
        # Without any whole invocation: believed if most of it is there, and no foreign code runs.
        if not self.clean[of]:
            most = shown >= _CUT * need and NONE not in pattern
            return not self.other and (not pattern or most)
        # Losses explain a kernel that few invocations of the graph lack, and few kernels in each of
        # them. One more of both is allowed where no foreign code runs.
        once = 1 + (not self.other)
        rare = once + _USUAL * self.loss * self.total[of]
        few = len(pattern) <= once + _USUAL * self.loss * need
        return few and max(self.lacked[of, site] for site in pattern) <= rare


def _find_lacking_sites(
    sequence: LaunchSequence, decided: Decisions, tokens: Tokens, sites: Sites
) -> list[tuple[_Pattern, bool, int]]:
    """Per run: the sites that it lacks, -1 for strange code; if it was cut; how many it shows."""
    sure = np.flatnonzero(sites.generated & sites.certain)
    # Kernels of other compiled code, and launches under names of the code in no invocation:
    # `strange[i]` counts those before launch i.
    foreign = tokens.foreign[sequence.token] | _is_stray_launch(sequence, decided, tokens)
    strange = np.concatenate([[0], np.cumsum(foreign)])
    placed = np.flatnonzero(decided.run >= 0)
    # The first and the last launch under a name of the code: an invocation there may be cut off.
    named = np.flatnonzero(tokens.word[sequence.token] >= 0)
    first, last = (int(named[0]), int(named[-1])) if len(named) else (0, 0)
    # Invocations are numbered in order, so each one's launches are a stretch of `placed`.
    edges = np.searchsorted(decided.run[placed], np.arange(len(decided.of_run) + 1))
    bounds = sites.bounds
    seen = np.zeros(len(sites), dtype=np.bool_)
    patterns = []
    pattern_of_looks: dict[tuple[bytes, int, bool, bool], tuple[_Pattern, int]] = {}
    for run, of in enumerate(decided.of_run.tolist()):
        in_run = placed[edges[run] : edges[run + 1]]
        here = decided.site[in_run]
        # At an end of the window an invocation may be cut: calls beyond its launches are not
        # lacking.
        opens = not sequence.order.whole and in_run[0] <= first
        closes = not sequence.order.whole and in_run[-1] >= last
        # Most invocations look alike, so each look is worked out once.
        key = (here.tobytes(), of, opens, closes)
        if key not in pattern_of_looks:
            low = int(here[0]) if opens else int(bounds[of])
            high = int(here[-1]) + 1 if closes else int(bounds[of + 1])
            wanted = sure[np.searchsorted(sure, low) : np.searchsorted(sure, high)]
            seen[here] = True
            lacking = wanted[~seen[wanted]]
            seen[here] = False
            pattern_of_looks[key] = tuple(lacking.tolist()), len(wanted) - len(lacking)
        pattern, shown = pattern_of_looks[key]
        # Foreign code amid an invocation is noted as one more thing that is wrong with it.
        if strange[in_run[-1]] > strange[in_run[0]]:
            pattern = (*pattern, NONE)
        patterns.append((pattern, opens or closes, shown))
    return patterns


def _is_stray_launch(sequence: LaunchSequence, decided: Decisions, tokens: Tokens) -> Bool:
    """Launches under names of the code that no call of it launched."""
    return np.asarray((tokens.word[sequence.token] >= 0) & (decided.run < 0) & ~decided.measured)


def _drop_runs(decided: Decisions, bad: Bool) -> Decisions:
    """`decided` without the runs that are `bad`."""
    # The last value answers for run -1, the launches outside of any.
    gone = np.append(bad, False)[decided.run]
    several = {place: sites for place, sites in decided.several.items() if not gone[place]}
    # What the launch was taken for stays as its second answer.
    site: Int = np.where(gone, NONE, decided.site)
    return replace(
        decided,
        site=site,
        second=np.where(gone, decided.site, decided.second),
        sure=decided.sure & ~gone,
        several=several,
        run=np.where(gone, NONE, decided.run),
    )
