"""Launch names in launch order → the spot that each stands at, and how far ahead that answer is.

A path walks through the graphs' spots: it starts anywhere, goes on to the next spot for nothing,
leaves a graph at its end and enters any at its start for nothing. What costs is listed in
`front.Costs`; the cheapest path explains the launches best. The work is linear: of all ways to come
from another graph only the best one so far counts (one number), and within a graph only the few
spots that can be reached for less than that.

For every launch and spot the worth of the best path through both is known (forward plus backward),
so the second best answer is known as well: the difference is the margin. Long sequences are cut
into overlapping windows, and many windows are walked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelmap.matching.alignment.answers import CLEAR, Answers
from kernelmap.matching.alignment.front import COSTS, NEVER, Front, Names, Worth, moves
from kernelmap.matching.alignment.spots import Spots, longest_row
from kernelmap.model.trace import Bool

_WINDOW = 2048  # launches that one window decides
_OVERLAP = 256  # launches around them that it sees
_ROOM = 1 << 24  # launches times spots that are worked on at once


@dataclass(frozen=True, slots=True)
class Seen:
    """One sequence of launches in launch order, columns (launches,).

    `name` points into the decoder's names, `fit` into its fits; `again` says whether a launch
    follows one of the same name as it would follow its benchmarks.
    """

    name: NDArray[np.int64]
    fit: NDArray[np.int64]
    again: Bool


@dataclass(frozen=True, slots=True)
class _Kinds:
    """Columns over names: whether a row of them is `natural`, and what a `stray` costs."""

    natural: Bool
    stray: NDArray[np.int32]


class Decoder:
    """Decodes sequences of launches against the spots that bear their names.

    `common` says which names any kernel may bear.
    """

    def __init__(
        self, spots: Spots, spots_by_name: Sequence[tuple[int, ...]], common: Sequence[bool]
    ) -> None:
        self._names = Names.of(spots_by_name, len(spots))
        self._ahead, self._behind = moves(spots, self._names)
        # Where calls under one name follow each other, a row is no sign of tuning.
        rows = [longest_row(each, spots) > 1 for each in spots_by_name]
        strays = [COSTS.common if each else COSTS.stray for each in common]
        self._kinds = _Kinds(
            np.array([*rows, True], dtype=bool), np.array([*strays, 0], dtype=np.int32)
        )

    def decode(self, seen: Seen, fits: Sequence[Sequence[int]], *, whole: bool = False) -> Answers:
        """The answer for each launch.

        Each of `fits` says what speaks against the spots of a name, 0 or less. Only a sequence that
        is `whole` begins and ends where graphs do: a window cuts anywhere.
        """
        count, width = len(seen.name), self._names.spot.shape[1]
        table = np.zeros((len(fits) + 1, width), dtype=np.int32)
        for row, fit in enumerate(fits):
            table[row, : len(fit)] = fit
        size = count if whole else _WINDOW
        starts = range(0, count, size or 1)
        at_once = max(1, _ROOM // ((min(size, count) + 2 * _OVERLAP) * width))
        parts: list[Answers] = []
        for first in range(0, len(starts), at_once):
            chosen = list(starts[first : first + at_once])
            windows = [range(max(0, s - _OVERLAP), min(count, s + size + _OVERLAP)) for s in chosen]
            batch = _Batch(self._names, seen, table, self._kinds, windows)
            walked = batch.walk(Front(self._names, self._ahead, len(windows), whole=whole))
            back = batch.back(Front(self._names, self._behind, len(windows), whole=whole))
            for row, (start, window) in enumerate(zip(chosen, windows, strict=True)):
                kept = slice(start - window.start, min(start + size, count) - window.start)
                long = len(window)
                spots = self._names.spot[seen.name[window.start : window.stop]]
                found = (walked.ahead[:long, row], walked.without[:long, row], back[:long, row])
                parts.append(_answers(*found, spots, kept))
        return Answers.joined(parts)


@dataclass(frozen=True, slots=True)
class _Walked:
    """Worth up to each launch, and with the launch before left out: (launches, windows, spots)."""

    ahead: Worth
    without: Worth


class _Batch:
    """Windows of one sequence, walked side by side; shorter ones are filled up with no name."""

    def __init__(
        self,
        names: Names,
        seen: Seen,
        fits: Worth,
        kinds: _Kinds,
        windows: Sequence[range],
    ) -> None:
        length = max(map(len, windows))
        nameless, fitless = len(names.spot) - 1, len(fits) - 1
        self._name = np.full((length, len(windows)), nameless, dtype=np.int64)
        fit = np.full((length, len(windows)), fitless, dtype=np.int64)
        before = np.zeros((length, len(windows)), dtype=np.int32)
        for row, window in enumerate(windows):
            part = slice(window.start, window.stop)
            self._name[: len(window), row] = seen.name[part]
            fit[: len(window), row] = seen.fit[part]
            again = seen.again[part] & ~kinds.natural[seen.name[part]]
            again[0] = False
            before[: len(window), row] = _run_lengths(again)
        self._fit, self._fits = fit, fits
        self._begins = before == 0
        self._stray = kinds.stray[self._name]
        saved = before * (self._stray - COSTS.benchmark) - COSTS.tuned
        self._saved = np.where((before > 0) & (saved > 0), saved, NEVER).astype(np.int32)
        # Most sequences have no benchmarks: nothing of them has to be carried along then.
        self._tunes = bool((self._saved > 0).any())
        self._shape = (length, len(windows), names.spot.shape[1])

    def walk(self, front: Front) -> _Walked:
        """Per launch and spot, the best path up to it, the launch explained."""
        ahead = np.empty(self._shape, dtype=np.int32)
        without = np.full(self._shape, NEVER, dtype=np.int32)
        fresh = np.full(self._shape[1:], NEVER, dtype=np.int32)
        for at in range(len(self._name)):
            values = front.values(self._name[at])
            if self._tunes:
                fresh = np.where(self._begins[at][:, None], values, fresh)
            ahead[at] = self._tuned(values, fresh, at) + self._gain(at)
            if at + 1 < len(self._name):
                left_out = front.values(self._name[at + 1])
                without[at + 1] = self._tuned(left_out, fresh, at + 1) + self._gain(at + 1)
            front.extend(self._name[at], ahead[at])
        return _Walked(ahead, without)

    def back(self, front: Front) -> Worth:
        """Per launch and spot, the best path from it to the end, the launch itself left out."""
        behind = np.empty(self._shape, dtype=np.int32)
        waiting = np.full(self._shape[1:], NEVER, dtype=np.int32)
        for at in range(len(self._name) - 1, -1, -1):
            behind[at] = front.values(self._name[at])
            reached = behind[at] + self._gain(at)
            front.extend(self._name[at], reached)
            if not self._tunes:
                continue
            saved = self._saved[at][:, None]
            waiting = np.where(saved > 0, np.maximum(waiting, reached + saved), waiting)
            begins = self._begins[at][:, None]
            if begins.any() and (waiting > 0).any():
                # The run of equal names begins: what was left out of it counts from now on.
                front.extend(self._name[at], np.where(begins, waiting, NEVER))
                waiting = np.where(begins, NEVER, waiting)
        return behind

    def _gain(self, at: int) -> Worth:
        """What it is worth to explain the launches `at`, by spot."""
        gain: Worth = self._fits[self._fit[at]] + self._stray[at][:, None]
        return gain

    def _tuned(self, values: Worth, fresh: Worth, at: int) -> Worth:
        """`values`, or what they are if the launches since `fresh` were benchmarks."""
        if not self._tunes:
            return values
        saved = self._saved[at][:, None]
        return np.where(saved > 0, np.maximum(values, fresh + saved), values)


def _answers(
    ahead: Worth, without: Worth, behind: Worth, spots: NDArray[np.int64], kept: slice
) -> Answers:
    """What the walks through one window, shapes (launches, spots), say of the launches `kept`.

    `spots` are those of the launches' names.
    """
    totals = ahead + behind
    best = int(totals.max())
    # What the best path is worth that leaves out each launch and goes on with the next one.
    skipped = np.append((without[1:] + behind[1:]).max(axis=1), ahead[:-1].max(initial=0))[kept]
    totals, spots = totals[kept], spots[kept]
    rows = np.arange(len(totals))
    at = totals.argmax(axis=1)
    top, chosen = totals[rows, at], spots[rows, at]
    close = totals > best - CLEAR
    others = totals.copy()
    others[rows, at] = NEVER
    other = others.argmax(axis=1)
    behind_other, behind_none = top - others[rows, other], best - skipped
    # Where another launch stands on the best path, this one may be none of the code's.
    on_path = top == best
    second = np.where(behind_other < behind_none, spots[rows, other], -1)
    return Answers(
        np.where(on_path, chosen, -1),
        np.where(on_path, np.minimum(behind_none, behind_other), best - top).astype(np.int64),
        np.where(on_path, second, chosen),
        {
            place: tuple(spots[place][close[place]].tolist())
            for place in np.flatnonzero(close.sum(axis=1) > on_path).tolist()
        },
    )


def _run_lengths(again: Bool) -> NDArray[np.int32]:
    """How many launches in a row came before each."""
    rows = np.arange(len(again), dtype=np.int32)
    starts = np.maximum.accumulate(np.where(again, 0, rows))
    return (rows - starts).astype(np.int32)
