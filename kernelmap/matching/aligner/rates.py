"""Transition rates of the model before it has learned, as columns over call sites."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.sites import Sites
from kernelmap.matching.aligner.states import FOLLOWERS, PRELUDES, Float
from kernelmap.matching.names.expectations import EXPECTED


class Rates(Struct):
    """What is learned of transitions.

    `silent` is the probability that a call launches nothing; shape (sites,). `preludes` that a
    library call begins with so many; (sites, 1 + PRELUDES). `more` that behind the
    main kernel, or the k-th follower, another follows; (sites, FOLLOWERS). `share` says how often
    invocations are of each class.
    """

    silent: Float
    preludes: Float
    more: Float
    share: Float
    # Before anything is learned: one launch in a hundred is lost, and one is followed by a
    # stranger's, which another one follows in four of ten cases. Where the autotuner measured a
    # kernel, one of its calls in fifty begins with benchmarks. Half of the invocations are followed
    # by other work, which goes on in eight of ten cases.
    loss: float = 0.01
    stranger: float = 0.01
    stranger_stays: float = 0.4
    tuned: float = 0.02
    background: float = 0.5
    background_stays: float = 0.8


def first_rates(sites: Sites) -> Rates:
    """What is believed before anything is seen."""
    expected = [EXPECTED[family or Family.OTHER] for family in sites.family]
    another = np.array([expectation.another for expectation in expected])
    begins = np.array([expectation.begins for expectation in expected])[:, None]
    # Exactly n preludes: one, then n - 1 more, then no more.
    again = _AGAIN * begins
    number = np.arange(1, PRELUDES + 1)
    classes = len(sites.members)
    rates = Rates(
        silent=np.zeros(len(sites)),
        preludes=np.hstack([1 - begins, begins * again ** (number - 1) * (1 - again)]),
        more=another[:, None] * np.ones((1, FOLLOWERS)),
        share=np.full(classes, 1 / max(classes, 1)),
    )
    rates.silent = silent_rates(sites, rates.loss, np.zeros(len(sites)), np.zeros(len(sites)))
    return rates


_AGAIN = 0.7
"""How much rarer a second prelude is than a first one, and so on; learning replaces it where a call
has been seen. Tried on recordings (scripts/thresholds.py): at 0.3 calls with several preludes are
not found, 8 of kernels alone and 17 where launches were lost; 0.95 changes nothing."""
# A library call launches nothing in three of a hundred cases, a belief that weighs as two visits.
_SILENT, _SILENT_WEIGHT = 0.03, 2.0


def silent_rates(sites: Sites, loss: float, skipped: Float, visits: Float) -> Float:
    """How probable it is that each call launches nothing."""
    # A call of a branch or loop is as likely to run as not, until it was seen. A generated call
    # that always runs is silent only where its launch was lost.
    branch = (skipped + 1) / (visits + 2)
    library = (skipped + _SILENT * _SILENT_WEIGHT) / (visits + _SILENT_WEIGHT)
    certain = np.where(sites.generated, loss, np.clip(library, 0.003, 0.98))
    return np.where(sites.certain, certain, np.clip(branch, 0.02, 0.98))
