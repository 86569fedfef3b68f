"""The view Timeline: every launch of the window, by stream, as compressed columns.

An operator of a CPU profile has a bar for each stretch in which it ran itself: what it calls stands
between. What is said of a launch (call, name, confidence, …) is written once for all that are
alike. Times count from the first event of the earliest trace, as `start_ns` of the table does.

Up to MOST launches are bars of their own. Of more the longest stay bars; the rest is cut into equal
slots per lane, and the launches of a slot become one bar with their number, their time, and the key
that has the most of it. No time is lost: `busy_ns` adds up to that of the launches. Below the lanes
stand the curves of what was sampled of the GPUs meanwhile (counters.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Self

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from kernelmap.attribution.time_buckets import without_call
from kernelmap.model import NONE, Confidence, Method, Reason, Trace
from kernelmap.model.busy_time import stretches_of_work
from kernelmap.model.columns import group_starts
from kernelmap.model.intervals import OwnedIntervals
from kernelmap.model.trace import Int, Small
from kernelmap.pages.report.counters import count_of_curves, curves_of_counters
from kernelmap.pages.report.packed import PackedTexts, pack_numbers, pack_signed
from kernelmap.pages.report.shared import Content, Records, rows_of_calls
from kernelmap.tables.build import Tables


def data_of_timeline(content: Content, texts: PackedTexts) -> object:  # noqa: ARG001 -- the views' signature
    """Lanes with their bars, and what the bars stand for; None without records."""
    records = content.records
    if records is None:
        return None
    # The launches of the window, (rows,): each has a lane and a kind. A bar is a stretch in which
    # one of them ran, (bars,), and `of` is the row that the bar belongs to.
    rows = np.flatnonzero(records.attribution.counted)
    lane, titles = _lanes_of_rows(records.trace, rows)
    first, key = _kinds_of_launches(records, rows)
    kinds = len(first)
    launches = records.trace.launches
    # Launches of a kind take about as long, so a bar is written as the difference from the first
    # launch of its kind.
    usual = launches.dur_ns[rows][first]
    ran = stretches_of_work(launches.take_rows(rows), records.trace.ranges)
    took = ran.end_ns - ran.start_ns
    everything = LaneBars(
        lane=lane[ran.of],
        start_ns=ran.start_ns - records.trace.origin_ns,
        dur_ns=took,
        busy_ns=took,
        # A launch counts at the first of its stretches, 1 there and 0 at the others. A launch
        # without a stretch makes a larger step, which is cut to 1.
        count=np.diff(ran.of, prepend=NONE).clip(max=1),
        key=key[ran.of],
        launch=rows[ran.of],
        invocation=records.matching.invocation[rows][ran.of],
    )
    bars = thin_bars(everything, MOST)
    # Bars are ordered by lane, so a lane is a slice.
    sides = np.searchsorted(bars.lane, np.arange(len(titles) + 1))
    return {
        "lanes": [
            {"title": title} | _columns_of_lane(bars.take_rows(slice(start, stop)), usual)
            for title, start, stop in zip(titles, sides[:-1], sides[1:], strict=True)
        ],
        "keys": _facts_of_rows(records, rows[first], content.tables)
        | {
            "usual": usual.tolist(),
            "launches": np.bincount(key, minlength=kinds).tolist(),
            "time_ns": _sums_of_kinds(key, launches.dur_ns[rows], kinds).tolist(),
        },
        "steps": _extents_of_steps(records, rows, ran),
        "counters": curves_of_counters(records.trace),
        "curves": count_of_curves(records.trace),
        "launches": len(rows),
        "bars": len(bars.lane),
        "thinned": len(bars.lane) < len(everything.lane),
    }


def _columns_of_lane(bars: LaneBars, usual: Int) -> dict[str, object]:
    """One lane in small numbers: gaps for starts, durations less those usual for their key."""
    # Where each bar is one launch, its number is 1 and its busy time its length: neither is
    # written.
    several = bool((bars.count != 1).any())
    end = bars.start_ns + bars.dur_ns
    return {
        "gap": pack_signed(bars.start_ns - np.concatenate(([0], end[:-1]))),
        "dur": pack_signed(bars.dur_ns - usual[bars.key]),
        "key": pack_numbers(bars.key),
        "launch": pack_signed(np.diff(bars.launch, prepend=0)),
        "invocation": pack_signed(np.diff(bars.invocation, prepend=0)),
        "count": pack_numbers(bars.count) if several else None,
        "busy": pack_numbers(bars.busy_ns) if several else None,
    }


def _lanes_of_rows(trace: Trace, rows: Int) -> tuple[Int, list[str]]:
    """The lane of each row, and the lanes' titles; on the CPU a lane is a thread."""
    launches = trace.launches.take_rows(rows)
    stream = launches.stream.copy()
    # What ran on the CPU has no stream: there the thread of its range takes that place.
    hosted = launches.range >= 0
    on_cpu = hosted & (launches.device < 0)
    stream[on_cpu] = trace.ranges.thread[launches.range[on_cpu]]
    _, number = np.unique(stream, return_inverse=True)
    # Lanes in the order of process, device and stream. On the CPU the device is -1, hence the 1.
    first, lane = _number_combinations([launches.process, launches.device + 1, number])
    process = launches.process[first].tolist()
    places = zip(launches.device[first].tolist(), stream[first].tolist(), strict=True)
    titles = [_title_of_lane(*place) for place in places]
    # Streams of several processes may have equal numbers, so their titles name the process.
    if len(set(process)) > 1:
        owners = [trace.processes[index] for index in process]
        named = [f"pid {o.pid}" if o.rank is None else f"rank {o.rank}" for o in owners]
        titles = [f"{name} · {title}" for name, title in zip(named, titles, strict=True)]
    return lane, titles


