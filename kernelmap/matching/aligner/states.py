"""The states of the model: what a launch may be, such as a call's kernel, a stranger, a benchmark.

States are numbered; state 0 is the background, work that belongs to no call. A generated call has a
state per device name, a library call has places: some preludes, the main kernel, some followers.
Every call has a state for a stranger's launch behind it, and one that the autotuner measures has
states for clearing and for measured launches. Every class of graphs has states for what runs right
before and right after it, if that is the same each time: eager work has habits, too.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.tokens import Tokens
from kernelmap.matching.names.expectations import EXPECTED
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

Float = NDArray[np.float64]

# The most launches that any operator family has before and behind its main kernel, so that places
# have the same numbers in all library calls.
PRELUDES, FOLLOWERS = (max(each.most[side] for each in EXPECTED.values()) for side in (0, 1))
AROUND = 4
"""Launches on each side of a graph that may be the same each time; farther out all is background.
More states cost time; with fewer, longer eager work beside a graph looks like strangers. Chosen."""


class StateKind(IntEnum):
    """What a state emits."""

    BACKGROUND = 0
    GENERATED = 1
    PRELUDE = 2
    MAIN = 3
    FOLLOWER = 4
    STRANGER = 5
    CLEARING = 6
    MEASURED = 7
    BEFORE = 8
    AFTER = 9


class States(Struct, frozen=True, kw_only=True):
    """The states of all sites, before any rate is known; columns over states."""

    kind: Int
    site: Int
    place: Int
    word: Int
    stranger: Int


def states_of(sites: Sites, tokens: Tokens, tuned: Bool, kept: Bool) -> States:
    """States of the sites; `tuned` are words that the autotuner measured.

    `kept` says which places of library calls there are; shape (sites, 1 + places).
    """
    numbers = {name: number for number, name in enumerate(tokens.words)}
    # One row per state: kind, call site, place in the call, word, and the state that a stranger's
    # launch behind it leads to. Site and word are -1 where the state has none.
    rows: list[tuple[int, int, int, int, int]] = [(StateKind.BACKGROUND, NONE, 0, NONE, 0)]
    for site, names in enumerate(sites.names):
        # Only the device names that ran have states: a call may have several, where one of several
        # kernels is chosen at run time.
        words = sorted(numbers[name] for name in names if name in numbers)
        first = len(rows)
        of_site: list[tuple[int, int, int]] = []
        if names:
            of_site += [(StateKind.GENERATED, 0, word) for word in words]
            if tuned[words].any():
                of_site += [(StateKind.MEASURED, 0, word) for word in words]
                of_site.append((StateKind.CLEARING, 0, NONE))
        else:
            places = np.flatnonzero(kept[site]).tolist()
            of_site += [(_kind_of_place(place), place, NONE) for place in places]
        of_site.append((StateKind.STRANGER, 0, NONE))
        # The last state of a site is the stranger behind it, to which all its states lead.
        stranger = first + len(of_site) - 1
        rows += [(kind, site, place, word, stranger) for kind, place, word in of_site]
    # Per class: the launches before its first call and behind its last one. Each leads to the next
    # state number, and a stranger behind them is the background (state 0).
    bounds = sites.bounds
    for number in range(len(sites.members)):
        first, last = int(bounds[number]), int(bounds[number + 1]) - 1
        # From the outermost to the innermost, and the other way round.
        rows += [(StateKind.BEFORE, first, AROUND - 1 - at, NONE, 0) for at in range(AROUND)]
        rows += [(StateKind.AFTER, last, at, NONE, 0) for at in range(AROUND)]
    kind, site_, place_, word_, stranger_ = np.array(rows, dtype=np.int64).T
    return States(kind=kind, site=site_, place=place_, word=word_, stranger=stranger_)


def _kind_of_place(place: int) -> StateKind:
    """Places are numbered: the preludes, the main kernel, the followers."""
    if place < PRELUDES:
        return StateKind.PRELUDE
    return StateKind.MAIN if place == PRELUDES else StateKind.FOLLOWER
