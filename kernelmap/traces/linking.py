"""Links rows of a trace: the range around each host row, the api call behind each GPU activity.

`nest` takes ranges and api calls with times and threads, and gives for each the row of the
innermost range that encloses it. Ranges of one thread are nearly, not always, nested: one that
merely overlaps is nobody's parent and hides nobody else's.

The law: in the order (start, ranges before api calls, longer first, earlier event first) the
parent is the last range before that ends after the child starts and at most an overhang before the
child ends (Kineto rounds and clamps to a microsecond; who writes whole nanoseconds has none).

A sweep with a stack would do; this does all rows at once. Every row points at the range before it;
where that has ended, at what that one points at, and so on. What is skipped has ended before the
one that skipped it started, so the pointers end at what a stack would hold, after about as many
rounds as the longest row of siblings has binary digits.

Activities are joined to calls by (process, correlation). One api call may own many launches: a
graph launch owns its whole replay. Several api calls of one key (a runtime call and the driver call
below it): the one that launches, the earliest of those. Where correlation finds nothing, an
external id that names exactly one range says at least which operator issued the activity; in old
files external ids repeat the correlation and name nothing.
"""

from __future__ import annotations

import numpy as np

from kernelmap.facts.api_calls import launched_activities
from kernelmap.model.columns import by_name, code_values
from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, Launches, Ranges

OVERHANG_NS = 1000
"""By how much a child may outlast its parent in a Kineto trace, which rounds and clamps times. With
less, calls fall out of the range around them; with more, a range takes in the call behind it."""


def nest(
    ranges: Ranges, apis: ApiCalls | Ranges, overhang_ns: int = OVERHANG_NS
) -> tuple[Int, Int]:
    """`Ranges.parent` and `ApiCalls.range`: rows in `ranges`, -1 at the top; shapes (n,), (m,).

    Any host rows may stand for the api calls.
    """
    # Ranges and calls are handled as one list of host rows: the first `split` rows are the ranges.
    # All columns are int64 (n + m,).
    split = len(ranges)
    thread = _threads(ranges, apis)
    start = np.concatenate([ranges.start_ns, apis.start_ns])
    end = start + np.concatenate([ranges.dur_ns, apis.dur_ns])
    event = np.concatenate([ranges.event, apis.event])

    # From here on everything is sorted, and rows are named by their position in that order.
    # Whatever can enclose a row stands before it, on the same thread.
    order = _order(thread, start, end, event, split)
    thread, start, end = thread[order], start[order], end[order]
    is_range = order < split
    before = _range_before(thread, is_range)
    open_range = _still_open(before, is_range, start, end)
    parent = _enclosing(open_range, start, end, overhang_ns)

    # Positions in the order become rows of the input again; -1 stays for rows at the top.
    enclosing = np.full(len(order), NONE, dtype=np.int64)
    inside = parent >= 0
    enclosing[order[inside]] = order[parent[inside]]
    return enclosing[:split], enclosing[split:]


def _threads(ranges: Ranges, apis: ApiCalls | Ranges) -> Int:
    """One small number per (process, thread)."""
    # Thread ids may be any 64-bit number, so they are counted first;
    # otherwise the product would overflow.
    process: Int = np.concatenate([ranges.process, apis.process])
    threads, thread = code_values(np.concatenate([ranges.thread, apis.thread]))
    return process * max(len(threads), 1) + thread


def _order(thread: Int, start: Int, end: Int, event: Int, split: int) -> Int:
    """The order of the law; ranges come before api calls in the input, as they do in ties."""
    # Most rows differ in their start. Only rows that share start and thread with a neighbor are
    # sorted by the other keys as well, which is cheaper than five keys for all.
    rough = np.lexsort((start, thread))
    tied = np.zeros(len(rough), dtype=bool)
    same = (np.diff(thread[rough]) == 0) & (np.diff(start[rough]) == 0)
    tied[1:] |= same
    tied[:-1] |= same
    at = np.flatnonzero(tied)
    rows = rough[at]
    # Keys from the least to the most important: of two ranges that start together the longer one is
    # around the other, and of two equal ones the earlier event of the file.
    keys = (event[rows], -end[rows], rows >= split, start[rows], thread[rows])
    rough[at] = rows[np.lexsort(keys)]
    return rough


