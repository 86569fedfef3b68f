"""Where launches stand among the spots, and how far ahead that answer is: records and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

CLEAR = 30
"""A margin from which one answer is clearly ahead: nearly one lost event."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Where one launch stands: the best `spot` (-1: none), and all that are not clearly worse.

    `margin` is how much more the second best costs, `second` its spot (-1: none).
    """

    spot: int
    margin: int
    second: int
    alternatives: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers as columns (launches,); `several` has the alternatives where no spot is clear."""

    spot: NDArray[np.int64]
    margin: NDArray[np.int64]
    second: NDArray[np.int64]
    several: Mapping[int, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.spot)

    def __iter__(self) -> Iterator[Answer]:
        return map(self.at, range(len(self)))

    def at(self, place: int) -> Answer:
        """The answer for one launch."""
        spot = int(self.spot[place])
        own = self.several.get(place, () if spot < 0 else (spot,))
        return Answer(spot, int(self.margin[place]), int(self.second[place]), own)

    def without(self, places: Sequence[int]) -> Answers:
        """The same, but the launches at `places` stand nowhere."""
        spot = self.spot.copy()
        spot[list(places)] = -1
        return replace(self, spot=spot)

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        """Answers for launches that follow each other."""
        nothing = np.empty(0, dtype=np.int64)
        several: dict[int, tuple[int, ...]] = {}
        first = 0
        for part in parts:
            several.update((first + place, spots) for place, spots in part.several.items())
            first += len(part)
        return cls(
            np.concatenate([nothing, *(part.spot for part in parts)]),
            np.concatenate([nothing, *(part.margin for part in parts)]),
            np.concatenate([nothing, *(part.second for part in parts)]),
            several,
        )
