"""How many collectives ranks have in a step → where a rank has another number than most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernelmap.fleet.answer import row_of_divergence
from kernelmap.fleet.rank import RankFacts
from kernelmap.model import NONE
from kernelmap.tables.rows import Row


class StepPlace(NamedTuple):
    """A step of a rank, and one of its process groups."""

    rank: int
    group: str
    step: int


class CollectiveCounts(NamedTuple):
    """How many collectives there are, and how many most ranks have there."""

    here: int
    usual: int


def find_unequal(facts: Sequence[RankFacts]) -> dict[StepPlace, CollectiveCounts]:
    """The places where a rank has another number of collectives than most ranks.

    Left out are profiles without steps, and steps in which a rank has no collective at all, which
    its profile may lack.
    """
    counts: dict[tuple[str, int], dict[int, int]] = defaultdict(dict)
    for rank_facts in facts:
        # Steps in which the rank has any collective. A group without one there counts 0 in it.
        steps = {step for of_step in rank_facts.counts.values() for step in of_step} - {NONE}
        for group in rank_facts.counts:
            for step in steps:
                counts[group, step][rank_facts.rank] = rank_facts.counts[group].get(step, 0)
    differ = {}
    for (group, step), of_rank in sorted(counts.items()):
        usual = Counter(of_rank.values()).most_common(1)[0][0]
        for rank, here in of_rank.items():
            if here != usual:
                differ[StepPlace(rank, group, step)] = CollectiveCounts(here, usual)
    return differ


def iter_divergence(differ: Mapping[StepPlace, CollectiveCounts]) -> Iterator[Row]:
    """Rows of tables.fleet.DIVERGENCE: the first step of each rank that has another number."""
    first: dict[int, StepPlace] = {}
    for place in sorted(differ, key=lambda place: (place.step, place.group)):
        first.setdefault(place.rank, place)
    rows: dict[tuple[str, CollectiveCounts], list[int]] = defaultdict(list)
    for rank, place in sorted(first.items()):
        group = f" in group {place.group}" if place.group else ""
        rows[f"how many in step {place.step}{group}", differ[place]].append(rank)
    for (what, counts), ranks in rows.items():
        yield row_of_divergence(
            "collective", what, f"{counts.usual:,}", f"{counts.here:,}", np.array(ranks)
        )
