"""Bars of a timeline: launches, and where there are too many, stretches of short ones as one bar.

The longest launches stay bars of their own. What lies between them is cut into equal slots per
lane; the launches of a slot become one bar with their number, their time, and the key that has the
most of it. No time is lost: `busy_ns` adds up to that of the launches.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np

from kernelmap.model.groups import group_starts
from kernelmap.model.trace import Int

MOST = 1_000_000
"""How many bars a page holds: about seven bytes each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Equally long columns, ordered by lane, then by start.

    `busy_ns` is the time of the bar's launches, `dur_ns` the stretch that they lie in; `launch` and
    `invocation` are those of the first.
    """

    lane: Int
    start_ns: Int
    dur_ns: Int
    busy_ns: Int
    count: Int
    key: Int
    launch: Int
    invocation: Int

    def take(self, rows: Int | slice) -> Self:
        """The chosen rows."""
        return replace(self, **{each.name: getattr(self, each.name)[rows] for each in fields(self)})


def thinned(bars: Bars, most: int) -> Bars:
    """The bars in order; more than `most` launches become at most about that many bars."""
    if len(bars.lane) <= most:
        return _ordered([bars])
    kept = most // 2
    by_length = np.argsort(bars.dur_ns, kind="stable")
    short = np.sort(by_length[: len(bars.lane) - kept])
    long = np.sort(by_length[len(bars.lane) - kept :])
    return _ordered([bars.take(long), _merged(bars.take(short), most - kept)])


def _ordered(parts: list[Bars]) -> Bars:
    joined = Bars(
        **{
            each.name: np.concatenate([getattr(part, each.name) for part in parts])
            for each in fields(Bars)
        }
    )
    return joined.take(np.lexsort((joined.launch, joined.start_ns, joined.lane)))


def _merged(bars: Bars, most: int) -> Bars:
    """At most `most` bars and one per lane more: the launches of each slot as one."""
    lanes = int(bars.lane.max()) + 1
    first = int(bars.start_ns.min())
    span = int(bars.start_ns.max()) - first + 1
    slots = max(1, most // lanes)
    slot = bars.lane * slots + (bars.start_ns - first) * slots // span
    order = np.lexsort((bars.start_ns, bars.key, slot))
    slot, each = slot[order], bars.take(order)
    groups = group_starts((slot, each.key))
    of_group = np.add.reduceat(each.busy_ns, groups)
    own = group_starts((slot[groups],))
    best = np.lexsort((-of_group, slot[groups]))[own]
    begins = groups[own]
    end = np.maximum.reduceat(each.start_ns + each.dur_ns, begins)
    start = np.minimum.reduceat(each.start_ns, begins)
    return Bars(
        lane=each.lane[begins],
        start_ns=start,
        dur_ns=end - start,
        busy_ns=np.add.reduceat(each.busy_ns, begins),
        count=np.add.reduceat(each.count, begins),
        key=each.key[groups[best]],
        launch=np.minimum.reduceat(each.launch, begins),
        invocation=each.invocation[groups[best]],
    )
