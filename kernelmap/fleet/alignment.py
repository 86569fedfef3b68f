"""Ends of collectives of all ranks → the ranks whose steps begin at other collectives than most.

A step of a rank may begin with its own turn to compute. Then its first step holds other collectives
than the first step of the next rank, though as many. A collective ends on all its ranks together,
so the ends on two ranks differ by a constant, the distance of their clocks. The order of one rank
is therefore shifted against that of another until this distance varies least. The collectives of a
shifted rank get the step and position that they have on most ranks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.fleet.rank import RankFacts
from kernelmap.fleet.unequal import CollectiveCounts, StepPlace, find_unequal
from kernelmap.model import Notice
from kernelmap.model.notices import format_count, join_some
from kernelmap.model.trace import Int
from kernelmap.tables.frames import Array

_SHIFTS = range(-48, 49)
"""Collectives by which a rank may be shifted: more than a turn of a pipeline has in the profiles of
a few steps, and less than the ends that facts of a rank hold (_ENDS of rank.py). Chosen."""
_LEAST = 6
"""Ends that two ranks must share to be compared: with two or three some shift always fits.
Chosen."""
_CLEARLY = 2
"""A shift must agree so many times better than none: at 1 noise shifts ranks that are in order.
Chosen."""
_FAR_BETTER = 4
"""Times less variation than a wrong shift has needs no shift, and none is looked for. Above 3,
since a third of the ends may count."""
_PART = 0.25
"""Of the mean time between collectives; ends that differ by more disagree: at half the next
collective would fit as well. Chosen."""

_Ends = NDArray[np.float64]
"""When the collectives of a group ended on a rank, by their place in its steps; NaN without one."""


class _Grid(Struct, frozen=True, kw_only=True):
    """The steps of a group, each with the number of its collectives.

    The profiles of all ranks have the collectives from place `begin` to `end` in the order of all.
    """

    steps: Sequence[tuple[int, int]]
    begin: int
    end: int


class StepAlignment(Struct, frozen=True, kw_only=True):
    """How many collectives later than on most ranks the order of each rank and group begins.

    `shifts` has that number by rank and group, `grids` the steps of most ranks; both have only the
    groups that are shifted on some rank. The ends of `unsure` ranks agree with those of the others
    under no shift. In a step of `unequal` a rank has another number of collectives than most: which
    one it lacks is not known.
    """

    shifts: Mapping[int, Mapping[str, int]]
    grids: Mapping[str, _Grid]
    unsure: tuple[int, ...]
    unequal: Mapping[StepPlace, CollectiveCounts]

    def iter_notices(self) -> Iterator[Notice]:
        """Notices about ranks that are shifted, and about ranks that could not be aligned."""
        shifted = [rank for rank, groups in self.shifts.items() if any(groups.values())]
        if shifted:
            yield Notice(
                slug="steps-begin-apart",
                message=f"Steps of {_say_ranks(shifted)} begin at other collectives than on most"
                " ranks: collectives are matched by when they ended.",
            )
        if self.unsure:
            yield Notice(
                slug="collectives-not-aligned",
                message=f"Collectives of {_say_ranks(self.unsure)} end at other times than those of"
                " other ranks: they are matched by their order in a step, and who waits for whom"
                " may be wrong.",
            )


def _say_ranks(ranks: Sequence[int]) -> str:
    return (
        f"{format_count(len(ranks), 'rank')} "
        f"({join_some([str(rank) for rank in sorted(ranks)], 8)})"
    )


def align_ranks(facts: Sequence[RankFacts]) -> StepAlignment:
    """Shift every group of every rank against the group's first rank, then against most ranks."""
    ordered = sorted(facts, key=lambda rank_facts: rank_facts.rank)
    others = find_unequal(ordered)
    shifts: dict[int, dict[str, int]] = defaultdict(dict)
    grids: dict[str, _Grid] = {}
    unsure: set[int] = set()
    for group in sorted({name for rank_facts in ordered for name in rank_facts.ends}):
        members = [rank_facts for rank_facts in ordered if group in rank_facts.ends]
        # Each rank is held against the first rank of the group. Only differences between shifts
        # count, so it does not matter which rank that is.
        grid = _grid_of_steps(members, group)
        first = _ends_in_grid(members[0], group, grid, others)
        # The yardstick of a wrong shift: how little the first rank varies when it is held against
        # itself, one or more collectives too early or too late.
        varies = min(_variation_of_distance(first, first, shift) for shift in _SHIFTS if shift)
        shift_by_rank = {
            rank_facts.rank: _find_shift(
                _ends_in_grid(rank_facts, group, grid, others), first, varies
            )
            for rank_facts in members
        }
        # Most ranks define the order: what counts is by how much a rank is shifted beyond the most
        # frequent shift.
        usual = Counter(shift for shift, _ in shift_by_rank.values()).most_common(1)[0][0]
        unsure |= {rank for rank, (_, agrees) in shift_by_rank.items() if not agrees}
        against = {rank: shift - usual for rank, (shift, _) in shift_by_rank.items()}
        # In a shifted group nothing tells which collective a step with another number lacks. Such
        # steps are matched by their order all the same, and their ranks are unsure.
        if any(against.values()):
            unsure |= {place.rank for place in others if place.group == group}
            grids[group] = _Grid(
                steps=grid,
                # What the profiles of all ranks hold: from the first place of the rank that begins
                # last to the last place of the rank that ends first.
                begin=max(against.values()),
                end=min(
                    sum(rank_facts.counts[group].values()) + against[rank_facts.rank]
                    for rank_facts in members
                ),
            )
            for rank, shift in against.items():
                shifts[rank][group] = shift
    return StepAlignment(
        shifts=dict(shifts),
        grids=grids,
        unsure=tuple(sorted(unsure)),
        unequal={place: counts for place, counts in others.items() if place.group not in grids},
    )


