"""A replay on several streams, laid beside what was captured: where each of its launches may stand.

A capture is in the order of the host. A replay without node ids has only times, and streams
overtake one another: only the launches of one stream keep their order. So a replay is a capture if
its streams, each in order, can be dealt out over the places of the capture. What every such way has
in common is known; a launch that stands at several places in different ways may be of any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_MOST_WAYS = 4096
"""States at one place: how far each stream has come. Streams whose kernels bear different names
have one or two. A capture without names has as many as the shorter stream has launches, so this
bounds the time that three such streams take, and no answer. Chosen."""

State = tuple[int, ...]


def find_places(
    streams: Sequence[Sequence[int]], stands: Callable[[int, int], bool]
) -> list[set[int]] | None:
    """The places at which each launch may stand; None where the streams fit in no way.

    `streams` are the launches of each stream, which together are 0, 1, 2, … in some order; there
    are as many places. `stands(launch, place)` says whether a launch may stand there by itself.
    """
    count = sum(map(len, streams))
    # How far each stream may have come before each place, from the first place on.
    reached: list[set[State]] = [{(0,) * len(streams)}]
    for place in range(count):
        after = {
            _step(state, stream)
            for state in reached[place]
            for stream, launches in enumerate(streams)
            if state[stream] < len(launches) and stands(launches[state[stream]], place)
        }
        if not after or len(after) > _MOST_WAYS:
            return None
        reached.append(after)
    # From the last place back: only what leads to the end counts.
    places: list[set[int]] = [set() for _ in range(count)]
    leading = reached[count]
    for place in range(count - 1, -1, -1):
        before = set()
        for state in reached[place]:
            for stream, launches in enumerate(streams):
                if _step(state, stream) in leading and stands(launches[state[stream]], place):
                    before.add(state)
                    places[launches[state[stream]]].add(place)
        leading = before
    return places


def _step(state: State, stream: int) -> State:
    """The state when one stream has come one launch further."""
    return (*state[:stream], state[stream] + 1, *state[stream + 1 :])
