"""What a matching is worth, held against the truth of a simulated world.

`judge` compares launch by launch; tallies of many worlds add up. Shares are of GPU time.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from kernelmap.matching import Match  # noqa: E402 -- after the line above
from kernelmap.model import CompiledProgram, Confidence  # noqa: E402 -- as above
from worlds.undecidable import MOST  # noqa: E402 -- as above
from worlds.world import Truth  # noqa: E402 -- as above

BANDS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999)
"""Lower ends of the bands of the posterior."""

Call = tuple[str, int]


class Seen(NamedTuple):
    """What was said of a launch.

    `inside`: a given call made it. `right`: what was said is true: the call that is claimed, one of
    those that are named, or that there is none. `covered`: it got a call, or nobody can decide and
    all candidates are named.
    """

    confidence: Confidence
    inside: bool
    right: bool
    covered: bool


@dataclass(slots=True)
class Tally:
    """Time by what was said, by graph (time, and how much of it is covered), and by posterior.

    `bands` counts launches that got a call, `calls` the calls of a world that did: a mistake that
    repeats in every invocation is one mistake. Keys: the band, and whether it is right. `withheld`:
    code that ran was not given.
    """

    times: Counter[Seen] = field(default_factory=Counter)
    graphs: Counter[tuple[str, bool]] = field(default_factory=Counter)
    bands: Counter[tuple[float, bool]] = field(default_factory=Counter)
    calls: Counter[tuple[float, bool]] = field(default_factory=Counter)
    launches: int = 0
    withheld: bool = False

    def __iadd__(self, other: Tally) -> Self:
        self.times += other.times
        self.graphs += other.graphs
        self.bands += other.bands
        self.calls += other.calls
        self.launches += other.launches
        self.withheld |= other.withheld
        return self

    def share(self, confidence: Confidence) -> float | None:
        """The share of compiled time that got `confidence`; None without compiled time."""
        return _ratio(self._sum(confidence, inside=True), self._sum(inside=True))

    def right(self, confidence: Confidence) -> float | None:
        """The share of what got `confidence`, outside launches included, that is true."""
        return _ratio(self._sum(confidence, right=True), self._sum(confidence))

    @property
    def covered(self) -> float | None:
        """The share of compiled time that got a call, or all candidates where nobody can decide."""
        return _ratio(self._sum(inside=True, covered=True), self._sum(inside=True))

    @property
    def worst(self) -> float | None:
        """The same for the graph for which it is least."""
        names = {name for name, _ in self.graphs}
        shares = [
            self.graphs[name, True] / (self.graphs[name, True] + self.graphs[name, False])
            for name in names
        ]
        return min(shares, default=None)

    @property
    def claimed(self) -> float | None:
        """The share of all other time that was given to a call."""
        said = sum(
            self._sum(confidence, inside=False)
            for confidence in (Confidence.EXACT, Confidence.INFERRED)
        )
        return _ratio(said, self._sum(inside=False))

    def _sum(
        self,
        confidence: Confidence | None = None,
        *,
        inside: bool | None = None,
        right: bool | None = None,
        covered: bool | None = None,
    ) -> int:
        wanted = (confidence, inside, right, covered)
        return sum(
            time
            for seen, time in self.times.items()
            if all(want in (None, has) for want, has in zip(wanted, seen, strict=True))
        )


def judge(given: CompiledProgram, result: Match, truth: Sequence[Truth], world: str) -> Tally:
    """Compare `result` with the truth; `world` keeps the graphs of several worlds apart."""
    tally = Tally(launches=len(truth))
    ids = {graph.id for graph in given.graphs}
    # Graphs that only the trace knows are no answer here.
    calls = [(graph.id, call.index) for graph, call in result.program.calls]
    posterior = posterior_of(result)
    matching = result.matching
    # lists: to take single values out of arrays would cost most of the time
    said = zip(
        truth,
        matching.call.tolist(),
        matching.confidence.tolist(),
        [np.nan] * len(truth) if posterior is None else posterior.tolist(),
        strict=True,
    )
    claims: dict[Call, list[tuple[float, bool]]] = {}
    for row, (true, call, stated, probability) in enumerate(said):
        named = [calls[at] for at in ([call] if call >= 0 else matching.candidates_of(row))]
        confidence = Confidence(stated)
        if call >= 0 and named[0][0] not in ids:
            confidence, named = Confidence.UNKNOWN, []
        true_call = None if true.call is None or true.graph is None else (true.graph, true.call)
        inside = true_call is not None and true_call[0] in ids
        right = true_call in named if named else not inside
        seen = Seen(confidence, inside, right, _covered(confidence, named, true, ids))
        tally.times[seen] += true.dur_ns
        if inside:
            tally.graphs[f"{world} {true.graph}", seen.covered] += true.dur_ns
        if len(named) == 1 and not isnan(probability):
            tally.bands[band_of(probability), right] += 1
            claims.setdefault(named[0], []).append((probability, right))
    for claimed in claims.values():
        mean = sum(value for value, _ in claimed) / len(claimed)
        right = sum(is_right for _, is_right in claimed) * 2 > len(claimed)
        tally.calls[band_of(mean), right] += 1
    return tally


def posterior_of(result: Match) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """The probability of the call of each launch, NaN where there is none; None without any."""
    values = getattr(result, "posterior", None)
    return None if values is None else np.asarray(values, dtype=np.float64)


def band_of(value: float) -> float:
    """The lower end of the band that a posterior lies in."""
    return max(lower for lower in BANDS if lower <= value)


def _covered(confidence: Confidence, named: Sequence[Call], true: Truth, given: set[str]) -> bool:
    if confidence in (Confidence.EXACT, Confidence.INFERRED):
        return True
    candidates = {candidate for candidate in true.candidates if candidate[0] in given}
    is_named = len(candidates) > 1 and candidates <= set(named) and len(named) <= MOST
    return confidence is Confidence.AMBIGUOUS and is_named


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