def _grid_of_steps(members: Sequence[RankFacts], group: str) -> list[tuple[int, int]]:
    """The steps of all ranks with the number of collectives that most ranks have there."""
    counts: dict[int, list[int]] = defaultdict(list)
    for rank_facts in members:
        for step, number in rank_facts.counts[group].items():
            counts[step].append(number)
    return [
        (step, Counter(numbers).most_common(1)[0][0]) for step, numbers in sorted(counts.items())
    ]


def _ends_in_grid(
    facts: RankFacts, group: str, grid: Sequence[tuple[int, int]], others: Collection[StepPlace]
) -> _Ends:
    """The ends of a rank by their place in the grid; NaN where it has none, or another number."""
    # A column of all places of the group, step after step, in ns of the rank's own clock.
    ends = np.full(sum(number for _, number in grid), np.nan)
    begins = dict(zip((step for step, _ in grid), _begins_of_steps(grid).tolist(), strict=True))
    read = 0
    # The facts hold one list of ends over all steps, and only its beginning, so the last step may
    # be cut short.
    for step, number in sorted(facts.counts[group].items()):
        ends_of_step = facts.ends[group][read : read + number]
        read += number
        if StepPlace(facts.rank, group, step) not in others:
            place = begins[step]
            # A profile without steps may have more ends than there are places: the others are left
            # out.
            room = ends[place : place + len(ends_of_step)]
            room[:] = ends_of_step[: len(room)]
    return ends


def _begins_of_steps(grid: Sequence[tuple[int, int]]) -> Int:
    counts = np.array([number for _, number in grid], dtype=np.int64)
    begins: Int = np.cumsum(counts) - counts
    return begins


def _find_shift(ends: _Ends, first: _Ends, varies: float) -> tuple[int, bool]:
    """How many places later than `first` the `ends` begin; whether they agree then.

    `varies` is the least by which `first` varies against itself, shifted. Ends that vary much less
    than that need no shift.
    """
    unshifted = _variation_of_distance(ends, first, 0)
    if unshifted == np.inf:
        return 0, True  # nothing says otherwise
    best, apart = 0, unshifted
    # The ends do not clearly agree as they are, so all shifts are tried; of equally good ones the
    # smallest counts.
    if unshifted * _FAR_BETTER > varies:
        every = {shift: _variation_of_distance(ends, first, shift) for shift in _SHIFTS}
        closest = min(every, key=lambda shift: (every[shift], abs(shift)))
        # A shift that is only a little better than none may be noise.
        if every[closest] * _CLEARLY < unshifted:
            best, apart = closest, every[closest]
            # Turns that take long and short by turns fit at every second shift: one that is little
            # better than the next may be noise as well, and the rank is unsure.
            rival = min(apart_of for shift, apart_of in every.items() if shift != closest)
            if rival < apart * _CLEARLY:
                return best, False
    # Ends agree where their distance varies by no more than a part of the mean time between two
    # collectives.
    first_ends = first[~np.isnan(first)]
    between = (first_ends[-1] - first_ends[0]) / (len(first_ends) - 1)
    return best, bool(apart <= _PART * between)


