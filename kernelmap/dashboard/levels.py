"""New levels of time in a store, as runs appear: what an alert says of each.

Takes the series of one listing after another. The levels of the first listing are known already: no
alert says them. The begin of a level may move a little with the runs that follow. So a level that
begins near another one of its direction counts as the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kernelmap.dashboard.change_points import ChangePoint, change_points
from kernelmap.dashboard.series import Mark, Series, runs_frame, unmarked
from kernelmap.store.listing import Listing

_NEAR = 5  # runs that the begin of a level may move
_Key = tuple[str, str, str, str, bool]


@dataclass
class Levels:
    """Which levels were seen, by series and direction; `tags` tell series apart."""

    tags: tuple[str, ...] = ()
    _seen: dict[_Key, list[str]] | None = field(default=None, init=False)

    def new(self, listing: Listing) -> list[Mapping[str, object]]:
        """The levels that no listing before had, as the JSON of an alert; none of the first."""
        first = self._seen is None
        seen = {} if self._seen is None else self._seen
        alerts = []
        for series in unmarked(runs_frame(listing.runs, self.tags)):
            runs = series.frame["run"].tolist()
            for level in change_points(series.frame["time_ns"].to_numpy(dtype=np.float64)):
                key = (series.branch, series.gpu, series.tags, series.unit, level.ratio > 1)
                positions = [runs.index(run) for run in seen.get(key, ()) if run in runs]
                if all(abs(at - level.at) > _NEAR for at in positions):
                    seen.setdefault(key, []).append(runs[level.at])
                    alerts.append(_said(series, level))
        self._seen = seen
        return [] if first else alerts


def _said(series: Series, level: ChangePoint) -> Mapping[str, object]:
    begin = series.frame.iloc[level.at]
    return {
        "verdict": (Mark.SLOWER if level.ratio > 1 else Mark.FASTER).value,
        "branch": series.branch,
        "device": series.gpu,
        "series": series.tags,
        "run": begin["run"],
        "commit": begin["commit"],
        "before": series.frame.iloc[level.at - 1]["run"],
        "unit": series.unit,
        "before_ns": round(level.before),
        "after_ns": round(level.after),
    }
