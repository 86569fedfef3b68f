"""What the model of launch order says of a dozen worlds, in figures: no constant moves unnoticed.

A figure that changed is no mistake by itself. Whoever changes a constant or a rule measures anew
(`python scripts/accuracy.py`), and writes down here what the model says then: the failure shows it.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kernelmap.matching import Match, match_launches
from kernelmap.model import CompiledProgram, Confidence
from worlds import simulate
from worlds.hard import BARE, ROWS
from worlds.recordings import Recording, recorded
from worlds.written import Kernel, Library, Statement, Written, program_of

SEED = 5
_LITTLE = 1e-6
"""Doubts below this are noise of floating point."""
_ROUNDED, _MARGINS = 0.05, 3
"""By so much the sums may differ where another processor rounds otherwise."""
ROW_NAMES = (
    "8 graphs, legacy names, 5 % lost",
    "sorts at edges, 5 % lost",
    "sorts at edges, 2 to 4 invocations",
    "sorts at edges, replays",
    "three products in a row, changing order",
    "convolution backward last",
    "attention backward last",
    "half of 8 graphs withheld",
    "vendor names, sorts at edges",
    "autotuning before the first step",
    "two threads, one stream, api rows",
    "5 equal layers in changing order",
)
OPERATORS = (
    "aten.mm",
    "aten.addmm",
    "aten.convolution",
    "aten.convolution_backward",
    "aten._scaled_dot_product_flash_attention",
    "aten._scaled_dot_product_flash_attention_backward",
    "aten._softmax",
    "aten.randint",
    "aten.sort",
    "aten.topk",
    "aten.cumsum",
    "aten.index_put_",
    "aten.embedding",
    "_c10d_functional.all_reduce_",
    "aten.copy_",
    "aten.zero_",
    "aten.sum",
    "aten.special_zeta",
)
"""One of each family."""
FAMILIES = "an operator of each family"
OF_FAMILIES = {
    FAMILIES: BARE,
    f"{FAMILIES}, vendor names": replace(BARE, vendor=True),
    f"{FAMILIES}, short libraries": replace(BARE, long=False),
    f"{FAMILIES}, 5 % lost": replace(BARE, vendor=True, drop=0.05),
}
"""Worlds in which every family is launched, by the name of the world."""
NAMES = (*OF_FAMILIES, *ROW_NAMES)


@dataclass(frozen=True, slots=True)
class Figures:
    """How many launches got each confidence, and how much doubt and margin they have together.

    `counts` are those of exact, inferred, ambiguous, outside and unknown, in this order. `doubt`
    adds up the decimal logarithms of what is left of the posteriors, `margin` the margins of the
    runners-up.
    """

    counts: tuple[int, ...]
    doubt: float
    margin: int

    @classmethod
    def of(cls, matched: Match) -> Figures:
        """The figures of one matching."""
        matching = matched.matching
        counts = Counter(matching.confidence.tolist())
        posterior = matched.posterior
        left = np.empty(0) if posterior is None else 1 - posterior[~np.isnan(posterior)]
        margin = 0 if matching.runner_up is None else matching.runner_up.margin
        return cls(
            counts=tuple(counts[int(confidence)] for confidence in Confidence),
            doubt=round(math.fsum(np.log10(np.maximum(left, _LITTLE)).tolist()), 2),
            margin=int(np.sum(np.maximum(margin, 0))),
        )


def every_family() -> CompiledProgram:
    """A graph that calls one operator of each family, and one that begins and ends with some."""

    def kernel(number: int) -> Kernel:
        return Kernel("poi", ("add", f"op{number}"), (4096 * (number + 1),), 3)

    within: list[Statement] = [kernel(0)]
    for number, operator in enumerate(OPERATORS, 1):
        within += [Library(operator), kernel(number)]
    ends = tuple(
        Written(f"{number}_inference", (Library(first), kernel(0), kernel(number), Library(last)))
        for number, (first, last) in enumerate(pairwise(OPERATORS), 1)
    )
    return program_of((Written("0_inference", tuple(within)), *ends))


def played(name: str) -> Match:
    """The matching of one world."""
    recording: Recording = "kineto"
    with tempfile.TemporaryDirectory() as folder:
        if name in OF_FAMILIES:
            program = given = every_family()
            world = replace(OF_FAMILIES[name], seed=SEED, between=0.3)
        else:
            row = next(row for row in ROWS if row.name == name)
            case = row.case(SEED)
            program, given = case.runs, case.given
            world, recording = row.played(SEED), row.recording
        trace, _ = recorded(simulate(program, world), program, recording, Path(folder))
        return match_launches(given, trace)


FIGURES = {
    "an operator of each family": Figures(
        counts=(0, 2403, 55, 0, 1327), doubt=-13343.98, margin=221380
    ),
    "an operator of each family, vendor names": Figures(
        counts=(0, 1769, 7, 0, 2009), doubt=-9375.03, margin=174061
    ),
    "an operator of each family, short libraries": Figures(
        counts=(0, 1789, 33, 0, 960), doubt=-9363.93, margin=123447
    ),
    "an operator of each family, 5 % lost": Figures(
        counts=(0, 1678, 16, 0, 1941), doubt=-8687.03, margin=200665
    ),
    "8 graphs, legacy names, 5 % lost": Figures(
        counts=(0, 1811, 11, 0, 1745), doubt=-9127.55, margin=272481
    ),
    "sorts at edges, 5 % lost": Figures(
        counts=(0, 1047, 34, 0, 721), doubt=-5361.45, margin=104872
    ),
    "sorts at edges, 2 to 4 invocations": Figures(
        counts=(0, 174, 2, 0, 67), doubt=-981.37, margin=20003
    ),
    "sorts at edges, replays": Figures(counts=(0, 1378, 0, 372, 2), doubt=-8197.99, margin=133952),
    "three products in a row, changing order": Figures(
        counts=(0, 778, 0, 0, 358), doubt=-4271.97, margin=50645
    ),
    "convolution backward last": Figures(
        counts=(0, 1137, 1, 0, 1076), doubt=-6055.55, margin=111328
    ),
    "attention backward last": Figures(counts=(0, 753, 0, 0, 946), doubt=-4288.25, margin=66812),
    "half of 8 graphs withheld": Figures(
        counts=(0, 821, 1, 0, 2112), doubt=-4197.89, margin=159666
    ),
    "vendor names, sorts at edges": Figures(
        counts=(0, 713, 137, 0, 1030), doubt=-3750.45, margin=120399
    ),
    "autotuning before the first step": Figures(
        counts=(0, 2203, 2, 0, 2189), doubt=-11137.6, margin=222681
    ),
    "5 equal layers in changing order": Figures(
        counts=(0, 308, 929, 0, 287), doubt=-1707.0, margin=128624
    ),
    "two threads, one stream, api rows": Figures(
        counts=(0, 3015, 8, 0, 1873), doubt=-15652.26, margin=294796
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", NAMES)
def test_the_model_says_what_it_said_when_it_was_measured(name: str) -> None:
    """Counts are equal, and sums but for the last digits of floating point."""
    now, then = Figures.of(played(name)), FIGURES[name]
    same = (
        now.counts == then.counts
        and abs(now.doubt - then.doubt) < _ROUNDED
        and abs(now.margin - then.margin) < _MARGINS
    )
    assert same, now
