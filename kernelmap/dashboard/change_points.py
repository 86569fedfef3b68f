"""A series of times → the points where its level changed for good, with noise left out.

Takes values in the order of their runs, gives change points. The search is ruptures' exact one for
shifts of the mean (Celisse et al. 2018, linear kernel) on logarithms, so that a change counts by
its ratio. The noise is learnt from neighbors, where shifts hardly matter; the penalty is that of a
modified BIC (Zhang and Siegmund 2007) on top of it. One odd run is no new level.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.dashboard.extras import load

_LEAST_RUNS = 3
"""Runs of a level: two odd ones in a row are none, and a new level is seen three runs after it
began. With more, it is seen later. Chosen."""
_LEAST_CHANGE = 0.001
"""A ratio; smaller steps are true at times, and nobody's concern. It also keeps series without any
noise from a noise of 0. Chosen."""
_PENALTY = 4.5
"""Times log(n), which a new level has to be worth. 3 is the modified BIC's; with it drifts of real
noise, which neighbors do not show, make levels; with much more, changes of a few deviations are not
seen. Planted levels are found with it, and noise alone has none
(tests/dashboard/test_change_points.py)."""
_ODD, _VERY_ODD = 2.5, 6.0
"""Standard deviations: from the first on a run is clipped, so that it moves no level, from the
second on it is odd and marked. At three, one run in 370 would be marked by chance. Chosen."""
_FEW = 100
"""Runs for which the penalty is that of so many: log(n) of ten runs is too small a penalty for
noise that is hardly known. Chosen."""
_FEW_NEIGHBORS = 4.0
"""Over the runs: by so much more the noise of few may be than it seems. Chosen."""
_NEIGHBORS = 3
"""Runs on each side that make a running median: it follows a level after as many runs as a level
has (_LEAST_RUNS)."""
_SIGMA = 1.4826 / np.sqrt(2)
"""From the median absolute difference of neighbors to a standard deviation, of a normal
distribution: two runs differ by the noise of both."""

Values = NDArray[np.float64]


class ChangePoint(Struct, frozen=True, kw_only=True):
    """A new level from the value at `at` on: medians of the runs before and of those since.

    `since` is where the level before began, `until` where the new one ends (exclusive).
    """

    at: int
    since: int
    until: int
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """After over before."""
        return self.after / self.before


def find_change_points(values: Values) -> tuple[ChangePoint, ...]:
    """The change points of positive values, oldest first.

    Raises UsageError `no-ruptures` without the extra.
    """
    # Two levels need twice their least number of runs, and the logarithm needs positive times.
    if len(values) < 2 * _LEAST_RUNS or not np.all((values > 0) & np.isfinite(values)):
        return ()
    logs = np.log(values)
    # In units of the noise one penalty fits series that are quiet and series that are not.
    noise = _noise(logs)
    ends = _search(_without_odd_ones(logs, noise) / noise)
    edges = [0, *ends]
    # The median time of each level, in ns, odd runs included: clipped values only served the
    # search.
    levels = [float(np.median(values[a:b])) for a, b in pairwise(edges)]
    return tuple(
        ChangePoint(
            at=edges[i + 1],
            since=edges[i],
            until=edges[i + 2],
            before=levels[i],
            after=levels[i + 1],
        )
        for i in range(len(levels) - 1)
        if abs(np.log(levels[i + 1] / levels[i])) >= _LEAST_CHANGE
    )


def odd_ones(values: Values, changes: Sequence[ChangePoint]) -> tuple[int, ...]:
    """The positions of single values far from their level and from all neighbors, oldest first.

    A level that two runs share is none of an odd run: it is where a new one may begin.
    """
    if len(values) < 2 * _LEAST_RUNS or not np.all((values > 0) & np.isfinite(values)):
        return ()
    logs = np.log(values)
    edges = [0, *(change.at for change in changes), len(values)]
    # How far each run is from the median of its own level, parallel to `values`.
    apart = np.concatenate([np.abs(logs[a:b] - np.median(logs[a:b])) for a, b in pairwise(edges)])
    far = _VERY_ODD * _noise(logs)
    return tuple(at for at in np.flatnonzero(apart > far).tolist() if _stands_alone(logs, at, far))


def _stands_alone(logs: Values, at: int, far: float) -> bool:
    """Whether no neighbor is near the value at `at`."""
    # The neighbors on both sides, without the run itself; fewer at the ends.
    around = np.r_[max(at - _NEIGHBORS, 0) : at, at + 1 : min(at + _NEIGHBORS + 1, len(logs))]
    return bool(np.all(np.abs(logs[around] - logs[at]) > far))


def _noise(logs: Values) -> float:
    """What neighbors differ by, as a standard deviation of logarithms."""
    # A drift moves all differences of neighbors alike, so their median is taken off.
    steps = np.diff(logs)
    deviation = _SIGMA * np.median(np.abs(steps - np.median(steps)))
    # Few runs may look quieter than they are. Equal times would have no noise at all, and values
    # are divided by it.
    return max(float(deviation) * (1 + _FEW_NEIGHBORS / len(logs)), _LEAST_CHANGE / 4)


def _without_odd_ones(logs: Values, noise: float) -> Values:
    """The values nearer to their running median: odd ones are clipped, very odd ones set to it."""
    usual = _running_median(logs)
    apart = np.clip(logs - usual, -_ODD * noise, _ODD * noise)
    return usual + np.where(np.abs(logs - usual) > _VERY_ODD * noise, 0, apart)


def _running_median(logs: Values) -> Values:
    """The median of every value's neighborhood; odd ones do not move it."""
    # Mirrored at the ends, which needs more runs than half a window.
    half = min(_NEIGHBORS, (len(logs) - 1) // 2)
    padded = np.pad(logs, half, mode="reflect")
    return np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1), axis=1)


def _search(scaled: Values) -> list[int]:
    """The ends of the levels, the last one included."""
    search = load("ruptures").KernelCPD(kernel="linear", min_size=_LEAST_RUNS)
    penalty = _PENALTY * np.log(max(len(scaled), _FEW))
    ends = search.fit(scaled.reshape(-1, 1)).predict(pen=penalty)
    return [int(end) for end in ends]
