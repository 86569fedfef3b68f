"""Tells which of several compilations of a function ran, by the other half (forward or backward).

A function that was compiled for the sizes of its first inputs, and then for any, has two graphs
that launch the same at the first sizes. Each invocation fits both as well; what the model learns is
a habit of whichever it took first, and no evidence. Their backward graphs may differ, though, and
the backward graph that runs is of the same compilation as the forward graph before it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from kernelmap.matching.aligner.once import TOGETHER, Looked
from kernelmap.matching.aligner.sites import Sites
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

_AS_WELL = 0.5
"""A class fits an invocation as well as the likeliest from this share of its probability on.

Two that launch the same have equal shares (sample_traces/cuda_dynamic_recompile: 0.5 each); what
fits worse, by a grid or a library kernel, has lost more than half at the first such launch.
"""


class Told(Struct, frozen=True):
    """Invocations whose compilation their other half tells: columns over launches, and pairs.

    `here` marks their launches, `site` is the call site of each in the graph that ran (-1: none),
    and the site as it was elsewhere. `looked` has the pairs that this leaves.
    """

    here: Bool
    site: Int
    looked: Looked


def told_by_other_half(
    looked: Looked, site: Int, run: Int, of_run: Int, sequence_of_run: Int, sites: Sites
) -> Told | None:
    """What the other halves of compilations tell of invocations that fit several; None for nothing.

    `site` and `run` are over launches, `of_run`, the class, and its sequence over invocations.
    """
    if not len(looked.place) or not (sites.other_half != NONE).any():
        return None
    # Which graphs fit each invocation, and which of these the other half of its compilation leaves.
    fits = _find_fitting_classes(looked, run, of_run, sites)
    chosen = _settle_by_other_half(fits, of_run, sequence_of_run, sites) if fits else {}
    if not chosen:
        return None
    class_of_run = np.full(len(of_run) + 1, NONE, dtype=np.int64)  # at last for no invocation
    class_of_run[list(chosen)] = list(chosen.values())
    # Over launches: the class that their invocation turned out to be of, -1 where nothing told.
    wanted = class_of_run[run]
    here = wanted != NONE
    # What was probable for a compilation that did not run is for the one that did, or for no call.
    of_pair = wanted[looked.place]
    kept = (of_pair == NONE) | (looked.site == NONE) | (sites.of[looked.site] == of_pair)
    place, its_site, share = looked.place[kept], looked.site[kept], looked.share[kept]
    # The shares that are left are scaled to 1 again, launch by launch.
    dropped = np.bincount(looked.place[~kept], looked.share[~kept], minlength=len(run))
    share /= np.maximum(1 - dropped, np.finfo(np.float64).eps)[place]
    likeliest = np.full(len(run), NONE, dtype=np.int64)
    order = np.argsort(share, kind="stable")  # the last one written is the likeliest
    order = order[its_site[order] != NONE]
    likeliest[place[order]] = its_site[order]
    return Told(here, np.where(here, likeliest, site), Looked(place, its_site, share))


def _find_fitting_classes(
    looked: Looked, run: Int, of_run: Int, sites: Sites
) -> Mapping[int, frozenset[int]]:
    """The classes that fit each invocation, where these are several, its own among them."""
    runs, classes = len(of_run), len(sites.members)
    # The mean share of each class over the launches of an invocation: one row per pair of both. A
    # class that fits only some of the launches gets 0 for the others.
    inside = (run[looked.place] != NONE) & (looked.site != NONE)
    place, share = looked.place[inside], looked.share[inside]
    key = run[place] * classes + sites.of[looked.site[inside]]
    keys, at = np.unique(key, return_inverse=True)
    total = np.bincount(at, share).astype(np.float64)
    launches = np.bincount(run[np.unique(looked.place[run[looked.place] != NONE])], minlength=runs)
    of, run_of_key = keys % classes, keys // classes
    total /= launches[run_of_key]
    # Where these hold less than TOGETHER, something else is as probable.
    # Over invocations: the share of the class that fits best; then what all that fit as well hold.
    most = np.zeros(runs)
    np.maximum.at(most, run_of_key, total)
    as_well = total >= _AS_WELL * most[run_of_key]
    together = np.bincount(run_of_key[as_well], total[as_well], minlength=runs)
    count = np.bincount(run_of_key[as_well], minlength=runs)
    several = as_well & ((count > 1) & (together >= TOGETHER))[run_of_key]
    fits: dict[int, set[int]] = {}
    for number, fitting in zip(run_of_key[several].tolist(), of[several].tolist(), strict=True):
        fits.setdefault(number, set()).add(fitting)
    return {
        number: frozenset(fitting)
        for number, fitting in fits.items()
        if int(of_run[number]) in fitting
    }


def _settle_by_other_half(
    fits: Mapping[int, frozenset[int]], of_run: Int, sequence_of_run: Int, sites: Sites
) -> dict[int, int]:
    """The class of each invocation of several that its other half settles.

    Backward graphs run in the reverse order of their forward graphs: the last one that waits is the
    first whose backward runs. Where the two are of no common compilation something was lost, and
    all that waits is given up.
    """
    chosen: dict[int, int] = {}
    waiting: list[int] = []
    before = NONE
    for number, (of, sequence) in enumerate(
        zip(of_run.tolist(), sequence_of_run.tolist(), strict=True)
    ):
        # Another thread's forward graphs wait for backward graphs of their own.
        if sequence != before:
            waiting, before = [], sequence
        if sites.other_half[of] == NONE:
            continue
        if not sites.backward[of]:
            waiting.append(number)
            continue
        # The backward of a forward that ran before the window began finds none waiting.
        forward = waiting.pop() if waiting else None
        if forward is None:
            continue
        # A forward that may be of compilation 0 or 1, and a backward that is of 1: both are of 1.
        ahead = fits.get(forward, frozenset([int(of_run[forward])]))
        behind = fits.get(number, frozenset([of]))
        common = [one for one in ahead if int(sites.other_half[one]) in behind]
        if not common:
            waiting = []
        elif len(common) == 1:
            halves = {forward: common[0], number: int(sites.other_half[common[0]])}
            chosen |= {run: half for run, half in halves.items() if run in fits}
    return chosen