def _title_of_lane(device: int, stream: int) -> str:
    return f"GPU {device} · stream {stream}" if device >= 0 else f"thread {stream}"


def _number_combinations(columns: Sequence[Int]) -> tuple[Int, Int]:
    """First row and number of each combination of values >= 0, in the columns' order."""
    # One number for all columns, with a digit for each: equal numbers are equal rows, and they sort
    # as the rows do.
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        code = code * (int(column.max(initial=0)) + 1) + column
    _, first, number = np.unique(code, return_index=True, return_inverse=True)
    return first, number


def _kinds_of_launches(records: Records, rows: Int) -> tuple[Int, Int]:
    """Launches of equal facts are of one kind: the first row of each kind, and each row's kind."""
    matching, outside = records.matching, records.attribution.outside_op
    return _number_combinations(
        [
            # 1 is added where -1 stands for none.
            matching.call[rows] + 1,
            records.trace.launches.name_id[rows],
            matching.confidence[rows].astype(np.int64),
            matching.method[rows].astype(np.int64),
            matching.reason[rows].astype(np.int64),
            outside.code[rows] + 1,
            _functions_of_launches(records)[rows] + 1,
            _modules_of_launches(records)[0][rows] + 1,
        ]
    )


def _functions_of_launches(records: Records) -> Int:
    """The function of the user's code of each launch that no call has, -1 for others."""
    places: Int = np.where(
        without_call(records.matching), records.attribution.launch_places.code, NONE
    )
    return places


def _modules_of_launches(records: Records) -> tuple[Int, list[str]]:
    """The module of each launch that no call has, -1 for none and for others; and their names."""
    places, launches = records.attribution.launch_places, records.trace.launches
    names = {name: number for number, name in enumerate(places.modules)}
    # A label of a CUDA graph says it where nothing else does; the last is for no label.
    labelled = [
        NONE if note.module is None else names.setdefault(note.module, len(names))
        for note in launches.notes
    ]
    module = np.array([*labelled, NONE], dtype=np.int64)[launches.note]
    if places.module is not None:
        module = np.where(places.module >= 0, places.module, module)
    module = np.where(without_call(records.matching), module, NONE)
    return module, list(names)


def _sums_of_kinds(key: Int, dur_ns: Int, count: int) -> Int:
    """The time of each kind of launches, in whole nanoseconds."""
    sums = np.zeros(count, np.int64)
    np.add.at(sums, key, dur_ns)
    return sums


def _facts_of_rows(records: Records, rows: Int, tables: Tables) -> dict[str, object]:
    """The facts about the launches `rows`, as columns.

    `call` is a row of the shared table of calls + 1, 0 for none; `names` are device names; `place`
    is the row of the table of lines that a launch without a call belongs to, by its name in
    `places`, -1 for a rest row. `module` and `modules` say the same of its module.
    """
    matching, launches = records.matching, records.trace.launches
    outside = records.attribution.outside_op
    row_of = rows_of_calls(records, tables)
    # Only names and places that occur are written; both columns point into what is.
    names, name = np.unique(launches.name_id[rows], return_inverse=True)
    ran_in, place = np.unique(_functions_of_launches(records)[rows], return_inverse=True)
    known = records.attribution.launch_places.places
    of_launches, modules = _modules_of_launches(records)
    nowhere = int((ran_in < 0).sum())  # 1 where some launch has no place, and -1 stands first
    return {
        "call": [row_of[call + 1] for call in matching.call[rows].tolist()],
        "name": name.tolist(),
        "names": [launches.names[name_id] for name_id in names.tolist()],
        "confidence": _words_of_members(Confidence, matching.confidence[rows]),
        "method": _words_of_members(Method, matching.method[rows]),
        "reason": _words_of_members(Reason, matching.reason[rows]),
        "op": [outside.names[code] if code >= 0 else None for code in outside.code[rows].tolist()],
        "place": (place - nowhere).tolist(),
        "places": [known[code].name for code in ran_in[nowhere:].tolist()],
        "module": of_launches[rows].tolist(),
        "modules": modules,
    }


