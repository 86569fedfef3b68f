"""Why a slow rank is slow: the causes of `kernelmap diff` against the median rank, and its gaps.

A comparison explains time on the device; what the host did while nothing ran explains the rest.
Collectives are left out: how long one runs depends on the other ranks, and waiting is no cause of
the rank that waits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from kernelmap.facts.communication import is_communication
from kernelmap.fleet.kept import Kept
from kernelmap.fleet.threads import TorchThreads
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.side import RestSide
from kernelmap.history.compare.texts.words import say_explaining
from kernelmap.model.wall_time import IdleCause as WallCause
from kernelmap.pages.text import signed_percent
from kernelmap.tables.frames import Array
from kernelmap.tables.rows import Cell, Row

RECOMPILED, LATE_DATA, IDLE = "recompiled", "late data", "nothing ran"
FEWER_THREADS, MORE_THREADS = "fewer threads", "more threads"
"""The causes that no comparison of device time names."""

_ONLY_HERE, _ONLY_THERE = "not on the median rank", "not on this rank"
_LEAST = 0.1
"""Of the excess; a smaller part is no cause, since a comparison of two ranks always finds some
nanoseconds. Chosen; docs/fleet.md says so."""
_MOST = 4
"""Causes of one rank; a fifth one explains hardly more than a tenth of the excess. Chosen."""
_ALIKE, _SHIFT, _MOST_OF_TIME = 0.03, 0.01, 0.8
"""Launches changed alike where their ratios differ by at most 3 %, if 80 % of the time did so, and
if that is a change of at least 1 %. As in comparable.py, but for the 3 %: two GPUs differ
by more than one does from itself. Chosen."""
_LEAST_ALIKE = 4
"""Of so many calls and operators at least; fewer agree by chance. Chosen."""
_FEW_STEPS, _IN_FEW = 0.5, 0.8
"""Steps are named where at most half of them hold 80 % of an excess; else it is in all of them. It
decides words alone."""
_OF_IDLE = {WallCause.LOADING_DATA.word: LATE_DATA, WallCause.COMPILING.word: RECOMPILED}
"""The causes of the wall time that have a word of their own here; all others are IDLE."""
_UNKNOWN = WallCause.UNKNOWN.word
_WITHOUT_RANGE = {_UNKNOWN: "the host, in no range"}
_WORK = (
    Cause.NEW_GRAPH,
    Cause.GONE_GRAPH,
    Cause.LAUNCHES,
    Cause.NEW,
    Cause.GONE,
    Cause.REFUSED,
    Cause.SHAPES,
    Cause.OPS,
)
"""Causes that may cancel each other: work that leaves a graph appears in its recompiled twin."""


class CauseTask(Struct, frozen=True, kw_only=True):
    """A slow rank and the median rank, by their keys; `excess_ns` is per step.

    `threads` is None where torch has as many threads on the rank as on most, or nothing says.
    """

    place: str
    rank: int
    key: str
    against: int
    against_key: str
    excess_ns: int
    threads: TorchThreads | None = None


def causes_of(task: CauseTask) -> list[Row]:
    """Rows of fleet.CAUSES, largest first; those that explain less than a tenth are left out."""
    kept = Kept(task.place)
    with (
        kept.open_side(task.against_key, f"rank {task.against}") as before,
        kept.open_side(task.key, f"rank {task.rank}") as after,
    ):
        comparison = compare_sides(before, after)
        causes = [*_on_device(comparison)]
    if task.threads is not None:
        causes = _by_threads(causes, task.threads)
    causes += _in_gaps(kept.tables_of(task.against_key), kept.tables_of(task.key))
    # A change of less than 1 ns is none, even where the excess is nearly nothing.
    rows = [row for row in causes if _change_in_ns(row) >= max(1, _LEAST * task.excess_ns)]
    rows.sort(key=lambda row: (-_change_in_ns(row), str(row["cause"]), str(row["what"])))
    # What the rank was compiled or runs with otherwise may be why, and proves nothing: it is said
    # beside the largest cause.
    if rows and (differs := say_explaining(comparison)):
        told = [str(rows[0]["detail"])] if rows[0]["detail"] is not None else []
        rows[0] = rows[0] | {"detail": "; ".join([*told, f"differs: {differs}"])}
    return [{"rank": task.rank, **row, "against": task.against} for row in rows[:_MOST]]


def _change_in_ns(row: Row) -> int:
    value = row["change_ns"]
    return value if isinstance(value, int) else 0


def _make_cause(cause: str, what: str, change_ns: int, **more: Cell) -> Row:
    return {
        "cause": cause,
        "what": what,
        "where": None,
        "step": None,
        "change_ns": change_ns,
        "detail": None,
    } | more


def _on_device(comparison: Comparison) -> Iterator[Row]:
    """The changes of device time: one row for the clock, one for work, one for any other."""
    unit = comparison.unit
    # A comparison counts by step, else by another unit, such as a run of a graph. Without steps a
    # fleet counts the whole window, so the units of the slow rank are added up.
    scale = 1 if unit.word == "step" else unit.after
    changes = [
        change for change in comparison.changes if not is_communication(_subject_of_cause(change))
    ]
    clock, alike = _clock_of_rank(comparison)
    # One cause is all that the comparison itself puts down to the clock, and, where most launches
    # changed alike, calls of the same code and operators outside that changed by that factor.
    by_clock = [
        change
        for change in changes
        if change.cause is Cause.CLOCK
        or (change.cause is Cause.SAME_CODE and clock != 1)
        or (change.cause is Cause.OUTSIDE and change.what in alike)
    ]
    if by_clock:
        what = f"{len({change.what for change in by_clock}):,} calls and operators"
        detail = f"{signed_percent(clock - 1)} a launch"
        total = sum(change.change_ns for change in by_clock)
        yield _make_cause(Cause.CLOCK.value, what, total * scale, detail=detail)
    # Work that left one graph and came into another cancels out. So all of it is one row, named
    # after the largest change, with the net time at most.
    work = [change for change in changes if change.cause in _WORK]
    if work:
        largest = max(work, key=lambda change: change.change_ns)
        net = sum(change.change_ns for change in work)
        yield _of_change(largest, min(net, largest.change_ns) * scale)
    for change in changes:
        if change not in by_clock and change.cause not in (*_WORK, Cause.SPREAD):
            yield _of_change(change, change.change_ns * scale)


def _by_threads(rows: Sequence[Row], threads: TorchThreads) -> list[Row]:
    """The rows; those of slower launches of the same code are replaced by one about threads."""
    alike = (Cause.CLOCK.value, Cause.SAME_CODE.value, Cause.OUTSIDE.value)
    # What only one of the two ranks ran is other work, and not slower for its threads.
    slower = [
        row
        for row in rows
        if row["cause"] in alike and row["detail"] not in (_ONLY_HERE, _ONLY_THERE)
    ]
    cause = FEWER_THREADS if threads.here < threads.usual else MORE_THREADS
    detail = f"{len(slower):,} calls and operators of the same code"
    if len(slower) == 1:
        detail = str(slower[0]["what"])
    one = _make_cause(cause, str(threads), sum(map(_change_in_ns, slower)), detail=detail)
    return [one, *(row for row in rows if row not in slower)]


def _of_change(change: Change, change_ns: int) -> Row:
    calls = ", ".join(call.id for call in (change.after or change.before)[:3])
    return _make_cause(
        change.cause.value,
        change.what,
        change_ns,
        where=calls or change.graph,
        detail=change.detail or _say_which_ran(change),
    )


def _say_which_ran(change: Change) -> str | None:
    """Which one of the two ranks ran it; None where both did."""
    if change.before_ns and change.after_ns:
        return None
    return _ONLY_HERE if change.after_ns else _ONLY_THERE


def _subject_of_cause(change: Change) -> str:
    """The op, or the wrapper of a call without its package: what names a collective."""
    name = change.what.removeprefix("torch.ops.")
    calls = change.after or change.before
    targets = [op for call in calls for op in call.ops]
    return next((target for target in (name, *targets) if is_communication(target)), name)


def _clock_of_rank(comparison: Comparison) -> tuple[float, frozenset[str]]:
    """The factor by which most launches changed, and the outside operators that changed by it.

    The factor is 1 where most did not change alike. It is that of calls and operators together.
    Ranks differ more than two recordings of one GPU, so more counts as alike here than in a
    comparison.
    """
    # The operators outside of compiled code by name, on the median rank and on the slow one.
    named = [
        {rest.name: rest for rest in side.rests if rest.outside and rest.time_ns}
        for side in comparison.sides
    ]
    units = (comparison.unit.before, comparison.unit.after)
    # Of each call that both ran: by what factor it changed, and how long it took on the median
    # rank, which is its weight.
    calls = [
        (row.after_ns / row.before_ns, row.before_ns)
        for row in comparison.tables["calls"]
        if row.before_ns > 0 and row.after_ns > 0 and _is_call(row.name)
    ]
    ratios: dict[str, tuple[float, int]] = {}
    # Of operators outside the same by launch, if both ranks launch them as often in a unit.
    for name in named[0].keys() & named[1].keys():
        pair = (named[0][name], named[1][name])
        if not is_communication(name) and _as_often(pair, units):
            per = [rest.time_ns / (rest.launches or 1) for rest in pair]
            ratios[name] = (per[1] / per[0], pair[0].time_ns)
    items = [*calls, *ratios.values()]
    factor = _common_ratio(items) if len(items) >= _LEAST_ALIKE else 1.0
    if abs(factor - 1) < _SHIFT:
        return 1.0, frozenset()
    near = (name for name, (ratio, _) in ratios.items() if abs(ratio / factor - 1) <= _ALIKE)
    return factor, frozenset(near)


def _is_call(name: str) -> bool:
    """Whether a row of the roll-up by call is a call, such as `0_forward/3 extern_kernels.mm`."""
    call, _, wrapper = name.partition(" ")
    return "/" in call and not is_communication(wrapper.removeprefix("torch.ops."))


def _as_often(pair: tuple[RestSide, RestSide], units: tuple[int, int]) -> bool:
    return pair[0].launches * units[1] == pair[1].launches * units[0]


def _common_ratio(ratios: Sequence[tuple[float, int]]) -> float:
    """The ratio that most of the time moved by; 1 where there is none."""
    # The weighted median of all ratios, and how much of the time lies near it.
    total, running = sum(weight for _, weight in ratios), 0
    middle = 1.0
    for ratio, weight in sorted(ratios):
        running += weight
        if 2 * running >= total:
            middle = ratio
            break
    near = sum(weight for ratio, weight in ratios if abs(ratio / middle - 1) <= _ALIKE)
    return middle if near >= _MOST_OF_TIME * total else 1.0


def _in_gaps(before: Mapping[str, Array], after: Mapping[str, Array]) -> Iterator[Row]:
    """What the host did longer than on the median rank while nothing ran."""
    steps = [sorted(set(tables["rank_steps"]["step"].to_pylist())) for tables in (before, after)]
    usual, here = (_gaps_by_step(tables) for tables in (before, after))
    compiled = _find_recompiled(before, after)
    more: dict[tuple[str, GapKind], dict[int, float]] = defaultdict(dict)
    for gap, by_step in here.items():
        # A gap that is usual is usual in every step: the median rank's mean over all of its steps
        # is taken off each step, steps without such a gap included.
        mean = sum(usual.get(gap, {}).values()) / max(1, len(steps[0]))
        for step in steps[1]:
            excess = by_step.get(step, 0) - mean
            more[cause_of_gap(gap, step, compiled), gap][step] = excess
    for (cause, gap), excesses in more.items():
        # Steps in which the gap was shorter than usual count against the others.
        change_ns = round(sum(excesses.values()) / max(1, len(steps[1])))
        if change_ns <= 0:
            continue
        # Late data and compilations are causes of both vocabularies, all others only of the wall's.
        detail: Cell = gap.cause if cause == IDLE else None
        where: Cell = None
        if cause == RECOMPILED:
            # Of the graphs that were compiled again, the one that first ran in a step with this
            # gap.
            first = [graph for graph in compiled if graph["first_step"] in excesses]
            graph = next(iter(first or compiled), None)
            where = None if graph is None else graph["name"]
            detail = None if graph is None else graph["failed_guard"]
        what = gap.range or _WITHOUT_RANGE.get(gap.cause, gap.cause)
        where_steps = _say_few_steps(excesses)
        yield _make_cause(cause, what, change_ns, step=where_steps, where=where, detail=detail)


class GapKind(NamedTuple):
    """What the gaps of a row of tables.fleet.GAPS have in common on all ranks."""

    cause: str
    range: str | None


def cause_of_gap(gap: GapKind, step: int, compiled: Sequence[Row]) -> str:
    """The cause of a slow rank that a gap of this kind is.

    A profile may have no range of a compilation. Where the log says that a graph of this step was
    compiled once more, a gap of which nothing else is known is put down to that.
    """
    is_first_run = any(graph["first_step"] == step for graph in compiled)
    if gap == GapKind(_UNKNOWN, None) and is_first_run:
        return RECOMPILED
    return _OF_IDLE.get(gap.cause, IDLE)


def _gaps_by_step(tables: Mapping[str, Array]) -> dict[GapKind, dict[int, int]]:
    """Ns by kind of gap and step, within the steps of the device that those of the rank are of."""
    devices = set(tables["rank_steps"]["device"].to_pylist())
    sums: dict[GapKind, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in tables["rank_gaps"].to_pylist():
        # Left out: other devices, and what lies before the first work of a window without steps or
        # behind its last.
        if row["device"] in devices and not row["around"]:
            sums[GapKind(row["cause"], row["range"])][row["step"]] += row["time_ns"]
    return sums


def _find_recompiled(before: Mapping[str, Array], after: Mapping[str, Array]) -> list[Row]:
    """The graphs of later compilations of a function that the median rank does not have."""
    usual = {row["key"] for row in before["rank_rows"].to_pylist() if row["by"] == "graph"}
    return [
        row
        for row in after["rank_rows"].to_pylist()
        if row["by"] == "graph" and (row["compilation"] or 1) > 1 and row["key"] not in usual
    ]


def _say_few_steps(by_step: Mapping[int, float]) -> str | None:
    """The steps that hold most of an excess, where they are few: `3`, `3, 5`."""
    total = sum(max(0, ns) for ns in by_step.values())
    chosen: list[int] = []
    held = 0.0
    # The steps with the largest excess until they hold most of it; where that takes many, none is
    # named.
    for step, ns in sorted(by_step.items(), key=lambda pair: -pair[1]):
        if held >= _IN_FEW * total:
            break
        chosen.append(step)
        held += max(0, ns)
    few = total and len(chosen) <= _FEW_STEPS * len(by_step)
    return ", ".join(map(str, sorted(chosen))) if few else None
