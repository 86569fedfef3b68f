"""Launch names in launch order → the spot that each stands at, and how far ahead that answer is.

A path walks through the graphs' spots: it starts anywhere, goes on to the next spot for nothing,
leaves a graph at its end and enters any at its start for nothing. What costs is listed in `Costs`;
the cheapest path explains the launches best. The work is linear: of all ways to come from another
graph only the best one so far counts (one number), and within a graph only the few spots that can
be reached for less than that.

For every launch and spot the cost of the best path through both is known (forward plus backward),
so the second best answer is known as well: the difference is the margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelmap.matching.spots import Spots

_NEVER = -(10**15)
_Near = list[list[tuple[int, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a path pays: logarithms of odds, as whole numbers, so that equal paths cost the same."""

    lost: int = 40
    """A spot that has to run is not seen."""
    stray: int = 40
    """A launch under a known name belongs to no call."""
    tuned: int = 40
    """The launches right before one under the same name are the autotuner's benchmarks."""
    benchmark: int = 2
    """Each of them."""
    edge: int = 40
    """A graph is entered after its start, or left before its end, however far."""


COSTS = Costs()

CLEAR = 30
"""A margin from which one answer is clearly ahead: nearly one lost event."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Where one launch stands: the best `spot` (-1: none), and all that are not clearly worse.

    `margin` is how much more the second best costs, infinite where there is none.
    """

    spot: int
    margin: int
    alternatives: tuple[int, ...]


def decode(
    tokens: Sequence[tuple[int, ...]],
    fits: Sequence[tuple[int, ...]],
    names: Sequence[int],
    spots: Spots,
) -> list[Answer]:
    """The answer for each launch.

    `tokens` holds the spots that bear the launch's name, `fits` what speaks against each of them
    (0 or less), `names` a number per name; all in launch order, shape (launches,).
    """
    before = _benchmarks_before(tokens, names, spots)
    forward = _forward(tokens, fits, before, spots)
    backward = _backward(tokens, fits, before, spots)
    totals = [
        [ahead + behind for ahead, behind in zip(one, other, strict=True)]
        for one, other in zip(forward, backward, strict=True)
    ]
    best = max((max(each) for each in totals if each), default=0)
    return [_answer(token, total, best, spots) for token, total in zip(tokens, totals, strict=True)]


def _answer(token: Sequence[int], total: Sequence[int], best: int, spots: Spots) -> Answer:
    ranked = sorted(zip(total, token, strict=True), key=lambda each: (-each[0], each[1]))
    top, spot = ranked[0]
    if top < best - CLEAR:
        return Answer(-1, best - top, ())
    close = tuple(each for value, each in ranked if value > best - CLEAR)
    second = ranked[1][0] if len(ranked) > 1 else _NEVER
    if top < best:
        # Another launch stands here on the best path: this one may be none of the code's.
        return Answer(-1, best - top, close)
    return Answer(spot, min(top - second, COSTS.stray + _missed(spots, spot)), close)


def _missed(spots: Spots, spot: int) -> int:
    """What it costs to leave `spot` out, where the rest of its graph is seen."""
    alone = spots.before[spot] + spots.after[spot] == 0
    return 0 if alone or not spots.certain[spot] else COSTS.lost


def _benchmarks_before(
    tokens: Sequence[tuple[int, ...]], names: Sequence[int], spots: Spots
) -> list[int]:
    """How many launches under the same name come right before each.

    0 for names whose calls follow each other in the code: there a row of launches is no sign.
    """
    natural = {
        name
        for name, token in dict(zip(names, tokens, strict=True)).items()
        if any(spot + 1 in token and spots.graph[spot] == spots.graph[spot + 1] for spot in token)
    }
    counts: list[int] = []
    for at, name in enumerate(names):
        again = at > 0 and names[at - 1] == name and name not in natural
        counts.append(counts[-1] + 1 if again else 0)
    return counts


def _saved(count: int) -> int:
    """What a path saves where `count` launches are benchmarks instead of strays."""
    return count * (COSTS.stray - COSTS.benchmark) - COSTS.tuned if count else 0


