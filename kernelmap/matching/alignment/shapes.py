"""What calls launch, learned: a call with fixed sizes has the same grid and block every time.

Takes answers of a first pass and the shape (grid and block, as one number) of every launch. Where
the clear launches at a spot nearly all have one shape, that is the spot's own, and a launch of
another one speaks against the spot. It tells calls of one name apart, in a second pass: which of
two was lost, and what a benchmark of another config is. Sizes that change from run to run teach
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.alignment.answers import CLEAR, Answers
from kernelmap.model.trace import Int

_ENOUGH, _SHARE = 3, 0.9
"""So many clear launches at a spot, and this share of them, have to be of one shape."""
_OTHER = 35
"""Another shape than the spot's own: clearly worse, but less than a lost event."""
_OPEN = 0.002
"""Share of the launches that has to be open for a second pass."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shape of each spot under each name that has spots of different ones, -1 if not known."""

    by_name: dict[int, tuple[int, ...]]

    def fits(
        self, known: Sequence[Sequence[int]], fit: Int, name: Int, shape: Int
    ) -> tuple[list[list[int]], Int]:
        """`known` fits and the `fit` of each launch, with what its shape says against the spots."""
        telling = np.isin(name, list(self.by_name)) & (shape >= 0)
        keys = np.stack([fit, np.where(telling, name, -1), np.where(telling, shape, -1)])
        order = np.lexsort(keys)
        fresh = np.append(True, (np.diff(keys[:, order], axis=1) != 0).any(axis=0))
        number = np.empty(len(name), dtype=np.int64)
        number[order] = np.cumsum(fresh) - 1
        rows = [
            self._row(known[old], own, seen) for old, own, seen in keys[:, order[fresh]].T.tolist()
        ]
        return rows, number

    def _row(self, known: Sequence[int], name: int, shape: int) -> list[int]:
        if name < 0:
            return list(known)
        return [
            cost - (_OTHER if own not in (-1, shape) else 0)
            for cost, own in zip(known, self.by_name[name], strict=True)
        ]


def shapes_of(
    seen: Sequence[tuple[Int, Int]],
    answers: Sequence[Answers],
    spots_by_name: Sequence[tuple[int, ...]],
) -> Shapes | None:
    """What the clear `answers` teach; None where nothing is open, or shapes tell nothing apart.

    `seen` has names and shapes of the launches of each sequence.
    """
    total = sum(map(len, answers))
    unclear = sum(int((each.margin < CLEAR).sum()) for each in answers)
    if unclear <= _OPEN * total:
        return None
    own = _own_shapes([shape for _, shape in seen], answers)
    by_name = {}
    for name in {name for names, _ in seen for name in np.unique(names).tolist()}:
        shapes = tuple(own.get(spot, -1) for spot in spots_by_name[name])
        if len(set(shapes) - {-1}) > 1:
            by_name[name] = shapes
    return Shapes(by_name) if by_name else None


def _own_shapes(shapes: Sequence[Int], answers: Sequence[Answers]) -> dict[int, int]:
    """The shape that nearly all clear launches at a spot have, by spot."""
    clear = [(each.spot >= 0) & (each.margin >= CLEAR) for each in answers]
    spot = np.concatenate([each.spot[own] for each, own in zip(answers, clear, strict=True)])
    shape = np.concatenate([each[own] for each, own in zip(shapes, clear, strict=True)])
    order = np.lexsort((shape, spot))
    spot, shape = spot[order], shape[order]
    starts = np.flatnonzero(np.append(True, (np.diff(spot) != 0) | (np.diff(shape) != 0)))
    if not len(spot):
        return {}
    times = np.diff(np.append(starts, len(spot)))
    stand = np.bincount(spot)
    usual = (times >= _ENOUGH) & (times >= _SHARE * stand[spot[starts]])
    return dict(zip(spot[starts][usual].tolist(), shape[starts][usual].tolist(), strict=True))
