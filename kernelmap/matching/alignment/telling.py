"""How much a run tells: whether code that was not given would hardly launch the same.

Names of their own tell everything. Under names that any kernel may bear, it counts how many kernels
ran in the order of the code, of how many arguments, and which library calls ran where the code has
them: between its kernels, or right before the first and behind the last, where eager work may be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kernelmap.matching.alignment.between import Between
from kernelmap.matching.alignment.surroundings import TELLING
from kernelmap.matching.alignment.walks import Walk
from kernelmap.matching.names.families import Family
from kernelmap.matching.names.legacy import is_common
from kernelmap.model.trace import Bool, Int

_KERNELS, _ARGUMENTS = 6, 12
"""So many kernels in a row are believed under names that many kernels bear, or different ones
with so many arguments together."""
_INSIDE, _BESIDE = 4, 2
"""A library call of a telling family counts as so many arguments."""
_REACH = 4
"""Launches beside a run that are looked at, per library call that the code has there."""

_ARGUMENT = re.compile(r"(?P<digits>\d++)(?P<form>[cde]++)?")


def common(names: Sequence[str]) -> Bool:
    """Mask of the names that any kernel may bear."""
    return np.array([is_common(name) for name in names], dtype=bool)


def _arguments(name: str) -> int:
    """How many arguments a name lists; a digit without a form is one.

    >>> _arguments("triton__0d1d12de"), _arguments("triton_31")
    (3, 2)
    """
    return sum(1 if each["form"] else len(each["digits"]) for each in _ARGUMENT.finditer(name))


def telling(walk: Walk, count: Int, names: Sequence[str], between: Between) -> Bool:
    """Runs that other code would hardly launch; `count` has the kernels of each; shape (runs,)."""
    shared = common(names)
    places = np.flatnonzero(walk.runs.of >= 0)
    run, name = walk.runs.of[places], walk.name[walk.at[places]]
    own = np.bincount(run[~shared[name]], minlength=len(count)) > 0
    pairs = np.unique(run * len(names) + name)
    arguments = np.array([_arguments(name) for name in names], dtype=np.int64)
    weights = arguments[pairs % len(names)]
    total = np.bincount(pairs // len(names), weights=weights, minlength=len(count))
    told = own | (count >= _KERNELS) | (total >= _ARGUMENTS)
    total = total + _called(walk, ~told, between)
    return np.asarray(told | (total >= _ARGUMENTS), dtype=bool)


def _called(walk: Walk, runs: Bool, between: Between) -> Int:
    """What the library calls of the code tell that each of `runs` shows."""
    found = np.zeros(len(runs), dtype=np.int64)
    spot, at, of = walk.answers.spot, walk.at, walk.runs.of
    places = np.flatnonzero(of >= 0)
    places = places[runs[of[places]]]
    known: dict[tuple[int, int, bytes], int] = {}
    for before, after in pairwise(places.tolist()):
        if of[before] != of[after]:
            continue
        launched = walk.family[at[before] + 1 : at[after]]
        key = int(spot[before]), int(spot[after]), launched.tobytes()
        if key not in known:
            known[key] = _shown(between.families(key[0], key[1]), launched.tolist())
        found[of[before]] += _INSIDE * known[key]
    for run in np.flatnonzero(runs).tolist():
        first, last = int(walk.runs.first[run]), int(walk.runs.last[run])
        head = between.families_before(int(spot[first]))[::-1]
        tail = between.families_after(int(spot[last]))
        low = int(at[first - 1]) + 1 if first else 0
        high = int(at[last + 1]) if last + 1 < len(at) else len(walk.family)
        ahead = walk.family[max(low, int(at[first]) - _REACH * len(head)) : at[first]][::-1]
        behind = walk.family[at[last] + 1 : min(high, int(at[last]) + 1 + _REACH * len(tail))]
        found[run] += _BESIDE * (_shown(head, ahead.tolist()) + _shown(tail, behind.tolist()))
    return found


def _shown(wanted: Sequence[Family], launched: list[int]) -> int:
    """How many of the families `wanted` that tell something were launched, in their order."""
    shown = 0
    for family in wanted:
        if family.value in launched:
            launched = launched[launched.index(family.value) + 1 :]
            shown += family in TELLING
    return shown