def _words_of_members(words: type[IntEnum], values: Small) -> list[str]:
    spelled = {word.value: word.name.lower().replace("_", " ") for word in words}
    return [spelled[value] for value in values.tolist()]


def _extents_of_steps(
    records: Records, rows: Int, ran: OwnedIntervals
) -> list[tuple[int, int, int]]:
    """Number, first start and last end of the launches of each step, over all lanes."""
    step = records.attribution.step[rows][ran.of]
    inside = np.flatnonzero(step >= 0)
    # Stretches that lie in a step, step by step.
    order = inside[np.argsort(step[inside], kind="stable")]
    numbers_seen, begins = np.unique(step[order], return_index=True)
    if not len(numbers_seen):
        return []
    zero = records.trace.origin_ns
    first = np.minimum.reduceat(ran.start_ns[order], begins) - zero
    last = np.maximum.reduceat(ran.end_ns[order], begins) - zero
    return list(zip(numbers_seen.tolist(), first.tolist(), last.tolist(), strict=True))


MOST = 1_000_000
"""How many bars a page holds: about seven bytes each."""


class LaneBars(Struct, frozen=True, kw_only=True):
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

    def take_rows(self, rows: Int | slice) -> Self:
        """The chosen rows."""
        return replace(self, **{name: column[rows] for name, column in asdict(self).items()})


def thin_bars(bars: LaneBars, most: int) -> LaneBars:
    """The bars in order; more than `most` launches become at most about that many bars."""
    if len(bars.lane) <= most:
        return _order_bars([bars])
    # Half of the bars are the longest launches as they are, the other half stands for all others
    # together.
    kept = most // 2
    by_length = np.argsort(bars.dur_ns, kind="stable")
    short = np.sort(by_length[: len(bars.lane) - kept])
    long = np.sort(by_length[len(bars.lane) - kept :])
    return _order_bars([bars.take_rows(long), _merge_bars(bars.take_rows(short), most - kept)])


def _order_bars(parts: list[LaneBars]) -> LaneBars:
    joined = LaneBars(
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in LaneBars.__struct_fields__
        }
    )
    return joined.take_rows(np.lexsort((joined.launch, joined.start_ns, joined.lane)))


def _merge_bars(bars: LaneBars, most: int) -> LaneBars:
    """At most `most` bars and one per lane more: the launches of each slot as one."""
    lanes = int(bars.lane.max()) + 1
    first = int(bars.start_ns.min())
    span = int(bars.start_ns.max()) - first + 1
    # Each lane has equally many slots, all of the same length; a bar is in the slot in which it
    # begins.
    slots = max(1, most // lanes)
    slot = bars.lane * slots + (bars.start_ns - first) * slots // span
    # Slot by slot, and in a slot by kind: the busy time of each kind in it, (groups,).
    order = np.lexsort((bars.start_ns, bars.key, slot))
    slot, sorted_bars = slot[order], bars.take_rows(order)
    groups = group_starts((slot, sorted_bars.key))
    of_group = np.add.reduceat(sorted_bars.busy_ns, groups)
    # The first group of each slot, and the group with the most time: a merged bar shows that
    # group's kind.
    firsts = group_starts((slot[groups],))
    best = np.lexsort((-of_group, slot[groups]))[firsts]
    begins = groups[firsts]
    # Everything else is taken over all bars of the slot, (slots,).
    end = np.maximum.reduceat(sorted_bars.start_ns + sorted_bars.dur_ns, begins)
    start = np.minimum.reduceat(sorted_bars.start_ns, begins)
    return LaneBars(
        lane=sorted_bars.lane[begins],
        start_ns=start,
        dur_ns=end - start,
        busy_ns=np.add.reduceat(sorted_bars.busy_ns, begins),
        count=np.add.reduceat(sorted_bars.count, begins),
        key=sorted_bars.key[groups[best]],
        launch=np.minimum.reduceat(sorted_bars.launch, begins),
        invocation=sorted_bars.invocation[groups[best]],
    )
