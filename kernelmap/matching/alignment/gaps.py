"""The library launches of all walks: equal gaps are decided once.

Takes the walks with their invocations, gives the owner of each launch between two spots. What is
next to a spot that is not clear stays open, as does what the autotuner launched.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelmap.matching.alignment.answers import CLEAR
from kernelmap.matching.alignment.between import Place
from kernelmap.matching.alignment.habits import NOBODY, Habits, Owners
from kernelmap.matching.alignment.spots import Spots
from kernelmap.matching.alignment.walks import Walk
from kernelmap.matching.names.families import Family
from kernelmap.model import CompiledProgram
from kernelmap.model.trace import Bool, Int

_LONG = 96
"""Launches between two invocations of which only the outer ones are looked at."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """The gaps of one walk as columns: places `start` to `stop`, and what lies around them.

    `before` and `after` are spots and -1, `leaves` and `enters` the runs they belong to. `tuned`
    is 1 where benchmarks of the spot behind them follow.
    """

    start: Int
    stop: Int
    before: Int
    after: Int
    leaves: Int
    enters: Int
    tuned: Int

    def take(self, which: Bool | Int) -> Gaps:
        """Some of the gaps."""
        return Gaps(*(column[which] for column in self._columns()))

    def _columns(self) -> tuple[Int, ...]:
        ends = (self.start, self.stop, self.before, self.after)
        return (*ends, self.leaves, self.enters, self.tuned)

    def joined(self, other: Gaps) -> Gaps:
        """These gaps and others."""
        pairs = zip(self._columns(), other._columns(), strict=True)
        return Gaps(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True, slots=True)
class Owned:
    """The library launches of one walk that have an owner, columns (owned,).

    `place` and `run` are those of the walk, `call` is a position in the program. `several` names
    the calls that stand for the launch at a place.
    """

    place: Int
    run: Int
    call: Int
    several: dict[int, tuple[int, ...]]


def library_launches(
    program: CompiledProgram, spots: Spots, walks: Sequence[Walk]
) -> Iterator[Owned]:
    """Whose the launches between spots are, walk by walk."""
    kinds: dict[tuple[Place, bytes], int] = {}
    seen: dict[Place, Counter[tuple[int, ...]]] = defaultdict(Counter)
    gaps = [_gaps(walk) for walk in walks]
    numbers = [_numbered(walk, own, kinds) for walk, own in zip(walks, gaps, strict=True)]
    times = np.zeros(len(kinds), dtype=np.int64)
    families: dict[int, Family] = {}
    for walk, number in zip(walks, numbers, strict=True):
        times += len(walk.copies) * np.bincount(number, minlength=len(kinds))
        last = len(walk.name) - 1 - np.unique(walk.name[::-1], return_index=True)[1]
        shown = zip(walk.name[last].tolist(), walk.family[last].tolist(), strict=True)
        families.update((name, Family(family)) for name, family in shown)
    by_name = [families.get(name, Family.OTHER) for name in range(max(families, default=-1) + 1)]
    names = [tuple(np.frombuffer(text, dtype=np.int64).tolist()) for _, text in kinds]
    for (place, _), own_names, count in zip(kinds, names, times.tolist(), strict=True):
        seen[place][own_names] += count
    habits = Habits(program, spots, seen, by_name)
    owners = [habits.owners(place, row) for (place, _), row in zip(kinds, names, strict=True)]
    for own, number in zip(gaps, numbers, strict=True):
        yield _owned(own, number, owners)


def _gaps(walk: Walk) -> Gaps:
    """The gaps of a walk between clear spots."""
    runs, answers = walk.runs, walk.answers
    placed = np.flatnonzero(runs.of >= 0)
    at, run = walk.at[placed], runs.of[placed]
    clear = answers.margin[placed] >= CLEAR
    # What an invocation that is not believed stands for is not known.
    spot = np.where(runs.believable[run], answers.spot[placed], -1)
    none, yes, no = np.array([-1]), np.array([True]), np.array([len(walk.rows)])
    gaps = Gaps(
        start=np.concatenate([none, at]) + 1,
        stop=np.concatenate([at, no]),
        before=np.concatenate([none, spot]),
        after=np.concatenate([spot, none]),
        leaves=np.concatenate([none, run]),
        enters=np.concatenate([run, none]),
        tuned=np.zeros(len(at) + 1, dtype=np.int64),
    )
    _stop_at_strays(walk, gaps)
    sure = np.concatenate([yes, clear]) & np.concatenate([clear, yes])
    known = (gaps.before >= 0) | (gaps.after >= 0)
    # Empty gaps stay: where nothing is launched is a habit, too.
    return _without_middles(gaps.take(sure & known))


def _stop_at_strays(walk: Walk, gaps: Gaps) -> None:
    """End each gap before its first stray: from there on the autotuner measures."""
    strays = walk.at[walk.runs.of < 0]
    of, first = np.unique(np.searchsorted(gaps.stop, strays), return_index=True)
    gaps.stop[of] = strays[first]
    gaps.tuned[of] = 1


def _without_middles(gaps: Gaps) -> Gaps:
    """Long gaps between invocations, cut into the launches behind one and those before the next."""
    long = (gaps.stop - gaps.start > _LONG) & (gaps.leaves != gaps.enters)
    if not long.any():
        return gaps
    half = _LONG // 2
    outer = gaps.take(long)
    nowhere = np.full(len(outer.start), -1)
    head = replace(outer, stop=outer.start + half, after=nowhere)
    tail = replace(outer, start=outer.stop - half, before=nowhere)
    return gaps.take(~long).joined(head.take(head.before >= 0)).joined(tail.take(tail.after >= 0))


def _numbered(walk: Walk, gaps: Gaps, kinds: dict[tuple[Place, bytes], int]) -> Int:
    """The kind of each gap: equal gaps that launch the same are of one kind."""
    text = walk.name.astype(np.int64).tobytes()
    size = np.dtype(np.int64).itemsize
    places: dict[tuple[int, int, bool, bool], Place] = {}
    found = np.empty(len(gaps.start), dtype=np.int64)
    columns = (gaps.start * size, gaps.stop * size, gaps.before, gaps.after)
    same = (gaps.leaves == gaps.enters).tolist()
    rows = zip(
        *(column.tolist() for column in columns), same, (gaps.tuned > 0).tolist(), strict=True
    )
    for number, (start, stop, before, after, inside, tuned) in enumerate(rows):
        key = (before, after, inside, tuned)
        place = places.get(key)
        if place is None:
            whole = walk.whole and not inside
            place = places[key] = Place(before, after, inside, whole, tuned)
        found[number] = kinds.setdefault((place, text[start:stop]), len(kinds))
    return found


def _owned(gaps: Gaps, kinds: Int, owners: Sequence[Sequence[Owners]]) -> Owned:
    """What the owners of each kind of gap say about the launches of one walk's gaps."""
    nothing = np.empty(0, dtype=np.int64)
    found: list[tuple[Int, Int, Int]] = [(nothing, nothing, nothing)]
    several: dict[int, tuple[int, ...]] = {}
    order = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    for rows in np.split(order, starts[1:]):
        if not len(rows):
            continue
        for offset, own in enumerate(owners[int(kinds[rows[0]])]):
            if not own or NOBODY in own:
                continue
            place = gaps.start[rows] + offset
            ahead = {each.ahead for each in own}
            run = (gaps.enters if True in ahead else gaps.leaves)[rows]
            if len(own) > 1:
                run = run if len(ahead) == 1 else np.full(len(rows), -1)
                several.update((at, tuple(each.call for each in own)) for at in place.tolist())
            found.append((place, run, np.full(len(rows), own[0].call if len(own) == 1 else -1)))
    place, run, call = (np.concatenate(column) for column in zip(*found, strict=True))
    return Owned(place, run, call, several)
