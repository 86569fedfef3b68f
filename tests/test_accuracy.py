"""How right we have to be in simulated worlds, by situation, over three seeds.

By share of compiled GPU time: what finds a call, what of it is right when it is inferred, and what
is claimed of the time outside. What is exact is always right.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from accuracy_worlds import measured, programs_in, row

from kernelmap.model import CompiledProgram, Confidence
from worlds.situations import SITUATIONS, Situation

SEEDS = range(1, 4)
BY_NAME = {situation.name: situation for situation in SITUATIONS}


@dataclass(frozen=True, slots=True)
class Goal:
    """The least coverage and rightness of what is inferred, the most claimed of other time."""

    coverage: float
    right: float
    claimed: float


HOST = Goal(0.99, 0.995, 0.0)
UNIQUE = Goal(0.98, 0.995, 0.001)
REPLAYED = Goal(0.97, 0.995, 0.001)
LEGACY = Goal(0.95, 0.99, 0.005)
HARD_UNIQUE = Goal(0.85, 0.995, 0.001)
HARD_LEGACY = Goal(0.85, 0.99, 0.005)

USUAL = {
    "host ranges": HOST,
    "host ranges, no cache key": HOST,
    "NVTX ranges": HOST,
    "nsys graph nodes": HOST,
    "bundle node map": HOST,
    "GPU only, unique names": UNIQUE,
    "bare nsys, unique names": UNIQUE,
    "replay, capture seen": REPLAYED,
    "replay, capture seen, two streams": REPLAYED,
    "replay, capture not seen": REPLAYED,
    "replay, capture not seen, two streams": REPLAYED,
    "bare nsys, replay, capture not seen": REPLAYED,
    "replay, capture not seen, legacy names": REPLAYED,
    "GPU only, legacy names": LEGACY,
    "bare nsys, legacy names": LEGACY,
}
HARD = {
    "GPU only, one name for all kernels": HARD_LEGACY,
    "unique: another program's code missing": HARD_UNIQUE,
    "unique: a graph's code missing": HARD_UNIQUE,
    "unique: code given that never ran": HARD_UNIQUE,
    "unique: graphs share names": HARD_UNIQUE,
    "unique: another thread between": HARD_UNIQUE,
    "unique: order changes": HARD_UNIQUE,
    "unique: 5 % lost": HARD_UNIQUE,
    "legacy: another program's code missing": HARD_LEGACY,
    "legacy: code given that never ran": HARD_LEGACY,
    "legacy: another thread between": HARD_LEGACY,
    "legacy: 5 % lost": HARD_LEGACY,
}


def falls_short(situation: Situation, programs: list[CompiledProgram]) -> str | None:
    """The row of a situation that is not as it has to be, None if all is well."""
    goal = (USUAL | HARD)[situation.name]
    found = measured(situation, programs, SEEDS)
    well = (
        (found.covered or 0.0) >= goal.coverage
        and (found.right(Confidence.INFERRED) or 1.0) >= goal.right
        and (found.claimed or 0.0) <= goal.claimed
        and found.right(Confidence.EXACT) in (None, 1.0)
    )
    return None if well else row(situation, found)


def test_every_situation_has_a_goal() -> None:
    """Nothing is measured that need not be right."""
    assert USUAL.keys() | HARD.keys() == BY_NAME.keys()


@pytest.mark.parametrize("name", [*USUAL, *HARD])
def test_shipped_code_is_found_and_rightly(name: str, samples: Path) -> None:
    """In every situation enough of the time finds its call, and hardly any finds a wrong one."""
    assert falls_short(BY_NAME[name], programs_in(samples)) is None


@pytest.mark.corpus
@pytest.mark.parametrize("name", [*USUAL, *HARD])
def test_real_code_is_found_and_rightly(name: str, corpus: Path, samples: Path) -> None:
    """The same holds for the code of real programs beside the shipped ones."""
    assert falls_short(BY_NAME[name], programs_in(samples, corpus / "inductor")) is None
