"""Which api call issued which GPU activity.

Taken: launches, api calls and ranges of one source. The join is by (process, correlation). One
api call may own many launches: a graph launch owns its whole replay. Several api calls of one key
(a runtime call and the driver call below it): the one that launches, the earliest of those.
Where correlation finds nothing, an external id that names exactly one range says at least which
operator issued the activity; in old files external ids repeat the correlation and name nothing.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, Launches, Ranges
from kernelmap.traces.columns import codes
from kernelmap.traces.nesting import OVERHANG_NS

_LAUNCHING = ("launch", "memcpy", "memset")


def link(launches: Launches, apis: ApiCalls, processes: int) -> tuple[Int, Int]:
    """`Launches.api` and `Launches.process`, shapes (n,); -1 where nothing says.

    Rows whose process is unknown (-1) are joined across the source where the correlation id is
    used by one process only; what stays without an api call belongs to the only process, if one.
    """
    owner = np.where(launches.process >= 0, launches.process, 0 if processes == 1 else NONE)
    rows = _preferred(apis)
    correlation = np.concatenate([launches.correlation, apis.correlation[rows]])
    ids, number = codes(correlation)
    wanted, offered = number[: len(launches)], number[len(launches) :]

    api = _look_up(owner * len(ids) + wanted, apis.process[rows] * len(ids) + offered, rows)
    api[(owner < 0) | (launches.correlation < 0)] = NONE
    stray = (owner < 0) & (launches.correlation >= 0)
    if stray.any():
        only = _used_once(offered, len(ids))
        api[stray] = _look_up(wanted[stray], offered[only], rows[only])
    found = (owner < 0) & (api >= 0)
    owner[found] = apis.process[api[found]]
    return api, owner


def by_external(launches: Launches, ranges: Ranges) -> Int:
    """For launches without an api call: the one range that their external id names, else -1."""
    open_rows = launches.api < 0
    if not open_rows.any() or _repeats_correlation(launches.external, launches.correlation):
        return np.full(len(launches), NONE, dtype=np.int64)
    found = _range_of(launches.external, ranges)
    other = (
        (found >= 0) & (launches.process >= 0) & (ranges.process[found] != launches.process)
        if len(ranges)
        else np.zeros(len(launches), dtype=np.bool_)
    )
    return np.where(open_rows & ~other, found, NONE)


def outside_of_thread(apis: ApiCalls, ranges: Ranges, nested: Int) -> Int:
    """`ApiCalls.range` again, with rows that no range of their own thread encloses.

    Some exporters write different thread ids for operators and api calls: there the external id
    names the range, if it names exactly one and that lies around the call.
    """
    if not len(ranges) or _repeats_correlation(apis.external, apis.correlation):
        return nested
    found = _range_of(apis.external, ranges)
    start, end = ranges.start_ns[found], ranges.start_ns[found] + ranges.dur_ns[found]
    around = (
        (start <= apis.start_ns)
        & (end > apis.start_ns)
        & (end + OVERHANG_NS >= apis.start_ns + apis.dur_ns)
        & (ranges.process[found] == apis.process)
    )
    return np.where((nested < 0) & (found >= 0) & around, found, nested)


def launching(apis: ApiCalls) -> Bool:
    """Mask of the calls that put work on a GPU, by their names; shape (apis,)."""
    names = np.array(
        [any(word in name.lower() for word in _LAUNCHING) for name in apis.names], dtype=np.bool_
    )
    return names[apis.name_id] if len(apis) else np.zeros(0, dtype=np.bool_)


def _preferred(apis: ApiCalls) -> Int:
    """One row per (process, correlation), sorted by that key."""
    known = np.flatnonzero(apis.correlation >= 0)
    idle = ~launching(apis)[known]
    keys = (
        apis.event[known],
        apis.start_ns[known],
        idle,
        apis.correlation[known],
        apis.process[known],
    )
    rows = known[np.lexsort(keys)]
    again = (np.diff(apis.process[rows]) == 0) & (np.diff(apis.correlation[rows]) == 0)
    return rows[np.concatenate([[True], ~again])] if len(rows) else rows


def _look_up(wanted: Int, offered: Int, rows: Int) -> Int:
    """The row at which each wanted key is offered, -1 without one."""
    if not len(offered):
        return np.full(len(wanted), NONE, dtype=np.int64)
    order = np.argsort(offered, kind="stable")
    at = np.searchsorted(offered, wanted, sorter=order)
    candidate = order[np.minimum(at, len(order) - 1)]
    return np.where(offered[candidate] == wanted, rows[candidate], NONE)


def _used_once(numbers: Int, size: int) -> Bool:
    """Mask of the numbers that occur once."""
    return np.equal(np.bincount(numbers, minlength=size)[numbers], 1)


def _range_of(external: Int, ranges: Ranges) -> Int:
    """The one range that carries each external id, -1 for none or several."""
    known = np.flatnonzero(ranges.external >= 0)
    _, number = codes(ranges.external[known])
    rows = known[_used_once(number, len(known) + 1)]
    return np.where(external >= 0, _look_up(external, ranges.external[rows], rows), NONE)


def _repeats_correlation(external: Int, correlation: Int) -> bool:
    """Whether external ids are but the correlation ids once more, as before 2022."""
    both = (external >= 0) & (correlation >= 0)
    return bool(both.any()) and float(np.mean(external[both] == correlation[both])) > 0.5  # noqa: PLR2004 -- most rows
