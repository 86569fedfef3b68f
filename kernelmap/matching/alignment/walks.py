"""Sequences of launches, decoded: where each launch under a known name stands, and in which run.

A *walk* is what one process launched without a host side, in launch order, or what one CUDA or HIP
graph launches at each replay. Replays of a graph are one walk with several copies: a graph is
solved once, from all of its nodes that any replay shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.alignment.answers import Answers
from kernelmap.matching.alignment.decode import Decoder, Seen
from kernelmap.matching.alignment.runs import Runs, runs_of
from kernelmap.matching.alignment.series import (
    Launched,
    last_of_series,
    without_choosing,
    without_last_benchmark,
    without_series,
)
from kernelmap.matching.alignment.shapes import Shapes, shapes_of
from kernelmap.matching.alignment.spots import Spots, longest_row
from kernelmap.matching.alignment.surroundings import TELLING, Surroundings, usual_families
from kernelmap.matching.alignment.vote import voted
from kernelmap.matching.host_side.columns import mixed
from kernelmap.matching.names.families import RESTORED, Family, kernel_family
from kernelmap.matching.names.legacy import is_common
from kernelmap.matching.situation.draft import Draft
from kernelmap.matching.situation.orders import Order, orders
from kernelmap.matching.situation.situation import Situation
from kernelmap.model import Activity
from kernelmap.model.trace import Bool, Int, Launches


@dataclass(frozen=True, slots=True)
class Walk:
    """One sequence and what was found in it.

    Columns over launches: `rows` of one time it ran, `name` ids, `family`, whether the name is
    `known` from code. `at` has the places of those; `answers` and `runs.of` are columns over them.
    """

    rows: Int
    copies: Int
    whole: bool
    name: Int
    family: Int
    known: Bool
    at: Int
    answers: Answers
    runs: Runs


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The launches of one sequence under known names, ready to be decoded.

    `name`, `family` and `known` are over all its launches, the rest over those `at`. `shape` is
    the same for launches of the same grid and block, -1 where the trace has none.
    """

    order: Order
    name: Int
    family: Int
    known: Bool
    at: Int
    launched: Launched
    fit: Int
    shape: Int


def walks_of(situation: Situation, draft: Draft, spots: Spots) -> list[Walk]:
    """Every sequence of open launches that has some of a known name."""
    reader = _Reader(situation, spots)
    tokens = [
        each for order in orders(situation, draft) if (each := reader.tokens(order)) is not None
    ]
    answers = [reader.decode(each, None) for each in tokens]
    shapes = shapes_of(
        [(each.launched.name, each.shape) for each in tokens], answers, reader.spots_by_name
    )
    if shapes is not None:
        answers = [reader.decode(each, shapes) for each in tokens]
    answers = voted(answers, [len(each.order.copies) for each in tokens])
    return [
        Walk(
            rows=each.order.rows,
            copies=each.order.copies,
            whole=each.order.whole,
            name=each.name,
            family=each.family,
            known=each.known,
            at=each.at,
            answers=own,
            runs=runs_of(own, spots),
        )
        for each, own in zip(tokens, answers, strict=True)
    ]


class _Reader:
    """Reads and decodes the sequences of one situation."""

    def __init__(self, situation: Situation, spots: Spots) -> None:
        self._launches = launches = situation.trace.launches
        self._spots = spots
        self.spots_by_name = [spots.by_name.get(name, ()) for name in launches.names]
        self._known = np.array([bool(each) for each in self.spots_by_name], dtype=bool)
        self._rows = np.array([longest_row(each, spots) for each in self.spots_by_name])
        self._families = _families(launches)
        self._surroundings = Surroundings(situation.program, spots)
        common = [is_common(name) for name in launches.names]
        self._decoder = Decoder(spots, self.spots_by_name, common)

    def tokens(self, order: Order) -> _Tokens | None:
        """What there is to decode in a sequence; None without any known name."""
        launches = self._launches
        name, activity = launches.name_id[order.rows], launches.activity[order.rows]
        family = self._families[name, activity]
        known = self._known[name] & (activity == Activity.KERNEL)
        at = np.flatnonzero(known)
        if not len(at):
            return None
        own = name[at]
        again = _again(own, at, family)
        launched = Launched(own, again, again & (np.diff(at, prepend=at[0]) > 1))
        fit = _fit(self._surroundings, self.spots_by_name, family, own, at)
        rows = order.rows[at]
        shape = mixed(np.concatenate([launches.grid[rows], launches.block[rows]], axis=1))
        return _Tokens(order, name, family, known, at, launched, fit, shape)

    def decode(self, tokens: _Tokens, shapes: Shapes | None) -> Answers:
        """The answers for one sequence; `shapes` if it is known what the spots launch."""
        fits, fit, seen = self._surroundings.fits, tokens.fit, tokens.launched
        if shapes is not None:
            fits, fit = shapes.fits(fits, fit, seen.name, tokens.shape)
        tuned = seen.again & seen.in_cleared_series
        answers = self._decoder.decode(Seen(seen.name, fit, tuned), fits, whole=tokens.order.whole)
        answers = last_of_series(answers, seen, self._spots, self._rows)
        answers = without_series(answers, seen, self._spots)
        answers = without_last_benchmark(answers, seen)
        return without_choosing(answers, seen, self._spots)


def _families(launches: Launches) -> Int:
    """The family of each name as a kernel, a memcpy, a memset; shape (names, 3)."""
    kinds = (Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET)
    table = [[kernel_family(name, kind).value for kind in kinds] for name in launches.names]
    return np.array(table, dtype=np.int64).reshape(-1, len(kinds))


def _again(name: Int, at: Int, family: Int) -> Bool:
    """Whether each launch follows one of its name, but for what benchmarks restore."""
    restored = np.isin(family, [each.value for each in RESTORED])
    others = np.concatenate([[0], np.cumsum(~restored)])
    again = np.zeros(len(at), dtype=bool)
    again[1:] = (name[1:] == name[:-1]) & (others[at[1:]] == others[at[:-1] + 1])
    return again


def _fit(
    surroundings: Surroundings,
    spots_by_name: Sequence[tuple[int, ...]],
    family: Int,
    name: Int,
    at: Int,
) -> Int:
    """Per launch, what the launches since the one before say against the spots of its name."""
    # Known generated kernels are launches of their own; others tell of code that is not given.
    kinds_told = (*TELLING, Family.GENERATED)
    telling = np.flatnonzero(np.isin(family, [each.value for each in kinds_told]))
    own = np.setdiff1d(telling, at, assume_unique=True)
    stop = np.searchsorted(own, at)
    start = np.concatenate([[0], stop[:-1]])
    codes = family[own].astype(np.int8).tobytes()
    known: dict[tuple[int, int, bytes], int] = {}
    kinds = np.empty(len(at), dtype=np.int64)
    before = [-1, *name[:-1].tolist()]
    columns = (before, name.tolist(), start.tolist(), stop.tolist())
    for place, (last, each, first, end) in enumerate(zip(*columns, strict=True)):
        kinds[place] = known.setdefault((last, each, codes[first:end]), len(known))
    times = np.bincount(kinds, minlength=len(known)).tolist()
    usual = usual_families(dict(zip(known, times, strict=True)), spots_by_name)
    fits = [
        surroundings.fit(tuple(map(Family, usual[key])), spots_by_name[key[1]]) for key in known
    ]
    return np.array(fits, dtype=np.int64)[kinds]