def _range_before(thread: Int, is_range: Bool) -> Int:
    """The position of the last range before each row on its thread, -1 for none."""
    # The running maximum over the positions of ranges, moved by one row,
    # is the last range before each.
    at = np.where(is_range, np.arange(len(thread)), NONE)
    before = np.full(len(thread), NONE, dtype=np.int64)
    before[1:] = np.maximum.accumulate(at)[:-1] if len(at) else at
    # Rows are sorted by thread: if the last range is of another
    # thread, this thread has none before.
    other = (before >= 0) & (thread[before] != thread)
    before[other] = NONE
    return before


def _still_open(before: Int, is_range: Bool, start: Int, end: Int) -> Int:
    """The last range before each row that ends after the row starts, -1 for none.

    Ranges go first: with theirs settled, an api call has only those to pass that ended around it.
    """
    open_range = before.copy()
    # Example: A lasts from 0 to 100, B from 1 to 5, C from 6 to 9, and a call starts
    # at 10. The call points at C, which has ended. C's own pointer has passed B
    # already, so one hop leads to A.
    for rows in (is_range, ~is_range):
        waiting = np.flatnonzero(rows & (open_range >= 0))
        while len(waiting := waiting[end[open_range[waiting]] <= start[waiting]]):
            open_range[waiting] = open_range[open_range[waiting]]
            waiting = waiting[open_range[waiting] >= 0]
    return open_range


def _enclosing(open_range: Int, start: Int, end: Int, overhang_ns: int) -> Int:
    """The last open range that the child does not stick out of, -1 for none."""
    # Still open is not enough: A from 0 to 5 is open when B from 3 to 9
    # starts, but does not enclose B.
    parent = open_range.copy()
    waiting = np.flatnonzero(parent >= 0)
    while len(waiting):
        around = end[parent[waiting]]
        # Behind an open range that does not enclose the row come those that were open when it
        # started. Some of these have ended since, so both conditions are asked again.
        astride = (around <= start[waiting]) | (around + overhang_ns < end[waiting])
        waiting = waiting[astride]
        parent[waiting] = open_range[parent[waiting]]
        waiting = waiting[parent[waiting] >= 0]
    return parent


def link(launches: Launches, apis: ApiCalls, processes: int) -> tuple[Int, Int]:
    """`Launches.api` and `Launches.process`, shapes (n,); -1 where nothing says.

    Rows whose process is unknown (-1) are joined across the source where the correlation id is
    used by one process only; what stays without an api call belongs to the only process, if one.
    """
    # A launch without a process belongs to the only process, if the source has just one.
    owner = np.where(launches.process >= 0, launches.process, 0 if processes == 1 else NONE)
    rows = _preferred(apis)
    # Correlation ids of both sides get small common numbers, so that
    # (process, number) fits one key.
    correlation = np.concatenate([launches.correlation, apis.correlation[rows]])
    ids, number = code_values(correlation)
    wanted, offered = number[: len(launches)], number[len(launches) :]

    api = _look_up(owner * len(ids) + wanted, apis.process[rows] * len(ids) + offered, rows)
    # A key that was made with -1 in it means nothing.
    api[(owner < 0) | (launches.correlation < 0)] = NONE
    # GPU activities without a known process: the call is sure only where no two
    # processes used the id. There is one preferred call per process and id, so an id
    # that occurs once is of one process.
    stray = (owner < 0) & (launches.correlation >= 0)
    if stray.any():
        only = _used_once(offered, len(ids))
        api[stray] = _look_up(wanted[stray], offered[only], rows[only])
    # The call that was found tells the process of its launch.
    joined = (owner < 0) & (api >= 0)
    owner[joined] = apis.process[api[joined]]
    return api, owner


