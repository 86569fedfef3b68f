"""When a host range ran itself, and not what it calls: its self time, and where that lies.

The definition is that of torch.profiler's tables: a range less the ranges directly below it on its
thread. Taken: ranges with their parents. Given: stretches of time, so that whoever draws or unites
operators counts no nanosecond twice; their lengths add up to the self time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelmap.model.trace import NONE, Activity, Bool, Int, Launches, Ranges

_UNSEEN = frozenset(
    {
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
    }
)


@dataclass(frozen=True, slots=True)
class Stretches:
    """Stretches of time, all (n,), ordered by `of` and start; `of` is a position in what was asked.

    None is empty, and those of one range do not overlap.
    """

    of: Int
    start_ns: Int
    end_ns: Int


def unseen(ranges: Ranges) -> Bool:
    """Mask of operators that torch's tables leave out: their time is that of what calls them."""
    names = np.array([name in _UNSEEN for name in ranges.names], dtype=np.bool_)
    return names[ranges.name_id] if len(ranges) else np.zeros(0, dtype=np.bool_)


def own_stretches(ranges: Ranges, rows: Int) -> Stretches:
    """When each of the ranges `rows` (every one once) ran itself."""
    place = np.full(len(ranges) + 1, NONE, dtype=np.int64)  # the last is that of no parent
    place[rows] = np.arange(len(rows))
    begin = ranges.start_ns[rows]
    end = begin + ranges.dur_ns[rows]

    below = np.flatnonzero((place[ranges.parent] >= 0) & ~unseen(ranges))
    owner = place[ranges.parent[below]]
    below = below[np.lexsort((ranges.start_ns[below], owner))]
    owner = place[ranges.parent[below]]
    opens = ranges.start_ns[below]
    # A child may outlast its parent a little. Of two, the later one ends later: else it were below.
    closes = np.minimum(opens + ranges.dur_ns[below], end[owner])

    again = np.zeros(len(owner), dtype=np.bool_)
    again[1:] = owner[1:] == owner[:-1]
    since = np.where(again, np.roll(closes, 1), begin[owner])
    last = begin.copy()
    last[owner] = closes  # the last one of each owner stays
    of = np.concatenate([owner, np.arange(len(rows))])
    starts, ends = np.concatenate([since, last]), np.concatenate([opens, end])
    real = np.flatnonzero(starts < ends)
    real = real[np.lexsort((starts[real], of[real]))]
    return Stretches(of[real], starts[real], ends[real])


def self_time_ns(ranges: Ranges, rows: Int) -> Int:
    """How long each of the ranges `rows` (every one once) ran itself; shape (rows,)."""
    parts = own_stretches(ranges, rows)
    total = np.zeros(len(rows), dtype=np.int64)
    np.add.at(total, parts.of, parts.end_ns - parts.start_ns)
    return total


def stretches(launches: Launches, ranges: Ranges) -> Stretches:
    """When each of `launches` ran: an operator in parts, everything else from start to end."""
    end = launches.start_ns + launches.dur_ns
    operator = np.equal(launches.activity, Activity.OPERATOR)
    if not operator.any():
        return Stretches(np.arange(len(launches)), launches.start_ns, end)
    rows, whole = np.flatnonzero(operator), np.flatnonzero(~operator)
    parts = own_stretches(ranges, launches.range[rows])
    of = np.concatenate([whole, rows[parts.of]])
    starts = np.concatenate([launches.start_ns[whole], parts.start_ns])
    ends = np.concatenate([end[whole], parts.end_ns])
    order = np.lexsort((starts, of))
    return Stretches(of[order], starts[order], ends[order])