def _variation_of_distance(ends: _Ends, first: _Ends, shift: int) -> float:
    """The mean variation of the distance of two clocks in ns; infinite for too few ends."""
    # Place i of the rank stands against place i + shift of the first one. If these are one
    # collective, the difference of their ends is the distance of the clocks, and a constant.
    mine, theirs = ends[max(0, -shift) :], first[max(0, shift) :]
    length = min(len(mine), len(theirs))
    distance = mine[:length] - theirs[:length]
    # NaN is an end that only one of the two ranks has.
    distance = distance[~np.isnan(distance)]
    # Of few ends a wrong shift varies as little as the right one; a shift that leaves less than a
    # third of the ends to compare is held to no fewer. Chosen.
    if len(distance) < max(_LEAST, len(first[~np.isnan(first)]) // 3):
        return np.inf
    return float(np.abs(distance - np.median(distance)).mean())


def align_tables(
    tables: Mapping[str, Array], rank: int, alignment: StepAlignment
) -> dict[str, Array]:
    """The rank_steps and rank_collectives of a rank, with the steps of most ranks.

    `own_step` keeps the step that a collective has on the rank; `placed` says whether its position
    there is that of other ranks. On a shifted rank, a step lasts from the last collective of the
    step before to its own last one.
    """
    steps, rows = tables["rank_steps"], tables["rank_collectives"]
    # Per collective whether the rank has as many of them in its step as most ranks have. Elsewhere
    # the position says nothing.
    pairs = zip(rows["group"].to_pylist(), rows["step"].to_pylist(), strict=True)
    placed = np.array(
        [StepPlace(rank, *pair) not in alignment.unequal for pair in pairs], dtype=np.bool_
    )
    rows = rows.append_column("own_step", rows["step"])
    # All three columns are (collectives,), and step and position are overwritten below.
    step, position = (rows[name].to_numpy().copy() for name in ("step", "position"))
    group = np.array(rows["group"].to_pylist(), dtype=object)
    for name, shift in alignment.shifts.get(rank, {}).items():
        grid = alignment.grids[name]
        # The collectives of the group in the order of this rank, and the place of each in the order
        # of most ranks.
        at = np.flatnonzero(group == name)
        order = at[np.lexsort((position[at], step[at]))]
        places = np.arange(len(order)) + shift
        # What the profile of some rank lacks is not matched on any rank.
        placed[order] &= (places >= grid.begin) & (places < grid.end)
        if shift:
            step[order], position[order] = _step_and_position(grid.steps, places)
    rows = _with_column(_with_column(rows, "step", step), "position", position)
    rows = rows.append_column("placed", pa.array(placed))
    if (step != rows["own_step"].to_numpy()).any():
        steps = _move_steps(steps, step, rows)
    return {"rank_steps": steps, "rank_collectives": rows}


def _step_and_position(grid: Sequence[tuple[int, int]], places: Int) -> tuple[Int, Int]:
    """Step and position of places in the order of a group; outer places belong to the outer steps.

    >>> [column.tolist() for column in _step_and_position([(3, 2), (4, 2)], np.arange(-1, 5))]
    [[3, 3, 3, 4, 4, 4], [-1, 0, 1, 0, 1, 2]]
    """
    begins = _begins_of_steps(grid)
    # The step of each place, as a position in the grid; places before the first step count to it.
    at = np.maximum(np.searchsorted(begins, places, side="right") - 1, 0)
    return np.array([step for step, _ in grid])[at], places - begins[at]


def _move_steps(steps: Array, step: Int, rows: Array) -> Array:
    """The steps of a rank whose collectives moved to other steps: only times hold."""
    begin, wall = (steps[name].to_numpy() for name in ("begin_ns", "wall_ns"))
    # A step lasts until the last of its collectives, and of all collectives before them, has ended.
    # The first one begins where the rank's own steps begin, and the last one reaches at least as
    # far as they do.
    ends = rows["start_ns"].to_numpy() + rows["dur_ns"].to_numpy()
    numbers = np.unique(np.concatenate([step, steps["step"].to_numpy()]))
    reached = [int(begin.min())]
    reached += [int(ends[step <= number].max(initial=reached[0])) for number in numbers]
    reached[-1] = max(reached[-1], int((begin + wall).max()))
    columns = {
        "rank": np.full(len(numbers), steps["rank"][0].as_py()),
        "step": numbers,
        "begin_ns": np.array(reached[:-1]),
        "wall_ns": np.diff(reached),
    }
    # The parts of a step (computing, idle and so on) are known of the rank's own steps only, so
    # they are 0 here.
    empty = np.zeros(len(numbers), dtype=np.int64)
    names = steps.column_names
    return pa.table([pa.array(columns.get(name, empty), pa.int64()) for name in names], names=names)


def _with_column(table: Array, name: str, values: Int) -> Array:
    at = table.column_names.index(name)
    return table.set_column(at, name, pa.array(values, pa.int64()))