class _Front:
    """The best paths so far: by the spot they stand at, and the best one to leave a graph."""

    def __init__(self, enter: Sequence[int], leave: Sequence[int], near: _Near) -> None:
        self._enter, self._leave, self._near = enter, leave, near
        self._reached = [_NEVER] * len(enter)
        self._hub = _NEVER

    def value(self, spot: int) -> int:
        """The best path to `spot`; 0 for one that begins there, as the window may."""
        value = max(0, self._hub - self._enter[spot])
        reached = self._reached
        for source, cost in self._near[spot]:
            value = max(value, reached[source] - cost)
        return value

    def extend(self, spot: int, value: int) -> None:
        """Note a path that stands at `spot`."""
        self._reached[spot] = max(self._reached[spot], value)
        self._hub = max(self._hub, value - self._leave[spot])


def _forward(
    tokens: Sequence[tuple[int, ...]],
    fits: Sequence[tuple[int, ...]],
    before: Sequence[int],
    spots: Spots,
) -> list[list[int]]:
    """Per launch and spot, the best path up to it, the launch explained."""
    front = _Front(_enter(spots), _leave(spots), [_near(spots, s) for s in range(len(spots))])
    found: list[list[int]] = []
    fresh: list[int] = []
    for token, fit, count in zip(tokens, fits, before, strict=True):
        values = [front.value(spot) for spot in token]
        if count == 0:
            fresh = values
        elif (saved := _saved(count)) > 0:
            # As if the run of equal names had not been: they were benchmarks.
            values = [max(one, other + saved) for one, other in zip(values, fresh, strict=True)]
        values = [value + COSTS.stray + each for value, each in zip(values, fit, strict=True)]
        for spot, value in zip(token, values, strict=True):
            front.extend(spot, value)
        found.append(values)
    return found


def _backward(
    tokens: Sequence[tuple[int, ...]],
    fits: Sequence[tuple[int, ...]],
    before: Sequence[int],
    spots: Spots,
) -> list[list[int]]:
    """Per launch and spot, the best path from it to the end, the launch itself left out."""
    front = _Front(_leave(spots), _enter(spots), _reversed(spots))
    found: list[list[int]] = []
    waiting: list[tuple[int, int]] = []
    for token, fit, count in zip(reversed(tokens), reversed(fits), reversed(before), strict=True):
        values = [front.value(spot) for spot in token]
        found.append(values)
        for spot, value, each in zip(token, values, fit, strict=True):
            reached = value + COSTS.stray + each
            front.extend(spot, reached)
            if _saved(count) > 0:
                waiting.append((spot, reached + _saved(count)))
        if count == 0:
            # The run of equal names begins here: what was left out of it counts from now on.
            for spot, value in waiting:
                front.extend(spot, value)
            waiting.clear()
    return found[::-1]


def _enter(spots: Spots) -> list[int]:
    return [min(COSTS.edge, COSTS.lost * count) for count in spots.before]


def _leave(spots: Spots) -> list[int]:
    return [min(COSTS.edge, COSTS.lost * count) for count in spots.after]


def _near(spots: Spots, spot: int) -> list[tuple[int, int]]:
    """The spots that come right before `spot` in its graph, with the cost of what lies between."""
    found: list[tuple[int, int]] = []
    cost, source = 0, spot - 1
    while source >= 0 and spots.graph[source] == spots.graph[spot] and cost <= 2 * COSTS.edge:
        found.append((source, cost))
        cost += COSTS.lost if spots.certain[source] else 0
        source -= 1
    first = spots.loop[spot]
    if first >= 0:
        # A loop comes back: from any of its spots, this one included, to any other.
        at = spot
        while at < len(spots) and spots.loop[at] == first:
            found.append((at, 0))
            at += 1
    return found


def _reversed(spots: Spots) -> _Near:
    """`_near` the other way round: what comes right after each spot."""
    found: _Near = [[] for _ in range(len(spots))]
    for spot in range(len(spots)):
        for source, cost in _near(spots, spot):
            found[source].append((spot, cost))
    return found