def by_external(launches: Launches, ranges: Ranges) -> Int:
    """For launches without an api call: the one range that their external id names, else -1."""
    # In old files the external id repeats the correlation id; there it names no range.
    open_rows = launches.api < 0
    if not open_rows.any() or _repeats_correlation(launches.external, launches.correlation):
        return np.full(len(launches), NONE, dtype=np.int64)
    named = _range_of(launches.external, ranges)
    other = (
        # External ids are counted per process: a range of another
        # process has the same id by chance.
        (named >= 0) & (launches.process >= 0) & (ranges.process[named] != launches.process)
        if len(ranges)
        else np.zeros(len(launches), dtype=np.bool_)
    )
    return np.where(open_rows & ~other, named, NONE)


def outside_of_thread(apis: ApiCalls, ranges: Ranges, nested: Int) -> Int:
    """`ApiCalls.range` again, with rows that no range of their own thread encloses.

    Some exporters write different thread ids for operators and api calls: there the external id
    names the range, if it names exactly one and that lies around the call.
    """
    if not len(ranges) or _repeats_correlation(apis.external, apis.correlation):
        return nested
    # The named range has to lie around the call in time as well, with the overhang of
    # Kineto's rounding. Where `named` is -1 the times are those of the last range; the
    # mask at the end drops these rows.
    named = _range_of(apis.external, ranges)
    start, end = ranges.start_ns[named], ranges.start_ns[named] + ranges.dur_ns[named]
    around = (
        (start <= apis.start_ns)
        & (end > apis.start_ns)
        & (end + OVERHANG_NS >= apis.start_ns + apis.dur_ns)
        & (ranges.process[named] == apis.process)
    )
    return np.where((nested < 0) & (named >= 0) & around, named, nested)


def launching(apis: ApiCalls) -> Bool:
    """Mask of the calls that put work on a GPU, by their names; shape (apis,)."""
    launched = launched_activities(apis.names)
    return by_name(apis.name_id, [activity is not None for activity in launched])


def _preferred(apis: ApiCalls) -> Int:
    """One row per (process, correlation), sorted by that key."""
    # Of a runtime call and the driver call inside it, both with one id, the one that
    # launches is wanted; of two that launch, the earlier one. The last key is the
    # most important one for the sort.
    with_id = np.flatnonzero(apis.correlation >= 0)
    idle = ~launching(apis)[with_id]
    keys = (
        apis.event[with_id],
        apis.start_ns[with_id],
        idle,
        apis.correlation[with_id],
        apis.process[with_id],
    )
    rows = with_id[np.lexsort(keys)]
    # The first row of each (process, correlation) is the preferred one.
    again = (np.diff(apis.process[rows]) == 0) & (np.diff(apis.correlation[rows]) == 0)
    return rows[np.concatenate([[True], ~again])] if len(rows) else rows


def _look_up(wanted: Int, offered: Int, rows: Int) -> Int:
    """The row at which each wanted key is offered, -1 without one."""
    if not len(offered):
        return np.full(len(wanted), NONE, dtype=np.int64)
    # `offered` has each key at most once, so the nearest place in sorted
    # order holds it or nothing does.
    order = np.argsort(offered, kind="stable")
    at = np.searchsorted(offered, wanted, sorter=order)
    candidate = order[np.minimum(at, len(order) - 1)]
    return np.where(offered[candidate] == wanted, rows[candidate], NONE)


def _used_once(numbers: Int, size: int) -> Bool:
    """Mask of the numbers that occur once."""
    return np.equal(np.bincount(numbers, minlength=size)[numbers], 1)


def _range_of(external: Int, ranges: Ranges) -> Int:
    """The one range that carries each external id, -1 for none or several."""
    # An id that several ranges carry says nothing, so only ranges with an
    # id of their own are looked at.
    with_id = np.flatnonzero(ranges.external >= 0)
    _, number = code_values(ranges.external[with_id])
    rows = with_id[_used_once(number, len(with_id) + 1)]
    return np.where(external >= 0, _look_up(external, ranges.external[rows], rows), NONE)


def _repeats_correlation(external: Int, correlation: Int) -> bool:
    """Whether external ids are but the correlation ids once more, as before 2022."""
    both = (external >= 0) & (correlation >= 0)
    return bool(both.any()) and float(np.mean(external[both] == correlation[both])) > 0.5  # noqa: PLR2004 -- most rows
