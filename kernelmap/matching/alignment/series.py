"""Answers, held against what only a whole sequence shows: series that the autotuner launched.

A *series* is a row of launches under one name with nothing but the clearing of benchmarks between.
Takes the answers of one sequence, gives them with fewer spots, or with later ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.alignment.answers import CLEAR, Answer, Answers
from kernelmap.matching.alignment.spots import Spots, longest_row
from kernelmap.model.trace import Bool, Int

_SERIES = 3  # launches in a row that begin to look like benchmarks


@dataclass(frozen=True, slots=True)
class Launched:
    """The launches of known names in one sequence, columns (launches,).

    `again` says whether a launch follows one of its `name` with nothing but clearing between,
    `cleared` whether there was such clearing.
    """

    name: Int
    again: Bool
    cleared: Bool

    @property
    def in_cleared_series(self) -> Bool:
        """Whether there was clearing anywhere in the series of each launch."""
        start = np.flatnonzero(~self.again)
        length = np.diff(np.append(start, len(self.again)))
        return np.repeat(np.logical_or.reduceat(self.cleared, start), length)


@dataclass(frozen=True, slots=True)
class _Series:
    """Rows of launches under one name, columns (series,).

    `usual` is the usual length under that name.
    """

    name: Int
    start: Int
    length: Int
    usual: Int
    cleared: Bool

    @classmethod
    def of(cls, seen: Launched) -> _Series:
        start = np.flatnonzero(~seen.again)
        length = np.diff(np.append(start, len(seen.again)))
        own = seen.name[start]
        order = np.lexsort((length, own))
        bounds = np.flatnonzero(np.diff(own[order], prepend=-1))
        count = np.diff(np.append(bounds, len(own)))
        usual = np.zeros(int(own.max(initial=0)) + 1, dtype=np.int64)
        usual[own[order][bounds]] = length[order][bounds + count // 2]
        cleared = np.logical_or.reduceat(seen.cleared, start)
        return cls(own, start, length, usual[own], cleared)

    def chosen(self, which: Bool) -> Iterator[range]:
        """The places of some series."""
        columns = (self.start[which].tolist(), self.length[which].tolist())
        for start, length in zip(*columns, strict=True):
            yield range(start, start + length)


def without_series(answers: Answers, seen: Launched, spots: Spots) -> Answers:
    """`answers`, except for series of launches that only the autotuner makes.

    A graph of a single kernel may run many times in a row, and the autotuner's benchmarks of that
    kernel look the same, but for the clearing between them. Where a series with clearing is far
    longer than the usual one of its name, none of it is known to be a call.
    """
    if not len(answers):
        return answers
    series = _Series.of(seen)
    lone = np.add(spots.before, spots.after) == 0
    long = (series.length >= _SERIES) & (series.length > 2 * series.usual) & series.cleared
    dropped = [
        place
        for places in series.chosen(long)
        for place in places
        if (spot := int(answers.spot[place])) >= 0 and lone[spot]
    ]
    return answers.without(dropped)


def last_of_series(answers: Answers, seen: Launched, spots: Spots, rows: Int) -> Answers:
    """`answers`, but in a series that begins with benchmarks the last launches are the calls.

    `rows` has the most calls that the code runs in a row under each name. A far longer series began
    with the benchmarks of the first of them.
    """
    if not len(answers):
        return answers
    series = _Series.of(seen)
    usual = rows[series.name]
    long = (usual > 1) & (series.length >= usual + _SERIES) & series.cleared
    columns = (answers.spot.copy(), answers.margin.copy(), answers.second.copy())
    several = dict(answers.several)
    for places in series.chosen(long):
        calls = _calls_of_series(answers, places, spots)
        columns[0][list(places)] = -1
        for place in places:
            several.pop(place, None)
        for place, call in zip(places[len(places) - len(calls) :], calls, strict=True):
            for column, value in zip(columns, (call.spot, call.margin, call.second), strict=True):
                column[place] = value
            if len(call.alternatives) > 1:
                several[place] = call.alternatives
    return Answers(*columns, several)


def without_last_benchmark(answers: Answers, seen: Launched) -> Answers:
    """`answers`, but for benchmarks whose call was lost: nothing is cleared before a call.

    Of a series with clearing, the launches behind the last clearing are the calls. Where more stand
    on spots, and others of the series on none, one of those is a benchmark.
    """
    if not len(answers):
        return answers
    series = _Series.of(seen)
    dropped: list[int] = []
    for places in series.chosen((series.length >= _SERIES) & series.cleared):
        own = slice(places.start, places.stop)
        placed = np.flatnonzero(answers.spot[own] >= 0)
        cleared = np.flatnonzero(seen.cleared[own])
        if len(placed) < len(places) and (placed <= cleared[-1]).any():
            dropped += (placed + places.start).tolist()
    return answers.without(dropped) if dropped else answers


def _calls_of_series(answers: Answers, places: range, spots: Spots) -> list[Answer]:
    """What the last launches of a series are: the calls in a row that it stands for."""
    placed = [place for place in places if answers.spot[place] >= 0]
    found = [answers.at(place) for place in placed]
    named = sorted({spot for each in found for spot in each.alternatives})
    if len(named) > 1 and longest_row(named, spots) == len(named):
        # Every launch of the series fits every call of the row: only the last ones are calls.
        return [Answer(spot, CLEAR, -1, (spot,)) for spot in named]
    row: list[Answer] = []
    for each in reversed(found):
        if row and not (each.spot < row[0].spot and _same_graph(each.spot, row[0].spot, spots)):
            break
        row.insert(0, each)
    return row


def _same_graph(one: int, other: int, spots: Spots) -> bool:
    return spots.graph[one] == spots.graph[other]


def without_choosing(answers: Answers, seen: Launched, spots: Spots) -> Answers:
    """`answers`, except for launches of a multi-kernel before its choice was made.

    A process runs the kernel that it chose; up to the last launch of another one it was measuring,
    and the series right behind that may be measurements of the chosen one.
    """
    dropped: list[int] = []
    for spot in np.flatnonzero(spots.choice).tolist():
        places = np.flatnonzero(answers.spot == spot)
        others = places[seen.name[places] != seen.name[places[-1:]]]
        if len(others):
            dropped += _up_to(places, int(others[-1]) + 1, seen.again)
    return answers.without(dropped) if dropped else answers


def _up_to(places: Int, until: int, again: Bool) -> Sequence[int]:
    """The places up to the end of the series that begins at `until`."""
    while until + 1 < len(again) and again[until + 1]:
        until += 1
    chosen: list[int] = places[places <= until].tolist()
    return chosen
